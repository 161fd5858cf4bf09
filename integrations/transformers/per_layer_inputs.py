"""Per-layer inputs: embeddings of the tokens themselves that every layer takes beside the hidden states (Gemma 4).

An embedding is as wide as the hidden states and a further part for each layer: [num_tokens, hidden_size + num_layers *
size]. A placeholder's further parts are those of the padding token; features of images replace its first part alone.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig


class PerLayerInputs:
    """Calls the text part of a model by such embeddings.

    Args:
        base: the model without its head.
    """

    def __init__(self, base: nn.Module) -> None:
        self._base: Any = base
        text: Any = self._base.language_model
        self._layers: int = text.config.num_hidden_layers

    def widen(self, embeds: Tensor, input_ids: Tensor) -> Tensor:
        """Append the parts for each layer to embeddings [num_tokens, hidden_size] of these tokens."""
        config = self._base.config
        names = ("image_token_id", "video_token_id", "audio_token_id")
        for token in (getattr(config, name, None) for name in names):
            if token is not None:
                input_ids = torch.where(input_ids == token, config.get_text_config().pad_token_id, input_ids)
        parts = self._base.language_model.get_per_layer_inputs(input_ids[None], None)[0]
        return torch.cat([embeds, parts.flatten(1)], dim=1)

    def __call__(self, inputs_embeds: Tensor, **options: Any) -> Any:
        """Run the text part over embeddings [1, num_tokens, hidden_size + num_layers * size]."""
        text = self._base.language_model
        size = text.config.hidden_size
        first, parts = inputs_embeds[..., :size], inputs_embeds[..., size:].unflatten(-1, (self._layers, -1))
        return text(inputs_embeds=first, per_layer_inputs=parts, **options)


def has_per_layer_inputs(config: PretrainedConfig) -> bool:
    """Return True if the text part of a model takes such embeddings."""
    return bool(getattr(config.get_text_config(decoder=True), "hidden_size_per_layer_input", 0))
