"""Sampler: logits -> tokens, for a whole batch at once. Owns only its upload buffer and a cache of edits."""

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
from torchpaged.execution.processors import ProcessedDraw, Processors
from torchpaged.execution.rows import Ints, Rows
from torchpaged.execution.upload import Upload, placed
from torchpaged.ops import active_backend, cpu
from torchpaged.utils.torch_state import has_observers


class DrawParameters(NamedTuple):
    """Sampling parameters, as `torch.ops.torchpaged.sample_tokens` takes them after the logits.

    [num_rows] each; arrays on the host or tensors on the device.

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
        """Return parameters that choose the likeliest token of each row."""
        numbers: NDArray[Any] = np.zeros(num_rows, np.float32)
        counters: NDArray[Any] = np.zeros(num_rows, np.int64)
        return cls(numbers, counters.astype(np.int32), numbers + 1, numbers.copy(), counters, counters.copy())


_NONE: Mapping[int, Mask] = MappingProxyType({})


@dataclass(slots=True)
class Draws:
    """The draws of a step, one token each.

    Args:
        rows: [num_draws] int64, rows of `Rows`.
        lengths: [num_draws] int64, tokens of the sequence so far, prompt included: the counter of the random number,
            so no two draws of a sequence share one.
        seeds: by draw, the seeds that differ from their rows'.
        ids: of the draws; logits processors identify them by these.
        into_rows: if the tokens may be written into their rows where that takes no further call.
        are_written: True once they are. Then none of the rows is special, see `Rows`.
    """

    rows: Ints
    lengths: Ints
    seeds: Mapping[int, int] | None = None
    ids: Sequence[int] = ()
    into_rows: bool = False
    are_written: bool = False


class Sampler:
    """Greedy sampling, or temperature, top-k, top-p and min-p, with penalties.

    The order is: masks and allowed tokens; bad words, biases and the minimum length; logits processors; penalties;
    temperature; argmax-invariant processors; top-k, top-p, min-p. A draw depends only on its seed, its sequence's
    tokens and its logits, so it is the same whatever is sampled beside it and however often the sequence is preempted.
    `sample_tokens` in `torchpaged.ops.reference` is the definition.

    Args:
        rows: parameters of each sequence.
        device: of the logits.
        processors: logits processors; None: rows with processors are sampled without them.
    """

    def __init__(self, rows: Rows, device: torch.device, processors: Processors | None = None) -> None:
        self.device, self._rows, self._processors = device, rows, processors
        self._upload = None if device.type == "cpu" else Upload(device)
        self._joined: tuple[tuple[Any, ...], list[Tensor]] = ((), [])  # edits of the last edited rows, by key
        tokens = rows.tokens.tensor
        columns = [rows.columns[name] for name in ("temperature", "top_k", "top_p", "min_p", "seed")]
        addresses = [*(column.ctypes.data for column in columns), tokens.data_ptr()]
        self._draw_table = torch.tensor([*addresses, len(columns[0]), tokens.shape[1]], dtype=torch.int64)

    def parameters(self, draws: Draws) -> DrawParameters:
        """Return the sampling parameters of each draw, on the host."""
        columns, rows = self._rows.columns, draws.rows
        seeds = columns["seed"][rows]
        for place, seed in (draws.seeds or {}).items():
            seeds[place] = seed
        temperature, top_k, top_p, min_p = (columns[name][rows] for name in ("temperature", "top_k", "top_p", "min_p"))
        return DrawParameters(temperature, top_k, top_p, min_p, seeds, draws.lengths)

    def changed(self, draws: Draws) -> Ints:
        """Return the draws that need changed logits: by edits, penalties, processors or the minimum length."""
        rows, own = self._rows, draws.rows
        early = draws.lengths < rows.columns["min_length"][own]
        found: Ints = np.flatnonzero(rows.penalised[own] | rows.edits.always[own] | rows.processed[own] | early)
        return found

    def take_failures(self) -> dict[int, str]:
        """Return why draws failed in logits processors since the last call, by draw id."""
        if self._processors is None:
            return {}
        failures, self._processors.failures = self._processors.failures, {}
        return failures

    def draw(self, logits: Tensor, draws: Draws, masks: Mapping[int, Mask] = _NONE) -> Tensor:
        """Draw one token each: [num_draws] int64 on the logits' device, -1 where a row has a NaN or only -inf.

        Args:
            logits: [num_draws, vocab_size] of the model, any float dtype; not changed.
            draws: what to draw.
            masks: by draw, the allowed tokens.
        """
        if draws.into_rows and not masks and self._takes_one_call(logits, draws):
            rows, positions = torch.from_numpy(draws.rows), torch.from_numpy(draws.lengths)
            tokens = cpu.draw_tokens(self._draw_table, logits, rows, positions)
            draws.are_written = True
            return tokens
        parameters = self._placed(self.parameters(draws))
        changed = self.changed(draws)
        if masks:
            changed = np.union1d(changed, np.array(list(masks), dtype=np.int64))
        if not len(changed):
            return _sample(logits, parameters)
        all_changed = len(changed) == len(draws.rows)
        index = placed(changed, self.device)
        own = self._adjusted(logits if all_changed else logits[index], draws, changed, masks)
        if all_changed:
            return _sample(own, parameters)
        tokens = _sample(own, [column[index] for column in parameters])
        return _sample(logits, parameters).index_copy_(0, index, tokens)

    def _takes_one_call(self, logits: Tensor, draws: Draws) -> bool:
        """Return True if `cpu.draw_tokens` can do it, and no other function must see the operator."""
        return not (
            self._upload is not None
            or draws.seeds
            or self._rows.has_special(draws.rows)
            or has_observers()
            or active_backend("sample_tokens", "cpu") != "cpp"
            or not (type(logits) is Tensor and logits.dtype in _DRAWN and logits.stride(1) == 1)
        )

    def draw_runs(
        self,
        logits: Tensor,
        draws: Draws,
        drafts: Mapping[int, Sequence[int] | Tensor],
        masks: Mapping[int, Mask] = _NONE,
    ) -> Tensor:
        """Draw as `draw` does in a step with drafts, each token as if all drafts before it were accepted.

        Logits processors must not see tokens that are rejected. So their sequences are drawn token by token, each only
        if the draft before it was accepted; the remaining draws are -1.

        Args:
            logits, draws, masks: as in `draw`.
            drafts: by draw id, its drafts [num_drafts] or a list; its draws stand together, in order.
        """
        if not drafts:
            return self.draw(logits, draws, masks)
        ids, processed = draws.ids, self._rows.processed[draws.rows]
        if not processed.any() or not any(ids[place] in drafts for place in np.flatnonzero(processed).tolist()):
            return self.draw(logits, draws, masks)
        seen: dict[int, int] = {}
        turns: dict[int, list[int]] = {}  # draws by the turn in which they are made
        for place, id in enumerate(ids):
            turn = seen[id] = seen.get(id, -1) + 1
            turns.setdefault(turn if processed[place] else 0, []).append(place)
        tokens = torch.full((len(ids),), -1, dtype=torch.int64, device=self.device)
        rejected: set[int] = set()
        for turn in sorted(turns):
            places = [place for place in turns[turn] if not turn or ids[place] not in rejected]
            if not places:
                break
            own = draws.seeds or {}
            seeds = {new: own[place] for new, place in enumerate(places) if place in own}
            index = placed(np.array(places, dtype=np.int64), self.device)
            part = Draws(draws.rows[places], draws.lengths[places], seeds, [ids[place] for place in places])
            own_masks = {new: masks[place] for new, place in enumerate(places) if place in masks}
            tokens[index] = found = self.draw(logits[index], part, own_masks)
            for id, token in zip(part.ids, found.tolist(), strict=True):
                run = drafts.get(id, ())
                if turn < len(run) and token != int(run[turn]):
                    rejected.add(id)
        return tokens

    def masked(self, logits: Tensor, masks: Mapping[int, Mask]) -> Tensor:
        """Return a float32 copy of the logits with -inf for masked tokens; logprobs are computed from it.

        Args:
            logits: as in `draw`.
            masks: by row, as in `draw`.
        """
        count, vocab_size = logits.shape
        edit = [placed(each, self.device) for each in joined([None] * count, dict(masks), vocab_size)]
        padding = torch.zeros(count, dtype=torch.int64, device=self.device)
        where = padding, padding.int(), padding.int()
        edited: Tensor = torch.ops.torchpaged.edit_logits(logits, self._rows.tokens.tensor, *where, *edit)
        return edited

    def _adjusted(self, logits: Tensor, draws: Draws, changed: Ints, masks: Mapping[int, Mask]) -> Tensor:
        """Return a float32 copy of the changed draws' logits, edited, processed and penalised."""
        rows, lengths = draws.rows[changed], draws.lengths[changed]
        state = self._rows
        early = lengths < state.columns["min_length"][rows]
        edits = masks or early.any() or state.edits.always[rows].any()
        penalised = state.penalised[rows].any()
        numbers = (rows, lengths.astype(np.int32), state.prompt_lengths[rows])
        where = [placed(column, self.device) for column in numbers]
        if edits:
            own_masks = {place: masks[draw] for place, draw in enumerate(changed.tolist()) if draw in masks}
            edit = self._edits(rows, own_masks, logits.shape[1])
            logits = torch.ops.torchpaged.edit_logits(logits, state.tokens.tensor, *where, *edit)
        processed = self._processed_draws(draws, changed)
        places = placed(np.array(list(processed), dtype=np.int64), self.device)
        if processed:
            logits = logits if edits else logits.to(torch.float32, copy=True)
            self._process(logits, places, list(processed.values()), after_temperature=False)
        if penalised:
            factors = [placed(state.columns[name][rows], self.device) for name in _PENALTIES]
            logits = torch.ops.torchpaged.penalize_logits(logits, state.tokens.tensor, *where, *factors)
        if processed:
            self._process(logits, places, list(processed.values()), after_temperature=True)
        return logits

    def _processed_draws(self, draws: Draws, changed: Ints) -> dict[int, ProcessedDraw]:
        """Return the draws with logits processors, by place in `changed`."""
        state, found = self._rows, {}
        if self._processors is None:
            return {}
        for place in np.flatnonzero(state.processed[draws.rows[changed]]).tolist():
            draw = int(changed[place])
            row, params = int(draws.rows[draw]), state.asked[draws.rows[draw]]
            assert params is not None
            lengths = int(draws.lengths[draw]), int(state.prompt_lengths[row])
            found[place] = ProcessedDraw(draws.ids[draw], row, *lengths, params)
        return found

    def _process(
        self, logits: Tensor, places: Tensor, draws: Sequence[ProcessedDraw], *, after_temperature: bool
    ) -> None:
        """Apply the processors that run before penalties, or those after the temperature, in place."""
        processors = self._processors
        assert processors is not None
        own = logits[places]
        (processors.apply_after_temperature if after_temperature else processors.apply_before_penalties)(own, draws)
        logits.index_copy_(0, places, own)

    def _edits(self, rows: Ints, masks: dict[int, Mask], vocab_size: int) -> list[Tensor]:
        """Return the operands of `edit_logits` for these rows, on the device; cached while the rows stay the same.

        Args:
            masks: by place in `rows`, in addition to the rows' own; never cached.
        """
        key = self._rows.edits.version, vocab_size, rows.tobytes()
        if masks or key != self._joined[0]:
            arrays = joined([self._rows.edits.by_row[row] for row in rows.tolist()], masks, vocab_size)
            tensors = [placed(each, self.device) for each in arrays]
            if masks:
                return tensors
            self._joined = key, tensors
        return self._joined[1]

    def _placed(self, parameters: DrawParameters) -> list[Tensor]:
        """Upload the parameters without waiting for the device; valid until the next call."""
        if self._upload is None:
            return [torch.from_numpy(column) for column in parameters]
        self._upload.begin()
        places = [self._upload.put(column) for column in parameters]
        self._upload.send()
        return places


_DRAWN = (torch.float32, torch.float16, torch.bfloat16)
_PENALTIES = ("repetition_penalty", "presence_penalty", "frequency_penalty")


def _sample(logits: Tensor, parameters: Sequence[Tensor]) -> Tensor:
    tokens: Tensor = torch.ops.torchpaged.sample_tokens(logits, *parameters)
    return tokens
