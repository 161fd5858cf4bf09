"""paged_topk on every backend against a full sort of float64 scores: the same groups in the same order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests import oracle
from tests.examples import examples
from tests.ops import backends

OPS = torch.ops.torchpaged
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
QUANTISED = (torch.int8, torch.float8_e4m3fn, torch.float8_e5m2)
SETTINGS: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}


@dataclass(frozen=True)
class Call:
    """Shapes and options of one call."""

    lengths: tuple[tuple[int, int], ...] = ((1, 37), (5, 18), (7, 7), (1, 1))  # (query_len, seq_len)
    heads: tuple[int, int] = (4, 1)
    dim: int = 32
    block_rows: int = 16
    k: int = 5
    rule: str = "relu"
    weighted: bool = True
    num_selections: int = 1
    granularity: int = 1
    tokens_per_row: int = 1
    initial: int = 0
    local: int = 0
    dtype: torch.dtype = torch.float32
    cache: torch.dtype | None = None
    scale_dim: int = -1  # of a quantised cache's scale; -1: none
    largest: int = 3  # numbers are whole ones up to this: the fewer, the more scores are equal
    padding: int = 0


@dataclass
class Problem:
    """A call's tensors, and the numbers that they are made from."""

    arguments: tuple[Any, ...]
    options: dict[str, Any]
    queries: Tensor
    weights: Tensor | None
    indices: list[Tensor]

    def expected(self, call: Call) -> list[list[list[tuple[float, int]]]]:
        """Return what the oracle says for each token of the sequences."""
        options = {name: each for name, each in self.options.items() if name != "index_scale"}
        found, token = [], 0
        for (query_len, seq_len), index in zip(call.lengths, self.indices, strict=True):
            for row in range(query_len):
                own = None if self.weights is None else self.weights[token]
                position = seq_len - query_len + row if seq_len else -1
                found.append(oracle.choose(self.queries[token], index, position, weights=own, **options))
                token += 1
        return found


def build(call: Call, seed: int = 0, device: str = "cpu", whole: bool = True) -> Problem:
    """Return whole numbers, whose products and sums are exact in float32, or random ones."""
    g = torch.Generator().manual_seed(seed)

    def numbers(*shape: int) -> Tensor:
        drawn = torch.randint(-call.largest, call.largest + 1, shape, generator=g).float()
        return drawn if whole else torch.randn(shape, generator=g)

    heads, index_heads = call.heads
    width = call.dim * (2 if call.rule == "bounds" else 1)
    tokens = sum(query_len for query_len, _ in call.lengths) + call.padding
    queries = numbers(tokens, heads, call.dim).to(call.dtype)
    weights = (numbers(tokens, heads) / 4).to(call.dtype if heads % 2 else torch.float32) if call.weighted else None
    kind = call.cache or call.dtype
    rows = [-(-seq_len // call.tokens_per_row) for _, seq_len in call.lengths]
    blocks = [-(-count // call.block_rows) for count in rows]
    pool = sum(blocks) + 2
    order = (torch.randperm(pool - 1, generator=g) + 1).tolist()
    cache = torch.full((pool, call.block_rows, index_heads, width), 100.0 if kind == torch.int8 else torch.nan).to(kind)
    scale = None
    if call.scale_dim >= 0:
        shape = {0: (), 1: (index_heads,), 3: cache.shape[:3]}[call.scale_dim]
        scale = 2.0 ** torch.randint(-2, 2, shape, generator=g).float()
    tables = torch.full((len(blocks), max(1, *blocks, 0) + 1), 2**30, dtype=torch.int32)
    indices = []
    for i, count in enumerate(rows):
        mine = [order.pop() for _ in range(blocks[i])]
        tables[i, : len(mine)] = torch.tensor(mine, dtype=torch.int32)
        row = torch.arange(count)
        places = torch.tensor(mine, dtype=torch.int64)[row // call.block_rows], row % call.block_rows
        drawn = numbers(count, index_heads, width)
        if call.rule == "bounds":
            low, high = drawn.chunk(2, -1)
            drawn = torch.cat([torch.minimum(low, high), torch.maximum(low, high)], -1)
        cache[places] = drawn.to(kind)
        factor = 1.0 if scale is None else scale[places][..., None] if scale.dim() == 3 else scale.reshape(-1, 1)
        indices.append(cache[places].float() * factor)
    starts = torch.tensor([0, *(query_len for query_len, _ in call.lengths)], dtype=torch.int32)
    lens = torch.tensor([seq_len for _, seq_len in call.lengths], dtype=torch.int32)
    tensors = (queries, weights, cache, tables, lens, starts.cumsum(0, dtype=torch.int32))
    options = {
        "rule": call.rule,
        "granularity": call.granularity,
        "num_selections": call.num_selections,
        "initial": call.initial,
        "local": call.local,
        "tokens_per_row": call.tokens_per_row,
        "scale": 0.5,
        "index_scale": None if scale is None else scale.to(device),
    }
    arguments = (*(None if each is None else each.to(device) for each in tensors), call.k)
    return Problem(arguments, options, queries, weights, indices)


def run(backend: str, problem: Problem) -> Tensor:
    found: Tensor = backends.call(backend)("paged_topk", *problem.arguments, **problem.options)
    return found.cpu()


def require_equal(found: Tensor, call: Call, problem: Problem) -> None:
    """Require the groups of a full stable sort, in its order, and -1 behind them."""
    wanted = [
        [[*(group for _, group in order), *[-1] * call.k][: call.k] for order in of_token]
        for of_token in problem.expected(call)
    ]
    wanted += [[[-1] * call.k] * call.num_selections] * call.padding
    assert found.dtype == torch.int32 and found.shape == (len(wanted), call.num_selections, call.k)
    assert found.tolist() == wanted


# Models' indexers, and what is odd.
CALLS = {
    "deepseek": Call(heads=(64, 1), dim=128, k=8),
    "deepseek-float8": Call(heads=(8, 1), dim=128, k=8, dtype=torch.bfloat16, cache=QUANTISED[1], scale_dim=3),
    "minimax": Call(rule="dot", weighted=False, num_selections=4, granularity=4, local=1, k=3, dtype=torch.bfloat16),
    "quest": Call(
        rule="bounds",
        weighted=False,
        heads=(6, 2),
        num_selections=2,
        block_rows=1,
        granularity=8,
        tokens_per_row=8,
        initial=1,
        local=1,
        k=3,
        lengths=((1, 90), (3, 41)),
    ),
    "all-equal": Call(largest=0, k=7, lengths=((1, 600), (3, 40))),
    "ties": Call(largest=1, dim=3, k=40, lengths=((2, 700),)),
    "one": Call(k=1, largest=1, dim=2),
    "fewer-than-k": Call(k=300),
    "groups-beyond-a-chunk": Call(rule="dot", granularity=700, k=2, lengths=((1, 2100), (2, 30))),
    "odd-groups": Call(rule="dot", granularity=7, k=4, block_rows=5, lengths=((3, 80),), num_selections=2),
    "index-heads": Call(heads=(12, 3), num_selections=4, weighted=False, rule="dot", dim=20),
    "a-head-of-selections": Call(heads=(6, 1), num_selections=3, dim=33),
    "empty": Call(lengths=((0, 0), (1, 5), (0, 9), (2, 0), (3, 2)), padding=2),
    "int8": Call(cache=torch.int8, scale_dim=1, heads=(4, 2), dtype=torch.float16),
}


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("name", CALLS)
def test_equals_a_full_sort(name: str, backend: str) -> None:
    call = CALLS[name]
    problem = build(call, device=backends.device(backend))
    require_equal(run(backend, problem), call, problem)


@st.composite
def calls(draw: st.DrawFn, longest: int) -> Call:
    lengths = []
    for _ in range(draw(st.integers(1, 4))):
        seq_len = draw(st.integers(0, longest))
        lengths.append((draw(st.one_of(st.just(min(1, seq_len)), st.integers(0, min(seq_len + 1, 9)))), seq_len))
    selections, each = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    heads = selections * each
    index_heads = draw(st.sampled_from([n for n in range(1, heads + 1) if heads % n == 0]))
    rows = draw(st.sampled_from((1, 1, 1, 3, 8)))
    initial, local = draw(st.sampled_from((0, 0, 1, 2))), draw(st.sampled_from((0, 0, 1, 3)))
    cache = draw(st.sampled_from((None, None, *QUANTISED)))
    rule = draw(st.sampled_from(("relu", "dot", "bounds")))
    return Call(
        lengths=tuple(lengths),
        heads=(heads, index_heads),
        dim=draw(st.integers(1, 70)),
        block_rows=draw(st.sampled_from((1, 5, 16, 64))),
        k=max(1, initial + local) + draw(st.sampled_from((0, 1, 6, 60, 900))),
        rule=rule,
        weighted=draw(st.booleans()),
        num_selections=selections,
        granularity=rows * draw(st.one_of(st.just(1), st.integers(1, 40))),
        tokens_per_row=rows,
        initial=initial,
        local=local,
        dtype=draw(st.sampled_from(FLOATS)),
        cache=cache,
        scale_dim=-1 if cache is None else draw(st.sampled_from((-1, 0, 1, 3))),
        largest=draw(st.sampled_from((0, 1, 3))),
        padding=draw(st.integers(0, 2)),
    )


@examples(25)
@given(calls(60), st.integers(0, 2**31))
def test_random_calls(call: Call, seed: int) -> None:
    problem = build(call, seed)
    for backend in ("reference", "cpp"):
        require_equal(run(backend, problem), call, problem)


@pytest.mark.long
@settings(max_examples=500, **SETTINGS)
@given(calls(400), st.integers(0, 2**31))
def test_many_random_calls(call: Call, seed: int) -> None:
    problem = build(call, seed)
    require_equal(run("cpp", problem), call, problem)


@examples(3)
@given(calls(40), st.integers(0, 2**31))
def test_random_calls_in_triton(call: Call, seed: int) -> None:
    problem = build(call, seed, backends.device("triton"))
    require_equal(run("triton", problem), call, problem)


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["deepseek", "minimax", "quest"])
def test_rounded_scores(name: str, dtype: torch.dtype, backend: str) -> None:
    """Each place has a group whose exact score is that of the place, but for what float32 rounds."""
    call = replace(CALLS[name], dtype=dtype)
    problem = build(call, device=backends.device(backend), whole=False)
    found = run(backend, problem)
    for token, of_token in enumerate(problem.expected(call)):
        for selection, order in enumerate(of_token):
            scores = {group: score for score, group in order}
            chosen = [group for group in found[token, selection].tolist() if group >= 0]
            assert len(set(chosen)) == len(chosen) == min(call.k, len(order))
            for (score, _), group in zip(order, chosen, strict=False):
                assert scores[group] == score or abs(scores[group] - score) < 1e-3 * call.dim**0.5


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_not_a_number_is_the_lowest(weighted: bool, backend: str) -> None:
    """And minus infinity the one beside it: a token that sees k groups has them all."""
    call = Call(lengths=((1, 9),), rule="dot", weighted=weighted, k=9, num_selections=2)
    problem = build(call, device=backends.device(backend))
    index, table = problem.arguments[2], problem.arguments[3]
    for position in (2, 5):
        index[table[0, 0], position] = problem.indices[0][position] = torch.nan
    found = run(backend, problem)
    require_equal(found, call, problem)
    assert found[..., -2:].tolist() == [[[2, 5], [2, 5]]]


@pytest.mark.parametrize("name", ["deepseek", "minimax", "quest"])
def test_a_token_chooses_the_same_in_any_step(name: str) -> None:
    """Alone, as a chunk and in a prefill; by any number of threads."""
    call = replace(CALLS[name], lengths=((900, 900),), dtype=torch.bfloat16)
    problem = build(call, whole=False)
    threads = torch.get_num_threads()
    whole = run("cpp", problem)
    query, weights, *rest, k = problem.arguments
    for first, last in ((0, 300), (300, 899), (899, 900), (5, 6)):
        rest[2], rest[3] = (torch.tensor(each, dtype=torch.int32) for each in ([last], [0, last - first]))
        own = None if weights is None else weights[first:last]
        problem.arguments = (query[first:last], own, *rest, k)
        for number in (1, 2, 5):
            torch.set_num_threads(number)
            found = run("cpp", problem)
            torch.set_num_threads(threads)
            assert torch.equal(found, whole[first:last])


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_strided_tensors(backend: str) -> None:
    """Views of wider rows, of columns of weights, and an index with its heads first."""
    call = Call(heads=(4, 2), dim=24)
    problem = build(call, device=backends.device(backend))
    expected = run(backend, problem)
    query, weights, index, *rest = problem.arguments
    wide = torch.nn.functional.pad(query, (3, 6, 1, 2), value=7)[:, 1:-2, 3:-6]
    turned = index.transpose(1, 2).contiguous().transpose(1, 2)
    problem.arguments = (wide, torch.stack([weights, weights + 1], -1)[..., 0], turned, *rest)
    assert torch.equal(run(backend, problem), expected)


def test_chosen_keys_are_what_attention_takes() -> None:
    """All of a short sequence: the bits of dense attention; compiled as one graph, and exported."""

    class Module(torch.nn.Module):
        def forward(self, query: Tensor, weights: Tensor, index: Tensor, keys: Tensor, *paged: Tensor) -> Tensor:
            selected = OPS.paged_topk(query, weights, index, *paged, 40)
            out: Tensor = OPS.paged_sparse_attention(query, keys, keys, *paged, selected)
            return out

    call = Call(lengths=((3, 40), (1, 17)))
    query, weights, index, *paged, _ = build(call).arguments
    keys, module = torch.randn(len(index), 16, 2, 32), Module()
    arguments = (query, weights, index.nan_to_num(), keys, *paged)
    with torch.inference_mode():
        expected = OPS.paged_attention(query, keys, keys, *paged)
        assert torch.equal(module(*arguments), expected)
        assert torch.equal(torch.compile(module, fullgraph=True, backend="aot_eager")(*arguments), expected)
    assert torch.equal(torch.export.export(module, arguments, strict=False).module()(*arguments), expected)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"scale": float("nan")}, "paged_topk: scale is NaN or infinite, expected a finite number"),
        ({"k": 2**45}, "k is 3518437"),
    ],
)
def test_numbers_that_are_refused(options: dict[str, Any], says: str) -> None:
    index, tables = torch.zeros(2, 16, 1, 8), torch.zeros(1, 2, dtype=torch.int32)
    lens, starts = torch.tensor([20], dtype=torch.int32), torch.tensor([0, 1], dtype=torch.int32)
    with pytest.raises(ValueError, match=says):
        OPS.paged_topk(torch.zeros(1, 1, 8), None, index, tables, lens, starts, **{"k": 3, "rule": "dot", **options})
