"""Recurrent layers of transformers' families over pools of states and tails that are laid out by hand.

No engine takes part: tests/integrations/test_families.py and tests/test_recurrent.py have those.
"""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel

from tests import models
from tests.integrations.family_models import SPECIAL
from torchpaged.errors import ModelError
from torchpaged.integrations import recurrent_modules
from torchpaged.integrations import transformers as adapter
from torchpaged.integrations.families import FAMILIES, SUPPORTED
from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache, StateCache, StepMetadata
from torchpaged.models.model import StateShape

KINDS = [kind for kind in SUPPORTED if "recurrent" in FAMILIES[kind].attention]
# Delta rule, SSD beside attention in each layer, and one whose recurrence is in its forward: the others in long runs.
QUICK = ("qwen3_next", "falcon_h1", "minimax")
SOME = [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.long) for kind in KINDS]
# Shorter than any engine's: each text passes several boundaries.
CHUNK, BLOCK = 8, 4
# Of two texts, step by step: prefills that end at a boundary, before and behind one, beside decodes.
COUNTS = ((9, 5), (1, 10), (13, 1), (1, 1), (1, 13), (5, 0), (12, 0), (1, 0))


@functools.cache
def original(kind: str) -> PreTrainedModel:
    return models.build(kind, seed=5, **SPECIAL[kind])


class Pools:
    """Sequences with tables of their own, over pools whose other slots are not numbers."""

    def __init__(self, model: PreTrainedModel, chunk: int = CHUNK) -> None:
        self.model, self.chunk = adapter.wrap(model), chunk
        spec = self.model.spec
        count = 1 + max(spec.layers.keys() | spec.states.keys())
        self.caches: list[LayerCache | None] = [None] * count
        self.states: list[StateCache | None] = [None] * count
        for index, shape in spec.layers.items():
            sizes = [(40, BLOCK, shape.num_kv_heads, dim) for dim in (shape.head_dim, shape.head_dim_v)]
            self.caches[index] = LayerCache(*(torch.zeros(size) for size in sizes))
        for index, kept in spec.states.items():
            self.states[index] = self._state(kept)
        self.free = {"block": itertools.count(1), "state": itertools.count(1), "tail": itertools.count(1)}
        self.tables: dict[str, dict[str, list[int]]] = {}
        self.computed: dict[str, int] = {}

    def _state(self, kept: StateShape) -> StateCache:
        inputs = (kept.width - 1, kept.channels)
        return StateCache(
            torch.full((40, *kept.state), torch.nan),
            torch.full((40, self.chunk, kept.tail), torch.nan),
            torch.full((40, *inputs), torch.nan) if kept.width else None,
            torch.full((40, self.chunk, kept.channels), torch.nan) if kept.width else None,
        )

    @torch.inference_mode()
    def run(self, *parts: tuple[str, list[int], int], again: bool = False) -> dict[str, Tensor]:
        """The logits of the next tokens of each sequence, (name, tokens, how many)."""
        names = [name for name, _, _ in parts]
        for name in names:
            self.tables.setdefault(name, {kind: [] for kind in self.free})
        firsts = [self.computed.get(name, 0) for name in names]
        ends = [first + count for first, (_, _, count) in zip(firsts, parts, strict=True)]
        for name, first, end in zip(names, firsts, ends, strict=True):
            table = self.tables[name]
            self._grow(table["block"], "block", -(-end // BLOCK))
            self._grow(table["state"], "state", end // self.chunk)
            self._grow(table["tail"], "tail", -(-end // self.chunk))
            self._drop(table, first)
        starts = torch.tensor([0, *itertools.accumulate(count for _, _, count in parts)], dtype=torch.int32)
        positions = torch.cat([torch.arange(*span) for span in zip(firsts, ends, strict=True)])
        groups = []
        for kind, size in (("block", BLOCK), ("state", self.chunk), ("tail", self.chunk)):
            tables = self._tables([self.tables[name][kind] for name in names])
            owner = torch.repeat_interleave(torch.arange(len(parts)), starts.diff())
            slots = tables[owner, positions // size].long() * size + positions % size if kind == "block" else positions
            lengths = torch.tensor(ends, dtype=torch.int32)
            groups.append(AttentionMetadata(slots, tables, lengths, starts, int(starts.diff().max())))
        step = StepMetadata(groups, [0] * len(self.caches), self.caches, states=self.states, state_group=1)
        ids = torch.tensor([token for (_, tokens, _), a, b in zip(parts, firsts, ends, strict=True) for token in tokens[a:b]])
        for _ in range(1 + again):
            logits = self.model.logits(self.model.forward(ids, positions, step, torch.arange(len(ids))))
        self.computed.update(zip(names, ends, strict=True))
        return dict(zip(names, logits.split(starts.diff().tolist()), strict=True))

    def _grow(self, table: list[int], kind: str, length: int) -> None:
        table += [next(self.free[kind]) for _ in range(length - len(table))]

    def _drop(self, table: dict[str, list[int]], first: int) -> None:
        """Gives back what no token from `first` on reads."""
        for kind, kept in (("state", first // self.chunk - 1), ("tail", first // self.chunk)):
            for k in range(min(max(0, kept), len(table[kind]))):
                for cache in filter(None, self.states):
                    of = (cache.state, cache.conv_state) if kind == "state" else (cache.tail, cache.conv_tail)
                    for pool in of:
                        if pool is not None and table[kind][k]:
                            pool[table[kind][k]] = torch.nan
                table[kind][k] = 0

    def _tables(self, rows: list[list[int]]) -> Tensor:
        width = max(1, *map(len, rows)) if rows else 1
        return torch.tensor([row + [0] * (width - len(row)) for row in rows], dtype=torch.int32)


def every_logit(pools: Pools, of: PreTrainedModel, **options: Any) -> None:
    """Chunked prefill, mixed steps and decodes of two prompts, against one eager forward for each alone."""
    texts = dict(zip("ab", models.prompts((43, 30)), strict=True))
    found: dict[str, list[Tensor]] = {"a": [], "b": []}
    for counts in COUNTS:
        parts = [(name, texts[name], n) for name, n in zip("ab", counts, strict=True) if n]
        for name, logits in pools.run(*parts, **options).items():
            found[name].append(torch.log_softmax(logits, -1))
    for name, text in texts.items():
        torch.testing.assert_close(torch.cat(found[name]), models.logprobs(of, text), rtol=0, atol=5e-5)


@pytest.mark.parametrize("kind", SOME)
def test_every_logit(kind: str) -> None:
    every_logit(Pools(copy.deepcopy(original(kind))), original(kind))


@pytest.mark.parametrize("kind", SOME)
def test_a_step_that_runs_again_gives_the_same(kind: str) -> None:
    """Nothing is updated in place."""
    every_logit(Pools(copy.deepcopy(original(kind))), original(kind), again=True)
