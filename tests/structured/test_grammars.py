"""Grammars: compilation and allowed tokens; refusals, their time limits, and their errors."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from transformers import AutoTokenizer

from tests.models import STDLIB_LM
from torchpaged.errors import MissingPackageError, RequestError
from torchpaged.structured.grammars import GrammarCompiler, closed
from torchpaged.structured.matcher import MaskFiller, MaskRequest, Matcher
from torchpaged.structured.trial import Trial
from torchpaged.structured_outputs import StructuredOutputsParams

pytest.importorskip("llguidance", reason="llguidance is not installed")

END = 0
TOKENIZER = AutoTokenizer.from_pretrained(STDLIB_LM)


@pytest.fixture(scope="module")
def compiler() -> Iterator[GrammarCompiler]:
    made = GrammarCompiler(TOKENIZER, [END], len(TOKENIZER))
    yield made
    made.close()


def of(compiler: GrammarCompiler, *, ends: bool = True, **given: Any) -> Matcher:
    """Return a matcher of the given grammar."""
    return compiler.compile("request 'a'", StructuredOutputsParams(**given)).matcher(ends=ends)


def allowed(matcher: Matcher, drafts: tuple[int, ...] = ()) -> list[set[int]]:
    """Return the tokens that may follow the text, and each draft."""
    masks = MaskFiller().fill([MaskRequest(1, matcher, drafts)])[1]
    assert not isinstance(masks, str), masks
    return [{token for token in range(len(TOKENIZER)) if row[token // 32] >> token % 32 & 1} for row in masks]


def tokens(text: str) -> list[int]:
    """Return the token ids of a text."""
    return list(TOKENIZER.encode(text, add_special_tokens=False))


def spells(compiler: GrammarCompiler, text: str, **given: Any) -> bool:
    """Return whether all of a text is allowed, and its end after it."""
    matcher = of(compiler, **given)
    for token in tokens(text):
        if token not in allowed(matcher)[0]:
            return False
        if (used := matcher.take([token])) is not None:
            return used == 1 and token == tokens(text)[-1]
    return END in allowed(matcher)[0]


PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}
TAG = {"triggers": ["<f"], "structures": [{"begin": "<f=x>", "schema": PERSON, "end": "</f>"}]}
ADA = '{"name": "Ada", "age": 36}'


@pytest.mark.parametrize(
    ("given", "right", "wrong"),
    [
        ({"json": PERSON}, ADA, '{"name": "Ada"}'),
        ({"json": json.dumps(PERSON)}, ADA, '{"name": 3, "age": 36}'),
        ({"json": PERSON, "disable_any_whitespace": True}, '{"name":"Ada","age":36}', ADA),
        ({"json": PERSON}, '{"name": "Ada", "age": 36, "x": 1}', "{}"),
        (
            {"json": PERSON, "disable_additional_properties": True},
            '{"name":  "Ada",\n"age": 36}',
            '{"name": "Ada", "age": 36, "x": 1}',
        ),
        ({"json": PERSON, "whitespace_pattern": "~?"}, '{"name":~"Ada","age":~36}', ADA),
        ({"json": PERSON}, f'{{"name":"Ada","age":\n{" " * 19}36}}', f'{{"name":"Ada","age":\n{" " * 20}36}}'),
        ({"json_object": True}, '{"a": [1, {"b": null}]}', "[1]"),
        ({"regex": r"\d{3}-[a-f]+"}, "123-fade", "12-fade"),
        ({"choice": ["yes", "yes, sir", "no"]}, "yes", "ye"),
        ({"choice": ["yes", "yes, sir", "no"]}, "yes, sir", "yes, madam"),
        ({"choice": ['a "b"\n', "\\é😀"]}, "\\é😀", "a b"),
        ({"grammar": 'start: "a" x\nx: "b"+ | "c"'}, "abb", "abc"),
        ({"grammar": 'root ::= "a" x\nx ::= "b"+ | "c"'}, "abb", "abc"),
        ({"structural_tag": TAG}, f"so <f=x>{ADA}</f> it is", "so <f=y>"),
    ],
)
def test_what_a_text_may_be(compiler: GrammarCompiler, given: dict[str, Any], right: str, wrong: str) -> None:
    assert spells(compiler, right, **given)
    assert not spells(compiler, wrong, **given)


# By its name, what is wrong, and what must be said of it.
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "type": ({"json": {"type": "sock"}}, "structured_outputs has the json .*sock.*, which is not possible: "),
    "ref": ({"json": {"$ref": "#/$defs/x"}}, "'/\\$defs/x' does not exist"),
    "elsewhere": ({"json": {"$ref": "http://127.0.0.1:1/x"}}, "does not fetch"),
    "keyword": ({"json": {"type": "array", "uniqueItems": True}}, "Unimplemented keys: ..uniqueItems"),
    "nobody": ({"json": {"allOf": [{"type": "string"}, {"type": "null"}]}}, "nsatisfiable"),
    "nothing": ({"regex": "[^\\s\\S]"}, "no text matches it$"),
    "itself": ({"json": {"$ref": "#"}}, "no text matches it$"),
    "no text": ({"choice": ["\ud800"]}, r'the choice \["\\ud800"\], which is not possible: .*surrogates not allowed'),
    "regex": ({"regex": "(a"}, "the regex \\(a, .*unclosed group"),
    "look-around": ({"regex": "a(?=b)b"}, "look-around"),
    "grammar": ({"grammar": "start: x"}, 'unknown name: "x"'),
    "no grammar": ({"grammar": "tell me a joke"}, "the grammar tell me a joke"),
}


@pytest.mark.parametrize(("given", "message"), WRONG.values(), ids=WRONG)
def test_what_cannot_be(compiler: GrammarCompiler, given: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=f"^request 'a': (.|\n)*{message}"):
        of(compiler, **given)
    assert of(compiler, choice=["yes"])


def nest(of: str, depth: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {of: schema}, "required": [of]}
    return schema


REFS: dict[str, Any] = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(30)}
BOMBS: dict[str, dict[str, Any]] = {
    "multiple": {"json": {"type": "integer", "multipleOf": 1_000_003}},
    "enum": {"json": {"enum": [f"{i * 7919 % 1_000_003}" for i in range(20_000)]}},
    "long enum": {"json": {"enum": ["x" * 100_000, "y" * 100_000]}},
    "repeated": {"regex": "a{1,100000}{1,100000}"},
    "far": {"regex": "(.*a.{1000})|(.*b.{1000})"},
    "many": {"regex": "|".join(f"w{i}.*x{i}" for i in range(1000))},
    "nested": {"json": nest("a", 20)},
    "circle": {"json": {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}},
    "products": {"json": {"allOf": [{"anyOf": [nest(f"{i}{j}", 1) for j in range(6)]} for i in range(8)]}},
    "doubled": {"json": {"$defs": {**REFS, "d30": {"type": "string"}}, "$ref": "#/$defs/d0"}},
    "long": {"json": {"type": "string", "minLength": 1_000_000}},
    "optional": {"json": {"type": "object", "properties": {f"p{i}": {} for i in range(2000)}}},
    "ambiguous": {"grammar": 'start: s\ns: s s | s s s | "a" | ""'},
    "all": {"grammar": "start: T\nT: " + " & ".join(f"/(.*a.{{{i}}}b.*)/" for i in range(1, 12))},
    "alternatives": {"grammar": "start: " + " | ".join(f'"k{i}" "e"' for i in range(5000))},
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_time_or_harmless(bombed: GrammarCompiler, name: str) -> None:
    """No timing is asserted: a grammar that compiles did so within the limit, in the other process."""
    try:
        matcher = of(bombed, **BOMBS[name])
    except RequestError as error:
        assert "which is not possible: " in str(error) and len(str(error)) < 1000
    else:
        for _ in range(4):
            found = MaskFiller().fill([MaskRequest(1, matcher)])[1]
            if isinstance(found, str):
                assert "cannot be followed any further" in found
                break
            token = next(token for token in range(len(TOKENIZER)) if found[0][token // 32] >> token % 32 & 1)
            if matcher.take([token]) is not None:
                break
    assert of(bombed, choice=["yes"])


@pytest.fixture(scope="module")
def bombed() -> Iterator[GrammarCompiler]:
    made = GrammarCompiler(TOKENIZER, [END], len(TOKENIZER), seconds=60)
    of(made, choice=["yes"])  # which is kept, however short the time is for others
    made.seconds = 0.4
    yield made
    made.close()


def test_what_takes_too_long_is_refused_by_the_limit_and_asked_once(
    bombed: GrammarCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = StructuredOutputsParams(json={"type": "integer", "multipleOf": 1_000_033})
    with pytest.raises(RequestError, match=r"takes more than 0\.4 seconds to compile; make it smaller"):
        bombed.compile("a", bomb)
    assert bombed.knows(bomb)
    monkeypatch.setattr(Trial, "fault_of", None)  # it is not tried again
    with pytest.raises(RequestError, match=r"takes more than 0\.4 seconds"):
        bombed.compile("b", bomb)


def test_another_process_that_dies_is_started_again() -> None:
    compiler = GrammarCompiler(TOKENIZER, [END], len(TOKENIZER))
    of(compiler, choice=["a"])
    assert compiler._made is not None
    process = compiler._made[2]._process
    assert process is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # for all of a service: requests may end
        process.send_signal(number)
    of(compiler, choice=["c"])
    assert compiler._made[2]._process is process
    process.kill()
    process.wait()
    of(compiler, choice=["b"])
    assert compiler._made[2]._process is not process
    compiler.close()


_CHAINS = """
import threading
from tests.structured.test_grammars import END, TOKENIZER, chain, of
from torchpaged.errors import RequestError
from torchpaged.structured.grammars import GrammarCompiler

def compile():
    for length in (600, 1000, 9000):
        try:
            print(length, of(compiler, grammar=chain(length)).drafts((), 1)[1], flush=True)
        except RequestError as error:
            print(length, str(error)[-30:], flush=True)

compiler = GrammarCompiler(TOKENIZER, [END], len(TOKENIZER))
threading.stack_size(1 << 20)
thread = threading.Thread(target=compile)
thread.start()
thread.join()
compiler.close()
"""


def chain(length: int) -> str:
    """Return a grammar whose rules each name the next one."""
    rules = "\n".join(f'r{place}: "a" r{place + 1} | "b"' for place in range(length))
    return f'start: r0\n{rules}\nr{length}: "c"'


@pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY, reason="ulimit -s has a hard limit here"
)
def test_rules_nest_as_deeply_as_the_stack_of_who_compiles_them() -> None:
    """Even if the main thread's stack has no limit, the trial refuses rules that would crash the engine's process."""
    command = ["bash", "-c", 'ulimit -s unlimited && exec "$0" -c "$1"', sys.executable, _CHAINS]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    said = done.stdout.splitlines()
    assert done.returncode == 0 and len(said) == 3, done.stderr[-2000:]
    assert said[:2] == ["600 False", "1000 False"]
    assert said[2].endswith(("too deeply; make it flatter", "make it smaller"))


def test_threads_compile_a_grammar_once(compiler: GrammarCompiler) -> None:
    params = StructuredOutputsParams(regex="[a-z]{7}")
    assert not compiler.knows(params)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(compiler.compile("a", params))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len({id(each) for each in found}) == 1 and compiler.knows(params)


def test_drafts_have_masks_of_their_own_and_change_nothing(compiler: GrammarCompiler) -> None:
    matcher = of(compiler, regex="ab?c")
    a, b, c = (tokens(letter)[0] for letter in "abc")
    alone = allowed(matcher)
    first, second, third, fourth = allowed(matcher, (a, b, c))
    assert first == alone[0] and a in first and {b, c} <= second and b not in third and c in third
    assert len(fourth) == len(TOKENIZER), "nothing but the end is left, and whatever is drawn is none of the text"
    assert allowed(matcher) == alone


def test_what_must_follow_is_a_draft_and_a_guess_as_far_as_it_goes(compiler: GrammarCompiler) -> None:
    matcher = of(compiler, regex="abcdefgh[0-9]+;")
    forced, sure = matcher.drafts((), 7)
    assert sure and "abcdefgh".startswith(TOKENIZER.decode(forced)) and forced
    guess = tokens("abcdefgh12x")
    held, sure = matcher.drafts(guess, 7)
    assert not sure and list(held) == guess[:-1]
    assert matcher.drafts(tokens("zzz"), 7) == (forced, True)


@pytest.mark.parametrize(
    ("drawn", "used"),
    [(["a", "b"], None), (["a", "b", "c"], 3), (["a", "c", END], 2), (["a", "c", "a", "a"], 2)],
)
def test_a_text_ends_where_its_grammar_does(compiler: GrammarCompiler, drawn: list[Any], used: int | None) -> None:
    matcher = of(compiler, regex="ab?c")
    assert matcher.take([token if token == END else tokens(token)[0] for token in drawn]) == used


def test_a_token_that_no_mask_has_is_no_end(compiler: GrammarCompiler) -> None:
    with pytest.raises(RequestError, match="its structured_outputs do not allow token"):
        of(compiler, regex="ab?c").take(tokens("a") + tokens("x"))


def test_an_end_by_choice_belongs_to_the_text(compiler: GrammarCompiler) -> None:
    a = tokens("a")[0]
    assert of(compiler, regex="a+").take([a, END]) == 2
    assert END in allowed(of(compiler, regex="a*"))[0]
    assert END not in allowed(of(compiler, regex="a*", ends=False))[0]


def test_forks_go_their_own_ways(compiler: GrammarCompiler) -> None:
    matcher = of(compiler, regex="[ab]1|c2")
    fork = matcher.copy()
    matcher.take(tokens("a"))
    fork.take(tokens("c"))
    assert matcher.drafts((), 3)[0] == tokens("1") and fork.drafts((), 3)[0] == tokens("2")


def test_a_tokenizer_that_is_none(compiler: GrammarCompiler) -> None:
    slow = GrammarCompiler(object(), [END], 32)
    with pytest.raises(RequestError, match=r"^a: .*object is not a fast tokenizer"):
        slow.compile("a", StructuredOutputsParams(json_object=True))


def test_without_llguidance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "llguidance", None)
    compiler = GrammarCompiler(TOKENIZER, [END], len(TOKENIZER))
    with pytest.raises(MissingPackageError, match=r"need llguidance, .*pip install 'torchpaged\[structured\]'"):
        compiler.compile("a", StructuredOutputsParams(json_object=True))


def test_closed_schemas_name_all_that_they_have() -> None:
    open_schema = {"anyOf": [PERSON, {"type": "object", "additionalProperties": {"properties": {}}}]}
    person, other = closed(open_schema)["anyOf"]
    assert person["additionalProperties"] is False and "additionalProperties" not in PERSON
    assert other["additionalProperties"] == {"properties": {}, "additionalProperties": False}
