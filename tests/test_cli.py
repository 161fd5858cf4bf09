"""The command line as a person uses it: a process, its output, its exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from torchpaged import cli

ROOT = Path(__file__).resolve().parent.parent
MODEL = str(ROOT / "evals" / "models" / "stdlib-lm")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torchpaged.cli", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)


def test_generate_prints_texts_and_the_table() -> None:
    result = run("generate", "--model", MODEL, "--prompt", "import os", "--prompt", "def f(", "--max-tokens", "8")
    assert result.returncode == 0, result.stderr
    assert "import os" in result.stdout and "def f(" in result.stdout
    for word in ("tokens/s", "blocks at the peak", "contiguous cache", "waste"):
        assert word in result.stderr
    assert "request" in result.stderr  # the progress bar


def test_generate_reads_and_writes_jsonl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompts, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    records = [{"prompt": "import os", "id": 7}, {"prompt": [5, 6, 7]}]
    prompts.write_text("\n".join(json.dumps(record) for record in records) + "\n\n")
    flags = ["--max-tokens", "5", "--quiet", "--dtype", "float32", "--num-blocks", "20"]
    assert cli.main(["generate", "--model", MODEL, "--prompts", str(prompts), "--output", str(output), *flags]) == 0
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert [line["prompt"] for line in lines] == [record["prompt"] for record in records]
    assert lines[0]["id"] == 7 and len(lines[0]["token_ids"]) == 5 and lines[0]["finish_reason"] == "length"
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "./nowhere", "--prompt", "a"], "'./nowhere': there is no such folder"),
        (["--model", MODEL, "--prompts", "none.jsonl"], "none.jsonl"),
        (["--model", MODEL, "--prompt", "a", "--max-tokens", "0"], "max_tokens is 0"),
        (["--model", MODEL, "--prompt", "a", "--temperature", "-1"], "temperature is -1.0"),
        (["--model", MODEL, "--prompt", ""], "prompt is empty"),
        (["--model", MODEL, "--prompt", "a b c d e f g h", "--max-model-len", "3"], "max_model_len is 3"),
        (["--model", MODEL, "--prompt", "a", "--output", "/nowhere/out.jsonl"], "there is no folder /nowhere"),
        (["--model", MODEL, "--prompt", "a", "--dtype", "float64"], "dtype is 'float64'"),
    ],
    ids=lambda value: "" if isinstance(value, list) else value.split()[0],
)
def test_bad_input_is_one_line_and_status_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["generate", "--quiet", *arguments]) == 2
    errors = capsys.readouterr().err.strip()
    assert message in errors and "Traceback" not in errors


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no prompts"), ("{", "line 1: no JSON"), ('{"prompt": "a"}\n[1]', "line 2: expected an object")],
    ids=["empty", "broken", "list"],
)
def test_bad_prompt_files(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_text(text)
    assert cli.main(["generate", "--model", MODEL, "--prompts", str(path)]) == 2
    assert message in capsys.readouterr().err


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", MODEL]) == 0
    printed = capsys.readouterr().out
    for word in ("torchpaged", "torch ", "isa", "cuda", "backend", "llama, 4 layers: supported"):
        assert word in printed


def test_info_says_why_a_model_is_not_supported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bloom", "n_layer": 2}')
    assert cli.main(["info", str(tmp_path)]) == 2
    assert "'bloom' is not supported: its attention does not go through" in capsys.readouterr().out


def test_info_ops(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", "--ops"]) == 0
    printed = capsys.readouterr().out
    for word in ("paged_attention", "swap_blocks", "cpp*", "triton", "reference", "(Tensor src, Tensor(a!) dst"):
        assert word in printed
