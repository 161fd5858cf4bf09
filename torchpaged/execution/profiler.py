"""A torch.profiler trace of what runs between `start` and `stop`, in a file of its own."""

from __future__ import annotations

import os
import time
from pathlib import Path

import torch

from torchpaged.errors import ConfigError
from torchpaged.utils import quiet


def make_profiler() -> torch.profiler.profile:
    """Of the CPU and, where there is one, the CUDA device."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    return torch.profiler.profile(activities=activities)


class FolderProfiler:
    """Writes a trace for each stretch that is profiled.

    Args:
        folder: where to; made if there is none. None: nothing can be profiled.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self._folder = folder
        self._running: torch.profiler.profile | None = None
        self._prefix = ""

    def start(self, prefix: str | None = None) -> None:
        """Begins a stretch.

        Raises:
            ConfigError: there is no folder, or one has begun.
        """
        if self._folder is None:
            raise ConfigError(
                "start_profile: there is no folder for traces; LLM(..., profiler_config={'profiler': 'torch', "
                "'torch_profiler_dir': FOLDER}) names one"
            )
        if prefix is not None and (not isinstance(prefix, str) or Path(prefix).name != prefix):
            raise ConfigError(
                f"start_profile: profile_prefix is {prefix!r:.80}, expected the beginning of a file's name"
            )
        if self._running is not None:
            raise ConfigError("start_profile: it has been started; stop_profile first")
        try:
            Path(self._folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"start_profile: the folder {str(self._folder)!r} cannot be made: {error.strerror}"
            ) from None
        profiler, self._prefix = make_profiler(), prefix or "torchpaged"
        with quiet.switching_the_profiler():
            profiler.start()
        self._running = profiler

    def stop(self) -> Path:
        """Ends it and returns the trace's path: Chrome's JSON, compressed, for ui.perfetto.dev and TensorBoard.

        Raises:
            ConfigError: none has begun.
        """
        if self._running is None or self._folder is None:
            raise ConfigError("stop_profile: it has not been started")
        profiler, self._running = self._running, None
        with quiet.switching_the_profiler():
            profiler.stop()
        path = Path(self._folder) / f"{self._prefix}.{os.getpid()}.{time.time_ns()}.pt.trace.json.gz"
        profiler.export_chrome_trace(str(path))
        return path

    def close(self) -> None:
        """Ends what has begun, written as well."""
        if self._running is not None:
            self.stop()
