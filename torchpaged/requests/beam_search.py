"""Beam search over one prompt: the beams that live on, and the sequences behind them.

The rules are those of transformers' `generate(num_beams=...)`, so that the same sequences come out.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field

from torchpaged.outputs import FIRST_VERSION, CompletionOutput, RequestOutput
from torchpaged.requests.detokenizer import Detokenizer
from torchpaged.requests.group import Request
from torchpaged.requests.output import WeightVersions
from torchpaged.requests.sampling import Vocabulary
from torchpaged.sampling_params import BeamSearchParams
from torchpaged.scheduling import Results, RowParams, SamplingRequest, Scheduler, Scores, Sequence, StopRule


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished sequence: its generated tokens, the sum of their logprobs, and its score after the length penalty."""

    token_ids: tuple[int, ...]
    cumulative_logprob: float
    score: float
    versions: WeightVersions = field(default_factory=WeightVersions, compare=False)


@dataclass(slots=True)
class _Beam:
    score: float = 0.0  # sum of logprobs
    token_ids: tuple[int, ...] = ()
    candidates: Mapping[int, float] | None = None  # logprobs of the next token, once they are computed
    versions: WeightVersions = field(default_factory=WeightVersions)  # of its tokens, and of the next one


@dataclass(slots=True)
class Beams:
    """The beams of one prompt. A step's logprobs are offered beam by beam; when all are there, `advance` is called.

    Invariants: `len(beams) <= beam_width`; the hypotheses are the `beam_width` best so far, best first.

    Args:
        params: beam width, length penalty, ...
        max_tokens: most generated tokens.
        eos_token_ids: tokens that end a sequence.
    """

    params: BeamSearchParams
    max_tokens: int
    eos_token_ids: frozenset[int]
    beams: dict[int, _Beam] = field(default_factory=dict)
    hypotheses: list[Hypothesis] = field(default_factory=list)
    _next: list[tuple[float, int, int]] = field(default_factory=list, init=False)
    _awaited: set[int] = field(default_factory=set, init=False)  # beams that have not offered

    @property
    def num_candidates(self) -> int:
        """Number of likeliest tokens that each beam must offer, so that `beam_width` beams live on if some candidates
        end.
        """
        return max(2, 1 + len(self.eos_token_ids)) * self.params.beam_width

    def add_prompt(self, beam: int) -> None:
        """Make the prompt the first beam."""
        self.beams[beam] = _Beam()
        self._awaited = {beam}

    def offer(self, beam: int, logprobs: Mapping[int, float], weight_version: str = FIRST_VERSION) -> bool:
        """Take a beam's likeliest next tokens; return True if every beam has offered."""
        self.beams[beam].candidates = logprobs
        self.beams[beam].versions.note(weight_version, len(self.beams[beam].token_ids))
        self._awaited.discard(beam)
        return not self._awaited

    def advance(self) -> list[tuple[int, int]]:
        """Return the next beams as (parent, token), best first; empty if the search has ended.

        The caller names them by `adopt`.
        """
        width, length = self.params.beam_width, self._length + 1
        every = (
            (beam.score + logprob, name, token)
            for name, beam in self.beams.items()
            for token, logprob in (beam.candidates or {}).items()
        )
        best = heapq.nlargest(self.num_candidates, every, key=lambda candidate: candidate[0])
        ended = [length >= self.max_tokens or token in self.eos_token_ids for _, _, token in best]
        full = len(self.hypotheses) == width
        if not (full and self.params.early_stopping is True):
            self._keep(
                ((*self.beams[parent].token_ids, token), score, self.beams[parent].versions.forked())
                for (score, parent, token), is_end in zip(best[:width], ended, strict=False)
                if is_end
            )
        alive = [candidate for candidate, is_end in zip(best, ended, strict=True) if not is_end][:width]
        if not alive or (len(self.hypotheses) == width and not self._can_improve(alive[0][0], length)):
            return []
        self._next = alive
        return [(parent, token) for _, parent, token in alive]

    def adopt(self, names: Iterable[int]) -> None:
        """Name the beams that `advance` returned, in its order."""
        self.beams = {
            name: _Beam(score, (*self.beams[parent].token_ids, token), versions=self.beams[parent].versions.forked())
            for name, (score, parent, token) in zip(names, self._next, strict=True)
        }
        self._awaited = set(self.beams)

    @property
    def _length(self) -> int:
        return len(next(iter(self.beams.values())).token_ids)

    def _normal(self, score: float, length: int) -> float:
        """Return the score of a sum of logprobs, by length; limits replace values that a float cannot hold."""
        try:
            divisor = float(length) ** self.params.length_penalty
        except OverflowError:
            divisor = math.inf
        if divisor == 0.0:
            return -math.inf if score else score
        value: float = score / divisor
        return value

    def _keep(self, ended: Iterable[tuple[tuple[int, ...], float, WeightVersions]]) -> None:
        for token_ids, score, versions in ended:
            self.hypotheses.append(Hypothesis(token_ids, score, self._normal(score, len(token_ids)), versions))
        self.hypotheses.sort(key=lambda hypothesis: -hypothesis.score)
        del self.hypotheses[self.params.beam_width :]

    def _can_improve(self, best_score: float, length: int) -> bool:
        """Return True if a living beam may still beat the worst hypothesis.

        The beam's score is taken as if it ended now. With "never" it is taken at the length at which it would be
        highest: its logprob falls with each token, but is divided by more if the length penalty favours longer
        sequences.
        """
        params = self.params
        if params.early_stopping is True:
            return False
        if params.early_stopping == "never" and params.length_penalty > 0:
            length = self.max_tokens
        return self._normal(best_score, length) > self.hypotheses[-1].score


class BeamSearchGroup:
    """One prompt's beams as held sequences, which share blocks until they write.

    Args:
        request: the request.
        params: beam width, length penalty, ...
        vocabulary: of the engine.
    """

    def __init__(self, request: Request, params: BeamSearchParams, vocabulary: Vocabulary) -> None:
        self.request, self.params, self._vocabulary = request, params, vocabulary
        self.finished = False
        eos = frozenset(() if params.ignore_eos else vocabulary.eos_token_ids)
        self._beams = Beams(params, params.max_tokens, eos)
        self._sequences: dict[int, Sequence] = {}
        self._ended: CompletionOutput | None = None  # output of a search that ended without a hypothesis

    @property
    def _wanted(self) -> SamplingRequest:
        return SamplingRequest(draws=(), candidates=self._beams.num_candidates)

    @property
    def shows_deltas(self) -> bool:
        """`Group.shows_deltas`."""
        return False

    def start(self, scheduler: Scheduler) -> None:
        """Add the prompt as the first beam."""
        request, length = self.request, len(self.request.token_ids)
        sequence = scheduler.add(
            request.token_ids,
            RowParams(),
            StopRule(length + self.params.max_tokens),
            **request.sequence_fields,
            held=True,
            wanted=self._wanted,
        )
        self._beams.max_tokens = sequence.stop_rule.max_length - length
        self._beams.add_prompt(sequence.id)
        self._sequences[sequence.id] = sequence

    def score(self, sequence: Sequence, scores: Scores) -> None:
        """Do nothing: the likeliest next tokens are read in `decide`."""

    def decide(self, sequence: Sequence, results: Results, scheduler: Scheduler) -> None:
        """Take one beam's candidates; when all have come, the best live on."""
        self.request.note(sequence)
        if sequence.id in results.errors:
            self.end(scheduler, "error", results.errors[sequence.id])
            return
        if not self._beams.offer(sequence.id, results.scores[sequence.id].candidates, results.weight_version):
            return
        chosen = self._beams.advance()
        if not chosen:
            self._end(scheduler)
            return
        parents = {parent for parent, _ in chosen}
        lives: list[tuple[Sequence, int]] = []
        continued: set[int] = set()
        for parent, token in chosen:
            each = self._sequences[parent]
            if parent in continued:
                each = scheduler.fork(each)
            continued.add(parent)
            lives.append((each, token))
        for id in self._sequences.keys() - parents:
            self._drop(self._sequences[id], scheduler)
        self._sequences = {each.id: each for each, _ in lives}
        self._beams.adopt(each.id for each, _ in lives)
        for each, token in lives:  # after all forks, which must not have the parents' next tokens
            scheduler.extend(each, [token], held=True, wanted=self._wanted)

    def move(self, sequence: Sequence, tokens: Seq[int], results: Results, scheduler: Scheduler) -> None:
        """Raise: it is never called, because its sequences are held."""
        raise AssertionError(f"{sequence} is not held")

    def end(self, scheduler: Scheduler, why: str, error: str | None = None) -> None:
        """End the search; the hypotheses found so far stay."""
        if not self._beams.hypotheses:
            self._ended = CompletionOutput(0, "", [], finish_reason=why, error=error)
        self._end(scheduler)

    def _end(self, scheduler: Scheduler) -> None:
        for sequence in list(self._sequences.values()):
            self._drop(sequence, scheduler)
        self._sequences.clear()
        self._beams.beams.clear()
        self.finished = True

    def _drop(self, sequence: Sequence, scheduler: Scheduler) -> None:
        scheduler.finish(sequence, "abort")
        self.request.note(sequence)

    def output(self) -> RequestOutput | None:
        """Return the finished sequences, best first, at the end."""
        if not self.finished:
            return None
        if self._ended is not None:
            return self.request.make_output([self._ended], finished=True)
        found = [self._completion(index, each) for index, each in enumerate(self._beams.hypotheses)]
        return self.request.make_output(found, finished=True)

    def _completion(self, index: int, found: Hypothesis) -> CompletionOutput:
        token_ids = list(found.token_ids)
        ended = token_ids[-1] in self._beams.eos_token_ids
        reason, failure = "stop" if ended else "length", None
        detokenizer = Detokenizer(self._vocabulary.tokenizer, self.request.token_ids)
        try:
            detokenizer.append(token_ids[:-1] if ended else token_ids)
            detokenizer.finish()
        except Exception as error:  # a tokenizer may raise anything; the tokens are shown in any case
            reason, failure = "error", f"{type(error).__name__}: {error}"
        return CompletionOutput(
            index,
            detokenizer.text,
            token_ids,
            cumulative_logprob=found.cumulative_logprob,
            score=found.score,
            finish_reason=reason,
            error=failure,
            weight_versions=found.versions.spans(len(token_ids)),
        )
