"""No text has fewer tokens than its length says; far too long texts are refused before they are tokenized."""

from __future__ import annotations

import asyncio
import random
import signal
import threading
from typing import Any

import pytest
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from tests import forks
from tests.fakes import FakeTokenizer, drain, engine
from torchpaged import SamplingParams
from torchpaged.async_engine.tokenizer_pool import Length, TokenizerPool
from torchpaged.errors import RequestError
from torchpaged.requests import prompts
from torchpaged.requests.prompts import PromptReader
from torchpaged.requests.text_length import BytesPerToken

ALPHABET = pre_tokenizers.ByteLevel.alphabet()
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
SPLIT = pre_tokenizers.Split(Regex(r"\w+|\s+"), "isolated")


def bpe(words: list[str], merges: list[tuple[str, str]], **options: Any) -> models.BPE:
    found = list(dict.fromkeys([*words, *(a + b for a, b in merges)]))
    return models.BPE({word: place for place, word in enumerate(found)}, merges, **options)


MERGES = [("a", "a"), ("aa", "aa"), ("Ġ", "Ġ"), ("Ã", "©"), ("aaaa", "aaaa")]
SPACES = [("▁", "▁"), ("▁▁", "▁▁"), ("a", "a")]


def made(
    model: Any = None,
    normalizer: Any = None,
    pieces: Any = None,
    added: tuple[AddedToken, ...] = (AddedToken("<end>", special=True),),
    kind: type = PreTrainedTokenizerFast,
) -> Any:
    found = Tokenizer(model or bpe(ALPHABET, MERGES))
    if normalizer is not None:
        found.normalizer = normalizer
    found.pre_tokenizer = pieces or pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    found.add_special_tokens(list(added))
    return kind(tokenizer_object=found)


def fallback(**options: Any) -> models.BPE:
    return bpe([*BYTES, "<unk>", "▁", "a"], SPACES, byte_fallback=True, unk_token="<unk>", fuse_unk=True, **options)


STRIPPING = AddedToken("<end>", special=True, lstrip=True, rstrip=True)
KNOWN = {
    "bytes": made(),
    "split": made(pieces=pre_tokenizers.Sequence([SPLIT, pre_tokenizers.ByteLevel(use_regex=False)])),
    "nfc": made(normalizer=normalizers.NFC()),
    "stripping": made(added=(STRIPPING,)),
    "fallback": made(
        fallback(), normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]), SPLIT
    ),
    "metaspace": made(fallback(), None, pre_tokenizers.Metaspace()),
}


@pytest.mark.parametrize("name", KNOWN)
def test_no_text_has_fewer_tokens(name: str) -> None:
    tokenizer, rng = KNOWN[name], random.Random(0)
    bound = BytesPerToken.of(tokenizer)
    assert bound is not None and bound.composes == (name == "nfc") and bound.strips == (name == "stripping")
    parts = [
        "a" * 40,
        " " * 30,
        "é",
        "e\u0301",
        "\u212a",
        "\U0001d1c0",
        "\u1100\u1161\u11a8",
        "<end>",
        "한",
        "😀",
        "\n\t",
    ]
    texts = [part * 50 for part in parts] + ["".join(rng.choices(parts, k=rng.randint(1, 60))) for _ in range(150)]
    for text in texts:
        found = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert bound.least_tokens(text) <= len(found), (text, found)
    assert bound.least_tokens("a" * 8000) >= 8000 / bound.most


class Dropping(PreTrainedTokenizerFast):
    def _encode_plus(self, text: Any, *args: Any, **options: Any) -> Any:
        return super()._encode_plus(text[:5], *args, **options)


UNKNOWN = {
    "no-letter": made(bpe(ALPHABET[1:], [])),
    "no-byte": made(bpe([*BYTES[1:], "<unk>"], [], byte_fallback=True, unk_token="<unk>"), None, SPLIT),
    "no-fallback": made(bpe(["<unk>", "a"], [], unk_token="<unk>", fuse_unk=True), None, SPLIT),
    "words": made(models.WordPiece({"[UNK]": 0, "a": 1}, unk_token="[UNK]"), None, SPLIT),
    "strip": made(normalizer=normalizers.Strip()),
    "nfkc": made(normalizer=normalizers.NFKC()),
    "shorter": made(normalizer=normalizers.Replace("aaaa", "a")),
    "regex": made(normalizer=normalizers.Replace(Regex(" +"), " ")),
    "no-spaces": made(pieces=pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.ByteLevel()])),
    "removed": made(pieces=pre_tokenizers.Sequence([pre_tokenizers.Split(" ", "removed"), pre_tokenizers.ByteLevel()])),
    "its-own-code": made(kind=Dropping),
    "no-tokenizers": FakeTokenizer(),
    "none": None,
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_tokenizers_that_may_leave_text_out_have_no_bound(name: str) -> None:
    assert BytesPerToken.of(UNKNOWN[name]) is None


def test_a_far_too_long_text_is_refused_before_it_is_tokenized(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "LONG", 100)
    reader, text = PromptReader(KNOWN["bytes"], 1000), "a" * 1000
    says = r"x: the prompt has at least 125 tokens \(1000 characters; no token has more than 8 bytes\), max_model_len"
    for prompt in (text, {"prompt": text}, {"prompt": text, "cache_salt": "a"}):
        for options in ({}, {"add_special_tokens": False}):
            with monkeypatch.context() as patch, pytest.raises(RequestError, match=says):
                patch.setattr(prompts, "interruptibly", None)
                reader.read("x", prompt, options, longest=124)
    assert len(reader.read("x", text, longest=125).token_ids) == 125
    assert len(reader.read("x", text).token_ids) == 125
    assert len(reader.read("x", text, {"truncation": True, "max_length": 5}, longest=5).token_ids) == 5
    assert reader.read("x", {"prompt": text, "prompt_token_ids": [1]}, longest=5).token_ids == [1]
    KNOWN["bytes"].add_tokens(["a" * 500])  # a longer token makes it possible
    assert len(reader.read("x", text, longest=124).token_ids) == 2


def test_a_truncated_prompt_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "LONG", 100)
    monkeypatch.setattr(BytesPerToken, "of", lambda tokenizer: BytesPerToken(12))
    running = engine(tokenizer=FakeTokenizer(), max_model_len=50)
    with pytest.raises(RequestError, match=r"at least 67 tokens \(.* than 12 bytes\), max_model_len is 50"):
        running.add_request("a", "a" * 800, SamplingParams(max_tokens=1))
    running.add_request("b", "a" * 800, SamplingParams(max_tokens=1, truncate_prompt_tokens=3))
    running.add_request("c", "a" * 800, SamplingParams(max_tokens=1), tokenization_kwargs={"truncate_prompt_tokens": 4})
    assert [len(each.prompt_token_ids) for each in drain(running).values()] == [3, 4]


class Waiting(FakeTokenizer):
    """Takes for ever until it is released, as a library does in which Python handles no signals."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.released = threading.Event(), threading.Event()

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        if len(text) > 100:
            self.begun.set()
            self.released.wait()
        return super().__call__(text[:5], **options)


def test_ctrl_c_while_a_long_text_is_tokenized(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "LONG", 1000)
    tokenizer = Waiting()
    running = engine(tokenizer=tokenizer)
    main = threading.get_ident()

    def interrupt() -> None:
        tokenizer.begun.wait()
        signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        running.add_request("a", "a" * 1000, SamplingParams(max_tokens=1))
    thread.join()
    running.add_request("a", "a" * 5, SamplingParams(max_tokens=1))
    assert set(drain(running)) == {"a"}
    tokenizer.released.set()
    running.check()


class WaitingForHuge(FakeTokenizer):
    released = threading.Event()

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        if len(text) >= 2**20:
            self.released.wait(60)
        return super().__call__(text[:5], **options)


def test_a_huge_text_is_bounded_and_no_long_one_waits_for_it() -> None:
    """Also if it is truncated, because all of it is tokenized."""
    cut = {"truncate_prompt_tokens": 5}

    async def read() -> None:
        pool = TokenizerPool(WaitingForHuge(), 1000, max_model_len=100)
        huge = asyncio.ensure_future(pool.read("huge", "a" * 2**20, cut))
        try:
            for count in (5, 2**16, 2**20 - 2):
                await asyncio.wait_for(pool.read("x", "a" * count, cut), 30)
            assert not huge.done()
        finally:
            WaitingForHuge.released.set()
        await huge
        says = r"x: the prompt has 1048577 characters, expected at most 1048576, whether"
        for length in (Length.WHOLE, Length.BOUNDED):
            with pytest.raises(RequestError, match=says):
                await pool.read("x", {"prompt": "a" * (2**20 + 1)}, cut, length=length)
        await pool.read("x", "a" * (2**20 + 1), None, length=Length.FREE)
        pool.close()

    asyncio.run(read())


_ENDS = """
import asyncio, threading
from torchpaged.async_engine.tokenizer_pool import TokenizerPool

class Waiting:
    begun = threading.Event()
    def __call__(self, text, **options):
        self.begun.set()
        threading.Event().wait()

pool = TokenizerPool(Waiting(), 100, max_model_len=100)

async def main():
    reading = asyncio.ensure_future(pool.read("x", "a" * 10**6, None))
    while not Waiting.begun.is_set():
        await asyncio.sleep(0.01)
    reading.cancel()

asyncio.run(main())
pool.close()
print("ended")
"""


def test_a_process_ends_while_a_long_text_is_tokenized() -> None:
    done = forks.run(_ENDS)
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr
