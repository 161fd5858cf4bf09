"""Records the time of each part of a start: `with startup.stage("weights"): ...`. Always on, a microsecond a stage.

Imports nothing but small modules, because it is the first module of the package that runs: imports after it are timed
too, and what came before it is the stage "python".
"""

from __future__ import annotations

import os
import sys
import threading
import time

TYPE_CHECKING = False  # without importing typing
if TYPE_CHECKING:
    from collections.abc import Callable

# Stages of one start; later ones are dropped, for example those of a program that makes engines all day.
_MOST_STAGES = 256
# Stages below it, in seconds, would be printed as 0.00.
_SHORTEST_SHOWN = 0.005


class Stage:
    """A part of a start.

    Args:
        name: short text.
        begin, end: seconds of `time.monotonic()`, which all processes of a machine share.
        lane: what ran it: "" for the main thread, the name of another thread, or a process as `Timeline.add` names it.
            Stages of one lane are nested or follow each other; those of two lanes may run at once.
    """

    __slots__ = ("begin", "end", "lane", "name")

    def __init__(self, name: str, begin: float, end: float, lane: str = "") -> None:
        self.name, self.begin, self.end, self.lane = name, begin, end, lane

    @property
    def seconds(self) -> float:
        """The duration, nested stages included."""
        return self.end - self.begin

    def __repr__(self) -> str:
        return f"Stage({self.name!r}, {self.begin:.3f}, {self.end:.3f}, {self.lane!r})"


class _Running:
    """The context of a stage, which is recorded at its end, also if an exception ends it."""

    __slots__ = ("_begin", "_name", "_timeline")

    def __init__(self, timeline: Timeline, name: str) -> None:
        self._timeline, self._name = timeline, name

    def __enter__(self) -> None:
        self._begin = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._timeline.record(self._name, self._begin, time.monotonic())


class Timeline:
    """The stages of one start. Any thread may record.

    Args:
        begin: seconds of `time.monotonic()` at which the start began.
    """

    def __init__(self, begin: float) -> None:
        self.begin = begin
        self.end: float | None = None
        # Appending to a list is atomic, so there is no lock that a forked process could find taken.
        self._stages: list[Stage] = []
        self._callbacks: list[Callable[[], object]] = []

    def stage(self, name: str) -> _Running:
        """Return a context whose time is recorded under a name. Stages may be nested, and a name may be used again."""
        return _Running(self, name)

    def record(self, name: str, begin: float, end: float) -> None:
        """Record a stage of this thread that has been timed already."""
        if self.end is None and len(self._stages) < _MOST_STAGES:
            main = threading.current_thread() is threading.main_thread()
            self._stages.append(Stage(name, begin, end, "" if main else threading.current_thread().name))

    def add(self, stages: list[Stage], process: str) -> None:
        """Add the stages of another process of this machine, under its name."""
        for each in stages[: _MOST_STAGES - len(self._stages)] if self.end is None else ():
            lane = f"{process}, {each.lane}" if each.lane else process
            self._stages.append(Stage(each.name, each.begin, each.end, lane))

    def finish(self) -> None:
        """Mark the end of the start: the first answer, or a server that takes requests. Later calls do nothing."""
        if self.end is None:
            self.end = time.monotonic()
            for callback in self._callbacks:
                callback()

    def when_finished(self, callback: Callable[[], object]) -> None:
        """Call a function at the end of the start, in the thread that marks it."""
        self._callbacks.append(callback)

    def stages(self) -> list[Stage]:
        """Return the stages that have ended, by their begin; an outer stage stands before those inside it."""
        return sorted(self._stages, key=lambda each: (each.begin, -each.end))

    @property
    def seconds(self) -> float:
        """Duration of the start: to its end, or until now."""
        return (time.monotonic() if self.end is None else self.end) - self.begin

    def line(self) -> str:
        """Describe the start in one line: "start 2.10 s: python 0.02, torch 1.15, ..., other 0.05; engine 1.9 s: ...".

        The main thread's parts add up to the whole: time of nested stages counts only for the inner one, and "other" is
        the time in no stage. Other threads and processes follow, each behind a semicolon with its duration.
        """
        every = self.stages()
        lanes = own_times(every)
        main = lanes.pop("", {})
        main["other"] = self.seconds - sum(main.values())
        parts = [f"start {self.seconds:.2f} s: {_listed(main)}"]
        for lane, times in lanes.items():
            of_lane = [each for each in every if each.lane == lane]
            seconds = max(each.end for each in of_lane) - of_lane[0].begin
            parts.append(f"{lane} {seconds:.2f} s: {_listed(times)}")
        return "; ".join(parts)


def _listed(times: dict[str, float]) -> str:
    return ", ".join(f"{name} {seconds:.2f}" for name, seconds in times.items() if seconds >= _SHORTEST_SHOWN)


def own_times(stages: list[Stage]) -> dict[str, dict[str, float]]:
    """Return the seconds by lane and name, in order of their begin, without the time of stages inside.

    Args:
        stages: as `Timeline.stages` returns them.
    """
    lanes: dict[str, dict[str, float]] = {}
    open_stages: dict[str, list[Stage]] = {}
    for each in stages:
        times, outer = lanes.setdefault(each.lane, {}), open_stages.setdefault(each.lane, [])
        while outer and outer[-1].end <= each.begin:
            outer.pop()
        if outer:
            times[outer[-1].name] -= each.seconds
        times[each.name] = times.get(each.name, 0.0) + each.seconds
        outer.append(each)
    return lanes


def _process_start() -> float:
    """Return when the operating system started this process, by `time.monotonic()`; now where it does not say."""
    now = time.monotonic()
    try:
        with open("/proc/self/stat", "rb") as file:
            # The name, in parentheses, may have spaces. The start is field 22, in ticks since the machine's boot.
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        since_boot = time.clock_gettime(time.CLOCK_BOOTTIME)  # goes on while the machine sleeps, as the ticks do
        start = now - (since_boot - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):
        return now
    return min(start, now)  # ticks are of 10 ms


_timeline = Timeline(_process_start())
# The time before this line: the interpreter, and what the program has imported and done before torchpaged.
_timeline.record("python" if "torch" not in sys.modules else "python and torch", _timeline.begin, time.monotonic())

stage, record, add, stages, line = _timeline.stage, _timeline.record, _timeline.add, _timeline.stages, _timeline.line
finish, when_finished = _timeline.finish, _timeline.when_finished


def import_torch() -> None:
    """Import torch as a stage, without garbage collection, which frees nothing then and takes 5 % of the time."""
    from torchpaged.utils.heap import uncollected

    with uncollected(), stage("torch"):
        import torch  # noqa: F401


def begin() -> float:
    """Return when this process began, by `time.monotonic()`."""
    return _timeline.begin


def seconds() -> float:
    """Return `Timeline.seconds` of this process's start."""
    return _timeline.seconds
