"""Config values and tensor layouts of architectures with experts, from a GGUF file.

There is a function for each architecture's config, as in dense.py. The functions that return a `Weight` map tensors
whose layout differs from transformers'.
"""

from __future__ import annotations

import math

import torch

from torchpaged.integrations.checkpoints.gguf import dense, layered, recurrent
from torchpaged.integrations.checkpoints.gguf.metadata import Config, Fields
from torchpaged.integrations.checkpoints.gguf.tensor_names import Weight


def llama(fields: Fields, common: Config) -> Config:
    experts = fields.integer("expert_count", 0, least=0)
    if not experts:
        return dense.biases(fields, common)
    used = fields.integer("expert_used_count")
    return {
        "model_type": "mixtral",
        "num_local_experts": experts,
        "num_experts_per_tok": used,
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        "sliding_window": None,
    }


def moe(fields: Fields, common: Config) -> Config:
    """Qwen's mixtures. All layers have experts; Qwen2's have a shared one, and weights that are not normalised."""
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


def gpt_oss(fields: Fields, common: Config) -> Config:
    config = {
        "num_local_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        "sliding_window": fields.integer("attention.sliding_window"),
        "layer_types": layered.windowed(fields, common, 2),
        "attention_bias": fields.there("blk.0.attn_q.bias"),
    }
    rope = common["rope_parameters"]
    # YaRN's bounds are not rounded to whole dimensions, which a file cannot say.
    return config | {"rope_parameters": {**rope, "truncate": False} if rope["rope_type"] == "yarn" else rope}


def gpt_oss_experts(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """Interleave gates and ups as [experts, inputs, outputs]; in a file they follow each other."""
    if not leaf.endswith("_exps") or len(shape) < 2:
        return None
    both = "_down_" not in tensor
    if tensor.endswith(".bias"):  # [experts, outputs]; two joined ones are [2 x experts, outputs]
        return Weight((tensor,), change=(lambda values: torch.stack(values.chunk(2), -1).flatten(1)) if both else None)
    rows = torch.arange(2 * shape[1]).view(2, -1).T.flatten() if both else None
    return Weight((tensor,), rows, lambda values: (values if rows is None else values[:, rows]).mT)


def qwen35moe(fields: Fields, common: Config) -> Config:
    experts = {name: value for name, value in moe(fields, common).items() if "expert" in name or name.startswith("moe")}
    return {**recurrent.qwen35(fields, common), **experts}


def olmoe(fields: Fields, common: Config) -> Config:
    return {
        "num_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        "norm_topk_prob": fields.boolean("expert_weights_norm", False),
        **dense.biases(fields, common),
    }


def glm4moe(fields: Fields, common: Config) -> Config:
    fields.expect("expert_gating_func", fields.integer("expert_gating_func", 2), 2)  # sigmoid
    return {
        **routed(fields, common),
        "norm_topk_prob": fields.boolean("expert_weights_norm", True),
        "use_qk_norm": fields.there("blk.0.attn_q_norm.weight"),
        "attention_bias": fields.there("blk.0.attn_q.bias"),
        **dense.rotated_part(common),
    }


def routed(fields: Fields, common: Config) -> Config:
    """Values for routed and shared experts after some dense layers, as DeepSeek has them."""
    first = fields.integer("leading_dense_block_count", 0, least=0)
    last = common["num_hidden_layers"] - 1
    fields.expect("leading_dense_block_count", first, min(first, last))
    experts, groups = fields.integer("expert_count"), fields.integer("expert_group_count", 1)
    fields.expect("expert_group_count", groups, math.gcd(experts, groups))
    chosen = fields.integer("expert_group_used_count", 1)
    fields.expect("expert_group_used_count", chosen, min(chosen, groups))
    return {
        "n_routed_experts": experts,
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "n_shared_experts": fields.integer("expert_shared_count"),
        "n_group": groups,
        "topk_group": chosen,
        "moe_intermediate_size": fields.tensor(f"blk.{last}.ffn_down_exps.weight", 3)[2],
        "first_k_dense_replace": first,
        "routed_scaling_factor": fields.number("expert_weights_scale", 1.0),
    }


def deepseek2(fields: Fields, common: Config) -> Config:
    """DeepSeek V2 routes by softmax; V3 and GLM-4.7-Flash by sigmoid and a bias for each expert."""
    rope, rotated = dict(common["rope_parameters"]), common["head_dim"]
    biased = any(name.endswith("exp_probs_b.bias") for name in fields.file.tensors)
    sigmoid = fields.integer("expert_gating_func", 2 if biased else 1)
    fields.expect("expert_gating_func", sigmoid, 2 if biased else 1)
    if rope["rope_type"] == "yarn":
        scale = 10 * fields.number("rope.scaling.yarn_log_multiplier", 0.0)
        rope |= {"mscale": scale, "mscale_all_dim": scale} if scale else {}
    count = fields.integer("attention.q_lora_rank", 0, least=0)
    experts = routed(fields, common)
    return {
        **experts,
        "model_type": "deepseek_v3" if biased else "deepseek_v2",
        "topk_method": "group_limited_greedy" if experts["n_group"] > 1 else "greedy",  # V2 has models of both kinds
        "norm_topk_prob": fields.boolean("expert_weights_norm", False),
        "num_key_value_heads": common["num_attention_heads"],
        "q_lora_rank": count or None,
        "kv_lora_rank": fields.integer("attention.kv_lora_rank"),
        "qk_rope_head_dim": rotated,
        "qk_nope_head_dim": fields.integer("attention.key_length_mla") - rotated,
        "v_head_dim": fields.integer("attention.value_length_mla"),
        "rope_parameters": rope,
    }


def latents(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """Join the tensors of keys and values head by head; that of the keys is transposed in a file."""
    if leaf not in ("attn_k_b", "attn_v_b"):
        return None
    return Weight((tensor,), joined=lambda both: torch.cat((both[0].mT, both[1]), 1).flatten(0, 1))


def granitemoe(fields: Fields, common: Config) -> Config:
    config = {
        "num_local_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        **dense.granite(fields, common),
    }
    if fields.there("blk.0.ffn_down_shexp.weight"):
        size = fields.tensor("blk.0.ffn_down_shexp.weight", 2)[1]
        config |= {"model_type": "granitemoeshared", "shared_intermediate_size": size}
    return config


def lfm2moe(fields: Fields, common: Config) -> Config:
    fields.expect("expert_gating_func", fields.integer("expert_gating_func", 2), 2)  # sigmoid
    first, last = fields.integer("leading_dense_block_count", 0, least=0), common["num_hidden_layers"] - 1
    fields.expect("leading_dense_block_count", first, min(first, last))
    return {
        **layered.lfm2(fields, common),
        "num_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "moe_intermediate_size": fields.tensor(f"blk.{last}.ffn_down_exps.weight", 3)[2],
        "num_dense_layers": first,
        "use_expert_bias": fields.there(f"blk.{last}.exp_probs_b.bias"),
    }


def ernie_moe(fields: Fields, common: Config) -> Config:
    last = common["num_hidden_layers"] - 1
    first = fields.integer("leading_dense_block_count", 0, least=0)
    size = fields.tensor(f"blk.{last}.ffn_down_exps.weight", 3)[2]
    shared = f"blk.{last}.ffn_down_shexp.weight"
    count = fields.tensor(shared, 2)[1] // size if fields.there(shared) else 0
    fields.expect("expert_shared_count", fields.integer("expert_shared_count", count, least=0), count)
    return {
        **dense.ernie(fields, common),
        "moe_num_experts": fields.integer("expert_count"),
        "moe_k": fields.integer("expert_used_count"),
        "moe_intermediate_size": size,
        "moe_num_shared_experts": count,
        "moe_layer_start_index": first,
        "moe_layer_end_index": last,
        "moe_layer_interval": fields.integer("interleave_moe_layer_step", 1),
    }


def ernie_moe_bias(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """Map the bias of the router, which transformers keeps as a row."""
    return Weight((tensor,), change=lambda values: values.view(1, -1)) if leaf == "exp_probs_b" else None


def minimax_m2(fields: Fields, common: Config) -> Config:
    fields.expect("expert_gating_func", fields.integer("expert_gating_func", 2), 2)  # sigmoid
    return {
        "num_local_experts": fields.integer("expert_count"),
        "num_experts_per_tok": fields.integer("expert_used_count"),
        "intermediate_size": fields.tensor("blk.0.ffn_down_exps.weight", 3)[2],
        **dense.rotated_part(common),
    }
