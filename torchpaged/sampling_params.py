"""SamplingParams: how a request's tokens are sampled and when it ends. Validated once, then trusted."""

from __future__ import annotations

import copy
import enum
import functools
import inspect
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, TypeVar

from torchpaged.errors import ConfigError, RequestError, did_you_mean
from torchpaged.kv_cache.sessions import CacheHint
from torchpaged.reasoning import ReasoningDelimiters
from torchpaged.structured_outputs import StructuredOutputsParams

_T = TypeVar("_T")


class RequestOutputKind(enum.Enum):
    """Contents of the outputs that `LLMEngine.step` returns for a request with new tokens."""

    CUMULATIVE = 0  # everything so far
    DELTA = 1  # text and tokens since the last output
    FINAL_ONLY = 2  # one output, at the end


def _knows_its_names(cls: type[_T]) -> type[_T]:
    """Make a dataclass's constructor refuse unknown names with a ConfigError that suggests the nearest one."""
    known = tuple(each.name for each in fields(cls))  # type: ignore[arg-type]
    init = cls.__init__

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        for name in kwargs:
            if name not in known:
                hint = _instead(cls.__name__, name) or did_you_mean(name, known) or f"; there are {', '.join(known)}"
                raise ConfigError(f"{cls.__name__}: unknown parameter {name!r}{hint}")
        init(self, *args, **kwargs)

    cls.__init__ = checked  # type: ignore[method-assign]
    return cls


def _instead(kind: str, name: str) -> str | None:
    """Return the end of a message for a parameter of older vLLM releases, or of another class."""
    if kind == "SamplingParams" and name in ("use_beam_search", "beam_width", "length_penalty", "early_stopping"):
        return "; use LLM.beam_search with BeamSearchParams"
    if kind == "SamplingParams" and name.startswith("guided_"):
        field = name.removeprefix("guided_")
        given = f"{field}=..." if field in ("json", "regex", "choice", "grammar") else "json=..."
        return f"; use structured_outputs=StructuredOutputsParams({given})"
    return None


@_knows_its_names
@dataclass(slots=True)
class SamplingParams:
    """Sampling parameters of a request. Names, meanings and order follow vLLM's. Numbers may be Python's or numpy's.

    Attributes may be changed until the parameters are used: a request takes a copy, which is validated again.

    Args:
        n: completions of the prompt, at most 16,384.
        presence_penalty, frequency_penalty: subtracted once, or by count, from tokens already generated, [-2, 2].
        repetition_penalty: divides (multiplies) positive (negative) logits of tokens in prompt and output, > 0.
        temperature: 0 is greedy; otherwise logits are divided by it.
        top_p: sample from the smallest set of tokens whose probability reaches this, (0, 1].
        top_k: sample from the k most likely tokens; 0 or -1: all.
        min_p: drop tokens less likely than this share of the most likely one, [0, 1]. The filters are applied in
            transformers' order: top-k, then top-p, then min-p (vLLM applies min-p first).
        seed: seed of this request's own random numbers; completion i of n uses `seed + i`.
        stop: strings that end the text, of at most 1,024 characters each; the string itself is cut off.
        stop_token_ids: tokens that end the text; the token is kept in `token_ids`, not in the text.
        ignore_eos: do not end at the model's end-of-sequence token.
        max_tokens: maximum number of generated tokens; None: up to the model's maximum length.
        min_tokens: minimum number of generated tokens before an end-of-sequence token or a stop.
        logprobs: number of alternatives to return for each token, beside the token's own; -1: the whole vocabulary;
            None: no logprobs. They are those of the raw logits, with no parameter applied but `structured_outputs`.
        prompt_logprobs: the same for the prompt's tokens.
        structured_outputs: constraint on the text: a JSON schema, a choice, a grammar, ...; `StructuredOutputsParams`
            or a dictionary of its fields.
        flat_logprobs: return logprobs as `FlatLogprobs`, which makes few objects.
        detokenize: produce text; without it there are no stop strings, and logprobs have no texts.
        skip_special_tokens: leave special tokens out of the text.
        spaces_between_special_tokens: keep the space that some tokenizers put between two special tokens.
        include_stop_str_in_output: keep the stop string, or the token of `stop_token_ids`, in the text.
        output_kind: contents of the outputs that a step returns.
        stream_interval: minimum number of new tokens between two outputs; the first and last come at once.
        logit_bias: value added to the logit of each token id.
        allowed_token_ids: the only tokens that may be sampled; None: all.
        extra_args: values for logits processors, by name.
        bad_words: texts that may not be generated, at most 1,024 characters each: a text's last token, with or without
            a space before the text, is forbidden after its other tokens.
        best_of: number of completions to compute; the n with the highest cumulative logprob are returned. None: n.
        prompt_logprobs_start: position of the first prompt token with logprobs; the first token of all has none.
        truncate_prompt_tokens: number of prompt tokens to keep, the last ones; -1: as many as leave room for
            max_tokens, or for one token if that is None; None: all, and a prompt that is too long is refused. To keep
            the first ones, pass tokenization_kwargs={"truncation_side": "right"}.
        logits_processors: functions of (generated tokens, logits) or (prompt, generated tokens, logits), [vocab_size]
            float32, that return new logits. They run in this process, one request at a time.
        num_speculative_tokens: maximum number of draft tokens per step; 0: none; None: the engine's speculative_config.
        reasoning: how the model writes its thoughts: the name of one of vLLM's reasoning parsers, or
            `ReasoningDelimiters` or a dictionary of its fields. `structured_outputs` then applies behind the thoughts.
            None: to the text from its first token on.
        thinking_token_budget: maximum number of tokens of thoughts, which needs `reasoning`; the thoughts are then
            closed. None or -1: no limit.
        cache_hint: which cached blocks to keep for the client's next request: a `CacheHint`, or a dictionary of its
            fields, {"session": name, "retain": seconds or "session", "release": True}. It changes no answer.

    The other parameters are vLLM's options that torchpaged does not support: they accept only their default.

    Raises:
        ConfigError: a value is out of its range, or a name is unknown; the message has name, value and limit.
    """

    n: int = 1
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    temperature: float = 1.0
    watermarking: bool | None = None
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    seed: int | None = None
    stop: str | Sequence[str] | None = None
    stop_token_ids: Sequence[int] | None = None
    ignore_eos: bool = False
    max_tokens: int | None = 16
    min_tokens: int = 0
    logprobs: int | None = None
    prompt_logprobs: int | None = None
    prompt_logprob_token_ids: Any = None
    prompt_logprob_start: int | None = None
    logprob_token_ids: Sequence[int] | None = None
    flat_logprobs: bool = False
    detokenize: bool = True
    skip_special_tokens: bool = True
    spaces_between_special_tokens: bool = True
    include_stop_str_in_output: bool = False
    output_kind: RequestOutputKind = RequestOutputKind.CUMULATIVE
    stream_interval: int | None = None
    skip_clone: bool = False
    structured_outputs: StructuredOutputsParams | None = None
    logit_bias: Mapping[int, float] | None = None
    allowed_token_ids: Sequence[int] | None = None
    extra_args: Mapping[str, Any] | None = None
    bad_words: Sequence[str] | None = None
    skip_reading_prefix_cache: bool | None = None
    thinking_token_budget: int | None = None
    repetition_detection: Any = None
    routed_experts_prompt_start: int = 0
    trace_decode_token_ids: Sequence[int] | None = None
    best_of: int | None = None
    prompt_logprobs_start: int = 1
    truncate_prompt_tokens: int | None = None
    logits_processors: Sequence[Callable[..., Any]] | None = None
    num_speculative_tokens: int | None = None
    reasoning: ReasoningDelimiters | None = None
    cache_hint: CacheHint | None = None

    def __post_init__(self) -> None:
        self._make_lists()
        _make_plain(self)
        if _is_int(self.seed) and self.seed == -1:  # vLLM's alias for None
            self.seed = None
        for name, (nothing, instead) in _NOT_HERE.items():
            value = getattr(self, name)
            # Comparing an array would give an array.
            ok = value is None or isinstance(value, int)
            self._require(name, ok and any(value == each for each in nothing), instead)
        for name in _FLAGS:
            self._require(name, isinstance(getattr(self, name), bool), "True or False")
        self._check_counts()
        self._check_numbers()
        self._check_texts()
        self._check_tokens()
        if self.structured_outputs is not None:
            self.structured_outputs = StructuredOutputsParams.of(self.structured_outputs)
        if self.reasoning is not None:
            self.reasoning = ReasoningDelimiters.of(self.reasoning)
        if self.cache_hint is not None:
            self.cache_hint = CacheHint.of(self.cache_hint)

    def _make_lists(self) -> None:
        """Copy containers of any kind into lists and dictionaries."""
        self.stop = [self.stop] if isinstance(self.stop, str) else self.stop
        for name in ("stop", "stop_token_ids", "bad_words"):
            self._require(name, not isinstance(getattr(self, name), (str, bytes)), "a sequence")
            setattr(self, name, self._listed(name) or [])
        self.stop_token_ids = list(map(_plain, self.stop_token_ids or ()))
        if (allowed := self._listed("allowed_token_ids")) is not None:
            self.allowed_token_ids = list(map(_plain, allowed))
        self.logits_processors = self._listed("logits_processors") or None
        for name in ("logit_bias", "extra_args"):
            value = getattr(self, name)
            self._require(name, value is None or isinstance(value, Mapping), "a dictionary or None")
        if self.logit_bias is not None:
            self.logit_bias = {_plain(token): _plain(bias) for token, bias in self.logit_bias.items()}

    def _listed(self, name: str) -> list[Any] | None:
        value = getattr(self, name)
        self._require(name, value is None or isinstance(value, Iterable), "a sequence")
        return None if value is None else list(value)

    def _check_counts(self) -> None:
        """Check the numbers of completions and tokens."""
        self._require("n", _is_int(self.n) and self.n >= 1, "an integer of 1 or more")
        self._require("n", self.n <= MOST_COMPLETIONS, f"at most {MOST_COMPLETIONS} completions; add more requests")
        ok = self.max_tokens is None or (_is_int(self.max_tokens) and self.max_tokens >= 1)
        self._require("max_tokens", ok, "an integer of 1 or more, or None")
        ok = _is_int(self.min_tokens) and self.min_tokens >= 0
        self._require("min_tokens", ok, "an integer of 0 or more")
        ok = self.max_tokens is None or self.min_tokens <= self.max_tokens
        self._require("min_tokens", ok, f"an integer from 0 to max_tokens, {self.max_tokens}")
        ok = self.best_of is None or (_is_int(self.best_of) and self.best_of >= self.n)
        self._require("best_of", ok, f"an integer of n, {self.n}, or more, or None")
        ok = self.num_completions <= MOST_COMPLETIONS
        self._require("best_of", ok, f"at most {MOST_COMPLETIONS} completions; add more requests")
        for name in ("logprobs", "prompt_logprobs"):
            value = getattr(self, name)
            ok = value is None or (_is_int(value) and value >= -1)
            self._require(name, ok, "an integer of 0 or more, -1 for all tokens, or None")
        ok = _is_int(self.prompt_logprobs_start) and self.prompt_logprobs_start >= 1
        self._require("prompt_logprobs_start", ok, "an integer of 1 or more")
        ok = self.stream_interval is None or (_is_int(self.stream_interval) and self.stream_interval >= 1)
        self._require("stream_interval", ok, "an integer of 1 or more, or None")
        count = self.num_speculative_tokens
        self._require(
            "num_speculative_tokens",
            count is None or (_is_int(count) and count >= 0),
            "an integer of 0 or more, or None",
        )
        if _is_int(self.thinking_token_budget) and self.thinking_token_budget == -1:  # vLLM's alias for None
            self.thinking_token_budget = None
        budget = self.thinking_token_budget
        ok = budget is None or (_is_int(budget) and budget >= 0)
        self._require("thinking_token_budget", ok, "an integer of 0 or more, or None or -1 for no limit")
        kept = self.truncate_prompt_tokens
        ok = kept is None or (_is_int(kept) and (kept >= 1 or kept == -1))
        self._require("truncate_prompt_tokens", ok, "an integer of 1 or more, -1 for as many as have room, or None")

    def _check_numbers(self) -> None:
        """Check the parameters of sampling."""
        self._require("temperature", _is_real(self.temperature) and self.temperature >= 0, "a number of 0 or more")
        self._require("top_p", _is_real(self.top_p) and 0 < self.top_p <= 1, "a number in (0, 1]")
        self._require("top_k", _is_int(self.top_k) and self.top_k >= -1, "an integer of 1 or more, or 0 for all")
        self._require("min_p", _is_real(self.min_p) and 0 <= self.min_p <= 1, "a number in [0, 1]")
        # Completion i uses seed + i, which must fit into an int64 as well.
        ok = self.seed is None or (_is_int(self.seed) and -(2**63) <= self.seed <= 2**63 - self.num_completions)
        self._require("seed", ok, "an integer from -2**63 to 2**63 less the number of completions, or None")
        for name in ("presence_penalty", "frequency_penalty"):
            value = getattr(self, name)
            self._require(name, _is_real(value) and -2 <= value <= 2, "a number in [-2, 2]")
        ok = _is_real(self.repetition_penalty) and self.repetition_penalty > 0
        self._require("repetition_penalty", ok, "a number above 0")
        for token, bias in (self.logit_bias or {}).items():
            self._require("logit_bias", _is_token(token) and _is_real(bias), "finite numbers by token id")

    def _check_texts(self) -> None:
        """Check the parameters about text."""
        self._require("output_kind", isinstance(self.output_kind, RequestOutputKind), "a RequestOutputKind")
        for name in ("stop", "bad_words"):
            self._require(
                name, all(isinstance(each, str) and each for each in getattr(self, name)), "non-empty strings"
            )
            for place, each in enumerate(getattr(self, name)):
                if len(each) > MOST_LETTERS:
                    raise ConfigError(
                        f"SamplingParams: {name}[{place}] has {len(each)} characters, expected at most {MOST_LETTERS}"
                    )
        ok = self.detokenize or not self.stop
        self._require("stop", ok, "no stop strings where detokenize is False; leave one of them out")
        ok = all(word.strip() for word in self.bad_words or ())
        self._require("bad_words", ok, "words that are more than spaces")

    def _check_tokens(self) -> None:
        """Check the parameters about tokens, and logits processors."""
        self._require("stop_token_ids", all(map(_is_token, self.stop_token_ids or ())), "integers of 0 or more")
        allowed = self.allowed_token_ids
        ok = allowed is None or all(map(_is_token, allowed))
        self._require("allowed_token_ids", ok, "integers of 0 or more, or None")
        self._require("allowed_token_ids", allowed is None or len(allowed) > 0, "at least one token, or None for all")
        # vLLM's range, from the integers that its messages between processes can encode.
        ok = all(-(2**63) <= each < 2**64 for each in _integers(self.extra_args))
        self._require("extra_args", ok, "integers from -2**63 to 2**64 - 1")
        ok = all(map(_processes, self.logits_processors or ()))
        instead = "functions of (generated tokens, logits) or (prompt, generated tokens, logits); classes, which see "
        self._require("logits_processors", ok, instead + "all requests, go to LLM(..., logits_processors=...)")

    def _require(self, name: str, condition: bool, expected: str) -> None:
        if not condition:
            raise ConfigError(f"SamplingParams: {name} is {getattr(self, name)!r:.200}, expected {expected}")

    @classmethod
    def from_optional(cls, **given: Any) -> SamplingParams:
        """Make parameters from a client's request: None stands for the default, and keys of logit_bias may be texts.

        Biases are clamped to [-100, 100].

        Raises:
            ConfigError: as the constructor, and for keys that are not integers.
        """
        for name in ("n", "presence_penalty", "frequency_penalty", "repetition_penalty", "temperature", "top_p"):
            if given.get(name, 0) is None:
                del given[name]
        if isinstance(bias := given.get("logit_bias"), Mapping):
            try:
                given["logit_bias"] = {int(token): min(100.0, max(-100.0, each)) for token, each in bias.items()}
            except (TypeError, ValueError):
                raise ConfigError(
                    f"SamplingParams: logit_bias is {bias!r:.200}, expected finite numbers by token id"
                ) from None
        return cls(**given)

    def verify(
        self,
        model_config: Any,
        speculative_config: object = None,
        structured_outputs_config: object = None,
        tokenizer: Any = None,
    ) -> None:
        """Check the parameters against a model, as an engine does when a request is added; vLLM's name and order.

        Grammars are not compiled here; only an engine can do that.

        Args:
            model_config: object with `get_vocab_size()` and optionally the limit `max_logprobs` (-1: none), such as
                `VllmConfig.model_config`.
            speculative_config, structured_outputs_config: accepted for vLLM's callers and unused, because no parameter
                depends on the drafting method, and there is only one grammar backend.
            tokenizer: transformers' tokenizer; None: parameters about texts are refused.

        Raises:
            RequestError: a parameter that an engine with this model would refuse.
        """
        size, most = model_config.get_vocab_size(), getattr(model_config, "max_logprobs", -1)
        for name in ("logprobs", "prompt_logprobs"):
            value = getattr(self, name)
            count = size if value == -1 else value
            if count is not None and most != -1 and count > most:
                raise RequestError(f"SamplingParams: {name} is {value}, expected at most {most}, max_logprobs")
        for name in ("stop_token_ids", "allowed_token_ids", "logit_bias"):
            for token in getattr(self, name) or ():
                if token >= size:
                    raise RequestError(f"SamplingParams: {name} has {token}, expected 0 to {size - 1}")
        for name in ("stop", "bad_words"):
            if (texts := getattr(self, name)) and tokenizer is None:
                raise RequestError(f"SamplingParams: {name} is {texts!r:.200}, which needs a tokenizer")
        if self.structured_outputs is not None and tokenizer is None:
            raise RequestError("SamplingParams: structured_outputs is given, which needs a tokenizer")

    def clone(self) -> SamplingParams:
        """Return a validated copy that shares only the logits processors."""
        shared = {id(each): each for each in self.logits_processors or ()}
        copied = copy.deepcopy({each.name: getattr(self, each.name) for each in fields(self)}, shared)
        return SamplingParams(**copied)

    @property
    def num_completions(self) -> int:
        """Number of completions to compute."""
        return self.n if self.best_of is None else self.best_of

    @property
    def greedy(self) -> bool:
        """True if the most likely token is taken."""
        return self.temperature == 0.0

    @property
    def has_penalties(self) -> bool:
        """True if the logits depend on the tokens so far."""
        return bool(self.presence_penalty or self.frequency_penalty or self.repetition_penalty != 1.0)


# vLLM's parameters that torchpaged does not support: the values that are accepted, and the alternative.
_NOT_HERE: dict[str, tuple[tuple[object, ...], str]] = {
    "watermarking": ((None, False), "None or False: no watermark is put into texts"),
    "prompt_logprob_token_ids": ((None,), "None; LLM.score gives the logprobs of given tokens"),
    "prompt_logprob_start": ((None,), "None; prompt_logprobs_start says where prompt_logprobs begin"),
    "logprob_token_ids": ((None,), "None; logprobs=-1 gives those of all tokens"),
    "skip_reading_prefix_cache": ((None, False), "None or False; a cache_salt of its own keeps a request apart"),
    "repetition_detection": ((None,), "None; the penalties make repetitions less likely"),
    "routed_experts_prompt_start": ((0,), "0: which experts were taken is not reported"),
    "trace_decode_token_ids": ((None,), "None; LLM.score gives the logprobs of given tokens"),
}
# Parameters without an effect here, which help texts leave out.
WITHOUT_EFFECT = frozenset({*_NOT_HERE, "skip_clone"})
_FLAGS = (
    "ignore_eos",
    "flat_logprobs",
    "detokenize",
    "skip_special_tokens",
    "spaces_between_special_tokens",
    "include_stop_str_in_output",
    "skip_clone",
)


@_knows_its_names
@dataclass(frozen=True, slots=True, kw_only=True)
class BeamSearchParams:
    """Parameters of beam search, which keeps the `beam_width` most likely sequences at each step.

    Args:
        beam_width: number of beams, and of returned sequences; at most 16,384.
        max_tokens: maximum number of generated tokens.
        length_penalty: a finished sequence's score is its logprob divided by its length to this power; above 0 it
            favours longer ones.
        early_stopping: as in transformers: True stops as soon as `beam_width` sequences are finished; False once no
            running beam would beat them at its current length; "never" once none can at any length.
        ignore_eos: do not end sequences at the model's end-of-sequence token.

    Raises:
        ConfigError: a value is out of its range; the message has name, value and limit.
    """

    beam_width: int
    max_tokens: int = 16
    length_penalty: float = 1.0
    early_stopping: bool | str = False
    ignore_eos: bool = False

    def __post_init__(self) -> None:
        _make_plain(self)
        for name in ("beam_width", "max_tokens"):
            value = getattr(self, name)
            if not _is_int(value) or value < 1:
                raise ConfigError(f"BeamSearchParams: {name} is {value!r}, expected an integer of 1 or more")
        if self.beam_width > MOST_COMPLETIONS:
            raise ConfigError(
                f"BeamSearchParams: beam_width is {self.beam_width}, expected at most {MOST_COMPLETIONS} beams"
            )
        if not _is_real(self.length_penalty):
            raise ConfigError(f"BeamSearchParams: length_penalty is {self.length_penalty!r}, expected a number")
        if not isinstance(self.early_stopping, bool) and self.early_stopping != "never":
            raise ConfigError(
                f"BeamSearchParams: early_stopping is {self.early_stopping!r:.80}, expected True, False or 'never'"
            )
        if not isinstance(self.ignore_eos, bool):
            raise ConfigError(f"BeamSearchParams: ignore_eos is {self.ignore_eos!r:.80}, expected True or False")


@_knows_its_names
@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringParams:
    """Parameters of a request that scores given continuations of a prompt and generates nothing.

    Args:
        continuations: token ids, at least one continuation of at least one token.

    Raises:
        ConfigError: there is no continuation, or one without tokens.
    """

    continuations: Sequence[Sequence[int]]

    def __post_init__(self) -> None:
        given = self.continuations
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise ConfigError(f"ScoringParams: continuations is {given!r:.80}, expected sequences of token ids")
        continuations = tuple(_token_ids(f"continuations[{index}]", tokens) for index, tokens in enumerate(given))
        if not continuations:
            raise ConfigError("ScoringParams: continuations is empty, expected at least one")
        object.__setattr__(self, "continuations", continuations)


# vLLM's default limit.
MOST_COMPLETIONS = 16_384
# Maximum length of a stop string or a bad word: the time that a step spends on them grows with it.
MOST_LETTERS = 1024


def _token_ids(name: str, tokens: object) -> tuple[int, ...]:
    """Return token ids as plain integers; raise a ConfigError for anything else."""
    try:
        if isinstance(tokens, (str, bytes)) or not isinstance(tokens, Iterable):
            raise TypeError
        found = tuple(map(operator.index, tokens))
    except TypeError:
        raise ConfigError(f"ScoringParams: {name} is {tokens!r:.80}, expected a sequence of token ids") from None
    if not found:
        raise ConfigError(f"ScoringParams: {name} is empty, expected at least one token")
    return found


def _make_plain(params: object) -> None:
    """Replace numbers of numpy and other libraries by Python's."""
    for each in fields(params):  # type: ignore[arg-type]
        if type(value := getattr(params, each.name)) not in _PLAIN:
            object.__setattr__(params, each.name, _plain(value))


# Types whose values need no conversion; `isinstance` with the abstract number classes takes far longer.
_PLAIN = frozenset({bool, int, float, str, type(None), list, dict, RequestOutputKind})


def _plain(value: Any) -> Any:
    """Return a number as an int or float of Python; anything else as it is."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_token(value: object) -> bool:
    return _is_int(value) and value >= 0  # type: ignore[operator]


def _integers(value: object) -> Iterator[int]:
    """Yield the integers in nested dictionaries and sequences, keys included."""
    left, seen = [value], set[int]()
    while left:
        each = left.pop()
        if isinstance(each, int):
            yield each
        elif isinstance(each, (Mapping, list, tuple)) and id(each) not in seen:
            seen.add(id(each))
            left += [*each.keys(), *each.values()] if isinstance(each, Mapping) else each


def _processes(value: object) -> bool:
    """Return whether a value is a function of tokens and logits."""
    try:
        return callable(value) and not isinstance(value, type) and len(inspect.signature(value).parameters) >= 2
    except ValueError:  # a builtin function without a signature
        return False


def _is_real(value: object) -> bool:
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False
