"""What a kind of attention layer needs of the cache: which tokens it keeps, in blocks of which size."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FullAttentionSpec:
    """Layers whose queries may see every earlier token: every block is kept.

    Sliding-window layers may share this spec: they keep more than they read, and their results are the same.
    """

    block_size: int

    def __post_init__(self) -> None:
        if self.block_size < 1:
            raise ValueError(f"block_size is {self.block_size}, expected 1 or more tokens")

    def num_blocks(self, num_tokens: int) -> int:
        """How many blocks a sequence of `num_tokens` tokens occupies."""
        return -(-num_tokens // self.block_size)


@dataclass(frozen=True, slots=True)
class KVCacheGroup:
    """Layers with one spec: they share block tables, each in tensors of its own."""

    spec: FullAttentionSpec
    layers: tuple[int, ...]
