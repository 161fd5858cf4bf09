"""Indexers for model types that choose what each token attends to: their keys are cached in blocks beside the others.

transformers' own modules score all keys of their cache and return the best; what they return is passed on to the
attention function. A replaced one returns the same choice, made by `paged_topk` while a step runs.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.integrations.transformers.attention_interface import choose_forward
from torchpaged.integrations.transformers.attention_modules import ReplacedAttention, replace_modules


class TokenIndexer(ReplacedAttention):
    """An indexer of DeepSeek Sparse Attention (V3.2): the tokens with the best weighted sums of ReLUs of products.

    Its models differ in how and where a head is rotated, in the norm's dtype, and in factors that leave the order of
    scores as it is.
    """

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.n_heads, self.head_dim = original.layer_idx, original.n_heads, original.head_dim
        self.rope_dim, self.topk = original.qk_rope_head_dim, original.index_topk
        self.wq_b, self.wk, self.k_norm = original.wq_b, original.wk, original.k_norm
        self.weights_proj = original.weights_proj
        self.softmax_scale = original.softmax_scale
        modeling = sys.modules[type(original).__module__]
        called = inspect.unwrap(type(original).forward).__code__.co_names
        interleaved = "apply_rotary_pos_emb_interleave"
        self.rotate = getattr(modeling, interleaved if interleaved in called else "apply_rotary_pos_emb")
        self.rotates_end = type(original).__name__ in _ROTATES_END

    def attend(
        self,
        hidden_states: Tensor,
        q_resid: Tensor,
        position_embeddings: tuple[Tensor, Tensor],
        *_: Any,
        **__: Any,
    ) -> Tensor:
        """Choose: [1, num_tokens, index_topk] int32, -1 where a token sees fewer."""
        return self._choose(
            hidden_states, self.wq_b(q_resid).unflatten(-1, (self.n_heads, self.head_dim)), position_embeddings
        )

    def _choose(
        self, hidden_states: Tensor, query: Tensor, position_embeddings: tuple[Tensor, Tensor] | None
    ) -> Tensor:
        """Choose by queries [1, num_tokens, n_heads, head_dim]; without embeddings nothing is rotated."""
        key = self.wk(hidden_states).to(self.k_norm.weight.dtype)
        key = self.k_norm(key).to(hidden_states.dtype).unsqueeze(2)
        if position_embeddings is not None:
            plain = self.head_dim - self.rope_dim
            sizes = [plain, self.rope_dim] if self.rotates_end else [self.rope_dim, plain]
            place = 1 if self.rotates_end else 0
            parts = [list(torch.split(each, sizes, dim=-1)) for each in (query, key)]
            parts[0][place], parts[1][place] = self.rotate(
                parts[0][place], parts[1][place], *position_embeddings, unsqueeze_dim=2
            )
            # Rotations of some models are float32, which the cache does not keep.
            query, key = (torch.cat(each, dim=-1).to(hidden_states.dtype) for each in parts)
        weights = self.weights_proj(hidden_states.to(self.weights_proj.weight.dtype)).float() * self.n_heads**-0.5
        chosen = choose_forward(
            self, query[0], weights[0], key[0], k=self.topk, rule="relu", scale=float(self.softmax_scale)
        )
        return chosen.transpose(0, 1)


class ScaledIndexer(TokenIndexer):
    """Mistral Large 4's indexer: queries are made of hidden states and scaled by position; not all layers rotate."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.q_input_norm, self.softmax_scaling = original.q_input_norm, original.softmax_scaling
        self.use_rope = bool(original.use_rope)

    def attend(  # type: ignore[override]
        self,
        hidden_states: Tensor,
        position_embeddings: tuple[Tensor, Tensor],
        attention_mask: Tensor,
        position_ids: Tensor,
        **_: Any,
    ) -> Tensor:
        """Choose, as `TokenIndexer` does."""
        query = self.wq_b(self.q_input_norm(hidden_states)).unflatten(-1, (self.n_heads, self.head_dim))
        query = self.softmax_scaling(query, position_ids, head_dim_first=False)
        return self._choose(hidden_states, query, position_embeddings if self.use_rope else None)


class BlockIndexer(ReplacedAttention):
    """MiniMax-M3's indexer: for each of its heads the blocks with the best products, and always the latest ones."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.layer_idx, self.num_heads, self.head_dim = original.layer_idx, original.num_heads, original.head_dim
        self.block_size, self.topk_blocks = original.block_size, original.topk_blocks
        self.local_blocks = original.local_blocks
        self.q_proj, self.k_proj = original.q_proj, original.k_proj
        self.q_norm, self.k_norm = original.q_norm, original.k_norm
        self.rotate = sys.modules[type(original).__module__].apply_rotary_pos_emb

    def attend(self, hidden_states: Tensor, position_embeddings: tuple[Tensor, Tensor], *_: Any, **__: Any) -> Tensor:
        """Choose: [1, num_heads, num_tokens, topk_blocks] int32, -1 where a token sees fewer."""
        query = self.q_norm(self.q_proj(hidden_states).unflatten(-1, (-1, self.head_dim))).transpose(1, 2)
        key = self.k_norm(self.k_proj(hidden_states).unflatten(-1, (-1, self.head_dim))).transpose(1, 2)
        query, key = self.rotate(query, key, *(each[..., : self.head_dim] for each in position_embeddings))
        chosen = choose_forward(
            self,
            query[0].transpose(0, 1),
            None,
            key[0].transpose(0, 1),
            k=self.topk_blocks,
            rule="dot",
            granularity=self.block_size,
            num_selections=self.num_heads,
            local=self.local_blocks,
            scale=1.0,
        )
        return chosen.transpose(0, 1)[None]


# Indexers that rotate the last numbers of a head instead of the first.
_ROTATES_END = ("HYV4Indexer",)
# By model type: the class to replace, and its replacement.
_REPLACEMENTS: Mapping[str, tuple[str, Callable[[Any], nn.Module]]] = {
    "axk2": ("AXK2Indexer", TokenIndexer),
    "deepseek_v32": ("DeepseekV32Indexer", TokenIndexer),
    "dots3_note_text": ("Dots3NoteTextIndexer", TokenIndexer),
    "glm_moe_dsa": ("GlmMoeDsaIndexer", TokenIndexer),
    "hy_v4": ("HYV4Indexer", TokenIndexer),
    "mistral_large4_text": ("MistralLarge4TextIndexer", ScaledIndexer),
    "minimax_m3_vl_text": ("MiniMaxM3VLIndexer", BlockIndexer),
}


def replace_indexers(model: nn.Module, model_type: str) -> None:
    """Replace the model type's indexers in place, once, if it has any."""
    if model_type in _REPLACEMENTS:
        replace_modules(model, *_REPLACEMENTS[model_type])
