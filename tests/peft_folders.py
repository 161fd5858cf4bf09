"""Random adapters in peft's folders, and what they add, computed with plain products."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from torchpaged import LoRARequest
from torchpaged.integrations.transformers.adapted_linear import linear_shapes

TARGETS = ("q_proj", "v_proj", "down_proj")


def tensors(model: nn.Module, seed: int, *, rank: int = 4, targets: Sequence[str] = TARGETS) -> dict[str, Tensor]:
    """Return an adapter's tensors by peft's names, large enough to change most tokens."""
    generator, found = torch.Generator().manual_seed(seed), {}
    for name, (outputs, inputs) in linear_shapes(model).items():
        if name.rpartition(".")[2] in targets:
            a = torch.randn(rank, inputs, generator=generator) / math.sqrt(inputs)
            b = torch.randn(outputs, rank, generator=generator) / math.sqrt(rank)
            found[f"base_model.model.{name}.lora_A.weight"] = a
            found[f"base_model.model.{name}.lora_B.weight"] = b
    return found


def config(*, rank: int = 4, targets: Sequence[str] = TARGETS) -> dict[str, object]:
    """Return the values of peft's LoraConfig."""
    return {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": rank, "lora_alpha": rank, "target_modules": [*targets]}


def write(path: Path, model: nn.Module, seed: int, *, rank: int = 4, targets: Sequence[str] = TARGETS) -> None:
    """Write a folder, or replace the files in it."""
    path.mkdir(exist_ok=True, parents=True)
    made = path / "adapter_model.new"
    save_file(tensors(model, seed, rank=rank, targets=targets), made)
    (path / "adapter_config.json").write_text(json.dumps(config(rank=rank, targets=targets)))
    made.replace(path / "adapter_model.safetensors")


def request(folder: Path, number: int) -> LoRARequest:
    """Return the request for an adapter in a folder of the number's name."""
    return LoRARequest(f"adapter-{number}", number, str(folder / str(number)))


@contextmanager
def merged(model: nn.Module, path: Path) -> Iterator[None]:
    """Add a folder's adapter to a model's weights."""
    found = load_file(path / "adapter_model.safetensors")
    modules = dict(model.named_modules())
    before = {}
    for name, a in found.items():
        if name.endswith("lora_A.weight"):
            module = name.removeprefix("base_model.model.").removesuffix(".lora_A.weight")
            before[module] = modules[module].weight.data
            b = found[name.replace("lora_A", "lora_B")]
            modules[module].weight.data = before[module] + b @ a
    yield
    for module, weight in before.items():
        modules[module].weight.data = weight
