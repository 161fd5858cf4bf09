"""`AttentionOptions`: the keyword arguments of `paged_attention`, as every backend of it takes them."""

from __future__ import annotations

from typing import TypedDict

from torch import Tensor


class AttentionOptions(TypedDict):
    """How queries see keys, passed on whole: `**options: Unpack[AttentionOptions]`.

    None, 0 and 0.0 turn an option off. The operator's docstring has shapes and dtypes.

    Attributes:
        scale: factor of the scores.
        causal: a query sees keys up to its own position, else all of its sequence.
        sliding_window: number of keys that a query sees, its own included.
        softcap: scores become softcap * tanh(score / softcap).
        alibi_slopes: a score gains a head's slope * (the key's position - the query's).
        sinks: one more logit for each head, without a value.
        tree_mask: which of this step's tokens each token sees.
        k_scale, v_scale: factors of the numbers in a quantised cache.
        max_query_len, num_splits: hints about the longest query and the parts of a long sequence, which change no bit.
        distance_bias: a score gains a head's bias at the distance between query and key.
        score_mod, mask_mod: names in `score_mods.py` of programs that change scores, and that say which keys are seen.
    """

    scale: float
    causal: bool
    sliding_window: int
    softcap: float
    alibi_slopes: Tensor | None
    sinks: Tensor | None
    tree_mask: Tensor | None
    k_scale: Tensor | None
    v_scale: Tensor | None
    max_query_len: int
    num_splits: int
    distance_bias: Tensor | None
    score_mod: str | None
    mask_mod: str | None
