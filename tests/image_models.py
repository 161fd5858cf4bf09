"""Further tiny random models that read images, for `vision_models`."""

from __future__ import annotations

from collections.abc import Callable

import transformers

from tests.tiny_media import NO_ENDS, TEXT, VisionModel, random_model, tokenizer
from torchpaged.integrations.transformers.media_processor import available, without_videos

_MROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}
_WITHOUT_HEAD = {name: value for name, value in TEXT.items() if name != "head_dim"}
_TOWER = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
_PIXELS = {"shortest_edge": 32 * 32, "longest_edge": 64 * 64}


def _cosmos3_edge() -> VisionModel:
    special = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
    words = tokenizer(**special, vision_start_token="<|vision_start|>", vision_end_token="<|vision_end|>")
    ids = words.convert_tokens_to_ids
    config = transformers.Cosmos3EdgeConfig(
        text_config={**TEXT, "vocab_size": len(words), "rope_parameters": _MROPE},
        vision_config={**_TOWER, "patch_size": 8, "num_patches": 16},
        projector_hidden_size=48,
        image_token_id=ids("<|image_pad|>"),
        video_token_id=ids("<|video_pad|>"),
        vision_start_token_id=ids("<|vision_start|>"),
        vision_end_token_id=ids("<|vision_end|>"),
        **NO_ENDS,
    )
    images = transformers.Cosmos3EdgeImageProcessorPil(size=_PIXELS, patch_size=8)
    processor = without_videos(available(transformers.Cosmos3EdgeProcessor))(images, words, None)
    model = random_model(transformers.Cosmos3EdgeForConditionalGeneration, config)
    return VisionModel(model, processor, "<|vision_start|><|image_pad|><|vision_end|>")


def _cohere_compass() -> VisionModel:
    special = {"image_token": "<|IMAGE_PAD|>", "video_token": "<|VIDEO_PAD|>"}
    words = tokenizer(**special, vision_start_token="<|VISION_START|>", vision_end_token="<|VISION_END|>")
    ids = words.convert_tokens_to_ids
    rope = {**_MROPE, "mrope_interleaved": True}
    config = transformers.CohereCompassConfig(
        text_config={
            **_WITHOUT_HEAD,
            "vocab_size": len(words),
            "sliding_window": 24,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "rope_parameters": {"sliding_attention": rope, "full_attention": rope},
        },
        vision_config={
            "depth": 3,
            "hidden_size": 32,
            "out_hidden_size": 64,
            "num_heads": 2,
            "intermediate_size": 48,
            "patch_size": 8,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [0, 1],
        },
        image_token_id=ids("<|IMAGE_PAD|>"),
        video_token_id=ids("<|VIDEO_PAD|>"),
        vision_start_token_id=ids("<|VISION_START|>"),
        vision_end_token_id=ids("<|VISION_END|>"),
        **NO_ENDS,
    )
    images = transformers.CohereCompassImageProcessorPil(size=_PIXELS, patch_size=8)
    processor = without_videos(available(transformers.CohereCompassProcessor))(images, words, None)
    model = random_model(transformers.CohereCompassForConditionalGeneration, config)
    return VisionModel(model, processor, "<|VISION_START|><|IMAGE_PAD|><|VISION_END|>")


def _chameleon() -> VisionModel:
    special = {"image_token": "<image>", "boi_token": "<racm3:break>", "eoi_token": "<eoss>"}
    words = tokenizer(**special, sep_token="<sep>")
    codes = [f"IMGIMG{chr(ord('A') + number)}Z" for number in range(8)]
    words.add_tokens(codes)
    ids = words.convert_tokens_to_ids
    config = transformers.ChameleonConfig(
        **_WITHOUT_HEAD,
        vocab_size=len(words),
        vq_config={
            "embed_dim": 8,
            "num_embeddings": 8,
            "latent_channels": 32,
            "base_channels": 32,
            "channel_multiplier": [1, 1, 1],
            "num_res_blocks": 1,
            "resolution": 32,
        },
        vocabulary_map={each: ids(each) for each in ("<image>", *codes)},
    )
    images = transformers.ChameleonImageProcessorPil(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})
    processor = transformers.ChameleonProcessor(images, words, image_seq_length=16)
    return VisionModel(random_model(transformers.ChameleonForConditionalGeneration, config), processor, "<image>")


def _paddleocr_vl() -> VisionModel:
    words = tokenizer(image_token="<|IMAGE_PLACEHOLDER|>", start="<|IMAGE_START|>", end="<|IMAGE_END|>")
    ids = words.convert_tokens_to_ids
    config = transformers.PaddleOCRVLConfig(
        text_config={
            **TEXT,
            "vocab_size": len(words),
            "rope_parameters": _MROPE,
        },
        vision_config={
            **_TOWER,
            "image_size": 64,
            "patch_size": 8,
        },
        image_token_id=ids("<|IMAGE_PLACEHOLDER|>"),
        vision_start_token_id=ids("<|IMAGE_START|>"),
        vision_end_token_id=ids("<|IMAGE_END|>"),
        **NO_ENDS,
    )
    images = transformers.PaddleOCRVLImageProcessorPil(min_pixels=32 * 32, max_pixels=64 * 64, patch_size=8)
    processor = transformers.PaddleOCRVLProcessor(images, words)
    model = random_model(transformers.PaddleOCRVLForConditionalGeneration, config)
    return VisionModel(model, processor, "<|IMAGE_START|><|IMAGE_PLACEHOLDER|><|IMAGE_END|>")


def _granite_docling() -> VisionModel:
    words = tokenizer(image_token="<image>", fake="<fake_token_around_image>", one="<global-img>")
    words.add_tokens([f"<row_{row}_col_{column}>" for row in (1, 2) for column in (1, 2)])
    config = transformers.GraniteDoclingConfig(
        text_config={**_WITHOUT_HEAD, "vocab_size": len(words)},
        vision_config={
            **_TOWER,
            "num_hidden_layers": 3,
            "image_size": 32,
            "patch_size": 8,
            "out_hidden_size": 64,
            "scale_factor": 2,
            "deepstack_visual_indexes": [0, 1],
        },
        image_token_id=words.convert_tokens_to_ids("<image>"),
        pad_token_id=0,
    )
    images = transformers.GraniteDoclingImageProcessorPil(size={"height": 32, "width": 32}, max_patches=4)
    processor = transformers.GraniteDoclingProcessor(images, words, image_seq_len=4)
    return VisionModel(random_model(transformers.GraniteDoclingForConditionalGeneration, config), processor, "<image>")


def _hunyuan_vl() -> VisionModel:
    special = {"image_token": "<image>", "image_start_token": "<img>", "image_end_token": "</img>"}
    words = tokenizer(**special)
    words.pad_token = words.pad_token or words.eos_token
    stretched = {"rope_type": "dynamic", "factor": 1.0, "alpha": 1000.0, "rope_theta": 10000.0}
    ids = words.convert_tokens_to_ids
    config = transformers.HunYuanVLConfig(
        text_config={
            **TEXT,
            "vocab_size": len(words),
            "rope_parameters": {**stretched, "mrope_section": [2, 2, 2, 2]},
        },
        vision_config={
            **_TOWER,
            "out_hidden_size": 64,
            "patch_size": 8,
            "max_image_size": 64,
        },
        image_token_id=ids("<image>"),
        im_start_id=ids("<img>"),
        im_end_id=ids("</img>"),
        im_newline_id=ids("</img>"),
    )
    images = transformers.HunYuanVLImageProcessorPil(min_pixels=32 * 32, max_pixels=64 * 64, patch_size=8)
    processor = transformers.HunYuanVLProcessor(images, words)
    model = random_model(transformers.HunYuanVLForConditionalGeneration, config)
    return VisionModel(model, processor, "<img><image></img>")


def _janus() -> VisionModel:
    special = {"image_token": "<image_placeholder>", "boi_token": "<begin_of_image>", "eoi_token": "<end_of_image>"}
    words = tokenizer(**special)
    config = transformers.JanusConfig(
        text_config={"model_type": "llama", "vocab_size": len(words), **TEXT},
        vision_config={
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 8,
            "mlp_ratio": 2.0,
            "projection_dim": 64,
            "num_image_tokens": 16,
        },
        vq_config={
            "base_channels": 32,
            "embed_dim": 8,
            "num_embeddings": 16,
            "latent_channels": 32,
            "channel_multiplier": [1, 1],
            "projection_dim": 64,
            "image_token_embed_dim": 64,
            "num_res_blocks": 1,
        },
        image_token_id=words.convert_tokens_to_ids("<image_placeholder>"),
        **NO_ENDS,
    )
    images = transformers.JanusImageProcessorPil(size={"height": 32, "width": 32}, min_size=8)
    processor = transformers.JanusProcessor(images, words, num_image_tokens=16)
    model = random_model(transformers.JanusForConditionalGeneration, config)
    return VisionModel(model, processor, "<image_placeholder>")


BUILDERS: dict[str, Callable[[], VisionModel]] = {
    "chameleon": _chameleon,
    "cohere_compass": _cohere_compass,
    "cosmos3_edge": _cosmos3_edge,
    "granite_docling": _granite_docling,
    "hunyuan_vl": _hunyuan_vl,
    "janus": _janus,
    "paddleocr_vl": _paddleocr_vl,
}
