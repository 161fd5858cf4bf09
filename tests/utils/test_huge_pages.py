"""Memory for tensors: page sizes, alignment, neighbours, and pages that are populated and freed."""

from __future__ import annotations

import gc
import mmap
import re
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from torchpaged.errors import ModelError
from torchpaged.ops import cpu
from torchpaged.utils import huge_pages
from torchpaged.utils.heap import uncollected
from torchpaged.utils.huge_pages import (
    Region,
    can_discard,
    discard,
    huge_page_zeros,
    joined,
    lack_as_model_error,
    reserved_zeros,
)


def test_huge_pages_are_aligned() -> None:
    tensor = huge_page_zeros((3, 5), torch.bfloat16)
    assert tensor.data_ptr() % (2 * 1024 * 1024) == 0 and tensor.storage_offset() == 0
    assert tensor.shape == (3, 5) and tensor.is_contiguous() and not tensor.any()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/maps")
def test_huge_pages_are_private_memory() -> None:
    """Shared memory follows shmem_enabled, which is "never" on most systems, and would lie on 4 KiB pages."""
    tensor = huge_page_zeros((3, 5), torch.bfloat16)  # alive while the maps are read
    address = tensor.data_ptr()
    with open("/proc/self/maps") as maps:
        fields = [line.split() for line in maps]
    ranges = [([int(end, 16) for end in area.split("-")], permissions) for area, permissions, *_ in fields]
    assert [permissions for (start, end), permissions in ranges if start <= address < end] == ["rw-p"]


def test_tensors_of_a_region_are_neighbours_and_one_without_a_copy() -> None:
    region = Region(1 << 20)
    parts = [region.zeros((rows, 128), torch.uint8) for rows in (3, 1, 5)]
    for number, part in enumerate(parts):
        part.fill_(number + 1)
        assert part.storage_offset() == 0 and part.untyped_storage().nbytes() == part.nbytes, "what is saved is small"
    whole = joined(parts)
    assert whole is not None and whole.data_ptr() == parts[0].data_ptr() and whole.data_ptr() % (2 * 1024 * 1024) == 0
    assert torch.equal(whole, torch.cat(parts))
    address = parts[1].data_ptr()
    del parts, part, region
    assert whole[3].data_ptr() == address and whole[3].eq(2).all(), "it keeps its memory"


def test_each_tensor_begins_on_a_line_of_the_cache() -> None:
    region = Region(1 << 20)
    parts = [region.zeros((count,), torch.uint8).fill_(count) for count in (1, 70, 64, 3)]
    assert [each.data_ptr() % 64 for each in parts] == [0] * 4 and joined(parts) is None
    assert all(each.eq(len(each)).all() for each in parts)


@pytest.mark.parametrize("why", ["turned", "another width", "another dtype", "apart", "of no region", "beyond", "full"])
def test_what_does_not_lie_in_one_piece_is_not_joined(why: str) -> None:
    older = huge_page_zeros((4, 128), torch.uint8)  # mappings grow downwards: it lies after the region
    region = Region(4096)
    first, second = region.zeros((2, 128), torch.uint8), region.zeros((2, 128), torch.uint8)
    pairs = {
        "turned": lambda: [second, first],
        "another width": lambda: [second, region.zeros((2, 64), torch.uint8)],
        "another dtype": lambda: [second, region.zeros((2, 128), torch.int8)],
        "apart": lambda: [first, region.zeros((2, 128), torch.uint8)],
        "of no region": lambda: list(torch.zeros(4, 128, dtype=torch.uint8).split(2)),
        "beyond": lambda: list(older.split(2)),
        "full": lambda: [second, region.zeros((30, 128), torch.uint8)],
    }
    parts = pairs[why]()
    assert joined(parts) is None and not any(each.any() for each in parts)


def test_a_region_has_room_for_what_is_larger_than_it() -> None:
    region = Region(4096)  # and the rest of a 2 MiB page, since its memory is aligned to one
    large, empty = region.zeros((3, 1 << 20), torch.int16), region.zeros((0, 4), torch.int16)
    assert large.shape == (3, 1 << 20) and not large.any() and empty.shape == (0, 4)
    assert joined([large]) is not None


def test_no_garbage_is_looked_for_while_anybody_asks_for_none() -> None:
    """Two blocks overlap, as a load and a capture in another thread do, and the first to enter leaves first."""
    with ExitStack() as second:
        with uncollected():
            second.enter_context(uncollected())
        assert not gc.isenabled()
    assert gc.isenabled()


def test_garbage_is_looked_for_again_afterwards() -> None:
    @uncollected()
    def made(error: Exception | None = None) -> bool:
        if error is not None:
            raise error
        return gc.isenabled()

    assert gc.isenabled() and not made() and gc.isenabled()
    with pytest.raises(KeyError):
        made(KeyError())
    assert gc.isenabled()
    gc.disable()
    try:
        assert not made() and not gc.isenabled(), "whoever has switched it off finds it so"
    finally:
        gc.enable()


def test_what_is_written_while_pages_are_taken_stays() -> None:
    region = Region(16 << 20)
    region.populate(cpu.take_pages)
    before = region.zeros((4 << 20,), torch.uint8).fill_(3)
    for thread in [each for each in threading.enumerate() if each.name == "torchpaged pages"]:
        thread.join()
    after = region.zeros((12 << 20,), torch.uint8)
    assert before.eq(3).all() and not after.any() and joined([before, after]) is not None
    Region(0).populate(cpu.take_pages)


@pytest.mark.skipif(sys.platform != "linux" or not cpu.load(), reason="reads /proc/self/status, and a library does it")
def test_pages_are_taken_while_python_is_busy() -> None:
    """The thread needs the GIL only to begin and to ask whether the region is still wanted."""
    taken, places = list[int](), list[int]()

    def take(address: int, size: int) -> bool:
        taken.append(size)
        places.append(address)
        return cpu.take_pages(address, size)

    region, before = Region(96 << 20), _resident()
    region.populate(take)
    for thread in [each for each in threading.enumerate() if each.name == "torchpaged pages"]:
        thread.join()
    assert taken == [32 << 20] * 3 and _resident() - before > 90 << 20
    whole = region.zeros((96 << 20,), torch.uint8)
    assert places == [whole.data_ptr() + (at << 20) for at in (0, 32, 64)] and not whole.any()


def test_pages_at_the_end_are_spared() -> None:
    def taken(spared: int) -> int:
        sizes, region = list[int](), Region(64 << 20)
        region.populate(lambda _, size: not sizes.append(size), spared=spared)
        for thread in [each for each in threading.enumerate() if each.name == "torchpaged pages"]:
            thread.join()
        return sum(sizes)

    assert (taken(128 << 20), taken(40 << 20), taken(0)) == (0, 24 << 20, 64 << 20)


@pytest.mark.parametrize("how", ["closed", "dropped"])
def test_no_pages_are_taken_for_a_region_that_nobody_fills(how: str) -> None:
    sizes, begun, end, region = list[int](), threading.Event(), threading.Event(), Region(128 << 20)
    closed = region._closed if how == "closed" else end

    def take(_: int, size: int) -> bool:
        sizes.append(size)
        begun.set()
        return closed.wait(60)

    region.populate(take)
    (thread,) = (each for each in threading.enumerate() if each.name == "torchpaged pages")
    assert begun.wait(60)
    if how == "closed":
        region.close()
        assert not thread.is_alive(), "or it would take what is given back"
    del region
    end.set()
    thread.join()
    assert sizes == [32 << 20]


@pytest.mark.skipif(sys.platform != "linux" or not cpu.load(), reason="reads /proc/self/status, and a library does it")
def test_what_nobody_has_cut_is_given_back() -> None:
    region, before = Region(96 << 20), _resident()
    region.populate(cpu.take_pages)
    kept = region.zeros(((32 << 20) + 64,), torch.uint8).fill_(3)  # the rest of its last page is unused and stays
    region.close()
    assert 30 << 20 < _resident() - before < 40 << 20 and kept.eq(3).all()
    assert not any(each.name == "torchpaged pages" for each in threading.enumerate())
    after = region.zeros((1 << 20,), torch.uint8).fill_(4)
    region.close()
    assert kept.eq(3).all() and after.eq(4).all() and joined([kept, after]) is None


@pytest.mark.skipif(sys.platform != "linux" or not cpu.load(), reason="reads /proc/self/status, and a library does it")
def test_what_is_left_before_other_memory_is_given_back() -> None:
    region, before = Region(64 << 20), _resident()
    region.populate(cpu.take_pages)
    region.zeros((4 << 20,), torch.uint8).fill_(3)
    region.zeros((62 << 20,), torch.uint8)
    assert _resident() - before < 12 << 20


def _resident() -> int:
    """Return the bytes of this process's own pages; those of files come and go with the system's free memory."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize(
    "ask",
    [
        lambda: torch.empty(2**50),
        lambda: torch.empty(2**62, 4),
        lambda: np.zeros((2**40, 2**40)),
        lambda: huge_page_zeros((2**50,), torch.uint8),
        lambda: bytearray(2**55),
    ],
    ids=["torch", "no size", "numpy", "mmap", "python"],
)
def test_a_lack_of_memory_is_an_error_of_its_own(ask: Callable[[], object]) -> None:
    with pytest.raises(ModelError, match="the system gives no memory for the model"), lack_as_model_error():
        ask()


def test_other_errors_are_left_alone() -> None:
    for error in (FileNotFoundError(2, "no such file"), RuntimeError("a shape"), ValueError("a value")):
        with pytest.raises(type(error), match=str(error.args[-1])) as caught, lack_as_model_error():
            raise error
        assert caught.value is error


# --- Memory that goes back --------------------------------------------------------------------------------


def resident(tensor: Tensor) -> int:
    """Return the bytes of the pages of a tensor's mapping that the process has."""
    address = tensor.data_ptr()
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if (found := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line)) is not None:
            inside = int(found[1], 16) <= address < int(found[2], 16)
        elif inside and line.startswith("Rss:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("the tensor lies in no mapping")


@pytest.mark.skipif(not can_discard(), reason="Linux only")
def test_discarded_rows_are_zeros_and_take_no_memory() -> None:
    page = mmap.PAGESIZE
    # Three heads of half a page: a row ends in the middle of a page.
    view = reserved_zeros((1000, 3, 2, page // 16), torch.float32).transpose(1, 2)
    row = view.stride(0) * 4
    assert row == 3 * page // 2
    untouched = resident(view)
    view.fill_(7)
    full = resident(view)
    assert full - untouched >= 1000 * row - 4 * page
    discard(view, 100, 900)
    assert resident(view) == full - 800 * row
    assert view[:100].eq(7).all() and view[900:].eq(7).all() and not view[100:900].any()
    view[100:900] = 5
    assert view.float().sum().item() == (200 * 7 + 800 * 5) * row // 4
    discard(view, 11, 12)  # one whole page lies in it, the half beside belongs to the next row too
    assert view[10].eq(7).all() and view[12].eq(7).all()
    assert view[11].eq(0).sum().item() == page // 4 and view[11].eq(7).sum().item() == page // 8
    discard(view, 12, 12)
    assert view[12].eq(7).all()


@pytest.mark.skipif(not can_discard(), reason="Linux only")
def test_a_refusal_of_the_system_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    view = reserved_zeros((2, mmap.PAGESIZE), torch.uint8)
    monkeypatch.setattr(mmap, "MADV_DONTNEED", 12345)
    with pytest.raises(OSError, match="madvise: Invalid argument"):
        discard(view, 0, 2)


def test_no_thread_is_at_work_when_the_interpreter_ends() -> None:
    """Not even of a region that is gone: a thread in C++ would abort the process."""
    begun, go_on = threading.Event(), threading.Event()

    def take(address: int, size: int) -> bool:
        begun.set()
        return go_on.wait(60)

    region = Region(1 << 27)
    region.populate(take)
    (thread,) = (each for each in threading.enumerate() if each.name == "torchpaged pages")
    assert begun.wait(60)
    del region
    go_on.set()
    huge_pages._stop()
    assert not thread.is_alive()
