"""docs/vllm.md against the names of vLLM's offline interface and against the code.

`tests/vllm_names.json` lists the public names of vLLM 0.32.0, read from its wheel: parameters of methods, fields. Its
engine arguments are in `torchpaged/vllm_arguments.json`.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

from torchpaged import (
    LLM,
    BeamSearchParams,
    CompletionOutput,
    EngineArgs,
    LLMEngine,
    RequestOutput,
    SamplingParams,
    sampling_params,
)
from torchpaged.engine_args import KNOWN, UNSUPPORTED
from torchpaged.utils.absent_methods import REASONS

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "vllm.md").read_text()
NAMES: dict[str, Any] = json.loads((ROOT / "tests" / "vllm_names.json").read_text())
ARGUMENTS = {
    name
    for group in json.loads((ROOT / "torchpaged" / "vllm_arguments.json").read_text())["arguments"].values()
    for name in group
}
SECTIONS = ["LLM", "LLMEngine", "SamplingParams", "BeamSearchParams", "RequestOutput", "CompletionOutput"]
FIELDS: dict[str, Any] = {
    "SamplingParams": SamplingParams,
    "BeamSearchParams": BeamSearchParams,
    "RequestOutput": RequestOutput,
    "CompletionOutput": CompletionOutput,
}


def rows(section: str) -> dict[str, tuple[str, str]]:
    """Return (status, remark) by name."""
    text = re.split(r"^## ", PAGE.split(f"\n## {section}\n")[1], flags=re.MULTILINE)[0]
    found: dict[str, tuple[str, str]] = {}
    for names, status, remark in re.findall(r"^\| (`.*?) \| ([a-z ]+) \|(.*)\|$", text, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", names):
            assert name not in found, f"{section}: {name} stands twice"
            found[name] = (status, remark.strip())
    return found


@pytest.mark.parametrize("section", SECTIONS)
def test_every_name_has_its_row(section: str) -> None:
    assert rows(section).keys() == set(NAMES[section])
    assert {status for status, _ in rows(section).values()} <= {"same", "differs", "not here"}
    assert all(remark for status, remark in rows(section).values() if status == "differs")


@pytest.mark.parametrize(("section", "ours"), [("LLM", LLM), ("LLMEngine", LLMEngine)])
def test_methods_are_as_the_page_says(section: str, ours: type) -> None:
    """Methods marked as the same accept all of vLLM's parameters; otherwise the row names the missing one."""
    for name, (status, remark) in rows(section).items():
        method = inspect.getattr_static(ours, name, None)
        assert (method is None) == (status == "not here"), name
        assert method is not None or REASONS[section][name] == remark, name
        if method is None or name == "__init__":
            continue
        method = getattr(ours, name)
        taken = inspect.signature(method).parameters if callable(method) else {}
        missing = [each for each in NAMES[section][name] if each not in taken]
        assert all(f"`{each}`" in remark for each in missing), (name, missing)
        assert status == "differs" or not missing, (name, missing)


def test_arguments_of_llm_are_those_of_the_engine() -> None:
    assert set(NAMES["LLM"]["__init__"]) <= {"model", "tokenizer", *KNOWN}


@pytest.mark.parametrize("section", FIELDS)
def test_fields_are_as_the_page_says(section: str) -> None:
    ours = {*(each.name for each in dataclasses.fields(FIELDS[section])), *vars(FIELDS[section])}
    if section == "SamplingParams":  # without the fields that exist only to be refused with a reason
        ours -= set(sampling_params._NOT_HERE)
    for name, (status, _) in rows(section).items():
        assert (name in ours) == (status != "not here"), name


def test_the_page_lists_the_supported_arguments() -> None:
    """The others accept only their default: tests/test_engine_args.py."""
    listed = rows("EngineArgs")
    assert listed.keys() == ARGUMENTS - UNSUPPORTED.keys()
    for name, (status, remark) in listed.items():
        assert status == "same" or (status == "differs" and remark), name
    assert all(hasattr(EngineArgs(), name) for name in ARGUMENTS)


def test_methods_of_arguments() -> None:
    assert all(hasattr(EngineArgs, name) for name in NAMES["EngineArgs methods"])
