"""Rounds float weights to `GroupedWeight`s of four bits, with each group's scale fitted by least squares.

`round_weight` rounds each weight independently. `round_for_inputs` uses the second moments of a layer's inputs, and
lets later columns compensate for the errors of earlier ones, after Frantar et al., "GPTQ" (2022).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor

from torchpaged.weights.grouped_weight import GroupedWeight

# Values tried for the largest weight of a symmetric group. Codes are -8 to 7, but a scale that clips the largest weight
# may suit the others better.
_LARGEST = (-8.6, -8.2, -7.9, -7.5, -7.0, -6.4, 7.0, 7.5)
# Parts of a group's range that the codes span, tried for groups with zero points.
_SPANS = (1.04, 1.0, 0.95, 0.9, 0.85, 0.78)
# Elements that are rounded at a time: torch uses one thread for so many, and they fit a core's cache.
_AT_ONCE = 1 << 15
# Part of the mean moment that is added to each input's, so that rarely active inputs are not given arbitrary weights.
_DAMPING = 0.02


@torch.no_grad()
def round_weight(weight: Tensor, group_size: int, importance: Tensor | None = None) -> GroupedWeight:
    """Round each weight independently, without zero points.

    Args:
        weight: [out_features, in_features], float.
        group_size: weights to a scale; it divides in_features.
        importance: [in_features], mean squares of the inputs, by which errors are weighted; None: all the same.
    """
    rows, columns = weight.shape
    groups = columns // group_size
    codes = torch.empty(weight.shape, dtype=torch.uint8)
    scales = torch.empty(rows, groups, dtype=_scale_dtype(weight))
    counts = None if importance is None else _damped(importance.float()).view(1, groups, group_size).permute(2, 0, 1)

    def some(first: int) -> None:
        part = slice(first, first + step)
        values = weight[part].float().view(-1, groups, group_size).permute(2, 0, 1).contiguous()
        scale = _symmetric(values, counts, scales.dtype)
        codes[part] = (_rounded(values, scale, 8.0) + 8).to(torch.uint8).permute(1, 2, 0).flatten(1)
        scales[part] = scale

    step = max(1, _AT_ONCE // columns)
    with ThreadPoolExecutor(max(1, torch.get_num_threads())) as pool:
        list(pool.map(torch.no_grad()(some), range(0, rows, step)))
    return GroupedWeight(codes, 4, group_size, scales)


@torch.no_grad()
def round_for_inputs(weight: Tensor, group_size: int, moments: Tensor) -> GroupedWeight:
    """Round with zero points such that the layer's outputs change least.

    Args:
        weight: [out_features, in_features], float.
        group_size: weights to a scale and a zero point; it divides in_features.
        moments: [in_features, in_features] float32: the mean of x x^T over the layer's inputs x.
    """
    rows, columns = weight.shape
    left = weight.float().T.contiguous()  # the weights left to round, a row for each input
    codes = torch.empty(columns, rows, dtype=torch.uint8)
    scales = torch.empty(columns // group_size, rows, dtype=_scale_dtype(weight))
    zeros = torch.empty(columns // group_size, rows, dtype=torch.uint8)
    moments = moments.clone()
    moments.diagonal().copy_(_damped(moments.diagonal()))
    counts, carry = moments.diagonal().unsqueeze(1), _carry(moments)
    for group in range(columns // group_size):
        part = slice(group * group_size, (group + 1) * group_size)
        values, own = left[part], carry[part, part]
        scale, zero = _with_zero(values, counts[part], scales.dtype)
        scales[group], zeros[group] = scale, zero.to(torch.uint8)
        errors = torch.empty_like(values)
        for i in range(group_size):
            rounded = _rounded(values[i], scale, zero)
            codes[part.start + i] = (rounded + zero).to(torch.uint8)
            errors[i] = (values[i] - rounded * scale) / own[i, i]
            values[i + 1 :].addr_(own[i, i + 1 :], errors[i], alpha=-1)
        left[part.stop :].addmm_(carry[part, part.stop :].T, errors, alpha=-1)
    turned = (each.T.contiguous() for each in (codes, scales, zeros))
    return GroupedWeight(next(turned), 4, group_size, next(turned), next(turned))


def _symmetric(values: Tensor, counts: Tensor | None, dtype: torch.dtype) -> Tensor:
    """Find the scale of each group, [group_size, ..] -> [..], as float32 rounded to `dtype`."""
    high, low = values.amax(0), values.amin(0)
    largest = torch.where(high > -low, high, low)
    search = _Search(values, counts)
    for target in _LARGEST:
        search.add(_inverse(largest) * target, 8.0)
    return search.scale.to(dtype).float()


def _with_zero(values: Tensor, counts: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Find (scale, zero) of each group; the zero is an integer from 0 to 15."""
    high, low = values.amax(0).clamp_(min=0), values.amin(0).clamp_(max=0)
    search = _Search(values, counts)
    for part in _SPANS:
        inverse = 15 * _inverse((high - low) * part)
        zero = -low * part * inverse
        search.add(inverse, zero.floor())
        search.add(inverse, zero.ceil().clamp_(max=15))
    return search.scale.to(dtype).float(), search.zero


class _Search:
    """The best of several candidate roundings of the same groups.

    For codes q of values x with error weights w, the least-squares scale is sum(w x q) / sum(w q q), and it reduces the
    squared error by sum(w x q)^2 / sum(w q q).
    """

    def __init__(self, values: Tensor, counts: Tensor | None) -> None:
        self._values, self._counts = values, counts
        self._weighted = values if counts is None else values * counts
        self._gain = torch.zeros_like(values[0])
        self.scale, self.zero = torch.zeros_like(values[0]), torch.full_like(values[0], 8.0)

    def add(self, inverse: Tensor, zero: Tensor | float) -> None:
        """Try the codes round(values * inverse) + zero."""
        rounded = (self._values * inverse).round_().clamp_(-zero, 15 - zero)  # type: ignore[arg-type]
        along = (self._weighted * rounded).sum(0)
        square = rounded.square_() if self._counts is None else rounded.square_().mul_(self._counts)
        scale = along / square.sum(0).clamp_(min=1e-30)
        gain = along * scale
        better = gain > self._gain
        self._gain = torch.where(better, gain, self._gain)
        self.scale = torch.where(better, scale, self.scale)
        self.zero = torch.where(better, torch.as_tensor(zero), self.zero)


def _rounded(values: Tensor, scale: Tensor, zero: Tensor | float) -> Tensor:
    """Return the nearest codes minus the zero, as floats."""
    return (values * _inverse(scale)).round_().clamp_(-zero, 15 - zero)  # type: ignore[arg-type]


def _inverse(scale: Tensor) -> Tensor:
    """Return 1 / scale, and 0 for 0."""
    inverse: Tensor = torch.where(scale == 0, 0.0, 1.0 / scale)
    return inverse


def _damped(moments: Tensor) -> Tensor:
    """Add a part of the mean to each moment, so that none is 0."""
    damped: Tensor = moments + _DAMPING * moments.mean().clamp(min=1e-20)
    return damped


def _carry(moments: Tensor) -> Tensor:
    """Return the upper triangular U with U^T U = moments^-1; row i spreads column i's error over the later columns."""
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(moments))
    carry: Tensor = torch.linalg.cholesky(inverse, upper=True)
    return carry


def _scale_dtype(weight: Tensor) -> torch.dtype:
    """Choose float16 for its precision, or bfloat16 if tiny or huge weights need its range."""
    largest = float(weight.abs().amax())
    return torch.float16 if 2**-8 <= largest <= 2**15 else torch.bfloat16
