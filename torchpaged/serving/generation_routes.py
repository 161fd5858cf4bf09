"""Routes of answers that a model writes: completions, and conversations in OpenAI's and Anthropic's interfaces."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any, cast

from fastapi import Request
from starlette.responses import Response

from torchpaged.async_engine.request_streams import RequestStream
from torchpaged.async_engine.tokenizer_pool import Length
from torchpaged.engine.input_processor import Params
from torchpaged.lora_request import LoRARequest
from torchpaged.outputs import RequestOutput
from torchpaged.sampling_params import SamplingParams
from torchpaged.serving.answers import Answer, ChatAnswer, CompletionAnswer
from torchpaged.serving.guard import KEY
from torchpaged.serving.json_text import json_response
from torchpaged.serving.message_answer import MessageAnswer, error_frame
from torchpaged.serving.message_body import CountTokensBody, MessageBody
from torchpaged.serving.messages import MessageReader, load_response_template, require_tools
from torchpaged.serving.parsers import without_calls
from torchpaged.serving.protocol import ChatBody, CompletionBody, Sampling, prompts_of
from torchpaged.serving.receipts import AnswerReceipts
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.response_body import ResponseBody
from torchpaged.serving.responses import ResponseAnswer
from torchpaged.serving.route_errors import error_of_stream
from torchpaged.serving.routes import RouteTable, in_time
from torchpaged.serving.state import ServerState
from torchpaged.serving.streams import WRITE, EventStream
from torchpaged.serving.structure import calls_of, guide_behind_thoughts, reasoning_of, special_tokens
from torchpaged.structured_outputs import StructuredOutputsParams

# Streams, readers of the choices, and receipts of an answer to a conversation.
_Conversation = tuple[list[RequestStream[RequestOutput]], list[MessageReader], "AnswerReceipts | None"]

# Default of max_tokens for completions, as OpenAI's.
_MAX_TOKENS = 16
_NAME = "torchpaged.name"  # in an ASGI scope: the answer's id
# Maximum length of an id that a client chooses.
_LONGEST_NAME = 128


class GenerationRoutes:
    """Routes of answers that a model writes.

    Args:
        state: what routes share.

    Raises:
        ConfigError: the model's response template cannot be used.
    """

    def __init__(self, state: ServerState) -> None:
        self.state = state
        options = state.options
        self._response_template = load_response_template(
            options.response_template,
            state.llm.tokenizer_pool.tokenizer,
            tool_call_parser=options.tool_call_parser,
            reasoning_parser=options.reasoning_parser,
        )

    @property
    def routes(self) -> RouteTable:
        """Paths, methods and functions."""
        return [
            ("/v1/completions", "POST", self.completions),
            ("/v1/chat/completions", "POST", self.chat),
            ("/v1/responses", "POST", self.responses),
            ("/v1/messages", "POST", self.messages),
            ("/v1/messages/count_tokens", "POST", self.count_tokens),
        ]

    @in_time
    async def completions(self, request: Request, body: CompletionBody) -> Response:
        """Complete texts or tokens; OpenAI's route."""
        model, lora = self.state.adapters.resolve(body.model)
        named = await self._named("cmpl", request, body, model, lora)
        max_tokens = _MAX_TOKENS if body.max_tokens is None else body.max_tokens
        only_echo = max_tokens == 0 and bool(body.echo)
        body.resolve_logprobs(self.state.llm.spec.vocab_size)
        params: Params
        if body.use_beam_search:
            params = body.searching(self.state.options, max_tokens)
        else:
            params = body.sampling(self.state.llm.default_params, self.state.options, 1 if only_echo else max_tokens)
        if body.thinking_token_budget is not None and not body.reasoning:
            said = f"thinking_token_budget is {body.thinking_token_budget}, which needs reasoning true in a completion"
            raise Refusal(said, param="thinking_token_budget")
        if body.reasoning:
            if not isinstance(params, SamplingParams):
                raise Refusal("reasoning is true, and use_beam_search too: beams have no thoughts", param="reasoning")
            params.reasoning, params.skip_special_tokens = reasoning_of(self._response_template), False
        if body.echo and body.logprobs is not None:
            assert isinstance(params, SamplingParams)
            params.prompt_logprobs, params.flat_logprobs = max(body.logprobs, body.prompt_logprobs or 0), True
        more = {} if body.add_special_tokens is None else {"add_special_tokens": body.add_special_tokens}
        prompts = prompts_of(body.prompt, self.state.options, "prompt")
        receipts = await self._receipts_of(body, named, params, lora, only_echo=only_echo)
        streams = [self._stream(request, body, prompt, params, more, lora) for prompt in prompts]
        write = request.scope.get(WRITE)
        answer = CompletionAnswer(
            self.state.llm, body, streams, **named, only_echo=only_echo, receipts=receipts, write=write
        )
        return await self._answer(body, answer)

    @in_time
    async def chat(self, request: Request, body: ChatBody) -> Response:
        """Answer a conversation; OpenAI's route."""
        model, lora = self.state.adapters.resolve(body.model)
        named = await self._named("chatcmpl", request, body, model, lora)
        streams, readers, receipts = await self._conversation(request, body, named, lora)
        write = request.scope.get(WRITE)
        answer = ChatAnswer(self.state.llm, body, streams, **named, readers=readers, receipts=receipts, write=write)
        return await self._answer(body, answer)

    @in_time
    async def responses(self, request: Request, body: ResponseBody) -> Response:
        """Answer a conversation given as items; OpenAI's route."""
        (model, lora), chat = self.state.adapters.resolve(body.model), body.chat()
        named = await self._named("resp", request, chat, model, lora)
        (stream,), (reader,), receipts = await self._conversation(request, chat, named, lora)
        answer = ResponseAnswer(self.state.llm, body, chat, stream, reader, **named, receipts=receipts)
        return await self._answer(chat, answer)

    @in_time
    async def messages(self, request: Request, body: MessageBody) -> Response:
        """Answer a conversation; Anthropic's route."""
        (model, lora), chat = self.state.adapters.resolve(body.model), body.chat()
        named = await self._named("msg", request, chat, model, lora)
        (stream,), (reader,), receipts = await self._conversation(request, chat, named, lora)
        answer = MessageAnswer(self.state.llm, chat, stream, reader, **named, receipts=receipts)
        return await self._answer(chat, answer, error_frame)

    @in_time
    async def count_tokens(self, request: Request, body: CountTokensBody) -> Response:
        """Count the tokens of a conversation's prompt; Anthropic's route."""
        self.state.adapters.resolve(body.model)
        chat = body.chat()
        require_tools(chat.callable_tools, self._response_template)
        prompt = await self.state.llm.preprocess_chat(chat.messages, **chat.template_options())
        return json_response({"input_tokens": len(prompt["prompt_token_ids"])})

    async def _conversation(
        self, request: Request, body: ChatBody, named: Mapping[str, str], lora: LoRARequest | None
    ) -> _Conversation:
        """Start an answer to a conversation; return its stream, a reader for each choice, and its receipts."""
        if self.state.llm.spec.is_encoder:
            raise Refusal(
                f"{self.state.llm.spec.name} is an encoder and has no next token; ask /v1/embeddings, /pooling or "
                "/classify (LLM.embed, LLM.encode, LLM.classify)",
                param="model",
                code="unsupported",
            )
        max_tokens = body.max_tokens if body.max_completion_tokens is None else body.max_completion_tokens
        body.resolve_logprobs(self.state.llm.spec.vocab_size)
        if body.use_beam_search:
            return await self._search(request, body, max_tokens, named, lora)
        params = body.sampling(self.state.llm.chat_params, self.state.options, max_tokens)
        tools, template = body.callable_tools, self._response_template
        require_tools(tools, template)
        if tools and body.tool_choice in (None, "auto") and not self.state.options.enable_auto_tool_choice:
            said = "tools are given and tool_choice is 'auto', and this server has --no-enable-auto-tool-choice"
            raise Refusal(said, param="tool_choice", code="unsupported")
        if not tools and template is not None and self.state.options.tool_call_parser is not None:
            template = without_calls(template)  # an answer in JSON may look like a call
        several, special = (
            body.parallel_tool_calls is not False,
            special_tokens(self.state.llm.tokenizer_pool.tokenizer),
        )
        if (calls := calls_of(tools, body.tool_choice, template, special, several=several)) is not None:
            if params.structured_outputs is not None:
                raise Refusal("an answer is asked for of a format, and calls of tools", param="response_format")
            params.structured_outputs = StructuredOutputsParams(grammar=calls)
        if template is not None:  # the delimiters of calls and reasoning may be special tokens
            params.skip_special_tokens = False
        receipts = await self._receipts_of(body, named, params, lora)
        prompt = await self._prompt(body)
        template = guide_behind_thoughts(params, template, prompt["prompt"], calls=calls is not None)
        streams = [self._stream(request, body, prompt, params, {}, lora)]
        readers = [MessageReader(template, prompt["prompt"], tools, several=several) for _ in range(params.n)]
        return streams, readers, receipts

    async def _search(
        self,
        request: Request,
        body: ChatBody,
        max_tokens: int | None,
        named: Mapping[str, str],
        lora: LoRARequest | None,
    ) -> _Conversation:
        """Start a beam search for a conversation; its texts are not parsed."""
        if body.callable_tools or self._response_template is not None:
            said = (
                "use_beam_search is true, and beams' texts are not read for tools and reasoning; ask for a completion"
            )
            raise Refusal(said, param="use_beam_search", code="unsupported")
        params = body.searching(self.state.options, self.state.llm.max_model_len if max_tokens is None else max_tokens)
        receipts = await self._receipts_of(body, named, params, lora)
        prompt = await self._prompt(body)
        readers = [MessageReader(None, prompt["prompt"], [], several=True) for _ in range(params.beam_width)]
        return [self._stream(request, body, prompt, params, {}, lora)], readers, receipts

    async def _prompt(self, body: ChatBody) -> dict[str, Any]:
        """Return the prompt of a conversation."""
        length = Length.of(body.truncate_prompt_tokens is not None)
        return await self.state.llm.preprocess_chat(body.messages, length=length, **body.template_options())

    async def _receipts_of(
        self,
        body: Sampling,
        named: Mapping[str, str],
        params: Params,
        lora: LoRARequest | None,
        *,
        only_echo: bool = False,
    ) -> AnswerReceipts | None:
        """Return the maker of an answer's receipts, if any are asked for; parameters without a seed get one.

        Raises:
            Refusal: the answer can have none.
        """
        if not body.receipt:
            return None
        if self.state.receipts is None or only_echo:
            reason = "no text is generated" if only_echo else "this server signs none; start it with --receipt-key FILE"
            raise Refusal(f"receipt is {body.receipt!r}, and {reason}", param="receipt", code="unsupported")
        return await self.state.receipts.begin(params, lora, id=named["id"], model=named["model"], kind=body.receipt)

    def _stream(
        self,
        request: Request,
        body: Sampling,
        prompt: Any,
        params: Params,
        options: dict[str, Any],
        lora: LoRARequest | None,
    ) -> RequestStream[RequestOutput]:
        salt = self.state.keys.salt(request.scope.get(KEY), body.cache_salt)
        if body.truncation_side is not None:
            options = {**options, "truncation_side": body.truncation_side}
        stream = self.state.llm.generate(
            prompt,
            params,
            lora_request=lora,
            priority=body.priority or 0,
            cache_salt=salt,
            tokenization_kwargs=options,
        )
        if self.state.tracing is None:
            return stream
        name, model = request.scope[_NAME], body.model or self.state.names[0]
        # A stream of beams has only outputs and an end.
        return cast(
            RequestStream[RequestOutput], self.state.tracing.traced(stream, request.headers, name, model, params)
        )

    async def _named(
        self, kind: str, request: Request, body: Sampling, model: str, lora: LoRARequest | None
    ) -> dict[str, str]:
        """Return the id of an answer, which a client may choose; the engine's request ids stay its own."""
        param, given = "request_id", body.request_id
        if given is None:
            param, given = "X-Request-Id", request.headers.get("x-request-id")
        own = given or secrets.token_hex(16)
        # The id is logged too, and the encoding of bytes beyond ASCII in a header is undefined.
        if len(own) > _LONGEST_NAME or not own.isprintable() or (param != "request_id" and not own.isascii()):
            raise Refusal(
                f"{param} is {own!r:.80}, expected at most {_LONGEST_NAME} printable characters; leave it out "
                "for an id of the server's",
                param=param,
            )
        name = request.scope[_NAME] = f"{kind}-{own}"
        return {"id": name, "model": model, "fingerprint": await self.state.adapters.fingerprint(lora)}

    async def _answer(
        self,
        body: Sampling,
        answer: Answer | ResponseAnswer | MessageAnswer,
        told: Callable[[Exception], bytes] | None = None,
    ) -> Response:
        """Send an answer, whole or as a stream.

        Args:
            told: makes the frame for an error in a stream that has begun; None: in OpenAI's form.
        """
        if not body.stream:
            return json_response(await answer.whole())
        frames = answer.frames()
        # The response begins with the first tokens, so that a request that cannot run still gets an error status.
        first = await anext(frames)
        return EventStream(frames, self.state.options.write_timeout, first=first, told=told or error_of_stream)
