"""The package list against the tree, and a wheel that installs nothing but `torchpaged`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import torchpaged

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
    """And Triton, which torch itself needs on CUDA. All else is an extra's: `tests/test_extras.py`."""
    project = PYPROJECT["project"]
    assert [re.split(r"[>=; ]", each)[0] for each in project["dependencies"]] == ["torch", "triton"]
    for extra in ("torchao", "lm-eval", "test"):  # they are for `LLM`
        assert "torchpaged[transformers]" in project["optional-dependencies"][extra]


def test_the_version_stands_in_one_place() -> None:
    """pyproject.toml takes it from the package: a tree on PYTHONPATH, an editable install and a wheel agree."""
    assert "version" in PYPROJECT["project"]["dynamic"] and "version" not in PYPROJECT["project"]
    assert SETTINGS["dynamic"]["version"] == {"attr": "torchpaged.__version__"}
    lines = (ROOT / "torchpaged" / "__init__.py").read_text().splitlines()
    # A literal: setuptools reads it without importing the package, which would want torch.
    assert lines.count(f'__version__ = "{torchpaged.__version__}"') == 1
    assert f"\n## {torchpaged.__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, since a build writes into its source tree."""
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
    data = ("torchpaged/csrc/cpu/binding.cpp", "torchpaged/tools/trace.html")
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
import torchpaged.integrations.transformers, torchpaged.llm
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
