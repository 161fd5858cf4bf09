"""Prefixes in one file, a segment of the prefix store: written by one process, read by another with the same model.

The first value lists the prefixes; the others are the bytes of their blocks, one after the other, in pieces.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from torchpaged.errors import ConfigError, ModelError, reason_of
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.execution.pool_bytes import PoolBytes
from torchpaged.kv_cache import KVCacheGroup, PoolKind, SavedPrefix
from torchpaged.kv_cache.spec import StateSpec, TailSpec
from torchpaged.prefix_store import segment
from torchpaged.prefix_store.checksum import Checksum
from torchpaged.prefix_store.segment import DamagedSegment, ForeignSegment, Header
from torchpaged.utils import interrupts
from torchpaged.utils.atomic_files import replaced

_CONTENTS = sha256(b"torchpaged prefixes").digest()  # key of the list
_PIECE = 16 << 20  # bytes of a piece, unless there would be more pieces than a segment has rows
_LONGEST_ADAPTER = 128  # characters


def fingerprint(runner: ModelRunner) -> str:
    """Return a hash of everything that determines a block's contents: weights, cache dtype and layout."""
    cache, spec = runner.kv_cache, runner.model.spec
    layers = sorted(cache.layers.items()) + sorted(spec.states.items())
    factors = [(index, factor.tolist()) for index, factor in sorted(cache.key_factors.items())]
    parts = (runner.model.fingerprint(), cache.dtype, cache.block_size, layers, runner.groups, *factors)
    return sha256(repr(parts).encode()).hexdigest()


def metadata_of(runner: ModelRunner) -> dict[str, Any]:
    """Return what `torchpaged cache ls` shows of a model's cache."""
    spec, cache = runner.model.spec, runner.kv_cache
    return {
        "model": spec.name,
        "dtype": str(cache.dtype).removeprefix("torch."),
        "block_size": cache.block_size,
        "num_layers": len(spec.layers) + len(spec.states),
    }


def pools_of(runner: ModelRunner) -> dict[PoolKind, PoolBytes]:
    """Return the pools whose blocks can be stored. Tails cannot: a prefix ends at a boundary, where they are empty."""
    pools = {PoolKind.BLOCKS: PoolBytes(runner.kv_cache.tensors)} if runner.kv_cache.tensors else {}
    if runner.state_pool is not None:
        pools[PoolKind.STATES] = PoolBytes(runner.state_pool.tensors(PoolKind.STATES))
    return pools


def write_file(path: str | Path, prefixes: Sequence[SavedPrefix], runner: ModelRunner, key: bytes | None) -> None:
    """Write prefixes to a file.

    Args:
        path: of the file; an existing one is replaced.
        prefixes: block id 0 stands for a block that has left its group's window.
        runner: has the pools.
        key: for the checksums, see `Checksum`.

    Raises:
        ConfigError: the file cannot be written.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ConfigError(f"save_prefix: the path is {path!r:.80}, expected a path")
    name = fingerprint(runner)
    checksum = Checksum(name, key)
    header = Header(name, checksum, metadata_of(runner))
    try:
        with interrupts.kept(), replaced(path) as made:
            segment.write(made, header, checksum, _values(prefixes, runner))
    except (OSError, ValueError) as error:
        raise ConfigError(f"save_prefix: {str(path)!r} could not be written: {reason_of(error)}") from error


def _values(prefixes: Sequence[SavedPrefix], runner: ModelRunner) -> Iterator[tuple[bytes, memoryview]]:
    """Iterate over the keys and values of a file."""
    pools, contents, blocks = pools_of(runner), [], list[tuple[PoolKind, int]]()
    for token_ids, tables, adapter in prefixes:
        contents.append({"token_ids": [int(token) for token in token_ids], "adapter": adapter})
        for (_, kind), table in zip(_stored(runner), _without_tails(runner, tables), strict=True):
            blocks += [(kind, block) for block in table if block]
    yield _CONTENTS, memoryview(json.dumps(contents).encode())
    num_bytes = sum(pools[kind].block_bytes for kind, _ in blocks)
    most = max(_PIECE, 2 * num_bytes // segment.ROWS)
    number = first = 0
    while first < len(blocks):
        parts, size, last = [], 0, first
        while last < len(blocks) and (last == first or size < most):
            kind, block = blocks[last]
            copied = pools[kind].copy_out([block])
            copied.wait()
            parts.append(copied.values[0])
            size, last = size + pools[kind].block_bytes, last + 1
        yield _key(number), memoryview(np.concatenate(parts))
        number, first = number + 1, last


class PrefixFile:
    """Prefix file, all of it checked against the model that is to use it.

    Attributes:
        token_ids: tokens of each prefix.
        adapters: content of the adapter that each was computed with; None: the model alone.

    Raises:
        ConfigError: the file does not exist, is not a prefix file, is damaged, or has another checksum key.
        ModelError: it was written with another model or cache.
    """

    def __init__(self, path: str | Path, runner: ModelRunner, key: bytes | None) -> None:
        self.path, self._runner, self._pools = str(path), runner, pools_of(runner)
        try:
            with interrupts.kept():
                values = self._read(key)
        except (ConfigError, ModelError):
            raise
        except DamagedSegment as error:
            raise self._refusal(f"is damaged: {error}") from None
        except (OSError, ValueError) as error:
            raise ConfigError(f"load_prefix: {self.path!r} could not be read: {reason_of(error)}") from error
        contents = self._contents(values.pop(_CONTENTS, None))
        self.token_ids = [self._tokens(number, each.get("token_ids")) for number, each in enumerate(contents)]
        self.adapters = [self._adapter(number, each.get("adapter")) for number, each in enumerate(contents)]
        self._blocks = self._split(values)

    def _refusal(self, what: str) -> ConfigError:
        return ConfigError(f"load_prefix: {self.path!r} {what}; save the prefix again")

    def _read(self, key: bytes | None) -> dict[bytes, memoryview]:
        """Return the file's values, if it is one of this model and this key."""
        file = segment.open_file(self.path)
        page = os.pread(file.fileno(), segment.PAGE, 0)
        if page[8:9] == b"{" and int.from_bytes(page[:8], "little") < 1 << 32:
            raise self._refusal("is a safetensors file, as earlier versions wrote them")
        try:
            found = str(segment.read_metadata(page).get("namespace"))
        except ForeignSegment as error:
            raise self._refusal(f"cannot be used: {error}") from None
        if found != (own := fingerprint(self._runner)):
            raise ModelError(
                f"load_prefix: {self.path!r} was saved by another model or with another cache: its fingerprint is "
                f"{found[:12]}..., this model's is {own[:12]}...; compute the prefix again"
            )
        checksum = Checksum(own, key)
        if segment.key_id_of(page) != checksum.key_id:
            had = "with another checksum key, or without one" if key else "with a checksum key"
            raise ConfigError(
                f"load_prefix: {self.path!r} was saved {had}; set prefix_cache_key_file to its key's file"
            )
        return segment.read(file.fileno(), checksum)

    def _contents(self, value: memoryview | None) -> list[Mapping[str, Any]]:
        """Return the list of the prefixes."""
        try:
            found = json.loads(bytes(value or b""))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, list) or not found or not all(isinstance(each, dict) for each in found):
            raise self._refusal("has no list of prefixes")
        return found

    def _tokens(self, number: int, tokens: object) -> list[int]:
        """Return a prefix's tokens, checked to be whole blocks of the model's vocabulary."""
        size, vocabulary = self._runner.kv_cache.block_size, self._runner.model.spec.vocab_size
        if not isinstance(tokens, list) or not tokens or len(tokens) % size:
            count = len(tokens) if isinstance(tokens, list) else "no"
            raise self._refusal(f"has {count} tokens in prefix {number}, expected whole blocks of {size}")
        for token in tokens:
            if type(token) is not int or not 0 <= token < vocabulary:
                raise self._refusal(f"has token {token!r:.40} in prefix {number}, expected 0 to {vocabulary - 1}")
        return tokens

    def _adapter(self, number: int, content: object) -> str | None:
        """Return the content of a prefix's adapter."""
        if content is not None and not (
            isinstance(content, str) and content.isascii() and 0 < len(content) <= _LONGEST_ADAPTER
        ):
            raise self._refusal(
                f"has adapter {content!r:.40} in prefix {number}, expected 1 to {_LONGEST_ADAPTER} ASCII characters"
            )
        return content

    def _split(self, values: Mapping[bytes, memoryview]) -> list[list[list[memoryview]]]:
        """Return the blocks' bytes by prefix and group."""
        pieces: list[memoryview] = []
        while (piece := values.get(_key(len(pieces)))) is not None:
            pieces.append(piece)
        found, number, first = [], 0, 0
        for token_ids in self.token_ids:
            groups = []
            for group, kind in _stored(self._runner):
                size, blocks = self._pools[kind].block_bytes, []
                for _ in range(len(token_ids) // group.spec.block_size - group.spec.num_skipped_blocks(len(token_ids))):
                    if number < len(pieces) and first == len(pieces[number]):
                        number, first = number + 1, 0
                    if number == len(pieces) or first + size > len(pieces[number]):
                        raise self._refusal(f"has {sum(map(len, pieces))} bytes of blocks, and its prefixes have more")
                    blocks.append(pieces[number][first : first + size])
                    first += size
                groups.append(blocks)
            found.append(groups)
        if len(values) != len(pieces) or number + 1 < len(pieces) or (pieces and first < len(pieces[number])):
            raise self._refusal("has more values than its prefixes have blocks")
        return found

    def write(self, number: int, tables: Sequence[Sequence[int]]) -> None:
        """`PrefixSource.write`."""
        orders = [pool.after_now() for pool in self._pools.values()]
        for order in orders:
            order()
        stored = _without_tails(self._runner, tables)
        for (_, kind), table, blocks in zip(_stored(self._runner), stored, self._blocks[number], strict=True):
            for block, value in zip([block for block in table if block], blocks, strict=True):
                is_whole = self._pools[kind].copy_in(block, value)
                assert is_whole


def _stored(runner: ModelRunner) -> list[tuple[KVCacheGroup, PoolKind]]:
    """Return the groups whose blocks are stored, each with its pool."""
    return [
        (group, PoolKind.STATES if isinstance(group.spec, StateSpec) else PoolKind.BLOCKS)
        for group in runner.groups
        if not isinstance(group.spec, TailSpec)
    ]


def _without_tails(runner: ModelRunner, tables: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    groups = zip(runner.groups, tables, strict=True)
    return [table for group, table in groups if not isinstance(group.spec, TailSpec)]


def _key(number: int) -> bytes:
    """Return the key of a piece."""
    return sha256(b"torchpaged prefixes, piece %d" % number).digest()
