"""`make test-sanitized`: the operators' tests on a C++ library built with AddressSanitizer and UBSan.

The library goes into build/sanitized, which is not a default path: TORCHPAGED_LIBRARY names it. It has the kernels of
one instruction set, the best of this machine or that which TORCHPAGED_ISA names: all others would take most of a build.
A report of either sanitizer ends the process that made it, and so fails its test. Arguments go to pytest. Tests that
limit the address space fail, as of grammars in a trial process: AddressSanitizer reserves terabytes.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Container
from pathlib import Path

from torchpaged.csrc import build
from torchpaged.ops import cpu

ROOT = Path(__file__).resolve().parents[1]
FLAGS = ("-fsanitize=address,undefined,float-cast-overflow", "-fno-omit-frame-pointer", "-g", "-O1")
# None of these runs this library's kernels: Triton's compiler, plans and shares; the builder, with scripts for
# compilers; the other instruction sets.
WITHOUT_KERNELS = (
    *("test_triton_compile.py", "test_attention_plan.py", "test_shares.py", "test_build.py"),
    "test_every_isa.py",
)
OPTIONS = {
    # Python frees some memory only at exit, and torch reserves pools that are never touched.
    "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


def runtime(name: str) -> str:
    """Return the path of a sanitizer's library, which must be preloaded because Python is not built with it."""
    command = [*build.compiler(), f"-print-file-name={name}"]
    path = Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
    if not path.is_absolute():
        sys.exit(f"make test-sanitized: {command[0]} has no {name}; install GCC with its sanitizers, and set CXX=g++")
    return str(path.resolve())


def leave_out_kernels(folder: Path, chosen: Container[str]) -> None:
    """Have empty tables, in a file of `folder`, replace the kernels of every instruction set but the chosen ones."""
    kept, tables = [], []
    for unit in build.units():
        found = re.fullmatch(r"kernels_(linear_)?(\w+)\.cpp", unit.source)
        if found is None or found[2] in chosen:
            kept.append(unit)
            continue
        name = "k" + "".join(map(str.capitalize, found[2].split("_")))
        table = f"LinearKernels {name}Linear{{}}" if found[1] else f'Kernels {name}Kernels{{"{found[2]}"}}'
        tables.append(f"const {table};\n")
    source = folder / "left_out.cpp"
    source.write_text(f'#include "{build.SOURCES / "common.h"}"\nnamespace torchpaged {{\n{"".join(tables)}}}\n')
    build.units = lambda machine=None: (*kept, build.Unit(str(source)))


def main() -> int:
    given = dict(os.environ)  # tests compile with torch, which takes CXX for one word
    if shutil.which("ccache"):  # most of a build is for kernels that seldom change
        os.environ.setdefault("CXX", "ccache g++")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    preload = " ".join(map(runtime, ("libasan.so", "libubsan.so")))
    folder = ROOT / "build" / "sanitized"
    folder.mkdir(parents=True, exist_ok=True)
    # AVX-512 with VNNI has linear operators of its own alone.
    leave_out_kernels(folder, {cpu.isa(), cpu.isa().removesuffix("_vnni")})
    library = build.build(folder, FLAGS)
    environment = {**given, **OPTIONS, "LD_PRELOAD": preload, "TORCHPAGED_LIBRARY": str(library)}
    # No capture: a process that a sanitizer ends cannot print the captured output.
    options = ["-s", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "tests.ops.cpp_only"]
    chosen = sys.argv[1:] or ["-n", "2", "--dist", "worksteal", "tests/ops", "tests/compiler/test_fusion.py"]
    left_out = [f"--ignore=tests/ops/{name}" for name in WITHOUT_KERNELS]
    command = [sys.executable, "-m", "pytest", *options, *left_out, *chosen]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
