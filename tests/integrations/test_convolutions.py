"""Models with convolution layers, whose inputs are cached in a block group of their own.

test_families.py compares every logit of chunked and mixed batches; tests/engine/test_random_runs.py runs them through
random faults, forks and swaps.
"""

from __future__ import annotations

import copy
import functools
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, PreTrainedModel

from tests import models
from tests.integrations.family_models import SPECIAL
from tests.integrations.test_transformers import Sequences
from torchpaged import LLM, BeamSearchParams, SamplingParams, cli
from torchpaged.errors import ConfigError, ModelError
from torchpaged.execution.export import export
from torchpaged.integrations.transformers import adapter, convolution_modules
from torchpaged.kv_cache import KVCacheGroup, SlidingWindowSpec

LENGTHS = (19, 4, 11, 33, 1, 8, 26, 16)
GREEDY = SamplingParams(temperature=0, max_tokens=64, ignore_eos=True)


@functools.cache
def original() -> PreTrainedModel:
    """Return a model of four layers, two of either kind."""
    return models.build("lfm2", seed=3, **SPECIAL["lfm2"])


def engine(**settings: Any) -> LLM:
    return LLM(copy.deepcopy(original()), **{"block_size": 4, "num_blocks": 400, **settings})


@functools.cache
def expected() -> list[list[int]]:
    """Return the tokens of unchunked prompts; `test_eight_prompts_of_64_tokens` checks them."""
    return tokens(engine(enable_prefix_caching=False))


def tokens(llm: LLM, params: SamplingParams = GREEDY) -> list[list[int]]:
    outputs = llm.generate(models.prompts(LENGTHS), params, use_tqdm=False)
    llm.engine.check()
    return [completion.token_ids for output in outputs for completion in output.outputs]


def test_a_group_of_their_own() -> None:
    """Two layers of attention, whose pairs of tensors have room for the rows of two convolutions."""
    spec = adapter.wrap(copy.deepcopy(original())).spec
    assert {i: shape.convolution for i, shape in spec.layers.items()} == {0: True, 1: False, 2: True, 3: False}
    runner = engine().engine.executor.runner
    assert runner.groups[1] == KVCacheGroup(SlidingWindowSpec(4, 3), (0, 2))
    attention = [tensor for index in (1, 3) for tensor in runner.kv_cache.caches[index].tensors]
    rows = [tensor for index in (0, 2) for tensor in runner.kv_cache.caches[index].tensors]
    assert list(map(id, rows)) == list(map(id, attention))
    # A long text keeps two blocks of them, not one for each four tokens.
    llm = engine(enable_prefix_caching=False)
    llm.engine.add_request("long", models.prompts([100])[0], SamplingParams(max_tokens=3, ignore_eos=True))
    llm.engine.step()
    llm.engine.step()
    assert llm.stats().cache.num_used_blocks == 26 + 2


@torch.inference_mode()
def test_eight_prompts_of_64_tokens() -> None:
    """Each token is the argmax of transformers' own forward over the tokens before it."""
    for prompt, found in zip(models.prompts(LENGTHS), expected(), strict=True):
        logits = original()(input_ids=torch.tensor([prompt + found])).logits[0]
        assert logits[len(prompt) - 1 : -1].argmax(-1).tolist() == found and len(found) == 64


@pytest.mark.long
@pytest.mark.parametrize("kind", ["lfm2", "lfm2_moe", "lfm3"])
def test_eight_prompts_of_64_tokens_are_generates(kind: str) -> None:
    model = models.build(kind, seed=3, **SPECIAL[kind])
    generated = models.greedy(model, models.prompts(LENGTHS), 64)
    assert tokens(LLM(model, block_size=4, num_blocks=400, max_num_batched_tokens=20)) == generated


def test_chunked_mixed_and_behind_prefix_hits() -> None:
    llm = engine(max_num_batched_tokens=20)
    assert tokens(llm) == expected()
    computed = llm.stats().num_computed_tokens
    assert tokens(llm) == expected()  # the second time from prefix hits
    assert llm.stats().num_computed_tokens - computed < computed - 0.5 * sum(LENGTHS)


@pytest.mark.parametrize("mode", ["recompute", "swap"])
def test_preempted(mode: str) -> None:
    llm = engine(num_blocks=75, preemption_mode=mode, swap_space=0.01 if mode == "swap" else 0.0, watermark=0.0)
    assert tokens(llm) == expected()
    stats = llm.stats()
    assert stats.num_preemptions > 0 and (stats.num_swaps > 0) == (mode == "swap")


def test_forks_copy_a_block_that_both_write() -> None:
    """Each completion continues from the prompt's last rows, which do not end at a block boundary."""
    llm = engine()
    found = tokens(llm, SamplingParams(n=3, seed=5, temperature=1.0, max_tokens=12, ignore_eos=True))
    alone = engine(enable_prefix_caching=False, max_num_seqs=3, max_num_batched_tokens=7)
    assert found == tokens(alone, SamplingParams(n=3, seed=5, temperature=1.0, max_tokens=12, ignore_eos=True))
    assert len(set(map(tuple, found))) > 16


def test_beams() -> None:
    llm, params = engine(), BeamSearchParams(beam_width=3, max_tokens=10)
    prompt = models.prompts(LENGTHS)[0]
    beams = original().generate(
        torch.tensor([prompt]), num_beams=3, max_new_tokens=10, num_return_sequences=3, do_sample=False
    )
    found = llm.beam_search([prompt], params)[0]
    assert [beam.token_ids for beam in found.outputs] == beams[:, len(prompt) :].tolist()


@pytest.mark.parametrize("behind", [False, True], ids=["before", "behind"])
def test_a_failed_step_runs_again(behind: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows were written, completely or in part: they are overwritten with equal values."""
    llm = engine(max_num_batched_tokens=20)
    runner = llm.engine.executor.runner
    forward, calls = runner.model.forward, 0

    def faulty(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if behind:
            result = forward(*arguments)
        if calls % 3 == 0:
            raise RuntimeError("the device failed")
        return result if behind else forward(*arguments)

    monkeypatch.setattr(runner.model, "forward", faulty)
    for number, prompt in enumerate(models.prompts(LENGTHS)):
        llm.engine.add_request(str(number), prompt, GREEDY)
    found, failed = {}, 0
    while llm.engine.has_unfinished_requests:
        try:
            found.update({output.request_id: output for output in llm.engine.step()})
        except RuntimeError:
            failed += 1
    assert [found[str(i)].outputs[0].token_ids for i in range(len(LENGTHS))] == expected() and failed > 10


def test_saved_prefixes(tmp_path: Path) -> None:
    prompt = models.prompts(LENGTHS)[3]
    first, second = engine(), engine()
    first.save_prefix(tmp_path / "prefix.safetensors", prompt[:32])
    second.load_prefix(tmp_path / "prefix.safetensors")
    output = second.generate([prompt], GREEDY, use_tqdm=False)[0]
    assert output.num_cached_tokens == 32 and output.outputs[0].token_ids == expected()[3]


@pytest.mark.long
def test_compiled() -> None:
    """The whole forward as one graph, over tensors that both kinds of layers share."""
    torch._dynamo.reset()
    llm = engine(compile=True, max_num_batched_tokens=20)
    assert tokens(llm) == expected()


def test_between_steps_the_model_is_its_owners() -> None:
    model = copy.deepcopy(original())
    llm = LLM(model, block_size=4, num_blocks=100)
    prompt = models.prompts(LENGTHS)[2]
    params = SamplingParams(temperature=0, max_tokens=8, ignore_eos=True)
    assert llm.generate([prompt], params, use_tqdm=False)[0].outputs[0].token_ids == expected()[2][:8]
    assert models.greedy(model, [prompt], 8) == [expected()[2][:8]]
    assert set(model.state_dict()) == set(original().state_dict())


def own_forward(model: PreTrainedModel, replaced: PreTrainedModel) -> None:
    """Compare prefill, a mixed step and a decode, with the metadata as an argument, with one text at a time."""
    first, second = models.prompts((11, 9))
    sequences, found = Sequences(replaced), ([], [])  # type: ignore[var-annotated]
    sequences.model = model
    for a, b in ((7, 3), (1, 4), (2, 1), (1, 1)):
        parts = [first[sequences.lens[0] :][:a], second[sequences.lens[1] :][:b]]
        logits = sequences.forward(*parts)
        found[0].append(logits[:a])
        found[1].append(logits[a:])
    for text, rows in zip((first, second), found, strict=True):
        with torch.inference_mode():
            expected = original()(input_ids=torch.tensor([text])).logits[0]
        torch.testing.assert_close(torch.cat(rows), expected, rtol=0, atol=3e-5 * expected.abs().max().item())


def test_a_models_own_forward() -> None:
    model, other = copy.deepcopy(original()), copy.deepcopy(original())
    for each in (model, other):
        each.set_attn_implementation("torchpaged")
    own_forward(model, model)
    with pytest.raises(ValueError, match="of a model with layers of convolution, and this model's were not replaced"):
        own_forward(other, model)


def test_modules_that_were_not_replaced_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers' own would treat the packed tokens of all sequences as one text."""
    monkeypatch.setattr(convolution_modules, "_SHORT", {})
    with pytest.raises(ModelError, match="2 of 4 layers use the attention interface or are layers that were"):
        adapter.wrap(copy.deepcopy(original()))


def test_bytes_of_lfm2_350m(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The numbers of docs/models.md."""
    attention = (2, 5, 8, 10, 12, 14)
    config = AutoConfig.for_model(
        "lfm2",
        hidden_size=1024,
        num_hidden_layers=16,
        num_attention_heads=16,
        num_key_value_heads=8,
        layer_types=["full_attention" if i in attention else "conv" for i in range(16)],
        dtype="bfloat16",
    )
    config.save_pretrained(tmp_path)
    assert cli.main(["info", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "12288 bytes a token in bfloat16" in said
    assert "20480 bytes of convolutions for each of the last 3 tokens" in said


def test_what_cannot_be() -> None:
    with pytest.raises(ConfigError, match=r"kv_cache_dtype is 'int8', but Lfm2ForCausalLM has layers of convolution"):
        engine(kv_cache_dtype="int8")
    with pytest.raises(ModelError, match="export: Lfm2ForCausalLM has layers of convolution"):
        export(adapter.wrap(copy.deepcopy(original())), "model.pt2")
