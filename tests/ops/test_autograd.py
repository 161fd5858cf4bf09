"""Operators without a derivative under autograd: one rule for every backend, eager, exported and compiled.

Those that have one are in test_gradients.py; under torch.func and in forward mode they are refused like the others.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.autograd.forward_ad as forward_ad
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves, tree_map

from tests.ops.test_library import PagedBlock, samples
from torchpaged import ops
from torchpaged.errors import GradientError
from torchpaged.ops import autograd, library

OPS = torch.ops.torchpaged
# Tokens, packed codes and positions are whole numbers.
WHOLE = ("sample_tokens", "pack_grouped_weight", "paged_topk")
REFUSED = [each.overload for each in library.OPERATORS if each.name not in WHOLE and each.gradient is None]


def rms_norm(x: Tensor) -> Tensor:
    return OPS.rms_norm(x, torch.ones(8), 1e-6)


def merged(x: Tensor) -> Tensor:
    """Merge [tokens, 8] with itself: an operator without a derivative."""
    part, lse = x.unsqueeze(1), torch.zeros(len(x), 1)
    return OPS.merge_attention_states(part, lse, part, lse)[0][:, 0]


def pools(**options: Any) -> list[Tensor]:
    return [torch.zeros(4, 16, 1, 8, **options) for _ in range(2)]


def write(key: Tensor, key_cache: Tensor, value_cache: Tensor, **scales: Tensor) -> None:
    OPS.write_kv_cache(key, key, key_cache, value_cache, torch.arange(len(key)) + 16, **scales)


@pytest.fixture
def key() -> Tensor:
    return torch.randn(3, 1, 8, requires_grad=True)


@pytest.fixture(params=["default", "reference", "native"])
def call(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Yield an operator by its overload's name, on one backend; `native` is the C++ namespace that backends call."""
    ops.set_backend("reference" if request.param == "reference" else None)
    namespace = library.NATIVE_NAMESPACE if request.param == "native" else library.NAMESPACE
    operators = {operator.overload: operator.packet(namespace) for operator in library.OPERATORS}
    yield lambda overload, *args, **kwargs: operators[overload](*args, **kwargs)
    ops.set_backend(None)


def differentiable(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def tracked(value: Any) -> Any:
    """Return an argument that requires a gradient; it is not a leaf, so that it may be written to."""
    return value.clone().requires_grad_() * 1 if differentiable(value) else value


def run(call: Callable[..., Any], overload: str, args: Any, kwargs: Any) -> list[Tensor]:
    """Calls it; what it gives and what it writes, as far as these are floating-point."""
    results = call(overload, *args, **kwargs)
    named = call_arguments(overload, args, kwargs)
    written = [argument.name for argument in schema(overload) if argument.is_write]
    return [t for t in tree_leaves((results, [named.get(name) for name in written])) if differentiable(t)]


def schema(overload: str) -> Any:
    return next(op for op in library.OPERATORS if op.overload == overload).packet("torchpaged")._schema.arguments


def call_arguments(overload: str, args: Any, kwargs: Any) -> dict[str, Any]:
    return {**dict(zip((argument.name for argument in schema(overload)), args, strict=False)), **kwargs}


@pytest.mark.parametrize("overload", REFUSED)
def test_the_forward_runs_and_a_backward_raises(overload: str, call: Callable[..., Any]) -> None:
    args, kwargs = samples()[overload]
    with torch.inference_mode():
        expected = run(call, overload, *tree_map(lambda v: v.clone() if isinstance(v, Tensor) else v, (args, kwargs)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # torch's own warning says that an operator was left without a rule
        found = run(call, overload, *tree_map(tracked, (args, kwargs)))
    assert len(found) == len(expected) > 0
    for result, value in zip(found, expected, strict=True):
        torch.testing.assert_close(result.detach(), value, rtol=0, atol=0, equal_nan=True)
        with pytest.raises(GradientError, match=rf"^{overload} has no derivative with respect to \w+.*inference_mode"):
            result.sum().backward()


def test_every_operator_says_what_to_use_instead() -> None:
    assert all(operator.train_with for operator in library.OPERATORS)


def test_parameters_are_not_left_without_a_gradient() -> None:
    """As in the issue's module: `qkv.weight.grad is None`, with only a warning."""
    module, arguments = PagedBlock(), block_inputs(7)
    with pytest.raises(GradientError, match=r"paged_attention .* query, key_cache, value_cache, .*scaled_dot_product"):
        module(*arguments).sum().backward()
    with pytest.raises(GradientError, match="write_kv_cache"):
        torch.autograd.grad(arguments[1].sum(), [module.qkv.weight], allow_unused=True)


def test_a_third_partys_kernel_has_no_derivative_either() -> None:
    def kernel(out_a: Tensor, lse_a: Tensor, out_b: Tensor, lse_b: Tensor, out: Tensor, lse: Tensor) -> None:
        out.copy_(out_a * 1)  # autograd could follow this

    ops.register_backend("merge_attention_states", "cpu", "mine", kernel)
    try:
        x = torch.randn(3, 8, requires_grad=True)
        result = merged(x)
        assert torch.equal(result, x)
        with pytest.raises(GradientError, match="merge_attention_states"):
            result.sum().backward()
    finally:
        library.unregister_backend("merge_attention_states", "cpu", "mine")


def test_integers_carry_no_gradient() -> None:
    args, kwargs = samples()["sample_tokens"]
    assert not OPS.sample_tokens(*tree_map(tracked, args), **kwargs).requires_grad
    scales = [torch.ones(4, 16, 1) for _ in range(2)]
    caches = pools(dtype=torch.int8)
    write(torch.randn(3, 1, 8, requires_grad=True), *caches, k_scale_cache=scales[0], v_scale_cache=scales[1])
    assert caches[0].any() and not caches[0].requires_grad and scales[0].requires_grad
    with torch.no_grad():
        OPS.copy_blocks(caches, torch.tensor([[1, 2]]))


# --- What is written to -----------------------------------------------------------------------------------------


def test_a_cache_forgets_the_graphs_of_earlier_steps(key: Tensor) -> None:
    """With grad mode on by mistake: memory must not grow with each step."""
    caches = pools()
    for _ in range(4):
        write(key * 1, *caches)
    nodes, node = 0, caches[0].grad_fn
    while node is not None:
        nodes, node = nodes + 1, next((n for n, _ in node.next_functions if n is not None), None)
    assert nodes == 3  # the write, the product, the key
    OPS.copy_blocks(caches, torch.tensor([[1, 2]]))
    OPS.swap_blocks(caches[0], caches[0], torch.tensor([[1, 3]]))
    for cache in caches:
        with pytest.raises(GradientError):
            cache.sum().backward()


def test_views_of_a_larger_tensor_take_it_with_them(key: Tensor) -> None:
    kv = torch.zeros(2, 2, 4, 16, 1, 8)
    write(key, kv[1, 0], kv[1, 1])
    assert torch.equal(kv[1, 0, 1, :3], key)
    with pytest.raises(GradientError, match="write_kv_cache"):
        kv.sum().backward()


def leaf() -> list[Tensor]:
    return pools(requires_grad=True)


def multiple_views() -> list[Tensor]:
    return list(torch.zeros(2, 4, 16, 1, 8).unbind(0))


@torch.no_grad()
def views_without_grad() -> list[Tensor]:
    return [torch.zeros(1, 4, 16, 1, 8)[0] for _ in range(2)]


@torch.inference_mode()
def inference() -> list[Tensor]:
    return pools()


@pytest.mark.parametrize("make", [leaf, multiple_views, views_without_grad, inference])
def test_what_cannot_record_it_is_refused_untouched(make: Callable[[], list[Tensor]], key: Tensor) -> None:
    """torch forbids in-place writes to these, as its own operators do; without grad they work."""
    caches = make()
    with pytest.raises(GradientError, match=r"key_cache cannot record it \(.*\): run the forward under"):
        write(key, *caches)
    assert not any(cache.any() for cache in caches)
    with torch.no_grad():
        write(key, *caches)
    assert torch.equal(caches[0][1, :3], key)


def test_a_call_with_bad_arguments_marks_nothing(key: Tensor) -> None:
    caches = pools()
    with pytest.raises(ValueError, match="value_cache"):
        write(key, caches[0], caches[1].double())
    assert not caches[0].requires_grad


@pytest.mark.parametrize("tracks", [False, True], ids=["no_grad", "grad"])
def test_a_write_counts_as_a_change(tracks: bool, key: Tensor) -> None:
    """Otherwise a gradient that needs the old contents would be computed from the new ones."""
    factor = torch.ones((), requires_grad=True)
    caches = pools()
    product = (caches[0] * factor).sum()
    with torch.set_grad_enabled(tracks):
        write(key, *caches)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


# --- torch.func and forward mode ----------------------------------------------------------------------------------


def total(x: Tensor) -> Tensor:
    return rms_norm(x).sum()


TRANSFORMS: dict[str, Callable[[Tensor], Any]] = {
    "grad": torch.func.grad(total),
    "vjp": lambda x: torch.func.vjp(total, x)[1](torch.ones(())),
    "jacrev": torch.func.jacrev(rms_norm),
    "jacfwd": torch.func.jacfwd(rms_norm),
    "hessian": torch.func.hessian(total),
    "vmap-grad": torch.func.vmap(torch.func.grad(total)),
    "jvp": lambda x: torch.func.jvp(rms_norm, (x,), (x,)),
    "jvp-no_grad": lambda x: torch.no_grad()(torch.func.jvp)(rms_norm, (x,), (x,)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_torch_func_is_refused(name: str) -> None:
    with pytest.raises(GradientError, match="rms_norm has no derivative with respect to x"):
        TRANSFORMS[name](torch.randn(3, 8))


@pytest.mark.parametrize("tracks", [False, True], ids=["no_grad", "grad"])
def test_dual_tensors_are_refused_before_anything_is_written(tracks: bool) -> None:
    caches, key = pools(), torch.randn(3, 1, 8)
    with forward_ad.dual_level(), torch.set_grad_enabled(tracks):
        with pytest.raises(GradientError, match="write_kv_cache has no derivative with respect to key, and forward"):
            write(forward_ad.make_dual(key, key), *caches)
        assert not caches[0].any()
        write(key, *caches)
    assert torch.equal(caches[0][1, :3], key)


def test_torch_func_of_something_else_goes_on() -> None:
    x, caches = torch.randn(3, 8), pools()

    def scaled(factor: Tensor) -> Tensor:
        write(x.unsqueeze(1), *caches)
        return (rms_norm(x) * factor).sum()

    torch.testing.assert_close(torch.func.grad(scaled)(torch.ones(())), rms_norm(x).sum())


# --- What must not change -----------------------------------------------------------------------------------------


def test_inference_mode_does_not_pass_through_python() -> None:
    args, kwargs = samples()["rms_norm"]
    calls: list[str] = []

    def record(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename == autograd.__file__:
            calls.append(frame.f_code.co_name)

    for mode in (torch.inference_mode, torch.no_grad):
        calls.clear()
        with mode():
            sys.setprofile(record)
            try:
                OPS.rms_norm(*args, **kwargs)
            finally:
                sys.setprofile(None)
        assert bool(calls) == (mode is torch.no_grad)


def test_autocast_leaves_the_operators_alone() -> None:
    args, kwargs = samples()["rms_norm"]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(OPS.rms_norm(*args, **kwargs), OPS.rms_norm(*args, **kwargs).float())


# --- Exported and compiled ----------------------------------------------------------------------------------------


class Merged(nn.Module):
    """A layer followed by one operator."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        return merged(self.linear(x))


def block_inputs(length: int) -> list[Tensor]:
    """Return `PagedBlock`'s inputs: the caches are the second and the third."""
    tables = torch.tensor([[2, 1]], dtype=torch.int32)
    slots = tables[0].long().repeat_interleave(16)[:length] * 16 + torch.arange(length) % 16
    lengths = [torch.tensor(values, dtype=torch.int32) for values in ([length], [0, length])]
    return [torch.randn(length, 32), *(torch.zeros(4, 16, 2, 16) for _ in range(2)), slots, tables, *lengths]


def test_an_exported_module_raises_in_backward() -> None:
    exported = torch.export.export(Merged(), (torch.randn(3, 8),))
    for program in (exported, exported.run_decompositions()):
        with pytest.raises(GradientError, match="merge_attention_states"):
            program.module()(torch.randn(3, 8)).sum().backward()


@pytest.mark.parametrize("transform", ["grad", "jvp"])
def test_torch_func_is_refused_when_it_is_compiled(transform: str) -> None:
    with pytest.raises(Exception, match="rms_norm has no derivative with respect to x"):
        torch.compile(TRANSFORMS[transform], backend="aot_eager", fullgraph=True)(torch.randn(3, 8))


@pytest.mark.filterwarnings("ignore:dynamo_pgo force disabled")
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_code_runs_and_raises_in_backward(backend: str) -> None:
    """Weights that require grad, grad mode on: results and caches equal eager's."""
    torch.manual_seed(0)
    module = PagedBlock()
    # A cached graph was made with the rules of the day on which it was made.
    with torch._inductor.config.patch(force_disable_caches=True):
        compiled = torch.compile(module, fullgraph=True, dynamic=True, backend=backend)
        for length, of_cache in ((7, False), (12, True)):
            arguments = block_inputs(length)
            expected = [t.clone() for t in arguments]
            with torch.no_grad():
                out = module(*expected)
            addresses = [cache.data_ptr() for cache in arguments[1:3]]
            found = compiled(*arguments)
            assert [cache.data_ptr() for cache in arguments[1:3]] == addresses
            for result, value in zip([found, *arguments[1:3]], [out, *expected[1:3]], strict=True):
                torch.testing.assert_close(result.detach(), value, rtol=1e-5, atol=1e-5)
            with pytest.raises(GradientError, match="paged_attention has no derivative"):
                (arguments[1] if of_cache else found).sum().backward()
    assert module.qkv.weight.grad is None
    torch.compiler.reset()


def test_two_writes_in_one_compiled_graph(key: Tensor) -> None:
    def twice(key: Tensor, key_cache: Tensor, value_cache: Tensor) -> Tensor:
        write(key, key_cache, value_cache)
        write(2 * key[:2], key_cache, value_cache)
        return key_cache.sum()

    eager, caches = pools(), pools()
    with torch.no_grad():
        twice(key, *eager)
    result = torch.compile(twice, backend="aot_eager", fullgraph=True)(key, *caches)
    assert torch.equal(eager[0], caches[0].detach())
    with pytest.raises(GradientError, match="write_kv_cache"):
        result.backward()
    torch.compiler.reset()
