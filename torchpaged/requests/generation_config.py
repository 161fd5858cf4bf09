"""Defaults of requests from the values of a checkpoint's generation config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchpaged.errors import ConfigError, ModelError
from torchpaged.sampling_params import SamplingParams

# Names of transformers' GenerationConfig, and ours.
_NAMES = {name: name for name in ("temperature", "top_k", "top_p", "min_p", "repetition_penalty")}
_NAMES["max_new_tokens"] = "max_tokens"


def default_sampling(values: Mapping[str, Any], model: str) -> SamplingParams:
    """Return the sampling parameters that a generation config sets, as in vLLM.

    Args:
        values: those that differ from transformers' defaults.
        model: its name, for the error.

    Raises:
        ModelError: a value that `SamplingParams` rejects.
    """
    found = {ours: values[theirs] for theirs, ours in _NAMES.items() if values.get(theirs) is not None}
    try:
        return SamplingParams(**found)
    except ConfigError as error:
        raise ModelError(
            f"{model}'s generation config: {error}; LLM(..., generation_config='ignore') leaves it out"
        ) from error


def eos_token_ids(values: Mapping[str, Any], tokenizer: Any, model: str) -> tuple[int, ...]:
    """Return the end-of-text tokens of a generation config, else of the tokenizer. ModelError if not integers."""
    eos = values.get("eos_token_id")
    if eos is None and tokenizer is not None:
        eos = tokenizer.eos_token_id
    found = tuple(eos) if isinstance(eos, (list, tuple)) else () if eos is None else (eos,)
    if wrong := [each for each in found if type(each) is not int]:
        raise ModelError(f"{model}: eos_token_id of its generation config has {wrong[0]!r:.80}, expected token ids")
    return found
