"""Prototype: the FOLD launch of torchpaged's paged attention as a warp-specialised Gluon kernel for sm_90.

Two consumer warpgroups of 64 rows each, one producer warp that fetches blocks of 16 tokens by TMA.
The arithmetic of a row is that of ops/triton/paged_attention.py: tiles of BLOCK_N, chunks of CHUNK folded in order.
"""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_init, warpgroup_mma_wait,
)

barrier = getattr(gl, "barrier", None) or gl.thread_barrier  # Triton 3.7, 3.6
LOG2E = gl.constexpr(1.4426950408889634)
LN2 = gl.constexpr(0.6931471805599453)


@gluon.jit
def _find_sequence(starts_ptr, num_seqs, position, TOKENS: gl.constexpr, L: gl.constexpr):
    count = 0
    for first in range(0, num_seqs + 1, 256):
        i = first + gl.arange(0, 256, layout=L)
        start = gl.load(starts_ptr + i, mask=i <= num_seqs, other=0)
        begin = start // TOKENS + i
        count += gl.sum(((begin <= position) & (i <= num_seqs)).to(gl.int32), axis=0)
    return count - 1


@gluon.jit
def _page_row(
    table_row, first, P: gl.constexpr, num_blocks, max_blocks, BLOCK_SIZE: gl.constexpr, BOX: gl.constexpr,
    PAGES: gl.constexpr,
):
    """Row of the cache where the tile's page P begins; the loads of all pages start before one is used."""
    row = 0
    if P < PAGES:
        key = first + P * BOX
        block = gl.load(table_row + gl.minimum(key // BLOCK_SIZE, max_blocks - 1))
        row = gl.minimum(gl.maximum(block, 0), num_blocks - 1) * BLOCK_SIZE + key % BLOCK_SIZE
    return row


@gluon.jit
def _producer(
    k_desc, v_desc, table_row, column, key_begin, key_end, num_blocks, max_blocks,
    k_smem, v_smem, k_full, k_empty, v_full, v_empty,
    BLOCK_SIZE: gl.constexpr, BOX: gl.constexpr, BLOCK_N: gl.constexpr, HEAD_DIM: gl.constexpr, STAGES: gl.constexpr,
):
    BYTES: gl.constexpr = BLOCK_N * HEAD_DIM * 2
    PAGES: gl.constexpr = BLOCK_N // BOX
    i = 0
    for first in range(key_begin, key_end, BLOCK_N):
        stage = i % STAGES
        phase = (i // STAGES) & 1
        r0 = _page_row(table_row, first, 0, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r1 = _page_row(table_row, first, 1, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r2 = _page_row(table_row, first, 2, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r3 = _page_row(table_row, first, 3, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r4 = _page_row(table_row, first, 4, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r5 = _page_row(table_row, first, 5, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r6 = _page_row(table_row, first, 6, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        r7 = _page_row(table_row, first, 7, num_blocks, max_blocks, BLOCK_SIZE, BOX, PAGES)
        rows = (r0, r1, r2, r3, r4, r5, r6, r7)
        mbarrier.wait(k_empty.index(stage), phase ^ 1)
        mbarrier.expect(k_full.index(stage), BYTES)
        for p in gl.static_range(PAGES):
            tma.async_copy_global_to_shared(
                k_desc, [rows[p], column], k_full.index(stage), k_smem.index(stage).slice(p * BOX, BOX)
            )
        mbarrier.wait(v_empty.index(stage), phase ^ 1)
        mbarrier.expect(v_full.index(stage), BYTES)
        for p in gl.static_range(PAGES):
            tma.async_copy_global_to_shared(
                v_desc, [rows[p], column], v_full.index(stage), v_smem.index(stage).slice(p * BOX, BOX)
            )
        i += 1


@gluon.jit
def _fold(total_max, part_max):
    top = gl.maximum(total_max, part_max)
    finite = gl.where(top == float("-inf"), 0.0, top)
    return gl.exp2(total_max - finite), gl.exp2(part_max - finite), top


@gluon.jit
def _softmax(scores, row_max, row_sum, score_scale, first, stop, q_pos, MASKED: gl.constexpr, FMA: gl.constexpr,
             BLOCK_N: gl.constexpr, S: gl.constexpr):
    """Weights of a tile, and what the running state becomes."""
    if not FMA:
        scores = scores * score_scale
    if MASKED:
        key = first + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(0, S))
        seen = (key < stop)[None, :] & (key[None, :] <= q_pos[:, None])
        scores = gl.where(seen, scores, float("-inf"))
    if FMA:
        top = gl.maximum(row_max, gl.max(scores, axis=1) * score_scale)
        finite = gl.where(top == float("-inf"), 0.0, top)
        sc = gl.full_like(scores, 0.0) + score_scale
        weights = gl.exp2(gl.fma(scores, sc, (0.0 - finite)[:, None] + gl.full_like(scores, 0.0)))
    else:
        top = gl.maximum(row_max, gl.max(scores, axis=1))
        finite = gl.where(top == float("-inf"), 0.0, top)
        weights = gl.exp2(scores - finite[:, None])
    shrink = gl.exp2(row_max - finite)
    row_sum = row_sum * shrink + gl.sum(weights, axis=1)
    return weights, shrink, top, row_sum


@gluon.jit
def _turn_wait(turn, i, W: gl.constexpr, PINGPONG: gl.constexpr):
    if PINGPONG:
        mbarrier.wait(turn.index(W), (i & 1) ^ (1 - W))


@gluon.jit
def _turn_pass(turn, W: gl.constexpr, PINGPONG: gl.constexpr):
    if PINGPONG:
        mbarrier.arrive(turn.index(1 - W))


@gluon.jit
def _simple_tile(
    i, first, stop, q_pos, score_scale, row_max, row_sum, acc,
    q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn,
    W: gl.constexpr, MASKED: gl.constexpr, FMA: gl.constexpr, PINGPONG: gl.constexpr,
    BLOCK_N: gl.constexpr, HEAD_DIM: gl.constexpr, STAGES: gl.constexpr,
    S: gl.constexpr, O: gl.constexpr,
):
    stage = i % STAGES
    phase = (i // STAGES) & 1
    mbarrier.wait(k_full.index(stage), phase)
    _turn_wait(turn, i, W, PINGPONG)
    s = warpgroup_mma(q, k_smem.index(stage).permute((1, 0)), gl.zeros([64, BLOCK_N], gl.float32, layout=S), use_acc=False, is_async=True)
    _turn_pass(turn, W, PINGPONG)
    scores = warpgroup_mma_wait(num_outstanding=0, deps=(s,))
    mbarrier.arrive(k_empty.index(stage))
    weights, shrink, row_max, row_sum = _softmax(
        scores, row_max, row_sum, score_scale, first, stop, q_pos, MASKED, FMA, BLOCK_N, S
    )
    acc = acc * gl.convert_layout(shrink, gl.SliceLayout(1, O))[:, None]
    p = gl.convert_layout(weights.to(gl.bfloat16), gl.DotOperandLayout(0, O, 2))
    mbarrier.wait(v_full.index(stage), phase)
    a = warpgroup_mma(p, v_smem.index(stage), acc, is_async=True)
    acc = warpgroup_mma_wait(num_outstanding=0, deps=(a,))
    mbarrier.arrive(v_empty.index(stage))
    return row_max, row_sum, acc


@gluon.jit
def _overlapped_tile(
    i, first, stop, q_pos, score_scale, row_max, row_sum, acc, p,
    q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn,
    scratch, PIN: gl.constexpr,
    W: gl.constexpr, MASKED: gl.constexpr, FMA: gl.constexpr, PINGPONG: gl.constexpr,
    BLOCK_N: gl.constexpr, HEAD_DIM: gl.constexpr, STAGES: gl.constexpr,
    S: gl.constexpr, O: gl.constexpr,
):
    """Q K of tile i and P V of tile i - 1 go out together; the softmax of i runs beside the latter."""
    stage = i % STAGES
    phase = (i // STAGES) & 1
    before = (i - 1) % STAGES
    before_phase = ((i - 1) // STAGES) & 1
    mbarrier.wait(k_full.index(stage), phase)
    _turn_wait(turn, i, W, PINGPONG)
    s = warpgroup_mma(q, k_smem.index(stage).permute((1, 0)), gl.zeros([64, BLOCK_N], gl.float32, layout=S), use_acc=False, is_async=True)
    mbarrier.wait(v_full.index(before), before_phase)
    a = warpgroup_mma(p, v_smem.index(before), acc, is_async=True)
    _turn_pass(turn, W, PINGPONG)
    scores = warpgroup_mma_wait(num_outstanding=1, deps=(s,))
    mbarrier.arrive(k_empty.index(stage))
    weights, shrink, row_max, row_sum = _softmax(
        scores, row_max, row_sum, score_scale, first, stop, q_pos, MASKED, FMA, BLOCK_N, S
    )
    p = gl.convert_layout(weights.to(gl.bfloat16), gl.DotOperandLayout(0, O, 2))
    if PIN:
        scratch.store(row_sum)
    # The weights pass through the wait: ptxas would compute them behind it, where nothing runs beside them.
    acc, p = warpgroup_mma_wait(num_outstanding=0, deps=(a, p))
    mbarrier.arrive(v_empty.index(before))
    acc = acc * gl.convert_layout(shrink, gl.SliceLayout(1, O))[:, None]
    return row_max, row_sum, acc, p


@gluon.jit
def _first_tile(
    i, first, stop, q_pos, score_scale, row_max, row_sum,
    q, k_smem, k_full, k_empty, turn,
    W: gl.constexpr, FMA: gl.constexpr, PINGPONG: gl.constexpr,
    BLOCK_N: gl.constexpr, STAGES: gl.constexpr, S: gl.constexpr, O: gl.constexpr,
):
    stage = i % STAGES
    phase = (i // STAGES) & 1
    mbarrier.wait(k_full.index(stage), phase)
    _turn_wait(turn, i, W, PINGPONG)
    s = warpgroup_mma(q, k_smem.index(stage).permute((1, 0)), gl.zeros([64, BLOCK_N], gl.float32, layout=S), use_acc=False, is_async=True)
    _turn_pass(turn, W, PINGPONG)
    scores = warpgroup_mma_wait(num_outstanding=0, deps=(s,))
    mbarrier.arrive(k_empty.index(stage))
    weights, shrink, row_max, row_sum = _softmax(
        scores, row_max, row_sum, score_scale, first, stop, q_pos, True, FMA, BLOCK_N, S
    )
    p = gl.convert_layout(weights.to(gl.bfloat16), gl.DotOperandLayout(0, O, 2))
    return row_max, row_sum, p


@gluon.jit
def _boundary_tile(
    i, first, stop, q_pos, score_scale, acc, p,
    q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn,
    scratch, PIN: gl.constexpr,
    W: gl.constexpr, FMA: gl.constexpr, PINGPONG: gl.constexpr,
    BLOCK_N: gl.constexpr, STAGES: gl.constexpr, S: gl.constexpr, O: gl.constexpr,
):
    """Q K of a chunk's first tile beside P V of the last tile of the chunk before it, whose accumulator it returns."""
    stage = i % STAGES
    phase = (i // STAGES) & 1
    before = (i - 1) % STAGES
    before_phase = ((i - 1) // STAGES) & 1
    mbarrier.wait(k_full.index(stage), phase)
    _turn_wait(turn, i, W, PINGPONG)
    s = warpgroup_mma(q, k_smem.index(stage).permute((1, 0)), gl.zeros([64, BLOCK_N], gl.float32, layout=S), use_acc=False, is_async=True)
    mbarrier.wait(v_full.index(before), before_phase)
    a = warpgroup_mma(p, v_smem.index(before), acc, is_async=True)
    _turn_pass(turn, W, PINGPONG)
    scores = warpgroup_mma_wait(num_outstanding=1, deps=(s,))
    mbarrier.arrive(k_empty.index(stage))
    row_max = gl.full([64], float("-inf"), gl.float32, layout=gl.SliceLayout(1, S))
    row_sum = gl.full([64], 0.0, gl.float32, layout=gl.SliceLayout(1, S))
    weights, shrink, row_max, row_sum = _softmax(
        scores, row_max, row_sum, score_scale, first, stop, q_pos, True, FMA, BLOCK_N, S
    )
    p = gl.convert_layout(weights.to(gl.bfloat16), gl.DotOperandLayout(0, O, 2))
    if PIN:
        scratch.store(row_sum)
    acc, p = warpgroup_mma_wait(num_outstanding=0, deps=(a, p))
    mbarrier.arrive(v_empty.index(before))
    return row_max, row_sum, acc, p


@gluon.jit
def _last_product(i, first, stop, acc, p, v_smem, v_full, v_empty, STAGES: gl.constexpr, BLOCK_N: gl.constexpr,
                  HEAD_DIM: gl.constexpr):
    before = (i - 1) % STAGES
    before_phase = ((i - 1) // STAGES) & 1
    mbarrier.wait(v_full.index(before), before_phase)
    if first + BLOCK_N > stop:
        # A block's rows past the last key may hold anything, and 0 * NaN is NaN. Both consumers write the same.
        VL: gl.constexpr = gl.BlockedLayout([1, 8], [2, 16], [4, 1], [1, 0])
        key = first + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(1, VL))
        v = v_smem.index(before).load(VL)
        v_smem.index(before).store(gl.where((key < stop)[:, None], v, 0.0))
        fence_async_shared()
        barrier()
    a = warpgroup_mma(p, v_smem.index(before), acc, is_async=True)
    acc = warpgroup_mma_wait(num_outstanding=0, deps=(a,))
    mbarrier.arrive(v_empty.index(before))
    return acc


@gluon.jit
def _consumer(
    query_ptr, out_ptr, lse_ptr, first_token, tokens_end, first_head, start, context, key_begin, key_end, seen_by_all,
    scale, stride_q_t, stride_q_h, stride_out_t, stride_out_h,
    q_smem, total_smem, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn, scratch, PIN: gl.constexpr,
    W: gl.constexpr, NUM_HEADS: gl.constexpr, GROUP: gl.constexpr, HEAD_DIM: gl.constexpr, BLOCK_N: gl.constexpr,
    CHUNK: gl.constexpr, STAGES: gl.constexpr, OVERLAP: gl.constexpr, PINGPONG: gl.constexpr, FMA: gl.constexpr,
    FOLDS: gl.constexpr, WITH_LSE: gl.constexpr, QREG: gl.constexpr, CHAIN: gl.constexpr,
):
    S: gl.constexpr = gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, BLOCK_N, 16])
    O: gl.constexpr = gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, HEAD_DIM, 16])
    R: gl.constexpr = gl.SliceLayout(1, S)
    RO: gl.constexpr = gl.SliceLayout(1, O)
    QL: gl.constexpr = gl.BlockedLayout([1, 8], [2, 16], [4, 1], [1, 0])

    rows_q = W * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, QL))
    dim_q = gl.arange(0, HEAD_DIM, layout=gl.SliceLayout(0, QL))
    token_q = first_token + rows_q // GROUP
    valid_q = token_q < tokens_end
    q_row = query_ptr + token_q.to(gl.int64) * stride_q_t + (first_head + rows_q % GROUP) * stride_q_h
    q = gl.load(q_row[:, None] + dim_q[None, :], mask=valid_q[:, None], other=0)
    q_smem.store(q)
    if QREG:
        barrier()
        q = q_smem.load(gl.DotOperandLayout(0, S, 2))
    else:
        fence_async_shared()
        barrier()
        q = q_smem

    q_pos = first_token + (W * 64 + gl.arange(0, 64, layout=R)) // GROUP - start + context
    score_scale = scale * LOG2E
    total_max = gl.full([64], float("-inf"), gl.float32, layout=R)
    total_sum = gl.full([64], 0.0, gl.float32, layout=R)
    total = gl.zeros([64, HEAD_DIM], gl.float32, layout=O)
    row_max = total_max
    row_sum = total_sum
    acc = total
    if FOLDS == 2:
        total_smem.store(total)
    i = 0
    CH: gl.constexpr = CHUNK if FOLDS > 0 else 1 << 30
    first_chunk = key_begin // CH
    if CHAIN:
        begin = key_begin // BLOCK_N * BLOCK_N
        row_max, row_sum, p = _first_tile(
            i, begin, gl.minimum((first_chunk + 1) * CH, key_end), q_pos, score_scale, row_max, row_sum,
            q, k_smem, k_full, k_empty, turn, W, FMA, PINGPONG, BLOCK_N, STAGES, S, O,
        )
        i += 1
        last_chunk = gl.cdiv(key_end, CH) - 1
        for chunk in range(first_chunk, last_chunk + 1):
            begin = gl.maximum(chunk * CH, key_begin // BLOCK_N * BLOCK_N)
            stop = gl.minimum((chunk + 1) * CH, key_end)
            full = gl.minimum(stop, seen_by_all) // BLOCK_N * BLOCK_N
            middle = gl.maximum(full, begin + BLOCK_N)
            for first in range(begin + BLOCK_N, full, BLOCK_N):
                row_max, row_sum, acc, p = _overlapped_tile(
                    i, first, stop, q_pos, score_scale, row_max, row_sum, acc, p,
                    q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn, scratch, PIN,
                    W, False, FMA, PINGPONG, BLOCK_N, HEAD_DIM, STAGES, S, O,
                )
                i += 1
            for first in range(middle, stop, BLOCK_N):
                row_max, row_sum, acc, p = _overlapped_tile(
                    i, first, stop, q_pos, score_scale, row_max, row_sum, acc, p,
                    q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn, scratch, PIN,
                    W, True, FMA, PINGPONG, BLOCK_N, HEAD_DIM, STAGES, S, O,
                )
                i += 1
            if chunk < last_chunk:
                # The next chunk's first tile beside this one's last product.
                part_max, part_sum = row_max, row_sum
                row_max, row_sum, acc, p = _boundary_tile(
                    i, stop, gl.minimum(stop + CH, key_end), q_pos, score_scale, acc, p,
                    q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn, scratch, PIN,
                    W, FMA, PINGPONG, BLOCK_N, STAGES, S, O,
                )
                i += 1
            else:
                acc = _last_product(
                    i, (stop - 1) // BLOCK_N * BLOCK_N, stop, acc, p, v_smem, v_full, v_empty, STAGES, BLOCK_N, HEAD_DIM,
                )
                part_max, part_sum = row_max, row_sum
            keep, add, total_max = _fold(total_max, part_max)
            total_sum = total_sum * keep + part_sum * add
            keep_o = gl.convert_layout(keep, RO)[:, None]
            add_o = gl.convert_layout(add, RO)[:, None]
            if FOLDS == 1:
                total = total * keep_o + acc * add_o
            else:
                total_smem.store(total_smem.load(O) * keep_o + acc * add_o)
            acc = gl.zeros([64, HEAD_DIM], gl.float32, layout=O)
        first_chunk = last_chunk + 1
    for chunk in range(first_chunk, gl.cdiv(key_end, CH) if not CHAIN else first_chunk):
        begin = gl.maximum(chunk * CH, key_begin // BLOCK_N * BLOCK_N)
        stop = gl.minimum((chunk + 1) * CH, key_end)
        row_max = gl.full([64], float("-inf"), gl.float32, layout=R)
        row_sum = gl.full([64], 0.0, gl.float32, layout=R)
        acc = gl.zeros([64, HEAD_DIM], gl.float32, layout=O)
        full = gl.minimum(stop, seen_by_all) // BLOCK_N * BLOCK_N
        if OVERLAP:
            # The first tile of a chunk is masked always: it is the same bits, and spares a second copy of the code.
            row_max, row_sum, p = _first_tile(
                i, begin, stop, q_pos, score_scale, row_max, row_sum, q, k_smem, k_full, k_empty, turn,
                W, FMA, PINGPONG, BLOCK_N, STAGES, S, O,
            )
            i += 1
            middle = gl.maximum(full, begin + BLOCK_N)
            for first in range(begin + BLOCK_N, full, BLOCK_N):
                row_max, row_sum, acc, p = _overlapped_tile(
                    i, first, stop, q_pos, score_scale, row_max, row_sum, acc, p,
                    q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn, scratch, PIN,
                    W, False, FMA, PINGPONG, BLOCK_N, HEAD_DIM, STAGES, S, O,
                )
                i += 1
            for first in range(middle, stop, BLOCK_N):
                row_max, row_sum, acc, p = _overlapped_tile(
                    i, first, stop, q_pos, score_scale, row_max, row_sum, acc, p,
                    q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn, scratch, PIN,
                    W, True, FMA, PINGPONG, BLOCK_N, HEAD_DIM, STAGES, S, O,
                )
                i += 1
            acc = _last_product(
                i, (stop - 1) // BLOCK_N * BLOCK_N, stop, acc, p, v_smem, v_full, v_empty, STAGES, BLOCK_N, HEAD_DIM,
            )
        else:
            middle = gl.maximum(full, begin)
            for first in range(begin, full, BLOCK_N):
                row_max, row_sum, acc = _simple_tile(
                    i, first, stop, q_pos, score_scale, row_max, row_sum, acc,
                    q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn,
                    W, False, FMA, PINGPONG, BLOCK_N, HEAD_DIM, STAGES, S, O,
                )
                i += 1
            for first in range(middle, stop, BLOCK_N):
                row_max, row_sum, acc = _simple_tile(
                    i, first, stop, q_pos, score_scale, row_max, row_sum, acc,
                    q, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn,
                    W, True, FMA, PINGPONG, BLOCK_N, HEAD_DIM, STAGES, S, O,
                )
                i += 1
        if FOLDS > 0:
            keep, add, total_max = _fold(total_max, row_max)
            total_sum = total_sum * keep + row_sum * add
            keep_o = gl.convert_layout(keep, RO)[:, None]
            add_o = gl.convert_layout(add, RO)[:, None]
            if FOLDS == 1:
                total = total * keep_o + acc * add_o
            else:
                total_smem.store(total_smem.load(O) * keep_o + acc * add_o)
        else:
            total_max = row_max
            total_sum = row_sum
            total = acc
    if FOLDS == 2:
        total = total_smem.load(O)

    empty = total_sum == 0.0
    divisor = gl.where(empty, 1.0, total_sum)
    factor = gl.where(empty, 0.0, 1.0 / divisor)
    rows = W * 64 + gl.arange(0, 64, layout=RO)
    token = first_token + rows // GROUP
    head = first_head + rows % GROUP
    valid = token < tokens_end
    dim = gl.arange(0, HEAD_DIM, layout=gl.SliceLayout(0, O))
    o = (total * gl.convert_layout(factor, RO)[:, None]).to(gl.bfloat16)
    out_row = out_ptr + token.to(gl.int64) * stride_out_t + head * stride_out_h
    gl.store(out_row[:, None] + dim[None, :], o, mask=valid[:, None])
    if WITH_LSE:
        lse = gl.where(empty, float("-inf"), (total_max + gl.log2(divisor)) * LN2)
        lse = gl.convert_layout(lse, RO)
        gl.store(lse_ptr + token.to(gl.int64) * NUM_HEADS + head, lse, mask=valid)


@gluon.jit(do_not_specialize=("num_seqs", "num_tokens", "num_blocks", "max_blocks", "stride_table"))
def paged_prefill(
    out_ptr, lse_ptr, query_ptr, k_desc, v_desc, table_ptr, lens_ptr, starts_ptr,
    scale, num_seqs, num_tokens, num_blocks, max_blocks,
    stride_out_t, stride_out_h, stride_q_t, stride_q_h, stride_table,
    NUM_HEADS: gl.constexpr, GROUP: gl.constexpr, BLOCK_SIZE: gl.constexpr, BOX: gl.constexpr, HEAD_DIM: gl.constexpr,
    BLOCK_N: gl.constexpr, CHUNK: gl.constexpr, STAGES: gl.constexpr, OVERLAP: gl.constexpr, PINGPONG: gl.constexpr,
    FMA: gl.constexpr, FOLDS: gl.constexpr, PIN: gl.constexpr, WITH_LSE: gl.constexpr, REGISTERS: gl.constexpr,
    QREG: gl.constexpr, CHAIN: gl.constexpr, SKIP_DECODES: gl.constexpr,
):
    BLOCK_M: gl.constexpr = 128
    TOKENS: gl.constexpr = BLOCK_M // GROUP
    HEADS: gl.constexpr = NUM_HEADS // GROUP
    item = gl.program_id(0) // HEADS
    kv_head = gl.program_id(0) % HEADS
    tile = gl.num_programs(0) // HEADS - 1 - item
    L: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0])
    seq = _find_sequence(starts_ptr, num_seqs, tile, TOKENS, L)
    if seq >= 0:
        start = gl.load(starts_ptr + seq)
        tile -= start // TOKENS + seq
        end = gl.load(starts_ptr + seq + 1, mask=seq < num_seqs, other=num_tokens)
        seq_len = gl.load(lens_ptr + seq, mask=seq < num_seqs, other=0)
        context = seq_len - (end - start)
        end = gl.minimum(end, num_tokens)
        first_token = start + tile * TOKENS
        if SKIP_DECODES:
            end = gl.where((seq < num_seqs) & (seq_len - context == 1), start, end)
        if first_token < end:
            last_token = gl.minimum(first_token + TOKENS, end) - 1
            key_end = gl.minimum(gl.minimum(seq_len, max_blocks * BLOCK_SIZE), context + last_token - start + 1)
            key_begin = gl.minimum(seq_len, 0)
            seen_by_all = gl.minimum(key_end, context + first_token - start + 1)

            KV: gl.constexpr = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
            q_0 = gl.allocate_shared_memory(gl.bfloat16, [64, HEAD_DIM], KV)
            q_1 = gl.allocate_shared_memory(gl.bfloat16, [64, HEAD_DIM], KV)
            k_smem = gl.allocate_shared_memory(gl.bfloat16, [STAGES, BLOCK_N, HEAD_DIM], KV)
            v_smem = gl.allocate_shared_memory(gl.bfloat16, [STAGES, BLOCK_N, HEAD_DIM], KV)
            B: gl.constexpr = mbarrier.MBarrierLayout()
            k_full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], B)
            k_empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], B)
            v_full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], B)
            v_empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], B)
            turn = gl.allocate_shared_memory(gl.int64, [2, 1], B)
            for s in gl.static_range(STAGES):
                mbarrier.init(k_full.index(s), count=1)
                mbarrier.init(v_full.index(s), count=1)
                mbarrier.init(k_empty.index(s), count=2)
                mbarrier.init(v_empty.index(s), count=2)
            mbarrier.init(turn.index(0), count=1)
            mbarrier.init(turn.index(1), count=1)
            # 16 bytes a thread and access, each quarter of a warp in 128 bytes of its own: a thread's own numbers only.
            T: gl.constexpr = gl.SharedLinearLayout(
                offset_bases=[[0, 1], [8, 0], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [16, 0], [32, 0], [0, 8], [0, 16],
                              [0, 32], [0, 64]],
            ) if FOLDS == 2 else gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
            SIZE: gl.constexpr = HEAD_DIM if FOLDS == 2 else 1
            total_0 = gl.allocate_shared_memory(gl.float32, [64, SIZE], T)
            total_1 = gl.allocate_shared_memory(gl.float32, [64, SIZE], T)

            scratch_0 = gl.allocate_shared_memory(gl.float32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))
            scratch_1 = gl.allocate_shared_memory(gl.float32, [64], gl.SwizzledSharedLayout(1, 1, 1, [0]))
            table_row = table_ptr + seq.to(gl.int64) * stride_table
            first_head = kv_head * GROUP
            gl.warp_specialize(
                [
                    (_consumer, (
                        query_ptr, out_ptr, lse_ptr, first_token, end, first_head, start, context, key_begin, key_end,
                        seen_by_all, scale, stride_q_t, stride_q_h, stride_out_t, stride_out_h,
                        q_0, total_0, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn, scratch_0, PIN,
                        0, NUM_HEADS, GROUP, HEAD_DIM, BLOCK_N, CHUNK, STAGES, OVERLAP, PINGPONG, FMA, FOLDS, WITH_LSE,
                        QREG, CHAIN,
                    )),
                    (_consumer, (
                        query_ptr, out_ptr, lse_ptr, first_token, end, first_head, start, context, key_begin, key_end,
                        seen_by_all, scale, stride_q_t, stride_q_h, stride_out_t, stride_out_h,
                        q_1, total_1, k_smem, v_smem, k_full, k_empty, v_full, v_empty, turn, scratch_1, PIN,
                        1, NUM_HEADS, GROUP, HEAD_DIM, BLOCK_N, CHUNK, STAGES, OVERLAP, PINGPONG, FMA, FOLDS, WITH_LSE,
                        QREG, CHAIN,
                    )),
                    (_producer, (
                        k_desc, v_desc, table_row, kv_head * HEAD_DIM, key_begin, key_end, num_blocks, max_blocks,
                        k_smem, v_smem, k_full, k_empty, v_full, v_empty,
                        BLOCK_SIZE, BOX, BLOCK_N, HEAD_DIM, STAGES,
                    )),
                ],
                [4, 1],
                [REGISTERS, 504 - 2 * REGISTERS],
            )
