"""EngineProcess: starts the process that makes and runs an engine.

This module needs no torch: `torchpaged serve` starts the process first, and imports its own packages while the process
loads the model.
"""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from torchpaged.errors import ConfigError

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
    """A process that has been started to make an engine and to run it. It ends with its parent, however that ends.

    Args:
        arguments: of the engine.

    Attributes:
        arguments: as given, for another process.
        memory: three numbers that both processes share.
        pipe: carries messages to the engine, and its events.
        process: handle of the process.

    Raises:
        ConfigError: an argument cannot be pickled.
    """

    def __init__(self, arguments: EngineArguments) -> None:
        context = multiprocessing.get_context("spawn")
        self.arguments = arguments
        self.memory: Any = context.RawArray("d", 3)
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=_run, args=(theirs, self.memory, arguments), name="torchpaged-engine", daemon=True
        )
        try:
            self.process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ConfigError(f"AsyncLLM: a setting cannot be sent to the engine's process: {error}") from None
        theirs.close()

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.join()


def _run(pipe: Any, memory: Any, arguments: EngineArguments) -> None:
    """Run the engine's process."""
    from torchpaged.async_engine.process import serve  # imports torch

    serve(pipe, memory, arguments)
