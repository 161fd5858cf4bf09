"""vLLM's engine arguments: which are ours, which mean something of ours, which have one value here, and why.

A name that neither has is refused with the nearest; a value that would change nothing here is taken.
"""

from __future__ import annotations

import argparse
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
    """How a checkpoint is found and read, and what `LLM` is told beside the engine's settings. Names are vLLM's.

    Args:
        revision, code_revision, tokenizer_revision: of a hub id: a branch, tag or commit.
        download_dir: where what comes from the hub is kept.
        hf_token: for the hub.
        hf_overrides: values of the checkpoint's config that are others than in its file, or what changes a config.
        load_format: of the weights: "auto" (safetensors, else .bin), "safetensors", "pt" (.bin, read as data) or
            "dummy" (random numbers).
        tokenizer_mode: "auto", or "slow" for transformers' tokenizer in Python.
        skip_tokenizer_init: without a tokenizer: prompts are tokens.
        use_tqdm_on_load: show progress while the weights are read.
        override_generation_config: values of the generation config that are others than in its file.
        chat_template: of `LLM.chat`: a Jinja template or a file with one; None: the tokenizer's.
        profiler_config: what `start_profile` records, and where it is written; or a dictionary of its fields.
        served_model_name: the label of metrics.

    Raises:
        ConfigError: a value of another kind.
    """

    revision: str | None = None
    code_revision: str | None = None
    tokenizer_revision: str | None = None
    download_dir: str | None = None
    hf_token: str | bool | None = None
    hf_overrides: Mapping[str, Any] | Callable[[Any], Any] = field(default_factory=dict)
    load_format: str = "auto"
    tokenizer_mode: str = "auto"
    skip_tokenizer_init: bool = False
    use_tqdm_on_load: bool = True
    override_generation_config: Mapping[str, Any] = field(default_factory=dict)
    chat_template: str | Path | None = None
    profiler_config: ProfilerConfig = field(default_factory=ProfilerConfig)
    served_model_name: str | None = None

    def __post_init__(self) -> None:
        for name, known in (("load_format", _LOAD_FORMATS), ("tokenizer_mode", _TOKENIZER_MODES)):
            self._require(name, getattr(self, name) in known, "one of " + ", ".join(known))
        for name in ("skip_tokenizer_init", "use_tqdm_on_load"):
            self._require(name, isinstance(getattr(self, name), bool), "True or False")
        for name in ("revision", "code_revision", "tokenizer_revision", "served_model_name"):
            self._require(name, isinstance(getattr(self, name), (str, type(None))), "a text or None")
        for name in ("download_dir", "chat_template"):
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
        """Raises ConfigError where one of these was asked for, which a model of this kind has no use for."""
        for name in names:
            if (value := getattr(self, name)) != getattr(NO_OPTIONS, name):
                raise ConfigError(f"LLM: {name} is {value!r:.80}, but {what}; leave it out")

    @property
    def hub(self) -> dict[str, Any]:
        """What transformers is told of where a model comes from."""
        given = {"revision": self.revision, "cache_dir": self.download_dir, "token": self.hf_token}
        return {name: value for name, value in given.items() if value is not None}


NO_OPTIONS = LoadOptions()


class Settings(NamedTuple):
    """What was asked for: of the engine, and beside it."""

    engine: dict[str, Any]
    load: LoadOptions


class _Fixed(NamedTuple):
    """An argument that has no choice here: the values that change nothing, and why there are no others."""

    values: tuple[Any, ...]
    reason: str


def _fixed(reason: str, **arguments: Any) -> dict[str, _Fixed]:
    """Each with vLLM's default, and where it is a tuple with other values that mean the same here."""
    values = {name: value if isinstance(value, tuple) else (value,) for name, value in arguments.items()}
    return {name: _Fixed(each, reason) for name, each in values.items()}


FIXED: dict[str, _Fixed] = {
    **_fixed(
        "one process computes the model, on one device",
        tensor_parallel_size=1,
        pipeline_parallel_size=1,
        data_parallel_size=1,
        prefill_context_parallel_size=1,
        decode_context_parallel_size=1,
        distributed_executor_backend=(None, "uni"),
        nnodes=1,
        node_rank=0,
        master_addr="127.0.0.1",
        master_port=29501,
        distributed_timeout_seconds=None,
        cpu_distributed_timeout_seconds=None,
        numa_bind=False,
        numa_bind_nodes=None,
        numa_bind_cpus=None,
        device_ids=(None, [0], ["0"]),
        dcp_comm_backend=None,
        dcp_q_replicate=None,
        dcp_kv_cache_interleave_size=1,
        cp_kv_cache_interleave_size=None,
        data_parallel_rank=(None, 0),
        data_parallel_start_rank=(None, 0),
        data_parallel_size_local=(None, 1),
        data_parallel_address=None,
        data_parallel_rpc_port=None,
        data_parallel_hybrid_lb=False,
        data_parallel_external_lb=False,
        data_parallel_multi_port_external_lb=False,
        data_parallel_backend="mp",
        enable_hc_sp=False,
        enable_expert_parallel=(False, True),  # over one rank there is nothing to divide
        enable_batch_sharded_sampling=(None, False),
        enable_ep_weight_filter=False,
        all2all_backend="allgather_reducescatter",
        enable_elastic_ep=False,
        elastic_ep_max_dp_size=None,
        enable_dbo=False,
        ubatch_size=0,
        dbo_decode_token_threshold=32,
        dbo_prefill_token_threshold=512,
        dp_sync_interval=16,
        disable_nccl_for_dp_synchronization=(None, True, False),
        disable_custom_all_reduce=(False, True),
        eplb_config=None,
        enable_eplb=False,
        expert_placement_strategy="linear",
        max_parallel_loading_workers=None,
        ray_workers_use_nsight=False,
        worker_cls="auto",
        worker_extension_cls="",
        enable_nccl_comm_suspend=False,
        enable_shm_tensor_arena=False,
    ),
    **_fixed(
        "any decoder generates and embeds; one that classifies says so in its checkpoint",
        runner=("auto", "generate", "pooling"),
        convert=("auto", "none", "embed"),
        task=("auto", "generate", "embed"),
        io_processor_plugin=None,
        tokens_only=False,
        diffusion_config=None,
    ),
    **_fixed(
        "models are transformers'; its own code is what runs",
        model_impl=("auto", "transformers"),
        model_class_overrides=None,
        config_format=("auto", "hf"),
        hf_config_path=None,
        model_weights="",
        model_loader_extra_config=None,
        ignore_patterns=(["original/**/*"], "original/**/*"),
        pt_load_map_location="cpu",
        safetensors_load_strategy=(None, "auto", "lazy"),
        safetensors_prefetch_num_threads=None,
        safetensors_prefetch_block_size=None,
        enable_return_routed_experts=False,
        fail_on_environ_validation=False,
        additional_config=None,
        engram_config=None,
        aux_output_config=None,
    ),
    **_fixed(
        "the model reads texts and tokens only",
        allowed_local_media_path="",
        allowed_media_domains=None,
        language_model_only=(False, True),
        enable_mm_embeds=False,
        interleave_mm_strings=False,
        media_io_kwargs=None,
        mm_processor_kwargs=None,
        mm_processor_cache_gb=(4, 0),
        mm_processor_cache_type="lru",
        mm_hasher_algorithm="blake3",
        mm_shm_cache_max_object_size_mb=128,
        mm_encoder_only=False,
        mm_encoder_tp_mode="weights",
        mm_encoder_attn_backend=None,
        mm_encoder_attn_dtype=None,
        mm_encoder_fp8_scale_path=None,
        mm_encoder_fp8_scale_save_path=None,
        mm_encoder_fp8_scale_save_margin=1.5,
        skip_mm_profiling=(False, True),
        video_pruning_rate=None,
        video_pruning_method="evs",
        mm_tensor_ipc="direct_rpc",
        mm_processor_device="auto",
        mm_ipc_gpu_memory_gb=0,
        mm_device_do_normalize=(None, True),
        disable_chunked_mm_input=(False, True),
        enable_mm_processor_stats=False,
        renderer_num_workers=1,
        ec_transfer_config=None,
        ec_manager_config=None,
    ),
    **_fixed(
        "adapters are the model's own: activate one with peft on a model instance",
        enable_lora=False,
        max_loras=1,
        max_lora_rank=16,
        default_mm_loras=None,
        fully_sharded_loras=False,
        max_cpu_loras=None,
        lora_dtype="auto",
        lora_target_modules=None,
        enable_tower_connector_lora=False,
        specialize_active_lora=False,
        enable_mixed_moe_lora_format=False,
        enable_moe_shared_loras=False,
        max_lora_cls_labels=None,
    ),
    **_fixed(
        "speculative_config says it all, and stats() what came of it",
        spec_method=None,
        spec_model=None,
        spec_tokens=None,
        per_request_spec_decode_metrics="none",
    ),
    **_fixed(
        "grammars need no setting; reasoning is read by the tokenizer's response_template, in the server",
        structured_outputs_config=None,
        reasoning_parser="",
        reasoning_parser_plugin=None,
        reasoning_config=None,
    ),
    **_fixed(
        "weights and pool stay on the device",
        cpu_offload_gb=0,
        cpu_offload_params=None,
        offload_backend="auto",
        offload_group_size=0,
        offload_num_in_group=1,
        offload_prefetch_step=1,
        offload_params=None,
        enable_sleep_mode=False,
        sleep_mode_offload_cudagraph=False,
        sleep_preserve_parameter_names=None,
        enable_cumem_allocator=False,
        kv_offloading_size=None,
        kv_offloading_backend="native",
        kv_transfer_config=None,
        kv_events_config=None,
        weight_transfer_config=None,
    ),
    **_fixed(
        "the cache is made of the layers as they are: blocks by kind of layer, found by sha256",
        prefix_caching_hash_algo="sha256",
        prefix_cache_retention_interval=(None, 0),
        prefix_match_unit=None,
        disable_sliding_window=False,
        disable_cascade_attn=(None, True),
        disable_hybrid_kv_cache_manager=(None, False),
        kv_cache_dtype_skip_layers=None,
        kv_sharing_fast_prefill=False,
        swa_bounded_replay=True,
    ),
    **_fixed(
        "states are float32, kept at multiples of 64 tokens; state_checkpoint_interval and _memory say more",
        mamba_config=None,
        mamba_cache_dtype="auto",
        mamba_ssm_cache_dtype=("auto", "float32"),
        mamba_block_size=None,
        mamba_cache_mode="none",
        enable_mamba_shared_prefix_checkpoint=False,
        replayssm_buffer_len=16,
        use_replayssm=False,
        mamba_backend=(None, "triton"),
        mamba_ssu_algorithm=None,
        enable_mamba_cache_stochastic_rounding=False,
        mamba_cache_philox_rounds=0,
        gdn_prefill_backend=None,
        kda_prefill_backend=None,
        kda_decode_backend=None,
    ),
    **_fixed(
        "kernels are torchpaged's operators; TORCHPAGED_BACKEND chooses among theirs",
        attention_backend=None,
        attention_config=None,
        kernel_config=None,
        ir_op_priority=None,
        moe_backend="auto",
        linear_backend="auto",
        sparse_indexer_topk_backend="auto",
        enable_flashinfer_autotune=(None, True, False),
        use_fp64_gumbel=False,
        max_cudagraph_capture_size=None,
        performance_mode="balanced",
        quantization_config=None,
        allow_deprecated_quantization=False,
    ),
    **_fixed(
        "the scheduler is one: it fills a step with what fits, without a limit on who waits",
        scheduler_cls=None,
        max_num_scheduled_tokens=None,
        max_num_active_seqs=None,
        max_num_queued_reqs=None,
        max_num_queued_tokens=None,
        long_prefill_token_threshold_adaptive=False,
        scheduler_reserve_full_isl=(True, False),
        prefill_schedule_interval=1,
        stream_interval=1,
        shutdown_timeout=0,
        fault_tolerance_config=None,
        enable_fault_tolerance=False,
    ),
    **_fixed(
        "log probabilities are the model's own, before temperature and penalties, as many as are asked for",
        logprobs_mode="raw_logprobs",
        return_sampling_mask=False,
        enable_trace_replay=False,
        watermark_config=None,
    ),
    **_fixed(
        "what is counted is counted always: stats() and get_metrics()",
        disable_log_stats=(False, True),
        aggregate_engine_logging=(False, True),
        logging_config=None,
        log_config_file=None,
        show_hidden_metrics_for_version=None,
        otlp_traces_endpoint=None,
        collect_detailed_traces=None,
        kv_cache_metrics=False,
        kv_cache_metrics_sample=0.01,
        custom_histogram_buckets=None,
        cudagraph_metrics=False,
        enable_layerwise_nvtx_tracing=False,
        enable_mfu_metrics=False,
        enable_logging_iteration_details=False,
        jit_monitor_mode="warn",
        jit_monitor_verbose=False,
    ),
}


def _profiler(value: Any) -> dict[str, Any]:
    """A `ProfilerConfig`, or a dictionary of its fields."""
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
    """vLLM's CompilationConfig as far as it says whether: 0 is eager, 3 the default."""
    mode = value.get("mode", value.get("level", 3)) if isinstance(value, Mapping) and len(value) == 1 else value
    if mode not in (0, 3):
        raise ConfigError(
            f"LLM: compilation_config is {value!r:.80}, expected 0 (eager) or 3 (the default); compile, "
            "compile_backend and cudagraph_capture_sizes say the rest"
        )
    return {"enforce_eager": True} if mode == 0 else {}


def _optimization(value: Any) -> dict[str, Any]:
    if value not in (0, 1, 2, 3):
        raise ConfigError(f"LLM: optimization_level is {value!r:.80}, expected 0 (eager) to 3")
    return {"enforce_eager": True} if value == 0 else {}


def _max_logprobs(value: Any) -> dict[str, Any]:
    if not isinstance(value, int) or value < -1:
        raise ConfigError(f"LLM: max_logprobs is {value!r:.80}, expected an integer; there is no limit here")
    return {}


def _log_level(value: Any) -> dict[str, Any]:
    """The level of the package's loggers, which is set at once."""
    level = logging.getLevelName(value.upper()) if isinstance(value, str) else None
    if not isinstance(level, int):
        raise ConfigError(f"LLM: log_level is {value!r:.80}, expected debug, info, warning, error or critical")
    logging.getLogger("torchpaged").setLevel(level)
    return {}


def _limit_of_media(value: Any) -> dict[str, Any]:
    """Any limit: a prompt has no images, nor other media."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"LLM: limit_mm_per_prompt is {value!r:.80}, expected a dictionary of limits")
    return {}


# What means something of ours under another name or in other words.
MEANT: dict[str, Callable[[Any], dict[str, Any]]] = {
    "num_gpu_blocks_override": lambda value: {"num_blocks": value},
    "generation_config": lambda value: {"generation_config": "ignore" if value == "vllm" else value},
    "served_model_name": lambda value: {"served_model_name": value[0] if isinstance(value, (list, tuple)) else value},
    "profiler_config": _profiler,
    "compilation_config": _compilation,
    "optimization_level": _optimization,
    "max_logprobs": _max_logprobs,
    "limit_mm_per_prompt": _limit_of_media,
    "log_level": _log_level,
}

_ENGINE = EngineConfig.__dataclass_fields__.keys()
_LOAD = LoadOptions.__dataclass_fields__.keys()
KNOWN = tuple(dict.fromkeys([*_ENGINE, *_LOAD, *MEANT, *FIXED]))


def read_settings(given: Mapping[str, Any]) -> Settings:
    """Settings by our names or vLLM's; None is as if it had not been given.

    Raises:
        ConfigError: a name that neither has, or a value that cannot be had here.
    """
    meant: dict[str, Any] = {}
    for name, value in given.items():
        if value is None and name in KNOWN:
            continue
        for ours, means in (MEANT[name](value) if name in MEANT else _own(name, value)).items():
            if ours in meant and meant[ours] != means:
                raise ConfigError(f"LLM: {name} is {value!r:.80}, but {ours} was said to be {meant[ours]!r:.80}")
            meant[ours] = means
    load = LoadOptions(**{name: value for name, value in meant.items() if name in _LOAD and value is not None})
    return Settings({name: value for name, value in meant.items() if name in _ENGINE}, load)


def _own(name: str, value: Any) -> dict[str, Any]:
    """A setting of ours as it is, none for a value that changes nothing."""
    if name in _ENGINE or name in _LOAD:
        return {name: value}
    if name not in FIXED:
        hint = did_you_mean(name, KNOWN)
        raise ConfigError(f"LLM: unknown setting {name!r}{hint or ', expected one of ' + ', '.join(_ENGINE)}")
    values, reason = FIXED[name]
    if any(isinstance(value, bool) is isinstance(each, bool) and value == each for each in values) or _is_empty(value):
        return {}
    allowed = " or ".join(repr(each) for each in values if each is not None) or "none"
    raise ConfigError(f"LLM: {name} is {value!r:.80}, expected {allowed}: {reason}")


def _is_empty(value: Any) -> bool:
    return isinstance(value, (str, Mapping, list, tuple, set, frozenset)) and not value


def _default(name: str) -> Any:
    """None for what is ours: as `EngineConfig` has it."""
    return FIXED[name].values[0] if name in FIXED and name not in _ENGINE else None


class _Arguments:
    """The methods of `EngineArgs`."""

    def settings(self) -> dict[str, Any]:
        """What was said of the engine: all but the model and its tokenizer, less what is None."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if value is not None and name not in _MODEL}

    @staticmethod
    def add_cli_args(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
        """An option for each argument, its name with hyphens. What is parsed goes to `from_cli_args`, or to `LLM`.

        An option that the parser has already stays its own.
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
            if taken or kind.startswith("Callable"):  # no word says a function
                continue
            dataclass_flags.add(group, name, kind, default=_default(name), help="")
        return parser

    @classmethod
    def from_cli_args(cls, arguments: argparse.Namespace) -> Any:
        """Of what `add_cli_args` has parsed; words of other options are passed by."""
        names = [each.name for each in fields(cls) if hasattr(arguments, each.name)]  # type: ignore[arg-type]
        return cls(**{name: getattr(arguments, name) for name in names})


_MODEL = ("model", "tokenizer")

# Its fields are the table's names; each None unless it is fixed here, so that `LLM(**asdict(args))` says what was said.
EngineArgs: Any = make_dataclass(
    "EngineArgs",
    [(name, Any, field(default=None)) for name in _MODEL]
    + [(name, Any, field(default_factory=partial(_default, name))) for name in KNOWN],
    bases=(_Arguments,),
    namespace={
        "__doc__": "vLLM's engine arguments, for `LLM.from_engine_args` and `LLMEngine.from_engine_args`; those of "
        "`EngineConfig` and `LoadOptions` among them. None: not said.",
        "__module__": __name__,
    },
)
