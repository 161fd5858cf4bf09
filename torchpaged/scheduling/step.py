"""Step and Results: all that passes between the scheduler and the runner.

Plain values that pickle small: numbers, and tables of numbers. Neither side can see or change the other's state. Values
that most sequences of a step have are columns; values that few have are maps by sequence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from torchpaged.kv_cache.block import BlockCopy, TierCopy
from torchpaged.kv_cache.tiers import TierRead
from torchpaged.media.items import MediaItem, PromptMedia
from torchpaged.sampling_params import SamplingParams

# Logprobs at one position: token id -> (logprob, rank); the likeliest token has rank 1.
TokenLogprobs = dict[int, tuple[float, int]]
# A draft that the runner's draft model computes in the step.
TO_GUESS = -1
# A token's logprob at one position, and True if no token is likelier.
Score = tuple[float, bool]


@dataclass(frozen=True, slots=True)
class RowParams:
    """Parameters by which a sequence's tokens are sampled.

    Args:
        seed: seed of its draws: a draw is a function of seed, position and logits.
        temperature, top_k, top_p, min_p: as in `SamplingParams`.
        presence_penalty, frequency_penalty, repetition_penalty: likewise.
        logprobs: number of alternatives to report with each sampled token; -1: no logprobs.
        min_length: number of tokens, prompt included, before any of `stops` may be sampled.
        stops: tokens that would end the sequence.
        logit_bias: (token, number that is added to its logit).
        allowed: the only tokens that may be sampled; None: all.
        bad_words: runs of tokens; the last of a run may not be sampled right after the others.
        asked: the user's parameters, for logits processors, which need each token before the next is sampled; None: no
            processor sees its logits.
    """

    seed: int = 0
    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    logprobs: int = -1
    min_length: int = 0
    stops: tuple[int, ...] = ()
    logit_bias: tuple[tuple[int, float], ...] = ()
    allowed: tuple[int, ...] | None = None
    bad_words: tuple[tuple[int, ...], ...] = ()
    asked: SamplingParams | None = None


@dataclass(frozen=True, slots=True)
class NewSequence:
    """A sequence that the runner has no row for: it is new, or was preempted.

    Args:
        token_ids: all known tokens.
        num_prompt_tokens: number of them that are the prompt.
        tables: its block ids, one list per group.
        encoder: input of its encoder, if the model has one; `num_encoder_tokens` is the number of its states.
        prompt_embeds: embeddings of the prompt [num_prompt_tokens, embedding_size], if it has no tokens: each of its
            token ids is -1 then.
        adapter: content of the adapter that all its tokens are computed with; None: the model alone. Forks have their
            parent's.
        media: images and sounds of the prompt, without what the encoder takes; None: it has none.
    """

    id: int
    token_ids: tuple[int, ...]
    num_prompt_tokens: int
    params: RowParams
    tables: tuple[list[int], ...]
    encoder: Any = None
    num_encoder_tokens: int = 0
    prompt_embeds: Any = None
    adapter: str | None = None
    media: PromptMedia | None = None


@dataclass(frozen=True, slots=True)
class Fork:
    """A sequence that starts as a copy of another: its first tokens, their blocks, and its adapter."""

    parent: int
    child: int
    num_tokens: int
    params: RowParams


@dataclass(frozen=True, slots=True)
class HiddenRows:
    """Hidden states of known tokens.

    Args:
        first: position of the first token.
        count: number of consecutive tokens.
        kind: "rows": each hidden state; "sum": their sum; "logits": what the model's head makes of each;
            "logits of mean": what it makes of their mean, of a text that is computed whole.
    """

    first: int
    count: int
    kind: str


@dataclass(frozen=True, slots=True)
class Scored:
    """Results that are wanted of a sequence's rows in a step, beside its next token.

    Args:
        first: position of the first known token to score, among those that the step's rows predict.
        count: number of consecutive tokens to score.
        alternatives: number of likeliest tokens to return for each such position; -1: only the token's score.
        targets: tokens to score at the position after the last row.
        candidates: number of likeliest tokens to return for that position.
        hidden: hidden states to return, of tokens that the step computes.
    """

    first: int
    count: int
    alternatives: int = -1
    targets: tuple[int, ...] = ()
    candidates: int = 0
    hidden: HiddenRows | None = None


@dataclass(slots=True)
class Step:
    """One step.

    The executor first copies evicted blocks out for the store below the pools, and then begins to read from it. The
    runner does this, in order: it copies blocks, one copy after the other; reads the rows of forks' parents as they
    are; drops the rows of `released`; makes rows for new sequences and forks; writes tables and known tokens; then
    computes `counts` tokens of each sequence from `firsts` on, and samples the next token of those whose last token was
    among them.

    Args:
        number: counts steps.
        ids: the sequences that are computed; their adapters are no more than a step may have.
        firsts: by place in `ids`, the position of the first token to compute.
        counts: by place in `ids`, the number of tokens to compute.
        new, forks, copies, released: see above; `released` are sequences that have ended or were preempted.
        tables: (sequence, group, index, block ids) to write into block tables.
        known: by sequence, (position, tokens) that the last step did not sample.
        quiet: sequences of which no token is sampled: their last one is not computed yet, or none is wanted.
        draws: by sequence, (id, seed) of each token sampled from its logits, if that is not one of its own.
        scored: by sequence, other results.
        masked: sequences whose tokens are sampled only when their masks have come.
        drafts: by sequence, tokens that may follow its last one. They are computed after it and included in `counts`.
            One token is sampled after each, as if all drafts before it were right; the run ends with the first that
            differs from the next draft. `TO_GUESS`: the runner computes the draft itself.
        num_preempted: number of sequences that were preempted for it.
        evicted: blocks that go to the store below the pools.
        tier_reads: blocks that are read from there, into slots that no step uses before they have come.
        media: images and sounds that are encoded before the forward.
        kept_media: contents whose features the runner keeps, those of `media` included; it drops the others. None: no
            change.
    """

    number: int = 0
    ids: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    new: dict[int, NewSequence] = field(default_factory=dict)
    forks: list[Fork] = field(default_factory=list)
    copies: list[BlockCopy] = field(default_factory=list)
    released: list[int] = field(default_factory=list)
    tables: list[tuple[int, int, int, tuple[int, ...]]] = field(default_factory=list)
    known: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    quiet: set[int] = field(default_factory=set)
    draws: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    scored: dict[int, Scored] = field(default_factory=dict)
    masked: set[int] = field(default_factory=set)
    drafts: dict[int, tuple[int, ...]] = field(default_factory=dict)
    num_preempted: int = 0
    evicted: list[TierCopy] = field(default_factory=list)
    tier_reads: list[TierRead] = field(default_factory=list)
    media: list[MediaItem] = field(default_factory=list)
    kept_media: tuple[str, ...] | None = None

    @property
    def num_tokens(self) -> int:
        """Number of tokens that the step computes."""
        return sum(self.counts)

    @property
    def is_decode(self) -> bool:
        """True if it computes one token of each sequence and samples the next one, and nothing else is wanted of it."""
        return not (self.quiet or self.draws or self.scored or self.drafts) and sum(self.counts) == len(self.ids)

    def remove(self, sequence_id: int) -> None:
        """Take a sequence out of the step again."""
        place = self.ids.index(sequence_id)
        for column in (self.ids, self.firsts, self.counts):
            del column[place]
        for by_sequence in (self.new, self.known, self.draws, self.scored, self.drafts):
            by_sequence.pop(sequence_id, None)
        self.quiet.discard(sequence_id)
        self.masked.discard(sequence_id)
        self.tables = [each for each in self.tables if each[0] != sequence_id]


@dataclass(frozen=True, slots=True)
class Scores:
    """The results of a `Scored`.

    Args:
        first: position of the first scored token.
        scores: from there on, the score of each known token.
        logprobs: the same with alternatives, if they were asked for; `scores` is empty then.
        targets: the score of each of `Scored.targets`.
        candidates: the likeliest next tokens and their logprobs.
        hidden: the hidden states that were asked for.
        hidden_values: their values, row after row, in native byte order: float32; of a sum, float64.
    """

    first: int
    scores: list[Score] = field(default_factory=list)
    logprobs: list[TokenLogprobs] = field(default_factory=list)
    targets: list[Score] = field(default_factory=list)
    candidates: dict[int, float] = field(default_factory=dict)
    hidden: HiddenRows | None = None
    hidden_values: bytes = b""


@dataclass(slots=True)
class Results:
    """The results of a step.

    Args:
        number: of the step.
        draws: ids of the draws: sequences, or other ids of `Step.draws`.
        tokens: the sampled tokens, one run per draw.
        lengths: lengths of the runs; None: each is one token.
        logprobs: by draw, for each token of its run.
        scores: by sequence.
        errors: by draw or sequence, the reason why there is no token; other sequences are not affected.
        forward_seconds, copy_seconds: duration of the forward and of the copies before it; None if it cannot be known
            without waiting for the device.
        weight_version: name of the weights that the tokens were drawn with; the engine sets it.
    """

    number: int = 0
    draws: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    lengths: list[int] | None = None
    logprobs: dict[int, list[TokenLogprobs]] = field(default_factory=dict)
    scores: dict[int, Scores] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    forward_seconds: float | None = None
    copy_seconds: float | None = None
    weight_version: str = ""

    def runs(self) -> Iterator[tuple[int, list[int]]]:
        """Iterate over (draw, its tokens)."""
        if self.lengths is None:
            yield from zip(self.draws, ([token] for token in self.tokens), strict=True)
            return
        begin = 0
        for draw, length in zip(self.draws, self.lengths, strict=True):
            yield draw, self.tokens[begin : begin + length]
            begin += length
