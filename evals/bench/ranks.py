"""Two ranks of one thread against one rank of two threads: decode at batch 8, and what the collectives take.

    python evals/bench/ranks.py [--model FOLDER] [--layers 12] [--tokens 24] [--rounds 2] [--output FILE]

Random weights in bfloat16, of Qwen3-0.6B's shape with fewer layers and tokens, so that all fits into a minute; they are
written to the folder if it does not exist. The collectives are
timed by themselves as well: an all-reduce of a decode step's hidden states over shared memory and over gloo.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
import torch.distributed as dist
from transformers import AutoConfig, AutoModelForCausalLM

from evals.bench import machine, shapes
from torchpaged import LLM, SamplingParams
from torchpaged.execution.ranks import launch
from torchpaged.execution.ranks.ending import Stopped, end
from torchpaged.execution.ranks.link import Link
from torchpaged.ops.collectives import ProcessGroup, SharedMemoryGroup

BATCH, PROMPT = 8, 32
TARGET = 0.8


def write_model(folder: str, layers: int) -> None:
    """Write a model with random weights."""
    shape = {**shapes.QWEN3_06B, "num_hidden_layers": layers, "vocab_size": 32768}
    config = AutoConfig.for_model("qwen3", **shape, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    torch.manual_seed(0)
    AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).save_pretrained(folder)


def decode_rate(llm: LLM, tokens: int, rounds: int) -> float:
    """Return tokens a second of decode steps at batch 8, the best round."""
    vocab = llm.engine.model.spec.vocab_size
    params = SamplingParams(temperature=0, max_tokens=tokens, ignore_eos=True)
    best = 0.0
    for number in range(rounds + 1):  # the first one warms up
        generator = torch.Generator().manual_seed(number)
        prompts = torch.randint(1, vocab, (BATCH, PROMPT), generator=generator).tolist()
        for i, prompt in enumerate(prompts):
            llm.engine.add_request(str(i), {"prompt_token_ids": prompt}, params)
        llm.engine.step()
        begin, count = time.perf_counter(), 0
        while llm.engine.has_unfinished_requests:
            count += len(llm.engine.step())
        best = max(best, count / (time.perf_counter() - begin))
    return best


def time_sums(channel: SharedMemoryGroup, folder: str) -> None:
    """Time the collectives on another rank."""
    _time_sums(launch.join(channel, torch.device("cpu")), folder)
    raise Stopped(0)


def _time_sums(link: Link, folder: str) -> dict[str, float]:
    store = dist.FileStore(f"{folder}/store", link.world)
    gloo = ProcessGroup(dist.ProcessGroupGloo(store, link.rank, link.world))
    found = {}
    x = torch.randn(BATCH, 1024).bfloat16()
    for name, group in (("shared memory", link.group), ("gloo", gloo)):
        times = []
        for _ in range(300):
            begin = time.perf_counter()
            group.all_reduce(x)
            times.append(time.perf_counter() - begin)
        found[name] = 1e6 * statistics.median(times)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--tokens", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(2)
    rates: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        model = given.model or f"{folder}/model"
        if not Path(model).exists():
            write_model(model, given.layers)
        more: dict[str, Any] = {"num_blocks": 256, "skip_tokenizer_init": True, "prepared_cache": False}
        for name, world in (("one rank of two threads", 1), ("two ranks of one thread", 2)):
            torch.set_num_threads(2)
            with LLM(model, tensor_parallel_size=world, **more) as llm:
                rates[name] = decode_rate(llm, given.tokens, given.rounds)
            print(f"{name}: {rates[name]:.1f} tokens/s", flush=True)
        link = launch.start(2, "evals.bench.ranks:time_sums", (folder,), torch.device("cpu"))
        sums = _time_sums(link, folder)
        end(link)
    first, second = rates.values()
    report = {
        "machine": machine.describe(["python", *sys.argv]),
        "layers": given.layers,
        "batch": BATCH,
        "tokens per second": rates,
        "ratio": second / first,
        "target": TARGET,
        "microseconds of an all-reduce of 8 x 1024 bfloat16": sums,
        "sums of a step": 2 * given.layers + 1,
    }
    print(json.dumps(report, indent=1))
    if given.output is not None:
        given.output.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
