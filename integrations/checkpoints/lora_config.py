"""LoraConfig: peft's adapter_config.json, read without peft and checked as untrusted input.

Options that change numbers and are not done here accept only their default; any other value raises an error that names
the option. Patterns are matched by peft's rules, within a limit on the time that all matches of a file take.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import regex
import torch

from torchpaged.errors import ModelError, did_you_mean, reason_of

# Modules that peft leaves out of "all-linear" because they are a model's output embedding, or its classifier.
HEADS = ("lm_head", "embed_out", "score", "classifier")
_ALL_LINEAR = "all-linear"
_LONGEST_PATTERN = 1 << 14
# Real patterns take less than a second; hostile ones can take centuries.
_SECONDS = 10.0
# Initialisations that leave the base model's weights as they are.
_PLAIN_INITS = ("gaussian", "eva", "orthogonal", "mica")
_CONVERT = (
    "convert the adapter with peft's save_pretrained(..., path_initial_model_for_weight_conversion=...), or load the "
    "changed base model and set init_lora_weights to true"
)
# Options that change numbers, and what is needed instead. They may be absent, null, false or empty.
_REFUSED = {
    "use_dora": "it needs the norm of each row of the merged weight, and scales the base model's own products by it; "
    "merge the adapter into the model (merge_and_unload), or train without it",
    "lora_bias": "a bias of lora_B is not added; train without it",
    "modules_to_save": "whole modules cannot be replaced; train with LoRA on them, or merge them into the model",
    "trainable_token_indices": "rows of the embedding cannot be replaced; merge the adapter into the model",
    "target_parameters": "only linear modules are adapted, not parameters such as those of fused experts and routers; "
    "train on the modules of attention alone, or merge the adapter into the model",
    "layer_replication": "the model's layers cannot be repeated",
    "alora_invocation_tokens": "an adapter cannot begin at a token (aLoRA)",
    "use_qalora": "inputs are not pooled (QALoRA); train without it",
    "use_bdlora": "block-diagonal tensors are not read (BD-LoRA); save them as whole ones",
    "arrow_config": "adapters are not routed (Arrow)",
    "kasa_config": "it changes the base model's weights (KaSA)",
    "monteclora_config": "updates are not sampled (MonteCLoRA)",
    "megatron_config": "Megatron's layers are not adapted",
}
# Options that only matter while an adapter is trained, or that describe it.
_WITHOUT_EFFECT = (
    "lora_dropout", "eva_config", "corda_config", "lora_ga_config", "loftq_config", "velora_config", "runtime_config",
)  # fmt: skip
_EMBEDDINGS = (
    "as virtual tokens are a part of the prompt: read them with checkpoints.prompt_tuning.read_prompt_embeddings, and "
    "pass them before the text's own as prompt_embeds"
)
_OTHER_KINDS = {
    "PROMPT_TUNING": _EMBEDDINGS,
    "P_TUNING": _EMBEDDINGS,
    "PREFIX_TUNING": "as keys and values that no token gives cannot be computed again when their blocks are evicted",
}


@dataclass(frozen=True, slots=True)
class LoraConfig:
    """Ranks, scales and targets of an adapter.

    Args:
        where: what has the config, the beginning of errors: "adapter 'PATH': adapter_config.json".
        r, lora_alpha: where no pattern matches.
        target_modules: names or their ends; a string is a regular expression, or "all-linear".
        exclude_modules: as `target_modules`.
        layers: numbers of the layers that are adapted; None: all.
        layers_patterns: regular expressions of the name before a layer's number; empty: any.
        rank_pattern, alpha_pattern: by a regular expression of a name's end; the first that matches counts.
        use_rslora: whether the scale is alpha / sqrt(rank).
    """

    where: str
    r: int
    lora_alpha: float
    target_modules: frozenset[str] | str
    exclude_modules: frozenset[str] | str = frozenset()
    layers: frozenset[int] | None = None
    layers_patterns: tuple[str, ...] = ()
    rank_pattern: Mapping[str, int] = field(default_factory=dict)
    alpha_pattern: Mapping[str, float] = field(default_factory=dict)
    use_rslora: bool = False
    _patterns: _Patterns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_patterns", _Patterns(self.where))

    @classmethod
    def of(cls, where: str, values: Mapping[str, Any]) -> LoraConfig:
        """Check the values of a config: a file's, or one in memory, where lists may be sets and tuples.

        Raises:
            ModelError: a value that cannot be, or asks for something that is not done.
        """
        lists = {
            key: sorted(each, key=str) if isinstance(each, (set, frozenset)) else list(each)
            for key, each in values.items()
            if isinstance(each, (set, frozenset, tuple))
        }
        return _Values(where, {**values, **lists}).config()

    @property
    def targets(self) -> str:
        """The place of the adapted modules' names, for errors."""
        return f"target_modules of {self.where.rpartition(': ')[2]}"

    def renamed(self, names: Mapping[str, str]) -> LoraConfig:
        """Return the config with the target modules of other names, if they are a list."""
        if isinstance(self.target_modules, str):
            return self
        return replace(self, target_modules=frozenset(names.get(each, each) for each in self.target_modules))

    def is_target(self, name: str) -> bool:
        """Tell if a linear module is adapted."""
        if self._is_among(name, "exclude_modules", self.exclude_modules):
            return False
        targets = self.target_modules
        if isinstance(targets, str):
            if targets.lower() == _ALL_LINEAR:
                return name.rpartition(".")[2] not in HEADS
            return self._patterns.fullmatch("target_modules", targets, name)
        # As in peft, a whole name is a target in whatever layer it lies.
        return name in targets or (self._is_among(name, "target_modules", targets) and self._is_in_layers(name))

    def rank_of(self, name: str) -> int:
        """Return a module's rank."""
        key = self._pattern_of("rank_pattern", self.rank_pattern, name)
        return self.r if key is None else self.rank_pattern[key]

    def scale_of(self, name: str) -> float:
        """Return the factor of a module's update."""
        key = self._pattern_of("alpha_pattern", self.alpha_pattern, name)
        alpha, rank = self.lora_alpha if key is None else self.alpha_pattern[key], self.rank_of(name)
        return alpha / (math.sqrt(rank) if self.use_rslora else rank)

    def _is_among(self, name: str, key: str, names: frozenset[str] | str) -> bool:
        if isinstance(names, str):
            return bool(names) and self._patterns.fullmatch(key, names, name)
        while name and name not in names:
            name = name.partition(".")[2]
        return bool(name)

    def _is_in_layers(self, name: str) -> bool:
        if self.layers is None:
            return True
        # peft takes the first number: later ones are of experts.
        for form in [rf"(?:^|.*?\.){each}\." for each in self.layers_patterns] or [r".*?\.[^.]*\."]:
            if found := self._patterns.match("layers_pattern", rf"{form}(?P<idx>\d+)\.", name):
                return len(found["idx"]) < 10 and int(found["idx"]) in self.layers
        return False

    def _pattern_of(self, key: str, patterns: Mapping[str, object], name: str) -> str | None:
        for pattern in patterns:
            if _can_end(pattern, name) and self._patterns.match(key, rf"(.*\.)?({pattern})$", name):
                return pattern
        return None


_PLAIN = re.compile(r"[A-Za-z0-9_.]+")


def _can_end(pattern: str, name: str) -> bool:
    """Return False if a pattern is a plain name with another end, without the time of a match."""
    return not _PLAIN.fullmatch(pattern) or name.endswith(pattern.rpartition(".")[2])


class _Patterns:
    """Compiled regular expressions of one file. All matches together have `_SECONDS`."""

    def __init__(self, where: str) -> None:
        self._where, self._left = where, _SECONDS
        self._compiled: dict[str, Any] = {}

    def fullmatch(self, key: str, pattern: str, name: str) -> bool:
        """Tell if a pattern matches all of a name."""
        return self._run(key, pattern, name, "fullmatch") is not None

    def match(self, key: str, pattern: str, name: str) -> Any:
        """Return the match of a pattern at the beginning of a name; None if there is none."""
        return self._run(key, pattern, name, "match")

    def _run(self, key: str, pattern: str, name: str, method: str) -> Any:
        begin = time.perf_counter()
        try:
            if self._left <= 0:
                raise TimeoutError
            return getattr(self._compile(key, pattern), method)(name, timeout=self._left)
        except (TimeoutError, MemoryError, RecursionError) as error:
            raise ModelError(
                f"{self._where} has patterns that take more than {_SECONDS:.0f} s or too much memory to match, at last "
                f"{pattern!r:.80} of {key}; name the modules in a list"
            ) from error
        finally:
            self._left -= time.perf_counter() - begin

    def _compile(self, key: str, pattern: str) -> Any:
        if pattern not in self._compiled:
            try:
                if len(pattern) > _LONGEST_PATTERN:
                    raise ValueError(f"it is longer than {_LONGEST_PATTERN}")
                # peft matches with `re`, which has no limit of time; a pattern must be valid for both.
                re.compile(pattern)
                self._compiled[pattern] = regex.compile(pattern)
            except Exception as error:  # each of the two has its own error, besides OverflowError and RecursionError
                raise ModelError(
                    f"{self._where} has {pattern!r:.80} in {key}, which is not a regular expression: "
                    f"{reason_of(error):.200}"
                ) from error
        return self._compiled[pattern]


class _Values:
    """Values of a file by key, checked one by one."""

    def __init__(self, where: str, values: dict[str, Any]) -> None:
        self._where, self._values = where, values

    def config(self) -> LoraConfig:
        """Return the config. ModelError for a value that cannot be, or is not supported."""
        self._require_lora()
        self._refuse()
        targets = self._names("target_modules")
        if not targets:
            raise self._wrong("target_modules", "names of modules, a regular expression or 'all-linear'")
        layers = self._get("layers_to_transform")
        layers = [layers] if type(layers) is int else layers
        if layers is not None and not (isinstance(layers, list) and all(type(each) is int for each in layers)):
            raise self._wrong("layers_to_transform", "numbers of layers")
        patterns = self._get("layers_pattern")
        patterns = [patterns] if isinstance(patterns, str) and patterns else patterns or []
        if not (isinstance(patterns, list) and all(isinstance(each, str) for each in patterns)):
            raise self._wrong("layers_pattern", "names")
        if isinstance(targets, str) and (layers or patterns):
            raise self._wrong("target_modules", "a list, as there is layers_to_transform or layers_pattern")
        if patterns and not layers:
            raise self._wrong("layers_pattern", "nothing, as layers_to_transform is empty")
        return LoraConfig(
            where=self._where,
            r=self._rank("r", self._get("r")),
            lora_alpha=self._alpha("lora_alpha", self._get("lora_alpha")),
            target_modules=targets,
            exclude_modules=self._names("exclude_modules"),
            layers=frozenset(layers) if layers else None,
            layers_patterns=tuple(patterns),
            rank_pattern={key: self._rank(f"rank_pattern {key!r:.80}", each) for key, each in self._by("rank_pattern")},
            alpha_pattern={
                key: self._alpha(f"alpha_pattern {key!r:.80}", each) for key, each in self._by("alpha_pattern")
            },
            use_rslora=self._flag("use_rslora"),
        )

    def _get(self, key: str) -> Any:
        return self._values.get(key)

    def _wrong(self, key: str, expected: str) -> ModelError:
        found = f"{self._values[key]!r:.80}" if key in self._values else "nothing"
        return ModelError(f"{self._where} has {key} {found}, expected {expected}")

    def _require_lora(self) -> None:
        kind = self._values.get("peft_type", "LORA")  # vLLM reads files without it
        if kind != "LORA":
            reason = _OTHER_KINDS.get(str(kind), "the only kind of adapter that requests can have")
            raise self._wrong("peft_type", f"'LORA', {reason}")

    def _refuse(self) -> None:
        """Raise ModelError for options whose numbers would be others."""
        for key, reason in _REFUSED.items():
            if self._get(key):
                raise ModelError(f"{self._where} has {key} {self._get(key)!r:.80}, which is not supported: {reason}")
        if self._values.get("bias", "none") != "none":
            raise self._wrong("bias", "'none': biases of the base model cannot be replaced")
        self._flag("fan_in_fan_out")  # how the base stores its weight: A and B are the same
        init = self._values.get("init_lora_weights", True)
        if not (init is None or isinstance(init, bool) or init in _PLAIN_INITS):
            raise self._wrong("init_lora_weights", f"true: others change the base model's weights; {_CONVERT}")
        # Unknown options of a newer peft that look like a variant of LoRA. Other tools add notes of their own.
        known = (*LoraConfig.__dataclass_fields__, *_REFUSED, *_WITHOUT_EFFECT, "init_lora_weights")
        for key, value in self._values.items():
            is_variant = key.startswith(("use_", "lora_")) or key.endswith("_config")
            if value and is_variant and key not in known:
                raise ModelError(
                    f"{self._where} has {key[:80]!r} {value!r:.80}, which is not known{did_you_mean(key, known)}"
                )

    def _flag(self, key: str) -> bool:
        value = self._get(key)
        if not (value is None or isinstance(value, bool)):
            raise self._wrong(key, "true or false")
        return bool(value)

    def _names(self, key: str) -> frozenset[str] | str:
        value = self._get(key)
        if isinstance(value, str):
            return value
        if not (value is None or (isinstance(value, list) and all(isinstance(each, str) for each in value))):
            raise self._wrong(key, "a list of names or a regular expression")
        return frozenset(value or ())

    def _by(self, key: str) -> list[tuple[str, Any]]:
        value = self._get(key)
        if not (value is None or isinstance(value, dict)):
            raise self._wrong(key, "a dictionary by pattern")
        return list((value or {}).items())

    def _rank(self, key: str, value: Any) -> int:
        if type(value) is not int or value < 1:
            raise ModelError(f"{self._where} has {key} {value!r:.80}, expected an integer of 1 or more")
        return value

    def _alpha(self, key: str, value: Any) -> float:
        is_number = type(value) in (int, float)
        if not is_number or not -torch.finfo(torch.float32).max <= value <= torch.finfo(torch.float32).max:
            raise ModelError(f"{self._where} has {key} {value!r:.80}, expected a number in float32's range")
        return float(value)
