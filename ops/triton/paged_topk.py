"""paged_topk: one kernel scores the rows of the index for some tokens; torch reduces the scores and chooses.

A score and a position become one integer, and no two are equal: so what torch chooses does not depend on how it does.
Tokens are taken a few at a time, so that their scores fit into a workspace.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchpaged.ops.token_positions import token_positions
from torchpaged.ops.triton import common
from torchpaged.ops.triton.common import NO_SCALE, PLAIN, SCALE_PER_TOKEN, decode

# Scores of some tokens take at most so many bytes, and their integers twice as many more.
WORKSPACE_BYTES = 128 << 20
# Numbers of a row that are multiplied at once; those of an 8-bit index become float32, which takes registers.
TILE, FLOAT_TILE = 64, 32
# Rows of the index that a program scores.
ROWS = tl.constexpr(64)


@triton.jit(do_not_specialize=("begin", "num_tokens", "num_blocks", "max_blocks", "width", "stride_table"))
def _score_kernel(
    scores_ptr,  # [tokens of this launch, selections, width] float32
    query_ptr,
    weights_ptr,
    index_ptr,
    table_ptr,
    token_ptr,  # [2, tokens]: a token's sequence, and the rows that it sees
    scale_ptr,
    scale,
    begin,
    num_tokens,
    num_blocks,
    max_blocks,
    width,
    stride_q_t,
    stride_q_h,
    stride_w_t,
    stride_w_h,
    stride_b,
    stride_r,
    stride_h,
    stride_table,
    stride_s_b,
    stride_s_r,
    stride_s_h,
    HEADS: tl.constexpr,  # of a selection
    SELECTIONS: tl.constexpr,
    GROUP: tl.constexpr,  # heads for each head of the index
    BLOCK_ROWS: tl.constexpr,
    DIM: tl.constexpr,  # numbers of a query
    TILE: tl.constexpr,  # of them at a time
    KIND: tl.constexpr,
    NATIVE_FLOAT8: tl.constexpr,
    SCALE: tl.constexpr,
    RELU: tl.constexpr,
    BOUNDS: tl.constexpr,
    WEIGHTS: tl.constexpr,
    STEP: tl.constexpr,  # heads of a product, which share a head of the index
    BLOCK_H: tl.constexpr,  # room for them
):
    """Score ROWS rows of the index for one token and selection."""
    token = begin + tl.program_id(0).to(tl.int64)
    selection = tl.program_id(1)
    row = tl.program_id(2) * ROWS + tl.arange(0, ROWS)
    target = scores_ptr + (tl.program_id(0).to(tl.int64) * SELECTIONS + selection) * width + row
    seen = row < tl.load(token_ptr + num_tokens + token)
    if tl.max(seen.to(tl.int32), axis=0) == 0:
        tl.store(target, tl.full([ROWS], float("-inf"), tl.float32), mask=row < width)
        return
    sequence = tl.load(token_ptr + token).to(tl.int64)
    logical = tl.minimum(row // BLOCK_ROWS, max_blocks - 1)
    block = tl.load(table_ptr + sequence * stride_table + logical, mask=seen, other=0)
    there = (block >= 0) & (block < num_blocks)
    tl.device_assert(there, "paged_topk: block_tables has a block that is not in the cache", mask=seen)
    block = tl.minimum(tl.maximum(block, 0), num_blocks - 1).to(tl.int64)
    offset = (row % BLOCK_ROWS).to(tl.int64)
    DTYPE: tl.constexpr = tl.float32 if KIND != PLAIN else query_ptr.dtype.element_ty
    total = tl.zeros([ROWS], tl.float32)
    if not WEIGHTS:
        total = tl.full([ROWS], float("-inf"), tl.float32)
    valid = tl.arange(0, BLOCK_H) < STEP
    for first in range(0, HEADS, STEP):
        head = selection * HEADS + first + tl.arange(0, BLOCK_H)
        index_head = (selection * HEADS + first) // GROUP
        place = index_ptr + block * stride_b + offset * stride_r + index_head * stride_h
        products = tl.zeros([BLOCK_H, ROWS], tl.float32)
        for start in range(0, DIM, TILE):
            dim = start + tl.arange(0, TILE)
            q_mask = valid[:, None] & (dim < DIM)[None, :]
            q_row = query_ptr + token * stride_q_t + head.to(tl.int64) * stride_q_h
            q = tl.load(q_row[:, None] + dim[None, :], mask=q_mask, other=0.0)
            q = q.to(DTYPE)
            mask = seen[:, None] & (dim < DIM)[None, :]
            keys = decode(tl.load(place[:, None] + dim[None, :], mask=mask, other=0), KIND, NATIVE_FLOAT8, DTYPE)
            if BOUNDS:  # the lower bounds first
                upper = decode(
                    tl.load(place[:, None] + DIM + dim[None, :], mask=mask, other=0), KIND, NATIVE_FLOAT8, DTYPE
                )
                zeros = tl.zeros_like(q)
                products = tl.dot(tl.where(q < 0, q, zeros), tl.trans(keys), products, input_precision="ieee")
                products = tl.dot(tl.where(q < 0, zeros, q), tl.trans(upper), products, input_precision="ieee")
            else:
                products = tl.dot(q, tl.trans(keys), products, input_precision="ieee")
        products = products * scale
        if SCALE == SCALE_PER_TOKEN:
            factor = tl.load(scale_ptr + block * stride_s_b + offset * stride_s_r + index_head * stride_s_h, mask=seen)
            products = products * factor[None, :]
        elif SCALE != NO_SCALE:
            products = products * tl.load(scale_ptr + index_head * stride_s_h)
        if RELU:
            products = tl.where(products < 0.0, 0.0, products)
        if WEIGHTS:
            weight = tl.load(weights_ptr + token * stride_w_t + head * stride_w_h, mask=valid, other=0.0)
            products = tl.where(valid[:, None], products * weight.to(tl.float32)[:, None], 0.0)
            total += tl.sum(products, axis=0)
        else:
            wrong = tl.max((valid[:, None] & (products != products)).to(tl.int32), axis=0) != 0
            best = tl.max(tl.where(valid[:, None] & (products == products), products, float("-inf")), axis=0)
            total = tl.where(wrong | (total != total), float("nan"), tl.maximum(total, best))
    tl.store(target, tl.where(seen, total, float("-inf")), mask=row < width)


def paged_topk(
    index_query: Tensor,
    index_weights: Tensor | None,
    index_cache: Tensor,
    block_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
    k: int,
    out: Tensor,
    *,
    rule: str,
    granularity: int,
    num_selections: int,
    initial: int,
    local: int,
    tokens_per_row: int,
    scale: float,
    index_scale: Tensor | None,
) -> None:
    """Launch the kernel and choose; see `torchpaged.ops.reference.paged_topk`."""
    num_tokens, num_heads, dim = index_query.shape
    num_blocks, block_rows, index_heads, _ = index_cache.shape
    out.fill_(-1)
    size = granularity // tokens_per_row
    width = block_tables.shape[1] * block_rows
    if num_tokens == 0 or width == 0:
        return
    tokens = token_positions(seq_lens, query_start_loc, num_tokens)
    rows = torch.where(tokens.position >= 0, tokens.position // tokens_per_row + 1, 0).clamp(max=width)
    columns = torch.stack([tokens.sequence, rows]).to(torch.int32)
    heads, group = num_heads // num_selections, num_heads // index_heads
    # A product takes heads of one selection and one head of the index.
    together = heads if group % heads == 0 else group if heads % group == 0 else 1
    step = next(each for each in range(min(together, 32), 0, -1) if together % each == 0)
    scale_in, scaled, scale_strides = common.scale_arguments(index_scale, seq_lens)
    weights = seq_lens[:, None] if index_weights is None else index_weights
    slots = max(1, WORKSPACE_BYTES // (4 * num_selections * width))
    for begin in range(0, num_tokens, slots):
        count = min(slots, num_tokens - begin)
        scores = torch.empty((count, num_selections, width), dtype=torch.float32, device=out.device)
        _score_kernel[(count, num_selections, triton.cdiv(width, ROWS.value))](
            scores,
            index_query,
            weights,
            common.raw(index_cache),
            block_tables,
            columns,
            scale_in,
            scale,
            begin,
            num_tokens,
            num_blocks,
            block_tables.shape[1],
            width,
            index_query.stride(0),
            index_query.stride(1),
            weights.stride(0),
            weights.stride(1),
            *index_cache.stride()[:3],
            block_tables.stride(0),
            *scale_strides,
            HEADS=heads,
            SELECTIONS=num_selections,
            GROUP=group,
            BLOCK_ROWS=block_rows,
            DIM=dim,
            TILE=min(TILE if index_cache.itemsize == 2 else FLOAT_TILE, common.power_of_two(dim)),
            KIND=common.kind(index_cache),
            NATIVE_FLOAT8=common.native_float8(out.device),
            SCALE=scaled,
            RELU=rule == "relu",
            BOUNDS=rule == "bounds",
            WEIGHTS=index_weights is not None,
            STEP=step,
            BLOCK_H=common.power_of_two(step),
            num_warps=4,
            # Without it ptxas spills a few bytes to fit more programs on a multiprocessor.
            **common.at_most_registers(out.device, 255),
            **common.checked(),
        )
        position = tokens.position[begin : begin + count]
        _choose(scores, position, out[begin : begin + count], k, granularity, size, initial, local)


def _choose(
    scores: Tensor, position: Tensor, out: Tensor, k: int, granularity: int, size: int, initial: int, local: int
) -> None:
    """Write the best groups of some tokens, whose scores of rows are -inf where a token does not see them."""
    scores = torch.nn.functional.pad(scores, (0, -scores.shape[-1] % size), value=-torch.inf)
    scores = scores.unflatten(-1, (-1, size)).amax(-1)
    scores = scores.masked_fill(scores.isnan(), -torch.inf) + 0.0  # 0 for -0
    group = torch.arange(scores.shape[-1], device=scores.device)
    own = torch.where(position >= 0, position // granularity, -1)[:, None, None]
    scores = scores.masked_fill((group < initial) | (group > own - local), torch.inf)
    bits = scores.view(torch.int32).long()
    # The order of the scores, then that of the positions: the lower one is the greater.
    ordered = torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    keys = (ordered << 32) | (0x7FFFFFFF - group)
    keys = torch.where(group <= own, keys, torch.iinfo(torch.int64).min)
    best = keys.topk(min(k, keys.shape[-1]), dim=-1, sorted=True).values
    chosen = torch.where(best == torch.iinfo(torch.int64).min, -1, 0x7FFFFFFF - (best & 0x7FFFFFFF))
    out[..., : chosen.shape[-1]] = chosen.to(out.dtype)
