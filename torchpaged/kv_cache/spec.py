"""Cache requirements of each kind of layer: which tokens it keeps, in blocks of which size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class KVCacheSpec(Protocol):
    """Cache requirements of one kind of layer."""

    @property
    def block_size(self) -> int:
        """Tokens in a block."""
        ...

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """Return the number of leading blocks that no query at position `num_computed_tokens` or later reads."""
        ...


@dataclass(frozen=True, slots=True)
class FullAttentionSpec:
    """Layers whose queries may see every earlier token: every block is kept."""

    block_size: int

    def __post_init__(self) -> None:
        _require_positive("block_size", self.block_size)

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """Return 0: every block is kept."""
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
        """Count the blocks that lie entirely before the next query's window."""
        return max(0, num_computed_tokens - self.sliding_window + 1) // self.block_size


@dataclass(frozen=True, slots=True)
class ChunkedLocalAttentionSpec:
    """Layers whose query sees only earlier tokens of its own chunk, position // chunk_size (Llama 4)."""

    block_size: int
    chunk_size: int

    def __post_init__(self) -> None:
        _require_positive("block_size", self.block_size)
        _require_positive("chunk_size", self.chunk_size)
        if self.chunk_size % self.block_size:
            raise ValueError(f"chunk_size is {self.chunk_size}, expected a multiple of block_size, {self.block_size}")

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """Count the blocks in the chunks before the next query's chunk."""
        return num_computed_tokens // self.chunk_size * self.chunk_size // self.block_size


@dataclass(frozen=True, slots=True)
class CrossAttentionSpec(FullAttentionSpec):
    """Layers whose queries see every encoder token of the request; their blocks are allocated in the first step."""


@dataclass(frozen=True, slots=True)
class StateSpec:
    """States of recurrent layers, kept at boundaries: entry k of a table is the state after k + 1 blocks of tokens.

    Args:
        block_size: tokens between two boundaries.
        checkpoint_interval: tokens between the states of a long prompt that stay in the prefix cache, about.
    """

    block_size: int
    checkpoint_interval: int = 1024

    def __post_init__(self) -> None:
        _require_positive("block_size", self.block_size)
        _require_positive("checkpoint_interval", self.checkpoint_interval)

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """Count all entries before the state at the last boundary."""
        return max(0, num_computed_tokens // self.block_size - 1)


@dataclass(frozen=True, slots=True)
class TailSpec:
    """Rows of recurrent layers for the tokens after the last boundary."""

    block_size: int

    def __post_init__(self) -> None:
        _require_positive("block_size", self.block_size)

    def num_skipped_blocks(self, num_computed_tokens: int) -> int:
        """Count the complete blocks."""
        return num_computed_tokens // self.block_size


@dataclass(frozen=True, slots=True)
class KVCacheGroup:
    """Layers with the same spec. They share block tables; each layer has its own cache tensors."""

    spec: KVCacheSpec
    layers: tuple[int, ...]


def num_blocks(num_tokens: int, block_size: int) -> int:
    """Number of blocks that `num_tokens` tokens occupy."""
    return -(-num_tokens // block_size)


def num_attention_groups(groups: Sequence[KVCacheGroup]) -> int:
    """Number of groups that share the block pool. Groups of states and tails have their own pools and come last."""
    return sum(not isinstance(group.spec, (StateSpec, TailSpec)) for group in groups)


def require_groups(groups: Sequence[KVCacheGroup], block_size: int | None, caches_or_swaps: bool) -> int:
    """Check that a manager can have these groups and return the pool's block size. Raises ValueError otherwise."""
    if not groups:
        raise ValueError("groups is empty, expected at least one kind of layer")
    count = num_attention_groups(groups)
    attention, states = groups[:count], groups[count:]
    if states and [type(group.spec) for group in states] != [StateSpec, TailSpec]:
        kinds = [type(group.spec).__name__ for group in groups]
        raise ValueError(
            f"groups are {', '.join(kinds)}, expected StateSpec and TailSpec once, in this order, as the last"
        )
    if states and states[0].spec.block_size != states[1].spec.block_size:
        sizes = [group.spec.block_size for group in states]
        raise ValueError(
            f"groups have states at multiples of {sizes[0]} tokens and tails of {sizes[1]}, expected one size"
        )
    sizes = sorted({group.spec.block_size for group in attention} | ({block_size} if block_size else set()))
    if len(sizes) > 1:
        raise ValueError(f"groups have block sizes {sizes}, expected one: they share the pool's blocks")
    if not sizes:
        raise ValueError("block_size is None, expected a number of tokens where no group is of attention")
    cross = [isinstance(group.spec, CrossAttentionSpec) for group in attention]
    if any(cross[:-1]) or cross == [True]:
        raise ValueError("groups have cross-attention, expected it once, behind the decoder's own")
    if cross and cross[-1] and (caches_or_swaps or states):
        raise ValueError(
            "groups have cross-attention, expected enable_prefix_caching False, num_swap_blocks 0 and no states"
        )
    return sizes[0]


def require_slots(has_states: bool, swaps: bool, **sizes: int) -> None:
    """Check the sizes of the pools of states and tails; the ValueError names the size that cannot be."""
    for name, size in sizes.items():
        if name.startswith("num_swap") and size and not swaps:
            raise ValueError(f"{name} is {size}, expected 0 where num_swap_blocks is 0: a sequence is swapped whole")
        if size and not has_states:
            raise ValueError(f"{name} is {size}, expected 0: no group has states")
        if size < 2 and has_states and not name.startswith("num_swap"):
            raise ValueError(f"{name} is {size}, expected at least 2: the null slot and one to use")


def _require_positive(name: str, value: int) -> None:
    if value < 1:
        raise ValueError(f"{name} is {value}, expected 1 or more tokens")
