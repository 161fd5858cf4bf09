"""Scoring: how likely given continuations of one prompt are, and the scheduler's requests behind that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile

from torchpaged.kv_cache import CacheKeys
from torchpaged.outputs import ContinuationScore
from torchpaged.sampling_params import SamplingParams, ScoringParams
from torchpaged.scheduler import Scheduler

# By position of the token: its logprob, and whether it is the likeliest.
TokenScores = Mapping[int, tuple[float, bool]]


class Scoring:
    """The continuations as completions of one prompt that are given instead of chosen.

    What they begin with in common is computed and scored with the prompt; the rest forks from it, the partial block
    too. A continuation of one token costs nothing but its logprob, and equal ones are one.

    Args:
        scheduler: where the requests are queued now.
        request_id: of the first; the others are "id#1", "id#2", ...
        token_ids: the prompt.
        params: the continuations.
        priority, cache_keys: as of any request.

    Raises:
        RequestError: a prompt that can never run; nothing is queued then.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        request_id: str,
        token_ids: list[int],
        params: ScoringParams,
        *,
        priority: int,
        cache_keys: CacheKeys,
    ) -> None:
        self._continuations, self._start = params.continuations, len(token_ids)
        self._leader_of: dict[Sequence[int], str] = {}
        self._name_of: dict[Sequence[int], str] = {}
        self._scores: dict[str, dict[int, tuple[float, bool]]] = {}
        unique = list(dict.fromkeys(params.continuations))
        width = scheduler.max_num_seqs  # as many as can run at once share a leader
        for first in range(0, len(unique), width):
            group = unique[first : first + width]
            shared = _common_beginning(group)
            names = [f"{request_id}#{i}" if i else request_id for i in range(first, first + len(group))]
            own = [_params(len(tokens) - shared) for tokens in group]
            scheduler.add(
                names[0],
                [*token_ids, *group[0][:shared]],
                own[0],
                priority=priority,
                cache_keys=cache_keys,
                followers=list(zip(names[1:], own[1:], strict=True)),
                given=[tuple(tokens[shared:]) for tokens in group],
                score_from=len(token_ids),
            )
            self._scores.update((name, {}) for name in names)
            self._name_of.update(zip(group, names, strict=True))
            self._leader_of.update(dict.fromkeys(group, names[0]))
        self._unfinished = set(self._scores)

    @property
    def names(self) -> Iterable[str]:
        """The scheduler's request ids."""
        return self._scores.keys()

    def take(self, name: str, scores: TokenScores) -> None:
        """What a step has scored for one of the requests; one that was preempted may bring the same again."""
        self._scores[name].update(scores)

    def finish(self, name: str) -> bool:
        """One of the requests has ended; True when it was the last."""
        self._unfinished.discard(name)
        return not self._unfinished

    def results(self) -> list[ContinuationScore]:
        """In the order of the continuations, all of which are scored."""
        return [self._result(tokens) for tokens in self._continuations]

    def _result(self, tokens: Sequence[int]) -> ContinuationScore:
        own, leader = self._scores[self._name_of[tokens]], self._scores[self._leader_of[tokens]]
        positions = range(self._start, self._start + len(tokens))
        scores = [own[p] if p in own else leader[p] for p in positions]
        return ContinuationScore(sum(logprob for logprob, _ in scores), all(greedy for _, greedy in scores))


@lru_cache(maxsize=1024)
def _params(count: int) -> SamplingParams:
    return SamplingParams(temperature=0.0, max_tokens=count, ignore_eos=True)


def _common_beginning(group: Sequence[Sequence[int]]) -> int:
    """How many tokens all of them begin with, each keeping one of its own."""
    same = takewhile(lambda column: len(set(column)) == 1, zip(*(tokens[:-1] for tokens in group), strict=False))
    return sum(1 for _ in same)
