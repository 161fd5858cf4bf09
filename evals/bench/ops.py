"""Speed of the operators on the CPU, as ratios to peers measured in the same run.

    python evals/bench/ops.py [--quick] [--only TEXT ...] [--output evals/results/ops-cpu]
    python -m evals.bench.ops --rounds 5 --only shared --output evals/results/shared-prefix
    python -m evals.bench.ops --rounds 5 --only "b1 c32768" "b1 c98304" --output evals/results/long-context

Decode against the machine's read bandwidth on 2 MiB pages, SDPA over contiguous keys and values, gather + SDPA,
and compiled flex_attention; behind a shared prefix against copies of it; prefill against torch.mm and SDPA. Prints a
table, writes JSON and a roofline plot.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from torchpaged.ops import int4_cache
from torchpaged.ops.checks import QUANTISED_DTYPES
from torchpaged.ops.library import OPERATORS
from torchpaged.utils.huge_pages import huge_page_zeros, reserved_zeros

OPS = torch.ops.torchpaged
BLOCK_SIZE = 16


@dataclass(frozen=True)
class Shape:
    """One call: `query_len` new tokens on top of a context, for `batch` sequences."""

    batch: int
    context: int  # tokens in the cache, including the new ones
    query_len: int = 1
    heads: int = 16
    kv_heads: int = 8
    head_dim: int = 128
    cache: str = "bfloat16"
    query: str = "bfloat16"
    shared: int = 0  # tokens at the beginning that lie in the same blocks for all sequences

    @property
    def name(self) -> str:
        kind = "decode" if self.query_len == 1 else f"prefill {self.query_len}"
        shared = f" shared {self.shared}" if self.shared else ""
        heads = f"h{self.heads}/{self.kv_heads} d{self.head_dim}"
        return f"{kind} b{self.batch} c{self.context}{shared} {heads} {self.cache}"

    @property
    def kv_bytes(self) -> int:
        """Return the bytes of the cache that a step must read."""
        tokens = self.batch * (self.context - self.shared) + self.shared
        row = int4_cache.bytes_per_number(getattr(torch, self.cache)) * self.head_dim
        return round(2 * tokens * self.kv_heads * row)

    @property
    def flops(self) -> int:
        """Return the multiplications and additions of the visible part of both products."""
        before = self.context - self.query_len
        pairs = self.query_len * before + self.query_len * (self.query_len + 1) // 2
        return 4 * self.batch * self.heads * self.head_dim * pairs


def pool(shape: Shape, blocks: int) -> Tensor:
    """Return random keys or values, heads first in memory and on the system's pages, as the engine allocates them."""
    dtype = getattr(torch, shape.cache)
    row = int4_cache.row_size(shape.head_dim, dtype)
    tensor = reserved_zeros((blocks, shape.kv_heads, BLOCK_SIZE, row), dtype)
    flat = tensor.view(-1)
    if dtype == int4_cache.DTYPE:
        piece = int4_cache.pack(torch.randn(1 << 13, shape.head_dim)).flatten()
    elif dtype == torch.int8:
        piece = torch.randint(-127, 128, (1 << 20,)).to(dtype)
    else:
        piece = torch.randn(1 << 20).to(dtype)
    for start in range(0, flat.numel(), piece.numel()):
        part = flat[start : start + piece.numel()]
        part.copy_(piece[: part.numel()])
    return tensor.transpose(1, 2)


def paged(shape: Shape) -> tuple[Callable[..., Tensor], dict[str, Tensor]]:
    """Return the operator on scattered blocks, which may be given other tables, and its tensors for the peers."""
    per_seq = -(-shape.context // BLOCK_SIZE)
    blocks = shape.batch * per_seq + 1
    key, value = pool(shape, blocks), pool(shape, blocks)
    tables = (torch.randperm(blocks - 1) + 1).to(torch.int32).view(shape.batch, per_seq)
    apart = tables.clone()
    tables[:, : shape.shared // BLOCK_SIZE] = tables[0, : shape.shared // BLOCK_SIZE]
    query = torch.randn(shape.batch * shape.query_len, shape.heads, shape.head_dim).to(getattr(torch, shape.query))
    lengths = torch.full((shape.batch,), shape.context, dtype=torch.int32)
    starts = torch.arange(0, shape.batch * shape.query_len + 1, shape.query_len, dtype=torch.int32)
    scales = {}
    if getattr(torch, shape.cache) in QUANTISED_DTYPES:
        scales = {"k_scale": torch.tensor(0.01), "v_scale": torch.tensor(0.01)}
    tensors = {"query": query, "key": key, "value": value, "tables": tables, "lengths": lengths, "apart": apart}

    def run(tables: Tensor = tables) -> Tensor:
        out: Tensor = OPS.paged_attention(
            query, key, value, tables, lengths, starts, max_query_len=shape.query_len, **scales
        )
        return out

    return run, tensors


def peers(shape: Shape, tensors: dict[str, Tensor], with_flex: bool) -> dict[str, Callable[[], object]]:
    """Return the same attention by other means: over contiguous copies, gathering first, and flex_attention."""
    b, n, h, d = shape.batch, shape.query_len, shape.heads, shape.head_dim
    query = tensors["query"].view(b, n, h, d).transpose(1, 2)
    gather = (tensors["key"], tensors["value"], tensors["tables"], tensors["lengths"], shape.context)
    key, value = (x.transpose(1, 2).contiguous() for x in OPS.gather_kv_cache(*gather))
    mask = None
    if 1 < n < shape.context:
        mask = torch.arange(shape.context)[None] <= torch.arange(n)[:, None] + (shape.context - n)
    causal = n == shape.context and n > 1

    def attend(k: Tensor, v: Tensor) -> Tensor:
        return scaled_dot_product_attention(query, k, v, attn_mask=mask, is_causal=causal, enable_gqa=True)

    def gathered() -> Tensor:
        k, v = OPS.gather_kv_cache(*gather)
        return attend(k.transpose(1, 2), v.transpose(1, 2))

    functions: dict[str, Callable[[], object]] = {"sdpa": lambda: attend(key, value), "gather_sdpa": gathered}
    if with_flex:
        from torch.nn.attention.flex_attention import flex_attention

        flex = torch.compile(flex_attention)
        functions["flex"] = lambda: flex(query, key, value, enable_gqa=True)
    return functions


def shapes(quick: bool) -> list[Shape]:
    """Return the grid: one dimension varied at a time around 16/8 heads of 128 in bfloat16."""
    if quick:
        return [Shape(8, 512), Shape(8, 2048), Shape(8, 2048, cache="int8"), Shape(1, 512, query_len=512)]
    grid = [Shape(b, c) for b in (1, 8, 32) for c in (512, 2048, 8192, 32768)]
    grid += [Shape(8, 2048, heads=8 * g) for g in (1, 4, 8)]
    grid += [Shape(8, 2048, head_dim=64), Shape(8, 8192, head_dim=64)]
    grid += [Shape(8, 2048, cache="float32", query="float32")]
    grid += [Shape(8, 8192, cache=cache) for cache in ("int8", "float8_e4m3fn", "float8_e5m2")]
    grid += [Shape(8, 8192, cache="uint8"), *(Shape(n, 8192 + 256, shared=8192) for n in (2, 8, 32))]
    grid += [Shape(8, 8192 + 256, shared=8192, cache="int8")]
    grid += [Shape(32, 2048 + 256, heads=9, kv_heads=3, head_dim=64, shared=2048)]
    grid += [Shape(1, n, cache=cache) for n in (32768, 98304) for cache in ("bfloat16", "int8", "uint8")][1:]
    grid += [Shape(1, n, query_len=n) for n in (512, 2048, 8192)]
    grid += [Shape(1, 8192, query_len=256)]
    return grid


def measure(
    shape: Shape, read: Callable[[Tensor], None], buffer: Tensor, gemm: tuple[Tensor, Tensor], rounds: int
) -> dict[str, Any]:
    """Return one row: medians, and ratios taken round by round."""
    run, tensors = paged(shape)
    functions: dict[str, Callable[[], object]] = {"paged": run}
    decode, query_dtype = shape.query_len == 1, tensors["query"].dtype
    if decode:
        functions["read"] = lambda: read(buffer)
    else:
        functions["mm"] = lambda: gemm[0] @ gemm[1]
    if shape.shared:
        functions["apart"] = lambda: run(tensors["apart"])
    comparable = getattr(torch, shape.cache).itemsize > 1 and shape.kv_bytes < 2 << 30 and not shape.shared
    comparable = comparable and (decode or gemm[0].dtype == query_dtype)  # torch's slow products would take minutes
    if comparable:
        functions |= peers(shape, tensors, with_flex=decode and shape.batch == 8)
    times = machine.interleaved(functions, rounds, seconds=0.05)
    seconds = statistics.median(times["paged"])
    row: dict[str, Any] = {"name": shape.name, **asdict(shape), "paged_us": seconds * 1e6}
    row["flops_per_byte"] = shape.flops / shape.kv_bytes
    row["gflops"] = shape.flops / seconds / 1e9
    row["kv_gb_s"] = shape.kv_bytes / seconds / 1e9
    if decode:
        row["of_bandwidth"] = machine.ratio(times["read"], times["paged"]) * shape.kv_bytes / buffer.nbytes
    else:
        row["of_gemm"] = machine.ratio(times["mm"], times["paged"]) * shape.flops / (2 * gemm[0].shape[0] ** 3)
    for peer in ("sdpa", "gather_sdpa", "flex", "apart"):
        if peer in times:
            row[f"x_{peer}"] = machine.ratio(times[peer], times["paged"])
    return row


def call_overhead(rounds: int) -> dict[str, float]:
    """Return microseconds of a call on one token of one head, and of an empty C++ operator with its arguments."""
    _, tensors = paged(Shape(1, 1, heads=1, kv_heads=1, head_dim=32))
    starts = torch.tensor([0, 1], dtype=torch.int32)
    arguments = (*(tensors[name] for name in ("query", "key", "value", "tables", "lengths")), starts)
    empty = machine.empty_operator(next(op.schema for op in OPERATORS if op.overload == "paged_attention"))
    functions = {
        "paged": lambda: OPS.paged_attention(*arguments, max_query_len=1),
        "empty": lambda: empty(*arguments, max_query_len=1),
    }
    times = machine.interleaved(functions, rounds, 0.05)
    paged_us, empty_us = (statistics.median(times[name]) * 1e6 for name in ("paged", "empty"))
    return {"paged_us": paged_us, "empty_us": empty_us, "over_empty_us": paged_us - empty_us}


def plot(rows: list[dict[str, Any]], bandwidth: float, peak: float, path: Path) -> None:
    """Plot GFLOP/s over FLOP per byte of cache, under the two measured limits."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5))
    intensity = [2.0**i for i in range(-2, 16)]
    axes.plot(intensity, [min(peak, bandwidth * x) for x in intensity], color="black", label="read bandwidth, torch.mm")
    for kind, marker in (("decode", "o"), ("prefill", "s")):
        chosen = [row for row in rows if row["name"].startswith(kind)]
        for cache in dict.fromkeys(row["cache"] for row in chosen):
            mine = [row for row in chosen if row["cache"] == cache]
            axes.plot(
                [r["flops_per_byte"] for r in mine], [r["gflops"] for r in mine], marker, label=f"{kind}, {cache} cache"
            )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="FLOP per byte of the KV cache",
        ylabel="GFLOP/s",
        title="paged_attention on the CPU",
    )
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="four shapes, a minute")
    parser.add_argument("--only", nargs="+", default=[""], metavar="TEXT", help="shapes whose names contain one")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--output", type=Path, default=Path("evals/results/ops-cpu"), help="without suffix")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    read, buffer = machine.reader(), huge_page_zeros((512 << 20,), torch.uint8)
    buffer.fill_(1)
    # Without AVX-512 torch multiplies bfloat16 a hundred times slower, and attention multiplies float32.
    dtype = torch.bfloat16 if torch.backends.cpu.get_cpu_capability() == "AVX512" else torch.float32
    gemm = tuple(torch.randn(2048, 2048).to(dtype) for _ in range(2))
    small_pages = reserved_zeros(buffer.shape, buffer.dtype).fill_(1)
    whole = arguments.only == [""]
    chosen = [each for each in shapes(arguments.quick) if any(text in each.name for text in arguments.only)]
    limits: dict[str, Callable[[], object]]
    limits = {"read": lambda: read(buffer), "read_small_pages": lambda: read(small_pages)}
    if any(shape.query_len > 1 for shape in chosen):
        limits["mm"] = lambda: gemm[0] @ gemm[1]
    times = machine.interleaved(limits, arguments.rounds, 0.2)
    bandwidth, of_small_pages = (buffer.nbytes / statistics.median(times[name]) / 1e9 for name in list(limits)[:2])
    peak = 2 * 2048**3 / statistics.median(times["mm"]) / 1e9 if "mm" in times else None
    print(f"read bandwidth on 2 MiB pages {bandwidth:.1f} GB/s, on the system's {of_small_pages:.1f}")
    overhead = None
    if whole:  # it compiles an operator, which takes longer than a few shapes
        print(f"torch.mm {str(dtype).removeprefix('torch.')} 2048^3 {peak:.0f} GFLOP/s")
        overhead = call_overhead(arguments.rounds)
        print(f"call overhead: {overhead['over_empty_us']:.2f} us over an operator that does nothing")
    columns = ("of_bandwidth", "of_gemm", "x_sdpa", "x_gather_sdpa", "x_flex", "x_apart")
    print(f"{'':44}" + "".join(f"{name:>15}" for name in ("us", *columns)))
    rows = []
    with torch.inference_mode():
        for shape in chosen:
            row = measure(shape, read, buffer, gemm, arguments.rounds)  # type: ignore[arg-type]
            rows.append(row)
            cells = [f"{row['paged_us']:.0f}", *(f"{row[name]:.2f}" if name in row else "" for name in columns)]
            print(f"{shape.name:44}" + "".join(f"{cell:>15}" for cell in cells), flush=True)
    result = {
        **machine.describe(sys.argv),
        "read_gb_s": bandwidth,
        "read_gb_s_system_pages": of_small_pages,
        "mm_gflops": peak,
        "mm_dtype": str(dtype).removeprefix("torch."),
        "call_overhead": overhead,
        "ratios": "median over rounds of peer / paged seconds, measured in turn in one process",
        "rows": rows,
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
    if not whole or peak is None:
        return
    try:
        plot(rows, bandwidth, peak, arguments.output.with_suffix(".png"))
    except ModuleNotFoundError as error:
        machine.progress(f"no plot: {error}; pip install matplotlib")


if __name__ == "__main__":
    main()
