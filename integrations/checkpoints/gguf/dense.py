"""Config values of architectures whose layers are all alike, from the keys of a GGUF file.

There is a function for each architecture. It takes the keys and the common config values, and returns the values that
its config has besides.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from torchpaged.integrations.checkpoints.gguf.metadata import Config, Fields, floats
from torchpaged.integrations.checkpoints.gguf.tensor_names import Weight
from torchpaged.weights.gguf_file import Gguf


def biases(fields: Fields, common: Config) -> Config:
    return {
        "attention_bias": fields.there("blk.0.attn_q.bias"),
        "mlp_bias": fields.there("blk.0.ffn_up.bias"),
    }


def qwen2(fields: Fields, common: Config) -> Config:
    return {"use_sliding_window": False}


def qwen3(fields: Fields, common: Config) -> Config:
    return {"use_sliding_window": False, **biases(fields, common)}


def without_pictures(config: Callable[[Fields, Config], Config]) -> Callable[[Fields, Config], Config]:
    """Wrap a vision model's function: keys about images have no effect on texts, whose positions are single numbers."""

    def text_config(fields: Fields, common: Config) -> Config:
        for name in ("rope.dimension_sections", "n_deepstack_layers"):
            fields.value(name)
        return config(fields, common)

    return text_config


def phi3(fields: Fields, common: Config) -> Config:
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


def glm4(fields: Fields, common: Config) -> Config:
    return {"attention_bias": fields.there("blk.0.attn_q.bias"), **rotated_part(common)}


def rotated_part(common: Config) -> Config:
    """Set the rotated part of a head explicitly, for model types with a default of their own."""
    return {"rope_parameters": {"partial_rotary_factor": 1.0, **common["rope_parameters"]}}


def granite(fields: Fields, common: Config) -> Config:
    """Granite 3, and Granite 4 without recurrent layers, whose files have sizes of states that do not exist."""
    fields.expect("rope.scaling.finetuned", fields.boolean("rope.scaling.finetuned", True), True)
    for name in ("conv_kernel", "state_size", "group_count", "inner_size", "time_step_rank"):
        fields.value(f"ssm.{name}")
    return {**biases(fields, common), **granite_scales(fields, common)}


def granite_scales(fields: Fields, common: Config) -> Config:
    return {
        "attention_multiplier": fields.number("attention.scale", common["head_dim"] ** -0.5),
        "embedding_multiplier": fields.number("embedding_scale", 1.0),
        "residual_multiplier": fields.number("residual_scale", 1.0),
        "logits_scaling": fields.number("logit_scale", 1.0, above=0),
    }


def mistral3(fields: Fields, common: Config) -> Config:
    """Mistral Small 3, and Ministral 3, whose queries are scaled by their position."""
    if not fields.has("attention.temperature_scale"):
        return {"model_type": "mistral", "sliding_window": None}
    rope = common["rope_parameters"]
    fields.expect("rope.scaling.type", rope["rope_type"], "yarn")
    scale = fields.number("rope.scaling.yarn_log_multiplier", 0.0)
    grows = {"llama_4_scaling_beta": fields.number("attention.temperature_scale")}
    scales = {"mscale": scale, "mscale_all_dim": scale} if scale else {}
    return {"sliding_window": None, "rope_parameters": {**rope, **grows, **scales}}


def gpt2(fields: Fields, common: Config) -> Config:
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


def smollm3(fields: Fields, common: Config) -> Config:
    return {"use_sliding_window": False, "no_rope_layer_interval": 4, **biases(fields, common)}


def starcoder2(fields: Fields, common: Config) -> Config:
    return {
        "norm_epsilon": fields.number("attention.layer_norm_epsilon", above=0),
        "use_bias": fields.there("blk.0.attn_q.bias"),
        "sliding_window": None,
    }


def stablelm(fields: Fields, common: Config) -> Config:
    return {
        "layer_norm_eps": fields.number("attention.layer_norm_epsilon", above=0),
        "use_qkv_bias": fields.there("blk.0.attn_q.bias"),
        "use_parallel_residual": fields.boolean("use_parallel_residual", False),
    }


def nemotron(fields: Fields, common: Config) -> Config:
    return {**biases(fields, common), "norm_eps": fields.number("attention.layer_norm_epsilon", above=0)}


def seed_oss(fields: Fields, common: Config) -> Config:
    return {**biases(fields, common), "attention_out_bias": fields.there("blk.0.attn_output.bias")}


def ernie(fields: Fields, common: Config) -> Config:
    return {"use_bias": fields.there("blk.0.attn_q.bias")}


def phi2(fields: Fields, common: Config) -> Config:
    return {
        "layer_norm_eps": fields.number("attention.layer_norm_epsilon", above=0),
        "intermediate_size": fields.tensor("blk.0.ffn_up.weight", 2)[0],
        **rotated_part(common),
    }


def phi2_products(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """Split the joint tensor of queries, keys and values that older files have."""
    if not leaf.startswith("attn_qkv."):
        return None
    queries, keys = (config["head_dim"] * config[f"num_{name}_heads"] for name in ("attention", "key_value"))
    parts = torch.arange(queries + 2 * keys).split((queries, keys, keys))
    return Weight((tensor,), parts[int(leaf[-1])], rows_of=queries + 2 * keys)


def gptneox(fields: Fields, common: Config) -> Config:
    return {
        "layer_norm_eps": fields.number("attention.layer_norm_epsilon", above=0),
        "use_parallel_residual": fields.boolean("use_parallel_residual", True),
        "attention_bias": fields.there("blk.0.attn_qkv.bias"),
        **rotated_part(common),
    }


def gptneox_products(leaf: str, tensor: str, shape: tuple[int, ...], config: Config) -> Weight | None:
    """Interleave queries, keys and values by head; in a file those of all heads follow each other."""
    if leaf != "attn_qkv":
        return None
    heads, size = config["num_attention_heads"], config["head_dim"]
    return Weight((tensor,), torch.arange(3 * heads * size).view(3, heads, size).transpose(0, 1).flatten())


_XIELU = ("alpha_p", "alpha_n", "beta", "eps")


def xielu(file: Gguf, config: Config) -> dict[str, Weight]:
    """Read the parameters of Apertus' activation: a number for each layer, in keys without the architecture's name."""
    found: dict[str, Weight] = {}
    for name in _XIELU:
        numbers = file.numbers(f"xielu.{name}", config["num_hidden_layers"])
        if not all(type(each) in (int, float) and math.isfinite(each) for each in numbers):
            raise file.fault(f"xielu.{name}", numbers, "finite numbers")
        for layer, number in enumerate(numbers):
            value = torch.tensor(float(number))
            path = f"model.layers.{layer}.mlp.act_fn.{name}"
            found[path] = Weight((), value=value[None] if name.startswith("alpha") else value)
    return found
