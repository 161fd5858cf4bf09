"""The server under load: a thousand streams, readers that do not read, invalid bodies, and shutdown."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import re
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from tests.fakes import FakeModel, FakeTokenizer, engine, follow
from tests.serving.harness import Running
from torchpaged import AsyncLLM

pytestmark = pytest.mark.long

LETTERS = "cdefghijklmnopqrstuvwxyz"


def fake(*, settings: dict[str, Any], **options: Any) -> Running:
    llm = AsyncLLM.from_engine(engine(FakeModel(), tokenizer=FakeTokenizer(), **settings), name="fake")
    return Running(llm, **options)


def asked(prompt: str, count: int, *, stream: bool) -> bytes:
    """Return a request for so many tokens, with token ids in the answer."""
    sent = {"prompt": prompt, "max_tokens": count, "temperature": 0, "stream": stream, "ignore_eos": True}
    text = json.dumps({**sent, "return_token_ids": True}).encode()
    head = "POST /v1/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text


def tokens_in(answer: bytes) -> list[int]:
    """Return the number of generated tokens."""
    found = re.findall(rb'"token_ids":\[([\d,]*)\],?(?!"prompt)', answer)
    return [int(each) for each in re.findall(rb"\d+", b",".join(found))]


def of(prompt: str) -> list[int]:
    return [ord(letter) - ord("a") for letter in prompt]


async def whole(port: int, prompt: str, count: int) -> None:
    """Read a stream to its end: it has all of its tokens."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(asked(prompt, count, stream=True))
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200") and tokens_in(answer)[-count:] == follow(of(prompt), count), answer[:400]


def resident() -> int:
    """Return this process's resident bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_a_thousand_open_streams_of_which_a_hundred_are_never_read() -> None:
    """Clients that read get everything; the others are cut off in time, and delay no one."""
    choose = random.Random(3)
    prompts = ["".join(choose.choices(LETTERS, k=choose.randint(1, 9))) for _ in range(900)]

    async def open_all(port: int) -> None:
        silent = []
        for number in range(100):
            one = socket.create_connection(("127.0.0.1", port))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.sendall(asked(LETTERS[number % 20], 100, stream=True))
            silent.append(one)
        await asyncio.gather(*(whole(port, prompt, choose.randint(50, 100)) for prompt in prompts))
        for one in silent:
            one.close()

    settings = {"max_num_seqs": 1024, "num_blocks": 30_000, "max_num_batched_tokens": 4096}
    with fake(settings=settings, write_timeout=20.0, max_queued_requests=4096) as server:
        asyncio.run(open_all(server.port))
        server.wait_until_idle()
        assert server.http.get("/health").status_code == 200


def storm(seed: int) -> None:
    """Send random requests of random clients, some of which hang up: the others get all, no state is left."""
    choose = random.Random(seed)

    async def one(port: int) -> None:
        prompt = "".join(choose.choices(LETTERS, k=choose.randint(1, 30)))
        if choose.random() > 0.3:
            await whole(port, prompt, choose.randint(1, 60))
            return
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(asked(prompt, 90, stream=choose.random() < 0.7)[: choose.choice([None, 20, 200])])
        await asyncio.sleep(choose.choice([0, 0.001, 0.02]))
        writer.close()

    async def all_of_them(port: int) -> None:
        for _ in range(2):
            await asyncio.gather(*(one(port) for _ in range(choose.randint(1, 25))))

    settings = {
        "max_num_seqs": choose.choice([1, 4, 32]),
        "num_blocks": choose.choice([40, 100, 400]),
        "max_num_batched_tokens": choose.choice([16, 256]),
        "max_step_ms": choose.choice([None, 0.5, 50]),
        "async_scheduling": choose.random() < 0.5,
    }
    with fake(settings=settings) as server:
        asyncio.run(all_of_them(server.port))


@pytest.mark.parametrize("seed", range(6))
def test_storms(seed: int) -> None:
    storm(seed)


def test_memory_stays_flat() -> None:
    """Rounds of requests, a third of which hang up, do not grow memory."""
    choose = random.Random(4)

    async def one(port: int) -> None:
        prompt = "".join(choose.choices(LETTERS, k=choose.randint(1, 9)))
        if choose.random() > 0.3:
            await whole(port, prompt, choose.randint(1, 30))
            return
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(asked(prompt, 100, stream=choose.random() < 0.7))
        await reader.read(choose.randint(1, 300)) if choose.random() < 0.5 else None
        writer.close()

    async def some(port: int) -> None:
        door = asyncio.Semaphore(64)

        async def through() -> None:
            async with door:
                await one(port)

        await asyncio.gather(*(through() for _ in range(600)))

    with fake(settings={"max_num_seqs": 32}) as server:
        sizes = []
        for _ in range(6):
            asyncio.run(some(server.port))
            server.wait_until_idle()
            gc.collect()
            sizes.append(resident())
        # The first rounds fill what is kept of anything: pools of the allocator, caches of modules.
        assert sizes[-1] - sizes[2] < 8 << 20, [size >> 20 for size in sizes]


def test_ten_thousand_bodies_that_are_none() -> None:
    """4xx each: truncated, of another type, out of range or unknown."""
    choose = random.Random(5)
    good: dict[str, dict[str, Any]] = {
        "/v1/completions": {"prompt": "fgh", "max_tokens": 2},
        "/v1/chat/completions": {"messages": [{"role": "user", "content": "f"}], "max_tokens": 2},
        "/v1/embeddings": {"input": "fgh"},
        "/v1/score": {"text_1": "f", "text_2": "g"},
        "/tokenize": {"prompt": "fgh"},
        "/detokenize": {"tokens": [3, 4]},
    }
    wrong = ["x" * 500, -7, 2.5, {"a": {"b": []}}, [[[]]], [None], "\ud800", 10**400, True]

    def spoilt(path: str) -> bytes:
        body = dict(good[path])
        kind = choose.randrange(6)
        if kind == 0:
            return json.dumps(body)[: -choose.randint(1, 8)].encode()
        if kind == 1:
            return bytes(choose.randrange(256) for _ in range(choose.randrange(1, 60)))
        if kind == 2:
            body[choose.choice(["propmt", "", "🦜", "a" * 999, "__class__"])] = choose.choice(wrong)
        elif kind == 3:
            body[choose.choice(sorted(body))] = choose.choice([{"a": {"b": []}}, [[[]]], [None], 2.5])
        elif kind == 4:
            body["model"] = choose.choice(["gpt-4", 5, [], "\x00", "../../etc/passwd"])
        else:
            return json.dumps(choose.choice([None, 1, "f", [], [body], {}])).encode()
        return json.dumps(body).encode()

    with fake(settings={}, max_body_bytes=5000) as server:
        for number in range(10_000):
            path = choose.choice(sorted(good))
            body = spoilt(path)
            answer = server.http.post(path, content=body, headers={"Content-Type": "application/json"})
            assert 400 <= answer.status_code < 500, (number, path, body, answer.status_code, answer.text)
            assert answer.json()["error"]["message"]
        server.wait_until_idle()


def test_sigterm_under_load_loses_no_token() -> None:
    """Streams that have begun are finished; later requests get an error that asks for a retry."""

    async def load(server: Running) -> None:
        streams = [asyncio.ensure_future(whole(server.port, LETTERS[i % 20 : i % 20 + 3], 100)) for i in range(200)]
        while server.server.service.state.traffic.num_open < 200:
            await asyncio.sleep(0.001)
        server.server.handle_exit(signal.SIGTERM, None)
        await asyncio.gather(*streams)

    with fake(settings={"max_num_seqs": 64, "num_blocks": 3000}) as server:
        asyncio.run(load(server))
