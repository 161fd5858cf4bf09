"""How the C++ library is built and found, on machines that lack this or that: no run of a real compiler but one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from torchpaged.csrc import build

ROOT = Path(__file__).resolve().parents[2]


def python(code: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter in the repository's root."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, *options, "-c", code] if code else [sys.executable, *options]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


# --- The compiler's work ---------------------------------------------------------------------------------------


def needs(program: str) -> pytest.MarkDecorator:
    reason = f"no {program} on the PATH: shutil.which({program!r}) is None"
    return pytest.mark.skipif(shutil.which(program) is None, reason=reason)


@pytest.mark.parametrize("program", [pytest.param(name, marks=needs(name)) for name in ("g++", "clang++")])
def test_every_unit_compiles_without_a_warning(program: str) -> None:
    for unit in build.units():
        flags = (*build._COMMON, *unit.flags, "-Wextra", "-Werror", "-Wno-unused-parameter", "-fsyntax-only")
        command = [program, *flags, "-isystem", str(build.torch_include()), str(build.SOURCES / unit.source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stderr, f"{unit.source}: {done.stderr}"


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build.compile_units(tmp_path_factory.mktemp("objects"))


def test_no_isa_leaks_into_another(objects: dict[str, Path]) -> None:
    """A weak symbol compiled with AVX-512 could be the one that every unit is linked to."""
    for source, path in objects.items():
        if source.startswith("kernels_"):
            symbols = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout
            shared = [line for line in symbols.splitlines() if line.split()[-2] in "WVu"]
            assert not shared, f"{source}: {shared}"


def test_the_link_needs_torch_by_name_only(objects: dict[str, Path], tmp_path: Path) -> None:
    target = tmp_path / build.library_name()
    build.link(objects.values(), target)
    assert list(tmp_path.iterdir()) == [target]
    dynamic = subprocess.run(["readelf", "-d", str(target)], capture_output=True, text=True, check=True).stdout
    assert "Shared library: [libtorch_cpu.so]" in dynamic
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic
    exported = subprocess.run(["nm", "-D", "--defined-only", str(target)], capture_output=True, text=True, check=True)
    mine = [line.split()[-1] for line in exported.stdout.splitlines() if " T " in line]
    assert sorted(mine) == ["torchpaged_available_isas", "torchpaged_isa"]


def test_a_build_that_is_there_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "HERE", tmp_path / "package")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert build.find() is None
    there = build.cache_directory() / build.library_name()
    there.parent.mkdir()
    there.write_bytes(b"")
    assert build.find() == there
    assert build.build(there.parent) == there and there.read_bytes() == b""


def test_the_name_changes_with_sources_and_flags(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = {build.library_name()}
    monkeypatch.setattr(build, "_COMMON", (*build._COMMON, "-DX"))
    names.add(build.library_name())
    (tmp_path / "attention.h").write_text("// another\n")
    monkeypatch.setattr(build, "SOURCES", tmp_path)
    names.add(build.library_name())
    assert len(names) == 3


def test_a_compiler_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/sh\necho 'kernels.cpp:1: what is this' >&2\nexit 3\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    with pytest.raises(build.BuildError, match=r"(?s)status 3.*what is this"):
        build.build(tmp_path / "out")


# Loads the package as if nothing had been built beside it.
_WITHOUT_LIBRARY = """
import importlib.util, sys, warnings
from pathlib import Path
spec = importlib.util.spec_from_file_location("torchpaged.csrc.build", "csrc/build.py")
build = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)
build.HERE = Path(sys.argv[-1]) if len(sys.argv) > 1 else Path("/nonexistent")
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import torchpaged.ops
    from torchpaged.ops import active_backend, cpu
ours = [w for w in seen if "torchpaged" in str(w.message)]
print(len(ours), ours[0].category.__name__, cpu.isa(), cpu.available_isas(), active_backend("paged_attention", "cpu"))
print(ours[0].message)
import torch
out, lse = torch.ops.torchpaged.merge_attention_states(
    torch.ones(1, 1, 8), torch.zeros(1, 1), torch.ones(1, 1, 8), torch.zeros(1, 1))
print(out.sum().item())
"""


def test_without_a_compiler_the_reference_runs_with_one_warning(tmp_path: Path) -> None:
    done = python(_WITHOUT_LIBRARY, CXX="/nonexistent/c++", XDG_CACHE_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    facts, message, result = done.stdout.splitlines()
    assert facts == "1 RuntimeWarning none () reference"
    assert "/nonexistent/c++" in message and "install" in message
    assert result == "8.0"
