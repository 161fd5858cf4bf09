"""BatchInvariantMode and compile_batch_invariant: a forward on CUDA whose rows do not depend on the batch.

torch's products on CUDA take another kernel for another number of rows, and its sums cut a row among as many threads as
the number of rows leaves. Both are replaced, operator by operator, so that any model's forward is covered; `exact.py`
finds out by running what is left.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchpaged.ops.batch_invariant import DTYPES

aten, ops = torch.ops.aten, torch.ops.torchpaged
_P = ParamSpec("_P")
_R = TypeVar("_R")


class BatchInvariantMode(TorchDispatchMode):
    """Replaces products and sums by batch-invariant ones, for eager forwards and while graphs are captured."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func.name() == _FALLBACK:
            return ops.batch_invariant_grouped_matmul(*args, **kwargs)
        if (replacement := _REPLACEMENTS.get(func)) is not None:
            result = replacement(*args, **kwargs)
            if result is not NotImplemented:
                return result
        elif func in _COMPOSITE:
            with self:
                return func.decompose(*args, **kwargs)
        return func(*args, **kwargs)


def in_batch_invariant_mode(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function that runs in `BatchInvariantMode`."""

    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with BatchInvariantMode():
            return function(*args, **kwargs)

    return run


def compile_batch_invariant(graph: Any, inputs: Sequence[Any]) -> Any:
    """Compile a graph with inductor, as a backend of torch.compile, with the replacements as decompositions.

    What inductor generates for the rest is one kernel for all numbers of rows. Products of the same rows become one.
    """
    from torch._functorch import config
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner

    def compile_inner(graph: Any, inputs: Sequence[Any], **options: Any) -> Any:
        join_products(graph)
        return compile_fx_inner(graph, inputs, **options)

    # This cache of torch does not see that the decompositions are others, and would give one engine's code to another.
    with config.patch(enable_autograd_cache=False):
        return compile_fx(graph, inputs, inner_compile=compile_inner, decompositions=decompositions())


def join_products(graph: Any) -> int:
    """Make one operator of two or three products of the same rows, such as those of query, key and value.

    Args:
        graph: of torch.fx, with "val" in the metadata of its nodes; changed in place.

    Returns:
        The number of products that were joined.
    """
    groups: dict[Any, list[Any]] = {}
    for node in graph.graph.nodes:
        if node.target is not ops.batch_invariant_matmul.default or len(node.args) > 2 or node.kwargs:
            continue
        weight = node.args[1].meta["val"]
        movable = all(each.op in ("placeholder", "get_attr") for each in node.args[1].all_input_nodes)
        sizes = *weight.stride(), weight.shape[0]
        if movable and all(isinstance(size, int) for size in (*sizes, weight.shape[1])) and weight.shape[1] % 16 == 0:
            groups.setdefault((node.args[0], weight.dtype, *sizes), []).append(node)
    count = 0
    for nodes in groups.values():
        for begin in range(0, len(nodes) - 1, 3):
            together = nodes[begin : begin + 3]
            if len(together) > 1:
                _join(graph.graph, together)
                count += len(together)
    if count:
        graph.recompile()
    return count


def _join(graph: Any, nodes: Sequence[Any]) -> None:
    """Replace products by one, where the first of them is."""
    first = nodes[0]
    weights = [node.args[1] for node in nodes]
    for weight in weights[1:]:
        if weight.op == "call_function":  # a view of a placeholder
            first.prepend(weight)
    with graph.inserting_before(first):
        joined = graph.call_function(ops.batch_invariant_matmuls.default, (first.args[0], weights))
        joined.meta["val"] = [node.meta["val"] for node in nodes]
        parts = [graph.call_function(operator.getitem, (joined, place)) for place in range(len(nodes))]
    for node, part in zip(nodes, parts, strict=True):
        part.meta["val"] = node.meta["val"]
        node.replace_all_uses_with(part)
        graph.erase_node(node)


def decompositions() -> dict[Any, Callable[..., Any]]:
    """Return inductor's decompositions with products replaced."""
    from torch._inductor.decomposition import select_decomp_table

    return {**select_decomp_table(), **_PRODUCTS}


def _is_plain(*tensors: Tensor | None) -> bool:
    """Return whether these are tensors of one float dtype that the kernels take, not subclasses."""
    present = [each for each in tensors if each is not None]
    return present[0].dtype in DTYPES and all(
        each.dtype == present[0].dtype and not hasattr(each, "__tensor_flatten__") for each in present
    )


def _mm(a: Tensor, b: Tensor) -> Any:
    return ops.batch_invariant_matmul(a, b) if _is_plain(a, b) else NotImplemented


def _addmm(bias: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    if beta != 1 or alpha != 1 or bias.dim() != 1 or not _is_plain(a, b, bias) or bias.shape[0] != b.shape[1]:
        if not _is_plain(a, b, bias):
            return NotImplemented
        return ops.batch_invariant_matmul(a, b) * alpha + bias * beta
    return ops.batch_invariant_matmul(a, b, bias)


def _bmm(a: Tensor, b: Tensor) -> Any:
    if not _is_plain(a, b) or not isinstance(a.shape[0], int):
        return NotImplemented
    return torch.stack([ops.batch_invariant_matmul(x, y) for x, y in zip(a.unbind(), b.unbind(), strict=True)])


def _linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    if not _is_plain(x, weight, bias):
        return NotImplemented
    out = ops.batch_invariant_matmul(x.reshape(-1, x.shape[-1]), weight.t(), bias)
    return out.view(*x.shape[:-1], weight.shape[0])


def _mean(x: Tensor, dim: Sequence[int] | None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Any:
    summed = _sum(x, dim, keepdim, dtype=torch.float32 if x.dtype in DTYPES else None)
    return summed if summed is NotImplemented else (summed / x.shape[-1]).to(dtype or x.dtype)


def _sum(x: Tensor, dim: Sequence[int] | None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Any:
    """Sum the last dimension; others are summed in an order that does not depend on the rest."""
    if not dim or [each % x.dim() for each in dim] != [x.dim() - 1] or not x.is_floating_point():
        return NotImplemented
    wide = torch.float32 if x.dtype in DTYPES and dtype in (None, *DTYPES) else torch.float64
    out = ops.batch_invariant_sum(x.reshape(-1, x.shape[-1]), wide).to(dtype or x.dtype)
    return out.view(*x.shape[:-1], *([1] if keepdim else []))


def _grouped(
    x: Tensor,
    weight: Tensor,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> Any:
    if offs is None or bias is not None or out_dtype not in (None, x.dtype) or (x.dim(), weight.dim()) != (2, 3):
        return NotImplemented
    return ops.batch_invariant_grouped_matmul(x, weight, offs) if _is_plain(x, weight) else NotImplemented


# transformers' own operator for grouped products that torch's does not take.
_FALLBACK = "transformers::grouped_mm_fallback"
_PRODUCTS: dict[Any, Callable[..., Any]] = {
    aten.mm.default: _mm,
    aten.addmm.default: _addmm,
    aten.bmm.default: _bmm,
    aten._grouped_mm.default: _grouped,
}
_REPLACEMENTS: dict[Any, Callable[..., Any]] = {
    **_PRODUCTS,
    aten.linear.default: _linear,
    aten.mean.dim: _mean,
    aten.sum.dim_IntList: _sum,
}
# Operators that torch makes of those above, and that a mode sees whole under inference mode.
_COMPOSITE = {aten.matmul.default, aten.einsum.default}
