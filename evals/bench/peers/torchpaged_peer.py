"""torchpaged as a peer: `python -m evals.bench.peers.torchpaged_peer SETTINGS`."""

from __future__ import annotations

import threading
from typing import Any

import torch

from evals.bench.peers.protocol import Settings, Workload, serve
from torchpaged import LLM
from torchpaged.tools import bench, workloads


class Torchpaged:
    """One LLM; "quantization" in the settings is passed to the engine."""

    def __init__(self, settings: Settings) -> None:
        torch.set_num_threads(settings["threads"])
        self.llm = LLM(
            settings["model"],
            skip_tokenizer_init=True,  # workloads are token ids
            dtype=settings["dtype"],
            max_model_len=settings["max_model_len"],
            max_num_seqs=settings["max_num_seqs"],
            num_blocks=settings["kv_tokens"] // 16 + 1,
            device="cpu",
            quantization=settings["quantization"],
        )
        self.facts: dict[str, Any] = {"torch": torch.__version__, "quantization": settings["quantization"]}

    def run(self, workload: Workload) -> dict[str, Any]:
        """Implement `Peer.run`, once the weights of a prepared start are on 2 MiB pages, which takes seconds."""
        for thread in threading.enumerate():
            if thread.name == "torchpaged pages":
                thread.join()
        measure = workloads.Measure(workload.pop("measure"))
        result = bench.run(self.llm.engine, workloads.Workload(measure=measure, **workload))
        return {"token_ids": result.token_ids, "times": result.times}


if __name__ == "__main__":
    serve(Torchpaged)
