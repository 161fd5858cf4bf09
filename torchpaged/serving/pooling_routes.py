"""Routes of pooled hidden states: embeddings, scores, rankings and classes."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from fastapi import Request
from starlette.responses import Response

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.lora_request import LoRARequest
from torchpaged.serving import pooled
from torchpaged.serving.guard import KEY
from torchpaged.serving.json_text import json_response
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.pooling_bodies import ClassifyBody, PoolingBody, RerankBody
from torchpaged.serving.protocol import EmbeddingBody, PooledBody, ScoreBody
from torchpaged.serving.routes import RouteTable, in_time
from torchpaged.serving.state import ServerState
from torchpaged.serving.tracing import PoolingSpan

_Pooled = TypeVar("_Pooled", bound=PooledBody)
_Compute = Callable[
    [AsyncLLM, _Pooled, ServeOptions, "str | None", "LoRARequest | None"], Coroutine[Any, Any, dict[str, Any]]
]


class PoolingRoutes:
    """Routes of pooled hidden states.

    Args:
        state: what routes share.
    """

    def __init__(self, state: ServerState) -> None:
        self.state = state

    @property
    def routes(self) -> RouteTable:
        """Paths, methods and functions."""
        return [
            ("/v1/embeddings", "POST", self.embeddings),
            *((path, "POST", self.score) for path in ("/v1/score", "/score")),
            *((path, "POST", self.rerank) for path in ("/v1/rerank", "/v2/rerank", "/rerank")),
            ("/classify", "POST", self.classify),
            ("/pooling", "POST", self.pooling),
        ]

    @in_time
    async def embeddings(self, request: Request, body: EmbeddingBody) -> Response:
        """Return embeddings; OpenAI's route."""
        found = await self._pooled(request, body, "embd", "embeddings", pooled.embeddings)
        return json_response({name: found[name] for name in ("object", "model", "data", "usage")})

    @in_time
    async def score(self, request: Request, body: ScoreBody) -> Response:
        """Score the similarity of texts; vLLM's route."""
        return json_response(await self._pooled(request, body, "score", "score", pooled.scores))

    @in_time
    async def rerank(self, request: Request, body: RerankBody) -> Response:
        """Rank documents for a query, best first; Jina's and vLLM's route."""
        found = await self._pooled(request, body, "rerank", "rerank", pooled.ranking)
        return json_response({name: found[name] for name in ("id", "model", "usage", "results")})

    @in_time
    async def classify(self, request: Request, body: ClassifyBody) -> Response:
        """Return class probabilities; vLLM's route."""
        return json_response(await self._pooled(request, body, "classify", "classify", pooled.classes))

    @in_time
    async def pooling(self, request: Request, body: PoolingBody) -> Response:
        """Return pooled hidden states; vLLM's route."""
        return json_response(await self._pooled(request, body, "pool", "pooling", pooled.pooled))

    async def _pooled(
        self, request: Request, body: _Pooled, kind: str, operation: str, compute: _Compute[_Pooled]
    ) -> dict[str, Any]:
        """Wrap pooled results into vLLM's answer."""
        (model, lora), salt = (
            self.state.adapters.resolve(body.model),
            self.state.keys.salt(request.scope.get(KEY), body.cache_salt),
        )
        name, created = f"{kind}-{secrets.token_hex(16)}", int(time.time())
        with self._traced(request, name, model, operation) as span:
            found = await compute(self.state.llm, body, self.state.options, salt, lora)
            if span is not None:
                span.note(found["usage"])
        return {"id": name, "object": "list", "created": created, "model": model, **found}

    def _traced(
        self, request: Request, name: str, model: str, operation: str
    ) -> AbstractContextManager[PoolingSpan | None]:
        if self.state.tracing is None:
            return nullcontext()
        return self.state.tracing.pooling(request.headers, name, model, operation)
