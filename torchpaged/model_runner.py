"""ModelRunner: runs a scheduled step on the device. Executes; decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from torchpaged.attention_metadata import AttentionMetadata
from torchpaged.config import KV_CACHE_DTYPES, EngineConfig
from torchpaged.input_batch import InputBatch, logit_positions
from torchpaged.paged_kv_cache import LayerShape, PagedKVCache, bytes_per_block, size_pool
from torchpaged.sampler import Sampler, SampleRow, TokenLogprobs, token_logprobs
from torchpaged.scheduler import ScheduledRequest, SchedulerOutput


class PagedModel(Protocol):
    """A model that keeps its keys and values in a paged cache. transformers' are wrapped into one.

    `forward` returns the logits of the asked rows, not hidden states: what lies between the last layer and the
    logits (scaling, a softcap) differs from family to family and is the model's own business.
    """

    layers: Mapping[int, LayerShape]
    vocab_size: int
    max_model_len: int
    dtype: torch.dtype
    device: torch.device

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: AttentionMetadata, logit_rows: Tensor) -> Tensor:
        """Packed tokens [num_tokens] -> logits [len(logit_rows), vocab_size]; writes the cache on its way."""
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


class ModelRunner:
    """Owns the model, the pool's tensors, the input buffers and the sampler.

    Args:
        model: what to run.
        config: the engine's settings.
        max_model_len: prompt and completion together at most.
    """

    def __init__(self, model: PagedModel, config: EngineConfig, max_model_len: int) -> None:
        self.model = model
        name = KV_CACHE_DTYPES[config.kv_cache_dtype]
        dtype = model.dtype if name is None else getattr(torch, name)
        per_block = bytes_per_block(model.layers.values(), config.block_size, dtype)
        num_blocks = config.num_blocks or size_pool(
            device=model.device,
            bytes_per_block=per_block,
            block_size=config.block_size,
            max_model_len=max_model_len,
            max_num_seqs=config.max_num_seqs,
            utilization=config.gpu_memory_utilization,
        )
        self.kv_cache = PagedKVCache(model.layers, num_blocks, config.block_size, dtype, model.device)
        self.inputs = InputBatch(
            max_num_seqs=config.max_num_seqs,
            max_num_batched_tokens=config.max_num_batched_tokens,
            max_blocks_per_seq=-(-max_model_len // config.block_size),
            block_size=config.block_size,
            device=model.device,
            caches=self.kv_cache.by_layer(),
        )
        self.sampler = Sampler(config.seed, model.device)

    @torch.inference_mode()
    def run(self, step: SchedulerOutput) -> StepResult:
        """Computes the step's tokens and chooses the next ones."""
        inputs = self.inputs.write(step)
        logits = self.model.forward(inputs.input_ids, inputs.positions, inputs.metadata, inputs.logit_rows)
        rows: list[SampleRow] = []
        sampled_rows: list[int] = []
        prompt_logprobs: dict[str, dict[int, TokenLogprobs]] = {}
        row = 0
        for item in step.requests:
            wanted = logit_positions(
                item.num_computed_tokens,
                item.num_new_tokens,
                item.request.num_prompt_tokens,
                item.samples,
                item.request.params.prompt_logprobs,
            )
            predicted = len(wanted) - item.samples
            if predicted:
                prompt_logprobs[item.request_id] = _prompt_logprobs(logits[row : row + predicted], item)
            row += len(wanted)
            if item.samples:
                sampled_rows.append(row - 1)
                rows.append(
                    SampleRow(
                        item.request_id,
                        item.request.params,
                        item.request.token_ids,
                        item.request.num_prompt_tokens,
                        item.request.banned_token_ids,
                    )
                )
        if not rows:
            return StepResult({}, {}, prompt_logprobs, {})
        if len(sampled_rows) != logits.shape[0]:
            logits = logits[torch.tensor(sampled_rows, device=logits.device)]
        errors = {}
        if any(bad := logits.isnan().any(dim=-1).tolist()):
            good = [i for i, is_bad in enumerate(bad) if not is_bad]
            errors = {row.request_id: _NAN for row, is_bad in zip(rows, bad, strict=True) if is_bad}
            logits, rows = logits[torch.tensor(good, dtype=torch.int64, device=logits.device)], [rows[i] for i in good]
        sampled = self.sampler.sample(logits, rows)
        ids = [row.request_id for row in rows]
        return StepResult(
            dict(zip(ids, sampled.token_ids, strict=True)),
            {i: values for i, values in zip(ids, sampled.logprobs, strict=True) if values is not None},
            prompt_logprobs,
            errors,
        )

    def check(self) -> None:
        """Asserts the invariants of what it owns."""
        self.kv_cache.check()
        self.inputs.check()


_NAN = "the model's logits are NaN; try dtype='float32' or 'bfloat16'"


def _prompt_logprobs(logits: Tensor, item: ScheduledRequest) -> dict[int, TokenLogprobs]:
    count = item.request.params.prompt_logprobs
    assert count is not None
    first = item.num_computed_tokens + 1
    return {i: token_logprobs(row, item.request.token_ids[i], count) for i, row in enumerate(logits, start=first)}
