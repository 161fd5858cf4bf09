"""Tracing: OpenTelemetry spans for completed prompts and pooling requests. Imported only if it is switched on.

Attribute names follow vLLM and OpenTelemetry's conventions for generative AI. Spans contain no prompts and no answers.
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

# Seconds that a server which shuts down waits for the collector.
_PATIENCE = 5.0
# Sampling parameters that spans have.
_ASKED = ("max_tokens", "temperature", "top_p", "n")


class Tracing:
    """A tracer that makes spans and exports them in its own thread.

    Args:
        exporter: an OpenTelemetry span exporter.
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
        """Make a tracer that exports over HTTP to a URL such as http://collector:4318/v1/traces, after `require`."""
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return cls(OTLPSpanExporter(endpoint=endpoint, timeout=_PATIENCE))

    def traced(
        self, stream: RequestStream[RequestOutput], headers: Mapping[str, str], name: str, model: str, params: Any
    ) -> _TracedStream:
        """Wrap a request's stream with a span that begins now and ends with the request.

        Args:
            headers: request headers; a `traceparent` is the span's parent.
            name: id of the answer.
            params: sampling parameters.
        """
        asked = {f"gen_ai.request.{each}": getattr(params, each, None) for each in _ASKED}
        attributes = {key: value for key, value in asked.items() if value is not None}
        return _TracedStream(stream, self._begun(headers, name, model, attributes))

    @contextlib.contextmanager
    def pooling(self, headers: Mapping[str, str], name: str, model: str, operation: str) -> Iterator[PoolingSpan]:
        """Return a context manager with a span around a pooling request.

        Args:
            headers, name, model: as in `traced`.
            operation: kind of the request, in OpenTelemetry's terms if there is one.
        """
        from opentelemetry.trace import StatusCode

        span = self._begun(headers, name, model, {"gen_ai.operation.name": operation})
        try:
            yield PoolingSpan(span)
        except Exception as error:  # not a cancellation, which means that the client has disconnected
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
        """Wait, with a limit, until finished spans have been exported."""
        self._provider.force_flush(int(1e3 * _PATIENCE))

    def close(self) -> None:
        """Export the remaining spans and end the thread."""
        self._provider.shutdown()


class PoolingSpan:
    """The span of a pooling request."""

    def __init__(self, span: Any) -> None:
        self._span = span

    def note(self, usage: Mapping[str, int]) -> None:
        """Record the answer's token counts."""
        count = usage["prompt_tokens"]
        self._span.set_attributes({"gen_ai.usage.prompt_tokens": count, "gen_ai.usage.input_tokens": count})


class _TracedStream:
    """A `RequestStream` with a span that ends with it, whatever the reason."""

    def __init__(self, stream: RequestStream[RequestOutput], span: Any) -> None:
        self._num_tokens = 0
        self._reasons: dict[int, str] = {}
        self._stream, self._span = stream, span

    def __aiter__(self) -> AsyncIterator[RequestOutput]:
        return self

    async def __anext__(self) -> RequestOutput:
        """Forward to the `RequestStream`."""
        try:
            output = await anext(self._stream)
        except StopAsyncIteration:
            raise
        except BaseException as error:  # including cancellation, when the client has disconnected
            self._end(f"{type(error).__name__}: {error}" if isinstance(error, Exception) else None)
            raise
        self._count(output)
        if output.finished:
            self._span.set_attributes(self._usage(output))
            failed = next((each.error for each in output.outputs if each.finish_reason == "error"), None)
            self._end(failed)
        return output

    def offer_to(self, callback: OutputCallback | None) -> None:
        """Forward to the `RequestStream`, and count the outputs that are taken; none of them is the last."""
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
        """Forward to the `RequestStream`."""
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
        """End the span once; an unfinished request was aborted."""
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
        if hasattr(self, "_span"):  # an interrupt may have come before the span was made
            self._end(None)


def latencies(times: RequestMetrics) -> dict[str, float]:
    """Return the latencies that are known, in seconds."""
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
    """Raise a ConfigError if packages are missing, or the endpoint is not a URL."""
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
