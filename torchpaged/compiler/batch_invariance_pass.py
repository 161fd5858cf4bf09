"""Rules for operators on single numbers that torch computes with vectors where they fill one and otherwise without,
or by another library where they lie without gaps.

So the last bit depends on where a number stands among all that a step has. What they are made of here
(exp, log1p, square roots, divisions) has no such difference: tests/integrations/test_exact_families.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler.graph import Recording
from torchpaged.compiler.patterns import is_call, replace, suits

aten, ops = torch.ops.aten, torch.ops.torchpaged


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), in float32 and rounded once."""
    return (x.float().neg().exp() + 1).reciprocal().to(x.dtype)


def softplus(x: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + exp(beta x)) / beta; x where beta x is above the threshold."""
    scaled = x.float() * beta
    return torch.where(scaled > threshold, x.float(), scaled.exp().log1p() / beta).to(x.dtype)


def rsqrt(x: Tensor) -> Tensor:
    """1 / sqrt(x), in float32 and rounded once."""
    return x.float().sqrt().reciprocal().to(x.dtype)


def silu(x: Tensor) -> Tensor:
    """x / (1 + exp(-x))."""
    result: Tensor = ops.silu_and_mul(x, x.new_ones(x.shape[-1]).expand(x.shape))
    return result


def gelu_tanh(x: Tensor) -> Tensor:
    """GELU by its approximation with tanh."""
    result: Tensor = ops.gelu_tanh_and_mul(x, x.new_ones(x.shape[-1]).expand(x.shape))
    return result


def gelu(x: Tensor) -> Tensor:
    """x (1 + erf(x / sqrt(2))) / 2, in float32 and rounded once."""
    wide = x.float()
    result: Tensor = 0.5 * wide * (1 + (wide * 0.5**0.5).erf())
    return result.to(x.dtype)


def complex_product(a: Tensor, b: Tensor) -> Tensor:
    """The parts of a b, last. torch rounds all four products where numbers fill vectors, and two of them elsewhere."""
    (a_re, a_im), (b_re, b_im) = (torch.view_as_real(each).unbind(-1) for each in (a, b))
    return torch.stack((a_re * b_re - a_im * b_im, a_re * b_im + a_im * b_re), -1)


def compute_by_row(recording: Recording) -> int:
    """Applies the rules, in place, to what no other rule has taken. Returns how often."""
    recording.prune()  # what other rules have taken is computed for nobody
    count = 0
    for node in list(recording.graph.nodes):
        found = _by_row(recording, node)
        # What becomes of the result is no matter: it is computed where it was.
        if found is None:
            continue
        function, args = found
        sources = [each for each in args if isinstance(each, fx.Node)]
        if not all(map(recording.is_stable, (node, *node.all_input_nodes, *sources))):
            continue
        if function not in (silu, gelu_tanh) or suits(recording.values[node.args[0]]):
            count += replace(recording, node, function, args) is not None
    return count


def _by_row(recording: Recording, node: fx.Node) -> tuple[Callable[..., Tensor], tuple[Any, ...]] | None:
    """What computes it, of which arguments."""
    if node.target in _FUNCTIONS:
        return _FUNCTIONS[node.target], node.args
    if is_call(node, aten.gelu.default):
        return gelu_tanh if node.kwargs.get("approximate") == "tanh" else gelu, node.args
    if is_call(node, aten.pow.Tensor_Scalar) and node.args[1] == -0.5:
        return rsqrt, node.args[:1]
    if is_call(node, aten.view_as_real.default) and is_call(node.args[0], aten.mul.Tensor):
        factors = node.args[0].args
        both = all(isinstance(each, fx.Node) and recording.values[each].is_complex() for each in factors)
        return (complex_product, factors) if both else None
    return None


_FUNCTIONS: dict[Any, Callable[..., Tensor]] = {
    aten.sigmoid.default: sigmoid,
    aten.softplus.default: softplus,
    aten.rsqrt.default: rsqrt,
    aten.silu.default: silu,
}
