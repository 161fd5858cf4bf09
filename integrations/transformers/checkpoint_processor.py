"""Finds the processor of a checkpoint: its own, or for a GGUF file one that is made of the keys of its mmproj file."""

from __future__ import annotations

from typing import Any

import transformers
from transformers import PretrainedConfig, ProcessorMixin

from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.transformers.media_processor import read_processor, without_videos
from torchpaged.weights.gguf_tokenizer import tokenizer_of

# Attributes of the tokenizer that Gemma 3's processor reads, by the name of their value in the config.
_OF_GEMMA3 = {"image_token": "image_token_index", "boi_token": "boi_token_index", "eoi_token": "eoi_token_index"}


def checkpoint_processor(checkpoint: Checkpoint, tokenizer: Any = None) -> ProcessorMixin:
    """Read the processor of a checkpoint that is no instance.

    Args:
        tokenizer: for a GGUF file; None: the file's.

    Raises:
        ModelError: there is none, or it cannot be built here.
    """
    if checkpoint.gguf is None:
        code, hub = checkpoint.trust_remote_code, checkpoint.options.hub
        found: ProcessorMixin = read_processor(checkpoint.name, checkpoint.config, trust_remote_code=code, **hub)
        return found
    return _of_mmproj(checkpoint.config, tokenizer_of(checkpoint.gguf.file) if tokenizer is None else tokenizer)


def _of_mmproj(config: PretrainedConfig, tokenizer: Any) -> ProcessorMixin:
    """Make the processor of a model whose config is made of an mmproj file.

    Args:
        config: of the whole model.
        tokenizer: of transformers, with the vocabulary of the file with the text part.

    Raises:
        ModelError: the tokenizer has another vocabulary.
    """
    vision: Any = config.vision_config
    colours = {"image_mean": vision.image_mean, "image_std": vision.image_std}
    square = {"height": vision.image_size, "width": vision.image_size}
    template = getattr(tokenizer, "chat_template", None)
    made: Any
    if config.model_type == "llava":
        images = transformers.CLIPImageProcessorPil(
            size={"shortest_edge": vision.image_size}, crop_size=square, **colours
        )
        made = transformers.LlavaProcessor(
            images,
            tokenizer,
            patch_size=vision.patch_size,
            vision_feature_select_strategy="default",
            num_additional_image_tokens=1,
            image_token=_text_of(tokenizer, config.image_token_index),
            chat_template=template,
        )
    elif config.model_type == "gemma3":
        for name, index in _OF_GEMMA3.items():
            setattr(tokenizer, name, _text_of(tokenizer, getattr(config, index)))
            setattr(tokenizer, f"{name}_id", getattr(config, index))
        made = transformers.Gemma3Processor(
            transformers.Gemma3ImageProcessorPil(size=square, **colours),
            tokenizer,
            image_seq_length=config.mm_tokens_per_image,
            chat_template=template,
        )
    elif config.model_type == "idefics3":
        images = transformers.Idefics3ImageProcessorPil(
            size={"longest_edge": vision.preproc_image_size},
            max_image_size={"longest_edge": vision.image_size},
            **colours,
        )
        num_patches = (vision.image_size // vision.patch_size) ** 2
        made = transformers.Idefics3Processor(
            images, tokenizer, image_seq_len=num_patches // config.scale_factor**2, chat_template=template
        )
    else:
        bounds = {
            name: getattr(vision, f"image_{name}")
            for name in ("min_pixels", "max_pixels")
            if hasattr(vision, f"image_{name}")
        }
        images = transformers.Qwen2VLImageProcessorPil(
            patch_size=vision.patch_size,
            merge_size=vision.spatial_merge_size,
            temporal_patch_size=vision.temporal_patch_size,
            **bounds,
            **colours,
        )
        made = without_videos(transformers.Qwen2VLProcessor)(images, tokenizer, chat_template=template)
    return made


def _text_of(tokenizer: Any, token: int) -> str:
    """Return a token's text. ModelError if the tokenizer reads it as another."""
    text = tokenizer.convert_ids_to_tokens(token) if token < len(tokenizer) else None
    if text is None or tokenizer(text, add_special_tokens=False)["input_ids"] != [token]:
        raise ModelError(f"the tokenizer has {text!r:.80} as token {token}, expected the mark of an image")
    return str(text)
