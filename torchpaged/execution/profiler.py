"""A torch.profiler trace of what runs between `start` and `stop`, in a file of its own."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from torchpaged.config import ProfilerConfig
from torchpaged.errors import ConfigError
from torchpaged.utils import quiet


def make_profiler(**options: Any) -> torch.profiler.profile:
    """Of the CPU and, where there is one, the CUDA device; the options are `torch.profiler.profile`'s."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    return torch.profiler.profile(activities=activities, **options)


class FolderProfiler:
    """Writes a trace for each stretch that is profiled.

    Args:
        config: which of a stretch's steps are recorded, what of them, and the folder, which is made if there is none.
    """

    def __init__(self, config: ProfilerConfig) -> None:
        self._folder, self._config = config.torch_profiler_dir, config
        self._stretch = config
        self._profiler: torch.profiler.profile | None = None  # None: no stretch has begun
        self._records = False
        self._num_steps = 0  # of the stretch
        self._prefix = ""

    def start(self, prefix: str | None = None, **iterations: int | None) -> None:
        """Begins a stretch.

        Args:
            iterations: of this stretch alone, as of `ProfilerConfig`; None: as the config says.

        Raises:
            ConfigError: there is no folder, or one has begun.
        """
        given: dict[str, Any] = {name: count for name, count in iterations.items() if count is not None}
        stretch = replace(self._config, **given)
        if not self._folder:
            raise ConfigError(
                "start_profile: there is no folder for traces; LLM(..., profiler_config={'profiler': 'torch', "
                "'torch_profiler_dir': FOLDER}) names one"
            )
        if prefix is not None and (not isinstance(prefix, str) or Path(prefix).name != prefix):
            raise ConfigError(
                f"start_profile: profile_prefix is {prefix!r:.80}, expected the beginning of a file's name"
            )
        if self._profiler is not None:
            raise ConfigError("start_profile: it has been started; stop_profile first")
        try:
            Path(self._folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"start_profile: the folder {str(self._folder)!r} cannot be made: {error.strerror}"
            ) from None
        self._num_steps, self._prefix, self._stretch = 0, prefix or "torchpaged", stretch
        profiler = make_profiler(**stretch.options)
        if not stretch.delay_iterations:
            self._switch(profiler, on=True)
        self._profiler = profiler

    def note_step(self) -> None:
        """A step of the engine has ended."""
        if self._profiler is None:
            return
        self._num_steps += 1
        first, most = self._stretch.delay_iterations, self._stretch.max_iterations
        if self._records and most and self._num_steps >= first + most:
            self._switch(self._profiler, on=False)
        elif first and self._num_steps == first:
            self._switch(self._profiler, on=True)

    def _switch(self, profiler: torch.profiler.profile, *, on: bool) -> None:
        with quiet.switching_the_profiler():
            if on:
                profiler.start()
            else:
                profiler.stop()
        self._records = on

    def stop(self) -> Path:
        """Ends it and returns the trace's path: Chrome's JSON, compressed, for ui.perfetto.dev and TensorBoard.

        Raises:
            ConfigError: none has begun, or no step of it was recorded.
        """
        if self._profiler is None:
            raise ConfigError("stop_profile: it has not been started")
        profiler, self._profiler = self._profiler, None
        if self._num_steps < self._stretch.delay_iterations:
            raise ConfigError(
                f"stop_profile: nothing was recorded: delay_iterations is {self._stretch.delay_iterations}, and "
                f"{self._num_steps} steps have run"
            )
        if self._records:
            self._switch(profiler, on=False)
        path = Path(self._folder) / f"{self._prefix}.{os.getpid()}.{time.time_ns()}.pt.trace.json.gz"
        profiler.export_chrome_trace(str(path))
        return path

    def close(self) -> None:
        """Ends what has begun, written as well."""
        if self._profiler is not None and self._num_steps >= self._stretch.delay_iterations:
            self.stop()
