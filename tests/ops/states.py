"""The named cases of the operators with a state, and their sequences, advanced by steps of any division.

`Sequences` holds whole inputs for the oracle, and pools that are NaN where nothing was written, for the operators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from tests import recurrences
from torchpaged.ops import library, recurrent

Inputs = dict[str, Tensor]
ORACLES: dict[str, Callable[..., tuple[Tensor, Tensor]]] = {
    "chunked_conv1d": recurrences.convolution,
    "gated_delta_rule": recurrences.delta_rule,
    "mamba2_scan": recurrences.mamba2,
    "linear_attention": recurrences.linear_attention,
    "selective_scan": recurrences.selective,
}
NAMES = tuple(operator.name for operator in recurrent.OPERATORS)


@dataclass(frozen=True)
class Case:
    """An operator, its sizes and its options."""

    name: str
    op: str
    heads: tuple[int, int] = (2, 4)  # of keys, of values
    dims: tuple[int, int] = (32, 16)  # of a key, of a value
    chunk: int = 8
    options: tuple[tuple[str, Any], ...] = ()
    channel_gates: bool = False
    gate: float = 1.0  # how large gates are
    width: int = 4
    bias: bool = True
    skip: bool = True  # whether there are `d` and `dt_bias`
    strided: bool = False  # inputs are slices of a wider tensor, caches of a larger one
    float_beside: bool = False  # inputs that may be float32 next to a 16-bit x are

    def __str__(self) -> str:
        return self.name


def inputs(case: Case, length: int, dtype: torch.dtype, g: torch.Generator) -> Inputs:
    """Return the inputs of one sequence, by the operator's argument names: a row per token."""
    (key_heads, heads), (dim, dim_v) = case.heads, case.dims
    beside = torch.float32 if case.float_beside else dtype

    def rows(*shape: int) -> Tensor:
        return torch.randn(length, *shape, generator=g).to(dtype)

    def keys(count: int) -> Tensor:
        return torch.nn.functional.normalize(torch.randn(length, count, dim, generator=g), dim=-1).to(dtype)

    if case.op == "chunked_conv1d":
        return {"x": rows(dim)}
    if case.op in ("gated_delta_rule", "linear_attention"):
        each = {"query": rows(key_heads, dim), "key": keys(key_heads), "value": rows(heads, dim_v)}
        if case.op == "linear_attention":
            return each
        gates = (heads, dim) if case.channel_gates else (heads,)
        return {
            **each,
            "gate": -case.gate * torch.rand(length, *gates, generator=g) ** 4,
            "beta": torch.rand(length, heads, generator=g).to(beside),
        }
    if case.op == "mamba2_scan":
        times = _times(case, (length, heads), beside, g)
        return {"x": rows(heads, dim_v), "dt": times, "b": rows(key_heads, dim), "c": rows(key_heads, dim)}
    times = _times(case, (length, dim), beside, g)
    return {"x": rows(dim), "dt": times, "b": rows(dim_v), "c": rows(dim_v)}


def _times(case: Case, shape: tuple[int, ...], dtype: torch.dtype, g: torch.Generator) -> Tensor:
    """Return decay inputs; above 0, as a state must decay, unless a softplus makes them so."""
    times = torch.randn(shape, generator=g)
    return (times if dict(case.options).get("dt_softplus") else times.abs()).to(dtype)


def layer(case: Case, dtype: torch.dtype, g: torch.Generator) -> dict[str, Any]:
    """Return the parameters that all tokens share."""
    heads, (dim, dim_v) = case.heads[1], case.dims
    beside = torch.float32 if case.float_beside else dtype
    options = dict(case.options)
    if case.op == "chunked_conv1d":
        shift = torch.randn(dim, generator=g).to(beside) if case.bias else None
        return {"weight": torch.randn(dim, case.width, generator=g).to(beside), "bias": shift, **options}
    if case.op == "linear_attention":
        return {"decay": -case.gate * torch.rand(heads, generator=g), **options}
    if case.op in ("mamba2_scan", "selective_scan"):
        channels = heads if case.op == "mamba2_scan" else dim
        size = (heads,) if case.op == "mamba2_scan" else (dim, dim_v)
        if case.skip:
            options["d"] = torch.randn(channels, generator=g).to(beside)
            options["dt_bias"] = _times(case, (channels,), beside, g)
        return {"a": -case.gate * torch.rand(*size, generator=g), **options}
    return options


def state_shape(case: Case) -> tuple[int, ...]:
    (dim, dim_v), heads = case.dims, case.heads[1]
    if case.op == "chunked_conv1d":
        return case.width - 1, dim
    return (dim, dim_v) if case.op == "selective_scan" else (heads, dim, dim_v)


def row_width(case: Case) -> int:
    (key_heads, heads), (dim, dim_v) = case.heads, case.dims
    return {
        "chunked_conv1d": dim,
        "gated_delta_rule": key_heads * dim + heads * dim_v + heads * (dim if case.channel_gates else 1),
        "linear_attention": key_heads * dim + heads * dim_v,
        "mamba2_scan": key_heads * dim + heads * dim_v + heads,
        "selective_scan": 2 * dim + dim_v,
    }[case.op]


@dataclass
class Sequences:
    """Sequences of some lengths, with slots for all of their chunks.

    `done` counts each sequence's computed tokens; `results` has the rows that came of them.
    """

    case: Case
    lengths: tuple[int, ...]
    call: Callable[..., Any]
    dtype: torch.dtype = torch.float32
    seed: int = 0
    device: str = "cpu"
    done: list[int] = field(init=False)
    results: list[list[Tensor]] = field(init=False)

    def __post_init__(self) -> None:
        case, g = self.case, torch.Generator().manual_seed(self.seed)
        self.inputs = [inputs(case, length, self.dtype, g) for length in self.lengths]
        self.layer = layer(case, self.dtype, g)
        self.done, self.results = [0] * len(self.lengths), [[] for _ in self.lengths]
        chunks = max(1, *(-(-length // case.chunk) for length in self.lengths))
        count = chunks * len(self.lengths)
        kept = self.dtype if case.op == "chunked_conv1d" else torch.float32
        self.states = self._pool(count + 2, *state_shape(case), dtype=kept)
        self.tails = self._pool(count + 1, case.chunk, row_width(case), dtype=kept)
        shape = (len(self.lengths), chunks)
        self.state_tables = (torch.randperm(count, generator=g) + 1).view(shape).int()
        self.tail_tables = (torch.randperm(count, generator=g) + 1).view(shape).int()

    def _pool(self, *shape: int, dtype: torch.dtype) -> Tensor:
        if not self.case.strided:
            return torch.full(shape, torch.nan, dtype=dtype, device=self.device)
        wide = torch.full((*shape[:-1], shape[-1] + 3), torch.nan, dtype=dtype, device=self.device)
        return wide[..., 1 : 1 + shape[-1]]

    def arguments(self, counts: dict[int, int], padding: int = 0) -> dict[str, Any]:
        """Return the arguments of a call that advances each named sequence by so many tokens, in this order."""
        packed: Inputs = {}
        for name in self.inputs[0]:
            rows = [self.inputs[i][name][self.done[i] : self.done[i] + n] for i, n in counts.items()]
            empty = torch.full_like(self.inputs[0][name][:1], torch.nan).expand(padding, *rows[0].shape[1:])
            packed[name] = torch.cat([*rows, empty])
            if self.case.strided:
                packed[name] = torch.cat([packed[name]] * 2, -1)[..., : rows[0].shape[-1]]
        order = list(counts)
        lengths = [self.done[i] + n for i, n in counts.items()]
        tables = {
            "state_cache": self.states,
            "tail_cache": self.tails,
            "state_tables": self.state_tables[order],
            "tail_tables": self.tail_tables[order],
            "seq_lens": torch.tensor(lengths, dtype=torch.int32),
            "query_start_loc": torch.tensor([0, *counts.values()], dtype=torch.int32).cumsum(0).int(),
        }
        named = {**packed, **self.layer, **tables}
        return {name: each.to(self.device) if isinstance(each, Tensor) else each for name, each in named.items()}

    def positional(self, arguments: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return arguments by name as a call passes them."""
        operator = next(each for each in library.OPERATORS if each.overload == self.case.op)
        args = [arguments[argument.name] for argument in operator.arguments if not argument.kwarg_only]
        names = [argument.name for argument in operator.arguments if argument.kwarg_only]
        return args, {name: arguments[name] for name in names if name in arguments}

    def run(self, arguments: dict[str, Any]) -> Tensor:
        """Run one call."""
        args, options = self.positional(arguments)
        out: Tensor = self.call(self.case.op, *args, **options)
        return out

    def step(self, counts: dict[int, int], padding: int = 0) -> Tensor:
        """Takes sequences further, and gives the packed results."""
        out = self.run(self.arguments(counts, padding))
        begin = 0
        for i, n in counts.items():
            self.results[i].append(out[begin : begin + n])
            self.done[i] += n
            begin += n
        assert not out[begin:].any(), "padding is not 0"
        return out

    def whole(self, sequence: int = 0) -> Tensor:
        """Return all results of a sequence so far."""
        return torch.cat(self.results[sequence])

    def expected(self, sequence: int = 0) -> tuple[Tensor, Tensor]:
        """Return the oracle's results, and the state after each token."""
        return ORACLES[self.case.op](**self.inputs[sequence], **self.layer)

    def stored(self, sequence: int = 0) -> dict[int, Tensor]:
        """Return the states that a sequence has stored, by the number of tokens."""
        chunk, table = self.case.chunk, self.state_tables[sequence].tolist()
        entries = range(self.done[sequence] // chunk)
        return {(k + 1) * chunk: self.states[table[k]] for k in entries if k < len(table) and table[k]}
