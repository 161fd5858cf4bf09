"""SpeculativeConfig: whether and how tokens are guessed ahead, in vLLM's words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from torchpaged.errors import ConfigError, did_you_mean

# More rows than these cost as much as the tokens that they may bring.
MOST_DRAFTS = 15
# The method whose guesses are computed.
DRAFT_MODEL = "draft_model"
# Those of the model's own head for further tokens.
MTP = "mtp"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculativeConfig:
    """How tokens are guessed. The text of an exact model is the same whatever is guessed.

    Args:
        method: "ngram", "suffix", "draft_model", "mtp" (the model's own head for further tokens), or the name of a
            proposer that `register_proposer` or an installed package has named.
        model: of "draft_model", which need not be named then: a smaller model with the same tokens, as `LLM` takes one.
        num_speculative_tokens: guessed tokens of one sequence in a step at most, 1 to 15; how many of them are tried
            follows from what they cost and how often they hold.
        prompt_lookup_min, prompt_lookup_max: of "ngram" (the first of "suffix" too): how many of the last tokens must
            have stood in the text before, and how many are looked for. By default 2 and 5; one alone is both.
        suffix_decoding_max_cached_requests: of "suffix": of how many requests that have ended the outputs are searched
            too, by requests with the same cache salt; 0: each is guessed from its own text alone.
        allow_inexact: whether a model may be used whose rows depend on how many a step has: where two tokens are as
            likely, another may come than without.
        options: of a proposer of one's own.

    Raises:
        ConfigError: a value out of its range, with name, value and limit; a name that there is none of.
    """

    method: str
    num_speculative_tokens: int = MOST_DRAFTS
    prompt_lookup_min: int | None = None
    prompt_lookup_max: int | None = None
    allow_inexact: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    model: Any = None
    suffix_decoding_max_cached_requests: int = 0

    def __post_init__(self) -> None:
        self._require("method", isinstance(self.method, str) and bool(self.method), "'ngram', 'suffix' or a name")
        if self.model is None:
            self._require("method", self.method != DRAFT_MODEL, "a model beside it: the smaller one that guesses")
        else:
            self._require("method", self.method == DRAFT_MODEL, f"{DRAFT_MODEL!r} with a model, or no model")
        count = self.num_speculative_tokens
        self._require(
            "num_speculative_tokens",
            type(count) is int and 1 <= count <= MOST_DRAFTS,
            f"an integer from 1 to {MOST_DRAFTS}",
        )
        for name in ("prompt_lookup_min", "prompt_lookup_max"):
            value = getattr(self, name)
            self._require(name, value is None or (type(value) is int and value >= 1), "an integer of 1 or more")
        shortest, longest = self.prompt_lookup
        self._require("prompt_lookup_min", shortest <= longest, f"at most prompt_lookup_max, {longest}")
        cached = self.suffix_decoding_max_cached_requests
        name = "suffix_decoding_max_cached_requests"
        self._require(name, type(cached) is int and cached >= 0, "an integer of 0 or more")
        self._require(name, not cached or self.method == "suffix", "0, or the method 'suffix'")
        self._require("allow_inexact", isinstance(self.allow_inexact, bool), "True or False")
        self._require("options", isinstance(self.options, Mapping), "a dictionary")

    @property
    def computes(self) -> bool:
        """Whether guesses are computed beside the model, and not found."""
        return self.method in (DRAFT_MODEL, MTP)

    @property
    def prompt_lookup(self) -> tuple[int, int]:
        """(tokens that must agree, tokens that are looked for)"""
        shortest, longest = self.prompt_lookup_min, self.prompt_lookup_max
        if shortest is None and longest is None:
            return 2, 5
        return shortest or longest or 0, longest or shortest or 0

    @classmethod
    def of(cls, given: Any) -> SpeculativeConfig:
        """Of a dictionary, as vLLM takes it, or as it is."""
        if isinstance(given, SpeculativeConfig):
            return given
        if not isinstance(given, Mapping):
            raise ConfigError(f"EngineConfig: speculative_config is {given!r:.80}, expected a dictionary or None")
        known = [each.name for each in fields(cls)]
        for name, value in given.items():
            if name not in known and value is not None:
                hint = did_you_mean(str(name), known) or f", expected some of {', '.join(known)}"
                raise ConfigError(f"EngineConfig: speculative_config has {name!r}{hint}")
        if given.get("model") is not None:
            given = {"method": DRAFT_MODEL, **given}
        if "method" not in given:
            raise ConfigError(
                f"EngineConfig: speculative_config is {dict(given)!r:.80}, expected a method among it: 'ngram', "
                "'suffix' or the name of a proposer"
            )
        return cls(**{name: value for name, value in given.items() if value is not None})

    def _require(self, name: str, condition: bool, expected: str) -> None:
        if not condition:
            raise ConfigError(
                f"EngineConfig: speculative_config has {name}={getattr(self, name)!r:.80}, expected {expected}"
            )
