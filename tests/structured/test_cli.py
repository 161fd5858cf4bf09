"""Structured output on the command line: as JSON, or by the file of a schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchpaged import StructuredOutputsParams
from torchpaged.errors import ConfigError, InputError
from torchpaged.tools import arguments

WORDS = ["generate", "--model", "m", "--prompt", "x"]


def test_a_schema_of_a_file_and_other_kinds(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    file.write_text('{"type": "object"}')
    for words, expected in (
        (["--json-schema", str(file)], {"json": '{"type": "object"}'}),
        (["--structured-outputs", '{"regex": "a+"}'], {"regex": "a+"}),
    ):
        params = arguments.sampling_params(arguments.parse([*WORDS, *words]))
        assert params.structured_outputs == StructuredOutputsParams(**expected)


def test_what_is_no_schema(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="argument --json-schema: cannot be read"):
        arguments.parse([*WORDS, "--json-schema", str(tmp_path / "none")])
    file = tmp_path / "schema.json"
    file.write_text("{")
    with pytest.raises(ConfigError, match=r"json is \{, expected a JSON schema"):
        arguments.sampling_params(arguments.parse([*WORDS, "--json-schema", str(file)]))
