"""Resource use of the Triton kernels for each kind of device, compiled offline: registers, spills, shared memory.

    python -m evals.compiled [--target gfx942] [--jobs 2]

compiles the cases of tests/ops/test_triton_compile.py for all of its targets, about two minutes each on an idle core,
writes evals/results/compiled.json (targets that are not compiled keep their entries) and the table of
docs/performance.md. It needs no GPU and does not measure speed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import torch
import triton

from tests.ops.offline import TARGETS

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "evals" / "results" / "compiled.json"
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- compiled -->\n", "<!-- end of compiled -->\n"
COLUMNS = ("kernel", "case", "registers", "spill_bytes", "scalar_spills", "shared_bytes", "num_warps")
# Rows of the attention kernels, which use the most registers, by the prefix of a case's name.
ATTENTION_KERNELS = ("attention_kernel", "prefill_kernel", "decode_kernel")
ATTENTION = {
    "decode, head_dim 128": "128/128-bf16-b16-split",
    "prefill, head_dim 128": "128/128-bf16-b16-fold",
    "prefill, head_dim 256": "256/256-bf16-b16-fold",
    "prefill, MLA 192/128": "192/128-bf16-h2/2-b16-fold",
    "decode, head_dim 128, window, sinks, merged by the last program": "128/128-bf16-window-sinks-b16-merged",
    "decode, e4m3 cache": "128/128-f16-e4m3-b16-split",
    "decode, head_dim 64, window, sinks": "64/64-bf16-window-sinks-b16-split",
    "decode, head_dim 80, everything": "80/80-bf16-window-softcap-alibi-sinks-tree-b64-split",
    "decode, head_dim 256": "256/256-bf16-b16-split",
    "decode, MLA 576/512": "576/512-bf16-h16/1-mla-b16-split",
    "decode, float32, head_dim 96, everything": "96/96-f32-window-softcap-alibi-sinks-tree-b16-split",
}
RECURRENT = ("recurrence_kernel", "selective_kernel", "chunked_convolution_kernel", "convolution_kernel")


def compiled(target: str) -> list[list[Any]]:
    """Return a target's rows, in the order of COLUMNS; compiled in a process where Triton's interpreter is off."""
    command = [sys.executable, "-m", "tests.ops.test_triton_compile", "--target", target]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [[row[column] for column in COLUMNS] for row in json.loads(done.stdout)]


def table(rows: Mapping[str, Sequence[Sequence[Any]]]) -> str:
    """Return a table with a row per kernel and a column per target: registers, and spilled bytes if there are any."""
    lines = ["| registers of a thread | " + " | ".join(rows) + " |", "| --- |" + " --- |" * len(rows)]

    def line(name: str, chosen: Mapping[str, Sequence[dict[str, Any]]], shared: bool = False) -> None:
        if not any(chosen.values()):  # compiled before there was such a case
            return
        cells = []
        for each in chosen.values():
            cell = f"{max(row['registers'] for row in each)}" if each else "-"
            if shared:
                cell = f"{max(row['shared_bytes'] for row in each) / 1024:.0f}"
            elif any(row["spill_bytes"] for row in each):
                cell += f", spills {max(row['spill_bytes'] for row in each)} bytes"
            cells.append(cell)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")

    named = {target: [dict(zip(COLUMNS, row, strict=True)) for row in each] for target, each in rows.items()}
    attention = {target: [row for row in each if row["kernel"] in ATTENTION_KERNELS] for target, each in named.items()}
    for name, case in ATTENTION.items():
        line(name, {target: [row for row in each if row["case"] == case] for target, each in attention.items()})
    states = {target: [row for row in each if row["kernel"] in RECURRENT] for target, each in named.items()}
    line("recurrent layers and convolutions, at most", states)
    others = {
        target: [row for row in each if row not in attention[target] and row not in states[target]]
        for target, each in named.items()
    }
    line("all others, at most", others)
    line("shared memory of a program at most, KiB", named, shared=True)
    lines.append("| kernels compiled | " + " | ".join(str(len(each)) for each in rows.values()) + " |")
    return "\n".join(lines)


def main() -> None:
    """Compile, and write each target's results as they come."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=TARGETS, action="append", help="all by default")
    parser.add_argument("--jobs", type=int, default=1, help="targets to compile for at a time")
    options = parser.parse_args()
    known = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else {}
    targets = options.target or list(TARGETS)
    with ThreadPoolExecutor(options.jobs) as pool:
        for target, found in zip(targets, pool.map(compiled, targets), strict=True):
            known[target] = found
            print(f"{target}: {len(found)} kernels", file=sys.stderr, flush=True)
            write({target: known[target] for target in TARGETS if target in known})


def write(rows: Mapping[str, Sequence[Sequence[Any]]]) -> None:
    """Write the result file and the page's table."""
    before, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{table(rows)}\n{END}{rest.split(END)[1]}")
    facts = {
        "date": str(date.today()),
        "command": "python -m evals.compiled",
        "versions": {"triton": triton.__version__, "torch": torch.__version__},
        "columns": COLUMNS,
    }
    lists = ",\n ".join(
        f"{json.dumps(target)}: [\n  " + ",\n  ".join(map(json.dumps, each)) + "\n ]" for target, each in rows.items()
    )
    RESULTS.write_text(f'{json.dumps(facts)[:-1]}, "rows": {{\n {lists}\n}}}}\n')


if __name__ == "__main__":
    main()
