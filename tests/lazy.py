"""Packages that are imported where a test first uses them: each worker collects all tests, and runs half of them."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest


def lazy(name: str) -> ModuleType:
    """Return a package that is imported by the first use of an attribute. Skip the calling module without it."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        pytest.skip(f"{name} is not installed", allow_module_level=True)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
