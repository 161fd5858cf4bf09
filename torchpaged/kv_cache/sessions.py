"""Sessions: cached blocks that a client has asked to retain for the next turn of a conversation."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.kv_cache.block import BlockContent, KVCacheBlock
from torchpaged.kv_cache.table import GroupTables, Held

# Sessions whose blocks are known; of those that were not used for longest, blocks go as others do.
_MOST_SESSIONS = 4096
_MOST_LETTERS = 256
_MOST_SECONDS = 1e9

_Entry = tuple[int, KVCacheBlock, BlockContent]  # group, block and what it had when the session retained it


@dataclass(frozen=True, slots=True)
class CacheHint:
    """A client's hint about what it will send next. It changes which cached blocks are evicted first, and no answer.

    Args:
        session: name of the conversation; a turn replaces what the one before it has retained.
        retain: seconds after the request's end for which its blocks are evicted after those of others, or "session":
            until a request of the session with `release`.
        release: the session has ended: its blocks are evicted as others are.

    Raises:
        ConfigError: a value of another kind, or a hint that asks for nothing.
    """

    session: str | None = None
    retain: float | str | None = None
    release: bool = False

    def __post_init__(self) -> None:
        name, retain = self.session, self.retain
        if not (name is None or (isinstance(name, str) and 0 < len(name) <= _MOST_LETTERS)):
            _refuse("session", name, f"a text of 1 to {_MOST_LETTERS} characters")
        is_time = isinstance(retain, (int, float)) and not isinstance(retain, bool) and 0 <= retain <= _MOST_SECONDS
        if not (retain is None or retain == "session" or is_time):
            _refuse("retain", retain, f"seconds of 0 to {_MOST_SECONDS:g}, or 'session'")
        if not isinstance(self.release, bool):
            _refuse("release", self.release, "True or False")
        if retain == "session" and name is None:
            _refuse("retain", retain, "a session beside it, which ends it with release=True")
        if self.release and retain is not None:
            _refuse("release", self.release, f"no retain beside it, which is {retain!r}")
        if self.release and name is None:
            _refuse("release", self.release, "the session that has ended beside it")

    @classmethod
    def of(cls, given: Any) -> CacheHint:
        """Return a hint as it is, or make one of a dictionary of its fields.

        Raises:
            ConfigError: as the constructor, or an unknown field.
        """
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise ConfigError(f"cache_hint is {given!r:.80}, expected a dictionary of session, retain and release")
        for name in given:
            if name not in cls.__slots__:
                raise ConfigError(f"cache_hint: unknown field {name!r:.80}{did_you_mean(str(name), cls.__slots__)}")
        return cls(**given)


def _refuse(name: str, value: object, expected: str) -> None:
    raise ConfigError(f"cache_hint: {name} is {value!r:.80}, expected {expected}")


class Sessions:
    """The blocks that sessions retain. They stay evictable: if nothing else is left, retained blocks go too.

    Args:
        kinds: the tables of each group.
        clock: returns seconds, that of the pools' `RetainingQueue`.
    """

    def __init__(self, kinds: Sequence[GroupTables], clock: Callable[[], float] = time.monotonic) -> None:
        self._kinds, self._clock = kinds, clock
        # By salt and name, the session that was used last is last.
        self._retained: dict[tuple[str | None, str], list[_Entry]] = {}
        self._num_sessions: Counter[tuple[int, int]] = Counter()  # that retain a (group, block id)

    def apply(self, held: Held, hint: CacheHint) -> None:
        """Retain the blocks of a sequence that ends, or let go what its session has retained."""
        blocks = [
            (group, block, block.content)
            for group, table in enumerate(held.tables)
            for block in table
            if block.content is not None
        ]
        until = 0.0
        if hint.retain is not None:
            until = math.inf if hint.retain == "session" else self._clock() + float(hint.retain)
        if hint.session is not None:
            name = held.sequence.cache_keys.salt, hint.session
            before = self._retained.pop(name, [])
            if hint.retain is not None:
                self._retained[name] = blocks
                self._num_sessions.update((group, block.block_id) for group, block, _ in blocks)
            self._let_go(before)
            if len(self._retained) > _MOST_SESSIONS:
                self._let_go(self._retained.pop(next(iter(self._retained))))
        if hint.retain is not None:
            for group, block, _ in blocks:
                self._set(group, block, max(until, block.keep_until))

    def _let_go(self, entries: Sequence[_Entry]) -> None:
        """Retain blocks no longer, except those that another session, or a newer turn, retains."""
        for group, block, content in entries:
            self._num_sessions[group, block.block_id] -= 1
            if not self._num_sessions[group, block.block_id]:
                del self._num_sessions[group, block.block_id]
                if block.content is content:
                    self._set(group, block, 0.0)

    def _set(self, group: int, block: KVCacheBlock, until: float) -> None:
        self._kinds[group].store.pool.retain(block, until)

    def clear(self) -> None:
        """Forget all sessions."""
        self._retained.clear()
        self._num_sessions.clear()

    def check(self) -> None:
        """Assert that the counts are those of the sessions."""
        counted = Counter((group, block.block_id) for entries in self._retained.values() for group, block, _ in entries)
        assert counted == self._num_sessions
