"""Program: a function of scores or of a mask as a short list of pointwise instructions.

`evaluate` defines them in plain PyTorch; csrc/cpu/score_mods.h interprets them on vectors, and ops/triton/score_mods.py
writes them as Triton.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

# The arguments of a score's function, which are a program's first values. A mask's has no score.
ARGUMENTS = ("score", "b", "h", "q_idx", "kv_idx")

Kind = str  # of a value: "f" for float32, "i" for int32, "b" for bool


def _floor_divide(a: Tensor, b: Tensor) -> Tensor:
    return torch.where(b == 0, 0, torch.div(a, torch.where(b == 0, 1, b), rounding_mode="floor"))


def _remainder(a: Tensor, b: Tensor) -> Tensor:
    return torch.where(b == 0, 0, torch.remainder(a, torch.where(b == 0, 1, b)))


# Instructions and their definitions. The place in the table is the opcode, `ModOp` of csrc/cpu/common.h; `load` and
# `const`, which have more than operands, come behind them.
INSTRUCTIONS: Mapping[str, Callable[..., Tensor]] = {
    "iadd": torch.add,
    "isub": torch.sub,
    "imul": torch.mul,
    "idiv": _floor_divide,  # by 0: 0
    "imod": _remainder,  # the divisor's sign; by 0: 0
    "imin": torch.minimum,
    "imax": torch.maximum,
    "ishr": torch.bitwise_right_shift,
    "ieq": torch.eq,
    "ilt": torch.lt,
    "ile": torch.le,
    "and": torch.bitwise_and,
    "or": torch.bitwise_or,
    "xor": torch.bitwise_xor,
    "not": torch.bitwise_not,
    "fadd": torch.add,
    "fsub": torch.sub,
    "fmul": torch.mul,
    "fdiv": torch.div,
    "ffloordiv": lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "fmod": torch.remainder,
    "fmin": torch.minimum,
    "fmax": torch.maximum,
    "feq": torch.eq,
    "flt": torch.lt,
    "fle": torch.le,
    "floor": torch.floor,
    "exp": torch.exp,
    "exp2": torch.exp2,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "pow": torch.pow,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "where": torch.where,
    "i2f": lambda x: x.float(),
    "b2i": lambda x: x.int(),
    "f2i": lambda x: x.int(),
}
OPCODES = {name: i for i, name in enumerate((*INSTRUCTIONS, "load", "const"))}


@dataclass(frozen=True, slots=True)
class Instruction:
    """One value of a program.

    Args:
        operands: places of earlier values; the first ones are `ARGUMENTS`.
        more: a constant, or of `load` the table's begin and end in `Program.tables`.
    """

    op: str
    kind: Kind
    operands: tuple[int, ...] = ()
    more: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A traced function: instructions behind the arguments, and which of all values is the result.

    Args:
        tables: int32, the captured tensors' numbers, floats as their bits.
    """

    instructions: tuple[Instruction, ...]
    result: int
    tables: Tensor

    def uses(self, argument: str) -> bool:
        """Return whether the result depends on an argument."""
        place = ARGUMENTS.index(argument)
        return self.result == place or any(place in each.operands for each in self.instructions)

    def evaluate(self, score: Tensor | None, b: int, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        """Compute the result of broadcast arguments in plain PyTorch: the definition.

        An index into a captured tensor that is outside of it is moved to the nearest one inside.
        """
        batch = torch.tensor(b, dtype=torch.int32, device=q_idx.device)
        values = [score, batch, h.int(), q_idx.int(), kv_idx.int()]
        for each in self.instructions:
            operands: list[Any] = [values[i] for i in each.operands]
            if each.op == "const":
                dtype = torch.float32 if each.kind == "f" else torch.bool if each.kind == "b" else torch.int32
                values.append(torch.tensor(each.more[0], dtype=dtype, device=q_idx.device))
            elif each.op == "load":
                first, last = (int(more) for more in each.more)
                table = self.tables[first:last].to(q_idx.device)
                table = table.view(torch.float32) if each.kind == "f" else table
                found = table[operands[0].clamp(0, last - first - 1).long()]
                values.append(found != 0 if each.kind == "b" else found)
            else:
                values.append(INSTRUCTIONS[each.op](*operands))
        result = values[self.result]
        assert result is not None
        return result

    def words(self) -> list[int]:
        """Return the instructions as the `ModInstruction` of csrc/cpu/common.h."""
        words = []
        for each in self.instructions:
            operands = (*each.operands, *(each.operands[:1] or (0,)) * 3)[:3]
            more = [_bits(each.kind, number) for number in each.more] if each.op == "const" else map(int, each.more)
            words += [OPCODES[each.op], int(each.kind == "b"), int(each.kind == "f"), *operands, *(*more, 0, 0)[:2]]
        return words


def _bits(kind: Kind, number: float) -> int:
    if kind == "f":
        return int(struct.unpack("i", struct.pack("f", number))[0])
    return -int(number) if kind == "b" else int(number)
