"""An engine whose adapters are folders with a letter: under one, a fake model writes nothing but that letter."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fakes import FakeModel, FakeTokenizer, engine
from tests.serving.harness import TEMPLATE, Running
from torchpaged import AsyncLLM, SamplingParams
from torchpaged.errors import ModelError
from torchpaged.lora_request import LoRARequest
from torchpaged.serving.adapters import _content_of


def write(folder: Path, name: str, letter: str) -> Path:
    """Write an adapter."""
    path = folder / name
    path.mkdir(exist_ok=True)
    (path / "letter").write_text(letter)
    return path


class ChattingTokenizer(FakeTokenizer):
    """A tokenizer whose template writes the messages one after the other."""

    def apply_chat_template(self, messages: Any, **options: Any) -> str:
        """Return the text of a conversation."""
        return "".join(each["content"] for each in messages)


class AdaptedLLM(AsyncLLM):
    """An AsyncLLM with such adapters. A request is bound to the letter that its adapter has when it comes.

    Attributes:
        letters: of each loaded adapter, by number.
        numbers: of each adapter, by name.
        gate: loads wait while it is cleared.
    """

    letters: dict[int, str]
    numbers: dict[str, int]
    gate: threading.Event

    async def add_lora(self, request: LoRARequest) -> bool:
        """Read the folder, in another thread."""
        await asyncio.to_thread(self.gate.wait, 120)
        if request.lora_int_id in self.letters and not request.load_inplace:
            return True
        file = Path(request.lora_path) / "letter"
        if not file.is_file():
            raise ModelError(f"adapter {request.lora_path!r}: there is no file letter in it")
        self.letters[request.lora_int_id] = file.read_text()
        self.numbers[request.lora_name] = request.lora_int_id
        return True

    async def remove_lora(self, number: int) -> bool:
        """Forget an adapter."""
        return self.letters.pop(number, None) is not None

    async def call(self, method: Any, *args: Any, **kwargs: Any) -> Any:
        """Return a letter as the hash of an adapter."""
        if method is _content_of:
            (name,) = args
            return self.letters[self.numbers[name]]
        return await super().call(method, *args, **kwargs)

    def _letter(self, request: LoRARequest | None) -> str | None:
        return None if request is None else self.letters[request.lora_int_id]

    def generate(
        self, prompt: Any, sampling_params: Any = None, *args: Any, lora_request: LoRARequest | None = None, **more: Any
    ) -> Any:
        """Generate with a bias."""
        if (letter := self._letter(lora_request)) is not None:
            assert isinstance(sampling_params, SamplingParams)
            sampling_params = replace(sampling_params, logit_bias={ord(letter) - ord("a"): 100.0})
        return super().generate(prompt, sampling_params, *args, **more)

    def encode(
        self, prompt: Any, params: Any = None, *args: Any, lora_request: LoRARequest | None = None, **more: Any
    ) -> Any:
        """Encode the prompt with the letter behind it."""
        if (letter := self._letter(lora_request)) is not None:
            prompt += letter
        return super().encode(prompt, params, *args, **more)


def adapted(
    model: FakeModel | None = None, *, settings: Mapping[str, Any] | None = None, **options: Any
) -> tuple[AdaptedLLM, Running]:
    """Return the engine, and a server over it that was not started yet."""
    made = engine(model, tokenizer=ChattingTokenizer(), **(settings or {}))
    AdaptedLLM.letters, AdaptedLLM.numbers, AdaptedLLM.gate = {}, {}, threading.Event()
    AdaptedLLM.gate.set()
    llm = AdaptedLLM.from_engine(made, name="fake", chat_template=TEMPLATE)
    assert isinstance(llm, AdaptedLLM)
    return llm, Running(llm, **options)
