"""Convolution modules for model types with short convolutions: their inputs are cached in blocks, like keys.

transformers' own modules update a state in their cache, and without a cache would take the packed tokens of all
sequences for one text. A model type with other convolution modules is refused, because the probe counts the layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from torchpaged.integrations.transformers.attention_interface import convolution_forward
from torchpaged.integrations.transformers.attention_modules import ReplacedAttention, replace_modules
from torchpaged.models.attention_metadata import StepMetadata


class ShortConvolution(ReplacedAttention):
    """A gated short convolution (LFM2): out(C * conv(B * x)), B, C and x of one projection."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx = original.layer_idx
        self.in_proj, self.conv, self.out_proj = original.in_proj, original.conv, original.out_proj

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run `attend` while a step runs or step metadata is passed as a keyword, else the original's forward."""
        if kwargs.get("paged_metadata") is not None:
            return self.attend(*args, **kwargs)
        return super().forward(*args, **kwargs)

    def attend(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        paged_metadata: StepMetadata | None = None,
        **_: Any,
    ) -> Tensor:
        """Convolve: [1, num_tokens, hidden_size]."""
        metadata = self.paged_step.metadata if paged_metadata is None else paged_metadata
        assert metadata is not None
        if attention_mask is not None:
            raise ValueError("attention_mask is given to a convolution, expected None: pack sequences instead")
        before, after, x = self.in_proj(hidden_states[0]).chunk(3, -1)
        weight: Tensor = self.conv.weight
        mixed = convolution_forward(self, before * x, weight.squeeze(1), self.conv.bias, metadata, silu=False)
        out: Tensor = self.out_proj(after * mixed)
        return out[None]


# The class to replace, by model type.
_SHORT: Mapping[str, str] = {"lfm2": "Lfm2ShortConv", "lfm2_moe": "Lfm2MoeShortConv", "lfm3": "Lfm3ShortConv"}


def replace_convolutions(model: nn.Module, model_type: str) -> None:
    """Replace the model type's convolution modules in place, once, if it has any."""
    if model_type in _SHORT:
        replace_modules(model, _SHORT[model_type], ShortConvolution)
