"""Hopper's prefill kernel beside the general one and torch's SDPA: values, bits, repeatability, times.

    python3 evals/bench/prefill_gpu.py --output FOLDER          # on a GPU; about 20 seconds
    python3 evals/bench/prefill_gpu.py --tiny                   # every path but the kernels, on the CPU

Each runs in a process of its own, so that a kernel that hangs or faults costs its time limit and nothing else. All
processes start and compile together; then each has the GPU to itself. Every line is printed as it comes, and
FOLDER/prefill-gpu.json is rewritten after each.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
# The kernels are called directly. Without this the import would build the C++ library first.
TINY = os.environ.get("TORCHPAGED_PREFILL_TINY") == "1"
if not TINY:
    os.environ.setdefault("TORCHPAGED_BACKEND", "reference")

TODAY, HOPPER, PEERS = "general kernel", "Hopper's kernel", "sdpa"
WORKERS = (TODAY, HOPPER, PEERS)

RAGGED = ((1000, 1777), (33, 100), (515, 515))
MIXED = ((1, 4096),) * 63 + ((1985, 4096),)
SHAPES = {"ragged": RAGGED, "8192": ((8192, 8192),), "chunk": ((2048, 16384),), "mixed": MIXED}
DEVICE = "cpu" if TINY else "cuda"
if TINY:
    SHAPES = {
        "ragged": ((33, 100), (51, 51)),
        "8192": ((40, 40),),
        "chunk": ((20, 40),),
        "mixed": ((1, 50),) * 9 + ((20, 50),),
    }


# --- In a worker ----------------------------------------------------------------------------------------------------


def say(**row: Any) -> None:
    """Hand a line to the parent."""
    print("@" + json.dumps(row), flush=True)


def _by_reference(inputs: Any, out: Any) -> None:
    import torch

    import torchpaged  # noqa: F401 - defines the operators

    torch.ops.torchpaged.paged_attention.out(
        *(inputs.query, inputs.keys, inputs.values, inputs.tables, inputs.seq_lens, inputs.starts), out=out
    )


def attend(inputs: Any, out: Any) -> None:
    """Call the operator's launcher."""
    if TINY:
        return _by_reference(inputs, out)
    from torchpaged.ops.triton.paged_attention import paged_attention

    paged_attention(
        *(inputs.query, inputs.keys, inputs.values, inputs.tables, inputs.seq_lens, inputs.starts, out, None),
        scale=inputs.case.head_dim**-0.5,
        causal=True,
        sliding_window=0,
        softcap=0.0,
        alibi_slopes=None,
        sinks=None,
        k_scale=None,
        v_scale=None,
        tree_mask=None,
        distance_bias=None,
        max_query_len=inputs.max_query_len,
        num_splits=0,
    )


def make(name: str, seed: int) -> Any:
    """Return a case's inputs. Slots that no sequence reads hold NaN."""
    import torch

    from evals.bench.gpu_cases import Case
    from evals.bench.gpu_inputs import Inputs

    inputs: Any = Inputs(Case("mixed" if name == "mixed" else "prefill", SHAPES[name]), torch.device(DEVICE), seed)
    size = inputs.case.block_size
    seen = torch.zeros(inputs.keys.shape[:2], dtype=torch.bool, device=DEVICE)
    for index, (_, total) in enumerate(SHAPES[name]):
        position = torch.arange(total, device=DEVICE)
        seen[inputs.tables[index].long()[position // size], position % size] = True
    if name == "ragged":
        for each in (inputs.keys, inputs.values):
            each[~seen] = torch.nan
    return inputs


def oracle_error(inputs: Any, out: Any) -> float:
    """Return the largest error of a head to float64, relative to its norm, over 64 rows of each sequence or all."""
    import torch

    worst = 0.0
    for index, (new, total) in enumerate(inputs.case.lengths):
        if index and index < len(inputs.case.lengths) - 1 and len(inputs.case.lengths) > 8:
            continue
        query, keys, values = inputs.contiguous(index)
        first = int(inputs.starts[index])
        if new * total > 4 << 20:
            rows = torch.cat([torch.arange(32), torch.randint(32, new - 32, (64,)), torch.arange(new - 32, new)]).to(
                DEVICE
            )
        else:
            rows = torch.arange(new, device=DEVICE)
        hidden = torch.arange(total, device=DEVICE) > (rows + total - new)[:, None]
        group = inputs.case.heads // inputs.case.kv_heads
        for head in range(inputs.case.heads):
            q, k, v = query[head][rows].double(), keys[head // group].double(), values[head // group].double()
            scores = (q @ k.T * inputs.case.head_dim**-0.5).masked_fill(hidden, -torch.inf)
            expected = scores.softmax(-1) @ v
            found = out[first + rows, head].double()
            error = ((found - expected).norm() / expected.norm()).item()
            worst = max(worst, error) if error == error else error
            if worst != worst:
                return worst
    return worst


def synchronize() -> None:
    """Wait for the GPU, and raise what its kernels have raised."""
    import torch

    if not TINY:
        torch.cuda.synchronize()


def different(found: Any, expected: Any) -> int:
    """Return how many elements differ in their bits."""
    import torch

    return int((found.view(torch.int16) != expected.view(torch.int16)).sum())


def measure(name: str, folder: Path, rounds: int) -> None:
    """Check and time a kernel on each case."""
    import torch

    from evals.bench.ops_gpu import timed

    device = torch.device(DEVICE)
    for case in SHAPES:
        sets = [make(case, seed) for seed in range(1 if case in ("ragged", "mixed") else 3)]
        outs = [torch.full_like(each.query, torch.nan) for each in sets]
        calls = [functools.partial(attend, each, out) for each, out in zip(sets, outs, strict=True)]
        row: dict[str, Any] = {"worker": name, "case": case}
        calls[0]()
        synchronize()
        row["unwritten_or_nan"] = int(outs[0].isnan().sum())
        if name == TODAY:
            torch.save(outs[0], folder / f"{case}.pt")
        elif (expected := folder / f"{case}.pt").exists():
            row["bits_unlike_today"] = different(outs[0], torch.load(expected, map_location=device))
        row["error"] = oracle_error(sets[0], outs[0])
        first = outs[0].clone()
        again = []
        for _ in range(20 if case == "ragged" else 5):
            outs[0].fill_(torch.nan)
            calls[0]()
            again.append(different(outs[0], first))
        row["repeats"] = max(again) == 0
        if case == "ragged":
            row.update(_other_batches(sets[0], first))
        else:
            row["us"] = timed(calls, device, rounds) * 1e6
        say(**row)
        del sets, outs, calls


def _other_batches(inputs: Any, expected: Any) -> dict[str, int]:
    """Return how many elements of the first sequence change where it comes alone, or only its last tokens do."""
    import copy

    import torch

    changed = {}
    whole = inputs.case.lengths[0][0]
    for label, count in (("alone", whole), ("chunked", whole * 3 // 10)):
        part: Any = copy.copy(inputs)
        part.query = inputs.query[whole - count : whole].clone()
        part.tables, part.seq_lens = inputs.tables[:1], inputs.seq_lens[:1]
        part.starts = torch.tensor([0, count], dtype=torch.int32, device=DEVICE)
        part.max_query_len = count
        out = torch.full_like(part.query, torch.nan)
        attend(part, out)
        changed[label] = different(out, expected[whole - count : whole])
    return changed


def measure_peers(rounds: int) -> None:
    """Time torch's SDPA over contiguous keys and values, and the card's own rates."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.attention.bias import causal_lower_right
    from torch.nn.functional import scaled_dot_product_attention

    from evals.bench.ops_gpu import timed

    device = torch.device(DEVICE)
    for case in ("8192", "chunk"):
        sets = [make(case, seed) for seed in range(3)]
        new, total = SHAPES[case][0]
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            row: dict[str, Any] = {"worker": PEERS, "case": case, "backend": backend.name}
            try:
                calls = []
                for each in sets:
                    query, keys, values = (x.contiguous()[None] for x in each.contiguous(0))
                    group = each.case.heads // each.case.kv_heads
                    keys, values = (x.repeat_interleave(group, 1) for x in (keys, values))
                    bias = None if new == total else causal_lower_right(new, total)

                    def call(q: Any = query, k: Any = keys, v: Any = values, bias: Any = bias) -> Any:
                        with sdpa_kernel(backend):  # noqa: B023 - called within this round of the loop
                            return scaled_dot_product_attention(q, k, v, attn_mask=bias, is_causal=bias is None)

                    calls.append(call)
                row["error"] = oracle_error(sets[0], calls[0]()[0].transpose(0, 1))
                row["us"] = timed(calls, device, rounds) * 1e6
            except Exception as error:
                row["unsupported"] = f"{type(error).__name__}: {error}"[:200]
            say(**row)


def rates(rounds: int) -> None:
    """Measure the card's rates."""
    if TINY:
        return
    import torch

    from evals.bench.ops_gpu import timed

    device = torch.device(DEVICE)
    side = torch.randn(8192, 8192, device=device, dtype=torch.bfloat16)
    gemm = 2 * 8192**3 / timed([lambda: side @ side], device, rounds)
    source = torch.randint(0, 255, (1 << 30,), dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    copied = 2 * source.numel() / timed([lambda: target.copy_(source)], device, rounds, graph=False)
    say(worker=TODAY, case="rates", gemm_tflops=gemm / 1e12, copy_tb=copied / 1e12, gpu=torch.cuda.get_device_name())


def work(name: str, folder: Path, rounds: int) -> None:
    """Compile, say so, wait for the GPU, measure."""
    import torch

    began = time.perf_counter()
    try:
        torch.manual_seed(0)
        if name == TODAY and not TINY:
            from torchpaged.ops.triton import paged_attention

            paged_attention._prefill_sm90 = lambda capability: None  # type: ignore[assignment]
        for case in SHAPES if name != PEERS else ():
            inputs = make(case, 0)
            attend(inputs, inputs.out)
        synchronize()
        say(worker=name, ready=time.perf_counter() - began)
        if sys.stdin.readline().strip() != "go":
            return
        if name == PEERS:
            measure_peers(rounds)
        else:
            if name == TODAY:
                rates(rounds)
            measure(name, folder, rounds)
        say(worker=name, done=True)
    except BaseException:
        say(worker=name, failed=traceback.format_exc()[-1500:])
        raise


# --- In the parent --------------------------------------------------------------------------------------------------


class Worker:
    """A process with one kernel, and the lines that it has printed."""

    def __init__(self, name: str, folder: Path, rounds: int) -> None:
        self.name = name
        self.lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        command = [sys.executable, __file__, "--worker", name, "--output", str(folder), "--rounds", str(rounds)]
        self.log = (folder / f"{WORKERS.index(name):02d}.log").open("w")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=ROOT
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("@"):
                self.lines.put(json.loads(line[1:]))
            else:
                self.log.write(line)
        self.lines.put(None)

    def until(self, word: str, deadline: float) -> Iterator[dict[str, Any]]:
        """Yield the lines up to one with `word`; a last one says so if the process ended or the time ran out."""
        while True:
            try:
                row = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                self.process.kill()
                yield {"worker": self.name, "failed": f"no {word!r} in time: killed"}
                return
            if row is None:
                yield {"worker": self.name, "failed": f"ended with {self.process.wait()} before {word!r}"}
                return
            yield row
            if word in row or "failed" in row:
                return

    def go(self) -> None:
        """Let it have the GPU."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()


def show(row: dict[str, Any]) -> str:
    """Return a line of the table."""
    rest = {k: round(v, 6) if isinstance(v, float) else v for k, v in row.items() if k not in ("worker", "case")}
    return f"{row['worker']:<52}{row.get('case', ''):<30}" + " ".join(f"{k}={v}" for k, v in rest.items())


def run(names: list[str], output: Path, rounds: int, limit: float) -> None:
    """Start the workers, give each the GPU in turn, and keep what they say."""
    output.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    rows: list[dict[str, Any]] = []

    def keep(row: dict[str, Any]) -> None:
        rows.append({**row, "at": round(time.monotonic() - began, 2)})
        print(f"{time.monotonic() - began:6.1f} s  {show(row)}", flush=True)
        (output / "prefill-gpu.json").write_text(json.dumps(rows, indent=1) + "\n")

    with tempfile.TemporaryDirectory() as kept:
        workers = [Worker(name, Path(kept), rounds) for name in names]
        try:
            for worker in workers:
                good = True
                for row in worker.until("ready", min(began + limit, max(began + 60, time.monotonic() + 1))):
                    keep(row)
                    good = "failed" not in row
                left = began + limit - time.monotonic()
                if good and left > 1:
                    worker.go()
                    for row in worker.until("done", time.monotonic() + min(20, left)):
                        keep(row)
                worker.process.kill()
        finally:
            for worker in workers:
                worker.process.kill()
                worker.log.close()
            for path in sorted(Path(kept).glob("*.log")):
                print(f"--- {path.name}\n{path.read_text()[-3000:]}", flush=True)
    table(rows)


def table(rows: list[dict[str, Any]]) -> None:
    """Print the times beside today's."""
    cases = ["8192", "chunk", "mixed"]
    times = {(row["worker"], row["case"]): row["us"] for row in rows if "us" in row and "backend" not in row}
    ragged = {row["worker"]: row for row in rows if row.get("case") == "ragged"}
    print(f"\n{'us (of today)':<52}" + "".join(f"{case:>20}" for case in cases) + "   ragged: bits, repeats, error")
    for name in WORKERS:
        line = f"{name:<52}"
        for case in cases:
            us, base = times.get((name, case)), times.get((TODAY, case))
            line += f"{f'{us:.0f} ({us / base:.2f})' if us and base else '-':>20}"
        row = ragged.get(name, {})
        line += f"   {row.get('bits_unlike_today')} {row.get('repeats')} {row.get('error')}"
        print(line)
    for row in rows:
        if "backend" in row:
            print(f"{row['backend']:<52}{row['case']:<30}{row.get('us', row.get('unsupported'))}")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("prefill"))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="*", choices=WORKERS, help="workers; all by default")
    parser.add_argument("--limit", type=float, default=115, help="seconds in all")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--worker", choices=WORKERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tiny:
        os.environ["TORCHPAGED_PREFILL_TINY"] = "1"
    if options.worker:
        work(options.worker, options.output, options.rounds)
    else:
        run(list(options.only or WORKERS), options.output, options.rounds, options.limit)


if __name__ == "__main__":
    main()
