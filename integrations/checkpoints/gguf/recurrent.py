"""Config values and tensor layouts of architectures with recurrent layers, from a GGUF file.

There is a function for each architecture's config, as in dense.py. The functions that return a `Weight` map tensors
whose layout differs from transformers'.
"""

from __future__ import annotations

import torch

from torchpaged.integrations.checkpoints.gguf import dense
from torchpaged.integrations.checkpoints.gguf.metadata import Config, Fields
from torchpaged.integrations.checkpoints.gguf.tensor_names import Weight, in_the_middle


def qwen35(fields: Fields, common: Config) -> Config:
    layers = common["num_hidden_layers"]
    heads = fields.integer("ssm.time_step_rank")
    inner = fields.integer("ssm.inner_size")
    fields.expect("ssm.inner_size", inner, _of_some_layer(fields, "ssm_out.weight")[1])
    keys = fields.integer("ssm.group_count")
    fields.expect("ssm.inner_size", inner, max(1, inner // heads) * heads)
    fields.expect("ssm.time_step_rank", heads, max(1, heads // keys) * keys)
    every = fields.integer("full_attention_interval", 4)
    recurrent = [i % every != every - 1 for i in range(layers)]
    if fields.has("attention.recurrent_layers"):
        recurrent = fields.numbers("attention.recurrent_layers", fields.integer("block_count"))[:layers]
    fields.value("rope.dimension_sections")  # positions in images, which texts do not have
    return {
        "layer_types": ["linear_attention" if each else "full_attention" for each in recurrent],
        "linear_conv_kernel_dim": fields.integer("ssm.conv_kernel"),
        "linear_key_head_dim": _key_size(fields, keys, inner),
        "linear_num_key_heads": keys,
        "linear_num_value_heads": heads,
        "linear_value_head_dim": inner // heads,
        **dense.rotated_part(common),
        **dense.biases(fields, common),
    }


def _key_size(fields: Fields, keys: int, inner: int) -> int:
    """Return the size of a head's keys, checked against the joint tensor of queries, keys and values."""
    size = fields.integer("ssm.state_size")
    fields.expect("ssm.state_size", size, (_of_some_layer(fields, "ssm_conv1d.weight")[0] - inner) // (2 * keys))
    return size


def _of_some_layer(fields: Fields, name: str) -> tuple[int, ...]:
    """Return the shape of a two-dimensional tensor that only some layers have."""
    found = next((each for each in fields.file.tensors if each.endswith(f".{name}")), f"blk.0.{name}")
    return fields.tensor(found, 2)


def delta(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """Group value heads by their key head; in a file they are interleaved over the key heads."""
    keys, values = config["linear_num_key_heads"], config["linear_num_value_heads"]
    size = config["linear_value_head_dim"]

    def by_key(size: int) -> torch.Tensor:
        return torch.arange(values * size).view(values // keys, keys, size).transpose(0, 1).flatten()

    def behind_keys() -> torch.Tensor:
        before = 2 * keys * config["linear_key_head_dim"]
        return torch.cat((torch.arange(before), before + by_key(size)))

    if leaf == "ssm_norm":
        return Weight((tensor,))
    if leaf == "ssm_a":
        return Weight((tensor,), by_key(1), log_of_minus)
    if leaf == "ssm_conv1d":
        return Weight((tensor,), behind_keys(), in_the_middle)
    if leaf not in ("ssm_out", "attn_qkv", "attn_gate", "ssm_alpha", "ssm_beta", "ssm_dt"):
        return None
    if values == keys:  # one value head a key head: the orders agree
        return Weight((tensor,))
    if leaf == "ssm_out":
        return Weight((tensor,), columns=by_key(size))
    if leaf == "attn_qkv":
        return Weight((tensor,), behind_keys())
    return Weight((tensor,), by_key(size if leaf == "attn_gate" else 1))


def delta_by_key(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """Split Qwen3-Next's joint tensors, which are grouped by key head, as its value heads are."""
    keys, values = config["linear_num_key_heads"], config["linear_num_value_heads"]
    size, many = config["linear_key_head_dim"], values // keys * config["linear_value_head_dim"]
    if leaf == "ssm_norm":
        return Weight((tensor,))
    if leaf == "ssm_a":
        return Weight((tensor,), change=log_of_minus)
    if leaf == "ssm_conv1d":
        return Weight((tensor,), change=in_the_middle)
    if leaf.startswith("ssm_ba."):
        parts = torch.arange(2 * values).view(keys, 2, -1).unbind(1)
    elif leaf.startswith("ssm_in."):  # in older files, as in a checkpoint
        q, k, v, z = torch.arange(2 * keys * (size + many)).view(keys, -1).split((size, size, many, many), 1)
        parts = (torch.cat([each.flatten() for each in (q, k, v)]), z)
    else:
        return None
    return Weight((tensor,), parts[int(leaf[-1])].flatten(), rows_of=sum(each.numel() for each in parts))


def log_of_minus(values: torch.Tensor) -> torch.Tensor:
    return (-values.float()).log()


def granitehybrid(fields: Fields, common: Config) -> Config:
    """Granite 4. Layers with key heads are attention; rope.scaling.finetuned says if they have a rotary embedding."""
    layers = common["num_hidden_layers"]
    heads = fields.numbers("attention.head_count_kv", layers)
    experts = fields.integer("expert_count", 0, least=0)
    kind = "_shexp" if experts else ""
    config: Config = {
        **_mamba2(fields, common, "mamba_"),
        "layer_types": ["full_attention" if each else "linear_attention" for each in heads],
        "num_local_experts": experts,
        "shared_intermediate_size": fields.tensor(f"blk.0.ffn_down{kind}.weight", 2)[1],
        "position_embedding_type": "rope" if fields.boolean("rope.scaling.finetuned", True) else None,
        "mamba_proj_bias": False,
        **dense.granite_scales(fields, common),
        "attention_bias": _some_layer_has(fields, "attn_q.bias"),
    }
    if experts:
        config["num_experts_per_tok"] = fields.integer("expert_used_count")
        config["intermediate_size"] = fields.tensor("blk.0.ffn_down_exps.weight", 3)[2]
    return config


def falcon_h1(fields: Fields, common: Config) -> Config:
    """Falcon H1. Every layer has attention beside its state; multipliers are folded into a file's weights."""
    config = _mamba2(fields, common, "mamba_")
    return {
        **config,
        "mamba_d_ssm": config["mamba_n_heads"] * config["mamba_d_head"],
        "mamba_proj_bias": _some_layer_has(fields, "ssm_in.bias"),
        "mamba_rms_norm": _some_layer_has(fields, "ssm_norm.weight"),
        "mamba_norm_before_gate": False,
        **dense.biases(fields, common),
    }


def nemotron_h(fields: Fields, common: Config) -> Config:
    """Nemotron H. A layer has one block, known by its tensors. Keys about rotary embeddings have no effect."""
    layers = common["num_hidden_layers"]
    kinds = [_kind(fields, layer) for layer in range(layers)]
    heads = fields.numbers("attention.head_count_kv", fields.integer("block_count"))[:layers]
    most = common["num_key_value_heads"]
    fields.expect("attention.head_count_kv", heads, [most if kind == "full_attention" else 0 for kind in kinds])
    ssm = _mamba2(fields, common, "")
    eps = fields.number("attention.layer_norm_epsilon", common.get("rms_norm_eps"), above=0)
    config: Config = {
        "layers_block_type": kinds,
        "rope_parameters": {"rope_type": "default"},
        "layer_norm_epsilon": common.get("rms_norm_eps", eps),
        "mamba_num_heads": ssm["n_heads"],
        "mamba_head_dim": ssm["d_head"],
        "n_groups": ssm["n_groups"],
        "ssm_state_size": ssm["d_state"],
        "conv_kernel": ssm["d_conv"],
        "use_conv_bias": ssm["conv_bias"],
        "attention_bias": _some_layer_has(fields, "attn_q.bias"),
        "mlp_bias": any(_some_layer_has(fields, f"ffn_up{kind}.bias") for kind in ("", "_shexp")),
    }
    if "mlp" in kinds:
        config["intermediate_size"] = _of_some_layer(fields, "ffn_down.weight")[1]
    if "moe" in kinds:
        first = kinds.index("moe")
        experts, latent, size = fields.tensor(f"blk.{first}.ffn_down_exps.weight", 3)
        fields.expect("expert_count", fields.integer("expert_count"), experts)
        config |= {
            "n_routed_experts": experts,
            "num_experts_per_tok": fields.integer("expert_used_count"),
            "n_shared_experts": fields.integer("expert_shared_count", 1),
            "moe_intermediate_size": size,
            "moe_shared_expert_intermediate_size": fields.tensor(f"blk.{first}.ffn_down_shexp.weight", 2)[1],
            "moe_latent_size": fields.integer("moe_latent_size", latent) if fields.has("moe_latent_size") else None,
            "n_group": fields.integer("expert_group_count", 1),
            "topk_group": fields.integer("expert_group_used_count", 1),
            "norm_topk_prob": fields.boolean("expert_weights_norm", False),
            "routed_scaling_factor": fields.number("expert_weights_scale", 1.0),
        }
    return config


def _kind(fields: Fields, layer: int) -> str:
    """Return the type of a layer by the tensors that it has."""
    for name, kind in (("ssm_in", "linear_attention"), ("attn_q", "full_attention"), ("ffn_gate_inp", "moe")):
        if fields.there(f"blk.{layer}.{name}.weight"):
            return kind
    return "mlp"


def _mamba2(fields: Fields, common: Config, prefix: str) -> Config:
    """Values for Mamba2 layers, by the names that most configs have, with a prefix."""
    heads, inner = fields.integer("ssm.time_step_rank"), fields.integer("ssm.inner_size")
    fields.expect("ssm.inner_size", inner, _of_some_layer(fields, "ssm_out.weight")[1])
    fields.expect("ssm.inner_size", inner, max(1, inner // heads) * heads)
    groups, state = fields.integer("ssm.group_count"), fields.integer("ssm.state_size")
    fields.expect("ssm.time_step_rank", heads, max(1, heads // groups) * groups)
    rows = _of_some_layer(fields, "ssm_conv1d.weight")[0]
    fields.expect("ssm.state_size", state, (rows - inner) // (2 * groups))
    if norm := [name for name in fields.file.tensors if name.endswith(".ssm_norm.weight")]:
        fields.expect("ssm.group_count", groups, fields.tensor(norm[0], 2)[0])
    return {
        f"{prefix}n_heads": heads,
        f"{prefix}d_head": inner // heads,
        f"{prefix}n_groups": groups,
        f"{prefix}d_state": state,
        f"{prefix}d_conv": fields.integer("ssm.conv_kernel"),
        f"{prefix}expand": inner // common["hidden_size"],
        f"{prefix}conv_bias": _some_layer_has(fields, "ssm_conv1d.bias"),
    }


def _some_layer_has(fields: Fields, name: str) -> bool:
    return any(each.endswith(f".{name}") for each in fields.file.tensors)


def mamba2_weights(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """Flatten Mamba2's parameters: a file has a row for each head, and for each group of a norm."""
    if leaf == "ssm_a":
        return Weight((tensor,), change=lambda numbers: log_of_minus(numbers).flatten())
    if leaf in ("ssm_d", "ssm_norm"):
        return Weight((tensor,), change=torch.Tensor.flatten)
    if leaf == "ssm_conv1d" and tensor.endswith(".weight"):
        return Weight((tensor,), change=in_the_middle)
    return None
