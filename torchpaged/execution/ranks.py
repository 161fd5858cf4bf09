"""Ranks: processes that compute one model together. Rank 0 has the engine; the others repeat its executor's calls.

Invariants:

- Rank 0 alone decides: no clock, memory or random number of another rank has any effect, but the sizes of pools, which
  are the least of all ranks.
- Each call of the executor that computes or changes state is sent to all ranks before rank 0 makes it, and every rank
  makes the calls in that order. So all enter the same collectives in the same order, and draw the same tokens: logits
  are gathered, and the sampler's hash depends on seeds and positions alone.
- A call is not interrupted in its middle: Ctrl-C is raised after it. A rank that fails anywhere else ends all.
- No wait is without end: a rank waits for another only while that one lives and, once the pools exist, for at most
  `TIMEOUT` seconds.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import importlib
import logging
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from mmap import mmap
from pathlib import Path
from typing import Any, Concatenate, NoReturn, ParamSpec, Protocol, TypeVar, cast

import torch
from torch import Tensor

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, EngineError
from torchpaged.execution.executor import LocalExecutor, Tier
from torchpaged.execution.logit_bias import Mask
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.execution.pool_bytes import PoolBytes
from torchpaged.execution.prefix_file import fingerprint
from torchpaged.execution.rank_tier import RankedTier, RankTier
from torchpaged.execution.tier_io import TierIO
from torchpaged.execution.tier_store import open_tier, renew_tier
from torchpaged.kv_cache import PoolKind, TierCopy
from torchpaged.models.model import PagedModel, RankWeights, prepare
from torchpaged.ops.collectives import Channel, Group, ProcessGroup, RankFailure, SharedMemoryGroup, least
from torchpaged.ops.network_group import NetworkGroup, machines
from torchpaged.prefix_store import KVStore
from torchpaged.scheduling import Results, Step
from torchpaged.utils import child_processes, interrupts
from torchpaged.weights.lora_adapter import LoraAdapter

logger = logging.getLogger(__name__)

# Seconds that a rank may be behind the others within a step.
TIMEOUT = 8.0
# Seconds in which the others end by themselves when rank 0 ends.
_GRACE = 4.0
_STOP = "stop"
_MAIN = 'if __name__ == "__main__":'
_GUARD = f", before it began; a main file needs `{_MAIN}` around the lines that make an LLM: other ranks import it"
# What the other ranks run. By name, because it is above this layer.
_WORK = "torchpaged.engine.rank_worker:work"
_RAY = "torchpaged.serving.ray_ranks"  # likewise

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Stopped(SystemExit):
    """Raised on the other ranks when rank 0 has ended: their process ends."""


class Started(Protocol):
    """The other ranks, which this process has started."""

    def join(self, timeout: float) -> bool:
        """Wait until all have ended; False if they have not after so many seconds.

        Raises:
            Exception: one has failed: rank `error_index` + 1.
        """
        ...

    def wait(self, seconds: float) -> None:
        """Wait until all have ended, at most so many seconds."""
        ...

    def kill(self) -> None:
        """End those that have not."""
        ...


class Processes:
    """Ranks that torch's launcher has started.

    Args:
        context: of `torch.multiprocessing.start_processes`.
    """

    def __init__(self, context: Any) -> None:
        self._context, self.processes = context, context.processes

    def join(self, timeout: float) -> bool:
        """`Started.join`."""
        return bool(self._context.join(timeout=timeout))

    def wait(self, seconds: float) -> None:
        """`Started.wait`."""
        deadline = time.monotonic() + seconds
        for each in self.processes:
            child_processes.has_ended(each, max(0.0, deadline - time.monotonic()))

    def kill(self) -> None:
        """`Started.kill`. `_watch` joins them too."""
        for each in self.processes:
            child_processes.end(each, 0.0)


@dataclass(eq=False)  # without slots: `start` has a weak reference
class Link:
    """A rank's connection to the others.

    Args:
        channel: carries the executor's calls, from rank 0 to the others.
        group: of the collectives.
        num_local: number of ranks on this machine.
        local_rank: number of this rank on its machine.
        processes: the other ranks, if this process has started them.
        failure: the traceback of the rank that failed first.
        ending: set once the others are told to end.
        owner: id of the process that ends the others; a fork of it does not.
    """

    channel: Channel
    group: Group
    num_local: int
    local_rank: int
    processes: Started | None = None
    failure: list[str] = field(default_factory=list)
    ending: threading.Event = field(default_factory=threading.Event)
    owner: int = field(default_factory=os.getpid)

    @property
    def rank(self) -> int:
        """Number of this rank."""
        return self.group.rank

    @property
    def world(self) -> int:
        """Number of ranks."""
        return self.group.world

    def end(self) -> None:
        """End the other ranks, which this process has started."""
        _end(self.channel, self.processes, self.ending, self.owner)


def timeout() -> float:
    """Return TORCHPAGED_RANK_TIMEOUT, or `TIMEOUT`.

    Raises:
        ConfigError: it is not a positive number.
    """
    given = os.environ.get("TORCHPAGED_RANK_TIMEOUT", str(TIMEOUT))
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ConfigError(f"TORCHPAGED_RANK_TIMEOUT is {given!r}, expected a positive number of seconds")
    return seconds


# --- Starting -----------------------------------------------------------------------------------------------


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


def run(number: int, work: str, path: str, world: int, threads: int, arguments: Sequence[Any]) -> None:
    """Run a rank that `start` has started; `number` counts them from 0."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for rank 0, which then ends this process
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
    threads = max(1, torch.get_num_threads() // world)
    torch.set_num_threads(threads)
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
    link = Link(channel, channel, world, 0, processes)
    _own(link)
    try:
        least(channel, [0])  # all have mapped the segment
    except RuntimeError as error:
        raise _failed(link, error, _GUARD) from None
    finally:
        path.unlink(missing_ok=True)
    link.group = _group_for(device, channel, link)
    return link


def join(channel: SharedMemoryGroup, device: torch.device) -> Link:
    """Return the link of a rank that `start` has started."""
    link = Link(channel, channel, channel.world, channel.rank)
    least(channel, [0])
    link.group = _group_for(device, channel, link)
    remember(link)
    return link


_joined: list[Link] = []  # of this process, if rank 0 has started it


def remember(link: Link) -> None:
    """Let this process load models as the rank of a link."""
    _joined.append(link)


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
    names = machines(store, name, rank, world)
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
        _own(link)
    least(channel, [0])
    link.group = _group_for(device, channel, link, store)
    return link


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


def machine() -> str:
    """Return a name of this machine that containers with their own host name, and so their own memory, do not share."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{os.uname().nodename} {boot.read_text().strip() if boot.exists() else ''}"


_numbers = iter(range(1 << 62))


def _segment(world: int) -> tuple[mmap, Path]:
    """Make a segment in a file of shared memory, which is removed once all ranks have mapped it."""
    size = SharedMemoryGroup.num_bytes(world)
    if not size:
        raise ConfigError(
            f"LLM: tensor_parallel_size is {world}, expected 64 at most, and the C++ library (torchpaged.ops.cpu)"
        )
    shared = Path("/dev/shm")
    file, path = tempfile.mkstemp(prefix="torchpaged-ranks-", dir=shared if shared.is_dir() else None)
    try:
        os.ftruncate(file, size)
        return mmap(file, size), Path(path)
    finally:
        os.close(file)


def _mapped(path: Path, world: int) -> mmap:
    with path.open("r+b") as file:
        return mmap(file.fileno(), SharedMemoryGroup.num_bytes(world))


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


def _allow_children() -> None:
    """Let a daemonic process, as `AsyncLLM`'s engine is, start daemonic ones: the ranks end with their parent."""
    multiprocessing.current_process()._config.pop("daemon", None)  # type: ignore[attr-defined]


def _own(link: Link) -> None:
    """Watch the other ranks of rank 0's link, and end them with it."""
    if link.processes is not None:
        watched = (link.processes, link.channel, link.failure, link.ending)
        threading.Thread(target=_watch, args=watched, name="torchpaged-ranks", daemon=True).start()
    weakref.finalize(link, _end, link.channel, link.processes, link.ending, link.owner)


# --- Ending -------------------------------------------------------------------------------------------------


def _watch(processes: Started, channel: Channel, failure: list[str], ending: threading.Event) -> None:
    """Wait for the other ranks to end; if one fails, keep its traceback and give it up, so that no rank waits on."""
    try:
        while not processes.join(1.0):
            pass
    except Exception as error:  # ProcessRaisedException has the traceback, ProcessExitedException the status
        if ending.is_set():
            return
        failure.append(str(error).strip())
        channel.give_up(getattr(error, "error_index", 0) + 1)
        logger.error("rank %d has failed: %s", getattr(error, "error_index", 0) + 1, error)


def _end(channel: Channel, processes: Started | None, ending: threading.Event, owner: int) -> None:
    """Tell the other ranks to end, and end those that do not. Does nothing in a fork of the process that owns them."""
    if os.getpid() != owner:
        return
    ending.set()
    if channel.failed is None:
        with contextlib.suppress(Exception):
            channel.set_limit(_GRACE)
            channel.post(pickle.dumps((_STOP, ())))
            channel.flush(_GRACE)
    else:
        channel.give_up(0)
    if processes is None:
        return
    processes.wait(_GRACE if channel.failed is None else 0.0)
    channel.give_up(0)
    processes.kill()


def _failed(link: Link, error: BaseException, advice: str = "") -> EngineError:
    """End all ranks because one has failed; return the error, with the traceback of that rank.

    Args:
        advice: for a rank that has ended without one.
    """
    rank = link.channel.failed
    is_late = any(words in str(error) for words in ("has not come", "reads no messages"))
    if not is_late and rank != 0 and link.processes is not None:
        deadline = time.monotonic() + _GRACE
        while not link.failure and time.monotonic() < deadline:
            time.sleep(0.02)  # `_watch` reads the traceback when the process has ended
        is_late = not link.failure  # it lives; an operator in a program does not pass on why it has failed
    link.end()
    reason = link.failure[0] if link.failure else f"{type(error).__name__}: {error}"
    late = f" (TORCHPAGED_RANK_TIMEOUT is {timeout():g} seconds)" if is_late else ""
    if "terminated with exit code" in reason:
        reason += advice
    return EngineError(f"rank {rank} has failed{late}, and all ranks have ended; make another engine. {reason}")


# --- Executors ----------------------------------------------------------------------------------------------


def _everywhere(
    method: Callable[Concatenate[RankedExecutor, _P], _R],
) -> Callable[Concatenate[RankedExecutor, _P], _R]:
    """Have all ranks make a call. Within such a call, which every rank makes, others are made without a message."""

    @functools.wraps(method)
    def call(self: RankedExecutor, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if self._link.rank or self._is_inside:
            return method(self, *args, **kwargs)
        self.require_alive()
        with interrupts.deferred():
            return self.together(method.__name__, args, functools.partial(method, self, *args, **kwargs))

    return call


class RankedExecutor(LocalExecutor):
    """A rank's executor. Calls on rank 0 are made on every rank.

    Args:
        link: to the other ranks.
    """

    in_process = False

    def __init__(self, model: PagedModel, config: EngineConfig, link: Link) -> None:
        self._link, self._dead = link, False
        self._is_inside = False  # a call that all ranks make is under way
        self._unconfirmed: set[int] = set()  # steps for which blocks were copied out, on rank 0
        self._staged: list[tuple[str, Tensor]] = []  # this rank's parts of new weights
        self._adapter_lock = threading.RLock()  # so that other ranks hear of adapters before steps have them
        self._checks = os.environ.get("TORCHPAGED_CHECK_RANKS") == "1"
        self._agree([int(self._checks)], "TORCHPAGED_CHECK_RANKS")
        super().__init__(model, config)
        self._ranked_tier: RankedTier | None = None
        if self._tier is not None:
            self._ranked_tier = RankedTier(cast(RankTier, self._tier), self.on_tier, self._is_alive)
        if self.runner.device.type == "cpu":  # the ranks take memory of one machine
            self.block_bytes: Mapping[PoolKind, int] = {
                kind: size * link.num_local for kind, size in self.block_bytes.items()
            }
        link.channel.set_limit(timeout())

    def _runner(self, model: PagedModel, config: EngineConfig) -> ModelRunner:
        if model.spec.device.type == "cpu":
            share = config.gpu_memory_utilization / self._link.num_local
            config = replace(config, gpu_memory_utilization=share)
        if self._link.rank:  # an adapter that rank 0 has removed may still be in use here
            config = replace(config, max_cpu_loras=config.num_host_adapters + config.max_loras)
        return ModelRunner(model, config, agreed=lambda numbers: least(self._link.channel, numbers))

    def _open_tier(self) -> TierIO | None:
        def make(pools: Mapping[PoolKind, PoolBytes], store: KVStore) -> RankTier:
            return RankTier(pools, store, lambda numbers: least(self._link.channel, numbers), self._patiently)

        return open_tier(self.runner, self._config, name=self._name, make=make, num_local=self._link.num_local)

    def _renew_tier(self, tier: TierIO) -> None:
        renew_tier(tier, self.runner, self._config, name=self._name, num_local=self._link.num_local)

    def _name(self, runner: ModelRunner) -> str:
        """Return the name of this rank's blocks in a store. They depend on the weights of all ranks."""
        own = torch.frombuffer(bytearray.fromhex(fingerprint(runner)), dtype=torch.int64)
        digest = hashlib.sha256(f"rank {self._link.rank} of {self._link.world} ".encode())
        digest.update(self._link.channel.all_gather(own).numpy().tobytes())
        return digest.hexdigest()

    @contextlib.contextmanager
    def _patiently(self) -> Iterator[None]:
        """Give no rank up, however late it comes. All leave together, so that none is late in what follows."""
        self._link.channel.set_limit(None)
        try:
            yield
            least(self._link.channel, [0])
        finally:
            self._link.channel.set_limit(timeout())

    def _agree(self, numbers: Sequence[int], what: str) -> None:
        both = [*numbers, *(-each for each in numbers)]
        if least(self._link.channel, both) != both:
            raise ConfigError(f"{what} differs between ranks; give all the same")

    # --- Rank 0 ---

    def require_alive(self) -> None:
        """Raise EngineError if a rank has failed."""
        if self._dead:
            raise EngineError("a rank has failed, and all ranks have ended; make another engine")
        if self._link.channel.failed is not None:
            self._dead = True
            raise _failed(self._link, RankFailure("it has ended"))

    def together(self, name: str, args: Sequence[Any], call: Callable[[], _R]) -> _R:
        """Send a call to the other ranks, and make it. If it fails, all ranks end."""
        self._is_inside = True
        try:
            self._link.channel.post(pickle.dumps((name, args), protocol=5))
            return call()
        except BaseException as error:
            self._dead = True
            if _is_of_another(self._link, error):
                raise _failed(self._link, error) from error
            self._link.channel.give_up(0)
            self._link.end()
            raise
        finally:
            self._is_inside = False

    @property
    def settled(self) -> bool:
        """`Executor.settled`."""
        return self._dead or super().settled

    @_everywhere
    def launch(self, step: Step) -> None:
        """`Executor.launch`."""
        if step.evicted:
            self._unconfirmed.add(step.number)
        super().launch(step)

    @_everywhere
    def sample(self, number: int, masks: Mapping[int, Mask | str]) -> None:
        """`Executor.sample`."""
        super().sample(number, masks)

    def result(self, number: int) -> Results:
        """`Executor.result`; with TORCHPAGED_CHECK_RANKS=1 the ranks compare their tokens."""
        results = self._checked_result(number) if self._checks and not self._dead else super().result(number)
        if number in self._unconfirmed:
            self._unconfirmed.discard(number)
            self._tell("_confirm", number)
        return results

    def _confirm(self, number: int) -> None:
        """Keep the blocks that were copied for a step: rank 0 has its results."""
        assert self._tier is not None
        self._unconfirmed.discard(number)
        self._tier.confirm(number)

    @_everywhere
    def _checked_result(self, number: int) -> Results:
        return self._compared(super().result(number))

    def _compared(self, results: Results) -> Results:
        data = repr((results.draws, results.tokens, results.lengths)).encode()
        own = int.from_bytes(hashlib.blake2b(data, digest_size=7).digest(), "little")
        found = self._link.channel.all_gather(torch.tensor([own])).tolist()
        if len(set(found)) > 1:
            raise EngineError(
                f"step {results.number}: rank {self._link.rank} has drawn {results.tokens}, others have not "
                "(TORCHPAGED_CHECK_RANKS)"
            )
        return results

    def drop(self, number: int) -> None:
        """`Executor.drop`."""
        if self._dead:
            super().drop(number)
        else:
            self._drop_everywhere(number)

    @_everywhere
    def _drop_everywhere(self, number: int) -> None:
        self._unconfirmed.discard(number)
        super().drop(number)

    def reset(self) -> None:
        """`Executor.reset`."""
        if not self._dead:
            self._reset_everywhere()

    @_everywhere
    def _reset_everywhere(self) -> None:
        self._unconfirmed.clear()
        super().reset()

    @_everywhere
    def renew(self) -> None:
        """`Executor.renew`. Compiling may take long: no rank is given up meanwhile."""
        with self._patiently():
            super().renew()

    def update_weights(self, weights: Sequence[tuple[str, Tensor]], then: Callable[[], object]) -> None:
        """Copy tensors of the whole model, each rank its parts, after all ranks have them; then call a function.

        Ctrl-C comes before all copies or after the function.
        """
        for place, (name, value) in enumerate(weights):
            self._stage_weight(place, name, value.detach().cpu())
        with interrupts.deferred():
            self._update_weights()
            then()

    @_everywhere
    def _stage_weight(self, place: int, name: str, value: Tensor) -> None:
        if not place:  # there may be parts of an update that an interrupt has ended
            self._staged.clear()
        own, part = self._weights.part(name, value)
        self._staged.append((own, part if part is not value else part.clone()))

    @_everywhere
    def _update_weights(self) -> None:
        self._weights.restore()
        self._weights.update(self._staged, self._staged.clear)

    @_everywhere
    def prepare_weights(self) -> None:
        """Prepare the weights on each rank. Packing may take long: no rank is given up meanwhile."""
        with self._patiently():
            prepare(self._weights, self._config)

    @property
    def _weights(self) -> RankWeights:
        weights = self.runner.model.weights
        assert weights is not None, "the loader divides modules"
        return cast(RankWeights, weights)

    # --- Blocks in stores ---

    @property
    def tier(self) -> Tier | None:
        """`Executor.tier`."""
        return self._ranked_tier

    def _is_alive(self) -> bool:
        return not self._dead and self._link.channel.failed is None

    @_everywhere
    def on_tier(self, name: str, *args: Any) -> Any:
        """Make a call of each rank's tier, and return this rank's result."""
        return getattr(self._tier, name)(*args)

    def copy_down(self, copies: Sequence[TierCopy]) -> None:
        """`Executor.copy_down`. Rank 0 alone knows which steps have had their results."""
        if copies and self._tier is not None:
            unreported = [number for number in self._in_flight if number not in self._reported]
            self._copy_down(copies, max(unreported, default=None))

    @_everywhere
    def _copy_down(self, copies: Sequence[TierCopy], step: int | None) -> None:
        assert self._tier is not None
        if step is not None:
            self._unconfirmed.add(step)
        self._tier.copy_down(copies, step)

    # --- Adapters: rank 0 decides which are in host memory; any thread may ask ---

    @property
    def adapter_modules(self) -> Mapping[str, tuple[int, int]]:
        """`Executor.adapter_modules`, of the whole model."""
        return {} if self.runner.adapters is None else self._weights.whole_linear_modules

    def add_adapter(self, adapter: LoraAdapter) -> bool:
        """`Executor.add_adapter`: each rank keeps its part."""
        with self._adapter_lock:
            if not super().add_adapter(self._weights.adapter_part(adapter)):
                return False
            self._tell("_mirror_adapters", adapter, frozenset(self._adapters.contents))
            return True

    def remove_adapter(self, content: str) -> bool:
        """`Executor.remove_adapter`."""
        with self._adapter_lock:
            if not super().remove_adapter(content):
                return False
            self._tell("_mirror_adapters", None, frozenset(self._adapters.contents))
            return True

    def has_adapter(self, content: str) -> bool:
        """`Executor.has_adapter`; waits for one that is being sent, since a step with it may come next."""
        with self._adapter_lock:
            return super().has_adapter(content)

    def _mirror_adapters(self, adapter: LoraAdapter | None, contents: frozenset[str]) -> None:
        """Have the adapters in host memory that rank 0 has. Those that the last step uses stay until a later call."""
        for gone in frozenset(self._adapters.contents) - contents:
            self._adapters.unhold(gone)
            self._adapters.unload(gone)
        if adapter is not None:
            self._adapters.hold(adapter.content)
            is_there = self._adapters.add(self._weights.adapter_part(adapter))
            assert is_there, "there is room for the adapters of a step beside those of rank 0"

    def _tell(self, name: str, *args: Any) -> None:
        """Have the other ranks make a call that rank 0 has made; from any thread."""
        try:
            with interrupts.deferred():
                self._link.channel.post(pickle.dumps((name, args), protocol=5))
        except RankFailure as error:
            self._dead = True
            raise _failed(self._link, error) from error

    @_everywhere
    def discard(self, kind: PoolKind, runs: Sequence[tuple[int, int]]) -> None:
        """`Executor.discard`."""
        super().discard(kind, runs)

    @_everywhere
    def sleep(self) -> None:
        """`Executor.sleep`."""
        super().sleep()

    @_everywhere
    def wake_up(self) -> None:
        """`Executor.wake_up`."""
        super().wake_up()

    @_everywhere
    def step_seconds(self, sizes: Sequence[int]) -> list[float]:
        """`Executor.step_seconds`."""
        return super().step_seconds(sizes)

    @_everywhere
    def draft_seconds(self, sizes: Sequence[int]) -> list[tuple[float, float]]:
        """`Executor.draft_seconds`."""
        return super().draft_seconds(sizes)

    @_everywhere
    def check(self) -> None:
        """`Executor.check`."""
        super().check()

    def write_prefixes(self, path: str | Path, prefixes: Any) -> None:
        """Refuse `Executor.write_prefixes`: each rank has a part of the blocks."""
        raise self._refused("saving prefixes")

    def read_prefixes(self, path: str | Path) -> NoReturn:
        """Refuse `Executor.read_prefixes`."""
        raise self._refused("loading prefixes")

    def _refused(self, what: str) -> ConfigError:
        return ConfigError(f"{what} needs all blocks in one process, and tensor_parallel_size is {self._link.world}")

    def shutdown(self) -> None:
        """End the other ranks."""
        if not self._dead:
            self._dead = True
            self._link.end()

    # --- Other ranks ---

    def serve(self) -> NoReturn:
        """Make rank 0's calls until it ends.

        Raises:
            Stopped: rank 0 has ended.
        """
        while True:
            try:
                name, args = pickle.loads(self._link.channel.receive())
            except RankFailure as error:
                raise Stopped(1) from error
            if name == _STOP:
                if self._tier is not None:
                    self._tier.close(_GRACE / 2)
                raise Stopped(0)
            self._make(name, args)

    def _make(self, name: str, args: Sequence[Any]) -> None:
        getattr(self, name)(*args)
        if name == "launch":  # no result is asked for here: the next steps but one may forget it
            self._reported.update(self._in_flight)


@dataclass(frozen=True, slots=True)
class RankedFactory:
    """Makes a rank's executor. On another rank than 0 it serves rank 0, and never returns."""

    link: Link

    def __call__(self, model: PagedModel, config: EngineConfig) -> RankedExecutor:
        """Make the executor."""
        executor = RankedExecutor(model, config, self.link)
        if self.link.rank:
            executor.serve()
        return executor


def explained(make: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function with an argument `executor`: if it fails on rank 0, all ranks end, and the error says why."""

    @functools.wraps(make)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return make(*args, **kwargs)
        except Exception as error:
            factory = kwargs.get("executor")
            if isinstance(factory, RankedFactory):
                raise_explained(factory.link, error)
            raise

    return call


def raise_explained(link: Link, error: Exception) -> NoReturn:
    """End all ranks because of an error in one of them, and raise the error of the one that failed first."""
    if link.rank == 0 and _is_of_another(link, error):
        raise _failed(link, error) from error
    if link.rank == 0:
        link.end()
    raise error


def _is_of_another(link: Link, error: BaseException) -> bool:
    """Tell if an error comes of another rank's failure. What fails on each rank has rank 0's own error."""
    said = str(error) if type(error) is RuntimeError else ""  # of an operator, and of one within a program
    is_of_wait = isinstance(error, RankFailure) or "torchpaged: rank" in said or "torchpaged_ranks" in said
    return is_of_wait and link.channel.failed is not None
