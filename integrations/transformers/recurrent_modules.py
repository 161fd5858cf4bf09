"""Recurrent layers while a step runs: the families' own code, with torchpaged's functions in transformers' place.

transformers' layers call a convolution and a recurrence by names of their modeling file, and without a cache take the
packed tokens of all sequences for one text. A layer's `forward` becomes one that runs the same code over other
globals, in which these names are ours; between steps it is the original. Nothing that others see is changed: neither
the modeling file, nor the layer's class, nor its weights.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from torch import Tensor, nn

from torchpaged.errors import ModelError
from torchpaged.integrations.families import VERSION
from torchpaged.integrations.transformers import recurrent_functions
from torchpaged.integrations.transformers.attention_interface import CurrentStep

# By name, what stands in for the functions that transformers' layers call.
_CONVOLUTION: dict[str, Callable[..., Any]] = {"causal_conv1d_fn": recurrent_functions.causal_conv1d}
_RECURRENCE: dict[str, Callable[..., Any]] = {
    "torch_chunk_gated_delta_rule": recurrent_functions.chunk_gated_delta_rule,
    "chunk_kimi_delta_attention": recurrent_functions.chunk_gated_delta_rule,
    "mamba2_chunk_scan": recurrent_functions.mamba2_chunk_scan,
    "mamba_selective_scan": recurrent_functions.mamba_selective_scan,
}


class StepForward:
    """A recurrent layer's `forward`: its own between steps, and over the step's states while one runs.

    Args:
        module: the layer.
        make: makes of it the forward of steps, which takes no `self`.
    """

    def __init__(self, module: nn.Module, make: Callable[[nn.Module], Callable[..., Any]]) -> None:
        self.module, self._make = module, make
        self._of_steps = make(module)

    def __call__(self, *args: Any, paged_metadata: Any = None, **kwargs: Any) -> Any:
        """As the original's; a step's metadata may be handed to the model's forward."""
        step: CurrentStep = self.module.paged_step  # type: ignore[assignment]
        if step.runs:
            return self._run(*args, **kwargs)
        if paged_metadata is None:
            return type(self.module).forward(self.module, *args, **kwargs)
        step.metadata = paged_metadata
        try:
            return self._run(*args, **kwargs)
        finally:
            step.metadata = None

    def _run(self, hidden_states: Tensor, *args: Any, attention_mask: Tensor | None = None, **kwargs: Any) -> Any:
        if attention_mask is not None:
            raise ValueError("attention_mask is given to a recurrent layer, expected None: pack sequences instead")
        if hidden_states.shape[0] != 1:
            raise ValueError(f"batch is {hidden_states.shape[0]} in a recurrent layer, expected 1: pack sequences")
        return self._of_steps(hidden_states, *args, **kwargs)

    def __reduce__(self) -> Any:  # so that a copy of a model has layers that run the copy
        return StepForward, (self.module, self._make)


def _own_code(module: nn.Module) -> Callable[..., Any]:
    """The layer's own forward over globals in which what it calls is ours.

    Raises:
        ModelError: it does not call what is known here.
    """
    forward = inspect.unwrap(type(module).forward)
    called = set(forward.__code__.co_names)
    ours = {name: function for name, function in {**_CONVOLUTION, **_RECURRENCE}.items() if name in called}
    if not (ours.keys() & _CONVOLUTION.keys() and ours.keys() & _RECURRENCE.keys()):
        raise ModelError(
            f"{type(module).__name__} calls other functions than those of transformers {VERSION}: expected one of "
            f"{sorted(_CONVOLUTION)} and one of {sorted(_RECURRENCE)}"
        )
    known = {name: value for name, value in forward.__globals__.items() if name != "__name__"}
    known |= {name: partial(function, module) for name, function in ours.items()}
    copy = FunctionType(forward.__code__, known, forward.__name__, forward.__defaults__, forward.__closure__)
    copy.__kwdefaults__ = forward.__kwdefaults__
    return partial(copy, module)


def _lightning(module: nn.Module) -> Callable[..., Any]:
    return partial(recurrent_functions.lightning_attention, module)


def replace_recurrences(model: nn.Module) -> frozenset[int]:
    """Gives recurrent layers a forward for steps, in place.

    Returns:
        The indices of these layers.

    Raises:
        ModelError: a layer's code is not the one that is known, or its forward is another's already.
    """
    found = set()
    for module in model.modules():
        if (make := _maker(module)) is None:
            continue
        found.add(int(module.layer_idx))  # type: ignore[arg-type]
        if isinstance(own := module.__dict__.get("forward"), StepForward):
            continue
        if own is not None:
            raise ModelError(
                f"{type(module).__name__} has another forward, a {type(own).__name__}: take the hooks off the model"
            )
        module.forward = StepForward(module, make)
    return frozenset(found)


def _maker(module: nn.Module) -> Callable[[nn.Module], Callable[..., Any]] | None:
    """What makes a layer's forward of steps; None for what is no recurrent layer of transformers'."""
    if not type(module).__module__.startswith("transformers.") or not hasattr(module, "layer_idx"):
        return None
    if type(module).__name__ == "MiniMaxLightningAttention":
        return _lightning
    called = inspect.unwrap(type(module).forward).__code__.co_names
    return _own_code if _RECURRENCE.keys() & set(called) else None


def number_shared_attention(model: nn.Module) -> None:
    """Zamba2's layers have one attention's weights, told in each call which layer it is: here each knows it itself."""
    for module in model.modules():
        shared, mamba = getattr(module, "shared_transformer", None), getattr(module, "mamba_decoder", None)
        if shared is not None and mamba is not None:
            shared.self_attn.layer_idx = mamba.layer_idx
