"""paged_attention on every backend against the float64 oracle: one grid of named cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.ops import backends, cases
from tests.ops.cases import CASES, DTYPES, TOLERANCE, Case, build, error, named
from torchpaged.utils.huge_pages import huge_page_zeros

# Of queries and of the cache.
BIT_DTYPES = (
    *((dtype, dtype) for dtype in DTYPES),
    *((torch.bfloat16, each) for each in (torch.int8, torch.float8_e4m3fn, torch.float8_e5m2)),
    (torch.float32, torch.int8),
)


def run(backend: str, problem: cases.Problem, overload: str = "paged_attention_with_lse"):
    return backends.call(backend)(overload, *problem.arguments.values(), **problem.options)


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_equals_the_oracle(case: Case, dtype: torch.dtype, backend: str) -> None:
    problem = build(case, dtype, device=backends.device(backend))
    out, lse = run(backend, problem)
    expected_out, expected_lse = problem.expected()
    assert out.dtype == dtype and lse.dtype == torch.float32
    assert error(out, expected_out) < TOLERANCE[dtype]
    assert error(lse, expected_lse) < TOLERANCE[dtype]


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_many_chunks(backend: str) -> None:
    """34 partial results next to 1: a long merge loads 32 at a time."""
    dtype = torch.bfloat16
    case = Case("many-chunks", lengths=((1, 17000), (1, 20)), heads=(2, 1), head_dim=48)
    problem = build(case, dtype, device=backends.device(backend))
    out, lse = run(backend, problem)
    expected_out, expected_lse = problem.expected()
    assert error(out, expected_out) < TOLERANCE[dtype]
    assert error(lse, expected_lse) < TOLERANCE[dtype]
    # With other neighbours the sequence's chunks are other programs'.
    alone = build(replace(case, lengths=((1, 17000),)), dtype, device=backends.device(backend))
    alone.arguments |= {name: problem.arguments[name] for name in ("key_cache", "value_cache")}
    alone.arguments |= {name: problem.arguments[name][:1] for name in ("query", "block_tables", "seq_lens")}
    assert torch.equal(run(backend, alone)[0], out[:1])


@pytest.mark.parametrize("padding_rows", [0, 1, 3])
@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_decode_and_prefill_in_one_batch(backend: str, padding_rows: int) -> None:
    """Triton runs the sequences of one new token in a separate split launch: the bits are those of a single launch."""
    dtype = torch.bfloat16
    lengths = ((1, 1300), (70, 70), (1, 20), (66, 1100), (1, 1), (2, 600), (1, 513))
    case = Case("mixed", lengths=lengths, head_dim=32, padding_rows=padding_rows, max_query_len=70)
    problem = build(case, dtype, device=backends.device(backend))
    out, lse = run(backend, problem)
    expected_out, expected_lse = problem.expected()
    assert error(out, expected_out) < TOLERANCE[dtype]
    assert error(lse, expected_lse) < TOLERANCE[dtype]
    problem.options["num_splits"] = 1
    assert all(map(torch.equal, run(backend, problem), (out, lse)))


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_the_overloads_agree_bit_for_bit(backend: str) -> None:
    problem = build(named("everything")[0], torch.float32, device=backends.device(backend))
    with_lse, _ = run(backend, problem)
    plain = run(backend, problem, "paged_attention")
    wide = torch.full((*with_lse.shape[:2], with_lse.shape[2] + 8), torch.nan, device=with_lse.device)
    out = wide[..., :-8]  # rows of another stride
    backends.call(backend)("paged_attention.out", *problem.arguments.values(), **problem.options, out=out)
    assert torch.equal(plain, with_lse)
    assert torch.equal(out, with_lse)
    assert wide[..., -8:].isnan().all()


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_strided_queries(backend: str) -> None:
    """A query that is a slice of a fused projection has a larger token stride."""
    problem = build(named("plain")[0], torch.float32, device=backends.device(backend))
    query = problem.arguments["query"]
    fused = torch.randn(query.shape[0], query.shape[1] + 4, query.shape[2], device=query.device)
    fused[:, : query.shape[1]] = query
    expected, _ = run(backend, problem)
    problem.arguments["query"] = fused[:, : query.shape[1]]
    assert torch.equal(run(backend, problem)[0], expected)
    by_heads = query.transpose(0, 1).contiguous().transpose(0, 1)
    problem.arguments["query"] = by_heads
    assert torch.equal(run(backend, problem)[0], expected)


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_block_tables_that_are_part_of_wider_ones(backend: str) -> None:
    problem = build(named("decode")[0], torch.float32, device=backends.device(backend))
    expected, _ = run(backend, problem)
    tables = problem.arguments["block_tables"]
    problem.arguments["block_tables"] = torch.cat([tables, torch.full_like(tables, 2**30)], 1)[:, : tables.shape[1]]
    assert torch.equal(run(backend, problem)[0], expected)


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "case",
    [
        Case("20a", ((1, 1328), (5, 18), (129, 463)), heads=(8, 2), head_dim=128, softcap=50.0),
        Case("20b", ((1, 523), (1, 37), (1, 2011)), heads=(5, 1), head_dim=96, sliding_window=256),
        Case("20c", ((1, 523), (1, 37), (1, 2011)), heads=(9, 3), head_dim=80, sliding_window=64, block_size=32),
    ],
    ids=str,
)
def test_scenario_20_lengths(case: Case, dtype: torch.dtype, backend: str) -> None:
    if backend == "triton" and backends.DEVICE == "cpu":
        # The interpreter takes a second a tile: the lengths shrink, the features stay.
        case = replace(case, lengths=tuple((min(q, 20), -(-s // 8) + min(q, 20)) for q, s in case.lengths))
    problem = build(case, dtype, device=backends.device(backend))
    out, lse = run(backend, problem)
    expected_out, expected_lse = problem.expected()
    assert error(out, expected_out) < TOLERANCE[dtype]
    assert error(lse, expected_lse) < TOLERANCE[dtype]


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_offsets_beyond_32_bits(backend: str) -> None:
    """Block ids whose element offset does not fit into 32 bits, on a pool that overlaps itself and so is small."""
    dim, block_size, stride = 64, 16, 1 << 22
    case = Case("far", ((1, 40), (3, 20)), head_dim=dim, block_size=block_size)
    small = build(case, torch.float16, device=backends.device(backend))
    pool = 600
    for name in ("key_cache", "value_cache"):
        cache = small.arguments[name]
        size = stride * pool + cache[0].numel()
        # Mapped on the CPU, not written: the pool spans gigabytes and is used in a few places.
        on_cpu = cache.device.type == "cpu"
        flat = (
            huge_page_zeros((size,), torch.float16) if on_cpu else torch.zeros(size, dtype=torch.float16, device="cuda")
        )
        far = flat.as_strided((pool, *cache.shape[1:]), (stride, *cache[0].contiguous().stride()))
        for block in range(1, cache.shape[0]):
            far[pool - block] = cache[block]
        small.arguments[name] = far
    tables = small.arguments["block_tables"]
    small.arguments["block_tables"] = torch.where(tables < 2**30, pool - tables, tables)
    assert (pool - 1) * stride > 2**31
    out, _ = run(backend, small)
    assert error(out, small.expected()[0]) < TOLERANCE[torch.float16]


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_row_does_not_depend_on_its_neighbours(dtype: torch.dtype, backend: str) -> None:
    """The same sequence alone, in a batch, in other blocks, padded: the same bits."""
    lengths = ((1, 150), (6, 40), (1, 33), (17, 17))
    together = build(Case("together", lengths, padding_rows=4), dtype, seed=1, device=backends.device(backend))
    out, lse = run(backend, together)
    starts = together.arguments["query_start_loc"].tolist()
    for i, length in enumerate(lengths):
        alone = build(Case("alone", (length,)), dtype, seed=2, device=backends.device(backend))
        for name in ("key_cache", "value_cache"):
            source, target = together.arguments[name], alone.arguments[name]
            for b in range(-(-length[1] // 16)):
                target[alone.arguments["block_tables"][0, b]] = source[together.arguments["block_tables"][i, b]]
        rows = slice(starts[i], starts[i + 1])
        alone.arguments["query"] = together.arguments["query"][rows].clone()
        alone_out, alone_lse = run(backend, alone)
        assert torch.equal(alone_out, out[rows])
        assert torch.equal(alone_lse, lse[rows])


@pytest.mark.parametrize("backend", ("cpp", "triton"))
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_decode_step_gives_the_bits_of_the_prefill(dtype: torch.dtype, backend: str) -> None:
    """Row i of a prefill, and the same row as a decode step or in a chunk of its own."""
    total = 45
    problem = build(Case("prefill", ((total, total),)), dtype, seed=3, device=backends.device(backend))
    whole, _ = run(backend, problem)
    query = problem.arguments["query"]
    for first, last in ((0, 13), (13, 14), (14, 40), (40, 44), (44, 45)):
        problem.arguments["query"] = query[first:last]
        problem.arguments["seq_lens"] = torch.tensor([last], dtype=torch.int32, device=query.device)
        problem.arguments["query_start_loc"] = torch.tensor([0, last - first], dtype=torch.int32, device=query.device)
        chunk, _ = run(backend, problem)
        assert torch.equal(chunk, whole[first:last]), f"rows {first} to {last}"


@pytest.mark.parametrize("dtypes", BIT_DTYPES, ids=lambda dtypes: "-over-".join(str(each)[6:] for each in dtypes))
@pytest.mark.parametrize(
    ("heads", "head_dim"), [((2, 2), 128), ((4, 2), 80), ((3, 1), 72), ((8, 2), 40), ((6, 1), 100), ((14, 1), 64)]
)
def test_few_rows_have_the_bits_of_many(
    heads: tuple[int, int], head_dim: int, dtypes: tuple[torch.dtype, torch.dtype]
) -> None:
    """Rows of a prefill over several tiles of keys, and the same as decode steps, by twos and by fives."""
    total, (query_heads, kv_heads), (dtype, cache_dtype) = 203, heads, dtypes
    g = torch.Generator().manual_seed(4)
    caches = [torch.randn(16, kv_heads, 16, head_dim, generator=g).transpose(1, 2) for _ in range(2)]
    scales = {}
    if cache_dtype.itemsize == 1:
        scales = {name: torch.rand(16, 16, kv_heads, generator=g) * 0.1 for name in ("k_scale", "v_scale")}
        caches = [each * 20 for each in caches]
    caches = [each.to(cache_dtype) for each in caches]
    tables = torch.randperm(16, generator=g).to(torch.int32)[None]
    query = torch.randn(total, query_heads, head_dim, generator=g).to(dtype)

    def attend(first: int, last: int) -> tuple[torch.Tensor, torch.Tensor]:
        lengths, starts = torch.tensor([last]).int(), torch.tensor([0, last - first]).int()
        call = backends.call("cpp")
        return call("paged_attention_with_lse", query[first:last], *caches, tables, lengths, starts, **scales)

    whole = attend(0, total)
    for first in (0, 15, 62, 63, 64, 130, 191, 198):
        for count in (1, 2, 5):
            rows = slice(first, first + count)
            for found, expected in zip(attend(first, first + count), whole, strict=True):
                assert torch.equal(found, expected[rows]), f"{count} rows from {first}"


# (query_len, seq_len): all but the last begin with 1,100 tokens in the same blocks, the first three with 2,048.
SHARED = ((1, 2330), (1, 2100), (1, 2051), (1, 1101), (2, 1300), (2, 1122), (1, 1650), (40, 1500), (1, 1400))


@pytest.mark.parametrize("dtypes", BIT_DTYPES[:5:2], ids=lambda dtypes: "-over-".join(str(each)[6:] for each in dtypes))
@pytest.mark.parametrize(
    ("heads", "options"),
    [
        ((6, 2), {}),
        ((16, 8), {"num_splits": 3, "alibi": True, "sinks": True}),
        ((30, 1), {"softcap": 5.0, "distances": 9, "block_size": 48}),
        ((2, 1), {"causal": False, "block_size": 1024}),
        ((2, 2), {"tree": True, "block_size": 7}),
    ],
    ids=lambda each: "-".join(map(str, each)),
)
def test_shared_blocks_have_the_bits_of_copies(
    heads: tuple[int, int], options: dict[str, Any], dtypes: tuple[torch.dtype, torch.dtype]
) -> None:
    """Sequences whose tables begin with the same blocks go through them together in C++."""
    case = Case("shared", SHARED, **{"heads": heads, "head_dim": 32, **options})
    problem = build(case, dtypes[0])
    tables, lens = problem.arguments["block_tables"], problem.arguments["seq_lens"]
    for i in range(1, len(SHARED) - 1):
        same = (2048 if i < 3 else 1100) // case.block_size
        tables[i, :same] = tables[0, :same]
    for name in ("key_cache", "value_cache"):
        problem.arguments[name] = problem.arguments[name].nan_to_num(0).to(dtypes[1])
    together = run("cpp", problem)
    wanted = tables.long()[torch.arange(tables.shape[1]) * case.block_size < lens[:, None]]
    own = torch.full_like(tables, 2**30)
    own[torch.arange(tables.shape[1]) * case.block_size < lens[:, None]] = torch.arange(len(wanted)).int()
    problem.arguments |= {name: problem.arguments[name][wanted] for name in ("key_cache", "value_cache")}
    problem.arguments["block_tables"] = own
    for found, expected in zip(together, run("cpp", problem), strict=True):
        assert torch.equal(found, expected)
        assert found[torch.isfinite(found)].abs().sum() > 0


@pytest.mark.parametrize("name", ["scale", "softcap"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_refused(name: str, value: float) -> None:
    problem = build(named("decode")[0], torch.float32)
    with pytest.raises(ValueError, match=f"paged_attention: {name} is .*, expected"):
        torch.ops.torchpaged.paged_attention(*problem.arguments.values(), **{**problem.options, name: value})
