"""The table of supported GGUF architectures: transformers' model type, config values and tensor names of each.

The conventions are those of llama.cpp's converters; tests/integrations/test_gguf.py converts there and back.
"""

from __future__ import annotations

from typing import Any

from torchpaged.integrations.checkpoints.gguf import dense, layered, mixtures, recurrent
from torchpaged.integrations.checkpoints.gguf.tensor_names import Architecture

_NORMED_AFTER = {
    "post_attention_norm": "post_attention_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}


_GEMMA = {**_NORMED_AFTER, "ffn_norm": "pre_feedforward_layernorm"}


_LFM2 = {
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
}


_LFM2_OUTER = {"output_norm": "model.embedding_norm", "token_embd_norm": "model.embedding_norm"}


_SHARED_EXPERTS = {
    "ffn_gate_shexp": "mlp.shared_experts.gate_proj",
    "ffn_up_shexp": "mlp.shared_experts.up_proj",
    "ffn_down_shexp": "mlp.shared_experts.down_proj",
}


_PER_LAYER = {
    "inp_gate": "per_layer_input_gate",
    "proj": "per_layer_projection",
    "post_norm": "post_per_layer_input_norm",
}


_GEMMA3N = {
    **_GEMMA,
    **_PER_LAYER,
    "altup_correct_scale": "altup.correct_output_scale",
    "altup_correct_coef": "altup.correction_coefs",
    "altup_predict_coef": "altup.prediction_coefs",
    "altup_router": "altup.modality_router",
    "altup_router_norm": "altup.router_norm",
    "laurel_l": "laurel.linear_left",
    "laurel_r": "laurel.linear_right",
    "laurel_post_norm": "laurel.post_laurel_norm",
}


_GEMMA4 = {
    **_GEMMA,
    "layer_output_scale": "layer_scalar",
    **_PER_LAYER,
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


_GEMMA3N_OUTER: dict[str, str | tuple[str, ...]] = {
    **_GEMMA4_OUTER,
    "altup_proj": tuple(f"model.altup_projections.{number}" for number in range(3)),
    "altup_unembd_proj": tuple(f"model.altup_unembed_projections.{number}" for number in range(3)),
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


_QWEN3NEXT: dict[str, str | tuple[str, ...]] = {
    **_QWEN35,
    "ssm_ba": ("linear_attn.in_proj_b", "linear_attn.in_proj_a"),
    "ssm_in": ("linear_attn.in_proj_qkv", "linear_attn.in_proj_z"),
}


_HYBRID: dict[str, Any] = {"centred": True, "partial": True, "placed": recurrent.delta, "nextn": True}


_GRANITEMOE = {
    "ffn_gate_inp": "block_sparse_moe.router",
    "ffn_gate_exps": "block_sparse_moe.experts.gate_up_proj",
    "ffn_up_exps": "block_sparse_moe.experts.gate_up_proj",
    "ffn_down_exps": "block_sparse_moe.experts.down_proj",
    "ffn_gate_shexp": "shared_mlp.input_linear",
    "ffn_up_shexp": "shared_mlp.input_linear",
    "ffn_down_shexp": "shared_mlp.output_linear",
}


def _mamba2(mixer: str) -> dict[str, str]:
    """Map the tensors of a Mamba2 mixer to the modules of the given path."""
    return {
        "ssm_in": f"{mixer}.in_proj",
        "ssm_conv1d": f"{mixer}.conv1d",
        "ssm_dt": f"{mixer}.dt_bias",
        "ssm_a": f"{mixer}.A_log",
        "ssm_d": f"{mixer}.D",
        "ssm_norm": f"{mixer}.norm",
        "ssm_out": f"{mixer}.out_proj",
    }


_NEMOTRON_H = Architecture(
    "nemotron_h",
    recurrent.nemotron_h,
    {
        **_mamba2("mixer"),
        "attn_norm": "norm",
        "attn_q": "mixer.q_proj",
        "attn_k": "mixer.k_proj",
        "attn_v": "mixer.v_proj",
        "attn_output": "mixer.o_proj",
        "ffn_norm": "",
        "ffn_gate": "",
        "ffn_up": "mixer.up_proj",
        "ffn_down": "mixer.down_proj",
        "ffn_gate_inp": "mixer.gate",
        "exp_probs_b": "mixer.gate.e_score_correction_bias",
        "ffn_latent_down": "mixer.fc1_latent_proj",
        "ffn_latent_up": "mixer.fc2_latent_proj",
        "ffn_up_exps": "mixer.experts.up_proj",
        "ffn_down_exps": "mixer.experts.down_proj",
        "ffn_up_shexp": "mixer.shared_experts.up_proj",
        "ffn_down_shexp": "mixer.shared_experts.down_proj",
    },
    {"token_embd": "model.embeddings", "output_norm": "model.norm_f"},
    partial=True,
    placed=recurrent.mamba2_weights,
    nextn=True,
)


ARCHITECTURES: dict[str, Architecture] = {
    "llama": Architecture("llama", mixtures.llama, permuted=True),
    "qwen2": Architecture("qwen2", dense.qwen2),
    "qwen2moe": Architecture("qwen2_moe", mixtures.moe),
    "qwen3": Architecture("qwen3", dense.qwen3),
    "qwen3moe": Architecture("qwen3_moe", mixtures.moe),
    "qwen2vl": Architecture("qwen2", dense.without_pictures(dense.qwen2)),
    "qwen3vl": Architecture("qwen3", dense.without_pictures(dense.qwen3)),
    "qwen3vlmoe": Architecture("qwen3_moe", dense.without_pictures(mixtures.moe)),
    "qwen35": Architecture("qwen3_5_text", recurrent.qwen35, _QWEN35, **_HYBRID),
    "qwen35moe": Architecture("qwen3_5_moe_text", mixtures.qwen35moe, _QWEN35, **_HYBRID),
    # Computes the same as Qwen3.5, which keeps linear layers apart as a file does.
    "qwen3next": Architecture(
        "qwen3_5_moe_text", mixtures.qwen35moe, _QWEN3NEXT, **{**_HYBRID, "placed": recurrent.delta_by_key}
    ),
    "gemma": Architecture("gemma", centred=True),
    "gemma2": Architecture("gemma2", layered.gemma2, _GEMMA, centred=True),
    "gemma3": Architecture("gemma3_text", layered.gemma3, _GEMMA, centred=True),
    "gemma3n": Architecture("gemma3n_text", layered.gemma3n, _GEMMA3N, _GEMMA3N_OUTER),
    "gemma4": Architecture("gemma4_text", layered.gemma4, _GEMMA4, _GEMMA4_OUTER),
    "phi3": Architecture(
        "phi3",
        dense.phi3,
        {"attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj", "ffn_gate": ""},
        partial=True,
    ),
    "granite": Architecture("granite", dense.granite, permuted=True),
    "lfm2": Architecture("lfm2", layered.lfm2, _LFM2, _LFM2_OUTER),
    "lfm2moe": Architecture(
        "lfm2_moe",
        mixtures.lfm2moe,
        {
            **_LFM2,
            "ffn_gate_inp": "feed_forward.gate",
            "exp_probs_b": "feed_forward.expert_bias",
            "ffn_gate_exps": "feed_forward.experts.gate_up_proj",
            "ffn_up_exps": "feed_forward.experts.gate_up_proj",
            "ffn_down_exps": "feed_forward.experts.down_proj",
        },
        _LFM2_OUTER,
    ),
    "mistral3": Architecture("ministral3", dense.mistral3, permuted=True),
    "gpt2": Architecture(
        "gpt2",
        dense.gpt2,
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
        mixtures.gpt_oss,
        {
            "post_attention_norm": "post_attention_layernorm",
            "attn_sinks": "self_attn.sinks",
            "ffn_gate_inp": "mlp.router",
        },
        placed=mixtures.gpt_oss_experts,
    ),
    "smollm3": Architecture("smollm3", dense.smollm3, permuted=True),
    "arcee": Architecture("arcee", dense.biases, permuted=True),
    "starcoder2": Architecture("starcoder2", dense.starcoder2, {"ffn_up": "mlp.c_fc", "ffn_down": "mlp.c_proj"}),
    "stablelm": Architecture("stablelm", dense.stablelm, partial=True),
    "olmo2": Architecture("olmo2", layered.olmo2, _NORMED_AFTER),
    "olmoe": Architecture("olmoe", mixtures.olmoe),
    "glm4": Architecture(
        "glm4",
        dense.glm4,
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
        mixtures.glm4moe,
        {
            "post_attention_norm": "post_attention_layernorm",
            "exp_probs_b": "mlp.gate.e_score_correction_bias",
            **_SHARED_EXPERTS,
            "ffn_norm": "",
        },
        partial=True,
        nextn=True,
    ),
    "deepseek2": Architecture(
        "deepseek_v3",
        mixtures.deepseek2,
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
        placed=mixtures.latents,
    ),
    "granitemoe": Architecture("granitemoe", mixtures.granitemoe, _GRANITEMOE, permuted=True),
    "granitehybrid": Architecture(
        "granitemoehybrid",
        recurrent.granitehybrid,
        {
            **_GRANITEMOE,
            **_mamba2("mamba"),
            "ffn_gate": "shared_mlp.input_linear",
            "ffn_up": "shared_mlp.input_linear",
            "ffn_down": "shared_mlp.output_linear",
        },
        permuted=True,
        placed=recurrent.mamba2_weights,
    ),
    "falcon-h1": Architecture(
        "falcon_h1",
        recurrent.falcon_h1,
        {
            **_mamba2("mamba"),
            "ffn_norm": "pre_ff_layernorm.weight",  # its name in a file ends without .weight
            "ffn_gate": "feed_forward.gate_proj",
            "ffn_up": "feed_forward.up_proj",
            "ffn_down": "feed_forward.down_proj",
        },
        {"output_norm": "model.final_layernorm"},
        placed=recurrent.mamba2_weights,
    ),
    "nemotron_h": _NEMOTRON_H,
    "nemotron_h_moe": _NEMOTRON_H,
    "exaone4": Architecture("exaone4", layered.exaone4, _NORMED_AFTER),
    "command-r": Architecture("cohere", layered.cohere),
    "cohere2": Architecture("cohere2", layered.cohere),
    "nemotron": Architecture("nemotron", dense.nemotron, centred=True, partial=True),
    "seed_oss": Architecture("seed_oss", dense.seed_oss, {"post_attention_norm": "post_attention_layernorm"}),
    "ernie4_5": Architecture("ernie4_5", dense.ernie),
    "ernie4_5-moe": Architecture(
        "ernie4_5_moe",
        mixtures.ernie_moe,
        {**_SHARED_EXPERTS, "exp_probs_b": "mlp.gate.moe_statics.e_score_correction_bias"},
        placed=mixtures.ernie_moe_bias,
    ),
    "minimax-m2": Architecture(
        "minimax_m2", mixtures.minimax_m2, {"exp_probs_b": "mlp.e_score_correction_bias"}, partial=True
    ),
    "apertus": Architecture(
        "apertus",
        dense.biases,
        {"attn_norm": "attention_layernorm", "ffn_norm": "feedforward_layernorm"},
        keyed=dense.xielu,
    ),
    "phi2": Architecture(
        "phi",
        dense.phi2,
        {
            "attn_output": "self_attn.dense",
            "attn_qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
            "ffn_up": "mlp.fc1",
            "ffn_down": "mlp.fc2",
        },
        {"output_norm": "model.final_layernorm"},
        partial=True,
        placed=dense.phi2_products,
    ),
    "gptneox": Architecture(
        "gpt_neox",
        dense.gptneox,
        {
            "attn_qkv": "attention.query_key_value",
            "attn_output": "attention.dense",
            "ffn_up": "mlp.dense_h_to_4h",
            "ffn_down": "mlp.dense_4h_to_h",
        },
        {"token_embd": "gpt_neox.embed_in", "output_norm": "gpt_neox.final_layer_norm"},
        layers="gpt_neox.layers",
        partial=True,
        placed=dense.gptneox_products,
    ),
    "hunyuan-dense": Architecture(
        "hunyuan_v1_dense",
        dense.biases,
        {"attn_q_norm": "self_attn.query_layernorm", "attn_k_norm": "self_attn.key_layernorm"},
    ),
}
