"""`make release-check`: build what would be released, install it in an empty environment, and try it.

    python -m tests.release [--index] [--python python3.12 ...] [--machine aarch64 ...]

Builds a source distribution and a wheel, for other machines cross-compiled ones (`csrc/manylinux.py`), and checks
their contents, metadata, licence and size. Then, for each Python, it makes an environment, installs the wheel into it,
runs README's first Python blocks there, and `python -m torchpaged.doctor`. Dependencies are those of the running
environment, which the new one sees behind the wheel; with --index they are installed from the package index.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Sequence
from email.parser import Parser
from pathlib import Path

from torchpaged.csrc import manylinux

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 5_000_000
BLOCKS = 2  # of README, that are run
NEEDED = ("torchpaged/__init__.py", "torchpaged/py.typed", "torchpaged/ops/library.py", "torchpaged/csrc/cpu/common.h")


class ReleaseError(Exception):
    """A description of each fault that a release must not have."""


def build(folder: Path) -> tuple[Path, Path]:
    """Build into a folder; return the source distribution and the wheel."""
    command = ["-m", "build", "--sdist", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    _run([sys.executable, *command])
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def check(sdist: Path, wheel: Path) -> list[str]:
    """Return what is wrong with the files."""
    wrong = [
        f"{file.name} has {file.stat().st_size:,} bytes, expected at most {LARGEST:,}"
        for file in (sdist, wheel)
        if file.stat().st_size > LARGEST
    ]
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = next(name for name in names if name.endswith(".dist-info/METADATA"))
        wrong += check_metadata(archive.read(info).decode())
    wrong += [f"{wheel.name} lacks {name}" for name in NEEDED if name not in names]
    tops = {name.split("/")[0] for name in names} - {"torchpaged", info.split("/")[0]}
    wrong += [f"{wheel.name} would install {top}/ beside torchpaged" for top in sorted(tops)]
    if not any(name.endswith(".so") for name in names):
        wrong.append(f"{wheel.name} has no C++ library")
    if not any("licenses/LICENSE" in name for name in names):
        wrong.append(f"{wheel.name} has no LICENSE")
    with tarfile.open(sdist) as source:
        held = {name.partition("/")[2] for name in source.getnames()}
    wanted = ("LICENSE", "README.md", "pyproject.toml", "setup.py", "csrc/cpu/common.h", "ops/library.py")
    return wrong + [f"{sdist.name} lacks {name}" for name in wanted if name not in held]


def check_metadata(text: str) -> list[str]:
    """Return what is wrong with a wheel's METADATA."""
    found, wrong = Parser().parsestr(text), []
    for field, pattern in (
        ("Name", "torchpaged"),
        ("Version", r"\d+\.\d+\.\d+\S*"),
        ("Summary", r".{10,}"),
        ("License-Expression", "Apache-2.0"),
        ("License-File", "LICENSE"),
        ("Requires-Python", r">=3\.10"),
        ("Description-Content-Type", r"text/markdown.*"),
    ):
        if not re.fullmatch(pattern, found[field] or ""):
            wrong.append(f"METADATA has {field} {found[field]!r}, expected {pattern}")
    if (ROOT / "README.md").read_text().splitlines()[0] not in (found.get_payload() or ""):
        wrong.append("METADATA does not contain README.md")
    return wrong


def blocks() -> list[str]:
    """Return README's first Python blocks."""
    return re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[:BLOCKS]


def try_out(wheel: Path, folder: Path, python: str | None, from_index: bool) -> None:
    """Install the wheel into a new environment and run it there."""
    if python is None:
        venv.create(folder, with_pip=True)
    else:
        _run([python, "-m", "venv", str(folder)])
    run = str(folder / "bin" / "python")
    wanted = f"{wheel}[transformers]" if from_index else str(wheel)
    _run([run, "-m", "pip", "install", "-q", *([] if from_index else ["--no-deps"]), wanted])
    site = _run([run, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"]).strip()
    if not from_index:  # a path that comes behind the wheel, and none of what the other environment hooks in
        others = [path for path in sys.path if path.endswith("-packages")]
        (Path(site) / "others.pth").write_text("".join(f"{path}\n" for path in others))
    where = _run([run, "-c", "import torchpaged; print(torchpaged.__file__)"]).strip()
    if not where.startswith(site):
        raise ReleaseError(f"torchpaged is imported from {where}, expected the wheel in {site}")
    for number, code in enumerate(blocks()):
        script = folder / f"block_{number}.py"
        script.write_text(code)
        _run([run, str(script)])
    _run([run, "-m", "torchpaged.doctor", "--seconds", "1"])


def _run(command: list[str]) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # README's blocks read the model that is in the tree.
    done = subprocess.run(command, cwd=ROOT, env={**environment, "PYTHONSAFEPATH": "1"}, capture_output=True, text=True)
    if done.returncode:
        said = (done.stdout + done.stderr)[-3000:]
        raise ReleaseError(f"{' '.join(command)} failed with {done.returncode}:\n{said}")
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a release; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", action="store_true", help="install dependencies from the package index")
    parser.add_argument(
        "--python", nargs="+", default=[None], help="Pythons to try, by name; the running one by default"
    )
    parser.add_argument("--machine", nargs="+", default=[], help="further machines to build a wheel for: aarch64")
    given = parser.parse_args(arguments)
    for each in given.python:
        if each is not None and shutil.which(each) is None:
            parser.error(f"argument --python: there is no {each!r}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            sdist, wheel = build(Path(folder) / "dist")
            tools = ROOT / "build" / "wheel-tools"
            others = [manylinux.make(Path(folder) / machine, tools, machine) for machine in given.machine]
            for file in (sdist, wheel, *others):
                print(f"built {file.name}, {file.stat().st_size:,} bytes", flush=True)
            if wrong := [text for each in (wheel, *others) for text in check(sdist, each)]:
                raise ReleaseError("\n".join(dict.fromkeys(wrong)))
            for number, python in enumerate(given.python):
                try_out(wheel, Path(folder) / f"env-{number}", python, given.index)
                print(f"{python or sys.executable}: README's first {BLOCKS} blocks and the doctor run", flush=True)
        except (ReleaseError, manylinux.WheelError) as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
