"""Parameters, text pairs and outputs of `LLM.encode`, `embed`, `classify` and `score`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from torchpaged.engine.per_prompt import one_each
from torchpaged.errors import ConfigError, EngineError
from torchpaged.models.model import ModelSpec
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
from torchpaged.pooling_params import PoolerConfig, PoolingParams
from torchpaged.requests.chat import ChatReader


def one_task(
    method: str, params: PoolingParams | Sequence[PoolingParams] | None, task: str | None, count: int
) -> list[PoolingParams]:
    """Return pooling parameters for each of `count` prompts, all with one task.

    Args:
        method: name of the calling method, for messages.
        task: None: each one's own.

    Raises:
        ConfigError: the wrong number of parameters, or another task than `task`.
    """
    expected = f"PoolingParams, or one for each of {count} prompts"
    given = PoolingParams() if params is None else params
    every = one_each(f"{method}: pooling_params", given, PoolingParams, count, expected)
    for each in every:
        if not isinstance(each, PoolingParams):
            raise ConfigError(f"{method}: pooling_params has {each!r:.80}, expected PoolingParams")
        if task is not None and each.task not in (None, task):
            raise ConfigError(f"{method}: pooling_params has task {each.task!r}, expected {task!r} or None")
    return every if task is None else [replace(each, task=task) for each in every]


def are_continuations(given: object) -> bool:
    """Return whether the second argument of `LLM.score` is lists of tokenised continuations instead of texts."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence):
        return False
    return all(isinstance(each, Sequence) and not isinstance(each, (str, Mapping)) for each in given)


def pairs(data_1: object, data_2: object, *, takes_prompts: bool = False) -> list[tuple[Any, Any]]:
    """Pair the texts to score: one with each of the others, or two lists of the same length entry by entry.

    Args:
        takes_prompts: if an entry may be a prompt's dictionary, such as one with an image.

    Raises:
        ConfigError: the lengths differ, or an entry is not a text.
    """
    both = []
    kinds = (str, Mapping) if takes_prompts else (str,)
    for name, data in (("data_1", data_1), ("data_2", data_2)):
        texts = [data] if isinstance(data, kinds) else data
        if not isinstance(texts, Sequence) or not all(isinstance(text, kinds) for text in texts):
            what = "a text, a prompt with images or a list of these" if takes_prompts else "a text or a list of texts"
            raise ConfigError(f"score: {name} is {data!r:.80}, expected {what}")
        both.append(list(texts))
    first, second = both
    if len(first) == 1:
        first = first * len(second)
    if len(first) != len(second):
        raise ConfigError(
            f"score: data_1 has {len(first)} texts and data_2 {len(second)}, expected one or equally many"
        )
    return list(zip(first, second, strict=True))


def unique_prompts(both: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return the prompts of pairs without repetitions, by `prompt_key`."""
    return {prompt_key(each): each for pair in both for each in pair}


def prompt_key(prompt: Any) -> Any:
    """Return what equal texts have in common; a prompt's dictionary is equal to itself alone."""
    return prompt if isinstance(prompt, str) else id(prompt)


def templated(chats: ChatReader, template: str, texts: Sequence[tuple[str, str]]) -> list[str]:
    """Join each pair into one text, by a chat template for messages with the roles "query" and "document"."""
    conversations = [
        [{"role": "query", "content": first}, {"role": "document", "content": second}] for first, second in texts
    ]
    prompts = chats.prompts(conversations, chat_template=template, add_generation_prompt=False)
    return [prompt["prompt"] for prompt in prompts]


def scoring_task(spec: ModelSpec, pooler_config: PoolerConfig | None) -> str:
    """Return the task by which a model scores pairs of texts: "classify" for a pair, "embed" or "token_embed" for each.

    Raises:
        ConfigError: the model supports none of them.
    """
    if spec.vector_size:
        return "token_embed"
    if spec.num_labels == 1 and not spec.labels_tokens:
        return "classify"
    if spec.num_labels or (pooler_config is None and not spec.is_encoder):
        raise ConfigError(
            f"score: {spec.name} was not made to score pairs of texts (a ...ForSequenceClassification with one label "
            "is, or an embedding model); use score_continuations for the likelihood of given tokens, or set "
            "pooler_config=PoolerConfig() for the cosine of its hidden states"
        )
    return "token_embed" if pooler_config is not None and pooler_config.task == "token_embed" else "embed"


# --- Outputs ----------------------------------------------------------------------------------------------------


def values_of(output: RequestOutput) -> torch.Tensor:
    """Return the pooled tensor of a request.

    Raises:
        EngineError: the request ended without one.
    """
    if output.pooled is None:
        (failed,) = output.outputs
        raise EngineError(f"request {output.request_id!r} ended with {failed.finish_reason!r}: {failed.error}")
    return torch.from_numpy(output.pooled)


def pooled(output: RequestOutput) -> PoolingRequestOutput[PoolingOutput]:
    """Return the result of `LLM.encode` for a request."""
    return PoolingRequestOutput(*_fields(output, PoolingOutput(values_of(output))))


def embedded(output: RequestOutput) -> EmbeddingRequestOutput:
    """Return the result of `LLM.embed` for a request."""
    return EmbeddingRequestOutput(*_fields(output, EmbeddingOutput(values_of(output).tolist())))


def classified(output: RequestOutput) -> ClassificationRequestOutput:
    """Return the result of `LLM.classify` for a request."""
    return ClassificationRequestOutput(*_fields(output, ClassificationOutput(values_of(output).tolist())))


def scored(output: RequestOutput) -> ScoringRequestOutput:
    """Return the result of `LLM.score` for a pair that a classifier with one label has read."""
    return ScoringRequestOutput(*_fields(output, ScoringOutput(float(values_of(output)))))


def compared(one: RequestOutput, other: RequestOutput, similarity: str | None = None) -> ScoringRequestOutput:
    """Return the result of `LLM.score` for two embedded texts: a similarity of `SIMILARITIES`, None for the cosine.

    With a vector per token it is ColBERT's late interaction: the sum, over the first text's tokens, of the largest
    product with a token of the second.
    """
    first, second = values_of(one).double(), values_of(other).double()
    if first.ndim == 2:
        score = (first @ second.T).amax(dim=1).sum()
    else:
        score = _SIMILARITIES[similarity or "cosine"](first, second)
    return ScoringRequestOutput(
        f"{one.request_id}_{other.request_id}",
        ScoringOutput(float(score)),
        one.prompt_token_ids + other.prompt_token_ids,
        (one.num_cached_tokens or 0) + (other.num_cached_tokens or 0),
        True,
    )


_SIMILARITIES: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "cosine": lambda one, other: torch.nn.functional.cosine_similarity(one, other, dim=0),
    "dot": torch.dot,
    "euclidean": lambda one, other: -torch.linalg.vector_norm(one - other),
    "manhattan": lambda one, other: -(one - other).abs().sum(),
}


def _fields(output: RequestOutput, made: Any) -> tuple[str, Any, list[int], int, bool]:
    return output.request_id, made, output.prompt_token_ids, output.num_cached_tokens or 0, output.finished
