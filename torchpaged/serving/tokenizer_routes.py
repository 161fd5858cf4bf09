"""vLLM's routes of the tokenizer: tokens of texts and conversations, texts of tokens, and its configuration."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from torchpaged.async_engine.tokenizer_pool import Length
from torchpaged.serving.json_text import json_response
from torchpaged.serving.protocol import DetokenizeBody, TokenizeBody, require_one_of, template_options
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.routes import RouteTable, in_time
from torchpaged.serving.state import ServerState
from torchpaged.serving.tokenizer_info import configuration


class TokenizerRoutes:
    """Routes of the tokenizer.

    Args:
        state: what routes share.
    """

    def __init__(self, state: ServerState) -> None:
        self.state = state

    @property
    def routes(self) -> RouteTable:
        """Paths, methods and functions."""
        return [
            ("/tokenizer_info", "GET", self.tokenizer_info),
            ("/tokenize", "POST", self.tokenize),
            ("/detokenize", "POST", self.detokenize),
        ]

    async def tokenizer_info(self) -> Response:
        """Return the tokenizer's configuration; vLLM's route."""
        return json_response(configuration(self._tokenizer(), self.state.llm.chat_template))

    @in_time
    async def tokenize(self, request: Request, body: TokenizeBody) -> Response:
        """Return the tokens of a prompt or a conversation; vLLM's route."""
        self.state.adapters.resolve(body.model)
        body.require_possible()
        require_one_of(body, "prompt")
        tokenizer = self._tokenizer()
        if body.messages is not None:
            options = template_options(
                begins=body.add_generation_prompt,
                goes_on=bool(body.continue_final_message),
                told=body.chat_template_kwargs,
                tools=body.tools,
            )
            chat = await self.state.llm.preprocess_chat(body.messages, length=Length.BOUNDED, **options)
            tokens = chat["prompt_token_ids"]
        else:
            more = {"add_special_tokens": True if body.add_special_tokens is None else body.add_special_tokens}
            pool = self.state.llm.tokenizer_pool
            read, _ = await pool.read("prompt", body.prompt or "", more, length=Length.BOUNDED)
            assert isinstance(read, dict)
            tokens = read["prompt_token_ids"]
        strings = tokenizer.convert_ids_to_tokens(tokens) if body.return_token_strs else None
        max_model_len = self.state.llm.max_model_len
        return json_response(
            {"count": len(tokens), "max_model_len": max_model_len, "tokens": tokens, "token_strs": strings}
        )

    @in_time
    async def detokenize(self, request: Request, body: DetokenizeBody) -> Response:
        """Return the text of tokens; vLLM's route."""
        self.state.adapters.resolve(body.model)
        size = self.state.llm.spec.vocab_size
        if unknown := [token for token in body.tokens if not 0 <= token < size]:
            raise Refusal(f"tokens has {unknown[0]}, expected 0 to {size - 1}", param="tokens")
        self._tokenizer()
        return json_response({"prompt": await self.state.llm.tokenizer_pool.text(body.tokens)})

    def _tokenizer(self) -> Any:
        if (tokenizer := self.state.llm.tokenizer_pool.tokenizer) is None:
            raise Refusal("the server has no tokenizer", status=501)
        return tokenizer
