"""Minimum of bytes and operations of a call, and the time that a device needs for them: the bound of a benchmark's row.

Also a model of our decode kernel: how its shares of the keys fill an H200's multiprocessors.

`gpu_cases.py` prints the bounds for an H200 at rates that such cards have reached; the benchmark itself uses the rates
that it measures in the same run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

# Keys of a partial result, and rows of a tile on Hopper's tensor cores: ops/triton/attention_plan.py.
CHUNK = 512
TILE_ROWS = 64
# Properties of an H200 and of our decode kernel on it: the programs that it holds at a time, which is also the
# number of shares. The time until a program's first keys arrive, and the factor by which one can exceed its part,
# are assumed.
MULTIPROCESSORS = 132
RESIDENT = 2
PROGRAMS_PER_MULTIPROCESSOR = 4
BEGINNING = 2.5e-6
FASTEST = 1.5
ITEM_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1, "int8": 1}


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of a device, per second."""

    copy_bytes: float  # read plus written, by a large copy on the device
    gemm_flops: float  # by a large product in the query's dtype
    host_bytes: float = 0.0  # over the bus, one way, pinned


@dataclass(frozen=True, slots=True)
class Work:
    """Minimum work of a call, and the additional work of our kernel."""

    num_bytes: int  # each input read once, each output written once
    flops: int = 0
    workspace_bytes: int = 0  # partial results, written and read
    executed_flops: int = 0  # idle rows of tiles included
    over_bus: bool = False
    shares: tuple[int, ...] = ()  # bytes of keys and values that each program of a split decode reads

    def bound(self, rates: Rates) -> tuple[float, str]:
        """Return (the minimum of seconds, the resource that limits)."""
        memory = self.num_bytes / (rates.host_bytes if self.over_bus else rates.copy_bytes)
        arithmetic = self.flops / rates.gemm_flops
        name = "bus" if self.over_bus else "memory"
        return (memory, name) if memory >= arithmetic else (arithmetic, "arithmetic")

    def predicted(self, rates: Rates) -> float:
        """Return the seconds of our kernel if only its own bytes, operations and shares took time."""
        moved = self.num_bytes + self.workspace_bytes
        memory = moved / (rates.host_bytes if self.over_bus else rates.copy_bytes)
        if self.shares:
            memory += makespan(self.shares, rates.copy_bytes) - sum(self.shares) / rates.copy_bytes
        return max(memory, self.executed_flops / rates.gemm_flops)


def divide(lengths: Sequence[int], heads: int, key_bytes: int) -> tuple[int, ...]:
    """Return the bytes of each program's share, as ops/triton/shares.py divides a decode step's chunks on an H200.

    Args:
        lengths: of the sequences, in tokens.
        heads: KV heads, each with its own programs.
        key_bytes: of a token's key and value in one head.
    """
    chunks = [-(-length // CHUNK) for length in lengths]
    quota = max(1, -(-sum(chunks) // -(-PROGRAMS_PER_MULTIPROCESSOR * MULTIPROCESSORS // heads)))
    found = []
    for length, count in zip(lengths, chunks, strict=True):
        shares = -(-count // quota)
        ends = [min((i + 1) * count // shares * CHUNK, length) for i in range(shares)]
        found += [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    return tuple(share * key_bytes for share in found for _ in range(heads))


def makespan(shares: Sequence[int], bandwidth: float) -> float:
    """Return the seconds of programs that read these bytes, in this order, on an H200's multiprocessors.

    Programs that run at the same time divide the bandwidth evenly, but none gets more than FASTEST times its part when
    all places are taken, and each takes BEGINNING seconds before it reads.
    """
    places = RESIDENT * MULTIPROCESSORS
    waiting, running, now = deque(shares), [], 0.0  # running: [seconds until it reads, bytes left]
    while waiting or running:
        while waiting and len(running) < places:
            running.append([BEGINNING, float(waiting.popleft())])
        reading = [each for each in running if each[0] <= 0]
        rate = min(bandwidth / max(1, len(reading)), FASTEST * bandwidth / places)
        step = min(each[0] if each[0] > 0 else each[1] / rate for each in running)
        now += step
        for each in running:
            if each[0] > 0:
                each[0] = each[0] - step if each[0] - step > 1e-12 else 0.0
            else:
                each[1] -= rate * step
        running = [each for each in running if each[0] > 0 or each[1] > 1e-3]
    return now


def attention(
    lengths: Sequence[tuple[int, int]], heads: int, kv_heads: int, head_dim: int, query: str, cache: str
) -> Work:
    """Return the work of paged_attention.

    Args:
        lengths: (new tokens, tokens in the cache including them) of each sequence.
        query, cache: names of torch's dtypes.
    """
    moved = flops = workspace = executed = 0
    shares: tuple[int, ...] = ()
    if all(new == 1 for new, _ in lengths) and max(total for _, total in lengths) > CHUNK:
        shares = divide([total for _, total in lengths], kv_heads, 2 * head_dim * ITEM_BYTES[cache])
    group = heads // kv_heads
    for new, total in lengths:
        pairs = new * (total - new) + new * (new + 1) // 2  # pairs of a query and a key that it sees
        moved += 2 * new * heads * head_dim * ITEM_BYTES[query] + 2 * total * kv_heads * head_dim * ITEM_BYTES[cache]
        flops += 4 * heads * head_dim * pairs
        rows = new * group
        executed += 4 * kv_heads * head_dim * pairs * group * (-(-rows // TILE_ROWS) * TILE_ROWS) // rows
        chunks = -(-total // CHUNK)
        if rows <= TILE_ROWS and chunks > 1:
            workspace += 2 * 4 * new * heads * chunks * (head_dim + 1)
    return Work(moved, flops, workspace, executed, shares=shares)


def write_cache(tokens: int, kv_heads: int, head_dim: int, source: str, cache: str) -> Work:
    """Return the work of write_kv_cache; slots are 8 bytes per token."""
    return Work(tokens * (8 + 2 * kv_heads * head_dim * (ITEM_BYTES[source] + ITEM_BYTES[cache])))


def copy(num_bytes: int) -> Work:
    """Return the work of copy_blocks: read and written. Ours stages only blocks that are both."""
    return Work(2 * num_bytes)


def swap(num_bytes: int) -> Work:
    """Return the work of swap_blocks between device and host: once over the bus."""
    return Work(num_bytes, over_bus=True)


# Copy bandwidth measured on such a card, bf16 rate reached by another card of the kind, PCIe 5.0 x16.
H200 = Rates(copy_bytes=4.3e12, gemm_flops=790e12, host_bytes=55e9)
