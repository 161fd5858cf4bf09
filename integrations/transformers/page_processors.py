"""Processors of embedders of pages (`families.EMBEDDERS`), for prompts that are a text with placeholders.

transformers' own take images or texts, and write the text around an image themselves.
"""

from __future__ import annotations

import copy
from typing import Any

from transformers import ProcessorMixin

# Methods of ColPali's and ColQwen2's processors that write their own text around what they are given.
_OWN = ("__call__", "prepare_inputs_layout", "validate_inputs")
# A chat template for pages: the texts and placeholders of a conversation, as they are.
PAGES_TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"


def is_of_pages(processor: ProcessorMixin) -> bool:
    """Return True for the processor of an embedder of pages."""
    return hasattr(processor, "visual_prompt_prefix")


def reads_placeholders(processor: ProcessorMixin) -> ProcessorMixin:
    """Return a copy of such a processor that replaces the placeholders of a text, and leaves the rest as it is."""
    made, kind = copy.copy(processor), type(processor)
    if kind.__name__ in ("ColPaliProcessor", "ColQwen2Processor"):
        made.__class__ = type(kind.__name__, (kind,), {name: getattr(ProcessorMixin, name) for name in _OWN})
    return made


def page_prompt(processor: Any) -> str:
    """Return the text that such a processor writes around an image, its placeholder included."""
    text: str = processor.visual_prompt_prefix
    if processor.image_token in text:
        return text
    return f"{processor.image_token}{processor.tokenizer.bos_token}{text}\n"  # ColPali's
