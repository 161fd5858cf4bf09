"""Fixes one of LongRoPE's two tables of rotary frequencies for a model.

transformers uses the long table if the longest position of the batch exceeds `original_max_position_embeddings`, else
the short one. Cached keys cannot change their table when their sequence grows, nor share a prefix with keys of the
other table, so the engine uses one, as vLLM does: the long table if `max_model_len` exceeds
`original_max_position_embeddings`, else the short one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from torchpaged.integrations.transformers.attention_interface import CurrentStep


def pin_longrope(model: nn.Module, config: Any, max_model_len: int) -> bool | None:
    """Fix the table of every rotary embedding, in place. Returns True: long, False: short, None: no LongRoPE."""
    parameters = getattr(config, "rope_parameters", None) or {}
    if parameters.get("rope_type") != "longrope":
        return None
    original = parameters["original_max_position_embeddings"]
    is_long: bool = max_model_len > original
    inv_freq, scale = ROPE_INIT_FUNCTIONS["longrope"](config, seq_len=original + 1 if is_long else None)
    if "long_mscale" in parameters:  # Phi-3.5-MoE always uses the short frequencies, and a scale for each table
        inv_freq, _ = ROPE_INIT_FUNCTIONS["longrope"](config)
        scale = parameters["long_mscale" if is_long else "short_mscale"]
    for path, module in list(model.named_modules()):
        if hasattr(module, "inv_freq") and hasattr(module, "rope_type"):
            # An engine with another max_model_len may have replaced it before.
            replaced = module.__dict__.get("original", module)
            model.set_submodule(path, FixedRotary(replaced, inv_freq.to(module.inv_freq.device), scale))
    return is_long


class FixedRotary(nn.Module):
    """A rotary embedding with one table while a step runs; between steps it calls the original.

    Args:
        original: the model's module, which chooses a table by the longest position.
        inv_freq: [dim / 2] float32.
        scale: a factor of cosines and sines.
    """

    # `pin_longrope` finds rotary embeddings by this attribute.
    rope_type = "longrope"
    paged_step: CurrentStep | None = None

    def __init__(self, original: nn.Module, inv_freq: Tensor, scale: float) -> None:
        super().__init__()
        self.__dict__["original"] = original
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        self.inv_freq: Tensor
        self.scale = scale

    def forward(self, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Return cosines and sines [batch, num_tokens, dim] in x's dtype."""
        if self.paged_step is None or not self.paged_step.runs:
            tables: tuple[Tensor, Tensor] = self.__dict__["original"](x, position_ids)
            return tables
        angles = position_ids[..., None].float() * self.inv_freq.float()
        angles = torch.cat([angles, angles], -1)
        return (angles.cos() * self.scale).to(x.dtype), (angles.sin() * self.scale).to(x.dtype)
