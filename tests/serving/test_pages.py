"""Routes of embedders of pages: images in the places of texts."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from tests import embedder_models
from tests.serving.harness import Running
from tests.vision_models import image
from torchpaged import AsyncLLM

QUERY = "import os"


def part(seed: int) -> dict[str, Any]:
    file = io.BytesIO()
    image(seed).save(file, "PNG")
    return {
        "type": "image_url",
        "image_url": {"url": f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"},
    }


@pytest.fixture(scope="module")
def colpali() -> Iterator[tuple[embedder_models.VisionModel, Running]]:
    made = embedder_models.build("colpali")
    with Running(AsyncLLM(made.model, tokenizer=made.processor, num_blocks=200, served_model_name="pages")) as running:
        yield made, running


def post(server: Running, path: str, *, status: int = 200, **body: Any) -> Any:
    answer = server.http.post(path, json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_pages_over_http(colpali: tuple[embedder_models.VisionModel, Running]) -> None:
    made, server = colpali
    expected = [embedder_models.of_page(made, image(seed)) for seed in (1, 2)]
    for task in ({}, {"task": "token_embed"}):
        (data,) = post(server, "/pooling", messages=[{"role": "user", "content": [part(1)]}], **task)["data"]
        np.testing.assert_allclose(np.asarray(data["data"]), expected[0].numpy(), atol=5e-5)
    (text,) = post(server, "/pooling", input=QUERY)["data"]
    query = np.asarray(text["data"])
    scores = [float((query @ each.numpy().T).max(1).sum()) for each in expected]
    pages = [{"content": [part(1)]}, {"content": [part(2)]}]
    found = post(server, "/score", data_1=QUERY, data_2=pages)["data"]
    assert [each["score"] for each in found] == pytest.approx(scores, abs=1e-3)
    ranked = post(server, "/rerank", query=QUERY, documents=[*pages, QUERY])["results"]
    assert ranked[0]["document"] == {"text": QUERY} and ranked[0]["index"] == 2
    others = {each["index"]: each for each in ranked[1:]}
    assert others[0]["document"] == {"multi_modal": [part(1)]}
    assert others[1]["relevance_score"] == pytest.approx(scores[1], abs=1e-3)


def test_what_is_refused(colpali: tuple[embedder_models.VisionModel, Running]) -> None:
    _, server = colpali
    told = post(server, "/v1/embeddings", status=400, model="pages", input=QUERY)["error"]["message"]
    assert "'token_embed' alone" in told
    for bad in ({"content": QUERY}, {"text": QUERY}, {}):
        told = post(server, "/score", status=400, data_1=QUERY, data_2=[bad])["error"]["message"]
        assert "expected a text or an object with content, a list of parts" in told
    post(server, "/v1/completions", status=400, model="pages", prompt=QUERY)
    messages = [{"role": "user", "content": [part(1)]}]
    post(server, "/v1/chat/completions", status=400, model="pages", messages=messages)
