"""`Checkpoint`: everything about a model that is known before its weights are read.

A checkpoint is untrusted input: its code runs only if the caller allows it, and no file name in it may lead outside its
folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from torch.nn import Module
from transformers import AutoConfig, GenerationConfig, PretrainedConfig, PreTrainedModel
from transformers.utils import SAFE_WEIGHTS_INDEX_NAME, SAFE_WEIGHTS_NAME, WEIGHTS_INDEX_NAME, cached_file
from transformers.utils.hub import get_checkpoint_shard_files

from torchpaged.engine_args import NO_OPTIONS, LoadOptions
from torchpaged.errors import ConfigError, ModelError, did_you_mean, reason_of
from torchpaged.integrations.checkpoints.adapter_folder import CONFIG
from torchpaged.integrations.checkpoints.gguf.loader import GgufModel, bytes_by_format, is_quantised
from torchpaged.integrations.families import FAMILIES, LENGTHS, unsupported_reason
from torchpaged.utils.paths import leads_out, link_roots
from torchpaged.weights.gguf_file import Gguf
from torchpaged.weights.schemes import Scheme, scheme_of

# Suffixes of weight files other than safetensors. Only transformers' own .bin files are read, and only as tensors.
_PICKLED = (".bin", ".pt", ".pth", ".ckpt")
_BIN = "pytorch_model*.bin"
TO_SAFETENSORS = "convert them where you trust them: AutoModelForCausalLM.from_pretrained(...).save_pretrained(...)"

# Upper bounds, by a part of the name. transformers allocates a list with an entry per label and per layer before it
# checks anything: at these bounds that takes less than a second. Positions are 32-bit.
_BOUNDS = {"num_labels": 1_000_000, "first_k_dense_replace": 10_000, "layer": 10_000, "position": 2**31}

# Attributes of transformers' configs with the number of experts.
_NUM_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")

Overrides = Mapping[str, Any] | Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A model to be loaded, with everything that is read before its weights: the one value that the loading passes on.

    Args:
        name: the path or hub id as given, for errors; the class name of an instance.
        config: of the whole model.
        decoder_config: the part of it that the engine runs by.
        trust_remote_code: whether code that the checkpoint brings may run.
        options: how it is found and read.
        gguf: the opened file, if it is one.
        instance: the model itself, if the caller made it.
    """

    name: str
    config: PretrainedConfig
    decoder_config: PretrainedConfig
    trust_remote_code: bool = False
    options: LoadOptions = NO_OPTIONS
    gguf: GgufModel | None = None
    instance: PreTrainedModel | None = None

    @classmethod
    def resolve(
        cls,
        model: str | Path | Gguf | PreTrainedModel,
        *,
        trust_remote_code: bool = False,
        options: LoadOptions = NO_OPTIONS,
    ) -> Checkpoint:
        """Find a model and read its config.

        Args:
            model: a folder, a hub id, a GGUF file, or a model instance.

        Raises:
            ModelError: no such model, no readable config, or one that brings code that is not trusted.
            ConfigError: an option that a model of this kind does not have, or an override of an unknown value.
        """
        gguf = instance = None
        is_gguf = isinstance(model, Gguf) or (isinstance(model, (str, Path)) and str(model).endswith(".gguf"))
        if not is_gguf:
            options.refuse("the model is no GGUF file, and has its towers itself", "mmproj")
        if isinstance(model, Gguf) or (is_gguf and isinstance(model, (str, Path))):
            name = str(model.path if isinstance(model, Gguf) else model)
            fixed = ("load_format", "revision", "code_revision", "hf_overrides")
            options.refuse(f"{name!r} has weights and config in it", *fixed)
            towers = None if options.mmproj is None else Gguf(options.mmproj)
            gguf = GgufModel.read(model if isinstance(model, Gguf) else Gguf(model), towers)
            config = gguf.config
        elif isinstance(model, (str, Path)) and str(model):
            name = str(model)
            config = _read_config(name, options, trust_remote_code=trust_remote_code)
        elif isinstance(model, Module):
            options.refuse("the model is an instance", "hf_overrides", "load_format", "code_revision")
            name, config, instance = type(model).__name__, model.config, model
        else:
            expected = "expected a folder, a hub id, a .gguf or .pt2 file, or a transformers model"
            raise ConfigError(f"LLM: model is {model!r:.80}, {expected}")
        return cls(name, config, decoder_config(config), trust_remote_code, options, gguf, instance)

    def sound_adapter(self) -> str | None:
        """Return the folder of the adapter that prompts with sounds have, as in Granite Speech; None: there is none.

        Raises:
            ModelError: it was loaded into an instance, in which it would be active for texts too.
        """
        if not getattr(self.config, "has_lora_adapter", False):
            return None
        if self.instance is not None:
            if getattr(self.instance, "_hf_peft_config_loaded", False):
                raise ModelError(
                    f"{self.name}: its adapter is for prompts with sounds alone, and an instance has it for all; give "
                    "the checkpoint's folder, or the model without it and default_mm_loras={'audio': FOLDER}"
                )
            return None
        file = cached_file(self.name, CONFIG, _raise_exceptions_for_missing_entries=False, **self.options.hub)
        return None if file is None else str(Path(file).parent)

    @cached_property
    def generation_config(self) -> GenerationConfig | None:
        """The generation config of a folder or hub id; None if it has none, as transformers does.

        Raises:
            ModelError: a file that is not a generation config.
        """
        try:
            found = GenerationConfig.from_pretrained(self.name, **self.options.hub)
        except OSError:
            found = None
        except Exception as error:  # JSON that is not a dictionary, values that the class refuses
            raise ModelError(
                f"model {self.name!r}: its generation config could not be read: {reason_of(error)}"
            ) from error
        return found

    def require_experts(self) -> None:
        """Raise ConfigError for a model that is no mixture of experts."""
        if not any(getattr(self.decoder_config, name, None) for name in _NUM_EXPERTS):
            raise ConfigError(
                f"LLM: enable_expert_parallel is True, but model {self.name!r} has no experts; leave it out"
            )

    @cached_property
    def quantization_method(self) -> str | None:
        """The method that the weights were quantised with; None if they are floats."""
        given = getattr(self.config, "quantization_config", None)
        method = given.get("quant_method") if isinstance(given, Mapping) else getattr(given, "quant_method", None)
        return None if given is None else str(method or "an unnamed method")

    @cached_property
    def scheme(self) -> Scheme | None:
        """How quantised weights are stored; None for floats, and for methods that are left to transformers.

        Raises:
            ModelError: a form of the method that no kernel runs.
        """
        given = getattr(self.config, "quantization_config", None)
        try:
            return scheme_of(given) if isinstance(given, Mapping) else None
        except ModelError as error:
            raise ModelError(f"model {self.name!r}: {error}") from None

    @property
    def tokenizer_source(self) -> str | Gguf | None:
        """Where the model's own tokenizer is read from; None for an instance."""
        path = self.name if self.instance is None else None
        return path if self.gguf is None else self.gguf.file

    def require_supported(self) -> None:
        """Raise ModelError if no model of this type can run."""
        if self.instance is None and (reason := unsupported_reason(self.decoder_config)):
            raise ModelError(f"model {self.name!r}: {reason}")

    def require_floats(self, quantization: Any) -> None:
        """Raise ConfigError if a quantisation is asked for and a GGUF file is quantised already."""
        if quantization is not None and self.gguf is not None and is_quantised(self.gguf.file):
            kinds = ", ".join(sorted(bytes_by_format(self.gguf.file)))
            raise ConfigError(
                f"LLM: quantization is {quantization!r:.80}, but {self.gguf.file.path.name!r} is quantised already "
                f"({kinds}); leave it out, or quantise the checkpoint that the file was made of"
            )

    def require_weights(self) -> bool | None:
        """Check that a folder or hub id has weights of the wanted format, before they are read.

        Returns:
            True for safetensors, False for .bin files; None: transformers takes the first that exists.

        Raises:
            ModelError: there are none, or they lie outside the checkpoint.
        """
        folder = Path(self.name)
        wanted = {"safetensors": True, "pt": False}.get(self.options.load_format)
        if folder.is_dir():
            has_safetensors = _has_safetensors(self.name, folder, wanted)
            wanted = has_safetensors if wanted is None else wanted
        named = getattr(self.config, "transformers_weights", None)
        indexes = [(SAFE_WEIGHTS_INDEX_NAME, True), (WEIGHTS_INDEX_NAME, False)]
        if named is not None:
            if not isinstance(named, str) or leads_out(named):
                raise ModelError(
                    f"model {self.name!r}: its config names {named!r} as its weights, expected a file in the folder"
                )
            indexes = [(named, True)] if named.endswith(".json") else []
        for name, is_safe in indexes:
            if wanted is (not is_safe):
                continue
            try:
                index = cached_file(
                    self.name,
                    name,
                    _raise_exceptions_for_gated_repo=False,
                    _raise_exceptions_for_missing_entries=False,
                    _raise_exceptions_for_connection_errors=False,
                    **self.options.hub,
                )
            except OSError:
                continue  # transformers asks for it again, and reports why it is missing
            if index is not None:
                _require_inside(self.name, Path(index))
        return wanted

    def safetensors(self) -> list[str]:
        """Paths of the weight files of a folder or hub id, downloaded if need be.

        They are those that transformers would take; if a folder has no file of such a name, all its safetensors.

        Raises:
            ModelError: they cannot be read.
        """
        folder = Path(self.name).expanduser()
        path = str(folder) if folder.is_dir() else self.name
        named = getattr(self.config, "transformers_weights", None)
        names = (SAFE_WEIGHTS_NAME, SAFE_WEIGHTS_INDEX_NAME) if named is None else (named,)
        hub = {**self.options.hub, "_raise_exceptions_for_missing_entries": False}
        try:
            found = next(filter(None, (cached_file(path, name, **hub) for name in names)), None)
            if found is None:
                files = sorted(map(str, folder.glob("*.safetensors")))
            elif found.endswith(".json"):
                files = sorted(set(get_checkpoint_shard_files(path, found, **self.options.hub)[0]))
            else:
                files = [found]
        except Exception as error:  # OSError, and the hub's own
            raise ModelError(f"model {self.name!r}: the weights could not be read: {reason_of(error)}") from error
        return files


def decoder_config(config: PretrainedConfig) -> PretrainedConfig:
    """Return the text decoder's part of a config; the whole of it for encoder-decoders and refused model types."""
    family = FAMILIES.get(config.model_type)
    is_whole = config.is_encoder_decoder or (family is not None and family.reason is not None)
    return config if is_whole else config.get_text_config(decoder=True)


def _read_config(path: str, options: LoadOptions, *, trust_remote_code: bool) -> PretrainedConfig:
    """Read the whole config of a folder or hub id."""
    _require_path(path)
    try:
        _require_bounded(path, PretrainedConfig.get_config_dict(path, **options.hub)[0])
        config = AutoConfig.from_pretrained(path, trust_remote_code=trust_remote_code, **options.hub)
        part = decoder_config(config)
        if not isinstance(part, PretrainedConfig):
            raise ModelError(f"model {path!r}: its config has text_config {part!r:.80}, expected a dictionary")
    except ModelError:
        raise
    except Exception as error:  # OSError, ValueError, KeyError, the hub's validation errors, and what configs raise
        raise ModelError(f"model {path!r}: no config could be read: {reason_of(error)}") from error
    if options.hf_overrides:
        config = _overridden(config, options.hf_overrides)
    for each in (config, decoder_config(config)):
        # A checkpoint may name an attention implementation, even one to be fetched from the hub. The engine brings its
        # own, and decides what a forward returns.
        each._attn_implementation = None
        each.return_dict, each.output_hidden_states, each.output_attentions = True, False, False
    return config


def _require_bounded(path: str, values: Mapping[str, Any]) -> None:
    """Raise ModelError for values that transformers uses unchecked: as the length of a list, or as class names."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            _require_bounded(path, value)
        elif name == "architectures":
            if value is not None and not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
                raise ModelError(
                    f"model {path!r}: its config has architectures {value!r:.80}, expected a list of names"
                )
        elif isinstance(value, (int, float)):
            bound = next((bound for part, bound in _BOUNDS.items() if part in name), None)
            if bound is not None and value > bound:
                raise ModelError(f"model {path!r}: its config has {name} {value!r:.80}, expected at most {bound}")


def _overridden(config: PretrainedConfig, overrides: Overrides) -> PretrainedConfig:
    """Apply `hf_overrides`: values by name, or a function that returns the changed config."""
    if not isinstance(overrides, Mapping):
        config = overrides(config)
        if not isinstance(config, PretrainedConfig):
            raise ConfigError(f"LLM: hf_overrides returned {config!r:.80}, expected the config")
        overrides = {}
    for name, value in overrides.items():
        if name == "max_model_len":  # vLLM's name, whatever the config calls the longest sequence
            _set_max_length(config, value)
            continue
        if not hasattr(config, name):
            raise ConfigError(
                f"LLM: hf_overrides has {name!r}, which a config of type {config.model_type!r} does not have"
                + did_you_mean(name, config.to_dict())
            )
        setattr(config, name, value)
    return config


def _set_max_length(config: PretrainedConfig, value: object) -> None:
    if type(value) is not int or value < 1:
        raise ConfigError(f"LLM: hf_overrides has max_model_len={value!r:.80}, expected an integer of 1 or more")
    part = decoder_config(config)
    setattr(part, next((name for name in LENGTHS if getattr(part, name, None)), LENGTHS[0]), value)


def _require_path(path: str) -> None:
    """Raise ModelError for a path that is not a folder with a model, naming what it is instead."""
    looks_local = path.startswith((".", "/", "~")) or path.count("/") > 1 or path.endswith("/")
    folder = Path(path).expanduser()
    if folder.is_file() and _begins_as_gguf(folder):
        raise ModelError(
            f"model {path!r}: its first bytes are a GGUF file's, but its name does not end in .gguf: rename it, or "
            "make a link"
        )
    if folder.exists() and not folder.is_dir():
        kind = {".safetensors": "one file of a checkpoint"}.get(folder.suffix, "a file")
        kind = "a file of pickled weights" if folder.suffix in _PICKLED else kind
        raise ModelError(f"model {path!r}: this is {kind}, expected a folder with config.json and safetensors")
    if looks_local and not folder.exists():
        raise ModelError(f"model {path!r}: there is no such folder")
    if folder.is_dir() and not (folder / "config.json").exists():
        if (folder / CONFIG).exists():
            raise ModelError(
                f"model {path!r}: this is a LoRA adapter{_base_of(folder)}, not a model: load its base with "
                "transformers, activate the adapter with peft, and give LLM the instance"
            )
        _has_safetensors(path, folder)


def _base_of(folder: Path) -> str:
    """The base model that an adapter names, as the end of a phrase."""
    try:
        base = json.loads((folder / CONFIG).read_text(encoding="utf-8")).get("base_model_name_or_path")
    except (OSError, ValueError, AttributeError):
        base = None
    return f" of {base!r:.100}" if isinstance(base, str) and base else ""


def _begins_as_gguf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"GGUF"
    except OSError:  # reported when the file is read
        return False


def _has_safetensors(path: str, folder: Path, wanted: bool | None = None) -> bool:
    """Tell if a folder has safetensors rather than .bin files.

    Raises:
        ModelError: it has neither, but other weights or a config.
    """
    files = [each for each in folder.iterdir() if each.is_file()]
    safetensors = wanted is not False and any(each.suffix == ".safetensors" for each in files)
    bins = wanted is not True and any(each.match(_BIN) for each in files)
    if not safetensors and not bins:
        if gguf := sorted(each.name for each in files if each.suffix == ".gguf"):
            raise ModelError(
                f"model {path!r}: this is a folder of GGUF, expected safetensors: name the file, "
                f"{str(folder / gguf[0])!r}"
            )
        if pickled := sorted(each.name for each in files if each.suffix in _PICKLED):
            raise ModelError(
                f"model {path!r}: its weights are pickled ({pickled[0]}), and reading them may run code; expected "
                f"safetensors: {TO_SAFETENSORS}"
            )
        if (folder / "config.json").exists():
            expected = "pytorch_model.bin" if wanted is False else "safetensors"
            raise ModelError(f"model {path!r}: there are no weights in it, expected {expected}")
    return safetensors or not bins


def _require_inside(path: str, index: Path) -> None:
    """Raise ModelError for an index of weights that names files outside the checkpoint."""
    try:
        names = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        files = sorted(set(names.values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"model {path!r}: {index.name} is not an index of weights: {reason_of(error)}") from error
    folder = index.parent.resolve()
    roots = [folder, *link_roots(folder)]
    for name in files:
        if not isinstance(name, str) or leads_out(name):
            raise ModelError(f"model {path!r}: {index.name} names {name!r}, expected files in the folder")
        place = (folder / name).resolve()
        if not any(place.is_relative_to(root) for root in roots):
            raise ModelError(
                f"model {path!r}: {name} is a link to {str(place)!r}, outside of the folder; copy it there"
            )
