"""Outcomes of a suite's tests, compared with the list of known differences, as rows of a table."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

KINDS = ("different", "soon")
COLUMNS = ("ran", "passed", "different", "soon", "failed", "skipped", "not ours")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one test.

    Args:
        name: pytest's node id, relative to the suite's folder.
        result: "passed", "failed", "skipped", or "missing" if the run ended before it.
        ours: whether torchpaged's code was called; a test that passes without it does not count.
        why: last line of a failure, or the reason of a skip.
    """

    name: str
    result: str
    ours: bool = True
    why: str = ""

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]


@dataclass(slots=True)
class Difference:
    """Tests that are known to fail: by choice ("different"), or because of a fault that is being fixed ("soon")."""

    kind: str
    reason: str
    patterns: list[str] = field(default_factory=list)


def read_differences(path: Path) -> list[Difference]:
    """Parse a list of differences: a line `different: REASON` or `soon: REASON`, then indented patterns.

    A pattern is the end of a node id that begins with a folder, a file or a test's name; `*` stands for any text.

    Raises:
        ValueError: a line is neither of these, or a reason has no patterns.
    """
    found: list[Difference] = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else (), 1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, _, reason = line.partition(": ")
        if line.startswith("    ") and found:
            found[-1].patterns.append(line.strip())
        elif kind in KINDS and reason:
            found.append(Difference(kind, reason))
        else:
            raise ValueError(f"{path}:{number} is {line!r}, expected 'different: ...', 'soon: ...' or four spaces")
    empty = [each.reason for each in found if not each.patterns]
    if empty:
        raise ValueError(f"{path} names no test for {empty[0]!r}")
    return found


def matches(pattern: str, name: str) -> bool:
    """Return whether a pattern is the end of a node id that begins with a folder, a file or a test's name."""
    body = ".*".join(map(re.escape, pattern.split("*")))
    return re.fullmatch(f"(?:.*(?:/|::))?{body}", name, re.DOTALL) is not None


@dataclass(slots=True)
class Verdict:
    """Rows of the table, and everything that makes the run fail.

    Args:
        rows: the number of tests in each column, by file.
        failures: outcomes that no difference explains.
        stale: entries whose tests pass, or that match no test.
        reasons: the number of tests by kind and reason.
    """

    rows: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[Outcome] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def holds(self) -> bool:
        return not self.failures and not self.stale


def judge(outcomes: Iterable[Outcome], differences: Sequence[Difference], *, whole: bool = True) -> Verdict:
    """Sort outcomes into the table's columns.

    Args:
        whole: whether the whole suite ran, so that an entry that matches no test is an error.
    """
    verdict, used = Verdict(), set()
    for outcome in outcomes:
        row = verdict.rows.setdefault(outcome.file, Counter())
        entry = next(
            ((known, pattern) for known in differences for pattern in known.patterns if matches(pattern, outcome.name)),
            None,
        )
        used.add(entry[1] if entry else None)
        if outcome.result == "skipped":
            row["skipped"] += 1
            continue
        if outcome.result == "passed" and not outcome.ours:
            row["not ours"] += 1
            continue
        row["ran"] += 1
        if outcome.result == "passed":
            row["passed"] += 1
            if entry:
                verdict.stale.append(f"{outcome.name} passes: remove it from {entry[0].reason!r}")
        elif entry:
            row[entry[0].kind] += 1
            verdict.reasons[entry[0].kind, entry[0].reason] += 1
        else:
            row["failed"] += 1
            verdict.failures.append(outcome)
    if whole:
        unused = [pattern for known in differences for pattern in known.patterns if pattern not in used]
        verdict.stale += [f"{pattern} matches no test" for pattern in unused]
    return verdict


def read_outcomes(path: Path) -> list[Outcome]:
    """Read the recorder's file: the collected names, then a line for each result; a test without one is "missing"."""
    names: dict[str, Outcome] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        record = json.loads(line)
        if "collected" in record:
            names.update(
                {name: Outcome(name, "missing", why="the run ended before it") for name in record["collected"]}
            )
        else:
            names[record["name"]] = Outcome(**record)
    return list(names.values())


def table(rows: dict[str, Counter[str]]) -> str:
    """Format the rows as Markdown, the total last."""
    total: Counter[str] = Counter()
    for row in rows.values():
        total.update(row)
    lines = [f"| file | {' | '.join(COLUMNS)} |", f"| --- |{' ---: |' * len(COLUMNS)}"]
    for name, row in [*sorted(rows.items()), ("total", total)]:
        lines.append(f"| {name} | {' | '.join(str(row[column]) for column in COLUMNS)} |")
    return "\n".join(lines)
