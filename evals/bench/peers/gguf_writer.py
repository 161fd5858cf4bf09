"""Writes a Qwen3 checkpoint as GGUF: `python -m evals.bench.peers.gguf_writer MODEL FILE WEIGHTS`.

With "adapter" as WEIGHTS, MODEL is the folder of an adapter of such a model.

Needs the packages gguf and numpy alone, which llama.cpp's environment has too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np


def convert(model: Path, output: Path, weights: str) -> None:
    """Write a transformers checkpoint of Qwen3 as GGUF.

    Args:
        weights: type of the matrices: "BF16", "Q8_0" or "Q4_0"; norms are float32.
    """
    config = json.loads((model / "config.json").read_text())
    kind = gguf.GGMLQuantizationType[weights]
    writer = gguf.GGUFWriter(output, "qwen3")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_file_type(gguf.LlamaFileType[f"MOSTLY_{weights}"])
    _add_vocabulary(writer, model, config["vocab_size"])
    for name, tensor in _tensors(model / "model.safetensors"):
        if tensor.ndim == 1:
            writer.add_tensor(_gguf_name(name), tensor)
        else:
            writer.add_tensor(_gguf_name(name), gguf.quants.quantize(tensor, kind), raw_dtype=kind)
    _write(writer)


def convert_adapter(folder: Path, output: Path) -> None:
    """Write peft's adapter of a Qwen3 model as GGUF, in float16 as llama.cpp's converter does by default."""
    writer = gguf.GGUFWriter(output, "qwen3")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32(
        "adapter.lora.alpha", float(json.loads((folder / "adapter_config.json").read_text())["lora_alpha"])
    )
    for name, tensor in _tensors(folder / "adapter_model.safetensors"):
        module, _, half = name.removeprefix("base_model.model.").removesuffix(".weight").rpartition(".")
        writer.add_tensor(f"{_gguf_name(module + '.weight')}.{half.lower()}", tensor.astype(np.float16))
    _write(writer)


def _write(writer: Any) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_vocabulary(writer: Any, model: Path, size: int) -> None:
    """Add the tokenizer's vocabulary if it has a text for each token; otherwise only its size."""
    vocabulary = json.loads((model / "tokenizer.json").read_text())["model"]["vocab"]
    if len(vocabulary) < size:
        writer.add_tokenizer_model("none")
        writer.add_vocab_size(size)
        return
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(sorted(vocabulary, key=vocabulary.__getitem__))
    writer.add_token_types([1] * size)
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(size - 1)
    writer.add_add_bos_token(False)


def _tensors(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield (name, float32 array) from a bfloat16 safetensors file; numpy has no bfloat16."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            assert entry["dtype"] == "BF16", f"{name} is {entry['dtype']}"
            first, last = entry["data_offsets"]
            file.seek(8 + size + first)
            upper = np.frombuffer(file.read(last - first), np.uint16).astype(np.uint32)
            yield name, (upper << 16).view(np.float32).reshape(entry["shape"])


_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def _gguf_name(name: str) -> str:
    outside = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight"}
    if name in outside:
        return outside[name]
    number, part = name.removeprefix("model.layers.").removesuffix(".weight").split(".", 1)
    return f"blk.{number}.{_NAMES[part]}.weight"


if __name__ == "__main__":
    if sys.argv[3] == "adapter":
        convert_adapter(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        convert(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
