"""A float checkpoint as a source of int8 weights: each is quantised as it is read, not all of them afterwards.

The result is bit for bit what `torchao.quantize` makes of the loaded model.
"""

from __future__ import annotations

from collections.abc import Collection

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.checkpoints.quantized_reader import SafetensorsWeights
from torchpaged.integrations.checkpoints.streaming_load import Filled, weight_dtypes
from torchpaged.integrations.checkpoints.torchao import QuantizedWeights, linears_of_layers, num_bytes, pack_head
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_experts import GroupedExperts
from torchpaged.weights.packed_linear import Int8Weight, quantise_weight


class Int8Weights:
    """A float checkpoint's tensors as a `WeightSource`, those of linear layers in int8.

    Args:
        floats: the checkpoint's own tensors.
        model: without weights.
    """

    def __init__(self, floats: SafetensorsWeights, model: PreTrainedModel) -> None:
        self._floats, self.orders = floats, floats.orders
        self._layers = {f"{name}.weight" for name in linears_of_layers(model)}
        self._head, num_heads = _head(model)
        self._num_modules, self._bytes_before = len(self._layers) + num_heads, num_bytes(model)
        self._dtypes = weight_dtypes(model)

    @classmethod
    def of(cls, checkpoint: Checkpoint, model: PreTrainedModel) -> Int8Weights | None:
        """Open a checkpoint; None if the model has no linear layers, or the file's weights are not exactly its own.

        Raises:
            ModelError: files that cannot be read, or do not fit the config.
        """
        if not linears_of_layers(model):
            return None
        floats = SafetensorsWeights(checkpoint, model, None, packs=True)
        if not floats.is_whole():
            return None
        floats.untie()
        return cls(floats, model)

    def names(self) -> Collection[str]:
        """Names of the model's weights."""
        return self._floats.names()

    def read(self, name: str) -> Tensor | GroupedWeight | Int8Weight | GroupedExperts:
        """Read one weight, in int8 if it belongs to a linear layer or to the head."""
        value = self._floats.read(name)
        if not isinstance(value, Tensor):
            return value
        if name not in self._layers | self._head:
            return value.clone()  # a view would keep the whole file mapped
        value = value.to(self._dtypes[name])  # first, as if all of it had been loaded: scales depend on the dtype
        return Int8Weight(value, quantise_weight if name in self._head else as_torchao)

    def finish(self, model: PreTrainedModel, filled: Filled) -> QuantizedWeights:
        """Pack a head that was not packed while reading, and report what was quantised."""
        num_modules = self._num_modules + len(pack_head(model))
        return QuantizedWeights(num_modules, 0, self._bytes_before, num_bytes(model))


def as_torchao(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Quantise rows of a weight as torchao does, without its intermediate copies.

    Returns:
        (int8 codes, float32 scales). As in torchao the largest magnitude is taken in the weight's own dtype.
    """
    largest = torch.maximum(-weight.amin(1).clamp(max=0), weight.amax(1).clamp(min=0))
    scale = (largest / 127.5).clamp(min=torch.finfo(torch.float32).eps).float()
    return (weight * (1.0 / scale)[:, None]).round_().clamp_(-128, 127).to(torch.int8), scale


def _head(model: PreTrainedModel) -> tuple[set[str], int]:
    """Find the head that `pack_head` would pack with everything tied to it.

    Returns:
        (names of its weight, how many of them are the head's own); nothing if it would not be packed.
    """
    head = model.get_output_embeddings()
    if type(head) is not nn.Linear:
        return set(), 0
    own = model.state_dict(keep_vars=True)
    names = {name for name, tensor in own.items() if tensor is head.weight}
    places = [model.get_submodule(name.rpartition(".")[0]) for name in names]
    if any(each is not head and type(each) is not nn.Embedding for each in places):
        return set(), 0
    return names, sum(each is head for each in places)
