"""Tiny random embedders with a vector for each token, with transformers' own processors built from configs."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
import transformers
from PIL import Image
from torch import Tensor

from tests import vision_models
from tests.tiny_media import NO_ENDS, TEXT, VisionModel, random_model, tokenizer


def build(name: str) -> VisionModel:
    """Make the model of this name in float32, with eager attention and the same weights each time."""
    return _colmodernvbert() if name == "colmodernvbert" else _around(*_INNER[name])


_INNER = {
    "colpali": ("ColPali", "paligemma"),
    "colqwen2": ("ColQwen2", "qwen2_vl"),
    "colqwen2_5": ("ColQwen2", "qwen2_5_vl"),
}
NAMES = (*_INNER, "colmodernvbert")


def _around(kind: str, inner: str) -> VisionModel:
    """Return an embedder around another tiny model."""
    own = vision_models.build(inner)
    config = getattr(transformers, f"{kind}Config")(vlm_config=own.model.config, embedding_dim=24)
    words: Any = own.processor.tokenizer  # type: ignore[attr-defined]
    words.pad_token = words.convert_ids_to_tokens(1)
    images: Any = own.processor.image_processor  # type: ignore[attr-defined]
    processor = getattr(transformers, f"{kind}Processor")(images, words)
    model = random_model(getattr(transformers, f"{kind}ForRetrieval"), config)
    return VisionModel(model, processor, processor.image_token)


def _colmodernvbert() -> VisionModel:
    special = {"fake_image_token": "<fake_token_around_image>", "image_token": "<image>"}
    words = tokenizer(**special, global_image_token="<global-img>", end_of_utterance_token="<end_of_utterance>")
    words.add_tokens([f"<row_{row}_col_{column}>" for row in (1, 2) for column in (1, 2)])
    images = transformers.Idefics3ImageProcessorPil(size={"longest_edge": 64}, max_image_size={"longest_edge": 32})
    processor = transformers.ColModernVBertProcessor(images, words, image_seq_len=4)
    ends = {**NO_ENDS, "cls_token_id": None, "sep_token_id": None}
    config = transformers.ColModernVBertConfig(
        vlm_config={
            "model_type": "modernvbert",
            "text_config": {
                "model_type": "modernbert",
                "vocab_size": len(words),
                **{name: value for name, value in TEXT.items() if "key_value" not in name and name != "head_dim"},
                "local_attention": 16,
                "global_attn_every_n_layers": 2,
                **ends,
            },
            "vision_config": vision_models.siglip(),
            "image_token_id": words.convert_tokens_to_ids("<image>"),
            "pixel_shuffle_factor": 2,
        },
        embedding_dim=24,
    )
    return VisionModel(random_model(transformers.ColModernVBertForRetrieval, config), processor, "<image>")


def page(image: Image.Image) -> dict[str, Any]:
    """Return the prompt of a page, whose text is the checkpoint's."""
    return {"prompt": "", "multi_modal_data": {"image": image}}


def queries(made: VisionModel, texts: Sequence[str]) -> list[dict[str, Any]]:
    """Return queries as the processor writes them, as prompts of tokens."""
    processor: Any = made.processor
    return [{"prompt_token_ids": processor.process_queries([text])["input_ids"][0].tolist()} for text in texts]


def vectors(made: VisionModel, inputs: dict[str, Any]) -> Tensor:
    """Return transformers' vectors of one text's tokens.

    ColQwen2's positions are those of Qwen2-VL, as in training and in transformers 4; transformers 5.23 counts tokens if
    no positions are given.
    """
    given = {name: value for name, value in inputs.items() if isinstance(value, Tensor) and name != "labels"}
    vlm: Any = made.model.vlm
    if hasattr(vlm, "get_rope_index") and "image_grid_thw" in given:
        processor: Any = made.processor
        types = torch.tensor(processor.create_mm_token_type_ids(given["input_ids"].tolist()))
        grids = {"image_grid_thw": given["image_grid_thw"]}
        given["position_ids"], _ = vlm.get_rope_index(given["input_ids"], mm_token_type_ids=types, **grids)
    with torch.inference_mode():
        found: Tensor = copy.copy(made.model)(**given).embeddings[0]
    return found


def of_page(made: VisionModel, image: Image.Image) -> Tensor:
    """Return transformers' vectors of a page's tokens."""
    processor: Any = made.processor
    return vectors(made, dict(processor.process_images([image])))


def of_query(made: VisionModel, text: str) -> Tensor:
    """Return transformers' vectors of a query's tokens."""
    processor: Any = made.processor
    return vectors(made, dict(processor.process_queries([text])))
