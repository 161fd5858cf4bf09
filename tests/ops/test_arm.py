"""The CPU kernels on 64-bit Arm: compiled for it, run natively or in an emulator, and compared with this machine's.

Debian's `g++-aarch64-linux-gnu` or `pip install ziglang` brings a compiler for it, Debian's `qemu-user` an emulator.
torch is not needed there: the kernels know plain structs, and `kernels_alone.cpp` stands in for torch's threads.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from torchpaged.csrc import build

DRIVER = Path(__file__).with_name("kernels_alone.cpp")
OPERATORS = (
    "attention.cpp",
    "cache_ops.cpp",
    "linear.cpp",
    "lora.cpp",
    "sampling.cpp",
    "tables.cpp",
    "team.cpp",
    "topk.cpp",
)
ZIG = importlib.util.find_spec("ziglang") is not None
CROSS = shutil.which("aarch64-linux-gnu-g++")
IS_ARM = platform.machine() == "aarch64"
EMULATOR = [] if IS_ARM else ["qemu-aarch64"]
needs_zig = pytest.mark.skipif(not ZIG, reason="importlib.util.find_spec('ziglang') is None")

# Of numbers that are not larger than 10: a sum of 600 products in another order, then one rounding to its type.
FLOAT32, FLOAT16, BFLOAT16 = 2**-18, 2**-10, 2**-7


def zig(target: str) -> list[str]:
    return [sys.executable, "-m", "ziglang", "c++", "-target", target]


def program(
    command: Sequence[str], linker: Sequence[str], units: Sequence[build.Unit], folder: Path, *flags: str
) -> Path:
    """Build the driver with some kernels."""
    shared = (*build._COMMON, "-Werror", "-isystem", str(build.torch_include()))

    def compiled(source: Path, options: Sequence[str]) -> str:
        target = folder / f"{source.name}.o"
        run([*command, *shared, *options, *flags, "-c", str(source), "-o", str(target)])
        return str(target)

    sources = [(build.SOURCES / unit.source, unit.flags) for unit in units]
    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compiled, *zip(*sources, (DRIVER, ("-O1",)), strict=True)))
    static = [] if "-fsanitize=thread" in flags else ["-static"]
    run([*linker, *static, *flags, *objects, "-o", str(folder / "alone")])
    return folder / "alone"


def portable_program(folder: Path, *flags: str) -> Path:
    """Build the driver for this machine with the portable kernels alone."""
    wanted = {*OPERATORS, "kernels_portable.cpp", "kernels_linear_portable.cpp"}
    units = [unit for unit in build.units("riscv64") if unit.source in wanted]
    return program(build.compiler(), build.compiler(), units, folder, "-DONLY_PORTABLE", *flags)


def run(command: Sequence[str], isa: str = "") -> str:
    environment = {**os.environ, "TORCHPAGED_ISA": isa} if isa else dict(os.environ)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=590)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr}"
    return done.stdout


def numbers(text: str) -> dict[str, list[float]]:
    lines = (line.split() for line in text.splitlines() if not line.startswith("isa "))
    return {name: list(map(float, values)) for name, *values in lines}


def furthest(found: list[float], expected: list[float]) -> float:
    assert len(found) == len(expected)
    scale = max(1.0, *map(abs, expected)) / 10
    return max(abs(a - b) for a, b in zip(found, expected, strict=True)) / max(1.0, scale)


def test_each_machine_has_kernels_of_its_own() -> None:
    names = {machine: {unit.source for unit in build.units(machine)} for machine in ("x86_64", "aarch64", "riscv64")}
    assert names["aarch64"] - names["riscv64"] == {"kernels_neon.cpp", "kernels_linear_neon.cpp"}
    assert not names["riscv64"] - names["x86_64"] and names["x86_64"] & names["aarch64"] == names["riscv64"]
    assert all((build.SOURCES / source).is_file() for source in set.union(*names.values()))


@pytest.mark.long
@pytest.mark.skipif(
    not (ZIG or CROSS or IS_ARM),
    reason="shutil.which('aarch64-linux-gnu-g++') is None and importlib.util.find_spec('ziglang') is None",
)
@pytest.mark.skipif(not IS_ARM and shutil.which("qemu-aarch64") is None, reason="shutil.which('qemu-aarch64') is None")
def test_an_arm_gives_what_this_machine_gives(tmp_path: Path) -> None:
    wanted = {*OPERATORS, "dispatch.cpp", *(name for name in os.listdir(build.SOURCES) if name.startswith("kernels_"))}
    (tmp_path / "arm").mkdir()
    units = [unit for unit in build.units("aarch64") if unit.source in wanted]
    compiler = linker = build.compiler()
    if not IS_ARM and CROSS:
        compiler = linker = [CROSS]
    elif not IS_ARM:  # torch's headers are for glibc, of which zig has nothing to run with; musl is linked in whole
        compiler, linker = zig("aarch64-linux-gnu"), zig("aarch64-linux-musl")
    alone = program(compiler, linker, units, tmp_path / "arm")
    texts = {isa: run([*EMULATOR, str(alone)], isa) for isa in ("neon", "portable")}
    for isa, text in texts.items():
        assert text.startswith(f"isa {isa}\n")
    neon, portable = (numbers(texts[isa]) for isa in ("neon", "portable"))
    assert len(neon) == len(portable) > 50
    for name, values in neon.items():
        kind = name.rpartition("-")[2]
        limit = FLOAT32 if "lse" in name else {"0": FLOAT32, "1": FLOAT16, "2": BFLOAT16}.get(kind[-1], 0)
        assert furthest(values, portable[name]) <= limit, name

    (tmp_path / "here").mkdir()
    here = numbers(run([str(portable_program(tmp_path / "here"))]))
    assert here.keys() == portable.keys()
    for name, values in here.items():  # the same bits, but for the logarithm, which is each system's own
        assert furthest(portable[name], values) <= (2**-20 if "lse" in name else 0), name


@pytest.mark.long
@needs_zig
@pytest.mark.parametrize("target", ["aarch64-linux-gnu", "aarch64-macos"])
def test_every_unit_compiles_for(target: str, tmp_path: Path) -> None:
    for unit in build.units("aarch64"):
        flags = (*build._COMMON, *unit.flags, "-O0", "-Werror", "-isystem", str(build.torch_include()))
        run([*zig(target), *flags, "-c", str(build.SOURCES / unit.source), "-o", str(tmp_path / "unit.o")])
