"""Models that see videos, through LLM: every logit and greedy token beside transformers', however steps are cut.

Their processors need torchvision.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pytest
import torch

pytest.importorskip("torchvision")

from tests import vision_models
from tests.integrations import test_media_llm, test_media_models
from tests.integrations.test_media_llm import GREEDY, NEW, expect, loaded, tokens_of
from tests.vision_models import VisionModel, image, video, video_placeholder
from torchpaged import SamplingParams
from torchpaged.errors import RequestError
from torchpaged.integrations.families import MEDIA

FAMILIES = {
    each: MEDIA.get(each.removesuffix("_large")) for each in (*vision_models.NAMES, *vision_models.OF_TORCHVISION)
}
NAMES = [name for name, family in FAMILIES.items() if family is not None and "video" in family.modalities]


def given(text: str, videos: list[Any], images: list[Any] | None = None) -> dict[str, Any]:
    data = {"video": [tuple(each) for each in videos]}
    return {"prompt": text, "multi_modal_data": {**data, "image": images} if images else data}


def video_of(made: VisionModel, seed: int, num_frames: int = 4) -> Any:
    """Make a video of random pixels, of a size that the processor takes: MiniMax-M3's does not change it."""
    return video(seed, num_frames, height=48 if made.model.config.model_type == "minimax_m3_vl" else 40)


def prompts_of(made: VisionModel) -> list[tuple[str, list[Any]]]:
    one = video_placeholder(made)
    return [
        (f"{one} def main(", [video_of(made, 1)]),
        (f"import {one} os\nclass Queue {one}: pass\n", [video_of(made, 2, 5), video_of(made, 3, 5)]),
        (f"import os {one}", [video_of(made, 4, 3)]),
    ]


@pytest.mark.parametrize("settings", [{}, {"max_num_batched_tokens": 40}, {"optimize": True}], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_tokens_and_logprobs_are_transformers(name: str, settings: dict[str, Any]) -> None:
    made = vision_models.build(name)
    if name == "gemma4_large" and settings.get("max_num_batched_tokens"):  # a frame is computed whole
        settings = {"max_num_batched_tokens": 100}
    prompts = prompts_of(made)
    expected = [expect(made, *each) for each in prompts]
    with loaded(made, **settings) as llm:
        params = SamplingParams(temperature=0, max_tokens=NEW, ignore_eos=True, prompt_logprobs=0)
        outputs = llm.generate([given(*each) for each in prompts], params, use_tqdm=False)
        for output, (logits, tokens) in zip(outputs, expected, strict=True):
            assert output.outputs[0].token_ids == tokens
            logprobs = logits.log_softmax(-1)
            for place, token in enumerate(output.prompt_token_ids[1:], start=1):
                found = output.prompt_logprobs[place][token].logprob
                assert found == pytest.approx(float(logprobs[place - 1, token]), abs=5e-5)
        again = llm.generate([given(*each) for each in prompts], GREEDY, use_tqdm=False)
        assert tokens_of(again) == [tokens for _, tokens in expected]
        if (
            not name.startswith("gemma4") or "max_num_batched_tokens" not in settings
        ):  # 70 features a frame are too many to be kept
            assert llm.stats().media.num_encoded == 4
        llm.engine.check()


@pytest.mark.parametrize("name", NAMES)
def test_images_beside_videos(name: str) -> None:
    made = vision_models.build(name)
    film, still, items = video_placeholder(made), made.placeholder, [video_of(made, 1), image(2), image(3)]
    texts = [f"a {film} b {still}{still} c", f"{still} a {film} b {still}", f"{still}{still}{film} def main(argv):\n"]
    with loaded(made) as llm:
        if FAMILIES[name].frames_are_images and name != "internvl":
            with pytest.raises(RequestError, match="the model takes one of them in a prompt"):
                llm.generate([given(texts[0], items[:1], items[1:])], GREEDY, use_tqdm=False)
        else:
            expected = [expect(made, text, items)[1] for text in texts]
            assert len({tuple(each) for each in expected}) == 3
            prompts = [given(text, items[:1], items[1:]) for text in texts]
            outputs = llm.generate(prompts, GREEDY, use_tqdm=False)
            assert tokens_of(outputs) == expected
            places = outputs[1].multi_modal_placeholders
            assert {each: len(of) for each, of in places.items()} == {"image": 2, "video": 1}
            tokens = [
                {**each, "prompt_token_ids": llm.get_tokenizer()(each["prompt"])["input_ids"]} for each in prompts
            ]
            for each in tokens:
                del each["prompt"]
            again, decode = llm.generate(tokens, GREEDY, use_tqdm=False), llm.get_tokenizer().decode
            assert [decode(each.prompt_token_ids) for each in again] == [
                decode(each.prompt_token_ids) for each in outputs
            ]
            # Times of frames merge with the text before them.
            if not name.startswith(("cosmos3_edge", "gemma4", "minimax_m3_vl", "video_llama_3")):
                assert tokens_of(again) == expected
        text = f"a {film} b {still} c"
        with pytest.raises(RequestError, match="placeholders"):
            llm.generate([given(text.replace(made.placeholder, ""), [video(1), video(2)])], GREEDY, use_tqdm=False)


def test_videos_of_several_lengths() -> None:
    """transformers' processor of InternVL takes videos of one length; its model takes any."""
    made = vision_models.build("internvl")
    film = video_placeholder(made)
    parts = [(f"{film} def", video(1, 4)), (f"{film} main(", video(2, 7)), (f"{film}\n", video(3, 2))]
    each = [vision_models.inputs_of(made, text, [film]) for text, film in parts]
    inputs = {"input_ids": torch.cat([one["input_ids"] for one in each], dim=1)}
    inputs["pixel_values"] = torch.cat([one["pixel_values"] for one in each])
    with torch.inference_mode():
        logprobs = made.model(**inputs).logits[0].log_softmax(-1)
    prompt = given("".join(text for text, _ in parts), [film for _, film in parts])
    with loaded(made) as llm:
        (output,) = llm.generate(prompt, SamplingParams(max_tokens=1, prompt_logprobs=0), use_tqdm=False)
        assert output.prompt_token_ids == inputs["input_ids"][0].tolist()
        for place, token in enumerate(output.prompt_token_ids[1:], start=1):
            assert output.prompt_logprobs[place][token].logprob == pytest.approx(
                float(logprobs[place - 1, token]), abs=5e-5
            )


def test_chats_with_files_of_videos() -> None:
    """In vLLM's `video_url`, as a data: URL; and an array beside transformers' type."""
    av = pytest.importorskip("av")
    made = vision_models.build("qwen2_vl")
    file, frames = io.BytesIO(), video(1, 4, 64, 64).frames
    with av.open(file, "w", format="matroska") as output:
        stream = output.add_stream("ffv1", rate=2)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "bgr0"
        for each in frames:
            output.mux(stream.encode(av.VideoFrame.from_ndarray(each, format="rgb24")))
        output.mux(stream.encode())
    url = f"data:video/x-matroska;base64,{base64.b64encode(file.getvalue()).decode()}"
    template = (
        "{% for m in messages %}{% for p in m.content %}{% if p.type == 'video' %}"
        + video_placeholder(made)
        + "{% else %}"
        "{{ p.text }}{% endif %}{% endfor %}{% endfor %}"
    )
    parts = [{"type": "video_url", "video_url": {"url": url}}, {"type": "video", "video": (frames, {"fps": 2})}]
    text = {"type": "text", "text": "def main("}
    with loaded(made) as llm:
        chats = [[{"role": "user", "content": [part, text]}] for part in parts]
        found = llm.chat(chats, GREEDY, chat_template=template, use_tqdm=False)
        expected = expect(made, f"{video_placeholder(made)}def main(", [video(1, 4, 64, 64)])[1]
        assert tokens_of(found) == [expected, expected]
        assert llm.stats().media.num_encoded == 1


@pytest.mark.parametrize("settings", [{}, {"max_num_batched_tokens": 40}, {"optimize": True}], ids=str)
@pytest.mark.parametrize("name", vision_models.OF_TORCHVISION)
def test_images_by_processors_of_torchvision(name: str, settings: dict[str, Any]) -> None:
    test_media_llm.test_tokens_and_logprobs_are_transformers(name, settings)


@pytest.mark.parametrize("name", vision_models.OF_TORCHVISION)
def test_folders_with_processors_of_torchvision(name: str, tmp_path: Path) -> None:
    test_media_models.test_a_folder_is_loaded_with_its_processor(name, tmp_path)
