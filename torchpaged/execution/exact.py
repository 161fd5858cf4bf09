"""why_not_exact: tests by running whether a row of logits has the same bits whatever else its step computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.execution.state_pool import StatePool
from torchpaged.models.attention_metadata import AttentionMetadata, StateCache, StepMetadata
from torchpaged.models.model import Forward, Head, ModelSpec, PagedModel, group_of
from torchpaged.ops.collectives import Group

# Sizes of decode steps: matrix products have kernels for certain numbers of rows, often up to 16, and one for the rest.
_BATCHES = (2, 4, 8, 16, 17)
# Sequences that are also computed alone: two that are in all batches, and one that is in the largest only.
_ALONE = (0, 1, _BATCHES[-1] - 1)
# Tokens before a decode; of a prompt that is also computed token by token; of one whose last token is computed alone.
_CONTEXT, _SHORT, _LONG = 3, 4, 37
# Elsewhere than on a CPU a prompt is so long: kernels for many rows begin behind 64.
_LONG_ON_DEVICE = 133
_BLOCK = 16


def is_exact(model: PagedModel) -> bool:
    """Return whether `why_not_exact` finds no reason."""
    return why_not_exact(model) is None


def why_not_exact(model: PagedModel, forward: Forward | None = None, head: Head | None = None) -> str | None:
    """Return None if a row's logits have the same bits alone, in batches, beside a prefill and as its last, or why not.

    The result holds for this machine and number of threads. It takes about 15 small steps over a separate pool, fewer
    if they differ. The outputs of every operator are compared, not only the logits. Models with an encoder and models
    with short attention chunks are not tested and count as not exact; so do those on CUDA whose forward was not made
    batch-invariant. Compiled forwards are not tested. With ranks all must call it, and none is exact unless all are.

    Args:
        forward, head: the model's, made batch-invariant; None: as they are.
    """
    spec = model.spec
    longest = -(-_prompt_length(spec) // _BLOCK) * _BLOCK
    chunked = any(shape.within(longest).attention_chunk_size for shape in spec.layers.values())
    if spec.device.type != "cpu" and forward is None:
        return f"it is on {spec.device.type}, where batch_invariant=True is needed"
    if model.encoder is not None or chunked:
        return "it has an encoder" if model.encoder is not None else f"its attention chunks are within {longest} tokens"
    with torch.inference_mode():
        parts = forward or model.forward, head or model.logits
        if spec.is_encoder:
            return _texts_differ(model, *parts)
        differences, group = filter(None, _Trial(model, *parts).differences()), group_of(model)
        return next(differences, None) if group is None else _agreed(list(differences), group, spec.device)


def _agreed(differences: Sequence[str], group: Group, device: torch.device) -> str | None:
    """Return this rank's first difference, or that another rank has one. A trial with ranks runs to its end on each."""
    num_inexact = group.all_reduce(torch.tensor([float(bool(differences))], device=device)).item()
    return differences[0] if differences else "on another rank a row has other bits than alone" if num_inexact else None


def _texts_differ(model: PagedModel, forward: Forward, head: Head) -> str | None:
    """Return which text an encoder gives other bits in a crowd than alone, or None. The texts of a step are whole."""
    spec = model.spec
    lengths = [min(length, spec.max_model_len) for length in (1, 2, _SHORT, 16, 17, _LONG)]
    blocks = [-(-length // _BLOCK) for length in lengths]
    caches = PagedKVCache(spec.layers, 1 + sum(blocks), _BLOCK, spec.dtype, spec.device).by_layer()
    generator = torch.Generator().manual_seed(0)
    texts = [torch.randint(spec.vocab_size, (length,), generator=generator) for length in lengths]

    def run(places: Sequence[int]) -> list[tuple[Tensor, Tensor]]:
        """Return the hidden states and the classes of each token of these texts."""
        starts = torch.tensor([0, *(lengths[each] for each in places)]).cumsum(0)
        tables = torch.zeros(len(places), max(blocks), dtype=torch.int32)
        positions, slots = [], []
        for row, each in enumerate(places):
            own = 1 + sum(blocks[:each]) + torch.arange(blocks[each])
            tables[row, : blocks[each]] = own
            positions.append(torch.arange(lengths[each]))
            slots.append(own[positions[-1] // _BLOCK] * _BLOCK + positions[-1] % _BLOCK)
        lens = torch.tensor([lengths[each] for each in places], dtype=torch.int32)
        metadata = AttentionMetadata(torch.cat(slots), tables, lens, starts.int(), int(lens.max()), causal=False)
        tokens = torch.cat([texts[each] for each in places])
        inputs = (each.to(spec.device) for each in (tokens, torch.cat(positions), torch.arange(len(tokens))))
        input_ids, placed, every_row = inputs
        hidden = forward(input_ids, placed, StepMetadata([metadata.to(spec.device)], [0], caches), every_row)
        parts = hidden.split(lens.tolist())
        return [(each, torch.cat([head(row[None]) for row in each])) for each in parts]

    among = run(range(len(texts))[::-1])[::-1]
    for place, crowd in enumerate(among):
        (alone,) = run([place])
        if not all(map(torch.equal, alone, crowd)):
            return f"a text of {lengths[place]} tokens among {len(texts)} has other bits than alone"
    return None


def _prompt_length(spec: ModelSpec) -> int:
    return min(_LONG if spec.device.type == "cpu" else _LONG_ON_DEVICE, spec.max_model_len)


# An operator's name and its output, if a dimension of size 1 may be that of the step's only row; else None.
_Output = tuple[str, "Tensor | None"]
_Alone = tuple[Tensor, list[_Output]]


class _OutputRecorder(TorchDispatchMode):
    """Records the outputs of the operators of a step of one row, in order.

    Comparing logits is not enough: in a bfloat16 product one number of tens of thousands may differ in its last bit,
    and the next rounding mostly, but not always, hides it.
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


class _OutputComparison(TorchDispatchMode):
    """Compares the outputs of a step's operators with those recorded for rows computed alone.

    A row is compared as long as the operators are the same. In a mixture of experts they may differ; then only the
    logits are compared.

    Args:
        numbers: by row (negative from the end), the outputs that `_OutputRecorder` recorded.
        counts: rows of the step, and rows with logits. Other numbers of rows belong to experts.

    Attributes:
        differing: " (after OPERATOR)" for the first operator that differs, or "".
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
    """Return the float tensors that an operator computed for each row.

    Memory that is only allocated holds anything, and a running sum over tokens counts those before the row.
    """
    if "empty" in func.name() or "cumsum" in func.name():
        return []
    each = result if isinstance(result, (tuple, list)) else [result]
    return [tensor for tensor in each if isinstance(tensor, Tensor) and tensor.is_floating_point()]


def _is_row(alone: Tensor, among: Tensor, row: int, counts: tuple[int, int]) -> bool:
    """Return whether `alone` equals a row of `among`.

    True if the dimension of rows cannot be told, or if `among` has another number of rows than `counts`: the rows of an
    expert are in another order than the step's.
    """
    if alone.dim() != among.dim():
        return True
    differing = [dim for dim in range(alone.dim()) if alone.shape[dim] != among.shape[dim]]
    if len(differing) != 1 or alone.shape[differing[0]] != 1:
        return True
    if among.shape[differing[0]] not in counts:
        return True
    return torch.equal(alone.select(differing[0], 0), among.select(differing[0], row))


class _Trial:
    """Random sequences to compare steps over: as many as the largest batch, one block each, and one longer prompt."""

    def __init__(self, model: PagedModel, forward: Forward, head: Head) -> None:
        spec, most = model.spec, _BATCHES[-1]
        self._model, self._forward, self._head, self._device = model, forward, head, model.spec.device
        # With recurrent layers the prompt goes on past the first state that is kept.
        self._long = _prompt_length(spec) + (spec.state_chunk if spec.states else 0)
        blocks_of_prompt = -(-self._long // _BLOCK)
        num_blocks = 1 + most + blocks_of_prompt
        # A model without attention has a pool without tensors.
        pool = PagedKVCache(
            spec.every_layer, num_blocks, _BLOCK, spec.dtype, spec.device, groups=None if spec.layers else []
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

    def differences(self) -> Iterator[str | None]:
        """Compare steps one after the other; yield for each how it differs, or None."""
        most = _BATCHES[-1]
        self._logits([(each, 0, _CONTEXT) for each in range(most)])
        decodes = [(each, _CONTEXT, 1) for each in range(most)]
        alone = {each: self._alone(decodes[each]) for each in _ALONE}
        known = {each: logits for each, (logits, _) in alone.items()}
        for count in _BATCHES:
            # Reversed, so that a sequence has another place in each batch.
            order = range(count)[::-1]
            numbers = {place: alone[each][1] for place, each in enumerate(order) if each in alone}
            logits, operator = self._beside(decodes[:count][::-1], numbers)
            rows = zip(order, logits, strict=True)
            if operator or not all(torch.equal(row, known.setdefault(each, row)) for each, row in rows):
                yield f"a row among {count} has other bits than alone{operator}"
        for token in range(_SHORT - 1):
            self._logits([(most, token, 1)])
        yield self._differs_as_last_of(_SHORT, [])
        self._logits([(most, 0, self._long - 1)])
        yield self._differs_as_last_of(self._long, [(decodes[0], alone[0])])

    def _differs_as_last_of(self, length: int, others: Sequence[tuple[tuple[int, int, int], _Alone]]) -> str | None:
        """Return how a prompt's last token differs between a step of its own and a prefill beside others, or None."""
        last = self._alone((_BATCHES[-1], length - 1, 1))
        numbers = {place: own for place, (_, (_, own)) in enumerate(others)} | {-1: last[1]}
        logits, operator = self._beside([*(part for part, _ in others), (_BATCHES[-1], 0, length)], numbers)
        if operator or not torch.equal(logits, torch.stack([*(own for _, (own, _) in others), last[0]])):
            return f"the last of a prefill of {length} tokens, or a row beside it, has other bits than alone{operator}"
        return None

    def _alone(self, part: tuple[int, int, int]) -> _Alone:
        """Return a token's logits in a step of its own, and the operators' outputs."""
        recorder = _OutputRecorder()
        with nullcontext() if self._model.spec.least > 1 else recorder:  # a padded step has more than one row
            return self._logits([part])[0], recorder.outputs

    def _beside(
        self, parts: list[tuple[int, int, int]], numbers: Mapping[int, Sequence[_Output]]
    ) -> tuple[Tensor, str]:
        """Return the logits, and which operator differs from a token computed alone ("" for none).

        Args:
            parts: as in `_logits`.
            numbers: by row, the outputs from `_alone`.
        """
        comparison = _OutputComparison(numbers, (sum(count for _, _, count in parts), len(parts)))
        with nullcontext() if self._model.spec.least > 1 else comparison:
            logits = self._logits(parts)
        return logits, comparison.differing

    def _logits(self, parts: list[tuple[int, int, int]]) -> Tensor:
        """Return logits [num_parts, vocab_size] after the last token of each (sequence, first token, count)."""
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
            slot_mapping=self._put(slots, least, -1),
            block_tables=self._put(self._tables[sequences], least, 0),
            seq_lens=self._put(lens, least, 0),
            query_start_loc=self._put(starts, least + 1, int(starts[-1])),
            max_query_len=max(map(len, places)),
        )
        groups = [metadata]
        if self._states:  # one state slot and one tail slot for each chunk of each sequence
            slots = self._put(self._slots[sequences], least, 0)
            groups += [replace(metadata, block_tables=slots)] * 2
        step = StepMetadata(
            groups, [0] * len(self._caches), self._caches, states=self._states, state_group=1 if self._states else -1
        )
        positions = self._model.spec.positions(torch.cat(places))
        inputs = self._put(tokens, least, 0), self._put(positions, least, 0), step, self._put(ends, least, 0)
        return self._head(self._forward(*inputs))[: len(parts)]

    def _put(self, values: Tensor, least: int, filler: int) -> Tensor:
        """Pad to at least `least` rows, as `StepBatch` does, and move to the model's device."""
        missing = least - len(values)
        if missing > 0:
            values = torch.cat([values, values.new_full((missing, *values.shape[1:]), filler)])
        return values.to(self._device)
