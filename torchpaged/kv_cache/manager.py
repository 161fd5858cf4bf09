"""KVCacheManager: each request's block tables over one pool. Decides nothing: it grants, or returns None."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from torchpaged.kv_cache.block import (
    BlockContent,
    BlockCopy,
    CopyDirection,
    EvictionPolicy,
    FreeBlockQueue,
    KVCacheBlock,
)
from torchpaged.kv_cache.block_hash import CacheKeys, chain_of, extend_chain, root_hash
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.spec import CrossAttentionSpec, KVCacheGroup, num_blocks
from torchpaged.kv_cache.stats import KVCacheStats

Table = list[KVCacheBlock]


class CachedRequest(Protocol):
    """What the manager reads of a request."""

    @property
    def request_id(self) -> str: ...
    @property
    def num_computed_tokens(self) -> int: ...
    @property
    def token_ids(self) -> Sequence[int]: ...
    @property
    def cache_keys(self) -> CacheKeys: ...
    @property
    def num_encoder_tokens(self) -> int: ...


@dataclass(frozen=True, slots=True)
class KVCacheBlocks:
    """What the cache has of a prompt: nothing is taken until `allocate_slots` gets it.

    Args:
        tables: for each group the blocks of the prefix, the null block where no later query looks.
        beginning: for each group a cached block whose first tokens follow the prefix; empty when there is none.
        num_tokens: how many tokens all of that is.
    """

    tables: tuple[Table, ...]
    beginning: tuple[KVCacheBlock, ...]
    num_tokens: int

    def whole_blocks(self, block_size: int) -> KVCacheBlocks:
        """The same without a copied beginning, which takes a block more while it is copied."""
        return KVCacheBlocks(self.tables, (), self.num_tokens // block_size * block_size)


@dataclass(slots=True)
class _Sequence:
    """A request's blocks. While it is swapped out, `tables` is empty and `host` holds blocks of the host pool."""

    request: CachedRequest
    tables: tuple[Table, ...]
    encoder: Table = field(default_factory=list)  # of the group of cross-attention
    num_tokens: int = 0  # slots are allocated for as many
    num_hashed: int = 0  # leading blocks that were made findable, or were found
    host: tuple[Table, ...] | None = None
    changes: list[tuple[int, int, int]] = field(default_factory=list)  # see ScheduledRequest.changed_blocks


class KVCacheManager:
    """Block tables of all requests, one a group.

    Invariants: a block's count equals the number of table entries (pins included) that name it; no slot is granted
    to a request in a block that another table names, or that can be found by its hash; a call that returns None
    changed nothing.

    Args:
        groups: kinds of layers, one block table each. That of cross-attention, where there is one, comes last: its
            table holds the tokens of the request's encoder, is given when the request starts and never changes. What
            the others hold depends on the encoder too, so prefix caching must be off then; and swapping is not done.
        num_blocks: size of the pool, the null block included.
        num_swap_blocks: blocks of the host pool, numbered from 1; 0: no swapping.
        enable_prefix_caching: whether full blocks are found again by their content.
        cache_salt_required: whether requests without a salt neither use nor feed the cache.
        eviction_policy: makes the keeper of free blocks; least recently used by default.

    Raises:
        ValueError: no group, block sizes that differ, cross-attention that is not the last of two or more groups, or a
            pool without a block to use.
    """

    def __init__(
        self,
        groups: Sequence[KVCacheGroup],
        num_blocks: int,
        *,
        num_swap_blocks: int = 0,
        enable_prefix_caching: bool = True,
        cache_salt_required: bool = False,
        eviction_policy: Callable[[], EvictionPolicy] = FreeBlockQueue,
    ) -> None:
        if not groups:
            raise ValueError("groups is empty, expected at least one kind of layer")
        sizes = sorted({group.spec.block_size for group in groups})
        if len(sizes) > 1:
            raise ValueError(f"groups have block sizes {sizes}, expected one: they share the pool's blocks")
        cross = [isinstance(group.spec, CrossAttentionSpec) for group in groups]
        if any(cross[:-1]) or cross == [True]:
            raise ValueError("groups have cross-attention, expected it once, behind the decoder's own")
        if cross[-1] and (enable_prefix_caching or num_swap_blocks):
            raise ValueError("groups have cross-attention, expected enable_prefix_caching False and num_swap_blocks 0")
        self.groups = tuple(groups[:-1] if cross[-1] else groups)  # those that grow with the request
        self.has_encoder = cross[-1]
        self.block_size = sizes[0]
        self._eviction_policy = eviction_policy
        self.pool = BlockPool(num_blocks, eviction_policy)
        self.host_pool = BlockPool(num_swap_blocks + 1) if num_swap_blocks else None
        self.enable_prefix_caching = enable_prefix_caching
        self.cache_salt_required = cache_salt_required
        self._sequences: dict[str, _Sequence] = {}
        self._pins: dict[str, tuple[Table, ...]] = {}
        self._hashes: dict[str, list[bytes]] = {}  # a request's chain, the root's first
        self._copies: list[BlockCopy] = []
        # Blocks that the step being scheduled will fill: content that is promised, not there yet.
        self._promised: dict[str, Table] = {}
        self._promised_ids: set[int] = set()
        # A full or untouched block and its copy in the other pool, both ways, while both are in use.
        self._host_of: dict[int, KVCacheBlock] = {}
        self._device_of: dict[int, KVCacheBlock] = {}
        self._longest: dict[tuple[int | None, int], int] = {}  # what `max_tokens` found, while no pin comes or goes
        self._num_queried = self._num_hit = self._num_out = self._num_in = 0

    # --- What there is -------------------------------------------------------------------------------------

    def max_tokens(self, max_new_tokens: int | None = None, num_encoder_tokens: int = 0) -> int:
        """The longest sequence that fits when it has the pool to itself, `max_new_tokens` computed a step.

        Where every layer has a window, there is no limit once the window fits: 2**40 stands for it.
        """
        if (max_new_tokens, num_encoder_tokens) in self._longest:
            return self._longest[max_new_tokens, num_encoder_tokens]
        room = self.pool.num_usable - self.num_pinned - num_blocks(num_encoder_tokens, self.block_size)
        low, high = 0, 2**40
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._most_blocks(middle, max_new_tokens) <= room else (low, middle - 1)
        self._longest[max_new_tokens, num_encoder_tokens] = low
        return low

    @property
    def num_pinned(self) -> int:
        """Blocks that pins hold."""
        return len({b.block_id for tables in self._pins.values() for t in tables for b in t if b.block_id})

    def block_ids(self, request: CachedRequest) -> tuple[list[int], ...]:
        """The request's block tables, one a group; 0 where a block has left the window."""
        sequence = self._sequences.get(request.request_id)
        tables = _all_of(sequence) if sequence else (*(() for _ in self.groups), ())
        return tuple([block.block_id for block in table] for table in tables[: len(self.groups) + self.has_encoder])

    def take_changes(self, request: CachedRequest) -> list[tuple[int, int, int]]:
        """(group, index, block id) of entries that `allocate_slots` replaced since the last call."""
        sequence = self._sequences[request.request_id]
        changes, sequence.changes = sequence.changes, []
        return changes

    def is_swapped(self, request: CachedRequest) -> bool:
        """Whether its blocks are in the host pool."""
        sequence = self._sequences.get(request.request_id)
        return sequence is not None and sequence.host is not None

    def num_held_blocks(self, request: CachedRequest) -> int:
        """Blocks of the pool, or of the host pool, in its tables."""
        sequence = self._sequences.get(request.request_id)
        tables = () if sequence is None else sequence.host or _all_of(sequence)
        return sum(block.block_id != 0 for table in tables for block in table)

    def quiet_until(self, request: CachedRequest) -> int:
        """Up to how many tokens the request may grow, one a step, before `allocate_slots` has something to do.

        Until then its slots are there, are its own, fill no block and leave no window. A fork ends that.
        """
        sequence = self._sequences[request.request_id]
        size = self.block_size
        limit = num_blocks(sequence.num_tokens, size) * size
        if self._caches(request):
            limit -= 1
        for group in self.groups:
            first = request.num_computed_tokens
            skipped = group.spec.num_skipped_blocks(first)
            if skipped == group.spec.num_skipped_blocks(limit - 1):
                continue
            while first < limit and group.spec.num_skipped_blocks(first) == skipped:
                first += 1
            limit = first
        return limit

    # --- Prefix caching ------------------------------------------------------------------------------------

    def get_computed_blocks(self, request: CachedRequest, limit: int | None = None) -> tuple[KVCacheBlocks, int]:
        """The longest prefix of the request's tokens that the cache has, in every group. Changes nothing.

        Args:
            limit: tokens at most; never the last one, whose logits are wanted.

        Returns:
            (blocks, tokens): for `allocate_slots`, and how many tokens need not be computed.
        """
        token_ids = request.token_ids
        limit = min(len(token_ids) - 1 if limit is None else limit, len(token_ids) - 1)
        if not self._caches(request) or limit < 1:
            return KVCacheBlocks(tuple([] for _ in self.groups), (), 0), 0
        size = self.block_size
        chain = self._chain(request, limit // size)
        count = self._longest_prefix(chain, limit // size)
        tables = tuple(
            self._found(chain, index, group.spec.num_skipped_blocks(count * size), count)
            for index, group in enumerate(self.groups)
        )
        num_tokens = count * size
        beginning: tuple[KVCacheBlock, ...] = ()
        rest = token_ids[num_tokens : min(limit, num_tokens + size)]
        if request.cache_keys.of_block(num_tokens, num_tokens + size):
            rest = []  # the chain says what the whole block's inputs are, not the beginning's
        for length, block in self.pool.find_beginning(chain[count], 0, rest):
            assert block.content is not None
            blocks = [self._written(block.content.hash, index) for index in range(len(self.groups))]
            if all(blocks):
                beginning = tuple(found for found in blocks if found is not None)
                num_tokens += length
                break
        return KVCacheBlocks(tables, beginning, num_tokens), num_tokens

    def reset_prefix_cache(self) -> bool:
        """Forgets everything that could be found; False, and nothing changes, while a block is in use."""
        if self.pool.num_free < self.pool.num_usable or self._sequences:
            return False
        self.pool.forget_all()
        return True

    def reset(self, pins: Collection[str] = ()) -> None:
        """Begins anew, whatever state the tables are in: no request has blocks, and nothing but pins is cached.

        Args:
            pins: which are kept; those that the manager does not know are passed over.
        """
        kept = {name: self._pins[name] for name in pins if name in self._pins}
        self.pool = BlockPool(len(self.pool.blocks), self._eviction_policy)
        if self.host_pool is not None:
            self.host_pool = BlockPool(len(self.host_pool.blocks))
        for each in (self._sequences, self._hashes, self._copies, self._host_of, self._device_of, self._longest):
            each.clear()
        self._pins = {name: tuple(map(self.pool.restore, tables)) for name, tables in kept.items()}
        self.commit()

    def commit(self) -> None:
        """The step that was scheduled has run: what it promised is in the cache."""
        self._promised.clear()
        self._promised_ids.clear()

    def revert(self) -> None:
        """The step that was scheduled has failed: the blocks that it would have filled are not found any more."""
        for blocks in self._promised.values():
            for block in blocks:
                if block.content is not None:
                    self.pool.forget(block)
        for sequence in self._sequences.values():
            sequence.num_hashed = min(sequence.num_hashed, sequence.request.num_computed_tokens // self.block_size)
        self.commit()

    def pin(self, name: str, request: CachedRequest) -> int:
        """Holds the full blocks of a request's computed tokens that a later query reads, until `unpin(name)`.

        Returns:
            The tokens that the pin stands for.
        """
        assert name not in self._pins, f"{name!r} is pinned already"
        count = request.num_computed_tokens // self.block_size
        tables = []
        for group, table in zip(self.groups, self._sequences[request.request_id].tables, strict=True):
            skip = group.spec.num_skipped_blocks(count * self.block_size)
            tables.append([self.pool.null_block] * skip + table[skip:count])
            self.pool.share(tables[-1])
        self._pins[name] = tuple(tables)
        self._longest.clear()
        return count * self.block_size

    def pinned_block_ids(self, name: str) -> tuple[list[int], ...]:
        """A pin's block tables, one a group."""
        return tuple([block.block_id for block in table] for table in self._pins[name])

    @property
    def pins(self) -> Collection[str]:
        """The names of all pins."""
        return self._pins.keys()

    def unpin(self, name: str, *, forget: bool = False) -> None:
        """Lets go of a pin's blocks; they stay in the cache until they are evicted.

        Args:
            forget: nobody shall find them: what they hold is not to be trusted.
        """
        for table in self._pins.pop(name):
            if forget:
                self._forget(table)
            self._release(table)
        self._longest.clear()

    def adopt(self, name: str, token_ids: Sequence[int]) -> tuple[list[int], ...] | None:
        """Pins new blocks for a prefix whose keys and values the caller brings; None: no room.

        Nobody finds them before `reveal`.

        Returns:
            For each group the block ids to write to; 0 for a block that no later query reads.
        """
        count = len(token_ids) // self.block_size
        skips = [group.spec.num_skipped_blocks(count * self.block_size) for group in self.groups]
        blocks = self.pool.allocate(sum(count - skip for skip in skips))
        if blocks is None:
            return None
        tables: list[Table] = []
        for skip in skips:
            mine, blocks = blocks[: count - skip], blocks[count - skip :]
            tables.append([self.pool.null_block] * skip + mine)
        self._pins[name] = tuple(tables)
        self._longest.clear()
        return self.pinned_block_ids(name)

    def reveal(self, name: str, token_ids: Sequence[int], keys: CacheKeys) -> None:
        """The blocks of an adopted prefix are written, and found from now on."""
        hashes = chain_of(token_ids, self.block_size, len(token_ids) // self.block_size, keys)
        for group, table in enumerate(self._pins[name]):
            for i, block in enumerate(table):
                if block is not self.pool.null_block:
                    self.pool.remember(block, self._content(hashes, i, group, token_ids, keys))

    # --- Growth --------------------------------------------------------------------------------------------

    def allocate_slots(
        self,
        request: CachedRequest,
        num_new_tokens: int,
        *,
        computed: KVCacheBlocks | None = None,
        num_lookahead_tokens: int = 0,
        num_reserved_blocks: int = 0,
    ) -> tuple[list[int], ...] | None:
        """Room for the tokens after `request.num_computed_tokens`, or after `computed` for a request without blocks.

        What has left the window goes back; a block that others hold is copied before it is written (`take_copies`);
        blocks that the new tokens fill can be found from now on, the lookahead's not, and not yet one whose last token
        has no value yet (`token_ids` is shorter then).

        Args:
            num_new_tokens: to be computed in the step.
            computed: what `get_computed_blocks` found.
            num_lookahead_tokens: slots beyond them, for drafts.
            num_reserved_blocks: as many must stay free.

        Returns:
            The ids of the blocks that were added, one list a group (with `computed`: the whole table); None when the
            pool has not as many, and then nothing has changed.
        """
        if num_new_tokens < 1:
            raise ValueError(f"num_new_tokens is {num_new_tokens}, expected 1 or more")
        sequence = self._sequences.get(request.request_id)
        starts = sequence is None
        if sequence is None:
            sequence = _Sequence(request, tuple([] for _ in self.groups))
        assert sequence.host is None, f"{request.request_id} is swapped out"
        first = request.num_computed_tokens if computed is None else computed.num_tokens
        total = first + num_new_tokens
        of_encoder = num_blocks(request.num_encoder_tokens, self.block_size) if starts else 0
        if computed is not None:
            assert starts, f"{request.request_id} has blocks already"
            if not self._take(sequence, computed, total + num_lookahead_tokens, num_reserved_blocks + of_encoder):
                return None
            num_reserved_blocks = 0
        added = self._grow(sequence, first, total + num_lookahead_tokens, num_reserved_blocks + of_encoder)
        if added is None:
            return None
        if of_encoder:
            table = self.pool.allocate(of_encoder)
            assert table is not None
            sequence.encoder = table
        self._sequences[request.request_id] = sequence
        if computed is not None:
            self._num_queried += len(request.token_ids)
            self._num_hit += computed.num_tokens
        if self._caches(request):
            self._promise(sequence, min(total, len(request.token_ids)) // self.block_size)
        return self.block_ids(request) if starts else added

    def fork(self, parent: CachedRequest, child: CachedRequest) -> None:
        """Gives a request without blocks every block of the parent's computed tokens, the partial one too."""
        source = self._sequences[parent.request_id]
        assert child.request_id not in self._sequences, f"{child.request_id} has blocks already"
        count = num_blocks(parent.num_computed_tokens, self.block_size)
        pool = self.pool if source.host is None else self.host_pool
        assert pool is not None
        tables = tuple(table[:count] for table in source.host or source.tables)
        for table in tables:
            pool.share(table)
        fork = _Sequence(child, tables if source.host is None else tuple([] for _ in self.groups))
        fork.host = None if source.host is None else tables
        fork.encoder = list(source.encoder)
        self.pool.share(fork.encoder)
        fork.num_tokens = parent.num_computed_tokens
        fork.num_hashed = min(source.num_hashed, parent.num_computed_tokens // self.block_size)
        self._sequences[child.request_id] = fork
        chain = self._hashes.get(parent.request_id)
        if chain is not None and parent.cache_keys == child.cache_keys:
            self._hashes[child.request_id] = chain[: fork.num_hashed + 1]

    def free(self, request: CachedRequest, *, forget: bool = False) -> None:
        """Gives back every block of a request; one that has none is left alone.

        Args:
            forget: nobody shall find them: what they hold is not to be trusted.
        """
        self._hashes.pop(request.request_id, None)
        sequence = self._sequences.pop(request.request_id, None)
        if sequence is None:
            return
        self._break_promises(request)
        for table in sequence.tables:
            if forget:
                self._forget(table)
            self._release(table)
        self._release(sequence.encoder)
        for table in sequence.host or ():
            self._release_host(table)

    def take_copies(self) -> list[BlockCopy]:
        """What the step must copy before its forward, as if one after the other: copy-on-write, swaps out and in."""
        copies, self._copies = self._copies, []
        return copies

    # --- Swapping ------------------------------------------------------------------------------------------

    def swap_out(self, request: CachedRequest) -> list[BlockCopy] | None:
        """Moves the blocks of the computed tokens to the host; a block that is there already moves no second time.

        Returns:
            The copies, which `take_copies` hands out too; None when the host pool has no room, and nothing changed.
        """
        sequence = self._sequences[request.request_id]
        assert sequence.host is None, f"{request.request_id} is swapped out already"
        count = num_blocks(request.num_computed_tokens, self.block_size)
        null = self.pool.null_block
        # Dropped: what the step in the making would have written, and what the next would find to have left a window.
        tables = []
        for group, table in zip(self.groups, sequence.tables, strict=True):
            skip = min(group.spec.num_skipped_blocks(request.num_computed_tokens), count)
            tables.append([null] * skip + table[skip:count])
        missing = [b for t in tables for b in t if b is not null and b.block_id not in self._host_of]
        missing = list({block.block_id: block for block in missing}.values())
        pool = self.host_pool
        taken = None if pool is None else pool.allocate(len(missing))
        if taken is None or pool is None:
            return None
        self._break_promises(request)
        fresh = {block.block_id: host for block, host in zip(missing, taken, strict=True)}
        host_tables = []
        for table in tables:
            row = [pool.null_block if b is null else fresh.get(b.block_id) or self._host_of[b.block_id] for b in table]
            pool.share([host for block, host in zip(table, row, strict=True) if block.block_id not in fresh])
            host_tables.append(row)
        for block, host in zip(missing, taken, strict=True):
            self._pair(block, host)
        for table in sequence.tables:
            self._release(table)
        sequence.tables, sequence.host = tuple([] for _ in self.groups), tuple(host_tables)
        sequence.num_tokens, sequence.changes = request.num_computed_tokens, []
        sequence.num_hashed = min(sequence.num_hashed, sequence.num_tokens // self.block_size)
        copies = [BlockCopy(b.block_id, h.block_id, CopyDirection.OUT) for b, h in zip(missing, taken, strict=True)]
        self._copies += copies
        self._num_out += len(copies)
        return copies

    def swap_in(self, request: CachedRequest, *, num_new_tokens: int = 0) -> list[BlockCopy] | None:
        """Brings a swapped request back; what the pool still has of it is not copied.

        Args:
            num_new_tokens: for as many there must be room too, or it would be out again at once.

        Returns:
            The copies, which `take_copies` hands out too; None when the pool has no room, and nothing changed.
        """
        sequence = self._sequences[request.request_id]
        host_tables = sequence.host
        assert host_tables is not None, f"{request.request_id} is not swapped out"
        null, full = self.pool.null_block, request.num_computed_tokens // self.block_size
        chain = self._chain(request, full) if self._caches(request) else []
        found: list[list[KVCacheBlock | None]] = []
        for group, table in enumerate(host_tables):
            row: list[KVCacheBlock | None] = []
            for i, host in enumerate(table):
                here = self._device_of.get(host.block_id)
                if here is None and host.block_id and chain and i < full:
                    here = self._written(chain[i + 1], group)
                row.append(here if host.block_id else null)
            found.append(row)
        kept = [block for row in found for block in row if block is not None]
        missing = {
            h.block_id: h for t, r in zip(host_tables, found, strict=True) for h, b in zip(t, r, strict=True) if not b
        }
        revived = len({block.block_id for block in kept if block is not null and block.ref_count == 0})
        grown = num_blocks(request.num_computed_tokens + num_new_tokens, self.block_size)
        more = sum(grown - len(table) for table in host_tables)
        if revived + len(missing) + more > self.pool.num_free:
            return None
        self.pool.share(kept)
        taken = self.pool.allocate(len(missing))
        assert taken is not None
        fresh = dict(zip(missing, taken, strict=True))
        tables = [
            [block or fresh[host.block_id] for host, block in zip(table, row, strict=True)]
            for table, row in zip(host_tables, found, strict=True)
        ]
        for host, block in zip(missing.values(), taken, strict=True):
            self._pair(block, host)
        for table in host_tables:
            self._release_host(table)
        sequence.tables, sequence.host = tuple(tables), None
        if chain:
            for group, blocks in enumerate(tables):
                for i, block in enumerate(blocks[:full]):
                    if block is not null and block.content is None:
                        self.pool.remember(block, self._content(chain, i, group, request.token_ids, request.cache_keys))
            sequence.num_hashed = full
        copies = [
            BlockCopy(host.block_id, block.block_id, CopyDirection.IN)
            for host, block in zip(missing.values(), taken, strict=True)
        ]
        self._copies += copies
        self._num_in += len(copies)
        return copies

    # --- For whoever looks ---------------------------------------------------------------------------------

    def stats(self) -> KVCacheStats:
        """How full the pool is and what was found in it."""
        tails: dict[int, int] = {}  # tokens missing in a block that is in use
        size = self.block_size
        for sequence in self._sequences.values():
            # Not what is allocated: a request grows into its last block without a call.
            num_tokens = max(sequence.num_tokens, sequence.request.num_computed_tokens)
            for table in sequence.tables:
                for i in range(num_tokens // size, len(table)):
                    empty = size - max(0, min(size, num_tokens - i * size))
                    tails[table[i].block_id] = min(empty, tails.get(table[i].block_id, size))
            if sequence.encoder:
                tails[sequence.encoder[-1].block_id] = -sequence.request.num_encoder_tokens % size
        used = self.pool.num_usable - self.pool.num_free
        host = self.host_pool
        return KVCacheStats(
            num_blocks=self.pool.num_usable,
            num_free_blocks=self.pool.num_free,
            num_cached_blocks=self.pool.num_cached_free,
            num_pinned_blocks=self.num_pinned,
            block_size=size,
            num_tokens=used * size - sum(tails.values()),
            num_queried_tokens=self._num_queried,
            num_hit_tokens=self._num_hit,
            num_evictions=self.pool.num_evictions,
            num_swap_blocks=host.num_usable if host else 0,
            num_free_swap_blocks=host.num_free if host else 0,
            num_swapped_out=self._num_out,
            num_swapped_in=self._num_in,
        )

    def owners(self) -> dict[int, list[str]]:
        """The requests (and pins) whose tables name a block, by block id."""
        owners: dict[int, list[str]] = {}
        for name, tables in self._all_tables():
            for table in tables:
                for block in table:
                    if block is not self.pool.null_block:
                        owners.setdefault(block.block_id, []).append(name)
        return owners

    def check(self) -> None:
        """Asserts the invariants."""
        self.pool.check()
        owners = self.owners()
        for block in self.pool.blocks:
            expected = len(owners.get(block.block_id, ()))
            assert block.ref_count == expected, f"{block} stands in {expected} table entries"
        hosts: dict[int, int] = {}
        for request_id, sequence in self._sequences.items():
            assert sequence.host is None or not any(sequence.tables), request_id
            assert len(sequence.encoder) == num_blocks(sequence.request.num_encoder_tokens, self.block_size), request_id
            for group, table in zip(self.groups, sequence.host or sequence.tables, strict=True):
                assert len(table) == num_blocks(sequence.num_tokens, self.block_size), request_id
                skipped = group.spec.num_skipped_blocks(sequence.request.num_computed_tokens)
                assert all(block.block_id for block in table[skipped:]), f"{request_id} lacks a block that it reads"
                for block in table if sequence.host else ():
                    hosts[block.block_id] = hosts.get(block.block_id, 0) + 1
        if self.host_pool is not None:
            self.host_pool.check()
            for block in self.host_pool.blocks[1:]:
                assert block.ref_count == hosts.get(block.block_id, 0), f"host {block}"
        assert {device: host.block_id for device, host in self._host_of.items()} == {
            device.block_id: host for host, device in self._device_of.items()
        }
        for device, host in self._host_of.items():
            assert self.pool.blocks[device].ref_count and host.ref_count, f"block {device} or its host copy is free"

    # --- Within --------------------------------------------------------------------------------------------

    def _caches(self, request: CachedRequest) -> bool:
        return self.enable_prefix_caching and (not self.cache_salt_required or request.cache_keys.salt is not None)

    def _most_blocks(self, num_tokens: int, max_new_tokens: int | None) -> int:
        """Blocks that a sequence which grows to `num_tokens` holds at most at once."""
        size = self.block_size
        step = num_tokens if max_new_tokens is None else min(max_new_tokens, num_tokens)
        most = 0
        for group in self.groups:
            # The step that needs most: the fewest blocks skipped before it, counted from a block's first token on.
            starts = {max(0, num_tokens - step), *(max(0, num_tokens - step - i) for i in range(size))}
            most += max(num_blocks(s + step, size) - group.spec.num_skipped_blocks(s) for s in starts)
        return most

    def _chain(self, request: CachedRequest, count: int) -> list[bytes]:
        """The request's hashes, of `count` full blocks at least, behind the root's."""
        chain = self._hashes.get(request.request_id)
        if chain is None:
            chain = self._hashes[request.request_id] = [root_hash(request.cache_keys)]
        if len(chain) <= count:
            extend_chain(chain, request.token_ids, self.block_size, count, request.cache_keys)
        return chain

    def _longest_prefix(self, chain: Sequence[bytes], count: int) -> int:
        """Blocks of the longest prefix for which each group has what a query behind it reads."""
        before = -1
        while count and count != before:
            before = count
            for index, group in enumerate(self.groups):
                i = count - 1
                while i >= group.spec.num_skipped_blocks(count * self.block_size):
                    if self.pool.find(chain[i + 1], index) is None:
                        count = i
                    i -= 1
        return count

    def _found(self, chain: Sequence[bytes], group: int, skip: int, count: int) -> Table:
        found = [self.pool.find(chain[i + 1], group) for i in range(skip, count)]
        return [self.pool.null_block] * skip + [block for block in found if block is not None]

    def _written(self, wanted: bytes, group: int) -> KVCacheBlock | None:
        """A block of this content that is in the pool now, not only after the step."""
        blocks = self.pool.find_all(wanted, group)
        return next((block for block in blocks if block.block_id not in self._promised_ids), None)

    def _take(self, sequence: _Sequence, computed: KVCacheBlocks, total: int, reserved: int) -> bool:
        """Makes the prefix that was found the request's own; False when there is no room for `total` tokens then."""
        wanted = [*(block for table in computed.tables for block in table), *computed.beginning]
        revived = len({block.block_id for block in wanted if block.ref_count == 0 and block.block_id})
        needed = len(self.groups) * num_blocks(total, self.block_size) - sum(map(len, computed.tables))
        if revived + needed + reserved > self.pool.num_free:
            return False
        size = self.block_size
        self.pool.share(wanted)
        tables = tuple(list(table) for table in computed.tables)
        if computed.beginning:
            copies = self.pool.allocate(len(self.groups))
            assert copies is not None
            for table, source, block in zip(tables, computed.beginning, copies, strict=True):
                table.append(block)
                self._copies.append(BlockCopy(source.block_id, block.block_id))
            self._release(list(computed.beginning))
        sequence.tables = tables
        sequence.num_tokens = computed.num_tokens
        sequence.num_hashed = computed.num_tokens // size
        return True

    def _grow(self, sequence: _Sequence, first: int, total: int, reserved: int) -> tuple[list[int], ...] | None:
        """Slots for the tokens from `first` to `total`; None when there is no room."""
        size, null = self.block_size, self.pool.null_block
        begin, last = first // size, -(-total // size)
        needed, returned = 0, 0
        skips = [
            min(group.spec.num_skipped_blocks(first), len(table))
            for group, table in zip(self.groups, sequence.tables, strict=True)
        ]
        for skip, table in zip(skips, sequence.tables, strict=True):
            if last > len(table):
                needed += last - len(table)
            for block in table[begin:last]:
                needed += block.ref_count > 1 or block.content is not None
            for block in table[:skip]:
                returned += block is not null and block.ref_count == 1
        if needed + reserved > self.pool.num_free + returned:
            return None
        for index, skip in enumerate(skips):
            if skip:
                self._leave_window(sequence, index, skip)
        added: list[list[int]] = []
        for index, table in enumerate(sequence.tables):
            for i in range(begin, min(last, len(table))):
                self._own(sequence, index, i)
            if last <= len(table):
                added.append([])
                continue
            new = self.pool.allocate(last - len(table))
            assert new is not None
            table.extend(new)
            added.append([block.block_id for block in new])
        sequence.num_tokens = max(sequence.num_tokens, total)
        return tuple(added)

    def _own(self, sequence: _Sequence, group: int, index: int) -> None:
        """Makes sure that the request may write to a block: copies it where others hold it or could find it."""
        block = sequence.tables[group][index]
        if block.ref_count == 1 and block.content is None:
            self._unpair(block)  # what it holds changes, what the host has does not
            return
        new = self.pool.allocate(1)
        assert new is not None
        self._copies.append(BlockCopy(block.block_id, new[0].block_id))
        sequence.tables[group][index] = new[0]
        sequence.changes.append((group, index, new[0].block_id))
        self._release([block])

    def _leave_window(self, sequence: _Sequence, group: int, count: int) -> None:
        table, null = sequence.tables[group], self.pool.null_block
        gone = []
        for i in range(count - 1, -1, -1):
            if table[i] is null:
                break
            gone.append(table[i])
            table[i] = null
            sequence.changes.append((group, i, 0))
        self._release(gone[::-1])

    def _promise(self, sequence: _Sequence, count: int) -> None:
        """Blocks that the step fills can be found at once, so that two requests of one step share them."""
        if count <= sequence.num_hashed:
            return
        request = sequence.request
        chain = self._chain(request, count)
        promised = self._promised.setdefault(request.request_id, [])
        for i in range(sequence.num_hashed, count):
            for index, table in enumerate(sequence.tables):
                block = table[i]
                if block is self.pool.null_block or block.content is not None:
                    continue
                self.pool.remember(block, self._content(chain, i, index, request.token_ids, request.cache_keys))
                promised.append(block)
                self._promised_ids.add(block.block_id)
        sequence.num_hashed = count

    def _content(
        self, chain: Sequence[bytes], index: int, group: int, token_ids: Sequence[int], keys: CacheKeys
    ) -> BlockContent:
        start, end = index * self.block_size, (index + 1) * self.block_size
        tokens = () if keys.multimodal and keys.of_block(start, end) else tuple(token_ids[start:end])
        return BlockContent(chain[index + 1], chain[index], group, tokens)

    def _break_promises(self, request: CachedRequest) -> None:
        for block in self._promised.pop(request.request_id, ()):
            self._promised_ids.discard(block.block_id)
            if block.content is not None:
                self.pool.forget(block)

    def _forget(self, table: Sequence[KVCacheBlock]) -> None:
        for block in table:
            if block.content is not None:
                self.pool.forget(block)

    def _release(self, table: Sequence[KVCacheBlock]) -> None:
        self.pool.release(table)
        for block in table:
            if block.ref_count == 0:
                self._unpair(block)

    def _release_host(self, table: Sequence[KVCacheBlock]) -> None:
        assert self.host_pool is not None
        self.host_pool.release(table)
        for host in table:
            if host.ref_count == 0 and (device := self._device_of.get(host.block_id)) is not None:
                self._unpair(device)

    def _pair(self, block: KVCacheBlock, host: KVCacheBlock) -> None:
        self._unpair(block)
        if (old := self._device_of.get(host.block_id)) is not None:
            self._unpair(old)
        self._host_of[block.block_id], self._device_of[host.block_id] = host, block

    def _unpair(self, block: KVCacheBlock) -> None:
        host = self._host_of.pop(block.block_id, None)
        if host is not None:
            del self._device_of[host.block_id]

    def _all_tables(self) -> Iterator[tuple[str, Iterable[Table]]]:
        for request_id, sequence in self._sequences.items():
            yield request_id, _all_of(sequence)
        yield from self._pins.items()


def _all_of(sequence: _Sequence) -> tuple[Table, ...]:
    """A request's tables in the pool, the encoder's last."""
    return (*sequence.tables, sequence.encoder)
