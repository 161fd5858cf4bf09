"""FolderProfiler: writes a torch.profiler trace of the steps between `start_profile` and `stop_profile`."""

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
    """Return a profiler of the CPU and of CUDA if available; options are those of `torch.profiler.profile`."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    return torch.profiler.profile(activities=activities, **options)


class FolderProfiler:
    """Profiler that writes one trace per session, from `start_profile` to `stop_profile`.

    Args:
        config: which steps of a session are recorded, what is recorded, and the folder, which is created if missing.
    """

    def __init__(self, config: ProfilerConfig) -> None:
        self._folder, self._config = config.torch_profiler_dir, config
        self._session = config
        self._profiler: torch.profiler.profile | None = None  # None: no session
        self._records = False
        self._num_steps = 0  # of the session
        self._prefix = ""

    def start_profile(self, prefix: str | None = None, **iterations: int | None) -> None:
        """Begin a session.

        Args:
            prefix: beginning of the trace's file name; None: "torchpaged".
            iterations: options of `ProfilerConfig` for this session alone; None: as the config says.

        Raises:
            ConfigError: no folder is configured or can be made, the prefix is not part of a file name, or a session has
                begun.
        """
        given: dict[str, Any] = {name: count for name, count in iterations.items() if count is not None}
        session = replace(self._config, **given)
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
        self._num_steps, self._prefix, self._session = 0, prefix or "torchpaged", session
        profiler = make_profiler(**session.options)
        if not session.delay_iterations:
            self._switch(profiler, on=True)
        self._profiler = profiler

    def note_step(self) -> None:
        """Count a step of the engine that has ended."""
        if self._profiler is None:
            return
        self._num_steps += 1
        first, most = self._session.delay_iterations, self._session.max_iterations
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

    def stop_profile(self) -> Path:
        """End the session and return the trace's path: Chrome's JSON, compressed, for ui.perfetto.dev and TensorBoard.

        Raises:
            ConfigError: no session has begun, or none of its steps was recorded.
        """
        if self._profiler is None:
            raise ConfigError("stop_profile: it has not been started")
        profiler, self._profiler = self._profiler, None
        if self._num_steps < self._session.delay_iterations:
            raise ConfigError(
                f"stop_profile: nothing was recorded: delay_iterations is {self._session.delay_iterations}, and "
                f"{self._num_steps} steps have run"
            )
        if self._records:
            self._switch(profiler, on=False)
        path = Path(self._folder) / f"{self._prefix}.{os.getpid()}.{time.time_ns()}.pt.trace.json.gz"
        profiler.export_chrome_trace(str(path))
        return path

    def close(self) -> None:
        """End the session, if there is one, and write its trace if steps were recorded."""
        if self._profiler is not None and self._num_steps >= self._session.delay_iterations:
            self.stop_profile()
