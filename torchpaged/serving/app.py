"""Service: the FastAPI application with all routes over an `AsyncLLM`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import Any

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response
from starlette.types import ASGIApp

from torchpaged import __version__
from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.errors import ConfigError
from torchpaged.serving.admin import Admin
from torchpaged.serving.body_process import Limits
from torchpaged.serving.body_request import BodyRequest
from torchpaged.serving.generation_routes import GenerationRoutes
from torchpaged.serving.guard import Guard
from torchpaged.serving.information import Information
from torchpaged.serving.invocations import body_of
from torchpaged.serving.large_bodies import LargeBodies
from torchpaged.serving.lora_modules import LoRAModulePath, parse_all
from torchpaged.serving.openapi import document_errors
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.pooling_bodies import ClassifyBody, PoolingBody, RerankBody
from torchpaged.serving.pooling_routes import PoolingRoutes
from torchpaged.serving.protocol import ChatBody, CompletionBody, EmbeddingBody, ScoreBody
from torchpaged.serving.published import PublishedPrefixes, read_secret
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.route_errors import handle_errors
from torchpaged.serving.state import ServerState
from torchpaged.serving.tokenizer_routes import TokenizerRoutes
from torchpaged.serving.training import Training


class Service:
    """The routes of a server.

    Args:
        llm: engine.
        options: settings of the server; its adapters are loaded here.

    Attributes:
        state: what the routes share.
        app: the ASGI application.

    Raises:
        ConfigError: a key, a response template or an adapter of the options is refused.
        MissingPackageError: there is a key for receipts, and `cryptography` is not installed.
    """

    def __init__(self, llm: AsyncLLM, options: ServeOptions) -> None:
        self.state = state = ServerState.of(llm, options)
        self._generation, self._pooling = GenerationRoutes(state), PoolingRoutes(state)
        self._large_bodies = LargeBodies(self._limits()) if LargeBodies.is_available else None
        self.app: ASGIApp = Guard(self._routes(), options, state.keys, state.traffic, self._is_full, self._large_bodies)
        if options.lora_modules:
            self._load(parse_all(options.lora_modules))

    def _limits(self) -> Limits:
        options, llm = self.state.options, self.state.llm
        names = ("read_timeout", *(each.name for each in fields(options) if each.name.startswith("max_")))
        return Limits(
            ServeOptions(**{name: getattr(options, name) for name in names}),
            llm.default_params,
            llm.chat_params,
            llm.spec.vocab_size,
        )

    def _load(self, modules: Sequence[LoRAModulePath]) -> None:
        """Load adapters before the first request. Ray makes the server inside a running loop, so another one waits."""

        async def load() -> None:
            for module in modules:
                try:
                    await self.state.adapters.load(module)
                except Refusal as refusal:
                    raise ConfigError(f"--lora {module.name}={module.path}: {refusal}") from None

        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, load()).result()

    def _routes(self) -> FastAPI:
        state = self.state
        app = FastAPI(title="torchpaged", version=__version__, docs_url=None, redoc_url=None)
        app.router.route_class = _Route
        for path, method, function in (
            *Information(state).routes,
            *self._generation.routes,
            *self._pooling.routes,
            ("/invocations", "POST", self.invocations),
            *TokenizerRoutes(state).routes,
        ):
            app.add_api_route(path, function, methods=[method], response_model=None, response_class=Response)
        if state.options.admin_key is not None:
            Admin(state.llm, state.keys, state.adapters).add_to(app)
            Training(state.llm).add_to(app)
        if state.options.publish_prefixes is not None:
            PublishedPrefixes(state, read_secret(state.options.publish_prefixes)).add_to(app)
        handle_errors(app)
        document_errors(app)
        return app

    def _is_full(self) -> str | None:
        """Return the limit, a key of `guard.FULL`, that keeps another request from waiting; None: it may wait."""
        waiting = self.state.llm.get_num_unfinished_requests() - self.state.llm.config.max_num_seqs
        if waiting >= self.state.options.max_queued_requests:
            return "max_num_queued_reqs"
        is_full = self.state.llm.get_num_queued_tokens() >= max(1, self.state.options.max_queued_tokens)
        return "max_num_queued_tokens" if is_full else None

    def prepare(self) -> None:
        """Start the process that reads large bodies, which takes a second of a processor."""
        if self._large_bodies is not None:
            self._large_bodies.prepare()

    def close(self) -> None:
        """End that process, if it was started."""
        if self._large_bodies is not None:
            self._large_bodies.close()

    async def invocations(self, request: Request, body: dict[str, Any]) -> Response:
        """Dispatch a hosting platform's request to one of the other routes, by the fields of its body."""
        read, answers, pools = body_of(body, self.state.llm.spec), self._generation, self._pooling
        routes: dict[type, Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
            ChatBody: answers.chat,
            CompletionBody: answers.completions,
            EmbeddingBody: pools.embeddings,
            ScoreBody: pools.score,
            RerankBody: pools.rerank,
            ClassifyBody: pools.classify,
            PoolingBody: pools.pooling,
        }
        return await routes[type(read)](request, read)


class _Route(APIRoute):
    """Route whose bodies are read by `BodyRequest`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler that FastAPI calls."""
        handle, kinds = super().get_route_handler(), [each.field_info.annotation for each in self.dependant.body_params]
        model = kinds[0] if kinds and isinstance(kinds[0], type) and issubclass(kinds[0], BaseModel) else None

        async def read(request: Request) -> Response:
            return await handle(BodyRequest(request.scope, request.receive, model))

        return read
