"""Further tiny random models that read images, for `vision_models`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import transformers
from transformers.utils import is_torchvision_available

from tests.tiny_media import NO_ENDS, TEXT, VisionModel, random_model, tokenizer
from torchpaged.integrations.transformers.media_processor import available, without_videos

_MROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}
_WITHOUT_HEAD = {name: value for name, value in TEXT.items() if name != "head_dim"}
_TOWER = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
_PIXELS = {"shortest_edge": 32 * 32, "longest_edge": 64 * 64}


def _videos(name: str, **settings: Any) -> Any:
    """Return a video processor; None without torchvision."""
    if not is_torchvision_available():
        return None
    return getattr(transformers, f"{name}VideoProcessor")(size=_PIXELS, patch_size=8, **settings)


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
    processor = without_videos(available(transformers.Cosmos3EdgeProcessor))(images, words, _videos("Cosmos3Edge"))
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
    processor = without_videos(available(transformers.CohereCompassProcessor))(images, words, _videos("CohereCompass"))
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


def _deepseek_ocr2() -> VisionModel:
    """Make a model whose images have 257 tokens and 144 for each crop, as many as its tower has queries."""
    words = tokenizer(image_token="<image>")
    config = transformers.DeepseekOcr2Config(
        text_config={
            **{name: value for name, value in _WITHOUT_HEAD.items() if name != "max_position_embeddings"},
            "max_position_embeddings": 2048,
            "vocab_size": len(words),
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 48,
            "mlp_layer_types": ["dense", "sparse", "sparse"],
        },
        vision_config={
            "sam_config": {
                **_TOWER,
                "image_size": 64,
                "patch_size": 1,
                "output_channels": 8,
                "downsample_channels": [16, 32],
                "global_attn_indexes": [],
                "initializer_range": 0.02,
            },
            "encoder_config": {**_TOWER, "num_key_value_heads": 1},
        },
        image_token_id=words.convert_tokens_to_ids("<image>"),
        **NO_ENDS,
    )
    images = transformers.DeepseekOcr2ImageProcessorPil(
        size={"height": 64, "width": 64}, tile_size=48, min_patches=2, max_patches=2
    )
    processor = transformers.DeepseekOcr2Processor(images, words, patch_size=1, downsample_ratio=4)
    return VisionModel(random_model(transformers.DeepseekOcr2ForConditionalGeneration, config), processor, "<image>")


def _emu3() -> VisionModel:
    words = tokenizer(
        image_token="<image>",
        boi_token="<|image start|>",
        eoi_token="<|image end|>",
        image_wrapper_token="<|image token|>",
        eof_token="<|extra_201|>",
        eol="<|extra_200|>",
    )
    words.bos_token = words.eos_token
    codes = [f"<|visual token {number:06d}|>" for number in range(16)]
    words.add_tokens(codes)
    known = ("<image>", "<|extra_200|>", *codes)
    config = transformers.Emu3Config(
        text_config={**_WITHOUT_HEAD, "vocab_size": len(words), "bos_token_id": 1, "eos_token_id": 2},
        vq_config={
            "codebook_size": 16,
            "latent_channels": 8,
            "base_channels": 32,
            "channel_multiplier": [1, 1, 1, 1],
            "num_res_blocks": 1,
            "hidden_size": 32,
        },
        vocabulary_map={each: words.convert_tokens_to_ids(each) for each in known},
    )
    # Of one size for the tests' images: transformers pads a prompt's images, and convolves over the padding.
    images = transformers.Emu3ImageProcessor(min_pixels=64, max_pixels=256)
    processor = transformers.Emu3Processor(images, words)
    return VisionModel(random_model(transformers.Emu3ForConditionalGeneration, config), processor, "<image>")


def dots3_note_text(vocabulary: int) -> dict[str, Any]:
    """Return the settings of a text part with latent attention, in windows and to chosen tokens."""
    latent = {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "v_head_dim": 12}
    return {
        **TEXT,
        **latent,
        **{f"swa_{name}": value for name, value in latent.items()},
        "vocab_size": vocabulary,
        "num_key_value_heads": 4,
        "head_dim": 24,
        "qk_rope_head_dim": 8,
        "index_n_heads": 32,
        "index_head_dim": 16,
        "index_topk": 6,
        "sliding_window": 7,
        "layer_types": ["sliding_attention", "indexed_attention", "sliding_attention"],
        "swa_num_attention_heads": 4,
        "swa_num_key_value_heads": 4,
        "swa_head_dim": 24,
        "n_routed_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 32,
        "shared_experts_intermediate_size": 32,
    }


def _dots3_note() -> VisionModel:
    words = tokenizer(image="<|imgpad|>", video="<|video_pad|>", audio="<|audio_comp_pad|>")
    ids = words.convert_tokens_to_ids
    config = transformers.Dots3NoteConfig(
        text_config=dots3_note_text(len(words)),
        vision_config={
            **_TOWER,
            "patch_size": 8,
            "mlp_layer_types": ["dense", "sparse"],
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
            "adapter_in_dim": 32,
            "adapter_out_dim": 64,
        },
        audio_config={
            **_TOWER,
            "feature_size": 16,
            "downsample_hidden_size": 8,
            "adapter_input_size": 32,
            "adapter_out_dim": 64,
        },
        image_token_id=ids("<|imgpad|>"),
        video_token_id=ids("<|video_pad|>"),
        audio_token_id=ids("<|audio_comp_pad|>"),
    )
    images = transformers.Qwen2VLImageProcessorPil(
        min_pixels=32 * 32, max_pixels=64 * 64, patch_size=8, temporal_patch_size=1
    )
    videos = _videos("Qwen3VL", temporal_patch_size=1)
    sounds = transformers.Dots3NoteFeatureExtractor(feature_size=16, chunk_length=1)
    processor = without_videos(transformers.Dots3NoteProcessor)(images, words, videos, sounds)
    return VisionModel(random_model(transformers.Dots3NoteForConditionalGeneration, config), processor, "<|imgpad|>")


def _mistral_large4() -> VisionModel:
    words = tokenizer(image_token="[IMG]", image_break_token="[IMG_BREAK]", image_end_token="[IMG_END]")
    config = transformers.MistralLarge4Config(
        text_config={
            **TEXT,
            "vocab_size": len(words),
            "num_key_value_heads": 4,
            "kv_lora_rank": 16,
            "qk_nope_head_dim": 16,
            "qk_rope_head_dim": 8,
            "v_head_dim": 12,
            "index_n_heads": 32,
            "index_head_dim": 16,
            "index_topk": 6,
            "no_rope_layers": [1, 0, 1],
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
        },
        vision_config={"model_type": "pixtral", **_TOWER, "image_size": 64, "patch_size": 8},
        image_token_id=words.convert_tokens_to_ids("[IMG]"),
    )
    images = transformers.PixtralImageProcessorPil(size={"longest_edge": 64}, patch_size={"height": 8, "width": 8})
    kind = available(transformers.PixtralProcessor)
    processor = kind(images, words, patch_size=8, spatial_merge_size=2)
    return VisionModel(random_model(transformers.MistralLarge4ForConditionalGeneration, config), processor, "[IMG]")


BUILDERS: dict[str, Callable[[], VisionModel]] = {
    "chameleon": _chameleon,
    "cohere_compass": _cohere_compass,
    "cosmos3_edge": _cosmos3_edge,
    "deepseek_ocr2": _deepseek_ocr2,
    "dots3_note": _dots3_note,
    "emu3": _emu3,
    "granite_docling": _granite_docling,
    "hunyuan_vl": _hunyuan_vl,
    "janus": _janus,
    "mistral_large4": _mistral_large4,
    "paddleocr_vl": _paddleocr_vl,
}
