"""200 requests that are meant to stall the engine, next to one that must get a token in every step."""

from __future__ import annotations

from typing import Any

import pytest

from evals.bench.hostile import hostile
from tests.structured.test_engine import PROMPT, llm
from torchpaged import RequestOutput, SamplingParams
from torchpaged.errors import ConfigError, RequestError
from torchpaged.sampling_params import RequestOutputKind

pytest.importorskip("llguidance", reason="llguidance is not installed")


def params_of(body: dict[str, Any]) -> tuple[str, SamplingParams]:
    """Return (prompt, parameters) of the benchmark's request."""
    given = {name: value for name, value in body.items() if name not in ("prompt", "stream")}
    kind = RequestOutputKind.DELTA if body.get("stream") else RequestOutputKind.FINAL_ONLY
    return body["prompt"], SamplingParams(**given, output_kind=kind)


@pytest.mark.long
def test_200_hostile_requests_beside_a_stream() -> None:
    engine = llm(num_blocks=2000).engine
    stream = SamplingParams(max_tokens=400, ignore_eos=True)
    engine.add_request("plain", PROMPT, stream)
    last: dict[str, RequestOutput] = {}
    length, refused, told = 0, set[int](), dict[str, int]()

    def step() -> None:
        nonlocal length
        shown = {output.request_id: output for output in engine.step()}
        last.update(shown)
        for name, output in shown.items():
            told[name] = told.get(name, 0) + (output.prompt_logprobs is not None)
        if length == 0 and "plain" not in shown:
            return  # it waits for a seat
        assert len(shown["plain"].outputs[0].token_ids) == length + 1, "a token in each step"
        length += 1
        if shown["plain"].finished:
            engine.add_request("plain", PROMPT, stream)
            length = 0

    for number in range(200):
        try:
            engine.add_request(f"{number}", *params_of(hostile(number)))
        except (ConfigError, RequestError):
            refused.add(number)
        step()
    while engine.scheduler.sequence_table.guided or len(engine.unfinished_requests()) > 1:
        step()
    engine.abort("plain")
    ends = {name: output.outputs[0] for name, output in last.items() if name != "plain"}
    assert len(ends) == 200 - len(refused) and all(each.finish_reason is not None for each in ends.values())
    for number in range(1, 200, 6):
        assert told[f"{number}"] == 1, "a prompt's logprobs come once"
    slow = [ends.get(f"{number}") for number in range(0, 200, 6)]  # None: refused when it was compiled
    errors = ["any further" if each is None else each.error or "" for each in slow]
    assert sum("too slow" in each or "any further" in each for each in errors) > len(slow) / 2
    engine.check()
