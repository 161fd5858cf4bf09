"""Compiles new grammars in a process that can be ended.

A script, because it must start fast. It reads lines of JSON: first the arguments of `LLTokenizer`, then one grammar per
line. It answers each with a line: the reason why the grammar cannot be used, or null.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any

# Most memory of the process, more than any large vocabulary and reasonable grammar need together.
_MOST_MEMORY = 4 << 30
# Compiling recurses into a grammar's rules. The stack must be smaller than the engine's (`grammars._STACK_BYTES`),
# whatever `ulimit -s` gives the main thread, so that a grammar that passes here passes there.
_STACK_BYTES = 8 << 20
# Lower priority than the threads that serve requests: these get nine tenths of a core that both want.
NICENESS = 10
# Limits of llguidance's parser. With its default of 50,000 items a mask took 0.7 seconds, for 30 alternatives that
# consist of each other. Taking a token keeps Python's lock, so that all steps wait: with 10,000 items that took 15
# milliseconds, with these 4. No schema of 196 of JSONSchemaBench needs more than 1,500.
LIMITS: dict[str, Any] = {"verbose_errors": False, "step_max_items": 2_500}
# Number of tokens that are tried: some grammars exceed the parser's limits only when their first object begins.
_TRIED = 4


def fault_of(tokenizer: Any, grammar: str, limits: Any) -> str | None:
    """Return the reason why a grammar cannot be used; None if it can."""
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
    """Answer until there are no more lines."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # the parent gets them too, and lets requests end
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
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
