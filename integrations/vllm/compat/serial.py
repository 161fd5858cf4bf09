"""Tensors as bytes and base64, in the formats of vLLM's clients and servers."""

from __future__ import annotations

import base64
import io
import sys
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


class _Type(NamedTuple):
    """A dtype on the wire, and the integer type that holds its bytes in numpy."""

    torch_dtype: torch.dtype
    bits: torch.dtype


EMBED_DTYPES = {
    "float32": _Type(torch.float32, torch.int32),
    "float16": _Type(torch.float16, torch.int16),
    "bfloat16": _Type(torch.bfloat16, torch.int16),
    "fp8_e4m3": _Type(torch.float8_e4m3fn, torch.uint8),
    "fp8_e5m2": _Type(torch.float8_e5m2, torch.uint8),
}
ENDIANNESS = ("native", "big", "little")


def tensor2base64(x: Tensor) -> str:
    """Return the bytes that `torch.save` writes, as base64."""
    buffer = io.BytesIO()
    torch.save(x.detach(), buffer)
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def tensor2binary(tensor: Tensor, embed_dtype: str, endianness: str) -> bytes:
    """Return the tensor's values in this dtype and byte order."""
    kind = _kind(embed_dtype, endianness)
    bits = tensor.detach().cpu().to(kind.torch_dtype).contiguous().view(kind.bits).numpy()
    return (bits.byteswap() if _swaps(endianness) else bits).tobytes()


def binary2tensor(binary: bytes, shape: tuple[int, ...], embed_dtype: str, endianness: str) -> Tensor:
    """Read a tensor from the bytes of `tensor2binary`."""
    kind = _kind(embed_dtype, endianness)
    bits = np.frombuffer(binary, dtype=torch.empty(0, dtype=kind.bits).numpy().dtype).reshape(shape)
    return torch.from_numpy((bits.byteswap() if _swaps(endianness) else bits).copy()).view(kind.torch_dtype)


def _kind(embed_dtype: str, endianness: str) -> _Type:
    if embed_dtype not in EMBED_DTYPES:
        raise ValueError(f"embed_dtype is {embed_dtype!r:.80}, expected one of {', '.join(EMBED_DTYPES)}")
    if endianness not in ENDIANNESS:
        raise ValueError(f"endianness is {endianness!r:.80}, expected one of {', '.join(ENDIANNESS)}")
    return EMBED_DTYPES[embed_dtype]


def _swaps(endianness: str) -> bool:
    return endianness != "native" and endianness != sys.byteorder
