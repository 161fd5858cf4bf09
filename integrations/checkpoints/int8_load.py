"""A float checkpoint as an int8 model: each weight is quantised when it is read, not all of them afterwards.

What comes of it is what `torchao.quantize` makes of the loaded model, bit for bit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig, PreTrainedModel

from torchpaged.integrations.checkpoints.quantized_reader import QuantizedWeights as CheckpointWeights
from torchpaged.integrations.checkpoints.quantized_reader import files_of
from torchpaged.integrations.checkpoints.source import read_generation_config
from torchpaged.integrations.checkpoints.streaming_load import fill, weight_dtypes, without_weights
from torchpaged.integrations.checkpoints.torchao import QuantizedWeights, linears_of_layers, num_bytes, pack_head
from torchpaged.ops import active_backend
from torchpaged.utils.huge_pages import Region
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_experts import GroupedExperts
from torchpaged.weights.packed_linear import Int8Weight, quantise_weight


class Int8Source:
    """A checkpoint's tensors as the weights of a model: `filling.WeightSource`.

    Args:
        checkpoint: what has them.
        model: without weights.
    """

    def __init__(self, checkpoint: CheckpointWeights, model: PreTrainedModel) -> None:
        self._checkpoint = checkpoint
        self._layers = {f"{name}.weight" for name in linears_of_layers(model)}
        self.head, self.num_heads = _head(model)
        self._dtypes = weight_dtypes(model)

    @property
    def num_modules(self) -> int:
        """How many it quantises."""
        return len(self._layers) + self.num_heads

    def names(self) -> Collection[str]:
        """Of the model."""
        return self._checkpoint.names()

    def read(self, name: str) -> Tensor | GroupedWeight | Int8Weight | GroupedExperts:
        """One of them, of few bits where it is multiplied with."""
        value = self._checkpoint.read(name)
        if not isinstance(value, Tensor):
            return value
        if name not in self._layers | self.head:
            return value.clone()  # a part of a file keeps all of it mapped
        value = value.to(self._dtypes[name])  # first, as where all of it is loaded: scales depend on it
        return Int8Weight(value, quantise_weight if name in self.head else as_torchao)


def as_torchao(weight: Tensor) -> tuple[Tensor, Tensor]:
    """What torchao makes of rows of a weight, without the copies that it makes on the way: in the weight's own dtype
    until there is a scale."""
    largest = torch.maximum(-weight.amin(1).clamp(max=0), weight.amax(1).clamp(min=0))
    scale = (largest / 127.5).clamp(min=torch.finfo(torch.float32).eps).float()
    return (weight * (1.0 / scale)[:, None]).round_().clamp_(-128, 127).to(torch.int8), scale


def _head(model: PreTrainedModel) -> tuple[set[str], int]:
    """(names of the head's weight, how many of them are the head's own), where `pack_head` would pack it and all that
    is tied to it."""
    head = model.get_output_embeddings()
    if type(head) is not nn.Linear:
        return set(), 0
    own = model.state_dict(keep_vars=True)
    names = {name for name, tensor in own.items() if tensor is head.weight}
    places = [model.get_submodule(name.rpartition(".")[0]) for name in names]
    if any(each is not head and type(each) is not nn.Embedding for each in places):
        return set(), 0
    return names, sum(each is head for each in places)


def read_int8(
    path: str,
    config: PretrainedConfig,
    auto_class: Any,
    dtype: torch.dtype,
    hub: Mapping[str, Any],
    *,
    region: Region | None = None,
) -> tuple[PreTrainedModel, QuantizedWeights] | None:
    """The model of a float checkpoint in safetensors, on the CPU, and what "int8" has done to it.

    Args:
        path: a folder or hub id.
        config: of the model, which has no code of its own.
        auto_class: of transformers, that makes it.
        dtype: of activations and of what is not quantised.
        hub: as of `read_config`.
        region: where the weights are to lie; it is closed when they are read. None: in one of their own.

    Returns:
        None where another loader is to say what becomes of it: there are no kernels, nothing to quantise, or the
        checkpoint's names are not just the model's.

    Raises:
        ModelError: files that cannot be read, or do not fit the config.
        ConfigError: torchao is missing.
    """
    if active_backend("packed_linear", "cpu") != "cpp":
        return None
    files = files_of(path, config, hub)
    try:
        with without_weights():
            model: PreTrainedModel = auto_class.from_config(config, dtype=dtype)
    except Exception:  # the other loader has the words for it
        return None
    checkpoint = CheckpointWeights(path, files, model, None, packs=True)
    if not linears_of_layers(model) or not checkpoint.is_whole():
        return None
    checkpoint.untie()
    source = Int8Source(checkpoint, model)
    before = num_bytes(model)
    fill(model, source, name=path, packs=True, region=region)
    if region is not None:
        region.close()
    num_modules = source.num_modules + len(pack_head(model))
    if model.can_generate() and (said := read_generation_config(path, hub)) is not None:
        model.generation_config = said
    return model.eval(), QuantizedWeights(num_modules, 0, before, num_bytes(model))
