"""The Triton launchers on CPU tensors, in Triton's interpreter, with corrections of its errors.

The interpreter computes with numpy, which knows no bfloat16: it keeps such tensors as their raw 16 bits and
then multiplies those (`tl.dot`) or truncates to them. The patches below widen a dot's operands to float32 and round
conversions to bfloat16 to the nearest even, as the hardware does. They also stop it from copying every
storage onto itself after a launch, which would touch all of a pool that is only mapped, and from looking through all
of the language whenever one function calls another, which took half of its time, and from checking and naming the shape
of every value anew, which took a quarter of the rest. They give Triton 3.6 what 3.7 has: a bound of a loop that is an
array of one number, which numpy 2.4 and later make no integer of.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

if not torch.cuda.is_available():
    # Read when the kernels' decorators run: importing them before this module would be too early.
    os.environ.setdefault("TRITON_INTERPRET", "1")

import triton.language as tl
from triton.runtime import interpreter


def _widen(bits: np.ndarray) -> np.ndarray:
    """Return bfloat16 codes as float32, exactly."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _narrow(values: np.ndarray) -> np.ndarray:
    """Return float32 as bfloat16 codes, to the nearest even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def _patch() -> None:
    builder, handle = interpreter.InterpreterBuilder, interpreter.TensorHandle
    plain_cast, plain_patch, plain_lang = builder.cast_impl, interpreter._patch_lang_tensor, interpreter._patch_lang
    known, of_numbers, plain_type = set[Any](), cache(interpreter._get_np_dtype), tl.block_type.__init__

    def cast(self, source, to):
        before, after = source.dtype.scalar, to.scalar
        if tl.bfloat16 not in (before, after) or before == after:
            return plain_cast(self, source, to)
        data = _widen(source.data) if before == tl.bfloat16 else source.data
        data = _narrow(data) if after == tl.bfloat16 else data.astype(interpreter._get_np_dtype(to))
        return handle(data, after)

    def dot(self, a, b, d, input_precision, max_num_imprecise_acc):
        product = _matmul(*map(values, (a, b)))
        return handle((product + d.data).astype(d.data.dtype), d.dtype.scalar)

    def values(x):
        if x.dtype.scalar == tl.float8e4nv:
            return torch.from_numpy(np.ascontiguousarray(x.data)).view(torch.float8_e4m3fn).float().numpy()
        return _widen(x.data) if x.dtype.scalar == tl.bfloat16 else x.data.astype(np.float32)

    def patch_lang_tensor(tensor, scope):
        plain_patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    def patch_lang(fn):
        if fn not in known:
            known.add(fn)
            plain_lang(fn)
        return SimpleNamespace(restore=lambda: None)  # the next launch needs the same

    def np_dtype(of):
        return np.dtype(np.uint64) if isinstance(of.scalar, tl.pointer_type) else of_numbers(of.scalar)

    def make_type(self, element_ty, shape):
        numbers = tuple(each.value if isinstance(each, tl.constexpr) else each for each in shape)
        self.element_ty = element_ty
        self.shape, self.numel, self.name = of_block(numbers, str(element_ty))

    @cache
    def of_block(numbers, element):
        made = tl.block_type.__new__(tl.block_type)
        plain_type(made, element, list(numbers))
        return made.shape, made.numel, made.name

    @cache
    def of_tensor(numbers):
        return tl.tuple([tl.constexpr(each) for each in numbers]), tl.constexpr(math.prod(numbers))

    def make_tensor(self, handle, type):
        self.handle, self.type, self.dtype = handle, type, type.scalar
        self.shape, self.numel = of_tensor(tuple(type.shape) if type.is_block() else ())

    def set_grid_index(self, *place):
        self.grid_idx = tuple(map(_scrambled, place, self.grid_dim))

    builder.set_grid_idx = set_grid_index
    builder.cast_impl = cast
    builder.create_dot = dot
    tl.block_type.__init__ = make_type
    tl.tensor.__init__ = make_tensor
    interpreter.GridExecutor._restore_args_dev = lambda *_: None
    interpreter._patch_lang_tensor = patch_lang_tensor
    interpreter._patch_lang = patch_lang
    interpreter._get_np_dtype = np_dtype


def _scrambled(place: int, count: int) -> int:
    """Return a permutation of range(count), made by a step that is coprime to it."""
    step = next(each for each in range(max(1, count * 5 // 8), count + 1) if math.gcd(each, count) == 1 or count == 1)
    return (place * step + count // 2) % count


def _matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Multiply in float32 one row at a time: BLAS sums a row in an order that depends on its position."""
    return np.matmul(a[..., :, None, :], b[..., None, :, :])[..., 0, :]


@cache
def launchers() -> dict[str, Callable[..., None]]:
    """Return each operator's launcher, usable on CPU tensors where there is no GPU."""
    from torchpaged.ops import triton

    if not torch.cuda.is_available():
        _patch()
    return dict(triton.LAUNCHERS)
