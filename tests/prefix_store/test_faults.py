"""Faults of a folder of segments: a value is the one that was put or a miss, and nothing raises."""

from __future__ import annotations

import errno
import logging
import os
import random
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.prefix_store.stores import MIB, held, key_of, opened, put, value_of
from torchpaged.prefix_store import folder, segment
from torchpaged.prefix_store.checksum import Checksum

VALUES = segment.size_for(0) - segment.PAGE  # where they begin
REGIONS = {
    "magic": (0, 8),
    "version": (8, 12),
    "key id": (12, 28),
    "namespace": (28, 60),
    "length and checksum of the header": (60, 68),
    "metadata": (68, 90),
    "rest of the header": (200, 4090),
    "count": (4092, 4096),
    "key": (4096, 4128),
    "offset": (4128, 4136),
    "length": (4136, 4144),
    "checksum": (4144, 4160),
    "unused rows": (4096 + 64 * 30, VALUES),
    "value": (VALUES, VALUES + 5000),
    "padding": (VALUES + 5000, VALUES + 8192),
}


def the_segment(place: Path) -> Path:
    (found,) = (place / "model").iterdir()
    return found


@pytest.mark.parametrize("key", [None, b"k" * 32], ids=["crc", "hmac"])
@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "open"])
@pytest.mark.parametrize("region", REGIONS)
def test_a_flipped_bit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, region: str, sealed: bool, key: bytes | None
) -> None:
    store = opened(tmp_path, checksum_key=key)
    put(store, range(20))
    store.close()
    if sealed:
        writer = segment.SegmentWriter.adopt(str(the_segment(tmp_path)), store._header, 0)
        assert writer is not None
        writer.seal(0)
    path = the_segment(tmp_path)
    assert path.suffix == (segment.SEALED if sealed else segment.OPEN)
    whole, (begin, end), pick = path.read_bytes(), REGIONS[region], random.Random(region)
    for at in {begin, end - 1, *(pick.randrange(begin, end) for _ in range(3))}:
        for each in (tmp_path / "model").iterdir():
            each.unlink()
        damaged = bytearray(whole)
        damaged[at] ^= 1 << pick.randrange(8)
        path.write_bytes(damaged)
        caplog.clear()
        store = opened(tmp_path, checksum_key=key)
        found = held(store, range(20))
        lost = 20 - len(found)
        if region in ("rest of the header", "unused rows", "padding"):
            assert lost == 0
        elif at < 4092:
            assert lost in (0, 20)  # the version may be another one's
        elif region != "count":
            assert found == [*range(1, 20)]
        assert len(caplog.messages) <= 1, "it is said once"
        assert held(store, range(20)) == found and len(caplog.messages) <= 1
        put(store, range(20))
        assert held(store, range(20)) == [*range(20)], "what was lost is computed anew"
        store.close()
        assert held(opened(tmp_path, checksum_key=key), range(20)) == [*range(20)], "and stays"


@pytest.mark.parametrize("seed", range(30))
def test_pages_that_a_power_failure_lost(tmp_path: Path, seed: int) -> None:
    """Pages reach the disk in any order: some are zeros or old, and the end is missing."""
    pick = random.Random(seed)
    store = opened(tmp_path)
    put(store, range(20))
    store.close()
    path = the_segment(tmp_path)
    contents = bytearray(path.read_bytes())
    for _ in range(pick.randrange(1, 20)):
        at = pick.randrange(len(contents) // 4096) * 4096
        contents[at : at + 4096] = bytes(4096) if pick.random() < 0.8 else pick.randbytes(4096)
    path.write_bytes(contents[: pick.choice([len(contents), pick.randrange(len(contents))])])
    store = opened(tmp_path)
    held(store, range(20))
    put(store, range(30))
    assert held(store, range(30)) == [*range(30)]
    store.close()
    assert held(opened(tmp_path), range(30)) == [*range(30)]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    """Some of a value is written, then nothing; after a while it is tried again."""
    store, write, room, now = opened(tmp_path), os.pwrite, [100_000], time.monotonic()

    def pwrite(descriptor: int, data: Any, offset: int) -> int:
        count = min(len(data), room[0])
        room[0] -= count
        if not count:
            raise OSError(code, os.strerror(code))
        return write(descriptor, data[:count], offset)

    monkeypatch.setattr(os, "pwrite", pwrite)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for number in range(40):
        put(store, [number])
    found = held(store, range(40))
    assert found == [*range(len(found))] and 10 <= len(found) < 20
    assert store.stats()["dropped"] == 40 - len(found)
    assert (
        len(caplog.messages) == 1 and os.strerror(code) in caplog.messages[0] and "requests go on" in caplog.messages[0]
    )
    room[0] = 10**9
    put(store, [50])
    assert held(store, [50]) == [], "it is not tried at every value"
    now += 31
    put(store, range(40))
    assert held(store, range(40)) == [*range(40)] and len(caplog.messages) == 1
    store.close()
    assert held(opened(tmp_path), range(40)) == [*range(40)]


def test_a_disk_that_is_full_when_the_data_get_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File systems that allocate late find it out in fsync."""

    def fsync(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    store = opened(tmp_path)
    put(store, range(3000), 100)
    store.flush()
    put(store, range(3000, 3100), 100)
    held(store, range(3100), 100)
    store.close()
    monkeypatch.undo()
    held(opened(tmp_path), range(3100), 100)


def in_child(run: Callable[[], None]) -> None:
    """Run in a process of its own, which may lose its rights."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run()
            status = 0
        except BaseException:
            logging.exception("in the child")
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    """The system writes a part of a value, and refuses the rest."""

    def run() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3 * MIB, 3 * MIB))
        store = opened(tmp_path)
        put(store, range(100), MIB)
        assert held(store, range(100), MIB) == []  # the segment itself is larger
        assert store.stats()["dropped"] == 100
        store.close()

    in_child(run)
    assert not (tmp_path / "model").exists() or not list((tmp_path / "model").iterdir())


def let_in(folder: Path) -> None:
    """Let everybody reach a folder of pytest's, whose own folders are the user's alone."""
    for parent in folder.parents:
        if parent == Path(tempfile.gettempdir()) or parent.stat().st_uid != os.geteuid():
            break
        os.chmod(parent, 0o755)


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    put(opened(tmp_path), range(10))
    os.chmod(tmp_path, 0o555)
    os.chmod(tmp_path / "model", 0o555)
    let_in(tmp_path)
    os.chmod(the_segment(tmp_path), 0o444)

    def run() -> None:
        if os.geteuid() == 0:
            os.setuid(65534)
        for limit in (None, 100 * MIB):
            store = opened(tmp_path, size_limit=limit)
            assert held(store, range(10)) == [*range(10)]
            put(store, range(20))
            store.delete([key_of(0)])
            assert held(store, range(20)) == [*range(1, 10)]
            assert store.stats()["dropped"] == 10
            store.flush()
            store.close()

    in_child(run)


def test_a_folder_that_may_not_be_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    put(opened(tmp_path), range(10))
    os.chmod(tmp_path / "model", 0)
    let_in(tmp_path)
    os.chmod(tmp_path, 0o755)

    def run() -> None:
        if os.geteuid() == 0:
            os.setuid(65534)
        store = opened(tmp_path)
        assert held(store, range(10)) == []
        put(store, range(10))
        assert caplog.messages and "Permission denied" in caplog.messages[0]

    in_child(run)
    os.chmod(tmp_path / "model", 0o755)


def deleted(place: Path) -> None:
    """Delete a folder while the store renames files in it."""
    while place.exists():
        shutil.rmtree(place, ignore_errors=True)


@pytest.mark.parametrize("limit", [None, 100 * MIB])
@pytest.mark.parametrize("what", ["deleted", "moved", "emptied", "replaced"])
def test_a_folder_that_goes_while_it_is_used(tmp_path: Path, what: str, limit: int | None) -> None:
    place = tmp_path / "cache"
    store = opened(place, size_limit=limit)
    put(store, range(2100), 100)
    held(store, range(5), 100)
    if what == "moved":
        place.rename(tmp_path / "elsewhere")
    elif what == "emptied":
        deleted(place / "model")
    else:
        deleted(place)
    if what == "replaced":
        place.write_text("a file")
    held(store, range(2100), 100)
    put(store, range(3000), 100)
    held(store, range(3000), 100)
    store.refresh()
    store.delete([key_of(2000)])
    store.flush()
    if what == "replaced":
        place.unlink()
        store._record._retry_at = 0
    put(store, range(3000), 100)
    assert held(store, range(3000), 100) == [*range(3000)]
    store.close()
    assert held(opened(place), range(3000), 100) == [*range(3000)]


def test_clocks_that_jump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of uses decides what is removed, also for the next process."""
    pick, real = random.Random(1), time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: max(0, real() + pick.choice([-(10**18), 0, 10**18])))
    for first in range(0, 60, 20):
        store = opened(tmp_path, size_limit=16 * MIB)
        for number in range(first, first + 20):
            put(store, [number], MIB)
            assert held(store, [0], MIB) == [0]
        found = held(store, range(first + 20), MIB)
        assert found[-3:] == [*range(first + 17, first + 20)] and len(found) >= 9
        store.close()


def test_files_that_are_no_segments(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Others' files stay, and nothing waits for a pipe."""
    put(opened(tmp_path), range(3))
    place = tmp_path / "model"
    names = iter(f"{number:016x}" for number in range(100))
    os.mkfifo(place / f"{next(names)}.seg")
    os.mkfifo(place / f"{next(names)}.open")
    (place / f"{next(names)}.seg").mkdir()
    (place / f"{next(names)}.open").symlink_to("/dev/zero")
    (place / f"{next(names)}.seg").symlink_to("/etc/passwd")
    (place / f"{next(names)}.seg").write_bytes(b"")
    (place / f"{next(names)}.seg").write_bytes(os.urandom(100_000))
    (place / "notes.txt").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "linked").symlink_to(tmp_path / "model")
    store = opened(tmp_path, size_limit=100 * MIB)
    assert held(store, range(5)) == [0, 1, 2]
    put(store, range(5))
    assert held(store, range(5)) == [*range(5)] and len(caplog.messages) == 1
    with folder.locked(tmp_path):
        folder.shrink(tmp_path, 0)
    assert (place / "notes.txt").exists() and (tmp_path / "notes.txt").exists() and os.path.exists("/etc/passwd")
    held(store, range(5))
    put(store, range(5))


def test_a_forged_row_needs_the_key(tmp_path: Path) -> None:
    """With a checksum key, one who writes the folder makes misses and nothing else."""
    for key, expected in ((None, 1), (b"secret key of 23 bytes!", 0)):
        place = tmp_path / str(expected)
        store = opened(place, checksum_key=key)
        put(store, range(1))
        store.close()
        path = the_segment(place)
        contents = bytearray(path.read_bytes())
        forged = value_of(77)
        mark = Checksum("model").of(key_of(0), forged)  # the best that is known without the key
        contents[4144:4160] = mark
        contents[VALUES : VALUES + 5000] = forged
        path.write_bytes(contents)
        assert opened(place, checksum_key=key).get([key_of(0)]) == [forged if expected else None]


def test_values_moved_to_another_key_or_namespace(tmp_path: Path) -> None:
    key = b"k" * 16
    store = opened(tmp_path, checksum_key=key)
    put(store, range(2))
    store.close()
    path = the_segment(tmp_path)
    contents = bytearray(path.read_bytes())
    contents[4096:4128], contents[4160:4192] = contents[4160:4192], contents[4096:4128]
    path.write_bytes(contents)
    assert held(opened(tmp_path, checksum_key=key), range(2)) == []
    put(opened(tmp_path, namespace="one", checksum_key=key), range(2))
    (tmp_path / "one").rename(tmp_path / "two")
    assert held(opened(tmp_path, namespace="two", checksum_key=key), range(2)) == []


def test_too_few_descriptors(tmp_path: Path) -> None:
    store = opened(tmp_path)
    put(store, range(1100), 100)
    store.flush()

    def run() -> None:
        store = opened(tmp_path)
        taken = []
        while True:
            try:
                taken.append(os.open("/dev/null", os.O_RDONLY))
            except OSError:
                break
        held(store, range(1100), 100)
        put(store, range(2000), 100)
        for each in taken:
            os.close(each)
        assert held(store, range(1100), 100) == [*range(1100)]

    in_child(run)


def test_a_fork_has_a_segment_of_its_own(tmp_path: Path) -> None:
    store = opened(tmp_path)
    put(store, range(5))

    def run() -> None:
        put(store, range(5, 10))
        assert held(store, range(10)) == [*range(10)]
        store.close()

    in_child(run)
    put(store, range(10, 15))
    store.refresh()
    assert held(store, range(15)) == [*range(15)]
