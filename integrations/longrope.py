"""LongRoPE's two tables of rotary frequencies, of which a model gets one for good.

transformers takes the long table for a sequence that is longer than `original_max_position_embeddings`, else the short
one, and goes by the longest position of the batch. Keys that are cached cannot change their table when their sequence
grows, or meet one of another table in a shared prefix, so one table is chosen for the engine, as vLLM does: the long
one if `max_model_len` is longer than `original_max_position_embeddings`, else the short one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS


def pin_longrope(model: nn.Module, config: Any, max_model_len: int) -> bool | None:
    """Fixes every rotary embedding's table in place. True: the long one, False: the short one, None: no LongRoPE."""
    parameters = getattr(config, "rope_parameters", None) or {}
    if parameters.get("rope_type") != "longrope":
        return None
    original = parameters["original_max_position_embeddings"]
    is_long = max_model_len > original
    inv_freq, scaling = ROPE_INIT_FUNCTIONS["longrope"](config, seq_len=original + 1 if is_long else None)
    for path, module in list(model.named_modules()):
        if not hasattr(module, "inv_freq") or not hasattr(module, "rope_type"):
            continue
        if "long_mscale" in parameters:  # Phi-3.5-MoE: the short frequencies always, and a scale for each length
            short, _ = ROPE_INIT_FUNCTIONS["longrope"](config)
            scale = parameters["long_mscale" if is_long else "short_mscale"]
            model.set_submodule(path, FixedRotary(short.to(module.inv_freq.device), scale))
        else:
            module.rope_type = "default"  # the forward then leaves the table alone
            module.inv_freq.copy_(inv_freq)
            module.attention_scaling = scaling
    return is_long


class FixedRotary(nn.Module):
    """Rotary embedding with one table.

    Args:
        inv_freq: [dim / 2] float32.
        scale: of cosines and sines.
    """

    # Looked for by `pin_longrope`, when a model is loaded again for another length.
    rope_type = "longrope"

    def __init__(self, inv_freq: Tensor, scale: float) -> None:
        super().__init__()
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        self.inv_freq: Tensor
        self.scale = scale

    def forward(self, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines [batch, num_tokens, dim] in x's dtype."""
        angles = position_ids[..., None].float() * self.inv_freq.float()
        angles = torch.cat([angles, angles], -1)
        return (angles.cos() * self.scale).to(x.dtype), (angles.sin() * self.scale).to(x.dtype)
