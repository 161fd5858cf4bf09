"""Detects changes of a model's weights, and fingerprints them.

The caller may change a model's weights while an engine runs it. `WeightsLook` takes a few milliseconds and detects
every change of a whole weight: another tensor, a write that torch counts, one that it does not (through `.data`), by
comparing some elements; and other adapters. It may miss writes to single elements: use `LLM.update_weights` for those.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Protocol

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig

# Elements of each weight that are compared.
_LOOKED_AT = 64
# Bytes that are hashed at a time, for which a packed weight is unpacked. Rows of a panel stay together.
_HASHED_AT_ONCE = 1 << 25
_SAMPLED_AT_ONCE = 1 << 18
_ROWS = 32
# Dtypes to compare bits with, by bytes of an element.
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


class FreedWeight(Protocol):
    """A weight whose memory was given back because a packed weight has its values."""

    @property
    def shape(self) -> torch.Size:
        """The original shape."""
        ...

    def rows(self, first: int, last: int) -> Tensor:
        """Return the original rows [first, last)."""
        ...


class WeightsLook:
    """A snapshot of a model's weights that is cheap to take and to compare.

    Args:
        model: whose parameters and persistent buffers are looked at, quantised ones by their parts.
    """

    def __init__(self, model: nn.Module) -> None:
        parts = [part for _, part in named_parts(model)]
        self._tensors = [(part.data_ptr(), _version(part)) for part in parts]
        self._adapters = _adapters(model)
        self._samples: list[Tensor] = []
        by_kind: dict[tuple[torch.dtype, torch.device], list[Tensor]] = {}
        for part in parts:
            sample = _sample(part)
            by_kind.setdefault((sample.dtype, sample.device), []).append(sample)
        self._samples = [torch.cat(samples) for samples in by_kind.values()]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, WeightsLook)
            and (self._tensors, self._adapters) == (other._tensors, other._adapters)
            and len(self._samples) == len(other._samples)
            and all(map(torch.equal, self._samples, other._samples))
        )

    __hash__ = None  # type: ignore[assignment]


def named_parts(model: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Yield (name, tensor) of all parameters and persistent buffers in the order of their names."""
    for name, weight in sorted(model.state_dict(keep_vars=True).items()):
        if isinstance(weight, Tensor):  # a module's state may hold other objects
            yield from plain_tensors(name, weight)


def plain_tensors(name: str, tensor: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Yield (name, tensor) of a tensor, or of the parts of a quantised one, named after its scheme."""
    if not hasattr(tensor, "__tensor_flatten__"):
        yield name, tensor
        return
    parts, context = tensor.__tensor_flatten__()
    for part in parts:
        yield from plain_tensors(f"{name} {type(tensor).__name__} {context} {part}", getattr(tensor, part))


def fingerprint_of(
    config: PretrainedConfig,
    model: nn.Module,
    more: str = "",
    freed: Mapping[int, FreedWeight] | None = None,
    most_bytes: int | None = None,
    num_threads: int | None = None,
) -> str:
    """Hash (sha256) the config, `more`, and every byte of all weights as rows in the order of their names.

    Two models have the same fingerprint if and only if they have the same values under the same names, packed or not.

    Args:
        freed: packed weights that have the values of freed ones, by the freed weight's id.
        most_bytes: of larger models about this many are read, in even steps over each weight; None: all.
        num_threads: that read them; None: as many as torch has.
    """
    gone = freed or {}
    weights = list(named_parts(model))
    size = sum(
        math.prod(gone[id(each)].shape if id(each) in gone else each.shape) * each.dtype.itemsize for _, each in weights
    )
    every = 1 if most_bytes is None else max(1, -(-size // most_bytes))

    def line(item: tuple[str, Tensor]) -> bytes:
        name, tensor = item
        digest, source = sha256(), gone.get(id(tensor))
        for rows in _pieces(tensor, source, every):
            digest.update(rows.contiguous().view(-1).view(torch.uint8).numpy().data)
        shape = tuple(tensor.shape if source is None else source.shape)
        return f"{name} {shape} {tensor.dtype} {digest.hexdigest()}\n".encode()

    whole = sha256()
    for text in (config.to_json_string(), more):
        whole.update(b"%d:" % len(text.encode()) + text.encode())
    if num_threads == 1:
        lines: Iterator[bytes] = map(line, weights)
    else:
        with ThreadPoolExecutor(num_threads or max(1, torch.get_num_threads())) as pool:  # hashlib releases the GIL
            lines = pool.map(line, weights)
    for each in lines:
        whole.update(each)
    return whole.hexdigest()


def _pieces(tensor: Tensor, source: FreedWeight | None, every: int) -> Iterator[Tensor]:
    """Yield a weight's rows on the host, some at a time; with `every` above 1 only each so-manyth piece."""
    if source is None:
        flat = tensor.detach()
        flat = flat.reshape(1, -1) if flat.dim() < 2 else flat
        count, width = flat.shape[0], flat[0].numel() if flat.shape[0] else 0
    else:
        count, width = source.shape[0], math.prod(source.shape[1:])
    together = _ROWS if source is None or len(source.shape) == 2 else 1
    at_once = _HASHED_AT_ONCE if every == 1 else _SAMPLED_AT_ONCE
    stride = max(together, at_once // max(1, width * tensor.dtype.itemsize) // together * together)
    for first in range(0, count, stride * every):
        last = min(count, first + stride)
        yield (flat[first:last].cpu() if source is None else source.rows(first, last)).flatten()


def _version(tensor: Tensor) -> int | None:
    """Return torch's count of writes; None for a tensor made in inference mode, which has no count."""
    return None if tensor.is_inference() else tensor._version


def _sample(tensor: Tensor) -> Tensor:
    """Return the bits of some elements, in even steps over the whole tensor."""
    flat = tensor.detach().reshape(-1)
    if flat.dtype.is_complex:
        flat = torch.view_as_real(flat).reshape(-1)
    bits = flat.view(_BITS[flat.dtype.itemsize])
    return bits[:: max(1, -(-bits.numel() // _LOOKED_AT))]


def _adapters(model: nn.Module) -> list[tuple[str, str]]:
    """List the peft adapters that each layer runs with, and their scaling."""
    found = []
    for name, module in model.named_modules():
        if hasattr(module, "merged_adapters"):
            state = [getattr(module, each, None) for each in ("active_adapters", "disable_adapters", "scaling")]
            found.append((name, f"{module.merged_adapters} {state}"))
    return found
