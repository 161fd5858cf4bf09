"""A recorded forward as a program that the C++ library runs in one call, without Python between the operators.

It is recorded once more over small pools, with a step's metadata as inputs beside the tokens: what is replayed are the
operators that the forward calls, in their order, and whatever it does around them is gone. Steps of more than
`MOST_TOKENS` tokens, profilers and dispatch modes see the forward as it is.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from torchpaged.compiler.codegen import MOST_TOKENS, Lowering
from torchpaged.compiler.graph import NotRecordable, Recording
from torchpaged.compiler.tracer import record
from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache, StateCache, StepMetadata
from torchpaged.ops import active_backend
from torchpaged.utils.huge_pages import uncollected

logger = logging.getLogger(__name__)

Forward = Callable[[Tensor, Tensor, StepMetadata, Tensor], Tensor]

# Of the two recordings: lengths of the sequences' queries, the rows that are wanted, and blocks. Tokens, rows and the
# longest query may be numbers in a program; whatever else differs between the two and shows in one is refused.
_STEPS = (((5, 5, 3), 3, 2), ((7, 7, 2, 1), 11, 3))
_SIZES = ("input_ids", "rows", "longest")

_library = torch.library.Library("torchpaged_replay", "DEF")
_library.define("load(Tensor code, str names, Tensor[] constants) -> int")
_library.define("run(int program, Tensor[] inputs, int[] numbers) -> Tensor")
_library.define("drop(Tensor any, int program) -> ()")
_ops = torch.ops.torchpaged_replay


class Program:
    """A recording that the library runs. Its weights stay where they are, as long as it lives.

    Args:
        recording: that returns one tensor.
        sizes: which of its inputs are numbers, or tensors whose first dimension changes.

    Attributes:
        counted: which of the sizes may be `MOST_TOKENS` at most.

    Raises:
        NotRecordable: it has something that the library cannot run.
    """

    def __init__(self, recording: Recording, sizes: Sequence[str]) -> None:
        lowering = Lowering(recording, sizes)
        self.counted = lowering.counted
        code, names = torch.tensor(lowering.code()), "\n".join(lowering.names)
        self._number: int = _ops.load(code, names, lowering.constants)
        weakref.finalize(self, _drop, self._number).atexit = False

    def __call__(self, tensors: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
        """The result for the tensors among the inputs, in their order, and the sizes."""
        result: Tensor = _ops.run(self._number, tensors, sizes)
        return result


def _drop(number: int) -> None:
    """Whoever looks at operators when a program happens to be collected, a recorder say, has not called this one.

    Nor is it of the device on which tensors are made there.
    """
    with _disable_current_modes():
        _ops.drop(torch.empty(0, device="cpu"), number)


def watched() -> bool:
    """Whether a dispatch mode or a profiler wants to see each operator."""
    return bool(torch._C._len_torch_dispatch_stack() or torch.autograd._profiler_enabled())


class Replayed:
    """A forward that is replayed where that helps; elsewhere, and for what cannot be a program, it runs as it is.

    Args:
        forward: of a step's tokens, positions, metadata and wanted rows, over operators alone.
        vocab_size: of the model.

    Attributes:
        reason: why it is not replayed; None while nothing is known against it.
    """

    def __init__(self, forward: Forward, vocab_size: int) -> None:
        self.reason: str | None = None
        self._forward, self._vocab_size = forward, vocab_size
        self._programs: dict[Any, Program | None] = {}

    def __call__(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """What the forward returns, bit for bit."""
        compiling = torch.compiler.is_compiling()
        program = None if compiling or len(rows) > MOST_TOKENS else self.program(input_ids, metadata)
        if program is None:
            return self._forward(input_ids, positions, metadata, rows)
        tensors = [input_ids, positions, rows]
        for each in metadata.groups:
            tensors += (each.slot_mapping, each.block_tables, each.seq_lens, each.query_start_loc)
        for pool in _pools(metadata):
            tensors += pool.tensors
        return program(tensors, (len(input_ids), len(rows), metadata.groups[0].max_query_len))

    def program(self, input_ids: Tensor, metadata: StepMetadata) -> Program | None:
        """What runs such a step; None: the forward does, as it is."""
        if len(input_ids) > MOST_TOKENS or not torch.is_inference_mode_enabled():
            return None
        if watched():
            return None
        ways = metadata.groups
        if not ways or any(each.max_query_len != ways[0].max_query_len for each in ways):
            return None
        cache = next((each for each in metadata.caches if isinstance(each, LayerCache)), None)
        key = (
            tuple(each.causal for each in ways),
            tuple(metadata.group_of_layer),
            metadata.state_group,
            metadata.encoder_states is None,
            cache and (cache.key.dtype, cache.k_scale is None),
            tuple(isinstance(each, LayerCache) and each.key_factor is not None for each in metadata.caches),
            active_backend("packed_linear", "cpu"),
        )
        if key not in self._programs:
            self._programs[key] = self._made(input_ids, metadata)
        return self._programs[key]

    @uncollected()
    def _made(self, input_ids: Tensor, metadata: StepMetadata) -> Program | None:
        try:
            if metadata.encoder_states is not None or not all(each.causal for each in metadata.groups):
                raise NotRecordable("it has an encoder")
            return Program(_recorded(self._forward, input_ids, metadata, self._vocab_size), _SIZES)
        except NotRecordable as error:
            self.reason = str(error)
        except Exception as error:  # what a rule does not know: the forward runs as it is
            self.reason = f"{type(error).__name__}: {error}"
        logger.info("the forward is not replayed: %s", self.reason)
        return None


def _pools(metadata: StepMetadata) -> Iterator[Any]:
    return (each for each in (*metadata.caches, *metadata.states) if each is not None)


def _recorded(forward: Forward, input_ids: Tensor, metadata: StepMetadata, vocab_size: int) -> Recording:
    """Of steps whose metadata are like these: all their tensors are inputs."""
    pools = list(_pools(metadata))
    inputs = [_inputs(input_ids, metadata, pools, vocab_size, *step) for step in _STEPS]

    def flat(*given: Any) -> Tensor:
        left = iter(given)
        input_ids, positions, rows, longest = (next(left) for _ in range(4))
        groups = [AttentionMetadata(next(left), next(left), next(left), next(left), longest) for _ in metadata.groups]
        filled = iter([_filled(pool, [next(left) for _ in pool.tensors]) for pool in pools])
        caches = [None if each is None else next(filled) for each in metadata.caches]
        states = [None if each is None else next(filled) for each in metadata.states]
        step = replace(metadata, groups=groups, caches=caches, states=states)
        return forward(input_ids, positions, step, rows)

    return record(flat, inputs, _SIZES, written="pool_", multiplies=False)


def _inputs(
    input_ids: Tensor,
    metadata: StepMetadata,
    pools: Sequence[Any],
    vocab_size: int,
    lengths: Sequence[int],
    num_rows: int,
    num_blocks: int,
) -> dict[str, Tensor | int | None]:
    """Of a step whose tokens write and read nothing that counts: small pools, no slots."""
    tokens, sequences = sum(lengths), len(lengths)
    starts = torch.tensor([0, *lengths], dtype=torch.int32).cumsum(0, dtype=torch.int32)
    inputs: dict[str, Tensor | int | None] = {
        "input_ids": _like(input_ids, tokens, vocab_size),
        "positions": torch.cat([torch.arange(each) for each in lengths]),
        "rows": torch.arange(num_rows),
        "longest": max(lengths),
    }
    for i in range(len(metadata.groups)):
        inputs[f"slot_mapping_{i}"] = torch.full((tokens,), -1)
        inputs[f"block_tables_{i}"] = torch.zeros(sequences, num_blocks - 1, dtype=torch.int32)
        inputs[f"seq_lens_{i}"] = torch.tensor(lengths, dtype=torch.int32)
        inputs[f"query_start_loc_{i}"] = starts.clone()
    for i, pool in enumerate(pools):
        for j, tensor in enumerate(pool.tensors):
            inputs[f"pool_{i}_{j}"] = tensor.new_zeros((num_blocks, *tensor.shape[1:]))
    return inputs


def _like(input_ids: Tensor, count: int, vocab_size: int) -> Tensor:
    """As many tokens, or embeddings where those of the step are."""
    if input_ids.is_floating_point():
        return input_ids.new_zeros((count, *input_ids.shape[1:]))
    return torch.arange(count) % vocab_size


def _filled(pool: Any, tensors: list[Tensor]) -> Any:
    """A pool of the same kind with other tensors."""
    if not isinstance(pool, (LayerCache, StateCache)):
        return type(pool)(tuple(tensors))
    left = iter(tensors)
    fields = ("key", "value", "k_scale", "v_scale")
    if isinstance(pool, StateCache):
        fields = ("state", "tail", "conv_state", "conv_tail")
    filled: dict[str, Any] = {name: None if getattr(pool, name) is None else next(left) for name in fields}
    return replace(pool, **filled)
