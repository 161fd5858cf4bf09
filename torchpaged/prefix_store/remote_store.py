"""RemoteStore: a KVStore in an object store or on another file system, through fsspec. One object for each value.

Which keys there are is listed by a thread and kept in memory, so that `contains` asks no network. Whatever the service
answers, a value that does not pass its checksum is a miss, and one that cannot be written is dropped.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from torchpaged.errors import ConfigError, MissingPackageError, reason_of
from torchpaged.prefix_store import checksum
from torchpaged.prefix_store.checksum import Checksum
from torchpaged.prefix_store.protocol import KEY_BYTES, Value
from torchpaged.prefix_store.record import Record
from torchpaged.prefix_store.worker import Worker

_MAGIC = b"tpagedv1"
_HEADER_BYTES = len(_MAGIC) + checksum.SIZE
_LIST_EVERY = 60.0  # seconds between two listings: other processes' values are found so late
_AFTER_REMOVAL = 0.9  # of the limit: a listing for every value would be slow
# Names that file systems of fsspec have for an object's time.
_TIMES = ("LastModified", "last_modified", "mtime", "updated", "created", "timeCreated")


class RemoteStore:
    """KVStore at a URL of fsspec.

    Args:
        url: of a folder or prefix.
        namespace: of the model and its cache, a folder below.
        size_limit: bytes of all namespaces there; the oldest objects are removed, since services do not write down
            uses. Other processes' values count once they are listed. None: no limit.
        checksum_key: secret for the checksums.
        metadata: values for people, written beside the objects.

    Raises:
        ConfigError: the URL is of no file system that fsspec knows, or cannot be used.
        MissingPackageError: fsspec, or the package for this kind of URL, is not installed.
    """

    def __init__(
        self,
        url: str,
        *,
        namespace: str,
        size_limit: int | None,
        checksum_key: bytes | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self._fs, self._root = _file_system(url)
        self._checksum, self._limit = Checksum(namespace, checksum_key), size_limit
        # Values with different checksum keys have different names: none takes another's for damaged.
        mark = f"-{self._checksum.key_id[:8].hex()}" if checksum_key is not None else ""
        self._folder = f"{self._root}/{namespace}{mark}"
        self._record, self._worker = Record(url), Worker(self._tend, _LIST_EVERY)
        self._known: dict[bytes, None] = {}
        self._taken = 0  # bytes of all namespaces
        self._lock = threading.Lock()
        self._closed = False
        try:
            text = json.dumps({"namespace": namespace, **(metadata or {})})
        except (TypeError, ValueError) as error:
            raise ConfigError(f"metadata of the prefix cache: {error}") from None
        self._metadata: str | None = text
        self._worker.start()

    def contains(self, keys: Sequence[bytes]) -> list[bool]:
        """Return for each key whether it was listed or put; no I/O."""
        found = [key in self._known for key in keys]
        if not all(found):
            self._worker.wake_if_due()
        return found

    def get(self, keys: Sequence[bytes]) -> list[bytes | memoryview | None]:
        """Read known values, side by side where the file system can."""
        start = time.perf_counter()
        paths = {key: self._path(key) for key in keys if key in self._known}
        found: dict[str, Any] = {}
        if paths:
            try:
                found = self._fs.cat(list(paths.values()), on_error="return")
            except Exception as error:  # each service has errors of its own
                self._record.say("read", f"{self._folder}: {reason_of(error)}; values that cannot be read are misses")
        values = [self._checked(key, found.get(paths[key])) if key in paths else None for key in keys]
        sizes = [len(each) for each in values if each is not None]
        self._record.add_read(sizes, len(keys) - len(sizes), time.perf_counter() - start)
        self._worker.wake_if_due()
        return list(values)

    def _checked(self, key: bytes, found: Any) -> memoryview | None:
        if isinstance(found, bytes):
            value = memoryview(found)[_HEADER_BYTES:]
            mark = found[len(_MAGIC) : _HEADER_BYTES]
            if found.startswith(_MAGIC) and len(mark) == checksum.SIZE and self._checksum.matches(key, value, mark):
                return value
            self._record.count(damaged=1)
            self._record.say("damaged", f"{self._path(key)} does not match its checksum; it will be computed again")
            self._forget([key])
        elif isinstance(found, FileNotFoundError):  # another process has removed it
            self._forget([key])
        elif found is not None:
            self._record.say("read", f"{self._path(key)}: {reason_of(found)}; values that cannot be read are misses")
        return None

    def put(self, items: Sequence[tuple[bytes, Value]]) -> None:
        """Upload values that are not known, side by side where the file system can."""
        start = time.perf_counter()
        new: dict[bytes, bytes] = {}
        for key, value in items:
            if len(key) != KEY_BYTES:
                raise ValueError(f"key has {len(key)} bytes, expected {KEY_BYTES}")
            if key not in self._known:
                view = memoryview(value)
                plain = view.cast("B") if view.nbytes else memoryview(b"")
                new[key] = b"".join((_MAGIC, self._checksum.of(key, plain), plain))
        size, num_dropped = sum(map(len, new.values())), len(new)
        if new and not self._closed and self._record.may_write and self._make_room(size):
            try:
                self._fs.pipe({self._path(key): data for key, data in new.items()})
            except Exception as error:
                self._record.write_failed(error)
            else:
                num_dropped = 0
                with self._lock:
                    self._known.update(dict.fromkeys(new))
                    self._taken += size
                self._record.count(puts=len(new), bytes_written=size - _HEADER_BYTES * len(new))
        self._record.add_written(num_dropped, time.perf_counter() - start)

    def delete(self, keys: Sequence[bytes]) -> None:
        """Remove values."""
        known = [key for key in keys if key in self._known]
        self._forget(known)
        self._remove([self._path(key) for key in known])

    def flush(self) -> None:
        """Return at once: a value is where it belongs when `put` returns."""

    def close(self) -> None:
        """End the thread. Later puts are dropped."""
        self._closed = True
        self._worker.stop()

    def stats(self) -> dict[str, int | float]:
        """Return counters since the start, and the number of known values."""
        return {**self._record.values(), "values": len(self._known)}

    # --- Listing and removing --------------------------------------------------------------------------------------

    def _path(self, key: bytes) -> str:
        return f"{self._folder}/{key.hex()}"

    def _forget(self, keys: Sequence[bytes]) -> None:
        with self._lock:
            for key in keys:
                self._known.pop(key, None)

    def _tend(self, is_due: bool) -> None:
        if is_due:
            if self._metadata is not None:
                with suppress(Exception):  # reading is possible without the right to write
                    self._fs.pipe_file(f"{self._folder}/metadata.json", self._metadata.encode())
                self._metadata = None
            self._list()

    def _list(self) -> list[tuple[float, int, str]] | None:
        """Learn what is there; return time, size and path of all objects, or None if they cannot be listed."""
        before = set(self._known)
        try:
            self._fs.invalidate_cache()
            found = self._fs.find(self._root, detail=True)
        except FileNotFoundError:
            found = {}
        except Exception as error:
            self._record.say("list", f"{self._root} cannot be listed: {reason_of(error)}")
            return None
        prefix = f"{self._folder}/"
        keys = {key for path in found if path.startswith(prefix) and (key := _key_of(path[len(prefix) :]))}
        with self._lock:
            self._known.update(dict.fromkeys(keys))
            for key in before - keys:
                self._known.pop(key, None)
            self._taken = sum(int(each.get("size") or 0) for each in found.values())
        return [(_time_of(each), int(each.get("size") or 0), path) for path, each in found.items()]

    def _make_room(self, size: int) -> bool:
        """Remove the oldest objects until so many bytes fit; False if they never will."""
        if self._limit is None or self._taken + size <= self._limit:
            return True
        if size > self._limit:
            self._record.say("too large", f"{size} bytes at once are not kept, at most {self._limit} can be")
            return False
        found = self._list()
        if found is None:
            return False
        gone, left = [], sum(each for _, each, _ in found)
        for _, each, path in sorted(found):
            if left + size <= self._limit * _AFTER_REMOVAL:
                break
            if _key_of(path.rpartition("/")[2]):  # other objects are not ours to remove
                gone.append(path)
                left -= each
        self._remove(gone)
        prefix = f"{self._folder}/"
        self._forget([key for path in gone if path.startswith(prefix) and (key := _key_of(path[len(prefix) :]))])
        with self._lock:
            self._taken = left
        self._record.count(evicted_values=len(gone))
        return left + size <= self._limit

    def _remove(self, paths: Sequence[str]) -> None:
        for path in paths:
            try:
                self._fs.rm_file(path)
            except FileNotFoundError:
                pass
            except Exception as error:
                self._record.say("remove", f"{path} cannot be removed: {reason_of(error)}")


def _file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"prefix cache at {url!r:.200} needs fsspec ({error}): pip install 'torchpaged[remote]'"
        ) from None
    try:
        fs, root = url_to_fs(url)
    except ImportError as error:
        raise MissingPackageError(f"prefix cache at {url!r:.200}: {reason_of(error)}") from None
    except Exception as error:  # each kind of file system has errors of its own
        raise ConfigError(f"prefix cache at {url!r:.200} cannot be opened: {reason_of(error)}") from None
    return fs, root.rstrip("/")


def _key_of(name: str) -> bytes | None:
    """Return the key in the name of an object; None if it is no value's."""
    try:
        key = bytes.fromhex(name)
    except ValueError:
        return None
    return key if len(key) == KEY_BYTES else None


def _time_of(facts: Mapping[str, Any]) -> float:
    """Return an object's time in seconds; 0 if the file system does not say."""
    for name in _TIMES:
        found = facts.get(name)
        if isinstance(found, str):
            with suppress(ValueError):
                found = datetime.fromisoformat(found.replace("Z", "+00:00"))
        if isinstance(found, datetime):
            return found.timestamp()
        if isinstance(found, (int, float)):
            return float(found)
    return 0.0
