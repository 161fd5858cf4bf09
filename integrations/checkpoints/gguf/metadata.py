"""Reads the keys and small tensors of a GGUF file that describe its model, and refuses keys that no reader asks for."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import torch

from torchpaged.weights.gguf_file import Gguf

# Keys without effect: sizes that the tensors have too, and keys for writers and other runtimes.
_HARMLESS = {
    "vocab_size",
    "rope.scaling.finetuned",
    "tensor_data_layout",
    "feed_forward_length",
    "expert_feed_forward_length",
    "expert_shared_feed_forward_length",
}
# A layer's tensor: the layer's number, the module, and "weight", "bias" or "scale" if it has such an ending.
BLOCK = re.compile(r"blk\.(\d+)\.(.+?)(?:\.(weight|bias|scale))?")

Config = dict[str, Any]


class Fields:
    """The keys of a file's architecture; it records which were asked for.

    Args:
        file: whose metadata has the keys.
    """

    def __init__(self, file: Gguf) -> None:
        self.file, self.prefix = file, file.text("general.architecture")
        self._asked: set[str] = set()

    def _key(self, name: str) -> str:
        self._asked.add(name)
        return f"{self.prefix}.{name}"

    def integer(self, name: str, default: int | None = None, least: int = 1) -> int:
        """As `Gguf`'s method, by the key's name without the architecture."""
        return self.file.integer(self._key(name), default, least=least)

    def number(self, name: str, default: float | None = None, above: float = -math.inf) -> float:
        """As `Gguf`'s method, by the key's name without the architecture."""
        return self.file.number(self._key(name), default, above=above)

    def boolean(self, name: str, default: bool | None = None) -> bool:
        """As `Gguf`'s method, by the key's name without the architecture."""
        return self.file.boolean(self._key(name), default)

    def text(self, name: str, default: str | None = None) -> str:
        """As `Gguf`'s method, by the key's name without the architecture."""
        return self.file.text(self._key(name), default)

    def by_layer(self, name: str) -> bool:
        """Tell if a key has a number for each layer."""
        return isinstance(self.file.metadata.get(f"{self.prefix}.{name}"), np.ndarray)

    def numbers(self, name: str, count: int) -> list[Any]:
        """As `Gguf`'s method, by the key's name without the architecture."""
        return self.file.numbers(self._key(name), count)

    def value(self, name: str) -> Any:
        """Return a value of any type; None if there is no such key."""
        return self.file.metadata.get(self._key(name))

    def has(self, name: str) -> bool:
        """Tell if a key exists, without asking for it."""
        return f"{self.prefix}.{name}" in self.file.metadata

    def expect(self, name: str, found: object, expected: object) -> None:
        """Raise ModelError for any value but the supported one."""
        if found != expected:
            raise self.file.fault(self._key(name), found, repr(expected))

    def require_all_asked(self) -> None:
        """Raise ModelError for a key that no reader asked for: it may change the model."""
        for key, value in self.file.metadata.items():
            name = key.removeprefix(f"{self.prefix}.")
            if name != key and name not in self._asked and name not in _HARMLESS:
                raise self.file.fault(key, value, f"none: its effect on {self.prefix!r} is unknown")

    def tensor(self, name: str, dimensions: int) -> tuple[int, ...]:
        """Return the shape of a required tensor."""
        found = self.file.tensors.get(name)
        if found is None or len(found.shape) != dimensions:
            said = "missing" if found is None else found.shape
            raise self.file.fault(f"tensor {name!r}", said, f"{dimensions} dimensions")
        return found.shape

    def there(self, name: str) -> bool:
        """Tell if a tensor exists."""
        return name in self.file.tensors


def floats(file: Gguf, name: str, count: int) -> list[float]:
    """Read a tensor of positive floats. ModelError for any other."""
    info = file.tensors.get(name)
    if info is None or info.shape != (count,) or info.block.name != "F32":
        raise file.fault(f"tensor {name!r}", "missing" if info is None else info, f"{count} numbers in F32")
    values: list[float] = file.data(info).clone().view(torch.float32).flatten().tolist()
    if not all(0 < value < 2e30 for value in values):
        raise file.fault(f"tensor {name!r}", values, "positive numbers")
    return values
