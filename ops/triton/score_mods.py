"""Programs of `ops/score_programs.py` as Triton functions, which attention's kernels call on a tile of scores.

The kernels take a function as a compile-time argument: another program is another compilation. Values are tensors that
broadcast, [rows, keys], [rows, 1], [1, keys] or [1, 1], so each is computed as often as it changes.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton import knobs
from triton.language.extra import libdevice

from torchpaged.ops.score_mods import program
from torchpaged.ops.score_programs import ARGUMENTS, INSTRUCTIONS, Instruction, Program
from torchpaged.ops.triton.common import tanh


@triton.jit
def floor_divide(a, b):
    divisor = tl.where(b == 0, 1, b)
    quotient = a // divisor
    inexact = (quotient * divisor != a) & ((a < 0) != (divisor < 0))
    return tl.where(b == 0, 0, quotient - inexact.to(tl.int32))


@triton.jit
def remainder(a, b):
    return tl.where(b == 0, 0, a - floor_divide(a, b) * b)


@triton.jit
def smaller(a, b):
    return tl.where((a < b) | (a != a), a, b)


@triton.jit
def larger(a, b):
    return tl.where((a > b) | (a != a), a, b)


@triton.jit
def shift_right(a, b):
    return a >> tl.where((b < 0) | (b > 31), 31, b)


@triton.jit
def _remainder_in_interpreter(a, b):
    return a % b  # exact there, and not on a GPU


fmod = _remainder_in_interpreter if knobs.runtime.interpret else libdevice.fmod  # the interpreter has no libdevice


@triton.jit
def float_remainder(a, b):
    rest = fmod(a, b)
    return tl.where((rest != 0.0) & ((b < 0.0) != (rest < 0.0)), rest + b, rest)


@triton.jit
def float_floor_divide(a, b):
    rest = fmod(a, b)
    quotient = (a - rest) / b
    quotient = tl.where((rest != 0.0) & ((b < 0.0) != (rest < 0.0)), quotient - 1.0, quotient)
    whole = tl.floor(quotient)
    whole = tl.where(quotient - whole > 0.5, whole + 1.0, whole)
    return tl.where(b == 0.0, a / b, whole)


@triton.jit
def power(a, b):
    """Compute a ** b: exp2(b * log2(|a|)); of a negative a negative for an odd b, and NaN for one that is not whole."""
    whole = tl.floor(b) == b
    odd = whole & (tl.floor(b * 0.5) * 2.0 != b)
    size = tl.abs(a)
    result = tl.where(size == 1.0, 1.0, tl.exp2(b * tl.log2(size)))
    signed = tl.where(whole | (size == float("inf")), tl.where(odd, -result, result), float("nan"))
    result = tl.where(a < 0.0, signed, result)
    return tl.where((a == 1.0) | (b == 0.0), 1.0, result)


# An instruction's expression of its operands.
_EXPRESSIONS = {
    "iadd": "{0} + {1}",
    "isub": "{0} - {1}",
    "imul": "{0} * {1}",
    "idiv": "floor_divide({0}, {1})",
    "imod": "remainder({0}, {1})",
    "imin": "tl.minimum({0}, {1})",
    "imax": "tl.maximum({0}, {1})",
    "ishr": "shift_right({0}, {1})",
    "ieq": "{0} == {1}",
    "ilt": "{0} < {1}",
    "ile": "{0} <= {1}",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "not": "~{0}",
    "fadd": "{0} + {1}",
    "fsub": "{0} - {1}",
    "fmul": "{0} * {1}",
    "fdiv": "{0} / {1}",
    "ffloordiv": "float_floor_divide({0}, {1})",
    "fmod": "float_remainder({0}, {1})",
    "fmin": "smaller({0}, {1})",
    "fmax": "larger({0}, {1})",
    "feq": "{0} == {1}",
    "flt": "{0} < {1}",
    "fle": "{0} <= {1}",
    "floor": "tl.floor({0})",
    "exp": "tl.exp({0})",
    "exp2": "tl.exp2({0})",
    "log": "tl.log({0})",
    "sqrt": "tl.sqrt({0})",
    "pow": "power({0}, {1})",
    "tanh": "tanh({0}, tl.float32)",
    "sigmoid": "1.0 / (1.0 + tl.exp(-{0}))",
    "where": "tl.where({0}, {1}, {2})",
    "i2f": "{0}.to(tl.float32)",
    "b2i": "{0}.to(tl.int32)",
    "f2i": "{0}.to(tl.int32)",
}
assert _EXPRESSIONS.keys() == INSTRUCTIONS.keys()
_TYPES = {"f": "tl.float32", "i": "tl.int32", "b": "tl.int1"}


def source(of: Program) -> str:
    """Return a program as the source of a function of its arguments and of a pointer to its tables."""
    names = [*ARGUMENTS, *(f"v{i}" for i in range(len(of.instructions)))]
    lines = [f"    {name} = {_expression(each, names)}" for name, each in zip(names[5:], of.instructions, strict=True)]
    return "\n".join([f"def mod({', '.join(ARGUMENTS)}, tables):", *lines, f"    return {names[of.result]}", ""])


def _expression(each: Instruction, names: list[str]) -> str:
    operands = [names[i] for i in each.operands]
    if each.op == "const":
        number = each.more[0]
        text = f'float("{number}")' if each.kind == "f" else repr(bool(number) if each.kind == "b" else number)
        return f"tl.full([1, 1], {text}, {_TYPES[each.kind]})"
    if each.op != "load":
        return _EXPRESSIONS[each.op].format(*operands)
    first, last = (int(more) for more in each.more)
    word = f"tl.load(tables + {first} + tl.minimum(tl.maximum({operands[0]}, 0), {last - first - 1}))"
    return {"f": f"{word}.to(tl.float32, bitcast=True)", "i": word, "b": f"{word} != 0"}[each.kind]


@cache
def _function(text: str) -> Any:
    """Return a source as a jitted function. Triton reads the source of a function from its file, or from linecache."""
    file = f"<torchpaged score_mod {hash(text):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    functions = (
        floor_divide,
        remainder,
        shift_right,
        float_floor_divide,
        float_remainder,
        power,
        smaller,
        larger,
        tanh,
    )
    module = {"tl": tl, "__name__": __name__, **{each.__name__: each for each in functions}}
    exec(compile(text, file, "exec"), module)
    return triton.jit(module["mod"])


@cache
def _tables(of: Program, device: torch.device) -> Tensor:
    return (of.tables if len(of.tables) else torch.zeros(1, dtype=torch.int32)).to(device)


def kernel_arguments(
    argument: str, options: Mapping[str, Any], nothing: Tensor
) -> tuple[Callable[..., Any] | None, Tensor]:
    """Return a kernel's function and tables for an option; None, and a tensor for its pointer, without one."""
    if (name := options.get(argument)) is None:
        return None, nothing
    found = program("attention", argument, name)
    return _function(source(found)), _tables(found, nothing.device)
