"""What a model's settings make of memory: which layers share tables, the bytes of a block, blocks on the host."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from torchpaged.config import KV_CACHE_DTYPES, EngineConfig
from torchpaged.errors import ConfigError
from torchpaged.execution.paged_kv_cache import bytes_per_block, kv_cache_groups, tensor_slots
from torchpaged.kv_cache.spec import KVCacheGroup
from torchpaged.models.model import PagedModel


def groups_of(model: PagedModel, config: EngineConfig) -> list[KVCacheGroup]:
    """Which layers share block tables, for sequences as long as the settings allow."""
    longest = config.max_model_len or model.spec.max_model_len
    return kv_cache_groups(model.spec.layers, config.block_size, max_model_len=longest)


def block_bytes(model: PagedModel, config: EngineConfig, groups: Sequence[KVCacheGroup]) -> int:
    """What one block takes in all of the pool's tensors, on the device or in the swap pool."""
    return bytes_per_block(tensor_slots(model.spec.layers, groups), config.block_size, cache_dtype(model, config))


def cache_dtype(model: PagedModel, config: EngineConfig) -> torch.dtype:
    """Of the pool's tensors.

    Raises:
        ConfigError: one that the inputs of the model's convolutions cannot have.
    """
    name = KV_CACHE_DTYPES[config.kv_cache_dtype]
    if name is not None and any(shape.convolution for shape in model.spec.layers.values()):
        raise ConfigError(
            f"EngineConfig: kv_cache_dtype is {config.kv_cache_dtype!r}, but {model.spec.name} has layers of "
            "convolution, whose inputs lie in the same blocks in the model's own type; expected 'auto'"
        )
    return model.spec.dtype if name is None else getattr(torch, name)


def num_asked_blocks(model: PagedModel, config: EngineConfig) -> int | None:
    """Blocks of the pool where the settings say how many, or how many bytes; None: what there is room for.

    Raises:
        ConfigError: not even the null block and one more.
    """
    if config.kv_cache_memory_bytes is None:
        return config.num_blocks
    per_block = block_bytes(model, config, groups_of(model, config))
    count = config.kv_cache_memory_bytes // per_block
    if count < 2:
        raise ConfigError(
            f"EngineConfig: kv_cache_memory_bytes is {config.kv_cache_memory_bytes}, a block takes {per_block} bytes; "
            "expected two blocks or more"
        )
    return count


def num_swap_blocks(model: PagedModel, config: EngineConfig) -> int:
    """Blocks that `swap_space` has room for.

    Raises:
        ConfigError: not one.
    """
    if not config.swap_space:
        return 0
    per_block = block_bytes(model, config, groups_of(model, config))
    count = int(config.swap_space * 2**30) // per_block
    if count < 1:
        raise ConfigError(
            f"EngineConfig: swap_space is {config.swap_space} GiB, a block takes {per_block >> 10} KiB; "
            "raise it, or set 0"
        )
    return count
