"""An encoder behind the server and `AsyncLLM`: embeddings, rankings, classes and refusals are those of `LLM`."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")

from tests.integrations.test_encoders import build, modules, save
from tests.serving.harness import Running
from torchpaged import LLM, AsyncLLM, PoolingParams
from torchpaged.errors import ConfigError

TEXTS = ["w1 w2 w3", "w4", " ".join(f"w{number}" for number in range(20))]
FILES: dict[str, Any] = {
    "modules.json": modules("Transformer", "Pooling", "Normalize"),
    "1_Pooling/config.json": {"pooling_mode": "mean"},
    "config_sentence_transformers.json": {"prompts": {"query": "w9 "}},
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    heads: dict[str, tuple[str, dict[str, Any]]] = {
        "embedder": ("Model", {}),
        "reranker": ("ForSequenceClassification", {"num_labels": 1}),
    }
    made = {}
    for name, (head, more) in heads.items():
        path = tmp_path_factory.mktemp(name)
        made[name] = save(path, build("bert", head, **more), FILES if head == "Model" else {})
    return made


@pytest.fixture(scope="module")
def embedder(folders: dict[str, str]) -> Iterator[Running]:
    with Running(AsyncLLM(folders["embedder"], served_model_name="embedder", optimize=True)) as running:
        yield running


@pytest.fixture(scope="module")
def offline(folders: dict[str, str]) -> Iterator[LLM]:
    with LLM(folders["embedder"], optimize=True) as llm:
        yield llm


@pytest.mark.parametrize(
    "more",
    [{}, {"dimensions": 8}, {"prompt_name": "query"}, {"truncate_prompt_tokens": 6}, {"encoding_format": "base64"}],
)
def test_embeddings(embedder: Running, offline: LLM, more: dict[str, Any]) -> None:
    answer = embedder.http.post("/v1/embeddings", json={"model": "embedder", "input": TEXTS, **more})
    assert answer.status_code == 200, answer.text
    params = PoolingParams(**{name: more[name] for name in ("dimensions", "prompt_name") if name in more})
    options = {"truncate_prompt_tokens": more["truncate_prompt_tokens"]} if "truncate_prompt_tokens" in more else {}
    expected = offline.embed(TEXTS, pooling_params=params, tokenization_kwargs=options, use_tqdm=False)
    for found, one in zip(answer.json()["data"], expected, strict=True):
        vector = found["embedding"]
        if isinstance(vector, str):
            vector = np.frombuffer(base64.b64decode(vector), dtype="<f4")
        assert np.array_equal(np.float32(vector), np.float32(one.outputs.embedding))
    assert answer.json()["usage"]["prompt_tokens"] == sum(len(one.prompt_token_ids) for one in expected)


@pytest.mark.parametrize(
    ("route", "body", "says"),
    [
        ("/v1/embeddings", {"input": " ".join(["w1"] * 70)}, "has 72 tokens, max_model_len is 64"),
        ("/v1/embeddings", {"input": "w1", "prompt_name": "x"}, "prompt_name is 'x', expected one of query"),
        ("/v1/embeddings", {"input": "w1", "dimensions": 33}, "dimensions is 33, expected at most 32"),
        ("/v1/completions", {"prompt": "w1", "max_tokens": 1}, "is an encoder and has no next token; use LLM.embed"),
        *(
            (
                route,
                body,
                "BertModel is an encoder and has no next token; ask /v1/embeddings, /pooling or /classify (LLM.e",
            )
            for route, body in (
                ("/v1/chat/completions", {"messages": [{"role": "user", "content": "w1"}]}),
                ("/v1/responses", {"input": "w1"}),
                ("/v1/messages", {"messages": [{"role": "user", "content": "w1"}], "max_tokens": 1}),
            )
        ),
        ("/classify", {"input": "w1"}, "was not made to classify texts"),
    ],
)
def test_refusals(embedder: Running, route: str, body: dict[str, Any], says: str) -> None:
    answer = embedder.http.post(route, json={"model": "embedder", **body})
    assert answer.status_code == 400 and says in answer.text


def test_reranker(folders: dict[str, str]) -> None:
    """Pairs keep their token types on the way, and are truncated by the tokenizer."""
    query, more = "w5 w6", {"truncate_prompt_tokens": 12}
    with LLM(folders["reranker"], optimize=True) as llm:
        scores = [each.outputs.score for each in llm.score(query, TEXTS, tokenization_kwargs=more, use_tqdm=False)]
    with Running(AsyncLLM(folders["reranker"], served_model_name="reranker", optimize=True)) as running:
        body: dict[str, Any] = {"model": "reranker", "query": query, "documents": TEXTS, **more}
        ranked = running.http.post("/v1/rerank", json=body).json()["results"]
        assert [each["index"] for each in ranked] == sorted(range(3), key=lambda index: -scores[index])
        assert [each["relevance_score"] for each in ranked] == sorted(scores, reverse=True)
        body = {"model": "reranker", "text_1": query, "text_2": TEXTS, **more}
        assert [each["score"] for each in running.http.post("/score", json=body).json()["data"]] == scores


def test_async_llm(folders: dict[str, str], offline: LLM) -> None:
    """Instructions, truncation and similarity are those of `LLM`, with the engine in a process of its own."""
    options = {"truncate_prompt_tokens": 6}
    params = PoolingParams(task="embed", prompt_name="query")

    async def run() -> tuple[list[Any], list[Any]]:
        llm = AsyncLLM(folders["embedder"], optimize=True)
        try:
            vectors = []
            for text in TEXTS:
                async for output in llm.encode(text, params, tokenization_kwargs=options):
                    vectors.append(output.outputs.data.tolist())
            with pytest.raises(ConfigError, match="prompt_name is 'other'"):
                llm.encode("w1", PoolingParams(prompt_name="other"))
            return vectors, await llm.score(TEXTS[0], TEXTS[1:])
        finally:
            llm.shutdown()

    vectors, scores = asyncio.run(run())
    embedded = offline.embed(TEXTS, pooling_params=params, tokenization_kwargs=options, use_tqdm=False)
    assert vectors == [each.outputs.embedding for each in embedded]
    expected = offline.score(TEXTS[0], TEXTS[1:], use_tqdm=False)
    assert [each.outputs.score for each in scores] == [each.outputs.score for each in expected]
