"""Grammars of an engine's requests are compiled during its steps: no stream waits for one, and each can be aborted."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import Any

import pytest

from tests.models import STDLIB_LM
from torchpaged import AsyncLLM, SamplingParams
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.errors import EngineDeadError, RequestError

pytest.importorskip("llguidance", reason="llguidance is not installed")

PROMPT = "import os\n"


def asking(**given: Any) -> SamplingParams:
    return SamplingParams(max_tokens=40, seed=1, structured_outputs=given)


async def text(llm: AsyncLLM, params: SamplingParams, name: str | None = None) -> str:
    """Return the text of a request."""
    last = [output async for output in llm.generate(PROMPT, params, name)][-1].outputs[0]
    assert last.error is None
    return f"{last.finish_reason} {last.text}"


class Gate:
    """A gate that holds up compilation."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()
        prepare = LLMEngine.prepare

        def slow(engine: LLMEngine, *args: Any, **kwargs: Any) -> None:
            self.entered.set()
            assert self.opened.wait(120)
            prepare(engine, *args, **kwargs)

        monkeypatch.setattr(LLMEngine, "prepare", slow)


def test_no_stream_waits_for_a_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)

    async def test() -> None:
        llm = AsyncLLM(STDLIB_LM, num_blocks=100)
        guided = asyncio.create_task(text(llm, asking(regex=r"\d{3}")))
        left = asyncio.create_task(text(llm, asking(regex="[a-z]{3}"), "left"))
        bad = asyncio.create_task(text(llm, asking(regex="(a")))
        await asyncio.to_thread(gate.entered.wait, 120)
        assert (await text(llm, SamplingParams(max_tokens=5, temperature=0))).startswith("length")
        assert not guided.done()
        await llm.abort("left")
        gate.opened.set()
        assert re.fullmatch(r"stop \d{3}", await guided)
        assert (await left).startswith("abort")
        with pytest.raises(RequestError, match=r"the regex .a, which is not possible: .*unclosed group"):
            await bad
        assert re.fullmatch(r"stop \d{3}", await text(llm, asking(regex=r"\d{3}"))), "it is known now"
        await llm.call("check")
        llm.shutdown()

    asyncio.run(asyncio.wait_for(test(), 180))


def test_a_shutdown_while_one_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)

    async def test() -> None:
        llm = AsyncLLM(STDLIB_LM, num_blocks=100)
        guided = asyncio.create_task(text(llm, asking(regex=r"\d{3}")))
        await asyncio.to_thread(gate.entered.wait, 120)
        llm.shutdown(timeout=1)
        with pytest.raises(EngineDeadError):
            await guided
        gate.opened.set()

    asyncio.run(asyncio.wait_for(test(), 180))
