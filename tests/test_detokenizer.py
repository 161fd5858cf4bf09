"""Detokenizer: text as tokens come, whole characters only, and stop strings that span tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from torchpaged.detokenizer import Detokenizer


class Bytes:
    """A byte-level tokenizer: token i is byte i, tokens from 256 on are special."""

    def decode(self, tokens: Sequence[int], **options: Any) -> str:
        return bytes(t for t in tokens if t < 256).decode("utf-8", errors="replace")


class Words:
    """A word-level tokenizer like SentencePiece's: a word's text depends on whether something stands before it."""

    def decode(self, tokens: Sequence[int], **options: Any) -> str:
        return " ".join(f"w{token}" for token in tokens)


def feed(detokenizer: Detokenizer, text: str) -> str | None:
    """Byte by byte, until a stop string is found."""
    for byte in text.encode():
        if (stop := detokenizer.append([byte])) is not None:
            return stop
    return None


@pytest.mark.parametrize("text", ["plain", "naïve café", "日本語", "a🎉b", "", "\n\t "], ids=repr)
@pytest.mark.parametrize("prompt", [b"", b"abc", "é".encode(), b"a long prompt, longer than the window"], ids=repr)
def test_text_is_the_tokens_text(text: str, prompt: bytes) -> None:
    detokenizer = Detokenizer(Bytes(), list(prompt))
    assert feed(detokenizer, text) is None
    assert detokenizer.text == text


def test_text_grows_by_whole_characters() -> None:
    detokenizer, seen = Detokenizer(Bytes(), []), []
    for byte in "é🎉".encode():
        detokenizer.append([byte])
        seen.append(detokenizer.text)
    assert seen == ["", "é", "é", "é", "é", "é🎉"]


def test_an_unfinished_character_comes_at_the_end() -> None:
    detokenizer = Detokenizer(Bytes(), [])
    feed(detokenizer, "ab")
    detokenizer.append(["é".encode()[0]])
    assert detokenizer.text == "ab"
    assert detokenizer.finish() is None
    assert detokenizer.text == "ab\ufffd"
    detokenizer.finish()
    assert detokenizer.text == "ab\ufffd"


def test_a_words_text_depends_on_its_neighbour() -> None:
    detokenizer = Detokenizer(Words(), [1, 2])
    for token in (3, 4):
        detokenizer.append([token])
    assert detokenizer.text == " w3 w4"
    fresh = Detokenizer(Words(), [])
    for token in (3, 4):
        fresh.append([token])
    assert fresh.text == "w3 w4"


def test_special_tokens_have_no_text() -> None:
    detokenizer = Detokenizer(Bytes(), [])
    feed(detokenizer, "a")
    detokenizer.append([300])
    feed(detokenizer, "b")
    detokenizer.finish()
    assert detokenizer.text == "ab"


@pytest.mark.parametrize(
    ("text", "stop", "found", "kept"),
    [
        pytest.param("hello\nworld", ["\n"], "\n", "hello", id="one-character"),
        pytest.param("def f():\n\nclass", ["\n\n"], "\n\n", "def f():", id="spans-tokens"),
        pytest.param("abcabd", ["abd"], "abd", "abc", id="after-a-false-start"),
        pytest.param("aaab", ["aab"], "aab", "a", id="overlapping-start"),
        pytest.param("one two", ["two", "one"], "one", "", id="the-first-in-the-text"),
        pytest.param("xabc", ["bc", "abc"], "abc", "x", id="the-earlier-of-two-that-end-together"),
        pytest.param("été", ["té"], "té", "é", id="not-ascii"),
        pytest.param("nothing", ["never"], None, "nothing", id="not-there"),
    ],
)
def test_stop_strings(text: str, stop: list[str], found: str | None, kept: str) -> None:
    detokenizer = Detokenizer(Bytes(), [], stop)
    assert feed(detokenizer, text) == found
    assert detokenizer.text == kept


def test_a_stop_string_inside_one_token_cuts_the_rest() -> None:
    detokenizer = Detokenizer(Words(), [], ["2"])
    assert detokenizer.append([123]) == "2"
    assert detokenizer.text == "w1"


def test_the_prompt_is_not_searched() -> None:
    detokenizer = Detokenizer(Bytes(), list(b"a stop in the prompt: st"), ["stop"])
    assert feed(detokenizer, "op it, but here: ") is None
    assert feed(detokenizer, "stop") == "stop"
    assert detokenizer.text == "op it, but here: "


def test_min_tokens_before_a_stop_counts() -> None:
    detokenizer = Detokenizer(Bytes(), list(b"abc"), ["x"], min_tokens=3)
    assert feed(detokenizer, "xy") is None
    assert feed(detokenizer, "zx") == "x"
    assert detokenizer.text == "xyz"


def test_a_stop_string_in_what_was_held_back() -> None:
    detokenizer = Detokenizer(Bytes(), [], ["\ufffd"])
    assert detokenizer.append(["é".encode()[0]]) is None
    assert detokenizer.finish() == "\ufffd"
    assert detokenizer.text == ""


def test_no_tokenizer_no_text() -> None:
    detokenizer = Detokenizer(None, [1, 2])
    assert detokenizer.append([3]) is None and detokenizer.finish() is None
    assert detokenizer.text == ""
