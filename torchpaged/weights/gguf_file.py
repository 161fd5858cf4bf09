"""Reads GGUF files: the header, and the tensors' bytes over a memory map. Files are untrusted.

Every count, length, type and offset is checked against the file's size before anything is allocated, so that a file
takes no more memory than a small multiple of its header. Tensors do not overlap, so their decoded size is bounded by
the file too. `gguf_blocks` decodes the bytes; `integrations/checkpoints/gguf` maps tensors to weights.
"""

from __future__ import annotations

import math
import mmap
import os
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from torchpaged.errors import ModelError

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
# Minimum bytes of a field (name, type, value), and of a tensor (name, dimensions, one size, type, offset).
_LEAST_FIELD, _LEAST_TENSOR = 8 + 4 + 1, 8 + 4 + 8 + 4 + 8
# Real files have a few dozen fields and at most a few thousand tensors.
_MOST_FIELDS, _MOST_TENSORS = 1 << 16, 1 << 18
_MOST_DIMENSIONS = 4
_SIZES_BELOW = 1 << 40
_ALIGNMENT, _MOST_ALIGNMENT = 32, 1 << 20
_SPLIT = re.compile(r"(.*)-(\d{5})-of-(\d{5})\.gguf")


class Block(NamedTuple):
    """A storage format: `elements` neighbouring numbers in `num_bytes`."""

    name: str
    elements: int
    num_bytes: int


# Supported formats by ggml's type number.
BLOCKS = {
    0: Block("F32", 1, 4),
    1: Block("F16", 1, 2),
    2: Block("Q4_0", 32, 18),
    3: Block("Q4_1", 32, 20),
    6: Block("Q5_0", 32, 22),
    7: Block("Q5_1", 32, 24),
    8: Block("Q8_0", 32, 34),
    10: Block("Q2_K", 256, 84),
    11: Block("Q3_K", 256, 110),
    12: Block("Q4_K", 256, 144),
    13: Block("Q5_K", 256, 176),
    14: Block("Q6_K", 256, 210),
    20: Block("IQ4_NL", 32, 18),
    23: Block("IQ4_XS", 256, 136),
    30: Block("BF16", 1, 2),
    39: Block("MXFP4", 32, 17),
}
# Unsupported formats, for the error.
_OTHERS = {
    9: "Q8_1",
    15: "Q8_K",
    16: "IQ2_XXS",
    17: "IQ2_XS",
    18: "IQ3_XXS",
    19: "IQ1_S",
    21: "IQ3_S",
    22: "IQ2_S",
    24: "I8",
    25: "I16",
    26: "I32",
    27: "I64",
    28: "F64",
    29: "IQ1_M",
    34: "TQ1_0",
    35: "TQ2_0",
    40: "NVFP4",
}
# numpy's dtypes by GGUF's number of a value's type.
_NUMBERS = {0: "u1", 1: "i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", 7: "?", 10: "<u8", 11: "<i8", 12: "<f8"}
_TEXT, _ARRAY = 8, 9


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """The name, shape, format and place of a tensor.

    Args:
        name: of llama.cpp.
        shape: outermost dimension first, as in torch.
        block: the storage format; a block lies within a row.
        file: index of the part, if the file is split.
        offset, num_bytes: within that part.
    """

    name: str
    shape: tuple[int, ...]
    block: Block
    file: int
    offset: int
    num_bytes: int


class Gguf:
    """A GGUF file, or all parts of a split one.

    Args:
        path: of the file, or of the first part.
        copied: whether to read the whole file into memory at once. A process that truncates a mapped file ends those
            that read it. `release` must not be called then.

    Attributes:
        metadata: values by key: int, float, bool, str, list of str, or a numpy array.
        tensors: by name.
        num_bytes: of all tensors.

    Raises:
        ModelError: a file that is not GGUF, truncated, inconsistent, or has unknown types; the message names the field.
    """

    def __init__(self, path: str | Path, *, copied: bool = False) -> None:
        self.path, self._copied = Path(path), copied
        first = _Part(self.path, 0, copied)
        self.metadata = first.metadata
        self._parts = [first]
        others = self._others(first)
        for number, other in enumerate(others, 1):
            self._parts.append(self._part(other, number, len(others) + 1))
        self.tensors: dict[str, TensorInfo] = {}
        for part in self._parts:
            for name, tensor in part.tensors.items():
                if name in self.tensors:
                    raise part.fault(f"tensor {name!r}", "in another part too", "each tensor once")
                self.tensors[name] = tensor
        self.num_bytes = sum(each.num_bytes for each in self.tensors.values())
        if others and (count := self.integer("split.tensors.count")) != len(self.tensors):
            raise first.fault("split.tensors.count", count, f"the {len(self.tensors)} tensors of all parts")

    def _others(self, first: _Part) -> list[Path]:
        """Find the other parts of a split file. ModelError if one is missing."""
        count = 1 if "split.count" not in self.metadata else self.integer("split.count", most=99_999)
        if count < 2:
            return []
        if self.integer("split.no", least=0) != 0:
            raise first.fault("split.no", self.metadata["split.no"], "0: name the first part of the split file")
        named = _SPLIT.fullmatch(self.path.name)
        if named is None or int(named[2]) != 1 or int(named[3]) != count:
            raise first.fault(
                "split.count", count, f"a file named NAME-00001-of-{count:05d}.gguf, with the others beside it"
            )
        paths = [self.path.with_name(f"{named[1]}-{i:05d}-of-{count:05d}.gguf") for i in range(2, count + 1)]
        for path in paths:
            if not path.is_file():
                raise ModelError(f"model {str(self.path)!r}: part {path.name!r} of {count} is missing beside it")
        return paths

    def _part(self, path: Path, number: int, count: int) -> _Part:
        """Open another part and check its number."""
        part = _Part(path, number, self._copied)
        for key, expected in (("split.no", number), ("split.count", count)):
            if (found := part.metadata.get(key)) != expected:
                raise part.fault(key, found, f"{expected}, by its name")
        return part

    def data(self, tensor: TensorInfo) -> Tensor:
        """Return a tensor's bytes, uint8 [rows, bytes of a row], as a read-only view of the map; `release` it after."""
        part = self._parts[tensor.file]
        flat = torch.frombuffer(part.map, dtype=torch.uint8, count=tensor.num_bytes, offset=tensor.offset)
        return flat.view(-1, row_bytes(tensor))

    def release(self, tensor: TensorInfo, first: int = 0, last: int | None = None) -> None:
        """Give back the pages of a tensor's rows [first, last); they are read from the file again if needed."""
        begin = tensor.offset + first * row_bytes(tensor)
        end = tensor.offset + (tensor.num_bytes if last is None else last * row_bytes(tensor))
        begin, end = (-(-begin // mmap.PAGESIZE) * mmap.PAGESIZE, end // mmap.PAGESIZE * mmap.PAGESIZE)
        if end > begin and hasattr(mmap, "MADV_DONTNEED"):
            self._parts[tensor.file].map.madvise(mmap.MADV_DONTNEED, begin, end - begin)

    def forget(self, key: str) -> None:
        """Drop a value of the metadata, to free its memory."""
        self.metadata.pop(key, None)

    def fault(self, field: str, found: object, expected: str) -> ModelError:
        """Make the error for a field with an invalid value."""
        return self._parts[0].fault(field, found, expected)

    def _value(self, key: str, default: Any, kind: str, fits: Callable[[Any], bool]) -> Any:
        """Return a value of the metadata. ModelError if it is missing without a default, or does not fit."""
        value = self.metadata.get(key, default)
        if value is None:
            raise self.fault(key, "missing", kind)
        if not fits(value):
            raise self.fault(key, value, kind)
        return value

    def integer(self, key: str, default: int | None = None, *, least: int = 1, most: int = (1 << 31) - 1) -> int:
        """Return an integer. ModelError if it is missing without a default, or out of bounds."""
        kind = f"a whole number from {least} to {most}"
        fits: Callable[[Any], bool] = lambda it: type(it) is int and least <= it <= most  # noqa: E731
        return int(self._value(key, default, kind, fits))

    def number(self, key: str, default: float | None = None, *, above: float = -math.inf) -> float:
        """Return a finite number, as `integer` does."""
        kind = "a finite number" if above == -math.inf else f"a finite number above {above:g}"
        fits: Callable[[Any], bool] = lambda it: type(it) in (int, float) and above < it < math.inf  # noqa: E731
        return float(self._value(key, default, kind, fits))

    def boolean(self, key: str, default: bool | None = None) -> bool:
        """Return a boolean, as `integer` does."""
        return bool(self._value(key, default, "true or false", lambda it: isinstance(it, bool)))

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string, as `integer` does."""
        return str(self._value(key, default, "a text", lambda it: isinstance(it, str)))

    def texts(self, key: str) -> list[str]:
        """Return an array of strings, as `integer` does."""
        found: list[str] = self._value(key, None, "an array of texts", lambda it: isinstance(it, list))
        return found

    def numbers(self, key: str, count: int) -> list[Any]:
        """Return an array of `count` numbers, as `integer` does."""
        fits: Callable[[Any], bool] = lambda it: isinstance(it, np.ndarray) and len(it) == count  # noqa: E731
        found: np.ndarray[Any, Any] = self._value(key, None, f"an array of {count} numbers", fits)
        return list(found.tolist())


def row_bytes(tensor: TensorInfo) -> int:
    """Return the bytes of a row, the innermost dimension."""
    return tensor.shape[-1] // tensor.block.elements * tensor.block.num_bytes


class _Part:
    """One file: its map, metadata and tensors."""

    def __init__(self, path: Path, number: int, copied: bool) -> None:
        self.path, self._number, self._at = path, number, 0
        self.map = _mapped(path, copied)
        self.size = len(self.map)
        if self.size < 24 or self.map[:4] != _MAGIC:
            raise self.fault("magic", bytes(self.map[:4]), "b'GGUF' and a header of at least 24 bytes")
        version, num_tensors, num_fields = struct.unpack_from("<IQQ", self.map, 4)
        if version not in _VERSIONS:
            swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
            how = "a little-endian file: this one is big-endian" if swapped in _VERSIONS else "2 or 3"
            raise self.fault("version", version, how)
        self._at = 24
        for what, count, size, most in (
            ("number of fields", num_fields, _LEAST_FIELD, _MOST_FIELDS),
            ("number of tensors", num_tensors, _LEAST_TENSOR, _MOST_TENSORS),
        ):
            self._limit(what, count, size)
            if count > most:
                raise self.fault(what, count, f"at most {most}")
        self.metadata = self._fields(num_fields)
        found = [self._tensor(index) for index in range(num_tensors)]
        self.tensors = self._placed(found)

    def fault(self, field: str, found: object, expected: str) -> ModelError:
        """Make the error for a field with an invalid value."""
        said = found if isinstance(found, str) and found == "missing" else f"is {found!r:.100}"
        return ModelError(f"model {str(self.path)!r}: {field:.100} {said}, expected {expected}")

    def _limit(self, what: str, count: int, size: int) -> None:
        """Raise ModelError unless the rest of the file can hold `count` items of at least `size` bytes."""
        if count * size > self.size - self._at:
            most = (self.size - self._at) // size
            raise self.fault(what, count, f"at most {most}: {self.size - self._at} bytes of the file are left")

    def _unpack(self, what: str, form: str) -> tuple[Any, ...]:
        size = struct.calcsize(form)
        self._limit(what, 1, size)
        values = struct.unpack_from(form, self.map, self._at)
        self._at += size
        return values

    def _text(self, what: str) -> str:
        (length,) = self._unpack(f"length of {what}", "<Q")
        self._limit(f"length of {what}", length, 1)
        self._at += length
        data = self.map[self._at - length : self._at]
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise self.fault(what, data, "UTF-8") from None

    def _fields(self, count: int) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for index in range(count):
            key = self._text(f"key {index}")
            if key in fields:
                raise self.fault(f"key {key!r}", "there twice", "each key once")
            (kind,) = self._unpack(f"type of {key!r}", "<I")
            fields[key] = self._array(key) if kind == _ARRAY else self._scalar(key, kind)
        return fields

    def _scalar(self, key: str, kind: int) -> Any:
        if kind == _TEXT:
            return self._text(key)
        return self._numbers(key, kind, 1)[0].item()

    def _array(self, key: str) -> Any:
        kind, count = self._unpack(f"array {key!r}", "<IQ")
        if kind == _TEXT:
            return self._texts(key, count)
        if kind == _ARRAY:
            raise self.fault(f"array {key!r}", "of arrays", "numbers or texts in it")
        return self._numbers(key, kind, count)

    def _numbers(self, key: str, kind: int, count: int) -> np.ndarray[Any, Any]:
        if kind not in _NUMBERS:
            raise self.fault(f"type of {key!r}", kind, f"one of {', '.join(map(str, sorted(_NUMBERS)))}, 8 or 9")
        dtype = np.dtype(_NUMBERS[kind])
        self._limit(f"length of {key!r}", count, dtype.itemsize)
        data = self.map[self._at : self._at + count * dtype.itemsize]
        self._at += len(data)
        if kind == 7 and data.translate(None, b"\0\1"):
            raise self.fault(key, data, "0 or 1 for false or true")
        numbers: np.ndarray[Any, Any] = np.frombuffer(data, dtype)
        return numbers

    def _texts(self, key: str, count: int) -> list[str]:
        """Read an array of strings. It may have hundreds of thousands, so the loop is kept minimal."""
        self._limit(f"length of {key!r}", count, 8)
        data, at, size = self.map, self._at, self.size
        texts: list[str] = []
        length_at = struct.Struct("<Q").unpack_from
        try:
            for _ in range(count):
                begin = at + 8
                at = begin + length_at(data, at)[0]
                if at > size:
                    raise self.fault(f"length of {key!r}[{len(texts)}]", at - begin, f"at most {size - begin}")
                texts.append(str(data[begin:at], "utf-8"))
        except struct.error:
            raise self.fault(f"length of {key!r}", count, f"no more than {len(texts)}: the file ends there") from None
        except UnicodeDecodeError:
            raise self.fault(f"{key}[{len(texts)}]", data[begin:at], "UTF-8") from None
        self._at = at
        return texts

    def _tensor(self, index: int) -> TensorInfo:
        """Read the description of a tensor; its `offset` is still relative to the tensors' data."""
        name = self._text(f"name of tensor {index}")
        what = f"of tensor {name!r}"
        (dimensions,) = self._unpack(f"dimensions {what}", "<I")
        if not 1 <= dimensions <= _MOST_DIMENSIONS:
            raise self.fault(f"number of dimensions {what}", dimensions, f"1 to {_MOST_DIMENSIONS}")
        sizes = self._unpack(f"sizes {what}", f"<{dimensions}Q")
        if min(sizes) < 1 or math.prod(sizes) >= _SIZES_BELOW:
            raise self.fault(f"sizes {what}", sizes, f"1 or more, with less than {_SIZES_BELOW} numbers")
        kind, offset = self._unpack(f"type {what}", "<IQ")
        if kind not in BLOCKS:
            known = ", ".join(sorted(each.name for each in BLOCKS.values()))
            raise self.fault(f"type {what}", _OTHERS.get(kind, kind), f"one of {known}")
        block = BLOCKS[kind]
        if sizes[0] % block.elements:
            raise self.fault(f"row {what}", sizes[0], f"a multiple of the {block.elements} numbers of a {block.name}")
        num_bytes = math.prod(sizes) // block.elements * block.num_bytes
        return TensorInfo(name, sizes[::-1], block, self._number, offset, num_bytes)

    def _placed(self, found: list[TensorInfo]) -> Mapping[str, TensorInfo]:
        """Make offsets absolute. ModelError for tensors that overlap or end outside the file."""
        alignment = self.metadata.get("general.alignment", _ALIGNMENT)
        if type(alignment) is not int or not 1 <= alignment <= _MOST_ALIGNMENT or alignment & (alignment - 1):
            raise self.fault("general.alignment", alignment, f"a power of 2 up to {_MOST_ALIGNMENT}")
        begin = -(-self._at // alignment) * alignment
        placed: dict[str, TensorInfo] = {}
        last = 0
        for each in sorted(found, key=lambda tensor: tensor.offset):
            if each.name in placed:
                raise self.fault(f"tensor {each.name!r}", "there twice", "each tensor once")
            if each.offset < last or each.offset % alignment:
                expected = f"a multiple of {alignment}, at least {last}: tensors do not overlap"
                raise self.fault(f"offset of tensor {each.name!r}", each.offset, expected)
            last = each.offset + each.num_bytes
            if begin + last > self.size:
                expected = f"at most {self.size}: the file is cut off"
                raise self.fault(f"end of tensor {each.name!r}", begin + last, expected)
            placed[each.name] = TensorInfo(
                each.name, each.shape, each.block, each.file, begin + each.offset, each.num_bytes
            )
        return {each.name: placed[each.name] for each in found}


def _mapped(path: Path, copied: bool) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            if copied:
                memory = mmap.mmap(-1, os.fstat(file.fileno()).st_size)
                if file.readinto(memory) != len(memory):
                    raise OSError("it was truncated while it was read")
                return memory
            # Copy-on-write, since torch warns of buffers that are not writable.
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except (OSError, ValueError) as error:  # ValueError: an empty file
        raise ModelError(f"model {str(path)!r}: the file cannot be read: {error}") from None
