"""Logprobs of long prompts are written in pieces, which together are the same JSON."""

from __future__ import annotations

import asyncio
import json

import pytest

from torchpaged.outputs import FlatLogprobs, Logprob
from torchpaged.serving import logprobs

_TEXTS = ['"', "é", "\\", "", None]


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 40])
def test_a_prompts_logprobs(count: int) -> None:
    rows: list[dict[int, Logprob] | None] = [None] * (count > 0)
    for place in range(1, count):
        rows.append({token: Logprob(-token / 3, token + 1, _TEXTS[token % 5]) for token in range(place % 7 + 1)})
    if count > 1:
        rows[-1] = {5: Logprob(float("-inf"), 9, "x")}
    expected = [
        row and {str(id): {"logprob": max(e.logprob, -9999.0), "rank": e.rank, "decoded_token": e.decoded_token}
                 for id, e in row.items()}
        for row in rows
    ]  # fmt: skip
    turns = 0

    async def write() -> bytes:
        nonlocal turns
        task = asyncio.create_task(logprobs.of_prompt(FlatLogprobs(rows)))
        while not task.done():
            await asyncio.sleep(0)
            turns += 1
        return task.result().text

    assert json.loads(asyncio.run(write())) == expected
    assert turns > count // 16


def test_a_completions_logprobs_let_others_run() -> None:
    """Those of an echoed prompt are as long as it is."""
    rows = FlatLogprobs([None, *({1: Logprob(-1.0, 1, "a"), 2: Logprob(-2.0, 2, "b")} for _ in range(99))])
    turns = 0

    async def write() -> object:
        nonlocal turns
        task = asyncio.create_task(logprobs.of_completion([1] * 100, rows, 1, 0, first="a", as_ids=False))
        while not task.done():
            await asyncio.sleep(0)
            turns += 1
        return task.result()

    found = asyncio.run(write())
    assert found == {
        "text_offset": list(range(100)),
        "token_logprobs": [None, *[-1.0] * 99],
        "tokens": ["a"] * 100,
        "top_logprobs": [None, *[{"a": -1.0}] * 99],
    }
    assert turns > 100 // 16
