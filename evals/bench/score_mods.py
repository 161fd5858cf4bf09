"""Speed of `score_mod` and `mask_mod`: prefill of one sequence, against compiled FlexAttention and ourselves without.

    python evals/bench/score_mods.py [--tokens 8192] [--threads 1] [--case alibi] [--json evals/results/score_mods.json]

Each case gives FlexAttention and torchpaged the same functions; FlexAttention gets a block mask that was made before.
"without" is `paged_attention` with an option of its own in place of the functions, or with causality alone where it has
none. The three take turns in one run. Prints a table of medians, and writes JSON, where rows of other cases stay.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import and_masks, create_block_mask, flex_attention

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from torchpaged import ops

HEADS, KV_HEADS, DIM, BLOCK, WINDOW = 8, 2, 64, 16, 1024


def causal(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    """See the keys up to its own position."""
    return q_idx >= kv_idx


def window(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    """See the last keys."""
    return q_idx - kv_idx < WINDOW


def documents(tokens: int) -> Callable[..., Any]:
    """Return the mask of eight documents of mixed length."""
    shares = torch.tensor([1, 5, 2, 9, 3, 1, 7, 4])
    ends = (shares.cumsum(0) * tokens) // shares.sum()
    document = torch.bucketize(torch.arange(tokens), ends, right=True)
    return lambda b, h, q_idx, kv_idx: document[q_idx] == document[kv_idx]


def alibi(score: Any, b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    """Take from a score what its head's slope says of the distance."""
    return score + (kv_idx - q_idx) * torch.exp2(-((h + 1) * 8.0 / HEADS))


def softcap(score: Any, b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    """Keep scores below 20."""
    return 20.0 * torch.tanh(score / 20.0)


@dataclass
class Case:
    """Functions, and our own options that do the same or the nearest thing."""

    name: str
    mask_mod: Callable[..., Any]
    score_mod: Callable[..., Any] | None = None
    own: dict[str, Any] = field(default_factory=dict)


def cases(tokens: int) -> list[Case]:
    """Return the cases at a length."""
    slopes = torch.exp2(-torch.arange(1, HEADS + 1) * 8.0 / HEADS)
    document = documents(tokens)
    return [
        Case("causal", causal),
        Case("window", and_masks(causal, window), own={"sliding_window": WINDOW}),
        Case("documents", and_masks(causal, document)),
        Case("window in documents", and_masks(causal, window, document), own={"sliding_window": WINDOW}),
        Case("alibi", causal, alibi, {"alibi_slopes": slopes}),
        Case("softcap", causal, softcap, {"softcap": 20.0}),
    ]


def ways(case: Case, tokens: int, dtype: torch.dtype) -> dict[str, Callable[[], Tensor]]:
    """Return each way to compute a case."""
    g = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(tokens, n, DIM, generator=g).to(dtype) for n in (HEADS, KV_HEADS, KV_HEADS))
    caches = [each.unflatten(0, (-1, BLOCK)) for each in (key, value)]
    tables = torch.arange(tokens // BLOCK, dtype=torch.int32)[None]
    paged = (query, *caches, tables, *(torch.tensor(each, dtype=torch.int32) for each in ([tokens], [0, tokens])))
    ops.register_mask_mod(case.name, case.mask_mod)
    names = {"mask_mod": case.name}
    if case.score_mod is not None:
        ops.register_score_mod(case.name, case.score_mod)
        names["score_mod"] = case.name
    heads_first = [each.transpose(0, 1)[None].contiguous() for each in (query, key, value)]
    block_mask = create_block_mask(case.mask_mod, None, None, tokens, tokens, device="cpu")
    compiled = torch.compile(flex_attention, dynamic=False)

    def ours() -> Tensor:
        out: Tensor = torch.ops.torchpaged.paged_attention(*paged, **names)
        return out

    def flex() -> Tensor:
        out: Tensor = compiled(*heads_first, score_mod=case.score_mod, block_mask=block_mask, enable_gqa=True)
        return out[0].transpose(0, 1)

    def without() -> Tensor:
        out: Tensor = torch.ops.torchpaged.paged_attention(*paged, **case.own)
        return out

    difference = (ours() - flex()).abs().max()  # the same numbers, or the times mean nothing
    assert difference < (1e-5 if dtype == torch.float32 else 3e-2), f"{case.name}: differs by {difference:.1e}"
    return {"torchpaged": ours, "FlexAttention": flex, "without": without}


def main() -> None:
    """Measure the cases that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=8192)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--case", help="one of them")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    rows = []
    for case in cases(given.tokens):
        if given.case not in (None, case.name):
            continue
        machine.progress(case.name)
        times = machine.interleaved(ways(case, given.tokens, getattr(torch, given.dtype)), given.rounds, 0.0)
        medians = {way: statistics.median(each) * 1e3 for way, each in times.items()}
        ratio, cost = (machine.ratio(times[other], times["torchpaged"]) for other in ("FlexAttention", "without"))
        print(f"{case.name:20}", *(f"{way} {each:8.1f} ms" for way, each in medians.items()), f"  {ratio:.2f}x")
        rows.append({"case": case.name, "milliseconds": medians, "speedup": ratio, "without_over_with": cost})
    if given.json:
        kept = json.loads(given.json.read_text())["rows"] if given.json.exists() else []
        rows = [*(row for row in kept if row["case"] not in {each["case"] for each in rows}), *rows]
        shape = {"tokens": given.tokens, "heads": HEADS, "kv_heads": KV_HEADS, "dim": DIM, "dtype": given.dtype}
        result = {"machine": machine.describe(sys.argv), **shape, "rows": rows}
        given.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
