"""SpeculativeConfig: the settings of speculative decoding, under vLLM's names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from torchpaged.errors import ConfigError, did_you_mean

# With more drafts per step, computing them costs as much as the accepted ones save.
MOST_DRAFTS = 15
# The method whose drafts come from a model.
DRAFT_MODEL = "draft_model"
# Methods that use the model's own head for multi-token prediction.
MTP = "mtp"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculativeConfig:
    """Settings of speculative decoding. A batch-invariant model generates the same text with any of them.

    Args:
        method: "ngram", "suffix", "draft_model", "mtp" (the model's own head for multi-token prediction), or the name
            of a proposer that `register_proposer` or an installed package has registered.
        model: a smaller model with the same vocabulary, given as to `LLM`; implies the method "draft_model".
        num_speculative_tokens: maximum number of draft tokens per sequence and step, 1 to 15; the number that is tried
            follows from their measured cost and acceptance rate.
        prompt_lookup_min, prompt_lookup_max: for "ngram" (the first for "suffix" too): minimum and maximum number of
            last tokens to find earlier in the text. By default 2 and 5; one alone sets both.
        suffix_decoding_max_cached_requests: for "suffix": number of finished requests whose outputs are searched too,
            by requests with the same cache salt and adapter; 0: each request searches only its own text.
        allow_inexact: allow models whose rows depend on the batch size; near-ties may then be decided differently
            than without speculation.
        options: options of a registered proposer.

    Raises:
        ConfigError: a value is out of its range, or a name is unknown; the message has name, value and limit.
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
            self._require("method", self.method != DRAFT_MODEL, "a model beside it: the smaller one that drafts")
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
        """True if drafts are computed by a model or head, not looked up."""
        return self.method in (DRAFT_MODEL, MTP)

    @property
    def prompt_lookup(self) -> tuple[int, int]:
        """Minimum and maximum number of tokens that n-gram lookup matches."""
        shortest, longest = self.prompt_lookup_min, self.prompt_lookup_max
        if shortest is None and longest is None:
            return 2, 5
        return shortest or longest or 0, longest or shortest or 0

    @classmethod
    def of(cls, given: Any) -> SpeculativeConfig:
        """Make a config from a dictionary, in vLLM's format; return a SpeculativeConfig as it is."""
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
                f"EngineConfig: speculative_config is {dict(given)!r:.80}, expected one with a method: 'ngram', "
                "'suffix' or the name of a proposer"
            )
        return cls(**{name: value for name, value in given.items() if value is not None})

    def _require(self, name: str, condition: bool, expected: str) -> None:
        if not condition:
            raise ConfigError(
                f"EngineConfig: speculative_config has {name}={getattr(self, name)!r:.80}, expected {expected}"
            )
