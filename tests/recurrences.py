"""An independent oracle of recurrent layers: float64, one sequence, a token at a time.

Each function gives the results [seq_len, ..] and the state after each token. Shares no code with `torchpaged.ops`;
nothing here knows of chunks, tails or slots.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from tests import oracle


def _scan(state: Tensor, tokens: int, step: Callable[[Tensor, int], tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    results, states = [], []
    for t in range(tokens):
        state, result = step(state, t)
        results.append(result)
        states.append(state)
    return torch.stack(results), torch.stack(states)


def _per_head(rows: Tensor, heads: int) -> Tensor:
    """Return each head's copy of the rows that it shares with others, in float64: [tokens, heads, n]."""
    return torch.stack([rows[:, h // (heads // rows.shape[1])] for h in range(heads)], 1).double()


def delta_rule(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    gate: Tensor,
    beta: Tensor,
    *,
    scale: float | None = None,
    normalize: bool = False,
) -> tuple[Tensor, Tensor]:
    """Compute one sequence; the state decays, forgets part of its entry for the key, and learns the value."""
    heads, scale = value.shape[1], query.shape[2] ** -0.5 if scale is None else scale
    q, k = (_per_head(rows, heads) for rows in (query, key))
    if normalize:
        q, k = (rows / (rows.square().sum(-1, keepdim=True) + 1e-6).sqrt() for rows in (q, k))
    decay = gate.double().exp().view(len(gate), heads, -1, 1)

    def step(state: Tensor, t: int) -> tuple[Tensor, Tensor]:
        state = state * decay[t]
        told = (state * k[t][:, :, None]).sum(1)
        learnt = beta[t].double()[:, None] * (value[t].double() - told)
        state = state + k[t][:, :, None] * learnt[:, None]
        return state, scale * (state * q[t][:, :, None]).sum(1)

    return _scan(torch.zeros(heads, key.shape[2], value.shape[2], dtype=torch.float64), len(query), step)


def linear_attention(
    query: Tensor, key: Tensor, value: Tensor, decay: Tensor, *, scale: float | None = None
) -> tuple[Tensor, Tensor]:
    """Compute one sequence; the state decays by the same factor in each step."""
    heads = value.shape[1]
    q, k = (_per_head(rows, heads) for rows in (query, key))

    def step(state: Tensor, t: int) -> tuple[Tensor, Tensor]:
        state = state * decay.double().exp()[:, None, None] + k[t][:, :, None] * value[t].double()[:, None]
        return state, (1.0 if scale is None else scale) * (state * q[t][:, :, None]).sum(1)

    return _scan(torch.zeros(heads, key.shape[2], value.shape[2], dtype=torch.float64), len(query), step)


def _time(dt: Tensor, dt_bias: Tensor | None, dt_softplus: bool) -> Tensor:
    time = dt.double() + (0.0 if dt_bias is None else dt_bias.double())
    return torch.log1p(time.exp()) if dt_softplus else time


def mamba2(
    x: Tensor,
    dt: Tensor,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    *,
    d: Tensor | None = None,
    dt_bias: Tensor | None = None,
    dt_softplus: bool = False,
    dt_min: float = 0.0,
    dt_max: float | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute one sequence; a state is [heads, state_size, head_dim]."""
    heads = x.shape[1]
    time = _time(dt, dt_bias, dt_softplus).clamp(dt_min, math.inf if dt_max is None else dt_max)
    keys, queries = (_per_head(rows, heads) for rows in (b, c))
    skip = torch.zeros(heads, dtype=torch.float64) if d is None else d.double()

    def step(state: Tensor, t: int) -> tuple[Tensor, Tensor]:
        value = time[t][:, None] * x[t].double()
        state = state * (time[t] * a.double()).exp()[:, None, None] + keys[t][:, :, None] * value[:, None]
        return state, (state * queries[t][:, :, None]).sum(1) + skip[:, None] * x[t].double()

    return _scan(torch.zeros(heads, b.shape[2], x.shape[2], dtype=torch.float64), len(x), step)


def selective(
    x: Tensor,
    dt: Tensor,
    a: Tensor,
    b: Tensor,
    c: Tensor,
    *,
    d: Tensor | None = None,
    dt_bias: Tensor | None = None,
    dt_softplus: bool = False,
) -> tuple[Tensor, Tensor]:
    """Compute one sequence; a state is [channels, state_size]."""
    time = _time(dt, dt_bias, dt_softplus)
    skip = torch.zeros(x.shape[1], dtype=torch.float64) if d is None else d.double()

    def step(state: Tensor, t: int) -> tuple[Tensor, Tensor]:
        state = (time[t][:, None] * a.double()).exp() * state
        state = state + (time[t] * x[t].double())[:, None] * b[t].double()
        return state, (state * c[t].double()).sum(1) + skip * x[t].double()

    return _scan(torch.zeros(a.shape, dtype=torch.float64), len(x), step)


def convolution(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, silu: bool = False) -> tuple[Tensor, Tensor]:
    """Return `convolve`, and the last inputs after each token, padded with zeros."""
    width = weight.shape[1]
    padded = torch.cat([torch.zeros(width - 1, x.shape[1]), x]).double()
    states = [padded[t + 1 : t + width] for t in range(len(x))]
    return oracle.convolve(x, weight, bias, silu=silu), torch.stack(states)
