"""Sampler against brute force: filtered distributions, penalties, seeds, logprobs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import MinPLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from torchpaged import SamplingParams
from torchpaged import sampler as sampler_module
from torchpaged.execution.sampler import DrawParameters, Sampler, SampleRow, TokenLogprobs, token_logprobs

VOCAB = 12
CPU = torch.device("cpu")


def row(
    name: str = "a",
    tokens: tuple[int, ...] = (0,),
    prompt: int = 1,
    banned: tuple[int, ...] = (),
    pending: int = 0,
    **params: Any,
) -> SampleRow:
    return SampleRow(name, SamplingParams(**params), tokens, prompt, frozenset(banned), len(tokens) + pending)


def sample(sampler: Sampler, logits: Tensor, rows: Sequence[SampleRow]) -> list[int]:
    token_ids = sampler.draw(logits, rows)
    assert token_ids.dtype == torch.int64 and token_ids.shape == (len(rows),)
    return token_ids.tolist()


def chosen_logprobs(
    sampler: Sampler, logits: Tensor, rows: Sequence[SampleRow]
) -> tuple[list[int], dict[str, TokenLogprobs]]:
    token_ids = sampler.draw(logits, rows)
    return token_ids.tolist(), sampler.logprobs(logits, rows, token_ids)


def logits_like(seed: int, rows: int = 1) -> Tensor:
    return 2 * torch.randn(rows, VOCAB, generator=torch.Generator().manual_seed(seed))


def brute_force(logits: Tensor, params: SamplingParams) -> list[float]:
    """The distribution that the parameters ask for, with lists and float64: temperature, top-k, top-p, min-p."""
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
    rows = [row(str(i), temperature=0.0) for i in range(5)]
    token_ids, logprobs = chosen_logprobs(Sampler(0, CPU), logits, rows)
    assert token_ids == logits.argmax(-1).tolist()
    assert logprobs == {}


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
    rows = [row(str(i), **params) for i in range(draws)]
    if beside:  # filters of the others must not leak into this row
        rows += [row("k", top_k=2), row("p", top_p=0.3), row("m", min_p=0.5), row("g", temperature=0.0)]
    sampled = sample(Sampler(7, CPU), logits.expand(len(rows), VOCAB), rows)[:draws]
    shares = torch.bincount(torch.tensor(sampled), minlength=VOCAB) / draws
    for share, expected in zip(shares.tolist(), brute_force(logits, SamplingParams(**params)), strict=True):
        assert (share == 0) or expected > 0
        assert abs(share - expected) <= 5 * math.sqrt(expected * (1 - expected) / draws) + 1e-9


def test_filters_go_in_transformers_order() -> None:
    """Top-k, top-p, min-p: with min-p first, as in vLLM, 80 % of what is left would be two tokens and not three."""
    logits = torch.tensor([0.5, 0.2, 0.1, 0.05, 0.05, 0.05, 0.05]).log()
    params = {"top_k": 6, "top_p": 0.8, "min_p": 0.15}
    warpers = [TopKLogitsWarper(6), TopPLogitsWarper(0.8), MinPLogitsWarper(0.15)]
    scores = logits[None]
    for warper in warpers:
        scores = warper(None, scores)
    expected = set(torch.isfinite(scores[0]).nonzero()[:, 0].tolist())
    assert expected == {0, 1, 2}
    rows = [row(str(i), **params) for i in range(2_000)]
    drawn = Sampler(3, CPU).draw(logits.expand(len(rows), 7), rows)
    assert set(drawn.tolist()) == expected


@pytest.mark.parametrize(
    "peaks",
    [pytest.param(1e4, id="large-logits"), pytest.param(1e30, id="huge-logits"), pytest.param(0.0, id="all-equal")],
)
@pytest.mark.parametrize("temperature", [1e-9, 1.0, 100.0, 1e300])
def test_extremes_give_a_token(peaks: float, temperature: float) -> None:
    logits = torch.zeros(1, VOCAB)
    logits[0, 3] = peaks
    [token] = sample(Sampler(0, CPU), logits, [row(temperature=temperature, top_p=0.9, top_k=5, min_p=0.1)])
    assert token == 3 or (0 <= token < VOCAB and (peaks == 0.0 or temperature > 1000))


# --- Penalties and banned tokens --------------------------------------------------------------------------


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
    rows = [row(str(i), tokens=(1, 2, 2, 3, 3), prompt=2, **params) for i in range(draws)]
    sampled = sample(Sampler(3, CPU), raw.repeat(draws, 1), rows)
    shares = torch.bincount(torch.tensor(sampled), minlength=VOCAB) / draws
    probs = torch.softmax(wanted, 0)
    assert torch.all((shares - probs).abs() <= 5 * (probs * (1 - probs) / draws).sqrt() + 1e-9)
    greedy = row(tokens=(1, 2, 2, 3, 3), prompt=2, temperature=0.0, logprobs=0, **params)
    assert sample(Sampler(3, CPU), raw, [greedy]) == [int(wanted.argmax())]
    assert torch.equal(raw, before), "the model's logits were changed"


def test_a_negative_logit_grows_with_the_repetition_penalty() -> None:
    logits = torch.tensor([[-1.0, -1.5, -9.0]])
    sampled = sample(Sampler(0, CPU), logits, [row(tokens=(0,), temperature=0.0, repetition_penalty=2.0)])
    assert sampled == [1]  # token 0 fell to -2


@pytest.mark.parametrize("params", [{"temperature": 0.0}, {}, {"top_k": 2}, {"top_p": 0.5}], ids=str)
def test_banned_tokens_are_never_chosen(params: dict[str, Any]) -> None:
    logits = torch.zeros(500, VOCAB)
    logits[:, 4], logits[:, 5] = 20.0, 19.0
    rows = [row(str(i), banned=(4,), **params) for i in range(500)]
    assert set(sample(Sampler(0, CPU), logits, rows)) == {5}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_penalties_beside_rows_without(dtype: torch.dtype) -> None:
    """Each row chooses as it does alone, the logits stay as they are, penalised or not."""
    logits = logits_like(12, rows=4).to(dtype)
    before = logits.clone()
    rows = [
        row("a", banned=(int(logits[0].argmax()),), temperature=0.0),
        row("b"),
        row("c", tokens=(3, 4), repetition_penalty=1.7),
        row("d", temperature=0.0),
    ]
    together = sample(Sampler(0, CPU), logits, rows)
    sampler = Sampler(0, CPU)
    assert together == [sample(sampler, logits[i : i + 1], [each])[0] for i, each in enumerate(rows)]
    assert torch.equal(logits, before)


def test_a_row_without_a_token_gives_minus_one() -> None:
    logits = logits_like(13, rows=4)
    logits[0, 3] = math.nan
    logits[1] = math.nan
    rows = [row("a"), row("b", temperature=0.0, logprobs=1), row("c", banned=tuple(range(VOCAB))), row("d")]
    token_ids, logprobs = chosen_logprobs(Sampler(0, CPU), logits, rows)
    assert token_ids[:3] == [-1, -1, -1] and 0 <= token_ids[3] < VOCAB
    assert logprobs.keys() == {"b"}


# --- Seeds ------------------------------------------------------------------------------------------------


def draws(sampler: Sampler, count: int, batch: Callable[[SampleRow, int], list[SampleRow]], **params: Any) -> list[int]:
    """What request "me" draws in `count` steps, with the others that `batch` puts around it."""
    own = logits_like(5)[0]
    tokens = []
    for i in range(count):
        me = row("me", tokens=(0,) * (i + 1), **params)
        rows = batch(me, i)
        place = next(j for j, each in enumerate(rows) if each.request_id == "me")
        logits = logits_like(100 + i, rows=len(rows))
        logits[place] = own
        tokens.append(sample(sampler, logits, rows)[place])
    return tokens


AROUND: dict[str, Callable[[SampleRow, int], list[SampleRow]]] = {
    "first": lambda me, i: [me, row("x"), row("y", seed=1)],
    "last": lambda me, i: [row("x", seed=42), row("y", temperature=0.0), me],
    "changing": lambda me, i: [*[row(f"x{j}", top_p=0.5) for j in range(i % 4)], me],
    "penalised": lambda me, i: [row("x", repetition_penalty=1.5), me, row("y", banned=(3,))],
}


def alone(me: SampleRow, i: int) -> list[SampleRow]:
    return [me]


@pytest.mark.parametrize("around", AROUND)
def test_a_seed_decides_whatever_is_around(around: str) -> None:
    expected = draws(Sampler(0, CPU), 12, alone, seed=42)
    assert len(set(expected)) > 1
    assert draws(Sampler(99, CPU), 12, AROUND[around], seed=42) == expected
    assert draws(Sampler(0, CPU), 12, alone, seed=43) != expected


def test_a_draw_taken_again_is_the_same() -> None:
    """A preempted request computes a token again; with a token under way, it is at the next one."""
    sampler, logits = Sampler(0, CPU), logits_like(5, rows=1)
    first = [sample(sampler, logits, [row("me", tokens=(0,) * n)]) for n in range(1, 13)]
    assert [sample(sampler, logits, [row("me", tokens=(0,) * n, pending=1)]) for n in range(12)] == first


def test_a_forgotten_request_gets_another_seed() -> None:
    sampler = Sampler(0, CPU)
    first = draws(sampler, 12, alone)
    assert draws(sampler, 12, alone) == first
    sampler.forget("me")
    assert draws(sampler, 12, alone) != first
    sampler.forget("nobody")


def test_the_engines_seed_is_for_those_without_one() -> None:
    def tokens(seed: int) -> list[int]:
        return draws(Sampler(seed, CPU), 12, alone)

    assert tokens(3) == tokens(3)
    assert tokens(3) != tokens(4)


def test_parameters_are_the_operators() -> None:
    rows = [
        row("a", temperature=0.0),
        row("b", tokens=(1, 2, 3), temperature=0.5, top_k=7, top_p=0.25, min_p=0.125, seed=-(2**63)),
        row("c", temperature=1e300, top_k=2**40),
    ]
    made = Sampler(0, CPU).parameters(rows)
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


def test_two_rows_without_a_seed_differ() -> None:
    logits = torch.zeros(2, 10_000)
    first, second = sample(Sampler(0, CPU), logits, [row("a"), row("b")])
    assert first != second


# --- Logprobs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [[0], [1], [3], [VOCAB], [VOCAB + 5], [0, 3, 1]], ids=str)
@pytest.mark.parametrize("elements", [1 << 24, 5 * VOCAB], ids=["at-once", "in-parts"])
def test_logprobs_are_log_softmax(counts: list[int], elements: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler_module, "_LOGPROB_ELEMENTS", elements)
    logits = logits_like(8, rows=VOCAB)
    wanted = [counts[i % len(counts)] for i in range(VOCAB)]
    tokens = list(range(VOCAB))
    results = token_logprobs(logits, tokens, wanted)
    for row, token, count, values in zip(logits, tokens, wanted, results, strict=True):
        expected = torch.log_softmax(row.double(), 0)
        order = expected.argsort(descending=True).tolist()
        assert set(values) == {token, *order[:count]}
        for each, (logprob, rank) in values.items():
            assert logprob == pytest.approx(expected[each].item(), abs=1e-6)
            assert rank == order.index(each) + 1


def test_logprobs_are_the_models_own() -> None:
    """Before temperature, penalties and bans, and only for those who asked."""
    logits = logits_like(9, rows=3)
    options: dict[str, Any] = {
        "temperature": 2.0,
        "top_k": 3,
        "repetition_penalty": 1.5,
        "tokens": (0, 1),
        "banned": (2,),
    }
    rows = [row("a", logprobs=2, **options), row("b"), row("c", logprobs=0)]
    token_ids, logprobs = chosen_logprobs(Sampler(0, CPU), logits, rows)
    assert logprobs.keys() == {"a", "c"}
    for i in (0, 2):
        expected, values = torch.log_softmax(logits[i].double(), 0), logprobs[rows[i].request_id]
        assert token_ids[i] in values
        for token, (logprob, _) in values.items():
            assert logprob == pytest.approx(expected[token].item(), abs=1e-6)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_low_precision_logits(dtype: torch.dtype) -> None:
    logits = logits_like(10).to(dtype)
    [token], logprobs = chosen_logprobs(Sampler(0, CPU), logits, [row(temperature=0.0, logprobs=0)])
    value = logprobs["a"][token][0]
    assert value == pytest.approx(torch.log_softmax(logits[0].double(), 0).max().item(), abs=1e-6)
