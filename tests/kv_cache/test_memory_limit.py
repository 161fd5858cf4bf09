"""MemoryLimit, vacant blocks and the reclaimer, over a memory of a few thousand bytes and a clock that is set."""

from __future__ import annotations

import random

import pytest

from torchpaged.kv_cache import BlockPool, FreeBlockQueue, KVCacheBlock, MemoryLimit, PoolKind, memory_limit, reclaimer
from torchpaged.kv_cache.block import BlockContent
from torchpaged.kv_cache.host_mirror import Store
from torchpaged.kv_cache.memory_limit import PoolMemory
from torchpaged.kv_cache.reclaimer import Reclaimer, Vacated

SIZE = 100  # bytes of a block


class Memory:
    """Memory of `total` bytes that a pool and a neighbour share; every block that is handed out is written at once.

    Attributes:
        neighbour: bytes of the neighbour.
        num_reads: how often the free memory was read.
    """

    def __init__(self, total: int, share: float = 1.0) -> None:
        self.total, self.neighbour, self.now, self.num_reads = total, 0, 0.0, 0
        self.limit = MemoryLimit(self.free, share, clock=lambda: self.now)

    def free(self) -> int:
        """Return what is left."""
        self.num_reads += 1
        return max(0, self.total - self.neighbour - self.limit.taken)

    def pool(self, num_blocks: int, **options: object) -> BlockPool:
        """Return a pool of which nothing is in use."""
        return BlockPool(num_blocks, limit=self.limit, block_bytes=SIZE, **options)  # type: ignore[arg-type]

    def take(self, pool: BlockPool, count: int) -> list[KVCacheBlock]:
        """Allocate blocks, and write them."""
        blocks = pool.allocate(count)
        assert blocks is not None, f"{count} blocks of {pool.num_free}"
        self.limit.commit()
        pool.check()
        return blocks


@pytest.fixture(autouse=True)
def no_advance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grant nothing in advance."""
    monkeypatch.setattr(memory_limit, "_PIECE", 1)


def ids(blocks: list[KVCacheBlock]) -> list[int]:
    return [block.block_id for block in blocks]


def cache(pool: BlockPool, blocks: list[KVCacheBlock]) -> None:
    """Let the prefix cache find blocks by their ids."""
    for block in blocks:
        pool.remember(block, BlockContent(bytes([block.block_id]), b"", 0, ()))


# --- The limit ------------------------------------------------------------------------------------------------


def test_blocks_with_pages_go_first_then_vacant_ones_then_cached_ones() -> None:
    memory = Memory(10_000)
    pool = memory.pool(8)
    first = memory.take(pool, 4)
    assert ids(first) == [1, 2, 3, 4]
    cache(pool, first[:2])
    pool.release(first)
    assert ids(memory.take(pool, 4)) == [3, 4, 5, 6]
    assert pool.num_evictions == 0 and pool.num_vacant == 1
    assert ids(memory.take(pool, 3)) == [2, 1, 7]  # a prompt's end is evicted before its beginning
    assert pool.num_evictions == 2 and pool.num_vacant == 0


def test_where_the_limit_ends_the_pool_counts_as_full() -> None:
    memory = Memory(450)
    pool = memory.pool(100)
    assert (pool.num_free, pool.ready(99)) == (99, 3)  # the null block counts
    assert pool.allocate(4) is None
    taken = memory.take(pool, 3)
    assert pool.allocate(1) is None and pool.num_free == 96
    cache(pool, taken[1:])
    pool.release(taken[1:])
    assert ids(memory.take(pool, 2)) == [3, 2] and pool.num_evictions == 2
    assert memory.limit.memory() == PoolMemory(reserved=10_000, taken=400, limit=450)


def test_a_neighbour_lowers_the_limit_and_raises_it() -> None:
    memory = Memory(1000, share=0.9)
    pool = memory.pool(100)
    memory.take(pool, 2)
    memory.neighbour = 500
    assert memory.limit.read() == 450
    assert pool.ready(99) == 1
    memory.take(pool, 1)
    memory.neighbour = 100
    assert pool.ready(1) == 0, "refused a moment ago"
    memory.now += 0.2
    assert pool.ready(99) == 4  # of 810
    memory.neighbour = 550
    assert pool.ready(99) == 4, "what is promised is kept"
    pool.withdraw()
    memory.now += 0.2
    assert pool.ready(99) == 0 and memory.limit.read() == 405


def test_free_memory_is_read_once_for_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_limit, "_PIECE", 64 * SIZE)
    memory = Memory(1_000_000)
    pool = memory.pool(2000)
    for _ in range(640):
        memory.take(pool, 1)
    assert memory.num_reads == 10
    memory.total = memory.limit.taken
    for _ in range(1000):
        assert pool.allocate(1) is None
    assert memory.num_reads == 11, "a refusal holds for a moment"


def test_blocks_that_are_not_written_yet_are_no_free_memory() -> None:
    memory = Memory(1000)
    pool = memory.pool(100)
    memory.limit.free = lambda: 900  # only the null block is written
    assert pool.allocate(5) is not None and pool.allocate(5) is None
    assert pool.allocate(4) is not None and memory.limit.read() == 1000
    memory.limit.free = lambda: 400
    memory.limit.commit()
    assert memory.limit.read() == 1400, "the rest was freed meanwhile"


def test_pools_share_a_limit() -> None:
    memory = Memory(1000)
    one, other = memory.pool(100), memory.pool(100)
    memory.take(one, 5)
    assert one.ready(2) == 2  # promised
    assert other.ready(10) == 1
    assert memory.limit.taken == 700 and memory.limit.promised == 300
    other.withdraw()
    assert one.ready(2) == 2


def test_a_pool_without_a_limit_has_no_vacant_blocks() -> None:
    pool = BlockPool(8, block_bytes=SIZE)
    assert (pool.num_vacant, pool.ready(3), pool.num_taken) == (0, 7, 1)
    pool.release(pool.allocate(3) or [])
    assert pool.num_taken == 4


# --- Vacant blocks --------------------------------------------------------------------------------------------


def test_a_vacated_block_is_not_found() -> None:
    memory = Memory(10_000)
    pool = memory.pool(8)
    blocks = memory.take(pool, 3)
    cache(pool, blocks)
    pool.release(blocks)
    assert pool.find(b"\1", 0) is blocks[0]
    assert pool.vacate([blocks[0]]) == [(1, 2)]
    pool.check()
    assert pool.find(b"\1", 0) is None and pool.find(b"\2", 0) is blocks[1]
    assert (pool.num_free, pool.num_vacant, pool.num_cached_free) == (7, 5, 2)
    assert memory.limit.taken == 300 and memory.limit.given_back == 100
    assert ids(memory.take(pool, 5)) == [1, 4, 5, 6, 7]


def test_runs_reach_over_vacant_neighbours() -> None:
    memory = Memory(100_000)
    pool = memory.pool(300)
    blocks = memory.take(pool, 250)
    pool.release(blocks[200:240])
    assert pool.vacate(blocks[230:240]) == [(231, 241)]
    assert pool.vacate(blocks[228:230]) == [(229, 241)]
    assert pool.vacate([blocks[200], blocks[202]]) == [(201, 202), (203, 204)]
    assert pool.vacate([blocks[201]]) == [(201, 204)]
    pool.release(blocks[240:])
    assert pool.vacate(blocks[240:245]) == [(229, 246)]
    assert pool.vacate(blocks[245:250]) == [(229, 300)]
    pool.release(blocks[:100])
    assert pool.vacate(blocks[:100]) == [(1, 101)]


def test_a_rebuilt_pool_knows_which_blocks_have_pages() -> None:
    memory = Memory(10_000)
    pool = memory.pool(10)
    blocks = memory.take(pool, 6)
    cache(pool, blocks[:1])
    pool.release(blocks[4:])
    pool.vacate(blocks[5:])
    pool.restore([blocks[:2]])
    pool.check()
    assert pool.num_vacant == 4 and pool.num_free == 7 and memory.limit.taken == 600
    assert pool.find(b"\1", 0) is blocks[0]
    assert sorted(ids(memory.take(pool, 3))) == [3, 4, 5]


# --- The reclaimer --------------------------------------------------------------------------------------------


def reclaiming(memory: Memory, pool: BlockPool) -> Reclaimer:
    return Reclaimer([Store(PoolKind.BLOCKS, pool, None)], memory.limit)


def gone(vacated: list[Vacated]) -> list[tuple[int, int]]:
    return [run for each in vacated for run in each.runs]


def test_blocks_go_after_a_quiet_minute() -> None:
    memory = Memory(100_000)
    pool = memory.pool(20)
    runs = reclaiming(memory, pool)
    early, late = memory.take(pool, 5), memory.take(pool, 5)
    pool.release(early)
    memory.now = 30.0
    assert not runs.reclaim()
    pool.release(late)
    memory.now = 59.0
    assert not runs.reclaim()
    memory.now = 75.0
    assert gone(runs.reclaim()) == [(1, 6)]
    memory.now = 76.0
    assert not runs.reclaim(), "nothing is due before the next tick"
    again = memory.take(pool, 2)  # two of the late ones, used meanwhile
    memory.now = 140.0
    assert gone(runs.reclaim()) == [(8, 20)]
    pool.check()
    pool.release(again)


def test_cached_blocks_stay_while_they_are_few() -> None:
    memory = Memory(4_000)
    pool = memory.pool(40)
    runs = reclaiming(memory, pool)
    blocks = memory.take(pool, 20)
    cache(pool, blocks)
    pool.release(blocks[:5])
    memory.now += 100
    runs.reclaim()
    pool.release(blocks[5:])
    memory.now += 100
    # 2100 bytes of 4000 are taken: the least recently used ones go until it is a quarter.
    vacated = runs.reclaim()
    assert memory.limit.taken == 1000
    assert sum(last - first for first, last in gone(vacated)) >= 11 and pool.num_cached_free == 9
    assert [pool.find(bytes([i]), 0) is None for i in range(1, 6)] == [True] * 5
    memory.now += 1000
    assert not runs.reclaim()


def test_a_neighbour_that_needs_memory_gets_it_at_once() -> None:
    memory = Memory(4_000, share=0.8)
    pool = memory.pool(40)
    runs = reclaiming(memory, pool)
    blocks = memory.take(pool, 20)
    cache(pool, blocks[10:])
    pool.release(blocks[5:])
    memory.neighbour = 1_700  # of 2300 the pool may have 1840, and has 2100
    assert runs._limit.taken == 2100
    vacated = runs.reclaim()
    assert gone(vacated) and memory.limit.taken == 1800 and pool.num_cached_free == 10
    assert not runs.reclaim()
    memory.neighbour = 2_000  # 1800 are above 1600, and not above the middle between that and 2000
    assert not runs.reclaim()
    memory.neighbour = 3_500
    while runs.reclaim():
        pass
    assert memory.limit.taken == 600 and pool.num_cached == 0, "blocks in use stay"
    pool.check()
    pool.release(blocks[:5])


def test_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reclaimer, "_PRESSED_PIECE", 3 * SIZE)
    memory = Memory(4_000)
    pool = memory.pool(40)
    runs = reclaiming(memory, pool)
    pool.release(memory.take(pool, 7))
    counts = []
    while pool.num_taken > 1:
        before = pool.num_taken
        assert runs.reclaim(everything=True)
        counts.append(before - pool.num_taken)
    assert counts == [3, 3, 1] and not runs.has_more
    assert not runs.reclaim(everything=True)


def test_any_policy_decides_which_cached_block_goes() -> None:
    class Newest(FreeBlockQueue):
        """The block that was used last goes first."""

        def push(self, block: KVCacheBlock) -> None:
            self.appendleft(block)

    memory = Memory(4_000, share=0.8)
    pool = memory.pool(40, eviction_policy=Newest)
    runs = reclaiming(memory, pool)
    blocks = memory.take(pool, 20)
    cache(pool, blocks)
    for block in blocks:
        pool.release([block])
    memory.neighbour = 1_700
    runs.reclaim()
    assert [pool.find(bytes([i]), 0) is None for i in range(16, 21)] == [False, False, True, True, True]


# --- Random runs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_random_runs_against_a_model(seed: int) -> None:
    """A model that only counts says what is granted; contents are looked up after each act."""
    pick = random.Random(seed)
    memory = Memory(pick.randint(500, 5_000), share=pick.choice((0.5, 0.9, 1.0)))
    pool = memory.pool(pick.randint(2, 40))
    runs = reclaiming(memory, pool)
    used: list[KVCacheBlock] = []
    names: dict[bytes, KVCacheBlock] = {}  # contents that may still be found
    for number in range(400):
        act = pick.choice(("allocate", "allocate", "release", "cache", "neighbour", "reclaim", "wait", "restore"))
        memory.now += 0.2  # no refusal holds
        if act == "allocate":
            count = pick.randint(0, 6)
            size, taken = memory.limit.read(), memory.limit.taken
            vacant, promised = pool.num_vacant, memory.limit.promised
            fresh = max(promised, (size - taken) // SIZE * SIZE) // SIZE
            resident, cached = pool.num_free - vacant, pool.num_cached_free
            found = pool.allocate(count)
            assert (found is not None) == (count <= resident + min(vacant, fresh))
            assert memory.limit.taken <= max(taken + promised, size, taken)
            if found is not None:
                assert pool.num_vacant == vacant - max(0, min(count - (resident - cached), vacant, fresh))
                used += found
        elif act == "release" and used:
            pool.release([used.pop(pick.randrange(len(used)))])
        elif act == "cache" and used:
            block = pick.choice(used)
            if block.content is None:
                content = BlockContent(number.to_bytes(4, "big"), b"", 0, ())
                pool.remember(block, content)
                names[content.hash] = block
        elif act == "neighbour":
            memory.neighbour = pick.randint(0, max(0, memory.total - memory.limit.taken))
        elif act == "reclaim":
            before = {block.block_id for block in pool.blocks[1:] if pool._is_vacant(block.block_id)}
            for first, last in gone(runs.reclaim(everything=pick.random() < 0.1)):
                assert all(pool._is_vacant(block_id) for block_id in range(first, last))
                before.update(range(first, last))
            assert len(before) == pool.num_vacant, "each block whose pages go is in a run"
        elif act == "wait":
            memory.now += pick.choice((1.0, 30.0, 100.0))
        elif act == "restore":
            pool.restore([used])
        memory.limit.commit()
        pool.check()
        assert memory.limit.taken == SIZE * pool.num_taken
        for name, block in list(names.items()):
            there = pool.find(name, 0)
            assert there is block or (there is None and (block.content is None or block.content.hash != name))
            if there is None:
                assert block not in used or block.content is None or block.content.hash != name
                del names[name]
    pool.release(used)
    pool.check()
    assert pool.num_free == pool.num_usable
