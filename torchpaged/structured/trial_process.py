"""Compiles grammars that nobody has compiled before, in a process that can be ended.

A script, since it must start fast. It reads lines of JSON: first what `LLTokenizer` takes, then a grammar each; and
answers each with a line, why the grammar cannot be used, or null.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

# A grammar may take as much memory as this on top of what a large vocabulary needs.
_MOST_MEMORY = 4 << 30
# Compiling recurses into a grammar's rules. It must get no further here than in the engine's process, whatever
# `ulimit -s` says of the main thread.
_STACK_BYTES = 8 << 20
# Below whoever serves requests: a grammar that takes seconds leaves them nine tenths of a processor that both want.
NICENESS = 10
# Of llguidance's parser. With its own limit of 50,000 items a mask took 0.7 seconds of 30 alternatives that are all of
# each other; with this one the worst found took 0.15 to 0.25.
LIMITS: dict[str, Any] = {"verbose_errors": False, "step_max_items": 10_000}
# Tokens that are tried: some grammars are too large for the parser as soon as their first object begins.
_TRIED = 4


def fault_of(tokenizer: Any, grammar: str, limits: Any) -> str | None:
    """Why a grammar cannot be used; None: it can."""
    import llguidance

    matcher = llguidance.LLMatcher(tokenizer, grammar, log_level=0, limits=limits)
    for _ in range(_TRIED):
        if matcher.is_error() or matcher.is_stopped():
            break
        mask = matcher.compute_bitmask()
        token = next((8 * place + (byte & -byte).bit_length() - 1 for place, byte in enumerate(mask) if byte), -1)
        if matcher.is_error() or token in (-1, *tokenizer.eos_tokens):
            break
        matcher.consume_token(token)
    return str(matcher.get_error()) or "it fails without saying why" if matcher.is_error() else None


def main() -> None:
    """Until there are no more lines."""
    if sys.platform != "win32":
        os.nice(NICENESS)
    threading.stack_size(_STACK_BYTES)
    thread = threading.Thread(target=_answer)
    thread.start()
    thread.join()


def _answer() -> None:
    import llguidance

    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    except (ImportError, ValueError, OSError):  # not a Unix, or there is a lower limit already
        pass
    tokenizer = llguidance.LLTokenizer(**json.loads(sys.stdin.readline()))
    limits = llguidance.LLParserLimits(**LIMITS)
    for line in sys.stdin:
        print(json.dumps(fault_of(tokenizer, json.loads(line), limits)), flush=True)


if __name__ == "__main__":
    main()
