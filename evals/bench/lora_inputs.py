"""Adapters with random numbers for benchmarks: in memory, and in peft's folders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForCausalLM

RANK = 16
_WEIGHTS = "adapter_model.safetensors"
# Small updates, so that random models go on generating finite numbers.
_DEVIATION = 0.02


def linears(shape: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Return (out_features, in_features) of each linear module of a model but the head, by name.

    Args:
        shape: see `checkpoint.build`.
    """
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**{"model_type": "qwen3", **shape}))
    head = model.get_output_embeddings()
    return {
        name: (each.out_features, each.in_features)
        for name, each in model.named_modules()
        if isinstance(each, nn.Linear) and each is not head
    }


def num_bytes(modules: Mapping[str, tuple[int, int]], rank: int = RANK) -> int:
    """Return the bytes of an adapter in bfloat16."""
    return sum(2 * rank * (outputs + inputs) for outputs, inputs in modules.values())


def tensors(modules: Mapping[str, tuple[int, int]], seed: int, rank: int = RANK) -> dict[str, Tensor]:
    """Return an adapter's tensors in bfloat16, by peft's names."""
    random, found = torch.Generator().manual_seed(seed), {}
    for name, (outputs, inputs) in modules.items():
        for half, shape in (("A", (rank, inputs)), ("B", (outputs, rank))):
            drawn = torch.empty(shape, dtype=torch.bfloat16).normal_(std=_DEVIATION, generator=random)
            found[f"base_model.model.{name}.lora_{half}.weight"] = drawn
    return found


def config(modules: Mapping[str, tuple[int, int]], rank: int = RANK) -> dict[str, Any]:
    """Return the values of peft's LoraConfig."""
    return {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "r": rank,
        "lora_alpha": rank,
        "bias": "none",
        "target_modules": sorted({name.rpartition(".")[2] for name in modules}),
    }


def write(modules: Mapping[str, tuple[int, int]], folder: Path, seed: int, rank: int = RANK) -> Path:
    """Write an adapter into a folder as peft does, unless it exists; return the folder."""
    if folder.exists():
        return folder
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    (partial / "adapter_config.json").write_text(json.dumps(config(modules, rank)))
    save_file(tensors(modules, seed, rank), partial / _WEIGHTS)
    return partial.rename(folder)


def weights_file(folder: Path) -> Path:
    """Return the file of an adapter's tensors."""
    return folder / _WEIGHTS
