"""A real instruct model through the chat, compared with transformers: `evals/smollm2.py` has the conversations.

`TORCHPAGED_SMOLLM2` names the folder that `evals/smollm2.py prepare` has made; the package with the model is 93 MB.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evals import smollm2
from torchpaged import LLM, AsyncLLM, SamplingParams

FOLDER = os.environ.get("TORCHPAGED_SMOLLM2", "")


@pytest.mark.long
@pytest.mark.skipif(not Path(FOLDER, "model.safetensors").is_file(), reason="TORCHPAGED_SMOLLM2 names no folder")
def test_conversations_are_transformers() -> None:
    report = smollm2.compare(Path(FOLDER))
    assert report.num_answers == 60 and report.different == [] and report.misspoken == []
    assert report.least_share > 0.5, "a later turn's prompt is mostly what was said before"


def test_conversations_are_twenty_of_several_turns() -> None:
    assert len(smollm2.ASKED) == 20 and {len(lines) for lines in smollm2.ASKED} == {3}


@pytest.mark.long
@pytest.mark.skipif(not Path(FOLDER, "model.safetensors").is_file(), reason="TORCHPAGED_SMOLLM2 names no folder")
def test_the_pipeline_over_blocks_is_the_eager_one() -> None:
    """One conversation at a time, and in batches padded on the left."""
    report = smollm2.compare_pipeline(Path(FOLDER))
    assert report.num_answers == 60 and report.different == [] and report.different_padded == []


@pytest.mark.long
@pytest.mark.skipif(not Path(FOLDER, "model.safetensors").is_file(), reason="TORCHPAGED_SMOLLM2 names no folder")
def test_conversations_over_http() -> None:
    """Whole and streamed they are those of `LLM.chat`, turn by turn."""
    pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
    pytest.importorskip("openai", reason="openai is not installed")
    from tests.serving.harness import Running

    settings: dict[str, Any] = {"dtype": "bfloat16", "num_blocks": 400, "max_model_len": 2048}
    expected: list[str] = []
    with LLM(FOLDER, **settings) as llm:
        conversations = _turns(lambda said: llm.chat(said, _GREEDY, use_tqdm=False)[0].outputs[0].text, expected)
    with Running(AsyncLLM(FOLDER, **settings), served_model_name=["smollm2"]) as server:
        client = server.client()
        for said, text in zip(conversations, expected, strict=True):
            asked: Any = {"model": "smollm2", "messages": said, "temperature": 0, "max_tokens": _GREEDY.max_tokens}
            whole = client.chat.completions.create(**asked)
            assert whole.choices[0].message.content == text
            frames = client.chat.completions.create(**asked, stream=True)
            assert "".join(frame.choices[0].delta.content or "" for frame in frames) == text


_GREEDY = SamplingParams(temperature=0, max_tokens=40)


def _turns(answer: Callable[[list[dict[str, str]]], str], answers: list[str]) -> list[list[dict[str, str]]]:
    """Return the messages before each answer of three conversations."""
    found = []
    for lines in smollm2.ASKED[:3]:
        said: list[dict[str, str]] = []
        for line in lines:
            said = [*said, {"role": "user", "content": line}]
            found.append(said)
            answers.append(answer(said))
            said = [*said, {"role": "assistant", "content": answers[-1]}]
    return found
