"""Mllama, whose layers attend to images: a pool of keys by image, which its requests hold as long as they run."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from tests import vision_models
from tests.integrations.test_media_llm import GREEDY, NEW, expect, given, tokens_of
from tests.vision_models import VisionModel, image
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError, ModelError, RequestError
from torchpaged.execution.exact import is_exact
from torchpaged.execution.export import export
from torchpaged.integrations.transformers.media_attention import MediaAttention

ONE = "<|image|>"
# Runs of images that follow each other, at the beginning, in the middle and at the end.
PROMPTS: list[tuple[str, list[Any]]] = [
    (f"import {ONE}{ONE} os\nclass{ONE} Queue", [image(1), image(2, 64, 32), image(3, 32, 100)]),
    (f"{ONE}{ONE}{ONE}def main(", [image(1), image(4), image(1)]),
    (f"import os{ONE}x = 1{ONE}{ONE}", [image(2, 64, 32), image(1), image(5)]),
    (f"import os\nimport sys\nx = [{ONE}", [image(5)]),
    ("import sys\nclass Queue:\n", []),
]
IMAGE, TILES = 17, 4  # features of a tile, and the most tiles


@pytest.fixture(scope="module")
def made() -> VisionModel:
    return vision_models.build("mllama")


@pytest.fixture(scope="module")
def expected(made: VisionModel) -> list[list[int]]:
    found = [expect(made, *each)[1] for each in PROMPTS]
    assert len({tuple(each) for each in found}) == len(found)
    return found


def loaded(made: VisionModel, **settings: Any) -> LLM:
    given: dict[str, Any] = {"num_blocks": 100, "block_size": 4, "dtype": "float32", **settings}
    return LLM(copy.deepcopy(made.model), tokenizer=made.processor, **given)


def inputs(made: VisionModel) -> list[dict[str, Any]]:
    return [given(made, *each) for each in PROMPTS]


@pytest.mark.parametrize("settings", [{"max_num_batched_tokens": 3}, {"optimize": True}, {"num_blocks": 14}], ids=str)
def test_runs_of_images(settings: dict[str, Any], made: VisionModel, expected: list[list[int]]) -> None:
    """In chunks that begin before, inside and behind them, packed, and with preemptions; then with hits."""
    with loaded(made, **settings) as llm:
        for number in range(2):
            outputs = llm.generate(inputs(made), GREEDY, use_tqdm=False)
            assert tokens_of(outputs) == expected
            assert all(each.num_cached_tokens for each in outputs) == (number > 0 and "num_blocks" not in settings)
            llm.engine.check()
        stats = llm.stats()
        assert (stats.num_preemptions > 0) == ("num_blocks" in settings)
        if settings == {"optimize": True}:
            assert stats.media.num_encoded == 6, "each run once: of three images, twice of two, three images alone"
            assert llm.engine.model.weights.report.reason is None


def test_logits_beside_transformers_own(made: VisionModel) -> None:
    """Unchanged, where a prompt begins with an image: there its masks are those of Meta's implementation."""
    text, images = PROMPTS[1]
    own = vision_models.inputs_of(made, text, images)
    with torch.inference_mode():
        logits = made.model(**own).logits[0].log_softmax(-1)
    params = SamplingParams(temperature=0, max_tokens=1, prompt_logprobs=0)
    with loaded(made) as llm:
        (output,) = llm.generate([given(made, text, images)], params, use_tqdm=False)
    for place, token in enumerate(output.prompt_token_ids[3:], start=3):
        found = output.prompt_logprobs[place][token].logprob
        assert found == pytest.approx(float(logits[place - 1, token]), abs=5e-5)


def test_images_wait_for_room(made: VisionModel, expected: list[list[int]]) -> None:
    """Requests hold all of their images as long as they run; too many for the cache are refused."""
    with loaded(made, encoder_cache_tokens=3 * TILES * IMAGE, max_encoder_tokens=1) as llm:
        for _ in range(2):
            assert tokens_of(llm.generate(inputs(made), GREEDY, use_tqdm=False)) == expected
            llm.engine.check()
        many = given(made, ONE * 4 + "x", [image(seed, 64, 64) for seed in range(4)])
        with pytest.raises(RequestError, match=r"its images have 272 features, .* encoder_cache_tokens is 204"):
            llm.generate([many], GREEDY, use_tqdm=False)


def test_completions_and_beams_share_the_images(made: VisionModel) -> None:
    """A child goes on after its parent has ended, and images that other requests need come in between."""
    params = SamplingParams(n=3, temperature=1.0, seed=1, max_tokens=NEW, ignore_eos=True, logprobs=1)
    limits = {"encoder_cache_tokens": 2 * TILES * IMAGE + 1}
    with loaded(made, **limits) as llm:
        prompts = [given(made, ONE + "def", [image(seed, 64, 64)]) for seed in range(4)]
        together = llm.generate(prompts, params, use_tqdm=False)
        for prompt, output in zip(prompts, together, strict=True):
            (alone,) = llm.generate([prompt], params, use_tqdm=False)
            for one, other in zip(alone.outputs, output.outputs, strict=True):
                assert one.token_ids == other.token_ids
        llm.engine.check()


def test_images_are_encoded_again_after_the_weights_changed(made: VisionModel) -> None:
    """In the middle of a request: it goes on with the new weights, and reads no key that is gone."""
    with loaded(made) as llm:
        engine = llm.engine
        engine.add_request("a", inputs(made)[3], GREEDY)
        for _ in range(3):
            engine.step()
        before = llm.stats().media.num_encoded
        name = "model.language_model.layers.1.cross_attn.k_proj.weight"
        llm.update_weights([(name, made.model.state_dict()[name])])
        while engine.has_unfinished_requests:
            outputs = engine.step()
            engine.check()
        assert llm.stats().media.num_encoded == before + 1
        assert list(outputs[-1].outputs[0].token_ids) == expect(made, *PROMPTS[3])[1]


@pytest.mark.parametrize("quantization", [None, "int8"])
def test_bits_alone_are_those_in_a_crowd(quantization: str | None, made: VisionModel) -> None:
    params = SamplingParams(temperature=0, max_tokens=NEW, ignore_eos=True, logprobs=1)
    with loaded(made, dtype="bfloat16", quantization=quantization) as llm:
        assert is_exact(llm.engine.model)
        crowd = llm.generate(inputs(made), params, use_tqdm=False)
        llm.reset_prefix_cache()
        for prompt, output in zip(inputs(made), crowd, strict=True):
            (alone,) = llm.generate([prompt], params, use_tqdm=False)
            assert alone.outputs[0].token_ids == output.outputs[0].token_ids
            assert alone.outputs[0].logprobs == output.outputs[0].logprobs


def test_guessed_tokens(made: VisionModel) -> None:
    speculation = {"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 2}
    params = SamplingParams(temperature=0, max_tokens=16, ignore_eos=True)
    with loaded(made) as llm:
        expected = tokens_of(llm.generate(inputs(made), params, use_tqdm=False))
    with loaded(made, speculative_config={**speculation, "allow_inexact": True}) as llm:
        assert tokens_of(llm.generate(inputs(made), params, use_tqdm=False)) == expected
        assert llm.stats().drafts.accepted


def test_what_cannot_be_had_is_named(made: VisionModel, tmp_path: Path) -> None:
    vision_models.save(made, tmp_path)
    with pytest.raises(ConfigError, match="tensor_parallel_size is 2, but 'mllama' has layers that attend to images"):
        LLM(str(tmp_path), tensor_parallel_size=2, num_blocks=20)
    with loaded(made) as llm, pytest.raises(ModelError, match="has layers that attend to images, and only those of"):
        export(llm.engine.model, tmp_path / "model.pt2")


def test_a_cache_in_8_bits(made: VisionModel, expected: list[list[int]]) -> None:
    """Keys of images keep the dtype of the model."""
    with loaded(made, kv_cache_dtype="int8") as llm:
        found = tokens_of(llm.generate(inputs(made), GREEDY, use_tqdm=False))
        assert [each[0] for each in found] == [each[0] for each in expected]


def test_texts_alone_leave_the_layers_out(made: VisionModel, expected: list[list[int]]) -> None:
    with loaded(made, language_model_only=True) as llm:
        assert not llm.engine.model.spec.media_layers
        assert tokens_of(llm.generate(inputs(made)[4:], GREEDY, use_tqdm=False)) == expected[4:]
        with pytest.raises(RequestError, match="limit_mm_per_prompt allows no images"):
            llm.generate(inputs(made)[:1], GREEDY, use_tqdm=False)


def test_the_callers_model_still_runs(made: VisionModel, expected: list[list[int]]) -> None:
    model = copy.deepcopy(made.model)
    with LLM(model, tokenizer=made.processor, num_blocks=50) as llm:
        assert tokens_of(llm.generate(inputs(made)[:1], GREEDY, use_tqdm=False)) == expected[:1]
        assert isinstance(model.model.language_model.layers[1].cross_attn, MediaAttention)
        assert expect(made._replace(model=model), *PROMPTS[0])[1] == expected[0]
        assert isinstance(model, transformers.MllamaForConditionalGeneration)
