"""Acceptance that makes a draft model pay, from the step costs of a target and of drafts with a tenth of it.

    python -m evals.bench.draft_cost FOLDER [--output evals/results/draft-cost.json]

FOLDER has SmolLM2-135M (`evals/smollm2.py prepare`). Drafts have random weights: their time is that of trained ones. A
round of k drafts takes the first draft, k - 1 further ones and a step of k + 1 rows; if each draft is accepted with
probability a, it gives (1 - a^(k+1)) / (1 - a) tokens. Prints the least a with which some k is as fast as asked for.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from transformers import AutoConfig, AutoModelForCausalLM

from evals.bench import machine
from torchpaged import LLM
from torchpaged.scheduling.step_cost import bookkeeping

SPEEDS = (1.0, 1.25, 1.5)
MOST = 7  # drafts in a round
# Layers and width of the drafts; heads are 64 wide, and the vocabulary is the target's.
DRAFTS = {"2 layers of 256": (2, 256), "4 layers of 192": (4, 192), "1 layer of 128": (1, 128)}


def draft_of(folder: Path, layers: int, width: int) -> Any:
    """Return a model of the target's kind and vocabulary with random weights."""
    config = AutoConfig.from_pretrained(folder)
    config.update({"num_hidden_layers": layers, "hidden_size": width, "intermediate_size": 8 * width // 3 // 64 * 64})
    config.update({"num_attention_heads": width // 64, "num_key_value_heads": 1, "head_dim": 64})
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()


def tokens(acceptance: float, drafts: int) -> float:
    """Return the expected tokens of a round."""
    return sum(acceptance**i for i in range(drafts + 1))


def speed(acceptance: float, drafts: int, steps: Mapping[int, float], first: float, more: float) -> float:
    """Return how many times as fast as without drafts a text is generated."""
    round_ = steps[drafts + 1] + first + (drafts - 1) * more + bookkeeping(1, drafts)
    return tokens(acceptance, drafts) * steps[1] / round_


def needed(wanted: float, steps: Mapping[int, float], first: float, more: float) -> tuple[float, int] | None:
    """Return the least acceptance, in hundredths, and number of drafts that give a speed; None: not even 1 does."""
    for acceptance in (i / 100 for i in range(101)):
        best = max(range(1, MOST + 1), key=lambda k: speed(acceptance, k, steps, first, more))
        if speed(acceptance, best, steps, first, more) >= wanted:
            return acceptance, best
    return None


def measure(folder: Path, layers: int, width: int, rounds: int) -> dict[str, Any]:
    """Return seconds of the target's steps by rows and of drafts, and the acceptance that pays."""
    draft = draft_of(folder, layers, width)
    guesses = {"method": "draft_model", "model": draft, "num_speculative_tokens": MOST, "allow_inexact": True}
    sizes = tuple(range(1, MOST + 2))
    settings: dict[str, Any] = {"max_model_len": 1024, "max_num_seqs": 1, "kv_cache_memory_bytes": 200 << 20}
    with LLM(folder, dtype="bfloat16", speculative_config=guesses, **settings) as llm:
        executor, name = llm.engine.executor, llm.engine.model.spec.name
        times = [(executor.step_seconds(sizes), executor.draft_seconds([1])[0]) for _ in range(rounds)]
    # The least of the rounds: a neighbour only adds to a time.
    steps = dict(zip(sizes, map(min, zip(*(steps for steps, _ in times), strict=True)), strict=True))
    first, more = map(min, zip(*(drafts for _, drafts in times), strict=True))
    row: dict[str, Any] = {"target": name, "draft parameters": sum(each.numel() for each in draft.parameters())}
    row |= {"step_ms": {size: 1e3 * seconds for size, seconds in steps.items()}, "first_ms": 1e3 * first}
    row |= {"more_ms": 1e3 * more, "of a step": more / steps[1]}
    row["needed"] = {f"{wanted:g}x": needed(wanted, steps, first, more) for wanted in SPEEDS}
    row["best at 0.6"] = max(speed(0.6, k, steps, first, more) for k in range(1, MOST + 1))
    return row


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args(words)
    rows = {}
    for name, shape in DRAFTS.items():
        row = rows[name] = measure(given.folder, *shape, given.rounds)
        relative = {size: round(ms / row["step_ms"][1], 2) for size, ms in row["step_ms"].items()}
        print(f"{name}: {row['draft parameters'] / 1e6:.1f} M parameters, a draft {row['of a step']:.2f} of a step")
        print(f"  a step of m rows: {relative} of one of {row['step_ms'][1]:.1f} ms; at 0.6: {row['best at 0.6']:.2f}x")
        print(f"  acceptance (and drafts) needed: {row['needed']}", flush=True)
    if given.output is not None:
        given.output.write_text(json.dumps({**machine.describe(sys.argv), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
