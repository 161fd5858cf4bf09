"""Detokenizer: incremental text, whole characters only, and stop strings that span tokens."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE, WordLevel
from transformers import PreTrainedTokenizerFast

from torchpaged.requests.detokenizer import Detokenizer, Spelling
from torchpaged.requests.stop_strings import State, StopStrings


class Bytes:
    """A byte-level tokenizer: token i is byte i, tokens from 256 on are special."""

    def decode(self, tokens: Sequence[int], **options: Any) -> str:
        return bytes(t for t in tokens if t < 256).decode("utf-8", errors="replace")


class Words:
    """A word-level tokenizer like SentencePiece's: a word's text depends on whether another precedes it."""

    def decode(self, tokens: Sequence[int], **options: Any) -> str:
        return " ".join(f"w{token}" for token in tokens)


def feed(detokenizer: Detokenizer, text: str) -> str | None:
    """Append a text byte by byte, until a stop string is found."""
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
    detokenizer = Detokenizer(Bytes(), [], StopStrings(stop))
    assert feed(detokenizer, text) == found
    assert detokenizer.text == kept


def found_by_definition(text: str, start: int, stops: list[str]) -> tuple[int, str] | None:
    """Return (start, stop string) of the first one that ends after `start`; of two the first in the list."""
    places = [(text.find(stop, max(0, start - len(stop) + 1)), index) for index, stop in enumerate(stops)]
    return min(((at, stops[index]) for at, index in places if at >= 0), key=lambda each: each[0], default=None)


def held_by_definition(text: str, stops: list[str]) -> int:
    """Return the length of the longest suffix of a text that is a proper prefix of a stop string."""
    begins = (n for n in range(len(text), 0, -1) if any(s.startswith(text[-n:]) and len(s) > n for s in stops))
    return next(begins, 0)


@pytest.mark.parametrize("keep", [False, True])
def test_stop_strings_are_found_and_held_back_as_by_definition(keep: bool) -> None:
    """Random strings over two letters, several with common prefixes, in texts that arrive in random pieces."""
    pick = random.Random(keep)
    for _ in range(1500):
        stops = ["".join(pick.choices("ab", k=pick.randint(1, 6))) for _ in range(pick.randint(1, 6))]
        least = pick.choice((0, 0, 0, 4))
        automaton = StopStrings(stops)
        for _ in range(3):  # completions that share it
            detokenizer, text = Detokenizer(Bytes(), [], automaton, least, keep_stop=keep), ""
            for count in range(1, 12):
                piece = "".join(pick.choices("abc", weights=(5, 5, 1), k=pick.randint(1, 5)))
                start, text = len(text), text + piece
                # `min_tokens` counts the calls here.
                detokenizer._num_tokens = count - len(piece)
                stop = detokenizer.append(piece.encode())
                expected = None if count < least else found_by_definition(text, start, stops)
                assert stop == (None if expected is None else expected[1])
                if expected is not None:
                    end = expected[0] + len(expected[1]) * keep
                    assert detokenizer.text == text[:end]
                    break
                held = 0 if keep else held_by_definition(text, stops)
                assert detokenizer.safe_text == text[: len(text) - held] and detokenizer.text == text


def states_of(automaton: StopStrings) -> int:
    """Return the number of states that an automaton has."""
    found, left = 0, [automaton.root]
    while left:
        found += 1
        left += [each for each in left.pop().targets.values() if isinstance(each, State)]
    return found


def test_what_stop_strings_cost_grows_with_the_text_alone() -> None:
    """64 strings of 1,024 letters that keep almost all of a text held back: at most one state per letter."""
    stops = ["a" * (1023 - place) + "b" * (place + 1) for place in range(64)]
    automaton = StopStrings(stops)
    assert states_of(automaton) == 1, "before a text has come"
    detokenizer = Detokenizer(Bytes(), [], automaton)
    assert feed(detokenizer, "a" * 3000) is None
    assert detokenizer.safe_text == "a" * (3000 - 1023) and states_of(automaton) == 1024
    assert feed(detokenizer, "b" * 63 + "a") == stops[0], "the longest run of a's comes first in the text"


def test_many_stop_strings_that_fail_into_each_other() -> None:
    """A state with as many failure links as there are strings is built without recursion."""
    stops = ["a" * length + "b" for length in range(1, 2001)]
    automaton = StopStrings([stop + "c" for stop in stops])
    detokenizer = Detokenizer(Bytes(), [], automaton)
    assert feed(detokenizer, "a" * 2500 + "b") is None
    assert detokenizer.safe_text == "a" * 500
    assert feed(detokenizer, "c") == stops[-1] + "c" and detokenizer.text == "a" * 500


def test_a_stop_string_inside_one_token_cuts_the_rest() -> None:
    detokenizer = Detokenizer(Words(), [], StopStrings(["2"]))
    assert detokenizer.append([123]) == "2"
    assert detokenizer.text == "w1"


def test_the_prompt_is_not_searched() -> None:
    detokenizer = Detokenizer(Bytes(), list(b"a stop in the prompt: st"), StopStrings(["stop"]))
    assert feed(detokenizer, "op it, but here: ") is None
    assert feed(detokenizer, "stop") == "stop"
    assert detokenizer.text == "op it, but here: "


def test_min_tokens_before_a_stop_counts() -> None:
    detokenizer = Detokenizer(Bytes(), list(b"abc"), StopStrings(["x"]), min_tokens=3)
    assert feed(detokenizer, "xy") is None
    assert feed(detokenizer, "zx") == "x"
    assert detokenizer.text == "xyz"


def test_a_stop_string_in_what_was_held_back() -> None:
    detokenizer = Detokenizer(Bytes(), [], StopStrings(["\ufffd"]))
    assert detokenizer.append(["é".encode()[0]]) is None
    assert detokenizer.finish() == "\ufffd"
    assert detokenizer.text == ""


def test_no_tokenizer_no_text() -> None:
    detokenizer = Detokenizer(None, [1, 2])
    assert detokenizer.append([3]) is None and detokenizer.finish() is None
    assert detokenizer.text == ""


# --- Tokenizers that people use -----------------------------------------------------------------------------


def byte_level() -> Any:
    """Return a tokenizer like GPT-2's: each byte a token, some merges, a special token."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: i for i, letter in enumerate(letters)}
    merges = [("t", "h"), ("th", "e"), ("\u0120", "a"), ("\u00f0", "\u0141")]
    for pair in merges:
        vocabulary["".join(pair)] = len(vocabulary)
    tokenizer = Tokenizer(BPE(vocabulary, merges))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    tokenizer.add_special_tokens(["<end>"])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)


def byte_fallback() -> Any:
    """Return a tokenizer like Llama 2's: pieces with a space before them, a token for each byte."""
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"abcdefg", "\u2581", "\u2581the", "\u2581\u2581"]
    tokenizer = Tokenizer(BPE({piece: i for i, piece in enumerate(pieces)}, [], byte_fallback=True, unk_token="<unk>"))
    steps = [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(steps)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        *((byte_level, kind) for kind in ("any", "bytes", "characters", "continuations")),
        (byte_fallback, "characters"),  # a byte that is no character changes the text of all bytes before it
    ],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
def test_pieces_are_the_whole_text(make: Any, kind: str) -> None:
    """Random tokens, characters of every length, runs of invalid bytes: the pieces equal the text decoded at once."""
    tokenizer, pick = make(), random.Random(kind)
    size = len(tokenizer)
    for _ in range(60):
        count = pick.randint(1, 80)
        if kind == "characters":
            text = "".join(chr(pick.choice((0x61, 0x20, 0xE9, 0x65E5, 0x1F389))) for _ in range(count))
            tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
        elif kind == "any":
            tokens = [pick.randrange(size) for _ in range(count)]
        else:
            high = {"bytes": (0x80, 0xFF), "continuations": (0x80, 0xBF)}[kind]
            names = [pick.randint(*high) for _ in range(count)]
            tokens = [byte_token(tokenizer, byte) for byte in names]
        cut = pick.randint(0, len(tokens) // 3)
        detokenizer, text = Detokenizer(tokenizer, tokens[:cut]), ""
        for token in tokens[cut:]:
            before = detokenizer.text
            detokenizer.append([token])
            assert detokenizer.text.startswith(before)
        detokenizer.finish()
        options = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
        whole, prompt = tokenizer.decode(tokens, **options), tokenizer.decode(tokens[:cut], **options)
        # A prompt that ends inside a character leaves it to the completion, as far as that is decidable.
        if not prompt.endswith("\ufffd"):
            assert prompt + detokenizer.text == whole


def byte_token(tokenizer: Any, byte: int) -> int:
    """Return the token of one byte alone."""
    names = tokenizer.get_vocab()
    if f"<0x{byte:02X}>" in names:
        return int(names[f"<0x{byte:02X}>"])
    return next(i for name, i in names.items() if len(name) == 1 and BYTES[name] == byte)


def _bytes_of_letters() -> dict[str, int]:
    """Return GPT-2's letters for bytes: printable ones for themselves, the others from 256 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + i): byte for i, byte in enumerate(others)}


BYTES = _bytes_of_letters()


@pytest.mark.parametrize("fast", [True, False], ids=["library", "window"])
def test_a_long_run_of_no_characters_is_decoded_once(fast: bool) -> None:
    """Bytes that never complete a character: work grows with their number, not with its square."""

    class Counting:
        """A wrapper of a byte-level tokenizer that counts the tokens that it decodes."""

        def __init__(self) -> None:
            self.inner, self.num_decoded = byte_level(), 0
            if fast:
                self.backend_tokenizer = self.inner.backend_tokenizer

        def decode(self, tokens: Sequence[int], **options: Any) -> str:
            self.num_decoded += len(tokens)
            text: str = self.inner.decode(tokens, **options)
            return text

    tokenizer = Counting()
    run = [byte_token(tokenizer.inner, 0x80)] * 3000
    detokenizer = Detokenizer(tokenizer, [])
    for token in run:
        detokenizer.append([token])
    assert len(detokenizer.text) > 2900
    detokenizer.finish()
    assert detokenizer.text == "\ufffd" * 3000
    assert tokenizer.num_decoded < 60 * len(run)


# --- How tokens are spelled ---------------------------------------------------------------------------------


def words() -> Any:
    """Return a tokenizer without a decoder, which puts a space between any two tokens; some tokens are special."""
    names = ["[UNK]", "one", "two", "three"]
    tokenizer = Tokenizer(WordLevel({name: i for i, name in enumerate(names)}, "[UNK]"))
    tokenizer.add_special_tokens(["<a>", "<b>"])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        (Spelling(), " one two"),
        (Spelling(spaces_between_special_tokens=False), " one two"),
        (Spelling(skip_special_tokens=False), " <a> <b> one <b> two"),
        (Spelling(skip_special_tokens=False, spaces_between_special_tokens=False), " <a><b> one <b> two"),
    ],
    ids=["plain", "skipped-anyway", "special", "special-without-spaces"],
)
def test_special_tokens_in_the_text(spelling: Spelling, expected: str) -> None:
    detokenizer = Detokenizer(words(), [3], options=spelling)
    for token in (4, 5, 1, 5, 2):
        detokenizer.append([token])
    detokenizer.finish()
    assert detokenizer.text == expected


def test_any_tokenizer_is_told_how_to_spell() -> None:
    """Without a `tokenizers` backend a tokenizer gets the options, the second only if it is not the default."""
    seen = []

    class Noting(Bytes):
        def decode(self, tokens: Sequence[int], **options: Any) -> str:
            seen.append(options)
            return super().decode(tokens)

    for spelling in (Spelling(False, True), Spelling(False, False)):
        seen.clear()
        Detokenizer(Noting(), [], options=spelling).append([65])
        assert all(options["skip_special_tokens"] is False for options in seen) and seen
        assert all(("spaces_between_special_tokens" in o) != spelling.spaces_between_special_tokens for o in seen)


def test_a_stop_string_that_is_kept() -> None:
    """The text ends with it, and nothing needs to be held back for it."""
    detokenizer = Detokenizer(Bytes(), [], StopStrings(["stop", "op"]), keep_stop=True)
    for byte in b"a st":
        assert detokenizer.append([byte]) is None
    assert detokenizer.safe_text == detokenizer.text == "a st"
    assert detokenizer.append(b"oper") == "stop"
    assert detokenizer.text == "a stop"
