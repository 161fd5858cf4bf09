"""Checks the values of tensor arguments of `flash_attn_with_kvcache`, where reading them needs no synchronization."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor


def is_readable(x: Tensor) -> bool:
    """Return True if values can be read at once: on the CPU, neither traced nor fake nor under a transform."""
    if x.device.type != "cpu" or torch.compiler.is_compiling() or isinstance(x, FakeTensor):
        return False
    return torch._C._functorch.peek_interpreter_stack() is None and not torch._C._len_torch_dispatch_stack()


def check_values(
    function: str,
    k_cache: Tensor,
    cache_seqlens: int | Tensor | None,
    seqlen_new: int,
    cache_batch_idx: Tensor | None,
    cache_leftpad: Tensor | None,
    block_table: Tensor | None,
) -> None:
    """Check that lengths fit the cache, and that it has the rows and blocks that indices name.

    Args:
        function: the name to put into errors.
        seqlen_new: tokens that each sequence appends.

    The other arguments are those of `flash_attn_with_kvcache`. Raises ValueError.
    """
    num_blocks, page = k_cache.shape[:2]
    capacity = page * (1 if block_table is None else block_table.shape[1])
    if isinstance(cache_seqlens, Tensor):
        _within(function, "cache_seqlens", cache_seqlens, capacity - seqlen_new, "what the cache can hold")
    if cache_leftpad is not None:
        _within(function, "cache_leftpad", cache_leftpad, capacity, "the cache's capacity")
    if cache_batch_idx is not None:
        _within(function, "cache_batch_idx", cache_batch_idx, num_blocks - 1, "the rows of k_cache")
    if block_table is None:
        return
    least, most = block_table.aminmax()
    if int(least) < 0 or int(most) >= num_blocks:  # allowed after a sequence's last token: look at the others only
        before = capacity if cache_seqlens is None else cache_seqlens
        used = torch.as_tensor(before + seqlen_new + page - 1).view(-1, 1) // page
        needed = torch.arange(block_table.shape[1]) < used
        for sequence, row in enumerate(block_table.where(needed, 0)):
            _within(function, f"block_table[{sequence}]", row, num_blocks - 1, "the blocks of k_cache")


def _within(function: str, name: str, values: Tensor, largest: int, what: str) -> None:
    for i, value in enumerate(values.tolist()):
        if not 0 <= value <= largest:
            raise ValueError(f"{function}: {name}[{i}] is {value}, expected 0 to {largest}, {what}")
