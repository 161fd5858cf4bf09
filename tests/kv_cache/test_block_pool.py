"""BlockPool: reference counts, the null block, and the order in which freed blocks come back."""

from __future__ import annotations

import pytest

from torchpaged.kv_cache import BlockPool, KVCacheBlock


def take(pool: BlockPool, count: int) -> list[KVCacheBlock]:
    blocks = pool.allocate(count)
    assert blocks is not None
    pool.check()
    return blocks


@pytest.mark.parametrize("num_blocks", [-1, 0, 1])
def test_a_pool_needs_a_block_to_use(num_blocks: int) -> None:
    with pytest.raises(ValueError, match=f"num_blocks is {num_blocks}, expected at least 2"):
        BlockPool(num_blocks)


def test_the_null_block_is_never_handed_out() -> None:
    pool = BlockPool(5)
    assert (pool.num_usable, pool.num_free) == (4, 4)
    assert [block.block_id for block in take(pool, 4)] == [1, 2, 3, 4]
    assert pool.num_free == 0
    assert pool.allocate(1) is None
    pool.check()


def test_more_than_there_are_changes_nothing() -> None:
    pool = BlockPool(5)
    take(pool, 2)
    before = [block.block_id for block in pool._free]
    assert pool.allocate(3) is None
    assert [block.block_id for block in pool._free] == before == [3, 4]
    assert pool.allocate(0) == []
    pool.check()


def test_blocks_that_nobody_can_find_come_back_at_once() -> None:
    pool = BlockPool(6)
    table = take(pool, 3)  # 1, 2, 3
    pool.release(table)
    pool.check()
    assert [block.block_id for block in pool._free] == [1, 2, 3, 4, 5]


def test_a_shared_block_is_freed_by_its_last_owner() -> None:
    pool = BlockPool(4)
    table = take(pool, 2)
    pool.share(table)
    assert [block.ref_count for block in table] == [2, 2]
    pool.release(table)
    pool.check()
    assert pool.num_free == 1
    pool.release(table)
    pool.check()
    assert pool.num_free == 3


def test_sharing_a_free_block_revives_it() -> None:
    pool = BlockPool(4)
    table = take(pool, 2)
    pool.release(table)
    pool.share(table[:1])
    pool.check()
    assert pool.num_free == 2 and table[0].ref_count == 1
    assert table[0] not in take(pool, 2)


def test_the_null_block_has_no_owners() -> None:
    pool = BlockPool(3)
    table = [pool.null_block, *take(pool, 1)]
    pool.share(table)
    pool.release(table)
    pool.release(table)
    pool.check()
    assert pool.null_block.ref_count == 0 and pool.num_free == 2


def test_freeing_twice_is_a_bug() -> None:
    pool = BlockPool(3)
    table = take(pool, 1)
    pool.release(table)
    with pytest.raises(AssertionError, match="freed more often"):
        pool.release(table)
