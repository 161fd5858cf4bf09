"""Prefixes in a safetensors file: written by one process, read by another with the same model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from torchpaged.errors import ConfigError, ModelError, reason_of
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.kv_cache import KVCacheGroup, SavedPrefix
from torchpaged.kv_cache.spec import StateSpec, TailSpec
from torchpaged.models.attention_metadata import RowCache
from torchpaged.utils import interrupts
from torchpaged.utils.atomic_files import replaced

_FORMAT = "torchpaged prefix 3"


def fingerprint(runner: ModelRunner) -> str:
    """Return a hash of everything that determines a block's contents: weights, cache dtype and layout."""
    cache, spec = runner.kv_cache, runner.model.spec
    layers = sorted(cache.layers.items()) + sorted(spec.states.items())
    factors = [(index, factor.tolist()) for index, factor in sorted(cache.key_factors.items())]
    parts = (runner.model.fingerprint(), cache.dtype, cache.block_size, layers, runner.groups, *factors)
    return sha256(repr(parts).encode()).hexdigest()


def write_file(path: str | Path, prefixes: Sequence[SavedPrefix], runner: ModelRunner) -> None:
    """Write prefixes to a file.

    Args:
        path: of the file; an existing one is replaced.
        prefixes: block id 0 stands for a block that has left its group's window.
        runner: has the pools.

    Raises:
        ConfigError: the file cannot be written.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ConfigError(f"save_prefix: the path is {path!r:.80}, expected a path")
    tensors: dict[str, Tensor] = {}
    for number, (token_ids, tables, adapter) in enumerate(prefixes):
        tensors[f"{number}.token_ids"] = torch.tensor(token_ids, dtype=torch.int64)
        if adapter is not None:  # a tensor, so that the checksum covers it
            tensors[f"{number}.adapter"] = torch.tensor(list(adapter.encode()), dtype=torch.uint8)
        for group, table in zip(runner.groups, tables, strict=True):
            for name, tensor in _layers(runner, group):
                rows = torch.tensor([block for block in table if block], dtype=torch.int64, device=tensor.device)
                tensors[f"{number}.{name}"] = _bytes(tensor)[rows].cpu().contiguous()
    metadata = {
        "format": _FORMAT,
        "fingerprint": fingerprint(runner),
        "count": str(len(prefixes)),
        "checksum": _checksum(tensors),
    }
    try:
        with interrupts.kept(), replaced(path) as made:
            save_file(tensors, made, metadata)
    except (OSError, ValueError, SafetensorError) as error:
        raise ConfigError(f"save_prefix: {str(path)!r} could not be written: {reason_of(error)}") from error


class PrefixFile:
    """Prefix file, all of it checked against the model that is to use it.

    Attributes:
        token_ids: tokens of each prefix.
        adapters: content of the adapter that each was computed with; None: the model alone.

    Raises:
        ConfigError: the file does not exist, is not a prefix file, or is damaged.
        ModelError: it was written with another model or cache.
    """

    def __init__(self, path: str | Path, runner: ModelRunner) -> None:
        self.path, self._runner = str(path), runner
        try:
            with interrupts.kept(), safe_open(self.path, "pt") as file:
                metadata = file.metadata() or {}
                self._tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
        except (OSError, SafetensorError) as error:
            reason = reason_of(error)
            raise ConfigError(f"load_prefix: {self.path!r} could not be read as safetensors: {reason}") from error
        if metadata.get("format") != _FORMAT:
            raise self._refusal(f"has the format {metadata.get('format')!r:.80}, expected {_FORMAT!r}")
        own, found = fingerprint(runner), metadata.get("fingerprint", "none")
        if found != own:
            raise ModelError(
                f"load_prefix: {self.path!r} was saved by another model or with another cache: its fingerprint is "
                f"{found[:12]}..., this model's is {own[:12]}...; compute the prefix again"
            )
        self.token_ids = [self._tokens(number) for number in range(self._count(metadata.get("count")))]
        self.adapters = [self._adapter(number) for number in range(len(self.token_ids))]
        self._check()
        if metadata.get("checksum") != _checksum(self._tensors):
            raise self._refusal("is damaged: its checksum is another")

    def _refusal(self, what: str) -> ConfigError:
        return ConfigError(f"load_prefix: {self.path!r} {what}; save the prefix again")

    def _count(self, text: str | None) -> int:
        """Return the number of prefixes in the file, at most its number of tensors."""
        if (
            text is None
            or not text.isascii()
            or not text.isdigit()
            or len(text) > 9
            or not 0 < int(text) <= len(self._tensors)
        ):
            raise self._refusal(f"says that it has {text!r:.40} prefixes, and has {len(self._tensors)} tensors")
        return int(text)

    def _tokens(self, number: int) -> list[int]:
        """Return a prefix's tokens, checked to be whole blocks of the model's vocabulary."""
        name, size = f"{number}.token_ids", self._runner.kv_cache.block_size
        tokens = self._tensors.get(name)
        if tokens is None:
            raise self._refusal(f"has no tensor {name!r}")
        if tokens.dtype != torch.int64 or tokens.dim() != 1 or not len(tokens) or len(tokens) % size:
            raise self._refusal(
                f"has {name!r} of shape {tuple(tokens.shape)} and dtype {tokens.dtype}, expected int64 of one "
                f"dimension, whole blocks of {size}"
            )
        vocabulary = self._runner.model.spec.vocab_size
        if int(tokens.min()) < 0 or int(tokens.max()) >= vocabulary:
            worst = int(tokens.min() if int(tokens.min()) < 0 else tokens.max())
            raise self._refusal(f"has token {worst} in {name!r}, expected 0 to {vocabulary - 1}")
        result: list[int] = tokens.tolist()
        return result

    def _adapter(self, number: int) -> str | None:
        """Return the content of a prefix's adapter."""
        content = self._tensors.get(name := f"{number}.adapter")
        if content is None:
            return None
        if content.dtype != torch.uint8 or content.dim() != 1 or not 0 < len(content) <= 128 or content.max() > 127:
            raise self._refusal(
                f"has {name!r} of shape {tuple(content.shape)} and dtype {content.dtype}, expected 1 to 128 ASCII "
                "characters"
            )
        return bytes(content.tolist()).decode()

    def _check(self) -> None:
        """Check that every layer's tensors are there, with the right shape and dtype, and no others."""
        names = {f"{number}.token_ids" for number in range(len(self.token_ids))}
        names.update(f"{number}.adapter" for number, adapter in enumerate(self.adapters) if adapter is not None)
        for number, token_ids in enumerate(self.token_ids):
            for group in self._runner.groups:
                if isinstance(group.spec, TailSpec):  # a prefix ends at a chunk boundary, where tails are empty
                    continue
                skipped = group.spec.num_skipped_blocks(len(token_ids))
                count = len(token_ids) // group.spec.block_size - skipped
                for name, tensor in _layers(self._runner, group):
                    names.add(full := f"{number}.{name}")
                    if (found := self._tensors.get(full)) is None:
                        raise self._refusal(f"has no tensor {full!r}")
                    shape, dtype = (count, *tensor.shape[1:]), _bytes(tensor).dtype
                    if found.shape != shape or found.dtype != dtype:
                        raise self._refusal(
                            f"has {full!r} of shape {tuple(found.shape)} and dtype {found.dtype}, expected {shape} "
                            f"and {dtype}"
                        )
        if strange := sorted(self._tensors.keys() - names):
            raise self._refusal(f"has a tensor {strange[0]!r:.80}, which is no layer's")

    def write(self, number: int, tables: Sequence[Sequence[int]]) -> None:
        """`PrefixSource.write`."""
        for group, table in zip(self._runner.groups, tables, strict=True):
            for name, tensor in _layers(self._runner, group):
                rows = torch.tensor([block for block in table if block], dtype=torch.int64, device=tensor.device)
                _bytes(tensor)[rows] = self._tensors[f"{number}.{name}"].to(tensor.device)


def _layers(runner: ModelRunner, group: KVCacheGroup) -> list[tuple[str, Tensor]]:
    """Return (name, tensor) of everything that a block of the group consists of."""
    found = []
    if isinstance(group.spec, StateSpec):
        assert runner.state_pool is not None
        for index, cache in runner.state_pool.caches.items():
            found.append((f"{index}.state", cache.state))
            if cache.conv_state is not None:
                found.append((f"{index}.conv_state", cache.conv_state))
        return found
    for index in () if isinstance(group.spec, TailSpec) else group.layers:
        layer = runner.kv_cache.caches[index]
        if isinstance(layer, RowCache):
            found += [(f"{index}.rows.{i}", tensor) for i, tensor in enumerate(layer.tensors)]
            continue
        parts = {str(index): layer, **{f"{index}.index.{i}": part for i, part in enumerate(layer.index)}}
        for part_name, part in parts.items():
            for name in ("key", "value", "k_scale", "v_scale"):
                if (tensor := getattr(part, name)) is not None:
                    found.append((f"{part_name}.{name}", tensor))
    return found


def _checksum(tensors: Mapping[str, Tensor]) -> str:
    """Return the sha256 of the tensors and their names. Without it a corrupted key would change answers silently."""
    found = sha256()
    for name, tensor in sorted(tensors.items()):
        found.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        found.update(tensor.contiguous().view(-1).view(torch.uint8).numpy().data)
    return found.hexdigest()


def _bytes(tensor: Tensor) -> Tensor:
    """View 8-bit floats as uint8, since not every operator takes them."""
    return tensor.view(torch.uint8) if tensor.dtype.itemsize == 1 else tensor
