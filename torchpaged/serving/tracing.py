"""Tracing: a span for each prompt that is completed, and for each request for vectors or scores, to an OpenTelemetry
collector. It is imported where it is asked for.

Names of attributes are vLLM's and those of OpenTelemetry's conventions for generative AI. No prompt and no answer is in
a span.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from torchpaged.async_engine.client import OutputCallback
from torchpaged.async_engine.request_streams import RequestStream
from torchpaged.errors import ConfigError
from torchpaged.outputs import RequestMetrics, RequestOutput

# Seconds for a collector to take spans: a server that ends waits no longer for one that is not there.
_PATIENCE = 5.0
# Fields of requests that spans have.
_ASKED = ("max_tokens", "temperature", "top_p", "n")


class Tracing:
    """Makes spans, and sends them in a thread of its own.

    Args:
        exporter: of OpenTelemetry, takes them.
    """

    def __init__(self, exporter: Any) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        named = {} if "OTEL_SERVICE_NAME" in os.environ else {"service.name": "torchpaged"}
        self._provider = TracerProvider(resource=Resource.create(named))
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("torchpaged")
        self._propagator = TraceContextTextMapPropagator()

    @classmethod
    def to(cls, endpoint: str) -> Tracing:
        """Over HTTP, to a URL as http://collector:4318/v1/traces. `require` has found the packages."""
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return cls(OTLPSpanExporter(endpoint=endpoint, timeout=_PATIENCE))

    def traced(
        self, stream: RequestStream[RequestOutput], headers: Mapping[str, str], name: str, model: str, params: Any
    ) -> TracedStream:
        """A request with a span, which begins now and ends with the request.

        Args:
            headers: a `traceparent` among them is the span's parent.
            name: the client's, of the answer.
            params: of the request.
        """
        asked = {f"gen_ai.request.{each}": getattr(params, each, None) for each in _ASKED}
        attributes = {key: value for key, value in asked.items() if value is not None}
        return TracedStream(stream, self._begun(headers, name, model, attributes))

    @contextlib.contextmanager
    def pooling(self, headers: Mapping[str, str], name: str, model: str, operation: str) -> Iterator[PoolingSpan]:
        """A span around a request for vectors or scores, which ends with it, however that ends.

        Args:
            headers, name, model: as of `traced`.
            operation: what is asked for, in OpenTelemetry's word if there is one.
        """
        from opentelemetry.trace import StatusCode

        span = self._begun(headers, name, model, {"gen_ai.operation.name": operation})
        try:
            yield PoolingSpan(span)
        except Exception as error:  # and not a task's cancellation: the client has gone
            span.set_status(StatusCode.ERROR, f"{type(error).__name__}: {error}")
            raise
        finally:
            span.end(time.time_ns())

    def _begun(self, headers: Mapping[str, str], name: str, model: str, attributes: Mapping[str, Any]) -> Any:
        from opentelemetry.trace import SpanKind

        given = {key: headers[key] for key in ("traceparent", "tracestate") if key in headers}
        parent = self._propagator.extract(given)
        named = {"gen_ai.request.id": name, "gen_ai.request.model": model, "gen_ai.response.model": model}
        return self._tracer.start_span(
            "llm_request", parent, SpanKind.SERVER, {**named, **attributes}, start_time=time.time_ns()
        )

    def flush(self) -> None:
        """Waits until what has ended was sent, a while."""
        self._provider.force_flush(int(1e3 * _PATIENCE))

    def close(self) -> None:
        """Sends what is left, and ends the thread."""
        self._provider.shutdown()


class PoolingSpan:
    """Of a request for vectors or scores."""

    def __init__(self, span: Any) -> None:
        self._span = span

    def note(self, usage: Mapping[str, int]) -> None:
        """What the answer says of its tokens."""
        count = usage["prompt_tokens"]
        self._span.set_attributes({"gen_ai.usage.prompt_tokens": count, "gen_ai.usage.input_tokens": count})


class TracedStream:
    """A `RequestStream` whose span ends with it, however that ends."""

    def __init__(self, stream: RequestStream[RequestOutput], span: Any) -> None:
        self._num_tokens = 0
        self._reasons: dict[int, str] = {}
        self._stream, self._span = stream, span

    def __aiter__(self) -> AsyncIterator[RequestOutput]:
        return self

    async def __anext__(self) -> RequestOutput:
        """As of `RequestStream`."""
        try:
            output = await anext(self._stream)
        except StopAsyncIteration:
            raise
        except BaseException as error:  # a task that is cancelled, among them: the client has gone
            self._end(f"{type(error).__name__}: {error}" if isinstance(error, Exception) else None)
            raise
        self._count(output)
        if output.finished:
            self._span.set_attributes(self._usage(output))
            failed = next((each.error for each in output.outputs if each.finish_reason == "error"), None)
            self._end(failed)
        return output

    def offer_to(self, callback: OutputCallback | None) -> None:
        """As of `RequestStream`; what is taken is counted too, and none of it is the last."""
        if callback is None:
            self._stream.offer_to(None)
            return

        def counted(output: RequestOutput) -> bool:
            taken = not output.finished and callback(output)
            if taken:
                self._count(output)
            return taken

        self._stream.offer_to(counted)

    async def aclose(self) -> None:
        """As of `RequestStream`."""
        self._end(None)
        await self._stream.aclose()

    def _count(self, output: RequestOutput) -> None:
        for completion in output.outputs:
            self._num_tokens += len(completion.token_ids)
            if completion.finish_reason is not None:
                self._reasons[completion.index] = completion.finish_reason

    def _usage(self, output: RequestOutput) -> dict[str, Any]:
        asked, cached = len(output.prompt_token_ids), output.num_cached_tokens or 0
        return {
            "gen_ai.usage.prompt_tokens": asked,
            "gen_ai.usage.completion_tokens": self._num_tokens,
            "gen_ai.usage.input_tokens": asked,
            "gen_ai.usage.output_tokens": self._num_tokens,
            "gen_ai.usage.cache_read.input_tokens": cached,
            "gen_ai.usage.num_sequences": len(self._reasons),
            "gen_ai.response.finish_reasons": [self._reasons[index] for index in sorted(self._reasons)],
            **latencies(output.metrics),
        }

    def _end(self, error: str | None) -> None:
        """Once; one that has not finished was aborted."""
        if self._span is None:
            return
        span, self._span = self._span, None
        if error is not None:
            from opentelemetry.trace import StatusCode

            span.set_status(StatusCode.ERROR, error)
        elif not self._reasons:
            span.set_attribute("gen_ai.response.finish_reasons", ["abort"])
        span.end(time.time_ns())

    def __del__(self) -> None:
        if hasattr(self, "_span"):  # an interrupt may have come before that
            self._end(None)


def latencies(times: RequestMetrics) -> dict[str, float]:
    """Seconds, of what has happened."""
    begun, first, ended = times.first_scheduled_time, times.first_token_time, times.finished_time
    spans = {
        "time_in_queue": (times.arrival_time, begun),
        "time_to_first_token": (times.arrival_time, first),
        "e2e": (times.arrival_time, ended),
        "time_in_model_prefill": (begun, first),
        "time_in_model_decode": (first, ended),
        "time_in_model_inference": (begun, ended),
    }
    return {
        f"gen_ai.latency.{name}": max(0.0, later - sooner)
        for name, (sooner, later) in spans.items()
        if sooner is not None and later is not None
    }


def require(endpoint: str) -> None:
    """Raises ConfigError where the packages are missing, or what is given is no URL."""
    if not endpoint.startswith(("http://", "https://")):
        raise ConfigError(
            f"serve: otlp_traces_endpoint is {endpoint!r:.80}, expected a URL as http://collector:4318/v1/traces; "
            "spans are sent over HTTP"
        )
    try:
        import opentelemetry.exporter.otlp.proto.http.trace_exporter
        import opentelemetry.sdk.trace  # noqa: F401
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"serve: otlp_traces_endpoint is {endpoint!r:.80}, which needs {error.name}; pip install 'torchpaged[otel]'"
        ) from None
