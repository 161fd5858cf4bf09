"""POST /invocations, a hosting platform's only route: the body's fields decide which route is meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from torchpaged.models.model import ModelSpec
from torchpaged.serving.pooling_bodies import ClassifyBody, PoolingBody, RerankBody
from torchpaged.serving.protocol import Body, ChatBody, CompletionBody, EmbeddingBody, ScoreBody
from torchpaged.serving.refusals import Refusal

# Kinds of bodies by the field that identifies them.
_BY_FIELD: dict[str, type[Body]] = {
    "task": PoolingBody,
    "messages": ChatBody,
    "prompt": CompletionBody,
    "query": RerankBody,
    "text_1": ScoreBody,
    "queries": ScoreBody,
    "data_1": ScoreBody,
    "input": EmbeddingBody,
}


def body_of(given: Mapping[str, Any], spec: ModelSpec) -> Body:
    """Parse a body as the kind that its fields identify.

    Raises:
        Refusal: it has none of these fields.
        RequestValidationError: it is invalid for its route.
    """
    kind = next((kind for field, kind in _BY_FIELD.items() if field in given), None)
    if kind is None:
        raise Refusal(f"the body has none of the fields {', '.join(_BY_FIELD)}, which identify its route")
    if spec.num_labels and kind in (ChatBody, EmbeddingBody):  # vLLM's reading of such bodies for a classifier
        kind = PoolingBody if spec.labels_tokens else ClassifyBody
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        found = [{**each, "loc": ("body", *each["loc"])} for each in error.errors()]
        raise RequestValidationError(found) from None
