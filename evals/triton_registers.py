"""Registers, spills and shared memory of every compilation of the Triton kernels, as a table.

    python -m tests.ops.test_triton_compile --full --target sm_90 --json sm_90.json
    python -m tests.ops.test_triton_compile --full --target sm_80 --json sm_80.json
    python -m evals.triton_registers sm_90.json sm_80.json

writes evals/results/triton-registers.json and .md. Each of the first two compiles some 800 kernels, offline.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import torch
import triton

RESULTS = Path(__file__).parent / "results"
COLUMNS = ("target", "kernel", "case", "registers", "spill_bytes", "shared_bytes", "num_warps")
DTYPES = ("f32", "f16", "bf16", "e4m3", "e5m2", "int8")


def group(row: dict[str, Any]) -> tuple[str, str, str]:
    """Return (kernel, head dims, dtypes) of a row; the case's features and sizes are left out."""
    parts = row["case"].split("-")
    dims = parts[0] if "/" in parts[0] else "-"
    return row["kernel"], dims, "-".join(part for part in parts if part in DTYPES)


def extent(rows: Sequence[dict[str, Any]], target: str) -> str:
    """Return the range of registers on a target."""
    found = sorted(row["registers"] for row in rows if row["target"] == target)
    return f"{found[0]} to {found[-1]}" if found else "-"


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table with one line per kernel, head dims and dtypes."""
    groups = defaultdict(list)
    for row in rows:
        groups[group(row)].append(row)
    head = ("kernel", "head_dim/head_dim_v", "dtypes (query, cache)", "compilations", "registers sm_80, least to most")
    head += ("sm_90", "spilled bytes", "shared KiB at most")
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for names, each in sorted(groups.items()):
        spilled = sum(row["spill_bytes"] for row in each)
        shared = max(row["shared_bytes"] for row in each) / 1024
        cells = [*names, len(each), extent(each, "sm_80"), extent(each, "sm_90"), spilled, f"{shared:.1f}"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main(files: Sequence[str]) -> None:
    """Read the rows and write both results."""
    rows = [row for file in files for row in json.loads(Path(file).read_text())]
    command = "python -m tests.ops.test_triton_compile --full --target sm_80|sm_90 --json FILE (offline, no GPU)"
    values = ",\n ".join(json.dumps([row[column] for column in COLUMNS]) for row in rows)
    facts = {
        "date": str(date.today()),
        "command": command,
        "versions": {"triton": triton.__version__, "torch": torch.__version__},
        "columns": COLUMNS,
    }
    (RESULTS / "triton-registers.json").write_text(f'{json.dumps(facts)[:-1]}, "rows": [\n {values}\n]}}\n')
    spilled = [row for row in rows if row["spill_bytes"]]
    names = ", ".join(f"{row['kernel']} {row['case']} ({row['target']})" for row in spilled) or "none"
    (RESULTS / "triton-registers.md").write_text(
        f"""# Registers of the compiled Triton kernels

`{command}`, {date.today()}, Triton {triton.__version__}. Each line covers all features, block sizes and modes of its
kernel; each of the {len(rows)} compilations is in `triton-registers.json`. Kernels that spill: {names}.

{table(rows)}
"""
    )


if __name__ == "__main__":
    main(sys.argv[1:])
