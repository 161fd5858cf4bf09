"""Logs as JSON: each request, its client and its outcome, but no texts."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from tests.serving.harness import fake
from torchpaged.serving.logs import ACCESS, JsonFormatter

ROOT = Path(__file__).resolve().parents[2]


def test_a_line_for_each_request(caplog: pytest.LogCaptureFixture) -> None:
    with fake(api_key=["alice:correct-horse"]) as server, caplog.at_level(logging.INFO, ACCESS.name):
        headers = {"Authorization": "Bearer correct-horse"}
        for stream in (False, True):
            body = {"prompt": "fghfghfgh", "max_tokens": 3, "stream": stream}
            server.http.post("/v1/completions?q=fghfghfgh", json=body, headers=headers)
        server.http.post("/v1/completions", json={"prompt": "fghfghfgh"})
        server.http.post("/v1/completions", json={"prompt": "fghfghfgh", "n": -1}, headers=headers)
        server.wait_until_idle()
    formatted = [JsonFormatter().format(record) for record in caplog.records if record.name == ACCESS.name]
    lines = [json.loads(each) for each in formatted]
    found = [(each["status"], each["key"]) for each in lines]
    assert found[0] == (200, "alice") and sorted(found, key=str) == [  # a stream's line follows its last byte
        (200, "alice"),
        (200, "alice"),
        (400, "alice"),
        (401, None),
    ]
    first = lines[0]
    assert first.keys() == {"time", "level", "logger", "message", "method", "path", "status", "seconds", "key"}
    assert (first["method"], first["path"], first["level"]) == ("POST", "/v1/completions", "info")
    assert not any("fghfgh" in each or "correct" in each for each in formatted)


def test_a_failure_is_one_line() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.LogRecord("a", logging.ERROR, "f", 1, "it has %s", ("failed",), sys.exc_info())
    text = JsonFormatter().format(record)
    line = json.loads(text)
    assert "\n" not in text and line["message"] == "it has failed" and "ValueError: two\nlines" in line["exception"]


def test_all_that_is_said_is_json() -> None:
    code = """
import logging, sys
sys.modules["torch"] = None  # as if it were not installed: it takes seconds
from torchpaged.serving.logs import log_as_json
log_as_json()
logging.getLogger("torchpaged.x").info("ours")
logging.getLogger("other").info("theirs")
logging.getLogger("other").warning("theirs")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600)
    said = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(each["logger"], each["level"]) for each in said] == [("torchpaged.x", "info"), ("other", "warning")]
