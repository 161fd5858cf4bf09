"""The keys and small tensors of a GGUF file that say what its model is; which were asked for is remembered."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import torch

from torchpaged.weights.gguf_file import Gguf

# Keys that change nothing here: sizes that tensors have, and what only writers and other runtimes look at.
_HARMLESS = {
    "vocab_size",
    "rope.scaling.finetuned",
    "tensor_data_layout",
    "feed_forward_length",
    "expert_feed_forward_length",
    "expert_shared_feed_forward_length",
}
# A layer's tensor: its number, what it is, and "weight", "bias" or "scale", if it is a module's.
BLOCK = re.compile(r"blk\.(\d+)\.(.+?)(?:\.(weight|bias|scale))?")

Config = dict[str, Any]


class Fields:
    """The keys of an architecture, which remembers those that were asked for.

    Args:
        file: whose metadata they are in.
    """

    def __init__(self, file: Gguf) -> None:
        self.file, self.prefix = file, file.text("general.architecture")
        self._asked: set[str] = set()

    def _key(self, name: str) -> str:
        self._asked.add(name)
        return f"{self.prefix}.{name}"

    def integer(self, name: str, default: int | None = None, least: int = 1) -> int:
        """As of `Gguf`."""
        return self.file.integer(self._key(name), default, least=least)

    def number(self, name: str, default: float | None = None, above: float = -math.inf) -> float:
        """As of `Gguf`."""
        return self.file.number(self._key(name), default, above=above)

    def boolean(self, name: str, default: bool | None = None) -> bool:
        """As of `Gguf`."""
        return self.file.boolean(self._key(name), default)

    def text(self, name: str, default: str | None = None) -> str:
        """As of `Gguf`."""
        return self.file.text(self._key(name), default)

    def by_layer(self, name: str) -> bool:
        """Whether there is a number for each layer."""
        return isinstance(self.file.metadata.get(f"{self.prefix}.{name}"), np.ndarray)

    def numbers(self, name: str, count: int) -> list[Any]:
        """As of `Gguf`."""
        return self.file.numbers(self._key(name), count)

    def value(self, name: str) -> Any:
        """Whatever it is; None where there is no such key."""
        return self.file.metadata.get(self._key(name))

    def has(self, name: str) -> bool:
        """Whether there is such a key."""
        return f"{self.prefix}.{name}" in self.file.metadata

    def expect(self, name: str, found: object, expected: object) -> None:
        """Raises ModelError unless a value is the only one that can be had."""
        if found != expected:
            raise self.file.fault(self._key(name), found, repr(expected))

    def require_all_asked(self) -> None:
        """Raises ModelError for a key that changes nobody knows what."""
        for key, value in self.file.metadata.items():
            name = key.removeprefix(f"{self.prefix}.")
            if name != key and name not in self._asked and name not in _HARMLESS:
                raise self.file.fault(key, value, f"none: it is not known what it changes in {self.prefix!r}")

    def tensor(self, name: str, dimensions: int) -> tuple[int, ...]:
        """The shape of a tensor that has to be there."""
        found = self.file.tensors.get(name)
        if found is None or len(found.shape) != dimensions:
            said = "missing" if found is None else found.shape
            raise self.file.fault(f"tensor {name!r}", said, f"{dimensions} dimensions")
        return found.shape

    def there(self, name: str) -> bool:
        """Whether there is such a tensor."""
        return name in self.file.tensors


def floats(file: Gguf, name: str, count: int) -> list[float]:
    """A tensor of positive floats."""
    info = file.tensors.get(name)
    if info is None or info.shape != (count,) or info.block.name != "F32":
        raise file.fault(f"tensor {name!r}", "missing" if info is None else info, f"{count} numbers in F32")
    values: list[float] = file.data(info).clone().view(torch.float32).flatten().tolist()
    if not all(0 < value < 2e30 for value in values):
        raise file.fault(f"tensor {name!r}", values, "positive numbers")
    return values
