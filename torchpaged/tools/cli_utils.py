"""Checks, loading and progress lines that several commands of `torchpaged` share."""

from __future__ import annotations

import argparse
import base64
import mimetypes
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchpaged.errors import InputError, MissingPackageError, ModelError
from torchpaged.utils import atomic_files, startup
from torchpaged.utils.paths import expanded

if TYPE_CHECKING:
    from torchpaged.llm import LLM


def load_llm(model: str, settings: dict[str, Any]) -> LLM:
    """Load a model; settings are validated before torch is imported."""
    from torchpaged.engine_args import require_valid

    require_model(model)
    require_valid(settings)
    # torch takes a second to import, so it is imported only once the arguments are known to be valid.
    startup.import_torch()
    with startup.stage("torchpaged"):
        from torchpaged.llm import LLM

    return LLM(model, **{"use_tqdm_on_load": False, **settings})


def require_model(model: str) -> None:
    """Check without torch that a path of a model exists; a hub id is left to the loader.

    Raises:
        ModelError: there is no such folder or file.
    """
    is_file = model.endswith((".gguf", ".pt2"))
    is_local = is_file or model.startswith((".", "/", "~")) or model.count("/") > 1 or model.endswith("/")
    if is_local and not Path(expanded(model)).exists():
        raise ModelError(f"model {model!r}: there is no such {'file' if is_file else 'folder'}")


def require_writable(output: Path | None, flag: str = "--output") -> None:
    """Check that a result can be written, before hours of work for it.

    Raises:
        InputError: it cannot; `flag` is named in the message.
    """
    if output is None:
        return
    if not output.parent.is_dir():
        raise InputError(f"{flag} {output}: there is no folder {output.parent}")
    try:
        atomic_files.require_writable(output)
    except OSError as error:
        raise InputError(f"{flag} {output}: {error.strerror or error}") from None


def require_folder(output: Path, flag: str = "--output") -> None:
    """Check that a folder for a result exists or can be created, and written to, before long work for it.

    Raises:
        InputError: it cannot; `flag` is named in the message.
    """
    there = output
    while not there.exists() and there != there.parent:
        there = there.parent
    try:
        if not there.is_dir():
            raise NotADirectoryError(f"{there} is no folder")
        atomic_files.require_writable(there / f"{output.name}.part")
    except OSError as error:
        raise InputError(f"{flag} {output}: {error.strerror or error}") from None


# By modality: the type of a file whose name does not tell it.
MEDIA_KINDS = {"image": "image/png", "audio": "audio/wav", "video": "video/mp4"}


def read_media(given: argparse.Namespace) -> dict[str, list[str]]:
    """Return the files of --image, --audio and --video by modality, as data: URLs; one without any is left out.

    Raises:
        InputError: a file that cannot be read, or is of another kind.
        MissingPackageError: a package that reads it is not installed.
    """
    every = {modality: getattr(given, modality) for modality in MEDIA_KINDS}
    return {modality: [read_item(modality, each) for each in paths] for modality, paths in every.items() if paths}


def read_item(modality: str, path: Path) -> str:
    """Return an image, sound or video as a data: URL; errors as in `read_media`."""
    from torchpaged.media.limits import LIMITS
    from torchpaged.media.reading import image_from, sound_from
    from torchpaged.media.video import video_from

    try:
        with path.open("rb") as file:
            data = file.read(LIMITS.num_bytes + 1)
        if len(data) > LIMITS.num_bytes:
            raise ValueError(f"it has more than {LIMITS.num_bytes} bytes")
        read: dict[str, Callable[[bytes], object]] = {"image": image_from, "audio": sound_from, "video": video_from}
        read[modality](data)
    except MissingPackageError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"--{modality} {path}: {getattr(error, 'strerror', None) or error}") from None
    kind = mimetypes.guess_type(path.name)[0] or MEDIA_KINDS[modality]
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def require_reads(llm: LLM, modalities: Iterable[str]) -> None:
    """Raise an InputError if a model does not read these modalities."""
    from torchpaged.models.model import media_processor_of
    from torchpaged.requests.media import NO_VIDEOS

    processor = media_processor_of(llm.engine.model)
    for modality in modalities:
        if processor is None or modality not in processor.modalities:
            known = " and ".join(sorted(processor.modalities)) if processor is not None else "texts"
            hint = NO_VIDEOS if modality == "video" and processor is not None else ""
            why = getattr(llm.engine.model, "media_refusal", None) or f"the model reads {known} only{hint}"
            raise InputError(f"--{modality}: {why}")


def is_same_file(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def progress(quiet: bool) -> Callable[[str], None]:
    """Return a function that prints what runs next on standard error."""

    def show(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    return show


def identity_of(model: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a completion depends on, beside its prompt and sampling parameters."""
    path = Path(expanded(model))
    return {
        "model": str(path.resolve()) if path.exists() else model,
        **{name: settings.get(name) for name in ("dtype", "kv_cache_dtype", "quantization", "max_model_len")},
        **({"mmproj": str(Path(expanded(settings["mmproj"])).resolve())} if settings.get("mmproj") else {}),
    }


def say(*lines: str | None) -> None:
    """Print lines on standard error, each with the program's name; None is left out."""
    for line in lines:
        if line is not None:
            print(line if line.startswith("torchpaged: ") else f"torchpaged: {line}", file=sys.stderr, flush=True)
