"""LoraAdapter: the low-rank updates of a model's linear layers, as a value without a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

import torch
from torch import Tensor

_FORMAT = b"torchpaged adapter 1"


@dataclass(frozen=True, slots=True, eq=False)
class LoraWeight:
    """Update of one linear layer: scale * b @ a is added to its weight.

    Args:
        a: [rank, in_features].
        b: [out_features, rank].
        scale: alpha / rank, or alpha / sqrt(rank).
    """

    a: Tensor
    b: Tensor
    scale: float

    @property
    def rank(self) -> int:
        """The rank of the update."""
        return self.a.shape[0]


@dataclass(frozen=True, slots=True)
class LoraAdapter:
    """Adapter of a model. Two adapters are equal if their numbers are. The tensors must not change.

    Args:
        content: sha256 of everything that decides a number, and of nothing else: the same file under two names has
            one content, a replaced file has another.
        rank: the largest rank.
        modules: update by the linear module's name.
    """

    content: str
    rank: int = field(compare=False)
    modules: Mapping[str, LoraWeight] = field(compare=False, repr=False)

    @classmethod
    def of(cls, modules: Mapping[str, LoraWeight]) -> LoraAdapter:
        """Make an adapter of at least one module, and compute its content."""
        return cls(_content(modules), max(weight.rank for weight in modules.values()), dict(modules))

    @property
    def nbytes(self) -> int:
        """Bytes of all tensors."""
        return sum(weight.a.nbytes + weight.b.nbytes for weight in self.modules.values())


def is_finite(tensor: Tensor) -> bool:
    """Tell if a tensor of floats has neither NaN nor infinities; 20 times faster than isfinite for bfloat16."""
    if not tensor.numel():
        return True
    if tensor.itemsize == 1:
        tensor = tensor.bfloat16()  # aminmax does not know float8
    return bool(torch.isfinite(torch.stack(tensor.aminmax())).all())  # aminmax returns NaN if there is one


def _content(modules: Mapping[str, LoraWeight]) -> str:
    found = sha256(_FORMAT)
    for name, weight in sorted(modules.items()):
        found.update(f"\n{name} {float(weight.scale).hex()}".encode())
        for tensor in (weight.a, weight.b):
            found.update(f" {tensor.dtype} {tuple(tensor.shape)}\n".encode())
            found.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().data)
    return found.hexdigest()
