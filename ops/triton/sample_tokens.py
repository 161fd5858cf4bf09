"""sample_tokens: a token of each row, with noise that is computed where it is used.

There are always four launches, so that a CUDA graph can hold them: the maxima of parts of the rows; each row's limits,
in one program; the best draw of each part; the best of the parts. A row's limits are found by bisection over the bits
of its distances below the maximum, which are ordered as integers because they are 0 or more. A row without top-k and
top-p skips it.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.triton import common

# Logits that a program holds at once, and the most parts of a row.
TILE = 4096
MAX_PARTS = 64
# Programs for each multiprocessor that keep the memory busy.
OVERSUBSCRIPTION = 2

LARGEST = tl.constexpr(3.4028234663852886e38)
SMALLEST = tl.constexpr(1.1754943508222875e-38)
LARGEST_BITS = tl.constexpr(0x7F7FFFFF)


@triton.jit
def _splitmix64(x):
    x = (x ^ (x >> 30)) * tl.full((), 0xBF58476D1CE4E5B9, tl.uint64)
    x = (x ^ (x >> 27)) * tl.full((), 0x94D049BB133111EB, tl.uint64)
    return x ^ (x >> 31)


@triton.jit
def _mix32(x):
    """Apply C. Wellons' lowbias32."""
    x = (x ^ (x >> 16)) * tl.full((), 0x7FEB352D, tl.uint32)
    x = (x ^ (x >> 15)) * tl.full((), 0x846CA68B, tl.uint32)
    return x ^ (x >> 16)


@triton.jit
def _log(x, near):
    """Compute log(x) with Cephes' logf, or log(1 + near) where near is below 0, without rounding that sum."""
    bits = x.to(tl.int32, bitcast=True) - 0x3F3504F3
    exponent = (bits >> 23).to(tl.float32)
    r = ((bits & 0x7FFFFF) + 0x3F3504F3).to(tl.float32, bitcast=True) - 1.0
    exponent = tl.where(near < 0.0, 0.0, exponent)
    r = tl.where(near < 0.0, near, r)
    z = r * r
    p = 7.0376836292e-2 * r - 1.1514610310e-1
    p = p * r + 1.1676998740e-1
    p = p * r - 1.2420140846e-1
    p = p * r + 1.4249322787e-1
    p = p * r - 1.6668057665e-1
    p = p * r + 2.0000714765e-1
    p = p * r - 2.4999993993e-1
    p = p * r + 3.3333331174e-1
    y = p * r * z - 2.12194440e-4 * exponent
    y = y - 0.5 * z
    return r + y + 0.693359375 * exponent


@triton.jit
def _noise(tokens, seed, position):
    """Return a Gumbel variate for each token; see `torchpaged.ops.reference.token_noise`."""
    golden = tl.full((), 0x9E3779B97F4A7C15, tl.uint64)
    key = _splitmix64(_splitmix64(seed.to(tl.uint64) + golden) + position.to(tl.uint64) * golden)
    bits = _mix32(tokens.to(tl.uint32) ^ key.to(tl.uint32))
    bits = _mix32(bits ^ (key >> 32).to(tl.uint32))
    v = (bits >> 1).to(tl.int32).to(tl.float32) * 4.656612873077393e-10 + 2.3283064365386963e-10
    v = tl.minimum(v, 0.99999994039535522)
    exponential = -_log(1.0 - v, tl.where(v < 0.25, -v, 0.0))
    return -_log(exponential, exponential * 0.0)


@triton.jit
def _inverse(temperature):
    return tl.minimum(tl.maximum(tl.div_rn(1.0, temperature), SMALLEST), LARGEST)


@triton.jit
def _tile(logits_ptr, index, vocab_size, TILE: tl.constexpr):
    """Return the tokens and logits of a row's tile, -inf past the last one."""
    tokens = index * TILE + tl.arange(0, TILE)
    return tokens, tl.load(logits_ptr + tokens, mask=tokens < vocab_size, other=float("-inf")).to(tl.float32)


@triton.jit(do_not_specialize=("part_tiles",))
def _maximum_kernel(
    maxima_ptr, winners_ptr, logits_ptr, vocab_size, part_tiles, stride_logits, PARTS: tl.constexpr, TILE: tl.constexpr
):
    """Find the maximum of one part of a row and the first token that has it; NaN and -1 where there is a NaN."""
    row = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1)
    top = tl.full((), float("-inf"), tl.float32)
    winner = tl.full((), -1, tl.int32)
    nans = tl.full((), 0, tl.int32)
    for i in range(part_tiles):
        tokens, logits = _tile(logits_ptr + row * stride_logits, part * part_tiles + i, vocab_size, TILE)
        nans += tl.max((logits != logits).to(tl.int32), axis=0)
        logits = tl.where(logits != logits, float("-inf"), logits)
        most = tl.max(logits, axis=0)
        if most > top:
            top = most
            winner = tl.min(tl.where(logits == most, tokens, 0x7FFFFFFF), axis=0)
    tl.store(maxima_ptr + row * PARTS + part, tl.where(nans > 0, float("nan"), top))
    tl.store(winners_ptr + row * PARTS + part, tl.where(nans > 0, -1, winner))


@triton.jit
def _sum_below(logits_ptr, vocab_size, top, inverse, limit_bits, middle, by_mass, TILE: tl.constexpr):
    """Sum the tokens, or their weights, within the distance `middle`; those beyond `limit_bits` never count."""
    total = tl.full((), 0.0, tl.float64)
    for i in range(tl.cdiv(vocab_size, TILE)):
        _, logits = _tile(logits_ptr, i, vocab_size, TILE)
        distance = top - logits
        inside = distance.to(tl.int32, bitcast=True) <= tl.minimum(limit_bits, middle)
        weights = tl.where(by_mass, tl.exp(-distance * inverse), 1.0)
        total += tl.sum(tl.where(inside, weights, 0.0), axis=0).to(tl.float64)
    return total


@triton.jit
def _limits_kernel(
    limits_ptr,
    out_ptr,
    maxima_ptr,
    winners_ptr,
    logits_ptr,
    temperature_ptr,
    top_k_ptr,
    top_p_ptr,
    vocab_size,
    stride_logits,
    PARTS: tl.constexpr,
    TILE: tl.constexpr,
):
    """Find a row's maximum, its token if there is no draw (else -2), and the largest distance that is kept."""
    row = tl.program_id(0).to(tl.int64)
    parts = tl.arange(0, PARTS)
    maxima = tl.load(maxima_ptr + row * PARTS + parts)
    winners = tl.load(winners_ptr + row * PARTS + parts)
    nans = tl.max((maxima != maxima).to(tl.int32), axis=0)
    top = tl.max(tl.where(maxima != maxima, float("-inf"), maxima), axis=0)
    winner = tl.min(tl.where((maxima == top) & (winners >= 0), winners, 0x7FFFFFFF), axis=0)
    temperature = tl.load(temperature_ptr + row)
    drawn = (temperature > 0.0) & (top < float("inf"))
    nothing = (nans > 0) | (top == float("-inf"))
    tl.store(out_ptr + row, tl.where(nothing, -1, tl.where(drawn, -2, winner)).to(tl.int64))
    tl.store(limits_ptr + row * 2, top)
    limit = tl.full((), LARGEST_BITS, tl.int32)
    if drawn & (nothing == 0):
        logits_ptr += row * stride_logits
        inverse = _inverse(temperature)
        top_k = tl.load(top_k_ptr + row)
        top_p = tl.load(top_p_ptr + row)
        # First the k-th distance, then the first distance at which the weights within the k-th reach top_p.
        for by_mass in range(2):
            wanted = tl.where(by_mass > 0, top_p < 1.0, (top_k > 0) & (top_k < vocab_size))
            if wanted:
                goal = top_k.to(tl.float64)
                if by_mass > 0:
                    whole = _sum_below(logits_ptr, vocab_size, top, inverse, limit, limit, True, TILE)
                    goal = top_p.to(tl.float64) * whole
                low = tl.full((), 0, tl.int32)
                high = limit
                while low < high:
                    middle = low + (high - low) // 2
                    total = _sum_below(logits_ptr, vocab_size, top, inverse, limit, middle, by_mass > 0, TILE)
                    if total >= goal:
                        high = middle
                    else:
                        low = middle + 1
                limit = high
    tl.store(limits_ptr + row * 2 + 1, limit.to(tl.float32, bitcast=True))


@triton.jit(do_not_specialize=("part_tiles",))
def _draw_kernel(
    values_ptr,
    winners_ptr,
    out_ptr,
    limits_ptr,
    logits_ptr,
    temperature_ptr,
    min_p_ptr,
    seeds_ptr,
    positions_ptr,
    vocab_size,
    part_tiles,
    stride_logits,
    PARTS: tl.constexpr,
    TILE: tl.constexpr,
):
    """Find the best draw of one part of a row and its token."""
    row = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1)
    if tl.load(out_ptr + row) != -2:
        return
    top = tl.load(limits_ptr + row * 2)
    limit = tl.load(limits_ptr + row * 2 + 1)
    inverse = _inverse(tl.load(temperature_ptr + row))
    min_p = tl.load(min_p_ptr + row)
    farthest = tl.where(min_p > 0.0, tl.maximum(-tl.log(min_p), 0.0), float("inf"))
    seed = tl.load(seeds_ptr + row)
    position = tl.load(positions_ptr + row)
    best = tl.full((), float("-inf"), tl.float32)
    winner = tl.full((), 0x7FFFFFFF, tl.int32)
    for i in range(part_tiles):
        tokens, logits = _tile(logits_ptr + row * stride_logits, part * part_tiles + i, vocab_size, TILE)
        distance = top - logits
        scaled = distance * inverse
        kept = (distance <= limit) & (scaled <= farthest)
        value = tl.where(kept, _noise(tokens, seed, position) - scaled, float("-inf"))
        most = tl.max(value, axis=0)
        if most > best:
            best = most
            winner = tl.min(tl.where(value == most, tokens, 0x7FFFFFFF), axis=0)
    tl.store(values_ptr + row * PARTS + part, best)
    tl.store(winners_ptr + row * PARTS + part, winner)


@triton.jit
def _choose_kernel(out_ptr, values_ptr, winners_ptr, PARTS: tl.constexpr):
    """Choose the best of a row's parts."""
    row = tl.program_id(0).to(tl.int64)
    if tl.load(out_ptr + row) != -2:
        return
    parts = tl.arange(0, PARTS)
    values = tl.load(values_ptr + row * PARTS + parts)
    winners = tl.load(winners_ptr + row * PARTS + parts)
    best = tl.max(values, axis=0)
    tl.store(out_ptr + row, tl.min(tl.where(values == best, winners, 0x7FFFFFFF), axis=0).to(tl.int64))


def sample_tokens(
    logits: Tensor,
    temperature: Tensor,
    top_k: Tensor,
    top_p: Tensor,
    min_p: Tensor,
    seeds: Tensor,
    positions: Tensor,
    out: Tensor,
) -> None:
    """Launch the kernels; see `torchpaged.ops.reference.sample_tokens`."""
    num_rows, vocab_size = logits.shape
    if num_rows == 0:
        return
    tile = min(TILE, common.power_of_two(vocab_size))
    wanted = OVERSUBSCRIPTION * common.multiprocessors(logits.device) // num_rows
    parts = triton.next_power_of_2(min(MAX_PARTS, triton.cdiv(vocab_size, tile), max(1, wanted)))
    part_tiles = triton.cdiv(triton.cdiv(vocab_size, parts), tile)
    values = logits.new_empty((num_rows, parts), dtype=torch.float32)
    winners = logits.new_empty((num_rows, parts), dtype=torch.int32)
    limits = logits.new_empty((num_rows, 2), dtype=torch.float32)
    stride = logits.stride(0)
    constants = {"PARTS": parts, "TILE": tile, "num_warps": 8, **common.at_most_registers(logits.device, 128)}
    _maximum_kernel[(num_rows, parts)](values, winners, logits, vocab_size, part_tiles, stride, **constants)
    _limits_kernel[(num_rows,)](
        limits, out, values, winners, logits, temperature, top_k, top_p, vocab_size, stride, **constants
    )
    _draw_kernel[(num_rows, parts)](
        values,
        winners,
        out,
        limits,
        logits,
        temperature,
        min_p,
        seeds,
        positions,
        vocab_size,
        part_tiles,
        stride,
        **constants,
    )
    _choose_kernel[(num_rows,)](out, values, winners, PARTS=parts, num_warps=1)
