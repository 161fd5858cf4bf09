"""Who owns which block of the KV cache. Pure Python: token ids and block ids, no tensors."""

from torchpaged.kv_cache.block import FreeBlockQueue, KVCacheBlock
from torchpaged.kv_cache.block_pool import BlockPool
from torchpaged.kv_cache.manager import KVCacheManager, KVCacheStats
from torchpaged.kv_cache.spec import FullAttentionSpec, KVCacheGroup

__all__ = [
    "BlockPool",
    "FreeBlockQueue",
    "FullAttentionSpec",
    "KVCacheBlock",
    "KVCacheGroup",
    "KVCacheManager",
    "KVCacheStats",
]
