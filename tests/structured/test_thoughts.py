"""Thoughts before constrained answers: delimiters cut over tokens, budgets, drafts, forks and preemption."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from tests.models import STDLIB_LM, build
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError, RequestError
from torchpaged.outputs import CompletionOutput
from torchpaged.reasoning import PARSERS, ReasoningDelimiters
from torchpaged.structured.grammars import GrammarCompiler
from torchpaged.structured.matcher import MaskFiller, MaskRequest, Matcher
from torchpaged.structured_outputs import StructuredOutputsParams

pytest.importorskip("llguidance", reason="llguidance is not installed")

TOKENIZER: PreTrainedTokenizerFast = AutoTokenizer.from_pretrained(STDLIB_LM)
TOKENIZER.add_tokens(["<think>", "</think>"])
TOKENIZER.add_tokens(["[THINK]", "[/THINK]"], special_tokens=True)
# One in which the delimiters are no tokens.
PLAIN = AutoTokenizer.from_pretrained(STDLIB_LM)
END = TOKENIZER.eos_token_id
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "boolean"}, "s": {"type": "string", "maxLength": 12}},
    "required": ["a"],
    "additionalProperties": False,
}
YES = StructuredOutputsParams(choice=["yes", "no"])


@cache
def llm(speculates: bool = False, plain: bool = False, **settings: Any) -> LLM:
    """Return a random model, which has learned nothing."""
    model = build("llama", vocab_size=len(TOKENIZER), hidden_size=32, num_hidden_layers=1, num_attention_heads=2)
    model.generation_config.eos_token_id = END
    if speculates:
        settings["speculative_config"] = {"method": "ngram", "prompt_lookup_min": 1, "allow_inexact": True}
        settings["speculative_config"]["num_speculative_tokens"] = 4
    tokenizer = PLAIN if plain else TOKENIZER
    made = LLM(model, tokenizer, **{"num_blocks": 400, "block_size": 16, "max_num_seqs": 16, **settings})
    if (drafter := made.engine.scheduler.drafter) is not None:
        drafter.costs.step = None  # drafts at any cost
    return made


def asking(name: str = "qwen3", **given: Any) -> SamplingParams:
    """Return parameters under which a random model opens and closes thoughts now and then."""
    bias = {TOKENIZER.convert_tokens_to_ids(text): 5.0 for text in ("<think>", "</think>", "[THINK]", "[/THINK]")}
    return SamplingParams(
        **{"reasoning": name, "max_tokens": 120, "skip_special_tokens": False, "logit_bias": bias, "seed": 0, **given}
    )


def completions(prompt: str, params: SamplingParams, running: LLM) -> list[CompletionOutput]:
    (output,) = running.generate([prompt], params, use_tqdm=False)
    running.engine.check()
    return list(output.outputs)


def parts(text: str, delimiters: ReasoningDelimiters, *, opened: bool) -> tuple[str | None, str]:
    """Return (thoughts, answer) of a text; an independent reader. No thoughts: None."""
    if not opened:
        opening = next((each for each in delimiters.open if text.startswith(each)), None)
        if opening is None:
            return None, text
        text = text[len(opening) :]
    found = [(text.find(each), each) for each in delimiters.close if each in text]
    if not found:
        return text, ""
    place, close = min(found)
    answer = text[place + len(close) :]
    return text[:place], answer.lstrip("\n") if delimiters.newlines else answer


# --- One text -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiler() -> Any:
    made = GrammarCompiler(PLAIN, [END], len(PLAIN))
    yield made
    made.close()


def matcher(compiler: GrammarCompiler, name: str, prompt: str = "", budget: int | None = None, **text: Any) -> Matcher:
    params = StructuredOutputsParams(**text) if text else None
    grammar = compiler.guide("a", params, PARSERS[name], budget, encode(prompt))
    assert grammar is not None
    return grammar.matcher(ends=True)


def encode(text: str) -> list[int]:
    return list(PLAIN.encode(text, add_special_tokens=False))


def letters(text: str) -> list[int]:
    """Return a token for each byte."""
    return [encode(each)[0] for each in text]


def allowed(found: Matcher, drafts: tuple[int, ...] = ()) -> list[set[int]]:
    masks = MaskFiller().fill([MaskRequest(1, found, drafts)])[1]
    assert not isinstance(masks, str), masks
    return [{token for token in range(len(PLAIN)) if mask[token // 32] >> token % 32 & 1} for mask in masks]


def test_a_delimiter_cut_over_tokens_is_found_wherever_it_is_cut(compiler: GrammarCompiler) -> None:
    for text in ("ab</think>", "</</think>", "<</thin</think>", "</think>\n\n"):
        for tokens in (letters(text), encode(text)):
            found = matcher(compiler, "qwen3", "x<think>\n", choice=["yes", "no"])
            assert found.take(tokens) is None
            assert encode("yes")[0] in allowed(found)[0] and encode("(")[0] not in allowed(found)[0], text


def test_no_token_reaches_from_thoughts_into_the_answer(compiler: GrammarCompiler) -> None:
    """PLAIN has the tokens '>' , '>>' and '>"', and with newlines it could have others."""
    found = matcher(compiler, "qwen3", "<think>", choice=["yes"])
    reaching = {token for token in range(len(PLAIN)) if PLAIN.decode([token]).startswith((">>", '>"', ">'"))}
    assert reaching and reaching <= allowed(found)[0]
    found.take(letters("</think"))
    free = allowed(found)[0]
    assert not reaching & free and encode(">")[0] in free and END not in free


def test_text_that_may_be_delimiter_or_answer_is_either(compiler: GrammarCompiler) -> None:
    choice = ["Here is it", "Here's not it"]
    for rest, text in ((" is it", "answer"), (" is my thought process:", "thoughts")):
        found = matcher(compiler, "granite", choice=choice)
        for token in encode("Here" + rest):
            assert token in allowed(found)[0], (rest, PLAIN.decode([token]))
            ended = found.take([token])
        if text == "answer":
            assert ended is not None
        else:
            assert ended is None and found.take(encode("hm. Here is my response:")) is None
            assert found.take(encode("Here is it")) is not None, "the grammar begins anew"


def test_masks_of_drafts_over_the_delimiter(compiler: GrammarCompiler) -> None:
    """vLLM #34650, #48228: drafts behind the end of the thoughts are the grammar's at once."""
    drafts = (*encode("hm"), *letters("</think>"), *encode("yes"))
    found = matcher(compiler, "qwen3", "<think>", choice=["yes", "no"])
    assert found.drafts([*drafts, encode("x")[0]], 99) == (list(drafts), False)
    rows = allowed(found, drafts)
    single = matcher(compiler, "qwen3", "<think>", choice=["yes", "no"])
    for token, row in zip(drafts, rows, strict=False):
        assert row == allowed(single)[0]
        ended = single.take([token])
    assert ended is not None
    wrong = [*letters("</think>"), *encode("maybe")]
    assert found.drafts(wrong, 99)[0] == wrong[: len(letters("</think>"))]


def test_a_fork_goes_on_by_itself(compiler: GrammarCompiler) -> None:
    found = matcher(compiler, "qwen3", "<think>", choice=["yes"])
    found.take(letters("hm</thi"))
    other = found.copy()
    assert found.take(letters("nk>")) is None and other.take(letters("s")) is None
    assert allowed(found)[0] != allowed(other)[0]
    assert other.take(letters("</think>yes")) == 11


def test_a_budget_closes_thoughts(compiler: GrammarCompiler) -> None:
    found = matcher(compiler, "qwen3", "<think>", budget=3, choice=["yes"])
    found.take(encode("a b c")[:3])
    closing, forced = found.drafts((), 99)
    assert forced and PLAIN.decode(list(closing)) == "</think>"
    for token in closing:
        assert allowed(found)[0] == {token}
        found.take([token])
    assert encode("yes")[0] in allowed(found)[0]


@pytest.mark.parametrize("prompt", ["x", "x<think>\n", "x<think>\n\n</think>\n\n", "<think> and </think> and so"])
def test_the_end_of_the_prompt_tells(compiler: GrammarCompiler, prompt: str) -> None:
    grammar = compiler.guide("a", YES, PARSERS["qwen3"], None, encode(prompt))
    assert grammar is not None
    ends_closed, ends_open = prompt.rstrip().endswith("</think>"), prompt.rstrip().endswith("<think>")
    assert (grammar.thoughts is None) == ends_closed
    first = allowed(grammar.matcher(ends=True))[0]
    assert (encode("(")[0] in first) == ends_open and encode("yes")[0] in first


# --- An engine ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speculates", [False, True])
@pytest.mark.parametrize("name", ["qwen3", "mistral", "granite", "plain"])
def test_every_answer_behind_thoughts_is_valid(name: str, speculates: bool) -> None:
    running = llm(speculates, plain=name == "plain")
    parser = "qwen3" if name == "plain" else name
    delimiters = PARSERS[parser]
    thoughts = ended = 0
    for opened in (False, True):
        prompt = f"def f():{delimiters.open[0] if opened else ''}"
        for budget in (None, 0, 7):
            given = {"thinking_token_budget": budget, "n": 2}
            outputs = completions(prompt, asking(parser, structured_outputs=YES, **given), running)
            options = {"json": SCHEMA, "disable_any_whitespace": True}
            outputs += completions(prompt, asking(parser, structured_outputs=options, **given), running)
            for place, each in enumerate(outputs):
                thought, answer = parts(each.text, delimiters, opened=opened)
                assert each.error is None
                if budget is not None and thought is not None:
                    assert len(TOKENIZER.encode(thought, add_special_tokens=False)) <= 2 * budget
                thoughts += thought is not None
                if each.finish_reason == "stop":
                    ended += 1
                    if place < 2:
                        assert answer in ("yes", "no")
                    else:
                        assert isinstance(json.loads(answer)["a"], bool)
    assert thoughts >= 12 and ended >= 16


def test_the_same_text_however_it_is_scheduled() -> None:
    """Preempted and computed again, with drafts or cached prefixes, alone or beside others."""
    params = [
        asking(
            seed=seed, structured_outputs={"json": SCHEMA, "disable_any_whitespace": True}, n=2, thinking_token_budget=9
        )
        for seed in range(6)
    ]
    prompt = "def main():\n    return 1\n<think>"

    def texts(running: LLM) -> list[list[str]]:
        outputs = running.generate([prompt] * len(params), params, use_tqdm=False)
        running.engine.check()
        return [[each.text for each in output.outputs] for output in outputs]

    expected = [[each.text for each in completions(prompt, each, llm())] for each in params]
    assert texts(llm()) == expected
    assert texts(llm(True)) == expected
    small = llm(num_blocks=24, block_size=4, max_num_seqs=12)
    assert texts(small) == expected and small.engine.stats().num_preemptions > 0
    assert texts(llm(enable_prefix_caching=False)) == expected


def test_a_budget_alone_leaves_the_answer_free() -> None:
    for speculates in (False, True):
        running = llm(speculates)
        for opened in ("", "<think>"):
            for each in completions(f"x{opened}", asking(thinking_token_budget=4, n=4, ignore_eos=True), running):
                thought, _ = parts(each.text, PARSERS["qwen3"], opened=bool(opened))
                assert each.finish_reason == "length" and len(each.token_ids) == 120
                assert thought is None or len(TOKENIZER.encode(thought, add_special_tokens=False)) <= 8


def test_what_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"there is no parser 'qwen', only .*did you mean"):
        SamplingParams(reasoning="qwen")
    with pytest.raises(ConfigError, match="open is '', expected one text or several"):
        SamplingParams(reasoning={"open": "", "close": "x"})
    with pytest.raises(ConfigError, match="thinking_token_budget is -2, expected an integer of 0 or more"):
        SamplingParams(thinking_token_budget=-2)
    with pytest.raises(RequestError, match="thinking_token_budget is 3, and reasoning is None"):
        llm().generate(["x"], SamplingParams(thinking_token_budget=3), use_tqdm=False)
    assert SamplingParams(thinking_token_budget=-1).thinking_token_budget is None
    own = SamplingParams(reasoning={"open": "(", "close": [")"]}).reasoning
    assert own == ReasoningDelimiters(("(",), (")",))
