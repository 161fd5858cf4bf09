"""Shapes of published models, for random weights: what `AutoConfig.for_model` takes."""

from __future__ import annotations

from typing import Any

# https://huggingface.co/Qwen/Qwen3-0.6B/blob/main/config.json
QWEN3_06B: dict[str, Any] = {
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
}
