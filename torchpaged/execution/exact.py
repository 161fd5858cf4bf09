"""`why_not_exact`: whether a row of logits has the same bits whatever else its step computes: tried, not derived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.execution.state_pool import StatePool
from torchpaged.models.attention_metadata import AttentionMetadata, StateCache, StepMetadata
from torchpaged.models.model import PagedModel

# Rows of decode steps: a matrix product has kernels for some numbers of rows, often up to 16, and one for the rest.
_BATCHES = (2, 4, 8, 16, 17)
# Of these sequences it is known what they give alone: two of all batches, and one of the largest.
_ALONE = (0, 1, _BATCHES[-1] - 1)
# Tokens before a decode, of a prompt that is also computed one by one, and of one that is so but for its last token.
_CONTEXT, _SHORT, _LONG = 3, 4, 37
_BLOCK = 16


def is_exact(model: PagedModel) -> bool:
    """Whether `why_not_exact` finds no reason."""
    return why_not_exact(model) is None


def why_not_exact(model: PagedModel) -> str | None:
    """None where a row's logits are the same, bit for bit, alone, in batches, beside a prefill and as the last of one.

    It is found out on this machine with this number of threads, by about 15 small steps over a pool of its own, fewer
    where they differ. What each operator gives is compared, not the logits alone. Nothing is tried on CUDA, or of
    models with an encoder or with short attention chunks. What is compiled of a model is not tried.
    """
    spec = model.spec
    longest = -(-_LONG // _BLOCK) * _BLOCK
    chunked = any(shape.within(longest).attention_chunk_size for shape in spec.layers.values())
    if spec.device.type != "cpu":
        return f"it is on {spec.device.type}, where nobody has tried"
    if model.encoder is not None or chunked:
        return "it has an encoder" if model.encoder is not None else f"its attention chunks are within {longest} tokens"
    with torch.inference_mode():
        return _Trial(model).difference()


# What an operator gave: its name, and the numbers where a dimension may be that of a step's one row.
_Output = tuple[str, "Tensor | None"]
_Alone = tuple[Tensor, list[_Output]]


class _Noted(TorchDispatchMode):
    """What the operators of a step of one row give, in their order.

    The logits say too little: of a product in bfloat16 one number of tens of thousands may differ in its last bit, and
    the next rounding hides it, until there is a text in which it does not.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.outputs: list[_Output] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in _floats(func, result):
            self.outputs.append((func.name(), tensor.clone() if 1 in tensor.shape else None))
        return result


class _Compared(TorchDispatchMode):
    """Which operator of a step gives another number for one of some rows than it gave for the row alone.

    As long as they are the same operators: a mixture's experts may be others, and then the logits must do.

    Args:
        numbers: by row, counted as Python does, what `_Noted` has noted of it.
        counts: of the step's rows, and of those that have logits. Other numbers of rows are a mixture's experts'.

    Attributes:
        differing: " (after operator)" of the first, or "".
    """

    def __init__(self, numbers: Mapping[int, Sequence[_Output]], counts: tuple[int, int]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.differing = ""
        self._numbers, self._counts, self._place = dict(numbers), counts, 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in _floats(func, result):
            for row, noted in list(self._numbers.items()):
                name, alone = noted[self._place] if self._place < len(noted) else ("", None)
                if name != func.name():
                    del self._numbers[row]
                elif alone is not None and not self.differing and not _is_row(alone, tensor, row, self._counts):
                    self.differing = f" (after {name})"
            self._place += 1
        return result


def _floats(func: Any, result: Any) -> list[Tensor]:
    """The numbers that an operator has computed; what is only allocated holds anything."""
    if "empty" in func.name():
        return []
    each = result if isinstance(result, (tuple, list)) else [result]
    return [tensor for tensor in each if isinstance(tensor, Tensor) and tensor.is_floating_point()]


def _is_row(alone: Tensor, among: Tensor, row: int, counts: tuple[int, int]) -> bool:
    """Whether one is a row of the other; True where it does not show which dimension that of the rows is, or where the
    other has none of these numbers of rows: those of a mixture's expert are in another order than a step's."""
    if alone.dim() != among.dim():
        return True
    differing = [dim for dim in range(alone.dim()) if alone.shape[dim] != among.shape[dim]]
    if len(differing) != 1 or alone.shape[differing[0]] != 1:
        return True
    if among.shape[differing[0]] not in counts:
        return True
    return torch.equal(alone.select(differing[0], 0), among.select(differing[0], row))


class _Trial:
    """Sequences of random tokens: as many as the largest batch, a block each, and behind them a prompt."""

    def __init__(self, model: PagedModel) -> None:
        spec, most = model.spec, _BATCHES[-1]
        self._model = model
        # A prompt that goes on behind the first state that is kept, where there are any.
        self._long = _LONG + (spec.state_chunk if spec.states else 0)
        blocks_of_prompt = -(-self._long // _BLOCK)
        num_blocks = 1 + most + blocks_of_prompt
        # A model without attention has a pool without tensors.
        pool = PagedKVCache(
            spec.layers, num_blocks, _BLOCK, spec.dtype, spec.device, groups=None if spec.layers else []
        )
        self._caches = pool.by_layer()
        self._states: list[StateCache | None] = []
        if spec.states:
            chunks = -(-self._long // spec.state_chunk)
            count = 1 + (most + 1) * chunks
            states = StatePool(spec.states, spec.state_chunk, count, count, spec.dtype, spec.device)
            self._states = list(states.by_layer())
            self._slots = torch.arange(1, count, dtype=torch.int32).view(most + 1, chunks)
        self._tables = torch.zeros(most + 1, blocks_of_prompt, dtype=torch.int32)
        self._tables[:most, 0] = torch.arange(1, most + 1)
        self._tables[most] = torch.arange(most + 1, num_blocks)
        generator = torch.Generator().manual_seed(0)
        self._tokens = torch.randint(spec.vocab_size, (most + 1, _BLOCK * blocks_of_prompt), generator=generator)

    def difference(self) -> str | None:
        """The first that is found."""
        most = _BATCHES[-1]
        self._logits([(each, 0, _CONTEXT) for each in range(most)])
        decodes = [(each, _CONTEXT, 1) for each in range(most)]
        alone = {each: self._alone(decodes[each]) for each in _ALONE}
        known = {each: logits for each, (logits, _) in alone.items()}
        for count in _BATCHES:
            # The other way round: a sequence has another place in each batch.
            order = range(count)[::-1]
            numbers = {place: alone[each][1] for place, each in enumerate(order) if each in alone}
            logits, operator = self._beside(decodes[:count][::-1], numbers)
            rows = zip(order, logits, strict=True)
            if operator or not all(torch.equal(row, known.setdefault(each, row)) for each, row in rows):
                return f"a row among {count} has other bits than alone{operator}"
        for token in range(_SHORT - 1):
            self._logits([(most, token, 1)])
        if (found := self._differs_as_last_of(_SHORT, [])) is not None:
            return found
        self._logits([(most, 0, self._long - 1)])
        return self._differs_as_last_of(self._long, [(decodes[0], alone[0])])

    def _differs_as_last_of(self, length: int, others: Sequence[tuple[tuple[int, int, int], _Alone]]) -> str | None:
        """Whether a prompt's last token gives the same by itself, and in a step with all before it and others."""
        last = self._alone((_BATCHES[-1], length - 1, 1))
        numbers = {place: own for place, (_, (_, own)) in enumerate(others)} | {-1: last[1]}
        logits, operator = self._beside([*(part for part, _ in others), (_BATCHES[-1], 0, length)], numbers)
        if operator or not torch.equal(logits, torch.stack([*(own for _, (own, _) in others), last[0]])):
            return f"the last of a prefill of {length} tokens, or a row beside it, has other bits than alone{operator}"
        return None

    def _alone(self, part: tuple[int, int, int]) -> _Alone:
        """A token's logits in a step of its own, and what the operators gave on the way."""
        noted = _Noted()
        with nullcontext() if self._model.spec.least > 1 else noted:  # a padded step has more than this token's row
            return self._logits([part])[0], noted.outputs

    def _beside(
        self, parts: list[tuple[int, int, int]], numbers: Mapping[int, Sequence[_Output]]
    ) -> tuple[Tensor, str]:
        """As `_logits`; and which operator gave another number for a row than when its token was alone, "" for none.

        Args:
            numbers: by row, what `_alone` has noted.
        """
        compared = _Compared(numbers, (sum(count for _, _, count in parts), len(parts)))
        with nullcontext() if self._model.spec.least > 1 else compared:
            logits = self._logits(parts)
        return logits, compared.differing

    def _logits(self, parts: list[tuple[int, int, int]]) -> Tensor:
        """[len(parts), vocab_size] behind the last token of each part: (sequence, first token, how many)."""
        least = self._model.spec.least
        sequences = torch.tensor([each for each, _, _ in parts])
        places = [torch.arange(first, first + count) for _, first, count in parts]
        lens = torch.tensor([first + count for _, first, count in parts], dtype=torch.int32)
        starts = torch.tensor([0, *(len(each) for each in places)], dtype=torch.int32).cumsum(0, dtype=torch.int32)
        ends = starts[1:].long() - 1
        tokens = torch.cat([self._tokens[each, own] for each, own in zip(sequences, places, strict=True)])
        slots = torch.cat(
            [
                self._tables[each].long()[own // _BLOCK] * _BLOCK + own % _BLOCK
                for each, own in zip(sequences, places, strict=True)
            ]
        )
        metadata = AttentionMetadata(
            slot_mapping=_padded(slots, least, -1),
            block_tables=_padded(self._tables[sequences], least, 0),
            seq_lens=_padded(lens, least, 0),
            query_start_loc=_padded(starts, least + 1, int(starts[-1])),
            max_query_len=max(map(len, places)),
        )
        groups = [metadata]
        if self._states:  # a slot of either kind for each chunk of each sequence
            slots = _padded(self._slots[sequences], least, 0)
            groups += [replace(metadata, block_tables=slots)] * 2
        step = StepMetadata(
            groups, [0] * len(self._caches), self._caches, states=self._states, state_group=1 if self._states else -1
        )
        inputs = _padded(tokens, least, 0), _padded(torch.cat(places), least, 0), step, _padded(ends, least, 0)
        return self._model.logits(self._model.forward(*inputs))[: len(parts)]


def _padded(values: Tensor, least: int, filler: int) -> Tensor:
    """At least so many rows, as `StepBatch` has them."""
    missing = least - len(values)
    return values if missing <= 0 else torch.cat([values, values.new_full((missing, *values.shape[1:]), filler)])
