"""What a kind of attention layer needs of the cache: which tokens it keeps, in blocks of which size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class KVCacheSpec(Protocol):
    """A kind of layer, as far as blocks are concerned."""

    @property
    def block_size(self) -> int:
        """Tokens in a block."""
        ...

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """Leading blocks that no query at position `num_computed_tokens` or later reads."""
        ...


@dataclass(frozen=True, slots=True)
class FullAttentionSpec:
    """Layers whose queries may see every earlier token: every block is kept."""

    block_size: int

    def __post_init__(self) -> None:
        _require_positive("block_size", self.block_size)

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """None."""
        return 0


@dataclass(frozen=True, slots=True)
class SlidingWindowSpec:
    """Layers whose query at position p sees the positions above p - sliding_window, its own included."""

    block_size: int
    sliding_window: int

    def __post_init__(self) -> None:
        _require_positive("block_size", self.block_size)
        _require_positive("sliding_window", self.sliding_window)

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """Blocks that lie wholly before the next query's window."""
        return max(0, num_computed_tokens - self.sliding_window + 1) // self.block_size


@dataclass(frozen=True, slots=True)
class ChunkedLocalAttentionSpec:
    """Layers whose query sees the earlier tokens of its own chunk, position // chunk_size, alone (Llama 4)."""

    block_size: int
    chunk_size: int

    def __post_init__(self) -> None:
        _require_positive("block_size", self.block_size)
        _require_positive("chunk_size", self.chunk_size)
        if self.chunk_size % self.block_size:
            raise ValueError(f"chunk_size is {self.chunk_size}, expected a multiple of block_size, {self.block_size}")

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """Blocks of the chunks before the next query's."""
        return num_computed_tokens // self.chunk_size * self.chunk_size // self.block_size


@dataclass(frozen=True, slots=True)
class CrossAttentionSpec:
    """Layers whose queries see every token of the request's encoder, whose blocks are there from the first step on."""

    block_size: int

    def __post_init__(self) -> None:
        _require_positive("block_size", self.block_size)

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """None."""
        return 0


@dataclass(frozen=True, slots=True)
class StateSpec:
    """Recurrent layers' states, kept at boundaries alone: block k is the state behind (k + 1) * block_size tokens.

    Args:
        block_size: tokens between two boundaries.
        checkpoint_interval: tokens; behind each multiple of it a state is kept to be found.
    """

    block_size: int
    checkpoint_interval: int = 1024

    def __post_init__(self) -> None:
        _require_positive("block_size", self.block_size)
        _require_positive("checkpoint_interval", self.checkpoint_interval)

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """All before the last boundary's."""
        return max(0, num_computed_tokens // self.block_size - 1)


@dataclass(frozen=True, slots=True)
class TailSpec:
    """What recurrent layers keep of the tokens since the last boundary."""

    block_size: int

    def __post_init__(self) -> None:
        _require_positive("block_size", self.block_size)

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """All before the last boundary."""
        return num_computed_tokens // self.block_size


@dataclass(frozen=True, slots=True)
class KVCacheGroup:
    """Layers with one spec: they share block tables, each in tensors of its own."""

    spec: KVCacheSpec
    layers: tuple[int, ...]


def num_blocks(num_tokens: int, block_size: int) -> int:
    """How many blocks a sequence of `num_tokens` tokens occupies."""
    return -(-num_tokens // block_size)


def require_groups(groups: Sequence[KVCacheGroup], caches_or_swaps: bool) -> None:
    """Raises ValueError for groups that no manager can have."""
    if not groups:
        raise ValueError("groups is empty, expected at least one kind of layer")
    sizes = sorted({group.spec.block_size for group in groups})
    if len(sizes) > 1:
        raise ValueError(f"groups have block sizes {sizes}, expected one: they share the pool's blocks")
    cross = [isinstance(group.spec, CrossAttentionSpec) for group in groups]
    if any(cross[:-1]) or cross == [True]:
        raise ValueError("groups have cross-attention, expected it once, behind the decoder's own")
    if cross[-1] and caches_or_swaps:
        raise ValueError("groups have cross-attention, expected enable_prefix_caching False and num_swap_blocks 0")


def _require_positive(name: str, value: int) -> None:
    if value < 1:
        raise ValueError(f"{name} is {value}, expected 1 or more tokens")
