"""Hopper's prefill kernel beside the general one for wide heads and 8-bit caches: bits and times.

    python3 evals/bench/prefill_variants.py --output FILE [--tiny]

All kernels are compiled first, in a process a variant; then a row is printed and kept as it comes. `--tiny` tries the
script on the CPU, with the reference in both places.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import traceback
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from torch import Tensor

from evals.bench.ops_gpu import timed
from torchpaged.ops import reference

# Head dims of keys and values, query and KV heads, and the cache's type.
VARIANTS: dict[str, tuple[int, int, int, int, torch.dtype]] = {
    "256": (256, 256, 16, 8, torch.bfloat16),
    "192/128": (192, 128, 16, 16, torch.bfloat16),
    "128, e4m3": (128, 128, 32, 8, torch.float8_e4m3fn),
    "128, int8": (128, 128, 32, 8, torch.int8),
    "192/128, e4m3": (192, 128, 16, 16, torch.float8_e4m3fn),
}
KERNELS = ("general", "today", "hopper")


def call(name: str, new: int, total: int, device: str) -> tuple[Any, Tensor]:
    """Return the operator's call over one sequence in scattered blocks of 16, and what it writes."""
    dim, dim_v, heads, kv_heads, dtype = VARIANTS[name]
    generator = torch.Generator(device).manual_seed(0)

    def numbers(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, device=device)

    blocks = -(-total // 16)
    keys, values = ((numbers(blocks, 16, kv_heads, each) * 20).to(dtype) for each in (dim, dim_v))
    scale = None if dtype == torch.bfloat16 else torch.tensor(0.05, device=device)
    if scale is None:
        keys, values = keys / 20, values / 20
    out = torch.empty(new, heads, dim_v, dtype=torch.bfloat16, device=device)
    tensors = (
        numbers(new, heads, dim).to(torch.bfloat16),
        keys,
        values,
        torch.randperm(blocks, generator=generator, device=device).to(torch.int32)[None],
        torch.tensor([total], dtype=torch.int32, device=device),
        torch.tensor([0, new], dtype=torch.int32, device=device),
    )
    names = ("alibi_slopes", "sinks", "tree_mask", "distance_bias")
    options: dict[str, Any] = {
        **dict.fromkeys(names),
        "scale": dim**-0.5,
        "causal": True,
        "sliding_window": 0,
        "softcap": 0.0,
        "k_scale": scale,
        "v_scale": scale,
        "max_query_len": new,
        "num_splits": 0,
    }
    operator = reference.paged_attention
    if device == "cuda":
        from torchpaged.ops.triton import paged_attention

        operator = paged_attention.paged_attention
    return partial(operator, *tensors, out, None, **options), out


def compile_all() -> None:
    """Fill Triton's cache."""
    workers = [subprocess.Popen([sys.executable, __file__, "--compile", name]) for name in VARIANTS]
    for worker in workers:
        worker.wait()


def choose(kernel: str) -> None:
    """Let calls take Hopper's kernel, with 64 keys of codes a tile, or the general one."""
    from torchpaged.ops.triton import decode_sm90, paged_attention, prefill_sm90

    hopper = kernel == "hopper"
    paged_attention._prefill_sm90 = lambda capability: prefill_sm90 if hopper else None  # type: ignore[assignment]
    # Bits are compared with as many keys a tile; the time of today's is with its own.
    decode = decode_sm90 if kernel != "today" else None
    paged_attention._decode_sm90 = lambda capability: decode  # type: ignore[assignment]


def main() -> None:
    """Measure and keep each variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("prefill-variants.json"))
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--compile", choices=VARIANTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    device = "cpu" if options.tiny else "cuda"
    if options.compile:
        for kernel in KERNELS:
            choose(kernel)
            call(options.compile, 600, 600, device)[0]()
        return
    if not options.tiny:
        compile_all()
    rows: list[dict[str, Any]] = []
    for name in VARIANTS:
        for new, total in ((20, 50),) if options.tiny else ((8192, 8192), (2048, 16384)):
            row: dict[str, Any] = {"variant": name, "new": new, "total": total}
            try:
                attend, out = call(name, new, total, device)
                found = {}
                for kernel in KERNELS:
                    if not options.tiny:
                        choose(kernel)
                    attend()
                    found[kernel] = out.clone()
                    row[f"{kernel}_us"] = timed([attend], torch.device(device), options.rounds) * 1e6
                row["bits_unlike_general"] = int((found["hopper"] != found["general"]).sum())
                row["nan"] = int(found["hopper"].isnan().sum())
            except Exception:
                row["failed"] = traceback.format_exc()[-1500:]
            rows.append(row)
            print(row, flush=True)
            options.output.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(any("failed" in row for row in rows))


if __name__ == "__main__":
    main()
