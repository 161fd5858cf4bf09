"""Embedders of images and texts with a vector for each token: every vector and score beside transformers'."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests import embedder_models
from tests.embedder_models import NAMES, build, of_page, of_query, page, queries
from tests.tiny_media import VisionModel
from tests.vision_models import image, save
from torchpaged import LLM, PoolingParams, SamplingParams
from torchpaged.engine.prepared import PreparedModel
from torchpaged.errors import ConfigError, ModelError, RequestError
from torchpaged.integrations.families import EMBEDDERS

TEXTS = ["import os", "class Queue:\n    def put(self, item): pass\n" * 3]
IMAGES = [image(1), image(2, 64, 32), image(3, 33, 71)]


def loaded(made: VisionModel, **settings: Any) -> LLM:
    return LLM(copy.deepcopy(made.model), tokenizer=made.processor, **{"num_blocks": 200, **settings})


def embedded(llm: LLM, prompts: list[Any]) -> list[Tensor]:
    found = [each.outputs.data for each in llm.encode(prompts, pooling_task="token_embed", use_tqdm=False)]
    for own, output in zip(found, llm.embed(prompts, use_tqdm=False), strict=True):
        assert output.outputs.hidden_size == 24 and torch.equal(torch.tensor(output.outputs.embedding), own)
    return found


def close(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, rtol=0, atol=5e-5)


def test_every_embedder_is_tested() -> None:
    inner = {(made.config.model_type, made.config.vlm_config.model_type) for made, *_ in map(build, NAMES)}
    assert inner == EMBEDDERS.keys()


@pytest.mark.parametrize("settings", [{}, {"max_num_batched_tokens": 24}, {"optimize": True}], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_vectors_are_transformers(name: str, settings: dict[str, Any]) -> None:
    """In chunks, together and alone."""
    made = build(name)
    expected = [*(of_page(made, each) for each in IMAGES), *(of_query(made, each) for each in TEXTS)]
    with loaded(made, **settings) as llm:
        prompts = [*map(page, IMAGES), *queries(made, TEXTS)]
        for batch in (prompts, prompts[:1], prompts[3:]):
            for found, wanted in zip(embedded(llm, batch), expected[3:] if len(batch) == 2 else expected, strict=False):
                close(found, wanted)
        llm.engine.check()
        assert llm.stats().media.num_encoded == len(IMAGES)
        weights: Any = llm.engine.model.weights
        assert not settings.get("optimize") or weights.report.reason is None


@pytest.mark.parametrize("name", ["colpali", "colqwen2", "colmodernvbert"])
def test_images_within_a_text(name: str) -> None:
    """A prompt may have several images, where the processor's own prompts have one."""
    made = build(name)
    processor: Any = made.processor
    one = "<|vision_start|><|image_pad|><|vision_end|>" if name == "colqwen2" else "<image>"
    text = f"import {one} os\nclass {one}: pass\n"
    with loaded(made) as llm:
        prompt = {"prompt": text, "multi_modal_data": {"image": IMAGES[:2]}}
        (found,) = llm.encode(prompt, pooling_task="token_embed", use_tqdm=False)
        if name == "colmodernvbert":
            inputs = dict(processor(text=[text], images=[IMAGES[:2]], return_tensors="pt"))
        else:
            pages = processor.process_images(IMAGES[:2])
            inputs = {each: value for each, value in pages.items() if each.startswith(("pixel", "image"))}
            inputs["input_ids"] = torch.tensor([found.prompt_token_ids])
            inputs |= {"attention_mask": torch.ones_like(inputs["input_ids"])}
            if name == "colpali":
                inputs["token_type_ids"] = torch.zeros_like(inputs["input_ids"])
        assert inputs["input_ids"][0].tolist() == found.prompt_token_ids
        close(found.outputs.data, embedder_models.vectors(made, inputs))


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_transformers(name: str) -> None:
    made = build(name)
    processor: Any = made.processor
    pages, texts = [of_page(made, each) for each in IMAGES], [of_query(made, each) for each in TEXTS]
    # Page by page: it pads a batch's pages by zeros, whose products may be a token's largest.
    expected = torch.cat([processor.score_retrieval(texts, [each]) for each in pages], dim=1)
    with loaded(made) as llm:
        for place, query in enumerate(queries(made, TEXTS)):
            found = llm.score(query, list(map(page, IMAGES)), use_tqdm=False)
            close(torch.tensor([each.outputs.score for each in found]), expected[place].float())
        (own,) = llm.score("import os", "import os", use_tqdm=False)
        assert own.outputs.score == pytest.approx(len(own.prompt_token_ids) / 2, abs=1e-4)


@pytest.mark.parametrize("name", ["colpali", "colqwen2"])
def test_a_folder_is_loaded(name: str, tmp_path: Path) -> None:
    made = build(name)
    save(made, tmp_path)
    with LLM(str(tmp_path), num_blocks=200, dtype="float32") as llm:
        (found,) = embedded(llm, [page(IMAGES[0])])
        close(found, of_page(made, IMAGES[0]))
        (quantised,) = embedded(llm, queries(made, TEXTS[:1]))
        close(quantised, of_query(made, TEXTS[0]))
    with LLM(str(tmp_path), num_blocks=200, dtype="float32", quantization="int8") as llm:
        (found,) = embedded(llm, [page(IMAGES[0])])
        assert torch.nn.functional.cosine_similarity(found, of_page(made, IMAGES[0])).min() > 0.98


def test_dimensions_and_lengths() -> None:
    made = build("colqwen2")
    with loaded(made) as llm:
        prompt = queries(made, TEXTS[:1])
        (raw,) = llm.encode(prompt, PoolingParams(use_activation=False), use_tqdm=False)
        (cut,) = llm.encode(prompt, PoolingParams(dimensions=8), use_tqdm=False)
        close(torch.nn.functional.normalize(raw.outputs.data[:, :8], dim=1), cut.outputs.data)
        with pytest.raises(RequestError, match="dimensions is 25, expected at most 24"):
            llm.encode(prompt, PoolingParams(dimensions=25), use_tqdm=False)


def test_what_an_embedder_does_not_do(tmp_path: Path) -> None:
    made = build("colqwen2")
    with loaded(made) as llm:
        with pytest.raises(RequestError, match=r"makes a vector of each token and has no next token; use LLM\.embed"):
            llm.generate("import os", SamplingParams(), use_tqdm=False)
        for params in (PoolingParams(task="embed"), PoolingParams(pooling_type="MEAN")):
            with pytest.raises(RequestError, match="for the task 'token_embed' alone"):
                llm.encode("import os", params, use_tqdm=False)
        with pytest.raises(ConfigError, match="data_2 is 3, expected a text, a prompt with images"):
            llm.score("import os", 3, use_tqdm=False)  # type: ignore[arg-type]
    with loaded(made, limit_mm_per_prompt={"image": 0}) as llm:
        close(embedded(llm, queries(made, TEXTS[:1]))[0], of_query(made, TEXTS[0]))
        with pytest.raises(RequestError, match="image"):
            llm.embed(page(IMAGES[0]), use_tqdm=False)
    model: Any = copy.deepcopy(made.model)
    model.config.vlm_config = embedder_models.vision_models.build("qwen3_vl").model.config
    with pytest.raises(ModelError, match="'colqwen2' around 'qwen3_vl' is not supported, expected 'qwen2_5_vl' or"):
        LLM(model, tokenizer=made.processor)


def test_a_later_start_gives_the_same_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From what the first has prepared."""
    monkeypatch.setenv("TORCHPAGED_PREPARED_CACHE", "1")
    monkeypatch.setenv("TORCHPAGED_CACHE", str(tmp_path / "cache"))
    made = build("colqwen2")
    save(made, tmp_path / "model")
    found: list[list[Tensor]] = []
    for is_prepared in (False, True):
        with LLM(str(tmp_path / "model"), num_blocks=200, dtype="bfloat16") as llm:
            model: Any = llm.engine.model
            assert isinstance(model, PreparedModel) == is_prepared
            assert model.media_processor.chat_template is not None
            found.append(embedded(llm, [page(IMAGES[0]), *queries(made, TEXTS)]))
            if not is_prepared:
                model.weights.observer.wait()
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))
