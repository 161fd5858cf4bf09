"""What a folder or a hub id holds, looked at before anything of it is loaded: its config, and weights that lie in it.

A checkpoint is somebody else's: its code does not run unless the caller says so, and no name in it leads out of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import AutoConfig, PretrainedConfig
from transformers.utils import SAFE_WEIGHTS_INDEX_NAME, cached_file

from torchpaged.errors import ModelError, reason_of
from torchpaged.integrations.families import FAMILIES
from torchpaged.paths import leads_out

# Endings of weights that are not safetensors.
_PICKLED = (".bin", ".pt", ".pth", ".ckpt")
_TO_SAFETENSORS = "convert them where you trust them: AutoModelForCausalLM.from_pretrained(...).save_pretrained(...)"


def read_config(path: str, *, trust_remote_code: bool = False) -> PretrainedConfig:
    """The config of a checkpoint, all of it.

    Raises:
        ModelError: there is none, or one that brings code which is not trusted.
    """
    _require_path(path)
    try:
        config = AutoConfig.from_pretrained(path, trust_remote_code=trust_remote_code)
        decoder_config(config)
    except Exception as error:  # beside OSError, ValueError and KeyError those of the hub's validation, and whatever
        raise ModelError(f"model {path!r}: no config could be read: {reason_of(error)}") from error
    # A checkpoint may name an attention implementation, even one to be fetched from the hub. The engine brings its own.
    config._attn_implementation = None
    return config


def decoder_config(config: PretrainedConfig) -> PretrainedConfig:
    """The part of it that the engine goes by; a family that is refused as a whole stays one, whatever is in it."""
    family = FAMILIES.get(config.model_type)
    if config.is_encoder_decoder or (family is not None and family.reason is not None):
        return config
    return config.get_text_config(decoder=True)


def load_config(path: str, *, trust_remote_code: bool = False) -> PretrainedConfig:
    """The config of a checkpoint's decoder. Raises ModelError as `read_config`."""
    return decoder_config(read_config(path, trust_remote_code=trust_remote_code))


def require_weights(path: str) -> None:
    """Before they are read.

    Raises:
        ModelError: the weights are not safetensors, or lie outside of the checkpoint.
    """
    folder = Path(path)
    if folder.is_dir():
        _require_safetensors(path, folder)
    try:
        index = cached_file(
            path,
            SAFE_WEIGHTS_INDEX_NAME,
            _raise_exceptions_for_gated_repo=False,
            _raise_exceptions_for_missing_entries=False,
            _raise_exceptions_for_connection_errors=False,
        )
    except OSError:
        return  # transformers asks for it again, and says why there is none
    if index is not None:
        _require_inside(path, Path(index))


def _require_path(path: str) -> None:
    looks_local = path.startswith((".", "/", "~")) or path.count("/") > 1 or path.endswith("/")
    folder = Path(path).expanduser()
    if folder.exists() and not folder.is_dir():
        kind = {".gguf": "a GGUF file", ".safetensors": "one file of a checkpoint"}.get(folder.suffix, "a file")
        kind = "a file of pickled weights" if folder.suffix in _PICKLED else kind
        raise ModelError(f"model {path!r}: this is {kind}, expected a folder with config.json and safetensors")
    if looks_local and not folder.exists():
        raise ModelError(f"model {path!r}: there is no such folder")
    if folder.is_dir() and not (folder / "config.json").exists():
        _require_safetensors(path, folder)


def _require_safetensors(path: str, folder: Path) -> None:
    """A folder without any says what it has instead."""
    files = [each for each in folder.iterdir() if each.is_file()]
    if any(each.suffix == ".safetensors" for each in files):
        return
    if gguf := sorted(each.name for each in files if each.suffix == ".gguf"):
        raise ModelError(
            f"model {path!r}: this is a folder of GGUF ({gguf[0]}), expected safetensors: name the checkpoint that it "
            "was made of"
        )
    if pickled := sorted(each.name for each in files if each.suffix in _PICKLED):
        raise ModelError(
            f"model {path!r}: its weights are pickled ({pickled[0]}), and reading them may run code; expected "
            f"safetensors: {_TO_SAFETENSORS}"
        )
    if (folder / "config.json").exists():
        raise ModelError(f"model {path!r}: there are no weights in it, expected safetensors")


def _require_inside(path: str, index: Path) -> None:
    """The files that an index names are the checkpoint's, not anyone's on this machine."""
    try:
        names = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        files = sorted(set(names.values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"model {path!r}: {index.name} is no index of weights: {reason_of(error)}") from error
    folder = index.parent.resolve()
    roots = [folder, *_blobs(folder)]
    for name in files:
        if not isinstance(name, str) or leads_out(name):
            raise ModelError(f"model {path!r}: {index.name} names {name!r}, expected files in the folder")
        place = (folder / name).resolve()
        if not any(place.is_relative_to(root) for root in roots):
            raise ModelError(
                f"model {path!r}: {name} is a link to {str(place)!r}, outside of the folder; copy it there"
            )


def _blobs(folder: Path) -> list[Path]:
    """Where the links of a snapshot in the hub's cache lead: the files of its repository, and those of all of them.

    Not resolved themselves: a folder that only looks like a cache could make links of them.
    """
    repository = folder.parent.parent
    if folder.parent.name != "snapshots" or not re.fullmatch("models--.+", repository.name):
        return []
    return [repository / "blobs", repository.parent / "blobs"]


def quantized_by(config: Any) -> str | None:
    """The method that a checkpoint's weights were quantised with, None where they are not."""
    said = getattr(config, "quantization_config", None)
    if said is None:
        return None
    method = said.get("quant_method") if isinstance(said, Mapping) else getattr(said, "quant_method", None)
    return str(method or "an unnamed method")
