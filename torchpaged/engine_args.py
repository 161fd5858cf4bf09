"""Engine arguments under vLLM's names: torchpaged's own, translated ones, and those that accept only their default.

An option that torchpaged does not support accepts its default in vLLM and raises a `ConfigError` for any other value;
an unknown name raises one that suggests the nearest known name.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from torchpaged.config import EngineConfig, ProfilerConfig
from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.utils import dataclass_flags

_LOAD_FORMATS = ("auto", "hf", "safetensors", "pt", "dummy")
_TOKENIZER_MODES = ("auto", "hf", "slow")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """Options of `LLM` that are not the engine's: where a checkpoint comes from and how it is read. vLLM's names.

    Args:
        revision, code_revision, tokenizer_revision: branch, tag or commit of a hub repository.
        download_dir: folder that caches downloads from the hub.
        hf_token: token for the hub.
        hf_overrides: values that replace those of the checkpoint's config, or a function that edits the config.
        mmproj: llama.cpp's file with the towers of a GGUF file's model, which reads images then; None: it has none.
        load_format: format of the weights: "auto" (safetensors, else .bin), "safetensors", "pt" (.bin, loaded as
            tensors only) or "dummy" (random weights).
        tokenizer_mode: "auto", or "slow" for transformers' tokenizer in Python.
        skip_tokenizer_init: do not load a tokenizer; prompts are token ids.
        use_tqdm_on_load: show a progress bar while weights load.
        override_generation_config: values that replace those of the checkpoint's generation config.
        chat_template: template for `LLM.chat`: Jinja text or a file; None: the tokenizer's.
        profiler_config: what `start_profile` records and where it writes it; a `ProfilerConfig` or a dictionary of its
            fields.
        served_model_name: label of the metrics.
        prepared_cache: keep what this start finds out in the user's cache, for faster starts, and use what an earlier
            one has kept.

    Raises:
        ConfigError: a value is of the wrong type or outside its range.
    """

    revision: str | None = None
    code_revision: str | None = None
    tokenizer_revision: str | None = None
    download_dir: str | None = None
    hf_token: str | bool | None = None
    hf_overrides: Mapping[str, Any] | Callable[[Any], Any] = field(default_factory=dict)
    mmproj: str | Path | None = None
    load_format: str = "auto"
    tokenizer_mode: str = "auto"
    skip_tokenizer_init: bool = False
    use_tqdm_on_load: bool = True
    override_generation_config: Mapping[str, Any] = field(default_factory=dict)
    chat_template: str | Path | None = None
    profiler_config: ProfilerConfig = field(default_factory=ProfilerConfig)
    served_model_name: str | None = None
    prepared_cache: bool = True

    def __post_init__(self) -> None:
        for name, known in (("load_format", _LOAD_FORMATS), ("tokenizer_mode", _TOKENIZER_MODES)):
            self._require(name, getattr(self, name) in known, "one of " + ", ".join(known))
        for name in ("skip_tokenizer_init", "use_tqdm_on_load", "prepared_cache"):
            self._require(name, isinstance(getattr(self, name), bool), "True or False")
        for name in ("revision", "code_revision", "tokenizer_revision", "served_model_name"):
            self._require(name, isinstance(getattr(self, name), (str, type(None))), "a text or None")
        for name in ("download_dir", "chat_template", "mmproj"):
            self._require(name, isinstance(getattr(self, name), (str, Path, type(None))), "a text, a path or None")
        self._require(
            "override_generation_config", isinstance(self.override_generation_config, Mapping), "a dictionary"
        )
        self._require("hf_token", isinstance(self.hf_token, (str, bool, type(None))), "a text, True or None")
        ok = isinstance(self.hf_overrides, Mapping) or callable(self.hf_overrides)
        self._require("hf_overrides", ok, "a dictionary, or a function of a config")

    def _require(self, name: str, condition: bool, expected: str) -> None:
        if not condition:
            raise ConfigError(f"LLM: {name} is {getattr(self, name)!r:.80}, expected {expected}")

    def refuse(self, what: str, *names: str) -> None:
        """Raise a ConfigError if one of these options is set, because `what` leaves no use for it."""
        for name in names:
            if (value := getattr(self, name)) != getattr(NO_OPTIONS, name):
                raise ConfigError(f"LLM: {name} is {value!r:.80}, but {what}; leave it out")

    @property
    def hub(self) -> dict[str, Any]:
        """Arguments for transformers' `from_pretrained` that say where the files come from."""
        given = {"revision": self.revision, "cache_dir": self.download_dir, "token": self.hf_token}
        return {name: value for name, value in given.items() if value is not None}


NO_OPTIONS = LoadOptions()


class Settings(NamedTuple):
    """Arguments as given, sorted into those of `EngineConfig` and the rest."""

    engine: dict[str, Any]
    load: LoadOptions


# By option group, as in `vllm serve --help`; made by `python -m tests.vllm_arguments`.
_VLLM: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("vllm_arguments.json").read_text())["arguments"]

# Values beside vLLM's default that ask for nothing else here, so scripts that set them run unchanged.
_EQUIVALENT: dict[str, tuple[Any, ...]] = {
    "aggregate_engine_logging": (True,),
    "config_format": ("hf",),
    "convert": ("none", "embed"),
    "data_parallel_rank": (0,),
    "data_parallel_size_local": (1,),
    "data_parallel_start_rank": (0,),
    "device_ids": ([0], ["0"]),
    "disable_cascade_attn": (True,),
    "disable_chunked_mm_input": (True,),
    "disable_custom_all_reduce": (True,),
    "disable_hybrid_kv_cache_manager": (False,),
    "disable_log_stats": (True,),
    "disable_nccl_for_dp_synchronization": (True, False),
    "enable_batch_sharded_sampling": (False,),
    "enable_flashinfer_autotune": (True, False),
    "enable_sleep_mode": (True,),  # any engine can sleep
    "ignore_patterns": ("original/**/*",),
    "mamba_backend": ("triton",),
    "mamba_ssm_cache_dtype": ("float32",),  # recurrent states are always float32
    "mm_processor_cache_gb": (0,),
    "model_impl": ("transformers",),
    "runner": ("generate", "pooling"),  # every model that is loaded can do both
    "safetensors_load_strategy": ("auto", "lazy"),
    "scheduler_reserve_full_isl": (False,),
    "skip_mm_profiling": (True,),
    "task": ("auto", "generate", "embed"),  # an option of earlier releases of vLLM
}

# Why an option is not supported, by vLLM's option group or by name; the name has precedence.
REASONS: dict[str, str] = {
    "KernelConfig": "kernels are torchpaged's operators; TORCHPAGED_BACKEND selects among their backends",
    "LoRAConfig": "adapters are in the model's dtype and may have any of its linear modules",
    "LoadConfig": "models are transformers'; its own code is what runs",
    "MambaConfig": "recurrent states are float32; see state_checkpoint_interval and state_checkpoint_memory",
    "MultiModalConfig": "images and sounds are read by the checkpoint's own processor (docs/images.md)",
    "ObservabilityConfig": "metrics are always collected: see stats() and get_metrics()",
    "OffloadConfig": "weights stay on the device; blocks leave it by prefix_cache_host_gb",
    "ParallelConfig": "tensor_parallel_size divides a model over processes, nothing else does",
    "SchedulerConfig": "there is one scheduler, without limits on the waiting queue",
    "StructuredOutputsConfig": "the server parses reasoning with the tokenizer's response_template",
    **dict.fromkeys(("convert", "runner", "task"), "any decoder generates and embeds; a classifier's config says so"),
    "logprobs_mode": "log probabilities are those of the raw logits, before temperature and penalties",
    "model_impl": "models are transformers'; its own code is what runs",
    "weight_transfer_config": "init_weight_transfer_engine and update_weights say how weights come",
    **dict.fromkeys(("spec_method", "spec_model", "spec_tokens"), "set speculative_config instead"),
}


def _profiler(value: Any) -> dict[str, Any]:
    """Accept a `ProfilerConfig`, or a dictionary of its fields."""
    if isinstance(value, Mapping):
        known = ProfilerConfig.__dataclass_fields__
        if unknown := [name for name in value if name not in known and value[name]]:
            hint = did_you_mean(str(unknown[0]), known)
            raise ConfigError(f"LLM: profiler_config has {unknown[0]!r}, expected {', '.join(known)}{hint}")
        value = ProfilerConfig(**{name: each for name, each in value.items() if name in known})
    if not isinstance(value, ProfilerConfig):
        raise ConfigError(
            f"LLM: profiler_config is {value!r:.80}, expected a ProfilerConfig or a dictionary of its fields"
        )
    return {"profiler_config": value}


def _compilation(value: Any) -> dict[str, Any]:
    """Translate the mode of vLLM's CompilationConfig: 0 is eager, 3 the default."""
    mode = value.get("mode", value.get("level", 3)) if isinstance(value, Mapping) and len(value) == 1 else value
    if mode not in (0, 3):
        raise ConfigError(
            f"LLM: compilation_config is {value!r:.80}, expected 0 (eager) or 3 (the default); compile, "
            "compile_backend and cudagraph_capture_sizes set the rest"
        )
    return {"enforce_eager": True} if mode == 0 else {}


def _optimization(value: Any) -> dict[str, Any]:
    if value not in (0, 1, 2, 3):
        raise ConfigError(f"LLM: optimization_level is {value!r:.80}, expected 0 (eager) to 3")
    return {"enforce_eager": True} if value == 0 else {}


def _max_logprobs(value: Any) -> dict[str, Any]:
    if not isinstance(value, int) or value < -1:
        raise ConfigError(f"LLM: max_logprobs is {value!r:.80}, expected an integer; torchpaged has no limit")
    return {}


def _log_level(value: Any) -> dict[str, Any]:
    """Set the level of the package's loggers."""
    level = logging.getLevelName(value.upper()) if isinstance(value, str) else None
    if not isinstance(level, int):
        raise ConfigError(f"LLM: log_level is {value!r:.80}, expected debug, info, warning, error or critical")
    logging.getLogger("torchpaged").setLevel(level)
    return {}


def _limit_of_media(value: Any) -> dict[str, Any]:
    """Translate the limits of items. vLLM takes dictionaries with sizes too, which matter to its profiling alone."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"LLM: limit_mm_per_prompt is {value!r:.80}, expected a dictionary of limits")
    counts = {name: each.get("count", 999) if isinstance(each, Mapping) else each for name, each in value.items()}
    return {"limit_mm_per_prompt": counts} if counts else {}


def _language_model_only(value: Any) -> dict[str, Any]:
    if not isinstance(value, bool):
        raise ConfigError(f"LLM: language_model_only is {value!r:.80}, expected True or False")
    return {"limit_mm_per_prompt": {"image": 0, "audio": 0, "video": 0}} if value else {}


# Options with a meaning here under another name or with other values: each gives settings of torchpaged's own.
TRANSLATED: dict[str, Callable[[Any], dict[str, Any]]] = {
    "num_gpu_blocks_override": lambda value: {"num_blocks": value},
    "kv_offloading_size": lambda value: {} if value is None else {"prefix_cache_host_gb": value},
    "generation_config": lambda value: {"generation_config": "ignore" if value == "vllm" else value},
    "served_model_name": lambda value: {"served_model_name": value[0] if isinstance(value, (list, tuple)) else value},
    "profiler_config": _profiler,
    "compilation_config": _compilation,
    "optimization_level": _optimization,
    "max_logprobs": _max_logprobs,
    "limit_mm_per_prompt": _limit_of_media,
    "language_model_only": _language_model_only,
    "log_level": _log_level,
}

_ENGINE = EngineConfig.__dataclass_fields__.keys()
_LOAD = LoadOptions.__dataclass_fields__.keys()
_MODEL = ("model", "tokenizer")
_SUPPORTED = {*_ENGINE, *_LOAD, *TRANSLATED, *_MODEL}


def _unsupported() -> dict[str, tuple[Any, ...]]:
    """Return the values that each unsupported option accepts, its default in vLLM first."""
    defaults = {"task": None, **{name: value for group in _VLLM.values() for name, value in group.items()}}
    return {name: (value, *_EQUIVALENT.get(name, ())) for name, value in defaults.items() if name not in _SUPPORTED}


UNSUPPORTED = _unsupported()
KNOWN = tuple(dict.fromkeys([*_ENGINE, *_LOAD, *TRANSLATED, *UNSUPPORTED]))


def reason(name: str) -> str:
    """Return why an option of vLLM is not supported."""
    group = next((group for group, names in _VLLM.items() if name in names), "")
    return REASONS.get(name) or REASONS.get(group) or "torchpaged does not support this option of vLLM"


def read_settings(given: Mapping[str, Any]) -> Settings:
    """Translate arguments under torchpaged's names or vLLM's; None is the same as not given.

    Raises:
        ConfigError: a name is unknown, or an unsupported option is set to anything but its default.
    """
    meant: dict[str, Any] = {}
    for name, value in given.items():
        if value is None and name in KNOWN:
            continue
        for ours, means in (TRANSLATED[name](value) if name in TRANSLATED else _own(name, value)).items():
            if ours in meant and meant[ours] != means:
                raise ConfigError(f"LLM: {name} is {value!r:.80}, but {ours} is already set to {meant[ours]!r:.80}")
            meant[ours] = means
    load = LoadOptions(**{name: value for name, value in meant.items() if name in _LOAD and value is not None})
    return Settings({name: value for name, value in meant.items() if name in _ENGINE}, load)


def require_valid(given: Mapping[str, Any]) -> None:
    """Check settings without torch, before anything is loaded.

    Raises:
        ConfigError: as `read_settings`, or a value is out of its range.
    """
    EngineConfig(**read_settings(given).engine)


def _own(name: str, value: Any) -> dict[str, Any]:
    """Return one of torchpaged's own settings, or nothing for an unsupported option that keeps its default."""
    if name in _ENGINE or name in _LOAD:
        return {name: value}
    if name not in UNSUPPORTED:
        hint = did_you_mean(name, KNOWN)
        raise ConfigError(f"LLM: unknown setting {name!r}{hint or ', expected one of ' + ', '.join(_ENGINE)}")
    accepted = UNSUPPORTED[name]
    # In Python True == 1, but a size of True is a mistake.
    if _is_empty(value) or any(
        isinstance(value, bool) is isinstance(each, bool) and value == each for each in accepted
    ):
        return {}
    expected = " or ".join(repr(each) for each in accepted if each is not None) or "None"
    raise ConfigError(f"LLM: {name} is {value!r:.80}, expected {expected}: {reason(name)}")


def _is_empty(value: Any) -> bool:
    return isinstance(value, (str, Mapping, list, tuple, set, frozenset)) and not value


def _default(name: str) -> Any:
    """Return an unsupported option's default; None for others, whose default `EngineConfig` or `LoadOptions` has."""
    return UNSUPPORTED[name][0] if name in UNSUPPORTED else None


class _Arguments:
    """The methods of `EngineArgs`."""

    def settings(self) -> dict[str, Any]:
        """Return all arguments that are not None, without the model and its tokenizer."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if value is not None and name not in _MODEL}

    @staticmethod
    def add_cli_args(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
        """Add an option for each argument, under its name with hyphens; the result is for `from_cli_args` or `LLM`.

        Options that the parser has already are left as they are.
        """
        group = parser.add_argument_group("engine")
        group.add_argument(
            "--model", default=None, help="folder or hub id of a transformers checkpoint, or a GGUF file"
        )
        group.add_argument("--tokenizer", default=None, help="folder or hub id (default: the model's)")
        annotations = {each.name: str(each.type) for kind in (EngineConfig, LoadOptions) for each in fields(kind)}
        for name in KNOWN:
            kind = annotations.get(name) or type(_default(name)).__name__
            taken = f"--{name.replace('_', '-')}" in parser._option_string_actions  # argparse has no public list
            if taken or kind.startswith("Callable"):  # a function cannot be given on a command line
                continue
            dataclass_flags.add(group, name, kind, default=_default(name), help="")
        return parser

    @classmethod
    def from_cli_args(cls, arguments: argparse.Namespace) -> Any:
        """Make the arguments from what `add_cli_args` has parsed; the parser's other options are ignored."""
        names = [each.name for each in fields(cls) if hasattr(arguments, each.name)]  # type: ignore[arg-type]
        return cls(**{name: getattr(arguments, name) for name in names})


# Supported options default to None, which means not given; `LLM(**asdict(args))` therefore sets only what was given.
EngineArgs: Any = make_dataclass(
    "EngineArgs",
    [(name, Any, field(default=None)) for name in _MODEL]
    + [(name, Any, field(default_factory=partial(_default, name))) for name in KNOWN],
    bases=(_Arguments,),
    namespace={
        "__doc__": "vLLM's engine arguments, for `LLM.from_engine_args` and `LLMEngine.from_engine_args`, with all "
        "fields of `EngineConfig` and `LoadOptions`. None: not given.",
        "__module__": __name__,
    },
)
