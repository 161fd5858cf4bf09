"""A checkpoint with random weights that every peer loads, of Qwen3's shape by default, and its GGUF for llama.cpp."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

from evals.bench import shapes

ROOT = Path(__file__).resolve().parents[3]
QWEN3_06B: dict[str, Any] = {**shapes.QWEN3_06B, "max_position_embeddings": 40960, "rope_theta": 1e6}
TINY = {
    **QWEN3_06B,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "vocab_size": 512,
}


def build(shape: dict[str, Any], folder: Path) -> Path:
    """Write the checkpoint in bfloat16 unless it exists; return its folder, which is named for the shape.

    Args:
        shape: arguments of `AutoConfig.for_model`; "model_type" is "qwen3" by default.
    """
    shape = {"model_type": "qwen3", **shape}
    keys = ("model_type", "num_hidden_layers", "hidden_size", "vocab_size")
    name = "-".join(str(shape[key]) for key in keys)
    target = folder / name
    if target.exists():
        return target
    partial = folder / f"{name}.partial-{os.getpid()}"
    torch.manual_seed(0)
    config = AutoConfig.for_model(**shape, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.save_pretrained(partial, max_shard_size="100GB")
    tokenizer = Tokenizer(BPE({letter: i for i, letter in enumerate(sorted(ByteLevel.alphabet()))}, []))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(partial)
    return _moved(partial, target)


def _moved(partial: Path, target: Path) -> Path:
    """Move a complete folder to its final place; keep the one that is already there."""
    try:
        partial.rename(target)
    except OSError:  # another process was sooner
        shutil.rmtree(partial)
    return target


def spoken(model: Path, vocab_size: int) -> Path:
    """Return a folder with the same weights and a tokenizer that decodes every token, for streaming benchmarks."""
    target = model.with_name(f"{model.name}-spoken")
    if target.exists():
        return target
    partial = target.with_name(f"{target.name}.partial-{os.getpid()}")
    shutil.copytree(
        model, partial, copy_function=os.link, ignore=shutil.ignore_patterns("tokenizer*", "*.gguf", "*.bin")
    )
    letters = sorted(ByteLevel.alphabet())
    texts = [*letters, "ab", *(f"\u0120w{number}" for number in range(len(letters) + 1, vocab_size))][:vocab_size]
    tokenizer = Tokenizer(BPE({text: number for number, text in enumerate(texts)}, [("a", "b")]))
    tokenizer.pre_tokenizer, tokenizer.decoder = ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(partial)
    return _moved(partial, target)


def quantised(model: Path, scheme: str) -> Path:
    """Return a folder with the model as `torchpaged quantize` writes it, which takes minutes the first time.

    Args:
        scheme: a value of `--to`, such as "int4".

    Raises:
        CalledProcessError: it failed; its output is on standard error.
    """
    target = model.with_name(f"{model.name}-{scheme}")
    if not target.exists():
        command = [sys.executable, "-m", "torchpaged.cli", "quantize", str(model), "--to", scheme, "-o", str(target)]
        subprocess.run([*command, "--quiet"], cwd=ROOT, check=True, stdout=sys.stderr)
    return target


def gguf(model: Path, python: str, weights: str) -> Path:
    """Write a Qwen3 model, or an adapter of one, as GGUF unless the file exists.

    Args:
        model: folder of the checkpoint, or of the adapter.
        python: interpreter of an environment with the package gguf.
        weights: "BF16", "Q8_0", "Q4_0", or "adapter".

    Raises:
        CalledProcessError: that environment lacks a package; its output is on standard error.
    """
    target = model / f"model-{weights}.gguf"
    if not target.exists():
        partial = target.with_suffix(".partial")
        command = [python, "-m", "evals.bench.peers.gguf_writer", str(model), str(partial), weights]
        subprocess.run(command, cwd=ROOT, check=True)
        partial.rename(target)
    return target
