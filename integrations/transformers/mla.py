"""Multi-head latent attention (DeepSeek-V2 and its kin) with the latents cached, not the keys and values made of them.

transformers expands each token's latent into keys and values of all heads. Here the latent and the rotated part, which
all heads share, are the one key of the token, and the latent alone is its value. The key half of `kv_b_proj` goes
to the queries and its value half to the outputs, which is the same product in another order (DeepSeek-V2,
arXiv:2405.04434, section 2.1.2).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn


def cache_latents(model: nn.Module) -> None:
    """From now on the layers of latent attention hand their latents to the attention function while a step runs.

    The function sees one KV head, keys of `kv_lora_rank + qk_rope_head_dim` and values of width 0. Other layers stay as
    they are.
    """
    for module in model.modules():
        if hasattr(module, "expand_kv") and isinstance(getattr(module, "kv_b_proj", None), nn.Linear):
            module.expand_kv = partial(_latents, module)  # type: ignore[assignment]  # in place of the class's method


def _latents(module: Any, latent: Tensor, rotated: Tensor) -> tuple[Tensor, Tensor]:
    """What stands for keys and values: [1, 1, num_tokens, kv_lora_rank + qk_rope_head_dim], and nothing."""
    if not module.paged_step.runs:
        expanded: tuple[Tensor, Tensor] = type(module).expand_kv(module, latent, rotated)
        return expanded
    return torch.cat((latent, rotated), dim=-1), latent[..., :0]


def absorb(module: Any, query: Tensor) -> Tensor:
    """Queries [num_tokens, num_heads, qk_head_dim] as what meets latents: [..., kv_lora_rank + qk_rope_head_dim]."""
    plain, rotated = query.split([module.qk_nope_head_dim, module.qk_rope_head_dim], dim=-1)
    key_half = _by_head(module)[:, : module.qk_nope_head_dim]
    return torch.cat((torch.bmm(plain.transpose(0, 1), key_half).transpose(0, 1), rotated), dim=-1)


def expand(module: Any, out: Tensor) -> Tensor:
    """Sums of latents [num_tokens, num_heads, kv_lora_rank] as sums of values [num_tokens, num_heads, v_head_dim]."""
    value_half = _by_head(module)[:, module.qk_nope_head_dim :]
    # The weight on the left: with it transposed on the right a bfloat16 decode takes four times as long on a CPU.
    return torch.bmm(value_half, out.permute(1, 2, 0)).permute(2, 0, 1)


def _by_head(module: Any) -> Tensor:
    """`kv_b_proj`'s weight as [num_heads, qk_nope_head_dim + v_head_dim, kv_lora_rank]."""
    weight: Tensor = module.kv_b_proj.weight
    by_head: Tensor = weight.unflatten(0, (-1, module.qk_nope_head_dim + module.v_head_dim))
    return by_head
