"""The experts of a mixture, as transformers keeps them: a module with one tensor a projection, all experts' in it.

Packed ones take the place of these, which are [experts, out, in], or transposed, as gpt-oss and Aria keep them; what
else their module does, a gate, an activation, biases, it goes on to do.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.ops.checks import FLOAT_DTYPES
from torchpaged.weights.packed_experts import PackedExperts

_SAID = ("num_experts", "has_gate", "has_bias", "is_transposed")


class ExpertsForward(nn.Module):
    """A mixture's experts with packed weights: each token's row goes to its experts as it is, without sorting.

    Args:
        own: the module, whose tensors of weights are gone.
        up: of what `own` calls gate_up_proj, or up_proj where there is no gate.
        down: of its down_proj.
    """

    def __init__(self, own: nn.Module, up: PackedExperts, down: PackedExperts) -> None:
        super().__init__()
        self.own, self.up, self.down = own, up, down

    def forward(self, hidden_states: Tensor, top_k_index: Tensor, top_k_weights: Tensor) -> Tensor:
        """[tokens, hidden], and [tokens, k] of the experts' numbers and weights, to [tokens, hidden]."""
        own: Any = self.own
        chosen = top_k_index.contiguous()
        rows = hidden_states.unsqueeze(1).expand(-1, chosen.shape[1], -1)
        out = self.up(rows, chosen)
        if own.has_bias:
            out = out + getattr(own, f"{projections(own)[0]}_bias")[chosen]
        out = self.down(own._apply_gate(out) if own.has_gate else own.act_fn(out), chosen)
        if own.has_bias:
            out = out + own.down_proj_bias[chosen]
        if getattr(own, "has_post_expert_norm", False):  # transformers 5.17 knows none
            out = own.post_expert_norm(out)
        result: Tensor = (out * top_k_weights.unsqueeze(-1)).sum(1).to(hidden_states.dtype)
        return result


def holds_experts(module: nn.Module) -> bool:
    """Whether it keeps a tensor of each projection and has the forward that `ExpertsForward` takes over."""
    if not all(hasattr(module, name) for name in _SAID):
        return False
    weights = [getattr(module, name, None) for name in projections(module)]
    return all(type(each) is nn.Parameter and each.dim() == 3 and each.dtype in FLOAT_DTYPES for each in weights)


def projections(own: Any) -> tuple[str, str]:
    """What the first one and the last one are called."""
    return "gate_up_proj" if own.has_gate else "up_proj", "down_proj"


def experts_of_layers(module: nn.Module) -> dict[str, Any]:
    """The modules that `holds_experts`, by name."""
    return {name: each for name, each in module.named_modules() if holds_experts(each)}


def experts_weight(own: Any, name: str) -> Tensor:
    """[experts, out, in] of a projection, however it is kept."""
    weight: Tensor = getattr(own, name)
    return weight.mT if own.is_transposed else weight


def expert_weights(path: str, own: Any) -> dict[str, Tensor]:
    """[out, in] of each expert and projection, by a name of its own under the module's."""
    both = projections(own)
    return {f"{path}.{i}.{name}": experts_weight(own, name)[i] for i in range(own.num_experts) for name in both}


def through_expert(own: Any, name: str, expert: int, weight: Tensor, rows: Tensor) -> Tensor:
    """Rows through one projection of an expert with this weight, and what the module does behind it."""
    bias = getattr(own, f"{name}_bias")[expert].float() if own.has_bias else None
    out = nn.functional.linear(rows, weight, bias)
    if name == "down_proj":
        return out
    result: Tensor = own._apply_gate(out) if own.has_gate else own.act_fn(out)
    return result


def put_experts(model: nn.Module, path: str, packed: dict[str, PackedExperts]) -> None:
    """Puts packed weights into a module's place; one that is not given is packed as it is.

    Args:
        path: of the module.
        packed: by the name that the module has for it.
    """
    own = model.get_submodule(path)
    parts = []
    for name in projections(own):
        parts.append(packed[name] if name in packed else PackedExperts.from_float(experts_weight(own, name)))
        setattr(own, name, None)
    with torch.no_grad():
        model.set_submodule(path, ExpertsForward(own, *parts))
