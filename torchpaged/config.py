"""EngineConfig: every setting of the engine, validated once and then trusted."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.kv_cache.block import EvictionPolicy, FreeBlockQueue
from torchpaged.pooling_params import PoolerConfig
from torchpaged.speculative_config import SpeculativeConfig

_DTYPES = {
    "auto": "auto",
    "float32": "float32",
    "float": "float32",
    "float16": "float16",
    "half": "float16",
    "bfloat16": "bfloat16",
}

_SHORT_DTYPES = {"fp32": "float32", "f32": "float32", "fp16": "float16", "f16": "float16", "bf16": "bfloat16"}

POLICIES = ("fcfs", "priority")
PREEMPTION_MODES = ("auto", "swap", "recompute")
# What the engine calls a cache's dtype, and torch's name for it; None: the model's own.
KV_CACHE_DTYPES = {
    "auto": None,
    "fp8": "float8_e4m3fn",
    "fp8_e4m3": "float8_e4m3fn",
    "fp8_e5m2": "float8_e5m2",
    "int8": "int8",
}
# Ways to store the weights that have a name; `LLM.quantize` takes any of torchao's.
QUANTIZATIONS = ("int8", "int8-dynamic", "int4", "int4-g128", "int4-hq")


class Runnable(Protocol):
    """What settings must be known to suit: of `torchpaged.models.model.ModelSpec`."""

    @property
    def max_model_len(self) -> int: ...
    @property
    def eager_only(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class SchedulerView:
    """What a logits processor is told of scheduling, by vLLM's names."""

    max_num_seqs: int
    max_num_batched_tokens: int


@dataclass(frozen=True, slots=True)
class ModelView:
    """What it is told of the model, likewise."""

    model: str
    max_model_len: int
    vocab_size: int
    dtype: str = "auto"
    hf_config: Any = None  # of transformers; None: of another model, or where logits processors are
    tokenizer: Any = None  # likewise

    def get_vocab_size(self) -> int:
        """Tokens are 0 to this less 1."""
        return self.vocab_size


@dataclass(frozen=True, slots=True)
class CacheView:
    """What it is told of the cache, likewise."""

    block_size: int
    enable_prefix_caching: bool
    num_gpu_blocks: int | None


@dataclass(frozen=True, slots=True)
class VllmConfig:
    """What a logits processor is made with, where vLLM hands its own configuration; `LLMEngine.vllm_config`.

    Args:
        engine_config: all settings.
        speculative_config: None: nothing is guessed ahead.
    """

    scheduler_config: SchedulerView
    model_config: ModelView
    engine_config: EngineConfig
    cache_config: CacheView
    speculative_config: SpeculativeConfig | None

    @classmethod
    def of(cls, spec: Any, config: EngineConfig, *, hf_config: Any = None, tokenizer: Any = None) -> VllmConfig:
        """Of a `ModelSpec` and resolved settings."""
        longest = config.max_model_len or spec.max_model_len
        dtype = str(spec.dtype).removeprefix("torch.")
        return cls(
            SchedulerView(config.max_num_seqs, config.max_num_batched_tokens),
            ModelView(spec.name, longest, spec.vocab_size, dtype, hf_config, tokenizer),
            config,
            CacheView(config.block_size, config.enable_prefix_caching, config.num_blocks),
            config.speculation,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilerConfig:
    """What `LLM.start_profile` records; names follow vLLM's.

    Args:
        profiler: "torch", or None as long as no folder is named.
        torch_profiler_dir: the folder that traces are written to.
        delay_iterations: steps of the engine behind `start_profile` that are not recorded.
        max_iterations: steps that are recorded at most; 0: all until `stop_profile`.
        torch_profiler_record_shapes, torch_profiler_with_memory, torch_profiler_with_stack, torch_profiler_with_flops:
            what `torch.profiler.profile` is asked for besides.

    Raises:
        ConfigError: a value of another kind.
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
        """Of `torch.profiler.profile`."""
        return {
            "record_shapes": self.torch_profiler_record_shapes,
            "profile_memory": self.torch_profiler_with_memory,
            "with_stack": self.torch_profiler_with_stack,
            "with_flops": self.torch_profiler_with_flops,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineConfig:
    """Names follow vLLM's.

    Args:
        dtype: of weights, activations and cache: "auto" (the checkpoint's), "float32", "float16" or "bfloat16".
        device: "auto" (CUDA where there is one, else the CPU), "cpu", "cuda", "cuda:1", ...
        max_model_len: tokens of prompt and completion together; None: what the model's config says.
        max_num_seqs: requests that run at once.
        max_num_batched_tokens: tokens that one step computes; longer prompts are computed in chunks.
        long_prefill_token_threshold: tokens of one prompt that one step computes at most; 0: the whole budget.
        max_step_ms: what a step should take at most that computes prompts beside requests which have tokens already:
            prompts are cut to what fits, by what steps have taken so far. Those requests always get their tokens, and
            prompts a quarter of the time at least. Prompts with nobody beside them are not cut. None or 0: no limit.
        block_size: tokens in a block of the cache.
        kv_cache_dtype: of the cache: "auto" (as `dtype`), or "fp8" (also "fp8_e4m3"), "fp8_e5m2" or "int8" with a scale
            for each token and head, which halves a 16-bit cache's bytes.
        quantization: of the weights of the layers' linear modules, when the engine is made: "int8" (a scale for each
            output channel), "int8-dynamic" (activations too, a scale for each token), "int4" (a scale for each 32
            weights, chosen by the inputs that some text gives a layer), "int4-g128" (for each 128: fewer bytes) or
            "int4-hq" (zero points too, and columns that make up for others' errors: it takes a minute, and is nearer
            to the float model); None: as they are. On the CPU the C++ library multiplies with them: activations are
            in int8 with a scale for each group of a weight, or 128 of a token, and the head, with an embedding that is
            tied to it, is int8. Both int8 kinds, and "int4" on a GPU, are made through torchao.
        num_blocks: blocks in the pool, the null block included; None: from memory.
        kv_cache_memory_bytes: what the pool takes, instead of `num_blocks`; None: from memory.
        num_state_slots: how many states of recurrent layers are kept, the null slot included; None: two for each of
            max_num_seqs, and as many to be found again as `state_checkpoint_memory` has room for.
        state_checkpoint_memory: the share of the memory for pools that may hold states of recurrent layers for others
            to find, [0, 1].
        state_checkpoint_interval: tokens; behind each multiple of it the state is kept to be found, beside the last one
            of a prompt.
        enable_prefix_caching: keep the blocks of ended requests until their place is needed, and find them again.
        eviction_policy: makes the keeper of free blocks (`torchpaged.kv_cache.EvictionPolicy`); the default hands out
            the least recently used first.
        swap_space: GiB of host memory (pinned on CUDA) that preempted requests' blocks can move to; 0: they are
            computed again.
        preemption_mode: "swap", "recompute", or "auto" for whichever has been measured to be faster.
        scheduling_policy: "fcfs", or "priority" (lower first, then arrival).
        enable_chunked_prefill: whether a prompt may be computed in parts, beside other requests' tokens.
        watermark: the share of the blocks that admissions leave free, so that those who run can grow, [0, 1).
        gpu_memory_utilization: the share of the device's memory (on the CPU: of the machine's free memory) that
            weights, activations and pool may take together. On CUDA activations are measured: those of the widest
            step, logits of all its max_num_batched_tokens tokens included, which prompt logprobs and scores ask for.
        optimize: whether a transformers model on the CPU is made faster when it is loaded: its forward becomes a list
            of operators, fused where they can be, over packed weights, and a row's bits depend on no other row.
            Logits stay within the rounding of the model's dtype. Nothing changes without AVX2 or better. "auto" leaves
            a model in float32 as it is: True makes it exact, and no faster.
        compile: "auto", True or False: whether the model's forward is compiled, as one graph for every step. "auto"
            compiles on CUDA; on the CPU a rewritten forward (`optimize`) is as fast without, and starts at once.
        enforce_eager: as compile=False, by vLLM's name.
        compile_backend: of torch.compile.
        cuda_graphs: "auto", True or False: whether decode steps are captured as CUDA graphs, sampling included, and
            replayed. "auto": on CUDA, unless enforce_eager.
        cudagraph_capture_sizes: batch sizes to capture, to the next of which a decode step is padded; None: four in
            each octave up to max_num_seqs.
        async_scheduling: "auto", True or False: whether a step is scheduled while the last one runs. "auto": on CUDA;
            on the CPU the model's own threads have the cores.
        generation_config: "auto": a request without sampling parameters takes the temperature, top-k, top-p, min-p,
            repetition penalty and length that the checkpoint's generation config names; "ignore": `SamplingParams()`.
        pooler_config: what `LLM.embed` and its like make of hidden states where a request does not say it; None: what
            the checkpoint says, else the last token's, brought to length 1.
        logits_processors: classes of `torchpaged.logits_processors.LogitsProcessor`, or "module:Class", beside those
            that installed packages offer as entry points. They see every request that samples; such requests are left
            out of steps ahead (`async_scheduling`), since their tokens are read.
        speculative_config: a `SpeculativeConfig`, or a dictionary of its fields: tokens are guessed ahead and kept as
            far as they are those that would have come; None: nothing is guessed.
        enable_prompt_embeds: take prompts as embeddings (`{"prompt_embeds": tensor}`) beside texts and tokens, of a
            decoder of transformers.
        seed: of the random numbers of requests without a seed.
        trust_remote_code: whether Python code that a checkpoint or its tokenizer brings may run, which can do whatever
            this process can.

    Raises:
        ConfigError: a value out of its range, with name, value and limit.
    """

    dtype: str = "auto"
    device: str = "auto"
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
    eviction_policy: Callable[[], EvictionPolicy] = FreeBlockQueue
    swap_space: float = 0.0
    preemption_mode: str = "auto"
    scheduling_policy: str = "fcfs"
    enable_chunked_prefill: bool = True
    watermark: float = 0.01
    gpu_memory_utilization: float = 0.9
    optimize: bool | str = "auto"
    compile: bool | str = "auto"
    enforce_eager: bool = False
    compile_backend: str = "inductor"
    cuda_graphs: bool | str = "auto"
    cudagraph_capture_sizes: Sequence[int] | None = None
    async_scheduling: bool | str = "auto"
    generation_config: str = "auto"
    pooler_config: PoolerConfig | None = None
    logits_processors: Sequence[str | type] | None = None
    speculative_config: Mapping[str, Any] | SpeculativeConfig | None = None
    enable_prompt_embeds: bool = False
    seed: int = 0
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        # A torch.dtype prints as "torch.bfloat16"; taken by name, so that this file needs no torch.
        name = str(self.dtype).removeprefix("torch.")
        if name not in _DTYPES:
            meant = _SHORT_DTYPES.get(name.lower())
            hint = f"; did you mean {meant!r}?" if meant is not None else did_you_mean(name, _DTYPES)
            raise ConfigError(f"EngineConfig: dtype is {self.dtype!r:.80}, expected one of {', '.join(_DTYPES)}{hint}")
        object.__setattr__(self, "dtype", _DTYPES[name])
        for field, least in (
            ("max_num_seqs", 1),
            ("max_num_batched_tokens", 1),
            ("block_size", 1),
            ("long_prefill_token_threshold", 0),
            ("state_checkpoint_interval", 1),
        ):
            self._require_int(field, least)
        for field, least in (
            ("max_model_len", 1),
            ("num_blocks", 2),
            ("kv_cache_memory_bytes", 1),
            ("num_state_slots", 3),
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
                f"EngineConfig: kv_cache_dtype is {self.kv_cache_dtype!r}, expected one of {', '.join(KV_CACHE_DTYPES)}"
            )
        if self.quantization is not None and self.quantization not in QUANTIZATIONS:
            raise ConfigError(
                f"EngineConfig: quantization is {self.quantization!r}, expected None or one of "
                f"{', '.join(QUANTIZATIONS)}; LLM.quantize takes torchao's other configs"
            )
        if self.block_size > 256:
            raise ConfigError(f"EngineConfig: block_size is {self.block_size}, expected at most 256 tokens")
        object.__setattr__(self, "device", str(self.device))  # a torch.device prints as its name
        # What an int64 holds, as a request's own seed.
        if not isinstance(self.seed, int) or not -(2**63) <= self.seed < 2**63:
            raise ConfigError(f"EngineConfig: seed is {self.seed!r}, expected an integer of 64 bits")
        for field, known in (
            ("preemption_mode", PREEMPTION_MODES),
            ("scheduling_policy", POLICIES),
            ("generation_config", ("auto", "ignore")),
        ):
            if getattr(self, field) not in known:
                raise ConfigError(
                    f"EngineConfig: {field} is {getattr(self, field)!r}, expected one of {', '.join(known)}"
                )
        for field in ("optimize", "compile", "cuda_graphs", "async_scheduling"):
            if getattr(self, field) not in ("auto", True, False):
                raise ConfigError(f"EngineConfig: {field} is {getattr(self, field)!r}, expected 'auto', True or False")
        for field in ("compile", "cuda_graphs"):
            if self.enforce_eager and getattr(self, field) is True:
                raise ConfigError(f"EngineConfig: {field} and enforce_eager are both True; give one of them")
        if (sizes := self.cudagraph_capture_sizes) is not None:
            if not sizes or not all(type(size) is int and 0 < size <= self.max_num_seqs for size in sizes):
                raise ConfigError(
                    f"EngineConfig: cudagraph_capture_sizes is {sizes!r}, expected integers from 1 to max_num_seqs, "
                    f"{self.max_num_seqs}"
                )
            object.__setattr__(self, "cudagraph_capture_sizes", tuple(sorted(set(sizes))))
        for field in (
            "enable_prefix_caching",
            "enable_chunked_prefill",
            "enforce_eager",
            "enable_prompt_embeds",
            "trust_remote_code",
        ):
            if not isinstance(getattr(self, field), bool):
                raise ConfigError(f"EngineConfig: {field} is {getattr(self, field)!r}, expected True or False")
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
        if not callable(self.eviction_policy):
            raise ConfigError(
                f"EngineConfig: eviction_policy is {self.eviction_policy!r:.80}, expected what makes an EvictionPolicy"
            )
        if not isinstance(self.swap_space, (int, float)) or not 0.0 <= self.swap_space < float("inf"):
            raise ConfigError(f"EngineConfig: swap_space is {self.swap_space!r}, expected 0 or more GiB")
        if self.preemption_mode == "swap" and not self.swap_space:
            raise ConfigError("EngineConfig: preemption_mode is 'swap' and swap_space is 0; give it some GiB")
        if not isinstance(self.watermark, (int, float)) or not 0.0 <= self.watermark < 1.0:
            raise ConfigError(f"EngineConfig: watermark is {self.watermark!r}, expected [0, 1)")
        share = self.state_checkpoint_memory
        if not isinstance(share, (int, float)) or not 0.0 <= share <= 1.0:
            raise ConfigError(f"EngineConfig: state_checkpoint_memory is {share!r}, expected [0, 1]")
        share = self.gpu_memory_utilization
        if not isinstance(share, (int, float)) or not 0.0 < share <= 1.0:
            raise ConfigError(
                f"EngineConfig: gpu_memory_utilization is {self.gpu_memory_utilization!r}, expected (0, 1]"
            )

    def resolve(self, spec: Runnable, *, has_encoder: bool = False) -> EngineConfig:
        """The settings for a model: its length where none is given, and nothing that it cannot.

        Args:
            has_encoder: what stands in its blocks depends on more than its tokens.

        Raises:
            ConfigError: what was asked for explicitly and the model cannot.
        """
        if self.max_model_len is not None and self.max_model_len > spec.max_model_len:
            raise ConfigError(
                f"EngineConfig: max_model_len is {self.max_model_len}, the model has {spec.max_model_len} positions"
            )
        changes: dict[str, Any] = {"max_model_len": self.max_model_len or spec.max_model_len}
        if has_encoder:
            reason = "the model has an encoder, which it does not go with"
            self._refuse(reason, compile=self.compile is True, swap_space=bool(self.swap_space))
            changes |= {"enforce_eager": True, "enable_prefix_caching": False}
        if spec.eager_only is not None:
            reason = f"the model runs eagerly only: {spec.eager_only}"
            self._refuse(reason, compile=self.compile is True, cuda_graphs=self.cuda_graphs is True)
            changes["enforce_eager"] = True
        return replace(self, **changes)

    def _refuse(self, reason: str, **asked: bool) -> None:
        for name, is_asked in asked.items():
            if is_asked:
                raise ConfigError(f"EngineConfig: {name} is {getattr(self, name)}, but {reason}; leave it out")

    @property
    def speculation(self) -> SpeculativeConfig | None:
        """`speculative_config` as it was read."""
        return None if self.speculative_config is None else SpeculativeConfig.of(self.speculative_config)

    def compiles(self, device_type: str) -> bool:
        """Whether the forward is compiled on a device of this type."""
        if self.compile == "auto":
            return device_type == "cuda" and not self.enforce_eager
        return bool(self.compile)

    def captures(self, device_type: str) -> bool:
        """Whether decode steps are captured as graphs on a device of this type.

        Raises:
            ConfigError: asked for on a device without graphs.
        """
        if self.cuda_graphs == "auto":
            return device_type == "cuda" and not self.enforce_eager
        if self.cuda_graphs and device_type != "cuda":
            raise ConfigError(
                f"EngineConfig: cuda_graphs is True, the device is {device_type!r}; expected a CUDA device"
            )
        return bool(self.cuda_graphs)

    def overlaps(self, device_type: str) -> bool:
        """Whether a step is scheduled while the last one runs, on a device of this type."""
        return device_type == "cuda" if self.async_scheduling == "auto" else bool(self.async_scheduling)

    def _require_int(self, field: str, least: int) -> None:
        value = getattr(self, field)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ConfigError(f"EngineConfig: {field} is {value!r}, expected an integer of {least} or more")
