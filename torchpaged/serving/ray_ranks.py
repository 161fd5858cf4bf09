"""Ranks in Ray's actors, for `distributed_executor_backend="ray"`: rank 0 is in the process that makes the engine."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import ray
import torch
from ray.util.placement_group import PlacementGroup, placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from torchpaged.engine import rank_worker
from torchpaged.errors import ConfigError
from torchpaged.execution.ranks.ending import Stopped
from torchpaged.execution.ranks.launch import join_store, machine
from torchpaged.execution.ranks.link import Link

# Seconds in which the cluster must have room for the other ranks, and their processes must have begun.
_PLACING, _BEGINNING = 120.0, 300.0


class _Rank:
    """Another rank than 0."""

    def begin(self) -> None:
        """Do nothing: the process has begun."""

    def serve(self, address: str, port: int, rank: int, world: int, arguments: Sequence[Any]) -> None:
        """Serve rank 0 until it ends."""
        import torch.distributed as dist

        cpus = _assigned("CPU")
        torch.set_num_threads(max(1, int(cpus)))
        store = dist.PrefixStore("torchpaged", dist.TCPStore(address, port, world, is_master=False))
        with contextlib.suppress(Stopped):
            rank_worker.work_in_store(store, rank, world, *arguments)


class _RankFailed(Exception):
    """Raised for a rank that has failed.

    Args:
        number: of the rank, less one.
    """

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.error_index = number


class _Actors:
    """The other ranks: `Started`.

    Args:
        actors: of class `_Rank`.
        served: of each, the result of `serve`.
        placement: to remove with them; None: it is that of this process.
    """

    def __init__(self, actors: Sequence[Any], served: Sequence[Any], placement: PlacementGroup | None) -> None:
        self._actors, self._served, self._placement = actors, list(served), placement

    def join(self, timeout: float) -> bool:
        """Wait until all have ended. Raises _RankFailed if one has failed."""
        done, left = ray.wait(self._served, num_returns=len(self._served), timeout=timeout)
        for each in done:
            try:
                ray.get(each)
            except Exception as error:
                raise _RankFailed(self._served.index(each), str(error)) from None
        return not left

    def wait(self, seconds: float) -> None:
        """Wait until all have ended, at most so many seconds."""
        with contextlib.suppress(Exception):  # this process is no longer connected to Ray
            ray.wait(self._served, num_returns=len(self._served), timeout=seconds)

    def kill(self) -> None:
        """End those that have not, and give back their room."""
        with contextlib.suppress(Exception):
            for each in self._actors:
                ray.kill(each)
            if self._placement is not None:
                remove_placement_group(self._placement)


def _assigned(kind: str) -> float:
    """Return how many CPUs or GPUs Ray has assigned to this process."""
    found = ray.get_runtime_context().get_assigned_resources()
    return max((count for name, count in found.items() if name.split("_")[0] == kind), default=0.0)


def start(world: int, arguments: Sequence[Any], device: torch.device) -> Link:
    """Start the other ranks, each with as many CPUs and GPUs as this process has, and return rank 0's link.

    Their places are those behind the first of this process's placement group, as Ray Serve makes it, or those of a
    new one, which lives as long as this actor: it finds it again after a restart.

    Args:
        arguments: of `rank_worker.work_in_store`.
        device: of the model.

    Raises:
        ConfigError: this process is not connected to Ray, or the cluster has no room.
        EngineError: a rank has ended.
    """
    import torch.distributed as dist

    if not ray.is_initialized():
        raise ConfigError(
            f"LLM: tensor_parallel_size is {world} and distributed_executor_backend is 'ray', but this process is not "
            "connected to Ray; call ray.init() before"
        )
    bundle = {"CPU": _assigned("CPU") or 1.0}
    if device.type == "cuda":
        bundle["GPU"] = _assigned("GPU") or 1.0
    placement, own = ray.util.get_current_placement_group(), None
    first = 1
    if placement is None or placement.bundle_count < world:
        placement, first = _placement(world - 1, bundle), 0
        own = placement
    if not placement.wait(_PLACING):
        _Actors((), (), own).kill()
        raise ConfigError(
            f"LLM: tensor_parallel_size is {world}, but the cluster has no room for {world - 1} more ranks with "
            f"{bundle} each; it has {ray.available_resources()}"
        )
    actors = [
        ray.remote(_Rank)
        .options(
            num_cpus=bundle["CPU"],
            num_gpus=bundle.get("GPU", 0),
            scheduling_strategy=PlacementGroupSchedulingStrategy(placement, placement_group_bundle_index=first + each),
        )
        .remote()
        for each in range(world - 1)
    ]
    ray.get([each.begin.remote() for each in actors], timeout=_BEGINNING)
    address = ray.util.get_node_ip_address()
    store = dist.TCPStore(address, 0, world, is_master=True, wait_for_workers=False)
    served = [
        each.serve.remote(address, store.port, rank, world, arguments) for rank, each in enumerate(actors, start=1)
    ]
    return join_store(dist.PrefixStore("torchpaged", store), 0, world, machine(), device, _Actors(actors, served, own))


def _placement(count: int, bundle: dict[str, float]) -> PlacementGroup:
    """Return a placement group of this actor."""
    actor = ray.get_runtime_context().get_actor_id()
    name = "" if actor is None else f"torchpaged-{actor}"
    with contextlib.suppress(ValueError):  # there is none
        if name:
            return ray.util.get_placement_group(name)
    return placement_group([bundle] * count, strategy="PACK", name=name)
