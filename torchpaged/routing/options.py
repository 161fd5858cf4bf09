"""RouteOptions: settings of `torchpaged route`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torchpaged.errors import ConfigError


@dataclass(frozen=True, slots=True)
class RouteOptions:
    """Settings of `torchpaged route`.

    Args:
        host, port: address to listen on.
        prefill: URL of a server that only computes prompts, for the store that it shares with the others
            (`--prefix-cache-dir`); may be given several times.
        prefill_tokens: tokens of a prompt that no server has cached, from which on it is computed there first.
        replica_key: API key for the router's own requests to the replicas; clients' keys are passed on.
        admin_key: key for `/replicas`, which shows, adds, drains and removes replicas; None: no such routes.
        poll_interval: seconds between two questions to a replica for what it has.
        decode_tokens: tokens of a prompt that a replica computes in the time by which one more running answer delays
            a request.
        max_replicas: replicas at most, those that are added later included.
        max_body_bytes: largest body of a request.
        connect_timeout: seconds to connect to a replica.
        read_timeout: seconds for a request's body to arrive.

    Raises:
        ConfigError: a value is out of its range.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    prefill: Sequence[str] | None = None
    prefill_tokens: int = 512
    replica_key: str | None = None
    admin_key: str | None = None
    poll_interval: float = 0.25
    decode_tokens: int = 64
    max_replicas: int = 64
    max_body_bytes: int = 16 * 2**20
    connect_timeout: float = 2.0
    read_timeout: float = 60.0

    def __post_init__(self) -> None:
        for name, least in (
            ("port", 0),
            ("decode_tokens", 0),
            ("prefill_tokens", 1),
            ("max_replicas", 1),
            ("max_body_bytes", 1),
        ):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ConfigError(f"route: {name} is {value!r:.80}, expected an integer of {least} or more")
        for name in ("poll_interval", "connect_timeout", "read_timeout"):
            value = getattr(self, name)
            if type(value) not in (int, float) or not 0 < value < 3600:
                raise ConfigError(f"route: {name} is {value!r:.80}, expected seconds above 0 and below 3600")
