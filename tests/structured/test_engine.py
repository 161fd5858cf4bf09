"""Structured outputs of an engine: every text that has ended is valid, however it was scheduled."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from functools import cache
from typing import Any

import jsonschema
import pytest
import torch
from transformers import AutoTokenizer, PreTrainedModel

from tests.models import STDLIB_LM, build
from torchpaged import LLM, LLMEngine, RequestOutput, SamplingParams
from torchpaged.errors import RequestError
from torchpaged.structured import mask_worker, matcher
from torchpaged.structured.matcher import Matcher

pytest.importorskip("llguidance", reason="llguidance is not installed")

TOKENIZER = AutoTokenizer.from_pretrained(STDLIB_LM)
END = TOKENIZER.eos_token_id
PROMPT = "def main():\n"


@cache
def random_model() -> PreTrainedModel:
    """Return a random model, which has learned no JSON."""
    model = build("llama", vocab_size=len(TOKENIZER), hidden_size=32, num_hidden_layers=1, num_attention_heads=2)
    model.generation_config.eos_token_id = END
    return model


@cache
def llm(**settings: Any) -> LLM:
    return LLM(random_model(), TOKENIZER, **{"num_blocks": 400, "block_size": 16, "max_num_seqs": 16, **settings})


def generate(params: list[SamplingParams], running: LLM | None = None) -> list[RequestOutput]:
    """Return the outputs of one prompt with several parameters, all at once."""
    outputs: list[RequestOutput] = (running or llm()).generate([PROMPT] * len(params), params, use_tqdm=False)
    return outputs


def asking(seed: int = 0, **given: Any) -> SamplingParams:
    """Return parameters for a text of a kind, at a high temperature."""
    of_text = {name: given.pop(name) for name in list(given) if name not in SamplingParams.__dataclass_fields__}
    return SamplingParams(**{"seed": seed, "max_tokens": 200, "structured_outputs": of_text, **given})


WORD = {"type": "string", "maxLength": 8}
POINT = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "required": ["x", "y"]}
SCHEMAS: list[Any] = [
    {"type": "boolean"},
    {"type": "null"},
    {"type": "integer", "minimum": -50, "maximum": 1000},
    {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    {"type": "integer", "multipleOf": 7, "minimum": 0, "maximum": 700},
    WORD,
    {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"},
    {"type": "string", "format": "date"},
    {"type": "string", "format": "uuid"},
    {"enum": ["red", "green", 3, None, {"a": [1]}]},
    {"const": {"deep": [True, "x"]}},
    {"type": ["string", "null"], "maxLength": 4},
    {"type": "array", "items": {"type": "integer", "maximum": 99, "minimum": 0}, "minItems": 2, "maxItems": 4},
    {"type": "array", "prefixItems": [WORD, {"type": "boolean"}], "items": False, "minItems": 2},
    POINT,
    {**POINT, "additionalProperties": False},
    {"type": "object", "properties": {"a": WORD, "b": POINT}, "required": ["b"], "additionalProperties": False},
    {"type": "object", "properties": {"a": {"type": "array", "items": POINT, "maxItems": 2}}, "required": ["a"],
     "additionalProperties": False},
    {"type": "object", "additionalProperties": {"type": "boolean"}, "maxProperties": 2},
    {"type": "object", "patternProperties": {"^n[0-9]$": {"type": "integer"}}, "additionalProperties": False,
     "maxProperties": 2},
    {"anyOf": [{"type": "boolean"}, POINT]},
    {"oneOf": [{"type": "string", "maxLength": 3}, {"type": "integer", "minimum": 0, "maximum": 9}]},
    {"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 40}]},
    {"$ref": "#/$defs/p", "$defs": {"p": POINT}},
    {"$ref": "#/$defs/list", "$defs": {"list": {"anyOf": [{"type": "null"}, {
        "type": "object", "properties": {"v": {"type": "boolean"}, "next": {"$ref": "#/$defs/list"}},
        "required": ["v", "next"], "additionalProperties": False}]}}},
    {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer", "maximum": 9, "minimum": 0}},
     "required": ["kind", "n"], "additionalProperties": False},
    {"type": "object", "properties": {"a b": WORD, "ü": {"type": "null"}, '"': {"type": "null"}},
     "required": ["a b", "ü", '"'], "additionalProperties": False},
    {"type": "string", "minLength": 3, "maxLength": 3},
    {"type": "array", "items": {"type": "array", "items": {"enum": [0, 1]}, "maxItems": 2}, "maxItems": 3},
    {"type": "object", "properties": {f"p{i}": {"enum": [i]} for i in range(12)}, "required": ["p3"],
     "additionalProperties": False},
]  # fmt: skip


def test_every_text_that_ends_is_valid() -> None:
    """Thirty schemas, a random model, sampled at a high temperature and greedy; all of these end."""
    assert len(SCHEMAS) == 30
    options: dict[str, Any] = {"disable_any_whitespace": True}
    params = [asking(seed, json=schema, temperature=1.5, **options) for seed, schema in enumerate(SCHEMAS)]
    params += [asking(json=schema, temperature=0.0, **options) for schema in SCHEMAS]
    ended = 0
    for schema, output in zip(SCHEMAS * 2, generate(params), strict=True):
        (completion,) = output.outputs
        assert completion.error is None
        if completion.finish_reason == "stop":
            ended += 1
            jsonschema.validate(json.loads(completion.text), schema)
    assert ended >= 50
    llm().engine.check()


@pytest.mark.parametrize(
    ("given", "pattern"),
    [
        ({"choice": ["yes", "no", "it depends: \u00e9\U0001f600"]}, "yes|no|it depends: \u00e9\U0001f600"),
        ({"regex": r"[a-f]{3,5}-\d{2}"}, r"[a-f]{3,5}-\d{2}"),
        ({"grammar": 'start: "x" ("(" start ")" | "!")'}, r"(x\()*x!\)*"),
        ({"grammar": 'root ::= "x" ("," "y"){1,3}'}, r"x(,y){1,3}"),
    ],
)
def test_other_kinds(given: dict[str, Any], pattern: str) -> None:
    outputs = generate([asking(seed, temperature=1.5, **given) for seed in range(4)])
    for output in outputs:
        (completion,) = output.outputs
        assert completion.finish_reason == "stop" and completion.stop_reason is None
        assert re.fullmatch(pattern, completion.text), completion.text
        assert END not in completion.token_ids[:-1]
        assert TOKENIZER.decode(completion.token_ids, skip_special_tokens=True) == completion.text


def test_beside_others_and_alone() -> None:
    """One request's grammar affects no other, and a text does not depend on concurrent requests."""
    params = [asking(seed, json=POINT, temperature=1.0) for seed in range(3)]
    params[1] = SamplingParams(seed=1, max_tokens=40)
    together = [output.outputs[0].token_ids for output in generate(params)]
    assert together == [generate([each])[0].outputs[0].token_ids for each in params]


def test_a_request_that_is_refused_leaves_the_others_alone() -> None:
    engine = llm().engine
    engine.add_request("good", PROMPT, asking(json=POINT))
    for number, given in enumerate(({"regex": "(a"}, {"json": {"type": "sock"}}, {"grammar": "start: x"})):
        with pytest.raises(RequestError, match=f"request 'bad {number}': structured_outputs has the .*not possible"):
            engine.add_request(f"bad {number}", PROMPT, asking(**given))
    assert engine.get_num_unfinished_requests() == 1
    (last,) = [output for _ in range(300) for output in _step(engine) if output.finished]
    assert last.request_id == "good" and last.outputs[0].error is None
    engine.check()


def _step(engine: LLMEngine) -> list[RequestOutput]:
    return engine.step() if engine.has_unfinished_requests else []


# --- Beside other parameters -------------------------------------------------------------------------------


def test_completions_of_one_prompt_fork() -> None:
    (output,) = generate([asking(5, regex="[a-z]{4}[0-9]{4}", n=6, best_of=8, temperature=1.5, logprobs=0)])
    texts = [completion.text for completion in output.outputs]
    assert len(set(texts)) == 6 and all(re.fullmatch("[a-z]{4}[0-9]{4}", text) for text in texts)


def test_logprobs_are_of_what_the_grammar_allows() -> None:
    (output,) = generate([asking(choice=["a", "b"], temperature=0.0, logprobs=5, max_tokens=1)])
    (row,) = output.outputs[0].logprobs or []
    possible = {each.decoded_token: each.logprob for each in row.values() if each.logprob > -1e9}
    assert set(possible) == {"a", "b"}
    assert torch.tensor(list(possible.values())).exp().sum().item() == pytest.approx(1, abs=1e-4)
    assert output.outputs[0].text == max(possible, key=lambda name: possible[name])


@pytest.mark.parametrize(
    "given",
    [
        {"presence_penalty": 1.5, "frequency_penalty": 0.5, "repetition_penalty": 1.3},
        {"temperature": 0.0},
        {"top_k": 3, "top_p": 0.8, "min_p": 0.1},
        {"logit_bias": {TOKENIZER.encode("9", add_special_tokens=False)[0]: 50.0}},
        {"bad_words": ["0"]},
        {"n": 3},
        {"n": 2, "prompt_logprobs": 1},
        {"prompt_logprobs": 1},
        {"detokenize": False},
        {"min_tokens": 4},
        {"logits_processors": [lambda made, logits: logits * 0.5]},
    ],
    ids=lambda given: "-".join(given),
)
def test_with_other_parameters(given: dict[str, Any]) -> None:
    (output,) = generate([asking(3, regex=r"\d{6,9};", **given)])
    for completion in output.outputs:
        text = TOKENIZER.decode(completion.token_ids)
        assert completion.finish_reason == "stop" and re.fullmatch(r"\d{6,9};", text), text
        assert (
            "bad_words" not in given or TOKENIZER.encode("0", add_special_tokens=False)[0] not in completion.token_ids
        )


def test_texts_end_where_they_may_and_where_they_must() -> None:
    """A text may end early with an EOS token, which is counted; it ends without one if nothing may follow."""
    bias = {END: 100.0}
    chosen, late, ignored, complete = (
        generate([asking(regex="[ab]{2,20}", logit_bias=bias, **given)])[0].outputs[0]
        for given in ({}, {"min_tokens": 7}, {"ignore_eos": True}, {"min_tokens": 20})
    )
    assert chosen.token_ids[-1] == END and re.fullmatch("[ab]{2,}", chosen.text) and chosen.finish_reason == "stop"
    assert late.token_ids[-1] == END and len(late.token_ids) >= 8
    assert ignored.finish_reason == "stop" and len(ignored.text) == 20 and END not in ignored.token_ids
    assert complete.finish_reason == "stop" and len(complete.text) == 20


def test_stop_strings_and_lengths_cut_it() -> None:
    cut, short = (
        generate([asking(regex="[ab]{3}c[ab]{50}", **given)])[0].outputs[0]
        for given in ({"stop": "c"}, {"max_tokens": 3})
    )
    assert cut.finish_reason == "stop" and cut.stop_reason == "c" and re.fullmatch("[ab]{3}", cut.text)
    assert short.finish_reason == "length" and len(short.token_ids) == 3


def test_the_last_token_that_there_is_room_for_may_complete_it() -> None:
    (output,) = generate([asking(regex="[ab]", max_tokens=1)])
    assert output.outputs[0].finish_reason == "stop" and output.outputs[0].text in "ab"


def test_nothing_is_left() -> None:
    digits = [TOKENIZER.encode(str(digit), add_special_tokens=False)[0] for digit in range(10)]
    nothing, something = generate([asking(regex="[a-z]+", allowed_token_ids=digits), asking(regex=r"\d{3}")])
    (failed,) = nothing.outputs
    assert failed.finish_reason == "error" and "leave no token" in (failed.error or "")
    assert something.outputs[0].finish_reason == "stop"


def test_a_processor_that_knows_better() -> None:
    """The processor sees the masked logits. If it allows other tokens, its own request ends."""
    (output,) = generate([asking(regex=r"\d{3}", logits_processors=[lambda made, logits: torch.zeros_like(logits)])])
    assert "do not allow token" in (output.outputs[0].error or "")


def test_a_grammar_that_grows_too_large_ends_its_own_request() -> None:
    grammar = 'start: x{0,1000}\nx: y{0,1000}\ny: z{0,1000}\nz: "ab"?'
    large, other = generate([asking(grammar=grammar, max_tokens=64), asking(regex=r"\d{3}")])
    assert other.outputs[0].finish_reason == "stop"
    if large.outputs[0].finish_reason == "error":
        assert "cannot be followed any further" in (large.outputs[0].error or "")


# Parts that are in each other in ever more ways: with " " as a part too, and without limits, a mask took 0.05 s at
# token 8 and 1.85 at token 32.
AMBIGUOUS = 'start: s\ns: s s s | s s | "a" | "aa" | "x"'


def slow_asking(seed: int = 0, **given: Any) -> SamplingParams:
    return asking(seed, grammar=AMBIGUOUS, ignore_eos=True, max_tokens=100, **given)


def test_a_grammar_whose_masks_take_long_ends_its_own_request() -> None:
    """The other requests take part in every step meanwhile, and none of them waits for a mask."""
    engine = llm().engine
    for name in ("slow", "slow too"):
        engine.add_request(name, PROMPT, slow_asking(n=2))
    engine.add_request("guided", PROMPT, asking(regex="[a-z]{150}"))
    engine.add_request("plain", PROMPT, SamplingParams(max_tokens=150, ignore_eos=True))
    last: dict[str, RequestOutput] = {}
    lengths: list[tuple[int, int]] = []
    while engine.has_unfinished_requests:
        shown = {output.request_id: output for output in engine.step()}
        last |= shown
        if "plain" in shown:
            lengths.append((len(last["plain"].outputs[0].token_ids), len(last["guided"].outputs[0].token_ids)))
    assert [plain for plain, _ in lengths] == list(range(1, 151)), "a token in each step"
    assert last["plain"].outputs[0].finish_reason == "length" and last["guided"].outputs[0].finish_reason == "stop"
    for name in ("slow", "slow too"):
        for completion in last[name].outputs:
            assert completion.finish_reason == "error" and len(completion.token_ids) < 100
            assert "its grammar is too slow" in completion.error or "cannot be followed" in completion.error  # type: ignore[operator]
    assert not engine.scheduler.sequence_table.guided
    engine.check()


@pytest.mark.parametrize("overlaps", [False, True])
def test_where_every_request_waits_for_a_mask(overlaps: bool) -> None:
    """Empty steps come between, and the next request is unaffected."""
    running = LLM(random_model(), TOKENIZER, num_blocks=400, block_size=16, async_scheduling=overlaps)
    (slow,) = generate([slow_asking()], running)
    assert slow.outputs[0].finish_reason == "error"
    assert running.engine.scheduler.waits["mask"] > 0
    assert generate([asking(regex=r"\d{3}")], running)[0].outputs[0].finish_reason == "stop"
    running.engine.check()


@pytest.mark.parametrize("settings", [{}, {"num_blocks": 30, "swap_space": 0}], ids=["room", "preempted"])
def test_masks_computed_beside_steps_are_those_of_steps(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    """With every mask from the worker (nothing trusted, no patience) each text is the same."""
    monkeypatch.setattr(Matcher, "is_trusted", property(lambda self: False))
    monkeypatch.setattr(matcher, "_PATIENCE", 0.0)
    running = LLM(random_model(), TOKENIZER, **{"num_blocks": 400, "block_size": 16, "max_num_seqs": 16, **settings})
    outputs = generate(MIXED, running)
    assert [[each.token_ids for each in output.outputs] for output in outputs] == expected()
    running.engine.check()


@pytest.mark.parametrize(
    ("n", "trusted"), [(1, True), (2, True), (2, False)], ids=["one text", "texts", "texts before they fork"]
)
def test_a_mask_that_does_not_come_ends_its_request(monkeypatch: pytest.MonkeyPatch, n: int, trusted: bool) -> None:
    """By the clock, without waiting for the mask; other requests continue."""
    gate, came = threading.Event(), list[Matcher]()
    if not trusted:  # else steps compute the first masks
        monkeypatch.setattr(Matcher, "is_trusted", property(lambda self: False))
    monkeypatch.setattr(mask_worker, "MOST_SECONDS", 0.2)
    compute = Matcher.compute
    monkeypatch.setattr(Matcher, "compute", lambda self: (gate.wait(60), came.append(self), compute(self))[0])
    late, other = generate([slow_asking(n=n), SamplingParams(max_tokens=3, ignore_eos=True)])
    assert not came, "a request that had failed waited for its mask"
    gate.set()
    assert len(late.outputs) == n
    for completion in late.outputs:
        assert completion.finish_reason == "error" and "a mask has not come in" in (completion.error or "")
    assert other.outputs[0].finish_reason == "length"
    llm().engine.check()


def test_masks_of_requests_that_have_ended_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, computed = threading.Event(), list[Matcher]()
    monkeypatch.setattr(Matcher, "compute", lambda self: (computed.append(self), gate.wait(60))[0])
    engine = llm().engine
    for seed in range(8):
        engine.add_request(f"{seed}", PROMPT, slow_asking(seed))
    engine.step()
    for seed in range(8):
        engine.abort(f"{seed}")
    engine.add_request("other", PROMPT, SamplingParams(max_tokens=3))
    while engine.has_unfinished_requests:
        engine.step()
    gate.set()
    assert not engine.pipeline._filler.is_busy or len(computed) < 8
    engine.check()


# --- However it was scheduled ------------------------------------------------------------------------------

MIXED = [
    asking(seed, temperature=1.0, max_tokens=60, logprobs=1, n=1 + seed % 3, **given)
    for seed, given in enumerate(
        [
            {"json": POINT},
            {"regex": "[a-z]{30}"},
            {"json": SCHEMAS[17]},
            {"choice": ["one", "two"]},
            {"json_object": True},
        ]
    )
] + [SamplingParams(seed=9, max_tokens=30)]


@cache
def expected() -> list[list[list[int]]]:
    return [[each.token_ids for each in output.outputs] for output in generate(MIXED)]


@pytest.mark.parametrize(
    "settings",
    [
        {"async_scheduling": True},
        {"enable_prefix_caching": False},
        {"num_blocks": 9},
        {"num_blocks": 9, "swap_space": 0.01, "preemption_mode": "swap"},
        {"max_num_batched_tokens": 16, "max_num_seqs": 3},
        {"speculative_config": {"method": "suffix", "allow_inexact": True}},
        {"speculative_config": {"method": "ngram", "allow_inexact": True}, "async_scheduling": True, "num_blocks": 20},
    ],
    ids=lambda settings: "-".join(settings),
)
def test_the_same_texts_however_scheduled(settings: dict[str, Any]) -> None:
    running = LLM(random_model(), TOKENIZER, **{"num_blocks": 400, "block_size": 16, "max_num_seqs": 16, **settings})
    if (drafter := running.engine.scheduler.drafter) is not None:
        drafter.costs.step = None
    outputs = generate(MIXED, running)
    assert [[each.token_ids for each in output.outputs] for output in outputs] == expected()
    stats = running.engine.stats()
    if "num_blocks" in settings and stats.drafts is None:
        assert stats.num_preemptions > 0
    if stats.drafts is not None:
        assert stats.drafts.accepted > 0
    running.engine.check()


@pytest.mark.parametrize(
    ("method", "overlaps"), [("launch", True), ("sample", False), ("sample", True), ("result", True)]
)
def test_a_step_that_fails_is_run_again(method: str, overlaps: bool) -> None:
    running = LLM(random_model(), TOKENIZER, num_blocks=400, block_size=16, max_num_seqs=16, async_scheduling=overlaps)
    executor, calls = running.engine.executor, 0
    work = getattr(executor, method)

    def failing(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % 7 == 3:
            raise RuntimeError("the device is on fire")
        return work(*arguments)

    setattr(executor, method, failing)
    for number, params in enumerate(MIXED):
        running.engine.add_request(f"{number}", PROMPT, params)
    last: dict[str, RequestOutput] = {}
    while running.engine.has_unfinished_requests:
        with contextlib.suppress(RuntimeError):
            last |= {output.request_id: output for output in running.engine.step()}
    found = [[each.token_ids for each in last[f"{number}"].outputs] for number in range(len(MIXED))]
    assert found == expected() and calls > 7
    running.engine.check()


def test_what_must_follow_is_guessed_and_saves_steps() -> None:
    """Forced tokens are guessed as a trained model's tokenizer spells them; the text is that without guesses."""
    schema = {"type": "object", "properties": {f"a_long_name_of_a_field_{i}": {"type": "boolean"} for i in range(3)},
              "required": [f"a_long_name_of_a_field_{i}" for i in range(3)], "additionalProperties": False}  # fmt: skip
    params = asking(json=schema, temperature=0.0, disable_any_whitespace=True)
    found = []
    for speculation in (None, {"method": "suffix", "allow_inexact": True}):
        running = LLM(STDLIB_LM, num_blocks=100, speculative_config=speculation)
        (output,) = generate([params], running)
        found.append((output.outputs[0], running.engine.stats()))
    (one, plain), (other, guessing) = found
    tokens = one.token_ids
    assert other.token_ids == tokens and guessing.drafts is not None and plain.drafts is None
    assert guessing.drafts.accepted > len(tokens) / 2 and guessing.num_steps < plain.num_steps * 0.7
