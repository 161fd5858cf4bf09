"""Answers of the pooling routes: embeddings, classes, scores and rankings."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.async_engine.request_streams import last_outputs
from torchpaged.async_engine.tokenizer_pool import Length
from torchpaged.errors import ConfigError
from torchpaged.lora_request import LoRARequest
from torchpaged.outputs import PoolingOutput, PoolingRequestOutput, ScoringRequestOutput
from torchpaged.pooling import pairs, scoring_task
from torchpaged.pooling_params import PoolingParams
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.pooling_bodies import ClassifyBody, InputBody, PoolingBody, RerankBody
from torchpaged.serving.protocol import EmbeddingBody, PooledBody, ScoreBody, ScoringBody, prompts_of
from torchpaged.serving.refusals import Refusal

Pooled = PoolingRequestOutput[PoolingOutput]


async def embeddings(
    llm: AsyncLLM, body: EmbeddingBody, options: ServeOptions, salt: str | None, lora: LoRARequest | None
) -> dict[str, Any]:
    """Return `data` and `usage` of an answer with embeddings.

    Raises:
        Refusal: there are too many inputs.
        RequestError, ConfigError: the engine refuses a request.
    """
    body.require_possible()
    params = PoolingParams(
        task="embed",
        dimensions=body.dimensions,
        use_activation=body.use_activation,
        prompt_name=body.prompt_name,
    )
    outputs = await _encoded(llm, body, prompts_of(body.input, options, "input"), params, salt, lora)
    data = [
        {"object": "embedding", "index": index, "embedding": _written(output, body.encoding_format)}
        for index, output in enumerate(outputs)
    ]
    return {"data": data, "usage": _usage(outputs)}


async def pooled(
    llm: AsyncLLM, body: PoolingBody, options: ServeOptions, salt: str | None, lora: LoRARequest | None
) -> dict[str, Any]:
    """Return `data` and `usage` for any task: a vector per prompt, or a row per token."""
    params = PoolingParams(
        task=body.task,
        dimensions=body.dimensions,
        use_activation=body.use_activation,
        prompt_name=body.prompt_name,
    )
    outputs = await _of_input(llm, body, params, options, salt, lora)
    data = [
        {"index": index, "object": "pooling", "data": _written(output, body.encoding_format)}
        for index, output in enumerate(outputs)
    ]
    return {"data": data, "usage": _usage(outputs)}


async def classes(
    llm: AsyncLLM, body: ClassifyBody, options: ServeOptions, salt: str | None, lora: LoRARequest | None
) -> dict[str, Any]:
    """Return `data` and `usage` with class probabilities, and the name of the most likely class."""
    params = PoolingParams(task="classify", use_activation=body.use_activation)
    outputs, labels = await _of_input(llm, body, params, options, salt, lora), llm.spec.labels
    data = []
    for index, output in enumerate(outputs):
        probs = [float(each) for each in output.outputs.data]
        label = labels[int(np.argmax(probs))] if labels else None
        data.append({"index": index, "label": label, "probs": probs, "num_classes": len(probs)})
    return {"data": data, "usage": _usage(outputs)}


async def _of_input(
    llm: AsyncLLM,
    body: InputBody,
    params: PoolingParams,
    options: ServeOptions,
    salt: str | None,
    lora: LoRARequest | None,
) -> list[Pooled]:
    """Pool each input, or the one conversation."""
    body.require_possible()
    if body.messages is not None:
        length = Length.of(body.truncate_prompt_tokens is not None)
        prompts: list[Any] = [await llm.preprocess_chat(body.messages, length=length, **body.template_options())]
    else:
        assert body.input is not None, "input or messages are given"
        prompts = prompts_of(body.input, options, "input")
    return await _encoded(llm, body, prompts, params, salt, lora)


async def _encoded(
    llm: AsyncLLM,
    body: PooledBody,
    prompts: Sequence[Any],
    params: PoolingParams,
    salt: str | None,
    lora: LoRARequest | None,
) -> list[Pooled]:
    more: Any = {"tokenization_kwargs": body.tokenization(), "priority": body.priority or 0}
    streams = [llm.encode(prompt, params, lora_request=lora, cache_salt=salt, **more) for prompt in prompts]
    return await last_outputs(streams)


def _written(output: Pooled, form: str | None) -> Any:
    """Return nested lists, or base64 of little-endian float32, row by row."""
    values = output.outputs.data.numpy()
    if form == "base64":
        return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()
    return values.astype(np.float64).tolist()


async def scores(
    llm: AsyncLLM, body: ScoreBody, options: ServeOptions, salt: str | None, lora: LoRARequest | None
) -> dict[str, Any]:
    """Return `data` and `usage` with scores of pairs: a pair classifier's output, or the cosine of the embeddings.

    Raises:
        Refusal: there are too many texts, or the model cannot score pairs.
        RequestError, ConfigError: the engine refuses a request.
    """
    outputs = await _scored(llm, body, *body.texts(), options, salt, lora)
    data = [{"index": index, "object": "score", "score": each.outputs.score} for index, each in enumerate(outputs)]
    return {"data": data, "usage": _usage(outputs)}


async def ranking(
    llm: AsyncLLM, body: RerankBody, options: ServeOptions, salt: str | None, lora: LoRARequest | None
) -> dict[str, Any]:
    """Return `results` and `usage`: documents by descending score, ties in their order. Errors as in `scores`."""
    top_n = len(body.documents) if not body.top_n else body.top_n
    if top_n < 0:
        raise Refusal(f"top_n is {body.top_n}, expected 1 or more, or 0 for all documents", param="top_n")
    outputs = await _scored(llm, body, "documents", body.query, body.documents, options, salt, lora)
    best = sorted(enumerate(outputs), key=lambda each: -each[1].outputs.score)
    results = [
        {"index": index, "document": _shown(body.documents[index]), "relevance_score": output.outputs.score}
        for index, output in best[:top_n]
    ]
    return {"results": results, "usage": _usage(outputs)}


def _shown(document: Any) -> dict[str, Any]:
    """Return a document as vLLM's answer has it."""
    return {"text": document} if isinstance(document, str) else {"multi_modal": document.get("content")}


async def _scored(
    llm: AsyncLLM,
    body: ScoringBody,
    name: str,
    one: Any,
    other: Any,
    options: ServeOptions,
    salt: str | None,
    lora: LoRARequest | None,
) -> list[ScoringRequestOutput]:
    """Score pairs; `name` is the field of the texts, for messages."""
    body.require_possible()
    try:
        both = pairs(one, other, takes_prompts=True)
    except ConfigError as error:
        raise Refusal(str(error), param=name) from None
    if not 1 <= len(both) <= options.max_prompts:
        raise Refusal(f"{name} has {len(both)} pairs, expected 1 to {options.max_prompts}", param=name)
    try:
        scoring_task(llm.spec, llm.config.pooler_config)
    except ConfigError as error:
        raise Refusal(str(error).removeprefix("score: "), param="model") from None
    return await llm.score(
        await _prompts(llm, name, one),
        await _prompts(llm, name, other),
        PoolingParams(use_activation=body.use_activation),
        lora_request=lora,
        tokenization_kwargs=body.tokenization(),
        priority=body.priority or 0,
        cache_salt=salt,
    )


async def _prompts(llm: AsyncLLM, name: str, given: Any) -> list[Any]:
    """Return texts as they are, and the prompt of each {"content": [parts of a message]}."""
    found: list[Any] = []
    for each in given if isinstance(given, list) else [given]:
        if isinstance(each, str):
            found.append(each)
            continue
        if each.keys() != {"content"} or not isinstance(each["content"], list):
            raise Refusal(
                f"{name} has {each!r:.80}, expected a text or an object with content, a list of parts", param=name
            )
        message = {"role": "user", "content": each["content"]}
        found.append(await llm.preprocess_chat([message], add_generation_prompt=False))
    return found


def _usage(outputs: Sequence[PoolingRequestOutput[Any]]) -> dict[str, int]:
    count = sum(len(output.prompt_token_ids) for output in outputs)
    return {"prompt_tokens": count, "total_tokens": count}
