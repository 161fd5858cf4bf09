"""FastTokenizer: a record gives what transformers' tokenizer gives, without transformers."""

from __future__ import annotations

import copy
import functools
import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoTokenizer, CLIPTokenizer, PreTrainedTokenizerFast
from transformers.models.whisper import WhisperTokenizer
from transformers.utils.chat_template_utils import _compile_jinja_template

from tests.examples import examples
from tests.models import STDLIB_LM
from tests.models.chat_templates import TEMPLATES
from tests.models.tokenizer_kinds import KINDS, byte_level, sentencepiece, unigram
from torchpaged.models import chat_template
from torchpaged.models.fast_tokenizer import FastTokenizer, record, transformers_tokenizer
from torchpaged.models.tokenizer import load_tokenizer

pytestmark = pytest.mark.filterwarnings("ignore:`max_length` is ignored")


class AskedError(Exception):
    """A call that is left to transformers."""


def refuse() -> Any:
    """Stand in for the loading of transformers' tokenizer."""
    raise AskedError


def fast_of(tokenizer: Any, make: Callable[[], Any] = refuse) -> FastTokenizer:
    """Return a tokenizer's double, from a record that was written as JSON."""
    made = record(tokenizer)
    assert made is not None
    return FastTokenizer(json.loads(json.dumps(made)), make)


@functools.cache
def pair(kind: str) -> tuple[FastTokenizer, Any]:
    """Return (FastTokenizer, transformers' tokenizer)."""
    own = load_tokenizer(STDLIB_LM) if kind == "stdlib-lm" else KINDS[kind]()
    return fast_of(own), own


def answer(ask: Callable[[], Any]) -> Any:
    """Return a result, or an error as a value."""
    try:
        return ask()
    except AskedError:
        raise
    except Exception as error:
        return type(error), str(error)


ALL = ("stdlib-lm", *KINDS)
PIECES = [
    *("a", "Z", "3", " ", "  ", "\n", "\t", ".", " 's", " n't", "it 's", "<", "|", ">", "\u0000", "\u00a0", "\u200d"),
    *("é", "e\u0301", "né", "word", "words", "你", "🙂", "\u2581", "Ġ", "ﬁ", "<0x41>", "def f(x):\n", "\udfff"),
    *("<|end|>", "<|start|>", "<tool>", " <tool> ", "<s>", "</s>", "<unk>", "[MASK]", "<extra_id_0>", "<|endoftext|>"),
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=25).map("".join)
options_of_texts = st.fixed_dictionaries(
    {},
    optional={
        "add_special_tokens": st.booleans(),
        "truncation": st.sampled_from([True, False, None, "longest_first", "do_not_truncate"]),
        "max_length": st.sampled_from([None, 3, 4, 5, 8, 30]),
        "return_attention_mask": st.sampled_from([True, False, None]),
        "return_token_type_ids": st.sampled_from([True, False, None]),
        "verbose": st.booleans(),
        "padding": st.just(False),
        "return_tensors": st.none(),
    },
)


@given(st.sampled_from(ALL), texts, options_of_texts)
@examples(70)
def test_texts_give_the_same_tokens(kind: str, text: str, options: dict[str, Any]) -> None:
    fast, own = pair(kind)
    found = answer(lambda: fast(text, **options))
    wanted = answer(lambda: dict(own(text, **options)))
    assert found == wanted and list(found) == list(wanted)
    assert answer(lambda: fast.encode(text, **options)) == answer(lambda: own.encode(text, **options))


@given(st.sampled_from(ALL), st.data())
@examples(70)
def test_tokens_give_the_same_text(kind: str, data: st.DataObject) -> None:
    fast, own = pair(kind)
    ids = data.draw(
        st.one_of(
            st.integers(0, len(own) - 1),
            st.lists(st.integers(0, len(own) + 2), max_size=30),
            texts.filter(lambda text: "\udfff" not in text).map(own.encode),
        )
    )
    options = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "skip_special_tokens": st.booleans(),
                "clean_up_tokenization_spaces": st.sampled_from([True, False, None]),
                "spaces_between_special_tokens": st.booleans(),
            },
        )
    )
    assert answer(lambda: fast.decode(ids, **options)) == answer(lambda: own.decode(ids, **options))
    skip = bool(options.get("skip_special_tokens"))
    names = own.convert_ids_to_tokens(ids, skip_special_tokens=skip)
    assert fast.convert_ids_to_tokens(ids, skip_special_tokens=skip) == names
    some = [name for name in ([names] if isinstance(names, str) else names) if name is not None]
    assert fast.convert_tokens_to_ids([*some, "no token"]) == own.convert_tokens_to_ids([*some, "no token"])
    assert fast.convert_tokens_to_ids("no token") == own.convert_tokens_to_ids("no token")


def test_tokens_in_other_containers() -> None:
    fast, own = pair("byte-level")
    ids = own.encode("import é")
    for given_ in (tuple(ids), torch.tensor(ids), np.array(ids), torch.tensor(ids[3]), np.int64(ids[3]), [], ()):
        assert fast.decode(given_) == own.decode(given_)
    for given_ in ([ids, ids], torch.tensor([ids]), {"input_ids": ids}, "text", [1.5], [-1], None):
        with pytest.raises(AskedError) if given_ != [-1] else pytest.raises(OverflowError):  # type: ignore[comparison-overlap]
            fast.decode(given_)
        assert answer(lambda given_=given_: fast_of(own, lambda: own).decode(given_)) == answer(
            lambda given_=given_: own.decode(given_)
        )


@pytest.mark.parametrize("kind", ALL)
def test_attributes(kind: str) -> None:
    fast, own = pair(kind)
    own("")  # transformers' first call drops a file's truncation
    for name in own.SPECIAL_TOKENS_ATTRIBUTES:
        assert getattr(fast, name) == getattr(own, name) and getattr(fast, f"{name}_id") == getattr(own, f"{name}_id")
    for name in (
        "all_special_ids",
        "all_special_tokens",
        "special_tokens_map",
        "vocab_size",
        "name_or_path",
        "is_fast",
    ):
        assert getattr(fast, name) == getattr(own, name), name
    for name in ("chat_template", "response_template", "model_max_length", "truncation_side", "padding_side"):
        assert getattr(fast, name) == getattr(own, name), name
    assert repr(fast.init_kwargs) == repr(own.init_kwargs)
    assert len(fast) == len(own) and bool(fast) and fast.get_vocab() == own.get_vocab()
    assert repr(sorted(fast.added_tokens_decoder.items())) == repr(sorted(own.added_tokens_decoder.items()))
    assert json.loads(fast.backend_tokenizer.to_str()) == json.loads(own.backend_tokenizer.to_str())
    assert fast.class_name == type(own).__name__ and type(own).__name__ in repr(fast) and not fast.is_loaded


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"padding": True}, "pads"),
        ({"return_tensors": "pt"}, "tensors"),
        ({"return_offsets_mapping": True}, "offsets"),
        ({"text_pair": "b"}, "pairs"),
        ({"truncation": "only_second"}, "pairs"),
        ({"max_length": 1}, "less than the special tokens"),
        ({"max_length": -1}, "less than none"),
        ({"split_special_tokens": True}, "changes the backend"),
        ({"no_such_option": 1}, "unknown"),
    ],
)
def test_what_else_there_is_goes_to_transformers(options: dict[str, Any], reason: str) -> None:
    own = byte_level()
    with pytest.raises(AskedError):
        fast_of(own)("a", **options)
    fast = fast_of(own, lambda: own)
    assert str(answer(lambda: fast("a", **options))) == str(answer(lambda: own("a", **options))), reason
    assert fast.is_loaded
    for ask in (lambda each: each(["a", "b"]), lambda each: each("a", "b"), lambda each: each(None)):
        found = answer(functools.partial(ask, fast_of(own, lambda: own)))
        assert str(found) == str(answer(functools.partial(ask, own)))
        with pytest.raises(AskedError):
            ask(fast_of(own))


def test_transformers_is_loaded_once_and_answers_from_then_on() -> None:
    made = []

    def make() -> Any:
        made.append(byte_level(chat_template="{{ bos_token }}"))
        return made[-1]

    fast = fast_of(make(), make)
    made.clear()
    assert fast("a")["input_ids"] and not fast.is_loaded
    assert not hasattr(fast, "__array__") and not fast.is_loaded, "protocols are not asked of it"
    with ThreadPoolExecutor(8) as threads:
        assert len({id(each) for each in threads.map(lambda _: fast.full, range(50))}) == 1
    (own,) = made
    assert transformers_tokenizer(fast) is own and transformers_tokenizer(own) is own
    assert transformers_tokenizer(None) is None
    # What a user changes counts.
    own.add_tokens(["zebra"])
    own.chat_template = "changed"
    own.pad_token = "zebra"
    assert fast("zebra")["input_ids"] == own("zebra")["input_ids"] and fast.pad_token_id == own.pad_token_id
    assert fast.apply_chat_template([{"role": "user", "content": ""}], tokenize=False) == "changed"
    assert len(fast) == len(own) and fast.get_vocab() == own.get_vocab()
    assert fast.convert_tokens_to_ids("zebra") == fast.convert_tokens_to_ids(["zebra"])[0] == own.pad_token_id
    assert fast.decode([own.pad_token_id]) == fast.convert_ids_to_tokens(own.pad_token_id) == "zebra"
    assert fast.backend_tokenizer is own.backend_tokenizer and own.pad_token_id in fast.added_tokens_decoder


def test_attributes_are_set_in_transformers_tokenizer() -> None:
    fast = fast_of(byte_level(), byte_level)
    fast.chat_template = "{{ eos_token }}"
    assert fast.full.chat_template == fast.chat_template == "{{ eos_token }}"
    with pytest.raises(AttributeError):
        fast.no_such_attribute  # noqa: B018


def test_a_loading_that_fails_is_told() -> None:
    fast = fast_of(byte_level(), lambda: fast.class_name.nothing)
    for ask in (lambda: fast.full, lambda: fast(["a"]), lambda: fast.tokenize("a")):
        with pytest.raises(AttributeError):
            ask()
    assert fast("a")["input_ids"] == byte_level()("a")["input_ids"]


@dataclass
class Maker:
    """Loads a tokenizer; picklable."""

    path: str

    def __call__(self) -> Any:
        return AutoTokenizer.from_pretrained(self.path)


def test_copies_share_the_vocabulary_and_nothing_else() -> None:
    fast = fast_of(load_tokenizer(STDLIB_LM), Maker(str(STDLIB_LM)))
    one, other = copy.deepcopy(fast), pickle.loads(pickle.dumps(fast))
    assert one.backend_tokenizer is fast.backend_tokenizer and other.backend_tokenizer is not fast.backend_tokenizer
    one.chat_template = "{{ 'mine' }}"
    assert one.is_loaded and not fast.is_loaded and fast.chat_template != one.chat_template
    for each in (fast, one, other, copy.deepcopy(one), pickle.loads(pickle.dumps(one)), copy.copy(fast)):
        assert each("import os")["input_ids"] == fast("import os")["input_ids"]
        assert each.is_loaded is (each.chat_template == "{{ 'mine' }}")
    assert other.full.chat_template == fast.chat_template


def test_threads_share_a_vocabulary() -> None:
    fast, own = pair("stdlib-lm")
    pieces = [f"def f{i}(x):\n    return x + {i} 🙂\n" * (i + 1) for i in range(20)]
    wanted = [own(text)["input_ids"] for text in pieces]

    def work(number: int) -> bool:
        mine = copy.deepcopy(fast)
        for _ in range(20):
            cut = mine(pieces[number], truncation=True, max_length=5)["input_ids"]
            if mine(pieces[number])["input_ids"] != wanted[number] or cut != wanted[number][:5]:
                return False
            if mine.decode(wanted[number]) != pieces[number]:
                return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(20)))


def test_a_vocabulary_is_read_beside_other_work() -> None:
    fast = fast_of(byte_level())
    fast.prefetch()
    assert fast("a")["input_ids"] == byte_level()("a")["input_ids"]
    broken = FastTokenizer({**(record(byte_level()) or {}), "backend": "{"}, refuse)
    failures: list[Any] = []
    hook, threading.excepthook = threading.excepthook, failures.append
    try:
        broken.prefetch()
        for thread in threading.enumerate():
            if thread.name == "torchpaged-vocabulary":
                thread.join()
    finally:
        threading.excepthook = hook
    assert not failures
    with pytest.raises(Exception, match="EOF"):
        broken("a")


# --- Chat templates ------------------------------------------------------------------------------------------

CALL = {"type": "function", "function": {"name": "f", "arguments": {"é": [1, 2.5, None, {"x": True}]}}}
TOOL = {"type": "function", "function": {"name": "f", "description": "é<&>", "parameters": {"type": "object"}}}
contents = st.sampled_from(
    ["", "hi", " hi ", "é<&>\n", "<think>a</think>b", "a\n\n", "{{ x }}", "CONTINUE_FINAL_MESSAGE_TAG"]
)
parts = st.lists(
    st.one_of(contents.map(lambda text: {"type": "text", "text": text}), st.just({"type": "image"}), st.just("text")),
    max_size=3,
)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "system", "tool"]),
        "content": st.one_of(contents, contents, parts, st.none()),
    },
    optional={
        "reasoning_content": st.one_of(contents, st.none()),
        "thinking": contents,
        "reasoning": contents,
        "tool_calls": st.sampled_from([None, [], [CALL], [CALL, CALL]]),
    },
)
options_of_chats = st.fixed_dictionaries(
    {},
    optional={
        "add_generation_prompt": st.booleans(),
        "tools": st.sampled_from([None, [], [TOOL], [TOOL, TOOL]]),
        "documents": st.sampled_from([None, [], [{"title": "é", "text": "x"}]]),
        "enable_thinking": st.booleans(),
        "date_string": st.just("today"),
        "bos_token": st.just("<other>"),
        "word": st.sampled_from(["w", None, [1, {"é": (2,)}]]),
        "chat_template": st.sampled_from([None, TEMPLATES["reasoning"], "{{ messages[0].content }}"]),
    },
)


@functools.cache
def chatting(name: str) -> tuple[FastTokenizer, Any]:
    """Return (FastTokenizer that loads the other, transformers' tokenizer) with a template, or with all by name."""
    template: Any = TEMPLATES.get(name)
    if name == "several":
        template = [{"name": each, "template": text} for each, text in TEMPLATES.items()]
        template += [{"name": "default", "template": "default"}, {"name": "tool_use", "template": "{{ tools }}"}]
    own = byte_level(chat_template=template, image_token="<tool>")
    return fast_of(own), own


@given(st.sampled_from([*TEMPLATES, "several"]), st.lists(messages, min_size=1, max_size=4), options_of_chats)
@examples(80)
def test_conversations_give_the_same_prompt(name: str, chat: list[dict[str, Any]], options: dict[str, Any]) -> None:
    fast, own = chatting(name)
    wanted = answer(lambda: own.apply_chat_template(chat, tokenize=False, **options))
    try:
        found = answer(lambda: fast.apply_chat_template(chat, tokenize=False, **options))
    except AskedError:
        assert isinstance(wanted, tuple), "only errors that transformers words are left to it"
        return
    assert found == wanted


@given(
    st.sampled_from(["chatml", "reasoning", "trimmed", "parts and macros", "without messages", "generation blocks"]),
    st.lists(messages, min_size=1, max_size=3),
    st.sampled_from([True, "content", "reasoning_content", "thinking", "reasoning", "role", "nothing"]),
)
@examples(80)
def test_messages_are_left_open_as_by_transformers(name: str, chat: list[dict[str, Any]], field: Any) -> None:
    fast, own = chatting(name)
    before = copy.deepcopy(chat)
    wanted = answer(lambda: own.apply_chat_template(chat, tokenize=False, continue_final_message=field))
    try:
        found = answer(lambda: fast.apply_chat_template(chat, tokenize=False, continue_final_message=field))
    except AskedError:
        assert isinstance(wanted, tuple) or not all(isinstance(each, dict) for each in chat[-1]["content"])
        return
    assert found == wanted and chat == before


def test_templates_have_what_transformers_gives_them() -> None:
    """If a later version gives them more, this names it."""
    theirs, mine = _compile_jinja_template("").environment, chat_template._environment()
    for name in ("filters", "tests", "globals", "policies"):
        assert getattr(theirs, name).keys() == getattr(mine, name).keys(), name
    tags = [{tag for each in env.extensions.values() for tag in each.tags} for env in (theirs, mine)]
    assert tags[0] == tags[1]
    for name in ("trim_blocks", "lstrip_blocks", "keep_trailing_newline", "newline_sequence", "undefined", "finalize"):
        assert getattr(theirs, name) == getattr(mine, name), name
    assert type(theirs) is type(mine) and theirs.autoescape is mine.autoescape is False
    assert theirs.filters["tojson"].__defaults__ == mine.filters["tojson"].__defaults__
    kept = [name for name in mine.globals if mine.globals[name] is theirs.globals[name]]
    assert sorted(mine.globals.keys() - set(kept)) == ["dict", "namespace", "raise_exception", "strftime_now"]
    assert [name for name in mine.filters if mine.filters[name] is not theirs.filters[name]] == ["tojson"]


def test_values_without_an_end_are_left_to_transformers() -> None:
    endless: dict[str, Any] = {"role": "user", "content": "a"}
    endless["tool_calls"] = [endless]
    with pytest.raises(AskedError):
        chatting("chatml")[0].apply_chat_template([endless], tokenize=False)


def test_templates_by_name() -> None:
    fast, own = chatting("several")
    for options in ({}, {"tools": [TOOL]}, {"chat_template": "chatml"}, {"chat_template": "chatml", "tools": [TOOL]}):
        given_ = {"tokenize": False, "add_generation_prompt": True, **options}
        chat = [{"role": "user", "content": "é"}]
        assert fast.apply_chat_template(chat, **given_) == own.apply_chat_template(chat, **given_)
    one = byte_level(chat_template=[{"name": "only", "template": "x"}])
    with pytest.raises(AskedError):
        fast_of(one).apply_chat_template([{"role": "user", "content": "é"}], tokenize=False)
    with pytest.raises(ValueError, match="multiple chat templates with no default"):
        fast_of(one, lambda: one).apply_chat_template([{"role": "user", "content": "é"}], tokenize=False)


def get_weather(city: str) -> str:
    """Tell the weather.

    Args:
        city: name of the city.
    """
    return city


@pytest.mark.parametrize(
    "options",
    [
        {"tools": [get_weather], "tokenize": False},
        {"tokenize": True, "return_dict": False},
        {"tokenize": False, "messages": 1},
        {"tokenize": False, "padding": True},
        {"tokenize": False, "word": b"bytes"},
        {"tokenize": False, "add_generation_prompt": True, "continue_final_message": True},
    ],
    ids=lambda options: " ".join(options),
)
def test_what_templates_are_not_rendered_with_here(options: dict[str, Any]) -> None:
    own = byte_level(chat_template=TEMPLATES["parts and macros"])
    chat = [{"role": "user", "content": "é"}]
    with pytest.raises(AskedError):
        fast_of(own).apply_chat_template(chat, **options)
    found = answer(lambda: fast_of(own, lambda: own).apply_chat_template(chat, **options))
    assert found == answer(lambda: own.apply_chat_template(chat, **options))


# --- Records -------------------------------------------------------------------------------------------------


def whisper() -> Any:
    """Return a tokenizer whose class decodes in its own way."""
    return WhisperTokenizer(vocab={"a": 0, "<|endoftext|>": 1}, merges=[])


def clip() -> Any:
    """Return a tokenizer with a method of its own in the backend."""
    return CLIPTokenizer(vocab={"a</w>": 0, "<|startoftext|>": 1, "<|endoftext|>": 2}, merges=[])


class Loud(PreTrainedTokenizerFast):  # type: ignore[misc]
    """A tokenizer as code of a checkpoint makes it."""

    def _encode_plus(self, text: Any, *args: Any, **options: Any) -> Any:
        return super()._encode_plus(text.upper(), *args, **options)


def loud() -> Any:
    """Return a tokenizer that encodes in its own way."""
    return Loud(tokenizer_object=byte_level().backend_tokenizer)


def patched() -> Any:
    """Return a tokenizer that was given a method."""
    made = byte_level()
    made.apply_chat_template = lambda *args, **options: "own"
    return made


class Words:
    """A pre-tokenizer in Python."""

    def pre_tokenize(self, text: Any) -> None:
        """Cut nothing."""


def in_python() -> Any:
    """Return a tokenizer that cannot be written."""
    made = byte_level()
    made.backend_tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Words())
    return made


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: object(), "object is not a fast tokenizer"),
        (whisper, "WhisperTokenizer has its own _decode, decode"),
        (clip, "CLIPTokenizer has its own backend_tokenizer.decode"),
        (loud, "Loud has its own _encode_plus"),
        (patched, "TokenizersBackend has its own apply_chat_template"),
        (in_python, "its vocabulary cannot be written: Custom PreTokenizer cannot be serialized"),
    ],
)
def test_what_cannot_be_recorded(make: Any, reason: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="torchpaged"):
        assert record(make()) is None
    assert reason in caplog.text


def test_a_tokenizer_that_fails_on_a_text_fails_from_its_record() -> None:
    made = Tokenizer(models.WordPiece({"a": 0}, unk_token="[UNK]"))
    own = PreTrainedTokenizerFast(tokenizer_object=made)
    fast = fast_of(own)
    assert fast("a")["input_ids"] == [0]
    with pytest.raises(Exception, match="WordPiece error: Missing"):
        fast("b")


def test_a_record_that_differs_is_none(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A later version of transformers may tokenize, decode or render in another way."""
    own = byte_level(chat_template="{{ messages[0].content }}")
    for name, reason in (("decode", "text"), ("__call__", "tokens"), ("apply_chat_template", "chat template")):
        with monkeypatch.context() as patch, caplog.at_level("INFO", logger="torchpaged"):
            answered = getattr(FastTokenizer, name)

            def other(self: Any, *args: Any, _answered: Any = answered, **options: Any) -> Any:
                found = _answered(self, *args, **options)
                return found + " " if isinstance(found, str) else {**found, "more": []}

            patch.setattr(FastTokenizer, name, other)
            assert record(own) is None
        assert f"its {reason} differs" in caplog.text


def test_scores_of_a_unigram_are_exact() -> None:
    """The library reads 1 score in 8 a step beside what it wrote."""
    scores = [("<unk>", 0.0), *((f"t{number}", -1 / (number + 3)) for number in range(1000))]
    own = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.Unigram(scores, unk_id=0)), unk_token="<unk>")
    own._tokenizer = Tokenizer(models.Unigram(scores, unk_id=0))  # copied by way of JSON before
    again = Tokenizer.from_str(own.backend_tokenizer.to_str())
    assert again.to_str() != own.backend_tokenizer.to_str(), "the reason for `exact_scores` is gone"
    made = record(own)
    assert made is not None and made["exact_scores"]
    assert fast_of(own).backend_tokenizer.to_str() == own.backend_tokenizer.to_str()
    trained = unigram()
    assert fast_of(trained).backend_tokenizer.to_str() == trained.backend_tokenizer.to_str()


def test_padding_and_truncation_of_a_file_are_not_kept(tmp_path: Path) -> None:
    """transformers sets them at each call, to none by default."""
    own = sentencepiece()
    own.backend_tokenizer.enable_truncation(3)
    own.backend_tokenizer.enable_padding(length=9)
    own.save_pretrained(tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    fast = fast_of(loaded)
    again = AutoTokenizer.from_pretrained(tmp_path)
    assert again.backend_tokenizer.truncation is not None
    assert fast("a b c d e f g")["input_ids"] == again("a b c d e f g")["input_ids"]
    assert fast.backend_tokenizer.truncation is None and fast.backend_tokenizer.padding is None


def test_other_processes_need_no_transformers(tmp_path: Path) -> None:
    (tmp_path / "record.json").write_text(json.dumps(record(byte_level(chat_template=TEMPLATES["tools and dates"]))))
    script = """
import json, sys, copy, pickle
sys.modules["torch"] = None  # as if it were not installed
import torchpaged
before = set(sys.modules)
from torchpaged.models.fast_tokenizer import FastTokenizer
fast = FastTokenizer(json.load(open(sys.argv[1])), list)
fast.prefetch()
fast = pickle.loads(pickle.dumps(copy.deepcopy(fast)))
ids = fast(" né <tool> x", truncation=True, max_length=5)["input_ids"]
text = fast.decode(fast.encode("import é"), skip_special_tokens=True)
chat = fast.apply_chat_template([{"role": "user", "content": "é"}], tokenize=False, date_string="x")
assert fast.eos_token_id is not None and fast.all_special_ids and fast.get_vocab() and len(fast) and fast.chat_template
assert fast.init_kwargs and fast.added_tokens_decoder and fast.convert_ids_to_tokens(ids)
later = {name.split(".")[0] for name in sys.modules if name not in before}
found = ["numpy"] * ("numpy" in later) + ["transformers"] * ("transformers" in sys.modules)
print(json.dumps([ids, text, chat, found]))
"""
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "record.json")], capture_output=True, text=True, check=True
    )
    ids, text, chat, found = json.loads(run.stdout)
    own = byte_level(chat_template=TEMPLATES["tools and dates"])
    assert ids == own(" né <tool> x", truncation=True, max_length=5)["input_ids"] and text == "import é"
    assert chat == own.apply_chat_template([{"role": "user", "content": "é"}], tokenize=False, date_string="x")
    assert not found


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Keep transformers' warnings about options of tests out of the log."""
    import transformers

    level = transformers.logging.get_verbosity()
    transformers.logging.set_verbosity_error()
    yield
    transformers.logging.set_verbosity(level)
