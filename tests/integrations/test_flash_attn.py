"""`flash_attn_with_kvcache` against dense float64 attention, and a decoder written for FlashAttention on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.ops.cases import TOLERANCE, error

# The line that a user of FlashAttention changes: `from flash_attn import flash_attn_with_kvcache`.
from torchpaged.integrations.flash_attn import flash_attn_with_kvcache

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KV_HEADS, HEADS, DIM, ROTARY = 2, 4, 32, 16
CAPACITY = 192


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Limit torch to one thread: the tensors are so small that a second one costs time, above all on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


# --- An independent answer: FlashAttention's documentation, dense, one query at a time, in float64 ------------


def rotate(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool) -> Tensor:
    """Rotate x [heads, dim] at one position; cos, sin [rotary_dim / 2]."""
    x, half = x.clone(), cos.numel()
    for m in range(half):
        a, b = (2 * m, 2 * m + 1) if interleaved else (m, m + half)
        first, second = x[:, a].clone(), x[:, b].clone()
        x[:, a], x[:, b] = first * cos[m] - second * sin[m], first * sin[m] + second * cos[m]
    return x


def dense(
    q: Tensor,  # [seqlen, heads, dim]
    k: Tensor,  # [seqlen_k, kv_heads, dim]
    v: Tensor,
    *,
    scale: float,
    window: tuple[int, int],
    softcap: float,
    slopes: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Compute out [seqlen, heads, dim] and lse [heads, seqlen]."""
    seqlen, seqlen_k = q.shape[0], k.shape[0]
    out, lse = torch.zeros_like(q), torch.full((q.shape[1], seqlen), torch.inf, dtype=torch.float64)
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
    for i in range(seqlen):
        p = i + seqlen_k - seqlen
        first = 0 if window[0] < 0 else max(0, p - window[0])
        last = seqlen_k - 1 if window[1] < 0 else min(seqlen_k - 1, p + window[1])
        if first > last:
            continue
        scores = scale * torch.einsum("jhd,hd->hj", k[first : last + 1], q[i])
        if softcap > 0:
            scores = softcap * torch.tanh(scores / softcap)
        if slopes is not None:
            scores = scores - slopes[:, None] * torch.tensor([abs(p - j) for j in range(first, last + 1)])
        out[i] = torch.einsum("hj,jhd->hd", torch.softmax(scores, 1), v[first : last + 1])
        lse[:, i] = torch.logsumexp(scores, 1)
    return out, lse


@dataclass(frozen=True)
class Case:
    """One call. `lengths` are cache_seqlens; the new tokens come on top."""

    name: str
    lengths: tuple[int, ...] = (37, 120, 0, 5)
    seqlen: int = 3
    seqlen_new: int = 3  # 0: no k and v
    page: int = 0  # 0: a contiguous cache
    causal: bool = True
    window: tuple[int, int] = (-1, -1)
    softcap: float = 0.0
    scale: float | None = None
    slopes: str = ""  # "head" or "batch"
    rotary: str = ""  # "interleaved" or "halves"
    leftpad: tuple[int, ...] = ()
    shuffled: bool = False  # cache_batch_idx
    int_length: bool = False
    heads_first: bool = False
    num_splits: int = 0

    def __str__(self) -> str:
        return self.name


FEATURES: dict[str, dict[str, Any]] = {
    "window": {"window": (20, 0)},
    "window-right": {"window": (-1, 1), "causal": False},
    "window-both": {"window": (20, 1), "causal": False},
    "not-causal": {"causal": False},
    "softcap": {"softcap": 2.0},
    "alibi": {"slopes": "head"},
    "alibi-batch": {"slopes": "batch"},
    "interleaved": {"rotary": "interleaved"},
    "halves": {"rotary": "halves"},
    "leftpad": {"leftpad": (7, 100, 0, 5)},
    "batch-idx": {"shuffled": True},
}
LAYOUTS: dict[str, dict[str, Any]] = {
    "contiguous": {},
    **{f"page-{size}": {"page": size} for size in (1, 12, 16, 64)},
}
SHORT = {"lengths": (0, 2, 40, 5), "seqlen": 6, "seqlen_new": 0, "causal": False}  # fewer keys than queries


def _cases() -> list[Case]:
    cases = [Case(f"plain-{name}", **layout) for name, layout in LAYOUTS.items()]
    paged = {"page": 16}
    for i, (name, feature) in enumerate(FEATURES.items()):
        layout = {} if name == "batch-idx" else list(LAYOUTS.values())[i % len(LAYOUTS)]
        cases.append(Case(name, **{**layout, **feature}))
        cases.append(Case(f"decode-{name}", **{"seqlen": 1, "seqlen_new": 1, **feature}))
        # Every pair that can be asked for: later features win where two set the same argument.
        for other, more in list(FEATURES.items())[i + 1 :]:
            if not set(feature) & set(more):
                layout = {} if "batch-idx" in (name, other) else paged
                cases.append(Case(f"{name}+{other}", **{**layout, **feature, **more}))
    cases += [
        Case("alibi-not-causal", causal=False, slopes="head", page=16),
        Case("alibi-batch-not-causal-window", causal=False, slopes="batch", window=(4, 1), softcap=2.0),
        Case("short", **SHORT),
        Case("short-one-sequence", **{**SHORT, "lengths": (2,)}, page=16),
        Case("short-causal", **{**SHORT, "causal": True}),
        Case("short-left", **SHORT, window=(3, -1), page=12),
        Case("short-right", **SHORT, window=(-1, 2), page=16),
        Case("short-both", **SHORT, window=(2, 3), page=16, heads_first=True),
        Case("short-alibi", **SHORT, slopes="head", page=16),
        Case("short-alibi-both", **SHORT, slopes="batch", window=(2, 3), softcap=2.0),
        Case("short-leftpad", **SHORT, leftpad=(0, 1, 37, 5), window=(2, 3), slopes="head", page=12),
        Case("no-append", seqlen_new=0, page=16),
        Case("fewer-new-than-queries", seqlen=5, seqlen_new=2, rotary="halves", page=16),
        Case("more-new-than-queries", seqlen=2, seqlen_new=9, rotary="interleaved", page=12),
        Case("prefill", lengths=(0, 0), seqlen=40, seqlen_new=40, rotary="halves", page=16),
        Case("int-length", lengths=(21, 21), int_length=True, page=12),
        Case("int-length-not-causal-alibi", lengths=(21, 21), int_length=True, causal=False, slopes="head"),
        Case("int-length-encoder", lengths=(9, 9), int_length=True, causal=False, seqlen=8, seqlen_new=0),
        Case("whole-cache", lengths=(CAPACITY, CAPACITY), int_length=True, seqlen_new=0, seqlen=2, causal=False),
        Case("window-of-the-capacity", causal=False, window=(CAPACITY, -1), rotary="halves", page=16),
        Case("window-of-nothing-before", window=(0, 0), page=16),
        Case("scale-splits", scale=0.3, num_splits=4, page=64),
        Case("heads-first-leftpad", heads_first=True, leftpad=(7, 100, 0, 5), page=16),
        Case(
            "everything", window=(30, 1), causal=False, softcap=2.0, slopes="batch", rotary="halves",
            leftpad=(7, 100, 0, 5), page=12, num_splits=2, scale=0.2,
        ),
    ]  # fmt: skip
    return cases


CASES = _cases()


@dataclass
class Problem:
    """A call's arguments, and its keys and values once more, dense and in float64."""

    arguments: dict[str, Any]
    out: Tensor
    lse: Tensor
    keys: list[Tensor] = field(default_factory=list)  # every sequence's cache after the call
    values: list[Tensor] = field(default_factory=list)
    stored: Callable[[Tensor, int], Tensor] = lambda cache, i: cache[i]


def build(case: Case, dtype: torch.dtype, seed: int = 0) -> Problem:
    g = torch.Generator().manual_seed(seed)
    batch = len(case.lengths)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=g).to(dtype)

    q = normal(batch, case.seqlen, HEADS, DIM)
    new = [normal(batch, case.seqlen_new, KV_HEADS, DIM) for _ in "kv"]
    old = [[normal(n, KV_HEADS, DIM) for n in case.lengths] for _ in "kv"]
    arguments: dict[str, Any] = {
        "softmax_scale": case.scale, "causal": case.causal, "window_size": case.window, "softcap": case.softcap,
        "rotary_interleaved": case.rotary != "halves", "num_splits": case.num_splits, "return_softmax_lse": True,
    }  # fmt: skip

    # The pool: NaN in unwritten slots.
    page = case.page or CAPACITY
    columns = CAPACITY // page
    pool = batch * columns + 2
    order = torch.randperm(pool, generator=g)[: batch * columns].view(batch, columns)
    if not case.page and not case.shuffled:
        order = torch.arange(batch)[:, None]
    shape = (pool, KV_HEADS, page, DIM) if case.heads_first else (pool, page, KV_HEADS, DIM)
    caches = [torch.full(shape, torch.nan, dtype=dtype) for _ in "kv"]
    caches = [c.transpose(1, 2) if case.heads_first else c for c in caches]
    for cache, sequences in zip(caches, old, strict=True):
        for i, rows in enumerate(sequences):
            j = torch.arange(len(rows))
            cache[order[i, j // page], j % page] = rows
    if case.page:
        arguments["block_table"] = order.to(torch.int32)
    elif case.shuffled:
        arguments["cache_batch_idx"] = order[:, 0].to(torch.int32)
    arguments["cache_seqlens"] = case.lengths[0] if case.int_length else torch.tensor(case.lengths, dtype=torch.int32)
    if case.leftpad:
        arguments["cache_leftpad"] = torch.tensor(case.leftpad, dtype=torch.int32)
    if case.seqlen_new:
        arguments["k"], arguments["v"] = new
    slopes = torch.rand(batch, HEADS, generator=g) if case.slopes else None
    if slopes is not None:
        slopes = slopes if case.slopes == "batch" else slopes[:1].expand(batch, -1)
        arguments["alibi_slopes"] = slopes if case.slopes == "batch" else slopes[0]
    cos = sin = None
    if case.rotary:
        angles = torch.rand(CAPACITY, ROTARY // 2, generator=g) * 6.28
        cos, sin = angles.cos().to(dtype), angles.sin().to(dtype)
        arguments["rotary_cos"], arguments["rotary_sin"] = cos, sin

    # FlashAttention's rule: with a mask that knows positions each query has its own, else all have the first.
    local = case.causal or any(0 <= side < CAPACITY for side in case.window)
    problem = Problem(arguments, torch.empty(0), torch.empty(0))
    outs, lses = [], []
    for i, n in enumerate(case.lengths):
        qi, added = q[i].double(), new[0][i].double()
        if cos is not None and sin is not None:
            style = case.rotary == "interleaved"
            at = [n + j if local else n for j in range(case.seqlen)]
            qi = torch.stack([rotate(x, cos[p].double(), sin[p].double(), style) for x, p in zip(qi, at, strict=True)])
            added = [rotate(x, cos[n + j].double(), sin[n + j].double(), style) for j, x in enumerate(added)]
            added = torch.stack(added)
            # What arrives at the score has the input's precision, as on FlashAttention.
            qi, added = qi.to(dtype).double(), added.to(dtype).double()
        problem.keys.append(torch.cat([old[0][i].double(), added]))
        problem.values.append(torch.cat([old[1][i], new[1][i]]).double())
        pad = case.leftpad[i] if case.leftpad else 0
        out, lse = dense(
            qi, problem.keys[i][pad:], problem.values[i][pad:], scale=case.scale or DIM**-0.5,
            window=(case.window[0], 0 if case.causal else case.window[1]), softcap=case.softcap,
            slopes=None if slopes is None else slopes[i].double(),
        )  # fmt: skip
        outs.append(out)
        lses.append(lse)
    problem.out, problem.lse = torch.stack(outs), torch.stack(lses)
    problem.stored = lambda cache, i: cache[order[i].to(cache.device)].flatten(0, 1)
    arguments.update(q=q, k_cache=caches[0], v_cache=caches[1])
    problem.arguments = {k: x.to(DEVICE) if isinstance(x, Tensor) else x for k, x in arguments.items()}
    return problem


def check(problem: Problem, dtype: torch.dtype, function: Callable[..., Any] = flash_attn_with_kvcache) -> None:
    """Check the result, the log-sum-exp and every slot of the cache."""
    tolerance = TOLERANCE[dtype]
    before = {name: problem.arguments[name].clone() for name in ("k_cache", "v_cache")}
    out, lse = function(**problem.arguments)
    assert out.shape == problem.arguments["q"].shape and out.dtype == dtype
    assert lse.shape == problem.lse.shape and lse.dtype == torch.float32 and lse.is_contiguous()
    assert error(out, problem.out) < tolerance
    assert error(lse, problem.lse) < tolerance
    for name, rows in (("k_cache", problem.keys), ("v_cache", problem.values)):
        cache = problem.arguments[name]
        for i, expected in enumerate(rows):
            stored = problem.stored(cache, i)
            assert not len(expected) or error(stored[: len(expected)], expected) < tolerance
            assert stored[len(expected) :].isnan().all(), "a slot past the sequence was written"
        kept = ~before[name].isnan()
        assert torch.equal(cache[kept], before[name][kept]), "a slot that was full has changed"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equals_dense_attention(case: Case) -> None:
    check(build(case, torch.float32), torch.float32)


NAMED = {case.name: case for case in CASES}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    "name", ["plain-page-16", "plain-contiguous", "halves", "interleaved", "alibi-not-causal", "everything", "short"]
)
def test_half_precision(name: str, dtype: torch.dtype) -> None:
    check(build(NAMED[name], dtype), dtype)


def test_without_lse_returns_the_output_alone() -> None:
    problem = build(NAMED["plain-page-16"], torch.float32)
    del problem.arguments["return_softmax_lse"]
    assert error(flash_attn_with_kvcache(**problem.arguments), problem.out) < TOLERANCE[torch.float32]


def test_the_number_of_splits_changes_no_bit() -> None:
    a = build(NAMED["scale-splits"], torch.float32).arguments
    results = [flash_attn_with_kvcache(**{**a, "num_splits": n}) for n in (0, 1, 2, 5)]
    for out, lse in results[1:]:
        assert torch.equal(out, results[0][0]) and torch.equal(lse, results[0][1])


def test_no_cache_seqlens_means_the_whole_cache() -> None:
    problem = build(NAMED["whole-cache"], torch.float32)
    del problem.arguments["cache_seqlens"]
    check(problem, torch.float32)


def test_strided_inputs() -> None:
    """Queries out of a fused projection, a cache that is a slice of a longer one, transposed new keys."""
    problem = build(NAMED["plain-contiguous"], torch.float32)
    a = problem.arguments
    a["q"] = torch.cat([a["q"], a["k"], a["v"]], dim=2)[:, :, :HEADS]
    a["k"] = a["k"].transpose(2, 3).contiguous().transpose(2, 3)
    for name in ("k_cache", "v_cache"):
        a[name] = torch.cat([a[name], torch.full_like(a[name], torch.nan)], dim=1)[:, :CAPACITY]
    check(problem, torch.float32)
    problem = build(NAMED["leftpad"], torch.float32)
    a = problem.arguments
    both = torch.stack([a["k_cache"], a["v_cache"]], dim=1)
    a["k_cache"], a["v_cache"] = both[:, 0], both[:, 1]
    check(problem, torch.float32)


@pytest.mark.parametrize("name", ["everything", "alibi", "batch-idx"])
def test_strided_indices(name: str) -> None:
    """Every second entry of larger tensors, as columns of a cache manager's table are."""
    problem = build(NAMED[name], torch.float32)
    for argument in ("cache_seqlens", "cache_batch_idx", "cache_leftpad", "block_table", "alibi_slopes"):
        x = problem.arguments.get(argument)
        if x is not None:
            problem.arguments[argument] = x.repeat_interleave(2, -1)[..., ::2]
    check(problem, torch.float32)


def _ints(*values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32)


# Of two sequences in a cache of CAPACITY tokens each, one token appended.
OUT_OF_RANGE: dict[str, tuple[str, Any, str]] = {
    "appended-at-capacity": (
        "cache_seqlens",
        _ints(4, CAPACITY),
        rf"cache_seqlens\[1\] is {CAPACITY}, expected 0 to {CAPACITY - 1}, what the cache can hold",
    ),
    "length": ("cache_seqlens", _ints(5000, 4), rf"cache_seqlens\[0\] is 5000, expected 0 to {CAPACITY - 1}"),
    "length-of-a-billion": ("cache_seqlens", _ints(4, 2**30), r"cache_seqlens\[1\] is 1073741824, expected 0 to"),
    "length-negative": ("cache_seqlens", _ints(4, -1), r"cache_seqlens\[1\] is -1, expected 0 to"),
    "leftpad": ("cache_leftpad", _ints(0, CAPACITY + 1), rf"cache_leftpad\[1\] is {CAPACITY + 1}, expected 0 to"),
    "leftpad-negative": ("cache_leftpad", _ints(-1, 0), r"cache_leftpad\[0\] is -1, expected 0 to"),
    "block": ("block_table", 103, r"block_table\[1\]\[0\] is 103, expected 0 to \d+, the blocks of k_cache"),
    "block-negative": ("block_table", -1, r"block_table\[1\]\[0\] is -1, expected 0 to"),
    "block-large": ("block_table", 10**8, r"block_table\[1\]\[0\] is 100000000, expected 0 to"),
    "row": ("cache_batch_idx", _ints(0, 9), r"cache_batch_idx\[1\] is 9, expected 0 to \d+, the rows of k_cache"),
}


def _with_wrong_value(argument: str, value: Any) -> dict[str, Any]:
    page = 0 if argument == "cache_batch_idx" else 16
    case = Case("full", lengths=(CAPACITY - 1, 4), seqlen=1, seqlen_new=1, page=page)
    arguments = build(case, torch.float32).arguments
    if argument == "block_table":
        arguments[argument][1, 0] = value
    else:
        arguments[argument] = value
    return arguments


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_values_out_of_range_are_refused_before_anything_is_written(name: str) -> None:
    argument, value, message = OUT_OF_RANGE[name]
    arguments = _with_wrong_value(argument, value)
    before = arguments["k_cache"].clone()
    with pytest.raises(ValueError, match=f"flash_attn_with_kvcache: {message}"):
        flash_attn_with_kvcache(**arguments)
    torch.testing.assert_close(arguments["k_cache"], before, rtol=0, atol=0, equal_nan=True)


def test_table_entries_behind_a_sequence_may_be_anything() -> None:
    problem = build(Case("short", lengths=(17, 4), seqlen=1, seqlen_new=1, page=16), torch.float32)
    problem.arguments["block_table"][0, 2:] = -1
    problem.arguments["block_table"][1, 1:] = 10**8
    check(problem, torch.float32)


@pytest.mark.parametrize("name", ["appended-at-capacity", "length", "block", "block-large"])
def test_compiled_code_refuses_values_out_of_range(name: str) -> None:
    """Compiled operators check the values: the errors name their arguments."""
    argument, value, _ = OUT_OF_RANGE[name]
    compiled = torch.compile(flash_attn_with_kvcache, fullgraph=True, backend="aot_eager")
    with pytest.raises(ValueError, match=r"slot_mapping has slot|block_tables has block|seq_lens has"):
        compiled(**_with_wrong_value(argument, value))


def test_nothing_to_do() -> None:
    q, cache = torch.zeros(2, 0, HEADS, DIM), torch.zeros(2, 8, KV_HEADS, DIM)
    out, lse = flash_attn_with_kvcache(q, cache, cache.clone(), cache_seqlens=3, return_softmax_lse=True)
    assert out.shape == q.shape and lse.shape == (2, HEADS, 0)


def test_no_synchronisation_with_the_device() -> None:
    """Every path runs on fake tensors, whose values cannot be read."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    mode = FakeTensorMode()
    for name in ("plain-page-16", "everything", "short-alibi-both", "window-both", "batch-idx"):
        arguments = build(NAMED[name], torch.float32).arguments
        fake = {k: mode.from_tensor(x) if isinstance(x, Tensor) else x for k, x in arguments.items()}
        with mode:
            out, _ = flash_attn_with_kvcache(**fake)
        assert out.shape == arguments["q"].shape


COMPILED = (
    Case("decode", seqlen=1, seqlen_new=1, page=16, rotary="halves"),
    Case("leftpad-alibi", lengths=(37, 120), leftpad=(7, 100), slopes="head", causal=False, page=12),
)


@pytest.mark.parametrize("case", COMPILED, ids=str)
def test_compiles_without_a_graph_break(case: Case) -> None:
    compiled = torch.compile(flash_attn_with_kvcache, fullgraph=True, backend="aot_eager")
    check(build(case, torch.float32), torch.float32, compiled)


@pytest.mark.parametrize("name", ["heads-first-leftpad", "everything", "short-alibi-both"])
def test_caches_of_different_strides(name: str) -> None:
    """Heads first in k_cache, tokens first in v_cache: one table cannot name single tokens of both."""
    problem = build(replace(NAMED[name], heads_first=True), torch.float32)
    problem.arguments["v_cache"] = problem.arguments["v_cache"].contiguous()
    assert problem.arguments["k_cache"].stride() != problem.arguments["v_cache"].stride()
    check(problem, torch.float32)


def test_rotation_past_the_table_takes_its_last_row() -> None:
    """More queries than the cache has room for after the cached tokens."""
    problem = build(Case("rotated", lengths=(30,), seqlen=3, seqlen_new=1, rotary="halves"), torch.float32)
    a = problem.arguments
    a["k_cache"], a["v_cache"] = a["k_cache"][:1, :32].clone(), a["v_cache"][:1, :32].clone()
    a["rotary_cos"], a["rotary_sin"] = a["rotary_cos"][:32], a["rotary_sin"][:32]
    longer = {name: torch.cat([a[name], a[name][-1:]]) for name in ("rotary_cos", "rotary_sin")}
    out, expected = (flash_attn_with_kvcache(**{**a, **tables})[0] for tables in ({}, longer))
    assert torch.equal(out, expected)


_INT32 = torch.tensor([3, 4], dtype=torch.int32)
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "q-dim": ({"q": torch.zeros(2, HEADS, DIM)}, r"q has 3 dimensions"),
    "q-dtype": ({"q": torch.zeros(2, 1, HEADS, DIM, dtype=torch.float64)}, r"q has dtype torch.float64"),
    "q-empty": ({"q": torch.zeros(0, 1, HEADS, DIM)}, r"q has shape \(0, 1, 4, 32\), expected a batch of 1"),
    "q-no-heads": ({"q": torch.zeros(2, 1, 0, DIM)}, r"q has 0 heads"),
    "q-heads": ({"q": torch.zeros(2, 1, 3, DIM)}, r"q has 3 heads, expected a multiple of the 2"),
    "cache-dtype": ({"k_cache": torch.zeros(6, 16, KV_HEADS, DIM, dtype=torch.float16)}, r"k_cache has dtype"),
    "cache-headdim": ({"k_cache": torch.zeros(6, 16, KV_HEADS, 64)}, r"k_cache has shape .*64.*headdim"),
    "v-cache": ({"v_cache": torch.zeros(6, 8, KV_HEADS, DIM)}, r"v_cache has shape \(6, 8"),
    "cache-empty": (
        {"k_cache": torch.zeros(6, 0, KV_HEADS, DIM), "v_cache": torch.zeros(6, 0, KV_HEADS, DIM)},
        r"k_cache has an empty dimension, shape \(6, 0",
    ),
    "cache-stride": ({"k_cache": torch.zeros(6, 16, DIM, 2).mT}, r"k_cache has stride 2 in its last dimension"),
    "k-alone": ({"v": None}, r"v is None"),
    "v-alone": ({"k": None}, r"k is None"),
    "k-shape": ({"k": torch.zeros(2, 1, HEADS, DIM)}, r"k has shape \(2, 1, 4, 32\)"),
    "k-dim": ({"k": torch.zeros(2, KV_HEADS, DIM)}, r"k has shape \(2, 2, 32\), expected \[batch, seqlen_new"),
    "k-too-long": (
        {"k": torch.zeros(2, 33, KV_HEADS, DIM), "v": torch.zeros(2, 33, KV_HEADS, DIM)},
        r"k has 33 tokens a sequence, expected at most 32",
    ),
    "v-shape": ({"v": torch.zeros(2, 2, KV_HEADS, DIM)}, r"v has shape \(2, 2, 2, 32\)"),
    "no-seqlens": ({"cache_seqlens": None}, r"cache_seqlens is None"),
    "seqlens-type": ({"cache_seqlens": 3.0}, r"cache_seqlens is a float, expected an int, a tensor or None"),
    "seqlens-dtype": ({"cache_seqlens": _INT32.long()}, r"cache_seqlens has dtype torch.int64, expected torch.int32"),
    "seqlens-shape": ({"cache_seqlens": _INT32[:1]}, r"cache_seqlens has shape \(1,\)"),
    "seqlens-full": ({"cache_seqlens": 32}, r"cache_seqlens is 32, expected 0 to 31"),
    "seqlens-negative": ({"cache_seqlens": -1}, r"cache_seqlens is -1"),
    "idx-and-table": ({"cache_batch_idx": _INT32}, r"cache_batch_idx is given together with block_table"),
    "idx-dtype": ({"block_table": None, "cache_batch_idx": _INT32.long()}, r"cache_batch_idx has dtype"),
    "too-few-rows": (
        {"block_table": None, "k_cache": torch.zeros(1, 16, 2, DIM), "v_cache": torch.zeros(1, 16, 2, DIM)},
        r"k_cache has 1 rows, expected at least q's batch size, 2",
    ),
    "table-dtype": ({"block_table": torch.zeros(2, 2, dtype=torch.int64)}, r"block_table has dtype"),
    "table-rows": ({"block_table": torch.zeros(3, 2, dtype=torch.int32)}, r"block_table has shape \(3, 2\)"),
    "table-empty": ({"block_table": torch.zeros(2, 0, dtype=torch.int32)}, r"block_table has shape \(2, 0\)"),
    "leftpad": ({"cache_leftpad": _INT32.float()}, r"cache_leftpad has dtype"),
    "slopes-shape": ({"alibi_slopes": torch.zeros(3)}, r"alibi_slopes has shape \(3,\)"),
    "slopes-dtype": ({"alibi_slopes": torch.zeros(HEADS).half()}, r"alibi_slopes has dtype"),
    "cos-alone": ({"rotary_cos": torch.zeros(32, 8)}, r"rotary_sin is None"),
    "sin-alone": ({"rotary_sin": torch.zeros(32, 8)}, r"rotary_cos is None"),
    "cos-without-k": (
        {"rotary_cos": torch.zeros(32, 8), "rotary_sin": torch.zeros(32, 8), "k": None, "v": None},
        r"rotary_cos is given without k",
    ),
    "cos-too-short": (
        {"rotary_cos": torch.zeros(31, 8), "rotary_sin": torch.zeros(31, 8)},
        r"rotary_cos has shape \(31, 8\), expected \[at least 32",
    ),
    "cos-too-short-for-q": (
        {
            "rotary_cos": torch.zeros(32, 8), "rotary_sin": torch.zeros(32, 8), "q": torch.zeros(2, 4, HEADS, DIM),
            "cache_seqlens": 30, "causal": True,
        },
        r"rotary_cos has 32 rows, expected at least 34",
    ),
    "cos-too-wide": (
        {"rotary_cos": torch.zeros(32, 17), "rotary_sin": torch.zeros(32, 17)},
        r"rotary_cos has shape .* half of headdim",
    ),
    "sin-shape": ({"rotary_cos": torch.zeros(32, 8), "rotary_sin": torch.zeros(32, 4)}, r"rotary_sin has shape"),
    "cos-dtype": (
        {"rotary_cos": torch.zeros(32, 8).int(), "rotary_sin": torch.zeros(32, 8).int()},
        r"rotary_cos has dtype torch.int32",
    ),
    "window": ({"window_size": (1, 2, 3)}, r"window_size is \(1, 2, 3\), expected \(left, right\)"),
    "softcap": ({"softcap": -1.0}, r"softcap is -1.0, expected 0 or more"),
    "num-splits": ({"num_splits": -1}, r"num_splits is -1"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_named(name: str) -> None:
    arguments: dict[str, Any] = {
        "q": torch.zeros(2, 1, HEADS, DIM), "k_cache": torch.zeros(6, 16, KV_HEADS, DIM),
        "v_cache": torch.zeros(6, 16, KV_HEADS, DIM), "k": torch.zeros(2, 1, KV_HEADS, DIM),
        "v": torch.zeros(2, 1, KV_HEADS, DIM), "cache_seqlens": _INT32,
        "block_table": torch.tensor([[0, 1], [2, 3]], dtype=torch.int32),
    }  # fmt: skip
    change, message = WRONG[name]
    with pytest.raises(ValueError, match=f"flash_attn_with_kvcache: {message}"):
        flash_attn_with_kvcache(**{**arguments, **change})


# --- A decoder written for FlashAttention ---------------------------------------------------------------------


class LlamaLayer(nn.Module):
    """Attention and MLP; `attend` is the only thing that differs between a dense and a cached run."""

    def __init__(self, width: int = HEADS * DIM) -> None:
        super().__init__()
        self.norm, self.norm_2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv = nn.Linear(width, (HEADS + 2 * KV_HEADS) * DIM, bias=False)
        self.o, self.up = nn.Linear(width, width, bias=False), nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(2 * width, width, bias=False)

    def forward(self, x: Tensor, attend: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Tensor:
        heads = self.qkv(self.norm(x)).unflatten(-1, (-1, DIM))
        x = x + self.o(attend(*heads.split((HEADS, KV_HEADS, KV_HEADS), dim=2)).flatten(2))
        gate, up = self.up(self.norm_2(x)).chunk(2, dim=-1)
        return x + self.down(nn.functional.silu(gate) * up)


class Llama(nn.Module):
    """Two layers over 64 tokens, rotary embedding of the halves."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(64, HEADS * DIM), nn.Linear(HEADS * DIM, 64, bias=False)
        self.layers = nn.ModuleList(LlamaLayer() for _ in range(2))
        angles = torch.arange(256.0)[:, None] / 10000 ** (torch.arange(0, DIM, 2) / DIM)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, tokens: Tensor, attend: Callable[[int], Callable[..., Tensor]]) -> Tensor:
        x = self.embed(tokens)
        for i, layer in enumerate(self.layers):
            x = layer(x, attend(i))
        return self.head(x)

    def dense(self, tokens: Tensor) -> Tensor:
        """Run the whole sequence at once without a cache, through PyTorch's attention."""

        def rotated(x: Tensor) -> Tensor:
            cos, sin = (t[: x.shape[1], None].repeat(1, 1, 2) for t in (self.cos, self.sin))
            first, second = x.chunk(2, dim=-1)
            return x * cos + torch.cat([-second, first], -1) * sin

        def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            q, k, v = (x.transpose(1, 2) for x in (rotated(q), rotated(k), v))
            out = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            return out.transpose(1, 2)

        return self(tokens, lambda _: attend)

    def cached(self, tokens: Tensor, cache: CacheManager, slots: list[int]) -> Tensor:
        """Run the next tokens of the sequences in `slots`: the function rotates, appends and attends."""
        seqlens, table = cache.extend(slots, tokens.shape[1])

        def attend(i: int) -> Callable[..., Tensor]:
            return lambda q, k, v: flash_attn_with_kvcache(
                q, cache.k[i], cache.v[i], k, v, rotary_cos=self.cos, rotary_sin=self.sin, cache_seqlens=seqlens,
                block_table=table, causal=True, rotary_interleaved=False,
            )  # fmt: skip

        return self(tokens, attend)


class CacheManager:
    """Blocks, tables and lengths as users keep them for FlashAttention, independent of torchpaged."""

    def __init__(self, layers: int, page: int, num_blocks: int, max_blocks: int, num_slots: int) -> None:
        shape = (layers, num_blocks, page, KV_HEADS, DIM)
        self.k, self.v = (torch.full(shape, torch.nan, device=DEVICE) for _ in "kv")
        self.page, self.free = page, list(range(num_blocks))
        self.tables: list[list[int]] = [[] for _ in range(num_slots)]
        self.lengths, self.max_blocks = [0] * num_slots, max_blocks

    def extend(self, slots: list[int], count: int) -> tuple[Tensor, Tensor]:
        """Allocate room for `count` more tokens of each; return the lengths before them and the block table."""
        before = [self.lengths[i] for i in slots]
        for i in slots:
            self.lengths[i] += count
            while len(self.tables[i]) * self.page < self.lengths[i]:
                self.tables[i].append(self.free.pop())
        rows = [self.tables[i] + [0] * (self.max_blocks - len(self.tables[i])) for i in slots]
        return tuple(torch.tensor(x, dtype=torch.int32, device=DEVICE) for x in (before, rows))

    def release(self, slot: int) -> None:
        self.free += self.tables[slot]
        self.tables[slot], self.lengths[slot] = [], 0


@pytest.mark.parametrize("page", [256, 16, 5])  # FlashAttention's unit, and two that it refuses
@torch.inference_mode()
def test_a_decoder_written_for_flash_attention(page: int) -> None:
    """Greedy generation over the paged cache gives the logits and tokens of a model without a cache.

    Three prompts are prefilled one by one and decoded as one batch; then one leaves and another has its blocks.
    """
    torch.manual_seed(0)
    model = Llama().to(DEVICE)
    max_blocks = -(-64 // page)
    cache = CacheManager(len(model.layers), page, num_blocks=3 * max_blocks, max_blocks=max_blocks, num_slots=3)
    texts = [torch.randint(64, (1, n), device=DEVICE) for n in (13, 5, 21)]
    logits = [[model.cached(text, cache, [i])] for i, text in enumerate(texts)]

    def decode(steps: int) -> None:
        for _ in range(steps):
            token = torch.cat([rows[-1][:, -1:].argmax(-1) for rows in logits])
            for i, row in enumerate(model.cached(token, cache, [0, 1, 2])):
                texts[i] = torch.cat([texts[i], token[i : i + 1]], dim=1)
                logits[i].append(row[None])

    def compare() -> None:
        for text, rows in zip(texts, logits, strict=True):
            dense = model.dense(text)
            torch.testing.assert_close(torch.cat(rows, 1), dense, rtol=1e-4, atol=1e-4)
            assert torch.equal(torch.cat(rows, 1).argmax(-1), dense.argmax(-1))

    decode(12)
    compare()
    cache.release(1)
    texts[1] = torch.randint(64, (1, 9), device=DEVICE)
    logits[1] = [model.cached(texts[1], cache, [1])]
    decode(8)
    compare()
