"""Vectors and scores: POST /v1/embeddings and /v1/score."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.errors import ConfigError
from torchpaged.outputs import PoolingOutput, PoolingRequestOutput
from torchpaged.pooling import pairs, scoring_task
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
    try:
        scoring_task(llm.spec, llm.config.pooler_config)
    except ConfigError as error:
        raise Refusal(str(error).removeprefix("score: "), param="model") from None
    outputs = await llm.score(
        body.text_1, body.text_2, tokenization_kwargs=kept, priority=body.priority or 0, cache_salt=salt
    )
    data = [{"index": index, "object": "score", "score": each.outputs.score} for index, each in enumerate(outputs)]
    return {"data": data, "usage": _usage(outputs)}


def _usage(outputs: Sequence[PoolingRequestOutput[Any]]) -> dict[str, int]:
    count = sum(len(output.prompt_token_ids) for output in outputs)
    return {"prompt_tokens": count, "total_tokens": count}
