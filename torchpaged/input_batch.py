"""InputBatch: a scheduled step as tensors. Owns the block tables of running requests and the step's buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.attention_metadata import AttentionMetadata, LayerCache
from torchpaged.scheduler import SchedulerOutput


@dataclass(frozen=True, slots=True)
class StepInputs:
    """What the model's forward takes.

    Args:
        input_ids, positions: [num_tokens] int64.
        logit_rows: [num_rows] int64, the rows of the packed step whose logits are needed.
        metadata: for the attention operators.
    """

    input_ids: Tensor
    positions: Tensor
    logit_rows: Tensor
    metadata: AttentionMetadata


class InputBatch:
    """Writes each step into the same buffers; a block table grows by what the step added.

    Invariants: each request that the scheduler has running and started owns one row of the table, which holds
    its blocks in order; the other rows are free.

    Args:
        max_num_seqs, max_num_batched_tokens, max_blocks_per_seq: the sizes of the buffers.
        block_size: tokens in a block.
        device: where the tensors go.
        caches: every layer's pool, by layer index.
    """

    def __init__(
        self,
        *,
        max_num_seqs: int,
        max_num_batched_tokens: int,
        max_blocks_per_seq: int,
        block_size: int,
        device: torch.device,
        caches: Sequence[LayerCache],
    ) -> None:
        self.block_size, self.device, self.caches = block_size, device, caches
        self._rows: dict[str, int] = {}
        self._free_rows = list(range(max_num_seqs - 1, -1, -1))
        self._tables: NDArray[np.int32] = np.zeros(
            (max_num_seqs, max_blocks_per_seq), dtype=np.int32
        )  # 0 is the null block
        self._lengths: NDArray[np.int64] = np.zeros(max_num_seqs, dtype=np.int64)  # blocks in each row
        pinned = device.type == "cuda"

        def buffer(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(shape, dtype=dtype, pin_memory=pinned)

        self._ids = buffer(max_num_batched_tokens, dtype=torch.int64)
        self._positions = buffer(max_num_batched_tokens, dtype=torch.int64)
        self._slots = buffer(max_num_batched_tokens, dtype=torch.int64)
        self._logit_rows = buffer(max_num_batched_tokens, dtype=torch.int64)
        self._seq_lens = buffer(max_num_seqs, dtype=torch.int32)
        self._starts = buffer(max_num_seqs + 1, dtype=torch.int32)
        self._step_tables = buffer(max_num_seqs, max_blocks_per_seq, dtype=torch.int32)

    def write(self, step: SchedulerOutput) -> StepInputs:
        """The step's tensors; they are valid until the next call."""
        for request_id in step.released:
            self._free_rows.append(self._rows.pop(request_id))
        count, num_tokens, num_rows = len(step.requests), 0, 0
        rows: NDArray[np.int64] = np.empty(count, dtype=np.int64)
        ids, positions, slots = self._ids.numpy(), self._positions.numpy(), self._slots.numpy()
        seq_lens, starts, logit_rows = self._seq_lens.numpy(), self._starts.numpy(), self._logit_rows.numpy()
        longest = 0
        for i, item in enumerate(step.requests):
            row = rows[i] = self._row(item.request_id, item.starts, item.new_block_ids[0])
            first, added = item.num_computed_tokens, item.num_new_tokens
            here = slice(num_tokens, num_tokens + added)
            ids[here] = item.token_ids
            positions[here] = where = np.arange(first, first + added)
            slots[here] = (
                self._tables[row, where // self.block_size] * np.int64(self.block_size) + where % self.block_size
            )
            num_tokens += added
            longest = max(longest, added)
            seq_lens[i], starts[i + 1] = first + added, num_tokens
            wanted = logit_positions(
                first, added, item.request.num_prompt_tokens, item.samples, item.request.params.prompt_logprobs
            )
            logit_rows[num_rows : num_rows + len(wanted)] = np.array(wanted, dtype=np.int64) + here.start
            num_rows += len(wanted)
        width = max(1, int(self._lengths[rows].max(initial=1)))
        self._step_tables.numpy()[:count, :width] = self._tables[rows, :width]
        metadata = AttentionMetadata(
            slot_mapping=self._put(self._slots[:num_tokens]),
            block_tables=self._put(self._step_tables[:count, :width]),
            seq_lens=self._put(self._seq_lens[:count]),
            query_start_loc=self._put(self._starts[: count + 1]),
            max_query_len=longest,
            caches=self.caches,
        )
        return StepInputs(
            self._put(self._ids[:num_tokens]),
            self._put(self._positions[:num_tokens]),
            self._put(self._logit_rows[:num_rows]),
            metadata,
        )

    def _put(self, tensor: Tensor) -> Tensor:
        return tensor.to(self.device, non_blocking=True)

    def _row(self, request_id: str, starts: bool, new_blocks: list[int]) -> int:
        if starts:
            self._rows[request_id] = self._free_rows.pop()
            self._lengths[self._rows[request_id]] = 0
        row = self._rows[request_id]
        length = int(self._lengths[row])
        self._tables[row, length : length + len(new_blocks)] = new_blocks
        self._lengths[row] = length + len(new_blocks)
        return row

    def check(self) -> None:
        """Asserts the invariants."""
        used = list(self._rows.values())
        assert len(set(used)) == len(used) and sorted(used + self._free_rows) == list(range(len(self._tables)))


def logit_positions(first: int, added: int, num_prompt: int, samples: bool, prompt_logprobs: int | None) -> list[int]:
    """Which of a request's rows in a step need logits, counted from its first row.

    The last one when a token is to be chosen; with prompt logprobs also every row that predicts a prompt token.
    """
    wanted = list(range(max(0, min(added, num_prompt - 1 - first)))) if prompt_logprobs is not None else []
    if samples:
        wanted.append(added - 1)
    return wanted
