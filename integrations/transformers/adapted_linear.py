"""Linear modules whose results adapters are added to while a step runs; between steps they work as before."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from torchpaged.integrations.checkpoints.streaming_load import Reordered
from torchpaged.integrations.transformers.attention_interface import CurrentStep, Probe
from torchpaged.integrations.transformers.split_forward import OwnForward
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.layer_calls import adapt_layer
from torchpaged.weights.packed_linear import PackedLinear

# Tokens of the trial forward: a number that no dimension of a model is likely to have.
_TOKENS = 5


class _Adapted(nn.Module):
    """Base of adapted modules, before their own class: adds adapters to its result.

    Attributes:
        adapted_name: the module's name, as adapters give it.
        paged_step: the step that the model's layers share.
    """

    adapted_name: str
    paged_step: CurrentStep

    def forward(self, x: Tensor) -> Tensor:
        """Return the module's own result, with the adapters of the step's tokens added."""
        out: Tensor = super().forward(x)
        step = self.paged_step.metadata
        if step is None:
            return out
        if isinstance(step, StepMetadata):
            return adapt_layer(out, x, step, (self.adapted_name,))
        return step.adapt(out, x, self.adapted_name)


@functools.cache
def _adapted_class(own: type[nn.Module]) -> type[nn.Module]:
    return type(own.__name__, (_Adapted, own), {"__module__": own.__module__, "__doc__": own.__doc__})


@torch.inference_mode()
def adapt_linears(model: nn.Module, forward: OwnForward, vocab_size: int) -> dict[str, tuple[int, int]]:
    """Let adapters be added to the linear modules of a decoder that each see every token of a step once.

    Embeddings and heads are not among them, nor experts, which see some tokens, nor modules whose weight the model
    multiplies by itself. Modules that are adapted already stay so.

    Args:
        model: of transformers.
        forward: its forward.
        vocab_size: of its tokens.

    Returns:
        (out_features, in_features) by name; of modules within peft's, without its part of the name.
    """
    step = CurrentStep.of(model)
    modules = {_name(full): module for full, module in _linears(model)}
    for name, module in modules.items():
        if not isinstance(module, _Adapted):
            module.__class__ = _adapted_class(type(module))  # type: ignore[arg-type]
            module.adapted_name, module.paged_step = name, step  # type: ignore[assignment]
    probe = Probe()
    device = next(model.parameters()).device
    tokens = torch.arange(_TOKENS, device=device)
    forward.forward(tokens % vocab_size, tokens, probe, tokens)
    for name, module in modules.items():
        if probe.linears.get(name) != [_TOKENS]:
            _restore(module)
    return {name: _shape(module) for name, module in modules.items() if isinstance(module, _Adapted)}


def linear_shapes(model: nn.Module) -> dict[str, tuple[int, int]]:
    """Return (out_features, in_features) of each linear module by name, also of those that adapters cannot change.

    Args:
        model: of transformers; it may be on the meta device.
    """
    return {_name(full): _shape(module) for full, module in _linears(model)}


def restore_linears(model: nn.Module) -> None:
    """Undo `adapt_linears`."""
    for module in model.modules():
        if isinstance(module, _Adapted):
            _restore(module)


def _restore(module: nn.Module) -> None:
    module.__class__ = type(module).__mro__[2]
    del module.adapted_name, module.paged_step


def _linears(model: nn.Module) -> list[tuple[str, nn.Module]]:
    found = dict(model.named_modules())
    return [
        (name, each)
        for name, each in found.items()
        if _is_linear(each)
        and not _is_part_of_adapter(name)
        and not isinstance(found[name.rpartition(".")[0]], Reordered)  # adapters' inputs are not reordered
    ]


def _is_linear(module: nn.Module) -> bool:
    return isinstance(module, (nn.Linear, PackedLinear, Conv1D, Reordered))


def _is_part_of_adapter(name: str) -> bool:
    return any(part.startswith("lora_") for part in name.split("."))


def _name(full: str) -> str:
    return full.removesuffix(".base_layer")


def _shape(module: Any) -> tuple[int, int]:
    if isinstance(module, Conv1D):
        return module.nf, module.nx
    linear: Any = module.linear if isinstance(module, Reordered) else module
    return linear.out_features, linear.in_features
