"""Prefixes that stay in the cache: pinned, saved to a safetensors file, loaded by another process of the same model."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from torchpaged.bookkeeping import Bookkeeping
from torchpaged.errors import ConfigError, EngineError, ModelError, RequestError
from torchpaged.kv_cache import NO_KEYS, CacheKeys, KVCacheGroup
from torchpaged.model_runner import ModelRunner, StepResult
from torchpaged.paged_kv_cache import PagedKVCache
from torchpaged.phases import STEP, UPDATE, span
from torchpaged.request import RequestStatus
from torchpaged.sampling_params import SamplingParams
from torchpaged.scheduler import Scheduler, SchedulerOutput

logger = logging.getLogger(__name__)

_FORMAT = "torchpaged prefix 2"


@dataclass(frozen=True, slots=True)
class _Pin:
    """A prefix that is held."""

    token_ids: list[int]
    keys: CacheKeys


class PrefixStore:
    """Pins: prefixes whose full blocks are held by name, whatever is evicted.

    Invariants: each pin's tokens are whole blocks, which the manager holds under the same name.

    Args:
        scheduler: whose cache it is; idle whenever a method is called.
        runner: has the tensors.
        run: schedules a step and computes it.
        books: of whoever owns the scheduler.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        runner: ModelRunner,
        run: Callable[[], tuple[SchedulerOutput, StepResult]],
        books: Bookkeeping,
    ) -> None:
        self._scheduler, self._runner, self._run, self._books = scheduler, runner, run, books
        self._pins: dict[str, _Pin] = {}
        self._computing: str | None = None  # the request of the prefix that is being computed
        self._count = 0

    @property
    def names(self) -> Collection[str]:
        """Of all pins."""
        return self._pins.keys()

    def reset(self) -> None:
        """Keeps the pins that the manager has kept; one that was being made or let go is none."""
        kept = self._scheduler.manager.pins
        self._computing = None
        self._pins = {name: pin for name, pin in self._pins.items() if name in kept}

    def renew(self) -> None:
        """Computes all pins anew, under their names: the model is another. One that fails is let go, with a warning."""
        pins, self._pins = self._pins, {}
        for name in pins:
            self._forget(name)
        for name, pin in pins.items():
            try:
                self._compute(name, pin.token_ids, pin.keys)
            except Exception as error:  # the model's own may be any
                logger.warning("the prefix %r is not pinned any more: %s", name, error)

    def pin(self, token_ids: Sequence[int], keys: CacheKeys = NO_KEYS) -> str:
        """Computes a prefix, unless it is cached, and holds its full blocks until `unpin`.

        Returns:
            The pin's name.

        Raises:
            RequestError: shorter than a block, one that leaves no block to run with, or one that the model has no
                numbers for.
            EngineError: requests are unfinished.
            ConfigError: prefix caching is off.
        """
        self._require_idle()
        scheduler, size = self._scheduler, self._scheduler.manager.block_size
        if len(token_ids) < size:
            raise RequestError(f"the prefix has {len(token_ids)} tokens, block_size is {size}: whole blocks are kept")
        name = self._name()
        self._compute(name, token_ids, keys)
        if not scheduler.max_tokens:
            self.unpin(name)
            raise RequestError(
                f"the prefix has {len(token_ids)} tokens and would leave no block of the pool's "
                f"{scheduler.manager.pool.num_usable} to run with; raise num_blocks"
            )
        return name

    def _compute(self, name: str, token_ids: Sequence[int], keys: CacheKeys) -> None:
        """Runs a prefix, unless it is cached, and holds its full blocks under a name.

        No token behind the last of them: a window that moves on gives back blocks that are read from there.
        """
        scheduler, size = self._scheduler, self._scheduler.manager.block_size
        params = SamplingParams(max_tokens=1, temperature=0.0)
        scheduler.require_room("prefix", token_ids)
        whole = list(token_ids[: len(token_ids) // size * size])
        with self._books:
            request = scheduler.add(name, whole, params, cache_keys=keys)
            self._computing = name
        status, error = RequestStatus.FINISHED_ABORTED, None
        try:
            while not request.paused:
                with span(STEP):
                    step, result = self._run()
                    if (error := result.errors.get(name)) is not None:
                        status = RequestStatus.FINISHED_ERROR  # nobody shall find what it has computed
                        break
                    with span(UPDATE), self._books:
                        scheduler.update(step, {})  # no token is wanted
            if error is None:
                with self._books:
                    scheduler.manager.pin(name, request)
                    self._pins[name] = _Pin(whole, keys)
        finally:
            self.clear_up(status)
        if error is not None:
            raise RequestError(f"the prefix cannot be pinned: {error}")

    def clear_up(self, status: RequestStatus = RequestStatus.FINISHED_ABORTED) -> None:
        """Ends the request of a prefix, also one that an interrupt has left: there is none between two calls."""
        if self._computing is None:
            return
        with self._books:
            self._scheduler.finish(self._computing, status)
            self._runner.sampler.forget(self._computing)
            self._computing = None

    def unpin(self, name: str) -> None:
        """Lets a pin go: it stays cached until its place is needed.

        Raises:
            RequestError: there is no such pin.
        """
        if name not in self._pins:
            raise RequestError(f"unpin_prefix: there is no pin {name!r}; there are {sorted(self._pins)}")
        with self._books:
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
        write_file(path, [(self._pins[name].token_ids, manager.pinned_block_ids(name)) for name in names], self._runner)
        return sum(len(self._pins[name].token_ids) for name in names)

    def load(self, path: str | Path, keys: CacheKeys = NO_KEYS) -> list[str]:
        """Brings the prefixes of a file into the cache and pins them; returns the pins' names.

        All of the file is checked before any block is taken, and a block can be found once it is written.

        Raises:
            ModelError: the file is another model's.
            ConfigError: no such file, not one that `save` wrote, or prefix caching is off.
            RequestError: the pool has no room.
            EngineError: requests are unfinished.
        """
        self._require_idle()
        file = PrefixFile(path, self._runner)
        names: list[str] = []
        try:
            for number in range(len(file.token_ids)):
                names.append(self._name())
                self._adopt(file, number, names[-1], keys)
        except BaseException:
            for name in names:
                if name in self._scheduler.manager.pins:
                    self._forget(name)
            raise
        with self._books:
            self._pins.update((n, _Pin(t, keys)) for n, t in zip(names, file.token_ids, strict=True))
        return names

    def _adopt(self, file: PrefixFile, number: int, name: str, keys: CacheKeys) -> None:
        """Pins one of a file's prefixes, and writes it before anybody can find it."""
        manager, token_ids = self._scheduler.manager, file.token_ids[number]
        with self._books:
            tables = manager.adopt(name, token_ids)
        if tables is None or not self._scheduler.max_tokens:
            raise RequestError(
                f"load_prefix: {file.path!r} has {sum(map(len, file.token_ids))} tokens, which the pool of "
                f"{manager.pool.num_usable} blocks of {manager.block_size} cannot hold beside a request"
            )
        file.write(number, tables)
        with self._books:
            manager.reveal(name, token_ids, keys)

    def _forget(self, name: str) -> None:
        """Takes back a pin that was not made to the end, and what could be found of it."""
        with self._books:
            self._scheduler.manager.unpin(name, forget=True)

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
        assert self._computing is None
        for name, pin in self._pins.items():
            blocks = len(pin.token_ids) // manager.block_size
            for group, table in zip(manager.groups, manager.pinned_block_ids(name), strict=True):
                # Block 0 only where no later query reads.
                assert len(table) == blocks and all(table[group.spec.num_skipped_blocks(len(pin.token_ids)) :]), name


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
    # Beside it first: whoever reads the path finds the old file or the new one, never a part.
    unfinished = f"{path}.{os.getpid()}.part"
    try:
        save_file(tensors, unfinished, metadata)
        os.replace(unfinished, path)
    except (OSError, SafetensorError) as error:
        raise ConfigError(f"save_prefix: {str(path)!r} could not be written: {error}") from error
    finally:
        with suppress(OSError):
            os.unlink(unfinished)


class PrefixFile:
    """A file that `write_file` wrote, checked to the last tensor against the model that is to use it.

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
            raise self._refusal(f"has the format {metadata.get('format')!r:.80}, expected {_FORMAT!r}")
        own, found = fingerprint(runner), metadata.get("fingerprint", "none")
        if found != own:
            raise ModelError(
                f"load_prefix: {self.path!r} was saved by another model or with another cache: its fingerprint is "
                f"{found[:12]}..., this model's is {own[:12]}...; compute the prefix again"
            )
        self.token_ids = [self._tokens(number) for number in range(self._count(metadata.get("count")))]
        self._check()

    def _refusal(self, what: str) -> ConfigError:
        return ConfigError(f"load_prefix: {self.path!r} {what}; save the prefix again")

    def _count(self, text: str | None) -> int:
        """Prefixes in the file: no more than it has tensors."""
        if text is None or not text.isascii() or not text.isdigit() or not 0 < int(text) <= len(self._tensors):
            raise self._refusal(f"says that it has {text!r:.40} prefixes, and has {len(self._tensors)} tensors")
        return int(text)

    def _tokens(self, number: int) -> list[int]:
        """A prefix's tokens: whole blocks of the model's vocabulary."""
        name, size = f"{number}.token_ids", self._runner.kv_cache.block_size
        tokens = self._tensors.get(name)
        if tokens is None:
            raise self._refusal(f"has no tensor {name!r}")
        if tokens.dtype != torch.int64 or tokens.dim() != 1 or not len(tokens) or len(tokens) % size:
            raise self._refusal(
                f"has {name!r} of shape {tuple(tokens.shape)} and dtype {tokens.dtype}, expected int64 of one "
                f"dimension, whole blocks of {size}"
            )
        vocabulary = self._runner.model.vocab_size
        if int(tokens.min()) < 0 or int(tokens.max()) >= vocabulary:
            worst = int(tokens.min() if int(tokens.min()) < 0 else tokens.max())
            raise self._refusal(f"has token {worst} in {name!r}, expected 0 to {vocabulary - 1}")
        result: list[int] = tokens.tolist()
        return result

    def _check(self) -> None:
        """That every tensor of every layer is there, of its shape and dtype, and none besides."""
        names = {f"{number}.token_ids" for number in range(len(self.token_ids))}
        for number, token_ids in enumerate(self.token_ids):
            for group in self._runner.groups:
                skipped = group.spec.num_skipped_blocks(len(token_ids))
                count = len(token_ids) // group.spec.block_size - skipped
                for name, tensor in _layers(self._runner.kv_cache, group):
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
