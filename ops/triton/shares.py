"""The division of a batch's chunks of keys among programs, found on the device from the sequences' lengths.

The host knows only shapes, and cannot see one long sequence among short ones. So each program of paged_attention reads
all lengths, divides the chunks of all tiles into shares of about the same size, and takes the share with its own
number. A chunk's result does not depend on the program that computes it.
"""

from __future__ import annotations

import triton
import triton.language as tl

from torchpaged.ops.triton.common import SEARCH_WIDTH

# Two programs run on a multiprocessor at a time; two more balance differences between them. In the model of
# evals/bench/roofline.py fewer leave slots idle where sequences do not divide evenly, and more begin too often.
PROGRAMS_PER_MULTIPROCESSOR = 4


@triton.jit
def _work(
    starts_ptr,
    lens_ptr,
    seq,
    num_seqs,
    num_tokens,
    max_keys,
    window,
    TOKENS: tl.constexpr,
    CHUNK: tl.constexpr,
    DECODES: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """Return each sequence's tiles, the first chunk that any of its rows sees, and the number of chunks from there."""
    there = seq < num_seqs
    start = tl.load(starts_ptr + seq, mask=there, other=0)
    end = tl.load(starts_ptr + seq + 1, mask=there, other=0)
    seq_len = tl.load(lens_ptr + seq, mask=there, other=0)
    tokens = tl.maximum(tl.minimum(end, num_tokens) - start, 0)
    tiles = (tokens == 1).to(tl.int32) if DECODES else (tokens + TOKENS - 1) // TOKENS
    first = tl.where(window > 0, tl.maximum(seq_len - (end - start) - window + 1, 0), 0) // CHUNK
    last = (tl.minimum(seq_len, max_keys) + CHUNK - 1) // CHUNK
    return tiles, first, tl.maximum(last - first, 1 if WHOLE else 0)


@triton.jit
def find_share(
    starts_ptr,
    lens_ptr,
    item,
    num_programs,
    num_splits,
    num_seqs,
    num_tokens,
    max_keys,
    window,
    TOKENS: tl.constexpr,
    CHUNK: tl.constexpr,
    DECODES: tl.constexpr,
    WHOLE: tl.constexpr = False,
):
    """Return (sequence, tile, first chunk, chunk after the last) of the `item`-th share; sequence -1 past the last.

    Each tile's chunks are divided into shares of about the same size, the same for all sequences: an equal part of all
    chunks for each of `num_programs`, or, where `num_splits` is not 0, that many shares of a tile. There are at most
    `num_programs` more shares than tiles. With DECODES, sequences of more than one new token have none.
    With WHOLE, a tile without chunks has a share too.
    """
    total = 0
    for first in range(0, num_seqs, SEARCH_WIDTH):
        seqs = first + tl.arange(0, SEARCH_WIDTH)
        tiles, _, chunks = _work(
            starts_ptr, lens_ptr, seqs, num_seqs, num_tokens, max_keys, window, TOKENS, CHUNK, DECODES, WHOLE
        )
        total += tl.sum(tiles * chunks, axis=0)
    quota = tl.maximum(tl.cdiv(total, num_programs), 1)
    found_seq, found_tile, found_begin, found_end = -1, 0, 0, 0
    before = 0
    for first in range(0, num_seqs, SEARCH_WIDTH):
        seqs = first + tl.arange(0, SEARCH_WIDTH)
        tiles, first_chunk, chunks = _work(
            starts_ptr, lens_ptr, seqs, num_seqs, num_tokens, max_keys, window, TOKENS, CHUNK, DECODES, WHOLE
        )
        shares = tl.where(num_splits > 0, tl.minimum(chunks, num_splits), (chunks + quota - 1) // quota)
        ends = before + tl.cumsum(tiles * shares, axis=0)
        rest = item - ends + tiles * shares
        here = (rest >= 0) & (item < ends)
        each = tl.maximum(shares, 1)
        share = rest % each
        # In vectors: as scalars, these expressions would take so many registers in paged_attention that it spills.
        found_seq += tl.sum(tl.where(here, seqs + 1, 0), axis=0)
        found_tile += tl.sum(tl.where(here, rest // each, 0), axis=0)
        found_begin += tl.sum(tl.where(here, first_chunk + share * chunks // each, 0), axis=0)
        found_end += tl.sum(tl.where(here, first_chunk + (share + 1) * chunks // each, 0), axis=0)
        before += tl.sum(tiles * shares, axis=0)
    return found_seq, found_tile, found_begin, found_end
