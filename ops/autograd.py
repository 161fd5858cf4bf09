"""The operators under autograd: a forward runs, and whoever asks for a derivative is told that there is none.

Owns the kernels on the Autograd dispatch key: one rule, whatever the backend. Results, and what was written to, carry
a node that raises in backward; forward mode and `torch.func` raise at once, before anything is written.
torch's stable ABI has no way to leave that key out of a call, so these kernels are Python. Under `inference_mode` the
dispatcher skips them. Under `no_grad` a call passes through here, which costs 4 to 8 us: measured on the CPU with
tensors of next to no size, `rms_norm` takes 6.3 us instead of 2.3, `write_kv_cache` 8.4 instead of 2.5,
`paged_attention` 11.2 instead of 6.1, or 14.8 instead of 7.0 with two options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import _C, Tensor
from torch.autograd import forward_ad
from torch.autograd.graph import increment_version
from torch.library import Library

from torchpaged.errors import GradientError

_SDPA = "torch.nn.functional.scaled_dot_product_attention"
_MODEL = "the functions that transformers' model calls"
# What has a derivative, by operator.
INSTEAD = {
    "paged_attention": _SDPA,
    "merge_attention_states": f"{_SDPA} over all keys",
    "write_kv_cache": f"{_SDPA} without a cache",
    "gather_kv_cache": f"{_SDPA} without a cache",
    "copy_blocks": f"{_SDPA} without a cache",
    "swap_blocks": f"{_SDPA} without a cache",
    "causal_conv1d": "torch.nn.functional.conv1d without a cache",
    "chunked_conv1d": "torch.nn.functional.conv1d without a cache",
    "gated_delta_rule": _MODEL,
    "mamba2_scan": _MODEL,
    "linear_attention": _MODEL,
    "selective_scan": _MODEL,
    "pack_linear_weight": "torch.nn.functional.linear",
    "pack_grouped_weight": "torch.nn.functional.linear",
    "packed_linear": "torch.nn.functional.linear",
    "packed_grouped_linear": "torch.nn.functional.linear with each expert's rows",
    "sample_tokens": "torch.nn.functional.log_softmax of the logits",
    "edit_logits": "torch.where and additions in plain PyTorch",
    "penalize_logits": "the penalties in plain PyTorch",
    "token_logprobs": "torch.nn.functional.log_softmax of the logits",
    "rms_norm": "torch.nn.functional.rms_norm",
    "add_rms_norm": "torch.nn.functional.rms_norm of the sum",
    "rotary_embedding": "the rotation in plain PyTorch",
    "silu_and_mul": "torch.nn.functional.silu(gate) * up",
    "gelu_tanh_and_mul": "torch.nn.functional.gelu(gate, approximate='tanh') * up",
}
# What a backward pass calls, as an operator: a compiled one then raises when it runs, not when it is traced.
_REFUSAL = "no_derivative(Tensor grad, str operator, str arguments, SymInt[] shape) -> Tensor"


def define_refusal(library: Library) -> None:
    """Defines the operator that a backward pass ends in."""
    library.define(_REFUSAL, tags=(torch.Tag.pt2_compliant_tag,))
    library.impl("no_derivative", _no_derivative, "CompositeExplicitAutograd")
    name = f"{library.ns}::no_derivative"
    torch.library.register_fake(name, lambda grad, operator, arguments, shape: grad.new_empty(shape), lib=library)


def _no_derivative(grad: Tensor, operator: str, arguments: str, shape: Sequence[int]) -> Tensor:
    raise _error(operator, arguments, "a backward pass reached it")


def kernel(overload: str, packet: Any, check: Callable[..., None]) -> Callable[..., Any]:
    """What stands on the Autograd key of an operator; it is called with the dispatcher's keyset first.

    Args:
        overload: its name in errors, "paged_attention.out".
        packet: the operator overload, of `torchpaged` or `torchpaged_cpp`.
        check: of its arguments, so that a call that is refused has marked nothing.

    Raises (the kernel):
        GradientError: forward mode, `torch.func`, or an argument that is written to and cannot carry a gradient.
    """
    redispatch, arguments = packet.redispatch, packet._schema.arguments
    names = [argument.name for argument in arguments]
    written = {argument.name: i for i, argument in enumerate(arguments) if argument.is_write}

    def under_autograd(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        if forward_ad._current_level >= 0:
            _refuse_tangents(overload, {**dict(zip(names, args, strict=False)), **kwargs})
        targets = [t for name, i in written.items() for t in _tensors(args[i] if i < len(args) else kwargs.get(name))]
        below = keyset & _C._after_autograd_keyset
        if not (torch.is_grad_enabled() and _C._any_requires_grad(*args, **kwargs)):
            if targets:
                increment_version(targets)
            return redispatch(below, *args, **kwargs)
        check(overload, *args, **kwargs)
        named = {**dict(zip(names, args, strict=False)), **kwargs}
        refusal = _Refusal(overload, named, targets)
        for name in written:
            refusal.record_writes(name, _tensors(named.get(name)))
        increment_version(targets)
        with _C._AutoDispatchBelowAutograd():  # a backend in plain PyTorch must not have a derivative of its own
            results = redispatch(below, *args, **kwargs)
        return refusal.record_results(results)

    return under_autograd


class _Refusal:
    """One call of an operator with arguments that require grad: marks what it gives and what it writes."""

    def __init__(self, overload: str, arguments: dict[str, Any], targets: Sequence[Tensor]) -> None:
        tracked = {name: [t for t in _tensors(value) if t.requires_grad] for name, value in arguments.items()}
        self.overload = overload
        self.names = ", ".join(name for name, tensors in tracked.items() if tensors)
        if _C._are_functorch_transforms_active():
            raise _error(overload, self.names, "torch.func differentiates it")
        self.inputs = [t for tensors in tracked.values() for t in tensors]
        self.sources = [t for t in self.inputs if all(t is not target for target in targets)]

    def record_writes(self, name: str, targets: Iterable[Tensor]) -> None:
        """Marks tensors before they are written to, so that one that cannot be is refused untouched."""
        for target in targets:
            if not target.is_floating_point():
                continue
            if getattr(target.grad_fn, "is_written", False) and not target._is_view():
                if not self.sources:
                    continue  # it raises already
                # A cache that is written to step after step would keep the graphs of all steps alive.
                target.detach_()
            if self.sources or target.requires_grad:
                try:
                    _Written.apply(self.overload, self.names, target, *self.sources)  # type: ignore[no-untyped-call]
                except RuntimeError as error:
                    reason = str(error).split(".")[0]
                    raise _error(self.overload, self.names, f"{name} cannot record it ({reason})") from error

    def record_results(self, results: Any) -> Any:
        """The results with a node behind them that raises in backward."""
        if results is None:
            return None
        single = isinstance(results, Tensor)
        several = [results] if single else list(results)
        marked = _Returned.apply(self.overload, self.names, several, *self.inputs)  # type: ignore[no-untyped-call]
        return marked[0] if single else marked


class _Returned(torch.autograd.Function):
    """Behind new tensors. They come in a list, so that autograd takes them for results and not for inputs."""

    @staticmethod
    def forward(ctx: Any, overload: str, names: str, results: list[Tensor], *inputs: Tensor) -> tuple[Tensor, ...]:
        _remember(ctx, overload, names, inputs)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        return None, None, None, *_refused(ctx, grads)


class _Written(torch.autograd.Function):
    """Behind a tensor that is written to; one tensor each, since autograd has it so for views."""

    @staticmethod
    def forward(ctx: Any, overload: str, names: str, target: Tensor, *inputs: Tensor) -> Tensor:
        _remember(ctx, overload, names, (target, *inputs))
        ctx.is_written = True
        ctx.mark_dirty(target)
        return target

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        return None, None, *_refused(ctx, grads)


def _remember(ctx: Any, overload: str, names: str, inputs: Sequence[Tensor]) -> None:
    ctx.overload, ctx.names, ctx.shapes = overload, names, [tuple(t.shape) for t in inputs]
    ctx.set_materialize_grads(False)


def _refused(ctx: Any, grads: Sequence[Tensor | None]) -> Iterator[Tensor | None]:
    grad = next((grad for grad in grads if grad is not None), None)
    for shape in ctx.shapes:
        yield None if grad is None else torch.ops.torchpaged.no_derivative(grad, ctx.overload, ctx.names, shape)


def _refuse_tangents(overload: str, named: dict[str, Any]) -> None:
    for name, value in named.items():
        for tensor in _tensors(value):
            if tensor.is_floating_point() and forward_ad.unpack_dual(tensor).tangent is not None:
                raise _error(overload, name, "forward-mode differentiation reached it")


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    return [t for t in value if isinstance(t, Tensor)] if isinstance(value, (list, tuple)) else []


def _error(overload: str, arguments: str, found: str) -> GradientError:
    instead = INSTEAD[overload.split(".")[0].removesuffix("_with_lse")]
    return GradientError(
        f"{overload} has no derivative with respect to {arguments}, and {found}: run the forward under "
        f"torch.inference_mode() or torch.no_grad(), or use {instead} to train"
    )
