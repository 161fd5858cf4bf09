"""SamplingParams: how a request's tokens are chosen and when it ends. Validated once, then trusted."""

from __future__ import annotations

import copy
import enum
import functools
import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, TypeVar

from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.structured_outputs import StructuredOutputsParams

_T = TypeVar("_T")


class RequestOutputKind(enum.Enum):
    """What `LLMEngine.step` returns of a request that got tokens."""

    CUMULATIVE = 0  # all there is of it
    DELTA = 1  # what came since the last time
    FINAL_ONLY = 2  # nothing before its end


def _knows_its_names(cls: type[_T]) -> type[_T]:
    """A class whose arguments of unknown names are refused with ConfigError, and what was perhaps meant."""
    known = tuple(each.name for each in fields(cls))  # type: ignore[arg-type]
    init = cls.__init__

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        for name in kwargs:
            if name not in known:
                hint = did_you_mean(name, known) or f"; there are {', '.join(known)}"
                raise ConfigError(f"{cls.__name__}: unknown parameter {name!r}{hint}")
        init(self, *args, **kwargs)

    cls.__init__ = checked  # type: ignore[method-assign]
    return cls


@_knows_its_names
@dataclass(slots=True)
class SamplingParams:
    """Names, meanings and order follow vLLM's. Numbers may be Python's or numpy's.

    Attributes may be set until the parameters are used: what a request takes is a copy, validated again.

    Args:
        n: completions of the prompt, at most 16,384.
        presence_penalty, frequency_penalty: subtracted once, or by count, from tokens already generated, [-2, 2].
        repetition_penalty: divides (multiplies) positive (negative) logits of tokens in prompt and output, > 0.
        temperature: 0 is greedy; otherwise logits are divided by it.
        top_p: the smallest set of tokens whose probability reaches this, (0, 1].
        top_k: the k likeliest tokens; 0 or -1: all.
        min_p: tokens at least this likely relative to the likeliest, [0, 1]. The filters are applied as transformers
            does: top-k, then top-p among what is left, then min-p among what is left of that (vLLM takes min-p first).
        seed: of this request's own random numbers; completion i of n uses `seed + i`.
        stop: strings that end the text, of at most 1,024 letters each; the string itself is cut off.
        stop_token_ids: tokens that end it; the token is kept in `token_ids`, not in the text.
        ignore_eos: the model's end-of-sequence token does not end the request.
        max_tokens: generated tokens at most; None: as many as the model has positions for.
        min_tokens: no end-of-sequence and no stop before as many.
        logprobs: alternatives to return for each token, beside the token's own; -1: the whole vocabulary; None: no
            logprobs. They are of the model's distribution, before all that changes it here but `structured_outputs`.
        prompt_logprobs: the same for the prompt's tokens.
        structured_outputs: what the text must be: JSON by a schema, a choice, a grammar; or a dictionary of that.
        flat_logprobs: logprobs come as `FlatLogprobs`, few objects for many numbers.
        detokenize: whether there is a text; without it no stop strings, and logprobs without the tokens' texts.
        skip_special_tokens: the text is without special tokens.
        spaces_between_special_tokens: whether a special token behind another keeps the space before it that some
            tokenizers put there.
        include_stop_str_in_output: what ends the text, a string or a token of `stop_token_ids`, belongs to it.
        output_kind: what a step returns of it.
        stream_interval: tokens that come at least before the next output of a request, but for its first and last.
        logit_bias: by token, what is added to its logit.
        allowed_token_ids: the only tokens that may be chosen; None: all.
        extra_args: for logits processors, which find it here; by name.
        bad_words: texts that may not be generated: the last token of one, as its beginning or behind a space, is
            forbidden where the others have just been generated. At most 1,024 letters each.
        best_of: completions to compute, of which the n with the highest cumulative logprob are returned; None: n.
        prompt_logprobs_start: position of the first prompt token whose logprobs are wanted; the first token has none.
        truncate_prompt_tokens: the prompt's last tokens that are kept, as many at most; -1: as many as leave room for
            max_tokens, or for one token if that is None; None: all, and a prompt that is too long is refused.
        logits_processors: functions of (generated tokens, logits) or (prompt, generated tokens, logits), [vocab_size]
            float32, that return the logits to go on with. They run in this process, one request at a time.
        num_speculative_tokens: tokens that are guessed ahead in a step at most; 0: none; None: as the engine's
            speculative_config says.

    The others are vLLM's names for what there is none of here: they take the value that asks for nothing.

    Raises:
        ConfigError: a value out of its range, with name, value and limit; a name that there is none of.
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

    def __post_init__(self) -> None:
        self._make_lists()
        _make_plain(self)
        if _is_int(self.seed) and self.seed == -1:  # vLLM's other word for none
            self.seed = None
        for name, (nothing, instead) in _NOT_HERE.items():
            value = getattr(self, name)
            # An array says of each of its elements whether it equals something.
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

    def _make_lists(self) -> None:
        """Containers of whatever kind as lists and dictionaries of the parameters' own."""
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
        """How many completions and tokens."""
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
        kept = self.truncate_prompt_tokens
        ok = kept is None or (_is_int(kept) and (kept >= 1 or kept == -1))
        self._require("truncate_prompt_tokens", ok, "an integer of 1 or more, -1 for what has room, or None")

    def _check_numbers(self) -> None:
        """How tokens are drawn."""
        self._require("temperature", _is_real(self.temperature) and self.temperature >= 0, "a number of 0 or more")
        self._require("top_p", _is_real(self.top_p) and 0 < self.top_p <= 1, "a number in (0, 1]")
        self._require("top_k", _is_int(self.top_k) and self.top_k >= -1, "an integer of 1 or more, or 0 for all")
        self._require("min_p", _is_real(self.min_p) and 0 <= self.min_p <= 1, "a number in [0, 1]")
        # The last of n completions has the highest seed.
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
        """What ends a text, and what it looks like."""
        self._require("output_kind", isinstance(self.output_kind, RequestOutputKind), "a RequestOutputKind")
        for name in ("stop", "bad_words"):
            self._require(
                name, all(isinstance(each, str) and each for each in getattr(self, name)), "non-empty strings"
            )
            for place, each in enumerate(getattr(self, name)):
                if len(each) > MOST_LETTERS:
                    raise ConfigError(
                        f"SamplingParams: {name}[{place}] has {len(each)} letters, expected at most {MOST_LETTERS}"
                    )
        ok = self.detokenize or not self.stop
        self._require("stop", ok, "no stop strings where detokenize is False; leave one of them out")
        ok = all(word.strip() for word in self.bad_words or ())
        self._require("bad_words", ok, "words that are more than spaces")

    def _check_tokens(self) -> None:
        """Tokens, and functions over them."""
        self._require("stop_token_ids", all(map(_is_token, self.stop_token_ids or ())), "integers of 0 or more")
        allowed = self.allowed_token_ids
        ok = allowed is None or all(map(_is_token, allowed))
        self._require("allowed_token_ids", ok, "integers of 0 or more, or None")
        self._require("allowed_token_ids", allowed is None or len(allowed) > 0, "at least one token, or None for all")
        ok = all(map(_processes, self.logits_processors or ()))
        instead = "functions of (generated tokens, logits) or (prompt, generated tokens, logits); classes, which see "
        self._require("logits_processors", ok, instead + "all requests, go to LLM(..., logits_processors=...)")

    def _require(self, name: str, condition: bool, expected: str) -> None:
        if not condition:
            raise ConfigError(f"SamplingParams: {name} is {getattr(self, name)!r:.200}, expected {expected}")

    @classmethod
    def from_optional(cls, **given: Any) -> SamplingParams:
        """Of what a client has sent: None stands for the default, and logit_bias may have text for keys.

        Raises:
            ConfigError: as the class itself, and for keys that are no integers. Biases are cut to [-100, 100].
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

    def clone(self) -> SamplingParams:
        """A copy that shares nothing but its logits processors; validated."""
        shared = {id(each): each for each in self.logits_processors or ()}
        copied = copy.deepcopy({each.name: getattr(self, each.name) for each in fields(self)}, shared)
        return SamplingParams(**copied)

    @property
    def num_completions(self) -> int:
        """How many are computed."""
        return self.n if self.best_of is None else self.best_of

    @property
    def greedy(self) -> bool:
        """Whether the likeliest token is taken."""
        return self.temperature == 0.0

    @property
    def has_penalties(self) -> bool:
        """Whether the tokens so far change the logits."""
        return bool(self.presence_penalty or self.frequency_penalty or self.repetition_penalty != 1.0)


# What vLLM has a name for and we do not do: the values that ask for nothing, and what there is instead.
_NOT_HERE: dict[str, tuple[tuple[object, ...], str]] = {
    "watermarking": ((None, False), "None or False: no watermark is put into texts"),
    "prompt_logprob_token_ids": ((None,), "None; LLM.score gives the logprobs of given tokens"),
    "prompt_logprob_start": ((None,), "None; prompt_logprobs_start says where prompt_logprobs begin"),
    "logprob_token_ids": ((None,), "None; logprobs=-1 gives those of all tokens"),
    "skip_reading_prefix_cache": ((None, False), "None or False; a cache_salt of its own keeps a request apart"),
    "thinking_token_budget": ((None, -1), "None or -1 for no budget; max_tokens counts all tokens"),
    "repetition_detection": ((None,), "None; the penalties make repetitions less likely"),
    "routed_experts_prompt_start": ((0,), "0: which experts were taken is not reported"),
    "trace_decode_token_ids": ((None,), "None; LLM.score gives the logprobs of given tokens"),
}
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
    """The likeliest continuations, found by keeping the best `beam_width` at each step.

    Args:
        beam_width: sequences that live at once, and that are returned; at most 16,384.
        max_tokens: generated tokens at most.
        length_penalty: a finished sequence's score is its logprob over its length to this power: above 0 longer ones
            gain.
        early_stopping: as transformers': True ends as soon as `beam_width` sequences are finished, even if a living one
            might beat them; False once no living one would, ended where it is; "never" once none can, however long it
            becomes.
        ignore_eos: the model's end-of-sequence token ends no sequence.

    Raises:
        ConfigError: a value out of its range, with name, value and limit.
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
    """How likely each of some given continuations of a prompt is: nothing is generated.

    Args:
        continuations: token ids, at least one continuation of at least one token.

    Raises:
        ConfigError: no continuation, or one without tokens.
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


# What vLLM allows by default.
MOST_COMPLETIONS = 16_384
# Of a stop string, or a bad word: what a step spends on them grows with it.
MOST_LETTERS = 1024


def _token_ids(name: str, tokens: object) -> tuple[int, ...]:
    """Token ids as plain integers; ConfigError for anything else."""
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
    """Numbers of numpy and its like become Python's."""
    for each in fields(params):  # type: ignore[arg-type]
        if type(value := getattr(params, each.name)) not in _PLAIN:
            object.__setattr__(params, each.name, _plain(value))


# Whose values are as they are to be: whether another one is a number takes far longer to tell.
_PLAIN = frozenset({bool, int, float, str, type(None), list, dict, RequestOutputKind})


def _plain(value: Any) -> Any:
    """A number as Python's own; anything else as it is."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_token(value: object) -> bool:
    return _is_int(value) and value >= 0  # type: ignore[operator]


def _processes(value: object) -> bool:
    """Whether it is a function that can be told tokens and logits."""
    try:
        return callable(value) and not isinstance(value, type) and len(inspect.signature(value).parameters) >= 2
    except ValueError:  # a function that does not say what it takes
        return False


def _is_real(value: object) -> bool:
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer that no float holds
        return False
