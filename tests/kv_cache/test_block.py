"""KVCacheBlock and FreeBlockQueue: order, removal from the middle, and misuse."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from torchpaged.kv_cache import FreeBlockQueue, KVCacheBlock


def ids(queue: FreeBlockQueue) -> list[int]:
    queue.check()
    return [block.block_id for block in queue]


@pytest.fixture
def blocks() -> list[KVCacheBlock]:
    return [KVCacheBlock(i) for i in range(5)]


def test_an_empty_queue_has_nothing_to_give() -> None:
    queue = FreeBlockQueue()
    assert len(queue) == 0 and ids(queue) == []
    with pytest.raises(IndexError, match="no free block"):
        queue.pop()


def test_first_in_first_out(blocks: list[KVCacheBlock]) -> None:
    queue = FreeBlockQueue(blocks)
    assert [queue.pop().block_id for _ in range(5)] == [0, 1, 2, 3, 4]
    assert len(queue) == 0 and ids(queue) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(lambda q, b: q.remove(b[0]), [1, 2, 3, 4], id="remove-first"),
        pytest.param(lambda q, b: q.remove(b[2]), [0, 1, 3, 4], id="remove-middle"),
        pytest.param(lambda q, b: q.remove(b[4]), [0, 1, 2, 3], id="remove-last"),
        pytest.param(lambda q, b: q.append(q.pop()), [1, 2, 3, 4, 0], id="first-to-the-end"),
        pytest.param(lambda q, b: (q.remove(b[3]), q.appendleft(b[3])), [3, 0, 1, 2, 4], id="to-the-front"),
    ],
)
def test_order_after(
    change: Callable[[FreeBlockQueue, list[KVCacheBlock]], object], expected: list[int], blocks: list[KVCacheBlock]
) -> None:
    queue = FreeBlockQueue(blocks)
    change(queue, blocks)
    assert ids(queue) == expected
    assert len(queue) == len(expected)


def test_a_block_outside_the_queue_cannot_be_removed(blocks: list[KVCacheBlock]) -> None:
    queue = FreeBlockQueue(blocks)
    taken = queue.pop()
    assert taken.previous is None and taken.next is None
    with pytest.raises(AssertionError, match="not in the free queue"):
        queue.remove(taken)
    assert ids(queue) == [1, 2, 3, 4]


def test_a_block_cannot_be_queued_twice(blocks: list[KVCacheBlock]) -> None:
    queue = FreeBlockQueue(blocks)
    with pytest.raises(AssertionError):
        queue.append(blocks[2])
    assert ids(queue) == [0, 1, 2, 3, 4]


def test_check_sees_an_owned_block_in_the_queue(blocks: list[KVCacheBlock]) -> None:
    queue = FreeBlockQueue(blocks)
    blocks[1].ref_count = 1
    with pytest.raises(AssertionError):
        queue.check()
