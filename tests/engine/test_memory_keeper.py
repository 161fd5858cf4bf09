"""An engine whose pool follows the free memory: a neighbour, waiting requests, the thread, forks and interrupts."""

from __future__ import annotations

import gc
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tests import forks
from tests.fakes import EOS, FakeModel, drain, follow
from torchpaged import EngineConfig, LLMEngine, SamplingParams
from torchpaged.engine import memory_keeper
from torchpaged.errors import EngineError
from torchpaged.execution import paged_kv_cache
from torchpaged.execution.executor import LocalExecutor
from torchpaged.kv_cache import PoolKind, memory_limit
from torchpaged.utils.huge_pages import can_discard

pytestmark = pytest.mark.skipif(not can_discard(), reason="Linux only")

BLOCK = 4 * 16 * 4  # bytes of a block of 4 tokens


class Machine:
    """Memory of `total` bytes that an engine and a neighbour share, and the engine's clock.

    Attributes:
        neighbour: bytes of the neighbour.
        discarded: runs of blocks that were given back.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.total, self.neighbour, self.now = 100_000, 0, 0.0
        self.engine: LLMEngine | None = None
        self.discarded: list[tuple[int, int]] = []
        self.lowest = self.total  # bytes that were free
        monkeypatch.setattr(memory_keeper, "available_memory", self.free)
        monkeypatch.setattr(paged_kv_cache, "available_memory", self.free)
        monkeypatch.setattr(memory_keeper.time, "sleep", self.sleep)
        monkeypatch.setattr(memory_limit, "_PIECE", 4 * BLOCK)
        monkeypatch.setattr(memory_keeper, "_PERIOD", 3600.0)
        discard = LocalExecutor.discard

        def noted(executor: LocalExecutor, kind: PoolKind, runs: list[tuple[int, int]]) -> None:
            self.discarded += runs
            discard(executor, kind, runs)

        monkeypatch.setattr(LocalExecutor, "discard", noted)

    @property
    def taken(self) -> int:
        """Bytes of the engine's blocks."""
        if self.engine is None or self.engine.is_shut_down:
            return 0
        return self.engine.scheduler.manager._limit.taken  # type: ignore[union-attr]

    def free(self) -> int:
        """Return what is left."""
        free = self.total - self.neighbour - self.taken
        self.lowest = min(self.lowest, free)
        return max(0, free)

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    def make(self, model: FakeModel | None = None, **settings: object) -> LLMEngine:
        """Return an engine on this machine."""
        config = EngineConfig(**{"block_size": 4, **settings})  # type: ignore[arg-type]
        self.engine = LLMEngine(model or FakeModel(), config, eos_token_ids=[EOS])
        if (limit := self.engine.scheduler.manager._limit) is not None:
            limit.clock = self.clock
            reclaimer = self.engine.scheduler.manager.reclaimer
            assert reclaimer is not None
            reclaimer._ticked = 0.0
        return self.engine

    def clock(self) -> float:
        """Return the time; each look takes a moment."""
        self.now += 1e-3
        return self.now


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setattr(memory_keeper, "_PERIOD", 3600.0)  # the thread does nothing, unless a test wants it to
    machine = Machine(monkeypatch)
    yield machine
    if machine.engine is not None:
        machine.engine.shutdown()


def prompt(number: int, length: int = 30) -> list[int]:
    return [2 + (number + i * (1 + number % 5)) % 30 for i in range(length)]


def add(engine: LLMEngine, count: int, length: int = 30, max_tokens: int = 30) -> dict[str, list[int]]:
    """Add requests; return the expected tokens by id."""
    params = SamplingParams(temperature=0, max_tokens=max_tokens)
    for number in range(count):
        engine.add_request(str(number), prompt(number, length), params)
    return {str(number): follow(prompt(number, length), max_tokens) for number in range(count)}


def tokens(engine: LLMEngine) -> dict[str, list[int]]:
    return {name: list(output.outputs[0].token_ids) for name, output in drain(engine).items()}


def test_what_is_reserved_taken_and_allowed(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "torchpaged")
    engine = machine.make()
    assert engine.executor.num_blocks == 90_000 // BLOCK == 351
    assert "KV cache: 350 blocks of 4 tokens; 0.1 MiB are reserved, 0.0 MiB taken, the limit is 0.1 MiB" in caplog.text
    assert "follows the free memory" in caplog.text
    memory = engine.stats().memory
    assert (memory.reserved, memory.taken, memory.limit) == (351 * BLOCK, BLOCK, 351 * BLOCK)
    machine.neighbour = 60_000
    assert engine.stats().memory.limit == 36_000
    expected = add(engine, 4)
    assert tokens(engine) == expected
    taken = engine.stats().memory.taken
    assert 4 * 15 * BLOCK <= taken <= 36_000
    values = {each.name: each.value for each in engine.get_metrics() if each.name.startswith("torchpaged:kv_cache")}
    assert values == {
        "torchpaged:kv_cache_reserved_bytes": 351 * BLOCK,
        "torchpaged:kv_cache_taken_bytes": taken,
        "torchpaged:kv_cache_limit_bytes": 36_000,
    }


@pytest.mark.parametrize(
    "settings", [{"num_blocks": 351}, {"kv_cache_memory_bytes": 351 * BLOCK}], ids=["blocks", "bytes"]
)
def test_a_size_that_was_set_is_kept(machine: Machine, settings: dict[str, int]) -> None:
    engine = machine.make(**settings)
    assert engine._keeper is None
    machine.neighbour = machine.total
    expected = add(engine, 20)
    assert tokens(engine) == expected
    memory = engine.stats().memory
    assert memory.reserved == memory.limit == 351 * BLOCK and 20 * 15 * BLOCK < memory.taken <= memory.reserved
    assert engine.scheduler.sequence_table.num_preemptions == 0 and not machine.discarded


@pytest.mark.parametrize("settings", [{}, {"swap_space": 0.001, "preemption_mode": "swap"}], ids=["recompute", "swap"])
@pytest.mark.parametrize("at", [0, 3, 12])
def test_a_neighbour_takes_half_later(machine: Machine, at: int, settings: dict[str, object]) -> None:
    """Requests wait, none is lost or changed, and the neighbour finds memory whenever it takes some."""
    engine = machine.make(**settings)
    expected = add(engine, 15, max_tokens=60)  # 345 blocks of 351
    done: dict[str, list[int]] = {}
    for number in range(1000):
        if number >= at and machine.neighbour < 48_000:
            machine.neighbour += 1_500
        if engine._keeper is not None:
            engine._keeper._is_due = True  # a second has passed
        for output in engine.step():
            if output.finished:
                done[output.request_id] = list(output.outputs[0].token_ids)
        engine.check()
        if not engine.has_unfinished_requests:
            break
    assert done == expected
    assert machine.lowest >= 0, "the neighbour found no memory"
    assert machine.neighbour == 48_000
    assert engine.stats().memory.taken <= 0.95 * 52_000, "more than the limit and half of the rest"
    assert engine.scheduler.sequence_table.num_preemptions > 0


def test_a_request_waits_for_memory(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    engine = machine.make()
    expected = add(engine, 2, max_tokens=60)
    for _ in range(10):
        engine.step()
    machine.neighbour = machine.total - machine.taken
    engine.scheduler.manager.pool.withdraw()
    done = 0
    while not engine.scheduler.starved:
        done += len([output for output in engine.step() if output.finished])
        engine.check()
    assert not done, "one of two requests cannot have ended with the other's blocks alone"
    num_tokens = engine.num_generated_tokens
    for _ in range(100):
        assert not engine.step()
    assert engine.num_generated_tokens == num_tokens and engine.stats().waits["memory"] >= 100
    assert "a request waits for memory: the pool has 0.0 of 0.1 MiB" in caplog.text
    machine.neighbour = 0
    assert tokens(engine) == expected


def test_a_request_that_finds_no_memory_ends_with_the_numbers(machine: Machine) -> None:
    engine = machine.make()
    expected = add(engine, 2, max_tokens=60)
    for _ in range(5):
        engine.step()
    machine.neighbour = machine.total - machine.taken
    engine.scheduler.manager.pool.withdraw()
    outputs = {}
    begun = machine.now
    while engine.has_unfinished_requests:
        for output in engine.step():
            if output.finished:
                outputs[output.request_id] = output.outputs[0]
                machine.neighbour = 0  # ended by hand, when the first request has failed
        engine.check()
    assert machine.now - begun >= 60
    assert outputs["0"].finish_reason == "error" and outputs["0"].error is not None
    text = (
        r"no memory came within 60 s for the request's \d+ tokens, of which \d+ are computed: the pool has 0.0 of 0.1 "
    )
    text += (
        r"MiB, 0.0 MiB are free, and it may have 0.9 of both together, 0.0 MiB; end other processes, or set num_blocks"
    )
    with pytest.raises(EngineError, match=text):
        raise EngineError(outputs["0"].error)
    assert list(outputs["1"].token_ids) == expected["1"], "the next one got its blocks"


def test_no_memory_for_the_first_block(machine: Machine) -> None:
    engine = machine.make()
    machine.neighbour = machine.total
    add(engine, 2)
    outputs = drain(engine)
    assert {output.outputs[0].finish_reason for output in outputs.values()} == {"error"}
    assert 120 < machine.now < 140, "one after the other"
    machine.neighbour = 0
    expected = add(engine, 3)
    assert tokens(engine) == expected


def test_aborts_and_new_requests_while_one_waits(machine: Machine) -> None:
    engine = machine.make()
    machine.neighbour = machine.total
    add(engine, 1)
    for _ in range(5):
        assert not engine.step()
    engine.add_request("late", prompt(9), SamplingParams(temperature=0, max_tokens=5))
    assert engine.abort("0") is not None
    assert not engine.step()
    machine.neighbour = 0
    assert tokens(engine) == {"late": follow(prompt(9), 5)}


def test_a_pin_that_finds_no_memory_is_refused(machine: Machine) -> None:
    engine = machine.make()
    machine.neighbour = machine.total
    with pytest.raises(EngineError, match="no memory came within 60 s"):
        engine.pin_prefix(prompt(1))
    engine.check()
    machine.neighbour = 0
    engine.pin_prefix(prompt(1))
    assert engine.stats().cache.num_pinned_blocks == 7


# --- Memory that goes back --------------------------------------------------------------------------------------


def until(condition: Callable[[], bool]) -> None:
    """Wait for a thread."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "the thread has not done it"
        threading.Event().wait(0.01)


def test_an_idle_engine_gives_memory_back(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_keeper, "_PERIOD", 0.01)
    engine = machine.make(enable_prefix_caching=False)
    expected = add(engine, 10)
    assert tokens(engine) == expected
    assert engine.stats().memory.taken > 150 * BLOCK
    machine.now += 40
    threading.Event().wait(0.1)
    assert engine.stats().memory.given_back == 0
    machine.now += 40
    until(lambda: engine.scheduler.manager._limit.taken == BLOCK)  # type: ignore[union-attr]
    assert sum(last - first for first, last in machine.discarded) >= 150
    engine.check()
    expected = add(engine, 10)
    assert tokens(engine) == expected


def test_a_busy_engine_gives_memory_back_too(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = machine.make()
    expected = add(engine, 10)
    assert tokens(engine) == expected
    taken = machine.taken
    add(engine, 1, max_tokens=60)
    machine.neighbour = machine.total - taken - 1_000
    keeper = engine._keeper
    assert keeper is not None
    with keeper.lock:
        keeper.look()  # finds it at work
    assert machine.taken == taken
    engine.step()
    assert machine.taken < taken and machine.discarded
    engine.check()
    drain(engine)


def test_the_thread_ends_with_the_engine(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_keeper, "_PERIOD", 0.01)

    def threads() -> list[threading.Thread]:
        return [each for each in threading.enumerate() if each.name == "torchpaged memory"]

    until(lambda: not threads())
    engine = machine.make()
    assert not threads(), "none before the first step"
    add(engine, 1)
    drain(engine)
    assert len(threads()) == 1
    engine.shutdown()
    until(lambda: not threads())
    engine = machine.make()
    add(engine, 1)
    drain(engine)
    assert len(threads()) == 1
    del engine
    machine.engine = None
    gc.collect()
    until(lambda: not threads())


@pytest.mark.parametrize("in_thread", [False, True])
def test_an_interrupt_while_memory_goes_back(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, in_thread: bool
) -> None:
    engine = machine.make()
    add(engine, 4)
    drain(engine)
    add(engine, 1)
    engine.step()
    machine.neighbour = machine.total - machine.taken
    keeper = engine._keeper
    assert keeper is not None

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(engine.executor, "discard", interrupted)
        with pytest.raises(KeyboardInterrupt):
            if in_thread:
                keeper.look()
            else:
                keeper._is_due = True
                engine.step()
    assert not engine._transaction.settled
    keeper.look()  # leaves it to the engine's next call
    machine.neighbour = 0
    (output,) = engine.step()
    assert output.outputs[0].finish_reason == "error"
    engine.check()
    expected = add(engine, 4)
    assert tokens(engine) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_forked_process_goes_on(machine: Machine) -> None:
    """The thread may have held the lock when the process was forked, and does not exist in the copy."""
    engine = machine.make()
    expected = add(engine, 2)
    engine.step()
    assert engine._keeper is not None
    with engine._keeper.lock:
        child = os.fork()
        if not child:
            code = 1
            try:
                code = 0 if tokens(engine) == expected and engine._keeper._thread is not None else 2
            finally:
                os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert tokens(engine) == expected


def test_a_system_that_takes_no_memory_back(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Locked pages stay. The engine goes on, and says so once."""
    engine = machine.make()
    add(engine, 4)
    drain(engine)

    def refused(*arguments: object) -> None:
        raise OSError(22, "madvise: Invalid argument")

    monkeypatch.setattr(engine.executor, "discard", refused)
    add(engine, 1)
    machine.neighbour = machine.total - machine.taken
    assert engine._keeper is not None
    engine._keeper.look()
    engine._keeper.look()
    assert caplog.text.count("gives no memory back from now on") == 1
    engine.check()
    machine.neighbour = machine.total
    for _ in range(3):
        engine.step()
    machine.neighbour = 0
    expected = add(engine, 0) | {"0": follow(prompt(0), 30)}
    assert tokens(engine) == expected


def test_the_process_ends() -> None:
    """A thread that works when the interpreter ends does not hold it up."""
    program = """
from tests.fakes import FakeModel, EOS
from torchpaged import EngineConfig, LLMEngine, SamplingParams
from torchpaged.engine import memory_keeper

memory_keeper._PERIOD = memory_keeper._BETWEEN_PIECES = 0.0
engine = LLMEngine(FakeModel(), EngineConfig(block_size=4), eos_token_ids=[EOS])
engine.add_request("a", [2, 3], SamplingParams(max_tokens=9))
while engine.has_unfinished_requests:
    engine.step()
print("end")
"""
    done = forks.run(program)
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr
