"""`quantization="int4"`, "int4-g128" and "int4-hq" on the CPU: four bits for linear layers and experts, eight for the
head."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torchpaged.errors import ConfigError
from torchpaged.integrations.checkpoints.calibration import Inputs, Rule, round_along
from torchpaged.integrations.checkpoints.expert_modules import (
    experts_of_layers,
    experts_weight,
    projections,
    put_experts,
)
from torchpaged.integrations.checkpoints.torchao import (
    QuantizedWeights,
    linears_of_layers,
    num_bytes,
    pack_head,
    require_plain,
)
from torchpaged.weights.grouped_weight import GROUP_SIZES, GroupedWeight
from torchpaged.weights.packed_experts import GroupedExperts, PackedExperts
from torchpaged.weights.packed_linear import PackedLinear
from torchpaged.weights.rounding import round_for_inputs, round_weight


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way to round weights to four bits.

    Args:
        group_size: weights to a scale if that divides a row, else the next smaller size. All experts of a model share
            one size, since other tools read them by a single scheme.
        second_order: whether zero points are used, and later columns compensate for the errors of earlier ones.
        sequences: of calibration; more bring nothing.
    """

    group_size: int = 32
    second_order: bool = False
    sequences: int = 4


SCHEMES = {
    "int4": Scheme(),
    "int4-g128": Scheme(group_size=128),
    "int4-hq": Scheme(second_order=True, sequences=24),
}


def quantize_four_bits(module: Any, name: str, tokens: Tensor | None) -> QuantizedWeights:
    """Quantise a model's weights in place, or raise and leave them as they are.

    Args:
        module: of transformers, on the CPU.
        name: of `SCHEMES`.
        tokens: as in `round_layers`.

    Raises:
        ConfigError: as `round_layers`.
    """
    before = num_bytes(module)
    linears, experts = linears_of_layers(module), experts_of_layers(module)
    weights = round_layers(module, name, tokens)
    for path, linear in linears.items():
        packed = PackedLinear.from_grouped(weights.pop(path), linear.bias, linear.weight.dtype)
        module.set_submodule(path, packed)
    for path, own in experts.items():
        parts = {each: PackedExperts.from_grouped(_taken(weights, path, own, each)) for each in projections(own)}
        put_experts(module, path, parts)
    head = pack_head(module)
    return QuantizedWeights(len(linears) + len(experts) + len(head), 0, before, num_bytes(module))


def _taken(weights: dict[str, GroupedWeight], path: str, own: Any, name: str) -> GroupedExperts:
    """Pop one projection of a mixture's experts."""
    each = [weights.pop(f"{path}.{i}.{name}") for i in range(own.num_experts)]
    return GroupedExperts((len(each), *each[0].codes.shape), each.__getitem__)


def round_layers(
    module: Any, name: str, tokens: Tensor | None, progress: Callable[[str], None] | None = None
) -> dict[str, GroupedWeight]:
    """Round the weights of the layers' linear modules and experts, by name. The model stays as it is.

    Args:
        tokens: of calibration, [sequences, length]: the inputs of a layer decide how much each error counts. None, or a
            model with an encoder: all errors count the same.
        progress: is called with each name.

    Raises:
        ConfigError: a model without such modules or one that is quantised already, a size that no group divides, a
            weight that is not finite, or a failed calibration.
    """
    scheme, linears, experts = SCHEMES[name], linears_of_layers(module), experts_of_layers(module)
    require_plain(linears, module, name)
    weights = {path: linear.weight for path, linear in linears.items()}
    stacked = {
        f"{path}.{each}": experts_weight(own, each) for path, own in experts.items() for each in projections(own)
    }
    weights |= stacked
    for path, weight in weights.items():
        if weight.shape[-1] % GROUP_SIZES[0]:
            raise ConfigError(
                f"quantization is {name!r}, but {path} has {weight.shape[-1]} inputs, expected a multiple of "
                f"{GROUP_SIZES[0]}: so many weights share a scale; use 'int8'"
            )
        low, high = weight.detach().aminmax()
        if not bool(low.isfinite() & high.isfinite()):  # its group would silently become zeros
            found = high if low.isfinite() else low
            raise ConfigError(
                f"quantization is {name!r}, but {path} has a weight of {found}, expected finite numbers: is the "
                "checkpoint whole?"
            )
    has_encoder = bool(getattr(module.config, "is_encoder_decoder", False))
    of_experts = _rule(scheme, math.gcd(*(weight.shape[-1] for weight in stacked.values())))
    return round_along(module, linears, _rule(scheme), None if has_encoder else tokens, progress, experts, of_experts)


def _rule(scheme: Scheme, all_inputs: int = 0) -> Rule:
    """Make the rounding function of a scheme, with groups that divide `all_inputs` too."""

    def rule(weight: Tensor, inputs: Inputs | None) -> GroupedWeight:
        divided = math.gcd(weight.shape[1], all_inputs)
        size = next(s for s in reversed(GROUP_SIZES) if s <= scheme.group_size and divided % s == 0)
        if scheme.second_order:
            moments = torch.eye(weight.shape[1]) if inputs is None else inputs.moments()
            return round_for_inputs(weight, size, moments)
        return round_weight(weight, size, None if inputs is None else inputs.squares())

    return rule


def sequences_of(name: Any) -> int:
    """Return the number of calibration sequences that a quantisation uses."""
    scheme = SCHEMES.get(name) if isinstance(name, str) else None
    return 0 if scheme is None else scheme.sequences
