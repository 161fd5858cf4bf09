"""Turns an image or sound into embeddings by the model's own towers: transformers' `get_image_features` and its like.

The towers are not traced, packed or quantised: they run as transformers runs them, one item at a time, so that features
depend on the item alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from torchpaged.errors import ModelError
from torchpaged.integrations.families import MediaFamily
from torchpaged.integrations.transformers.attention_interface import evaluating
from torchpaged.integrations.transformers.split_forward import base_of
from torchpaged.media.items import MediaItem


class TransformersMediaEncoder:
    """The towers and projectors of a transformers model, as a `MediaEncoder`.

    Args:
        model: the whole model.
        family: of its model type.

    Attributes:
        modalities: `MediaEncoder.modalities`.
    """

    def __init__(self, model: PreTrainedModel, family: MediaFamily) -> None:
        self.modalities = family.modalities
        name = base_of(model)
        self._model = model if name is None else getattr(model, name)
        self._whole = model
        self._functions = {each: self._function(each) for each in sorted(self.modalities)}

    def _function(self, modality: str) -> tuple[Any, frozenset[str]]:
        """Return the function that computes the features of a modality, and the names of its arguments."""
        name = f"get_{modality}_features"
        function = getattr(self._model, name, None) or getattr(self._whole, name, None)
        if function is None:
            raise ModelError(f"{type(self._whole).__name__} has no {name}, which reads its items of {modality}")
        return function, frozenset(inspect.signature(function).parameters)

    @torch.inference_mode()
    def encode(self, item: MediaItem) -> Tensor:
        """Return the features of one item: `MediaEncoder.encode`."""
        function, names = self._functions[item.modality]
        device, dtype = self._whole.device, self._whole.dtype
        inputs = {
            name: value.to(device, dtype if value.is_floating_point() else None)
            for name, value in item.inputs.items()
            if name in names
        }
        with evaluating(list(self._whole.modules())):
            found = function(**inputs, return_dict=True)
        features = _rows(found.pooler_output).to(dtype)
        if len(features) != item.num_features:
            raise ModelError(
                f"{type(self._whole).__name__} computes {len(features)} features of an {item.modality}, and the "
                f"processor has made {item.num_features} placeholders for it: do its settings fit the model?"
            )
        return features


def _rows(features: Tensor | Sequence[Tensor]) -> Tensor:
    """Return features as rows, in order: models give one tensor of any shape, or one tensor an image or patch."""
    if isinstance(features, Tensor):
        return features.reshape(-1, features.shape[-1])
    return torch.cat([_rows(each) for each in features])
