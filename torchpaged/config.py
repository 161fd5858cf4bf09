"""EngineConfig: every setting of the engine, validated once and then trusted."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.kv_cache.block import EvictionPolicy, RetainingQueue
from torchpaged.pooling_params import PoolerConfig
from torchpaged.speculative_config import SpeculativeConfig

# Images that are kept by default where layers attend to them.
_KEPT_IMAGES = 8
_DTYPES = {
    "auto": "auto",
    "float32": "float32",
    "float": "float32",
    "float16": "float16",
    "half": "float16",
    "bfloat16": "bfloat16",
}

# Default of `prefix_cache_disk_gb`, and so not refused without a directory.
_DISK_GB = 10.0
_SHORT_DTYPES = {"fp32": "float32", "f32": "float32", "fp16": "float16", "f16": "float16", "bf16": "bfloat16"}

POLICIES = ("fcfs", "priority")
PREFIX_CACHE_WRITES = ("evict", "through")
PREEMPTION_MODES = ("auto", "swap", "recompute")
# Names of cache dtypes and torch's names for them; None: the model's dtype.
KV_CACHE_DTYPES = {
    "auto": None,
    "fp8": "float8_e4m3fn",
    "fp8_e4m3": "float8_e4m3fn",
    "fp8_e5m2": "float8_e5m2",
    "int8": "int8",
    "int4": "uint8",  # as ops/int4_cache.py packs them
}
# Named quantisation schemes; `LLM.quantize` takes any config of torchao too.
QUANTIZATIONS = ("int8", "int8-dynamic", "int4", "int4-g128", "int4-hq")
# vLLM's largest choice of max_lora_rank.
LARGEST_LORA_RANK = 512


class _ModelLimits(Protocol):
    """The part of `torchpaged.models.model.ModelSpec` that settings are checked against."""

    @property
    def max_model_len(self) -> int: ...
    @property
    def eager_only(self) -> str | None: ...
    @property
    def is_encoder(self) -> bool: ...
    @property
    def media_sizes(self) -> tuple[int, int]: ...
    @property
    def device(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class _SchedulerView:
    """Scheduling limits for logits processors, under vLLM's names."""

    max_num_seqs: int
    max_num_batched_tokens: int


@dataclass(frozen=True, slots=True)
class ModelView:
    """Facts about the model for logits processors, under vLLM's names."""

    model: str
    max_model_len: int
    vocab_size: int
    dtype: str = "auto"
    hf_config: Any = None  # transformers' config; None for other models, and in the view that logits processors get
    tokenizer: Any = None  # None in the same cases

    def get_vocab_size(self) -> int:
        """Return the number of tokens."""
        return self.vocab_size


@dataclass(frozen=True, slots=True)
class _CacheView:
    """Facts about the cache for logits processors, under vLLM's names."""

    block_size: int
    enable_prefix_caching: bool
    num_gpu_blocks: int | None


@dataclass(frozen=True, slots=True)
class VllmConfig:
    """The configuration as `LLMEngine.vllm_config` and logits processors see it, in the shape of vLLM's VllmConfig.

    Args:
        engine_config: all settings.
        speculative_config: None: no speculative decoding.
    """

    scheduler_config: _SchedulerView
    model_config: ModelView
    engine_config: EngineConfig
    cache_config: _CacheView
    speculative_config: SpeculativeConfig | None

    @classmethod
    def of(cls, spec: Any, config: EngineConfig, *, hf_config: Any = None, tokenizer: Any = None) -> VllmConfig:
        """Build the view of a `ModelSpec` and resolved settings."""
        longest = config.max_model_len or spec.max_model_len
        dtype = str(spec.dtype).removeprefix("torch.")
        return cls(
            _SchedulerView(config.max_num_seqs, config.max_num_batched_tokens),
            ModelView(spec.name, longest, spec.vocab_size, dtype, hf_config, tokenizer),
            config,
            _CacheView(config.block_size, config.enable_prefix_caching, config.num_blocks),
            config.speculation,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilerConfig:
    """Settings of `LLM.start_profile`. Names follow vLLM's.

    Args:
        profiler: "torch", or None as long as no folder is named.
        torch_profiler_dir: folder for traces.
        delay_iterations: engine steps after `start_profile` that are not recorded.
        max_iterations: maximum number of recorded steps; 0: all until `stop_profile`.
        torch_profiler_record_shapes, torch_profiler_with_memory, torch_profiler_with_stack, torch_profiler_with_flops:
            options of `torch.profiler.profile`.

    Raises:
        ConfigError: a value has the wrong type.
    """

    profiler: str | None = None
    torch_profiler_dir: str = ""
    delay_iterations: int = 0
    max_iterations: int = 0
    torch_profiler_record_shapes: bool = False
    torch_profiler_with_memory: bool = False
    torch_profiler_with_stack: bool = False
    torch_profiler_with_flops: bool = False

    def __post_init__(self) -> None:
        self._require("profiler", self.profiler in ("torch", None), "'torch' or None")
        self._require("torch_profiler_dir", isinstance(self.torch_profiler_dir, (str, os.PathLike)), "a folder")
        for name in ("delay_iterations", "max_iterations"):
            value = getattr(self, name)
            self._require(name, type(value) is int and value >= 0, "steps, 0 or more")
        for name in ("record_shapes", "with_memory", "with_stack", "with_flops"):
            self._require(
                f"torch_profiler_{name}", type(getattr(self, f"torch_profiler_{name}")) is bool, "True or False"
            )

    def _require(self, name: str, condition: bool, expected: str) -> None:
        if not condition:
            raise ConfigError(f"ProfilerConfig: {name} is {getattr(self, name)!r:.80}, expected {expected}")

    @property
    def options(self) -> dict[str, bool]:
        """Keyword arguments for `torch.profiler.profile`."""
        return {
            "record_shapes": self.torch_profiler_record_shapes,
            "profile_memory": self.torch_profiler_with_memory,
            "with_stack": self.torch_profiler_with_stack,
            "with_flops": self.torch_profiler_with_flops,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineConfig:
    """Settings of an engine. Names follow vLLM's.

    Args:
        dtype: dtype of weights, activations and cache: "auto" (the checkpoint's), "float32", "float16" or "bfloat16".
        device: "auto" (CUDA if available, else the CPU), "cpu", "cuda", "cuda:1", ...
        tensor_parallel_size: ranks, processes that divide weights and cache (docs/distributed.md); on CUDA each has a
            device of its own. A process that torchrun has started is one of them.
        enable_expert_parallel: give each rank some experts of a mixture, instead of a part of each; without effect on
            one rank. Refused for a model without experts.
        distributed_executor_backend: what starts the ranks: torchrun, or else torch.multiprocessing ("mp", None) or Ray
            ("ray").
        max_model_len: maximum tokens of prompt and completion together; None: the limit of the model's config.
        max_num_seqs: maximum number of sequences that run at once.
        max_num_batched_tokens: maximum tokens per step; longer prompts are computed in chunks.
        long_prefill_token_threshold: maximum tokens of one prompt per step; 0: the whole budget.
        max_step_ms: target for the longest step that computes prompts beside decoding sequences, in milliseconds.
            Prompts are cut to fit, by the measured time of earlier steps; decoding sequences always get their token,
            and prompts at least a quarter of the time. Prompts alone in a step are not cut. None or 0: no limit.
        block_size: tokens per block of the cache.
        kv_cache_dtype: dtype of the cache: "auto" (as `dtype`), or "fp8" (also "fp8_e4m3"), "fp8_e5m2" or "int8" with a
            scale per token and head, which halves the bytes of a 16-bit cache; on the CPU also "int4" with a scale per
            32 numbers, 4.5 bits a number.
        quantization: scheme for the weights of the layers' linear modules, applied when the engine is made: "int8" (one
            scale per output channel), "int8-dynamic" (activations too, one scale per token), "int4" (one scale per 32
            weights, calibrated with the layer's inputs for some text), "int4-g128" (one per 128: fewer bytes) or
            "int4-hq" (with zero points, and columns that compensate others' errors: it takes a minute and is closer to
            the float model); None: none. On the CPU the C++ library multiplies with them: activations are int8 with a
            scale per group of a weight, or per 128 values of a token, and the head, with an embedding tied to it, is
            int8. Both int8 schemes, and "int4" on a GPU, go through torchao.
        num_blocks: blocks in the pool, the null block included; None: as many as fit into memory. On a CPU a pool of a
            given size may be used whatever other processes leave, and one of None leaves them room
            (`gpu_memory_utilization`).
        kv_cache_memory_bytes: size of the pool, instead of `num_blocks`; None: as much as fits into memory.
        num_state_slots: slots for states of recurrent layers, the null slot included; None: two per sequence of
            max_num_seqs, and as many checkpoints as `state_checkpoint_memory` has room for.
        state_checkpoint_memory: share of the pool memory that may hold checkpoints of recurrent states, which prefix
            caching finds again, [0, 1].
        state_checkpoint_interval: tokens between two checkpoints of a recurrent state; the end of a prompt has one too.
        enable_prefix_caching: keep the blocks of finished requests until their memory is needed, and reuse them for
            prompts with the same prefix.
        prefix_cache_dir: a directory, a URL (s3://bucket/folder, memory://name, ...; needs the extra "remote") or an
            object with the calls of `torchpaged.prefix_store.KVStore`, to which blocks go that the pool has no room
            for; other requests, engines and processes with the same model find them there. None: they are lost.
        prefix_cache_host_gb: GiB of host memory (pinned on CUDA) for these blocks, in front of `prefix_cache_dir` or
            without one; the least recently used go on to it. 0: none. For GPUs; on a CPU a larger pool does the same.
        prefix_cache_disk_gb: most GiB that a directory may take; None: no limit. The least recently used go first.
        prefix_cache_write: "evict": blocks are written when the pool gives them up, and the rest at shutdown;
            "through": as soon as they are computed, so that a process that is killed loses none but the last.
        prefix_cache_key_file: file with a secret of at least 16 bytes for the checksums of a directory or URL, and of
            files of `save_prefix`: no one without it can forge what is read there (docs/caching.md). None: the file
            that the variable TORCHPAGED_PREFIX_CACHE_KEY_FILE names; if it is not set, checksums find damage alone.
        eviction_policy: factory of a `torchpaged.kv_cache.EvictionPolicy`; the default evicts the least recently used
            of the blocks that no `SamplingParams.cache_hint` retains.
        swap_space: GiB of host memory (pinned on CUDA) for the blocks of preempted requests; 0: they are recomputed.
        preemption_mode: "swap", "recompute", or "auto" for the one that measured faster.
        scheduling_policy: "fcfs", or "priority" (lower first, then arrival).
        enable_chunked_prefill: allow a prompt to be computed in parts, beside other requests' tokens.
        watermark: share of the blocks that admission leaves free, so that running sequences can grow, [0, 1).
        gpu_memory_utilization: share of the device's memory for weights, activations and pool together; on the CPU, the
            share that the pool may take of the memory that is free without it, at any time. On CUDA activations are
            measured with the widest step, including logits of all its max_num_batched_tokens tokens, which prompt
            logprobs and scores need.
        optimize: rewrite a transformers model on the CPU when it is loaded: its forward becomes a list of operators,
            fused where possible, over packed weights, and a row's bits depend on no other row. Logits stay within the
            rounding of the model's dtype. No effect without AVX2 or better. "auto" leaves a float32 model unchanged:
            True makes it batch-invariant, and no faster.
        compile: "auto", True or False: compile the model's forward, as one graph for every step. "auto" compiles on
            CUDA, unless `batch_invariant`; on the CPU a rewritten forward (`optimize`) is as fast without, and starts
            at once.
        enforce_eager: same as compile=False, vLLM's name.
        batch_invariant: give a token the same bits whatever else its step computes: alone, batched, chunked, after a
            prefix hit, preempted. On CUDA products and sums are replaced by kernels of one order; on the CPU rewritten
            forwards are exact. It is tried when the engine is made, and refused with a reason where it cannot hold
            (docs/reproducibility.md).
        compile_backend: backend of torch.compile.
        cuda_graphs: "auto", True or False: capture decode steps, sampling included, as CUDA graphs. "auto": on CUDA,
            unless enforce_eager.
        cudagraph_capture_sizes: batch sizes to capture; a decode step is padded to the next one. None: four per octave
            up to max_num_seqs.
        async_scheduling: "auto", True or False: schedule a step while the last one runs. "auto": on CUDA; on the CPU
            the model's own threads use all cores.
        generation_config: "auto": a request without sampling parameters uses the temperature, top-k, top-p, min-p,
            repetition penalty and length of the checkpoint's generation config; "ignore": `SamplingParams()`.
        pooler_config: default pooling of `LLM.embed`, `encode`, `classify` and `score`; None: the checkpoint's, else
            the last token's hidden state, normalised to length 1.
        logits_processors: classes of `torchpaged.logits_processors.LogitsProcessor`, or "module:Class", beside those
            that installed packages register as entry points. They see every request that samples; such requests are
            not scheduled ahead (`async_scheduling`), because the processors read their tokens.
        speculative_config: a `SpeculativeConfig`, or a dictionary of its fields; None: no speculative decoding.
        enable_prompt_embeds: accept prompts as embeddings (`{"prompt_embeds": tensor}`) too, for decoders of
            transformers.
        max_encoder_tokens: most tokens of images and sounds that a step encodes; the first one of a step may have more.
            None: `max_num_batched_tokens`.
        encoder_cache_tokens: most tokens of images and sounds whose features are kept, so that requests with the same
            image encode it once. None: four times `max_encoder_tokens`, or eight images where layers attend to them.
        limit_mm_per_prompt: most items of a prompt by modality, such as {"image": 4, "audio": 1}; None: 999 of each.
        mm_processor_kwargs: arguments of the checkpoint's processor for all prompts with images or sounds; a prompt's
            own come before them. None: the checkpoint's.
        allowed_local_media_path: folder under which prompts may name files of images and sounds by path or file: URL;
            empty: they may name none.
        allowed_media_domains: hosts of http(s) URLs that images and sounds are fetched from; None: nothing is fetched
            from a network. Hosts with addresses that are not public are refused, unless it is the address that is
            listed, or "localhost".
        default_mm_loras: folder of the adapter that prompts with items of a modality have if they name none, such as
            {"audio": "adapters/speech"}. Its name is the modality's, and its number its place, from 1, among them.
        enable_lora: let requests name adapters (`LoRARequest`), which the model's linear modules then add.
        max_loras: maximum number of different adapters in one step; requests of further ones take turns.
        max_lora_rank: maximum rank of an adapter. Memory for `max_loras` adapters of this rank is reserved.
        max_cpu_loras: number of adapters kept in host memory, at least `max_loras`; the others are read from their
            files when a request needs them. None: 4 * max_loras.
        seed: seed of the random numbers for requests without a seed.
        trust_remote_code: run Python code that a checkpoint or its tokenizer brings, which can do anything that this
            process can.

    Raises:
        ConfigError: a value is out of its range; the message has name, value and limit.
    """

    dtype: str = "auto"
    device: str = "auto"
    tensor_parallel_size: int = 1
    enable_expert_parallel: bool = False
    distributed_executor_backend: str | None = None
    max_model_len: int | None = None
    max_num_seqs: int = 64
    max_num_batched_tokens: int = 2048
    long_prefill_token_threshold: int = 0
    max_step_ms: float | None = None
    block_size: int = 16
    kv_cache_dtype: str = "auto"
    quantization: str | None = None
    num_blocks: int | None = None
    kv_cache_memory_bytes: int | None = None
    num_state_slots: int | None = None
    state_checkpoint_memory: float = 0.25
    state_checkpoint_interval: int = 1024
    enable_prefix_caching: bool = True
    prefix_cache_dir: str | os.PathLike[str] | Any = None
    prefix_cache_host_gb: float = 0.0
    prefix_cache_disk_gb: float | None = _DISK_GB
    prefix_cache_write: str = "evict"
    prefix_cache_key_file: str | os.PathLike[str] | None = None
    eviction_policy: Callable[[], EvictionPolicy] = RetainingQueue
    swap_space: float = 0.0
    preemption_mode: str = "auto"
    scheduling_policy: str = "fcfs"
    enable_chunked_prefill: bool = True
    watermark: float = 0.01
    gpu_memory_utilization: float = 0.9
    optimize: bool | str = "auto"
    compile: bool | str = "auto"
    enforce_eager: bool = False
    batch_invariant: bool = False
    compile_backend: str = "inductor"
    cuda_graphs: bool | str = "auto"
    cudagraph_capture_sizes: Sequence[int] | None = None
    async_scheduling: bool | str = "auto"
    generation_config: str = "auto"
    pooler_config: PoolerConfig | None = None
    logits_processors: Sequence[str | type] | None = None
    speculative_config: Mapping[str, Any] | SpeculativeConfig | None = None
    enable_prompt_embeds: bool = False
    max_encoder_tokens: int | None = None
    encoder_cache_tokens: int | None = None
    limit_mm_per_prompt: Mapping[str, int] | None = None
    mm_processor_kwargs: Mapping[str, Any] | None = None
    allowed_local_media_path: str | os.PathLike[str] = ""
    allowed_media_domains: Sequence[str] | None = None
    default_mm_loras: Mapping[str, str] | None = None
    enable_lora: bool = False
    max_loras: int = 8
    max_lora_rank: int = 16
    max_cpu_loras: int | None = None
    seed: int = 0
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        # A torch.dtype prints as "torch.bfloat16"; going by the name keeps this module free of torch.
        name = str(self.dtype).removeprefix("torch.")
        if name not in _DTYPES:
            meant = _SHORT_DTYPES.get(name.lower())
            hint = f"; did you mean {meant!r}?" if meant is not None else did_you_mean(name, _DTYPES)
            raise ConfigError(f"EngineConfig: dtype is {self.dtype!r:.80}, expected one of {', '.join(_DTYPES)}{hint}")
        object.__setattr__(self, "dtype", _DTYPES[name])
        for field, least in (
            ("tensor_parallel_size", 1),
            ("max_num_seqs", 1),
            ("max_num_batched_tokens", 1),
            ("block_size", 1),
            ("long_prefill_token_threshold", 0),
            ("state_checkpoint_interval", 1),
            ("max_loras", 1),
            ("max_lora_rank", 1),
        ):
            self._require_int(field, least)
        for field, least in (
            ("max_model_len", 1),
            ("num_blocks", 2),
            ("kv_cache_memory_bytes", 1),
            ("num_state_slots", 3),
            ("max_cpu_loras", 1),
            ("max_encoder_tokens", 1),
            ("encoder_cache_tokens", 1),
        ):
            if getattr(self, field) is not None:
                self._require_int(field, least)
        if (longest := self.max_step_ms) is not None:
            if isinstance(longest, bool) or not isinstance(longest, (int, float)) or not 0 <= longest < float("inf"):
                raise ConfigError(
                    f"EngineConfig: max_step_ms is {longest!r:.80}, expected milliseconds of 0 (no limit) or more"
                )
            if longest and not self.enable_chunked_prefill:
                raise ConfigError(
                    f"EngineConfig: max_step_ms is {longest:g} and enable_chunked_prefill is off; prompts that are "
                    "computed whole cannot be cut, leave one of them out"
                )
            object.__setattr__(self, "max_step_ms", float(longest) or None)
        if self.num_blocks is not None and self.kv_cache_memory_bytes is not None:
            raise ConfigError(
                f"EngineConfig: num_blocks is {self.num_blocks} and kv_cache_memory_bytes is "
                f"{self.kv_cache_memory_bytes}; give one of them"
            )
        if self.kv_cache_dtype not in KV_CACHE_DTYPES:
            raise ConfigError(
                f"EngineConfig: kv_cache_dtype is {self.kv_cache_dtype!r:.100}, expected one of "
                f"{', '.join(KV_CACHE_DTYPES)}"
            )
        if self.quantization is not None and self.quantization not in QUANTIZATIONS:
            raise ConfigError(
                f"EngineConfig: quantization is {self.quantization!r:.100}, expected None or one of "
                f"{', '.join(QUANTIZATIONS)}; LLM.quantize takes torchao's other configs"
            )
        if self.max_lora_rank > LARGEST_LORA_RANK:
            raise ConfigError(
                f"EngineConfig: max_lora_rank is {self.max_lora_rank}, expected at most {LARGEST_LORA_RANK}"
            )
        if self.max_cpu_loras is not None and self.max_cpu_loras < self.max_loras:
            raise ConfigError(
                f"EngineConfig: max_cpu_loras is {self.max_cpu_loras}, expected at least max_loras, {self.max_loras}: "
                "the adapters of a step are in host memory too"
            )
        if self.block_size > 256:
            raise ConfigError(f"EngineConfig: block_size is {self.block_size}, expected at most 256 tokens")
        object.__setattr__(self, "device", str(self.device))  # a torch.device prints as its name
        # The range of int64, as for a request's own seed.
        if not isinstance(self.seed, int) or not -(2**63) <= self.seed < 2**63:
            raise ConfigError(f"EngineConfig: seed is {self.seed!r:.100}, expected an integer of 64 bits")
        for field, known in (
            ("preemption_mode", PREEMPTION_MODES),
            ("scheduling_policy", POLICIES),
            ("generation_config", ("auto", "ignore")),
            ("prefix_cache_write", PREFIX_CACHE_WRITES),
        ):
            if getattr(self, field) not in known:
                raise ConfigError(
                    f"EngineConfig: {field} is {getattr(self, field)!r:.100}, expected one of {', '.join(known)}"
                )
        for field in ("optimize", "compile", "cuda_graphs", "async_scheduling"):
            if getattr(self, field) not in ("auto", True, False):
                raise ConfigError(
                    f"EngineConfig: {field} is {getattr(self, field)!r:.100}, expected 'auto', True or False"
                )
        for field in ("compile", "cuda_graphs"):
            if self.enforce_eager and getattr(self, field) is True:
                raise ConfigError(f"EngineConfig: {field} and enforce_eager are both True; give one of them")
        if (sizes := self.cudagraph_capture_sizes) is not None:
            if not sizes or not all(type(size) is int and 0 < size <= self.max_num_seqs for size in sizes):
                raise ConfigError(
                    f"EngineConfig: cudagraph_capture_sizes is {sizes!r:.100}, expected integers from 1 to "
                    f"max_num_seqs, {self.max_num_seqs}"
                )
            object.__setattr__(self, "cudagraph_capture_sizes", tuple(sorted(set(sizes))))
        for field in (
            "enable_prefix_caching",
            "enable_chunked_prefill",
            "enforce_eager",
            "enable_prompt_embeds",
            "enable_expert_parallel",
            "enable_lora",
            "trust_remote_code",
        ):
            if not isinstance(getattr(self, field), bool):
                raise ConfigError(f"EngineConfig: {field} is {getattr(self, field)!r:.100}, expected True or False")
        if self.pooler_config is not None and not isinstance(self.pooler_config, PoolerConfig):
            raise ConfigError(
                f"EngineConfig: pooler_config is {self.pooler_config!r:.80}, expected a PoolerConfig or None"
            )
        given = self.logits_processors
        if given is not None:
            if isinstance(given, (str, type)) or not all(isinstance(each, (str, type)) for each in given):
                raise ConfigError(
                    f"EngineConfig: logits_processors is {given!r:.100}, expected a list of classes or 'module:Class'; "
                    "functions go to SamplingParams(logits_processors=...)"
                )
            object.__setattr__(self, "logits_processors", tuple(given))
        if self.speculative_config is not None:
            object.__setattr__(self, "speculative_config", SpeculativeConfig.of(self.speculative_config))
        self._check_prefix_cache()
        self._check_ranks()
        self._check_media()
        if not callable(self.eviction_policy):
            raise ConfigError(
                f"EngineConfig: eviction_policy is {self.eviction_policy!r:.80}, expected an EvictionPolicy class"
            )
        if not isinstance(self.swap_space, (int, float)) or not 0.0 <= self.swap_space < float("inf"):
            raise ConfigError(f"EngineConfig: swap_space is {self.swap_space!r:.100}, expected 0 or more GiB")
        if self.preemption_mode == "swap" and not self.swap_space:
            raise ConfigError("EngineConfig: preemption_mode is 'swap' and swap_space is 0; set it to some GiB")
        if not isinstance(self.watermark, (int, float)) or not 0.0 <= self.watermark < 1.0:
            raise ConfigError(f"EngineConfig: watermark is {self.watermark!r:.100}, expected [0, 1)")
        share = self.state_checkpoint_memory
        if not isinstance(share, (int, float)) or not 0.0 <= share <= 1.0:
            raise ConfigError(f"EngineConfig: state_checkpoint_memory is {share!r:.100}, expected [0, 1]")
        share = self.gpu_memory_utilization
        if not isinstance(share, (int, float)) or not 0.0 < share <= 1.0:
            raise ConfigError(
                f"EngineConfig: gpu_memory_utilization is {self.gpu_memory_utilization!r:.100}, expected (0, 1]"
            )

    @property
    def has_prefix_tiers(self) -> bool:
        """True if blocks that leave the pool are kept."""
        is_given = self.prefix_cache_dir is not None or self.prefix_cache_host_gb > 0
        return is_given and self.enable_prefix_caching

    def _check_prefix_cache(self) -> None:
        where, limit, key = self.prefix_cache_dir, self.prefix_cache_disk_gb, self.prefix_cache_key_file
        calls = ("contains", "get", "put", "delete")
        if not (where is None or _is_path(where) or all(callable(getattr(where, call, None)) for call in calls)):
            raise ConfigError(
                f"EngineConfig: prefix_cache_dir is {where!r:.80}, expected a directory, a URL, or an object with the "
                f"calls {', '.join(calls)}"
            )
        host = self.prefix_cache_host_gb
        if not isinstance(host, (int, float)) or isinstance(host, bool) or not 0.0 <= host <= 1e6:
            raise ConfigError(f"EngineConfig: prefix_cache_host_gb is {host!r:.80}, expected GiB of 0 or more")
        for name, is_given in (("prefix_cache_dir", where is not None), ("prefix_cache_host_gb", host)):
            if is_given and not self.enable_prefix_caching:
                raise ConfigError(
                    f"EngineConfig: {name} is given and enable_prefix_caching is False; leave one of them out"
                )
        is_number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
        if limit is not None and not (is_number and 0.0 < limit <= 1e9):
            raise ConfigError(
                f"EngineConfig: prefix_cache_disk_gb is {limit!r:.80}, expected GiB above 0, at most 1e9, or None"
            )
        if where is None and limit not in (None, _DISK_GB):
            raise ConfigError(
                f"EngineConfig: prefix_cache_disk_gb is {limit!r:.80}, but there is no prefix_cache_dir that "
                "it limits; give one too"
            )
        if key is not None and not _is_path(key):
            raise ConfigError(f"EngineConfig: prefix_cache_key_file is {key!r:.80}, expected the path of a file")

    def _check_ranks(self) -> None:
        if self.distributed_executor_backend not in (None, "uni", "mp", "ray"):
            raise ConfigError(
                f"EngineConfig: distributed_executor_backend is {self.distributed_executor_backend!r:.80}, expected "
                "'mp', 'ray' or None"
            )
        if self.tensor_parallel_size == 1:
            return
        if self.distributed_executor_backend == "uni":
            raise ConfigError(
                f"EngineConfig: distributed_executor_backend is 'uni' and tensor_parallel_size is "
                f"{self.tensor_parallel_size}; leave one of them out"
            )
        self._refuse(
            f"tensor_parallel_size is {self.tensor_parallel_size}, and ranks do not support it",
            enable_prompt_embeds=self.enable_prompt_embeds,
            compile=self.compile is True,
        )

    def _check_media(self) -> None:
        limits, options, domains = self.limit_mm_per_prompt, self.mm_processor_kwargs, self.allowed_media_domains
        if limits is not None and not (
            isinstance(limits, Mapping)
            and all(isinstance(name, str) and type(most) is int and most >= 0 for name, most in limits.items())
        ):
            raise ConfigError(
                f"EngineConfig: limit_mm_per_prompt is {limits!r:.80}, expected a dictionary of numbers of 0 or more, "
                "such as {'image': 4}"
            )
        _require_modalities("limit_mm_per_prompt", limits or {})
        if (given := self.default_mm_loras) is not None:
            if not isinstance(given, Mapping):
                raise ConfigError(
                    f"EngineConfig: default_mm_loras is {given!r:.80}, expected a dictionary of folders, such as "
                    "{'audio': 'adapters/speech'}"
                )
            _require_modalities("default_mm_loras", given)
            for name, path in given.items():
                if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
                    raise ConfigError(
                        f"EngineConfig: default_mm_loras has {path!r:.80} for {name!r}, expected a folder"
                    )
            if given and not self.enable_lora:
                raise ConfigError("EngineConfig: default_mm_loras has adapters, which need enable_lora=True")
        if options is not None and not isinstance(options, Mapping):
            raise ConfigError(f"EngineConfig: mm_processor_kwargs is {options!r:.80}, expected a dictionary or None")
        if domains is not None:
            names = isinstance(domains, Sequence) and not isinstance(domains, str)
            if not names or not all(isinstance(each, str) and each and not set("/@ ") & set(each) for each in domains):
                raise ConfigError(
                    f"EngineConfig: allowed_media_domains is {domains!r:.80}, expected a list of hosts, such as "
                    "['upload.wikimedia.org']"
                )
        folder = self.allowed_local_media_path
        if not isinstance(folder, (str, os.PathLike)) or (folder and not os.path.isdir(os.path.expanduser(folder))):
            raise ConfigError(
                f"EngineConfig: allowed_local_media_path is {folder!r:.80}, expected a folder, or '' for none"
            )

    def resolve(self, spec: _ModelLimits, *, has_encoder: bool = False) -> EngineConfig:
        """Return the settings for a model: with its maximum length, and without what it does not support.

        Args:
            has_encoder: the contents of blocks depend on more than the tokens, so prefix caching is off.

        Raises:
            ConfigError: an explicit setting that the model does not support.
        """
        if self.max_model_len is not None and self.max_model_len > spec.max_model_len:
            raise ConfigError(
                f"EngineConfig: max_model_len is {self.max_model_len}, the model has {spec.max_model_len} positions"
            )
        changes: dict[str, Any] = {"max_model_len": self.max_model_len or spec.max_model_len}
        if has_encoder:
            reason = "the model has an encoder, which does not support it"
            self._refuse(reason, compile=self.compile is True, swap_space=bool(self.swap_space))
            self._refuse(
                reason,
                prefix_cache_dir=self.prefix_cache_dir is not None,
                prefix_cache_host_gb=bool(self.prefix_cache_host_gb),
            )
            changes |= {"enforce_eager": True, "enable_prefix_caching": False}
        if self.encoder_cache_tokens is None and (most := spec.media_sizes[1]):
            changes["encoder_cache_tokens"] = max(self.num_kept_encoder_tokens, _KEPT_IMAGES * most)
        if spec.is_encoder:
            changes |= self._for_encoder(changes["max_model_len"])
        if self.batch_invariant:
            if self.compile_backend != "inductor" and self.compiles(spec.device.type):
                raise ConfigError(
                    f"EngineConfig: batch_invariant is True and compile_backend is {self.compile_backend!r}, expected "
                    "'inductor', whose products can be replaced; leave it out, or give compile=False"
                )
            if spec.device.type == "cpu":
                self._refuse("batch_invariant is True, which the CPU's compiler is not", compile=self.compile is True)
            if self.optimize == "auto":  # in float32 too
                changes["optimize"] = True
        if spec.eager_only is not None:
            reason = f"the model runs eagerly only: {spec.eager_only}"
            self._refuse(reason, compile=self.compile is True, cuda_graphs=self.cuda_graphs is True)
            changes["enforce_eager"] = True
        return replace(self, **changes)

    def _for_encoder(self, max_model_len: int) -> dict[str, Any]:
        """Return the settings of an encoder, which reads texts whole and keeps nothing of them.

        Raises:
            ConfigError: a setting that only models that generate have.
        """
        self._refuse(
            "the model is an encoder, which generates nothing and keeps no cache",
            compile=self.compile is True,
            cuda_graphs=self.cuda_graphs is True,
            swap_space=bool(self.swap_space),
            kv_cache_dtype=self.kv_cache_dtype != "auto",
            speculative_config=self.speculative_config is not None,
            logits_processors=bool(self.logits_processors),
            max_step_ms=self.max_step_ms is not None,
            long_prefill_token_threshold=bool(self.long_prefill_token_threshold),
            enable_prompt_embeds=self.enable_prompt_embeds,
        )
        self._refuse("adapters of encoders are not supported", enable_lora=self.enable_lora)
        most = max(self.max_num_batched_tokens, max_model_len)
        blocks_per_step = -(-most // self.block_size) + self.max_num_seqs
        asked = self.num_blocks is not None or self.kv_cache_memory_bytes is not None
        return {
            "enforce_eager": True,
            "enable_prefix_caching": False,
            "enable_chunked_prefill": False,
            "max_num_batched_tokens": most,  # a step has room for the longest text
            "watermark": 0.0,
            # Two steps, as one may be scheduled while the other runs, and the null block.
            "num_blocks": self.num_blocks if asked else 2 * blocks_per_step + 1,
        }

    def _refuse(self, reason: str, **asked: bool) -> None:
        for name, is_asked in asked.items():
            if is_asked:
                raise ConfigError(f"EngineConfig: {name} is {getattr(self, name)}, but {reason}; leave it out")

    @property
    def num_encoder_tokens(self) -> int:
        """`max_encoder_tokens`, or its default."""
        return self.max_encoder_tokens or self.max_num_batched_tokens

    @property
    def num_kept_encoder_tokens(self) -> int:
        """`encoder_cache_tokens`, or its default."""
        return self.encoder_cache_tokens or 4 * self.num_encoder_tokens

    @property
    def speculation(self) -> SpeculativeConfig | None:
        """`speculative_config` as a SpeculativeConfig."""
        return None if self.speculative_config is None else SpeculativeConfig.of(self.speculative_config)

    @property
    def takes_media(self) -> bool:
        """False if `limit_mm_per_prompt` allows no images, sounds or videos: the towers are not used then."""
        limits = self.limit_mm_per_prompt
        return limits is None or any(limits.get(modality, 1) for modality in ("image", "audio", "video"))

    def compiles(self, device_type: str) -> bool:
        """Return whether the forward is compiled on a device of this type."""
        if self.compile == "auto":  # the trial of batch_invariant sees eager forwards only
            return device_type == "cuda" and not self.enforce_eager and not self.batch_invariant
        return bool(self.compile)

    def captures(self, device_type: str) -> bool:
        """Return whether decode steps are captured as graphs on a device of this type.

        Raises:
            ConfigError: cuda_graphs is True on a device without graphs.
        """
        if self.cuda_graphs == "auto":
            return device_type == "cuda" and not self.enforce_eager
        if self.cuda_graphs and device_type != "cuda":
            raise ConfigError(
                f"EngineConfig: cuda_graphs is True, the device is {device_type!r}; expected a CUDA device"
            )
        return bool(self.cuda_graphs)

    @property
    def num_host_adapters(self) -> int:
        """Number of adapters kept in host memory."""
        return 4 * self.max_loras if self.max_cpu_loras is None else self.max_cpu_loras

    @property
    def sizes_pool_by_free_memory(self) -> bool:
        """True if no setting says how large the pools are: then their limit on a CPU follows the free memory."""
        return self.num_blocks is None and self.kv_cache_memory_bytes is None and self.num_state_slots is None

    def overlaps(self, device_type: str) -> bool:
        """Return whether a step is scheduled while the last one runs, on a device of this type."""
        return device_type == "cuda" if self.async_scheduling == "auto" else bool(self.async_scheduling)

    def _require_int(self, field: str, least: int) -> None:
        value = getattr(self, field)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ConfigError(f"EngineConfig: {field} is {value!r:.100}, expected an integer of {least} or more")


def _require_modalities(name: str, given: Mapping[str, object]) -> None:
    """Raise ConfigError for a key that is no kind of media: a limit with a misspelt one would limit nothing."""
    for each in given:
        if each not in ("audio", "image", "video"):
            raise ConfigError(f"EngineConfig: {name} has {each!r:.80}, expected 'audio', 'image' or 'video'")


def _is_path(value: object) -> bool:
    """Return whether a value can be the path of a file or folder."""
    return isinstance(value, (str, os.PathLike)) and bool(os.fspath(value)) and "\0" not in str(value)
