"""Builds the C++ library of the CPU backend, and finds one that was built before.

Runs on the standard library alone and never imports torch (its headers are enough), so that `setup.py` can
load this file by path inside pip's isolated build. `python csrc/build.py` or `python -m torchpaged.csrc.build`
builds by hand. The file's name carries a hash of what went into it: a stale library is never found. It lies beside
the package, or else in the user's cache, or else in a temporary folder that is this user's alone.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import importlib.util
import logging
import os
import platform
import shlex
import shutil
import signal
import stat
import struct
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

logger = logging.getLogger("torchpaged.csrc.build")

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
# Of a processor without the instruction sets below: -O3 takes twice the compiler's time, and only linear operators are
# faster with it.
_PORTABLE = ("-O2", *_KERNEL[1:])
_AVX2 = ("-mavx2", "-mfma", "-mf16c")
_AVX512 = (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512")
_AVX512_BF16 = (*_AVX512, "-mavx512vbmi", "-mavx512bf16", "-mavx512vnni")


class BuildError(RuntimeError):
    """No library could be built; the message says why, with the compiler's last lines."""


@dataclass(frozen=True)
class Unit:
    """One translation unit and the flags that only it gets."""

    source: str
    flags: tuple[str, ...] = ("-O2",)


def built_for() -> str:
    """Return the architecture to build for: this machine's, or the one that a cross build names (`manylinux.py`)."""
    return (os.environ.get("TORCHPAGED_BUILD_MACHINE") or platform.machine()).lower()


def units(machine: str | None = None) -> tuple[Unit, ...]:
    """Return the library's units for an architecture, by default the one to build for; the slowest to compile first."""
    machine = (machine or built_for()).lower()
    kernels = [Unit("kernels_portable.cpp", _PORTABLE), Unit("kernels_linear_portable.cpp", _KERNEL)]
    if machine in ("aarch64", "arm64"):  # each of them has NEON
        kernels = [Unit("kernels_neon.cpp", _KERNEL), Unit("kernels_linear_neon.cpp", _KERNEL), *kernels]
    if machine in ("x86_64", "amd64"):
        kernels = [
            Unit("kernels_avx512_bf16.cpp", (*_KERNEL, *_AVX512_BF16)),
            Unit("kernels_avx512.cpp", (*_KERNEL, *_AVX512)),
            Unit("kernels_avx2.cpp", (*_KERNEL, *_AVX2)),
            Unit("kernels_linear_avx512_bf16.cpp", (*_KERNEL, *_AVX512_BF16)),
            Unit("kernels_linear_avx512_vnni.cpp", (*_KERNEL, *_AVX512, "-mavx512vnni")),
            Unit("kernels_linear_avx512.cpp", (*_KERNEL, *_AVX512)),
            Unit("kernels_linear_avx2.cpp", (*_KERNEL, *_AVX2)),
            *kernels,
        ]
    bindings = (
        "binding.cpp",
        "binding_convolution.cpp",
        "binding_fused.cpp",
        "binding_linear.cpp",
        "binding_logits.cpp",
        "binding_pointwise.cpp",
        "binding_replay.cpp",
        "binding_states.cpp",
        "binding_topk.cpp",
        "binding_varlen.cpp",
    )
    operators = (
        "attention.cpp",
        "cache_ops.cpp",
        "convolution.cpp",
        "decode.cpp",
        "fused_linear.cpp",
        "linear.cpp",
        "lora.cpp",
        "pages.cpp",
        "logits.cpp",
        "pointwise.cpp",
        "replay.cpp",
        "replay_views.cpp",
        "sampling.cpp",
        "score_mods.cpp",
        "states.cpp",
        "team.cpp",
        "topk.cpp",
    )
    blocks = Unit("blocks.cpp", ("-O3",)), Unit("tables.cpp", ("-O3",))
    # Vectors help what is computed number by number, and no fused product may change a bit of it.
    replayed = Unit("replay_pointwise.cpp", ("-O3", "-ffp-contract=off"))
    ranks = Unit("ranks.cpp", ("-O3", "-ffp-contract=off"))
    return (*kernels, *blocks, *map(Unit, (*bindings, *operators, "dispatch.cpp")), replayed, ranks)


def library_name(flags: tuple[str, ...] = (), machine: str | None = None) -> str:
    """The file name of the library that belongs to these sources and their flags, with `flags` behind each unit's."""
    machine = machine or built_for()
    digest = hashlib.sha256(machine.encode())
    for unit in units(machine):
        digest.update(repr((unit.source, *_COMMON, *unit.flags, *flags)).encode())
    for path in sorted(SOURCES.iterdir()):
        if path.suffix in (".cpp", ".h"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"libtorchpaged_cpu-{digest.hexdigest()[:12]}.so"


def cache_directory() -> Path:
    """The user's cache: in XDG_CACHE_HOME, else in ~/.cache. Raises FileNotFoundError for a user without either."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(root):  # a relative one counts as none, says the XDG specification
        return Path(root) / "torchpaged"
    home = os.path.expanduser("~")
    if not os.path.isdir(home):
        raise FileNotFoundError(errno.ENOENT, "no home folder", home)
    return Path(home) / ".cache" / "torchpaged"


def temporary_directory() -> Path:
    """This user's own among the machine's temporary files. Raises FileNotFoundError where there is no place for any."""
    return Path(tempfile.gettempdir()) / f"torchpaged-{os.geteuid()}"


def find() -> Path | None:
    """The library of these sources: the first that is there whole, of all the places for it; or None."""
    name = library_name()
    candidates = [HERE]
    with contextlib.suppress(OSError):
        candidates.append(cache_directory())
    with contextlib.suppress(OSError):
        candidates += filter(_is_private, [temporary_directory()])
    return next((d / name for d in candidates if _is_whole(d / name)), None)


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
    asked = os.environ.get("CXX", "")
    try:
        # A path with spaces in it, or a command with arguments.
        commands = [[asked], shlex.split(asked)] if asked else [["g++"], ["c++"], ["clang++"]]
    except ValueError as error:
        raise BuildError(f"CXX is {asked!r}, which is no command ({error}); set it to a C++17 compiler") from error
    for command in commands:
        if command and shutil.which(command[0]):
            return command
    what = f"CXX is {asked!r}, which was not found" if asked else "no g++, c++ or clang++ on the PATH"
    raise BuildError(f"{what}; install a C++17 compiler (Debian, Ubuntu: apt install g++) or set CXX to one")


def build(directory: Path | None = None, flags: tuple[str, ...] = ()) -> Path:
    """Compiles the library into `directory` and returns its path; one that is there whole is kept.

    Without a directory it goes beside the sources, else into the user's cache, else into a temporary folder.
    Processes that build at once wait for the first. That a build begins is logged as a warning, since it takes a
    while, each unit as information. `flags` go to the compiler behind each unit's own, and to the linker.

    Raises:
        BuildError: no compiler, no headers, a compiler that failed, or no folder that can be written to.
    """
    compiler(), torch_include()  # before anything is written
    places: list[Callable[[], Path]] = [lambda: HERE, lambda: _made(cache_directory()), _private_folder]
    refusals = []
    for place in places if directory is None else [lambda: _made(directory)]:
        try:
            folder = place()
            target = _build_in(folder, flags)
            if folder in (HERE, directory):  # other versions of the package share a cache
                _remove_stale(target)
            return target
        except OSError as error:
            refusals.append(str(error))
    if directory is not None:
        raise BuildError(f"cannot build in {directory}: {refusals[0]}")
    raise BuildError(
        f"found no folder to build in ({'; '.join(refusals)}); set XDG_CACHE_HOME to one that you may write to"
    )


def _build_in(folder: Path, flags: tuple[str, ...]) -> Path:
    target = folder / library_name(flags)
    with _locked(folder / "libtorchpaged_cpu.lock") as alone:
        if not _is_whole(target):
            if target.exists():
                logger.warning("torchpaged: %s is damaged and is built again", target)
            if alone:  # what builders left behind that were killed
                for left in [*folder.glob(".build-*"), *folder.glob(".link-*")]:
                    shutil.rmtree(left, ignore_errors=True)
            logger.warning("torchpaged: compiling the C++ kernels into %s, once; it takes a minute or two", folder)
            with _work_folder(".build-", folder) as work:
                link(compile_units(work, flags).values(), target, flags)
    return target


def compile_units(folder: Path, flags: tuple[str, ...] = ()) -> dict[str, Path]:
    """Compiles every unit into `folder`: the object file of each source. Raises BuildError, or OSError."""
    command, include = compiler(), torch_include()

    def compile_unit(unit: Unit) -> tuple[str, Path]:
        result = folder / (Path(unit.source).name + ".o")
        options = (*_COMMON, *unit.flags, *flags, "-isystem", str(include))
        _run([*command, *options, "-c", str(SOURCES / unit.source), "-o", str(result)], folder)
        logger.info("compiled %s", unit.source)
        return unit.source, result

    with ThreadPoolExecutor(_jobs()) as pool:
        return dict(pool.map(compile_unit, units()))


def _jobs() -> int:
    """Return how many compilers run at once: MAX_JOBS, as for torch's extensions, or two, to leave room for others."""
    asked = os.environ.get("MAX_JOBS", "")
    return int(asked) if asked.isdecimal() and int(asked) else min(2, os.cpu_count() or 1)


def link(objects: Iterable[Path], target: Path, flags: tuple[str, ...] = ()) -> None:
    """Links object files into `target`, in a folder beside it until it is whole. Raises BuildError, or OSError."""
    command = compiler()
    with _work_folder(".link-", target.parent) as folder:
        # torch's libraries are loaded long before this one: their name is all the linker needs.
        stub = folder / "libtorch_cpu.so"
        _run([*command, "-shared", "-Wl,-soname,libtorch_cpu.so", "-o", str(stub), "-x", "c++", os.devnull], folder)
        linked = folder / target.name
        libraries = ["-Wl,--no-as-needed", f"-L{folder}", "-ltorch_cpu"]
        _run([*command, *flags, *map(str, objects), "-shared", *libraries, "-o", str(linked)], folder)
        with linked.open("rb") as file:
            os.fsync(file.fileno())  # the name must not reach the disk before the contents
        os.replace(linked, target)


def build_schemas(text: str, kernels: Path, target: Path) -> None:
    """A library for programs without Python: one unit that defines the schemas; it finds the kernels beside it.

    Raises:
        BuildError: no compiler, no headers, or a compiler that failed.
        OSError: the folder cannot be written to.
    """
    command, include = compiler(), torch_include()
    with _work_folder(".schemas-", target.parent) as folder:
        source, result = folder / "schemas.cpp", folder / "schemas.o"
        source.write_text(text)
        _run(
            [
                *command,
                *_COMMON,
                "-fvisibility=default",
                "-isystem",
                str(include),
                "-c",
                str(source),
                "-o",
                str(result),
            ],
            folder,
        )
        # Both by their names alone: who links them would remember a path otherwise.
        names = f"-Wl,-soname,{target.name},--no-as-needed,-l:{kernels.name},-rpath,$ORIGIN"
        link([result], target, (f"-L{kernels.parent}", names))


def _run(command: list[str], folder: Path) -> None:
    """A compiler's call, its temporary files in `folder`. Raises BuildError, or OSError where the disk is full."""
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(folder)}
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace"
        )
    except OSError as error:
        raise BuildError(f"`{shlex.join(command)}` cannot be run: {error}") from error
    if done.returncode == 0:
        return
    for full in (errno.ENOSPC, errno.EDQUOT):
        if os.strerror(full) in done.stderr:
            raise OSError(full, os.strerror(full), str(folder))
    how = f"failed with status {done.returncode}"
    if done.returncode < 0:
        how = f"was ended by signal {-done.returncode} ({signal.strsignal(-done.returncode)})"
    last = "\n".join(done.stderr.strip().splitlines()[-12:])
    raise BuildError(f"`{shlex.join(command)}` {how}:\n{last}")


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _private_folder() -> Path:
    folder = temporary_directory()
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if not _is_private(folder):
        raise PermissionError(errno.EPERM, "not a folder of this user alone", str(folder))
    return folder


def _is_private(folder: Path) -> bool:
    """Return whether only this user can have put a library there: the folder is the user's and closed to all others."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _is_whole(path: Path) -> bool:
    """Return whether the file is as long as its ELF header says: loading a truncated library would kill the process."""
    try:
        with path.open("rb") as file:
            header, size = file.read(64), os.fstat(file.fileno()).st_size
    except OSError:
        return False
    if len(header) < 64 or header[:5] != b"\x7fELF\x02":
        return False
    order = "<" if header[5] == 1 else ">"
    # The table of sections, which linkers write last: its place, the size of an entry, their number.
    (start,) = struct.unpack_from(order + "Q", header, 40)
    entry, count = struct.unpack_from(order + "HH", header, 58)
    return bool(size >= start + entry * count)


@contextlib.contextmanager
def _work_folder(prefix: str, directory: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=prefix, dir=directory, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _remove_stale(current: Path) -> None:
    for path in current.parent.glob("libtorchpaged_cpu-*.so"):
        if path != current:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Keeps other processes from building in a folder; gives False where the file system has no locks.

    Two that build at once are no harm there: each works in a folder of its own, and a rename ends it.
    """
    with path.open("w") as file:
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                logger.warning("torchpaged: waiting for another process that compiles the C++ kernels (%s)", path)
                fcntl.flock(file, fcntl.LOCK_EX)
            alone = True
        except OSError:
            alone = False
        yield alone


def main() -> int:
    """Builds unless the library is there, and prints its path."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        path = find() or build()
    except BuildError as error:
        print(f"torchpaged: {error}", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
