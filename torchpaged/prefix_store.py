"""A prefix's keys and values as a safetensors file, for another process of the same model. Knows files, no policy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from torchpaged.errors import ConfigError, ModelError
from torchpaged.kv_cache import KVCacheGroup
from torchpaged.model_runner import ModelRunner
from torchpaged.paged_kv_cache import PagedKVCache

_FORMAT = "torchpaged prefix 1"


def fingerprint(runner: ModelRunner) -> str:
    """Of everything that decides what stands in a block: the model's weights, the cache's type and its layout."""
    cache = runner.kv_cache
    parts = (runner.model.fingerprint(), cache.dtype, cache.block_size, sorted(cache.layers.items()), runner.groups)
    return sha256(repr(parts).encode()).hexdigest()


def save(
    path: str | Path, prefixes: Sequence[tuple[Sequence[int], Sequence[Sequence[int]]]], runner: ModelRunner
) -> None:
    """Writes prefixes.

    Args:
        prefixes: (tokens, block ids of each group) each; id 0 for a block that has left its group's window.

    Raises:
        ConfigError: the file cannot be written.
    """
    tensors: dict[str, Tensor] = {}
    for number, (token_ids, tables) in enumerate(prefixes):
        tensors[f"{number}.token_ids"] = torch.tensor(token_ids, dtype=torch.int64)
        for group, table in zip(runner.groups, tables, strict=True):
            for name, tensor in _layers(runner.kv_cache, group):
                rows = torch.tensor([block for block in table if block], dtype=torch.int64, device=tensor.device)
                tensors[f"{number}.{name}"] = _bytes(tensor)[rows].cpu().contiguous()
    metadata = {"format": _FORMAT, "fingerprint": fingerprint(runner), "count": str(len(prefixes))}
    try:
        save_file(tensors, str(path), metadata)
    except (OSError, SafetensorError) as error:
        raise ConfigError(f"save_prefix: {str(path)!r} could not be written: {error}") from error


class PrefixFile:
    """A file that `save` wrote, checked against the model that is to use it.

    Raises:
        ConfigError: no such file, or not one of ours.
        ModelError: it was written by another model, or with another cache.
    """

    def __init__(self, path: str | Path, runner: ModelRunner) -> None:
        self.path, self._runner = str(path), runner
        try:
            with safe_open(self.path, "pt") as file:
                metadata = file.metadata() or {}
                self._tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
        except (OSError, SafetensorError) as error:
            raise ConfigError(f"load_prefix: {self.path!r} could not be read as safetensors: {error}") from error
        if metadata.get("format") != _FORMAT:
            known = json.dumps(metadata.get("format"))
            raise ConfigError(f"load_prefix: {self.path!r} has the format {known}, expected {_FORMAT!r}")
        own = fingerprint(runner)
        if metadata["fingerprint"] != own:
            raise ModelError(
                f"load_prefix: {self.path!r} was saved by another model or with another cache: its fingerprint is "
                f"{metadata['fingerprint'][:12]}..., this model's is {own[:12]}...; compute the prefix again"
            )
        self.token_ids = [self._tensors[f"{i}.token_ids"].tolist() for i in range(int(metadata["count"]))]

    def write(self, number: int, tables: Sequence[Sequence[int]]) -> None:
        """Puts a prefix's keys and values into the blocks of the tables, one a group; 0 is skipped."""
        for group, table in zip(self._runner.groups, tables, strict=True):
            for name, tensor in _layers(self._runner.kv_cache, group):
                rows = torch.tensor([block for block in table if block], dtype=torch.int64, device=tensor.device)
                _bytes(tensor)[rows] = self._tensors[f"{number}.{name}"].to(tensor.device)


def _layers(cache: PagedKVCache, group: KVCacheGroup) -> list[tuple[str, Tensor]]:
    """(name, tensor) of everything that a block of the group consists of."""
    layers = cache.by_layer()
    found = []
    for index in group.layers:
        for name in ("key", "value", "k_scale", "v_scale"):
            tensor = getattr(layers[index], name)
            if tensor is not None:
                found.append((f"{index}.{name}", tensor))
    return found


def _bytes(tensor: Tensor) -> Tensor:
    """8-bit floats as what they are stored in: not every operator takes them."""
    return tensor.view(torch.uint8) if tensor.dtype.itemsize == 1 else tensor
