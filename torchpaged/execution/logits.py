"""What a step wants of its rows: which need logits, whose tokens are drawn, which are scored, and whose hidden states
are wanted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.scheduling import HiddenRows, Scores, Step, TokenLogprobs
from torchpaged.scheduling.step import Scored

Ints: TypeAlias = NDArray[np.int64]

# What scores are computed from at a time: logits of a long prompt's rows over a large vocabulary may not fit beside the
# model.
PIECE = 1 << 24


@dataclass(slots=True)
class LogitPlan:
    """Rows of the packed step whose hidden states are wanted, and what for.

    Args:
        rows: of the packed step: those whose logits are needed in ascending order, behind them those of `hidden`.
        draws: ids of what is drawn.
        draw_places: of each, which of the step's sequences.
        draw_rows: of each, which of `rows`.
        seeds: of each, where they are not their rows' own; None: all are.
        lags: of each, how many of its sequence's tokens come behind the one it is drawn behind: drafts; None: none has
            any. The draws of a sequence with drafts stand together, in their order, under one id.
        scored: what is asked of a sequence's logits.
        hidden: what is asked of a sequence's hidden states.
    """

    rows: Ints
    draws: list[int]
    draw_places: Ints
    draw_rows: Ints
    seeds: dict[int, int] | None = None
    lags: Ints | None = None
    scored: list[_Asked] = field(default_factory=list)
    hidden: list[AskedHidden] = field(default_factory=list)

    @classmethod
    def of(cls, step: Step, starts: Ints) -> LogitPlan:
        """Args:
        starts: [len(ids) + 1] where each sequence's rows begin in the packed step.
        """
        if not (step.quiet or step.draws or step.scored or step.drafts):
            everyone: Ints = np.arange(len(step.ids))
            return cls(starts[1:] - 1, list(step.ids), everyone, everyone)
        rows: list[int] = []
        draws: list[int] = []
        draw_places: list[int] = []
        draw_rows: list[int] = []
        lags: list[int] = []
        seeds: dict[int, int] = {}
        asked: list[_Asked] = []
        hidden: list[tuple[int, HiddenRows, int]] = []  # sequence, what, its first row
        behind = starts[1:].tolist()  # of each sequence, the row behind its last
        for place, (id, first, count) in enumerate(zip(step.ids, step.firsts, step.counts, strict=True)):
            own: tuple[tuple[int, int | None], ...] = () if id in step.quiet else step.draws.get(id, ((id, None),))
            if (scored := step.scored.get(id)) is not None:
                if scored.hidden is not None:
                    hidden.append((id, scored.hidden, behind[place] - (first + count - scored.hidden.first)))
                if scored.hidden is None or scored.count or scored.targets or scored.candidates:
                    asked.append(_Asked(id, place, scored, len(rows)))
                begin = behind[place] - (first + count - scored.first) - 1  # it predicts the position `scored.first`
                rows += range(begin, begin + scored.count)
            if drafts := len(step.drafts.get(id, ())):
                begin = behind[place] - 1 - drafts
                draw_rows += range(len(rows), len(rows) + drafts)
                rows += range(begin, begin + drafts)
                draws += [id] * drafts
                draw_places += [place] * drafts
                lags += range(drafts, 0, -1)
            if own or (scored is not None and (scored.targets or scored.candidates)):
                rows.append(behind[place] - 1)
            for draw, seed in own:
                if seed is not None:
                    seeds[len(draws)] = seed
                draws.append(draw)
                draw_places.append(place)
                draw_rows.append(len(rows) - 1)
                lags.append(0)
        pooled = []
        for id, what, row in hidden:
            pooled.append(AskedHidden(id, what, len(rows)))
            rows += range(row, row + what.count)
        columns = (np.array(column, dtype=np.int64) for column in (rows, draw_places, draw_rows, lags))
        wanted, places, drawn, behind_draw = columns
        return cls(wanted, draws, places, drawn, seeds or None, behind_draw if step.drafts else None, asked, pooled)

    @property
    def num_logits(self) -> int:
        """How many of `rows` logits are needed of: the first ones."""
        return self.hidden[0].row if self.hidden else len(self.rows)

    @property
    def all_are_drawn(self) -> bool:
        """Whether each of `rows` is drawn from once, in their order: without scores no row is there for nothing."""
        return not self.scored and len(self.draw_rows) == self.num_logits


@dataclass(slots=True)
class _Asked:
    """What is asked of one sequence.

    Args:
        place: of the sequence in the step.
        row: among the wanted rows, that which predicts the position `scored.first`.
    """

    id: int
    place: int
    scored: Scored
    row: int


@dataclass(frozen=True, slots=True)
class AskedHidden:
    """What is asked of the hidden states of one sequence.

    Args:
        row: among the wanted rows, that of the first token.
    """

    id: int
    what: HiddenRows
    row: int


@dataclass(slots=True)
class ScoreTensors:
    """Scores on their way to the host: [num_entries] each, and the likeliest tokens [num_entries, num_top]."""

    logprobs: Tensor
    ranks: Tensor
    top_logprobs: Tensor
    top_ids: Tensor

    def _parts(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.logprobs, self.ranks, self.top_logprobs, self.top_ids

    def on_host(self) -> ScoreTensors:
        """Begins to copy them."""
        return ScoreTensors(*map(on_host, self._parts()))

    def part(self, first: int, last: int) -> ScoreTensors:
        """Entries [first, last)."""
        return ScoreTensors(*(each[first:last] for each in self._parts()))

    @classmethod
    def joined(cls, pieces: Sequence[ScoreTensors]) -> ScoreTensors:
        """One behind the other."""
        if len(pieces) == 1:
            return pieces[0]
        return cls(*map(torch.cat, zip(*(piece._parts() for piece in pieces), strict=True)))

    def rows(self, token_ids: Sequence[int], counts: Sequence[int]) -> list[TokenLogprobs]:
        """By entry: its token's logprob and rank, and those of as many of the likeliest."""
        results: list[TokenLogprobs] = []
        for token, value, rank, count, values, ids in zip(
            token_ids,
            self.logprobs.tolist(),
            self.ranks.tolist(),
            counts,
            self.top_logprobs.tolist(),
            self.top_ids.tolist(),
            strict=True,
        ):
            row: TokenLogprobs = {token: (value, rank)}  # it comes first
            row.update(zip(ids[:count], zip(values, range(1, count + 1), strict=False), strict=False))
            row[token] = (value, rank)
            results.append(row)
        return results


def on_host(values: Tensor) -> Tensor:
    """A copy on its way to the host, in memory that it can be sent to without a wait."""
    if values.device.type == "cpu":
        return values.clone()  # what it was made in may be the next step's
    copy = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
    return copy.copy_(values, non_blocking=True)


def score_tokens(logits: Tensor, rows: Tensor, token_ids: Tensor, num_top: int) -> ScoreTensors:
    """The logprob and rank of a token of each of these rows, and the row's likeliest tokens.

    Args:
        logits: [num_rows, vocab_size].
        rows, token_ids: [num_entries] int64.
    """
    most = min(num_top, logits.shape[1])
    return ScoreTensors(*torch.ops.torchpaged.token_logprobs(logits, rows, token_ids, most))


class ScoreEntries:
    """The tokens that a plan's sequences want scored, one after the other.

    Attributes:
        rows: [n] int64 of the wanted rows, ascending.
        places: [n] int64 of the step's sequences.
        positions: [n] int64 in the sequence, whose token is meant; -1: `targets` has it.
        targets: [n] int64.
        num_top: as many of the likeliest tokens as anybody wants.
    """

    def __init__(self, plan: LogitPlan) -> None:
        rows: list[int] = []
        places: list[int] = []
        positions: list[int] = []
        targets: list[int] = []
        self._asked: list[tuple[_Asked, int]] = []  # whose, and the first entry
        self.num_top = 1  # whether a token is the likeliest
        for each in plan.scored:
            scored = each.scored
            self._asked.append((each, len(rows)))
            behind = scored.targets or ((0,) if scored.candidates else ())
            rows += [*range(each.row, each.row + scored.count), *[each.row + scored.count] * len(behind)]
            places += [each.place] * (scored.count + len(behind))
            positions += [*range(scored.first, scored.first + scored.count), *[-1] * len(behind)]
            targets += [*[0] * scored.count, *behind]
            self.num_top = max(self.num_top, scored.alternatives, scored.candidates)
        self.rows, self.places, self.positions, self.targets = (
            np.array(column, dtype=np.int64) for column in (rows, places, positions, targets)
        )

    def results(self, scores: ScoreTensors, token_ids: Sequence[int]) -> tuple[dict[int, Scores], dict[int, str]]:
        """(scores, what went wrong) by sequence.

        Args:
            token_ids: of each entry.
        """
        found: dict[int, Scores] = {}
        errors: dict[int, str] = {}
        values, likeliest = scores.logprobs.tolist(), scores.top_ids[:, 0].tolist()
        for each, begin in self._asked:
            scored, end = each.scored, begin + each.scored.count
            last = end + (len(scored.targets) or bool(scored.candidates))
            if any(value != value for value in values[begin:last]):
                errors[each.id] = NAN
            pairs = [(values[i], likeliest[i] == token_ids[i]) for i in range(begin, end + len(scored.targets))]
            alternatives: list[TokenLogprobs] = []
            if scored.alternatives >= 0:
                alternatives = scores.part(begin, end).rows(token_ids[begin:end], [scored.alternatives] * scored.count)
            candidates: dict[int, float] = {}
            if scored.candidates:
                top = scores.part(end, end + 1)
                best = zip(top.top_ids[0].tolist(), top.top_logprobs[0].tolist(), strict=True)
                candidates = dict(itertools.islice(best, scored.candidates))
            known = [] if alternatives else pairs[: scored.count]
            found[each.id] = Scores(scored.first, known, alternatives, pairs[scored.count :], candidates)
        return found, errors


NOTHING_LEFT = (
    "its structured_outputs and its other parameters (allowed_token_ids, bad_words, logit_bias, min_tokens) leave no "
    "token that may come, or the model's logits are NaN"
)
NAN = "the model's logits are NaN, or no token is left; try dtype='float32' or 'bfloat16'"
