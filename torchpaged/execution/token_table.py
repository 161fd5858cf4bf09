"""TokenTable: the tokens of each row, on the device: a token goes from one step to the next without the host."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.execution.upload import Upload

# A place in the table and what is written there: (row, first position, tokens).
Written = tuple[int, int, Sequence[int]]


class TokenTable:
    """[num_rows + 1, max_tokens] int32; the last row is nobody's, where padding writes.

    Args:
        num_rows: sequences that have a row at once.
        max_tokens: of a sequence.
        device: where it lies.

    Attributes:
        tensor: the table; it never moves.
    """

    def __init__(self, num_rows: int, max_tokens: int, device: torch.device) -> None:
        self.tensor = torch.zeros(num_rows + 1, max_tokens, dtype=torch.int32, device=device)
        self._host: NDArray[np.int32] | None = self.tensor.numpy() if device.type == "cpu" else None
        # One for each kind of news: used once a step, neither waits for a step that is under way.
        self._news = None if device.type == "cpu" else Upload(device)
        self._copies = None if device.type == "cpu" else Upload(device, 1 << 12)

    @property
    def padding(self) -> int:
        """The row of padding."""
        return self.tensor.shape[0] - 1

    def write(self, news: Sequence[Written]) -> None:
        """Tokens that the host knows."""
        if self._host is not None:
            for row, first, tokens in news:
                self._host[row, first : first + len(tokens)] = tokens
            return
        if not news:
            return
        assert self._news is not None
        width = self.tensor.shape[1]
        places = [np.arange(row * width + first, row * width + first + len(tokens)) for row, first, tokens in news]
        values = [np.asarray(tokens, dtype=np.int32) for _, _, tokens in news]
        self._news.start()
        at, what = self._news.put(np.concatenate(places)), self._news.put(np.concatenate(values))
        self._news.send()
        self.tensor.view(-1).index_copy_(0, at, what)

    def copy_rows(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Copies rows as if all were read before any is written."""
        if self._host is not None:
            self._host[list(targets)] = self._host[list(sources)]
        elif sources:
            assert self._copies is not None
            self._copies.start()
            places = self._copies.put(np.array([sources, targets], dtype=np.int64))
            self._copies.send()
            self.tensor.index_copy_(0, places[1], self.tensor[places[0]])

    def read(self, rows: Tensor, positions: Tensor) -> Tensor:
        """[n] int64: the tokens at these places; what a step could not choose (-1) counts as 0."""
        return self.tensor[rows, positions].long().clamp_min(0)

    def runs(self, places: Sequence[tuple[int, int, int]]) -> list[list[int]]:
        """Tokens of (row, first, last) places, the last not included, on the host: waits for those under way."""
        if self._host is not None:
            return [self._host[row, first:last].tolist() for row, first, last in places]
        width = max((last - first for _, first, last in places), default=0)
        numbers = np.array(places, dtype=np.int64).reshape(-1, 3)
        rows, firsts = (torch.from_numpy(numbers[:, i]).to(self.tensor.device) for i in (0, 1))
        at = firsts[:, None] + torch.arange(width, device=self.tensor.device)
        found = self.tensor[rows[:, None], at.clamp_max(self.tensor.shape[1] - 1)].tolist()
        return [run[: last - first] for run, (_, first, last) in zip(found, places, strict=True)]

    def put(self, rows: Tensor, positions: Tensor, token_ids: Tensor) -> None:
        """Writes chosen tokens, each where it follows."""
        places = rows * self.tensor.shape[1] + positions
        self.tensor.view(-1).index_copy_(0, places, token_ids.int())
