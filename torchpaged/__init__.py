"""torchpaged: a paged KV cache for any PyTorch decoder.

Importing it registers `torch.ops.torchpaged.*`; the engine's classes load when they are first named, so
that block management (`torchpaged.kv_cache`) and scheduling need no torch at all.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if importlib.util.find_spec("torch") is not None:
    import torchpaged.ops  # noqa: F401 - importing it defines the operators

if TYPE_CHECKING:
    from torchpaged.models.attention import PagedAttention
    from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache, StepMetadata
    from torchpaged.config import EngineConfig
    from torchpaged.engine import LLMEngine
    from torchpaged.llm import LLM
    from torchpaged.outputs import CompletionOutput, RequestOutput
    from torchpaged.sampling_params import BeamSearchParams, SamplingParams, ScoringParams

__version__ = "0.1.0"

_HOME = {
    "AttentionMetadata": "torchpaged.models.attention_metadata",
    "LayerCache": "torchpaged.models.attention_metadata",
    "StepMetadata": "torchpaged.models.attention_metadata",
    "PagedAttention": "torchpaged.models.attention",
    "LLM": "torchpaged.llm",
    "LLMEngine": "torchpaged.engine",
    "EngineConfig": "torchpaged.config",
    "BeamSearchParams": "torchpaged.sampling_params",
    "SamplingParams": "torchpaged.sampling_params",
    "ScoringParams": "torchpaged.sampling_params",
    "RequestOutput": "torchpaged.outputs",
    "CompletionOutput": "torchpaged.outputs",
}

__all__ = [
    "LLM",
    "AttentionMetadata",
    "BeamSearchParams",
    "CompletionOutput",
    "EngineConfig",
    "LLMEngine",
    "LayerCache",
    "PagedAttention",
    "RequestOutput",
    "SamplingParams",
    "ScoringParams",
    "StepMetadata",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'torchpaged' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value
