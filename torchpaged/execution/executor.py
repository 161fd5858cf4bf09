"""Executor: the seam between who schedules and who computes. Values cross it, so what is behind it may be anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from torchpaged.config import EngineConfig
from torchpaged.execution.cache_sizing import Slots
from torchpaged.execution.logit_bias import Mask
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.execution.pending_step import LaunchedStep
from torchpaged.execution.phases import COPY, span
from torchpaged.execution.prefix_file import PrefixFile, write_file
from torchpaged.execution.state_pool import StatePool
from torchpaged.kv_cache import KVCacheGroup
from torchpaged.models.model import PagedModel
from torchpaged.scheduling import Results, Step


class PrefixSource(Protocol):
    """Saved prefixes that were found to be whole, and this model's.

    Attributes:
        token_ids: of each.
    """

    @property
    def token_ids(self) -> Sequence[Sequence[int]]: ...

    def write(self, number: int, tables: Sequence[Sequence[int]]) -> None:
        """Puts one's keys and values into the blocks of the tables, one a group; block 0 is skipped."""
        ...


class Executor(Protocol):
    """Computes steps in the order in which they are launched.

    A step that raises in `launch` has no results, and is as if it had not been, but for copies (`copied`) and keys and
    values that nobody finds: it may be scheduled again. What raises in `result` has left the pool in an unknown state.

    Attributes:
        groups: whose block tables steps bring.
        num_blocks: of the pool, the null block included: what the smallest of all devices has room for.
        num_swap_blocks: of the host's pool.
        slots: of recurrent layers' states and tails.
        copied: the number of the last step whose copies were made.
        settled: whether what is kept of sequences can be relied on, after whatever interrupted the last call.
        in_process: whether it computes in this process, where functions can be called that no value says.
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
    def copied(self) -> int: ...
    @property
    def settled(self) -> bool: ...

    def launch(self, step: Step) -> None:
        """Makes a step's copies and starts to compute it; tokens of a step under way are known here."""
        ...

    def choose(self, number: int, masks: Mapping[int, Mask | str]) -> None:
        """Chooses the tokens of a step with masked sequences, before the next is launched.

        Args:
            masks: by sequence, which tokens may be chosen, [num_words], or behind the last one and behind each of its
                drafts, [1 + drafts, num_words]; or why none may, and its tokens fail.
        """
        ...

    def result(self, number: int) -> Results:
        """Waits for a step that was launched."""
        ...

    def drop(self, number: int) -> None:
        """Nobody will ask for a step's results, if it was launched at all."""
        ...

    def reset(self) -> None:
        """Forgets all sequences and steps under way; these are waited for."""
        ...

    def renew(self) -> None:
        """The model's weights are others: what was compiled, captured or measured of them is made anew."""
        ...

    def step_seconds(self, sizes: Sequence[int]) -> list[float]:
        """What steps of so many rows take: how many tokens are worth guessing follows from it, and no token."""
        ...

    def draft_seconds(self, sizes: Sequence[int]) -> list[tuple[float, float]]:
        """Of so many sequences: what a draft model's first token takes beside a step, and what each more does."""
        ...

    def write_prefixes(
        self, path: str | Path, prefixes: Sequence[tuple[Sequence[int], Sequence[Sequence[int]]]]
    ) -> None:
        """Writes (tokens, block ids of each group) each to a file."""
        ...

    def read_prefixes(self, path: str | Path) -> PrefixSource:
        """Reads such a file and checks all of it."""
        ...

    def check(self) -> None:
        """Asserts the invariants."""
        ...


class LocalExecutor:
    """One device, in this process.

    Args:
        model: what to run.
        config: as `EngineConfig.resolve` gives it.

    Attributes:
        runner: does the work.
    """

    in_process = True

    def __init__(self, model: PagedModel, config: EngineConfig) -> None:
        self.runner = ModelRunner(model, config)
        self.groups = self.runner.groups
        self.num_blocks = self.runner.kv_cache.num_blocks
        self.num_swap_blocks = self.runner.kv_cache.num_swap_blocks
        self.slots = self.runner.slots
        self.copied = 0
        self._under_way: dict[int, LaunchedStep] = {}
        self._told: set[int] = set()  # steps of these whose results were asked for

    @property
    def settled(self) -> bool:
        """`Executor.settled`."""
        return self.runner.rows.transaction.settled

    def launch(self, step: Step) -> None:
        """`Executor.launch`."""
        for number in [each for each in self._told if each < step.number - 1]:
            self.drop(number)
        if step.copies:
            with span(COPY, self.runner.device):
                self.runner.copy(step.copies)
        self.copied = step.number
        self._under_way[step.number] = self.runner.launch(step)

    def choose(self, number: int, masks: Mapping[int, Mask | str]) -> None:
        """`Executor.choose`."""
        self.runner.choose(self._under_way[number], masks)

    def result(self, number: int) -> Results:
        """`Executor.result`. What it says is kept until a later step is launched: an interrupt loses nothing."""
        self._told.add(number)
        return self._under_way[number].result()

    def drop(self, number: int) -> None:
        """`Executor.drop`."""
        self._under_way.pop(number, None)
        self._told.discard(number)

    def reset(self) -> None:
        """`Executor.reset`."""
        self._under_way.clear()
        self._told.clear()
        self.runner.reset()

    def renew(self) -> None:
        """`Executor.renew`."""
        self.runner.renew()

    def step_seconds(self, sizes: Sequence[int]) -> list[float]:
        """`Executor.step_seconds`."""
        return self.runner.step_seconds(sizes)

    def draft_seconds(self, sizes: Sequence[int]) -> list[tuple[float, float]]:
        """`Executor.draft_seconds`."""
        return self.runner.draft_seconds(sizes)

    def write_prefixes(
        self, path: str | Path, prefixes: Sequence[tuple[Sequence[int], Sequence[Sequence[int]]]]
    ) -> None:
        """`Executor.write_prefixes`."""
        write_file(path, prefixes, self.runner)

    def read_prefixes(self, path: str | Path) -> PrefixFile:
        """`Executor.read_prefixes`."""
        return PrefixFile(path, self.runner)

    def check(self) -> None:
        """`Executor.check`."""
        self.runner.check()


def local_states(executor: Executor) -> StatePool | None:
    """Recurrent layers' tensors, of an executor in this process; None: the model has no such layer."""
    assert isinstance(executor, LocalExecutor), f"the pool of a {type(executor).__name__} is elsewhere"
    return executor.runner.state_pool


def local_pool(executor: Executor) -> PagedKVCache:
    """The pool's tensors, of an executor in this process."""
    assert isinstance(executor, LocalExecutor), f"the pool of a {type(executor).__name__} is elsewhere"
    return executor.runner.kv_cache
