"""EngineProcess: starts the process that makes and runs an engine.

This module needs no torch: `torchpaged serve` starts the process first, and imports its own packages while the process
loads the model.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker, util
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeAlias

from torchpaged.errors import ConfigError
from torchpaged.utils import heap, startup

# The longest, in seconds, that one thread waits for another's Python code, in the processes that are a server's own.
# Python's default of 5 ms, several times a step, doubles a step of 40 ms.
SWITCH_INTERVAL = 0.0005
# GNU OpenMP's variable: how often a thread without work looks for some before it sleeps. Its default takes several ms,
# so a step with one parallel operation of torch's occupies a core that others need until the next such step. This takes
# 0.2 ms, longer than from one operation to the next.
_SPIN_COUNT, _SPINS = "GOMP_SPINCOUNT", "10000"
# Settings, or a function that returns them in the engine's process, where torch is imported.
Settings: TypeAlias = "Mapping[str, Any] | Callable[[], Mapping[str, Any]]"


@dataclass(frozen=True, slots=True)
class EngineArguments:
    """Arguments of the engine, which are sent to its process.

    Args:
        model, tokenizer: as of `LLM`; the model is a path or a hub id.
        settings: as of `LLM`, or a function that returns them.
        num_threads: of torch; None: torch's default.
    """

    model: str
    tokenizer: Any
    settings: Settings
    num_threads: int | None = None

    @classmethod
    def of(cls, model: Any, tokenizer: Any, settings: Any, num_threads: int | None = None) -> EngineArguments:
        """Check that the model has a name.

        Raises:
            ConfigError: the model is an instance.
        """
        if not isinstance(model, (str, Path)):
            raise ConfigError(
                "AsyncLLM: engine_process is True, and the model is an instance; give a folder or a hub id"
            )
        return cls(str(model), tokenizer, settings, num_threads)


class EngineProcess:
    """A process that makes an engine and runs it. It imports torch until it gets the engine's arguments.

    It ends with its parent, however that ends.

    Args:
        arguments: of the engine; None: `make` sends them.

    Attributes:
        memory: three numbers that both processes share.
        pipe: carries messages to the engine, and its events.
        process: handle of the process.

    Raises:
        ConfigError: as `make`.
    """

    def __init__(self, arguments: EngineArguments | None = None) -> None:
        context = multiprocessing.get_context("spawn")
        try:
            self.memory: Any = context.RawArray("d", 3)
        except OSError as error:
            raise ConfigError(
                f"AsyncLLM: the engine's process shares memory with this one, and {error.filename} could not be made: "
                f"{error.strerror}; --no-engine-process (engine_process=False) needs no such file"
            ) from None
        self.pipe, theirs = context.Pipe()
        self._arguments = arguments
        self.process = context.Process(target=_run, args=(theirs, self.memory), name="torchpaged-engine", daemon=True)
        with _uninterrupted(), _threads_that_sleep():
            self.process.start()
        # A process still there at this one's exit is asked to end by a SIGTERM, which it ignores, and waited for.
        util.Finalize(None, _kill, args=(self.process,), exitpriority=0)
        theirs.close()
        if arguments is not None:
            self.make(arguments)

    @property
    def arguments(self) -> EngineArguments:
        """The engine's arguments, for another process."""
        assert self._arguments is not None, "`make` is called first"
        return self._arguments

    def make(self, arguments: EngineArguments) -> None:
        """Have the engine made.

        Raises:
            ConfigError: an argument cannot be pickled.
        """
        self._arguments = arguments
        try:
            self.pipe.send(arguments)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            self.kill()
            raise ConfigError(f"AsyncLLM: a setting cannot be sent to the engine's process: {error}") from None
        except OSError:
            pass  # the process has ended, which is noticed when its first message is read

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.join()


def _kill(process: BaseProcess) -> None:
    with suppress(ValueError):  # it is closed
        process.kill()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Block SIGINT in this thread, and so in processes that it starts: Ctrl-C is for the parent, which ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # multiprocessing would start it with the process, and unblock SIGINT then
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _threads_that_sleep() -> Iterator[None]:
    """Have OpenMP's threads in processes that are started wait less for work, unless the environment says how long."""
    if _SPIN_COUNT in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ[_SPIN_COUNT] = _SPINS
    try:
        yield
    finally:
        del os.environ[_SPIN_COUNT]


def _run(pipe: Any, memory: Any) -> None:
    """Run the engine's process, with a module that needs torch and imports this one."""
    with heap.importing(), startup.stage("torchpaged"):
        module = importlib.import_module("torchpaged.async_engine.process")
    module.serve(pipe, memory)
