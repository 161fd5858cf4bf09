"""Derivatives of pointwise operators, convolutions and logprobs, in plain PyTorch: the formulas of `Gradient`.

Each is computed in float32 and rounded once to the dtype of its argument, like the operators. Compilers see the
formulas' own operators and fuse them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops.operator import NAMESPACE, Formula, Gradient
from torchpaged.ops.token_positions import token_positions

Arguments = Mapping[str, Any]
Grads = Sequence["Tensor | None"]


def _float(grad: Tensor | None, like: Tensor) -> Tensor:
    return torch.zeros_like(like, dtype=torch.float32) if grad is None else grad.float()


# --- Norms and rotations --------------------------------------------------------------------------------------


def _of_norm(x: Tensor, weight: Tensor, eps: float, grad: Tensor) -> tuple[Tensor, Tensor]:
    """Return the derivatives by x, in float32, and by the weight of x / sqrt(mean(x^2) + eps) * weight."""
    wide = x.float()
    factor = torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    normed, scaled = wide * factor, grad * weight.float()
    by_x = factor * (scaled - normed * (scaled * normed).mean(-1, keepdim=True))
    return by_x, (grad * normed).flatten(0, -2).sum(0).to(weight.dtype) if x.dim() > 1 else grad * normed


def _rms_norm(arguments: Arguments, results: Sequence[Tensor], grads: Grads) -> dict[str, Tensor | None]:
    x, weight = arguments["x"], arguments["weight"]
    by_x, by_weight = _of_norm(x, weight, arguments["eps"], _float(grads[0], x))
    return {"x": by_x.to(x.dtype), "weight": by_weight.to(weight.dtype)}


def _add_rms_norm(arguments: Arguments, results: Sequence[Tensor], grads: Grads) -> dict[str, Tensor | None]:
    total, weight = results[0], arguments["weight"]
    by_total, by_weight = _of_norm(total, weight, arguments["eps"], _float(grads[1], total))
    by_sum = (by_total + _float(grads[0], total)).to(total.dtype)
    return {"x": by_sum, "residual": by_sum, "weight": by_weight.to(weight.dtype)}


def _rotary_embedding(arguments: Arguments, results: Sequence[Tensor], grads: Grads) -> dict[str, Tensor | None]:
    found: dict[str, Tensor | None] = {}
    cos, sin = arguments["cos"].float(), arguments["sin"].float()
    for name, grad in zip(("query", "key"), grads, strict=True):
        x, weight = arguments[name], arguments[f"{name}_weight"]
        turned, rest = _float(grad, x).split([cos.shape[-1], x.shape[-1] - cos.shape[-1]], dim=-1)
        first, second = (turned * sin).chunk(2, dim=-1)  # back by the same angle
        by_x = torch.cat([turned * cos + torch.cat([second, -first], dim=-1), rest], dim=-1)
        if weight is not None:
            by_x, by_weight = _of_norm(x, weight, arguments["eps"], by_x)
            found[f"{name}_weight"] = by_weight.to(weight.dtype)
        found[name] = by_x.to(x.dtype)
    return found


# --- Gated activations ----------------------------------------------------------------------------------------


def gated(activation: Callable[[Tensor], tuple[Tensor, Tensor]]) -> Gradient:
    """Return the derivative of activation(gate) * up, of a function that returns the activation and its slope."""

    def formula(arguments: Arguments, results: Sequence[Tensor], grads: Grads) -> dict[str, Tensor | None]:
        gate, up = arguments["gate"], arguments["up"]
        grad, (value, slope) = _float(grads[0], gate), activation(gate.float())
        return {"gate": (grad * up.float() * slope).to(gate.dtype), "up": (grad * value).to(up.dtype)}

    return Gradient(("gate", "up"), formula)


def silu(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return silu and its slope."""
    share = torch.sigmoid(x)
    return x * share, share * (1.0 + x * (1.0 - share))


def gelu_tanh(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return gelu in the approximation by tanh, and its slope."""
    factor, cubic = math.sqrt(2.0 / math.pi), 0.044715
    bounded = torch.tanh(factor * (x + cubic * x**3))
    slope = 0.5 * x * (1.0 - bounded.square()) * factor * (1.0 + 3.0 * cubic * x.square())
    return 0.5 * x * (1.0 + bounded), 0.5 * (1.0 + bounded) + slope


# --- Logprobs -------------------------------------------------------------------------------------------------


def _token_logprobs(arguments: Arguments, results: Sequence[Tensor], grads: Grads) -> dict[str, Tensor | None]:
    """Derive a token's logprob by its row of logits: 1 at the token, minus the row's softmax."""
    logits, rows = arguments["logits"], arguments["rows"]
    found = torch.zeros_like(logits, dtype=torch.float32)
    whole = torch.zeros(logits.shape[0], device=logits.device)  # of each row's gradients together
    for grad, ids in ((grads[0], arguments["token_ids"][:, None]), (grads[2], results[3])):
        if grad is None or not found.numel():
            continue
        there = (ids >= 0) & (ids < logits.shape[1]) & ((rows >= 0) & (rows < logits.shape[0]))[:, None]
        part = torch.where(there, grad.reshape(ids.shape), 0.0)
        row, token = rows.clamp(0, logits.shape[0] - 1)[:, None], ids.clamp(0, logits.shape[1] - 1)
        found.index_put_((row, token), part, accumulate=True)
        whole.index_put_((row.expand_as(ids),), part, accumulate=True)
    used = (whole != 0)[:, None]
    share = torch.where(used, torch.softmax(logits.float(), -1), 0.0)
    return {"logits": (found - whole[:, None] * share).to(logits.dtype)}


# --- Convolutions ---------------------------------------------------------------------------------------------


def _causal_conv1d(arguments: Arguments, results: Sequence[Tensor], grads: Grads) -> dict[str, Tensor | None]:
    x, weight, bias = (arguments[each] for each in ("x", "weight", "bias"))
    if grads[0] is None:
        return {}
    sequences = arguments["seq_lens"], arguments["query_start_loc"]
    by_x, by_weight, by_bias = torch.ops.torchpaged.causal_conv1d_backward(
        grads[0], x, weight, bias, *sequences, silu=arguments["silu"]
    )
    return {"x": by_x, "weight": by_weight, "bias": None if bias is None else by_bias}


CONV1D_BACKWARD = (
    "causal_conv1d_backward(Tensor grad, Tensor x, Tensor weight, Tensor? bias, Tensor seq_lens, "
    "Tensor query_start_loc, *, bool silu=False) -> (Tensor grad_x, Tensor grad_weight, Tensor grad_bias)"
)


def causal_conv1d_backward(
    grad: Tensor,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    *,
    silu: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """Derive `causal_conv1d` by x, weight and bias, tap by tap.

    Raises:
        GradientError: a sequence has tokens before this step, whose inputs the cache keeps without a gradient.
    """
    tokens = token_positions(seq_lens, query_start_loc, x.shape[0])
    refuse_context(tokens.context, tokens.position)
    wide, taps, width = x.float(), weight.float(), weight.shape[1]
    valid = tokens.position >= 0
    place = torch.arange(x.shape[0], device=x.device)

    def tap(back: int) -> tuple[Tensor, Tensor]:
        """Return the rows whose input lies `back` tokens before them, and that input's row."""
        return (valid & (tokens.position >= back))[:, None], (place - back).clamp(min=0)

    slope = grad.float()
    if silu:
        total = torch.zeros_like(wide) if bias is None else bias.float().expand_as(wide)
        for back in range(width):
            there, source = tap(back)
            total = total + torch.where(there, wide[source] * taps[:, width - 1 - back], 0.0)
        share = torch.sigmoid(total)
        slope = slope * share * (1.0 + total * (1.0 - share))
    slope = torch.where(valid[:, None], slope, 0.0)
    by_x, by_weight = torch.zeros_like(wide), torch.zeros_like(taps)
    for back in range(width):
        there, source = tap(back)
        part = torch.where(there, slope, 0.0)
        by_weight[:, width - 1 - back] = (part * wide[source]).sum(0)
        by_x[: x.shape[0] - back] += (part * taps[:, width - 1 - back])[back:]
    by_bias = slope.sum(0) if bias is not None else slope.new_empty(0)
    return by_x.to(x.dtype), by_weight.to(weight.dtype), by_bias.to(weight.dtype if bias is None else bias.dtype)


def _fake_causal_conv1d_backward(
    grad: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None, *_: Any, **__: Any
) -> tuple[Tensor, Tensor, Tensor]:
    by_bias = weight.new_empty(0) if bias is None else torch.empty_like(bias)
    return x.new_empty(x.shape), weight.new_empty(weight.shape), by_bias


def refuse_context(context: Tensor, position: Tensor) -> None:
    """Raise GradientError where a sequence has tokens from before the call."""
    from torchpaged.errors import GradientError

    if bool(((context > 0) & (position >= 0)).any()):
        raise GradientError(
            "causal_conv1d has no derivative with respect to tokens of earlier calls, which the cache keeps without a "
            "gradient: give whole sequences in one call (seq_lens as long as the queries) to train"
        )


def define(library: torch.library.Library) -> None:
    """Define the operators that formulas call."""
    library.define(CONV1D_BACKWARD, tags=(torch.Tag.pt2_compliant_tag,))
    library.impl("causal_conv1d_backward", causal_conv1d_backward, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::causal_conv1d_backward", _fake_causal_conv1d_backward, lib=library)


def _gradient(formula: Formula, *of: str) -> Gradient:
    return Gradient(of, formula)


RMS_NORM = _gradient(_rms_norm, "x", "weight")
ADD_RMS_NORM = _gradient(_add_rms_norm, "x", "residual", "weight")
ROTARY_EMBEDDING = _gradient(_rotary_embedding, "query", "key", "query_weight", "key_weight")
CAUSAL_CONV1D = _gradient(_causal_conv1d, "x", "weight", "bias")
TOKEN_LOGPROBS = _gradient(_token_logprobs, "logits")
