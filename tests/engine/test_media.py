"""Prompts with images through the engine: every completion is what the whole text gives without a cache."""

from __future__ import annotations

from typing import Any

import pytest

from tests.media_model import PLACE, MediaModel, engine, picture, seen
from torchpaged import LLMEngine, RequestOutput, SamplingParams

GREEDY = SamplingParams(temperature=0, max_tokens=5, ignore_eos=True)
FIRST = seen([PLACE, 7, 8, 9], picture(1, 7))
LAST = seen([5, 6, 7, 8, 9, PLACE], picture(2, 9))
ALONE = seen([PLACE], picture(3, 11))
TWO = seen([5, PLACE, 6, 7, PLACE, 8], picture(1, 7), picture(4, 3, 3))
TEXT = {"prompt_token_ids": [9, 8, 7, 6, 5, 10, 11, 12]}
PROMPTS = [FIRST, LAST, ALONE, TWO, TEXT]


def run(running: LLMEngine, prompts: list[Any], params: SamplingParams = GREEDY) -> list[RequestOutput]:
    """Run prompts together and return their outputs in order."""
    for i, prompt in enumerate(prompts):
        running.add_request(str(i), prompt, params)
    done: dict[str, RequestOutput] = {}
    while running.has_unfinished_requests:
        for output in running.step():
            if output.finished:
                done[output.request_id] = output
        running.check()
    return [done[str(i)] for i in range(len(prompts))]


def tokens(outputs: list[RequestOutput]) -> list[list[int]]:
    return [list(output.outputs[0].token_ids) for output in outputs]


@pytest.mark.parametrize("chunk", [256, 13, 5, 1])
@pytest.mark.parametrize("axes", [1, 3])
def test_chunks_may_begin_and_end_inside_an_image(axes: int, chunk: int) -> None:
    model = MediaModel(axes)
    running = engine(model, max_num_batched_tokens=chunk, enable_prefix_caching=False)
    expected = [model.generate(each, 5) for each in PROMPTS]
    assert tokens(run(running, PROMPTS)) == expected
    for prompt, own in zip(PROMPTS, expected, strict=True):
        assert tokens(run(running, [prompt])) == [own]


@pytest.mark.parametrize("chunk", [256, 12])
@pytest.mark.parametrize("window", [0, 12])
def test_tokens_of_an_image_see_each_other(chunk: int, window: int) -> None:
    model = MediaModel(both_ways=True, window=window)
    running = engine(model, max_num_batched_tokens=chunk)
    expected = [model.generate(each, 5) for each in PROMPTS]
    assert tokens(run(running, PROMPTS)) == expected
    assert tokens(run(running, PROMPTS)) == expected  # with hits
    for prompt, own in zip(PROMPTS, expected, strict=True):
        assert tokens(run(running, [prompt])) == [own]
