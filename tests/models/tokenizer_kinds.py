"""Small tokenizers of each kind, for tests: trained on this repository's texts, with transformers' classes around."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertTokenizer, PreTrainedTokenizerFast, T5Tokenizer

_SPACE = "\u2581"
CORPUS = [
    *Path(__file__).read_text(encoding="utf-8").splitlines(),
    *("naïve Ünïcode — 你好世界 🙂 مرحبا", "it's 3.14, isn't it? Yes! we've - I'm ; they're . "),
]


def byte_level(**options: Any) -> Any:
    """Return a byte-level BPE as GPT-2's, with added tokens that take spaces, are matched as words, or normalized."""
    made = Tokenizer(models.BPE())
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=500, initial_alphabet=alphabet, show_progress=False)
    )
    made.add_special_tokens([AddedToken(each, normalized=False) for each in ("<|end|>", "<|start|>")])
    made.add_tokens([AddedToken("<tool>", lstrip=True, rstrip=True), AddedToken("word", single_word=True)])
    made.add_tokens([AddedToken("né", normalized=True, special=False)])
    made.post_processor = processors.TemplateProcessing(
        single="<|start|> $A <|end|>",
        special_tokens=[(each, made.token_to_id(each)) for each in ("<|start|>", "<|end|>")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<|start|>", eos_token="<|end|>", pad_token="<|end|>", **options
    )


def sentencepiece(**options: Any) -> Any:
    """Return a BPE as Llama 2's, with bytes for what is not in the vocabulary."""
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend(_SPACE), normalizers.Replace(" ", _SPACE)])
    made.decoder = decoders.Sequence(
        [decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    special = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256))]
    made.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=700, special_tokens=special, show_progress=False))
    options = {"add_bos_token": True, "clean_up_tokenization_spaces": True, "model_max_length": 16, **options}
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", unk_token="<unk>", **options
    )


def unigram() -> Any:
    """Return a Unigram in the class that T5 has, whose decoder joins words."""
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.train_from_iterator(
        CORPUS,
        trainers.UnigramTrainer(
            vocab_size=400, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
        ),
    )
    import json

    return T5Tokenizer(vocab=[tuple(each) for each in json.loads(made.to_str())["model"]["vocab"]], extra_ids=3)


def word_piece(clean_up: bool = True) -> Any:
    """Return a WordPiece in the class that BERT has, which takes spaces away."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made.train_from_iterator(
        [line.lower() for line in CORPUS],
        trainers.WordPieceTrainer(vocab_size=600, special_tokens=special, show_progress=False),
    )
    return BertTokenizer(vocab=made.get_vocab(), do_lower_case=True, clean_up_tokenization_spaces=clean_up)


def words() -> Any:
    """Return a vocabulary of whole words, without a decoder."""
    made = Tokenizer(models.WordLevel(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.train_from_iterator(
        CORPUS, trainers.WordLevelTrainer(vocab_size=300, special_tokens=["<unk>", "<e>"], show_progress=False)
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="<unk>", eos_token="<e>", clean_up_tokenization_spaces=True
    )


KINDS: dict[str, Any] = {
    "byte-level": byte_level,
    "split special tokens": lambda: byte_level(split_special_tokens=True, truncation_side="left"),
    "named tokens": lambda: byte_level(image_token="<tool>", extra_special_tokens=["word", "<|start|>"]),
    "sentencepiece": sentencepiece,
    "cleaned BPE": lambda: sentencepiece(clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output=True),
    "unigram": unigram,
    "word piece": word_piece,
    "word piece, not cleaned": lambda: word_piece(clean_up=False),
    "words": words,
}
