"""A server in a thread, on a free port of 127.0.0.1, and its clients."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

import httpx
import openai

from tests.fakes import FakeModel, FakeTokenizer, engine
from torchpaged import AsyncLLM
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.server import Server, address_of, listen

TEMPLATE = "{% for m in messages %}{{ m.content }}{% endfor %}"


def until(condition: Callable[[], object]) -> None:
    """Wait for a condition; only a hang reaches the limit."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "it has not come true"
        time.sleep(0.002)


class Running:
    """A running server, `with Running(llm) as server`: it ends with no request left and the engine shut down."""

    def __init__(self, llm: AsyncLLM, **options: Any) -> None:
        self.llm = llm
        self.options = ServeOptions(port=0, **options)
        self._listener = listen(self.options)
        self.server = Server(llm, self.options)
        self.base_url = address_of(self._listener, self.options)
        self.url = self.base_url.removesuffix("/v1")
        self.port = self._listener.getsockname()[1]
        self.http = httpx.Client(base_url=self.url, timeout=300)
        self._thread = threading.Thread(target=self.server.run, args=([self._listener],), daemon=True)

    def client(self, key: str = "none") -> openai.OpenAI:
        """Return OpenAI's client, without retries."""
        return openai.OpenAI(base_url=self.base_url, api_key=key, max_retries=0, timeout=300)

    def wait_until_idle(self) -> None:
        """Wait until no request is left."""
        until(lambda: not (self.llm.get_num_unfinished_requests() or self.server.service.state.traffic.num_open))

    def __enter__(self) -> Running:
        self._thread.start()
        until(lambda: self.server.started)
        asyncio.run(self.llm.system_fingerprint())  # tests count the model's steps, and block them
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if kind is None and self.llm.is_running:
                self.wait_until_idle()
                asyncio.run(self._look())
        finally:
            self.http.close()
            self.server.should_exit = True
            self._thread.join(120)
            self.llm.shutdown()
        assert not self._thread.is_alive()

    async def _look(self) -> None:
        await self.llm.call("check")
        assert (await self.llm.stats()).cache.num_used_blocks == 0


def fake(model: FakeModel | None = None, *, settings: dict[str, Any] | None = None, **options: Any) -> Running:
    """Return a server over a model without weights, whose texts are letters."""
    tokenizer = FakeTokenizer()
    llm = AsyncLLM.from_engine(engine(model, tokenizer=tokenizer, **(settings or {})), name="fake")
    return Running(llm, **options)
