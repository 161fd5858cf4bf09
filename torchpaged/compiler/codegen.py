"""Codegen stage: lowers a traced graph to the bytecode of csrc/cpu/replay.h: registers, views, arithmetic, calls."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler import opcodes as codes
from torchpaged.compiler.fusion import RESHAPES, SPLITS, TRANSPOSES, Fusion, find_fusions
from torchpaged.compiler.graph import Graph, NotTraceable
from torchpaged.ops import active_backend

aten = torch.ops.aten

# Their result does not depend on the values of their first argument, only on its dtype.
FILLED = (aten.new_ones.default, aten.new_zeros.default, aten.new_full.default)
_MAX_CONSTANT_BYTES = 1 << 20
# Programs run steps of at most so many tokens and rows. In longer ones arithmetic hides the overhead of Python.
MAX_TOKENS = 64


@dataclass(frozen=True, slots=True)
class _Register:
    """An argument that is a register without a node."""

    number: int


@dataclass(slots=True)
class _Instruction:
    """One instruction: the registers that it writes, those it reads or writes, and the rest of its code."""

    opcode: int
    results: list[int]
    uses: list[int]
    payload: list[int]


class Lowering:
    """The lowering of a graph to bytecode.

    Args:
        traced: a graph that returns one tensor.
        sizes: the inputs that are integers or have a dynamic first dimension, in the order in which a call passes them.

    Attributes:
        constants: the tensors of the first registers.
        names: operator and overload names, and string arguments, in the order of their numbers.
        bounded_sizes: indices of the sizes that some `arange` counts up to; they may be at most `MAX_TOKENS`.
    """

    def __init__(self, traced: Graph, sizes: Sequence[str]) -> None:
        traced.prune()
        self._traced = traced
        self._registers: dict[fx.Node, int] = {}
        self._symbols: dict[fx.Node, tuple[int, int]] = {}  # (factor, symbol)
        self._bases: dict[int, set[int]] = {}  # by register of a view, the registers that own its storage
        self._items: dict[fx.Node, list[Callable[[fx.Node], None]]] = {}  # what lowers a `getitem` of a node
        self.names: dict[str, int] = {}
        self._instructions: list[_Instruction] = []
        self._scalars: dict[tuple[torch.dtype, float], int] = {}  # registers of 0-d constants
        self._aranges: dict[fx.Node, int] = {}  # registers of constants that an `arange` is a slice of
        nodes = list(traced.graph.nodes)
        self.constants: list[Tensor] = []
        self._collect_constants(nodes)
        placeholders = traced.placeholders()
        self._size_inputs = [placeholders[name] for name in sizes]
        tensors = [node for node in placeholders.values() if isinstance(traced.values.get(node), Tensor)]
        for i, node in enumerate(self._size_inputs):
            if node not in tensors:
                self._symbols[node] = (1, i)
        self._num_inputs, self._next = len(tensors), len(self.constants)
        for node in tensors:
            self._new_register(node)
        fused = find_fusions(traced)
        absorbed = {node for fusion in fused.values() for node in fusion.absorbed}
        for node in nodes:
            if node in self._registers or node in self._unused or node in absorbed:
                continue
            if node in fused:
                self._emit_fusion(fused[node])
            elif node.op == "call_function":
                self._lower(node)
            elif node.op == "output":
                self._result = self._result_register(node.args[0])
        self.bounded_sizes = {self._symbols[node.args[0]][1] for node in self._aranges}

    def code(self) -> list[int]:
        """Return the bytecode. Each instruction also lists the registers that it is the last to use."""
        last = {base: i for i, each in enumerate(self._instructions) for reg in each.uses for base in self._base(reg)}
        kept = self._base(self._result) | set(range(len(self.constants) + self._num_inputs))
        ends: list[list[int]] = [[] for _ in self._instructions]
        for reg, place in last.items():
            if reg not in kept:
                ends[place].append(reg)
        code = [self._next, self._num_inputs, self._result]
        for each, freed in zip(self._instructions, ends, strict=True):
            code += [each.opcode, len(each.results), *each.results, len(freed), *freed, *each.payload]
        return code

    def _result_register(self, result: Any) -> int:
        """Return the register of the only result."""
        if isinstance(result, (tuple, list)) and len(result) == 1:
            (result,) = result
        if not isinstance(result, fx.Node) or result not in self._registers:
            raise NotTraceable("it returns something other than one tensor")
        register = self._registers[result]
        if result.op == "call_function" and min(self._base(register)) < len(self.constants):
            raise NotTraceable("its result depends on no input: every call would return the same tensor")
        return register

    def _collect_constants(self, nodes: Sequence[fx.Node]) -> None:
        """Assign registers to constants, and to small tensors that are computed from constants or from nothing."""
        known: set[fx.Node] = set()
        for node in nodes:
            if node.op == "get_attr" or self._is_constant(node, known):
                known.add(node)
        for node in nodes:
            if node in known and any(user not in known for user in node.users):
                self._registers[node] = len(self.constants)
                self.constants.append(self._value(node))
        self._unused = known - set(self._registers)
        for node in nodes:
            if node.target is aten.arange.default and isinstance(node.args[0], fx.Node):
                counted = self._value(node)
                self._aranges[node] = len(self.constants)
                self.constants.append(torch.arange(MAX_TOKENS * len(counted), dtype=counted.dtype))
            for dtype, number in self._scalar_arguments(node).values():
                if (dtype, number) not in self._scalars:
                    self._scalars[dtype, number] = len(self.constants)
                    self.constants.append(torch.tensor(number, dtype=dtype))

    def _scalar_arguments(self, node: fx.Node) -> dict[int, tuple[torch.dtype, float]]:
        """Return (dtype, number) of each number that is passed where the schema has a tensor, by argument index."""
        if node.target in codes.SCATTERS:
            return {3: (self._value(node).dtype, node.args[3])}  # type: ignore[dict-item]
        target, args = self._tensor_overload(node)
        if not isinstance(target, torch._ops.OpOverload):
            return {}
        pairs = enumerate(zip(target._schema.arguments, args, strict=False))
        numbers = {i: x for i, (each, x) in pairs if str(each.type) == "Tensor" and isinstance(x, (int, float))}
        values = (self._traced.values.get(each) for each in node.all_input_nodes)
        tensors = [each for each in values if isinstance(each, Tensor)]
        return {i: (_scalar_dtype(x, tensors), x) for i, x in numbers.items()}

    def _tensor_overload(self, node: fx.Node) -> tuple[Any, tuple[Any, ...]]:
        """Return the operator to call for a node, an overload for tensors if there is one, and its arguments."""
        target: Any = node.target
        args: Any = node.args
        if target is not aten.pow.Tensor_Scalar:
            return codes.FOR_NUMBERS.get(target, target), args
        dtype = self._value(node).dtype
        root, dtypes = codes.ROOTS.get(args[1], (None, ()))
        if dtype in dtypes:
            return root, args[:1]
        return (aten.pow.Tensor_Tensor if dtype == torch.float16 else target), args

    def _is_constant(self, node: fx.Node, known: set[fx.Node]) -> bool:
        value, target = self._traced.values.get(node), node.target
        if not isinstance(value, Tensor) or not isinstance(target, torch._ops.OpOverload) or target._schema.is_mutable:
            return False
        if torch.Tag.nondeterministic_seeded in target.tags or value.nbytes > _MAX_CONSTANT_BYTES:
            return False
        inputs = set(node.all_input_nodes)
        if target in FILLED:
            inputs -= {node.args[0]}  # only its dtype matters
        return inputs <= known and self._traced.is_never_written(node)

    def _base(self, reg: int) -> set[int]:
        """Return the registers that own the storage of a register's tensor."""
        return self._bases.get(reg, {reg})

    def _new_register(self, node: fx.Node | None) -> int:
        reg, self._next = self._next, self._next + 1
        if node is not None:
            self._registers[node] = reg
        return reg

    def _emit(self, opcode: int, results: list[int], uses: Iterable[int], payload: list[int]) -> None:
        # Results count as uses, so that one without users is freed at once.
        self._instructions.append(_Instruction(opcode, results, [*uses, *results], payload))

    def _name(self, name: str) -> int:
        return self.names.setdefault(name, len(self.names))

    def _value(self, node: Any) -> Tensor:
        value = self._traced.values[node]
        if not isinstance(value, Tensor):
            raise NotTraceable(f"{node} is not a tensor")
        return value

    # --- Numbers

    def _number(self, value: Any) -> list[int]:
        """Encode an int as (value, -1), or a multiple of a size as (factor, index of the size)."""
        if isinstance(value, fx.Node):
            factor, symbol = self._symbols[value]
            return [factor, symbol]
        return [int(value), -1]

    def _numbers(self, values: Sequence[Any]) -> list[int]:
        return [len(values), *(part for value in values for part in self._number(value))]

    # --- Operators

    def _lower(self, node: fx.Node) -> None:
        target: Any = node.target
        args: Any = node.args
        if target is aten.sym_size.int:
            self._symbols[node] = (1, self._size_inputs.index(args[0]))
        elif getattr(target, "__name__", "") == "mul" and not isinstance(target, torch._ops.OpOverload):
            size, factor = args
            self._symbols[node] = (factor * self._symbols[size][0], self._symbols[size][1])
        elif getattr(target, "__name__", "") == "getitem":
            self._items[args[0]][args[1]](node)
        elif not isinstance(target, torch._ops.OpOverload):
            raise NotTraceable(f"it calls {target}")
        elif target in SPLITS:
            self._lower_split(node)
        elif not self._lower_view(node) and not self._lower_pointwise(node):
            self._emit_call(node)

    def _emit_view(self, node: fx.Node, source: fx.Node, opcode: int, axis: int, numbers: list[int]) -> None:
        reg, before = self._new_register(node), self._registers[source]
        # A reshape is a view or a copy, which is known at run time only.
        self._bases[reg] = self._base(before) | ({reg} if opcode == codes.RESHAPE else set())
        self._emit(opcode, [reg], [before], [before, axis, *numbers])

    def _axis(self, source: fx.Node, axis: int, more: int = 0) -> int:
        return axis % (self._value(source).dim() + more)

    def _lower_view(self, node: fx.Node) -> bool:
        """Lower a node to a view instruction. Return False if there is none for it."""
        target: Any = node.target
        args: Any = node.args
        if not args or not isinstance(args[0], fx.Node) or not isinstance(self._traced.values.get(node), Tensor):
            return False
        if target is aten.arange.default and node in self._aranges:
            reg, whole = self._new_register(node), self._aranges[node]
            self._bases[reg] = {whole}
            self._emit(codes.SLICE, [reg], [whole], [whole, 0, *self._numbers([0, args[0], 1])])
            return True
        if args[0] in self._symbols:
            return False
        source: fx.Node = args[0]
        value, result = self._value(source), self._value(node)
        if target in codes.ALIASES and value.dtype == result.dtype and not _option(node, "copy"):
            self._registers[node] = self._registers[source]
        elif target is aten.flatten.using_ints:
            return False
        elif target in RESHAPES:
            self._emit_view(node, source, codes.RESHAPE, 0, self._numbers(args[1]))
        elif target is aten.slice.Tensor:
            bounds: list[Any] = [*args[1:], *(0, None, None, 1)[len(args) - 1 :]]
            axis, start, end, step = bounds
            numbers = self._numbers([start or 0, torch.iinfo(torch.int64).max if end is None else end, step])
            self._emit_view(node, source, codes.SLICE, self._axis(source, axis), numbers)
        elif target is aten.select.int:
            self._emit_view(node, source, codes.SELECT, self._axis(source, args[1]), self._numbers([args[2]]))
        elif target in TRANSPOSES:
            self._emit_view(node, source, codes.PERMUTE, 0, self._numbers(self._order(node, value.dim())))
        elif target is aten.expand.default:
            self._emit_view(node, source, codes.EXPAND, 0, self._numbers(args[1]))
        elif target is aten.unsqueeze.default:
            self._emit_view(node, source, codes.UNSQUEEZE, self._axis(source, args[1], 1), [0])
        elif target is aten.squeeze.dim:
            self._emit_view(node, source, codes.SQUEEZE, self._axis(source, args[1]), [0])
        else:
            return False
        return True

    def _order(self, node: fx.Node, dim: int) -> list[int]:
        """Return the source axis of each axis of a transposed tensor."""
        target: Any = node.target
        args: Any = node.args
        order = list(range(dim))
        if target is aten.permute.default:
            return [axis % dim for axis in args[1]]
        if target in (aten.transpose.int, aten.mT.default):
            a, b = (axis % dim for axis in (args[1:] or (-2, -1)))
            order[a], order[b] = b, a
            return order
        return order[::-1]

    def _lower_split(self, node: fx.Node) -> None:
        """Prepare the parts of a split: each is a view, emitted at its `getitem`."""
        args: Any = node.args
        source = args[0]
        values = self._traced.values[node]
        place = 1 if node.target is aten.unbind.int else 2
        axis = self._axis(source, args[place] if len(args) > place else 0)
        if any(isinstance(each, fx.Node) for each in torch.utils._pytree.tree_leaves(node.args[1:])):
            raise NotTraceable(f"{node.target} has parts that depend on the number of tokens")
        parts: list[Any] = []
        first = 0
        for i, value in enumerate(values):
            if node.target is aten.unbind.int:
                parts.append(self._part(source, codes.SELECT, axis, [i]))
                continue
            size = value.shape[axis]
            parts.append(self._part(source, codes.SLICE, axis, [first, first + size, 1]))
            first += size
        self._items[node] = parts

    def _part(self, source: fx.Node, opcode: int, axis: int, numbers: list[int]) -> Callable[[fx.Node], None]:
        return lambda node: self._emit_view(node, source, opcode, axis, self._numbers(numbers))

    def _lower_pointwise(self, node: fx.Node) -> bool:
        """Lower a node to arithmetic instructions. Return False if there are none for it."""
        target: Any = node.target
        args: Any = node.args
        value = self._traced.values.get(node)
        if not isinstance(value, Tensor) or value.dtype not in codes.COMPUTED:
            return False
        if any(
            self._value(each).dtype not in codes.COMPUTED for each in node.all_input_nodes if each not in self._symbols
        ):
            return False
        if target in codes.ARITHMETIC:
            arithmetic = codes.ARITHMETIC[target]
            if set(node.kwargs) - {"alpha"} or _option(node, "alpha") not in (None, 1):
                return False
            if not value.is_floating_point() and arithmetic in (codes.DIVIDE, codes.RECIPROCAL):
                return False
            operands = args[: 3 if arithmetic == codes.WHERE else 2]
            if not all(isinstance(each, (fx.Node, int, float)) for each in operands):
                return False
            reversed_ = target in (aten.rsub.Tensor, aten.rsub.Scalar)
            promoted = self._promote(node, arithmetic, operands[::-1] if reversed_ else operands)
            if promoted is None:
                return False
            self._emit_pointwise(codes.POINTWISE, node, arithmetic, promoted)
        elif target in codes.CONVERSIONS and _option(node, "memory_format") in codes.FORMATS:
            plain = target is aten.contiguous.default or _option(node, "memory_format") == torch.contiguous_format
            self._emit_pointwise(codes.POINTWISE, node, codes.CONVERT, args[:1], int(plain))
        elif target in codes.IN_PLACE and len(args) == 2 and not node.kwargs:
            promoted = self._promote(node, codes.IN_PLACE[target], args)
            if promoted is None:
                return False
            written = self._registers[args[0]]
            self._emit_pointwise(codes.POINTWISE, node, codes.IN_PLACE[target], promoted)
            self._emit(
                codes.COPY_INTO,
                [],
                [written, self._registers[node]],
                [0, 0, 0, 2, 0, written, 0, self._registers[node]],
            )
            self._registers[node] = written
        elif target is aten.masked_fill.Scalar:
            self._emit_pointwise(codes.POINTWISE, node, codes.WHERE, [args[1], args[2], args[0]])
        elif target is aten.pow.Tensor_Scalar and args[1] in codes.POWERS and value.is_floating_point():
            if args[1] != 2 and value.dtype == torch.float16:
                return False  # torch rounds these powers of float16 once, at the end
            self._emit_power(node)
        elif target in codes.LIMITS:
            limits = zip(codes.LIMITS[target], (*args[1:], None), strict=False)
            bounds = [(arithmetic, limit) for arithmetic, limit in limits if limit is not None]
            if node.kwargs or not value.is_floating_point() or any(isinstance(limit, fx.Node) for _, limit in bounds):
                return False
            source = args[0]
            for arithmetic, limit in bounds:
                self._emit_pointwise(codes.POINTWISE, node, arithmetic, [source, limit])
                source = node
        elif target is aten.copy_.default:
            written, source = (self._registers[each] for each in args[:2])
            self._emit(codes.COPY_INTO, [], [written, source], [0, 0, 0, 2, 0, written, 0, source])
            self._registers[node] = written
        elif target is aten.cat.default:
            nodes: Any = args[0]
            axis = self._axis(node, args[1] if len(args) > 1 else 0)
            if any(self._value(each).dim() != value.dim() for each in nodes):
                return False
            self._emit_pointwise(codes.CAT, node, codes.CONVERT, nodes, axis)
        else:
            return False
        return True

    def _emit_power(self, node: fx.Node) -> None:
        """Emit a power as torch computes it: by products that are rounded one by one."""
        args: Any = node.args
        x, exponent = args
        if exponent == -1:
            return self._emit_pointwise(codes.POINTWISE, node, codes.RECIPROCAL, [x])
        self._emit_pointwise(codes.POINTWISE, node, codes.MULTIPLY, [x, x])
        if exponent == 3:
            self._emit_pointwise(codes.POINTWISE, node, codes.MULTIPLY, [node, x])

    def _promote(self, node: fx.Node, arithmetic: int, operands: Sequence[Any]) -> list[Any] | None:
        """Return the operands in the dtype that torch computes in, or None if that depends on their element counts.

        torch rounds operands to the common dtype, except a scalar that a float16 or bfloat16 tensor is multiplied or
        divided by: that stays float32.
        """
        if arithmetic == codes.WHERE:
            return list(operands)
        if any(each in self._symbols for each in operands if isinstance(each, fx.Node)):
            raise NotTraceable(f"{node.target} computes with the number of tokens")
        values = [self._value(each) if isinstance(each, fx.Node) else each for each in operands]
        common = torch.result_type(*values) if len(values) > 1 else values[0].dtype
        if arithmetic in (codes.DIVIDE, codes.RECIPROCAL) and not common.is_floating_point:
            common = self._value(node).dtype
        found: list[Any] = []
        for i, (each, value) in enumerate(zip(operands, values, strict=True)):
            factor = common in codes.NARROW and i == 1 and arithmetic in (codes.MULTIPLY, codes.DIVIDE)
            if not isinstance(value, Tensor):
                found.append(each if factor or common not in codes.NARROW else torch.tensor(each, dtype=common).item())
                continue
            if factor and value.dtype != common and value.dim():
                return None  # torch keeps one element as float32, and rounds several
            into = torch.float32 if factor else common
            exact = value.dtype in (common, torch.bool) or (value.is_floating_point() and into not in codes.NARROW)
            found.append(each if exact or not into.is_floating_point else self._convert(each, into))
        return found

    def _convert(self, node: fx.Node, dtype: torch.dtype) -> _Register:
        register, source = self._new_register(None), self._registers[node]
        self._emit(codes.POINTWISE, [register], [source], [codes.CONVERT, codes.DTYPES[dtype], 0, 1, 0, source])
        return _Register(register)

    def _emit_pointwise(
        self, opcode: int, node: fx.Node, arithmetic: int, operands: Sequence[Any], axis: int = 0
    ) -> None:
        payload: list[int] = []
        uses = []
        for each in operands:
            if isinstance(each, (fx.Node, _Register)) and each not in self._symbols:
                uses.append(each.number if isinstance(each, _Register) else self._registers[each])
                payload += [0, uses[-1]]
            elif isinstance(each, fx.Node):
                raise NotTraceable(f"{node.target} computes with the number of tokens")
            else:
                payload += [1, _bits(each)]
        dtype = codes.DTYPES[self._value(node).dtype]
        self._emit(opcode, [self._new_register(node)], uses, [arithmetic, dtype, axis, len(operands), *payload])

    def _emit_call(self, node: fx.Node) -> None:
        """Emit a call of an operator with all arguments of its schema."""
        target, positional = self._tensor_overload(node)
        args: Any = list(positional)
        kwargs = dict(node.kwargs)
        for i, scalar in self._scalar_arguments(node).items():
            args[i] = _Register(self._scalars[scalar])
        if target is aten.index.Tensor and len(args[1]) == 1:
            index = args[1][0]
            if self._value(index).dim() == 1 and self._value(index).dtype == torch.int64:
                target, args, kwargs = aten.index_select.default, [args[0], 0, index], {}
        if target in codes.SCATTERS:
            target, args = codes.SCATTERS[target], [*args[:3], self._expand_as(args[2], args[3])]
        schema = target._schema
        if any(str(each.type) != "Tensor" for each in schema.returns):
            raise NotTraceable(f"{target} returns more than tensors")
        uses: list[int] = []
        payload: list[int] = []
        for i, argument in enumerate(schema.arguments):
            value = args[i] if i < len(args) else kwargs.get(argument.name, argument.default_value)
            payload += self._argument(target, str(argument.real_type), value, uses)
        name = schema.name
        direct = name.startswith("torchpaged::") and active_backend(name.split("::")[1], "cpu") == "cpp"
        head = [self._name(name), self._name(schema.overload_name), int(direct), len(schema.arguments)]
        results = [self._new_register(None) for _ in schema.returns]
        if len(results) == 1:
            self._registers[node] = results[0]
        else:
            self._items[node] = [self._assign(reg) for reg in results]
        self._emit(codes.CALL, results, uses, head + payload)

    def _expand_as(self, node: fx.Node, number: _Register) -> _Register:
        """Emit the expansion of a 0-d tensor to a node's shape."""
        register, shape = self._new_register(None), self._registers[node]
        name = [self._name("aten::expand_as"), self._name("")]
        self._emit(
            codes.CALL,
            [register],
            [number.number, shape],
            [*name, 0, 2, codes.TENSOR, number.number, codes.TENSOR, shape],
        )
        return _Register(register)

    def _emit_fusion(self, fusion: Fusion) -> None:
        """Emit a fused product: a kernel of the C++ library that is no operator of torch."""
        operands = fusion.operands()
        uses: list[int] = []
        payload = [part for kind, value in operands for part in self._argument("fused_linear", kind, value, uses)]
        results = []
        if (sums := fusion.residual_sums) is not None:
            results.append(self._new_register(None))
            for node in sums:
                self._registers[node] = results[0]
        results.append(self._new_register(fusion.product if fusion.gate is None else fusion.gate))
        if fusion.rotation is not None:
            rotated = [self._new_register(None), self._new_register(None)]
            results += rotated
            self._items[fusion.rotation] = [self._assign(reg) for reg in rotated]
        self._emit(
            codes.CALL,
            results,
            uses,
            [self._name("torchpaged::fused_linear"), self._name(""), 1, len(operands), *payload],
        )
        for view in fusion.views:
            self._lower(view)

    def _assign(self, reg: int) -> Callable[[fx.Node], None]:
        return lambda node: self._registers.__setitem__(node, reg)

    def _argument(self, target: Any, kind: str, value: Any, uses: list[int]) -> list[int]:
        optional = kind.startswith("Optional[")
        plain = kind.removeprefix("Optional[").removesuffix("]") if optional else kind
        if value is None and optional:
            return [codes.NONE]
        if plain == "Tensor":
            if not isinstance(value, (_Register, fx.Node)):
                raise NotTraceable(f"{target} is passed {value} for a tensor")
            uses.append(value.number if isinstance(value, _Register) else self._registers[value])
            return [codes.OPTIONAL_TENSOR if optional else codes.TENSOR, uses[-1]]
        if plain in ("int", "SymInt", "ScalarType"):
            value = codes.DTYPES.get(value, value) if isinstance(value, torch.dtype) else value
            return [codes.OPTIONAL_INT if optional else codes.INT, *self._number(value)]
        if plain == "float":
            return [codes.OPTIONAL_DOUBLE if optional else codes.DOUBLE, _bits(value)]
        if plain == "bool":
            return [codes.OPTIONAL_BOOL if optional else codes.BOOL, int(value)]
        if plain == "str" and not optional and "\n" not in value:  # the library is given all names as lines
            return [codes.STRING, self._name(value)]
        if plain in ("List[int]", "List[SymInt]"):
            return [codes.OPTIONAL_INTS if optional else codes.INTS, *self._numbers(value)]
        if plain == "List[Tensor]" and not optional:
            registers = [self._registers[each] for each in value]
            uses += registers
            return [codes.TENSORS, len(registers), *registers]
        if plain == "List[Optional[Tensor]]" and not optional:
            registers = [-1 if each is None else self._registers[each] for each in value]
            uses += [each for each in registers if each >= 0]
            return [codes.OPTIONAL_TENSORS, len(registers), *registers]
        raise NotTraceable(f"{target} has an argument of type {kind}")


def _scalar_dtype(number: float, others: Sequence[Tensor]) -> torch.dtype:
    """Return the dtype of a 0-d tensor that promotes the other operands as the Python scalar does."""
    if any(each.is_floating_point() or each.is_complex() for each in others):
        return torch.float64
    return torch.result_type(others[0], number) if others else torch.tensor(number).dtype


def _option(node: fx.Node, name: str) -> Any:
    """Return an optional argument of a node's operator; None if it is left out."""
    target: Any = node.target
    places = [argument.name for argument in target._schema.arguments]
    place = places.index(name) if name in places else len(node.args)
    return node.args[place] if place < len(node.args) else node.kwargs.get(name)


def _bits(number: float) -> int:
    """Return the bits of a float64 as an int64."""
    bits: int = struct.unpack("<q", struct.pack("<d", float(number)))[0]
    return bits
