"""Tiny random models built from configs, and transformers' own greedy output for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from transformers import CONFIG_MAPPING, AutoConfig, AutoModelForCausalLM, PreTrainedModel

VOCAB = 128
STDLIB_LM = Path(__file__).resolve().parents[2] / "evals" / "models" / "stdlib-lm"

OMIT: Any = object()
COMMON: dict[str, Any] = {
    "vocab_size": VOCAB,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "max_position_embeddings": 512,
    # Large weights: logits lie far apart, so that the argmax does not depend on the last bit.
    "initializer_range": 0.3,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
    "tie_word_embeddings": False,
}


def build(kind: str, *, seed: int = 0, **overrides: Any) -> PreTrainedModel:
    """Return a random float32 model of a model type, with eager attention and no end-of-sequence token.

    The test is skipped if the installed transformers lacks the model type. An override of `OMIT` keeps the model type's
    own default.
    """
    if kind not in CONFIG_MAPPING:
        pytest.skip(f"transformers {transformers.__version__} has no model type {kind!r}")
    torch.manual_seed(seed)
    settings = {name: value for name, value in {**COMMON, **overrides}.items() if value is not OMIT}
    config = AutoConfig.for_model(kind, **settings)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32, attn_implementation="eager").eval()
    for name in ("bos_token_id", "eos_token_id", "pad_token_id"):
        setattr(model.generation_config, name, None)
    return model


def prompts(lengths: Sequence[int], vocab_size: int = VOCAB, seed: int = 0) -> list[list[int]]:
    """Return random token ids."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randint(1, vocab_size, (length,), generator=generator).tolist() for length in lengths]


@torch.inference_mode()
def greedy(model: PreTrainedModel, batch: Sequence[Sequence[int]], max_tokens: int) -> list[list[int]]:
    """Run `generate(do_sample=False)` on one prompt at a time: no padding, no paging."""
    results = []
    for prompt in batch:
        ids = torch.tensor([prompt])
        out = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=max_tokens)
        results.append(out[0, len(prompt) :].tolist())
    return results


@torch.inference_mode()
def logprobs(model: PreTrainedModel, token_ids: Sequence[int]) -> torch.Tensor:
    """Return the log-softmax after each token, of transformers' own forward: [len(token_ids), vocab]."""
    return torch.log_softmax(model(input_ids=torch.tensor([token_ids])).logits[0].float(), dim=-1)
