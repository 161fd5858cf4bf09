"""The operators under autograd: the forward runs, and backward computes `Operator.gradient` or raises GradientError.

Owns the kernels on the Autograd dispatch key: one rule for every backend. Where there is no derivative, results and
written tensors get a node that raises in backward; so do the results of a backward pass, which has none itself. Forward
mode and `torch.func` raise at once, before anything is written. torch's stable ABI cannot leave that key out of a call,
so these kernels are Python. Under `inference_mode` the dispatcher skips them. Under
`no_grad` a call passes through here, which costs 4 to 8 us: measured on the CPU with tensors of a few elements,
`rms_norm` takes 6.3 us instead of 2.3, `write_kv_cache` 8.4 instead of 2.5, `paged_attention` 11.2 instead of 6.1, or
14.8 instead of 7.0 with two options.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import _C, Tensor
from torch.autograd import forward_ad
from torch.autograd.graph import increment_version
from torch.library import Library

from torchpaged.errors import GradientError
from torchpaged.ops import score_mods
from torchpaged.ops.operator import Operator

# The end of a backward pass is an operator, so that a compiled one raises when it runs and not when it is traced.
_REFUSAL = "no_derivative(Tensor grad, str operator, str train_with, str arguments, SymInt[] shape) -> Tensor"


def define_refusal(library: Library) -> None:
    """Define the operator that a backward pass ends in."""
    library.define(_REFUSAL, tags=(torch.Tag.pt2_compliant_tag,))
    library.impl("no_derivative", _no_derivative, "CompositeExplicitAutograd")
    name = f"{library.ns}::no_derivative"
    torch.library.register_fake(name, lambda grad, *rest: grad.new_empty(rest[-1]), lib=library)


def _no_derivative(grad: Tensor, operator: str, train_with: str, arguments: str, shape: Sequence[int]) -> Tensor:
    raise _error(operator, train_with, arguments, "a backward pass reached it")


def kernel(operator: Operator, packet: Any) -> Callable[..., Any]:
    """Return the kernel on an operator's Autograd key, which the dispatcher calls with its keyset first.

    Args:
        packet: the operator's overload, of `torchpaged` or `torchpaged_cpp`.

    Raises (the kernel):
        GradientError: forward mode, `torch.func`, or an argument that is written to and cannot carry a gradient.
    """
    redispatch, arguments, returns = packet.redispatch, packet._schema.arguments, packet._schema.returns
    names = [argument.name for argument in arguments]
    written = {argument.name: i for i, argument in enumerate(arguments) if argument.is_write}
    if operator.gradient is not None:
        through = redispatch
        if operator.gradient.through:
            through = getattr(getattr(torch.ops, packet._schema.name.split("::")[0]), operator.gradient.through)
            through = through.default.redispatch
        once = dataclasses.replace(operator, overload=f"the backward of {operator.overload}", gradient=None)

    def under_autograd(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        if forward_ad._current_level >= 0:
            _refuse_tangents(operator, {**dict(zip(names, args, strict=False)), **kwargs})
        targets = [t for name, i in written.items() for t in _tensors(args[i] if i < len(args) else kwargs.get(name))]
        below = keyset & _C._after_autograd_keyset
        if not (torch.is_grad_enabled() and _C._any_requires_grad(*args, **kwargs)):
            if targets:
                increment_version(targets)
            return redispatch(below, *args, **kwargs)
        operator.check(operator.overload, *args, **kwargs)  # a refused call marks nothing
        named = {**dict(zip(names, args, strict=False)), **kwargs}
        refusal = _Refusal(operator, named, targets)
        for name in written:
            refusal.record_writes(name, _tensors(named.get(name)))
        increment_version(targets)
        if operator.gradient is not None:
            kwargs.update(score_mods.pin(kwargs))
            named = operator.named_arguments(args, kwargs)

            def run() -> Any:
                with _C._AutoDispatchBelowAutograd():
                    return through(below, *args, **kwargs)

            return _differentiated(_Call(operator, once, run, named, set(written), len(returns)))
        with _C._AutoDispatchBelowAutograd():  # a backend in plain PyTorch must not have a derivative of its own
            results = redispatch(below, *args, **kwargs)
        return refusal.record_results(results)

    return under_autograd


@dataclass(eq=False)
class _Call:
    """One call that has a derivative.

    Args:
        once: stands for the backward pass in errors: it has no derivative.
        run: computes the results, below autograd.
        named: the arguments, defaults included; tensors leave it when they are saved.
        written: names of arguments that are written to.
        num_results: results that the caller gets; the formula gets all.
    """

    operator: Operator
    once: Operator
    run: Callable[[], Any]
    named: dict[str, Any]
    written: set[str]
    num_results: int


def _differentiated(call: _Call) -> Any:
    tracked = [name for name, value in call.named.items() if any(t.requires_grad for t in _tensors(value))]
    # Of a list, which no derivative is taken with respect to, its first tensor stands for all.
    names = [name for name in tracked if name not in call.written]
    inputs = [next(t for t in _tensors(call.named[name]) if t.requires_grad) for name in names]
    results = _Differentiated.apply(call, names, *inputs)  # type: ignore[no-untyped-call]
    return results[0] if call.num_results == 1 else results


class _Differentiated(torch.autograd.Function):
    """The node of an operator that has a derivative."""

    @staticmethod
    def forward(ctx: Any, call: _Call, names: list[str], *inputs: Tensor) -> tuple[Tensor, ...]:
        found = call.run()
        results = (found,) if isinstance(found, Tensor) else tuple(found)
        saved = [name for name, value in call.named.items() if isinstance(value, Tensor) and name not in call.written]
        ctx.save_for_backward(*(call.named[name] for name in saved), *results)
        others = {name: value for name, value in call.named.items() if name not in saved and name not in call.written}
        ctx.operator, ctx.once, ctx.names, ctx.saved, ctx.others = call.operator, call.once, names, saved, others
        ctx.shapes = [tuple(t.shape) for t in inputs]
        ctx.set_materialize_grads(False)
        given = results[: call.num_results]
        ctx.mark_non_differentiable(*(t for t in given if not t.is_floating_point()))
        return given

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        some = next((grad for grad in grads if grad is not None), None)
        if some is None:
            return None, None, *(None for _ in ctx.names)
        tensors, operator = ctx.saved_tensors, ctx.operator
        arguments = {**ctx.others, **dict(zip(ctx.saved, tensors, strict=False))}
        with torch.no_grad():
            found = operator.gradient.formula(arguments, tensors[len(ctx.saved) :], grads)
            wanted = zip(ctx.names, ctx.shapes, ctx.needs_input_grad[2:], strict=True)
            results = [_result(ctx, found, some, *each) for each in wanted]
        if torch.is_grad_enabled():
            results = _once(ctx.once, results, [("grad", *grads), *zip(ctx.saved, tensors, strict=False)])
        return None, None, *results


def _result(ctx: Any, found: Any, grad: Tensor, name: str, shape: Sequence[int], needed: bool) -> Any:
    """Return the gradient of one input; with respect to what has none, run the operator that raises."""
    operator = ctx.operator
    if not needed or name in operator.gradient.of:
        return found.get(name) if needed else None
    return torch.ops.torchpaged.no_derivative(grad, operator.overload, operator.train_with, name, shape)


def _once(once: Operator, results: list[Tensor | None], sources: Sequence[Sequence[Any]]) -> list[Tensor | None]:
    """Return the results of a backward pass, with a node that raises if one of the sources requires a gradient."""
    tracked = {name: [t for t in each if t is not None and t.requires_grad] for name, *each in sources}
    inputs = [t for each in tracked.values() for t in each]
    there = [result for result in results if result is not None]
    if not inputs or not there:
        return results
    names = ", ".join(name for name, tensors in tracked.items() if tensors)
    marked = iter(_Returned.apply(once, names, there, *inputs))  # type: ignore[no-untyped-call]
    return [None if result is None else next(marked) for result in results]


class _Refusal:
    """One call with arguments that require grad: marks the results and the written tensors."""

    def __init__(self, operator: Operator, arguments: dict[str, Any], targets: Sequence[Tensor]) -> None:
        tracked = {name: [t for t in _tensors(value) if t.requires_grad] for name, value in arguments.items()}
        self.operator = operator
        self.names = ", ".join(name for name, tensors in tracked.items() if tensors)
        if _C._are_functorch_transforms_active():
            raise _error(operator.overload, operator.train_with, self.names, "torch.func differentiates it")
        self.inputs = [t for tensors in tracked.values() for t in tensors]
        self.sources = [t for t in self.inputs if all(t is not target for target in targets)]

    def record_writes(self, name: str, targets: Iterable[Tensor]) -> None:
        """Mark tensors before they are written to, so that one that cannot be marked is refused untouched."""
        for target in targets:
            if not target.is_floating_point():
                continue
            if getattr(target.grad_fn, "is_written", False) and not target._is_view():
                if not self.sources:
                    continue  # a backward pass through it raises already
                # Otherwise a cache that each step writes to would keep the graphs of all steps alive.
                target.detach_()
            if self.sources or target.requires_grad:
                try:
                    _Written.apply(self.operator, self.names, target, *self.sources)  # type: ignore[no-untyped-call]
                except RuntimeError as error:
                    overload, train_with = self.operator.overload, self.operator.train_with
                    reason = str(error).split(".")[0]
                    raise _error(overload, train_with, self.names, f"{name} cannot record it ({reason})") from error

    def record_results(self, results: Any) -> Any:
        """Return the results, each with a node that raises in backward."""
        if results is None:
            return None
        single = isinstance(results, Tensor)
        several = [results] if single else list(results)
        marked = _Returned.apply(self.operator, self.names, several, *self.inputs)  # type: ignore[no-untyped-call]
        return marked[0] if single else marked


class _Returned(torch.autograd.Function):
    """The node of new tensors. They come in a list, so that autograd takes them for results and not for inputs."""

    @staticmethod
    def forward(ctx: Any, operator: Operator, names: str, results: list[Tensor], *inputs: Tensor) -> tuple[Tensor, ...]:
        _remember(ctx, operator, names, inputs)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        return None, None, None, *_refused(ctx, grads)


class _Written(torch.autograd.Function):
    """The node of a tensor that is written to; one node for each, as autograd requires for views."""

    @staticmethod
    def forward(ctx: Any, operator: Operator, names: str, target: Tensor, *inputs: Tensor) -> Tensor:
        _remember(ctx, operator, names, (target, *inputs))
        ctx.is_written = True
        ctx.mark_dirty(target)
        return target

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        return None, None, *_refused(ctx, grads)


def _remember(ctx: Any, operator: Operator, names: str, inputs: Sequence[Tensor]) -> None:
    ctx.operator, ctx.names, ctx.shapes = operator, names, [tuple(t.shape) for t in inputs]
    ctx.set_materialize_grads(False)


def _refused(ctx: Any, grads: Sequence[Tensor | None]) -> Iterator[Tensor | None]:
    grad = next((grad for grad in grads if grad is not None), None)
    no_derivative, operator = torch.ops.torchpaged.no_derivative, ctx.operator
    for shape in ctx.shapes:
        yield None if grad is None else no_derivative(grad, operator.overload, operator.train_with, ctx.names, shape)


def _refuse_tangents(operator: Operator, named: dict[str, Any]) -> None:
    for name, value in named.items():
        for tensor in _tensors(value):
            if tensor.is_floating_point() and forward_ad.unpack_dual(tensor).tangent is not None:
                raise _error(operator.overload, operator.train_with, name, "forward-mode differentiation reached it")


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    return [t for t in value if isinstance(t, Tensor)] if isinstance(value, (list, tuple)) else []


def _error(overload: str, train_with: str, arguments: str, found: str) -> GradientError:
    return GradientError(
        f"{overload} has no derivative with respect to {arguments}, and {found}: run the forward under "
        f"torch.inference_mode() or torch.no_grad(), or use {train_with} to train"
    )
