"""Sampler: logits -> tokens and their logprobs, for a whole batch at once. Owns the requests' random numbers."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.sampling_params import SamplingParams
from torchpaged.execution.upload import Upload


@dataclass(frozen=True, slots=True)
class SampleRow:
    """One row of logits and how its token is to be chosen."""

    request_id: str
    params: SamplingParams
    all_token_ids: Sequence[int]  # prompt and output so far
    num_prompt_tokens: int
    banned_token_ids: frozenset[int]
    num_tokens: int  # prompt and output, with one that a step under way chooses: no two draws of a request share it

    @property
    def changes_logits(self) -> bool:
        """Whether the model's logits are not yet those to choose by."""
        return bool(self.banned_token_ids) or self.params.has_penalties


class DrawParameters(NamedTuple):
    """How to choose the token of each row: what `torch.ops.torchpaged.sample_tokens` takes after the logits.

    [num_rows] each; arrays on the host, or what was made of them.

    Args:
        temperature, top_p, min_p: float32.
        top_k: int32.
        seeds, positions: int64.
    """

    temperature: Any
    top_k: Any
    top_p: Any
    min_p: Any
    seeds: Any
    positions: Any

    @classmethod
    def greedy(cls, num_rows: int) -> DrawParameters:
        """The likeliest token of each row."""
        numbers: NDArray[Any] = np.zeros(num_rows, np.float32)
        counters: NDArray[Any] = np.zeros(num_rows, np.int64)
        return cls(numbers, counters.astype(np.int32), numbers + 1, numbers.copy(), counters, counters.copy())


# What a row's numbers are cut to; nothing is hotter, or more than all tokens.
_LARGEST_FLOAT, _LARGEST_INT = float(np.finfo(np.float32).max), int(np.iinfo(np.int32).max)

# Numbers in float32 that logprobs are computed from at a time: 64 MiB.
_LOGPROB_ELEMENTS = 1 << 24

# The logprobs of one position: token id -> (logprob, rank), rank 1 being the likeliest.
TokenLogprobs = dict[int, tuple[float, int]]


class Sampler:
    """Greedy, or temperature, top-k, top-p and min-p, with penalties; seeded by request or by engine.

    The order is: banned tokens, penalties, temperature, top-k, top-p, min-p. A draw depends on the request's seed, on
    how many tokens it has and on its logits alone: whatever is sampled beside it, and however often it is preempted,
    it draws the same. `sample_tokens` in `torchpaged.ops.reference` says how.

    Args:
        seed: of the seeds that requests get which bring none.
        device: where the logits are.
    """

    def __init__(self, seed: int, device: torch.device) -> None:
        self.device = device
        self._random = random.Random(seed)
        self._seeds: dict[str, int] = {}  # of requests that brought none and have drawn
        self._upload = None if device.type == "cpu" else Upload(device)

    def forget(self, request_id: str) -> None:
        """Drops an ended request's seed."""
        self._seeds.pop(request_id, None)

    def reset(self) -> None:
        """Drops every request's seed."""
        self._seeds.clear()

    def parameters(self, rows: Sequence[SampleRow]) -> DrawParameters:
        """How to choose the token of each row, on the host; a request that draws for the first time gets its seed."""
        params = [row.params for row in rows]

        def column(values: Iterable[float], dtype: type) -> NDArray[Any]:
            return np.fromiter(values, dtype, len(rows))

        return DrawParameters(
            column((min(p.temperature, _LARGEST_FLOAT) for p in params), np.float32),
            column((min(p.top_k, _LARGEST_INT) for p in params), np.int32),
            column((p.top_p for p in params), np.float32),
            column((p.min_p for p in params), np.float32),
            column(map(self._seed, rows), np.int64),
            column((row.num_tokens for row in rows), np.int64),
        )

    def draw(self, logits: Tensor, rows: Sequence[SampleRow]) -> Tensor:
        """One token a row: [len(rows)] int64 on the logits' device, -1 where a row has a NaN or nothing but -inf.

        Args:
            logits: [len(rows), vocab_size], the model's own, any float dtype; not changed.
            rows: how to choose.
        """
        parameters = self._placed(self.parameters(rows))
        changed = [i for i, row in enumerate(rows) if row.changes_logits]
        if not changed:
            return _choose(logits, parameters)
        index = torch.tensor(changed, device=logits.device)
        own = logits[index].float()  # a copy
        for each, i in zip(own, changed, strict=True):
            _apply_penalties(each, rows[i])
        chosen = _choose(own, [column[index] for column in parameters])
        if len(changed) == len(rows):
            return chosen
        return _choose(logits, parameters).index_copy_(0, index, chosen)

    def logprobs(self, logits: Tensor, rows: Sequence[SampleRow], token_ids: Tensor) -> dict[str, TokenLogprobs]:
        """By request, for those that asked: the logprobs of the chosen token and of the likeliest.

        Args:
            logits: [len(rows), vocab_size], the model's own.
            token_ids: [len(rows)], of `draw`; what a row gets that has no token means nothing.
        """
        asked = [(i, row.params.logprobs) for i, row in enumerate(rows) if row.params.logprobs is not None]
        if not asked:
            return {}
        places, counts = [i for i, _ in asked], [count for _, count in asked]
        own = logits if len(asked) == len(rows) else logits[torch.tensor(places, device=logits.device)]
        chosen = token_ids.clamp_min(0).tolist()
        values = token_logprobs(own, [chosen[i] for i in places], counts)
        return {rows[i].request_id: each for i, each in zip(places, values, strict=True)}

    def _placed(self, parameters: DrawParameters) -> list[Tensor]:
        """Where the logits are, without waiting for the device; until the next call."""
        if self._upload is None:
            return [torch.from_numpy(column) for column in parameters]
        self._upload.start()
        places = [self._upload.put(column) for column in parameters]
        self._upload.send()
        return places

    def _seed(self, row: SampleRow) -> int:
        if row.params.greedy:
            return 0
        if row.params.seed is not None:
            return row.params.seed
        if row.request_id not in self._seeds:
            self._seeds[row.request_id] = self._random.getrandbits(63)
        return self._seeds[row.request_id]


def _choose(logits: Tensor, parameters: Sequence[Tensor]) -> Tensor:
    tokens: Tensor = torch.ops.torchpaged.sample_tokens(logits, *parameters)
    return tokens


def token_logprobs(logits: Tensor, token_ids: Sequence[int], counts: Sequence[int]) -> list[TokenLogprobs]:
    """The logprob and rank of a token and of the likeliest ones, for each row.

    Args:
        logits: [len(token_ids), vocab_size], the model's own, any float dtype.
        token_ids: a token for each row; it comes first in the row's result.
        counts: how many of the likeliest ones each row wants beside it.
    """
    results: list[TokenLogprobs] = []
    # Some rows at a time: a long prompt's rows over a large vocabulary, in float32, may not fit beside the model.
    stride = max(1, _LOGPROB_ELEMENTS // logits.shape[1])
    for first in range(0, len(token_ids), stride):
        part = slice(first, first + stride)
        logprobs = torch.log_softmax(logits[part].float(), dim=-1)
        own = logprobs.gather(1, torch.tensor(token_ids[part], device=logits.device)[:, None])
        most = min(max(1, *counts[part]), logits.shape[1])
        top = torch.topk(logprobs, most)
        own_ranks = (top.values > own).sum(dim=-1) + 1
        # Only a token that is none of the likeliest is compared with the whole vocabulary, the slowest part of all.
        if (below := (own < top.values[:, -1:]).nonzero()[:, 0]).numel():
            own_ranks[below] = (logprobs[below] > own[below]).sum(dim=-1) + 1
        ranks = range(1, most + 1)
        for token, value, rank, count, top_values, top_ids in zip(
            token_ids[part],
            own[:, 0].tolist(),
            own_ranks.tolist(),
            counts[part],
            top.values.tolist(),
            top.indices.tolist(),
            strict=True,
        ):
            row = {token: (value, rank)}
            row.update(zip(top_ids[:count], zip(top_values, ranks, strict=True), strict=False))
            row[token] = (value, rank)
            results.append(row)
    return results


def token_scores(logits: Tensor, rows: Sequence[int], token_ids: Sequence[int]) -> list[tuple[float, bool]]:
    """The logprob of a token, and whether it is the likeliest, for each pair of a row and a token.

    Args:
        logits: [num_rows, vocab_size], the model's own, any float dtype.
        rows: in ascending order.
        token_ids: a token for each of `rows`.
    """
    results: list[tuple[float, bool]] = []
    row = torch.tensor(rows, device=logits.device)
    token = torch.tensor(token_ids, device=logits.device)
    stride = max(1, _LOGPROB_ELEMENTS // logits.shape[1])
    for first in range(0, logits.shape[0], stride):
        part = logits[first : first + stride].float()
        low, high = bisect_left(rows, first), bisect_left(rows, first + stride)
        own, place = token[low:high], row[low:high] - first
        values = part[place, own] - torch.logsumexp(part, dim=-1)[place]
        results += zip(values.tolist(), (part.argmax(dim=-1)[place] == own).tolist(), strict=True)
    return results


def _apply_penalties(logits: Tensor, row: SampleRow) -> None:
    """In place, on one row."""
    params = row.params
    if row.banned_token_ids:
        logits[list(row.banned_token_ids)] = -torch.inf
    if not params.has_penalties:
        return
    everything = torch.tensor(list(row.all_token_ids), device=logits.device)
    if params.repetition_penalty != 1.0:
        seen = everything.unique()
        values = logits[seen]
        logits[seen] = torch.where(values > 0, values / params.repetition_penalty, values * params.repetition_penalty)
    output = everything[row.num_prompt_tokens :]
    if output.numel() and (params.presence_penalty or params.frequency_penalty):
        tokens, counts = output.unique(return_counts=True)
        logits[tokens] -= params.presence_penalty + params.frequency_penalty * counts.to(logits.dtype)
