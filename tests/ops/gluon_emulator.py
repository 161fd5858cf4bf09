"""Runs a Gluon kernel's Python on the CPU: partitions as threads in random order, barriers, copies and products that
finish at any moment that the hardware may choose.

    module = load("torchpaged.ops.triton.prefill_sm90", seed=3)     # the file once more, in which launches run here

A tile that is read before it has landed is NaN, and a product may read its operands as late as its wait, so a missing
barrier gives wrong values under some seed; a wait that can never end raises. So does a product of a tile that was
stored without a fence since: it reads shared memory by the asynchronous proxy, which a barrier does not order. Numbers
are torch's: float32 arithmetic, and products of float64 rounded once. Layouts mean nothing here, so bank conflicts and
registers are not seen.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import random
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

# Switches between threads without any progress after which nothing can happen any more.
PATIENCE = 2000


class Deadlock(RuntimeError):
    """No partition can go on, and no copy is under way."""


class Barrier:
    """An mbarrier: a phase ends when all arrivals and all announced bytes have come."""

    def __init__(self) -> None:
        self.count = self.pending = self.bytes = self.phase = 0

    def settle(self) -> None:
        """Begin the next phase if this one is complete."""
        if self.pending == 0 and self.bytes == 0:
            self.phase ^= 1
            self.pending = self.count


@dataclass
class Machine:
    """The threads of one program, of which one runs at a time, and what is under way."""

    random: random.Random
    program: int = 0
    programs: int = 1
    turns: list[threading.Semaphore] = field(default_factory=list)
    live: list[int] = field(default_factory=list)
    copies: list[Callable[[], None]] = field(default_factory=list)
    unfenced: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # addresses that each thread has stored to
    idle: int = 0
    failure: BaseException | None = None

    def run(self, partitions: Sequence[tuple[Callable[..., None], tuple[Any, ...]]]) -> None:
        """Run each partition in a thread of its own until all have returned."""
        self.turns = [threading.Semaphore(0) for _ in partitions]
        self.live = list(range(len(partitions)))
        self.idle, self.failure, self.unfenced = 0, None, {}
        finished = threading.Semaphore(0)

        def body(index: int) -> None:
            self.turns[index].acquire()
            mine.index, mine.products = index, []
            try:
                if self.failure is None:
                    function, arguments = partitions[index]
                    function(*arguments)
                    assert not mine.products, "products that were never waited for"
            except BaseException as error:
                self.failure = self.failure or error
            self.live.remove(index)
            self.idle = 0
            if self.live:
                self.turns[self.random.choice(self.live)].release()
            finished.release()

        threads = [threading.Thread(target=body, args=(index,), daemon=True) for index in self.live]
        for thread in threads:
            thread.start()
        self.turns[self.random.choice(self.live)].release()
        for _ in threads:
            finished.acquire()
        if self.failure is not None:
            raise self.failure
        while self.copies:
            self.copies.pop()()

    def switch(self, progress: bool = True) -> None:
        """Let a copy land, perhaps, and another thread run."""
        self.idle = 0 if progress else self.idle + 1
        if self.copies and (self.random.random() < 0.2 or self.idle > 20):
            self.copies.pop(self.random.randrange(len(self.copies)))()
            self.idle = 0
        if self.idle > PATIENCE and self.failure is None:
            self.failure = Deadlock("every partition waits, and no copy is under way")
        if len(self.live) > 1:
            following = self.random.choice(self.live)
            if following != mine.index:
                self.turns[following].release()
                self.turns[mine.index].acquire()
        if self.failure is not None:
            raise self.failure


mine = threading.local()  # a thread's index, and its products that it has not waited for


@dataclass
class Pointer:
    """An address, or several, in a tensor's elements."""

    elements: Tensor
    offset: Any = 0

    @property
    def dtype(self) -> Any:
        """Return a type that has the elements' as `element_ty`."""
        return types.SimpleNamespace(element_ty=self.elements.dtype)

    def __add__(self, distance: Any) -> Pointer:
        return Pointer(self.elements, self.offset + distance)

    def __getitem__(self, key: Any) -> Pointer:
        return Pointer(self.elements, self.offset[key])


class Shared:
    """A tensor in shared memory."""

    def __init__(self, tensor: Tensor, machine: Machine) -> None:
        self.tensor, self.dtype, self.machine = tensor, tensor.dtype, machine

    def _bytes(self) -> tuple[int, int]:
        begin, size = self.tensor.data_ptr(), self.tensor.element_size()
        last = sum((n - 1) * stride for n, stride in zip(self.tensor.shape, self.tensor.stride(), strict=True))
        return begin, begin + (last + 1) * size

    def of_product(self) -> Tensor:
        """Return the numbers as a product reads them."""
        begin, end = self._bytes()
        stored = (each for stores in self.machine.unfenced.values() for each in stores)
        assert not any(first < end and begin < last for first, last in stored), "a product of a store without a fence"
        return self.tensor

    def index(self, place: Any) -> Shared:
        """Return one of the tensors along the first dimension."""
        assert 0 <= int(place) < len(self.tensor)
        return Shared(self.tensor[int(place)], self.machine)

    def slice(self, first: int, count: int) -> Shared:
        """Return some rows."""
        return Shared(self.tensor[first : first + count], self.machine)

    def _reinterpret(self, dtype: torch.dtype, shape: Sequence[int], layout: Any) -> Shared:
        """Return the first bytes of the memory as something else."""
        count = math.prod(shape)
        return Shared(self.tensor.view(-1).view(dtype)[:count].view(*shape), self.machine)

    def permute(self, order: tuple[int, ...]) -> Shared:
        """Return the same memory with its dimensions in another order."""
        return Shared(self.tensor.permute(order), self.machine)

    def load(self, layout: Any = None) -> Tensor:
        """Return the numbers."""
        return self.tensor.clone()

    def store(self, value: Tensor) -> None:
        """Write the numbers."""
        assert value.shape == self.tensor.shape
        self.tensor.copy_(value)
        self.machine.unfenced.setdefault(mine.index, []).append(self._bytes())


class Barriers(list):
    """Barriers in shared memory."""

    def index(self, place: Any) -> Barrier:  # type: ignore[override]
        """Return one of them."""
        return self[int(place)]


@dataclass
class Product:
    """A product under way: it has read its operands when it was started, or reads them when it is waited for."""

    compute: Callable[[], Tensor]
    value: Tensor | None = None

    def finish(self) -> Tensor:
        """Return the result."""
        if self.value is None:
            self.value = self.compute()
        return self.value


@dataclass
class Descriptor:
    """`TensorDescriptor`: a box of rows and columns of a matrix."""

    base: Tensor
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    layout: Any = None


def _anything(*args: Any, **kwargs: Any) -> None:
    return None


def _unwritten(dtype: torch.dtype) -> float:
    """Return what memory holds before it is written: NaN, as a code too."""
    return 0x7F if dtype == torch.uint8 else torch.nan


def _cast(x: Tensor, dtype: torch.dtype, bitcast: bool = False) -> Tensor:
    if not bitcast:
        return x.to(dtype)
    if x.dtype == torch.int64:  # Python's numbers have made it that
        x = x.to(torch.int32)
    if x.dtype == torch.int32 and dtype == torch.float16:  # `uint16`
        x = (x & 0xFFFF).sub((x & 0x8000) << 1).to(torch.int16)
    return x.view(dtype)


def _tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else torch.as_tensor(value)


class Emulator:
    """The functions that a kernel calls."""

    def __init__(self, seed: int) -> None:
        self.machine = Machine(random.Random(seed))

    def language(self) -> types.SimpleNamespace:
        """Return what a kernel calls `gl`."""

        def load(pointer: Pointer, mask: Any = True, other: Any = 0) -> Tensor:
            offset, mask = torch.broadcast_tensors(_tensor(pointer.offset), _tensor(mask))
            assert not bool((mask & ((offset < 0) | (offset >= pointer.elements.numel()))).any()), "a load outside"
            values = pointer.elements[torch.where(mask, offset, 0)]
            return torch.where(mask, values, torch.as_tensor(other, dtype=values.dtype))

        def store(pointer: Pointer, value: Tensor, mask: Any = True) -> None:
            offset, mask, value = torch.broadcast_tensors(_tensor(pointer.offset), _tensor(mask), value)
            chosen = offset[mask]
            assert not bool(((chosen < 0) | (chosen >= pointer.elements.numel())).any()), "a store outside"
            pointer.elements[chosen] = value[mask].to(pointer.elements.dtype)

        def allocate(dtype: Any, shape: Sequence[int], layout: Any) -> Any:
            if dtype == torch.int64:
                return Barriers(Barrier() for _ in range(shape[0]))
            return Shared(torch.full(tuple(shape), _unwritten(dtype), dtype=dtype), self.machine)

        layouts = (
            "NVMMASharedLayout NVMMADistributedLayout BlockedLayout SliceLayout DotOperandLayout SharedLinearLayout "
            "SwizzledSharedLayout"
        )
        return types.SimpleNamespace(
            **dict.fromkeys(layouts.split(), _anything),
            constexpr=lambda value: value,
            bfloat16=torch.bfloat16,
            float16=torch.float16,
            float32=torch.float32,
            int32=torch.int32,
            int64=torch.int64,
            program_id=lambda axis: torch.tensor(self.machine.program),
            num_programs=lambda axis: torch.tensor(self.machine.programs),
            arange=lambda first, last, layout=None: torch.arange(first, last),
            uint8=torch.uint8,
            uint16=torch.int32,  # torch's has no arithmetic
            float8e4nv=torch.float8_e4m3fn,
            cast=_cast,
            associative_scan=lambda x, axis, add: x.cumsum(axis).to(x.dtype),
            zeros=lambda shape, dtype, layout=None: torch.zeros(shape, dtype=dtype),
            full=lambda shape, value, dtype, layout=None: torch.full(shape, value, dtype=dtype),
            minimum=lambda a, b: torch.minimum(*torch.broadcast_tensors(_tensor(a), _tensor(b))),
            maximum=lambda a, b: torch.maximum(*torch.broadcast_tensors(_tensor(a), _tensor(b))),
            where=lambda mask, a, b: torch.where(_tensor(mask), a, b),
            sum=lambda x, axis: x.sum(axis),
            max=lambda x, axis: x.amax(axis),
            abs=torch.abs,
            exp2=torch.exp2,
            log2=torch.log2,
            cdiv=lambda a, b: (a + b - 1) // b,
            static_range=range,
            load=load,
            store=store,
            convert_layout=lambda x, layout: x,
            allocate_shared_memory=allocate,
            barrier=self.machine.switch,
            warp_specialize=lambda partitions, warps, registers: self.machine.run(partitions),
        )

    def hopper(self) -> types.SimpleNamespace:
        """Return the functions of Hopper's own instructions."""
        machine = self.machine

        def init(barrier: Barrier, count: int) -> None:
            barrier.count = barrier.pending = count

        def wait(barrier: Barrier, phase: Any) -> None:
            while barrier.phase == int(phase):
                machine.switch(progress=False)
            machine.switch()

        def arrive(barrier: Barrier) -> None:
            assert barrier.pending > 0, "more arrivals than a phase has"
            barrier.pending -= 1
            barrier.settle()
            machine.switch()

        def expect(barrier: Barrier, count: int) -> None:
            barrier.bytes += count
            barrier.pending -= 1
            barrier.settle()
            machine.switch()

        def copy(source: Descriptor, place: Sequence[Any], barrier: Barrier, target: Shared) -> None:
            row, column = (int(each) for each in place)
            rows, columns = source.block_shape
            assert target.tensor.shape == (rows, columns)
            assert 0 <= row <= source.shape[0] - rows and 0 <= column <= source.shape[1] - columns, "a copy outside"
            target.tensor.fill_(_unwritten(target.tensor.dtype))

            def land() -> None:
                target.tensor.copy_(source.base[row : row + rows, column : column + columns])
                barrier.bytes -= target.tensor.numel() * target.tensor.element_size()
                barrier.settle()

            machine.copies.append(land)
            machine.switch()

        def multiply(a: Any, b: Shared, acc: Any, use_acc: bool = True, is_async: bool = False) -> Product:
            def compute() -> Tensor:
                left = a.of_product() if isinstance(a, Shared) else a
                result = (left.double() @ b.of_product().double()).float()
                before = acc.finish() if isinstance(acc, Product) else acc  # products end in their order
                return before + result if use_acc else result

            product = Product(compute)
            if machine.random.random() < 0.5:
                product.finish()
            mine.products.append(product)
            machine.switch()
            return product

        def finish(num_outstanding: int, deps: tuple[Any, ...]) -> Any:
            machine.switch()
            while len(mine.products) > num_outstanding:
                mine.products.pop(0).finish()
            values = tuple(
                each.value
                if isinstance(each, Product) and each.value is not None and each not in mine.products
                else each
                for each in deps
            )
            return values if len(values) > 1 else values[0]

        return types.SimpleNamespace(
            fence_async_shared=lambda: machine.unfenced.pop(mine.index, None),
            mbarrier=types.SimpleNamespace(
                MBarrierLayout=_anything, init=init, wait=wait, arrive=arrive, expect=expect
            ),
            tma=types.SimpleNamespace(async_copy_global_to_shared=copy),
            warpgroup_mma=multiply,
            warpgroup_mma_wait=finish,
        )

    def jit(self, function: Callable[..., Any] | None = None, **_: Any) -> Any:
        """Return a kernel: `kernel[grid](...)` runs its programs one after the other."""
        if function is None:
            return self.jit
        return Kernel(function, self.machine)


@dataclass
class Kernel:
    """A function that others call, or that is launched."""

    function: Callable[..., Any]
    machine: Machine

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)

    def __getitem__(self, grid: tuple[int]) -> Callable[..., None]:
        def launch(*args: Any, num_warps: int, enable_fp_fusion: bool, maxnreg: int = 0, **kwargs: Any) -> None:
            assert not enable_fp_fusion
            pointers = [Pointer(_elements(each)) if isinstance(each, Tensor) else each for each in args]
            pointers = [torch.tensor(each) if type(each) is int else each for each in pointers]
            self.machine.programs = grid[0]
            for program in range(grid[0]):
                self.machine.program = program
                self.function(*pointers, **kwargs)

        return launch


def _elements(tensor: Tensor) -> Tensor:
    """Return the elements from a tensor's first on, to which strides apply."""
    size = 1 + sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.as_strided((size,), (1,))


@contextmanager
def _in_place_of(modules: dict[str, types.ModuleType]) -> Iterator[None]:
    """Replace modules, also where a package that was imported before holds one as an attribute."""
    with pytest.MonkeyPatch.context() as patch:
        for name, module in modules.items():
            parent, _, child = name.rpartition(".")
            patch.setattr(importlib.import_module(parent), child, module, raising=False)
            patch.setitem(sys.modules, name, module)
        yield


def load(
    name: str, seed: int = 0, replace: tuple[str, str] | None = None, beside: Sequence[str] = ()
) -> types.ModuleType:
    """Return a module's file once more, with kernels that run here.

    Args:
        seed: of the order in which things happen.
        replace: a text of the file, or of one beside, and what takes its place.
        beside: modules that it imports kernels from.
    """
    emulator = Emulator(seed)
    package = "triton.experimental.gluon"
    contents = {
        package: types.SimpleNamespace(jit=emulator.jit, language=emulator.language()),
        f"{package}.language": emulator.language(),
        f"{package}.language.nvidia": types.SimpleNamespace(),
        f"{package}.language.nvidia.hopper": emulator.hopper(),
        f"{package}.nvidia": types.SimpleNamespace(),
        f"{package}.nvidia.hopper": types.SimpleNamespace(TensorDescriptor=Descriptor),
    }
    modules, replaced = {}, replace is None
    for path, values in contents.items():
        modules[path] = types.ModuleType(path)
        modules[path].__dict__.update(vars(values))
    for each in (*beside, name):
        spec = importlib.util.find_spec(each)
        assert spec is not None and spec.origin is not None
        module = importlib.util.module_from_spec(spec)
        text = Path(spec.origin).read_text()
        if replace is not None and replace[0] in text:
            text, replaced = text.replace(*replace), True
        with _in_place_of(modules):
            exec(compile(text, spec.origin, "exec"), module.__dict__)
        modules[each] = module
    assert replaced, f"no file has {replace}"
    return modules[name]
