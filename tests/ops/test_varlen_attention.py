"""`varlen_attention` and its derivative against float64, and the promises about their bits, for every backend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from tests.ops.cases import TOLERANCE, error
from torchpaged.ops import reference

OPS = torch.ops.torchpaged


@dataclass(frozen=True)
class Case:
    """One call: (queries, keys) of each sequence, heads, and features."""

    name: str
    lengths: tuple[tuple[int, int], ...] = ((37, 37), (1, 18), (70, 130), (5, 5))
    heads: tuple[int, int] = (4, 2)
    dim: int = 32
    dim_v: int = 0
    causal: bool = True
    window: int = 0
    right: int = -1
    softcap: float = 0.0
    scale: float | None = None
    slopes: str = ""  # "heads" or "sequences"
    sinks: bool = False
    padding: int = 0

    def __str__(self) -> str:
        return self.name


CASES = (
    Case("causal"),
    Case("full", causal=False),
    Case("mha", heads=(3, 3)),
    Case("mqa", heads=(5, 1)),
    Case("window", window=9),
    Case("window-both", window=9, right=3, causal=False),
    Case("window-right", right=0, causal=False),
    Case("softcap", softcap=3.0),
    Case("sinks", sinks=True),
    Case("alibi", slopes="heads"),
    Case("alibi-full", slopes="sequences", causal=False),
    Case("everything", window=20, softcap=4.0, slopes="sequences", sinks=True, scale=0.3, padding=3),
    Case("everything-full", window=20, right=30, causal=False, softcap=4.0, slopes="heads", sinks=True),
    Case("cross", lengths=((3, 40), (66, 7), (0, 5), (4, 0)), causal=False, padding=2),
    Case("more-queries-than-keys", lengths=((20, 3), (70, 66)), sinks=True),
    Case("value-narrower", dim=48, dim_v=20),
    Case("dim-80", dim=80, lengths=((70, 70),)),
    Case("dim-128", dim=128, lengths=((66, 66), (2, 2)), heads=(2, 1)),
)


@dataclass
class Problem:
    """A case's tensors."""

    tensors: list[Tensor]
    starts: list[Tensor]
    options: dict[str, Any]

    @property
    def call(self) -> tuple[Any, ...]:
        return *self.tensors, *self.starts


def starts_of(lengths: list[int]) -> Tensor:
    return torch.tensor([0, *lengths], dtype=torch.int32).cumsum(0, dtype=torch.int32)


def build(case: Case, dtype: torch.dtype, device: str = "cpu") -> Problem:
    g = torch.Generator().manual_seed(0)
    heads, kv_heads = case.heads
    queries, keys = ([each[i] for each in case.lengths] for i in range(2))

    def normal(rows: int, heads: int, dim: int) -> Tensor:
        return torch.randn(rows + case.padding, heads, dim, generator=g).to(dtype).to(device)

    tensors = [
        normal(sum(queries), heads, case.dim),
        normal(sum(keys), kv_heads, case.dim),
        normal(sum(keys), kv_heads, case.dim_v or case.dim),
    ]
    options: dict[str, Any] = {
        "causal": case.causal,
        "sliding_window": case.window,
        "right_window": case.right,
        "softcap": case.softcap,
        "scale": case.scale,
    }
    if case.slopes:
        shape = (heads,) if case.slopes == "heads" else (len(queries), heads)
        options["alibi_slopes"] = torch.rand(shape, generator=g).to(device)
    if case.sinks:
        options["sinks"] = torch.randn(heads, generator=g).to(device)
    return Problem(tensors, [starts_of(each).to(device) for each in (queries, keys)], options)


def dense(case: Case, query: Tensor, key: Tensor, value: Tensor, options: dict[str, Any]) -> tuple[Tensor, Tensor]:
    """Attend in float64, sequence by sequence, by torch's own operators, which autograd follows."""
    outs, sums, q0, k0 = [], [], 0, 0
    group = case.heads[0] // case.heads[1]
    for i, (rows, keys) in enumerate(case.lengths):
        q, k, v = query[q0 : q0 + rows], key[k0 : k0 + keys], value[k0 : k0 + keys]
        q0, k0 = q0 + rows, k0 + keys
        if not rows:
            continue
        scale = case.dim**-0.5 if case.scale is None else case.scale
        scores = scale * torch.einsum("qhd,khd->hqk", q, k.repeat_interleave(group, 1))
        if case.softcap:
            scores = case.softcap * torch.tanh(scores / case.softcap)
        at, j = torch.arange(rows)[:, None] + keys - rows, torch.arange(keys)[None]
        if case.slopes:
            slopes = options["alibi_slopes"].cpu().double()
            scores = scores - (slopes[i] if slopes.dim() == 2 else slopes)[:, None, None] * (at - j).abs()
        seen = (j <= at) & (at >= 0) if case.causal else (j <= at + case.right if case.right >= 0 else j >= 0)
        seen = seen & (at - j < case.window) if case.window else seen.expand(rows, keys)
        scores = scores.masked_fill(~seen, -torch.inf)
        if case.sinks:
            scores = torch.cat([scores, options["sinks"][:, None, None].expand(-1, rows, 1)], -1)
        empty = ~scores.isfinite().any(-1) if scores.shape[-1] else torch.ones(scores.shape[:-1], dtype=torch.bool)
        total = torch.logsumexp(scores.masked_fill(empty[..., None], 0.0), -1)
        weights = torch.exp(scores - total[..., None]).masked_fill(empty[..., None], 0.0)[..., :keys]
        outs.append(torch.einsum("hqk,khd->qhd", weights, v.repeat_interleave(group, 1)))
        # A sequence without keys has not even a sink.
        sums.append(total.masked_fill(empty if keys else torch.ones_like(empty), -torch.inf).T)
    if case.padding:
        outs.append(query.new_zeros(case.padding, case.heads[0], value.shape[2]))
        sums.append(query.new_full((case.padding, case.heads[0]), -torch.inf))
    return torch.cat(outs), torch.cat(sums)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the interpreter see several tiles of the derivative's kernels in few tokens."""
    if backends.DEVICE == "cpu":
        backends.call("triton")  # imports Triton for its interpreter
        from torchpaged.ops.triton import varlen_attention

        monkeypatch.setattr(varlen_attention, "_blocks", lambda *_: (16, 16, 4))


def of_backend(case: Case, backend: str) -> Case:
    """Shorten a case for Triton's interpreter."""
    if backend != "triton" or backends.DEVICE == "cuda":
        return case
    lengths = tuple(
        (rows if rows < 9 else rows // 4 + 1, keys if keys < 9 else keys // 4 + 1) for rows, keys in case.lengths
    )
    return replace(case, lengths=lengths, heads=case.heads if case.heads[0] > 4 else (2, 1))


def run(backend: str, overload: str, *args: Any, **options: Any) -> Any:
    return backends.call(backend)(overload, *args, **options)


def grads_of(backend: str, problem: Problem, grad_out: Tensor, grad_lse: Tensor | None) -> tuple[Tensor, ...]:
    out, lse = run(backend, "varlen_attention_with_lse", *problem.call, **problem.options)
    if grad_lse is not None:
        grad_lse = grad_lse.masked_fill(lse == -torch.inf, 0.0)
    return run(
        backend,
        "varlen_attention_backward",
        *(grad_out, grad_lse, *problem.tensors, out, lse, *problem.starts),
        **problem.options,
    )


GRID = [
    (b, d, c) for b in backends.BACKENDS for d in TOLERANCE for c in CASES if d == torch.float32 or "every" in str(c)
]


@pytest.mark.parametrize(("backend", "dtype", "case"), GRID, ids=str)
def test_results_and_gradients(backend: str, dtype: torch.dtype, case: Case) -> None:
    device, case = backends.device(backend), of_backend(case, backend)
    problem = build(case, dtype, device)
    wide = [each.cpu().double().requires_grad_() for each in problem.tensors]
    options = dict(problem.options)
    if case.sinks:
        options["sinks"] = options["sinks"].cpu().double().requires_grad_()
    out, lse = dense(case, *wide, options)
    found = run(backend, "varlen_attention_with_lse", *problem.call, **problem.options)
    assert error(found[0], out.detach()) <= TOLERANCE[dtype]
    assert torch.equal(found[1].cpu().isfinite(), lse.isfinite())
    finite = lse.isfinite()
    assert error(found[1].cpu()[finite], lse.detach()[finite]) <= TOLERANCE[dtype]
    assert torch.equal(run(backend, "varlen_attention", *problem.call, **problem.options), found[0])

    g = torch.Generator().manual_seed(1)
    grad_out, grad_lse = (torch.randn(each.shape, generator=g) for each in (out, lse))
    grad_out = grad_out.to(dtype)
    inputs = [*wide, options["sinks"]] if case.sinks else wide
    total = (out * grad_out.double()).sum() + (lse.masked_fill(~finite, 0.0) * grad_lse.double()).sum()
    expected = torch.autograd.grad(total, inputs, allow_unused=True)
    got = grads_of(backend, problem, grad_out.to(device), grad_lse.to(device))
    assert got[3].shape == ((case.heads[0],) if case.sinks else (0,))
    for one, other, like in zip(got, expected, inputs, strict=False):
        other = torch.zeros_like(like) if other is None else other
        # A gradient sums products of two rounded numbers: twice the forward's error.
        assert error(one.cpu(), other) <= 2 * TOLERANCE[dtype]


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.name in ("causal", "everything", "window-both", "cross")], ids=str
)
def test_the_definition_is_a_derivative_by_finite_differences(case: Case) -> None:
    """`gradcheck` in float64, which the kernels do not take, along random directions."""
    case = replace(case, lengths=((2, 4), (3, 3), (1, 0)), dim=3)  # few numbers: each is varied
    problem = build(case, torch.float64)
    options = {**problem.options, "scale": case.scale or 0.5, "max_seqlen_q": 0, "max_seqlen_k": 0}
    options = {"alibi_slopes": None, "sinks": None, **options}

    class Attention(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, sinks: Tensor) -> tuple[Tensor, Tensor]:
            out = query.new_empty((*query.shape[:2], value.shape[2]))
            lse = query.new_empty(query.shape[:2])
            own = {**options, "sinks": sinks if case.sinks else None}
            reference.varlen_attention(query, key, value, *problem.starts, out, lse, **own)
            ctx.save_for_backward(query, key, value, out, lse, sinks)
            return out, lse.nan_to_num(neginf=0.0)

        @staticmethod
        def backward(ctx: Any, grad_out: Tensor, grad_lse: Tensor) -> tuple[Tensor, ...]:
            *tensors, out, lse, sinks = ctx.saved_tensors
            grads = [torch.empty_like(each) for each in (*tensors, sinks)]
            grad_lse = grad_lse.masked_fill(lse == -torch.inf, 0.0)
            own = {**options, "sinks": sinks if case.sinks else None}
            reference.varlen_attention_backward(grad_out, grad_lse, *tensors, out, lse, *problem.starts, *grads, **own)
            return tuple(grads)

    inputs = [each.requires_grad_() for each in problem.tensors]
    sinks = torch.randn(case.heads[0], dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(Attention.apply, (*inputs, sinks), fast_mode=True)


# --- Bits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["cpp", "triton"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_bits_are_those_of_paged_attention(backend: str, dtype: torch.dtype) -> None:
    """Training and engine get the same bits from the two operators."""
    case = of_backend(Case("", lengths=((70, 70), (3, 150), (1, 40)), heads=(4, 2), dim=64), backend)
    problem = build(case, dtype, backends.device(backend))
    query, key, value = problem.tensors
    options = {"sliding_window": 33, "softcap": 20.0, "sinks": torch.randn(query.shape[1]).to(query.device)}
    blocks = torch.zeros(2, 40, 16, key.shape[1], 64, dtype=dtype, device=key.device)
    order = torch.randperm(39) + 1
    table, place, used = torch.zeros(3, 10, dtype=torch.int32), 0, 0
    for i, (_, length) in enumerate(case.lengths):
        count = -(-length // 16)
        table[i, :count] = order[used : used + count]
        for j in range(length):
            block = int(table[i, j // 16])
            blocks[0, block, j % 16], blocks[1, block, j % 16] = key[place + j], value[place + j]
        place, used = place + length, used + count
    lens = torch.tensor([each for _, each in case.lengths], dtype=torch.int32).to(key.device)
    paged = run(
        backend,
        "paged_attention_with_lse",
        *(query, blocks[0], blocks[1], table.to(key.device), lens, problem.starts[0]),
        **options,
    )
    packed = run(backend, "varlen_attention_with_lse", *problem.call, **options)
    assert all(map(torch.equal, packed, paged))


@pytest.mark.parametrize("backend", ["cpp", "triton"])
@pytest.mark.parametrize("case", [c for c in CASES if c.name in ("causal", "everything", "everything-full")], ids=str)
def test_a_sequence_does_not_depend_on_the_others(backend: str, case: Case) -> None:
    """Neither its rows nor its gradients, whatever the order of the batch and the number of threads."""
    case = replace(of_backend(case, backend), slopes="heads" if case.slopes else "", padding=0)
    problem = build(case, torch.float32, backends.device(backend))
    query, key, value = problem.tensors
    grad_out = torch.randn(query.shape[0], case.heads[0], value.shape[2], device=query.device)
    whole = run(backend, "varlen_attention_with_lse", *problem.call, **problem.options)
    grads = grads_of(backend, problem, grad_out, None)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        again = grads_of(backend, problem, grad_out, None)
    finally:
        torch.set_num_threads(threads)
    assert all(map(torch.equal, grads, again))
    for i, (rows, keys) in enumerate(case.lengths):
        q, k = (slice(int(starts[i]), int(starts[i + 1])) for starts in problem.starts)
        one = Problem(
            [query[q], key[k], value[k]], [starts_of([n]).to(query.device) for n in (rows, keys)], problem.options
        )
        alone = run(backend, "varlen_attention_with_lse", *one.call, **problem.options)
        assert torch.equal(alone[0], whole[0][q]) and torch.equal(alone[1], whole[1][q])
        parts = (grads[0][q], grads[1][k], grads[2][k])
        assert all(map(torch.equal, grads_of(backend, one, grad_out[q], None)[:3], parts))


# --- Under autograd ---------------------------------------------------------------------------------------------


def leaves(case: Case = CASES[0]) -> tuple[Problem, list[Tensor]]:
    problem = build(case, torch.float32)
    problem.tensors = [each.requires_grad_() for each in problem.tensors]
    if case.sinks:
        problem.options["sinks"].requires_grad_()
    return problem, [*problem.tensors, *([problem.options["sinks"]] if case.sinks else [])]


@pytest.mark.parametrize("name", ["causal", "everything"])
def test_autograd_calls_the_derivative(name: str) -> None:
    case = next(each for each in CASES if each.name == name)
    problem, inputs = leaves(case)
    out, lse = OPS.varlen_attention_with_lse(*problem.call, **problem.options)
    grad_out = torch.randn_like(out)
    found = torch.autograd.grad(out, inputs, grad_out, retain_graph=True)
    plain = torch.autograd.grad(OPS.varlen_attention(*problem.call, **problem.options), inputs, grad_out)
    expected = OPS.varlen_attention_backward(
        grad_out, None, *problem.tensors, out, lse, *problem.starts, **problem.options
    )
    for each in (found, plain):
        assert all(map(torch.equal, each, expected))
    both = torch.autograd.grad(lse[lse.isfinite()].sum(), inputs)
    assert not torch.equal(both[0], found[0]) and not both[2].any()


def test_gradients_of_strided_inputs() -> None:
    """Query, key and value as views of one projection, and a gradient that is expanded."""
    joined = torch.randn(20, 8, 16, requires_grad=True)
    starts = starts_of([9, 11])
    views = joined.split([4, 2, 2], 1)
    (found,) = torch.autograd.grad(OPS.varlen_attention(*views, starts, starts).sum(), joined)
    copies = [each.detach().contiguous().requires_grad_() for each in views]
    out = OPS.varlen_attention(*copies, starts, starts)
    expected = torch.autograd.grad(out, copies, torch.ones_like(out))
    assert torch.equal(found, torch.cat(expected, 1))


def test_opcheck_with_gradients() -> None:
    for overload in ("varlen_attention", "varlen_attention_with_lse"):
        problem, _ = leaves(next(each for each in CASES if each.name == "sinks"))
        torch.library.opcheck(getattr(OPS, overload).default, problem.call, problem.options)
