"""Rows of `ops_gpu.py`: an operator and a shape each, with its minimum of bytes and operations.

    python evals/bench/gpu_cases.py

prints their bounds on an H200, at rates that such cards have reached.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import roofline
from evals.bench.roofline import Work


@dataclass(frozen=True, slots=True)
class Case:
    """An operator and a shape. `lengths`: (new tokens, tokens in the cache including them) of each sequence."""

    kind: str
    lengths: tuple[tuple[int, int], ...]
    heads: int = 32
    kv_heads: int = 8
    head_dim: int = 128
    cache: str = "bfloat16"
    block_size: int = 16

    @property
    def name(self) -> str:
        """Return the row's label in the table."""
        new, total = sum(n for n, _ in self.lengths), max(t for _, t in self.lengths)
        shape = f"h{self.heads}/{self.kv_heads} d{self.head_dim} {self.cache} b{self.block_size}"
        return f"{self.kind} {len(self.lengths)} seqs, {new} new, {total} longest, {shape}"

    @property
    def blocks_per_seq(self) -> int:
        """Return the number of blocks of the longest sequence."""
        return -(-max(total for _, total in self.lengths) // self.block_size)

    @property
    def block_bytes(self) -> int:
        """Return the bytes of one block of keys, or of values."""
        return self.block_size * self.kv_heads * self.head_dim * roofline.ITEM_BYTES[self.cache]

    @property
    def work(self) -> Work:
        """Return the bytes and operations."""
        blocks = sum(-(-total // self.block_size) for _, total in self.lengths)
        if self.kind == "write":
            new = sum(n for n, _ in self.lengths)
            return roofline.write_cache(new, self.kv_heads, self.head_dim, "bfloat16", self.cache)
        if self.kind == "copy":
            return roofline.copy(2 * blocks * self.block_bytes)
        if self.kind.startswith("swap"):
            return roofline.swap(blocks * self.block_bytes)
        return roofline.attention(self.lengths, self.heads, self.kv_heads, self.head_dim, "bfloat16", self.cache)


def cases(tiny: bool) -> Iterator[Case]:
    """Yield the cases: each dimension varied around a model of 8 billion parameters."""
    if tiny:
        small: dict[str, Any] = {"heads": 4, "kv_heads": 2, "head_dim": 64}
        yield Case("decode", ((1, 40),) * 3, **small)
        yield Case("decode", ((1, 600),), **small, cache="float8_e4m3fn")
        yield Case("prefill", ((24, 24),), **small)
        yield Case("chunked", ((16, 40),), **small)
        yield Case("mixed", ((1, 40), (16, 16)), **small)
        for kind in ("write", "copy", "swap", "swap run"):
            yield Case(kind, ((32, 32),) * 2, **small)
        yield Case("write", ((32, 32),) * 2, **small, cache="float8_e4m3fn")
        return
    for cache in ("bfloat16", "float8_e4m3fn"):
        for batch, context in ((1, 512), (8, 512), (1, 131072), (8, 16384), (32, 4096), (128, 1024), (256, 4096)):
            yield Case("decode", ((1, context),) * batch, cache=cache)
    for heads, kv_heads, head_dim in ((8, 8, 128), (32, 4, 128), (32, 8, 64), (16, 4, 256)):
        yield Case("decode", ((1, 8192),) * 32, heads, kv_heads, head_dim)
    yield Case("decode", ((1, 8192),) * 32, block_size=64)
    yield Case("decode", ((1, 131072), *((1, 1024),) * 31))  # one long sequence among short ones
    yield Case("decode", ((1, 4096),) * 40)  # more sequences than one wave of programs, fewer than two
    for length in (512, 2048, 8192):
        yield Case("prefill", ((length, length),))
    yield Case("prefill", ((8192, 8192),), 32, 8, 64)
    yield Case("chunked", ((2048, 16384),))
    yield Case("chunked", ((512, 65536),))
    yield Case("mixed", ((1, 4096),) * 63 + ((1985, 4096),))
    yield Case("mixed", ((1, 131072), (2047, 2047)))
    for cache in ("bfloat16", "float8_e4m3fn"):
        yield Case("write", ((1, 1),) * 256, cache=cache)
        yield Case("write", ((8192, 8192),), cache=cache)
    yield Case("copy", ((16384, 16384),) * 4)
    yield Case("swap", ((16384, 16384),) * 4)
    yield Case("swap run", ((16384, 16384),) * 4)


def main() -> None:
    """Print the bounds of every row on an H200."""
    print(f"{'row':<64}{'GB':>8}{'TFLOP':>8}{'bound us':>10}  {'by':<11}{'ours at best':>12}")
    for case in cases(tiny=False):
        seconds, by = case.work.bound(roofline.H200)
        share = seconds / case.work.predicted(roofline.H200)
        size, flops = case.work.num_bytes / 1e9, case.work.flops / 1e12
        print(f"{case.name:<64}{size:8.3f}{flops:8.3f}{seconds * 1e6:10.1f}  {by:<11}{share:12.0%}")


if __name__ == "__main__":
    main()
