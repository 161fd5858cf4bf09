"""Ownership of the KV cache's blocks. Pure Python: token ids and block ids, no tensors."""

from torchpaged.kv_cache.block import (
    BlockContent,
    BlockCopy,
    CopyDirection,
    EvictionPolicy,
    FreeBlockQueue,
    KVCacheBlock,
    PoolKind,
    RetainingQueue,
    TierCopy,
)
from torchpaged.kv_cache.block_hash import NO_KEYS, CacheKeys, MultimodalKey
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.manager import KVCacheManager
from torchpaged.kv_cache.memory_limit import MemoryLimit, PoolMemory
from torchpaged.kv_cache.pins import SavedPrefix
from torchpaged.kv_cache.prefix_cache import KVCacheBlocks
from torchpaged.kv_cache.sessions import CacheHint
from torchpaged.kv_cache.spec import (
    ChunkedLocalAttentionSpec,
    CrossAttentionSpec,
    FullAttentionSpec,
    KVCacheGroup,
    KVCacheSpec,
    SlidingWindowSpec,
    StateSpec,
    TailSpec,
)
from torchpaged.kv_cache.stats import KVCacheStats
from torchpaged.kv_cache.tiers import Arrived, LookedUp, TierCounts, TierRead, TierReader, Tiers

__all__ = [
    "NO_KEYS",
    "Arrived",
    "BlockContent",
    "BlockCopy",
    "BlockPool",
    "CacheHint",
    "CacheKeys",
    "ChunkedLocalAttentionSpec",
    "CopyDirection",
    "CrossAttentionSpec",
    "EvictionPolicy",
    "FreeBlockQueue",
    "FullAttentionSpec",
    "KVCacheBlock",
    "KVCacheBlocks",
    "KVCacheGroup",
    "KVCacheManager",
    "KVCacheSpec",
    "KVCacheStats",
    "LookedUp",
    "MemoryLimit",
    "MultimodalKey",
    "PoolKind",
    "PoolMemory",
    "RetainingQueue",
    "SavedPrefix",
    "SlidingWindowSpec",
    "StateSpec",
    "TailSpec",
    "TierCopy",
    "TierCounts",
    "TierRead",
    "TierReader",
    "Tiers",
]
