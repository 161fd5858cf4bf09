"""Tiny random models with image processors of torchvision, some with towers of timm, for `vision_models`."""

from __future__ import annotations

from collections.abc import Callable

import transformers
from transformers.utils import is_timm_available

from tests.tiny_media import NO_ENDS, TEXT, VisionModel, random_model, tokenizer

_TOWER = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}


def _kimi_k25() -> VisionModel:
    words = tokenizer(
        image_token="<|media_pad|>",
        video_token="<|kimi_k25_video_placeholder|>",
        b="<|media_begin|>",
        e="<|media_end|>",
    )
    ids = words.convert_tokens_to_ids
    text = {name: value for name, value in TEXT.items() if name != "head_dim"} | {"num_key_value_heads": 4}
    config = transformers.Kimi_K25Config(
        text_config={
            "model_type": "deepseek_v3",
            **text,
            "vocab_size": len(words),
            "q_lora_rank": 24,
            "kv_lora_rank": 16,
            "qk_rope_head_dim": 8,
            "qk_nope_head_dim": 16,
            "v_head_dim": 16,
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "n_group": 1,
            "topk_group": 1,
            "moe_intermediate_size": 48,
            "first_k_dense_replace": 1,
        },
        vision_config={**_TOWER, "patch_size": 8, "pos_emb_height": 8, "pos_emb_width": 8},
        projection_hidden_size=32,
        image_token_id=ids("<|media_pad|>"),
        video_token_id=ids("<|kimi_k25_video_placeholder|>"),
        vision_start_token_id=ids("<|media_begin|>"),
        vision_end_token_id=ids("<|media_end|>"),
        tie_word_embeddings=False,
        **NO_ENDS,
    )
    images = transformers.Kimi_K25ImageProcessor(max_patches=64, patch_size=8, size={"max_height": 8, "max_width": 8})
    processor = transformers.Kimi_K25Processor(images, words, transformers.Kimi_K25VideoProcessor())
    model = random_model(transformers.Kimi_K25ForConditionalGeneration, config)
    return VisionModel(model, processor, "<|media_pad|>")


def _llama4() -> VisionModel:
    special = ["<|image|>", "<|image_start|>", "<|image_end|>", "<|patch|>", "<|tile_x_separator|>"]
    words = tokenizer(**{f"t{number}": each for number, each in enumerate([*special, "<|tile_y_separator|>"])})
    config = transformers.Llama4Config(
        text_config={
            **TEXT,
            "vocab_size": len(words),
            "intermediate_size_mlp": 96,
            "num_local_experts": 4,
            "num_experts_per_tok": 1,
            "attention_chunk_size": 32,
            "layer_types": ["chunked_attention", "full_attention", "chunked_attention"],
        },
        vision_config={
            **_TOWER,
            "intermediate_size": 128,
            "image_size": 32,
            "patch_size": 8,
            "vision_output_dim": 48,
            "projector_input_dim": 48,
            "projector_output_dim": 48,
        },
        image_token_index=words.convert_tokens_to_ids("<|patch|>"),
        **NO_ENDS,
    )
    images = transformers.Llama4ImageProcessor(size={"height": 32, "width": 32}, max_patches=4)
    processor = transformers.Llama4Processor(images, words, patch_size=8)
    return VisionModel(random_model(transformers.Llama4ForConditionalGeneration, config), processor, "<|image|>")


def _muse_glimmer() -> VisionModel:
    special = ["<|patch|>", "<|image_start|>", "<|image_end|>", "<|video|>", "<|vid_frame_separator|>"]
    words = tokenizer(**{f"t{n}": each for n, each in enumerate([*special, "<|vid_start|>", "<|vid_end|>"])})
    ids = words.convert_tokens_to_ids
    config = transformers.MuseGlimmerConfig(
        text_config={
            **TEXT,
            "vocab_size": len(words),
            "sliding_window": 24,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        },
        vision_config={**_TOWER, "patch_size": 8, "pos_emb_height": 8, "pos_emb_width": 8},
        out_hidden_size=128,
        projector_hidden_size=48,
        image_token_id=ids("<|patch|>"),
        video_token_id=ids("<|video|>"),
    )
    images = transformers.MuseGlimmerImageProcessor(patch_size=8, max_image_tokens=16)
    videos = transformers.MuseGlimmerVideoProcessor(patch_size=8)
    processor = transformers.MuseGlimmerProcessor(images, videos, words)
    return VisionModel(random_model(transformers.MuseGlimmerForConditionalGeneration, config), processor, "<|patch|>")


def _step3p7() -> VisionModel:
    special = ["<im_patch>", "<im_start>", "<im_end>", "<patch_start>", "<patch_end>", "<patch_newline>"]
    words = tokenizer(**{f"t{number}": each for number, each in enumerate(special)})
    config = transformers.Step3p7Config(
        text_config={
            **TEXT,
            "vocab_size": len(words),
            "sliding_window": 24,
            "layer_types": ["full_attention", "sliding_attention", "sliding_attention"],
            "mlp_layer_types": ["dense", "sparse", "sparse"],
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 48,
            "share_expert_dim": 48,
        },
        vision_config={**_TOWER, "image_size": 64, "patch_size": 8, "mlp_ratio": 1.5, "max_position_embeddings": 64},
        image_token_id=words.convert_tokens_to_ids("<im_patch>"),
    )
    images = transformers.Step3p7ImageProcessor(
        size={"height": 64, "width": 64}, patch_size=32, max_image_size=128, vision_patch_size=8
    )
    processor = transformers.Step3p7Processor(images, words)
    return VisionModel(random_model(transformers.Step3p7ForConditionalGeneration, config), processor, "<im_patch>")


def _fast_vlm() -> VisionModel:
    words = tokenizer(image_token="<image>")
    config = transformers.FastVlmConfig(
        text_config={"model_type": "qwen2", "vocab_size": len(words), **TEXT},
        vision_config={
            "model_type": "timm_wrapper",
            "architecture": "test_resnet",
            "do_pooling": True,
            "hidden_size": 96,
            "model_args": {},
        },
        image_token_index=words.convert_tokens_to_ids("<image>"),
        **NO_ENDS,
    )
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": 64}, crop_size={"height": 64, "width": 64})
    processor = transformers.LlavaProcessor(
        images, words, patch_size=32, vision_feature_select_strategy="full", image_token="<image>"
    )
    return VisionModel(random_model(transformers.FastVlmForConditionalGeneration, config), processor, "<image>")


def _perception_lm() -> VisionModel:
    words = tokenizer(image_token="<|image|>", video_token="<|video|>")
    ids = words.convert_tokens_to_ids
    config = transformers.PerceptionLMConfig(
        text_config={"model_type": "llama", "vocab_size": len(words), **TEXT},
        vision_config={
            "model_type": "timm_wrapper",
            "architecture": "test_vit",
            "do_pooling": False,
            "model_args": {"img_size": [64, 64], "embed_dim": 64},
        },
        projector_pooling_ratio=2,
        image_token_id=ids("<|image|>"),
        video_token_id=ids("<|video|>"),
        **NO_ENDS,
    )
    images = transformers.PerceptionLMImageProcessor(tile_size=64, max_num_tiles=2, vision_input_type="thumb+tile")
    videos = transformers.PerceptionLMVideoProcessor(size={"height": 64, "width": 64})
    processor = transformers.PerceptionLMProcessor(videos, images, words, patch_size=16, pooling_ratio=2)
    return VisionModel(random_model(transformers.PerceptionLMForConditionalGeneration, config), processor, "<|image|>")


def _minicpm(name: str = "MiniCPMV4_6") -> VisionModel:
    tokens = {
        "image_token": "<|image_pad|>",
        "video_token": "<|video_pad|>",
        "image_start_token": "<image>",
        "image_end_token": "</image>",
        "slice_start_token": "<slice>",
        "slice_end_token": "</slice>",
        "image_id_start_token": "<image_id>",
        "image_id_end_token": "</image_id>",
    }
    words = tokenizer(**tokens)
    ids = words.convert_tokens_to_ids
    marks = {
        "image_start_id": ids("<image>"),
        "image_end_id": ids("</image>"),
        "slice_start_id": ids("<slice>"),
        "slice_end_id": ids("</slice>"),
        "newline_id": words("\n")["input_ids"][0],
    }
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1], "mrope_interleaved": True}
    config = getattr(transformers, f"{name}Config")(
        text_config={
            "model_type": "qwen3_5_text",
            **TEXT,
            "vocab_size": len(words),
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 4,
            "linear_key_head_dim": 8,
            "linear_value_head_dim": 12,
            "layer_types": ["linear_attention", "full_attention", "linear_attention"],
            "rope_parameters": rope,
        },
        vision_config={**_TOWER, "image_size": 64, "patch_size": 8},
        insert_layer_id=0,
        image_token_id=ids("<|image_pad|>"),
        video_token_id=ids("<|video_pad|>"),
        **(marks if name == "MiniCPMV4_7" else {}),
    )
    own = name if hasattr(transformers, f"{name}ImageProcessor") else "MiniCPMV4_6"
    sizes = {"scale_resolution": 32, "patch_size": 8, "max_slice_nums": 4}
    images = getattr(transformers, f"{own}ImageProcessor")(**sizes)
    videos = getattr(transformers, f"{own}VideoProcessor")(**sizes)
    processor = getattr(transformers, f"{name}Processor")(images, videos, words)
    model = random_model(getattr(transformers, f"{name}ForConditionalGeneration"), config)
    return VisionModel(model, processor, "<|image_pad|>")


def _minimax_m3_vl() -> VisionModel:
    kind = transformers.MiniMaxM3VLProcessor
    special = [kind.IMAGE_TOKEN, kind.VIDEO_TOKEN, kind.VISION_START_TOKEN, kind.VISION_END_TOKEN]
    words = tokenizer(**{f"t{number}": each for number, each in enumerate(special)})
    ids = words.convert_tokens_to_ids
    config = transformers.MiniMaxM3VLConfig(
        text_config={
            **TEXT,
            "vocab_size": len(words),
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "dense_intermediate_size": 96,
            "shared_intermediate_size": 32,
            "layer_types": ["full_attention", "minimax_m3_sparse", "minimax_m3_sparse"],
            "index_n_heads": 2,
            "index_head_dim": 16,
            "index_block_size": 3,
            "index_topk_blocks": 2,
            "index_local_blocks": 1,
            "rotary_dim": 16,
        },
        vision_config={**_TOWER, "hidden_size": 48, "image_size": 64, "patch_size": 8},
        projector_hidden_size=32,
        image_token_index=ids(kind.IMAGE_TOKEN),
        video_token_index=ids(kind.VIDEO_TOKEN),
    )
    sizes = {"size": {"shortest_edge": 32 * 32, "longest_edge": 64 * 64}, "patch_size": 8}
    images = transformers.MiniMaxM3VLImageProcessor(**sizes)
    processor = kind(images, words, transformers.MiniMaxM3VLVideoProcessor(**sizes))
    model = random_model(transformers.MiniMaxM3SparseForConditionalGeneration, config)
    return VisionModel(model, processor, kind.IMAGE_TOKEN)


def _muse_spark() -> VisionModel:
    special = ["<|patch|>", "<|image_start|>", "<|image_end|>", "<|video|>", "<|vid_frame_separator|>"]
    special += ["<|vid_start|>", "<|vid_end|>", "<|audio|>", "<|soft_audio_start|>", "<|soft_audio_end|>"]
    words = tokenizer(**{f"t{number}": each for number, each in enumerate(special)})
    ids = words.convert_tokens_to_ids
    config = transformers.MuseSparkConfig(
        text_config={
            **TEXT,
            "vocab_size": len(words),
            "sliding_window": 24,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "layer_rope_theta": [10000.0, 0, 10000.0],
            "moe_intermediate_size": 32,
            "moe_hidden_size": 48,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
        },
        vision_config={**_TOWER, "patch_size": 8, "pos_emb_height": 4, "pos_emb_width": 4},
        audio_config={
            "hidden_sizes": [8, 8, 16, 16],
            "depths": [1, 1, 1, 1],
            "mlp_ratio": 2.0,
            "out_hidden_size": 64,
        },
        out_hidden_size=128,
        projector_hidden_size=48,
        image_token_id=ids("<|patch|>"),
        video_token_id=ids("<|video|>"),
        audio_token_id=ids("<|audio|>"),
    )
    images = transformers.MuseGlimmerImageProcessor(patch_size=8, max_image_tokens=16)
    videos = transformers.MuseGlimmerVideoProcessor(patch_size=8)
    sounds = transformers.MuseSparkFeatureExtractor(sampling_rate=16000)
    processor = transformers.MuseSparkProcessor(images, videos, words, sounds)
    return VisionModel(random_model(transformers.MuseSparkForConditionalGeneration, config), processor, "<|patch|>")


BUILDERS: dict[str, Callable[[], VisionModel]] = {
    "kimi_k25": _kimi_k25,
    "llama4": _llama4,
    "minicpm_ocr": lambda: _minicpm("MiniCPMOcr"),
    "minicpmv4_6": _minicpm,
    "minicpmv4_7": lambda: _minicpm("MiniCPMV4_7"),
    "minimax_m3_vl": _minimax_m3_vl,
    "muse_glimmer": _muse_glimmer,
    "muse_spark": _muse_spark,
    "step3p7": _step3p7,
}
if is_timm_available():
    BUILDERS |= {"fast_vlm": _fast_vlm, "perception_lm": _perception_lm}
