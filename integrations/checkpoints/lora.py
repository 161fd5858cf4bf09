"""Adapters of a model's linear layers, from peft's and torchtune's folders, llama.cpp's files, and state dicts.

Files are untrusted input, and nothing is unpickled. Everything that the config and the file's header say is checked
against the model before any tensor is read. docs/adapters.md lists the formats, and what is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.adapter_folder import CONFIG, WEIGHTS, AdapterFolder
from torchpaged.integrations.checkpoints.lora_config import LoraConfig
from torchpaged.integrations.checkpoints.lora_gguf import read_gguf_adapter
from torchpaged.integrations.checkpoints.lora_names import Key, parse, unwrapped
from torchpaged.integrations.checkpoints.lora_reader import AdapterConfig, AdapterReader, ModelConfig, Shapes
from torchpaged.utils.paths import expanded
from torchpaged.weights.lora_adapter import LoraAdapter
from torchpaged.weights.safetensors_file import SafetensorsFile

# vLLM's largest choice of max_lora_rank.
LARGEST_RANK = 512
_DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def read_adapter(
    path: str | Path,
    modules: Shapes,
    *,
    max_rank: int = LARGEST_RANK,
    model_config: ModelConfig | None = None,
) -> LoraAdapter:
    """Read the adapter in a folder or a file.

    Args:
        path: of a folder that peft wrote, or torchtune; or of a file of llama.cpp, NAME.gguf.
        modules: (out_features, in_features) of each linear module that can be adapted, by name.
        max_rank: the largest rank that is accepted.
        model_config: of the model; None refuses q_proj and k_proj of adapters in torchtune's own format, and GGUF.

    Raises:
        ModelError: the folder cannot be read or is damaged, does not fit the model, or asks for something that is not
            supported. It names the file, the key, the value and the limit.
    """
    place = Path(expanded(path))
    if place.suffix == ".gguf" and place.is_file():
        return read_gguf_adapter(place, modules, max_rank, model_config)
    folder = AdapterFolder(str(path))
    config = LoraConfig.of(folder.where(CONFIG), folder.config())
    with folder.reading(WEIGHTS), SafetensorsFile(folder.file(WEIGHTS)) as file:
        adapter = AdapterReader(folder.where(WEIGHTS), modules, max_rank, model_config).read(config, file)
        file.require_unchanged()
    return adapter


def largest_rank(path: str | Path) -> int:
    """Return the largest rank in the config of an adapter's folder. ModelError: it cannot be read."""
    folder = AdapterFolder(str(path))
    config = LoraConfig.of(folder.where(CONFIG), folder.config())
    return max(config.r, *config.rank_pattern.values(), 1)


def adapter_of_state_dict(
    weights: Mapping[str, Tensor],
    config: object,
    modules: Shapes,
    *,
    name: str = "state_dict",
    adapter_name: str | None = None,
    max_rank: int = LARGEST_RANK,
    model_config: ModelConfig | None = None,
) -> LoraAdapter:
    """Make an adapter of tensors in memory, between two steps of a training loop. The tensors are copied.

    Args:
        weights: of peft's `get_peft_model_state_dict`, of a PeftModel's own `state_dict()`, whose base weights are left
            alone, or in torchtune's format. They may be on any device.
        config: peft's LoraConfig, its values as a dictionary, a PeftModel (its config is used), or a LoraAdapter: the
            version before, with the same modules, ranks and scales.
        modules: (out_features, in_features) of each linear module that can be adapted, by name.
        name: of the adapter, for errors.
        adapter_name: peft's name of the adapter, if the weights or the PeftModel have several.
        max_rank: the largest rank that is accepted.
        model_config: of the model; None refuses q_proj and k_proj of torchtune's own format.

    Raises:
        ModelError: the tensors or the config do not fit the model, or ask for something that is not supported.
    """
    where = f"adapter {name!r}: "
    own: AdapterConfig
    if isinstance(config, LoraAdapter):
        own = _VersionBefore(where + "its version before", config)
    else:
        own = LoraConfig.of(where + "the config", _config_values(where, config, adapter_name))
    source = _StateDict(where + "the state dict", weights, adapter_name)
    return AdapterReader(where + "the state dict", modules, max_rank, model_config).read(own, source)


class _StateDict:
    """The tensors of one adapter among those in memory.

    Args:
        where: the beginning of errors.
        weights: by name, with others' adapters and base weights among them.
        adapter: peft's name of the adapter; None if there is one.
    """

    def __init__(self, where: str, weights: Mapping[str, Tensor], adapter: str | None) -> None:
        self._where = where
        is_named = isinstance(weights, Mapping) and all(
            isinstance(name, str) and isinstance(each, Tensor) for name, each in weights.items()
        )
        if not is_named:
            raise ModelError(f"{where} is {type(weights).__name__}, expected tensors by name")
        named = {unwrapped(name): tensor for name, tensor in weights.items()}
        keys = {name: key for name in named if isinstance(key := parse(name), Key)}
        # A whole model's state dict has the base weight beside each update.
        if keys and all(f"{key.module}.base_layer.weight" in named for key in keys.values()):
            named = {name: each for name, each in named.items() if "lora_" in name or "modules_to_save" in name}
        if adapter is not None:
            named = {name: each for name, each in named.items() if _adapter_in(name) in ("", adapter)}
        self.entries = named

    def read(self, name: str) -> Tensor:
        """Return a copy of a tensor in the host's memory."""
        tensor = self.entries[name]
        if tensor.dtype not in _DTYPES:
            known = ", ".join(str(each).removeprefix("torch.") for each in _DTYPES)
            raise ModelError(f"{self._where} has {name!r:.200} of dtype {tensor.dtype}, expected one of {known}")
        if tensor.is_meta:
            raise ModelError(f"{self._where} has {name!r:.200} on the meta device, expected its values")
        if tensor.layout is not torch.strided:
            raise ModelError(f"{self._where} has {name!r:.200} of layout {tensor.layout}, expected a dense tensor")
        whole = getattr(tensor, "full_tensor", lambda: tensor)()  # of a DTensor
        return torch.empty(whole.shape, dtype=whole.dtype).copy_(whole.detach())


class _VersionBefore:
    """Targets, ranks and scales of an adapter's version before."""

    def __init__(self, where: str, adapter: LoraAdapter) -> None:
        self.where, self._modules = where, adapter.modules
        self.targets = "the modules of its version before"

    def is_target(self, name: str) -> bool:
        """Tell if a linear module is adapted."""
        return name in self._modules

    def rank_of(self, name: str) -> int:
        """Return a module's rank."""
        return self._modules[name].rank

    def scale_of(self, name: str) -> float:
        """Return the factor of a module's update."""
        return self._modules[name].scale

    def renamed(self, names: Mapping[str, str]) -> _VersionBefore:
        """Return itself: its modules are named as the model's."""
        return self


def _adapter_in(name: str) -> str:
    """Return peft's name of the adapter in a tensor's name; empty if there is none."""
    parts = name.split(".")
    at = next((i for i, part in enumerate(parts) if part.startswith(("lora_", "modules_to_save"))), len(parts))
    return parts[at + 1] if len(parts) > at + 1 and parts[at + 1] not in ("weight", "bias") else ""


def _config_values(where: str, config: object, adapter: str | None) -> Mapping[str, Any]:
    """Return the values of a peft config, or of a PeftModel's."""
    configs: Any = getattr(config, "peft_config", None)
    if configs is not None:  # of a PeftModel, or of a model with adapters that transformers added
        if adapter is None and len(configs) > 1:
            raise ModelError(f"{where}the model has adapters {sorted(configs)!r:.200}; name one (adapter_name)")
        if adapter is not None and adapter not in configs:
            raise ModelError(f"{where}the model has adapters {sorted(configs)!r:.200}, not {adapter!r:.80}")
        config = configs[adapter] if adapter is not None else next(iter(configs.values()))
    values = config.to_dict() if hasattr(config, "to_dict") else config
    if not isinstance(values, Mapping):
        raise ModelError(f"{where}the config is {config!r:.80}, expected peft's LoraConfig or its values")
    return values
