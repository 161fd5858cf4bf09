"""The benchmark of starts: first token, health, memory and errors of small commands, and the files of its models."""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("gguf", reason="gguf is not installed")

from evals.bench import startup
from evals.bench.peers import checkpoint
from evals.bench.peers.process import PeerError
from evals.bench.startup import Case

SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    looks = 0
    def do_GET(self):
        Handler.looks += 1
        self.send_response(200 if Handler.looks > 2 else 503)
        self.end_headers()
    def log_message(self, *_): pass
print("torchpaged: start 1.0 s: python 0.1", file=sys.stderr, flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def command(code: str, *words: str) -> list[str]:
    return [sys.executable, "-c", code, *words]


def test_a_start_ends_with_the_first_byte_behind_the_mark() -> None:
    code = "import time; print('FIRST', end='', flush=True); time.sleep(0.2); print(' token', flush=True)"
    cases = [Case("import torch", command(code), ("start",)), Case("two", command(code))]
    rows = startup.measure(cases, 2, cold=False)
    assert list(rows) == [("import torch", "start"), ("two", "first start"), ("two", "second start")]
    assert all(len(row.seconds) == len(row.maxrss) == 2 and min(row.seconds) > 0.2 for row in rows.values())
    found = startup.report(rows)
    assert found[0]["times_import_torch"] == 1.0 and found[1]["peak_rss_bytes"] > 2**20
    assert len(list(startup.table(found))) == 4
    json.dumps(found)


def test_both_starts_of_a_round_share_a_cache_that_is_new() -> None:
    code = """
import os, pathlib, sys
file = pathlib.Path(os.environ["TORCHPAGED_CACHE"], "prepared")
print("FIRST" if file.exists() == (sys.argv[1] == "second") else "", 1, flush=True)
file.touch()
"""
    # The first start finds nothing; a second one would only fail if the folder were not shared.
    startup.measure([Case("a", command(code, "first"), ("first start",))], 2, cold=False)
    with pytest.raises(PeerError):
        startup.measure([Case("a", command(code, "first"), ("first start", "second start"))], 1, cold=False)


def test_a_server_starts_until_it_is_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "_EMPTY", 0.0)
    rows = startup.measure([Case("serve", command(SERVER, "{port}"), ("start",), mark=None)], 1, cold=False)
    (row,) = rows.values()
    assert row.parts == "start 1.0 s: python 0.1" and row.seconds[0] > 2 * startup._POLL


def test_a_server_may_write_its_cache_before_it_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = itertools.count()

    def write(seconds: float) -> None:
        if (number := next(looks)) < 8:
            (tmp_path / f"part-{number}").write_text("x" * number)

    monkeypatch.setattr(startup, "time", SimpleNamespace(sleep=write, monotonic=time.monotonic))
    startup._wait_until_written(tmp_path)
    assert next(looks) == 8 + startup._SAME


@pytest.mark.parametrize("mark", ["FIRST", None])
def test_a_command_that_fails_is_named_with_its_last_words(mark: str | None) -> None:
    case = Case("broken", command("import sys; sys.exit('no model here')"), ("start",), mark=mark)
    with pytest.raises(PeerError, match="broken: no model here"):
        startup.measure([case], 1, cold=False)


def test_the_cases_that_can_be_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "QWEN3_06B", checkpoint.TINY)
    monkeypatch.setattr(startup, "VOCABULARY", checkpoint.TINY["vocab_size"])
    given = argparse.Namespace(
        cases=None, folder=tmp_path, smollm2=Path("s.gguf"), llama_cpp_python=None, vllm_python="python-of-vllm"
    )
    found = {each.name: each for each in startup.cases(given)}
    assert found.keys() >= {name for name, _ in startup.TARGETS}
    assert not any("llama.cpp" in name for name in found)
    assert found["vLLM bf16 0.6 B"].command[0] == "python-of-vllm"
    file = Path(next(word for word in found["Q4_0 0.6 B"].command if word.endswith(".gguf")))

    from torchpaged import LLM, SamplingParams

    with LLM(file, num_blocks=16, max_model_len=64) as llm:
        (output,) = llm.generate([[5, 6, 7]], SamplingParams(max_tokens=4, temperature=0), use_tqdm=False)
    assert len(output.outputs[0].token_ids) == 4
