"""Builds the C++ library of the CPU backend, and finds one that was built before.

Runs on the standard library alone and never imports torch (its headers are enough), so that `setup.py` can
load this file by path inside pip's isolated build. `python csrc/build.py` or `python -m torchpaged.csrc.build`
builds by hand. The file's name carries a hash of what went into it: a stale library is never found.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "cpu"

# torch 2.11: the oldest release whose stable ABI has what the binding needs. One binary loads there and later.
TORCH_TARGET_VERSION = "0x020b000000000000"

_COMMON = (
    "-std=c++17",
    "-fPIC",
    "-fvisibility=hidden",
    "-Wall",
    # GCC 12's own AVX-512 headers use values that they call undefined.
    "-Wno-uninitialized",
    "-Wno-maybe-uninitialized",
    "-Wno-unknown-warning-option",  # clang's name for what it does not know of the line above
    f"-DTORCH_TARGET_VERSION={TORCH_TARGET_VERSION}",
)
# A multiply and an add are fused where the source says so and nowhere else: whether a compiler sees a chance
# differs between two instances of one template, and a row's bits would differ with it.
_KERNEL = ("-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
_AVX2 = ("-mavx2", "-mfma", "-mf16c")
_AVX512 = (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512")


class BuildError(RuntimeError):
    """No library could be built; the message says why, with the compiler's last lines."""


@dataclass(frozen=True)
class Unit:
    """One translation unit and the flags that only it gets."""

    source: str
    flags: tuple[str, ...] = ("-O2",)


def units() -> tuple[Unit, ...]:
    """What the library consists of on this machine's architecture, slowest to compile first."""
    kernels = [Unit("kernels_portable.cpp", _KERNEL)]
    if platform.machine().lower() in ("x86_64", "amd64"):
        kernels = [
            Unit("kernels_avx512_bf16.cpp", (*_KERNEL, *_AVX512, "-mavx512vbmi", "-mavx512bf16", "-mavx512vnni")),
            Unit("kernels_avx512.cpp", (*_KERNEL, *_AVX512)),
            Unit("kernels_avx2.cpp", (*_KERNEL, *_AVX2)),
            *kernels,
        ]
    bindings = ("binding.cpp", "binding_linear.cpp", "binding_pointwise.cpp")
    operators = ("attention.cpp", "cache_ops.cpp", "linear.cpp", "pointwise.cpp", "sampling.cpp", "dispatch.cpp")
    return (*kernels, *map(Unit, (*bindings, *operators)))


def library_name() -> str:
    """The file name of the library that belongs to these sources and flags."""
    digest = hashlib.sha256()
    for unit in units():
        digest.update(repr((unit.source, *_COMMON, *unit.flags)).encode())
    for path in sorted(SOURCES.iterdir()):
        if path.suffix in (".cpp", ".h"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"libtorchpaged_cpu-{digest.hexdigest()[:12]}.so"


def cache_directory() -> Path:
    """Where a user's own builds go when the package's folder is not theirs to write."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "torchpaged"


def find() -> Path | None:
    """The library of these sources: beside the package, else in the user's cache, else None."""
    name = library_name()
    return next((d / name for d in (HERE, cache_directory()) if (d / name).is_file()), None)


def torch_include() -> Path:
    """torch's header folder, found without importing torch. Raises BuildError."""
    candidates = []
    with contextlib.suppress(ImportError, ValueError):
        spec = importlib.util.find_spec("torch")
        if spec is not None and spec.submodule_search_locations:
            candidates += [Path(location) / "include" for location in spec.submodule_search_locations]
    candidates.append(Path(sysconfig.get_path("purelib")) / "torch" / "include")
    for include in candidates:
        if (include / "torch" / "csrc" / "stable" / "library.h").is_file():
            return include
    looked = ", ".join(map(str, candidates))
    raise BuildError(f"torch's headers were not found (looked in {looked}); install torch 2.11 or later")


def compiler() -> list[str]:
    """The C++ compiler as a command: $CXX, else the first one on the PATH. Raises BuildError."""
    asked = os.environ.get("CXX")
    for name in (asked,) if asked else ("g++", "c++", "clang++"):
        command = shlex.split(name)
        if command and shutil.which(command[0]):
            return command
    what = f"CXX is {asked!r}, which was not found" if asked else "no g++, c++ or clang++ on the PATH"
    raise BuildError(f"{what}; install a C++17 compiler (Debian, Ubuntu: apt install g++) or set CXX to one")


def build(directory: Path | None = None, progress: Callable[[str], None] | None = None) -> Path:
    """Compiles the library into `directory` and returns its path; one that is there already is kept.

    Without a directory it goes beside the sources, or into the user's cache where that is not writable.
    Processes that build at once wait for the first. `progress` is called with a line per compiled unit.

    Raises:
        BuildError: no compiler, no headers, or a compiler that failed.
    """
    if directory is None:
        directory = HERE if os.access(HERE, os.W_OK) else cache_directory()
    target = directory / library_name()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with _locked(directory / "libtorchpaged_cpu.lock"):
            if not target.is_file():
                with tempfile.TemporaryDirectory(prefix=".build-", dir=directory) as folder:
                    link(compile_units(Path(folder), progress).values(), target)
                if directory == HERE:
                    _remove_stale(target)
    except OSError as error:
        raise BuildError(f"cannot build in {directory}: {error}") from error
    return target


def compile_units(folder: Path, progress: Callable[[str], None] | None = None) -> dict[str, Path]:
    """Compiles every unit into `folder`: the object file of each source. Raises BuildError."""
    command, include = compiler(), torch_include()

    def compile_unit(unit: Unit) -> tuple[str, Path]:
        result = folder / (unit.source + ".o")
        flags = (*_COMMON, *unit.flags, "-isystem", str(include))
        _run([*command, *flags, "-c", str(SOURCES / unit.source), "-o", str(result)])
        if progress is not None:
            progress(f"compiled {unit.source}")
        return unit.source, result

    # Two at a time: the build shares the machine.
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        return dict(pool.map(compile_unit, units()))


def link(objects: Iterable[Path], target: Path) -> None:
    """Links object files into `target`, beside them first and then renamed. Raises BuildError."""
    command = compiler()
    with tempfile.TemporaryDirectory(prefix=".link-", dir=target.parent) as folder:
        # torch's libraries are loaded long before this one: their name is all the linker needs.
        stub = Path(folder) / "libtorch_cpu.so"
        _run([*command, "-shared", "-Wl,-soname,libtorch_cpu.so", "-o", str(stub), "-x", "c++", os.devnull])
        linked = Path(folder) / target.name
        libraries = ["-Wl,--no-as-needed", f"-L{folder}", "-ltorch_cpu"]
        _run([*command, *map(str, objects), "-shared", *libraries, "-o", str(linked)])
        os.replace(linked, target)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = "\n".join(done.stderr.strip().splitlines()[-12:])
        raise BuildError(f"`{shlex.join(command)}` failed with status {done.returncode}:\n{last}")


def _remove_stale(current: Path) -> None:
    for path in current.parent.glob("libtorchpaged_cpu-*.so"):
        if path != current:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> int:
    """Builds unless the library is there, and prints its path."""
    try:
        path = find() or build(progress=lambda line: print(line, file=sys.stderr, flush=True))
    except BuildError as error:
        print(f"torchpaged: {error}", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
