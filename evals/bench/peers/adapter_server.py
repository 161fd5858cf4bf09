"""torchpaged's server, with a log of its adapters: `python -m evals.bench.peers.adapter_server ARGUMENT...`.

The variable TORCHPAGED_BENCH_LOG names the log, which has a line of JSON for each event: [time, event, content, name].
Times are of `time.perf_counter`, one clock for all processes of a Linux system. The engine's process imports this
module too, because multiprocessing imports the main module of the process that starts it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any

from evals.bench.peers.servers import ADAPTER_LOG
from torchpaged import cli
from torchpaged.engine.adapters import AdapterRegistry
from torchpaged.execution.adapter_slots import AdapterSlots

_log = os.open(os.environ[ADAPTER_LOG], os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def _say(event: str, content: str, name: str = "") -> None:
    os.write(_log, (json.dumps([time.perf_counter(), event, content, name]) + "\n").encode())


def _logged(owner: Any, method: str, note: Callable[..., None]) -> None:
    """Have a method's calls noted when they are done, with what they returned and the method's own arguments."""
    original = getattr(owner, method)

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        note(result, self, *args)
        return result

    setattr(owner, method, call)


def _say_claimed(_: None, registry: AdapterRegistry, content: str) -> None:
    _say("found" if registry.is_ready(content) else "missed", content)


_logged(AdapterRegistry, "resolve", lambda found, *_: _say("name", found.content, found.name))
_logged(AdapterRegistry, "claim", _say_claimed)
_logged(AdapterRegistry, "_become_ready", lambda _, __, content: _say("read", content))
_logged(AdapterSlots, "_write", lambda _, __, ___, adapter: _say("slot", adapter.content))

if __name__ == "__main__":
    raise SystemExit(cli.main())
