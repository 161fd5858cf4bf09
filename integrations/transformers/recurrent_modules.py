"""Runs transformers' recurrent layers over a step's states: the layers' own code, calling torchpaged's functions.

transformers' layers call a convolution and a recurrence by names that are globals of their modeling file, and without a
cache would take the packed tokens of all sequences for one text. Each layer gets a `forward` that, while a step runs,
executes the same code object with globals in which these names are torchpaged's; between steps it calls the original.
The modeling file, the layer's class and its weights are not changed.
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
    """A recurrent layer's `forward`: over the step's states while a step runs, the original between steps.

    Args:
        module: the layer.
        make: builds the forward for steps from the layer; the result takes no `self`.
    """

    def __init__(self, module: nn.Module, make: Callable[[nn.Module], Callable[..., Any]]) -> None:
        self.module, self._make = module, make
        self._of_steps = make(module)

    def __call__(self, *args: Any, paged_metadata: Any = None, **kwargs: Any) -> Any:
        """Run the layer. Step metadata may also be passed as a keyword argument of the model's forward."""
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

    def __reduce__(self) -> Any:  # rebuilt by copies of a model, so that their layers run the copy's module
        return StepForward, (self.module, self._make)


def _own_code(module: nn.Module) -> Callable[..., Any]:
    """Return the layer's own forward, with globals in which the functions that it calls are torchpaged's.

    Raises:
        ModelError: the forward does not call the functions that this transformers version has.
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
    """Give recurrent layers a forward for steps, in place.

    Returns:
        The indices of these layers.

    Raises:
        ModelError: a layer's code calls unexpected functions, or its forward was replaced by other code.
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
    """Return the function that builds a layer's forward for steps; None for other modules."""
    if not type(module).__module__.startswith("transformers.") or not hasattr(module, "layer_idx"):
        return None
    if type(module).__name__ == "MiniMaxLightningAttention":
        return _lightning
    called = inspect.unwrap(type(module).forward).__code__.co_names
    return _own_code if _RECURRENCE.keys() & set(called) else None


def number_shared_attention(model: nn.Module) -> None:
    """Set `layer_idx` on Zamba2's attention modules, which transformers passes in each call instead."""
    for module in model.modules():
        shared, mamba = getattr(module, "shared_transformer", None), getattr(module, "mamba_decoder", None)
        if shared is not None and mamba is not None:
            shared.self_attn.layer_idx = mamba.layer_idx
