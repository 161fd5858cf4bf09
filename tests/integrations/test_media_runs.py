"""Items with several runs of tokens that see each other, and prompts with images and sounds."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import transformers

from tests import vision_models
from tests.integrations.test_media_llm import GREEDY, tokens_of
from tests.tiny_media import random_model
from tests.vision_models import VisionModel, image, sound
from torchpaged import LLM, SamplingParams
from torchpaged.execution.media_features import MediaPart
from torchpaged.integrations.transformers import adapter
from torchpaged.media.items import MediaItem, PromptMedia


def loaded(made: VisionModel, **settings: Any) -> LLM:
    return LLM(copy.deepcopy(made.model), tokenizer=made.processor, **{"num_blocks": 200, **settings})


def require_equal(made: VisionModel, prompt: dict[str, Any], inputs: dict[str, Any], **settings: Any) -> None:
    """Compare every logprob of a prompt, and greedy tokens."""
    with torch.inference_mode():
        logprobs = made.model(**inputs).logits[0].log_softmax(-1)
        written = made.model.generate(**inputs, max_new_tokens=6, do_sample=False, pad_token_id=0, eos_token_id=None)
    with loaded(made, **settings) as llm:
        params = SamplingParams(temperature=0, max_tokens=6, ignore_eos=True, prompt_logprobs=0)
        for output in llm.generate([prompt, "import os", prompt], params, use_tqdm=False)[::2]:
            assert list(output.outputs[0].token_ids) == written[0, inputs["input_ids"].shape[1] :].tolist()
            for place, token in enumerate(output.prompt_token_ids[1:], start=1):
                found = output.prompt_logprobs[place][token].logprob
                assert found == pytest.approx(float(logprobs[place - 1, token]), abs=5e-5)
        assert tokens_of(llm.generate([prompt], GREEDY, use_tqdm=False)) == [list(output.outputs[0].token_ids)]
        llm.engine.check()


def test_runs_of_an_item() -> None:
    item = MediaItem("video", 10, 9, "a", {}, places=(0, 1, 2, 5, 6, 7, 8), runs=((0, 3), (5, 9)))
    media = PromptMedia((item, MediaItem("audio", 30, 5, "b", {}, runs=()), MediaItem("image", 40, 4, "c", {})))
    cut = {place: run for place in range(50) if (run := media.run_around(place)) is not None}
    assert cut == {
        11: (10, 13),
        12: (10, 13),
        **dict.fromkeys((16, 17, 18), (15, 19)),
        **dict.fromkeys((41, 42, 43), (40, 44)),
    }
    assert [each.longest_run for each in media.items] == [4, 0, 4]
    part = MediaPart.of(item, 2, 12, 5)  # tokens 12 to 16 of the prompt, from place 2 of the step on
    assert part.seen == [(5, 7)], "a run of one token is none"


@pytest.mark.parametrize("settings", [{}, {"max_num_batched_tokens": 24}, {"optimize": True}], ids=str)
def test_crops_of_gemma_3(settings: dict[str, Any]) -> None:
    """The tokens of an image and of each of its crops see each other, and not the text between them."""
    made = vision_models.build("gemma3")
    processor: Any = made.processor
    crops = {"do_pan_and_scan": True, "pan_and_scan_min_crop_size": 8, "pan_and_scan_min_ratio_to_activate": 1.0}
    crops["pan_and_scan_max_num_crops"] = 2
    text, pictures = "import <start_of_image> os", [image(1, 96, 32)]
    inputs = dict(processor(text=[text], images=[pictures], return_tensors="pt", **crops))
    prompt = {"prompt": text, "multi_modal_data": {"image": pictures}, "mm_processor_kwargs": crops}
    paged: Any = adapter.adapt(made.model)
    adapter.take_processor(paged, processor)
    _, media = paged.media_processor.process("a", text, {"image": pictures}, crops)
    assert [end - begin for begin, end in media.items[0].runs] == [4, 4, 4]
    require_equal(made, prompt, {name: value for name, value in inputs.items() if name != "num_crops"}, **settings)


@pytest.mark.parametrize("settings", [{}, {"max_num_batched_tokens": 24}, {"optimize": True}], ids=str)
def test_sounds_of_gemma_4(settings: dict[str, Any]) -> None:
    """Beside an image, in one prompt, where transformers pads both sounds to one length."""
    made = vision_models.gemma4_with_sounds()
    processor: Any = made.processor
    text, pictures, sounds = "import <|audio|> os <|image|>\n<|audio|> def", [image(1)], [sound(1), sound(2, 15000)]
    inputs = processor(
        text=[text],
        images=[pictures],
        audio=[samples for samples, _ in sounds],
        return_tensors="pt",
        sampling_rate=16000,
    )
    prompt = {"prompt": text, "multi_modal_data": {"image": pictures, "audio": sounds}}
    require_equal(made, prompt, dict(inputs), **settings)


def test_sounds_of_dots_3() -> None:
    """Beside an image; transformers pads both sounds to one length."""
    made = vision_models.build("dots3_note")
    processor: Any = made.processor
    sound_mark = processor.audio_token
    text = f"import {sound_mark} os {made.placeholder}\n{sound_mark} def"
    pictures, sounds = [image(1)], [sound(1), sound(2, 15000)]
    samples = [each for each, _ in sounds]
    inputs = processor(text=[text], images=pictures, audio=samples, return_tensors="pt", sampling_rate=16000)
    prompt = {"prompt": text, "multi_modal_data": {"image": pictures, "audio": sounds}}
    require_equal(made, prompt, {name: each for name, each in inputs.items() if name != "num_audio_tokens"})


def test_latents_of_another_layer() -> None:
    """Mistral Large 4: a layer that chooses tokens by an indexer of its own and attends to the first one's latents."""
    made = vision_models.build("mistral_large4")
    config = made.model.config.to_dict()
    config["text_config"]["kv_source_layers"] = [0, 1, 0]
    config = transformers.MistralLarge4Config(**config)
    made = made._replace(model=random_model(transformers.MistralLarge4ForConditionalGeneration, config))
    text, pictures = f"import {made.placeholder} os", [image(1)]
    prompt = {"prompt": text, "multi_modal_data": {"image": pictures}}
    require_equal(made, prompt, vision_models.inputs_of(made, text, pictures), max_num_batched_tokens=24)


def test_latent_attention_of_mistral_4() -> None:
    """Mistral Small 4, for which Mistral 3's model reads images."""
    made = vision_models.build("mistral3_of_mistral4")
    text, pictures = f"import {made.placeholder} os", [image(1)]
    prompt = {"prompt": text, "multi_modal_data": {"image": pictures}}
    require_equal(made, prompt, vision_models.inputs_of(made, text, pictures), optimize=True)
