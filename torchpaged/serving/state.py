"""ServerState: the engine, and everything else that the routes of one server share."""

from __future__ import annotations

from dataclasses import dataclass

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.serving.adapters import ServedAdapters
from torchpaged.serving.guard import Traffic
from torchpaged.serving.keys import Keys
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.published import read_secret
from torchpaged.serving.receipts import Receipts
from torchpaged.serving.tracing import Tracing


@dataclass(slots=True)
class ServerState:
    """The parts that the routes share.

    Attributes:
        llm: engine.
        options: settings of the server.
        names: names of the model; the first is that of metrics.
        keys: API keys; each has its own part of the prefix cache.
        adapters: the adapters that requests can name as their model.
        receipts: signs receipts of answers; None: there is no key.
        traffic: counts of requests.
        tracing: sends OpenTelemetry spans; None: switched off.
        secret: of published prefixes; None: none are published.
    """

    llm: AsyncLLM
    options: ServeOptions
    names: list[str]
    keys: Keys
    adapters: ServedAdapters
    receipts: Receipts | None
    traffic: Traffic
    tracing: Tracing | None
    secret: bytes | None

    @classmethod
    def of(cls, llm: AsyncLLM, options: ServeOptions) -> ServerState:
        """Make the parts for an engine.

        Raises:
            ConfigError: a key of the options is refused.
            MissingPackageError: there is a key for receipts, and `cryptography` is not installed.
        """
        secret = None if options.publish_prefixes is None else read_secret(options.publish_prefixes)
        names = list(options.served_model_name or [llm.name])
        return cls(
            llm=llm,
            options=options,
            names=names,
            keys=Keys.of(options.api_key or (), options.api_key_file, options.admin_key, secret),
            adapters=ServedAdapters(llm, names),
            receipts=None if options.receipt_key is None else Receipts(llm, options.receipt_key),
            traffic=Traffic(),
            tracing=None if options.otlp_traces_endpoint is None else Tracing.to(options.otlp_traces_endpoint),
            secret=secret,
        )
