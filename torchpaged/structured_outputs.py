"""StructuredOutputsParams: constraints on a request's text, under vLLM's names. Validated once; nothing is compiled."""

from __future__ import annotations

import json as json_module
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from torchpaged.errors import ConfigError, did_you_mean

# Limits that real schemas stay far below: JSONSchemaBench's largest has 180 KB, its deepest 30 levels.
MOST_BYTES, MOST_DEPTH = 1 << 18, 64
KINDS = ("json", "regex", "choice", "grammar", "json_object", "structural_tag")
_TAG = "an object with 'triggers', texts, and 'structures', each with 'begin', 'schema' and 'end'"


@dataclass(slots=True)
class StructuredOutputsParams:
    """A constraint on the text: exactly one of the first five arguments and `structural_tag`.

    Args:
        json: JSON schema, a dictionary or its text.
        regex: regular expression that the whole text matches, in Rust's syntax: no look-around, no back-references.
        choice: texts to choose from.
        grammar: grammar in Lark's or GBNF's format, with the rule `start` or `root`.
        json_object: True: any JSON object.
        disable_any_whitespace: write JSON without spaces and line breaks.
        disable_additional_properties: forbid properties that a schema does not name, unless it allows them explicitly.
        whitespace_pattern: regular expression for the whitespace between JSON's tokens; None: up to 20 blanks.
        structural_tag: free text in which anything that begins with one of `triggers` must be one of `structures`:
            its `begin`, JSON by its `schema`, its `end`. A dictionary or its text.

    Raises:
        ConfigError: none of them is given, or several, or a value has the wrong type or is too large.
    """

    json: str | Mapping[str, Any] | None = None
    regex: str | None = None
    choice: list[str] | None = None
    grammar: str | None = None
    json_object: bool | None = None
    disable_any_whitespace: bool = False
    disable_additional_properties: bool = False
    whitespace_pattern: str | None = None
    structural_tag: str | Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        given = [name for name in KINDS if getattr(self, name) is not None]
        if len(given) != 1:
            found = f"has {' and '.join(given)}" if given else "has none of its kinds"
            raise ConfigError(f"StructuredOutputsParams: it {found}, expected exactly one of {', '.join(KINDS)}")
        for name in ("regex", "grammar", "whitespace_pattern"):
            value = getattr(self, name)
            self._require(name, value is None or isinstance(value, str), "a text")
        for name in ("disable_any_whitespace", "disable_additional_properties"):
            self._require(name, isinstance(getattr(self, name), bool), "True or False")
        self._require("json_object", self.json_object in (None, True), "True, or None for another kind")
        self._check_choice()
        self._check_schemas()
        for name in given:
            size = len(self.text_of(name).encode("utf-8", "replace"))
            self._require(name, size <= MOST_BYTES, f"at most {MOST_BYTES} bytes; it has {size}")
        about_json = self.json is not None or self.json_object is not None
        for name in ("disable_any_whitespace", "whitespace_pattern"):
            self._require(name, about_json or not getattr(self, name), "nothing: it is about json and json_object")
        both = self.disable_any_whitespace and self.whitespace_pattern is not None
        self._require("whitespace_pattern", not both, "None beside disable_any_whitespace")

    @classmethod
    def of(cls, given: object) -> StructuredOutputsParams:
        """Make parameters from a dictionary of fields; return StructuredOutputsParams as they are.

        Raises:
            ConfigError: another type, or an unknown name.
        """
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise ConfigError(
                f"SamplingParams: structured_outputs is {given!r:.200}, expected StructuredOutputsParams or None"
            )
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                hint = did_you_mean(str(name), known) or f"; there are {', '.join(known)}"
                raise ConfigError(f"StructuredOutputsParams: unknown parameter {name!r:.80}{hint}")
        return cls(**given)

    @property
    def kind(self) -> str:
        """Return the name in `KINDS` that is given."""
        return next(name for name in KINDS if getattr(self, name) is not None)

    def text_of(self, name: str) -> str:
        """Return one of the values as a text."""
        value = getattr(self, name)
        if isinstance(value, Mapping):
            return json_module.dumps(value)
        return json_module.dumps(value, ensure_ascii=False) if isinstance(value, list) else str(value)

    def _check_choice(self) -> None:
        if self.choice is None:
            return
        ok = isinstance(self.choice, (list, tuple)) and len(self.choice) > 0
        self._require("choice", ok and all(isinstance(each, str) for each in self.choice), "a list of texts, not empty")
        self.choice = list(self.choice)

    def _check_schemas(self) -> None:
        """Check that schemas are JSON, and no deeper than a recursive reader can handle."""
        for name, expected in (("json", "a JSON schema, an object or its text"), ("structural_tag", _TAG)):
            value = getattr(self, name)
            if value is None:
                continue
            ok = isinstance(value, Mapping) or (isinstance(value, str) and len(value) <= MOST_BYTES)
            self._require(name, ok, f"{expected}, at most {MOST_BYTES} bytes")
            if isinstance(value, str):
                try:
                    value = json_module.loads(value)
                except (ValueError, RecursionError) as error:
                    self._require(name, False, f"{expected}: {error}")
            self._require(name, _depth(value) <= MOST_DEPTH, f"at most {MOST_DEPTH} objects and lists in each other")
            try:
                json_module.dumps(value)
            except (TypeError, ValueError) as error:
                self._require(name, False, f"{expected}: {error}")
            self._require(name, isinstance(value, Mapping) or (name == "json" and isinstance(value, bool)), expected)
            if name == "structural_tag":
                self._require(name, _is_tag(value), _TAG)

    def _require(self, name: str, condition: bool, expected: str) -> None:
        if not condition:
            shown = repr(getattr(self, name)) if name == "choice" else f"{getattr(self, name)!s:.200}"
            raise ConfigError(f"StructuredOutputsParams: {name} is {shown:.200}, expected {expected}")


def _depth(value: object) -> int:
    """Return the nesting depth of containers, up to the limit, because a cycle has no end."""
    level: list[Any] = [value]
    depth = 0
    while level and depth <= MOST_DEPTH:
        inner = [each.values() if isinstance(each, Mapping) else each for each in level if _is_container(each)]
        if not inner:
            break
        depth += 1
        level = [each for values in inner for each in values if _is_container(each)]
        level = list({id(each): each for each in level}.values())  # a shared object is visited once per level
    return depth


def _is_container(value: object) -> bool:
    return isinstance(value, (Mapping, list, tuple))


def _is_tag(value: Any) -> bool:
    """Return whether a value is a structural tag whose structures all begin with a trigger."""
    triggers, structures = value.get("triggers"), value.get("structures")
    if not (isinstance(triggers, list) and isinstance(structures, list) and structures):
        return False
    if not all(isinstance(each, str) and each for each in triggers):
        return False
    return all(
        isinstance(each, Mapping)
        and isinstance(each.get("schema"), Mapping)
        and isinstance(each.get("end"), str)
        and isinstance(each.get("begin"), str)
        and each["begin"].startswith(tuple(triggers))
        for each in structures
    )
