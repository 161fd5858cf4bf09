"""torchpaged: a paged KV cache for any PyTorch decoder.

Importing it registers `torch.ops.torchpaged.*`; the engine's classes load when they are first named, so
that block management (`torchpaged.kv_cache`) and scheduling need no torch at all.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any


def _runs_the_command_line() -> bool:
    """Whether this process was started as `torchpaged` or `python -m torchpaged.cli`.

    Its words are read before torch is imported, which takes seconds; a command that runs imports the operators itself.
    """
    words = getattr(sys, "argv", None) or [""]
    if words[0] == "-m":  # so it is while a module is looked for, whose name stands before its arguments
        return sys.orig_argv[-len(words)] in ("torchpaged.cli", "-mtorchpaged.cli")
    # A process that multiprocessing has spawned has its parent's words, but was not started with them.
    return os.path.splitext(os.path.basename(words[0]))[0] == "torchpaged" and words[0] in sys.orig_argv


if importlib.util.find_spec("torch") is not None and not _runs_the_command_line():
    import torchpaged.ops  # noqa: F401 - importing it defines the operators

if TYPE_CHECKING:
    from torchpaged.config import EngineConfig
    from torchpaged.engine import LLMEngine
    from torchpaged.llm import LLM
    from torchpaged.models.attention import PagedAttention
    from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache, StepMetadata
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
    from torchpaged.errors import needing

    with needing(f"torchpaged.{name}"):
        value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value
