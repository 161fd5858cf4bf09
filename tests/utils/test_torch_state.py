"""Engines in programs with other process state: a fork, or another default device."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from tests.models import STDLIB_LM
from torchpaged import LLM, SamplingParams

GREEDY = SamplingParams(temperature=0, max_tokens=8)
PROMPTS = ["def main(", "import os\n"]
# A script, since a fork loses OpenMP's threads, and the process of the tests must not be forked.
FORKED = """
import asyncio, multiprocessing, os, sys
from torchpaged import AsyncLLM, LLM, SamplingParams
from torchpaged.errors import EngineDeadError

model, kind = sys.argv[1:]
greedy = SamplingParams(temperature=0, max_tokens=8)

def tokens(llm):
    return llm.generate("def main(", greedy, use_tqdm=False)[0].outputs[0].token_ids

async def completed(llm):
    async for output in llm.generate("def main(", greedy):
        last = output
    return last.outputs[0].token_ids

def child(llm, expected, answers):
    if kind == "llm":
        answers.put(tokens(llm) == expected and tokens(LLM(model, num_blocks=40)) == expected)
        return
    try:
        asyncio.run(asyncio.wait_for(completed(llm), 180))
    except EngineDeadError as error:
        answers.put("was forked from the one that has the engine" in str(error))
    llm.shutdown()

if __name__ == "__main__":
    if kind == "llm":
        llm = LLM(model, num_blocks=40)
    else:
        llm = AsyncLLM(model, num_blocks=40, engine_process=kind == "process")
    run = tokens if kind == "llm" else lambda llm: asyncio.run(completed(llm))
    expected = run(llm)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=child, args=(llm, expected, answers), daemon=True)
    process.start()
    assert answers.get(timeout=600) is True
    process.join(600)
    assert process.exitcode == 0 and run(llm) == expected
    llm.shutdown()
"""


@pytest.mark.parametrize("kind", ["llm", "thread", "process"])
def test_a_forked_process(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """An LLM works in the child, and so does a new one; an AsyncLLM refuses to, and the parent's goes on unharmed."""
    script = tmp_path_factory.mktemp("forked") / "forked.py"
    script.write_text(FORKED)
    done = subprocess.run([sys.executable, script, STDLIB_LM, kind], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("settings", [{}, {"dtype": "float32", "enforce_eager": True}], ids=["replayed", "eager"])
def test_another_default_device(settings: dict[str, object]) -> None:
    def tokens(llm: LLM) -> list[list[int]]:
        return [each.outputs[0].token_ids for each in llm.generate(PROMPTS, GREEDY, use_tqdm=False)]

    llm = LLM(STDLIB_LM, num_blocks=40, **settings)
    with torch.device("meta"):
        found = [tokens(llm), tokens(LLM(STDLIB_LM, num_blocks=40, **settings))]
        assert torch.empty(1).is_meta
    assert found == [tokens(LLM(STDLIB_LM, num_blocks=40, **settings))] * 2
