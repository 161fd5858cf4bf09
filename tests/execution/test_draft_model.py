"""A draft model: tokens are unchanged, and its cache is complete: a model drafting for itself is always accepted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests import models
from tests.execution.test_cuda_graphs import capturing
from tests.fakes import FakeModel
from tests.integrations.family_models import SPECIAL
from tests.models import STDLIB_LM
from tests.scheduling.harness import sequence_of
from torchpaged import LLM, CompletionOutput, EngineConfig, SamplingParams
from torchpaged.engine.speculation import _require_same_tokens, with_draft
from torchpaged.errors import ConfigError
from torchpaged.models.draft_model import TargetWithDraft
from torchpaged.scheduling import RowParams, Scheduler, StopRule
from torchpaged.scheduling.drafter import Candidate, DraftCosts, Drafter
from torchpaged.scheduling.step import TO_GUESS, Results, Step
from torchpaged.scheduling.step_cost import GuessCost, StepCost, bookkeeping

PROMPTS = [
    "class Queue:\n    def put(self, item):\n        with self.not_full:\n            if",
    "class Queue:\n    def put(self, item):\n        with self.not_full:\n            while",
    "import os\nimport sys\n",
    "def main(",
]
DRAWN: list[dict[str, Any]] = [
    {"temperature": 0.0},
    {"temperature": 0.0, "repetition_penalty": 1.2, "frequency_penalty": 0.3, "logprobs": 1},
    {"temperature": 0.8, "n": 2},
    {"temperature": 1.0, "top_p": 0.9, "top_k": 40, "min_p": 0.02},
]
PARAMS = [SamplingParams(max_tokens=40, seed=number, ignore_eos=True, **drawn) for number, drawn in enumerate(DRAWN)]


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Propose all drafts, whatever a step costs."""
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)


def answers(llm: LLM) -> list[list[CompletionOutput]]:
    """Complete all prompts, and the first one again."""
    first = llm.generate(PROMPTS, PARAMS, use_tqdm=False)
    again = llm.generate(PROMPTS[:1], PARAMS[:1], use_tqdm=False)
    return [output.outputs for output in (*first, *again)]


@pytest.fixture(scope="module")
def wanted() -> dict[str, list[list[CompletionOutput]]]:
    """Return completions without drafts, by cache dtype."""
    return {
        kind: answers(LLM(STDLIB_LM, dtype="bfloat16", max_model_len=128, num_blocks=200, kv_cache_dtype=kind))
        for kind in ("auto", "int8")
    }


@pytest.mark.parametrize(
    "settings",
    [
        {"async_scheduling": True},
        {"kv_cache_dtype": "int8"},
        {"num_blocks": 13, "swap_space": 0.001, "preemption_mode": "swap"},
        {"num_blocks": 13, "preemption_mode": "recompute", "async_scheduling": True},
        {"max_num_batched_tokens": 9, "max_num_seqs": 2},
    ],
    ids=["async", "int8-cache", "swapped", "recomputed", "chunked"],
)
def test_a_models_own_drafts_are_all_accepted(wanted: dict[str, Any], settings: dict[str, Any]) -> None:
    """Keys and values of both models lie in the same blocks: a missing row of the draft's would change a draft."""
    given = {"num_blocks": 200, **settings}
    speculation = {"model": STDLIB_LM, "num_speculative_tokens": 5}
    llm = LLM(STDLIB_LM, dtype="bfloat16", max_model_len=128, speculative_config=speculation, **given)
    assert answers(llm) == wanted[given.get("kv_cache_dtype", "auto")]
    stats = llm.engine.stats()
    assert stats.drafts is not None and stats.drafts.accepted == stats.drafts.tokens > 90
    assert (stats.num_preemptions > 0) is (given["num_blocks"] == 13)
    llm.engine.check()


@pytest.mark.parametrize("kind", ["gemma2", "lfm2", "mamba2"])
def test_windowed_convolutional_and_recurrent_targets(kind: str) -> None:
    """A window of 12 tokens in some layers; convolutions; recurrent layers alone. Short and past the window."""
    changes: dict[str, Any] = {"sliding_window": 12} if kind == "gemma2" else SPECIAL.get(kind, {})
    settings = {"dtype": "bfloat16", "num_blocks": 400, "block_size": 8, "max_model_len": 128}
    params = SamplingParams(temperature=0.0, max_tokens=40, ignore_eos=True)
    prompts = [{"prompt_token_ids": ids} for ids in models.prompts([3, 20, 37])]
    texts = []
    own = kind == "gemma2"
    for drafts in (None, kind if own else "llama"):
        more: dict[str, Any] = {}
        if drafts is not None:
            draft = models.build(drafts, **(changes if own else {}))
            more["speculative_config"] = {"model": draft, "num_speculative_tokens": 4, "allow_inexact": True}
        llm = LLM(models.build(kind, **changes), **settings, **more)
        texts.append([output.outputs[0].token_ids for output in llm.generate(prompts, params, use_tqdm=False)])
    stats = llm.engine.stats().drafts
    assert texts[0] == texts[1] and stats is not None and stats.tokens > 30
    assert not own or stats.accepted == stats.tokens


def test_rejected_drafts_change_nothing(wanted: dict[str, Any], tmp_path: Path) -> None:
    """The draft model has random weights."""
    draft = models.build("llama", vocab_size=4096)
    speculation = {"method": "draft_model", "model": draft, "num_speculative_tokens": 3}
    llm = LLM(STDLIB_LM, dtype="bfloat16", max_model_len=128, num_blocks=200, speculative_config=speculation)
    assert answers(llm) == wanted["auto"]
    stats = llm.engine.stats().drafts
    assert stats is not None and stats.accepted < stats.tokens / 20


def test_graphs_write_both_caches(wanted: dict[str, Any]) -> None:
    """Steps without drafts are replayed: the next drafts depend on what they wrote."""
    speculation = {"model": STDLIB_LM, "num_speculative_tokens": 5}
    llm = LLM(STDLIB_LM, dtype="bfloat16", max_model_len=128, num_blocks=200, speculative_config=speculation)
    drafter, steps = llm.engine.scheduler.drafter, capturing(llm)
    assert drafter is not None
    turns = iter(range(10**6))
    choose = drafter.select
    drafter.select = lambda *given: [] if next(turns) % 4 else choose(*given)  # type: ignore[method-assign]
    assert answers(llm) == wanted["auto"] and len(steps) > 2
    assert drafter.counts.accepted == drafter.counts.tokens > 30


@pytest.mark.long
def test_compiled_each_by_itself(wanted: dict[str, Any]) -> None:
    speculation = {"model": STDLIB_LM, "num_speculative_tokens": 2, "allow_inexact": True}
    settings = {"compile": True, "compile_backend": "eager", "num_blocks": 200}
    llm = LLM(STDLIB_LM, dtype="bfloat16", max_model_len=128, speculative_config=speculation, **settings)
    assert answers(llm) == wanted["auto"]
    stats = llm.engine.stats().drafts
    assert stats is not None and stats.accepted == stats.tokens > 60


def test_saved_prefixes_are_of_both_models(tmp_path: Path) -> None:
    speculation = {"model": STDLIB_LM, "num_speculative_tokens": 5}
    settings = {"dtype": "bfloat16", "max_model_len": 128, "num_blocks": 60}
    llm = LLM(STDLIB_LM, speculative_config=speculation, **settings)
    file = tmp_path / "prefix.safetensors"
    assert llm.engine.save_prefix(file, PROMPTS[0]) > 0
    other = LLM(STDLIB_LM, speculative_config=speculation, **settings)
    other.engine.load_prefix(file)
    (output,) = other.generate(PROMPTS[:1], PARAMS[:1], use_tqdm=False)
    stats = other.engine.stats().drafts
    assert output.num_cached_tokens and stats is not None and stats.accepted == stats.tokens


# --- Scheduling --------------------------------------------------------------------------------------------


def test_the_last_draft_is_computed_again_if_all_are_accepted() -> None:
    """The draft model has not computed it. After a rejection the next step begins behind the last accepted draft."""
    from torchpaged.kv_cache import FullAttentionSpec, KVCacheGroup, KVCacheManager

    manager = KVCacheManager([KVCacheGroup(FullAttentionSpec(block_size=4), (0,))], num_blocks=32)
    drafter = Drafter(None, 3, 100)
    scheduler = Scheduler(manager, max_num_seqs=4, max_num_batched_tokens=64, max_model_len=64, drafter=drafter)
    sequence = scheduler.add([5, 6, 7, 8, 9], RowParams(), StopRule(40))

    def run(tokens: list[int]) -> Step:
        step = scheduler.schedule()
        scheduler.update(step, Results(step.number, [sequence.id], tokens, [len(tokens)]))
        scheduler.check()
        return step

    shapes = []
    for tokens in ([1], [2, 3, 4, 5], [6, 7], [8, 9, 10, 11], [12]):
        step = run(tokens)
        shapes.append((step.firsts[0], step.counts[0], step.drafts.get(sequence.id)))
    guessed = (TO_GUESS,) * 3
    assert shapes == [(0, 5, None), (5, 4, guessed), (8, 5, guessed), (11, 4, guessed), (14, 5, guessed)]
    # Tokens 0 to 14 are computed by both: three blocks of four are found.
    assert sequence.num_computed_tokens == 16 and len(sequence.token_ids) == 17


@pytest.mark.parametrize(
    ("first", "more", "low", "high"),
    [(0.0, 0.0, 5, 5), (0.0, 0.3, 1, 3), (2.0, 0.3, 0, 0)],
    ids=["free", "some", "dear"],
)
def test_the_cost_of_drafts_limits_their_number(first: float, more: float, low: int, high: int) -> None:
    cost = GuessCost(lambda count: first, lambda count: more)
    drafter = Drafter(None, 5, 100, DraftCosts(lambda rows: 1.0 + 0.01 * rows, cost))
    sequence = sequence_of([5, 6], StopRule(99), id=0)
    chosen = drafter.select([Candidate(0, sequence, 5)], 1, 100)
    assert low <= (len(chosen[0].drafts) if chosen else 0) <= high
    assert cost(3, 4) == pytest.approx(first + 3 * more + bookkeeping(3, 4))


def test_a_model_whose_drafts_failed_is_tried_again() -> None:
    """It is tried rarely after ten texts without an accepted draft, and often again once drafts are accepted."""
    drafter = Drafter(
        None, 5, 100, DraftCosts(lambda rows: 1.0 + 0.01 * rows, GuessCost(lambda count: 0.1, lambda count: 0.3))
    )

    def tried(steps: int, holds: bool) -> int:
        count = 0
        sequence = sequence_of([5, 6], StopRule(9999), id=0)
        for _ in range(steps):
            for each in drafter.select([Candidate(0, sequence, 5)], 1, 100):
                count += 1
                drafter.learn(sequence, len(each.drafts), len(each.drafts) if holds else 0)
        return count

    assert tried(300, False) < 100
    assert 1 <= tried(3000, False) < 120
    assert tried(3000, True) > 1500


# --- Refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"method": "draft_model"}, "method='draft_model', expected a model beside it"),
        ({"method": "ngram", "model": "x"}, "method='ngram', expected 'draft_model' with a model, or no model"),
    ],
    ids=["no model", "another method"],
)
def test_settings_that_contradict(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        EngineConfig(speculative_config=given)


@pytest.mark.parametrize(
    ("kind", "changes", "says"),
    [
        ("llama", {"vocab_size": 96}, "has 96 tokens, FakeModel has 32"),
        ("mamba2", {**SPECIAL["mamba2"], "vocab_size": 32}, "has recurrent layers"),
        (
            "lfm2",
            {"vocab_size": 32, "layer_types": ["conv", "full_attention"] * 2},
            "has recurrent layers, convolutions",
        ),
        ("llama", {"vocab_size": 32, "max_position_embeddings": 64}, "has 64 positions, max_model_len is 128"),
    ],
)
def test_drafts_that_do_not_fit(kind: str, changes: dict[str, Any], says: str) -> None:
    config = EngineConfig(speculative_config={"model": models.build(kind, **changes)}, max_model_len=128)
    with pytest.raises(ConfigError, match=f"speculative_config has a model, .* that {says}"):
        with_draft(FakeModel(), config, None)


def test_a_draft_with_another_tokenizer_is_refused() -> None:
    with pytest.raises(ConfigError, match="small, whose tokenizer is not that of large: 'b' is 3 there and 1 here"):
        _require_same_tokens("small", {"a": 0, "b": 3}, "large", {"a": 0, "b": 1})
    _require_same_tokens("small", None, "large", {"a": 0})


def test_draft_layers_follow_the_targets() -> None:
    joined = TargetWithDraft(FakeModel(), FakeModel())
    assert list(joined.spec.layers) == [0, 1] and joined.encoder is None and joined.weights is None
    assert joined.fingerprint() != FakeModel().fingerprint()
    assert torch.device("cpu") == joined.spec.device
