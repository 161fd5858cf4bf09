"""Tracing of functions of scores and masks into programs, by torch.fx, and their derivatives by the score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.ops.score_programs import ARGUMENTS, Instruction, Kind, Program

# Limits of one program; a captured tensor is copied into it.
MAX_INSTRUCTIONS = 64
MAX_CAPTURED = 1 << 20
# Whole exponents up to it are multiplications; larger ones take pow.
MAX_MULTIPLIED = 16

_SCORE = ARGUMENTS.index("score")

_KINDS: Mapping[torch.dtype, Kind] = {
    torch.float32: "f",
    torch.float16: "f",  # computed as float32, as a compiler that fuses does
    torch.bfloat16: "f",
    torch.int32: "i",
    torch.int64: "i",
    torch.int16: "i",
    torch.int8: "i",
    torch.uint8: "i",
    torch.bool: "b",
}


def trace(where: str, fn: Callable[..., Any], argument: str) -> dict[str, Program]:
    """Return a function's program by its argument, and with a "score_mod" the "slope_mod", its derivative by the score.

    It is traced with arguments of one element, which torch takes for all of a tensor's.

    Args:
        where: begins messages of errors.
        argument: "score_mod" or "mask_mod".

    Raises:
        ValueError: the function cannot be traced, does something else than instructions can, or takes too many.
    """
    from torch.fx.experimental.proxy_tensor import make_fx

    with_score = argument == "score_mod"
    # Each its own tensor: make_fx tells arguments apart by identity.
    inputs = [torch.zeros(1, dtype=torch.float32 if each == "score" else torch.int32) for each in ARGUMENTS]

    # With these parameters and no others, whatever fn has by default.
    def of_score(score: Any, b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        return _one_result(fn(score, b, h, q_idx, kv_idx))

    def of_mask(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        return _one_result(fn(b, h, q_idx, kv_idx))

    traced = make_fx(of_score if with_score else of_mask, tracing_mode="fake", _allow_non_fake_inputs=True)
    try:
        module = traced(*inputs[0 if with_score else 1 :])
    except _ResultError as error:
        found = error.args[0]
        told = f"a {type(found).__name__} of {len(found)}" if isinstance(found, (tuple, list, dict)) else repr(found)
        raise ValueError(f"{where} returns {told}, expected one tensor or number") from None
    except Exception as error:
        expected, reason = "pointwise torch operations", str(error).split("\n")[0]
        if "aten._local_scalar_dense" in reason or "data-dependent" in reason:
            expected = "torch.where, &, | and ~"
            reason = "it takes an argument's value in Python (if, and, int(), item())"
        raise ValueError(f"{where} cannot be traced, expected {expected}: {reason}") from error
    builder = _Builder(where, module, with_score)
    result = builder.build()
    made = builder.program(result)
    if len(made.instructions) > MAX_INSTRUCTIONS:
        raise builder.error(f"takes {len(made.instructions)} instructions", f"at most {MAX_INSTRUCTIONS}")
    return {argument: made, **({"slope_mod": builder.program(builder.slope(result))} if with_score else {})}


class _ResultError(Exception):
    """A function's result, which is no tensor or number."""


def _one_result(found: Any) -> Any:
    if not isinstance(found, (Tensor, bool, int, float)):
        raise _ResultError(found)
    return found


class _Builder:
    """Translates a traced function's nodes into instructions; equal ones become one."""

    def __init__(self, where: str, module: fx.GraphModule, with_score: bool) -> None:
        self.where, self.module, self.with_score = where, module, with_score
        self.kinds: list[Kind] = ["f", "i", "i", "i", "i"]
        self.instructions: list[Instruction] = []
        self.places: dict[Instruction, int] = {}
        self.values: dict[fx.Node, int] = {}
        self.captured: dict[fx.Node, Tensor] = {}
        self.tables: list[Tensor] = []
        self.table_begins: dict[int, tuple[int, int]] = {}  # of a tensor's id

    def build(self) -> int:
        """Translate all nodes; return the result's place."""
        arguments = iter(range(0 if self.with_score else 1, len(ARGUMENTS)))
        for node in self.module.graph.nodes:
            if node.op == "placeholder":
                self.values[node] = next(arguments)
            elif node.op == "get_attr":
                self.captured[node] = getattr(self.module, str(node.target))
            elif node.op == "call_function" and isinstance(node.meta.get("val"), Tensor):
                if not self.fold(node):
                    self.values[node] = self.call(node)
            elif node.op == "output":
                return self.finish(node.args[0])
        raise AssertionError("a graph has an output")

    def fold(self, node: fx.Node) -> bool:
        """Compute a node of captured tensors alone, such as `table[1]` or `table.float()`."""
        target: Any = node.target
        sources = node.all_input_nodes
        if not sources or any(each not in self.captured for each in sources) or target._schema.is_mutable:
            return False
        args, kwargs = fx.map_arg((node.args, node.kwargs), self.captured.__getitem__)
        with torch.no_grad():
            self.captured[node] = target(*args, **kwargs)
        return True

    def finish(self, found: Any) -> int:
        if isinstance(found, fx.Node) and found in self.values:
            shape = tuple(found.meta["val"].shape)
            if math.prod(shape) != 1:
                raise self.error(
                    f"returns a tensor of shape {shape}", "one number, of captured tensors indexed as [i, j]"
                )
        place = self.operand(found)
        if not self.with_score and self.kinds[place] != "b":
            raise self.error("returns a number", "a bool")
        return self.converted(place, "f" if self.with_score else "b")

    def program(self, result: int) -> Program:
        """Return the values that a result needs."""
        first = len(ARGUMENTS)
        used, stack = set(), [result]
        while stack:
            if (value := stack.pop()) >= first and value not in used:
                used.add(value)
                stack += self.instructions[value - first].operands
        new = {**{i: i for i in range(first)}, **{value: first + i for i, value in enumerate(sorted(used))}}
        kept = [self.instructions[value - first] for value in sorted(used)]
        moved = (Instruction(i.op, i.kind, tuple(new[o] for o in i.operands), i.more) for i in kept)
        tables = torch.cat(self.tables) if self.tables else torch.zeros(0, dtype=torch.int32)
        return Program(tuple(moved), new[result], tables)

    def slope(self, result: int) -> int:
        """Add the derivative of a value by the score, and return its place."""
        slopes: dict[int, int | None] = {_SCORE: self.constant("f", 1.0)}
        for value in range(len(ARGUMENTS), result + 1):
            made = self.instructions[value - len(ARGUMENTS)]
            of = [slopes.get(each) for each in made.operands]
            if made.kind == "f" and any(each is not None for each in of) and made.op in _SLOPES:
                slopes[value] = _SLOPES[made.op](self, value, made.operands, of)
        found = slopes.get(result)
        return self.constant("f", 0.0) if found is None else found

    def error(self, found: str, expected: str) -> ValueError:
        return ValueError(f"{self.where} {found}, expected {expected}")

    # --- Values ---

    def add(self, op: str, kind: Kind, *operands: int, more: tuple[float, ...] = ()) -> int:
        made = Instruction(op, kind, operands, more)
        if made not in self.places:
            self.places[made] = len(self.kinds)
            self.instructions.append(made)
            self.kinds.append(kind)
        return self.places[made]

    def constant(self, kind: Kind, number: float) -> int:
        if kind == "i" and not -(2**31) <= number < 2**31:
            raise self.error(f"has the number {number}", "whole numbers of 32 bits")
        return self.add("const", kind, more=(float(number) if kind == "f" else int(number),))

    def operand(self, argument: Any) -> int:
        if isinstance(argument, fx.Node) and argument in self.values:
            return self.values[argument]
        if isinstance(argument, (bool, int, float)):
            kind = "b" if isinstance(argument, bool) else "i" if isinstance(argument, int) else "f"
            return self.constant(kind, argument)
        if isinstance(argument, fx.Node) and (table := self.captured.get(argument)) is not None:
            if table.numel() == 1:  # a captured number
                begin, end = self.table(table)
                return self.add("load", self.kind_of_table(table), self.constant("i", 0), more=(begin, end))
            raise self.error(
                f"uses a captured tensor of shape {tuple(table.shape)}", "it to be indexed: bias[h, q_idx]"
            )
        raise self.error(f"uses {argument!r}", "numbers and tensors")

    def converted(self, place: int, kind: Kind) -> int:
        here = self.kinds[place]
        if here == kind:
            return place
        if kind == "b":
            zero = self.constant(here, 0)
            return self.add("not", "b", self.add("feq" if here == "f" else "ieq", "b", place, zero))
        if here == "b":
            place, here = self.add("b2i", "i", place), "i"
        if here == kind:
            return place
        known = self.constant_at(place)
        if known is not None and kind == "f":
            return self.constant("f", known)
        return self.add("i2f" if kind == "f" else "f2i", kind, place)

    def constant_at(self, place: int) -> float | None:
        made = self.instructions[place - len(ARGUMENTS)] if place >= len(ARGUMENTS) else None
        return made.more[0] if made is not None and made.op == "const" else None

    def kind_of(self, dtype: torch.dtype) -> Kind:
        if dtype not in _KINDS:
            expected = "float32, whole numbers or bool: .float() converts, also captured tensors"
            raise self.error(f"has values of {str(dtype).removeprefix('torch.')}", expected)
        return _KINDS[dtype]

    def kind_of_table(self, table: Tensor) -> Kind:
        """Return the kind of a captured tensor. A float64 of no dimension makes no result float64."""
        return "f" if table.dtype == torch.float64 and not table.dim() else self.kind_of(table.dtype)

    def table(self, of: Tensor) -> tuple[int, int]:
        if id(of) not in self.table_begins:
            table, kind = of.detach().to("cpu").flatten(), self.kind_of_table(of)
            begin = sum(map(len, self.tables))
            if not len(table) or begin + len(table) > MAX_CAPTURED:
                raise self.error(f"captures {begin + len(table)} numbers", f"1 to {MAX_CAPTURED}")
            if kind == "i" and int(table.abs().max()) >= 2**31:
                raise self.error("captures larger numbers", "whole numbers of 32 bits")
            self.tables.append(
                table.float().clone().view(torch.int32) if kind == "f" else table.int() * (-1 if kind == "b" else 1)
            )
            self.table_begins[id(of)] = (begin, begin + len(table))
        return self.table_begins[id(of)]

    # --- Nodes ---

    def call(self, node: fx.Node) -> int:
        target: Any = node.target
        name = target._overloadpacket.__name__ if isinstance(target, torch._ops.OpOverload) else str(target)
        kind = self.kind_of(node.meta["val"].dtype)
        if name == "index":
            return self.index(node, kind)
        if name in _SAME:
            return self.converted(self.operand(node.args[0]), kind)
        if name in _CONSTANTS:
            number = _CONSTANTS[name](node.args)
            return self.converted(self.operand(number), kind)
        rule = _RULES.get(name)
        if rule is None:
            raise self.error(f"calls {target}", f"one of {', '.join(sorted({*_RULES, 'index'} - {'__rshift__'}))}")
        extra = {each: value for each, value in node.kwargs.items() if each not in ("rounding_mode", "alpha")}
        if extra or node.kwargs.get("alpha", 1) != 1:
            raise self.error(f"calls {target} with {dict(node.kwargs)}", "no such arguments")
        if name == "div" and (rounding := node.kwargs.get("rounding_mode")) is not None:
            if rounding != "floor":
                raise self.error(f"divides with rounding_mode={rounding!r}", "'floor'")
            rule = _RULES["floor_divide"]
        operands = [None if each is None else self.operand(each) for each in node.args]
        return rule(self, kind, *operands)

    def index(self, node: fx.Node, kind: Kind) -> int:
        source, indices = node.args[:2]
        table = self.captured.get(source) if isinstance(source, fx.Node) else None
        if table is None or not isinstance(indices, (list, tuple)):
            raise self.error(f"indexes {source}", "a captured tensor")
        shape = table.shape
        if len(indices) != len(shape) or any(each is None for each in indices):
            raise self.error(
                f"indexes a captured tensor of shape {tuple(shape)} {len(indices)} times", "an index for each"
            )
        begin, end = self.table(table)
        place = None
        for each, size in zip(indices, shape, strict=True):
            index = self.operand(each)
            if self.kinds[index] != "i":
                raise self.error("indexes by something else", "a whole number")
            if len(shape) > 1:  # of one dimension the load itself keeps the index inside
                index = _clamp(self, "i", index, self.constant("i", 0), self.constant("i", size - 1))
            if place is not None:
                index = self.add("iadd", "i", self.add("imul", "i", place, self.constant("i", size)), index)
            place = index
        assert place is not None
        return self.add("load", kind, place, more=(begin, end))

    def widest(self, *places: int) -> Kind:
        kinds = {self.kinds[place] for place in places}
        return "f" if "f" in kinds else "i" if "i" in kinds else "b"


Rule = Callable[..., int]


def _arithmetic(name: str) -> Rule:
    of_bools = {"add": "or", "mul": "and", "max": "or", "min": "and"}

    def rule(build: _Builder, kind: Kind, a: int, b: int) -> int:
        op = of_bools[name] if kind == "b" else kind + name
        return build.add(op, kind, build.converted(a, kind), build.converted(b, kind))

    return rule


def _compare(name: str, *, swap: bool = False, negate: bool = False) -> Rule:
    def rule(build: _Builder, kind: Kind, a: int, b: int) -> int:
        common = build.widest(a, b)
        common = "i" if common == "b" else common
        a, b = build.converted(a, common), build.converted(b, common)
        found = build.add(common + name, "b", *((b, a) if swap else (a, b)))
        return build.add("not", "b", found) if negate else found

    return rule


def _bitwise(name: str, kind: Kind | None = None) -> Rule:
    def rule(build: _Builder, result: Kind, a: int, *b: int) -> int:
        kind_of_all = kind or result
        return build.add(name, kind_of_all, *(build.converted(each, kind_of_all) for each in (a, *b)))

    return rule


def _function(name: str) -> Rule:
    return lambda build, kind, x: build.add(name, "f", build.converted(x, "f"))


def _floor_division(name: str) -> Rule:
    def rule(build: _Builder, kind: Kind, a: int, b: int) -> int:
        a, b = build.converted(a, kind), build.converted(b, kind)
        if kind == "f":
            return build.add("ffloordiv" if name == "idiv" else "fmod", "f", a, b)
        divisor = build.constant_at(b)
        if (
            divisor is not None and divisor > 0 and int(divisor) & (int(divisor) - 1) == 0
        ):  # no processor divides vectors
            if name == "idiv":
                return build.add("ishr", "i", a, build.constant("i", int(divisor).bit_length() - 1))
            return build.add("and", "i", a, build.constant("i", int(divisor) - 1))
        return build.add(name, "i", a, b)

    return rule


def _where(build: _Builder, kind: Kind, condition: int, a: int, b: int) -> int:
    return build.add("where", kind, build.converted(condition, "b"), build.converted(a, kind), build.converted(b, kind))


def _negate(build: _Builder, kind: Kind, x: int) -> int:
    if kind == "f":
        return build.add("fmul", "f", x, build.constant("f", -1.0))
    return build.add("isub", "i", build.constant("i", 0), build.converted(x, "i"))


def _absolute(build: _Builder, kind: Kind, x: int) -> int:
    return build.add(f"{kind}max", kind, x, _negate(build, kind, x))


def _clamp(build: _Builder, kind: Kind, x: int, low: int | None = None, high: int | None = None) -> int:
    x = build.converted(x, kind)
    if low is not None:
        x = build.add(f"{kind}max", kind, x, build.converted(low, kind))
    return x if high is None else build.add(f"{kind}min", kind, x, build.converted(high, kind))


def _shift(build: _Builder, kind: Kind, a: int, by: int) -> int:
    if (known := build.constant_at(by)) is not None and not 0 <= known < 32:
        by = build.constant("i", 31)  # all bits are the sign's
    return build.add("ishr", "i", build.converted(a, "i"), build.converted(by, "i"))


def _power(build: _Builder, kind: Kind, base: int, exponent: int) -> int:
    known_base, known = build.constant_at(base), build.constant_at(exponent)
    whole = known is not None and abs(known) <= MAX_MULTIPLIED and known == int(known)
    if whole and known is not None and (kind == "f" or known >= 0):
        found = _whole_power(build, kind, build.converted(base, kind), int(abs(known)))
        return found if known >= 0 else build.add("fdiv", "f", build.constant("f", 1.0), found)
    if kind != "f":
        if known_base != 2:
            raise build.error("calls a power of whole numbers", f"2 ** n, n ** 0 to n ** {MAX_MULTIPLIED}, or floats")
        return build.add("f2i", "i", build.add("exp2", "f", build.converted(exponent, "f")))  # below 1: 0
    if known in (0.5, -0.5):
        root = build.add("sqrt", "f", build.converted(base, "f"))
        return root if known > 0 else build.add("fdiv", "f", build.constant("f", 1.0), root)
    exponent = build.converted(exponent, "f")
    if known_base is None or not 0 < known_base < math.inf:
        return build.add("pow", "f", build.converted(base, "f"), exponent)
    if known_base != 2:
        exponent = build.add("fmul", "f", exponent, build.constant("f", math.log2(known_base)))
    return build.add("exp2", "f", exponent)


def _whole_power(build: _Builder, kind: Kind, base: int, exponent: int) -> int:
    """Multiply, by squares."""
    found = None
    while exponent:
        if exponent & 1:
            found = base if found is None else build.add(f"{kind}mul", kind, found, base)
        if exponent := exponent >> 1:
            base = build.add(f"{kind}mul", kind, base, base)
    return build.constant(kind, 1) if found is None else found


_RULES: Mapping[str, Rule] = {
    "add": _arithmetic("add"),
    "sub": _arithmetic("sub"),
    "rsub": lambda build, kind, a, b: _arithmetic("sub")(build, kind, b, a),
    "mul": _arithmetic("mul"),
    "div": _arithmetic("div"),  # true division gives floats
    "reciprocal": lambda build, kind, x: _arithmetic("div")(build, kind, build.constant("f", 1.0), x),
    "floor_divide": _floor_division("idiv"),
    "remainder": _floor_division("imod"),
    "minimum": _arithmetic("min"),
    "maximum": _arithmetic("max"),
    "clamp": _clamp,
    "clamp_min": _clamp,
    "clamp_max": lambda build, kind, x, high: _clamp(build, kind, x, None, high),
    "relu": lambda build, kind, x: _clamp(build, kind, x, build.constant(kind, 0)),
    "neg": _negate,
    "abs": _absolute,
    "square": lambda build, kind, x: build.add(f"{kind}mul", kind, x, x),
    "pow": _power,
    "eq": _compare("eq"),
    "ne": _compare("eq", negate=True),
    "lt": _compare("lt"),
    "le": _compare("le"),
    "gt": _compare("lt", swap=True),
    "ge": _compare("le", swap=True),
    "bitwise_and": _bitwise("and"),
    "bitwise_or": _bitwise("or"),
    "bitwise_xor": _bitwise("xor"),
    "bitwise_not": _bitwise("not"),
    "logical_and": _bitwise("and", "b"),
    "logical_or": _bitwise("or", "b"),
    "logical_xor": _bitwise("xor", "b"),
    "logical_not": _bitwise("not", "b"),
    "__rshift__": _shift,
    "bitwise_right_shift": _shift,
    "where": _where,
    "floor": _function("floor"),
    "exp": _function("exp"),
    "exp2": _function("exp2"),
    "log": _function("log"),
    "sqrt": _function("sqrt"),
    "rsqrt": lambda build, kind, x: _arithmetic("div")(
        build, kind, build.constant("f", 1.0), _function("sqrt")(build, kind, x)
    ),
    "tanh": _function("tanh"),
    "sigmoid": _function("sigmoid"),
}


def _times(build: _Builder, slope: int | None, factor: int) -> int | None:
    return None if slope is None else build.add("fmul", "f", slope, factor)


def _sum(build: _Builder, a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else build.add("fadd", "f", a, b)


def _less(build: _Builder, a: int | None, b: int | None) -> int | None:
    return _sum(build, a, None if b is None else _negate(build, "f", b))


def _either(build: _Builder, condition: int, a: int | None, b: int | None) -> int:
    zero = build.constant("f", 0.0)
    return build.add("where", "f", condition, zero if a is None else a, zero if b is None else b)


def _over(build: _Builder, slope: int | None, divisor: int) -> int | None:
    return None if slope is None else build.add("fdiv", "f", slope, divisor)


def _unless_zero(build: _Builder, slope: int | None, product: int | None) -> int | None:
    """Return a slope's product, or 0 where the slope is: as of sqrt(clamp(x, 0)), whose factor is infinite below 0."""
    if slope is None or product is None or build.constant_at(slope) is not None:
        return product
    zero = build.constant("f", 0.0)
    return build.add("where", "f", build.add("feq", "b", slope, zero), zero, product)


def _slope_of_power(build: _Builder, y: int, x: Sequence[int], dx: Sequence[int | None]) -> int | None:
    below = build.add("pow", "f", x[0], build.add("fsub", "f", x[1], build.constant("f", 1.0)))
    by_base = _unless_zero(build, dx[0], _times(build, _times(build, dx[0], x[1]), below))
    if dx[1] is None:
        return by_base
    by_exponent = _times(build, _times(build, dx[1], y), build.add("log", "f", x[0]))
    return _sum(build, by_base, _unless_zero(build, y, by_exponent))


def _one_less_square(build: _Builder, x: int) -> int:
    return build.add("fsub", "f", build.constant("f", 1.0), build.add("fmul", "f", x, x))


# An instruction's derivative from its own value, its operands, and theirs; None is 0. Of others it is 0.
_SLOPES: Mapping[str, Callable[[_Builder, int, Sequence[int], Sequence[int | None]], int | None]] = {
    "fadd": lambda build, y, x, dx: _sum(build, dx[0], dx[1]),
    "fsub": lambda build, y, x, dx: _less(build, dx[0], dx[1]),
    "fmul": lambda build, y, x, dx: _sum(build, _times(build, dx[0], x[1]), _times(build, dx[1], x[0])),
    "fdiv": lambda build, y, x, dx: _over(build, _less(build, dx[0], _times(build, dx[1], y)), x[1]),
    "fmod": lambda build, y, x, dx: _less(
        build, dx[0], _times(build, dx[1], build.add("ffloordiv", "f", x[0], x[1])) if dx[1] is not None else None
    ),
    "fmin": lambda build, y, x, dx: _either(build, build.add("flt", "b", x[0], x[1]), dx[0], dx[1]),
    "fmax": lambda build, y, x, dx: _either(build, build.add("flt", "b", x[1], x[0]), dx[0], dx[1]),
    "exp": lambda build, y, x, dx: _times(build, dx[0], y),
    "exp2": lambda build, y, x, dx: _times(build, _times(build, dx[0], y), build.constant("f", math.log(2))),
    "log": lambda build, y, x, dx: _unless_zero(build, dx[0], _over(build, dx[0], x[0])),
    "sqrt": lambda build, y, x, dx: _unless_zero(build, dx[0], _over(build, dx[0], build.add("fadd", "f", y, y))),
    "pow": _slope_of_power,
    "sigmoid": lambda build, y, x, dx: _times(build, dx[0], build.add("fsub", "f", y, build.add("fmul", "f", y, y))),
    "tanh": lambda build, y, x, dx: _times(build, dx[0], _one_less_square(build, y)),
    "where": lambda build, y, x, dx: _either(build, x[0], dx[1], dx[2]),
}

# A result that is its first argument, or a constant.
_SAME = frozenset(
    (
        *("_to_copy", "lift_fresh_copy", "detach", "clone", "alias"),
        *("view", "_unsafe_view", "expand", "unsqueeze", "squeeze", "reshape"),
    )
)
_CONSTANTS: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "new_ones": lambda args: 1,
    "new_zeros": lambda args: 0,
    "ones_like": lambda args: 1,
    "zeros_like": lambda args: 0,
    "ones": lambda args: 1,
    "zeros": lambda args: 0,
    "new_full": lambda args: args[2],
    "full_like": lambda args: args[1],
    "full": lambda args: args[1],
    "scalar_tensor": lambda args: args[0],
}
