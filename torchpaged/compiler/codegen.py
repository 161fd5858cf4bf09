"""A recorded graph as code for the C++ library's replay (csrc/cpu/replay.h): registers, views, arithmetic, calls."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx

from torchpaged.compiler import opcodes as codes
from torchpaged.compiler.fusion import RESHAPES, SPLITS, TRANSPOSES, Fusion, fusions
from torchpaged.compiler.graph import NotRecordable, Recording
from torchpaged.ops import active_backend

aten = torch.ops.aten

# They make a constant of another, whatever the tensor is that says which dtype.
FILLED = (aten.new_ones.default, aten.new_zeros.default, aten.new_full.default)
_LARGEST_CONSTANT = 1 << 20
# Where the work on numbers hides what Python costs, there is nothing to gain: a program is of steps of no more tokens,
# and no more rows, and counts as often as far as when it was recorded.
MOST_TOKENS = 64


@dataclass(frozen=True, slots=True)
class _Register:
    """An argument that no node is."""

    number: int


@dataclass(slots=True)
class _Operator:
    """One line of code: numbers behind those of results and last uses."""

    opcode: int
    results: list[int]
    uses: list[int]
    payload: list[int]


class Lowering:
    """Code of a recording, and the model's tensors that its first registers have.

    Args:
        recording: that returns one tensor.
        sizes: the inputs whose sizes change, or that are numbers, in the order in which a run is told of them.

    Attributes:
        counted: which of these sizes something is counted up to: they may be `MOST_TOKENS` at most.
    """

    def __init__(self, recording: Recording, sizes: Sequence[str]) -> None:
        recording.prune()
        self._recording = recording
        self._registers: dict[fx.Node, int] = {}
        self._symbols: dict[fx.Node, tuple[int, int]] = {}  # (factor, symbol)
        self._roots: dict[int, set[int]] = {}
        self._parts: dict[fx.Node, list[Callable[[fx.Node], None]]] = {}
        self.names: dict[str, int] = {}
        self._lines: list[_Operator] = []
        self._kept_numbers: dict[tuple[torch.dtype, float], int] = {}
        self._counts: dict[fx.Node, int] = {}
        nodes = list(recording.graph.nodes)
        self.constants: list[Tensor] = []
        self._keep_constants(nodes)
        placeholders = recording.placeholders()
        self._size_inputs = [placeholders[name] for name in sizes]
        tensors = [node for node in placeholders.values() if isinstance(recording.values.get(node), Tensor)]
        for i, node in enumerate(self._size_inputs):
            if node not in tensors:
                self._symbols[node] = (1, i)
        self._num_inputs, self._next = len(tensors), len(self.constants)
        for node in tensors:
            self._new(node)
        fused = fusions(recording)
        over = {node for fusion in fused.values() for node in fusion.over}
        for node in nodes:
            if node in self._registers or node in self._unused or node in over:
                continue
            if node in fused:
                self._fuse(fused[node])
            elif node.op == "call_function":
                self._lower(node)
            elif node.op == "output":
                self._result = self._returned(node.args[0])
        self.counted = {self._symbols[node.args[0]][1] for node in self._counts}

    def code(self) -> list[int]:
        """Of the whole program."""
        last = {root: i for i, each in enumerate(self._lines) for reg in each.uses for root in self._rooted(reg)}
        kept = self._rooted(self._result) | set(range(len(self.constants) + self._num_inputs))
        ends: list[list[int]] = [[] for _ in self._lines]
        for reg, place in last.items():
            if reg not in kept:
                ends[place].append(reg)
        code = [self._next, self._num_inputs, self._result]
        for line, over in zip(self._lines, ends, strict=True):
            code += [line.opcode, len(line.results), *line.results, len(over), *over, *line.payload]
        return code

    def _returned(self, result: Any) -> int:
        """The register of the one tensor that is returned."""
        if isinstance(result, (tuple, list)) and len(result) == 1:
            (result,) = result
        if not isinstance(result, fx.Node) or result not in self._registers:
            raise NotRecordable("it returns something other than one tensor")
        register = self._registers[result]
        if result.op == "call_function" and min(self._rooted(register)) < len(self.constants):
            raise NotRecordable("it returns what it makes of no input, which is made once")
        return register

    def _keep_constants(self, nodes: Sequence[fx.Node]) -> None:
        """Gives registers to the model's own tensors, and to small ones that are made of these or of nothing."""
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
                self._counts[node] = len(self.constants)
                self.constants.append(torch.arange(MOST_TOKENS * len(counted), dtype=counted.dtype))
            for dtype, number in self._given_for_tensors(node).values():
                if (dtype, number) not in self._kept_numbers:
                    self._kept_numbers[dtype, number] = len(self.constants)
                    self.constants.append(torch.tensor(number, dtype=dtype))

    def _given_for_tensors(self, node: fx.Node) -> dict[int, tuple[torch.dtype, float]]:
        """The numbers that an operator is given where it takes a tensor, by their places, and the types of tensors that
        stand for them."""
        if node.target in codes.SCATTERS:
            return {3: (self._value(node).dtype, node.args[3])}  # type: ignore[dict-item]
        target, args = self._of_tensors(node)
        if not isinstance(target, torch._ops.OpOverload):
            return {}
        given = enumerate(zip(target._schema.arguments, args, strict=False))
        numbers = {i: x for i, (each, x) in given if str(each.type) == "Tensor" and isinstance(x, (int, float))}
        values = (self._recording.values.get(each) for each in node.all_input_nodes)
        tensors = [each for each in values if isinstance(each, Tensor)]
        return {i: (_type_of(x, tensors), x) for i, x in numbers.items()}

    def _of_tensors(self, node: fx.Node) -> tuple[Any, tuple[Any, ...]]:
        """The operator that is called for a node, and its positional arguments: one for tensors, if there is one."""
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
        value, target = self._recording.values.get(node), node.target
        if not isinstance(value, Tensor) or not isinstance(target, torch._ops.OpOverload) or target._schema.is_mutable:
            return False
        if torch.Tag.nondeterministic_seeded in target.tags or value.nbytes > _LARGEST_CONSTANT:
            return False
        inputs = set(node.all_input_nodes)
        if target in FILLED:
            inputs -= {node.args[0]}  # it says which dtype alone
        return inputs <= known and self._recording.is_stable(node)

    def _rooted(self, reg: int) -> set[int]:
        """The registers whose tensors a register's view lies in, itself if it has one of its own."""
        return self._roots.get(reg, {reg})

    def _new(self, node: fx.Node | None) -> int:
        reg, self._next = self._next, self._next + 1
        if node is not None:
            self._registers[node] = reg
        return reg

    def _put(self, opcode: int, results: list[int], uses: Iterable[int], payload: list[int]) -> None:
        # What nobody reads afterwards ends where it is made.
        self._lines.append(_Operator(opcode, results, [*uses, *results], payload))

    def _name(self, name: str) -> int:
        return self.names.setdefault(name, len(self.names))

    def _value(self, node: Any) -> Tensor:
        value = self._recording.values[node]
        if not isinstance(value, Tensor):
            raise NotRecordable(f"{node} is no tensor")
        return value

    # --- Numbers

    def _number(self, value: Any) -> list[int]:
        """(value, symbol) of an int."""
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
            self._parts[args[0]][args[1]](node)
        elif not isinstance(target, torch._ops.OpOverload):
            raise NotRecordable(f"it calls {target}")
        elif target in SPLITS:
            self._split(node)
        elif not self._view(node) and not self._computed(node):
            self._call(node)

    def _view_of(self, node: fx.Node, source: fx.Node, opcode: int, axis: int, numbers: list[int]) -> None:
        reg, before = self._new(node), self._registers[source]
        self._roots[reg] = self._rooted(before) | ({reg} if opcode == codes.RESHAPE else set())
        self._put(opcode, [reg], [before], [before, axis, *numbers])

    def _axis(self, source: fx.Node, axis: int, more: int = 0) -> int:
        return axis % (self._value(source).dim() + more)

    def _view(self, node: fx.Node) -> bool:
        """Whether it is one of the views that are known here."""
        target: Any = node.target
        args: Any = node.args
        if not args or not isinstance(args[0], fx.Node) or not isinstance(self._recording.values.get(node), Tensor):
            return False
        if target is aten.arange.default and node in self._counts:
            reg = self._new(node)
            self._roots[reg] = {self._counts[node]}
            numbers = self._numbers([0, args[0], 1])
            self._put(codes.SLICE, [reg], [self._counts[node]], [self._counts[node], 0, *numbers])
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
            self._view_of(node, source, codes.RESHAPE, 0, self._numbers(args[1]))
        elif target is aten.slice.Tensor:
            given: list[Any] = [*args[1:], *(0, None, None, 1)[len(args) - 1 :]]
            axis, start, end, step = given
            numbers = self._numbers([start or 0, torch.iinfo(torch.int64).max if end is None else end, step])
            self._view_of(node, source, codes.SLICE, self._axis(source, axis), numbers)
        elif target is aten.select.int:
            self._view_of(node, source, codes.SELECT, self._axis(source, args[1]), self._numbers([args[2]]))
        elif target in TRANSPOSES:
            self._view_of(node, source, codes.PERMUTE, 0, self._numbers(self._order(node, value.dim())))
        elif target is aten.expand.default:
            self._view_of(node, source, codes.EXPAND, 0, self._numbers(args[1]))
        elif target is aten.unsqueeze.default:
            self._view_of(node, source, codes.UNSQUEEZE, self._axis(source, args[1], 1), [0])
        elif target is aten.squeeze.dim:
            self._view_of(node, source, codes.SQUEEZE, self._axis(source, args[1]), [0])
        else:
            return False
        return True

    def _order(self, node: fx.Node, dim: int) -> list[int]:
        """The source's axis of each of a transposed tensor's."""
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

    def _split(self, node: fx.Node) -> None:
        """Its parts are views, each made where it is taken."""
        args: Any = node.args
        source = args[0]
        values = self._recording.values[node]
        place = 1 if node.target is aten.unbind.int else 2
        axis = self._axis(source, args[place] if len(args) > place else 0)
        if any(isinstance(each, fx.Node) for each in torch.utils._pytree.tree_leaves(node.args[1:])):
            raise NotRecordable(f"{node.target} has parts that depend on the number of tokens")
        parts: list[Any] = []
        first = 0
        for i, value in enumerate(values):
            if node.target is aten.unbind.int:
                parts.append(self._part(source, codes.SELECT, axis, [i]))
                continue
            size = value.shape[axis]
            parts.append(self._part(source, codes.SLICE, axis, [first, first + size, 1]))
            first += size
        self._parts[node] = parts

    def _part(self, source: fx.Node, opcode: int, axis: int, numbers: list[int]) -> Callable[[fx.Node], None]:
        return lambda node: self._view_of(node, source, opcode, axis, self._numbers(numbers))

    def _computed(self, node: fx.Node) -> bool:
        """Whether it is arithmetic that is known here."""
        target: Any = node.target
        args: Any = node.args
        value = self._recording.values.get(node)
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
            turned = target in (aten.rsub.Tensor, aten.rsub.Scalar)
            given = self._as_computed(node, arithmetic, operands[::-1] if turned else operands)
            if given is None:
                return False
            self._pointwise(codes.POINTWISE, node, arithmetic, given)
        elif target in codes.CONVERSIONS and _option(node, "memory_format") in codes.FORMATS:
            plain = target is aten.contiguous.default or _option(node, "memory_format") == torch.contiguous_format
            self._pointwise(codes.POINTWISE, node, codes.CONVERT, args[:1], int(plain))
        elif target in codes.IN_PLACE and len(args) == 2 and not node.kwargs:
            given = self._as_computed(node, codes.IN_PLACE[target], args)
            if given is None:
                return False
            written = self._registers[args[0]]
            self._pointwise(codes.POINTWISE, node, codes.IN_PLACE[target], given)
            self._put(
                codes.COPY_INTO,
                [],
                [written, self._registers[node]],
                [0, 0, 0, 2, 0, written, 0, self._registers[node]],
            )
            self._registers[node] = written
        elif target is aten.masked_fill.Scalar:
            self._pointwise(codes.POINTWISE, node, codes.WHERE, [args[1], args[2], args[0]])
        elif target is aten.pow.Tensor_Scalar and args[1] in codes.POWERS and value.is_floating_point():
            if args[1] != 2 and value.dtype == torch.float16:
                return False  # torch rounds it once
            self._power(node)
        elif target in codes.LIMITS:
            limits = zip(codes.LIMITS[target], (*args[1:], None), strict=False)
            bounds = [(arithmetic, limit) for arithmetic, limit in limits if limit is not None]
            if node.kwargs or not value.is_floating_point() or any(isinstance(limit, fx.Node) for _, limit in bounds):
                return False
            source = args[0]
            for arithmetic, limit in bounds:
                self._pointwise(codes.POINTWISE, node, arithmetic, [source, limit])
                source = node
        elif target is aten.copy_.default:
            written, source = (self._registers[each] for each in args[:2])
            self._put(codes.COPY_INTO, [], [written, source], [0, 0, 0, 2, 0, written, 0, source])
            self._registers[node] = written
        elif target is aten.cat.default:
            nodes: Any = args[0]
            axis = self._axis(node, args[1] if len(args) > 1 else 0)
            if any(self._value(each).dim() != value.dim() for each in nodes):
                return False
            self._pointwise(codes.CAT, node, codes.CONVERT, nodes, axis)
        else:
            return False
        return True

    def _power(self, node: fx.Node) -> None:
        """As torch computes those that it has no function for: each product is rounded."""
        args: Any = node.args
        x, exponent = args
        if exponent == -1:
            return self._pointwise(codes.POINTWISE, node, codes.RECIPROCAL, [x])
        self._pointwise(codes.POINTWISE, node, codes.MULTIPLY, [x, x])
        if exponent == 3:
            self._pointwise(codes.POINTWISE, node, codes.MULTIPLY, [node, x])

    def _as_computed(self, node: fx.Node, arithmetic: int, operands: Sequence[Any]) -> list[Any] | None:
        """Operands in the type that torch computes in; None where that depends on how many elements they have.

        torch rounds them to it, but for a number that a narrow tensor is multiplied with or divided by.
        """
        if arithmetic == codes.WHERE:
            return list(operands)
        if any(each in self._symbols for each in operands if isinstance(each, fx.Node)):
            raise NotRecordable(f"{node.target} computes with the number of tokens")
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
                return None  # one number is no narrow one, several are
            into = torch.float32 if factor else common
            exact = value.dtype in (common, torch.bool) or (value.is_floating_point() and into not in codes.NARROW)
            found.append(each if exact or not into.is_floating_point else self._into(each, into))
        return found

    def _into(self, node: fx.Node, dtype: torch.dtype) -> _Register:
        register, source = self._new(None), self._registers[node]
        self._put(codes.POINTWISE, [register], [source], [codes.CONVERT, codes.DTYPES[dtype], 0, 1, 0, source])
        return _Register(register)

    def _pointwise(self, opcode: int, node: fx.Node, arithmetic: int, operands: Sequence[Any], axis: int = 0) -> None:
        payload: list[int] = []
        uses = []
        for each in operands:
            if isinstance(each, (fx.Node, _Register)) and each not in self._symbols:
                uses.append(each.number if isinstance(each, _Register) else self._registers[each])
                payload += [0, uses[-1]]
            elif isinstance(each, fx.Node):
                raise NotRecordable(f"{node.target} computes with the number of tokens")
            else:
                payload += [1, _bits(each)]
        dtype = codes.DTYPES[self._value(node).dtype]
        self._put(opcode, [self._new(node)], uses, [arithmetic, dtype, axis, len(operands), *payload])

    def _call(self, node: fx.Node) -> None:
        """Any other operator, with all arguments of its schema."""
        target, given = self._of_tensors(node)
        args: Any = list(given)
        kwargs = dict(node.kwargs)
        for i, kept in self._given_for_tensors(node).items():
            args[i] = _Register(self._kept_numbers[kept])
        if target is aten.index.Tensor and len(args[1]) == 1:
            index = args[1][0]
            if self._value(index).dim() == 1 and self._value(index).dtype == torch.int64:
                target, args, kwargs = aten.index_select.default, [args[0], 0, index], {}
        if target in codes.SCATTERS:
            target, args = codes.SCATTERS[target], [*args[:3], self._like(args[2], args[3])]
        schema = target._schema
        if any(str(each.type) != "Tensor" for each in schema.returns):
            raise NotRecordable(f"{target} returns more than tensors")
        uses: list[int] = []
        payload: list[int] = []
        for i, argument in enumerate(schema.arguments):
            value = args[i] if i < len(args) else kwargs.get(argument.name, argument.default_value)
            payload += self._argument(target, str(argument.real_type), value, uses)
        name = schema.name
        direct = name.startswith("torchpaged::") and active_backend(name.split("::")[1], "cpu") == "cpp"
        head = [self._name(name), self._name(schema.overload_name), int(direct), len(schema.arguments)]
        results = [self._new(None) for _ in schema.returns]
        if len(results) == 1:
            self._registers[node] = results[0]
        else:
            self._parts[node] = [self._taken(reg) for reg in results]
        self._put(codes.CALL, results, uses, head + payload)

    def _like(self, node: fx.Node, number: _Register) -> _Register:
        """A number as often as a node has elements, in its shape."""
        register, shape = self._new(None), self._registers[node]
        name = [self._name("aten::expand_as"), self._name("")]
        self._put(
            codes.CALL,
            [register],
            [number.number, shape],
            [*name, 0, 2, codes.TENSOR, number.number, codes.TENSOR, shape],
        )
        return _Register(register)

    def _fuse(self, fusion: Fusion) -> None:
        """A product with its neighbours: a kernel that torch knows no operator of."""
        operands = fusion.operands()
        uses: list[int] = []
        payload = [part for kind, value in operands for part in self._argument("fused_linear", kind, value, uses)]
        results = []
        if (sums := fusion.residual_sums) is not None:
            results.append(self._new(None))
            for node in sums:
                self._registers[node] = results[0]
        results.append(self._new(fusion.product if fusion.gate is None else fusion.gate))
        if fusion.rotation is not None:
            rotated = [self._new(None), self._new(None)]
            results += rotated
            self._parts[fusion.rotation] = [self._taken(reg) for reg in rotated]
        self._put(
            codes.CALL,
            results,
            uses,
            [self._name("torchpaged::fused_linear"), self._name(""), 1, len(operands), *payload],
        )
        for view in fusion.behind:
            self._lower(view)

    def _taken(self, reg: int) -> Any:
        def take(node: fx.Node) -> None:
            self._registers[node] = reg

        return take

    def _argument(self, target: Any, kind: str, value: Any, uses: list[int]) -> list[int]:
        optional = kind.startswith("Optional[")
        plain = kind.removeprefix("Optional[").removesuffix("]") if optional else kind
        if value is None and optional:
            return [codes.NONE]
        if plain == "Tensor":
            if not isinstance(value, (_Register, fx.Node)):
                raise NotRecordable(f"{target} is given {value} for a tensor")
            uses.append(value.number if isinstance(value, _Register) else self._registers[value])
            return [codes.OPTIONAL_TENSOR if optional else codes.TENSOR, uses[-1]]
        if plain in ("int", "SymInt", "ScalarType"):
            value = codes.DTYPES.get(value, value) if isinstance(value, torch.dtype) else value
            return [codes.OPTIONAL_INT if optional else codes.INT, *self._number(value)]
        if plain == "float":
            return [codes.OPTIONAL_DOUBLE if optional else codes.DOUBLE, _bits(value)]
        if plain == "bool":
            return [codes.OPTIONAL_BOOL if optional else codes.BOOL, int(value)]
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
        raise NotRecordable(f"{target} has an argument of type {kind}")


def _type_of(number: float, beside: Sequence[Tensor]) -> torch.dtype:
    """Of a tensor without dimensions that changes the type of none beside it but as the number does."""
    if any(each.is_floating_point() or each.is_complex() for each in beside):
        return torch.float64
    return torch.result_type(beside[0], number) if beside else torch.tensor(number).dtype


def _option(node: fx.Node, name: str) -> Any:
    """An argument that may be left out; None: it is."""
    target: Any = node.target
    places = [argument.name for argument in target._schema.arguments]
    place = places.index(name) if name in places else len(node.args)
    return node.args[place] if place < len(node.args) else node.kwargs.get(name)


def _bits(number: float) -> int:
    """Of a float64, as an int64."""
    bits: int = struct.unpack("<q", struct.pack("<d", float(number)))[0]
    return bits
