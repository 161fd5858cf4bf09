"""Multi-head latent attention (DeepSeek-V2 and others) that caches latents instead of keys and values.

transformers expands each token's latent into keys and values of all heads. Here the latent and the rotated part, which
all heads share, are the token's only key, and the latent alone is its value. The key half of `kv_b_proj` is multiplied
into the queries and its value half into the outputs: the same product in another order (DeepSeek-V2, arXiv:2405.04434,
section 2.1.2).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn


def cache_latents(model: nn.Module) -> None:
    """Make layers of latent attention pass their latents to the attention function while a step runs.

    The function then sees one KV head, keys of `kv_lora_rank + qk_rope_head_dim` and values of width 0. Other layers do
    not change.
    """
    for module in model.modules():
        if hasattr(module, "expand_kv") and isinstance(getattr(module, "kv_b_proj", None), nn.Linear):
            module.expand_kv = partial(_latents, module)  # type: ignore[assignment]  # hides the class's method


def _latents(module: Any, latent: Tensor, rotated: Tensor) -> tuple[Tensor, Tensor]:
    """Return latents in place of keys, [1, 1, num_tokens, kv_lora_rank + qk_rope_head_dim], and values of width 0."""
    if not module.paged_step.runs:
        expanded: tuple[Tensor, Tensor] = type(module).expand_kv(module, latent, rotated)
        return expanded
    return torch.cat((latent, rotated), dim=-1), latent[..., :0]


def absorb(module: Any, query: Tensor) -> Tensor:
    """Project queries [num_tokens, num_heads, qk_head_dim] to the latents' space [..., kv_lora_rank + rope dim]."""
    plain, rotated = query.split([module.qk_nope_head_dim, module.qk_rope_head_dim], dim=-1)
    key_half = _by_head(module)[:, : module.qk_nope_head_dim]
    return torch.cat((torch.bmm(plain.transpose(0, 1), key_half).transpose(0, 1), rotated), dim=-1)


def expand(module: Any, out: Tensor) -> Tensor:
    """Project attention outputs [num_tokens, num_heads, kv_lora_rank] to values [num_tokens, num_heads, v_head_dim]."""
    value_half = _by_head(module)[:, module.qk_nope_head_dim :]
    # The weight on the left: with it transposed on the right a bfloat16 decode takes four times as long on a CPU.
    return torch.bmm(value_half, out.permute(1, 2, 0)).permute(2, 0, 1)


def _by_head(module: Any) -> Tensor:
    """Return `kv_b_proj`'s weight as [num_heads, qk_nope_head_dim + v_head_dim, kv_lora_rank]."""
    weight: Tensor = module.kv_b_proj.weight
    by_head: Tensor = weight.unflatten(0, (-1, module.qk_nope_head_dim + module.v_head_dim))
    return by_head
