"""Clean stage: makes pointwise operators batch-invariant.

torch computes these operators with vector instructions where elements fill a vector and with scalar ones elsewhere, or
by another library for contiguous tensors, so that the last bit of a value depends on its place in the batch. The
operators that replace them (exp, log1p, square roots, divisions) round alike everywhere:
tests/integrations/test_exact_families.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.graph import Graph
from torchpaged.compiler.patterns import is_call, is_pointwise_input, replace

aten, ops = torch.ops.aten, torch.ops.torchpaged


def sigmoid(x: Tensor) -> Tensor:
    """Compute 1 / (1 + exp(-x)) in float32, rounded once."""
    return (x.float().neg().exp() + 1).reciprocal().to(x.dtype)


def softplus(x: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """Compute log(1 + exp(beta x)) / beta; x where beta x is above the threshold."""
    scaled = x.float() * beta
    return torch.where(scaled > threshold, x.float(), scaled.exp().log1p() / beta).to(x.dtype)


def rsqrt(x: Tensor) -> Tensor:
    """Compute 1 / sqrt(x) in float32, rounded once."""
    return x.float().sqrt().reciprocal().to(x.dtype)


def silu(x: Tensor) -> Tensor:
    """Compute x / (1 + exp(-x))."""
    result: Tensor = ops.silu_and_mul(x, x.new_ones(x.shape[-1]).expand(x.shape))
    return result


def gelu_tanh(x: Tensor) -> Tensor:
    """Compute GELU by its approximation with tanh."""
    result: Tensor = ops.gelu_tanh_and_mul(x, x.new_ones(x.shape[-1]).expand(x.shape))
    return result


def gelu(x: Tensor) -> Tensor:
    """Compute x (1 + erf(x / sqrt(2))) / 2 in float32, rounded once."""
    wide = x.float()
    result: Tensor = 0.5 * wide * (1 + (wide * 0.5**0.5).erf())
    return result.to(x.dtype)


def complex_product(a: Tensor, b: Tensor) -> Tensor:
    """Compute a * b of complex tensors as [..., 2] of real and imaginary parts.

    torch's own rounds four products in vector code, and two in scalar code.
    """
    (a_re, a_im), (b_re, b_im) = (torch.view_as_real(each).unbind(-1) for each in (a, b))
    return torch.stack((a_re * b_re - a_im * b_im, a_re * b_im + a_im * b_re), -1)


def rewrite_pointwise(traced: Graph) -> int:
    """Apply the rules in place. Return how many operators were replaced."""
    traced.prune()  # operators that earlier rules replaced must not be replaced again
    count = 0
    for node in list(traced.graph.nodes):
        found = _replacement(traced, node)
        if found is None:
            continue
        function, args = found
        sources = [each for each in args if isinstance(each, fx.Node)]
        # Writes into users of the result do not matter: the replacement takes the node's place.
        if not all(map(traced.is_never_written, (node, *node.all_input_nodes, *sources))):
            continue
        if function not in (silu, gelu_tanh) or is_pointwise_input(traced.values[node.args[0]]):
            count += replace(traced, node, function, args) is not None
    return count


def _replacement(traced: Graph, node: fx.Node) -> tuple[Callable[..., Tensor], tuple[Any, ...]] | None:
    """Return the function and arguments that replace a node, or None."""
    if node.target in _FUNCTIONS:
        return _FUNCTIONS[node.target], node.args
    if is_call(node, aten.gelu.default):
        return gelu_tanh if node.kwargs.get("approximate") == "tanh" else gelu, node.args
    if is_call(node, aten.pow.Tensor_Scalar) and node.args[1] == -0.5:
        return rsqrt, node.args[:1]
    if is_call(node, aten.view_as_real.default) and is_call(node.args[0], aten.mul.Tensor):
        factors = node.args[0].args
        both = all(isinstance(each, fx.Node) and traced.values[each].is_complex() for each in factors)
        return (complex_product, factors) if both else None
    return None


_FUNCTIONS: dict[Any, Callable[..., Tensor]] = {
    aten.sigmoid.default: sigmoid,
    aten.softplus.default: softplus,
    aten.rsqrt.default: rsqrt,
    aten.silu.default: silu,
}
