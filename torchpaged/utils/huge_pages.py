"""Zeroed CPU memory for tensors: pages that are taken when they are first written, of 2 MiB where that is asked for."""

from __future__ import annotations

import errno
import gc
import math
import mmap
import threading
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from torchpaged.errors import ModelError, reason_of

_HUGE_PAGE = 2 * 1024 * 1024
_LINE = 64  # of the cache
# Bytes of pages that are taken before it is asked whether somebody still wants them.
_POPULATED_AT_ONCE = 1 << 25


_uncollected_lock = threading.Lock()
_num_uncollected = 0  # who is in `uncollected`, of all threads
_was_enabled = False


@contextmanager
def uncollected() -> Generator[None]:
    """No garbage is collected while any thread is inside.

    Where many objects are made it would look at all of torch and transformers again, and find nothing; and some things
    must not be destroyed while others are going on.
    """
    global _num_uncollected, _was_enabled
    with _uncollected_lock:
        if not _num_uncollected:
            _was_enabled = gc.isenabled()
            gc.disable()
        _num_uncollected += 1
    try:
        yield
    finally:
        with _uncollected_lock:
            _num_uncollected -= 1
            if not _num_uncollected and _was_enabled:
                gc.enable()


def huge_page_zeros(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """A zeroed CPU tensor on 2 MiB pages where the system grants them: streams from it are read 1.1 to 1.4x faster."""
    return reserved_zeros(shape, dtype, huge_pages=True)


def reserved_zeros(shape: Sequence[int], dtype: torch.dtype, *, huge_pages: bool = False) -> Tensor:
    """A zeroed CPU tensor whose memory is only reserved: pages are taken when they are first written.

    Args:
        huge_pages: whether to ask for 2 MiB pages; otherwise it is as the system does it by default.
    """
    count = math.prod(shape)
    if not count:  # frombuffer refuses it
        return torch.zeros(*shape, dtype=dtype)
    memory, begin = _reserved(count * dtype.itemsize, huge_pages)
    return _tensor(memory, begin, shape, dtype)


@contextmanager
def lack_as_model_error() -> Iterator[None]:
    """Turns an error that says that memory was not to be had into a ModelError."""
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
    """Whether an error says that memory was not to be had, or that there is no such size; torch has no type for it."""
    if isinstance(error, (MemoryError, OverflowError, torch.OutOfMemoryError)):
        return True
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    text = str(error)
    kinds = ("can't allocate memory", "array is too big", "Maximum allowed dimension", "Storage size calculation")
    return isinstance(error, (RuntimeError, ValueError)) and any(kind in text for kind in kinds)


class Region:
    """Memory on 2 MiB pages that tensors are cut from, each behind the one before.

    Neighbours are one stream (`joined`), and no tensor has the rest of a page for itself.

    Args:
        size: bytes that are reserved at a time; pages are taken when they are first written.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._memory: mmap.mmap | None = None
        self._at = self._end = 0
        self._closed = threading.Event()
        self._taking: threading.Thread | None = None

    def zeros(self, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
        """A zeroed tensor; its storage has nothing but its own numbers."""
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
        """Takes its pages in another thread: what will be written is zeroed meanwhile.

        Args:
            take: does it to so many bytes from an address on, without the interpreter, or returns False.
            spared: bytes at its end whose pages are taken when they are written.
        """
        if self._size and self._memory is None:
            self._reserve(self._size)
            arguments = weakref.ref(self), self._closed, take, self._memory, self._at, self._size - spared
            self._taking = threading.Thread(target=_populate, args=arguments, name="torchpaged pages", daemon=True)
            self._taking.start()

    def close(self) -> None:
        """Gives back pages that no tensor has been cut from; the next tensor begins in other memory."""
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
    begin: int,
    size: int,
) -> None:
    """As long as somebody has the region, and it is open. Where it cannot, pages are taken when they are written."""
    address = torch.frombuffer(memory, dtype=torch.uint8).data_ptr() + begin
    for at in range(0, size, _POPULATED_AT_ONCE):
        if region() is None or closed.is_set() or not take(address + at, min(_POPULATED_AT_ONCE, size - at)):
            return


# Those that tensors have been cut from, by the address that they begin at.
_regions: weakref.WeakValueDictionary[int, mmap.mmap] = weakref.WeakValueDictionary()


def joined(tensors: Sequence[Tensor]) -> Tensor | None:
    """Tensors of a region as one, along their first dimension, without a copy; None where they do not lie behind each
    other, or differ in anything else."""
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
    """Memory, and where in it so many bytes begin at the border of a 2 MiB page."""
    # Private: Python's default, shared memory, has a huge-page setting of its own, which is off on most systems.
    memory = mmap.mmap(-1, nbytes + _HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if huge_pages and hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory, -torch.frombuffer(memory, dtype=torch.uint8).data_ptr() % _HUGE_PAGE


def _tensor(memory: mmap.mmap, begin: int, shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    # frombuffer makes a storage that begins at the offset, so the tensor's own storage_offset stays 0.
    return torch.frombuffer(memory, dtype=dtype, count=math.prod(shape), offset=begin).view(*shape)
