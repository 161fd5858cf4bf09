"""Prefixes that stay in the cache: pinned, saved to a file, or loaded by another process with the same model."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection
from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Protocol

from torchpaged.errors import ConfigError, EngineError, ModelError, RequestError
from torchpaged.kv_cache import NO_KEYS, CacheKeys, SavedPrefix, TierCopy
from torchpaged.outputs import RequestOutput
from torchpaged.requests.group import Group, Request
from torchpaged.scheduling import Results, RowParams, Scheduler, Scores, Sequence, StopRule
from torchpaged.utils.transaction import Transaction

logger = logging.getLogger(__name__)


class PrefixSource(Protocol):
    """A file of prefixes that was checked."""

    @property
    def token_ids(self) -> Seq[Seq[int]]: ...

    @property
    def adapters(self) -> Seq[str | None]: ...

    def write(self, number: int, tables: Seq[Seq[int]]) -> None: ...


class PrefixFiles(Protocol):
    """The owner of the keys and values, which reads and writes files of prefixes."""

    def write_prefixes(self, path: str | Path, prefixes: Seq[SavedPrefix]) -> None: ...

    def read_prefixes(self, path: str | Path) -> PrefixSource: ...

    def copy_down(self, copies: Seq[TierCopy]) -> None: ...


class PrefixGroup:
    """One prefix that is computed to be pinned: a held sequence. It samples a token, to see if its logits are numbers.

    Args:
        request: has the prefix's tokens.
        name: of the pin.
        keep: called when it is pinned.
    """

    def __init__(self, request: Request, name: str, keep: Callable[[PrefixGroup], None]) -> None:
        self.request, self.name, self._keep = request, name, keep
        self.finished = False
        self.error: str | None = None
        self._sequence: Sequence | None = None

    @property
    def shows_deltas(self) -> bool:
        """`Group.shows_deltas`."""
        return False

    def start(self, scheduler: Scheduler) -> None:
        """Add the prefix as a held sequence."""
        request = self.request
        stop_rule = StopRule(len(request.token_ids) + 1)
        self._sequence = scheduler.add(request.token_ids, RowParams(), stop_rule, **request.sequence_fields, held=True)

    def score(self, sequence: Sequence, scores: Scores) -> None:
        """Do nothing: no scores are wanted."""

    def decide(self, sequence: Sequence, results: Results, scheduler: Scheduler) -> None:
        """Pin the full blocks, unless the step reported an error."""
        self.error = results.errors.get(sequence.id)
        if self.error is None:
            scheduler.manager.pin(self.name, sequence)
            self._keep(self)
        scheduler.finish(sequence, "abort" if self.error is None else "error", self.error)
        self.finished = True

    def move(self, sequence: Sequence, tokens: Seq[int], results: Results, scheduler: Scheduler) -> None:
        """Raise: it is never called, because its sequence is held."""
        raise AssertionError(f"{sequence} is not held")

    def end(self, scheduler: Scheduler, why: str, error: str | None = None) -> None:
        """End without a pin."""
        if self.finished:
            return
        if self._sequence is not None:
            scheduler.finish(self._sequence, why, error)
        self.error = self.error or error or why
        self.finished = True

    def output(self) -> RequestOutput | None:
        """Return None: a pin has no output."""
        return None


@dataclass(frozen=True, slots=True)
class _Pin:
    """A pinned prefix."""

    token_ids: list[int]
    keys: CacheKeys


@dataclass(frozen=True, slots=True)
class PinnedPrefix:
    """A pin, described for users.

    Args:
        num_tokens: tokens in its whole blocks.
        num_blocks: blocks in all of its tables.
        num_own_blocks: number of them that no other pin holds, which unpinning would release.
    """

    name: str
    num_tokens: int
    num_blocks: int
    num_own_blocks: int


@dataclass(frozen=True, slots=True)
class Prefetched:
    """A prompt whose blocks were asked for.

    Args:
        num_tokens: tokens of the prompt.
        num_cached_tokens: number of them that the pool has now.
        is_pending: True if more are being read.
    """

    num_tokens: int
    num_cached_tokens: int
    is_pending: bool


class PrefixStore:
    """Pins: prefixes whose full blocks are held by name and never evicted.

    Invariants: each pin's tokens are whole blocks, which the manager holds under the same name.

    Args:
        scheduler: has the cache; it is idle whenever a method is called.
        files: owner of the tensors.
        run: starts a group and runs it to its end.
        transaction: entered while tables change.
    """

    def __init__(
        self, scheduler: Scheduler, files: PrefixFiles, run: Callable[[Group], None], transaction: Transaction
    ) -> None:
        self._scheduler, self._files, self._run, self._transaction = scheduler, files, run, transaction
        self._pins: dict[str, _Pin] = {}
        self._count = 0

    @property
    def names(self) -> Collection[str]:
        """Names of all pins."""
        return self._pins.keys()

    @property
    def adapters(self) -> Collection[str]:
        """Contents of the adapters that pins were computed with."""
        return {pin.keys.lora for pin in self._pins.values() if pin.keys.lora is not None}

    def described(self) -> list[PinnedPrefix]:
        """Return a description of each pin."""
        manager = self._scheduler.manager
        held = {name: {*chain(*manager.pinned_block_ids(name))} - {0} for name in self._pins}
        times = Counter(chain(*held.values()))
        return [
            PinnedPrefix(name, len(pin.token_ids), len(held[name]), sum(times[block] == 1 for block in held[name]))
            for name, pin in self._pins.items()
        ]

    def resync(self) -> None:
        """Keep only the pins that the manager has kept; a pin that was being made or released is dropped."""
        kept = self._scheduler.manager.pins
        self._pins = {name: pin for name, pin in self._pins.items() if name in kept}

    def renew(self) -> None:
        """Compute all pins again under their names, for changed weights. A pin that fails is dropped with a warning."""
        for name, pin in list(self._pins.items()):
            with self._transaction:
                del self._pins[name]
                self._scheduler.manager.unpin(name, forget=True)
            try:
                self._compute(name, pin.token_ids, pin.keys)
            except Exception as error:  # the model's forward may raise anything
                logger.warning("the prefix %r is not pinned any more: %s", name, error)

    def pin(self, token_ids: Seq[int], keys: CacheKeys = NO_KEYS) -> str:
        """Compute a prefix, unless it is cached, and hold its full blocks until `unpin`.

        Returns:
            The pin's name.

        Raises:
            RequestError: it is shorter than a block, leaves no block to run with, or has logits that are not numbers.
            EngineError: requests are unfinished.
            ConfigError: prefix caching is off.
        """
        self._require_idle()
        scheduler, size = self._scheduler, self._scheduler.manager.prefix_size
        if len(token_ids) < size:
            kept = f"block_size is {size}: whole blocks are kept"
            if scheduler.manager.has_states:
                kept = f"states are kept at multiples of {size}: a prefix must reach the first"
            raise RequestError(f"the prefix has {len(token_ids)} tokens, {kept}")
        name = self._name()
        self._compute(name, token_ids, keys)
        if not scheduler.max_tokens:
            self.unpin(name)
            raise RequestError(
                f"the prefix has {len(token_ids)} tokens and would leave no block of the pool's "
                f"{scheduler.manager.pool.num_usable} to run with; raise num_blocks"
            )
        return name

    def _compute(self, name: str, token_ids: Seq[int], keys: CacheKeys) -> None:
        """Run a prefix, unless it is cached, and hold its full blocks under a name.

        Only whole blocks are run: with a further token a sliding window would move on and release blocks that are read
        from the prefix's end.
        """
        size = self._scheduler.manager.prefix_size
        self._scheduler.require_room("prefix", token_ids)
        whole = list(token_ids[: len(token_ids) // size * size])
        self._count += 1
        # Negative numbers are never those of users' requests.
        group = PrefixGroup(Request(-self._count, name, None, whole, keys=keys), name, self._keep)
        try:
            self._run(group)
        except BaseException:  # also from a step after the one that computed it
            if name in self._pins:
                self.unpin(name)
            raise
        if group.error is not None:
            raise RequestError(f"the prefix cannot be pinned: {group.error}")

    def _keep(self, group: PrefixGroup) -> None:
        self._pins[group.name] = _Pin(group.request.token_ids, group.request.keys)

    def unpin(self, name: str) -> None:
        """Release a pin; its blocks stay cached until they are evicted.

        Raises:
            RequestError: there is no such pin.
        """
        if not isinstance(name, str) or name not in self._pins:
            raise RequestError(f"unpin_prefix: there is no pin {name!r:.80}; there are {sorted(self._pins)}")
        with self._transaction:
            del self._pins[name]
            self._scheduler.manager.unpin(name)

    def save(self, path: str | Path, names: Seq[str] | None = None) -> int:
        """Write pins (None: all) to a file; return the number of their tokens.

        Raises:
            RequestError: there are none.
            ConfigError: the file cannot be written.
        """
        names = list(self._pins) if names is None else names
        if not names:
            raise RequestError("save_prefix: no prompt is given and no prefix is pinned")
        manager = self._scheduler.manager
        pins = [self._pins[name] for name in names]
        self._files.write_prefixes(
            path,
            [
                SavedPrefix(pin.token_ids, manager.pinned_block_ids(name), pin.keys.lora)
                for name, pin in zip(names, pins, strict=True)
            ],
        )
        return sum(len(pin.token_ids) for pin in pins)

    def load(self, path: str | Path, keys: CacheKeys = NO_KEYS) -> list[str]:
        """Load the prefixes of a file into the cache and pin them; return the pins' names.

        The whole file is checked before any block is allocated, and a block can be found only when it is written.

        Args:
            keys: the salt that can find them, and the adapter that they must have been computed with; without one,
                each prefix is found by requests with the adapter that it has in the file.

        Raises:
            ModelError: the file is another model's, or has a prefix of another adapter.
            ConfigError: no such file, not one that `save` wrote, prefix caching is off, or it has prefixes of adapters,
                and the engine has none.
            RequestError: the pool has no room.
            EngineError: requests are unfinished.
        """
        self._require_idle()
        file = self._files.read_prefixes(path)
        pins = self._pins_of(path, file, keys)
        names: list[str] = []
        try:
            for number, pin in enumerate(pins):
                names.append(self._name())
                self._adopt(path, file, number, names[-1], pin.keys)
        except BaseException:
            for name in names:
                if name in self._scheduler.manager.pins:
                    self._forget(name)
            raise
        with self._transaction:
            self._pins.update(zip(names, pins, strict=True))
        return names

    def _pins_of(self, path: str | Path, file: PrefixSource, keys: CacheKeys) -> list[_Pin]:
        """Return the pins that a file's prefixes become."""
        pins = []
        for token_ids, adapter in zip(file.token_ids, file.adapters, strict=True):
            if keys.lora not in (None, adapter):
                found = "none" if adapter is None else f"{adapter[:12]}..."
                raise ModelError(
                    f"load_prefix: {str(path)!r} has a prefix of another adapter: {found}, expected "
                    f"{keys.lora[:12]}...; give the adapter that it was computed with, or none"
                )
            if adapter is not None and self._scheduler.adapter_turns is None:
                raise ConfigError(
                    f"load_prefix: {str(path)!r} has a prefix of adapter {adapter[:12]}..., and the engine has none; "
                    "set enable_lora=True"
                )
            pins.append(_Pin(list(token_ids), replace(keys, lora=adapter)))
        return pins

    def _adopt(self, path: str | Path, file: PrefixSource, number: int, name: str, keys: CacheKeys) -> None:
        """Pin one of a file's prefixes, and write its blocks before any request can find them."""
        manager, token_ids = self._scheduler.manager, file.token_ids[number]
        with self._transaction:
            tables = manager.adopt(name, token_ids)
        if tables is None or not self._scheduler.max_tokens:
            raise RequestError(
                f"load_prefix: {str(path)!r} has {sum(map(len, file.token_ids))} tokens, which the pool of "
                f"{manager.pool.num_usable} blocks of {manager.block_size} cannot hold beside a request"
            )
        self._files.copy_down(manager.take_evicted())
        file.write(number, tables)
        with self._transaction:
            manager.reveal(name, token_ids, keys)

    def _forget(self, name: str) -> None:
        """Take back an incomplete pin, and unregister its blocks."""
        with self._transaction:
            self._scheduler.manager.unpin(name, forget=True)

    def _name(self) -> str:
        self._count += 1
        return f"pin-{self._count}"

    def _require_idle(self) -> None:
        if not self._scheduler.manager.enable_prefix_caching:
            raise ConfigError("EngineConfig: enable_prefix_caching is False, so no prefix can be kept; switch it on")
        if self._scheduler.has_unfinished:
            count = len({sequence.origin.owner for sequence in self._scheduler.sequences.values()})
            raise EngineError(f"{count} requests are unfinished; pin and load prefixes before or after them")

    def check(self) -> None:
        """Assert the invariants."""
        manager = self._scheduler.manager
        for name, pin in self._pins.items():
            for group, table in zip(manager.groups, manager.pinned_block_ids(name), strict=True):
                # Block 0 only where no later query reads.
                assert len(table) == len(pin.token_ids) // group.spec.block_size, name
                assert all(table[group.spec.num_skipped_blocks(len(pin.token_ids)) :]), name
