"""Speculation: the same tokens in fewer steps, cut at the end of the text; refusals; statistics."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pydoc_data import topics
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor

from tests.fakes import EOS, VOCAB, FakeModel, FakeTokenizer, drain, engine, follow, follower
from tests.models import STDLIB_LM
from tests.scheduling.harness import sequence_of
from torchpaged import LLM, EngineConfig, LLMEngine, RequestOutput, SamplingParams, cli, register_proposer
from torchpaged.engine.metrics import Counter, Vector
from torchpaged.engine.pool_trace import Trace
from torchpaged.engine.speculation import _MADE_BY, renew_drafter
from torchpaged.errors import ConfigError
from torchpaged.execution.sampler import Draws, Sampler
from torchpaged.logits_processors import BatchUpdate, LogitsProcessor, process_dict_updates
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.sampling_params import RequestOutputKind
from torchpaged.scheduling import StopRule
from torchpaged.scheduling.drafter import Candidate, DraftCosts, Drafter
from torchpaged.scheduling.proposers import Transcript
from torchpaged.scheduling.step_cost import StepCost, bookkeeping
from torchpaged.serving.prometheus import text_of

PROMPT = [3, 4, 5]


class Knows:
    """A proposer of FakeModel's tokens, and of wrong ones from a position on.

    Args:
        wrong_at: the first position of a wrong guess; None: none is.
    """

    def __init__(self, wrong_at: int | None = None) -> None:
        self.wrong_at = wrong_at

    def propose(self, transcript: Transcript, max_drafts: int) -> Sequence[int]:
        """Implement `Proposer.propose`."""
        count = len(transcript.token_ids)
        drafts = follow(list(transcript.token_ids), max_drafts)
        if self.wrong_at is None:
            return drafts
        return [draft if count + place < self.wrong_at else EOS for place, draft in enumerate(drafts)]


@pytest.fixture(autouse=True)
def proposers() -> Iterator[None]:
    before = dict(_MADE_BY)
    register_proposer("knows", lambda config: Knows(config.options.get("wrong_at")))
    yield
    _MADE_BY.clear()
    _MADE_BY.update(before)


def speculating(model: FakeModel | None = None, *, count: int = 7, tokenizer: Any = None, **settings: Any) -> LLMEngine:
    """Return a fake engine whose tokens are guessed, correctly by default; all guesses are tried."""
    options = settings.pop("options", {})
    speculation = {"method": "knows", "num_speculative_tokens": count, "options": options}
    running = engine(model, tokenizer=tokenizer, **{"speculative_config": speculation, **settings})
    assert running.scheduler.drafter is not None
    running.scheduler.drafter.costs.step = None
    return running


def complete(running: LLMEngine, prompt: Sequence[int] = PROMPT, **params: Any) -> RequestOutput:
    """Run one request."""
    running.add_request("a", list(prompt), SamplingParams(**{"temperature": 0.0, **params}))
    return drain(running)["a"]


# --- The text, and how many steps it takes -----------------------------------------------------------------


@pytest.mark.parametrize("overlaps", [False, True])
@pytest.mark.parametrize(
    ("count", "max_tokens", "steps"),
    # A step for the prompt, whose token is the first; then runs of count + 1, the last as long as there is room for.
    [(7, 1, 1), (7, 2, 2), (7, 9, 2), (7, 10, 3), (1, 9, 5), (15, 33, 3), (3, 40, 11)],
)
def test_runs_of_right_guesses(count: int, max_tokens: int, steps: int, overlaps: bool) -> None:
    running = speculating(count=count, async_scheduling=overlaps)
    output = complete(running, max_tokens=max_tokens)
    assert output.outputs[0].token_ids == follow(PROMPT, max_tokens) and output.outputs[0].finish_reason == "length"
    stats = running.stats()
    assert stats.num_generated_tokens == max_tokens
    if not overlaps:  # else the second step begins before the first token is known
        assert stats.num_steps == steps
        assert stats.drafts is not None and stats.drafts.accepted == max_tokens - steps == stats.drafts.tokens


def test_a_run_ends_with_the_first_token_that_was_not_guessed() -> None:
    """The guesses for positions 4 to 10 are right only before position 7."""
    running = speculating(options={"wrong_at": 7})
    running.add_request("a", PROMPT, SamplingParams(temperature=0.0, max_tokens=20))
    lengths = []
    while running.has_unfinished_requests:
        (output,) = running.step()
        lengths.append(len(output.outputs[0].token_ids))
    assert lengths[:4] == [1, 5, 6, 7] and output.outputs[0].token_ids == follow(PROMPT, 20)
    stats = running.stats().drafts
    assert stats is not None and (stats.accepted, stats.by_place) == (3, (1, 1, 1, 0, 0, 0, 0))


def test_what_was_guessed_is_computed_once() -> None:
    """Steps of 1 + 7 rows; only the wrong drafts are computed again."""
    running = speculating()
    complete(running, max_tokens=33)
    assert running.num_computed_tokens == 3 + 32


@pytest.mark.parametrize("overlaps", [False, True])
def test_a_stop_token_ends_a_run(overlaps: bool) -> None:
    text = follow(PROMPT, 20)
    stop = text[4]
    first = text.index(stop)
    output = complete(speculating(async_scheduling=overlaps), max_tokens=20, stop_token_ids=[stop])
    assert output.outputs[0].token_ids == text[: first + 1] and output.outputs[0].stop_reason == stop
    running = speculating(async_scheduling=overlaps)
    late = complete(running, max_tokens=20, stop_token_ids=[stop], min_tokens=first + 2)
    plain = complete(engine(), max_tokens=20, stop_token_ids=[stop], min_tokens=first + 2)
    assert late.outputs == plain.outputs and len(late.outputs[0].token_ids) > first + 1


@pytest.mark.parametrize("overlaps", [False, True])
def test_a_stop_string_ends_a_run_and_nothing_behind_it_counts(overlaps: bool) -> None:
    text = follow(PROMPT, 20)
    word = "".join(chr(ord("a") + token) for token in text[2:4])
    running = speculating(tokenizer=FakeTokenizer(), async_scheduling=overlaps)
    output = complete(running, max_tokens=20, stop=[word], logprobs=0)
    plain = complete(engine(tokenizer=FakeTokenizer()), max_tokens=20, stop=[word], logprobs=0)
    assert output.outputs == plain.outputs and output.outputs[0].token_ids == text[:4]
    assert running.num_generated_tokens == 4


def test_nothing_behind_a_stop_string_is_found() -> None:
    """With blocks of 4, the prompt and 4 tokens fill one."""
    text = follow(PROMPT, 20)
    word = "".join(chr(ord("a") + token) for token in text[2:4])
    running = speculating(tokenizer=FakeTokenizer())
    complete(running, max_tokens=20, stop=[word])
    assert complete(running, [*PROMPT, *text[:9]], max_tokens=1).num_cached_tokens == 4


def test_the_longest_sequence_ends_where_it_does() -> None:
    running = speculating(max_model_len=16)
    output = complete(running, max_tokens=None)
    assert output.outputs[0].token_ids == follow(PROMPT, 13) and output.outputs[0].finish_reason == "length"


def test_logits_without_a_token_end_a_run_before_them() -> None:
    """After one token, none can be drawn: the tokens up to it are returned, and then the request ends with an error."""
    text = follow(PROMPT, 20)
    bad = text[5]  # NaN is no number of an exact model
    allowed = {"method": "knows", "allow_inexact": True}
    for settings in ({}, {"speculative_config": allowed}):
        running = engine(FakeModel(nan_at=bad), **settings)
        output = complete(running, max_tokens=20)
        assert output.outputs[0].finish_reason == "error" and "NaN" in str(output.outputs[0].error)
        assert output.outputs[0].token_ids == text[: text.index(bad) + 1]


def test_deltas_add_up() -> None:
    running = speculating(options={"wrong_at": 9})
    running.add_request("a", PROMPT, SamplingParams(temperature=0, max_tokens=17, output_kind=RequestOutputKind.DELTA))
    found: list[int] = []
    while running.has_unfinished_requests:
        for output in running.step():
            found += output.outputs[0].token_ids
    assert found == follow(PROMPT, 17)


@pytest.mark.parametrize(
    "params",
    [
        {"temperature": 1.3, "seed": 4},
        {"temperature": 1.0, "seed": 4, "top_k": 5, "top_p": 0.9, "min_p": 0.01, "logprobs": 3},
        {"frequency_penalty": 1.5, "presence_penalty": 0.5, "repetition_penalty": 1.4, "logprobs": 2},
        {"logit_bias": {4: 8.7, 9: 8.9}, "allowed_token_ids": list(range(2, 20))},
        {"n": 3, "temperature": 1.2, "seed": 1, "logprobs": 0},
        {"n": 2, "best_of": 4, "temperature": 1.2, "seed": 1},
        {"bad_words": ["ad", "xy"], "temperature": 0.9, "seed": 3},
        {"prompt_logprobs": 1, "max_tokens": 25},
        {"logits_processors": [lambda tokens, logits: logits.index_fill(0, torch.tensor(tokens[-1:]).long(), -50.0)]},
    ],
    ids=lambda params: "-".join(params)[:40],
)
@pytest.mark.parametrize("options", [{}, {"wrong_at": 10}], ids=["right", "wrong"])
def test_whatever_changes_logits_does_so_at_each_place(params: dict[str, Any], options: dict[str, Any]) -> None:
    settings = {"max_tokens": 24, **params}
    running = speculating(tokenizer=FakeTokenizer(), options=options, async_scheduling=True)
    plain = engine(tokenizer=FakeTokenizer())
    assert complete(running, **settings).outputs == complete(plain, **settings).outputs


class Reader(LogitsProcessor):
    """Processor that forbids the token before last, and records its updates."""

    told: ClassVar[list[tuple[int, ...]]] = []

    def __init__(self, vllm_config: Any, device: torch.device, is_pin_memory: bool) -> None:
        self.made: dict[int, list[int]] = {}

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """Implement `LogitsProcessor.update_state`."""
        process_dict_updates(self.made, batch_update, lambda params, prompt, made: made)

    def apply(self, logits: Tensor) -> Tensor:
        """Implement `LogitsProcessor.apply`."""
        for index, made in self.made.items():
            Reader.told.append(tuple(made))
            if len(made) > 1:
                logits[index, made[-2]] = -50.0
        return logits

    def is_argmax_invariant(self) -> bool:
        """Return False: it changes the argmax."""
        return False


@pytest.mark.parametrize("overlaps", [False, True])
def test_processors_are_told_of_tokens_that_stay(overlaps: bool) -> None:
    """Guesses are right until position 20; the processor's changes make more of them wrong."""
    settings = {"logits_processors": [Reader], "async_scheduling": overlaps}
    Reader.told.clear()
    running = speculating(options={"wrong_at": 20}, **settings)
    for name, count in (("a", None), ("b", 0), ("c", 3)):
        params = SamplingParams(temperature=0, max_tokens=24, logprobs=1, num_speculative_tokens=count)
        running.add_request(name, [3 + ord(name) % 7, 4, 5], params)
    found = drain(running)
    told, accepted = list(Reader.told), running.stats().drafts
    texts = [output.outputs[0].token_ids for output in found.values()]
    assert all(any(tuple(text[: len(each)]) == each for text in texts) for each in told)
    assert accepted is not None and accepted.accepted > 8
    for name, output in found.items():
        plain = engine(**settings)
        params = SamplingParams(temperature=0, max_tokens=24, logprobs=1)
        plain.add_request(name, output.prompt_token_ids, params)
        assert drain(plain)[name].outputs == output.outputs


def test_a_processor_that_raises_ends_its_own_request() -> None:
    def fails(tokens: list[int], logits: Tensor) -> Tensor:
        if len(tokens) == 6:
            raise RuntimeError("six is too many")
        return logits

    outputs = []
    for running in (engine(), speculating()):
        running.add_request("a", PROMPT, SamplingParams(temperature=0, max_tokens=12, logits_processors=[fails]))
        running.add_request("b", PROMPT, SamplingParams(temperature=0, max_tokens=12))
        outputs.append([drain_one.outputs for drain_one in drain(running).values()])
    assert outputs[0] == outputs[1] and len(outputs[0][0][0].token_ids) in (6, 12)


# --- Scheduling --------------------------------------------------------------------------------------------


def test_everyone_has_a_token_before_anyone_has_a_guess() -> None:
    """A step of 8 tokens: three decodes, and five guesses."""
    running = speculating(max_num_batched_tokens=8)
    for name in "abc":
        running.add_request(name, PROMPT, SamplingParams(temperature=0, max_tokens=30, ignore_eos=True))
    seen = []
    while running.has_unfinished_requests:
        running.step()
        step = running.last_step
        assert step is not None and step.num_tokens <= 8
        if len(step.ids) == 3 and not step.new:
            seen.append(sorted(map(len, step.drafts.values())))
    assert seen[:2] == [[5], [5]]


def test_nobody_gives_way_for_a_guess() -> None:
    """A pool of 12 blocks for two sequences of 23 tokens: they fit only without slots for guesses."""
    running = speculating(num_blocks=13, count=15)
    for name in "ab":
        running.add_request(name, [2 + ord(name) % 9, 4, 5], SamplingParams(temperature=0, max_tokens=20))
    outputs = drain(running)
    assert all(len(output.outputs[0].token_ids) == 20 for output in outputs.values())
    stats = running.stats()
    assert stats.num_preemptions == 0 and stats.drafts is not None and stats.drafts.accepted > 10


def test_a_request_may_turn_it_off() -> None:
    running = speculating()
    complete(running, max_tokens=20, num_speculative_tokens=0)
    stats = running.stats()
    assert stats.num_steps == 20 and stats.drafts is not None and stats.drafts.tokens == 0
    complete(running, [9, 10, 11], max_tokens=20, num_speculative_tokens=1)
    assert running.stats().num_steps == 20 + 11
    with pytest.raises(ConfigError, match="num_speculative_tokens is -1, expected an integer of 0 or more"):
        SamplingParams(num_speculative_tokens=-1)


def test_steps_ahead_do_not_wait_for_others_guesses() -> None:
    """One sequence has guesses in each of its steps; the other, which has none, is in every step."""
    running = speculating(async_scheduling=True)
    running.add_request("a", PROMPT, SamplingParams(temperature=0, max_tokens=60, ignore_eos=True))
    running.add_request(
        "b", PROMPT, SamplingParams(temperature=0, max_tokens=30, ignore_eos=True, num_speculative_tokens=0)
    )
    steps = []
    while running.has_unfinished_requests:
        running.step()
        steps.append(running.last_step)
    both = [step for step in steps if step is not None and len(step.ids) == 2 and step.drafts]
    alone = [step for step in steps if step is not None and len(step.ids) == 1 and not step.drafts]
    assert len(both) > 3 and len(alone) > 3


# --- How many guesses are worth it -------------------------------------------------------------------------


def test_costs_between_the_sizes_that_were_timed() -> None:
    cost = StepCost([1, 2, 4, 8], [1.0, 1.5, 1.4, 2.3])
    assert [cost(size) for size in (1, 2, 3, 4, 6, 8)] == pytest.approx([1.0, 1.5, 1.5, 1.5, 1.9, 2.3])
    assert cost(12) == pytest.approx(3.1) and cost(0) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("cost", "drafts"),
    [(lambda rows: 1.0, 34), (lambda rows: float(rows), 0), (lambda rows: 1.0 + 0.05 * rows, None)],
    ids=["free", "as much as a token", "between"],
)
def test_guesses_are_tried_as_far_as_they_pay(cost: Any, drafts: int | None) -> None:
    running = speculating()
    assert running.scheduler.drafter is not None
    running.scheduler.drafter.costs.step = cost
    output = complete(running, max_tokens=40)
    stats = running.stats().drafts
    assert output.outputs[0].token_ids == follow(PROMPT, 40) and stats is not None
    assert stats.tokens == drafts if drafts is not None else 20 < stats.tokens < 40


def test_prompts_of_many_are_read_over_several_steps() -> None:
    """Ten texts of 2,000 tokens: each step reads at most four that the proposer has not read."""
    sizes: list[int] = []

    class Counts(Knows):
        def propose(self, transcript: Transcript, max_drafts: int) -> Sequence[int]:
            sizes.append(len(transcript.token_ids))
            return ()

    drafter = Drafter(Counts(), 7, VOCAB)
    sequences = [sequence_of([5] * 2000, StopRule(9999), id=i) for i in range(10)]
    asked = []
    for _ in range(4):
        sizes.clear()
        drafter.select([Candidate(i, each, 7) for i, each in enumerate(sequences)], 10, 100)
        asked.append(len(sizes))
    assert asked == [4, 8, 10, 10]


def test_nobody_is_asked_where_nothing_can_pay() -> None:
    """Each row costs as much as a token saves."""

    class Asked(Knows):
        def propose(self, transcript: Transcript, max_drafts: int) -> Sequence[int]:
            raise AssertionError("asked")

    register_proposer("asked", lambda config: Asked())
    running = engine(speculative_config={"method": "asked"})
    assert running.scheduler.drafter is not None
    running.scheduler.drafter.costs.step = lambda rows: float(rows)
    complete(running, max_tokens=20)
    assert running.scheduler.drafter.counts.failures == 0


def test_what_guesses_take_on_the_host_counts() -> None:
    """Rows cost nothing, in a step so short that its bookkeeping costs as much as one token saves."""
    short, long = ((lambda rows, each=each: each) for each in (1e-4, 1e-2))
    sequence = sequence_of([5] * 9, StopRule(99), id=0)
    chosen = []
    for cost in (short, long):
        drafter = Drafter(Knows(), 1, VOCAB, DraftCosts(cost, bookkeeping))
        chosen.append(len(drafter.select([Candidate(0, sequence, 1)], 1, 9)))
    assert chosen == [0, 1]


def test_wrong_guesses_become_few() -> None:
    """From position 20 on every guess is wrong: soon most steps have none."""
    running = speculating(options={"wrong_at": 20})
    assert running.scheduler.drafter is not None
    running.scheduler.drafter.costs.step = lambda rows: 1.0 + 0.1 * rows
    complete(running, max_tokens=110, ignore_eos=True)
    stats = running.stats().drafts
    assert stats is not None and stats.drafts < 40 and stats.tokens - stats.accepted < 70


# --- What is refused, and what fails -----------------------------------------------------------------------


class Batchy(FakeModel):
    """A model whose logits depend by one bit on the number of rows, in those of a verified token."""

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Compute logits."""
        logits = super().forward(input_ids, positions, metadata, rows)
        if len(rows) > 1:
            logits[1, 0] = torch.nextafter(logits[1, 0], torch.tensor(1.0))
        return logits


def test_another_model_needs_to_be_allowed(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ConfigError, match="tokens of FakeModel would depend on it: a row among 2 has other bits"):
        speculating(Batchy())
    speculation = {"method": "ngram", "allow_inexact": True}
    with caplog.at_level(logging.WARNING):
        running = engine(Batchy(), speculative_config=speculation)
    assert [record.message for record in caplog.records] == [
        "speculation may change the tokens of FakeModel: a row among 2 has other bits than alone"
    ]
    assert complete(running, max_tokens=9).outputs[0].token_ids == follow(PROMPT, 9)


def test_what_is_compiled_was_tried_by_nobody() -> None:
    with pytest.raises(ConfigError, match="would depend on it: its forward is compiled, which was not tested"):
        speculating(compile=True)


def noted(monkeypatch: pytest.MonkeyPatch, running: LLMEngine, prompt: Sequence[int]) -> dict[int, bytes]:
    """Return, by the number of earlier tokens, the bits of the logits that each token was sampled from."""
    found: dict[int, bytes] = {}
    draw = Sampler.draw

    def noting(self: Sampler, logits: Tensor, draws: Draws, *more: Any) -> Tensor:
        rows = logits.view(torch.int16 if logits.itemsize == 2 else torch.int32).numpy()
        found.update((length, row.tobytes()) for length, row in zip(draws.lengths.tolist(), rows, strict=True))
        return draw(self, logits, draws, *more)

    with monkeypatch.context() as patched:
        patched.setattr(Sampler, "draw", noting)
        complete(running, prompt, max_tokens=40, ignore_eos=True)
    return {length: found[length] for length in range(len(prompt), len(prompt) + 40)}


@pytest.mark.parametrize(("model", "same"), [(FakeModel(), True), (Batchy(), False)], ids=["exact", "one-bit"])
def test_one_bit_of_one_logit_of_a_verified_row_shows(
    monkeypatch: pytest.MonkeyPatch, model: FakeModel, same: bool
) -> None:
    wanted = noted(monkeypatch, engine(), PROMPT)
    for options in ({}, {"wrong_at": 20}):
        speculation = {"method": "knows", "allow_inexact": True, "options": options}
        running = engine(model, speculative_config=speculation)
        assert running.scheduler.drafter is not None
        running.scheduler.drafter.costs.step = None
        found = noted(monkeypatch, running, PROMPT)
        assert (found == wanted) is same


def test_every_bit_of_a_models_logits_is_as_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """stdlib-lm in bfloat16, whose text repeats itself."""
    found = []
    for speculation in (None, {"method": "suffix"}, {"method": "ngram", "num_speculative_tokens": 15}):
        llm = LLM(STDLIB_LM, dtype="bfloat16", max_model_len=256, speculative_config=speculation)
        prompt = llm.tokenizer("class Queue:\n    def put(self, item):\n")["input_ids"]
        if llm.engine.scheduler.drafter is not None:
            llm.engine.scheduler.drafter.costs.step = None
        found.append(noted(monkeypatch, llm.engine, prompt))
        assert speculation is None or llm.engine.stats().num_steps < 30
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"method": "ngramm"}, "method='ngramm'; did you mean 'ngram'"),
        ({"method": "colour"}, "method='colour', expected one of ngram, suffix"),
        ({"method": 3}, "method=3, expected 'ngram', 'suffix' or a name"),
        ({}, "one with a method"),
        ("ngram", "expected a dictionary or None"),
        (
            {"method": "ngram", "num_speculative_tokens": 16},
            "num_speculative_tokens=16, expected an integer from 1 to 15",
        ),
        ({"method": "ngram", "num_speculative_tokens": True}, "num_speculative_tokens=True, expected"),
        ({"method": "ngram", "prompt_lookup_min": 0}, "prompt_lookup_min=0, expected an integer of 1 or more"),
        ({"method": "ngram", "prompt_lookup_min": 4, "prompt_lookup_max": 3}, "at most prompt_lookup_max, 3"),
        ({"method": "ngram", "allow_inexact": "yes"}, "allow_inexact='yes', expected True or False"),
        ({"method": "ngram", "prompt_lookup_maxx": 3}, "'prompt_lookup_maxx'; did you mean 'prompt_lookup_max'"),
        (
            {"method": "ngram", "suffix_decoding_max_cached_requests": 3},
            "max_cached_requests=3, expected 0, or the method 'suffix'",
        ),
        ({"method": "suffix", "suffix_decoding_max_cached_requests": -1}, "expected an integer of 0 or more"),
        ({"method": "nothing"}, "which made None, expected an object with a method propose"),
    ],
    ids=str,
)
def test_refused(given: Any, says: str) -> None:
    register_proposer("nothing", lambda config: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(ConfigError, match=says):
        engine(speculative_config=given)


def test_lookup_lengths_as_vllm_fills_them_in() -> None:
    def lengths(**given: int) -> tuple[int, int]:
        speculation = EngineConfig(speculative_config={"method": "ngram", **given}).speculation
        assert speculation is not None
        return speculation.prompt_lookup

    assert lengths() == (2, 5) and lengths(prompt_lookup_max=4) == (4, 4) == lengths(prompt_lookup_min=4)
    assert lengths(prompt_lookup_min=3, prompt_lookup_max=7) == (3, 7)


def test_an_answer_that_was_given_before_takes_fewer_steps() -> None:
    """Only with the same salt, and if answers are kept; a failed request leaves nothing."""
    steps = {}
    for count in (0, 4):
        speculation = {"method": "suffix", "suffix_decoding_max_cached_requests": count}
        running = engine(speculative_config=speculation)
        assert running.scheduler.drafter is not None
        running.scheduler.drafter.costs.step = None
        for salt in ("a", "b", "a"):
            before = running.pipeline.num_steps
            params = SamplingParams(temperature=0, max_tokens=20, ignore_eos=True)
            running.add_request("x", PROMPT, params, cache_salt=salt)
            assert drain(running)["x"].outputs[0].token_ids == follow(PROMPT, 20)
            steps.setdefault(count, []).append(running.pipeline.num_steps - before)
    assert steps[0][0] == steps[0][2] == steps[4][0] == steps[4][1] and steps[4][2] < steps[4][0] - 5


class Unruly:
    """A proposer of valid and invalid values, one after the other."""

    def __init__(self) -> None:
        self.answers: list[Any] = [[-1], [VOCAB], [], [5, VOCAB, 5], range(3), "text"]

    def propose(self, transcript: Transcript, max_drafts: int) -> Any:
        """Return something else each time; then raise."""
        if not self.answers:
            raise RuntimeError("out of ideas")
        return self.answers.pop(0)


def test_a_proposer_may_say_what_it_likes(steady: None, caplog: pytest.LogCaptureFixture) -> None:
    register_proposer("unruly", lambda config: Unruly())
    running = engine(speculative_config={"method": "unruly"})
    for name in "abc":
        running.add_request(name, [7 + ord(name) % 5], SamplingParams(temperature=0, max_tokens=9))
    outputs = drain(running)
    assert all(outputs[name].outputs[0].token_ids == follow([7 + ord(name) % 5], 9) for name in "abc")
    stats = running.stats().drafts
    assert stats is not None and stats.failures == 3
    assert sum("a proposer failed" in record.message for record in caplog.records) == 1


class Forgetful:
    """A proposer of nothing that cannot learn."""

    def propose(self, transcript: Transcript, max_drafts: int) -> Any:
        """Implement `Proposer.propose`."""
        return ()

    def ended(self, transcript: Transcript) -> None:
        """Implement `Learner.ended`."""
        raise RuntimeError("not enough memory")


def test_a_proposer_that_cannot_learn_is_said_once(steady: None, caplog: pytest.LogCaptureFixture) -> None:
    register_proposer("forgetful", lambda config: Forgetful())
    running = engine(speculative_config={"method": "forgetful"})
    for name in "abc":
        running.add_request(name, [7], SamplingParams(temperature=0, max_tokens=3))
    assert all(output.outputs[0].token_ids == follow([7], 3) for output in drain(running).values())
    assert [record.message for record in caplog.records] == ["a proposer failed with a text that has ended"]


# --- What is counted ---------------------------------------------------------------------------------------


def test_metrics_have_vllms_names() -> None:
    running = speculating()
    complete(running, max_tokens=10)
    found = {metric.name.removeprefix("vllm:"): metric for metric in running.get_metrics()}
    numbers = {name: each.value for name, each in found.items() if isinstance(each, Counter) and "spec" in name}
    assert numbers == {
        "spec_decode_num_drafts": 1,
        "spec_decode_num_draft_tokens": 7,
        "spec_decode_num_accepted_tokens": 7,
    }
    places = found["spec_decode_num_accepted_tokens_per_pos"]
    assert isinstance(places, Vector) and places.values == [1] * 7
    lines = text_of(running.get_metrics("fake")).splitlines()
    assert "# TYPE vllm:spec_decode_num_accepted_tokens_per_pos_total counter" in lines
    labels = 'model_name="fake",engine="0",position="6"'
    assert f"vllm:spec_decode_num_accepted_tokens_per_pos_total{{{labels}}} 1" in lines
    assert not any("spec" in metric.name for metric in engine().get_metrics()) and engine().stats().drafts is None
    assert follower(3, 0) >= 2


def test_a_trace_counts_rows() -> None:
    """Rows of steps with guesses are decodes; rejected guesses do not count as recomputed."""
    running = speculating(options={"wrong_at": 9})
    trace = Trace(running)
    running.add_request("a", PROMPT, SamplingParams(temperature=0, max_tokens=20))
    while running.has_unfinished_requests:
        running.step()
        trace.record()
    tokens = [frame["tokens"] for frame in trace.data()["frames"]]
    assert tokens[1] == [3, 0, 0, 0] and tokens[2] == [0, 0, 8, 0]
    assert all(prefill == again == 0 for prefill, again, _, _ in tokens[2:])
    assert sum(map(sum, tokens)) == running.num_computed_tokens


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fix the cost of steps to that of an idle machine."""
    cost = StepCost([1, 8, 16, 32], [1.0, 1.1, 1.3, 2.0])
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: cost)


def test_the_command_line_shows_guesses(capsys: pytest.CaptureFixture[str], steady: None) -> None:
    words = [
        "generate",
        "--model",
        str(STDLIB_LM),
        "--prompt",
        "import os",
        "--max-tokens",
        "40",
        "--dtype",
        "bfloat16",
    ]
    assert cli.main([*words, "--stream"]) == 0
    plain = capsys.readouterr().out
    words += ["--speculative-config", '{"method": "ngram"}']
    assert cli.main([*words, "--stream", "--show-drafts"]) == 0
    shown = capsys.readouterr()
    coloured, table = shown.out, shown.err + shown.out
    assert "\033[32m" in coloured and "guessed ahead" in table
    text = coloured.replace("\033[32m", "").replace("\033[0m", "")
    assert text.split("(length)")[0] == plain.split("(length)")[0]
    assert cli.main([*words, "--show-drafts"]) == 2
    assert "--show-drafts colours streamed text: add --stream" in capsys.readouterr().err


def test_weights_of_another_kind_end_it(caplog: pytest.LogCaptureFixture) -> None:
    """A model that was exact when the engine was made, and is not after `quantize`."""
    running = speculating()
    drafter = running.scheduler.drafter
    assert drafter is not None
    for model, rests in ((Batchy(), True), (running.model, False)):
        renew_drafter(drafter, model, running.config, running.executor)
        assert drafter.paused is rests
        assert bool(drafter.select([Candidate(0, sequence_of([5] * 9, StopRule(99), id=0), 7)], 1, 9)) is not rests
    assert "speculation is paused" in caplog.text


# --- Many tokens -------------------------------------------------------------------------------------------

KINDS: dict[str, dict[str, Any]] = {
    "bfloat16": {"dtype": "bfloat16"},
    "float16": {"dtype": "float16"},
    "float32": {"dtype": "float32", "optimize": True},
    "int8": {"dtype": "bfloat16", "quantization": "int8"},
    "int4": {"dtype": "bfloat16", "quantization": "int4"},
    "int8-cache": {"dtype": "bfloat16", "kv_cache_dtype": "int8"},
}
DRAWN: list[dict[str, Any]] = [
    {"temperature": 0.0},
    {"temperature": 0.0, "repetition_penalty": 1.2, "frequency_penalty": 0.3, "logprobs": 1},
    {"temperature": 0.8, "logprobs": 0},
    {"temperature": 1.0, "top_p": 0.9, "top_k": 40, "min_p": 0.02},
    {"temperature": 0.7, "presence_penalty": 0.4, "stop": ["\n\n\n"], "n": 2},
]


def answers(count: int, settings: dict[str, Any], **more: Any) -> tuple[list[Any], LLM]:
    """Return the answers to many prompts in a pool that is too small for them."""
    llm = LLM(STDLIB_LM, num_blocks=301, swap_space=0.001, **settings, **more)
    if (drafter := llm.engine.scheduler.drafter) is not None and drafter.computes:
        drafter.costs.step = None  # few of a draft model's guesses pay: all are taken
    lines = [line for text in topics.topics.values() for line in text.splitlines() if len(line) > 60][:count]
    params = [
        SamplingParams(max_tokens=160, seed=number, ignore_eos=True, **DRAWN[number % len(DRAWN)])
        for number in range(len(lines))
    ]
    return [output.outputs for output in llm.generate(lines, params, use_tqdm=False)], llm


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_200_000_tokens_do_not_depend_on_guesses(kind: str, steady: None) -> None:
    """Six kinds of model with 35,000 tokens each, three times: the default guesses, all guesses, overlapping steps."""
    settings = KINDS[kind]
    if "quantization" in settings:
        pytest.importorskip("torchao", reason="torchao is not installed")
    wanted, _ = answers(190, settings)
    assert sum(len(each.token_ids) for outputs in wanted for each in outputs) > 33_400
    draft = {"model": STDLIB_LM.parent / "stdlib-draft", "num_speculative_tokens": 3}
    for speculation, overlaps in (({"method": "suffix"}, False), ({"method": "ngram"}, True), (draft, True)):
        more = {"speculative_config": speculation, "async_scheduling": overlaps}
        found, llm = answers(190, settings, **more)
        assert found == wanted
        stats = llm.engine.stats()
        assert stats.drafts is not None and stats.num_preemptions > 20
        assert stats.drafts.accepted > 3000
