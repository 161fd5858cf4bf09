"""Buffers: memory of a value is used again once the value is dropped, and not before."""

from __future__ import annotations

import threading

from torchpaged.prefix_store import buffers
from torchpaged.prefix_store.buffers import Buffers


def kept(pool: Buffers) -> int:
    return sum(length * len(free) for length, free in pool._free.items())


def test_memory_is_used_again_when_nothing_refers_to_it() -> None:
    pool = Buffers()
    first = pool.take(1000)
    first[:] = b"a" * 1000
    part, second = first[10:20].toreadonly(), pool.take(1000)
    second[:] = b"b" * 1000
    del first
    assert kept(pool) == 0 and bytes(part) == b"a" * 10
    third = pool.take(1000)
    third[:] = b"c" * 1000
    assert bytes(part) == b"a" * 10 and bytes(second) == b"b" * 1000
    del part
    assert kept(pool) == 1000
    assert bytes(pool.take(1000)) == b"a" * 1000, "the memory of the first"
    assert len(pool.take(0)) == 0 and kept(pool) == 1000


def test_only_so_much_is_kept() -> None:
    pool, piece = Buffers(), buffers._MOST_KEPT // 4
    taken = [pool.take(piece + number) for number in range(8)]
    del taken
    assert 0 < kept(pool) <= buffers._MOST_KEPT
    pool.take(buffers._MOST_KEPT + 1)
    assert kept(pool) <= buffers._MOST_KEPT


def test_threads_never_share_memory() -> None:
    pool, failures = Buffers(), []

    def work(mark: int) -> None:
        for _ in range(2000):
            view = pool.take(64)
            view[:] = bytes([mark]) * 64
            if bytes(view) != bytes([mark]) * 64:
                failures.append(mark)

    threads = [threading.Thread(target=work, args=(mark,)) for mark in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures
