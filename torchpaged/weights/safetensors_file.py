"""SafetensorsFile: an untrusted safetensors file that may be replaced while it is read.

It is read, not mapped: a process that truncates a mapped file ends the processes that read it.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch import Tensor

_DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
# Of a file with 100,000 tensors; safetensors' own bound is three times this.
_LONGEST_HEADER = 1 << 25


@dataclass(frozen=True, slots=True)
class Entry:
    """Place of a tensor in a file.

    Args:
        dtype: of its numbers.
        shape: of the tensor.
        begin: of its first byte in the file.
    """

    dtype: torch.dtype
    shape: tuple[int, ...]
    begin: int

    @property
    def nbytes(self) -> int:
        """Bytes of the tensor."""
        return math.prod(self.shape) * self.dtype.itemsize


class SafetensorsFile:
    """Open file with float tensors. A context manager.

    Attributes:
        entries: by the tensor's name.

    Raises:
        ValueError: the file is not safetensors, or has tensors of other dtypes.
        OSError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        try:
            self._state = self._stat()
            self.entries = self._read_header()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> SafetensorsFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

    def read(self, name: str) -> Tensor:
        """Read a tensor into memory of its own. ValueError if the file ends before it."""
        entry = self.entries[name]
        if not entry.nbytes:
            return torch.empty(entry.shape, dtype=entry.dtype)
        memory = bytearray(entry.nbytes)
        self._file.seek(entry.begin)
        if self._file.readinto(memory) != entry.nbytes:
            raise ValueError("it was truncated while it was read")
        return torch.frombuffer(memory, dtype=entry.dtype).view(entry.shape)

    def require_unchanged(self) -> None:
        """Raise ValueError if the file was written since it was opened; a replacement under its name is no write."""
        if self._stat() != self._state:
            raise ValueError("it was written while it was read; try again")

    def _stat(self) -> tuple[int, int]:
        found = os.fstat(self._file.fileno())
        return found.st_size, found.st_mtime_ns

    def _read_header(self) -> dict[str, Entry]:
        size = self._state[0]
        length = int.from_bytes(self._file.read(8), "little")
        if size < 8:
            raise ValueError(f"the file has {size} bytes, expected 8 or more and a header")
        if length > min(_LONGEST_HEADER, size - 8):
            raise ValueError(f"its header is {length} bytes long, expected at most {min(_LONGEST_HEADER, size)}")
        try:
            header = json.loads(self._file.read(length))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"its header is not JSON: {error}") from error
        if not isinstance(header, dict):
            raise ValueError("its header is not a dictionary")
        return {name: _entry(name, value, 8 + length, size) for name, value in header.items() if name != "__metadata__"}


def _entry(name: str, value: Any, first: int, size: int) -> Entry:
    """Check a tensor's entry in the header of a file of `size` bytes, whose tensors begin at `first`."""
    if not isinstance(value, dict):
        raise ValueError(f"tensor {name!r:.200} has the entry {value!r:.80}, expected a dictionary")
    dtype: Any = value.get("dtype")
    shape: Any = value.get("shape")
    offsets: Any = value.get("data_offsets")
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        raise ValueError(f"tensor {name!r:.200} has dtype {dtype!r:.80}, expected one of {', '.join(_DTYPES)}")
    if not _are_sizes(shape) or not _are_sizes(offsets) or len(offsets) != 2:
        raise ValueError(f"tensor {name!r:.200} has shape {shape!r:.80} at {offsets!r:.80}, which cannot be")
    entry = Entry(_DTYPES[dtype], tuple(shape), first + offsets[0])
    if offsets[1] - offsets[0] != entry.nbytes or first + offsets[1] > size:
        raise ValueError(f"tensor {name!r:.200} of shape {shape!r:.80} does not fit into its place in the file")
    return entry


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list) and len(value) < 10 and all(type(each) is int and each >= 0 for each in value)
