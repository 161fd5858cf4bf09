"""Lower bound of the number of a text's tokens, from its length: far too long texts are refused before tokenizing.

Tokenizing takes some microseconds a byte; a text of 50 MB would take minutes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from torchpaged.models.fast_tokenizer import FastTokenizer

# Characters from which on a text is looked at: fewer are tokenized in about a second.
LONG = 1 << 18
# Options of a tokenizer under which no part of a text is left out.
_KEEPING = {"add_special_tokens", "text_pair", "verbose"}
# NFC leaves at least a ninth of a text's bytes: a character's canonical decomposition has at least a third of its bytes
# (U+212A), and at most three times as many (U+1D1C0).
_MOST_OF_NFC = 9


@dataclass(frozen=True, slots=True)
class BytesPerToken:
    """The most bytes of a text that one token of a tokenizer stands for.

    Args:
        most: of the normalized text.
        composes: if the text is normalized to NFC.
        strips: if a special token may take any number of spaces beside it.
    """

    most: int
    composes: bool = False
    strips: bool = False

    @classmethod
    def of(cls, tokenizer: Any) -> BytesPerToken | None:
        """Read it from a tokenizer; None unless it is known to turn every byte of a text into a part of some token.

        Known are BPE and Unigram over bytes or with byte fallback. WordPiece has one token for an unknown word of any
        length; other normalizers and pre-tokenizers leave out spaces or accents.
        """
        if (backend := _backend_of(tokenizer)) is None or backend.truncation is not None:
            return None
        normalizers = _parts(backend.normalizer, "normalizers")
        pieces = _parts(backend.pre_tokenizer, "pretokenizers")
        if not all(map(_keeps_bytes, normalizers)) or not all(map(_keeps_pieces, pieces)):
            return None
        vocabulary, model = backend.get_vocab(with_added_tokens=True), backend.model
        added = backend.get_added_tokens_decoder().values()
        is_bytes = any(each["type"] == "ByteLevel" for each in pieces) and type(model).__name__ == "BPE"
        if not is_bytes and not getattr(model, "byte_fallback", False):
            return None
        if not all(each in vocabulary for each in (_alphabet() if is_bytes else _FALLBACK)):
            return None
        # A letter of the byte alphabet is one byte.
        words = vocabulary.keys() - {each.content for each in added} if is_bytes else vocabulary
        longest = max(map(len, words)) if is_bytes else max(len(each.encode()) for each in words)
        return cls(
            max(longest, *(len(each.content.encode()) for each in added), 1),
            any(each["type"] == "NFC" for each in normalizers),
            any(each.lstrip or each.rstrip for each in added),
        )

    def least_tokens(self, text: str) -> int:
        """Return a number of tokens that a text has at least."""
        if self.strips:
            text = re.sub(r"\s+", "", text)
        size = len(text.encode(errors="surrogatepass"))
        if self.composes:
            # A composition takes at most one ASCII character, and a mark that is none.
            plain = len(text.encode("ascii", "ignore"))
            size = max(size // _MOST_OF_NFC, plain - (len(text) - plain))
        return -(-size // self.most)


def keeps_all(options: Any) -> bool:
    """Return True if a tokenizer with these options leaves nothing of a text out."""
    return set(options) <= _KEEPING


def _backend_of(tokenizer: Any) -> Any:
    """Return the tokenizer of tokenizers behind transformers' own code; None if another one's may change texts."""
    if isinstance(tokenizer, FastTokenizer):
        if not tokenizer.is_loaded:
            return tokenizer.backend_tokenizer
        tokenizer = tokenizer.full
    methods = (getattr(type(tokenizer), name, None) for name in ("__call__", "_encode_plus"))
    if not all(getattr(each, "__module__", "").startswith("transformers.") for each in methods):
        return None
    return getattr(tokenizer, "backend_tokenizer", None)


def _parts(component: Any, name: str) -> list[dict[str, Any]]:
    """Return the parts of a normalizer or pre-tokenizer, as its JSON has them."""
    left, found = [] if component is None else [json.loads(component.__getstate__())], list[dict[str, Any]]()
    while left:
        each = left.pop()
        if each["type"] == "Sequence":
            left += each[name]
        else:
            found.append(each)
    return found


def _keeps_bytes(normalizer: dict[str, Any]) -> bool:
    """Return True if a normalizer makes no text shorter, or is NFC."""
    if normalizer["type"] == "Replace":
        old: Any = normalizer["pattern"].get("String")
        return isinstance(old, str) and len(normalizer["content"].encode()) >= len(old.encode())
    return normalizer["type"] in ("NFC", "Prepend")


def _keeps_pieces(pre_tokenizer: dict[str, Any]) -> bool:
    """Return True if a pre-tokenizer leaves nothing out."""
    if pre_tokenizer["type"] == "Split":
        return pre_tokenizer["behavior"] in ("Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
    return pre_tokenizer["type"] in ("ByteLevel", "Metaspace", "Digits")


# Tokens of the bytes of characters that are not in the vocabulary.
_FALLBACK = tuple(f"<0x{byte:02X}>" for byte in range(256))


def _alphabet() -> list[str]:
    from tokenizers.pre_tokenizers import ByteLevel

    return ByteLevel.alphabet()
