"""AdapterSlots: against a simple model over random runs, through failures, and beside readers in other threads."""

from __future__ import annotations

import itertools
import random
import threading
from typing import Any

import pytest
import torch
from torch import Tensor

from torchpaged.errors import ConfigError, EngineError, ModelError
from torchpaged.execution.adapter_slots import AdapterSlots
from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight

MODULES = {"0.q": (24, 16), "0.down": (16, 40), "1.q": (24, 16)}
RANK = 8


def adapter(seed: int, *, scale: float | None = None, rank: int | None = None) -> LoraAdapter:
    """Return a random adapter of some modules and ranks."""
    rng, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    names = rng.sample(sorted(MODULES), rng.randint(1, len(MODULES)))
    modules = {}
    for name in names:
        r, (outputs, inputs) = rank or rng.randint(1, RANK), MODULES[name]
        a, b = torch.randn(r, inputs, generator=generator), torch.randn(outputs, r, generator=generator)
        modules[name] = LoraWeight(a, b, rng.choice([0.5, 2.0, 0.3]) if scale is None else scale)
    return LoraAdapter.of(modules)


def slots(max_loras: int = 2, max_cpu_loras: int = 4, dtype: torch.dtype = torch.float32) -> AdapterSlots:
    return AdapterSlots(MODULES, max_loras, max_cpu_loras, RANK, dtype, torch.device("cpu"))


def update(pools: AdapterSlots, name: str, slot: int) -> Tensor:
    """Return what a slot adds to a module's weight."""
    rank = int(pools.ranks[name][slot])
    return pools.lora_b[name][slot, :rank].T @ pools.lora_a[name][slot, :rank]


def rows(pools: AdapterSlots, slot: int) -> list[Tensor]:
    return [pool[name][slot].clone() for pool in (pools.lora_a, pools.lora_b, pools.ranks) for name in MODULES]


def test_a_slot_has_the_adapter_s_numbers_and_ranks() -> None:
    pools = slots()
    for seed in (1, 2, 3, 4):
        one = adapter(seed)
        slot = pools.load(one)
        assert slot is not None and pools.slot_of(one.content) == slot
        for name, (outputs, inputs) in MODULES.items():
            weight = one.modules.get(name)
            expected = torch.zeros(outputs, inputs) if weight is None else weight.scale * (weight.b @ weight.a)
            assert torch.allclose(update(pools, name, slot), expected, rtol=1e-5, atol=1e-5)
        pools.check()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_numbers_are_rounded_once(dtype: torch.dtype) -> None:
    pools, one = slots(dtype=dtype), adapter(3)
    slot = pools.load(one)
    assert slot is not None
    for name, weight in one.modules.items():
        assert torch.equal(pools.lora_a[name][slot, : weight.rank], weight.a.to(dtype))
        assert torch.equal(pools.lora_b[name][slot, : weight.rank], (weight.b * weight.scale).T.to(dtype))
    pools.check()


def test_tensors_of_the_caller_may_change_afterwards() -> None:
    pools, one = slots(), adapter(1)
    pools.load(one)
    for weight in one.modules.values():
        weight.a.zero_()
        weight.b.zero_()
    pools.check()
    pools.load(adapter(2))
    pools.load(adapter(3))
    pools.activate(one.content)
    assert any(update(pools, name, 0).any() for name in MODULES)
    pools.check()


def test_the_least_recently_used_leaves_its_slot_and_then_host_memory() -> None:
    pools = slots()
    all = [adapter(seed) for seed in range(5)]
    for each in all[:4]:
        pools.load(each)
    assert set(pools.active) == {all[2].content, all[3].content}
    assert pools.activate(all[0].content) == 0  # in the place of 2
    pools.use([all[3].content])
    assert pools.slot_of(all[3].content) == 1
    pools.use([])
    pools.load(all[4])
    assert pools.contents == [all[2].content, all[0].content, all[3].content, all[4].content]
    assert set(pools.active) == {all[3].content, all[4].content}
    with pytest.raises(EngineError, match="not in host memory"):
        pools.activate(all[1].content)
    pools.check()


def test_adapters_in_use_stay() -> None:
    pools = slots(max_cpu_loras=3)
    one, two, three, four = (adapter(seed) for seed in range(4))
    pools.load(one)
    pools.use([one.content])
    before = rows(pools, 0)
    for each in (two, three, four, two):
        assert pools.load(each) == 1
    pools.use([two.content, one.content])
    assert pools.active == {one.content: 0, two.content: 1}
    assert pools.load(three) is None and three.content in pools.contents
    assert not pools.unload(one.content) and not pools.unload("x")
    assert all(torch.equal(old, new) for old, new in zip(before, rows(pools, 0), strict=True))
    pools.use([two.content])
    assert pools.load(three) == 0 and pools.unload(three.content)
    assert pools.slot_of(three.content) is None
    pools.check()


def test_a_use_needs_slots_and_host_memory() -> None:
    pools = slots(max_loras=1)
    one, two = adapter(1), adapter(2)
    pools.load(one)
    with pytest.raises(EngineError, match="2 adapters are to be used, expected at most 1"):
        pools.use([one.content, two.content])
    with pytest.raises(EngineError, match="not in host memory"):
        pools.use([two.content])
    pools.use([one.content])
    pools.check()


def test_host_memory_full_of_adapters_in_use() -> None:
    pools = slots(max_cpu_loras=2)
    for seed in (1, 2):
        pools.load(adapter(seed))
    pools.use([adapter(1).content, adapter(2).content])
    assert not pools.add(adapter(3)) and pools.load(adapter(3)) is None
    assert pools.load(adapter(1)) == 0
    pools.check()


def test_held_adapters_stay_in_host_memory() -> None:
    """Also one that came after it was held; they may leave their slots."""
    pools = slots(max_loras=1, max_cpu_loras=2)
    one, two, three = (adapter(seed) for seed in range(3))
    pools.hold(one.content)
    pools.hold(one.content)
    assert not pools.has(one.content) and pools.add(one) and pools.load(two) == 0 and pools.load(three) == 0
    assert pools.contents == [one.content, three.content] and not pools.unload(one.content)
    pools.hold(three.content)
    assert pools.load(two) is None and pools.load(one) == 0 and pools.slot_of(three.content) is None
    pools.check()
    pools.unhold(one.content)
    pools.unhold(two.content)
    assert pools.load(two) == 0 and pools.contents == [three.content, two.content] and not pools.has(one.content)
    pools.check()


def _other(**change: object) -> LoraAdapter:
    name, weight = next(iter(adapter(1).modules.items()))
    values = {"a": weight.a, "b": weight.b, "scale": weight.scale, **change}
    return LoraAdapter.of({name: LoraWeight(**values)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (LoraAdapter.of({"2.q": LoraWeight(torch.ones(1, 16), torch.ones(24, 1), 1.0)}), "no linear module '2.q'; did"),
        (adapter(1, rank=9), "rank 9, expected at most 8"),
        (_other(a=torch.ones(2, 5)), "shapes"),
        (_other(b=torch.ones(5, 2)), "shapes"),
        (_other(b=torch.ones(5)), "shapes"),
        (adapter(1, scale=1e38), "not finite in torch.float16"),
        (adapter(1, scale=1e5), "not finite in torch.float16"),
        (adapter(1, scale=float("nan")), "not finite"),
    ],
    ids=["module", "rank", "a", "b", "flat", "float32", "float16", "nan"],
)
def test_adapters_that_do_not_fit_change_nothing(one: LoraAdapter, message: str) -> None:
    pools = slots(max_cpu_loras=2, dtype=torch.float16)
    for seed in (2, 3):
        pools.load(adapter(seed))
    before = [*rows(pools, 0), *rows(pools, 1)], pools.active, pools.contents
    with pytest.raises(ModelError, match=message):
        pools.load(one)
    assert all(torch.equal(old, new) for old, new in zip(before[0], [*rows(pools, 0), *rows(pools, 1)], strict=True))
    assert (pools.active, pools.contents) == before[1:]
    pools.check()


@pytest.mark.parametrize("at", range(8))
def test_an_interrupted_write_changes_nothing(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pools = slots()
    loaded = [adapter(seed) for seed in range(4)]
    for each in loaded:
        pools.load(each)
    before = [*rows(pools, 0), *rows(pools, 1)], pools.active
    own, left = Tensor.copy_, at

    def interrupted(self: Tensor, other: Tensor, **options: Any) -> Tensor:
        nonlocal left
        left -= 1
        if left == -1:
            raise KeyboardInterrupt
        return own(self, other, **options)

    monkeypatch.setattr(Tensor, "copy_", interrupted)
    try:
        slot = pools.activate(loaded[0].content)
    except KeyboardInterrupt:
        after = [*rows(pools, 0), *rows(pools, 1)]
        assert all(torch.equal(old, new) for old, new in zip(before[0], after, strict=True))
        assert pools.active == before[1]
    else:
        assert slot is not None and left >= 0
    pools.check()
    monkeypatch.undo()
    pools.activate(loaded[0].content)
    pools.check()


def test_a_write_that_fails_twice_leaves_the_slot_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = slots(1, 2)
    one, two = adapter(1), adapter(2)
    pools.load(one)
    pools.add(two)

    def fails(self: Tensor, *_: Any, **__: Any) -> Tensor:
        raise KeyboardInterrupt

    monkeypatch.setattr(Tensor, "copy_", fails)
    with pytest.raises(KeyboardInterrupt):
        pools.activate(two.content)
    assert pools.active == {} and pools.contents == [one.content, two.content]
    monkeypatch.undo()
    for each in (one, two, one):
        assert pools.load(each) == 0
        pools.check()


@pytest.mark.parametrize(
    ("sizes", "name"), [((0, 1, 1), "max_loras"), ((2, 1, 1), "max_cpu"), ((1, 1, 0), "max_lora_r")]
)
def test_sizes_that_cannot_be_are_refused(sizes: tuple[int, int, int], name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        AdapterSlots(MODULES, *sizes, torch.float32, torch.device("cpu"))


class Simple:
    """The tables alone, written as plainly as possible: contents in order of use, slots, and what stays."""

    def __init__(self, max_loras: int, max_cpu: int) -> None:
        self.max_loras, self.max_cpu = max_loras, max_cpu
        self.order: list[str] = []
        self.slots: list[str | None] = [None] * max_loras
        self.used: set[str] = set()
        self.held: set[str] = set()

    def note_use(self, content: str) -> None:
        self.order.remove(content)
        self.order.append(content)

    def drop(self, content: str) -> None:
        self.order.remove(content)
        self.slots = [None if each == content else each for each in self.slots]

    def add(self, content: str) -> bool:
        if content not in self.order:
            if len(self.order) == self.max_cpu:
                loose = [each for each in self.order if each not in self.used | self.held]
                if not loose:
                    return False
                self.drop(loose[0])
            self.order.append(content)
        self.note_use(content)
        return True

    def activate(self, content: str) -> int | None:
        self.note_use(content)
        if content in self.slots:
            return self.slots.index(content)
        if None not in self.slots:
            loose = [each for each in self.order if each in self.slots and each not in self.used]
            if not loose:
                return None
            self.slots[self.slots.index(loose[0])] = content
        else:
            self.slots[self.slots.index(None)] = content
        return self.slots.index(content)


@pytest.mark.parametrize("seed", range(4))
def test_random_runs_agree_with_a_simple_model(seed: int) -> None:
    rng = random.Random(seed)
    max_loras = rng.randint(1, 4)
    max_cpu = max_loras + rng.randint(0, 4)
    pools, simple = slots(max_loras, max_cpu), Simple(max_loras, max_cpu)
    all = [adapter(100 * seed + number) for number in range(12)]
    for step in range(400):
        one = rng.choice(all)
        kind = rng.choice(("load", "load", "add", "activate", "unload", "use", "use", "hold", "unhold"))
        if kind == "load":
            assert pools.load(one) == (simple.activate(one.content) if simple.add(one.content) else None)
        elif kind == "add":
            assert pools.add(one) == simple.add(one.content)
        elif kind == "activate" and one.content in simple.order:
            assert pools.activate(one.content) == simple.activate(one.content)
        elif kind == "unload":
            possible = one.content in simple.order and one.content not in simple.used | simple.held
            assert pools.unload(one.content) == possible
            if possible:
                simple.drop(one.content)
        elif kind == "use":
            contents = rng.sample(simple.order, rng.randint(0, min(max_loras, len(simple.order))))
            pools.use(contents)
            simple.used = set(contents)
            for each in contents:
                assert simple.activate(each) is not None
        elif kind == "hold" and rng.random() < 0.3:
            pools.hold(one.content)
            simple.held.add(one.content)
        elif kind == "unhold":
            pools.unhold(one.content)
            simple.held.discard(one.content)
        assert pools.contents == simple.order
        assert pools.active == {each: slot for slot, each in enumerate(simple.slots) if each is not None}
        if step % 10 == 0:
            pools.check()
    pools.check()


def test_a_reader_of_slots_in_use_sees_its_adapters_while_others_load() -> None:
    pools, all = slots(3, 6), [adapter(seed) for seed in range(8)]
    errors: list[BaseException] = []
    reads = 0

    def load(seed: int) -> None:
        rng = random.Random(seed)
        try:
            for count in itertools.count():
                if count >= 150 and (reads or errors):
                    break
                one = rng.choice(all)
                pools.load(one) if rng.random() < 0.8 else pools.unload(one.content)
        except BaseException as error:
            errors.append(error)

    def read(seed: int) -> None:
        nonlocal reads
        rng = random.Random(seed)
        try:
            while any(each.is_alive() for each in loaders):
                some = rng.sample(all, 2)
                try:
                    pools.use([each.content for each in some])
                except EngineError:  # one was unloaded
                    continue
                for one in some:
                    slot = pools.slot_of(one.content)
                    assert slot is not None
                    for name, weight in one.modules.items():
                        assert torch.equal(pools.lora_a[name][slot, : weight.rank], weight.a)
                        assert pools.ranks[name][slot] == weight.rank
                pools.use([])
                reads += 1
        except BaseException as error:
            errors.append(error)

    loaders = [threading.Thread(target=load, args=(seed,)) for seed in range(2)]
    readers = [threading.Thread(target=read, args=(0,))]
    for each in (*loaders, *readers):
        each.start()
    for each in (*loaders, *readers):
        each.join()
    assert not errors, errors
    pools.check()
