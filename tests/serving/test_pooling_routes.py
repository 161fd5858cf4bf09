"""Routes over pooled hidden states: their numbers are those of `LLM`, their answers vLLM's."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from tests import models
from tests.serving.harness import TEMPLATE, Running, fake
from torchpaged import LLM, AsyncLLM

TEXTS = ["import os", "class Queue:\n    def put(self, item):", "def main("]


def labelled(count: int) -> dict[str, Any]:
    """Return a classifier's arguments, with the same weights each time."""
    tokenizer = AutoTokenizer.from_pretrained(models.STDLIB_LM)
    config = models.build("llama").config
    config.num_labels, config.vocab_size = count, len(tokenizer)
    config.id2label = {index: f"kind {index}" for index in range(count)}
    torch.manual_seed(3)
    model = AutoModelForSequenceClassification.from_config(config, dtype=torch.float32).eval()
    # Rewritten, rows keep their bits in any batch.
    settings = {"num_blocks": 60, "chat_template": TEMPLATE, "optimize": True}
    return {"model": model, "tokenizer": tokenizer, **settings}


@pytest.fixture(scope="module")
def classifier() -> Iterator[Running]:
    with Running(AsyncLLM(**labelled(3), served_model_name="kinds")) as running:
        yield running


@pytest.fixture(scope="module")
def reranker() -> Iterator[Running]:
    with Running(AsyncLLM(**labelled(1), served_model_name="pairs")) as running:
        yield running


def post(server: Running, path: str, *, status: int = 200, **body: Any) -> Any:
    answer = server.http.post(path, json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_classify(classifier: Running) -> None:
    expected = LLM(**labelled(3)).classify(TEXTS, use_tqdm=False)
    answer = post(classifier, "/classify", model="kinds", input=TEXTS)
    assert answer["id"].startswith("classify-") and (answer["object"], answer["model"]) == ("list", "kinds")
    count = sum(len(each.prompt_token_ids) for each in expected)
    assert answer["usage"] == {"prompt_tokens": count, "total_tokens": count}
    for index, (found, output) in enumerate(zip(answer["data"], expected, strict=True)):
        probs = output.outputs.probs
        assert found["probs"] == pytest.approx(probs, abs=1e-5)
        likeliest = f"kind {int(np.argmax(probs))}"
        assert (found["index"], found["label"], found["num_classes"]) == (index, likeliest, 3)
    (said,) = post(classifier, "/classify", messages=[{"role": "user", "content": TEXTS[0]}])["data"]
    assert said["probs"] == pytest.approx(expected[0].outputs.probs, abs=1e-5)
    (raw,) = post(classifier, "/classify", input=TEXTS[0], use_activation=False)["data"]
    assert sum(raw["probs"]) != pytest.approx(1, abs=1e-3)


def test_pooling(classifier: Running) -> None:
    llm = LLM(**labelled(3))
    for task in ("embed", "token_embed", "token_classify", None):
        expected = [each.outputs.data for each in llm.encode(TEXTS, pooling_task=task, use_tqdm=False)]
        answer = post(classifier, "/pooling", input=TEXTS, **({} if task is None else {"task": task}))
        for found, data in zip(answer["data"], expected, strict=True):
            assert found["object"] == "pooling"
            np.testing.assert_allclose(np.asarray(found["data"]), data.numpy(), atol=1e-5)
    (coded,) = post(classifier, "/pooling", input=TEXTS[0], task="token_embed", encoding_format="base64")["data"]
    rows = llm.encode(TEXTS[0], pooling_task="token_embed", use_tqdm=False)[0].outputs.data
    found = np.frombuffer(base64.b64decode(coded["data"]), dtype="<f4").reshape(rows.shape)
    np.testing.assert_allclose(found, rows.numpy(), atol=1e-5)
    cut = {"truncate_prompt_tokens": 2, "truncation_side": "right"}
    (first,) = llm.encode(TEXTS[1], use_tqdm=False, tokenization_kwargs=cut)
    (told,) = post(classifier, "/pooling", input=TEXTS[1], **cut)["data"]
    np.testing.assert_allclose(np.asarray(told["data"]), first.outputs.data.numpy(), atol=1e-5)


def test_scores_and_rankings(reranker: Running) -> None:
    expected = [each.outputs.score for each in LLM(**labelled(1)).score(TEXTS[0], TEXTS, use_tqdm=False)]
    for one, other in (("text_1", "text_2"), ("queries", "documents"), ("queries", "items"), ("data_1", "data_2")):
        for path in ("/score", "/v1/score"):
            data = post(reranker, path, **{one: TEXTS[0], other: TEXTS})["data"]
            assert [each["score"] for each in data] == pytest.approx(expected, abs=1e-5)
    (raw,) = post(reranker, "/score", text_1=TEXTS[0], text_2=TEXTS[1], use_activation=False)["data"]
    assert 1 / (1 + np.exp(-raw["score"])) == pytest.approx(expected[1], abs=1e-5)
    order = sorted(range(len(TEXTS)), key=lambda index: -expected[index])
    for path in ("/rerank", "/v1/rerank", "/v2/rerank"):
        answer = post(reranker, path, query=TEXTS[0], documents=TEXTS, top_n=2)
        assert answer["id"].startswith("rerank-") and answer["usage"]["prompt_tokens"] > 0
        assert [each["index"] for each in answer["results"]] == order[:2]
        for each in answer["results"]:
            assert each["document"]["text"] == TEXTS[each["index"]]
            assert each["relevance_score"] == pytest.approx(expected[each["index"]], abs=1e-5)
    for all_of_them in ({}, {"top_n": 0}, {"top_n": 9}):
        assert len(post(reranker, "/rerank", query=TEXTS[0], documents=TEXTS, **all_of_them)["results"]) == 3


@pytest.mark.parametrize(
    ("path", "sent", "param"),
    [
        ("/classify", {}, "input"),
        ("/classify", {"input": "f", "messages": [{"role": "user", "content": "f"}]}, "input"),
        ("/classify", {"input": "f", "chat_template_kwargs": {}}, "chat_template_kwargs"),
        ("/classify", {"input": "f", "padding": "max_length"}, "padding"),
        ("/classify", {"input": []}, "input"),
        ("/pooling", {"input": []}, "input"),
        ("/pooling", {"input": "f", "task": "classify", "prompt_name": "query"}, "prompt_name"),
        ("/pooling", {"input": "f", "task": "plugin"}, "task"),
        ("/score", {"text_1": "f", "documents": "g"}, "text_1"),
        ("/score", {}, "text_1"),
        ("/score", {"queries": ["f", "g"], "items": ["f", "g", "h"]}, "queries"),
        ("/rerank", {"query": "f", "documents": []}, "documents"),
        ("/rerank", {"query": "f", "documents": ["g"], "top_n": -1}, "top_n"),
        ("/rerank", {"query": "f", "documents": ["g"], "instruction": "x"}, "instruction"),
        ("/invocations", {"text": "f"}, None),
        ("/invocations", {"prompt": 7}, "prompt"),
        ("/invocations", {"prompt": "f", "temperatur": 0}, "temperatur"),
    ],
)
def test_what_is_refused(reranker: Running, path: str, sent: Any, param: str | None) -> None:
    assert post(reranker, path, status=400, **sent)["error"]["param"] == param


def test_who_has_no_classes_says_so() -> None:
    with fake() as server:
        assert "was not made to classify" in post(server, "/classify", status=400, input="f")["error"]["message"]
        assert post(server, "/rerank", status=400, query="f", documents=["g"])["error"]["param"] == "model"


def test_invocations_are_any_of_the_others(classifier: Running, reranker: Running) -> None:
    def same(server: Running, path: str, **body: Any) -> None:
        answers = [post(server, each, **body) for each in ("/invocations", path)]
        for answer in answers:
            for name in ("id", "created"):
                answer.pop(name, None)
        assert answers[0] == answers[1]

    same(classifier, "/classify", input=TEXTS)
    same(classifier, "/classify", messages=[{"role": "user", "content": TEXTS[0]}])
    same(classifier, "/pooling", input=TEXTS[0], task="embed")
    same(reranker, "/score", queries=TEXTS[0], documents=TEXTS)
    same(reranker, "/rerank", query=TEXTS[0], documents=TEXTS)
    with fake() as server:
        post(server, "/v1/completions", prompt="fgh", max_tokens=3)  # so that both find it cached
        same(server, "/v1/completions", prompt="fgh", max_tokens=3, temperature=0)
        streamed = {"prompt": "fgh", "max_tokens": 3, "stream": True}
        assert server.http.post("/invocations", json=streamed).text.endswith("data: [DONE]\n\n")


def test_what_a_platform_and_a_client_ask(classifier: Running) -> None:
    for method in ("GET", "POST"):
        assert classifier.http.request(method, "/ping").status_code == 200
    told = classifier.http.get("/tokenizer_info").json()
    tokenizer = AutoTokenizer.from_pretrained(models.STDLIB_LM)
    assert told["tokenizer_class"] == type(tokenizer).__name__ and told["chat_template"] == TEMPLATE
    assert told["eos_token"] == tokenizer.eos_token
    assert str(models.STDLIB_LM) not in json.dumps(told)
    with Running(AsyncLLM(models.STDLIB_LM, tokenizer=None, skip_tokenizer_init=True, num_blocks=60)) as server:
        assert server.http.get("/tokenizer_info").status_code == 501
