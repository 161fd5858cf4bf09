"""Adapters of tiny models: made by peft, saved, and merged by it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import peft
import torch
from transformers import PreTrainedModel

from torchpaged import LoRARequest


def save(
    model: PreTrainedModel, folder: Path, *, rank: int = 8, targets: Sequence[str] | str = "all-linear", seed: int = 0,
    **options: Any,
) -> PreTrainedModel:  # fmt: skip
    """Save an adapter with random numbers for a model, which does not change, and return the model merged with it."""
    settings = targets if isinstance(targets, str) else list(targets)
    config = peft.LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=settings, **options)
    torch.manual_seed(seed)
    adapted = peft.get_peft_model(copy.deepcopy(model), config)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:
                parameter.normal_(std=0.2)
    adapted.eval().save_pretrained(folder)
    merged: PreTrainedModel = adapted.merge_and_unload()
    return merged


def request(name: str, folder: Path, number: int = 1) -> LoRARequest:
    """Return a request for the adapter in a folder."""
    return LoRARequest(name, number, str(folder))
