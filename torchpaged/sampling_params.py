"""SamplingParams: how a request's tokens are chosen and when it ends. Validated once, then trusted."""

from __future__ import annotations

import enum
import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any

from torchpaged.errors import ConfigError


class RequestOutputKind(enum.Enum):
    """What `LLMEngine.step` returns of a request that got tokens."""

    CUMULATIVE = 0  # all there is of it
    DELTA = 1  # what came since the last time
    FINAL_ONLY = 2  # nothing before its end


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingParams:
    """Names and meanings follow vLLM's.

    Numbers may be Python's or numpy's.

    Args:
        n: completions of the prompt, at most 16,384.
        best_of: completions to compute, of which the n with the highest cumulative logprob are returned; None: n.
        temperature: 0 is greedy; otherwise logits are divided by it.
        top_p: the smallest set of tokens whose probability reaches this, (0, 1].
        top_k: the k likeliest tokens; 0 or -1: all.
        min_p: tokens at least this likely relative to the likeliest, [0, 1]. The filters are applied as transformers
            does: top-k, then top-p among what is left, then min-p among what is left of that (vLLM takes min-p first).
        seed: of this request's own random numbers; completion i of n uses `seed + i`.
        stop: strings that end the text; the string itself is cut off.
        stop_token_ids: tokens that end it; the token is kept in `token_ids`, not in the text.
        max_tokens: generated tokens at most.
        min_tokens: no end-of-sequence and no stop before as many.
        logprobs: alternatives to return for each token, beside the token's own; None: no logprobs.
            They are of the model's distribution, before temperature and penalties.
        prompt_logprobs: the same for the prompt's tokens.
        prompt_logprobs_start: position of the first prompt token whose logprobs are wanted; the first token has none.
        presence_penalty, frequency_penalty: subtracted once, or by count, from tokens already generated, [-2, 2].
        repetition_penalty: divides (multiplies) positive (negative) logits of tokens in prompt and output, > 0.
        ignore_eos: the model's end-of-sequence token does not end the request.
        output_kind: what a step returns of it.

    Raises:
        ConfigError: a value out of its range, with name, value and limit.
    """

    n: int = 1
    best_of: int | None = None
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    seed: int | None = None
    stop: str | Sequence[str] = ()
    stop_token_ids: Sequence[int] = ()
    max_tokens: int = 16
    min_tokens: int = 0
    logprobs: int | None = None
    prompt_logprobs: int | None = None
    prompt_logprobs_start: int = 1
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    ignore_eos: bool = False
    output_kind: RequestOutputKind = RequestOutputKind.CUMULATIVE

    def __post_init__(self) -> None:
        stop = (self.stop,) if isinstance(self.stop, str) else self.stop
        for name, value in (("stop", stop), ("stop_token_ids", self.stop_token_ids)):
            self._require(name, value is None or isinstance(value, Iterable), "a sequence")
            object.__setattr__(self, name, () if value is None else tuple(value))  # vLLM takes None too
        _make_plain(self)
        object.__setattr__(self, "stop_token_ids", tuple(map(_plain, self.stop_token_ids)))
        for name in ("n", "max_tokens"):
            self._require(name, _is_int(getattr(self, name)) and getattr(self, name) >= 1, "an integer of 1 or more")
        self._require("n", self.n <= MOST_COMPLETIONS, f"at most {MOST_COMPLETIONS} completions; add more requests")
        ok = _is_int(self.min_tokens) and 0 <= self.min_tokens <= self.max_tokens
        self._require("min_tokens", ok, f"an integer from 0 to max_tokens, {self.max_tokens}")
        self._require("temperature", _is_real(self.temperature) and self.temperature >= 0, "a number of 0 or more")
        self._require("top_p", _is_real(self.top_p) and 0 < self.top_p <= 1, "a number in (0, 1]")
        self._require("top_k", _is_int(self.top_k) and self.top_k >= -1, "an integer of 1 or more, or 0 for all")
        self._require("min_p", _is_real(self.min_p) and 0 <= self.min_p <= 1, "a number in [0, 1]")
        # The last of n completions has the highest seed.
        ok = self.best_of is None or (_is_int(self.best_of) and self.best_of >= self.n)
        self._require("best_of", ok, f"an integer of n, {self.n}, or more, or None")
        ok = self.num_completions <= MOST_COMPLETIONS
        self._require("best_of", ok, f"at most {MOST_COMPLETIONS} completions; add more requests")
        ok = self.seed is None or (_is_int(self.seed) and -(2**63) <= self.seed <= 2**63 - self.num_completions)
        self._require("seed", ok, "an integer from -2**63 to 2**63 less the number of completions, or None")
        for name in ("logprobs", "prompt_logprobs"):
            value = getattr(self, name)
            self._require(name, value is None or (_is_int(value) and value >= 0), "an integer of 0 or more, or None")
        ok = _is_int(self.prompt_logprobs_start) and self.prompt_logprobs_start >= 1
        self._require("prompt_logprobs_start", ok, "an integer of 1 or more")
        for name in ("presence_penalty", "frequency_penalty"):
            value = getattr(self, name)
            self._require(name, _is_real(value) and -2 <= value <= 2, "a number in [-2, 2]")
        ok = _is_real(self.repetition_penalty) and self.repetition_penalty > 0
        self._require("repetition_penalty", ok, "a number above 0")
        self._require("output_kind", isinstance(self.output_kind, RequestOutputKind), "a RequestOutputKind")
        self._require("stop", all(isinstance(s, str) and s for s in self.stop), "non-empty strings")
        self._require(
            "stop_token_ids", all(_is_int(t) and t >= 0 for t in self.stop_token_ids), "integers of 0 or more"
        )

    def _require(self, name: str, condition: bool, expected: str) -> None:
        if not condition:
            raise ConfigError(f"SamplingParams: {name} is {getattr(self, name)!r}, expected {expected}")

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


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamSearchParams:
    """The likeliest continuations, found by keeping the best `beam_width` at each step.

    Args:
        beam_width: sequences that live at once, and that are returned.
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
        if not _is_real(self.length_penalty):
            raise ConfigError(f"BeamSearchParams: length_penalty is {self.length_penalty!r}, expected a number")
        if not isinstance(self.early_stopping, bool) and self.early_stopping != "never":
            raise ConfigError(
                f"BeamSearchParams: early_stopping is {self.early_stopping!r:.80}, expected True, False or 'never'"
            )
        if not isinstance(self.ignore_eos, bool):
            raise ConfigError(f"BeamSearchParams: ignore_eos is {self.ignore_eos!r:.80}, expected True or False")


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
        object.__setattr__(params, each.name, _plain(getattr(params, each.name)))


def _plain(value: Any) -> Any:
    """A number as Python's own; anything else as it is."""
    if type(value) in (bool, int, float):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_real(value: object) -> bool:
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer that no float holds
        return False
