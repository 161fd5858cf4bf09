"""Checkpoints: decides which states of recurrent layers stay in the prefix cache, and registers them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from torchpaged.kv_cache.block import BlockContent
from torchpaged.kv_cache.prefix_cache import KVCacheBlocks, PrefixCache
from torchpaged.kv_cache.spec import StateSpec
from torchpaged.kv_cache.state_tables import StateTables
from torchpaged.kv_cache.table import CachedSequence, Growth, Held


class Checkpoints:
    """States that the prefix cache can find.

    A state is as large as the keys and values of thousands of tokens, so few are kept: the last one before a prompt's
    end, one per interval, those where prompts diverge, and the last one of a sequence that is freed.

    A checkpoint can be found only after the step that makes it has run, because a layer cannot start from a state that
    the same launch writes. Checkpoints lie in free slots and are evicted least recently used first; no sequence is
    preempted for one.

    Args:
        states: the tables of the states' group.
        cache: the hash chains by which states are found.
        block_size: size of the hashed blocks in tokens.
        helds: the blocks of all sequences, by sequence id.
    """

    def __init__(
        self, states: StateTables, cache: PrefixCache, block_size: int, helds: Mapping[Hashable, Held]
    ) -> None:
        spec = states.group.spec
        assert isinstance(spec, StateSpec)
        self._states, self._cache, self._size, self._helds = states, cache, block_size, helds
        self._interval, self._stride = spec.checkpoint_interval, states.stride
        self._coming: dict[Hashable, tuple[Held, list[int]]] = {}  # of the step being scheduled

    def positions(self, held: Held, first: int, last: int) -> list[int]:
        """Return the boundaries in (first, last] whose states should become checkpoints, in order."""
        stride, interval = self._stride, self._interval
        wanted = {count * interval // stride * stride for count in range(first // interval, last // interval + 2)}
        wanted.add((held.sequence.num_prompt_tokens - 1) // stride * stride)
        return sorted(position for position in wanted.union(held.branches) if first < position <= last)

    def grant(self, held: Held, growth: Growth) -> Growth:
        """Add checkpoints to a growth, as far as there are slots that no running sequence will need.

        They can be found from `commit` on.
        """
        positions = self.positions(held, growth.first, growth.certain)
        if not positions:
            return growth
        self._coming[held.sequence.id] = held, positions
        needed, returned = self._states.room(held.tables[self._states.index], growth)
        owed = max(0, 2 - len(self._states.needed(growth))) + self._owed(held)
        room = self._states.store.pool.ready(needed + owed + len(positions)) + returned - needed - owed
        chunk, last = self._states.chunk, growth.certain // self._states.chunk
        beside = [position for position in positions if position // chunk != last]
        return growth._replace(stored=tuple(beside[-room:])) if room > 0 else growth

    def commit(self) -> None:
        """Register the checkpoints of the step, which has run."""
        for held, positions in self._coming.values():
            self._register(held, positions)
        self._coming.clear()

    def revert(self) -> None:
        """Forget the checkpoints of the step, which has failed."""
        self._coming.clear()

    def drop(self, sequence_id: Hashable) -> None:
        """Forget the checkpoints of a sequence that takes no part in the step."""
        self._coming.pop(sequence_id, None)

    def remember(self, held: Held, *, all_of_them: bool = False) -> None:
        """Register checkpoints of a sequence whose tokens were still pending when the states were made.

        Args:
            all_of_them: register every state that the sequence has; used when it is about to be freed.
        """
        table = held.tables[self._states.index]
        computed, chunk = held.sequence.num_computed_tokens, self._states.chunk
        if all_of_them:
            first = held.since // chunk
            self._register(held, [i * chunk for i in range(max(1, first), min(computed // chunk, len(table)) + 1)])
        else:
            self._register(held, self.positions(held, held.since, computed))

    # --- Prompts with a common beginning -------------------------------------------------------------------

    def note(self, sequence: CachedSequence, running: Iterable[Hashable]) -> None:
        """Have running prefills keep the states at which a waiting sequence diverges from them."""
        for held in map(self._helds.__getitem__, running):
            if held.sequence.num_computed_tokens < held.sequence.num_prompt_tokens:
                self._ask(held, self._common(sequence, held.sequence, len(sequence.token_ids) - 1))

    def with_branches(
        self, sequence: CachedSequence, computed: KVCacheBlocks, waiting: Iterable[CachedSequence]
    ) -> KVCacheBlocks:
        """Add to a prefix hit the boundaries at which sequences that wait diverge from the one being admitted.

        Args:
            waiting: the sequences behind it in the queue.
        """
        common = {self._common(sequence, other, len(other.token_ids) - 1) for other in waiting}
        more = (position for position in sorted(common) if position > computed.num_tokens)
        return replace(computed, branches=(*computed.branches, *more))

    def are_coming(self, sequence: CachedSequence, found: int, limit: int | None, ids: Iterable[Hashable]) -> bool:
        """Return True if a longer prefix than `found` tokens will be cached after the steps that run now.

        A recurrent layer cannot start from a state that the same launch makes, so a sequence that is admitted beside a
        prefill of the same prompt would compute that prompt again; waiting a step avoids it.

        Args:
            limit: most tokens of a hit, as in `KVCacheManager.get_computed_blocks`.
            ids: sequences in the step being scheduled. They are sure to make progress, so the wait ends.
        """
        most = len(sequence.token_ids) - 1
        limit = most if limit is None else min(limit, most)
        for held in map(self._helds.__getitem__, ids):
            other = held.sequence
            if other.num_computed_tokens >= other.num_prompt_tokens:
                continue
            common = self._common(sequence, other, limit)
            if common > found and self._ask(held, common):
                return True
            table, chunk = held.tables[self._states.index], self._states.chunk
            made = self.positions(held, max(found, other.num_computed_tokens), common)
            if any(table[position // chunk - 1].block_id for position in made):
                return True
        return False

    def _ask(self, held: Held, position: int) -> bool:
        """Have a sequence keep the state at a boundary. Returns False if it has passed it already."""
        if position <= held.granted:
            return False
        held.branches = tuple({*held.branches, position})
        return True

    def _common(self, one: CachedSequence, other: CachedSequence, limit: int) -> int:
        """Return the last boundary, at most `limit`, up to which two sequences have the same tokens."""
        if one.cache_keys != other.cache_keys:
            return 0
        low, high = 0, min(limit, len(one.token_ids), len(other.token_ids)) // self._stride
        while low < high:
            middle = (low + high + 1) // 2
            begin, end = low * self._stride, middle * self._stride
            same = one.token_ids[begin:end] == other.token_ids[begin:end]
            low, high = (middle, high) if same else (low, middle - 1)
        return low * self._stride

    def _register(self, held: Held, positions: Iterable[int]) -> None:
        """Register states that were made, if all tokens before them are known."""
        states, sequence = self._states, held.sequence
        table, known = held.tables[states.index], len(sequence.token_ids)
        for position in positions:
            index = position // states.chunk - 1
            if position % self._stride or position > known or index >= len(table):
                continue
            block = table[index]
            if block.block_id and block.content is None:
                number = position // self._size
                digest = self._cache.chain(sequence, number)[number]
                states.store.pool.remember(block, BlockContent(digest, b"", states.index, ()))

    def _owed(self, held: Held) -> int:
        """Return the slots that must stay free so that every other running sequence can get its two."""
        running = [other for other in self._helds.values() if other is not held and other.host is None]
        tables = (other.tables[self._states.index][-2:] for other in running)
        used = {block.block_id for table in tables for block in table if block.block_id}
        return 2 * len(running) - len(used)
