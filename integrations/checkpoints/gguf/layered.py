"""Config values of architectures whose layers differ (windows, convolutions), from the keys of a GGUF file.

There is a function for each architecture, as in dense.py.
"""

from __future__ import annotations

import math

from torchpaged.integrations.checkpoints.gguf import dense
from torchpaged.integrations.checkpoints.gguf.metadata import Config, Fields, floats


def gemma2(fields: Fields, common: Config) -> Config:
    # Only the largest model scales by hidden size / heads instead of the head's size.
    by_hidden = common["num_hidden_layers"] == 46
    scalar = common["hidden_size"] // common["num_attention_heads"] if by_hidden else common["head_dim"]
    return {
        "attn_logit_softcapping": fields.number("attn_logit_softcapping", 50.0, above=0),
        "final_logit_softcapping": fields.number("final_logit_softcapping", 30.0, above=0),
        "sliding_window": fields.integer("attention.sliding_window", 4096),
        "query_pre_attn_scalar": scalar,
        "layer_types": windowed(fields, common, 2),
    }


def gemma3(fields: Fields, common: Config) -> Config:
    by_hidden = common["num_hidden_layers"] == 62
    scalar = common["hidden_size"] // common["num_attention_heads"] if by_hidden else common["head_dim"]
    local = fields.number("rope.freq_base_swa", 10_000.0, above=0)
    return {
        "sliding_window": fields.integer("attention.sliding_window", 1024),
        "query_pre_attn_scalar": scalar,
        "layer_types": windowed(fields, common, 6),
        "final_logit_softcapping": _cap(fields),
        "rope_parameters": {
            "full_attention": common["rope_parameters"],
            "sliding_attention": {"rope_type": "default", "rope_theta": local},
        },
    }


def _cap(fields: Fields) -> float | None:
    name = "final_logit_softcapping"
    return fields.number(name, above=0) if fields.has(name) else None


def gemma3n(fields: Fields, common: Config) -> Config:
    layers = common["num_hidden_layers"]
    inputs = fields.integer("altup.num_inputs")
    fields.expect("altup.num_inputs", inputs, fields.tensor("altup_proj.weight", 3)[0] + 1)
    fields.expect("altup.num_inputs", inputs, 4)
    cuts = fields.numbers("activation_sparsity_scale", layers)  # in standard deviations
    if not all(isinstance(each, float) and each < math.inf for each in cuts):
        raise fields.file.fault(f"{fields.prefix}.activation_sparsity_scale", cuts, "a number for each layer")
    return {
        **{name: value for name, value in gemma3(fields, common).items() if name != "query_pre_attn_scalar"},
        "sliding_window": fields.integer("attention.sliding_window"),
        "final_logit_softcapping": fields.number("final_logit_softcapping", above=0),
        "layer_types": windowed(fields, common, 5),
        "intermediate_size": [fields.tensor(f"blk.{layer}.ffn_up.weight", 2)[0] for layer in range(layers)],
        "activation_sparsity_pattern": [(1 + math.erf(each / math.sqrt(2))) / 2 for each in cuts],
        "altup_num_inputs": inputs,
        "altup_active_idx": fields.integer("altup.active_idx", 0, least=0),
        "laurel_rank": fields.tensor("blk.0.laurel_l.weight", 2)[0],
        "num_kv_shared_layers": fields.integer("attention.shared_kv_layers", 0, least=0),
        "hidden_size_per_layer_input": fields.integer("embedding_length_per_layer_input"),
        "vocab_size_per_layer_input": fields.tensor("per_layer_token_embd.weight", 2)[0],
    }


def gemma4(fields: Fields, common: Config) -> Config:
    layers, wide = common["num_hidden_layers"], common["head_dim"]
    kinds = windowed(fields, common, 6)
    full = [i for i, kind in enumerate(kinds) if kind == "full_attention"]
    head_dim = fields.integer("attention.key_length_swa", wide)
    for name in ("attention.value_length_swa", "rope.dimension_count_swa"):
        fields.expect(name, fields.integer(name, head_dim), head_dim)
    # Where frequencies of the layers without a window are divided by next to infinity, nothing is rotated.
    factors = floats(fields.file, "rope_freqs.weight", wide // 2)
    rotated = factors.count(1.0)
    if not rotated or factors != [1.0] * rotated + [factors[-1]] * (wide // 2 - rotated) or 1 < factors[-1] < 1e29:
        raise fields.file.fault("tensor 'rope_freqs.weight'", factors, "ones, and 1e30 behind them")
    fields.expect("rope.scaling.type", common["rope_parameters"]["rope_type"], "default")
    base, local = common["rope_parameters"]["rope_theta"], fields.number("rope.freq_base_swa", 10_000.0, above=0)
    config: Config = {
        "head_dim": head_dim,
        "global_head_dim": wide,
        "layer_types": kinds,
        "sliding_window": fields.integer("attention.sliding_window"),
        "num_kv_shared_layers": fields.integer("attention.shared_kv_layers", 0, least=0),
        "hidden_size_per_layer_input": fields.integer("embedding_length_per_layer_input", 0, least=0),
        "final_logit_softcapping": _cap(fields),
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


def windowed(fields: Fields, common: Config, count: int) -> list[str]:
    """List the type of each layer; if a file does not say which have a window, every `count`-th has none."""
    layers = common["num_hidden_layers"]
    if fields.by_layer("attention.sliding_window_pattern"):
        windows = fields.numbers("attention.sliding_window_pattern", layers)
    else:
        count = fields.integer("attention.sliding_window_pattern", count)
        windows = [i % count != count - 1 for i in range(layers)]
    return ["sliding_attention" if each else "full_attention" for each in windows]


def olmo2(fields: Fields, common: Config) -> Config:
    """OLMo 2, and OLMo 3, which has windows and scales the frequencies of its full layers only."""
    config = dense.biases(fields, common)
    if not fields.has("attention.sliding_window"):
        return config
    base = fields.number("rope.freq_base_swa", common["rope_parameters"]["rope_theta"], above=0)
    return {
        **config,
        "model_type": "olmo3",
        "sliding_window": fields.integer("attention.sliding_window"),
        "layer_types": windowed(fields, common, 4),
        "rope_parameters": {
            "full_attention": common["rope_parameters"],
            "sliding_attention": {"rope_type": "default", "rope_theta": base},
        },
    }


def lfm2(fields: Fields, common: Config) -> Config:
    heads = fields.numbers("attention.head_count_kv", common["num_hidden_layers"])
    return {
        "layer_types": ["full_attention" if each else "conv" for each in heads],
        "norm_eps": common["rms_norm_eps"],
        "conv_L_cache": fields.integer("shortconv.l_cache"),
        "conv_bias": any(name.endswith("shortconv.in_proj.bias") for name in fields.file.tensors),
        "block_auto_adjust_ff_dim": False,
    }


def cohere(fields: Fields, common: Config) -> Config:
    config: Config = {
        "logit_scale": fields.number("logit_scale", 1.0, above=0),
        "layer_norm_eps": fields.number("attention.layer_norm_epsilon", above=0),
        "attention_bias": fields.there("blk.0.attn_q.bias"),
    }
    if fields.prefix == "cohere2":
        config["sliding_window"] = fields.integer("attention.sliding_window")
        config["layer_types"] = windowed(fields, common, 4)
    else:
        config["use_qk_norm"] = fields.there("blk.0.attn_q_norm.weight")
    return config


def exaone4(fields: Fields, common: Config) -> Config:
    """EXAONE 4. If it has windows its full layers have no rotary embedding, which is transformers' own rule."""
    count = common["num_hidden_layers"]
    if not fields.has("attention.sliding_window"):
        return {"sliding_window": None, "layer_types": ["full_attention"] * count}
    return {
        "sliding_window": fields.integer("attention.sliding_window"),
        "layer_types": windowed(fields, common, 4),
    }
