"""Beam search over one prompt: which continuations live on, and the scheduler's requests behind them.

The rules are those of transformers' `generate(num_beams=...)`, so that the same sequences come out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torchpaged.detokenizer import Detokenizer
from torchpaged.kv_cache import CacheKeys
from torchpaged.outputs import CompletionOutput
from torchpaged.request import EncoderInput, Request, RequestStatus
from torchpaged.sampling_params import BeamSearchParams, SamplingParams
from torchpaged.scheduler import Scheduler


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
        if not (full and self.params.early_stopping is True):
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
        """Whether a living beam may still beat the worst hypothesis.

        Taken that it ends as it is now; with "never" at the length at which it would score most: its logprob falls with
        each token, but is divided by more where a longer sequence gains.
        """
        params = self.params
        if params.early_stopping is True:
            return False
        if params.early_stopping == "never" and params.length_penalty > 0:
            length = self.max_tokens
        return self._normal(best_score, length) > self.hypotheses[-1].score


class BeamSearch:
    """One prompt's beams as requests of the scheduler, which share blocks until they write.

    Invariants: `names` are unfinished requests of the scheduler, until `end`.

    Args:
        scheduler: where the prompt is queued now.
        request_id: of the first beam.
        token_ids: the prompt.
        params: beam width, length penalty, ...
        eos_token_ids: what ends a text.
        priority, cache_keys, encoder: as of any request.

    Raises:
        RequestError: a prompt that can never run.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        request_id: str,
        token_ids: list[int],
        params: BeamSearchParams,
        eos_token_ids: Iterable[int],
        *,
        priority: int,
        cache_keys: CacheKeys,
        encoder: EncoderInput | None = None,
    ) -> None:
        self._scheduler, self._id, self._prompt = scheduler, request_id, token_ids
        self._count = 0  # of beams that forked: their names
        eos = frozenset(() if params.ignore_eos else eos_token_ids)
        self.group = BeamGroup(params, params.max_tokens, eos)
        # What the sampler would choose is not looked at: the beams' logprobs are.
        own = SamplingParams(
            temperature=0.0, max_tokens=params.max_tokens, logprobs=self.group.num_candidates, ignore_eos=True
        )
        request = scheduler.add(request_id, token_ids, own, priority=priority, cache_keys=cache_keys, encoder=encoder)
        self.group.max_tokens = request.max_total_tokens - request.num_prompt_tokens
        self.group.start(request_id)
        self.num_preemptions = 0

    @property
    def names(self) -> Iterable[str]:
        """The living beams' request ids."""
        return self.group.beams.keys()

    def take(self, request_id: str, logprobs: Mapping[int, float]) -> bool:
        """Takes one beam's logprobs; when all have come, the best live on. True when the search has ended."""
        group, scheduler = self.group, self._scheduler
        if not group.offer(request_id, logprobs):
            return False
        chosen = group.advance()
        if not chosen:
            self.end()
            return True
        for name in group.beams.keys() - {parent for parent, _ in chosen}:
            self._drop(name)
        names: list[str] = []
        tokens: list[tuple[Request, int]] = []
        continued: set[str] = set()
        for parent, token in chosen:
            request = scheduler.requests[parent]
            if parent in continued:
                self._count += 1
                request = scheduler.fork(request, f"{self._id}#beam{self._count}")
            continued.add(parent)
            names.append(request.request_id)
            tokens.append((request, token))
        group.adopt(names)
        for request, token in tokens:  # after all forks: they start from the parents' past alone
            scheduler.resume(request, token)
        return False

    def end(self) -> None:
        """Gives the beams' blocks back; the hypotheses stay."""
        for name in list(self.names):
            self._drop(name)
        self.group.beams.clear()

    def completions(self, tokenizer: Any) -> list[CompletionOutput]:
        """The finished sequences, best first."""
        return [self._completion(index, found, tokenizer) for index, found in enumerate(self.group.hypotheses)]

    def _completion(self, index: int, found: Hypothesis, tokenizer: Any) -> CompletionOutput:
        token_ids = list(found.token_ids)
        ended = token_ids[-1] in self.group.eos_token_ids
        output = CompletionOutput(index, "", token_ids, cumulative_logprob=found.cumulative_logprob, score=found.score)
        output.finish_reason = "stop" if ended else "length"
        detokenizer = Detokenizer(tokenizer, self._prompt)
        try:
            detokenizer.append(token_ids[:-1] if ended else token_ids)
            detokenizer.finish()
        except Exception as error:  # the tokenizer's; the tokens are there
            output.finish_reason, output.error = "error", f"{type(error).__name__}: {error}"
        output.text = detokenizer.text
        return output

    def _drop(self, name: str) -> None:
        request = self._scheduler.finish(name, RequestStatus.FINISHED_ABORTED)
        if request is not None:
            self.num_preemptions += request.num_preemptions
