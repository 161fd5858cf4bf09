"""Random and adversarial selections for the cases of `cases.py`."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from tests import oracle
from tests.ops.cases import Problem

# How the entries of a token are drawn.
KINDS = ("random", "all", "twice", "one", "none", "first", "latest", "future")


def choose(problem: Problem, heads: int, count: int, granularity: int, kind: str, seed: int = 0) -> Tensor:
    """Return `selected` for a problem, [num_tokens, heads, count] int32; with the kind "all", as wide as it takes.

    Entries of padding rows are far beyond any sequence, since those rows are not read.
    """
    g = torch.Generator().manual_seed(seed)
    case = problem.case
    groups = [-(-seq_len // granularity) for _, seq_len in case.lengths]
    count = max(1, *groups) if kind == "all" else count
    rows = []
    for (query_len, seq_len), most in zip(case.lengths, groups, strict=True):
        for row in range(query_len):
            position = seq_len - query_len + row
            rows.append([_entries(kind, most, position // granularity, count, g) for _ in range(heads)])
    rows += [[[2**30] * count] * heads for _ in range(case.padding_rows)]
    return torch.tensor(rows, dtype=torch.int32).view(len(rows), heads, count).to(problem.arguments["query"].device)


def _entries(kind: str, groups: int, own: int, count: int, g: torch.Generator) -> list[int]:
    if kind == "none" or groups == 0:
        return [-1] * count
    order: list[int] = torch.randperm(groups, generator=g).tolist()
    if kind == "one":
        order = order[:1]
    elif kind == "twice":
        order = [order[i % max(1, len(order) // 2)] for i in range(count)]
    elif kind in ("first", "latest"):
        order = sorted(order, reverse=kind == "latest")
    elif kind == "future":
        order = sorted(order, key=lambda group: group <= own)
    elif kind == "random":  # some entries are none, wherever they are
        order = [-7 if torch.rand((), generator=g) < 0.2 else group for group in order]
    return [*order, *[-1] * count][:count]


def expected(problem: Problem, selected: Tensor, granularity: int) -> tuple[Tensor, Tensor]:
    """Return the oracle's answer over the selected keys, padding rows included."""
    rows, first = [], 0
    for query_len, seq_len in problem.case.lengths:
        of_tokens: list[Sequence[set[int]]] = []
        for token in range(first, first + query_len):
            ids = selected[token].tolist()
            chosen = [set(each) for each in ids]
            of_tokens.append([{p for p in range(seq_len) if p // granularity in each} for each in chosen])
        rows.append(of_tokens)
        first += query_len
    case = problem.case
    out, lse = oracle.attend(
        problem.queries,
        problem.keys,
        problem.values,
        causal=case.causal,
        sliding_window=case.sliding_window,
        tree_mask=problem.tree,
        selected=rows,
        softcap=case.softcap,
        scale=case.scale,
        **{name: problem.options.get(name) for name in ("alibi_slopes", "distance_bias", "sinks")},
    )
    out = torch.cat([out, out.new_zeros(case.padding_rows, *out.shape[1:])])
    return out, torch.cat([lse, lse.new_full((case.padding_rows, lse.shape[1]), -torch.inf)])
