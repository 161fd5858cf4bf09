"""Prefixes that stay in the cache: pinned, saved to a safetensors file, loaded by another process of the same model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from torchpaged.errors import ConfigError, EngineError, ModelError, RequestError
from torchpaged.kv_cache import NO_KEYS, CacheKeys, KVCacheGroup
from torchpaged.model_runner import ModelRunner, StepResult
from torchpaged.paged_kv_cache import PagedKVCache
from torchpaged.phases import STEP, UPDATE, span
from torchpaged.request import RequestStatus
from torchpaged.sampling_params import SamplingParams
from torchpaged.scheduler import Scheduler, SchedulerOutput

_FORMAT = "torchpaged prefix 1"


class PrefixStore:
    """Pins: prefixes whose full blocks are held by name, whatever is evicted.

    Invariants: each pin's tokens are whole blocks, which the manager holds under the same name.

    Args:
        scheduler: whose cache it is; idle whenever a method is called.
        runner: has the tensors.
        run: schedules a step and computes it.
    """

    def __init__(
        self, scheduler: Scheduler, runner: ModelRunner, run: Callable[[], tuple[SchedulerOutput, StepResult]]
    ) -> None:
        self._scheduler, self._runner, self._run = scheduler, runner, run
        self._pins: dict[str, list[int]] = {}
        self._count = 0

    def pin(self, token_ids: Sequence[int], keys: CacheKeys = NO_KEYS) -> str:
        """Computes a prefix, unless it is cached, and holds its full blocks until `unpin`.

        Returns:
            The pin's name.

        Raises:
            RequestError: shorter than a block, or one that leaves no block to run with.
            EngineError: requests are unfinished.
            ConfigError: prefix caching is off.
        """
        self._require_idle()
        scheduler, size = self._scheduler, self._scheduler.manager.block_size
        if len(token_ids) < size:
            raise RequestError(f"the prefix has {len(token_ids)} tokens, block_size is {size}: whole blocks are kept")
        name = self._name()
        params = SamplingParams(max_tokens=1, temperature=0.0)
        request = scheduler.add(name, list(token_ids), params, cache_keys=keys)
        try:
            while not request.paused:
                with span(STEP):
                    step, _ = self._run()
                    with span(UPDATE):
                        scheduler.update(step, {})  # no token is wanted
            scheduler.manager.pin(name, request)
        finally:
            scheduler.finish(name, RequestStatus.FINISHED_ABORTED)
            self._runner.sampler.forget(name)
        self._pins[name] = list(token_ids[: len(token_ids) // size * size])
        if not scheduler.max_tokens:
            self.unpin(name)
            raise RequestError(
                f"the prefix has {len(token_ids)} tokens and would leave no block of the pool's "
                f"{scheduler.manager.pool.num_usable} to run with; raise num_blocks"
            )
        return name

    def unpin(self, name: str) -> None:
        """Lets a pin go: it stays cached until its place is needed.

        Raises:
            RequestError: there is no such pin.
        """
        if name not in self._pins:
            raise RequestError(f"unpin_prefix: there is no pin {name!r}; there are {sorted(self._pins)}")
        del self._pins[name]
        self._scheduler.manager.unpin(name)

    def save(self, path: str | Path, names: Sequence[str] | None = None) -> int:
        """Writes pins (None: all) to a file; returns their tokens.

        Raises:
            RequestError: there are none.
            ConfigError: the file cannot be written.
        """
        names = list(self._pins) if names is None else names
        if not names:
            raise RequestError("save_prefix: no prompt is given and no prefix is pinned")
        manager = self._scheduler.manager
        write_file(path, [(self._pins[name], manager.pinned_block_ids(name)) for name in names], self._runner)
        return sum(len(self._pins[name]) for name in names)

    def load(self, path: str | Path, keys: CacheKeys = NO_KEYS) -> list[str]:
        """Brings the prefixes of a file into the cache and pins them; returns the pins' names.

        Raises:
            ModelError: the file is another model's.
            ConfigError: no such file, not one that `save` wrote, or prefix caching is off.
            RequestError: the pool has no room.
            EngineError: requests are unfinished.
        """
        self._require_idle()
        file = PrefixFile(path, self._runner)
        names: list[str] = []
        manager = self._scheduler.manager
        for number, token_ids in enumerate(file.token_ids):
            name = self._name()
            tables = manager.adopt(name, token_ids, keys)
            if tables is not None:
                file.write(number, tables)
                self._pins[name] = token_ids
                names.append(name)
            if tables is None or not self._scheduler.max_tokens:
                for each in names:
                    self.unpin(each)
                raise RequestError(
                    f"load_prefix: {str(path)!r} has {sum(map(len, file.token_ids))} tokens, which the pool of "
                    f"{manager.pool.num_usable} blocks of {manager.block_size} cannot hold beside a request"
                )
        return names

    def _name(self) -> str:
        self._count += 1
        return f"pin-{self._count}"

    def _require_idle(self) -> None:
        if not self._scheduler.manager.enable_prefix_caching:
            raise ConfigError("EngineConfig: enable_prefix_caching is False, so no prefix can be kept; switch it on")
        if self._scheduler.has_unfinished:
            count = len(self._scheduler.requests)
            raise EngineError(f"{count} requests are unfinished; pin and load prefixes before or after them")

    def check(self) -> None:
        """Asserts the invariants."""
        manager = self._scheduler.manager
        for name, token_ids in self._pins.items():
            blocks = len(token_ids) // manager.block_size
            assert all(len(table) == blocks for table in manager.pinned_block_ids(name)), name


def fingerprint(runner: ModelRunner) -> str:
    """Of everything that decides what stands in a block: the model's weights, the cache's type and its layout."""
    cache = runner.kv_cache
    parts = (runner.model.fingerprint(), cache.dtype, cache.block_size, sorted(cache.layers.items()), runner.groups)
    return sha256(repr(parts).encode()).hexdigest()


def write_file(
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
    """A file that `write_file` wrote, checked against the model that is to use it.

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
