"""`make test-peers`: run the peers' suites against torchpaged and print one table.

    python -m tests.peers [SUITE ...] [-- PYTEST ARGUMENTS]

The name of a suite may be shortened: `vllm` stands for all of vLLM's. The exit status is 0 if every failure is a known
difference and every known difference still fails.
"""

from __future__ import annotations

import signal
import sys
from collections import Counter

from tests.peers.outcomes import Verdict, table
from tests.peers.sources import SourceMissingError
from tests.peers.suites import SUITES


def main(words: list[str]) -> int:
    names, _, chosen = (words, "", []) if "--" not in words else _split(words)
    suites = [each for each in SUITES if not names or any(each.name.startswith(name) for name in names)]
    if not suites or any(not any(each.name.startswith(name) for each in SUITES) for name in names):
        print(f"no suite is called {' '.join(names)}; there are {', '.join(each.name for each in SUITES)}")
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a suite is a session of its own, and ends with this one
    rows: dict[str, Counter[str]] = {}
    reasons: Counter[tuple[str, str]] = Counter()
    holds = True
    for suite in suites:
        print(f"{suite.name}: {suite.source.name} {suite.source.version}", file=sys.stderr, flush=True)
        try:
            verdict = suite.run(tuple(chosen))
        except SourceMissingError as error:
            print(f"{suite.name}: not run: {error}", flush=True)
            holds = holds and not names  # requested by name
            continue
        rows.update({f"{suite.name}: {name}": row for name, row in verdict.rows.items()})
        reasons.update(verdict.reasons)
        holds = holds and verdict.holds
        _report(verdict)
    print(table(rows))
    for (kind, reason), count in sorted(reasons.items()):
        print(f"{kind}, {count}: {reason}")
    return 0 if holds else 1


def _split(words: list[str]) -> tuple[list[str], str, list[str]]:
    place = words.index("--")
    return words[:place], "--", words[place + 1 :]


def _report(verdict: Verdict) -> None:
    missing = Counter(each.file for each in verdict.failures if each.result == "missing")
    for name, count in missing.items():
        print(f"missing: {count} of {name}: the run ended before them", flush=True)
    for outcome in verdict.failures:
        if outcome.result != "missing":
            print(f"{outcome.result}: {outcome.name}: {outcome.why}", flush=True)
    for line in verdict.stale:
        print(f"stale: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
