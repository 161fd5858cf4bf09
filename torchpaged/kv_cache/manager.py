"""KVCacheManager: the block tables of all sequences. It makes no decisions: it grants a request or returns None."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence

from torchpaged.kv_cache.block import BlockCopy, EvictionPolicy, PoolKind, RetainingQueue, TierCopy
from torchpaged.kv_cache.block_hash import CacheKeys
from torchpaged.kv_cache.checkpoints import Checkpoints
from torchpaged.kv_cache.memory_limit import MemoryLimit, PoolMemory
from torchpaged.kv_cache.pins import Pins
from torchpaged.kv_cache.pool_set import PoolSet
from torchpaged.kv_cache.prefix_cache import KVCacheBlocks, PrefixCache
from torchpaged.kv_cache.reclaimer import Reclaimer
from torchpaged.kv_cache.sessions import CacheHint, Sessions
from torchpaged.kv_cache.spec import KVCacheGroup, num_attention_groups, num_blocks, require_groups, require_slots
from torchpaged.kv_cache.stats import KVCacheStats
from torchpaged.kv_cache.swap_space import SwapSpace
from torchpaged.kv_cache.table import (
    CachedSequence,
    Edits,
    Growth,
    Held,
    Table,
    TokenTables,
    num_empty_slots,
)
from torchpaged.kv_cache.tiers import TierReader, Tiers


class KVCacheManager:
    """Block tables of all sequences, one table per group of layers.

    Invariants: a block's reference count equals the number of table entries, pins included, that name it; a sequence
    is never granted a slot in a block that another table names or that the prefix cache can find; a call that returns
    None has changed nothing.

    Args:
        groups: kinds of layers, with one block table each. A cross-attention group comes last; its table holds the
            encoder's tokens, is filled when the sequence starts and never changes. Keys and values then depend on the
            encoder's input too, so prefix caching and swapping must be off. Groups of recurrent states and tails come
            last and have their own pools.
        num_blocks: size of the pool, the null block included; 1 is enough for a model without attention.
        block_size: tokens per hashed block; required for a model without attention, else derived from the groups.
        num_state_slots, num_tail_slots: sizes of the pools of states and tails, the null slot included. A sequence
            needs at most two slots of each; the remaining state slots hold checkpoints.
        num_swap_blocks: size of the host pool, whose blocks are numbered from 1; 0 turns swapping off.
        num_swap_state_slots, num_swap_tail_slots: likewise; a swapped sequence needs one slot of each.
        enable_prefix_caching: if full blocks can be found by content.
        eviction_policy: makes the keeper of free blocks; `RetainingQueue` by default.
        limit: limit on the memory of blocks and slots, without those of the host; None: all may be used at any time.
            Where it allows no further block, the pool counts as full.
        block_bytes: bytes of a block, and of a slot, in all layers; needed with a limit and for `memory`.
        tier_reader: reads from the store below the pools; None: there is no store.
        writes_through: see `Tiers`.

    Attributes:
        checkpoints: chooses the states that can be found; None without recurrent layers or without prefix caching.
        reclaimer: chooses blocks whose memory goes back to the system; None without a limit.
        tiers: blocks in a store below the pools; None without a store.
        prefix_size: the length of a pinned prefix is a multiple of this many tokens.

    Raises:
        ValueError: no group, block sizes that differ, cross-attention that is not the last of two or more groups,
            states without tails, slots without states, or a pool without a usable block.
    """

    def __init__(
        self,
        groups: Sequence[KVCacheGroup],
        num_blocks: int,
        *,
        block_size: int | None = None,
        num_state_slots: int = 0,
        num_tail_slots: int = 0,
        num_swap_blocks: int = 0,
        num_swap_state_slots: int = 0,
        num_swap_tail_slots: int = 0,
        enable_prefix_caching: bool = True,
        eviction_policy: Callable[[], EvictionPolicy] = RetainingQueue,
        limit: MemoryLimit | None = None,
        block_bytes: Mapping[PoolKind, int] | None = None,
        tier_reader: TierReader | None = None,
        writes_through: bool = False,
    ) -> None:
        size = self.block_size = require_groups(groups, block_size, enable_prefix_caching or bool(num_swap_blocks))
        self.groups = tuple(groups)
        self.enable_prefix_caching = enable_prefix_caching
        attention = num_attention_groups(groups)
        swaps = bool(num_swap_blocks or (num_swap_state_slots and not attention))
        require_slots(
            attention < len(groups),
            swaps,
            num_state_slots=num_state_slots,
            num_tail_slots=num_tail_slots,
            num_swap_state_slots=num_swap_state_slots,
            num_swap_tail_slots=num_swap_tail_slots,
        )
        sizes = {
            PoolKind.BLOCKS: (num_blocks, num_swap_blocks),
            PoolKind.STATES: (num_state_slots, num_swap_state_slots),
            PoolKind.TAILS: (num_tail_slots, num_swap_tail_slots),
        }
        self._limit, self._block_bytes = limit, block_bytes or {}
        self._stores = PoolSet(
            groups,
            size,
            sizes,
            swaps=swaps,
            eviction_policy=eviction_policy,
            limit=limit,
            block_bytes=self._block_bytes,
        )
        self.reclaimer = None if limit is None else Reclaimer(self._stores.all, limit)
        self._kinds, states = self._stores.kinds, self._stores.states
        self.pool, self.host_pool = self._stores.blocks.pool, self._stores.blocks.host_pool
        stride = states.stride if states else 0
        self._cache = PrefixCache(self.pool, self._kinds, size, attention, stride)
        self._held: dict[Hashable, Held] = {}
        self.checkpoints: Checkpoints | None = None
        if states and enable_prefix_caching:
            self.checkpoints = Checkpoints(states, self._cache, size, self._held)
        self.prefix_size = stride or size
        self._pins = Pins(self._kinds, self.prefix_size, has_states=bool(stride))
        self._swap: SwapSpace | None = None
        if swaps:
            self._swap = SwapSpace(
                self._stores.all, self._cache, self._kinds, block_size=size, finds=enable_prefix_caching
            )
        self.tiers: Tiers | None = None
        if tier_reader is not None and enable_prefix_caching:
            self.tiers = Tiers(
                self._stores.all, self._kinds, self._cache, size, tier_reader, writes_through=writes_through
            )
        self._sessions = Sessions(self._kinds)
        self._copies: list[BlockCopy] = []
        self._longest: dict[tuple[int | None, int], int] = {}  # results of `max_tokens`; a pin invalidates them

    # --- Queries -------------------------------------------------------------------------------------------

    def max_tokens(self, max_new_tokens: int | None = None, num_encoder_tokens: int = 0) -> int:
        """Return the longest sequence that fits if it has the pool to itself, with `max_new_tokens` computed per step.

        If every layer has a window there is no limit once the window fits; 2**40 is returned then.
        """
        if (max_new_tokens, num_encoder_tokens) in self._longest:
            return self._longest[max_new_tokens, num_encoder_tokens]
        rooms = [store.pool.num_usable - self._pins.num_blocks(store) for store in self._stores]
        longest = self._stores.longest(rooms, max_new_tokens, num_encoder_tokens)
        self._longest[max_new_tokens, num_encoder_tokens] = longest
        return longest

    @property
    def has_states(self) -> bool:
        """True if there are recurrent layers."""
        return self._stores.states is not None

    @property
    def is_short_of_memory(self) -> bool:
        """True if there are blocks that only the limit on memory keeps from being used."""
        return self._limit is not None and any(store.pool.num_vacant for store in self._stores)

    @property
    def swaps(self) -> bool:
        """True if there is a host pool."""
        return self._swap is not None

    def block_ids(self, sequence: CachedSequence) -> tuple[list[int], ...]:
        """Return the sequence's block tables, one per group; 0 for a block that has left the window."""
        held = self._held.get(sequence.id)
        tables: Iterable[Table] = [[] for _ in self.groups] if held is None else held.tables
        return _ids(tables)

    def table_lengths(self, sequence: CachedSequence) -> tuple[int, ...]:
        """Return the lengths of the sequence's tables, one per group."""
        return tuple(map(len, self._held[sequence.id].tables))

    def take_changes(self, sequence: CachedSequence) -> list[tuple[int, int, int]]:
        """Return (group, index, block id) of the entries that `allocate_slots` replaced since the last call."""
        held = self._held[sequence.id]
        replaced, held.replaced = held.replaced, []
        return replaced

    def is_swapped(self, sequence: CachedSequence) -> bool:
        """True if the sequence's blocks are in the host pool."""
        held = self._held.get(sequence.id)
        return held is not None and held.host is not None

    def num_held_blocks(self, sequence: CachedSequence) -> int:
        """Return the number of blocks, of the pool or the host pool, in the sequence's tables."""
        held = self._held.get(sequence.id)
        tables = () if held is None else held.host or held.tables
        return sum(block.block_id != 0 for table in tables[: len(self._stores.attention)] for block in table)

    def num_own_bytes(self, sequence: CachedSequence) -> int:
        """Return the bytes of the sequence's blocks and slots that no other table names."""
        held = self._held.get(sequence.id)
        parts = () if held is None else zip(self._kinds, held.tables, strict=True)
        return sum(
            self._block_bytes.get(kind.store.kind, 0) * sum(block.ref_count == 1 for block in table)
            for kind, table in parts
        )

    def quiet_until(self, sequence: CachedSequence) -> int:
        """Return the length up to which the sequence can grow, one token per step, without a call of `allocate_slots`.

        Until then its slots exist, are its own, and no block leaves a window. A fork ends that. A block that it fills
        meanwhile is registered in the prefix cache by the next `allocate_slots`, or when it is freed.
        """
        held = self._held[sequence.id]
        limit = num_blocks(held.num_tokens, self.block_size) * self.block_size
        for kind in self._kinds:
            limit = kind.quiet_until(sequence.num_computed_tokens, held.granted, limit)
        return limit

    # --- Prefix caching ------------------------------------------------------------------------------------

    def get_computed_blocks(self, sequence: CachedSequence, limit: int | None = None) -> tuple[KVCacheBlocks, int]:
        """Look up the longest cached prefix of the sequence's tokens that every group has. Changes nothing.

        Args:
            limit: most tokens of the hit. The last token is never part of it, because its logits must be computed.

        Returns:
            (blocks, num_tokens): the hit, to be passed to `allocate_slots`, and its length.
        """
        most = len(sequence.token_ids) - 1
        limit = most if limit is None else min(limit, most)
        if not self.enable_prefix_caching or limit < 1:
            return KVCacheBlocks(tuple([] for _ in self.groups), (), 0), 0
        blocks = self._cache.computed_blocks(sequence, limit)
        return blocks, blocks.num_tokens

    def reset_prefix_cache(self) -> bool:
        """Empty the prefix cache. Returns False, changing nothing, while any block is in use."""
        if self.tiers is not None:
            self.tiers.end_prefetches()
        if self._held or any(store.pool.num_free < store.pool.num_usable for store in self._stores):
            return False
        self.forget_cached()
        return True

    def forget_cached(self) -> None:
        """Unregister all blocks from the prefix cache; sequences keep theirs."""
        for store in self._stores:
            store.pool.forget_all()

    def set_apart(self) -> None:
        """Unregister all blocks, after the weights have changed; sequences keep theirs, and no other can find them."""
        self.forget_cached()
        for held in self._held.values():
            self._cache.set_apart(held.sequence)

    def reset(self, pins: Collection[str] = ()) -> None:
        """Rebuild everything from any state, after an interrupt: no sequence has blocks and only pins are cached.

        Args:
            pins: names of the pins to keep; unknown names are skipped.
        """
        self._held.clear()
        self._copies.clear()
        self._longest.clear()
        self._cache.clear()
        self._sessions.clear()
        if self.tiers is not None:
            self.tiers.clear()
        if self.checkpoints is not None:
            self.checkpoints.revert()
        self._pins.keep(pins)
        for store in self._stores:
            store.host_mirror.clear()
            store.pool.restore(self._pins.tables_in(store))
            if store.host_pool is not None:
                store.host_pool.restore(())

    def commit(self) -> None:
        """Note that the scheduled step has run: its pending blocks are written."""
        self._cache.pending_blocks.commit()
        if self._limit is not None:
            self._limit.commit()
        if self.checkpoints is not None:
            self.checkpoints.commit()

    def revert(self) -> None:
        """Note that the scheduled step has failed: unregister the blocks that it would have filled."""
        self._cache.pending_blocks.revert()
        if self.checkpoints is not None:
            self.checkpoints.revert()
        for held in self._held.values():
            held.num_hashed = min(held.num_hashed, held.sequence.num_computed_tokens // self.block_size)

    def pin(self, name: str, sequence: CachedSequence) -> int:
        """Hold the full blocks of a sequence's computed tokens that a later query reads, until `unpin(name)`.

        With recurrent layers the pin ends at the last boundary whose state the sequence has, and holds that state.

        Returns:
            The number of tokens of the pinned prefix.
        """
        self._longest.clear()
        held = self._held[sequence.id]
        self._remember(held)
        return self._pins.hold(name, held)

    @property
    def pins(self) -> Collection[str]:
        """Names of all pins."""
        return self._pins.names

    def pinned_block_ids(self, name: str) -> tuple[list[int], ...]:
        """Return a pin's block tables, one per group."""
        return _ids(self._pins.tables(name))

    def unpin(self, name: str, *, forget: bool = False) -> None:
        """Release a pin's blocks; they stay in the prefix cache until they are evicted.

        Args:
            forget: unregister them too, because their content cannot be trusted.
        """
        if forget:
            self._cache.forget(self._pins.tables(name))
        self._pins.release(name)
        self._longest.clear()

    def adopt(self, name: str, token_ids: Sequence[int]) -> tuple[list[int], ...] | None:
        """Pin new blocks for a prefix whose keys, values and state the caller will write, for example from a file.

        They are not registered in the prefix cache before `reveal`.

        Returns:
            Per group, the block ids to write to; 0 for a block that no later query reads. None if there is no room.
        """
        if not self._pins.adopt(name, len(token_ids)):
            return None
        self._longest.clear()
        return self.pinned_block_ids(name)

    def reveal(self, name: str, token_ids: Sequence[int], keys: CacheKeys) -> None:
        """Register the blocks of an adopted prefix, which are written now."""
        self._cache.reveal(token_ids, keys, self._pins.tables(name))

    # --- Growth --------------------------------------------------------------------------------------------

    def allocate_slots(
        self,
        sequence: CachedSequence,
        num_new_tokens: int,
        *,
        computed: KVCacheBlocks | None = None,
        num_lookahead_tokens: int = 0,
        num_reserved_blocks: int = 0,
    ) -> tuple[list[int], ...] | None:
        """Allocate slots for the tokens after `num_computed_tokens`, or after `computed` for a new sequence.

        Blocks that have left a window are released. A shared block is copied before it is written (`take_copies`).
        Blocks that the new tokens fill are registered in the prefix cache, except those of lookahead tokens and a block
        whose last token is still pending (`token_ids` is shorter then).

        Args:
            num_new_tokens: number of tokens to compute in the step.
            computed: the prefix hit of `get_computed_blocks`.
            num_lookahead_tokens: further slots, for drafts.
            num_reserved_blocks: number of blocks that must stay free.

        Returns:
            Ids of the added blocks, one list per group (for a new sequence, its whole tables). None if the pool has too
            few free blocks; nothing has changed then.
        """
        if num_new_tokens < 1:
            raise ValueError(f"num_new_tokens is {num_new_tokens}, expected 1 or more")
        held = self._held.get(sequence.id)
        starts = held is None
        if held is None:
            held = Held(sequence, tuple([] for _ in self.groups))
        assert held.host is None, f"{sequence.id} is swapped out"
        assert computed is None or starts, f"{sequence.id} has blocks already"
        first = sequence.num_computed_tokens if computed is None else computed.num_tokens
        total = first + num_new_tokens
        growth = Growth(first, total + num_lookahead_tokens, sequence.num_encoder_tokens, total, held.since)
        if computed is not None and not self._take(held, computed, growth, num_reserved_blocks):
            return None
        # `_take` has checked the room for a new sequence, reserved blocks included.
        added = self._grow(held, growth, 0 if computed is not None else num_reserved_blocks)
        if added is None:
            return None
        self._held[sequence.id] = held
        if computed is not None:
            self._cache.num_queried_tokens += len(sequence.token_ids)
            self._cache.num_hit_tokens += computed.num_tokens
            if self.tiers is not None:
                self.tiers.admit(sequence, computed.num_tokens)
        if self.enable_prefix_caching:
            self._cache.register_pending(held, min(total, len(sequence.token_ids)) // self.block_size)
        return self.block_ids(sequence) if starts else added

    def look_ahead(
        self, sequence: CachedSequence, num_certain: int, num_drafts: int, *, num_reserved_blocks: int = 0
    ) -> tuple[int, tuple[list[int], ...]]:
        """Allocate slots for drafts after tokens that have theirs, for as many as fit. Never preempts a sequence.

        The slots are the sequence's own and not registered in the prefix cache. With recurrent layers drafts end before
        the next boundary, so that no state is made of a draft.

        Args:
            num_certain: number of tokens that are computed once the step has run, without drafts.
            num_reserved_blocks: number of blocks that must stay free. Free slots in the sequence's own last block are
                used in any case.

        Returns:
            (number of drafts with slots, ids of the added blocks, one list per group).
        """
        held, size = self._held[sequence.id], self.block_size
        if (states := self._stores.states) is not None:
            since = num_certain % states.chunk
            num_drafts = min(num_drafts, states.chunk - 1 - since if since else 0)
        kinds = [kind for kind in self._kinds[: len(self._stores.attention)] if isinstance(kind, TokenTables)]
        last = num_blocks(num_certain + num_drafts, size)
        missing = sum(max(0, last - len(held.tables[kind.index])) for kind in kinds)
        if missing and missing + num_reserved_blocks > self.pool.ready(missing + num_reserved_blocks):
            last = num_blocks(max(held.num_tokens, num_certain), size)
            num_drafts = min(num_drafts, last * size - num_certain)
        added: tuple[list[int], ...] = tuple([] for _ in self.groups)
        for kind in kinds:
            table = held.tables[kind.index]
            new = self.pool.allocate(max(0, last - len(table)))
            assert new is not None
            table.extend(new)
            added[kind.index].extend(block.block_id for block in new)
        held.num_tokens = max(held.num_tokens, num_certain + num_drafts)
        return num_drafts, added

    def fork(self, parent: CachedSequence, child: CachedSequence) -> None:
        """Share every block of the parent's computed tokens, the partial one too, with a new sequence."""
        source = self._held[parent.id]
        assert child.id not in self._held, f"{child.id} has blocks already"
        num_tokens = parent.num_computed_tokens
        fork = Held(child, tuple([] for _ in self.groups), num_tokens, since=num_tokens)
        if source.host is not None:
            fork.host = tuple(list(table) for table in source.host)
            for kind, table in zip(self._kinds, fork.host, strict=True):
                assert kind.store.host_pool is not None
                kind.store.host_pool.share(table)
        else:
            fork.tables = tuple(kind.forked(t, num_tokens) for kind, t in zip(self._kinds, source.tables, strict=True))
            for kind, table in zip(self._kinds, fork.tables, strict=True):
                kind.store.pool.share(table)
            # The runner copies the parent's row as it is there, with states that the fork does not share.
            fork.replaced = source.replaced + _dropped(source.tables, fork.tables)
        fork.num_hashed = min(source.num_hashed, parent.num_computed_tokens // self.block_size)
        self._held[child.id] = fork
        self._cache.fork(parent, child, fork.num_hashed)

    def free(self, sequence: CachedSequence, *, forget: bool = False, keeps_load: bool = False) -> None:
        """Release every block of a sequence. Does nothing for a sequence without blocks.

        Args:
            forget: unregister them from the prefix cache, because their content cannot be trusted.
            keeps_load: it is admitted again with what its load has brought, which holds it until then.
        """
        held = self._held.pop(sequence.id, None)
        if held is not None and not forget:
            self._remember(held)
        if self.tiers is not None:
            if not keeps_load:
                self.tiers.drop(sequence.id)
            if forget:
                self.tiers.forget(sequence)
        self._cache.drop(sequence)
        if self.checkpoints is not None:
            self.checkpoints.drop(sequence.id)
        if held is None:
            return
        if forget and held.host is None:
            self._cache.forget(held.tables)
        for kind, table in zip(self._kinds, held.host or held.tables, strict=True):
            if held.host is None:
                kind.store.host_mirror.release(table)
            else:
                kind.store.host_mirror.release_host(table)

    def hint(self, sequence: CachedSequence, hint: CacheHint) -> None:
        """Apply a request's cache hint to the blocks of a sequence that is about to be freed."""
        held = self._held.get(sequence.id)
        if held is not None and held.host is None and self.enable_prefix_caching:
            self._remember(held)
            self._sessions.apply(held, hint)

    def take_copies(self) -> list[BlockCopy]:
        """Return the block copies to make before the forward, in this order: copy-on-write, swaps out and in."""
        copies, self._copies = self._copies, []
        return copies

    def take_evicted(self) -> list[TierCopy]:
        """Return the evicted blocks to copy out before those copies, for the store below the pools."""
        return [] if self.tiers is None else self.tiers.take_evicted()

    # --- Swapping ------------------------------------------------------------------------------------------

    def swap_out(self, sequence: CachedSequence) -> list[BlockCopy] | None:
        """Move the blocks of the computed tokens to the host. A block that has a host copy is not copied again.

        Returns:
            The copies, which `take_copies` returns too. None, with nothing changed, if the host pool has no room.
        """
        held = self._held[sequence.id]
        assert held.host is None, f"{sequence.id} is swapped out already"
        self._remember(held)
        copies = None if self._swap is None else self._swap.move_out(held)
        if copies is not None and self.tiers is not None:
            self.tiers.drop(sequence.id)
        if copies is not None and self.checkpoints is not None:
            self.checkpoints.drop(sequence.id)
        self._copies += copies or ()
        return copies

    def swap_in(self, sequence: CachedSequence, *, num_new_tokens: int = 0) -> list[BlockCopy] | None:
        """Bring a swapped sequence back. Blocks that the pool still has are not copied.

        Args:
            num_new_tokens: number of tokens for which there must be room too, so that it is not swapped out at once.

        Returns:
            The copies, which `take_copies` returns too. None, with nothing changed, if the pool has no room.
        """
        held = self._held[sequence.id]
        assert held.host is not None and self._swap is not None, f"{sequence.id} is not swapped out"
        copies = self._swap.move_in(held, num_new_tokens)
        self._copies += copies or ()
        return copies

    # --- Inspection ----------------------------------------------------------------------------------------

    def stats(self) -> KVCacheStats:
        """Return how full the pools are, and counts of hits, evictions and swaps."""
        used = self.pool.num_usable - self.pool.num_free
        host, size = self.host_pool, self.block_size
        states, tails = [store.pool for store in self._stores.all[1:]] or (None, None)
        return KVCacheStats(
            num_blocks=self.pool.num_usable,
            num_free_blocks=self.pool.num_free,
            num_cached_blocks=self.pool.num_cached_free,
            num_pinned_blocks=self._pins.num_blocks(self._stores.blocks),
            block_size=size,
            num_tokens=used * size - num_empty_slots(self._held.values(), self._stores.attention, size),
            num_queried_tokens=self._cache.num_queried_tokens,
            num_hit_tokens=self._cache.num_hit_tokens,
            num_evictions=self.pool.num_evictions,
            num_swap_blocks=host.num_usable if host else 0,
            num_free_swap_blocks=host.num_free if host else 0,
            num_swapped_out=self._swap.num_out if self._swap else 0,
            num_swapped_in=self._swap.num_in if self._swap else 0,
            num_state_slots=states.num_usable if states else 0,
            num_free_state_slots=states.num_free if states else 0,
            num_cached_state_slots=states.num_cached_free if states else 0,
            num_pinned_state_slots=self._pins.num_blocks(self._stores.all[1]) if states else 0,
            num_tail_slots=tails.num_usable if tails else 0,
            num_free_tail_slots=tails.num_free if tails else 0,
        )

    def memory(self) -> PoolMemory:
        """Return the bytes of the device pools; takes time in proportion to the number of blocks."""
        if self._limit is not None:
            return self._limit.memory()
        sizes = [(store.pool, self._block_bytes.get(store.kind, 0)) for store in self._stores]
        reserved = sum(size * (1 + pool.num_usable) for pool, size in sizes)
        return PoolMemory(reserved, sum(size * pool.num_taken for pool, size in sizes), reserved)

    def owners(self) -> dict[int, list[Hashable]]:
        """Map each block id in use to the sequences and pins whose tables name it."""
        return self._stores.owners(self._stores.blocks, self._all_tables())

    def check(self) -> None:
        """Assert the invariants."""
        self._sessions.check()
        if self.tiers is not None:
            self.tiers.check()
        hosts = [(name, held.host) for name, held in self._held.items() if held.host is not None]
        self._stores.check(list(self._all_tables()), hosts)
        for name, held in self._held.items():
            sequence = held.sequence
            assert held.host is None or not any(held.tables), name
            for kind, table in zip(self._kinds, held.host or held.tables, strict=True):
                assert len(table) == kind.length(held.num_tokens, sequence.num_encoder_tokens), name
                assert not kind.lacks(table, sequence.num_computed_tokens), f"{name} lacks a block that it reads"

    # --- Internals -----------------------------------------------------------------------------------------

    def _take(self, held: Held, computed: KVCacheBlocks, growth: Growth, reserved: int) -> bool:
        """Share a prefix hit with the sequence. Returns False, changing nothing, if growth has no room."""
        for store in self._stores:
            revived = {
                block.block_id for block in computed.beginning if block.ref_count == 0 and store is self._stores.blocks
            }
            missing = reserved
            for kind, table in zip(self._kinds, computed.tables, strict=True):
                if kind.store is store:
                    revived.update(block.block_id for block in table if block.ref_count == 0 and block.block_id)
                    missing += kind.num_missing(table, growth)
            if len(revived) + missing > store.pool.ready(len(revived) + missing):
                return False
            reserved = 0  # only blocks of the first pool are reserved
        for kind, table in zip(self._kinds, computed.tables, strict=True):
            kind.store.pool.share(table)
        self.pool.share(computed.beginning)
        held.tables = tuple(list(table) for table in computed.tables)
        if computed.beginning:
            copies = self.pool.allocate(len(self.groups))
            assert copies is not None
            for table, source, block in zip(held.tables, computed.beginning, copies, strict=True):
                table.append(block)
                self._copies.append(BlockCopy(source.block_id, block.block_id))
            self._stores.blocks.host_mirror.release(list(computed.beginning))
        held.num_tokens = held.since = computed.num_tokens
        held.branches = computed.branches
        held.num_hashed = computed.num_tokens // self.block_size
        return True

    def _grow(self, held: Held, growth: Growth, reserved: int) -> tuple[list[int], ...] | None:
        """Allocate slots for a growth. Returns None, changing nothing, if there is no room."""
        kinds, tables = self._kinds, held.tables
        touched = num_blocks(growth.total, self.block_size) - growth.first // self.block_size
        most = len(kinds) * touched + num_blocks(growth.num_encoder_tokens, self.block_size)
        recurrent = self._stores.states is not None
        # An upper bound first: the exact count costs more than the rest of a decode step's allocation.
        most += reserved
        if (most > self.pool.ready(most) or recurrent) and not self._has_room(tables, growth, reserved):
            return None
        if recurrent:
            if self.checkpoints is not None:
                self.checkpoints.remember(held)
                growth = self.checkpoints.grant(held, growth)
            held.since, held.granted = growth.first, growth.total
        edits = Edits()
        for kind, table in zip(kinds, tables, strict=True):
            kind.give_back(table, growth, edits)
        for kind, table in zip(kinds, tables, strict=True):
            kind.grow(table, growth, edits)
        if edits.copies:
            self._copies += edits.copies
        if edits.replaced:
            held.replaced += edits.replaced
        held.num_tokens = max(held.num_tokens, growth.total)
        return tuple(edits.added)

    def _has_room(self, tables: Sequence[Table], growth: Growth, reserved: int) -> bool:
        """True if each pool has the blocks that the tables need, counting those that they release."""
        for store in self._stores:
            missing = reserved
            for kind, table in zip(self._kinds, tables, strict=True):
                if kind.store is store:
                    needed, returned = kind.room(table, growth)
                    missing += needed - returned
            if missing > store.pool.ready(missing):
                return False
            reserved = 0  # only blocks of the first pool are reserved
        return True

    def _remember(self, held: Held) -> None:
        """Register full blocks of computed tokens that `allocate_slots` has not registered yet."""
        if self.enable_prefix_caching and held.host is None:
            known = min(held.sequence.num_computed_tokens, len(held.sequence.token_ids))
            self._cache.remember(held, known // self.block_size)
            if self.checkpoints is not None:
                self.checkpoints.remember(held, all_of_them=True)

    def _all_tables(self) -> Iterator[tuple[Hashable, Iterable[Table]]]:
        for name, held in self._held.items():
            yield name, held.tables
        yield from self._pins.items()
        if self.tiers is not None:
            yield from self.tiers.items()


def _ids(tables: Iterable[Table]) -> tuple[list[int], ...]:
    return tuple([block.block_id for block in table] for table in tables)


def _dropped(tables: Sequence[Table], others: Sequence[Table]) -> list[tuple[int, int, int]]:
    """Return (group, index, 0) of the entries in which two tables of a group differ."""
    return [
        (group, index, 0)
        for group, (table, other) in enumerate(zip(tables, others, strict=True))
        for index, (block, kept) in enumerate(zip(table, other, strict=False))
        if block is not kept
    ]
