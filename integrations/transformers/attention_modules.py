"""Attention modules for model types whose own attention does not use transformers' attention interface.

Each takes over the projections of the module that it replaces, under the same names, so that weights keep their names.
It has the arguments and the results of the original. Between steps it calls the original's forward.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.integrations.transformers.attention_interface import CurrentStep, attention_forward


def replace_attention(model: nn.Module, model_type: str) -> bool:
    """Replace the model type's attention modules in place, once. False for a model type that needs no replacement."""
    if model_type not in _REPLACEMENTS:
        return False
    replace_modules(model, *_REPLACEMENTS[model_type])
    return True


def replace_modules(model: nn.Module, name: str, make: Callable[[Any], nn.Module]) -> None:
    """Replace each transformers module of the named class by `make(module)`, in place."""
    for path, module in list(model.named_modules()):
        is_original = any(base.__name__ == name for base in type(module).__mro__)
        if is_original and module.__module__.startswith("transformers."):
            model.set_submodule(path, make(module))


def device_of(linear: nn.Module) -> torch.device:
    """Return a linear module's device. A packed one has no numbers in `weight`, so any parameter or buffer counts."""
    return next(itertools.chain(linear.parameters(), linear.buffers())).device


def alibi_slopes(num_heads: int) -> Tensor:
    """Return [num_heads] float32 slopes of attention with linear biases (Press et al., 2022), any number of heads."""
    count = 2 ** math.ceil(math.log2(num_heads))
    slopes = 2.0 ** (-8.0 * torch.arange(1, count + 1, dtype=torch.float32) / count)
    return slopes if count == num_heads else torch.cat([slopes[1::2], slopes[::2]])[:num_heads]


def own_slopes(original: nn.Module, num_heads: int) -> Tensor:
    """Return the `alibi_slopes` of the heads that a rank has of a module (`tensor_parallel`), or of all."""
    divided: Any = getattr(original, "divided_heads", (0, num_heads))
    first, total = divided
    return alibi_slopes(total)[first : first + num_heads]


class ReplacedAttention(nn.Module):
    """The base of all replacements: calls `attend` while a step runs, the original's `forward` otherwise."""

    paged_step: CurrentStep

    def __init__(self, original: Any) -> None:
        super().__init__()
        self.training = original.training
        # Set in __dict__, so that it is no submodule: its parameters are this module's, and must have one name each.
        self.__dict__["original"] = original

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run `attend` while a step runs, else the original's forward."""
        if self.paged_step.runs:
            return self.attend(*args, **kwargs)
        original: nn.Module = self.__dict__["original"]
        if original.training is not self.training:
            original.train(self.training)
        return original(*args, **kwargs)

    def attend(self, *args: Any, **kwargs: Any) -> Any:
        """Attend over the step's blocks; arguments and results as the original's forward."""
        raise NotImplementedError


class BloomAttention(ReplacedAttention):
    """BLOOM's attention: a fused projection, head by head query, key and value; ALiBi; adds the residual."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.num_heads, self.head_dim = original.layer_idx, original.num_heads, original.head_dim
        self.query_key_value, self.dense = original.query_key_value, original.dense
        slopes = own_slopes(original, self.num_heads).to(device_of(self.dense))
        self.register_buffer("alibi_slopes", slopes, persistent=False)

    def attend(self, hidden_states: Tensor, residual: Tensor, **_: Any) -> tuple[Tensor, None]:
        """Attend; both inputs and the output are [1, num_tokens, hidden_size]."""
        fused = self.query_key_value(hidden_states).unflatten(-1, (self.num_heads, 3, self.head_dim))
        out = _attend(self, *fused.unbind(-2), scale=self.head_dim**-0.5, alibi_slopes=self.alibi_slopes)
        return residual + self.dense(out), None


class MptAttention(ReplacedAttention):
    """MPT's attention: all queries, all keys, all values in one projection, clipped if the config says so; ALiBi."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.num_heads, self.head_dim = original.layer_idx, original.n_heads, original.head_dim
        self.scale, self.clip_qkv = original.softmax_scale, original.clip_qkv
        self.Wqkv, self.out_proj = original.Wqkv, original.out_proj
        slopes = own_slopes(original, self.num_heads).to(device_of(self.out_proj))
        self.register_buffer("alibi_slopes", slopes, persistent=False)

    def attend(self, hidden_states: Tensor, **_: Any) -> tuple[Tensor, None]:
        """Attend: input and output are [1, num_tokens, hidden_size]."""
        fused = self.Wqkv(hidden_states)
        if self.clip_qkv:
            fused = fused.clamp(-self.clip_qkv, self.clip_qkv)
        q, k, v = fused.unflatten(-1, (3, self.num_heads, self.head_dim)).unbind(2)
        return self.out_proj(_attend(self, q, k, v, scale=self.scale, alibi_slopes=self.alibi_slopes)), None


class FalconAttention(ReplacedAttention):
    """Falcon's attention in all its forms: grouped heads (the new architecture), multi-query, or one key and value for
    each head; rotary embedding or ALiBi.

    transformers rounds slope times position to bfloat16, which loses positions past 256; here only slopes are rounded.
    """

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.num_heads, self.head_dim = original.layer_idx, original.num_heads, original.head_dim
        self.num_kv_heads = original.num_kv_heads
        # The projection's rows go group by group: queries, one key, one value. Without groups each head is a group.
        self.per_group = self.num_heads // self.num_kv_heads
        self.query_key_value, self.dense = original.query_key_value, original.dense
        self.alibi_slopes: Tensor | None
        slopes = None
        if original.config.alibi:
            slopes = own_slopes(original, self.num_heads).bfloat16().float() * self.head_dim**-0.5
            slopes = slopes.to(device_of(self.dense))
        self.register_buffer("alibi_slopes", slopes, persistent=False)

    def attend(
        self, hidden_states: Tensor, position_embeddings: tuple[Tensor, Tensor] | None = None, **_: Any
    ) -> tuple[Tensor, None]:
        """Attend: [1, num_tokens, hidden_size]; cosines and sines [1, num_tokens, head_dim], unused with ALiBi."""
        fused = self.query_key_value(hidden_states).unflatten(
            -1, (self.num_kv_heads, self.per_group + 2, self.head_dim)
        )
        q, k, v = fused[..., :-2, :].flatten(2, 3), fused[..., -2, :], fused[..., -1, :]
        if self.alibi_slopes is None:
            assert position_embeddings is not None
            q, k = (_rotate_halves(x, *position_embeddings) for x in (q, k))
        out = _attend(self, q, k, v, scale=self.head_dim**-0.5, alibi_slopes=self.alibi_slopes)
        return self.dense(out), None


class GPTJAttention(ReplacedAttention):
    """GPT-J's attention: separate projections; rotary embedding of neighbouring pairs in the first `rotary_dim`."""

    embed_positions: Tensor

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.head_dim = original.layer_idx, original.head_dim
        self.rotary_dim = original.rotary_dim or original.head_dim
        self.q_proj, self.k_proj, self.v_proj = original.q_proj, original.k_proj, original.v_proj
        self.out_proj = original.out_proj
        self.register_buffer("embed_positions", original.embed_positions, persistent=False)

    def attend(self, hidden_states: Tensor, position_ids: Tensor, **_: Any) -> tuple[Tensor, None]:
        """Attend: hidden states [1, num_tokens, hidden_size], positions [1, num_tokens]."""
        q, k, v = (
            project(hidden_states).unflatten(-1, (-1, self.head_dim))
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        table = self.embed_positions[position_ids].to(k.dtype)
        q, k = (_rotate_pairs(x, table, self.rotary_dim) for x in (q, k))
        return self.out_proj(_attend(self, q, k, v, scale=self.head_dim**-0.5)), None


class CodeGenAttention(ReplacedAttention):
    """CodeGen's attention: one projection in four parts, each with queries, values and keys; rotary as in GPT-J."""

    embed_positions: Tensor

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.head_dim = original.layer_idx, original.head_dim
        self.rotary_dim = original.rotary_dim or original.head_dim
        self.qkv_proj, self.out_proj = original.qkv_proj, original.out_proj
        self.register_buffer("embed_positions", original.embed_positions, persistent=False)

    def attend(self, hidden_states: Tensor, position_ids: Tensor, **_: Any) -> tuple[Tensor, None]:
        """Attend: hidden states [1, num_tokens, hidden_size], positions [1, num_tokens]."""
        fused = self.qkv_proj(hidden_states).unflatten(-1, (4, 3, -1, self.head_dim))
        q, v, k = (part.flatten(2, 3) for part in fused.unbind(3))
        table = self.embed_positions[position_ids]
        q, k = (_rotate_pairs(x, table, self.rotary_dim).to(v.dtype) for x in (q, k))
        return self.out_proj(_attend(self, q, k, v, scale=self.head_dim**-0.5)), None


class GPTNeoAttention(ReplacedAttention):
    """Separate projections, scores without a scale, a window in the layers that are local."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.head_dim = original.layer_id, original.head_dim
        self.sliding_window = original.config.window_size if original.attention_type == "local" else 0
        self.q_proj, self.k_proj, self.v_proj = original.q_proj, original.k_proj, original.v_proj
        self.out_proj = original.out_proj

    def attend(self, hidden_states: Tensor, **_: Any) -> tuple[Tensor, None]:
        """Attend: input and output are [1, num_tokens, hidden_size]."""
        q, k, v = (
            project(hidden_states).unflatten(-1, (-1, self.head_dim))
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        return self.out_proj(_attend(self, q, k, v, scale=1.0, sliding_window=self.sliding_window)), None


class GPTNeoXJapaneseAttention(ReplacedAttention):
    """GPT-NeoX Japanese' attention: the output's bias is returned, and the model adds it."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.num_heads = original.layer_idx, original.num_attention_heads
        self.head_dim, self.rotary_dim = original.head_size, original.rotary_ndims
        self.query_key_value, self.dense = original.query_key_value, original.dense
        self.dense_bias = original.dense_bias

    def attend(
        self, hidden_states: Tensor, position_embeddings: tuple[Tensor, Tensor], **_: Any
    ) -> tuple[Tensor, None, Tensor | None]:
        """Attend: [1, num_tokens, hidden_size]; cosines and sines [1, num_tokens, rotary_dim]."""
        q, k, v = self.query_key_value(hidden_states).unflatten(-1, (self.num_heads, 3, self.head_dim)).unbind(-2)
        q, k = (
            torch.cat([_rotate_halves(x[..., : self.rotary_dim], *position_embeddings), x[..., self.rotary_dim :]], -1)
            for x in (q, k)
        )
        return self.dense(_attend(self, q, k, v, scale=self.head_dim**-0.5)), None, self.dense_bias


class XGLMAttention(ReplacedAttention):
    """XGLM's attention: separate projections; positions are in the embedding."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.head_dim = original.layer_idx, original.head_dim
        self.q_proj, self.k_proj, self.v_proj = original.q_proj, original.k_proj, original.v_proj
        self.out_proj = original.out_proj

    def attend(self, hidden_states: Tensor, **_: Any) -> tuple[Tensor, None]:
        """Attend: input and output are [1, num_tokens, hidden_size]."""
        q, k, v = (
            project(hidden_states).unflatten(-1, (-1, self.head_dim))
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        return self.out_proj(_attend(self, q, k, v, scale=self.head_dim**-0.5)), None


# By model type: the class to replace, and its replacement.
_REPLACEMENTS: Mapping[str, tuple[str, Callable[[Any], nn.Module]]] = {
    "bloom": ("BloomAttention", BloomAttention),
    "codegen": ("CodeGenAttention", CodeGenAttention),
    "falcon": ("FalconAttention", FalconAttention),
    "gpt_neo": ("GPTNeoSelfAttention", GPTNeoAttention),
    "gpt_neox_japanese": ("GPTNeoXJapaneseAttention", GPTNeoXJapaneseAttention),
    "gptj": ("GPTJAttention", GPTJAttention),
    "mpt": ("MptAttention", MptAttention),
    "xglm": ("XGLMAttention", XGLMAttention),
}


def _attend(module: nn.Module, query: Tensor, key: Tensor, value: Tensor, *, scale: float, **options: Any) -> Tensor:
    """Attend: [1, num_tokens, heads, head_dim] each -> [1, num_tokens, num_heads * head_dim], heads concatenated."""
    query, key, value = (x.transpose(1, 2) for x in (query, key, value))
    return attention_forward(module, query, key, value, None, scaling=scale, **options)[0].flatten(2)


def _rotate_halves(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Apply rotary embedding to [1, num_tokens, heads, dim], pairing dimension i with i + dim / 2."""
    first, second = x.chunk(2, -1)
    return x * cosines[:, :, None] + torch.cat([-second, first], -1) * sines[:, :, None]


def _rotate_pairs(x: Tensor, table: Tensor, dim: int) -> Tensor:
    """Apply rotary embedding to the first `dim` dimensions, pairing dimension 2 i with 2 i + 1.

    Args:
        x: [1, num_tokens, heads, head_dim].
        table: [1, num_tokens, dim], sines in its first half, cosines in its second.
    """
    sines, cosines = table[:, :, None].chunk(2, -1)
    even, odd = x[..., :dim].unflatten(-1, (-1, 2)).unbind(-1)
    turned = torch.stack([even * cosines - odd * sines, odd * cosines + even * sines], -1).flatten(-2)
    return torch.cat([turned, x[..., dim:]], -1)
