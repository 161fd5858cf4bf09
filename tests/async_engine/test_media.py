"""Images through AsyncLLM, with the engine in this process and in another."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests import vision_models
from tests.integrations.test_media_llm import GREEDY, expect, given, prompts_of
from torchpaged import AsyncLLM


@pytest.mark.parametrize("engine_process", [False, True])
def test_answers_are_transformers(engine_process: bool, tmp_path: Path) -> None:
    made = vision_models.build("qwen2_vl")
    vision_models.save(made, tmp_path)
    prompts = prompts_of(made)

    async def answers() -> list[list[int]]:
        llm = AsyncLLM(str(tmp_path), num_blocks=200, engine_process=engine_process)
        try:

            async def answer(number: int) -> list[int]:
                async for output in llm.generate(given(made, *prompts[number]), GREEDY, request_id=str(number)):
                    last = output
                return list(last.outputs[0].token_ids)

            return await asyncio.gather(*map(answer, range(len(prompts))))
        finally:
            llm.shutdown()

    assert asyncio.run(answers()) == [expect(made, *each)[1] for each in prompts]
