"""Mllama's layers that attend to images: their modules in a step, and the keys and values that they read.

A step does not compute keys and values: they are made of an image once, when it is encoded (`keys_and_values`), and lie
in a pool of their own (`execution/media_pool.py`). A token sees the last image before it, together with those that this
one follows without a token between them, but not the tiles that pad an image. A token before the first image skips the
layer, its MLP included, as in Meta's implementation; transformers 5.23 skips the MLP alone, and lets the attention see
all images (huggingface/transformers#39379).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig, PreTrainedModel

from torchpaged.integrations.transformers.attention_interface import CurrentStep, Probe
from torchpaged.integrations.transformers.attention_modules import ReplacedAttention
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.layer_calls import attend_media_layer, mask_media_layer
from torchpaged.models.model import LayerShape


def replace_media_attention(model: PreTrainedModel) -> None:
    """Replace the attention and the MLP of the layers that attend to images, in place, once."""
    for layer in media_layers(model):
        if not isinstance(layer.cross_attn, MediaAttention):
            layer.cross_attn = MediaAttention(layer.cross_attn)
            layer.mlp = MediaMLP(layer.mlp, layer.layer_idx)


def media_layers(model: PreTrainedModel) -> list[Any]:
    """Return the layers that attend to images, in order."""
    decoder: Any = model.get_decoder()
    return [layer for layer in getattr(decoder, "layers", ()) if hasattr(layer, "cross_attn")]


def media_sizes(config: PretrainedConfig) -> tuple[int, int]:
    """Return the fewest and the most features of an image: of one tile, and of as many as it may have."""
    tile = tile_size(config)
    return tile, tile * config.vision_config.max_num_tiles


def tile_size(config: PretrainedConfig) -> int:
    """Return the features of a tile: one of each patch, and one of all."""
    vision: Any = config.vision_config
    return int((vision.image_size // vision.patch_size) ** 2 + 1)


def keys_and_values(model: PreTrainedModel, states: Tensor) -> Tensor:
    """Return the keys and values of states [num_features, hidden_size], `ModelSpec.feature_size` numbers each."""
    parts = []
    for layer in media_layers(model):
        attention = layer.cross_attn
        key = attention.k_norm(attention.k_proj(states).unflatten(-1, (-1, attention.head_dim)))
        parts += [key.flatten(1), attention.v_proj(states)]
    return torch.cat(parts, dim=1)


def key_modules(model: PreTrainedModel) -> list[nn.Module]:
    """Return the modules of the text part that make keys and values of images."""
    attentions = [layer.cross_attn for layer in media_layers(model)]
    return [module for each in attentions for module in (each.k_proj, each.v_proj, each.k_norm)]


class MediaAttention(ReplacedAttention):
    """Attends to images in the pool while a step runs."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.head_dim, self.scaling = original.layer_idx, original.head_dim, original.scaling
        self.num_kv_heads = original.num_key_value_heads
        self.q_proj, self.k_proj, self.v_proj = original.q_proj, original.k_proj, original.v_proj
        self.o_proj, self.q_norm, self.k_norm = original.o_proj, original.q_norm, original.k_norm

    def attend(self, hidden_states: Tensor, **_: Any) -> tuple[Tensor, None]:
        """Attend: input and output are [1, num_tokens, hidden_size]; 0 for tokens that see no image."""
        query = self.q_norm(self.q_proj(hidden_states).unflatten(-1, (-1, self.head_dim)))[0]
        metadata = self.paged_step.metadata
        if isinstance(metadata, Probe):
            metadata.media_layers[self.layer_idx] = LayerShape(self.num_kv_heads, self.head_dim, self.head_dim)
            out = torch.zeros_like(query)
        elif isinstance(metadata, StepMetadata):
            out = attend_media_layer(query, metadata, self.layer_idx, scale=self.scaling)
        else:
            assert metadata is not None
            out = metadata.attend_media(self.layer_idx, query, scale=self.scaling)
        return self.o_proj(out.flatten(1)[None]), None


class MediaMLP(nn.Module):
    """An MLP that gives 0 for tokens that see no image while a step runs.

    Args:
        original: takes and gives [1, num_tokens, hidden_size].
        layer_idx: of its layer.
    """

    paged_step: CurrentStep

    def __init__(self, original: Any, layer_idx: int) -> None:
        super().__init__()
        self.training, self.layer_idx = original.training, layer_idx
        self.gate_proj, self.up_proj, self.down_proj = original.gate_proj, original.up_proj, original.down_proj
        self.act_fn = original.act_fn

    def forward(self, x: Tensor) -> Tensor:
        """Compute the MLP."""
        out: Tensor = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))
        metadata = self.paged_step.metadata
        if metadata is None or isinstance(metadata, Probe):
            return out
        if isinstance(metadata, StepMetadata):
            return mask_media_layer(out, metadata, self.layer_idx)
        return metadata.mask_media(self.layer_idx, out)
