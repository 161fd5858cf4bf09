"""The engine: requests in, outputs out, one step at a time.

`LLMEngine` loads when it is first named, so that importing one part of this package does not import all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchpaged.engine.llm_engine import LLMEngine

__all__ = ["LLMEngine"]


def __getattr__(name: str) -> Any:
    if name != "LLMEngine":
        raise AttributeError(f"module 'torchpaged.engine' has no attribute {name!r}")
    from torchpaged.engine.llm_engine import LLMEngine

    return LLMEngine
