"""available_memory: bytes that this process can still allocate before memory runs out; Linux only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath


def available_memory(root: str = "/") -> int | None:
    """Return the bytes that can be allocated without swapping: MemAvailable, or what is left of a cgroup's limit.

    The limits of the process's cgroup and of its parents count, in both versions of cgroups. Their file cache that was
    not used lately counts as free, as in Kubernetes' working set. It takes about 0.2 ms.

    Args:
        root: folder that has /proc and /sys, for tests.

    Returns:
        None if the system has no /proc/meminfo.
    """
    lines = _read(f"{root}/proc/meminfo")
    found = [int(line.split()[1]) * 1024 for line in lines.splitlines() if line.startswith("MemAvailable:")]
    if not found:
        return None
    return max(0, min([*found, *_left_in_cgroups(root, found[0])]))


def _left_in_cgroups(root: str, free: int) -> Iterator[int]:
    """Yield the bytes that each cgroup of the process leaves, if they are fewer than `free`."""
    for line in _read(f"{root}/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:  # version 2
            mount, limits, usage, cold = "", ["memory.max", "memory.high"], "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            mount, limits = "/memory", ["memory.limit_in_bytes"]
            usage, cold = "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        # In a container the path may be the host's, and only the mount's root be there: it is a parent of every path.
        for folder in (PurePosixPath(path), *PurePosixPath(path).parents):
            here = f"{root}/sys/fs/cgroup{mount}{folder}"
            given = [_read(f"{here}/{name}") for name in limits]
            most = min((int(text) for text in given if text.strip().isdigit()), default=None)  # others: "max"
            if most is None or most >= 1 << 62:  # version 1 has no word for no limit
                continue
            left = most - int(_read(f"{here}/{usage}") or 0)
            if left < free:  # the kernel sums up memory.stat when it is read, so it is read last
                stat = dict(line.split() for line in _read(f"{here}/memory.stat").splitlines())
                yield left + int(stat.get(cold, 0))


def _read(path: str) -> str:
    """Return a file's text; empty if there is no such file."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""
