"""Tiny random models that read images or sounds, with transformers' own processors built from configs.

The processors tokenize by the tokenizer of stdlib-lm with further special tokens. No torchvision is installed, so image
processors are those of PIL, and processors that want a video processor are built without one, as torchpaged does it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers
from PIL import Image
from torch import Tensor
from transformers import PreTrainedModel, ProcessorMixin

BUNDLED = Path(__file__).parent.parent / "evals" / "models" / "stdlib-lm"
_TEXT: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "max_position_embeddings": 1024,
    "pad_token_id": 0,
    "bos_token_id": None,
    "eos_token_id": None,
}
_NO_ENDS: dict[str, Any] = {"pad_token_id": 0, "bos_token_id": None, "eos_token_id": None}


class VisionModel(NamedTuple):
    """A model, its processor, and the text that stands for one image or sound in a prompt."""

    model: PreTrainedModel
    processor: ProcessorMixin
    placeholder: str


def build(name: str) -> VisionModel:
    """Make the model of this model type in float32, with eager attention and the same weights each time."""
    return _BUILDERS[name]()


def save(made: VisionModel, folder: Path) -> None:
    """Write a checkpoint folder with the processor's files."""
    made.model.save_pretrained(folder)
    made.processor.save_pretrained(folder)


def image(seed: int, width: int = 48, height: int = 40) -> Image.Image:
    """Make an image of random pixels."""
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


def inputs_of(made: VisionModel, text: str, images: list[Image.Image]) -> dict[str, Tensor]:
    """Return the inputs that the processor makes of a prompt, for the model and its `generate`."""
    given: dict[str, Any] = {"images": [images]} if images else {}
    found = made.processor(text=[text], return_tensors="pt", **given)
    return {name: value for name, value in found.items() if isinstance(value, Tensor)}


def _tokenizer(**special: str) -> Any:
    return transformers.AutoTokenizer.from_pretrained(str(BUNDLED), extra_special_tokens=special)


def _random(kind: Any, config: Any) -> PreTrainedModel:
    model: PreTrainedModel = kind._from_config(config, dtype=torch.float32, attn_implementation="eager")
    generator = torch.Generator().manual_seed(0)
    for weight in model.parameters():
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.08, generator=generator)
    return model.eval()


def without_videos(kind: type[ProcessorMixin]) -> type[ProcessorMixin]:
    """Return a processor class that has no video processor, which needs torchvision."""
    given = {"video_processor": None, "get_attributes": classmethod(lambda _: ["image_processor", "tokenizer"])}
    return type(kind.__name__, (kind,), given)


def _clip(**more: Any) -> Mapping[str, Any]:
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 2}
    return {"model_type": "clip_vision_model", **sizes, "image_size": 32, "patch_size": 8, "projection_dim": 32, **more}


def _llava() -> VisionModel:
    tokenizer = _tokenizer(image_token="<image>")
    config = transformers.LlavaConfig(
        text_config={"model_type": "llama", "vocab_size": len(tokenizer), **_TEXT},
        vision_config=_clip(),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        **_NO_ENDS,
    )
    processor = transformers.LlavaProcessor(
        image_processor=transformers.CLIPImageProcessorPil(
            size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
        ),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        image_token="<image>",
        num_additional_image_tokens=1,
    )
    return VisionModel(_random(transformers.LlavaForConditionalGeneration, config), processor, "<image>")


def _gemma3() -> VisionModel:
    tokenizer = _tokenizer(image_token="<image_soft_token>", boi_token="<start_of_image>", eoi_token="<end_of_image>")
    ids = tokenizer.convert_tokens_to_ids
    config = transformers.Gemma3Config(
        text_config={
            "vocab_size": len(tokenizer),
            **_TEXT,
            "sliding_window": 24,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "query_pre_attn_scalar": 16,
        },
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 8,
            "vision_use_head": False,
        },
        mm_tokens_per_image=4,
        boi_token_index=ids("<start_of_image>"),
        eoi_token_index=ids("<end_of_image>"),
        image_token_index=ids("<image_soft_token>"),
        **_NO_ENDS,
    )
    processor = transformers.Gemma3Processor(
        image_processor=transformers.Gemma3ImageProcessorPil(size={"height": 32, "width": 32}),
        tokenizer=tokenizer,
        image_seq_length=4,
    )
    return VisionModel(_random(transformers.Gemma3ForConditionalGeneration, config), processor, "<start_of_image>")


_QWEN_TOKENS = {
    "image_token": "<|image_pad|>",
    "video_token": "<|video_pad|>",
    "vision_bos_token": "<|vision_start|>",
    "vision_eos_token": "<|vision_end|>",
}
_QWEN_PLACEHOLDER = "<|vision_start|><|image_pad|><|vision_end|>"
_MROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}


def _qwen_ids(tokenizer: Any) -> dict[str, int]:
    ids = tokenizer.convert_tokens_to_ids
    return {
        "image_token_id": ids("<|image_pad|>"),
        "video_token_id": ids("<|video_pad|>"),
        "vision_start_token_id": ids("<|vision_start|>"),
        "vision_end_token_id": ids("<|vision_end|>"),
    }


def _qwen_images() -> Any:
    return transformers.Qwen2VLImageProcessorPil(
        min_pixels=32 * 32, max_pixels=64 * 64, patch_size=8, merge_size=2, temporal_patch_size=2
    )


def _qwen2_vl() -> VisionModel:
    tokenizer = _tokenizer(**_QWEN_TOKENS)
    text = {name: value for name, value in _TEXT.items() if name != "head_dim"}
    config = transformers.Qwen2VLConfig(
        text_config={"vocab_size": len(tokenizer), **text, "rope_parameters": _MROPE},
        vision_config={
            "depth": 2,
            "embed_dim": 32,
            "hidden_size": 64,
            "num_heads": 2,
            "mlp_ratio": 2,
            "patch_size": 8,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
        },
        **_qwen_ids(tokenizer),
    )
    processor = without_videos(transformers.Qwen2VLProcessor)(_qwen_images(), tokenizer)
    model = _random(transformers.Qwen2VLForConditionalGeneration, config)
    return VisionModel(model, processor, _QWEN_PLACEHOLDER)


_BUILDERS: dict[str, Callable[[], VisionModel]] = {"llava": _llava, "gemma3": _gemma3, "qwen2_vl": _qwen2_vl}
NAMES = tuple(_BUILDERS)
