"""`tests/release.py` refuses what must not be released; the workflow asks for what it checks; the doctor reports."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
import torch

from tests import release
from torchpaged import doctor
from torchpaged.ops import cpu

METADATA = """Metadata-Version: 2.4
Name: torchpaged
Version: 0.1.0
Summary: Paged attention for any PyTorch decoder
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.10
Description-Content-Type: text/markdown

# torchpaged
"""
SOURCE = ("LICENSE", "README.md", "pyproject.toml", "setup.py", "csrc/cpu/common.h", "ops/library.py")


def made(folder: Path, *more: str, without: str = "", metadata: str = METADATA) -> tuple[Path, Path]:
    """Write a small source distribution and wheel."""
    sdist, wheel = folder / "torchpaged-0.1.0.tar.gz", folder / "torchpaged-0.1.0-py3-none-any.whl"
    with tarfile.open(sdist, "w:gz") as file:
        for name in SOURCE:
            file.addfile(tarfile.TarInfo(f"torchpaged-0.1.0/{name}"), io.BytesIO())
    info = "torchpaged-0.1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in (*release.NEEDED, "torchpaged/csrc/lib.so", f"{info}/licenses/LICENSE", *more):
            if name != without:
                archive.writestr(name, "")
        archive.writestr(f"{info}/METADATA", metadata)
    return sdist, wheel


def test_what_is_whole_passes(tmp_path: Path) -> None:
    assert release.check(*made(tmp_path)) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"without": "torchpaged/py.typed"}, "lacks torchpaged/py.typed"),
        ({"without": "torchpaged/csrc/lib.so"}, "has no C++ library"),
        ({"without": "torchpaged-0.1.0.dist-info/licenses/LICENSE"}, "has no LICENSE"),
        ({"metadata": METADATA.replace("Apache-2.0", "MIT")}, "License-Expression 'MIT', expected Apache-2.0"),
        ({"metadata": METADATA.replace("# torchpaged", "")}, "does not contain README.md"),
    ],
)
def test_what_lacks_something_is_refused(change: dict[str, str], says: str, tmp_path: Path) -> None:
    (found,) = release.check(*made(tmp_path, **change))
    assert says in found


def test_what_does_not_belong_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert release.check(*made(tmp_path, "ops/library.py"))[0].endswith("would install ops/ beside torchpaged")
    monkeypatch.setattr(release, "LARGEST", 10)
    assert len([each for each in release.check(*made(tmp_path)) if "expected at most 10" in each]) == 2


def test_wheels_of_other_machines_are_checked_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad").mkdir()
    whole, other = made(tmp_path), made(tmp_path / "bad", without="torchpaged/csrc/lib.so")[1]
    monkeypatch.setattr(release, "build", lambda folder: whole)
    monkeypatch.setattr(release, "try_out", lambda *args: None)
    monkeypatch.setattr(release.manylinux, "make", lambda output, tools, machine: {"aarch64": other}[machine])
    assert release.main([]) == 0 and release.main(["--machine", "aarch64"]) == 1
    assert "has no C++ library" in capsys.readouterr().err


def test_readmes_blocks_and_the_workflow() -> None:
    assert len(release.blocks()) == release.BLOCKS and "LLM(" in release.blocks()[0]
    workflow = (release.ROOT / ".github" / "workflows" / "release.yml").read_text()
    pyproject = (release.ROOT / "pyproject.toml").read_text()
    oldest = re.findall(r'"(3\.\d+)"', workflow)[0]
    assert f'requires-python = ">={oldest}"' in pyproject
    targets = re.findall(r"make ([\w-]+)", workflow)
    assert targets and all(f"\n{target}:" in (release.ROOT / "Makefile").read_text() for target in targets)


# --- The doctor -------------------------------------------------------------------------------------------------


def test_the_doctor_reports(capsys: pytest.CaptureFixture[str]) -> None:
    status = doctor.main(["--seconds", "0.02"])
    text = capsys.readouterr().out
    for name in (
        "torchpaged",
        "instructions",
        "threads",
        "huge pages",
        "torch",
        "kernels",
        "decode attention",
        "advice",
    ):
        assert re.search(rf"^{name} ", text, re.MULTILINE) or (name == "advice" and "PROBLEM" in text), name
    assert cpu.isa() in text and status == int("PROBLEM" in text)


def test_the_doctor_gives_advice(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "_cores", lambda: 1)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)
    monkeypatch.setenv("TORCHPAGED_BACKEND", "reference")
    assert doctor.main(["--seconds", "0"]) == 1
    text = capsys.readouterr().out
    assert "PROBLEM           torch has 4 threads on 1 cores: set OMP_NUM_THREADS=1" in text
    assert "TORCHPAGED_BACKEND=reference asks for a backend" in text and "decode" not in text
    with pytest.raises(SystemExit):
        doctor.main(["--seconds", "-1"])
    assert "--seconds is -1.0, expected 0 or more" in capsys.readouterr().err
