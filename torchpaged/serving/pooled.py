"""Vectors and scores: POST /v1/embeddings and /v1/score."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchpaged.async_llm import AsyncLLM
from torchpaged.outputs import PoolingOutput, PoolingRequestOutput
from torchpaged.pooling import pairs
from torchpaged.pooling_params import PoolingParams
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.protocol import EmbeddingBody, ScoreBody, prompts_of
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.streams import every, last_of

Pooled = PoolingRequestOutput[PoolingOutput]


async def embeddings(llm: AsyncLLM, body: EmbeddingBody, options: ServeOptions, salt: str | None) -> dict[str, Any]:
    """`data` and `usage` of the answer.

    Raises:
        Refusal: too many inputs.
        RequestError, ConfigError: what the engine refuses.
    """
    body.require_possible()
    params = PoolingParams(task="embed", dimensions=body.dimensions)
    given = {"add_special_tokens": body.add_special_tokens, "truncate_prompt_tokens": body.truncate_prompt_tokens}
    more = {name: value for name, value in given.items() if value is not None}
    priority = body.priority or 0
    streams = [
        llm.encode(prompt, params, priority=priority, cache_salt=salt, tokenization_kwargs=more)
        for prompt in prompts_of(body.input, options, "input")
    ]
    outputs = await every([last_of(stream) for stream in streams])
    data = [
        {"object": "embedding", "index": index, "embedding": _written(output, body.encoding_format)}
        for index, output in enumerate(outputs)
    ]
    return {"data": data, "usage": _usage(outputs)}


def _written(output: Pooled, form: str | None) -> list[float] | str:
    values = output.outputs.data.numpy()
    if form == "base64":
        return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()
    return [float(value) for value in values]


async def scores(llm: AsyncLLM, body: ScoreBody, options: ServeOptions, salt: str | None) -> dict[str, Any]:
    """`data` and `usage` of the answer: what a model that reads pairs says of each, or the cosine of their vectors.

    Raises:
        Refusal: too many texts, or a model that was made for neither.
        RequestError, ConfigError: what the engine refuses.
    """
    body.require_possible()
    both = pairs(body.text_1, body.text_2)
    if not 1 <= len(both) <= options.max_prompts:
        raise Refusal(f"text_1 has {len(both)} pairs, expected 1 to {options.max_prompts}", param="text_1")
    kept = {} if body.truncate_prompt_tokens is None else {"truncate_prompt_tokens": body.truncate_prompt_tokens}
    priority = body.priority or 0
    if llm.spec.num_labels == 1:
        params = PoolingParams(task="classify")
        outputs = await every(
            [
                last_of(
                    llm.encode(
                        one,
                        params,
                        priority=priority,
                        cache_salt=salt,
                        tokenization_kwargs={**kept, "text_pair": other},
                    )
                )
                for one, other in both
            ]
        )
        found = [float(output.outputs.data) for output in outputs]
    elif llm.spec.num_labels or llm.config.pooler_config is None:
        raise Refusal(
            "the model was not made to score pairs of texts: a ...ForSequenceClassification with one label is, or an "
            "embedding model",
            param="model",
        )
    else:
        params = PoolingParams(task="embed")
        texts = list(dict.fromkeys(text for pair in both for text in pair))
        outputs = await every(
            [
                last_of(llm.encode(text, params, priority=priority, cache_salt=salt, tokenization_kwargs=kept))
                for text in texts
            ]
        )
        vectors = {text: output.outputs.data.numpy() for text, output in zip(texts, outputs, strict=True)}
        found = [_cosine(vectors[one], vectors[other]) for one, other in both]
    data = [{"index": index, "object": "score", "score": score} for index, score in enumerate(found)]
    return {"data": data, "usage": _usage(outputs)}


def _cosine(one: Any, other: Any) -> float:
    one, other = one.astype(np.float64), other.astype(np.float64)
    return float(one @ other / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-12))


def _usage(outputs: Sequence[Pooled]) -> dict[str, int]:
    count = sum(len(output.prompt_token_ids) for output in outputs)
    return {"prompt_tokens": count, "total_tokens": count}
