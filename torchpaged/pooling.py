"""What `LLM.encode`, `embed`, `classify` and `score` have between them and the engine: prompts, parameters, outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from torchpaged.engine import Prompt
from torchpaged.errors import ConfigError, EngineError, RequestError
from torchpaged.outputs import (
    ClassificationOutput,
    ClassificationRequestOutput,
    EmbeddingOutput,
    EmbeddingRequestOutput,
    PoolingOutput,
    PoolingRequestOutput,
    RequestOutput,
    ScoringOutput,
    ScoringRequestOutput,
)
from torchpaged.pooling_params import PoolingParams

# Of vLLM's `tokenization_kwargs`, what is not the tokenizer's own.
_TRUNCATE = "truncate_prompt_tokens"


def one_task(
    method: str, params: PoolingParams | Sequence[PoolingParams] | None, task: str | None, count: int
) -> list[PoolingParams]:
    """Parameters for each of some prompts, all of one task.

    Args:
        method: for messages.
        task: None: each one's own.

    Raises:
        ConfigError: as many as there are prompts are expected, or a task that is not this one.
    """
    given = PoolingParams() if params is None else params
    every = [given] * count if isinstance(given, PoolingParams) else list(given)
    if len(every) != count:
        raise ConfigError(
            f"{method}: pooling_params has {len(every)} entries, expected one for each of {count} prompts"
        )
    for each in every:
        if not isinstance(each, PoolingParams):
            raise ConfigError(f"{method}: pooling_params has {each!r:.80}, expected PoolingParams")
        if task is not None and each.task not in (None, task):
            raise ConfigError(f"{method}: pooling_params has task {each.task!r}, expected {task!r} or None")
    return every if task is None else [replace(each, task=task) for each in every]


def require_no_lora(method: str, lora_request: object) -> None:
    """Raises ConfigError for an adapter."""
    if lora_request is not None:
        raise ConfigError(f"{method}: lora_request is {lora_request!r:.80}, expected None: merge the adapter first")


def tokenized(
    method: str,
    tokenizer: Any,
    prompts: Sequence[Prompt | tuple[str, str]],
    options: Mapping[str, Any] | None,
    max_model_len: int,
) -> list[Any]:
    """Prompts as the engine takes them; pairs of texts, and texts with options, become tokens.

    Args:
        options: of the tokenizer, and "truncate_prompt_tokens": how many tokens are kept, the last ones; -1: as many as
            the model is long.

    Raises:
        ConfigError: options that are not these.
        RequestError: a text that the tokenizer fails on, naming its index.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"{method}: tokenization_kwargs is {options!r:.80}, expected a dictionary")
    own = dict(options or {})
    kept = own.pop(_TRUNCATE, None)
    if kept is not None and (not isinstance(kept, int) or isinstance(kept, bool) or (kept < 1 and kept != -1)):
        raise ConfigError(
            f"{method}: {_TRUNCATE} is {kept!r:.80}, expected an integer of 1 or more, -1 for max_model_len, or None"
        )
    kept = min(kept, max_model_len) if kept is not None and kept > 0 else kept and max_model_len
    made: list[Any] = []
    for index, prompt in enumerate(prompts):
        if isinstance(prompt, Mapping) and (own or kept):
            key = next((key for key in ("prompt_token_ids", "prompt") if key in prompt), None)
            if key is None:
                raise RequestError(
                    f"prompt {index}: it has the keys {sorted(prompt)}, expected prompt_token_ids or prompt"
                )
            rest = {name: value for name, value in prompt.items() if name not in ("prompt_token_ids", "prompt")}
            made.append({**rest, "prompt_token_ids": _tokens(method, tokenizer, index, prompt[key], own, kept)})
        elif isinstance(prompt, Mapping) or (isinstance(prompt, str) and not (own or kept)):
            made.append(prompt)
        else:
            made.append(_tokens(method, tokenizer, index, prompt, own, kept))
    return made


def _tokens(
    method: str, tokenizer: Any, index: int, prompt: Any, options: Mapping[str, Any], kept: int | None
) -> Sequence[int]:
    """Of a text, a pair of texts, or tokens, which may be cut."""
    is_pair = isinstance(prompt, tuple) and bool(prompt) and isinstance(prompt[0], str)
    if is_pair or isinstance(prompt, str):
        if tokenizer is None:
            raise RequestError(f"prompt {index}: {method} was given a text and there is no tokenizer; pass tokens")
        try:
            prompt = list(tokenizer(*(prompt if is_pair else [prompt]), **options)["input_ids"])
        except Exception as error:  # a tokenizer may raise anything
            raise RequestError(f"prompt {index}: the tokenizer failed on the text: {error}") from error
    tokens: Sequence[int] = prompt[-kept:] if kept else prompt
    return tokens


def are_continuations(given: object) -> bool:
    """Whether the second argument of `LLM.score` is lists of continuations, each of tokens; else it is texts."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
        return False
    return all(isinstance(each, Sequence) and not isinstance(each, (str, Mapping)) for each in given)


def pairs(data_1: object, data_2: object) -> list[tuple[str, str]]:
    """Which texts are scored with which: one with each, or the first with the first and so on.

    Raises:
        ConfigError: other numbers of texts, or what is no text.
    """
    both = []
    for name, data in (("data_1", data_1), ("data_2", data_2)):
        texts = [data] if isinstance(data, str) else data
        if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
            raise ConfigError(f"score: {name} is {data!r:.80}, expected a text or a list of texts")
        both.append(list(texts))
    first, second = both
    if len(first) == 1:
        first = first * len(second)
    if len(first) != len(second):
        raise ConfigError(f"score: data_1 has {len(first)} texts and data_2 {len(second)}, expected one or as many")
    return list(zip(first, second, strict=True))


# --- Outputs ----------------------------------------------------------------------------------------------------


def values_of(output: RequestOutput) -> torch.Tensor:
    """What was pooled.

    Raises:
        EngineError: the request has ended without.
    """
    if output.pooled is None:
        (failed,) = output.outputs
        raise EngineError(f"request {output.request_id!r} ended with {failed.finish_reason!r}: {failed.error}")
    return torch.from_numpy(output.pooled)


def pooled(output: RequestOutput) -> PoolingRequestOutput[PoolingOutput]:
    """As `LLM.encode` gives it."""
    return PoolingRequestOutput(*_fields(output, PoolingOutput(values_of(output))))


def embedded(output: RequestOutput) -> EmbeddingRequestOutput:
    """As `LLM.embed` gives it."""
    return EmbeddingRequestOutput(*_fields(output, EmbeddingOutput(values_of(output).tolist())))


def classified(output: RequestOutput) -> ClassificationRequestOutput:
    """As `LLM.classify` gives it."""
    return ClassificationRequestOutput(*_fields(output, ClassificationOutput(values_of(output).tolist())))


def scored(output: RequestOutput) -> ScoringRequestOutput:
    """As `LLM.score` gives it, of a model that says one number of two texts."""
    return ScoringRequestOutput(*_fields(output, ScoringOutput(float(values_of(output)))))


def compared(one: RequestOutput, other: RequestOutput) -> ScoringRequestOutput:
    """As `LLM.score` gives it, of a model that embeds: the cosine of two vectors."""
    cosine = torch.nn.functional.cosine_similarity(values_of(one).double(), values_of(other).double(), dim=0)
    return ScoringRequestOutput(
        f"{one.request_id}_{other.request_id}",
        ScoringOutput(float(cosine)),
        one.prompt_token_ids + other.prompt_token_ids,
        (one.num_cached_tokens or 0) + (other.num_cached_tokens or 0),
        True,
    )


def _fields(output: RequestOutput, made: Any) -> tuple[str, Any, list[int], int, bool]:
    return output.request_id, made, output.prompt_token_ids, output.num_cached_tokens or 0, output.finished
