"""The named cases that every backend runs, and their paged problems.

A `Problem` holds the same keys and values twice: contiguous, for the oracle, and scattered over a pool whose
unused slots are NaN, for the operators.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from tests import oracle
from torchpaged.ops import pointwise

# The gated activations, which all take the same arguments.
GATED = tuple(each.name for each in pointwise.OPERATORS if each.schema == "(Tensor gate, Tensor up) -> Tensor")

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
# Error of the result, relative to its largest magnitude: the promise of issue 2 and of DESIGN.md.
TOLERANCE = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}


@dataclass(frozen=True)
class Case:
    """Lengths, heads and features of one call; small, because the grid also runs in an interpreter."""

    name: str
    lengths: tuple[tuple[int, int], ...] = ((1, 37), (5, 18), (7, 7), (1, 1))  # (query_len, seq_len)
    heads: tuple[int, int] = (4, 2)
    head_dim: int = 64
    head_dim_v: int = 0  # 0: as head_dim
    block_size: int = 16
    causal: bool = True
    sliding_window: int = 0
    softcap: float = 0.0
    scale: float | None = None
    alibi: bool = False
    distances: int = 0  # that a bias has
    sinks: bool = False
    tree: bool = False
    heads_first: bool = False
    padding_rows: int = 0
    max_query_len: int = 0
    num_splits: int = 0

    def __str__(self) -> str:
        return self.name


FEATURES: dict[str, dict[str, Any]] = {
    "window": {"sliding_window": 6},
    "softcap": {"softcap": 5.0},
    "alibi": {"alibi": True},
    "sinks": {"sinks": True},
}


def _pairs() -> list[Case]:
    """Return cases with each feature alone and with each other one, causal and not."""
    names = list(FEATURES)
    cases = [Case(name, **FEATURES[name]) for name in names]
    for i, a in enumerate(names):
        cases += [Case(f"{a}-{b}", **FEATURES[a], **FEATURES[b]) for b in names[i + 1 :]]
    everything = Case("everything", sliding_window=6, softcap=5.0, alibi=True, sinks=True)
    cases += [everything, replace(everything, name="everything-not-causal", causal=False)]
    return cases


CASES: tuple[Case, ...] = (
    Case("plain"),
    Case("decode", lengths=((1, 16), (1, 17), (1, 100), (1, 1))),
    Case("decode-hint", lengths=((1, 16), (1, 70)), max_query_len=1),
    Case("hint-too-small", lengths=((3, 16), (9, 70)), max_query_len=1),
    Case("hint-too-large", lengths=((3, 16), (9, 40)), max_query_len=512),
    Case("splits", lengths=((1, 1100), (2, 700)), num_splits=4),
    Case("prefill", lengths=((33, 33), (20, 52))),
    Case("not-causal", causal=False),
    Case("not-causal-window", causal=False, sliding_window=5),
    Case("not-causal-more-queries-than-keys", causal=False, lengths=((20, 3), (150, 130), (1, 1))),
    Case("more-queries-than-keys", lengths=((20, 3), (150, 130), (1, 1))),
    Case("mha", heads=(4, 4)),
    Case("mqa", heads=(5, 1)),
    Case("gqa-odd", heads=(9, 3)),
    Case("group-16", heads=(16, 1)),
    Case("head-dim-80", head_dim=80),
    Case("head-dim-96", head_dim=96, heads=(2, 1)),
    Case("head-dim-128", head_dim=128),
    Case("head-dim-256", head_dim=256, heads=(2, 1)),
    Case("value-narrower", head_dim=96, head_dim_v=64),
    Case("value-wider", head_dim=64, head_dim_v=128),
    Case("block-8", block_size=8),
    Case("block-32", block_size=32),
    Case("block-64", block_size=64),
    Case("block-128", block_size=128),
    Case("heads-first", heads_first=True),
    Case("scale", scale=0.5),
    Case("empty-sequences", lengths=((1, 20), (0, 0), (3, 9), (0, 12), (0, 0))),
    Case("padded", lengths=((1, 20), (1, 9), (0, 0)), padding_rows=3),
    Case("padded-rows-of-nothing", lengths=((1, 20), (2, 0), (1, 5)), padding_rows=2),
    *_pairs(),
    Case("distance-bias", distances=9, heads=(4, 4), scale=1.0),
    Case("distance-bias-of-one", distances=1),
    Case("distance-bias-window", distances=40, sliding_window=6, lengths=((1, 70), (9, 90), (33, 33))),
    Case("distance-bias-not-causal", distances=5, causal=False),
    Case("distance-bias-everything", distances=7, sliding_window=6, softcap=5.0, alibi=True, sinks=True, tree=True),
    Case("distance-bias-splits", distances=128, lengths=((1, 1100), (2, 700)), num_splits=4),
    Case("tree", tree=True),
    Case("tree-window", tree=True, sliding_window=4),
    Case("tree-everything", tree=True, sliding_window=9, softcap=5.0, alibi=True, sinks=True, padding_rows=2),
    Case("block-1", block_size=1),
    Case("block-5", block_size=5),
    Case("block-48", block_size=48),
    Case("block-256", block_size=256),
    Case("head-dim-32", head_dim=32),
    Case("head-dim-72", head_dim=72, head_dim_v=40),
    Case("group-7", heads=(14, 2)),
    Case("mla", lengths=((1, 40), (3, 20)), heads=(3, 1), head_dim=576, head_dim_v=512),
)


def named(*names: str) -> list[Case]:
    """Return the cases of these names, in the order of the table."""
    found = [case for case in CASES if case.name in names]
    assert len(found) == len(names), f"unknown case in {names}"
    return found


@dataclass
class Problem:
    """One call's tensors, and the contiguous keys and values that they are made from."""

    case: Case
    queries: list[Tensor]
    keys: list[Tensor]
    values: list[Tensor]
    arguments: dict[str, Tensor]  # the six tensors of paged_attention, in the order of the schema
    options: dict[str, Any] = field(default_factory=dict)
    tree: list[Tensor] | None = None

    def expected(self) -> tuple[Tensor, Tensor]:
        """Return the oracle's answer, in float64, padding rows included."""
        case = self.case
        out, lse = oracle.attend(
            self.queries,
            self.keys,
            self.values,
            causal=case.causal,
            sliding_window=case.sliding_window,
            tree_mask=self.tree,
            softcap=case.softcap,
            scale=case.scale,
            alibi_slopes=self.options.get("alibi_slopes"),
            distance_bias=self.options.get("distance_bias"),
            sinks=self.options.get("sinks"),
        )
        rows = case.padding_rows
        out = torch.cat([out, out.new_zeros(rows, *out.shape[1:])])
        lse = torch.cat([lse, lse.new_full((rows, lse.shape[1]), -torch.inf)])
        return out, lse


def empty_cache(
    num_blocks: int, block_size: int, heads: int, dim: int, dtype: torch.dtype, heads_first: bool = False
) -> Tensor:
    """Return a pool [num_blocks, block_size, heads, dim] of NaN: reading an unwritten slot shows in the result."""
    if heads_first:
        return torch.full((num_blocks, heads, block_size, dim), torch.nan, dtype=dtype).transpose(1, 2)
    return torch.full((num_blocks, block_size, heads, dim), torch.nan, dtype=dtype)


def build(case: Case, dtype: torch.dtype, seed: int = 0, device: str = "cpu", num_blocks: int = 0) -> Problem:
    """Return random tensors for a case, on `device`; the physical blocks are a random permutation."""
    g = torch.Generator().manual_seed(seed)
    heads, kv_heads = case.heads
    dim_v = case.head_dim_v or case.head_dim

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=g).to(dtype)

    queries = [normal(q, heads, case.head_dim) for q, _ in case.lengths]
    keys = [normal(s, kv_heads, case.head_dim) for _, s in case.lengths]
    values = [normal(s, kv_heads, dim_v) for _, s in case.lengths]
    blocks = [-(-s // case.block_size) for _, s in case.lengths]
    pool = num_blocks or sum(blocks) + 3
    order = (torch.randperm(pool - 1, generator=g) + 1).tolist()
    key_cache = empty_cache(pool, case.block_size, kv_heads, case.head_dim, dtype, case.heads_first)
    value_cache = empty_cache(pool, case.block_size, kv_heads, dim_v, dtype, case.heads_first)
    # Entries past a sequence's last block are garbage that must never be followed.
    tables = torch.full((len(blocks), max(1, *blocks) + 1), 2**30, dtype=torch.int32)
    for i, count in enumerate(blocks):
        mine = [order.pop() for _ in range(count)]
        tables[i, :count] = torch.tensor(mine, dtype=torch.int32)
        position = torch.arange(case.lengths[i][1])
        slots = torch.tensor(mine, dtype=torch.int64)[position // case.block_size], position % case.block_size
        key_cache[slots], value_cache[slots] = keys[i], values[i]
    packed = torch.cat([*queries, normal(case.padding_rows, heads, case.head_dim)])
    starts = torch.tensor([0, *(q for q, _ in case.lengths)], dtype=torch.int32).cumsum(0, dtype=torch.int32)
    options: dict[str, Any] = {
        "scale": case.scale,
        "causal": case.causal,
        "sliding_window": case.sliding_window,
        "softcap": case.softcap,
        "max_query_len": case.max_query_len,
        "num_splits": case.num_splits,
    }
    if case.alibi:
        options["alibi_slopes"] = torch.rand(heads, generator=g).to(device)
    if case.distances:
        options["distance_bias"] = torch.randn(heads, case.distances, generator=g).to(device)
    if case.sinks:
        options["sinks"] = torch.randn(heads, generator=g).to(device)
    tree = None
    if case.tree:
        width = max(q for q, _ in case.lengths)
        tree = [_random_tree(q, width, g) for q, _ in case.lengths]
        padding = torch.zeros(case.padding_rows, width, dtype=torch.bool)
        options["tree_mask"] = torch.cat([*tree, padding]).to(device)
    arguments = {
        "query": packed,
        "key_cache": key_cache,
        "value_cache": value_cache,
        "block_tables": tables,
        "seq_lens": torch.tensor([s for _, s in case.lengths], dtype=torch.int32),
        "query_start_loc": starts,
    }
    arguments = {name: tensor.to(device) for name, tensor in arguments.items()}
    return Problem(case, queries, keys, values, arguments, options, tree)


def _random_tree(rows: int, width: int, g: torch.Generator) -> Tensor:
    """Return a random tree: each token sees itself and its ancestors, and a parent is any earlier token of the step."""
    mask = torch.zeros(rows, width, dtype=torch.bool)
    for i in range(rows):
        mask[i, i] = True
        if i and torch.rand((), generator=g) < 0.8:
            mask[i] |= mask[int(torch.randint(i, (), generator=g))]
    return mask


def error(actual: Tensor, expected: Tensor, least: float = 1e-6) -> float:
    """Return the largest difference, relative to the largest expected magnitude; NaN anywhere is an infinite error.

    Args:
        least: that this magnitude counts as.
    """
    actual = actual.double().cpu()
    if torch.isnan(actual).any():
        return float("inf")
    same = actual == expected  # also where both are infinite
    difference = torch.where(same, 0.0, (actual - expected).abs())
    finite = expected[expected.isfinite()]
    largest = max(least, float(finite.abs().max())) if finite.numel() else 1.0
    return float(difference.max() / largest)
