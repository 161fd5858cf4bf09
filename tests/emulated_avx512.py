"""Runs tests of the operators on the AVX-512 kernels of a processor that has AVX2 alone, by SIMDe in their compiler.

    python -m tests.emulated_avx512 FOLDER [pytest's arguments, as: tests/ops/test_paged_attention.py -k bfloat16]

Needs GCC, Debian's libsimde-dev, and ten minutes for the first build in FOLDER. `EMULATED_ISA` is one of avx512,
avx512_vnni and avx512_bf16 (the default). What SIMDe has none of, bfloat16's products among it, `emulated_avx512.h`
computes number by number. Speed and the compiler's choice of registers are not those of AVX-512.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.ops.test_every_isa import FILES, SLOW
from tests.sanitized import leave_out_kernels
from torchpaged.csrc import build

ROOT = Path(__file__).resolve().parents[1]
ISAS = ("avx512", "avx512_vnni", "avx512_bf16")
HEADER = Path(__file__).with_suffix(".h")
# Assembler, of which SIMDe knows nothing: what it becomes.
REPLACED = {
    "vec_avx512.h": ('asm("" : "+v"(x));', ""),
    "dot_avx512.h": (
        'asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(words), "v"(row));',
        "sum = emulated::dpbusd(sum, words, row);",
    ),
}
# GCC's attributes of vectors matter to no template here, nor the way in which they are passed between functions.
QUIET = ("-Wno-psabi", "-Wno-ignored-attributes")


def copy_sources(folder: Path) -> Path:
    """Copy the C++ sources with `emulated_avx512.h` beside them, and without assembler."""
    sources = folder / "cpu"
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(build.SOURCES, sources)
    shutil.copy2(HEADER, sources)
    for name, (old, new) in REPLACED.items():
        text = (sources / name).read_text()
        if text.count(old) != 1:
            sys.exit(f"tests/emulated_avx512.py: {name} does not have {old!r} once; mend REPLACED")
        (sources / name).write_text(text.replace(old, new))
    return sources


def emulated(unit: build.Unit, sources: Path, emulating: Path) -> build.Unit:
    """Return a unit with AVX2's flags in place of AVX-512's; the dispatcher's finds every instruction set."""
    flags = tuple(flag for flag in unit.flags if not flag.startswith(("-mavx512", "-mprefer-vector-width")))
    if flags != unit.flags:
        return build.Unit(
            str(emulating / unit.source), (*flags, "-O2", *QUIET, "-include", str(emulating / HEADER.name))
        )
    if unit.source == "dispatch.cpp":
        flags = (*flags, "-D__builtin_cpu_supports(name)=1")
    return build.Unit(str(sources / unit.source), flags)


def make_library(folder: Path) -> Path:
    """Build the library in `folder`, unless it is there already."""
    sources, build.SOURCES = build.SOURCES, copy_sources(folder)
    leave_out_kernels(folder, ISAS)
    units = tuple(emulated(unit, sources, build.SOURCES) for unit in build.units())
    build.units = lambda machine=None: units
    return build.build(folder)


def main(arguments: Sequence[str]) -> int:
    """Make the library and run pytest; return its exit status."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which("ccache"):
        os.environ.setdefault("CXX", "ccache g++")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    folder = Path(arguments[0]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    # Not TORCHPAGED_ISA from the outside: this process has loaded the machine's own library, which would refuse it.
    chosen = {"TORCHPAGED_ISA": os.environ.get("EMULATED_ISA", "avx512_bf16")}
    environment = {**os.environ, **chosen, "TORCHPAGED_LIBRARY": str(make_library(folder))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "tests.ops.cpp_only"]
    tests = arguments[1:] or [*(f"tests/ops/test_{name}.py" for name in FILES), "-k", f"not ({SLOW} or the_levels_are)"]
    return subprocess.run([*command, *tests], cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
