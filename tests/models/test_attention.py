"""PagedAttention: the module for people's own models, against plain attention, float and 8-bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from torchpaged import AttentionMetadata, LayerCache, PagedAttention, StepMetadata

HEADS, KV_HEADS, DIM, TOTAL, BLOCK = 4, 2, 32, 40, 8


def layer_cache(dtype: torch.dtype) -> LayerCache:
    pool = [torch.zeros(8, BLOCK, KV_HEADS, DIM, dtype=dtype) for _ in range(2)]
    scales = [torch.zeros(8, BLOCK, KV_HEADS) for _ in range(2)] if dtype.itemsize == 1 else []
    return LayerCache(*pool, *scales)


def metadata(first: int, last: int) -> AttentionMetadata:
    """Return metadata for one sequence's tokens from `first` to `last`, in blocks 5, 4, 3, 2, 1."""
    table = torch.arange(5, 0, -1, dtype=torch.int32)
    positions = torch.arange(first, last)
    return AttentionMetadata(
        slot_mapping=table[positions // BLOCK].long() * BLOCK + positions % BLOCK,
        block_tables=table[None],
        seq_lens=torch.tensor([last], dtype=torch.int32),
        query_start_loc=torch.tensor([0, last - first], dtype=torch.int32),
        max_query_len=last - first,
    )


def plain(q: Tensor, k: Tensor, v: Tensor, *, causal: bool = True, window: int = 0, softcap: float = 0.0) -> Tensor:
    k, v = (x.repeat_interleave(HEADS // KV_HEADS, dim=1) for x in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q, k) / DIM**0.5
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    distance = torch.arange(TOTAL)[:, None] - torch.arange(TOTAL)[None]
    hidden = (distance < 0) & causal
    if window:
        hidden = hidden | (distance >= window)
    return torch.einsum("hqk,khd->qhd", scores.masked_fill(hidden, -torch.inf).softmax(-1), v)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {}),
        ({"sliding_window": 5}, {"window": 5}),
        ({"softcap": 2.0}, {"softcap": 2.0}),
    ],
    ids=["plain", "window", "softcap"],
)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.int8, 2e-2)], ids=["float32", "int8"])
def test_steps_give_attention(
    settings: dict[str, Any], expected: dict[str, Any], dtype: torch.dtype, tolerance: float
) -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(TOTAL, HEADS, DIM), torch.randn(TOTAL, KV_HEADS, DIM), torch.randn(TOTAL, KV_HEADS, DIM)
    module = PagedAttention(HEADS, DIM, num_kv_heads=KV_HEADS, **settings)
    cache = layer_cache(dtype)
    steps = ((0, 17), (17, 18), (18, 39), (39, 40))
    out = torch.cat([module(q[a:b], k[a:b], v[a:b], metadata(a, b), cache) for a, b in steps])
    torch.testing.assert_close(out, plain(q, k, v, **expected), rtol=0, atol=tolerance)


def test_compiles_as_one_graph() -> None:
    torch.manual_seed(0)
    module, cache = PagedAttention(HEADS, DIM, num_kv_heads=KV_HEADS), layer_cache(torch.float32)
    q, k, v = torch.randn(12, HEADS, DIM), torch.randn(12, KV_HEADS, DIM), torch.randn(12, KV_HEADS, DIM)
    eager = module(q, k, v, metadata(0, 12), cache)
    compiled = torch.compile(module, fullgraph=True)(q, k, v, metadata(0, 12), layer_cache(torch.float32))
    torch.testing.assert_close(compiled, eager)


class TwoLayers(nn.Module):
    """User's model whose two layers have separate block tables over one pair of tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [PagedAttention(HEADS, DIM, num_kv_heads=KV_HEADS, sliding_window=window) for window in (0, 5)]
        )

    def forward(self, q: Tensor, k: Tensor, v: Tensor, step: StepMetadata) -> Tensor:
        for index, layer in enumerate(self.layers):
            q = q + layer(q, k, v, *step.of_layer(index))
        return q


def test_a_model_of_two_groups_compiles_as_one_graph() -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(12, HEADS, DIM), torch.randn(12, KV_HEADS, DIM), torch.randn(12, KV_HEADS, DIM)
    full, model = metadata(0, 12), TwoLayers()
    tables = torch.tensor([[6, 7, 0, 0, 0]], dtype=torch.int32)
    window = replace(full, block_tables=tables, slot_mapping=torch.arange(6 * BLOCK, 6 * BLOCK + 12))

    def step() -> StepMetadata:
        shared = layer_cache(torch.float32)
        return StepMetadata([full, window], [0, 1], [shared, shared])

    eager = model(q, k, v, step())
    repeated = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
    distance = torch.arange(12)[:, None] - torch.arange(12)[None]
    expected = q
    for limit in (TOTAL, 5):
        scores = torch.einsum("qhd,khd->hqk", expected, repeated[0]) / DIM**0.5
        weights = scores.masked_fill((distance < 0) | (distance >= limit), -torch.inf).softmax(-1)
        expected = expected + torch.einsum("hqk,khd->qhd", weights, repeated[1])
    torch.testing.assert_close(eager, expected, rtol=0, atol=2e-5)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(q, k, v, step()), eager)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"num_kv_heads": 3}, "num_kv_heads is 3"), ({"sliding_window": -1}, "sliding_window is -1")],
    ids=["heads", "window"],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PagedAttention(HEADS, DIM, **settings)
