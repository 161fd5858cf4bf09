"""README stays true: its commands and its Python run, its tables name what there is."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from torchpaged.integrations.families import SUPPORTED
from torchpaged.ops import library

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


COMMANDS = [line.split("  #")[0].strip() for block in blocks("bash") for line in block.splitlines() if line.strip()]


def test_the_commands_are_the_known_ones() -> None:
    """A command that is added here needs a test below, or is one that CI runs."""
    assert {shlex.split(command)[0] for command in COMMANDS} == {"make", "torchpaged"}


def require(text: str) -> None:
    """Skips what needs a package that is not installed."""
    for package, word in (("lm_eval", "torchpaged eval"), ("torchao", "--quantization"), ("torchao", "torchao")):
        if word in text:
            pytest.importorskip(package, reason=f"{package} is not installed")


def as_it_is_run(command: str) -> Any:
    """What `tests/test_exported.py` runs too is for `make test-long`."""
    return pytest.param(command, marks=pytest.mark.long if " export " in command else ())


@pytest.mark.parametrize("command", [as_it_is_run(c) for c in COMMANDS if c.startswith("torchpaged")])
def test_commands_run(command: str) -> None:
    require(command)
    words = [sys.executable, "-m", "torchpaged.cli", *shlex.split(command)[1:]]
    words += ["--scale", "0.1"] if " bench " in command else []  # the lengths decide how long it takes, nothing else
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_the_demo_runs_on_this_python() -> None:
    """`SYSTEM=1 make demo`: the main job without a set-up; `make demo` differs only in making .venv first."""
    assert "make demo" in COMMANDS and "make test" in COMMANDS
    environment = {**os.environ, "SYSTEM": "1", "PYTHON": sys.executable}
    result = subprocess.run(["make", "demo"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("--- prompt") == 4 and "blocks at the peak" in result.stderr


@pytest.mark.parametrize("target", re.findall(r"`make ([a-z-]+)`", README))
def test_make_targets_exist(target: str) -> None:
    result = subprocess.run(["make", "-n", target, "SYSTEM=1"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("code", [c for c in blocks("python") if "LLM(" in c])
def test_python_runs(code: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    require(code)
    monkeypatch.chdir(ROOT)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.strip()


def test_the_module_gives_causal_attention() -> None:
    code = next(c for c in blocks("python") if "nn.Module" in c)
    names: dict[str, type[torch.nn.Module]] = {}
    exec(compile(code, "README.md", "exec"), names)
    torch.manual_seed(0)
    module, x = names["PagedSelfAttention"](32, 2), torch.randn(20, 32)
    caches = [torch.zeros(4, 16, 2, 16) for _ in range(2)]
    slots = torch.cat([torch.arange(48, 64), torch.arange(16, 20)])  # blocks 3 and 1
    lengths = [torch.tensor(v, dtype=torch.int32) for v in ([[3, 1]], [20], [0, 20])]
    with torch.no_grad():
        paged = module(x, *caches, slots, *lengths)
        q, k, v = module.qkv(x).unflatten(-1, (3, 2, -1)).permute(1, 2, 0, 3)
        plain = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        torch.testing.assert_close(paged, module.out(plain.transpose(0, 1).flatten(1)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", library.NAMES)
def test_every_operator_is_described(name: str) -> None:
    assert f"`{name}`" in README


@pytest.mark.parametrize("model_type", SUPPORTED)
def test_every_supported_family_is_listed(model_type: str) -> None:
    assert f"`{model_type}`" in README
