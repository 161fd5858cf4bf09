"""Shapes of published models, for random weights: arguments of `AutoConfig.for_model`."""

from __future__ import annotations

from typing import Any

# https://huggingface.co/Qwen/Qwen3-0.6B/blob/main/config.json
QWEN3_06B: dict[str, Any] = {
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
}

# https://huggingface.co/Qwen/Qwen3-1.7B/blob/main/config.json at two sevenths: of its 28 layers and of its vocabulary
QWEN3_17B_PART: dict[str, Any] = {
    "hidden_size": 2048,
    "intermediate_size": 6144,
    "num_hidden_layers": 8,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 43408,
    "tie_word_embeddings": True,
}

# https://huggingface.co/HuggingFaceTB/SmolLM2-135M/blob/main/config.json
SMOLLM2_135M: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "head_dim": 64,
    "max_position_embeddings": 8192,
    "rope_theta": 100000.0,
    "vocab_size": 49152,
    "tie_word_embeddings": True,
}
# https://huggingface.co/LiquidAI/LFM2-350M/blob/main/config.json
LFM2_350M: dict[str, Any] = {
    "model_type": "lfm2",
    "hidden_size": 1024,
    "intermediate_size": 6656,  # cut to 4608 by its rule
    "num_hidden_layers": 16,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "conv_L_cache": 3,
    "full_attn_idxs": [2, 5, 8, 10, 12, 14],
    "vocab_size": 65536,
    "tie_word_embeddings": True,
}
# https://huggingface.co/Qwen/Qwen3.5-0.8B/blob/main/config.json
QWEN3_5_08B: dict[str, Any] = {
    "model_type": "qwen3_5_text",
    "hidden_size": 1024,
    "intermediate_size": 3584,
    "num_hidden_layers": 24,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 16,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
    "vocab_size": 248320,
    "tie_word_embeddings": True,
}
# https://huggingface.co/ibm-granite/granite-4.0-h-350m/blob/main/config.json
GRANITE4_H_350M: dict[str, Any] = {
    "model_type": "granitemoehybrid",
    "hidden_size": 768,
    "intermediate_size": 2048,
    "shared_intermediate_size": 2048,
    "num_hidden_layers": 32,
    "layer_types": ["attention" if i in (10, 13, 17, 27) else "mamba" for i in range(32)],
    "num_attention_heads": 12,
    "num_key_value_heads": 4,
    "max_position_embeddings": 32768,
    "num_local_experts": 0,
    "num_experts_per_tok": 0,
    "mamba_n_heads": 48,
    "mamba_d_head": 32,
    "mamba_d_state": 128,
    "mamba_n_groups": 1,
    "mamba_d_conv": 4,
    "mamba_expand": 2,
    "position_embedding_type": "nope",
    "vocab_size": 100352,
    "tie_word_embeddings": True,
}
# https://huggingface.co/Qwen/Qwen3-30B-A3B/blob/main/config.json at an eighth: of its 48 layers and of its vocabulary
QWEN3_30B_A3B_EIGHTH: dict[str, Any] = {
    "model_type": "qwen3_moe",
    "hidden_size": 2048,
    "intermediate_size": 6144,
    "moe_intermediate_size": 768,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "num_hidden_layers": 6,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "vocab_size": 18992,
    "norm_topk_prob": True,
    "tie_word_embeddings": False,
}
