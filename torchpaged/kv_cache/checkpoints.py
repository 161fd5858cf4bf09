"""Checkpoints: which states are kept to be found again, and from when on they are."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from torchpaged.kv_cache.block import BlockContent
from torchpaged.kv_cache.prefix_cache import KVCacheBlocks, PrefixCache
from torchpaged.kv_cache.spec import StateSpec
from torchpaged.kv_cache.state_tables import StateTables
from torchpaged.kv_cache.table import CachedSequence, Growth, Held


class Checkpoints:
    """A state costs as much as thousands of tokens' keys and values, so few are kept: the last one before a prompt's
    end, one at each interval, those where others go another way, and the last one of whoever gives its blocks back.

    One can be found once the step has run that makes it, not before: a layer cannot begin with what the same launch
    writes. Free slots hold checkpoints until others need them, least recently used first; nobody gives way for one.

    Args:
        states: the tables of their group.
        cache: has the hashes by which they are found.
        block_size: of the blocks that are hashed.
        helds: what sequences hold, by id.
    """

    def __init__(
        self, states: StateTables, cache: PrefixCache, block_size: int, helds: Mapping[Hashable, Held]
    ) -> None:
        spec = states.group.spec
        assert isinstance(spec, StateSpec)
        self._states, self._cache, self._size, self._helds = states, cache, block_size, helds
        self._interval, self._stride = spec.checkpoint_interval, states.stride
        self._coming: dict[Hashable, tuple[Held, list[int]]] = {}  # of the step in the making

    def positions(self, held: Held, first: int, last: int) -> list[int]:
        """The boundaries in (first, last] whose states are to be found later, in order."""
        stride, interval = self._stride, self._interval
        wanted = {count * interval // stride * stride for count in range(first // interval, last // interval + 2)}
        wanted.add((held.sequence.num_prompt_tokens - 1) // stride * stride)
        return sorted(position for position in wanted.union(held.branches) if first < position <= last)

    def grant(self, held: Held, growth: Growth) -> Growth:
        """The same growth with checkpoints in it, as far as there is room that no sequence will need.

        What a step makes is to be found from `commit` on.
        """
        positions = self.positions(held, growth.first, growth.certain)
        if not positions:
            return growth
        self._coming[held.sequence.id] = held, positions
        needed, returned = self._states.room(held.tables[self._states.index], growth)
        owed = max(0, 2 - len(self._states.needed(growth))) + self._owed(held)
        room = self._states.store.pool.num_free + returned - needed - owed
        chunk, last = self._states.chunk, growth.certain // self._states.chunk
        beside = [position for position in positions if position // chunk != last]
        return growth._replace(stored=tuple(beside[-room:])) if room > 0 else growth

    def commit(self) -> None:
        """The step has run."""
        for held, positions in self._coming.values():
            self._reveal(held, positions)
        self._coming.clear()

    def revert(self) -> None:
        """The step has failed."""
        self._coming.clear()

    def drop(self, sequence_id: Hashable) -> None:
        """A sequence takes no part in the step."""
        self._coming.pop(sequence_id, None)

    def remember(self, held: Held, *, all_of_them: bool = False) -> None:
        """Checkpoints that a sequence has computed, and whose tokens were not known then, can be found.

        Args:
            all_of_them: every state that it has: it costs nothing more.
        """
        table = held.tables[self._states.index]
        computed, chunk = held.sequence.num_computed_tokens, self._states.chunk
        if all_of_them:
            first = held.since // chunk
            self._reveal(held, [i * chunk for i in range(max(1, first), min(computed // chunk, len(table)) + 1)])
        else:
            self._reveal(held, self.positions(held, held.since, computed))

    # --- Prompts that begin alike --------------------------------------------------------------------------

    def note(self, sequence: CachedSequence, running: Iterable[Hashable]) -> None:
        """A sequence waits: prefills among those that run keep the states where it parts from them."""
        for held in map(self._helds.__getitem__, running):
            if held.sequence.num_computed_tokens < held.sequence.num_prompt_tokens:
                self._ask(held, self._common(sequence, held.sequence, len(sequence.token_ids) - 1))

    def with_branches(
        self, sequence: CachedSequence, computed: KVCacheBlocks, waiting: Iterable[CachedSequence]
    ) -> KVCacheBlocks:
        """What was found for a sequence that is admitted: on its way it keeps the states where it parts from others.

        Args:
            waiting: those that come behind it.
        """
        common = {self._common(sequence, other, len(other.token_ids) - 1) for other in waiting}
        more = (position for position in sorted(common) if position > computed.num_tokens)
        return replace(computed, branches=(*computed.branches, *more))

    def are_coming(self, sequence: CachedSequence, found: int, limit: int | None, ids: Iterable[Hashable]) -> bool:
        """Whether more of a sequence's tokens than the `found` ones will be found when a prefill has gone on.

        No recurrent layer can begin with a state that the same launch makes, so whoever is admitted beside a prefill of
        the same prompt computes it too.

        Args:
            limit: tokens at most, as of `KVCacheManager.get_computed_blocks`.
            ids: sequences that are computed in the step in the making: nobody waits for those for ever.
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
        """Has a sequence keep the state at a boundary; False: it has come by already."""
        if position <= held.granted:
            return False
        held.branches = tuple({*held.branches, position})
        return True

    def _common(self, one: CachedSequence, other: CachedSequence, limit: int) -> int:
        """The last boundary, at most `limit`, up to which two sequences have the same tokens."""
        if one.cache_keys != other.cache_keys:
            return 0
        low, high = 0, min(limit, len(one.token_ids), len(other.token_ids)) // self._stride
        while low < high:
            middle = (low + high + 1) // 2
            begin, end = low * self._stride, middle * self._stride
            same = one.token_ids[begin:end] == other.token_ids[begin:end]
            low, high = (middle, high) if same else (low, middle - 1)
        return low * self._stride

    def _reveal(self, held: Held, positions: Iterable[int]) -> None:
        """States that were made can be found, where all tokens before them are known."""
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
        """Slots that must stay free so that each of the others gets the two that it can ask for."""
        running = [other for other in self._helds.values() if other is not held and other.host is None]
        tables = (other.tables[self._states.index][-2:] for other in running)
        used = {block.block_id for table in tables for block in table if block.block_id}
        return 2 * len(running) - len(used)
