"""Routes by which a router learns what a server's prefix cache has.

Blocks have keyed hashes there: all replicas have the same key, and the router does not. So it can compare prompts with
caches, and cannot find out of which tokens a block is made.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from pydantic import ValidationError
from starlette.responses import Response

from torchpaged.async_engine.tokenizer_pool import Length
from torchpaged.engine.prompt_media import media_keys
from torchpaged.errors import ConfigError
from torchpaged.kv_cache.block_hash import CacheKeys, extend_chain, root_hash
from torchpaged.lora_request import LoRARequest
from torchpaged.routing.prefix_index import HASH_SIZE
from torchpaged.sampling_params import RequestOutputKind, SamplingParams
from torchpaged.serving.guard import KEY
from torchpaged.serving.json_text import to_json
from torchpaged.serving.message_body import MessageBody
from torchpaged.serving.protocol import Body, ChatBody, CompletionBody
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.response_body import ResponseBody
from torchpaged.serving.state import ServerState

_SHORTEST = 16
# Seconds for the store to take a prompt's blocks, and for which a wait may keep an engine from its steps.
_PATIENCE, _GLANCE = 10.0, 0.02
_BODIES: dict[str, type[Body]] = {
    "/v1/chat/completions": ChatBody,
    "/v1/completions": CompletionBody,
    "/v1/messages": MessageBody,
    "/v1/responses": ResponseBody,
}


class HashesBody(Body):
    """The body of POST /v1/prefixes/hashes: a request as a client sends it.

    Args:
        path: its route.
        body: its body.
    """

    path: str
    body: dict[str, Any]


class PublishedPrefixes:
    """Routes that tell a router the contents of a prefix cache, and the hashes of a prompt.

    Args:
        state: what the routes share.
        secret: key of the hashes, the same for all replicas.
    """

    def __init__(self, state: ServerState, secret: bytes) -> None:
        self._llm, self._keys, self._adapters = state.llm, state.keys, state.adapters
        self._key = hashlib.sha256(b"published" + secret).digest()
        self._check = base64.b64encode(self._published([b"check"])).decode()

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        for path, method, function in (
            ("/v1/prefixes/published", "GET", self.changes),
            ("/v1/prefixes/hashes", "POST", self.hashes),
            ("/v1/prefixes/prefill", "POST", self.prefill),
        ):
            app.add_api_route(path, function, methods=[method], response_model=None, response_class=Response)

    async def changes(self, epoch: str = "", number: int = 0) -> Response:
        """Return the blocks that the cache has got and lost since the answer with this epoch and number."""
        found = await self._llm.call("prefix_changes", epoch, number)
        added, removed = await asyncio.to_thread(lambda: [self._published(x) for x in (found.added, found.removed)])
        return _json(
            {
                "epoch": found.epoch,
                "number": found.number,
                "is_whole": found.is_whole,
                "added": base64.b64encode(added).decode(),
                "removed": base64.b64encode(removed).decode(),
                "block_size": self._llm.config.block_size,
                "check": self._check,
            }
        )

    async def hashes(self, request: Request, body: HashesBody) -> Response:
        """Return the hashes of the blocks of a request's prompt. Its other fields are not checked."""
        prompt, salt, lora = await self._read(request, body)
        tokens, media = prompt["prompt_token_ids"], prompt.get("media")
        multimodal = () if media is None else media_keys(media)
        keys = CacheKeys(salt=salt, multimodal=multimodal, lora=self._adapters.content(lora))
        chain = await asyncio.to_thread(self._chain, tokens, keys)
        hashes = base64.b64encode(chain).decode()
        return _json({"num_tokens": len(tokens), "block_size": self._llm.config.block_size, "hashes": hashes})

    async def prefill(self, request: Request, body: HashesBody) -> Response:
        """Compute a request's prompt, and wait until the store below the pool has its blocks."""
        prompt, salt, lora = await self._read(request, body)
        params = SamplingParams(temperature=0.0, max_tokens=1, output_kind=RequestOutputKind.FINAL_ONLY)
        async for _ in self._llm.generate(prompt, params, cache_salt=salt, lora_request=lora, priority=0):
            pass
        end = time.monotonic() + _PATIENCE
        while not (is_stored := await self._llm.call("flush_prefix_cache", _GLANCE)) and time.monotonic() < end:
            await asyncio.sleep(0.01)
        return _json({"num_tokens": len(prompt["prompt_token_ids"]), "is_stored": is_stored})

    async def _read(self, request: Request, body: HashesBody) -> tuple[dict[str, Any], str | None, LoRARequest | None]:
        """Return a request's first prompt, as tokens, its salt and its adapter."""
        if (kind := _BODIES.get(body.path)) is None:
            raise Refusal(f"path is {body.path!r:.80}, expected one of {', '.join(_BODIES)}", param="path")
        try:
            given = kind.model_validate(body.body)
        except ValidationError as error:
            raise Refusal(f"body is not one of {body.path}: {error.errors()[0]['msg']}", param="body") from None
        _, lora = self._adapters.resolve(given.model)
        salt = self._keys.salt(request.scope.get(KEY), getattr(given, "cache_salt", None))
        return await self._prompt(given), salt, lora

    async def _prompt(self, given: Body) -> dict[str, Any]:
        """Return a request's first prompt: tokens, and images and sounds that have been read."""
        length = Length.of(getattr(given, "truncate_prompt_tokens", None) is not None)
        if isinstance(given, CompletionBody):
            prompt: Any = given.prompt
            if isinstance(prompt, list) and prompt and not isinstance(prompt[0], int):
                prompt = prompt[0]
            if not isinstance(prompt, str):
                return {"prompt_token_ids": list(prompt or ())}
            more = {} if given.add_special_tokens is None else {"add_special_tokens": given.add_special_tokens}
            read, _ = await self._llm.tokenizer_pool.read("prompt", prompt, more, length=length)
            assert isinstance(read, dict)
            return {"prompt_token_ids": read["prompt_token_ids"]}
        chat = given.chat() if isinstance(given, (ResponseBody, MessageBody)) else given
        assert isinstance(chat, ChatBody)
        return await self._llm.preprocess_chat(chat.messages, length=length, **chat.template_options())

    def _chain(self, tokens: list[int], keys: CacheKeys) -> bytes:
        size, chain = self._llm.config.block_size, [root_hash(keys)]
        extend_chain(chain, tokens, size, len(tokens) // size, keys)
        return self._published(chain[1:])

    def _published(self, hashes: Iterable[bytes]) -> bytes:
        """Return the published hashes, `HASH_SIZE` bytes each, one after the other."""
        key = self._key
        return b"".join(hashlib.blake2b(each, digest_size=HASH_SIZE, key=key).digest() for each in hashes)


def read_secret(path: str) -> bytes:
    """Read the file of the option `publish_prefixes`. Raises ConfigError if it cannot be read or is too short."""
    try:
        secret = Path(path).read_bytes().strip()
    except OSError as error:
        raise ConfigError(f"serve: publish_prefixes is {path!r}, which cannot be read: {error.strerror}") from None
    if len(secret) < _SHORTEST:
        raise ConfigError(
            f"serve: publish_prefixes is {path!r}, whose secret has {len(secret)} bytes, expected {_SHORTEST} or more; "
            "`openssl rand -hex 32 > FILE` makes one"
        )
    return secret


def _json(value: Any) -> Response:
    return Response(to_json(value), media_type="application/json")
