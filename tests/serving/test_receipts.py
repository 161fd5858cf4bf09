"""Receipts of a server's answers: whole and streamed, of all routes, verified by a model of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")
pytest.importorskip("cryptography", reason="cryptography is not installed: pip install 'torchpaged[receipts]'")

from tests import models, peft_folders
from tests.fakes import FakeModel
from tests.serving.harness import TEMPLATE, Running, fake
from torchpaged import LLM, AsyncLLM, LoRARequest
from torchpaged.errors import ConfigError
from torchpaged.receipts import SigningKey, Verdict, verify_receipts
from torchpaged.receipts.receipt import hash_text
from torchpaged.serving.receipts import Receipts

SETTINGS: dict[str, Any] = {"num_blocks": 200, "chat_template": TEMPLATE}
MESSAGES: Any = [{"role": "user", "content": "def main("}]


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "key.pem"
    SigningKey.generate().save(path)
    return path


@pytest.fixture(scope="module")
def server(key: Path) -> Iterator[Running]:
    with Running(AsyncLLM(models.STDLIB_LM, **SETTINGS), receipt_key=str(key)) as running:
        yield running


@pytest.fixture(scope="module")
def offline() -> Iterator[LLM]:
    with LLM(models.STDLIB_LM, **SETTINGS) as llm:
        yield llm


def post(server: Running, path: str, **body: Any) -> Any:
    answer = server.http.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def events(server: Running, path: str, **body: Any) -> list[dict[str, Any]]:
    answer = server.http.post(path, json={**body, "stream": True})
    assert answer.status_code == 200, answer.text
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def verdicts(server: Running, offline: LLM, receipts: list[Any], **more: Any) -> list[Verdict]:
    public_key = server.http.get("/receipt-key").json()["public_key"]
    return list(verify_receipts(offline, receipts, public_keys=[public_key], **more))


def same(server: Running, offline: LLM, receipts: list[Any], **more: Any) -> None:
    assert [each.reason for each in verdicts(server, offline, receipts, **more)] == [""] * len(receipts)


def test_completions(server: Running, offline: LLM) -> None:
    prompts = ["def main(", "import os\n"]
    asked: dict[str, Any] = {"prompt": prompts, "n": 2, "temperature": 0.9, "max_tokens": 12, "stop": ["os", "\n\n"]}
    answer = post(server, "/v1/completions", **asked, receipt=True, echo=True)
    receipts = [choice["receipt"] for choice in answer["choices"]]
    assert len(receipts) == 4 and {each["id"] for each in receipts} == {answer["id"]}
    assert {each["system_fingerprint"] for each in receipts} == {answer["system_fingerprint"]}
    for place, (choice, receipt) in enumerate(zip(answer["choices"], receipts, strict=True)):
        text = choice["text"].removeprefix(prompts[place // 2])
        assert receipt["output"]["text_sha256"] == hash_text(text) and receipt["prompt"]["token_ids"] is None
        assert 0 <= receipt["params"]["seed"] <= 2**53
    same(server, offline, receipts, prompts=prompts)
    assert verdicts(server, offline, receipts)[0].status == "refused"
    assert all("receipt" not in each for each in post(server, "/v1/completions", **asked)["choices"])


@pytest.mark.parametrize("given", [{}, {"temperature": 0.9, "seed": 5}, {"logprobs": 1, "n": 2, "seed": 2}])
def test_a_stream_has_it_in_the_last_chunk(server: Running, offline: LLM, given: dict[str, Any]) -> None:
    asked = {"prompt": "class Queue:", "max_tokens": 9, "temperature": 0, **given, "receipt": "full"}
    whole = post(server, "/v1/completions", **asked)
    receipts: dict[int, Any] = {}
    for event in events(server, "/v1/completions", **asked):
        for choice in event["choices"]:
            assert ("receipt" in choice) == (choice["finish_reason"] is not None)
            if "receipt" in choice:
                receipts[choice["index"]] = choice["receipt"]
    for choice in whole["choices"]:
        streamed = receipts[choice["index"]]
        for name in ("system", "prompt", "params", "output", "adapter", "index", "public_key"):
            assert streamed[name] == choice["receipt"][name]
    same(server, offline, list(receipts.values()))


def test_chats_and_responses(server: Running, offline: LLM) -> None:
    asked: dict[str, Any] = {"messages": MESSAGES, "max_completion_tokens": 8, "receipt": True}
    receipts = [post(server, "/v1/chat/completions", **asked)["choices"][0]["receipt"]]
    receipts += [
        choice["receipt"]
        for event in events(server, "/v1/chat/completions", **asked)
        for choice in event["choices"]
        if "receipt" in choice
    ]
    asked = {"input": "def main(", "max_output_tokens": 8, "receipt": True}
    receipts.append(post(server, "/v1/responses", **asked)["receipt"])
    streamed = events(server, "/v1/responses", **asked)
    receipts.append(streamed[-1]["response"]["receipt"])
    assert all("receipt" not in event.get("response", {}) for event in streamed[:-1])
    assert len(receipts) == 4 and {each["params"]["temperature"] for each in receipts} == {0.8}
    same(server, offline, receipts, prompts=[{"messages": MESSAGES}])


def test_the_format_of_an_answer(server: Running, offline: LLM) -> None:
    """The order of a schema's properties stays, which decides the text."""
    pytest.importorskip("llguidance", reason="llguidance is not installed")
    schema = {"type": "object", "properties": {"z": {"type": "integer"}, "a": {"type": "boolean"}}}
    schema |= {"required": ["z", "a"], "additionalProperties": False}
    given: Any = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    asked = {"messages": MESSAGES, "max_completion_tokens": 60, "response_format": given, "receipt": True}
    (choice,) = post(server, "/v1/chat/completions", **asked)["choices"]
    assert list(json.loads(choice["message"]["content"])) == ["z", "a"]
    same(server, offline, [choice["receipt"]], prompts=[{"messages": MESSAGES}])


def test_the_client_of_openai(server: Running, offline: LLM) -> None:
    answer: Any = server.client().chat.completions.create(
        model=server.llm.name, messages=MESSAGES, max_tokens=6, extra_body={"receipt": "full"}
    )
    same(server, offline, [answer.choices[0].receipt])
    assert server.http.get("/receipt-key").json()["algorithm"] == "ed25519"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"use_beam_search": True, "n": 2}, "receipt is True, and it is a beam search, and receipts are of"),
        ({"best_of": 3, "n": 2}, "receipt is True, and best_of is 3, and the completions that were not best"),
        ({"max_tokens": 0, "echo": True}, "receipt is True, and no text is generated"),
        ({"receipt": "fuller"}, "receipt is 'fuller'"),
    ],
)
def test_answers_that_have_none(server: Running, given: dict[str, Any], reason: str) -> None:
    answer = server.http.post("/v1/completions", json={"prompt": "x", "receipt": True, **given})
    assert answer.status_code == 400 and answer.json()["error"]["message"].startswith(reason)
    assert answer.json()["error"]["param"] == "receipt"


def test_servers_that_make_none(key: Path) -> None:
    with fake() as server:
        answer = server.http.post("/v1/completions", json={"prompt": "fgh", "receipt": True})
        assert answer.status_code == 400 and "start it with --receipt-key FILE" in answer.json()["error"]["message"]
        assert server.http.get("/receipt-key").status_code == 404
    with fake(FakeInexact(), receipt_key=str(key), api_key=["correct-horse"]) as server:
        assert server.http.get("/receipt-key").status_code == 200  # a public key is for everybody
        server.http.headers["Authorization"] = "Bearer correct-horse"
        answer = server.http.post("/v1/completions", json={"prompt": "fgh", "receipt": True})
        assert answer.status_code == 400, answer.text
        assert "the model is not exact (a row among 2 has other bits" in answer.json()["error"]["message"]
    with pytest.raises(ConfigError, match=r"receipt key '/nowhere/key' cannot be read: No such file"):
        fake(receipt_key="/nowhere/key")


class FakeInexact(FakeModel):
    """A model whose logits depend on the number of rows."""

    def logits(self, hidden: Any) -> Any:
        """Return other bits in every batch."""
        return hidden + len(hidden)


def test_weights_that_change_meanwhile(key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer comes, with the reason in place of its receipt."""
    with fake(receipt_key=str(key)) as server:
        asked = {"prompt": "fgh", "max_tokens": 3, "temperature": 0, "receipt": True}
        assert post(server, "/v1/completions", **asked)["choices"][0]["receipt"]["model"] == "fake"
        prints = iter(["fp_1", "fp_1", "fp_2"])

        async def changing(self: AsyncLLM) -> str:
            await asyncio.sleep(0)
            return next(prints)

        with monkeypatch.context() as patched:
            patched.setattr(AsyncLLM, "system_fingerprint", changing)
            (choice,) = post(server, "/v1/completions", **asked)["choices"]
        assert choice["receipt"] is None and choice["text"]
        assert choice["receipt_error"] == "the weights changed while the answer was computed"
        # Weights that change and come back have the same fingerprint; the tokens' name tells.
        with monkeypatch.context() as patched:
            patched.setattr(AsyncLLM, "get_weight_version", before)
            (choice,) = post(server, "/v1/completions", **asked)["choices"]
        assert choice["receipt"] is None
        assert choice["receipt_error"] == "the weights changed while the answer was computed"


async def before(llm: AsyncLLM) -> str:
    """Return another name than the tokens will have."""
    return "before"


def test_answers_under_adapters(key: Path, tmp_path: Path) -> None:
    """A receipt has the contents that its answer ran with, whatever the name under which they are loaded later."""
    model = models.build("llama")
    for number in (1, 2):
        peft_folders.write(tmp_path / str(number), model, number, rank=4)
    settings: dict[str, Any] = {"num_blocks": 200, "optimize": True, "enable_lora": True}
    asked: dict[str, Any] = {"prompt": [5, 6, 7], "max_tokens": 8, "temperature": 0, "receipt": "full"}
    modules = [f"a{number}={tmp_path / str(number)}" for number in (1, 2)]
    with Running(AsyncLLM(model, **settings), receipt_key=str(key), lora_modules=modules) as server:
        names = [card["id"] for card in server.http.get("/v1/models").json()["data"]]
        answers = [post(server, "/v1/completions", model=name, **asked) for name in names]
        receipts = [answer["choices"][0]["receipt"] for answer in answers]
        assert [each["model"] for each in receipts] == names
        assert [each["adapter"] and each["adapter"]["name"] for each in receipts] == [None, "a1", "a2"]
        for answer, receipt in zip(answers, receipts, strict=True):
            assert receipt["system_fingerprint"] == answer["system_fingerprint"]
    with LLM(models.build("llama"), **settings) as llm:
        for number in (2, 1):
            llm.add_lora(LoRARequest(f"other {number}", number, str(tmp_path / str(number))))
        assert [each.status for each in verify_receipts(llm, receipts)] == ["same"] * 3


def test_an_adapter_that_is_replaced_meanwhile(key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake(receipt_key=str(key)) as server:
        begin = Receipts.begin

        async def under_an_adapter(self: Receipts, params: Any, lora: Any, **more: Any) -> Any:
            return await begin(self, params, LoRARequest("gone", 1, "x"), **more)

        monkeypatch.setattr(Receipts, "begin", under_an_adapter)
        asked = {"prompt": "fgh", "max_tokens": 3, "temperature": 0, "receipt": True}
        (choice,) = post(server, "/v1/completions", **asked)["choices"]
        assert choice["receipt"] is None and choice["text"]
        assert choice["receipt_error"] == "the adapter 'gone' was replaced or removed while the answer was computed"
