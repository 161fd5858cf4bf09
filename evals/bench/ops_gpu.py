"""Speed of the operators on a GPU, as shares of the copy bandwidth or GEMM rate measured in the same run.

    python evals/bench/ops_gpu.py [--only decode] [--output evals/results/ops-gpu]
    python evals/bench/ops_gpu.py --device cpu --tiny     # every path, in seconds, without a GPU

Decode, prefill, chunked prefill, mixed batches, cache write, copy and swap (of blocks scattered, or in one run), and
the peers of `gpu_peers.py`: FlashAttention 3 and FlashInfer if they are installed, SDPA and compiled flex_attention
over contiguous keys and values. Inputs rotate through more memory than the device's cache, calls run from a CUDA graph,
times are medians. Before a call is timed, its output is filled with NaN, checked to be fully overwritten, and compared
with float64 arithmetic on one sequence; a peer's output is compared with ours.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import gpu_peers, machine
from evals.bench.gpu_cases import Case, cases
from evals.bench.gpu_inputs import LARGEST_ERROR, Inputs
from evals.bench.roofline import Rates

OPS = torch.ops.torchpaged
ROTATE_BYTES = 256 << 20  # all inputs together: several times an H200's 50 MB of L2
MOST_SETS = 64


def operation(inputs: Inputs) -> Callable[[], None]:
    """Return the case's call, checked once."""
    case = inputs.case
    if case.kind == "write":
        poison(inputs)

        def write() -> None:
            OPS.write_kv_cache(
                *(inputs.new_keys, inputs.new_values, inputs.keys, inputs.values, inputs.slots),
                k_scale=inputs.scale,
                v_scale=inputs.scale,
            )

        write()
        found = inputs.keys.view(torch.uint8) if inputs.keys.dtype.itemsize == 1 else inputs.keys
        expected = inputs.new_keys.to(inputs.keys.dtype)
        expected = expected.view(torch.uint8) if expected.dtype.itemsize == 1 else expected
        require_equal(case, found.flatten(0, 1)[inputs.slots], expected)
        return write
    if case.kind in ("copy", "swap", "swap run"):
        count = inputs.keys.shape[0] - 1
        pairs = torch.stack([torch.arange(1, count + 1), torch.randperm(count) + 1], 1)
        if case.kind == "swap run":
            pairs[:, 1] = pairs[:, 0]
        if case.kind != "copy":
            host = torch.zeros(inputs.keys.shape, dtype=inputs.keys.dtype, pin_memory=inputs.device.type == "cuda")

            def swap() -> None:
                OPS.swap_blocks(inputs.keys, host, pairs)

            swap()
            require_equal(case, host[pairs[:, 1]], inputs.keys.cpu()[pairs[:, 0]])
            return swap
        twice = [torch.cat([each, torch.full_like(each, torch.nan)]) for each in (inputs.keys, inputs.values)]
        pairs[:, 1] += count + 1
        pairs = pairs.to(inputs.device)

        def copy() -> None:
            OPS.copy_blocks(twice, pairs)

        copy()
        for each in twice:
            require_equal(case, each[pairs[:, 1]], each[pairs[:, 0]])
        return copy
    inputs.check_attention()
    return inputs.attend


def poison(inputs: Inputs) -> None:
    """Fill the caches with NaN, so that unwritten elements stay NaN."""
    for each in (inputs.keys, inputs.values):
        each.view(torch.uint8).fill_(0x7F) if each.dtype.itemsize == 1 else each.fill_(torch.nan)


def require_equal(case: Case, found: Tensor, expected: Tensor) -> None:
    """Raise unless all bits are equal."""
    if not torch.equal(found, expected):
        raise RuntimeError(f"{case.name}: {int((found != expected).sum())} elements are wrong")


def timed(calls: Sequence[Callable[[], object]], device: torch.device, rounds: int, *, graph: bool = True) -> float:
    """Return the median seconds of one call; the calls, each on its own inputs, run one after the other in a round."""
    for call in calls:
        call()
    if device.type != "cuda":
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            for call in calls:
                call()
            times.append((time.perf_counter() - start) / len(calls))
        return statistics.median(times)

    def run() -> None:
        for call in calls:
            call()

    torch.cuda.synchronize()
    if graph:
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            run()
        torch.cuda.synchronize()
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            run()
        run = captured.replay
    run()
    times = []
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3 / len(calls))
    return statistics.median(times)


def measure_rates(device: torch.device, rounds: int, tiny: bool) -> Rates:
    """Return the device's rates: a large copy, a large product of random numbers, a copy to pinned memory."""
    size = 1 << 20 if tiny else 1 << 31
    source = torch.randint(0, 255, (size,), dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    # Not from a graph, in which a copy was a fifth slower than as a direct call on an H100.
    copied = 2 * size / timed([lambda: target.copy_(source)], device, rounds, graph=False)
    side = 256 if tiny else 8192
    a, b = (torch.randn(side, side, device=device, dtype=torch.bfloat16) for _ in range(2))
    product = 2 * side**3 / timed([lambda: a @ b], device, rounds)
    host = torch.empty(size // 4, dtype=torch.uint8, pin_memory=device.type == "cuda")
    part = source[: size // 4]
    bus = host.nbytes / timed([lambda: host.copy_(part, non_blocking=True)], device, rounds, graph=False)
    return Rates(copied, product, bus)


def measure(case: Case, device: torch.device, rates: Rates, rounds: int, names: Sequence[str]) -> dict[str, Any]:
    """Return one row, with the named peers that support it."""
    torch._dynamo.reset()  # each shape compiles flex_attention anew; past a limit it would run uncompiled, silently
    work = case.work
    sets = max(1, min(MOST_SETS, -(-ROTATE_BYTES // work.num_bytes))) if device.type == "cuda" else 2
    inputs = [Inputs(case, device, seed) for seed in range(sets)]
    # A swap ends when the host's copy has arrived: not for a graph.
    seconds = timed([operation(each) for each in inputs], device, rounds, graph=not case.kind.startswith("swap"))
    bound, by = work.bound(rates)
    row: dict[str, Any] = {
        "name": case.name,
        "kind": case.kind,
        "seconds": seconds,
        "bound_seconds": bound,
        "bound_by": by,
        "share": bound / seconds,
        "predicted_share": bound / work.predicted(rates),
        "peers": {},
    }
    for name in names:
        peer = gpu_peers.PEERS[name]
        if peer.fits(case, device):
            try:
                row["peers"][name] = beside(peer, inputs, rounds) / seconds
            except Exception as error:  # the error goes into the row, and the run continues
                said = str(error).strip().splitlines()
                row["peers"][name] = said[0] if said else type(error).__name__
    return row


def beside(peer: gpu_peers.Peer, inputs: Sequence[Inputs], rounds: int) -> float:
    """Return a peer's median seconds of one call on the inputs that ours has run on.

    Raises:
        RuntimeError: its output differs from ours.
    """
    calls = [peer.make(each) for each in inputs]
    error = gpu_peers.error(calls[0](), inputs[0])
    if not error <= LARGEST_ERROR:
        raise RuntimeError(f"relative error {error:.2e} to ours, expected at most {LARGEST_ERROR}")
    return timed(calls, inputs[0].device, rounds)


def line(row: dict[str, Any]) -> str:
    """Return a line of the table."""
    beside = ", ".join(
        f"{value:.2f}x {name}" if isinstance(value, float) else f"{name} failed: {value[:80]}"
        for name, value in row["peers"].items()
    )
    share = f"{row['share']:6.1%} of {row['bound_by']} ({row['predicted_share']:.0%} at best)"
    return f"{row['name']:<72} {row['seconds'] * 1e6:10.1f} us {share:<36} {beside}"


def main() -> None:
    """Measure, print and write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="a few small shapes, as a smoke test")
    parser.add_argument("--only", action="append", help="run one kind of row: the first word of its name")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--no-flex", action="store_true", help="skip flex_attention, which compiles for each shape")
    parser.add_argument("--peers", nargs="*", choices=gpu_peers.PEERS, default=list(gpu_peers.PEERS))
    parser.add_argument("--output", type=Path, default=Path("evals/results/ops-gpu"))
    options = parser.parse_args()
    device = torch.device(options.device)
    torch.manual_seed(0)
    rates = measure_rates(device, options.rounds, options.tiny)
    result: dict[str, Any] = {**machine.describe(sys.argv), "rates": {}, "rows": []}
    for name in ("copy_bytes", "gemm_flops", "host_bytes"):
        result["rates"][name] = getattr(rates, name)
    print(", ".join(f"{name} {value / 1e12:.3f}e12/s" for name, value in result["rates"].items()), flush=True)
    names = [name for name in options.peers if not (name == "flex" and options.no_flex)]
    for case in cases(options.tiny):
        if options.only and case.kind.split()[0] not in options.only:
            continue
        row = measure(case, device, rates, options.rounds, names)
        result["rows"].append(row)
        print(line(row), flush=True)
        options.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")  # kept if a later row fails


if __name__ == "__main__":
    main()
