"""Codegen stage: a forward as a program that the C++ library runs in one call, without Python between operators.

The optimized forward is traced again over small pools, with the tensors of the step's metadata as inputs. In steps of
more than `MAX_TOKENS` tokens, and under profilers and dispatch modes, the Python forward runs.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from torchpaged.compiler.codegen import MAX_TOKENS, Lowering
from torchpaged.compiler.graph import Graph, NotTraceable
from torchpaged.compiler.tracer import trace
from torchpaged.models.attention_metadata import (
    AttentionMetadata,
    LayerCache,
    StateCache,
    StepAdapters,
    StepMetadata,
)
from torchpaged.ops import active_backend
from torchpaged.utils.heap import uncollected
from torchpaged.utils.torch_state import has_observers

logger = logging.getLogger(__name__)

Forward = Callable[[Tensor, Tensor, StepMetadata, Tensor], Tensor]

# Of the two traces: query lengths, number of rows, number of blocks. A program may depend on the numbers of tokens and
# rows and on the longest query; a forward that depends on another size that differs between the two is refused.
_STEPS = (((5, 5, 3), 3, 2), ((7, 7, 2, 1), 11, 3))
_SIZES = ("input_ids", "rows", "longest")

_library = torch.library.Library("torchpaged_replay", "DEF")
_library.define("load(Tensor code, str names, Tensor[] constants) -> int")
_library.define("run(int program, Tensor[] inputs, int[] numbers) -> Tensor")
_library.define("drop(Tensor any, int program) -> ()")
_ops = torch.ops.torchpaged_replay


class ProgramSource(NamedTuple):
    """A program before the library has loaded it: bytecode, names of operators, and constants by register."""

    code: Sequence[int]
    names: Sequence[str]
    constants: Sequence[Tensor]


class Program:
    """A graph as bytecode in the C++ library, which keeps its constants alive as long as the program.

    Args:
        traced: a graph that returns one tensor.
        sizes: its inputs that are integers, or tensors with a dynamic first dimension.

    Attributes:
        bounded_sizes: indices of the sizes that may be at most `MAX_TOKENS`.
        source: what the library was given.

    Raises:
        NotTraceable: the graph has something that the library cannot run.
    """

    def __init__(self, traced: Graph, sizes: Sequence[str]) -> None:
        lowering = Lowering(traced, sizes)
        self._load(ProgramSource(lowering.code(), list(lowering.names), lowering.constants), lowering.bounded_sizes)

    @classmethod
    def from_source(cls, source: ProgramSource, bounded_sizes: Collection[int] = ()) -> Program:
        """Make a program of another one's source."""
        program = cls.__new__(cls)
        program._load(source, bounded_sizes)
        return program

    def _load(self, source: ProgramSource, bounded_sizes: Collection[int]) -> None:
        self.source, self.bounded_sizes = source, set(bounded_sizes)
        self._number: int = _ops.load(torch.tensor(source.code), "\n".join(source.names), source.constants)
        weakref.finalize(self, _drop, self._number).atexit = False

    def __call__(self, tensors: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
        """Run the program on the tensor inputs, in order, and the sizes."""
        result: Tensor = _ops.run(self._number, tensors, sizes)
        return result


def _drop(number: int) -> None:
    """Free a program.

    Garbage collection may call this at any time: a dispatch mode that is active then must not see the operator, and the
    default device must not apply to its dummy tensor.
    """
    with _disable_current_modes():
        _ops.drop(torch.empty(0, device="cpu"), number)


class ReplayedForward:
    """A forward that runs short steps as a program; the Python forward runs the others.

    Args:
        forward: an optimized forward: takes input ids, positions, metadata and rows, and only calls operators.
        vocab_size: vocabulary size of the model.
        sources: sources of programs that an earlier process made, by the text of their key.
        position_axes: as in `ModelSpec`.

    Attributes:
        reason: why a program could not be made; None before a first failure.
        when_made: called with the text of its key and the program when one was made.
    """

    def __init__(
        self,
        forward: Forward,
        vocab_size: int,
        sources: Mapping[str, ProgramSource] | None = None,
        position_axes: int = 1,
    ) -> None:
        self.reason: str | None = None
        self.when_made: Callable[[str, Program], None] = lambda key, program: None
        self._forward, self._sources = forward, dict(sources or {})
        self._vocab_size, self._position_axes = vocab_size, position_axes
        self._programs: dict[Any, Program | None] = {}
        # Metadata that several steps have is examined once. Pools must be freed with it.
        self._known: weakref.WeakKeyDictionary[StepMetadata, _MetadataInputs] = weakref.WeakKeyDictionary()

    def __call__(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Run the forward. A program gives the same bits."""
        compiling = torch.compiler.is_compiling()
        num_rows = rows.shape[0]
        program = None if compiling or num_rows > MAX_TOKENS else self.find_program(input_ids, metadata)
        if program is None:
            return self._forward(input_ids, positions, metadata, rows)
        tensors = (input_ids, positions, rows, *self._known[metadata].tensors)
        return program(tensors, (input_ids.shape[0], num_rows, metadata.groups[0].max_query_len))

    def find_program(self, input_ids: Tensor, metadata: StepMetadata) -> Program | None:
        """Return the program for a step like this one, made at its first use; None if the Python forward must run."""
        if input_ids.shape[0] > MAX_TOKENS or not torch.is_inference_mode_enabled():
            return None
        if has_observers():
            return None
        known = self._known.get(metadata)
        if known is None:
            known = self._known[metadata] = _MetadataInputs.of(metadata)
        if not known.can_replay:
            return None
        key = known.key, active_backend("packed_linear", "cpu")
        if key not in self._programs:
            # Another process may have pools of another layout.
            text = repr((key, [[(each.dtype, *each.shape[1:]) for each in pool.tensors] for pool in _pools(metadata)]))
            source = self._sources.pop(text, None)
            made = self._make_program(input_ids, metadata) if source is None else Program.from_source(source)
            self._programs[key] = made
            if source is None and made is not None:
                self.when_made(text, made)
        return self._programs[key]

    @uncollected()
    def _make_program(self, input_ids: Tensor, metadata: StepMetadata) -> Program | None:
        try:
            if metadata.encoder_states is not None or len({each.causal for each in metadata.groups}) > 1:
                raise NotTraceable("it has an encoder")
            traced = _trace_step(self._forward, input_ids, metadata, self._vocab_size, self._position_axes)
            return Program(traced, _SIZES)
        except NotTraceable as error:
            self.reason = str(error)
        except Exception as error:  # codegen met something unexpected: the Python forward runs
            self.reason = f"{type(error).__name__}: {error}"
        logger.info("the forward is not replayed: %s", self.reason)
        return None


class _MetadataInputs(NamedTuple):
    """Inputs and key of a program, read from a step's metadata.

    Args:
        tensors: that a program takes after input ids, positions and rows.
        key: what a program depends on.
        can_replay: if all groups have the same longest query and no mask, as programs need.
    """

    tensors: Sequence[Tensor]
    key: tuple[Any, ...]
    can_replay: bool

    @classmethod
    def of(cls, metadata: StepMetadata) -> _MetadataInputs:
        """Examine metadata."""
        groups, adapters = metadata.groups, metadata.adapters
        tensors: list[Tensor] = []
        for each in groups:
            tensors += (each.slot_mapping, each.block_tables, each.seq_lens, each.query_start_loc)
        for pool in _pools(metadata):
            tensors += pool.tensors
        if adapters is not None:
            tensors += (adapters.slots, *adapters.pools.tensors)
        cache = next((each for each in metadata.caches if isinstance(each, LayerCache)), None)
        key = (
            tuple(each.causal for each in groups),
            tuple(metadata.group_of_layer),
            metadata.state_group,
            metadata.encoder_states is None,
            cache and (cache.key.dtype, cache.k_scale is None),
            tuple(isinstance(each, LayerCache) and each.key_factor is not None for each in metadata.caches),
            None if adapters is None else adapters.pools.layout,
        )
        has_mask = any(each.tree_mask is not None for each in groups)
        return cls(tensors, key, len({each.max_query_len for each in groups}) == 1 and not has_mask)


def _pools(metadata: StepMetadata) -> Iterator[Any]:
    return (each for each in (*metadata.caches, *metadata.states) if each is not None)


def _trace_step(
    forward: Forward, input_ids: Tensor, metadata: StepMetadata, vocab_size: int, position_axes: int
) -> Graph:
    """Trace the forward of steps with metadata like these, whose tensors become inputs."""
    pools = list(_pools(metadata))
    inputs = [_inputs(input_ids, metadata, pools, vocab_size, position_axes, *step) for step in _STEPS]

    def flat(*arguments: Any) -> Tensor:
        left = iter(arguments)
        input_ids, positions, rows, longest = (next(left) for _ in range(4))
        groups = [
            AttentionMetadata(next(left), next(left), next(left), next(left), longest, each.causal)
            for each in metadata.groups
        ]
        filled = iter([_filled(pool, [next(left) for _ in pool.tensors]) for pool in pools])
        caches = [None if each is None else next(filled) for each in metadata.caches]
        states = [None if each is None else next(filled) for each in metadata.states]
        adapters = metadata.adapters
        if adapters is not None:
            adapters = StepAdapters(next(left), adapters.pools.with_tensors(left))
        step = replace(metadata, groups=groups, caches=caches, states=states, adapters=adapters)
        return forward(input_ids, positions, step, rows)

    return trace(flat, inputs, _SIZES, writable_prefix="pool_", compute_products=False)


def _inputs(
    input_ids: Tensor,
    metadata: StepMetadata,
    pools: Sequence[Any],
    vocab_size: int,
    position_axes: int,
    lengths: Sequence[int],
    num_rows: int,
    num_blocks: int,
) -> dict[str, Tensor | int | None]:
    """Return inputs of a step over small pools of zeros, whose tokens are all padding (slot -1)."""
    tokens, sequences = sum(lengths), len(lengths)
    block_size = min((pool.key.shape[1] for pool in pools if isinstance(pool, LayerCache)), default=max(lengths))
    width = num_blocks - 2 + -(-max(lengths) // block_size)
    starts = torch.tensor([0, *lengths], dtype=torch.int32).cumsum(0, dtype=torch.int32)
    positions = torch.cat([torch.arange(each) for each in lengths])
    inputs: dict[str, Tensor | int | None] = {
        "input_ids": _like(input_ids, tokens, vocab_size),
        "positions": positions if position_axes == 1 else positions[:, None].repeat(1, position_axes),
        "rows": torch.arange(num_rows),
        "longest": max(lengths),
    }
    for i in range(len(metadata.groups)):
        inputs[f"slot_mapping_{i}"] = torch.full((tokens,), -1)
        inputs[f"block_tables_{i}"] = torch.zeros(sequences, width, dtype=torch.int32)
        inputs[f"seq_lens_{i}"] = torch.tensor(lengths, dtype=torch.int32)
        inputs[f"query_start_loc_{i}"] = starts.clone()
    for i, pool in enumerate(pools):
        for j, tensor in enumerate(pool.tensors):
            inputs[f"pool_{i}_{j}"] = tensor.new_zeros((num_blocks, *tensor.shape[1:]))
    if metadata.adapters is not None:
        inputs["adapter_slots"] = torch.full((tokens,), -1, dtype=torch.int32)
        inputs |= {f"adapters_{i}": tensor for i, tensor in enumerate(metadata.adapters.pools.tensors)}
    return inputs


def _like(input_ids: Tensor, count: int, vocab_size: int) -> Tensor:
    """Return `count` token ids, or embeddings if the step has these."""
    if input_ids.is_floating_point():
        return input_ids.new_zeros((count, *input_ids.shape[1:]))
    return torch.arange(count) % vocab_size


def _filled(pool: Any, tensors: list[Tensor]) -> Any:
    """Return a pool like this one with other tensors."""
    if not isinstance(pool, (LayerCache, StateCache)):
        return type(pool)(tuple(tensors))
    left = iter(tensors)
    if isinstance(pool, LayerCache):
        return pool.with_tensors(left)
    fields = ("state", "tail", "conv_state", "conv_tail")
    filled: dict[str, Any] = {name: None if getattr(pool, name) is None else next(left) for name in fields}
    return replace(pool, **filled)
