"""AdapterSlots: the tensors that a step reads adapters from, and which adapter is in which slot."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from torchpaged.errors import ConfigError, EngineError, ModelError, did_you_mean
from torchpaged.execution.upload import placed
from torchpaged.models.attention_metadata import AdapterPool, AdapterPools
from torchpaged.ops import devices
from torchpaged.utils.huge_pages import Region, lack_as_model_error
from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight, is_finite

_LINE = 64  # bytes between the ends of a region's tensors


@dataclass(frozen=True, slots=True)
class HostAdapter:
    """Adapter in the form that a slot has.

    Args:
        content: of the adapter.
        modules: by name, (a [rank, in_features], b [rank, out_features], transposed and scaled) in the model's dtype.
    """

    content: str
    modules: Mapping[str, tuple[Tensor, Tensor]]


class AdapterSlots:
    """Two pools for each linear module, stacked by slot, and copies of adapters in host memory.

    Host memory has the `max_cpu_loras` adapters used last, and slots hold up to `max_loras` of these. Adapters are
    known by content. `add`, `activate` and `use` count as uses; queries do not.

    Invariants, for every thread at every moment:
        - An adapter is in at most one slot, a slot has at most one adapter, and what is in a slot is in host memory.
        - There are at most `max_loras` adapters in slots and `max_cpu_loras` in host memory.
        - An adapter of the last `use` stays in its slot, and no byte of its slot changes.
        - A held adapter that is in host memory stays there.
        - Row `slot` of each pool has the numbers of the slot's adapter, and their rank; rank 0 for modules that it does
          not have. Behind the rank there may be anything.
        - An `add`, `activate` or `unload` that raises, or returns None or False, leaves adapters and slots as they
          were; only the order of use may have changed. A call that is interrupted twice, or `add` by Ctrl-C, may
          also have removed the adapter that had to make room.

    Threads: every method may be called from any thread. `load`, `add`, `activate`, `unload` and `check` are done one
    after the other, and so is a `use` of any; queries, `hold` and `unhold` do not wait for them. Reading the tensors
    takes no lock: a step uses the adapters that it reads before it begins, and none when its last read is done. On a
    GPU a write is queued on the calling thread's stream, which must be the step's.

    Args:
        modules: (out_features, in_features) of each linear module by name.
        max_loras: slots.
        max_cpu_loras: adapters in host memory.
        max_rank: the rank of the pools.
        dtype: the model's.
        device: of the pools.
        merged: names of modules that are computed by one product: their pools lie side by side, to be read by one call.

    Attributes:
        pools: what steps read.
        lora_a: by module, a view [max_loras, max_rank, in_features].
        lora_b: by module, a view [max_loras, max_rank, out_features].
        ranks: by module, a view [max_loras].

    Raises:
        ConfigError: sizes that cannot be.
        ModelError: the system has no memory for the pools.
    """

    def __init__(
        self,
        modules: Mapping[str, tuple[int, int]],
        max_loras: int,
        max_cpu_loras: int,
        max_rank: int,
        dtype: torch.dtype,
        device: torch.device,
        merged: Sequence[tuple[str, ...]] = (),
    ) -> None:
        for name, value, least in (
            ("max_loras", max_loras, 1),
            ("max_cpu_loras", max_cpu_loras, max_loras),
            ("max_lora_rank", max_rank, 1),
        ):
            if value < least:
                raise ConfigError(f"EngineConfig: {name} is {value}, expected at least {least}")
        self.max_loras, self.max_cpu_loras, self.max_rank = max_loras, max_cpu_loras, max_rank
        self.dtype, self.device, self._modules = dtype, device, dict(modules)
        with lack_as_model_error():
            self.pools = AdapterPools(self._allocate(_groups(self._modules, merged)))
        single = {name: self.pools.of((name,))[0] for name in self._modules}
        self.lora_a = {name: pool.lora_a for name, pool in single.items()}
        self.lora_b = {name: pool.lora_b for name, pool in single.items()}
        self.ranks = {name: pool.ranks[:, 0] for name, pool in single.items()}
        self._changing = threading.RLock()  # held by changes from their beginning to their end
        self._lock = threading.Lock()  # of the tables below, never held while numbers are copied
        self._host: OrderedDict[str, HostAdapter] = OrderedDict()  # the one used last is at the end
        self._slots: dict[str, int] = {}
        self._used: Collection[str] = ()  # of the last `use`
        self._held: set[str] = set()  # may have adapters that are not there yet

    # --- Queries ---

    @property
    def modules(self) -> Mapping[str, tuple[int, int]]:
        """(out_features, in_features) of each linear module by name."""
        return self._modules

    @property
    def active(self) -> Mapping[str, int]:
        """The slot of each adapter that is in one, by content."""
        with self._lock:
            return dict(self._slots)

    def has(self, content: str) -> bool:
        """Tell if an adapter is in host memory."""
        with self._lock:
            return content in self._host

    @property
    def contents(self) -> Collection[str]:
        """Contents of the adapters in host memory, the one used last at the end."""
        with self._lock:
            return list(self._host)

    def slot_of(self, content: str) -> int | None:
        """Return an adapter's slot; None if it is in none. It may leave the slot at any time unless it is in use."""
        with self._lock:
            return self._slots.get(content)

    # --- Changes ---

    def load(self, adapter: LoraAdapter) -> int | None:
        """Put an adapter into host memory and into a slot; see `add` and `activate`.

        Returns:
            The slot; None if all slots are in use. Then the adapter is in host memory, if there is room.
        """
        with self._changing:
            return self.activate(adapter.content) if self.add(adapter) else None

    def add(self, adapter: LoraAdapter) -> bool:
        """Put an adapter into host memory, where the least recently used one that is free may have to leave.

        Returns:
            False if there is no room: all adapters in host memory are in use or held.

        Raises:
            ModelError: it has a module, a shape or a rank that does not fit, or numbers beyond the model's dtype.
        """
        with self._changing:
            made = self._host.get(adapter.content) or self._made(adapter)
            with self._lock:
                if made.content not in self._host and len(self._host) == self.max_cpu_loras:
                    kept = self._held.union(self._used)
                    victim = next((each for each in self._host if each not in kept), None)
                    if victim is None:
                        return False
                    self._slots.pop(victim, None)
                    del self._host[victim]
                self._host[made.content] = made
                self._host.move_to_end(made.content)
            return True

    def activate(self, content: str) -> int | None:
        """Put an adapter of host memory into a slot, which the one that was used the longest ago may have to leave.

        Returns:
            The slot; None if all slots are in use.

        Raises:
            EngineError: the adapter is not in host memory.
        """
        with self._changing:
            if (adapter := self._host.get(content)) is None:
                raise EngineError(f"adapter {content:.12} is not in host memory; add it first")
            with self._lock:
                self._host.move_to_end(content)
                if content in self._slots:
                    return self._slots[content]
                free = set(range(self.max_loras)).difference(self._slots.values())
                unused = [each for each in self._host if each in self._slots and each not in self._used]
                if not free and not unused:
                    return None
                victim = None if free else unused[0]
                slot = min(free) if victim is None else self._slots.pop(victim)
            try:
                self._write(slot, adapter)
            except BaseException:
                if victim is not None:
                    self._write(slot, self._host[victim])
                    with self._lock:
                        self._slots[victim] = slot
                raise
            with self._lock:
                self._slots[content] = slot
            return slot

    def unload(self, content: str) -> bool:
        """Remove an adapter from its slot and from host memory. Returns False if it is in use, held or unknown."""
        with self._changing, self._lock:
            if content in self._used or content in self._held or content not in self._host:
                return False
            self._slots.pop(content, None)
            del self._host[content]
            return True

    def use(self, contents: Collection[str]) -> None:
        """Put all these adapters of host memory into slots, where they stay until the next call.

        Raises:
            EngineError: one of them is not in host memory, or they are more than there are slots.
        """
        if len(contents) > self.max_loras:
            raise EngineError(f"{len(contents)} adapters are to be used, expected at most {self.max_loras} (max_loras)")
        self._used = frozenset(contents)  # one assignment: an interrupted call leaves no pin behind
        for content in contents:
            self.activate(content)

    def hold(self, content: str) -> None:
        """Keep an adapter in host memory until `unhold`; it may not be there yet, and a second call changes nothing."""
        with self._lock:
            self._held.add(content)

    def unhold(self, content: str) -> None:
        """Undo `hold`; does nothing for an adapter that is not held."""
        with self._lock:
            self._held.discard(content)

    def check(self) -> None:
        """Assert the invariants."""
        with self._changing, self._lock:
            assert len(self._slots) <= self.max_loras and len(self._host) <= self.max_cpu_loras
            assert len(set(self._slots.values())) == len(self._slots), "two adapters are in one slot"
            assert set(self._slots.values()) <= set(range(self.max_loras))
            assert self._slots.keys() <= self._host.keys(), "an adapter is in a slot, but not in host memory"
            for content, slot in self._slots.items():
                own = self._host[content].modules
                ranks = self._ranks[slot].tolist()
                for place, name in enumerate(self._order):
                    rank = len(own[name][0]) if name in own else 0
                    assert ranks[place] == rank, f"{name} in slot {slot} has rank {ranks[place]}, expected {rank}"
                    for pool, part in ((self.lora_a, 0), (self.lora_b, 1)):
                        row = pool[name][slot, :rank]
                        assert not rank or torch.equal(row.cpu(), own[name][part]), f"{name} in slot {slot}"

    # --- Memory ---

    def _allocate(self, groups: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], AdapterPool]:
        """Allocate zeroed pools; on a CPU their pages are allocated at the first write."""
        sizes = {names: tuple(self._modules[name][0] for name in names) for names in groups}
        shapes = {
            names: (
                (self.max_loras, len(names) * self.max_rank, self._modules[names[0]][1]),
                (self.max_loras, self.max_rank, sum(sizes[names])),
            )
            for names in groups
        }
        if self.device.type != "cpu":
            with devices.current(self.device):
                made = {
                    names: [torch.zeros(*each, dtype=self.dtype, device=self.device) for each in pair]
                    for names, pair in shapes.items()
                }
        else:
            item = self.dtype.itemsize
            num_bytes = [math.prod(shape) * item for pair in shapes.values() for shape in pair]
            region = Region(sum(-(-size // _LINE) * _LINE for size in num_bytes))
            made = {names: [region.zeros(each, self.dtype) for each in pair] for names, pair in shapes.items()}
            region.close()
        self._order = [name for names in groups for name in names]
        self._ranks = torch.zeros(self.max_loras, len(self._order), dtype=torch.int32, device=self.device)
        ranks = self._ranks.split([len(names) for names in groups], dim=1)
        of_groups = zip(made.items(), ranks, strict=True)
        return {names: AdapterPool(a, b, each, sizes[names]) for (names, (a, b)), each in of_groups}

    def _made(self, adapter: LoraAdapter) -> HostAdapter:
        return HostAdapter(adapter.content, {name: self._parts(name, each) for name, each in adapter.modules.items()})

    @torch.inference_mode()
    def _parts(self, name: str, weight: LoraWeight) -> tuple[Tensor, Tensor]:
        """Return a module's numbers as a slot has them, in memory of their own."""
        if name not in self._modules:
            raise ModelError(
                f"adapter: the model has no linear module {name!r:.200}{did_you_mean(name, self._modules)}"
            )
        (outputs, inputs), rank = self._modules[name], weight.rank
        if rank > self.max_rank:
            raise ModelError(f"adapter: {name!r} has rank {rank}, expected at most {self.max_rank} (max_lora_rank)")
        if weight.a.shape != (rank, inputs) or weight.b.shape != (outputs, rank):
            found, expected = (tuple(weight.a.shape), tuple(weight.b.shape)), ((rank, inputs), (outputs, rank))
            raise ModelError(f"adapter: {name!r} has tensors of shapes {found}, expected {expected}")
        a = weight.a.to("cpu", self.dtype, copy=True)
        b = (weight.b.cpu().float() * weight.scale).to(self.dtype).T.contiguous()
        if not (is_finite(a) and is_finite(b)):
            raise ModelError(
                f"adapter: {name!r} with scale {weight.scale:g} has numbers that are not finite in {self.dtype}"
            )
        return self._pinned(a), self._pinned(b)

    def _pinned(self, values: Tensor) -> Tensor:
        """Return numbers in memory from which a copy to the device does not wait for it; on the CPU as they are."""
        if self.device.type == "cpu":
            return values
        with devices.current(self.device):
            return torch.empty(values.shape, dtype=values.dtype, pin_memory=True).copy_(values)

    @torch.inference_mode()
    def _write(self, slot: int, adapter: HostAdapter) -> None:
        """Write an adapter into a slot that is in no table, so that nothing reads it. Other slots are not touched.

        On a GPU the writes are queued behind the steps that read the slot before.
        """
        own = adapter.modules
        for name, (a, b) in own.items():
            self.lora_a[name][slot, : len(a)].copy_(a, non_blocking=True)
            self.lora_b[name][slot, : len(b)].copy_(b, non_blocking=True)
        ranks = np.array([len(own[name][0]) if name in own else 0 for name in self._order], dtype=np.int32)
        self._ranks[slot].copy_(placed(ranks, self.device))


def _groups(modules: Mapping[str, tuple[int, int]], merged: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return each module once: with those that it is merged with, or alone."""
    found = [names for names in merged if len(names) > 1 and set(names) <= modules.keys()]
    together = {name for names in found for name in names}
    return [*found, *((name,) for name in modules if name not in together)]
