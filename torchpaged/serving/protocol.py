"""Request bodies: OpenAI's objects with vLLM's additional fields. Each field is honoured, or refused by name.

Unknown fields are refused too; null means not sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, model_validator
from pydantic_core import CoreSchema

from torchpaged.errors import did_you_mean
from torchpaged.sampling_params import BeamSearchParams, RequestOutputKind, SamplingParams
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.refusals import Refusal
from torchpaged.serving.structure import structured_of

Prompts = str | list[str] | list[int] | list[list[int]]
# vLLM and its clients accept these texts as booleans, too.
_WORDS = {"true": True, "false": False}
Flag = Annotated[bool, BeforeValidator(lambda given: _WORDS.get(given, given) if isinstance(given, str) else given)]
# True, or "full" for a receipt with the tokens in it.
ReceiptKind = Annotated[
    bool | Literal["full"], BeforeValidator(lambda given: _WORDS.get(given, given) if isinstance(given, str) else given)
]
Side = Literal["left", "right"]
Messages = list[dict[str, Any]]


def _fail_at_first(schema: Any) -> None:
    """Set fail_fast on all lists and dictionaries of a schema."""
    if isinstance(schema, dict):
        if schema.get("type") in ("list", "dict"):
            schema["fail_fast"] = True
        for each in schema.values():
            _fail_at_first(each)
    elif isinstance(schema, (list, tuple)):
        for each in schema:
            _fail_at_first(each)


class Strict(BaseModel):
    """A body with known fields, whose validation stops at the first error.

    A body of 16 MiB can have millions of errors; collecting them would block the server for minutes.
    """

    model_config = ConfigDict(extra="forbid", strict=True, protected_namespaces=())

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        _fail_at_first(schema)
        return schema

    @model_validator(mode="before")
    @classmethod
    def _know(cls, given: Any) -> Any:
        """Raise a Refusal for an unknown field."""
        for name in given if isinstance(given, dict) else ():
            if name not in cls.model_fields:
                said = f"unknown field {name!r:.80}{did_you_mean(name, cls.model_fields)}"
                raise Refusal(said, param=name[:80], code="unknown_field")
        return given


class StreamOptions(Strict):
    """Options of a stream: usage at its end, or in every frame."""

    include_usage: Flag | None = None
    continuous_usage_stats: Flag | None = None
    include_obfuscation: Flag | None = None  # not implemented, so only False is accepted


class Body(Strict):
    """Base of the request bodies."""

    # By field: the accepted values, and why others are not supported.
    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {}

    model: str | None = None
    user: str | None = None

    def require_possible(self) -> None:
        """Raise a Refusal for a value that is not supported."""
        for name, (values, reason) in self.only.items():
            value = getattr(self, name)
            if value is None or any(type(value) is type(each) and value == each for each in values):
                continue
            expected = " or ".join(repr(each) for each in values) or "nothing"
            raise Refusal(f"{name} is {value!r:.80}, expected {expected}: {reason}", param=name, code="unsupported")


_NO_STORE = "nothing is kept of requests"
# A client could choose sizes that take all memory.
_SET_BY_SERVER = "the server sets how images and sounds are processed (--mm-processor-kwargs)"


class Sampling(Body):
    """Fields that completions and chats share."""

    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        "logits_processors": ((), "clients send no code"),
    }

    frequency_penalty: float | None = None
    logit_bias: dict[str, float] | None = None
    max_tokens: int | None = None
    n: int | None = None
    presence_penalty: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    stream: Flag | None = None
    stream_options: StreamOptions | None = None
    temperature: float | None = None
    top_p: float | None = None

    allowed_token_ids: list[int] | None = None
    bad_words: list[str] | None = None
    best_of: int | None = None
    cache_hint: dict[str, Any] | None = None
    cache_salt: str | None = None
    echo: Flag | None = None
    ignore_eos: Flag | None = None
    include_stop_str_in_output: Flag | None = None
    length_penalty: float | None = None
    logits_processors: list[Any] | None = None
    min_p: float | None = None
    min_tokens: int | None = None
    priority: int | None = None
    prompt_logprobs: int | None = None
    receipt: ReceiptKind | None = None
    repetition_penalty: float | None = None
    request_id: str | None = None
    response_format: dict[str, Any] | None = None
    return_token_ids: Flag | None = None
    return_tokens_as_token_ids: Flag | None = None
    skip_special_tokens: Flag | None = None
    spaces_between_special_tokens: Flag | None = None
    stop_token_ids: list[int] | None = None
    structured_outputs: dict[str, Any] | None = None
    thinking_token_budget: int | None = None
    top_k: int | None = None
    truncate_prompt_tokens: int | None = None
    truncation_side: Side | None = None
    use_beam_search: Flag | None = None
    vllm_xargs: dict[str, Any] | None = None

    @property
    def num_logprobs(self) -> int | None:
        """Number of requested alternatives per token; None: no logprobs."""
        raise NotImplementedError

    @property
    def wants_usage(self) -> bool:
        """True if a stream ends with its usage."""
        return self.stream_options is not None and bool(self.stream_options.include_usage)

    @property
    def wants_usage_always(self) -> bool:
        """True if each frame has the usage so far."""
        return self.wants_usage and bool(self.stream_options and self.stream_options.continuous_usage_stats)

    def resolve_logprobs(self, vocab_size: int) -> None:
        """Replace -1, which asks for the logprobs of the whole vocabulary, by the number of tokens."""
        for name in ("logprobs", "top_logprobs", "prompt_logprobs"):
            if getattr(self, name, None) == -1:
                setattr(self, name, vocab_size)

    def sampling(self, defaults: SamplingParams, options: ServeOptions, max_tokens: int | None) -> SamplingParams:
        """Return the sampling parameters.

        Args:
            defaults: values for fields that are not given.
            max_tokens: maximum number of tokens of a completion; None: as many as there is room for.

        Raises:
            Refusal: a value exceeds one of the server's limits.
            ConfigError: a value is out of its range.
        """
        self.require_possible()
        self._require_within(options)
        if self.length_penalty not in (None, 1):
            said = f"length_penalty is {self.length_penalty}, which needs use_beam_search true"
            raise Refusal(said, param="length_penalty")
        if self.stream_options is not None and not self.stream:
            raise Refusal("stream_options is given, and stream is not true", param="stream_options")
        if self.stream and (self.best_of or 1) > (self.n or 1):
            raise Refusal("best_of is more than n, and which are best is known at the end alone", param="best_of")
        given = {name: getattr(self, name) for name in _SAMPLING}
        return replace(
            defaults,
            **{name: value for name, value in given.items() if value is not None},
            max_tokens=max_tokens,
            logit_bias=_by_token(self.logit_bias),
            logprobs=self.num_logprobs,
            flat_logprobs=self.prompt_logprobs is not None,  # few objects pass between processes
            extra_args=self.vllm_xargs,
            structured_outputs=structured_of(self.response_format, self.structured_outputs),
            output_kind=RequestOutputKind.DELTA if self.stream else RequestOutputKind.FINAL_ONLY,
        )

    def searching(self, options: ServeOptions, max_tokens: int) -> BeamSearchParams:
        """Return the parameters of a beam search for `n` continuations, vLLM's `use_beam_search`.

        Args:
            max_tokens: maximum number of tokens of a completion.

        Raises:
            Refusal: a value exceeds one of the server's limits, or a field is about sampling.
            ConfigError: a value is out of its range.
        """
        self.require_possible()
        self._require_within(options)
        for name in sorted({*_SAMPLING, *_SAID_OTHERWISE} - _OF_BEAMS):
            value = getattr(self, name)
            if value is None or value == _OF_SEARCHES.get(name):
                continue
            shown = name.removeprefix("num_")
            said = (
                f"{shown} is {value!r:.80}, and use_beam_search is true: the likeliest texts are searched, none drawn"
            )
            raise Refusal(f"{said}; leave it out", param=shown, code="unsupported")
        penalty = 1.0 if self.length_penalty is None else self.length_penalty
        return BeamSearchParams(
            beam_width=1 if self.n is None else self.n,
            max_tokens=max_tokens,
            length_penalty=penalty,
            ignore_eos=bool(self.ignore_eos),
        )

    def _require_within(self, options: ServeOptions) -> None:
        stops = [self.stop] if isinstance(self.stop, str) else self.stop or []
        for name, value, most in (
            ("n", self.n, options.max_completions),
            ("best_of", self.best_of, options.max_completions),
            ("logprobs", self.num_logprobs, options.max_logprobs),
            ("prompt_logprobs", self.prompt_logprobs, options.max_logprobs),
            ("stop", len(stops), options.max_stop),
            ("stop_token_ids", len(self.stop_token_ids or ()), options.max_logit_bias),
            ("bad_words", len(self.bad_words or ()), options.max_logit_bias),
            ("logit_bias", len(self.logit_bias or ()), options.max_logit_bias),
        ):
            if value is None or 0 <= value <= most or (value >= 0 and most == _NO_LIMIT):
                continue
            more = " (--max-logprobs), or -1 for the whole vocabulary if it is that small" if "logprobs" in name else ""
            raise Refusal(f"{name} is {value}, expected 0 to {most}{more}", param=name)


_NO_LIMIT = -1  # only max_logprobs can be this

# Fields that a beam search supports, and the values of others that have no effect.
_OF_BEAMS = {"n", "ignore_eos"}
_SAID_OTHERWISE = (
    *("logit_bias", "num_logprobs", "vllm_xargs", "stream", "response_format", "structured_outputs"),
    "truncation_side",
)
_OF_SEARCHES: dict[str, Any] = {
    "include_stop_str_in_output": False,
    "response_format": {"type": "text"},
    "skip_special_tokens": True,
    "spaces_between_special_tokens": True,
    "stream": False,
    "temperature": 0,
}
_SAMPLING = (
    "allowed_token_ids",
    "bad_words",
    "best_of",
    "cache_hint",
    "frequency_penalty",
    "ignore_eos",
    "include_stop_str_in_output",
    "min_p",
    "min_tokens",
    "n",
    "presence_penalty",
    "prompt_logprobs",
    "repetition_penalty",
    "seed",
    "skip_special_tokens",
    "spaces_between_special_tokens",
    "stop",
    "stop_token_ids",
    "temperature",
    "thinking_token_budget",
    "top_k",
    "top_p",
    "truncate_prompt_tokens",
)


class CompletionBody(Sampling):
    """The body of POST /v1/completions."""

    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        **Sampling.only,
        "suffix": (("",), "the model continues texts and does not fill in gaps"),
    }

    prompt: Prompts
    logprobs: int | None = None
    reasoning: Flag | None = None  # structured_outputs apply behind thoughts, which the text may begin with
    suffix: str | None = None
    add_special_tokens: Flag | None = None

    @property
    def num_logprobs(self) -> int | None:
        """Number of requested alternatives per token; None: no logprobs."""
        return self.logprobs


class ChatBody(Sampling):
    """The body of POST /v1/chat/completions."""

    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        **Sampling.only,
        "audio": ((), "the model writes texts only"),
        "modalities": ((["text"],), "the model writes texts only"),
        "prediction": ((), "nothing is drafted yet"),
        "functions": (([],), "it is an old name of tools"),
        "function_call": (("none",), "it is an old name of tool_choice"),
        "store": ((False,), _NO_STORE),
        "moderation": ((), "nothing is moderated"),
        "prompt_cache_retention": (("in_memory",), "prefixes are cached in memory"),
        "prompt_cache_options": (({},), "prefixes are cached always"),
        "service_tier": (("auto", "default"), "there is one"),
        "verbosity": (("medium",), "the model has no such setting"),
        "web_search_options": ((), "no web is searched"),
        "chat_template": ((), "clients send no templates; start the server with --chat-template"),
        "documents": (([],), "write them into a message"),
        "mm_processor_kwargs": ((), _SET_BY_SERVER),
        "echo": ((False,), "use continue_final_message to continue a message"),
        "add_special_tokens": ((False,), "the template writes them"),
    }

    messages: Messages
    audio: dict[str, Any] | None = None
    function_call: str | dict[str, Any] | None = None
    functions: list[Any] | None = None
    logprobs: Flag | None = None
    max_completion_tokens: int | None = None
    metadata: dict[str, str] | None = None
    modalities: list[str] | None = None
    moderation: Any = None
    parallel_tool_calls: Flag | None = None
    prediction: dict[str, Any] | None = None
    prompt_cache_key: str | None = None
    prompt_cache_options: dict[str, Any] | None = None
    prompt_cache_retention: str | None = None
    reasoning_effort: str | None = None
    safety_identifier: str | None = None
    service_tier: str | None = None
    store: Flag | None = None
    tool_choice: str | dict[str, Any] | None = None
    tools: list[dict[str, Any]] | None = None
    top_logprobs: int | None = None
    verbosity: str | None = None
    web_search_options: dict[str, Any] | None = None

    add_generation_prompt: Flag | None = None
    add_special_tokens: Flag | None = None
    chat_template: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    continue_final_message: Flag | None = None
    documents: list[Any] | None = None
    mm_processor_kwargs: dict[str, Any] | None = None

    @property
    def num_logprobs(self) -> int | None:
        """Number of requested alternatives per token; None: no logprobs."""
        return (self.top_logprobs or 0) if self.logprobs else None

    def require_possible(self) -> None:
        """Check the fields, as `Body` does."""
        if self.top_logprobs is not None and not self.logprobs:
            raise Refusal("top_logprobs is given, and logprobs is not true", param="top_logprobs")
        both = None not in (self.max_tokens, self.max_completion_tokens)
        if both and self.max_tokens != self.max_completion_tokens:
            raise Refusal("max_tokens is an old name of max_completion_tokens, which differs", param="max_tokens")
        super().require_possible()

    @property
    def callable_tools(self) -> list[dict[str, Any]]:
        """The tools for the model's prompt."""
        return [] if self.tool_choice == "none" else self.tools or []

    def template_options(self) -> dict[str, Any]:
        """Return the options of `ChatReader.prompts`."""
        more = dict(self.chat_template_kwargs or {})
        if self.reasoning_effort is not None:
            more.setdefault("reasoning_effort", self.reasoning_effort)
        return template_options(
            begins=self.add_generation_prompt,
            goes_on=bool(self.continue_final_message),
            told=more,
            tools=self.callable_tools,
        )


def template_options(
    *, begins: bool | None, goes_on: bool, told: Mapping[str, Any] | None, tools: list[dict[str, Any]] | None
) -> dict[str, Any]:
    """Make the options of `ChatReader.prompts` from a client's fields.

    Args:
        begins: add_generation_prompt; None: unless the last message is continued.
        goes_on: continue_final_message.
        told: chat_template_kwargs, which are checked.

    Raises:
        Refusal: chat_template_kwargs has a name that the server sets itself.
    """
    if forbidden := (told or {}).keys() & _OF_TEMPLATES:
        name = min(forbidden)
        raise Refusal(f"chat_template_kwargs has {name!r}, which the server sets", param="chat_template_kwargs")
    return {
        "add_generation_prompt": not goes_on if begins is None else begins,
        "continue_final_message": goes_on,
        "template_kwargs": dict(told or {}),
        "tools": tools or None,
    }


# Names that torchpaged passes to `apply_chat_template`, or that would run a client's template.
_OF_TEMPLATES = {
    "chat_template",
    "tokenize",
    "tools",
    "add_generation_prompt",
    "continue_final_message",
    "return_dict",
    "return_tensors",
    "tokenizer_kwargs",
    "conversation",
    "padding",
    "truncation",
    "max_length",
    "documents",
}


class PooledBody(Body):
    """Fields that requests for embeddings, classes and scores share."""

    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        "mm_processor_kwargs": ((), _SET_BY_SERVER),
        "padding": (("do_not_pad",), "no prompt is padded"),
    }

    truncate_prompt_tokens: int | None = None
    truncation_side: Side | None = None
    use_activation: Flag | None = None
    priority: int | None = None
    cache_salt: str | None = None
    mm_processor_kwargs: dict[str, Any] | None = None
    padding: str | None = None

    def tokenization(self) -> dict[str, Any]:
        """Return the `tokenization_kwargs` of its prompts."""
        names = ("truncate_prompt_tokens", "truncation_side", "add_special_tokens")
        given = {name: getattr(self, name, None) for name in names}
        return {name: value for name, value in given.items() if value is not None}


class EmbeddingBody(PooledBody):
    """The body of POST /v1/embeddings."""

    input: Prompts
    dimensions: int | None = None
    encoding_format: Literal["float", "base64"] | None = None
    add_special_tokens: Flag | None = None
    prompt_name: str | None = None


class ScoringBody(PooledBody):
    """Fields that requests for scores of texts share."""

    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        **PooledBody.only,
        "max_tokens_per_query": ((0,), "a pair is truncated as a whole, by truncate_prompt_tokens"),
        "max_tokens_per_doc": ((0,), "a pair is truncated as a whole, by truncate_prompt_tokens"),
        "instruction": ((), "pairs are read without a template; write it into the query"),
        "chat_template_kwargs": (({},), "pairs are read without a template"),
    }

    max_tokens_per_query: int | None = None
    max_tokens_per_doc: int | None = None
    instruction: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None


# A text, or {"content": [parts of a message]} for models that compare the vectors of images and texts.
Scored = str | dict[str, Any]


class ScoreBody(ScoringBody):
    """The body of POST /v1/score, with any of vLLM's pairs of field names."""

    text_1: Scored | list[Scored] | None = None
    text_2: Scored | list[Scored] | None = None
    queries: Scored | list[Scored] | None = None
    documents: Scored | list[Scored] | None = None
    items: Scored | list[Scored] | None = None
    data_1: Scored | list[Scored] | None = None
    data_2: Scored | list[Scored] | None = None

    def texts(self) -> tuple[str, Any, Any]:
        """Return the name of the first field, and both values.

        Raises:
            Refusal: there is no pair, or more than one.
        """
        names = [name for one in _PAIRS for name in one]
        given = [name for name in dict.fromkeys(names) if getattr(self, name) is not None]
        if tuple(given) not in _PAIRS:
            pairs = ", ".join(" and ".join(pair) for pair in _PAIRS)
            param = given[0] if given else "text_1"
            raise Refusal(f"there are {' and '.join(given) or 'no texts'}, expected one of {pairs}", param=param)
        first, second = given
        return first, getattr(self, first), getattr(self, second)


_PAIRS = (("text_1", "text_2"), ("queries", "documents"), ("queries", "items"), ("data_1", "data_2"))


class TokenizeBody(Body):
    """The body of POST /tokenize: a prompt, or a conversation."""

    only: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {
        name: ChatBody.only[name] for name in ("chat_template", "mm_processor_kwargs")
    }

    prompt: str | None = None
    messages: Messages | None = None
    add_special_tokens: Flag | None = None
    add_generation_prompt: Flag | None = None
    chat_template: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    continue_final_message: Flag | None = None
    mm_processor_kwargs: dict[str, Any] | None = None
    return_token_strs: Flag | None = None
    tools: list[dict[str, Any]] | None = None


class PrefixBody(Body):
    """The body of POST /v1/prefixes and /v1/prefixes/prefetch: a prompt or a conversation, and the key it is for.

    `model` may be an adapter, under which it is computed.
    """

    prompt: str | list[int] | None = None
    messages: Messages | None = None
    tools: list[dict[str, Any]] | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    key: str | None = None
    cache_salt: str | None = None


class LoadAdapterBody(Strict):
    """The body of POST /v1/load_lora_adapter."""

    lora_name: str
    lora_path: str
    load_inplace: Flag | None = None
    is_3d_lora_weight: Flag | None = None  # has no effect: the file says how experts are stored

    def require_possible(self) -> None:
        """Check the fields, as `Body` does."""
        for name in ("lora_name", "lora_path"):
            if not getattr(self, name).strip():
                raise Refusal(f"{name} is empty; lora_name and lora_path must be provided", param=name)


class UnloadAdapterBody(Strict):
    """The body of POST /v1/unload_lora_adapter."""

    lora_name: str
    lora_int_id: int | None = None


class AbortBody(Strict):
    """The body of POST /abort_requests."""

    request_ids: list[str] | None = None


class InitTransferBody(Strict):
    """The body of POST /init_weight_transfer_engine."""

    init_info: dict[str, Any]


class UpdateWeightsBody(Strict):
    """The body of POST /update_weights: vLLM's `update_info`, or the path of a checkpoint's folder."""

    update_info: dict[str, Any] | None = None
    path: str | None = None
    version: str | None = None
    reset_running_requests: Flag | None = None
    allow_non_finite: Flag | None = None

    def require_possible(self) -> None:
        """Check the fields, as `Body` does."""
        if (self.update_info is None) == (self.path is None):
            raise Refusal("update_info and path: expected one of them", param="update_info")


class FinishUpdateBody(Strict):
    """The body of POST /finish_weight_update."""

    weight_version: str | None = None
    reset_running_requests: Flag | None = None


class WeightVersionBody(Strict):
    """The body of POST /update_weight_version."""

    new_version: str


class DetokenizeBody(Body):
    """The body of POST /detokenize."""

    tokens: list[int]


def require_one_of(body: Body, name: str) -> None:
    """Require either a prompt in this field or `messages`, without the fields that belong to the other.

    Raises:
        Refusal: both or neither are given, or such a field.
    """
    prompt, messages = getattr(body, name), getattr(body, "messages", None)
    if (prompt is None) == (messages is None):
        raise Refusal(f"{name} and messages: expected one of them", param=name)
    if messages is None:
        for each in _OF_MESSAGES:
            if getattr(body, each, None) is not None:
                raise Refusal(f"{each} is given, which needs messages instead of {name}", param=each)
    elif getattr(body, "add_special_tokens", None):
        said = "add_special_tokens is True, and there are messages: the template writes them"
        raise Refusal(said, param="add_special_tokens")


_OF_MESSAGES = ("tools", "chat_template_kwargs", "add_generation_prompt", "continue_final_message")


def prompts_of(given: Prompts, options: ServeOptions, name: str) -> list[str | list[int]]:
    """Return the prompts of a field. Raises a Refusal if there are none or too many."""
    several: list[Any] = [given] if isinstance(given, str) or (given and isinstance(given[0], int)) else list(given)
    if not 1 <= len(several) <= options.max_prompts:
        raise Refusal(f"{name} has {len(several)} prompts, expected 1 to {options.max_prompts}", param=name)
    return several


def _by_token(bias: Mapping[str, float] | None) -> dict[int, float] | None:
    """Convert the keys to token ids, because JSON's keys are texts."""
    found: dict[int, float] = {}
    for token, value in (bias or {}).items():
        if not token.isascii() or not token.isdigit():
            raise Refusal(f"logit_bias has the key {token!r:.40}, expected token ids", param="logit_bias")
        if not -100 <= value <= 100:
            raise Refusal(f"logit_bias has {value} for token {token}, expected -100 to 100", param="logit_bias")
        found[int(token)] = value
    return found or None
