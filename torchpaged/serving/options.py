"""ServeOptions: where a server listens, who may ask, and how much. Validated once; it imports nothing of a server."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, fields

from torchpaged.errors import ConfigError
from torchpaged.serving.parsers import require_parsers

# Of the engine that is served, where nothing is said: streams wait about so long for their next token.
MAX_STEP_MS = 100.0
# Tokens of a step there, on a CPU: those of more take no less time each, whoever is ready in the middle of such a step
# waits for its end, and streams beside it do. With 32 clients p99 between tokens is 1.07 s, and was 1.47 with 512 in
# another run (0.6 B, two cores of Zen 4, evals/results/serve.json).
MAX_TOKENS_ON_CPU = 384


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Settings of `torchpaged serve`.

    Args:
        host: address to listen at.
        port: to listen at; 0: one that is free.
        uds: a Unix socket to listen at instead.
        api_key: who may ask: a key, or NAME:KEY; may be given several times. None: everybody who can connect.
        api_key_file: a file with one of them a line.
        admin_key: a key for what concerns everybody: pinned prefixes, and what is in the pool. None: nobody does that.
        allow_anonymous: listen at an address that other machines reach, though there is no key.
        served_model_name: what the model is called; may be given several times, the first is in answers.
        response_template: a JSON file that says how the model writes tool calls and reasoning, as transformers reads it
            (default: the tokenizer's own).
        tool_call_parser: how the model writes tool calls, by vLLM's name for it (default: its response_template).
        reasoning_parser: how it writes what it thinks, likewise.
        enable_auto_tool_choice: let the model decide whether it calls tools; else a request says "required" or which.
        log_format: "text", or "json": a line for each request too; prompts are in neither.
        otlp_traces_endpoint: a URL of an OpenTelemetry collector, as http://collector:4318/v1/traces, that gets a span
            for each request. None: there are no spans.
        root_path: what a proxy before the server cuts off the paths.
        ssl_certfile: a file with the certificate, for TLS.
        ssl_keyfile: a file with its key.
        max_body_bytes: of a request.
        max_prompts: of a request.
        max_completions: n and best_of of a request, by prompt.
        max_logprobs: alternatives for each token; -1: no limit.
        max_stop: stop strings of a request.
        max_logit_bias: tokens in logit_bias of a request.
        max_queued_requests: that wait beside those that run (max_num_seqs); more are told to come again, with status
            503.
        max_queued_tokens: of prompts that wait for their first step, likewise.
        read_timeout: seconds for a request's headers to come, and then for its body.
        write_timeout: seconds for a client to take what was sent to it.
        request_timeout: seconds for an answer; None: no limit.
        shutdown_timeout: seconds for requests to end after SIGTERM.
        engine_process: run the engine in a process of its own, so that its steps wait for no client's Python.
        restart_engine: start another engine when its process dies, twice in a row at most. Of an engine in a process of
            its own.
        step_timeout: seconds after which a step that has not ended makes /health say 503.

    Raises:
        ConfigError: a value out of its range, or an address that other machines reach and no key.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    uds: str | None = None
    api_key: Sequence[str] | None = None
    api_key_file: str | None = None
    admin_key: str | None = None
    allow_anonymous: bool = False
    served_model_name: Sequence[str] | None = None
    response_template: str | None = None
    tool_call_parser: str | None = None
    reasoning_parser: str | None = None
    enable_auto_tool_choice: bool = True
    engine_process: bool = True
    restart_engine: bool = True
    log_format: str = "text"
    otlp_traces_endpoint: str | None = None
    root_path: str = ""
    ssl_certfile: str | None = None
    ssl_keyfile: str | None = None
    max_body_bytes: int = 16 * 2**20
    max_prompts: int = 1024
    max_completions: int = 128
    max_logprobs: int = 20
    max_stop: int = 64
    max_logit_bias: int = 1024
    max_queued_requests: int = 1024
    max_queued_tokens: int = 2**20
    read_timeout: float = 60.0
    write_timeout: float = 60.0
    request_timeout: float | None = None
    shutdown_timeout: float = 30.0
    step_timeout: float = 120.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name.startswith("max_"):
                least = -1 if each.name == "max_logprobs" else 0
                self._require(each.name, type(value) is int and value >= least, f"an integer of {least} or more")
            elif each.name.endswith("_timeout"):
                ok = type(value) in (int, float) and value > 0
                self._require(each.name, ok or (value is None and each.name == "request_timeout"), "seconds, above 0")
        self._require("port", type(self.port) is int and 0 <= self.port < 2**16, "an integer from 0 to 65535")
        self._require("log_format", self.log_format in ("text", "json"), "'text' or 'json'")
        self._require("root_path", not self.root_path.endswith("/"), "a path without a slash at its end")
        require_parsers(self.tool_call_parser, self.reasoning_parser)
        named = self.tool_call_parser or self.reasoning_parser
        self._require("response_template", self.response_template is None or not named, "it or parsers, not both")
        both = (self.ssl_certfile is None) == (self.ssl_keyfile is None)
        self._require("ssl_keyfile", both, "a file with the key of ssl_certfile, or neither of them")
        anybody = not (self.api_key or self.api_key_file or self.allow_anonymous)
        if anybody and self.uds is None and not _is_own(self.host):
            raise ConfigError(
                f"serve: host is {self.host!r}, which other machines may reach, and there is no key: give --api-key or "
                "--api-key-file, or say --allow-anonymous"
            )

    def _require(self, name: str, condition: bool, expected: str) -> None:
        if not condition:
            raise ConfigError(f"serve: {name} is {getattr(self, name)!r:.80}, expected {expected}")


def _is_own(host: str) -> bool:
    """Whether nobody but this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
