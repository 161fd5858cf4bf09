"""The FastAPI application: OpenAI's routes over an `AsyncLLM`."""

from __future__ import annotations

import asyncio
import functools
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp

from torchpaged import __version__
from torchpaged.async_engine.async_llm import AsyncLLM
from torchpaged.async_engine.request_streams import RequestStream
from torchpaged.engine.input_processor import Params
from torchpaged.engine.metrics import Counter
from torchpaged.errors import ConfigError, TorchpagedError
from torchpaged.lora_request import LoRARequest
from torchpaged.outputs import RequestOutput
from torchpaged.receipts.receipt import FORMAT
from torchpaged.sampling_params import SamplingParams
from torchpaged.serving import pooled, prometheus
from torchpaged.serving.adapters import ServedAdapters
from torchpaged.serving.admin import Admin
from torchpaged.serving.answers import Answer, ChatAnswer, CompletionAnswer
from torchpaged.serving.guard import KEY, Guard, Traffic
from torchpaged.serving.invocations import body_of
from torchpaged.serving.json_text import to_json
from torchpaged.serving.keys import Keys
from torchpaged.serving.lora_modules import LoRAModulePath, parse_all
from torchpaged.serving.message_answer import MessageAnswer, error_frame
from torchpaged.serving.message_body import CountTokensBody, MessageBody
from torchpaged.serving.messages import MessageReader, load_response_template, require_tools
from torchpaged.serving.openapi import document_errors
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.parsers import without_calls
from torchpaged.serving.pooling_bodies import ClassifyBody, PoolingBody, RerankBody
from torchpaged.serving.protocol import (
    ChatBody,
    CompletionBody,
    DetokenizeBody,
    EmbeddingBody,
    PooledBody,
    Sampling,
    ScoreBody,
    TokenizeBody,
    prompts_of,
    require_one_of,
    template_options,
)
from torchpaged.serving.published import PublishedPrefixes, read_secret
from torchpaged.serving.receipts import AnswerReceipts, Receipts
from torchpaged.serving.refusals import Refusal, refusal_of
from torchpaged.serving.response_body import ResponseBody
from torchpaged.serving.responses import ResponseAnswer
from torchpaged.serving.streams import DONE, WRITE, EventStream, unless_gone
from torchpaged.serving.structure import calls_of, guide_behind_thoughts, reasoning_of, special_tokens
from torchpaged.serving.tokenizer_info import configuration
from torchpaged.serving.tracing import PoolingSpan, Tracing
from torchpaged.serving.training import Training
from torchpaged.structured_outputs import StructuredOutputsParams

logger = logging.getLogger(__name__)

_Route = TypeVar("_Route", bound=Callable[..., Coroutine[Any, Any, Response]])
_Pooled = TypeVar("_Pooled", bound=PooledBody)
_Compute = Callable[
    [AsyncLLM, _Pooled, ServeOptions, "str | None", "LoRARequest | None"], Coroutine[Any, Any, dict[str, Any]]
]

# Streams, readers of the choices, and receipts of an answer to a conversation.
_Conversation = tuple[list[RequestStream[RequestOutput]], list[MessageReader], "AnswerReceipts | None"]

_PAGE = Path(__file__).with_name("try.html")
# The page's Markdown renderer, inlined into its script so that the page is one request.
_MARKDOWN = Path(__file__).with_name("markdown.js")
# Default of max_tokens for completions, as OpenAI's.
_MAX_TOKENS = 16
# Seconds to wait for the engine's statistics, which it returns between two steps.
_PATIENCE = 10.0
_NAME = "torchpaged.name"  # in an ASGI scope: the answer's id
# Maximum length of an id that a client chooses.
_LONGEST_NAME = 128


def in_time(route: _Route) -> _Route:
    """Wrap a route so that it ends after `request_timeout`, or when the client disconnects."""

    @functools.wraps(route)
    async def timed(self: Service, request: Request, body: Any) -> Response:
        return await unless_gone(request.receive, route(self, request, body), self._options.request_timeout)

    return cast(_Route, timed)


class Service:
    """The server's routes, one method for each.

    Args:
        llm: engine.
        options: settings of the server; its adapters are loaded here.

    Attributes:
        llm: engine.
        receipts: signs receipts of answers; None: there is no key.
        adapters: the adapters that requests can name as their model.
        traffic: counts of requests.
        tracing: sends OpenTelemetry spans; None: switched off.
        app: the ASGI application.

    Raises:
        ConfigError: a key or an adapter of the options is refused.
        MissingPackageError: there is a key for receipts, and `cryptography` is not installed.
    """

    def __init__(self, llm: AsyncLLM, options: ServeOptions) -> None:
        self.llm, self._options = llm, options
        secret = None if options.publish_prefixes is None else read_secret(options.publish_prefixes)
        self._keys = Keys.of(options.api_key or (), options.api_key_file, options.admin_key, secret)
        self._names = list(options.served_model_name or [llm.name])
        self.adapters = ServedAdapters(llm, self._names)
        self._response_template = load_response_template(
            options.response_template,
            llm.tokenizer_pool.tokenizer,
            tool_call_parser=options.tool_call_parser,
            reasoning_parser=options.reasoning_parser,
        )
        self._published = None if secret is None else PublishedPrefixes(llm, self._keys, self.adapters, secret)
        self.receipts = None if options.receipt_key is None else Receipts(llm, options.receipt_key)
        self._created = int(time.time())
        self.traffic = Traffic()
        endpoint = options.otlp_traces_endpoint
        self.tracing = None if endpoint is None else Tracing.to(endpoint)
        self.app: ASGIApp = Guard(self._routes(), options, self._keys, self.traffic, self._is_full)
        if options.lora_modules:
            self._load(parse_all(options.lora_modules))

    def _load(self, modules: Sequence[LoRAModulePath]) -> None:
        """Load adapters before the first request. Ray makes the server inside a running loop, so another one waits."""

        async def load() -> None:
            for module in modules:
                try:
                    await self.adapters.load(module)
                except Refusal as refusal:
                    raise ConfigError(f"--lora {module.name}={module.path}: {refusal}") from None

        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, load()).result()

    def _routes(self) -> FastAPI:
        app = FastAPI(title="torchpaged", version=__version__, docs_url=None, redoc_url=None)
        routes: list[tuple[str, str, Callable[..., Any]]] = [
            ("/", "GET", self.page),
            ("/health", "GET", self.health),
            ("/ready", "GET", self.ready),
            ("/version", "GET", self.version),
            ("/load", "GET", self.load),
            ("/metrics", "GET", self.metrics),
            ("/v1/models", "GET", self.models),
            ("/v1/models/{name:path}", "GET", self.model),
            ("/v1/completions", "POST", self.completions),
            ("/v1/chat/completions", "POST", self.chat),
            ("/v1/responses", "POST", self.responses),
            ("/v1/messages", "POST", self.messages),
            ("/v1/messages/count_tokens", "POST", self.count_tokens),
            ("/v1/embeddings", "POST", self.embeddings),
            *((path, "POST", self.score) for path in ("/v1/score", "/score")),
            *((path, "POST", self.rerank) for path in ("/v1/rerank", "/v2/rerank", "/rerank")),
            ("/classify", "POST", self.classify),
            ("/pooling", "POST", self.pooling),
            ("/invocations", "POST", self.invocations),
            *(("/ping", method, self.health) for method in ("GET", "POST")),
            ("/tokenizer_info", "GET", self.tokenizer_info),
            ("/tokenize", "POST", self.tokenize),
            ("/detokenize", "POST", self.detokenize),
        ]
        if self.receipts is not None:
            routes.append(("/receipt-key", "GET", self.receipt_key))
        for path, method, function in routes:
            app.add_api_route(path, function, methods=[method], response_model=None, response_class=Response)
        if self._options.admin_key is not None:
            Admin(self.llm, self._keys, self.adapters).add_to(app)
            Training(self.llm).add_to(app)
        if self._published is not None:
            self._published.add_to(app)
        app.add_exception_handler(RequestValidationError, _invalid)
        app.add_exception_handler(HTTPException, _no_route)
        for kind in (Refusal, TorchpagedError, Exception):
            app.add_exception_handler(kind, _failed)
        document_errors(app)
        return app

    def _is_full(self) -> str | None:
        """Return the limit, a key of `guard.FULL`, that keeps another request from waiting; None: it may wait."""
        waiting = self.llm.get_num_unfinished_requests() - self.llm.config.max_num_seqs
        if waiting >= self._options.max_queued_requests:
            return "max_num_queued_reqs"
        is_full = self.llm.get_num_queued_tokens() >= max(1, self._options.max_queued_tokens)
        return "max_num_queued_tokens" if is_full else None

    # --- Information ----------------------------------------------------------------------------------------

    async def page(self) -> Response:
        """Return the page to try the model, which uses the API as any client does."""
        return HTMLResponse(_PAGE.read_bytes().replace(b"/* markdown.js */", _MARKDOWN.read_bytes()))

    async def health(self) -> Response:
        """Answer 200 while steps end in time."""
        return Response(status_code=200 if self.llm.is_healthy else 503)

    async def ready(self) -> Response:
        """Answer 200 while requests are accepted."""
        return Response(status_code=200 if self.llm.is_healthy and not self.traffic.draining else 503)

    async def version(self) -> Response:
        """Return torchpaged's version."""
        return _json({"version": __version__})

    async def receipt_key(self) -> Response:
        """Return the public key that checks the receipts' signatures."""
        assert self.receipts is not None, "the route is only there with a key"
        return _json({"format": FORMAT, "algorithm": "ed25519", "public_key": self.receipts.public_key.hex})

    async def load(self) -> Response:
        """Return the number of requests being answered, without this one."""
        return _json({"server_load": self.traffic.num_open - 1})

    async def metrics(self) -> Response:
        """Return metrics in Prometheus' format."""
        try:
            found = await asyncio.wait_for(self.llm.get_metrics(self._names[0]), _PATIENCE)
        except asyncio.TimeoutError:
            raise Refusal(f"no step has ended for {_PATIENCE:g} seconds", status=503) from None
        found += [
            Counter("vllm:admission_rejections", {"model_name": self._names[0], "reason": reason}, count)
            for reason, count in self.traffic.num_rejected.items()
        ]
        return Response(prometheus.text_of(found), headers={"Content-Type": prometheus.CONTENT_TYPE})

    async def models(self) -> Response:
        """List the names of the model, and the adapters."""
        cards = [self._card(name, None) for name in self._names]
        return _json({"object": "list", "data": cards + [self._card(each.lora_name, each) for each in self.adapters]})

    async def model(self, name: str) -> Response:
        """Describe one of the names, or an adapter."""
        return _json(self._card(*self.adapters.resolve(name)))

    def _card(self, name: str, adapter: LoRARequest | None) -> dict[str, Any]:
        return {
            "id": name,
            "object": "model",
            "created": self._created,
            "owned_by": "torchpaged",
            "root": self.llm.name if adapter is None else adapter.lora_path,
            "parent": None if adapter is None else self.adapters.parent_of(adapter),
            "max_model_len": self.llm.max_model_len,
        }

    # --- Inference ------------------------------------------------------------------------------------------

    @in_time
    async def completions(self, request: Request, body: CompletionBody) -> Response:
        """Complete texts or tokens; OpenAI's route."""
        model, lora = self.adapters.resolve(body.model)
        named = await self._named("cmpl", request, body, model, lora)
        max_tokens = _MAX_TOKENS if body.max_tokens is None else body.max_tokens
        only_echo = max_tokens == 0 and bool(body.echo)
        body.resolve_logprobs(self.llm.spec.vocab_size)
        params: Params
        if body.use_beam_search:
            params = body.searching(self._options, max_tokens)
        else:
            params = body.sampling(self.llm.default_params, self._options, 1 if only_echo else max_tokens)
        if body.thinking_token_budget is not None and not body.reasoning:
            said = f"thinking_token_budget is {body.thinking_token_budget}, which needs reasoning true in a completion"
            raise Refusal(said, param="thinking_token_budget")
        if body.reasoning:
            if not isinstance(params, SamplingParams):
                raise Refusal("reasoning is true, and use_beam_search too: beams have no thoughts", param="reasoning")
            params.reasoning, params.skip_special_tokens = reasoning_of(self._response_template), False
        if body.echo and body.logprobs is not None:
            assert isinstance(params, SamplingParams)
            params.prompt_logprobs = max(body.logprobs, body.prompt_logprobs or 0)
        more = {} if body.add_special_tokens is None else {"add_special_tokens": body.add_special_tokens}
        prompts = prompts_of(body.prompt, self._options, "prompt")
        receipts = await self._receipts_of(body, named, params, lora, only_echo=only_echo)
        streams = [self._stream(request, body, prompt, params, more, lora) for prompt in prompts]
        write = request.scope.get(WRITE)
        answer = CompletionAnswer(self.llm, body, streams, **named, only_echo=only_echo, receipts=receipts, write=write)
        return await self._answer(body, answer)

    @in_time
    async def chat(self, request: Request, body: ChatBody) -> Response:
        """Answer a conversation; OpenAI's route."""
        model, lora = self.adapters.resolve(body.model)
        named = await self._named("chatcmpl", request, body, model, lora)
        streams, readers, receipts = await self._conversation(request, body, named, lora)
        write = request.scope.get(WRITE)
        answer = ChatAnswer(self.llm, body, streams, **named, readers=readers, receipts=receipts, write=write)
        return await self._answer(body, answer)

    @in_time
    async def responses(self, request: Request, body: ResponseBody) -> Response:
        """Answer a conversation given as items; OpenAI's route."""
        (model, lora), chat = self.adapters.resolve(body.model), body.chat()
        named = await self._named("resp", request, chat, model, lora)
        (stream,), (reader,), receipts = await self._conversation(request, chat, named, lora)
        answer = ResponseAnswer(self.llm, body, chat, stream, reader, **named, receipts=receipts)
        return await self._answer(chat, answer)

    @in_time
    async def messages(self, request: Request, body: MessageBody) -> Response:
        """Answer a conversation; Anthropic's route."""
        (model, lora), chat = self.adapters.resolve(body.model), body.chat()
        named = await self._named("msg", request, chat, model, lora)
        (stream,), (reader,), receipts = await self._conversation(request, chat, named, lora)
        answer = MessageAnswer(self.llm, chat, stream, reader, **named, receipts=receipts)
        return await self._answer(chat, answer, error_frame)

    @in_time
    async def count_tokens(self, request: Request, body: CountTokensBody) -> Response:
        """Count the tokens of a conversation's prompt; Anthropic's route."""
        self.adapters.resolve(body.model)
        chat = body.chat()
        require_tools(chat.callable_tools, self._response_template)
        prompt = await self.llm.preprocess_chat(chat.messages, **chat.template_options())
        return _json({"input_tokens": len(prompt["prompt_token_ids"])})

    async def _conversation(
        self, request: Request, body: ChatBody, named: Mapping[str, str], lora: LoRARequest | None
    ) -> _Conversation:
        """Start an answer to a conversation; return its stream, a reader for each choice, and its receipts."""
        max_tokens = body.max_tokens if body.max_completion_tokens is None else body.max_completion_tokens
        body.resolve_logprobs(self.llm.spec.vocab_size)
        if body.use_beam_search:
            return await self._search(request, body, max_tokens, named, lora)
        params = body.sampling(self.llm.chat_params, self._options, max_tokens)
        tools, template = body.callable_tools, self._response_template
        require_tools(tools, template)
        if tools and body.tool_choice in (None, "auto") and not self._options.enable_auto_tool_choice:
            said = "tools are given and tool_choice is 'auto', and this server has --no-enable-auto-tool-choice"
            raise Refusal(said, param="tool_choice", code="unsupported")
        if not tools and template is not None and self._options.tool_call_parser is not None:
            template = without_calls(template)  # an answer in JSON may look like a call
        several, special = body.parallel_tool_calls is not False, special_tokens(self.llm.tokenizer_pool.tokenizer)
        if (calls := calls_of(tools, body.tool_choice, template, special, several=several)) is not None:
            if params.structured_outputs is not None:
                raise Refusal("an answer is asked for of a format, and calls of tools", param="response_format")
            params.structured_outputs = StructuredOutputsParams(grammar=calls)
        if template is not None:  # the delimiters of calls and reasoning may be special tokens
            params.skip_special_tokens = False
        receipts = await self._receipts_of(body, named, params, lora)
        prompt = await self.llm.preprocess_chat(body.messages, **body.template_options())
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
        params = body.searching(self._options, self.llm.max_model_len if max_tokens is None else max_tokens)
        receipts = await self._receipts_of(body, named, params, lora)
        prompt = await self.llm.preprocess_chat(body.messages, **body.template_options())
        readers = [MessageReader(None, prompt["prompt"], [], several=True) for _ in range(params.beam_width)]
        return [self._stream(request, body, prompt, params, {}, lora)], readers, receipts

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
        if self.receipts is None or only_echo:
            reason = "no text is generated" if only_echo else "this server signs none; start it with --receipt-key FILE"
            raise Refusal(f"receipt is {body.receipt!r}, and {reason}", param="receipt", code="unsupported")
        return await self.receipts.begin(params, lora, id=named["id"], model=named["model"], kind=body.receipt)

    def _stream(
        self,
        request: Request,
        body: Sampling,
        prompt: Any,
        params: Params,
        options: dict[str, Any],
        lora: LoRARequest | None,
    ) -> RequestStream[RequestOutput]:
        salt = self._keys.salt(request.scope.get(KEY), body.cache_salt)
        if body.truncation_side is not None:
            options = {**options, "truncation_side": body.truncation_side}
        stream = self.llm.generate(
            prompt,
            params,
            lora_request=lora,
            priority=body.priority or 0,
            cache_salt=salt,
            tokenization_kwargs=options,
        )
        if self.tracing is None:
            return stream
        name, model = request.scope[_NAME], body.model or self._names[0]
        # A stream of beams has only outputs and an end.
        return cast(RequestStream[RequestOutput], self.tracing.traced(stream, request.headers, name, model, params))

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
        return {"id": name, "model": model, "fingerprint": await self.adapters.fingerprint(lora)}

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
            return _json(await answer.whole())
        frames = answer.frames()
        # The response begins with the first tokens, so that a request that cannot run still gets an error status.
        first = await anext(frames)
        return EventStream(frames, self._options.write_timeout, first=first, told=told or _told)

    @in_time
    async def embeddings(self, request: Request, body: EmbeddingBody) -> Response:
        """Return embeddings; OpenAI's route."""
        found = await self._pooled(request, body, "embd", "embeddings", pooled.embeddings)
        return _json({name: found[name] for name in ("object", "model", "data", "usage")})

    @in_time
    async def score(self, request: Request, body: ScoreBody) -> Response:
        """Score the similarity of texts; vLLM's route."""
        return _json(await self._pooled(request, body, "score", "score", pooled.scores))

    @in_time
    async def rerank(self, request: Request, body: RerankBody) -> Response:
        """Rank documents for a query, best first; Jina's and vLLM's route."""
        found = await self._pooled(request, body, "rerank", "rerank", pooled.ranking)
        return _json({name: found[name] for name in ("id", "model", "usage", "results")})

    @in_time
    async def classify(self, request: Request, body: ClassifyBody) -> Response:
        """Return class probabilities; vLLM's route."""
        return _json(await self._pooled(request, body, "classify", "classify", pooled.classes))

    @in_time
    async def pooling(self, request: Request, body: PoolingBody) -> Response:
        """Return pooled hidden states; vLLM's route."""
        return _json(await self._pooled(request, body, "pool", "pooling", pooled.pooled))

    async def _pooled(
        self, request: Request, body: _Pooled, kind: str, operation: str, compute: _Compute[_Pooled]
    ) -> dict[str, Any]:
        """Wrap pooled results into vLLM's answer."""
        (model, lora), salt = (
            self.adapters.resolve(body.model),
            self._keys.salt(request.scope.get(KEY), body.cache_salt),
        )
        name, created = f"{kind}-{secrets.token_hex(16)}", int(time.time())
        with self._traced(request, name, model, operation) as span:
            found = await compute(self.llm, body, self._options, salt, lora)
            if span is not None:
                span.note(found["usage"])
        return {"id": name, "object": "list", "created": created, "model": model, **found}

    async def invocations(self, request: Request, body: dict[str, Any]) -> Response:
        """Dispatch a hosting platform's request to one of the other routes, by the fields of its body."""
        read = body_of(body, self.llm.spec)
        routes: dict[type, Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
            ChatBody: self.chat,
            CompletionBody: self.completions,
            EmbeddingBody: self.embeddings,
            ScoreBody: self.score,
            RerankBody: self.rerank,
            ClassifyBody: self.classify,
            PoolingBody: self.pooling,
        }
        return await routes[type(read)](request, read)

    async def tokenizer_info(self) -> Response:
        """Return the tokenizer's configuration; vLLM's route."""
        return _json(configuration(self._tokenizer(), self.llm.chat_template))

    def _traced(
        self, request: Request, name: str, model: str, operation: str
    ) -> AbstractContextManager[PoolingSpan | None]:
        if self.tracing is None:
            return nullcontext()
        return self.tracing.pooling(request.headers, name, model, operation)

    @in_time
    async def tokenize(self, request: Request, body: TokenizeBody) -> Response:
        """Return the tokens of a prompt or a conversation; vLLM's route."""
        self.adapters.resolve(body.model)
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
            tokens = (await self.llm.preprocess_chat(body.messages, **options))["prompt_token_ids"]
        else:
            more = {"add_special_tokens": True if body.add_special_tokens is None else body.add_special_tokens}
            read, _ = await self.llm.tokenizer_pool.read("prompt", body.prompt or "", more)
            assert isinstance(read, dict)
            tokens = read["prompt_token_ids"]
        strings = tokenizer.convert_ids_to_tokens(tokens) if body.return_token_strs else None
        max_model_len = self.llm.max_model_len
        return _json({"count": len(tokens), "max_model_len": max_model_len, "tokens": tokens, "token_strs": strings})

    @in_time
    async def detokenize(self, request: Request, body: DetokenizeBody) -> Response:
        """Return the text of tokens; vLLM's route."""
        self.adapters.resolve(body.model)
        size = self.llm.spec.vocab_size
        if unknown := [token for token in body.tokens if not 0 <= token < size]:
            raise Refusal(f"tokens has {unknown[0]}, expected 0 to {size - 1}", param="tokens")
        self._tokenizer()
        return _json({"prompt": await self.llm.tokenizer_pool.text(body.tokens)})

    def _tokenizer(self) -> Any:
        if (tokenizer := self.llm.tokenizer_pool.tokenizer) is None:
            raise Refusal("the server has no tokenizer", status=501)
        return tokenizer


def _told(error: Exception) -> bytes:
    """Return the frame for an error in a stream that has begun."""
    _log(logging.WARNING, "a stream has failed", error)
    return b"data: " + to_json(refusal_of(error).body) + b"\n\n" + DONE


async def _invalid(request: Request, error: Exception) -> Response:
    """Answer a request whose body is invalid."""
    return _invalidity(error).response(request.url.path)


def _invalidity(error: Exception) -> Refusal:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = [str(each) for each in first["loc"] if each not in ("body", "path", "query")]
    name, given = place[0] if place else "", first.get("input")
    if first["type"] == "json_invalid":
        return Refusal(f"the body is not JSON: {first.get('ctx', {}).get('error', '')}")
    if first["type"] == "missing":
        what = f"{name} is missing" if name else "there is no body, expected JSON as application/json"
        return Refusal(what, param=name or None)
    if not name and isinstance(given, bytes):
        return Refusal("the content type is not JSON: send the body with 'Content-Type: application/json'")
    said = first["msg"][:1].lower() + first["msg"][1:]
    return Refusal(f"{name or 'the body'} is {given!r:.80}: {said}", param=name or None)


async def _no_route(request: Request, error: Exception) -> Response:
    """Answer a request for an unknown path or method."""
    assert isinstance(error, HTTPException)
    if error.status_code == 400 and error.__cause__ is not None:  # FastAPI's error for a body that json cannot parse
        return Refusal(f"the body is not valid JSON: {error.__cause__!s:.200}").response(request.url.path)
    headers = dict(error.headers) if error.headers else None
    if error.status_code == 404 and request.url.path.rstrip("/") in ("/docs", "/redoc"):
        return Refusal(
            f"there is no page {request.url.path!r}, whose scripts would come from elsewhere; GET /openapi.json says "
            "which routes there are, and / is a page to try the model on",
            status=404,
        ).response()
    return Refusal(str(error.detail), status=error.status_code, headers=headers).response(request.url.path)


async def _failed(request: Request, error: Exception) -> Response:
    refusal = refusal_of(error)
    if refusal.status >= 500 and not isinstance(error, Refusal):
        _log(logging.ERROR, "a request has failed", error)
    return refusal.response(request.url.path)


def _log(level: int, what: str, error: Exception) -> None:
    """Log an error, with a traceback unless it is an expected one whose message says enough."""
    if isinstance(error, (Refusal, TorchpagedError)):
        logger.log(level, "%s: %s", what, error)
    else:
        logger.log(level, what, exc_info=error)


def _json(value: Any) -> Response:
    return Response(to_json(value), media_type="application/json")
