"""Prompts with images and sounds: read, limited and refused, each error for its request alone."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from tests.media.fake_processor import AUDIO_ID, FIRST, IMAGE_ID, FakeProcessor, FakeTokenizer
from tests.media.files import bomb, data_url, file_of, picture, wav, web_server
from tests.serving.harness import until
from torchpaged import EngineConfig
from torchpaged.errors import ConfigError, RequestError
from torchpaged.media.limits import MediaLimits
from torchpaged.requests.media import MediaReader
from torchpaged.requests.prompts import PromptReader, ReadPrompt

SMALL = picture(3, 2)
SOUND = (np.array([0.5, -0.5], np.float32), 8000)


def reader(limits: MediaLimits | None = None, **settings: Any) -> PromptReader:
    """Return a reader of prompts over a fake processor."""
    more = () if limits is None else (limits,)
    return PromptReader(FakeTokenizer(), 200, media=MediaReader(FakeProcessor(), EngineConfig(**settings), *more))


def read(prompt: Any, **settings: Any) -> ReadPrompt:
    """Read a prompt."""
    return reader(**settings).read("request '0'", prompt)


def refusal(prompt: Any, **settings: Any) -> str:
    """Return the message with which a prompt is refused."""
    with pytest.raises(RequestError) as caught:
        read(prompt, **settings)
    assert str(caught.value).startswith("request '0': ") and len(str(caught.value)) < 700
    return str(caught.value)


def test_an_image_in_all_its_forms(tmp_path: Path) -> None:
    data = file_of(SMALL)
    (tmp_path / "a.png").write_bytes(data)
    forms = [SMALL, data, data_url(data), np.asarray(SMALL), torch.from_numpy(np.array(SMALL)), tmp_path / "a.png"]
    forms += [str(tmp_path / "a.png"), f"file://{tmp_path}/a.png"]
    for form in forms:
        for image in (form, [form], (form,)):
            found = read(
                {"prompt": "a<image>b", "multi_modal_data": {"image": image}}, allowed_local_media_path=tmp_path
            )
            assert found.token_ids == [FIRST + 97, *[IMAGE_ID] * 6, FIRST + 98] and found.text == "a<image>b"
            assert found.media is not None
            (item,) = found.media.items
            assert (item.modality, item.start, item.length) == ("image", 1, 6)
            assert item.inputs["values"].tolist() == list(SMALL.tobytes())


def test_sounds_and_images_together() -> None:
    audio = [SOUND, wav(np.zeros(3, "<i2").tobytes(), 8000)]
    found = read({"prompt": "<audio>x<image><audio>", "multi_modal_data": {"image": SMALL, "audio": audio}})
    assert found.token_ids == [AUDIO_ID] * 2 + [FIRST + 120] + [IMAGE_ID] * 6 + [AUDIO_ID] * 3
    assert found.media is not None and [each.start for each in found.media.items] == [0, 3, 9]


def test_tokens_with_one_placeholder_for_each_item() -> None:
    found = read({"prompt": "?", "prompt_token_ids": [9, IMAGE_ID], "multi_modal_data": {"image": SMALL}})
    assert found.token_ids == [9, *[IMAGE_ID] * 6] and found.text == "?"


def test_a_prompt_that_has_been_read_is_left_as_it_is() -> None:
    first = read({"prompt": "<image>", "multi_modal_data": {"image": SMALL}})
    again = read({"prompt": first.text, "prompt_token_ids": first.token_ids, "media": first.media, "cache_salt": "s"})
    assert again == first._replace(cache_salt="s")


def test_options_of_the_processor() -> None:
    processor = FakeProcessor()
    media = MediaReader(processor, EngineConfig(mm_processor_kwargs={"a": 1, "b": 1}))
    prompts = PromptReader(FakeTokenizer(), 200, media=media)
    prompt = {"prompt": "<image>", "multi_modal_data": {"image": SMALL}, "mm_processor_kwargs": {"b": 2}}
    prompts.read("request", prompt, {"add_special_tokens": False})
    assert processor.calls[0][2] == {"add_special_tokens": False, "a": 1, "b": 2}


@pytest.mark.parametrize("data", [None, {}, {"image": None}, {"image": []}, {"image": [], "audio": None}])
def test_no_media_is_a_text(data: Any) -> None:
    found = read({"prompt": "ab", "multi_modal_data": data, "mm_processor_kwargs": {"x": 1}, "multi_modal_uuids": None})
    assert found == ReadPrompt("ab", [FIRST + 97, FIRST + 98])


ONE = {"prompt": "<image>"}


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("a<image>", "the placeholder token 3 1 times and no multi_modal_data"),
        ([5, IMAGE_ID, IMAGE_ID], "the placeholder token 3 2 times"),
        ({"prompt": "<image>", "multi_modal_data": {"image": []}}, "the placeholder token 3"),
        ({"prompt": "<image><image>", "multi_modal_data": {"image": SMALL}}, "more placeholders of image than items"),
        ({"prompt": "<image>", "multi_modal_data": {"image": [SMALL] * 2}}, "more items than placeholders"),
        ({**ONE, "multi_modal_data": [SMALL]}, "multi_modal_data is [<PIL"),
        (
            {**ONE, "multi_modal_data": {"video": [1]}},
            "multi_modal_data has 'video', and the model reads audio and image",
        ),
        ({**ONE, "multi_modal_data": {"images": [1]}}, "did you mean 'image'"),
        ({**ONE, "multi_modal_data": {"image": [SMALL, 7]}}, "image 1: it is a int"),
        ({**ONE, "multi_modal_data": {"image": {"image_embeds": 1}}}, "image 0: it is a dict"),
        ({**ONE, "multi_modal_data": {"image": [b"junk"]}}, "image 0: its 4 bytes are no image"),
        ({**ONE, "multi_modal_data": {"image": "/etc/passwd"}}, "image 0: '/etc/passwd' is a file here"),
        ({**ONE, "multi_modal_data": {"image": "https://x/y"}}, "image 0: its URL is 'https://x/y', and nothing"),
        ({**ONE, "multi_modal_data": {"image": bomb(60_000, 60_000)}}, "image 0: "),
        ({**ONE, "multi_modal_data": {"image": [SMALL] * 10_000}}, "10000 items of type image, expected at most 999"),
        ({**ONE, "multi_modal_data": {"audio": SOUND[0]}}, "audio 0: it has no rate"),
        ({**ONE, "multi_modal_data": {"image": SMALL}, "multi_modal_uuids": {"image": ["x"]}}, "multi_modal_uuids"),
        ({**ONE, "multi_modal_data": {"image": SMALL}, "mm_processor_kwargs": 3}, "mm_processor_kwargs is 3"),
        ({"multi_modal_data": {"image": SMALL}}, "expected prompt"),
        ({**ONE, "media": "x"}, "media of 'x', expected those of preprocess_chat"),
        ({**ONE, "multi_modal_data": {"image": SMALL}, "promt": 1}, "the key 'promt'"),
    ],
)
def test_what_is_refused(prompt: Any, said: str) -> None:
    assert said in refusal(prompt)


def test_limits_of_a_prompt() -> None:
    two = {"prompt": "<image><image>", "multi_modal_data": {"image": [SMALL, SMALL]}}
    assert "has 2 items of type image, expected at most 1" in refusal(two, limit_mm_per_prompt={"image": 1})
    assert "expected at most 0" in refusal(two, limit_mm_per_prompt={"image": 0})
    assert len(read(two, limit_mm_per_prompt={"image": 2, "audio": 0}).token_ids) == 12
    assert "image 0 to 1 have 12 pixels together, expected at most 11" in refusal(
        two, limits=MediaLimits(all_pixels=11)
    )
    files = [file_of(SMALL), data_url(file_of(SMALL))]
    most = len(files[0]) * 2
    both = {**two, "multi_modal_data": {"image": files}}
    assert len(read(both, limits=MediaLimits(num_bytes=most)).token_ids) == 12
    for each in (both, {**two, "multi_modal_data": {"image": files[::-1]}}):
        assert f"{most - 1} bytes" in refusal(each, limits=MediaLimits(num_bytes=most - 1)).replace(
            f"larger than {most - 1 - len(files[0])} bytes", f"{most - 1} bytes"
        )
    with pytest.raises(ConfigError, match="limit_mm_per_prompt has 'images', expected 'audio', 'image' or 'video'"):
        EngineConfig(limit_mm_per_prompt={"images": 1})
    sounds = {"prompt": "<audio><audio>", "multi_modal_data": {"audio": [SOUND, SOUND]}}
    assert "audio 0 to 1 have 4 samples together, expected at most 3" in refusal(sounds, limits=MediaLimits(samples=3))


def test_an_item_may_raise_anything(tmp_path: Path) -> None:
    """Images of Pillow whose file is damaged or closed when they are decoded, and tensors without a shape."""
    (tmp_path / "half.png").write_bytes(file_of(picture(40, 40))[:800])
    with Image.open(tmp_path / "half.png") as closed:
        pass
    for image, said in (
        (Image.open(tmp_path / "half.png"), "image 0 cannot be read: image file is truncated"),
        (closed, "image 0 cannot be read: AssertionError"),
        (torch.nested.nested_tensor([torch.zeros(3)]), "image 0 cannot be read: "),
    ):
        assert said in refusal({**ONE, "multi_modal_data": {"image": image}})


def test_bytes_in_other_forms_count_too() -> None:
    data = file_of(SMALL)
    for form in (bytearray, memoryview):
        prompt = {**ONE, "multi_modal_data": {"image": form(data)}}
        assert len(read(prompt).token_ids) == 6
        assert "more than 9 bytes together" in refusal(prompt, limits=MediaLimits(num_bytes=9))


def test_a_processor_may_raise_anything() -> None:
    class Broken(FakeProcessor):
        def process(self, *_: Any) -> Any:
            raise KeyError("size")

    prompts = PromptReader(FakeTokenizer(), 200, media=MediaReader(Broken(), EngineConfig()))
    with pytest.raises(RequestError, match="request: the processor failed on the prompt: KeyError: 'size'"):
        prompts.read("request", {"prompt": "<image>", "multi_modal_data": {"image": SMALL}})


def test_a_model_of_texts_refuses_media_by_name() -> None:
    prompts = PromptReader(FakeTokenizer(), 200)
    with pytest.raises(RequestError, match="'multi_modal_data', but the model reads texts and tokens only"):
        prompts.read("request", {"prompt": "a", "multi_modal_data": {"image": SMALL}})


def test_a_slow_server_keeps_no_other_prompt_waiting() -> None:
    """One prompt waits for its download while others are decoded."""
    said: list[str] = []
    with web_server() as (address, seen):
        prompts = reader(MediaLimits(seconds=60.0), allowed_media_domains=["127.0.0.1"])

        def slow() -> None:
            try:
                prompts.read("slow", {"prompt": "<image>", "multi_modal_data": {"image": f"{address}/slow"}})
            except RequestError as error:
                said.append(str(error))

        thread = threading.Thread(target=slow)
        thread.start()
        until(lambda: seen)
        for _ in range(20):
            prompts.read("fast", {"prompt": "<image>", "multi_modal_data": {"image": SMALL}})
        assert thread.is_alive()
    thread.join()  # the server has ended its answer
    assert "slow: image 0" in said[0]
