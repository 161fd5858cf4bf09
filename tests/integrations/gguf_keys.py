"""Keys of a GGUF file for a config, as llama.cpp's converters write them."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

import torch
from transformers import PreTrainedModel

from tests.integrations import gguf_states as states

_XIELU = ("alpha_p", "alpha_n", "beta", "eps")


def head_size(config: Any) -> int:
    """Return the head size in the layers without a window."""
    return getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads


def keys_of(config: Any) -> dict[str, Any]:
    """Return the keys that llama.cpp's converters write for these configs."""
    config = copy.deepcopy(config)
    config.allow_global_per_layer_attribute_access = True  # of Gemma 4's sizes, which are of layers
    rope = config.rope_parameters if getattr(config, "rope_parameters", None) else {}
    rope = rope.get("full_attention", rope)
    head = head_size(config)
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
    if window and config.model_type in (
        "gemma2",
        "gemma3_text",
        "cohere2",
        "gpt_oss",
        "olmo3",
        "gemma4_text",
        "gemma3n_text",
    ):
        keys["attention.sliding_window"] = window
    return keys | _OWN.get(config.model_type, lambda _: {})(config)


def _of_experts(config: Any) -> dict[str, Any]:
    count = getattr(config, "num_local_experts", None) or config.num_experts
    return {"expert_count": count, "expert_used_count": config.num_experts_per_tok}


def of_activations(model: PreTrainedModel) -> dict[str, list[float]]:
    """Return Apertus' activation parameters of each layer."""
    if model.config.model_type != "apertus":
        return {}
    found = [layer.mlp.act_fn for layer in model.model.layers]
    return {f"xielu.{name}": [getattr(each, name).item() for each in found] for name in _XIELU}


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
    """Return DeepSeek's keys, whose heads are those of the latents."""
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


def _of_qwen35(config: Any) -> dict[str, Any]:
    return {**states.of_delta(config), "rope.dimension_sections": [11, 11, 10, 0]}


def wide_head(config: Any) -> int:
    """Return Gemma 4's head size without a window."""
    full = next(i for i, kind in enumerate(config.layer_types) if kind == "full_attention")
    size: int = config.per_layer_config[full].head_dim
    return size


def _of_gemma4(config: Any) -> dict[str, Any]:
    """Return Gemma 4's keys; those for layers without a window have no suffix."""
    wide, rope = wide_head(config), config.rope_parameters
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


def _of_gemma3n(config: Any) -> dict[str, Any]:
    normal = torch.distributions.Normal(0.0, 1.0)
    return {
        "final_logit_softcapping": config.final_logit_softcapping,
        "altup.active_idx": config.altup_active_idx,
        "altup.num_inputs": config.altup_num_inputs,
        "embedding_length_per_layer_input": config.hidden_size_per_layer_input,
        "attention.shared_kv_layers": config.num_kv_shared_layers,
        "activation_sparsity_scale": normal.icdf(torch.tensor(config.activation_sparsity_pattern)).tolist(),
        "attention.sliding_window_pattern": [kind == "sliding_attention" for kind in config.layer_types],
    }


_OWN: Mapping[str, Any] = {
    "gemma3n_text": _of_gemma3n,
    "gemma4_text": _of_gemma4,
    "qwen3_5_text": _of_qwen35,
    "qwen3_5_moe_text": lambda c: {**_of_qwen35(c), **_of_experts(c)},
    "qwen3_next": lambda c: {**states.of_delta(c), **_of_experts(c)},
    "granitemoehybrid": lambda c: {
        **_of_granite(c),
        **(_of_experts(c) if c.num_local_experts else {}),
        **states.of_mamba(c),
    },
    "falcon_h1": states.of_mamba,
    "nemotron_h": states.of_mamba,
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
    "minimax_m2": lambda c: {**_of_experts(c), "expert_gating_func": 2},
    "ernie4_5_moe": lambda c: {
        **_of_experts(c),
        "interleave_moe_layer_step": c.moe_layer_interval,
        "leading_dense_block_count": c.moe_layer_start_index,
        "expert_shared_count": c.moe_num_shared_experts,
    },
    "gpt_neox": lambda c: {"use_parallel_residual": c.use_parallel_residual},
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
