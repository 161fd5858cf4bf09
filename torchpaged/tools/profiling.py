"""profile: runs torch.profiler around an engine's steps, writes the trace and sums the time of the steps' phases."""

from __future__ import annotations

import gzip
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.autograd import DeviceType

from torchpaged.errors import ConfigError
from torchpaged.execution.phases import FORWARD, PHASES, STEP
from torchpaged.execution.profiler import make_profiler
from torchpaged.utils import atomic_files, quiet

_PREFIX = "torchpaged: "


@dataclass(slots=True)
class PhaseTime:
    """One phase over all steps."""

    seconds: float = 0.0
    share: float = 0.0  # share of the steps' total time
    calls: int = 0


@dataclass(slots=True)
class Profile:
    """Time of the steps' phases, filled in when `profile` ends.

    Attributes:
        phases: by name without "torchpaged: ", in the order of a step: "schedule", "copy", "inputs", "forward",
            "sample", "update".
        rest: time between the phases.
    """

    num_steps: int = 0
    seconds: float = 0.0
    phases: dict[str, PhaseTime] = field(default_factory=dict)
    rest: PhaseTime = field(default_factory=PhaseTime)

    @property
    def outside_forward(self) -> PhaseTime:
        """Total of a step's work outside the model."""
        forward = self.phases.get(FORWARD.removeprefix(_PREFIX), PhaseTime())
        return PhaseTime(self.seconds - forward.seconds, 1.0 - forward.share if self.num_steps else 0.0, self.num_steps)

    def table(self) -> str:
        """Return a table with a row per phase, and one for the total outside the forward."""
        step = PhaseTime(self.seconds, float(self.num_steps > 0), self.num_steps)
        rows = {**self.phases, "rest": self.rest, "step": step, "outside the forward": self.outside_forward}
        lines = [f"{'phase':<19}{'total, ms':>12}{'share':>9}{'calls':>8}"]
        lines += [
            f"{name:<19}{each.seconds * 1e3:>12.2f}{each.share:>9.1%}{each.calls:>8}" for name, each in rows.items()
        ]
        return "\n".join(lines)


@contextmanager
def profile(path: str | Path) -> Generator[Profile]:
    """Profile the engines inside the `with`, on the CPU and on the CUDA device if there is one.

    A step's phases are spans of the trace, with the operators below them. Recording takes time itself, most of all for
    the operators of the forward. On CUDA each forward is synchronised, so that the phases' times are real.

    Args:
        path: the trace, in Chrome's JSON format, for ui.perfetto.dev or chrome://tracing; ".json.gz" compresses it.
            Written when the `with` ends without an exception.

    Raises:
        ConfigError: the file cannot be written; nothing has been run then, unless the disk has become full.
    """
    require_writable(path)
    result, profiler = Profile(), make_profiler()
    with quiet.switching_the_profiler():
        profiler.start()
    try:
        yield result
    finally:
        with quiet.switching_the_profiler():
            profiler.stop()
    if atomic_files.is_stream(Path(path)):
        profiler.export_chrome_trace(str(path))
    else:
        with atomic_files.replaced(path) as made:
            profiler.export_chrome_trace(str(made))
            if not _is_whole(made):
                raise ConfigError(f"profile {path}: the trace could not be written, as on a full disk")
    _read(profiler, result)


def _is_whole(trace: Path) -> bool:
    """Return True if a trace was written to its end; the profiler ignores errors of writing."""
    end = b""
    opened: Any = gzip.open if trace.suffix == ".gz" else open
    with suppress(OSError, EOFError), opened(trace, "rb") as file:
        while piece := file.read(1 << 20):
            end = (end + piece)[-80:].rstrip()
    return end.endswith(b"}")


def require_writable(path: str | Path) -> None:
    """Check that a file can be written, without creating or changing it.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        atomic_files.require_writable(Path(path))
    except OSError as error:
        raise ConfigError(f"profile {path}: the file cannot be written: {error.strerror or error}") from None


def _read(profiler: torch.profiler.profile, result: Profile) -> None:
    phases = {name: PhaseTime() for name in PHASES}
    for event in profiler.events() or ():
        if event.device_type != DeviceType.CPU:  # the device's copy of a span on the CPU
            continue
        seconds = event.time_range.elapsed_us() / 1e6
        if event.name == STEP:
            result.num_steps += 1
            result.seconds += seconds
        elif event.name in phases:
            phases[event.name].seconds += seconds
            phases[event.name].calls += 1
    result.rest = PhaseTime(result.seconds - sum(each.seconds for each in phases.values()), calls=result.num_steps)
    for each in (*phases.values(), result.rest):
        each.share = each.seconds / result.seconds if result.seconds else 0.0
    result.phases = {name.removeprefix(_PREFIX): each for name, each in phases.items()}
