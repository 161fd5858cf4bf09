"""ServeOptions: a server's address, keys and limits. Validated once; the module imports no server code."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError
from torchpaged.serving.lora_modules import parse_all
from torchpaged.serving.parsers import require_parsers

# The server's default of the engine's max_step_ms: about the longest time between two tokens of a stream.
MAX_STEP_MS = 100.0
# The server's default of max_num_batched_tokens on a CPU. More tokens per step cost as much each, and requests that
# arrive during a step wait for its end, as do running streams. With 32 clients the p99 between tokens is 1.07 s; it was
# 1.47 s with 512 tokens in another run (0.6 B, two cores of Zen 4, evals/results/serve.json).
MAX_TOKENS_ON_CPU = 384


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Settings of `torchpaged serve`.

    Args:
        host: address to listen on.
        port: port to listen on; 0: any free port.
        uds: Unix socket to listen on instead.
        api_key: API key, KEY or NAME:KEY; may be given several times. None: no key is needed.
        api_key_file: file with one API key per line.
        admin_key: key for the administrator's routes, which pin prefixes, load adapters and show the pool. None: no
            such routes.
        allow_anonymous: listen on an address that other machines can reach without requiring a key.
        served_model_name: name of the model; may be given several times, answers have the first.
        lora_modules: adapter to load at the start, NAME=PATH of a local folder or file; may be given several times.
            Requests name it as their model.
        receipt_key: file with the key that signs receipts of answers, made by `torchpaged receipt-key`. None: there are
            no receipts.
        publish_prefixes: file with a secret of 16 bytes or more, the same for all replicas behind a router, which then
            learns what each replica's prefix cache has. None: no such routes.
        response_template: JSON file in transformers' format that describes how the model writes tool calls and
            reasoning (default: the tokenizer's own).
        tool_call_parser: format of the model's tool calls, under vLLM's name (default: its response_template).
        reasoning_parser: format of the model's reasoning, likewise.
        enable_auto_tool_choice: let the model decide whether to call tools; else a request says "required" or which.
        log_format: "text", or "json", which logs a line per request too; neither contains prompts.
        otlp_traces_endpoint: URL of an OpenTelemetry collector, such as http://collector:4318/v1/traces, which gets a
            span per request. None: no tracing.
        root_path: path prefix that a proxy in front of the server strips.
        ssl_certfile: file with the TLS certificate.
        ssl_keyfile: file with the certificate's key.
        max_body_bytes: maximum size of a request's body.
        max_prompts: maximum number of prompts in a request.
        max_completions: maximum of n and best_of.
        max_logprobs: maximum number of alternatives per token; -1: no limit.
        max_stop: maximum number of stop strings.
        max_logit_bias: maximum number of tokens in logit_bias.
        max_queued_requests: maximum number of requests that wait beside the running ones (max_num_seqs); further ones
            get status 503 and Retry-After.
        max_queued_tokens: maximum number of tokens of prompts that wait for their first step, likewise.
        read_timeout: seconds for a request's headers to arrive, and again for its body.
        write_timeout: seconds for a client to receive what was sent.
        request_timeout: seconds for an answer; None: no limit.
        shutdown_timeout: seconds for requests to finish after SIGTERM.
        engine_process: run the engine in its own process, so that its steps do not wait for the server's Python code.
        restart_engine: restart an engine process that dies, at most twice in a row.
        step_timeout: seconds after which an unfinished step makes /health answer 503.

    Raises:
        ConfigError: a value is out of its range, or other machines can reach the address and there is no key.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    uds: str | None = None
    api_key: Sequence[str] | None = None
    api_key_file: str | None = None
    admin_key: str | None = None
    allow_anonymous: bool = False
    served_model_name: Sequence[str] | None = None
    lora_modules: Sequence[str] | None = None
    receipt_key: str | None = None
    publish_prefixes: str | None = None
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
        parse_all(self.lora_modules or ())
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


def server_settings(given: Mapping[str, Any], model: str = "") -> dict[str, Any]:
    """Add the server's own defaults to an engine's settings. Called where torch is imported.

    Args:
        given: the settings that the user named.
        model: folder of the checkpoint; an encoder's steps have no sequences to keep waiting.
    """
    import torch

    settings = dict(given)
    if not _is_encoder(model):
        settings.setdefault("max_step_ms", MAX_STEP_MS)  # 0: no limit
    device = str(settings.get("device", "auto"))
    on_cpu = device == "cpu" or (device == "auto" and not torch.cuda.is_available())
    if on_cpu and settings.get("enable_chunked_prefill", True):
        most = max(MAX_TOKENS_ON_CPU, settings.get("max_num_seqs", 0))
        settings.setdefault("max_num_batched_tokens", most)
    return settings


def _is_encoder(model: str) -> bool:
    from torchpaged.integrations.families import reads_whole

    try:
        config = json.loads((Path(model) / "config.json").read_bytes())
    except (OSError, ValueError):
        return False  # whatever is wrong with it is said when it is loaded
    return isinstance(config, dict) and reads_whole(str(config.get("model_type")))


def _is_own(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
