"""Request: one completion's tokens, progress and state. Its owner is the scheduler; nobody else changes it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torchpaged.kv_cache.block_hash import NO_KEYS, CacheKeys
from torchpaged.sampling_params import SamplingParams


class RequestStatus(enum.Enum):
    """WAITING -> RUNNING -> (PREEMPTED or SWAPPED -> RUNNING)* -> a finished state, from any state by abort."""

    WAITING = "waiting"
    RUNNING = "running"
    PREEMPTED = "preempted"  # its blocks are gone, its tokens are computed again
    SWAPPED = "swapped"  # its blocks are on the host
    FINISHED_STOPPED = "stop"
    FINISHED_LENGTH = "length"
    FINISHED_ABORTED = "abort"
    FINISHED_ERROR = "error"

    @property
    def finished(self) -> bool:
        """Whether the request has ended, for whatever reason."""
        return self.name.startswith("FINISHED")


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """What a request's encoder reads: handed on to the model, which alone knows what it is.

    Args:
        data: token ids, or features.
        num_tokens: the states that the encoder makes of it.
    """

    data: Any
    num_tokens: int


class Request:
    """A prompt and what has been generated for it.

    One rule drives everything: a step computes tokens from `num_computed_tokens` on, as many as there are and
    fit. Prefill, chunked prefill, decode and recomputation after a preemption are the same rule.

    Invariants: 0 <= num_computed_tokens < num_tokens while unfinished, or num_tokens while the choice of its next
    token is somebody else's (beam search) and open; the computed tokens' keys and values are in the cache, or will be
    once the steps under way have run. A pending token is one that a step under way chooses: it has a position, and no
    value yet. There is at most one.

    Args:
        request_id: unique among unfinished requests.
        prompt_token_ids: at least one token.
        params: how tokens are chosen.
        arrival: a counter; lower came earlier.
        max_total_tokens: prompt and completion together at most.
        eos_token_ids: tokens that end a text unless `params.ignore_eos`.
        priority: lower runs first where the policy looks at it.
        cache_keys: what else than tokens its blocks are found by.
        given: the completion, when it is known and only scored: no token is chosen then. All of it but the last token
            is computed at once, as a prompt is.
        score_from: position of the first token that is scored, in the prompt or its end.
        encoder: what its encoder reads, where the model has one.
    """

    __slots__ = (
        "_ends",
        "arrival",
        "cache_keys",
        "encoder",
        "eos_token_ids",
        "error",
        "followers",
        "given",
        "leader",
        "max_total_tokens",
        "num_cached_tokens",
        "num_computed_tokens",
        "num_pending_tokens",
        "num_preemptions",
        "num_prompt_tokens",
        "params",
        "priority",
        "quiet_until",
        "request_id",
        "score_from",
        "status",
        "stop_reason",
        "token_ids",
    )

    def __init__(
        self,
        request_id: str,
        prompt_token_ids: Sequence[int],
        params: SamplingParams,
        *,
        arrival: int,
        max_total_tokens: int,
        eos_token_ids: Sequence[int] = (),
        priority: int = 0,
        cache_keys: CacheKeys = NO_KEYS,
        given: tuple[int, ...] = (),
        score_from: int = 0,
        encoder: EncoderInput | None = None,
    ) -> None:
        self.request_id = request_id
        self.token_ids = list(prompt_token_ids)
        self.num_prompt_tokens = len(self.token_ids)
        self.params = params
        self.arrival = arrival
        self.max_total_tokens = min(max_total_tokens, self.num_prompt_tokens + params.max_tokens)
        self.eos_token_ids = frozenset(eos_token_ids)
        self._ends = frozenset(params.stop_token_ids).union(() if params.ignore_eos else eos_token_ids)
        self.status = RequestStatus.WAITING
        self.priority, self.cache_keys = priority, cache_keys
        self.given, self.score_from, self.encoder = given, score_from, encoder
        self.followers: list[Request] = []  # wait for its prompt to be computed, and fork from it then
        self.leader: Request | None = None  # whom it follows
        self.num_computed_tokens = 0
        self.num_pending_tokens = 0
        self.num_cached_tokens: int | None = None  # of the prompt, when it was first admitted
        self.quiet_until = 0  # KVCacheManager.quiet_until when it was last asked
        self.num_preemptions = 0
        self.stop_reason: str | int | None = None  # the stop string or token that ended it
        self.error: str | None = None

    def __repr__(self) -> str:
        progress = f"{self.num_computed_tokens}/{len(self.token_ids)}"
        return f"Request({self.request_id!r}, {self.status.value}, computed={progress})"

    @property
    def id(self) -> str:
        return self.request_id

    @property
    def num_tokens(self) -> int:
        """Prompt and generated tokens, a pending one too."""
        return len(self.token_ids) + self.num_pending_tokens

    @property
    def num_encoder_tokens(self) -> int:
        """Tokens that cross-attention sees; 0 for a decoder alone."""
        return 0 if self.encoder is None else self.encoder.num_tokens

    @property
    def num_output_tokens(self) -> int:
        """Generated tokens, a pending one too."""
        return len(self.token_ids) + self.num_pending_tokens - self.num_prompt_tokens

    @property
    def output_token_ids(self) -> list[int]:
        """The generated tokens, a copy."""
        return self.token_ids[self.num_prompt_tokens :]

    @property
    def paused(self) -> bool:
        """Whether everything is computed and the next token is not chosen yet."""
        return self.num_tokens == self.num_computed_tokens

    @property
    def ends_soon(self) -> bool:
        """Whether a token is pending after which there is no room for another."""
        return self.num_pending_tokens > 0 and self.num_tokens >= self.max_total_tokens

    @property
    def num_uncomputed_tokens(self) -> int:
        """Tokens that a step could compute now."""
        return self.num_tokens - self.num_computed_tokens

    @property
    def next_given(self) -> int | None:
        """What follows the computed tokens, when the completion is given."""
        if not self.given:
            return None
        return self.given[-1] if self.num_output_tokens else self.given[0]

    @property
    def next_scored(self) -> int:
        """Position of the first token of a given completion, or of the prompt, that a step may still score."""
        return self.num_prompt_tokens + 1 if self.num_output_tokens else self.score_from

    @property
    def banned_token_ids(self) -> frozenset[int]:
        """Tokens that may not be chosen next: what would end the text before `min_tokens`."""
        if self.num_output_tokens >= self.params.min_tokens:
            return frozenset()
        return self.eos_token_ids.union(self.params.stop_token_ids)

    @property
    def finished(self) -> bool:
        """Whether it has ended."""
        return self.status.finished

    @property
    def finish_reason(self) -> str | None:
        """ "stop", "length", "abort", "error", or None while it runs."""
        return self.status.value if self.finished else None

    def append(self, token_id: int) -> None:
        """Takes one generated token, the pending one, or a given completion's first or last, and decides whether it was
        the last.
        """
        self.num_pending_tokens = 0
        token_ids = self.token_ids
        token_ids.append(token_id)
        if self.given and len(token_ids) == self.num_prompt_tokens + 1:
            token_ids += self.given[1:-1]
        if token_id in self._ends and len(token_ids) - self.num_prompt_tokens >= self.params.min_tokens:
            self.status = RequestStatus.FINISHED_STOPPED
            if token_id not in self.eos_token_ids or self.params.ignore_eos:
                self.stop_reason = token_id
        elif len(token_ids) >= self.max_total_tokens:
            self.status = RequestStatus.FINISHED_LENGTH

    def check(self) -> None:
        """Asserts the invariants, between steps."""
        assert 1 <= self.num_prompt_tokens <= self.num_tokens and self.num_pending_tokens in (0, 1)
        assert self.finished or 0 <= self.num_computed_tokens <= self.num_tokens, repr(self)
        resident = self.status in (RequestStatus.RUNNING, RequestStatus.SWAPPED)
        assert resident or self.finished or self.num_computed_tokens == 0, repr(self)
        assert not (self.followers and self.num_output_tokens), f"{self!r} has a token and its followers have none"


# Between a user's id and a number of the engine's own; behind it, "#" and which of several sequences it is.
_OWN = "\u00b7"


def own_name(request_id: str, number: int) -> str:
    """The scheduler's name of a request, which no user's id can be: the number is used once."""
    return f"{request_id}{_OWN}{number}"


def shown_name(name: str) -> str:
    """A scheduler's name as people read it: the user's id, and which of its sequences it is."""
    user, own, rest = name.rpartition(_OWN)
    if not own:
        return name
    _, mark, which = rest.partition("#")
    return user + mark + which
