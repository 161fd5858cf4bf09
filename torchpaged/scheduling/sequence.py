"""Sequence: tokens, how many of them are computed, and when it stops. Only the scheduler changes one."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field
from typing import Any

from torchpaged.kv_cache.block_hash import NO_KEYS, CacheKeys
from torchpaged.kv_cache.sessions import CacheHint
from torchpaged.media.items import PromptMedia
from torchpaged.scheduling.guide import Guide
from torchpaged.scheduling.proposers import Drafting
from torchpaged.scheduling.step import HiddenRows, RowParams


class Status(enum.Enum):
    """WAITING -> RUNNING -> (WAITING or SWAPPED -> RUNNING)* -> ENDED, from any state by `Scheduler.finish`."""

    WAITING = "waiting"  # it has no blocks; after a preemption its tokens are computed again
    RUNNING = "running"
    SWAPPED = "swapped"  # its blocks are on the host
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """Input of a sequence's encoder; only the model reads it.

    Args:
        data: token ids or features.
        num_tokens: number of states that the encoder makes of it.
    """

    data: Any
    num_tokens: int


@dataclass(frozen=True, slots=True)
class StopRule:
    """Conditions under which a sequence ends without its owner.

    Args:
        max_length: most tokens, prompt included.
        stops: tokens that end it.
        min_length: number of tokens, prompt included, before any of `stops` counts.
    """

    max_length: int
    stops: frozenset[int] = frozenset()
    min_length: int = 0


@dataclass(frozen=True, slots=True)
class SamplingRequest:
    """Results that a sequence's rows must give, if they are not one sampled token of its own.

    Args:
        draws: (id, seed) of each token that is sampled from the logits of the last token; empty: none is sampled.
        score_from: position of the first known token to score; None: none is scored.
        alternatives, targets, candidates: see `Scored`.
        hidden: hidden states to return.
    """

    draws: tuple[tuple[int, int], ...] | None = None
    score_from: int | None = None
    alternatives: int = -1
    targets: tuple[int, ...] = ()
    candidates: int = 0
    hidden: HiddenRows | None = None


NOTHING_MORE = SamplingRequest()


@dataclass(slots=True)
class Wanted:
    """The results that a sequence's rows must give, and how many of them have been delivered.

    Args:
        request: the results.
        num_scored_tokens: tokens before this position have been scored.
        num_hidden_tokens: hidden states of the tokens before this position have been returned.
    """

    request: SamplingRequest
    num_scored_tokens: int = 0
    num_hidden_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Origin:
    """The request that a sequence belongs to. Forks share it.

    Args:
        owner: number of the request; the scheduler only reports it.
        arrival: a counter; lower arrived earlier.
        num_prompt_tokens: length of the prompt.
        priority: lower runs first under the policy "priority".
        cache_keys: inputs beside the tokens that identify its blocks.
        encoder: input of the encoder, if the model has one.
        prompt_embeds: see `NewSequence`.
        cache_hint: applied to its blocks when it ends; None: none.
        media: images and sounds of the prompt; None: it has none.
    """

    owner: int
    arrival: int
    num_prompt_tokens: int
    priority: int = 0
    cache_keys: CacheKeys = NO_KEYS
    encoder: EncoderInput | None = None
    prompt_embeds: Any = None
    cache_hint: CacheHint | None = None
    media: PromptMedia | None = None


@dataclass(slots=True)
class Sampling:
    """The way in which a sequence's tokens are sampled.

    Args:
        params: parameters of its row.
        guide: allows tokens by a mask for each; None: all tokens are allowed.

    Attributes:
        needs_tokens: True if each token must be on the host before the next is sampled: a logits processor reads it,
            or a mask is made of it. No token is computed ahead then.
    """

    params: RowParams
    guide: Guide | None = None
    needs_tokens: bool = field(init=False)

    def __post_init__(self) -> None:
        self.needs_tokens = self.params.asked is not None or self.guide is not None


@dataclass(slots=True)
class Admission:
    """A sequence's record of admissions.

    Args:
        num_slots: number of `max_num_seqs` slots that it takes, those of its future forks included.
        num_cached_tokens: number of prompt tokens that the prefix cache had at the first admission; None before it.
        num_preemptions: how often it was preempted.
    """

    num_slots: int = 1
    num_cached_tokens: int | None = None
    num_preemptions: int = 0


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a sequence.

    Args:
        reason: "stop", "length", "abort" or "error".
        stop_token: the token of `StopRule.stops` that ended it.
        error: description of the error.
    """

    reason: str
    stop_token: int | None = None
    error: str | None = None


class Sequence:
    """Tokens to be computed in order.

    One rule drives everything: a step computes tokens from `num_computed_tokens` on, as many as there are and fit.
    Prefill, chunked prefill, decode and recomputation after a preemption are the same rule.

    When all tokens are computed, a sequence goes on with the token that the step sampled. A held sequence waits instead
    until its owner extends, forks or finishes it.

    Invariants: 0 <= num_computed_tokens <= num_tokens, equal only while held or ended; the keys and values of computed
    tokens are in the cache, or will be when the steps in flight have run. There is at most one pending token, and none
    while the sequence is held.

    Args:
        id: never reused.
        origin: the request that it belongs to.
        token_ids: at least one token.
        sampling: how its tokens are sampled.
        stop_rule: when it ends.
        held: if its owner decides about each next token.
        wanted: the results that its rows must give.
        num_slots: see `Admission`.
        max_drafts: see `Drafting`.

    Attributes:
        num_pending_tokens: 1 if a step in flight samples the next token: it has a position and no value yet.
        quiet_until: while fewer tokens than this are computed, a step computes one token of the sequence, and neither
            blocks nor anything else needs a decision. 0: each step decides.
        in_flight: a step in flight computes the last token, and no further token can be computed before its results.
        drafting: speculation.
        admission: slots, cache hits and preemptions.
        finish: the end; None before it.
    """

    __slots__ = (
        "admission",
        "drafting",
        "finish",
        "held",
        "id",
        "in_flight",
        "num_computed_tokens",
        "num_pending_tokens",
        "origin",
        "quiet_until",
        "sampling",
        "status",
        "stop_rule",
        "token_ids",
        "wanted",
    )

    def __init__(
        self,
        id: int,
        origin: Origin,
        token_ids: Iterable[int],
        sampling: Sampling,
        stop_rule: StopRule,
        *,
        held: bool = False,
        wanted: SamplingRequest = NOTHING_MORE,
        num_slots: int = 1,
        max_drafts: int | None = None,
    ) -> None:
        self.id, self.origin, self.sampling, self.stop_rule = id, origin, sampling, stop_rule
        self.token_ids = list(token_ids)
        self.held, self.wanted = held, Wanted(wanted)
        self.status = Status.WAITING
        self.num_computed_tokens = self.num_pending_tokens = self.quiet_until = 0
        self.in_flight = False
        self.drafting, self.admission = Drafting(max_drafts), Admission(num_slots)
        self.finish: Finish | None = None

    def __repr__(self) -> str:
        return f"Sequence({self.id}, {self.status.value}, computed={self.num_computed_tokens}/{len(self.token_ids)})"

    @property
    def num_tokens(self) -> int:
        """Number of tokens that have a position, a pending one included."""
        return len(self.token_ids) + self.num_pending_tokens

    @property
    def num_prompt_tokens(self) -> int:
        """`Origin.num_prompt_tokens`."""
        return self.origin.num_prompt_tokens

    @property
    def num_output_tokens(self) -> int:
        """Number of tokens after the prompt, a pending one included."""
        return self.num_tokens - self.origin.num_prompt_tokens

    @property
    def output_token_ids(self) -> list[int]:
        """A copy of the known tokens after the prompt."""
        return self.token_ids[self.origin.num_prompt_tokens :]

    @property
    def cache_keys(self) -> CacheKeys:
        """`Origin.cache_keys`."""
        return self.origin.cache_keys

    @property
    def adapter(self) -> str | None:
        """Content of the adapter that it is computed with, which is part of its cache keys; None: the model alone."""
        return self.origin.cache_keys.lora

    @property
    def num_encoder_tokens(self) -> int:
        """Number of tokens that cross-attention sees; 0 for a decoder-only model."""
        return 0 if self.origin.encoder is None else self.origin.encoder.num_tokens

    @property
    def num_uncomputed_tokens(self) -> int:
        """Number of tokens that a step could compute now."""
        return self.num_tokens - self.num_computed_tokens

    @property
    def idle(self) -> bool:
        """True if all tokens are computed, their results have arrived, and the owner has not decided yet."""
        return not self.in_flight and self.num_computed_tokens == self.num_tokens

    @property
    def delayed(self) -> bool:
        """True if the mask of its next token is not ready: steps leave the sequence out until then."""
        return self.sampling.guide is not None and self.sampling.guide.delayed

    @property
    def ended(self) -> bool:
        """True if it has ended, for whatever reason."""
        return self.finish is not None

    @property
    def finish_reason(self) -> str | None:
        """`Finish.reason`; None before the end."""
        return None if self.finish is None else self.finish.reason

    def forked(self, id: int, params: RowParams) -> Sequence:
        """Return a held sequence with the same tokens, none of them computed."""
        guide = self.sampling.guide
        child = Sequence(
            id,
            self.origin,
            self.token_ids,
            Sampling(params, None if guide is None else guide.copy()),
            self.stop_rule,
            held=True,
            max_drafts=self.drafting.limit,
        )
        child.admission.num_cached_tokens = self.admission.num_cached_tokens
        child.wanted.num_scored_tokens = len(self.token_ids)
        return child

    def take(self, tokens: Seq[int]) -> int:
        """Append tokens up to the one that ends the sequence, and return their number; the first one was pending."""
        self.num_pending_tokens = 0
        token_ids, rule = self.token_ids, self.stop_rule
        for count, token in enumerate(tokens, start=1):
            token_ids.append(token)
            if token in rule.stops and len(token_ids) >= rule.min_length:
                self.finish = Finish("stop", token)
                return count
            if len(token_ids) >= rule.max_length:
                self.finish = Finish("length")
                return count
        return len(tokens)

    def check(self) -> None:
        """Assert the invariants, between steps."""
        assert 1 <= self.num_prompt_tokens <= self.num_tokens and self.num_pending_tokens in (0, 1)
        assert 0 <= self.num_computed_tokens <= self.num_tokens, repr(self)
        waits = self.held or self.in_flight
        assert waits or self.ended or self.num_computed_tokens < self.num_tokens, repr(self)
        assert not (waits and self.num_pending_tokens), repr(self)
        assert self.held or self.sampling.needs_tokens or self.drafting.scheduled or not self.in_flight, repr(self)
        resident = self.status in (Status.RUNNING, Status.SWAPPED)
        assert resident or self.ended or self.num_computed_tokens == 0, repr(self)
