"""Spans: one per request for every outcome, with vLLM's attributes; and a server without OpenTelemetry."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")

from tests.fakes import FakeDecoder, FakeModel
from tests.serving.harness import Running, fake, until
from torchpaged import PoolerConfig
from torchpaged.errors import ConfigError
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.server import listen
from torchpaged.serving.tracing import Tracing

LONG = {"prompt": "fgh", "max_tokens": 100, "ignore_eos": True, "temperature": 0}
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_without_the_packages_nothing_is_missed_but_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.split(".")[0] == "opentelemetry"] + ["opentelemetry"]:
        monkeypatch.setitem(sys.modules, name, None)
    with fake() as server:
        assert server.http.post("/v1/completions", json={"prompt": "fg", "max_tokens": 2}).status_code == 200
    for url, says in (
        ("http://127.0.0.1:4318/v1/traces", r"needs opentelemetry.*torchpaged\[otel\]"),
        ("x:1", "a URL"),
    ):
        with pytest.raises(ConfigError, match=f"otlp_traces_endpoint is '{url}'.*{says}"):
            listen(ServeOptions(port=0, otlp_traces_endpoint=url))


class Traced:
    """A server whose spans are recorded."""

    def __init__(self, server: Running) -> None:
        exported = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter", reason=_MISSING)
        self.server, self._exporter = server, exported.InMemorySpanExporter()
        self._tracing = server.server.service.state.tracing = Tracing(self._exporter)

    def spans(self) -> list[tuple[Any, Mapping[str, Any]]]:
        """Return (span, its attributes) of the requests that have ended since the last time."""
        self._tracing.flush()
        found = [(span, dict(span.attributes or {})) for span in self._exporter.get_finished_spans()]
        self._exporter.clear()
        return found


_MISSING = "opentelemetry-sdk is not installed: pip install 'torchpaged[otel]'"


@pytest.fixture(scope="module")
def traced() -> Iterator[Traced]:
    pytest.importorskip("opentelemetry.sdk", reason=_MISSING)
    with fake(FakeModel(fails_at=29)) as server:
        yield Traced(server)


@pytest.mark.parametrize("stream", [False, True])
def test_what_a_span_says(traced: Traced, stream: bool) -> None:
    sent = {
        "prompt": "fgh",
        "max_tokens": 4,
        "ignore_eos": True,
        "temperature": 0.5,
        "request_id": "a",
        "stream": stream,
    }
    answer = traced.server.http.post("/v1/completions", json=sent, headers={"traceparent": PARENT})
    assert answer.status_code == 200
    ((span, said),) = traced.spans()
    assert span.name == "llm_request" and span.kind.name == "SERVER" and span.status.status_code.name == "UNSET"
    assert f"{span.context.trace_id:032x}" in PARENT and f"{span.parent.span_id:016x}" in PARENT
    expected = {
        "gen_ai.request.id": "cmpl-a",
        "gen_ai.request.model": "fake",
        "gen_ai.response.model": "fake",
        "gen_ai.request.max_tokens": 4,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.usage.prompt_tokens": 3,
        "gen_ai.usage.completion_tokens": 4,
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.usage.output_tokens": 4,
        "gen_ai.response.finish_reasons": ("length",),
        "gen_ai.usage.num_sequences": 1,
    }
    assert {key: said[key] for key in expected} == expected
    parts = [said[f"gen_ai.latency.{name}"] for name in ("time_in_queue", "time_to_first_token", "e2e")]
    assert parts == sorted(parts) and parts[0] >= 0
    assert parts[2] <= (span.end_time - span.start_time) / 1e9
    assert span.resource.attributes["service.name"] == "torchpaged"


def test_a_span_counts_what_no_task_has_seen() -> None:
    pytest.importorskip("opentelemetry.sdk", reason=_MISSING)
    with fake() as server:
        traced = Traced(server)
        assert server.http.post("/v1/completions", json={**LONG, "stream": True}).status_code == 200
        ((_, said),) = traced.spans()
        assert said["gen_ai.usage.completion_tokens"] == 100


def test_a_span_for_each_prompt_without_a_parent(traced: Traced) -> None:
    sent = {"prompt": ["fg", "fghi"], "n": 2, "max_tokens": 3, "ignore_eos": True, "seed": 1}
    traced.server.http.post("/v1/completions", json=sent, headers={"traceparent": "nonsense"})
    spans = traced.spans()
    assert sorted(said["gen_ai.usage.prompt_tokens"] for _, said in spans) == [2, 4]
    assert all(said["gen_ai.usage.completion_tokens"] == 6 and span.parent is None for span, said in spans)
    assert all(said["gen_ai.response.finish_reasons"] == ("length", "length") for _, said in spans)


def test_spans_of_what_does_not_end_well(traced: Traced) -> None:
    http = traced.server.http
    assert http.post("/v1/completions", json={**LONG, "prompt": [29]}).status_code == 500
    assert http.post("/v1/completions", json={**LONG, "prompt": "f" * 200}).status_code == 400
    spans = traced.spans()
    assert [span.status.status_code.name for span, _ in spans] == ["ERROR", "ERROR"]
    assert "IndexError" in spans[0][0].status.description and "200 tokens" in spans[1][0].status.description
    with http.stream("POST", "/v1/completions", json={**LONG, "stream": True}) as answer:
        next(answer.iter_bytes())
    traced.server.wait_until_idle()
    found: list[Any] = []
    until(lambda: found.extend(traced.spans()) or found)
    ((span, said),) = found  # either it has ended before its client had gone, or with that
    assert said["gen_ai.response.finish_reasons"] in (("abort",), ("length",)) and span.end_time >= span.start_time


def test_spans_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exported to a collector as the server is started by default: the rest is sent at shutdown."""
    module = pytest.importorskip("opentelemetry.exporter.otlp.proto.http.trace_exporter", reason=_MISSING)
    sent: list[tuple[str, int]] = []

    def export(self: Any, spans: Any) -> Any:
        sent.append((self._endpoint, len(spans)))
        return module.SpanExportResult.SUCCESS

    monkeypatch.setattr(module.OTLPSpanExporter, "export", export)
    url = "http://127.0.0.1:1/v1/traces"
    with fake(otlp_traces_endpoint=url) as server:
        assert server.http.post("/v1/completions", json={"prompt": "fg", "max_tokens": 2}).status_code == 200
    assert sent == [(url, 1)]


def test_spans_of_vectors_and_scores() -> None:
    pytest.importorskip("opentelemetry.sdk", reason=_MISSING)
    with fake(FakeDecoder(), settings={"pooler_config": PoolerConfig()}) as server:
        traced = Traced(server)
        for path, sent, operation, tokens in (
            ("/v1/embeddings", {"input": ["fg", "fgh"]}, "embeddings", 5),
            ("/v1/score", {"text_1": "f", "text_2": ["gh", "i"]}, "score", None),
        ):
            answer = server.http.post(path, json=sent, headers={"traceparent": PARENT})
            ((span, said),) = traced.spans()
            usage = answer.json()["usage"]["prompt_tokens"]
            assert answer.status_code == 200 and usage == (tokens or usage)
            assert said["gen_ai.operation.name"] == operation and said["gen_ai.response.model"] == "fake"
            assert said["gen_ai.usage.prompt_tokens"] == said["gen_ai.usage.input_tokens"] == usage
            assert f"{span.parent.span_id:016x}" in PARENT and span.status.status_code.name == "UNSET"
            assert said["gen_ai.request.id"] == answer.json().get("id", said["gen_ai.request.id"])
        assert server.http.post("/v1/embeddings", json={"input": "f" * 200}).status_code == 400
        ((span, _),) = traced.spans()
        assert span.status.status_code.name == "ERROR" and "200 tokens" in span.status.description
