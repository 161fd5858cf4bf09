"""transformers' `generate` and `generate_batch` as peers: `python -m evals.bench.peers.transformers_peer SETTINGS`."""

from __future__ import annotations

import os
import time
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from transformers import AutoModelForCausalLM, GenerationConfig, StaticCache, StoppingCriteria

from evals.bench.peers.protocol import Settings, Tokens, Workload, serve


def load(settings: Settings) -> Any:
    """Return the model; sets the number of threads of this process."""
    torch.set_num_threads(settings["threads"])
    transformers.utils.logging.set_verbosity_error()
    dtype = getattr(torch, settings["dtype"])
    model = AutoModelForCausalLM.from_pretrained(settings["model"], dtype=dtype).eval()
    model.generation_config.eos_token_id = None
    return model


class Clock(StoppingCriteria):
    """A criterion that never stops: it records the time of each token of the batch."""

    def __init__(self) -> None:
        self.start, self.times = time.perf_counter(), list[float]()

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        self.times.append(time.perf_counter() - self.start)
        return torch.zeros(input_ids.shape[0], dtype=torch.bool)


class Generate:
    """`generate` for one batch, whose prompts and outputs must have equal lengths.

    Uses a static cache, which is faster on this CPU than the default one: that is copied whenever it grows.
    """

    def __init__(self, settings: Settings) -> None:
        self.model = load(settings)
        self.facts: dict[str, Any] = {"transformers": transformers.__version__, "cache": "static"}

    @torch.inference_mode()
    def run(self, workload: Workload) -> dict[str, Any]:
        """Implement `Peer.run`."""
        ids, count = torch.tensor(workload["prompts"]), workload["max_tokens"][0]
        assert set(workload["max_tokens"]) == {count}, "generate stops all rows at once"
        batch, length = ids.shape
        cache = StaticCache(config=self.model.config, max_cache_len=length + count)
        clock = Clock()
        if workload["filled"]:
            self._fill(cache, batch, workload["filled"] - 1)
            clock = Clock()
        elif workload["shared"]:
            self._share(cache, ids, workload["shared"])
        out = self.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            past_key_values=cache,
            do_sample=False,
            max_new_tokens=count,
            stopping_criteria=[clock],
            disable_compile=True,
        )
        rows = out[:, length:].tolist()
        return {"token_ids": rows, "times": [clock.times[: len(row)] for row in rows]}

    def _share(self, cache: StaticCache, ids: torch.Tensor, shared: int) -> None:
        """Compute the prefix that all prompts share once, and repeat its keys and values."""
        prefix = StaticCache(config=self.model.config, max_cache_len=shared)
        self.model(ids[:1, :shared], past_key_values=prefix, logits_to_keep=1)
        for index, layer in enumerate(prefix.layers):
            keys, values = (x.expand(ids.shape[0], -1, -1, -1) for x in (layer.keys, layer.values))
            cache.update(keys, values, index)

    def _fill(self, cache: StaticCache, batch: int, length: int) -> None:
        """Fill the keys and values of the first `length` tokens with random numbers."""
        config = self.model.config
        size = (batch, config.num_key_value_heads, length, config.head_dim)
        for index in range(config.num_hidden_layers):
            cache.update(*(torch.randn(size, dtype=self.model.dtype) for _ in range(2)), index)


class GenerateBatch:
    """transformers' continuous batching, by `generate_batch`'s manager, which accepts a length per request."""

    def __init__(self, settings: Settings) -> None:
        self.model = load(settings)
        self.settings = settings
        self.facts: dict[str, Any] = {"transformers": transformers.__version__, "cache": "paged"}

    def run(self, workload: Workload) -> dict[str, Any]:
        """Implement `Peer.run`."""
        if workload["filled"]:
            raise NotImplementedError("there is no way to put keys and values into generate_batch's cache")
        config = transformers.ContinuousBatchingConfig(
            page_size=256,
            num_blocks=self.settings["kv_tokens"] // 256,
            max_batch_tokens=512,  # faster than 2048: its mask has a row and a column for every token of a step
            max_requests_per_batch=self.settings["max_num_seqs"],
        )
        generation = GenerationConfig(do_sample=False, max_new_tokens=max(workload["max_tokens"]), eos_token_id=-1)
        tokens, done = Tokens(len(workload["prompts"])), 0
        with self.model.continuous_batching_context_manager(generation, continuous_batching_config=config) as manager:
            start = time.perf_counter()
            for index, (prompt, count) in enumerate(zip(workload["prompts"], workload["max_tokens"], strict=True)):
                manager.add_request(
                    prompt, request_id=str(index), max_new_tokens=count, record_timestamps=True, eos_token_id=-1
                )
            while done < len(workload["prompts"]):
                result = manager.get_result(timeout=1)
                if result is None and not manager.is_running():
                    raise RuntimeError("its thread ended")
                if result is not None and result.is_finished():
                    if result.error is not None:
                        raise RuntimeError(result.error)
                    index, done = int(result.request_id), done + 1
                    tokens.token_ids[index] = result.generated_tokens
                    tokens.times[index] = [moment - start for moment in result.timestamps]
        return tokens.answer()


if __name__ == "__main__":
    serve(lambda settings: (GenerateBatch if settings["batching"] else Generate)(settings))
