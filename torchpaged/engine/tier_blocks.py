"""Moves blocks between the pools and the store below them outside of steps: ahead of requests, and at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from torchpaged.errors import EngineError
from torchpaged.execution.executor import Executor
from torchpaged.kv_cache import CacheKeys
from torchpaged.requests.prefixes import Prefetched
from torchpaged.scheduling import Scheduler
from torchpaged.utils.transaction import Transaction


def prefetch_blocks(
    wanted: Sequence[tuple[tuple[int, ...], CacheKeys]],
    timeout: float,
    scheduler: Scheduler,
    executor: Executor,
    transaction: Transaction,
    is_idle: Callable[[], bool],
) -> list[Prefetched]:
    """Read prompts' blocks from the store into the pools; the executor has one.

    Args:
        wanted: tokens and keys of each prompt.
        timeout: seconds to wait at most.
        transaction: entered while tables change.
        is_idle: False while steps run, which then read the blocks; the call does not wait for them.
    """
    tiers, tier = scheduler.manager.tiers, executor.tier
    assert tiers is not None and tier is not None, "there is no store"
    with transaction:
        names = [tiers.prefetch(token_ids, keys) for token_ids, keys in wanted]
    end = time.monotonic() + timeout
    while is_idle() and any(map(tiers.is_prefetching, names)):
        with transaction:
            tiers.advance(scheduler.num_watermark_blocks)
            executor.copy_down(tiers.take_evicted())
            for tier_read in tiers.take_reads():
                tier.read(tier_read)
        if (left := end - time.monotonic()) <= 0:
            break
        if any(map(tiers.is_prefetching, names)):
            tier.wait(min(left, 0.05))
    return [
        Prefetched(len(token_ids), tiers.num_in_pools(token_ids, keys), tiers.is_prefetching(name))
        for name, (token_ids, keys) in zip(names, wanted, strict=True)
    ]


def close_tier(scheduler: Scheduler, executor: Executor, *, settled: bool) -> None:
    """Write what only the pools have to the store below them, and close it; nothing without a store.

    Args:
        settled: False after an interrupt in the middle of a change: blocks cannot be trusted then, and are not written.
    """
    tiers, tier = scheduler.manager.tiers, executor.tier
    if tiers is None or tier is None:
        return
    if settled:
        with suppress(EngineError):  # a rank has failed
            executor.copy_down(tiers.take_evicted())
        tier.write_all(tiers.cached())
    tier.close()
