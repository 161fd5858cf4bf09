"""Sampler: logits -> tokens, for a whole batch at once. Owns nothing but the place where it puts a step's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from torchpaged.execution.logit_bias import Mask, joined
from torchpaged.execution.processors import Asking, Processors
from torchpaged.execution.rows import Ints, Rows
from torchpaged.execution.upload import Upload, placed


class DrawParameters(NamedTuple):
    """How to choose the token of each row: what `torch.ops.torchpaged.sample_tokens` takes after the logits.

    [num_rows] each; arrays on the host, or what was made of them.

    Args:
        temperature, top_p, min_p: float32.
        top_k: int32.
        seeds, positions: int64.
    """

    temperature: Any
    top_k: Any
    top_p: Any
    min_p: Any
    seeds: Any
    positions: Any

    @classmethod
    def greedy(cls, num_rows: int) -> DrawParameters:
        """The likeliest token of each row."""
        numbers: NDArray[Any] = np.zeros(num_rows, np.float32)
        counters: NDArray[Any] = np.zeros(num_rows, np.int64)
        return cls(numbers, counters.astype(np.int32), numbers + 1, numbers.copy(), counters, counters.copy())


_NONE: Mapping[int, Mask] = MappingProxyType({})


@dataclass(slots=True)
class Draws:
    """What is drawn in a step, [num_draws] each.

    Args:
        rows: of `Rows`.
        lengths: int64, tokens of the sequence so far, prompt included: no two draws of one have the same number.
        seeds: by draw, where it is not its row's.
        ids: of each, where logits processors know them by these.
    """

    rows: Ints
    lengths: Ints
    seeds: Mapping[int, int] | None = None
    ids: Sequence[int] = ()


class Sampler:
    """Greedy, or temperature, top-k, top-p and min-p, with penalties.

    The order is: masks and allowed tokens; bad words, biases and tokens that come too early; logits processors;
    penalties, temperature; processors that are argmax-invariant; top-k, top-p, min-p. A draw depends on its seed, on
    how many tokens its sequence has, which ones, and on its logits alone: whatever is sampled beside it, and however
    often the sequence is preempted, it draws the same. `sample_tokens` in `torchpaged.ops.reference` says how.

    Args:
        rows: what is known of each.
        device: where the logits are.
        processors: what else changes the logits of rows that ask for it; None: nothing does.
    """

    def __init__(self, rows: Rows, device: torch.device, processors: Processors | None = None) -> None:
        self.device, self._rows, self._processors = device, rows, processors
        self._upload = None if device.type == "cpu" else Upload(device)
        self._joined: tuple[tuple[Any, ...], list[Tensor]] = ((), [])  # edits of the rows that were edited last

    def parameters(self, draws: Draws) -> DrawParameters:
        """How to choose the token of each, on the host."""
        columns, rows = self._rows.columns, draws.rows
        seeds = columns["seed"][rows]
        for place, seed in (draws.seeds or {}).items():
            seeds[place] = seed
        temperature, top_k, top_p, min_p = (columns[name][rows] for name in ("temperature", "top_k", "top_p", "min_p"))
        return DrawParameters(temperature, top_k, top_p, min_p, seeds, draws.lengths)

    def changed(self, draws: Draws) -> Ints:
        """Those whose logits are not the model's: edits, penalties, processors, tokens that may not come so early."""
        rows, own = self._rows, draws.rows
        early = draws.lengths < rows.columns["min_length"][own]
        found: Ints = np.flatnonzero(rows.penalised[own] | rows.edited[own] | rows.processed[own] | early)
        return found

    def draw(self, logits: Tensor, draws: Draws, masks: Mapping[int, Mask] = _NONE) -> Tensor:
        """One token for each: [num_draws] int64 on the logits' device, -1 where a row has a NaN or nothing but -inf.

        Args:
            logits: [num_draws, vocab_size], the model's own, any float dtype; not changed.
            masks: by draw, which tokens may be chosen.
        """
        parameters = self._placed(self.parameters(draws))
        changed = self.changed(draws)
        if masks:
            changed = np.union1d(changed, np.array(list(masks), dtype=np.int64))
        if not len(changed):
            return _choose(logits, parameters)
        everyone = len(changed) == len(draws.rows)
        index = placed(changed, self.device)
        own = self._adjusted(logits if everyone else logits[index], draws, changed, masks)
        if everyone:
            return _choose(own, parameters)
        chosen = _choose(own, [column[index] for column in parameters])
        return _choose(logits, parameters).index_copy_(0, index, chosen)

    def draw_runs(
        self,
        logits: Tensor,
        draws: Draws,
        drafts: Mapping[int, Sequence[int] | Tensor],
        masks: Mapping[int, Mask] = _NONE,
    ) -> Tensor:
        """`draw` of a step with drafts, each draw as if all drafts before it were right.

        Logits processors are told of tokens that stay: of their sequences a draw is made when the draft before it has
        turned out to be right, one after the other; -1 stands where none has.

        Args:
            drafts: by id of a draw, its tokens, or [num_drafts]; its draws stand together, in their order.
            masks: as of `draw`.
        """
        if not drafts:
            return self.draw(logits, draws, masks)
        ids, processed = draws.ids, self._rows.processed[draws.rows]
        if not processed.any() or not any(ids[place] in drafts for place in np.flatnonzero(processed).tolist()):
            return self.draw(logits, draws, masks)
        seen: dict[int, int] = {}
        turns: dict[int, list[int]] = {}  # by turn, the draws
        for place, id in enumerate(ids):
            turn = seen[id] = seen.get(id, -1) + 1
            turns.setdefault(turn if processed[place] else 0, []).append(place)
        tokens = torch.full((len(ids),), -1, dtype=torch.int64, device=self.device)
        wrong: set[int] = set()
        for turn in sorted(turns):
            places = [place for place in turns[turn] if not turn or ids[place] not in wrong]
            if not places:
                break
            own = draws.seeds or {}
            seeds = {new: own[place] for new, place in enumerate(places) if place in own}
            index = placed(np.array(places, dtype=np.int64), self.device)
            part = Draws(draws.rows[places], draws.lengths[places], seeds, [ids[place] for place in places])
            own_masks = {new: masks[place] for new, place in enumerate(places) if place in masks}
            tokens[index] = found = self.draw(logits[index], part, own_masks)
            for id, token in zip(part.ids, found.tolist(), strict=True):
                guessed = drafts.get(id, ())
                if turn < len(guessed) and token != int(guessed[turn]):
                    wrong.add(id)
        return tokens

    def masked(self, logits: Tensor, masks: Mapping[int, Mask]) -> Tensor:
        """A float32 copy of the logits in which what may not be chosen is -inf: what logprobs are of.

        Args:
            masks: by row, as of `draw`.
        """
        count, vocab_size = logits.shape
        edit = [placed(each, self.device) for each in joined([None] * count, dict(masks), vocab_size)]
        padding = torch.zeros(count, dtype=torch.int64, device=self.device)
        where = padding, padding.int(), padding.int()
        edited: Tensor = torch.ops.torchpaged.edit_logits(logits, self._rows.tokens.tensor, *where, *edit)
        return edited

    def _adjusted(self, logits: Tensor, draws: Draws, changed: Ints, masks: Mapping[int, Mask]) -> Tensor:
        """A float32 copy of these draws' logits as they are to be chosen from."""
        rows, lengths = draws.rows[changed], draws.lengths[changed]
        state = self._rows
        early = lengths < state.columns["min_length"][rows]
        edits = masks or early.any() or state.edited[rows].any()
        penalised = state.penalised[rows].any()
        numbers = (rows, lengths.astype(np.int32), state.prompt_lengths[rows])
        where = [placed(column, self.device) for column in numbers]
        if edits:
            own_masks = {place: masks[draw] for place, draw in enumerate(changed.tolist()) if draw in masks}
            edit = self._edits(rows, own_masks, logits.shape[1])
            logits = torch.ops.torchpaged.edit_logits(logits, state.tokens.tensor, *where, *edit)
        asking = self._asking(draws, changed)
        places = placed(np.array(list(asking), dtype=np.int64), self.device)
        if asking:
            logits = logits if edits else logits.to(torch.float32, copy=True)
            self._process(logits, places, list(asking.values()), behind=False)
        if penalised:
            factors = [placed(state.columns[name][rows], self.device) for name in _PENALTIES]
            logits = torch.ops.torchpaged.penalize_logits(logits, state.tokens.tensor, *where, *factors)
        if asking:
            self._process(logits, places, list(asking.values()), behind=True)
        return logits

    def _asking(self, draws: Draws, changed: Ints) -> dict[int, Asking]:
        """By place in `changed`, those whose logits are processed."""
        state, found = self._rows, {}
        if self._processors is None:
            return {}
        for place in np.flatnonzero(state.processed[draws.rows[changed]]).tolist():
            draw = int(changed[place])
            row, params = int(draws.rows[draw]), state.asked[draws.rows[draw]]
            assert params is not None
            lengths = int(draws.lengths[draw]), int(state.prompt_lengths[row])
            found[place] = Asking(draws.ids[draw], row, *lengths, params)
        return found

    def _process(self, logits: Tensor, places: Tensor, asking: Sequence[Asking], *, behind: bool) -> None:
        """In place, behind penalties and temperature or before them."""
        assert self._processors is not None
        own = logits[places]
        (self._processors.behind_temperature if behind else self._processors.before_penalties)(own, asking)
        logits.index_copy_(0, places, own)

    def _edits(self, rows: Ints, masks: dict[int, Mask], vocab_size: int) -> list[Tensor]:
        """How these rows are edited, where the logits are; made again only when the rows are others.

        Args:
            masks: by place in `rows`, beside what they have themselves.
        """
        key = self._rows.num_edits_set, vocab_size, rows.tobytes()
        if masks or key != self._joined[0]:
            arrays = joined([self._rows.edits[row] for row in rows.tolist()], masks, vocab_size)
            tensors = [placed(each, self.device) for each in arrays]
            if masks:
                return tensors
            self._joined = key, tensors
        return self._joined[1]

    def _placed(self, parameters: DrawParameters) -> list[Tensor]:
        """Where the logits are, without waiting for the device; until the next call."""
        if self._upload is None:
            return [torch.from_numpy(column) for column in parameters]
        self._upload.start()
        places = [self._upload.put(column) for column in parameters]
        self._upload.send()
        return places


_PENALTIES = ("repetition_penalty", "presence_penalty", "frequency_penalty")


def _choose(logits: Tensor, parameters: Sequence[Tensor]) -> Tensor:
    tokens: Tensor = torch.ops.torchpaged.sample_tokens(logits, *parameters)
    return tokens
