"""Report of evals/bench/engine.py: ratios to the best peer and the bounds, table and chart."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.bench import machine
from torchpaged.tools.bounds import Costs, Limits, bound
from torchpaged.tools.workloads import Workload

OURS = {"bf16": "torchpaged", "8 bit": "torchpaged-int8"}
# By kind and workload: the targets relative to the best peer of the same class, and to the bound.
TARGETS: dict[str, dict[str, tuple[float | None, float | None]]] = {
    "bf16": {
        "decode-1": (1.6, 0.75),
        "decode-8": (1.4, None),
        "decode-32": (1.3, 0.82),
        "prefill": (1.4, 0.75),
        "mixed": (1.3, 0.76),
        "shared": (1.4, None),
        "context": (1.6, 0.75),
    },
    "8 bit": {
        "decode-1": (1.1, 0.80),
        "decode-8": (1.5, 0.72),
        "decode-32": (1.5, 0.70),
        "prefill": (None, 0.72),
    },
}
STARTUP_OF_VLLM, MEMORY_OF_VLLM = 0.2, 1.0


@dataclass(slots=True)
class Cell:
    """Results of a peer at a workload: its rate in each round, or the reason why it did not run.

    Attributes:
        limits: of the machine, the mean of those before and after each round; empty if they were not measured.
    """

    rates: list[float] = field(default_factory=list)
    note: str = ""
    limits: list[Limits] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Return the median in tokens per second."""
        return statistics.median(self.rates)

    def of_bound(self, bound_with: Callable[[Limits], float], otherwise: Limits) -> float:
        """Return the median of each round's rate over the bound by its own limits: the machine's noise affects both."""
        limits = self.limits or [otherwise] * len(self.rates)
        return statistics.median(rate / bound_with(each) for rate, each in zip(self.rates, limits, strict=True))


@dataclass(slots=True)
class Standing:
    """Results of a peer apart from workloads: seconds to the first token, bytes, idle cores; or why it did not run."""

    kind: str  # of OURS
    facts: dict[str, Any] = field(default_factory=dict)
    startup_seconds: list[float] = field(default_factory=list)
    peak_bytes: int = 0
    loading_bytes: int = 0
    idle_cores: float = 0.0
    left_out: str | None = None


@dataclass(slots=True)
class Results:
    """All measurements of a run.

    Attributes:
        cells: by the workload's name and the peer's.
        limits: of the machine, measured with each workload's rounds.
        agreement: of peers whose tokens were compared, see `engine.agreement`.
    """

    workloads: Sequence[Workload]
    peers: dict[str, Standing]
    costs: dict[str, Costs]  # by kind
    cells: dict[str, dict[str, Cell]]
    limits: dict[str, list[Limits]]
    agreement: dict[str, dict[str, float]] = field(default_factory=dict)

    def ran(self, workload: str, kind: str) -> dict[str, Cell]:
        """Return the peers of a kind that have a rate, fastest first."""
        found = {name: c for name, c in self.cells[workload].items() if c.rates and self.peers[name].kind == kind}
        return dict(sorted(found.items(), key=lambda item: -item[1].median))

    def limit(self, workload: str) -> Limits:
        """Return the median of the limits measured with this workload."""
        samples = self.limits[workload]
        return Limits(*(statistics.median(getattr(each, name) for each in samples) for name in ("read", "gemm")))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per workload and kind."""
        return [
            self._row(workload, kind) for kind in OURS for workload in self.workloads if self.ran(workload.name, kind)
        ]

    def _row(self, workload: Workload, kind: str) -> dict[str, Any]:
        ran, limits = self.ran(workload.name, kind), self.limit(workload.name)
        rate, by = bound(workload, self.costs[kind], limits)
        row: dict[str, Any] = {
            "workload": workload.name,
            "title": workload.title,
            "kind": kind,
            "unit": workload.unit,
            "rates": {name: cell.rates for name, cell in ran.items()},
            "medians": {name: cell.median for name, cell in ran.items()},
            "notes": {
                name: cell.note
                for name, cell in self.cells[workload.name].items()
                if cell.note and self.peers[name].kind == kind
            },
            "bound": rate,
            "bound_by": by,
            "read_gb_s": limits.read / 1e9,
            "gemm_gflops": limits.gemm / 1e9,
        }
        ours = OURS[kind]
        others = [name for name in ran if name != ours]
        if ours in ran:
            row["of_bound"] = ran[ours].of_bound(lambda each: bound(workload, self.costs[kind], each)[0], limits)
            row["read_gb_s_of_rounds"] = [each.read / 1e9 for each in ran[ours].limits]
            row["x"] = {name: _ratio(ran[ours].rates, ran[name].rates) for name in others}
            if others:
                row["best_peer"], row["x_best_peer"] = others[0], row["x"][others[0]]
        return row

    def targets(self) -> dict[str, bool]:
        """Return the targets that this run can decide."""
        found = {}
        for row in self.rows():
            name, ours = row["workload"], row["title"]
            times, share = TARGETS[row["kind"]].get(name, (None, None))
            if row["kind"] != "bf16":
                ours += ", 8 bit"
            against, whom = row.get("x_best_peer"), "the best peer"
            if name == "shared":
                against, whom = row.get("x", {}).get("vllm"), "vLLM with prefix caching"
            if times is not None and against is not None:
                found[f"{ours}: at least {times}x {whom}"] = against >= times
            if share is not None and "of_bound" in row:
                found[f"{ours}: at least {share:.0%} of the bound"] = row["of_bound"] >= share
        own, vllm = self.peers.get("torchpaged"), self.peers.get("vllm")
        if own and vllm and own.startup_seconds and vllm.startup_seconds:
            startup = statistics.median(own.startup_seconds) / statistics.median(vllm.startup_seconds)
            found["start-up to first token: at most a fifth of vLLM's"] = startup <= STARTUP_OF_VLLM
            if own.peak_bytes and vllm.peak_bytes:
                found["peak memory: at most vLLM's"] = own.peak_bytes <= MEMORY_OF_VLLM * vllm.peak_bytes
        return found

    def table(self) -> str:
        """Return tokens per second with a row per workload and a column per peer, then ratios, start-up and memory."""
        lines = []
        for kind in OURS:
            rows = [row for row in self.rows() if row["kind"] == kind]
            names = [name for name, peer in self.peers.items() if peer.kind == kind and peer.left_out is None]
            if not rows or not names:
                continue
            width = max(12, *(len(name) + 2 for name in names))
            head = "".join(f"{name:>{width}}" for name in names)
            lines += [
                "",
                f"{kind + ', tokens/s':<34}{head}{'best peer':>16}{'ours/best':>11}{'bound':>10}{'of bound':>10}",
            ]
            for row in rows:
                cells = "".join(f"{_number(row['medians'].get(name)):>{width}}" for name in names)
                ratio = f"{row['x_best_peer']:.2f}" if "x_best_peer" in row else ""
                share = f"{row['of_bound']:.0%}" if "of_bound" in row else ""
                cells += f"{row.get('best_peer', ''):>16}{ratio:>11}{row['bound']:>10.1f}{share:>10}"
                lines.append(f"{row['title']:<34}{cells}")
            started = [self.peers[name] for name in names]
            seconds = (f"{statistics.median(p.startup_seconds):.1f}" if p.startup_seconds else "" for p in started)
            lines.append(f"{'start-up to first token, s':<34}" + "".join(f"{each:>{width}}" for each in seconds))
            for title, field_ in (("peak memory, GiB", "peak_bytes"), ("  while loading, GiB", "loading_bytes")):
                sizes = (getattr(p, field_) / 2**30 for p in started)
                lines.append(f"{title:<34}" + "".join(f"{size:>{width}.2f}" for size in sizes))
        lines += ["", *(f"{name}: left out, {p.left_out}" for name, p in self.peers.items() if p.left_out is not None)]
        for row in self.rows():
            lines += [f"{name}, {row['title']}: {note}" for name, note in row["notes"].items()]
        for name, each in self.agreement.items():
            lines.append(
                f"{name}: {each['first_token']:.0%} of first tokens as transformers' in float32, "
                f"{each['leading_tokens']:.1f} tokens equal on average"
            )
        return "\n".join(lines)


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median ratio over the rounds that both ran."""
    both = min(len(ours), len(theirs))
    return machine.ratio(list(ours[:both]), list(theirs[:both]))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def plot(results: Results, path: Path) -> None:
    """Draw a group of bars per workload: each peer's rate over the best peer's, with the bound as a line."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = results.rows()
    kinds = [kind for kind in OURS if any(row["kind"] == kind for row in rows)]
    figure, panels = pyplot.subplots(len(kinds), 1, figsize=(12, 4.2 * len(kinds)), squeeze=False)
    for axes, kind in zip(panels[:, 0], kinds, strict=True):
        mine = [row for row in rows if row["kind"] == kind]
        names = [name for name in results.peers if any(name in row["medians"] for row in mine)]
        width = 0.8 / len(names)
        for number, name in enumerate(names):
            places = [place + (number - (len(names) - 1) / 2) * width for place in range(len(mine))]
            heights = [row["medians"].get(name, 0.0) / _scale(row, kind) for row in mine]
            bars = axes.bar(places, heights, width=width * 0.92, label=name)
            labels = [_number(row["medians"].get(name)) for row in mine]
            axes.bar_label(bars, labels, fontsize=7, rotation=90, padding=2)
        for place, row in enumerate(mine):
            height = row["bound"] / _scale(row, kind)
            label = "bound (memory reads, matrix products)" if place == 0 else None
            axes.plot([place - 0.42, place + 0.42], [height] * 2, color="black", linewidth=1.2, label=label)
        axes.set_xticks(range(len(mine)), [row["title"].replace(", ", "\n", 1) for row in mine], fontsize=8)
        axes.set(ylabel="times the best peer's rate", title=f"{kind} weights; tokens/s above the bars")
        axes.margins(y=0.15)
        axes.grid(axis="y", alpha=0.3)
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def _scale(row: Mapping[str, Any], kind: str) -> float:
    best = row.get("best_peer", next(iter(row["medians"])))
    value: float = row["medians"][best]
    return value
