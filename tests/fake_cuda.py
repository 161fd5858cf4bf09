"""CUDA devices simulated in the CPU's memory: they record locations, waits of the host, and captured operators.

Tensors are the CPU's own, `Tensor.device` says where they would lie. What the real device would make a program wait
for is counted, or refused as torch's sync debug mode does; what arrives later there (a copy to pinned memory) arrives
later here. A graph is a record of the operators that ran in it, replayed on the tensors that it saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# Functions that read a value from the device.
_READS = {"item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__index__", "__array__", "__contains__"}
# Functions whose result has a size that depends on values.
_SIZED_BY_VALUES = {"nonzero", "unique", "masked_select", "unique_consecutive", "argwhere", "bincount"}
_PRODUCTS = {"linear", "matmul", "mm", "bmm", "addmm", "__matmul__"}
# Functions that need no values.
_ABOUT_TENSORS = {
    *("__get__", "__set__", "data_ptr", "stride", "size", "untyped_storage", "dim", "numel", "storage_offset"),
    *("element_size", "is_contiguous", "is_floating_point", "_has_compatible_shallow_copy_type", "__len__"),
}
# Content of pinned memory until the copy to it has arrived.
_NOT_YET = 77


class Stream:
    """Stream whose operators complete in the order of their numbers, those up to `done` for certain."""

    def __init__(self, cuda: FakeCuda, index: int) -> None:
        self.cuda, self.index = cuda, index

    def synchronize(self) -> None:
        self.cuda.wait("stream.synchronize")

    def wait_stream(self, other: Stream) -> None:
        pass


class Event:
    """Event at a position in the stream. An operator takes a millisecond of the device's clock."""

    cuda: FakeCuda

    def __init__(self, enable_timing: bool = False) -> None:
        self.timed = enable_timing
        self.mark = 0
        self.device = torch.device("cuda", self.cuda.current)

    def record(self, stream: Stream | None = None) -> None:
        assert not self.cuda.capturing, "an event recorded in a graph"
        self.cuda.contexts.add(self.cuda.current)
        self.device = torch.device("cuda", self.cuda.current)
        self.mark = self.cuda.issue()

    def query(self) -> bool:
        self.cuda.contexts.add(self.cuda.current)
        return self.mark <= self.cuda.done

    def synchronize(self) -> None:
        if not self.query():
            self.cuda.wait("event.synchronize", self.mark)

    def elapsed_time(self, end: Event) -> float:
        assert self.timed and end.timed and self.query() and end.query(), "not ready"
        return float(end.mark - self.mark)


class Graph:
    """Operations recorded during a capture, with their tensors."""

    cuda: FakeCuda

    def __init__(self) -> None:
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []
        self.workspaces: set[str] = set()  # where the workspaces of its matrix products are
        self.error_mode = ""
        self.replays = 0

    def replay(self) -> None:
        self.replays += 1
        self.cuda.issue()
        with torch._C.DisableTorchFunction():
            self._run()

    def _run(self) -> None:
        for function, arguments, options, recorded in self.calls:
            result = function(*arguments, **options)
            for old, new in zip(tree_leaves(recorded), tree_leaves(result), strict=True):
                if isinstance(old, Tensor) and old.data_ptr() != new.data_ptr():
                    old.copy_(new)


class _Recorder(TorchDispatchMode):
    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        self.graph.calls.append((func, args, kwargs, result))
        return result


class FakeCuda(TorchFunctionMode):
    """Fake CUDA devices while it is entered; the test patches `torch.cuda`.

    Attributes:
        current: the index of the current device.
        contexts: devices on which anything was done.
        waits: names of the operations that waited, in order.
        refuses: whether waiting raises.
        graphs: captured graphs.
        workspaces: place of cuBLAS' workspace by stream: "graphs" if it is in their memory, or "outside".
        total: bytes of the devices; 0: not counted.
        peak: the most bytes in use since `reset_peak_memory_stats`.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, total: int = 0) -> None:
        super().__init__()
        self.current, self.contexts, self.total = 0, set[int](), total
        self.waits: list[str] = []
        self.refuses, self.capturing = False, False
        self.graphs: list[Graph] = []
        self.issued = self.done = self.peak = 0
        self._places: dict[int, tuple[StorageWeakRef, int | str]] = {}  # by storage: a device's index, or "pinned"
        self._arriving: list[tuple[Tensor, Tensor]] = []  # (in pinned memory, what it will hold)
        self.workspaces: dict[Stream, str] = {}
        self._stream = Stream(self, 0)
        self._patch(monkeypatch)

    # --- torch.cuda -----------------------------------------------------------------------------------------

    def _patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        cuda = self
        event, new_graph = (type(of.__name__, (of,), {"cuda": self}) for of in (Event, Graph))

        class graph:
            def __init__(
                self, graph: Graph, pool: Any = None, stream: Any = None, capture_error_mode: str = "global"
            ) -> None:
                graph.error_mode = capture_error_mode
                self.graph, self.stream, self.recorder = graph, cuda.stream(stream), _Recorder(graph)

            def __enter__(self) -> None:
                cuda.wait("torch.cuda.graph")
                self.stream.__enter__()
                cuda.capturing = True
                cuda.graphs.append(self.graph)
                self.recorder.__enter__()

            def __exit__(self, *error: Any) -> None:
                self.recorder.__exit__(*error)
                cuda.capturing = False
                self.stream.__exit__(*error)

        for name, value in {
            "current_device": lambda: cuda.current,
            "device": self.on,
            "Event": event,
            "Stream": lambda *_: Stream(cuda, cuda.current),
            "stream": self.stream,
            "current_stream": lambda *_: cuda._stream,
            "synchronize": lambda *_: cuda.wait("torch.cuda.synchronize"),
            "CUDAGraph": new_graph,
            "graph": graph,
            "graph_pool_handle": lambda: (0, 1),
            "is_current_stream_capturing": lambda: cuda.capturing,
            "get_sync_debug_mode": lambda: 2 * cuda.refuses,
            "set_sync_debug_mode": lambda mode: setattr(cuda, "refuses", mode in (2, "error")),
            "empty_cache": lambda: None,
            "mem_get_info": lambda *_: (cuda.total - cuda.allocated(), cuda.total),
            "memory_allocated": lambda *_: cuda.allocated(),
            "max_memory_allocated": lambda *_: cuda.peak,
            "reset_peak_memory_stats": lambda *_: setattr(cuda, "peak", cuda.allocated()),
        }.items():
            monkeypatch.setattr(torch.cuda, name, value)
        monkeypatch.setattr(torch._C, "_cuda_clearCublasWorkspaces", self.workspaces.clear, raising=False)

    @contextmanager
    def on(self, device: torch.device | int) -> Iterator[None]:
        """Implement `torch.cuda.device`."""
        before, self.current = self.current, device if isinstance(device, int) else device.index or 0
        self.contexts.add(self.current)
        try:
            yield
        finally:
            self.current = before

    @contextmanager
    def stream(self, stream: Stream) -> Iterator[None]:
        """Implement `torch.cuda.stream`."""
        before, self._stream = self._stream, stream
        try:
            yield
        finally:
            self._stream = before

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Make every wait inside the block raise."""
        before, self.refuses = self.refuses, True
        try:
            yield
        finally:
            self.refuses = before

    # --- Time and memory ------------------------------------------------------------------------------------

    def issue(self) -> int:
        """Issue one more operator to the device; return its number."""
        self.issued += 1
        return self.issued

    def wait(self, reason: str, mark: int | None = None) -> None:
        """Let the host wait until the device has completed the issued work."""
        if self.refuses or self.capturing:
            raise RuntimeError(f"called a synchronizing CUDA operation: {reason}")
        self.waits.append(reason)
        self.done = self.issued if mark is None else mark
        self.arrive()

    @torch.inference_mode()
    def arrive(self) -> None:
        """Complete all copies to pinned memory."""
        arriving, self._arriving = self._arriving, []
        with torch._C.DisableTorchFunction():
            for target, value in arriving:
                target.copy_(value)

    def allocated(self) -> int:
        """Return the bytes allocated on all devices."""
        self._places = {key: place for key, place in self._places.items() if not place[0].expired()}
        storages = (ref for ref, place in self._places.values() if place != "pinned")
        return sum(torch.UntypedStorage._new_with_weak_ptr(ref.cdata).nbytes() for ref in storages)

    def place(self, tensor: Tensor) -> int | str | None:
        """Return a device's index, "pinned", or None for pageable memory of the host."""
        found = self._places.get(tensor.untyped_storage()._cdata)
        return None if found is None else found[1]

    def _put(self, result: Any, place: int | str) -> Any:
        fresh = False
        for tensor in (leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)):
            storage = tensor.untyped_storage()
            if storage._cdata not in self._places:
                self._places[storage._cdata] = (StorageWeakRef(storage), place)
                fresh = True
        if fresh and (self.total or len(self._places) > 5000):
            self.peak = max(self.peak, self.allocated())
        return result

    # --- Operators ------------------------------------------------------------------------------------------

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        name = (resolve_name(func) or getattr(func, "__name__", "")).rpartition(".")[2]
        if func == Tensor.device.__get__:  # type: ignore[attr-defined]
            place = self.place(args[0])
            return torch.device("cuda", place) if isinstance(place, int) else torch.device("cpu")
        if name == "is_pinned":
            return self.place(args[0]) == "pinned"
        if name in _ABOUT_TENSORS:
            return func(*args, **kwargs)
        if name in ("to", "cuda", "cpu"):
            return self._to(name, args, kwargs)
        if name == "copy_":
            return self._copy(*args, **kwargs)
        if name in ("copy_blocks", "swap_blocks"):
            return self._copy_blocks(func, name, *args, **kwargs)
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        places = {place for tensor in tensors if isinstance(place := self.place(tensor), int)}
        if "device" in kwargs or kwargs.get("pin_memory"):
            return self._make(func, name, places, args, kwargs)
        if not places:
            return func(*args, **kwargs)
        if name in _READS | _SIZED_BY_VALUES or (name in ("__getitem__", "__setitem__") and _by_values(args[1])):
            self.wait(name)
            return func(*args, **kwargs) if name in _READS else self._put(func(*args, **kwargs), places.pop())
        assert len(places) == 1, f"{name}: tensors on devices {places}"
        hosts = [t for t in tensors if not isinstance(self.place(t), int) and t.dim()]
        assert not hosts, f"{name}: tensors of the host and of the device"
        if name in _PRODUCTS:
            self.workspaces.setdefault(self._stream, "graphs" if self.capturing else "outside")
            if self.capturing:
                self.graphs[-1].workspaces.add(self.workspaces[self._stream])
        self.issue()
        return self._put(func(*args, **kwargs), places.pop())

    def _make(self, func: Any, name: str, places: set[int], args: Any, kwargs: dict[str, Any]) -> Any:
        """Create a new tensor on the device that its arguments name."""
        target = kwargs.pop("device", None)
        device = None if target is None else torch.device(target)
        if kwargs.pop("pin_memory", False):
            assert device is None or device.type == "cpu", "only the host's memory is pinned"
            self.contexts.add(self.current)
            return self._put(func(*args, **kwargs), "pinned")
        if device is None and places:
            return self._put(func(*args, **kwargs), places.pop())
        if device is None or device.type == "cpu":
            return func(*args, **kwargs)
        if name in ("tensor", "as_tensor"):
            self.wait(f"torch.{name} of a list")
        self.issue()
        index = self.current if device.index is None else device.index
        self.contexts.add(index)
        return self._put(func(*args, **kwargs), index)

    def _to(self, name: str, args: Any, kwargs: Any) -> Tensor:
        tensor, *rest = args
        own = kwargs.get("copy", False)
        kwargs = {name: value for name, value in kwargs.items() if name != "copy"}
        if name == "to":
            device, dtype, non_blocking, _ = torch._C._nn._parse_to(*rest, **kwargs)
            if rest and isinstance(rest[0], Tensor):
                device = self.__torch_function__(Tensor.device.__get__, (), (rest[0],))  # type: ignore[attr-defined]
        else:
            device, dtype, non_blocking = torch.device("cpu" if name == "cpu" else "cuda"), None, False
        place = self.place(tensor)
        target = place if device is None else None
        if device is not None and device.type == "cuda":
            target = self.current if device.index is None else device.index
        if target == place or (target is None and place == "pinned"):
            changed = tensor.to(tensor.dtype if dtype is None else dtype, copy=own)
            return changed if not isinstance(place, int) else self._put(changed, place)
        result = torch.empty_like(tensor, dtype=dtype)
        if isinstance(target, int):
            self.contexts.add(target)
            self._put(result, target)
        return self._copy(result, tensor, non_blocking)

    def _copy(self, target: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
        """Run `target.copy_(source)` in the stream's order; pinned memory receives its data at the next wait."""
        to, of = self.place(target), self.place(source)
        on_device = [isinstance(place, int) for place in (to, of)]
        if any(on_device):
            self.issue()
        if all(on_device) or not any(on_device):
            return target.copy_(source)
        if not non_blocking:
            self.wait("a copy that blocks")
        elif None in (to, of):
            self.wait("a copy of pageable memory")
        if of == "pinned":
            self.arrive()  # in the stream's order
        if non_blocking and to == "pinned":
            self._arriving.append((target, source.clone()))
            return target.fill_(_NOT_YET)
        return target.copy_(source)

    def _copy_blocks(self, func: Any, name: str, *args: Any, **kwargs: Any) -> None:
        """Implement `torch.ops.torchpaged.copy_blocks` or `swap_blocks`."""
        if name == "swap_blocks" and self.place(args[0]) == "pinned":
            self.arrive()  # in the stream's order
        self.issue()
        if self.place(args[-1]) is None:
            self.wait("a mapping in pageable memory")
        func(*args, **kwargs)
        if name == "swap_blocks" and not isinstance(self.place(args[1]), int):
            if not kwargs.get("non_blocking"):
                self.wait("swap_blocks")
            elif self.place(args[1]) == "pinned":
                for target in args[2][:, 1].tolist():
                    self._arriving.append((args[1][target], args[1][target].clone()))
                args[1][args[2][:, 1]] = _NOT_YET


def _by_values(index: Any) -> bool:
    """Return whether an index needs its values on the host: a mask, or a list."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(part, list) or (isinstance(part, Tensor) and part.dtype == torch.bool) for part in parts)
