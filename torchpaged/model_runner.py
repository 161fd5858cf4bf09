"""ModelRunner: runs a scheduled step on the device. Executes; decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor
from tqdm import tqdm

from torchpaged.attention_metadata import StepMetadata
from torchpaged.compiled_forward import Forward, compile_forward
from torchpaged.config import KV_CACHE_DTYPES, EngineConfig
from torchpaged.input_batch import InputBatch, StepInputs, logit_positions, prompt_logprob_positions
from torchpaged.kv_cache.block import BlockCopy
from torchpaged.kv_cache.spec import KVCacheGroup
from torchpaged.paged_kv_cache import (
    LayerShape,
    PagedKVCache,
    bytes_per_block,
    kv_cache_groups,
    size_pool,
    tensor_slots,
)
from torchpaged.phases import FORWARD, INPUTS, SAMPLE, span
from torchpaged.request import Request
from torchpaged.sampler import Sampler, SampleRow, TokenLogprobs, token_logprobs, token_scores
from torchpaged.scheduler import ScheduledRequest, SchedulerOutput


class PagedModel(Protocol):
    """A model that keeps its keys and values in a paged cache. transformers' are wrapped into one.

    A model that is itself a compiled program may have an attribute `least`, see `InputBatch`.

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
        num_blocks = config.num_blocks or size_pool(
            device=model.device,
            bytes_per_block=block_bytes(model, config, self.groups),
            block_size=config.block_size,
            max_model_len=max_model_len,
            max_num_seqs=config.max_num_seqs,
            utilization=config.gpu_memory_utilization,
            num_groups=len(self.groups),
        )
        self.kv_cache = PagedKVCache(
            layers,
            num_blocks,
            config.block_size,
            _cache_dtype(model, config),
            model.device,
            groups=self.groups,
            num_swap_blocks=num_swap_blocks,
        )
        self.inputs = InputBatch(
            groups=self.groups,
            chunk_sizes={index: shape.attention_chunk_size for index, shape in layers.items()},
            caches=self.kv_cache.by_layer(),
            max_num_seqs=config.max_num_seqs,
            max_blocks_per_seq=-(-max_model_len // config.block_size),
            block_size=config.block_size,
            device=model.device,
            least=2 if config.compiles(model.device.type) else max(least, getattr(model, "least", 0)),
        )
        self.config = config
        self._compiled: Forward | None = None
        self.compile()
        self.sampler = Sampler(config.seed, model.device)

    def compile(self) -> None:
        """Compiles the forward if the settings say so; again after its weights have been replaced by others' kind."""
        if self.config.compiles(self.model.device.type):
            self._compiled = compile_forward(self.model.forward, self.kv_cache.by_layer(), self.config.compile_backend)
            self._warm_up()

    def copy(self, copies: Sequence[BlockCopy]) -> None:
        """Copies blocks as if one after the other; a step's copies go before its `run`."""
        self.kv_cache.copy(copies)

    @torch.inference_mode()
    def _warm_up(self) -> None:
        """Compiles now, with a mixed step and a decode step, what all steps will run."""
        for query_lens in tqdm(((3, 2), (1, 1)), desc="compile", unit="step", leave=False):
            inputs = self.inputs.blank(query_lens)
            self._forward(inputs)

    def _forward(self, inputs: StepInputs) -> Tensor:
        forward = self.model.forward if self._compiled is None else self._compiled
        return forward(inputs.input_ids, inputs.positions, inputs.metadata, inputs.logit_rows)

    @torch.inference_mode()
    def run(self, step: SchedulerOutput) -> StepResult:
        """Computes the step's tokens and chooses the next ones, those of followers included."""
        with span(INPUTS):
            inputs = self.inputs.write(step)
        with span(FORWARD, self.model.device):
            logits = self._forward(inputs)
        with span(SAMPLE):
            return self._choose(step, logits[: inputs.num_logit_rows])

    def _choose(self, step: SchedulerOutput, logits: Tensor) -> StepResult:
        """The next tokens, from the logits of the rows that `logit_positions` names."""
        rows: list[SampleRow] = []
        sampled_rows: list[int] = []
        prompt_logprobs: dict[str, dict[int, TokenLogprobs]] = {}
        scored = _Scored()
        row = 0
        for item in step.requests:
            wanted = len(logit_positions(item))
            if item.request.given:
                scored.add(item, row, wanted)
                row += wanted
                continue
            predicted = wanted - item.samples
            if predicted:
                prompt_logprobs[item.request_id] = _prompt_logprobs(logits[row : row + predicted], item)
            row += wanted
            if item.samples:
                for request in (item.request, *item.followers):
                    sampled_rows.append(row - 1)
                    rows.append(_sample_row(request))
        scores = scored.scores(logits)
        if not rows:
            return StepResult({}, {}, prompt_logprobs, {}, scores)
        if sampled_rows != list(range(logits.shape[0])):
            logits = logits[torch.tensor(sampled_rows, device=logits.device)]
        token_ids = self.sampler.draw(logits, rows)
        logprobs = self.sampler.logprobs(logits, rows, token_ids)
        chosen = dict(zip([row.request_id for row in rows], token_ids.tolist(), strict=True))
        errors = {name: _NAN for name, token in chosen.items() if token < 0}
        for name in errors:
            del chosen[name]
            logprobs.pop(name, None)
        return StepResult(chosen, logprobs, prompt_logprobs, errors, scores)

    def check(self) -> None:
        """Asserts the invariants of what it owns."""
        self.kv_cache.check()
        self.inputs.check()


@dataclass(slots=True)
class _Scored:
    """The tokens of given completions that a step predicts: whose, at which position, from which row of the logits."""

    owners: list[tuple[str, int]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    token_ids: list[int] = field(default_factory=list)

    def add(self, item: ScheduledRequest, row: int, count: int) -> None:
        """The `count` rows of a request from `row` on; the last predicts its followers' first tokens too."""
        request = item.request
        end = item.num_computed_tokens + item.num_new_tokens  # position of what its last row predicts
        known = request.token_ids[end - count + 1 : end + 1]
        if item.samples:
            assert request.next_given is not None
            known.append(request.next_given)
        self.owners += [(item.request_id, position) for position in range(end - count + 1, end + 1)]
        self.rows += range(row, row + count)
        self.token_ids += known
        for follower in item.followers if item.samples else ():
            self.owners.append((follower.request_id, end))
            self.rows.append(row + count - 1)
            self.token_ids.append(follower.given[0])

    def scores(self, logits: Tensor) -> dict[str, dict[int, tuple[float, bool]]]:
        """By request and position."""
        found: dict[str, dict[int, tuple[float, bool]]] = {}
        if self.rows:
            for (name, position), score in zip(
                self.owners, token_scores(logits, self.rows, self.token_ids), strict=True
            ):
                found.setdefault(name, {})[position] = score
        return found


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


def _prompt_logprobs(logits: Tensor, item: ScheduledRequest) -> dict[int, TokenLogprobs]:
    count = item.request.params.prompt_logprobs
    assert count is not None
    positions = [item.num_computed_tokens + row + 1 for row in prompt_logprob_positions(item)]
    token_ids = [item.request.token_ids[position] for position in positions]
    return dict(zip(positions, token_logprobs(logits, token_ids, [count] * len(positions)), strict=True))
