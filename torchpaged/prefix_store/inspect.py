"""Contents of a folder of segments for `torchpaged cache`: what each namespace holds, which values are damaged."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchpaged.prefix_store import folder as folders
from torchpaged.prefix_store import segment
from torchpaged.prefix_store.buffers import Buffers
from torchpaged.prefix_store.checksum import Checksum
from torchpaged.prefix_store.segment import DamagedSegment, ForeignSegment


@dataclass(slots=True)
class Namespace:
    """Contents of a namespace.

    Args:
        name: of its folder.
        metadata: of its first readable segment.
        num_segments: its segments.
        num_values: their values.
        num_bytes: their bytes.
        used: time of the last use, in nanoseconds.
        unreadable: path and reason of each segment that cannot be used.
    """

    name: str
    metadata: dict[str, Any] = field(default_factory=dict)
    num_segments: int = 0
    num_values: int = 0
    num_bytes: int = 0
    used: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)


def contents(root: str | Path) -> list[Namespace]:
    """Return what each namespace in a folder holds. OSError if the folder cannot be read."""
    found = []
    for folder in folders.namespaces(root):
        seen = Namespace(os.path.basename(folder))
        for each in folders.segments(folder):
            seen.num_segments += 1
            seen.num_bytes += each.num_bytes
            seen.used = max(seen.used, each.used)
            try:
                file = segment.open_file(each.path)
                metadata = segment.read_metadata(os.pread(file.fileno(), segment.PAGE, 0))
                keys = segment.keys_of(segment.read_rows(file.fileno(), None, each.path.endswith(segment.SEALED)))
                seen.metadata = seen.metadata or metadata
                seen.num_values += sum(key != segment.DELETED for key in keys)
            except FileNotFoundError:
                pass
            except (DamagedSegment, OSError) as error:
                seen.unreadable[each.path] = str(error)
        if seen.num_segments:
            found.append(seen)
    return found


@dataclass(slots=True)
class Verified:
    """Segment whose values were read.

    Args:
        path: of its file.
        num_values: values that are as they were put.
        damaged: the reason for each that is not, or for the segment.
        unchecked: the reason why none was checked; empty if they were.
    """

    path: str
    num_values: int = 0
    damaged: list[str] = field(default_factory=list)
    unchecked: str = ""


def verify(root: str | Path, key: bytes | None) -> Iterator[Verified]:
    """Read each value in a folder, and compare it with its checksum.

    Args:
        key: of the checksums; segments that were written with another one, or with none, are left out.

    Raises:
        OSError: the folder cannot be read.
        ConfigError: the key is too short.
    """
    for each in folders.all_segments(root):
        found = Verified(each.path)
        try:
            file = segment.open_file(each.path)
            page = os.pread(file.fileno(), segment.PAGE, 0)
            checksum = Checksum(str(segment.read_metadata(page).get("namespace")), key)
            if segment.key_id_of(page) != checksum.key_id:
                found.unchecked = "it was written without a checksum key" if key else "it needs its checksum key"
                if key and segment.key_id_of(page) != Checksum("").key_id:
                    found.unchecked = "it was written with another checksum key"
            else:
                _verify_values(file.fileno(), each.path, checksum, found)
        except FileNotFoundError:  # another process has removed it
            continue
        except ForeignSegment as error:
            found.unchecked = str(error)
        except (DamagedSegment, OSError) as error:
            found.damaged.append(str(error))
        yield found


def _verify_values(descriptor: int, path: str, checksum: Checksum, found: Verified) -> None:
    keys, buffers = segment.keys_of(segment.read_rows(descriptor, None, path.endswith(segment.SEALED))), Buffers()
    for row, key in enumerate(keys):
        if key == segment.DELETED:
            continue
        try:
            segment.read_value(descriptor, segment.read_row(descriptor, row), checksum, buffers)
            found.num_values += 1
        except (DamagedSegment, OSError) as error:
            found.damaged.append(f"value {row}: {error}")
