"""Routes that tell about the server: its page, health, metrics and models."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

from starlette.responses import HTMLResponse, Response

from torchpaged import __version__
from torchpaged.engine.metrics import Counter
from torchpaged.lora_request import LoRARequest
from torchpaged.receipts.receipt import FORMAT
from torchpaged.serving import prometheus
from torchpaged.serving.json_text import json_response
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.routes import RouteTable
from torchpaged.serving.state import ServerState

_PAGE = Path(__file__).with_name("try.html")
# The page's Markdown renderer, inlined into its script so that the page is one request.
_MARKDOWN = Path(__file__).with_name("markdown.js")
# Seconds to wait for the engine's statistics, which it returns between two steps.
_PATIENCE = 10.0


class Information:
    """Routes that tell about the server.

    Args:
        state: what routes share.
    """

    def __init__(self, state: ServerState) -> None:
        self.state = state
        self._created = int(time.time())

    @property
    def routes(self) -> RouteTable:
        """Paths, methods and functions."""
        return [
            ("/", "GET", self.page),
            ("/health", "GET", self.health),
            ("/ready", "GET", self.ready),
            ("/version", "GET", self.version),
            ("/load", "GET", self.load),
            ("/metrics", "GET", self.metrics),
            ("/v1/models", "GET", self.models),
            ("/v1/models/{name:path}", "GET", self.model),
            *(("/ping", method, self.health) for method in ("GET", "POST")),
            *([("/receipt-key", "GET", self.receipt_key)] if self.state.receipts is not None else []),
        ]

    async def page(self) -> Response:
        """Return the page to try the model, which uses the API as any client does."""
        return HTMLResponse(_PAGE.read_bytes().replace(b"/* markdown.js */", _MARKDOWN.read_bytes()))

    async def health(self) -> Response:
        """Answer 200 while steps end in time."""
        return Response(status_code=200 if self.state.llm.is_healthy else 503)

    async def ready(self) -> Response:
        """Answer 200 while requests are accepted."""
        return Response(status_code=200 if self.state.llm.is_healthy and not self.state.traffic.draining else 503)

    async def version(self) -> Response:
        """Return torchpaged's version."""
        return json_response({"version": __version__})

    async def receipt_key(self) -> Response:
        """Return the public key that checks the receipts' signatures."""
        assert self.state.receipts is not None, "the route is only there with a key"
        return json_response(
            {"format": FORMAT, "algorithm": "ed25519", "public_key": self.state.receipts.public_key.hex}
        )

    async def load(self) -> Response:
        """Return the number of requests being answered, without this one."""
        return json_response({"server_load": self.state.traffic.num_open - 1})

    async def metrics(self) -> Response:
        """Return metrics in Prometheus' format."""
        try:
            found = await asyncio.wait_for(self.state.llm.get_metrics(self.state.names[0]), _PATIENCE)
        except asyncio.TimeoutError:
            raise Refusal(f"no step has ended for {_PATIENCE:g} seconds", status=503) from None
        found += [
            Counter("vllm:admission_rejections", {"model_name": self.state.names[0], "reason": reason}, count)
            for reason, count in self.state.traffic.num_rejected.items()
        ]
        return Response(prometheus.text_of(found), headers={"Content-Type": prometheus.CONTENT_TYPE})

    async def models(self) -> Response:
        """List the names of the model, and the adapters."""
        cards = [self._card(name, None) for name in self.state.names]
        return json_response(
            {"object": "list", "data": cards + [self._card(each.lora_name, each) for each in self.state.adapters]}
        )

    async def model(self, name: str) -> Response:
        """Describe one of the names, or an adapter."""
        return json_response(self._card(*self.state.adapters.resolve(name)))

    def _card(self, name: str, adapter: LoRARequest | None) -> dict[str, Any]:
        return {
            "id": name,
            "object": "model",
            "created": self._created,
            "owned_by": "torchpaged",
            "root": self.state.llm.name if adapter is None else adapter.lora_path,
            "parent": None if adapter is None else self.state.adapters.parent_of(adapter),
            "max_model_len": self.state.llm.max_model_len,
        }
