"""Parts of tiny random models that read images or sounds: settings of their text parts, a tokenizer, weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from transformers import PreTrainedModel, ProcessorMixin

BUNDLED = Path(__file__).parent.parent / "evals" / "models" / "stdlib-lm"
TEXT: dict[str, Any] = {
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
NO_ENDS: dict[str, Any] = {"pad_token_id": 0, "bos_token_id": None, "eos_token_id": None}


class VisionModel(NamedTuple):
    """A model, its processor, and the text that stands for one image or sound in a prompt."""

    model: PreTrainedModel
    processor: ProcessorMixin
    placeholder: str

    @property
    def modality(self) -> str:
        """Return "image" or "audio"."""
        return "image" if hasattr(self.processor, "image_processor") else "audio"


def tokenizer(**special: str) -> Any:
    return transformers.AutoTokenizer.from_pretrained(str(BUNDLED), extra_special_tokens=special)


def random_model(kind: Any, config: Any) -> PreTrainedModel:
    model: PreTrainedModel = kind._from_config(config, dtype=torch.float32, attn_implementation="eager")
    generator = torch.Generator().manual_seed(0)
    for weight in model.parameters():
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.08, generator=generator)
    return model.eval()
