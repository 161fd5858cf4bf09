"""Pauses and sleep: requests are ended, awaited or kept, memory comes and goes, and texts are what they would be."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests import models
from tests.training.versions import versions
from torchpaged import LLM, AsyncLLM, SamplingParams
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.errors import ConfigError, EngineError

PROMPT = models.prompts([21], seed=3)[0]
PARAMS = SamplingParams(temperature=1.0, seed=5, max_tokens=9, logprobs=0, ignore_eos=True)


def tokens(llm: LLM) -> list[int]:
    return llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0].token_ids


# --- LLM ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clear_cache", [False, True])
@pytest.mark.parametrize("mode", ["keep", "wait", "abort"])
def test_pauses_of_an_llm(mode: str, clear_cache: bool) -> None:
    llm = LLM(models.build("llama"), num_blocks=60)
    whole = tokens(llm)
    stream = llm.stream([PROMPT], PARAMS)
    begun = next(stream).outputs[0].token_ids
    llm.pause_generation(mode=mode, clear_cache=clear_cache)
    assert llm.is_paused and llm.is_paused()
    with pytest.raises(EngineError, match=r"generate: this thread has paused the engine; call resume_generation first"):
        tokens(llm)
    llm.resume_generation()
    llm.resume_generation()
    rest = list(stream)
    text = begun + [token for output in rest for token in output.outputs[0].token_ids]
    assert rest[-1].outputs[0].finish_reason == ("abort" if mode == "abort" else "length")
    assert text == (whole[: len(text)] if mode == "abort" else whole)
    assert not llm.is_paused
    for wrong in ("stop", None):
        with pytest.raises(ConfigError, match=r"pause_generation: mode is .* expected one of abort, wait, keep"):
            llm.pause_generation(mode=wrong)  # type: ignore[arg-type]


def test_another_thread_waits_for_the_end_of_a_pause() -> None:
    known = versions()
    llm = LLM(known.model, num_blocks=60)
    stream, found = llm.stream([PROMPT], PARAMS), []
    found.append(next(stream))
    llm.pause_generation(mode="keep", clear_cache=False)
    reader = threading.Thread(target=lambda: found.extend(stream))
    caller = threading.Thread(target=lambda: found.append(llm.generate([PROMPT], PARAMS, use_tqdm=False)[0]))
    reader.start()
    caller.start()
    reader.join(0.1)
    caller.join(0.1)
    assert reader.is_alive() and caller.is_alive() and len(found) == 1
    llm.update_weights(known.weights[1])
    known.note("1", 1, reset=False)
    llm.resume_generation()
    reader.join()
    caller.join()
    ends = [each.outputs[0].weight_versions for each in found if each.finished]
    assert [("1", 0, 9)] in ends and [("default", 0, 1), ("1", 1, 9)] in ends


# --- Sleep --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"num_blocks": 60}, {"num_blocks": 60, "optimize": True}])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_levels(level: int, settings: dict[str, Any]) -> None:
    known = versions()
    llm = LLM(known.model, dtype="float32", max_model_len=256, **settings)
    before = tokens(llm)
    pin = None if level == 2 else llm.pin_prefix(PROMPT)
    llm.sleep(level)
    assert llm.is_sleeping()
    for call in (lambda: tokens(llm), lambda: llm.quantize("int8"), lambda: llm.pin_prefix(PROMPT)):
        with pytest.raises(EngineError, match="the engine is asleep; call wake_up first"):
            call()
    with pytest.raises(EngineError, match="asleep already"):
        llm.sleep()
    if settings:
        llm.engine.check()
    assert llm.wake_up()
    assert llm.wake_up() and not llm.is_sleeping()
    if level == 2:
        with pytest.raises(
            EngineError, match=r"sleep\(level=2\) has dropped the weights; call update_weights with all"
        ):
            tokens(llm)
        some = dict(list(known.weights[0].items())[:5])
        with pytest.raises(ConfigError, match=r"of the .* weights are missing"):
            llm.update_weights(some)
        llm.update_weights(known.weights[0])
    else:
        assert pin in [each.name for each in llm.engine.pinned_prefixes()]
        found = llm.generate([PROMPT], PARAMS, use_tqdm=False)[0]
        assert found.num_cached_tokens
    assert tokens(llm) == before
    llm.engine.check()


def test_parts_wake_up_by_name() -> None:
    """TRL's order: the weights, an update, then the cache."""
    known = versions()
    llm = LLM(known.model, num_blocks=60, dtype="float32", optimize=True)
    tokens(llm)
    llm.sleep(2)
    with pytest.raises(EngineError, match="the weights are asleep"):
        llm.update_weights(known.weights[1])
    assert not llm.wake_up(["weights"])
    llm.update_weights(known.weights[1])
    known.note("1", 1, reset=False)
    assert llm.is_sleeping()
    assert llm.wake_up(["kv_cache"])
    known.require_same(PROMPT, llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0])
    for tags in ("weights", ["cache"]):
        with pytest.raises(ConfigError, match="wake_up: tags is"):
            llm.wake_up(tags)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["keep", "wait", "abort"])
def test_streams_through_a_sleep(mode: str) -> None:
    llm = LLM(models.build("llama"), num_blocks=60)
    whole = tokens(llm)
    stream = llm.stream([PROMPT], PARAMS)
    begun = next(stream).outputs[0].token_ids
    llm.sleep(1, mode)
    llm.wake_up()
    rest = list(stream)
    text = begun + [token for output in rest for token in output.outputs[0].token_ids]
    assert text == (whole[: len(text)] if mode == "abort" else whole)
    assert rest[-1].outputs[0].finish_reason == ("abort" if mode == "abort" else "length")


def test_what_cannot_sleep() -> None:
    llm = LLM(models.build("llama"), num_blocks=60, quantization="int8")
    with pytest.raises(ConfigError, match=r"sleep: level is 2, and .* is quantised"):
        llm.sleep(2)
    assert not llm.is_sleeping() and tokens(llm)
    for wrong in (3, True, "1"):
        with pytest.raises(ConfigError, match=r"sleep: level is .* expected one of 0, 1, 2"):
            llm.sleep(wrong)  # type: ignore[arg-type]
    pin = llm.pin_prefix(PROMPT)
    with llm.stream([PROMPT], PARAMS) as stream:
        next(stream)
        with pytest.raises(EngineError, match="requests are kept and a prefix is pinned"):
            llm.sleep(1, "keep")
    llm.unpin_prefix(pin)


def test_an_owned_model_drops_its_packed_weights() -> None:
    llm = LLM(models.STDLIB_LM, num_blocks=60, dtype="float32", optimize=True)
    other = LLM(models.STDLIB_LM, num_blocks=60, dtype="float32", optimize=False).engine.model.model
    before = tokens(llm)
    llm.sleep(2)
    llm.wake_up()
    llm.update_weights(other.state_dict())
    assert tokens(llm) == before


# --- AsyncLLM -----------------------------------------------------------------------------------------------


def test_an_async_engine_sleeps() -> None:
    known = versions()
    llm = AsyncLLM.from_engine(LLM(known.model, num_blocks=60).engine)

    async def complete() -> Any:
        return [output async for output in llm.generate({"prompt_token_ids": PROMPT}, PARAMS)][-1]

    async def main() -> None:
        whole = (await complete()).outputs[0].token_ids
        for mode in ("keep", "wait", "abort"):
            under_way = asyncio.ensure_future(complete())
            await asyncio.sleep(0)
            while not ((await llm.stats()).num_running or under_way.done()):
                await asyncio.sleep(0)
            await llm.sleep(1, mode)
            assert await llm.is_sleeping() and await llm.is_paused()
            with pytest.raises(EngineError, match="asleep already"):
                await llm.sleep(1)  # aborts nothing, and leaves no pause behind
            late = asyncio.ensure_future(complete())
            with pytest.raises(EngineError, match="asleep"):
                await llm.resume_generation()
            await asyncio.sleep(0.02)
            assert not late.done()
            assert await llm.wake_up()
            assert not await llm.is_paused()
            assert (await late).outputs[0].token_ids == whole
            ended = (await under_way).outputs[0]
            assert ended.token_ids == (whole[: len(ended.token_ids)] if mode == "abort" else whole)
        await llm.pause_generation(mode="wait")
        await llm.sleep(2)
        await llm.wake_up(["weights"])
        await llm.update_weights(known.weights[2], version="two")
        known.note("two", 2, reset=False)
        await llm.wake_up()
        assert await llm.is_paused()  # the pause was there before
        await llm.resume_generation()
        assert await llm.get_weight_version() == "two"
        known.require_same(PROMPT, (await complete()).outputs[0])
        await llm.update_weight_version("three")
        assert await llm.get_weight_version() == "three"
        with pytest.raises(ConfigError, match="sleep: level is 7"):
            await llm.sleep(7)

    try:
        asyncio.run(main())
    finally:
        llm.shutdown()


def test_an_engine_asleep_gives_its_outputs() -> None:
    engine: LLMEngine = LLM(models.build("llama"), num_blocks=60).engine
    engine.add_request("a", PROMPT, PARAMS)
    engine.step()
    engine.sleep()
    (output,) = engine.step()
    assert output.outputs[0].finish_reason == "abort" and engine.step() == []
    engine.wake_up()
    engine.add_request("a", PROMPT, PARAMS)
    engine.step()
    engine.sleep(0, "keep")
    with pytest.raises(EngineError, match="asleep"):
        engine.step()
    engine.wake_up()
    assert engine.step()
