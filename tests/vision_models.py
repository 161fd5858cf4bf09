"""Tiny random models that read images, with transformers' own processors built from configs.

The processors tokenize by the tokenizer of stdlib-lm with further special tokens. Image processors are those of PIL.
Processors that want a video processor, which needs torchvision, are built without one where that is missing, as
torchpaged does it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image
from torch import Tensor
from transformers import PreTrainedModel
from transformers.utils import is_torchvision_available

from tests import image_models, sound_models, torchvision_models
from tests.tiny_media import NO_ENDS as _NO_ENDS
from tests.tiny_media import TEXT as _TEXT
from tests.tiny_media import VisionModel
from tests.tiny_media import random_model as _random
from tests.tiny_media import tokenizer as _tokenizer
from torchpaged.integrations.transformers.media_processor import available, without_videos
from torchpaged.media.video import Video


def gemma4_with_sounds() -> VisionModel:
    """Make a Gemma 4 that sees and hears."""
    return _gemma4("sounds")


def build(name: str) -> VisionModel:
    """Make the model of this model type in float32, with eager attention and the same weights each time."""
    return {**_BUILDERS, **OF_TORCHVISION}[name]()


def save(made: VisionModel, folder: Path) -> None:
    """Write a checkpoint folder with the processor's files."""
    made.model.save_pretrained(folder)
    made.processor.save_pretrained(folder)


def image(seed: int, width: int = 48, height: int = 40) -> Image.Image:
    """Make an image of random pixels."""
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


def sound(seed: int, num_samples: int = 9000) -> tuple[np.ndarray[Any, Any], int]:
    """Make random samples, 16,000 a second."""
    return np.random.default_rng(seed).standard_normal(num_samples, dtype=np.float32), 16000


def video(seed: int, num_frames: int = 4, width: int = 48, height: int = 40) -> Video:
    """Make a video of random pixels, two frames a second."""
    pixels = np.random.default_rng(seed).integers(0, 255, (num_frames, height, width, 3), dtype=np.uint8)
    about = {"total_num_frames": num_frames, "fps": 2.0, "duration": num_frames / 2}
    return Video(pixels, {**about, "frames_indices": list(range(num_frames))})


def video_placeholder(made: VisionModel) -> str:
    """Return the text that stands for one video in a prompt."""
    processor: Any = made.processor
    return made.placeholder.replace(processor.image_token, processor.video_token).replace("of_image", "of_video")


@contextmanager
def corrected(model: PreTrainedModel) -> Iterator[None]:
    """Run Mllama as Meta's implementation does: tokens before the first image skip the layers that attend to images.

    transformers 5.23 lets their attention see all images, and leaves out the MLP alone (issue 39379 there).
    """
    handles = []
    for layer in model.modules():
        if type(layer).__name__ == "MllamaCrossAttentionDecoderLayer":
            seen: dict[str, Any] = {}

            def note(_: Any, __: Any, given: dict[str, Any], seen: dict[str, Any] = seen) -> None:
                seen["mask"] = given["full_text_row_masked_out_mask"]

            def leave_out(_: Any, __: Any, found: Any, seen: dict[str, Any] = seen) -> Any:
                return found if seen["mask"] is None else (found[0] * seen["mask"][:, 0], *found[1:])

            own: Any = layer
            handles.append(own.register_forward_pre_hook(note, with_kwargs=True))
            handles.append(own.cross_attn.register_forward_hook(leave_out))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def inputs_of(made: VisionModel, text: str, items: list[Any]) -> dict[str, Tensor]:
    """Return the inputs that the processor makes of a prompt, for the model and its `generate`."""
    given: dict[str, Any] = {}
    videos = [each for each in items if isinstance(each, Video)]
    items = [each for each in items if not isinstance(each, Video)]
    if videos:
        given = {"videos": [each.frames for each in videos], "video_metadata": [each.metadata for each in videos]}
        given |= {"do_sample_frames": False, "return_metadata": True}
    if items and made.modality == "audio":
        given |= {"audio": [samples for samples, _ in items], "sampling_rate": items[0][1]}
    elif items:
        flat = isinstance(made.processor, transformers.GotOcr2Processor)
        given |= {"images": items if flat else [items]}
    if isinstance(made.processor, transformers.VoxtralProcessor):
        return sound_models.of_voxtral(made, text, given.get("audio", []))
    if isinstance(made.processor, transformers.Cosmos3EdgeProcessor):
        given["return_mm_token_type_ids"] = True
    found = made.processor(text=[text], return_tensors="pt", **given)
    # Llama 4's pixels are bfloat16 whatever the model is.
    return {
        name: value.float() if value.is_floating_point() else value
        for name, value in found.items()
        if isinstance(value, Tensor)
    }


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


def _vipllava() -> VisionModel:
    made = _llava()
    own: Any = made.model.config
    config = transformers.VipLlavaConfig(
        text_config=own.text_config,
        vision_config=own.vision_config,
        image_token_index=own.image_token_id,
        vision_feature_layer=[-1, -2],
        **_NO_ENDS,
    )
    return made._replace(model=_random(transformers.VipLlavaForConditionalGeneration, config))


def _deepseek_vl() -> VisionModel:
    tokenizer = _tokenizer(image_token="<image_placeholder>")
    config = transformers.DeepseekVLConfig(
        text_config={"model_type": "llama", "vocab_size": len(tokenizer), **_TEXT},
        vision_config=siglip(),
        image_token_id=tokenizer.convert_tokens_to_ids("<image_placeholder>"),
        tie_word_embeddings=False,
        **_NO_ENDS,
    )
    images = transformers.DeepseekVLImageProcessorPil(size={"height": 32, "width": 32}, min_size=8)
    processor = transformers.DeepseekVLProcessor(images, tokenizer, num_image_tokens=16)
    return VisionModel(
        _random(transformers.DeepseekVLForConditionalGeneration, config), processor, "<image_placeholder>"
    )


def _lighton_ocr() -> VisionModel:
    special = {"image_token": "<|image_pad|>", "image_break_token": "<|vision_pad|>"}
    tokenizer = _tokenizer(**special, image_end_token="<|vision_end|>")
    config = transformers.LightOnOcrConfig(
        text_config={"model_type": "qwen3", "vocab_size": len(tokenizer), **_TEXT},
        vision_config=_pixtral(),
        image_token_id=tokenizer.convert_tokens_to_ids("<|image_pad|>"),
        tie_word_embeddings=False,
        **_NO_ENDS,
    )
    images = transformers.PixtralImageProcessorPil(size={"longest_edge": 64}, patch_size={"height": 16, "width": 16})
    kind = available(transformers.LightOnOcrProcessor)
    processor = kind(images, tokenizer, patch_size=8, spatial_merge_size=2)
    return VisionModel(_random(transformers.LightOnOcrForConditionalGeneration, config), processor, "<|image_pad|>")


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


def _gemma4(name: str = "small") -> VisionModel:
    """Make a small model with embeddings in each layer, a large one without, or a small one that hears."""
    tokenizer = _tokenizer(
        image_token="<|image|>",
        boi_token="<|boi|>",
        eoi_token="<|eoi|>",
        audio_token="<|audio|>",
        boa_token="<|boa|>",
        eoa_token="<|eoa|>",
    )
    sizes: dict[str, Any] = {"patch_size": 4, "pooling_kernel_size": 3, "max_soft_tokens": 70}
    processor = without_videos(transformers.Gemma4Processor)(
        transformers.Gemma4AudioFeatureExtractor(),
        transformers.Gemma4ImageProcessorPil(**sizes),
        tokenizer,
        **_videos("Gemma4", **sizes),
    )
    ids = tokenizer.convert_tokens_to_ids
    of_size = {"hidden_size_per_layer_input": 8, "num_kv_shared_layers": 1}
    if name == "large":
        of_size = {"hidden_size_per_layer_input": 0, "attention_k_eq_v": True, "num_global_key_value_heads": 1}
        of_size["use_bidirectional_attention"] = "vision"  # type: ignore[assignment]
    audio = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "subsampling_conv_channels": [128, 4]}
    audio |= {"attention_chunk_size": 4, "attention_context_left": 5, "output_proj_dims": 24}
    config = transformers.Gemma4Config(
        text_config={
            **_TEXT,
            **of_size,
            "vocab_size": len(tokenizer),
            "vocab_size_per_layer_input": len(tokenizer),
            "num_hidden_layers": 4,
            "global_head_dim": 32,
            "sliding_window": 24,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
        },
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "patch_size": 4,
            "pooling_kernel_size": 3,
            "position_embedding_size": 64,
        },
        audio_config=audio if name == "sounds" else None,
        image_token_id=ids("<|image|>"),
        video_token_id=ids("<|video|>"),
        audio_token_id=ids("<|audio|>"),
        boi_token_id=ids("<|boi|>"),
        eoi_token_id=ids("<|eoi|>"),
        boa_token_id=ids("<|boa|>"),
        eoa_token_index=ids("<|eoa|>"),
    )
    return VisionModel(_random(transformers.Gemma4ForConditionalGeneration, config), processor, "<|image|>")


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


def _videos(name: str, **settings: Any) -> dict[str, Any]:
    """Return the argument of a processor for its video processor."""
    if not is_torchvision_available():
        return {"video_processor": None}
    return {"video_processor": getattr(transformers, f"{name}VideoProcessor")(**settings)}


def _qwen_videos(name: str) -> dict[str, Any]:
    sizes = {"shortest_edge": 32 * 32, "longest_edge": 64 * 64 * (4 if name == "Qwen3VL" else 1)}
    return _videos(name, size=sizes, patch_size=8, merge_size=2, temporal_patch_size=2, cap_pixels_per_frame=False)


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
    processor = without_videos(transformers.Qwen2VLProcessor)(_qwen_images(), tokenizer, **_qwen_videos("Qwen2VL"))
    model = _random(transformers.Qwen2VLForConditionalGeneration, config)
    return VisionModel(model, processor, _QWEN_PLACEHOLDER)


def _qwen2_5_vl() -> VisionModel:
    tokenizer = _tokenizer(**_QWEN_TOKENS)
    text = {name: value for name, value in _TEXT.items() if name != "head_dim"}
    config = transformers.Qwen2_5_VLConfig(
        text_config={"vocab_size": len(tokenizer), **text, "rope_parameters": _MROPE},
        vision_config={
            "depth": 3,
            "hidden_size": 32,
            "out_hidden_size": 64,
            "num_heads": 2,
            "intermediate_size": 48,
            "patch_size": 8,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            "window_size": 32,
            "fullatt_block_indexes": [1],
        },
        **_qwen_ids(tokenizer),
    )
    processor = without_videos(transformers.Qwen2_5_VLProcessor)(_qwen_images(), tokenizer, **_qwen_videos("Qwen2VL"))
    model = _random(transformers.Qwen2_5_VLForConditionalGeneration, config)
    return VisionModel(model, processor, _QWEN_PLACEHOLDER)


_QWEN3_VISION: dict[str, Any] = {
    "depth": 3,
    "hidden_size": 32,
    "out_hidden_size": 64,
    "num_heads": 2,
    "intermediate_size": 48,
    "patch_size": 8,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
    "num_position_embeddings": 64,
    "deepstack_visual_indexes": [0, 1],
}


def _qwen3_vl(name: str = "Qwen3VL") -> VisionModel:
    tokenizer = _tokenizer(**_QWEN_TOKENS)
    config = getattr(transformers, f"{name}Config")(
        text_config={"vocab_size": len(tokenizer), **_TEXT, "rope_parameters": {**_MROPE, "mrope_interleaved": True}},
        vision_config=_QWEN3_VISION,
        **_qwen_ids(tokenizer),
    )
    processor = without_videos(transformers.Qwen3VLProcessor)(_qwen_images(), tokenizer, **_qwen_videos("Qwen3VL"))
    model = _random(getattr(transformers, f"{name}ForConditionalGeneration"), config)
    return VisionModel(model, processor, _QWEN_PLACEHOLDER)


def _glm4v(name: str = "Glm4v", code: str = "") -> VisionModel:
    """Make a GLM-4V; `code` names the classes of its model and processor, where another type's are used."""
    tokenizer = _tokenizer(
        image_token="<|image|>",
        video_token="<|video|>",
        begin_image_token="<|begin_of_image|>",
        end_image_token="<|end_of_image|>",
        begin_video_token="<|begin_of_video|>",
        end_video_token="<|end_of_video|>",
    )
    ids = tokenizer.convert_tokens_to_ids
    text = {name: value for name, value in _TEXT.items() if name != "head_dim"}
    if name == "Glm4vMoe":
        text |= {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 48}
    config = getattr(transformers, f"{name}Config")(
        text_config={"vocab_size": len(tokenizer), **text, "rope_parameters": {**_MROPE, "partial_rotary_factor": 1.0}},
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "out_hidden_size": 64,
            "num_heads": 2,
            "intermediate_size": 48,
            "image_size": 64,
            "patch_size": 8,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
        },
        image_token_id=ids("<|image|>"),
        video_token_id=ids("<|video|>"),
        image_start_token_id=ids("<|begin_of_image|>"),
        image_end_token_id=ids("<|end_of_image|>"),
        video_start_token_id=ids("<|begin_of_video|>"),
        video_end_token_id=ids("<|end_of_video|>"),
    )
    own = name if hasattr(transformers, f"{name}ImageProcessorPil") else "Glm4v"
    images = getattr(transformers, f"{own}ImageProcessorPil")(
        size={"shortest_edge": 32 * 32 * 2, "longest_edge": 64 * 64 * 2},
        patch_size=8,
        merge_size=2,
        temporal_patch_size=2,
    )
    sizes = {"shortest_edge": 32 * 32 * 2, "longest_edge": 64 * 64 * 2}
    videos = _videos(own, size=sizes, patch_size=8, merge_size=2, temporal_patch_size=2)
    code = code or name
    processor = without_videos(getattr(transformers, f"{code if own == name else own}Processor"))(
        images, tokenizer, **videos
    )
    model = _random(getattr(transformers, f"{code}ForConditionalGeneration"), config)
    return VisionModel(model, processor, "<|begin_of_image|><|image|><|end_of_image|>")


def _exaone4_5() -> VisionModel:
    tokenizer = _tokenizer(**_QWEN_TOKENS)
    layers = ["sliding_attention", "full_attention", "sliding_attention"]
    config = transformers.Exaone4_5_Config(
        text_config={
            "model_type": "exaone4",
            "vocab_size": len(tokenizer),
            **_TEXT,
            "layer_types": layers,
            "sliding_window": 24,
        },
        vision_config={
            "depth": 3,
            "hidden_size": 32,
            "out_hidden_size": 64,
            "num_heads": 2,
            "num_key_value_heads": 1,
            "intermediate_size": 48,
            "patch_size": 8,
            "window_size": 32,
            "fullatt_block_indexes": [1],
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<|image_pad|>"),
        video_token_id=tokenizer.convert_tokens_to_ids("<|video_pad|>"),
        **_NO_ENDS,
    )
    kind = without_videos(transformers.Exaone4_5_Processor)
    processor = kind(_qwen_images(), tokenizer, **_qwen_videos("Qwen2VL"))
    model = _random(transformers.Exaone4_5_ForConditionalGeneration, config)
    return VisionModel(model, processor, _QWEN_PLACEHOLDER)


def _llava_next() -> VisionModel:
    tokenizer = _tokenizer(image_token="<image>")
    pinpoints = [[32, 64], [64, 32], [64, 64]]
    config = transformers.LlavaNextConfig(
        text_config={"model_type": "llama", "vocab_size": len(tokenizer), **_TEXT},
        vision_config=_clip(),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=pinpoints,
        **_NO_ENDS,
    )
    processor = transformers.LlavaNextProcessor(
        image_processor=transformers.LlavaNextImageProcessorPil(
            size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}, image_grid_pinpoints=pinpoints
        ),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
    )
    return VisionModel(_random(transformers.LlavaNextForConditionalGeneration, config), processor, "<image>")


def siglip(image_size: int = 32) -> Mapping[str, Any]:
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
    size = {"image_size": image_size, "patch_size": 8, "vision_use_head": False}
    return {"model_type": "siglip_vision_model", **sizes, **size}


def _llava_onevision() -> VisionModel:
    tokenizer = _tokenizer(image_token="<image>", video_token="<video>")
    pinpoints = [[32, 32], [32, 64], [64, 32], [64, 64]]
    ids = tokenizer.convert_tokens_to_ids
    config = transformers.LlavaOnevisionConfig(
        text_config={"model_type": "qwen2", "vocab_size": len(tokenizer), **_TEXT},
        vision_config=siglip(),
        image_token_index=ids("<image>"),
        video_token_index=ids("<video>"),
        image_grid_pinpoints=pinpoints,
        vision_feature_select_strategy="full",
        **_NO_ENDS,
    )
    images = transformers.LlavaOnevisionImageProcessorPil(
        size={"height": 32, "width": 32}, image_grid_pinpoints=pinpoints
    )
    processor = without_videos(transformers.LlavaOnevisionProcessor)(
        image_processor=images,
        tokenizer=tokenizer,
        num_image_tokens=16,
        vision_feature_select_strategy="full",
        **_videos("LlavaOnevision", size={"height": 32, "width": 32}),
    )
    return VisionModel(_random(transformers.LlavaOnevisionForConditionalGeneration, config), processor, "<image>")


def _internvl() -> VisionModel:
    special = {"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"}
    tokenizer = _tokenizer(**special, video_token="<video>")
    config = transformers.InternVLConfig(
        text_config={"model_type": "qwen2", "vocab_size": len(tokenizer), **_TEXT},
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": [32, 32],
            "patch_size": [8, 8],
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=4,
        **_NO_ENDS,
    )
    images = transformers.GotOcr2ImageProcessorPil(
        size={"height": 32, "width": 32}, crop_to_patches=True, min_patches=1, max_patches=4
    )
    videos = _videos("InternVL", size={"height": 32, "width": 32})
    processor = without_videos(transformers.InternVLProcessor)(images, tokenizer, **videos, image_seq_length=4)
    model = _random(transformers.InternVLForConditionalGeneration, config)
    return VisionModel(model, processor, "<IMG_CONTEXT>")


def _idefics3(name: str = "Idefics3") -> VisionModel:
    special = {"fake_image_token": "<fake_token_around_image>", "image_token": "<image>"}
    more = {"global_image_token": "<global-img>", "end_of_utterance_token": "<end_of_utterance>"}
    tokenizer = _tokenizer(**special, **more)
    tokenizer.add_tokens([f"<row_{row}_col_{column}>" for row in (1, 2) for column in (1, 2)])
    config = getattr(transformers, f"{name}Config")(
        text_config={"model_type": "llama", "vocab_size": len(tokenizer), **_TEXT},
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 8,
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        pad_token_id=0,
    )
    images = getattr(transformers, f"{name}ImageProcessorPil")(
        size={"longest_edge": 64}, max_image_size={"longest_edge": 32}
    )
    videos = {}
    if name == "SmolVLM":  # without a package that writes numbers of a video as words
        importlib.import_module("transformers.models.smolvlm.processing_smolvlm").num2words = str
        videos = _videos("SmolVLM", size={"longest_edge": 32}, max_image_size={"longest_edge": 32})
    processor = without_videos(getattr(transformers, f"{name}Processor"))(images, tokenizer, **videos, image_seq_len=4)
    model = _random(getattr(transformers, f"{name}ForConditionalGeneration"), config)
    return VisionModel(model, processor, "<image>")


def _pixtral() -> Mapping[str, Any]:
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
    return {"model_type": "pixtral", **sizes, "image_size": 64, "patch_size": 8}


def _pixtral_processor(tokenizer: Any, merge: int) -> Any:
    images = transformers.PixtralImageProcessorPil(size={"longest_edge": 64}, patch_size={"height": 8, "width": 8})
    return available(transformers.PixtralProcessor)(images, tokenizer, patch_size=8, spatial_merge_size=merge)


_PIXTRAL_TOKENS = {"image_token": "[IMG]", "image_break_token": "[IMG_BREAK]", "image_end_token": "[IMG_END]"}


def _mistral3() -> VisionModel:
    tokenizer = _tokenizer(**_PIXTRAL_TOKENS)
    config = transformers.Mistral3Config(
        text_config={"model_type": "mistral", "vocab_size": len(tokenizer), **_TEXT, "sliding_window": None},
        vision_config=_pixtral(),
        image_token_index=tokenizer.convert_tokens_to_ids("[IMG]"),
        **_NO_ENDS,
    )
    model = _random(transformers.Mistral3ForConditionalGeneration, config)
    return VisionModel(model, _pixtral_processor(tokenizer, 2), "[IMG]")


def _mistral3_of_mistral4() -> VisionModel:
    made = _mistral3()
    text = {name: value for name, value in _TEXT.items() if name != "head_dim"}
    latent = {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 12}
    experts = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "num_key_value_heads": 4}
    config = transformers.Mistral3Config(
        text_config={
            "model_type": "mistral4",
            "vocab_size": len(made.processor.tokenizer),  # type: ignore[attr-defined]
            **text,
            **latent,
            **experts,
        },
        vision_config=_pixtral(),
        image_token_index=made.model.config.image_token_index,
        **_NO_ENDS,
    )
    return made._replace(model=_random(transformers.Mistral3ForConditionalGeneration, config))


def _llava_of_pixtral() -> VisionModel:
    tokenizer = _tokenizer(**_PIXTRAL_TOKENS)
    config = transformers.LlavaConfig(
        text_config={"model_type": "mistral", "vocab_size": len(tokenizer), **_TEXT, "sliding_window": None},
        vision_config=_pixtral(),
        image_token_index=tokenizer.convert_tokens_to_ids("[IMG]"),
        vision_feature_select_strategy="full",
        vision_feature_layer=-1,
        **_NO_ENDS,
    )
    model = _random(transformers.LlavaForConditionalGeneration, config)
    return VisionModel(model, _pixtral_processor(tokenizer, 1), "[IMG]")


def _aya_vision() -> VisionModel:
    special = {"start_of_img_token": "<|START_OF_IMG|>", "end_of_img_token": "<|END_OF_IMG|>", "bos_token": "<|begin|>"}
    parts = {"img_patch_token": "<|IMG_PATCH|>", "img_line_break_token": "<|IMG_LINE_BREAK|>"}
    tiles = {"tile_token": "TILE", "tile_global_token": "TILE_GLOBAL"}
    tokenizer = _tokenizer(**special, **parts, **tiles)
    config = transformers.AyaVisionConfig(
        text_config={
            "model_type": "cohere2",
            "vocab_size": len(tokenizer),
            **_TEXT,
            "sliding_window": 24,
            "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
        },
        vision_config=siglip(),
        image_token_index=tokenizer.convert_tokens_to_ids("<|IMG_PATCH|>"),
        **_NO_ENDS,
    )
    images = transformers.GotOcr2ImageProcessorPil(
        size={"height": 32, "width": 32}, crop_to_patches=True, min_patches=1, max_patches=4
    )
    processor = transformers.AyaVisionProcessor(images, tokenizer, patch_size=8, img_size=32, downsample_factor=2)
    model = _random(transformers.AyaVisionForConditionalGeneration, config)
    return VisionModel(model, processor, "<image>")


def _got_ocr2() -> VisionModel:
    tokenizer = _tokenizer(image_token="<imgpad>")
    config = transformers.GotOcr2Config(
        text_config={"model_type": "qwen2", "vocab_size": len(tokenizer), **_TEXT},
        vision_config={
            "hidden_size": 32,
            "output_channels": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 64,
            "patch_size": 4,
            "window_size": 6,
            "global_attn_indexes": [1],
            "mlp_dim": 48,
        },
        image_token_index=tokenizer.convert_tokens_to_ids("<imgpad>"),
        **_NO_ENDS,
    )
    images = transformers.GotOcr2ImageProcessorPil(size={"height": 64, "width": 64})
    transformers.GotOcr2Processor.num_image_tokens = 16  # of an image; 256 take most of a second
    processor = transformers.GotOcr2Processor(images, tokenizer)
    return VisionModel(_random(transformers.GotOcr2ForConditionalGeneration, config), processor, "<imgpad>")


def _paligemma() -> VisionModel:
    tokenizer = _tokenizer(image_token="<image>", bos_token="<bos>")
    extra = transformers.models.paligemma.processing_paligemma.EXTRA_TOKENS
    tokenizer.add_tokens(extra)
    config = transformers.PaliGemmaConfig(
        text_config={"model_type": "gemma", "vocab_size": len(tokenizer), **_TEXT},
        vision_config={**siglip(), "projection_dim": 64},
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        projection_dim=64,
        hidden_size=64,
        **_NO_ENDS,
    )
    images = transformers.SiglipImageProcessorPil(size={"height": 32, "width": 32})
    images.image_seq_length = 16
    processor = transformers.PaliGemmaProcessor(images, tokenizer)
    return VisionModel(_random(transformers.PaliGemmaForConditionalGeneration, config), processor, "<image>")


def _hyperclovax_vision() -> VisionModel:
    tokenizer = _tokenizer(**_QWEN_TOKENS)
    ids = {name: value for name, value in _qwen_ids(tokenizer).items() if not name.startswith("vision")}
    inner: Any = _qwen2_5_vl().model.config
    config = transformers.HyperCLOVAXVisionV2Config(
        text_config={"model_type": "hyperclovax", "vocab_size": len(tokenizer), **_TEXT},
        vision_config={**inner.vision_config.to_dict(), "out_hidden_size": 64},
        tie_word_embeddings=False,
        **ids,
    )
    kind = without_videos(transformers.HyperCLOVAXVisionV2Processor)
    processor = kind(_qwen_images(), tokenizer, **_qwen_videos("Qwen2VL"))
    model = _random(transformers.HyperCLOVAXVisionV2ForConditionalGeneration, config)
    return VisionModel(model, processor, "<|image_pad|>")


def _lfm3_vl() -> VisionModel:
    tokenizer = _tokenizer(**_QWEN_TOKENS)
    text = {name: value for name, value in _TEXT.items() if name != "head_dim"}
    config = transformers.Lfm3VlConfig(
        text_config={
            "model_type": "lfm3",
            "vocab_size": len(tokenizer),
            **text,
            "layer_types": ["conv", "sliding_attention", "full_attention"],
            "sliding_window": 24,
        },
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 3,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "patch_size": 8,
        },
        projector_hidden_size=48,
        **_qwen_ids(tokenizer),
    )
    processor = without_videos(transformers.Lfm3VlProcessor)(_qwen_images(), tokenizer, **_qwen_videos("Qwen3VL"))
    return VisionModel(_random(transformers.Lfm3VlForConditionalGeneration, config), processor, _QWEN_PLACEHOLDER)


def _video_llama_3() -> VisionModel:
    tokenizer = _tokenizer(**_QWEN_TOKENS)
    ids = {name: value for name, value in _qwen_ids(tokenizer).items() if not name.startswith("vision")}
    config = transformers.VideoLlama3Config(
        text_config={"model_type": "qwen2", "vocab_size": len(tokenizer), **_TEXT},
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "patch_size": 8,
        },
        **ids,
    )
    images = transformers.VideoLlama3ImageProcessorPil(
        size={"shortest_edge": 32 * 32, "longest_edge": 64 * 64}, patch_size=8
    )
    sizes = {"shortest_edge": 32 * 32, "longest_edge": 64 * 64}
    videos = _videos("VideoLlama3", size=sizes, patch_size=8, merge_size=2)
    processor = without_videos(transformers.VideoLlama3Processor)(images, tokenizer, **videos)
    return VisionModel(_random(transformers.VideoLlama3ForConditionalGeneration, config), processor, "<|image_pad|>")


def _llava_next_video() -> VisionModel:
    made, tokenizer = _llava_next(), _tokenizer(image_token="<image>", video_token="<video>")
    own: Any = made.model.config
    ids = tokenizer.convert_tokens_to_ids
    config = transformers.LlavaNextVideoConfig(
        text_config={"model_type": "llama", "vocab_size": len(tokenizer), **_TEXT},
        vision_config=own.vision_config,
        image_token_index=ids("<image>"),
        video_token_index=ids("<video>"),
        image_grid_pinpoints=own.image_grid_pinpoints,
        **_NO_ENDS,
    )
    images: Any = made.processor
    processor = without_videos(transformers.LlavaNextVideoProcessor)(
        **_videos("LlavaNextVideo", size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}),
        image_processor=images.image_processor,
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
    )
    return VisionModel(_random(transformers.LlavaNextVideoForConditionalGeneration, config), processor, "<image>")


def _deepseek_vl_hybrid() -> VisionModel:
    made = _deepseek_vl()
    own: Any = made.model.config
    config = transformers.DeepseekVLHybridConfig(
        text_config=own.text_config,
        vision_config=own.vision_config,
        high_res_vision_config={
            "model_type": "sam_vision_model",
            "hidden_size": 32,
            "output_channels": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 64,
            "patch_size": 8,
            "window_size": 2,
            "global_attn_indexes": [1],
            "mlp_dim": 48,
        },
        image_token_id=own.image_token_id,
        tie_word_embeddings=False,
        **_NO_ENDS,
    )
    images = transformers.DeepseekVLHybridImageProcessorPil(
        size={"height": 32, "width": 32}, high_res_size={"height": 64, "width": 64}, min_size=8
    )
    words: Any = made.processor
    processor = transformers.DeepseekVLHybridProcessor(images, words.tokenizer, num_image_tokens=16)
    model = _random(transformers.DeepseekVLHybridForConditionalGeneration, config)
    return VisionModel(model, processor, "<image_placeholder>")


def _cohere2_vision() -> VisionModel:
    special = {"boi_token": "<|START_OF_IMG|>", "eoi_token": "<|END_OF_IMG|>", "image_token": "<|IMG_PATCH|>"}
    tokenizer = _tokenizer(**special, img_line_break_token="<|IMG_LINE_BREAK|>")
    config = transformers.Cohere2VisionConfig(
        text_config={
            "model_type": "cohere2",
            "vocab_size": len(tokenizer),
            **_TEXT,
            "sliding_window": 24,
            "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
        },
        vision_config=siglip(),
        image_token_id=tokenizer.convert_tokens_to_ids("<|IMG_PATCH|>"),
        alignment_intermediate_size=48,
    )
    size = {"height": 32, "width": 32}
    images = transformers.Cohere2VisionImageProcessor(size=size, max_patches=4, patch_size=2)
    processor = transformers.Cohere2VisionProcessor(images, tokenizer)
    return VisionModel(_random(transformers.Cohere2VisionForConditionalGeneration, config), processor, "<|IMG_PATCH|>")


def _lfm2_vl() -> VisionModel:
    ends = {"image_start_token": "<|image_start|>", "image_end_token": "<|image_end|>"}
    tokenizer = _tokenizer(image_token="<image>", image_thumbnail_token="<|img_thumbnail|>", **ends)
    tokenizer.add_tokens([f"<|img_row_{row}_col_{column}|>" for row in (1, 2) for column in (1, 2)])
    text = {name: value for name, value in _TEXT.items() if name != "head_dim"}
    config = transformers.Lfm2VlConfig(
        text_config={
            "model_type": "lfm2",
            "vocab_size": len(tokenizer),
            **text,
            "layer_types": ["conv", "full_attention", "conv"],
        },
        vision_config={
            "model_type": "siglip2_vision_model",
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_patches": 16,
            "patch_size": 8,
            "vision_use_head": False,
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        projector_hidden_size=48,
    )
    images = transformers.Lfm2VlImageProcessor(
        encoder_patch_size=8, tile_size=32, min_image_tokens=4, max_image_tokens=8, max_tiles=4
    )
    processor = transformers.Lfm2VlProcessor(images, tokenizer)
    return VisionModel(_random(transformers.Lfm2VlForConditionalGeneration, config), processor, "<image>")


def _aria() -> VisionModel:
    tokenizer = _tokenizer(image_token="<|img|>")
    text = {name: value for name, value in _TEXT.items() if name != "head_dim"}
    config = transformers.AriaConfig(
        text_config={"vocab_size": len(tokenizer), **text, "moe_num_experts": 4, "moe_num_shared_experts": 1},
        vision_config={
            "model_type": "idefics3_vision",
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 980,
            "patch_size": 140,
        },
        projector_patch_to_query_dict={49: 8},
        image_token_index=tokenizer.convert_tokens_to_ids("<|img|>"),
    )
    images = transformers.AriaImageProcessorPil(max_image_size=980, min_image_size=336)
    processor = transformers.AriaProcessor(images, tokenizer, size_conversion={490: 4, 980: 8})
    return VisionModel(_random(transformers.AriaForConditionalGeneration, config), processor, "<|img|>")


def _video_llava() -> VisionModel:
    tokenizer = _tokenizer(image_token="<image>", video_token="<video>")
    ids = tokenizer.convert_tokens_to_ids
    config = transformers.VideoLlavaConfig(
        text_config={"model_type": "llama", "vocab_size": len(tokenizer), **_TEXT},
        vision_config=_clip(),
        image_token_index=ids("<image>"),
        video_token_index=ids("<video>"),
        image_seq_length=16,
        **_NO_ENDS,
    )
    images = transformers.VideoLlavaImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    kind = without_videos(transformers.VideoLlavaProcessor)
    processor = kind(
        image_processor=images,
        **_videos("VideoLlava"),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
    )
    return VisionModel(_random(transformers.VideoLlavaForConditionalGeneration, config), processor, "<image>")


def _qianfan_ocr() -> VisionModel:
    special = {"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"}
    tokenizer = _tokenizer(**special, placeholder="<image>")
    config = transformers.QianfanOCRConfig(
        text_config={"model_type": "qwen3", "vocab_size": len(tokenizer), **_TEXT},
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": [32, 32],
            "patch_size": [8, 8],
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        tie_word_embeddings=False,
        **_NO_ENDS,
    )
    images = transformers.GotOcr2ImageProcessorPil(
        size={"height": 32, "width": 32}, crop_to_patches=True, min_patches=1, max_patches=4
    )
    processor = transformers.QianfanOCRProcessor(images, tokenizer, image_seq_length=4)
    return VisionModel(_random(transformers.QianfanOCRForConditionalGeneration, config), processor, "<image>")


def _qwen3_vl_moe() -> VisionModel:
    tokenizer = _tokenizer(**_QWEN_TOKENS)
    config = transformers.Qwen3VLMoeConfig(
        text_config={
            "vocab_size": len(tokenizer),
            **_TEXT,
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 48,
            "rope_parameters": {**_MROPE, "mrope_interleaved": True},
        },
        vision_config=_QWEN3_VISION,
        **_qwen_ids(tokenizer),
    )
    processor = without_videos(transformers.Qwen3VLProcessor)(_qwen_images(), tokenizer, **_qwen_videos("Qwen3VL"))
    model = _random(transformers.Qwen3VLMoeForConditionalGeneration, config)
    return VisionModel(model, processor, _QWEN_PLACEHOLDER)


def _qwen3_5(name: str = "Qwen3_5") -> VisionModel:
    tokenizer = _tokenizer(**_QWEN_TOKENS)
    experts = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 48}
    vision = {key: value for key, value in _QWEN3_VISION.items() if key != "deepstack_visual_indexes"}
    config = getattr(transformers, f"{name}Config")(
        text_config={
            "vocab_size": len(tokenizer),
            **_TEXT,
            **(experts if name.endswith("Moe") else {}),
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 4,
            "linear_key_head_dim": 8,
            "linear_value_head_dim": 12,
            "layer_types": ["linear_attention", "full_attention", "linear_attention"],
            "rope_parameters": {**_MROPE, "mrope_section": [2, 1, 1], "mrope_interleaved": True},
        },
        vision_config=vision,
        **_qwen_ids(tokenizer),
    )
    processor = without_videos(transformers.Qwen3VLProcessor)(_qwen_images(), tokenizer, **_qwen_videos("Qwen3VL"))
    model = _random(getattr(transformers, f"{name}ForConditionalGeneration"), config)
    return VisionModel(model, processor, _QWEN_PLACEHOLDER)


def _mllama() -> VisionModel:
    tokenizer = _tokenizer(image_token="<|image|>")
    tokenizer.bos_token = tokenizer.eos_token
    text = {name: value for name, value in _TEXT.items() if name != "head_dim"}
    config = transformers.MllamaConfig(
        text_config={
            **text,
            "bos_token_id": 1,
            "vocab_size": tokenizer.convert_tokens_to_ids("<|image|>"),  # the placeholder is behind it, as in Llama 3.2
            "num_hidden_layers": 5,
            "cross_attention_layers": [1, 3],
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
        },
        vision_config={
            "hidden_size": 32,
            "num_hidden_layers": 3,
            "num_global_layers": 1,
            "attention_heads": 2,
            "intermediate_size": 48,
            "vision_output_dim": 96,
            "image_size": 32,
            "patch_size": 8,
            "intermediate_layers_indices": [0, 2],
        },
        image_token_index=tokenizer.convert_tokens_to_ids("<|image|>"),
    )
    images = transformers.MllamaImageProcessorPil(size={"height": 32, "width": 32}, max_image_tiles=4)
    model = _random(transformers.MllamaForConditionalGeneration, config)
    generator = torch.Generator().manual_seed(1)
    for name, weight in model.named_parameters():
        if name.endswith("gate"):
            torch.nn.init.normal_(weight, std=0.8, generator=generator)
    return VisionModel(model, transformers.MllamaProcessor(images, tokenizer), "<|image|>")


_BUILDERS: dict[str, Callable[[], VisionModel]] = {
    "llava": _llava,
    "llava-pixtral": _llava_of_pixtral,
    "vipllava": _vipllava,
    "deepseek_vl": _deepseek_vl,
    "lighton_ocr": _lighton_ocr,
    "llava_next": _llava_next,
    "llava_onevision": _llava_onevision,
    "internvl": _internvl,
    "idefics3": _idefics3,
    "smolvlm": lambda: _idefics3("SmolVLM"),
    "mistral3": _mistral3,
    "mistral3_of_mistral4": _mistral3_of_mistral4,
    "mllama": _mllama,
    "gemma3": _gemma3,
    "gemma4": _gemma4,
    "gemma4_large": lambda: _gemma4("large"),
    "paligemma": _paligemma,
    "qwen2_vl": _qwen2_vl,
    "qwen2_5_vl": _qwen2_5_vl,
    "exaone4_5": _exaone4_5,
    "qwen3_vl": _qwen3_vl,
    "cosmos3_omni": lambda: _qwen3_vl("Cosmos3Omni"),
    "qwen3_vl_moe": _qwen3_vl_moe,
    "qwen3_5": _qwen3_5,
    "qwen3_5_moe": lambda: _qwen3_5("Qwen3_5Moe"),
    "glm4v": _glm4v,
    "glm46v": lambda: _glm4v("Glm46V"),
    "glmga": lambda: _glm4v("Glmga", "Glm46V"),
    "glm_ocr": lambda: _glm4v("GlmOcr"),
    "glm4v_moe": lambda: _glm4v("Glm4vMoe"),
    "hyperclovax_vision_v2": _hyperclovax_vision,
    "lfm3_vl": _lfm3_vl,
    "video_llama_3": _video_llama_3,
    "llava_next_video": _llava_next_video,
    "aria": _aria,
    "video_llava": _video_llava,
    "deepseek_vl_hybrid": _deepseek_vl_hybrid,
    "aya_vision": _aya_vision,
    "got_ocr2": _got_ocr2,
    "qianfan_ocr": _qianfan_ocr,
    **image_models.BUILDERS,
    **sound_models.BUILDERS,
}
NAMES = tuple(_BUILDERS)
# Models whose image processors need torchvision.
OF_TORCHVISION = {"cohere2_vision": _cohere2_vision, "lfm2_vl": _lfm2_vl, **torchvision_models.BUILDERS}
# Those that go the same ways through torchpaged's code as another of these.
ALIKE = frozenset(
    [
        *("vipllava", "deepseek_vl", "lighton_ocr", "qianfan_ocr", "exaone4_5"),
        *("deepseek_vl_hybrid", "glmga", "hyperclovax_vision_v2", "llava_next_video", "video_llama_3", "video_llava"),
        *("chameleon", "cohere_compass", "cosmos3_edge", "cosmos3_omni", "deepseek_ocr2", "dots3_note", "emu3"),
        *(
            "glm4v_moe",
            "glm_ocr",
            "granite_docling",
            "hunyuan_vl",
            "janus",
            "mistral3_of_mistral4",
            "mistral_large4",
            "paddleocr_vl",
        ),
        *("audioflamingo3", "fun_asr_nano", "granite_speech_plus", "qwen3_asr"),
    ]
)
