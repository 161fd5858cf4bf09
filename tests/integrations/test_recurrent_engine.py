"""Engines over models with recurrent layers, through `LLM`.

test_recurrent_modules.py compares every logit, tests/engine/test_random_states.py runs them through random faults,
forks and swaps, tests/scheduling/test_states.py has the rules of slots.
"""

from __future__ import annotations

import copy
import functools
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoTokenizer, PreTrainedModel

from tests import models
from tests.execution.test_cuda_graphs import capturing
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM, BeamSearchParams, SamplingParams, cli
from torchpaged.errors import ConfigError, ModelError
from torchpaged.execution.cache_sizing import slot_bytes
from torchpaged.execution.export import export
from torchpaged.integrations.transformers import adapter
from torchpaged.utils.huge_pages import can_discard

LENGTHS = (19, 70, 1, 129)
COUNT = 20  # transformers' own take a tenth of a second each
GREEDY = SamplingParams(temperature=0, max_tokens=COUNT, ignore_eos=True)
# Attention and delta rule; both in each layer; no attention at all.
KINDS = ("qwen3_next", "falcon_h1", "mamba2")


@functools.cache
def original(kind: str) -> PreTrainedModel:
    return models.build(kind, seed=3, **SPECIAL[kind])


def engine(kind: str, **settings: Any) -> LLM:
    return LLM(
        copy.deepcopy(original(kind)), **{"num_blocks": 200, "max_model_len": 256, "max_num_seqs": 8, **settings}
    )


@functools.cache
def expected(kind: str) -> list[list[int]]:
    """Return transformers' own tokens."""
    return models.greedy(original(kind), models.prompts(LENGTHS), COUNT)


def tokens(llm: LLM, params: SamplingParams = GREEDY) -> list[list[int]]:
    outputs = llm.generate(models.prompts(LENGTHS), params, use_tqdm=False)
    llm.engine.check()
    return [completion.token_ids for output in outputs for completion in output.outputs]


SETTINGS: dict[str, dict[str, Any]] = {
    "whole": {},
    "chunked": {"max_num_batched_tokens": 48, "max_num_seqs": 3},
    "short of slots": {"num_state_slots": 4, "max_num_batched_tokens": 100, "async_scheduling": True},
}
CASES = [(kind, name) for kind in KINDS for name in SETTINGS]
QUICK = [("qwen3_next", "chunked"), ("falcon_h1", "whole"), ("mamba2", "short of slots")]


@pytest.mark.parametrize(
    ("kind", "name"), [pytest.param(*case, marks=[] if case in QUICK else pytest.mark.long) for case in CASES]
)
def test_tokens_are_those_of_generate(kind: str, name: str) -> None:
    settings = SETTINGS[name]
    llm = engine(kind, **settings)
    assert tokens(llm) == expected(kind)
    assert tokens(llm) == expected(kind)  # the second time from the cache
    assert llm.stats().cache.num_hit_tokens >= 64 or "num_state_slots" in settings


def test_decode_steps_as_graphs() -> None:
    llm = engine("falcon_h1")
    steps = capturing(llm)
    assert tokens(llm) == expected("falcon_h1")
    assert len(steps) > 15


def test_forks_and_beams() -> None:
    """Completions share the slots of their prompt until each has its own."""
    llm = engine("falcon_h1")
    prompt = models.prompts([70])[0]
    drawn = SamplingParams(n=3, temperature=1.0, seed=5, max_tokens=20)
    alone = [
        completion.token_ids
        for completion in engine("falcon_h1", enable_prefix_caching=False)
        .generate([prompt], drawn, use_tqdm=False)[0]
        .outputs
    ]
    assert [each.token_ids for each in llm.generate([prompt], drawn, use_tqdm=False)[0].outputs] == alone
    beams = llm.beam_search([prompt], BeamSearchParams(beam_width=3, max_tokens=6))[0]
    with torch.inference_mode():
        wanted = original("falcon_h1").generate(
            torch.tensor([prompt]), max_new_tokens=6, num_beams=3, num_return_sequences=3, do_sample=False
        )
    assert [each.token_ids for each in beams.outputs] == wanted[:, len(prompt) :].tolist()


def test_a_prefix_in_a_file(tmp_path: Path) -> None:
    """States are saved too: another engine continues from the last boundary."""
    prompt = models.prompts([150])[0]
    first = engine("qwen3_next")
    first.save_prefix(tmp_path / "prefix", prompt)
    second = engine("qwen3_next")
    second.load_prefix(tmp_path / "prefix")
    output = second.generate([[*prompt, 5]], GREEDY, use_tqdm=False)[0]
    assert output.num_cached_tokens == 128
    assert output.outputs[0].token_ids == models.greedy(original("qwen3_next"), [[*prompt, 5]], COUNT)[0]


@pytest.mark.parametrize("settings", [{"kv_cache_dtype": "int8"}, {"kv_cache_dtype": "fp8"}, {"quantization": "int8"}])
def test_eight_bits_beside_float_states(settings: dict[str, Any]) -> None:
    """The types of keys, values and weights do not affect states."""
    llm = engine("qwen3_next", dtype="bfloat16", **settings)
    assert all(len(each) == COUNT for each in tokens(llm))
    pool = llm.engine.executor.runner.state_pool
    assert pool is not None and {cache.state.dtype for cache in pool.caches.values()} == {torch.float32}


def test_bytes_that_info_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    original("qwen3_next").config.save_pretrained(tmp_path)
    assert cli.main(["info", str(tmp_path)]) == 0
    state, tail = slot_bytes(adapter.wrap(copy.deepcopy(original("qwen3_next"))).spec)
    said = capsys.readouterr().out
    assert f"{state} bytes of states for each 64 tokens" in said and f"{tail} bytes of the tokens since" in said


def test_trace_of_the_demo(tmp_path: Path) -> None:
    """Its prefix of 39 tokens ends before the first stored state: it is not pinned."""
    tokenizer = AutoTokenizer.from_pretrained(models.STDLIB_LM)
    models.build("mamba2", **{**SPECIAL["mamba2"], "vocab_size": len(tokenizer)}).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    page = tmp_path / "trace.html"
    assert cli.main(["trace", "--model", str(tmp_path), "-o", str(page), "--max-tokens", "4"]) == 0
    assert "queue-again" in page.read_text()


def test_how_memory_is_divided() -> None:
    """At most half of it for running sequences' states, a quarter for cached states, the rest for blocks."""
    spec = adapter.wrap(copy.deepcopy(original("qwen3_next"))).spec
    state, tail = slot_bytes(spec)
    room = 100 * (state + tail)
    executor = engine("qwen3_next", num_blocks=None, kv_cache_memory_bytes=room, max_num_seqs=64).engine.executor
    slots = executor.slots
    assert slots.tails == 1 + 2 * 25 and slots.states > 1 + 2 * 25
    pool, cache = executor.runner.state_pool, executor.runner.kv_cache
    assert pool is not None and room * 0.9 < pool.nbytes + cache.nbytes <= room + state + tail
    few = engine("qwen3_next", enable_prefix_caching=False, max_num_seqs=4).engine.executor.slots
    assert few.states == few.tails == 1 + 2 * 4


@pytest.mark.skipif(not can_discard(), reason="Linux only")
@pytest.mark.parametrize("kind", ["qwen3_next", "mamba2"])
def test_slots_whose_memory_goes_back(kind: str) -> None:
    """Blocks, states and tails that were given back hold zeros, are not found, and are used again."""
    llm = engine(kind, num_blocks=None)
    assert tokens(llm) == expected(kind)
    keeper = llm.engine._keeper
    assert keeper is not None
    before = llm.stats().memory
    with keeper.lock:
        keeper._reclaim(everything=True)
        while keeper._reclaimer.has_more:
            keeper._reclaim(everything=True)
    after = llm.stats().memory
    least = sum(size for size in llm.engine.executor.block_bytes.values())  # block 0 and slots 0
    assert after.taken == least < before.taken and after.given_back == before.taken - least
    hits = llm.stats().cache.num_hit_tokens
    assert tokens(llm) == expected(kind)
    assert llm.stats().cache.num_hit_tokens == hits
    assert tokens(llm) == expected(kind)
    assert llm.stats().cache.num_hit_tokens > hits


def test_what_cannot_be() -> None:
    with pytest.raises(
        ConfigError, match="kv_cache_memory_bytes is 1000, which leaves 1,000 bytes; a sequence of Qwen3Next"
    ):
        engine("qwen3_next", num_blocks=None, kv_cache_memory_bytes=1000)
    with pytest.raises(ConfigError, match="num_state_slots is 2, expected an integer of 3 or more"):
        engine("qwen3_next", num_state_slots=2)
    with pytest.raises(ConfigError, match="num_state_slots is 8, but LlamaForCausalLM has no layer that keeps states"):
        LLM(models.build("llama"), tokenizer=None, num_blocks=8, num_state_slots=8)
    with pytest.raises(ConfigError, match=r"num_state_slots is 1000.*no such memory.*ask for less"):
        engine("qwen3_next", num_state_slots=10**13)
    with pytest.raises(ConfigError, match=r"state_checkpoint_memory is 2, expected \[0, 1\]"):
        engine("qwen3_next", state_checkpoint_memory=2)
    with pytest.raises(ModelError, match="export: Qwen3NextForCausalLM has recurrent layers"):
        export(adapter.wrap(copy.deepcopy(original("qwen3_next"))), "model.pt2")
