"""LogitPlan: which rows of a step need logits or hidden states, and for what. ScoreEntries: which tokens are scored."""

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

# Elements of logits that scores are computed from at a time: the logits of a long prompt over a large vocabulary may
# not fit beside the model.
PIECE = 1 << 24


@dataclass(slots=True)
class LogitPlan:
    """Rows of the packed step whose hidden states are needed, and for what.

    Args:
        rows: rows of the packed step: first those that need logits, ascending, then those of `hidden`.
        draws: id of each draw.
        draw_places: of each draw, the place of its sequence in the step.
        draw_rows: of each draw, its place in `rows`.
        seeds: by draw, the seeds that differ from their rows' own; None: none does.
        lags: of each draw, how many of its sequence's drafts come behind the token it follows; None: no drafts. The
            draws of a sequence with drafts stand together, in order, under one id.
        scored: requested scores.
        hidden: requested hidden states.
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
    def from_step(cls, step: Step, starts: Ints) -> LogitPlan:
        """Plan a step.

        Args:
            step: the step.
            starts: [num_seqs + 1], where each sequence's rows begin in the packed step.
        """
        if not (step.quiet or step.draws or step.scored or step.drafts):
            places: Ints = np.arange(len(step.ids))
            return cls(starts[1:] - 1, list(step.ids), places, places)
        rows: list[int] = []
        draws: list[int] = []
        draw_places: list[int] = []
        draw_rows: list[int] = []
        lags: list[int] = []
        seeds: dict[int, int] = {}
        asked: list[_Asked] = []
        hidden: list[tuple[int, HiddenRows, int]] = []  # (sequence, request, its first row)
        behind = starts[1:].tolist()  # by sequence, one past its last row
        for place, (id, first, count) in enumerate(zip(step.ids, step.firsts, step.counts, strict=True)):
            own: tuple[tuple[int, int | None], ...] = () if id in step.quiet else step.draws.get(id, ((id, None),))
            if (scored := step.scored.get(id)) is not None:
                if scored.hidden is not None:
                    hidden.append((id, scored.hidden, behind[place] - (first + count - scored.hidden.first)))
                if scored.hidden is None or scored.count or scored.targets or scored.candidates:
                    asked.append(_Asked(id, place, scored, len(rows)))
                begin = behind[place] - (first + count - scored.first) - 1  # this row predicts position `scored.first`
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
        """Return how many of `rows` need logits: the first ones."""
        return self.hidden[0].row if self.hidden else len(self.rows)

    @property
    def draws_each_sequence(self) -> bool:
        """Return whether there is one draw for each sequence, in order, of its only wanted row."""
        return self.draw_places is self.draw_rows

    @property
    def all_are_drawn(self) -> bool:
        """Return whether the draws are exactly the rows with logits, in order, so that no gather is needed."""
        return not self.scored and len(self.draw_rows) == self.num_logits


@dataclass(slots=True)
class _Asked:
    """Scores requested of one sequence.

    Args:
        id: of the sequence.
        place: of the sequence in the step.
        scored: the request.
        row: place in `LogitPlan.rows` of the row that predicts the position `scored.first`.
    """

    id: int
    place: int
    scored: Scored
    row: int


@dataclass(frozen=True, slots=True)
class AskedHidden:
    """Hidden states requested of one sequence.

    Args:
        id: of the sequence.
        what: the request.
        row: place in `LogitPlan.rows` of the first token's row.
    """

    id: int
    what: HiddenRows
    row: int


@dataclass(slots=True)
class ScoreTensors:
    """Scores: logprobs and ranks [num_entries], and the likeliest tokens [num_entries, num_top]."""

    logprobs: Tensor
    ranks: Tensor
    top_logprobs: Tensor
    top_ids: Tensor

    def _parts(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.logprobs, self.ranks, self.top_logprobs, self.top_ids

    def on_host(self) -> ScoreTensors:
        """Start copying them to the host."""
        return ScoreTensors(*map(on_host, self._parts()))

    def part(self, first: int, last: int) -> ScoreTensors:
        """Return entries [first, last)."""
        return ScoreTensors(*(each[first:last] for each in self._parts()))

    @classmethod
    def joined(cls, pieces: Sequence[ScoreTensors]) -> ScoreTensors:
        """Concatenate pieces."""
        if len(pieces) == 1:
            return pieces[0]
        return cls(*map(torch.cat, zip(*(piece._parts() for piece in pieces), strict=True)))

    def rows(self, token_ids: Sequence[int], counts: Sequence[int]) -> list[TokenLogprobs]:
        """Return by entry the logprob and rank of its token and of `counts` of the likeliest tokens."""
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
            row: TokenLogprobs = {token: (value, rank)}  # the token itself comes first, as in vLLM
            row.update(zip(ids[:count], zip(values, range(1, count + 1), strict=False), strict=False))
            row[token] = (value, rank)
            results.append(row)
        return results


def on_host(values: Tensor) -> Tensor:
    """Start copying a tensor to pinned memory of the host, without waiting; return the copy."""
    if values.device.type == "cpu":
        return values.clone()  # the next step may reuse the tensor
    copy = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
    return copy.copy_(values, non_blocking=True)


def score_tokens(logits: Tensor, rows: Tensor, token_ids: Tensor, num_top: int) -> ScoreTensors:
    """Return the logprob and rank of one token per entry, and the likeliest tokens of its row.

    Args:
        logits: [num_rows, vocab_size].
        rows, token_ids: [num_entries] int64.
        num_top: likeliest tokens per entry, cut to the vocabulary.
    """
    most = min(num_top, logits.shape[1])
    return ScoreTensors(*torch.ops.torchpaged.token_logprobs(logits, rows, token_ids, most))


class ScoreEntries:
    """The tokens that a plan scores, sequence by sequence.

    Attributes:
        rows: [num_entries] int64, places in `LogitPlan.rows`, ascending.
        places: [num_entries] int64, places of the sequences in the step.
        positions: [num_entries] int64, the position of the scored token in its sequence; -1: it is in `targets`.
        targets: [num_entries] int64.
        num_top: the most likeliest tokens that any entry needs.
    """

    def __init__(self, plan: LogitPlan) -> None:
        rows: list[int] = []
        places: list[int] = []
        positions: list[int] = []
        targets: list[int] = []
        self._asked: list[tuple[_Asked, int]] = []  # (request, its first entry)
        self.num_top = 1  # at least the likeliest: scores say whether their token is that one
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
        """Return (scores, errors) by sequence.

        Args:
            scores: of each entry, on the host.
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
