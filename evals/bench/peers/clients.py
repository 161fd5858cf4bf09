"""Clients of a server, in a separate process: `python -m evals.bench.peers.clients < PLAN > RESULT`, both JSON.

Each client sends a request, reads its stream as it arrives, and sends the next. Uses only the standard library and as
little processor time as it can, because it shares the cores with the server.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from typing import Any

# A frame of a stream that carries text.
_TEXT = re.compile(rb'"text": ?"[^"]')
_USAGE = re.compile(rb'"completion_tokens": ?(\d+)')


class Clients:
    """Clients of one plan.

    Args:
        plan: "port"; "body", the fields that all requests share; "queues", each with its number of "clients" and its
            "requests", which have "prompt" and "max_tokens"; "ends_with", the index of the queue that ends the run when
            it is done, or null; "begun", the time of `time.perf_counter` that times count from, by default now.
    """

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._begun = plan.get("begun", time.perf_counter())

    async def run(self) -> list[list[dict[str, Any]]]:
        """Return the outcome of each queue's requests: "sent", "times" of texts, "done" and "tokens", or "error"."""
        found: list[list[dict[str, Any]]] = []
        tasks = []
        for queue in self._plan["queues"]:
            results: list[dict[str, Any]] = []
            waiting = list(reversed(queue["requests"]))
            found.append(results)
            tasks.append(asyncio.gather(*(self._client(waiting, results) for _ in range(queue["clients"]))))
        ends_with = self._plan["ends_with"]
        await (asyncio.gather(*tasks) if ends_with is None else tasks[ends_with])
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return found

    async def _client(self, waiting: list[dict[str, Any]], results: list[dict[str, Any]]) -> None:
        while waiting:
            request = waiting.pop()
            result: dict[str, Any] = {"times": [], "tokens": 0, "prompt_tokens": len(request["prompt"])}
            results.append(result)
            await self._ask(request, result)

    async def _ask(self, request: dict[str, Any], result: dict[str, Any]) -> None:
        body = json.dumps({**self._plan["body"], **request}).encode()
        head = f"POST /v1/completions HTTP/1.1\r\nHost: bench\r\nContent-Length: {len(body)}\r\n"
        head += "Content-Type: application/json\r\nConnection: close\r\n\r\n"
        result["sent"] = self._now()
        reader, writer = await asyncio.open_connection("127.0.0.1", self._plan["port"])
        try:
            writer.write(head.encode() + body)
            kept = b""
            while piece := await reader.read(1 << 16):
                now = self._now()
                whole, _, kept = (kept + piece).rpartition(b"\n\n")
                if _TEXT.search(whole):
                    result["times"].append(now)
                if found := _USAGE.findall(whole):
                    result["tokens"] = int(found[-1])
                if not result["times"] and not whole and b"HTTP/1.1 200" not in kept[:100] and b"HTTP/1" in kept[:10]:
                    result["error"] = kept[:500].decode(errors="replace")
            result["done"] = self._now()
        finally:
            writer.close()

    def _now(self) -> float:
        return time.perf_counter() - self._begun


if __name__ == "__main__":
    json.dump(asyncio.run(Clients(json.load(sys.stdin)).run()), sys.stdout)
