"""paged_sparse_attention on every backend against float64 with the same choices, and static_block_mask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.examples import examples
from tests.ops import backends
from tests.ops.cases import DTYPES, TOLERANCE, Case, Problem, build, error, named
from tests.ops.selections import KINDS, choose, expected
from tests.ops.test_random import QUANTISED, cases, quantise
from torchpaged.ops import cpu
from torchpaged.ops.sparse_attention import static_block_mask

OPS = torch.ops.torchpaged
# Every feature once; what is not here is in the random calls.
SOME = named(
    "plain",
    "decode",
    "splits",
    "prefill",
    "not-causal",
    "not-causal-window",
    "mqa",
    "head-dim-80",
    "value-narrower",
    "heads-first",
    "empty-sequences",
    "padded-rows-of-nothing",
    "everything",
    "distance-bias-window",
    "distance-bias-everything",
    "tree",
    "tree-everything",
    "block-1",
    "block-5",
    "mla",
)
SETTINGS: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}


def run(
    backend: str, problem: Problem, selected: Tensor, granularity: int, overload: str = "_with_lse", **more: Any
) -> Any:
    """Call the operator on a problem."""
    options = {**problem.options, **more, "granularity": granularity}
    return backends.call(backend)(f"paged_sparse_attention{overload}", *problem.arguments.values(), selected, **options)


def dense(backend: str, problem: Problem) -> Any:
    return backends.call(backend)("paged_attention_with_lse", *problem.arguments.values(), **problem.options)


def same_bits(found: tuple[Tensor, Tensor], wanted: tuple[Tensor, Tensor]) -> bool:
    return all(map(torch.equal, found, wanted))


def calls_of(sizes: tuple[int, ...]) -> list[Any]:
    """Return (case, granularity, backend) for all of them, most of the interpreter's marked long.

    A call takes it a second, so each case has one of the sizes there, and only the plain one has all.
    """
    found = []
    for place, case in enumerate(SOME):
        for number, size in enumerate(sizes):
            for backend in backends.BACKENDS:
                slow = backend == "triton" and backends.DEVICE == "cpu" and case.name != "plain"
                marks = pytest.mark.long if slow and place % len(sizes) != number else ()
                found.append(pytest.param(case, size, backend, marks=marks))
    return found


def of_backend(case: Case, backend: str) -> Case:
    """Shorten a case for Triton's interpreter, where each token is a program of its own."""
    if backend != "triton" or backends.DEVICE == "cuda":
        return case
    return replace(case, lengths=tuple((min(query_len, 5), seq_len) for query_len, seq_len in case.lengths))


@pytest.mark.parametrize(("case", "granularity", "backend"), calls_of((1, 8, 48)), ids=str)
def test_equals_the_oracle(case: Case, granularity: int, backend: str) -> None:
    """With choices for all KV heads, and for each."""
    own, case = granularity == 8, of_backend(case, backend)
    dtype = torch.bfloat16 if granularity == 8 else torch.float32
    problem = build(case, dtype, device=backends.device(backend))
    selected = choose(problem, case.heads[1] if own else 1, 9, granularity, "random")
    out, lse = run(backend, problem, selected, granularity)
    expected_out, expected_lse = expected(problem, selected, granularity)
    assert out.dtype == dtype and lse.dtype == torch.float32
    assert error(out, expected_out) < TOLERANCE[dtype]
    assert error(lse, expected_lse) < TOLERANCE[dtype]
    assert torch.equal(run(backend, problem, selected, granularity, ""), out)


@pytest.mark.parametrize(("case", "granularity", "backend"), calls_of((1, 6, 16, 1000)), ids=str)
def test_all_selected_has_the_bits_of_the_dense_operator(case: Case, granularity: int, backend: str) -> None:
    case = of_backend(case, backend)
    for dtype in DTYPES if backend == "cpp" else (torch.bfloat16,):
        problem = build(case, dtype, device=backends.device(backend))
        selected = choose(problem, 1, 0, granularity, "all")
        found = run(backend, problem, selected, granularity)
        assert same_bits(found, dense(backend, problem)), str(dtype)
        for_each = selected.expand(-1, case.heads[1], -1).contiguous()
        assert same_bits(run(backend, problem, for_each, granularity), found), "for each head"


@st.composite
def calls(draw: st.DrawFn, longest: int) -> tuple[Any, ...]:
    case = draw(cases(longest))
    granularity = draw(st.one_of(st.just(1), st.just(1), st.integers(1, longest)))
    cache = draw(st.sampled_from((None, None, *QUANTISED)))
    kind, count = draw(st.sampled_from(KINDS)), draw(st.sampled_from((0, 1, 2, 7, 40, 400)))
    return case, draw(st.sampled_from(DTYPES)), cache, draw(st.booleans()), granularity, kind, count


def check(backend: str, call: tuple[Any, ...], own: bool) -> None:
    """Check one call's values, and that its bits depend on the set of keys alone."""
    case, dtype, cache, per_token, granularity, kind, count = call
    problem = build(case, dtype, device=backends.device(backend))
    more = {} if cache is None else quantise(problem, cache, per_token)
    selected = choose(problem, case.heads[1] if own else 1, count, granularity, kind)
    if cache is not None:
        # Numbers near the end of a type's range may round to it, so a quantised cache has the tolerance of bfloat16.
        dtype = torch.bfloat16 if dtype == torch.bfloat16 else torch.float16
    found = run(backend, problem, selected, granularity, **more)
    if not any(map(len, problem.queries)):  # the oracle has no row
        assert not found[0].any()
        return
    wanted = expected(problem, selected, granularity)
    # Values cancel, and an error is one of what was added up.
    least = max([float(each.abs().max()) for each in problem.values if each.numel()], default=1.0)
    scores = max(1.0, (case.head_dim**-0.5 if case.scale is None else case.scale) * case.head_dim**0.5)
    assert error(found[0], wanted[0], least) < TOLERANCE[dtype]
    assert error(found[1], wanted[1], scores) < TOLERANCE[dtype]
    order = torch.randperm(selected.shape[2])
    again = torch.cat([selected[..., order], selected, torch.full_like(selected[..., :1], -3)], 2)
    if selected.shape[2] and backend != "reference":
        assert same_bits(run(backend, problem, again.contiguous(), granularity, **more), found)


@examples(15)
@given(calls(90), st.booleans())
def test_random_calls(call: tuple[Any, ...], own: bool) -> None:
    for backend in ("reference", "cpp"):
        check(backend, call, own)


@pytest.mark.long
@settings(max_examples=500, **SETTINGS)
@given(calls(700), st.booleans())
def test_many_random_calls(call: tuple[Any, ...], own: bool) -> None:
    check("cpp", call, own)


@examples(1)
@given(calls(24), st.booleans())
def test_random_calls_in_triton(call: tuple[Any, ...], own: bool) -> None:
    check("triton", call, own)


@pytest.mark.parametrize("backend", ["cpp", "triton"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_does_not_depend_on_its_neighbours(kind: str, backend: str) -> None:
    """A prefill's rows, and the same rows as chunks and decode steps, by threads and splits."""
    total = 12 if backend == "triton" and backends.DEVICE == "cpu" else 560
    problem = build(Case("prefill", ((total, total),)), torch.bfloat16, device=backends.device(backend))
    selected = choose(problem, 2, total, 1, kind)
    whole = run(backend, problem, selected, 1)
    query, threads = problem.arguments["query"], torch.get_num_threads()
    for first, last in ((0, total // 2), (total // 2, total - 1), (total - 1, total)):
        problem.arguments["query"] = query[first:last]
        problem.arguments["seq_lens"] = torch.tensor([last], dtype=torch.int32, device=query.device)
        problem.arguments["query_start_loc"] = torch.tensor([0, last - first], dtype=torch.int32, device=query.device)
        # A prefill's ids of later positions are no groups of the shorter sequence.
        chosen = torch.where(selected[first:last] < last, selected[first:last], -1)
        for number in (1, 2, 3) if backend == "cpp" else (1,):
            torch.set_num_threads(number)
            for splits in (0, 3):
                found = run(backend, problem, chosen, 1, num_splits=splits)
                torch.set_num_threads(threads)
                assert same_bits(found, tuple(each[first:last] for each in whole)), f"{first} to {last}"


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_what_is_not_selected_is_not_read(backend: str) -> None:
    """Keys and values that no token selects may be NaN, and so may those behind the end."""
    problem = build(Case("decode", ((1, 100), (1, 37))), torch.float32, device=backends.device(backend))
    selected = choose(problem, 1, 9, 1, "random")
    wanted = run(backend, problem, selected, 1)
    tables = problem.arguments["block_tables"]
    for i, (_, seq_len) in enumerate(problem.case.lengths):
        for position in set(range(seq_len)) - set(selected[i].flatten().tolist()):
            for name in ("key_cache", "value_cache"):
                problem.arguments[name][tables[i, position // 16], position % 16] = torch.nan
        # A block without a selected position may be any number.
        read = {p // 16 for p in selected[i].flatten().tolist() if p >= 0}
        for block in set(range(-(-seq_len // 16))) - read:
            tables[i, block] = 2**30
    assert same_bits(run(backend, problem, selected, 1), wanted)


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_strided_selections(backend: str) -> None:
    """A part of wider ones, and one for all tokens."""
    problem = build(named("plain")[0], torch.float32, device=backends.device(backend))
    selected = choose(problem, 2, 9, 1, "random")
    wide = torch.nn.functional.pad(selected, (4, 5, 1, 2), value=3)[:, 1:3, 4:-5]
    assert same_bits(run(backend, problem, wide, 1), run(backend, problem, selected, 1))
    shared = torch.zeros(1, 1, 4, dtype=torch.int32, device=selected.device).expand(len(selected), -1, -1)
    assert same_bits(run(backend, problem, shared, 1), run(backend, problem, shared.contiguous(), 1))


@pytest.mark.gpu
def test_chosen_and_attended_in_a_cuda_graph() -> None:
    """The index's choice and the attention over it, captured once and replayed for other lengths and queries."""
    problem = build(Case("decode", ((1, 90), (1, 37), (1, 200))), torch.bfloat16, device="cuda")
    query, keys, values, tables, lens, starts = problem.arguments.values()
    keys, values = keys.nan_to_num(), values.nan_to_num()
    index = torch.randn(*keys.shape[:2], 1, 64, device="cuda").bfloat16()
    asks, weights = torch.randn(3, 8, 64, device="cuda").bfloat16(), torch.randn(3, 8, device="cuda")

    def step() -> tuple[Tensor, Tensor]:
        selected = OPS.paged_topk(asks, weights, index, tables, lens, starts, 16, local=1)
        return selected, OPS.paged_sparse_attention(query, keys, values, tables, lens, starts, selected)

    step()  # compiles
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        held = step()
    for shorter in (0, 1, 30):
        lens.sub_(shorter)
        query.normal_()
        asks.normal_()
        graph.replay()
        found = [each.clone() for each in held]
        assert all(map(torch.equal, found, step()))
        assert bool((found[0] >= 0).any()) and bool(found[1].isfinite().all())


@pytest.mark.skipif(cpu.isa() == "none", reason="there is no C++ library")
def test_a_table_of_chosen_blocks_agrees_with_the_dense_operator() -> None:
    """Whole blocks of one sequence, as a sequence of their own: the same keys in the same order."""
    problem = build(Case("decode", ((1, 96),)), torch.bfloat16)
    selected = torch.tensor([[[4, 0, 3]]], dtype=torch.int32)
    found = run("cpp", problem, selected, 16)
    problem.arguments["block_tables"] = problem.arguments["block_tables"][:, [0, 3, 4]].contiguous()
    problem.arguments["seq_lens"] = torch.tensor([48], dtype=torch.int32)
    assert same_bits(found, dense("cpp", problem))


def test_compiled_and_exported() -> None:
    """A module that chooses by a static pattern, as one graph; the exported program gives the same."""

    class Module(torch.nn.Module):
        def forward(self, *given: Tensor) -> Tensor:
            query, *_, lens, starts = given
            selected = static_block_mask(
                lens, starts, query.shape[0], block_size=8, max_seq_len=64, local_blocks=1, vertical_stride=3
            )
            out: Tensor = OPS.paged_sparse_attention(*given, selected, granularity=8)
            return out

    problem = build(Case("plain", ((3, 60), (1, 41))), torch.float32)
    arguments, module = tuple(problem.arguments.values()), Module()
    arguments = (arguments[0], *(each.nan_to_num() for each in arguments[1:3]), *arguments[3:])
    with torch.inference_mode():
        wanted = module(*arguments)
        compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
        assert torch.equal(compiled(*arguments), wanted)
    exported = torch.export.export(module, arguments, strict=False)
    assert torch.equal(exported.module()(*arguments), wanted)


# --- Patterns ----------------------------------------------------------------------------------------------------


def pattern(lengths: tuple[tuple[int, int], ...], padding: int = 0, **options: Any) -> Tensor:
    lens = torch.tensor([seq_len for _, seq_len in lengths], dtype=torch.int32)
    starts = torch.tensor([0, *(query_len for query_len, _ in lengths)], dtype=torch.int32).cumsum(0).int()
    options = {"block_size": 4, "max_seq_len": 64, "local_blocks": 2, **options}
    return static_block_mask(lens, starts, int(starts[-1]) + padding, **options)


def test_vertical_stripes_are_those_of_the_first_kernels() -> None:
    """Transcribed from the original's loop over blocks."""
    stride, step, local = 4, 3, 2
    found = pattern(((5, 50), (1, 33)), vertical_stride=stride, head_sliding_step=step, num_kv_heads=3)
    positions = [*range(45, 50), 32]
    for row, position in enumerate(positions):
        for head in range(3):
            own, offset = position // 4, head * step + 1
            wanted = [k for k in range(own + 1) if (k + offset) % stride == 0 or k > own - local]
            entries = [k for k in found[row, head].tolist() if k >= 0]
            assert entries == wanted


def test_windows_with_global_blocks() -> None:
    found = pattern(((3, 40),), padding=2, global_blocks=1)
    assert found[0].tolist() == [[0, 8, 9]] and found[3:].eq(-1).all()
    both = pattern(((40, 40),), global_blocks=1, causal=False, max_seq_len=40)
    assert both[0].tolist() == [[*range(10)]], "a global block's token sees everything"
    assert [k for k in both[20, 0].tolist() if k >= 0] == [0, 4, 5, 6]


@pytest.mark.parametrize("causal", [True, False])
def test_random_blocks_do_not_depend_on_the_step(causal: bool) -> None:
    options = {"random_blocks": 3, "num_kv_heads": 2, "causal": causal}
    whole = pattern(((60, 60),), **options)
    for row in (0, 7, 31, 59):
        last = row + 1 if causal else 60
        chunk = pattern(((7, 7), (last - row, last)), **options)[7]
        assert torch.equal(chunk, whole[row])
    chosen = whole[50]
    assert chosen[0].tolist() != chosen[1].tolist()
    assert not torch.equal(chosen, pattern(((60, 60),), seed=1, **options)[50])
    for entries in whole.flatten(0, 1).tolist():
        real = [k for k in entries if k >= 0]
        assert sorted(set(real)) == real and entries[: len(real)] == real
    assert (chosen >= 0).sum(-1).tolist() == [5, 5] if causal else [6, 6]


def test_a_pattern_without_sequences() -> None:
    assert pattern((), padding=2).eq(-1).all() and len(pattern(())) == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"block_size": 0}, "static_block_mask: block_size is 0, expected 1 or more"),
        ({"vertical_stride": -1}, "static_block_mask: vertical_stride is -1, expected 0 or more"),
        ({"local_blocks": 0}, "static_block_mask: local_blocks is 0 without any other blocks, expected a pattern"),
    ],
)
def test_patterns_that_are_refused(options: dict[str, int], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        pattern(((1, 5),), **options)
