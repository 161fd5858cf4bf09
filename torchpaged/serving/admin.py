"""Routes for the server's administrator: pinned prefixes, adapters, and a page that shows the KV cache pool."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from typing import Any

from fastapi import Depends, FastAPI, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.engine.pool_trace import page_of
from torchpaged.errors import EngineError, did_you_mean
from torchpaged.lora_request import LoRARequest
from torchpaged.serving.adapters import ServedAdapters
from torchpaged.serving.guard import ADMIN, KEY
from torchpaged.serving.json_text import json_response
from torchpaged.serving.keys import Keys
from torchpaged.serving.lora_modules import LoRAModulePath
from torchpaged.serving.protocol import LoadAdapterBody, PrefixBody, UnloadAdapterBody, require_one_of, template_options
from torchpaged.serving.refusals import Refusal

# Seconds to wait for the engine's answer, or for a moment without unfinished requests.
_PATIENCE = 10.0
# Seconds for which a prefetch may keep an idle engine from requests that come.
_GLANCE = 0.05


async def require_admin(request: Request) -> None:
    """Raise a Refusal unless the request has the admin key."""
    if request.scope.get(ADMIN):
        return
    if request.scope.get(KEY) is not None:
        raise Refusal("this is for the admin's key alone", status=403, code="not_admin")
    raise Refusal(
        "this is for the admin's key: send it as 'Authorization: Bearer KEY'",
        status=401,
        code="invalid_api_key",
        headers={"WWW-Authenticate": "Bearer"},
    )


class Admin:
    """Routes that need the admin key.

    Args:
        llm: engine with the cache.
        keys: API keys; each has its own part of the prefix cache, so a pin belongs to one of them.
        adapters: the served adapters.
    """

    def __init__(self, llm: AsyncLLM, keys: Keys, adapters: ServedAdapters) -> None:
        self._llm, self._keys, self._adapters = llm, keys, adapters
        self._for: dict[str, str | None] = {}  # by pin, the name of the key whose requests find it

    def add_to(self, app: FastAPI) -> None:
        """Register the routes, each behind the admin key."""
        for path, method, function in (
            ("/v1/prefixes", "GET", self.prefixes),
            ("/v1/prefixes", "POST", self.pin),
            ("/v1/prefixes/prefetch", "POST", self.prefetch),
            ("/v1/prefixes/{name}", "DELETE", self.unpin),
            ("/v1/load_lora_adapter", "POST", self.load_lora_adapter),
            ("/v1/unload_lora_adapter", "POST", self.unload_lora_adapter),
            ("/debug/pool", "GET", self.pool),
        ):
            app.add_api_route(
                path,
                function,
                methods=[method],
                response_model=None,
                response_class=Response,
                dependencies=[Depends(require_admin)],
            )

    async def prefixes(self) -> Response:
        """List all pins with their size."""
        found, stats = await self._asked("pinned_prefixes"), await self._asked("stats")
        cards = [{**asdict(each), "key": self._for.get(each.name)} for each in found]
        usable, used = stats.cache.num_blocks, stats.cache.num_used_blocks
        return json_response({"object": "list", "data": cards, "pool": {"num_blocks": usable, "num_used_blocks": used}})

    async def pin(self, body: PrefixBody) -> Response:
        """Compute a prefix and pin it."""
        prompt, salt, lora = await self._read(body)
        name = await self._pinned(prompt, salt, lora)
        self._for[name] = body.key
        (card,) = [asdict(each) for each in await self._llm.call("pinned_prefixes") if each.name == name]
        return json_response({**card, "key": body.key})

    async def prefetch(self, body: PrefixBody) -> Response:
        """Bring a prefix from the store below the pool into it, beside the requests that run."""
        prompt, salt, lora = await self._read(body)
        end = time.monotonic() + _PATIENCE
        while True:
            found = await self._llm.call("prefetch", [prompt], cache_salt=salt, lora_request=lora, timeout=_GLANCE)
            if not found[0].is_pending or time.monotonic() > end:
                return json_response(asdict(found[0]))
            await asyncio.sleep(0.02)

    async def _read(self, body: PrefixBody) -> tuple[Any, str | None, LoRARequest | None]:
        """Return a body's prompt, the salt of the requests that find it, and its adapter."""
        body.require_possible()
        require_one_of(body, "prompt")
        _, lora = self._adapters.resolve(body.model)
        names = sorted(self._keys.names)
        if body.key is None and names:
            raise Refusal(
                f"key is missing: a prefix is for the requests of one key, expected one of {', '.join(names)}",
                param="key",
            )
        if body.key is not None and body.key not in names:
            known = did_you_mean(body.key, names) or f", expected one of {', '.join(names) or 'none'}"
            raise Refusal(f"there is no key {body.key!r:.80}{known}", param="key")
        prompt: Any = body.prompt
        if body.messages is not None:
            # A prefix ends before the text that differs between requests.
            options = template_options(begins=False, goes_on=False, told=body.chat_template_kwargs, tools=body.tools)
            prompt = (await self._llm.preprocess_chat(body.messages, **options))["prompt_token_ids"]
        elif isinstance(prompt, str):
            read, _ = await self._llm.tokenizer_pool.read("prefix", prompt, None)
            assert isinstance(read, dict)
            prompt = read["prompt_token_ids"]
        return prompt, self._keys.salt(body.key, body.cache_salt), lora

    async def _pinned(self, prompt: Any, salt: str | None, lora: LoRARequest | None) -> str:
        """Pin a prefix once no request is unfinished, which the engine requires."""
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                return str(await self._llm.call("pin_prefix", prompt, cache_salt=salt, lora_request=lora))
            except EngineError as error:
                if self._llm.is_stopped:
                    raise
                if time.monotonic() > end:
                    said = f"{error}; the server was busy for {_PATIENCE:g} seconds, try again"
                    raise Refusal(said, status=409, code="busy", headers={"Retry-After": "1"}) from None
            await asyncio.sleep(0.01)

    async def unpin(self, name: str) -> Response:
        """Unpin a prefix; it stays cached until its memory is needed."""
        await self._llm.call("unpin_prefix", name)
        self._for.pop(name, None)
        return json_response({"name": name, "deleted": True})

    async def load_lora_adapter(self, body: LoadAdapterBody) -> Response:
        """Load an adapter from a path on the server's machine; vLLM's route."""
        body.require_possible()
        module = LoRAModulePath(body.lora_name, body.lora_path)
        await self._adapters.load(module, load_inplace=bool(body.load_inplace))
        return PlainTextResponse(f"Success: LoRA adapter '{body.lora_name}' added successfully.")

    async def unload_lora_adapter(self, body: UnloadAdapterBody) -> Response:
        """Stop offering an adapter; vLLM's route."""
        await self._adapters.unload(body.lora_name, body.lora_int_id)
        return PlainTextResponse(f"Success: LoRA adapter '{body.lora_name}' removed successfully.")

    async def pool(self) -> Response:
        """Return a page that shows the contents of the pool."""
        return HTMLResponse(await self._asked(page_of, self._llm.name))

    async def _asked(self, method: Any, *args: Any) -> Any:
        """Query the engine between two steps."""
        try:
            return await asyncio.wait_for(self._llm.call(method, *args), _PATIENCE)
        except asyncio.TimeoutError:
            raise Refusal(f"no step has ended for {_PATIENCE:g} seconds", status=503) from None
