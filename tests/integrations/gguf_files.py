"""GGUF files of tiny random models, by the `gguf` package: names by its tables, layouts as llama.cpp has them."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Kind
from torch import Tensor
from transformers import PreTrainedModel

# llama.cpp's name of a model type, where it is another.
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
    "olmo3": "olmo2",
    "glm4_moe": "glm4moe",
    "granitemoeshared": "granitemoe",
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
    "smollm3",
    "arcee",
    "mixtral",
    "mistral",
    "ministral3",
)
CENTRED = ("gemma", "gemma2", "gemma3_text", "nemotron", "qwen3_5_text", "qwen3_5_moe_text")
# transformers' names of modules by those that the package's tables have.
RENAMED = {
    "linear_attn.dt_bias": "linear_attn.dt_proj.bias",
    "mlp.gate.e_score_correction_bias": "mlp.gate.e_score_correction.bias",
    "feed_forward.expert_bias": "feed_forward.expert_bias.bias",
    "block_sparse_moe.router.weight": "block_sparse_moe.router.layer.weight",
}


def write(model: PreTrainedModel, path: Path, kind: Kind = Kind.F32, **more: Any) -> Path:
    """A model's file.

    Args:
        kind: of the weights with two dimensions or more whose rows it divides; others, and biases, are F32.
        more: keys of its own, by name without the architecture.
    """
    config = model.config
    arch = ARCH.get(config.model_type, config.model_type)
    writer = gguf.GGUFWriter(path, arch)
    for key, value in {**_keys(config), **more}.items():
        name = key if key.startswith(("tokenizer.", "general.")) else f"{arch}.{key}"
        add_field(writer, name, value)
    for name, values in tensors(model, arch):
        data = values.detach().float().contiguous().numpy()
        block, _ = gguf.GGML_QUANT_SIZES[kind]
        if data.ndim > 1 and data.shape[-1] % block == 0 and kind != Kind.F32 and not name.endswith("bias"):
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
    """A value by its type; None is left out."""
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


def _keys(config: Any) -> dict[str, Any]:
    """What llama.cpp's converters say of these configs."""
    config = copy.deepcopy(config)
    config.allow_global_per_layer_attribute_access = True  # of Gemma 4's sizes, which are of layers
    rope = config.rope_parameters if getattr(config, "rope_parameters", None) else {}
    rope = rope.get("full_attention", rope)
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    keys: dict[str, Any] = {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": getattr(config, "intermediate_size", 4 * config.hidden_size),
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": getattr(config, "num_key_value_heads", None) or config.num_attention_heads,
        "attention.key_length": head,
        "attention.value_length": head,
        "rope.dimension_count": int(head * rope.get("partial_rotary_factor", 1)),
        "rope.freq_base": rope.get("rope_theta"),
        "attention.layer_norm_rms_epsilon": getattr(config, "rms_norm_eps", getattr(config, "norm_eps", None)),
    }
    for name in ("layer_norm_epsilon", "layer_norm_eps", "norm_epsilon"):
        if hasattr(config, name):
            keys["attention.layer_norm_epsilon"] = float(getattr(config, name))
    if config.model_type == "nemotron":
        keys["attention.layer_norm_epsilon"] = keys.pop("attention.layer_norm_rms_epsilon")
    if rope.get("rope_type") in ("linear", "yarn"):
        keys |= {"rope.scaling.type": rope["rope_type"], "rope.scaling.factor": float(rope["factor"])}
        keys["rope.scaling.original_context_length"] = rope.get("original_max_position_embeddings")
    if rope.get("rope_type") == "longrope":
        original = rope["original_max_position_embeddings"]
        scale = config.max_position_embeddings / original
        keys["rope.scaling.original_context_length"] = original
        keys["rope.scaling.attn_factor"] = math.sqrt(1 + math.log(scale) / math.log(original))
    window = getattr(config, "sliding_window", None)
    if window and config.model_type in ("gemma2", "gemma3_text", "cohere2", "gpt_oss", "olmo3", "gemma4_text"):
        keys["attention.sliding_window"] = window
    return keys | _OWN.get(config.model_type, lambda _: {})(config)


def _of_experts(config: Any) -> dict[str, Any]:
    count = getattr(config, "num_local_experts", None) or config.num_experts
    return {"expert_count": count, "expert_used_count": config.num_experts_per_tok}


def _of_granite(config: Any) -> dict[str, Any]:
    return {
        "attention.scale": config.attention_multiplier,
        "embedding_scale": config.embedding_multiplier,
        "residual_scale": config.residual_multiplier,
        "logit_scale": config.logits_scaling,
    }


def _of_routed(config: Any) -> dict[str, Any]:
    keys = {
        "expert_count": config.n_routed_experts,
        "expert_used_count": config.num_experts_per_tok,
        "expert_group_count": config.n_group,
        "expert_group_used_count": config.topk_group,
        "expert_shared_count": config.n_shared_experts,
        "leading_dense_block_count": config.first_k_dense_replace,
        "expert_gating_func": 1 if config.model_type == "deepseek_v2" else 2,
        "expert_weights_scale": config.routed_scaling_factor,
    }
    return keys | ({"expert_weights_norm": True} if getattr(config, "norm_topk_prob", False) else {})


def _of_deepseek(config: Any) -> dict[str, Any]:
    """Heads are of latents."""
    rank, rotated = config.kv_lora_rank, config.qk_rope_head_dim
    keys = {
        **_of_routed(config),
        "attention.head_count_kv": 1,
        "attention.q_lora_rank": config.q_lora_rank,
        "attention.kv_lora_rank": rank,
        "attention.key_length": rank + rotated,
        "attention.value_length": rank,
        "attention.key_length_mla": config.qk_nope_head_dim + rotated,
        "attention.value_length_mla": config.v_head_dim,
        "rope.dimension_count": rotated,
    }
    if config.rope_parameters["rope_type"] == "yarn":
        keys["rope.scaling.yarn_log_multiplier"] = 0.1 * config.rope_parameters["mscale_all_dim"]
    return keys


def _of_lfm2(config: Any) -> dict[str, Any]:
    return {
        "attention.head_count_kv": [config.num_key_value_heads * (kind != "conv") for kind in config.layer_types],
        "shortconv.l_cache": config.conv_L_cache,
    }


def _wide(config: Any) -> int:
    """Of Gemma 4, the size of a head without a window."""
    full = next(i for i, kind in enumerate(config.layer_types) if kind == "full_attention")
    size: int = config.per_layer_config[full].head_dim
    return size


def _of_gemma4(config: Any) -> dict[str, Any]:
    """What layers without a window have is said without a suffix."""
    wide, rope = _wide(config), config.rope_parameters
    heads = [config.per_layer_config[i].num_key_value_heads for i in range(config.num_hidden_layers)]
    keys = {
        "attention.key_length": wide,
        "attention.value_length": wide,
        "attention.key_length_swa": config.head_dim,
        "attention.value_length_swa": config.head_dim,
        "rope.dimension_count": wide,
        "rope.dimension_count_swa": config.head_dim,
        "rope.freq_base": float(rope["full_attention"]["rope_theta"]),
        "rope.freq_base_swa": float(rope["sliding_attention"]["rope_theta"]),
        "attention.sliding_window_pattern": [kind == "sliding_attention" for kind in config.layer_types],
        "attention.shared_kv_layers": config.num_kv_shared_layers,
        "embedding_length_per_layer_input": config.hidden_size_per_layer_input,
        "final_logit_softcapping": config.final_logit_softcapping,
    }
    if len(set(heads)) > 1:
        keys["attention.head_count_kv"] = heads
    if config.enable_moe_block:
        keys |= {"expert_count": config.num_experts, "expert_used_count": config.top_k_experts}
    return keys


def _of_qwen35(config: Any) -> dict[str, Any]:
    """With a layer more, which guesses a token (`tensors`)."""
    return {
        "block_count": config.num_hidden_layers + 1,
        "nextn_predict_layers": 1,
        "ssm.conv_kernel": config.linear_conv_kernel_dim,
        "ssm.state_size": config.linear_key_head_dim,
        "ssm.group_count": config.linear_num_key_heads,
        "ssm.time_step_rank": config.linear_num_value_heads,
        "ssm.inner_size": config.linear_value_head_dim * config.linear_num_value_heads,
        "attention.recurrent_layers": [*(each == "linear_attention" for each in config.layer_types), False],
        "full_attention_interval": 4,
        "rope.dimension_sections": [11, 11, 10, 0],
    }


_OWN: Mapping[str, Any] = {
    "gemma4_text": _of_gemma4,
    "qwen3_5_text": _of_qwen35,
    "qwen3_5_moe_text": lambda c: {**_of_qwen35(c), **_of_experts(c)},
    "olmoe": _of_experts,
    "olmo3": lambda c: {
        "attention.sliding_window_pattern": [each == "sliding_attention" for each in c.layer_types],
        "rope.freq_base_swa": c.rope_parameters["sliding_attention"]["rope_theta"],
    },
    "glm4_moe": _of_routed,
    "deepseek_v2": _of_deepseek,
    "deepseek_v3": _of_deepseek,
    "granitemoe": lambda c: {**_of_granite(c), **_of_experts(c)},
    "granitemoeshared": lambda c: {**_of_granite(c), **_of_experts(c)},
    "mixtral": _of_experts,
    "qwen2_moe": _of_experts,
    "qwen3_moe": _of_experts,
    "gpt_oss": _of_experts,
    "gemma2": lambda c: {
        "attn_logit_softcapping": c.attn_logit_softcapping,
        "final_logit_softcapping": c.final_logit_softcapping,
    },
    "granite": _of_granite,
    "lfm2": _of_lfm2,
    "lfm2_moe": lambda c: {
        **_of_lfm2(c),
        **_of_experts(c),
        "leading_dense_block_count": c.num_dense_layers,
        "expert_gating_func": 2,
    },
    "ministral3": lambda c: {
        "attention.temperature_scale": c.rope_parameters["llama_4_scaling_beta"],
        "rope.scaling.yarn_log_multiplier": c.rope_parameters["mscale_all_dim"],
        "rope.scaling.yarn_beta_fast": 32.0,
        "rope.scaling.yarn_beta_slow": 1.0,
    },
    "cohere": lambda c: {"logit_scale": c.logit_scale},
    "cohere2": lambda c: {"logit_scale": c.logit_scale},
    "stablelm": lambda c: {"use_parallel_residual": c.use_parallel_residual},
    "phi3": lambda c: {"attention.sliding_window": 0},
}


def tensors(model: PreTrainedModel, arch: str) -> Iterator[tuple[str, Tensor]]:
    """(llama.cpp's name, values in its layout)."""
    config = model.config
    number = next(each for each, name in gguf.MODEL_ARCH_NAMES.items() if name == arch)
    names = gguf.get_tensor_name_map(number, config.num_hidden_layers + 1)
    if config.model_type == "gemma4_text":
        wide = _wide(config) // 2
        rotated = int(wide * config.rope_parameters["full_attention"]["partial_rotary_factor"])
        yield "rope_freqs.weight", torch.tensor([1.0] * rotated + [1e30] * (wide - rotated))
    if config.model_type.startswith("qwen3_5"):
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
            for part, half in zip(("gate", "up"), values.chunk(2), strict=True):
                yield f"blk.{name.split('.')[2]}.ffn_{part}_shexp.weight", half
            continue
        if name.endswith(".A_log"):
            yield f"blk.{name.split('.')[2]}.ssm_a", _laid_out(config, name, values)
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
    """Its experts are [experts, in, out], with gates and ups in turn."""
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


def _of_delta(config: Any, leaf: str, values: Tensor) -> Tensor:
    """The value heads of the first key head are no neighbours: those of each key head come in turn."""
    keys, heads = config.linear_num_key_heads, config.linear_num_value_heads

    def in_turn(part: Tensor) -> Tensor:
        return part.unflatten(0, (keys, heads // keys, -1)).transpose(0, 1).reshape(part.shape)

    if leaf in ("in_proj_qkv", "conv1d"):
        values = values.squeeze(1) if leaf == "conv1d" else values
        both = 2 * keys * config.linear_key_head_dim
        return torch.cat((values[:both], in_turn(values[both:])))
    if leaf == "out_proj":
        return in_turn(values.T).T
    if leaf == "norm":
        return values
    return in_turn(-values.exp() if leaf == "A_log" else values)


def _laid_out(config: Any, name: str, values: Tensor) -> Tensor:
    parts = name.split(".")
    if "linear_attn" in name:
        return _of_delta(config, parts[-1] if parts[-1] in ("A_log", "dt_bias") else parts[-2], values)
    if config.model_type in PERMUTED and parts[-2] in ("q_proj", "k_proj"):
        heads = config.num_attention_heads if parts[-2] == "q_proj" else config.num_key_value_heads
        return values.unflatten(0, (heads, 2, -1)).transpose(1, 2).reshape(values.shape)
    if config.model_type in CENTRED and name.endswith("norm.weight"):
        return values + 1
    if config.model_type == "gpt2" and parts[-2] in ("c_attn", "c_proj", "c_fc") and parts[-1] == "weight":
        return values.T
    if name.endswith("conv.conv.weight"):
        return values.squeeze(1)
    return values.squeeze(0) if name.endswith("shared_expert_gate.weight") else values


def dequantised(data: Tensor, kind: Kind) -> Tensor:
    """What a weight is when it has been written and read."""
    block, _ = gguf.GGML_QUANT_SIZES[kind]
    if data.dim() < 2 or data.shape[-1] % block or kind == Kind.F32:
        return data
    quantised = gguf.quants.quantize(data.detach().float().contiguous().numpy(), kind)
    return torch.from_numpy(gguf.quants.dequantize(quantised, kind).astype(np.float32))


def quantised(model: PreTrainedModel, kind: Kind) -> PreTrainedModel:
    """The model with the weights that its file has; of Conv1D by columns."""
    for name, parameter in model.named_parameters():
        columns = model.config.model_type == "gpt2" and ".c_" in name and parameter.dim() == 2
        columns |= model.config.model_type == "gpt_oss" and parameter.dim() == 3
        if name.endswith("bias"):
            continue
        values = dequantised(parameter.data.mT if columns else parameter.data, kind)
        parameter.data = values.mT if columns else values
    return model
