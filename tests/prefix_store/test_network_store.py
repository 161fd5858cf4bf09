"""NetworkStore and StoreServer: values, faults, hostile peers, and a prompt computed here and continued there."""

from __future__ import annotations

import logging
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.models import STDLIB_LM
from tests.ports import free_port
from tests.tier_stores import read_all
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError
from torchpaged.prefix_store import network_store as module
from torchpaged.prefix_store import open_store, wire
from torchpaged.prefix_store.network_store import NetworkStore
from torchpaged.prefix_store.store_server import StoreServer

SECRET = b"0123456789abcdef"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    read_all(monkeypatch)


@contextmanager
def serving(port: int = 0, max_bytes: int = 2**30, secret: bytes | None = None) -> Iterator[StoreServer]:
    """Run a server in a thread."""
    with StoreServer(("127.0.0.1", port), max_bytes=max_bytes, secret=secret) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.check()
        server.shutdown()
        thread.join(60)


def key(number: int) -> bytes:
    """Return the key of a number."""
    return number.to_bytes(32, "little")


@pytest.mark.parametrize("secret", [None, SECRET])
def test_values_come_back_and_namespaces_are_apart(secret: bytes | None) -> None:
    draw = random.Random(0)
    values = {key(i): draw.randbytes(draw.choice((1, 100, 10_000, 1_000_000))) for i in range(40)}
    with serving(secret=secret) as server:
        store, other = (NetworkStore(server.url, namespace=name, secret=secret) for name in ("a", "b"))
        assert store.contains([]) == store.get([]) == []
        store.put([(each, memoryview(value)) for each, value in values.items()])
        assert store.contains([*values, key(99)]) == [True] * 40 + [False]
        assert [None if v is None else bytes(v) for v in store.get([*values, key(99)])] == [*values.values(), None]
        assert other.contains(list(values)) == [False] * 40 and other.get([key(1)]) == [None]
        store.delete([key(1), key(98)])
        assert store.contains([key(1), key(2)]) == [False, True]
        stats = store.stats()
        assert (stats["hits"], stats["misses"], stats["puts"]) == (40, 1, 40)
        assert stats["bytes_written"] == stats["bytes_read"] == sum(map(len, values.values()))
        store.close()
        assert store.get([key(2)]) == [None]


def test_the_server_keeps_what_was_used_last() -> None:
    with serving(max_bytes=1000) as server:
        store = NetworkStore(server.url, namespace="a")
        store.put([(key(i), bytes(284)) for i in range(3)])  # each with a checksum of 16 bytes
        assert store.get([key(0)]) != [None]
        store.put([(key(3), bytes(284)), (key(4), bytes(2000))])
        assert store.contains([key(i) for i in range(5)]) == [True, False, True, True, False]
        store.put([(key(3), bytes(10))])
        assert server.num_bytes == 300 + 300 + 26
        store.close()


def test_threads_do_not_mix_their_answers() -> None:
    with serving() as server:
        store, faults = NetworkStore(server.url, namespace="a"), []

        def work(seed: int) -> None:
            draw = random.Random(seed)
            for turn in range(30):
                numbers = [draw.randrange(100) for _ in range(5)]
                store.put([(key(n), bytes([n]) * (n * 50 + 1)) for n in numbers])
                for n, value in zip(numbers, store.get([key(n) for n in numbers]), strict=True):
                    if value is None or bytes(value) != bytes([n]) * (n * 50 + 1):
                        faults.append((seed, turn, n))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults
        store.close()


def test_a_server_that_is_gone_costs_little_and_may_come_back(monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    port = free_port()
    with serving(port) as server:
        store = NetworkStore(server.url, namespace="a")
        store.put([(key(1), b"one")])
    for connection in list(store._connections):  # the server's threads end with its connections
        connection.shutdown(socket.SHUT_RDWR)
    with caplog.at_level(logging.WARNING):
        assert store.contains([key(1)]) == [False] and store.get([key(1)]) == [None]
        store.put([(key(2), b"two")])
    assert caplog.text.count("until it can be reached") == 1 and store.stats()["dropped"] == 1
    monkeypatch.setattr(module, "_RETRY", 0.0)
    store._retry_at = 0.0
    with serving(port) as server:
        store.put([(key(2), b"two")])
        assert store.get([key(2)]) == [b"two"]
        store.close()


def test_a_wrong_secret_is_refused() -> None:
    with serving(secret=SECRET) as server:
        for secret in (None, b"another secret 16"):
            with pytest.raises(ConfigError, match="its secret is another one"):
                NetworkStore(server.url, namespace="a", secret=secret)
        assert len(server) == 0


@pytest.mark.parametrize(
    "url", ["tcp://", "tcp://a", "tcp://:1", "tcp://a:b", "tcp://a:1/x", "tcp://u@a:1", "tcp://a:99999"]
)
def test_odd_urls_are_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="expected tcp://HOST:PORT"):
        open_store(url, namespace="a", size_limit=None)


def test_a_forged_value_is_a_miss() -> None:
    with serving(secret=SECRET) as server:
        store = NetworkStore(server.url, namespace="a", secret=SECRET)
        store.put([(key(1), b"true value"), (key(2), b"other")])
        names = list(server._values)
        server._values[names[0]] = server._values[names[0]][:-1] + b"X"
        assert store.get([key(1), key(2)]) == [None, b"other"]
        server._values[names[0]], server._values[names[1]] = server._values[names[1]], server._values[names[0]]
        assert store.get([key(1), key(2)]) == [None, None] and store.stats()["damaged"] == 3
        store.close()


HOSTILE = [
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    bytes(32) + b"\x09" + bytes(4),
    bytes(32) + b"\x01" + b"\xff" * 4,
    bytes(32) + b"\x03\x01\x00\x00\x00" + bytes(32) + b"\xff" * 8,
    bytes(32) + b"\x02\x05\x00\x00\x00" + bytes(7),
    b"",
]


@pytest.mark.parametrize("sent", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_client_ends_alone(sent: bytes) -> None:
    with serving() as server:
        store = NetworkStore(server.url, namespace="a")
        with socket.create_connection(server.server_address[:2], timeout=60) as hostile:
            hostile.sendall(sent)
            hostile.shutdown(socket.SHUT_WR)
            while hostile.recv(4096):
                pass
        store.put([(key(1), b"one")])
        assert store.get([key(1)]) == [b"one"] and len(server) == 1
        store.close()


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400", wire.MAGIC + bytes(32) + wire.OK + b"\xfe" * 8, b"", wire.MAGIC])
def test_another_kind_of_server_is_a_miss(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SOON", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for _ in range(3):
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.sendall(answer + bytes(64) if answer else b"")

        threading.Thread(target=serve, daemon=True).start()
        store = NetworkStore(f"tcp://127.0.0.1:{listener.getsockname()[1]}", namespace="a")
        assert store.get([key(1)]) == [None] and store.contains([key(1)]) == [False]
        store.close()


def test_one_engine_computes_a_prompt_and_another_answers_it(tmp_path: Path) -> None:
    """The same tokens as one engine alone; the bytes on the wire are the prompt's blocks; a lost store costs time."""
    prompt = (Path(__file__).read_text() * 2)[:1500]
    params = SamplingParams(temperature=0, max_tokens=12, logprobs=1)
    settings: dict[str, Any] = {"num_blocks": 120, "max_num_seqs": 4, "max_model_len": 1024}

    def answer(llm: LLM) -> tuple[list[int], float, int]:
        (found,) = llm.generate(prompt, params, use_tqdm=False)
        return found.outputs[0].token_ids, found.outputs[0].cumulative_logprob, found.num_cached_tokens

    with LLM(STDLIB_LM, **settings) as llm:
        tokens, logprob, _ = answer(llm)
        length = (
            len(llm.encode_prompt(prompt)) if hasattr(llm, "encode_prompt") else len(llm.get_tokenizer().encode(prompt))
        )
    with serving() as server:
        with LLM(STDLIB_LM, **settings, prefix_cache_dir=server.url, prefix_cache_write="through") as prefill:
            prefill.generate(prompt, SamplingParams(temperature=0, max_tokens=1), use_tqdm=False)
            assert prefill.engine.executor.tier.flush()
        num_blocks, size = len(server), server.num_bytes // len(server)
        assert num_blocks == length // 16 and server.num_received == num_blocks * size
        with LLM(STDLIB_LM, **settings, prefix_cache_dir=server.url) as decode:
            assert answer(decode) == (tokens, logprob, num_blocks * 16)
            assert server.num_sent == num_blocks * size
        with LLM(STDLIB_LM, **settings, prefix_cache_dir=server.url) as decode:
            server.shutdown()
            server.server_close()
            assert answer(decode)[:2] == (tokens, logprob)
