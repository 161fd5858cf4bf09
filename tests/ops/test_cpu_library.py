"""The C++ library itself: refusals, and bits that do not depend on the form of a call."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import cases
from tests.ops.test_build import python
from torchpaged.ops import cpu, library

OPS = getattr(torch.ops, library.NATIVE_NAMESPACE)


# --- Loading --------------------------------------------------------------------------------------------------


def test_an_isa_that_is_not_there_is_an_error() -> None:
    done = python("-c", "import torchpaged.ops", TORCHPAGED_ISA="avx9000")
    assert done.returncode != 0
    assert "ConfigError: TORCHPAGED_ISA is 'avx9000', expected one of what this machine has: " in done.stderr
    assert done.stderr.strip().endswith("portable")


def test_the_levels_are_those_of_the_processor() -> None:
    """VNNI without BF16, as on Ice Lake, is a separate level: an int8 product in one instruction."""
    if not Path("/proc/cpuinfo").exists() or platform.machine() != "x86_64":
        return
    flags = set(re.findall(r"\w+", Path("/proc/cpuinfo").read_text()))
    expected = {
        "avx512_bf16": {"avx512_bf16", "avx512vbmi", "avx512_vnni"},
        "avx512_vnni": {"avx512_vnni", "avx512bw", "avx512dq", "avx512vl"},
        "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
        "avx2": {"avx2", "fma", "f16c"},
        "portable": set(),
    }
    assert cpu.available_isas() == tuple(name for name, needed in expected.items() if needed <= flags)


# --- What holds on every instruction set ---------------------------------------------------------------------


@dataclass(frozen=True)
class Sequence:
    """One sequence's whole past, contiguous; the tests lay it out in pools of all kinds."""

    query: Tensor  # [seq_len, heads, head_dim]
    key: Tensor  # [seq_len, kv_heads, head_dim]
    value: Tensor
    scales: tuple[Tensor, Tensor] | None  # [seq_len, kv_heads], of a quantised cache


@dataclass(frozen=True)
class Layout:
    block_size: int = 16
    heads_first: bool = True
    seed: int = 0
    options: tuple[tuple[str, Any], ...] = ()


def sequence(seq_len: int, dtype: torch.dtype, cache_dtype: torch.dtype, head_dim: int = 64, seed: int = 0) -> Sequence:
    g = torch.Generator().manual_seed(seed * 1000 + seq_len)
    query = torch.randn(seq_len, 6, head_dim, generator=g).to(dtype)
    key, value = (torch.randn(2, seq_len, 2, head_dim, generator=g)).unbind()
    if cache_dtype == dtype:
        return Sequence(query, key.to(dtype), value.to(dtype), None)
    scales = torch.rand(2, seq_len, 2, generator=g) + 0.5
    gain = 40.0 if cache_dtype == torch.int8 else 1.0
    return Sequence(query, (key * gain).to(cache_dtype), (value * gain).to(cache_dtype), tuple(scales / gain))


def attend(parts: list[tuple[Sequence, int, int]], layout: Layout, **options: Any) -> tuple[Tensor, Tensor]:
    """Attend to rows [first, last) of each sequence as one batch, with the keys up to `last` in the cache."""
    g = torch.Generator().manual_seed(layout.seed)
    size = layout.block_size
    counts = [-(-last // size) for _, _, last in parts]
    pool = sum(counts) + 2
    blocks = torch.randperm(pool, generator=g).tolist()

    def empty(like: Tensor) -> Tensor:
        shape = (pool, like.shape[1], size) if layout.heads_first else (pool, size, like.shape[1])
        bytes_ = torch.full((*shape, *like.shape[2:], like.element_size()), 0xFF, dtype=torch.uint8)  # NaN, or -1
        cache = bytes_.view(like.dtype).squeeze(-1)
        return cache.transpose(1, 2) if layout.heads_first else cache

    caches = [empty(parts[0][0].key), empty(parts[0][0].value)]
    scales = [empty(s) for s in parts[0][0].scales or ()]
    tables = torch.full((len(parts), max(counts)), -7, dtype=torch.int32)
    for i, (s, _, last) in enumerate(parts):
        tables[i, : counts[i]] = torch.tensor([blocks.pop() for _ in range(counts[i])], dtype=torch.int32)
        position = torch.arange(last)
        where = (tables[i].long()[position // size], position % size)
        for pool_, rows in zip((*caches, *scales), (s.key, s.value, *(s.scales or ())), strict=True):
            target, source = (
                (pool_.view(torch.uint8), rows.view(torch.uint8)) if rows.element_size() == 1 else (pool_, rows)
            )
            target[where] = source[:last]
    lengths = torch.tensor([0, *(last - first for _, first, last in parts)], dtype=torch.int32)
    if scales:
        options |= {"k_scale": scales[0], "v_scale": scales[1]}
    return OPS.paged_attention_with_lse(
        torch.cat([s.query[first:last] for s, first, last in parts]),
        *caches,
        tables,
        torch.tensor([last for _, _, last in parts], dtype=torch.int32),
        lengths.cumsum(0, dtype=torch.int32),
        **options,
    )


FEATURES: dict[str, dict[str, Any]] = {
    "plain": {},
    "window": {"sliding_window": 100},
    "all": {
        "sliding_window": 700,
        "softcap": 20.0,
        "alibi_slopes": torch.linspace(0.01, 0.5, 6),
        "distance_bias": torch.linspace(-1, 1, 30).view(6, 5),
        "sinks": torch.linspace(-2, 2, 6),
    },
}
KINDS = (
    (torch.float32, torch.float32),
    (torch.float16, torch.float16),
    (torch.bfloat16, torch.bfloat16),
    (torch.bfloat16, torch.int8),
    (torch.float32, torch.float8_e4m3fn),
    (torch.float16, torch.float8_e5m2),
)
ALL_KINDS = pytest.mark.parametrize(("dtype", "cache_dtype"), KINDS, ids=str)


def same(a: tuple[Tensor, Tensor], b: tuple[Tensor, Tensor], what: str) -> None:
    assert not a[0].isnan().any(), what
    assert torch.equal(a[0], b[0]) and torch.equal(a[1], b[1]), what


@ALL_KINDS
@pytest.mark.parametrize("feature", FEATURES)
def test_bits_do_not_depend_on_the_chunks_of_a_prefill(
    feature: str, dtype: torch.dtype, cache_dtype: torch.dtype
) -> None:
    """Across tiles (64 keys) and partitions (512): whole, in chunks, and row by row as decode steps."""
    s, options = sequence(620, dtype, cache_dtype), FEATURES[feature]
    whole = attend([(s, 0, 620)], Layout(), **options)
    for first, last in (
        (0, 1),
        (0, 63),
        (63, 66),
        (66, 300),
        (300, 301),
        (301, 511),
        (511, 513),
        (513, 619),
        (619, 620),
    ):
        chunk = attend([(s, first, last)], Layout(block_size=32, seed=first), **options)
        same(chunk, (whole[0][first:last], whole[1][first:last]), f"rows {first} to {last}")


@ALL_KINDS
def test_bits_do_not_depend_on_batch_blocks_threads_or_splits(dtype: torch.dtype, cache_dtype: torch.dtype) -> None:
    lengths = ((0, 40), (1899, 1900), (700, 711), (12, 13), (0, 130))
    parts = [(sequence(last, dtype, cache_dtype, head_dim=80), first, last) for first, last in lengths]
    together = attend(parts, Layout())
    rows = 0
    for part, (first, last) in zip(parts, lengths, strict=True):
        expected = tuple(x[rows : rows + last - first] for x in together)
        rows += last - first
        for block_size, heads_first, splits in (
            (16, False, 0),
            (5, True, 1),
            (64, False, 3),
            (256, True, 0),
            (1, True, 9),
        ):
            layout = Layout(block_size, heads_first, seed=block_size)
            same(attend([part], layout, num_splits=splits), expected, f"{first}, {last}, {layout}, {splits}")
    threads = torch.get_num_threads()
    try:
        for number in (1, 2, 3):
            torch.set_num_threads(number)
            same(attend(parts, Layout(seed=1)), together, f"{number} threads")
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
@pytest.mark.parametrize("poison", (float("nan"), float("inf")))
@pytest.mark.parametrize("rows", ((0, 90), (48, 51), (79, 83)), ids=str)
def test_what_a_row_does_not_see_may_be_anything(rows: tuple[int, int], dtype: torch.dtype, poison: float) -> None:
    """A token's key and value are NaN: earlier rows of the call, and rows past its window, keep their bits."""
    s = sequence(90, dtype, dtype)
    clean = attend([(s, *rows)], Layout(), sliding_window=30)
    key, value = s.key.clone(), s.value.clone()
    key[50], value[50] = poison, poison
    dirty = attend([(replace(s, key=key, value=value), *rows)], Layout(), sliding_window=30)
    sees = torch.tensor([50 <= row < 80 for row in range(*rows)])
    same((dirty[0][~sees], dirty[1][~sees]), (clean[0][~sees], clean[1][~sees]), "those that do not see it")
    assert dirty[0][sees].isnan().any()


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
@pytest.mark.parametrize("rows", ((49, 50), (46, 50), (20, 50)), ids=str)
def test_what_a_tree_hides_may_be_anything(rows: tuple[int, int], dtype: torch.dtype) -> None:
    """Even from a single token, which then sees only the earlier ones."""
    s, count = sequence(50, dtype, dtype), rows[1] - rows[0]
    tree = torch.ones(count, count, dtype=torch.bool).tril()
    tree[:, -1] = False
    clean = attend([(s, *rows)], Layout(), tree_mask=tree)
    s.key[49], s.value[49] = torch.nan, torch.inf
    same(attend([(s, *rows)], Layout(), tree_mask=tree), clean, "all rows")


@ALL_KINDS
def test_a_sequence_that_is_not_finite_disturbs_no_other(dtype: torch.dtype, cache_dtype: torch.dtype) -> None:
    """Nor through stale values in a thread's scratch: after the last key, and before a window."""
    s, bad, options = sequence(90, dtype, cache_dtype), sequence(200, dtype, cache_dtype), {"sliding_window": 30}
    if bad.scales is None:
        bad.key[:], bad.value[:] = torch.inf, torch.nan
    else:
        bad.scales[0][:], bad.scales[1][:] = torch.inf, torch.nan
    few = [(s, 40, 41), (s, 38, 40), (s, 88, 89), (s, 0, 1)]
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        together = attend([part for each in few for part in ((bad, 150, 151), each)], Layout(), **options)
    finally:
        torch.set_num_threads(threads)
    row = 0
    for part in few:
        row, count = row + 1, part[2] - part[1]
        found = tuple(each[row : row + count] for each in together)
        same(found, attend([part], Layout(seed=1), **options), str(part[1:]))
        row += count


def test_subnormal_numbers_do_not_depend_on_the_caller() -> None:
    """`torch.set_flush_denormal` holds for one thread; results must not depend on the thread that ran a row."""
    s = sequence(40, torch.float32, torch.float32)
    tiny = replace(s, value=s.value * 1e-38)
    expected = attend([(tiny, 0, 40)], Layout())
    assert ((expected[0] != 0) & (expected[0].abs() < 1.2e-38)).any()
    torch.set_flush_denormal(True)
    try:
        bits = attend([(tiny, 0, 40)], Layout())[0].view(torch.int32)
    finally:
        torch.set_flush_denormal(False)
    assert torch.equal(bits, expected[0].view(torch.int32))


def test_a_bad_row_range_is_refused() -> None:
    s = sequence(4, torch.float32, torch.float32)
    cache, ints = s.key[None], lambda *x: torch.tensor(x, dtype=torch.int32)
    for starts in ((0, 5), (3, 1), (-1, 2)):
        with pytest.raises(ValueError, match="paged_attention: query_start_loc has"):
            OPS.paged_attention(s.query, cache, cache, ints(0)[None], ints(4), ints(*starts))
