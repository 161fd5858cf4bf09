"""TokenTable: the tokens of each row, on the device, so that tokens pass from step to step without the host."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.execution.upload import Upload

# (row, first position, tokens) to write.
Written = tuple[int, int, Sequence[int]]


class TokenTable:
    """Table [num_rows + 1, max_tokens] int32 of tokens; padding writes to the last row.

    Args:
        num_rows: rows for sequences.
        max_tokens: longest sequence in tokens.
        device: of the table.

    Attributes:
        tensor: the table; it never moves.
    """

    def __init__(self, num_rows: int, max_tokens: int, device: torch.device) -> None:
        self.tensor = torch.zeros(num_rows + 1, max_tokens, dtype=torch.int32, device=device)
        self._host: NDArray[np.int32] | None = self.tensor.numpy() if device.type == "cpu" else None
        # An upload's host memory is reused by its second next use. Each of these is used at most once per step, so that
        # neither waits for a step in flight.
        self._writes = None if device.type == "cpu" else Upload(device)
        self._copies = None if device.type == "cpu" else Upload(device, 1 << 12)

    @property
    def padding(self) -> int:
        """Return the row of padding."""
        return self.tensor.shape[0] - 1

    def write(self, runs: Sequence[Written]) -> None:
        """Write tokens that the host knows."""
        if self._host is not None:
            for row, first, tokens in runs:
                self._host[row, first : first + len(tokens)] = tokens
            return
        if not runs:
            return
        assert self._writes is not None
        width = self.tensor.shape[1]
        places = [np.arange(row * width + first, row * width + first + len(tokens)) for row, first, tokens in runs]
        values = [np.asarray(tokens, dtype=np.int32) for _, _, tokens in runs]
        self._writes.begin()
        at, what = self._writes.put(np.concatenate(places)), self._writes.put(np.concatenate(values))
        self._writes.send()
        self.tensor.view(-1).index_copy_(0, at, what)

    def copy_rows(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Copy rows, reading all before writing any."""
        if self._host is not None:
            self._host[list(targets)] = self._host[list(sources)]
        elif sources:
            assert self._copies is not None
            self._copies.begin()
            places = self._copies.put(np.array([sources, targets], dtype=np.int64))
            self._copies.send()
            self.tensor.index_copy_(0, places[1], self.tensor[places[0]])

    def gather(self, rows: Tensor, positions: Tensor) -> Tensor:
        """Return the tokens at (row, position), [n] int64; 0 for a failed draw (-1)."""
        if self._host is not None:
            return torch.from_numpy(np.maximum(self._host[rows.numpy(), positions.numpy()], 0, dtype=np.int64))
        return self.tensor[rows, positions].long().clamp_min(0)

    def runs(self, places: Sequence[tuple[int, int, int]]) -> list[list[int]]:
        """Copy the tokens of (row, first, last) ranges, the last excluded, to the host; wait for steps in flight."""
        if self._host is not None:
            return [self._host[row, first:last].tolist() for row, first, last in places]
        width = max((last - first for _, first, last in places), default=0)
        numbers = np.array(places, dtype=np.int64).reshape(-1, 3)
        rows, firsts = (torch.from_numpy(numbers[:, i]).to(self.tensor.device) for i in (0, 1))
        at = firsts[:, None] + torch.arange(width, device=self.tensor.device)
        found = self.tensor[rows[:, None], at.clamp_max(self.tensor.shape[1] - 1)].tolist()
        return [run[: last - first] for run, (_, first, last) in zip(found, places, strict=True)]

    def scatter(self, rows: Tensor, positions: Tensor, token_ids: Tensor) -> None:
        """Write sampled tokens at (row, position)."""
        if self._host is not None:
            self._host[rows.numpy(), positions.numpy()] = token_ids.numpy()
            return
        places = rows * self.tensor.shape[1] + positions
        self.tensor.view(-1).index_copy_(0, places, token_ids.int())
