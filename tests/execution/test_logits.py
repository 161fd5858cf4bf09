"""LogitPlan and ScoreEntries: rows, draws, seeds, and scores of known tokens against float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.fakes import FakeModel
from torchpaged import EngineConfig
from torchpaged.execution import model_runner
from torchpaged.execution.logits import NAN, LogitPlan, ScoreEntries, score_tokens
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.scheduling import NewSequence, RowParams, Step
from torchpaged.scheduling.step import Scored

VOCAB = FakeModel.spec.vocab_size


def plan_of(firsts: Sequence[int], counts: Sequence[int], **fields: Any) -> LogitPlan:
    """Plan a step of sequences 1, 2, ..."""
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return LogitPlan.from_step(Step(1, list(range(1, len(counts) + 1)), list(firsts), list(counts), **fields), starts)


def as_lists(plan: LogitPlan) -> tuple[list[int], list[int], list[int], list[int]]:
    return plan.rows.tolist(), plan.draws, plan.draw_places.tolist(), plan.draw_rows.tolist()


# --- Plans ------------------------------------------------------------------------------------------------


def test_each_draws_from_its_last_row() -> None:
    plan = plan_of([0, 7, 3], [5, 1, 2])
    assert as_lists(plan) == ([4, 5, 7], [1, 2, 3], [0, 1, 2], [0, 1, 2])
    assert plan.seeds is None and plan.scored == [] and plan.all_are_drawn


def test_quiet_sequences_have_no_row() -> None:
    plan = plan_of([0, 7, 3], [5, 1, 2], quiet={1, 3})
    assert as_lists(plan) == ([5], [2], [1], [0]) and plan.all_are_drawn
    assert as_lists(plan_of([0], [5], quiet={1})) == ([], [], [], [])


def test_several_draw_from_one_row() -> None:
    plan = plan_of([0, 7, 3], [5, 1, 2], draws={2: ((2, 40), (9, 41), (8, 42))})
    assert as_lists(plan) == ([4, 5, 7], [1, 2, 9, 8, 3], [0, 1, 1, 1, 2], [0, 1, 1, 1, 2])
    assert plan.seeds == {1: 40, 2: 41, 3: 42} and not plan.all_are_drawn
    assert as_lists(plan_of([0], [5], draws={1: ((9, 3),)})) == ([4], [9], [0], [0])


@pytest.mark.parametrize(
    ("first", "count", "scored", "quiet", "rows", "draws", "row"),
    [
        pytest.param(0, 5, Scored(1, 4), False, [0, 1, 2, 3, 4], [4], 0, id="a-whole-prompt"),
        pytest.param(0, 3, Scored(1, 3), True, [0, 1, 2], [], 0, id="a-chunk"),
        pytest.param(3, 2, Scored(4, 1), False, [0, 1], [1], 0, id="the-last-chunk"),
        pytest.param(0, 5, Scored(3, 2), False, [2, 3, 4], [2], 0, id="from-3"),
        pytest.param(2, 2, Scored(4, 1), True, [1], [], 0, id="what-the-last-row-predicts-is-known"),
        pytest.param(4, 1, Scored(5, 0, targets=(7,)), True, [0], [], 0, id="targets-alone"),
        pytest.param(0, 5, Scored(3, 2, targets=(7, 8)), True, [2, 3, 4], [], 0, id="tokens-and-targets"),
        pytest.param(4, 1, Scored(5, 0, candidates=3), True, [0], [], 0, id="candidates"),
        pytest.param(0, 5, Scored(1, 0), True, [], [], 0, id="nothing"),
    ],
)
def test_rows_that_are_scored(
    first: int, count: int, scored: Scored, quiet: bool, rows: list[int], draws: list[int], row: int
) -> None:
    """Alone, and after another sequence of 3 tokens."""
    alone = plan_of([first], [count], scored={1: scored}, quiet={1} if quiet else set())
    assert alone.rows.tolist() == rows and alone.draw_rows.tolist() == draws
    assert [(each.id, each.place, each.row) for each in alone.scored] == [(1, 0, row)]
    behind = plan_of([0, first], [3, count], scored={2: scored}, quiet={2} if quiet else set())
    assert behind.rows.tolist() == [2, *[3 + each for each in rows]]
    assert behind.draw_rows.tolist() == [0, *[1 + each for each in draws]]
    assert [(each.id, each.place, each.row) for each in behind.scored] == [(2, 1, 1 + row)]
    assert not behind.all_are_drawn


# --- Scores -----------------------------------------------------------------------------------------------


def test_entries() -> None:
    scored = {1: Scored(1, 2, alternatives=3), 2: Scored(8, 0, targets=(5, 6)), 3: Scored(1, 1, candidates=4)}
    plan = plan_of([0, 7, 0], [3, 1, 2], scored=scored, quiet={2, 3})
    entries = ScoreEntries(plan)
    assert entries.rows.tolist() == [0, 1, 3, 3, 4, 5]
    assert entries.places.tolist() == [0, 0, 1, 1, 2, 2]
    assert entries.positions.tolist() == [1, 2, -1, -1, 1, -1]
    assert entries.targets.tolist() == [0, 0, 5, 6, 0, 0] and entries.num_top == 4


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("count", [0, 1, 3, VOCAB, VOCAB + 5])
def test_logprobs_are_log_softmax(count: int, dtype: torch.dtype) -> None:
    """They are compared for each token of each row, in any order of rows."""
    logits = (2 * torch.randn(5, VOCAB, generator=torch.Generator().manual_seed(8))).to(dtype)
    rows = torch.arange(5 * VOCAB) * 7 % 5
    tokens = torch.arange(5 * VOCAB) % VOCAB
    found = score_tokens(logits, rows, tokens, count).rows(tokens.tolist(), [count] * len(tokens))
    expected = torch.log_softmax(logits.double(), 1).tolist()
    orders = [sorted(range(VOCAB), key=lambda i, values=values: (-values[i], i)) for values in expected]
    for row, token, values in zip(rows.tolist(), tokens.tolist(), found, strict=True):
        wanted = expected[row]
        assert next(iter(values)) == token and set(values) == {token, *orders[row][:count]}
        for each, (logprob, _) in values.items():
            assert abs(logprob - wanted[each]) <= 1e-6
        assert values[token][1] == 1 + sum(value > wanted[token] for value in wanted)


class Noisy(FakeModel):
    """Model whose logits depend only on the token and its position, all different."""

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        return torch.stack([noise(int(input_ids[row]), int(positions[row])) for row in rows])


def noise(token: int, position: int) -> Tensor:
    row: Tensor = 3 * torch.randn(VOCAB, generator=torch.Generator().manual_seed(1000 * position + token))
    return row


@pytest.mark.parametrize("piece", [1 << 24, 3 * VOCAB, VOCAB, 1], ids=["at-once", "by-three", "by-one", "least"])
def test_scores_against_float64(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts with alternatives and without, targets, candidates, draws of others and several of one row."""
    monkeypatch.setattr(model_runner, "PIECE", piece)
    runner = ModelRunner(Noisy(), EngineConfig(block_size=4, num_blocks=33, max_num_seqs=5).resolve(Noisy.spec))
    tokens = {id: tuple(2 + (5 * id + 3 * i) % 29 for i in range(4 + id)) for id in range(1, 6)}
    step = Step(1, list(tokens), [0, 2, 0, 5, 0], [5, 4, 7, 3, 9])
    for id, known in tokens.items():
        step.new[id] = NewSequence(id, known, len(known), RowParams(), ([2 * id, 2 * id + 1, 20 + id],))
    step.scored = {
        1: Scored(1, 4, alternatives=2),
        2: Scored(4, 2, targets=(3, 9, 3)),
        3: Scored(6, 1, alternatives=0, candidates=6),
        5: Scored(1, 8),
    }
    step.quiet, step.draws = {2, 3}, {5: ((5, 1), (77, 2))}
    results = runner.launch(step).result()
    assert results.draws == [1, 4, 5, 77] and results.errors == {}
    best = [int(noise(tokens[id][-1], len(tokens[id]) - 1).argmax()) for id in (1, 4, 5, 5)]
    assert results.tokens == best

    def logprobs(id: int, position: int) -> Tensor:
        return torch.log_softmax(noise(tokens[id][position - 1], position - 1).double(), 0)

    for id, scored in step.scored.items():
        found = results.scores[id]
        assert found.first == scored.first
        for place in range(scored.count):
            position = scored.first + place
            expected, token = logprobs(id, position), tokens[id][position]
            if scored.alternatives < 0:
                value, likeliest = found.scores[place]
                assert likeliest == (int(expected.argmax()) == token)
            else:
                row = found.logprobs[place]
                order = expected.argsort(descending=True).tolist()
                assert set(row) == {token, *order[: scored.alternatives]}
                assert all(rank == 1 + order.index(each) for each, (_, rank) in row.items())
                value = row[token][0]
            assert value == pytest.approx(expected[token].item(), abs=1e-6)
        assert len(found.scores) == (scored.count if scored.alternatives < 0 else 0)
        assert len(found.logprobs) == (0 if scored.alternatives < 0 else scored.count)
        behind = logprobs(id, len(tokens[id]))
        assert [value for value, _ in found.targets] == pytest.approx(
            [behind[token].item() for token in scored.targets], abs=1e-6
        )
        top = behind.argsort(descending=True)[: scored.candidates].tolist()
        assert list(found.candidates) == top
        assert list(found.candidates.values()) == pytest.approx(behind[top].tolist(), abs=1e-6)


def test_nan_fails_the_sequences_whose_scores_it_touches() -> None:
    logits = torch.zeros(4, VOCAB)
    logits[2, 3] = torch.nan
    scored = {1: Scored(1, 1, targets=(5,)), 2: Scored(1, 1, targets=(4,)), 3: Scored(9, 0)}
    plan = plan_of([0, 0, 8], [2, 2, 1], scored=scored, quiet={1, 2, 3})
    entries = ScoreEntries(plan)
    ids = torch.tensor([0, 5, 0, 4])
    found, errors = entries.results(score_tokens(logits, torch.from_numpy(entries.rows), ids, 1), ids.tolist())
    assert errors == {2: NAN} and set(found) == {1, 2, 3}
    assert found[1].scores == [(pytest.approx(-np.log(VOCAB)), True)] and found[1].targets[0][1] is False
