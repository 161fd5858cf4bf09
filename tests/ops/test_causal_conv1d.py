"""causal_conv1d on every backend: values, written rows, and bits that depend only on the sequence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests import oracle
from tests.examples import examples
from tests.ops import backends
from tests.ops.cases import DTYPES, TOLERANCE, error

ALL = pytest.mark.parametrize("backend", backends.BACKENDS)


@dataclass(frozen=True)
class Case:
    """Lengths and features of one call."""

    name: str
    lengths: tuple[tuple[int, int], ...] = ((1, 37), (3, 18), (4, 4), (1, 1), (1, 2))  # (query_len, seq_len)
    width: int = 3
    channels: int = 64
    parts: tuple[tuple[int, int], ...] = ((1, 64),)  # (heads, head_dim) of each tensor
    block_size: int = 16
    heads_first: bool = False
    bias: bool = False
    silu: bool = False
    float_weights: bool = False
    fused: bool = False  # x and weight are strided
    padding_rows: int = 0

    def __str__(self) -> str:
        return self.name


CASES = (
    Case("plain"),
    Case("decode", lengths=((1, 16), (1, 17), (1, 100), (1, 1))),
    Case("prefill", lengths=((18, 18), (2, 19)), bias=True, silu=True),
    Case("width-1", width=1),
    Case("width-4", width=4, silu=True, block_size=8),
    Case("width-7", width=7, bias=True, block_size=2),
    Case("wider-than-a-block", width=9, block_size=4, lengths=((1, 9), (2, 21), (6, 6), (1, 3))),
    Case("two-parts", parts=((2, 16), (2, 16)), heads_first=True),
    Case("uneven-parts", channels=100, parts=((3, 16), (1, 40), (2, 8)), heads_first=True, bias=True),
    Case("a-part-unused", channels=40, parts=((2, 16), (2, 16))),
    Case("odd-channels", channels=37, parts=((1, 37),), silu=True, float_weights=True),
    Case("strided", fused=True, channels=48, parts=((3, 16),), bias=True),
    Case("empty-sequences", lengths=((1, 20), (0, 0), (3, 9), (0, 12), (0, 0))),
    Case("padded", lengths=((1, 20), (1, 9), (0, 0)), padding_rows=3),
    Case("padded-rows-of-nothing", lengths=((1, 20), (2, 0), (1, 5)), padding_rows=2),
    Case("longer-than-its-sequence", lengths=((5, 3), (1, 4)), width=4),
    Case("block-1", block_size=1, width=4),
)


@dataclass
class Problem:
    """A call's tensors, and the contiguous inputs that they are made from."""

    case: Case
    dtype: torch.dtype
    device: str = "cpu"
    seed: int = 0
    inputs: list[Tensor] = field(init=False)

    def __post_init__(self) -> None:
        case, g = self.case, torch.Generator().manual_seed(self.seed)
        self.generator = g
        self.inputs = [torch.randn(length, case.channels, generator=g).to(self.dtype) for _, length in case.lengths]
        kind = torch.float32 if case.float_weights else self.dtype
        self.weight = torch.randn(case.channels, case.width, generator=g).to(kind)
        self.bias = torch.randn(case.channels, generator=g).to(kind) if case.bias else None

    def arguments(self, first_block: int = 1, keep: slice = slice(None)) -> dict[str, Any]:
        """Return a call's arguments for some sequences, over a pool that is NaN except for earlier inputs."""
        case, g, pairs = self.case, self.generator, list(zip(self.case.lengths, self.inputs, strict=True))[keep]
        size = case.block_size
        width = max(1, *(-(-length // size) for (_, length), _ in pairs)) + 1
        count = first_block + width * len(pairs)
        blocks = (torch.randperm(count - first_block, generator=g) + first_block).view(len(pairs), width).int()
        caches = [self._pool(count, *part) for part in case.parts]
        x, slots = [], []
        for table, ((query_len, length), inputs) in zip(blocks, pairs, strict=True):
            first = length - query_len
            places = torch.arange(max(0, first - case.width + 1), max(0, first))
            _put(caches, inputs[places], table[places // size].long(), places % size)
            beyond = max(0, -first)  # rows before position 0
            x.append(
                torch.cat([torch.full((beyond, case.channels), torch.nan, dtype=self.dtype), inputs[max(0, first) :]])
            )
            place = torch.arange(max(0, first), length)
            slots += [-1] * beyond + (table[place // size].long() * size + place % size).tolist()
        padding = torch.full((case.padding_rows, case.channels), torch.nan, dtype=self.dtype)
        packed, weight = torch.cat([*x, padding]), self.weight
        if case.fused:
            packed = torch.cat([packed, packed], 1)[:, : case.channels]
            weight = weight.T.contiguous().T
        starts = torch.tensor([0, *(query for (query, _), _ in pairs)]).cumsum(0).int()
        arguments = {
            "x": packed,
            "weight": weight,
            "bias": self.bias,
            "caches": caches,
            "slot_mapping": torch.tensor(slots + [-1] * case.padding_rows, dtype=torch.int64),
            "block_tables": blocks,
            "seq_lens": torch.tensor([length for (_, length), _ in pairs], dtype=torch.int32),
            "query_start_loc": starts,
        }
        moved = {name: each.to(self.device) for name, each in arguments.items() if isinstance(each, Tensor)}
        return {**arguments, **moved, "caches": [cache.to(self.device) for cache in caches]}

    def expected(self) -> Tensor:
        """Return the expected output of every packed row."""
        case, rows = self.case, []
        for (query_len, length), inputs in zip(case.lengths, self.inputs, strict=True):
            whole = oracle.convolve(inputs, self.weight, self.bias, silu=case.silu)
            nothing = torch.zeros(max(0, query_len - length), case.channels, dtype=torch.float64)
            rows += [nothing, whole[max(0, length - query_len) :]]
        return torch.cat([*rows, torch.zeros(case.padding_rows, case.channels, dtype=torch.float64)])

    def _pool(self, count: int, heads: int, dim: int) -> Tensor:
        if self.case.heads_first:
            return torch.full((count, heads, self.case.block_size, dim), torch.nan, dtype=self.dtype).transpose(1, 2)
        return torch.full((count, self.case.block_size, heads, dim), torch.nan, dtype=self.dtype)


def _put(caches: list[Tensor], rows: Tensor, blocks: Tensor, offsets: Tensor) -> None:
    first = 0
    for cache in caches:
        for head in range(cache.shape[2]):
            part = rows[:, first : first + cache.shape[3]]
            cache[blocks, offsets, head, : part.shape[1]] = part
            first += cache.shape[3]


def run(problem: Problem, backend: str, **options: Any) -> tuple[Tensor, dict[str, Any]]:
    arguments = problem.arguments(**options)
    return backends.call(backend)("causal_conv1d", *arguments.values(), silu=problem.case.silu), arguments


# In Triton's interpreter a row takes about 10 ms: what its arithmetic could get wrong in every type, the rest in one.
IN_EVERY_TYPE = ("plain", "width-4", "uneven-parts", "odd-channels")
GRID = [
    pytest.param(case, dtype, backend, id=f"{backend}-{case}-{dtype}")
    for backend in backends.BACKENDS
    for case in CASES
    for dtype in DTYPES
    if backend != "triton" or dtype == torch.bfloat16 or case.name in IN_EVERY_TYPE
]


@pytest.mark.parametrize(("case", "dtype", "backend"), GRID)
def test_against_the_oracle(case: Case, dtype: torch.dtype, backend: str) -> None:
    problem = Problem(case, dtype, backends.device(backend))
    out, _ = run(problem, backend)
    assert out.shape == (len(problem.expected()), case.channels) and out.dtype == dtype and out.is_contiguous()
    assert error(out, problem.expected()) < TOLERANCE[dtype]


@ALL
@pytest.mark.parametrize("case", [case for case in CASES if "part" in case.name or case.name == "padded"], ids=str)
def test_rows_are_written_and_nothing_else(case: Case, backend: str) -> None:
    problem = Problem(case, torch.bfloat16, backends.device(backend))
    before = problem.arguments()
    expected = [cache.clone() for cache in before["caches"]]
    kept = before["slot_mapping"] >= 0
    slots = before["slot_mapping"][kept]
    _put(expected, before["x"][kept], slots // case.block_size, slots % case.block_size)
    backends.call(backend)("causal_conv1d", *before.values(), silu=case.silu)
    for found, wanted in zip(before["caches"], expected, strict=True):
        assert torch.equal(found.isnan(), wanted.isnan())
        assert torch.equal(found.nan_to_num(), wanted.nan_to_num())


@pytest.mark.parametrize(
    ("dtype", "backend"), [(d, b) for b in ("reference", "cpp") for d in DTYPES] + [(torch.bfloat16, "triton")], ids=str
)
def test_bits_do_not_depend_on_batch_chunks_or_blocks(dtype: torch.dtype, backend: str) -> None:
    """One prefill; the same tokens in chunks of 1 to 4 over one pool; in a batch; elsewhere in the pool."""
    case = Case("bits", lengths=((9, 9),), width=4, channels=37, parts=((2, 16), (1, 16)), heads_first=True, silu=True)
    problem = Problem(case, dtype, backends.device(backend))
    whole, _ = run(problem, backend)
    elsewhere, arguments = run(problem, backend, first_block=5)
    assert torch.equal(whole, elsewhere)
    for cache in arguments["caches"]:
        cache.fill_(torch.nan)
    x, slots, done = arguments["x"], arguments["slot_mapping"], 0
    for count in (1, 1, 4, 2, 1):
        rows = slice(done, done + count)
        numbers = {
            "x": x[rows],
            "slot_mapping": slots[rows],
            "seq_lens": torch.tensor([rows.stop], dtype=torch.int32, device=x.device),
            "query_start_loc": torch.tensor([0, count], dtype=torch.int32, device=x.device),
        }
        out = backends.call(backend)("causal_conv1d", *{**arguments, **numbers}.values(), silu=True)
        assert torch.equal(out, whole[rows])
        done = rows.stop
    beside = Problem(replace(case, lengths=((9, 9), (1, 30), (2, 17))), dtype, backends.device(backend))
    assert torch.equal(beside.inputs[0], problem.inputs[0])
    beside.weight = problem.weight
    assert torch.equal(run(beside, backend)[0][:9], whole)


@ALL
def test_rows_that_another_sequence_writes_in_the_same_step_are_read(backend: str) -> None:
    """A prefix may be found while the step that computes it runs: its rows are written before they are read."""
    problem = Problem(Case("shared", lengths=((16, 16), (3, 19)), width=4), torch.float32, backends.device(backend))
    problem.inputs[1][:16] = problem.inputs[0]
    arguments = problem.arguments()
    arguments["block_tables"][1, 0] = arguments["block_tables"][0, 0]
    for order in ([0, 1], [1, 0]):
        for cache in arguments["caches"]:
            cache.fill_(torch.nan)
        places = torch.arange(19).split([16, 3])
        rows = torch.cat([places[i] for i in order])
        counts = torch.tensor([16, 3])[order]
        swapped = {
            "x": arguments["x"][rows],
            "slot_mapping": arguments["slot_mapping"][rows],
            "block_tables": arguments["block_tables"][order],
            "seq_lens": arguments["seq_lens"][order],
            "query_start_loc": torch.cat([torch.zeros(1), counts.cumsum(0)]).int().to(arguments["x"].device),
        }
        out = backends.call(backend)("causal_conv1d", *{**arguments, **swapped}.values())
        assert error(out, problem.expected()[rows]) < TOLERANCE[torch.float32]


@ALL
def test_an_input_that_is_not_there_is_not_multiplied(backend: str) -> None:
    problem = Problem(Case("inf", lengths=((3, 3),), width=3, channels=16, parts=((1, 16),)), torch.float32)
    problem.device = backends.device(backend)
    problem.weight[:, 0] = torch.inf
    out, _ = run(problem, backend)
    assert not out[:2].isnan().any() and out[2].abs().eq(torch.inf).all()


BAD = {
    "x-3d": ("x", lambda t: t[None]),
    "x-dtype": ("x", lambda t: t.double()),
    "x-stride": ("x", lambda t: t.T.contiguous().T),
    "weight-channels": ("weight", lambda t: t[1:]),
    "weight-width": ("weight", lambda t: t[:, :0]),
    "weight-dtype": ("weight", lambda t: t.half()),
    "bias-size": ("bias", lambda t: t[1:]),
    "bias-dtype": ("bias", lambda t: t.half()),
    "caches-none": ("caches", lambda t: []),
    "caches-small": ("caches", lambda t: t[:1]),
    "caches-3d": (r"caches\[1\]", lambda t: [t[0], t[1][0]]),
    "caches-dtype": (r"caches\[0\]", lambda t: [t[0].half(), t[1]]),
    "caches-blocks": (r"caches\[1\]", lambda t: [t[0], t[1][1:]]),
    "caches-block-size": (r"caches\[1\]", lambda t: [t[0], t[1][:, 1:]]),
    "caches-empty": (r"caches\[1\]", lambda t: [t[0], t[1][..., :0]]),
    "slots-dtype": ("slot_mapping", lambda t: t.int()),
    "slots-size": ("slot_mapping", lambda t: t[1:]),
    "tables-dtype": ("block_tables", lambda t: t.long()),
    "tables-rows": ("block_tables", lambda t: t[1:]),
    "lengths-dtype": ("seq_lens", lambda t: t.long()),
    "starts-size": ("query_start_loc", lambda t: t[1:]),
    "starts-dtype": ("query_start_loc", lambda t: t.long()),
}


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@pytest.mark.parametrize(("name", "change"), BAD.values(), ids=BAD)
def test_wrong_arguments_are_named(name: str, change: Any, backend: str) -> None:
    problem = Problem(Case("bad", bias=True, parts=((2, 16), (2, 16))), torch.float32)
    arguments = problem.arguments()
    plain = name.split("\\")[0]
    arguments[plain] = change(arguments[plain])
    with pytest.raises((ValueError, RuntimeError), match=f"causal_conv1d: {name}"):
        backends.call(backend)("causal_conv1d", *arguments.values())


@pytest.mark.parametrize("backend", ["reference", "cpp"])
def test_a_slot_that_the_pool_does_not_have_is_refused(backend: str) -> None:
    arguments = Problem(Case("slot"), torch.float32).arguments()
    arguments["slot_mapping"][0] = 10**6
    before = [cache.clone() for cache in arguments["caches"]]
    with pytest.raises((ValueError, RuntimeError), match="slot_mapping has slot 1000000"):
        backends.call(backend)("causal_conv1d", *arguments.values())
    for cache, old in zip(arguments["caches"], before, strict=True):
        assert torch.equal(cache.nan_to_num(), old.nan_to_num())


def test_it_compiles_as_one_node_and_copies_no_cache() -> None:
    """Functionalised and lowered: writes go to the tensors that were passed, and no others are allocated."""
    from torch._inductor.utils import run_and_get_code  # it takes seconds

    problem = Problem(Case("compiled", parts=((2, 16), (2, 16)), heads_first=True, width=4), torch.float32)
    eager = problem.arguments()
    compiled = {**eager, "caches": [cache.clone() for cache in eager["caches"]]}

    def call(**arguments: Any) -> Tensor:
        return torch.ops.torchpaged.causal_conv1d(*arguments.values(), silu=True)

    torch._dynamo.reset()
    with torch.inference_mode():
        expected = call(**eager)
        found, (code,) = run_and_get_code(torch.compile(call, fullgraph=True), **compiled)
    assert torch.equal(found, expected)
    assert code.count("torchpaged.causal_conv1d") >= 1 and "empty_strided" not in code.split("def call")[1]
    for one, other in zip(eager["caches"], compiled["caches"], strict=True):
        assert torch.equal(one.nan_to_num(), other.nan_to_num())


@st.composite
def random_cases(draw: Any) -> Case:
    lengths = []
    for _ in range(draw(st.integers(1, 5))):
        length = draw(st.integers(0, 30))
        lengths.append((draw(st.integers(0, length)), length))
    parts = draw(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 20)), min_size=1, max_size=3))
    room = sum(heads * dim for heads, dim in parts)
    return Case(
        "random",
        tuple(lengths),
        width=draw(st.integers(1, 8)),
        channels=draw(st.integers(max(1, room - 15), room)),
        parts=tuple(parts),
        block_size=draw(st.sampled_from([1, 2, 5, 16])),
        heads_first=draw(st.booleans()),
        bias=draw(st.booleans()),
        silu=draw(st.booleans()),
        float_weights=draw(st.booleans()),
        fused=draw(st.booleans()),
        padding_rows=draw(st.integers(0, 2)),
    )


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@examples(25)
@given(case=random_cases(), dtype=st.sampled_from(DTYPES), seed=st.integers(0, 2**16))
def test_random_calls(backend: str, case: Case, dtype: torch.dtype, seed: int) -> None:
    problem = Problem(case, dtype, seed=seed)
    out, _ = run(problem, backend)
    if out.numel():
        assert error(out, problem.expected()) < TOLERANCE[dtype]
