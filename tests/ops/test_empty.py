"""Every operator on tensors without elements: the reference's shapes, and no writes.

Such tensors have no address. `make test-sanitized` runs this file too: memcpy from nowhere is undefined for 0 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from tests.ops.cases import GATED
from torchpaged.ops import library

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def ints(*values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32)


def attention(tokens: int, sequences: int, blocks: int, **options: Any) -> Call:
    cache = torch.full((3, 16, 2, 64), torch.nan)
    tables, zeros = torch.zeros(sequences, blocks, dtype=torch.int32), torch.zeros(sequences + 1, dtype=torch.int32)
    return "paged_attention_with_lse", (torch.ones(tokens, 4, 64), cache, cache, tables, zeros[1:], zeros), options


def sparse(tokens: int, sequences: int, blocks: int, count: int) -> Call:
    _, (query, *rest), _ = attention(tokens, sequences, blocks)
    selected = torch.zeros(tokens, 1, count, dtype=torch.int32)
    return "paged_sparse_attention_with_lse", (query, *rest, selected), {}


def topk(tokens: int, sequences: int, blocks: int) -> Call:
    _, (_, cache, _, *rest), _ = attention(tokens, sequences, blocks)
    return "paged_topk", (torch.ones(tokens, 4, 64), torch.ones(tokens, 4), cache, *rest, 3), {}


def varlen(tokens: int, keys: int, sequences: int) -> Call:
    query, key = torch.ones(tokens, 4, 8), torch.ones(keys, 2, 8)
    starts = torch.zeros(sequences + 1, dtype=torch.int32)
    return "varlen_attention_with_lse", (query, key, key.clone(), starts, starts.clone()), {"sinks": torch.ones(4)}


def varlen_backward(tokens: int, keys: int, sequences: int) -> Call:
    _, (query, key, value, *starts), options = varlen(tokens, keys, sequences)
    out, lse = torch.ones_like(query), torch.full((tokens, 4), -torch.inf)
    return "varlen_attention_backward", (out, None, query, key, value, out.clone(), lse, *starts), options


def merge(*shape: int) -> Call:
    out, lse = torch.ones(shape), torch.zeros(shape[:2])
    return "merge_attention_states", (out, lse, out.clone(), lse.clone()), {}


def write(tokens: int, width: int, dtype: torch.dtype = torch.float32, slots: int = 0) -> Call:
    caches = [torch.zeros(3, 8, 1, n, dtype=dtype) for n in (40, width)]
    rows = torch.ones(tokens, 1, 40)
    options = {}
    if dtype == torch.int8:
        options = {"k_scale_cache": torch.zeros(3, 8, 1), "v_scale_cache": torch.zeros(3, 8, 1)}
    return "write_kv_cache", (rows, rows[..., :width], *caches, torch.full((tokens,), slots)), options


def gather(sequences: int, blocks: int, max_tokens: int, dtype: torch.dtype = torch.float32) -> Call:
    cache = torch.ones(3, 16, 2, 64, dtype=dtype)
    tables, lengths = torch.zeros(sequences, blocks, dtype=torch.int32), torch.zeros(sequences, dtype=torch.int32)
    return "gather_kv_cache", (cache, cache, tables, lengths, max_tokens), {}


def copy(pairs: int, *shape: int) -> Call:
    return "copy_blocks", ([torch.ones(4, *shape)], torch.tensor([[0, 1], [1, 2]])[:pairs]), {}


def swap(pairs: int, *shape: int) -> Call:
    return "swap_blocks", (torch.ones(4, *shape), torch.zeros(4, *shape), torch.tensor([[0, 1], [1, 2]])[:pairs]), {}


def convolution(tokens: int, sequences: int, blocks: int, channels: int) -> Call:
    tables, zeros = torch.zeros(sequences, blocks, dtype=torch.int32), torch.zeros(sequences + 1, dtype=torch.int32)
    caches, weight = [torch.ones(3, 8, 2, 16)], torch.ones(channels, 3)
    x, slots = torch.ones(tokens, channels), torch.full((tokens,), -1)
    return "causal_conv1d", (x, weight, torch.ones(channels), caches, slots, tables, zeros[1:], zeros), {}


def recurrent(name: str, tokens: int, sequences: int, chunks: int) -> Call:
    tables, zeros = torch.zeros(sequences, chunks, dtype=torch.int32), torch.zeros(sequences + 1, dtype=torch.int32)
    rows, column, flat = torch.ones(tokens, 2, 8), torch.ones(tokens, 2), torch.ones(tokens, 8)
    first, state, row, options = {
        "chunked_conv1d": ((flat, torch.ones(8, 1), None), (0, 8), 8, {}),
        "gated_delta_rule": ((rows, rows, rows, -column, column), (2, 8, 8), 34, {}),
        "mamba2_scan": ((rows, column, -torch.ones(2), rows, rows), (2, 8, 8), 34, {"d": torch.ones(2)}),
        "linear_attention": ((rows, rows, rows, -torch.ones(2)), (2, 8, 8), 32, {}),
        "selective_scan": ((flat, flat, -torch.ones(8, 2), column, column), (8, 2), 18, {"d": torch.ones(8)}),
    }[name]
    pools = torch.ones(3, *state), torch.ones(3, 4, row)
    return name, (*first, *pools, tables, tables.clone(), zeros[1:], zeros), options


def sample() -> Call:
    none = torch.zeros(0)
    return "sample_tokens", (torch.zeros(0, 50), none, none.int(), none, none, none.long(), none.long()), {}


def penalize(rows: int, tokens: int) -> Call:
    columns = [torch.ones(rows) for _ in range(3)]
    lengths = torch.full((rows,), tokens, dtype=torch.int32)
    table = torch.zeros(rows, tokens, dtype=torch.int32)
    return "penalize_logits", (torch.zeros(rows, 50), table, torch.arange(rows), lengths, lengths, *columns), {}


def edit(rows: int, edits: int) -> Call:
    column, width = torch.zeros(rows, dtype=torch.int32), 2 if edits else 0
    ids = torch.zeros(edits, dtype=torch.int32)
    starts, prefixes = torch.zeros(rows + 1, dtype=torch.int32), torch.zeros(edits, width, dtype=torch.int32)
    tokens, masks = torch.zeros(rows, 0, dtype=torch.int32), torch.zeros(0, 0, dtype=torch.int32)
    state = (tokens, torch.arange(rows), column, column, masks, column - 1)
    return "edit_logits", (torch.zeros(rows, 50), *state, starts, ids, ids.float(), ids, prefixes), {}


def logprobs(rows: int, tokens: int, num_top: int) -> Call:
    index = torch.zeros(tokens, dtype=torch.int64)
    return "token_logprobs", (torch.zeros(rows, 50), index, index, num_top), {}


def linear(dtype: torch.dtype, *shape: int) -> Call:
    if dtype == torch.int8:
        packed = torch.zeros(2, 24 // 4, 32, 4, dtype=torch.uint8)
        return "packed_linear", (torch.ones(*shape, 24), packed, 40), {"weight_scale": torch.ones(40)}
    packed = torch.ops.torchpaged.pack_linear_weight(torch.zeros(40, 24, dtype=dtype))
    return "packed_linear", (torch.ones(*shape, 24, dtype=dtype), packed, 40), {}


def grouped(rows: int, experts: int) -> Call:
    weights = torch.zeros(experts, 2, 24, 32, 1)
    return "packed_grouped_linear", (torch.ones(rows, 24), weights, 40, torch.zeros(rows, dtype=torch.int64)), {}


def adapters(rows: int, slot: int) -> Call:
    tensors = torch.ones(rows, 40), torch.ones(rows, 24), torch.ones(2, 4, 24), torch.ones(2, 4, 40)
    return "lora_linear_add", (*tensors, torch.full((rows,), slot, dtype=torch.int32), [40]), {}


def rotary(*shape: int, rotated: int) -> Call:
    x, table = torch.ones(shape), torch.ones(*shape[:-2], 1, rotated)
    return "rotary_embedding", (x, x.clone(), table, table.clone()), {"query_weight": torch.ones(shape[-1])}


def pointwise(name: str, *shape: int) -> Call:
    x = torch.ones(shape)
    if name == "rms_norm":
        return name, (x, torch.ones(shape[-1]), 1e-6), {}
    return name, (x, x.clone(), torch.ones(shape[-1]), 1e-6) if name == "add_rms_norm" else (x, x.clone()), {}


RECURRENT = ("chunked_conv1d", "gated_delta_rule", "mamba2_scan", "linear_attention", "selective_scan")
GATED_AND_NORMS = ("rms_norm", "add_rms_norm", *GATED)
CALLS: dict[str, Callable[[], Call]] = {
    "attention of no sequence": lambda: attention(0, 0, 0),
    "attention of no token": lambda: attention(0, 2, 0),
    "attention of padding": lambda: attention(3, 0, 1),
    "attention under no mask": lambda: attention(0, 1, 1, tree_mask=torch.ones(0, 0, dtype=torch.bool)),
    "sparse attention of no sequence": lambda: sparse(0, 0, 0, 3),
    "sparse attention of no token": lambda: sparse(0, 2, 0, 3),
    "sparse attention of padding": lambda: sparse(3, 0, 1, 3),
    "sparse attention to nothing": lambda: sparse(3, 0, 1, 0),
    "choice of no sequence": lambda: topk(0, 0, 0),
    "choice of no token": lambda: topk(0, 2, 0),
    "choice of padding": lambda: topk(3, 0, 1),
    "packed attention of no sequence": lambda: varlen(0, 0, 0),
    "packed attention of no token": lambda: varlen(0, 3, 2),
    "packed attention of no key": lambda: varlen(3, 0, 2),
    "packed attention of padding": lambda: varlen(3, 3, 1),
    "gradient of no sequence": lambda: varlen_backward(0, 0, 0),
    "gradient of no token": lambda: varlen_backward(0, 3, 2),
    "gradient of no key": lambda: varlen_backward(3, 0, 2),
    "gradient of padding": lambda: varlen_backward(3, 3, 1),
    "merge of no token": lambda: merge(0, 2, 8),
    "merge of no head": lambda: merge(3, 0, 8),
    "merge of no value": lambda: merge(3, 2, 0),
    "write of no token": lambda: write(0, 40),
    "write of no value": lambda: write(5, 0),
    "write of no value to int8": lambda: write(5, 0, torch.int8),
    "write of nothing to int8": lambda: write(0, 0, torch.int8),
    "write of padding": lambda: write(5, 40, slots=-1),
    "gather of no sequence": lambda: gather(0, 0, 5),
    "gather of no token": lambda: gather(2, 0, 0),
    "gather of an empty sequence": lambda: gather(2, 0, 5),
    "gather of an empty sequence in int8": lambda: gather(2, 1, 5, torch.int8),
    "convolution of no sequence": lambda: convolution(0, 0, 0, 32),
    "convolution of no token": lambda: convolution(0, 2, 0, 32),
    "convolution of padding": lambda: convolution(3, 0, 1, 32),
    "convolution of no channel": lambda: convolution(3, 1, 1, 0),
    "copy of no pair": lambda: copy(0, 8, 2),
    "copy of empty blocks": lambda: copy(2, 8, 0),
    "copy of numbers": lambda: copy(2),
    "swap of no pair": lambda: swap(0, 8, 2),
    "swap of empty blocks": lambda: swap(2, 0, 8),
    "sampling of no row": sample,
    "penalties of no row": lambda: penalize(0, 3),
    "penalties of no token": lambda: penalize(2, 0),
    "edits of no row": lambda: edit(0, 0),
    "no edit": lambda: edit(2, 0),
    "edits of no row's": lambda: edit(2, 3),
    "logprobs of no token": lambda: logprobs(2, 0, 3),
    "logprobs of no row": lambda: logprobs(0, 2, 3),
    "logprobs without likeliest tokens": lambda: logprobs(2, 3, 0),
    "bfloat16 product of no row": lambda: linear(torch.bfloat16, 0),
    "float16 product of no row": lambda: linear(torch.float16, 0, 3),
    "float32 product of no row": lambda: linear(torch.float32, 0),
    "int8 product of no row": lambda: linear(torch.int8, 2, 0),
    "grouped product of no row": lambda: grouped(0, 3),
    "grouped product of no expert": lambda: grouped(2, 0),
    "adapters of no row": lambda: adapters(0, 0),
    "rows without adapters": lambda: adapters(3, -1),
    "rotation of no row": lambda: rotary(0, 4, 8, rotated=8),
    "rotation of nothing": lambda: rotary(3, 4, 8, rotated=0),
    "rotation of rows of nothing": lambda: rotary(3, 4, 0, rotated=0),
    **{f"{name} of no token": lambda name=name: recurrent(name, 0, 2, 0) for name in RECURRENT},  # type: ignore[misc]
    **{f"{name} of no sequence": lambda name=name: recurrent(name, 0, 0, 1) for name in RECURRENT},  # type: ignore[misc]
    **{f"{name} of padding": lambda name=name: recurrent(name, 3, 0, 1) for name in RECURRENT},  # type: ignore[misc]
    **{f"{name} of no row": lambda name=name: pointwise(name, 0, 8) for name in GATED_AND_NORMS},  # type: ignore[misc]
    **{f"{name} of nothing": lambda name=name: pointwise(name, 3, 0) for name in GATED_AND_NORMS},  # type: ignore[misc]
}


def results(backend: str, call: Call) -> list[Tensor]:
    """Return the operator's results, then its tensors: one may be mutated."""
    name, arguments, options = call
    returned = backends.call(backend)(name, *arguments, **options)
    outputs = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
    lists = [x if isinstance(x, list) else [x] for x in (*arguments, *options.values())]
    return [*outputs, *(x for each in lists for x in each if isinstance(x, Tensor))]


def test_every_operator_has_such_a_call() -> None:
    names = {make()[0] for make in CALLS.values()}
    assert names == {op.overload for op in library.OPERATORS} - {
        "paged_attention",  # as the overload with an lse
        "paged_attention.out",
        "paged_sparse_attention",
        "varlen_attention",
        "pack_linear_weight",  # refuses a weight without elements
        "pack_grouped_weight",
    }


@pytest.mark.parametrize("name", CALLS)
def test_what_is_empty_gives_what_is_empty(name: str) -> None:
    found, expected = (results(backend, CALLS[name]()) for backend in ("cpp", "reference"))
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)
