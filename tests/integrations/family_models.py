"""Settings of a tiny model of each family beyond the common sizes of `models.build`, and its variants."""

from __future__ import annotations

from typing import Any

from tests.models import OMIT

_MOE = {"num_local_experts": 4, "num_experts_per_tok": 2}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
_ROUTED = {
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "n_group": 1,
    "topk_group": 1,
    "n_shared_experts": 1,
    "first_k_dense_replace": 1,
}
_MLA = {
    **_ROUTED,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 12,
    "head_dim": 8,
    "num_key_value_heads": 4,
}
# Few tokens are chosen; of many heads some product of a token is above 0: equal scores would have another order.
_DSA = {**_MLA, "index_n_heads": 32, "index_head_dim": 16, "index_topk": 6}
# Windows where there are any, since that is what can go wrong; each kind of layer twice.
_WINDOW = {"sliding_window": 7}
_MIXED = {**_WINDOW, "layer_types": ["sliding_attention", "full_attention"] * 2}
# Four chunks in the longest text, and a temperature that rises within the shortest.
_CHUNK = {"attention_chunk_size": 8, "floor_scale": 3, "attn_scale": 0.5, "intermediate_size_mlp": 96, **_MOE}
# Where eager attention in float32 would itself be further from float64 than the tests allow.
_CALM = {"initializer_range": 0.15}
_LONGROPE = {
    "rope_type": "longrope",
    "rope_theta": 10000.0,
    "short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7],
    "long_factor": [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0],
    "original_max_position_embeddings": 24,
}
# Recurrent layers: more value heads than key heads, groups of B and C, and no size that is another's. Their results are
# normalised head by head, which makes much of the rounding of small ones: weights must be smaller.
_RECURRENT = {"layer_types": ["linear_attention", "full_attention"] * 2, **_CALM}
_DELTA = {
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 12,
    **_RECURRENT,
    "initializer_range": 0.08,
}
_MAMBA2 = {
    "mamba_n_heads": 8,
    "mamba_d_head": 16,
    "mamba_n_groups": 2,
    "mamba_d_state": 12,
    "mamba_chunk_size": 16,
    **_CALM,
}
_KDA = {**_MLA, "num_local_experts": 4, "linear_head_dim": 16, "linear_num_heads": 4, "head_dim": OMIT, **_RECURRENT}
LONGROPE: dict[str, dict[str, Any]] = {
    "phi3": {"original_max_position_embeddings": 24, "rope_parameters": _LONGROPE},
    "phimoe": {
        **_MOE,
        "sliding_window": None,
        "rope_parameters": {**_LONGROPE, "short_mscale": 1.1, "long_mscale": 1.3},
    },
    "llama": {"initializer_range": 0.15, "rope_parameters": {**_LONGROPE, "factor": 8.0}},
}
_FALCON = {"head_dim": OMIT}

SPECIAL: dict[str, dict[str, Any]] = {
    "afmoe": {**_MIXED, **_EXPERTS, "num_dense_layers": 1},
    "aria_text": {"moe_num_experts": 4, "moe_topk": 2},
    "axk1": _MLA,
    "axk2": _DSA,
    "bailing_hybrid": _KDA,
    "bamba": {**_MAMBA2, "attn_layer_indices": [1, 3]},
    "beam": {**_MIXED, **_EXPERTS, **_ROUTED},
    "codegen": {"rotary_dim": 8},
    "cohere2": _WINDOW,
    "cohere2_moe": {**_MIXED, **_EXPERTS, "logit_scale": 2.0},
    "cwm": {**_MIXED, "bos_token_id": 1, "eos_token_id": 2},
    "deepseek_v2": _MLA,
    "deepseek_v3": _MLA,
    "deepseek_v32": _DSA,
    "dots1": _ROUTED,
    "dots3_note_text": {
        **_DSA,
        **_WINDOW,
        "layer_types": ["sliding_attention", "indexed_attention"] * 2,
        **{f"swa_{name}": _MLA[name] for name in ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "v_head_dim")},
        "swa_num_attention_heads": 4,
        "swa_num_key_value_heads": 4,
        "swa_head_dim": 24,
    },
    "ernie4_5_moe": {"moe_num_experts": 4, "moe_k": 2, "moe_intermediate_size": 32},
    "exaone4": _WINDOW,
    "exaone_moe": {**_MIXED, **_EXPERTS, **_ROUTED},
    "falcon": {**_FALCON, "new_decoder_architecture": True, "num_kv_heads": 2},
    "falcon_h1": {**_MAMBA2, "mamba_d_ssm": 128},
    "falcon_mamba": {"state_size": 8, **_CALM},
    "flint": {**_MIXED, **_EXPERTS, "shared_expert_intermediate_size": 32},
    "gemma2": _WINDOW,
    "gemma3_text": {**_WINDOW, "sliding_window_pattern": 3},
    "gemma3n_text": {
        **_MIXED,
        "num_kv_shared_layers": 2,
        "vocab_size_per_layer_input": 128,
        "hidden_size_per_layer_input": 8,
        "laurel_rank": 8,
    },
    "gemma4_text": {
        **_MIXED,
        "num_kv_shared_layers": 2,
        "vocab_size_per_layer_input": 128,
        "hidden_size_per_layer_input": 8,
        "global_head_dim": 16,
    },
    "gemma4_unified_text": {**_MIXED, **_CALM},
    "glm4_moe": _ROUTED,
    "glm4_moe_lite": _MLA,
    "glm_moe_dsa": {**_DSA, "indexer_types": ["full", "shared", "full", "shared"]},
    "gpt2": {"n_inner": 96},
    "gpt_neo": {"attention_types": [[["global", "local"], 2]], "window_size": 7, **_CALM},
    "gptj": {"rotary_dim": 8},
    "gpt_oss": {**_WINDOW, **_MOE},
    "granite_swa": {**_MIXED, **_CALM},
    "granite": _CALM,
    "granitemoe": {**_MOE, **_CALM},
    "granitemoehybrid": {**_MAMBA2, **_MOE, **_RECURRENT, "shared_intermediate_size": 48},
    "granitemoeshared": _CALM,
    "granitemoe_swa": {**_MIXED, **_MOE, **_CALM},
    "hunyuan_v1_moe": {"num_experts": 4, "moe_topk": 2},
    "hy_v4": {**_DSA, "indexer_types": ["full", "shared", "full", "shared"]},
    "hy_v3": {**_EXPERTS, "num_shared_experts": 1},
    "hyperclovax": _CALM,
    "jamba": {**_EXPERTS, "attn_layer_period": 2, "attn_layer_offset": 1, "mamba_d_state": 8, **_CALM},
    "jetmoe": {**_MOE, **_CALM},
    "kimi_linear": _KDA,
    "kolibri1": {**_MIXED, **_MOE, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 32},
    "laguna": {**_MIXED, **_EXPERTS, "shared_expert_intermediate_size": 32},
    "lfm2": {"layer_types": ["conv", "full_attention"] * 2},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 2, **_EXPERTS, "num_dense_layers": 1},
    "lfm3": {"layer_types": ["conv", "full_attention", "conv", "sliding_attention"], **_WINDOW},
    "llama4_text": _CHUNK,
    "longcat_flash": _MLA,
    "mamba": {"state_size": 8, **_CALM},
    "mamba2": {"num_heads": 8, "head_dim": 16, "n_groups": 2, "state_size": 12, "chunk_size": 16},
    "mellum": {**_MIXED, **_EXPERTS},
    "mimo_v2_flash": {**_WINDOW, **_ROUTED},
    "minicpm3": _MLA,
    "minimax": {**_MOE, "block_size": 16, "sliding_window": 7, **_CALM},
    "minimax_m2": _MOE,
    "minimax_m3_vl_text": {
        **_MOE,
        "dense_intermediate_size": 96,
        "shared_intermediate_size": 32,
        "layer_types": ["full_attention", *["minimax_m3_sparse"] * 3],
        "index_n_heads": 2,
        "index_head_dim": 16,
        "index_block_size": 3,
        "index_topk_blocks": 2,
        "index_local_blocks": 1,
        "rotary_dim": 16,
    },
    "ministral": _WINDOW,
    "ministral3": _WINDOW,
    "mistral": _WINDOW,
    "mixtral": {**_WINDOW, **_MOE},
    "modernbert-decoder": {
        "local_attention": 14,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "cls_token_id": 1,
        "sep_token_id": 2,
    },
    "nemotron_h": {
        **_ROUTED,
        "layers_block_type": ["linear_attention", "moe", "full_attention", "mlp", "linear_attention"],
        "num_hidden_layers": 5,
        "mamba_num_heads": 8,
        "mamba_head_dim": 16,
        "n_groups": 2,
        "ssm_state_size": 12,
        "chunk_size": 16,
        "moe_shared_expert_intermediate_size": 32,
    },
    "olmo3": _WINDOW,
    "olmo_hybrid": {**_DELTA, "linear_num_key_heads": 4},
    "olmoe": _EXPERTS,
    "opt": {"ffn_dim": 96, "word_embed_proj_dim": 64},
    "phi3": _WINDOW,
    "phimoe": {**_WINDOW, **_MOE},
    "qwen2": {**_WINDOW, "use_sliding_window": True, "max_window_layers": 2},
    "qwen2_moe": {**_EXPERTS, "shared_expert_intermediate_size": 32},
    "qwen3": {**_WINDOW, "use_sliding_window": True, "max_window_layers": 2},
    "qwen3_5_moe_text": {**_DELTA, **_EXPERTS, "shared_expert_intermediate_size": 32},
    "qwen3_5_text": _DELTA,
    "qwen3_moe": {**_EXPERTS},
    "qwen3_next": {**_DELTA, **_EXPERTS, "shared_expert_intermediate_size": 32},
    "smollm3": {**_WINDOW, "use_sliding_window": True},
    "solar_open": _ROUTED,
    "starcoder2": _WINDOW,
    "xglm": {"scale_embedding": False, "init_std": 0.3},
    "youtu": _MLA,
    "zamba2": {
        "num_hidden_layers": 6,
        "layers_block_type": ["linear_attention", "hybrid", "linear_attention", "hybrid", "hybrid", "linear_attention"],
        "n_mamba_heads": 8,
        "mamba_ngroups": 2,
        "mamba_d_state": 12,
        "chunk_size": 16,
        "num_mem_blocks": 2,
        "adapter_rank": 8,
        "use_mem_rope": True,
        "num_key_value_heads": 4,
        "head_dim": OMIT,
        **_CALM,
    },
}
# (name, family, settings): what one model of a family does not show.
VARIANTS: list[tuple[str, str, dict[str, Any]]] = [
    (
        "bloom-three-heads",
        "bloom",
        {**_CALM, "num_attention_heads": 3, "hidden_size": 48, "apply_residual_connection_post_layernorm": True},
    ),
    ("falcon-multi-query", "falcon", _FALCON),
    ("falcon-sequential", "falcon", {**_FALCON, "parallel_attn": False, "multi_query": False, "bias": True}),
    ("falcon-one-norm", "falcon", {**SPECIAL["falcon"], "num_ln_in_parallel_attn": 1}),
    ("falcon-alibi", "falcon", {**_FALCON, "alibi": True, "multi_query": False, "parallel_attn": False, "bias": True}),
    ("falcon-alibi-multi-query", "falcon", {**_FALCON, "alibi": True}),
    (
        "hunyuan-alpha",
        "hunyuan_v1_dense",
        {"rope_parameters": {"rope_type": "dynamic", "factor": 1.0, "alpha": 1000.0}},
    ),
    ("gptj-whole-head", "gptj", {"rotary_dim": 16}),
    (
        "lfm2-bias-and-few-tensors",
        "lfm2",
        {"layer_types": ["conv", "conv", "full_attention", "conv"], "conv_bias": True, "conv_L_cache": 5},
    ),
    (
        "lfm2-wide-rows",  # wider than the only layer's keys and values
        "lfm2",
        {"layer_types": ["conv", "full_attention", "conv", "conv"], "num_key_value_heads": 1, "conv_L_cache": 4},
    ),
    (
        "ministral3-scaled",
        "ministral3",
        {
            "rope_parameters": {
                "rope_type": "yarn",
                "rope_theta": 10000.0,
                "factor": 16.0,
                "original_max_position_embeddings": 16,
                "llama_4_scaling_beta": 0.5,
                "beta_fast": 32.0,
                "beta_slow": 1.0,
                "mscale": 1.0,
                "mscale_all_dim": 1.0,
            },
        },
    ),
    ("mpt-clipped", "mpt", {"attn_config": {"clip_qkv": 0.5, "softmax_scale": 0.2}, "n_heads": 3, "d_model": 48}),
    ("stablelm-parallel", "stablelm", {"use_parallel_residual": True, "qk_layernorm": True, "use_qkv_bias": True}),
]
