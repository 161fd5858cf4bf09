"""The operators under torch.vmap: the batch becomes more rows or sequences of one call, or an error says what to do.

Owns the kernels on the dispatch key of vmap. Without them torch would call an operator once for each example, or fail
where one writes. `Operator.fold` is the rule: of the arguments that it names, those that differ between examples come
with the batch as their first dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torchpaged.errors import TransformError
from torchpaged.ops.operator import Fold, Operator

DISPATCH_KEY = "FuncTorchBatched"


def kernel(operator: Operator, packet: Any) -> Callable[..., Any]:
    """Return the kernel on an operator's key, which calls the operator once for the whole batch.

    Args:
        packet: the operator's overload, of `torchpaged` or `torchpaged_cpp`.
    """

    def batched(*args: Any, **kwargs: Any) -> Any:
        if (fold := operator.fold) is None:
            raise TransformError(f"{operator.overload} has no batching rule for torch.vmap: {operator.vmap_with}")
        from torch._functorch.autograd_function import unwrap_batched
        from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter

        interpreter: Any = retrieve_current_functorch_interpreter()
        level, size = interpreter.level(), interpreter.batch_size()
        given = operator.named_arguments(args, kwargs)
        named, dims = unwrap_batched(given, level)
        which = {name for name, dim in dims.items() if dim is not None}
        if refused := sorted(which - {*fold.names}):
            raise TransformError(
                f"{operator.overload} under torch.vmap: {refused[0]} differs between examples, expected the same for "
                f"all ({', '.join(fold.names)} may differ): {operator.vmap_with}"
            )
        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.FuncTorchBatched)):
            fronts = {name: _rows_of_batch(named[name], dims[name]) for name in which}
            examples = size or 1  # of none, one of zeros has the results' shapes
            if not size:
                fronts = {name: each.new_zeros((1, *each.shape[1:])) for name, each in fronts.items()}
            batch = Batch(operator.overload, examples, {**named, **fronts}, frozenset(which))
            folded, are_rows = fold.rule(batch)
            names = [each.name for each in operator.arguments if not each.kwarg_only]
            rest = {name: value for name, value in folded.items() if name not in names}
            results = packet(*(folded[name] for name in names), **rest)
            several = results if isinstance(results, tuple) else (results,)
            several = tuple(each.unflatten(0, (examples, -1)) if are_rows else each for each in several)
            several = tuple(each[:size] for each in several)
        marked = tuple(torch._C._functorch._add_batch_dim(each, 0, level) for each in several)
        return marked if isinstance(results, tuple) else marked[0]

    return batched


def _rows_of_batch(tensor: Tensor, dim: int) -> Tensor:
    front = tensor.movedim(dim, 0)
    return front if front.dim() < 2 or front.stride(-1) == 1 else front.contiguous()


@dataclass(frozen=True)
class Batch:
    """A call under torch.vmap.

    Args:
        size: number of examples.
        named: all arguments; those that differ between examples have the batch as their first dimension.
        which: names of the latter.
    """

    overload: str
    size: int
    named: Mapping[str, Any]
    which: frozenset[str]

    def dims(self, name: str) -> int:
        """Return the number of dimensions of one example's argument."""
        return int(self.named[name].dim()) - (name in self.which)

    def each(self, name: str) -> Tensor:
        """Return an argument with the batch as its first dimension, also where all examples share it."""
        tensor: Tensor = self.named[name]
        return tensor if name in self.which else tensor.expand(self.size, *tensor.shape)

    def refuse(self, found: str) -> TransformError:
        """Return the error of a call that cannot be folded."""
        return TransformError(f"{self.overload} under torch.vmap: {found}: call it for each example instead")


Folded = tuple[dict[str, Any], bool]


def _rows(*names: str, most_dims: int) -> Callable[[Batch], Folded]:
    def rule(batch: Batch) -> Folded:
        flat = batch.dims(names[0]) == most_dims
        rows = {name: batch.each(name).flatten(0, 1) if flat else batch.each(name).contiguous() for name in names}
        return {**batch.named, **rows}, flat

    return rule


def fold_rows(*names: str, most_dims: int = 4) -> Fold:
    """Return the rule of an operator on rows of some arguments, of up to `most_dims` dimensions."""
    return Fold(names, _rows(*names, most_dims=most_dims))


def _rotation(batch: Batch) -> Folded:
    folded, flat = _rows("query", "key", most_dims=4)(batch)
    dims, tables = batch.dims("query"), ("cos", "sin")
    cos = batch.named["cos"]
    if not batch.which.intersection(tables) and (not flat or cos.dim() < dims or cos.shape[0] == 1):
        return folded, flat  # they broadcast over the batch as well
    for name in tables:
        table = batch.each(name)
        table = table.reshape(batch.size, *(1,) * (dims - batch.dims(name)), *table.shape[1:])
        if flat:
            table = table.expand(batch.size, batch.each("query").shape[1], *table.shape[2:]).flatten(0, 1)
        folded[name] = table
    return folded, flat


FOLD_ROTATION = Fold(("query", "key", "cos", "sin"), _rotation)


def _with_gaps(starts: Tensor, rows: int) -> Tensor:
    """Join starts [examples, sequences + 1] of examples of `rows` rows into those of one call.

    An example begins and ends with a sequence for the rows that are in none, which may be empty, and one without rows
    lies between two examples.
    """
    padded = torch.nn.functional.pad(starts, (1, 1))
    padded[:, -1] = rows
    example = torch.arange(len(starts), dtype=starts.dtype, device=starts.device)
    return (padded + example[:, None] * rows).flatten()


def _refuse_sequence_numbers(batch: Batch) -> None:
    from torchpaged.ops import score_mods

    for argument in ("score_mod", "mask_mod"):
        name = batch.named.get(argument)
        if name is not None and score_mods.program(batch.overload, argument, name).uses("b"):
            raise batch.refuse(f"{argument} {name!r} uses b, a sequence's place in the call")


def _paged(batch: Batch) -> Folded:
    _refuse_sequence_numbers(batch)
    query, starts, lens = (batch.each(name) for name in ("query", "query_start_loc", "seq_lens"))
    tables = torch.nn.functional.pad(batch.each("block_tables"), (0, 0, 1, 2))
    folded = {**batch.named, "query": query.flatten(0, 1), "query_start_loc": _with_gaps(starts, query.shape[1])}
    folded["seq_lens"] = torch.nn.functional.pad(lens, (1, 2)).flatten()[:-1]
    for name in ("tree_mask", "selected"):
        if batch.named.get(name) is not None:
            folded[name] = batch.each(name).flatten(0, 1)
    scales = [name for name in ("k_scale", "v_scale") if batch.named[name] is not None and batch.dims(name) == 3]
    caches = {"key_cache", "value_cache", *scales}
    if caches & batch.which:  # one pool behind the other
        folded |= {name: batch.each(name).flatten(0, 1) for name in caches}
        example = torch.arange(batch.size, dtype=tables.dtype, device=tables.device)
        tables = tables + example[:, None, None] * batch.each("key_cache").shape[1]
    if refused := {"k_scale", "v_scale"} & batch.which - {*scales}:
        raise batch.refuse(f"{min(refused)} of a whole cache differs between examples")
    folded["block_tables"] = tables.flatten(0, 1)[:-1]
    return folded, True


_PAGED = ("query", "key_cache", "value_cache", "block_tables", "seq_lens", "query_start_loc")
FOLD_PAGED = Fold((*_PAGED, "tree_mask", "k_scale", "v_scale"), _paged)
FOLD_SELECTED = Fold((*_PAGED, "selected", "tree_mask", "k_scale", "v_scale"), _paged)


def _varlen(batch: Batch) -> Folded:
    _refuse_sequence_numbers(batch)
    if batch.named["alibi_slopes"] is not None and batch.dims("alibi_slopes") == 2:
        raise batch.refuse("alibi_slopes are those of sequences")
    rows = {name: batch.each(name) for name in ("query", "key", "value")}
    folded = {**batch.named, **{name: each.flatten(0, 1) for name, each in rows.items()}}
    folded["cu_seqlens_q"] = _with_gaps(batch.each("cu_seqlens_q"), rows["query"].shape[1])
    # A gap in the queries has no keys: they end where the last sequence's do, and begin where the first one's do.
    keys = batch.each("cu_seqlens_k")
    keys = torch.cat([keys[:, :1], keys, keys[:, -1:]], 1)
    example = torch.arange(batch.size, dtype=keys.dtype, device=keys.device)
    folded["cu_seqlens_k"] = (keys + example[:, None] * rows["key"].shape[1]).flatten()
    return folded, True


FOLD_VARLEN = Fold(("query", "key", "value", "cu_seqlens_q", "cu_seqlens_k"), _varlen)
