"""AsyncLLM: outputs are the engine's, with slow readers, cancelled and aborted requests, and failures."""

from __future__ import annotations

import asyncio
import functools
import gc
import itertools
import pickle
import random
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import models
from tests.fakes import (
    LONG_BLOCKS,
    LONG_TOKENS,
    FakeDecoder,
    FakeModel,
    FakeTokenizer,
    GatedModel,
    LongModel,
    engine,
    follow,
)
from torchpaged import LLM, AsyncEngineArgs, AsyncLLM, PoolerConfig, PoolingParams, RequestOutput, SamplingParams
from torchpaged.async_engine.client import OutputQueue, OutputQueues
from torchpaged.async_engine.core import Answered, Refused
from torchpaged.async_engine.process import _Prompts, _written
from torchpaged.async_engine.request_streams import last_outputs
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.errors import ConfigError, EngineDeadError, EngineError, ModelError, RequestError
from torchpaged.outputs import CompletionOutput, Logprob, RequestMetrics, copied
from torchpaged.sampling_params import RequestOutputKind

DELTA, CUMULATIVE, FINAL_ONLY = RequestOutputKind.DELTA, RequestOutputKind.CUMULATIVE, RequestOutputKind.FINAL_ONLY
LONG = SamplingParams(temperature=0, max_tokens=100, ignore_eos=True)
# For a `LongModel`: not ended when a test acts on it, however late its thread runs.
ENDLESS = SamplingParams(temperature=0, max_tokens=LONG_TOKENS, ignore_eos=True, output_kind=DELTA)


def greedy(count: int, kind: RequestOutputKind = CUMULATIVE, **more: Any) -> SamplingParams:
    return SamplingParams(temperature=0, max_tokens=count, output_kind=kind, **more)


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test in a new event loop, for at most three minutes."""

    async def limited() -> None:
        await asyncio.wait_for(test(), 180)

    asyncio.run(limited())


@asynccontextmanager
async def serving(model: FakeModel | None = None, **settings: Any) -> AsyncIterator[AsyncLLM]:
    """Provide an AsyncLLM over a fake model; in the end no request may be left, and no invariant broken."""
    more = {name: settings.pop(name) for name in ("step_timeout",) if name in settings}
    llm = AsyncLLM.from_engine(engine(model, **settings), **more)
    try:
        yield llm
        if llm.is_running:
            await nothing_is_left(llm)
    finally:
        llm.shutdown()
    assert llm.is_stopped and not llm._client._queues and not llm._client._calls


async def nothing_is_left(llm: AsyncLLM) -> None:
    await llm.call("check")
    requests = llm._requests
    assert not (len(requests) or llm._client._queues or requests._sent or requests._to_abort)
    stats = await llm.stats()
    assert stats.num_running == stats.num_waiting == 0 and stats.cache.num_used_blocks == 0
    assert await llm.call("unfinished_requests") == []


async def collected(stream: AsyncIterator[RequestOutput], *, deltas: bool = False) -> list[int]:
    """Return the tokens of a request with one completion."""
    tokens: list[int] = []
    async for output in stream:
        (completion,) = output.outputs
        tokens = tokens + completion.token_ids if deltas else completion.token_ids
    assert output.finished
    return tokens


# --- Outputs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", RequestOutputKind)
def test_outputs_are_the_engine_s(kind: RequestOutputKind) -> None:
    async def test() -> None:
        async with serving() as llm:
            seen = [output async for output in llm.generate([5, 6], greedy(9, kind), "mine")]
            tokens = [output.outputs[0].token_ids for output in seen]
            assert ([*itertools.chain(*tokens)] if kind is DELTA else tokens[-1]) == follow([5, 6], 9)
            assert {output.request_id for output in seen} == {"mine"}
            assert [output.finished for output in seen].count(True) == 1
            assert len(seen) == 1 or kind is not FINAL_ONLY

    run(test)


def test_several_completions_and_the_checkpoint_s_own_parameters() -> None:
    async def test() -> None:
        async with serving() as llm:
            many = SamplingParams(n=3, seed=4, max_tokens=6, output_kind=DELTA)
            alone = engine()
            alone.add_request("a", [5, 6], SamplingParams(n=3, seed=4, max_tokens=6))
            while not (outputs := alone.step()) or not outputs[-1].finished:
                pass
            texts: list[list[int]] = [[], [], []]
            async for output in llm.generate([5, 6], many):
                for completion in output.outputs:
                    texts[completion.index] += completion.token_ids
            assert texts == [completion.token_ids for completion in outputs[-1].outputs]
            async for output in llm.generate([5, 6]):
                assert output.request_id.startswith("request-")
            assert len(output.outputs[0].token_ids) == llm.default_params.max_tokens

    run(test)


def test_two_hundred_streams_at_once() -> None:
    async def test() -> None:
        async with serving(num_blocks=65, max_num_seqs=16, async_scheduling=True) as llm:

            async def one(number: int) -> None:
                prompt, kind = [2 + number % 30, 2 + number // 30], list(RequestOutputKind)[number % 3]
                count = 1 + number % 11
                stream = llm.generate(prompt, greedy(count, kind), f"r{number}", priority=number % 2)
                assert await collected(stream, deltas=kind is DELTA) == follow(prompt, count)

            await asyncio.gather(*map(one, range(200)))

    run(test)


def test_a_slow_reader_gets_all_in_one_and_keeps_nobody_waiting() -> None:
    async def test() -> None:
        model = GatedModel(1)
        async with serving(model) as llm:
            slow = llm.generate([5, 6], greedy(30, DELTA, logprobs=0))
            first = await anext(slow)
            model.gate.set()
            assert await collected(llm.generate([7, 8], greedy(60))) == follow([7, 8], 60)  # longer than the slow one
            rest = await anext(slow)
            assert rest.finished and len(rest.outputs[0].logprobs or ()) == len(rest.outputs[0].token_ids)
            assert first.outputs[0].token_ids + rest.outputs[0].token_ids == follow([5, 6], 30)
            with pytest.raises(StopAsyncIteration):
                await anext(slow)

    run(test)


def test_a_step_wakes_the_loop_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with serving() as llm:
            loop, woken = asyncio.get_running_loop(), []
            real = loop.call_soon_threadsafe

            def counted(function: Any, *args: Any, **kwargs: Any) -> Any:
                if getattr(function, "__name__", "") == "_wake":
                    woken.append(function)
                return real(function, *args, **kwargs)

            monkeypatch.setattr(loop, "call_soon_threadsafe", counted)
            before = (await llm.stats()).num_steps
            streams = [llm.generate([5, number], greedy(20, DELTA)) for number in range(2, 12)]
            await asyncio.gather(*(collected(stream, deltas=True) for stream in streams))
            assert len(woken) <= (await llm.stats()).num_steps - before + 1

    run(test)


def test_what_is_merged_is_what_came() -> None:
    """Deltas of several completions, merged by a queue at random places, add up to the same as one by one."""

    def delta(index: int, token: int, last: bool) -> RequestOutput:
        reason = "length" if last else None
        completion = CompletionOutput(index, f"{token} ", [token], [{token: None}], -token, finish_reason=reason)  # type: ignore[dict-item]
        logprobs: Any = [None] if token == 0 else None  # only the first output has them
        return RequestOutput("a", None, [1], [completion], False, RequestMetrics(0.0), prompt_logprobs=logprobs)

    async def test() -> None:
        choose = random.Random(1)
        for _ in range(20):
            queues = OutputQueues(asyncio.get_running_loop())
            queue = OutputQueue(queues, deltas=True)
            found: dict[int, list[int]] = {0: [], 1: []}
            sent: dict[int, list[int]] = {0: [], 1: []}
            for number in range(20):
                index = choose.randrange(2)
                queues.put([(queue, delta(index, number, number >= 18))])
                sent[index].append(number)
                if choose.random() < 0.3:
                    output = await queue.take()
                    assert (output.prompt_logprobs is None) == any(found.values())
                    for completion in output.outputs:
                        assert completion.text == "".join(f"{token} " for token in completion.token_ids)
                        assert [next(iter(each)) for each in completion.logprobs] == completion.token_ids  # type: ignore
                        found[completion.index] += completion.token_ids
            queues.put([(queue, delta(0, 99, True))])
            for completion in (await queue.take()).outputs:
                found[completion.index] += completion.token_ids
            assert found == {0: [*sent[0], 99], 1: sent[1]}

    run(test)


def test_what_a_callback_leaves_comes_to_the_task_and_nothing_twice() -> None:
    """Outputs that a callback takes or leaves at random, while more arrive: each is delivered once, in order."""

    def delta(number: int) -> RequestOutput:
        return RequestOutput("a", None, [1], [CompletionOutput(0, "", [number])], False, RequestMetrics(0.0))

    async def test() -> None:
        choose = random.Random(2)
        for _ in range(30):
            queues = OutputQueues(asyncio.get_running_loop())
            queue = OutputQueue(queues, deltas=True)
            numbers, found, turns = iter(range(40)), list[int](), 0

            def come(
                queues: OutputQueues = queues, queue: OutputQueue = queue, numbers: Iterator[int] = numbers
            ) -> None:
                """Put more outputs into the queue, as the engine's thread does at any time."""
                queues.put([(queue, delta(number)) for number in itertools.islice(numbers, choose.randrange(3))])

            def callback(output: RequestOutput, come: Callable[[], None] = come, found: list[int] = found) -> bool:
                if choose.random() < 0.5:
                    come()
                if choose.random() < 0.4:
                    return False
                found.extend(output.outputs[0].token_ids)
                return True

            queue.callback = callback
            while len(found) < 40:
                reading = asyncio.ensure_future(queue.take())
                while not reading.done() and len(found) < 40:
                    await asyncio.sleep(0)
                    come()
                if not reading.done():
                    reading.cancel()
                    break
                found += reading.result().outputs[0].token_ids
                turns += 1
            assert found == list(range(40)) and turns < 40

    run(test)


def test_a_callback_that_fails_fails_in_the_task() -> None:
    async def test() -> None:
        async with serving(LongModel(), num_blocks=LONG_BLOCKS) as llm:
            stream = llm.generate([5, 6], ENDLESS)
            other = asyncio.ensure_future(collected(llm.generate([7, 8], greedy(60))))
            await anext(stream)
            taken: list[RequestOutput] = []

            def callback(output: RequestOutput) -> bool:
                taken.append(output)
                return 1 // (3 - len(taken)) > 0

            stream.offer_to(callback)
            with pytest.raises(ZeroDivisionError):
                while True:
                    await anext(stream)
            assert len(taken) == 3 and await other == follow([7, 8], 60)

    run(test)


def test_nothing_comes_behind_what_a_callback_has_failed_on() -> None:
    """Outputs that arrive meanwhile would follow a gap."""

    async def test() -> None:
        queues = OutputQueues(asyncio.get_running_loop())
        queue = OutputQueue(queues, deltas=True)

        def come() -> None:
            completion = CompletionOutput(0, "", [1])
            queues.put([(queue, RequestOutput("a", None, [1], [completion], False, RequestMetrics(0.0)))])

        def callback(output: RequestOutput) -> bool:
            come()
            raise ZeroDivisionError

        queue.callback = callback
        reading = asyncio.ensure_future(queue.take())
        await asyncio.sleep(0)
        come()
        with pytest.raises(ZeroDivisionError):
            await reading

    run(test)


def test_texts_of_a_real_tokenizer() -> None:
    params = SamplingParams(temperature=0.8, seed=1, max_tokens=9, ignore_eos=True)
    settings = {"dtype": "float32", "num_blocks": 64}
    prompts = ["import os\n", "def main("]
    with LLM(models.STDLIB_LM, **settings) as offline:  # type: ignore[arg-type]
        expected = [output.outputs[0].text for output in offline.generate(prompts, params, use_tqdm=False)]

    async def test() -> None:
        llm = AsyncLLM.from_engine_args(AsyncEngineArgs(model=str(models.STDLIB_LM), **settings))
        try:
            outputs = []
            for prompt in prompts:
                async for output in llm.generate(prompt, params):
                    last = output
                outputs.append(last)
            assert [output.outputs[0].text for output in outputs] == expected
            assert [output.prompt for output in outputs] == prompts
            assert llm.name == str(models.STDLIB_LM) and (await llm.get_metrics())[0].labels["model_name"] == llm.name
            kept = llm.generate(prompts[1] * 9, params, tokenization_kwargs={"truncate_prompt_tokens": 3})
            assert len((await anext(kept)).prompt_token_ids) == 3
            with pytest.raises(RequestError, match="no chat template"):
                await llm.preprocess_chat([{"role": "user", "content": "x"}])
            await kept.aclose()
            await nothing_is_left(llm)
        finally:
            llm.shutdown()

    run(test)


def test_scores_of_pairs() -> None:
    """They equal those of `LLM.score`, by vectors and by a cross-encoder; one text that fails ends the others."""
    config = PoolerConfig()
    settings: dict[str, Any] = {"dtype": "float32", "num_blocks": 60, "pooler_config": config}

    async def score() -> None:
        llm = AsyncLLM(models.STDLIB_LM, **settings)
        found = await llm.score("import os", ["def main(", "import os", "class Q:"])
        assert [each.outputs.score for each in found] == pytest.approx(expected, abs=1e-5)
        with pytest.raises(RequestError):
            await llm.score(["import os", "x " * 5000], ["def", "class"])
        assert llm.get_num_unfinished_requests() == 0
        with pytest.raises(ConfigError, match="data_1 has 2 texts and data_2 3"):
            await llm.score(["a", "b"], ["a", "b", "c"])
        llm.shutdown()
        async with serving() as fake:
            with pytest.raises(ConfigError, match="FakeModel was not made to score pairs"):
                await fake.score("a", "b")

    with LLM(models.STDLIB_LM, **settings) as offline:
        outputs = offline.score("import os", ["def main(", "import os", "class Q:"], use_tqdm=False)
        expected = [each.outputs.score for each in outputs]
    run(score)


def test_vectors() -> None:
    async def test() -> None:
        async with serving(FakeDecoder()) as llm:
            (output,) = [each async for each in llm.encode([5, 6, 7], PoolingParams(use_activation=False), "v")]
            assert output.request_id == "v" and np.array_equal(output.outputs.data.numpy(), [7, 2, 1])
        async with serving() as llm:
            with pytest.raises(RequestError, match="request 'v': FakeModel gives logits"):
                await anext(llm.encode([5], None, "v"))

    run(test)


# --- Cancelling and aborting ----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["break", "raise", "aclose", "drop", "never-begun"])
def test_leaving_ends_a_request(how: str) -> None:
    async def test() -> None:
        async with serving() as llm:
            stream: Any = llm.generate([5, 6], LONG, "a")
            if how == "break":
                async for _ in llm.generate([7, 8], LONG):
                    break
            elif how == "raise":
                with pytest.raises(RuntimeError, match="enough"):
                    async for _ in llm.generate([7, 8], LONG):
                        raise RuntimeError("enough")
            elif how != "never-begun":
                await anext(stream)
            if how == "aclose":
                await stream.aclose()
                assert [output async for output in stream] == []
            del stream
            await nothing_is_left(llm)
            assert await collected(llm.generate([5, 6], greedy(5), "a")) == follow([5, 6], 5)

    run(test)


def test_cancelling_at_any_moment() -> None:
    """Before the prompt is tokenized, while it is queued, in the middle and at the end: nothing of it is left."""

    async def test() -> None:
        choose = random.Random(2)
        async with serving(tokenizer=FakeTokenizer(), max_num_seqs=3, num_blocks=33) as llm:

            async def one() -> None:
                async for _ in llm.generate("fgh", greedy(12, DELTA)):
                    pass

            for _ in range(12):
                tasks = [asyncio.create_task(one()) for _ in range(8)]
                for task in tasks:
                    for _ in range(choose.randrange(12)):
                        await asyncio.sleep(choose.choice([0, 0, 0.001]))
                    task.cancel()
                ended = await asyncio.gather(*tasks, return_exceptions=True)
                assert {type(each) for each in ended} <= {type(None), asyncio.CancelledError}
                await nothing_is_left(llm)
            assert await collected(llm.generate("fgh", greedy(12))) == follow([5, 6, 7], 12)

    run(test)


def test_a_thousand_requests_of_one_reader_are_few_tasks() -> None:
    """They are sent in pieces, end with one message, and leave the loop time for others, however their reader ends."""

    async def test() -> None:
        async with serving(tokenizer=FakeTokenizer(), max_num_seqs=3, num_blocks=33) as llm:
            await llm.pause_generation(mode="keep")
            loop = asyncio.get_running_loop()
            sent: list[Any] = []
            llm._client._send, send = (lambda message: (sent.append(message), send(message))), llm._client._send  # type: ignore
            for _ in range(3):
                streams = [llm.generate("fgh", greedy(2, FINAL_ONLY)) for _ in range(1000)]
                reader = asyncio.create_task(last_outputs(streams))
                most = 0
                while len(llm._client._queues) < 1000:  # all are sent
                    most = max(most, len(asyncio.all_tasks(loop)))
                    await asyncio.sleep(0)
                assert most < 30
                await llm.stats()  # the engine has all of them
                reader.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await reader
                await llm.stats()
                assert not llm.get_num_unfinished_requests() and not llm._client._queues
            assert [len(message.request_ids) for message in sent] == [1000] * 3
            await llm.resume_generation()
            kinds = (CUMULATIVE, FINAL_ONLY) * 20
            streams = [llm.generate("fgh", greedy(3, kind), str(n)) for n, kind in enumerate(kinds)]
            outputs = await last_outputs(streams)
            assert [each.request_id for each in outputs] == [str(n) for n in range(40)]
            assert all(each.finished for each in outputs) and await last_outputs([]) == []
            too_long = llm.generate("f" * 300, greedy(1), "long")
            with pytest.raises(RequestError, match=r"request 'long': .*300 tokens"):
                await last_outputs([llm.generate("fgh", LONG), too_long, llm.generate("fgh", LONG)])
            with pytest.raises(RequestError, match="an unfinished request has this id"):
                await last_outputs([llm.generate("fgh", LONG, "a"), llm.generate("fgh", LONG, "a")])
            await llm.pause_generation(mode="keep")
            aborted = asyncio.create_task(last_outputs([llm.generate("fgh", LONG, "a"), llm.generate("f", LONG, "b")]))
            while llm.get_num_unfinished_requests() < 2:
                await asyncio.sleep(0)
            await llm.abort(["a", "b"])
            assert [each.outputs[0].finish_reason for each in await aborted] == ["abort", "abort"]
            await llm.resume_generation()

    run(test)


def test_groups_are_cancelled_at_any_moment() -> None:
    async def test() -> None:
        choose = random.Random(3)
        async with serving(tokenizer=FakeTokenizer(), max_num_seqs=3, num_blocks=33) as llm:
            for _ in range(30):
                streams = [llm.generate("fgh", greedy(4, FINAL_ONLY)) for _ in range(40)]
                reader = asyncio.create_task(last_outputs(streams))
                for _ in range(choose.randrange(60)):
                    await asyncio.sleep(choose.choice([0, 0, 0.0005]))
                reader.cancel()
                (ended,) = await asyncio.gather(reader, return_exceptions=True)
                assert isinstance(ended, (list, asyncio.CancelledError))
                del streams
                await nothing_is_left(llm)

    run(test)


def test_an_aborted_request_says_so() -> None:
    async def test() -> None:
        async with serving(LongModel(), num_blocks=3 * LONG_BLOCKS) as llm:
            streams = [llm.generate([5, 6], ENDLESS, name) for name in ("a", "b")]
            await asyncio.gather(*map(anext, streams))
            third = asyncio.create_task(collected(llm.generate([5, 6], LONG, "c")))
            await asyncio.sleep(0)
            await llm.abort("a")
            await llm.abort(["b", "nobody"])
            for stream in streams:
                last = [output async for output in stream][-1]
                assert last.finished and last.outputs[0].finish_reason == "abort"
            assert len(await third) == 100
            with pytest.raises(ConfigError, match="abort: request_id is 7"):
                await llm.abort(7)  # type: ignore[arg-type]

    run(test)


class SlowTokenizer(FakeTokenizer):
    """Tokenizer that waits until its gate opens."""

    gate = threading.Event()

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        assert self.gate.wait(60)
        return super().__call__(text, **options)


def test_a_prompt_that_is_being_read_keeps_nobody_waiting_and_can_be_aborted() -> None:
    async def test() -> None:
        SlowTokenizer.gate.clear()
        async with serving(tokenizer=SlowTokenizer()) as llm:
            aborted = asyncio.create_task(collected(llm.generate("fgh", LONG, "a")))
            cancelled = asyncio.create_task(collected(llm.generate("fgh", LONG, "b")))
            assert await collected(llm.generate([5, 6], greedy(5))) == follow([5, 6], 5)
            await llm.abort("a")
            cancelled.cancel()
            SlowTokenizer.gate.set()
            assert len(await aborted) < 100
            with pytest.raises(asyncio.CancelledError):
                await cancelled

    run(test)


@pytest.mark.parametrize("what", ["prompt", "conversation"])
def test_a_long_text_keeps_no_short_one_waiting(what: str) -> None:
    """Ten megabytes take seconds: long texts and conversations are tokenized in a thread of their own."""
    gate = threading.Event()

    class SlowOnLong(FakeTokenizer):
        chat_template = "{{ messages }}"

        def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
            assert len(text) < 10_000 or gate.wait(60)
            return super().__call__(text[:3], **options)

        def apply_chat_template(self, messages: Any, **options: Any) -> str:
            return "".join(message["content"] for message in messages)

        def decode(self, tokens: Any, **options: Any) -> str:
            assert len(tokens) < 10_000 or gate.wait(60)
            return super().decode(tokens[:3], **options)

        def __deepcopy__(self, memo: Any) -> SlowOnLong:
            copies.append(SlowOnLong())
            return copies[-1]

    copies: list[SlowOnLong] = []

    def said(count: int) -> list[dict[str, str]]:
        return [{"role": "user", "content": "fgh" + "x" * 100}] * count

    async def test() -> None:
        async with serving(tokenizer=SlowOnLong()) as llm:
            if what == "prompt":
                long = [asyncio.create_task(collected(llm.generate("fgh" * 100_000, greedy(5)))) for _ in range(3)]
                long.append(asyncio.create_task(llm.tokenizer_pool.text([5] * 100_000)))  # type: ignore[arg-type]
                assert await collected(llm.generate("fgh", greedy(5))) == follow([5, 6, 7], 5)
                assert await llm.tokenizer_pool.text([5, 6, 7]) == "fgh"
            else:
                long = [asyncio.create_task(llm.preprocess_chat(said(2000)))]  # type: ignore[list-item]
                assert (await llm.preprocess_chat(said(1)))["prompt_token_ids"] == [5, 6, 7]
            assert not any(each.done() for each in long)
            gate.set()
            found = await asyncio.gather(*long)
            assert found[0] == (
                follow([5, 6, 7], 5) if what == "prompt" else {**found[0], "prompt_token_ids": [5, 6, 7]}
            )
            assert len({id(each) for each in copies}) == len(copies) == 3  # no two threads share one

    run(test)


# --- Refusals -----------------------------------------------------------------------------------------------


def test_requests_that_can_never_run() -> None:
    async def test() -> None:
        async with serving(LongModel(), tokenizer=FakeTokenizer(), num_blocks=LONG_BLOCKS) as llm:
            cases: list[tuple[Any, Any, str]] = [
                ([5] * 30_000, LONG, "request 'a': .*30000"),
                ([99], LONG, "request 'a': token id 99"),
                ("no!", LONG, "request 'a': the tokenizer failed"),
                ([5], "hot", "request 'a': params is 'hot'"),
                ([], LONG, "request 'a': "),
                (7, LONG, "request 'a': the prompt is 7"),
            ]
            for prompt, params, says in cases:
                with pytest.raises((RequestError, ConfigError), match=says):
                    await anext(llm.generate(prompt, params, "a"))
            stream = llm.generate([5], ENDLESS, "a")
            await anext(stream)
            with pytest.raises(RequestError, match="request 'a': an unfinished request has this id"):
                await anext(llm.generate([6], LONG, "a"))
            with pytest.raises(ConfigError, match="request_id is 7"):
                await anext(llm.generate([6], LONG, 7))  # type: ignore[arg-type]
            await stream.aclose()
            assert await collected(llm.generate([5, 6], greedy(5), "a")) == follow([5, 6], 5)

    run(test)


def test_two_tasks_cannot_read_one_stream() -> None:
    async def test() -> None:
        model = GatedModel(0)
        async with serving(model) as llm:
            stream = llm.generate([5, 6], LONG)
            first = asyncio.create_task(anext(stream))
            while not model.num_waiting:
                await asyncio.sleep(0.001)
            with pytest.raises(EngineError, match="read by two tasks"):
                await anext(stream)
            await stream.aclose()
            with pytest.raises(EngineError, match="closed while a task waited"):
                await first
            model.gate.set()

    run(test)


def test_settings() -> None:
    with pytest.raises(ConfigError, match="step_timeout is 0"):
        AsyncLLM(models.STDLIB_LM, step_timeout=0)
    with pytest.raises(ConfigError, match="max_num_seq"):
        AsyncLLM(models.STDLIB_LM, max_num_seq=3)


# --- Failures -----------------------------------------------------------------------------------------------


class FailingModel(FakeModel):
    """Model whose forwards fail a number of times after the first ones, or while a certain token is an input."""

    def __init__(self) -> None:
        super().__init__()
        self.num_first, self.num_fails, self.poison = 0, 0, -1
        self.error: Exception = RuntimeError("the device is on fire")

    def forward(self, input_ids: Any, *rest: Any) -> Any:
        self.num_first -= 1
        if (self.num_first < 0 and self.num_fails > 0) or self.poison in input_ids.tolist():
            self.num_fails -= 1
            raise self.error
        return super().forward(input_ids, *rest)


@pytest.mark.parametrize("overlaps", [False, True])
def test_a_step_that_fails_once_costs_nothing(overlaps: bool) -> None:
    async def test() -> None:
        model = FailingModel()
        model.num_first, model.num_fails = 10, 1
        async with serving(model, async_scheduling=overlaps) as llm:
            streams = [llm.generate([5, number], greedy(30, DELTA)) for number in range(2, 6)]
            found = await asyncio.gather(*(collected(stream, deltas=True) for stream in streams))
            assert found == [follow([5, number], 30) for number in range(2, 6)]
            assert model.num_fails == 0 and llm.is_healthy

    run(test)


@pytest.mark.parametrize("overlaps", [False, True])
def test_a_step_that_fails_twice_ends_its_requests_alone(overlaps: bool) -> None:
    async def test() -> None:
        model = FailingModel()
        model.poison = 31
        async with serving(model, max_num_seqs=1, async_scheduling=overlaps) as llm:
            bad, good = llm.generate([31], greedy(5), "bad"), llm.generate([5, 6], greedy(5))
            (output,) = [each async for each in bad]
            (ended,) = output.outputs
            assert ended.finish_reason == "error" and "failed twice: RuntimeError: the device" in (ended.error or "")
            assert await collected(good) == follow([5, 6], 5)
            assert llm.is_healthy and llm.is_running

    run(test)


def test_a_step_that_says_the_engine_is_dead_ends_it() -> None:
    """As one of ranks does when another has failed: it is not tried again, and can be started anew."""

    async def test() -> None:
        model = FailingModel()
        model.num_fails, model.error = 1, EngineDeadError("rank 1 has failed")
        async with serving(model) as llm:
            with pytest.raises(EngineDeadError, match="rank 1 has failed"):
                await collected(llm.generate([5, 6], greedy(5)))
            assert model.num_fails == 0 and llm.errored and not llm.is_running

    run(test)


def test_who_fails_again_and_again_is_not_healthy() -> None:
    async def test() -> None:
        model = FailingModel()
        async with serving(model) as llm:
            model.num_fails = 4
            for _ in range(2):
                assert [each.outputs[0].finish_reason async for each in llm.generate([5], LONG)] == ["error"]
            with pytest.raises(EngineError, match="the last 4 steps have failed"):
                await llm.check_health()
            assert await collected(llm.generate([5, 6], greedy(5))) == follow([5, 6], 5)
            await llm.check_health()

    run(test)


def test_a_step_that_does_not_end_is_not_healthy() -> None:
    async def test() -> None:
        model = GatedModel(0)
        async with serving(model, step_timeout=0.05) as llm:
            assert llm.is_healthy  # an idle engine is healthy
            task = asyncio.create_task(collected(llm.generate([5, 6], greedy(5))))
            while llm.is_healthy:
                await asyncio.sleep(0.01)
            with pytest.raises(EngineError, match=r"a step has not ended for \d+ seconds"):
                await llm.check_health()
            model.gate.set()
            assert await task == follow([5, 6], 5) and llm.is_healthy

    run(test)


class Death(BaseException):
    """Error that ends the engine's thread."""


def test_an_engine_that_dies_tells_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with serving(LongModel(), num_blocks=LONG_BLOCKS) as llm:
            streams = [llm.generate([5, number], ENDLESS) for number in range(2, 8)]
            await asyncio.gather(*map(anext, streams))

            def dies(_: Any) -> Any:
                raise Death("of old age")

            monkeypatch.setattr(LLMEngine, "step", dies)
            for ended in await asyncio.gather(*map(collected, streams), return_exceptions=True):
                assert isinstance(ended, EngineDeadError) and "Death: of old age" in str(ended)
            assert llm.errored and not llm.is_running and not llm.is_healthy
            for what in (llm.check_health, llm.stats, functools.partial(anext, llm.generate([5], LONG))):
                with pytest.raises(EngineDeadError, match="it has died"):
                    await what()
            assert "it has died" in str(llm.dead_error) and llm.get_num_unfinished_requests() == 0

    run(test)


def test_shutdown_during_work() -> None:
    async def test() -> None:
        llm = AsyncLLM.from_engine(engine(LongModel(), num_blocks=LONG_BLOCKS))
        streams = [llm.generate([5, number], ENDLESS) for number in range(2, 8)]
        await asyncio.gather(*map(anext, streams))
        llm.shutdown()
        for stream in streams:
            last = [output async for output in stream][-1]
            assert last.finished and last.outputs[0].finish_reason in ("abort", "length")
        with pytest.raises(EngineDeadError, match="has been shut down"):
            await anext(llm.generate([5], LONG))
        with pytest.raises(EngineDeadError, match="has been shut down"):
            await llm.stats()
        llm.shutdown()
        assert llm.is_stopped and not llm.errored and not llm._client._queues

    run(test)


def test_who_is_let_go_ends_his_thread() -> None:
    llm = AsyncLLM.from_engine(engine())
    thread = llm._client._transport._thread  # type: ignore[attr-defined]
    del llm
    gc.collect()
    thread.join(60)
    assert not thread.is_alive()


# --- Loops and calls ----------------------------------------------------------------------------------------


def test_a_stream_keeps_its_engine() -> None:
    async def test() -> None:
        stream = AsyncLLM.from_engine(engine()).generate([5, 6], greedy(20))
        gc.collect()
        assert [output async for output in stream][-1].outputs[0].token_ids == follow([5, 6], 20)

    run(test)


def test_one_engine_for_several_loops() -> None:
    """One after the other, at the same time in another thread, and one that ends with a request unfinished."""
    llm = AsyncLLM.from_engine(engine())

    async def one(number: int) -> None:
        assert await collected(llm.generate([5, number], greedy(40))) == follow([5, number], 40)

    for number in (2, 3):
        run(functools.partial(one, number))
    threads = [threading.Thread(target=run, args=(functools.partial(one, number),)) for number in range(4, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    loop, stream = asyncio.new_event_loop(), llm.generate([5, 6], LONG)
    loop.run_until_complete(anext(stream))
    loop.close()
    until = time.monotonic() + 60
    while llm._client._queues and time.monotonic() < until:
        time.sleep(0.005)
    del stream
    run(functools.partial(nothing_is_left, llm))
    llm.shutdown()


def test_calls_come_between_steps() -> None:
    async def test() -> None:
        async with serving(LongModel(), num_blocks=LONG_BLOCKS) as llm:
            stream = llm.generate([5, 6], ENDLESS, "a")
            await anext(stream)
            assert (await llm.stats()).num_running == 1
            with pytest.raises(EngineError, match="1 requests are unfinished"):
                await llm.call("quantize", "int8")
            for name in ("step", "_take", "nothing", "config"):
                with pytest.raises(ConfigError, match=f"no method '{name}'"):
                    await llm.call(name)
            with pytest.raises(TimeoutError, match="1 requests are unfinished after 0"):
                await llm.wait_for_requests_to_drain(0)
            drained = asyncio.create_task(llm.wait_for_requests_to_drain())
            await asyncio.sleep(0)
            assert not drained.done()
            await llm.abort("a")
            assert [output async for output in stream][-1].outputs[0].finish_reason == "abort"
            await drained
            assert await llm.reset_prefix_cache()

    run(test)


def stop_iterating(_: Any) -> None:
    raise StopIteration("mine")


def test_odd_calls_leave_the_engine_alive() -> None:
    async def test() -> None:
        async with serving() as llm:
            for method in (5, None, [], b"stats"):
                with pytest.raises(ConfigError, match=r"call: method is .*, expected a name or a function"):
                    await llm.call(method)  # type: ignore[arg-type]
            for name, given in (
                ("pause_generation", {"mode": 5}),
                ("pause_generation", {"clear_cache": 5}),
                ("sleep", {"level": "x"}),
                ("sleep", {"mode": "x"}),
                ("wake_up", {"tags": 5}),
                ("wake_up", {"tags": "weights"}),
            ):
                with pytest.raises(ConfigError, match=f"{name}: {next(iter(given))} is "):
                    await llm.call(name, **given)
            for name in ("pause_generation", "sleep", "resume_generation", "is_paused", "wake_up"):
                with pytest.raises(TypeError, match="odd"):
                    await llm.call(name, odd=1)
            with pytest.raises(RuntimeError, match="StopIteration"):
                await asyncio.wait_for(llm.call(stop_iterating), 60)
            await llm.call("pause_generation")
            assert await llm.call("is_paused")
            await llm.call("resume_generation")
            assert len(await collected(llm.generate([5], greedy(4)))) == 4

    run(test)


def test_neither_pickled_nor_copied() -> None:
    llm = AsyncLLM.from_engine(engine())
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(llm)
    llm.shutdown()


# --- In another process -------------------------------------------------------------------------------------


def num_frozen_objects(_: Any) -> int:
    """Return the number of objects that the garbage collector of this process leaves alone."""
    return gc.get_freeze_count()


def test_an_engine_in_another_process() -> None:
    """One process for all of it: outputs, refusals, calls, results that cannot be pickled, an abort, and a death."""
    params = SamplingParams(temperature=0.8, seed=1, max_tokens=9, ignore_eos=True, output_kind=DELTA)
    settings: dict[str, Any] = {"dtype": "float32", "num_blocks": 64, "optimize": True}
    prompts = ["import os\n", "def main("]
    with LLM(models.STDLIB_LM, **settings) as offline:
        whole = SamplingParams(temperature=0.8, seed=1, max_tokens=9, ignore_eos=True)
        expected = [output.outputs[0].text for output in offline.generate(prompts, whole, use_tqdm=False)]
    llm = AsyncLLM(models.STDLIB_LM, engine_process=True, **settings)

    async def text(prompt: str) -> str:
        return "".join([output.outputs[0].text async for output in llm.generate(prompt, params)])

    async def test() -> None:
        assert await asyncio.gather(*map(text, prompts)) == expected
        with pytest.raises(RequestError, match="request 'a': the prompt has 5000 tokens"):
            await anext(llm.generate([5] * 5000, params, "a"))
        with pytest.raises(ConfigError, match="cannot be sent to the engine's process"):
            await llm.call("apply_model", lambda module: 1)
        (frozen,) = await llm.call("apply_model", num_frozen_objects)
        assert frozen > 100_000  # the model's and torch's; full collections would stop steps for a quarter of a second
        digits = SamplingParams(structured_outputs={"regex": "[0-9]{3}"})
        (*_, last) = [each async for each in llm.generate("import", digits)]
        assert last.outputs[0].text.isdigit() and last.outputs[0].finish_reason == "stop"
        with pytest.raises(
            RequestError, match=r"request 'b': structured_outputs has the regex .a, which is not possible"
        ):
            await anext(llm.generate("import", SamplingParams(structured_outputs={"regex": "(a"}), "b"))
        (output,) = [each async for each in llm.encode("import", PoolingParams())]
        assert output.outputs.data.norm().item() == pytest.approx(1, abs=1e-4)
        await nothing_is_left(llm)
        assert llm.is_healthy and llm.config.num_blocks == 64
        stream = llm.generate("import os", SamplingParams(max_tokens=900, ignore_eos=True, output_kind=DELTA))
        (first, second) = [(await anext(stream)).prompt_token_ids for _ in range(2)]
        first.clear()  # the list belongs to the reader
        assert second and (await anext(stream)).prompt_token_ids == second
        llm._client._transport._process.kill()  # type: ignore[attr-defined]
        with pytest.raises(EngineDeadError, match="its process has ended with status -9"):
            while True:
                await anext(stream)
        assert llm.errored
        with pytest.raises(EngineDeadError):
            await llm.stats()

    try:
        run(test)
    finally:
        llm.shutdown()


@pytest.mark.long  # half of the time is the import of torch
def test_a_model_that_cannot_be_loaded_in_another_process(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no config could be read"):
        AsyncLLM(tmp_path, engine_process=True)


def test_an_instance_stays_in_its_process() -> None:
    with pytest.raises(ConfigError, match="the model is an instance"):
        AsyncLLM(FakeModel(), engine_process=True)  # type: ignore[arg-type]


def test_what_leaves_a_process_can_be_read() -> None:
    class Local(Exception):
        """Error whose class no other process can import."""

    (refused, answered, value) = pickle.loads(
        _written([Refused("a", Local("x")), Answered(1, error=Local("y")), Answered(2, value=lambda: 1)])
    )
    assert str(refused.error) == "Local: x" and str(answered.error) == "Local: y"
    assert value.number == 2 and "cannot be sent from the engine's process" in str(value.error)


def test_a_prompt_goes_to_another_process_once() -> None:
    """Its logprobs too. Each output has them without a copy, and both sides forget them when the request ends."""
    sender, receiver = _Prompts(), _Prompts()
    prompt = list(range(8000))
    logprobs: dict[str, Any] = {"a": [None, {1: Logprob(-1.0, 1, "x")}] * 4000, "b": None}
    sizes, lists, kept = [], set[int](), list[RequestOutput]()
    for count in range(5):
        for name in ("a", "b"):
            completion = CompletionOutput(0, "x", [count], finish_reason="stop" if count == 4 else None)
            times = RequestMetrics(1.0, 2.0, 3.0, 4.0, 5)
            output = RequestOutput(name, "text", list(prompt), [completion], count == 4, times)
            output.prompt_logprobs = copied(logprobs[name]) if logprobs[name] else None
            expected = replace(output, prompt_token_ids=list(prompt))
            written = _written([sender.without(output)])
            sizes.append(len(written))
            (found,) = map(receiver.filled, pickle.loads(written))
            assert found == expected
            lists |= {id(found.prompt_token_ids), id(found.prompt_logprobs)}
            kept.append(found)
    assert min(sizes[:2]) > 8000 and max(sizes[2:]) < 400 and len(lists) == 4
    for each in (sender, receiver):
        assert not (each._known or each._logprobs or each._num_logprobs)
