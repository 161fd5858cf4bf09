"""What the Triton kernels became on Hopper: tensor-core instructions, wide loads and spills in their machine code.

    python -m evals.triton_sass

compiles a choice of configurations for sm_90, offline, and writes evals/results/triton-sass.json and .md. Registers of
every configuration stand in triton-registers.md. It needs a process in which Triton is not in its interpreter.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import triton

from tests.ops.test_triton_compile import Case, Row, compile_all

RESULTS = Path(__file__).parent / "results"
CUOBJDUMP = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"

# What issue 8 measures: head_dim 64, 128, 256; groups 1, 4, 8; 16-bit, fp8 and int8 caches; blocks of 16 and 64; MLA.
# "split" is decode over a long context, "fold" prefill, "one" decode over a context of one chunk.
CHOSEN = (
    Case(64, heads=(8, 1), modes=("split", "fold")),
    Case(128, heads=(8, 8)),
    Case(128, heads=(8, 2)),
    Case(128, heads=(8, 1)),
    Case(128, heads=(8, 2), block_size=64),
    Case(128, heads=(8, 2), cache="e4m3"),
    Case(128, heads=(8, 2), cache="int8", modes=("split", "fold")),
    Case(256, heads=(8, 2), modes=("split", "fold")),
    Case(576, head_dim_v=512, heads=(16, 1), alias=True, modes=("split", "fold")),
)

# What is counted, by a pattern over an instruction's mnemonic. LDGSTS is cp.async; UTMALDG a TMA load.
COUNTED = {
    "HGMMA": r"[HQI]GMMA\b",
    "HMMA": r"[HQI]MMA\b",
    "LDG.128": r"LDG(?!STS)\S*\.128",
    "LDG, narrower": r"LDG(?!STS)(?!\S*\.128)",
    "LDGSTS.128": r"LDGSTS\S*\.128",
    "LDGSTS, narrower": r"LDGSTS(?!\S*\.128)",
    "TMA": r"UTMALDG|UBLKCP",
    "STG.128": r"STG\S*\.128",
    "STG, narrower": r"STG(?!\S*\.128)",
    "local": r"LDL|STL",
}


def disassemble(cubin: bytes) -> str:
    """As cuobjdump prints it."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run(
            [str(CUOBJDUMP), "-sass", file.name], check=True, capture_output=True, text=True, timeout=120
        )
    return done.stdout


def mnemonics(text: str) -> list[str]:
    """Of every instruction that `disassemble` prints, in order, without its predicate."""
    return re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", text, re.MULTILINE)


def count(names: list[str]) -> dict[str, int]:
    """How many instructions there are of each kind of `COUNTED`, and in all."""
    found = {kind: sum(bool(re.match(pattern, name)) for name in names) for kind, pattern in COUNTED.items()}
    return {**found, "all": len(names)}


def table(rows: list[dict[str, Any]]) -> str:
    """As Markdown."""
    kinds = [*COUNTED, "all"]
    head = ["kernel", "configuration", "registers", *kinds]
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    for row in rows:
        cells = [row["kernel"], row["case"], str(row["registers"]), *(str(row["counts"][kind]) for kind in kinds)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Compiles, counts, writes."""
    rows: list[dict[str, Any]] = []
    codes: list[dict[str, int]] = []

    def report(row: Row) -> None:
        rows.append(
            {
                "kernel": row.kernel,
                "case": row.case,
                "registers": row.registers,
                "spill_bytes": row.spill_bytes,
                "shared_bytes": row.shared_bytes,
                "num_warps": row.num_warps,
                "counts": codes[-1],
            }
        )
        print(row.kernel, row.case, codes[-1], flush=True)

    compile_all(90, False, report, CHOSEN, lambda cubin: codes.append(count(mnemonics(disassemble(cubin)))))
    made = f"`python -m evals.triton_sass` (offline, no GPU), {date.today()}, Triton {triton.__version__}, sm_90"
    (RESULTS / "triton-sass.json").write_text(json.dumps({"made": made, "rows": rows}, indent=1) + "\n")
    attention = [row for row in rows if row["kernel"] == "attention_kernel"]
    without = [row for row in attention if not row["counts"]["HGMMA"] + row["counts"]["HMMA"]]
    spills = Counter(bool(row["spill_bytes"] or row["counts"]["local"]) for row in rows)
    (RESULTS / "triton-sass.md").write_text(
        f"""# Machine code of the Triton kernels on Hopper

{made}.
Instructions as they stand in the code, not as often as they run: a loop's body counts once. HGMMA is Hopper's warpgroup
tensor-core instruction, HMMA the older one; LDGSTS is an asynchronous copy to shared memory (cp.async); local are loads
and stores of local memory, which is where spills go.

Attention kernels without tensor-core instructions: {len(without)} of {len(attention)}.
Kernels with spills or local memory: {spills[True]} of {len(rows)}.

{table(rows)}
"""
    )


if __name__ == "__main__":
    main()
