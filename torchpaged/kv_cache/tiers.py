"""Tiers: blocks of the prefix cache that lie in a store below the pools. Knows keys and blocks; moves no bytes.

A block goes down when its slot is given to another content, or as soon as it is written (`writes_through`), and comes
up when a sequence that waits could start from it. A slow read is shared: the sequence computes the first blocks of the
prefix, behind which alone a token can be computed, while the others are read from the last one on; where the two meet,
it starts again from all of them.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from torchpaged.kv_cache.block import BlockContent, KVCacheBlock, PoolKind, TierCopy
from torchpaged.kv_cache.block_hash import CacheKeys, tier_key
from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.prefix_cache import PrefixCache
from torchpaged.kv_cache.table import CachedSequence, GroupTables, Table

# Loads that are read at once: one, and one behind it so that the reader has no pause.
_MOST_READING = 2
# Seconds that a lookup may take, and a read at least, before the tokens are computed instead.
_LOOKUP_PATIENCE, _READ_PATIENCE = 1.0, 2.0
# A read may take so many times the time of computing its tokens: it was begun because it should have been faster.
_OVERRUN = 2.0
# A part is computed meanwhile if the prefix is expected in so much less of the time that reading all of it takes.
_SHARED = 0.85
# Factor on the assumed time of a read after each that was not made, so that a slow moment is not remembered for ever.
_FORGETTING = 0.95


class TierRead(NamedTuple):
    """Blocks to read into slots that a load holds, in order."""

    load: int
    copies: tuple[TierCopy, ...]


class LookedUp(NamedTuple):
    """Answer of a lookup: for each key, True if the store has it."""

    load: int
    found: Sequence[bool]


class Arrived(NamedTuple):
    """The next blocks of a read.

    Args:
        load: number of the load.
        whole: for each of the next copies, True if its slot has the block; False if the store has lost it.
        seconds: time that they took.
    """

    load: int
    whole: Sequence[bool]
    seconds: float


class TierReader(Protocol):
    """Reads from the store, in a thread of its own. `Step.tier_reads` tells it what to read."""

    def look_up(self, load: int, keys: Sequence[bytes]) -> None:
        """Begin to look for keys; the answer comes as an event."""
        ...

    def cancel(self, load: int | None) -> None:
        """Stop a load, or all: nothing is written to its slots after this call, and no event of it comes."""
        ...

    def events(self) -> Sequence[LookedUp | Arrived]:
        """Return what has happened since the last call."""
        ...

    def wait(self, timeout: float) -> None:
        """Return when there are events, or after so many seconds."""
        ...

    def forget(self, keys: Sequence[bytes]) -> None:
        """Delete blocks whose content cannot be trusted."""
        ...


class Phase(enum.Enum):
    """LOOKING -> QUEUED -> READING -> DONE, or DONE from any of them."""

    LOOKING = "looking"  # the store is asked which blocks it has
    QUEUED = "queued"  # it has some; other loads are read first, or read the same blocks
    READING = "reading"
    DONE = "done"  # all that could be read is in the pools; the sequence may be admitted


@dataclass(slots=True, eq=False)
class Load:
    """A sequence's blocks in the store, on their way into the pools.

    Args:
        number: never reused.
        sequence: waits, without blocks of its own.
        most: blocks of the longest prefix that may be found.
        chain: its block hashes, the root's first.
        asked: (hash, group) of the keys that were looked up.
        num_found: blocks of the prefix that the pools have.
        since: when the phase began.
        available: (hash, group) of the blocks that the store has.
        held: per group, the blocks that the load holds until the sequence is admitted.
        reads: (group, index of the hash, block) of those that are read, in the order of reading.
        num_arrived: number of them that have been read or turned out to be lost.
        end: blocks of the prefix that the load brings.
        is_shared: the sequence computes the first blocks meanwhile.
        is_admitted: it has blocks of its own for that.
        needed: of a shared load, the blocks that the sequence must compute, because those behind them have been read.
        is_broken: of a shared load, one was lost, so that `needed` stays.
    """

    number: int
    sequence: CachedSequence
    most: int
    chain: Sequence[bytes]
    asked: Sequence[tuple[bytes, int]]
    num_found: int
    since: float
    phase: Phase = Phase.LOOKING
    available: set[tuple[bytes, int]] = field(default_factory=set)
    held: tuple[Table, ...] = ()
    reads: list[tuple[int, int, KVCacheBlock]] = field(default_factory=list)
    num_arrived: int = 0
    end: int = 0
    is_shared: bool = False
    is_admitted: bool = False
    needed: int = 0
    is_broken: bool = False


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A `CachedSequence` that is looked up and never computed."""

    token_ids: tuple[int, ...]
    cache_keys: CacheKeys
    num_computed_tokens: int = 0
    num_encoder_tokens: int = 0

    @property
    def id(self) -> Hashable:
        return "prefetch", self.token_ids, self.cache_keys

    @property
    def num_prompt_tokens(self) -> int:
        return len(self.token_ids)


@dataclass(frozen=True, slots=True)
class TierCounts:
    """Numbers of blocks since the engine was made.

    Args:
        num_looked_up, num_found: keys that the store was asked for, and how many of them it had.
        num_read, num_lost: blocks that were read, and those that the store had lost by then.
        num_hit_tokens: tokens of admitted sequences that only the tiers had.
        num_declined: reads that were not begun because computing was faster.
        num_shared: reads during which the first part of the prefix was computed, and which brought the rest.
        num_cut: loads that took too long, or gave their blocks to a running sequence.
        read_seconds: time spent on reading.
        saved_seconds: time that computing the tokens of `num_hit_tokens` would have taken.
    """

    num_looked_up: int = 0
    num_found: int = 0
    num_read: int = 0
    num_lost: int = 0
    num_hit_tokens: int = 0
    num_declined: int = 0
    num_shared: int = 0
    num_cut: int = 0
    read_seconds: float = 0.0
    saved_seconds: float = 0.0


class Tiers:
    """Blocks that move between the pools and the store: those looked up, read, and written.

    Invariants:
        - A block may go down only with the bytes of its content: when the content is evicted, before the first copy or
          write of the step that evicts it, and never if the slot was allocated since the last step, because what it
          holds may not have been copied there yet; through, after the step that has written it.
        - A key names salt, adapter, images and all tokens up to the block's end (`block_hash`), the group and the pool.
        - A slot that is read into is held by its load and cannot be found; it is registered when it is whole. Reading
          begins only after the slot's old content has gone down.
        - A load holds blocks only while its sequence waits, or computes what the load does not read. It gives them up
          for running sequences, and at any time.
        - A sequence waits for one load at most between two admissions, and no longer than the patience allows, so a
          store that is slow, loses values or fails delays it and does no more.

    Args:
        stores: the pools.
        kinds: the tables of each group.
        cache: finds blocks in the pools.
        block_size: tokens in a block.
        reader: reads from the store.
        writes_through: True if every block goes to the store when it is written, not only those that are evicted.
        clock: returns seconds.

    Attributes:
        seconds_per_token: time of computing a token of a prompt; None: unknown, so everything is read.
        counts: numbers of blocks.
    """

    def __init__(
        self,
        stores: Sequence[Store],
        kinds: Sequence[GroupTables],
        cache: PrefixCache,
        block_size: int,
        reader: TierReader,
        *,
        writes_through: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stores, self._kinds, self._cache, self._size = stores, kinds, cache, block_size
        self.reader, self._writes_through, self._clock = reader, writes_through, clock
        for store in stores:
            store.pool.record(registered=writes_through)
        self._loads: dict[Hashable, Load] = {}
        self._by_number: dict[int, Load] = {}
        self._count = 0
        self._finished: list[Hashable] = []  # sequences whose loads are done since `advance`
        self._has_changed = False  # since loads were last chosen to be read
        self._reads: list[TierRead] = []
        self.seconds_per_token: float | None = None
        self._seconds_per_block: float | None = None
        self.counts = TierCounts()

    # --- Up ------------------------------------------------------------------------------------------------

    def knows(self, sequence: CachedSequence) -> bool:
        """Return True if a waiting sequence has been looked up since it was queued."""
        return sequence.id in self._loads

    def begin(self, sequence: CachedSequence, limit: int | None, num_found: int) -> bool:
        """Look for more of a waiting sequence's prefix in the store. Returns False if there is no need to.

        Args:
            limit: most tokens of the prefix, as in `KVCacheManager.get_computed_blocks`.
            num_found: tokens of it that the pools have.
        """
        assert not self.knows(sequence), f"{sequence} is looked up twice"
        most = len(sequence.token_ids) - 1
        most = (most if limit is None else min(limit, most)) // self._size
        count = num_found // self._size
        chain = self._cache.chain(sequence, most)
        # A longer prefix reads no block before `count` that this one does not read.
        asked = [(chain[number], group) for group, number in self._hashed(most) if number > count]
        asked = [each for each in asked if self._cache.find(*each) is None]
        wanted = set(asked)
        self._count += 1
        load = Load(self._count, sequence, most, chain, asked, count, self._clock())
        self._loads[sequence.id] = self._by_number[load.number] = load
        if self._reach(load, wanted, most) <= count:
            load.phase = Phase.DONE  # nothing that the store may have would help
            return False
        self.counts = replace(self.counts, num_looked_up=self.counts.num_looked_up + len(asked))
        self.reader.look_up(load.number, self._keys(asked))
        return True

    def advance(self, num_reserved_blocks: int = 0, *, may_share: bool = False) -> list[Hashable]:
        """Take the reader's events, begin reads, and return the ids of sequences that wait no longer.

        Args:
            num_reserved_blocks: number of blocks that must stay free.
            may_share: True if nothing else is computed now, so that a sequence may compute a part of its prefix.
        """
        for event in self.reader.events():
            if (load := self._by_number.get(event.load)) is None or load.phase is Phase.DONE:
                continue
            if isinstance(event, LookedUp):
                self._take_found(load, event.found)
            else:
                self._take_blocks(load, event)
        now = self._clock()
        for load in list(self._by_number.values()):
            if load.phase is not Phase.DONE and now - load.since > self._patience(load):
                self._cut(load)
        if self._has_changed:
            self._has_changed = False
            for load in list(self._by_number.values()):
                if load.phase is Phase.QUEUED:
                    self._read(load, num_reserved_blocks, may_share and not isinstance(load.sequence, _Prompt))
                    may_share = may_share and not load.is_shared
        finished, self._finished = self._finished, []
        return finished

    def met(self) -> list[tuple[Hashable, int]]:
        """Return (id, tokens) of sequences that should start again, because the pools have more than they computed.

        The tokens are those that they need not compute. Their loads hold the blocks until they are admitted.
        """
        found = []
        for load in [each for each in self._by_number.values() if each.is_shared and each.is_admitted]:
            own = load.sequence.num_computed_tokens // self._size
            if own < min(load.needed, load.end):
                continue
            gain = self._reach(load, set(), load.end, own) - own
            if gain <= 0:  # it has computed all, or the pools have lost what was read
                self.drop(load.sequence.id)
                continue
            if load.phase is Phase.READING:
                self._end(load)
                self._finish(load)
            load.is_shared, load.num_found = False, own
            self.counts = replace(self.counts, num_shared=self.counts.num_shared + 1)
            found.append((load.sequence.id, gain * self._size))
        return found

    def most_tokens(self, sequence: CachedSequence, first: int) -> int | None:
        """Return how many tokens a sequence should compute in a step; None if no load shares its prefix.

        So many that it does not compute what has been read by then.
        """
        load = self._loads.get(sequence.id)
        if load is None or not load.is_shared or (left := len(load.reads) - load.num_arrived) <= 0:
            return None
        own, begin = first // self._size, min(number for _, number, _ in load.reads)
        if own < begin - 1:
            return (begin - 1) * self._size - first
        read, compute = left * (self._seconds_per_block or 0.0), self._size * (self.seconds_per_token or 0.0)
        blocks = max(1, min(load.needed - own, int(read / (compute + read / max(1, load.needed - own)))))
        return (own + blocks) * self._size - first

    @property
    def awaits_reader(self) -> bool:
        """True if a load is looked up or read."""
        return any(load.phase in (Phase.LOOKING, Phase.READING) for load in self._by_number.values())

    def take_reads(self) -> list[TierRead]:
        """Return the reads to begin after evicted blocks have been copied out (`take_evicted`)."""
        reads, self._reads = self._reads, []
        return reads

    def admit(self, sequence: CachedSequence, num_tokens: int) -> None:
        """Note that a sequence has been admitted with a prefix of so many tokens, which it holds itself now."""
        if (load := self._loads.get(sequence.id)) is not None and load.is_shared:
            load.is_admitted = True
        elif load is not None:
            gain = max(0, num_tokens - load.num_found * self._size) if load.num_arrived else 0
            self.counts = replace(
                self.counts,
                num_hit_tokens=self.counts.num_hit_tokens + gain,
                saved_seconds=self.counts.saved_seconds + gain * (self.seconds_per_token or 0.0),
            )
            self.drop(sequence.id)

    def drop(self, sequence_id: Hashable) -> None:
        """Forget a sequence's load, if it has one."""
        if (load := self._loads.pop(sequence_id, None)) is not None:
            self._end(load)
            del self._by_number[load.number]
            self._release(load)
            self._has_changed = True
            self._finished = [each for each in self._finished if each != sequence_id]

    def drop_all(self) -> None:
        """Forget all loads, because no sequence waits for one any more and the pools' contents are not known."""
        for load in list(self._by_number.values()):
            self.drop(load.sequence.id)
        self._reads.clear()
        self.take_evicted()

    def give_way(self, beside: Hashable = None) -> bool:
        """Release the blocks of the load that was begun last; return False if none has blocks.

        What it has read stays cached until it is evicted.

        Args:
            beside: id of a sequence whose load comes after all others.
        """
        loads = [load for load in self._by_number.values() if any(load.held)]
        if not loads:
            return False
        load = next((each for each in reversed(loads) if each.sequence.id != beside), loads[0])
        self._cut(load)
        self._release(load)
        return True

    def revert(self, reads: Iterable[TierRead]) -> None:
        """Note that reads were not begun: their step was not launched."""
        for read in reads:
            if (load := self._by_number.get(read.load)) is not None:
                self._cut(load)
                self._release(load)

    def clear(self) -> None:
        """Forget all loads, from any state, without releasing blocks: the pools are rebuilt."""
        self.reader.cancel(None)
        self._loads.clear()
        self._by_number.clear()
        self._finished.clear()
        self._reads.clear()
        self.take_evicted()
        self.take_written()

    def items(self) -> Iterator[tuple[Hashable, tuple[Table, ...]]]:
        """Iterate over (name, tables) of the loads that hold blocks."""
        for load in self._by_number.values():
            if load.held:
                yield ("load", load.number), load.held

    # --- Ahead of requests ---------------------------------------------------------------------------------

    def prefetch(self, token_ids: Sequence[int], keys: CacheKeys) -> Hashable:
        """Begin to bring a prompt's blocks into the pools, unless that is under way; return its name."""
        prompt = _Prompt(tuple(token_ids), keys)
        if not self.knows(prompt):
            blocks = self._cache.computed_blocks(prompt, len(token_ids) - 1) if len(token_ids) > 1 else None
            if blocks is None or not self.begin(prompt, None, blocks.num_tokens):
                self._forget_prompt(prompt)
        return prompt.id

    def is_prefetching(self, name: Hashable) -> bool:
        """Return True if a prompt's blocks are still on their way."""
        return name in self._loads

    def end_prefetches(self) -> None:
        """Stop all prefetching."""
        for load in list(self._by_number.values()):
            if isinstance(load.sequence, _Prompt):
                self._forget_prompt(load.sequence)

    def num_in_pools(self, token_ids: Sequence[int], keys: CacheKeys) -> int:
        """Return how many of a prompt's tokens a request would find in the pools."""
        if len(token_ids) < 2:
            return 0
        prompt = _Prompt(tuple(token_ids), keys)
        found = self._cache.computed_blocks(prompt, len(token_ids) - 1).num_tokens
        if not self.knows(prompt):
            self._cache.drop(prompt)
        return found

    def _forget_prompt(self, prompt: CachedSequence) -> None:
        self.drop(prompt.id)
        self._cache.drop(prompt)

    # --- Down ----------------------------------------------------------------------------------------------

    def take_evicted(self) -> list[TierCopy]:
        """Return the blocks whose contents were evicted, to be copied out before anything is written to the pools."""
        return [
            TierCopy(store.kind, block_id, tier_key(store.kind.value, content.group, content.hash))
            for store in self._stores
            for block_id, content in store.pool.take_evicted()
        ]

    def take_written(self) -> list[TierCopy]:
        """Return the blocks that were written since the last call, if they go through, to be copied out now.

        Called between steps; a block of the step in flight is written before the copy, in the order of launches.
        """
        copies, pending = [], self._cache.pending_blocks
        for store in self._stores:
            left = []
            for block, content in store.pool.take_registered():
                if block.content is not content:
                    continue  # forgotten, or evicted: then it has gone down already
                if store.kind is PoolKind.BLOCKS and block in pending:
                    left.append((block, content))
                else:
                    copies.append(self._down(store, block, content))
            if left:
                store.pool.registered = left
        return copies

    def cached(self) -> list[TierCopy]:
        """Return all blocks that the prefix cache can find, those that would be evicted last first."""
        return [
            self._down(store, block, block.content)
            for store in self._stores
            for block in reversed(store.pool.in_order_of_eviction())
            if block.content is not None and not (store.kind is PoolKind.BLOCKS and block in self._cache.pending_blocks)
        ]

    def forget(self, sequence: CachedSequence) -> None:
        """Delete a sequence's blocks from the store: their content cannot be trusted."""
        count = len(sequence.token_ids) // self._size
        if count:
            chain = self._cache.chain(sequence, count)
            self.reader.forget(self._keys([(chain[number], group) for group, number in self._hashed(count)]))

    # --- Internals -----------------------------------------------------------------------------------------

    def _down(self, store: Store, block: KVCacheBlock, content: BlockContent) -> TierCopy:
        return TierCopy(store.kind, block.block_id, tier_key(store.kind.value, content.group, content.hash))

    def _hashed(self, most: int) -> Iterator[tuple[int, int]]:
        """Iterate over (group, index in the hash chain) of all blocks of the first `most` blocks of tokens."""
        for group, kind in enumerate(self._kinds):
            for index in range(kind.length(most * self._size, 0)):
                number = kind.hash_index(index)
                if number is not None and number <= most:
                    yield group, number

    def _keys(self, contents: Iterable[tuple[bytes, int]]) -> list[bytes]:
        return [tier_key(self._kinds[group].store.kind.value, group, digest) for digest, group in contents]

    def _reach(self, load: Load, available: set[tuple[bytes, int]], most: int, own: int = 0) -> int:
        """Return the blocks of the longest prefix of pools and store together.

        Args:
            own: blocks of attention that the sequence itself has.
        """
        cache, first = self._cache, set(load.chain[1 : own + 1])

        def find(digest: bytes, group: int) -> object:
            if cache.find(digest, group) is not None or (digest, group) in available:
                return True
            return digest in first and self._kinds[group].store.kind is PoolKind.BLOCKS

        return cache.reach(load.chain, most, find)

    def _patience(self, load: Load) -> float:
        if load.phase is Phase.LOOKING:
            return _LOOKUP_PATIENCE
        if load.phase is Phase.QUEUED:
            return float("inf")  # it waits for loads whose own patience is bounded
        computing = (self.seconds_per_token or 0.0) * len(load.reads) * self._size
        return max(_READ_PATIENCE, _OVERRUN * computing)

    def _take_found(self, load: Load, found: Sequence[bool]) -> None:
        if load.phase is not Phase.LOOKING:
            return
        load.available = {each for each, there in zip(load.asked, found, strict=True) if there}
        self.counts = replace(self.counts, num_found=self.counts.num_found + len(load.available))
        load.phase, load.since, self._has_changed = Phase.QUEUED, self._clock(), True

    def _read(self, load: Load, reserved: int, may_share: bool) -> None:
        """Begin to read a load, if it is its turn and worth it."""
        begun = [other for other in self._by_number.values() if other.phase is Phase.READING]
        if len(begun) >= _MOST_READING:
            return
        coming = {(other.chain[number], group) for other in begun for group, number, _ in other.reads}
        there = self._reach(load, set(), load.most)
        count = self._reach(load, load.available | coming, load.most)
        if count <= there:
            self._finish(load)
            return
        wanted = self._wanted(load, count)
        if any((load.chain[number], group) in coming for number, group in wanted):
            return  # another load brings some of them
        begin = self._shared(wanted, there, count) if may_share else there
        if begin == there and not self._is_worth(len(wanted), (count - there) * self._size):
            self.counts = replace(self.counts, num_declined=self.counts.num_declined + 1)
            self._finish(load)
            return
        while not self._hold(load, count, reserved, begin):
            count, begin = self._reach(load, load.available, count * 3 // 4), there
            if count <= there:
                self._finish(load)  # no room
                return
        load.num_found, load.phase, load.since = there, Phase.READING, self._clock()
        load.end = load.needed = count
        if begin > there:
            load.is_shared = True
            load.reads.reverse()  # so that it meets what the sequence computes
            self._finished.append(load.sequence.id)
        keys = self._keys([(load.chain[number], group) for group, number, _ in load.reads])
        self._reads.append(
            TierRead(
                load.number,
                tuple(
                    TierCopy(self._kinds[group].store.kind, block.block_id, key)
                    for (group, _, block), key in zip(load.reads, keys, strict=True)
                ),
            )
        )

    def _shared(self, wanted: Sequence[tuple[int, int]], there: int, count: int) -> int:
        """Return up to which block a sequence had better compute while those behind it are read; `there`: none.

        Args:
            wanted: (index of the hash, group) of the blocks that would be read.
            there, count: blocks of the prefix that the pools have, and those that it would have.
        """
        if self.seconds_per_token is None or self._seconds_per_block is None:
            return there
        compute, best = self._size * self.seconds_per_token, there
        least = _SHARED * min(len(wanted) * self._seconds_per_block, (count - there) * compute)
        numbers = sorted(number for number, _ in wanted)
        for index, number in enumerate(numbers):
            if index and number == numbers[index - 1]:
                continue
            seconds = max((number - 1 - there) * compute, (len(numbers) - index) * self._seconds_per_block)
            if seconds < least:
                best, least = number - 1, seconds
        return best

    def _wanted(self, load: Load, count: int) -> list[tuple[int, int]]:
        """Return (index of the hash, group) of the blocks of a prefix that a later query reads and the pools lack."""
        wanted = []
        for group, kind in enumerate(self._kinds):
            for index in kind.read_after(count * self._size):
                number = kind.hash_index(index)
                assert number is not None
                if self._cache.find(load.chain[number], group) is None:
                    wanted.append((number, group))
        return wanted

    def _is_worth(self, num_blocks: int, num_tokens: int) -> bool:
        """Return True if reading so many blocks is expected to be faster than computing so many tokens."""
        if self.seconds_per_token is None or self._seconds_per_block is None:
            return True
        if num_blocks * self._seconds_per_block < num_tokens * self.seconds_per_token:
            return True
        self._seconds_per_block *= _FORGETTING
        return False

    def _hold(self, load: Load, count: int, reserved: int, begin: int) -> bool:
        """Hold the blocks of a prefix, new ones for those to be read. Returns False, changing nothing, without room.

        Args:
            begin: the first blocks, which are not read.
        """
        found: list[list[KVCacheBlock]] = []
        missing: list[list[int]] = []  # per group, indexes in the hash chain
        for group, kind in enumerate(self._kinds):
            numbers = [
                number for i in kind.read_after(count * self._size) if (number := kind.hash_index(i)) is not None
            ]
            blocks = {number: self._cache.find(load.chain[number], group) for number in numbers}
            found.append([block for block in blocks.values() if block is not None])
            missing.append([number for number, block in blocks.items() if block is None and number > begin])
        for store in self._stores:
            groups = [group for group, kind in enumerate(self._kinds) if kind.store is store]
            needed = sum(len(missing[group]) for group in groups)
            needed += len({block.block_id for group in groups for block in found[group] if block.ref_count == 0})
            needed += reserved if store.kind is PoolKind.BLOCKS else 0
            if needed > store.pool.ready(needed):
                return False
        for kind, table in zip(self._kinds, found, strict=True):
            kind.store.pool.share(table)
        load.held, load.reads = tuple(found), []
        for group, kind in enumerate(self._kinds):
            new = kind.store.pool.allocate(len(missing[group]))
            assert new is not None
            load.held[group].extend(new)
            load.reads += [(group, number, block) for number, block in zip(missing[group], new, strict=True)]
        load.reads.sort(key=lambda read: read[1])  # from the beginning on, so that a part is of use
        return True

    def _take_blocks(self, load: Load, event: Arrived) -> None:
        """Register the blocks that are whole."""
        first, count = load.num_arrived, len(event.whole)
        for (group, number, block), whole in zip(load.reads[first : first + count], event.whole, strict=True):
            load.is_broken |= not whole
            if whole:
                kind, content = self._kinds[group], self._cache.content_of(load.sequence, number, group)
                kind.store.pool.remember(block, content, came_up=True)
        load.num_arrived += count
        if self.seconds_per_token is None:
            load.since = self._clock()  # nothing says how long computing would take, so it may go on while blocks come
        if load.is_shared and not load.is_broken:
            left = load.reads[load.num_arrived :]
            load.needed = left[0][1] if left else load.reads[-1][1] - 1
        num_whole = sum(event.whole)
        self.counts = replace(
            self.counts,
            num_read=self.counts.num_read + num_whole,
            num_lost=self.counts.num_lost + count - num_whole,
            read_seconds=self.counts.read_seconds + event.seconds,
        )
        if num_whole:
            seconds = event.seconds / count
            known = self._seconds_per_block
            self._seconds_per_block = seconds if known is None else (3 * known + seconds) / 4
        if load.num_arrived == len(load.reads):
            self._finish(load)

    def _cut(self, load: Load) -> None:
        """End a load before its time; what it has read stays."""
        if load.phase is not Phase.DONE:
            self.counts = replace(self.counts, num_cut=self.counts.num_cut + 1)
            self._end(load)
            self._finish(load)

    def _end(self, load: Load) -> None:
        """Stop a load's lookup or read."""
        if load.phase in (Phase.LOOKING, Phase.READING):
            self._reads = [read for read in self._reads if read.load != load.number]
            self.reader.cancel(load.number)

    def _finish(self, load: Load) -> None:
        load.phase, self._has_changed = Phase.DONE, True
        load.asked, load.available = (), set()
        if isinstance(load.sequence, _Prompt):  # a prompt has no request whose end would release it
            self._forget_prompt(load.sequence)
        else:
            self._finished.append(load.sequence.id)
        for other in self._by_number.values():
            if other.phase is Phase.READING:
                other.since = self._clock()  # only now is it read

    def _release(self, load: Load) -> None:
        held, load.held, load.reads = load.held, (), []
        for kind, table in zip(self._kinds, held, strict=bool(held)):
            kind.store.host_mirror.release(table)

    def check(self) -> None:
        """Assert the invariants."""
        assert sorted(load.number for load in self._loads.values()) == sorted(self._by_number)
        for load in self._by_number.values():
            assert not any(load.held) or load.phase in (Phase.READING, Phase.DONE), load
            assert load.num_arrived <= len(load.reads) or not load.held
            assert not load.is_admitted or load.phase in (Phase.READING, Phase.DONE)
            if load.phase is Phase.READING:
                assert all(block.content is None for _, _, block in load.reads[load.num_arrived :])
                assert all(block.ref_count == 1 for _, _, block in load.reads[load.num_arrived :])
