"""Conversations with images and sounds: OpenAI's parts, and templates that read lists of parts or texts."""

from __future__ import annotations

import asyncio
import base64
import functools
import threading
from typing import Any

import numpy as np
import pytest
from PIL import ImageFile

from tests.media.fake_processor import IMAGE_ID, FakeProcessor, FakeTokenizer
from tests.media.files import data_url, file_of, picture, wav, web_server
from torchpaged import EngineConfig
from torchpaged.async_engine import tokenizer_pool
from torchpaged.async_engine.tokenizer_pool import TokenizerPool
from torchpaged.errors import RequestError
from torchpaged.media.limits import MediaLimits
from torchpaged.requests.chat import ChatReader
from torchpaged.requests.media import MediaReader

# As of most checkpoints: content is a text or a list of parts.
BOTH = (
    "{% for m in messages %}{{ m.role }}:"
    "{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}"
    "{% if p.type == 'text' %}{{ p.text }}{% else %}<{{ p.type }}>{% endif %}{% endfor %}{% endif %};{% endfor %}"
)
# As of llava: only lists of parts, images first; a text as content is lost.
PARTS = (
    "{% for m in messages %}{{ m.role }}:"
    "{% for p in m.content | selectattr('type', 'equalto', 'image') %}<image>{% endfor %}"
    "{% for p in m.content | selectattr('type', 'equalto', 'text') %}{{ p.text }}{% endfor %};{% endfor %}"
)
TEXTS = "{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}"
URL = data_url(file_of(picture()))
IMAGE = {"type": "image_url", "image_url": {"url": URL, "detail": "low"}}
SOUND = wav(np.zeros(4, "<i2").tobytes(), 8000)


def user(*parts: Any) -> list[dict[str, Any]]:
    """Return a conversation of one message."""
    return [{"role": "user", "content": list(parts)}]


def text(words: str) -> dict[str, Any]:
    """Return a part of a message."""
    return {"type": "text", "text": words}


def chat(messages: Any, template: str = BOTH, processor: Any = None, **options: Any) -> dict[str, Any]:
    """Return the prompt of a conversation."""
    (prompt,) = ChatReader(FakeTokenizer(template), None, processor or FakeProcessor()).prompts(messages, **options)
    return prompt


@pytest.mark.parametrize(
    ("template", "expected"),
    [(BOTH, "user:a<image>b<image>;"), (PARTS, "user:<image><image>ab;"), (TEXTS, "user:a\n<image>\nb\n<image>;")],
)
def test_placeholders_are_written_as_the_template_writes_them(template: str, expected: str) -> None:
    prompt = chat(user(text("a"), IMAGE, "b", IMAGE), template)
    assert prompt == {"prompt": expected, "multi_modal_data": {"image": [URL, URL]}}


@pytest.mark.parametrize("template", [BOTH, PARTS, TEXTS])
def test_a_text_is_rendered_as_a_text_or_as_a_part(template: str) -> None:
    messages = [{"role": "system", "content": "be kind"}, {"role": "user", "content": [text("hello")]}]
    assert chat(messages, template) == {"prompt": "system:be kind;user:hello;"}


def test_the_processor_has_a_template_of_its_own() -> None:
    processor = FakeProcessor()
    processor.chat_template = PARTS
    assert chat(user(IMAGE, text("x")), TEXTS, processor)["prompt"] == "user:<image>x;"
    (prompt,) = ChatReader(FakeTokenizer(TEXTS), BOTH, processor).prompts(user(text("x"), IMAGE))
    assert prompt["prompt"] == "user:x<image>;"


def test_the_format_may_be_chosen() -> None:
    messages = user(text("a"), IMAGE, text("b"))
    assert chat(messages, content_format="string")["prompt"] == "user:a\n<image>\nb;"
    assert chat(messages, content_format="openai")["prompt"] == "user:a<image>b;"


@pytest.mark.parametrize(
    "part",
    [
        IMAGE,
        {"type": "image_url", "image_url": URL},
        {"type": "input_image", "image_url": URL},
        {"type": "image", "url": URL},
        {"type": "image", "image": URL},
    ],
)
def test_parts_with_a_url(part: dict[str, Any]) -> None:
    assert chat(user(part))["multi_modal_data"] == {"image": [URL]}


def test_parts_with_an_image_and_with_sounds() -> None:
    image = picture()
    for part in ({"type": "image_pil", "image_pil": image}, {"type": "image", "image": image}):
        assert chat(user(part))["multi_modal_data"]["image"][0] is image
    data = base64.b64encode(SOUND).decode()
    spoken = {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}
    heard = {"type": "audio_url", "audio_url": {"url": "https://x/y.wav"}}
    found = chat(user(spoken, text("x"), heard))
    assert found["multi_modal_data"] == {"audio": [f"data:audio/wav;base64,{data}", "https://x/y.wav"]}
    assert found["prompt"] == "user:<audio>x<audio>;"
    unset = {"type": "input_audio", "input_audio": {"data": data, "format": None}}
    assert chat(user(unset))["multi_modal_data"] == {"audio": [f"data:audio/wav;base64,{data}"]}


def test_items_of_several_messages_are_in_the_order_of_the_conversation() -> None:
    urls = [data_url(file_of(picture(seed=seed))) for seed in range(3)]
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    messages = [*user(*parts[:2]), {"role": "assistant", "content": "ok"}, *user(parts[2], text("?"))]
    assert chat(messages)["multi_modal_data"] == {"image": urls}


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"type": "video_url", "video_url": {"url": "x"}}, "expected {'type': 'text'"),
        ({"type": "image_url"}, "whose image_url has no URL and no data"),
        ({"type": "image_url", "image_url": {"uri": URL}}, "whose image_url has no URL"),
        ({"type": "image_url", "image_url": {"url": 7}}, "whose image_url has no URL"),
        ({"type": "image"}, "whose image has no URL"),
        ({"type": "input_audio", "input_audio": {"format": "wav"}}, "whose input_audio has no URL and no data"),
        ({"type": "input_audio", "input_audio": {"format": 5, "data": "x"}}, "whose format is 5, expected a text"),
        ({"type": "input_image", "file_id": "x"}, "whose image_url has no URL"),
        ({"type": "text"}, "has the part"),
        (7, "has the part 7"),
        (None, "has the part None"),
    ],
)
def test_parts_that_are_refused(part: Any, said: str) -> None:
    with pytest.raises(RequestError) as caught:
        chat(user(part))
    assert said in str(caught.value) and str(caught.value).startswith("chat: message 0 of conversation 0 has the part")
    assert len(str(caught.value)) < 500


def test_a_model_of_texts_refuses_images_by_name() -> None:
    with pytest.raises(RequestError, match=r"has the part .*image_url.*; the model reads texts only"):
        ChatReader(FakeTokenizer(BOTH)).prompts(user(IMAGE))


def test_a_processor_of_images_refuses_sounds() -> None:
    class Seeing(FakeProcessor):
        modalities = frozenset({"image"})

    with pytest.raises(RequestError, match=r"expected {'type': 'text', 'text': ...}, {'type': 'image_url', .*}}$"):
        chat(user({"type": "audio_url", "audio_url": {"url": "x"}}), processor=Seeing())


# --- TokenizerPool --------------------------------------------------------------------------------------------------


def pool(**settings: Any) -> TokenizerPool:
    """Return a pool over a fake processor."""
    return TokenizerPool(
        FakeTokenizer(BOTH), 200, max_model_len=100, media_processor=FakeProcessor(), config=EngineConfig(**settings)
    )


def test_the_pool_reads_conversations_and_prompts() -> None:
    async def run() -> None:
        threads = pool()
        try:
            prompt = await threads.chat(user(text("a"), IMAGE), add_generation_prompt=True)
            assert prompt["prompt"] == "user:a<image>;" and prompt["prompt_token_ids"].count(IMAGE_ID) == 24
            assert [(each.start, each.length) for each in prompt["media"].items] == [(6, 24)]
            assert await threads.read("request", prompt, None) == (prompt, {})
            same, _ = await threads.read(
                "request", {"prompt": "<image>", "multi_modal_data": {"image": picture()}}, None
            )
            assert isinstance(same, dict) and same["media"].items[0].content == prompt["media"].items[0].content
            ids = {"prompt_token_ids": [IMAGE_ID], "multi_modal_data": {"image": picture()}}
            assert (await threads.read("request", ids, None))[0]["prompt_token_ids"] == [IMAGE_ID] * 24
            with pytest.raises(RequestError, match="conversation: image 0: its URL is 'https://x'"):
                await threads.chat(user({"type": "image_url", "image_url": {"url": "https://x"}}))
            assert "media" not in await threads.chat(user(text("a")))
        finally:
            threads.close()

    asyncio.run(run())


def test_slow_servers_keep_neither_the_loop_nor_other_prompts_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many downloads as there are threads wait; texts, and images in data: URLs, are read meanwhile."""
    monkeypatch.setattr(tokenizer_pool, "MediaReader", functools.partial(MediaReader, limits=MediaLimits(seconds=60.0)))

    async def run(address: str, seen: list[str]) -> None:
        threads = pool(allowed_media_domains=["127.0.0.1"])
        slow = {"prompt": "<image>", "multi_modal_data": {"image": f"{address}/slow"}}
        try:
            waiting = [asyncio.ensure_future(threads.read(str(number), slow, None)) for number in range(12)]
            while len(seen) < tokenizer_pool._MOST_FETCHED:
                await asyncio.sleep(0.01)
            for _ in range(10):
                await threads.chat(user(text("a"), IMAGE))
                await threads.chat(user(text("a")))
            assert not any(each.done() for each in waiting)
            for each in waiting:
                each.cancel()
        finally:
            threads.close()

    with web_server() as (address, seen):
        asyncio.run(run(address, seen))


def test_a_large_image_keeps_the_loop_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """24 megapixels are decoded in another thread, while the loop goes on."""
    data = file_of(picture(8, 8).resize((6000, 4000)), "JPEG")
    load, loaded = ImageFile.ImageFile.load, list[threading.Thread]()

    def recorded(self: ImageFile.ImageFile) -> Any:
        loaded.append(threading.current_thread())
        return load(self)

    monkeypatch.setattr(ImageFile.ImageFile, "load", recorded)

    async def run() -> None:
        class Still(FakeProcessor):
            def process(self, label: str, prompt: Any, media: Any, options: Any) -> Any:
                assert media["image"][0].size == (6000, 4000)
                raise RequestError("seen")

        threads = TokenizerPool(
            FakeTokenizer(BOTH), 200, max_model_len=100, media_processor=Still(), config=EngineConfig()
        )
        try:
            with pytest.raises(RequestError, match="seen"):
                await threads.read("request", {"prompt": "<image>", "multi_modal_data": {"image": data}}, None)
        finally:
            threads.close()

    asyncio.run(run())
    assert loaded and threading.current_thread() not in loaded
