"""ModelRunner: several draws of a row, scores of prompts in parts, masks, failures of single rows, and its groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.fakes import VOCAB, FakeModel, follow
from torchpaged import EngineConfig
from torchpaged.errors import ConfigError
from torchpaged.execution.cache_sizing import block_bytes, cache_dtype
from torchpaged.execution.logit_bias import Mask
from torchpaged.execution.logits import NAN, NOTHING_LEFT
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.execution.pending_step import PendingStep
from torchpaged.kv_cache import BlockCopy, FullAttentionSpec, KVCacheGroup, SlidingWindowSpec
from torchpaged.kv_cache.block import CopyDirection
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.model import IndexShape, LayerShape
from torchpaged.scheduling import Fork, NewSequence, Results, RowParams, Step, TokenLogprobs
from torchpaged.scheduling.step import Scored

CONFIG = EngineConfig(block_size=4, num_blocks=33, max_num_seqs=4)


def runner(model: FakeModel | None = None, **settings: Any) -> ModelRunner:
    model = model or FakeModel()
    return ModelRunner(model, replace(CONFIG, **settings).resolve(model.spec))


def prompts(*tokens: Sequence[int], params: Sequence[RowParams] = (), **fields: Any) -> Step:
    """Make a step that computes whole prompts, of sequences 1, 2, ..."""
    step = Step(1, list(range(1, len(tokens) + 1)), [0] * len(tokens), [len(each) for each in tokens], **fields)
    for id, each in enumerate(tokens, start=1):
        own = params[id - 1] if params else RowParams()
        step.new[id] = NewSequence(id, tuple(each), len(each), own, ([3 * id, 3 * id + 1, 3 * id + 2],))
    return step


def run(running: ModelRunner, step: Step) -> Results:
    results = running.launch(step).result()
    running.check()
    assert results.number == step.number
    return results


class Flat(FakeModel):
    """Model with equal logits, so that only the random numbers decide."""

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        return torch.zeros(len(rows), VOCAB)


# --- Draws ------------------------------------------------------------------------------------------------


def test_each_sequence_draws_a_token_and_goes_on_from_it() -> None:
    """The next step is not told the token."""
    running = runner()
    first = run(running, prompts((5, 6, 7), (9, 3)))
    assert dict(first.runs()) == {1: follow((5, 6, 7), 1), 2: follow((9, 3), 1)}
    second = run(running, Step(2, [2, 1], [2, 3], [1, 1]))
    assert dict(second.runs()) == {1: follow((5, 6, 7), 2)[1:], 2: follow((9, 3), 2)[1:]}
    assert (second.draws, second.lengths) == ([2, 1], None)


def test_several_draws_of_one_row() -> None:
    """Each with its id and seed; draws that are not yet sequences are not stored in a row."""
    running = runner(Flat())
    hot = RowParams(temperature=1.0, seed=3)
    draws = {1: tuple((id, seed) for id, seed in zip([1, 11, 12, 13, 14, 15], [3, 4, 5, 6, 7, 3], strict=True))}
    results = run(running, prompts((5, 6, 7), (9,), params=[hot, hot], draws=draws))
    assert results.draws == [1, 11, 12, 13, 14, 15, 2]
    tokens = dict(results.runs())
    assert tokens[1] == tokens[15] and len({tuple(run) for run in tokens.values()}) > 3
    for id, seed in draws[1]:
        alone = run(runner(Flat()), prompts((5, 6, 7), params=[RowParams(temperature=1.0, seed=seed)]))
        assert dict(alone.runs())[1] == tokens[id]
    rows = running.rows.update(Step(2, [1, 2]))
    assert (
        running.rows.tokens.tensor[rows[0], 3] == tokens[1][0]
        and running.rows.tokens.tensor[rows[1], 1] == tokens[2][0]
    )
    without = run(running, prompts((5, 6, 7), params=[hot], draws={1: ((11, 4),)}))
    assert dict(without.runs()) == {11: tokens[11]}
    assert running.rows.tokens.tensor[running.rows.update(Step(3, [1]))[0], 3] == tokens[1][0], (
        "other draws are not stored"
    )


def test_draws_report_what_their_row_asks_for() -> None:
    """Logprobs of each draw; a banned token is never drawn."""
    prompt, (next_one,) = (5, 6, 7), follow((5, 6, 7), 1)
    params = [RowParams(logprobs=3, min_length=4, stops=(next_one,)), RowParams()]
    results = run(runner(), prompts(prompt, (9,), params=params, draws={1: ((1, 0), (9, 1))}))
    tokens = dict(results.runs())
    assert tokens[1] == tokens[9] != [next_one] and tokens[2] == follow([9], 1)
    assert set(results.logprobs) == {1, 9}
    for (row,) in results.logprobs.values():
        assert next(iter(row)) == tokens[1][0] and next_one in row and len(row) == 3
        assert row[next_one][1] == 1, "logprobs are the model's own"


def test_a_fork_goes_on_from_its_parents_row() -> None:
    running = runner()
    run(running, prompts((5, 6, 7), draws={1: ((1, 0), (2, 0))}))
    forks, known = [Fork(1, 2, 3, RowParams())], {1: (3, (8,)), 2: (3, (9,))}
    results = run(running, Step(2, [1, 2], [3, 3], [1, 1], forks=forks, known=known, tables=[(2, 0, 0, (20,))]))
    assert dict(results.runs()) == {1: follow((5, 6, 7, 8), 1), 2: follow((5, 6, 7, 9), 1)}


def test_nan_is_an_error_of_each_draw() -> None:
    """Other sequences are not affected."""
    params = [RowParams(logprobs=1), RowParams(logprobs=1)]
    step = prompts((5, 6, 7), (2, 3), params=params, draws={1: ((1, 0), (9, 1))})
    results = run(runner(FakeModel(nan_at=7)), step)
    assert results.errors == {1: NAN, 9: NAN}
    assert dict(results.runs()) == {2: follow((2, 3), 1)} and set(results.logprobs) == {2}


def test_a_step_of_nothing_and_one_without_draws() -> None:
    running = runner()
    assert run(running, Step(1)).draws == []
    quiet = run(running, prompts((5, 6, 7), quiet={1}))
    assert quiet.draws == quiet.tokens == [] and quiet.errors == quiet.scores == {}
    assert dict(run(running, Step(2, [1], [2], [1])).runs()) == {1: follow((5, 6, 7), 1)}


def test_reset_frees_all_rows() -> None:
    running = runner()
    run(running, prompts((5,), (6,), (7,), (8,)))
    running.reset()
    running.check()
    assert dict(run(running, prompts((9,), (10,), (11,), (12,))).runs())[4] == follow([12], 1)


# --- Scores of prompts in parts ---------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(9,), (4, 5), (1, 1, 7), (8, 1)], ids=str)
@pytest.mark.parametrize("start", [1, 2, 5, 8, 9])
def test_prompt_logprobs_in_parts(sizes: Sequence[int], start: int) -> None:
    """The fake model's logit is 9 for the token that follows and 0 to 1 for the others."""
    prompt = [3, *follow([3], 4), 4, 5, 6, 7]
    running = runner()
    got: dict[int, TokenLogprobs] = {}
    first = 0
    for size in sizes:
        step = Step(1, [1], [first], [size])
        if first == 0:
            step.new = {1: NewSequence(1, tuple(prompt), 9, RowParams(), ([1, 2, 3],))}
        last = min(first + size, len(prompt) - 1)
        begin = max(start, first + 1)
        if begin <= last:
            step.scored = {1: Scored(begin, last + 1 - begin, 2)}
        if first + size < len(prompt):
            step.quiet = {1}
        results = run(running, step)
        if step.scored:
            got |= dict(enumerate(results.scores[1].logprobs, start=results.scores[1].first))
        else:
            assert results.scores == {}
        first += size
    assert dict(results.runs()) == {1: follow(prompt, 1)}
    assert list(got) == list(range(start, len(prompt)))
    for position, row in got.items():
        token = prompt[position]
        assert next(iter(row)) == token and len(row) == (2 if row[token][1] <= 2 else 3)
        assert row[token][1] == 1 or position > 4
        assert sorted(rank for _, rank in row.values())[:2] == [1, 2]


def test_scores_belong_to_one_sequence() -> None:
    results = run(runner(), prompts((5, 6, 7), (9, 3), scored={2: Scored(1, 1)}))
    assert set(results.scores) == {2} and len(results.draws) == 2


# --- Masks ------------------------------------------------------------------------------------------------


def mask(*allowed: int) -> Mask:
    bits: np.ndarray[Any, Any] = np.zeros(VOCAB, dtype=np.uint8)
    bits[list(allowed)] = 1
    return np.packbits(bits, bitorder="little").view(np.uint32)


def test_masks_are_awaited_and_obeyed() -> None:
    """All draws of the sequence obey the mask; rows without one are sampled in the same step, unmasked."""
    running = runner()
    draws = {1: ((1, 5), (9, 6))}
    params = [RowParams(logprobs=2), RowParams(temperature=1.0, seed=2)]
    free = dict(run(runner(), prompts((5, 6, 7), (9, 3), params=params)).runs())
    launched = running.launch(prompts((5, 6, 7), (9, 3), params=params, draws=draws, masked={1}))
    with pytest.raises(AssertionError, match="step 1 waits for masks"):
        launched.result()
    running.sample(launched, {1: mask(4, 17)})
    results = launched.result()
    tokens = dict(results.runs())
    assert tokens == {1: [17], 9: [17], 2: free[2]}  # the last of the allowed tokens is the most likely
    assert set(results.logprobs) == {1, 9} and results.logprobs[1] == results.logprobs[9]
    (row,) = results.logprobs[1]
    assert free[1][0] not in row and set(row) == {4, 17}, "logprobs are of what the mask allows, as vLLM's"
    assert sum(math.exp(value) for value, _ in row.values()) == pytest.approx(1)
    running.sample(launched, {})  # all draws have their tokens already
    # The next step reads the token sampled with the mask.
    after = dict(run(running, Step(2, [1, 2], [3, 2], [1, 1])).runs())
    assert after[1] == follow((5, 6, 7, 17), 1)


def test_a_mask_beside_penalties_and_bans() -> None:
    params = [RowParams(presence_penalty=2.0, min_length=9, stops=(30,)), RowParams(repetition_penalty=1.5)]
    running = runner()
    launched = running.launch(prompts((5, 6, 7), (9, 3), params=params, masked={1}))
    running.sample(launched, {1: mask(4, 29, 30)})
    assert dict(launched.result().runs()) == {1: [29], 2: follow((9, 3), 1)}
    launched = running.launch(prompts((5, 6, 7), (9, 3), params=params, masked={1, 2}))
    running.sample(launched, {1: mask(30), 2: mask(31)})
    results = launched.result()
    assert results.errors == {1: NOTHING_LEFT} and dict(results.runs()) == {2: [31]}, "nothing is left of the first"


def test_a_missing_mask() -> None:
    running = runner()
    launched = running.launch(prompts((5, 6, 7), (9, 3), masked={1, 2}))
    with pytest.raises(AssertionError, match=r"step 1: masks are missing for \[2\]"):
        running.sample(launched, {1: mask(4)})
    running.sample(launched, {1: mask(4), 2: mask(5)})
    assert dict(launched.result().runs()) == {1: [4], 2: [5]}


def test_scores_do_not_wait_for_masks() -> None:
    """They arrive with the tokens, and are computed from the unmasked logits."""
    running = runner()
    launched: PendingStep = running.launch(prompts((5, 6, 7), scored={1: Scored(1, 2)}, masked={1}))
    running.sample(launched, {1: mask(4)})
    results = launched.result()
    assert len(results.scores[1].scores) == 2 and dict(results.runs()) == {1: [4]}


# --- Groups, copies, times --------------------------------------------------------------------------------


def test_groups_and_swap_blocks() -> None:
    model = FakeModel()
    layers = {0: LayerShape(1, 8, 8, sliding_window=10), 1: LayerShape(1, 8, 8)}
    model.spec = replace(FakeModel.spec, layers=layers)
    running = runner(model, swap_space=3.5 * 4 * 16 * 4 / 2**30)
    running.check()
    assert running.groups == [KVCacheGroup(SlidingWindowSpec(4, 10), (0,)), KVCacheGroup(FullAttentionSpec(4), (1,))]
    assert running.kv_cache.bytes_per_block == block_bytes(model, CONFIG, running.groups) == 4 * 16 * 4
    assert running.kv_cache.num_swap_blocks == 3
    assert runner(model, max_model_len=10).groups == [KVCacheGroup(FullAttentionSpec(4), (0, 1))]
    key = running.kv_cache.caches[0].key
    key[5] = 7.0
    out, back = BlockCopy(5, 3, CopyDirection.OUT), BlockCopy(3, 6, CopyDirection.IN)
    running.copy([out, back, BlockCopy(6, 8)])
    assert bool((key[8] == 7.0).all())


@pytest.mark.parametrize(
    ("shape", "device", "reason"),
    [
        (LayerShape(1, 80, 64), "cpu", "FakeModel has heads of 80 numbers, no multiple of the 32"),
        (LayerShape(1, 64, 64), "cuda", "FakeModel is on cuda, and only a CPU has kernels"),
        (LayerShape(1, 64, 64, index=(IndexShape(1, 32),)), "cpu", "FakeModel chooses tokens by index keys"),
        (LayerShape(1, 64, 0), "cpu", ""),
    ],
    ids=["odd", "cuda", "index", "latent"],
)
def test_models_that_a_cache_of_four_bits_suits(shape: LayerShape, device: str, reason: str) -> None:
    model, config = FakeModel(), replace(CONFIG, kv_cache_dtype="int4")
    model.spec = replace(FakeModel.spec, layers={0: shape}, device=torch.device(device))
    if not reason:
        assert cache_dtype(model, config) == torch.uint8
        return
    with pytest.raises(
        ConfigError, match=f"kv_cache_dtype is 'int4', but {reason}.*; expected 'int8', 'fp8' or 'auto'"
    ):
        cache_dtype(model, config)


def test_ranks_agree_on_the_blocks() -> None:
    config = CONFIG.resolve(FakeModel.spec)
    running = ModelRunner(FakeModel(), config, agreed=lambda counts: [max(0, each - 5) for each in counts])
    assert running.kv_cache.num_blocks == 28


def test_results_carry_times() -> None:
    running = runner()
    step = prompts((5, 6, 7))
    first = run(running, step)
    assert first.forward_seconds is not None and first.forward_seconds > 0 and first.copy_seconds is None
    running.copy([BlockCopy(5, 6)])
    second = run(running, Step(2, [1], [3], [1]))
    assert second.forward_seconds and second.copy_seconds and second.copy_seconds > 0
    third = run(running, Step(3))
    assert third.forward_seconds is None and third.copy_seconds is None, "copies are the next step's alone"
