"""Who owns which block of the KV cache. Pure Python: token ids and block ids, no tensors."""

from torchpaged.kv_cache.block import BlockCopy, CopyDirection, FreeBlockQueue, KVCacheBlock
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.manager import KVCacheManager, KVCacheStats
from torchpaged.kv_cache.spec import (
    ChunkedLocalAttentionSpec,
    FullAttentionSpec,
    KVCacheGroup,
    KVCacheSpec,
    SlidingWindowSpec,
)

__all__ = [
    "BlockCopy",
    "BlockPool",
    "ChunkedLocalAttentionSpec",
    "CopyDirection",
    "FreeBlockQueue",
    "FullAttentionSpec",
    "KVCacheBlock",
    "KVCacheGroup",
    "KVCacheManager",
    "KVCacheSpec",
    "KVCacheStats",
    "SlidingWindowSpec",
]
