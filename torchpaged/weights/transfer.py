"""Weights on their way from a trainer to an engine in another process: through shared memory, or a group of torch's.

`SharedWeights` and `WeightSender` are the trainer's; the engine has a `WeightReceiver`. Only JSON values cross between
them, besides the numbers: nothing that is received is run.
"""

from __future__ import annotations

import base64
import contextlib
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from math import prod
from types import TracebackType
from typing import Any

import torch
from torch import Tensor

from torchpaged.errors import ConfigError, EngineError

_MEMORY = "/dev/shm"
_ALIGNMENT = 64
_DTYPES = {
    str(each).removeprefix("torch."): each for each in (torch.float64, torch.float32, torch.float16, torch.bfloat16)
}
# Seconds until a transfer fails if the other side says nothing.
_PATIENCE = 600.0
# Keys of a transfer's description, besides those of its way.
_TENSORS = ("names", "dtype_names", "shapes")


def _pairs(weights: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]]) -> list[tuple[str, Tensor]]:
    found = list(weights.items() if isinstance(weights, Mapping) else weights)
    for name, tensor in found:
        if not isinstance(tensor, Tensor) or str(tensor.dtype).removeprefix("torch.") not in _DTYPES:
            kind = tensor.dtype if isinstance(tensor, Tensor) else type(tensor).__name__
            raise ConfigError(f"{name} is {kind}, expected a tensor of one of {', '.join(_DTYPES)}")
    return [(name, tensor.detach()) for name, tensor in found]


def _described(pairs: Sequence[tuple[str, Tensor]]) -> dict[str, Any]:
    return {
        "names": [name for name, _ in pairs],
        "dtype_names": [str(tensor.dtype).removeprefix("torch.") for _, tensor in pairs],
        "shapes": [list(tensor.shape) for _, tensor in pairs],
    }


def update_info_of(weights: Any) -> Any:
    """Return what describes tensors that are sent; None if the weights are here."""
    if isinstance(weights, Mapping):
        return weights["update_info"] if set(weights) == {"update_info"} else None
    return getattr(weights, "update_info", None)


class SharedWeights:
    """Tensors that another process of this machine can read: CUDA IPC for tensors on a GPU, else shared memory.

    A context manager: the memory is shared until its end, by when the other process must have read it.

    Args:
        weights: tensors by name. Those on the host are copied; those on a GPU are not, and must not change meanwhile.

    Attributes:
        update_info: describes them, for `update_weights({"update_info": ...})`.
    """

    def __init__(self, weights: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]]) -> None:
        pairs = _pairs(weights)
        self._path: str | None = None
        self._kept: list[Tensor] = []
        self.update_info = _described(pairs)
        devices = {tensor.device.type for _, tensor in pairs}
        if len(devices) > 1:
            raise ConfigError(
                f"SharedWeights: weights are on {', '.join(sorted(devices))}, expected one kind of device"
            )
        if devices == {"cuda"}:
            self.update_info["cuda_ipc"] = [self._handle(tensor) for _, tensor in pairs]
            torch.cuda.synchronize()
        else:
            self.update_info["shared_memory"] = self._copied([tensor for _, tensor in pairs])

    def _handle(self, tensor: Tensor) -> dict[str, Any]:
        from torch.multiprocessing.reductions import reduce_tensor

        tensor = tensor.contiguous()
        self._kept.append(tensor)
        _, args = reduce_tensor(tensor)
        (_, _, _, offset, _, _, device, handle, size, begin, _, counter, place, event, waits) = args
        return {
            "gpu": str(torch.cuda.get_device_properties(device).uuid),
            "offset": offset,
            "storage": [_text(handle), size, begin],
            "counter": [_text(counter), place],
            "event": [_text(event), waits],
        }

    def _copied(self, tensors: Sequence[Tensor]) -> dict[str, Any]:
        offsets, size = [], 0
        for tensor in tensors:
            offsets.append(size)
            size += -(-tensor.nbytes // _ALIGNMENT) * _ALIGNMENT
        folder = _MEMORY if os.path.isdir(_MEMORY) else None
        number, self._path = tempfile.mkstemp(prefix="torchpaged-weights-", dir=folder)
        try:
            os.ftruncate(number, max(1, size))
            whole = torch.from_file(self._path, shared=True, size=max(1, size), dtype=torch.uint8)
            for tensor, offset in zip(tensors, offsets, strict=True):
                _part(whole, offset, tensor.dtype, tensor.shape).copy_(tensor)
        except BaseException:
            self.close()
            raise
        finally:
            os.close(number)
        return {"path": self._path, "offsets": offsets}

    def close(self) -> None:
        """Stop sharing them."""
        if self._kept:
            self._kept.clear()
            torch.cuda.ipc_collect()
        path, self._path = self._path, None
        if path is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def __enter__(self) -> SharedWeights:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class WeightSender:
    """The trainer's end of a torch.distributed group of its own, beside whatever groups the trainer has.

    It is made while the engine joins by `init_weight_transfer_engine`, so one of the two runs in another thread.

    Args:
        master_address, master_port: where the group meets, on the trainer's machine.
        world_size: number of processes, the trainer's included.
        backend: "gloo", through the host's memory, or "nccl", between GPUs.
        timeout: seconds to wait for the others.

    Attributes:
        init_info: for `init_weight_transfer_engine({"init_info": ...})` of the first engine.
    """

    def __init__(
        self,
        master_address: str,
        master_port: int,
        world_size: int = 2,
        *,
        backend: str = "gloo",
        timeout: float = _PATIENCE,
    ) -> None:
        self.init_info = self.describe(master_address, master_port, world_size, backend=backend)
        self._group = _Group(self.init_info, rank=0, timeout=timeout)

    @staticmethod
    def describe(
        master_address: str, master_port: int, world_size: int = 2, *, backend: str = "gloo"
    ) -> dict[str, Any]:
        """Return `init_info` before there is a sender."""
        return {
            "master_address": master_address,
            "master_port": master_port,
            "rank_offset": 1,
            "world_size": world_size,
            "backend": backend,
        }

    @staticmethod
    def update_info(weights: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]]) -> dict[str, Any]:
        """Describe tensors, for `update_weights({"update_info": ...})`, which runs while `send` does."""
        return _described(_pairs(weights))

    def send(self, weights: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]]) -> None:
        """Broadcast the numbers of the tensors that `update_info` has described."""
        for _, tensor in _pairs(weights):
            self._group.broadcast(tensor.contiguous())

    def close(self) -> None:
        """Leave the group."""
        self._group.close()


class _Group:
    """A process group that is not torch's default one.

    Args:
        info: `init_info`.
        rank: of this process.
        timeout: in seconds.
    """

    def __init__(self, info: Mapping[str, Any], rank: int, timeout: float) -> None:
        from torch import distributed

        wait = timedelta(seconds=timeout)
        size, backend = info["world_size"], info["backend"]
        self.device = torch.device("cpu")
        store = distributed.TCPStore(
            info["master_address"], info["master_port"], size, rank == 0, wait, wait_for_workers=False
        )
        if backend == "nccl":
            self.device = torch.device("cuda", torch.cuda.current_device())
            options = distributed.ProcessGroupNCCL.Options()
            options._timeout = wait
            self._group: Any = distributed.ProcessGroupNCCL(store, rank, size, options)
        else:
            self._group = distributed.ProcessGroupGloo(store, rank, size, wait)
        self._store: Any = store  # the group needs it

    def broadcast(self, tensor: Tensor) -> Tensor:
        """Send a tensor as rank 0, or receive one into it; return it on the group's device."""
        from torch.distributed import BroadcastOptions

        there = tensor.to(self.device)
        options = BroadcastOptions()
        options.rootRank, options.rootTensor = 0, 0
        if there.numel():
            self._group.broadcast([there.view(-1).view(torch.uint8)], options).wait()
        return there

    def close(self) -> None:
        """Leave the group."""
        self._group = self._store = None


class WeightReceiver:
    """The engine's end of transfers.

    Args:
        device: of the weights.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._group: _Group | None = None
        self._staged: list[tuple[str, Tensor]] | None = None  # of an update in several parts; None: there is none

    @property
    def is_open(self) -> bool:
        """True between `begin` and `finish`."""
        return self._staged is not None

    def join(self, info: Any, timeout: float = _PATIENCE) -> None:
        """Join the trainer's group; nothing happens without an address: other ways need no group.

        Raises:
            ConfigError: an entry that is missing or of another kind.
            EngineError: the trainer does not answer.
        """
        if not isinstance(info, Mapping):
            raise ConfigError(f"init_weight_transfer_engine: init_info is {info!r:.80}, expected a dictionary")
        if not info or set(info) <= {"packed", "backend"}:
            if info.get("packed"):
                raise ConfigError(
                    "init_weight_transfer_engine: packed is True, expected False: each tensor is sent alone"
                )
            return
        given = {"backend": "nccl" if self._device.type == "cuda" else "gloo", **info}
        kinds = {"master_address": str, "master_port": int, "rank_offset": int, "world_size": int}
        for name, kind in kinds.items():
            if type(given.get(name)) is not kind:
                raise ConfigError(
                    f"init_weight_transfer_engine: {name} is {given.get(name)!r:.80}, expected {kind.__name__}"
                )
        if given["backend"] not in ("gloo", "nccl") or not 0 < given["rank_offset"] < given["world_size"]:
            raise ConfigError(
                f"init_weight_transfer_engine: backend is {given['backend']!r:.80}, rank_offset is "
                f"{given['rank_offset']} and world_size is {given['world_size']}, expected gloo or nccl, and a rank "
                "behind the trainer's 0"
            )
        try:
            self._group = _Group(given, given["rank_offset"], timeout)
        except (RuntimeError, ValueError) as error:
            raise EngineError(f"init_weight_transfer_engine: no group: {error}") from error

    def leave(self) -> None:
        """Leave the group, if there is one, and drop a part of an update."""
        if self._group is not None:
            self._group.close()
        self._group = self._staged = None

    def begin(self) -> None:
        """Begin an update in several parts; parts of one that was not finished are dropped."""
        self._staged = []

    def stage(self, tensors: Sequence[tuple[str, Tensor]]) -> None:
        """Keep a part. Its numbers are copied: the trainer may use the memory again."""
        assert self._staged is not None, "begin is called first"
        self._staged += [(name, tensor.clone()) for name, tensor in tensors]
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)

    def finish(self) -> list[tuple[str, Tensor]]:
        """Return all parts, which are forgotten here.

        Raises:
            EngineError: no update has begun.
        """
        if self._staged is None:
            raise EngineError("finish_weight_update: there is no update, call start_weight_update first")
        found, self._staged = self._staged, None
        return found

    def receive(self, info: Any) -> list[tuple[str, Tensor]]:
        """Return the tensors that a trainer offers; shared memory may be used until it gets the answer.

        Raises:
            ConfigError: `update_info` is not one, or its way is not open.
            EngineError: the trainer does not send what it has described.
        """
        if not isinstance(info, Mapping):
            raise ConfigError(f"update_weights: update_info is {info!r:.80}, expected a dictionary")
        if "ipc_handles_pickled" in info or "ipc_handles" in info:
            raise ConfigError(
                "update_weights: vLLM's ipc_handles are pickled, which would run the sender's code here; share the "
                "tensors by torchpaged.weights.transfer.SharedWeights"
            )
        unknown = set(info) - {*_TENSORS, "cuda_ipc", "shared_memory"}
        if unknown or not all(isinstance(info.get(name), Sequence) for name in _TENSORS):
            raise ConfigError(
                f"update_weights: update_info has {sorted(info)}, expected {', '.join(_TENSORS)}, and cuda_ipc or "
                "shared_memory if the trainer is in no group"
            )
        kinds = [
            (name, _DTYPES.get(dtype), shape)
            for name, dtype, shape in zip(*(info[each] for each in _TENSORS), strict=False)
        ]
        if any(len(info[each]) != len(kinds) for each in _TENSORS) or not all(
            isinstance(name, str) and dtype is not None and _is_shape(shape) for name, dtype, shape in kinds
        ):
            raise ConfigError(
                "update_weights: names, dtype_names and shapes differ in length, or have other values than texts, one "
                f"of {', '.join(_DTYPES)}, and lists of sizes"
            )
        described: list[tuple[str, torch.dtype, list[int]]] = [
            (name, dtype or torch.float32, shape) for name, dtype, shape in kinds
        ]
        try:
            if "cuda_ipc" in info:
                return _opened(described, info["cuda_ipc"], self._device)
            if "shared_memory" in info:
                return _mapped(described, info["shared_memory"])
        except (KeyError, TypeError, ValueError, OSError, RuntimeError) as error:
            raise ConfigError(
                f"update_weights: the shared tensors cannot be read: {type(error).__name__}: {error}"
            ) from error
        if self._group is None:
            raise ConfigError("update_weights: there is no group, call init_weight_transfer_engine first")
        try:
            return [
                (name, self._group.broadcast(torch.empty(shape, dtype=dtype, device=self._group.device)))
                for name, dtype, shape in described
            ]
        except RuntimeError as error:
            self.leave()  # what was sent and what is expected differ from now on
            raise EngineError(f"update_weights: the group has failed, join it again: {error}") from error


def _is_shape(shape: object) -> bool:
    return isinstance(shape, Sequence) and all(type(size) is int and 0 <= size < 1 << 40 for size in shape)


def _mapped(
    described: Sequence[tuple[str, torch.dtype, list[int]]], memory: Mapping[str, Any]
) -> list[tuple[str, Tensor]]:
    size = os.path.getsize(memory["path"])  # `from_file` would create it
    whole = torch.from_file(memory["path"], shared=True, size=size, dtype=torch.uint8)
    return [
        (name, _part(whole, offset, dtype, shape))
        for (name, dtype, shape), offset in zip(described, memory["offsets"], strict=True)
    ]


def _part(whole: Tensor, offset: int, dtype: torch.dtype, shape: Sequence[int]) -> Tensor:
    size = prod(shape) * dtype.itemsize
    if not 0 <= offset <= len(whole) - size:
        raise ValueError(f"a tensor of {size} bytes at {offset} does not lie in the {len(whole)} bytes")
    return whole[offset : offset + size].view(dtype).view(tuple(shape))


def _opened(
    described: Sequence[tuple[str, torch.dtype, list[int]]], handles: Sequence[Mapping[str, Any]], device: torch.device
) -> list[tuple[str, Tensor]]:
    from torch.multiprocessing.reductions import rebuild_cuda_tensor

    own = {str(torch.cuda.get_device_properties(place).uuid): place for place in range(torch.cuda.device_count())}
    found = []
    for (name, dtype, shape), each in zip(described, handles, strict=True):
        if each["gpu"] not in own:
            raise ValueError(f"{name} is on GPU {each['gpu']}, and this process has {', '.join(own) or 'none'}")
        strides = torch.empty(shape, dtype=dtype, device="meta").stride()
        handle, size, begin = each["storage"]
        (counter, place), (event, waits) = each["counter"], each["event"]
        tensor = rebuild_cuda_tensor(
            Tensor,
            torch.Size(shape),
            strides,
            each["offset"],
            torch.storage.TypedStorage,
            dtype,
            own[each["gpu"]],
            _bytes(handle),
            size,
            begin,
            False,
            _bytes(counter),
            place,
            _bytes(event),
            waits,
        )
        found.append((name, tensor))
    return found


def _text(value: bytes | None) -> str | None:
    return None if value is None else base64.b64encode(value).decode()


def _bytes(value: str | None) -> bytes | None:
    return None if value is None else base64.b64decode(value, validate=True)
