"""The CUDA backend: operators as Triton kernels, one file for each, for sm_80 and later.

`LAUNCHERS` maps an operator's name to its function, in destination-passing style and with the signature that
`torchpaged.ops.reference` shows. The kernels support all arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from torchpaged.ops.triton import (
    causal_conv1d,
    chunked_conv1d,
    copy_blocks,
    gather_kv_cache,
    lora_linear_add,
    merge_attention_states,
    paged_attention,
    paged_topk,
    pointwise,
    recurrence,
    sample_tokens,
    selective_scan,
    varlen_attention,
    write_kv_cache,
)

LAUNCHERS: Mapping[str, Callable[..., None]] = {
    "paged_attention": paged_attention.paged_attention,
    "paged_sparse_attention": paged_attention.paged_sparse_attention,
    "paged_topk": paged_topk.paged_topk,
    "merge_attention_states": merge_attention_states.merge_attention_states,
    "write_kv_cache": write_kv_cache.write_kv_cache,
    "causal_conv1d": causal_conv1d.causal_conv1d,
    "gather_kv_cache": gather_kv_cache.gather_kv_cache,
    "lora_linear_add": lora_linear_add.lora_linear_add,
    "copy_blocks": copy_blocks.copy_blocks,
    "swap_blocks": copy_blocks.swap_blocks,
    "sample_tokens": sample_tokens.sample_tokens,
    "chunked_conv1d": chunked_conv1d.chunked_conv1d,
    "gated_delta_rule": recurrence.gated_delta_rule,
    "mamba2_scan": recurrence.mamba2_scan,
    "linear_attention": recurrence.linear_attention,
    "selective_scan": selective_scan.selective_scan,
    "varlen_attention": varlen_attention.varlen_attention,
    "varlen_attention_backward": varlen_attention.varlen_attention_backward,
    "rms_norm": pointwise.rms_norm,
    "add_rms_norm": pointwise.add_rms_norm,
    "silu_and_mul": pointwise.silu_and_mul,
    "gelu_tanh_and_mul": pointwise.gelu_tanh_and_mul,
}
