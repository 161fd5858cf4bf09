"""The registry: opcheck, argument checks, fakes under torch.compile, backends by name and from third parties."""

from __future__ import annotations

import copy
import functools
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests import forks
from tests.ops import backends
from tests.ops.cases import GATED, build, error, named
from torchpaged import ops
from torchpaged.errors import ConfigError
from torchpaged.ops import devices, library, reference
from torchpaged.ops.grouped_weights import OFFSETS, GroupedFormat

OPS = torch.ops.torchpaged
PACKED = GroupedFormat(4, 32, 1, OFFSETS, 64)


def caches(blocks: int = 8, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
    return tuple(torch.randn(blocks, 16, 2, 64).to(dtype) for _ in range(2))  # type: ignore[return-value]


def sample(overload: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return a valid call of an overload, with tensors of its own."""
    return copy.deepcopy(_samples()[overload])


@functools.cache
def _samples() -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    return samples()


def samples() -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return one valid call of every overload."""
    problem = build(named("everything")[0], torch.float32)
    attention = tuple(problem.arguments.values())
    rows = attention[0].shape[0]
    key, value = torch.randn(rows, 2, 64), torch.randn(rows, 2, 64)
    tables = torch.arange(6, dtype=torch.int32).view(2, 3)
    out, lse = torch.randn(3, 4, 64), torch.randn(3, 4)
    pairs = torch.tensor([[1, 2], [3, 5]])
    selected = torch.randint(-1, 1, (rows, 2, 5), dtype=torch.int32)
    sparse = (*attention, selected), {**problem.options, "granularity": 4}
    ones, counts = torch.ones(3), torch.arange(3)
    return {
        "paged_attention": (attention, problem.options),
        "paged_attention.out": (attention, {**problem.options, "out": torch.empty_like(attention[0])}),
        "paged_attention_with_lse": (attention, problem.options),
        "paged_sparse_attention": sparse,
        "paged_sparse_attention_with_lse": sparse,
        "paged_topk": (
            (torch.randn(rows, 4, 64), torch.randn(rows, 4), caches(len(attention[1]))[0], *attention[3:6], 3),
            {"granularity": 4, "num_selections": 2, "local": 1},
        ),
        "merge_attention_states": ((out, lse, out.clone(), lse.clone()), {}),
        "write_kv_cache": ((key, value, *caches(), torch.arange(rows)), {}),
        "gather_kv_cache": ((*caches(), tables, torch.tensor([20, 48], dtype=torch.int32), 48), {}),
        "copy_blocks": (([*caches()], pairs), {}),
        "swap_blocks": ((*caches(), pairs), {}),
        "causal_conv1d": (
            (
                torch.randn(5, 200),
                torch.randn(200, 3),
                torch.randn(200),
                [*caches()],
                torch.tensor([20, 21, 64, 65, -1]),
                tables,
                torch.tensor([22, 18], dtype=torch.int32),
                torch.tensor([0, 2, 4], dtype=torch.int32),
            ),
            {"silu": True},
        ),
        **state_samples(),
        "pack_linear_weight": ((torch.randn(40, 22).bfloat16(),), {}),
        "pack_grouped_weight": (
            (torch.randint(0, 16, (40, 64), dtype=torch.uint8), PACKED.code, torch.randn(40, 1).half()),
            {
                "offset": torch.randn(40, 1).half(),
                "scale_steps": torch.ones(40, 2, dtype=torch.int8),
                "offset_steps": torch.ones(40, 2, dtype=torch.int8),
            },
        ),
        "packed_linear": (
            (torch.randn(2, 3, 22), torch.randint(0, 256, (2, 6, 32, 4), dtype=torch.uint8), 40),
            {"bias": torch.randn(40), "weight_scale": torch.rand(40)},
        ),
        "packed_grouped_linear": (
            (
                torch.randn(2, 3, 22),
                torch.randint(0, 256, (4, 2, 6, 32, 4), dtype=torch.uint8),
                40,
                torch.tensor([[3, 0, 1], [-1, 3, 4]]),
            ),
            {"weight_scale": torch.rand(4, 40)},
        ),
        "lora_linear_add": (
            (
                torch.randn(4, 40),
                torch.randn(4, 22),
                torch.randn(3, 6, 22),
                torch.randn(3, 3, 40),
                torch.tensor([2, -1, 0, 2], dtype=torch.int32),
                [30, 10],
            ),
            {"ranks": torch.tensor([[3, 1], [9, 9], [0, 2]], dtype=torch.int32)},
        ),
        "sample_tokens": ((torch.randn(3, 50), ones, counts.int(), ones * 0.9, ones * 0.1, counts, counts), {}),
        "edit_logits": (
            (
                torch.randn(3, 50),
                tables.repeat(2, 3),
                counts,
                counts.int() + 3,
                counts.int(),
                torch.tensor([[7, 7], [-1, 3]], dtype=torch.int32),
                torch.tensor([1, -1, 0], dtype=torch.int32),
                torch.tensor([0, 2, 2, 3], dtype=torch.int32),
                torch.tensor([4, 9, 2], dtype=torch.int32),
                torch.tensor([0.5, -torch.inf, 2.0]),
                torch.tensor([9, 2, 9], dtype=torch.int32),
                torch.tensor([[-1, -1], [1, 2], [-1, 0]], dtype=torch.int32),
            ),
            {},
        ),
        "penalize_logits": (
            (torch.randn(3, 50), tables.repeat(2, 3), counts, counts.int() + 3, counts.int(), ones * 1.5, ones, ones),
            {},
        ),
        "token_logprobs": ((torch.randn(3, 50), torch.tensor([0, 0, 2, 1]), torch.arange(4) * 9, 5), {}),
        "rms_norm": ((out, torch.randn(64), 1e-6), {}),
        "add_rms_norm": ((out, out.clone(), torch.randn(64), 1e-6), {}),
        "rotary_embedding": ((out, out[:, :2], torch.randn(3, 1, 8), torch.randn(3, 1, 8)), {}),
        **{name: ((out, out.clone()), {}) for name in GATED},
        **varlen_samples(),
    }


def varlen_samples() -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return packed sequences of 5 and 2 queries over 5 and 9 keys, and a token of none."""
    query, key, value = torch.randn(8, 4, 16), torch.randn(14, 2, 16), torch.randn(14, 2, 24)
    starts = [torch.tensor([0, *ends], dtype=torch.int32) for ends in ((5, 7), (5, 14))]
    options = {"softcap": 5.0, "alibi_slopes": torch.rand(4), "sinks": torch.randn(4), "max_seqlen_k": 9}
    out, lse = torch.randn(8, 4, 24), torch.full((8, 4), 3.0)
    return {
        "varlen_attention": ((query, key, value, *starts), options),
        "varlen_attention_with_lse": ((query, key, value, *starts), options),
        "varlen_attention_backward": ((out, lse.neg(), query, key, value, out.neg(), lse, *starts), options),
    }


def state_samples() -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return chunks of 4 tokens: sequences that begin, are in their second chunk, and end their third; padding."""
    lengths = torch.tensor([2, 6, 12], dtype=torch.int32), torch.tensor([0, 2, 3, 8], dtype=torch.int32)
    tables = [torch.tensor(rows, dtype=torch.int32) for rows in ([[0, 0, 0], [1, 0, 0], [2, 3, 4]], [[1], [2], [3]])]
    tables[1] = torch.cat([torch.zeros_like(tables[1]), tables[1], tables[1] + 3], 1)
    rows, float_rows = torch.randn(9, 2, 8), torch.randn(9, 4)

    def paged(*state: int, row: int) -> tuple[Tensor, ...]:
        return torch.randn(5, *state), torch.randn(7, 4, row), *tables, *lengths

    x, wide = torch.randn(9, 4, 6), torch.randn(9, 20)
    scan = {"d": torch.randn(4), "dt_bias": torch.randn(4), "dt_softplus": True}
    columns = {name: each.repeat(5) if isinstance(each, Tensor) else each for name, each in scan.items()}
    return {
        "chunked_conv1d": ((wide, torch.randn(20, 3), torch.randn(20), *paged(2, 20, row=20)), {"silu": True}),
        "gated_delta_rule": (
            (rows, rows.flip(0), x, -float_rows.abs(), float_rows.sigmoid(), *paged(4, 8, 6, row=44)),
            {"normalize": True},
        ),
        "mamba2_scan": ((x, float_rows, -torch.rand(4), rows, rows.flip(0), *paged(4, 8, 6, row=44)), scan),
        "linear_attention": ((rows, rows.flip(0), x, -torch.rand(4), *paged(4, 8, 6, row=40)), {"scale": 0.5}),
        "selective_scan": (
            (wide, wide.flip(0), -torch.rand(20, 8), rows[:, 0], rows[:, 1], *paged(20, 8, row=48)),
            columns,
        ),
    }


def test_every_operator_has_a_sample() -> None:
    assert set(samples()) == {operator.overload for operator in library.OPERATORS}


def check(operator: library.Operator, backend: str, checks: tuple[str, ...]) -> None:
    args, kwargs = sample(operator.overload)
    namespace = library.NATIVE_NAMESPACE if backend == "cpp" else library.NAMESPACE
    ops.set_backend("reference" if backend == "reference" else None)
    try:
        # NaN in unused slots is part of the problem, so equality of the outputs is what is compared.
        torch.library.opcheck(operator.packet(namespace), args, kwargs, test_utils=checks)
    finally:
        ops.set_backend(None)


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@pytest.mark.parametrize("operator", library.OPERATORS, ids=lambda op: op.overload)
def test_opcheck(operator: library.Operator, backend: str) -> None:
    check(operator, backend, ("test_schema", "test_autograd_registration", "test_faketensor"))


# It takes most of the time; what it traces is the same for both backends.
@pytest.mark.parametrize("backend", [pytest.param("reference", marks=pytest.mark.long), "cpp"])
@pytest.mark.parametrize("operator", library.OPERATORS, ids=lambda op: op.overload)
def test_opcheck_of_traced_calls(operator: library.Operator, backend: str) -> None:
    check(operator, backend, ("test_aot_dispatch_dynamic",))


# --- Argument checks: (overload, what to change, what the message must name) -----------------------------------


def _replace(index: int, change: Callable[[Any], Any]) -> Callable[[list[Any], dict[str, Any]], None]:
    def apply(args: list[Any], kwargs: dict[str, Any]) -> None:
        args[index] = change(args[index])

    return apply


def _option(**values: Any) -> Callable[[list[Any], dict[str, Any]], None]:
    def apply(args: list[Any], kwargs: dict[str, Any]) -> None:
        kwargs.update(values)

    return apply


BAD: dict[str, tuple[str, Any, str]] = {
    "query-2d": ("paged_attention", _replace(0, lambda t: t[0]), "query"),
    "query-dtype": ("paged_attention", _replace(0, lambda t: t.half()), "query"),
    "query-int": ("paged_attention", _replace(0, lambda t: t.int()), "query"),
    "query-head-dim": ("paged_attention", _replace(0, lambda t: t[..., :32].contiguous()), "query"),
    "query-heads": ("paged_attention", _replace(0, lambda t: t[:, :3]), "query"),
    "query-last-stride": (
        "paged_attention",
        _replace(0, lambda t: t.transpose(1, 2).contiguous().transpose(1, 2)),
        "query",
    ),
    "key-cache-3d": ("paged_attention", _replace(1, lambda t: t[0]), "key_cache"),
    "key-cache-dtype": ("paged_attention", _replace(1, lambda t: t.double()), "key_cache"),
    "value-cache-dtype": ("paged_attention", _replace(2, lambda t: t.half()), "value_cache"),
    "value-cache-blocks": ("paged_attention", _replace(2, lambda t: t[1:]), "value_cache"),
    "value-cache-block-size": ("paged_attention", _replace(2, lambda t: t[:, 1:]), "value_cache"),
    "value-cache-heads": ("paged_attention", _replace(2, lambda t: t[:, :, :1]), "value_cache"),
    "tables-dtype": ("paged_attention", _replace(3, lambda t: t.long()), "block_tables"),
    "tables-1d": ("paged_attention", _replace(3, lambda t: t[0]), "block_tables"),
    "tables-rows": ("paged_attention", _replace(3, lambda t: t[1:]), "block_tables"),
    "lengths-dtype": ("paged_attention", _replace(4, lambda t: t.long()), "seq_lens"),
    "lengths-2d": ("paged_attention", _replace(4, lambda t: t[None]), "seq_lens"),
    "starts-dtype": ("paged_attention", _replace(5, lambda t: t.long()), "query_start_loc"),
    "starts-size": ("paged_attention", _replace(5, lambda t: t[1:]), "query_start_loc"),
    "window-negative": ("paged_attention", _option(sliding_window=-1), "sliding_window"),
    "softcap-negative": ("paged_attention", _option(softcap=-1.0), "softcap"),
    "max-query-len-negative": ("paged_attention", _option(max_query_len=-1), "max_query_len"),
    "num-splits-negative": ("paged_attention", _option(num_splits=-1), "num_splits"),
    "alibi-size": ("paged_attention", _option(alibi_slopes=torch.ones(3)), "alibi_slopes"),
    "bias-dim": ("paged_attention", _option(distance_bias=torch.ones(4)), "distance_bias"),
    "bias-size": ("paged_attention", _option(distance_bias=torch.ones(3, 8)), "distance_bias"),
    "bias-empty": ("paged_attention", _option(distance_bias=torch.ones(4, 0)), "distance_bias has 0 distances"),
    "bias-dtype": ("paged_attention", _option(distance_bias=torch.ones(4, 8).half()), "distance_bias"),
    "bias-strides": ("paged_attention", _option(distance_bias=torch.ones(8, 4).T), "distance_bias"),
    "alibi-dtype": ("paged_attention", _option(alibi_slopes=torch.ones(4).half()), "alibi_slopes"),
    "sinks-size": ("paged_attention", _option(sinks=torch.ones(4, 1)), "sinks"),
    "sinks-dtype": ("paged_attention", _option(sinks=torch.ones(4, dtype=torch.float64)), "sinks"),
    "tree-dtype": ("paged_attention", _option(tree_mask=torch.ones(14, 7)), "tree_mask"),
    "tree-rows": ("paged_attention", _option(tree_mask=torch.ones(3, 7, dtype=torch.bool)), "tree_mask"),
    "k-scale-unquantised": ("paged_attention", _option(k_scale=torch.ones(())), "k_scale"),
    "v-scale-unquantised": ("paged_attention", _option(v_scale=torch.ones(2)), "v_scale"),
    "out-shape": ("paged_attention.out", _option(out=torch.empty(2, 4, 64)), "out"),
    "out-dtype": ("paged_attention.out", _option(out=torch.empty(14, 4, 64).half()), "out"),
    "sparse-query": ("paged_sparse_attention", _replace(0, lambda t: t[..., :32].contiguous()), "query"),
    "sparse-sinks": ("paged_sparse_attention_with_lse", _option(sinks=torch.ones(3)), "sinks"),
    "selected-2d": ("paged_sparse_attention", _replace(6, lambda t: t[0]), "selected has 2 dimensions"),
    "selected-dtype": ("paged_sparse_attention", _replace(6, lambda t: t.long()), "selected has dtype int64"),
    "selected-tokens": ("paged_sparse_attention", _replace(6, lambda t: t[1:]), "selected"),
    "selected-heads": (
        "paged_sparse_attention_with_lse",
        _replace(6, lambda t: torch.cat([t, t[:, :1]], 1)),
        "selected has size 3 in dimension 1",
    ),
    "selected-stride": ("paged_sparse_attention", _replace(6, lambda t: t.mT.contiguous().mT), "selected has stride"),
    "selected-granularity": ("paged_sparse_attention", _option(granularity=0), "granularity is 0, expected 1 or more"),
    "topk-query-2d": ("paged_topk", _replace(0, lambda t: t[0]), "index_query has 2 dimensions"),
    "topk-query-dtype": ("paged_topk", _replace(0, lambda t: t.half()), "index_query has dtype float16"),
    "topk-query-heads": ("paged_topk", _replace(0, lambda t: t[:, :3]), "index_query has 3 heads"),
    "topk-query-stride": ("paged_topk", _replace(0, lambda t: t.mT.contiguous().mT), "index_query has stride"),
    "topk-weights-1d": ("paged_topk", _replace(1, lambda t: t[0]), "index_weights has 1 dimensions"),
    "topk-weights-tokens": ("paged_topk", _replace(1, lambda t: t[1:]), "index_weights has size"),
    "topk-weights-heads": ("paged_topk", _replace(1, lambda t: t[:, 1:]), "index_weights has size"),
    "topk-weights-dtype": ("paged_topk", _replace(1, lambda t: t.half()), "index_weights has dtype float16"),
    "topk-cache-3d": ("paged_topk", _replace(2, lambda t: t[0]), "index_cache has 3 dimensions"),
    "topk-cache-dtype": ("paged_topk", _replace(2, lambda t: t.double()), "index_cache has dtype float64"),
    "topk-cache-width": ("paged_topk", _replace(2, lambda t: t[..., 1:]), "index_cache has size 63"),
    "topk-cache-bounds": ("paged_topk", _option(rule="bounds"), "index_cache has size 64 in dimension 3"),
    "topk-cache-empty": ("paged_topk", _replace(2, lambda t: t[:0]), "index_cache has an empty dimension"),
    "topk-tables": ("paged_topk", _replace(3, lambda t: t.long()), "block_tables"),
    "topk-lengths": ("paged_topk", _replace(4, lambda t: t[1:]), "block_tables"),
    "topk-starts": ("paged_topk", _replace(5, lambda t: t[1:]), "query_start_loc"),
    "topk-k": ("paged_topk", _replace(6, lambda _: 0), "k is 0, expected 1 or more"),
    "topk-rule": ("paged_topk", _option(rule="mean"), "rule is 'mean', expected one of 'relu', 'dot', 'bounds'"),
    "topk-granularity": ("paged_topk", _option(granularity=0), "granularity is 0, expected 1 or more"),
    "topk-selections": ("paged_topk", _option(num_selections=3), "num_selections is 3, expected a divisor of the 4"),
    "topk-local": ("paged_topk", _option(local=-1), "local is -1, expected 0 or more"),
    "topk-always": ("paged_topk", _option(initial=2, local=2), "k is 3, expected at least initial"),
    "topk-rows": (
        "paged_topk",
        _option(tokens_per_row=3),
        "granularity is 4, expected a multiple of tokens_per_row, 3",
    ),
    "topk-scale": ("paged_topk", _option(index_scale=torch.ones(())), "index_scale is given with a float32 cache"),
    "varlen-query-2d": ("varlen_attention", _replace(0, lambda t: t[0]), "query has 2 dimensions"),
    "varlen-query-dtype": ("varlen_attention", _replace(0, lambda t: t.double()), "query has dtype float64"),
    "varlen-query-heads": ("varlen_attention", _replace(0, lambda t: t[:, :3]), "query has 3 heads"),
    "varlen-query-stride": ("varlen_attention", _replace(0, lambda t: t.mT.contiguous().mT), "query has stride"),
    "varlen-key-width": ("varlen_attention", _replace(1, lambda t: t[..., :8].contiguous()), "key has size 8"),
    "varlen-key-dtype": ("varlen_attention_with_lse", _replace(1, lambda t: t.half()), "key has dtype float16"),
    "varlen-value-rows": ("varlen_attention", _replace(2, lambda t: t[1:]), "value has size 13"),
    "varlen-value-heads": ("varlen_attention", _replace(2, lambda t: t[:, :1]), "value has size 1"),
    "varlen-value-empty": ("varlen_attention", _replace(2, lambda t: t[..., :0]), "value has an empty dimension"),
    "varlen-starts-dtype": ("varlen_attention", _replace(3, lambda t: t.long()), "cu_seqlens_q has dtype int64"),
    "varlen-starts-2d": ("varlen_attention", _replace(4, lambda t: t[None]), "cu_seqlens_k has 2 dimensions"),
    "varlen-starts-none": ("varlen_attention", _replace(3, lambda t: t[:0]), "cu_seqlens_q has no entry"),
    "varlen-starts-size": ("varlen_attention", _replace(4, lambda t: t[1:]), "cu_seqlens_k has size 2"),
    "varlen-window": ("varlen_attention", _option(sliding_window=-1), "sliding_window is -1"),
    "varlen-right": ("varlen_attention", _option(right_window=-2), "right_window is -2, expected -1 or more"),
    "varlen-softcap": ("varlen_attention", _option(softcap=-1.0), "softcap"),
    "varlen-scale": ("varlen_attention", _option(scale=float("nan")), "scale is NaN or infinite"),
    "varlen-longest": ("varlen_attention", _option(max_seqlen_k=-1), "max_seqlen_k is -1"),
    "varlen-slopes-3d": ("varlen_attention", _option(alibi_slopes=torch.ones(1, 2, 4)), "alibi_slopes has 3 dim"),
    "varlen-slopes-seqs": ("varlen_attention", _option(alibi_slopes=torch.ones(3, 4)), "alibi_slopes has size 3"),
    "varlen-slopes-dtype": ("varlen_attention", _option(alibi_slopes=torch.ones(4).half()), "alibi_slopes has dtype"),
    "varlen-sinks-size": ("varlen_attention", _option(sinks=torch.ones(3)), "sinks has size 3"),
    "varlen-sinks-dtype": ("varlen_attention", _option(sinks=torch.ones(4).double()), "sinks has dtype"),
    "varlen-grad-out": ("varlen_attention_backward", _replace(0, lambda t: t[1:]), "grad_out has size 7"),
    "varlen-grad-out-dtype": ("varlen_attention_backward", _replace(0, lambda t: t.half()), "grad_out has dtype"),
    "varlen-grad-lse": ("varlen_attention_backward", _replace(1, lambda t: t[:, :2]), "grad_lse"),
    "varlen-out": ("varlen_attention_backward", _replace(5, lambda t: t[..., :8].contiguous()), "out has size 8"),
    "varlen-lse": ("varlen_attention_backward", _replace(6, lambda t: t.double()), "lse has dtype float64"),
    "merge-shape": ("merge_attention_states", _replace(2, lambda t: t[1:]), "out_b"),
    "merge-dtype": ("merge_attention_states", _replace(2, lambda t: t.half()), "out_b"),
    "merge-lse-dtype": ("merge_attention_states", _replace(1, lambda t: t.half()), "lse_a"),
    "merge-lse-shape": ("merge_attention_states", _replace(3, lambda t: t[:, 1:]), "lse_b"),
    "write-key-dim": ("write_kv_cache", _replace(0, lambda t: t[0]), "key"),
    "write-key-heads": ("write_kv_cache", _replace(0, lambda t: t[:, :1]), "key"),
    "write-value-dtype": ("write_kv_cache", _replace(1, lambda t: t.half()), "value"),
    "write-value-rows": ("write_kv_cache", _replace(1, lambda t: t[1:]), "value"),
    "write-slots-dtype": ("write_kv_cache", _replace(4, lambda t: t.int()), "slot_mapping"),
    "write-slots-rows": ("write_kv_cache", _replace(4, lambda t: t[1:]), "slot_mapping"),
    "write-slot-too-large": ("write_kv_cache", _replace(4, lambda t: t + 8 * 16), "slot_mapping"),
    "write-scale-unquantised": ("write_kv_cache", _option(k_scale=torch.ones(())), "k_scale"),
    "write-scale-cache-unquantised": ("write_kv_cache", _option(v_scale_cache=torch.ones(8, 16, 2)), "v_scale_cache"),
    "gather-tables": ("gather_kv_cache", _replace(2, lambda t: t.long()), "block_tables"),
    "gather-lengths": ("gather_kv_cache", _replace(3, lambda t: t[1:]), "block_tables"),
    "gather-max-tokens": ("gather_kv_cache", _replace(4, lambda _: -1), "max_tokens"),
    "copy-empty": ("copy_blocks", _replace(0, lambda _: []), "caches"),
    "copy-sizes": ("copy_blocks", _replace(0, lambda c: [c[0], c[1][1:]]), "caches"),
    "copy-mapping-dtype": ("copy_blocks", _replace(1, lambda t: t.int()), "block_mapping"),
    "copy-mapping-shape": ("copy_blocks", _replace(1, lambda t: t[:, :1]), "block_mapping"),
    "copy-out-of-range": ("copy_blocks", _replace(1, lambda t: t + 6), "block_mapping"),
    "copy-negative": ("copy_blocks", _replace(1, lambda t: t - 2), "block_mapping"),
    "swap-dtype": ("swap_blocks", _replace(1, lambda t: t.half()), "dst"),
    "swap-shape": ("swap_blocks", _replace(1, lambda t: t[:, 1:]), "dst"),
    "pack-1d": ("pack_linear_weight", _replace(0, lambda t: t[0]), "weight"),
    "pack-dtype": ("pack_linear_weight", _replace(0, lambda t: t.double()), "weight"),
    "pack-last-stride": ("pack_linear_weight", _replace(0, lambda t: t.T), "weight"),
    "pack-empty": ("pack_linear_weight", _replace(0, lambda t: t[:0]), "weight"),
    "pack-codes-1d": ("pack_grouped_weight", _replace(0, lambda t: t[0]), "codes"),
    "pack-codes-dtype": ("pack_grouped_weight", _replace(0, lambda t: t.to(torch.int8)), "codes"),
    "pack-codes-stride": ("pack_grouped_weight", _replace(0, lambda t: t[:, ::2]), "codes"),
    "pack-codes-empty": ("pack_grouped_weight", _replace(0, lambda t: t[:, :0]), "codes"),
    "pack-codes-too-large": ("pack_grouped_weight", _replace(0, lambda t: t + 16), "codes"),
    "pack-format": ("pack_grouped_weight", _replace(1, lambda _: PACKED._replace(group_size=24).code), "format"),
    "pack-no-format": ("pack_grouped_weight", _replace(1, lambda _: 0), "format"),
    "pack-scale-1d": ("pack_grouped_weight", _replace(2, lambda t: t[:, 0]), "scale"),
    "pack-scale-dtype": ("pack_grouped_weight", _replace(2, lambda t: t.bfloat16()), "scale"),
    "pack-scale-entries": ("pack_grouped_weight", _replace(2, lambda t: t.repeat(1, 2)), "scale"),
    "pack-scale-outputs": ("pack_grouped_weight", _replace(2, lambda t: t[1:]), "scale"),
    "pack-another-format": ("pack_grouped_weight", _replace(1, lambda _: PACKED._replace(shared=32).code), "scale"),
    "pack-zero": ("pack_grouped_weight", _option(zero=torch.zeros(40, 2, dtype=torch.uint8)), "zero"),
    "pack-no-offset": ("pack_grouped_weight", _option(offset=None), "offset"),
    "pack-offset-dtype": ("pack_grouped_weight", _option(offset=torch.randn(40, 1)), "offset"),
    "pack-no-steps": ("pack_grouped_weight", _option(scale_steps=None), "scale_steps"),
    "pack-steps-dtype": ("pack_grouped_weight", _option(scale_steps=torch.ones(40, 2).char().byte()), "scale_steps"),
    "pack-steps-stride": (
        "pack_grouped_weight",
        _option(offset_steps=torch.ones(2, 40, dtype=torch.int8).T),
        "offset_steps",
    ),
    "linear-format": ("packed_linear", _option(format=PACKED.code), "packed_weight"),
    "linear-input-dtype": ("packed_linear", _replace(0, lambda t: t.double()), "input"),
    "linear-input-features": ("packed_linear", _replace(0, lambda t: t[..., :20].contiguous()), "input"),
    "linear-input-last-stride": ("packed_linear", _replace(0, lambda t: t[..., ::2]), "input"),
    "linear-input-0d": ("packed_linear", _replace(0, lambda t: t[0, 0, 0]), "input"),
    "linear-weight-dtype": ("packed_linear", _replace(1, lambda t: t.double()), "packed_weight"),
    "linear-weight-words": ("packed_linear", _replace(1, lambda t: t.float()), "packed_weight"),
    "linear-weight-2d": ("packed_linear", _replace(1, lambda t: t[0, 0]), "packed_weight"),
    "linear-weight-panels": ("packed_linear", _replace(1, lambda t: t[:1]), "packed_weight"),
    "linear-float32-input": ("packed_linear", _replace(1, lambda _: torch.zeros(2, 11, 32, 2).bfloat16()), "input"),
    "linear-float16-weight": ("packed_linear", _replace(1, lambda _: torch.zeros(2, 22, 32, 1).half()), "input"),
    "linear-float-scale": ("packed_linear", _replace(1, lambda _: torch.zeros(2, 22, 32, 1)), "weight_scale"),
    "linear-no-outputs": ("packed_linear", _replace(2, lambda _: 0), "out_features"),
    "linear-bias-size": ("packed_linear", _option(bias=torch.zeros(41)), "bias"),
    "linear-bias-dtype": ("packed_linear", _option(bias=torch.zeros(40).half()), "bias"),
    "linear-no-scale": ("packed_linear", _option(weight_scale=None), "weight_scale"),
    "linear-scale-dtype": ("packed_linear", _option(weight_scale=torch.zeros(40).half()), "weight_scale"),
    "linear-scale-size": ("packed_linear", _option(weight_scale=torch.zeros(1)), "weight_scale"),
    "grouped-weights-4d": ("packed_grouped_linear", _replace(1, lambda t: t[0]), "packed_weights"),
    "grouped-weights-dtype": ("packed_grouped_linear", _replace(1, lambda t: t.double()), "packed_weights"),
    "grouped-weights-stride": ("packed_grouped_linear", _replace(1, lambda t: t.transpose(0, 1)), "packed_weights"),
    "grouped-input-features": ("packed_grouped_linear", _replace(0, lambda t: t[..., :20].contiguous()), "input"),
    "grouped-outputs": ("packed_grouped_linear", _replace(2, lambda _: 65), "packed_weights"),
    "grouped-experts-dtype": ("packed_grouped_linear", _replace(3, lambda t: t.int()), "expert_of_row"),
    "grouped-experts-1d": ("packed_grouped_linear", _replace(3, lambda t: t[0]), "expert_of_row"),
    "grouped-experts-size": ("packed_grouped_linear", _replace(3, lambda t: t[:, :2].contiguous()), "expert_of_row"),
    "grouped-experts-stride": ("packed_grouped_linear", _replace(3, lambda t: t.T.contiguous().T), "expert_of_row"),
    "grouped-no-scale": ("packed_grouped_linear", _option(weight_scale=None), "weight_scale"),
    "grouped-scale-size": ("packed_grouped_linear", _option(weight_scale=torch.ones(3, 40)), "weight_scale"),
    "grouped-scale-1d": ("packed_grouped_linear", _option(weight_scale=torch.ones(40)), "weight_scale"),
    "lora-out-1d": ("lora_linear_add", _replace(0, lambda t: t[0]), "out"),
    "lora-out-dtype": ("lora_linear_add", _replace(0, lambda t: t.double()), "out"),
    "lora-out-stride": ("lora_linear_add", _replace(0, lambda t: t.T.contiguous().T), "out"),
    "lora-x-rows": ("lora_linear_add", _replace(1, lambda t: t[1:]), "x"),
    "lora-x-dtype": ("lora_linear_add", _replace(1, lambda t: t.half()), "x"),
    "lora-x-features": ("lora_linear_add", _replace(1, lambda t: t[:, 1:]), "lora_a"),
    "lora-a-2d": ("lora_linear_add", _replace(2, lambda t: t[0]), "lora_a"),
    "lora-a-ranks": ("lora_linear_add", _replace(2, lambda t: t[:, 1:]), "lora_a"),
    "lora-a-stride": ("lora_linear_add", _replace(2, lambda t: t.mT.contiguous().mT), "lora_a"),
    "lora-a-no-slots": ("lora_linear_add", _replace(2, lambda t: t[:0]), "lora_a has an empty dimension"),
    "lora-b-slots": ("lora_linear_add", _replace(3, lambda t: t[1:]), "lora_b"),
    "lora-b-outputs": ("lora_linear_add", _replace(3, lambda t: t[..., 1:]), "lora_b"),
    "lora-b-dtype": ("lora_linear_add", _replace(3, lambda t: t.bfloat16()), "lora_b"),
    "lora-b-no-rank": ("lora_linear_add", _replace(3, lambda t: t[:, :0]), "lora_b has an empty dimension"),
    "lora-slots-dtype": ("lora_linear_add", _replace(4, lambda t: t.long()), "slots"),
    "lora-slots-rows": ("lora_linear_add", _replace(4, lambda t: t[1:]), "slots"),
    "lora-ranks-dtype": ("lora_linear_add", _option(ranks=torch.ones(3, 2).long()), "ranks"),
    "lora-ranks-1d": ("lora_linear_add", _option(ranks=torch.ones(3).int()), "ranks"),
    "lora-ranks-slots": ("lora_linear_add", _option(ranks=torch.ones(2, 2).int()), "ranks"),
    "lora-ranks-parts": ("lora_linear_add", _option(ranks=torch.ones(3, 3).int()), "ranks"),
    "lora-no-sizes": ("lora_linear_add", _replace(5, lambda _: []), "sizes is an empty list"),
    "lora-sizes-sum": ("lora_linear_add", _replace(5, lambda _: [30, 9]), "out"),
    "lora-sizes-negative": ("lora_linear_add", _replace(5, lambda _: [-10, 50]), "sizes has -10"),
    "swap-out-of-range": ("swap_blocks", _replace(2, lambda t: t + 6), "block_mapping"),
    "sample-logits-1d": ("sample_tokens", _replace(0, lambda t: t[0]), "logits"),
    "sample-logits-dtype": ("sample_tokens", _replace(0, lambda t: t.double()), "logits"),
    "sample-logits-stride": ("sample_tokens", _replace(0, lambda t: t[:, ::2]), "logits"),
    "sample-no-vocabulary": ("sample_tokens", _replace(0, lambda t: t[:, :0]), "logits"),
    "sample-temperature-dtype": ("sample_tokens", _replace(1, lambda t: t.half()), "temperature"),
    "sample-top-k-dtype": ("sample_tokens", _replace(2, lambda t: t.long()), "top_k"),
    "sample-top-p-rows": ("sample_tokens", _replace(3, lambda t: t[1:]), "top_p"),
    "sample-min-p-2d": ("sample_tokens", _replace(4, lambda t: t[None]), "min_p"),
    "sample-seeds-dtype": ("sample_tokens", _replace(5, lambda t: t.int()), "seeds"),
    "sample-positions-stride": ("sample_tokens", _replace(6, lambda t: torch.arange(6)[::2]), "positions"),
    "edit-logits-dtype": ("edit_logits", _replace(0, lambda t: t.double()), "logits"),
    "edit-table-dtype": ("edit_logits", _replace(1, lambda t: t.long()), "token_table"),
    "edit-rows-dtype": ("edit_logits", _replace(2, lambda t: t.int()), "rows"),
    "edit-lengths-rows": ("edit_logits", _replace(3, lambda t: t[1:]), "lengths"),
    "edit-prompts-dtype": ("edit_logits", _replace(4, lambda t: t.long()), "prompt_lengths"),
    "edit-masks-1d": ("edit_logits", _replace(5, lambda t: t[0]), "masks"),
    "edit-masks-words": ("edit_logits", _replace(5, lambda t: t[:, :1]), "masks"),
    "edit-mask-of-row-rows": ("edit_logits", _replace(6, lambda t: t[1:]), "mask_of_row"),
    "edit-starts-rows": ("edit_logits", _replace(7, lambda t: t[1:]), "starts"),
    "edit-ids-dtype": ("edit_logits", _replace(8, lambda t: t.long()), "token_ids"),
    "edit-values-dtype": ("edit_logits", _replace(9, lambda t: t.double()), "values"),
    "edit-until-size": ("edit_logits", _replace(10, lambda t: t[1:]), "until"),
    "edit-prefixes-1d": ("edit_logits", _replace(11, lambda t: t[0]), "prefixes"),
    "edit-prefixes-size": ("edit_logits", _replace(11, lambda t: t[1:]), "prefixes"),
    "penalize-logits-1d": ("penalize_logits", _replace(0, lambda t: t[0]), "logits"),
    "penalize-logits-dtype": ("penalize_logits", _replace(0, lambda t: t.double()), "logits"),
    "penalize-logits-stride": ("penalize_logits", _replace(0, lambda t: t[:, ::2]), "logits"),
    "penalize-no-vocabulary": ("penalize_logits", _replace(0, lambda t: t[:, :0]), "logits"),
    "penalize-table-1d": ("penalize_logits", _replace(1, lambda t: t[0]), "token_table"),
    "penalize-table-dtype": ("penalize_logits", _replace(1, lambda t: t.long()), "token_table"),
    "penalize-table-stride": ("penalize_logits", _replace(1, lambda t: t[:, ::2]), "token_table"),
    "penalize-rows-dtype": ("penalize_logits", _replace(2, lambda t: t.int()), "rows"),
    "penalize-lengths-dtype": ("penalize_logits", _replace(3, lambda t: t.long()), "lengths"),
    "penalize-prompts-rows": ("penalize_logits", _replace(4, lambda t: t[1:]), "prompt_lengths"),
    "penalize-repetition-2d": ("penalize_logits", _replace(5, lambda t: t[None]), "repetition"),
    "penalize-presence-dtype": ("penalize_logits", _replace(6, lambda t: t.double()), "presence"),
    "penalize-frequency-stride": ("penalize_logits", _replace(7, lambda t: torch.ones(6)[::2]), "frequency"),
    "logprobs-logits-dtype": ("token_logprobs", _replace(0, lambda t: t.double()), "logits"),
    "logprobs-logits-stride": ("token_logprobs", _replace(0, lambda t: t[:, ::2]), "logits"),
    "logprobs-no-vocabulary": ("token_logprobs", _replace(0, lambda t: t[:, :0]), "logits"),
    "logprobs-rows-dtype": ("token_logprobs", _replace(1, lambda t: t.int()), "rows"),
    "logprobs-rows-0d": ("token_logprobs", _replace(1, lambda t: t[0]), "rows"),
    "logprobs-tokens-size": ("token_logprobs", _replace(2, lambda t: t[1:]), "token_ids"),
    "logprobs-tokens-dtype": ("token_logprobs", _replace(2, lambda t: t.float()), "token_ids"),
    "logprobs-top-negative": ("token_logprobs", _replace(3, lambda _: -1), "num_top"),
    "logprobs-top-beyond": ("token_logprobs", _replace(3, lambda _: 51), "num_top"),
}


WRITTEN = [
    (operator.overload, argument.name)
    for operator in library.OPERATORS
    for argument in operator.arguments
    if argument.is_write
]


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@pytest.mark.parametrize(("overload", "name"), WRITTEN)
def test_a_written_tensor_has_memory_for_each_of_its_elements(overload: str, name: str, backend: str) -> None:
    """The result of `expand` would be written many times at one address."""
    args, kwargs = sample(overload)
    if name.endswith("scale_cache"):
        args = (*args[:2], *(cache.to(torch.int8) for cache in args[2:4]), *args[4:])
        kwargs = {each: torch.zeros(8, 16, 2) for each in ("k_scale_cache", "v_scale_cache")}
    operator = next(each for each in library.OPERATORS if each.overload == overload)
    named = operator.named_arguments(args, kwargs)
    given = named[name]
    one = given[0] if isinstance(given, list) else given
    shared = one[:1].clone().expand(one.shape)
    named[name] = [shared, *given[1:]] if isinstance(given, list) else shared
    with pytest.raises(ValueError, match=rf"{name}.* has stride 0 in dimension 0, shape .* since it is written"):
        positional = [named[argument.name] for argument in operator.arguments][: len(args)]
        backends.call(backend)(overload, *positional, **{each: named[each] for each in kwargs})


@pytest.mark.parametrize("backend", ["reference", "cpp"])
@pytest.mark.parametrize("bad", BAD)
def test_bad_arguments_are_refused_by_name(bad: str, backend: str) -> None:
    overload, change, argument = BAD[bad]
    args, kwargs = sample(overload)
    args, kwargs = list(args), dict(kwargs)
    change(args, kwargs)
    mutated = [t.clone() for a in args for t in (a if isinstance(a, list) else [a]) if isinstance(t, Tensor)]
    with pytest.raises(ValueError, match=rf"{overload.split('.')[0]}.*{argument}"):
        backends.call(backend)(overload, *args, **kwargs)
    after = [t for a in args for t in (a if isinstance(a, list) else [a]) if isinstance(t, Tensor)]
    assert all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(mutated, after, strict=True))


# --- torch.compile ---------------------------------------------------------------------------------------------


class PagedBlock(nn.Module):
    """A user's own attention layer, written with the two operators."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(32, 3 * 32)
        self.out = nn.Linear(32, 32)

    def forward(self, x: Tensor, key_cache: Tensor, value_cache: Tensor, slots: Tensor, *tables: Tensor) -> Tensor:
        q, k, v = self.qkv(x).view(-1, 3, 2, 16).unbind(1)
        OPS.write_kv_cache(k, v, key_cache, value_cache, slots)
        y = OPS.paged_attention(q, key_cache, value_cache, *tables)
        return x + self.out(y.flatten(1))


@pytest.mark.parametrize("backend", [None, "reference"], ids=["default", "reference"])
def test_a_module_compiles_as_one_graph(backend: str | None) -> None:
    ops.set_backend(backend)
    try:
        torch.manual_seed(0)
        module = PagedBlock()
        compiled = torch.compile(module, fullgraph=True, dynamic=True, backend="aot_eager")
        for length in (7, 12):
            tables = (torch.tensor([[2, 1]], dtype=torch.int32), torch.tensor([length], dtype=torch.int32))
            starts = torch.tensor([0, length], dtype=torch.int32)
            slots = tables[0][0].long().repeat_interleave(16)[:length] * 16 + torch.arange(length) % 16
            x = torch.randn(length, 32)
            results = []
            for function in (module, compiled):
                pool = [torch.zeros(4, 16, 2, 16) for _ in range(2)]
                with torch.no_grad():
                    results.append((function(x, *pool, slots, *tables, starts), *pool))
            for eager, fast in zip(*results, strict=True):
                torch.testing.assert_close(fast, eager, rtol=1e-5, atol=1e-5)
            assert results[0][1].abs().sum() > 0
    finally:
        ops.set_backend(None)
        torch.compiler.reset()


# --- Backends ----------------------------------------------------------------------------------------------------


@pytest.fixture
def third_party() -> Iterator[list[str]]:
    """Register another library's kernel for plain causal attention; yield a record of its calls."""
    calls: list[str] = []

    def kernel(*args: Any, **options: Any) -> None:
        calls.append("called")
        reference.paged_attention(*args, **options)

    def supports(*, softcap: float, sinks: Tensor | None, **_: Any) -> str | None:
        if softcap:
            return "a softcap"
        return "sinks" if sinks is not None else None

    ops.register_backend("paged_attention", "cpu", "mine", kernel, supports, summary="plain causal attention")
    yield calls
    ops.set_backend(None)
    library.unregister_backend("paged_attention", "cpu", "mine")


def test_a_third_partys_kernel_is_called(third_party: list[str]) -> None:
    problem = build(named("plain")[0], torch.float32)
    out = OPS.paged_attention(*problem.arguments.values(), **problem.options)
    assert third_party == ["called"]
    assert error(out, problem.expected()[0]) < 1e-5
    assert ops.active_backend("paged_attention", "cpu") == "mine"
    assert any(row["backend"] == "mine*" and "plain causal" in row["supports"] for row in ops.describe())


def test_a_call_that_it_does_not_support_falls_back_with_one_warning(third_party: list[str]) -> None:
    problem = build(named("softcap")[0], torch.float32)
    library._warned.clear()
    with pytest.warns(UserWarning, match="'mine' does not support a softcap"):
        out = OPS.paged_attention(*problem.arguments.values(), **problem.options)
    assert third_party == [] and error(out, problem.expected()[0]) < 1e-5


def test_a_backend_that_was_asked_for_never_falls_back(third_party: list[str]) -> None:
    ops.set_backend("mine")
    problem = build(named("sinks")[0], torch.float32)
    with pytest.raises(NotImplementedError, match=r"paged_attention.*'mine'.*sinks"):
        OPS.paged_attention(*problem.arguments.values(), **problem.options)
    args, kwargs = samples()["write_kv_cache"]
    with pytest.raises(ValueError, match=r"write_kv_cache: no backend 'mine' on cpu"):
        OPS.write_kv_cache(*args, **kwargs)


def test_taking_a_backend_back_restores_the_default() -> None:
    ops.register_backend("copy_blocks", "cpu", "mine", reference.copy_blocks)
    library.unregister_backend("copy_blocks", "cpu", "mine")
    pool = list(caches())
    expected = pool[0][1].clone()
    OPS.copy_blocks(pool, torch.tensor([[1, 2]]))
    assert torch.equal(pool[0][2], expected)
    with pytest.raises(ValueError, match="unregister_backend: no backend 'mine'"):
        library.unregister_backend("copy_blocks", "cpu", "mine")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("attention", "cpu", "mine"), r"op is 'attention', expected one of paged_attention"),
        (("copy_blocks", "cpu", ""), r"name is empty"),
    ],
)
def test_bad_registrations(arguments: tuple[str, str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ops.register_backend(*arguments, reference.copy_blocks)


def test_the_current_device_is_the_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton launches on the current device, wherever its tensors are."""
    chosen: list[object] = []
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "device", lambda device: chosen.append(device) or nullcontext())
    for device in ("cpu", "cuda:0", "cuda:1"):
        with devices.current(torch.device(device)):
            pass
    assert chosen == [torch.device("cuda", 1)]


def test_what_is_asked_for_is_looked_for_before_a_model_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine's first step comes late."""
    unasked = ({}, {None: "reference"}, {"rms_norm": "cpp"}, {"paged_attention": "cpp", None: "reference"})
    for asked in unasked:
        monkeypatch.setattr(library, "_wanted", asked)
        library.require_asked_for("cpu")
    for asked, device, says in (
        ({None: "fast"}, "cpu", r"TORCHPAGED_BACKEND: no backend 'fast' on cpu; there are: cpp, reference"),
        ({"rms_norm": "flashinfer"}, "cuda", "rms_norm: no backend 'flashinfer' on cuda; there are: .*reference"),
        ({"paged_attention": "flashinfer"}, "cpu", "paged_attention: no backend 'flashinfer' on cpu"),
        ({"paged_attention": "flashinfer"}, "cuda", "'flashinfer' does not support a machine without flashinfer: pip"),
    ):
        monkeypatch.setattr(library, "_wanted", asked)
        with pytest.raises(ConfigError, match=says):
            library.require_asked_for(device)


def test_operators_outside_the_registry_launch_on_their_tensors_device(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._subclasses import FakeTensorMode

    import torchpaged.ops.batch_invariant
    import torchpaged.ops.fused  # noqa: F401 - they define the operators
    from torchpaged.ops.triton import batch_invariant, fused_linear, rotate_and_write

    now, launched = [torch.device("cuda", 0)], []

    @contextmanager
    def on(device: torch.device) -> Iterator[None]:
        before, now[0] = now[0], device
        yield
        now[0] = before

    monkeypatch.setattr(torch.cuda, "current_device", lambda: now[0].index)
    monkeypatch.setattr(torch.cuda, "device", on)
    for module, name in (
        *((batch_invariant, name) for name in ("matmul", "matmuls", "grouped_matmul", "row_sum")),
        (fused_linear, "fused_linear"),
        (rotate_and_write, "rotate_and_write_kv_cache"),
    ):
        monkeypatch.setattr(module, name, lambda *_, name=name, **__: launched.append((name, now[0].index)))
    made = functools.partial(torch.empty, device="cuda:1")
    with FakeTensorMode():
        x, w, heads, table = made(4, 16), made(16, 16), made(4, 2, 16), made(4, 1, 16)
        pool, slots = made(2, 4, 2, 16), made(4, dtype=torch.int64)
        calls: dict[str, tuple[Any, ...]] = {
            "batch_invariant_matmul": (x, w, None),
            "batch_invariant_matmuls": (x, [w, w]),
            "batch_invariant_grouped_matmul": (x, made(1, 16, 16), made(1, dtype=torch.int32)),
            "batch_invariant_sum": (x, torch.float32),
            "fused_linear": (x, [w], [None]),
            "rotate_and_write_kv_cache": (heads, heads, heads, table, table, pool, pool, slots),
        }
        for name, arguments in calls.items():
            operator = getattr(torch.ops.torchpaged, name).default
            operator.redispatch(torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA), *arguments)
    assert len(launched) == len(calls) and {device for _, device in launched} == {1}
    assert now == [torch.device("cuda", 0)]


def test_unknown_backend_names() -> None:
    with pytest.raises(ValueError, match="name is 'fast', expected one of"):
        ops.set_backend("fast")


def run_python(code: str, **environment: str) -> str:
    """Return the output of a fresh interpreter."""
    result = forks.run(code, env={**os.environ, **environment})
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_environment_chooses_a_backend() -> None:
    code = "import json, torchpaged.ops as o; print(json.dumps([o.active_backend(n, 'cpu') for n in o.library.NAMES]))"
    assert set(json.loads(run_python(code, TORCHPAGED_BACKEND="reference"))) == {"reference"}


def test_the_environment_names_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("=", "rms_norm=", "cpp,rms_norm="):
        monkeypatch.setenv("TORCHPAGED_BACKEND", value)
        with pytest.raises(ValueError, match=f"TORCHPAGED_BACKEND is '{value}', expected a backend's name"):
            library._from_environment()
