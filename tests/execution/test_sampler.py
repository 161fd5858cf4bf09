"""Sampler against brute force: filtered distributions, penalties, bans, masks, seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import MinPLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from torchpaged.execution.logit_bias import Mask
from torchpaged.execution.logits import score_tokens
from torchpaged.execution.rows import Rows
from torchpaged.execution.sampler import DrawParameters, Draws, Sampler
from torchpaged.ops import cpu, set_backend
from torchpaged.sampling_params import SamplingParams
from torchpaged.scheduling import NewSequence, RowParams, Step

VOCAB = 12
CPU = torch.device("cpu")


@dataclass
class Row:
    """Sequence whose next token is drawn: tokens, prompt length and parameters."""

    name: str
    tokens: tuple[int, ...]
    prompt: int
    params: RowParams


def row(
    name: str = "a", tokens: tuple[int, ...] = (0,), prompt: int = 1, banned: tuple[int, ...] = (), **params: Any
) -> Row:
    """Make a row, drawn at a high temperature by default; banned tokens are stop tokens below its minimum length."""
    bans = {"stops": banned, "min_length": len(tokens) + 1} if banned else {}
    return Row(name, tokens, prompt, RowParams(**{"temperature": 1.0, **bans, **params}))


def placed(own: Sequence[Row]) -> tuple[Sampler, Draws]:
    """Return a sampler over the rows, and one draw for each."""
    rows = Rows(1, len(own), 1, max(len(each.tokens) for each in own) + 1, CPU)
    new = {id: NewSequence(id, each.tokens, each.prompt, each.params, ([1],)) for id, each in enumerate(own, start=1)}
    found = rows.update(Step(1, list(new), [0] * len(own), [1] * len(own), new=new))
    return Sampler(rows, CPU), Draws(found, np.array([len(each.tokens) for each in own], dtype=np.int64))


def sample(logits: Tensor, own: Sequence[Row], masks: Sequence[tuple[int, Mask]] = ()) -> list[int]:
    sampler, draws = placed(own)
    token_ids = sampler.draw(logits, draws, dict(masks))
    assert token_ids.dtype == torch.int64 and token_ids.shape == (len(own),)
    return token_ids.tolist()


def logits_like(seed: int, rows: int = 1) -> Tensor:
    return 2 * torch.randn(rows, VOCAB, generator=torch.Generator().manual_seed(seed))


def brute_force(logits: Tensor, params: RowParams) -> list[float]:
    """Compute the distribution with lists in float64: temperature, top-k, top-p, min-p."""
    scaled = [x / params.temperature for x in logits.double().tolist()]
    order = sorted(range(len(scaled)), key=lambda i: -scaled[i])
    kept = order[: params.top_k] if params.top_k > 0 else order
    weights = {i: math.exp(scaled[i] - max(scaled)) for i in kept}
    total = sum(weights.values())
    probs = {i: w / total for i, w in weights.items()}
    if params.top_p < 1:
        reached, nucleus = 0.0, []
        for i in kept:
            if reached >= params.top_p:
                break
            nucleus.append(i)
            reached += probs[i]
        probs = {i: probs[i] / reached for i in nucleus}
    floor = params.min_p * max(probs.values())
    probs = {i: p for i, p in probs.items() if p >= floor}
    return [probs.get(i, 0.0) / sum(probs.values()) for i in range(len(scaled))]


def test_greedy_is_the_argmax() -> None:
    logits = logits_like(0, rows=5)
    assert sample(logits, [row(temperature=0.0)] * 5) == logits.argmax(-1).tolist()


@pytest.mark.parametrize(
    "params",
    [
        pytest.param({}, id="plain"),
        pytest.param({"temperature": 0.5}, id="cold"),
        pytest.param({"temperature": 3.0}, id="hot"),
        pytest.param({"top_k": 1}, id="top-k-1"),
        pytest.param({"top_k": 4}, id="top-k-4"),
        pytest.param({"top_k": 10**6}, id="top-k-beyond-the-vocabulary"),
        pytest.param({"top_k": -1}, id="top-k-all"),
        pytest.param({"top_p": 0.7}, id="top-p"),
        pytest.param({"top_p": 1e-6}, id="top-p-keeps-one"),
        pytest.param({"top_p": 0.9, "temperature": 2.0}, id="top-p-after-temperature"),
        pytest.param({"min_p": 0.2}, id="min-p"),
        pytest.param({"min_p": 1.0}, id="min-p-keeps-the-best"),
        pytest.param({"top_k": 6, "top_p": 0.8, "min_p": 0.1, "temperature": 1.5}, id="together"),
    ],
)
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside-others"])
def test_the_distribution(params: dict[str, Any], beside: bool) -> None:
    """3,000 draws from one row repeated; each share within five standard deviations of its probability."""
    logits = logits_like(1)[0]
    draws = 3_000
    rows = [row(seed=i, **params) for i in range(draws)]
    if beside:  # filters of the others must not leak into this row
        rows += [row(top_k=2), row(top_p=0.3), row(min_p=0.5), row(temperature=0.0)]
    sampled = sample(logits.expand(len(rows), VOCAB), rows)[:draws]
    shares = torch.bincount(torch.tensor(sampled), minlength=VOCAB) / draws
    for share, expected in zip(shares.tolist(), brute_force(logits, row(**params).params), strict=True):
        assert (share == 0) or expected > 0
        assert abs(share - expected) <= 5 * math.sqrt(expected * (1 - expected) / draws) + 1e-9


def test_filters_go_in_transformers_order() -> None:
    """Top-k, top-p, min-p: with min-p first, as in vLLM, 80 % of what is left would be two tokens and not three."""
    logits = torch.tensor([0.5, 0.2, 0.1, 0.05, 0.05, 0.05, 0.05]).log()
    scores = logits[None]
    for warper in (TopKLogitsWarper(6), TopPLogitsWarper(0.8), MinPLogitsWarper(0.15)):
        scores = warper(None, scores)
    expected = set(torch.isfinite(scores[0]).nonzero()[:, 0].tolist())
    assert expected == {0, 1, 2}
    rows = [row(seed=i, top_k=6, top_p=0.8, min_p=0.15) for i in range(2_000)]
    assert set(sample(logits.expand(len(rows), 7), rows)) == expected


@pytest.mark.parametrize(
    "peaks",
    [pytest.param(1e4, id="large-logits"), pytest.param(1e30, id="huge-logits"), pytest.param(0.0, id="all-equal")],
)
@pytest.mark.parametrize("temperature", [1e-9, 1.0, 100.0, 1e300])
def test_extremes_give_a_token(peaks: float, temperature: float) -> None:
    logits = torch.zeros(1, VOCAB)
    logits[0, 3] = peaks
    [token] = sample(logits, [row(temperature=temperature, top_p=0.9, top_k=5, min_p=0.1)])
    assert token == 3 or (0 <= token < VOCAB and (peaks == 0.0 or temperature > 1000))


# --- Penalties, bans, masks -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        # Prompt 1, 2; output 2, 3, 3. Logits: 4, 4, 4, 4, -1 and -2 for the others.
        pytest.param({"presence_penalty": 1.0}, [4, 4, 3, 3, -1], id="presence"),
        pytest.param({"frequency_penalty": 1.0}, [4, 4, 3, 2, -1], id="frequency"),
        pytest.param({"frequency_penalty": -0.5}, [4, 4, 4.5, 5, -1], id="negative-frequency"),
        pytest.param({"repetition_penalty": 2.0}, [4, 2, 2, 2, -1], id="repetition"),
        pytest.param({"repetition_penalty": 0.5}, [4, 8, 8, 8, -1], id="repetition-below-1"),
        pytest.param({"repetition_penalty": 2.0, "presence_penalty": 1.0}, [4, 2, 1, 1, -1], id="both"),
        pytest.param({}, [4, 4, 4, 4, -1], id="none"),
    ],
)
def test_penalties(params: dict[str, float], expected: list[float]) -> None:
    raw = torch.full((1, VOCAB), -2.0)
    raw[0, :5] = torch.tensor([4.0, 4.0, 4.0, 4.0, -1.0])
    before = raw.clone()
    wanted = torch.full((VOCAB,), -2.0)
    wanted[:5] = torch.tensor(expected)
    draws = 3_000
    rows = [row(tokens=(1, 2, 2, 3, 3), prompt=2, seed=i, **params) for i in range(draws)]
    sampled = sample(raw.repeat(draws, 1), rows)
    shares = torch.bincount(torch.tensor(sampled), minlength=VOCAB) / draws
    probs = torch.softmax(wanted, 0)
    assert torch.all((shares - probs).abs() <= 5 * (probs * (1 - probs) / draws).sqrt() + 1e-9)
    greedy = row(tokens=(1, 2, 2, 3, 3), prompt=2, temperature=0.0, logprobs=0, **params)
    assert sample(raw, [greedy]) == [int(wanted.argmax())]
    assert torch.equal(raw, before), "the model's logits were changed"


def test_penalties_count_no_token_that_is_not_there_yet() -> None:
    """Tokens behind a row's length belong to a previous sequence, or were rejected."""
    sampler, draws = placed([row(tokens=(1, 2, 3), temperature=0.0, repetition_penalty=9.0)])
    logits = torch.zeros(1, VOCAB)
    logits[0, 1:4] = torch.tensor([9.0, 8.0, 7.0])
    assert sampler.draw(logits, draws).tolist() == [1] and sampler.changed(draws).tolist() == [0]
    draws.lengths[:] = 2
    assert sampler.draw(logits, draws).tolist() == [3]


def test_a_negative_logit_grows_with_the_repetition_penalty() -> None:
    logits = torch.tensor([[-1.0, -1.5, -9.0]])
    assert sample(logits, [row(tokens=(0,), temperature=0.0, repetition_penalty=2.0)]) == [1]  # token 0 fell to -2


@pytest.mark.parametrize("params", [{"temperature": 0.0}, {}, {"top_k": 2}, {"top_p": 0.5}], ids=str)
def test_banned_tokens_are_never_chosen(params: dict[str, Any]) -> None:
    logits = torch.zeros(500, VOCAB)
    logits[:, 4], logits[:, 5] = 20.0, 19.0
    assert set(sample(logits, [row(banned=(4,), seed=i, **params) for i in range(500)])) == {5}


@pytest.mark.parametrize("length", [1, 4, 5, 6])
def test_stops_are_banned_below_a_length(length: int) -> None:
    """The token at position `min_length - 1` may be one of them; each sequence has its own."""
    logits = torch.arange(VOCAB).float()[None].repeat(3, 1)
    own = [
        row(tokens=(0,) * length, temperature=0.0, min_length=5, stops=(11, 9)),
        row(tokens=(0,) * length, temperature=0.0, min_length=5, stops=(10, 11)),
        row(tokens=(0,) * length, temperature=0.0, stops=(11,)),
    ]
    assert sample(logits, own) == ([10, 9, 11] if length < 5 else [11] * 3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_penalties_beside_rows_without(dtype: torch.dtype) -> None:
    """Each row draws as it does alone, and the input logits are unchanged."""
    logits = logits_like(12, rows=4).to(dtype)
    before = logits.clone()
    rows = [
        row(banned=(int(logits[0].argmax()),), temperature=0.0),
        row(seed=4),
        row(tokens=(3, 4), seed=5, repetition_penalty=1.7),
        row(temperature=0.0),
    ]
    together = sample(logits, rows)
    assert together == [sample(logits[i : i + 1], [each])[0] for i, each in enumerate(rows)]
    assert torch.equal(logits, before)


def mask(*allowed: int) -> Mask:
    bits: np.ndarray[Any, Any] = np.zeros(32, dtype=np.uint8)
    bits[list(allowed)] = 1
    return np.packbits(bits, bitorder="little").view(np.uint32)


def test_masks() -> None:
    """Each applies to one draw; the other draws and the input logits are unchanged."""
    logits = logits_like(3, rows=4)
    before = logits.clone()
    rows = [row(seed=1), row(temperature=0.0), row(temperature=0.0, banned=(7,)), row(seed=2, repetition_penalty=1.5)]
    free = sample(logits, rows)
    drawn = sample(logits, rows, [(1, mask(2, 9)), (2, mask(7, 8))])
    assert drawn == [free[0], 2 + 7 * int(logits[1, 9] > logits[1, 2]), 8, free[3]]
    assert sample(logits, rows, [(0, mask()), (1, mask(31))])[:2] == [-1, -1], "nothing is left"
    assert torch.equal(logits, before)
    flat = torch.zeros(600, VOCAB)
    many = [row(seed=i) for i in range(600)]
    assert set(sample(flat, many, [(i, mask(1, 5, 11)) for i in range(600)])) == {1, 5, 11}


def test_a_mask_over_many_words() -> None:
    """The vocabulary is no multiple of 32; the first token is the lowest bit of the first word."""
    words: Mask = np.zeros(4, dtype=np.uint32)
    words[2], words[3] = 1 << 31, 1 << 3
    logits = torch.zeros(1, 100)
    logits[0, 95], logits[0, 40] = 1.0, 9.0
    assert sample(logits, [row(temperature=0.0)], [(0, words)]) == [95]
    logits[0, 99] = 2.0
    assert sample(logits, [row(temperature=0.0)], [(0, words)]) == [99]


def test_a_row_without_a_token_gives_minus_one() -> None:
    logits = logits_like(13, rows=4)
    logits[0, 3] = math.nan
    logits[1] = math.nan
    rows = [row(), row(temperature=0.0, logprobs=1), row(banned=tuple(range(VOCAB))), row()]
    token_ids = sample(logits, rows)
    assert token_ids[:3] == [-1, -1, -1] and 0 <= token_ids[3] < VOCAB


# --- Seeds ------------------------------------------------------------------------------------------------


def draws(count: int, batch: Callable[[Row, int], list[Row]], **params: Any) -> list[int]:
    """Return what sequence "me" draws in `count` steps, beside the others that `batch` adds."""
    own = logits_like(5)[0]
    tokens = []
    for i in range(count):
        me = row("me", tokens=(0,) * (i + 1), **params)
        rows = batch(me, i)
        place = next(j for j, each in enumerate(rows) if each.name == "me")
        logits = logits_like(100 + i, rows=len(rows))
        logits[place] = own
        tokens.append(sample(logits, rows)[place])
    return tokens


AROUND: dict[str, Callable[[Row, int], list[Row]]] = {
    "first": lambda me, i: [me, row("x"), row("y", seed=1)],
    "last": lambda me, i: [row("x", seed=42), row("y", temperature=0.0), me],
    "changing": lambda me, i: [*[row(f"x{j}", top_p=0.5) for j in range(i % 4)], me],
    "penalised": lambda me, i: [row("x", repetition_penalty=1.5), me, row("y", banned=(3,))],
}


def alone(me: Row, i: int) -> list[Row]:
    return [me]


@pytest.mark.parametrize("around", AROUND)
def test_a_seed_decides_whatever_is_around(around: str) -> None:
    expected = draws(12, alone, seed=42)
    assert len(set(expected)) > 1
    assert draws(12, AROUND[around], seed=42) == expected
    assert draws(12, alone, seed=43) != expected


def test_a_draw_is_a_function_of_seed_and_length() -> None:
    """It does not depend on its row or its tokens, so it can be repeated after a preemption."""
    logits = logits_like(5)
    first = [sample(logits, [row(tokens=(0,) * n, seed=9)]) for n in range(1, 13)]
    assert [sample(logits, [row(tokens=tuple(range(n)), seed=9)]) for n in range(1, 13)] == first
    assert len({token for (token,) in first}) > 1


def test_draws_may_bring_seeds_of_their_own() -> None:
    """Several draws from one row of logits: as if each were alone with its seed."""
    logits = logits_like(5)
    sampler, one = placed([row(tokens=(1, 2), seed=7)])
    several = Draws(np.repeat(one.rows, 6), np.repeat(one.lengths, 6), {1: 3, 2: 4, 4: 5, 5: 7})
    drawn = sampler.draw(logits.expand(6, VOCAB), several).tolist()
    for token, seed in zip(drawn, [7, 3, 4, 7, 5, 7], strict=True):
        assert token == sample(logits, [row(tokens=(1, 2), seed=seed)])[0]
    assert sampler.draw(logits, one).tolist() == drawn[:1], "the row's own seed is as it was"


def test_parameters_are_the_operators() -> None:
    own = [
        row(temperature=0.0),
        row(tokens=(1, 2, 3), temperature=0.5, top_k=7, top_p=0.25, min_p=0.125, seed=-(2**63)),
        row(temperature=1e300, top_k=2**40),
    ]
    sampler, drawn = placed(own)
    made = sampler.parameters(drawn)
    kinds = ["float32", "int32", "float32", "float32", "int64", "int64"]
    assert [column.dtype for column in made] == kinds == [column.dtype for column in DrawParameters.greedy(2)]
    assert made.temperature[:2].tolist() == [0.0, 0.5] and math.isfinite(made.temperature[2])
    assert made.top_k.tolist() == [0, 7, 2**31 - 1]
    assert made.top_p.tolist() == [1.0, 0.25, 1.0]
    assert made.min_p.tolist() == [0.0, 0.125, 0.0]
    assert made.seeds[:2].tolist() == [0, -(2**63)]
    assert made.positions.tolist() == [1, 3, 1]
    logits = logits_like(3, rows=2)
    greedy = [torch.from_numpy(column) for column in DrawParameters.greedy(2)]
    assert torch.equal(torch.ops.torchpaged.sample_tokens(logits, *greedy), logits.argmax(-1))


def test_two_seeds_differ() -> None:
    first, second = sample(torch.zeros(2, 10_000), [row(seed=0), row(seed=1)])
    assert first != second


# --- Logprobs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_low_precision_logits(dtype: torch.dtype) -> None:
    logits = logits_like(10).to(dtype)
    token_ids = sample(logits, [row(temperature=0.0)])
    found = score_tokens(logits, torch.tensor([0]), torch.tensor(token_ids), 0)
    assert found.logprobs.tolist() == pytest.approx([torch.log_softmax(logits[0].double(), 0).max().item()], abs=1e-6)


# --- Edits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vocab_size", [1, 31, 32, 33, 100])
@pytest.mark.parametrize(
    "params",
    [
        {"logit_bias": ((0, -9.0),)},
        {"allowed": (0,)},
        {"bad_words": ((0,),)},
        {"logit_bias": ((0, 90.0),), "bad_words": ((3, 0),), "allowed": tuple(range(0, 100, 3))},
    ],
    ids=["bias", "allowed", "bad-word", "together"],
)
def test_edits_of_vocabularies_of_every_size(vocab_size: int, params: dict[str, Any]) -> None:
    """Masks of no word, one and several; some rows have none, in any order, and again with the same rows."""
    if "allowed" in params:
        params = {**params, "allowed": tuple(token for token in params["allowed"] if token < vocab_size)}
    logits = torch.arange(vocab_size).float().flip(0).repeat(3, 1)
    rows = [row(temperature=0.0, tokens=(2, 3), **params), row(temperature=0.0), row(temperature=0.0, tokens=(3,))]
    for own in (rows, rows[::-1]):
        sampler, draws = placed(own)
        for _ in range(2):
            expected = []
            for each in own:
                values, bias = logits[0].tolist(), dict(each.params.logit_bias)
                for token in range(vocab_size):
                    forbidden = each.params.allowed is not None and token not in each.params.allowed
                    made = each.tokens[each.prompt :]
                    forbidden |= (token,) in each.params.bad_words or (*made, token) in each.params.bad_words
                    values[token] = -math.inf if forbidden else values[token] + bias.get(token, 0.0)
                best = max(values)
                expected.append(-1 if best == -math.inf else values.index(best))
            assert sampler.draw(logits, draws).tolist() == expected


def test_edits_follow_their_rows() -> None:
    """A row that another sequence owns now has that one's edits, not the cached ones."""
    rows = Rows(1, 2, 1, 9, CPU)
    sampler, logits = Sampler(rows, CPU), torch.arange(40).float().repeat(2, 1)
    draws = Draws(np.array([0, 1]), np.array([1, 1], dtype=np.int64))

    def enter(id: int, **params: Any) -> None:
        sequence = NewSequence(id, (0,), 1, RowParams(**params), ([1],))
        rows.update(Step(id, [id], [0], [1], new={id: sequence}, released=[id - 2] if id > 2 else []))

    enter(1, allowed=(5,))
    enter(2, allowed=(6,))
    first = sampler.draw(logits, draws).tolist()
    assert sorted(first) == [5, 6]
    enter(3, allowed=(7,))
    assert sorted(sampler.draw(logits, draws).tolist()) == [6, 7]
    enter(4)
    assert sorted(sampler.draw(logits, draws).tolist()) == [7, 39]
    enter(5, logit_bias=((8, 99.0),))
    assert sorted(sampler.draw(logits, draws).tolist()) == [8, 39]


# --- In one call ------------------------------------------------------------------------------------------------


def into_rows(sampler: Sampler, logits: Tensor, draws: Draws) -> Tensor | None:
    """Draw; return the tokens if they were written into their rows."""
    draws = replace(draws, into_rows=True)
    tokens = sampler.draw(logits, draws)
    return tokens if draws.are_written else None


@pytest.mark.skipif(cpu.isa() == "none", reason="no library here")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_draws_in_one_call_are_those_of_the_operator(dtype: torch.dtype) -> None:
    """Rows are drawn in any order, one of them twice at two lengths, and each token is in its row's table."""
    kinds: list[dict[str, Any]] = [{"temperature": 0.0}, {}, {"top_k": 3}, {"top_p": 0.6}, {"min_p": 0.2}]
    own = [row(tokens=tuple(range(2 + i)), seed=17 * i - 4, **params) for i, params in enumerate(kinds)]
    sampler, every = placed(own)
    places = np.array([3, 0, 4, 1, 2, 3])
    lengths = every.lengths[places]
    lengths[-1] -= 1
    draws = Draws(every.rows[places], lengths)
    for seed in range(20):
        logits = logits_like(seed, rows=len(places)).to(dtype)
        if seed == 7:
            logits[2] = math.nan
        expected = sampler.draw(logits, draws)
        found = into_rows(sampler, logits, draws)
        assert found is not None and found.dtype == torch.int64 and torch.equal(found, expected)
        table = sampler._rows.tokens.tensor
        assert table[draws.rows, draws.lengths].tolist() == expected.tolist()
    wide = torch.randn(len(places), 2 * VOCAB).to(dtype)
    strided = wide[:, :VOCAB]
    found = into_rows(sampler, strided, draws)
    assert found is not None and torch.equal(found, sampler.draw(strided, draws))
    assert not sampler._takes_one_call(wide[:, ::2], draws)


@pytest.mark.parametrize(
    "params",
    [
        {"presence_penalty": 1.0},
        {"frequency_penalty": -1.0},
        {"repetition_penalty": 2.0},
        {"logit_bias": ((1, 2.0),)},
        {"allowed": (1, 2)},
        {"bad_words": ((3,),)},
        {"min_length": 9, "stops": (4,)},
        {"logprobs": 0},
        {"asked": SamplingParams()},
    ],
    ids=lambda params: next(iter(params)),
)
def test_special_rows_are_not_drawn_in_one_call(params: dict[str, Any]) -> None:
    sampler, draws = placed([row(), row(**params), row()])
    before = sampler._rows.tokens.tensor.clone()
    assert into_rows(sampler, logits_like(1, rows=3), draws) is None
    assert torch.equal(sampler._rows.tokens.tensor, before)
    others = Draws(draws.rows[[0, 2]], draws.lengths[[0, 2]])
    assert (into_rows(sampler, logits_like(1, rows=2), others) is not None) == (cpu.isa() != "none")


@pytest.mark.skipif(cpu.isa() == "none", reason="no library here")
def test_the_operator_runs_where_it_is_seen_or_another_is_asked_for() -> None:
    sampler, draws = placed([row()])
    logits = logits_like(1)

    class Seeing(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    with Seeing():
        assert into_rows(sampler, logits, draws) is None
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        assert into_rows(sampler, logits, draws) is None
    try:
        set_backend("reference", op="sample_tokens")
        assert into_rows(sampler, logits, draws) is None
    finally:
        set_backend(None, op="sample_tokens")
    assert into_rows(sampler, logits, Draws(draws.rows, draws.lengths, {0: 5})) is None
    assert not sampler._takes_one_call(logits.double(), draws) and sampler._takes_one_call(logits, draws)
    with pytest.raises(IndexError, match="not in the table"):
        into_rows(sampler, logits, Draws(draws.rows, draws.lengths + 1))
    assert into_rows(sampler, logits, draws) is not None
