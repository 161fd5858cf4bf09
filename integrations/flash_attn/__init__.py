"""FlashAttention's functions over torchpaged's operators: change the import, keep your model and cache manager.

The interface is that of github.com/Dao-AILab/flash-attention, 2.6 and later; none of its code is used. The functions
without a cache have a backward pass.
"""

from torchpaged.integrations.flash_attn.kvcache import flash_attn_with_kvcache
from torchpaged.integrations.flash_attn.packed import (
    flash_attn_func,
    flash_attn_kvpacked_func,
    flash_attn_qkvpacked_func,
    flash_attn_varlen_func,
    flash_attn_varlen_kvpacked_func,
    flash_attn_varlen_qkvpacked_func,
)

__all__ = [
    "flash_attn_func",
    "flash_attn_kvpacked_func",
    "flash_attn_qkvpacked_func",
    "flash_attn_varlen_func",
    "flash_attn_varlen_kvpacked_func",
    "flash_attn_varlen_qkvpacked_func",
    "flash_attn_with_kvcache",
]
