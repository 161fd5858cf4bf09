"""available_memory over files as Linux writes them: both versions of cgroups, nested limits, containers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torchpaged.utils.system_memory import available_memory

MIB = 1 << 20
MEMINFO = "MemTotal:  4096 kB\nMemFree: 1 kB\nMemAvailable:    2048 kB\nBuffers: 7 kB\n"  # 2 MiB are available
UNLIMITED = "9223372036854771712\n"


def files(root: Path, contents: dict[str, str]) -> str:
    for name, text in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(root)


def v2(folder: str, most: str, current: int, high: str = "max", cold: int = 0) -> dict[str, str]:
    here = f"sys/fs/cgroup{folder}"
    return {
        f"{here}/memory.max": f"{most}\n",
        f"{here}/memory.high": f"{high}\n",
        f"{here}/memory.current": f"{current}\n",
        f"{here}/memory.stat": f"anon 5\ninactive_file {cold}\nactive_file 9\n",
    }


def v1(folder: str, most: str, usage: int, cold: int = 0) -> dict[str, str]:
    here = f"sys/fs/cgroup/memory{folder}"
    return {
        f"{here}/memory.limit_in_bytes": most,
        f"{here}/memory.usage_in_bytes": f"{usage}\n",
        f"{here}/memory.stat": f"cache 5\ninactive_file 3\ntotal_inactive_file {cold}\n",
    }


@pytest.mark.parametrize(
    ("cgroup", "contents", "expected"),
    [
        pytest.param("", {}, 2 * MIB, id="no-cgroups"),
        pytest.param("0::/\n", {}, 2 * MIB, id="root-of-v2"),
        pytest.param("0::/a/b\n", v2("/a/b", "max", 100), 2 * MIB, id="v2-without-a-limit"),
        pytest.param("0::/a/b\n", v2("/a/b", str(MIB), 1000), MIB - 1000, id="v2"),
        pytest.param("0::/a/b\n", v2("/a/b", str(MIB), 1000, high="5000"), 4000, id="v2-high"),
        pytest.param("0::/a/b\n", v2("/a/b", str(MIB), 1000, cold=300), MIB - 700, id="v2-cold-cache-is-free"),
        pytest.param("0::/a/b\n", {**v2("/a/b", str(MIB), 0), **v2("/a", "9000", 2000)}, 7000, id="v2-a-parents-limit"),
        pytest.param("0::/\n", v2("", "5000", 4000), 1000, id="v2-a-containers-root"),
        pytest.param("0::/a\n", v2("/a", "5000", 9000), 0, id="v2-above-its-limit"),
        pytest.param("0::/a\n", v2("/a", str(8 * MIB), 0), 2 * MIB, id="v2-a-limit-above-what-is-free"),
        pytest.param("4:memory:/x\n0::/\n", v1("/x", "9000\n", 2000), 7000, id="v1"),
        pytest.param("4:cpu,memory:/x\n", v1("/x", "9000\n", 2000, cold=50), 7050, id="v1-beside-others"),
        pytest.param("4:memory:/x\n", v1("/x", UNLIMITED, 2000), 2 * MIB, id="v1-without-a-limit"),
        pytest.param("4:memory:/docker/1234\n", v1("", "9000\n", 2000), 7000, id="v1-in-a-container"),
        pytest.param("4:cpuset:/x\n", v1("/x", "9000\n", 2000), 2 * MIB, id="another-controller"),
    ],
)
def test_the_smallest_counts(cgroup: str, contents: dict[str, str], expected: int, tmp_path: Path) -> None:
    root = files(tmp_path, {"proc/meminfo": MEMINFO, "proc/self/cgroup": cgroup, **contents})
    assert available_memory(root) == expected


def test_another_system(tmp_path: Path) -> None:
    assert available_memory(str(tmp_path)) is None


@pytest.mark.skipif(not os.path.exists("/proc/meminfo"), reason="Linux only")
def test_this_system() -> None:
    free = available_memory()
    assert free is not None and 0 < free <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
