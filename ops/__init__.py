"""torchpaged's operators: importing this package defines `torch.ops.torchpaged.*`.

They know tensors and nothing of requests. `reference.py` is their definition in plain PyTorch.
"""

from torchpaged.ops.library import (
    Backend,
    active_backend,
    backends,
    describe,
    load_asked_for,
    register_backend,
    set_backend,
    unregister_backend,
)
from torchpaged.ops.score_mods import register_mask_mod, register_score_mod

__all__ = [
    "Backend",
    "active_backend",
    "backends",
    "describe",
    "register_backend",
    "register_mask_mod",
    "register_score_mod",
    "set_backend",
    "unregister_backend",
]

load_asked_for()
