"""Replica: one server behind the router, and what it publishes of its prefix cache."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from torchpaged.routing.policy import Policy
from torchpaged.routing.prefix_index import HASH_SIZE

logger = logging.getLogger(__name__)
_T = TypeVar("_T")

# Errors of a question to a server: it cannot be asked, or its answer is not one of our servers'.
ODD_ANSWERS = (httpx.HTTPError, ValueError, TypeError, LookupError, AttributeError, RecursionError)
# Failed polls after which a replica gets no more requests.
_MOST_FAILURES = 2
# Seconds for an answer to a poll: an engine answers between two steps.
_POLL_TIMEOUT = 10.0
# Most bytes of an answer: the hashes of 6 million blocks.
_MOST_BYTES = 1 << 26
# Most tokens of a prompt, and of a block.
_MOST_TOKENS = 1 << 30
# Seconds without an answer after which requests go elsewhere if they can.
_LATE = 1.0


@dataclass(slots=True)
class Tally:
    """Counts of one replica, for metrics.

    Args:
        requests: requests that it has answered or failed.
        failures: those that it failed before an answer began.
        broken: answers that it broke off.
        prompt_tokens, cached_tokens: of the prompts whose hashes were known, and those of them that it was expected to
            have.
    """

    requests: int = 0
    failures: int = 0
    broken: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0


class Replica:
    """A server, its state, and the polls that keep the policy's index up to date.

    A replica is open while it answers polls and is not draining. It closes at the first failed connection of a request,
    or after some failed polls, and opens with the next poll that succeeds. While a poll takes long it is late: it may
    hang, or be in a long step.

    Args:
        number: of the replica in the policy.
        url: base of its routes.
        client: for its requests.
        policy: told of its blocks, and whether it is open.
        headers: of polls: its API key.
        requires: called with its check and block size; returns what differs from the other replicas, None: nothing.
    """

    def __init__(
        self,
        number: int,
        url: str,
        client: httpx.AsyncClient,
        policy: Policy,
        headers: dict[str, str],
        requires: Callable[[str, int], str | None],
    ) -> None:
        self.number, self.url, self.tally = number, url, Tally()
        self.draining, self.fault, self.publishes = False, "not reached yet", False
        self.down = asyncio.Event()  # set while there is a fault
        self._client, self._policy, self._headers, self._requires = client, policy, headers, requires
        self._epoch, self._number, self._failures = "", 0, 0

    @property
    def state(self) -> str:
        """ "up", "draining", or "down"."""
        return "down" if self.fault else "draining" if self.draining else "up"

    def _settle(self) -> None:
        self._policy.is_open[self.number] = not self.fault and not self.draining

    def drain(self, draining: bool) -> None:
        """Send no more requests, or send them again; those under way go on."""
        self.draining = draining
        self._settle()

    def fail(self, fault: str) -> None:
        """Note that it cannot be reached: it gets no requests until a poll succeeds."""
        if not self.fault:
            logger.warning("replica %s is down: %s", self.url, fault)
        self.fault = fault
        self.down.set()
        self._settle()

    async def unless_down(self, call: Awaitable[_T], may_end: Callable[[], bool] = lambda: True) -> _T:
        """Return the result of a call of this replica.

        Args:
            may_end: asked when the replica goes down, and every second while it is: True to end the call.

        Raises:
            httpx.ReadTimeout: the call was ended.
        """
        calling = asyncio.ensure_future(call)
        failing: asyncio.Task[Any] | None = None
        try:
            while True:
                failing = asyncio.create_task(self.down.wait())
                await asyncio.wait((calling, failing), return_when=asyncio.FIRST_COMPLETED)
                failing.cancel()
                if calling.done():
                    return calling.result()
                if may_end():
                    raise httpx.ReadTimeout("the replica answers no polls")
                await asyncio.wait((calling,), timeout=1.0)
        finally:
            calling.cancel()
            if failing is not None:
                failing.cancel()

    async def follow(self, interval: float) -> None:
        """Poll for ever."""
        while True:
            late = asyncio.get_running_loop().call_later(_LATE, self._set_late, True)
            try:
                await self.poll()
                self._set_late(False)
            except ODD_ANSWERS as error:
                self._set_late(True)
                self._failures += 1
                if self._failures >= _MOST_FAILURES or self.fault:
                    self.fail(str(error) or type(error).__name__)
            finally:
                late.cancel()
            await asyncio.sleep(interval)

    async def is_healthy(self) -> bool:
        """Ask whether it can answer requests now; one that takes more than a second, as in a long step, may."""
        try:
            question = self._client.build_request("GET", f"{self.url}/health")
            return (await fetch_whole(self._client, question, _LATE)).is_success
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            self.fail(f"{type(error).__name__}: {error}")
        except httpx.TimeoutException:
            return True
        except httpx.HTTPError:
            pass  # polls tell whether it is down
        return False

    def _set_late(self, is_late: bool) -> None:
        self._policy.is_late[self.number] = is_late

    async def poll(self) -> None:
        """Ask once what it has. Raises one of `ODD_ANSWERS` for no answer or an odd one."""
        known = {"epoch": self._epoch, "number": str(self._number)}
        question = self._client.build_request(
            "GET", f"{self.url}/v1/prefixes/published", params=known, headers=self._headers
        )
        answer = await fetch_whole(self._client, question, _POLL_TIMEOUT)
        if answer.status_code == 404:  # a server that does not publish: it gets requests by load alone
            health = self._client.build_request("GET", f"{self.url}/health")
            (await fetch_whole(self._client, health, _POLL_TIMEOUT)).raise_for_status()
            self.publishes = False
        else:
            answer.raise_for_status()
            self._read(answer.json())
            self.publishes = True
        self._failures = 0
        if self.fault:
            logger.info("replica %s is up", self.url)
        self.fault = ""
        self.down.clear()
        self._settle()

    def _read(self, found: dict[str, Any]) -> None:
        block_size, added, removed = token_count(found["block_size"], 1), split(found["added"]), split(found["removed"])
        if differs := self._requires(str(found["check"]), block_size):
            raise ValueError(differs)
        index = self._policy.index
        if found["is_whole"]:
            index.forget(self.number)
        index.publish(self.number, added, removed)
        self._epoch, self._number = found["epoch"], found["number"]


async def fetch_whole(client: httpx.AsyncClient, question: httpx.Request, seconds: float | None) -> httpx.Response:
    """Send the router's own question and return the whole answer.

    Args:
        seconds: for all of it, however it comes; None: no limit.

    Raises:
        httpx.HTTPError: there is no answer in time, or it is too long.
    """

    async def whole() -> httpx.Response:
        async with contextlib.aclosing(await client.send(question, stream=True)) as answer:
            parts, size = [], 0
            async for part in answer.aiter_bytes():
                parts.append(part)
                size += len(part)
                if size > _MOST_BYTES:
                    raise httpx.DecodingError(f"the answer has more than {_MOST_BYTES} bytes")
        return httpx.Response(answer.status_code, content=b"".join(parts), request=question)

    try:
        return await asyncio.wait_for(whole(), seconds)
    except asyncio.TimeoutError:
        raise httpx.ReadTimeout(f"no answer in {seconds:g} seconds") from None


def token_count(number: Any, least: int) -> int:
    """Return a number of tokens in an answer. ValueError if it is none."""
    if type(number) is not int or not least <= number <= _MOST_TOKENS:
        raise ValueError(f"it answers {number!r:.40}, expected {least} to {_MOST_TOKENS} tokens")
    return number


def split(encoded: str) -> list[bytes]:
    """Return the published hashes of an answer. ValueError or TypeError if it has none."""
    joined = base64.b64decode(encoded, validate=True)
    if len(joined) % HASH_SIZE:
        raise ValueError(f"hashes of {len(joined)} bytes, expected a multiple of {HASH_SIZE}")
    return [joined[first : first + HASH_SIZE] for first in range(0, len(joined), HASH_SIZE)]
