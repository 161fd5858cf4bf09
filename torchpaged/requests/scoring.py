"""Scoring: logprobs of given continuations of one prompt. Nothing is generated."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from itertools import takewhile

from torchpaged.outputs import CompletionOutput, ContinuationScore, RequestOutput
from torchpaged.requests.group import Request
from torchpaged.sampling_params import ScoringParams
from torchpaged.scheduling import Results, RowParams, SamplingRequest, Scheduler, Scores, Sequence, StopRule
from torchpaged.scheduling.step import Score

_ROW = RowParams()


class ScoringGroup:
    """Scores of continuations, whose common beginning is computed and scored with the prompt, as one sequence.

    The next token of each is scored from the prompt's last row; longer ones fork from it, the partial block included,
    with the rest of their tokens given. So a continuation of one token costs no row of its own, and equal ones are
    computed once.

    Args:
        request: the request.
        params: the continuations.
    """

    def __init__(self, request: Request, params: ScoringParams) -> None:
        self.request, self.params = request, params
        self.finished = False
        self._error: CompletionOutput | None = None
        unique = list(dict.fromkeys(params.continuations))
        self._shared = unique[0][: _common_beginning(unique)]
        # The next tokens are targets of the prompt's last row; several continuations may have the same one.
        self._firsts = list(dict.fromkeys(tokens[len(self._shared)] for tokens in unique))
        # Continuations that need a sequence and have none yet.
        self._longer = [tokens for tokens in unique if len(tokens) > len(self._shared) + 1]
        self._prompt_scores: dict[int, Score] = {}  # by position, of the shared tokens
        self._first_scores: dict[int, Score] = {}  # by token
        self._rest_scores: dict[Seq[int], list[Score]] = {}
        self._running: dict[int, tuple[Seq[int] | None, Sequence]] = {}  # None: the prompt
        self._computed = False  # True when the prompt's results have come

    @property
    def shows_deltas(self) -> bool:
        """`Group.shows_deltas`."""
        return False

    def start(self, scheduler: Scheduler) -> None:
        """Add the prompt, with a slot for each continuation that will fork from it."""
        request = self.request
        tokens = [*request.token_ids, *self._shared]
        sequence = scheduler.add(
            tokens,
            _ROW,
            StopRule(scheduler.limits.max_model_len + 1),
            **request.sequence_fields,
            held=True,
            wanted=SamplingRequest(draws=(), score_from=len(request.token_ids), targets=tuple(self._firsts)),
            num_slots=min(max(1, len(self._longer)), scheduler.limits.max_num_seqs),
            score_only=True,
        )
        self._running[sequence.id] = None, sequence

    def score(self, sequence: Sequence, scores: Scores) -> None:
        """Take the scores of the prompt's end, or of the rest of a continuation."""
        self.request.note(sequence)
        continuation, _ = self._running[sequence.id]
        if continuation is None:
            self._prompt_scores.update(enumerate(scores.scores, start=scores.first))
            self._first_scores.update(zip(self._firsts, scores.targets, strict=False))
        else:
            self._rest_scores.setdefault(continuation, []).extend((*scores.scores, *scores.targets))

    def decide(self, sequence: Sequence, results: Results, scheduler: Scheduler) -> None:
        """Fork the prompt into continuations; a continuation that is scored makes room for another.

        NaN logits give NaN scores.
        """
        continuation, _ = self._running[sequence.id]
        if continuation is None:
            scheduler.release_slots(sequence)
            self._computed = True
        else:
            self._end(sequence, scheduler)
        prompt = next((each for given, each in self._running.values() if given is None), None)
        if prompt is not None and self._computed:  # else a step computes the preempted prompt again
            self._fork(prompt, scheduler)
        self.finished = not self._running

    def _fork(self, prompt: Sequence, scheduler: Scheduler) -> None:
        """Start as many continuations as can run now, at least one; the prompt's own sequence becomes the last one."""
        most = max(2, scheduler.limits.max_num_seqs)  # the waiting prompt can give its slot to a running continuation
        while len(self._longer) > 1 and len(self._running) < most:
            tokens = self._longer.pop(0)
            child = scheduler.fork(prompt)
            self._running[child.id] = tokens, child
            self._give(child, tokens, scheduler)
        if len(self._longer) == 1:
            tokens = self._longer.pop()
            self._running[prompt.id] = tokens, prompt
            self._give(prompt, tokens, scheduler)
        elif not self._longer:
            self._end(prompt, scheduler)

    def _give(self, sequence: Sequence, continuation: Seq[int], scheduler: Scheduler) -> None:
        first, rest = len(sequence.token_ids), continuation[len(self._shared) :]
        wanted = SamplingRequest(draws=(), score_from=first + 1, targets=(rest[-1],))
        scheduler.extend(sequence, rest[:-1], held=True, wanted=wanted)

    def _end(self, sequence: Sequence, scheduler: Scheduler) -> None:
        scheduler.finish(sequence, "stop")
        self.request.note(sequence)
        del self._running[sequence.id]

    def move(self, sequence: Sequence, tokens: Seq[int], results: Results, scheduler: Scheduler) -> None:
        """Raise: it is never called, because its sequences are held."""
        raise AssertionError(f"{sequence} is not held")

    def end(self, scheduler: Scheduler, why: str, error: str | None = None) -> None:
        """End without scores."""
        for _, sequence in list(self._running.values()):
            scheduler.finish(sequence, why, error)
            self.request.note(sequence)
        self._running.clear()
        self._longer.clear()
        self._error = CompletionOutput(0, "", [], finish_reason=why, error=error)
        self.finished = True

    def output(self) -> RequestOutput | None:
        """Return the scores in the order of the continuations when all are known."""
        if not self.finished:
            return None
        if self._error is not None:
            return self.request.make_output([self._error], finished=True)
        return self.request.make_output(
            [], finished=True, scores=[self._result(each) for each in self.params.continuations]
        )

    def _result(self, continuation: Seq[int]) -> ContinuationScore:
        start, shared = len(self.request.token_ids), len(self._shared)
        scores = [self._prompt_scores[position] for position in range(start, start + shared)]
        scores.append(self._first_scores[continuation[shared]])
        scores += self._rest_scores.get(continuation, ())
        return ContinuationScore(sum(logprob for logprob, _ in scores), all(likeliest for _, likeliest in scores))


def _common_beginning(group: Seq[Seq[int]]) -> int:
    """Return the number of tokens that all continuations begin with, leaving each at least one of its own."""
    same = takewhile(lambda column: len(set(column)) == 1, zip(*(tokens[:-1] for tokens in group), strict=False))
    return sum(1 for _ in same)
