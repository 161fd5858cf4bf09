"""Schemas, argument checks and fakes of the operators with a state a sequence; `library.py` has them in its table.

`state_reference.py` says what states, tails and their tables are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.ops.checks import (
    FLOAT_DTYPES,
    _device,
    _dim,
    _dtype,
    _known,
    _last_contiguous,
    _own_elements,
    _refuse,
    _size,
)

_PAGED = (
    "Tensor(a!) state_cache, Tensor(b!) tail_cache, Tensor state_tables, Tensor tail_tables, Tensor seq_lens, "
    "Tensor query_start_loc"
)
_STEPS = "Tensor? d=None, Tensor? dt_bias=None, bool dt_softplus=False"
SCHEMAS = {
    "chunked_conv1d": f"(Tensor x, Tensor weight, Tensor? bias, {_PAGED}, *, bool silu=False) -> Tensor",
    "gated_delta_rule": f"(Tensor query, Tensor key, Tensor value, Tensor gate, Tensor beta, {_PAGED}, *, "
    "float? scale=None, bool normalize=False) -> Tensor",
    "mamba2_scan": f"(Tensor x, Tensor dt, Tensor a, Tensor b, Tensor c, {_PAGED}, *, {_STEPS}, "
    "float dt_min=0.0, float? dt_max=None) -> Tensor",
    "linear_attention": f"(Tensor query, Tensor key, Tensor value, Tensor decay, {_PAGED}, *, "
    "float? scale=None) -> Tensor",
    "selective_scan": f"(Tensor x, Tensor dt, Tensor a, Tensor b, Tensor c, {_PAGED}, *, {_STEPS}) -> Tensor",
}

# A size and what it is; None: any.
Sizes = Sequence[tuple[Any, str]]


def _rows(op: str, name: str, tensor: Tensor, sizes: Sizes, device: torch.device, *dtypes: torch.dtype) -> None:
    """A tensor of these sizes, its last dimension contiguous."""
    _dim(op, name, tensor, len(sizes), "[" + ", ".join(what.split(",")[0] for _, what in sizes) + "]")
    _dtype(op, name, tensor, *dtypes)
    _device(op, name, tensor, device)
    for axis, (size, what) in enumerate(sizes):
        if size is not None:
            _size(op, name, tensor, axis, size, what)
    _last_contiguous(op, name, tensor)


def _not_empty(op: str, name: str, tensor: Tensor, axes: range) -> None:
    if any(_known(tensor.shape[axis]) and tensor.shape[axis] == 0 for axis in axes):
        _refuse(op, name, f"has an empty dimension, shape {tuple(tensor.shape)}", "at least one of each")


def _paged(
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
    """Caches, tables and lengths.

    Args:
        state: the sizes of one state.
        width: numbers of a tail's row.
    """
    _rows(op, "state_cache", state_cache, [(None, "num_slots"), *state], device, dtype)
    _rows(op, "tail_cache", tail_cache, [(None, "num_tails"), (None, "chunk"), width], device, dtype)
    _not_empty(op, "state_cache", state_cache, range(1))
    _not_empty(op, "tail_cache", tail_cache, range(2))
    _own_elements(op, "state_cache", state_cache)
    _own_elements(op, "tail_cache", tail_cache)
    _rows(op, "seq_lens", seq_lens, [(None, "num_seqs")], device, torch.int32)
    sequences = (seq_lens.shape[0], "num_seqs, as in seq_lens")
    for name, table in (("state_tables", state_tables), ("tail_tables", tail_tables)):
        _rows(op, name, table, [sequences, (None, "chunks")], device, torch.int32)
    starts = seq_lens.shape[0] + 1 if _known(seq_lens.shape[0]) else None
    _rows(op, "query_start_loc", query_start_loc, [(starts, "num_seqs + 1")], device, torch.int32)


def check_chunked_conv1d(
    op: str, x: Tensor, weight: Tensor, bias: Tensor | None, *paged: Tensor, silu: bool = False
) -> None:
    """Of `chunked_conv1d`."""
    _rows(op, "x", x, [(None, "num_tokens"), (None, "channels")], x.device, *FLOAT_DTYPES)
    channels = (x.shape[1], "channels of x")
    _dim(op, "weight", weight, 2, "[channels, width]")
    _size(op, "weight", weight, 0, *channels)
    _not_empty(op, "weight", weight, range(1, 2))
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None:
            _dtype(op, name, each, x.dtype, torch.float32)
            _device(op, name, each, x.device)
    if bias is not None:
        _dim(op, "bias", bias, 1, "[channels]")
        _size(op, "bias", bias, 0, *channels)
    width = weight.shape[1]
    _paged(op, x.device, x.dtype, [(width - 1, "width - 1, of weight"), channels], channels, *paged)


def _heads(op: str, name: str, heads: Any, multiple_of: Any, what: str) -> None:
    if _known(heads, multiple_of) and (heads == 0 or multiple_of == 0 or heads % multiple_of):
        _refuse(op, name, f"has {heads} heads", f"a multiple of the {multiple_of} {what}")


def _attention_rows(op: str, query: Tensor, key: Tensor, value: Tensor) -> None:
    sizes: Sizes = ((None, "num_tokens"), (None, "num_key_heads"), (None, "head_dim"))
    _rows(op, "query", query, sizes, query.device, *FLOAT_DTYPES)
    sizes = tuple((size, "as in query") for size in query.shape)
    _rows(op, "key", key, sizes, query.device, query.dtype)
    _not_empty(op, "key", key, range(1, 3))
    sizes = ((query.shape[0], "num_tokens, as in query"), (None, "num_heads"), (None, "head_dim_v"))
    _rows(op, "value", value, sizes, query.device, query.dtype)
    _heads(op, "value", value.shape[1], key.shape[1], "heads of key")
    _not_empty(op, "value", value, range(2, 3))


def _head_states(key: Tensor, value: Tensor) -> Sizes:
    return [
        (value.shape[1], "num_heads, of value"),
        (key.shape[2], "head_dim, of key"),
        (value.shape[2], "head_dim_v, of value"),
    ]


def check_gated_delta_rule(
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
    """Of `gated_delta_rule`."""
    _attention_rows(op, query, key, value)
    tokens, heads = (query.shape[0], "num_tokens, as in query"), (value.shape[1], "num_heads, of value")
    if gate.dim() not in (2, 3):
        _refuse(op, "gate", f"has shape {tuple(gate.shape)}", "[num_tokens, num_heads] or [.., head_dim]")
    channels = [(key.shape[2], "head_dim, of key")] * (gate.dim() - 2)
    _rows(op, "gate", gate, [tokens, heads, *channels], query.device, torch.float32)
    _rows(op, "beta", beta, [tokens, heads], query.device, query.dtype, torch.float32)
    gates = value.shape[1] * (key.shape[2] if gate.dim() == 3 else 1)
    width = key.shape[1] * key.shape[2] + value.shape[1] * value.shape[2] + gates
    _paged(op, query.device, torch.float32, _head_states(key, value), (width, "keys, values, gates"), *paged)


def check_linear_attention(
    op: str, query: Tensor, key: Tensor, value: Tensor, decay: Tensor, *paged: Tensor, scale: float | None = None
) -> None:
    """Of `linear_attention`."""
    _attention_rows(op, query, key, value)
    _rows(op, "decay", decay, [(value.shape[1], "num_heads, of value")], query.device, torch.float32)
    width = key.shape[1] * key.shape[2] + value.shape[1] * value.shape[2]
    _paged(op, query.device, torch.float32, _head_states(key, value), (width, "keys, values"), *paged)


def _steps(op: str, x: Tensor, heads: tuple[Any, str], d: Tensor | None, dt_bias: Tensor | None) -> None:
    """What each head, or channel, has of its own."""
    for name, each in (("d", d), ("dt_bias", dt_bias)):
        if each is not None:
            _rows(op, name, each, [heads], x.device, x.dtype, torch.float32)


def check_mamba2_scan(
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
    """Of `mamba2_scan`."""
    sizes = ((None, "num_tokens"), (None, "num_heads"), (None, "head_dim"))
    _rows(op, "x", x, sizes, x.device, *FLOAT_DTYPES)
    tokens, heads = (x.shape[0], "num_tokens, as in x"), (x.shape[1], "num_heads, of x")
    _not_empty(op, "x", x, range(1, 3))
    _rows(op, "dt", dt, [tokens, heads], x.device, x.dtype, torch.float32)
    _rows(op, "a", a, [heads], x.device, torch.float32)
    _rows(op, "b", b, [tokens, (None, "num_groups"), (None, "state_size")], x.device, x.dtype)
    _rows(op, "c", c, [(size, "as in b") for size in b.shape], x.device, x.dtype)
    _heads(op, "x", x.shape[1], b.shape[1], "groups of b")
    _not_empty(op, "b", b, range(2, 3))
    _steps(op, x, heads, d, dt_bias)
    if dt_max is not None and dt_max < dt_min:
        _refuse(op, "dt_max", f"is {dt_max}", f"at least dt_min, {dt_min}, or None")
    width = b.shape[1] * b.shape[2] + x.shape[1] * x.shape[2] + x.shape[1]
    state = [heads, (b.shape[2], "state_size, of b"), (x.shape[2], "head_dim, of x")]
    _paged(op, x.device, torch.float32, state, (width, "b, dt * x, dt * a"), *paged)


def check_selective_scan(
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
    """Of `selective_scan`."""
    _rows(op, "x", x, [(None, "num_tokens"), (None, "channels")], x.device, *FLOAT_DTYPES)
    tokens, channels = (x.shape[0], "num_tokens, as in x"), (x.shape[1], "channels of x")
    _not_empty(op, "x", x, range(1, 2))
    _rows(op, "dt", dt, [tokens, channels], x.device, x.dtype, torch.float32)
    _rows(op, "a", a, [channels, (None, "state_size")], x.device, torch.float32)
    _not_empty(op, "a", a, range(1, 2))
    state_size = (a.shape[1], "state_size, of a")
    for name, each in (("b", b), ("c", c)):
        _rows(op, name, each, [tokens, state_size], x.device, x.dtype)
    _steps(op, x, channels, d, dt_bias)
    _paged(op, x.device, torch.float32, [channels, state_size], (2 * x.shape[1] + a.shape[1], "dt, dt * x, b"), *paged)


def _fake_rows(rows: Tensor, *_: Any, **__: Any) -> Tensor:
    """x's shape, contiguous."""
    return rows.new_empty(rows.shape)


def _fake_attention(query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> Tensor:
    """value's shape, contiguous."""
    return value.new_empty(value.shape)


_SCAN = {"d": None, "dt_bias": None, "dt_softplus": False}
_DEFAULTS: dict[str, dict[str, Any]] = {
    "chunked_conv1d": {"silu": False},
    "gated_delta_rule": {"scale": None, "normalize": False},
    "mamba2_scan": {**_SCAN, "dt_min": 0.0, "dt_max": None},
    "linear_attention": {"scale": None},
    "selective_scan": _SCAN,
}


def _runner(name: str) -> Callable[..., Tensor]:
    def run(fn: Callable[..., None], *args: Tensor, **options: Any) -> Tensor:
        out: Tensor = FAKES[name](*args)
        fn(*args, out, **{**_DEFAULTS[name], **options})
        return out

    return run


CHECKS: dict[str, Callable[..., None]] = {
    "chunked_conv1d": check_chunked_conv1d,
    "gated_delta_rule": check_gated_delta_rule,
    "mamba2_scan": check_mamba2_scan,
    "linear_attention": check_linear_attention,
    "selective_scan": check_selective_scan,
}
FAKES: dict[str, Callable[..., Any]] = {
    "chunked_conv1d": _fake_rows,
    "gated_delta_rule": _fake_attention,
    "mamba2_scan": _fake_rows,
    "linear_attention": _fake_attention,
    "selective_scan": _fake_rows,
}
RUNNERS: dict[str, Callable[..., Any]] = {name: _runner(name) for name in SCHEMAS}
