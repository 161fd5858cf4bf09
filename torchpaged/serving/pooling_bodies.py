"""Request bodies of vLLM's routes for classes, pooled hidden states and rankings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from torchpaged.serving.protocol import (
    Flag,
    Messages,
    PooledBody,
    Prompts,
    Scored,
    ScoringBody,
    require_one_of,
    template_options,
)


class InputBody(PooledBody):
    """A request about several texts, or about one conversation."""

    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        **PooledBody.only,
        "chat_template": ((), "clients send no templates; start the server with --chat-template"),
    }

    input: Prompts | None = None
    messages: Messages | None = None
    add_special_tokens: Flag | None = None
    add_generation_prompt: Flag | None = None
    continue_final_message: Flag | None = None
    chat_template: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None

    def require_possible(self) -> None:
        """Check the fields, as `Body` does."""
        super().require_possible()
        require_one_of(self, "input")

    def template_options(self) -> dict[str, Any]:
        """Return the options of `ChatReader.prompts`; by default without the beginning of an answer."""
        return template_options(
            begins=bool(self.add_generation_prompt),
            goes_on=bool(self.continue_final_message),
            told=self.chat_template_kwargs,
            tools=None,
        )


class ClassifyBody(InputBody):
    """The body of POST /classify."""


class PoolingBody(InputBody):
    """The body of POST /pooling. `task` None: the model's own."""

    task: Literal["embed", "classify", "token_embed", "token_classify"] | None = None
    dimensions: int | None = None
    encoding_format: Literal["float", "base64"] | None = None
    prompt_name: str | None = None


class RerankBody(ScoringBody):
    """The body of POST /rerank, which orders documents by their relevance to a query."""

    query: Scored
    documents: list[Scored]
    top_n: int | None = None
