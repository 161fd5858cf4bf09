"""Weights that change between two steps: each token has the name of the weights that drew it."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests import adapters, models
from tests.engine.test_interrupts import interrupt_at
from tests.integrations.family_models import SPECIAL
from tests.training.versions import Versions, versions
from torchpaged import LLM, BeamSearchParams, RequestOutput, SamplingParams
from torchpaged.async_engine.client import merge
from torchpaged.engine import llm_engine
from torchpaged.engine import weights as engine_weights
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.errors import ConfigError, EngineError
from torchpaged.integrations.transformers import weights as transformers_weights
from torchpaged.sampling_params import RequestOutputKind
from torchpaged.weights.transfer import SharedWeights

PROMPT = models.prompts([21], seed=3)[0]
PARAMS = SamplingParams(temperature=1.0, seed=5, max_tokens=9, logprobs=0, ignore_eos=True)


def engine_of(known: Versions, **settings: Any) -> LLMEngine:
    llm = LLM(known.model, dtype="float32", **{"num_blocks": 80, "block_size": 8, **settings})
    return llm.engine


def finish(engine: LLMEngine) -> dict[str, RequestOutput]:
    found = {}
    while engine.has_unfinished_requests:
        found.update((output.request_id, output) for output in engine.step())
        engine.check()
    return found


def update(engine: LLMEngine, known: Versions, number: int, *, reset: bool = False) -> None:
    count = engine.update_weights(known.weights[number], reset_running_requests=reset)
    assert count == len(known.weights[number])
    known.note(engine.weight_version, number, reset=reset)
    engine.check()


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("reset", [False, True])
def test_in_the_middle_of_a_text(reset: bool, optimize: bool) -> None:
    known = versions()
    engine = engine_of(known, optimize=optimize)
    engine.add_request("a", PROMPT, PARAMS)
    for number in (1, 2):
        for _ in range(3):
            engine.step()
        update(engine, known, number, reset=reset)
    (output,) = finish(engine).values()
    completion = output.outputs[0]
    assert [each.version for each in completion.weight_versions or ()] == ["default", "1", "2"]
    known.require_same(PROMPT, completion)


def test_a_step_in_flight_belongs_to_the_old_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that schedules a step while the last one runs finishes both before the weights change."""
    known = versions()
    engine = engine_of(known)
    engine.pipeline.overlaps = True
    engine.add_request("a", PROMPT, PARAMS)
    for _ in range(3):
        engine.step()
    update(engine, known, 1)
    assert not engine.pipeline._in_flight
    (output,) = finish(engine).values()
    known.require_same(PROMPT, output.outputs[0])


def test_blocks_of_older_weights_are_not_found() -> None:
    """Neither those of a text under way, nor those that it fills later; after the next preemption it shares again."""
    known = versions()
    engine = engine_of(known)
    engine.add_request("a", PROMPT, SamplingParams(temperature=0, max_tokens=30, ignore_eos=True))
    for _ in range(4):
        engine.step()
    update(engine, known, 1)
    for _ in range(12):
        engine.step()
    (output,) = engine.step()
    text = [*PROMPT, *output.outputs[0].token_ids]
    engine.add_request("b", text, SamplingParams(temperature=0, max_tokens=2, ignore_eos=True, logprobs=0))
    found = finish(engine)
    assert found["b"].num_cached_tokens == 0
    known.require_same(text, found["b"].outputs[0])
    engine.add_request("c", text, SamplingParams(temperature=0, max_tokens=2, ignore_eos=True, logprobs=0))
    again = finish(engine)["c"]
    assert again.num_cached_tokens == len(text) // 8 * 8
    known.require_same(text, again.outputs[0])


def test_every_kind_of_request_names_its_weights() -> None:
    known = versions()
    engine = engine_of(known)
    engine.add_request("one", PROMPT, PARAMS)
    engine.add_request("beams", PROMPT, BeamSearchParams(beam_width=3, max_tokens=8, ignore_eos=True))
    engine.add_request("n", PROMPT, SamplingParams(n=3, seed=1, max_tokens=8, logprobs=0, ignore_eos=True))
    for number in (1, 2, 3):
        engine.step()
        engine.step()
        update(engine, known, number)
    found = finish(engine)
    for output in found.values():
        for completion in output.outputs:
            assert len(set(known.names(completion))) > 2
            if completion.logprobs is not None:
                known.require_same(PROMPT, completion)
    # What comes afterwards has one name.
    engine.add_request("late", PROMPT, PARAMS)
    assert set(known.names(finish(engine)["late"].outputs[0])) == {"3"}


def test_names() -> None:
    known = versions()
    llm = LLM(known.model, num_blocks=60)
    assert llm.get_weight_version() == "default"
    llm.update_weights(known.weights[1], version="step-7")
    assert llm.get_weight_version() == "step-7"
    with pytest.raises(ConfigError, match="version is 'step-7', which the weights have already"):
        llm.update_weights(known.weights[2], version="step-7")
    llm.update_weight_version("other")
    (output,) = llm.generate([PROMPT], PARAMS, use_tqdm=False)
    assert output.outputs[0].weight_versions == [("other", 0, 9)]
    # A change behind its back has a name too.
    known.model.load_state_dict(known.weights[2])
    (output,) = llm.generate([PROMPT], PARAMS, use_tqdm=False)
    assert output.outputs[0].weight_versions == [("3", 0, 9)]
    with pytest.raises(ConfigError, match="set_weight_version: version is None"):
        llm.update_weight_version(None)  # type: ignore[arg-type]


def test_streams_of_an_llm() -> None:
    known = versions()
    llm = LLM(known.model, num_blocks=60)
    outputs = []
    for count, output in enumerate(llm.stream([PROMPT], PARAMS)):
        outputs.append(output.outputs[0])
        if count == 3:
            llm.update_weights(known.weights[1])
            known.note("1", 1, reset=False)
    assert outputs[3].weight_versions is None
    assert outputs[-1].weight_versions == [("default", 0, 4), ("1", 4, 9)]


# --- Errors and interrupts ----------------------------------------------------------------------------------


def bad(known: Versions, place: int) -> dict[str, torch.Tensor]:
    found = dict(known.weights[1])
    name = list(found)[place]
    found[name] = torch.zeros(*found[name].shape, 1)
    return found


def raises_after(known: Versions, count: int) -> Iterator[tuple[str, torch.Tensor]]:
    for place, item in enumerate(known.weights[1].items()):
        if place == count:
            raise OSError("the connection is lost")
        yield item


@pytest.mark.parametrize("owned", [False, True])
def test_an_error_leaves_the_old_weights_whole(owned: bool) -> None:
    known = versions()
    model: Any = models.STDLIB_LM if owned else known.model
    llm = LLM(model, num_blocks=60, dtype="float32", optimize=owned)
    if owned:
        other = LLM(models.STDLIB_LM, num_blocks=8, dtype="float32", optimize=False).engine.model.model
        known.weights[1] = {name: torch.zeros_like(value) for name, value in other.state_dict().items()}
    stream = llm.stream([PROMPT], PARAMS)
    whole = llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0].token_ids
    first = next(stream).outputs[0].token_ids
    for weights, error, says in (
        (bad(known, 6), ConfigError, r"update_weights: .* is \(.*, 1\), expected a tensor"),
        (raises_after(known, 6), OSError, "the connection is lost"),
        ({next(iter(known.weights[1])): torch.ones(3, dtype=torch.long)}, ConfigError, "expected a tensor"),
    ):
        with pytest.raises(error, match=says):
            llm.update_weights(weights)
        assert llm.get_weight_version() == "default"
        assert llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0].token_ids == whole
    assert first + [token for output in stream for token in output.outputs[0].token_ids] == whole


def broken(known: Versions, number: float, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """Return weights, one number of which is not finite."""
    name, values = next(iter(known.weights[1].items()))
    values = values.to(dtype, copy=True)
    values.view(-1)[-1] = number
    return {**known.weights[1], name: values}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float8_e5m2])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_finite_are_refused(number: float, dtype: torch.dtype, tmp_path: Path) -> None:
    """Unless they are asked for; of an instance, a part of an update, and a folder."""
    known = versions()
    llm = LLM(known.model, num_blocks=60)
    whole = llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0].token_ids
    weights = broken(known, number, dtype)
    name = next(iter(weights))
    says = f"update_weights: {name} has NaN or infinities, expected finite numbers; allow_non_finite=True"
    with pytest.raises(ConfigError, match=says):
        llm.update_weights(weights)
    if dtype is not torch.float8_e5m2:  # which shared memory does not take
        llm.start_weight_update()
        with SharedWeights(weights) as shared, pytest.raises(ConfigError, match=says):
            llm.update_weights({"update_info": shared.update_info})
    assert llm.get_weight_version() == "default"
    assert llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0].token_ids == whole
    other = LLM(known.model, num_blocks=60)
    if dtype is torch.float32:
        known.model.save_pretrained(tmp_path, state_dict=dict(weights))
        with pytest.raises(ConfigError, match=says):
            other.update_weights(str(tmp_path))
    assert other.update_weights(weights, allow_non_finite=True) == len(weights) > 3


def test_a_copy_that_fails_stops_the_engine_until_all_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    known = versions()
    llm = LLM(known.model, num_blocks=60)

    def fail(targets: list[torch.Tensor], values: list[torch.Tensor]) -> None:
        targets[0].copy_(values[0])
        raise RuntimeError("the device is lost")

    with monkeypatch.context() as patch:
        patch.setattr(torch, "_foreach_copy_", fail)
        with pytest.raises(RuntimeError, match="the device is lost"):
            llm.update_weights(known.weights[1])
    with pytest.raises(EngineError, match=r"some weights are new and some are old.*the device is lost.*update_weights"):
        llm.generate([PROMPT], PARAMS, use_tqdm=False)
    llm.update_weights(known.weights[2])
    known.note("1", 2, reset=False)
    known.require_same(PROMPT, llm.generate([PROMPT], PARAMS, use_tqdm=False)[0].outputs[0])


# --- At random ----------------------------------------------------------------------------------------------

SETTINGS: list[dict[str, Any]] = [
    {},
    {"optimize": True},
    {"max_num_seqs": 3},
    {"enable_prefix_caching": False},
    {"num_blocks": 300, "block_size": 4},
]


def random_run(seed: int) -> int:
    """Run random requests, aborts and updates, and check what each token's weights would have said of it."""
    pick = random.Random(seed)
    known = versions()
    engine = engine_of(known, **pick.choice(SETTINGS))
    engine.pipeline.overlaps = pick.random() < 0.3
    prompts: dict[str, list[int]] = {}
    ended: dict[str, RequestOutput] = {}
    for place in range(pick.randint(12, 30)):
        what = pick.random()
        if what < 0.3:
            name = f"r{place}"
            prompts[name] = PROMPT[: pick.randint(1, 21)] + [pick.randrange(100) for _ in range(pick.randint(0, 2))]
            greedy = pick.random() < 0.3
            params = SamplingParams(
                n=1 if greedy else pick.choice([1, 1, 2]),
                temperature=0.0 if greedy else 1.0,
                seed=place,
                max_tokens=pick.randint(1, 12),
                logprobs=0,
            )
            engine.add_request(name, prompts[name], params)
        elif what < 0.4 and engine.unfinished_requests():
            last = engine.abort(pick.choice(engine.unfinished_requests()))
            if last is not None:
                ended[last.request_id] = last
        elif what < 0.6:
            update(engine, known, pick.randrange(4), reset=pick.random() < 0.4)
        else:
            for _ in range(pick.randint(1, 4)):
                if engine.has_unfinished_requests:
                    ended.update((each.request_id, each) for each in engine.step())
    ended.update(finish(engine))
    count = 0
    for name, output in ended.items():
        for completion in output.outputs:
            assert completion.finish_reason in ("stop", "length", "abort")
            known.require_same(prompts[name], completion)
            count += len(completion.token_ids)
    return count


def test_random_runs() -> None:
    assert sum(map(random_run, range(12))) > 200


@pytest.mark.long
def test_300_random_runs() -> None:
    assert sum(map(random_run, range(100, 400))) > 10_000


@pytest.mark.parametrize("within", [engine_weights.__file__, transformers_weights.__file__, llm_engine.__file__])
def test_ctrl_c_at_every_line_of_an_update(within: str) -> None:
    """The old weights with their name, or the new ones with theirs; texts under way go on."""
    known = versions(count=2)
    engine = engine_of(known)
    number, line, where = 0, 0, ["begins"]
    while where:
        line += 1 + line // 8
        engine.add_request("a", PROMPT, PARAMS)
        for _ in range(3):
            engine.step()
        before = engine.weight_version
        with interrupt_at(line, within) as where, suppress(KeyboardInterrupt):
            engine.update_weights(known.weights[1 - number], reset_running_requests=True)
        if engine.weight_version != before:
            number = 1 - number
            known.note(engine.weight_version, number, reset=True)
        own = engine.model.weights.module.state_dict()
        assert all(torch.equal(own[name], value) for name, value in known.weights[number].items()), where
        output = finish(engine)["a"]
        if output.outputs[0].finish_reason == "error":  # tables were being changed
            assert "interrupt" in str(output.outputs[0].error), where
        else:
            known.require_same(PROMPT, output.outputs[0])
    assert line > 10


def test_outputs_that_are_merged_keep_their_versions() -> None:
    """A task that reads late gets one output of several, with the names of all tokens."""
    known = versions()
    engine = engine_of(known)
    engine.add_request("a", PROMPT, replace(PARAMS, output_kind=RequestOutputKind.DELTA))
    outputs = engine.step() + engine.step()
    update(engine, known, 1)
    while engine.has_unfinished_requests:
        outputs += engine.step()
    first, *others = outputs
    for each in others:
        merge(first, each)
    assert known.names(first.outputs[0]) == ["default"] * 2 + ["1"] * 7


def test_no_receipt_of_an_answer_of_two_weights() -> None:
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    from torchpaged.receipts import ReceiptError, SigningKey, make_receipts

    llm = LLM(models.STDLIB_LM, num_blocks=60)
    params = SamplingParams(temperature=0, max_tokens=6, ignore_eos=True)
    outputs = llm.generate([PROMPT], params, use_tqdm=False)
    assert make_receipts(llm, outputs, params, SigningKey.generate())
    llm.update_weight_version("other")
    with pytest.raises(ReceiptError, match="the weights have changed since the answer, or have another name"):
        make_receipts(llm, outputs, params, SigningKey.generate())


def test_adapters_stay_on_new_weights(tmp_path: Path) -> None:
    """A text with an adapter goes on with it, over the new weights."""
    known = versions()
    peft = adapters.save_merged(known.model, tmp_path)
    change = {name: value - known.weights[0][name] for name, value in peft.state_dict().items()}
    merged = copy.deepcopy(known)
    merged.adopt([{name: value + change[name] for name, value in each.items()} for each in known.weights])
    llm = LLM(known.model, dtype="float32", num_blocks=80, enable_lora=True, max_lora_rank=8)
    request = adapters.request("one", tmp_path)
    engine = llm.engine
    for reset in (False, True):
        engine.add_request("with", PROMPT, PARAMS, lora_request=request)
        engine.add_request("without", PROMPT, PARAMS)
        for _ in range(4):
            engine.step()
        for each in (known, merged):
            each.note("1" if not reset else "2", 1 + reset, reset=reset)
        engine.update_weights(known.weights[1 + reset], reset_running_requests=reset)
        found = finish(engine)
        known.require_same(PROMPT, found["without"].outputs[0])
        merged.require_same(PROMPT, found["with"].outputs[0])


def test_states_of_recurrent_layers_are_kept_or_computed_again() -> None:
    known = versions("mamba2", **SPECIAL["mamba2"])
    engine = engine_of(known, num_blocks=200)
    for reset in (False, True):
        engine.add_request("a", PROMPT, PARAMS)
        for _ in range(4):
            engine.step()
        update(engine, known, 1 + reset, reset=reset)
        completion = finish(engine)["a"].outputs[0]
        assert len(set(known.names(completion))) == 2
        if reset:  # transformers has no cache of states that goes on with other weights
            known.require_same(PROMPT, completion)


def test_an_int8_cache_is_computed_again() -> None:
    """Its keys are scaled by the weights: after an update a text is as if its tokens had been the prompt."""
    known = versions()
    engine = engine_of(known, kv_cache_dtype="int8")
    greedy = SamplingParams(temperature=0, max_tokens=9, ignore_eos=True)
    engine.add_request("a", PROMPT, greedy)
    for _ in range(4):
        engine.step()
    update(engine, known, 1)
    completion = finish(engine)["a"].outputs[0]
    (start,) = [each.start for each in completion.weight_versions or () if each.version == "1"]
    fresh = engine_of(known, kv_cache_dtype="int8")
    fresh.update_weights(known.weights[1])
    fresh.add_request("b", [*PROMPT, *completion.token_ids[:start]], replace(greedy, max_tokens=9 - start))
    assert finish(fresh)["b"].outputs[0].token_ids == completion.token_ids[start:]


def test_a_text_that_is_swapped_keeps_its_keys() -> None:
    """Blocks on the host are of the old weights too: they come back to their text, and to no other."""
    known = versions()
    engine = engine_of(known, num_blocks=18, block_size=4, swap_space=0.01, preemption_mode="swap", max_num_seqs=4)
    prompts = {f"r{place}": [*PROMPT[:12], 7 + place] for place in range(4)}
    params = replace(PARAMS, max_tokens=24)
    for name, prompt in prompts.items():
        engine.add_request(name, prompt, params)
    outputs, updates = {}, 0
    while engine.has_unfinished_requests:
        outputs.update((each.request_id, each) for each in engine.step())
        engine.check()
        if engine.stats().num_swapped and updates < 3:
            updates += 1
            update(engine, known, updates)
    stats = engine.stats()
    assert updates and stats.num_preemptions == stats.num_swaps > 0, "none was computed again"
    for name, output in outputs.items():
        known.require_same(prompts[name], output.outputs[0])
    engine.add_request("late", prompts["r0"], params)
    late = finish(engine)["late"]
    assert set(known.names(late.outputs[0])) == {engine.weight_version}
    known.require_same(prompts["r0"], late.outputs[0])
