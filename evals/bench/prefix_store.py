"""Cost of the prefix store beside plain files: writing, reading, finding keys, and the start on a million values.

    python evals/bench/prefix_store.py [--folder FOLDER] [--values 256] [--only-start]
        [--output evals/results/prefix-store]

Values have the size of a block of Qwen3-0.6B (16 tokens, 28 layers, bfloat16). The peer writes the same bytes into
files of 64 MiB with fsync, and reads them with pread: what the disk and the system's page cache give. `cold` reads
follow after the pages were dropped from the cache.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from torchpaged.prefix_store import SegmentStore, segment
from torchpaged.prefix_store.checksum import Checksum

BLOCK_BYTES = 16 * 28 * 2 * 8 * 128 * 2  # tokens, layers, key and value, heads, dimensions, bytes
BATCH = 9  # values in one call, 16 MiB
FILE_BYTES = 64 << 20


def timed(run: Callable[[], object]) -> float:
    """Return the seconds that a function takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def drop_pages(folder: Path) -> None:
    """Drop the pages of all files in a folder from the system's cache."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def batches(keys: list[bytes]) -> Iterator[list[bytes]]:
    """Yield the keys of each call."""
    return (keys[first : first + BATCH] for first in range(0, len(keys), BATCH))


def measure_store(folder: Path, value: memoryview, keys: list[bytes], secret: bytes | None) -> dict[str, float]:
    """Return seconds of writing and reading all values."""
    store = SegmentStore(folder, namespace="bench", size_limit=None, checksum_key=secret)

    def write() -> None:
        for batch in batches(keys):
            store.put([(key, value) for key in batch])
        store.flush()

    def read() -> None:
        for batch in batches(keys):
            assert all(found is not None for found in store.get(batch))

    seconds = {"write": timed(write), "read": min(timed(read) for _ in range(2))}
    drop_pages(folder)
    seconds["cold read"] = timed(read)
    seconds["contains"] = timed(lambda: store.contains(keys)) / len(keys)
    store.close()
    return seconds


def measure_files(folder: Path, value: memoryview, count: int) -> dict[str, float]:
    """Return seconds of writing and reading the same bytes in plain files."""
    in_file = FILE_BYTES // len(value)
    files = [min(in_file, count - first) for first in range(0, count, in_file)]

    def write() -> None:
        for number, values in enumerate(files):
            with (folder / str(number)).open("wb", buffering=0) as file:
                for _ in range(values):
                    file.write(value)
                os.fsync(file.fileno())

    def read() -> None:
        for number, values in enumerate(files):
            with (folder / str(number)).open("rb", buffering=0) as file:
                for place in range(values):
                    assert len(os.pread(file.fileno(), len(value), place * len(value))) == len(value)

    seconds = {"write": timed(write), "read": min(timed(read) for _ in range(2))}
    drop_pages(folder)
    seconds["cold read"] = timed(read)
    return seconds


def measure_start(folder: Path, num_values: int, in_segment: int) -> tuple[float, float]:
    """Return the seconds until a store knows so many values, of which only the indexes are written, and of a lookup.

    The shortest of three starts counts: others may use the machine.
    """
    store = SegmentStore(folder, namespace="bench", size_limit=None)
    (folder / "bench").mkdir()
    page = store._header.page.ljust(segment.PAGE - 4, b"\0") + in_segment.to_bytes(4, "little")
    first = segment.size_for(0) - segment.PAGE
    keys: list[bytes] = []
    for _ in range(num_values // in_segment):
        keys.append(secrets.token_bytes(32))
        rows = [
            segment._ROW.pack(
                keys[-1] if not row else secrets.token_bytes(32), first + segment.PAGE * row, 4096, bytes(16)
            )
            for row in range(in_segment)
        ]
        with (folder / "bench" / f"{secrets.token_hex(8)}.seg").open("wb") as file:
            file.write(page + b"".join(rows))
            file.truncate(first + segment.PAGE * in_segment)
    store.close()
    os.sync()  # else the system writes the new files while the start is measured
    found: list[SegmentStore] = []
    seconds = min(
        timed(lambda: found.append(SegmentStore(folder, namespace="bench", size_limit=None))) for _ in range(3)
    )
    assert found[0].stats()["values"] == num_values // in_segment * in_segment
    assert all(found[0].contains(keys))
    return seconds, timed(lambda: found[0].contains(keys)) / len(keys)


def measure_starts(folder: Path | None, num_values: int) -> dict[str, Any]:
    """Return the seconds of starts with many values in a segment and with few, and of lookups after them."""
    starts, lookups = {}, {}
    for in_segment in (segment.ROWS, 35):
        with tempfile.TemporaryDirectory(dir=folder) as made:
            starts[in_segment], lookups[in_segment] = measure_start(Path(made), num_values, in_segment)
        print(f"start with {num_values} values, {in_segment} in a segment: {starts[in_segment]:.2f} s", end=", ")
        print(f"contains {lookups[in_segment] * 1e6:.2f} us")
    return {"keys": num_values, "seconds_of_start": starts, "seconds_of_contains_after_it": lookups}


def write(output: Path, result: dict[str, Any]) -> None:
    """Write a result beside a description of the machine."""
    output.parent.mkdir(parents=True, exist_ok=True)
    output.with_suffix(".json").write_text(json.dumps({**machine.describe(sys.argv), **result}, indent=1) + "\n")


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=None, help="on the disk to measure (default: a temporary one)")
    parser.add_argument("--values", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only-start", action="store_true", help="measure no reads and writes")
    parser.add_argument("--keys", type=int, default=1_000_000, help="values that the start finds")
    parser.add_argument("--output", type=Path, default=Path("evals/results/prefix-store"), help="without suffix")
    arguments = parser.parse_args()
    value = memoryview(secrets.token_bytes(BLOCK_BYTES))
    keys = [secrets.token_bytes(32) for _ in range(arguments.values)]
    if arguments.only_start:
        write(arguments.output, measure_starts(arguments.folder, arguments.keys))
        return
    rounds: dict[str, list[dict[str, float]]] = {"files": [], "crc-32": [], "hmac": []}
    for _ in range(arguments.rounds):
        for name, measured in rounds.items():
            with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
                if name == "files":
                    measured.append(measure_files(Path(folder), value, len(keys)))
                else:
                    secret = b"k" * 32 if name == "hmac" else None
                    measured.append(measure_store(Path(folder), value, keys, secret))
    rows: list[dict[str, Any]] = []
    for name, measured in rounds.items():
        row: dict[str, Any] = {"name": name}
        for what in ("write", "read", "cold read"):
            row[what] = len(keys) * BLOCK_BYTES / statistics.median(each[what] for each in measured) / 1e9
            row[f"{what}, of files'"] = row[what] / rows[0][what] if rows else 1.0
        rows.append(row)
        print(f"{name:8}" + "".join(f"{what} {row[what]:6.2f} GB/s  " for what in ("write", "read", "cold read")))
    contains = statistics.median(each["contains"] for each in rounds["crc-32"])
    sums = {name: Checksum("bench", secret) for name, secret in (("crc-32", None), ("hmac", b"k" * 32))}
    checksums = {
        name: BLOCK_BYTES / min(timed(lambda: each.of(keys[0], value)) for _ in range(20)) / 1e9  # noqa: B023
        for name, each in sums.items()
    }
    print(", ".join(f"{name} {rate:.2f} GB/s" for name, rate in checksums.items()), f"contains {contains * 1e6:.2f} us")
    result = {
        "block_bytes": BLOCK_BYTES,
        "values": arguments.values,
        "unit": "GB/s, median of rounds",
        "rows": rows,
        "checksums": checksums,
        "seconds_of_contains": contains,
        **measure_starts(arguments.folder, arguments.keys),
    }
    write(arguments.output, result)


if __name__ == "__main__":
    main()
