"""ModelRunner: runs a scheduled step on the device. Executes; decides nothing."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor
from tqdm import tqdm

from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.bookkeeping import Bookkeeping
from torchpaged.execution.compiled_forward import Forward, compile_forward
from torchpaged.config import KV_CACHE_DTYPES, EngineConfig
from torchpaged.execution.decode_graphs import Capture, DecodeGraphs, NotCapturable, capture_sizes, cuda_capture
from torchpaged.errors import ConfigError
from torchpaged.execution.batch import InputBatch, StepInputs, encodes, logit_positions
from torchpaged.execution.known_tokens import Scored, prompt_logprobs
from torchpaged.kv_cache.block import BlockCopy
from torchpaged.kv_cache.spec import KVCacheGroup
from torchpaged.ops import devices
from torchpaged.execution.paged_kv_cache import (
    LayerShape,
    PagedKVCache,
    bytes_per_block,
    kv_cache_groups,
    size_pool,
    tensor_slots,
)
from torchpaged.execution.phases import FORWARD, INPUTS, SAMPLE, span
from torchpaged.request import Request
from torchpaged.execution.reserve import StepShape, measure, widest_steps
from torchpaged.execution.sampler import Sampler, SampleRow, TokenLogprobs
from torchpaged.scheduler import SchedulerOutput
from torchpaged.execution.swap_cost import Stopwatch

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


class PagedModel(Protocol):
    """A model that keeps its keys and values in a paged cache. transformers' are wrapped into one.

    A model that is itself a compiled program may have an attribute `least`, see `InputBatch`; one with an encoder has
    an attribute `encoder`; one whose forward no graph can hold has the reason as its attribute `eager_only`. One that
    belongs to somebody else may have methods `in_use`, a context that is entered around each call of its compiled
    forward, and `look`, which says whether its weights have changed.

    `forward` returns the logits of the asked rows, not hidden states: what lies between the last layer and the
    logits (scaling, a softcap) differs from family to family and is the model's own business.
    """

    layers: Mapping[int, LayerShape]
    vocab_size: int
    max_model_len: int
    dtype: torch.dtype
    device: torch.device

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, logit_rows: Tensor) -> Tensor:
        """Packed tokens [num_tokens] -> logits [len(logit_rows), vocab_size]; writes the cache on its way."""
        ...

    def fingerprint(self) -> str:
        """The same for two processes with the same weights alone: saved prefixes are recognised by it."""
        ...


class Encoder(Protocol):
    """What a `PagedModel` of an encoder and a decoder has as its attribute `encoder`; `layers` has its cross-attention.

    Its `forward` takes `metadata.encoder_states`, and its layers of cross-attention write them as keys and values.
    """

    max_tokens: int  # states of one input
    decoder_prompt: Sequence[int]  # what a completion begins with unless told
    vocab_size: int | None  # of input tokens; None where the input is features

    def num_tokens(self, data: Any) -> int:
        """The states that `encode` makes of an input. Raises ValueError for one that it cannot read."""
        ...

    def encode(self, data: Any) -> Tensor:
        """[num_tokens(data), hidden]: one input's states."""
        ...


@dataclass(frozen=True, slots=True)
class StepResult:
    """A step's results by request: the chosen tokens, and logprobs where they were asked for."""

    token_ids: dict[str, int]
    logprobs: dict[str, TokenLogprobs]
    # For each prompt token that this step predicted, by its position.
    prompt_logprobs: dict[str, dict[int, TokenLogprobs]]
    # What went wrong with single requests; no token was chosen for them.
    errors: dict[str, str]
    # Of given completions: (logprob, whether it is the likeliest) of the tokens that this step predicted, by position.
    scores: dict[str, dict[int, tuple[float, bool]]] = field(default_factory=dict)
    # Of the forward, unless a graph was replayed, and of the copies before it; None where nobody knows without waiting.
    forward_seconds: float | None = None
    copy_seconds: float | None = None

    def without(self, request_ids: Collection[str]) -> StepResult:
        """The results of the other requests."""

        def rest(of: dict[str, _T]) -> dict[str, _T]:
            return {name: value for name, value in of.items() if name not in request_ids}

        return replace(
            self,
            token_ids=rest(self.token_ids),
            logprobs=rest(self.logprobs),
            prompt_logprobs=rest(self.prompt_logprobs),
            errors=rest(self.errors),
            scores=rest(self.scores),
        )


@dataclass(slots=True)
class LaunchedStep:
    """A step under way; `result` waits for it.

    Args:
        step: what runs.
        copying, computing: what times the step's copies and its forward; None: nothing does.
        request_ids, token_ids: whose tokens are chosen, and the tokens [len(request_ids)], -1 where the logits are NaN.
        arrived: when the tokens are on the host; None: they are there.
        logprobs, prompt_logprobs, scores: as of `StepResult`.
    """

    step: SchedulerOutput
    copying: Stopwatch | None = None
    computing: Stopwatch | None = None
    request_ids: list[str] = field(default_factory=list)
    token_ids: Tensor | None = None
    arrived: torch.cuda.Event | None = None
    logprobs: dict[str, TokenLogprobs] = field(default_factory=dict)
    prompt_logprobs: dict[str, dict[int, TokenLogprobs]] = field(default_factory=dict)
    scores: dict[str, dict[int, tuple[float, bool]]] = field(default_factory=dict)

    def result(self) -> StepResult:
        """Once the step has run."""
        if self.arrived is not None:
            with devices.current(self.arrived.device):
                self.arrived.synchronize()
        values: list[int] = [] if self.token_ids is None else self.token_ids.tolist()
        chosen = dict(zip(self.request_ids, values, strict=True))
        errors = {name: _NAN for name, token in chosen.items() if token < 0}
        for name in errors:
            del chosen[name]
            self.logprobs.pop(name, None)
        watches = (self.computing, self.copying)
        forward, copies = (None if watch is None else watch.seconds() for watch in watches)
        return StepResult(chosen, self.logprobs, self.prompt_logprobs, errors, self.scores, forward, copies)


class ModelRunner:
    """Owns the model, the pool's tensors, the block tables on the device's side and the sampler.

    Args:
        model: what to run.
        config: the engine's settings.
        max_model_len: prompt and completion together at most.
        groups: of `kv_cache_groups`; None: what it makes of the model's layers.
        num_swap_blocks: blocks in the host's pool, ids 1 to this number.
        least: of `InputBatch`: what a step's sizes are padded up to.

    Attributes:
        groups: for the block manager, whose tables `SchedulerOutput` brings.

    Raises:
        ConfigError: no room for the pool, or a block size that does not suit the model.
    """

    def __init__(
        self,
        model: PagedModel,
        config: EngineConfig,
        max_model_len: int,
        *,
        groups: Sequence[KVCacheGroup] | None = None,
        num_swap_blocks: int = 0,
        least: int = 0,
    ) -> None:
        self.model = model
        layers = {index: shape.within(max_model_len) for index, shape in model.layers.items()}
        self.groups = kv_cache_groups(layers, config.block_size) if groups is None else list(groups)
        self.config, self._layers, self._max_model_len = config, layers, max_model_len
        self._least = 2 if config.compiles(model.device.type) else max(least, getattr(model, "least", 0))
        self.sampler = Sampler(config.seed, model.device)
        self._overlaps = config.overlaps(model.device.type)
        self._compiled: Forward | None = None
        self._copying: Stopwatch | None = None  # of copies whose step has not been launched yet
        self.graphs: DecodeGraphs | None = None
        self.encoder: Encoder | None = getattr(model, "encoder", None)
        longest = max(max_model_len, self.encoder.max_tokens if self.encoder else 0)  # of a block table
        self._max_blocks_per_seq = -(-longest // config.block_size)
        with devices.current(model.device):
            num_blocks = config.num_blocks or size_pool(
                device=model.device,
                bytes_per_block=block_bytes(model, config, self.groups),
                block_size=config.block_size,
                max_model_len=longest,
                max_num_seqs=config.max_num_seqs,
                utilization=config.gpu_memory_utilization,
                num_groups=len(self.groups),
                reserve=self._measure_reserve() if model.device.type == "cuda" else 0,
            )
            self._allocate(num_blocks, num_swap_blocks)
        self.compile()

    def _allocate(self, num_blocks: int, num_swap_blocks: int = 0) -> None:
        """The pool, and the buffers that stay."""
        config, layers = self.config, self._layers
        self.kv_cache = PagedKVCache(
            layers,
            num_blocks,
            config.block_size,
            _cache_dtype(self.model, config),
            self.model.device,
            groups=self.groups,
            num_swap_blocks=num_swap_blocks,
        )
        self.inputs = InputBatch(
            groups=self.groups,
            chunk_sizes={index: shape.attention_chunk_size for index, shape in layers.items()},
            caches=self.kv_cache.by_layer(),
            max_num_seqs=config.max_num_seqs,
            max_blocks_per_seq=self._max_blocks_per_seq,
            block_size=config.block_size,
            device=self.model.device,
            least=self._least,
        )

    @torch.inference_mode()
    def _measure_reserve(self) -> int:
        """Bytes that the widest steps and the graphs take beside weights and pool: with a pool of two blocks, eagerly.

        A compiled forward takes no more.
        """
        config, device, longest = self.config, self.model.device, self._max_model_len
        before = torch.cuda.memory_allocated(device)
        self._allocate(2)
        reserve = torch.cuda.memory_allocated(device) - before
        reserve += measure(
            device,
            widest_steps(config.max_num_seqs, config.max_num_batched_tokens, longest),
            [StepShape.at_the_end([1] * size, longest) for size in self._capture_sizes()],
            forward=self._run_blank,
            sampler=self.sampler,
            graphs=self._make_graphs if config.captures(device.type) else None,
        )
        del self.kv_cache, self.inputs
        torch.cuda.empty_cache()
        return reserve

    def _run_blank(self, shape: StepShape) -> Tensor:
        """The logits of every token of a step that nobody asked for."""
        encoder_len = 1 if self.encoder is None else self.encoder.max_tokens
        return self._forward(
            self.inputs.blank(shape.query_lens, shape.context_lens, encoder_len=encoder_len, every_row=True)
        )

    def compile(self) -> None:
        """Compiles and captures the forward if the settings say so; again when its weights are of another kind.

        Raises:
            ConfigError: graphs were asked for, and the forward waits for the device.
        """
        device_type = self.model.device.type
        self.graphs = None  # of weights that may be gone; their memory is free for the new ones
        with devices.current(self.model.device):
            if self.config.compiles(device_type):
                caches = self.kv_cache.by_layer()
                in_use = getattr(self.model, "in_use", nullcontext)
                self._compiled = compile_forward(self.model.forward, caches, self.config.compile_backend, in_use)
                self._warm_up()
            if self.config.captures(device_type):
                try:
                    self.capture(cuda_capture())
                except NotCapturable as error:
                    if self.config.cuda_graphs is True:
                        raise ConfigError(
                            "EngineConfig: cuda_graphs is True, but the model's forward waits for the device: "
                            f"{error}; leave it out"
                        ) from error
                    logger.warning("decode steps run without CUDA graphs, the forward waits for the device: %s", error)

    @torch.inference_mode()
    def capture(self, capture: Capture) -> None:
        """Makes the graphs of decode steps, which are used from then on."""
        self.graphs = self._make_graphs(self._capture_sizes(), capture)

    def _make_graphs(self, sizes: Sequence[int], capture: Capture) -> DecodeGraphs:
        forward = self.model.forward if self._compiled is None else self._compiled
        return DecodeGraphs(self.inputs, forward, sizes, capture)

    def _capture_sizes(self) -> list[int]:
        sizes = self.config.cudagraph_capture_sizes or capture_sizes(self.config.max_num_seqs)
        return sorted({max(size, self._least) for size in sizes})

    def copy(self, copies: Sequence[BlockCopy]) -> None:
        """Copies blocks as if one after the other; a step's copies go before its `run`."""
        self._copying = None
        with Stopwatch(self.model.device) as watch:
            self.kv_cache.copy(copies)
        self._copying = watch

    @torch.inference_mode()
    def _warm_up(self) -> None:
        """Compiles now, with a mixed step and a decode step, what all steps will run."""
        for query_lens in tqdm(((3, 2), (1, 1)), desc="compile", unit="step", leave=False):
            inputs = self.inputs.blank(query_lens)
            self._forward(inputs)

    def _forward(self, inputs: StepInputs) -> Tensor:
        forward = self.model.forward if self._compiled is None else self._compiled
        return forward(inputs.input_ids, inputs.positions, inputs.metadata, inputs.logit_rows)

    def run(self, step: SchedulerOutput) -> StepResult:
        """Computes the step's tokens and chooses the next ones, those of followers included."""
        return self.launch(step).result()

    def launch(self, step: SchedulerOutput) -> LaunchedStep:
        """Starts what `run` does. On CUDA it returns before the device is done, unless logprobs, scores, penalties or
        `min_tokens` are asked for, or a prompt has several completions.

        Tokens that a step under way chooses are taken from where it leaves them, and may be launched on.
        """
        with torch.inference_mode(), devices.current(self.model.device):
            return self._launch(step)

    def _launch(self, step: SchedulerOutput) -> LaunchedStep:
        launched = LaunchedStep(step, self._copying)
        self._copying = None
        if not step.requests:
            self.inputs.update_rows(step)
            return launched
        if self.graphs is not None and self.graphs.fits(step):
            return self._replay(self.graphs, launched)
        with span(INPUTS):
            inputs = self.inputs.write(step)
        with span(FORWARD, self.model.device), Stopwatch(self.model.device) as launched.computing:
            if self.encoder is not None:
                inputs = replace(inputs, metadata=self._encode(self.encoder, step, inputs.metadata))
            logits = self._forward(inputs)
        with span(SAMPLE):
            return self._choose(launched, inputs, logits[: inputs.num_logit_rows])

    def _encode(self, encoder: Encoder, step: SchedulerOutput, metadata: StepMetadata) -> StepMetadata:
        """With the states of the requests that begin. One by one: what an input gives does not depend on others."""
        inputs = [item.request.encoder for item in step.requests if encodes(item)]
        states = [encoder.encode(each.data) for each in inputs if each is not None]
        return replace(metadata, encoder_states=torch.cat(states) if states else None)

    def _replay(self, graphs: DecodeGraphs, launched: LaunchedStep) -> LaunchedStep:
        """A decode step as one graph, sampling included; what the graph cannot do is done again behind it."""
        rows = [_sample_row(item.request) for item in launched.step.requests]
        with span(FORWARD, self.model.device):
            logits, token_ids, table_rows = graphs.run(launched.step, self.sampler.parameters(rows))
        with span(SAMPLE):
            if any(row.changes_logits for row in rows):
                token_ids = self.sampler.draw(logits, rows)
                self.inputs.remember(table_rows, token_ids)
            self._deliver(launched, rows, logits, token_ids)
        return launched

    def _choose(self, launched: LaunchedStep, inputs: StepInputs, logits: Tensor) -> LaunchedStep:
        """The next tokens, from the logits of the rows that `logit_positions` names."""
        rows: list[SampleRow] = []
        sampled_rows: list[int] = []
        scored = Scored()
        row = 0
        for item in launched.step.requests:
            wanted = len(logit_positions(item))
            if item.request.given:
                scored.add(item, row, wanted)
                row += wanted
                continue
            predicted = wanted - item.samples
            if predicted:
                launched.prompt_logprobs[item.request_id] = prompt_logprobs(logits[row : row + predicted], item)
            row += wanted
            if item.samples:
                for request in (item.request, *item.followers):
                    sampled_rows.append(row - 1)
                    rows.append(_sample_row(request))
        launched.scores = scored.scores(logits)
        if not rows:
            return launched
        if sampled_rows != list(range(logits.shape[0])):
            logits = logits[torch.tensor(sampled_rows, device=logits.device)]
        token_ids = self.sampler.draw(logits, rows)
        if self._overlaps and not any(item.followers for item in launched.step.requests):
            self.inputs.remember(inputs.sampled_rows, token_ids)
        self._deliver(launched, rows, logits, token_ids)
        return launched

    def _deliver(self, launched: LaunchedStep, rows: Sequence[SampleRow], logits: Tensor, token_ids: Tensor) -> None:
        """Sends the chosen tokens on their way to the host; logprobs are waited for."""
        launched.request_ids = [row.request_id for row in rows]
        on_host = launched.token_ids = torch.empty(
            token_ids.shape, dtype=token_ids.dtype, pin_memory=token_ids.device.type == "cuda"
        )
        on_host.copy_(token_ids, non_blocking=True)
        if token_ids.device.type == "cuda":
            launched.arrived = torch.cuda.Event()
            launched.arrived.record()
        if any(row.params.logprobs is not None for row in rows):
            launched.logprobs = self.sampler.logprobs(logits, rows, token_ids)

    @property
    def books(self) -> Bookkeeping:
        """Of the requests' rows."""
        return self.inputs.books

    def reset(self) -> None:
        """Forgets all requests; steps under way are waited for, what they chose is nobody's."""
        if self.model.device.type == "cuda":
            torch.cuda.synchronize(self.model.device)
        self.inputs.reset()
        self.sampler.reset()

    def check(self) -> None:
        """Asserts the invariants of what it owns."""
        self.kv_cache.check()
        self.inputs.check()


_NAN = "the model's logits are NaN, or no token is left; try dtype='float32' or 'bfloat16'"


def block_bytes(model: PagedModel, config: EngineConfig, groups: Sequence[KVCacheGroup]) -> int:
    """What one block takes in all of the pool's tensors, on the device or in the swap pool."""
    return bytes_per_block(tensor_slots(model.layers, groups), config.block_size, _cache_dtype(model, config))


def _cache_dtype(model: PagedModel, config: EngineConfig) -> torch.dtype:
    name = KV_CACHE_DTYPES[config.kv_cache_dtype]
    return model.dtype if name is None else getattr(torch, name)


def _sample_row(request: Request) -> SampleRow:
    return SampleRow(
        request.request_id,
        request.params,
        request.token_ids,
        request.num_prompt_tokens,
        request.banned_token_ids,
        request.num_tokens,
    )
