"""Runs transformers' decoders unchanged over the paged cache.

The adapter's functions are imported when they are first used, so that `torchpaged` can register its attention with
transformers without importing transformers.
"""

from __future__ import annotations

import importlib
from typing import Any

_OF_ADAPTER = ("TransformersModel", "adapt", "load", "spec_without_weights")


def __getattr__(name: str) -> Any:
    if name not in _OF_ADAPTER:
        raise AttributeError(f"module 'torchpaged.integrations.transformers' has no attribute {name!r}")
    return getattr(importlib.import_module("torchpaged.integrations.transformers.adapter"), name)
