"""Processes that share a folder, and that SIGKILL ends at any time: what was put is there, and is right.

`python -m tests.prefix_store.kills --first 0 --count 200` kills so many on new seeds.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.prefix_store.stores import MIB, held, key_of, opened, put, value_of
from torchpaged.prefix_store import folder, segment

_NUMBERS = 400  # that values are drawn from


def _size_of(number: int) -> int:
    return random.Random(-number).choice([10, 4096, 30_000, 300_000])


def work(place: Path, seed: int, limit: int | None, done: int, count: int | None = None) -> None:
    """Put, get, flush and open again at random, for ever or so often; write to `done` each number that was put.

    Values are judged while others write, remove and are killed.
    """
    pick = random.Random(seed)
    store = opened(place, size_limit=limit)
    step = 0
    while count is None or step < count:
        step += 1
        numbers = [pick.randrange(_NUMBERS) for _ in range(pick.randrange(1, 6))]
        choice = pick.random()
        if choice < 0.5:
            store.put([(key_of(number), value_of(number, _size_of(number))) for number in numbers])
            os.write(done, b"".join(b"%d\n" % number for number in numbers))
        elif choice < 0.85:
            for number, value in zip(numbers, store.get([key_of(number) for number in numbers]), strict=True):
                assert value is None or value == value_of(number, _size_of(number)), number
        elif choice < 0.9:
            store.flush()
        elif choice < 0.95:
            store.refresh()
        else:
            store.close()
            store = opened(place, size_limit=limit)
        store.check()
    assert store.stats()["damaged"] == 0
    store.close()


def survive(place: Path, seed: int, limit: int | None, writers: int = 2) -> int:
    """Kill one of the processes that work in a folder, let the others end, and judge what is there.

    Returns:
        The number of values that were put.
    """
    read, done = os.pipe()
    children = []
    for number in range(writers):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.close(read)
                work(place, seed * 10 + number, limit, done, None if number == 0 else 25)
                status = 0
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(status)
        children.append(child)
    os.close(done)
    time.sleep(random.Random(seed).random() * 0.4)
    os.kill(children[0], signal.SIGKILL)
    with os.fdopen(read, "rb") as lines:
        numbers = {int(line) for line in lines.read().splitlines(keepends=True) if line.endswith(b"\n")}
    states = [os.waitpid(child, 0)[1] for child in children]
    assert states == [signal.SIGKILL] + [0] * (writers - 1), f"seed {seed}: {states}"
    store = opened(place, size_limit=limit)
    found = {number for number in range(_NUMBERS) if held(store, [number], _size_of(number))}
    assert limit is not None or numbers <= found, f"seed {seed}: {numbers - found} are lost"
    assert store.stats()["damaged"] == 0, f"seed {seed}"
    put(store, range(1000, 1003))
    assert held(store, range(1000, 1003)) == [1000, 1001, 1002], f"seed {seed}"
    store.close()
    if limit is not None:
        taken = sum(each.num_bytes for each in folder.all_segments(place))
        assert taken <= limit + segment.LEAST_BYTES, f"seed {seed}: {taken} bytes"
    return len(numbers)


def run(first: int, count: int) -> int:
    """Kill so many processes, ten in each folder; return the number of values that were put."""
    total = 0
    for start in range(first, first + count, 10):
        with tempfile.TemporaryDirectory() as name:
            for seed in range(start, min(start + 10, first + count)):
                total += survive(Path(name), seed, limit=None if start // 10 % 2 else 12 * MIB)
        print(f"{min(start + 10, first + count) - first} processes killed", flush=True)
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200, help="processes to kill")
    given = parser.parse_args()
    print(f"{run(given.first, given.count)} values put")
