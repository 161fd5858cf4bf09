"""Rows and TokenTable: the order in which a step's changes apply, and a random walk against a dictionary."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.fake_cuda import FakeCuda
from torchpaged.execution.rows import Rows
from torchpaged.execution.token_table import TokenTable
from torchpaged.scheduling import Fork, NewSequence, RowParams, Step

CPU = torch.device("cpu")
PLAIN = RowParams()


def rows(max_num_seqs: int = 4, num_groups: int = 1) -> Rows:
    return Rows(num_groups, max_num_seqs, 5, 12, CPU)


def new(id: int, *tokens: int, table: tuple[int, ...] = (1,), params: RowParams = PLAIN) -> NewSequence:
    return NewSequence(id, tokens, len(tokens), params, (list(table),))


def known(of: Rows, row: int, count: int) -> list[int]:
    return of.tokens.tensor[row, :count].tolist()


def test_rows_of_unchanged_sequences_are_the_same_array() -> None:
    """Also where the caller changes its step's list afterwards; not where sequences moved to other rows."""
    own = rows()
    step = Step(1, [2, 1], [0, 0], [1, 1], new={1: new(1, 3), 2: new(2, 4)})
    first = own.update(step)
    again = own.update(Step(2, [2, 1], [1, 1], [1, 1]))
    assert again is first
    step.ids.reverse()
    assert own.update(Step(3, [1, 2], [2, 2], [1, 1])).tolist() == first[::-1].tolist()
    swapped = Step(4, [2, 1], [0, 0], [1, 1], new={2: new(2, 4), 1: new(1, 3)}, released=[2, 1])
    assert own.update(swapped).tolist() == [own._row_of[2], own._row_of[1]] == first[::-1].tolist()
    own.clear()
    with pytest.raises(KeyError):
        own.update(Step(5, [2, 1], [1, 1], [1, 1]))


# --- The order --------------------------------------------------------------------------------------------


def test_forks_read_rows_as_they_are() -> None:
    """Forks come before any row is released, replaced or written: a child may take the row of its ending parent."""
    own = rows(max_num_seqs=2)
    own.update(Step(1, [1, 2], [0, 0], [2, 1], new={1: new(1, 3, 4, table=(7, 8)), 2: new(2, 5, table=(9,))}))
    step = Step(2, [3, 1], [2, 0], [1, 3], forks=[Fork(1, 3, 2, RowParams(seed=5))], released=[1, 2])
    step.new, step.known = {1: new(1, 6, 6, 6, table=(2,))}, {3: (2, (9,))}
    step.tables = [(3, 0, 1, (6,))]
    child, again = own.update(step).tolist()
    own.check()
    assert known(own, child, 3) == [3, 4, 9] and known(own, again, 3) == [6, 6, 6]
    assert own.tables[0, child, :2].tolist() == [7, 6] and own.tables[0, again, 0] == 2
    assert own.columns["seed"][child] == 5 and own.prompt_lengths[[child, again]].tolist() == [2, 3]


def test_forks_that_swap_rows_are_read_before_any_is_written() -> None:
    """Two ending parents' rows go to each other's children."""
    own = rows(max_num_seqs=2)
    first = own.update(Step(1, [1, 2], [0, 0], [1, 1], new={1: new(1, 3, table=(7,)), 2: new(2, 5, table=(9,))}))
    forks = [Fork(1, 3, 1, PLAIN), Fork(2, 4, 1, PLAIN)]
    for released in ([1, 2], [2, 1]):
        own.clear()
        own.update(Step(1, [1, 2], [0, 0], [1, 1], new={1: new(1, 3, table=(7,)), 2: new(2, 5, table=(9,))}))
        found = own.update(Step(2, [3, 4], [1, 1], [1, 1], forks=forks, released=released)).tolist()
        assert sorted(found) == sorted(first.tolist())
        assert [known(own, row, 1) for row in found] == [[3], [5]]
        assert own.tables[0, found, 0].tolist() == [7, 9]


def test_forks_that_swap_rows_know_how_long_prompts_were() -> None:
    """Lengths of prompts and encoder inputs, which penalties and cross-attention read, are copied in time too."""
    for released in ([1, 2], [2, 1]):
        own = rows(max_num_seqs=2)
        begun = {1: replace(new(1, 3), num_encoder_tokens=8), 2: replace(new(2, 5, 6), num_encoder_tokens=4)}
        own.update(Step(1, [1, 2], [0, 0], [1, 2], new=begun))
        forks = [Fork(1, 3, 1, PLAIN), Fork(2, 4, 2, PLAIN)]
        found = own.update(Step(2, [3, 4], [1, 2], [1, 1], forks=forks, released=released))
        assert own.prompt_lengths[found].tolist() == [1, 2] and own.encoder_lengths[found].tolist() == [8, 4]


def test_a_fork_keeps_what_its_parents_prompt_and_encoder_were() -> None:
    own = rows()
    whole = NewSequence(1, (3, 4, 5), 2, RowParams(stops=(1,)), ([7],), "audio", 9)
    own.update(Step(1, [1], [0], [3], new={1: whole}))
    (child,) = own.update(
        Step(2, [2], [3], [1], forks=[Fork(1, 2, 3, RowParams(min_length=9, stops=(2,), presence_penalty=1))])
    )
    assert (own.prompt_lengths[child], own.encoder_lengths[child]) == (2, 9)
    edits = own.edits.by_row[child]
    assert edits is not None and edits.token_ids.tolist() == [2] and edits.until.tolist() == [9] and not edits.always
    assert own.penalised.tolist().count(True) == 1 and own.penalised[child]


def test_what_is_written_over() -> None:
    """Table entries and known tokens apply after a new sequence's own, and after a fork's copies."""
    own = rows()
    step = Step(1, [1], [0], [3], new={1: new(1, 3, 4, 5, table=(7, 8))}, known={1: (1, (9, 9, 6))})
    step.tables = [(1, 0, 1, (6, 5)), (1, 0, 0, (0,))]
    (row,) = own.update(step)
    assert known(own, row, 4) == [3, 9, 9, 6] and own.tables[0, row].tolist() == [0, 6, 5, 0, 0]


def test_params_as_columns() -> None:
    own = rows()
    params = RowParams(-(2**63), 1e300, 2**40, 0.25, 0.125, 0.5, -0.5, 1.5, 3, 7, (4, 5))
    (row,) = own.update(Step(1, [1], [0], [1], new={1: new(1, 3, params=params)}))
    found = {name: column[row] for name, column in own.columns.items()}
    assert found["seed"] == -(2**63) and found["top_k"] == 2**31 - 1 and np.isfinite(found["temperature"])
    names = ("top_p", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty", "logprobs", "min_length")
    assert [found[name] for name in names] == [getattr(params, name) for name in names]
    assert own.edits.by_row[row] is not None and own.penalised[row]
    for name, value in (("presence_penalty", 0.1), ("frequency_penalty", -0.1), ("repetition_penalty", 0.9)):
        own.update(Step(2, new={1: new(1, 3, params=replace(PLAIN, **{name: value}))}))  # type: ignore[arg-type]
        assert own.penalised[row], name
    own.update(Step(2, new={1: new(1, 3)}))
    assert not own.penalised[row], "a row that comes again is as its sequence says"


def test_an_update_that_is_cut_short_is_known() -> None:
    own = rows(max_num_seqs=1)
    own.update(Step(1, [1], [0], [1], new={1: new(1, 3)}))
    with pytest.raises(IndexError):
        own.update(Step(2, [2], [0], [1], new={2: new(2, 3)}))
    assert not own.transaction.settled
    own.clear()
    assert own.transaction.settled
    own.check()
    own.update(Step(3, [2], [0], [1], new={2: new(2, 3)}))


# --- Changes of the tables --------------------------------------------------------------------------------


def test_table_changes() -> None:
    own = rows(num_groups=2)
    with pytest.raises(AssertionError, match="changes of the tables are not tracked"):
        own.take_table_changes()
    (row,) = own.update(Step(1, [1], [0], [1], new={1: NewSequence(1, (3,), 1, PLAIN, ([7, 8], [0, 9]))}))
    own.track_tables()
    assert own.take_table_changes() == {(0, row, 0): 7, (0, row, 1): 8, (1, row, 1): 9}, (
        "what is there already, null blocks less"
    )
    assert own.take_table_changes() == {}
    own.update(Step(2, [1], [0], [1], tables=[(1, 0, 1, (5, 6)), (1, 0, 1, (4,)), (1, 1, 1, (0,))]))
    assert own.take_table_changes() == {(0, row, 1): 4, (0, row, 2): 6, (1, row, 1): 0}
    (child,) = own.update(Step(3, [2], [1], [1], forks=[Fork(1, 2, 1, PLAIN)]))
    assert own.take_table_changes() == {(0, child, 0): 7, (0, child, 1): 4, (0, child, 2): 6}
    # A fork into a row with blocks of a previous sequence, where the parent has null blocks.
    own.update(Step(4, new={1: NewSequence(1, (3,), 1, PLAIN, ([0], [9]))}))
    own.take_table_changes()
    own.update(Step(5, released=[2], forks=[Fork(1, 3, 1, PLAIN)]))
    assert own.take_table_changes() == {(0, child, 0): 0, (1, child, 0): 9}


# --- Tokens -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["cpu", "cuda:1"])
def test_the_token_table(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tested on a device with its own memory, and on the CPU, where the host writes the table directly."""
    with FakeCuda(monkeypatch) as cuda:
        table = TokenTable(3, 6, torch.device(device))
        address = table.tensor.data_ptr()
        with cuda.refusing():
            table.write([(0, 0, (4, 5, 6)), (2, 3, [7, 8])])
            table.copy_rows([0, 2], [1, 0])
            table.write([])
            table.copy_rows([], [])
        assert table.padding == 3 and table.tensor.data_ptr() == address
        expected = [[0, 0, 0, 7, 8, 0], [4, 5, 6, 0, 0, 0], [0, 0, 0, 7, 8, 0], [0] * 6]
        assert table.tensor.cpu().tolist() == expected
        put = torch.tensor([1, 3, 0]), torch.tensor([3, 0, 5]), torch.tensor([9, 9, -1])
        places = [each.to(device) for each in put]
        with cuda.refusing():
            table.scatter(*places)
            read = table.gather(places[0], places[1])
        assert read.dtype == torch.int64 and read.cpu().tolist() == [9, 9, 0], "what could not be chosen is token 0"
        assert table.tensor.cpu()[0, 5] == -1


@pytest.mark.parametrize("seed", range(4))
def test_a_random_walk(seed: int) -> None:
    """Against a dictionary of tokens, tables and parameters; the tracked changes add up to the tables."""
    rng = random.Random(seed)
    own = rows(max_num_seqs=6, num_groups=2)
    own.track_tables()
    copies = np.zeros_like(own.tables)
    model: dict[int, tuple[list[int], list[list[int]], RowParams]] = {}
    next_id = 1

    def tokens(count: int) -> tuple[int, ...]:
        return tuple(rng.randrange(100) for _ in range(count))

    def params() -> RowParams:
        return RowParams(seed=rng.randrange(100), temperature=rng.random(), presence_penalty=rng.choice([0.0, 0.5]))

    for number in range(1, 400):
        step = Step(number)
        before = {id: (list(t), [list(b) for b in blocks], p) for id, (t, blocks, p) in model.items()}
        step.released = [id for id in model if rng.random() < 0.25] + ([next_id + 99] if rng.random() < 0.1 else [])
        parents = list(before)
        for id in step.released:
            model.pop(id, None)
        while parents and len(model) < 6 and rng.random() < 0.4:
            parent = rng.choice(parents)
            known_tokens, blocks, _ = before[parent]
            step.forks.append(Fork(parent, next_id, len(known_tokens), params()))
            model[next_id] = (list(known_tokens), [list(b) for b in blocks], step.forks[-1].params)
            next_id += 1
        forked = {fork.child for fork in step.forks}
        again = [id for id in model if id not in forked and rng.random() < 0.1]  # preempted, and back
        while len(model) < 6 and rng.random() < 0.5:
            again.append(next_id)
            model[next_id] = ([], [[], []], PLAIN)
            next_id += 1
        for id in again:
            table = [[rng.randrange(1, 50) for _ in range(rng.randrange(1, 4))] for _ in range(2)]
            step.new[id] = NewSequence(id, tokens(rng.randrange(1, 9)), 1, params(), tuple(map(list, table)))
            model[id] = (list(step.new[id].token_ids), table, step.new[id].params)
        for id, (mine, table, _) in model.items():
            if rng.random() < 0.3:
                group, block = rng.randrange(2), rng.randrange(50)
                index = rng.randrange(min(len(table[group]) + 1, 5))
                table[group][index : index + 1] = [block]
                step.tables.append((id, group, index, (block,)))
            if rng.random() < 0.3 and len(mine) < 10:
                more = tokens(rng.randrange(1, 3))
                step.known[id] = (len(mine), more)
                mine += more
        step.ids = rng.sample(sorted(model), len(model))
        found = dict(zip(step.ids, own.update(step).tolist(), strict=True))
        own.check()
        for (group, row, column), block in own.take_table_changes().items():
            copies[group, row, column] = block
        assert len(set(found.values())) == len(model)
        for id, (mine, table, its) in model.items():
            row = found[id]
            assert known(own, row, len(mine)) == mine
            for group in range(2):
                assert own.tables[group, row, : len(table[group])].tolist() == table[group]
                assert copies[group, row, : len(table[group])].tolist() == table[group]
            assert own.columns["seed"][row] == its.seed and own.penalised[row] == (its.presence_penalty > 0)
            assert own.has_special(np.array([row])) == own.penalised[row]
