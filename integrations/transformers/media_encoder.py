"""Turns an image or sound into embeddings by the model's own towers: transformers' `get_image_features` and its like.

The towers are not traced, packed or quantised: they run as transformers runs them, one item at a time, so that features
depend on the item alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import PretrainedConfig, PreTrainedModel

from torchpaged.errors import ModelError
from torchpaged.integrations.families import MediaFamily
from torchpaged.integrations.transformers.attention_interface import evaluating
from torchpaged.integrations.transformers.deepstack import joined
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
        self._whole, self._deepstack = model, family.deepstack
        self._base: Any = model if name is None else getattr(model, name)
        self._functions = {each: self._function(each) for each in sorted(self.modalities)}

    def _function(self, modality: str) -> tuple[Any, frozenset[str]]:
        """Return the function that computes the features of a modality, and the names of its arguments."""
        function = getattr(self._base, f"get_{modality}_features", None)
        names = inspect.signature(self._base.forward if function is None else function).parameters
        return function, frozenset(names)

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
            if function is None:
                features = self._merged(item, inputs)
            else:
                found = function(**inputs, return_dict=True)
                features = _rows(found.pooler_output)
                if self._deepstack:
                    features = joined(features, [_rows(each) for each in found.deepstack_features])
        if len(features) != item.num_features:
            raise ModelError(
                f"{type(self._whole).__name__} computes {len(features)} features of an {item.modality}, and the "
                f"processor has made {item.num_features} placeholders for it: do its settings fit the model?"
            )
        return features.to(dtype)

    def _merged(self, item: MediaItem, inputs: Mapping[str, Tensor]) -> Tensor:
        """Return what a model without such a function passes to its text part at an item's placeholders."""
        token = feature_id(self._whole.config, item.modality)
        tokens = torch.tensor([[token] * item.num_features + [0]], device=self._whole.device)

        def stop(_: Any, __: Any, options: Mapping[str, Any]) -> None:
            raise _Reached(options["inputs_embeds"])

        handle = self._base.language_model.register_forward_pre_hook(stop, with_kwargs=True)
        try:
            self._base(input_ids=tokens, use_cache=False, **inputs)
        except _Reached as reached:
            return reached.embeds[0, :-1]
        finally:
            handle.remove()
        raise ModelError(f"{type(self._whole).__name__} does not pass embeddings to its text part")


class _Reached(Exception):
    """Ends a forward at the text part.

    Args:
        embeds: what the text part is given.
    """

    def __init__(self, embeds: Tensor) -> None:
        super().__init__()
        self.embeds = embeds


def feature_id(config: PretrainedConfig, modality: str) -> int:
    """Return the token in whose places a model expects features."""
    names = (f"{modality}_token_id", f"{modality}_token_index")
    found = next((value for name in names if (value := getattr(config, name, None)) is not None), None)
    if found is None:
        raise ModelError(f"a config of type {config.model_type!r} has no {names[0]}, the placeholder of its features")
    return int(found)


def _rows(features: Tensor | Sequence[Tensor]) -> Tensor:
    """Return features as rows, in order: models give one tensor of any shape, or one tensor an image or patch."""
    if isinstance(features, Tensor):
        return features.reshape(-1, features.shape[-1])
    return torch.cat([_rows(each) for each in features])
