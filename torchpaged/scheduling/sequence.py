"""Sequence: tokens, how far they are computed, and when they end. The scheduler alone changes it."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import Any

from torchpaged.kv_cache.block_hash import NO_KEYS, CacheKeys
from torchpaged.scheduling.guide import Guide
from torchpaged.scheduling.proposers import Drafting
from torchpaged.scheduling.step import HiddenRows, RowParams


class Status(enum.Enum):
    """WAITING -> RUNNING -> (WAITING or SWAPPED -> RUNNING)* -> ENDED, from any state by `finish`."""

    WAITING = "waiting"  # it has no blocks; after a preemption its tokens are computed again
    RUNNING = "running"
    SWAPPED = "swapped"  # its blocks are on the host
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """What a sequence's encoder reads: handed on to the model, which alone knows what it is.

    Args:
        data: token ids, or features.
        num_tokens: the states that the encoder makes of it.
    """

    data: Any
    num_tokens: int


@dataclass(frozen=True, slots=True)
class StopRule:
    """When a sequence ends by itself.

    Args:
        max_length: tokens, prompt included, at most.
        stops: tokens that end it.
        min_length: tokens, prompt included, before any of `stops` counts.
    """

    max_length: int
    stops: frozenset[int] = frozenset()
    min_length: int = 0


@dataclass(frozen=True, slots=True)
class SamplingRequest:
    """What is wanted of a sequence's rows, where that is not one token of its own choice.

    Args:
        draws: (id, seed) of each token that is chosen from the logits of its last token; empty: none.
        score_from: position of the first known token whose score is wanted, None: none.
        alternatives, targets, candidates: as of `Scored`.
        hidden: hidden states that are wanted.
    """

    draws: tuple[tuple[int, int], ...] | None = None
    score_from: int | None = None
    alternatives: int = -1
    targets: tuple[int, ...] = ()
    candidates: int = 0
    hidden: HiddenRows | None = None


NOTHING_MORE = SamplingRequest()


class Sequence:
    """Tokens to be computed one after the other.

    One rule drives everything: a step computes tokens from `num_computed_tokens` on, as many as there are and fit.
    Prefill, chunked prefill, decode and recomputation after a preemption are the same rule.

    Where all are computed and `held` is False, the next token is the one that the step chose; a held sequence waits for
    its owner to extend, fork or finish it.

    Invariants: 0 <= num_computed_tokens <= num_tokens, equal only while held or ended; the computed tokens' keys and
    values are in the cache, or will be once the steps under way have run. A pending token is one that a step under
    way chooses: it has a position, and no value yet. There is at most one, and none while held.

    Args:
        id: never used again.
        owner: whose it is, for those who are told of it; nothing to the scheduler.
        token_ids: at least one token.
        params: how tokens are chosen.
        ends: when it ends.
        arrival: a counter; lower came earlier.
        priority: lower runs first where the policy looks at it.
        cache_keys: what else than tokens its blocks are found by.
        encoder: what its encoder reads, where the model has one.
        held: whether its owner decides on each next token.
        asks: what is wanted of its logits.
        num_slots: it takes in `max_num_seqs`, for those that will fork from it too.
        max_drafts: tokens that may be guessed ahead in a step; None: as many as in others.
        guide: says which tokens may be chosen, by a mask each time; None: all.
        prompt_embeds: as of `NewSequence`.
    """

    __slots__ = (
        "arrival",
        "asks",
        "cache_keys",
        "drafted",
        "drafting",
        "encoder",
        "ends",
        "error",
        "finish_reason",
        "guide",
        "held",
        "id",
        "in_flight",
        "known",
        "max_drafts",
        "num_cached_tokens",
        "num_computed_tokens",
        "num_hidden_tokens",
        "num_pending_tokens",
        "num_preemptions",
        "num_prompt_tokens",
        "num_scored_tokens",
        "num_slots",
        "num_untold_tokens",
        "owner",
        "params",
        "priority",
        "prompt_embeds",
        "quiet_until",
        "status",
        "stop_reason",
        "token_ids",
        "waits",
    )

    def __init__(
        self,
        id: int,
        owner: int,
        token_ids: Iterable[int],
        params: RowParams,
        ends: StopRule,
        *,
        arrival: int,
        priority: int = 0,
        cache_keys: CacheKeys = NO_KEYS,
        encoder: EncoderInput | None = None,
        held: bool = False,
        asks: SamplingRequest = NOTHING_MORE,
        num_slots: int = 1,
        max_drafts: int | None = None,
        guide: Guide | None = None,
        prompt_embeds: Any = None,
    ) -> None:
        self.id, self.owner, self.params, self.ends = id, owner, params, ends
        self.token_ids = list(token_ids)
        self.num_prompt_tokens = len(self.token_ids)
        self.arrival, self.priority, self.cache_keys, self.encoder = arrival, priority, cache_keys, encoder
        self.held, self.asks, self.num_slots, self.max_drafts = held, asks, num_slots, max_drafts
        self.guide, self.prompt_embeds = guide, prompt_embeds
        # Who chooses its tokens reads them, or makes a mask of them: none is computed ahead.
        self.waits = params.asked is not None or guide is not None
        self.status = Status.WAITING
        self.num_computed_tokens = 0
        self.num_pending_tokens = 0
        self.known = False  # whether whoever computes has a row for it
        self.num_untold_tokens = 0  # last ones that are not in that row, since its owner has chosen them
        self.num_scored_tokens = 0  # positions before this one have brought their scores
        self.num_hidden_tokens = 0  # positions before this one have brought the hidden states that were wanted
        self.num_cached_tokens: int | None = None  # of the prompt, when it was first admitted
        self.num_preemptions = 0
        # While fewer tokens than this are computed, the next step computes one, and nobody need be asked.
        self.quiet_until = 0
        self.drafted = False  # the step that was scheduled last, or one under way, computes drafts of it
        self.drafting: Drafting | None = None  # what is kept of guesses; None: none was asked for
        self.in_flight = False  # a step under way computes the last token, and the next is nobody's choice ahead of it
        self.finish_reason: str | None = None  # "stop", "length", "abort" or "error"
        self.stop_reason: int | None = None  # the token of `ends.stops` that ended it
        self.error: str | None = None

    def __repr__(self) -> str:
        return f"Sequence({self.id}, {self.status.value}, computed={self.num_computed_tokens}/{len(self.token_ids)})"

    @property
    def num_tokens(self) -> int:
        """Those that have a position, a pending one too."""
        return len(self.token_ids) + self.num_pending_tokens

    @property
    def num_output_tokens(self) -> int:
        """Behind the prompt."""
        return self.num_tokens - self.num_prompt_tokens

    @property
    def output_token_ids(self) -> list[int]:
        """The known tokens behind the prompt, a copy."""
        return self.token_ids[self.num_prompt_tokens :]

    @property
    def num_encoder_tokens(self) -> int:
        """Tokens that cross-attention sees; 0 for a decoder alone."""
        return 0 if self.encoder is None else self.encoder.num_tokens

    @property
    def num_uncomputed_tokens(self) -> int:
        """Tokens that a step could compute now."""
        return self.num_tokens - self.num_computed_tokens

    @property
    def idle(self) -> bool:
        """Whether everything is computed, the results are there, and its owner has not decided yet."""
        return not self.in_flight and self.num_computed_tokens == self.num_tokens

    @property
    def delayed(self) -> bool:
        """Whether the mask of its next token takes long: nothing of it is computed meanwhile."""
        return self.guide is not None and self.guide.delayed

    @property
    def ended(self) -> bool:
        """Whether it has ended, for whatever reason."""
        return self.finish_reason is not None

    def forked(self, id: int, params: RowParams) -> Sequence:
        """A held sequence of the same tokens, none of them computed."""
        child = Sequence(
            id,
            self.owner,
            self.token_ids,
            params,
            self.ends,
            arrival=self.arrival,
            priority=self.priority,
            cache_keys=self.cache_keys,
            encoder=self.encoder,
            held=True,
            max_drafts=self.max_drafts,
            guide=None if self.guide is None else self.guide.copy(),
            prompt_embeds=self.prompt_embeds,
        )
        child.num_prompt_tokens, child.num_cached_tokens = self.num_prompt_tokens, self.num_cached_tokens
        child.num_scored_tokens = len(self.token_ids)
        return child

    def take(self, tokens: Seq[int]) -> int:
        """Appends tokens, the pending one first, up to the one that ends it; returns how many."""
        self.num_pending_tokens = 0
        token_ids, ends = self.token_ids, self.ends
        for count, token in enumerate(tokens, start=1):
            token_ids.append(token)
            if token in ends.stops and len(token_ids) >= ends.min_length:
                self.finish_reason, self.stop_reason = "stop", token
                return count
            if len(token_ids) >= ends.max_length:
                self.finish_reason = "length"
                return count
        return len(tokens)

    def check(self) -> None:
        """Asserts the invariants, between steps."""
        assert 1 <= self.num_prompt_tokens <= self.num_tokens and self.num_pending_tokens in (0, 1)
        assert 0 <= self.num_computed_tokens <= self.num_tokens, repr(self)
        waits = self.held or self.in_flight
        assert waits or self.ended or self.num_computed_tokens < self.num_tokens, repr(self)
        assert not (waits and self.num_pending_tokens), repr(self)
        assert self.held or self.waits or self.drafted or not self.in_flight, repr(self)
        resident = self.status in (Status.RUNNING, Status.SWAPPED)
        assert resident or self.ended or self.num_computed_tokens == 0, repr(self)
        assert self.status is Status.RUNNING or not self.known, repr(self)
        assert 0 <= self.num_untold_tokens <= self.num_output_tokens, repr(self)
