"""The package list against the tree, and a wheel that installs only `torchpaged`."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import torchpaged
from torchpaged.csrc import build, manylinux

if sys.version_info >= (3, 11):
    import tomllib
else:  # the oldest Python that is supported has no TOML reader of its own
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETTINGS = PYPROJECT["tool"]["setuptools"]


def test_the_package_list_is_the_tree() -> None:
    found = {"torchpaged"}
    for top in ("torchpaged", "ops", "integrations", "csrc"):
        for init in (ROOT / top).rglob("__init__.py"):
            parts = init.parent.relative_to(ROOT).parts
            # rglob does not follow the symlinks torchpaged/ops -> ../ops, so each folder is met once.
            found.add(".".join(parts if top == "torchpaged" else ("torchpaged", *parts)))
    assert sorted(SETTINGS["packages"]) == sorted(found)


@pytest.mark.parametrize("name", ["ops", "integrations", "csrc"])
def test_folders_at_the_root_are_linked_into_the_package(name: str) -> None:
    link = ROOT / "torchpaged" / name
    assert link.is_symlink() and os.readlink(link) == f"../{name}"
    assert SETTINGS["package-dir"][f"torchpaged.{name}"] == name


def test_the_operators_need_torch_alone() -> None:
    """They need torch, and Triton, which torch needs on CUDA; `tests/test_extras.py` checks everything else."""
    project = PYPROJECT["project"]
    assert [re.split(r"[>=; ]", each)[0] for each in project["dependencies"]] == ["torch", "triton"]
    for extra in ("torchao", "serve", "lm-eval", "test"):  # they are for `LLM`
        assert "torchpaged[transformers]" in project["optional-dependencies"][extra]


def test_the_version_stands_in_one_place() -> None:
    """pyproject.toml takes it from the package: a tree on PYTHONPATH, an editable install and a wheel agree."""
    assert "version" in PYPROJECT["project"]["dynamic"] and "version" not in PYPROJECT["project"]
    assert SETTINGS["dynamic"]["version"] == {"attr": "torchpaged.utils.version.__version__"}
    lines = (ROOT / "torchpaged" / "utils" / "version.py").read_text().splitlines()
    # A literal: setuptools reads it without importing the package, which would want torch.
    assert lines.count(f'__version__ = "{torchpaged.__version__}"') == 1
    assert f"\n## {torchpaged.__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel from a copy, since a build writes into its source tree."""
    if int(metadata.version("setuptools").split(".")[0]) < 77:
        pytest.skip(f"setuptools is {metadata.version('setuptools')}, building needs 77")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    ignore = shutil.ignore_patterns(
        ".venv", ".git", "build", "*.egg-info", ".hypothesis", "__pycache__", "stdlib-lm", ".*_cache"
    )
    shutil.copytree(ROOT, source, symlinks=True, ignore=ignore)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), "."]
    result = subprocess.run(command, cwd=source, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    return next(folder.glob("*.whl"))


def test_a_wheel_installs_only_torchpaged(wheel: Path) -> None:
    assert wheel.name.startswith(f"torchpaged-{torchpaged.__version__}-py3-none-")
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"torchpaged"}
    data = (
        "torchpaged/csrc/cpu/binding.cpp",
        "torchpaged/csrc/include/torchpaged/exported_model.h",
        "torchpaged/csrc/cmake/torchpagedConfig.cmake",
        "torchpaged/engine/pool_trace.html",
        "torchpaged/serving/try.html",
        "torchpaged/serving/markdown.js",
    )
    for needed in ("torchpaged/ops/library.py", "torchpaged/ops/triton/__init__.py", *data):
        assert needed in names
    assert any(name.startswith("torchpaged/csrc/libtorchpaged_cpu-") for name in names), "no C++ library inside"


def test_an_installed_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(command, check=True, timeout=300)
    code = """
import torch, torchpaged
from torchpaged.ops import active_backend
import torchpaged.integrations.transformers.adapter, torchpaged.llm
pool = torch.randn(4, 16, 2, 32)
torch.ops.torchpaged.copy_blocks([pool], torch.tensor([[1, 2]]))
assert torch.equal(pool[1], pool[2])
print(torchpaged.__file__, active_backend("paged_attention", "cpu"))
"""
    result = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert str(target) in result.stdout and result.stdout.split()[-1] == "cpp"


# --- The wheel for others -------------------------------------------------------------------------------------

NEEDS_MUCH = """
#include <cmath>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>
double logarithm(double x) { return std::log(x); }
void share(std::shared_ptr<int> &to, const std::shared_ptr<int> &from) { to = from; }
std::vector<double> some(size_t n) { return std::vector<double>(n * n, 1.0); }
std::string text(int x) {
  std::stringstream out;
  out << x;
  if (x > 3) throw std::invalid_argument(out.str());
  return out.str();
}
"""


def versions(library: Path, objdump: str = "objdump") -> dict[str, tuple[int, ...]]:
    """Return the newest version of each library's symbols that this one requires."""
    command = [objdump, "-T", str(library)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    newest: dict[str, tuple[int, ...]] = {}
    for name, number in re.findall(r"\b(GLIBC|GLIBCXX)_([0-9.]+)", text):
        newest[name] = max(newest.get(name, ()), tuple(map(int, number.split("."))))
    return newest


def test_the_wheels_library_asks_for_old_names_alone(tmp_path: Path) -> None:
    """glibc 2.28, and the C++ library of GCC 8, on any build system."""
    source, library = tmp_path / "needs_much.cpp", tmp_path / "needs_much.so"
    source.write_text(NEEDS_MUCH)
    try:
        compiler = shlex.split(manylinux.compiler_for_older_systems(tmp_path))
    except build.BuildError as error:
        pytest.skip(f"no compiler: {error}")
    command = [*compiler, "-std=c++17", "-O2", "-fPIC", "-shared", str(source), "-o", str(library)]
    subprocess.run(command, check=True, timeout=600)
    newest = versions(library)
    assert newest["GLIBC"] <= (2, 28) and newest["GLIBCXX"] <= (3, 4, 25)
    with pytest.raises(manylinux.WheelError, match=r"the machine is 'riscv64', expected one of x86_64, aarch64"):
        manylinux.compiler_for_older_systems(tmp_path, "riscv64")


def test_a_wheel_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(manylinux.WheelError, match="CXX is 'no-such-compiler', which was not found"):
        manylinux.make(tmp_path / "dist", tmp_path / "tools")
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(manylinux.platform, "machine", lambda: "x86_64")
    with pytest.raises(manylinux.WheelError, match=r"no aarch64-linux-gnu-g\+\+ .*apt install g\+\+-aarch64-linux-gnu"):
        manylinux.make(tmp_path / "dist", tmp_path / "tools", "aarch64")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def index(tmp_path: Path) -> None:
    """Provide a package index that has auditwheel."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(tmp_path / "index"), "auditwheel"]
    if subprocess.run(command, capture_output=True, timeout=300).returncode:
        pytest.skip("pip finds no package index to take auditwheel from")


CROSS = "aarch64-linux-gnu-g++"
# Loads the library with stubs of torch's functions, so that all must be found, and asks which kernels it would use.
LOADS = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **names) {
  void *library = dlopen(names[1], RTLD_NOW);
  if (!library) return puts(dlerror()), 1;
  return puts(((const char *(*)(void))dlsym(library, "torchpaged_isa"))()) < 0;
}
"""


@pytest.mark.long
@pytest.mark.skipif(shutil.which(CROSS) is None, reason=f"shutil.which({CROSS!r}) is None")
def test_make_wheel_for_another_machine(tmp_path: Path, index: None) -> None:
    """Its tag, its library's header, symbols and versions; with an emulator, it loads and uses NEON."""
    made = manylinux.make(tmp_path / "dist", tmp_path / "tools", "aarch64")
    assert re.search(r"-py3-none-(manylinux_2_\d\d_aarch64\.)*manylinux_2_28_aarch64\.whl$", made.name)
    with zipfile.ZipFile(made) as wheel:
        (name,) = (each for each in wheel.namelist() if each.endswith(".so"))
        assert Path(name).name == build.library_name(machine="aarch64") and not name.count("libs/")
        library = Path(wheel.extract(name, tmp_path))
    assert library.read_bytes()[18:20] == (183).to_bytes(2, "little")  # e_machine: EM_AARCH64
    newest = versions(library, "aarch64-linux-gnu-objdump")
    assert newest["GLIBC"] <= (2, 28) and newest["GLIBCXX"] <= (3, 4, 25)

    command = ["aarch64-linux-gnu-nm", "-D", "--undefined-only", str(library)]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    torchs = [name for name in symbols if name.startswith(("aoti_torch_", "torch_"))]
    assert torchs
    (tmp_path / "torch.c").write_text("".join(f"int {name}(void) {{ return 0; }}\n" for name in torchs))
    (tmp_path / "loads.c").write_text(LOADS)
    compiler = [CROSS.replace("g++", "gcc"), "-w"]
    for command in (
        [*compiler, "-shared", "-fPIC", "-Wl,-soname,libtorch_cpu.so", "torch.c", "-o", "libtorch_cpu.so"],
        [*compiler, "loads.c", "-ldl", "-o", "loads"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True)
    if shutil.which("qemu-aarch64") is not None:
        run = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-E", f"LD_LIBRARY_PATH={tmp_path}", "./loads"]
        done = subprocess.run([*run, str(library)], cwd=tmp_path, capture_output=True, text=True, timeout=600)
        assert done.stdout == "neon\n", done.stdout + done.stderr


@pytest.mark.long
def test_make_wheel(tmp_path: Path, index: None) -> None:
    """The wheel generates with its own library, without a compiler."""
    made = manylinux.make(tmp_path / "dist", tmp_path / "tools")
    assert f"manylinux_2_28_{platform.machine()}" in made.name
    site = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), str(made)]
    subprocess.run(command, check=True, timeout=300)
    (library,) = (site / "torchpaged" / "csrc").glob("*.so")
    newest = versions(library)
    assert newest["GLIBC"] <= (2, 28) and newest["GLIBCXX"] <= (3, 4, 25)
    code = """
import sys, torchpaged
from torchpaged.csrc import build
from torchpaged.ops import cpu
llm = torchpaged.LLM(sys.argv[1], num_blocks=64)
params = torchpaged.SamplingParams(temperature=0, max_tokens=8)
print(llm.generate("def main(", params, use_tqdm=False)[0].outputs[0].text)
print(cpu.isa(), build.find())
"""
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {"PATH": str(empty), "HOME": str(empty), "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(site)}
    run = [sys.executable, "-W", "error::RuntimeWarning", "-c", code, str(ROOT / "evals" / "models" / "stdlib-lm")]
    result = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("self") and str(library) in result.stdout and "none" not in result.stdout
