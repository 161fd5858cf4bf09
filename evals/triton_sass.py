"""Machine code of the Triton kernels on Hopper: tensor-core instructions, wide loads and spills.

    python -m evals.triton_sass

compiles a choice of configurations for sm_90, offline, and writes evals/results/triton-sass.json and .md. Registers of
every configuration are in triton-registers.md. It needs a process in which Triton's interpreter is off.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import triton

from tests.ops.offline import TARGETS
from tests.ops.test_triton_compile import DTYPES, Case, Row, compile_all
from torchpaged.ops.triton.attention_plan import configuration

RESULTS = Path(__file__).parent / "results"
CUOBJDUMP = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"

# Configurations: head_dim 64, 128, 256; groups 1, 4, 8; 16-bit, fp8 and int8 caches; blocks of 16 and 64; MLA.
# "split" is decode over a long context, "deep" over one whose merge has many parts, "fold" prefill, "mixed" both in one
# batch, "one" decode over a context of one chunk.
CHOSEN = (
    *(
        Case(head_dim, heads=heads, cache=cache, scale="tensor", block_size=block_size)
        for head_dim in (64, 128, 256)
        for heads in ((8, 8), (8, 2), (8, 1))
        for cache in ("", "e4m3")
        for block_size in (16, 64)
    ),
    Case(128, cache="int8"),
    Case(128, modes=("deep", "mixed")),
    *(Case(576, head_dim_v=512, heads=(16, 1), alias=True, block_size=size) for size in (16, 64)),
)

# Resources of a multiprocessor of an H100 or H200 (compute capability 9.0).
REGISTERS, SHARED_BYTES, WARPS, PROGRAMS = 65536, 233_472, 64, 32
# Bytes that each of 132 must have in flight for 4.3 TB/s, if a read takes 0.8 microseconds: assumed, not measured.
NEEDED_BYTES = 26_000

# Instruction kinds, by a pattern over the mnemonic. LDGSTS is cp.async; UTMALDG a TMA load.
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
    """Return the code as cuobjdump prints it."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        done = subprocess.run(
            [str(CUOBJDUMP), "-sass", file.name], check=True, capture_output=True, text=True, timeout=120
        )
    return done.stdout


def mnemonics(text: str) -> list[str]:
    """Return the mnemonic of every instruction that `disassemble` prints, in order, without its predicate."""
    return re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", text, re.MULTILINE)


def count(names: list[str]) -> dict[str, int]:
    """Return the number of instructions of each kind in `COUNTED`, and in all."""
    found = {kind: sum(bool(re.match(pattern, name)) for name in names) for kind, pattern in COUNTED.items()}
    return {**found, "all": len(names)}


def residency(row: Row) -> int:
    """Return the number of a kernel's programs that a multiprocessor holds at a time."""
    registers_a_warp = -(-row.registers * 32 // 256) * 256
    return min(
        REGISTERS // registers_a_warp // row.num_warps,
        SHARED_BYTES // (row.shared_bytes + 1024),
        WARPS // row.num_warps,
        PROGRAMS,
    )


def bytes_under_way(case: Case, mode: str, programs: int) -> int:
    """Return the bytes of keys and values that a multiprocessor has in flight between a tile's load and its use."""
    dtype, cache = DTYPES[case.dtype], DTYPES[case.cache or case.dtype]
    dim_v = case.head_dim_v or case.head_dim
    config = configuration(dtype, cache, case.head_dim, dim_v, not case.features, case.block_size, (9, 0))
    rows = config.fold if config.fold is not None and mode == "fold" else config.split
    tile = config.block_n * (case.head_dim + (0 if case.alias else dim_v)) * cache.itemsize
    return programs * tile * max(1, (rows.num_stages - 1) // 2)


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    kinds = [*COUNTED, "all"]
    head = [
        "kernel",
        "configuration",
        "registers",
        "spilled",
        "shared KiB",
        "warps",
        "programs",
        "KiB under way",
        *kinds,
    ]
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    for row in rows:
        under_way = f"{row['bytes_under_way'] / 1024:.0f}" if row["bytes_under_way"] else ""
        cells = [row["kernel"], row["case"], row["registers"], row["spill_bytes"], f"{row['shared_bytes'] / 1024:.1f}"]
        cells += [row["num_warps"], row["programs"], under_way, *(row["counts"][kind] for kind in kinds)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    """Compile, count and write the results."""
    rows: list[dict[str, Any]] = []
    codes: list[dict[str, int]] = []

    named = {f"{case}-{mode}": (case, mode) for case in CHOSEN for mode in case.modes}

    def report(row: Row) -> None:
        programs = residency(row)
        under_way = bytes_under_way(*named[row.case], programs) if row.kernel == "attention_kernel" else 0
        rows.append(
            {
                "kernel": row.kernel,
                "case": row.case,
                "registers": row.registers,
                "spill_bytes": row.spill_bytes,
                "shared_bytes": row.shared_bytes,
                "num_warps": row.num_warps,
                "programs": programs,
                "bytes_under_way": under_way,
                "counts": codes[-1],
            }
        )
        print(row.kernel, row.case, codes[-1], flush=True)

    compile_all(
        TARGETS["sm_90"], False, report, CHOSEN, lambda cubin: codes.append(count(mnemonics(disassemble(cubin))))
    )
    made = f"`python -m evals.triton_sass` (offline, no GPU), {date.today()}, Triton {triton.__version__}, sm_90"
    (RESULTS / "triton-sass.json").write_text(json.dumps({"made": made, "rows": rows}, indent=1) + "\n")
    attention = [row for row in rows if row["kernel"] == "attention_kernel"]
    without = [row for row in attention if not row["counts"]["HGMMA"] + row["counts"]["HMMA"]]
    old = [row for row in attention if not row["counts"]["HGMMA"]]
    spills = [row for row in rows if row["spill_bytes"] or row["counts"]["local"]]
    moves = [row for row in rows if row["kernel"] in ("write_kernel", "gather_kernel", "copy_kernel")]
    narrow = [row for row in moves if not row["counts"]["LDG.128"] or not row["counts"]["STG.128"]]
    few = [row for row in attention if row["bytes_under_way"] < NEEDED_BYTES]
    (RESULTS / "triton-sass.md").write_text(
        f"""# Machine code of the Triton kernels on Hopper

{made}.
Instructions as they stand in the code, not as often as they run: a loop's body counts once. HGMMA is Hopper's warpgroup
tensor-core instruction, HMMA the older one; LDGSTS is an asynchronous copy to shared memory (cp.async); local are loads
and stores of local memory, which is where spills go. Narrower loads are also those of single numbers: lengths, places
in the block table, scales, maxima. Programs are those that a multiprocessor holds at a time, by registers, shared
memory and warps; KiB under way are the keys and values that it has asked for and not yet used. For 4.3 TB/s it takes
{NEEDED_BYTES / 1024:.0f} KiB if a read takes 0.8 microseconds, which is assumed and not measured.

- Attention kernels without tensor-core instructions: {len(without)} of {len(attention)}; with HMMA only: {names(old)}.
- Attention kernels with fewer bytes under way than needed: {names(few)}.
- Kernels with spills or local memory: {len(spills)} of {len(rows)}: {names(spills)}.
- Kernels that move rows and have no 16-byte loads or no 16-byte stores: {names(narrow)}.

{table(rows)}
"""
    )


def names(rows: list[dict[str, Any]]) -> str:
    """Return the configurations' names for a sentence."""
    return ", ".join(sorted({f"{row['kernel']} {row['case']}" for row in rows})) or "none"


if __name__ == "__main__":
    main()
