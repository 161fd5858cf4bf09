"""What transformers calls what a GGUF file says: the families that are read, each with its config and its names.

The conventions are those of llama.cpp's converters; tests/integrations/test_gguf.py goes there and back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from torchpaged.integrations.gguf_architectures import Architecture, Weight
from torchpaged.integrations.gguf_fields import Config, Fields, floats

_NORMED_AFTER = {
    "post_attention_norm": "post_attention_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_GEMMA = {**_NORMED_AFTER, "ffn_norm": "pre_feedforward_layernorm"}


def _biases(fields: Fields, common: Config) -> Config:
    return {
        "attention_bias": fields.there("blk.0.attn_q.bias"),
        "mlp_bias": fields.there("blk.0.ffn_up.bias"),
    }


def _llama(fields: Fields, common: Config) -> Config:
    experts = fields.integer("expert_count", 0, least=0)
    if not experts:
        return _biases(fields, common)
    used = fields.integer("expert_used_count")
    return {
        "model_type": "mixtral",
        "num_local_experts": experts,
        "num_experts_per_tok": used,
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        "sliding_window": None,
    }


def _qwen2(fields: Fields, common: Config) -> Config:
    return {"use_sliding_window": False}


def _qwen3(fields: Fields, common: Config) -> Config:
    return {"use_sliding_window": False, **_biases(fields, common)}


def _moe(fields: Fields, common: Config) -> Config:
    """Qwen's: all layers have experts; those of Qwen2 a shared one, and weights that are not normalised."""
    config = {
        "num_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "moe_intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        "norm_topk_prob": not fields.there("blk.0.ffn_down_shexp.weight"),
        "use_sliding_window": False,
        "decoder_sparse_step": 1,
        "mlp_only_layers": [],
    }
    if fields.there("blk.0.ffn_down_shexp.weight"):
        config["shared_expert_intermediate_size"] = fields.tensor("blk.0.ffn_down_shexp.weight", 2)[1]
    return config


def _gpt_oss(fields: Fields, common: Config) -> Config:
    config = {
        "num_local_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        "sliding_window": fields.integer("attention.sliding_window"),
        "layer_types": _windowed(fields, common, 2),
        "attention_bias": fields.there("blk.0.attn_q.bias"),
    }
    rope = common["rope_parameters"]
    # Its frequencies are blended between dimensions that are not rounded: a file has no word for that.
    return config | {"rope_parameters": {**rope, "truncate": False} if rope["rope_type"] == "yarn" else rope}


def _gpt_oss_experts(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """Gates and ups of experts are in turn, in tensors [experts, inputs, outputs]; in a file behind each other."""
    if not leaf.endswith("_exps"):
        return None
    both = "_down_" not in tensor
    if tensor.endswith(".bias"):  # [experts, outputs], of which two are [2 x experts, outputs]
        return Weight((tensor,), change=(lambda values: torch.stack(values.chunk(2), -1).flatten(1)) if both else None)
    rows = torch.arange(2 * shape[1]).view(2, -1).T.flatten() if both else None
    return Weight((tensor,), rows, lambda values: (values if rows is None else values[:, rows]).mT)


def _qwen35(fields: Fields, common: Config) -> Config:
    layers = common["num_hidden_layers"]
    heads = fields.integer("ssm.time_step_rank")
    inner = fields.integer("ssm.inner_size")
    keys = fields.integer("ssm.group_count")
    fields.expect("ssm.inner_size", inner, max(1, inner // heads) * heads)
    fields.expect("ssm.time_step_rank", heads, max(1, heads // keys) * keys)
    every = fields.integer("full_attention_interval", 4)
    recurrent = [i % every != every - 1 for i in range(layers)]
    if fields.has("attention.recurrent_layers"):
        guessing = fields.integer("block_count") - layers
        recurrent = fields.numbers("attention.recurrent_layers", layers + guessing)[:layers]
    fields.value("rope.dimension_sections")  # of places in pictures, which texts have not got
    return {
        "layer_types": ["linear_attention" if each else "full_attention" for each in recurrent],
        "linear_conv_kernel_dim": fields.integer("ssm.conv_kernel"),
        "linear_key_head_dim": fields.integer("ssm.state_size"),
        "linear_num_key_heads": keys,
        "linear_num_value_heads": heads,
        "linear_value_head_dim": inner // heads,
        **_rotated_part(common),
        **_biases(fields, common),
    }


def _qwen35moe(fields: Fields, common: Config) -> Config:
    experts = {
        name: value for name, value in _moe(fields, common).items() if "expert" in name or name.startswith("moe")
    }
    return {**_qwen35(fields, common), **experts}


def _delta(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """A file has the value heads of all key heads in turn, a model those of each key head together."""
    keys, values = config["linear_num_key_heads"], config["linear_num_value_heads"]
    size = config["linear_value_head_dim"]

    def by_key(size: int) -> torch.Tensor:
        return torch.arange(values * size).view(values // keys, keys, size).transpose(0, 1).flatten()

    before = 2 * keys * config["linear_key_head_dim"]
    behind = torch.cat((torch.arange(before), before + by_key(size)))
    if leaf == "ssm_norm":
        return Weight((tensor,))
    if leaf == "ssm_a":
        return Weight((tensor,), by_key(1), lambda numbers: (-numbers.float()).log())
    if leaf == "ssm_conv1d":
        return Weight((tensor,), behind, lambda numbers: numbers.unsqueeze(1))
    if leaf == "ssm_out":
        return Weight((tensor,), columns=by_key(size) if values > keys else None)
    rows = {"attn_qkv": behind, "attn_gate": by_key(size)}.get(leaf)
    if leaf in ("ssm_alpha", "ssm_beta", "ssm_dt"):
        rows = by_key(1)
    return None if rows is None else Weight((tensor,), rows if values > keys else None)


def _gemma2(fields: Fields, common: Config) -> Config:
    # The largest alone divides by what a head would have if there were as many dimensions as hidden ones.
    by_hidden = common["num_hidden_layers"] == 46
    scalar = common["hidden_size"] // common["num_attention_heads"] if by_hidden else common["head_dim"]
    return {
        "attn_logit_softcapping": fields.number("attn_logit_softcapping", 50.0),
        "final_logit_softcapping": fields.number("final_logit_softcapping", 30.0),
        "sliding_window": fields.integer("attention.sliding_window", 4096),
        "query_pre_attn_scalar": scalar,
        "layer_types": _windowed(fields, common, 2),
    }


def _gemma3(fields: Fields, common: Config) -> Config:
    by_hidden = common["num_hidden_layers"] == 62
    scalar = common["hidden_size"] // common["num_attention_heads"] if by_hidden else common["head_dim"]
    local = fields.number("rope.freq_base_swa", 10_000.0, above=0)
    capped = fields.has("final_logit_softcapping")
    return {
        "sliding_window": fields.integer("attention.sliding_window", 1024),
        "query_pre_attn_scalar": scalar,
        "layer_types": _windowed(fields, common, 6),
        "final_logit_softcapping": fields.number("final_logit_softcapping") if capped else None,
        "rope_parameters": {
            "full_attention": common["rope_parameters"],
            "sliding_attention": {"rope_type": "default", "rope_theta": local},
        },
    }


def _gemma4(fields: Fields, common: Config) -> Config:
    layers, wide = common["num_hidden_layers"], common["head_dim"]
    kinds = _windowed(fields, common, 6)
    full = [i for i, kind in enumerate(kinds) if kind == "full_attention"]
    head_dim = fields.integer("attention.key_length_swa", wide)
    for name in ("attention.value_length_swa", "rope.dimension_count_swa"):
        fields.expect(name, fields.integer(name, head_dim), head_dim)
    # Where frequencies of the layers without a window are divided by next to infinity, nothing is rotated.
    factors = floats(fields.file, "rope_freqs.weight", wide // 2)
    rotated = factors.count(1.0)
    if not rotated or factors != [1.0] * rotated + [factors[-1]] * (wide // 2 - rotated) or 1 < factors[-1] < 1e29:
        raise fields.file.fault("tensor 'rope_freqs.weight'", factors, "ones, and 1e30 behind them")
    base, local = common["rope_parameters"]["rope_theta"], fields.number("rope.freq_base_swa", 10_000.0, above=0)
    config: Config = {
        "head_dim": head_dim,
        "global_head_dim": wide,
        "layer_types": kinds,
        "sliding_window": fields.integer("attention.sliding_window"),
        "num_kv_shared_layers": fields.integer("attention.shared_kv_layers", 0, least=0),
        "hidden_size_per_layer_input": fields.integer("embedding_length_per_layer_input", 0, least=0),
        "final_logit_softcapping": fields.number("final_logit_softcapping")
        if fields.has("final_logit_softcapping")
        else None,
        "use_double_wide_mlp": fields.tensor(f"blk.{layers - 1}.ffn_down.weight", 2)[1] > common["intermediate_size"],
        "attention_k_eq_v": bool(full) and not fields.there(f"blk.{full[0]}.attn_v.weight"),
        "rope_parameters": {
            "full_attention": {
                "rope_type": "proportional",
                "rope_theta": base,
                "partial_rotary_factor": 2 * rotated / wide,
            },
            "sliding_attention": {"rope_type": "default", "rope_theta": local},
        },
    }
    if config["hidden_size_per_layer_input"]:
        config["vocab_size_per_layer_input"] = fields.tensor("per_layer_token_embd.weight", 2)[0]
    if full and fields.by_layer("attention.head_count_kv"):
        heads = fields.numbers("attention.head_count_kv", layers)
        config |= {"num_key_value_heads": max(heads), "num_global_key_value_heads": heads[full[0]]}
        expected = [heads[full[0]] if kind == "full_attention" else max(heads) for kind in kinds]
        fields.expect("attention.head_count_kv", heads, expected)
    if experts := fields.integer("expert_count", 0, least=0):
        config |= {
            "enable_moe_block": True,
            "num_experts": experts,
            "top_k_experts": fields.integer("expert_used_count"),
            "moe_intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        }
    return config


def _windowed(fields: Fields, common: Config, count: int) -> list[str]:
    """The kind of each layer; if a file does not say which have a window, each `count`-th has none."""
    layers = common["num_hidden_layers"]
    if isinstance(fields.value("attention.sliding_window_pattern"), np.ndarray):
        windows = fields.numbers("attention.sliding_window_pattern", layers)
    else:
        count = fields.integer("attention.sliding_window_pattern", count)
        windows = [i % count != count - 1 for i in range(layers)]
    return ["sliding_attention" if each else "full_attention" for each in windows]


def _phi3(fields: Fields, common: Config) -> Config:
    window = fields.integer("attention.sliding_window", 0, least=0)
    original = fields.integer("rope.scaling.original_context_length", common["max_position_embeddings"])
    config: Config = {"sliding_window": window or None, "original_max_position_embeddings": original}
    if fields.there("rope_factors_long.weight"):
        count = fields.tensor("rope_factors_long.weight", 1)[0]
        fields.expect("rope.scaling.type", fields.text("rope.scaling.type", "longrope"), "longrope")
        config["rope_parameters"] = {
            **common["rope_parameters"],
            "rope_type": "longrope",
            "long_factor": floats(fields.file, "rope_factors_long.weight", count),
            "short_factor": floats(fields.file, "rope_factors_short.weight", count),
            "original_max_position_embeddings": original,
            "factor": common["max_position_embeddings"] / original,
            "attention_factor": fields.number("rope.scaling.attn_factor", 1.0),
        }
    return config


def _olmo2(fields: Fields, common: Config) -> Config:
    """OLMo 3 is of this architecture too: it has windows, and scales the frequencies of its other layers alone."""
    config = _biases(fields, common)
    if not fields.has("attention.sliding_window"):
        return config
    base = fields.number("rope.freq_base_swa", common["rope_parameters"]["rope_theta"], above=0)
    return {
        **config,
        "model_type": "olmo3",
        "sliding_window": fields.integer("attention.sliding_window"),
        "layer_types": _windowed(fields, common, 4),
        "rope_parameters": {
            "full_attention": common["rope_parameters"],
            "sliding_attention": {"rope_type": "default", "rope_theta": base},
        },
    }


def _olmoe(fields: Fields, common: Config) -> Config:
    return {
        "num_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        "norm_topk_prob": fields.boolean("expert_weights_norm", False),
        **_biases(fields, common),
    }


def _glm4(fields: Fields, common: Config) -> Config:
    return {"attention_bias": fields.there("blk.0.attn_q.bias"), **_rotated_part(common)}


def _rotated_part(common: Config) -> Config:
    """How much of a head is rotated, where a family has a default of its own."""
    return {"rope_parameters": {"partial_rotary_factor": 1.0, **common["rope_parameters"]}}


def _glm4moe(fields: Fields, common: Config) -> Config:
    fields.expect("expert_gating_func", fields.integer("expert_gating_func", 2), 2)  # sigmoid
    return {
        **_routed(fields, common),
        "norm_topk_prob": fields.boolean("expert_weights_norm", True),
        "use_qk_norm": fields.there("blk.0.attn_q_norm.weight"),
        "attention_bias": fields.there("blk.0.attn_q.bias"),
        **_rotated_part(common),
    }


def _routed(fields: Fields, common: Config) -> Config:
    """Experts behind some layers without, and shared ones, as of DeepSeek."""
    first = fields.integer("leading_dense_block_count", 0, least=0)
    last = common["num_hidden_layers"] - 1
    fields.expect("leading_dense_block_count", first, min(first, last))
    return {
        "n_routed_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "n_shared_experts": fields.integer("expert_shared_count"),
        "n_group": fields.integer("expert_group_count", 1),
        "topk_group": fields.integer("expert_group_used_count", 1),
        "moe_intermediate_size": fields.tensor(f"blk.{last}.ffn_down_exps.weight", 3)[2],
        "first_k_dense_replace": first,
        "routed_scaling_factor": fields.number("expert_weights_scale", 1.0),
    }


def _deepseek2(fields: Fields, common: Config) -> Config:
    """V2 chooses experts by softmax; V3, and GLM-4.7-Flash, by sigmoid and a bias for each."""
    rope, rotated = dict(common["rope_parameters"]), common["head_dim"]
    biased = any(name.endswith("exp_probs_b.bias") for name in fields.file.tensors)
    sigmoid = fields.integer("expert_gating_func", 2 if biased else 1)
    fields.expect("expert_gating_func", sigmoid, 2 if biased else 1)
    if rope["rope_type"] == "yarn":
        scale = 10 * fields.number("rope.scaling.yarn_log_multiplier", 0.0)
        rope |= {"mscale": scale, "mscale_all_dim": scale} if scale else {}
    count = fields.integer("attention.q_lora_rank", 0, least=0)
    return {
        **_routed(fields, common),
        "model_type": "deepseek_v3" if biased else "deepseek_v2",
        "norm_topk_prob": fields.boolean("expert_weights_norm", False),
        "num_key_value_heads": common["num_attention_heads"],
        "q_lora_rank": count or None,
        "kv_lora_rank": fields.integer("attention.kv_lora_rank"),
        "qk_rope_head_dim": rotated,
        "qk_nope_head_dim": fields.integer("attention.key_length_mla") - rotated,
        "v_head_dim": fields.integer("attention.value_length_mla"),
        "rope_parameters": rope,
    }


def _latents(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """Keys' and values' halves of a product are one here, head by head; keys' is transposed in a file."""
    if leaf not in ("attn_k_b", "attn_v_b"):
        return None
    return Weight((tensor,), joined=lambda both: torch.cat((both[0].mT, both[1]), 1).flatten(0, 1))


def _granitemoe(fields: Fields, common: Config) -> Config:
    config = {
        "num_local_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        **_granite(fields, common),
    }
    if fields.there("blk.0.ffn_down_shexp.weight"):
        size = fields.tensor("blk.0.ffn_down_shexp.weight", 2)[1]
        config |= {"model_type": "granitemoeshared", "shared_intermediate_size": size}
    return config


def _granite(fields: Fields, common: Config) -> Config:
    return {
        **_biases(fields, common),
        "attention_multiplier": fields.number("attention.scale", common["head_dim"] ** -0.5),
        "embedding_multiplier": fields.number("embedding_scale", 1.0),
        "residual_multiplier": fields.number("residual_scale", 1.0),
        "logits_scaling": fields.number("logit_scale", 1.0),
    }


def _lfm2(fields: Fields, common: Config) -> Config:
    heads = fields.numbers("attention.head_count_kv", common["num_hidden_layers"])
    return {
        "layer_types": ["full_attention" if each else "conv" for each in heads],
        "norm_eps": common["rms_norm_eps"],
        "conv_L_cache": fields.integer("shortconv.l_cache"),
        "conv_bias": any(name.endswith("shortconv.in_proj.bias") for name in fields.file.tensors),
        "block_auto_adjust_ff_dim": False,
    }


def _gpt2(fields: Fields, common: Config) -> Config:
    length, _ = fields.tensor("position_embd.weight", 2)
    fields.expect("context_length", common["max_position_embeddings"], length)
    return {
        "n_positions": length,
        "n_embd": common["hidden_size"],
        "n_layer": common["num_hidden_layers"],
        "n_head": common["num_attention_heads"],
        "n_inner": fields.tensor("blk.0.ffn_up.weight", 2)[0],
        "layer_norm_epsilon": fields.number("attention.layer_norm_epsilon", above=0),
    }


def _smollm3(fields: Fields, common: Config) -> Config:
    return {"use_sliding_window": False, "no_rope_layer_interval": 4, **_biases(fields, common)}


def _starcoder2(fields: Fields, common: Config) -> Config:
    return {
        "norm_epsilon": fields.number("attention.layer_norm_epsilon", above=0),
        "use_bias": fields.there("blk.0.attn_q.bias"),
        "sliding_window": None,
    }


def _stablelm(fields: Fields, common: Config) -> Config:
    return {
        "layer_norm_eps": fields.number("attention.layer_norm_epsilon", above=0),
        "use_qkv_bias": fields.there("blk.0.attn_q.bias"),
        "use_parallel_residual": fields.boolean("use_parallel_residual", False),
    }


def _cohere(fields: Fields, common: Config) -> Config:
    config: Config = {
        "logit_scale": fields.number("logit_scale", 1.0),
        "layer_norm_eps": fields.number("attention.layer_norm_epsilon", above=0),
        "attention_bias": fields.there("blk.0.attn_q.bias"),
    }
    if fields.prefix == "cohere2":
        config["sliding_window"] = fields.integer("attention.sliding_window")
        config["layer_types"] = _windowed(fields, common, 4)
    else:
        config["use_qk_norm"] = fields.there("blk.0.attn_q_norm.weight")
    return config


def _nemotron(fields: Fields, common: Config) -> Config:
    return {**_biases(fields, common), "norm_eps": fields.number("attention.layer_norm_epsilon", above=0)}


def _seed_oss(fields: Fields, common: Config) -> Config:
    return {**_biases(fields, common), "attention_out_bias": fields.there("blk.0.attn_output.bias")}


def _ernie(fields: Fields, common: Config) -> Config:
    return {"use_bias": fields.there("blk.0.attn_q.bias")}


def _exaone4(fields: Fields, common: Config) -> Config:
    """Where there is a window, layers that see everything rotate nothing: transformers' own rule."""
    count = common["num_hidden_layers"]
    if not fields.has("attention.sliding_window"):
        return {"sliding_window": None, "layer_types": ["full_attention"] * count}
    return {
        "sliding_window": fields.integer("attention.sliding_window"),
        "layer_types": _windowed(fields, common, 4),
    }


_SHARED_EXPERTS = {
    "ffn_gate_shexp": "mlp.shared_experts.gate_proj",
    "ffn_up_shexp": "mlp.shared_experts.up_proj",
    "ffn_down_shexp": "mlp.shared_experts.down_proj",
}
_GEMMA4 = {
    **_GEMMA,
    "layer_output_scale": "layer_scalar",
    "inp_gate": "per_layer_input_gate",
    "proj": "per_layer_projection",
    "post_norm": "post_per_layer_input_norm",
    "post_ffw_norm_1": "post_feedforward_layernorm_1",
    "post_ffw_norm_2": "post_feedforward_layernorm_2",
    "pre_ffw_norm_2": "pre_feedforward_layernorm_2",
    "ffn_gate_inp": "router.proj",
    "ffn_gate_inp.scale": "router.scale",
    "ffn_down_exps.scale": "router.per_expert_scale",
    "ffn_gate_exps": "experts.gate_up_proj",
    "ffn_up_exps": "experts.gate_up_proj",
    "ffn_gate_up_exps": "experts.gate_up_proj",
    "ffn_down_exps": "experts.down_proj",
}
_GEMMA4_OUTER = {
    "per_layer_token_embd": "model.embed_tokens_per_layer",
    "per_layer_model_proj": "model.per_layer_model_projection",
    "per_layer_proj_norm": "model.per_layer_projection_norm",
}
_QWEN35 = {
    "post_attention_norm": "post_attention_layernorm",
    "attn_qkv": "linear_attn.in_proj_qkv",
    "attn_gate": "linear_attn.in_proj_z",
    "ssm_alpha": "linear_attn.in_proj_a",
    "ssm_beta": "linear_attn.in_proj_b",
    "ssm_a": "linear_attn.A_log",
    "ssm_dt": "linear_attn.dt_bias",
    "ssm_conv1d": "linear_attn.conv1d",
    "ssm_norm": "linear_attn.norm",
    "ssm_out": "linear_attn.out_proj",
    "ffn_norm": "",
}
_HYBRID: dict[str, Any] = {"centred": True, "partial": True, "placed": _delta, "guesses": True}
ARCHITECTURES: dict[str, Architecture] = {
    "llama": Architecture("llama", _llama, permuted=True),
    "qwen2": Architecture("qwen2", _qwen2),
    "qwen2moe": Architecture("qwen2_moe", _moe),
    "qwen3": Architecture("qwen3", _qwen3),
    "qwen3moe": Architecture("qwen3_moe", _moe),
    "qwen35": Architecture("qwen3_5_text", _qwen35, _QWEN35, **_HYBRID),
    "qwen35moe": Architecture("qwen3_5_moe_text", _qwen35moe, _QWEN35, **_HYBRID),
    "gemma": Architecture("gemma", centred=True),
    "gemma2": Architecture("gemma2", _gemma2, _GEMMA, centred=True),
    "gemma3": Architecture("gemma3_text", _gemma3, _GEMMA, centred=True),
    "gemma4": Architecture("gemma4_text", _gemma4, _GEMMA4, _GEMMA4_OUTER),
    "phi3": Architecture(
        "phi3", _phi3, {"attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj", "ffn_gate": ""}, partial=True
    ),
    "granite": Architecture("granite", _granite, permuted=True),
    "lfm2": Architecture(
        "lfm2",
        _lfm2,
        {
            "attn_norm": "operator_norm",
            "attn_output": "self_attn.out_proj",
            "attn_q_norm": "self_attn.q_layernorm",
            "attn_k_norm": "self_attn.k_layernorm",
            "ffn_norm": "ffn_norm",
            "ffn_gate": "feed_forward.w1",
            "ffn_up": "feed_forward.w3",
            "ffn_down": "feed_forward.w2",
            "shortconv.in_proj": "conv.in_proj",
            "shortconv.out_proj": "conv.out_proj",
            "shortconv.conv": "conv.conv",
        },
        {"output_norm": "model.embedding_norm", "token_embd_norm": "model.embedding_norm"},
    ),
    "gpt2": Architecture(
        "gpt2",
        _gpt2,
        {
            "attn_norm": "ln_1",
            "attn_qkv": "attn.c_attn",
            "attn_output": "attn.c_proj",
            "ffn_norm": "ln_2",
            "ffn_up": "mlp.c_fc",
            "ffn_down": "mlp.c_proj",
        },
        {"token_embd": "transformer.wte", "position_embd": "transformer.wpe", "output_norm": "transformer.ln_f"},
        layers="transformer.h",
        transposed=("attn_qkv", "attn_output", "ffn_up", "ffn_down"),
    ),
    "gpt-oss": Architecture(
        "gpt_oss",
        _gpt_oss,
        {
            "post_attention_norm": "post_attention_layernorm",
            "attn_sinks": "self_attn.sinks",
            "ffn_gate_inp": "mlp.router",
        },
        placed=_gpt_oss_experts,
    ),
    "smollm3": Architecture("smollm3", _smollm3, permuted=True),
    "arcee": Architecture("arcee", _biases, permuted=True),
    "starcoder2": Architecture("starcoder2", _starcoder2, {"ffn_up": "mlp.c_fc", "ffn_down": "mlp.c_proj"}),
    "stablelm": Architecture("stablelm", _stablelm, partial=True),
    "olmo2": Architecture("olmo2", _olmo2, _NORMED_AFTER),
    "olmoe": Architecture("olmoe", _olmoe),
    "glm4": Architecture(
        "glm4",
        _glm4,
        {
            "ffn_norm": "post_attention_layernorm",
            "post_attention_norm": "post_self_attn_layernorm",
            "post_ffw_norm": "post_mlp_layernorm",
            "ffn_up": "mlp.gate_up_proj",
            "ffn_gate": "",
        },
        partial=True,
    ),
    "glm4moe": Architecture(
        "glm4_moe",
        _glm4moe,
        {
            "post_attention_norm": "post_attention_layernorm",
            "exp_probs_b": "mlp.gate.e_score_correction_bias",
            **_SHARED_EXPERTS,
            "ffn_norm": "",
        },
        partial=True,
        guesses=True,
    ),
    "deepseek2": Architecture(
        "deepseek_v3",
        _deepseek2,
        {
            **_SHARED_EXPERTS,
            "exp_probs_b": "mlp.gate.e_score_correction_bias",
            "attn_q_a": "self_attn.q_a_proj",
            "attn_q_a_norm": "self_attn.q_a_layernorm",
            "attn_q_b": "self_attn.q_b_proj",
            "attn_kv_a_mqa": "self_attn.kv_a_proj_with_mqa",
            "attn_kv_a_norm": "self_attn.kv_a_layernorm",
            "attn_k_b": "self_attn.kv_b_proj",
            "attn_v_b": "self_attn.kv_b_proj",
        },
        placed=_latents,
    ),
    "granitemoe": Architecture(
        "granitemoe",
        _granitemoe,
        {
            "ffn_gate_inp": "block_sparse_moe.router",
            "ffn_gate_exps": "block_sparse_moe.experts.gate_up_proj",
            "ffn_up_exps": "block_sparse_moe.experts.gate_up_proj",
            "ffn_down_exps": "block_sparse_moe.experts.down_proj",
            "ffn_gate_shexp": "shared_mlp.input_linear",
            "ffn_up_shexp": "shared_mlp.input_linear",
            "ffn_down_shexp": "shared_mlp.output_linear",
        },
        permuted=True,
    ),
    "exaone4": Architecture("exaone4", _exaone4, _NORMED_AFTER),
    "command-r": Architecture("cohere", _cohere),
    "cohere2": Architecture("cohere2", _cohere),
    "nemotron": Architecture("nemotron", _nemotron, centred=True, partial=True),
    "seed_oss": Architecture("seed_oss", _seed_oss, {"post_attention_norm": "post_attention_layernorm"}),
    "ernie4_5": Architecture("ernie4_5", _ernie),
    "hunyuan-dense": Architecture(
        "hunyuan_v1_dense",
        _biases,
        {"attn_q_norm": "self_attn.query_layernorm", "attn_k_norm": "self_attn.key_layernorm"},
    ),
}
