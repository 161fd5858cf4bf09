"""Layer calls: an operator over the caches and tables of one layer. The compiler traces each call as one node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from torchpaged.models.attention import attend
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.convolution import convolve
from torchpaged.models.recurrence import recur


def attend_layer(query: Tensor, key: Tensor, value: Tensor, step: StepMetadata, layer: int, **options: Any) -> Tensor:
    """Call `attend` for the layer of this index."""
    metadata, cache = step.of_layer(layer)
    return attend(query, key, value, metadata, cache, causal=metadata.causal, **options)


def convolve_layer(
    x: Tensor, weight: Tensor, bias: Tensor | None, step: StepMetadata, layer: int, **options: Any
) -> Tensor:
    """Call `convolve` for the layer of this index."""
    return convolve(x, weight, bias, *step.of_convolution(layer), **options)


def recur_layer(
    operator: str, inputs: Sequence[Tensor | None], step: StepMetadata, layer: int, **options: Any
) -> Tensor:
    """Call `recur` for the layer of this index."""
    states, tails, cache = step.of_state(layer)
    return recur(operator, *inputs, states=states, tails=tails, cache=cache, **options)
