"""`gguf_tokenizer`: a file's tokenizer splits texts as the one that the file was made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from tests.integrations.gguf_files import add_field, finish
from torchpaged.errors import ConfigError, ModelError
from torchpaged.models.fast_tokenizer import FastTokenizer, record
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.weights import gguf_tokenizer
from torchpaged.weights.gguf_file import Gguf
from torchpaged.weights.gguf_tokenizer import end_tokens, tokenizer_of

TEXTS = [
    "Hello world, it's 1234567 o'clock!",
    "  two  spaces\n\n\tand a tab \r\nlines   ",
    "naïve Ünïcode — 你好世界 🙂 مرحبا",
    "def f(x):\n    return x**2  # 3.14",
    "I'LL DON'T we've",
    "",
    " ",
    "<|im_start|>user\nhi<|im_end|>\n",
]
CORPUS = [*TEXTS, Path(__file__).read_text(encoding="utf-8")]
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"


def _require_recorded(own: Any) -> None:
    """A record of a tokenizer gives what it gives, without building it."""
    made = record(own)
    assert made is not None
    fast = FastTokenizer(json.loads(json.dumps(made)), pytest.fail)
    for text in TEXTS:
        for special in (True, False):
            ids = own(text, add_special_tokens=special)["input_ids"]
            assert fast(text, add_special_tokens=special) == dict(own(text, add_special_tokens=special))
            assert fast.decode(ids, skip_special_tokens=special) == own.decode(ids, skip_special_tokens=special)
    if own.chat_template is not None:
        chat = [{"role": "user", "content": "é"}]
        wanted = own.apply_chat_template(chat, tokenize=False)
        assert fast.apply_chat_template(chat, tokenize=False) == wanted
    assert (fast.name_or_path, fast.eos_token_id) == (own.name_or_path, own.eos_token_id)


def _byte_level(*cuts: Any) -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence([*cuts, pre_tokenizers.ByteLevel(False, use_regex=not cuts[1:])])
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=CONTROL, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(CORPUS, trainer)
    return made


def _write(path: Path, **fields: Any) -> Path:
    writer = gguf.GGUFWriter(path, "llama")
    for name, value in fields.items():
        key = "tokenizer.chat_template" if name == "chat_template" else f"tokenizer.ggml.{name}"
        add_field(writer, key, value)
    writer.add_tensor("token_embd.weight", np.zeros((len(fields["tokens"]), 32), dtype=np.float32))
    finish(writer)
    return path


def _fields(made: Tokenizer, pre: str) -> dict[str, Any]:
    parts = json.loads(made.to_str())
    vocabulary = sorted(parts["model"]["vocab"].items(), key=lambda each: each[1])
    tokens = [token for token, _ in vocabulary]
    return {
        "model": "gpt2",
        "pre": pre,
        "tokens": tokens,
        "token_type": [3 if token in CONTROL else 1 for token in tokens],
        "merges": [" ".join(pair) for pair in parts["model"]["merges"]],
        "bos_token_id": tokens.index("<|im_start|>"),
        "eos_token_id": tokens.index("<|im_end|>"),
        "chat_template": TEMPLATE,
    }


def _isolated(pattern: str) -> Any:
    return pre_tokenizers.Split(Regex(pattern), "isolated")


# Patterns of the checkpoints' own tokenizer.json.
CONTRACTED = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
LLAMA3 = CONTRACTED + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace("{1,3}", "")
PRE: dict[str, list[Any]] = {
    "gpt-2": [],
    "smollm": [pre_tokenizers.Digits(individual_digits=True)],
    "llama-bpe": [_isolated(LLAMA3), None],
    "qwen2": [_isolated(QWEN2), None],
}


@pytest.mark.parametrize("pre", PRE)
def test_byte_level_vocabularies_cut_as_their_own_tokenizers(pre: str, tmp_path: Path) -> None:
    cuts = [each for each in PRE[pre] if each is not None]
    own = _byte_level(*cuts) if None not in PRE[pre] else _byte_level(*cuts, _isolated("(?!)"))
    file = Gguf(_write(tmp_path / "t.gguf", **_fields(own, pre)))
    found = tokenizer_of(file)
    for text in TEXTS:
        ids = found(text, add_special_tokens=False)["input_ids"]
        assert ids == own.encode(text, add_special_tokens=False).ids, text
        assert found.decode(ids) == text
    begins = found("hi")["input_ids"][0] == found.convert_tokens_to_ids("<|im_start|>")
    assert begins is (pre == "llama-bpe"), "what llama.cpp puts first where a file does not say"
    assert found.eos_token == "<|im_end|>" and found.chat_template == TEMPLATE
    _require_recorded(found)


def test_a_vocabulary_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers would deep-copy a tokenizer object by way of JSON."""
    own, made = gguf_tokenizer._byte_level, []

    def noted(*args: Any) -> Any:
        made.append(own(*args))
        return made[-1]

    monkeypatch.setattr(gguf_tokenizer, "_byte_level", noted)
    found = tokenizer_of(Gguf(_write(tmp_path / "t.gguf", **_fields(_byte_level(), "gpt-2"))))
    assert found.backend_tokenizer is made[0]


def _sentencepiece(prefix: bool) -> Tokenizer:
    """Return a tokenizer like the one that transformers makes for Llama."""
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    begin = [normalizers.Prepend("\u2581")] if prefix else []
    made.normalizer = normalizers.Sequence([*begin, normalizers.Replace(" ", "\u2581")])
    strip = [decoders.Strip(" ", 1, 0)] if prefix else []
    made.decoder = decoders.Sequence(
        [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), *strip]
    )
    special = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256))]
    made.train_from_iterator(
        [text for text in CORPUS if text.isascii()],
        trainers.BpeTrainer(vocab_size=600, special_tokens=special, show_progress=False),
    )
    return made


@pytest.mark.parametrize("prefix", [True, False])
def test_sentencepiece_vocabularies_merge_by_scores(prefix: bool, tmp_path: Path) -> None:
    own = _sentencepiece(prefix)
    parts = json.loads(own.to_str())
    vocabulary = sorted(parts["model"]["vocab"].items(), key=lambda each: each[1])
    tokens = [token for token, _ in vocabulary]
    rank = {"".join(pair): number for number, pair in reversed(list(enumerate(parts["model"]["merges"])))}
    kinds = [2 if t == "<unk>" else 3 if t in ("<s>", "</s>") else 6 if t.startswith("<0x") else 1 for t in tokens]
    fields = {
        "model": "llama",
        "pre": "default",
        "tokens": tokens,
        "token_type": kinds,
        "scores": [-float(rank.get(token, 10_000)) for token in tokens],
        "bos_token_id": 1,
        "eos_token_id": 2,
        "unknown_token_id": 0,
        "add_space_prefix": prefix,
    }
    found = tokenizer_of(Gguf(_write(tmp_path / "t.gguf", **fields)))
    for text in TEXTS[:6]:
        plain = own.encode(text, add_special_tokens=False).ids
        assert found(text)["input_ids"] == [1, *plain], text
        assert found.decode(found(text)["input_ids"], skip_special_tokens=True) == text
    without = tokenizer_of(Gguf(_write(tmp_path / "t.gguf", **fields, add_bos_token=False)))
    assert without("a")["input_ids"] == found("a")["input_ids"][1:]
    _require_recorded(found)
    _require_recorded(without)
    ended = tokenizer_of(Gguf(_write(tmp_path / "t.gguf", **fields, add_eos_token=True)))
    assert ended("a")["input_ids"] == [*found("a")["input_ids"], 2]
    _require_recorded(ended)


def test_gemma_4_merges_over_spaces_and_not_over_lines(tmp_path: Path) -> None:
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    made.normalizer = normalizers.Replace(" ", "\u2581")
    made.pre_tokenizer = _isolated(r"[^\n]+|\n+")
    special = ["<unk>", "<bos>", "<eos>", "<turn|>", *(f"<0x{i:02X}>" for i in range(256))]
    made.train_from_iterator(
        [text for text in CORPUS if text.isascii()] + ["def f(x):\n\n\n"] * 20,
        trainers.BpeTrainer(vocab_size=600, special_tokens=special, show_progress=False),
    )
    parts = json.loads(made.to_str())
    tokens = [token for token, _ in sorted(parts["model"]["vocab"].items(), key=lambda each: each[1])]
    assert any("\u2581" in token[1:-1] for token in tokens) and "\n\n" in tokens
    fields = {
        "model": "gemma4",
        "tokens": tokens,
        "token_type": [2, 3, 3, 4, *[6] * 256, *[1] * (len(tokens) - 260)],
        "merges": [" ".join(pair) for pair in parts["model"]["merges"]],
        "bos_token_id": 1,
        "eos_token_id": 2,
        "unknown_token_id": 0,
        "add_bos_token": False,
    }
    path = _write(tmp_path / "t.gguf", **fields)
    found = tokenizer_of(Gguf(path))
    for text in TEXTS:
        assert found(text)["input_ids"] == [1, *made.encode(text, add_special_tokens=False).ids], text
        assert found.decode(found(text)["input_ids"], skip_special_tokens=True) == text
    assert end_tokens(Gguf(path)) == [2, 3]
    _require_recorded(found)


@pytest.fixture(scope="module")
def fields() -> dict[str, Any]:
    return _fields(_byte_level(), "gpt-2")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pre": "twist"}, r"tokenizer.ggml.pre is 'twist', expected one of .*LLM\(..., tokenizer=...\)"),
        ({"pre": "default"}, "tokenizer.ggml.pre is 'default', expected one of"),
        ({"pre": None}, "tokenizer.ggml.pre missing, expected one of"),
        ({"model": "t5"}, "tokenizer.ggml.model is 't5', expected gpt2, llama, gemma4; name a folder"),
        ({"model": None}, "tokenizer.ggml.model is 'none', expected gpt2, llama, gemma4"),
        ({"merges": None}, "tokenizer.ggml.merges missing"),
        ({"merges": ["ab"]}, "tokenizer.ggml.merges is 'ab', expected two parts"),
        ({"merges": ["zz zz"]}, "no tokenizer can be made of it"),
        ({"token_type": [1, 2]}, "expected an array of 400 numbers"),
        ({"eos_token_id": 5000}, "tokenizer.ggml.eos_token_id is 5000, expected a whole number from 0 to 399"),
        ({"model": "llama"}, "tokenizer.ggml.scores missing"),
    ],
)
def test_what_is_not_known_is_refused(
    changes: dict[str, Any], message: str, fields: dict[str, Any], tmp_path: Path
) -> None:
    given = {name: value for name, value in {**fields, **changes}.items() if value is not None}
    with pytest.raises(ModelError, match=message):
        tokenizer_of(Gguf(_write(tmp_path / "t.gguf", **given)))


def test_turns_end_with_the_tokens_that_are_known_to_end_them(fields: dict[str, Any], tmp_path: Path) -> None:
    end, text = fields["tokens"].index("<|im_end|>"), fields["tokens"].index("<|endoftext|>")
    assert end_tokens(Gguf(_write(tmp_path / "t.gguf", **fields))) == [end, text]
    assert end_tokens(Gguf(_write(tmp_path / "t.gguf", **{**fields, "eos_token_id": 7, "eot_token_id": 9}))) == [
        7,
        9,
        text,
        end,
    ]


def test_an_end_within_a_turn_ends_none(fields: dict[str, Any], tmp_path: Path) -> None:
    """gpt-oss ends its reasoning with <|end|>, and continues."""
    tokens, kinds = list(fields["tokens"]), list(fields["token_type"])
    for number, name in ((300, "<|end|>"), (301, "<|return|>"), (302, "<|call|>")):
        tokens[number], kinds[number] = name, 3
    given = {**fields, "tokens": tokens, "token_type": kinds, "eos_token_id": 301, "merges": []}
    assert sorted(end_tokens(Gguf(_write(tmp_path / "t.gguf", **given)))) == [0, 2, 301, 302]
    kinds[302] = 1
    assert sorted(end_tokens(Gguf(_write(tmp_path / "t.gguf", **given)))) == [0, 2, 300, 301]


def test_a_file_is_a_name_of_its_tokenizer(fields: dict[str, Any], tmp_path: Path) -> None:
    path = _write(tmp_path / "t.gguf", **fields)
    assert load_tokenizer(path)("hi")["input_ids"] == tokenizer_of(Gguf(path))("hi")["input_ids"]
    begun = load_tokenizer(path, add_bos_token=True)("hi")["input_ids"]
    assert begun == [fields["bos_token_id"], *load_tokenizer(path)("hi")["input_ids"]]
    with pytest.raises(ConfigError, match="use_fast is given"):
        load_tokenizer(path, use_fast=False)
