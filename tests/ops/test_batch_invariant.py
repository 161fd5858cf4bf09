"""Products and sums for batch-invariant forwards: values everywhere, bits on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from torchpaged.execution.batch_invariance import BatchInvariantMode, in_batch_invariant_mode
from torchpaged.utils.huge_pages import reserved_zeros

DEVICE = backends.DEVICE
DTYPES = (torch.float32, torch.float16, torch.bfloat16)
# (K, N): a span that is not full, several spans, odd ones, one output, one number.
SHAPES = ((64, 48), (1500, 70), (2048, 130), (33, 7), (200, 1), (1, 5))
ROWS = (1, 2, 7, 16, 17, 32, 33, 64, 65, 200)


@pytest.fixture(autouse=True)
def kernels() -> None:
    if DEVICE == "cpu":  # in the interpreter
        backends.call("triton")


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None, chosen: Any = None) -> Tensor:
    from torchpaged.ops.triton import batch_invariant

    out = torch.full((len(x), weight.shape[1]), torch.nan, dtype=x.dtype, device=x.device)
    batch_invariant.matmul(x, weight, bias, out, chosen)
    return out


def problem(rows: int, inner: int, outputs: int, dtype: torch.dtype, device: str = DEVICE) -> tuple[Tensor, ...]:
    g = torch.Generator().manual_seed(rows + inner)
    shapes = (rows, inner), (outputs, inner), (outputs,)
    return tuple(torch.randn(shape, generator=g).to(dtype).to(device) for shape in shapes)


def require_near(found: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    expected = x.double() @ weight.double() + (0 if bias is None else bias.double())
    bound = x.double().abs() @ weight.double().abs() * 1e-5 + expected.abs() * torch.finfo(x.dtype).eps + 1e-6
    assert found.dtype == x.dtype and bool(((found.double() - expected).abs() <= bound).all())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_in_triton(shape: tuple[int, int], dtype: torch.dtype) -> None:
    for rows in (1, 5, 70) if DEVICE == "cuda" or max(shape) < 1000 else (5, 33):  # the interpreter is slow
        x, weight, bias = problem(rows, *shape, dtype)
        require_near(product(x, weight.t(), bias), x, weight.t(), bias)
        turned = weight.t().contiguous()
        require_near(product(x, turned), x, turned, None)


def test_strided_rows_in_triton() -> None:
    x, weight, bias = problem(9, 40, 20, torch.bfloat16)
    wide = torch.nn.functional.pad(x, (8, 8, 1, 2), value=3)[1:-2, 8:-8]
    double = torch.stack([bias, bias + 1], 1)[:, 0]
    assert torch.equal(product(wide, weight.t(), double), product(x, weight.t(), bias))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_sums_in_triton(dtype: torch.dtype) -> None:
    from torchpaged.ops.triton import batch_invariant

    for rows, count in ((1, 1), (5, 1500), (3, 1024)):
        x = torch.randn(rows, count + 3, device=DEVICE, dtype=dtype)[:, 1:-2]
        out = torch.empty(rows, device=DEVICE, dtype=dtype)
        batch_invariant.row_sum(x, out)
        torch.testing.assert_close(out, x.double().sum(-1).to(dtype), rtol=1e-5, atol=1e-4)


def test_a_weight_of_more_than_2_31_numbers() -> None:
    """Its rows lie so far apart that the product of a place in K and the distance needs 64 bits."""
    x, weight, _ = problem(3, 64, 16, torch.float32)
    size, apart = (64 * 2**26,), (2**26, 1)
    memory = reserved_zeros(size, x.dtype) if DEVICE == "cpu" else x.new_zeros(size)
    far = memory.as_strided((64, 16), apart).copy_(weight.t())
    assert torch.equal(product(x, far), product(x, weight.t()))


def test_nothing_to_multiply() -> None:
    for shape in ((0, 8, 4), (3, 8, 0), (2, 0, 5)):
        x, weight, bias = problem(*shape, torch.bfloat16)
        assert torch.equal(product(x, weight.t(), bias), x @ weight.t() + bias)


CALLS: dict[str, Callable[..., Tensor]] = {
    "linear": lambda x, w, b: torch.nn.functional.linear(x, w, b),
    "linear of three dimensions": lambda x, w, b: torch.nn.functional.linear(x[None], w)[0],
    "matmul": lambda x, w, b: x @ w.t(),
    "batched": lambda x, w, b: torch.stack([x, x + 1]) @ w.t(),
    "of batches": lambda x, w, b: torch.bmm(torch.stack([x, x + 1]), torch.stack([w.t(), 2 * w.t()])),
    "addmm": lambda x, w, b: torch.addmm(b, x, w.t()),
    "scaled addmm": lambda x, w, b: torch.addmm(b, x, w.t(), beta=0.5, alpha=2),
    "einsum": lambda x, w, b: torch.einsum("ij,kj->ik", x, w),
    "groups": lambda x, w, b: torch.nn.functional.grouped_mm(
        x.bfloat16(), torch.stack([w, -w]).bfloat16().transpose(1, 2), offs=torch.tensor([2, 6], device=x.device).int()
    ),
    "mean": lambda x, w, b: x.mean(-1, keepdim=True),
    "sum": lambda x, w, b: x.sum(1),
    "sum in float64": lambda x, w, b: x.sum(-1, dtype=torch.float64),
    "sum of rows": lambda x, w, b: x.sum(0),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", CALLS)
@torch.inference_mode()
def test_operators_under_the_mode(name: str, dtype: torch.dtype) -> None:
    """Replaced operators have torch's shape, dtype and value; others run unchanged."""
    call, given = CALLS[name], problem(6, 96, 10, dtype)
    seen: list[str] = []

    class Seen(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.name())
            return func(*args, **(kwargs or {}))

    expected = call(*given)
    with Seen():
        found = in_batch_invariant_mode(call)(*given)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    torch.testing.assert_close(found, expected, rtol=2e-2, atol=2e-1)
    assert any("batch_invariant" in each for each in seen) == (name != "sum of rows"), seen


@torch.inference_mode()
def test_other_types_under_the_mode() -> None:
    whole = torch.arange(12).view(3, 4)
    with BatchInvariantMode():
        assert torch.equal(whole.sum(-1), torch.tensor([6, 22, 38]))
        assert (whole.double() @ whole.double().t()).dtype == torch.float64


def test_replaced_while_compiling() -> None:
    """The graph that inductor gets has no product of torch's; here it is run as it is."""
    from torch._dynamo.backends.common import aot_autograd

    from torchpaged.execution import batch_invariance

    targets: list[str] = []

    def keep(graph: Any, inputs: Any) -> Any:
        targets.extend(str(node.target) for node in graph.graph.nodes if node.op == "call_function")
        return graph.forward

    run = aot_autograd(fw_compiler=keep, decompositions=batch_invariance.decompositions())
    layer = torch.nn.Sequential(torch.nn.Linear(8, 6), torch.nn.Linear(6, 4, bias=False)).to(DEVICE)
    compiled = torch.compile(layer, backend=run, dynamic=True, fullgraph=True)
    x = torch.randn(5, 8, device=DEVICE)
    with torch.inference_mode():
        torch.testing.assert_close(compiled(x), layer(x), rtol=1e-4, atol=1e-4)
    assert sum("batch_invariant_matmul" in each for each in targets) == 2
    assert not [each for each in targets if "mm" in each.split(".")[1].removeprefix("batch_invariant_matmul")]


class Heads(torch.nn.Module):
    """Products of the same rows with and without a bias, and one that follows the first."""

    def __init__(self) -> None:
        super().__init__()
        widths = (16, 32, 16, 48)
        self.parts = torch.nn.ModuleList(torch.nn.Linear(32, width, bias=False) for width in widths)
        self.last, self.biased = torch.nn.Linear(16, 32, bias=False), torch.nn.Linear(32, 16)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        first = self.last(self.parts[0](x).relu())
        return first, *(part(x) for part in self.parts[1:]), self.biased(x)


def test_products_of_the_same_rows_become_one() -> None:
    from torch._dynamo.backends.common import aot_autograd

    from torchpaged.execution import batch_invariance

    counts: list[int] = []

    def keep(graph: Any, inputs: Any) -> Any:
        counts.append(batch_invariance.join_products(graph))
        graph.graph.lint()
        return graph.forward

    run = aot_autograd(fw_compiler=keep, decompositions=batch_invariance.decompositions())
    heads = Heads().to(DEVICE)
    compiled = torch.compile(heads, backend=run, dynamic=True, fullgraph=True)
    x = torch.randn(5, 32, device=DEVICE)
    with torch.inference_mode():
        for found, expected in zip(compiled(x), heads(x), strict=True):
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    assert counts == [3]


def test_inductor_gets_them_though_it_has_compiled_the_same_module_before() -> None:
    """torch's caches know a graph by its operators, not by the decompositions."""
    from torchpaged.execution.batch_invariance import compile_batch_invariant

    heads, x = Heads().to(DEVICE), torch.randn(5, 32, device=DEVICE)
    with torch.inference_mode():
        for backend, own in (("inductor", 0), (compile_batch_invariant, 4), ("inductor", 0)):
            compiled = torch.compile(heads, backend=backend, dynamic=True, fullgraph=True)
            compiled(x)
            with torch.profiler.profile() as profile:
                compiled(x)
            names = [event.name for event in profile.events() if event.name.startswith("torchpaged::batch_invariant")]
            assert len(names) == own, names  # three in one, the fourth, that of the first's result, that with a bias
            torch.compiler.reset()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("widths", [(48, 16), (16, 32, 80)], ids=str)
def test_several_weights_in_triton(widths: tuple[int, ...], dtype: torch.dtype) -> None:
    from torchpaged.ops.triton import batch_invariant

    for rows in (3, 70):
        x, *_ = problem(rows, 96, 1, dtype)
        weights = [problem(1, 96, width, dtype)[1].t() for width in widths]
        outs = [torch.full((rows, width), torch.nan, dtype=dtype, device=DEVICE) for width in widths]
        batch_invariant.matmuls(x, weights, outs)
        for weight, out in zip(weights, outs, strict=True):
            assert torch.equal(out, product(x, weight))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("ends", [(5, 5, 12, 90), (0, 0, 0), (100,), (1, 2, 3, 4, 5, 6, 99)], ids=str)
def test_groups_in_triton(ends: tuple[int, ...], dtype: torch.dtype) -> None:
    """Rows behind the last group are 0; a row has the bits of its group's own product."""
    from torchpaged.ops.triton import batch_invariant

    x, *_ = problem(100, 64, 1, dtype)
    weight = torch.randn(len(ends), 24, 64, generator=torch.Generator().manual_seed(3)).to(dtype).to(DEVICE)
    for given in (weight.transpose(1, 2), weight.transpose(1, 2).contiguous()):
        out, begin = torch.zeros(100, 24, dtype=dtype, device=DEVICE), 0
        batch_invariant.grouped_matmul(x, given, torch.tensor(ends, dtype=torch.int32, device=DEVICE), out)
        for group, end in enumerate(ends):
            assert torch.equal(out[begin:end], product(x[begin:end], given[group]))
            begin = end
        assert not out[begin:].any()


# --- Bits, on a device -----------------------------------------------------------------------------------------


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [*SHAPES, (2048, 2048), (6144, 1024), (1024, 9000)], ids=str)
def test_bits_of_rows(shape: tuple[int, int], dtype: torch.dtype) -> None:
    """Any number of rows, and any place among them."""
    x, weight, bias = problem(200, *shape, dtype)
    whole = product(x, weight.t(), bias)
    order = torch.randperm(200, generator=torch.Generator().manual_seed(1)).to(DEVICE)
    for rows in ROWS:
        chosen = order[:rows]
        assert torch.equal(product(x[chosen], weight.t(), bias), whole[chosen]), f"{rows} rows"


@pytest.mark.gpu
@pytest.mark.parametrize("shape", [(2048, 2048), (6144, 1000), (1500, 70)], ids=str)
def test_bits_of_tiles(shape: tuple[int, int]) -> None:
    from torchpaged.ops.triton import batch_invariant

    x, weight, bias = problem(64, *shape, torch.bfloat16)
    expected = product(x, weight.t(), bias)
    few = batch_invariant.tiles(x.dtype, 1, shape[1], shape[0])
    for base in (few, *batch_invariant.MANY):
        for outputs, inner, stages in ((16, 64, 3), (32, 128, 4), (64, 128, 2), (128, 64, 3)):
            own = replace(base, outputs=outputs, inner=inner, num_stages=stages)
            assert torch.equal(product(x, weight.t(), bias, own), expected), own


@pytest.mark.gpu
def test_bits_of_sums() -> None:
    x = torch.randn(300, 2048, device="cuda")
    whole = torch.ops.torchpaged.batch_invariant_sum(x, torch.float32)
    for rows in (1, 2, 33, 299):
        assert torch.equal(torch.ops.torchpaged.batch_invariant_sum(x[:rows], torch.float32), whole[:rows])
