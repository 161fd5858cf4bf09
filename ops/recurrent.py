"""Operators of recurrent layers, which keep a state for each sequence.

`recurrent_reference.py` defines states, tails and their tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops import convolution, docs, recurrent_reference, value_checks
from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    Sizes,
    expect_not_empty,
    expect_own_elements,
    expect_query_starts,
    expect_rows,
    is_known,
    refuse,
)
from torchpaged.ops.operator import CastRule, Operator, like_first

_PAGED = (
    "Tensor(a!) state_cache, Tensor(b!) tail_cache, Tensor state_tables, Tensor tail_tables, Tensor seq_lens, "
    "Tensor query_start_loc"
)
_SCAN = "Tensor? d=None, Tensor? dt_bias=None, bool dt_softplus=False"
_TRAIN_WITH = "the functions that transformers' model calls"
_DOC = """
The state is stored at multiples of chunk tokens only, in the slots that state_tables names, never in place; the rows of
the tokens since then lie in the slots that tail_tables names. A token's result depends on these alone: it does not
depend on how its sequence was cut into steps, and a step that runs again writes the same. A sequence that begins with
its first token reads nothing. Decode, prefill, chunks and mixes are one call.
"""
_ATTENTION_DOC = f"""\
    query: [num_tokens, num_key_heads, head_dim], all sequences packed; {docs.FLOATS};
        any strides with the last dimension contiguous. torch.autocast gives query, key and value one dtype.
    key: [num_tokens, num_key_heads, head_dim], query's dtype.
    value: [num_tokens, num_heads, head_dim_v], query's dtype; head h reads key h // (num_heads / num_key_heads)."""
_LIKE_VALUE = "    [num_tokens, num_heads, head_dim_v], query's dtype, contiguous; 0 for tokens of no sequence."


def _doc_states(state: str, rows: str, row: str, dtype: str, first: str) -> str:
    """Describe caches, tables and lengths.

    Args:
        state: the sizes of one state.
        rows: what a tail's row has, "" for the row itself.
        row: the size of such a row.
        first: the argument that has the packed tokens.
    """
    return f"""\
    state_cache: [num_slots, {state}] {dtype}; any strides, the last dimension
        contiguous: written, a slot at a boundary.
    tail_cache: [num_tails, chunk, {row}] {dtype}, the last dimension contiguous: written.{rows}
        A boundary is at each multiple of chunk tokens.
    state_tables: [num_seqs, chunks] int32; entry k names the slot of the state after (k + 1) * chunk tokens.
    tail_tables: [num_seqs, chunks] int32; entry k names the slot of the rows of the tokens from k * chunk on. In both
        tables 0 is the null slot, where nothing is kept; so is every entry beyond their width.
    seq_lens: [num_seqs] int32, tokens of each sequence, this step's included; 0 for padding.
{docs.starts(first)}"""


def _doc_scan(heads: str) -> str:
    """Describe what a scan has for each head or channel."""
    return f"""\
    d: [{heads}], x's dtype or float32, factor of x in the result; None for 0.
    dt_bias: [{heads}], x's dtype or float32, added to dt; None for 0.
    dt_softplus: apply softplus to that sum."""


# --- What all of them check and count -------------------------------------------------------------------------


def _check_paged(
    op: str,
    device: torch.device,
    dtype: torch.dtype,
    state: Sizes,
    width: tuple[Any, str],
    state_cache: Tensor,
    tail_cache: Tensor,
    state_tables: Tensor,
    tail_tables: Tensor,
    seq_lens: Tensor,
    query_start_loc: Tensor,
) -> None:
    """Check caches, tables and lengths.

    Args:
        state: the sizes of one state.
        width: the number of values in a tail's row.
    """
    expect_rows(op, "state_cache", state_cache, [(None, "num_slots"), *state], device, dtype)
    expect_rows(op, "tail_cache", tail_cache, [(None, "num_tails"), (None, "chunk"), width], device, dtype)
    expect_not_empty(op, "state_cache", state_cache, range(1))
    expect_not_empty(op, "tail_cache", tail_cache, range(2))
    expect_own_elements(op, "state_cache", state_cache)
    expect_own_elements(op, "tail_cache", tail_cache)
    expect_rows(op, "seq_lens", seq_lens, [(None, "num_seqs")], device, torch.int32)
    sequences = (seq_lens.shape[0], "num_seqs, as in seq_lens")
    for name, table in (("state_tables", state_tables), ("tail_tables", tail_tables)):
        expect_rows(op, name, table, [sequences, (None, "chunks")], device, torch.int32)
    expect_query_starts(op, query_start_loc, seq_lens, device)


def _check_values(op: str, arguments: Mapping[str, Any]) -> None:
    tail_cache = arguments["tail_cache"]
    chunk, starts = tail_cache.shape[1], arguments["query_start_loc"].tolist()
    tables = [
        ("state_tables", arguments["state_tables"].tolist(), arguments["state_cache"].shape[0]),
        ("tail_tables", arguments["tail_tables"].tolist(), tail_cache.shape[0]),
    ]
    for i, length in enumerate(arguments["seq_lens"].tolist()):
        rows = min(starts[i + 1] - starts[i], length)
        if rows <= 0:
            continue
        begin, end = (length - rows) // chunk, -(-length // chunk)
        reads = (begin - 1, begin if (length - rows) % chunk else -1)
        # An engine's timed steps keep nothing; in such a dry run the null slot may be read.
        dry = not any(slot for _, table, _ in tables for slot in table[i][begin:end])
        for (name, table, slots), read in zip(tables, reads, strict=True):
            if not dry:
                _require_kept(op, name, i, table[i], read, slots)
            _require_slots(op, name, i, table[i], max(read, 0), end, slots)


def _require_kept(op: str, name: str, sequence: int, entries: list[int], read: int, slots: int) -> None:
    """Require the entry that a sequence's first token reads, if any (-1), to name a slot."""
    if read >= len(entries):
        limit = f"more than {read}: its first token reads that entry"
        value_checks.refuse(op, name, f"{len(entries)} entries for sequence {sequence}", limit)
    if read >= 0 and entries[read] == 0:
        limit = f"1 to {slots - 1}, the slots of the cache: its first token reads that slot"
        value_checks.refuse(op, name, f"slot 0 for sequence {sequence} at entry {read}", limit)


def _require_slots(op: str, name: str, sequence: int, entries: list[int], begin: int, end: int, slots: int) -> None:
    """Require existing entries in [begin, end) to name slots of the cache, or the null slot 0."""
    for k in range(begin, min(end, len(entries))):
        if not 0 <= entries[k] < slots:
            found = f"slot {entries[k]} for sequence {sequence} at entry {k}"
            value_checks.refuse(op, name, found, f"0 to {slots - 1}, the slots of the cache")


def _recurrence_flops(products: int, rows: Sequence[int], state_cache: Sequence[int]) -> int:
    """Count a multiplication and an addition for each number of each state, in each of a token's products with it.

    The kernels read and write states a chunk at a time and make other products; the recurrence is what was asked for.
    """
    return 2 * products * rows[0] * math.prod(state_cache[1:])


# --- chunked_conv1d -------------------------------------------------------------------------------------------


def _check_chunked_conv1d(
    op: str, x: Tensor, weight: Tensor, bias: Tensor | None, *paged: Tensor, silu: bool = False
) -> None:
    expect_rows(op, "x", x, [(None, "num_tokens"), (None, "channels")], x.device, *FLOAT_DTYPES)
    convolution.check_weight(op, x, weight, bias)
    channels, width = (x.shape[1], "channels of x"), weight.shape[1]
    _check_paged(op, x.device, x.dtype, [(width - 1, "width - 1, of weight"), channels], channels, *paged)


_CHUNKED_CONV1D = Operator(
    overload="chunked_conv1d",
    schema=f"(Tensor x, Tensor weight, Tensor? bias, {_PAGED}, *, bool silu=False) -> Tensor",
    doc=f"""
A causal convolution of each channel over its sequence's last tokens, like `causal_conv1d`, whose earlier inputs are
kept as the states of a recurrent layer are.
{_DOC}
Args:
    x: [num_tokens, channels], all sequences packed; {docs.FLOATS}; the last dimension
        contiguous. torch.autocast casts it to tail_cache's dtype.
    weight: [channels, width], x's dtype or float32; any strides. The last column is of the token itself.
    bias: [channels], x's dtype or float32; None for 0.
{_doc_states("width - 1, channels", "", "channels", "of x's dtype", "x")}
    silu: apply SiLU to each result.

Returns:
    [num_tokens, channels], x's dtype, contiguous; 0 for tokens of no sequence.""",
    check=_check_chunked_conv1d,
    check_values=_check_values,
    fake=like_first,
    reference=recurrent_reference.chunked_conv1d,
    triton=True,
    cast=CastRule(("x",), "tail_cache", ("weight", "bias")),
    train_with="torch.nn.functional.conv1d without a cache",
    vmap_with=docs.VMAP_PACKED,
    flops=convolution.flops,
)


# --- gated_delta_rule and linear_attention --------------------------------------------------------------------


def _check_heads(op: str, name: str, heads: Any, multiple_of: Any, what: str) -> None:
    if is_known(heads, multiple_of) and (heads == 0 or multiple_of == 0 or heads % multiple_of):
        refuse(op, name, f"has {heads} heads", f"a multiple of the {multiple_of} {what}")


def _check_attention_rows(op: str, query: Tensor, key: Tensor, value: Tensor) -> None:
    sizes: Sizes = ((None, "num_tokens"), (None, "num_key_heads"), (None, "head_dim"))
    expect_rows(op, "query", query, sizes, query.device, *FLOAT_DTYPES)
    sizes = tuple((size, "as in query") for size in query.shape)
    expect_rows(op, "key", key, sizes, query.device, query.dtype)
    expect_not_empty(op, "key", key, range(1, 3))
    sizes = ((query.shape[0], "num_tokens, as in query"), (None, "num_heads"), (None, "head_dim_v"))
    expect_rows(op, "value", value, sizes, query.device, query.dtype)
    _check_heads(op, "value", value.shape[1], key.shape[1], "heads of key")
    expect_not_empty(op, "value", value, range(2, 3))


def _head_states(key: Tensor, value: Tensor) -> Sizes:
    return [
        (value.shape[1], "num_heads, of value"),
        (key.shape[2], "head_dim, of key"),
        (value.shape[2], "head_dim_v, of value"),
    ]


def _fake_like_value(query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> Tensor:
    return value.new_empty(value.shape)


def _check_gated_delta_rule(
    op: str,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    gate: Tensor,
    beta: Tensor,
    *paged: Tensor,
    scale: float | None = None,
    normalize: bool = False,
) -> None:
    _check_attention_rows(op, query, key, value)
    tokens, heads = (query.shape[0], "num_tokens, as in query"), (value.shape[1], "num_heads, of value")
    if gate.dim() not in (2, 3):
        refuse(op, "gate", f"has shape {tuple(gate.shape)}", "[num_tokens, num_heads] or [.., head_dim]")
    channels = [(key.shape[2], "head_dim, of key")] * (gate.dim() - 2)
    expect_rows(op, "gate", gate, [tokens, heads, *channels], query.device, torch.float32)
    expect_rows(op, "beta", beta, [tokens, heads], query.device, query.dtype, torch.float32)
    gates = value.shape[1] * (key.shape[2] if gate.dim() == 3 else 1)
    width = key.shape[1] * key.shape[2] + value.shape[1] * value.shape[2] + gates
    _check_paged(op, query.device, torch.float32, _head_states(key, value), (width, "keys, values, gates"), *paged)


_GATED_DELTA_RULE = Operator(
    overload="gated_delta_rule",
    schema=f"(Tensor query, Tensor key, Tensor value, Tensor gate, Tensor beta, {_PAGED}, *, "
    "float? scale=None, bool normalize=False) -> Tensor",
    doc=f"""
The gated delta rule, with a gate for each head (Gated DeltaNet) or each channel (Kimi's delta attention): a head's
state S decays by exp(gate); u = beta * (value - key . S); S = S + key u^T; the result is scale * query . S.
{_DOC}
Args:
{_ATTENTION_DOC}
    gate: [num_tokens, num_heads] or [num_tokens, num_heads, head_dim] float32, the logarithm of the decay: finite, at
        most 0.
    beta: [num_tokens, num_heads], query's dtype or float32.
{_doc_states("num_heads, head_dim, head_dim_v", " A row: keys, u, gates.", "row", "float32", "query")}
    scale: of the result; None for head_dim ** -0.5.
    normalize: divides query and key by sqrt(their sum of squares + 1e-6) first.

Returns:
{_LIKE_VALUE}""",
    check=_check_gated_delta_rule,
    check_values=_check_values,
    fake=_fake_like_value,
    reference=recurrent_reference.gated_delta_rule,
    triton=True,
    cast=CastRule(("query", "key", "value"), None, ("beta",)),
    train_with=_TRAIN_WITH,
    vmap_with=docs.VMAP_PACKED,
    flops=lambda query, key, value, gate, beta, state_cache, *_, **__: _recurrence_flops(3, query, state_cache),
)


def _check_linear_attention(
    op: str, query: Tensor, key: Tensor, value: Tensor, decay: Tensor, *paged: Tensor, scale: float | None = None
) -> None:
    _check_attention_rows(op, query, key, value)
    expect_rows(op, "decay", decay, [(value.shape[1], "num_heads, of value")], query.device, torch.float32)
    width = key.shape[1] * key.shape[2] + value.shape[1] * value.shape[2]
    _check_paged(op, query.device, torch.float32, _head_states(key, value), (width, "keys, values"), *paged)


_LINEAR_ATTENTION = Operator(
    overload="linear_attention",
    schema=f"(Tensor query, Tensor key, Tensor value, Tensor decay, {_PAGED}, *, float? scale=None) -> Tensor",
    doc=f"""
Linear attention with a fixed decay for each head (lightning attention): a head's state S decays by exp(decay); S = S +
key value^T; the result is scale * query . S.
{_DOC}
Args:
{_ATTENTION_DOC}
    decay: [num_heads] float32, the logarithm of a state's decay with each token: finite, at most 0.
{_doc_states("num_heads, head_dim, head_dim_v", " A row: keys, values.", "row", "float32", "query")}
    scale: of the result; None for 1.

Returns:
{_LIKE_VALUE}""",
    check=_check_linear_attention,
    check_values=_check_values,
    fake=_fake_like_value,
    reference=recurrent_reference.linear_attention,
    triton=True,
    cast=CastRule(("query", "key", "value")),
    train_with=_TRAIN_WITH,
    vmap_with=docs.VMAP_PACKED,
    flops=lambda query, key, value, decay, state_cache, *_, **__: _recurrence_flops(2, query, state_cache),
)


# --- mamba2_scan and selective_scan ---------------------------------------------------------------------------


def _check_steps(op: str, x: Tensor, heads: tuple[Any, str], d: Tensor | None, dt_bias: Tensor | None) -> None:
    """Check the options that have a number for each head or channel."""
    for name, each in (("d", d), ("dt_bias", dt_bias)):
        if each is not None:
            expect_rows(op, name, each, [heads], x.device, x.dtype, torch.float32)


def _check_mamba2_scan(
    op: str,
    x: Tensor,
    dt: Tensor,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    *paged: Tensor,
    d: Tensor | None = None,
    dt_bias: Tensor | None = None,
    dt_softplus: bool = False,
    dt_min: float = 0.0,
    dt_max: float | None = None,
) -> None:
    sizes = ((None, "num_tokens"), (None, "num_heads"), (None, "head_dim"))
    expect_rows(op, "x", x, sizes, x.device, *FLOAT_DTYPES)
    tokens, heads = (x.shape[0], "num_tokens, as in x"), (x.shape[1], "num_heads, of x")
    expect_not_empty(op, "x", x, range(1, 3))
    expect_rows(op, "dt", dt, [tokens, heads], x.device, x.dtype, torch.float32)
    expect_rows(op, "a", a, [heads], x.device, torch.float32)
    expect_rows(op, "b", b, [tokens, (None, "num_groups"), (None, "state_size")], x.device, x.dtype)
    expect_rows(op, "c", c, [(size, "as in b") for size in b.shape], x.device, x.dtype)
    _check_heads(op, "x", x.shape[1], b.shape[1], "groups of b")
    expect_not_empty(op, "b", b, range(2, 3))
    _check_steps(op, x, heads, d, dt_bias)
    if dt_max is not None and dt_max < dt_min:
        refuse(op, "dt_max", f"is {dt_max}", f"at least dt_min, {dt_min}, or None")
    width = b.shape[1] * b.shape[2] + x.shape[1] * x.shape[2] + x.shape[1]
    state = [heads, (b.shape[2], "state_size, of b"), (x.shape[2], "head_dim, of x")]
    _check_paged(op, x.device, torch.float32, state, (width, "b, dt * x, dt * a"), *paged)


_MAMBA2_SCAN = Operator(
    overload="mamba2_scan",
    schema=f"(Tensor x, Tensor dt, Tensor a, Tensor b, Tensor c, {_PAGED}, *, {_SCAN}, "
    "float dt_min=0.0, float? dt_max=None) -> Tensor",
    doc=f"""
Mamba2's state space: a head's state S decays by exp(dt * a); S = S + b (dt * x)^T; the result is c . S + d * x.
{_DOC}
Args:
    x: [num_tokens, num_heads, head_dim], all sequences packed; {docs.FLOATS}; any
        strides with the last dimension contiguous. torch.autocast gives x, b and c one dtype.
    dt: [num_tokens, num_heads], x's dtype or float32.
    a: [num_heads] float32, below 0.
    b, c: [num_tokens, num_groups, state_size], x's dtype; head h reads group h // (num_heads / num_groups).
{_doc_states("num_heads, state_size, head_dim", " A row: b, dt * x, dt * a.", "row", "float32", "x")}
{_doc_scan("num_heads")}
    dt_min, dt_max: limits of dt after that; None for no upper limit.

Returns:
    As x, contiguous; 0 for tokens of no sequence.""",
    check=_check_mamba2_scan,
    check_values=_check_values,
    fake=like_first,
    reference=recurrent_reference.mamba2_scan,
    triton=True,
    cast=CastRule(("x", "b", "c"), None, ("dt", "d", "dt_bias")),
    train_with=_TRAIN_WITH,
    vmap_with=docs.VMAP_PACKED,
    flops=lambda x, dt, a, b, c, state_cache, *_, **__: _recurrence_flops(2, x, state_cache),
)


def _check_selective_scan(
    op: str,
    x: Tensor,
    dt: Tensor,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    *paged: Tensor,
    d: Tensor | None = None,
    dt_bias: Tensor | None = None,
    dt_softplus: bool = False,
) -> None:
    expect_rows(op, "x", x, [(None, "num_tokens"), (None, "channels")], x.device, *FLOAT_DTYPES)
    tokens, channels = (x.shape[0], "num_tokens, as in x"), (x.shape[1], "channels of x")
    expect_not_empty(op, "x", x, range(1, 2))
    expect_rows(op, "dt", dt, [tokens, channels], x.device, x.dtype, torch.float32)
    expect_rows(op, "a", a, [channels, (None, "state_size")], x.device, torch.float32)
    expect_not_empty(op, "a", a, range(1, 2))
    state_size = (a.shape[1], "state_size, of a")
    for name, each in (("b", b), ("c", c)):
        expect_rows(op, name, each, [tokens, state_size], x.device, x.dtype)
    _check_steps(op, x, channels, d, dt_bias)
    _check_paged(
        op, x.device, torch.float32, [channels, state_size], (2 * x.shape[1] + a.shape[1], "dt, dt * x, b"), *paged
    )


_SELECTIVE_SCAN = Operator(
    overload="selective_scan",
    schema=f"(Tensor x, Tensor dt, Tensor a, Tensor b, Tensor c, {_PAGED}, *, {_SCAN}) -> Tensor",
    doc=f"""
Mamba's selective scan: a state h decays by exp(dt * a), where each channel and each number of the state has its own a;
h = h + (dt * x) b^T; the result is h . c + d * x.
{_DOC}
Args:
    x: [num_tokens, channels], all sequences packed; {docs.FLOATS}; the last dimension
        contiguous. torch.autocast gives x, b and c one dtype.
    dt: [num_tokens, channels], x's dtype or float32.
    a: [channels, state_size] float32, below 0.
    b, c: [num_tokens, state_size], x's dtype.
{_doc_states("channels, state_size", " A row: dt, dt * x, b.", "row", "float32", "x")}
{_doc_scan("channels")}

Returns:
    As x, contiguous; 0 for tokens of no sequence.""",
    check=_check_selective_scan,
    check_values=_check_values,
    fake=like_first,
    reference=recurrent_reference.selective_scan,
    triton=True,
    cast=CastRule(("x", "b", "c"), None, ("dt", "d", "dt_bias")),
    train_with=_TRAIN_WITH,
    vmap_with=docs.VMAP_PACKED,
    flops=lambda x, dt, a, b, c, state_cache, *_, **__: _recurrence_flops(3, x, state_cache),
)

OPERATORS = (_CHUNKED_CONV1D, _GATED_DELTA_RULE, _MAMBA2_SCAN, _LINEAR_ATTENTION, _SELECTIVE_SCAN)
