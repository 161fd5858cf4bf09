"""Speed of the packed linear layers on the CPU, against the memory bandwidth, the arithmetic peak and torch's own
layers.

    python evals/bench/linear.py [--dtype bfloat16] [--quick] [--output evals/results/linear-cpu]

The shapes of Qwen3-0.6B, rotating over more copies of the weights than the caches hold. Each row is one shape and
number of tokens: our product in a float dtype, in int8 and with weights of 4 and 8 bits in groups, whose float16 scales
count among their bytes; `torch.nn.functional.linear`, and oneDNN with a prepacked weight. All run in turn with a reader
of memory on 2 MiB pages; the arithmetic peak is a product whose weight stays in the cache.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from torchpaged.utils.huge_pages import huge_page_zeros
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_linear import pack_grouped, quantise_weight

OPS = torch.ops.torchpaged
# (in_features, out_features): q, k and v, o, gate or up, down, q+k+v and gate+up fused; the vocabulary.
SHAPES = ((1024, 1024), (1024, 2048), (2048, 1024), (1024, 3072), (3072, 1024), (1024, 4096), (1024, 6144))
VOCABULARY = (1024, 151936)
TOKENS = (1, 4, 8, 32, 128, 512, 2048)
NAMES = {torch.bfloat16: "bf16", torch.float32: "fp32"}
# Bits and group sizes.
GROUPED = {"int4-g128": (4, 128), "int4-g32": (4, 32), "int4-g16": (4, 16), "int8-g32": (8, 32)}
Way = Callable[[Tensor], Callable[[], Tensor]]
IN_ROTATION = 420 << 20  # bytes of weights that a kernel reads before it returns to the first copy


def in_rotation(weight: Tensor, place: Callable[[Tensor], Tensor], product: Callable[[Tensor, Tensor], Tensor]) -> Way:
    """Return `product(x, weight)` over copies of a weight that fill `IN_ROTATION`; each call uses the next copy."""
    copies = [place(weight) for _ in range(max(1, IN_ROTATION // weight.nbytes))]

    def with_input(x: Tensor) -> Callable[[], Tensor]:
        following = itertools.cycle(copies)
        return lambda: product(x, next(following))

    return with_input


def on_huge_pages(tensor: Tensor) -> Tensor:
    """Return a copy on 2 MiB pages, as `PackedLinear` stores its weight."""
    return huge_page_zeros(tensor.shape, tensor.dtype).copy_(tensor)


def grouped(in_features: int, out_features: int) -> dict[str, tuple[Way, int]]:
    """Return our products with weights in groups, and the bytes of each weight."""
    found = {}
    for name, (bits, size) in GROUPED.items():
        if in_features % size == 0:
            codes = torch.randint(1 << bits, (out_features, in_features), dtype=torch.uint8)
            scale = torch.rand(out_features, in_features // size).half()
            packed, form = pack_grouped(GroupedWeight(codes, bits, size, scale))

            def ours(x: Tensor, packed: Tensor, code: int = form.code) -> Tensor:
                out: Tensor = OPS.packed_linear(x, packed, out_features, format=code)
                return out

            found[name] = in_rotation(packed, on_huge_pages, ours), packed.nbytes
    return found


def contenders(in_features: int, out_features: int, dtype: torch.dtype = torch.bfloat16) -> dict[str, tuple[Way, int]]:
    """Return each product with a weight of this shape, ours in its dtype first, and the bytes of the weight."""
    weight = torch.randn(out_features, in_features).to(dtype)
    int8, scale = quantise_weight(weight)
    mkldnn = torch.ops.mkldnn

    def ours(x: Tensor, packed: Tensor) -> Tensor:
        out: Tensor = OPS.packed_linear(x, packed, out_features)
        return out

    def ours_int8(x: Tensor, packed: Tensor) -> Tensor:
        out: Tensor = OPS.packed_linear(x, packed, out_features, weight_scale=scale)
        return out

    onednn: dict[str, tuple[Way, int]] = {}
    if dtype is not torch.bfloat16 or mkldnn._is_mkldnn_bf16_supported():  # AVX2 without AVX-512 has no such product
        way = in_rotation(
            weight,
            mkldnn._reorder_linear_weight,
            lambda x, w: mkldnn._linear_pointwise(x, w, None, "none", [], ""),
        )
        onednn["onednn"] = way, weight.nbytes
    return {
        NAMES[dtype]: (in_rotation(OPS.pack_linear_weight(weight), on_huge_pages, ours), weight.nbytes),
        "int8": (in_rotation(OPS.pack_linear_weight(int8), on_huge_pages, ours_int8), int8.nbytes),
        **grouped(in_features, out_features),
        "torch": (in_rotation(weight, Tensor.clone, linear), weight.nbytes),
        **onednn,
    }


def peaks(rounds: int, dtype: torch.dtype) -> dict[str, float]:
    """Return the best rate, in 10^9 operations per second, of products whose weight stays in the cache."""
    x = torch.randn(2 * 14 * 8, 1024).to(dtype)
    weight = torch.randn(256, 1024).to(dtype)
    int8, scale = quantise_weight(weight)
    packed, packed_int8 = OPS.pack_linear_weight(weight), OPS.pack_linear_weight(int8)
    functions = {
        NAMES[dtype]: lambda: OPS.packed_linear(x, packed, 256),
        "int8": lambda: OPS.packed_linear(x, packed_int8, 256, weight_scale=scale),
    }
    times = machine.interleaved(functions, rounds, 0.05)
    return {name: 2 * x.shape[0] * weight.numel() / min(seconds) / 1e9 for name, seconds in times.items()}


def measure(
    ways: dict[str, tuple[Way, int]],
    shape: tuple[int, int],
    tokens: int,
    read: Callable[[], None],
    read_bytes: int,
    rounds: int,
    dtype: torch.dtype = torch.bfloat16,
) -> dict[str, Any]:
    """Return one row: medians, and ratios taken round by round."""
    x, own = torch.randn(tokens, shape[0]).to(dtype), NAMES[dtype]
    functions: dict[str, Callable[[], object]] = {name: way(x) for name, (way, _) in ways.items()}
    times = machine.interleaved({"read": read, **functions}, rounds, seconds=0.03)
    row: dict[str, Any] = {"in_features": shape[0], "out_features": shape[1], "tokens": tokens}
    row["read_gb_s"] = read_bytes / statistics.median(times["read"]) / 1e9
    for name, (_, weight_bytes) in ways.items():
        seconds = statistics.median(times[name])
        row[f"{name}_us"] = seconds * 1e6
        row[f"{name}_gflops"] = 2 * tokens * shape[0] * shape[1] / seconds / 1e9
        row[f"{name}_of_bandwidth"] = machine.ratio(times["read"], times[name]) * weight_bytes / read_bytes
    for peer in ways.keys() & {"torch", "onednn"}:
        row[f"x_{peer}"] = machine.ratio(times[peer], times[own])
    row[f"int8_x_{own}"] = machine.ratio(times[own], times["int8"])
    for name in GROUPED.keys() & ways.keys():
        row[f"{name}_x_int8"] = machine.ratio(times["int8"], times[name])
    return row


def table(rows: list[dict[str, Any]], dtype: torch.dtype = torch.bfloat16) -> str:
    """Return the rows as text: shares of the bandwidth if the weights are the limit, rates if arithmetic is."""
    own = NAMES[dtype]
    rates = (f"{name} {unit}" for name in (own, "int8") for unit in ("GB/s", "GF/s"))
    titles = ("shape", "tokens", *rates, "x torch", "x oneDNN", f"int8 x {own}")
    lines = ["".join(f"{title:>16}" for title in titles)]
    for row in rows:
        cells = [f"{row['in_features']}->{row['out_features']}", str(row["tokens"])]
        for name in (own, "int8"):
            share = row[f"{name}_of_bandwidth"]
            cells += [f"{share * row['read_gb_s']:.1f} ({share:.0%})", f"{row[f'{name}_gflops']:.0f}"]
        cells += [f"{row[key]:.2f}" if key in row else "" for key in ("x_torch", "x_onednn", f"int8_x_{own}")]
        lines.append("".join(f"{cell:>16}" for cell in cells))
    return "\n".join(lines)


def grouped_table(rows: list[dict[str, Any]]) -> str:
    """Return the grouped weights' share of the bandwidth by their bytes, and their speed relative to int8."""
    lines = ["".join(f"{title:>18}" for title in ("shape", "tokens", *GROUPED))]
    for row in rows:
        cells = [f"{row['in_features']}->{row['out_features']}", str(row["tokens"])]
        for name in GROUPED:
            there = f"{name}_x_int8" in row
            cells.append(f"{row[f'{name}_of_bandwidth']:.0%}, {row[f'{name}_x_int8']:.2f} x int8" if there else "")
        lines.append("".join(f"{cell:>18}" for cell in cells))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16")
    parser.add_argument("--quick", action="store_true", help="two shapes, few rounds")
    parser.add_argument("--output", type=Path, default=Path("evals/results/linear-cpu"))
    arguments = parser.parse_args()
    dtype: torch.dtype = getattr(torch, arguments.dtype)
    rounds = 3 if arguments.quick else 5
    shapes = ((1024, 3072), (3072, 1024)) if arguments.quick else (*SHAPES, VOCABULARY)

    torch.manual_seed(0)
    buffer = huge_page_zeros((IN_ROTATION,), torch.uint8).fill_(1)
    reader = machine.reader()
    result: dict[str, Any] = {
        **machine.describe(["python", *sys.argv]),
        "peak_gflops": peaks(rounds, dtype),
        "rows": [],
    }
    for shape in shapes:
        ways = contenders(*shape, dtype)
        for tokens in TOKENS:
            if shape == VOCABULARY and tokens > 32:  # a step computes logits only of the tokens that it samples
                continue
            machine.progress(f"{shape[0]} -> {shape[1]}, {tokens} tokens")
            row = measure(ways, shape, tokens, lambda: reader(buffer), buffer.nbytes, rounds, dtype)
            result["rows"].append(row)
        del ways  # frees a gigabyte or two
    print(table(result["rows"], dtype))
    print(grouped_table(result["rows"]))
    print("peaks in the cache: " + ", ".join(f"{k} {v:.0f} GF/s" for k, v in result["peak_gflops"].items()))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
