"""Requests with adapters through LLM: each text is its adapter's, whatever others do; files, memory, errors."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel

from tests import models
from tests.engine.test_interrupts import HERE, interrupt_at
from tests.fakes import FakeModel, engine
from tests.peft_folders import config, merged, request, tensors, write
from torchpaged import LLM, AsyncLLM, BeamSearchParams, LoRARequest, PoolerConfig, SamplingParams
from torchpaged.engine.adapters import AdapterRegistry
from torchpaged.errors import ConfigError, EngineError, ModelError, RequestError
from torchpaged.weights.lora_adapter import LoraAdapter

GREEDY = SamplingParams(temperature=0, max_tokens=8, ignore_eos=True)
PROMPTS = models.prompts([5, 9, 7, 12, 6])
SETTINGS: dict[str, Any] = {"num_blocks": 200, "block_size": 4, "enable_lora": True, "max_loras": 2, "max_cpu_loras": 4}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders 1 to 6 with adapters of ranks 1 to 6."""
    path, model = tmp_path_factory.mktemp("adapters"), models.build("llama")
    for number in range(1, 7):
        write(path / str(number), model, number, rank=number)
    return path


@pytest.fixture
def llm() -> Iterator[LLM]:
    with LLM(models.build("llama"), **SETTINGS) as made:
        yield made
        made.engine.check()


def expected(prompt: list[int], path: Path | None, count: int = 8) -> list[int]:
    """Return the greedy completion of transformers with an adapter merged into the weights."""
    model = models.build("llama")
    if path is None:
        return models.greedy(model, [prompt], count)[0]
    with merged(model, path):
        return models.greedy(model, [prompt], count)[0]


def tokens(llm: LLM, prompts: Any, adapters: Any, params: SamplingParams = GREEDY) -> list[list[int]]:
    outputs = llm.generate(prompts, params, use_tqdm=False, lora_request=adapters)
    return [output.outputs[0].token_ids for output in outputs]


# --- Texts --------------------------------------------------------------------------------------------------


def test_each_request_has_its_own_adapter(llm: LLM, folder: Path) -> None:
    """More adapters than a step has, and than host memory has; the texts are those of merged weights."""
    adapters = [None, *(request(folder, number) for number in range(1, 7))]
    prompts = [PROMPTS[0]] * len(adapters)
    paths = [None if each is None else Path(each.lora_path) for each in adapters]
    right = [expected(PROMPTS[0], path) for path in paths]
    assert len({tuple(each) for each in right}) == len(adapters), "adapters that change nothing show nothing"
    outputs = llm.generate(prompts, GREEDY, use_tqdm=False, lora_request=adapters)
    assert [output.outputs[0].token_ids for output in outputs] == right
    assert [output.lora_request for output in outputs] == adapters
    assert [output.lora_version for output in outputs] == [None, *[1] * 6]
    assert llm.list_loras() == {1, 2, 3, 4, 5, 6}
    assert tokens(llm, prompts[:3], adapters[4]) == [right[4]] * 3
    counts = llm.engine.adapters.counts if llm.engine.adapters is not None else None
    assert counts is not None and counts.num_known == 6 and counts.num_misses and not counts.num_failures
    assert llm.stats().adapters == counts


def test_prefixes_are_shared_under_one_content_only(llm: LLM, folder: Path) -> None:
    prompt = PROMPTS[3]
    write(folder / "copy", models.build("llama"), 1, rank=1)

    def cached(adapter: LoRARequest | None) -> int | None:
        return llm.generate(prompt, GREEDY, use_tqdm=False, lora_request=adapter)[0].num_cached_tokens

    assert [cached(None), cached(None)] == [0, 11]
    assert [cached(request(folder, 1)), cached(request(folder, 1)), cached(request(folder, 2))] == [0, 11, 0]
    assert cached(LoRARequest("copy", 9, str(folder / "copy"))) == 11, "one file under two names"


def test_other_files_of_the_folder_may_change(llm: LLM, tmp_path: Path) -> None:
    """A trainer's log is written all the time, and the adapter is not read again for it."""
    write(tmp_path / "1", models.build("llama"), 1)
    for line in range(3):
        (tmp_path / "1" / "trainer.log").write_text(str(line))
        tokens(llm, PROMPTS[:1], request(tmp_path, 1))
    assert llm.engine.adapters is not None and llm.engine.adapters.counts.num_reads == 1


def test_a_replaced_file_is_another_adapter(llm: LLM, tmp_path: Path) -> None:
    model, prompt = models.build("llama"), PROMPTS[1]
    adapter = request(tmp_path, 1)
    for version, seed in enumerate((1, 2, 1), 1):
        write(tmp_path / "1", model, seed)
        (output,) = llm.generate(prompt, GREEDY, use_tqdm=False, lora_request=adapter)
        assert output.outputs[0].token_ids == expected(prompt, tmp_path / "1") and output.lora_version == version
    assert llm.remove_lora(1) and not llm.remove_lora(1) and llm.list_loras() == set()
    with pytest.raises(
        RequestError, match=r"prompt 0: request '.*': lora_request names 'adapter-1', which is not loaded"
    ):
        llm.generate(prompt, lora_request=LoRARequest("adapter-1", 1))
    assert llm.generate(prompt, GREEDY, use_tqdm=False, lora_request=adapter)[0].lora_version == 1


@pytest.mark.parametrize("path", ["a\0b", "~a\0b", "\ud800", "~\ud800", "~no-such-user/a"], ids=ascii)
def test_texts_that_cannot_be_paths(llm: LLM, path: str) -> None:
    with pytest.raises(ModelError, match="there is no such folder"):
        llm.add_lora(LoRARequest("nowhere", 77, path))
    with pytest.raises(ModelError, match="there is no such folder"):
        llm.generate(PROMPTS[0], use_tqdm=False, lora_request=LoRARequest("nowhere", 77, path))


def test_requests_under_way_keep_what_they_began_with(llm: LLM, tmp_path: Path) -> None:
    model = models.build("llama")
    write(tmp_path / "1", model, 1)
    old = expected(PROMPTS[1], tmp_path / "1")
    stream = llm.stream([PROMPTS[1], PROMPTS[1]], GREEDY, lora_request=request(tmp_path, 1))
    parts = [next(stream)]
    write(tmp_path / "1", model, 2)
    assert llm.add_lora(request(tmp_path, 1)) and llm.remove_lora(1)
    assert tokens(llm, PROMPTS[2], request(tmp_path, 1)) == [expected(PROMPTS[2], tmp_path / "1")]
    parts += list(stream)
    for index in "01":
        assert [token for each in parts if each.request_id == index for token in each.outputs[0].token_ids] == old


@pytest.mark.parametrize(
    "more", [{"enable_chunked_prefill": False}, {"max_num_batched_tokens": 8}, {"swap_space": 0.1}]
)
def test_settings_beside(folder: Path, more: dict[str, Any]) -> None:
    adapters = [None, *(request(folder, number) for number in (1, 2, 3, 1))]
    small = {"num_blocks": 12, "max_num_batched_tokens": 32, "max_model_len": 32}
    with LLM(models.build("llama"), **{**SETTINGS, **small, **more}) as llm:
        assert tokens(llm, PROMPTS, adapters) == [
            expected(prompt, None if each is None else Path(each.lora_path))
            for prompt, each in zip(PROMPTS, adapters, strict=True)
        ]
        llm.engine.check()


# --- Other ways to ask --------------------------------------------------------------------------------------


def test_all_methods_take_an_adapter(llm: LLM, folder: Path) -> None:
    adapters = [request(folder, 1), None, request(folder, 2)]
    prompts = PROMPTS[:3]

    def alone(number: int) -> LLM:
        """Return an LLM over weights that have the adapter."""
        model = models.build("llama")
        if adapters[number] is not None:
            context = merged(model, folder / str(adapters[number].lora_int_id))  # type: ignore[union-attr]
            context.__enter__()
        return LLM(model, num_blocks=200, block_size=4)

    beams = BeamSearchParams(beam_width=3, max_tokens=6)
    mixed_beams = llm.beam_search(prompts, beams, lora_request=adapters, use_tqdm=False)
    scores = llm.score_continuations(prompts, [[[5, 6, 7], [8]]] * 3, lora_request=adapters, use_tqdm=False)
    vectors = llm.embed(prompts, lora_request=adapters, use_tqdm=False)
    streamed: dict[str, list[int]] = {}
    for delta in llm.stream(prompts, GREEDY, lora_request=adapters):
        streamed.setdefault(delta.request_id, []).extend(delta.outputs[0].token_ids)
    for number, prompt in enumerate(prompts):
        with alone(number) as other:
            (searched,) = other.beam_search(prompt, beams, use_tqdm=False)
            assert [b.token_ids for b in searched.outputs] == [b.token_ids for b in mixed_beams[number].outputs]
            ((first, second),) = other.score_continuations(prompt, [[[5, 6, 7], [8]]], use_tqdm=False)
            assert [each.logprob for each in scores[number]] == pytest.approx([first.logprob, second.logprob], abs=1e-3)
            (vector,) = other.embed(prompt, use_tqdm=False)
            assert vectors[number].outputs.embedding == pytest.approx(vector.outputs.embedding, abs=1e-3)
            assert streamed[str(number)] == other.generate(prompt, GREEDY, use_tqdm=False)[0].outputs[0].token_ids


def test_scores_of_texts(folder: Path) -> None:
    with LLM("evals/models/stdlib-lm", pooler_config=PoolerConfig(), **SETTINGS) as llm:
        path = folder / "stdlib"
        llm.apply_model(lambda model: write(path, model, 5))
        (plain,) = llm.score("import os", "import sys", use_tqdm=False)
        (adapted,) = llm.score("import os", "import sys", use_tqdm=False, lora_request=LoRARequest("a", 1, str(path)))
        assert plain.outputs.score != adapted.outputs.score


def test_a_task_of_an_event_loop(folder: Path, tmp_path: Path) -> None:
    """Adapters are loaded beside the steps; a broken one ends its own request."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "adapter_config.json").write_text("{}")

    async def text(llm: AsyncLLM, prompt: list[int], adapter: LoRARequest | None) -> list[int]:
        return [each async for each in llm.generate(prompt, GREEDY, lora_request=adapter)][-1].outputs[0].token_ids

    async def run() -> None:
        llm = AsyncLLM(models.build("llama"), **SETTINGS)
        try:
            adapters = [None, *(request(folder, number) for number in range(1, 5))]
            found = await asyncio.gather(*map(text, [llm] * 5, PROMPTS, adapters))
            for prompt, adapter, each in zip(PROMPTS, adapters, found, strict=True):
                assert each == expected(prompt, None if adapter is None else Path(adapter.lora_path))
            for call in (text(llm, [1, 2], request(tmp_path, 7)), llm.add_lora(request(tmp_path, 7))):
                with pytest.raises(ModelError, match="there is no such folder"):
                    await call
            with pytest.raises(ModelError, match="broken"):
                await text(llm, [1, 2], LoRARequest("b", 8, str(tmp_path / "broken")))
            with pytest.raises(ConfigError, match="lora_int_id is 1, which 'adapter-1' has already"):
                await text(llm, [1, 2], LoRARequest("b", 1, str(folder / "2")))
            assert await llm.add_lora(request(folder, 5)) and await llm.list_loras() == {1, 2, 3, 4, 5}
            assert await llm.pin_lora(5) and await llm.remove_lora(5) and not await llm.pin_lora(5)
            made = await llm.update_lora("policy", tensors(models.build("llama"), 3, rank=3), config(rank=3))
            assert await text(llm, PROMPTS[0], made) == expected(PROMPTS[0], folder / "3")
            vector = [each async for each in llm.encode([5, 6, 7], lora_request=made)][-1].outputs.data
            other = [each async for each in llm.encode([5, 6, 7])][-1].outputs.data
            assert not torch.equal(vector, other)
        finally:
            llm.shutdown()

    asyncio.run(asyncio.wait_for(run(), 100))


class Gate:
    """Makes an engine's reads of adapters wait."""

    def __init__(self, adapters: AdapterRegistry) -> None:
        self._read, self.is_open, self.num_waiting = adapters._read_path, threading.Event(), 0
        adapters._read_path = self.read

    def read(self, path: str) -> LoraAdapter:
        self.num_waiting += 1
        assert self.is_open.wait(60)
        self.num_waiting -= 1
        return self._read(path)


async def text(llm: AsyncLLM, name: str, adapter: LoRARequest | None) -> tuple[list[int], str | None]:
    stream = llm.generate(PROMPTS[0], GREEDY, name, lora_request=adapter)
    last = [each async for each in stream][-1].outputs[0]
    return last.token_ids, last.finish_reason


def test_no_step_waits_for_a_new_adapter(folder: Path) -> None:
    """Requests that come later overtake those whose adapters are read, which can be aborted meanwhile."""
    running = LLM(models.build("llama"), **SETTINGS).engine
    assert running.adapters is not None
    gate = Gate(running.adapters)

    async def run() -> None:
        llm = AsyncLLM.from_engine(running)
        try:
            waiting = [asyncio.ensure_future(text(llm, str(number), request(folder, number))) for number in (3, 4)]
            call = asyncio.ensure_future(llm.add_lora(request(folder, 5)))
            while not gate.num_waiting:
                await asyncio.sleep(0.005)
            for _ in range(3):
                assert await text(llm, "base", None) == (expected(PROMPTS[0], None), "length")
            assert not call.done() and not any(each.done() for each in waiting)
            await llm.abort("4")
            gate.is_open.set()
            assert await waiting[0] == (expected(PROMPTS[0], folder / "3"), "length")
            assert (await waiting[1])[1] == "abort" and await call
            await llm.call("check")
        finally:
            gate.is_open.set()
            llm.shutdown()

    asyncio.run(asyncio.wait_for(run(), 180))


def test_no_step_waits_for_an_adapter_that_had_left_memory(folder: Path) -> None:
    running = LLM(models.build("llama"), **{**SETTINGS, "max_loras": 1, "max_cpu_loras": 1}).engine
    assert running.adapters is not None
    for number in (1, 2):
        running.add_lora(request(folder, number))
    gate = Gate(running.adapters)
    running.add_request("base", PROMPTS[0], GREEDY)
    running.step()
    running.add_request("1", PROMPTS[0], GREEDY, lora_request=request(folder, 1))
    done: dict[str, list[int]] = {}

    def step() -> None:
        for output in running.step():
            if output.finished:
                done[output.request_id] = output.outputs[0].token_ids

    while "base" not in done:
        step()
    before = running.stats()
    step()
    assert done == {"base": expected(PROMPTS[0], None)} and gate.num_waiting == 1
    assert running.stats().waits["adapter"] > before.waits.get("adapter", 0)
    gate.is_open.set()
    while running.has_unfinished_requests:
        step()
    assert done["1"] == expected(PROMPTS[0], folder / "1")
    running.check()
    running.shutdown()


@pytest.mark.long  # half of the time is the import of torch
def test_an_engine_in_another_process(tmp_path: Path) -> None:
    with LLM(models.STDLIB_LM, **SETTINGS) as offline:
        offline.apply_model(lambda model: write(tmp_path / "1", model, 1))
        (right,) = offline.generate("import", GREEDY, use_tqdm=False, lora_request=request(tmp_path, 1))
    llm = AsyncLLM(models.STDLIB_LM, engine_process=True, **SETTINGS)

    async def run() -> None:
        stream = llm.generate("import", GREEDY, lora_request=request(tmp_path, 1))
        last = [each async for each in stream][-1]
        assert last.outputs[0].text == right.outputs[0].text
        assert last.lora_request == request(tmp_path, 1) and last.lora_version == 1
        with pytest.raises(ModelError, match="there is no such folder"):
            await anext(llm.generate("import", GREEDY, lora_request=request(tmp_path, 2)))
        with pytest.raises(ModelError, match="there is no such folder"):
            await llm.add_lora(request(tmp_path, 2))
        assert await llm.list_loras() == {1} and await llm.remove_lora(1) and await llm.list_loras() == set()
        stats = (await llm.stats()).adapters
        assert stats is not None and stats.num_reads == 1

    try:
        asyncio.run(asyncio.wait_for(run(), 100))
    finally:
        llm.shutdown()


# --- Files that are gone ------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["replaced", "removed"])
def test_a_lost_file_ends_its_requests_alone(tmp_path: Path, how: str) -> None:
    """Host memory has room for one adapter, so that the second must be read again when its turn comes."""
    model = models.build("llama")
    for number in (1, 2):
        write(tmp_path / str(number), model, number)
    right = expected(PROMPTS[1], tmp_path / "2")
    with LLM(model, **{**SETTINGS, "max_loras": 1, "max_cpu_loras": 1}) as llm:
        running = llm.engine
        running.add_request("lost", PROMPTS[0], GREEDY, lora_request=request(tmp_path, 1))
        running.add_request("also", PROMPTS[0], SamplingParams(n=2, max_tokens=4), lora_request=request(tmp_path, 1))
        running.add_request("there", PROMPTS[1], GREEDY, lora_request=request(tmp_path, 2))
        running.add_request("base", PROMPTS[1], GREEDY)
        if how == "replaced":
            write(tmp_path / "1", model, 3)
        else:
            (tmp_path / "1" / "adapter_model.safetensors").unlink()
        done = {}
        while running.has_unfinished_requests:
            done.update({each.request_id: each for each in running.step() if each.finished})
            running.check()
        assert done["there"].outputs[0].token_ids == right
        assert done["base"].outputs[0].token_ids == expected(PROMPTS[1], None)
        said = {"replaced": "its files were replaced", "removed": "there is no file adapter_model.safetensors"}
        for name in ("lost", "also"):
            for each in done[name].outputs:
                assert each.finish_reason == "error" and each.error is not None and said[how] in each.error
        if how == "removed":
            with pytest.raises(ModelError, match=r"there is no file adapter_model.safetensors"):
                llm.generate(PROMPTS[0], lora_request=request(tmp_path, 1))
        assert tokens(llm, PROMPTS[1], request(tmp_path, 2)) == [right]


def test_pins_and_their_adapters(llm: LLM, tmp_path: Path, folder: Path) -> None:
    name = llm.pin_prefix(PROMPTS[3], lora_request=request(folder, 1))
    outputs = llm.generate([PROMPTS[3]] * 2, GREEDY, use_tqdm=False, lora_request=[request(folder, 1), None])
    assert [each.num_cached_tokens for each in outputs] == [11, 0]
    assert llm.save_prefix(tmp_path / "p.safetensors", PROMPTS[3], lora_request=request(folder, 2)) == 12
    with pytest.raises(ConfigError, match="each pin has its own adapter"):
        llm.save_prefix(tmp_path / "q.safetensors", lora_request=request(folder, 2))
    llm.remove_lora(1)
    llm.update_weights({})  # pins are computed again
    assert llm.generate(PROMPTS[3], GREEDY, use_tqdm=False, lora_request=request(folder, 1))[0].num_cached_tokens == 11
    llm.unpin_prefix(name)


def test_saved_prefixes_know_their_adapter(llm: LLM, tmp_path: Path, folder: Path) -> None:
    path, adapters = tmp_path / "p.safetensors", [request(folder, 1), None, request(folder, 2)]
    assert llm.save_prefix(path, PROMPTS[3], lora_request=adapters[0]) == 12
    with LLM(models.build("llama"), **SETTINGS) as other:
        with pytest.raises(ModelError, match="another adapter"):
            other.load_prefix(path, lora_request=adapters[2])
        other.load_prefix(path, lora_request=adapters[0])
        outputs = other.generate([PROMPTS[3]] * 3, GREEDY, use_tqdm=False, lora_request=adapters)
        assert [each.num_cached_tokens for each in outputs] == [11, 0, 0]
        assert outputs[0].outputs[0].token_ids == expected(PROMPTS[3], folder / "1")
    plain = LLM(models.build("llama"), **{**SETTINGS, "enable_lora": False})
    with pytest.raises(ConfigError, match="enable_lora"):
        plain.load_prefix(path)


# --- Interrupts and threads ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 80))])
def test_an_interrupt_at_any_line_leaves_the_adapters_whole(tmp_path: Path, folder: Path, seed: int) -> None:
    pick = random.Random(seed)
    llm = LLM(models.build("llama"), **{**SETTINGS, "max_loras": 1, "max_cpu_loras": 3})
    for number in (1, 2, 3):
        write(tmp_path / str(number), models.build("llama"), number, rank=number)
    within = HERE + pick.choice(["", "", "/engine/adapters.py", "/scheduling/adapter_turns.py"])
    with interrupt_at(pick.randint(1, 12000 if within == HERE else 400), within) as where, suppress(KeyboardInterrupt):
        tokens(llm, PROMPTS[:4], [request(tmp_path, 1), request(tmp_path, 2), None, request(tmp_path, 3)])
        write(tmp_path / "1", models.build("llama"), 4, rank=4)
        llm.remove_lora(2)
        llm.pin_lora(3)
        tokens(llm, PROMPTS[:3], [request(tmp_path, 1), request(tmp_path, 2), request(tmp_path, 1)])
    write(tmp_path / "1", models.build("llama"), 5, rank=5)
    adapters = [request(tmp_path, 1), request(tmp_path, 2), None, request(tmp_path, 3)]
    paths = [folder / "5", folder / "2", None, folder / "3"]
    right = [expected(prompt, path) for prompt, path in zip(PROMPTS[:4], paths, strict=True)]
    assert tokens(llm, PROMPTS[:4], adapters) == right, where
    llm.engine.check()
    llm.shutdown()


# --- Memory -------------------------------------------------------------------------------------------------


def test_an_adapter_of_a_training_loop(llm: LLM, folder: Path) -> None:
    model, prompt = models.build("llama"), PROMPTS[1]
    with pytest.raises(ConfigError, match="config is None, but there is no adapter 'policy'"):
        llm.update_lora("policy", tensors(model, 1))
    with pytest.raises(ModelError, match="policy"):
        llm.update_lora("policy", {"x": torch.zeros(2)}, config())
    assert llm.list_loras() == set()
    policy = llm.update_lora("policy", tensors(model, 1, rank=1), config(rank=1))
    stream = llm.stream(prompt, GREEDY, lora_request=policy)
    first = next(stream)
    assert first.lora_version == 1
    for version, number in enumerate((2, 3), 2):
        assert llm.update_lora("policy", tensors(model, number, rank=number), config(rank=number)) == policy
        (output,) = llm.generate(prompt, GREEDY, use_tqdm=False, lora_request=policy)
        assert output.lora_version == version
        assert output.outputs[0].token_ids == expected(prompt, folder / str(number))
    llm.update_lora("policy", tensors(model, 9, rank=3))  # the config stays
    rest = [*first.outputs[0].token_ids, *(token for each in stream for token in each.outputs[0].token_ids)]
    assert rest == expected(prompt, folder / "1")
    assert llm.engine.adapters is not None and len(llm.engine.adapters.named) == 1
    llm.update_lora("policy", tensors(model, 9, rank=3))
    assert not llm.engine.adapters.has_stale


def test_adapters_of_files_and_memory_are_pinned(llm: LLM, folder: Path) -> None:
    llm.add_lora(request(folder, 1))
    assert llm.pin_lora(1) and not llm.pin_lora(2)
    llm.add_lora(request(folder, 2))
    with pytest.raises(ConfigError, match="1 adapters are pinned, expected at most 1"):
        llm.pin_lora(2)
    tokens(llm, [PROMPTS[0]] * 5, [request(folder, number) for number in (2, 3, 4, 5, 6)])
    assert llm.engine.executor.has_adapter(llm.engine.adapters.named["adapter-1"].content)  # type: ignore[union-attr]


# --- Refusals -----------------------------------------------------------------------------------------------


def test_an_engine_without_adapters_refuses_them(folder: Path) -> None:
    running = engine()
    for call in (
        lambda: running.add_request("a", [1, 2], lora_request=request(folder, 1)),
        lambda: running.prepare(None, lora_request=request(folder, 1)),
        lambda: running.add_lora(request(folder, 1)),
        lambda: running.remove_lora(1),
        running.list_loras,
        lambda: running.pin_lora(1),
        lambda: running.update_lora("a", {}),
        lambda: running.pin_prefix([5] * 8, lora_request=request(folder, 1)),
    ):
        with pytest.raises(ConfigError, match="the engine was made without adapters; make it with enable_lora=True"):
            call()  # type: ignore[no-untyped-call]
    assert not running.has_unfinished_requests
    with pytest.raises(ConfigError, match="enable_lora"):
        engine(FakeModel(), enable_lora=True)


def test_wrong_arguments(llm: LLM, folder: Path) -> None:
    for given, says in (
        ("adapter-1", "generate: lora_request is 'adapter-1', expected a LoRARequest, one for each of 2 prompts"),
        ([request(folder, 1)], "generate: lora_request has 1 entries, expected one for each of 2"),
        (["a", None], "lora_request is 'a', expected a LoRARequest or None"),
    ):
        with pytest.raises(ConfigError, match=says):
            llm.generate(PROMPTS[:2], GREEDY, use_tqdm=False, lora_request=given)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="add_lora: lora_request is 3, expected a LoRARequest"):
        llm.add_lora(3)  # type: ignore[arg-type]
    big = LoRARequest("big", 7, str(folder / "big"))
    write(folder / "big", models.build("llama"), 1, rank=17)
    with pytest.raises(ModelError, match=r"rank 17 .*expected at most 16 \(max_lora_rank\)"):
        llm.generate(PROMPTS[0], lora_request=big)
    assert llm.list_loras() == set() and not llm.engine.has_unfinished_requests


def test_shutdown_ends_the_reader(folder: Path) -> None:
    llm = LLM(models.build("llama"), **SETTINGS)
    tokens(llm, [PROMPTS[0]] * 6, [request(folder, number) for number in range(1, 7)])
    llm.shutdown()
    for each in threading.enumerate():
        if each.name == "torchpaged-adapters":  # it has nothing more to do, and may be at its last line
            each.join(60)
            assert not each.is_alive()
    for call in (llm.list_loras, lambda: llm.add_lora(request(folder, 1)), lambda: llm.remove_lora(1)):
        with pytest.raises(EngineError):
            call()


def test_a_model_with_an_active_adapter_works_as_before() -> None:
    peft = pytest.importorskip("peft")
    model: PreTrainedModel = models.build("llama")
    adapted = peft.get_peft_model(model, peft.LoraConfig(r=2, target_modules=["q_proj"], init_lora_weights=False))
    right = models.greedy(adapted, [PROMPTS[0]], 6)
    with LLM(model, num_blocks=100, block_size=4) as llm:
        outputs = llm.generate(PROMPTS[0], SamplingParams(temperature=0, max_tokens=6), use_tqdm=False)
        assert [outputs[0].outputs[0].token_ids] == right
