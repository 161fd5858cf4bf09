"""FlashAttention's functions without a cache, forward and backward, against dense float64 attention."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops.cases import error
from torchpaged.integrations import flash_attn

BATCH, HEADS, KV_HEADS, DIM = 3, 4, 2, 16


def dense(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    scale: float | None = None,
    causal: bool = False,
    window: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    slopes: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Attend in float64 from [batch, rows, heads, dim]; slopes are [batch, heads]."""
    k, v = (x.repeat_interleave(q.shape[2] // x.shape[2], 2) for x in (k, v))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    at, j = torch.arange(q.shape[1])[:, None] + k.shape[1] - q.shape[1], torch.arange(k.shape[1])[None]
    if slopes is not None:
        scores = scores - slopes.double()[:, :, None, None] * (at - j).abs()
    left, right = window[0], 0 if causal else window[1]
    seen = ((left < 0) | (j >= at - left)) & ((right < 0) | (j <= at + right))
    seen = seen & (at >= 0) if causal else seen
    scores = scores.masked_fill(~seen, -torch.inf)
    weights = torch.softmax(scores, -1).nan_to_num()
    lse = torch.logsumexp(scores, -1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v), torch.where(lse == -torch.inf, torch.inf, lse)


CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"causal": True},
    "window": {"causal": True, "window_size": (5, 0)},
    "window-both": {"window_size": (5, 2)},
    "window-right": {"window_size": (-1, 3)},
    "softcap": {"softcap": 3.0, "causal": True},
    "scale": {"softmax_scale": 0.3},
    "alibi": {"alibi_slopes": torch.rand(HEADS), "causal": True},
    "alibi-batch": {"alibi_slopes": torch.rand(BATCH, HEADS)},
    "hints": {"deterministic": True, "num_splits": 2, "pack_gqa": True, "sm_margin": 0},
}


def inputs(rows: int, keys: int, kv_heads: int = KV_HEADS) -> list[Tensor]:
    g = torch.Generator().manual_seed(0)
    shapes = ((rows, HEADS), (keys, kv_heads), (keys, kv_heads))
    return [torch.randn(BATCH, *shape, DIM, generator=g).requires_grad_() for shape in shapes]


def expected(given: list[Tensor], options: dict[str, Any]) -> tuple[list[Tensor], Tensor, Tensor, Tensor]:
    wide = [x.detach().double().requires_grad_() for x in given]
    slopes = options.get("alibi_slopes")
    slopes = None if slopes is None else slopes.expand(BATCH, HEADS)
    named = {"causal": options.get("causal", False), "window": options.get("window_size", (-1, -1))}
    named |= {"scale": options.get("softmax_scale"), "softcap": options.get("softcap", 0.0), "slopes": slopes}
    out, lse = dense(*wide, **named)
    grad = torch.randn(out.shape, generator=torch.Generator().manual_seed(1))
    return list(torch.autograd.grad(out, wide, grad.double())), out.detach(), lse.detach(), grad


@pytest.mark.parametrize(("rows", "keys"), [(9, 9), (4, 13), (11, 6)])
@pytest.mark.parametrize("name", CASES)
def test_flash_attn_func(name: str, rows: int, keys: int) -> None:
    given, options = inputs(rows, keys), CASES[name]
    grads, out, lse, grad = expected(given, options)
    found, sums, probabilities = flash_attn.flash_attn_func(*given, **options, return_attn_probs=True)
    assert torch.equal(found, flash_attn.flash_attn_func(*given, **options)) and probabilities is None
    assert error(found.detach(), out) <= 1e-5
    assert torch.equal(sums.isinf(), lse.isinf()) and not sums.requires_grad
    torch.testing.assert_close(sums.nan_to_num(posinf=0.0), lse.float().nan_to_num(posinf=0.0), rtol=1e-4, atol=1e-5)
    for one, other in zip(torch.autograd.grad(found, given, grad), grads, strict=True):
        assert error(one, other) <= 2e-5


@pytest.mark.parametrize("paged", [0, 1, 4, 16])
@pytest.mark.parametrize("name", CASES)
def test_flash_attn_varlen_func(name: str, paged: int) -> None:
    """Sequences of one length, so that one dense call is the answer; keys also scattered over pages."""
    given, options = inputs(7, 12), CASES[name]
    grads, out, lse, grad = expected(given, options)
    starts = [torch.arange(BATCH + 1, dtype=torch.int32) * length for length in (7, 12)]
    flat, table = [x.flatten(0, 1) for x in given], None
    if paged:
        blocks = -(-12 // paged)
        table = torch.randperm(BATCH * blocks, generator=torch.Generator().manual_seed(2)).view(BATCH, blocks).int()
        for i in (1, 2):
            padded = torch.nn.functional.pad(given[i], (0, 0, 0, 0, 0, blocks * paged - 12))
            pages = padded.unflatten(1, (blocks, paged)).flatten(0, 1)
            flat[i] = torch.zeros_like(pages).index_copy(0, table.flatten().long(), pages)
    found, sums, _ = flash_attn.flash_attn_varlen_func(
        *flat, *starts, 7, 12, **options, block_table=table, return_attn_probs=True
    )
    assert error(found.detach(), out.flatten(0, 1)) <= 1e-5
    want = lse.transpose(0, 1).flatten(1).float()
    torch.testing.assert_close(sums.nan_to_num(posinf=0.0), want.nan_to_num(posinf=0.0), rtol=1e-4, atol=1e-5)
    for one, other in zip(torch.autograd.grad(found, given, grad.flatten(0, 1)), grads, strict=True):
        assert error(one, other) <= 2e-5


@pytest.mark.parametrize("name", CASES)
def test_used_parts_of_sequences(name: str) -> None:
    """Only the first rows and keys of each sequence count: the others get, and have, nothing."""
    given, options = inputs(7, 12), CASES[name]
    grads, out, lse, grad = expected([given[0][:, :4], *(x[:, :9] for x in given[1:])], options)
    starts = [torch.arange(BATCH + 1, dtype=torch.int32) * length for length in (7, 12)]
    used = {"seqused_q": torch.full((BATCH,), 4).int(), "seqused_k": torch.full((BATCH,), 9).int()}
    flat = [x.flatten(0, 1) for x in given]
    found, sums, _ = flash_attn.flash_attn_varlen_func(*flat, *starts, 7, 12, **options, **used, return_attn_probs=True)
    found = found.unflatten(0, (BATCH, 7))
    assert error(found[:, :4].detach(), out) <= 1e-5 and not found[:, 4:].any()
    sums = sums.unflatten(1, (BATCH, 7)).transpose(0, 1)
    assert sums[:, :, 4:].isposinf().all()
    want = lse.float().nan_to_num(posinf=0.0)
    torch.testing.assert_close(sums[:, :, :4].nan_to_num(posinf=0.0), want, rtol=1e-4, atol=1e-5)
    some = torch.autograd.grad(found, given, torch.nn.functional.pad(grad, (0, 0, 0, 0, 0, 3), value=5.0))
    for one, other, count in zip(some, grads, (4, 9, 9), strict=True):
        assert error(one[:, :count], other) <= 2e-5 and not one[:, count:].any()
    with pytest.raises(ValueError, match=r"seqused_k is \[13, 13, 13\], expected 0 to"):
        flash_attn.flash_attn_varlen_func(*flat, *starts, 7, 12, seqused_k=torch.full((BATCH,), 13))


def test_packed_arguments() -> None:
    q, k, v = (x.detach() for x in inputs(6, 6, HEADS))
    plain = flash_attn.flash_attn_func(q, k, v, causal=True)
    qkv, kv = torch.stack([q, k, v], 2), torch.stack([k, v], 2)
    assert torch.equal(flash_attn.flash_attn_qkvpacked_func(qkv, causal=True), plain)
    assert torch.equal(flash_attn.flash_attn_kvpacked_func(q, kv, causal=True), plain)
    starts = torch.arange(BATCH + 1, dtype=torch.int32) * 6
    flat = flash_attn.flash_attn_varlen_qkvpacked_func(qkv.flatten(0, 1), starts, 6, causal=True)
    assert torch.equal(flat, plain.flatten(0, 1))
    flat = flash_attn.flash_attn_varlen_kvpacked_func(
        q.flatten(0, 1), kv.flatten(0, 1), starts, starts, 6, 6, causal=True
    )
    assert torch.equal(flat, plain.flatten(0, 1))


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "dropout": ({"dropout_p": 0.1}, "flash_attn_func: dropout_p is 0.1, expected 0"),
    "qv": ({"qv": torch.zeros(1)}, "qv is given, expected None"),
    "chunk": ({"attention_chunk": 64}, "attention_chunk is given, expected 0"),
    "window": ({"window_size": (1, 2, 3)}, r"window_size is \(1, 2, 3\)"),
    "softcap": ({"softcap": -1.0}, "softcap is -1.0, expected 0 or more"),
    "slopes": ({"alibi_slopes": torch.zeros(3)}, "alibi_slopes has size 3"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments(name: str) -> None:
    options, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        flash_attn.flash_attn_func(*inputs(3, 3), **options)


def test_other_errors() -> None:
    q, k, v = inputs(3, 3)
    with pytest.raises(ValueError, match="q has 3 dimensions"):
        flash_attn.flash_attn_func(q[0], k, v)
    with pytest.raises(ValueError, match="k and v have batches"):
        flash_attn.flash_attn_func(q, k[1:], v)
    with pytest.raises(TypeError, match="no argument widow_size"):
        flash_attn.flash_attn_func(q, k, v, widow_size=(1, 1))
    with pytest.raises(ValueError, match=r"flash_attn_qkvpacked_func: qkv has shape"):
        flash_attn.flash_attn_qkvpacked_func(torch.zeros(1, 2, 2, 4, 8))
    starts = torch.tensor([0, 3], dtype=torch.int32)
    pages = torch.zeros(2, 2, KV_HEADS, DIM)
    for table, message in (([[0]], "a sequence of 3 keys, expected at most 2"), ([[0, 5]], "blocks 0 to 5, expected")):
        with pytest.raises(ValueError, match=message):
            flash_attn.flash_attn_varlen_func(
                q[0], pages, pages, starts, starts, 3, 3, block_table=torch.tensor(table, dtype=torch.int32)
            )
    cache = torch.zeros(4, 4, KV_HEADS, DIM)
    tables, lengths = torch.tensor([[1], [2], [3]], dtype=torch.int32), torch.tensor([4, 3, 2], dtype=torch.int32)
    named = flash_attn.flash_attn_with_kvcache(q, cache, cache, cache_seqlens=lengths, page_table=tables)
    assert torch.equal(
        named, flash_attn.flash_attn_with_kvcache(q, cache, cache, cache_seqlens=lengths, block_table=tables)
    )
    with pytest.raises(ValueError, match="flash_attn_with_kvcache: qv is given"):
        flash_attn.flash_attn_with_kvcache(q, cache, cache, cache_seqlens=lengths, page_table=tables, qv=q)
