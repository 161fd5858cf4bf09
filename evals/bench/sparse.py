"""Speed of attention that chooses, choosing included, against dense `paged_attention` in the same run, on the CPU.

    python evals/bench/sparse.py decode prefill quest context [--threads 2] [--output evals/results/sparse]

- decode: one token for each of 1 and 8 sequences behind 32,768 tokens, 2,048 of them chosen.
- prefill: a prompt of 8,192 tokens, by eight chunks of 128 tokens that are spread evenly over it.
- quest: a decode step of a dense model behind 32,768 tokens, a quarter of the blocks chosen by bounds of their keys.
- context: a decode step behind 4,096 to 131,072 tokens, as a plot.

The shapes are those of whole layers: DeepSeek V3.2's, whose latents all heads read and whose tokens are chosen one by
one, and MiniMax-M3's, whose KV heads choose blocks of 128. The bound of a decode step is the
larger of two: its bytes (index keys, and the rows that are chosen) at the measured rate of reading, and its operations
at the measured rate of a large product. Prints a table, writes JSON and a plot.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from torchpaged.tools.bounds import Gauge
from torchpaged.utils.huge_pages import reserved_zeros

OPS = torch.ops.torchpaged
BLOCK_SIZE = 16
CHOSEN = 2048


@dataclass(frozen=True)
class Case:
    """One layer's attention.

    Args:
        heads, kv_heads, head_dim: of queries and keys.
        head_dim_v: of values, the first numbers of the keys where there is no tensor for them.
        index_heads, index_dim: of the indexer.
        granularity: tokens of a group that is chosen.
        selections: choices of a token: 1, or one for each KV head.
    """

    name: str
    heads: int
    kv_heads: int
    head_dim: int
    head_dim_v: int
    latent: bool
    index_heads: int
    index_dim: int
    granularity: int
    selections: int

    @property
    def row(self) -> int:
        """Return the numbers of keys and values that are read for a token."""
        return self.kv_heads * (self.head_dim + (0 if self.latent else self.head_dim_v))

    def decode_work(self, batch: int, context: int) -> tuple[int, int]:
        """Return (bytes, operations) of a step that chooses."""
        numbers = context * self.index_dim + CHOSEN * self.row
        index = context * self.index_heads * self.index_dim
        chosen = CHOSEN * self.heads * (self.head_dim + self.head_dim_v)
        return 2 * batch * numbers, 2 * batch * (index + chosen)


CASES = (
    Case("DeepSeek V3.2", 128, 1, 576, 512, True, 64, 128, 1, 1),
    Case("MiniMax-M3", 64, 4, 128, 128, False, 4, 128, 128, 4),
)


def pool(blocks: int, heads: int, dim: int) -> Tensor:
    """Return random bfloat16 rows, heads first in memory and on the system's pages, as the engine allocates them."""
    tensor = reserved_zeros((blocks, heads, BLOCK_SIZE, dim), torch.bfloat16)
    flat, piece = tensor.view(-1), torch.randn(1 << 20).bfloat16()
    for start in range(0, flat.numel(), piece.numel()):
        part = flat[start : start + piece.numel()]
        part.copy_(piece[: part.numel()])
    return tensor.transpose(1, 2)


def calls(case: Case, batch: int, context: int, query_len: int) -> dict[str, Callable[[], object]]:
    """Return dense attention, choosing, attention over what was chosen, and both together."""
    per_seq = -(-context // BLOCK_SIZE)
    blocks = batch * per_seq + 1
    key = pool(blocks, case.kv_heads, case.head_dim)
    value = key[..., : case.head_dim_v] if case.latent else pool(blocks, case.kv_heads, case.head_dim_v)
    index = pool(blocks, 1, case.index_dim)
    tables = (torch.randperm(blocks - 1) + 1).to(torch.int32).view(batch, per_seq)
    tokens = batch * query_len
    query = torch.randn(tokens, case.heads, case.head_dim).bfloat16()
    index_query = torch.randn(tokens, case.index_heads, case.index_dim).bfloat16()
    weights = torch.rand(tokens, case.index_heads) if case.granularity == 1 else None
    lengths = torch.full((batch,), context, dtype=torch.int32)
    starts = torch.arange(0, tokens + 1, query_len, dtype=torch.int32)
    paged = (tables, lengths, starts)
    options: dict[str, Any] = {"rule": "relu"} if weights is not None else {"rule": "dot", "local": 1}
    options |= {"granularity": case.granularity, "num_selections": case.selections}

    def choose() -> Tensor:
        chosen: Tensor = OPS.paged_topk(index_query, weights, index, *paged, CHOSEN // case.granularity, **options)
        return chosen

    def attend(selected: Tensor) -> object:
        return OPS.paged_sparse_attention(
            query, key, value, *paged, selected, granularity=case.granularity, max_query_len=query_len
        )

    chosen = choose()
    return {
        "dense": lambda: OPS.paged_attention(query, key, value, *paged, max_query_len=query_len),
        "choosing": choose,
        "attention": lambda: attend(chosen),
        "sparse": lambda: attend(choose()),
    }


def measured(case: Case, batch: int, context: int, query_len: int, rounds: int, seconds: float) -> dict[str, Any]:
    """Return one row of the results."""
    times = machine.interleaved(calls(case, batch, context, query_len), rounds, seconds)
    row: dict[str, Any] = {"case": case.name, "batch": batch, "context": context, "query_len": query_len}
    row |= {f"{name}_ms": 1e3 * statistics.median(each) for name, each in times.items()}
    return row | {"speedup": machine.ratio(times["dense"], times["sparse"])}


def decode(gauge: Gauge) -> Iterator[dict[str, Any]]:
    """Yield the rows of decode steps, with their bounds."""
    for case in CASES:
        for batch in (1, 8):
            before = gauge.sample()
            row = measured(case, batch, 32768, 1, 3, 0.05)
            after = gauge.sample()
            read, gemm = max(before.read, after.read), max(before.gemm, after.gemm)
            num_bytes, flops = case.decode_work(batch, 32768)
            bound = max(num_bytes / read, flops / gemm)
            yield row | {
                "bytes": num_bytes,
                "flops": flops,
                "limit": "bytes" if num_bytes / read >= flops / gemm else "operations",
                "of_bound": 1e3 * bound / row["sparse_ms"],
            }


def prefill() -> Iterator[dict[str, Any]]:
    """Yield the rows of prompts. Each chunk takes long enough to run once."""
    length, chunks, size = 8192, 8, 128
    for case in CASES:
        seconds = dict.fromkeys(("dense", "sparse"), 0.0)
        for context in range(length // chunks, length + 1, length // chunks):
            functions = calls(case, 1, context, size)
            for name in seconds:
                start = time.perf_counter()
                functions[name]()
                seconds[name] += (time.perf_counter() - start) * length / chunks / size
        row: dict[str, Any] = {"case": case.name, "batch": 1, "context": length, "query_len": length}
        yield (
            row
            | {f"{name}_ms": 1e3 * each for name, each in seconds.items()}
            | {"speedup": seconds["dense"] / seconds["sparse"]}
        )


def quest() -> Iterator[dict[str, Any]]:
    """Yield the rows of Quest: a quarter of the blocks, chosen by bounds of each block's keys, for each KV head."""
    heads, kv_heads, dim, context = 16, 8, 128, 32768
    for batch in (1, 8):
        per_seq = context // BLOCK_SIZE
        blocks = batch * per_seq + 1
        key, value = pool(blocks, kv_heads, dim), pool(blocks, kv_heads, dim)
        bounds = torch.randn(blocks, kv_heads, 1, 2 * dim).bfloat16().transpose(1, 2)
        tables = (torch.randperm(blocks - 1) + 1).to(torch.int32).view(batch, per_seq)
        query = torch.randn(batch, heads, dim).bfloat16()
        lengths = torch.full((batch,), context, dtype=torch.int32)
        paged = (tables, lengths, torch.arange(batch + 1, dtype=torch.int32))
        options: dict[str, Any] = {"rule": "bounds", "num_selections": kv_heads, "initial": 1, "local": 1}
        options |= {"granularity": BLOCK_SIZE, "tokens_per_row": BLOCK_SIZE}

        def choose(
            query: Tensor = query, bounds: Tensor = bounds, paged: Any = paged, options: Any = options
        ) -> Tensor:
            chosen: Tensor = OPS.paged_topk(query, None, bounds, *paged, context // BLOCK_SIZE // 4, **options)
            return chosen

        def attend(selected: Tensor, args: Any = (query, key, value, *paged)) -> Tensor:
            out: Tensor = OPS.paged_sparse_attention(*args, selected, granularity=BLOCK_SIZE, max_query_len=1)
            return out

        def dense(args: Any = (query, key, value, *paged)) -> Tensor:
            out: Tensor = OPS.paged_attention(*args, max_query_len=1)
            return out

        def both(choose: Callable[[], Tensor] = choose, attend: Callable[[Tensor], Tensor] = attend) -> Tensor:
            return attend(choose())

        times = machine.interleaved({"dense": dense, "choosing": choose, "sparse": both}, 5, 0.1)
        row: dict[str, Any] = {"case": "Quest, a quarter", "batch": batch, "context": context, "query_len": 1}
        row |= {f"{name}_ms": 1e3 * statistics.median(each) for name, each in times.items()}
        yield row | {"speedup": machine.ratio(times["dense"], times["sparse"])}


def contexts() -> Iterator[dict[str, Any]]:
    """Yield the rows of the plot."""
    for case in CASES:
        for context in (4096, 8192, 16384, 32768, 65536, 131072):
            yield measured(case, 1, context, 1, 3, 0.03)


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the time of a decode step over the context."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(CASES), figsize=(9, 3.6), sharex=True)
    for axis, case in zip(axes, CASES, strict=True):
        own = [row for row in rows if row["case"] == case.name]
        for name in ("dense", "sparse", "choosing", "attention"):
            style = "-" if name in ("dense", "sparse") else ":"
            points = [row[f"{name}_ms"] for row in own]
            axis.plot([row["context"] for row in own], points, style, marker="o", label=name)
        axis.set(title=f"{case.name}, {CHOSEN:,} chosen", xlabel="tokens of context", xscale="log", yscale="log")
        axis.set_xscale("log", base=2)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("ms a layer and step")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=("decode", "prefill", "quest", "context"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(0)
    path = None if given.output is None else given.output.with_suffix(".json")
    found: dict[str, Any] = json.loads(path.read_text()) if path is not None and path.exists() else {}
    for part in given.parts:
        if part == "decode":
            made = decode(Gauge(torch.device("cpu"), torch.bfloat16, 256 << 20))
        else:
            made = {"prefill": prefill, "quest": quest, "context": contexts}[part]()
        rows = []
        for row in made:
            rows.append(row)
            print({name: round(x, 3) if isinstance(x, float) else x for name, x in row.items()}, flush=True)
        found[part] = {"machine": machine.describe(sys.argv), "rows": rows}
        if path is not None:
            path.write_text(json.dumps(found, indent=1) + "\n")
            if part == "context":
                plot(rows, given.output.with_suffix(".png"))


if __name__ == "__main__":
    main()
