"""Image-text models through LLM: hits, preemption, shared images, bits, kinds of requests, quantised text parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import peft_folders, vision_models
from tests.integrations.test_media_llm import GREEDY, NEW, expect, given, loaded, prompts_of, tokens_of
from tests.vision_models import VisionModel, image
from torchpaged import BeamSearchParams, SamplingParams
from torchpaged.errors import ModelError

# One of each kind: plain, with images that are computed whole, and with positions of three axes.
EXACT = ("llava", "gemma3", "qwen2_vl")


@pytest.fixture(scope="module", params=EXACT)
def made(request: pytest.FixtureRequest) -> VisionModel:
    return vision_models.build(request.param)


def long_prompts(made: VisionModel, count: int, images: int) -> list[dict[str, Any]]:
    one = made.placeholder
    return [given(made, f"x{i} = {one}\n# {i}: def", [image(50 + i % images)]) for i in range(count)]


def test_a_hit_ends_inside_an_image_or_before_it(made: VisionModel) -> None:
    """The prompt ends with its image, so a hit of all its blocks but the last leaves a part of it."""
    text, pictures = f"import os {made.placeholder}", [image(3)]
    _, expected = expect(made, text, pictures)
    with loaded(made, block_size=4) as llm:
        first, again = (llm.generate(given(made, text, pictures), GREEDY, use_tqdm=False)[0] for _ in range(2))
        assert tokens_of([first, again]) == [expected] * 2
        ((start, length),) = first.multi_modal_placeholders["image"]
        if made.model.config.model_type == "gemma3":  # computed whole
            assert again.num_cached_tokens <= start
        elif start + length == len(first.prompt_token_ids):
            assert start < again.num_cached_tokens < start + length
        assert llm.stats().media.num_encoded == 1


def test_a_second_question_computes_only_the_question(made: VisionModel) -> None:
    one, pictures = made.placeholder, [image(5, 96, 96)]
    with loaded(made, block_size=4) as llm:
        llm.generate(given(made, f"a {one} first", pictures), GREEDY, use_tqdm=False)
        before = llm.stats().num_computed_tokens
        text = f"a {one} def f(x):"
        (output,) = llm.generate(given(made, text, pictures), GREEDY, use_tqdm=False)
        assert tokens_of([output]) == [expect(made, text, pictures)[1]]
        ((start, length),) = output.multi_modal_placeholders["image"]
        behind = len(output.prompt_token_ids) - start - length
        assert llm.stats().num_computed_tokens - before <= behind + 4 + NEW  # and the rest of a block
        assert llm.stats().media.num_encoded == 1


def test_sixteen_requests_with_four_images_encode_four_times(made: VisionModel) -> None:
    prompts = long_prompts(made, 16, 4)
    with loaded(made, max_num_seqs=6, max_num_batched_tokens=100) as llm:
        outputs = llm.generate(prompts, GREEDY, use_tqdm=False)
        for prompt, output in zip(prompts, outputs, strict=True):
            _, expected = expect(made, prompt["prompt"], prompt["multi_modal_data"]["image"])
            assert output.outputs[0].token_ids == expected
        assert llm.stats().media.num_encoded == 4
        llm.engine.check()


@pytest.mark.parametrize("swap_space", [0.0, 0.1])
def test_preemptions(made: VisionModel, swap_space: float) -> None:
    """Also inside an image; a pool for little more than one prompt, and no room to keep features."""
    prompts = long_prompts(made, 5, 5)
    params = SamplingParams(temperature=0, max_tokens=24, ignore_eos=True)
    with loaded(made, block_size=4) as llm:
        expected = llm.generate(prompts, params, use_tqdm=False)
        num_groups = len(llm.engine.scheduler.manager.groups)
    longest = max(len(each.prompt_token_ids) for each in expected)
    blocks = (longest + 24) // 4 * 3 // 2 * num_groups
    small = {"num_blocks": blocks, "max_model_len": longest + 40, "max_num_batched_tokens": max(64, longest // 2)}
    with loaded(made, block_size=4, watermark=0.0, swap_space=swap_space, encoder_cache_tokens=1, **small) as llm:
        assert tokens_of(llm.generate(prompts, params, use_tqdm=False)) == tokens_of(expected)
        assert llm.stats().num_preemptions > 0
        llm.engine.check()


def test_alone_and_in_a_crowd_the_bits_are_the_same(made: VisionModel) -> None:
    params = SamplingParams(temperature=0, max_tokens=4, ignore_eos=True, logprobs=2, prompt_logprobs=1)

    def numbers(output: Any) -> list[Any]:
        found = [*output.prompt_logprobs[1:], *output.outputs[0].logprobs]
        return [{token: each.logprob for token, each in place.items()} for place in found]

    prompts = [given(made, *each) for each in prompts_of(made)]
    with loaded(made, optimize=True, enable_prefix_caching=False) as llm:
        assert llm.engine.exact
        crowd = [numbers(each) for each in llm.generate(prompts, params, use_tqdm=False)]
        alone = [numbers(llm.generate(each, params, use_tqdm=False)[0]) for each in prompts]
    with loaded(made, optimize=True, enable_prefix_caching=False, max_num_batched_tokens=100) as llm:
        parts = [numbers(each) for each in llm.generate(prompts, params, use_tqdm=False)]
    assert crowd == alone
    assert crowd == parts


def test_kinds_of_requests(made: VisionModel) -> None:
    """Completions, beams, scores, vectors, grammars and drafts, with the tokens of plain requests."""
    prompts = [given(made, *each) for each in prompts_of(made)]
    with loaded(made) as llm:
        expected = tokens_of(llm.generate(prompts, GREEDY, use_tqdm=False))
        three = SamplingParams(n=3, temperature=0, max_tokens=NEW, ignore_eos=True)
        several = llm.generate(prompts, three, use_tqdm=False)
        assert [[list(one.token_ids) for one in each.outputs] for each in several] == [[one] * 3 for one in expected]
        beams = llm.beam_search(prompts, BeamSearchParams(beam_width=1, max_tokens=NEW, ignore_eos=True))
        assert [list(each.outputs[0].token_ids) for each in beams] == expected
        scores = llm.score_continuations(prompts, [[each, each[:1]] for each in expected])
        for own in scores:
            assert own[0].is_greedy and own[1].is_greedy
        assert len(llm.embed(prompts)) == len(prompts)
        guided = SamplingParams(temperature=0, max_tokens=20, structured_outputs={"choice": ["yes", "no"]})
        for output in llm.generate(prompts, guided, use_tqdm=False):
            assert output.outputs[0].text in ("yes", "no")
        encoded = llm.stats().media.num_encoded
        assert encoded == 4
    with loaded(made, optimize=True, speculative_config={"method": "ngram", "num_speculative_tokens": 3}) as llm:
        long = SamplingParams(temperature=0, max_tokens=16, ignore_eos=True)
        found = tokens_of(llm.generate(prompts, long, use_tqdm=False))
        assert [each[:NEW] for each in found] == expected


@pytest.mark.parametrize("quantization", ["int8", "int4"])
def test_quantised_text_parts(made: VisionModel, quantization: str) -> None:
    """A step's cuts change no token."""
    prompts = [given(made, *each) for each in prompts_of(made)]
    with loaded(made, quantization=quantization) as llm:
        whole = tokens_of(llm.generate(prompts, GREEDY, use_tqdm=False))
    with loaded(made, quantization=quantization, max_num_batched_tokens=100) as llm:
        assert tokens_of(llm.generate(prompts, GREEDY, use_tqdm=False)) == whole


def test_adapters_of_the_text_part(made: VisionModel, tmp_path: Path) -> None:
    """In a batch with requests without one; an adapter of the tower is refused."""
    peft_folders.write(tmp_path / "1", made.model, 3, targets=("o_proj", "down_proj"))
    prompts = prompts_of(made)
    plain = [expect(made, *each)[1] for each in prompts]
    with peft_folders.merged(made.model, tmp_path / "1"):
        adapted = [expect(made, *each)[1] for each in prompts]
    assert plain != adapted
    request = peft_folders.request(tmp_path, 1)
    with loaded(made, enable_lora=True, max_num_batched_tokens=100) as llm:
        inputs = [given(made, *each) for each in prompts for _ in range(2)]
        outputs = llm.generate(inputs, GREEDY, use_tqdm=False, lora_request=[None, request] * len(prompts))
        assert tokens_of(outputs[::2]) == plain and tokens_of(outputs[1::2]) == adapted
        if made.model.config.model_type == "llava":
            peft_folders.write(tmp_path / "2", made.model, 3, targets=("out_proj",))
            with pytest.raises(ModelError, match=r"vision_tower.*no linear module"):
                llm.generate(inputs[:1], GREEDY, use_tqdm=False, lora_request=peft_folders.request(tmp_path, 2))
