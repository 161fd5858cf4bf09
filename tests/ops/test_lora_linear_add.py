"""Adapters added to rows of a linear layer: values against float64, and bits that depend only on the row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests import oracle
from tests.examples import examples
from tests.ops import backends
from torchpaged.compiler.program import Program
from torchpaged.compiler.tracer import trace
from torchpaged.ops import cpu, library

OPS = getattr(torch.ops, library.NATIVE_NAMESPACE)
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
# Inputs, rank, outputs of each part. Odd ones leave a vector, a tile of ranks and a cut of the inputs unfilled.
SHAPES = (
    (1, 1, [1]),
    (64, 16, [96]),
    (130, 3, [33, 5, 70]),
    (1100, 5, [129, 64]),
    (2048, 8, [260, 12, 4]),
    (40, 64, [8]),
    (9, 66, [40]),
)
SLOTS = 5
# Slots of rows: all, one for all, more rows of one than are computed together, runs, some without an adapter, none.
ASSIGNMENTS = {
    "one row": [3],
    "a row each": [4, 0, 2, 1, 3],
    "one adapter": [2] * 8,
    "many rows": [1] * 37 + [3] * 3,
    "some without": [0, -1, 4, 4, -7, 0, 2, -(2**31)],
    "none": [-1, -1],
    "random": torch.randint(-1, SLOTS, (50,), generator=torch.Generator().manual_seed(0)).tolist(),
}
Call = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, list[int]]


# Triton's interpreter takes a second for each where there are many inputs: each tile and slot in fewer calls and rows.
FEW = ("random", "some without")


def assignments(backend: str, inputs: int) -> list[list[int]]:
    """Return the slots to try."""
    few = backend == "triton" and backends.DEVICE == "cpu" and inputs > 9
    return [slots[-16:] if few else slots for name, slots in ASSIGNMENTS.items() if not few or name in FEW]


def problem(
    slots: list[int], inputs: int, rank: int, sizes: list[int], dtype: torch.dtype, num_slots: int = SLOTS
) -> Call:
    """Return a call whose unused slots are full of NaN, and so is what rows without an adapter were computed from."""
    g = torch.Generator().manual_seed(len(slots) + inputs)
    rows, ranks, outputs = len(slots), rank * len(sizes), sum(sizes)
    out, x = torch.randn(rows, outputs, generator=g), torch.randn(rows, inputs, generator=g)
    lora_a = torch.randn(num_slots, ranks, inputs, generator=g) * inputs**-0.5
    lora_b = torch.randn(num_slots, rank, outputs, generator=g)
    for slot in set(range(num_slots)) - set(slots):
        lora_a[slot], lora_b[slot] = torch.nan, torch.nan
    x[[slot < 0 for slot in slots]] = torch.nan
    tensors = (each.to(dtype) for each in (out, x, lora_a, lora_b))
    return *tensors, torch.tensor(slots, dtype=torch.int32), sizes  # type: ignore[return-value]


def added(call: Call, backend: str = "cpp", ranks: Tensor | None = None) -> Tensor:
    """Return a copy of `out` after the call."""
    device = backends.device(backend)
    out, *rest = (each.to(device) if isinstance(each, Tensor) else each for each in call)
    out = out.clone()
    backends.call(backend)("lora_linear_add", out, *rest, ranks=None if ranks is None else ranks.to(device))
    return out.cpu()


def require_near(found: Tensor, call: Call, ranks: Tensor | None = None) -> None:
    out, x, lora_a, lora_b, slots, sizes = call
    eps, given = torch.finfo(out.dtype).eps, None if ranks is None else ranks.tolist()
    expected, bound = oracle.add_adapters(out, x, lora_a, lora_b, slots.tolist(), sizes, eps, given)
    assert found.dtype == out.dtype and ((found.double() - expected).abs() <= bound).all()


@pytest.fixture
def threads() -> Iterator[None]:
    """Puts back how many threads there are."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


# Triton's interpreter takes up to ten seconds for each of these.
SLOW = ((9, 66, [40]), (1100, 5, [129, 64]), (130, 3, [33, 5, 70]))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    ("shape", "backend"),
    [
        pytest.param(shape, name, marks=pytest.mark.long if shape in SLOW and name == "triton" else ())
        for shape in SHAPES
        for name in backends.BACKENDS
    ],
    ids=str,
)
def test_values(shape: tuple[int, int, list[int]], dtype: torch.dtype, backend: str) -> None:
    for slots in assignments(backend, shape[0]):
        call = problem(slots, *shape, dtype)
        require_near(added(call, backend), call)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    slots = draw(st.lists(st.integers(-2, SLOTS - 1), max_size=40))
    sizes = draw(st.lists(st.integers(1, 90), min_size=1, max_size=4))
    inputs, rank = draw(st.integers(1, 300)), draw(st.integers(1, 20))
    return problem(slots, inputs, rank, sizes, draw(st.sampled_from(FLOATS)), draw(st.integers(SLOTS, SLOTS + 3)))


@examples(25)
@given(calls())
def test_any_sizes(call: Call) -> None:
    for backend in ("reference", "cpp"):
        require_near(added(call, backend), call)


@examples(3)
@given(calls())
def test_any_sizes_in_triton(call: Call) -> None:
    require_near(added(call, "triton"), call)


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_rows_without_an_adapter_keep_their_bits(dtype: torch.dtype, backend: str) -> None:
    """A NaN's too."""
    call = problem([-1, 2, -3, 2], 70, 4, [20, 40], dtype)
    integers = torch.int32 if dtype == torch.float32 else torch.int16
    bits = torch.arange(60).to(integers) + (0x7FC00000 if dtype == torch.float32 else 0x7FF0 - 60)
    call[0][0] = call[0][2] = bits.view(dtype)
    found = added(call, backend)
    assert torch.equal(found[::2].contiguous().view(integers), torch.stack([bits, bits]))
    assert not torch.equal(found[1::2], call[0][1::2])


@pytest.mark.parametrize("backend", ["cpp", "triton"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_a_row_has_the_bits_that_it_has_alone(assignment: str, dtype: torch.dtype, backend: str, threads: None) -> None:
    """Whatever the other rows, their order and adapters, the number of slots and of threads are."""
    # In Triton's interpreter a shape, and at most 16 rows.
    is_slow = backend == "triton" and backends.DEVICE == "cpu"
    for shape in SHAPES[2:3] if is_slow else (SHAPES[2], SHAPES[3], SHAPES[-1]):
        chosen = ASSIGNMENTS[assignment][-16 if is_slow else 0 :]
        out, x, lora_a, lora_b, slots, sizes = problem(chosen, *shape, dtype)
        alone = []
        for i, slot in enumerate(slots.tolist()):
            only = slice(max(slot, 0), max(slot, 0) + 1)
            one = torch.tensor([min(slot, 0)], dtype=torch.int32)
            alone.append(added((out[i : i + 1], x[i : i + 1], lora_a[only], lora_b[only], one, sizes), backend))
        expected = torch.cat(alone)
        order = torch.randperm(len(slots), generator=torch.Generator().manual_seed(1))
        for number in (1, 2, 3) if backend == "cpp" else (1,):
            torch.set_num_threads(number)
            assert torch.equal(added((out, x, lora_a, lora_b, slots, sizes), backend), expected)
            turned = added((out[order], x[order], lora_a, lora_b, slots[order], sizes), backend)
            assert torch.equal(turned, expected[order])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_bits_of_long_rows_on_threads(dtype: torch.dtype, threads: None) -> None:
    """Enough work for several threads, and several blocks of rows of one adapter."""
    call = problem([0] * 70 + [3, 1] * 5, 1500, 16, [700, 260], dtype)
    torch.set_num_threads(1)
    expected = added(call)
    require_near(expected, call)
    for number in (2, 3):
        torch.set_num_threads(number)
        assert torch.equal(added(call), expected)


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_lower_rank_is_filled_up_with_zeros(dtype: torch.dtype, backend: str) -> None:
    """The values are those of the adapter's own rank."""
    out, x, lora_a, lora_b, slots, sizes = problem([1, 1, 0], 50, 3, [30, 20], dtype, num_slots=2)
    wide_a, wide_b = torch.zeros(2, 2, 8, 50, dtype=dtype), torch.zeros(2, 8, 50, dtype=dtype)
    wide_a[:, :, :3], wide_b[:, :3] = lora_a.view(2, 2, 3, 50), lora_b
    found = added((out, x, wide_a.flatten(1, 2), wide_b, slots, sizes), backend)
    require_near(found, (out, x, lora_a, lora_b, slots, sizes))


def ranked(call: Call, seed: int = 0) -> tuple[Call, Tensor]:
    """Return a call whose pools are full of NaN behind random ranks, and these."""
    out, x, lora_a, lora_b, slots, sizes = call
    (num_slots, rank, _), parts = lora_b.shape, len(sizes)
    ranks = torch.randint(0, rank + 1, (num_slots, parts), generator=torch.Generator().manual_seed(seed)).int()
    behind = torch.arange(rank) >= ranks[..., None]  # [num_slots, parts, rank]
    lora_a = lora_a.masked_fill(behind.flatten(1)[..., None], torch.nan)
    parts_of_b = [
        part.masked_fill(mask[..., None], torch.nan)
        for part, mask in zip(lora_b.split(sizes, dim=2), behind.unbind(1), strict=True)
    ]
    return (out, x, lora_a, torch.cat(parts_of_b, dim=2), slots, sizes), ranks


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_ranks(shape: tuple[int, int, list[int]], dtype: torch.dtype, backend: str) -> None:
    """Nothing is read behind a rank."""
    for slots in assignments(backend, shape[0]):
        call, ranks = ranked(problem(slots, *shape, dtype))
        require_near(added(call, backend, ranks), call, ranks)


@examples(25)
@given(calls(), st.integers(0, 1000))
def test_any_ranks(call: Call, seed: int) -> None:
    call, ranks = ranked(call, seed)
    for backend in ("reference", "cpp"):
        require_near(added(call, backend, ranks), call, ranks)


@pytest.mark.parametrize("backend", ["cpp", "triton"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_bits_do_not_depend_on_the_rank_of_the_pools(dtype: torch.dtype, backend: str) -> None:
    """With ranks, or with zeros behind them."""
    out, x, lora_a, lora_b, slots, sizes = problem([1, 1, 0], 50, 3, [30, 20], dtype, num_slots=2)
    wide_a, wide_b = torch.zeros(2, 2, 21, 50, dtype=dtype), torch.zeros(2, 21, 50, dtype=dtype)
    wide_a[:, :, :3], wide_b[:, :3] = lora_a.view(2, 2, 3, 50), lora_b
    expected = added((out, x, lora_a, lora_b, slots, sizes), backend)
    wide = (out, x, wide_a.flatten(1, 2), wide_b, slots, sizes)
    assert torch.equal(added(wide, backend), expected)
    ranks = torch.full((2, 2), 3, dtype=torch.int32)
    assert torch.equal(added(wide, backend, ranks), expected)
    # A column of more slots' ranks.
    assert torch.equal(added(wide, backend, torch.stack([ranks, ranks - 9], dim=2)[..., 0]), expected)


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_part_of_rank_zero_keeps_its_bits(dtype: torch.dtype, backend: str) -> None:
    """The sign of a zero too; so do rows of an adapter without any rank."""
    call = problem([1, 1, 0, 2], 50, 3, [30, 20], dtype, num_slots=3)
    call[0][:] = -0.0
    found = added(call, backend, torch.tensor([[2, 0], [0, 3], [0, 0]], dtype=torch.int32))
    assert found[:2, :30].signbit().all() and found[2, 30:].signbit().all() and found[3].signbit().all()
    assert (found[:2, 30:] != 0).any() and (found[2, :30] != 0).any() and (found[3] == 0).all()


def test_ranks_are_checked_where_a_row_has_the_slot() -> None:
    call = problem([1, -1], 50, 3, [30, 20], torch.float32, num_slots=3)
    ranks = torch.tensor([[7, -9], [3, 0], [9, 9]], dtype=torch.int32)
    added(call, ranks=ranks)
    for bad in (-1, 4):
        ranks[1, 1] = bad
        with pytest.raises(ValueError, match=f"ranks has rank {bad} for slot 1, expected from 0 to 3"):
            added(call, ranks=ranks)


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_strided_rows_and_pools(backend: str) -> None:
    """Views of wider results, of joined pools and of a column of slots; nothing beside them is written."""
    device = backends.device(backend)
    out, x, lora_a, lora_b, slots, sizes = problem([0, -1, 4, 4], 70, 4, [20, 45], torch.bfloat16)
    expected = added((out, x, lora_a, lora_b, slots, sizes), backend)
    wide = [torch.nn.functional.pad(each, (3, 6), value=7).to(device) for each in (out, x, lora_a, lora_b)]
    column = torch.stack([slots, slots + 9], dim=1).to(device)[:, 0]
    backends.call(backend)("lora_linear_add", *(each[..., 3:-6] for each in wide), column, sizes)
    assert torch.equal(wide[0][:, 3:-6].cpu(), expected)
    assert (wide[0][:, :3] == 7).all() and (wide[0][:, -6:] == 7).all()
    # A part's own pools are a view of the joined ones.
    of_part = added((out[:, :20].clone(), x, lora_a[:, :4], lora_b[..., :20], slots, sizes[:1]), backend)
    assert torch.equal(of_part, expected[:, :20])


def test_triton_skips_a_slot_that_is_not_there() -> None:
    out, x, lora_a, lora_b, slots, sizes = problem([1, 2, 3], 70, 4, [20], torch.float32)
    expected = added((out, x, lora_a, lora_b, torch.tensor([1, -1, 3], dtype=torch.int32), sizes), "triton")
    slots[1] = SLOTS
    assert torch.equal(added((out, x, lora_a, lora_b, slots, sizes), "triton"), expected)


@pytest.mark.skipif(cpu.isa() in ("none", "portable"), reason="the C++ library has no vectors here")
def test_in_a_replayed_forward() -> None:
    """Joined linear layers with an adapter beside them, as one program for any number of tokens."""
    ops = torch.ops.torchpaged
    _, _, lora_a, lora_b, _, sizes = problem([*range(SLOTS)], 64, 4, [40, 24], torch.bfloat16)
    packed = ops.pack_linear_weight(torch.randn(64, 64).bfloat16())
    ranks = torch.tensor([[4, 2]] * SLOTS, dtype=torch.int32)

    def forward(x: Tensor, slots: Tensor) -> Tensor:
        out = ops.packed_linear(x, packed, 64)
        ops.lora_linear_add(out, x, lora_a, lora_b, slots, sizes)
        ops.lora_linear_add(out[:, 10:30], x, lora_a[:, :4], lora_b[..., 10:30], slots, [20])
        ops.lora_linear_add(out, x, lora_a, lora_b, slots, sizes, ranks=ranks)
        first, second = out.split(sizes, dim=1)
        return torch.cat([second, first * 2], dim=1)

    def inputs(tokens: int) -> dict[str, Any]:
        slots = torch.arange(tokens, dtype=torch.int32) % (SLOTS + 1) - 1
        return {"x": torch.randn(tokens, 64).bfloat16(), "slots": slots}

    with torch.inference_mode():
        program = Program(trace(forward, [inputs(13), inputs(17)], ("x",)), ("x",))
        for tokens in (1, 8, 40):
            given = inputs(tokens)
            assert torch.equal(program([*given.values()], (tokens,)), forward(**given))


@pytest.mark.gpu
def test_in_a_cuda_graph() -> None:
    """Another step's slots and adapters are written in place; nothing is captured again."""
    first, second = (problem(slots, 130, 3, [33, 70], torch.bfloat16) for slots in ([0, 0, 1, -1], [4, -1, 2, 2]))
    held = [each.cuda() for each in first[:5]]  # type: ignore[union-attr]
    sizes = first[5]
    torch.ops.torchpaged.lora_linear_add(*held, sizes)  # compiles
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        torch.ops.torchpaged.lora_linear_add(*held, sizes)
    for call in (first, second):
        for tensor, value in zip(held, call, strict=False):
            tensor.copy_(value)  # type: ignore[arg-type]
        graph.replay()
        assert torch.equal(held[0].cpu(), added(call, "triton"))
