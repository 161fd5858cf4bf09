"""Cost of `batch_invariant=True` on a GPU: decode steps with it and without, products by their tiles, launches a layer.

    python evals/bench/exact_gpu.py [--only products] [--only steps] [--batch 32] [--context 1024] [--compile]
                                    [--output evals/results/exact-gpu.json]

Steps are those of Qwen3-1.7B's shape, at two sevenths of its layers and vocabulary, in CUDA graphs, by engines over the
same weights that take turns; medians over rounds. The engine with batch_invariant must give the same tokens and
logprobs at batch 1 and at `--batch`. Products are compared with torch's on weights that do not fit into the L2; other
tiles than a product's own are measured too, and must have its bits. Rows are written as they are measured.
`--device cpu --tiny` is a smoke test.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from evals.bench import machine
from evals.bench.engine_gpu import copy_bandwidth, decode_seconds, prompts_of, wait
from evals.bench.shapes import QWEN3_17B_PART
from torchpaged import LLM, SamplingParams
from torchpaged.ops.triton import batch_invariant
from torchpaged.ops.triton.batch_invariant import Tiles

Row = dict[str, Any]
# (outputs, K) of Qwen3-1.7B's products: q and o, k and v, gate and up, down, and a part of the head.
PRODUCTS = ((2048, 2048), (1024, 2048), (6144, 2048), (2048, 6144), (43408, 2048))
FEW_TILES = [
    Tiles(outputs, 64, inner, 4, stages)
    for outputs, inner, stages in itertools.product((16, 32, 64), (128, 256), (3, 4, 6))
    if stages * inner * (outputs + 64) <= 110_000
]


def replay_ms(call: Callable[[], Any], copies: int, device: torch.device) -> float:
    """Return the milliseconds of one of `copies` calls in a graph, the median of replays."""
    if device.type != "cuda":
        call()
        return 0.0
    call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    times = []
    for _ in range(12):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times[2:]) / copies


class Product:
    """A product with weights that do not fit into the L2 together.

    Attributes:
        row: of the table, without the time.
    """

    def __init__(self, rows: int, outputs: int, inner: int, options: argparse.Namespace) -> None:
        self._device = torch.device(options.device)
        few = rows <= batch_invariant.FEW_ROWS
        copies = max(1, min(24, (256 << 20) // (2 * outputs * inner))) if few else 4
        made = {"dtype": torch.bfloat16, "device": self._device}
        self._weights = [torch.randn(outputs, inner, **made) for _ in range(copies)]
        self._x, self._out = torch.randn(rows, inner, **made), torch.empty(rows, outputs, **made)
        bound = max(2 * outputs * inner / options.bandwidth, 2 * rows * outputs * inner / 8e14) * 1e3
        self.row = {"rows": rows, "outputs": outputs, "inner": inner, "bound_ms": bound}
        self.run()
        self._expected = self._out.clone()

    def run(self, own: Tiles | None = None) -> None:
        """Multiply with each weight."""
        for weight in self._weights:
            batch_invariant.matmul(self._x, weight.t(), None, self._out, own)

    def time(self, own: Tiles | None = None) -> Row:
        """Return the time of one product, and whether its bits are those of the tiles that the product chooses."""
        self.run(own)
        same = torch.equal(self._out, self._expected)
        return {"ms": replay_ms(lambda: self.run(own), len(self._weights), self._device), "same_bits": same}

    def torch_ms(self) -> float:
        """Return the time of torch's product."""

        def run() -> None:
            for weight in self._weights:
                torch.nn.functional.linear(self._x, weight)

        return replay_ms(run, len(self._weights), self._device)


def products(options: argparse.Namespace) -> Iterator[Row]:
    """Yield a row for each product and number of rows; then for tiles."""
    shapes = PRODUCTS[1:2] if options.tiny else PRODUCTS
    for rows, shape in itertools.product((1, options.batch, 2048), shapes):
        made = Product(rows, *shape, options)
        yield {**made.row, "kernel": "torch", "ms": made.torch_ms()}
        yield {**made.row, "kernel": "own", **made.time()}
    for rows, shape in itertools.product((options.batch, 2048), shapes):
        made, few = Product(rows, *shape, options), rows <= batch_invariant.FEW_ROWS
        for own in FEW_TILES if few else batch_invariant.MANY:
            name = {**made.row, "kernel": str(tuple(asdict(own).values()))}
            try:
                yield {**name, **made.time(own)}
            except Exception as error:
                yield {**name, "failed": repr(error)[:200]}


def build(options: argparse.Namespace) -> Any:
    """Build the model with random weights on the device."""
    from transformers import AutoConfig, AutoModelForCausalLM

    torch.manual_seed(0)
    # With a tied head random weights repeat their token with certainty, and no logprob shows a bit.
    sizes = {**QWEN3_17B_PART, "max_position_embeddings": 8192, "tie_word_embeddings": False}
    if options.tiny:
        sizes |= {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 512}
    config = AutoConfig.for_model("qwen3", **sizes, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    with torch.device(options.device):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()
    model.generation_config.eos_token_id = None
    return model


def steps(options: argparse.Namespace) -> Iterator[Row]:
    """Yield a row for each engine: a decode step's time, its launches, and whether bits depend on the batch."""
    model, device = build(options), torch.device(options.device)
    room = options.batch * -(-(options.context + 1100) // 16) + 1
    engines = {}
    for compiled, exact in itertools.product((False, True) if options.compile else (False,), (False, True)):
        name = f"{'compiled' if compiled else 'not compiled'}, {'exact' if exact else 'default'}"
        try:
            llm = LLM(
                model,
                device=options.device,
                num_blocks=room,
                block_size=16,
                max_num_seqs=options.batch,
                max_model_len=options.context + 1024,
                cudagraph_capture_sizes=sorted({1, options.batch}),
                **({"compile": compiled, "batch_invariant": exact} if device.type == "cuda" else {"compile": False}),
            )
        except Exception as error:
            traceback.print_exc()
            yield {"engine": name, "failed": repr(error)[:300]}
            continue
        engines[name] = llm
        machine.progress(f"{name}: ready")
    while options.after and not options.after.exists():
        time.sleep(0.1)
    prompts = prompts_of(model, options.batch, options)
    times: dict[str, list[float]] = {}
    for _ in range(options.rounds):
        for name, llm in engines.items():
            times.setdefault(name, []).append(decode_seconds(llm.engine, prompts, options.steps))
    base = None
    for name, seconds in times.items():
        step = statistics.median(seconds)
        base = step if "default" in name else base
        row = {"engine": name, "batch": options.batch, "step_ms": 1e3 * step, "of_default": step / (base or step)}
        yield {
            **row,
            "spread": [1e3 * min(seconds), 1e3 * max(seconds)],
            "same_bits": same_bits(engines[name], prompts),
        }
    for name, llm in engines.items() if device.type == "cuda" else ():
        yield {"engine": name, **launches(llm, prompts, model.config.num_hidden_layers)}


def same_bits(llm: LLM, prompts: list[list[int]]) -> bool:
    """Return whether the first prompt's tokens and logprobs are the same alone and among all."""
    params = SamplingParams(temperature=0.0, max_tokens=16, ignore_eos=True, logprobs=2)
    found = []
    for each in (prompts, prompts[:1]):
        output = llm.generate(each, params, use_tqdm=False)[0].outputs[0]
        found.append((output.token_ids, [[row[t].logprob for t in row] for row in output.logprobs or ()]))
    return found[0] == found[1]


def launches(llm: LLM, prompts: list[list[int]], layers: int) -> Row:
    """Return a decode step's kernels, those that run at least once a layer too, by a profile of replays."""
    engine = llm.engine
    params = SamplingParams(temperature=0.0, max_tokens=200, ignore_eos=True)
    names = [f"count-{i}" for i in range(len(prompts))]
    for name, prompt in zip(names, prompts, strict=True):
        engine.add_request(name, prompt, params)
    begun: set[str] = set()
    while len(begun) < len(names):
        begun.update(output.request_id for output in engine.step())
    engine.step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(4):
            engine.step()
        wait(torch.device("cuda"))
    counts: Counter[str] = Counter()
    spent: Counter[str] = Counter()
    for event in profile.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            counts[event.name[:90]] += 1
            spent[event.name[:90]] += event.device_time
    for name in names:
        engine.abort(name)
    of_layers = {name: count / 4 / layers for name, count in counts.items() if count >= 4 * layers}
    table = [[name, round(counts[name] / 4, 2), round(us / 4, 1)] for name, us in spent.most_common(24)]
    return {"launches": sum(counts.values()) / 4, "launches_a_layer": sum(of_layers.values()), "kernels": table}


def main() -> None:
    """Measure, print each row, and write all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("products", "steps"), action="append")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--context", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compile", action="store_true", help="compiled engines too, which takes minutes")
    parser.add_argument(
        "--after", type=Path, help="measure once this file is there: engines compile beside others' work"
    )
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--output", type=Path, default=Path("evals/results/exact-gpu.json"))
    options = parser.parse_args()
    options.bandwidth = copy_bandwidth(torch.device(options.device), tiny=options.tiny)
    rows: list[Row] = []
    result = {**machine.describe([sys.executable.rsplit("/", 1)[-1], *sys.argv]), "tiny": options.tiny}
    result |= {"copy_gb_per_s": options.bandwidth / 1e9, "rows": rows}
    with torch.inference_mode():
        for name, measure in (("steps", steps), ("products", products)):
            for row in measure(options) if not options.only or name in options.only else ():
                rows.append(row)
                print(json.dumps({k: round(v, 5) if isinstance(v, float) else v for k, v in row.items()}), flush=True)
                options.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
