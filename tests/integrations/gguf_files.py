"""GGUF files of tiny random models, by the `gguf` package: names by its tables, layouts as llama.cpp has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Kind
from torch import Tensor
from transformers import PreTrainedModel

from tests.integrations import gguf_states as states
from tests.integrations.gguf_keys import keys_of, of_activations, wide_head
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.checkpoints.model_loader import build_empty, stream_weights
from torchpaged.weights.gguf_file import Gguf

# llama.cpp's name of a model type, if it is another.
ARCH = {
    "mixtral": "llama",
    "qwen2_moe": "qwen2moe",
    "qwen3_moe": "qwen3moe",
    "gemma3_text": "gemma3",
    "cohere": "command-r",
    "ernie4_5": "ernie4_5",
    "hunyuan_v1_dense": "hunyuan-dense",
    "gpt_oss": "gpt-oss",
    "qwen3_5_text": "qwen35",
    "qwen3_5_moe_text": "qwen35moe",
    "qwen3_next": "qwen3next",
    "granitemoehybrid": "granitehybrid",
    "falcon_h1": "falcon-h1",
    "phi": "phi2",
    "gpt_neox": "gptneox",
    "ernie4_5_moe": "ernie4_5-moe",
    "minimax_m2": "minimax-m2",
    "olmo3": "olmo2",
    "glm4_moe": "glm4moe",
    "granitemoeshared": "granitemoe",
    "gemma3n_text": "gemma3n",
    "gemma4_text": "gemma4",
    "deepseek_v2": "deepseek2",
    "lfm2_moe": "lfm2moe",
    "ministral3": "mistral3",
    "mistral": "mistral3",
    "deepseek_v3": "deepseek2",
}
_GEMMA4 = {
    "layer_scalar": "layer_output_scale.weight",
    "router.scale": "ffn_gate_inp.scale",
    "router.per_expert_scale": "ffn_down_exps.scale",
    "experts.gate_up_proj": "ffn_gate_up_exps.weight",
}
PERMUTED = (
    "llama",
    "granite",
    "granitemoe",
    "granitemoeshared",
    "granitemoehybrid",
    "smollm3",
    "arcee",
    "mixtral",
    "mistral",
    "ministral3",
)
CENTRED = ("gemma", "gemma2", "gemma3_text", "nemotron", "qwen3_5_text", "qwen3_5_moe_text", "qwen3_next")
# transformers' names of modules by those that the package's tables have.
RENAMED = {
    "linear_attn.dt_bias": "linear_attn.dt_proj.bias",
    "mlp.gate.e_score_correction_bias": "mlp.gate.e_score_correction.bias",
    "mlp.e_score_correction_bias": "block_sparse_moe.e_score_correction.bias",
    "mlp.gate.moe_statics.e_score_correction_bias": "mlp.moe_statics.e_score_correction.bias",
    "altup.correct_output_scale": "altup.correct_output_scale.weight",
    "feed_forward.expert_bias": "feed_forward.expert_bias.bias",
    "block_sparse_moe.router.weight": "block_sparse_moe.router.layer.weight",
}


def read_model(file: Gguf, dtype: str = "auto", packs: bool | None = None) -> PreTrainedModel:
    """Read the model of a file."""
    return stream_weights(build_empty(Checkpoint.resolve(file), dtype, packs=packs)).model


def arch_of(config: Any) -> str:
    """Return llama.cpp's name of a model's architecture."""
    if config.model_type == "nemotron_h" and "moe" in config.layers_block_type:
        return "nemotron_h_moe"
    return ARCH.get(config.model_type, config.model_type)


def write(model: PreTrainedModel, path: Path, kind: Kind = Kind.F32, **more: Any) -> Path:
    """Write a model's file.

    Args:
        kind: of the weights with two dimensions or more whose rows it divides; others, and biases, are F32.
        more: keys of its own, by name without the architecture.
    """
    config = model.config
    arch = arch_of(config)
    writer = gguf.GGUFWriter(path, arch)
    for key, value in {**keys_of(config), **of_activations(model), **more}.items():
        name = key if key.startswith(("tokenizer.", "general.", "xielu.")) else f"{arch}.{key}"
        add_field(writer, name, value)
    for name, values in tensors(model, arch):
        data = values.detach().float().contiguous().numpy()
        block, _ = gguf.GGML_QUANT_SIZES[kind]
        few = name.endswith(".weight") and not name.endswith("_norm.weight") and kind != Kind.F32
        if few and data.ndim > 1 and data.shape[-1] % block == 0:
            writer.add_tensor(name, gguf.quants.quantize(data, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, data)
    finish(writer)
    return path


def finish(writer: gguf.GGUFWriter) -> None:
    """Writes what was added."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_field(writer: gguf.GGUFWriter, name: str, value: Any) -> None:
    """Add a value by its type; skip None."""
    if isinstance(value, bool):
        writer.add_bool(name, value)
    elif isinstance(value, int):
        writer.add_uint32(name, value)
    elif isinstance(value, float):
        writer.add_float32(name, value)
    elif isinstance(value, str):
        writer.add_string(name, value)
    elif value is not None:
        writer.add_array(name, value)


def tensors(model: PreTrainedModel, arch: str) -> Iterator[tuple[str, Tensor]]:
    """Yield (llama.cpp's name, values in its layout)."""
    config = model.config
    number = next(each for each, name in gguf.MODEL_ARCH_NAMES.items() if name == arch)
    names = gguf.get_tensor_name_map(number, config.num_hidden_layers + 1)
    if config.model_type == "gemma4_text":
        wide = wide_head(config) // 2
        rotated = int(wide * config.rope_parameters["full_attention"]["partial_rotary_factor"])
        yield "rope_freqs.weight", torch.tensor([1.0] * rotated + [1e30] * (wide - rotated))
    if arch == "nemotron_h_moe" or config.model_type.startswith(("qwen3_5", "qwen3_next")):
        yield f"blk.{config.num_hidden_layers}.nextn.eh_proj.weight", torch.ones(4, 8)
    seen: set[int] = set()
    for name, values in model.state_dict(keep_vars=True).items():
        if id(values) in seen:  # a tied head
            continue
        seen.add(id(values))
        if config.model_type == "gpt_oss" and (".experts." in name or name.endswith(".sinks")):
            yield from _of_gpt_oss(name, values)
            continue
        if config.model_type == "gemma4_text" and name.endswith(tuple(_GEMMA4)):
            leaf = next(new for old, new in _GEMMA4.items() if name.endswith(old))
            yield f"blk.{name.split('.')[2]}.{leaf}", values
            continue
        if name.endswith(".experts.gate_up_proj"):
            layer, half = name.split(".")[2], values.shape[1] // 2
            yield f"blk.{layer}.ffn_gate_exps.weight", values[:, :half]
            yield f"blk.{layer}.ffn_up_exps.weight", values[:, half:]
            continue
        if name.endswith(".experts.down_proj"):
            yield f"blk.{name.split('.')[2]}.ffn_down_exps.weight", values
            continue
        if name.endswith(".kv_b_proj.weight"):
            heads = values.unflatten(0, (config.num_attention_heads, -1))
            yield f"blk.{name.split('.')[2]}.attn_k_b.weight", heads[:, : config.qk_nope_head_dim].mT
            yield f"blk.{name.split('.')[2]}.attn_v_b.weight", heads[:, config.qk_nope_head_dim :]
            continue
        if name.endswith("shared_mlp.input_linear.weight"):
            kind = "_shexp" if config.num_local_experts else ""
            for part, half in zip(("gate", "up"), values.chunk(2), strict=True):
                yield f"blk.{name.split('.')[2]}.ffn_{part}{kind}.weight", half
            continue
        if name.startswith("model.altup_"):  # three are one tensor
            if name.endswith(".0.weight"):
                leaf = "altup_unembd_proj" if "unembed" in name else "altup_proj"
                modules = getattr(model.model, name.split(".")[1])
                yield f"{leaf}.weight", torch.stack([each.weight for each in modules])
            continue
        if ".act_fn." in name:  # in keys
            continue
        if of_state := list(states.tensors(config, name, values)):
            yield from of_state
            continue
        whole = next((name.replace(old, new) for old, new in RENAMED.items() if name.endswith(old)), name)
        stem, _, kind = whole.rpartition(".")
        new = names.get_name(stem)
        assert new is not None, name
        yield f"{new}.{kind}", _laid_out(config, name, values)
    rope = getattr(config, "rope_parameters", None) or {}
    if rope.get("rope_type") == "llama3":
        plain = rope["rope_theta"] ** -(torch.arange(0, config.head_dim, 2) / config.head_dim)
        yield "rope_freqs.weight", plain / model.model.rotary_emb.inv_freq
    if rope.get("rope_type") == "longrope":
        yield "rope_factors_long.weight", torch.tensor(rope["long_factor"])
        yield "rope_factors_short.weight", torch.tensor(rope["short_factor"])


def _of_gpt_oss(name: str, values: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Split GPT-OSS' experts, which are [experts, in, out] with interleaved gates and ups."""
    layer, leaf = name.split(".")[2], name.rpartition(".")[2]
    if leaf == "sinks":
        yield f"blk.{layer}.attn_sinks.weight", values
        return
    kind = "bias" if leaf.endswith("_bias") else "weight"
    values = values if kind == "bias" else values.mT
    if leaf.startswith("down"):
        yield f"blk.{layer}.ffn_down_exps.{kind}", values
    else:
        yield f"blk.{layer}.ffn_gate_exps.{kind}", values[:, ::2]
        yield f"blk.{layer}.ffn_up_exps.{kind}", values[:, 1::2]


def _laid_out(config: Any, name: str, values: Tensor) -> Tensor:
    parts = name.split(".")
    if "linear_attn" in name:
        return states.delta_laid_out(config, parts[-1] if parts[-1] in ("A_log", "dt_bias") else parts[-2], values)
    if config.model_type in PERMUTED and parts[-2] in ("q_proj", "k_proj"):
        heads = config.num_attention_heads if parts[-2] == "q_proj" else config.num_key_value_heads
        return values.unflatten(0, (heads, 2, -1)).transpose(1, 2).reshape(values.shape)
    if config.model_type in CENTRED and name.endswith("norm.weight"):
        return values + 1
    if config.model_type == "gpt2" and parts[-2] in ("c_attn", "c_proj", "c_fc") and parts[-1] == "weight":
        return values.T
    if parts[-2] == "query_key_value":
        return values.unflatten(0, (config.num_attention_heads, 3, -1)).transpose(0, 1).reshape(values.shape)
    if name.endswith("moe_statics.e_score_correction_bias"):
        return values[0]
    if config.model_type == "falcon_h1":
        return states.multiplied(config, parts[-2], values)
    if name.endswith("conv.conv.weight"):
        return values.squeeze(1)
    return values.squeeze(0) if name.endswith("shared_expert_gate.weight") else values


def dequantised(data: Tensor, kind: Kind) -> Tensor:
    """Return a weight's values after it is written and read."""
    block, _ = gguf.GGML_QUANT_SIZES[kind]
    if data.dim() < 2 or data.shape[-1] % block or kind == Kind.F32:
        return data
    quantised = gguf.quants.quantize(data.detach().float().contiguous().numpy(), kind)
    return torch.from_numpy(gguf.quants.dequantize(quantised, kind).astype(np.float32))


def quantised(model: PreTrainedModel, kind: Kind) -> PreTrainedModel:
    """Return the model with the file's weights; Conv1D's are quantised by columns."""
    for name, parameter in model.named_parameters():
        columns = model.config.model_type == "gpt2" and ".c_" in name and parameter.dim() == 2
        columns |= model.config.model_type == "gpt_oss" and parameter.dim() == 3
        if name.endswith("bias"):
            continue
        values = dequantised(parameter.data.mT if columns else parameter.data, kind)
        parameter.data = values.mT if columns else values
    return model
