"""Scripts that make the calls of vLLM's offline examples; only the import is changed, and each is run."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "tests" / "vllm_scripts"
SMALL = ["--max-model-len", "256", "--num-gpu-blocks-override", "300", "--seed", "1"]


def run(name: str, *words: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a script's output, run from the root with these words."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", [name, *words])
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")
    return out.getvalue()


def test_every_script_is_run() -> None:
    text = Path(__file__).read_text()
    assert all(f'run("{path.stem}"' in text for path in SCRIPTS.glob("*.py"))


def test_what_is_imported_is_vllms() -> None:
    """Names that vLLM has too, except for the argument parser."""
    import json

    known = json.loads((ROOT / "tests" / "vllm_names.json").read_text())
    known = {*known, "EngineArgs", "Counter", "Gauge", "Histogram", "Vector"}
    for path in SCRIPTS.glob("*.py"):
        for names in re.findall(r"^from torchpaged[\w.]* import (.*)$", path.read_text(), re.MULTILINE):
            assert set(names.split(", ")) <= known, path.name


def test_basic(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("basic", monkeypatch=monkeypatch).count("Output:    '") == 4


def test_generate(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [*SMALL, "--max-tokens", "3", "--temperature", "0", "--top-p", "0.9", "--top-k", "5"]
    assert run("generate", *words, monkeypatch=monkeypatch).count("Generated text: '") == 4


def test_chat(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Both the engine's chat template and one from a file are used."""
    first, second = tmp_path / "first.jinja", tmp_path / "second.jinja"
    first.write_text("{% for m in messages %}# {{ m.content }}\n{% endfor %}")
    second.write_text("{{ messages[-1].content }}")
    words = [*SMALL, "--chat-template", str(first), "--chat-template-path", str(second), "--max-tokens", "3"]
    out = run("chat", *words, monkeypatch=monkeypatch)
    assert out.count("Generated text: ") == 21 and out.count("Prompt: '# You write Python") == 11
    assert out.count("Prompt: 'A function that reads") == 10


def test_llm_engine_example(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [*SMALL, "--model", "evals/models/stdlib-lm", "--disable-log-stats", "--dtype", "float32"]
    out = run("llm_engine_example", *words, monkeypatch=monkeypatch)
    assert out.count("RequestOutput(") == 3 and out.count("CompletionOutput(") == 4
    assert "prompt_logprobs=[None, {" in out


def test_automatic_prefix_caching(monkeypatch: pytest.MonkeyPatch) -> None:
    out = run("automatic_prefix_caching", monkeypatch=monkeypatch)
    (first, all_first), (second, all_second) = re.findall(r"Cached tokens: (\d+) of (\d+)", out)
    assert int(first) == 0 and int(second) > int(all_second) - 40 and int(all_first) > 200


def test_prefix_caching(monkeypatch: pytest.MonkeyPatch) -> None:
    out = run("prefix_caching", monkeypatch=monkeypatch)
    assert out.count("Generated text: ") == 8 and "Generated answers are the same: True" in out


def test_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    out = run("metrics", monkeypatch=monkeypatch)
    assert "vllm:prompt_tokens (counter) = " in out and "vllm:num_requests_running (gauge) = 0.0" in out
    assert re.search(r"vllm:e2e_request_latency_seconds \(histogram\)\n    sum = [\d.]+\n    count = 4\n", out)


def test_simple_profiling(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PROFILE_DIR", str(tmp_path / "profile"))
    assert run("simple_profiling", monkeypatch=monkeypatch).count("Generated text: ") == 4
    assert len(list((tmp_path / "profile").glob("*.pt.trace.json.gz"))) == 1


def test_batch_llm_inference(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("batch_llm_inference", monkeypatch=monkeypatch).count("Generated text: ") == 5
