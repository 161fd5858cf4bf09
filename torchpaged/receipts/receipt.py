"""Receipt: the format. It parses untrusted text, computes the bytes that are signed, and hashes tokens and texts."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from torchpaged.errors import TorchpagedError
from torchpaged.receipts.keys import PublicKey
from torchpaged.utils.fingerprint import fingerprint_of

FORMAT = "torchpaged-receipt-1"
# Maximum size of a receipt: one with all tokens of a long conversation has about a megabyte.
MOST_BYTES = 16 << 20
# Before the signed bytes, so that a signature of something else is none of a receipt.
_DOMAIN = FORMAT.encode() + b"\n"


class ReceiptError(TorchpagedError, ValueError):
    """A receipt that cannot be made, or a text that is not a receipt."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt whose fields have the right types. Its signature has not been checked.

    Args:
        fields: the fields, as in JSON.
    """

    fields: Mapping[str, Any]

    @classmethod
    def parse(cls, given: str | bytes | Mapping[str, Any]) -> Receipt:
        """Read a receipt, or a text of JSON with one.

        Raises:
            ReceiptError: it is not a receipt of this format; the message is one line.
        """
        value = parse_json(given if isinstance(given, (str, bytes)) else _written(given))
        if not isinstance(value, Mapping):
            raise ReceiptError(f"it is {_told(value)}, expected a receipt, an object")
        format = value.get("format")
        if format != FORMAT:
            known = "no format" if format is None else f"the format {_told(format)}"
            raise ReceiptError(f"it has {known}, expected {FORMAT!r}")
        _require_fields("", value, _FIELDS)
        receipt = cls(value)
        for name in ("prompt", "output"):
            receipt._require_consistent(name)
        if receipt.fingerprint != fingerprint_of(value["system"], receipt.adapter):
            raise ReceiptError("system_fingerprint is not the hash of system and adapter")
        return receipt

    @property
    def id(self) -> str | None:
        """Id of the answer."""
        id: str | None = self.fields["id"]
        return id

    @property
    def fingerprint(self) -> str:
        """System fingerprint, which covers the adapter."""
        return str(self.fields["system_fingerprint"])

    @property
    def adapter(self) -> str | None:
        """Hash of the adapter's contents; None: there is none."""
        adapter = self.fields["adapter"]
        return None if adapter is None else str(adapter["sha256"])

    @property
    def public_key(self) -> str:
        """Public key that it names, in hexadecimal."""
        return str(self.fields["public_key"])

    @property
    def signature(self) -> bytes:
        """The signature."""
        return bytes.fromhex(self.fields["signature"])

    @property
    def signed_bytes(self) -> bytes:
        """The bytes that are signed: all fields but the signature."""
        return signed_bytes(self.fields)

    def require_signature(self, keys: Mapping[str, PublicKey] | None = None) -> None:
        """Require that the receipt is as it was signed.

        Args:
            keys: the keys that may have signed it, by their hex digits; None: the one that it names.

        Raises:
            ReceiptError: it is not, or another key has signed it.
        """
        named = self.public_key
        if keys is not None and named not in keys:
            raise ReceiptError(f"it is signed with the key {named}, which is none of the expected ones")
        try:
            key = PublicKey(bytes.fromhex(named)) if keys is None else keys[named]
        except ValueError:
            raise ReceiptError("public_key is not an Ed25519 key") from None
        if not key.is_of(self.signature, self.signed_bytes):
            raise ReceiptError("the signature does not match: the receipt has been changed, or was not made by its key")

    def _require_consistent(self, name: str) -> None:
        """Require that the hash of the tokens, if they are there, is the receipt's."""
        part = self.fields[name]
        if (tokens := part["token_ids"]) is None:
            return
        if len(tokens) != part["num_tokens"] or hash_tokens(tokens) != part["sha256"]:
            raise ReceiptError(f"{name}.token_ids are not the tokens of {name}.sha256 and {name}.num_tokens")


def parse_json(text: str | bytes) -> Any:
    """Parse JSON without duplicate names, infinities and NaN.

    Raises:
        ReceiptError: it is not such JSON, or too large.
    """
    if len(text) > MOST_BYTES:
        raise ReceiptError(f"it has more than {MOST_BYTES >> 20} MiB")
    try:
        return json.loads(
            text.decode() if isinstance(text, bytes) else text, object_pairs_hook=_unique, parse_constant=_no_constant
        )
    except RecursionError:
        raise ReceiptError("it is not JSON: it is nested too deeply") from None
    except ValueError as error:
        kind = "UTF-8" if isinstance(error, UnicodeError) else "JSON"
        raise ReceiptError(f"it is not {kind}: {error!s:.200}") from None


def _written(value: object) -> str:
    """Return an object of a program as JSON, whose types are then those of any other receipt."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ReceiptError(f"it is no JSON value: {error!s:.200}") from None


def signed_bytes(fields: Mapping[str, Any]) -> bytes:
    """Return the bytes that are signed: a line with the format, and the fields but the signature as canonical JSON.

    Canonical JSON has sorted names, no spaces, ASCII only, and whole numbers without a fraction, so that programs may
    read and write a receipt in between.
    """
    rest = {name: value for name, value in fields.items() if name != "signature"}
    return _DOMAIN + json.dumps(_canonical(rest), sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def hash_tokens(tokens: Sequence[int]) -> str:
    """Return the SHA-256 of token ids as little-endian integers of four bytes, in hexadecimal."""
    return sha256(struct.pack(f"<{len(tokens)}I", *tokens)).hexdigest()


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def _canonical(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {name: _canonical(each) for name, each in value.items()}
    return [_canonical(each) for each in value] if isinstance(value, list) else value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a name twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _told(value: Any) -> str:
    """Describe a value of any size in a few characters."""
    if isinstance(value, (Mapping, list)):
        return "an object" if isinstance(value, Mapping) else "a list"
    return repr(value[:80] if isinstance(value, str) else value)[:90]


# A field's test and the words for it.
_Check = tuple[Callable[[Any], bool], str]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**64


def _is_count(value: Any) -> bool:
    return _is_int(value) and value >= 0


def _is_number(value: Any) -> bool:
    return _is_int(value) or (isinstance(value, float) and math.isfinite(value))


def _is_token_list(value: Any) -> bool:
    return isinstance(value, list) and all(_is_int(each) and 0 <= each < 2**32 for each in value)


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, str)) or _is_number(value)


def _is_flat(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_plain, value.values()))


def _is_grammar(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_is_plain(each) or _is_text_list(each) for each in value.values())


def _is_bias(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        token.isascii() and token.isdigit() and len(token) < 11 and _is_number(bias) for token, bias in value.items()
    )


def _hex(count: int) -> _Check:
    digits = set("0123456789abcdef")
    return lambda value: _is_text(value) and len(value) == 2 * count and set(value) <= digits, f"{2 * count} hex digits"


def _or_none(check: _Check) -> _Check:
    test, words = check
    return lambda value: value is None or test(value), f"{words}, or null"


_TEXT: _Check = (_is_text, "a text")
_FLAG: _Check = (lambda value: isinstance(value, bool), "true or false")
_NUMBER: _Check = (_is_number, "a number")
_INTEGER: _Check = (_is_int, "an integer")
_COUNT: _Check = (_is_count, "an integer of 0 or more")
_TOKENS: _Check = (_is_token_list, "a list of token ids")
_TEXTS: _Check = (_is_text_list, "a list of texts")
_FLAT: _Check = (_is_flat, "an object without objects in it")

# SamplingParams' fields that decide a text.
PARAMS: dict[str, _Check] = {
    "temperature": _NUMBER,
    "top_p": _NUMBER,
    "top_k": _INTEGER,
    "min_p": _NUMBER,
    "seed": _or_none(_INTEGER),
    "presence_penalty": _NUMBER,
    "frequency_penalty": _NUMBER,
    "repetition_penalty": _NUMBER,
    "stop": _TEXTS,
    "stop_token_ids": _TOKENS,
    "ignore_eos": _FLAG,
    "max_tokens": _or_none(_COUNT),
    "min_tokens": _COUNT,
    "detokenize": _FLAG,
    "skip_special_tokens": _FLAG,
    "spaces_between_special_tokens": _FLAG,
    "include_stop_str_in_output": _FLAG,
    "structured_outputs": _or_none((_is_grammar, "an object of texts and flags")),
    "reasoning": _or_none((_is_grammar, "an object of texts and flags")),
    "thinking_token_budget": _or_none(_INTEGER),
    "logit_bias": _or_none((_is_bias, "an object of numbers by token id")),
    "allowed_token_ids": _or_none(_TOKENS),
    "bad_words": _TEXTS,
}
_FIELDS: dict[str, Any] = {
    "format": _TEXT,
    "id": _or_none(_TEXT),
    "index": _COUNT,
    "created": _COUNT,
    "model": _TEXT,
    "system_fingerprint": _TEXT,
    "system": _FLAT,
    "adapter": _or_none((lambda value: isinstance(value, Mapping), "an object")),
    "prompt": {"num_tokens": _COUNT, "sha256": _hex(32), "token_ids": _or_none(_TOKENS)},
    "params": PARAMS,
    "output": {
        "num_tokens": _COUNT,
        "sha256": _hex(32),
        "token_ids": _or_none(_TOKENS),
        "text_sha256": _hex(32),
        "finish_reason": _TEXT,
        "stop_reason": (lambda value: value is None or _is_text(value) or _is_int(value), "a text, a token or null"),
    },
    "public_key": _hex(32),
    "signature": _hex(64),
}
_ADAPTER: dict[str, Any] = {"name": _TEXT, "sha256": _hex(32)}


def _require_fields(where: str, value: Any, checks: Mapping[str, Any]) -> None:
    """Require exactly these fields, each of its type.

    Raises:
        ReceiptError: a field is missing, unknown or of another type.
    """
    if not isinstance(value, Mapping):
        raise ReceiptError(f"{where.rstrip('.')} is {_told(value)}, expected an object")
    for name in value:
        if name not in checks:
            raise ReceiptError(f"it has the unknown field {_told(where + name)}")
    for name, check in checks.items():
        if name not in value:
            raise ReceiptError(f"it has no field {where}{name}")
        if isinstance(check, Mapping):
            _require_fields(f"{where}{name}.", value[name], check)
        elif not check[0](value[name]):
            raise ReceiptError(f"{where}{name} is {_told(value[name])}, expected {check[1]}")
    if where == "" and value["adapter"] is not None:
        _require_fields("adapter.", value["adapter"], _ADAPTER)
