"""llama.cpp as a peer, by the server of the package xllamacpp: `python -m evals.bench.peers.xllamacpp_peer SETTINGS`.

Its wheel is compiled for every CPU, and needs no compiler here. The time of a step is what the server reports for its
completions, which run at once.
"""

from __future__ import annotations

import json
import threading
from importlib import metadata
from pathlib import Path
from typing import Any

import xllamacpp

from evals.bench.peers.protocol import Settings, Workload, serve


class Xllamacpp:
    """One server with one adapter, the first of "adapters" in the settings, which requests switch on."""

    def __init__(self, settings: Settings) -> None:
        params = xllamacpp.CommonParams()
        params.model.path = settings["gguf"]
        params.n_parallel, params.n_ctx = settings["max_num_seqs"], settings["max_num_seqs"] * settings["max_model_len"]
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
        params.warmup = False
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(path, 1.0) for path in settings["adapters"][:1]]
        params.lora_init_without_apply = True
        self.server = xllamacpp.Server(params)
        version = metadata.version("xllamacpp")
        self.facts: dict[str, Any] = {"xllamacpp": version, "weights": Path(settings["gguf"]).name}

    def run(self, workload: Workload) -> dict[str, Any]:
        """Implement `Peer.run`; the tokens are not told, and the times are equal steps."""
        chosen = workload.get("adapters") or [None] * len(workload["prompts"])
        answers: list[dict[str, Any]] = [{} for _ in chosen]
        threads = [
            threading.Thread(target=self._ask, args=(prompt, count, adapter, answers[index]))
            for index, (prompt, count, adapter) in enumerate(
                zip(workload["prompts"], workload["max_tokens"], chosen, strict=True)
            )
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        times = []
        for answer, count in zip(answers, workload["max_tokens"], strict=True):
            if "timings" not in answer:
                raise RuntimeError(f"the server says {json.dumps(answer)[:300]}")
            step = answer["timings"]["predicted_per_token_ms"] / 1e3
            times.append([number * step for number in range(count)])
        return {"token_ids": [[0] * count for count in workload["max_tokens"]], "times": times}

    def _ask(self, prompt: list[int], count: int, adapter: int | None, answer: dict[str, Any]) -> None:
        asked = {"prompt": prompt, "n_predict": count, "temperature": 0.0, "ignore_eos": True, "cache_prompt": False}
        asked["lora"] = [{"id": 0, "scale": 0.0 if adapter is None else 1.0}]
        found = self.server.handle_completions(asked)
        answer.update(json.loads(found) if isinstance(found, (str, bytes)) else found)


if __name__ == "__main__":
    serve(Xllamacpp)
