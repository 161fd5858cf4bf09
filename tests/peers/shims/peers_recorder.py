"""pytest plugin that writes each test's result to the file named by PEERS_OUTCOMES, as soon as it is known.

PEERS_LEAVE_OUT is a regular expression of names that are not run, PEERS_SAMPLE the number of cases that are run of one
test function's grid, drawn with a seed made from its name. With PEERS_TOUCH=1 a shim calls `touch()` when torchpaged's
code is reached, since a test that passes without it does not test torchpaged.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
from typing import Any
from zlib import crc32

import pytest

_reached = os.environ.get("PEERS_TOUCH") != "1"
_always = _reached


def touch() -> None:
    """Record that the running test reached torchpaged."""
    global _reached
    _reached = True


def _write(record: dict[str, Any]) -> None:
    with open(os.environ["PEERS_OUTCOMES"], "a") as file:
        file.write(json.dumps(record) + "\n")


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Draw PEERS_SAMPLE cases of a grid without building the whole grid, which may have a million."""
    most, left_out = int(os.environ.get("PEERS_SAMPLE") or 0), os.environ.get("PEERS_LEAVE_OUT")
    definition = metafunc.definition
    marks = [mark for mark in definition.own_markers if mark.name == "parametrize"]
    if not most or not marks or any(mark.kwargs for mark in marks):
        return
    axes = [(_names(mark.args[0]), list(mark.args[1])) for mark in marks]
    total = math.prod(len(values) for _, values in axes)
    draws = random.Random(crc32(metafunc.function.__name__.encode()))
    cases: dict[str, list[Any]] = {}
    for place in draws.sample(range(total), min(total, 50 * most)):
        case: list[Any] = []
        for names, values in axes:
            place, index = divmod(place, len(values))
            case += values[index] if len(names) > 1 else [values[index]]
        name = "-".join(str(value).removeprefix("torch.") for value in case)
        if not (left_out and re.search(left_out, f"::{metafunc.function.__name__}[{name}]")):
            cases[name] = case
        if len(cases) == most:
            break
    definition.own_markers = [mark for mark in definition.own_markers if mark.name != "parametrize"]
    metafunc.parametrize([name for names, _ in axes for name in names], list(cases.values()), ids=list(cases))


def _names(names: Any) -> list[str]:
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if left_out := os.environ.get("PEERS_LEAVE_OUT"):
        items[:] = [item for item in items if not re.search(left_out, item.nodeid)]


def pytest_collection_finish(session: pytest.Session) -> None:
    _write({"collected": [item.nodeid for item in session.items]})


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _write({"name": f"{report.nodeid}::collect", "result": "failed", "ours": True, "why": _last(report)})


def pytest_runtest_logstart() -> None:
    global _reached
    _reached = _always


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        record = {"name": report.nodeid, "result": report.outcome, "ours": _reached, "why": _last(report)}
        _write(record)


def _last(report: Any) -> str:
    if report.outcome == "passed":
        return ""
    if isinstance(report.longrepr, tuple):  # a skip: file, line, reason
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return f"{os.path.basename(crash.path)}:{crash.lineno}: {crash.message.splitlines()[0][:300]}"
    lines = str(report.longrepr).strip().splitlines()
    return lines[-1][:300] if lines else ""
