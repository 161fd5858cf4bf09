"""Codegen stage: the numbers that csrc/cpu/replay.h has for instructions, argument kinds, arithmetic and dtypes."""

from __future__ import annotations

import torch

aten = torch.ops.aten

CALL, RESHAPE, SLICE, SELECT, PERMUTE, EXPAND, UNSQUEEZE, SQUEEZE, POINTWISE, COPY_INTO, CAT = range(11)
NONE, TENSOR, OPTIONAL_TENSOR, INT, DOUBLE, BOOL, OPTIONAL_DOUBLE, OPTIONAL_INT = range(8)
TENSORS, INTS, OPTIONAL_BOOL, OPTIONAL_INTS, OPTIONAL_TENSORS, STRING = range(8, 14)
CONVERT, ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, RECIPROCAL = range(7)
GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, WHERE, AT_LEAST, AT_MOST = range(7, 16)

# c10::ScalarType.
DTYPES = {
    torch.uint8: 0,
    torch.int8: 1,
    torch.int16: 2,
    torch.int32: 3,
    torch.int64: 4,
    torch.float16: 5,
    torch.float32: 6,
    torch.float64: 7,
    torch.complex64: 9,
    torch.complex128: 10,
    torch.bool: 11,
    torch.bfloat16: 15,
}
NARROW = (torch.float16, torch.bfloat16)
COMPUTED = (torch.float32, *NARROW, torch.int64, torch.int32, torch.bool)
ARITHMETIC = {
    aten.add.Tensor: ADD,
    aten.add.Scalar: ADD,
    aten.sub.Tensor: SUBTRACT,
    aten.sub.Scalar: SUBTRACT,
    aten.rsub.Tensor: SUBTRACT,
    aten.rsub.Scalar: SUBTRACT,
    aten.mul.Tensor: MULTIPLY,
    aten.mul.Scalar: MULTIPLY,
    aten.div.Tensor: DIVIDE,
    aten.div.Scalar: DIVIDE,
    aten.neg.default: NEGATE,
    aten.reciprocal.default: RECIPROCAL,
    aten.gt.Scalar: GREATER,
    aten.gt.Tensor: GREATER,
    aten.ge.Scalar: GREATER_EQUAL,
    aten.ge.Tensor: GREATER_EQUAL,
    aten.lt.Scalar: LESS,
    aten.lt.Tensor: LESS,
    aten.le.Scalar: LESS_EQUAL,
    aten.le.Tensor: LESS_EQUAL,
    aten.eq.Scalar: EQUAL,
    aten.eq.Tensor: EQUAL,
    aten.ne.Scalar: NOT_EQUAL,
    aten.ne.Tensor: NOT_EQUAL,
    aten.where.self: WHERE,
    aten.where.ScalarSelf: WHERE,
    aten.where.ScalarOther: WHERE,
    aten.where.Scalar: WHERE,
}
IN_PLACE = {
    aten.add_.Tensor: ADD,
    aten.sub_.Tensor: SUBTRACT,
    aten.mul_.Tensor: MULTIPLY,
    aten.div_.Tensor: DIVIDE,
}
# Overloads with a tensor in the place of a scalar that compute the same bits.
FOR_NUMBERS = {
    aten.remainder.Scalar: aten.remainder.Tensor,
    aten.floor_divide.Scalar: aten.floor_divide.default,
    aten.fmod.Scalar: aten.fmod.Tensor,
    aten.bitwise_and.Scalar: aten.bitwise_and.Tensor,
    aten.bitwise_or.Scalar: aten.bitwise_or.Tensor,
    aten.bitwise_xor.Scalar: aten.bitwise_xor.Tensor,
    aten.__and__.Scalar: aten.bitwise_and.Tensor,
    aten.__or__.Scalar: aten.bitwise_or.Tensor,
    aten.__xor__.Scalar: aten.bitwise_xor.Tensor,
    aten.__lshift__.Scalar: aten.bitwise_left_shift.Tensor,
    aten.__rshift__.Scalar: aten.bitwise_right_shift.Tensor,
    aten.bitwise_left_shift.Tensor_Scalar: aten.bitwise_left_shift.Tensor,
    aten.bitwise_right_shift.Tensor_Scalar: aten.bitwise_right_shift.Tensor,
    aten.masked_fill_.Scalar: aten.masked_fill_.Tensor,
    aten.fill_.Scalar: aten.fill_.Tensor,
}
SCATTERS = {aten.scatter.value: aten.scatter.src, aten.scatter_.value: aten.scatter_.src}
# By exponent: the operator that torch computes the power with, and for which dtypes.
ROOTS = {
    0.5: (aten.sqrt.default, (torch.float32, torch.bfloat16)),
    -0.5: (aten.rsqrt.default, (torch.float32,)),
}
LIMITS = {
    aten.clamp.default: (AT_LEAST, AT_MOST),
    aten.clamp_min.default: (AT_LEAST,),
    aten.clamp_max.default: (AT_MOST,),
}
CONVERSIONS = (
    aten.to.dtype,
    aten.to.dtype_layout,
    aten._to_copy.default,
    aten.type_as.default,
    aten.clone.default,
    aten.contiguous.default,
)
FORMATS = (None, torch.preserve_format, torch.contiguous_format)
POWERS = (2, 3, -1)
ALIASES = (aten.alias.default, aten.detach.default, aten.to.dtype, aten.to.dtype_layout, aten.type_as.default)
