"""Keys and layouts of layers that keep a state, as llama.cpp's converters write them: delta rule and Mamba2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

_MAMBA = {
    "in_proj": "ssm_in",
    "conv1d": "ssm_conv1d",
    "out_proj": "ssm_out",
    "norm": "ssm_norm",
    "dt_bias": "ssm_dt.bias",
    "A_log": "ssm_a",
    "D": "ssm_d",
}
# Nemotron-H's, of which a layer has one kind.
_MIXER = {
    "norm.weight": "attn_norm.weight",
    "mixer.q_proj.weight": "attn_q.weight",
    "mixer.k_proj.weight": "attn_k.weight",
    "mixer.v_proj.weight": "attn_v.weight",
    "mixer.o_proj.weight": "attn_output.weight",
    "mixer.up_proj.weight": "ffn_up.weight",
    "mixer.down_proj.weight": "ffn_down.weight",
    "mixer.gate.weight": "ffn_gate_inp.weight",
    "mixer.gate.e_score_correction_bias": "exp_probs_b.bias",
    "mixer.fc1_latent_proj.weight": "ffn_latent_down.weight",
    "mixer.fc2_latent_proj.weight": "ffn_latent_up.weight",
    "mixer.experts.up_proj": "ffn_up_exps.weight",
    "mixer.shared_experts.up_proj.weight": "ffn_up_shexp.weight",
    "mixer.shared_experts.down_proj.weight": "ffn_down_shexp.weight",
}
# Falcon-H1's factors, which are in a file's weights.
_FACTORS = {
    "embed_tokens": ("embedding_multiplier",),
    "lm_head": ("lm_head_multiplier",),
    "q_proj": ("attention_in_multiplier",),
    "k_proj": ("attention_in_multiplier", "key_multiplier"),
    "v_proj": ("attention_in_multiplier",),
    "o_proj": ("attention_out_multiplier",),
    "in_proj": ("ssm_in_multiplier",),
    "out_proj": ("ssm_out_multiplier",),
}


def of_delta(config: Any) -> dict[str, Any]:
    """Return the keys of Qwen3-Next and Qwen3.5, with an additional layer for MTP (`gguf_files.tensors`)."""
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
    }


def of_mamba(config: Any) -> dict[str, Any]:
    """Return the keys of Granite 4, Falcon-H1 and Nemotron-H."""

    def either(*names: str) -> Any:
        return next(getattr(config, name) for name in names if hasattr(config, name))

    heads = either("mamba_n_heads", "mamba_num_heads")
    keys = {
        "ssm.conv_kernel": either("mamba_d_conv", "conv_kernel"),
        "ssm.state_size": either("mamba_d_state", "ssm_state_size"),
        "ssm.group_count": either("mamba_n_groups", "n_groups"),
        "ssm.time_step_rank": heads,
        "ssm.inner_size": heads * either("mamba_d_head", "mamba_head_dim"),
    }
    if config.model_type == "falcon_h1":
        return keys
    attends = [kind == "full_attention" for kind in config.layers_block_type]
    keys["attention.head_count_kv"] = [config.num_key_value_heads * each for each in attends]
    keys["rope.scaling.finetuned"] = getattr(config, "position_embedding_type", None) == "rope"
    if config.model_type == "granitemoehybrid":
        return keys if config.num_local_experts else {**keys, "expert_count": 0}
    keys |= {"attention.layer_norm_rms_epsilon": config.layer_norm_epsilon, "rope.dimension_count": 12}
    if "moe" in config.layers_block_type:  # with an additional layer for MTP
        keys["attention.head_count_kv"].append(config.num_key_value_heads)
        keys |= {
            "block_count": config.num_hidden_layers + 1,
            "nextn_predict_layers": 1,
            "moe_latent_size": config.moe_latent_size,
            "expert_count": config.n_routed_experts,
            "expert_used_count": config.num_experts_per_tok,
            "expert_shared_count": config.n_shared_experts,
            "expert_group_count": config.n_group,
            "expert_group_used_count": config.topk_group,
            "expert_weights_norm": config.norm_topk_prob,
            "expert_weights_scale": config.routed_scaling_factor,
        }
    return keys


def tensors(config: Any, name: str, values: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Yield (llama.cpp's name, values in its layout) for a module with a state; nothing for other modules."""
    parts = [*name.split("."), "", ""]
    layer, own = parts[2], name.partition(f".{parts[2]}.")[2]
    module, leaf = own.rpartition(".")[::2]
    mixer, _, part = module.rpartition(".")
    if ".in_proj_qkvz." in name:
        yield from _of_qkvz(config, layer, values)
    elif ".in_proj_ba." in name:
        yield f"blk.{layer}.ssm_ba.weight", values
    elif own == "linear_attn.A_log":
        yield f"blk.{layer}.ssm_a", delta_laid_out(config, "A_log", values)
    elif mixer in ("mamba", "mixer") and part in _MAMBA:
        yield f"blk.{layer}.{_MAMBA[part]}.{leaf}", _of_mixer(config, part, values)
    elif module in ("mamba", "mixer") and leaf in _MAMBA:
        shaped = values if leaf == "dt_bias" else values[:, None]
        yield f"blk.{layer}.{_MAMBA[leaf]}", -shaped.exp() if leaf == "A_log" else shaped
    elif config.model_type == "nemotron_h" and own in _MIXER:
        yield f"blk.{layer}.{_MIXER[own]}", values
    elif name in ("model.embeddings.weight", "model.norm_f.weight"):
        yield ("token_embd.weight" if "embed" in name else "output_norm.weight"), values
    elif own == "pre_ff_layernorm.weight":
        yield f"blk.{layer}.ffn_norm", values  # without a "weight"
    elif own == "shared_mlp.output_linear.weight" and not config.num_local_experts:
        yield f"blk.{layer}.ffn_down.weight", values


def _of_qkvz(config: Any, layer: str, values: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Yield the rows of each key head separately."""
    keys, size = config.linear_num_key_heads, config.linear_key_head_dim
    many = config.linear_value_head_dim * config.linear_num_value_heads // keys
    q, k, v, z = values.unflatten(0, (keys, -1)).split((size, size, many, many), 1)
    yield f"blk.{layer}.attn_qkv.weight", torch.cat([each.flatten(0, 1) for each in (q, k, v)])
    yield f"blk.{layer}.attn_gate.weight", z.flatten(0, 1)


def _of_mixer(config: Any, leaf: str, values: Tensor) -> Tensor:
    if leaf == "conv1d" and values.dim() > 1:
        return values.squeeze(1)
    if leaf == "norm":
        return values.view(getattr(config, "mamba_n_groups", None) or config.n_groups, -1)
    if config.model_type != "falcon_h1":
        return values
    if leaf == "in_proj":
        inner, state = config.mamba_d_ssm, config.mamba_n_groups * config.mamba_d_state
        sizes = torch.tensor([inner, inner, state, state, config.mamba_n_heads])
        values = values * torch.tensor(config.ssm_multipliers).repeat_interleave(sizes)[:, None]
    return multiplied(config, leaf, values)


def multiplied(config: Any, leaf: str, values: Tensor) -> Tensor:
    """Multiply by the factors of Falcon-H1's modules, as a file stores them."""
    for name in _FACTORS.get(leaf, ()):
        values = values * getattr(config, name)
    if leaf in ("gate_proj", "down_proj"):
        values = values * config.mlp_multipliers[leaf == "down_proj"]
    return values


def delta_laid_out(config: Any, leaf: str, values: Tensor) -> Tensor:
    """Reorder Qwen3.5's value heads: those of one key head are not adjacent but interleaved."""
    if config.model_type == "qwen3_next":
        return -values.exp() if leaf == "A_log" else values.squeeze(1) if leaf == "conv1d" else values
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
