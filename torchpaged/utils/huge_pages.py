"""Zeroed CPU memory for tensors, on pages that are allocated at their first write; 2 MiB pages on request."""

from __future__ import annotations

import atexit
import ctypes
import errno
import functools
import math
import mmap
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from torchpaged.errors import ModelError, reason_of

_HUGE_PAGE = 2 * 1024 * 1024
_LINE = 64  # bytes of a cache line
# Bytes populated between two checks that the region is still in use.
_POPULATED_AT_ONCE = 1 << 25


def huge_page_zeros(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Make a zeroed CPU tensor on 2 MiB pages if the system has them; sequential reads are 1.1 to 1.4x faster."""
    return reserved_zeros(shape, dtype, huge_pages=True)


def reserved_zeros(shape: Sequence[int], dtype: torch.dtype, *, huge_pages: bool = False) -> Tensor:
    """Make a zeroed CPU tensor whose memory is only reserved: pages are allocated at their first write.

    Args:
        huge_pages: request 2 MiB pages; otherwise the system's default applies.
    """
    count = math.prod(shape)
    if not count:  # frombuffer refuses it
        return torch.zeros(*shape, dtype=dtype)
    memory, begin = _reserved(count * dtype.itemsize, huge_pages)
    return _tensor(memory, begin, shape, dtype)


def can_discard() -> bool:
    """Return True if `discard` gives memory back on this system."""
    return sys.platform == "linux" and hasattr(mmap, "MADV_DONTNEED")


def discard(tensor: Tensor, first: int, last: int) -> None:
    """Give back the pages that lie in rows [first, last) of a tensor of `reserved_zeros`, or of a transposed view.

    These pages are zeros from then on, and are allocated again at the next write. A page that other rows share stays.

    Raises:
        OSError: the system refuses, for example because the pages are locked (`mlockall`).
    """
    row = tensor.stride(0) * tensor.element_size()
    begin = -(-(tensor.data_ptr() + first * row) // mmap.PAGESIZE) * mmap.PAGESIZE
    end = (tensor.data_ptr() + last * row) // mmap.PAGESIZE * mmap.PAGESIZE
    if begin < end and _madvise()(begin, end - begin, mmap.MADV_DONTNEED):
        code = ctypes.get_errno()
        raise OSError(code, f"madvise: {os.strerror(code)}")


@functools.cache
def _madvise() -> Callable[[int, int, int], int]:
    """Return the C library's function, which runs without the GIL."""
    madvise = ctypes.CDLL(None, use_errno=True).madvise
    madvise.argtypes, madvise.restype = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int), ctypes.c_int
    return madvise


@contextmanager
def lack_as_model_error() -> Iterator[None]:
    """Convert an out-of-memory error into a ModelError."""
    try:
        yield
    except Exception as error:
        if not is_of_memory(error):
            raise
        raise ModelError(
            f"the system gives no memory for the model ({reason_of(error)}); free some, raise the limit (ulimit -v), "
            "or load fewer bits (quantization)"
        ) from error


def is_of_memory(error: Exception) -> bool:
    """Return True for an out-of-memory error, or one about a size beyond any memory; torch has no type for these."""
    if isinstance(error, (MemoryError, OverflowError, torch.OutOfMemoryError)):
        return True
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    text = str(error)
    kinds = ("can't allocate memory", "array is too big", "Maximum allowed dimension", "Storage size calculation")
    return isinstance(error, (RuntimeError, ValueError)) and any(kind in text for kind in kinds)


class Region:
    """Memory on 2 MiB pages from which tensors are allocated one after the other.

    Adjacent tensors can be joined without a copy (`joined`), and no tensor wastes the rest of a page.

    Args:
        size: bytes reserved at a time; pages are allocated at their first write.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._memory: mmap.mmap | None = None
        self._at = self._end = 0
        self._closed = threading.Event()
        self._taking: threading.Thread | None = None

    def zeros(self, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        """Allocate a zeroed tensor; its storage spans this tensor only."""
        nbytes = math.prod(shape) * dtype.itemsize
        if not nbytes:
            return torch.zeros(*shape, dtype=dtype)
        if nbytes > self._end - self._at:
            self._reserve(max(self._size, nbytes))
        begin = self._at
        self._at += -(-nbytes // _LINE) * _LINE
        assert self._memory is not None
        return _tensor(self._memory, begin, shape, dtype)

    def populate(self, take: Callable[[int, int], bool], spared: int = 0) -> None:
        """Allocate pages in a background thread, so that later writes do not wait for the system to zero them.

        Args:
            take: populates a number of bytes from an address on, without holding the GIL; returns False if it cannot.
            spared: bytes at the region's end that are not populated.
        """
        if self._size and self._memory is None:
            self._reserve(self._size)
            memory = self._memory
            assert memory is not None
            address = torch.frombuffer(memory, dtype=torch.uint8).data_ptr() + self._at
            arguments = weakref.ref(self), self._closed, take, memory, address, self._size - spared
            self._taking = threading.Thread(target=_populate, args=arguments, name="torchpaged pages", daemon=True)
            self._taking.start()
            _populating[self._taking] = self._closed

    def close(self) -> None:
        """Free pages that no tensor uses; the next tensor begins in other memory."""
        self._closed.set()
        if self._taking is not None:
            self._taking.join()
            self._taking = None
        begin = -(-self._at // mmap.PAGESIZE) * mmap.PAGESIZE
        if self._memory is not None and begin < self._end and hasattr(mmap, "MADV_DONTNEED"):
            self._memory.madvise(mmap.MADV_DONTNEED, begin, self._end - begin)
        self._memory, self._at, self._end = None, 0, 0

    def _reserve(self, size: int) -> None:
        if self._memory is not None:
            self.close()
        self._memory, self._at = _reserved(size, huge_pages=True)
        self._end = self._at + size
        _regions[torch.frombuffer(self._memory, dtype=torch.uint8).data_ptr()] = self._memory


def _populate(
    region: weakref.ref[Region],
    closed: threading.Event,
    take: Callable[[int, int], bool],
    memory: mmap.mmap,
    address: int,
    size: int,
) -> None:
    """Populate pages of `memory` until the region is closed or deleted. If `take` fails, they are allocated when
    written.
    """
    for at in range(0, size, _POPULATED_AT_ONCE):
        if region() is None or closed.is_set() or not take(address + at, min(_POPULATED_AT_ONCE, size - at)):
            return


# Threads that populate pages, with the event that ends them, for `_stop`.
_populating: weakref.WeakKeyDictionary[threading.Thread, threading.Event] = weakref.WeakKeyDictionary()


@atexit.register
def _stop() -> None:
    """Wait for the threads: one that is in C++ when the interpreter ends would abort the process."""
    for thread, closed in list(_populating.items()):
        closed.set()
        thread.join()


# Mappings of all regions by start address, so that `joined` finds the mapping of a tensor.
_regions: weakref.WeakValueDictionary[int, mmap.mmap] = weakref.WeakValueDictionary()


def joined(tensors: Sequence[Tensor]) -> Tensor | None:
    """Join tensors of a region along their first dimension without a copy; None if they are not adjacent in memory, or
    differ in dtype or other dimensions."""
    first = tensors[0]
    begin = at = first.data_ptr()
    for each in tensors:
        alike = each.dtype == first.dtype and each.shape[1:] == first.shape[1:] and each.is_contiguous()
        if not alike or each.data_ptr() != at:
            return None
        at += each.nbytes
    for address, memory in list(_regions.items()):
        if address <= begin and at <= address + len(memory):
            shape = (sum(len(each) for each in tensors), *first.shape[1:])
            return _tensor(memory, begin - address, shape, first.dtype)
    return None


def _reserved(nbytes: int, huge_pages: bool) -> tuple[mmap.mmap, int]:
    """Reserve memory; returns it with the offset of its first 2 MiB page border."""
    # Private: Python's default, shared memory, has a huge-page setting of its own, which is off on most systems.
    memory = mmap.mmap(-1, nbytes + _HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if huge_pages and hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory, -torch.frombuffer(memory, dtype=torch.uint8).data_ptr() % _HUGE_PAGE


def _tensor(memory: mmap.mmap, begin: int, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    # frombuffer makes a storage that begins at the offset, so the tensor's own storage_offset stays 0.
    return torch.frombuffer(memory, dtype=dtype, count=math.prod(shape), offset=begin).view(*shape)
