"""Adapters of small shapes, by a seed, in files that have only the seed: for tests of the registry."""

from __future__ import annotations

import functools
import os
import random
from pathlib import Path

import torch

from torchpaged.errors import ModelError
from torchpaged.execution.adapter_slots import AdapterSlots
from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight

MODULES = {"0.q": (24, 16), "0.down": (16, 40), "1.q": (24, 16)}
RANK = 8


@functools.cache
def adapter(seed: int) -> LoraAdapter:
    """Return the adapter of a seed: random modules, ranks and numbers."""
    rng, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    modules = {}
    for name in rng.sample(sorted(MODULES), rng.randint(1, len(MODULES))):
        rank, (outputs, inputs) = rng.randint(1, RANK), MODULES[name]
        a, b = torch.randn(rank, inputs, generator=generator), torch.randn(outputs, rank, generator=generator)
        modules[name] = LoraWeight(a, b, 0.5)
    return LoraAdapter.of(modules)


def write(path: Path | str, seed: int) -> str:
    """Write a seed's file in place of the one that is there, as a whole; return the adapter's content."""
    made = Path(f"{path}.{seed}.{random.random()}")
    made.write_text(str(seed))
    os.replace(made, path)
    return adapter(seed).content


def read(path: str) -> LoraAdapter:
    """Read the adapter of a file."""
    try:
        text = Path(path).read_text()
    except OSError as error:
        raise ModelError(f"adapter {path!r}: there is no such file") from error
    if not text.isdigit():
        raise ModelError(f"adapter {path!r}: it is damaged")
    return adapter(int(text))


def slots(max_loras: int = 2, max_cpu_loras: int = 4) -> AdapterSlots:
    """Return slots for these shapes."""
    return AdapterSlots(MODULES, max_loras, max_cpu_loras, RANK, torch.float32, torch.device("cpu"))


class Host:
    """The adapters' part of an executor, over slots alone."""

    def __init__(self, slots: AdapterSlots) -> None:
        self.slots = slots
        self.add_adapter, self.remove_adapter, self.has_adapter = slots.add, slots.unload, slots.has
        self.hold_adapter, self.unhold_adapter = slots.hold, slots.unhold
