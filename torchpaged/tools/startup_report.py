"""`torchpaged info MODEL --startup`: starts a model twice, and draws when each part began and how long it took."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchpaged.errors import InputError
from torchpaged.utils.startup import Stage

# Stages below it, in seconds, are left out.
_SHORTEST_DRAWN = 0.005
_COLOURS = {"torch": "#ee4c2c", "python": "#3776ab", "python and torch": "#ee4c2c"}
_COLOUR = "#2a6fdb"


@dataclass(frozen=True, slots=True)
class Start:
    """A start of a fresh process.

    Args:
        name: of the start.
        seconds: from the process's begin to the first token.
        stages: with times since the process's begin; an outer stage stands before those inside it.
    """

    name: str
    seconds: float
    stages: Sequence[Stage]

    def rows(self) -> list[tuple[str, Stage]]:
        """Return the stages to be drawn, with labels that are indented for stages inside others."""
        rows: list[tuple[str, Stage]] = []
        outer: dict[str, list[Stage]] = {}
        for each in self.stages:
            around = outer.setdefault(each.lane, [])
            while around and around[-1].end <= each.begin:
                around.pop()
            if each.seconds >= _SHORTEST_DRAWN:
                lane = f"{each.lane}: " if each.lane else ""
                rows.append((f"{'  ' * len(around)}{lane}{each.name}", each))
                around.append(each)
        return rows


def measure(model: str, settings: Mapping[str, Any]) -> list[Start]:
    """Start a model in two fresh processes, one after the other, over a prepared-model cache that is empty at first.

    Raises:
        InputError: the model could not be started.
    """
    with tempfile.TemporaryDirectory(prefix="torchpaged-startup-") as cache:
        environment = {**os.environ, "TORCHPAGED_CACHE": cache}
        return [_start(name, model, settings, environment) for name in ("first start", "later start")]


def _start(name: str, model: str, settings: Mapping[str, Any], environment: Mapping[str, str]) -> Start:
    command = [sys.executable, "-m", "torchpaged.tools.startup_probe", model, json.dumps(settings)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise InputError(f"info --startup: {reason}")
    found = json.loads(done.stdout.splitlines()[-1])
    begin = found["begin"]
    stages = [Stage(name, first - begin, last - begin, lane) for name, first, last, lane in found["stages"]]
    return Start(name, found["seconds"], stages)


def chart(starts: Sequence[Start], width: int) -> str:
    """Draw the starts as bars over time, to one scale.

    Args:
        width: columns of the terminal.
    """
    longest = max(start.seconds for start in starts)
    labels = max(len(label) for start in starts for label, _ in start.rows())
    columns = max(10, width - labels - 12)
    lines = []
    for start in starts:
        lines.append(f"{start.name}: {start.seconds:.2f} s to the first token")
        for label, stage in start.rows():
            first, last = (round(at / longest * columns) for at in (stage.begin, stage.end))
            bar = " " * first + "█" * max(1, last - first)
            lines.append(f"  {label:<{labels}} {stage.seconds:6.2f}  {bar}")
    return "\n".join(lines)


def require_matplotlib() -> None:
    """Raise an InputError if plots cannot be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise InputError("--plot needs matplotlib, which is not installed: pip install 'torchpaged[bench]'")


def plot(starts: Sequence[Start], title: str, path: Path) -> None:
    """Write the bars as an image, in the format of the file's name."""
    from matplotlib.figure import Figure

    counts = [len(start.rows()) for start in starts]
    figure = Figure(figsize=(8, 0.8 + 0.26 * sum(counts) + 0.5 * len(starts)), layout="constrained")
    grid: Any = figure.subplots(len(starts), sharex=True, squeeze=False, gridspec_kw={"height_ratios": counts})
    axes = grid[:, 0]
    for axis, start in zip(axes, starts, strict=True):
        rows = start.rows()
        for place, (_, stage) in enumerate(rows):
            axis.barh(place, stage.seconds, left=stage.begin, color=_COLOURS.get(stage.name, _COLOUR))
            axis.text(stage.end, place, f" {stage.seconds:.2f}", va="center", fontsize=7)
        axis.set_yticks(range(len(rows)), [label for label, _ in rows], fontsize=8)
        axis.invert_yaxis()
        axis.set_title(f"{start.name}: {start.seconds:.2f} s to the first token", fontsize=9, loc="left")
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1].set_xlabel("seconds since the process began")
    figure.suptitle(title, fontsize=10)
    figure.savefig(path, dpi=150)
