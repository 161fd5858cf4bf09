"""ModelRunner: computes steps on one device. Owns the pools' tensors, the rows and the sampler; makes no decisions."""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, replace
from typing import ParamSpec, TypeVar, cast

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from torchpaged.config import EngineConfig, VllmConfig
from torchpaged.errors import ConfigError, reason_of
from torchpaged.execution.adapter_slots import AdapterSlots
from torchpaged.execution.batch import StepBatch, encoded_places
from torchpaged.execution.batch_invariance import compile_batch_invariant, in_batch_invariant_mode
from torchpaged.execution.cache_sizing import (
    LEAST_SLOTS,
    Slots,
    block_bytes,
    cache_dtype,
    groups_of,
    groups_of_blocks,
    num_asked_blocks,
    num_slots,
    num_swap_blocks,
    slot_bytes,
    slots_bytes,
)
from torchpaged.execution.compiled_forward import compile_model
from torchpaged.execution.cuda_graphs import (
    Capture,
    CudaGraphs,
    GraphShape,
    NotCapturable,
    capture_sizes,
    cuda_capture,
    verify_shapes,
)
from torchpaged.execution.draft_runner import DraftRunner
from torchpaged.execution.exact import why_not_exact
from torchpaged.execution.key_channels import SCALED_DTYPES, key_factors
from torchpaged.execution.logit_bias import Mask, RowEdits
from torchpaged.execution.logits import (
    NOTHING_LEFT,
    PIECE,
    LogitPlan,
    on_host,
    score_tokens,
)
from torchpaged.execution.media_features import MediaFeatures, MediaPart
from torchpaged.execution.media_pool import MediaPool
from torchpaged.execution.memory_profiling import StepShape, graph_bytes, measure, widest_steps
from torchpaged.execution.paged_kv_cache import PagedKVCache, size_pool
from torchpaged.execution.pending_step import PendingLogprobs, PendingStep, UnsampledLogits
from torchpaged.execution.phases import FORWARD, INPUTS, SAMPLE, span
from torchpaged.execution.processors import Processors
from torchpaged.execution.rows import Ints, Rows
from torchpaged.execution.sampler import Draws, Sampler
from torchpaged.execution.state_pool import StatePool
from torchpaged.execution.step_inputs import StepInputs
from torchpaged.execution.step_scores import hidden_results, score_known_tokens
from torchpaged.execution.swap_cost import Stopwatch
from torchpaged.execution.trials import trials
from torchpaged.execution.upload import placed
from torchpaged.kv_cache.block import BlockCopy, PoolKind
from torchpaged.logits_processors import load
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.draft_model import SpeculativeModel, TargetWithDraft, TargetWithMtp
from torchpaged.models.model import EmbeddingModel, Encoder, Forward, Head, PagedModel, media_encoder_of
from torchpaged.ops import devices
from torchpaged.scheduling import RowParams, Step
from torchpaged.utils.huge_pages import is_of_memory

logger = logging.getLogger(__name__)

_P = ParamSpec("_P")
_R = TypeVar("_R")

# Context tokens of a step that is timed: attention reads them for each row, as in a real decode.
_TIMED_CONTEXT = 256


class ModelRunner:
    """Runs steps of one model on one device.

    Args:
        model: what to run.
        config: the engine's settings, as returned by `EngineConfig.resolve`.
        least: minimum that a step's sizes are padded up to, if the model's own is lower.
        agreed: maps numbers of blocks and slots that fit on this device to those to allocate: the least of all ranks.
            None: there is one rank.

    Attributes:
        groups: kinds of layers with one block table each, for the block manager.
        kv_cache: the pool of blocks.
        state_pool: the pool of recurrent states and tails; None without recurrent layers.
        adapters: slots of adapters; None if requests have none.
        rows: per-sequence state: tokens, block tables, sampling parameters.
        batch: makes tensors of steps.
        sampler: samples tokens.
        graphs: captured steps; None where steps run eagerly.
        draft_runner: computes drafts with a draft model or the model's own head; None without either.
        media: features of images and sounds; None: the model takes none.

    Raises:
        ConfigError: no memory for the pool, or a block size that does not suit the model.
    """

    def __init__(
        self,
        model: PagedModel,
        config: EngineConfig,
        *,
        least: int = 0,
        agreed: Callable[[Sequence[int]], Sequence[int]] | None = None,
    ) -> None:
        self._is_alone = agreed is None
        agreed = agreed or (lambda numbers: numbers)
        self.model, self.config, self.device = model, config, model.spec.device
        self.groups = groups_of(model, config)
        self._least = 2 if config.compiles(self.device.type) else max(least, model.spec.least)
        self._compiled: tuple[Forward, Head] | None = None
        self.draft_runner: DraftRunner | None = None
        self.graphs: CudaGraphs | None = None
        self._given_back: list[tuple[torch.UntypedStorage, int]] = []  # by `sleep`, with the bytes to take again
        self._copying: Stopwatch | None = None  # times copies whose step has not been launched yet
        self.adapters = self._adapter_slots() if config.enable_lora else None
        self.media: MediaFeatures | None = None
        if (encoder := media_encoder_of(model)) is not None:
            pool = MediaPool(model.spec, config.num_kept_encoder_tokens) if model.spec.media_layers else None
            self.media = MediaFeatures(encoder, model.spec, self._own(encoder.encode), pool)
        with devices.current(self.device):
            self._key_factors = key_factors(model) if cache_dtype(model, config) in SCALED_DTYPES else {}
            slots = Slots(*agreed(astuple(num_slots(model, config))))
            num_blocks, swap_blocks = agreed(
                (
                    num_asked_blocks(model, config, slots) or self._num_blocks_that_fit(slots),
                    num_swap_blocks(model, config, slots),
                )
            )
            try:
                self._allocate(num_blocks, swap_blocks, slots)
            except Exception as error:
                if not (isinstance(error, OSError) or is_of_memory(error)):
                    raise
                states = f"num_state_slots is {slots.states}, " if model.spec.states else ""
                raise ConfigError(
                    f"EngineConfig: num_blocks is {num_blocks}, {states}swap_space is {config.swap_space}, "
                    f"max_num_seqs is {config.max_num_seqs} and max_model_len is {self._max_model_len}, but the system "
                    f"gives no such memory ({reason_of(error)}); ask for less"
                ) from error
        self.compile()

    def _adapter_slots(self) -> AdapterSlots:
        model, config = self.model, self.config
        weights = model.weights
        assert weights is not None and weights.linear_modules, "EngineWeights has not prepared them"
        return AdapterSlots(
            weights.linear_modules,
            config.max_loras,
            config.num_host_adapters,
            config.max_lora_rank,
            model.spec.dtype,
            self.device,
            weights.merged_linears,
        )

    # --- Memory --------------------------------------------------------------------------------------------

    @property
    def slots(self) -> Slots:
        """Return the numbers of state and tail slots; all 0 without recurrent layers."""
        pool = self.state_pool
        if pool is None:
            return Slots()
        return Slots(pool.num_states, pool.num_tails, pool.num_swap_states, pool.num_swap_tails)

    @property
    def block_bytes(self) -> dict[PoolKind, int]:
        """Return the bytes of a block, of a state slot and of a tail slot, in all layers."""
        states, tails = slot_bytes(self.model.spec)
        return {PoolKind.BLOCKS: self.kv_cache.bytes_per_block, PoolKind.STATES: states, PoolKind.TAILS: tails}

    @property
    def _max_model_len(self) -> int:
        return self.config.max_model_len or self.model.spec.max_model_len

    @property
    def _longest_table(self) -> int:
        """Return the tokens that a block table has room for."""
        encoder = self.model.encoder
        return max(self._max_model_len, 0 if encoder is None else encoder.max_tokens)

    def _num_blocks_that_fit(self, slots: Slots) -> int:
        config = self.config
        reserve = self._measure_reserve() if self.device.type == "cuda" else 0
        if self.media is not None:
            width = self.model.spec.feature_size * self.model.spec.dtype.itemsize
            reserve += config.num_kept_encoder_tokens * width
        return size_pool(
            device=self.device,
            bytes_per_block=block_bytes(self.model, config, self.groups),
            block_size=config.block_size,
            max_model_len=self._longest_table,
            max_num_seqs=config.max_num_seqs,
            utilization=config.gpu_memory_utilization,
            num_groups=len(groups_of_blocks(self.groups)),
            reserve=reserve + slots_bytes(self.model, slots),
        )

    def _allocate(self, num_blocks: int, num_swap_blocks: int = 0, slots: Slots = LEAST_SLOTS) -> None:
        """Allocate the pools and the buffers that steps reuse."""
        config, spec, max_model_len = self.config, self.model.spec, self._max_model_len
        layers = {index: shape.within(max_model_len) for index, shape in spec.layers.items()}
        self.kv_cache = PagedKVCache(
            layers,
            num_blocks,
            config.block_size,
            cache_dtype(self.model, config),
            self.device,
            groups=groups_of_blocks(self.groups),
            num_swap_blocks=num_swap_blocks,
            key_factors=self._key_factors,
        )
        self.state_pool = None
        if spec.states:
            self.state_pool = StatePool(
                spec.states,
                spec.state_chunk,
                slots.states,
                slots.tails,
                spec.dtype,
                self.device,
                num_swap_states=slots.swap_states,
                num_swap_tails=slots.swap_tails,
            )
        self.rows = Rows(
            len(self.groups),
            config.max_num_seqs,
            -(-self._longest_table // min(group.spec.block_size for group in self.groups)),
            max_model_len + 1,
            self.device,
        )
        self.batch = StepBatch(
            self.rows,
            groups=self.groups,
            chunk_sizes={index: shape.attention_chunk_size for index, shape in layers.items()},
            caches=self.kv_cache.by_layer(),
            block_size=config.block_size,
            device=self.device,
            least=self._least,
            states=() if self.state_pool is None else self.state_pool.by_layer(),
            adapters=self.adapters,
            always_adapted=config.compiles(self.device.type),
            causal=not spec.is_encoder,
            position_axes=spec.position_axes,
            media_attends_both_ways=spec.media_attends_both_ways,
            masks_windows=spec.media_sees_in_windows,
            media_pool=None if self.media is None else self.media.pool,
            media_layers=sorted(spec.media_layers),
        )
        view = VllmConfig.of(spec, config)
        processors = Processors(load(config.logits_processors or ()), view, self.device, self.rows.tokens)
        self.sampler = Sampler(self.rows, self.device, processors)

    @torch.inference_mode()
    def _measure_reserve(self) -> int:
        """Measure the bytes that the widest steps and the graphs take beside weights and pool.

        Runs eagerly over a pool of two blocks; a compiled forward takes no more.
        """
        config, longest = self.config, self._max_model_len
        before = torch.cuda.memory_allocated(self.device)
        self._allocate(2)
        reserve = torch.cuda.memory_allocated(self.device) - before
        captures = config.captures(self.device.type)
        reserve += measure(
            self.device,
            widest_steps(config.max_num_seqs, config.max_num_batched_tokens, longest),
            [StepShape.at_the_end([1] * shape.num_seqs, longest) for shape in self._decode_shapes()],
            forward=self._run_blank,
            sample=self._sample_blank,
            graphs=self._make_graphs if captures else None,
        )
        if captures and (shapes := self._verify_shapes()):
            few = [shapes[0], shapes[-1]] if len(shapes) > 1 else shapes
            reserve += graph_bytes(self.device, len(shapes), few, self._make_graphs)
        del self.kv_cache, self.state_pool, self.batch, self.rows, self.sampler
        torch.cuda.empty_cache()
        return reserve

    @torch.inference_mode()
    def step_seconds(self, sizes: Sequence[int]) -> list[float]:
        """Measure the seconds of steps that compute so many tokens of one sequence and sample after each."""
        found = [float("inf")] * len(sizes)
        with devices.current(self.device):
            for _ in trials(
                fixed=not self._is_alone
            ):  # size by size within a trial, so that a slow moment of the machine hits all sizes
                for place, size in enumerate(sizes):
                    context = max(0, min(_TIMED_CONTEXT, self._max_model_len - size))
                    begin = time.perf_counter()
                    logits = self._logits(self._run(self.batch.blank([size], [context], every_row=True)))
                    padding: Ints = np.zeros(size, dtype=np.int64)
                    self.sampler.draw(logits[:size], Draws(padding, padding + 1)).tolist()
                    found[place] = min(found[place], time.perf_counter() - begin)
        return found

    @torch.inference_mode()
    def draft_seconds(self, sizes: Sequence[int]) -> list[tuple[float, float]]:
        """Return `DraftRunner.seconds`; nothing without a draft runner."""
        with devices.current(self.device):
            return [] if self.draft_runner is None else self.draft_runner.seconds(sizes, fixed=not self._is_alone)

    def _run_blank(self, shape: StepShape) -> Tensor:
        """Return the hidden states of every token of a blank step."""
        encoder_len = 1 if self.model.encoder is None else self.model.encoder.max_tokens
        return self._run(
            self.batch.blank(shape.query_lens, shape.context_lens, encoder_len=encoder_len, every_row=True)
        )

    def _sample_blank(self, hidden: Tensor, num_seqs: int) -> None:
        """Do everything that requests may ask of a step's hidden states at once.

        That is scores of all tokens, edits and penalties, and logprobs of the sampled tokens.
        """
        vocab_size, every_row = self.model.spec.vocab_size, torch.arange(len(hidden), device=self.device)
        for piece in every_row.split(max(1, PIECE // vocab_size)):
            logits = self._logits(hidden[piece])
            score_tokens(logits, torch.arange(len(piece), device=self.device), torch.zeros_like(piece), 1)
        rows: Ints = np.arange(num_seqs)
        columns, penalised, edits = self.rows.columns, self.rows.penalised, self.rows.edits
        before = {name: column.copy() for name, column in columns.items()}
        columns["temperature"][:], columns["top_k"][:], columns["repetition_penalty"][:] = 1.0, 1, 2.0
        penalised[:] = True
        edits.fill(RowEdits.from_params(RowParams(logit_bias=((0, 1.0),), allowed=(0,))))
        own = self._logits(hidden[:num_seqs])
        tokens = self.sampler.draw(own, Draws(rows, np.ones(num_seqs, dtype=np.int64)))
        score_tokens(own, every_row[:num_seqs], tokens.clamp_min(0), 1)
        penalised[:] = False
        edits.fill(None)
        for name, column in before.items():
            columns[name][:] = column

    # --- Compiled forwards and graphs ----------------------------------------------------------------------

    def renew(self) -> None:
        """Recompute what depends on the weights, after these have changed: programs, graphs, factors of keys."""
        if self.kv_cache.dtype in SCALED_DTYPES:
            with devices.current(self.device):
                self._key_factors = key_factors(self.model)
            self.kv_cache.scale_keys(self._key_factors)
            self.batch.renew(self.kv_cache.by_layer())
        if self.media is not None:
            self.media.clear()
        self.compile()

    def compile(self) -> None:
        """Compile and capture the forward if the settings say so; again when the weights are of another kind.

        Raises:
            ConfigError: graphs were asked for, and the forward waits for the device; or batch_invariant was, and the
                forward is not.
        """
        if self.config.batch_invariant:
            self._require_exact()
        self.graphs = None  # those of old weights must not be replayed, and their memory is needed for the new ones
        with devices.current(self.device):
            if isinstance(self.model, TargetWithDraft):
                self._compile_with_draft(self.model)
            elif isinstance(self.model, TargetWithMtp):
                propose = self._own(self.model.propose)
                self.draft_runner = DraftRunner(
                    self.batch,
                    lambda inputs, before: propose(inputs.input_ids, inputs.positions, inputs.metadata, before),
                    self._logits,
                )
            elif self.config.compiles(self.device.type):
                self._compiled = self._compile(self.model)
            if self._compiled is not None:
                self._warm_up()
            if self.config.captures(self.device.type):
                try:
                    self.capture(cuda_capture())
                except NotCapturable as error:
                    if self.config.cuda_graphs is True:
                        raise ConfigError(
                            "EngineConfig: cuda_graphs is True, but the model's forward waits for the device: "
                            f"{error}; leave it out"
                        ) from error
                    logger.warning("decode steps run without CUDA graphs, the forward waits for the device: %s", error)

    def _compile(self, model: PagedModel) -> tuple[Forward, Head]:
        caches = [each for each in (*self.batch.caches, *self.batch.states) if each is not None]
        invariant = self.config.batch_invariant and self.device.type == "cuda"
        return compile_model(model, caches, compile_batch_invariant if invariant else self.config.compile_backend)

    def _own(self, function: Callable[_P, _R]) -> Callable[_P, _R]:
        """Return a function of the model that runs eagerly, made batch-invariant if that was asked for."""
        invariant = self.config.batch_invariant and self.device.type == "cuda"
        return in_batch_invariant_mode(function) if invariant else function

    def _require_exact(self) -> None:
        """Try the eager forward; inductor takes the same products, and one kernel for all sizes of each other part.

        Raises:
            ConfigError: a row's bits depend on others.
        """
        model = self.model
        models = (model.target, model.draft) if isinstance(model, TargetWithDraft) else (model,)
        models = (model.target,) if isinstance(model, TargetWithMtp) else models
        for each in models:
            if (reason := why_not_exact(each, self._own(each.forward), self._own(each.logits))) is not None:
                raise ConfigError(
                    f"EngineConfig: batch_invariant is True, but {each.spec.name} on {self.device} is not: {reason}; "
                    "leave it out"
                )

    def _compile_with_draft(self, model: TargetWithDraft) -> None:
        """Make the draft runner; if the settings say so, compile target and draft model, each by itself."""
        target: Forward = self._own(model.target.forward)
        draft: Forward = self._own(model.draft.forward)
        head: Head = self._own(model.draft.logits)
        if self.config.compiles(self.device.type):
            (target, own), (draft, head) = self._compile(model.target), self._compile(model.draft)
            self._compiled = model.joined(target, draft), own

        def propose(inputs: StepInputs, before: Tensor | None) -> Tensor:
            metadata = model.draft_metadata(inputs.metadata)
            positions = model.draft_positions(inputs.positions)
            return draft(inputs.input_ids, positions, metadata, inputs.wanted_rows)

        def verify(input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
            return target(input_ids, positions, model.target_metadata(metadata), rows)

        self.draft_runner = DraftRunner(self.batch, propose, lambda hidden: self._logits(hidden, head), verify)

    @torch.inference_mode()
    def capture(self, capture: Capture) -> None:
        """Capture the graphs, which are used from then on."""
        self.graphs = self._make_graphs([*self._decode_shapes(), *self._verify_shapes()], capture)

    def _make_graphs(self, shapes: Sequence[GraphShape], capture: Capture) -> CudaGraphs:
        return CudaGraphs(self.batch, self._forward_to_logits, shapes, capture)

    def _decode_shapes(self) -> list[GraphShape]:
        sizes = self.config.cudagraph_capture_sizes or capture_sizes(self.config.max_num_seqs)
        return [GraphShape(size, 1) for size in sorted({max(size, self._least) for size in sizes})]

    def _verify_shapes(self) -> list[GraphShape]:
        """Return the shapes of steps whose drafts come from the scheduler, not from this runner."""
        drafts = self.config.speculation
        if drafts is None or isinstance(self.model, SpeculativeModel) or not CudaGraphs.can_verify(self.batch):
            return []
        return verify_shapes([shape.num_seqs for shape in self._decode_shapes()], 1 + drafts.num_speculative_tokens)

    def _forward_to_logits(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        return self._head(self._forward(input_ids, positions, metadata, rows))

    @torch.inference_mode()
    def _warm_up(self) -> None:
        """Compile what all steps will run, now, by a mixed step and a decode step."""
        for query_lens in tqdm(((3, 2), (1, 1)), desc="compile", unit="step", leave=False):
            self._head(self._run(self.batch.blank(query_lens)))

    @property
    def _forward(self) -> Forward:
        return self._own(self.model.forward) if self._compiled is None else self._compiled[0]

    @property
    def _head(self) -> Head:
        return self._own(self.model.logits) if self._compiled is None else self._compiled[1]

    # --- Steps ---------------------------------------------------------------------------------------------

    def copy(self, copies: Sequence[BlockCopy]) -> None:
        """Copy blocks as if one after the other. The copies of a step are made before its `launch`."""
        self._copying = None
        with Stopwatch(self.device) as watch:
            blocks = [copy for copy in copies if copy.pool is PoolKind.BLOCKS]
            if blocks:
                self.kv_cache.copy(blocks)
            if self.state_pool is not None and len(blocks) < len(copies):
                self.state_pool.copy([copy for copy in copies if copy.pool is not PoolKind.BLOCKS])
        self._copying = watch

    def discard(self, kind: PoolKind, runs: Sequence[tuple[int, int]]) -> None:
        """Give back the memory of blocks or slots [first, last) on a CPU."""
        if kind is PoolKind.BLOCKS:
            self.kv_cache.discard(runs)
        else:
            assert self.state_pool is not None
            self.state_pool.discard(kind, runs)

    def sleep(self, *, discard: bool) -> None:
        """Give back the memory of the pools, and of graphs.

        Args:
            discard: on a CPU, if the system takes pages back.
        """
        self.graphs = None
        if self.device.type == "cpu":
            if discard:
                sizes = (self.kv_cache.num_blocks, self.slots.states, self.slots.tails)
                for kind, size in zip((PoolKind.BLOCKS, PoolKind.STATES, PoolKind.TAILS), sizes, strict=True):
                    if size:
                        self.discard(kind, [(0, size)])
            return
        torch.cuda.synchronize(self.device)
        storages = {each.untyped_storage().data_ptr(): each.untyped_storage() for each in self._pool_tensors()}
        self._given_back = [(storage, storage.size()) for storage in storages.values()]
        for storage in storages.values():
            storage.resize_(0)
        gc.collect()
        torch.cuda.empty_cache()

    def wake_up(self) -> None:
        """Take the memory of the pools again; they hold zeros."""
        for storage, size in self._given_back:
            storage.resize_(size)
            torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage).zero_()
        self._given_back = []

    def _pool_tensors(self) -> list[Tensor]:
        """Return all tensors of the pools on the device."""
        found = [each for pair in self.kv_cache.slots for each in pair.tensors]
        if self.state_pool is not None:
            found += [each for cache in self.state_pool.caches.values() for each in cache.tensors]
        return [each for each in found if each.numel()]

    def launch(self, step: Step) -> PendingStep:
        """Start computing a step's tokens and sampling the next ones; on CUDA, return before the device is done.

        A step may be launched before the results of the one before are known: it reads the tokens on the device.
        """
        with torch.inference_mode(), devices.current(self.device):
            if self.adapters is None:
                return self._launch(step)
            with self._in_slots(self.adapters, step):
                return self._launch(step)

    @contextmanager
    def _in_slots(self, slots: AdapterSlots, step: Step) -> Generator[None]:
        """Put the adapters of a step's sequences into slots and keep them there. They are in host memory."""
        try:
            slots.use(self.rows.adapters_of(step))
            yield
        finally:
            slots.use(())

    def _launch(self, step: Step) -> PendingStep:
        pending = PendingStep(step, self._copying)
        self._copying = None
        if step.media or step.kept_media is not None:
            assert self.media is not None
            with span(FORWARD, self.device):
                self.media.update(step)
        if not step.ids:
            self.rows.update(step)
            return pending
        embeds = self.rows.embedded(step)
        parts = () if self.model.spec.media_layers else self.rows.media_parts(step)
        captured = self.graphs is not None and not (embeds or parts or self.rows.has_prompt_positions(step))
        if captured and self.graphs is not None and (shape := self.graphs.shape_of(step)) is not None:
            return self._replay(self.graphs, shape, pending)
        pending.drafts, forward, rows = step.drafts, None, None
        if step.drafts and self.draft_runner is not None:
            with span(FORWARD, self.device):
                rows, forward = self.rows.update(step), self.draft_runner.verify
                pending.drafts = self.draft_runner.propose(step, rows)
        with span(INPUTS):
            inputs = self.batch.prepare(step, rows)
        with span(FORWARD, self.device), Stopwatch(self.device) as pending.computing:
            if self.model.encoder is not None:
                inputs = replace(inputs, metadata=_encoded(self.model.encoder, step, inputs.metadata))
            if embeds or parts:  # by the eager forward: a compiled one takes tokens
                inputs, forward = (
                    replace(inputs, input_ids=self._embedded(inputs.input_ids, embeds, parts)),
                    self._own(self.model.forward),
                )
            hidden = self._run(inputs, forward)
            logits = self._logits_of(pending, inputs, hidden)
            if inputs.plan.hidden:
                pending.hidden = hidden_results(inputs.plan, hidden, self._logits)
        with span(SAMPLE):
            if logits is not None:
                self._draw(pending, inputs, logits)
            self._copy_to_host(pending)
        return pending

    def _embedded(self, input_ids: Tensor, embeds: Sequence[tuple[int, Tensor]], parts: Sequence[MediaPart]) -> Tensor:
        """Return [num_tokens, embedding_size]: the tokens' embeddings, with those of prompts and images in place."""
        made = cast(EmbeddingModel, self.model).embed(input_ids)
        for place, rows in embeds:
            made[place : place + len(rows)] = rows
        if parts:
            assert self.media is not None
            self.media.put(made, parts)
        return made

    def _run(self, inputs: StepInputs, forward: Forward | None = None) -> Tensor:
        """Return the hidden states of the wanted rows.

        Args:
            forward: replaces the one that writes all caches.
        """
        return (forward or self._forward)(inputs.input_ids, inputs.positions, inputs.metadata, inputs.wanted_rows)

    def _logits(self, hidden: Tensor, head: Head | None = None) -> Tensor:
        """Return logits [num_rows, vocab_size]; rows are padded for a compiled head and cut off again.

        Args:
            head: of another model; None: of this one.
        """
        head, count = head or self._head, hidden.shape[0]
        if count >= self._least:
            return head(hidden)
        return head(torch.cat([hidden, hidden.new_zeros(self._least - count, hidden.shape[1])]))[:count]

    def _logits_of(self, pending: PendingStep, inputs: StepInputs, hidden: Tensor) -> Tensor | None:
        """Return the logits to draw from [num_draws, vocab_size], or None; score known tokens on the way.

        Logits of many scored rows are made piece by piece.
        """
        plan = pending.plan = inputs.plan
        if not (count := plan.num_logits):
            return None
        if count < hidden.shape[0]:
            hidden = hidden[:count]
        if plan.scored:
            most = max(1, PIECE // self.model.spec.vocab_size)
            if count > most:  # the memory holds one piece beside the logits to draw from, not two
                pending.scores = score_known_tokens(inputs, self.rows.tokens, hidden.split(most), most, self._logits)
                return self._logits(hidden[placed(plan.draw_rows, self.device)]) if plan.draws else None
            logits = self._logits(hidden)
            pending.scores = score_known_tokens(inputs, self.rows.tokens, [hidden], most, lambda _: logits)
        else:
            logits = self._logits(hidden)
        if not plan.draws:
            return None
        return logits if plan.all_are_drawn else logits[placed(plan.draw_rows, self.device)]

    def _draw(self, pending: PendingStep, inputs: StepInputs, logits: Tensor) -> None:
        """Draw the next tokens, or keep the logits of all draws if any of them needs a mask."""
        plan, rows, drawn = inputs.plan, inputs.rows, inputs.lengths
        if not plan.draws_each_sequence:
            rows, drawn = rows[plan.draw_places], drawn[plan.draw_places]
        drawn = drawn if plan.lags is None else drawn - plan.lags
        # A draw with an id of its own has no row yet.
        draws = Draws(rows, drawn, plan.seeds, plan.draws, into_rows=not pending.step.draws)
        if pending.step.masked:
            pending.unsampled = UnsampledLogits(logits, draws)
        else:
            self._store(pending, logits, draws, self.sampler.draw_runs(logits, draws, pending.drafts))

    def sample(self, pending: PendingStep, masks: Mapping[int, Mask | str]) -> None:
        """Sample the tokens of a step that `launch` has left unsampled because it needs masks.

        Args:
            masks: as of `Executor.sample`, for all sequences that the step calls masked.
        """
        unsampled, plan, step = pending.unsampled, pending.plan, pending.step
        if unsampled is None or plan is None:
            return
        missing = step.masked - masks.keys()
        assert not missing, f"step {step.number}: masks are missing for {sorted(missing)}"
        with torch.inference_mode(), devices.current(self.device):
            logits, draws, of_draws = unsampled.logits, unsampled.draws, _masks_of_draws(step, plan, masks)
            pending.unsampled = None
            tokens = self.sampler.draw_runs(logits, draws, pending.drafts, of_draws)
            reported = self.rows.columns["logprobs"][draws.rows[list(of_draws)]] >= 0
            if reported.any():
                logits = self.sampler.masked(logits, of_draws)
            self._store(pending, logits, draws, tokens)
            for draw in of_draws:
                reason = masks[step.ids[plan.draw_places[draw]]]
                pending.failures.setdefault(plan.draws[draw], reason if isinstance(reason, str) else NOTHING_LEFT)
            self._copy_to_host(pending)

    def _store(self, pending: PendingStep, logits: Tensor, draws: Draws, tokens: Tensor) -> None:
        """Write drawn tokens into the rows of their sequences, and make them results."""
        if draws.are_written:
            pending.token_ids = tokens
            return
        plan, step = pending.plan, pending.step
        assert plan is not None
        pending.failures = self.sampler.take_failures()
        rows, lengths, own_tokens = draws.rows, draws.lengths, tokens
        if step.draws:  # a draw with an id of its own has no row yet
            own: Ints = np.flatnonzero(
                [step.ids[place] == draw for draw, place in zip(plan.draws, plan.draw_places.tolist(), strict=True)]
            )
            rows, lengths, own_tokens = rows[own], lengths[own], tokens[placed(own, self.device)]
        if len(rows):
            self.rows.tokens.scatter(placed(rows, self.device), placed(lengths, self.device), own_tokens)
        self._report(pending, logits, draws, tokens)

    def _report(self, pending: PendingStep, logits: Tensor, draws: Draws, tokens: Tensor) -> None:
        """Make drawn tokens results, with logprobs where a row asks for them."""
        pending.token_ids = tokens
        wanted = self.rows.columns["logprobs"][draws.rows]
        places: Ints = np.flatnonzero(wanted >= 0)
        if len(places):
            at = placed(places, self.device)
            counts: list[int] = wanted[places].tolist()
            tensors = score_tokens(logits, at, tokens[at].clamp_min(0), max(counts))
            pending.logprobs = PendingLogprobs(places, counts, tensors)

    def _copy_to_host(self, pending: PendingStep) -> None:
        """Start copying all results to the host, without waiting."""
        if pending.unsampled is not None:
            return
        if self.graphs is None and self.device.type == "cpu":
            return  # they are there, and only a graph's results are overwritten by the next step
        if pending.token_ids is not None:
            pending.token_ids = on_host(pending.token_ids)
        if pending.logprobs is not None:
            pending.logprobs.tensors = pending.logprobs.tensors.on_host()
        if pending.scores is not None:
            pending.scores.tensors = pending.scores.tensors.on_host()
            pending.scores.token_ids = on_host(pending.scores.token_ids)
        pending.hidden = [on_host(each) for each in pending.hidden]
        if self.draft_runner is not None:
            pending.drafts = {
                id: on_host(run) if isinstance(run, Tensor) else run for id, run in pending.drafts.items()
            }
        if self.device.type == "cuda":
            pending.arrived = torch.cuda.Event()
            pending.arrived.record()

    def _replay(self, graphs: CudaGraphs, shape: GraphShape, pending: PendingStep) -> PendingStep:
        """Run a step as one graph, sampling included.

        The graph draws from the model's own logits; a step with edits, penalties or processors is drawn again after it.
        """
        step = pending.step
        rows, pending.drafts = self.rows.update(step), step.drafts
        counts: Ints = np.array(step.counts, dtype=np.int64)
        starts: Ints = np.concatenate([[0], np.cumsum(counts)])
        plan = pending.plan = LogitPlan.from_step(step, starts)
        lengths = (np.array(step.firsts, dtype=np.int64) + counts)[plan.draw_places]
        lengths = lengths if plan.lags is None else lengths - plan.lags
        draws = Draws(rows[plan.draw_places], lengths, None, plan.draws)
        with span(FORWARD, self.device):
            logits, tokens = graphs.run(step, shape, rows, self.sampler.parameters(draws))
        with span(SAMPLE):
            if len(self.sampler.changed(draws)):
                self._store(pending, logits, draws, self.sampler.draw_runs(logits, draws, pending.drafts))
            else:
                self._report(pending, logits, draws, tokens)
            self._copy_to_host(pending)
        return pending

    def reset(self) -> None:
        """Forget all sequences, after waiting for steps in flight; their tokens are dropped."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        self.rows.clear()
        if self.media is not None:
            self.media.clear()

    def check(self) -> None:
        """Assert the invariants of what it owns."""
        self.kv_cache.check()
        if self.state_pool is not None:
            self.state_pool.check()
        self.rows.check()
        if self.media is not None:
            self.media.check()
        if self.adapters is not None:
            self.adapters.check()


def _masks_of_draws(step: Step, plan: LogitPlan, masks: Mapping[int, Mask | str]) -> dict[int, Mask]:
    """Return the mask of each masked draw, by its place; one that allows nothing if a reason stands in its place."""
    nothing: Mask = np.zeros(1, dtype=np.uint32)
    found = {}
    for draw, place in enumerate(plan.draw_places.tolist()):
        if (id := step.ids[place]) in step.masked:
            mask = masks[id]
            behind = 0 if plan.lags is None else len(step.drafts.get(id, ())) - int(plan.lags[draw])
            found[draw] = nothing if isinstance(mask, str) else np.atleast_2d(mask)[behind]
    return found


def _encoded(encoder: Encoder, step: Step, metadata: StepMetadata) -> StepMetadata:
    """Return the metadata with the encoder states of sequences that begin.

    They are encoded one by one, so that the states of an input do not depend on others in the step.
    """
    states = [encoder.encode(step.new[step.ids[place]].encoder) for place in encoded_places(step)]
    return replace(metadata, encoder_states=torch.cat(states) if states else None)
