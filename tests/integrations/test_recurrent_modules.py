"""Recurrent layers of transformers' families over pools of states and tails that are laid out by hand.

No engine takes part: tests/integrations/test_families.py has one.
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
from transformers import AutoConfig, PreTrainedModel

from tests import models
from tests.integrations.family_models import SPECIAL
from torchpaged.errors import ModelError
from torchpaged.execution.cache_sizing import slot_bytes
from torchpaged.integrations.families import FAMILIES, SUPPORTED
from torchpaged.integrations.transformers import adapter, recurrent_functions, recurrent_modules
from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache, StateCache, StepMetadata
from torchpaged.models.model import StateShape

KINDS = [kind for kind in SUPPORTED if "recurrent" in FAMILIES[kind].attention]
# Delta rule, SSD, and one whose recurrence is in its forward: the others in long runs.
QUICK = ("qwen3_next", "mamba2", "minimax")
SOME = [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.long) for kind in KINDS]
# Shorter than any engine's: each text passes several boundaries.
CHUNK, BLOCK = 8, 4
# Steps of two texts: prefills that end at a boundary, before and after one, together with decodes.
COUNTS = ((9, 5), (1, 10), (13, 1), (1, 1), (1, 13), (5, 0), (12, 0), (1, 0))


@functools.cache
def original(kind: str) -> PreTrainedModel:
    return models.build(kind, seed=5, **SPECIAL[kind])


class Pools:
    """Sequences with separate tables, over pools whose other slots are NaN."""

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
        """Return the logits of the next tokens of each sequence, (name, tokens, how many)."""
        step, ids, positions = self.prepare(*parts)
        logits = self.model.logits(self.model.forward(ids, positions, step, torch.arange(len(ids))))
        if again:
            assert torch.equal(
                self.model.logits(self.model.forward(ids, positions, step, torch.arange(len(ids)))), logits
            )
        counts = {name: count for name, _, count in parts}
        return dict(zip(counts, logits.split(list(counts.values())), strict=True))

    def prepare(self, *parts: tuple[str, list[int], int]) -> tuple[StepMetadata, Tensor, Tensor]:
        """Return the step's metadata, token ids and positions."""
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
        ids = torch.tensor(
            [token for (_, tokens, _), a, b in zip(parts, firsts, ends, strict=True) for token in tokens[a:b]]
        )
        self.computed.update(zip(names, ends, strict=True))
        return step, ids, positions

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
    """Compare chunked prefill, mixed steps and decodes of two prompts with one eager forward for each alone."""
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
    """Each step runs twice, as after a failure, and gives the same bits: nothing is updated in place."""
    every_logit(Pools(copy.deepcopy(original(kind))), original(kind), again=True)


@pytest.mark.parametrize("kind", SOME)
def test_what_a_layer_keeps_is_asked_of_it(kind: str) -> None:
    """In each recurrent layer of the config, and in no other."""
    spec = adapter.wrap(copy.deepcopy(original(kind))).spec
    types = original(kind).config.layer_types
    assert list(spec.states) == [i for i, each in enumerate(types) if each in ("linear_attention", "hybrid")]
    assert spec.state_chunk == (16 if kind in ("jamba", "mamba", "falcon_mamba") else 64)
    assert list(spec.layers) == [i for i, each in enumerate(types) if each in ("full_attention", "hybrid")]


SHAPES = {
    "qwen3_next": StateShape((4, 8, 12), 2 * 8 + 4 * 12 + 4, channels=2 * 2 * 8 + 4 * 12, width=4),
    "kimi_linear": StateShape((4, 16, 16), 3 * 4 * 16, channels=3 * 4 * 16, width=4),
    "mamba2": StateShape((8, 12, 16), 2 * 12 + 8 * 16 + 8, channels=8 * 16 + 2 * 2 * 12, width=4),
    "minimax": StateShape((4, 16, 16), 2 * 4 * 16),
    "jamba": StateShape((128, 8), 2 * 128 + 8, channels=128, width=4),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_shapes(kind: str) -> None:
    """A state, and a row of a tail: key, corrected value and decay; or what each operator has instead."""
    assert set(adapter.wrap(copy.deepcopy(original(kind))).spec.states.values()) == {SHAPES[kind]}


@pytest.mark.parametrize("kind", ["qwen3_next", "minimax"])
def test_between_steps_the_model_is_its_owners(kind: str) -> None:
    """It generates and trains as before, its weights have their names, and a copy of it runs its own layers."""
    model, text = copy.deepcopy(original(kind)), models.prompts((9,))[0]
    pools = Pools(model)
    pools.run(("a", text, 7))
    assert models.greedy(model, [text], 6) == models.greedy(original(kind), [text], 6)
    assert set(model.state_dict()) == set(original(kind).state_dict())
    model.train()(input_ids=torch.tensor([text]), labels=torch.tensor([text])).loss.backward()
    assert all(each.grad is not None for name, each in model.named_parameters() if "qkv" in name)
    model.eval()
    other = copy.deepcopy(model)
    for parameter in model.parameters():
        parameter.data.zero_()
    every_logit(Pools(other), original(kind))


def test_two_models_of_a_family_take_turns() -> None:
    """The modeling file's functions are restored, and models share none."""
    first, second = (Pools(copy.deepcopy(original("mamba2"))) for _ in range(2))
    second.model.model.lm_head.weight.data.mul_(2)
    text = models.prompts((20,))[0]
    for count in (9, 1, 10):
        a, b = first.run(("a", text, count))["a"], second.run(("a", text, count))["a"]
        torch.testing.assert_close(2 * a, b, rtol=1e-5, atol=1e-5)
    module = inspect.getmodule(type(original("mamba2")))
    for name in ("causal_conv1d_fn", "mamba2_chunk_scan"):
        assert getattr(module, name).__module__.startswith("transformers.")


@torch.inference_mode()
def test_a_models_own_forward() -> None:
    """The metadata of a step is an argument of the model's forward, which passes it on; others are refused."""
    model, other = copy.deepcopy(original("qwen3_next")), copy.deepcopy(original("qwen3_next"))
    pools, text = Pools(model), models.prompts((11,))[0]
    model.set_attn_implementation("torchpaged")
    other.set_attn_implementation("torchpaged")
    found = []
    for count in (7, 1, 3):
        step, ids, positions = pools.prepare(("a", text, count))
        options = {"input_ids": ids[None], "position_ids": positions[None], "use_cache": False, "paged_metadata": step}
        found.append(model(**options).logits[0])
        with pytest.raises(ValueError, match="of a model with recurrent layers, and this model's were not replaced"):
            other(**options)
    expected = original("qwen3_next")(input_ids=torch.tensor([text])).logits[0]
    torch.testing.assert_close(torch.cat(found), expected, rtol=0, atol=5e-5)
    with pytest.raises(ValueError, match="batch is 2 in a recurrent layer, expected 1"):
        model(**{**options, "input_ids": ids.expand(2, -1), "position_ids": positions.expand(2, -1)})
    with pytest.raises(ValueError, match="attention_mask is given to a recurrent layer, expected None"):
        model.model.layers[0].linear_attn(torch.zeros(1, 3, 64), attention_mask=torch.ones(1, 3), paged_metadata=step)
    with pytest.raises(ValueError, match="a recurrent layer was given a state while a step runs"):
        recurrent_functions.chunk_gated_delta_rule(*[torch.zeros(1)] * 6, initial_state=torch.zeros(1))  # type: ignore[arg-type]


def test_layers_that_were_not_replaced_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers' own would treat the packed tokens of all sequences as one text."""
    monkeypatch.setattr(recurrent_modules, "_maker", lambda module: None)
    with pytest.raises(ModelError, match="2 of 4 layers use the attention interface or are layers that were replaced"):
        adapter.wrap(copy.deepcopy(original("qwen3_next")))


def test_layers_that_call_other_functions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As another transformers version might: if its convolution had another name, it would ignore boundaries."""
    monkeypatch.setattr(recurrent_modules, "_CONVOLUTION", {"causal_conv": recurrent_functions.causal_conv1d})
    with pytest.raises(ModelError, match=r"Mamba2Mixer calls other functions than those of transformers 5\.\d+\.\d+"):
        adapter.wrap(copy.deepcopy(original("mamba2")))


def test_layers_with_hooks_are_refused() -> None:
    model = copy.deepcopy(original("mamba2"))
    mixer = model.backbone.layers[1].mixer
    mixer.forward = functools.partial(type(mixer).forward, mixer)
    with pytest.raises(ModelError, match="Mamba2Mixer has another forward, a partial: take the hooks off the model"):
        adapter.wrap(model)


def test_a_scan_of_several_heads_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zamba's: the probe finds the reason in the table too."""
    monkeypatch.setattr(adapter, "unsupported_reason", lambda config: None)
    settings = {"layers_block_type": ["linear_attention"] * 4, "num_key_value_heads": 4, "head_dim": models.OMIT}
    with pytest.raises(ModelError, match="layer 3 has more than one recurrence"):
        adapter.wrap(models.build("zamba", **settings))


def test_bytes_of_qwen3_next() -> None:
    """The numbers of docs/models.md."""
    spec = adapter.spec_without_weights(AutoConfig.for_model("qwen3_next"))
    assert sum(shape.elements * 2 for shape in spec.layers.values()) == 24576
    states, tails = slot_bytes(spec)
    assert round(states / 1e6) == 77 and round(tails / 1e6) == 95
