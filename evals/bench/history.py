"""History of `evals/bench/engine.py`: each row's share of the bound, run by run, and the rows that fell.

    python -m evals.bench.history [FILE...]        # adds result files of earlier runs, then draws all

A run is added to `evals/results/history.jsonl` when it ends, one line a row. Runs are compared with earlier ones of the
same processor and number of threads: a row that lost more than 3 % of the bound is named.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench.engine_report import OURS

FILE = Path("evals/results/history.jsonl")
FALL = 0.03  # of the bound: quiet runs of one commit differ by less


def rows_of(written: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the lines of one result of `engine.py`; none for a run with fewer tokens, whose rates are lower."""
    if written.get("scale") != 1.0:
        return []
    found = []
    for row in written["rows"]:
        rate, share = row["medians"].get(OURS[row["kind"]]), row.get("of_bound")
        if rate is not None and share is not None:
            run = {name: written[name] for name in ("date", "commit", "cpu", "threads")}
            limits = {name: row[name] for name in ("bound", "read_gb_s", "gemm_gflops") if name in row}
            names = {"row": f"{row['workload']}, {row['kind']}", "unit": row["unit"], "rate": rate}
            found.append({**run, **names, **limits, "of_bound": share, "x_best_peer": row.get("x_best_peer")})
    return found


def read(path: Path = FILE) -> list[dict[str, Any]]:
    """Return all lines, the oldest first."""
    lines = path.read_text().splitlines() if path.exists() else []
    return sorted((json.loads(line) for line in lines), key=lambda each: each["date"])


def append(lines: Iterable[Mapping[str, Any]], path: Path = FILE) -> None:
    """Add lines that the file does not have."""
    known = {(each["date"], each["row"]) for each in read(path)}
    with path.open("a") as file:
        for line in lines:
            if (line["date"], line["row"]) not in known:
                file.write(json.dumps(line) + "\n")


def fallen(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence for each row whose last share of the bound is lower than the one before on the same machine."""
    last: dict[tuple[str, str, int], list[Mapping[str, Any]]] = {}
    for line in lines:
        last.setdefault((line["row"], line["cpu"], line["threads"]), []).append(line)
    found = []
    for (row, *_), runs in last.items():
        now, before = runs[-1], runs[max(0, len(runs) - 2)]
        if now["of_bound"] < before["of_bound"] - FALL:
            shares = f"{now['of_bound']:.0%} of the bound at {now['commit']}, {before['of_bound']:.0%} at"
            found.append(f"{row}: {shares} {before['commit']}")
    return found


def draw(lines: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw each row's share of the bound over the runs, a panel a row, a line a machine."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(line["row"] for line in lines))
    columns = 3
    figure, panels = pyplot.subplots(
        -(-len(names) // columns), columns, figsize=(12, 2.6 * -(-len(names) // columns)), squeeze=False, sharey=True
    )
    for axes, name in zip(panels.flat, names, strict=False):
        mine = [line for line in lines if line["row"] == name]
        for machine in dict.fromkeys((line["cpu"], line["threads"]) for line in mine):
            runs = [line for line in mine if (line["cpu"], line["threads"]) == machine]
            labels = [f"{line['date'][5:10]}\n{line['commit']}" for line in runs]
            axes.plot(
                labels, [line["of_bound"] for line in runs], marker="o", label=f"{machine[0]}, {machine[1]} threads"
            )
        axes.set(title=name, ylim=(0, 1.05))
        axes.tick_params(labelsize=6)
        axes.grid(axis="y", alpha=0.3)
    for axes in panels.flat[len(names) :]:
        axes.set_visible(False)
    panels[0, 0].legend(fontsize=7)
    figure.supylabel("share of the bound")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    """Add the named results, draw all, and print the rows that fell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="results of engine.py")
    parser.add_argument("--history", type=Path, default=FILE)
    arguments = parser.parse_args()
    for each in arguments.files:
        append(rows_of(json.loads(each.read_text())), arguments.history)
    lines = read(arguments.history)
    draw(lines, arguments.history.with_suffix(".png"))
    print("\n".join(fallen(lines)) or "no row fell")


if __name__ == "__main__":
    main()
