"""OpenAI's own client against the server: texts, streams, logprobs and vectors are those of `LLM`."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import httpx
import openai
from openai import types
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from tests import models
from tests.serving.harness import TEMPLATE, Running
from torchpaged import LLM, AsyncLLM, BeamSearchParams, PoolerConfig, SamplingParams
from torchpaged.async_engine.async_llm import RequestStream
from torchpaged.requests.chat_sampling import chat_params
from torchpaged.serving import answers, connections

SETTINGS: dict[str, Any] = {
    "dtype": "float32",
    "optimize": True,  # rows keep their bits in any batch
    "num_blocks": 400,
    "chat_template": TEMPLATE,
    "served_model_name": "stdlib",
    "pooler_config": PoolerConfig(),
    "generation_config": "vllm",  # chats as `LLM.chat`'s
}
PROMPTS = ["def main(", "import os\n", "class Queue:"]
MESSAGES: Any = [{"role": "user", "content": "def main("}]


@pytest.fixture(scope="module")
def offline() -> Iterator[LLM]:
    with LLM(models.STDLIB_LM, **SETTINGS) as llm:
        yield llm


@pytest.fixture(scope="module")
def server(offline: LLM) -> Iterator[Running]:
    with Running(AsyncLLM(models.STDLIB_LM, **SETTINGS)) as running:
        yield running


def complete(offline: LLM, prompts: Any, **params: Any) -> list[Any]:
    return offline.generate(prompts, SamplingParams(**params), use_tqdm=False)


def test_completions(server: Running, offline: LLM) -> None:
    params: dict[str, Any] = {"n": 2, "temperature": 0.8, "seed": 7, "max_tokens": 9, "stop": ["os", "\n\n"]}
    answer = server.client().completions.create(model="stdlib", prompt=PROMPTS, **params, user="me")
    expected = complete(offline, PROMPTS, **params)
    flat = [completion for output in expected for completion in output.outputs]
    assert [choice.text for choice in answer.choices] == [each.text for each in flat]
    assert [choice.finish_reason for choice in answer.choices] == [each.finish_reason for each in flat]
    assert [choice.index for choice in answer.choices] == list(range(6))
    assert answer.id.startswith("cmpl-") and answer.object == "text_completion" and answer.model == "stdlib"
    assert answer.usage is not None and answer.usage.completion_tokens == sum(len(each.token_ids) for each in flat)
    assert answer.usage.prompt_tokens == sum(len(output.prompt_token_ids) for output in expected)
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_prompts_of_tokens_and_vllm_s_fields(server: Running, offline: LLM) -> None:
    more: dict[str, Any] = {"top_k": 20, "min_p": 0.01, "repetition_penalty": 1.1, "min_tokens": 3, "ignore_eos": True}
    (expected,) = complete(offline, [[315, 1588, 8]], seed=3, max_tokens=6, **more)
    for prompt in ([315, 1588, 8], [[315, 1588, 8]]):
        answer = server.client().completions.create(
            model="stdlib", prompt=prompt, seed=3, max_tokens=6, extra_body={**more, "return_token_ids": True}
        )
        (choice,) = answer.choices
        assert choice.text == expected.outputs[0].text
        assert choice.token_ids == expected.outputs[0].token_ids  # type: ignore[attr-defined]
        assert choice.prompt_token_ids == [315, 1588, 8]  # type: ignore[attr-defined]


@pytest.mark.parametrize("echo", [False, True])
def test_a_stream_adds_up_to_the_whole(server: Running, echo: bool) -> None:
    params: dict[str, Any] = {"n": 2, "temperature": 0.8, "seed": 7, "max_tokens": 9, "logprobs": 1, "echo": echo}
    client = server.client()
    whole = client.completions.create(model="stdlib", prompt=PROMPTS, **params)
    texts, tokens, offsets, reasons = [""] * 6, [[] for _ in range(6)], [[] for _ in range(6)], [None] * 6  # type: ignore
    usage = None
    for chunk in client.completions.create(
        model="stdlib", prompt=PROMPTS, stream=True, stream_options={"include_usage": True}, **params
    ):
        assert not (chunk.usage and chunk.choices)
        usage = chunk.usage or usage
        for choice in chunk.choices:
            texts[choice.index] += choice.text
            assert choice.logprobs is not None
            tokens[choice.index] += choice.logprobs.tokens or []
            offsets[choice.index] += choice.logprobs.text_offset or []
            reasons[choice.index] = choice.finish_reason or reasons[choice.index]
    assert texts == [choice.text for choice in whole.choices]
    assert reasons == [choice.finish_reason for choice in whole.choices]
    for choice, own, places in zip(whole.choices, tokens, offsets, strict=True):
        assert choice.logprobs is not None and own == choice.logprobs.tokens
        assert "".join(own) == choice.text and places[0] == 0
        assert [choice.text[place:][: len(text)] for place, text in zip(places, own, strict=True)] == own
    assert usage is not None and whole.usage is not None
    assert usage.completion_tokens == whole.usage.completion_tokens == 54
    assert usage.prompt_tokens == whole.usage.prompt_tokens


def test_offsets_do_not_depend_on_what_is_held_back(server: Running) -> None:
    """Text that may be the beginning of a stop string is sent later than its tokens."""
    params: dict[str, Any] = {"temperature": 0, "max_tokens": 12, "logprobs": 0, "stop": ["\n" * 9, "    x"]}
    client = server.client()
    (whole,) = client.completions.create(model="stdlib", prompt="import os\n" * 5, **params).choices
    chunks = client.completions.create(model="stdlib", prompt="import os\n" * 5, stream=True, **params)
    told = [choice.logprobs.text_offset or [] for chunk in chunks for choice in chunk.choices if choice.logprobs]
    assert whole.logprobs is not None and [offset for each in told for offset in each] == whole.logprobs.text_offset


def test_usage_with_every_frame(server: Running) -> None:
    options: Any = {"include_usage": True, "continuous_usage_stats": True}
    chunks = list(
        server.client().completions.create(
            model="stdlib", prompt="import", max_tokens=5, stream=True, stream_options=options
        )
    )
    counts = [chunk.usage.completion_tokens for chunk in chunks if chunk.usage is not None]
    assert len(counts) == len(chunks) and counts == sorted(counts) and counts[-1] == 5


def test_logprobs_are_the_engine_s(server: Running, offline: LLM) -> None:
    """As lm-eval's local-completions requests them: those of a prompt, with nothing generated."""
    (expected,) = complete(offline, [PROMPTS[0] + "self"], max_tokens=1, prompt_logprobs=2)
    for max_tokens in (0, 1):
        answer = server.client().completions.create(
            model="stdlib", prompt=PROMPTS[0] + "self", max_tokens=max_tokens, temperature=0, logprobs=2, echo=True
        )
        found = answer.choices[0].logprobs
        assert found is not None and found.token_logprobs is not None and found.top_logprobs is not None
        rows = expected.prompt_logprobs[1:]
        values = [row[token].logprob for row, token in zip(rows, expected.prompt_token_ids[1:], strict=True)]
        assert found.token_logprobs[0] is None
        assert found.token_logprobs[1 : len(rows) + 1] == pytest.approx(values, abs=1e-4)
        assert found.top_logprobs[1].keys() >= {each.decoded_token for each in rows[0].values()}
        assert found.tokens is not None and len(found.tokens) == len(rows) + 1 + max_tokens
        assert answer.choices[0].text.startswith(PROMPTS[0] + "self") and answer.choices[0].finish_reason == "length"


def test_a_stream_tells_each_choice_of_its_prompt(server: Running) -> None:
    """The engine computes the prompt's logprobs once, whenever the choice begins."""
    asked: dict[str, Any] = {"model": "stdlib", "prompt": ["import os", "def f"], "n": 3, "max_tokens": 3, "seed": 1}
    asked |= {"logprobs": 1, "echo": True, "extra_body": {"prompt_logprobs": 1}}
    whole = server.client().completions.create(**asked)
    streamed: dict[int, list[Any]] = {}
    for chunk in server.client().completions.create(**asked, stream=True):
        for choice in chunk.choices:
            streamed.setdefault(choice.index, []).append(choice)
    for choice in whole.choices:
        first, *more = streamed[choice.index]
        assert first.prompt_logprobs == choice.prompt_logprobs and len(first.prompt_logprobs) >= 2
        assert not any(hasattr(each, "prompt_logprobs") for each in more)
        tokens = [token for each in (first, *more) if each.logprobs for token in each.logprobs.tokens]
        assert choice.logprobs is not None and tokens == choice.logprobs.tokens


def test_chat(server: Running, offline: LLM) -> None:
    params: dict[str, Any] = {"temperature": 0.8, "seed": 7, "n": 2}
    answer = server.client().chat.completions.create(
        model="stdlib", messages=MESSAGES, max_completion_tokens=8, logprobs=True, top_logprobs=2, **params
    )
    (expected,) = offline.chat(MESSAGES, SamplingParams(max_tokens=8, logprobs=2, **params), use_tqdm=False)
    for choice, completion in zip(answer.choices, expected.outputs, strict=True):
        assert choice.message.content == completion.text and choice.message.role == "assistant"
        assert choice.logprobs is not None and choice.logprobs.content is not None
        for each, token, row in zip(choice.logprobs.content, completion.token_ids, completion.logprobs, strict=True):
            assert each.token == row[token].decoded_token and bytes(each.bytes or ()) == each.token.encode()
            assert each.logprob == pytest.approx(row[token].logprob, abs=1e-4) and len(each.top_logprobs) == 2
    texts, roles, reasons = ["", ""], [0, 0], [None, None]
    for chunk in server.client().chat.completions.create(
        model="stdlib", messages=MESSAGES, max_tokens=8, stream=True, **params
    ):
        for choice in chunk.choices:
            texts[choice.index] += choice.delta.content or ""
            roles[choice.index] += choice.delta.role == "assistant"
            reasons[choice.index] = choice.finish_reason or reasons[choice.index]  # type: ignore[call-overload]
    assert texts == [choice.message.content for choice in answer.choices] and roles == [1, 1]
    assert reasons == ["length", "length"]


def test_a_chat_goes_on_to_the_model_s_limit(server: Running) -> None:
    """Without max_tokens, as OpenAI's; and a last message may be continued."""
    long: Any = [{"role": "user", "content": "a " * 1010}]
    answer = server.client().chat.completions.create(model="stdlib", messages=long, extra_body={"ignore_eos": True})
    assert answer.usage is not None and answer.usage.total_tokens == 1024
    assert answer.choices[0].finish_reason == "length"
    begun: Any = [
        {"role": "user", "content": [{"type": "text", "text": "def "}]},
        {"role": "assistant", "content": "ma"},
    ]
    more = {"continue_final_message": True, "return_token_ids": True}
    answer = server.client().chat.completions.create(model="stdlib", messages=begun, max_tokens=1, extra_body=more)
    assert answer.prompt_token_ids == server.llm.get_tokenizer()("def ma")["input_ids"]  # type: ignore[attr-defined]


def test_many_at_once(server: Running, offline: LLM) -> None:
    """The asynchronous client: concurrent streams and whole answers, each the same as alone."""
    prompts = [f"def f{number}(" for number in range(24)]
    expected = complete(offline, prompts, temperature=0, max_tokens=10)

    async def ask() -> list[str]:
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="x", max_retries=0) as client:

            async def one(number: int) -> str:
                request: Any = {"model": "stdlib", "prompt": prompts[number], "max_tokens": 10, "temperature": 0}
                if number % 2:
                    return (await client.completions.create(**request)).choices[0].text
                text = ""
                async for chunk in await client.completions.create(**request, stream=True):
                    text += chunk.choices[0].text
                return text

            return await asyncio.gather(*map(one, range(24)))

    assert asyncio.run(ask()) == [output.outputs[0].text for output in expected]


def test_who_leaves_a_stream_ends_its_request(server: Running) -> None:
    for chat in (False, True):
        client = server.client()
        stream: Any = (
            client.chat.completions.create(model="stdlib", messages=MESSAGES, stream=True)
            if chat
            else client.completions.create(model="stdlib", prompt="import", max_tokens=1000, stream=True)
        )
        next(iter(stream))
        stream.close()
        client.close()
        server.wait_until_idle()


def test_cached_tokens_are_told(server: Running) -> None:
    prompt = "class Stack:\n    def push(self, item):\n        self.items.append(item)\n" * 4
    for least in (0, 32):
        usage = server.client().completions.create(model="stdlib", prompt=prompt, max_tokens=1).usage
        assert usage is not None and usage.prompt_tokens_details is not None
        assert (usage.prompt_tokens_details.cached_tokens or 0) >= least


@pytest.mark.parametrize("form", ["float", "base64"])
def test_embeddings(server: Running, offline: LLM, form: Any) -> None:
    """The client asks for base64 by default, and decodes it."""
    answer = server.client().embeddings.create(model="stdlib", input=PROMPTS, encoding_format=form, dimensions=8)
    if form == "base64":
        answer = server.client().embeddings.create(model="stdlib", input=PROMPTS, dimensions=8)
    expected = [output.outputs.embedding for output in offline.embed(PROMPTS, use_tqdm=False)]
    for each, whole in zip(answer.data, expected, strict=True):
        cut = whole[:8]
        length = sum(value * value for value in cut) ** 0.5
        assert each.embedding == pytest.approx([value / length for value in cut], abs=1e-4)
    assert answer.usage.prompt_tokens == answer.usage.total_tokens > 0


def test_scores(server: Running, offline: LLM) -> None:
    answer = server.http.post("/v1/score", json={"text_1": "import os", "text_2": PROMPTS}).json()
    expected = [output.outputs.score for output in offline.score("import os", PROMPTS, use_tqdm=False)]
    assert [each["score"] for each in answer["data"]] == pytest.approx(expected, abs=1e-4)


def test_models_and_tokens(server: Running) -> None:
    client = server.client()
    assert [model.id for model in client.models.list()] == ["stdlib"]
    assert client.models.retrieve("stdlib").max_model_len == 1024  # type: ignore[attr-defined]
    read = server.http.post("/tokenize", json={"prompt": "def main(", "return_token_strs": True}).json()
    assert read == {"count": 3, "max_model_len": 1024, "tokens": [315, 1588, 8], "token_strs": ["def", "Ġmain", "("]}
    assert server.http.post("/tokenize", json={"messages": MESSAGES}).json()["tokens"] == [315, 1588, 8]
    assert server.http.post("/detokenize", json={"tokens": [315, 1588, 8]}).json() == {"prompt": "def main("}


def test_the_same_bytes_alone_and_under_load(server: Running) -> None:
    """Greedy, and sampled with a seed: concurrent requests do not change the text of an answer."""
    request: Any = {"model": "stdlib", "prompt": "def same(", "max_tokens": 20, "temperature": 0.9, "seed": 11}
    alone = server.client().completions.create(**request).choices[0].text

    async def beside() -> str:
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="x", max_retries=0) as client:
            others = [
                client.completions.create(model="stdlib", prompt=f"x{number} =", max_tokens=20, seed=number)
                for number in range(20)
            ]
            answer, *_ = await asyncio.gather(client.completions.create(**request), *others)
            return answer.choices[0].text

    assert asyncio.run(beside()) == alone


def test_beams(server: Running, offline: LLM) -> None:
    """vLLM's `use_beam_search`: the texts of `LLM.beam_search`, best first."""
    (expected,) = offline.beam_search(PROMPTS[:1], BeamSearchParams(beam_width=3, max_tokens=6), use_tqdm=False)
    texts = [completion.text for completion in expected.outputs]
    search: Any = {"use_beam_search": True}
    answer = server.client().completions.create(
        model="stdlib", prompt=PROMPTS[:1], n=3, max_tokens=6, temperature=0, extra_body=search
    )
    assert [choice.text for choice in answer.choices] == texts and len(set(texts)) == 3
    chat = server.client().chat.completions.create(
        model="stdlib", messages=MESSAGES, n=3, max_tokens=6, extra_body=search
    )
    assert [choice.message.content for choice in chat.choices] == texts
    for more in ({"stream": True}, {"top_p": 0.5}, {"max_tokens": 0}):
        with pytest.raises(openai.BadRequestError):
            server.client().completions.create(**{"model": "stdlib", "prompt": "x", **more}, extra_body=search)  # type: ignore


def test_the_same_bytes_alone_and_under_64_others(server: Running) -> None:
    """All of an answer but the time of day, and what was found in the cache; and all that a stream brings, in however
    many frames. So says the fingerprint, which is that of any other start."""

    def body(seed: int, prompt: str, count: int) -> dict[str, Any]:
        sampled = {"seed": seed, "temperature": 0.9, "top_p": 0.95, "logprobs": 2, "max_tokens": count}
        return {"prompt": prompt, "request_id": "same", "stream": False, **sampled}

    async def ask(client: httpx.AsyncClient, asked: dict[str, Any]) -> str:
        answer = await client.post("/v1/completions", json=asked)
        assert answer.status_code == 200
        if not asked["stream"]:
            return re.sub(r'"(created|cached_tokens)":\d+', "", answer.text)
        frames = [json.loads(line[6:]) for line in answer.text.split("\n\n") if line.startswith("data: {")]
        choices = [frame["choices"][0] for frame in frames]
        told = [each for choice in choices for each in choice["logprobs"]["token_logprobs"]]
        return repr(("".join(choice["text"] for choice in choices), told, choices[-1]["finish_reason"]))

    async def both() -> None:
        limits = httpx.Limits(max_connections=100)
        async with httpx.AsyncClient(base_url=server.url, timeout=60, limits=limits) as client:
            mine = [{**body(7, "def main(", 24), "stream": stream} for stream in (False, True)]
            alone = [await ask(client, each) for each in mine]
            others = [body(number, f"class Q{number}:\n    " * (1 + number % 7), 12) for number in range(64)]
            tasks = [asyncio.ensure_future(ask(client, each)) for each in others]
            assert await asyncio.gather(*(ask(client, each) for each in mine)) == alone
            await asyncio.gather(*tasks)
            assert await asyncio.gather(*(ask(client, each) for each in mine)) == alone
            assert re.findall(r'"system_fingerprint":"(fp_[0-9a-f]{12})"', alone[0]) == [fingerprint]

    with LLM(models.STDLIB_LM, **SETTINGS) as again:
        fingerprint = again.engine.system_fingerprint()
    asyncio.run(both())


def test_chats_have_defaults_of_their_own(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chats and responses use `chat_params` if the checkpoint has no sampling parameters; completions use vLLM's."""
    seen: list[SamplingParams] = []
    generate = server.llm.generate

    def noting(prompt: Any, params: Any, **options: Any) -> Any:
        seen.append(params)
        return generate(prompt, params, **options)

    monkeypatch.setattr(server.llm, "generate", noting)
    monkeypatch.setattr(server.llm, "chat_params", chat_params(server.llm.default_params))
    client, few = server.client(), {"model": "stdlib", "max_tokens": 2}
    client.chat.completions.create(messages=MESSAGES, **few)
    client.chat.completions.create(messages=MESSAGES, temperature=0.3, top_p=1, **few)
    client.responses.create(input="def main(", model="stdlib", max_output_tokens=2)
    client.completions.create(prompt="def main(", **few)
    values = [(each.temperature, each.top_k, each.top_p, each.min_p) for each in seen]
    assert values == [(0.8, 40, 0.95, 0.05), (0.3, 40, 1.0, 0.05), (0.8, 40, 0.95, 0.05), (1.0, 0, 1.0, 0.0)]


def form(frame: str) -> str:
    """Return a frame's letters without values, of which merged ones have more: texts, numbers, tokens, logprobs."""
    frame = re.sub(r'"logprobs":\{.*\}(?=,"finish_reason")', '"logprobs":{}', frame)
    return re.sub(r':("([^"\\]|\\.)*"|\[[0-9,]*\]|[0-9]+)', ":", frame)


@pytest.mark.parametrize("more", [{}, {"stop": ["("]}, {"n": 2}, {"return_token_ids": True}, {"logprobs": 1}])
def test_what_is_written_in_one_go_is_what_would_be_written(
    server: Running, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    """Pieces of text in the middle of a stream skip the code that makes choices: the frames have the same form."""
    common = {"request_id": "same", "stream": True, "max_tokens": 12, "stream_options": {"include_usage": True}}
    of_chats = {**more, "logprobs": True} if "logprobs" in more else more
    made: list[int] = []

    def frames(path: str, sent: dict[str, Any]) -> tuple[set[Any], dict[int, str], int]:
        """Return the names in each kind of frame, in their order; each choice's text; the number of tokens."""
        answer = server.http.post(path, json={**common, **sent})
        assert answer.status_code == 200 and answer.text.endswith("data: [DONE]\n\n")
        # Two steps may be merged for a client that reads slowly.
        read = [json.loads(line[6:]) for line in answer.text.split("\n\n") if line.startswith("data: {")]
        made.append(len(read))
        names, texts = set[Any](), dict[int, str]()
        if "n" not in more:  # otherwise a frame may hold two choices
            names |= {form(line) for line in answer.text.split("\n\n")[:-3]}
        for frame in read:
            choices = frame["choices"]
            for choice in choices:
                names.add((*frame, "of", *choice, *choice.get("delta", ())))
                piece = choice.get("text", choice.get("delta", {}).get("content")) or ""
                texts[choice["index"]] = texts.get(choice["index"], "") + piece
        return names, texts, read[-1]["usage"]["completion_tokens"]

    for path, kind, sent in (
        ("/v1/completions", answers.CompletionAnswer, {"prompt": "def main(", "seed": 1, **more}),
        ("/v1/chat/completions", answers.ChatAnswer, {"messages": MESSAGES, "seed": 1, **of_chats}),
    ):
        plain = frames(path, sent)
        with monkeypatch.context() as patched:
            patched.setattr(kind, "_plain_choice", lambda self: None)
            assert frames(path, sent) == plain
    assert min(made) > 2


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/chat/completions"])
def test_what_is_written_without_a_task_s_turn_is_what_would_be_written(
    server: Running, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Clients that read all at once, in parts, or late get the same bytes. Tasks sleep meanwhile."""
    asked = {"prompt": "def main("} if path == "/v1/completions" else {"messages": MESSAGES}
    sent = {"request_id": "same", "stream": True, "max_tokens": 60, "ignore_eos": True, "seed": 1, **asked}
    write, turn, choose = connections._written, RequestStream.__anext__, random.Random(1)
    counts = {"written": 0, "turns": 0}

    def body(share: float) -> tuple[str, str, int]:
        """Return (a frame's form, the text, tokens) if such a share of all frames is not written at once."""

        def written(cycle: Any, frame: bytes) -> bool:
            counts["written"] += (taken := choose.random() >= share and write(cycle, frame))
            return taken

        async def counted(stream: Any) -> Any:
            counts["turns"] += 1
            return await turn(stream)

        counts.update(written=0, turns=0)
        with monkeypatch.context() as patched:
            patched.setattr(connections, "_written", written)
            patched.setattr(RequestStream, "__anext__", counted)
            answer = server.http.post(path, json={**sent, "stream_options": {"include_usage": True}})
        *lines, usage, done, nothing = answer.text.split("\n\n")
        assert answer.status_code == 200 and (done, nothing) == ("data: [DONE]", "")
        read = [json.loads(line[6:])["choices"][0] for line in lines]
        text = "".join(each.get("text", each.get("delta", {}).get("content")) or "" for each in read)
        forms = {form(line) for line in lines}
        return str(sorted(forms)), text, json.loads(usage[6:])["usage"]["completion_tokens"]

    at_once = body(0.0)
    assert at_once[2] == 60 and counts["written"] >= 4 * counts["turns"]
    assert body(0.5) == at_once and counts["written"]
    assert body(1.0) == at_once and not counts["written"]


@pytest.mark.parametrize("more", [{}, {"logprobs": True, "top_logprobs": 2}, {"n": 2, "stop": ["("]}])
def test_answers_are_of_openai_s_types_strictly(server: Running, more: dict[str, Any]) -> None:
    """The client's models accept wrong types unless they are strict."""
    of_texts = {"logprobs": 2} if "logprobs" in more else more
    for path, whole, chunk, sent in (
        ("/v1/completions", types.Completion, types.Completion, {"prompt": "def main(", **of_texts}),
        ("/v1/chat/completions", ChatCompletion, ChatCompletionChunk, {"messages": MESSAGES, **more}),
    ):
        body = {"model": "stdlib", "max_tokens": 5, **sent}
        whole.model_validate_json(server.http.post(path, json=body).content, strict=True)
        usage = {"stream": True, "stream_options": {"include_usage": True}}
        lines = server.http.post(path, json={**body, **usage}).text.split("\n\n")
        frames = [line.removeprefix("data: ") for line in lines if line.startswith("data: {")]
        assert len(frames) > 1  # as many as steps have been waited for, and the usage
        for frame in frames:
            # While a completion goes on OpenAI says null, which its own type of a whole completion does not have.
            goes_on = frame.replace('"finish_reason":null', '"finish_reason":"stop"') if "prompt" in sent else frame
            chunk.model_validate_json(goes_on, strict=True)
    types.CreateEmbeddingResponse.model_validate_json(
        server.http.post("/v1/embeddings", json={"model": "stdlib", "input": PROMPTS}).content, strict=True
    )
    for each in server.http.get("/v1/models").json()["data"]:
        types.Model.model_validate(each, strict=True)
