"""DecodeBatch against the general way to make a step's inputs, over rows that grow, fork, end and come back."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from torchpaged.execution.batch import StepBatch
from torchpaged.execution.rows import Rows
from torchpaged.execution.step_inputs import StepInputs
from torchpaged.kv_cache import FullAttentionSpec, KVCacheGroup
from torchpaged.kv_cache.spec import SlidingWindowSpec, StateSpec, TailSpec
from torchpaged.models.attention_metadata import AdapterPools, LayerCache
from torchpaged.ops import cpu
from torchpaged.scheduling import Fork, NewSequence, RowParams, Step

pytestmark = pytest.mark.skipif(cpu.isa() == "none", reason="no library here")

BLOCK, COLUMNS, LONGEST = 4, 6, 24
CPU = torch.device("cpu")
GROUPS = {
    "one": [KVCacheGroup(FullAttentionSpec(BLOCK), (0, 1))],
    "window": [KVCacheGroup(FullAttentionSpec(BLOCK), (0,)), KVCacheGroup(SlidingWindowSpec(BLOCK, 8), (1,))],
    "states": [
        KVCacheGroup(FullAttentionSpec(BLOCK), (1,)),
        KVCacheGroup(StateSpec(8), (0,)),
        KVCacheGroup(TailSpec(8), (0,)),
    ],
    "states alone": [KVCacheGroup(StateSpec(8), (0,)), KVCacheGroup(TailSpec(8), (0,))],
}


def batch(groups: str = "one", max_num_seqs: int = 5) -> StepBatch:
    kinds = GROUPS[groups]
    rows = Rows(len(kinds), max_num_seqs, COLUMNS, LONGEST, CPU)
    return StepBatch(rows, groups=kinds, chunk_sizes={}, caches=[], block_size=BLOCK, device=CPU)


def general(groups: str = "one") -> StepBatch:
    made = batch(groups)
    made._decode = None
    return made


def as_lists(inputs: StepInputs, block_sizes: list[int]) -> dict[str, Any]:
    """Return a step's inputs; of its tables the columns that the longest sequence has."""
    found: dict[str, Any] = {
        "ids": inputs.input_ids.tolist(),
        "positions": inputs.positions.tolist(),
        "wanted": inputs.wanted_rows.tolist(),
        "rows": inputs.rows.tolist(),
        "lengths": inputs.lengths.tolist(),
        "plan": (inputs.plan.rows.tolist(), inputs.plan.draws, inputs.plan.draw_places.tolist()),
        "drawn": (inputs.plan.draw_rows.tolist(), inputs.plan.all_are_drawn, inputs.plan.num_logits),
    }
    assert len(inputs.metadata.groups) == len(block_sizes)
    for view, (each, size) in enumerate(zip(inputs.metadata.groups, block_sizes, strict=True)):
        width = -(-int(each.seq_lens.max()) // size)
        assert each.block_tables.shape[1] >= width and each.causal
        columns = (each.slot_mapping, each.block_tables[:, :width], each.seq_lens, each.query_start_loc)
        found[f"view {view}"] = [each.max_query_len, *((column.tolist(), column.dtype) for column in columns)]
    return found


def arrival(choose: random.Random, id: int, groups: int) -> NewSequence:
    count = choose.randint(1, 8)
    tables = tuple([choose.randrange(100) for _ in range(COLUMNS)] for _ in range(groups))
    return NewSequence(id, tuple(choose.randrange(50) for _ in range(count)), count, RowParams(), tables)


@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("seed", range(4))
def test_random_decodes_have_the_inputs_of_the_general_way(groups: str, seed: int) -> None:
    choose = random.Random(seed)
    both = batch(groups), general(groups)
    assert both[0]._decode is not None
    sizes = [both[0].block_sizes[group] for group, _ in both[0].table_views]
    num_groups = len(GROUPS[groups])
    lengths: dict[int, int] = {}  # tokens that are computed
    ids = iter(range(1, 1000))
    num_decodes = 0
    for number in range(150):
        step = Step(number)
        for id in [each for each in lengths if lengths[each] >= LONGEST - 1 or choose.random() < 0.03]:
            step.released.append(id)
            del lengths[id]
        alive = list(lengths)
        if alive and len(lengths) < 5 and choose.random() < 0.1:
            parent, child = choose.choice(alive), next(ids)
            step.forks.append(Fork(parent, child, lengths[parent], RowParams()))
            lengths[child] = lengths[parent]
        if len(lengths) < 5 and choose.random() < 0.2:
            new = arrival(choose, next(ids), num_groups)
            step.new[new.id] = new
            step.ids, step.firsts, step.counts = [new.id], [0], [len(new.token_ids)]
            lengths[new.id] = len(new.token_ids)
        else:
            step.ids = choose.sample(list(lengths), choose.randint(0, len(lengths)))
            if choose.random() < 0.5:
                step.ids.sort()
            step.firsts, step.counts = [lengths[id] for id in step.ids], [1] * len(step.ids)
            num_decodes += bool(step.ids)
            for id in step.ids:
                lengths[id] += 1
                if choose.random() < 0.2:
                    column, block = choose.randrange(COLUMNS), choose.randrange(100)
                    step.tables.append((id, choose.randrange(num_groups), column, (block,)))
        if not step.ids:
            for each in both:
                each.rows.update(step)
            continue
        found, expected = (each.prepare(step) for each in both)
        assert as_lists(found, sizes) == as_lists(expected, sizes)
        for each, inputs in zip(both, (found, expected), strict=True):  # a draw fails now and then
            tokens = torch.tensor([(7 * place + number) % 9 - 1 for place in range(len(step.ids))])
            each.rows.tokens.scatter(torch.tensor(inputs.rows), torch.tensor(inputs.lengths), tokens)
    assert num_decodes > 60


def test_metadata_is_kept_until_the_pools_are_others() -> None:
    own = batch()
    step = Step(1, [1], [0], [3], new={1: NewSequence(1, (4, 5, 6), 3, RowParams(), ([3, 2],))})
    own.prepare(step)
    first = own.prepare(Step(2, [1], [3], [1])).metadata
    assert own.prepare(Step(3, [1], [4], [1])).metadata is first
    pool = [LayerCache(torch.zeros(9, BLOCK, 1, 2), torch.zeros(9, BLOCK, 1, 2))]
    own.renew(pool)
    again = own.prepare(Step(4, [1], [5], [1])).metadata
    assert again is not first and again.caches is pool is own.prepare(Step(5, [1], [6], [2])).metadata.caches


def test_a_step_outside_of_the_tables_is_refused() -> None:
    own = batch()
    own.prepare(Step(1, [1], [0], [1], new={1: NewSequence(1, (4,), 1, RowParams(), ([3],))}))
    for position in (-1, LONGEST):
        with pytest.raises(IndexError, match="not in the tables"):
            own.prepare(Step(2, [1], [position], [1]))
    assert own.prepare(Step(3, [1], [LONGEST - 1], [1])).lengths.tolist() == [LONGEST]


@pytest.mark.parametrize(
    "fields",
    [{"quiet": {1}}, {"draws": {1: ((7, 3),)}}, {"drafts": {1: (5,)}}],
    ids=lambda fields: next(iter(fields)),
)
def test_other_steps_are_made_the_general_way(fields: dict[str, Any]) -> None:
    count = 2 if "drafts" in fields else 1
    assert Step(1, [1], [0], [1]).is_decode and not Step(1, [1], [0], [2]).is_decode
    assert not Step(1, [1], [0], [count], **fields).is_decode


def test_adapters_of_decodes() -> None:
    """Their slots are of the rows, in the step's order; a step without an adapter has no slots."""
    adapters: Any = SimpleNamespace(active={"a": 3, "b": 0}, pools=AdapterPools({}))
    kinds = GROUPS["one"]
    rows = Rows(1, 5, COLUMNS, LONGEST, CPU)
    own = StepBatch(rows, groups=kinds, chunk_sizes={}, caches=[], block_size=BLOCK, device=CPU, adapters=adapters)
    new = {
        id: NewSequence(id, (4,), 1, RowParams(), ([3],), adapter=adapter)
        for id, adapter in ((1, None), (2, "a"), (3, "b"), (4, None))
    }
    own.rows.update(Step(1, [1, 2, 3, 4], [0] * 4, [1] * 4, new=new))

    def slots(number: int, *ids: int) -> list[int] | None:
        metadata = own.prepare(Step(number, list(ids), [number] * len(ids), [1] * len(ids))).metadata
        return None if metadata.adapters is None else metadata.adapters.slots.tolist()

    assert slots(1, 2, 1, 3) == [3, -1, 0]
    assert slots(2, 4, 1) is None and slots(3, 3, 4) == [0, -1] and slots(4, 1, 4) is None
    adapters.active = {"a": 1, "b": 2}
    assert slots(5, 3, 4) == [2, -1] and slots(6, 2, 3, 1) == [1, 2, -1]
