"""torchpaged: a paged KV cache for any PyTorch decoder.

Importing the package registers `torch.ops.torchpaged.*`, and `attn_implementation="torchpaged"` once transformers is
imported. The engine's classes load on first access, so block management (`torchpaged.kv_cache`) and scheduling do not
need torch.
"""

from __future__ import annotations

from torchpaged.utils import startup  # isort: skip - before all other imports, which it times

import importlib
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any

from torchpaged.integrations.transformers import registration
from torchpaged.utils.heap import uncollected
from torchpaged.utils.version import __version__

# Modules that import torch themselves, or need none.
_LIGHT = ("torchpaged", "torchpaged.cli", "torchpaged.serving.body_process")


def _runs_the_command_line() -> bool:
    """Return whether this process was started as `torchpaged` or `python -m torchpaged`, or as another of `_LIGHT`.

    The command line is parsed before torch is imported, which takes seconds; a command imports the operators itself.
    """
    words = getattr(sys, "argv", None) or [""]
    if words[0] == "-m":  # sys.argv[0] while Python locates the module; orig_argv has its name before its arguments
        return sys.orig_argv[-len(words)].removeprefix("-m") in _LIGHT
    # A process spawned by multiprocessing inherits its parent's sys.argv, but was not started with it.
    return os.path.splitext(os.path.basename(words[0]))[0] == "torchpaged" and words[0] in sys.orig_argv


if importlib.util.find_spec("torch") is not None and not _runs_the_command_line():
    with uncollected():  # 0.15 s of the imports of torch and `LLM`, in which no object is freed
        startup.import_torch()
        with startup.stage("torchpaged"):
            import torchpaged.ops  # noqa: F401 - importing it defines the operators

registration.install()

if TYPE_CHECKING:
    from torchpaged.async_engine.async_llm import AsyncEngineArgs, AsyncLLM
    from torchpaged.config import EngineConfig
    from torchpaged.engine.llm_engine import LLMEngine
    from torchpaged.engine.speculation import register_proposer
    from torchpaged.engine_args import EngineArgs
    from torchpaged.execution.paged_kv_cache import PagedKVCache
    from torchpaged.integrations.transformers.paged_cache import PagedCache
    from torchpaged.llm import LLM
    from torchpaged.lora_request import LoRARequest
    from torchpaged.models.attention import PagedAttention
    from torchpaged.models.attention_metadata import AttentionMetadata, LayerCache, StepMetadata
    from torchpaged.models.model import LayerShape
    from torchpaged.outputs import (
        ClassificationOutput,
        ClassificationRequestOutput,
        CompletionOutput,
        EmbeddingOutput,
        EmbeddingRequestOutput,
        PoolingOutput,
        PoolingRequestOutput,
        RequestOutput,
        ScoringOutput,
        ScoringRequestOutput,
    )
    from torchpaged.pooling_params import PoolerConfig, PoolingParams
    from torchpaged.sampling_params import BeamSearchParams, SamplingParams, ScoringParams
    from torchpaged.structured_outputs import StructuredOutputsParams


_HOME = {
    "AsyncEngineArgs": "torchpaged.async_engine.async_llm",
    "AsyncLLM": "torchpaged.async_engine.async_llm",
    "AttentionMetadata": "torchpaged.models.attention_metadata",
    "LayerCache": "torchpaged.models.attention_metadata",
    "StepMetadata": "torchpaged.models.attention_metadata",
    "PagedAttention": "torchpaged.models.attention",
    "LLM": "torchpaged.llm",
    "LoRARequest": "torchpaged.lora_request",
    "LLMEngine": "torchpaged.engine.llm_engine",
    "PagedCache": "torchpaged.integrations.transformers.paged_cache",
    "EngineConfig": "torchpaged.config",
    "EngineArgs": "torchpaged.engine_args",
    "BeamSearchParams": "torchpaged.sampling_params",
    "SamplingParams": "torchpaged.sampling_params",
    "ScoringParams": "torchpaged.sampling_params",
    "RequestOutput": "torchpaged.outputs",
    "CompletionOutput": "torchpaged.outputs",
    "PoolingParams": "torchpaged.pooling_params",
    "PoolingOutput": "torchpaged.outputs",
    "PoolingRequestOutput": "torchpaged.outputs",
    "EmbeddingOutput": "torchpaged.outputs",
    "EmbeddingRequestOutput": "torchpaged.outputs",
    "ClassificationOutput": "torchpaged.outputs",
    "ClassificationRequestOutput": "torchpaged.outputs",
    "ScoringOutput": "torchpaged.outputs",
    "ScoringRequestOutput": "torchpaged.outputs",
    "PoolerConfig": "torchpaged.pooling_params",
    "PagedKVCache": "torchpaged.execution.paged_kv_cache",
    "LayerShape": "torchpaged.models.model",
    "StructuredOutputsParams": "torchpaged.structured_outputs",
    "register_proposer": "torchpaged.engine.speculation",
}

__all__ = [
    "LLM",
    "AsyncEngineArgs",
    "AsyncLLM",
    "AttentionMetadata",
    "BeamSearchParams",
    "ClassificationOutput",
    "ClassificationRequestOutput",
    "CompletionOutput",
    "EmbeddingOutput",
    "EmbeddingRequestOutput",
    "EngineArgs",
    "EngineConfig",
    "LLMEngine",
    "LayerCache",
    "LayerShape",
    "LoRARequest",
    "PagedAttention",
    "PagedCache",
    "PagedKVCache",
    "PoolerConfig",
    "PoolingOutput",
    "PoolingParams",
    "PoolingRequestOutput",
    "RequestOutput",
    "SamplingParams",
    "ScoringOutput",
    "ScoringParams",
    "ScoringRequestOutput",
    "StepMetadata",
    "StructuredOutputsParams",
    "__version__",
    "register_proposer",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'torchpaged' has no attribute {name!r}")
    from torchpaged.errors import needing

    with startup.stage("torchpaged"), needing(f"torchpaged.{name}"), uncollected():
        value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value
