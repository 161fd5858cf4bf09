"""TensorFile: tensors in one file, which a later process maps instead of reading.

`TensorWriter` writes the bytes of each storage once, in the order in which tensors were added; a tensor is a view of a
storage. A mapped file's pages are the page cache's, shared with other processes, until `move` has replaced them by 2
MiB pages of this process: a decode step reads weights 1.1 to 1.4 times faster from these.
"""

from __future__ import annotations

import ctypes
import math
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.ops import cpu

_HUGE_PAGE = 1 << 21
_LINE = 64  # storages begin at cache lines
_PIECE = 1 << 24  # bytes of one checksum, one write, and one move
# A move's thread rests so many times as long as a piece took, for the steps that run meanwhile. A host may take seconds
# to give its virtual machine a gigabyte that is new to it, and without rests each step took twice as long then.
_RESTS = 3


class DamagedFile(Exception):
    """The reason why a file or its table cannot be used."""


class TensorWriter:
    """Collects tensors for a file. They must not change until it is written."""

    def __init__(self) -> None:
        self._tensors: list[Tensor] = []
        self._numbers: dict[Any, int] = {}

    def add(self, tensor: Tensor) -> int:
        """Add a CPU tensor, and return its number. A tensor that is there already keeps its number.

        Raises:
            ValueError: it has no storage to write: it is quantised, sparse, on another device, or a subclass.
        """
        plain = type(tensor) in (Tensor, nn.Parameter) and tensor.layout == torch.strided
        if not plain or tensor.device.type != "cpu" or tensor.is_quantized or tensor.is_conj() or tensor.is_neg():
            raise ValueError(f"a {type(tensor).__name__} on {tensor.device} cannot be written")
        key = _identity(tensor)
        if key not in self._numbers:
            self._numbers[key] = len(self._tensors)
            self._tensors.append(tensor)
        return self._numbers[key]

    @property
    def num_bytes(self) -> int:
        """Bytes of all tensors."""
        return sum(each.nbytes for each in self._tensors)

    def number_of(self, tensor: Tensor) -> int | None:
        """Return a tensor's number; None if it was not added."""
        return self._numbers.get(_identity(tensor))

    def write(self, path: Path, keep_on: Callable[[], bool]) -> dict[str, Any] | None:
        """Write the file, and return its table for JSON; None as soon as `keep_on` returns False.

        Raises:
            OSError: it cannot be written.
        """
        spans: dict[int, tuple[int, int]] = {}  # by storage, the bytes that are used
        for tensor in self._tensors:
            begin, end = _span(tensor)
            storage = tensor.untyped_storage()._cdata
            first, last = spans.get(storage, (begin, end))
            spans[storage] = min(first, begin), max(last, end)
        places: dict[int, int] = {}
        with path.open("wb") as file:
            for storage, (begin, end) in spans.items():
                file.seek(-(-file.tell() // _LINE) * _LINE)
                places[storage] = file.tell()
                for at in range(begin, end, _PIECE):
                    if not keep_on():
                        return None
                    file.write((ctypes.c_char * min(_PIECE, end - at)).from_address(at))
            size = max(1, -(-file.tell() // _HUGE_PAGE)) * _HUGE_PAGE
            file.truncate(size)
        rows = []
        for tensor in self._tensors:
            begin, _ = _span(tensor)
            storage = tensor.untyped_storage()._cdata
            rows.append(
                {
                    "offset": places[storage] + begin - spans[storage][0],
                    "dtype": str(tensor.dtype).removeprefix("torch."),
                    "shape": list(tensor.shape),
                    "stride": list(tensor.stride()),
                    # torch computes a product with a weight that requires a gradient in another way.
                    "parameter": isinstance(tensor, nn.Parameter),
                    "gradient": tensor.requires_grad,
                }
            )
        return {"size": size, "tensors": rows, "checksums": list(_checksums(path))}


class TensorFile:
    """A mapped file of `TensorWriter`. The mapping stays until the last of its tensors is gone.

    Args:
        path: of the file.
        table: as `write` returned it.

    Raises:
        DamagedFile: the table does not fit the file, or the system does not map it.
    """

    def __init__(self, path: Path, table: Mapping[str, Any]) -> None:
        size = table["size"]
        if path.exists() and not path.is_file():  # opening a pipe may never end
            raise DamagedFile(f"{path.name} is no regular file")
        try:
            with path.open("rb") as file:
                if type(size) is not int or size < 1 or size % _HUGE_PAGE or os.fstat(file.fileno()).st_size != size:
                    raise DamagedFile(f"{path.name} has another size than its table")
                address = cpu.map_file(file.fileno(), size)
        except OSError as error:
            raise DamagedFile(f"{path.name}: {error.strerror}") from error
        if address is None:
            raise DamagedFile(f"the system does not map {size} bytes")
        self.size, self._address, self._table = size, address, table
        self._moving: threading.Thread | None = None
        self._memory = (ctypes.c_char * size).from_address(address)
        weakref.finalize(self._memory, cpu.unmap, address, size).atexit = False

    def verify(self) -> None:
        """Raise DamagedFile unless every byte is as it was written. Two threads read the file."""

        def checksum(at: int) -> int:
            return cpu.checksum(self._address + at, min(_PIECE, self.size - at))

        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(checksum, range(0, self.size, _PIECE)))
        if found != self._table["checksums"]:
            raise DamagedFile("its bytes are not those that were written")

    def tensors(self) -> list[Tensor]:
        """Return the tensors by number. DamagedFile for one that does not lie in the file."""
        return [self._tensor(row) for row in self._table["tensors"]]

    def _tensor(self, row: Mapping[str, Any]) -> Tensor:
        dtype, shape, stride, offset = read_dtype(row["dtype"]), row["shape"], row["stride"], row["offset"]
        steps = zip(shape, stride, strict=True)
        count = 1 + sum((size - 1) * step for size, step in steps) if math.prod(shape) else 0
        if min([offset, *shape, *stride]) < 0 or offset % dtype.itemsize:
            raise DamagedFile("its table has a tensor that cannot be")
        if offset + count * dtype.itemsize > self.size:
            raise DamagedFile("its table has a tensor outside of the file")
        if not count:
            tensor = torch.empty(shape, dtype=dtype)
        else:
            tensor = torch.frombuffer(self._memory, dtype=dtype, count=count, offset=offset).as_strided(shape, stride)
        return nn.Parameter(tensor, requires_grad=row["gradient"]) if row["parameter"] else tensor

    def move(self) -> threading.Thread:
        """Move the mapped pages to 2 MiB pages in a background thread, in the order of the file.

        Tensors stay valid and their addresses the same. The thread ends early once no tensor is left. Later calls
        return the same thread.
        """
        if self._moving is not None:
            return self._moving
        arguments = weakref.ref(self._memory), self._address, self.size
        self._moving = threading.Thread(target=_move, args=arguments, name="torchpaged pages", daemon=True)
        self._moving.start()
        return self._moving


def _move(memory: weakref.ref[Any], address: int, size: int) -> None:
    for at in range(0, size, _PIECE):
        alive, begin = memory(), time.perf_counter()  # while it lives, the addresses stay mapped
        if alive is None or cpu.move_to_huge_pages(address + at, min(_PIECE, size - at)) == 0:
            return
        del alive
        time.sleep(_RESTS * (time.perf_counter() - begin))


def _identity(tensor: Tensor) -> Any:
    return tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride(), type(tensor), tensor.requires_grad


def _span(tensor: Tensor) -> tuple[int, int]:
    """Return the addresses of a tensor's first byte and behind its last."""
    if not tensor.numel():
        return tensor.data_ptr(), tensor.data_ptr()
    count = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.data_ptr(), tensor.data_ptr() + count * tensor.itemsize


def read_dtype(name: str) -> torch.dtype:
    """Return the dtype of a name without "torch.". DamagedFile if there is none."""
    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype):
        raise DamagedFile(f"{name!r:.80} is no dtype")
    return found


def file_checksum(path: Path) -> int:
    """Return a checksum of any file's contents. OSError if it cannot be read."""
    total = 0
    for number, each in enumerate(_checksums(path)):
        total = (31 * total + number + each) % (1 << 64)
    return total


def _checksums(path: Path) -> Iterator[int]:
    """Yield the checksum of each 16 MiB of a file, which is read, not mapped: that would count as memory in use.

    A last piece of no whole lines counts as filled up with zeros, and its length.
    """
    buffer = torch.empty(_PIECE, dtype=torch.uint8)
    view: Any = buffer.numpy()
    with path.open("rb") as file:
        while count := file.readinto(view):
            end = -(-count // _LINE) * _LINE
            buffer[count:end] = 0
            found = cpu.checksum(buffer.data_ptr(), end)
            yield found if count == end else found + count
