"""An engine process that dies: its requests fail with an error, and another is started, a limited number of times."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes import FakeModel, engine
from tests.models import STDLIB_LM
from torchpaged import AsyncLLM, SamplingParams
from torchpaged.async_engine.client import EngineClient
from torchpaged.async_engine.core import Add, EngineHealth, Message
from torchpaged.async_engine.engine_process import EngineProcess
from torchpaged.errors import ConfigError, EngineDeadError, EngineRestartingError
from torchpaged.sampling_params import RequestOutputKind
from torchpaged.utils import child_processes

GREEDY = SamplingParams(temperature=0, max_tokens=9)
LONG = SamplingParams(temperature=0, max_tokens=900, ignore_eos=True, output_kind=RequestOutputKind.DELTA)


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="it needs /proc")
@pytest.mark.parametrize("given", [None, "GOMP_SPINCOUNT", "OMP_WAIT_POLICY"])
def test_openmps_threads_of_its_process_sleep_soon(given: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that spins for milliseconds after each operation takes a core from those that answer clients."""
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.delenv(name, raising=False)
    if given is not None:
        monkeypatch.setenv(given, "ACTIVE" if given == "OMP_WAIT_POLICY" else "77")
    before = dict(os.environ)
    started = EngineProcess()
    spin = {None: b"10000", "GOMP_SPINCOUNT": b"77", "OMP_WAIT_POLICY": None}[given]
    name, value = (b"OMP_WAIT_POLICY", b"ACTIVE") if spin is None else (b"GOMP_SPINCOUNT", spin)
    environment: dict[bytes, bytes] = {}
    deadline = time.monotonic() + 60
    try:
        # It has this process's variables, and then none, until its own program begins.
        while environment.get(name) != value and time.monotonic() < deadline:
            time.sleep(0.01)
            with open(f"/proc/{started.process.pid}/environ", "rb") as file:
                environment = dict(each.split(b"=", 1) for each in file.read().split(b"\0") if each)
    finally:
        started.kill()
    assert environment[name] == value and environment.get(b"GOMP_SPINCOUNT") == spin and dict(os.environ) == before


class Pipe:
    """Transport that records its messages, and may call something during each."""

    def __init__(self) -> None:
        self.health, self.sent, self.meanwhile = EngineHealth(), [], lambda: None

    def submit(self, message: Message) -> None:
        self.sent.append(message)
        self.meanwhile()

    def join(self, timeout: float | None) -> None:
        pass


def test_what_is_asked_for_between_two_engines() -> None:
    """Requests are refused and stay in neither engine, also if the engine dies and is replaced during the call."""

    async def test() -> None:
        client, (first, second) = EngineClient(), (Pipe(), Pipe())
        client.connect(first)
        queue, asked = client.add("0", [5], GREEDY, {}, deltas=False), client.call("stats", (), {})
        client.interrupt("killed")
        with pytest.raises(EngineRestartingError, match="has ended, killed; another one is being started, try again"):
            await queue.take()
        with pytest.raises(EngineRestartingError):
            asked.result(0)
        for ask in (lambda: client.add("1", [5], GREEDY, {}, deltas=False), lambda: client.call("stats", (), {})):
            with pytest.raises(EngineRestartingError):
                ask()
        assert client.unhealthy_reason(1) is not None and not client.has_died and len(first.sent) == 2
        client.connect(second)
        client.add("2", [5], GREEDY, {}, deltas=False)
        assert isinstance(second.sent[-1], Add) and client.unhealthy_reason(1) is None and client.num_queued_tokens == 1

        def replace() -> None:
            client.interrupt("killed")
            client.connect(first)

        second.meanwhile = replace
        with pytest.raises(EngineRestartingError, match="another engine has been started"):
            client.add("3", [5], GREEDY, {}, deltas=False)
        assert list(client._queues) == ["0", "2"] and client.num_queued_tokens == 0

    asyncio.run(test())


def test_a_thread_is_not_restarted() -> None:
    with pytest.raises(ConfigError, match="restart_engine is True, and engine_process False"):
        AsyncLLM(STDLIB_LM, restart_engine=True)
    llm = AsyncLLM.from_engine(engine(FakeModel()))
    try:
        assert llm._client.may_restart
        with pytest.raises(Exception, match="quantize"):
            asyncio.run(llm.call("quantize", "no such"))
        assert not llm._client.may_restart  # another engine would start with the original weights
    finally:
        llm.shutdown()


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 180
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.long  # four processes import torch
def test_a_process_that_is_killed(caplog: pytest.LogCaptureFixture) -> None:
    """Over HTTP: streams and new requests get an error; then everything works as before. The third death is final."""
    pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
    from tests.serving.harness import Running

    settings: dict[str, Any] = {"num_blocks": 90, "use_tqdm_on_load": False, "served_model_name": "s"}
    llm = AsyncLLM(STDLIB_LM, engine_process=True, restart_engine=True, **settings)
    asked = {"prompt": "def main(", "temperature": 0, "max_tokens": 9}

    def kill() -> None:
        os.kill(llm._client._transport._process.pid, signal.SIGKILL)  # type: ignore[attr-defined]

    with Running(llm) as server:
        expected = server.http.post("/v1/completions", json=asked).json()
        for number in (1, 2, 3):
            more = {"stream": True, "max_tokens": 900, "ignore_eos": True}
            with server.http.stream("POST", "/v1/completions", json={**asked, **more}) as stream:
                lines = stream.iter_lines()
                next(lines)
                kill()
                told = [line for line in lines if "error" in line]
            code = "engine_restarting" if number < 3 else "engine_dead"
            assert len(told) == 1 and f'"code":"{code}"' in told[0]
            answer = server.http.post("/v1/completions", json=asked)
            assert answer.status_code == 503 and answer.json()["error"]["code"] == code
            assert server.http.get("/health").status_code == 503
            if number < 3:
                assert answer.headers["retry-after"] == "5"
                _until(lambda: server.http.get("/health").status_code == 200)
                answer = server.http.post("/v1/completions", json=asked).json()
                assert answer["choices"] == expected["choices"]
                assert answer["system_fingerprint"] == expected["system_fingerprint"]
        assert llm.errored and not llm._client._queues
    assert caplog.text.count("another one is started") == 2


@pytest.mark.long  # processes import torch
@pytest.mark.parametrize("wait", [0.0, 2.0])
def test_the_end_comes_while_another_is_started(wait: float) -> None:
    """A shutdown at any time of the restart leaves no process."""
    llm = AsyncLLM(STDLIB_LM, engine_process=True, restart_engine=True, num_blocks=90, use_tqdm_on_load=False)
    first = llm._client._transport
    os.kill(first._process.pid, signal.SIGKILL)  # type: ignore[attr-defined]
    _until(lambda: not llm.is_running)
    time.sleep(wait)
    llm.shutdown()
    following = first._next  # type: ignore[attr-defined]
    assert llm.is_stopped and (following is None or child_processes.has_ended(following._process))
    with pytest.raises(EngineDeadError):
        asyncio.run(llm.stats())
