"""Derivatives of operators: formulas against float64, under autograd, AOTAutograd, torch.compile and checkpointing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.checkpoint import checkpoint

from tests.ops.cases import error
from tests.ops.test_library import samples
from torchpaged import ops
from torchpaged.errors import GradientError
from torchpaged.ops import library

OPS = torch.ops.torchpaged
DIFFERENTIABLE = [each for each in library.OPERATORS if each.gradient is not None]


@pytest.fixture(params=["default", "reference"])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    ops.set_backend("reference" if request.param == "reference" else None)
    yield request.param
    ops.set_backend(None)


# --- The formulas -----------------------------------------------------------------------------------------------


def norm(x: Tensor, weight: Tensor, eps: float = 1e-5) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    turned, rest = x[..., : cos.shape[-1]], x[..., cos.shape[-1] :]
    first, second = turned.chunk(2, -1)
    return torch.cat([turned * cos + torch.cat([-second, first], -1) * sin, rest], -1)


def convolve(x: Tensor, weight: Tensor, bias: Tensor | None, lengths: list[int], silu: bool) -> Tensor:
    parts = []
    for part in x[: sum(lengths)].split(lengths):
        padded = F.pad(part.T, (weight.shape[1] - 1, 0))[None]
        parts.append(F.conv1d(padded, weight[:, None], bias, groups=weight.shape[0])[0].T)
    whole = torch.cat(parts)
    whole = F.silu(whole) if silu else whole
    return torch.cat([whole, x.new_zeros(len(x) - len(whole), x.shape[1])])


COS, SIN = torch.randn(5, 1, 8), torch.randn(5, 1, 8)
LENGTHS = [4, 1, 7]


def our_convolution(x: Tensor, weight: Tensor, bias: Tensor | None, silu: bool) -> Tensor:
    lens = torch.tensor(LENGTHS, dtype=torch.int32)
    starts = F.pad(lens.cumsum(0, dtype=torch.int32), (1, 0))
    slots = torch.full((len(x),), -1)
    caches = [torch.zeros(4, 8, 1, x.shape[1], dtype=x.dtype)]
    tables = torch.zeros(3, 2, dtype=torch.int32)
    return OPS.causal_conv1d(x, weight, bias, caches, slots, tables, lens, starts, silu=silu)


IDS, ROWS = torch.tensor([3, 0, 9, 9]), torch.tensor([0, 2, 2, 1])
# What each computes by our operator and by torch's own, and the shapes of its inputs.
FORMULAS: dict[str, tuple[Callable[..., Any], Callable[..., Any], list[tuple[int, ...]]]] = {
    "rms_norm": (lambda x, w: OPS.rms_norm(x, w, 1e-5), norm, [(2, 5, 24), (24,)]),
    "rms_norm of a row": (lambda x, w: OPS.rms_norm(x, w, 1e-5), norm, [(24,), (24,)]),
    "add_rms_norm": (
        lambda x, y, w: OPS.add_rms_norm(x, y, w, 1e-5),
        lambda x, y, w: (x + y, norm(x + y, w)),
        [(5, 24), (5, 24), (24,)],
    ),
    "silu_and_mul": (OPS.silu_and_mul, lambda x, y: F.silu(x) * y, [(5, 24), (5, 24)]),
    "gelu_tanh_and_mul": (
        OPS.gelu_tanh_and_mul,
        lambda x, y: F.gelu(x, approximate="tanh") * y,
        [(5, 24), (5, 24)],
    ),
    "rotary_embedding": (
        lambda q, k: OPS.rotary_embedding(q, k, COS, SIN),
        lambda q, k: (rotate(q, COS.double(), SIN.double()), rotate(k, COS.double(), SIN.double())),
        [(5, 4, 16), (5, 2, 16)],
    ),
    "rotary_embedding with norms": (
        lambda q, k, v, w: OPS.rotary_embedding(q, k, COS, SIN, query_weight=v, key_weight=w, eps=1e-5),
        lambda q, k, v, w: (
            rotate(norm(q, v), COS.double(), SIN.double()),
            rotate(norm(k, w), COS.double(), SIN.double()),
        ),
        [(5, 4, 16), (5, 2, 16), (16,), (16,)],
    ),
    "causal_conv1d": (
        lambda x, w, b: our_convolution(x, w, b, True),
        lambda x, w, b: convolve(x, w, b, LENGTHS, True),
        [(14, 6), (6, 4), (6,)],
    ),
    "causal_conv1d without bias": (
        lambda x, w: our_convolution(x, w, None, False),
        lambda x, w: convolve(x, w, None, LENGTHS, False),
        [(12, 6), (6, 3)],
    ),
    "token_logprobs": (
        lambda x: OPS.token_logprobs(x, ROWS, IDS, 3)[::2],
        lambda x: (x.log_softmax(-1)[ROWS, IDS], x.log_softmax(-1)[ROWS].topk(3).values),
        [(4, 12)],
    ),
}
TOLERANCES = {torch.float32: 2e-5, torch.bfloat16: 4e-2}


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas(name: str, dtype: torch.dtype, backend: str) -> None:
    ours, torchs, shapes = FORMULAS[name]
    g = torch.Generator().manual_seed(0)
    inputs = [torch.randn(shape, generator=g).to(dtype).requires_grad_() for shape in shapes]
    wide = [each.detach().double().requires_grad_() for each in inputs]
    found, expected = (tuple(tree_leaves(each)) for each in (ours(*inputs), torchs(*wide)))
    grads = [torch.randn(each.shape, generator=g).to(each.dtype) for each in found]
    mine = torch.autograd.grad(found, inputs, grads)
    theirs = torch.autograd.grad(expected, wide, [each.double() for each in grads])
    for one, other, given in zip(mine, theirs, inputs, strict=True):
        assert one.dtype == given.dtype and error(one, other) <= TOLERANCES[dtype]
    if len(found) > 1:  # a result that nothing used has no gradient
        (alone,) = torch.autograd.grad(ours(*inputs)[1], inputs[:1], grads[1], allow_unused=True)
        (other,) = torch.autograd.grad(torchs(*wide)[1], wide[:1], grads[1].double(), allow_unused=True)
        assert (other is None) == (alone is None or not alone.any())
        assert other is None or error(alone, other) <= TOLERANCES[dtype]


def test_a_convolution_over_a_cache_of_earlier_tokens_is_refused() -> None:
    args, kwargs = samples()["causal_conv1d"]
    x = args[0].requires_grad_()
    result = OPS.causal_conv1d(*args, **kwargs)
    with pytest.raises(GradientError, match=r"tokens of earlier calls.*whole sequences in one call"):
        result.sum().backward()
    assert x.grad is None


# --- All of them under autograd -------------------------------------------------------------------------------


def tracked(operator: Any) -> tuple[Any, Any, list[Tensor]]:
    """Return a call whose arguments that have a derivative require it, and these."""
    args, kwargs = samples()[operator.overload]
    if operator.name == "causal_conv1d":  # whole sequences
        args = (*args[:6], torch.tensor([2, 2], dtype=torch.int32), *args[7:])
    named = operator.named_arguments(args, kwargs)
    for name in operator.gradient.of:
        if isinstance(named[name], Tensor):
            named[name] = named[name].clone().requires_grad_()
    names = [each.name for each in operator.arguments]
    given = [named[name] for name in operator.gradient.of if isinstance(named[name], Tensor)]
    return tuple(named[name] for name in names[: len(args)]), {name: named[name] for name in kwargs}, given


def floats(results: Any) -> list[Tensor]:
    return [each for each in tree_leaves(results) if isinstance(each, Tensor) and each.is_floating_point()]


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=lambda op: op.overload)
def test_the_forward_has_the_same_bits(operator: Any, backend: str) -> None:
    args, kwargs, _ = tracked(operator)
    plain = tree_map(lambda value: value.detach().clone() if isinstance(value, Tensor) else value, (args, kwargs))
    found = operator.packet(library.NAMESPACE)(*args, **kwargs)
    with torch.inference_mode():
        expected = operator.packet(library.NAMESPACE)(*plain[0], **plain[1])
    for one, other in zip(tree_leaves(found), tree_leaves(expected), strict=True):
        torch.testing.assert_close(one.detach(), other, rtol=0, atol=0, equal_nan=True)
    assert all(each.requires_grad == each.is_floating_point() for each in tree_leaves(found))


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=lambda op: op.overload)
def test_a_second_derivative_is_refused_by_name(operator: Any, backend: str) -> None:
    args, kwargs, given = tracked(operator)
    results = floats(operator.packet(library.NAMESPACE)(*args, **kwargs))
    grads = torch.autograd.grad(results, given, [torch.ones_like(each) for each in results], create_graph=True)
    for grad in grads:
        with pytest.raises(GradientError, match=rf"^the backward of {operator.overload} has no derivative"):
            grad.sum().backward(retain_graph=True)


def test_gradgradcheck_is_refused() -> None:
    """It computes the second derivative by autograd first."""
    x, weight = torch.randn(1, 2, requires_grad=True), torch.randn(2, requires_grad=True)
    with pytest.raises(GradientError, match=r"^the backward of rms_norm has no derivative"):
        torch.autograd.gradgradcheck(lambda x, w: OPS.rms_norm(x, w, 1e-6), (x, weight), check_fwd_over_rev=False)


@pytest.mark.parametrize("operator", DIFFERENTIABLE, ids=lambda op: op.overload)
def test_opcheck_with_gradients(operator: Any) -> None:
    args, kwargs, _ = tracked(operator)
    if operator.name == "causal_conv1d":
        args = (*args[:3], [each.detach() for each in args[3]], *args[4:])
    torch.library.opcheck(operator.packet(library.NAMESPACE), args, kwargs)


def test_other_arguments_are_refused_by_name() -> None:
    query, cos = torch.randn(5, 4, 16, requires_grad=True), COS.clone().requires_grad_()
    result, _ = OPS.rotary_embedding(query, query, cos, SIN)
    with pytest.raises(GradientError, match="rotary_embedding has no derivative with respect to cos"):
        result.sum().backward()


def test_a_third_partys_kernel_gets_the_derivative() -> None:
    """A backend replaces the forward; the derivative is the operator's."""

    def kernel(x: Tensor, weight: Tensor, eps: float, out: Tensor) -> None:
        out.copy_(norm(x, weight, eps))

    x, weight = torch.randn(3, 8, requires_grad=True), torch.randn(8)
    (expected,) = torch.autograd.grad(OPS.rms_norm(x, weight, 1e-5).sum(), x)
    ops.register_backend("rms_norm", "cpu", "mine", kernel)
    try:
        (found,) = torch.autograd.grad(OPS.rms_norm(x, weight, 1e-5).sum(), x)
    finally:
        library.unregister_backend("rms_norm", "cpu", "mine")
    assert torch.equal(found, expected)


# --- Training steps -------------------------------------------------------------------------------------------


class Layer(nn.Module):
    """A decoder layer of every operator that has a derivative."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(32, 64), nn.Linear(32, 32)
        self.up, self.down = nn.Linear(32, 96), nn.Linear(48, 32)
        self.norms = nn.ParameterList([torch.rand(32) + 0.5 for _ in range(2)])
        self.sinks = nn.Parameter(torch.randn(4))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, starts: Tensor) -> Tensor:
        query, key, value = self.qkv(OPS.rms_norm(x, self.norms[0], 1e-6)).unflatten(-1, (8, 8)).split([4, 2, 2], 1)
        query, key = OPS.rotary_embedding(query, key, cos, sin)
        attended = OPS.varlen_attention(query, key, value, starts, starts, sinks=self.sinks, sliding_window=6)
        x, normed = OPS.add_rms_norm(self.out(attended.flatten(1)), x, self.norms[1], 1e-6)
        gate, up = self.up(normed).chunk(2, -1)
        return x + self.down(OPS.silu_and_mul(gate, up))


def step_inputs() -> tuple[Tensor, ...]:
    g = torch.Generator().manual_seed(0)
    x, (cos, sin) = torch.randn(17, 32, generator=g), torch.randn(2, 17, 1, 8, generator=g)
    return x, cos, sin, torch.tensor([0, 9, 17], dtype=torch.int32)


def step(layer: Callable[..., Tensor], parameters: list[Tensor]) -> list[Tensor]:
    out = layer(*step_inputs())
    return [out, *torch.autograd.grad(out.square().sum(), parameters)]


@pytest.fixture
def layer() -> Iterator[Layer]:
    torch.manual_seed(0)
    torch.compiler.reset()
    yield Layer()
    torch.compiler.reset()


@pytest.mark.filterwarnings("ignore:dynamo_pgo force disabled")
@pytest.mark.parametrize("compiler", ["aot_eager", "inductor"])
def test_a_compiled_training_step(compiler: str, layer: Layer) -> None:
    parameters = list(layer.parameters())
    expected = step(layer, parameters)
    with torch._inductor.config.patch(force_disable_caches=True):
        found = step(torch.compile(layer, backend=compiler, fullgraph=True), parameters)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_the_graphs_of_aot_autograd(layer: Layer) -> None:
    """One node for attention forward and one backward: its log-sum-exp is kept, no scores."""
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    graphs: list[list[str]] = []

    def keep(graph: Any, _: Any) -> Any:
        graphs.append([str(node.target) for node in graph.graph.nodes if "torchpaged" in str(node.target)])
        return make_boxed_func(graph)

    parameters = list(layer.parameters())
    step(torch.compile(layer, backend=aot_autograd(fw_compiler=keep, bw_compiler=keep)), parameters)
    forward, backward = graphs
    assert sum("varlen_attention_with_lse" in each for each in forward) == 1
    assert [each for each in backward if "attention" in each] == ["torchpaged.varlen_attention_backward.default"]


@pytest.mark.parametrize("reentrant", [False, True])
def test_activation_checkpointing(reentrant: bool, layer: Layer) -> None:
    parameters = list(layer.parameters())
    expected = step(layer, parameters)

    def saved(x: Tensor, *rest: Tensor) -> Tensor:
        x = x.requires_grad_() if reentrant else x
        result: Tensor = checkpoint(layer, x, *rest, use_reentrant=reentrant)
        return result

    if reentrant:  # autograd.grad is not for it
        out = saved(*step_inputs())
        out.square().sum().backward()
        found = [out, *(each.grad for each in parameters)]
    else:
        found = step(saved, parameters)
    assert all(map(torch.equal, found, expected))


def test_no_tokens_have_no_gradients(backend: str) -> None:
    """The gradient of a sum has strides of 0, which count as contiguous if there are no numbers."""
    query, key = torch.zeros(0, 2, 16, requires_grad=True), torch.randn(5, 2, 16, requires_grad=True)
    none, some = (torch.tensor([0, each], dtype=torch.int32) for each in (0, 5))
    torch.ops.torchpaged.varlen_attention(query, key, key, none, some).sum().backward()
    assert query.grad is not None and query.grad.shape == query.shape
    assert key.grad is not None and not key.grad.any()
    x, weight = torch.zeros(0, 16, requires_grad=True), torch.ones(16, requires_grad=True)
    torch.ops.torchpaged.rms_norm(x, weight, 1e-5).sum().backward()
    assert x.grad is not None and weight.grad is not None and not weight.grad.any()
