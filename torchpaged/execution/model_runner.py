"""ModelRunner: computes steps on one device. Owns the pool's tensors, the rows and the sampler; decides nothing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from torchpaged.config import EngineConfig, VllmConfig
from torchpaged.errors import ConfigError, reason_of
from torchpaged.execution.batch import StepBatch, StepInputs, encoded_places
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
    slots_bytes,
)
from torchpaged.execution.compiled_forward import Forward, Head, compile_model
from torchpaged.execution.decode_graphs import Capture, DecodeGraphs, NotCapturable, capture_sizes, cuda_capture
from torchpaged.execution.draft_runner import DraftRunner
from torchpaged.execution.head_guesser import HeadDraftRunner
from torchpaged.execution.key_channels import key_factors
from torchpaged.execution.logit_bias import Mask, RowEdits
from torchpaged.execution.logits import (
    NOTHING_LEFT,
    PIECE,
    LogitPlan,
    ScoreEntries,
    ScoreTensors,
    on_host,
    score_tokens,
)
from torchpaged.execution.memory_profiling import StepShape, graph_bytes, measure, widest_steps
from torchpaged.execution.paged_kv_cache import PagedKVCache, size_pool
from torchpaged.execution.pending_step import LaunchedStep, PendingLogprobs, ScoresUnderWay, UnsampledLogits
from torchpaged.execution.phases import FORWARD, INPUTS, SAMPLE, span
from torchpaged.execution.processors import Processors
from torchpaged.execution.rows import Ints, Rows
from torchpaged.execution.run_graphs import RunGraphs, run_shapes
from torchpaged.execution.sampler import Draws, Sampler
from torchpaged.execution.state_pool import StatePool
from torchpaged.execution.swap_cost import Stopwatch
from torchpaged.execution.trials import trials
from torchpaged.execution.upload import placed
from torchpaged.kv_cache.block import BlockCopy, PoolKind
from torchpaged.logits_processors import load
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.drafted import DraftedModel
from torchpaged.models.headed import HeadedModel
from torchpaged.models.model import EmbeddingModel, Encoder, PagedModel
from torchpaged.ops import devices
from torchpaged.scheduling import RowParams, Step
from torchpaged.utils.huge_pages import is_of_memory

logger = logging.getLogger(__name__)

# Tokens before those of a step that is timed: its attention reads them for each row.
_TIMED_BEHIND = 256


class ModelRunner:
    """Runs steps of one model.

    Args:
        model: what to run.
        config: the engine's settings, as `EngineConfig.resolve` gives them.
        least: what a step's sizes are padded up to, if the model says less.
        agreed: of the number of blocks that fit here, that which all take: the least of all ranks'.

    Attributes:
        groups: for the block manager, whose tables steps bring.
        kv_cache: the pool.
        rows: what is known of each sequence.
        batch: makes tensors of steps.
        sampler: chooses tokens.
        processors: logits processors, which change what it chooses from.
        graphs: of decode steps, where there are any.
        run_graphs: of steps that verify drafts, likewise.
        guesser: has a draft model, or the model's own head, guess; None: there is none.

    Raises:
        ConfigError: no room for the pool, or a block size that does not suit the model.
    """

    def __init__(
        self,
        model: PagedModel,
        config: EngineConfig,
        *,
        least: int = 0,
        agreed: Callable[[int], int] = lambda num_blocks: num_blocks,
    ) -> None:
        self.model, self.config, self.device = model, config, model.spec.device
        self.max_model_len = config.max_model_len or model.spec.max_model_len
        self.groups = groups_of(model, config)
        self._least = 2 if config.compiles(self.device.type) else max(least, model.spec.least)
        self._compiled: tuple[Forward, Head] | None = None
        self._verify: Forward | None = None  # in steps whose tokens a draft model has computed; None: as in others
        self.draft_runner: DraftRunner | HeadDraftRunner | None = None
        self._copying: Stopwatch | None = None  # of copies whose step has not been launched yet
        self.graphs: DecodeGraphs | None = None
        self.run_graphs: RunGraphs | None = None
        with devices.current(self.device):
            self._key_factors = key_factors(model) if cache_dtype(model, config) == torch.int8 else {}
            self.slots = num_slots(model, config)
            num_blocks = agreed(num_asked_blocks(model, config, self.slots) or self._num_blocks_that_fit())
            try:
                self._allocate(num_blocks, num_swap_blocks(model, config, self.slots), self.slots)
            except Exception as error:
                if not (isinstance(error, OSError) or is_of_memory(error)):
                    raise
                states = f"num_state_slots is {self.slots.states}, " if model.spec.states else ""
                raise ConfigError(
                    f"EngineConfig: num_blocks is {num_blocks}, {states}swap_space is {config.swap_space}, "
                    f"max_num_seqs is {config.max_num_seqs} and max_model_len is {self.max_model_len}, but the system "
                    f"gives no such memory ({reason_of(error)}); ask for less"
                ) from error
        self.compile()

    # --- Memory --------------------------------------------------------------------------------------------

    @property
    def _longest_table(self) -> int:
        """Tokens that a block table has room for."""
        encoder = self.model.encoder
        return max(self.max_model_len, 0 if encoder is None else encoder.max_tokens)

    def _num_blocks_that_fit(self) -> int:
        config = self.config
        reserve = self._measure_reserve() if self.device.type == "cuda" else 0
        return size_pool(
            device=self.device,
            bytes_per_block=block_bytes(self.model, config, self.groups),
            block_size=config.block_size,
            max_model_len=self._longest_table,
            max_num_seqs=config.max_num_seqs,
            utilization=config.gpu_memory_utilization,
            num_groups=len(groups_of_blocks(self.groups)),
            reserve=reserve + slots_bytes(self.model, self.slots),
        )

    def _allocate(self, num_blocks: int, num_swap_blocks: int = 0, slots: Slots = LEAST_SLOTS) -> None:
        """The pools, and the buffers that stay."""
        config, spec = self.config, self.model.spec
        layers = {index: shape.within(self.max_model_len) for index, shape in spec.layers.items()}
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
            self.max_model_len + 1,
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
        )
        self.processors = self._processors()
        self.sampler = Sampler(self.rows, self.device, self.processors)

    def _processors(self) -> Processors:
        view = VllmConfig.of(self.model.spec, self.config)
        return Processors(load(self.config.logits_processors or ()), view, self.device, self.rows.tokens)

    @torch.inference_mode()
    def _measure_reserve(self) -> int:
        """Bytes that the widest steps and the graphs take beside weights and pool: with a pool of two blocks, eagerly.

        A compiled forward takes no more.
        """
        config, longest = self.config, self.max_model_len
        before = torch.cuda.memory_allocated(self.device)
        self._allocate(2)
        reserve = torch.cuda.memory_allocated(self.device) - before
        reserve += measure(
            self.device,
            widest_steps(config.max_num_seqs, config.max_num_batched_tokens, longest),
            [StepShape.at_the_end([1] * size, longest) for size in self._capture_sizes()],
            forward=self._run_blank,
            choose=self._choose_blank,
            graphs=self._make_graphs if config.captures(self.device.type) else None,
        )
        if config.captures(self.device.type) and (shapes := self._run_shapes()):
            few = [shapes[0], shapes[-1]] if len(shapes) > 1 else shapes
            reserve += graph_bytes(self.device, len(shapes), few, self._make_run_graphs)
        del self.kv_cache, self.state_pool, self.batch, self.rows, self.sampler, self.processors
        torch.cuda.empty_cache()
        return reserve

    @torch.inference_mode()
    def step_seconds(self, sizes: Sequence[int]) -> list[float]:
        """What steps take that compute so many tokens of a sequence and draw behind each: the least of several."""
        found = [float("inf")] * len(sizes)
        with devices.current(self.device):
            for _ in trials():  # one size after the other, so that what runs beside slows all of them
                for place, size in enumerate(sizes):
                    behind = max(0, min(_TIMED_BEHIND, self.max_model_len - size))
                    begin = time.perf_counter()
                    logits = self._logits(self._run(self.batch.blank([size], [behind], every_row=True)))
                    everyone: Ints = np.zeros(size, dtype=np.int64)
                    self.sampler.draw(logits[:size], Draws(everyone, everyone + 1)).tolist()
                    found[place] = min(found[place], time.perf_counter() - begin)
        return found

    @torch.inference_mode()
    def draft_seconds(self, sizes: Sequence[int]) -> list[tuple[float, float]]:
        """`DraftRunner.seconds`; nothing without one."""
        with devices.current(self.device):
            return [] if self.draft_runner is None else self.draft_runner.seconds(sizes)

    def _run_blank(self, shape: StepShape) -> Tensor:
        """The hidden states of every token of a step that nobody asked for."""
        encoder_len = 1 if self.model.encoder is None else self.model.encoder.max_tokens
        return self._run(
            self.batch.blank(shape.query_lens, shape.context_lens, encoder_len=encoder_len, every_row=True)
        )

    def _choose_blank(self, hidden: Tensor, num_seqs: int) -> None:
        """All that may be asked of a step's hidden states at once: scores of all, edits and penalties, logprobs of the
        chosen."""
        vocab_size, everyone = self.model.spec.vocab_size, torch.arange(len(hidden), device=self.device)
        for piece in everyone.split(max(1, PIECE // vocab_size)):
            logits = self._logits(hidden[piece])
            score_tokens(logits, torch.arange(len(piece), device=self.device), torch.zeros_like(piece), 1)
        rows: Ints = np.arange(num_seqs)
        columns, penalised, edits = self.rows.columns, self.rows.penalised, self.rows.edits
        before = {name: column.copy() for name, column in columns.items()}
        columns["temperature"][:], columns["top_k"][:], columns["repetition_penalty"][:] = 1.0, 1, 2.0
        penalised[:] = self.rows.edited[:] = True
        edits[:] = [RowEdits.of(RowParams(logit_bias=((0, 1.0),), allowed=(0,)))] * len(edits)
        own = self._logits(hidden[:num_seqs])
        tokens = self.sampler.draw(own, Draws(rows, np.ones(num_seqs, dtype=np.int64)))
        score_tokens(own, everyone[:num_seqs], tokens.clamp_min(0), 1)
        penalised[:] = self.rows.edited[:] = False
        edits[:] = [None] * len(edits)
        self.rows.num_edits_set += 1  # nobody takes these for its own
        for name, column in before.items():
            columns[name][:] = column

    # --- Graphs --------------------------------------------------------------------------------------------

    def renew(self) -> None:
        """The weights are others, and so may be the channels of keys that are large."""
        if self.kv_cache.dtype == torch.int8:
            with devices.current(self.device):
                self._key_factors = key_factors(self.model)
            self.kv_cache.scale_keys(self._key_factors)
            self.batch.caches = self.kv_cache.by_layer()
        self.compile()

    def compile(self) -> None:
        """Compiles and captures the forward if the settings say so; again when its weights are of another kind.

        Raises:
            ConfigError: graphs were asked for, and the forward waits for the device.
        """
        self.graphs = self.run_graphs = None  # of weights that may be gone; their memory is free for the new ones
        with devices.current(self.device):
            if isinstance(self.model, DraftedModel):
                self._join(self.model)
            elif isinstance(self.model, HeadedModel):
                self.draft_runner = HeadDraftRunner(self.model, self.batch, self._logits)
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
        return compile_model(model, caches, self.config.compile_backend)

    def _join(self, model: DraftedModel) -> None:
        """The forwards of a model with a draft: each is compiled by itself, if any is."""
        target: Forward = model.target.forward
        draft: Forward = model.draft.forward
        head: Head = model.draft.logits
        if self.config.compiles(self.device.type):
            (target, own), (draft, head) = self._compile(model.target), self._compile(model.draft)
            self._compiled = model.joined(target, draft), own
        self._verify = lambda ids, positions, metadata, rows: target(ids, positions, model.of_target(metadata), rows)
        self.draft_runner = DraftRunner(model, self.batch, draft, lambda hidden: self._logits(hidden, head))

    @torch.inference_mode()
    def capture(self, capture: Capture) -> None:
        """Makes the graphs of decode steps, which are used from then on."""
        self.graphs = self._make_graphs(self._capture_sizes(), capture)
        if shapes := self._run_shapes():
            self.run_graphs = self._make_run_graphs(shapes, capture)

    def _make_graphs(self, sizes: Sequence[int], capture: Capture) -> DecodeGraphs:
        return DecodeGraphs(self.batch, self._whole_forward, sizes, capture)

    def _make_run_graphs(self, shapes: Sequence[tuple[int, int]], capture: Capture) -> RunGraphs:
        tables = self.graphs or DecodeGraphs(self.batch, self._whole_forward, [self._least or 1], lambda call: call)
        return RunGraphs(self.batch, tables, self._whole_forward, shapes, capture)

    def _run_shapes(self) -> list[tuple[int, int]]:
        """Of steps that verify drafts which somebody else than the model's own draft has guessed."""
        drafts = self.config.speculation
        if drafts is None or isinstance(self.model, (DraftedModel, HeadedModel)) or not RunGraphs.can(self.batch):
            return []
        return run_shapes(self._capture_sizes(), 1 + drafts.num_speculative_tokens)

    def _whole_forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """To logits."""
        return self._head(self._forward(input_ids, positions, metadata, rows))

    def _capture_sizes(self) -> list[int]:
        sizes = self.config.cudagraph_capture_sizes or capture_sizes(self.config.max_num_seqs)
        return sorted({max(size, self._least) for size in sizes})

    @torch.inference_mode()
    def _warm_up(self) -> None:
        """Compiles now, with a mixed step and a decode step, what all steps will run."""
        for query_lens in tqdm(((3, 2), (1, 1)), desc="compile", unit="step", leave=False):
            self._head(self._run(self.batch.blank(query_lens)))

    @property
    def _forward(self) -> Forward:
        return self.model.forward if self._compiled is None else self._compiled[0]

    @property
    def _head(self) -> Head:
        return self.model.logits if self._compiled is None else self._compiled[1]

    # --- Steps ---------------------------------------------------------------------------------------------

    def copy(self, copies: Sequence[BlockCopy]) -> None:
        """Copies blocks as if one after the other; a step's copies go before its `launch`."""
        self._copying = None
        with Stopwatch(self.device) as watch:
            blocks = [copy for copy in copies if copy.pool is PoolKind.BLOCKS]
            if blocks:
                self.kv_cache.copy(blocks)
            if self.state_pool is not None and len(blocks) < len(copies):
                self.state_pool.copy([copy for copy in copies if copy.pool is not PoolKind.BLOCKS])
        self._copying = watch

    def launch(self, step: Step) -> LaunchedStep:
        """Starts to compute a step's tokens and to choose the next ones. On CUDA it returns before the device is done.

        What a step under way chooses is taken from where it leaves it, and may be launched on.
        """
        with torch.inference_mode(), devices.current(self.device):
            return self._launch(step)

    def _launch(self, step: Step) -> LaunchedStep:
        launched = LaunchedStep(step, self._copying)
        self._copying = None
        if not step.ids:
            self.rows.update(step)
            return launched
        embeds = self.rows.embedded(step)
        if self.graphs is not None and not embeds and self.graphs.fits(step):
            return self._replay(self.graphs, launched)
        if self.run_graphs is not None and not embeds and self.run_graphs.shape_of(step) is not None:
            return self._replay(self.run_graphs, launched)
        launched.drafts, forward, rows = step.drafts, None, None
        if step.drafts and self.draft_runner is not None:
            with span(FORWARD, self.device):
                rows, forward = self.rows.update(step), self._verify
                launched.drafts = self.draft_runner.guess(step, rows)
        with span(INPUTS):
            inputs = self.batch.write(step, rows)
        with span(FORWARD, self.device), Stopwatch(self.device) as launched.computing:
            if self.model.encoder is not None:
                inputs = replace(inputs, metadata=_encoded(self.model.encoder, step, inputs.metadata))
            if embeds:  # by the forward that is not compiled: a compiled one takes tokens
                inputs, forward = (
                    replace(inputs, input_ids=self._embedded(inputs.input_ids, embeds)),
                    self.model.forward,
                )
            hidden = self._run(inputs, forward)
            logits = self._logits_of(launched, inputs, hidden)
            launched.hidden = self._hidden_of(inputs.plan, hidden)
        with span(SAMPLE):
            if logits is not None:
                self._draw(launched, inputs.plan, inputs.rows, logits)
            self._send(launched)
        return launched

    def _embedded(self, input_ids: Tensor, embeds: Sequence[tuple[int, Tensor]]) -> Tensor:
        """[num_tokens, embedding_size]: the tokens' embeddings, and from the given places on those of prompts."""
        made = cast(EmbeddingModel, self.model).embed(input_ids)
        for place, rows in embeds:
            made[place : place + len(rows)] = rows
        return made

    def _run(self, inputs: StepInputs, forward: Forward | None = None) -> Tensor:
        """Hidden states of the wanted rows.

        Args:
            forward: instead of the one that writes all caches.
        """
        return (forward or self._forward)(inputs.input_ids, inputs.positions, inputs.metadata, inputs.wanted_rows)

    def _logits(self, hidden: Tensor, head: Head | None = None) -> Tensor:
        """[num_rows, vocab_size], of as few rows as a compiled head may not take too.

        Args:
            head: another model's.
        """
        count = len(hidden)
        if count < self._least:
            hidden = torch.cat([hidden, hidden.new_zeros(self._least - count, hidden.shape[1])])
        return (head or self._head)(hidden)[:count]

    def _logits_of(self, launched: LaunchedStep, inputs: StepInputs, hidden: Tensor) -> Tensor | None:
        """The logits that tokens are drawn from, [num_draws, vocab_size]; known tokens are scored on the way.

        Of many scored rows it makes logits piece by piece.
        """
        plan = launched.plan = inputs.plan
        hidden = hidden[: plan.num_logits]
        if not plan.num_logits:
            return None
        most = max(1, PIECE // self.model.spec.vocab_size)
        if plan.scored and len(hidden) > most:  # no two pieces lie there beside what is drawn from
            launched.scores = self._score(inputs, hidden.split(most), most)
            return self._logits(hidden[placed(plan.draw_rows, self.device)]) if plan.draws else None
        logits = self._logits(hidden)
        if plan.scored:
            launched.scores = self._score(inputs, [hidden], most, logits)
        if not plan.draws:
            return None
        return logits if plan.all_are_drawn else logits[placed(plan.draw_rows, self.device)]

    def _hidden_of(self, plan: LogitPlan, hidden: Tensor) -> list[Tensor]:
        """By sequence what `HiddenRows` says: [count, width] float32, or a sum [hidden_size] float64."""
        made = []
        for each in plan.hidden:
            rows = hidden[each.row : each.row + each.what.count]
            if each.what.kind == "sum":  # in a type in which the parts of a prompt add up to the whole
                made.append(rows.sum(0, dtype=torch.float64))
            else:
                made.append((self._logits(rows) if each.what.kind == "logits" else rows).float())
        return made

    def _score(
        self, inputs: StepInputs, pieces: Sequence[Tensor], most: int, whole: Tensor | None = None
    ) -> ScoresUnderWay:
        """Scores of the plan's known tokens.

        Args:
            pieces: hidden states of the wanted rows, `most` in each but the last.
            whole: the logits of all of them, where they are there.
        """
        entries = ScoreEntries(inputs.plan)
        rows = inputs.rows[entries.places]
        numbers = (entries.rows, rows, entries.positions, entries.targets)
        wanted, row_of_entry, positions, targets = (placed(each, self.device) for each in numbers)
        known = self.rows.tokens.read(row_of_entry, positions.clamp_min(0))
        token_ids = torch.where(positions >= 0, known, targets)
        found: list[ScoreTensors] = []
        for place, piece in enumerate(pieces):
            begin = int(np.searchsorted(entries.rows, place * most))
            end = int(np.searchsorted(entries.rows, (place + 1) * most))
            if begin < end:
                logits = self._logits(piece) if whole is None else whole
                found.append(
                    score_tokens(logits, wanted[begin:end] - place * most, token_ids[begin:end], entries.num_top)
                )
        return ScoresUnderWay(entries, ScoreTensors.joined(found), token_ids)

    def _draw(self, launched: LaunchedStep, plan: LogitPlan, rows: Ints, logits: Tensor) -> None:
        """The next tokens; where some wait for a mask, all wait."""
        step = launched.step
        lengths: Ints = np.array(step.firsts, dtype=np.int64) + np.array(step.counts, dtype=np.int64)
        drawn = lengths[plan.draw_places]
        drawn = drawn if plan.lags is None else drawn - plan.lags
        draws = Draws(rows[plan.draw_places], drawn, plan.seeds, plan.draws)
        if step.masked:
            launched.unchosen = UnsampledLogits(logits, draws)
        else:
            self._take(launched, logits, draws, self.sampler.draw_runs(logits, draws, launched.drafts))

    def choose(self, launched: LaunchedStep, masks: Mapping[int, Mask | str]) -> None:
        """Draws what `launch` has left undone, since it waits for masks.

        Args:
            masks: as of `Executor.choose`, of all that the step calls masked.
        """
        unchosen, plan, step = launched.unchosen, launched.plan, launched.step
        if unchosen is None or plan is None:
            return
        missing = step.masked - masks.keys()
        assert not missing, f"step {step.number}: no mask has come for {sorted(missing)}"
        with torch.inference_mode(), devices.current(self.device):
            logits, draws, of_draws = unchosen.logits, unchosen.draws, _masks_of_draws(step, plan, masks)
            launched.unchosen = None
            tokens = self.sampler.draw_runs(logits, draws, launched.drafts, of_draws)
            reported = self.rows.columns["logprobs"][draws.rows[list(of_draws)]] >= 0
            if reported.any():
                logits = self.sampler.masked(logits, of_draws)
            self._take(launched, logits, draws, tokens)
            for draw in of_draws:
                reason = masks[step.ids[plan.draw_places[draw]]]
                launched.failures.setdefault(plan.draws[draw], reason if isinstance(reason, str) else NOTHING_LEFT)
            self._send(launched)

    def _take(self, launched: LaunchedStep, logits: Tensor, draws: Draws, tokens: Tensor) -> None:
        """Tokens that were drawn: into the rows of their sequences, and on their way to the host."""
        plan, step = launched.plan, launched.step
        assert plan is not None
        launched.failures, self.processors.failures = self.processors.failures, {}
        rows, lengths, chosen = draws.rows, draws.lengths, tokens
        if step.draws:
            own: Ints = np.flatnonzero(
                [step.ids[place] == draw for draw, place in zip(plan.draws, plan.draw_places.tolist(), strict=True)]
            )
            rows, lengths, chosen = rows[own], lengths[own], tokens[placed(own, self.device)]
        if len(rows):
            self.rows.tokens.put(placed(rows, self.device), placed(lengths, self.device), chosen)
        self._report(launched, logits, draws, tokens)

    def _report(self, launched: LaunchedStep, logits: Tensor, draws: Draws, tokens: Tensor) -> None:
        """Chosen tokens, with their logprobs where somebody asks."""
        launched.token_ids = tokens
        wanted = self.rows.columns["logprobs"][draws.rows]
        places: Ints = np.flatnonzero(wanted >= 0)
        if len(places):
            at = placed(places, self.device)
            counts: list[int] = wanted[places].tolist()
            tensors = score_tokens(logits, at, tokens[at].clamp_min(0), max(counts))
            launched.logprobs = PendingLogprobs(places, counts, tensors)

    def _send(self, launched: LaunchedStep) -> None:
        """Begins to copy to the host all that will be results."""
        if launched.unchosen is not None:
            return
        if launched.token_ids is not None:
            launched.token_ids = on_host(launched.token_ids)
        if launched.logprobs is not None:
            launched.logprobs.tensors = launched.logprobs.tensors.on_host()
        if launched.scores is not None:
            launched.scores.tensors = launched.scores.tensors.on_host()
            launched.scores.token_ids = on_host(launched.scores.token_ids)
        launched.hidden = [on_host(each) for each in launched.hidden]
        if self.draft_runner is not None:
            launched.drafts = {
                id: on_host(run) if isinstance(run, Tensor) else run for id, run in launched.drafts.items()
            }
        if self.device.type == "cuda":
            launched.arrived = torch.cuda.Event()
            launched.arrived.record()

    def _replay(self, graphs: DecodeGraphs | RunGraphs, launched: LaunchedStep) -> LaunchedStep:
        """A step as one graph, sampling included; what the graph cannot do is done again behind it.

        One token is drawn behind each of its tokens, with drafts or without.
        """
        step = launched.step
        rows, launched.drafts = self.rows.update(step), step.drafts
        counts: Ints = np.array(step.counts, dtype=np.int64)
        starts: Ints = np.concatenate([[0], np.cumsum(counts)])
        plan = launched.plan = LogitPlan.of(step, starts)
        lengths = (np.array(step.firsts, dtype=np.int64) + counts)[plan.draw_places]
        lengths = lengths if plan.lags is None else lengths - plan.lags
        draws = Draws(rows[plan.draw_places], lengths, None, plan.draws)
        with span(FORWARD, self.device):
            logits, tokens = graphs.run(step, rows, self.sampler.parameters(draws))
        with span(SAMPLE):
            if len(self.sampler.changed(draws)):
                self._take(launched, logits, draws, self.sampler.draw_runs(logits, draws, launched.drafts))
            else:
                self._report(launched, logits, draws, tokens)
            self._send(launched)
        return launched

    def reset(self) -> None:
        """Forgets all sequences; steps under way are waited for, what they chose is nobody's."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        self.rows.reset()

    def check(self) -> None:
        """Asserts the invariants of what it owns."""
        self.kv_cache.check()
        if self.state_pool is not None:
            self.state_pool.check()
        self.rows.check()


def _masks_of_draws(step: Step, plan: LogitPlan, masks: Mapping[int, Mask | str]) -> dict[int, Mask]:
    """By draw, which tokens may be chosen; of a sequence that says why there are none, no token."""
    nothing: Mask = np.zeros(1, dtype=np.uint32)
    found = {}
    for draw, place in enumerate(plan.draw_places.tolist()):
        if (id := step.ids[place]) in step.masked:
            mask = masks[id]
            behind = 0 if plan.lags is None else len(step.drafts.get(id, ())) - int(plan.lags[draw])
            found[draw] = nothing if isinstance(mask, str) else np.atleast_2d(mask)[behind]
    return found


def _encoded(encoder: Encoder, step: Step, metadata: StepMetadata) -> StepMetadata:
    """With the states of the sequences that begin. One by one: what an input gives does not depend on others."""
    states = [encoder.encode(step.new[step.ids[place]].encoder) for place in encoded_places(step)]
    return replace(metadata, encoder_states=torch.cat(states) if states else None)
