"""Beam search over one prompt: which continuations live on. Knows scores and tokens, no blocks and no tensors.

The rules are those of transformers' `generate(num_beams=...)`, so that the same sequences come out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from torchpaged.sampling_params import BeamSearchParams


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished sequence: what was generated, the sum of its logprobs, and its score by length."""

    token_ids: tuple[int, ...]
    cumulative_logprob: float
    score: float


@dataclass(slots=True)
class _Beam:
    score: float = 0.0  # sum of logprobs
    token_ids: tuple[int, ...] = ()
    candidates: Mapping[int, float] | None = None  # logprobs of the next token, once they are computed


@dataclass(slots=True)
class BeamGroup:
    """The beams of one prompt. A step's logprobs are offered beam by beam; when all are there, `advance`.

    Invariants: `len(beams) <= beam_width`; the hypotheses are the `beam_width` best so far, best first.

    Args:
        params: beam width, length penalty, ...
        max_tokens: generated tokens at most.
        eos_token_ids: what ends a sequence.
    """

    params: BeamSearchParams
    max_tokens: int
    eos_token_ids: frozenset[int]
    beams: dict[str, _Beam] = field(default_factory=dict)
    hypotheses: list[Hypothesis] = field(default_factory=list)
    _next: list[tuple[float, str, int]] = field(default_factory=list, init=False)

    @property
    def num_candidates(self) -> int:
        """How many of the likeliest tokens each beam must offer: enough that as many beams as asked live on."""
        return max(2, 1 + len(self.eos_token_ids)) * self.params.beam_width

    def start(self, request_id: str) -> None:
        """The prompt is the first beam."""
        self.beams[request_id] = _Beam()

    def offer(self, request_id: str, logprobs: Mapping[int, float]) -> bool:
        """Takes a beam's likeliest next tokens; True when every beam has offered."""
        self.beams[request_id].candidates = logprobs
        return all(beam.candidates is not None for beam in self.beams.values())

    def advance(self) -> list[tuple[str, int]]:
        """Chooses the next beams: (parent, token) each, best first; none when the search has ended.

        The caller names them by `adopt`.
        """
        width, length = self.params.beam_width, self._length + 1
        every = (
            (beam.score + logprob, request_id, token)
            for request_id, beam in self.beams.items()
            for token, logprob in (beam.candidates or {}).items()
        )
        best = heapq.nlargest(self.num_candidates, every, key=lambda candidate: candidate[0])
        ended = [length >= self.max_tokens or token in self.eos_token_ids for _, _, token in best]
        full = len(self.hypotheses) == width
        if not (full and self.params.early_stopping):
            self._keep(
                ((*self.beams[parent].token_ids, token), score)
                for (score, parent, token), is_end in zip(best[:width], ended, strict=False)
                if is_end
            )
        alive = [candidate for candidate, is_end in zip(best, ended, strict=True) if not is_end][:width]
        if not alive or (len(self.hypotheses) == width and not self._can_improve(alive[0][0], length)):
            return []
        self._next = alive
        return [(parent, token) for _, parent, token in alive]

    def adopt(self, request_ids: Iterable[str]) -> None:
        """The names of the beams that `advance` chose, in its order."""
        self.beams = {
            name: _Beam(score, (*self.beams[parent].token_ids, token))
            for name, (score, parent, token) in zip(request_ids, self._next, strict=True)
        }

    @property
    def _length(self) -> int:
        return len(next(iter(self.beams.values())).token_ids)

    def _normal(self, score: float, length: int) -> float:
        value: float = score / length**self.params.length_penalty
        return value

    def _keep(self, ended: Iterable[tuple[tuple[int, ...], float]]) -> None:
        for token_ids, score in ended:
            self.hypotheses.append(Hypothesis(token_ids, score, self._normal(score, len(token_ids))))
        self.hypotheses.sort(key=lambda hypothesis: -hypothesis.score)
        del self.hypotheses[self.params.beam_width :]

    def _can_improve(self, best_score: float, length: int) -> bool:
        """Whether a living beam may still beat the worst hypothesis, taken that it scores as now."""
        if self.params.early_stopping:
            return False
        return self._normal(best_score, length) > self.hypotheses[-1].score
