"""ServedAdapters: the adapters that a server offers as models."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.errors import ConfigError, ModelError, did_you_mean
from torchpaged.lora_request import LoRARequest
from torchpaged.serving.lora_modules import LoRAModulePath
from torchpaged.serving.refusals import Refusal
from torchpaged.utils.fingerprint import with_adapter
from torchpaged.utils.paths import expanded

if TYPE_CHECKING:
    from torchpaged.engine.llm_engine import LLMEngine

logger = logging.getLogger(__name__)

# Maximum length of an adapter's name, which answers, logs and metrics have.
_LONGEST_NAME = 128
# Number of names that the error for an unknown model lists.
_MOST_TOLD = 8


class ServedAdapters:
    """Adapters by name.

    A load or an unload changes one entry of a table once the engine has done its part, so a request either finds the
    old adapter or the new one, and never waits. The engine binds a request to an adapter's contents when the request
    comes: a later swap does not change it.

    Args:
        llm: engine that loads them.
        names: the base model's names, which no adapter can have.
    """

    def __init__(self, llm: AsyncLLM, names: Sequence[str]) -> None:
        self._llm, self._names = llm, names
        self._requests: dict[str, LoRARequest] = {}
        self._contents: dict[str, str] = {}  # hash of each adapter, by name
        self._ids = itertools.count(1)
        self._changing = asyncio.Lock()  # one change at a time, so that no name is loaded twice at once

    def __iter__(self) -> Iterator[LoRARequest]:
        """Iterate over all adapters, in the order in which their names were first loaded."""
        return iter(list(self._requests.values()))

    def resolve(self, name: str | None) -> tuple[str, LoRARequest | None]:
        """Return the name that an answer has, and the adapter of its request; None: the base model.

        Args:
            name: `model` of a request; None: the base model.

        Raises:
            Refusal: there is no such model or adapter.
        """
        if name is None or name in self._names:
            return name or self._names[0], None
        if (adapter := self._requests.get(name)) is None:
            known = [*self._names, *self._requests]
            hint = f", expected {' or '.join(map(repr, known))}"
            if len(known) > _MOST_TOLD:
                hint = did_you_mean(name, known) or "; /v1/models lists them"
            raise Refusal(f"there is no model {name!r:.80}{hint}", status=404, param="model", code="model_not_found")
        return name, adapter

    async def fingerprint(self, adapter: LoRARequest | None) -> str:
        """Return the engine's fingerprint, which an adapter's contents change."""
        found = await self._llm.system_fingerprint()
        if adapter is None or (content := self._contents.get(adapter.lora_name)) is None:  # unloaded meanwhile
            return found
        return with_adapter(found, content)

    def content(self, adapter: LoRARequest | None) -> str | None:
        """Return the hash of an adapter's numbers; None: no adapter, or it was unloaded meanwhile."""
        return None if adapter is None else self._contents.get(adapter.lora_name)

    def parent_of(self, request: LoRARequest) -> str:
        """Return the name of the base model that an adapter belongs to."""
        return request.base_model_name or self._names[0]

    async def load(self, module: LoRAModulePath, *, load_inplace: bool = False) -> None:
        """Load an adapter and offer it under its name; steps of the engine go on meanwhile.

        Args:
            load_inplace: if the name is taken, replace its adapter: requests that come later run under the new one.

        Raises:
            Refusal: the name is taken, there is no such path, or the adapter cannot be loaded. Nothing has changed.
        """
        async with self._changing:
            known = self._requests.get(module.name)
            self._require_free(module, known, load_inplace)
            path = expanded(module.path)
            if not await asyncio.to_thread(os.path.exists, path):  # False for anything that is not a path, too
                raise Refusal(
                    f"lora_path is {module.path!r:.200}, and there is no such folder or file on the server's machine; "
                    "nothing is downloaded",
                    status=404,
                    param="lora_path",
                    code="adapter_not_found",
                )
            number = next(self._ids) if known is None else known.lora_int_id
            parent = module.base_model_name or (None if known is None else known.base_model_name)
            try:
                request = LoRARequest(module.name, number, path, base_model_name=parent, load_inplace=known is not None)
                await self._llm.add_lora(request)
                self._contents[module.name] = await self._llm.call(_content_of, module.name)
            except (ModelError, ConfigError) as error:
                hint = "" if self._llm.config.enable_lora else "; on the command line --enable-lora"
                raise Refusal(f"{error}{hint}", param="lora_path", code="invalid_adapter") from None
            # A request that asked for the swap again would load the file at each use.
            self._requests[module.name] = replace(request, load_inplace=False)
        logger.info("adapter %r is loaded from %s", module.name, path)

    def _require_free(self, module: LoRAModulePath, known: LoRARequest | None, load_inplace: bool) -> None:
        if len(module.name) > _LONGEST_NAME or not module.name.isprintable():
            raise Refusal(
                f"lora_name is {module.name!r:.80}, expected at most {_LONGEST_NAME} printable characters",
                param="lora_name",
            )
        if module.name in self._names:
            said = f"lora_name is {module.name!r:.80}, which is the model's own name; choose another"
            raise Refusal(said, param="lora_name")
        if known is not None and not load_inplace:
            raise Refusal(
                f"the lora adapter {module.name!r:.80} has already been loaded; to replace it, set 'load_inplace' to "
                "true",
                param="lora_name",
                code="adapter_exists",
            )
        if module.base_model_name not in (None, *self._names):
            expected = " or ".join(map(repr, self._names))
            said = f"base_model_name is {module.base_model_name!r:.80}, expected {expected}"
            raise Refusal(said, param="base_model_name")

    async def unload(self, name: str, number: int | None = None) -> None:
        """Stop offering an adapter; its requests under way run to their end.

        Args:
            number: the adapter's lora_int_id; None: any.

        Raises:
            Refusal: there is no such adapter.
        """
        async with self._changing:
            known = self._requests.get(name)
            if known is None or number not in (None, known.lora_int_id):
                said = f"the lora adapter {name!r:.80}{'' if number is None else f' with id {number}'} cannot be found"
                raise Refusal(said, status=404, param="lora_name", code="adapter_not_found")
            del self._requests[name], self._contents[name]  # first: later requests shall not find it
            await self._llm.remove_lora(known.lora_int_id)
        logger.info("adapter %r is unloaded", name)


def _content_of(engine: LLMEngine, name: str) -> str:
    """Return the hash of an adapter's numbers, in the engine's process."""
    assert engine.adapters is not None, "an adapter was loaded"
    return engine.adapters.named[name].content
