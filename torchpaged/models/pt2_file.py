"""The .pt2 archive of an exported model: torch's program, the engine's record and the tokenizer.

torch unpacks such a file without checking names and checksums, so they are checked here first.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, ModelError, reason_of
from torchpaged.models.model import LayerShape
from torchpaged.sampling_params import SamplingParams
from torchpaged.utils.paths import leads_out

# Format 2 had no sampling parameters. Format 1 had members outside torch's folder, which torch took for an old file.
FORMAT = 3
# MS-DOS attribute of a folder. torch reads no data of a member that has it, and returns uninitialised memory.
_IS_FOLDER = 0x10
_RECORD, _TOKENIZER = "torchpaged/model.json", "torchpaged/tokenizer/"


@dataclass(frozen=True, slots=True)
class Record:
    """Properties of an exported model that the engine needs.

    Args:
        device: type of device that the program is for.
        vocab_size: tokens are 0 to vocab_size - 1.
        dtype: torch's name of it.
        layers: shape by layer index.
        settings: values that `EngineConfig` must have or leave open.
        eos_token_ids: tokens that end a text.
        sampling: arguments of `SamplingParams` that differ from the defaults.
        fingerprint: of the model.
    """

    device: str
    vocab_size: int
    dtype: str
    layers: dict[int, LayerShape]
    settings: dict[str, Any]
    eos_token_ids: list[int]
    sampling: dict[str, Any]
    fingerprint: str


def add_record(path: Path, record: Record, tokenizer: Any = None) -> None:
    """Add a record, and a tokenizer of transformers, to the file that torch has written."""
    with zipfile.ZipFile(path, "a", zipfile.ZIP_STORED) as archive, tempfile.TemporaryDirectory() as folder:
        root = _root(archive)
        layers = {index: {name: getattr(shape, name) for name in _SHAPE} for index, shape in record.layers.items()}
        archive.writestr(f"{root}/{_RECORD}", json.dumps({"format": FORMAT, **asdict(record), "layers": layers}))
        if tokenizer is not None:
            tokenizer.save_pretrained(folder)
            for file in sorted(each for each in Path(folder).rglob("*") if each.is_file()):
                archive.write(file, f"{root}/{_TOKENIZER}{file.relative_to(folder).as_posix()}")


def sampling_of(params: SamplingParams) -> dict[str, Any]:
    """Return the numeric sampling parameters that differ from the defaults."""
    given, default = asdict(params), asdict(SamplingParams())
    return {name: value for name, value in given.items() if value != default[name] and isinstance(value, int | float)}


def read_record(path: str) -> Record:
    """Return the record of a file, after comparing the whole file with its checksums: about a second per gigabyte.

    Raises:
        ModelError: the file does not exist, is not an exported model, is damaged, or has members outside its folder.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _require_members(path, archive.infolist())
            if (damaged := archive.testzip()) is not None:
                raise ModelError(
                    f"model {path!r} is damaged: the bytes of {damaged} are not those that were written; copy or "
                    "export it again"
                )
            names = archive.namelist()
            name = next((name for name in (f"{_root(archive)}/{_RECORD}", _RECORD) if name in names), None)
            if name is None:
                raise ModelError(f"model {path!r} is not a file that `torchpaged export` wrote: it has no {_RECORD}")
            record = json.loads(archive.read(name))
    except ModelError:
        raise
    except Exception as error:  # zipfile raises many: BadZipFile, zlib.error, EOFError, NotImplementedError, ...
        raise ModelError(f"model {path!r} is not a file that `torchpaged export` wrote: {reason_of(error)}") from error
    try:
        return _checked(record)
    except _RecordError as error:
        raise ModelError(f"model {path!r}: its record {error}; export it again") from None


def unpack_tokenizer(path: str, folder: Path) -> bool:
    """Write the tokenizer's files into a folder; return False if there are none. `read_record` must have checked it."""
    with zipfile.ZipFile(path) as archive:
        start = f"{_root(archive)}/{_TOKENIZER}"
        names = [name for name in archive.namelist() if name.startswith(start)]
        for name in names:
            file = folder / name.removeprefix(start)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(archive.read(name))
    return bool(names)


def _root(archive: zipfile.ZipFile) -> str:
    """Return the folder in the archive that torch's files are in."""
    return archive.namelist()[0].split("/")[0]


def _require_members(path: str, members: list[zipfile.ZipInfo]) -> None:
    names = [member.filename for member in members]
    if not names:
        raise ModelError(f"model {path!r} is not a file that `torchpaged export` wrote: it is empty")
    for name in names:
        if leads_out(name):
            raise ModelError(f"model {path!r} would write to {name!r}, outside of the folder that it is unpacked to")
    for member in members:
        if member.external_attr & _IS_FOLDER or member.is_dir():
            raise ModelError(f"model {path!r} is damaged: {member.filename} is marked as a folder")
        if member.compress_type != zipfile.ZIP_STORED:  # a kilobyte may stand for a megabyte
            raise ModelError(
                f"model {path!r} is not a file that `torchpaged export` wrote: {member.filename} is compressed"
            )
    size, whole = sum(member.file_size for member in members), Path(path).stat().st_size
    if size > whole:  # members may share bytes
        raise ModelError(f"model {path!r} is damaged: it has {whole} bytes, and its members {size} together")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ModelError(f"model {path!r} has {twice!r} twice: who reads it could see another one than was checked")


class _RecordError(Exception):
    """A record is wrong; the message completes a sentence."""


def _checked(record: Any) -> Record:
    if not isinstance(record, dict):
        raise _RecordError(f"is {record!r:.40}, expected an object")
    if record.get("format") != FORMAT:
        raise _RecordError(f"has the format {record.get('format')!r}, expected {FORMAT}")
    for name, (is_one, expected) in _KINDS.items():
        if name not in record:
            raise _RecordError(f"has no {name}")
        if not is_one(record[name]):
            raise _RecordError(f"has the {name} {record[name]!r:.60}, expected {expected}")
    try:
        EngineConfig(dtype=record["dtype"], **record["settings"])
    except (ConfigError, TypeError) as error:
        raise _RecordError(f"has settings of which {error}") from None
    try:
        SamplingParams(**record["sampling"])
    except (ConfigError, TypeError) as error:
        raise _RecordError(f"has sampling parameters of which {error}") from None
    layers = {int(index): LayerShape(**shape) for index, shape in record["layers"].items()}
    return Record(**{name: record[name] for name in _KINDS if name != "layers"}, layers=layers)


# Stored fields of a layer's shape. Models with convolutions or indexers cannot be exported.
_SHAPE = [name for name in LayerShape.__dataclass_fields__ if name not in ("convolution", "index", "num_selected")]


def _is_int(value: object) -> bool:
    return type(value) is int and value >= 0


def _are_layers(value: object) -> bool:
    if not isinstance(value, Mapping) or not value:
        return False
    return all(
        index.isdecimal()
        and isinstance(shape, Mapping)
        and shape.keys() == set(_SHAPE)
        # `cross` is the only bool.
        and all(isinstance(each, bool) if name == "cross" else _is_int(each) for name, each in shape.items())
        for index, shape in value.items()
    )


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "device": (lambda value: isinstance(value, str), "a name"),
    "vocab_size": (lambda value: _is_int(value) and value > 0, "a number of tokens"),
    "dtype": (lambda value: value in ("float32", "float16", "bfloat16"), "float32, float16 or bfloat16"),
    "layers": (_are_layers, "the shape of each layer"),
    "settings": (
        lambda value: isinstance(value, Mapping) and value.keys() == {"block_size", "kv_cache_dtype", "max_model_len"},
        "block_size, kv_cache_dtype and max_model_len",
    ),
    "eos_token_ids": (lambda value: isinstance(value, list) and all(map(_is_int, value)), "a list of tokens"),
    "sampling": (
        lambda value: isinstance(value, Mapping) and all(isinstance(each, int | float) for each in value.values()),
        "numbers by the names of sampling parameters",
    ),
    "fingerprint": (lambda value: isinstance(value, str), "a text"),
}
