"""Sampler: logits -> tokens and their logprobs, for a whole batch at once. Owns the requests' random numbers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from torchpaged.sampling_params import SamplingParams


@dataclass(frozen=True, slots=True)
class SampleRow:
    """One row of logits and how its token is to be chosen."""

    request_id: str
    params: SamplingParams
    all_token_ids: Sequence[int]  # prompt and output so far
    num_prompt_tokens: int
    banned_token_ids: frozenset[int] = frozenset()


# Numbers in float32 that logprobs are computed from at a time: 64 MiB.
_LOGPROB_ELEMENTS = 1 << 24

# The logprobs of one position: token id -> (logprob, rank), rank 1 being the likeliest.
TokenLogprobs = dict[int, tuple[float, int]]


@dataclass(frozen=True, slots=True)
class Sampled:
    """What was chosen, row by row; logprobs only where they were asked for."""

    token_ids: list[int]
    logprobs: list[TokenLogprobs | None]


class Sampler:
    """Greedy, or temperature, top-k, top-p and min-p, with penalties; seeded by request or by engine.

    The order is: banned tokens, penalties, temperature, top-k, top-p, min-p. A token is drawn as the argmax of
    probability over an exponential variate (the Gumbel-max trick), so that a request's draw depends on its own
    generator and probabilities alone, whatever is sampled beside it.

    Args:
        seed: of the requests that bring no seed of their own.
        device: where the logits are.
    """

    def __init__(self, seed: int, device: torch.device) -> None:
        self.device = device
        self._shared = torch.Generator(device=device).manual_seed(seed)
        self._generators: dict[str, torch.Generator] = {}

    def forget(self, request_id: str) -> None:
        """Drops an ended request's random numbers."""
        self._generators.pop(request_id, None)

    def sample(self, logits: Tensor, rows: Sequence[SampleRow]) -> Sampled:
        """One token a row.

        Args:
            logits: [len(rows), vocab_size], any float dtype.
            rows: how to choose.

        Raises:
            ValueError: a row is NaN throughout, or every token is banned.
        """
        logits = logits.float()
        raw = logits
        if any(row.banned_token_ids or row.params.has_penalties for row in rows):
            logits = logits.clone()
            for i, row in enumerate(rows):
                _apply_penalties(logits[i], row)
        token_ids = logits.argmax(dim=-1)
        random = [i for i, row in enumerate(rows) if not row.params.greedy]
        if random:
            index = torch.tensor(random, device=logits.device)
            drawn = self._draw(logits[index], [rows[i] for i in random])
            token_ids = token_ids.index_copy(0, index, drawn)
        chosen = token_ids.tolist()
        logprobs: list[TokenLogprobs | None] = [None] * len(rows)
        asked = [(i, row.params.logprobs) for i, row in enumerate(rows) if row.params.logprobs is not None]
        if asked:
            places, counts = [i for i, _ in asked], [count for _, count in asked]
            own = raw if len(asked) == len(rows) else raw[torch.tensor(places, device=raw.device)]
            for i, values in zip(places, token_logprobs(own, [chosen[i] for i in places], counts), strict=True):
                logprobs[i] = values
        return Sampled(chosen, logprobs)

    def _draw(self, logits: Tensor, rows: Sequence[SampleRow]) -> Tensor:
        def column(name: str) -> Tensor:
            values = [getattr(row.params, name) for row in rows]
            return torch.tensor(values, dtype=torch.float32, device=logits.device)[:, None]

        logits = logits / column("temperature").clamp_min(1e-6)
        if any(0 < row.params.top_k < logits.shape[1] or row.params.top_p < 1 for row in rows):
            logits = _keep_top(logits, column("top_k").long(), column("top_p"))
        probs = torch.softmax(logits, dim=-1)
        if any(row.params.min_p > 0 for row in rows):
            floor = column("min_p") * probs.amax(-1, keepdim=True)
            probs = probs.masked_fill(probs < floor, 0.0)
        noise = torch.empty_like(probs)
        for i, row in enumerate(rows):
            noise[i].uniform_(generator=self._generator(row))
        # Exponential variates by inversion: a sixth of what `exponential_` takes on the CPU.
        return (probs / noise.log_().neg_().clamp_min_(1e-20)).argmax(dim=-1)

    def _generator(self, row: SampleRow) -> torch.Generator:
        if row.params.seed is None:
            return self._shared
        if row.request_id not in self._generators:
            generator = torch.Generator(device=self.device).manual_seed(row.params.seed)
            self._generators[row.request_id] = generator
        return self._generators[row.request_id]


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


def _keep_top(logits: Tensor, top_k: Tensor, top_p: Tensor) -> Tensor:
    """Everything but the top-k and then the top-p tokens set to -inf; one sort for both."""
    ordered, order = logits.sort(dim=-1, descending=True)
    rank = torch.arange(logits.shape[1], device=logits.device)[None]
    k = torch.where(top_k > 0, top_k, logits.shape[1])
    ordered = ordered.masked_fill(rank >= k, -torch.inf)
    probs = torch.softmax(ordered, dim=-1)
    # A token stays while the ones before it have not reached top_p; the first one always stays.
    before = probs.cumsum(dim=-1) - probs
    ordered = ordered.masked_fill((before >= top_p) & (top_p < 1) & (rank > 0), -torch.inf)
    return torch.empty_like(logits).scatter_(1, order, ordered)
