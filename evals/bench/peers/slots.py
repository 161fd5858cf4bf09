"""llama.cpp's server under the trace of `evals/bench/agents.py`, with its slots saved: `python -m ... GIVEN.json`.

Each session's state is saved to a file when its slot is given to another session, and restored when it goes on, as a
client of llama.cpp does by hand. The last line of the output is what `replay` of that script returns.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import xllamacpp


class Slots:
    """Slots of one server, and the sessions that they have.

    Args:
        given: model, threads, slots and longest (tokens of a slot).
        folder: for the saved states.
    """

    def __init__(self, given: dict[str, Any], folder: str) -> None:
        params = xllamacpp.CommonParams()
        params.model.path = given["model"]
        params.n_parallel, params.n_ctx = given["slots"], given["slots"] * given["longest"]
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = given["threads"]
        params.warmup, params.slot_save_path, params.cache_ram_mib = False, folder + "/", 0
        self._server, self._folder = xllamacpp.Server(params), Path(folder)
        self._sessions: list[int | None] = [None] * given["slots"]  # used last is last
        self._order = list(range(given["slots"]))

    def run(self, session: int, prompt: list[int], is_last: bool) -> tuple[float, int]:
        """Return the seconds to a turn's first token, saved states included, and the number of computed tokens."""
        begin = time.perf_counter()
        if session in self._sessions:
            slot = self._sessions.index(session)
        else:
            slot = self._order[0]
            if (other := self._sessions[slot]) is not None:
                self._post(f"/slots/{slot}?action=save", {"filename": str(other)})
            if (self._folder / str(session)).exists():
                self._post(f"/slots/{slot}?action=restore", {"filename": str(session)})
            self._sessions[slot] = session
        self._order.append(self._order.pop(self._order.index(slot)))
        asked = {"prompt": prompt, "n_predict": 1, "temperature": 0.0, "id_slot": slot, "cache_prompt": True}
        answer = self._post("/completion", asked)
        if is_last:
            self._sessions[slot] = None
        return time.perf_counter() - begin, answer["timings"]["prompt_n"]

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        address = self._server.listening_address.rstrip("/")
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=600) as answer:
            found: dict[str, Any] = json.load(answer)
        return found


def main() -> None:
    """Replay the trace in the file that the command line names."""
    given = json.loads(Path(sys.argv[1]).read_text())
    seconds, computed, total = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        slots = Slots(given, folder)
        for turn in given["turns"]:
            taken, count = slots.run(*turn)
            if turn[0] < 0:  # a stray one
                continue
            seconds.append(taken)
            computed += count
            total += len(turn[1])
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
    print(json.dumps({"seconds": seconds, "computed": computed, "total": total, "bytes": size}))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
