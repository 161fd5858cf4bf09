"""Tiny models with peft's adapters of random numbers: saved, changed, and merged."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import PreTrainedModel

from tests import models
from torchpaged import LoRARequest
from torchpaged.weights.lora_adapter import LoraAdapter


def build(kind: str) -> PreTrainedModel:
    """Make a model of three layers with random weights."""
    sizes: dict[str, Any] = {"num_hidden_layers": 3}
    if kind == "mixtral":
        sizes |= {"num_local_experts": 2, "num_experts_per_tok": 1}
    if kind == "gpt2":
        sizes = {"n_layer": 3, "n_embd": 64, "n_head": 4}
    return models.build(kind, **sizes)


def wrap(model: PreTrainedModel, *, seed: int = 1, **config: Any) -> Any:
    """Return peft's model over a copy, with a random adapter."""
    from peft import LoraConfig, get_peft_model

    wrapped = get_peft_model(copy.deepcopy(model), LoraConfig(**config))
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, parameter in wrapped.named_parameters():
            if "lora_" in name:
                parameter.normal_(std=0.1)
    return wrapped


def save(model: PreTrainedModel, folder: Path, **config: Any) -> Any:
    """Write a random adapter with peft; return peft's model."""
    wrapped = wrap(model, **config)
    wrapped.save_pretrained(folder)
    return wrapped


def save_merged(
    model: PreTrainedModel, folder: Path, *, rank: int = 8, targets: Sequence[str] | str = "all-linear", seed: int = 0,
    **options: Any,
) -> PreTrainedModel:  # fmt: skip
    """Write a random adapter that changes most texts, and return the model merged with it."""
    settings = targets if isinstance(targets, str) else list(targets)
    wrapped = wrap(model, seed=seed, r=rank, lora_alpha=4 * rank, target_modules=settings, **options)
    wrapped.eval().save_pretrained(folder)
    merged: PreTrainedModel = wrapped.merge_and_unload()
    return merged


def request(name: str, folder: Path, number: int = 1) -> LoRARequest:
    """Return a request for the adapter in a folder."""
    return LoRARequest(name, number, str(folder))


def change_config(folder: Path, **values: Any) -> None:
    """Change values of an adapter's config."""
    config = json.loads((folder / "adapter_config.json").read_text())
    (folder / "adapter_config.json").write_text(json.dumps(config | values))


def change_tensors(folder: Path, change: Callable[[dict[str, Tensor]], Any]) -> None:
    """Change an adapter's tensors, in place or by a function that returns others."""
    tensors = load_file(folder / "adapter_model.safetensors")
    changed = change(tensors)
    save_file(tensors if changed is None else changed, folder / "adapter_model.safetensors")


def merged(model: PreTrainedModel, adapter: LoraAdapter) -> dict[str, Tensor]:
    """Return the weights of the adapted modules with the update added."""
    weights = {}
    for name, weight in adapter.modules.items():
        base, delta = model.get_submodule(name).weight.detach(), weight.scale * (weight.b @ weight.a)
        weights[name] = base + (delta.T if type(model.get_submodule(name)).__name__ == "Conv1D" else delta)
    return weights


def as_torchtune(tensors: dict[str, Tensor], heads: int | None = 16) -> dict[str, Tensor]:
    """Rename peft's tensors, and interleave the halves of heads, as torchtune's hf_to_tune does to whole weights.

    Args:
        heads: dimensions of each; None: leave the order, as for qwen2.
    """
    names = {"self_attn": "attn", "o_proj": "output_proj", "gate_proj": "w1", "down_proj": "w2", "up_proj": "w3"}
    changed = {}
    for name, tensor in tensors.items():
        parts = name.removeprefix("base_model.model.model.").split(".")
        if heads and parts[-2] == "lora_B" and parts[-3] in ("q_proj", "k_proj"):
            rows, rank = tensor.shape
            tensor = tensor.view(rows // heads, 2, heads // 2, rank).transpose(1, 2).reshape(rows, rank)
        changed[".".join(names.get(part, part.lower() if "lora" in part else part) for part in parts)] = tensor
    return changed
