"""4-bit caches: bytes as ggml's Q4_0 reads them, the same from every backend, and attention over them."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tests import oracle
from tests.ops import backends
from tests.ops.cases import DTYPES, TOLERANCE, error
from torchpaged.ops import int4_cache

HEADS, KV_HEADS, DIM, DIM_V, BLOCK = 6, 2, 96, 64, 16
LENGTHS = ((1, 37), (5, 18), (7, 7), (1, 600))
NAMED = pytest.mark.parametrize("backend", ("reference", "cpp"))


def written(backend: str, key: Tensor, value: Tensor, slots: Tensor, num_blocks: int) -> list[Tensor]:
    """Return pools of NaN scales into whose slots a backend wrote rows."""
    sizes = [int4_cache.row_size(dim, torch.uint8) for dim in (key.shape[2], value.shape[2])]
    pools = [torch.full((num_blocks, BLOCK, key.shape[1], size), 0x7F, dtype=torch.uint8) for size in sizes]
    backends.call(backend)("write_kv_cache", key, value, *pools, slots)
    return pools


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_are_blocks_of_q4_0(dtype: torch.dtype) -> None:
    """Half a step at most from what was written; the largest magnitude, of either sign, is there up to float16."""
    gguf = pytest.importorskip("gguf")
    g = torch.Generator().manual_seed(0)
    rows = (torch.randn(64, 3, DIM, generator=g) * torch.logspace(-3, 3, 64)[:, None, None]).to(dtype)
    rows[0], rows[1, 0], rows[2, :, :32] = 0, rows[1, 0].abs(), -rows[2, :, :32].abs()
    slots = torch.randperm(5 * BLOCK, generator=g)[:64]
    slots[7] = -1
    found, expected = (written(backend, rows, rows, slots, 5) for backend in ("cpp", "reference"))
    assert all(map(torch.equal, found, expected))
    packed = found[0].flatten(0, 1)[slots]
    numbers = torch.from_numpy(gguf.quants.dequantize(packed.numpy(), gguf.GGMLQuantizationType.Q4_0))
    assert torch.equal(numbers, int4_cache.unpack(packed))
    kept = slots >= 0
    groups, read = (x[kept].float().unflatten(-1, (-1, 32)) for x in (rows, numbers))
    step = groups.abs().amax(-1, keepdim=True) / 8
    # A positive largest number has code -8 by a negative scale, and a negative one as far as 8 off is cut to 7.
    assert ((read - groups).abs() <= step * 1.001 + 1e-7).all()
    torch.testing.assert_close(read.abs().amax(-1), groups.abs().amax(-1), rtol=1e-3, atol=1e-6)
    untouched = torch.ones(5 * BLOCK, dtype=torch.bool)
    untouched[slots[kept]] = False
    assert (found[0].flatten(0, 1)[untouched] == 0x7F).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@NAMED
def test_attention_and_gather(backend: str, dtype: torch.dtype) -> None:
    """Few rows and many, over rows that others of another length share, with NaN in every slot that was not written."""
    g = torch.Generator().manual_seed(1)
    sizes = [length for _, length in LENGTHS]
    key, value = (torch.randn(sum(sizes), KV_HEADS, dim, generator=g).to(dtype) for dim in (DIM, DIM_V))
    blocks = [-(-size // BLOCK) for size in sizes]
    ids = (torch.randperm(sum(blocks), generator=g) + 1).split(blocks)
    tables = torch.zeros(len(sizes), max(blocks), dtype=torch.int32)
    for i, mine in enumerate(ids):
        tables[i, : len(mine)] = mine
    slots = torch.cat([mine.repeat_interleave(BLOCK)[:size] for mine, size in zip(ids, sizes, strict=True)]) * BLOCK
    slots += torch.cat([torch.arange(size) % BLOCK for size in sizes])
    pools = written(backend, key, value, slots, sum(blocks) + 1)
    call, lengths = backends.call(backend), torch.tensor(sizes, dtype=torch.int32)
    stored = [int4_cache.unpack(int4_cache.pack(rows)) for rows in (key, value)]
    gathered = call("gather_kv_cache", *pools, tables, lengths, 601)
    for rows, expected in zip(gathered, stored, strict=True):
        assert torch.equal(torch.cat([rows[i, :size] for i, size in enumerate(sizes)]), expected)
        assert all(not rows[i, size:].any() for i, size in enumerate(sizes))
    queries = [torch.randn(count, HEADS, DIM, generator=g).to(dtype) for count, _ in LENGTHS]
    starts = torch.tensor([0, *(count for count, _ in LENGTHS)]).cumsum(0, dtype=torch.int32)
    out, lse = call("paged_attention_with_lse", torch.cat(queries), *pools, tables, lengths, starts)
    expected_out, expected_lse = oracle.attend(queries, *(list(each.split(sizes)) for each in stored))
    assert out.dtype == dtype and out.shape[2] == DIM_V
    assert error(out, expected_out) < TOLERANCE[dtype]
    assert error(lse, expected_lse) < TOLERANCE[dtype]
    # A row alone has the bits that it has among others.
    last = torch.tensor([0, 1], dtype=torch.int32)
    for row, (i, length) in enumerate([(0, 37), *((1, 14 + n) for n in range(5))]):
        query = torch.cat(queries)[row : row + 1]
        alone = call("paged_attention", query, *pools, tables[i : i + 1], torch.tensor([length]).int(), last)
        assert backend == "reference" or torch.equal(alone, out[row : row + 1])


@NAMED
def test_what_is_no_number_stays_so(backend: str) -> None:
    rows = torch.ones(1, 1, 96)
    rows[0, 0, 3], rows[0, 0, 40] = torch.nan, torch.inf
    pools = written(backend, rows, rows, torch.tensor([0]), 1)
    read = int4_cache.unpack(pools[0])[0, 0, 0]
    assert read[:64].isnan().all() and torch.equal(read[64:], torch.ones(32))


@pytest.mark.parametrize(
    ("shape", "dim", "given", "message"),
    [
        ((2, 16, 2, 32), 32, {}, "has size 32 in dimension 3, .*expected a multiple of 18"),
        ((2, 16, 2, 36), 32, {}, "has size 32 in dimension 2, .*expected 64"),
        ((2, 16, 2, 18), 32, {"k_scale": torch.ones(())}, "k_scale is given with a uint8 cache"),
        ((2, 16, 2, 18), 32, {"v_scale_cache": torch.ones(2, 16, 2)}, "v_scale_cache is given with a uint8 cache"),
    ],
    ids=["bytes", "width", "scale", "scales"],
)
@NAMED
def test_refused(backend: str, shape: tuple[int, ...], dim: int, given: dict[str, Tensor], message: str) -> None:
    rows = torch.zeros(1, 2, dim)
    pools = [torch.zeros(shape, dtype=torch.uint8) for _ in range(2)]
    with pytest.raises(ValueError, match=f"write_kv_cache: .*{message}"):
        backends.call(backend)("write_kv_cache", rows, rows, *pools, torch.tensor([0]), **given)
