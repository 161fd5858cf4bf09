"""Cache writes, gathers, copies, swaps and merging, on every backend."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from tests.ops.cases import DTYPES, TOLERANCE, Case, build, empty_cache, error

ALL = pytest.mark.parametrize("backend", backends.BACKENDS)


@ALL
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    ("head_dim", "head_dim_v", "block_size", "heads_first"),
    [(64, 64, 16, False), (80, 80, 8, True), (256, 64, 32, False), (64, 256, 128, True)],
)
def test_write_is_exact_and_touches_nothing_else(
    head_dim: int, head_dim_v: int, block_size: int, heads_first: bool, dtype: torch.dtype, backend: str
) -> None:
    """Write to 42 random slots, some skipped."""
    device, heads, blocks = backends.device(backend), 3, 64
    g = torch.Generator().manual_seed(0)
    keys, values = (torch.randn(42, heads, d, generator=g).to(dtype) for d in (head_dim, head_dim_v))
    slots = torch.randperm(blocks * block_size, generator=g)[:42]
    slots[::5] = -1
    pools = [empty_cache(blocks, block_size, heads, d, dtype, heads_first).to(device) for d in (head_dim, head_dim_v)]
    # Rows of a fused projection: a token stride of their own.
    fused = torch.cat([keys.flatten(1), values.flatten(1)], dim=1).to(device)
    key = fused[:, : heads * head_dim].unflatten(1, (heads, head_dim))
    value = fused[:, heads * head_dim :].unflatten(1, (heads, head_dim_v))
    backends.call(backend)("write_kv_cache", key, value, *pools, slots.to(device))
    for pool, rows in zip(pools, (keys, values), strict=True):
        expected = torch.full((blocks * block_size, heads, rows.shape[2]), torch.nan, dtype=dtype)
        expected[slots[slots >= 0]] = rows[slots >= 0]
        actual = pool.cpu().reshape(blocks * block_size, heads, -1)
        assert torch.equal(actual.isnan(), expected.isnan())
        assert torch.equal(actual.nan_to_num(), expected.nan_to_num())


@ALL
@pytest.mark.parametrize("cache_dtype", [torch.float32, torch.int8], ids=str)
def test_values_of_width_0_are_no_values(cache_dtype: torch.dtype, backend: str) -> None:
    """A cache of latents has its values inside its keys: only the keys are written."""
    device = backends.device(backend)
    rows, slots = torch.randn(9, 1, 40, device=device), torch.randperm(24, device=device)[:9]
    results = []
    for width in (0, 40):
        pools = [torch.zeros(3, 8, 1, dim, dtype=cache_dtype, device=device) for dim in (40, width)]
        scales = [torch.zeros(3, 8, 1, device=device) for _ in range(2 if width else 1)]
        names = ("k_scale_cache", "v_scale_cache") if cache_dtype is torch.int8 else ()
        options = dict(zip(names, scales, strict=False))
        backends.call(backend)("write_kv_cache", rows, rows[..., :width], *pools, slots, **options)
        results.append((pools[0], scales[0]))
    assert torch.equal(results[0][0], results[1][0]) and torch.equal(results[0][1], results[1][1])
    assert results[0][0].any()


@ALL
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("max_tokens", [0, 10, 37, 64])
def test_gather(max_tokens: int, dtype: torch.dtype, backend: str) -> None:
    problem = build(
        Case("g", ((1, 37), (1, 1), (0, 0), (1, 16)), head_dim_v=32), dtype, device=backends.device(backend)
    )
    names = ("key_cache", "value_cache", "block_tables", "seq_lens")
    arguments = [problem.arguments[name] for name in names]
    got = backends.call(backend)("gather_kv_cache", *arguments, max_tokens)
    for rows, sequences in zip(got, (problem.keys, problem.values), strict=True):
        assert rows.shape == (4, max_tokens, 2, sequences[0].shape[2]) and rows.dtype == dtype
        for i, sequence in enumerate(sequences):
            count = min(max_tokens, len(sequence))
            assert torch.equal(rows[i, :count].cpu(), sequence[:count])
            assert not rows[i, count:].any()


@ALL
@pytest.mark.parametrize("heads_first", [False, True], ids=["tokens-first", "heads-first"])
def test_copy_blocks(heads_first: bool, backend: str) -> None:
    device = backends.device(backend)
    pools = [empty_cache(16, 8, 2, 32, dtype, heads_first).to(device) for dtype in (torch.float32, torch.bfloat16)]
    for pool in pools:
        pool.copy_(torch.randn(pool.shape))
    before = [pool.clone() for pool in pools]
    pairs = torch.tensor([[1, 9], [2, 10], [1, 11]])
    backends.call(backend)("copy_blocks", pools, pairs.to(device))
    for pool, old in zip(pools, before, strict=True):
        expected = old.clone()
        expected[[9, 10, 11]] = old[[1, 2, 1]]
        assert torch.equal(pool, expected)


@ALL
@pytest.mark.parametrize("head_dim", [32, 3], ids=["16-byte", "4-byte"])
@pytest.mark.parametrize("on_host", [False, True], ids=["device", "host"])
def test_all_sources_are_read_before_a_destination_is_written(on_host: bool, head_dim: int, backend: str) -> None:
    """A chain, a swap of two blocks, a ring, a block copied to itself, and an independent pair."""
    device = backends.device(backend)
    pools = [torch.randn(24, 2, 2, head_dim, device=device) for _ in range(3)]
    before = [pool.clone() for pool in pools]
    pairs = torch.tensor(
        [[1, 2], [2, 3], [3, 4], [6, 5], [5, 6], [7, 8], [8, 9], [9, 7], [10, 10], [1, 11], [4, 12], [20, 21]]
    )
    backends.call(backend)("copy_blocks", pools, pairs if on_host else pairs.to(device))
    for pool, old in zip(pools, before, strict=True):
        expected = old.clone()
        expected[pairs[:, 1].to(device)] = old[pairs[:, 0].to(device)]
        assert torch.equal(pool, expected)


@ALL
def test_copying_nothing_changes_nothing(backend: str) -> None:
    pool = torch.randn(4, 8, 2, 32, device=backends.device(backend))
    before = pool.clone()
    nothing = torch.empty(0, 2, dtype=torch.int64, device=pool.device)
    backends.call(backend)("copy_blocks", [pool], nothing)
    backends.call(backend)("swap_blocks", pool, pool.clone(), nothing)
    assert torch.equal(pool, before)


@ALL
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("scattered", [True, False], ids=["scattered", "run"])
@pytest.mark.parametrize("pinned", [False, True], ids=["pageable", "pinned"])
@pytest.mark.parametrize("non_blocking", [False, True], ids=["waits", "non-blocking"])
def test_swap_out_and_in_again(
    non_blocking: bool, pinned: bool, scattered: bool, dtype: torch.dtype, backend: str
) -> None:
    """Swap 256 pairs to the host and back; with pinned memory, scattered blocks go through a kernel."""
    device = backends.device(backend)
    if pinned and device == "cpu":
        pytest.skip("needs a CUDA device: only there is memory pinned")
    pool = torch.randn(300, 4, 2, 16).to(dtype).to(device)
    before = pool.clone()
    host = torch.zeros(280, 4, 2, 16, dtype=dtype, pin_memory=pinned)
    order = torch.randperm(300, generator=torch.Generator().manual_seed(1)) if scattered else torch.arange(300)
    order = order[:256]
    out = torch.stack([order, torch.arange(256)], dim=1)
    backends.call(backend)("swap_blocks", pool, host, out, non_blocking=non_blocking)
    if non_blocking and device == "cuda":
        torch.cuda.synchronize()
    assert torch.equal(host[:256], before.cpu()[order]) and not host[256:].any()
    pool.zero_()
    backends.call(backend)("swap_blocks", host, pool, out.flip(1).contiguous())
    expected = torch.zeros_like(before)
    expected[order] = before[order]
    assert torch.equal(pool, expected)


def union(problem_keys: Tensor, values: Tensor, q: Tensor, part: slice) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("thd,shd->ths", q.double(), problem_keys[part].double()) / q.shape[2] ** 0.5
    lse = scores.logsumexp(-1)
    out = torch.einsum("ths,shd->thd", torch.exp(scores - lse[..., None]), values[part].double())
    return out, lse


@ALL
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_merge_equals_attention_over_the_union(dtype: torch.dtype, backend: str) -> None:
    """A tenth of each side is empty, written as -inf or as +inf; if both are, the result is 0."""
    g = torch.Generator().manual_seed(0)
    tokens, heads, dim = 40, 4, 32
    q = torch.randn(tokens, heads, dim, generator=g)
    keys, values = torch.randn(50, heads, dim, generator=g), torch.randn(50, heads, dim, generator=g)
    sides = [union(keys, values, q, part) for part in (slice(0, 30), slice(30, 50))]
    whole, whole_lse = union(keys, values, q, slice(0, 50))
    empty = [torch.rand(tokens, heads, generator=g) < 0.1 for _ in sides]
    empty[0][0, 0] = empty[1][0, 0] = True
    outs, lses = [], []
    for (out, lse), none, infinity in zip(sides, empty, (-torch.inf, torch.inf), strict=True):
        outs.append(out.masked_fill(none[..., None], torch.nan).to(dtype).to(backends.device(backend)))
        lses.append(lse.masked_fill(none, infinity).float().to(backends.device(backend)))
    merged, merged_lse = backends.call(backend)("merge_attention_states", outs[0], lses[0], outs[1], lses[1])
    both = empty[0] & empty[1]
    expected = torch.where(empty[0][..., None], sides[1][0], torch.where(empty[1][..., None], sides[0][0], whole))
    expected = expected.masked_fill(both[..., None], 0.0)
    expected_lse = torch.where(empty[0], sides[1][1], torch.where(empty[1], sides[0][1], whole_lse))
    expected_lse = expected_lse.masked_fill(both, -torch.inf)
    assert error(merged, expected) < max(TOLERANCE[dtype], 1e-5)
    assert error(merged_lse, expected_lse) < 1e-5
