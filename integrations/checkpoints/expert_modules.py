"""Replaces the experts of a mixture by packed ones.

transformers keeps all experts of a projection in one tensor, [experts, out, in] or transposed (gpt-oss, Aria). Only
these tensors are replaced; gate, activation and biases stay the module's own.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.ops.checks import FLOAT_DTYPES
from torchpaged.weights.packed_experts import PackedExperts

# Attributes by which transformers' experts modules describe themselves.
_ATTRIBUTES = ("num_experts", "has_gate", "has_bias", "is_transposed")


class ExpertsForward(nn.Module):
    """A mixture's experts with packed weights. Rows are not sorted by expert.

    Args:
        own: the original module, without its weights.
        up: its gate_up_proj, or up_proj if there is no gate.
        down: its down_proj.
    """

    def __init__(self, own: nn.Module, up: PackedExperts, down: PackedExperts) -> None:
        super().__init__()
        self.own, self.up, self.down = own, up, down

    def forward(self, hidden_states: Tensor, top_k_index: Tensor, top_k_weights: Tensor) -> Tensor:
        """Map [tokens, hidden] to [tokens, hidden]; the experts' indices and weights are [tokens, k]."""
        own: Any = self.own
        chosen = top_k_index.contiguous()
        rows = hidden_states.unsqueeze(1).expand(-1, chosen.shape[1], -1)
        out = self.up(rows, chosen)
        if own.has_bias:
            out = out + getattr(own, f"{projections(own)[0]}_bias")[chosen]
        out = self.down(own._apply_gate(out) if own.has_gate else own.act_fn(out), chosen)
        if own.has_bias:
            out = out + own.down_proj_bias[chosen]
        if getattr(own, "has_post_expert_norm", False):  # newer than transformers 5.17
            out = own.post_expert_norm(out)
        result: Tensor = (out * top_k_weights.unsqueeze(-1)).sum(1).to(hidden_states.dtype)
        return result


def holds_experts(module: nn.Module) -> bool:
    """Tell if a module has one float tensor a projection, so that `ExpertsForward` can replace it."""
    if not all(hasattr(module, name) for name in _ATTRIBUTES):
        return False
    weights = [getattr(module, name, None) for name in projections(module)]
    return all(type(each) is nn.Parameter and each.dim() == 3 and each.dtype in FLOAT_DTYPES for each in weights)


def projections(own: Any) -> tuple[str, str]:
    """Return the names of a mixture's first and last projection."""
    return "gate_up_proj" if own.has_gate else "up_proj", "down_proj"


def experts_of_layers(module: nn.Module) -> dict[str, Any]:
    """Find the modules for which `holds_experts`, by name."""
    return {name: each for name, each in module.named_modules() if holds_experts(each)}


def experts_weight(own: Any, name: str) -> Tensor:
    """Return a projection as [experts, out, in], transposed if it is kept the other way."""
    weight: Tensor = getattr(own, name)
    return weight.mT if own.is_transposed else weight


def expert_weights(path: str, own: Any) -> dict[str, Tensor]:
    """Return the [out, in] weight of each expert and projection, by "PATH.EXPERT.PROJECTION"."""
    both = projections(own)
    return {f"{path}.{i}.{name}": experts_weight(own, name)[i] for i in range(own.num_experts) for name in both}


def through_expert(own: Any, name: str, expert: int, weight: Tensor, rows: Tensor) -> Tensor:
    """Apply one projection of an expert with another weight, then bias, gate or activation as the module does."""
    bias = getattr(own, f"{name}_bias")[expert].float() if own.has_bias else None
    out = nn.functional.linear(rows, weight, bias)
    if name == "down_proj":
        return out
    result: Tensor = own._apply_gate(out) if own.has_gate else own.act_fn(out)
    return result


def put_experts(model: nn.Module, path: str, packed: dict[str, PackedExperts]) -> None:
    """Replace an experts module by one with packed weights.

    Args:
        path: of the module.
        packed: by projection; one that is missing is packed as floats.
    """
    own = model.get_submodule(path)
    parts = []
    for name in projections(own):
        parts.append(packed[name] if name in packed else PackedExperts.from_float(experts_weight(own, name)))
        setattr(own, name, None)
    with torch.no_grad():
        model.set_submodule(path, ExpertsForward(own, *parts))
