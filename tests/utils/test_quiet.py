"""Output of a successful run: only its result, and messages of other libraries are not lost."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
import transformers

from tests import models
from tests.integrations.gguf_files import write
from tests.models import build
from tests.test_gguf_llm import TOKENIZER, VOCABULARY
from torchpaged import LLM
from torchpaged.tools import profiling
from torchpaged.utils import quiet

ROOT = Path(__file__).resolve().parents[2]
MODEL = str(models.STDLIB_LM)
GENERATE = ["generate", "--quiet", "--model", MODEL, "--prompt", "import os", "--max-tokens", "2"]


@pytest.mark.parametrize(
    "words",
    [["info", MODEL], [*GENERATE, "--quantization", "int8", "--profile", "{folder}/p.json"]],
    ids=["info", "generate-quantised-and-profiled"],
)
def test_standard_error_is_empty(words: list[str], tmp_path: Path) -> None:
    if "--quantization" in words:
        pytest.importorskip("torchao", reason="torchao is not installed")
    command = [sys.executable, "-m", "torchpaged.cli", *(word.format(folder=tmp_path) for word in words)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert (result.returncode, result.stderr) == (0, "")


_LOADS = """
import sys
from torchpaged import AsyncLLM, LLM
if __name__ == "__main__":
    made = {made}
    made.shutdown()
"""


@pytest.mark.parametrize(
    "made",
    [
        "LLM(sys.argv[1], max_model_len=64, num_blocks=20)",
        "AsyncLLM(sys.argv[1], max_model_len=64, num_blocks=20, engine_process=True)",
    ],
    ids=["here", "in a process of its own"],
)
def test_a_gguf_file_is_loaded_in_silence(made: str, tmp_path: Path) -> None:
    """Loading a GGUF file imports transformers' modelling code, and thus torchao, on a path of its own."""
    model = write(build("qwen3", vocab_size=len(VOCABULARY), head_dim=32), tmp_path / "tiny.gguf", **TOKENIZER)
    script = tmp_path / "script.py"
    script.write_text(_LOADS.format(made=made))
    command = [sys.executable, str(script), str(model)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_draft_model_shows_no_second_bar(capfd: pytest.CaptureFixture[str]) -> None:
    transformers.utils.logging.enable_progress_bar()  # an earlier command in this process may have disabled it
    config = {"model": MODEL, "num_speculative_tokens": 2}
    LLM(MODEL, num_blocks=60, optimize=True, speculative_config=config).shutdown()
    assert capfd.readouterr().err.count("Loading weights: 100%") == 1


def test_no_filter_stays() -> None:
    """torchao's own messages reach programs that import it beside this library."""
    import torchpaged.integrations.checkpoints.torchao
    import torchpaged.integrations.transformers.adapter  # noqa: F401 - both once set filters

    for name in ("torchao", "torch.utils._pytree"):
        assert not logging.getLogger(name).filters


def test_importing_torchao_keeps_what_means_something(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("torchao")
    with quiet.importing_torchao():
        log.warning("Failed to load %s", "_C_mxfp8.so")
        log.warning("your int4 weights are gone")
        logging.getLogger("somebody").warning("Failed to load anything")
    log.warning("Failed to load %s", "later")
    there = ["Failed to load _C_mxfp8.so"] if torch.cuda.is_available() else []
    expected = [*there, "your int4 weights are gone", "Failed to load anything", "Failed to load later"]
    assert [record.getMessage() for record in caplog.records] == expected


def test_exporting_keeps_what_means_something() -> None:
    with pytest.warns(FutureWarning) as caught, quiet.exporting():
        warnings.warn("`isinstance(treespec, LeafSpec)` is deprecated, use another", FutureWarning, stacklevel=1)
        warnings.warn("something else is deprecated", FutureWarning, stacklevel=1)
    assert [str(each.message) for each in caught] == ["something else is deprecated"]


def test_profiling_keeps_what_means_something(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        with profiling.profile(tmp_path / "p.json"):
            os.write(2, b"in between\n")
    assert capfd.readouterr().err == "in between\n" * 2
    with quiet.switching_the_profiler():
        os.write(2, b"USDT:2026 SyncActivityProfilerHandler.cpp:52] profiler_start\nERROR: no CUPTI\n")
        print("a warning of Python's", file=sys.stderr)
    assert set(capfd.readouterr().err.splitlines()) == {"ERROR: no CUPTI", "a warning of Python's"}


def test_a_profiler_ends_with_what_it_profiles(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="on fire"), profiling.profile(tmp_path / "p.json"):
        raise RuntimeError("the device is on fire")
    with profiling.profile(tmp_path / "p.json"):  # starting it fails if another one runs
        torch.ones(2)
    assert capfd.readouterr().err == ""
