"""The C++ backend for the CPU: finds its library, or builds it at first use, and loads it.

Loading registers the kernels with the dispatcher; nothing here runs when an operator is called. Functions that are not
operators, since no model's graph has them, are called from here.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import warnings
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchpaged.csrc import build
from torchpaged.errors import ConfigError
from torchpaged.ops.operator import NAMESPACE

_NAMESPACE_VARIABLE = "TORCHPAGED_NAMESPACE"
# The library's number for a weight's dtype (csrc/cpu/common.h).
_TYPES = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2, torch.int8: 5}


def load() -> bool:
    """Load the library, built if necessary; return False, with one RuntimeWarning, where that fails.

    TORCHPAGED_LIBRARY names another one to load. The schemas of `torchpaged` and `torchpaged_cpp` must be defined
    before.

    Raises:
        ValueError: TORCHPAGED_ISA names an instruction set that this machine does not have, or TORCHPAGED_LIBRARY names
            a file that cannot be loaded.
    """
    return _library() is not None


def isa() -> str:
    """Return the instruction set whose kernels run: one of `available_isas()`, or "none"."""
    library = _library()
    return "none" if library is None else _text(library, "torchpaged_isa")


def available_isas() -> tuple[str, ...]:
    """Return the instruction sets that the library has kernels for and this machine can run, best first.

    They are "avx512_bf16", "avx512_vnni", "avx512", "avx2", "neon" (64-bit Arm) and "portable".
    """
    library = _library()
    return () if library is None else tuple(_text(library, "torchpaged_available_isas").split(","))


def unpack_blocks(kind: int, blocks: Tensor, parts: Sequence[Tensor | None]) -> bool:
    """Unpack blocks of one of ggml's formats; `torchpaged/weights/gguf_blocks.py` knows their sizes.

    Args:
        kind: ggml's number of the format.
        blocks: uint8 [count, bytes], contiguous.
        parts: uint8 codes [count * numbers], scale and offset in 2 bytes [count], uint8 steps of both, each
            contiguous; None where the format has none.

    Returns:
        False where there is no library.
    """
    library = _library()
    if library is None:
        return False
    run = library["torchpaged_unpack_blocks"]
    run.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p] * 5]
    pointers = [None if each is None else each.data_ptr() for each in parts]
    if status := run(kind, blocks.data_ptr(), blocks.shape[0], *pointers):
        raise RuntimeError(f"torchpaged: blocks of type {kind} could not be unpacked ({status})")
    return True


def pack_blocks(kind: int, rows: Tensor, format: int, in_features: int, packed: Tensor) -> None:
    """Pack rows of blocks as `pack_grouped_weight` packs the unpacked rows; there must be a library.

    Args:
        kind: ggml's number of the format.
        rows: uint8 [out_features, bytes], contiguous.
        format: code of the `GroupedFormat` of the unpacked rows.
        packed: uint8 [panels, bytes], contiguous, with at least as many panels as the rows need.
    """
    library = _library()
    assert library is not None
    run = library["torchpaged_pack_blocks"]
    number, pointer = ctypes.c_int64, ctypes.c_void_p
    run.argtypes = [ctypes.c_int, pointer, number, number, number, number, pointer]
    if status := run(kind, rows.data_ptr(), rows.shape[1], format, rows.shape[0], in_features, packed.data_ptr()):
        raise RuntimeError(f"torchpaged: blocks of type {kind} could not be packed ({status})")


def pack_weight(weight: Tensor, packed: Tensor) -> None:
    """Run `pack_linear_weight` into existing memory; there must be a library.

    Args:
        weight: [out_features, in_features], contiguous in its last dimension.
        packed: of the shape and dtype that the operator returns, contiguous.
    """
    library = _library()
    assert library is not None
    run = library["torchpaged_pack_weight"]
    number, pointer = ctypes.c_int64, ctypes.c_void_p
    run.argtypes = [ctypes.c_int, pointer, number, number, number, pointer]
    stride = weight.stride(0) * weight.itemsize
    if status := run(_TYPES[weight.dtype], weight.data_ptr(), stride, *weight.shape, packed.data_ptr()):
        raise RuntimeError(f"torchpaged: a weight {tuple(weight.shape)} could not be packed ({status})")


def decode_inputs(plan: Tensor, count: int) -> int:
    """Make the inputs of a step that computes one token of each sequence; there must be a library.

    Args:
        plan: int64, the numbers and addresses of a `DecodePlan` (csrc/cpu/decode.cpp).
        count: number of sequences.

    Returns:
        The length of the longest sequence.

    Raises:
        IndexError: a row or a position is not in the tables.
    """
    longest: int = _decode_inputs()(plan.data_ptr(), count)
    if longest < 0:
        raise IndexError("torchpaged: a decode step reads a row or a position that is not in the tables")
    return longest


@functools.cache
def _decode_inputs() -> Any:
    return _function("torchpaged_decode_inputs", [ctypes.c_void_p, ctypes.c_int64], ctypes.c_int64)


def draw_tokens(table: Tensor, logits: Tensor, rows: Tensor, positions: Tensor) -> Tensor:
    """Run `sample_tokens` with the parameters of some rows, and write the tokens into the rows' table of tokens.

    There must be a library.

    Args:
        table: int64, the numbers and addresses of a `DrawTable` (csrc/cpu/sampling.cpp).
        logits: [num_draws, vocab_size] float32, float16 or bfloat16, contiguous in its last dimension.
        rows, positions: [num_draws] int64, contiguous; where a token is written, and whose parameters are used.

    Returns:
        [num_draws] int64.

    Raises:
        IndexError: a row or a position is not in the table.
    """
    count, vocab_size = logits.shape
    tokens = torch.empty(count, dtype=torch.int64)
    status = _draw_tokens()(
        table.data_ptr(),
        _TYPES[logits.dtype],
        logits.data_ptr(),
        logits.stride(0) * logits.itemsize,
        vocab_size,
        count,
        rows.data_ptr(),
        positions.data_ptr(),
        tokens.data_ptr(),
    )
    if status == 1:
        raise IndexError("torchpaged: a row or a position of a draw is not in the table of tokens")
    if status:
        raise RuntimeError("torchpaged: tokens could not be drawn: there are no threads")
    return tokens


@functools.cache
def _draw_tokens() -> Any:
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    arguments = [pointer, ctypes.c_int, pointer, number, number, number, pointer, pointer, pointer]
    return _function("torchpaged_draw_tokens", arguments, ctypes.c_int)


def register_program(argument: str, name: str, key: str, words: Sequence[int], result: int, tables: Tensor) -> None:
    """Give the library a program of `score_programs.py`; nothing where there is no library, or none was loaded.

    Args:
        argument: "score_mod", "slope_mod" or "mask_mod".
        name: goes to this program from an earlier one.
        key: stays this program's until `forget_program`.
        words: `Program.words`.
        result: place of the value that is the result.
        tables: int32, contiguous; copied.
    """
    if not _library.cache_info().currsize or _library() is None:  # asked for the reference, nothing builds a library
        return
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    arguments = [*[ctypes.c_char_p] * 3, pointer, number, number, pointer, number]
    given = (ctypes.c_int32 * len(words))(*words)
    run = _function("torchpaged_register_program", arguments)
    run(argument.encode(), name.encode(), key.encode(), given, len(words), result, tables.data_ptr(), tables.numel())


def forget_program(argument: str, key: str) -> None:
    """Take a program's key from it: the library frees a program without a name or key after its last call."""
    if _library.cache_info().currsize and _library() is not None:
        _function("torchpaged_forget_program", [ctypes.c_char_p, ctypes.c_char_p])(argument.encode(), key.encode())


def take_pages(address: int, size: int) -> bool:
    """Make the system back reserved memory with pages, while other threads run and may write into it.

    Returns:
        False where there is no library.
    """
    library = _library()
    if library is None:
        return False
    run = library["torchpaged_take_pages"]
    run.argtypes, run.restype = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64], None
    run(address, size, mmap.PAGESIZE)
    return True


def map_file(file: int, size: int) -> int | None:
    """Map a file's first bytes at a border of 2 MiB; writes stay in this process. There must be a library.

    Args:
        file: descriptor.
        size: a multiple of 2 MiB.

    Returns:
        The address; None if the system refuses.
    """
    run = _function("torchpaged_map_file", [ctypes.c_int, ctypes.c_int64], ctypes.c_void_p)
    found: int | None = run(file, size)
    return found


def unmap(address: int, size: int) -> None:
    """Undo `map_file`."""
    _function("torchpaged_unmap", [ctypes.c_void_p, ctypes.c_int64])(address, size)


def move_to_huge_pages(address: int, size: int) -> int:
    """Replace a part of a mapped file by 2 MiB pages with the same bytes, while other threads read them.

    Args:
        address, size: multiples of 2 MiB. No thread may write there meanwhile.

    Returns:
        The number of bytes moved; fewer than `size` if the system refuses.
    """
    run = _function("torchpaged_move_to_huge_pages", [ctypes.c_void_p, ctypes.c_int64], ctypes.c_int64)
    return int(run(address, size))


def checksum(address: int, size: int) -> int:
    """Return a checksum of 64 bits of a multiple of 64 bytes; 10 GB/s and more. There must be a library."""
    return int(_function("torchpaged_checksum", [ctypes.c_void_p, ctypes.c_int64], ctypes.c_uint64)(address, size))


def _function(name: str, arguments: Sequence[Any], result: Any = None) -> Any:
    library = _library()
    assert library is not None
    run = library[name]  # another object at each call, so that no other declaration interferes
    run.argtypes, run.restype = arguments, result
    return run


@functools.cache
def _library() -> ctypes.CDLL | None:
    asked = os.environ.get("TORCHPAGED_LIBRARY")
    try:
        library = _load(os.path.realpath(asked or build.find() or build.build()))
    except (build.BuildError, OSError) as error:
        if asked:
            raise ConfigError(f"TORCHPAGED_LIBRARY: {error}") from error
        advice = "" if isinstance(error, build.BuildError) else "; delete it to have it built anew"
        warnings.warn(
            f"torchpaged: the C++ kernels are not available, the slow reference runs instead: {error}{advice}",
            RuntimeWarning,
            stacklevel=3,
        )
        return None
    if not _text(library, "torchpaged_isa"):
        wanted, names = os.environ.get("TORCHPAGED_ISA"), _text(library, "torchpaged_available_isas")
        expected = ", ".join(names.split(","))
        raise ConfigError(f"TORCHPAGED_ISA is {wanted!r}, expected one of what this machine has: {expected}")
    return library


def _load(path: str) -> ctypes.CDLL:
    before = os.environ.get(_NAMESPACE_VARIABLE)
    os.environ[_NAMESPACE_VARIABLE] = NAMESPACE  # the library registers its kernels there (csrc/cpu/kernel_names.h)
    try:
        torch.ops.load_library(path)
    except OSError as error:
        # Torch's message leaves out the reason.
        raise OSError(f"{path} cannot be loaded: {error.__cause__ or error}") from error
    finally:
        if before is None:
            del os.environ[_NAMESPACE_VARIABLE]
        else:
            os.environ[_NAMESPACE_VARIABLE] = before
    return ctypes.CDLL(path)


def _text(library: ctypes.CDLL, function: str) -> str:
    read = library[function]
    read.restype = ctypes.c_char_p
    text: bytes = read()
    return text.decode()
