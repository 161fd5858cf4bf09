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


BUILDERS: dict[str, Callable[[], VisionModel]] = {
    "chameleon": _chameleon,
    "cohere_compass": _cohere_compass,
    "cosmos3_edge": _cosmos3_edge,
}
