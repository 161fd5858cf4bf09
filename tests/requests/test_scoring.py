"""Given continuations: the logprobs of a forward over each whole sequence, for every schedule."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
import torch

from tests import models
from tests.fakes import FakeModel, drain, engine, follow
from torchpaged import LLM, RequestOutput, SamplingParams, ScoringParams
from torchpaged.errors import ConfigError, RequestError

VOCAB = 128


def expected(model: Any, prompt: list[int], continuation: list[int]) -> tuple[float, bool]:
    """Compute with one forward of transformers' attention over everything but the last token."""
    tokens = prompt + continuation
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        logprobs = model(torch.tensor([tokens[:-1]])).logits[0].float().log_softmax(-1)[len(prompt) - 1 :]
    model.set_attn_implementation("torchpaged")
    own = logprobs.gather(1, torch.tensor(continuation)[:, None])
    return float(own.sum()), logprobs.argmax(-1).tolist() == continuation


def workload(seed: int) -> tuple[list[list[int]], list[list[list[int]]]]:
    """Return prompts that begin alike; continuations of 1 to 9 tokens, some equal, some beginning alike, some alone."""
    rng = random.Random(seed)

    def tokens(count: int) -> list[int]:
        return [rng.randrange(3, VOCAB) for _ in range(count)]

    shots, prompts, continuations = tokens(21), [], []
    for index in range(12):
        prompts.append(shots[: rng.choice((1, 8, 21))] + tokens(rng.randrange(9)))
        common = tokens(rng.choice((0, 0, 3)))
        several = [common + tokens(rng.randrange(1, 7)) for _ in range(1 if index % 4 == 0 else 4)]
        continuations.append([*several, several[0]] if index % 3 == 0 else several)
    return prompts, continuations


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("llama", {}),
        ("llama", {"max_num_batched_tokens": 7, "block_size": 4}),
        ("llama", {"num_blocks": 12, "block_size": 4}),
        ("llama", {"num_blocks": 12, "block_size": 4, "swap_space": 0.01, "preemption_mode": "swap"}),
        ("llama", {"max_num_seqs": 2, "block_size": 4}),
        ("llama", {"enable_prefix_caching": False, "block_size": 4}),
        ("gemma2", {"block_size": 4}),
    ],
    ids=["plain", "chunked", "small pool", "swapped", "few seats", "no prefix cache", "window"],
)
def test_scores_are_those_of_a_forward(kind: str, settings: dict[str, Any]) -> None:
    model = models.build(kind, sliding_window=12) if kind == "gemma2" else models.build(kind)
    llm = LLM(model, **settings)
    prompts, continuations = workload(0)
    found = llm.score(prompts, continuations, use_tqdm=False)
    llm.engine.check()
    assert llm.stats().num_generated_tokens == 0 and llm.stats().cache.num_used_blocks == 0
    if "num_blocks" in settings:
        assert llm.stats().num_preemptions
    for prompt, several, scores in zip(prompts, continuations, found, strict=True):
        for continuation, score in zip(several, scores, strict=True):
            logprob, greedy = expected(model, prompt, continuation)
            assert score.logprob == pytest.approx(logprob, abs=5e-5) and score.is_greedy == greedy


def test_what_is_greedy_is_found() -> None:
    llm = LLM(models.build("llama"))
    (output,) = llm.generate([[5, 6, 7]], SamplingParams(temperature=0, max_tokens=5, ignore_eos=True), use_tqdm=False)
    tokens = output.outputs[0].token_ids
    others = [[*tokens[:i], (tokens[i] + 1) % VOCAB, *tokens[i + 1 :]] for i in range(5)]
    ((right, *wrong),) = llm.score([[5, 6, 7]], [[tokens, *others]], use_tqdm=False)
    assert right.is_greedy and not any(score.is_greedy for score in wrong)


def test_nothing_is_computed_twice() -> None:
    """The prompt is computed once for all continuations, partial block included; one more token needs no step."""
    running = engine(FakeModel())
    running.add_request("a", [3] * 6, ScoringParams(continuations=[[5], [6], [5]]))
    running.add_request("b", [4] * 6, ScoringParams(continuations=[[5, 6, 7]]))
    running.add_request("c", [7] * 6, ScoringParams(continuations=[[8, 9, 5, 6], [8, 9, 7], [8, 9, 7]]))
    outputs: dict[str, RequestOutput] = {}
    while running.has_unfinished_requests:
        outputs.update((output.request_id, output) for output in running.step())
        running.check()
    # b has the two tokens before its last; c the two that all share, and one that only the longer one has.
    assert running.stats().num_computed_tokens == 6 + (6 + 2) + (6 + 2) + 1
    assert running.stats().num_steps == 2
    scores = outputs["c"].scores
    assert scores is not None and len(scores) == 3 and scores[1] == scores[2]
    assert outputs["a"].outputs == [] and outputs["a"].finished


def test_scoring_beside_generation_and_abort() -> None:
    running = engine(FakeModel())
    running.add_request("generates", [9] * 5, SamplingParams(temperature=0, max_tokens=6))
    running.add_request("scores", [3] * 5, ScoringParams(continuations=[follow([3] * 5, 4), [5, 6]]))
    running.add_request("aborted", [4] * 5, ScoringParams(continuations=[[5, 6], [7, 8]]))
    running.step()
    output = running.abort("aborted")
    assert output is not None and output.finished and output.scores is None
    outputs: dict[str, RequestOutput] = {}
    while running.has_unfinished_requests:
        outputs.update((each.request_id, each) for each in running.step())
        running.check()
    assert outputs["generates"].outputs[0].token_ids == follow([9] * 5, 6)
    scores = outputs["scores"].scores
    assert scores is not None and [score.is_greedy for score in scores] == [True, False]


def test_a_continuation_may_end_one_token_behind_the_model() -> None:
    """No token attends to the last one, so it needs no position."""
    model = models.build("llama", max_position_embeddings=32)
    llm = LLM(model)
    tokens = models.prompts([33])[0]
    ((whole,), (half,)) = llm.score([tokens[:1], tokens[:20]], [[tokens[1:]], [tokens[20:]]], use_tqdm=False)
    assert whole.logprob == pytest.approx(expected(model, tokens[:1], tokens[1:])[0], abs=1e-4)
    assert half.logprob == pytest.approx(expected(model, tokens[:20], tokens[20:])[0], abs=1e-4)
    with pytest.raises(RequestError, match="have 34 tokens together, max_model_len is 32"):
        llm.score([tokens[:1]], [[[*tokens[1:], 5]]], use_tqdm=False)
    assert llm.stats().num_running == 0
    llm.engine.check()


@pytest.mark.parametrize(
    ("prompt", "continuations", "error", "says"),
    [
        ([], [[5]], RequestError, "the prompt is empty"),
        ([5], [], ConfigError, "continuations is empty"),
        ([5], [[6], []], ConfigError, r"continuations\[1\] is empty"),
        ([5], [[6, 32]], RequestError, "token id 32, expected 0 to 31"),
        ([-1], [[6]], RequestError, "token id -1, expected 0 to 31"),
    ],
)
def test_bad_input(prompt: list[int], continuations: list[list[int]], error: type[Exception], says: str) -> None:
    running = engine(FakeModel())
    with pytest.raises(error, match=says):
        running.add_request("a", prompt, ScoringParams(continuations=continuations))
    assert not running.has_unfinished_requests
    running.check()


def test_scores_of_logits_that_are_nan() -> None:
    """They are NaN in any row; other requests are unaffected."""
    running = engine(FakeModel(nan_at=9))
    running.add_request("first", [3, 9], ScoringParams(continuations=[[4], [5, 6]]))
    running.add_request("rest", [3, 4], ScoringParams(continuations=[[9, 6], [5, 6]]))
    done = drain(running)
    assert done["first"].scores is not None and done["rest"].scores is not None
    assert [math.isnan(score.logprob) for score in done["first"].scores] == [True, True]
    assert [math.isnan(score.logprob) for score in done["rest"].scores] == [True, False]
    assert not any(output.outputs for output in done.values())
