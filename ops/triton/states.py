"""Parts that the recurrent operators' kernels share: a sequence's rows, its tables' entries, small functions.

`torchpaged.ops.recurrent_reference` defines states, tails and their tables. A program takes one sequence's new tokens
in order. An additional last sequence stands for the padding rows: it has no tokens, and its rows become 0.
"""

from __future__ import annotations

import triton
import triton.language as tl

# Arguments that differ from step to step, whose values must not select another compilation.
VARYING = (
    "num_seqs",
    "num_tokens",
    "num_slots",
    "num_tails",
    "states_wide",
    "tails_wide",
    "stride_state_tables",
    "stride_tail_tables",
)


@triton.jit
def rows_of(sequence, lens_ptr, starts_ptr, num_seqs, num_tokens):
    """Return (begin, end, first, length): packed rows [begin, end), whose last rows have positions [first, length).

    Rows before those have no position. `sequence` may be num_seqs: the padding rows.
    """
    known = sequence < num_seqs
    begin = tl.load(starts_ptr + sequence)
    end = tl.load(starts_ptr + sequence + 1, mask=known, other=num_tokens)
    end = tl.minimum(end, num_tokens)
    length = tl.load(lens_ptr + sequence, mask=known, other=0)
    length = tl.maximum(length, 0)
    first = tl.minimum(length, tl.maximum(0, length - (end - begin)))
    return begin, end, first, length


@triton.jit
def entry(tables_ptr, stride, sequence, k, width, num_slots):
    """Return the slot that a table names, 64-bit; the null slot beyond its width and for slots outside of the pool."""
    known = (k >= 0) & (k < width)
    place = tables_ptr + sequence.to(tl.int64) * stride + k
    slot = tl.load(place, mask=known, other=0)
    in_pool = (slot >= 0) & (slot < num_slots)
    tl.device_assert(in_pool, "state_tables or tail_tables has a slot that is not in the cache")
    return tl.where(in_pool, slot, 0).to(tl.int64)


@triton.jit
def clear(out_ptr, begin, end, stride, columns, valid, ROWS: tl.constexpr):
    """Write 0 to these columns of rows [begin, end)."""
    for at in range(begin, end, ROWS):
        row = at + tl.arange(0, ROWS)
        place = out_ptr + row.to(tl.int64)[:, None] * stride + columns[None, :]
        mask = (row < end)[:, None] & valid[None, :]
        tl.store(place, tl.zeros([ROWS, columns.shape[0]], dtype=out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def softplus(x):
    """Compute log(1 + exp(x)) to float32's precision, which the hardware's logarithm does not have near 1.

    log(1 + z) = 2 artanh(s), s = z / (2 + z); for z in (0, 1] the ninth term of the series is below 1e-8.
    """
    z = tl.exp(-tl.abs(x))
    s = z / (2.0 + z)
    t = s * s
    series = t / 15.0 + 1.0 / 13.0
    series = series * t + 1.0 / 11.0
    series = series * t + 1.0 / 9.0
    series = series * t + 1.0 / 7.0
    series = series * t + 1.0 / 5.0
    series = series * t + 1.0 / 3.0
    return tl.maximum(x, 0.0) + 2.0 * s * (1.0 + t * series)
