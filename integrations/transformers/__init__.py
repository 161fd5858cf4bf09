"""Runs transformers' decoders unchanged over the paged cache.

The adapter's functions load when they are first named: importing one part of this package imports transformers only if
that part needs it.
"""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module 'torchpaged.integrations.transformers' has no attribute {name!r}")
    return getattr(importlib.import_module("torchpaged.integrations.transformers.adapter"), name)
