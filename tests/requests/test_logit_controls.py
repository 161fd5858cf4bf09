"""logit_bias, allowed_token_ids and bad_words against lists of logits, on random runs of every kind of engine."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch

from tests.fakes import EOS, VOCAB, FakeModel, FakeTokenizer, drain, engine, follower
from tests.remote_executor import far_engine
from torchpaged import LLMEngine, SamplingParams
from torchpaged.errors import RequestError


def text(*tokens: int) -> str:
    """Return FakeTokenizer's text of these tokens."""
    return FakeTokenizer().decode(tokens)


def chosen(tokens: list[int], num_prompt: int, params: SamplingParams, seed: int) -> int:
    """Return the next token, from a list of FakeModel's logits."""
    logits = torch.linspace(0, 1, VOCAB).tolist()
    logits[follower(tokens[-1], len(tokens) - 1)] = 9.0
    made = tokens[num_prompt:]
    for token in range(VOCAB):
        if params.allowed_token_ids is not None and token not in params.allowed_token_ids:
            logits[token] = -torch.inf
    for word in params.bad_words or ():
        *before, last = FakeTokenizer()(word)["input_ids"]
        if made[len(made) - len(before) :] == before:
            logits[last] = -torch.inf
    for token, bias in (params.logit_bias or {}).items():
        logits[token] += bias
    if len(made) < params.min_tokens:
        logits[EOS] = -torch.inf
    for token in set(tokens):
        factor = params.repetition_penalty
        logits[token] = logits[token] / factor if logits[token] > 0 else logits[token] * factor
    row, one = torch.tensor([logits], dtype=torch.float32), torch.ones(1)
    draw = (one * params.temperature, one.int() * params.top_k, one, one * 0, torch.tensor([seed]))
    return int(torch.ops.torchpaged.sample_tokens(row, *draw, torch.tensor([len(tokens)])))


def expected(prompt: list[int], params: SamplingParams) -> list[list[int]]:
    """Return the completions, one token at a time."""
    found = []
    for index in range(params.n):
        tokens = list(prompt)
        while len(tokens) < len(prompt) + (params.max_tokens or 0):
            tokens.append(chosen(tokens, len(prompt), params, (params.seed or 0) + index))
            if tokens[-1] == EOS:
                break
        found.append(tokens[len(prompt) :])
    return found


def some_params(pick: random.Random) -> SamplingParams:
    """Return parameters with each field set now and then; biases are large enough to change the output."""
    tokens = list(range(VOCAB))
    drawn = pick.random() < 0.5
    return SamplingParams(
        n=pick.choice((1, 1, 3)),
        temperature=pick.choice((0.7, 3.0)) if drawn else 0.0,
        top_k=pick.choice((0, 7)),
        seed=pick.randrange(99),
        max_tokens=pick.randint(1, 20),
        min_tokens=pick.choice((0, 0, 1)),
        logit_bias={token: pick.uniform(-12, 12) for token in pick.sample(tokens, pick.choice((0, 1, 9)))},
        allowed_token_ids=pick.choice((None, pick.sample(tokens, pick.randint(2, VOCAB)))),
        bad_words=[text(*pick.choices(tokens[:9], k=pick.randint(1, 3))) for _ in range(pick.choice((0, 4)))],
        repetition_penalty=pick.choice((1.0, 1.0, 1.4)),
        logprobs=pick.choice((None, 1)),
    )


def run(running: LLMEngine, seed: int, count: int = 14) -> None:
    """Run random requests together: each gives the tokens of its own list of logits."""
    pick = random.Random(seed)
    jobs: dict[str, tuple[list[int], SamplingParams]] = {}
    for number in range(count):
        prompt = [2 + (5 * i) % 9 for i in range(pick.randint(1, 14))]
        jobs[f"r{number}"] = prompt, some_params(pick)
        running.add_request(f"r{number}", *jobs[f"r{number}"])
    for name, output in drain(running).items():
        assert [each.token_ids for each in output.outputs] == expected(*jobs[name]), (name, jobs[name])


SETTINGS: dict[str, dict[str, Any]] = {
    "plenty": {},
    "overlapping": {"async_scheduling": True},
    "chunks": {"max_num_batched_tokens": 5},
    "preempted": {"num_blocks": 16, "max_num_seqs": 6, "async_scheduling": True},
    "swapped": {"num_blocks": 16, "max_num_seqs": 6, "swap_space": 0.0001, "preemption_mode": "swap"},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("seed", [1, 2])
def test_random_runs(seed: int, settings: dict[str, Any]) -> None:
    running = engine(tokenizer=FakeTokenizer(), **settings)
    run(running, seed)
    assert "num_blocks" not in settings or running.stats().num_preemptions > 0


def test_in_another_process() -> None:
    """Only plain values cross the process boundary."""
    run(far_engine(tokenizer=FakeTokenizer(), async_scheduling=True), 3)


def test_rows_beside_them_are_as_without() -> None:
    """A request without controls is not computed differently next to one that has them."""
    running, plain = engine(), SamplingParams(temperature=0.8, seed=4, max_tokens=9)
    running.add_request("plain", [5, 6], plain)
    running.add_request("biased", [5, 6], SamplingParams(logit_bias={3: 5.0}, max_tokens=9))
    assert drain(running)["plain"].outputs[0].token_ids == expected([5, 6], plain)[0]


@pytest.mark.parametrize("given", [{"allowed_token_ids": [7]}, {"bad_words": [text(9)]}], ids=str)
def test_logprobs_are_the_models(given: dict[str, Any]) -> None:
    """Logprobs are computed before any control changes the logits, as in vLLM."""
    rows = []
    for params in ({}, given):
        running = engine(FakeModel([0, 9] + [5] * 9), tokenizer=FakeTokenizer())
        running.add_request("a", [2, 3], SamplingParams(temperature=0.0, max_tokens=1, logprobs=-1, **params))
        rows.append(drain(running)["a"].outputs[0].logprobs[0])  # type: ignore[index]
    assert {token: each.logprob for token, each in rows[0].items()} == {t: e.logprob for t, e in rows[1].items()}


class Spaces(FakeTokenizer):
    """A tokenizer that merges a space with a letter in " ab" ("Xb"); before other words it is a token."""

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        assert options == {"add_special_tokens": False}
        if len(text) == 3 and text[0] == " ":
            return {"input_ids": [20, *super().__call__(text[2:])["input_ids"]]}
        if text[0] == " ":
            return {"input_ids": [30, *super().__call__(text[1:])["input_ids"]]}
        return super().__call__(text)


@pytest.mark.parametrize(
    ("word", "runs"),
    [
        ("ab", ((0, 1), (20, 1))),  # as long, begins otherwise
        (" ab", ((0, 1), (20, 1))),  # spaces before a word are not its own
        ("abc", ((0, 1, 2),)),  # after a space it has one more token
    ],
)
def test_words_at_the_beginning_and_behind_a_space(word: str, runs: tuple[tuple[int, ...], ...]) -> None:
    from torchpaged.requests.prompts import PromptReader

    assert PromptReader(Spaces(), VOCAB).bad_words("request", [word]) == runs


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"logit_bias": {VOCAB: 1.0}}, "logit_bias has 32, expected 0 to 31"),
        ({"allowed_token_ids": [3, 99]}, "allowed_token_ids has 99, expected 0 to 31"),
        ({"stop_token_ids": [99]}, "stop_token_ids has 99, expected 0 to 31"),
        ({"bad_words": ["ab", "\U0001f389"]}, "bad_words has .* with token id 127"),
        ({"bad_words": ["a!"]}, "the tokenizer failed"),
    ],
    ids=["bias", "allowed", "stop", "bad-word", "untokenizable"],
)
def test_tokens_out_of_the_vocabulary(params: dict[str, Any], says: str) -> None:
    """Refused when the request is added, without a change of state."""
    running = engine(tokenizer=FakeTokenizer())
    with pytest.raises(RequestError, match=f"request 'bad'.*{says}"):
        running.add_request("bad", [3], SamplingParams(**params))
    assert not running.has_unfinished_requests
    running.check()


def test_bad_words_need_a_tokenizer() -> None:
    with pytest.raises(RequestError, match=r"bad_words is .*but bad words need a tokenizer"):
        engine().add_request("a", [3], SamplingParams(bad_words=["a"]))


def test_no_token_is_left() -> None:
    """All allowed tokens are forbidden: the request ends with an error, the others continue."""
    running = engine(tokenizer=FakeTokenizer())
    running.add_request("bad", [3], SamplingParams(allowed_token_ids=[4], bad_words=[text(4)]))
    running.add_request("good", [3], SamplingParams(temperature=0.0, max_tokens=5))
    done = drain(running)
    assert done["bad"].outputs[0].finish_reason == "error" and "no token is left" in str(done["bad"].outputs[0].error)
    assert done["good"].outputs[0].finish_reason == "length"
