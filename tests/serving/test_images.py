"""Images through the server: OpenAI's and Anthropic's clients, and hostile ones, whose requests alone fail."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import openai

from tests import vision_models
from tests.lazy import lazy
from tests.media.files import bomb, data_url, file_of, picture, web_server
from tests.models import STDLIB_LM
from tests.serving.harness import Running, until
from torchpaged import LLM, AsyncLLM, SamplingParams
from torchpaged.async_engine import tokenizer_pool
from torchpaged.media.limits import MediaLimits
from torchpaged.serving.batch_file import BatchOutput, answer
from torchpaged.serving.options import ServeOptions

anthropic = lazy("anthropic")
TEMPLATE = (
    "{% for m in messages %}{{ m.role }}:{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}"
    "{% if p.type == 'text' %}{{ p.text }}{% else %}<{{ p.type }}>{% endif %}{% endfor %}{% endif %};{% endfor %}"
)
SETTINGS: dict[str, Any] = {
    "num_blocks": 200,
    "block_size": 4,
    "max_num_seqs": 8,
    "chat_template": TEMPLATE,
    "served_model_name": "x",
}
PICTURE = file_of(vision_models.image(1))
URL = data_url(PICTURE)
GREEDY: dict[str, Any] = {"temperature": 0, "max_tokens": 6}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tiny llava."""
    path = tmp_path_factory.mktemp("llava")
    vision_models.save(vision_models.build("llava"), path)
    return path


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    """Run a web server of images."""
    with web_server() as (address, _):
        yield address


@pytest.fixture(scope="module")
def server(folder: Path, web: str) -> Iterator[Running]:
    """Run a server of the tiny llava."""
    llm = AsyncLLM(folder, allowed_media_domains=["127.0.0.1"], limit_mm_per_prompt={"image": 3}, **SETTINGS)
    with Running(llm) as running:
        yield running


def user(*parts: Any) -> list[Any]:
    """Return a conversation of one message."""
    return [{"role": "user", "content": list(parts)}]


def text(words: str) -> dict[str, Any]:
    """Return a part of a message."""
    return {"type": "text", "text": words}


def image(url: str = URL) -> dict[str, Any]:
    """Return a part of a message."""
    return {"type": "image_url", "image_url": {"url": url}}


ASKED = user(image(), text("import os"))


@pytest.fixture(scope="module")
def expected(folder: Path) -> tuple[str, int]:
    """Return the answer of `LLM.chat`, and the number of the prompt's tokens."""
    with LLM(str(folder), **SETTINGS) as llm:
        (found,) = llm.chat(ASKED, SamplingParams(**GREEDY), use_tqdm=False)
        (processed,) = llm.preprocess_chat(ASKED)
        (again,) = llm.generate(processed, SamplingParams(**GREEDY), use_tqdm=False)
        assert again.outputs[0].token_ids == found.outputs[0].token_ids
        return found.outputs[0].text, len(found.prompt_token_ids or ())


def test_openai_s_chats(server: Running, expected: tuple[str, int]) -> None:
    client = server.client()
    answer = client.chat.completions.create(model="x", messages=ASKED, **GREEDY)
    assert (answer.choices[0].message.content, answer.usage.prompt_tokens) == expected
    stream = client.chat.completions.create(model="x", messages=ASKED, stream=True, **GREEDY)
    assert "".join(each.choices[0].delta.content or "" for each in stream if each.choices) == expected[0]


def test_a_batch_file(folder: Path, expected: tuple[str, int], tmp_path: Path) -> None:
    """A line takes the parts of a chat; a bad image fails its line alone."""
    chats = [ASKED, user(image(data_url(b"hello")), text("x")), ASKED]
    lines: list[dict[str, Any]] = [
        {"custom_id": str(number), "method": "POST", "url": "/v1/chat/completions", "body": {"messages": chat} | GREEDY}
        for number, chat in enumerate(chats)
    ]
    path, output = tmp_path / "in.jsonl", BatchOutput(tmp_path / "out.jsonl")
    path.write_text("".join(json.dumps(each | {"body": each["body"] | {"model": "x"}}) + "\n" for each in lines))
    llm = AsyncLLM(folder, **SETTINGS)
    try:
        with output:
            tally = answer(llm, ServeOptions(), path, output, "", len(lines), quiet=True)
    finally:
        llm.shutdown()
    assert (tally.num_done, tally.num_failed) == (3, 1) and "image 0: its 5 bytes are no image" in tally.errors[0]
    found = {each["custom_id"]: each["response"] for each in map(json.loads, output.path.read_text().splitlines())}
    assert [found[each]["status_code"] for each in "012"] == [200, 400, 200]
    texts = {found[each]["body"]["choices"][0]["message"]["content"] for each in "02"}
    assert texts == {expected[0]}


def test_a_second_question_finds_the_image_in_the_cache(server: Running) -> None:
    """Blocks are shared by the same image, and not by another."""
    client = server.client()
    more = {"image": (PICTURE, 20), "other": (file_of(vision_models.image(2)), 1)}
    for name, (data, least) in more.items():
        answer = client.chat.completions.create(
            model="x", messages=user(image(data_url(data)), text(f"and {name}?")), **GREEDY
        )
        cached = answer.usage.prompt_tokens_details.cached_tokens
        assert (cached >= 16) is (least > 1), (name, cached)


def test_an_image_from_the_web(server: Running, web: str) -> None:
    client = server.client()
    one = client.chat.completions.create(model="x", messages=user(image(f"{web}/image.png"), text("x")), **GREEDY)
    same = user(image(data_url(file_of(picture()))), text("x"))
    other = client.chat.completions.create(model="x", messages=same, **GREEDY)
    assert one.choices[0].message.content == other.choices[0].message.content


def test_openai_s_responses(server: Running, expected: tuple[str, int]) -> None:
    parts = [{"type": "input_image", "image_url": URL}, {"type": "input_text", "text": "import os"}]
    given: Any = [{"role": "user", "content": parts}]
    answer = server.client().responses.create(model="x", input=given, store=False, temperature=0, max_output_tokens=6)
    assert (answer.output_text, answer.usage.input_tokens) == expected


def test_anthropic_s_messages(server: Running, expected: tuple[str, int]) -> None:
    client = anthropic.Anthropic(base_url=server.url, api_key="none", max_retries=0)
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PICTURE).decode()}
    asked: Any = user({"type": "image", "source": source}, text("import os"))
    answer = client.messages.create(model="x", messages=asked, max_tokens=6, extra_body={"temperature": 0})
    assert answer.content[0].text == expected[0]
    assert answer.usage.input_tokens + (answer.usage.cache_read_input_tokens or 0) == expected[1]
    assert client.messages.count_tokens(model="x", messages=asked).input_tokens == expected[1]
    refused: Any = user({"type": "image", "source": {"type": "url", "url": "https://example.org/x.png"}})
    with pytest.raises(anthropic.BadRequestError, match=r"the host .example.org., expected one of 127\.0\.0\.1"):
        client.messages.create(model="x", messages=refused, max_tokens=6)


def test_an_image_in_a_tool_s_result(server: Running) -> None:
    client = anthropic.Anthropic(base_url=server.url, api_key="none", max_retries=0)
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PICTURE).decode()}
    result = {"type": "tool_result", "tool_use_id": "1", "content": [text("seen"), {"type": "image", "source": source}]}
    call = {"type": "tool_use", "id": "1", "name": "look", "input": {}}
    asked: Any = [*user(text("look")), {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    plain: Any = [asked[0], asked[1], {"role": "user", "content": [{**result, "content": "seen"}]}]
    counts = [client.messages.count_tokens(model="x", messages=each).input_tokens for each in (asked, plain)]
    assert counts[0] == counts[1] + 16


def test_tokenize(server: Running, expected: tuple[str, int]) -> None:
    found = server.http.post("/tokenize", json={"messages": ASKED}).json()
    assert found["count"] == expected[1]


def test_the_engine_in_a_process_of_its_own(folder: Path, expected: tuple[str, int]) -> None:
    """The processor is sent to this process, and processed images to the engine's."""
    with Running(AsyncLLM(folder, engine_process=True, **SETTINGS)) as running:
        answer = running.client().chat.completions.create(model="x", messages=ASKED, **GREEDY)
        assert (answer.choices[0].message.content, answer.usage.prompt_tokens) == expected
        with pytest.raises(openai.BadRequestError, match="nothing is fetched from a network"):
            running.client().chat.completions.create(model="x", messages=user(image("https://x/y")), **GREEDY)


HOSTILE: dict[str, tuple[list[Any], str]] = {
    "a bomb": (user(image(data_url(bomb(60_000, 60_000)))), "image 0: "),
    "an SVG": (user(image(data_url(b"<svg/>", "image/svg+xml"))), "image 0: it is an SVG"),
    "a truncated file": (user(image(data_url(PICTURE[:-60]))), "image 0: it cannot be decoded"),
    "no image": (user(image(data_url(b"junk"))), "image 0: its 4 bytes are no image"),
    "no base64": (user(image("data:image/png;base64,?")), "not valid base64"),
    "an animation": (
        user(image(data_url(file_of(picture(), "GIF", save_all=True, append_images=[picture(seed=1)])))),
        "animated",
    ),
    "wide pixels": (user(image(data_url(file_of(picture().convert("I;16"), "PNG")))), "wider than eight bits"),
    "too many images": (user(*[image()] * 4), "4 items of type image, expected at most 3"),
    "10,000 images": (user(*[image("data:,")] * 10_000), "10000 items of type image"),
    "a placeholder in a text": (user(text("<image>")), "placeholder"),
    "more placeholders than images": (user(image(), text("<image>")), "2 placeholders '<image>'"),
    "a file": (user(image("file:///etc/passwd")), "no folder is allowed"),
    "a path": (user(image("/etc/passwd")), "no folder is allowed"),
    "another host": (user(image("http://169.254.169.254/latest")), "the host '169.254.169.254', expected one of"),
    "a host that is none": (user(image("http://127.0.0.1:1/x")), "could not be fetched"),
    "a sound": (user({"type": "input_audio", "input_audio": {"data": "x", "format": "wav"}}), "has the part"),
    "a video": (user({"type": "video_url", "video_url": {"url": "x"}}), "has the part"),
    "a URL that is none": (user({"type": "image_url", "image_url": {"url": None}}), "has no URL"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_fails_alone(server: Running, expected: tuple[str, int], name: str) -> None:
    messages, said = HOSTILE[name]
    with pytest.raises(openai.BadRequestError) as caught:
        server.client().chat.completions.create(model="x", messages=messages, **GREEDY)
    assert said in str(caught.value) and len(str(caught.value)) < 1500
    answer = server.client().chat.completions.create(model="x", messages=ASKED, **GREEDY)
    assert answer.choices[0].message.content == expected[0]


def test_a_placeholder_in_a_completion(server: Running) -> None:
    with pytest.raises(openai.BadRequestError, match="placeholder"):
        server.client().completions.create(model="x", prompt="a <image>", max_tokens=1)


def test_clients_do_not_choose_the_processor_s_arguments(server: Running) -> None:
    more = {"mm_processor_kwargs": {"size": {"height": 100_000}}}
    with pytest.raises(openai.BadRequestError, match="the server sets how images and sounds are processed"):
        server.client().chat.completions.create(model="x", messages=ASKED, extra_body=more)


def test_published_prefixes_know_images(folder: Path, tmp_path: Path) -> None:
    """A router tells prompts with different images apart, and a prefill computes the image."""
    (tmp_path / "secret").write_text("0123456789abcdef0123456789abcdef")
    with Running(AsyncLLM(folder, **SETTINGS), publish_prefixes=str(tmp_path / "secret")) as running:

        def ask(data: bytes, words: str = "import os") -> list[bytes]:
            asked = {"model": "x", "messages": user(text("import"), image(data_url(data)), text(words))}
            body = {"path": "/v1/chat/completions", "body": asked}
            found = running.http.post("/v1/prefixes/hashes", json=body).json()
            raw = base64.b64decode(found["hashes"])
            return [raw[place : place + 8] for place in range(0, len(raw), 8)]

        one, other = ask(PICTURE), ask(file_of(vision_models.image(2)))
        assert one == ask(PICTURE) and one[:4] == ask(PICTURE, "def")[:4]
        assert len(one) == len(other) > 4 and not set(one) & set(other)


def test_slow_downloads_keep_no_other_client_waiting(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """More downloads than threads: a text, and an image in a data: URL, are answered meanwhile."""
    monkeypatch.setattr(server.llm.tokenizer_pool._media.prompts._media, "_limits", MediaLimits(seconds=3600.0))
    said: list[str] = []
    with web_server() as (address, seen):

        def slow() -> None:
            try:
                server.client().chat.completions.create(model="x", messages=user(image(f"{address}/slow")), **GREEDY)
            except openai.OpenAIError as error:
                said.append(str(error))

        threads = [threading.Thread(target=slow) for _ in range(10)]
        for each in threads:
            each.start()
        until(lambda: len(seen) == tokenizer_pool._MOST_FETCHED)
        for messages in (ASKED, user(text("x"))):
            server.client().chat.completions.create(model="x", messages=messages, **GREEDY)
        assert not said and server.http.get("/health").status_code == 200
        asyncio.run(server.llm.abort([]))
    for each in threads:
        each.join()  # the web server has ended its answers
    assert len(said) == 10 and all("image 0" in each for each in said)


def test_a_model_of_texts_refuses_images() -> None:
    with Running(AsyncLLM(STDLIB_LM, **SETTINGS)) as running:
        with pytest.raises(openai.BadRequestError, match=r"has the part .*image_url.*the model reads texts only"):
            running.client().chat.completions.create(model="x", messages=ASKED, **GREEDY)
        source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
        asked = {"model": "x", "max_tokens": 3, "messages": user({"type": "image", "source": source})}
        answer = running.http.post("/v1/messages", json=asked)
        assert answer.status_code == 400 and "the model reads texts only" in answer.json()["error"]["message"]
