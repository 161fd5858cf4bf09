"""A rank's executor: which calls are sent to all ranks, and the loop in which the others make them."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar, cast

import torch
from torch import Tensor

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, EngineDeadError, EngineError
from torchpaged.execution.executor import LocalExecutor, Tier
from torchpaged.execution.logit_bias import Mask
from torchpaged.execution.model_runner import ModelRunner
from torchpaged.execution.pool_bytes import PoolBytes
from torchpaged.execution.prefix_file import fingerprint
from torchpaged.execution.ranks.ending import GRACE, Stopped, end, failed, is_of_another, raise_explained
from torchpaged.execution.ranks.link import STOP, Link, receive, send
from torchpaged.execution.ranks.tier import RankedTier, RankTier
from torchpaged.execution.tier_io import TierIO
from torchpaged.execution.tier_store import open_tier, renew_tier
from torchpaged.kv_cache import PoolKind, TierCopy
from torchpaged.models.model import PagedModel, RankWeights, prepare
from torchpaged.ops.collectives import RankFailure, least
from torchpaged.prefix_store import KVStore
from torchpaged.scheduling import Results, Step
from torchpaged.utils import environment, interrupts
from torchpaged.weights.lora_adapter import LoraAdapter

_P = ParamSpec("_P")
_R = TypeVar("_R")


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
        self._checks = environment.switch(environment.CHECK_RANKS)
        self._agree([int(self._checks)], environment.CHECK_RANKS)
        super().__init__(model, config)
        self._ranked_tier: RankedTier | None = None
        if self._tier is not None:
            self._ranked_tier = RankedTier(cast(RankTier, self._tier), self.on_tier, self._is_alive)
        if self.runner.device.type == "cpu":  # the ranks take memory of one machine
            self.block_bytes: Mapping[PoolKind, int] = {
                kind: size * link.num_local for kind, size in self.block_bytes.items()
            }
        link.channel.set_limit(environment.rank_timeout())

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
            self._link.channel.set_limit(environment.rank_timeout())

    def _agree(self, numbers: Sequence[int], what: str) -> None:
        both = [*numbers, *(-each for each in numbers)]
        if least(self._link.channel, both) != both:
            raise ConfigError(f"{what} differs between ranks; give all the same")

    # --- Rank 0 ---

    def require_alive(self) -> None:
        """Raise EngineDeadError if a rank has failed."""
        if self._dead:
            raise EngineDeadError("a rank has failed, and all ranks have ended; make another engine")
        if self._link.channel.failed is not None:
            self._dead = True
            raise failed(self._link, RankFailure("it has ended"))

    def together(self, name: str, args: Sequence[Any], call: Callable[[], _R]) -> _R:
        """Send a call to the other ranks, and make it. If it fails, all ranks end."""
        self._is_inside = True
        try:
            send(self._link.channel, name, args)
            return call()
        except BaseException as error:
            self._dead = True
            if is_of_another(self._link, error):
                raise failed(self._link, error) from error
            self._link.channel.give_up(0)
            end(self._link)
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
                send(self._link.channel, name, args)
        except RankFailure as error:
            self._dead = True
            raise failed(self._link, error) from error

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
            end(self._link)

    # --- Other ranks ---

    def serve(self) -> NoReturn:
        """Make rank 0's calls until it ends.

        Raises:
            Stopped: rank 0 has ended.
        """
        while True:
            try:
                name, args = receive(self._link.channel)
            except RankFailure as error:
                raise Stopped(1) from error
            if name == STOP:
                if self._tier is not None:
                    self._tier.close(GRACE / 2)
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
