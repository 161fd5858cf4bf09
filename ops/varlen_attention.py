"""Attention over packed keys without a cache, `varlen_attention`, and its derivative: operators and definitions.

What training and encoders compute. Its bits are those of `paged_attention` over the same keys in blocks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import batching, docs, score_mods, value_checks
from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    expect_contiguous,
    expect_device,
    expect_dim,
    expect_dtype,
    expect_finite,
    expect_last_contiguous,
    expect_not_negative,
    expect_rows,
    expect_size,
    is_known,
    refuse,
)
from torchpaged.ops.operator import CastRule, Function, Gradient, Layout, Operator, Specs

__all__ = ["varlen_attention", "varlen_attention_backward"]  # for reference.py


# --- The definitions ------------------------------------------------------------------------------------------


def varlen_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    out: Tensor,
    lse: Tensor | None,
    **options: Any,
) -> None:
    """Compute attention of each sequence's queries over its keys, sequence by sequence.

    `help(torch.ops.torchpaged.varlen_attention)` has shapes and dtypes; `max_seqlen_q` and `max_seqlen_k` are not
    needed here. A row that sees no key gets 0, and an `lse` of -inf (its sink's value where there are sinks); rows of
    no sequence, or of one without keys, get 0 and -inf.
    """
    out.zero_()
    if lse is not None:
        lse.fill_(-torch.inf)
    for i, (rows, keys) in enumerate(_sequences(cu_seqlens_q, cu_seqlens_k)):
        scores, _, visible = _scores(query[rows], key[keys], i, options)
        total = torch.logsumexp(scores, dim=-1)
        if options["sinks"] is not None:
            total = torch.logaddexp(total, _wide(options["sinks"])[:, None])
        # A row without a key has a total of -inf: its weights are 0, not exp(-inf + inf).
        weights = torch.exp(scores - total.nan_to_num(neginf=0.0)[..., None])
        # Keys that no row sees are dropped, since 0 * NaN is NaN.
        seen = _by_head(value[keys], query).masked_fill(~visible.any(1)[:, :, None], 0.0)
        out[rows] = (weights @ seen).transpose(0, 1).to(out.dtype)
        if lse is not None:
            lse[rows] = total.T


def varlen_attention_backward(
    grad_out: Tensor,
    grad_lse: Tensor | None,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    lse: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    grad_query: Tensor,
    grad_key: Tensor,
    grad_value: Tensor,
    grad_sinks: Tensor,
    **options: Any,
) -> None:
    """Compute the derivative of `varlen_attention_with_lse`, whose results are `out` and `lse`.

    The softmax's weights are computed again from the log-sum-exp. Source: Dao et al., FlashAttention (2022),
    algorithm 4.
    """
    for each in (grad_query, grad_key, grad_value, grad_sinks):
        each.zero_()
    group = query.shape[1] // max(key.shape[1], 1)
    for i, (rows, keys) in enumerate(_sequences(cu_seqlens_q, cu_seqlens_k)):
        scores, slope, visible = _scores(query[rows], key[keys], i, options)
        total = _wide(lse[rows]).T
        weights = torch.exp(scores - total.nan_to_num(neginf=0.0)[..., None])
        grads, results = (_wide(each[rows]).transpose(0, 1) for each in (grad_out, out))
        delta = (grads * results).sum(-1)
        if grad_lse is not None:
            delta = delta - _wide(grad_lse[rows]).T
        of_weights = grads @ _by_head(value[keys], query).mT
        of_scores = torch.where(visible, weights * (of_weights - delta[..., None]) * slope, 0.0)
        grad_query[rows] = (of_scores @ _by_head(key[keys], query)).transpose(0, 1).to(grad_query.dtype)
        for target, factor, by in ((grad_key, of_scores, query), (grad_value, weights, grad_out)):
            product = factor.mT @ _wide(by[rows]).transpose(0, 1)
            target[keys] = product.unflatten(0, (-1, group)).sum(1).transpose(0, 1).to(target.dtype)
        if options["sinks"] is not None:
            share = torch.exp(_wide(options["sinks"])[:, None] - total).masked_fill(total == -torch.inf, 0.0)
            grad_sinks -= (share * delta).sum(-1)


def _wide(tensor: Tensor) -> Tensor:
    return tensor if tensor.dtype == torch.float64 else tensor.float()


def _by_head(rows: Tensor, query: Tensor) -> Tensor:
    """Return keys or values as [heads, keys, dim]: a KV head for each query head."""
    return _wide(rows).repeat_interleave(query.shape[1] // rows.shape[1], 1).transpose(0, 1)


def _sequences(cu_seqlens_q: Tensor, cu_seqlens_k: Tensor) -> list[tuple[slice, slice]]:
    """Return each sequence's rows and keys; one that lacks either has none of both."""
    queries, keys = cu_seqlens_q.tolist(), cu_seqlens_k.tolist()
    found = [(slice(*queries[i : i + 2]), slice(*keys[i : i + 2])) for i in range(len(queries) - 1)]
    empty = slice(0, 0), slice(0, 0)
    return [(q, k) if q.start < q.stop and k.start < k.stop else empty for q, k in found]


def _scores(query: Tensor, key: Tensor, sequence: int, options: Mapping[str, Any]) -> tuple[Tensor, Any, Tensor]:
    """Return scores [heads, rows, keys], -inf where unseen, their derivative by q.k, and what is seen.

    The latter is [1 or heads, rows, keys].
    """
    scale, softcap, slopes = options["scale"], options["softcap"], options["alibi_slopes"]
    scores = _wide(query).transpose(0, 1) @ _by_head(key, query).mT * scale
    slope = scale
    if softcap > 0:
        bounded = torch.tanh(scores / softcap)
        scores, slope = softcap * bounded, scale * (1.0 - bounded.square())
    position = torch.arange(len(query), device=query.device)[:, None] + (len(key) - len(query))
    distance = torch.arange(len(key), device=query.device)[None] - position  # of the key behind the query
    if slopes is not None:
        own = slopes[sequence] if slopes.dim() == 2 else slopes
        scores = scores - own[:, None, None] * distance.abs()
    visible = torch.ones_like(distance, dtype=torch.bool)
    if options["causal"]:
        visible = (distance <= 0) & (position >= 0)
    elif options["right_window"] >= 0:
        visible = distance <= options["right_window"]
    if options["sliding_window"] > 0:
        visible = visible & (distance > -options["sliding_window"])
    q_pos = position.flatten()
    visible = score_mods.mask("varlen_attention", options, visible[None], len(scores), sequence, q_pos)
    scores, by_score = score_mods.score("varlen_attention", options, scores, sequence, q_pos)
    return scores.masked_fill(~visible, -torch.inf), by_score * slope, visible


# --- Checks, fakes and rules ----------------------------------------------------------------------------------


def _check(
    op: str, query: Tensor, key: Tensor, value: Tensor, cu_seqlens_q: Tensor, cu_seqlens_k: Tensor, **options: Any
) -> None:
    expect_dim(op, "query", query, 3, "[num_tokens, num_heads, head_dim]")
    expect_dtype(op, "query", query, *FLOAT_DTYPES)
    expect_last_contiguous(op, "query", query)
    of_key = ((None, "num_keys"), (None, "num_kv_heads"), (query.shape[2], "head_dim of query"))
    expect_rows(op, "key", key, of_key, query.device, query.dtype)
    of_value = ((key.shape[0], "num_keys, as in key"), (key.shape[1], "num_kv_heads, as in key"), (None, "head_dim_v"))
    expect_rows(op, "value", value, of_value, query.device, query.dtype)
    heads, kv_heads = query.shape[1], key.shape[1]
    if is_known(heads, kv_heads) and (heads == 0 or kv_heads == 0 or heads % kv_heads):
        refuse(op, "query", f"has {heads} heads", f"a multiple of key's {kv_heads} KV heads")
    for name, each in (("query", query), ("value", value)):
        if is_known(each.shape[2]) and each.shape[2] == 0:
            refuse(op, name, f"has an empty dimension, shape {tuple(each.shape)}", "at least one number")
    for name, starts in (("cu_seqlens_q", cu_seqlens_q), ("cu_seqlens_k", cu_seqlens_k)):
        expect_dim(op, name, starts, 1, "[num_seqs + 1]")
        expect_dtype(op, name, starts, torch.int32)
        expect_device(op, name, starts, query.device)
        if is_known(starts.shape[0]) and not starts.shape[0]:
            refuse(op, name, "has no entry", "num_seqs + 1")
        expect_last_contiguous(op, name, starts)
    expect_size(op, "cu_seqlens_k", cu_seqlens_k, 0, cu_seqlens_q.shape[0], "num_seqs + 1, as in cu_seqlens_q")
    for name in ("sliding_window", "softcap", "max_seqlen_q", "max_seqlen_k"):
        expect_not_negative(op, name, options.get(name))
    right = options.get("right_window", -1)
    if is_known(right) and right < -1:
        refuse(op, "right_window", f"is {right}", "-1 or more")
    for name in ("scale", "softcap"):
        expect_finite(op, name, options.get(name))
    if (slopes := options.get("alibi_slopes")) is not None:
        if slopes.dim() != 1:
            expect_dim(op, "alibi_slopes", slopes, 2, "[num_heads] or [num_seqs, num_heads]")
            expect_size(op, "alibi_slopes", slopes, 0, cu_seqlens_q.shape[0] - 1, "num_seqs")
        expect_size(op, "alibi_slopes", slopes, slopes.dim() - 1, heads, "num_heads")
        expect_dtype(op, "alibi_slopes", slopes, torch.float32)
        expect_device(op, "alibi_slopes", slopes, query.device)
        expect_last_contiguous(op, "alibi_slopes", slopes)
    score_mods.check(op, options)
    if (sinks := options.get("sinks")) is not None:
        expect_rows(op, "sinks", sinks, ((heads, "num_heads"),), query.device, torch.float32, query.dtype)


def _check_backward(
    op: str,
    grad_out: Tensor,
    grad_lse: Tensor | None,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    lse: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    **options: Any,
) -> None:
    _check(op, query, key, value, cu_seqlens_q, cu_seqlens_k, **options)
    rows = ((query.shape[0], "num_tokens of query"), (query.shape[1], "num_heads of query"))
    for name, each in (("grad_out", grad_out), ("out", out)):
        expect_rows(op, name, each, (*rows, (value.shape[2], "head_dim_v of value")), query.device, query.dtype)
    for name, sums in (("lse", lse), ("grad_lse", grad_lse)):
        if sums is not None:
            expect_rows(op, name, sums, rows, query.device, torch.float32)
            expect_contiguous(op, name, sums)


def _check_values(op: str, arguments: Mapping[str, Any]) -> None:
    value_checks.require_starts(op, "cu_seqlens_q", arguments["cu_seqlens_q"], "num_tokens", len(arguments["query"]))
    value_checks.require_starts(op, "cu_seqlens_k", arguments["cu_seqlens_k"], "num_keys", len(arguments["key"]))


def _fake(query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> Tensor:
    return query.new_empty((query.shape[0], query.shape[1], value.shape[2]))


def _fake_with_lse(query: Tensor, *args: Any, **__: Any) -> tuple[Tensor, Tensor]:
    return _fake(query, *args), query.new_empty((query.shape[0], query.shape[1]), dtype=torch.float32)


def _fake_backward(
    grad_out: Tensor, grad_lse: Tensor | None, query: Tensor, key: Tensor, value: Tensor, *_: Any, **options: Any
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    sinks = query.new_empty((0 if options.get("sinks") is None else query.shape[1],), dtype=torch.float32)
    return query.new_empty(query.shape), key.new_empty(key.shape), value.new_empty(value.shape), sinks


def _resolve(query: Tensor, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that backends get: all of them, and a scale that is a number."""
    scale = query.shape[-1] ** -0.5 if options["scale"] is None else options["scale"]
    return {**options, "scale": scale}


def _launch(fn: Function, query: Tensor, *args: Tensor, **options: Any) -> Tensor:
    out = _fake(query, *args)
    fn(query, *args, out, None, **_resolve(query, options))
    return out


def _launch_with_lse(fn: Function, query: Tensor, *args: Tensor, **options: Any) -> tuple[Tensor, Tensor]:
    out, lse = _fake_with_lse(query, *args)
    fn(query, *args, out, lse, **_resolve(query, options))
    return out, lse


def _launch_backward(fn: Function, *args: Any, **options: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    results = _fake_backward(*args, **options)
    fn(*args, *results, **_resolve(args[2], options))
    return results


def _dense(grad: Tensor | None, like: Tensor) -> Tensor:
    """Return a gradient with the strides of a new tensor; zeros for None."""
    if grad is None or not grad.numel():  # without numbers any strides count as contiguous
        return torch.zeros_like(like)
    return grad.contiguous()


def _gradient(
    arguments: Mapping[str, Any], results: Sequence[Tensor], grads: Sequence[Tensor | None]
) -> dict[str, Tensor | None]:
    out, lse = results
    grad_out, grad_lse = _dense(grads[0], out), None
    if len(grads) > 1 and grads[1] is not None:
        grad_lse = _dense(grads[1], lse)
    tensors = [arguments[each] for each in ("query", "key", "value")]
    starts = [arguments[each] for each in ("cu_seqlens_q", "cu_seqlens_k")]
    options = {each: value for each, value in arguments.items() if each in _OPTION_NAMES}
    query, key, value, sinks = torch.ops.torchpaged.varlen_attention_backward(
        grad_out, grad_lse, *tensors, out, lse, *starts, **options
    )
    found = {"query": query, "key": key, "value": value}
    if arguments["sinks"] is not None:
        found["sinks"] = sinks.to(arguments["sinks"].dtype)
    return found


def _flops(
    query: Sequence[int],
    key: Sequence[int],
    value: Sequence[int],
    *_: Any,
    causal: bool = True,
    sliding_window: int = 0,
    max_seqlen_k: int = 0,
    **__: Any,
) -> int:
    """Count a multiplication and an addition for each number of each key and value that a query may see.

    Lengths are on the device: each token counts as if it saw `max_seqlen_k` keys, or all of them, or its window.
    """
    return 2 * query[0] * query[1] * _most_keys(key, causal, sliding_window, max_seqlen_k) * (query[2] + value[2])


def _flops_backward(
    grad_out: Sequence[int],
    grad_lse: Sequence[int] | None,
    query: Sequence[int],
    key: Sequence[int],
    value: Sequence[int],
    *_: Any,
    causal: bool = True,
    sliding_window: int = 0,
    max_seqlen_k: int = 0,
    **__: Any,
) -> int:
    """Count the five products: scores and weights' gradients again, and those of query, key and value."""
    keys = _most_keys(key, causal, sliding_window, max_seqlen_k)
    return 2 * query[0] * query[1] * keys * (3 * query[2] + 2 * value[2])


def _most_keys(key: Sequence[int], causal: bool, sliding_window: int, max_seqlen_k: int) -> int:
    keys = min(max_seqlen_k, key[0]) if max_seqlen_k else key[0]
    return min(keys, sliding_window) if causal and sliding_window else keys


def _cut(*results: int | None) -> Any:
    """Layouts that cut by KV heads; the last result of four is the sinks', which there may be none of."""

    def layouts(specs: Specs) -> list[Layout]:
        names = ("query", "key", "value", "grad_out", "out", "lse", "grad_lse")
        axes = {each: 1 for each in names if each in specs} | {each: 0 for each in ("sinks",) if each in specs}
        if "alibi_slopes" in specs:
            axes["alibi_slopes"] = specs["alibi_slopes"].ndim - 1
        cut = (*results, 0 if "sinks" in specs else None) if len(results) == 3 else results
        return [Layout(cut, axes)]

    return layouts


# --- The operators --------------------------------------------------------------------------------------------

_OPTIONS = (
    "float? scale=None, bool causal=True, SymInt sliding_window=0, SymInt right_window=-1, float softcap=0.0, "
    "Tensor? alibi_slopes=None, Tensor? sinks=None, SymInt max_seqlen_q=0, SymInt max_seqlen_k=0, "
    "str? score_mod=None, str? mask_mod=None"
)
_OPTION_NAMES = tuple(each.split("=")[0].split()[-1] for each in _OPTIONS.split(", "))
_TENSORS_DOC = f"""\
    query: [num_tokens, num_heads, head_dim], all sequences packed; {docs.FLOATS}; any strides
        with the last dimension contiguous.
    key: [num_keys, num_kv_heads, head_dim], all sequences packed, query's dtype.
    value: [num_keys, num_kv_heads, head_dim_v], query's dtype.
"""
_STARTS_DOC = """\
    cu_seqlens_q, cu_seqlens_k: [num_seqs + 1] int32, where each sequence's queries and keys begin, and where the last
        one's end."""
_OPTIONS_DOC = f"""\
    scale: of the scores; None for head_dim ** -0.5.
    causal: False: a query sees all keys of its sequence, or those that the windows leave.
    sliding_window: keys that a query sees up to its position, its own included; 0 for all.
    right_window: keys behind its own that a query sees where causal is False; -1 for all.
    softcap: scores become softcap * tanh(score / softcap); 0 for none.
    alibi_slopes: [num_heads] or [num_seqs, num_heads] float32; a score loses slope * the distance of query and key.
    sinks: [num_heads], query's dtype or float32: one more logit of each head, without a value.
    max_seqlen_q, max_seqlen_k: the longest sequence's; 0 for unknown. On CUDA a `max_seqlen_k` that is too small cuts
        sequences off.
{docs.MODS}"""
_DOC = f"""
Attention of each sequence's queries over its keys, which lie packed one sequence behind the other: training, encoders,
and prompts without a cache. Bits are those of `paged_attention` over the same keys in blocks, and a row's do not depend
on the other sequences. It has a derivative with respect to query, key, value and sinks.

Query i of a sequence is at position num_keys - num_queries + i (as in FlashAttention, the last query is at the last
key). A score is computed in this order: scale * q.k, softcap, ALiBi, score_mod, masks; then the softmax, with a head's
sink as one more logit. A query that sees no key gets 0; so do tokens of no sequence.

Args:
{_TENSORS_DOC}{_STARTS_DOC}
{_OPTIONS_DOC}
"""

_VARLEN_ATTENTION = Operator(
    overload="varlen_attention",
    schema=f"(Tensor query, Tensor key, Tensor value, Tensor cu_seqlens_q, Tensor cu_seqlens_k, *, {_OPTIONS}) "
    "-> Tensor",
    doc=f"{_DOC}\nReturns:\n    [num_tokens, num_heads, head_dim_v], query's dtype.",
    check=_check,
    check_values=_check_values,
    fake=_fake,
    launch=_launch,
    reference=varlen_attention,
    triton=True,
    cast=CastRule(("query", "key", "value"), None, ("sinks",)),
    train_with="torch.nn.functional.scaled_dot_product_attention",
    vmap_with=docs.VMAP_PACKED.replace("query_start_loc says", "cu_seqlens_q and cu_seqlens_k say"),
    fold=batching.FOLD_VARLEN,
    flops=_flops,
    layouts=_cut(1),
    gradient=Gradient(("query", "key", "value", "sinks"), _gradient, through="varlen_attention_with_lse"),
)
_WITH_LSE = dataclasses.replace(
    _VARLEN_ATTENTION,
    overload="varlen_attention_with_lse",
    schema=_VARLEN_ATTENTION.schema.removesuffix("Tensor") + "(Tensor out, Tensor lse)",
    doc=f"""{_DOC}
Returns:
    (out [num_tokens, num_heads, head_dim_v] of query's dtype,
    lse [num_tokens, num_heads] float32: the natural logarithm of the softmax's sum, sinks included).""",
    fake=_fake_with_lse,
    launch=_launch_with_lse,
    layouts=_cut(1, 1),
    gradient=Gradient(("query", "key", "value", "sinks"), _gradient),
)

OPERATORS = (
    _VARLEN_ATTENTION,
    _WITH_LSE,
    Operator(
        overload="varlen_attention_backward",
        schema="(Tensor grad_out, Tensor? grad_lse, Tensor query, Tensor key, Tensor value, Tensor out, Tensor lse, "
        f"Tensor cu_seqlens_q, Tensor cu_seqlens_k, *, {_OPTIONS}) "
        "-> (Tensor grad_query, Tensor grad_key, Tensor grad_value, Tensor grad_sinks)",
        doc=f"""
The derivative of `varlen_attention_with_lse`, whose results are `out` and `lse`; autograd calls it. The softmax is
computed again from `lse`. On the CPU each sum has one order: the bits are the same in each run, and those of a
sequence's query, key and value do not depend on the other sequences.

Args:
    grad_out: [num_tokens, num_heads, head_dim_v], the gradient of `out`, of its dtype.
    grad_lse: [num_tokens, num_heads] float32, the gradient of `lse`; None for 0.
{_TENSORS_DOC}\
    out: [num_tokens, num_heads, head_dim_v], the forward's result.
    lse: [num_tokens, num_heads] float32, the forward's other result.
{_STARTS_DOC}
{_OPTIONS_DOC}

Returns:
    (grad_query, grad_key, grad_value as query, key and value, grad_sinks [num_heads] float32, of no elements without
    sinks).""",
        check=_check_backward,
        check_values=_check_values,
        fake=_fake_backward,
        launch=_launch_backward,
        reference=varlen_attention_backward,
        triton=True,
        train_with="torch.nn.functional.scaled_dot_product_attention",
        vmap_with=docs.VMAP_PACKED.replace("query_start_loc says", "cu_seqlens_q and cu_seqlens_k say"),
        flops=_flops_backward,
        layouts=_cut(1, 1, 1),
    ),
)
