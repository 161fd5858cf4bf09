"""Building and finding the C++ library, on machines that lack a tool or a feature.

But for the first tests a script stands for the compiler: it takes no time, and does what a test wants.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import torch

from tests import forks
from torchpaged.csrc import build, manylinux
from torchpaged.ops import cpu

ROOT = Path(__file__).resolve().parents[2]


def python(*arguments: str, **environment: str | None) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter in the repository's root; variables that are None are removed from its environment."""
    changed = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    kept = {name: value for name, value in changed.items() if value is not None}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True, check=False)


# --- The compiler's work ---------------------------------------------------------------------------------------


def needs(program: str) -> pytest.MarkDecorator:
    reason = f"no {program} on the PATH: shutil.which({program!r}) is None"
    return pytest.mark.skipif(shutil.which(program) is None, reason=reason)


@pytest.mark.long
@pytest.mark.parametrize("program", [pytest.param(name, marks=needs(name)) for name in ("g++", "clang++")])
def test_every_unit_compiles_without_a_warning(program: str) -> None:
    for unit in build.units():
        flags = (*build._COMMON, *unit.flags, "-Wextra", "-Werror", "-Wno-unused-parameter", "-fsyntax-only")
        command = [program, *flags, "-isystem", str(build.torch_include()), str(build.SOURCES / unit.source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stderr, f"{unit.source}: {done.stderr}"


@pytest.fixture(scope="module", params=["this-system", "older-systems"])
def objects(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Build objects as at first use, and as for a wheel."""
    folder = tmp_path_factory.mktemp("objects")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "older-systems":
            patch.setenv("CXX", manylinux.compiler_for_older_systems(folder))
        return build.compile_units(folder)


@pytest.mark.long
def test_no_isa_leaks_into_another(objects: dict[str, Path]) -> None:
    """The linker could choose a weak symbol compiled with AVX-512 for every unit."""
    for source, path in objects.items():
        if source.startswith("kernels_"):
            symbols = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout
            shared = [line for line in symbols.splitlines() if line.split()[-2] in "WVu"]
            assert not shared, f"{source}: {shared}"


@pytest.mark.parametrize(("asked", "jobs"), [(None, 2), ("16", 16), ("1", 1), ("0", 2), ("many", 2)])
def test_how_many_compilers_run_at_once(asked: str | None, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.delenv("MAX_JOBS", raising=False)
    if asked is not None:
        monkeypatch.setenv("MAX_JOBS", asked)
    assert build._jobs() == jobs


# What ops/cpu.py calls without torch.
EXPORTED = [
    "available_isas",
    "checksum",
    "decode_inputs",
    "draw_tokens",
    "forget_program",
    "isa",
    "map_file",
    "move_to_huge_pages",
    "pack_blocks",
    "pack_weight",
    "ranks_bytes",
    "ranks_failed",
    "ranks_give_up",
    "ranks_join",
    "ranks_limit",
    "ranks_post",
    "ranks_receive",
    "ranks_slot_bytes",
    "register_program",
    "take_pages",
    "unmap",
    "unpack_blocks",
]


def exported(library: Path) -> list[str]:
    """Return a library's functions, without their common prefix."""
    command = ["nm", "-D", "--defined-only", str(library)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(line.split()[-1].removeprefix("torchpaged_") for line in lines if " T " in line)


@pytest.mark.long
def test_the_link_needs_torch_by_name_only(objects: dict[str, Path], tmp_path: Path) -> None:
    target = tmp_path / build.library_name()
    build.link(objects.values(), target)
    assert list(tmp_path.iterdir()) == [target]
    dynamic = subprocess.run(["readelf", "-d", str(target)], capture_output=True, text=True, check=True).stdout
    assert "Shared library: [libtorch_cpu.so]" in dynamic
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic
    assert exported(target) == EXPORTED


@pytest.mark.skipif(build.find() is None or shutil.which("nm") is None, reason="no library is built, or no nm")
def test_the_library_exports_what_python_calls_and_nothing_else() -> None:
    library = build.find()
    assert library is not None and exported(library) == EXPORTED


def test_the_name_changes_with_sources_and_flags(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = {build.library_name(), build.library_name(("-g",))}
    monkeypatch.setattr(build, "_COMMON", (*build._COMMON, "-DX"))
    names.add(build.library_name())
    monkeypatch.setattr(build.platform, "machine", lambda: "riscv64")
    names.add(build.library_name())
    (tmp_path / "attention.h").write_text("// another\n")
    monkeypatch.setattr(build, "SOURCES", tmp_path)
    names.add(build.library_name())
    assert len(names) == 5


# --- A compiler and a machine as a test wants them --------------------------------------------------------------

# The smallest file that is whole to the builder: an ELF header without sections.
WHOLE = b"\x7fELF\x02\x01\x01" + bytes(57)
CALLS = len(build.units()) + 2  # of the compiler: two to link


class Machine:
    """A package folder, a home and a temporary folder, all empty, and a compiler."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.monkeypatch = root, monkeypatch
        self.package, self.home, self.temporary = (root / name for name in ("package", "home", "temporary"))
        for folder in (self.package, self.home, self.temporary):
            folder.mkdir()
        monkeypatch.setattr(build, "HERE", self.package)
        monkeypatch.setattr(tempfile, "tempdir", None)  # it remembers the first answer
        self.environment: dict[str, str] = {}
        self.set(HOME=str(self.home), TMPDIR=str(self.temporary), XDG_CACHE_HOME="", TORCHPAGED_LIBRARY="")
        self.library = root / "library"
        self.library.write_bytes(WHOLE)
        self.log = root / "calls"
        self.compiler()

    def set(self, **environment: str) -> None:
        self.environment |= environment
        for name, value in environment.items():
            self.monkeypatch.setenv(name, value)

    def compiler(self, before: str = "", after: str = "") -> None:
        """Write a compiler that copies `library`, with shell commands before and after; "$out" is its output."""
        path = self.root / "my compiler"
        path.write_text(f"""#!/bin/sh
echo "$@" >> "{self.log}"
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
{before}
cp "{self.library}" "$out"
{after}
""")
        path.chmod(0o755)
        self.set(CXX=str(path))

    def calls(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def closed(self, folder: Path) -> None:
        """Make the folder unwritable, even for root: a file takes its name."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.write_text("")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_library_that_is_there_is_kept(machine: Machine) -> None:
    assert build.find() is None
    built = build.build()
    assert built == machine.package / build.library_name() == build.find()
    assert build.build() == built and machine.calls() == CALLS
    (machine.package / "libtorchpaged_cpu-of-old.so").write_bytes(WHOLE)
    build.build()
    assert names(machine.package) == {built.name, "libtorchpaged_cpu.lock"}


def test_a_build_says_that_it_begins(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    build.build()
    (line,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert "compiling the C++ kernels" in line.getMessage() and str(machine.package) in line.getMessage()
    caplog.clear()
    build.build()
    assert not caplog.records


# --- Places ---------------------------------------------------------------------------------------------------


def test_the_package_then_the_cache_then_a_temporary_folder(machine: Machine) -> None:
    name = build.library_name()
    cache, temporary = machine.home / ".cache" / "torchpaged", build.temporary_directory()
    assert temporary.parent == machine.temporary
    for folder, following in ((machine.package, cache), (machine.home, temporary)):
        machine.closed(folder)
        assert build.find() is None
        assert build.build() == build.find() == following / name
    assert temporary.stat().st_mode & 0o777 == 0o700
    machine.closed(machine.temporary)
    machine.monkeypatch.setattr(tempfile, "gettempdir", lambda: str(machine.temporary))
    with pytest.raises(build.BuildError, match=r"no folder to build in \(.*; set XDG_CACHE_HOME to one"):
        build.build()


def test_a_relative_cache_is_none(machine: Machine) -> None:
    machine.set(XDG_CACHE_HOME="relative")
    assert build.cache_directory() == machine.home / ".cache" / "torchpaged"
    machine.set(XDG_CACHE_HOME=str(machine.root / "cache"))
    assert build.cache_directory() == machine.root / "cache" / "torchpaged"


@pytest.mark.parametrize("home", ["", "is-not-there"])
def test_a_user_without_a_home(machine: Machine, home: str) -> None:
    machine.closed(machine.package)
    if home:
        machine.set(HOME=str(machine.root / home))
    else:
        machine.monkeypatch.delenv("HOME")
        machine.monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    with pytest.raises(FileNotFoundError, match="no home folder"):
        build.cache_directory()
    assert build.find() is None
    assert build.build().parent == build.temporary_directory()


def test_a_full_disk(machine: Machine) -> None:
    """The compiler reports it, or the first call that writes."""
    full = f"""case "$out" in "{machine.package}"/*) echo "error: No space left on device" >&2; exit 1;; esac"""
    machine.compiler(before=full)
    assert build.build().parent == build.cache_directory()
    shutil.rmtree(build.cache_directory())

    class Full(tempfile.TemporaryDirectory):  # type: ignore[type-arg]
        def __init__(self, **options: object) -> None:
            if options["dir"] != build.temporary_directory():
                raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), options["dir"])
            super().__init__(**options)  # type: ignore[call-overload]

    machine.monkeypatch.setattr(tempfile, "TemporaryDirectory", Full)
    assert build.build().parent == build.temporary_directory()


def test_a_library_that_another_user_may_have_planted(machine: Machine) -> None:
    machine.closed(machine.package)
    machine.closed(machine.home)
    folder = build.temporary_directory()
    planted = folder / build.library_name()
    folder.mkdir(mode=0o700)
    planted.write_bytes(WHOLE)
    assert build.find() == planted

    def refused() -> None:
        assert build.find() is None
        with pytest.raises(build.BuildError, match="not a folder of this user alone"):
            build.build()

    folder.chmod(0o770)
    refused()
    folder.rename(machine.root / "elsewhere")
    (machine.root / "elsewhere").chmod(0o700)
    folder.symlink_to(machine.root / "elsewhere")
    refused()
    folder.unlink()
    (machine.root / "elsewhere").rename(folder)
    assert build.find() == planted
    machine.monkeypatch.setattr(build, "temporary_directory", lambda: folder)
    machine.monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    refused()


# --- Several processes, some of which end too early -------------------------------------------------------------


def start(machine: Machine) -> subprocess.Popen[str]:
    """Start `python csrc/build.py` in a copy without a build, in its own process group."""
    copy = machine.root / "a copy, ü" / "csrc"
    if not copy.exists():
        shutil.copytree(ROOT / "csrc", copy, ignore=shutil.ignore_patterns("*.so", "*.lock", "__pycache__"))
    environment = {**os.environ, **machine.environment, "PYTHONUNBUFFERED": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, copy / "build.py"], env=environment, start_new_session=True, **pipes)


def test_processes_that_build_at_once_build_once(machine: Machine) -> None:
    gate = machine.root / "gate"
    machine.compiler(before=f'while [ ! -e "{gate}" ]; do sleep 0.05; done')
    first = start(machine)
    assert first.stderr is not None and "compiling the C++ kernels" in first.stderr.readline()
    second = start(machine)
    assert second.stderr is not None and "waiting for another process" in second.stderr.readline()
    gate.touch()
    outputs = [process.communicate(timeout=600) for process in (first, second)]
    assert [process.returncode for process in (first, second)] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0]
    assert Path(outputs[0][0].rstrip("\n")).read_bytes() == WHOLE
    assert machine.calls() == CALLS


def test_a_killed_build_leaves_nothing_broken(machine: Machine) -> None:
    machine.compiler(after=f'[ -e "{machine.root}/go" ] || sleep 600')
    killed = start(machine)
    while not machine.calls():
        assert killed.poll() is None
        time.sleep(0.02)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    folder = machine.root / "a copy, ü" / "csrc"
    assert any(name.startswith(".build-") for name in names(folder))
    (machine.root / "go").touch()
    done = start(machine)
    output, errors = done.communicate(timeout=600)
    assert done.returncode == 0, errors
    kept = {"__init__.py", "build.py", "cmake", "cpu", "include", "manylinux.py", "libtorchpaged_cpu.lock"}
    kept.add(Path(output.rstrip("\n")).name)
    assert names(folder) - {"__pycache__"} == kept


@pytest.mark.parametrize("end", ["kill -9 $$", "head -c 20 /dev/zero > \"$out\"; echo 'a.cpp:1: caf\\351' >&2; exit 3"])
def test_a_compiler_that_ends_early_leaves_nothing(machine: Machine, end: str) -> None:
    machine.compiler(before=end)
    with pytest.raises(build.BuildError, match=r"signal 9 \(Killed\)|(?s:status 3:.*a.cpp:1: caf)"):
        build.build()
    assert names(machine.package) == {"libtorchpaged_cpu.lock"} and not (machine.home / ".cache").exists()


def test_a_file_system_without_locks(machine: Machine) -> None:
    def no_locks(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    machine.monkeypatch.setattr(fcntl, "flock", no_locks)
    elsewhere = machine.package / ".build-of-another-process"
    elsewhere.mkdir()
    assert build.build().parent == machine.package
    assert elsewhere.exists()


@pytest.mark.parametrize("damage", [b"", WHOLE[:40], bytes(5000), WHOLE[:58] + b"\x40\x00\x05\x00\x00\x00"], ids=len)
def test_a_damaged_library_is_built_again(machine: Machine, damage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """Empty, cut in the header, without its pages after a power cut, cut before its section table."""
    library = build.build()
    library.write_bytes(damage)
    assert build.find() is None
    assert build.build() == library == build.find()
    assert f"{library} is damaged and is built again" in caplog.text
    assert library.read_bytes() == WHOLE


# --- CXX --------------------------------------------------------------------------------------------------------


def test_a_compiler_with_arguments_or_spaces(machine: Machine) -> None:
    path = Path(os.environ["CXX"])
    assert " " in path.name and build.compiler() == [str(path)]
    machine.set(CXX=f"'{path}' -O1")
    assert build.compiler() == [str(path), "-O1"]
    build.build()
    assert all(line.startswith("-O1 ") for line in machine.log.read_text().splitlines())


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/nonexistent/c++ -v", r"CXX is '/nonexistent/c\+\+ -v', which was not found; install"),
        ("it's", r"""CXX is "it's", which is no command \(No closing quotation\)"""),
        ("{no-format}", "cannot be run: .*Exec format error"),
        ("{failing}", r"(?s)failed with status 3:\nkernels.cpp:1: what is this"),
    ],
)
def test_a_compiler_that_is_none_is_named(machine: Machine, command: str, message: str) -> None:
    scripts = {"{no-format}": "", "{failing}": "#!/bin/sh\necho 'kernels.cpp:1: what is this' >&2\nexit 3\n"}
    if command in scripts:
        script = machine.root / "script"
        script.write_text(scripts[command])
        script.chmod(0o755)
        command = str(script)
    machine.set(CXX=command)
    with pytest.raises(build.BuildError, match=message):
        build.build()


def test_no_compiler_and_no_path(machine: Machine) -> None:
    machine.set(CXX="", PATH="")
    with pytest.raises(build.BuildError, match="no g\\+\\+, c\\+\\+ or clang\\+\\+ on the PATH; install"):
        build.build()
    assert not names(machine.package)


# --- What an import makes of it ---------------------------------------------------------------------------------

# Imports the package as if it lay in the folder that is named first, for a user as the other words say.
_IMPORT = """
import importlib.util, pwd, sys, warnings
from pathlib import Path
if "no-passwd" in sys.argv:
    pwd.getpwuid = {}.__getitem__
def no_temporary_directory():
    raise FileNotFoundError("No usable temporary directory found")
spec = importlib.util.spec_from_file_location("torchpaged.csrc.build", "csrc/build.py")
build = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)
build.HERE = Path(sys.argv[1])
if "no-temporary" in sys.argv:
    build.temporary_directory = no_temporary_directory
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import torchpaged.ops
    from torchpaged.ops import active_backend, cpu
ours = [w for w in seen if "torchpaged" in str(w.message)]
print(cpu.isa(), cpu.available_isas(), active_backend("paged_attention", "cpu"))
for w in ours:
    print(w.category.__name__, w.message)
import torch
out, lse = torch.ops.torchpaged.merge_attention_states(
    torch.ones(1, 1, 8), torch.zeros(1, 1), torch.ones(1, 1, 8), torch.zeros(1, 1))
assert out.sum().item() == 8
"""
needs_library = pytest.mark.skipif(
    cpu.isa() == "none", reason="no C++ library here: torchpaged.ops.cpu.isa() is 'none'"
)


def imported(machine: Machine, *words: str, **environment: str | None) -> tuple[str, list[str], str]:
    """Return the kernels and backend; the warnings; the text on standard error."""
    changed = {name: value for name, value in {**os.environ, **environment}.items() if value is not None}
    done = forks.run(_IMPORT, str(machine.package), *words, cwd=ROOT, env=changed)
    assert done.returncode == 0, done.stderr
    facts, *warned = done.stdout.splitlines()
    return facts, warned, done.stderr


@pytest.fixture
def real(machine: Machine) -> Machine:
    """Return a machine whose compiler links the library of these tests."""
    machine.library = Path(next(path for path in map(Path, torch.ops.loaded_libraries) if "torchpaged" in path.name))
    machine.compiler()
    return machine


@needs_library
def test_beside_the_package_no_home_is_asked_for(real: Machine) -> None:
    shutil.copy(real.library, real.package / build.library_name())
    facts, warned, said = imported(real, "no-passwd", "no-temporary", HOME=None, CXX="/nonexistent/c++")
    assert facts.endswith(" cpp") and not warned and not said


@needs_library
def test_an_import_that_builds_says_so(real: Machine) -> None:
    real.closed(real.package)
    facts, warned, said = imported(real, "no-passwd", HOME=None)
    assert facts.endswith(" cpp") and not warned
    assert said.startswith(f"torchpaged: compiling the C++ kernels into {build.temporary_directory()}, once; it takes")
    assert len(said.splitlines()) == 1


@needs_library
def test_a_library_that_was_cut_short_does_not_kill_the_process(real: Machine) -> None:
    library = real.package / build.library_name()
    library.write_bytes(real.library.read_bytes()[: real.library.stat().st_size // 2])
    facts, warned, said = imported(real)
    assert facts.endswith(" cpp") and not warned
    assert f"{library} is damaged and is built again" in said
    assert library.read_bytes() == real.library.read_bytes()


def test_a_library_that_cannot_be_loaded_is_named(machine: Machine) -> None:
    library = machine.package / build.library_name()
    library.write_bytes(WHOLE)
    facts, warned, said = imported(machine)
    assert facts == "none () reference" and not said
    assert len(warned) == 1 and f"{library} cannot be loaded: " in warned[0] and "delete it" in warned[0]


def test_without_a_compiler_the_reference_runs_with_one_warning(machine: Machine) -> None:
    facts, warned, said = imported(machine, CXX="/nonexistent/c++")
    assert facts == "none () reference" and not said
    assert len(warned) == 1 and warned[0].startswith("RuntimeWarning") and "/nonexistent/c++" in warned[0]
    assert "install" in warned[0]


def test_without_a_folder_the_reference_runs_with_one_warning(machine: Machine) -> None:
    machine.closed(machine.package)
    facts, warned, said = imported(machine, "no-passwd", "no-temporary", HOME=None)
    assert facts == "none () reference" and not said
    assert len(warned) == 1 and "set XDG_CACHE_HOME to one that you may write to" in warned[0]


@needs_library
def test_a_library_of_ones_own(real: Machine) -> None:
    facts, warned, said = imported(real, TORCHPAGED_LIBRARY=str(real.library))
    assert facts.endswith(" cpp") and not warned and not said and not names(real.package)
    done = python("-c", "import torchpaged.ops", TORCHPAGED_LIBRARY="/nonexistent/lib.so")
    assert "ValueError: TORCHPAGED_LIBRARY: /nonexistent/lib.so cannot be loaded: " in done.stderr
