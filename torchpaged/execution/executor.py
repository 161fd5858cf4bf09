"""Executor: the interface between scheduling and computing. Only values cross it, so an executor may be anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from torchpaged.config import EngineConfig
from torchpaged.execution.adapter_slots import AdapterSlots
from torchpaged.execution.cache_sizing import Slots
from torchpaged.execution.logit_bias import Mask
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.execution.pending_step import PendingStep
from torchpaged.execution.phases import COPY, span
from torchpaged.execution.prefix_file import PrefixFile, write_file
from torchpaged.execution.state_pool import StatePool
from torchpaged.execution.tier_io import PATIENCE, IOCounts, TierIO
from torchpaged.execution.tier_store import checksum_key, open_tier, renew_tier
from torchpaged.kv_cache import KVCacheGroup, PoolKind, SavedPrefix, TierCopy, TierRead, TierReader
from torchpaged.models.model import PagedModel
from torchpaged.scheduling import Results, Step
from torchpaged.utils.huge_pages import can_discard
from torchpaged.utils.system_memory import available_memory
from torchpaged.weights.lora_adapter import LoraAdapter


class PrefixSource(Protocol):
    """Saved prefixes, checked to be complete and to belong to this model.

    Attributes:
        token_ids: of each prefix.
        adapters: content of the adapter that each was computed with; None: the model alone.
    """

    @property
    def token_ids(self) -> Sequence[Sequence[int]]: ...

    @property
    def adapters(self) -> Sequence[str | None]: ...

    def write(self, number: int, tables: Sequence[Sequence[int]]) -> None:
        """Copy a prefix's keys and values into the blocks of the tables, one table per group; block 0 is skipped."""
        ...


class Tier(TierReader, Protocol):
    """Moves blocks between the pools and the store below them. No call raises, whatever the store does.

    Attributes:
        counts: numbers of blocks and bytes.
    """

    @property
    def counts(self) -> IOCounts: ...

    def read(self, read: TierRead) -> None:
        """Begin to read blocks into slots that nothing launched from now on touches."""
        ...

    def write_all(self, copies: Sequence[TierCopy]) -> None:
        """Copy blocks out, however many, as fast as the store takes them."""
        ...

    def flush(self, timeout: float = PATIENCE) -> bool:
        """Wait until the store has everything; return False if it has not after so many seconds."""
        ...

    def close(self) -> None:
        """Write what was copied, and close the store; a second call does nothing."""
        ...

    def store_stats(self) -> Mapping[str, float]:
        """Return the store's own numbers."""
        ...


class Executor(Protocol):
    """Computes steps in the order in which they are launched.

    A step whose `launch` raises has no results and may be scheduled again: it has had no effect except its copies (see
    `copied`) and keys and values that no table leads to. If `result` raises, the state of the pool is unknown.

    Attributes:
        in_process: True if it computes in this process, so that requests may bring Python functions.
        groups: kinds of layers with one block table per sequence each.
        num_blocks: size of the pool, the null block included: the minimum over all devices.
        num_swap_blocks: size of the host pool.
        slots: numbers of state and tail slots of recurrent layers.
        block_bytes: bytes of a block, a state slot and a tail slot in all layers; 0 for what there is none of.
        discards: True if the pools take memory when they are written, and `discard` gives it back.
        copied: number of the last step whose copies were made.
        settled: False if an interrupt has left the state of sequences inconsistent, until `reset`.
        adapter_modules: (out_features, in_features) of each linear module that adapters may have, by name; empty if
            adapters are off, or the model has no such module.
        tier: moves blocks between the pools and the store below them; None without a store.

    The methods of adapters are thread-safe. Adapters are known by content.
    """

    @property
    def in_process(self) -> bool: ...
    @property
    def groups(self) -> Sequence[KVCacheGroup]: ...
    @property
    def num_blocks(self) -> int: ...
    @property
    def num_swap_blocks(self) -> int: ...
    @property
    def slots(self) -> Slots: ...
    @property
    def block_bytes(self) -> Mapping[PoolKind, int]: ...
    @property
    def discards(self) -> bool: ...
    @property
    def copied(self) -> int: ...
    @property
    def settled(self) -> bool: ...
    @property
    def adapter_modules(self) -> Mapping[str, tuple[int, int]]: ...
    @property
    def tier(self) -> Tier | None: ...

    def launch(self, step: Step) -> None:
        """Make a step's copies and start computing it; it may depend on tokens of a step in flight."""
        ...

    def copy_down(self, copies: Sequence[TierCopy]) -> None:
        """Copy blocks out for the store below the pools, before anything else is launched."""
        ...

    def sample(self, number: int, masks: Mapping[int, Mask | str]) -> None:
        """Sample the tokens of a step with masked sequences, before the next step is launched.

        Args:
            number: of the step.
            masks: by sequence, the allowed tokens: [num_words], or after the last token and after each of its drafts,
                [1 + num_drafts, num_words]; or why there are none, with which its draws fail.
        """
        ...

    def result(self, number: int) -> Results:
        """Wait for a launched step and return its results."""
        ...

    def drop(self, number: int) -> None:
        """Discard a step's results. The step may not have been launched."""
        ...

    def reset(self) -> None:
        """Forget all sequences and steps in flight, after waiting for these."""
        ...

    def renew(self) -> None:
        """Compile, capture and measure again what depends on the model's weights, after these have changed."""
        ...

    def discard(self, kind: PoolKind, runs: Sequence[tuple[int, int]]) -> None:
        """Give back the memory of blocks [first, last) that no table names; they hold zeros from then on."""
        ...

    def sleep(self) -> None:
        """Give back the memory of the pools, in which nothing is needed any more, and of graphs."""
        ...

    def wake_up(self) -> None:
        """Undo `sleep`: the pools hold zeros. Before the next step comes a `renew`."""
        ...

    def step_seconds(self, sizes: Sequence[int]) -> list[float]:
        """Measure steps of so many rows. Only the number of drafts depends on it, no token does."""
        ...

    def draft_seconds(self, sizes: Sequence[int]) -> list[tuple[float, float]]:
        """Measure a draft model's first draft beside a step, and each further one, for so many sequences."""
        ...

    def write_prefixes(self, path: str | Path, prefixes: Sequence[SavedPrefix]) -> None:
        """Write prefixes to a file."""
        ...

    def read_prefixes(self, path: str | Path) -> PrefixSource:
        """Read a file that `write_prefixes` wrote, and check all of it."""
        ...

    def add_adapter(self, adapter: LoraAdapter) -> bool:
        """Put an adapter into host memory, where the least recently used one that is free may have to leave.

        Returns:
            False if all adapters there are held, or in use by steps.

        Raises:
            ModelError: it does not fit the model.
        """
        ...

    def remove_adapter(self, content: str) -> bool:
        """Remove an adapter from host memory. Returns False if it is held, in use by a step, or not there."""
        ...

    def has_adapter(self, content: str) -> bool:
        """Tell if an adapter is in host memory."""
        ...

    def hold_adapter(self, content: str) -> None:
        """Keep an adapter in host memory until `unhold_adapter`; it may be added later."""
        ...

    def unhold_adapter(self, content: str) -> None:
        """Undo `hold_adapter`, however often that was called."""
        ...

    def check(self) -> None:
        """Assert the invariants."""
        ...

    def require_alive(self) -> None:
        """Raise EngineError if another process that steps need has ended."""
        ...


class LocalExecutor:
    """Executor on one device, in this process.

    Args:
        model: what to run.
        config: as returned by `EngineConfig.resolve`.

    Attributes:
        runner: computes the steps.
    """

    in_process = True

    def __init__(self, model: PagedModel, config: EngineConfig) -> None:
        self.runner, self._config = self._runner(model, config), config
        self.groups = self.runner.groups
        self.num_blocks = self.runner.kv_cache.num_blocks
        self.num_swap_blocks = self.runner.kv_cache.num_swap_blocks
        self.slots = self.runner.slots
        self.block_bytes: Mapping[PoolKind, int] = self.runner.block_bytes
        # Elsewhere all memory is taken when the pools are made.
        self.discards = self.runner.device.type == "cpu" and can_discard() and available_memory() is not None
        self.copied = 0
        self._tier = self._open_tier()
        self._in_flight: dict[int, PendingStep] = {}
        self._reported: set[int] = set()  # steps in flight whose results were returned

    def _runner(self, model: PagedModel, config: EngineConfig) -> ModelRunner:
        return ModelRunner(model, config)

    def _open_tier(self) -> TierIO | None:
        return open_tier(self.runner, self._config)

    def _renew_tier(self, tier: TierIO) -> None:
        renew_tier(tier, self.runner, self._config)

    @property
    def tier(self) -> Tier | None:
        """`Executor.tier`."""
        return self._tier

    @property
    def settled(self) -> bool:
        """`Executor.settled`."""
        return self.runner.rows.transaction.settled

    def launch(self, step: Step) -> None:
        """`Executor.launch`."""
        for number in [each for each in self._reported if each < step.number - 1]:
            self.drop(number)
        if self._tier is not None:
            if step.evicted:
                self._tier.copy_down(step.evicted, step.number)
            for read in step.tier_reads:
                self._tier.read(read)
        if step.copies:
            with span(COPY, self.runner.device):
                self.runner.copy(step.copies)
        self.copied = step.number
        self._in_flight[step.number] = self.runner.launch(step)

    def sample(self, number: int, masks: Mapping[int, Mask | str]) -> None:
        """`Executor.sample`."""
        self.runner.sample(self._in_flight[number], masks)

    def result(self, number: int) -> Results:
        """`Executor.result`. Results are kept until a later step is launched, so that an interrupt loses nothing."""
        self._reported.add(number)
        results = self._in_flight[number].result()
        if self._tier is not None:
            self._tier.confirm(number)
        return results

    def copy_down(self, copies: Sequence[TierCopy]) -> None:
        """`Executor.copy_down`."""
        if copies and self._tier is not None:
            unreported = [number for number in self._in_flight if number not in self._reported]
            self._tier.copy_down(copies, max(unreported, default=None))

    def drop(self, number: int) -> None:
        """`Executor.drop`."""
        self._in_flight.pop(number, None)
        self._reported.discard(number)
        if self._tier is not None:
            self._tier.discard(number)

    def reset(self) -> None:
        """`Executor.reset`."""
        self._in_flight.clear()
        self._reported.clear()
        if self._tier is not None:
            self._tier.discard(None)
        self.runner.reset()

    def renew(self) -> None:
        """`Executor.renew`."""
        self.runner.renew()
        if self._tier is not None:
            self._renew_tier(self._tier)

    def discard(self, kind: PoolKind, runs: Sequence[tuple[int, int]]) -> None:
        """`Executor.discard`."""
        self.runner.discard(kind, runs)

    def sleep(self) -> None:
        """`Executor.sleep`."""
        self.runner.sleep(discard=self.discards)

    def wake_up(self) -> None:
        """`Executor.wake_up`."""
        self.runner.wake_up()

    def step_seconds(self, sizes: Sequence[int]) -> list[float]:
        """`Executor.step_seconds`."""
        return self.runner.step_seconds(sizes)

    def draft_seconds(self, sizes: Sequence[int]) -> list[tuple[float, float]]:
        """`Executor.draft_seconds`."""
        return self.runner.draft_seconds(sizes)

    def write_prefixes(self, path: str | Path, prefixes: Sequence[SavedPrefix]) -> None:
        """`Executor.write_prefixes`."""
        write_file(path, prefixes, self.runner, checksum_key(self._config))

    def read_prefixes(self, path: str | Path) -> PrefixFile:
        """`Executor.read_prefixes`."""
        return PrefixFile(path, self.runner, checksum_key(self._config))

    @property
    def adapter_modules(self) -> Mapping[str, tuple[int, int]]:
        """`Executor.adapter_modules`."""
        return {} if self.runner.adapters is None else self.runner.adapters.modules

    @property
    def _adapters(self) -> AdapterSlots:
        assert self.runner.adapters is not None, "adapters are off"
        return self.runner.adapters

    def add_adapter(self, adapter: LoraAdapter) -> bool:
        """`Executor.add_adapter`."""
        return self._adapters.add(adapter)

    def remove_adapter(self, content: str) -> bool:
        """`Executor.remove_adapter`."""
        return self._adapters.unload(content)

    def has_adapter(self, content: str) -> bool:
        """`Executor.has_adapter`."""
        return self._adapters.has(content)

    def hold_adapter(self, content: str) -> None:
        """`Executor.hold_adapter`."""
        self._adapters.hold(content)

    def unhold_adapter(self, content: str) -> None:
        """`Executor.unhold_adapter`."""
        self._adapters.unhold(content)

    def require_alive(self) -> None:
        """`Executor.require_alive`: there is no other process."""

    def check(self) -> None:
        """`Executor.check`."""
        self.runner.check()
        if self._tier is not None:
            self._tier.check()
        if self.runner.adapters is not None:
            self.runner.adapters.check()


def local_states(executor: Executor) -> StatePool | None:
    """Return the pool of recurrent layers of an executor in this process; None if there is no such layer."""
    assert isinstance(executor, LocalExecutor), f"the pool of a {type(executor).__name__} is elsewhere"
    return executor.runner.state_pool


def local_pool(executor: Executor) -> PagedKVCache:
    """Return the pool of blocks of an executor in this process."""
    assert isinstance(executor, LocalExecutor), f"the pool of a {type(executor).__name__} is elsewhere"
    return executor.runner.kv_cache
