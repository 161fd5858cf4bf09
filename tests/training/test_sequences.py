"""Random sequences of pauses, updates, sleep, aborts and requests: each token names the weights that drew it."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from tests import models
from tests.training.versions import Versions, versions
from torchpaged import LLM, AsyncLLM, RequestOutput, SamplingParams
from torchpaged.errors import EngineError

PROMPT = models.prompts([40], seed=3)[0]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"optimize": True},
    {"max_num_seqs": 3},
    {"enable_prefix_caching": False},
    {"speculative_config": {"method": "ngram", "num_speculative_tokens": 3}, "optimize": True},
    {"enable_lora": True},
]


async def sequence(llm: AsyncLLM, known: Versions, seed: int) -> int:
    """Do random things, then check every token that any request got; return their number."""
    pick = random.Random(seed)
    tasks: dict[str, asyncio.Task[RequestOutput]] = {}
    prompts: dict[str, list[int]] = {}
    paused = asleep = False

    async def complete(name: str, params: SamplingParams) -> RequestOutput:
        return [each async for each in llm.generate({"prompt_token_ids": prompts[name]}, params, name)][-1]

    async def wait(pausing: asyncio.Future[None]) -> None:
        while not pausing.done():
            await asyncio.sleep(0.001)
        await pausing

    for place in range(pick.randint(10, 22)):
        what = pick.choice(
            ["request"] * 4 + ["update"] * 3 + ["pause", "resume", "resume", "abort", "sleep", "run", "run"]
        )
        if what == "request":
            name = f"{seed}-{place}"
            prompts[name] = PROMPT[: pick.randint(1, 40)] + [pick.randrange(100) for _ in range(pick.randint(0, 2))]
            params = SamplingParams(
                n=pick.choice([1, 1, 1, 2]),
                temperature=pick.choice([0.7, 1.0]),
                seed=place,
                max_tokens=pick.randint(1, 24),
                logprobs=0,
            )
            tasks[name] = asyncio.create_task(complete(name, params))
        elif what == "update":
            number, reset = pick.randrange(known.count), pick.random() < 0.4
            await llm.update_weights(known.weights[number], reset_running_requests=reset)
            known.note(await llm.get_weight_version(), number, reset=reset)
        elif what == "pause" and not asleep:
            # A cache that is cleared while texts are kept has them computed again, so an update follows at once.
            mode, clears = pick.choice(["keep", "keep", "wait", "abort"]), pick.random() < 0.3
            await wait(asyncio.ensure_future(llm.pause_generation(mode=mode, clear_cache=clears)))
            paused = True
            if clears:
                number = pick.randrange(known.count)
                await llm.update_weights(known.weights[number])
                known.note(await llm.get_weight_version(), number, reset=True)
        elif what == "resume":
            if asleep:
                await llm.wake_up()
            await llm.resume_generation()
            paused = asleep = False
        elif what == "sleep" and not asleep and not paused:
            await wait(asyncio.ensure_future(llm.sleep(1, pick.choice(["keep", "wait", "abort"]))))
            asleep = True
            number = pick.randrange(known.count)
            with pytest.raises(EngineError, match="asleep"):
                await llm.update_weights(known.weights[number])
            await llm.wake_up(["weights"])
            await llm.update_weights(known.weights[number])
            known.note(await llm.get_weight_version(), number, reset=True)
            await llm.wake_up()
            asleep = False
        elif what == "abort" and tasks:
            await llm.abort(pick.choice(list(tasks)))
        else:
            await asyncio.sleep(pick.choice([0, 0.001, 0.01]))
    if asleep:
        await llm.wake_up()
    await llm.resume_generation()
    count = 0
    for name, task in tasks.items():
        output = await task
        for completion in output.outputs:
            assert completion.finish_reason in ("stop", "length", "abort"), completion.error
            known.require_same(prompts[name], completion)
            count += len(completion.token_ids)
    await llm.call("check")
    return count


def run(seeds: range) -> int:
    known = versions()
    # One block table fits all requests of a sequence: a preempted text would be computed again at an unknown place.
    settings = SETTINGS[seeds[0] % len(SETTINGS)]
    llm = AsyncLLM.from_engine(LLM(known.model, dtype="float32", num_blocks=400, **settings).engine)

    async def main() -> int:
        return sum([await sequence(llm, known, seed) for seed in seeds])

    try:
        return asyncio.run(main())
    finally:
        llm.shutdown()


@pytest.mark.parametrize("first", range(len(SETTINGS)))
def test_30_sequences(first: int) -> None:
    assert run(range(first, 30, len(SETTINGS))) > 50


@pytest.mark.long
@pytest.mark.parametrize("first", range(len(SETTINGS)))
def test_1000_sequences(first: int) -> None:
    assert run(range(30 + first, 1030, len(SETTINGS))) > 5_000
