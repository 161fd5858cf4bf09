"""StructuredOutputsParams: exactly one kind; errors give name, value and limit."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest

from torchpaged import SamplingParams, StructuredOutputsParams
from torchpaged.errors import ConfigError
from torchpaged.structured_outputs import MOST_BYTES, MOST_DEPTH

TAG = {"triggers": ["<f"], "structures": [{"begin": "<f>", "schema": {}, "end": "</f>"}]}


def nested(depth: int) -> Any:
    """Return a schema of objects nested to this depth."""
    schema: Any = {}
    for _ in range((depth - 1) // 2):
        schema = {"properties": {"a": schema}}
    return schema


CIRCLE: dict[str, Any] = {}
CIRCLE["properties"] = {"a": CIRCLE}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "it has none of its kinds, expected exactly one of json, regex"),
        ({"json": {}, "regex": "a"}, "it has json and regex, expected exactly one"),
        ({"json": 3}, "json is 3, expected a JSON schema"),
        ({"json": "{"}, "json is {, expected a JSON schema, an object or its text: Expecting property name"),
        ({"json": "[]"}, r"json is \[\], expected a JSON schema"),
        ({"json": {"const": {1, 2}}}, "json is .*not JSON serializable"),
        ({"json": nested(MOST_DEPTH + 2)}, f"expected at most {MOST_DEPTH} objects and lists in each other"),
        ({"json": CIRCLE}, f"expected at most {MOST_DEPTH} objects and lists in each other"),
        ({"json": "[" * 100_000}, "json is .* expected a JSON schema"),
        ({"json": {"const": "a" * MOST_BYTES}}, f"expected at most {MOST_BYTES} bytes; it has {MOST_BYTES + 13}"),
        ({"regex": 3}, "regex is 3, expected a text"),
        ({"regex": "a" * (MOST_BYTES + 1)}, f"at most {MOST_BYTES} bytes"),
        ({"grammar": b"a"}, "grammar is b'a', expected a text"),
        ({"choice": []}, r"choice is \[\], expected a list of texts, not empty"),
        ({"choice": "yes"}, "choice is 'yes', expected a list of texts"),
        ({"choice": [1]}, r"choice is \[1\], expected a list of texts"),
        ({"json_object": False}, "json_object is False, expected True"),
        ({"regex": "a", "disable_any_whitespace": True}, "expected nothing: it is about json and json_object"),
        ({"json": {}, "disable_any_whitespace": 1}, "disable_any_whitespace is 1, expected True or False"),
        ({"json": {}, "disable_any_whitespace": True, "whitespace_pattern": " "}, "None beside disable_any"),
        ({"structural_tag": {"triggers": ["<g"], "structures": TAG["structures"]}}, "expected an object with"),
        ({"structural_tag": {"format": {}}}, "expected an object with 'triggers'"),
    ],
)
def test_what_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^StructuredOutputsParams: (.|\n)*{message}"):
        StructuredOutputsParams(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"json": {"type": "object"}},
        {"json": '{"type": "object"}', "disable_additional_properties": True},
        {"json": "true"},
        {"json": nested(MOST_DEPTH - 1)},
        {"regex": ""},
        {"choice": ("yes", "")},
        {"grammar": "start: A"},
        {"json_object": True, "whitespace_pattern": " ?"},
        {"structural_tag": TAG},
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_is_taken_is_a_parameter_of_sampling(given: dict[str, Any]) -> None:
    params = SamplingParams(structured_outputs=StructuredOutputsParams(**given))
    assert params.structured_outputs is not None and params.structured_outputs.kind == next(iter(given))
    assert SamplingParams(structured_outputs=given).structured_outputs == params.structured_outputs
    assert params.clone() == params and pickle.loads(pickle.dumps(params)) == params


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("json", "SamplingParams: structured_outputs is 'json', expected StructuredOutputsParams or None"),
        ({"jason": {}}, "StructuredOutputsParams: unknown parameter 'jason'; did you mean 'json'?"),
    ],
)
def test_something_else(given: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        SamplingParams(structured_outputs=given)


def test_names_are_importable_as_from_vllm() -> None:
    from torchpaged import sampling_params

    assert sampling_params.StructuredOutputsParams is StructuredOutputsParams
