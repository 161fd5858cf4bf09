"""Accuracy and evaluation time of quantised caches and weights, as one table.

    python evals/accuracy.py [--limit 50] [--output evals/results/accuracy]

Runs the offline tasks with stdlib-lm through torchpaged and through lm-eval's hf backend: in float32, with int8 and fp8
caches, with int8 weights (torchao), and with an int8 cache and int8 weights. lm-eval's hf backend has no quantised
cache, so it has only the float32 and int8-weight columns.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import lm_eval
import torch
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from torchao.quantization import Int8WeightOnlyConfig, quantize_

from evals.bench import machine
from torchpaged.integrations.lm_eval.adapter import TorchPagedLM

ROOT = Path(__file__).resolve().parents[1]
MODEL = str(ROOT / "evals" / "models" / "stdlib-lm")
TASKS = {
    "stdlib_next_line": "acc",
    "stdlib_recall": "acc",
    "stdlib_complete_line": "exact_match",
    "stdlib_pages": "bits_per_byte",
}
COLUMNS: dict[str, dict[str, Any]] = {
    "float32": {},
    "int8 KV": {"kv_cache_dtype": "int8"},
    "fp8 KV": {"kv_cache_dtype": "fp8"},
    "int8 weights": {"quantization": "int8"},
    "int8 KV and weights": {"kv_cache_dtype": "int8", "quantization": "int8"},
}


def ours(column: str) -> TorchPagedLM:
    """Return torchpaged's backend with a column's settings."""
    return TorchPagedLM(MODEL, dtype="float32", **COLUMNS[column])


def theirs(column: str) -> HFLM:
    """Return lm-eval's hf backend; torchao quantises its weights if the column asks for it."""
    lm = HFLM(MODEL, dtype="float32", device="cpu", batch_size=16)
    if "quantization" in COLUMNS[column]:
        quantize_(lm.model, Int8WeightOnlyConfig())
    return lm


def evaluate(lm: Any, limit: int | None) -> dict[str, dict[str, float]]:
    """Return the score and the seconds of each task."""
    manager = TaskManager(include_path=str(ROOT / "evals" / "tasks"), include_defaults=False)
    found = {}
    for task, metric in TASKS.items():
        start = time.perf_counter()
        results = lm_eval.simple_evaluate(
            lm, tasks=[task], task_manager=manager, limit=limit, bootstrap_iters=0, log_samples=False
        )
        seconds = time.perf_counter() - start
        score = results["results"][task][f"{metric},none"]
        found[task] = {"score": score, "seconds": seconds}
    return found


def table(rows: dict[str, dict[str, dict[str, float]]]) -> str:
    """Return a table of scores and seconds, with a line per column and backend."""
    lines = [
        "".join(f"{title:>26s}" for title in ("", *(f"{t.removeprefix('stdlib_')} {m}" for t, m in TASKS.items())))
    ]
    for name, row in rows.items():
        cells = (f"{row[task]['score']:.4f} {row[task]['seconds']:6.1f} s" for task in TASKS)
        lines.append(f"{name:>26s}" + "".join(f"{cell:>26s}" for cell in cells))
    return "\n".join(lines)


def plot(rows: dict[str, dict[str, dict[str, float]]], path: Path) -> None:
    """Draw scores above and seconds below, with a group of bars per task."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, figsize=(10, 7), layout="constrained", sharex=True)
    width = 0.8 / len(rows)
    for axis, key in zip(axes, ("score", "seconds"), strict=True):
        for i, (name, row) in enumerate(rows.items()):
            places = [place + i * width for place in range(len(TASKS))]
            hatch = "//" if name.startswith("hf") else ""
            axis.bar(places, [row[task][key] for task in TASKS], width, label=name, hatch=hatch)
        axis.set_ylabel(key)
        axis.spines[["top", "right"]].set_visible(False)
    axes[1].set_yscale("log")
    axes[1].set_xticks([place + 0.4 for place in range(len(TASKS))], [f"{t}\n{m}" for t, m in TASKS.items()])
    axes[0].legend(ncols=2, fontsize=8, frameon=False)
    axes[0].set_title("stdlib-lm: accuracy (bits per byte: lower is better) and what the evaluation takes")
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="documents of each task; all by default")
    parser.add_argument("--output", type=Path, help="where to write FILE.json and FILE.png")
    options = parser.parse_args()
    torch.set_num_threads(2)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.chdir(ROOT)  # the tasks' data paths are relative to the repository
    rows = {}
    backends: list[tuple[str, Callable[[str], Any], list[str]]] = [
        ("torchpaged", ours, list(COLUMNS)),
        ("hf", theirs, ["float32", "int8 weights"]),
    ]
    for backend, load, columns in backends:
        for column in columns:
            rows[f"{backend} {column}"] = evaluate(load(column), options.limit)
            machine.progress(f"{backend} {column}: done")
    print(table(rows))
    if options.output is not None:
        result = {
            **machine.describe(sys.argv),
            "model": "evals/models/stdlib-lm",
            "limit": options.limit,
            "not_measured": "hf with a quantised cache: lm-eval's hf backend has none",
            "rows": rows,
        }
        options.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
        plot(rows, options.output.with_suffix(".png"))


if __name__ == "__main__":
    main()
