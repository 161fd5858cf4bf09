"""vLLM's CPU build as a peer: `python -m evals.bench.peers.vllm_peer SETTINGS`, in an environment that has it."""

from __future__ import annotations

import os
import time
from typing import Any

from evals.bench.peers.protocol import Settings, Tokens, Workload, serve


class Vllm:
    """One `vllm.LLM`, stepped by this class so that the time of each token is known.

    With folders as "adapters" in the settings, and their rank as "adapter_rank", a workload's "adapters" has for each
    request the index of its adapter, or None.
    """

    def __init__(self, settings: Settings) -> None:
        os.environ.update(
            HF_HUB_OFFLINE="1",
            VLLM_LOGGING_LEVEL="ERROR",
            VLLM_CPU_KVCACHE_SPACE=str(max(1, settings["kv_bytes"] >> 30)),
            VLLM_CPU_OMP_THREADS_BIND=f"0-{settings['threads'] - 1}",
            VLLM_ALLOW_INSECURE_SERIALIZATION="1",  # needed to send functions to the worker, see `_fill`
        )
        import vllm

        self.params = vllm.SamplingParams
        self.adapters: list[Any] = []
        lora: dict[str, Any] = {}
        if folders := settings.get("adapters"):
            from vllm.lora.request import LoRARequest

            self.adapters = [LoRARequest(folder, number, folder) for number, folder in enumerate(folders, start=1)]
            lora = {"enable_lora": True, "max_loras": len(folders), "max_lora_rank": settings["adapter_rank"]}
        self.llm = vllm.LLM(
            model=settings["model"],
            dtype=settings["dtype"],
            max_model_len=settings["max_model_len"],
            max_num_seqs=settings["max_num_seqs"],
            max_num_batched_tokens=2048,
            enable_prefix_caching=True,
            **lora,
        )
        self.facts: dict[str, Any] = {"vllm": vllm.__version__, "attention": self.llm.collective_rpc(attention)[0]}

    def run(self, workload: Workload) -> dict[str, Any]:
        """Implement `Peer.run`."""
        self.llm.reset_prefix_cache()
        if workload["filled"]:
            self._fill([prompt[: workload["filled"]] for prompt in workload["prompts"]])
        return self._run(workload["prompts"], workload["max_tokens"], workload.get("adapters")).answer()

    def _run(self, prompts: list[list[int]], max_tokens: list[int], adapters: list[int | None] | None = None) -> Tokens:
        engine, tokens = self.llm.llm_engine, Tokens(len(prompts))
        start = time.perf_counter()
        for index, (prompt, count) in enumerate(zip(prompts, max_tokens, strict=True)):
            params = self.params(temperature=0.0, max_tokens=count, ignore_eos=True, detokenize=False)
            chosen = adapters[index] if adapters else None
            lora = {} if chosen is None else {"lora_request": self.adapters[chosen]}
            engine.add_request(str(index), {"prompt_token_ids": prompt}, params, **lora)
        while engine.has_unfinished_requests():
            outputs = engine.step()
            now = time.perf_counter() - start
            for output in outputs:
                index = int(output.request_id)
                known = len(tokens.token_ids[index])
                tokens.extend(index, list(output.outputs[0].token_ids[known:]), now)
        return tokens

    def _fill(self, prompts: list[list[int]]) -> None:
        """Have the prompts' blocks hashed as if they were computed, in steps that skip the model's forward."""
        self.llm.collective_rpc(hollow)
        self._run(prompts, [1] * len(prompts))
        self.llm.collective_rpc(whole)


def attention(worker: Any) -> list[str]:
    """Return the names of the attention classes of the worker's layers."""
    layers = worker.model_runner.compilation_config.static_forward_context.values()
    return sorted({type(layer.impl).__qualname__ for layer in layers})


def hollow(worker: Any) -> None:
    """Fill the worker's cache with random numbers once, and make its steps skip the model."""
    import torch

    runner = worker.model_runner
    caches = runner.kv_caches
    if not getattr(runner, "bench_is_filled", False):
        runner.bench_is_filled = True
        for cache in caches:
            flat = cache.view(-1)
            piece = torch.randn(1 << 20).to(flat.dtype)
            for start in range(0, flat.numel(), piece.numel()):
                part = flat[start : start + piece.numel()]
                part.copy_(piece[: part.numel()])
    hidden = runner.model_config.get_hidden_size()

    def forward(input_ids: Any = None, **_: Any) -> Any:
        return torch.zeros(input_ids.shape[0], hidden, dtype=runner.dtype)

    runner._model_forward = forward


def whole(worker: Any) -> None:
    """Undo `hollow`."""
    del worker.model_runner._model_forward


if __name__ == "__main__":
    serve(Vllm)
