"""Sampling defaults of chats over a checkpoint whose generation config names no sampling parameter.

At temperature 1 without a filter a small model draws unlikely tokens too often for a conversation. `torchpaged chat`
and the server's chats use these defaults then; `LLM` keeps `SamplingParams()`, as vLLM does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from torchpaged.sampling_params import SamplingParams

# llama.cpp's defaults, in its words.
CHAT_SAMPLING: Mapping[str, Any] = {"temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05}
_NAMES = (*CHAT_SAMPLING, "repetition_penalty")


def chat_params(params: SamplingParams, named: Collection[str] = ()) -> SamplingParams:
    """Return the defaults of a chat: `params` if they set a sampling parameter, otherwise with `CHAT_SAMPLING`.

    Args:
        params: defaults of requests, from the checkpoint's generation config.
        named: parameters that were given explicitly, even with the value of `SamplingParams()`.
    """
    bare = SamplingParams()
    if any(name in named or getattr(params, name) != getattr(bare, name) for name in _NAMES):
        return params
    return replace(params, **CHAT_SAMPLING)


def describe(params: SamplingParams, chat: SamplingParams) -> str | None:
    """Return a line that says how chats sample, or None where the checkpoint decides it."""
    if chat == params:
        return None
    values = ", ".join(f"{name} {value:g}" for name, value in CHAT_SAMPLING.items())
    return (
        f"chats sample with {values}: the checkpoint's generation config names no sampling parameters; "
        "--generation-config vllm samples at temperature 1 without filters"
    )
