"""Comparison of the attention kernel's tile sizes on a GPU: time, and whether the bits equal the first variant's.

    python evals/bench/tune_gpu.py [--only decode] [--compile 12] [--output evals/results/tune-gpu.json]

The choice of `ops/triton/attention_plan.py` comes first in each case. `--compile` has that many processes compile every
variant before the first is timed: on a lent machine compilers would take most of the time.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from evals.bench.gpu_cases import Case
from evals.bench.gpu_inputs import Inputs
from evals.bench.ops_gpu import timed
from torchpaged.ops.triton import attention_plan, paged_attention
from torchpaged.ops.triton.attention_plan import Configuration, Rows

ROTATE_BYTES = 256 << 20
Variant = dict[str, Any]
DECODES: tuple[Variant, ...] = (
    {},
    {"rows": (64, 4, 3)},
    {"rows": (64, 4, 9)},
    {"programs": 2},
    {"chunk": 1024},
    {"block_n": 64, "rows": (16, 2, 3)},
    {"block_n": 64, "rows": (16, 2, 5)},
)
EIGHT_BITS: tuple[Variant, ...] = (
    {},
    {"rows": (64, 4, 2)},
    {"rows": (64, 4, 5)},
    {"block_n": 64, "rows": (64, 4, 3)},
    {"block_n": 64, "rows": (64, 4, 5)},
    {"chunk": 1024},
    {"programs": 2},
    {"block_n": 32, "rows": (16, 2, 5)},
    {"block_n": 64, "rows": (16, 2, 5)},
)
SHORT: tuple[Variant, ...] = ({}, {"chunk": 128}, {"chunk": 256}, {"chunk": 1024})
PREFILLS: tuple[Variant, ...] = (
    {},
    {"chunk": 2048},
    {"fusion": True},
    {"fold": (128, 8, 3)},
    {"fold": (128, 8, 9)},
    {"fold": (64, 4, 5)},
    {"block_n": 128, "fold": (128, 8, 2)},
    {"block_n": 128, "fold": (128, 8, 3)},
)


def plan() -> Iterator[tuple[Case, tuple[Variant, ...]]]:
    """Yield the cases with the variants to try."""
    yield Case("decode", ((1, 4096),) * 32), DECODES
    for cache in ("float8_e4m3fn", "int8"):
        yield Case("decode", ((1, 4096),) * 32, cache=cache), EIGHT_BITS
    for cache in ("bfloat16", "float8_e4m3fn"):
        for batch, context in ((8, 512), (1, 4096), (8, 2048)):
            yield Case("decode", ((1, context),) * batch, cache=cache), SHORT
    yield Case("decode", ((1, 8192),) * 32, 16, 4, 256), ({}, {"rows": (64, 4, 3)}, {"rows": (64, 8, 2)})
    wide: tuple[Variant, ...] = ({}, {"rows": (64, 4, 2)}, {"rows": (64, 4, 3)}, {"block_n": 64, "rows": (64, 4, 2)})
    yield Case("decode", ((1, 8192),) * 32, 16, 4, 256, cache="float8_e4m3fn"), wide
    yield Case("decode", ((1, 8192),) * 32, 32, 8, 64), ({}, {"rows": (64, 4, 5)}, {"block_n": 128, "rows": (64, 4, 5)})
    yield Case("prefill", ((8192, 8192),)), PREFILLS
    narrow: tuple[Variant, ...] = ({}, {"fold": (128, 8, 3)}, {"block_n": 64, "fold": (128, 8, 3)})
    yield Case("prefill", ((8192, 8192),), cache="float8_e4m3fn"), narrow


def changed(variant: Variant) -> Any:
    """Return patches that apply a variant to a call."""
    original, launch = attention_plan.configuration, paged_attention._attention_kernel

    def configuration(*args: Any) -> Configuration:
        found = original(*args)
        given = {name: variant[name] for name in ("block_n", "chunk") if name in variant}
        if "rows" in variant:
            given["split"] = Rows(*variant["rows"])
        if "fold" in variant:
            given["fold"] = Rows(*variant["fold"])
        return replace(found, **given)

    class Kernel:
        def __getitem__(self, grid: Any) -> Any:
            def run(*args: Any, **options: Any) -> None:
                if "fusion" in variant:
                    options["enable_fp_fusion"] = variant["fusion"]
                launch[grid](*args, **options)

            return run

    programs = variant.get("programs", paged_attention.PROGRAMS_PER_MULTIPROCESSOR)
    return mock.patch.multiple(
        paged_attention, configuration=configuration, _attention_kernel=Kernel(), PROGRAMS_PER_MULTIPROCESSOR=programs
    )


def measure(case: Case, variant: Variant, sets: list[Inputs], rounds: int) -> dict[str, Any]:
    """Return microseconds, and the output."""
    with changed(variant):
        for each in sets:
            each.out.fill_(torch.nan)
        seconds = timed([each.attend for each in sets], sets[0].device, rounds)
        error = sets[0].check_attention()
    return {"variant": variant, "us": 1e6 * seconds, "error": error, "out": sets[0].out.clone()}


def main() -> None:
    """Compile, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="a kind of case")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--compile", type=int, default=0, metavar="PROCESSES")
    parser.add_argument("--part", type=int, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, default=Path("evals/results/tune-gpu.json"))
    options = parser.parse_args()
    device = torch.device("cuda")
    jobs = [(case, each) for case, variants in plan() for each in variants if options.only in (None, case.kind)]
    if options.part is not None:
        part, parts = options.part
        for case, variant in jobs[part::parts]:
            try:
                with changed(variant):
                    Inputs(case, device, 0).attend()
                torch.cuda.synchronize()
            except Exception as error:  # reported when it is measured
                print(f"{case.name}, {variant}: {type(error).__name__}", flush=True)
        return
    if options.compile:
        only = ["--only", options.only] if options.only else []
        command = [sys.executable, __file__, *only, "--part"]
        running = [subprocess.Popen([*command, str(i), str(options.compile)]) for i in range(options.compile)]
        for each in running:
            each.wait()
    rows: list[dict[str, Any]] = []
    result = {**machine.describe(sys.argv), "rows": rows}
    before: Case | None = None
    for case, variant in jobs:
        if case is not before:
            before, first, sets = case, None, []
            gc.collect()
            torch.cuda.empty_cache()
            count = max(1, min(16, -(-ROTATE_BYTES // case.work.num_bytes)))
            sets = [Inputs(case, device, seed) for seed in range(count)]
            print(case.name, flush=True)
        try:
            row = measure(case, variant, sets, options.rounds)
        except Exception as error:  # for example too much shared memory; the others can still run
            rows.append({"case": case.name, "variant": variant, "failed": str(error).splitlines()[0][:200]})
            print(f"    {variant}: {rows[-1]['failed']}", flush=True)
            continue
        out = row.pop("out")
        first = out if first is None else first
        row = {"case": case.name, **row, "same_bits": bool(torch.equal(out, first))}
        rows.append(row)
        print(f"{row['us']:10.1f} us  error {row['error']:.1e}  {'same' if row['same_bits'] else 'OTHER':5} {variant}")
        sys.stdout.flush()
        options.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
