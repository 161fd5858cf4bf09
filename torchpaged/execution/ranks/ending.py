"""The end of ranks: when one fails, rank 0 ends the others and raises the error of the first that failed."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import NoReturn

from torchpaged.errors import EngineDeadError
from torchpaged.execution.ranks.link import STOP, Link, Started, send
from torchpaged.ops.collectives import Channel, RankFailure
from torchpaged.utils import environment

logger = logging.getLogger(__name__)

# Seconds in which the others end by themselves when rank 0 ends.
GRACE = 4.0


class Stopped(SystemExit):
    """Raised on the other ranks when rank 0 has ended: their process ends."""


def own(link: Link) -> None:
    """Watch the other ranks of rank 0's link, and end them with it."""
    if link.processes is not None:
        watched = (link.processes, link.channel, link.failure, link.ending)
        threading.Thread(target=_watch, args=watched, name="torchpaged-ranks", daemon=True).start()
    weakref.finalize(link, _end, link.channel, link.processes, link.ending, link.owner, link.restore)


def end(link: Link) -> None:
    """End the other ranks, which this process has started."""
    _end(link.channel, link.processes, link.ending, link.owner, link.restore)


def _watch(processes: Started, channel: Channel, failure: list[str], ending: threading.Event) -> None:
    """Wait for the other ranks to end; if one fails, keep its traceback and give it up, so that no rank waits on."""
    try:
        while not processes.join(1.0):
            pass
    except Exception as error:  # ProcessRaisedException has the traceback, ProcessExitedException the status
        if ending.is_set():
            return
        failure.append(str(error).strip())
        channel.give_up(getattr(error, "error_index", 0) + 1)
        logger.error("rank %d has failed: %s", getattr(error, "error_index", 0) + 1, error)


def _end(
    channel: Channel, processes: Started | None, ending: threading.Event, owner: int, restore: Callable[[], object]
) -> None:
    """Tell the other ranks to end, and end those that do not. Does nothing in a fork of the process that owns them."""
    if os.getpid() != owner:
        return
    if not ending.is_set():
        restore()
    ending.set()
    if channel.failed is None:
        with contextlib.suppress(Exception):
            channel.set_limit(GRACE)
            send(channel, STOP)
            channel.flush(GRACE)
    else:
        channel.give_up(0)
    if processes is None:
        return
    processes.wait(GRACE if channel.failed is None else 0.0)
    channel.give_up(0)
    processes.kill()


def failed(link: Link, error: BaseException, advice: str = "") -> EngineDeadError:
    """End all ranks because one has failed; return the error, with the traceback of that rank.

    Args:
        advice: for a rank that has ended without one.
    """
    rank = link.channel.failed
    is_late = any(words in str(error) for words in ("has not come", "reads no messages"))
    if not is_late and rank != 0 and link.processes is not None:
        deadline = time.monotonic() + GRACE
        while not link.failure and time.monotonic() < deadline:
            time.sleep(0.02)  # `_watch` reads the traceback when the process has ended
        is_late = not link.failure  # it lives; an operator in a program does not pass on why it has failed
    end(link)
    reason = link.failure[0] if link.failure else f"{type(error).__name__}: {error}"
    late = f" (TORCHPAGED_RANK_TIMEOUT is {environment.rank_timeout():g} seconds)" if is_late else ""
    if "terminated with exit code" in reason:
        reason += advice
    return EngineDeadError(f"rank {rank} has failed{late}, and all ranks have ended; make another engine. {reason}")


def raise_explained(link: Link, error: Exception) -> NoReturn:
    """End all ranks because of an error in one of them, and raise the error of the one that failed first."""
    if link.rank == 0 and is_of_another(link, error):
        raise failed(link, error) from error
    if link.rank == 0:
        end(link)
    raise error


def is_of_another(link: Link, error: BaseException) -> bool:
    """Tell if an error comes of another rank's failure. What fails on each rank has rank 0's own error."""
    said = str(error) if type(error) is RuntimeError else ""  # of an operator, and of one within a program
    is_of_wait = isinstance(error, RankFailure) or "torchpaged: rank" in said or "torchpaged_ranks" in said
    return is_of_wait and link.channel.failed is not None
