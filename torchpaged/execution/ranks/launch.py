"""Starting ranks, and how each process gets its link: from torch's launcher, torchrun, or a store where ranks meet."""

from __future__ import annotations

import atexit
import functools
import importlib
import itertools
import multiprocessing
import multiprocessing.connection
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Sequence
from mmap import mmap
from multiprocessing import util
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NoReturn

import torch

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError
from torchpaged.execution.ranks.ending import Stopped, failed, own
from torchpaged.execution.ranks.link import Link, Started
from torchpaged.ops.collectives import Channel, Group, ProcessGroup, SharedMemoryGroup, least
from torchpaged.ops.network_group import NetworkGroup
from torchpaged.utils import child_processes, environment

_MAIN = 'if __name__ == "__main__":'
_GUARD = f", before it began; a main file needs `{_MAIN}` around the lines that make an LLM: other ranks import it"
# What the other ranks run. By name, because it is above this layer.
_WORK = "torchpaged.engine.rank_worker:work"
_RAY = "torchpaged.serving.ray_ranks"  # likewise
_SHARED = "/dev/shm"
_joined: list[Link] = []  # of this process, if rank 0 has started it
_numbers = itertools.count()  # of this process's links under a launcher


def link_for(config: EngineConfig, device: torch.device, model: Any, arguments: Sequence[Any]) -> Link:
    """Return this rank's link to the others, which are started if they do not run.

    Args:
        device: of the model.
        model, arguments: what the other ranks are to load.

    Raises:
        ConfigError: the model is an instance or an exported program, or as `start` and `join_launched`.
    """
    size = config.tensor_parallel_size
    if str(model).endswith(".pt2"):
        raise ConfigError(
            f"LLM: tensor_parallel_size is {size}, but {str(model)!r} is a program of one process; expected 1"
        )
    if _joined:
        return _joined[-1]
    if launched() > 1:
        return join_launched(size, device)
    if not isinstance(model, (str, Path)):
        raise ConfigError(
            f"LLM: tensor_parallel_size is {size}, and the model is an instance, which the other ranks do not have; "
            "give a folder or a hub id, or start all ranks with torchrun"
        )
    if config.distributed_executor_backend == "ray":
        link: Link = importlib.import_module(_RAY).start(size, (str(model), *arguments), device)
        return link
    return start(size, _WORK, (str(model), *arguments), device)


# --- With torch's launcher, on this machine -------------------------------------------------------------------


def start(world: int, work: str, arguments: Sequence[Any], device: torch.device) -> Link:
    """Start the other ranks on this machine with torch's launcher, and return rank 0's link.

    Args:
        work: "module:function", called in each other process with its channel and the arguments; it calls `join`.
        device: of the model.

    Raises:
        ConfigError: an argument cannot be pickled, there are too many ranks, or the main file starts them when another
            process imports it.
        EngineError: a rank has ended.
    """
    import torch.multiprocessing as launcher

    _require_guard(world)
    _require_devices(world, device)
    memory, path = _segment(world)
    whole = torch.get_num_threads()
    threads = max(1, whole // world)
    channel = SharedMemoryGroup(memoryview(memory), 0, world)
    _allow_children()
    try:
        given = (work, str(path), world, threads, arguments)
        processes = Processes(
            launcher.start_processes(run, given, nprocs=world - 1, join=False, daemon=True, start_method="spawn")
        )
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        path.unlink()
        raise ConfigError(f"LLM: a setting cannot be sent to the other ranks: {error}") from None
    torch.set_num_threads(threads)
    link = Link(channel, channel, world, 0, processes, restore=functools.partial(_give_back, threads, whole))
    own(link)
    try:
        least(channel, [0])  # all have mapped the segment
    except RuntimeError as error:
        raise failed(link, error, _GUARD) from None
    finally:
        path.unlink(missing_ok=True)
    link.group = _group_for(device, channel, link)
    return link


def _give_back(share: int, whole: int) -> None:
    """Let torch use the threads again that the ranks have shared, unless it was told another number since."""
    if torch.get_num_threads() == share:
        torch.set_num_threads(whole)


def join(channel: SharedMemoryGroup, device: torch.device) -> Link:
    """Return the link of a rank that `start` has started."""
    link = Link(channel, channel, channel.world, channel.rank)
    least(channel, [0])
    link.group = _group_for(device, channel, link)
    remember(link)
    return link


class Processes:
    """Ranks that torch's launcher has started.

    A rank that is stopped, as by SIGSTOP, for TORCHPAGED_RANK_TIMEOUT seconds counts as one that has failed: while a
    model is loaded no rank waits for another with a limit, since loading may take any time.

    Args:
        context: of `torch.multiprocessing.start_processes`.
    """

    def __init__(self, context: Any) -> None:
        self._context, self.processes = context, context.processes
        self._stopped = [0] * len(self.processes)  # by process, the looks in a row that found it stopped
        # multiprocessing ends its processes at exit by a SIGTERM, which ranks ignore, and waits for them.
        util.Finalize(self, _kill, args=(list(self.processes),), exitpriority=0)

    def join(self, timeout: float) -> bool:
        """`Started.join`, called every `timeout` seconds."""
        running = {each.sentinel: each for each in self.processes if each.sentinel in self._context.sentinels}
        ended = [running[each] for each in multiprocessing.connection.wait(list(running), timeout)]
        for each in ended:
            each.join()
            if each.exitcode:
                self._context.sentinels = {each.sentinel: self.processes.index(each)}
                self.kill()  # torch's `join` would ask the others to end by a SIGTERM, and wait for 30 seconds
                break
        else:
            self._require_running(timeout)
        return bool(self._context.join(timeout=0))

    def _require_running(self, seconds: float) -> None:
        """Raise RankStopped for a process that has been stopped at each of so many looks.

        Looks are counted, not time: if this process was stopped too, as by Ctrl-Z, that is no fault of the others.
        """
        limit = environment.rank_timeout()
        for index, each in enumerate(self.processes):
            self._stopped[index] = self._stopped[index] + 1 if child_processes.is_stopped(each) else 0
            if self._stopped[index] * seconds > limit:
                raise RankStopped(index, each.pid, limit)

    def wait(self, seconds: float) -> None:
        """`Started.wait`."""
        deadline = time.monotonic() + seconds
        for each in self.processes:
            child_processes.has_ended(each, max(0.0, deadline - time.monotonic()))

    def kill(self) -> None:
        """`Started.kill`. `ending` joins them: torch's `join` warns of a process that another thread has joined."""
        _kill(self.processes)


class RankStopped(Exception):
    """A rank's process does not run, and was not ended: somebody has stopped it.

    Attributes:
        error_index: number of the process, as in torch's exceptions.
    """

    def __init__(self, error_index: int, pid: int, limit: float) -> None:
        super().__init__(
            f"its process {pid} has been stopped (as by SIGSTOP or a debugger) for more than {limit:g} seconds, "
            f"which is {environment.RANK_TIMEOUT}"
        )
        self.error_index = error_index


def _kill(processes: Sequence[BaseProcess]) -> None:
    for each in processes:
        if not child_processes.has_ended(each):
            each.kill()
            child_processes.has_ended(each, None)


def run(number: int, work: str, path: str, world: int, threads: int, arguments: Sequence[Any]) -> None:
    """Run a rank that `start` has started; `number` counts them from 0."""
    child_processes.ignore_signals()  # rank 0 lets requests end, and then ends this process
    torch.set_num_threads(threads)
    memory = _mapped(Path(path), world)
    channel = SharedMemoryGroup(memoryview(memory), number + 1, world, os.getppid())
    module, _, function = work.partition(":")
    try:
        getattr(importlib.import_module(module), function)(channel, *arguments)
    except Stopped:
        _leave()
    except BaseException:
        if channel.failed not in (None, channel.rank):
            _leave()  # another rank has failed before, and its traceback is the one to show
        channel.give_up(channel.rank)
        atexit.register(os._exit, 1)  # runs first: rank 0 waits for the launcher to pass on this traceback
        raise


def _leave() -> NoReturn:
    """End the process at once: the interpreter's own end takes seconds where torch is loaded."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _require_guard(world: int) -> None:
    """Raise ConfigError in a process that imports the main file in order to become a rank or an engine."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise ConfigError(
            f"LLM: tensor_parallel_size is {world}, and a rank makes another LLM while it imports the main file; put "
            f"those lines of the main file under `{_MAIN}`"
        )


def _require_devices(world: int, device: torch.device) -> None:
    if device.type == "cuda" and torch.cuda.device_count() < world:
        raise ConfigError(
            f"LLM: tensor_parallel_size is {world}, but there are {torch.cuda.device_count()} CUDA devices; expected "
            "as many at most"
        )


def _allow_children() -> None:
    """Let a daemonic process, as `AsyncLLM`'s engine is, start daemonic ones: the ranks end with their parent."""
    multiprocessing.current_process()._config.pop("daemon", None)  # type: ignore[attr-defined]


# --- With another launcher ------------------------------------------------------------------------------------


def launched() -> int:
    """Return the number of ranks of a launcher such as torchrun, which has started this process; 1 without one."""
    return int(os.environ.get("WORLD_SIZE", "1")) if "RANK" in os.environ else 1


def join_launched(world: int, device: torch.device) -> Link:
    """Return the link of a process that torchrun has started.

    Raises:
        ConfigError: the launcher has started another number of ranks.
    """
    import torch.distributed as dist

    if launched() != world:
        raise ConfigError(
            f"LLM: tensor_parallel_size is {world}, but the launcher has started {launched()} ranks; expected as many"
        )
    store, rank, _ = next(iter(dist.rendezvous("env://")))
    store = dist.PrefixStore(f"torchpaged-{next(_numbers)}", store)
    return join_store(store, rank, world, machine(), device)


def join_store(
    store: Any, rank: int, world: int, name: str, device: torch.device, processes: Started | None = None
) -> Link:
    """Return the link of a rank that meets the others in a store of torch.distributed.

    Ranks of one machine share memory; those of several have gloo's connections.

    Args:
        name: of this machine, unlike any other's.
        processes: the other ranks, if this one has started them.
    """
    names = _machines(store, name, rank, world)
    local = [each for each in range(world) if names[each] == name]
    if len(local) == world:
        channel: Channel = _shared(store, rank, world)
    else:
        channel = NetworkGroup(store, rank, world)
    place = local.index(rank)
    if device.type == "cuda":  # a launcher may show each rank its own device alone
        place %= torch.cuda.device_count()
    link = Link(channel, channel, len(local), place, processes)
    if rank == 0:
        own(link)
    least(channel, [0])
    link.group = _group_for(device, channel, link, store)
    return link


def remember(link: Link) -> None:
    """Let this process load models as the rank of a link."""
    _joined.append(link)


def machine() -> str:
    """Return a name of this machine that containers with their own host name, and so their own memory, do not share."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{os.uname().nodename} {boot.read_text().strip() if boot.exists() else ''}"


def _machines(store: Any, name: str, rank: int, world: int) -> list[str]:
    """Return the names of the machines of all ranks, which meet in a store of torch.distributed."""
    store.set(f"machine{rank}", name)
    return [store.get(f"machine{each}").decode() for each in range(world)]


# --- Shared memory and NCCL -----------------------------------------------------------------------------------


def _shared(store: Any, rank: int, world: int) -> SharedMemoryGroup:
    """Return the channel of a rank whose machine has all ranks."""
    if rank == 0:
        memory, path = _segment(world)
        store.set("path", str(path))
    else:
        path = Path(store.get("path").decode())
        memory = _mapped(path, world)
    channel = SharedMemoryGroup(memoryview(memory), rank, world, os.getppid() if rank else 0)
    least(channel, [0])
    if rank == 0:
        path.unlink()
    return channel


def _segment(world: int) -> tuple[mmap, Path]:
    """Make a segment in a file of shared memory, which is removed once all ranks have mapped it.

    Raises:
        ConfigError: there are too many ranks, or neither shared memory nor the folder for temporary files has room.
    """
    size = SharedMemoryGroup.num_bytes(world)
    if not size:
        raise ConfigError(
            f"LLM: tensor_parallel_size is {world}, expected 64 at most, and the C++ library (torchpaged.ops.cpu)"
        )
    faults = []
    for folder in dict.fromkeys((_SHARED, tempfile.gettempdir())):
        try:
            return _segment_in(folder, size)
        except OSError as error:
            faults.append(f"{folder}: {error.strerror}")
    raise ConfigError(
        f"LLM: tensor_parallel_size is {world}, for which ranks share {size / 2**20:.1f} MiB, and no file of that size "
        f"could be made ({'; '.join(faults)}); make room there, as with docker's --shm-size"
    )


def _segment_in(folder: str, size: int) -> tuple[mmap, Path]:
    """Make a segment in a folder. OSError: it cannot be written, or has no room for all of it."""
    file, path = tempfile.mkstemp(prefix="torchpaged-ranks-", dir=folder)
    try:
        os.posix_fallocate(file, 0, size)  # a page that cannot be had later ends the process by a SIGBUS
        return mmap(file, size), Path(path)
    except BaseException:
        os.unlink(path)
        raise
    finally:
        os.close(file)


def _mapped(path: Path, world: int) -> mmap:
    with path.open("r+b") as file:
        return mmap(file.fileno(), SharedMemoryGroup.num_bytes(world))


def _group_for(device: torch.device, channel: Channel, link: Link, store: Any = None) -> Group:
    """Return the group of a device's collectives: the channel on the CPU, NCCL on CUDA.

    Args:
        store: that all ranks have; None: they are on this machine, and make one.
    """
    if device.type == "cpu":
        return channel
    import torch.distributed as dist

    torch.cuda.set_device(link.local_rank)
    if store is None:
        port = torch.zeros(1, dtype=torch.int64)
        if channel.rank == 0:
            store = dist.TCPStore("127.0.0.1", 0, channel.world, is_master=True, wait_for_workers=False)
            port[0] = store.port
        number = int(channel.all_gather(port)[0])
        store = store or dist.TCPStore("127.0.0.1", number, channel.world, is_master=False)
    return ProcessGroup(dist.ProcessGroupNCCL(store, channel.rank, channel.world, dist.ProcessGroupNCCL.Options()))
