"""Step and Results: all that passes between who schedules and who computes.

Plain values that pickle small: numbers, and tables of numbers. Nobody on one side can see, or change, what the other
side works with. What most sequences of a step have in common is a column; what few have is a map by sequence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from torchpaged.kv_cache.block import BlockCopy
from torchpaged.sampling_params import SamplingParams

# The logprobs of one position: token id -> (logprob, rank), rank 1 being the likeliest.
TokenLogprobs = dict[int, tuple[float, int]]
# A draft that a model guesses, where it is computed.
TO_GUESS = -1
# Of one token at one position: its logprob, and whether it is the likeliest.
Score = tuple[float, bool]


@dataclass(frozen=True, slots=True)
class RowParams:
    """How a sequence's tokens are chosen.

    Args:
        seed: of its draws: a draw is a function of seed, position and logits.
        temperature, top_k, top_p, min_p: as of `SamplingParams`.
        presence_penalty, frequency_penalty, repetition_penalty: likewise.
        logprobs: alternatives to report beside each chosen token; -1: no logprobs.
        min_length: tokens, prompt included, before any of `stops` may be chosen.
        stops: tokens that would end the sequence.
        logit_bias: (token, what is added to its logit).
        allowed: the only tokens that may be chosen; None: all.
        bad_words: runs of tokens, the last of which may not be chosen where the others have just been generated.
        asked: the user's parameters, for logits processors; None: none sees its logits. Each of its tokens must be
            there before the next is chosen.
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
    """A sequence that whoever computes does not know: it is new, or was preempted.

    Args:
        token_ids: all that are known.
        num_prompt_tokens: how many of them are the prompt.
        tables: its block ids, one list a group.
        encoder: what its encoder reads, where the model has one, and the tokens that it makes of it.
        prompt_embeds: embeddings of the prompt [num_prompt_tokens, embedding_size], where it has no tokens: each of
            its tokens is -1 then.
    """

    id: int
    token_ids: tuple[int, ...]
    num_prompt_tokens: int
    params: RowParams
    tables: tuple[list[int], ...]
    encoder: Any = None
    num_encoder_tokens: int = 0
    prompt_embeds: Any = None


@dataclass(frozen=True, slots=True)
class Fork:
    """A sequence that begins as a copy of another: its first tokens, and the blocks of those."""

    parent: int
    child: int
    num_tokens: int
    params: RowParams


@dataclass(frozen=True, slots=True)
class HiddenRows:
    """Hidden states of known tokens.

    Args:
        first: position of the first token.
        count: how many, one behind the other.
        kind: "rows", each of them; "sum", of all; "logits", what the model's head makes of each.
    """

    first: int
    count: int
    kind: str


@dataclass(frozen=True, slots=True)
class Scored:
    """What is asked of a sequence's rows in a step, beside the choice of its next token.

    Args:
        first: position of the first known token whose score is wanted, among those that the step's rows predict.
        count: how many such tokens there are, one behind the other.
        alternatives: of each such position, how many of the likeliest tokens; -1: the token's score alone.
        targets: tokens whose scores at the position behind the last row are wanted.
        candidates: how many of the likeliest tokens at that position are wanted.
        hidden: hidden states that are wanted, of tokens among those that the step computes.
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

    In this order: copies are made, as if one after the other; forks are copied from the rows as they are; `released`
    are forgotten; new sequences and forks get rows; tables and known tokens are written; then the tokens from
    `firsts` on are computed, `counts` of them, and the next one is chosen where the last of a sequence was among them.

    Args:
        number: counts steps.
        ids: the sequences that are computed.
        firsts: by place in `ids`, the position of the first token to compute.
        counts: how many.
        new, forks, copies, released: see above; ids of sequences that have ended or were preempted.
        tables: (sequence, group, index, block ids) to be written into block tables.
        known: by sequence, (position, tokens) that somebody else than the last step has chosen.
        quiet: sequences of which no token is chosen: their last one is not among those computed, or nobody wants one.
        draws: by sequence, (id, seed) of each token that is chosen from its logits, where that is not one of its own.
        scored: by sequence.
        masked: sequences whose tokens are chosen once masks have come that say which may be.
        drafts: by sequence, tokens that may follow its last one: they are computed behind it, and counted. One is
            chosen behind each, as if all before it were right; the run ends with the first that is not the next draft.
            Where they are `TO_GUESS`, whoever computes guesses them first.
        num_preempted: sequences that gave way for it.
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

    @property
    def num_tokens(self) -> int:
        """Tokens that the step computes."""
        return sum(self.counts)

    def remove(self, sequence_id: int) -> None:
        """Takes a sequence out again."""
        place = self.ids.index(sequence_id)
        for column in (self.ids, self.firsts, self.counts):
            del column[place]
        for of_few in (self.new, self.known, self.draws, self.scored, self.drafts):
            of_few.pop(sequence_id, None)
        self.quiet.discard(sequence_id)
        self.masked.discard(sequence_id)
        self.tables = [each for each in self.tables if each[0] != sequence_id]


@dataclass(frozen=True, slots=True)
class Scores:
    """What a step's rows say of known tokens.

    Args:
        first: position of the first.
        scores: from there on, of each known token.
        logprobs: the same with alternatives, where they were asked for; `scores` is empty then.
        targets: of each of `Scored.targets`.
        candidates: the likeliest next tokens and their logprobs.
        hidden: what was asked of hidden states.
        hidden_values: theirs, row behind row: float32, of a sum float64, in this machine's order of bytes.
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
    """What became of a step.

    Args:
        number: of the step.
        draws: ids of what was drawn: sequences, or other ids of `Step.draws`.
        tokens: the chosen ones, a run for each draw.
        lengths: of the runs; None: each is one token.
        logprobs: by draw, of each token of its run.
        scores: by sequence.
        errors: by draw or sequence, why there is no token; the others are not concerned.
        forward_seconds, copy_seconds: that its forward and the copies before it took; None where nobody knows without
            waiting.
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

    def runs(self) -> Iterator[tuple[int, list[int]]]:
        """(draw, its tokens) of each."""
        if self.lengths is None:
            yield from zip(self.draws, ([token] for token in self.tokens), strict=True)
            return
        begin = 0
        for draw, length in zip(self.draws, self.lengths, strict=True):
            yield draw, self.tokens[begin : begin + length]
            begin += length
