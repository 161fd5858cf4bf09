"""Settings that must precede all imports.

There is no network, two threads sleep while they wait, and without a GPU Triton runs in its interpreter.
"""

import gc
import os
import re
import signal
import sys
from functools import cache
from pathlib import Path
from zlib import crc32

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# Tests load many checkpoints once; those of the cache switch it on, in a folder of their own.
os.environ.setdefault("TORCHPAGED_PREPARED_CACHE", "0")
# While OpenMP's threads spin, they keep the core busy that another needs. With two workers, and the programs that
# they start, a test of two threads took seven times the processor time.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# Otherwise inductor starts processes that import torch, and compiles no sooner for it on two cores.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

import torch

if not torch.cuda.is_available():
    # Read when the kernels' decorators run, so it has to be set before torchpaged.ops.triton is imported.
    os.environ.setdefault("TRITON_INTERPRET", "1")

import pytest

from torchpaged.execution import trials

# An engine that guesses tokens times its steps when it starts, for 0.15 s or more; no token depends on it.
trials._FEWEST = trials._MOST = 2

# A shell that runs `make test &` starts it with Ctrl-C ignored, and tests of interrupts would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Each of the hundreds of processes that tests start would compile the library's files anew, 0.4 s of its 2.6, and the
# next run all tests, 12 s a worker.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Two workers of `pytest -n 2` share the two cores: a thread each, or OpenMP's barriers wait for the other's turn.
torch.set_num_threads(1 if int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) > 1 else 2)


def _read_slow() -> dict[str, int]:
    """Return the names of slow.txt with the share that runs: 3 for a third of the cases, 0 for none."""
    lines = (Path(__file__).parent / "slow.txt").read_text().splitlines()
    parts = (re.fullmatch(r"(?:1/(\d+) )?(.*)", line) for line in lines if not line.startswith("#"))
    return {part[2]: int(part[1] or 0) for part in parts if part}


SLOW = _read_slow()


def is_spared(item: pytest.Item, begun: set[str]) -> bool:
    """Return whether `make test` leaves a case to `make test-long`.

    Triton's interpreter is slow too: of its cases one dtype of each runs, and of those without a dtype one of three.
    On a GPU all run.

    Args:
        begun: names of tests of which a case runs; of those thinned out the first case does.
    """
    name, _, case = item.nodeid.partition("[")
    share = SLOW.get(item.nodeid, SLOW.get(name))
    if share == 0:
        return True
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    is_triton = any(isinstance(value, str) and value == "triton" for value in params.values())
    if torch.cuda.is_available() or not (is_triton or share):
        return False
    if is_triton and isinstance(dtype := params.get("dtype"), torch.dtype):
        dtypes = ("float32", "float16", "bfloat16")
        if str(dtype) != f"torch.{dtypes[crc32(item.nodeid.replace(str(dtype), '').encode()) % len(dtypes)]}":
            return True
        if not share:
            return False
    spared = name in begun and crc32(case.encode()) % (share or 3) != 0
    begun.add(name)
    return spared


@cache
def _knows_devices(path: Path) -> bool:
    text = path.read_text()
    return any(word in text for word in ("backends", "triton_interpreter", '"cuda"'))


def is_of_host(item: pytest.Item) -> bool:
    """Return whether a case of tests/ops leaves the GPU alone: `make test-gpu` has no time for those."""
    if item.path.parent != Path(__file__).parent / "ops":
        return False
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    other = params.get("backend") in ("reference", "cpp")
    return other or "emulation" in item.name or not _knows_devices(item.path)


def pytest_collection_finish() -> None:
    """Freeze the imported objects: otherwise each engine's shutdown spends half a second collecting them."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)  # behind the module's fixtures
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Freeze too what the tests of a module have imported and cached, for the collections of later ones."""
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marker
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip `gpu` tests without a device, and `long` ones unless their marker is requested, as `make test-long` does."""
    no_gpu = pytest.mark.skip(reason="no CUDA device: torch.cuda.is_available() is False")
    not_asked = pytest.mark.skip(reason="slow, or a long random run: `make test-long` selects it with -m long")
    asked = "long" in (config.getoption("markexpr") or "")
    begun = set[str]()
    for item in items:
        if is_spared(item, begun):
            item.add_marker("long")
        if is_of_host(item):
            item.add_marker("host")
        # By marker: `item.keywords` has the names of folders too, the checkout's among them.
        if item.get_closest_marker("gpu") and not torch.cuda.is_available():
            item.add_marker(no_gpu)
        if item.get_closest_marker("long") and not asked:
            item.add_marker(not_asked)
