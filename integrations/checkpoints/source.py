"""What a folder or a hub id holds, looked at before anything of it is loaded: its config, and weights that lie in it.

A checkpoint is somebody else's: its code does not run unless the caller says so, and no name in it leads out of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from transformers import AutoConfig, GenerationConfig, PretrainedConfig
from transformers.utils import SAFE_WEIGHTS_INDEX_NAME, WEIGHTS_INDEX_NAME, cached_file

from torchpaged.errors import ConfigError, ModelError, did_you_mean, reason_of
from torchpaged.integrations.families import FAMILIES, LENGTHS
from torchpaged.utils.paths import leads_out

# Endings of weights that are not safetensors; of them transformers' own .bin is read, as tensors and nothing else.
_PICKLED = (".bin", ".pt", ".pth", ".ckpt")
_BIN = "pytorch_model*.bin"
_TO_SAFETENSORS = "convert them where you trust them: AutoModelForCausalLM.from_pretrained(...).save_pretrained(...)"

# Endings of tensors without which the weights beside them are other numbers.
SCALES = (".weight_scale", ".weight_scale_inv", ".SCB")
NOT_TENSORS = f"what is pickled holds more than tensors, or is broken; expected safetensors: {_TO_SAFETENSORS}"

# More than any model has, by a part of the name: lists of so many entries are made in less than a second, and positions
# have 32 bits.
_MOST = {"num_labels": 1_000_000, "first_k_dense_replace": 10_000, "layer": 10_000, "position": 2**31}

Overrides = Mapping[str, Any] | Callable[[Any], Any]


def read_config(
    path: str,
    *,
    trust_remote_code: bool = False,
    hub: Mapping[str, Any] | None = None,
    overrides: Overrides | None = None,
) -> PretrainedConfig:
    """The config of a checkpoint, all of it.

    Args:
        hub: what transformers is told of where it comes from: revision, cache_dir, token.
        overrides: values that are others than in its file, or what changes a config and returns it.

    Raises:
        ModelError: there is none, or one that brings code which is not trusted.
        ConfigError: an override of what the config has not got.
    """
    _require_path(path)
    try:
        _require_bounded(path, PretrainedConfig.get_config_dict(path, **(hub or {}))[0])
        config = AutoConfig.from_pretrained(path, trust_remote_code=trust_remote_code, **(hub or {}))
        part = decoder_config(config)
        if not isinstance(part, PretrainedConfig):
            raise ModelError(f"model {path!r}: its config has text_config {part!r:.80}, expected a dictionary")
    except ModelError:
        raise
    except Exception as error:  # beside OSError, ValueError and KeyError those of the hub's validation, and whatever
        raise ModelError(f"model {path!r}: no config could be read: {reason_of(error)}") from error
    config = config if overrides is None else _overridden(config, overrides)
    for each in (config, decoder_config(config)):
        # A checkpoint may name an attention implementation, even one to be fetched from the hub. The engine brings its
        # own, and decides what a forward returns.
        each._attn_implementation = None
        each.return_dict, each.output_hidden_states, each.output_attentions = True, False, False
    return config


def _require_bounded(path: str, values: Mapping[str, Any]) -> None:
    """Raise ModelError for values of a config that transformers would take at their word: it makes a list with an entry
    for each layer and each label, and takes the architectures for names."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            _require_bounded(path, value)
        elif name == "architectures":
            if value is not None and not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
                raise ModelError(
                    f"model {path!r}: its config has architectures {value!r:.80}, expected a list of names"
                )
        elif isinstance(value, (int, float)):
            most = next((most for part, most in _MOST.items() if part in name), None)
            if most is not None and value > most:
                raise ModelError(f"model {path!r}: its config has {name} {value!r:.80}, expected at most {most}")


def read_generation_config(path: str, hub: Mapping[str, Any]) -> GenerationConfig | None:
    """What a checkpoint says of generating; None where it has none that can be read, as for transformers.

    Raises:
        ModelError: it is another thing than a config.
    """
    try:
        return GenerationConfig.from_pretrained(path, **hub)
    except OSError:
        return None
    except Exception as error:  # JSON that is no dictionary, values that its class refuses
        raise ModelError(f"model {path!r}: its generation config could not be read: {reason_of(error)}") from error


def _overridden(config: PretrainedConfig, overrides: Overrides) -> PretrainedConfig:
    if not isinstance(overrides, Mapping):
        changed = overrides(config)
        if not isinstance(changed, PretrainedConfig):
            raise ConfigError(f"LLM: hf_overrides returned {changed!r:.80}, expected the config")
        return changed
    for name, value in overrides.items():
        if name == "max_model_len":  # vLLM's word for it, whatever the config calls the longest sequence
            _set_max_length(config, value)
            continue
        if not hasattr(config, name):
            raise ConfigError(
                f"LLM: hf_overrides has {name!r}, which a config of type {config.model_type!r} has not got"
                + did_you_mean(name, config.to_dict())
            )
        setattr(config, name, value)
    return config


def _set_max_length(config: PretrainedConfig, value: object) -> None:
    if type(value) is not int or value < 1:
        raise ConfigError(f"LLM: hf_overrides has max_model_len={value!r:.80}, expected an integer of 1 or more")
    part = decoder_config(config)
    setattr(part, next((name for name in LENGTHS if getattr(part, name, None)), LENGTHS[0]), value)


def decoder_config(config: PretrainedConfig) -> PretrainedConfig:
    """The part of it that the engine goes by; a family that is refused as a whole stays one, whatever is in it."""
    family = FAMILIES.get(config.model_type)
    if config.is_encoder_decoder or (family is not None and family.reason is not None):
        return config
    return config.get_text_config(decoder=True)


def load_config(path: str, *, trust_remote_code: bool = False) -> PretrainedConfig:
    """The config of a checkpoint's decoder. Raises ModelError as `read_config`."""
    return decoder_config(read_config(path, trust_remote_code=trust_remote_code))


def require_weights(
    path: str, load_format: str = "auto", hub: Mapping[str, Any] | None = None, named: str | None = None
) -> bool | None:
    """Before they are read.

    Args:
        load_format: as of `LoadOptions`.
        hub: as of `read_config`.
        named: the file, or the index, that the config names (`transformers_weights`).

    Returns:
        Whether they are safetensors, not .bin; None: transformers takes the first that there are.

    Raises:
        ModelError: there are none of this format, or they lie outside of the checkpoint.
    """
    folder = Path(path)
    wanted = {"safetensors": True, "pt": False}.get(load_format)
    if folder.is_dir():
        has_safetensors = _require_readable(path, folder, wanted)
        wanted = has_safetensors if wanted is None else wanted
    indexes = [(SAFE_WEIGHTS_INDEX_NAME, True), (WEIGHTS_INDEX_NAME, False)]
    if named is not None:
        if not isinstance(named, str) or leads_out(named):
            raise ModelError(
                f"model {path!r}: its config names {named!r} as its weights, expected a file in the folder"
            )
        indexes = [(named, True)] if named.endswith(".json") else []
    for name, is_safe in indexes:
        if wanted is (not is_safe):
            continue
        try:
            index = cached_file(
                path,
                name,
                _raise_exceptions_for_gated_repo=False,
                _raise_exceptions_for_missing_entries=False,
                _raise_exceptions_for_connection_errors=False,
                **(hub or {}),
            )
        except OSError:
            continue  # transformers asks for it again, and says why there is none
        if index is not None:
            _require_inside(path, Path(index))
    return wanted


def _require_path(path: str) -> None:
    looks_local = path.startswith((".", "/", "~")) or path.count("/") > 1 or path.endswith("/")
    folder = Path(path).expanduser()
    if folder.is_file() and _begins_as_gguf(folder):
        raise ModelError(
            f"model {path!r}: its first bytes are a GGUF file's, whose name ends in .gguf: rename it, or make a link"
        )
    if folder.exists() and not folder.is_dir():
        kind = {".safetensors": "one file of a checkpoint"}.get(folder.suffix, "a file")
        kind = "a file of pickled weights" if folder.suffix in _PICKLED else kind
        raise ModelError(f"model {path!r}: this is {kind}, expected a folder with config.json and safetensors")
    if looks_local and not folder.exists():
        raise ModelError(f"model {path!r}: there is no such folder")
    if folder.is_dir() and not (folder / "config.json").exists():
        if (folder / "adapter_config.json").exists():
            raise ModelError(
                f"model {path!r}: this is a LoRA adapter{_base_of(folder)}, and no model: load that with transformers, "
                "activate the adapter with peft, and give LLM the instance"
            )
        _require_readable(path, folder)


def _base_of(folder: Path) -> str:
    """The model that an adapter says it is for, as the end of a phrase."""
    try:
        base = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8")).get("base_model_name_or_path")
    except (OSError, ValueError, AttributeError):
        return ""
    return f" of {base!r:.100}" if isinstance(base, str) and base else ""


def _begins_as_gguf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"GGUF"
    except OSError:  # whoever reads it says why it cannot be
        return False


def _require_readable(path: str, folder: Path, wanted: bool | None = None) -> bool:
    """Whether a folder has safetensors rather than .bin; one without either says what it has instead."""
    files = [each for each in folder.iterdir() if each.is_file()]
    if wanted is not False and any(each.suffix == ".safetensors" for each in files):
        return True
    if wanted is not True and any(each.match(_BIN) for each in files):
        return False
    if gguf := sorted(each.name for each in files if each.suffix == ".gguf"):
        raise ModelError(
            f"model {path!r}: this is a folder of GGUF, expected safetensors: name the file, {str(folder / gguf[0])!r}"
        )
    if pickled := sorted(each.name for each in files if each.suffix in _PICKLED):
        raise ModelError(
            f"model {path!r}: its weights are pickled ({pickled[0]}), and reading them may run code; expected "
            f"safetensors: {_TO_SAFETENSORS}"
        )
    if (folder / "config.json").exists():
        expected = "pytorch_model.bin" if wanted is False else "safetensors"
        raise ModelError(f"model {path!r}: there are no weights in it, expected {expected}")
    return True


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
