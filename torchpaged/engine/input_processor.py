"""InputProcessor: reads and checks a request's arguments, and makes a group of it."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torchpaged.config import EngineConfig
from torchpaged.engine.adapter_names import NamedAdapter
from torchpaged.engine.adapters import AdapterRegistry
from torchpaged.engine.media_adapters import MediaAdapters
from torchpaged.engine.prompt_embeds import EmbeddingsReader, is_embedded
from torchpaged.engine.prompt_media import MediaChecks, media_keys
from torchpaged.errors import ConfigError, RequestError
from torchpaged.kv_cache import CacheKeys
from torchpaged.kv_cache.block_hash import MultimodalKey
from torchpaged.lora_request import LoRARequest
from torchpaged.media.items import PromptMedia
from torchpaged.models.model import PagedModel, media_encoder_of, media_processor_of
from torchpaged.pooling_params import PoolerConfig, PoolingParams
from torchpaged.requests.beam_search import BeamSearchGroup
from torchpaged.requests.group import Group, Request
from torchpaged.requests.media import MediaReader
from torchpaged.requests.pooling import Pooling, PoolingGroup, instructed, task_of
from torchpaged.requests.prompts import Prompt, PromptReader, ReadPrompt, one_side, truncated
from torchpaged.requests.sampling import SamplingGroup, Vocabulary
from torchpaged.requests.scoring import ScoringGroup
from torchpaged.sampling_params import BeamSearchParams, SamplingParams, ScoringParams
from torchpaged.scheduling import EncoderInput
from torchpaged.structured.grammars import Grammar, GrammarCompiler

Params = SamplingParams | BeamSearchParams | ScoringParams | PoolingParams


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """A request that the engine can run, if the scheduler has room for it.

    Args:
        request_id: the user's name for it.
        text, token_ids: the prompt; `text` is None if tokens were given.
        encoder: input of the model's encoder.
        params: a copy of the user's parameters.
        priority, keys: see `Request`.
        grammar: compiled grammar of its texts, with the thoughts before it; None: any text.
        prompt_embeds: see `NewSequence`.
        lora_request: the request's; None: it has no adapter.
        adapter: the adapter that it names.
        token_types, media: see `Request`.
    """

    request_id: str
    text: str | None
    token_ids: list[int]
    encoder: EncoderInput | None
    params: Params
    priority: int
    keys: CacheKeys
    grammar: Grammar | None = None
    prompt_embeds: Any = None
    lora_request: LoRARequest | None = None
    adapter: NamedAdapter | None = None
    token_types: list[int] | None = None
    media: PromptMedia | None = None

    @property
    def label(self) -> str:
        """Name of the request in errors."""
        return f"request {self.request_id!r}"

    @property
    def num_given(self) -> int:
        """Most tokens after the prompt that are given, not generated."""
        return max(map(len, self.params.continuations)) if isinstance(self.params, ScoringParams) else 0

    @property
    def generates(self) -> bool:
        """True if anything follows the prompt."""
        return not isinstance(self.params, PoolingParams)


class InputProcessor:
    """Reads and checks requests. It keeps nothing of them.

    Args:
        model: the model.
        config: resolved settings of the engine.
        vocabulary: of the engine.
        processors: classes of logits processors, whose `validate_params` is called.
        in_process: if tokens are sampled in this process.
        adapters: finds and loads adapters; None: requests have none.

    Attributes:
        prompts: reads prompts alone.
        grammars: compiles grammars; thread-safe.
    """

    def __init__(
        self,
        model: PagedModel,
        config: EngineConfig,
        vocabulary: Vocabulary,
        processors: Sequence[type],
        *,
        in_process: bool,
        adapters: AdapterRegistry | None,
    ) -> None:
        assert config.max_model_len is not None, "the settings are not resolved"
        processor = media_processor_of(model)
        reader = None if processor is None else MediaReader(processor, config)
        self.prompts = PromptReader(vocabulary.tokenizer, model.spec.vocab_size, model.encoder, reader)
        self._embeddings, self._media = EmbeddingsReader(model.spec, config), MediaChecks(model, config)
        eos, vocab_size = vocabulary.eos_token_ids, model.spec.vocab_size
        self.grammars = GrammarCompiler(vocabulary.tokenizer, eos, vocab_size)
        self._spec, self._vocabulary = model.spec, vocabulary
        self._processors, self._in_process, self._adapters = processors, in_process, adapters
        encoder = media_encoder_of(model)
        modalities = frozenset() if encoder is None else encoder.modalities
        self._media_adapters = MediaAdapters(config.default_mm_loras or {}, adapters, modalities)
        self._pooler, self._max_model_len = config.pooler_config or PoolerConfig(), config.max_model_len

    def process(
        self,
        request_id: str,
        prompt: Prompt,
        params: Params,
        *,
        priority: int,
        cache_salt: str | None,
        tokenization_kwargs: Mapping[str, Any] | None,
        lora_request: LoRARequest | None,
    ) -> CheckedRequest:
        """Check a request; arguments and errors are those of `LLMEngine.add_request`."""
        priority = _checked(request_id, params, priority, cache_salt)
        label = f"request {request_id!r}"
        self.require_adapter(label, lora_request)
        options, truncation = read_options(label, tokenization_kwargs)
        if isinstance(params, PoolingParams):
            prompt, params = instructed(self._pooler, prompt, params, self._spec)
        options, truncation = self._for_tokenizer(label, prompt, options, truncation)
        longest = None if is_truncated(truncation, params) else self._max_model_len
        found = self._read(label, prompt, options, longest)
        text, token_ids, encoder, embeds = found.text, found.token_ids, found.encoder, found.prompt_embeds
        if isinstance(params, SamplingParams):  # a copy, checked again: the user may set attributes at any time
            params = replace(params)
        elif isinstance(params, PoolingParams) and params.task is None:
            params = replace(params, task=self._pooler.task)
        token_ids = self._truncated(token_ids, truncation, _num_behind(params))
        if isinstance(params, SamplingParams):  # vLLM has the option in both places
            token_ids = truncated(token_ids, params, self._max_model_len, truncation.get(SIDE))
        _require_whole(label, found, token_ids)
        inputs: tuple[MultimodalKey, ...] = ()
        if embeds is not None:
            embeds = one_side(embeds, len(token_ids), truncation.get(SIDE))
            inputs = self._embeddings.keys(embeds)
            _require_no_prompt_logprobs(label, params)
        if found.media is not None:
            inputs = media_keys(found.media)
            lora_request = lora_request or self._media_adapters.of(label, found.media)
        keys = replace(keys_of(label, cache_salt, found.cache_salt), multimodal=inputs)
        self._require_possible(label, params, has_encoder=encoder is not None)
        grammar = None
        if isinstance(params, SamplingParams):
            grammar = self.grammars.guide(
                label, params.structured_outputs, params.reasoning, params.thinking_token_budget, token_ids
            )
        adapter = None if lora_request is None else self.adapter(label, lora_request)
        if adapter is not None:
            keys = replace(keys, lora=adapter.content)
        return CheckedRequest(
            request_id,
            text,
            token_ids,
            encoder,
            params,
            priority,
            keys,
            grammar,
            embeds,
            lora_request,
            adapter,
            self._token_types(label, found, len(token_ids)),
            found.media,
        )

    def _read(self, label: str, prompt: Prompt, options: Mapping[str, Any], longest: int | None) -> ReadPrompt:
        """Read a prompt of any kind."""
        if is_embedded(prompt):
            return self._embeddings.read(label, prompt)
        self._media.require_processor(label, prompt)
        read = self.prompts.read(label, prompt, options, longest=longest)
        if read.media is not None:
            self._media.require_possible(label, read.media)
        return read

    def _for_tokenizer(
        self, label: str, prompt: Prompt, options: dict[str, Any], truncation: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the options of the tokenizer and of truncation: the tokenizer truncates an encoder's texts."""
        if not self._spec.is_encoder:
            return options, truncation
        has_tokens = not isinstance(prompt, str) and not (isinstance(prompt, Mapping) and set(prompt) == {"prompt"})
        if has_tokens:
            return options, {SIDE: "right", **truncation}
        return truncated_by_tokenizer(label, options, truncation, self._max_model_len)

    def _token_types(self, label: str, found: ReadPrompt, count: int) -> list[int] | None:
        """Return the types of the tokens that are left of a prompt; None for a model without types.

        Raises:
            RequestError: another number of types than of tokens, or a type that the model does not have.
        """
        types, most = found.token_types, self._spec.num_token_types
        if types is None or most == 1:
            return None
        if len(types) != len(found.token_ids):
            raise RequestError(
                f"{label}: token_type_ids has {len(types)} entries, expected one for each of {len(found.token_ids)} "
                "tokens"
            )
        if unknown := [each for each in types if not 0 <= each < most]:
            raise RequestError(f"{label}: token_type_ids has {unknown[0]}, expected 0 to {most - 1}")
        return types[:count]

    def require_adapter(self, label: str, lora_request: object) -> None:
        """Raise ConfigError unless it is None, or a LoRARequest in an engine with adapters."""
        if lora_request is None:
            return
        if not isinstance(lora_request, LoRARequest):
            raise ConfigError(f"{label}: lora_request is {lora_request!r:.80}, expected a LoRARequest or None")
        if self._adapters is None:
            raise ConfigError(
                f"{label}: lora_request is {lora_request.lora_name!r:.80}, but the engine was made without adapters; "
                "make it with enable_lora=True"
            )

    def adapter(self, label: str, lora_request: LoRARequest) -> NamedAdapter:
        """Find the adapter that a request names, and load it if its files are new."""
        self.require_adapter(label, lora_request)
        assert self._adapters is not None
        try:
            return self._adapters.resolve(lora_request)
        except RequestError as error:
            raise RequestError(f"{label}: {error}") from error

    def tokenize(self, label: str, prompt: Prompt, tokenization_kwargs: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return a prompt as a tokenized prompt; errors name the label."""
        options, truncation = read_options(label, tokenization_kwargs)
        options, truncation = self._for_tokenizer(label, prompt, options, truncation)
        self._media.require_processor(label, prompt)
        read = self.prompts.read(label, prompt, options)
        token_ids = self._truncated(read.token_ids, truncation, 1)
        _require_whole(label, read, token_ids)
        types = self._token_types(label, read, len(token_ids))
        found: dict[str, Any] = {"prompt": read.text, "prompt_token_ids": token_ids}
        if read.media is not None:
            found["media"] = read.media
        return found if types is None else {**found, "token_type_ids": types}

    def _truncated(self, token_ids: list[int], truncation: Mapping[str, Any], num_behind: int) -> list[int]:
        """Truncate a prompt to so many tokens; -1: to as many as leave room for the tokens after them."""
        kept, longest = truncation.get(KEPT), self._max_model_len
        if kept is None:
            return token_ids
        count = max(longest - num_behind, 1) if kept == -1 else min(kept, longest)
        return one_side(token_ids, count, truncation.get(SIDE))

    def group(self, number: int, checked: CheckedRequest) -> Group:
        """Return a new group.

        Args:
            number: number of the request, never reused.
        """
        params = checked.params
        request = Request(
            number,
            checked.request_id,
            checked.text,
            checked.token_ids,
            checked.priority,
            checked.keys,
            checked.encoder,
            checked.prompt_embeds,
            checked.lora_request,
            None if checked.adapter is None else checked.adapter.version,
            token_types=checked.token_types,
            media=checked.media,
        )
        if isinstance(params, (SamplingParams, BeamSearchParams)):
            request.n = params.n if isinstance(params, SamplingParams) else params.beam_width
            request.max_tokens = params.max_tokens
        if isinstance(params, PoolingParams):
            return PoolingGroup(request, Pooling.of(params, self._pooler, self._spec), self._spec)
        if isinstance(params, BeamSearchParams):
            return BeamSearchGroup(request, params, self._vocabulary)
        if isinstance(params, ScoringParams):
            return ScoringGroup(request, params)
        bad_words = self.prompts.bad_words(checked.label, params.bad_words or ())
        processed = bool(self._processors or params.logits_processors)
        return SamplingGroup(request, params, self._vocabulary, bad_words, processed, checked.grammar)

    def _require_possible(self, label: str, params: Params, *, has_encoder: bool) -> None:
        """Raise RequestError for parameters that this engine cannot run."""
        spec = self._spec
        if isinstance(params, PoolingParams):
            self._require_poolable(label, params, has_encoder=has_encoder)
        elif spec.vector_size:
            raise RequestError(
                f"{label}: {spec.name} makes a vector of each token and has no next token; use LLM.embed or LLM.score"
            )
        elif spec.num_labels:
            raise RequestError(
                f"{label}: {spec.name} classifies {'tokens' if spec.labels_tokens else 'texts'} and has no next token; "
                f"use {'' if spec.labels_tokens else 'LLM.classify, LLM.score or '}LLM.encode"
            )
        elif spec.is_encoder:
            raise RequestError(f"{label}: {spec.name} is an encoder and has no next token; use LLM.embed or LLM.encode")
        elif isinstance(params, ScoringParams):
            if has_encoder:
                raise RequestError(f"{label}: the model has an encoder, which scoring does not take")
            for tokens in params.continuations:
                self.prompts.require_known(label, "a continuation has token id", tokens)
        elif isinstance(params, SamplingParams):
            if params.thinking_token_budget is not None and params.reasoning is None:
                raise RequestError(
                    f"{label}: thinking_token_budget is {params.thinking_token_budget}, and reasoning is None: say how "
                    "the model writes its thoughts, as with reasoning='qwen3'"
                )
            for name, kind in (("stop", "stop strings"), ("bad_words", "bad words")):
                if (texts := getattr(params, name)) and self._vocabulary.tokenizer is None:
                    raise RequestError(f"{label}: {name} is {texts!r}, but {kind} need a tokenizer")
            if params.logits_processors and not self._in_process:
                raise RequestError(
                    f"{label}: logits_processors has functions, which stay in this process, and its tokens are chosen "
                    "in another; give a class or 'module:Class' to LLM(..., logits_processors=[...])"
                )
            for each in self._processors:
                validate = getattr(each, "validate_params", None)  # classes written for older vLLM versions have none
                try:
                    if validate is not None:
                        validate(params)
                except ValueError as error:
                    raise RequestError(f"{label}: {each.__name__} refuses its parameters: {error}") from error
            for name in ("stop_token_ids", "allowed_token_ids", "logit_bias"):
                self.prompts.require_known(label, f"{name} has", getattr(params, name) or ())

    def _require_poolable(self, label: str, params: PoolingParams, *, has_encoder: bool) -> None:
        spec, task = self._spec, task_of(params, self._spec)
        if has_encoder:
            raise RequestError(f"{label}: the model has an encoder, whose states are not pooled; use a decoder")
        if task.endswith("classify") and not spec.num_labels:
            raise RequestError(
                f"{label}: task is {task!r}, but {spec.name} was not made to classify texts (a "
                "...ForSequenceClassification is); use LLM.embed, or LLM."
                + (
                    "score for how similar texts are"
                    if spec.is_encoder
                    else "score_continuations for how likely given answers are"
                )
            )
        if spec.vector_size and (task != "token_embed" or params.pooling_type is not None):
            what = f"task is {task!r}" if task != "token_embed" else f"pooling_type is {params.pooling_type!r}"
            raise RequestError(
                f"{label}: {what}, but {spec.name} makes a vector of each token, for the task 'token_embed' alone"
            )
        if task == "classify" and spec.labels_tokens:
            raise RequestError(
                f"{label}: task is 'classify', but {spec.name} classifies each token; use "
                "LLM.encode(..., pooling_task='token_classify')"
            )
        if task.endswith("classify") and params.pooling_type not in (None, spec.class_pooling):
            of = {"LAST": "the last token", "CLS": "the first token", "MEAN": "the mean of all tokens"}
            raise RequestError(
                f"{label}: pooling_type is {params.pooling_type!r}, classes are of {of[spec.class_pooling]}"
            )
        if spec.hidden_size is None:
            raise RequestError(
                f"{label}: {spec.name} gives logits and no hidden states to be pooled; use the checkpoint of a decoder "
                "that `torchpaged info --families` names"
            )
        dimensions = params.dimensions or (self._pooler.dimensions if task.endswith("embed") else None)
        layers = self._pooler.dense or () if task == "embed" else ()
        width = layers[-1].weight.shape[0] if layers else spec.vector_size or spec.hidden_size
        if dimensions is not None and (task.endswith("classify") or dimensions > width):
            raise RequestError(
                f"{label}: dimensions is {dimensions}, expected at most {width} for a vector of "
                f"{spec.name}, and None for classes"
            )


def _checked(request_id: object, params: object, priority: Any, cache_salt: object) -> int:
    """Return the priority as an integer. Raises ConfigError for arguments of another type."""
    if not isinstance(request_id, str):
        raise ConfigError(f"add_request: request_id is {request_id!r:.80}, expected a text")
    if not isinstance(params, (SamplingParams, BeamSearchParams, ScoringParams, PoolingParams)):
        raise ConfigError(
            f"request {request_id!r}: params is {params!r:.80}, expected SamplingParams, BeamSearchParams, "
            "ScoringParams, PoolingParams or None"
        )
    require_salt(f"request {request_id!r}", cache_salt)
    try:
        return operator.index(priority)
    except TypeError:
        raise ConfigError(f"request {request_id!r}: priority is {priority!r:.80}, expected an integer") from None


def require_salt(where: str, cache_salt: object) -> str | None:
    """Return the salt, which is a text or None. Raises ConfigError for other values."""
    if cache_salt is not None and not isinstance(cache_salt, str):
        raise ConfigError(f"{where}: cache_salt is {cache_salt!r:.80}, expected a text or None")
    return cache_salt


def keys_of(where: str, given: str | None, own: str | None) -> CacheKeys:
    """Return the cache keys of a prompt, which may have a salt of its own."""
    if given is not None and own is not None and given != own:
        raise ConfigError(f"{where}: cache_salt is {given!r:.80}, but the prompt has its own, {own!r:.80}; give one")
    return CacheKeys(salt=given if own is None else own)


def _require_no_prompt_logprobs(label: str, params: Params) -> None:
    if isinstance(params, SamplingParams) and params.prompt_logprobs is not None:
        raise RequestError(
            f"{label}: prompt_logprobs is {params.prompt_logprobs}, but the prompt is embeddings and has no tokens; "
            "leave it out"
        )


def _require_whole(label: str, found: ReadPrompt, token_ids: Sequence[int]) -> None:
    """Raise RequestError if a prompt with images was truncated."""
    if found.media is not None and len(token_ids) < len(found.token_ids):
        raise RequestError(
            f"{label}: the prompt has {len(found.token_ids)} tokens, truncate_prompt_tokens leaves {len(token_ids)}, "
            "and prompts with images are not cut; shorten the prompt"
        )


def _num_behind(params: Params) -> int:
    """Return the number of tokens after a prompt that need room."""
    if isinstance(params, PoolingParams):
        return 0
    if isinstance(params, ScoringParams):
        return max(map(len, params.continuations)) - 1  # nothing follows the last
    return params.max_tokens or 1


def is_truncated(truncation: Mapping[str, Any], params: object) -> bool:
    """Return True if a prompt is cut to fit, as `tokenization_kwargs` or its parameters say."""
    return truncation.get(KEPT) is not None or getattr(params, "truncate_prompt_tokens", None) is not None


def truncated_by_tokenizer(
    where: str, options: dict[str, Any], truncation: dict[str, Any], longest: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options with which an encoder's tokenizer truncates a text, and those that are left for the engine.

    The tokenizer keeps the special tokens at both ends, without which an encoder's vectors mean nothing, and shortens
    the longer text of a pair.

    Args:
        where: for messages.
        longest: `max_model_len`.

    Raises:
        ConfigError: the first tokens are to be cut, which tokenizers do not do.
    """
    kept = truncation.get(KEPT)
    if truncation.get(SIDE) == "left":
        raise ConfigError(
            f"{where}: truncation_side is 'left', expected 'right' or None: an encoder's texts lose their end"
        )
    if kept is None:
        return options, {}
    return {**options, "truncation": True, "max_length": longest if kept == -1 else min(kept, longest)}, {}


# Keys of `tokenization_kwargs` that the tokenizer does not get: they apply to prompts of tokens too.
KEPT, SIDE = "truncate_prompt_tokens", "truncation_side"


def read_options(where: str, options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split `tokenization_kwargs` into the tokenizer's options and those of truncation.

    Raises:
        ConfigError: not a dictionary, or an invalid truncation.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(
            f"{where}: tokenization_kwargs is {options!r:.80}, expected a dictionary of the tokenizer's, or None"
        )
    rest = dict(options or {})
    kept, side = rest.pop(KEPT, None), rest.pop(SIDE, None)
    if kept is not None and (type(kept) is not int or (kept < 1 and kept != -1)):
        raise ConfigError(
            f"{where}: tokenization_kwargs has truncate_prompt_tokens={kept!r:.80}, expected an integer of 1 or more, "
            "or -1 for what has room"
        )
    if side not in (None, "left", "right"):
        raise ConfigError(
            f"{where}: tokenization_kwargs has truncation_side={side!r:.80}, expected 'left' (the last tokens stay), "
            "'right' (the first ones) or None"
        )
    truncation = {KEPT: kept, SIDE: side}
    return rest, {name: value for name, value in truncation.items() if value is not None}
