"""A tiny model of each family of GGUF files, and variants that cover what one model of a family does not."""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel

from tests.integrations.family_models import SPECIAL
from tests.models import OMIT, build

_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
_LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
_LONG = {
    "rope_type": "longrope",
    "rope_theta": 10000.0,
    "short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7],
    "long_factor": [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0],
    "original_max_position_embeddings": 24,
    "factor": 512 / 24,
}
_TIED = {"tie_word_embeddings": True}
_GRANITE = {
    "embedding_multiplier": 3.0,
    "residual_multiplier": 0.5,
    "logits_scaling": 2.0,
    "attention_multiplier": 0.2,
}
_GEMMA4 = {
    **_TIED,
    "sliding_window": 7,
    "layer_types": ["sliding_attention", "full_attention"] * 2,
    "global_head_dim": 32,
}
# Sizes that formats of few bits divide, too.
_LATENTS = {**SPECIAL["deepseek_v3"], "kv_lora_rank": 32, "qk_nope_head_dim": 32}
_YARN = {
    "rope_type": "yarn",
    "rope_theta": 10000.0,
    "factor": 4.0,
    "original_max_position_embeddings": 128,
    "mscale": 0.8,
    "mscale_all_dim": 0.8,
}
# Value heads that share a key head, and no size that is another's.
_DELTA = {
    "layer_types": ["linear_attention", "full_attention"] * 2,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 6,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 32,
    "initializer_range": 0.05,
}
_ERNIE = {"moe_num_experts": 4, "moe_k": 2, "moe_intermediate_size": 32}
_HALF = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}
_MULTIPLIED = {
    "embedding_multiplier": 2.5,
    "lm_head_multiplier": 0.5,
    "attention_in_multiplier": 0.8,
    "attention_out_multiplier": 1.3,
    "key_multiplier": 0.7,
    "ssm_in_multiplier": 1.3,
    "ssm_out_multiplier": 0.6,
    "ssm_multipliers": [0.9, 1.1, 1.2, 0.7, 1.4],
    "mlp_multipliers": [1.2, 0.7],
}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", {}),
    "llama tied": ("llama", _TIED),
    "llama biases": ("llama", {"attention_bias": True, "mlp_bias": True}),
    "llama factors": ("llama", {"rope_parameters": _LLAMA3}),
    "llama linear": ("llama", {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 10000.0}}),
    "llama yarn": (
        "llama",
        {
            "rope_parameters": {
                "rope_type": "yarn",
                "factor": 4.0,
                "rope_theta": 10000.0,
                "original_max_position_embeddings": 128,
            }
        },
    ),
    "llama heads": ("llama", {"head_dim": 32}),
    "mixtral": ("mixtral", {"num_local_experts": 4}),
    "qwen2": ("qwen2", {}),
    "qwen2moe": ("qwen2_moe", {**_EXPERTS, "shared_expert_intermediate_size": 48}),
    "qwen3": ("qwen3", {"head_dim": 32}),
    "qwen3moe": ("qwen3_moe", {**_EXPERTS, "norm_topk_prob": True}),
    "gpt-oss": ("gpt_oss", {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 7}),
    "qwen35": ("qwen3_5_text", _DELTA),
    "qwen35 as many": ("qwen3_5_text", {**_DELTA, "linear_num_value_heads": 2}),
    "qwen35moe": ("qwen3_5_moe_text", {**_DELTA, **_EXPERTS, "shared_expert_intermediate_size": 48}),
    "qwen3next": ("qwen3_next", {**_DELTA, **_EXPERTS, "shared_expert_intermediate_size": 48}),
    "granitehybrid": ("granitemoehybrid", {**SPECIAL["granitemoehybrid"], **_GRANITE, "attention_bias": True}),
    "granitehybrid without experts": (
        "granitemoehybrid",
        {
            **SPECIAL["granitemoehybrid"],
            **_TIED,
            "num_local_experts": 0,
            "num_experts_per_tok": 0,
            "mamba_conv_bias": False,
            "position_embedding_type": "rope",
        },
    ),
    "falcon-h1": ("falcon_h1", {**SPECIAL["falcon_h1"], **_MULTIPLIED, "mamba_d_ssm": 64, "mamba_d_head": 8}),
    "falcon-h1 normed": (
        "falcon_h1",
        {**SPECIAL["falcon_h1"], "mamba_rms_norm": True, "mamba_norm_before_gate": False, "head_dim": 32},
    ),
    "nemotron_h": (
        "nemotron_h",
        {
            **SPECIAL["nemotron_h"],
            "layers_block_type": ["linear_attention", "mlp", "full_attention", "mlp"],
            "head_dim": 32,
            "use_conv_bias": False,
        },
    ),
    "nemotron_h_moe": (
        "nemotron_h",
        {
            **SPECIAL["nemotron_h"],
            "layers_block_type": ["full_attention", "moe", "linear_attention", "moe"],
            "n_routed_experts": 8,
            "n_group": 2,
            "moe_latent_size": 32,
            "routed_scaling_factor": 1.5,
        },
    ),
    "gemma": ("gemma", _TIED),
    "gemma2": ("gemma2", {**_TIED, "sliding_window": 7, "query_pre_attn_scalar": 16}),
    "gemma3": ("gemma3_text", {**_TIED, "sliding_window": 7, "query_pre_attn_scalar": 16, "num_hidden_layers": 7}),
    "gemma3n": (
        "gemma3n_text",
        {
            **SPECIAL["gemma3n_text"],
            **_TIED,
            "activation_sparsity_pattern": [0.95, 0.5, 0.0, 0.0],
            "intermediate_size": [96, 96, 64, 64],
            "altup_active_idx": 1,
        },
    ),
    "gemma4": (
        "gemma4_text",
        {
            **_GEMMA4,
            "num_kv_shared_layers": 2,
            "hidden_size_per_layer_input": 8,
            "vocab_size_per_layer_input": 128,
            "use_double_wide_mlp": True,
        },
    ),
    "gemma4 experts": (
        "gemma4_text",
        {
            **_GEMMA4,
            "num_kv_shared_layers": 0,
            "hidden_size_per_layer_input": 0,
            "enable_moe_block": True,
            "num_experts": 4,
            "top_k_experts": 2,
            "moe_intermediate_size": 32,
            "attention_k_eq_v": True,
            "num_global_key_value_heads": 1,
            "final_logit_softcapping": 30.0,
        },
    ),
    "phi3": ("phi3", {}),
    "phi3 long": ("phi3", {"rope_parameters": _LONG, "original_max_position_embeddings": 24}),
    "granite": ("granite", _GRANITE),
    "lfm2": ("lfm2", {**_TIED, "layer_types": ["conv", "full_attention"] * 2, "block_auto_adjust_ff_dim": False}),
    "lfm2moe": (
        "lfm2_moe",
        {**_TIED, **_EXPERTS, "layer_types": ["conv", "full_attention"] * 2, "num_dense_layers": 1},
    ),
    "mistral3": ("mistral", {**_TIED, "sliding_window": None}),
    "mistral3 that grows": (
        "ministral3",
        {
            "sliding_window": None,
            "rope_parameters": {**_YARN, "original_max_position_embeddings": 16, "llama_4_scaling_beta": 0.1},
        },
    ),
    "gpt2": ("gpt2", {**_TIED, "head_dim": OMIT, "num_key_value_heads": OMIT, "intermediate_size": OMIT}),
    "smollm3": ("smollm3", {}),
    "arcee": ("arcee", {}),
    "starcoder2": ("starcoder2", {}),
    "stablelm": ("stablelm", {}),
    "olmo2": ("olmo2", {}),
    "olmo2 windows": (
        "olmo3",
        {
            "sliding_window": 7,
            "rope_parameters": {
                "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
                "full_attention": {
                    "rope_type": "yarn",
                    "rope_theta": 10000.0,
                    "factor": 4.0,
                    "original_max_position_embeddings": 128,
                },
            },
        },
    ),
    "olmoe": ("olmoe", {"num_experts": 4, "num_experts_per_tok": 2}),
    "glm4": ("glm4", {}),
    "glm4moe": (
        "glm4_moe",
        {
            "n_routed_experts": 8,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
            "use_qk_norm": True,
            "attention_bias": True,
            "routed_scaling_factor": 1.5,
        },
    ),
    "deepseek2": ("deepseek_v2", {**_LATENTS, "q_lora_rank": None}),
    "deepseek2 groups": (
        "deepseek_v2",
        {**_LATENTS, "n_routed_experts": 8, "n_group": 4, "topk_group": 1, "topk_method": "group_limited_greedy"},
    ),
    "deepseek2 by sigmoid": ("deepseek_v3", {**_LATENTS, "rope_parameters": _YARN, "routed_scaling_factor": 1.5}),
    "granitemoe": ("granitemoe", {**_GRANITE, "num_local_experts": 4, "num_experts_per_tok": 2}),
    "granitemoe shared": (
        "granitemoeshared",
        {**_GRANITE, "num_local_experts": 4, "num_experts_per_tok": 2, "shared_intermediate_size": 48},
    ),
    "exaone4": ("exaone4", {"sliding_window": None, "layer_types": ["full_attention"] * 4}),
    "command-r": ("cohere", {**_TIED, "logit_scale": 0.5}),
    "cohere2": ("cohere2", {**_TIED, "logit_scale": 0.5, "sliding_window": 7}),
    "nemotron": ("nemotron", {}),
    "seed_oss": ("seed_oss", {}),
    "ernie4_5": ("ernie4_5", {}),
    "ernie4_5-moe": ("ernie4_5_moe", _ERNIE),
    "ernie4_5-moe in turn": (
        "ernie4_5_moe",
        {**_ERNIE, "moe_layer_start_index": 0, "moe_layer_interval": 2, "moe_num_shared_experts": 0, "use_bias": True},
    ),
    "minimax-m2": (
        "minimax_m2",
        {"num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 32, "rope_parameters": _HALF},
    ),
    "apertus": ("apertus", {"attention_bias": True}),
    "phi2": ("phi", {"num_key_value_heads": 4}),
    "gptneox": ("gpt_neox", {"rope_parameters": _HALF}),
    "gptneox one after another": ("gpt_neox", {**_TIED, "use_parallel_residual": False, "attention_bias": False}),
    "hunyuan-dense": ("hunyuan_v1_dense", {}),
}


def made(case: str) -> PreTrainedModel:
    """Return a model whose norms and biases are not ones and zeros."""
    kind, settings = CASES[case]
    model = build(kind, **{"initializer_range": 0.1, **settings})
    generator = torch.Generator().manual_seed(5)
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1 or name.endswith("_bias"):
            parameter.data.add_(torch.randn(parameter.shape, generator=generator) * 0.2)
    return model
