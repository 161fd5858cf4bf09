"""Block hashes: 32 bytes that identify the content of a full block and of everything before it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple


class MultimodalKey(NamedTuple):
    """An input that is not text: the positions it fills, and a hash of its content."""

    start: int
    length: int
    content: str


@dataclass(frozen=True, slots=True)
class CacheKeys:
    """Inputs beside the tokens that decide a request's keys and values, or that limit sharing.

    Args:
        salt: only requests with the same salt share blocks; None is a salt of its own.
        lora: the adapter that the request runs with.
        multimodal: inputs that placeholder tokens stand for.
    """

    salt: str | None = None
    lora: str | None = None
    multimodal: tuple[MultimodalKey, ...] = ()

    def of_block(self, start: int, end: int) -> tuple[MultimodalKey, ...]:
        """Return the inputs that reach into positions [start, end), counted from `start`."""
        return tuple(
            MultimodalKey(key.start - start, key.length, key.content)
            for key in self.multimodal
            if key.start < end and key.start + key.length > start
        )


NO_KEYS = CacheKeys()


def root_hash(keys: CacheKeys) -> bytes:
    """Hash of the keys that hold for a whole request; the first block's hash is chained to it."""
    return sha256(_field(b"salt", keys.salt) + _field(b"lora", keys.lora)).digest()


def block_hash(parent: bytes, token_ids: Sequence[int], inputs: Sequence[MultimodalKey] = ()) -> bytes:
    """sha256 over the parent's hash, the block's tokens and the inputs in it, each tagged with kind and size.

    A prefix hit compares only hashes: two different prefixes with the same hash would be a collision of sha256.
    """
    return _hash(parent, b"tokens%d:" % len(token_ids) + array("q", token_ids).tobytes(), inputs)


def _hash(parent: bytes, tokens: bytes, inputs: Sequence[MultimodalKey]) -> bytes:
    message = b"parent" + parent + tokens
    for start, length, content in inputs:
        message += b"input%d:%d:" % (start, length) + _field(b"content", content)
    return sha256(message).digest()


def tier_key(kind: str, group: int, content: bytes) -> bytes:
    """Return the 32 bytes under which a tier below the pools keeps a block.

    Args:
        kind: content of the pool, `PoolKind.value`.
        group: the layer group whose block it is.
        content: the block's hash, which covers salt, adapter, images and every token before its end.
    """
    return sha256(f"{kind}:{group}:".encode() + content).digest()


def extend_chain(chain: list[bytes], token_ids: Sequence[int], block_size: int, count: int, keys: CacheKeys) -> None:
    """Extend a hash chain until it has `count` blocks after its root."""
    first, last = (len(chain) - 1) * block_size, count * block_size
    # All tokens become bytes at once: block by block they take longer than the hashes of a long prompt.
    encoded = array("q", token_ids[first:last])
    size, tag, parent = encoded.itemsize, b"tokens%d:" % block_size, chain[-1]
    tokens = encoded.tobytes()
    for start in range(first, last, block_size):
        at = (start - first) * size
        inputs = keys.of_block(start, start + block_size) if keys.multimodal else ()
        parent = _hash(parent, tag + tokens[at : at + block_size * size], inputs)
        chain.append(parent)


def _field(tag: bytes, value: str | None) -> bytes:
    """Encode one field so that None differs from every text and no text runs into the next field."""
    if value is None:
        return tag + b"-"
    encoded = value.encode("utf-8", "surrogatepass")
    return tag + b"%d:" % len(encoded) + encoded
