"""The operators under torch.vmap: refused, with what to do instead. Owns the kernels on its dispatch key.

Without them torch would call an operator once for each example, or fail where one writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchpaged.errors import TransformError

DISPATCH_KEY = "FuncTorchBatched"
_PACKED = "pack the tokens of all sequences into one call, query_start_loc says where each begins"
_ROWS = "give it all rows in one call, its leading dimensions are rows"
# What to do, by operator; the others work on rows.
INSTEAD = {
    "paged_attention": _PACKED,
    "write_kv_cache": "pack the tokens of all sequences and their slots into one call",
    "gather_kv_cache": "give the block tables of all sequences in one call",
    "causal_conv1d": _PACKED,
    **dict.fromkeys(
        ("chunked_conv1d", "gated_delta_rule", "mamba2_scan", "linear_attention", "selective_scan"), _PACKED
    ),
    "copy_blocks": "give all pairs in one block_mapping",
    "swap_blocks": "give all pairs in one block_mapping",
    "pack_linear_weight": "pack each weight in one call of its own and stack what comes",
    "pack_grouped_weight": "pack each weight in one call of its own and stack what comes",
    "packed_linear": f"{_ROWS}; for a weight each use packed_grouped_linear",
}


def instead(name: str) -> str:
    """What to do, of an operator."""
    return INSTEAD.get(name, _ROWS)


def kernel(overload: str, name: str) -> Callable[..., Any]:
    """What stands on an operator's key.

    Args:
        overload: its name in errors, "paged_attention.out".
        name: of the operator, which its overloads share.
    """

    def refuse(*_: Any, **__: Any) -> Any:
        raise TransformError(f"{overload} has no batching rule for torch.vmap: {instead(name)}")

    return refuse
