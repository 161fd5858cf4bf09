"""An executor in another process: steps and results are pickled. For tests only.

The other side has a `LocalExecutor` over a `FakeModel` that is created there, from its class and arguments.
"""

from __future__ import annotations

import atexit
import functools
import itertools
import multiprocessing
import pickle
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, cast

from tests.fakes import EOS, FakeModel
from torchpaged import EngineConfig, LLMEngine
from torchpaged.execution.cache_sizing import Slots
from torchpaged.execution.executor import LocalExecutor
from torchpaged.execution.logit_bias import Mask
from torchpaged.kv_cache import KVCacheGroup, PoolKind, SavedPrefix, TierCopy
from torchpaged.models.model import PagedModel
from torchpaged.scheduling import Results, Step
from torchpaged.weights.lora_adapter import LoraAdapter


class Worker:
    """Process that keeps executors by number, and runs the calls that it receives."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self.num_bytes = 0  # sent so far
        atexit.register(self.stop)

    def call(self, *message: Any) -> Any:
        """Return the answer to a message, or raise the error of the other process."""
        packed = pickle.dumps(message)
        self.num_bytes += len(packed)
        self._pipe.send_bytes(packed)
        answer, error = pickle.loads(self._pipe.recv_bytes())
        if error is not None:
            raise error
        return answer

    def stop(self) -> None:
        """End the process."""
        self._pipe.close()
        self._process.join(10)


class RemoteExecutor:
    """An `Executor` that works through a pipe.

    Args:
        worker: where it is.
        model: a `FakeModel`; its arguments are sent.
        config: resolved.
    """

    _numbers = itertools.count()
    in_process = False
    tier = None

    def __init__(self, worker: Worker, model: FakeModel, config: EngineConfig) -> None:
        self._worker, self._number = worker, next(self._numbers)
        worker.call("make", self._number, (type(model), model.script, model.nan_at, model.fails_at), config)
        self.groups: Sequence[KVCacheGroup] = self._get("groups")
        self.num_blocks: int = self._get("num_blocks")
        self.num_swap_blocks: int = self._get("num_swap_blocks")
        self.slots: Slots = self._get("slots")
        self.block_bytes: Mapping[PoolKind, int] = self._get("block_bytes")
        self.discards: bool = self._get("discards")
        self.adapter_modules: Mapping[str, tuple[int, int]] = self._get("adapter_modules")

    @property
    def copied(self) -> int:
        """Implement `Executor.copied`."""
        return cast(int, self._get("copied"))

    @property
    def settled(self) -> bool:
        """Implement `Executor.settled`."""
        return cast(bool, self._get("settled"))

    def require_alive(self) -> None:
        """Implement `Executor.require_alive`: a call fails if the process has ended."""

    def launch(self, step: Step) -> None:
        """Implement `Executor.launch`."""
        self._call("launch", step)

    def copy_down(self, copies: Sequence[TierCopy]) -> None:
        """Implement `Executor.copy_down`."""
        assert not copies

    def sample(self, number: int, masks: Mapping[int, Mask]) -> None:
        """Implement `Executor.sample`."""
        self._call("sample", number, masks)

    def result(self, number: int) -> Results:
        """Implement `Executor.result`."""
        return cast(Results, self._call("result", number))

    def drop(self, number: int) -> None:
        """Implement `Executor.drop`."""
        self._call("drop", number)

    def reset(self) -> None:
        """Implement `Executor.reset`."""
        self._call("reset")

    def renew(self) -> None:
        """Implement `Executor.renew`."""
        self._call("renew")

    def discard(self, kind: PoolKind, runs: Sequence[tuple[int, int]]) -> None:
        """Implement `Executor.discard`."""
        self._call("discard", kind, runs)

    def sleep(self) -> None:
        """Implement `Executor.sleep`."""
        self._call("sleep")

    def wake_up(self) -> None:
        """Implement `Executor.wake_up`."""
        self._call("wake_up")

    def step_seconds(self, sizes: Sequence[int]) -> list[float]:
        """Implement `Executor.step_seconds`."""
        return cast("list[float]", self._call("step_seconds", sizes))

    def draft_seconds(self, sizes: Sequence[int]) -> list[tuple[float, float]]:
        """Implement `Executor.draft_seconds`."""
        return cast("list[tuple[float, float]]", self._call("draft_seconds", sizes))

    def add_adapter(self, adapter: LoraAdapter) -> bool:
        """Implement `Executor.add_adapter`."""
        return cast(bool, self._call("add_adapter", adapter))

    def remove_adapter(self, content: str) -> bool:
        """Implement `Executor.remove_adapter`."""
        return cast(bool, self._call("remove_adapter", content))

    def has_adapter(self, content: str) -> bool:
        """Implement `Executor.has_adapter`."""
        return cast(bool, self._call("has_adapter", content))

    def hold_adapter(self, content: str) -> None:
        """Implement `Executor.hold_adapter`."""
        self._call("hold_adapter", content)

    def unhold_adapter(self, content: str) -> None:
        """Implement `Executor.unhold_adapter`."""
        self._call("unhold_adapter", content)

    def check(self) -> None:
        """Implement `Executor.check`."""
        self._call("check")

    def write_prefixes(self, path: str | Path, prefixes: Sequence[SavedPrefix]) -> None:
        """Implement `Executor.write_prefixes`."""
        self._call("write_prefixes", path, prefixes)

    def read_prefixes(self, path: str | Path) -> RemotePrefixes:
        """Implement `Executor.read_prefixes`."""
        return RemotePrefixes(self._worker, *self._worker.call("read", self._number, path))

    def _call(self, name: str, *arguments: Any) -> Any:
        return self._worker.call("call", self._number, name, arguments)

    def _get(self, name: str) -> Any:
        return self._worker.call("get", self._number, name)


class RemotePrefixes:
    """A `PrefixSource` whose file stays open in the other process."""

    def __init__(
        self, worker: Worker, place: int, token_ids: Sequence[Sequence[int]], adapters: Sequence[str | None]
    ) -> None:
        self._worker, self._place, self.token_ids, self.adapters = worker, place, token_ids, adapters

    def write(self, number: int, tables: Sequence[Sequence[int]]) -> None:
        """Implement `PrefixSource.write`."""
        self._worker.call("write", self._place, number, tables)


@functools.cache
def worker() -> Worker:
    """Return the one worker of this process's tests."""
    return Worker()


def far_executor(model: PagedModel, config: EngineConfig) -> RemoteExecutor:
    """Return an `executor` for `LLMEngine` in another process."""
    return RemoteExecutor(worker(), cast(FakeModel, model), config)


def far_engine(model: FakeModel | None = None, *, tokenizer: Any = None, **settings: Any) -> LLMEngine:
    """Return an engine like `tests.fakes.engine`, computed in another process."""
    config = EngineConfig(**{"num_blocks": 101, "block_size": 4, **settings})
    return LLMEngine(model or FakeModel(), config, tokenizer=tokenizer, eos_token_ids=[EOS], executor=far_executor)


def _serve(pipe: Connection) -> None:
    """Answer messages until the pipe is closed."""
    executors: dict[int, LocalExecutor] = {}
    files: list[Any] = []

    def answer(what: str, number: int, *rest: Any) -> Any:
        if what == "make":
            (kind, *given), config = rest
            executors[number] = LocalExecutor(kind(*given), config)
            return None
        if what == "get":
            return getattr(executors[number], rest[0])
        if what == "call":
            name, arguments = rest
            return getattr(executors[number], name)(*arguments)
        if what == "read":
            files.append(executors[number].read_prefixes(rest[0]))
            return len(files) - 1, files[-1].token_ids, files[-1].adapters
        return files[number].write(*rest)

    while True:
        try:
            message = pickle.loads(pipe.recv_bytes())
        except EOFError:
            return
        try:
            packed = pickle.dumps((answer(*message), None))
        except Exception as error:
            packed = pickle.dumps((None, error))
        pipe.send_bytes(packed)
