"""Time of a step under adapters, over the same step of an engine without them, and beside vLLM's and llama.cpp's.

    python -m evals.bench.adapters [--models "0.6 B" SmolLM2] [--weights bf16 int4] [--seconds 8] [--prefills 3]
                                   [--keep] [--output evals/results/adapters]
    python -m evals.bench.adapters --zipf [--requests 300] [--output evals/results/adapters-zipf]

Models of Qwen3-0.6B's and of SmolLM2-135M's shape with random weights; adapters of rank 16 on all linear modules. Two
engines in one process, one of them with adapters, take steps in turn; a ratio is the median over pairs of consecutive
steps. Half seconds in which other programs had more than 4 % of the machine do not count. The share is that of an
adapter's bytes in those that a decode step of batch 1 reads of the weights.

The peers compute batch 8 of the 0.6 B model in bfloat16 in processes of their own, in turn with ours; llama.cpp under
one adapter, since it has one for all sequences of a context. Peers that are not installed (`python -m
evals.bench.peers.install`) are left out.

--zipf measures the server instead, with more adapters than its memory keeps: see `adapters_zipf`.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import itertools
import json
import os
import random
import signal
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from evals.bench import adapters_zipf, lora_inputs, machine
from evals.bench.bookkeeping import Decoding
from evals.bench.peers import checkpoint, install
from evals.bench.peers.process import PeerError, PeerProcess
from evals.bench.shapes import SMOLLM2_135M
from torchpaged import LLM, LLMEngine, LoRARequest, SamplingParams
from torchpaged.csrc.build import cache_directory
from torchpaged.tools.bench import engine_costs
from torchpaged.tools.workloads import Measure, Workload

SHAPES: dict[str, dict[str, Any]] = {"0.6 B": checkpoint.QWEN3_06B, "SmolLM2": SMOLLM2_135M}
WEIGHTS = ("bf16", "int4")
BATCH = MAX_LORAS = 8
PROMPT, PREFILL = 16, 2048
# Decode steps of a peer's run; its first ones are not counted.
PEER_STEPS, PEER_WARMUP = 24, 4
_LEAST_PAIRS = 3
# Seconds of a window, and the share of the machine that others may have in one that counts.
_WINDOW, MOST_OTHERS = 0.5, 0.04
# By case: requests, different adapters, and the target of the ratio over the base by the adapter's share.
PREFILL_CASE = f"prefill of {PREFILL}, one adapter"
CASES = {
    "batch 1, one adapter": (1, 1),
    "batch 8, one adapter": (BATCH, 1),
    "batch 8, eight adapters": (BATCH, 8),
    "batch 8, no adapter": (BATCH, 0),
    PREFILL_CASE: (1, 1),
}
TIMES_VLLM = 3.0


def target(case: str, share: float) -> float:
    """Return the largest ratio that issue 39 allows."""
    return {
        "batch 1, one adapter": 1.03 + share,
        "batch 8, one adapter": 1.08,
        "batch 8, eight adapters": 1.06 + 8 * share,
        "batch 8, no adapter": 1.01,
        PREFILL_CASE: 1.08,
    }[case]


class Others:
    """Measures the share of the machine's processor time that other programs, and other machines of the host, take."""

    def __init__(self) -> None:
        self._begin = self._read()

    def share(self) -> float:
        """Return the share since this was made; 0 where there is no /proc/stat."""
        busy, total, own = (now - then for now, then in zip(self._read(), self._begin, strict=True))
        return max(0.0, busy - own) / total if total else 0.0

    @staticmethod
    def _read() -> tuple[float, float, float]:
        """Return seconds of all processors: busy or stolen, all, and this process's."""
        try:
            ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        except OSError:
            return 0.0, 0.0, 0.0
        idle, tick, own = ticks[3] + ticks[4], os.sysconf("SC_CLK_TCK"), os.times()
        return (sum(ticks) - idle) / tick, sum(ticks) / tick, own.user + own.system


@dataclass(slots=True)
class Window:
    """Pairs of consecutive steps, (base, adapted) in seconds, and the share of other programs meanwhile."""

    pairs: list[tuple[float, float]]
    others: float


@dataclass(slots=True)
class Timing:
    """Windows of one case."""

    windows: list[Window] = field(default_factory=list)

    def add(self, pairs: list[tuple[float, float]], others: float) -> None:
        """Add a window."""
        self.windows.append(Window(pairs, others))

    @property
    def used(self) -> list[Window]:
        """The windows in which the machine was left alone; the quieter half if there is none."""
        quiet = [each for each in self.windows if each.others <= MOST_OTHERS]
        return quiet or sorted(self.windows, key=lambda each: each.others)[: (len(self.windows) + 1) // 2]

    @property
    def pairs(self) -> list[tuple[float, float]]:
        """The pairs of the used windows."""
        return [pair for window in self.used for pair in window.pairs]

    @property
    def others(self) -> float:
        """Share of other programs in the used windows."""
        return statistics.mean(each.others for each in self.used)


@dataclass(slots=True)
class Row:
    """Result of one case.

    Args:
        share: bytes of an adapter over those of the weights.
    """

    model: str
    weights: str
    case: str
    share: float
    timing: Timing

    @property
    def ratio(self) -> float:
        """Median over the pairs of the adapted step's time over the base step's."""
        return statistics.median(adapted / base for base, adapted in self.timing.pairs)

    def result(self) -> dict[str, Any]:
        """Return the row of the result file."""
        pairs, limit = self.timing.pairs, target(self.case, self.share)
        ratios = sorted(adapted / base for base, adapted in pairs)
        return {
            "model": self.model,
            "weights": self.weights,
            "case": self.case,
            "ratio": self.ratio,
            "target": limit,
            "met": self.ratio <= limit,
            "share": self.share,
            "base_seconds": statistics.median(base for base, _ in pairs),
            "adapted_seconds": statistics.median(adapted for _, adapted in pairs),
            "ratios_quartiles": [ratios[len(ratios) // 4], ratios[3 * len(ratios) // 4]],
            "pairs": len(pairs),
            "others": self.timing.others,
            "windows": [len(self.timing.used), len(self.timing.windows)],
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        }


class Engines:
    """An engine without adapters, and one that has eight, of the same model.

    Args:
        model: folder of a checkpoint.
        modules: the linear modules that the adapters change.
    """

    def __init__(self, model: Path, modules: Mapping[str, tuple[int, int]]) -> None:
        settings = {
            "dtype": "bfloat16",
            "device": "cpu",
            "max_model_len": PREFILL + 256,
            "max_num_seqs": BATCH,
            "max_num_batched_tokens": PREFILL,
            "num_blocks": 512,
            "enable_prefix_caching": False,
        }
        self._llms = [
            LLM(str(model), **settings),
            LLM(str(model), **settings, enable_lora=True, max_loras=MAX_LORAS, max_lora_rank=lora_inputs.RANK),
        ]
        self.base, self.adapted = (each.engine for each in self._llms)
        self.requests = [
            self._llms[1].update_lora(
                f"adapter-{seed}", lora_inputs.tensors(modules, seed), lora_inputs.config(modules)
            )
            for seed in range(MAX_LORAS)
        ]
        costs = engine_costs(self.base)
        assert costs is not None
        self.share = lora_inputs.num_bytes(modules) / costs.weight_bytes
        self._random, self._vocabulary = random.Random(0), self.base.model.config.vocab_size

    def prompts(self, count: int, length: int) -> list[list[int]]:
        """Return random prompts."""
        return [self._random.choices(range(self._vocabulary), k=length) for _ in range(count)]

    def of(self, case: str) -> list[LoRARequest | None]:
        """Return the adapter of each of a case's requests."""
        count, different = CASES[case]
        return [self.requests[number % different] if different else None for number in range(count)]

    def decode(self, case: str, seconds: float) -> Timing:
        """Time a base step and an adapted one in turn, with the first place alternating.

        Args:
            seconds: of windows in which the machine was left alone; after four times as long, what there is.
        """
        adapters = self.of(case)
        prompts = self.prompts(len(adapters), PROMPT)
        base, adapted = Decoding(self.base, prompts), Decoding(self.adapted, prompts, adapters=adapters)
        found, quiet, end = Timing(), 0.0, time.perf_counter() + 4 * seconds
        for _ in range(self.base.config.max_model_len // 200):
            others, begin, pairs = Others(), time.perf_counter(), []
            while len(pairs) < _LEAST_PAIRS or (time.perf_counter() - begin < _WINDOW and len(pairs) < 150):
                steps = (base, adapted) if len(pairs) % 2 else (adapted, base)
                took = {each: each.step() for each in steps}
                pairs.append((took[base], took[adapted]))
            found.add(pairs, others.share())
            quiet += (time.perf_counter() - begin) * (found.windows[-1].others <= MOST_OTHERS)
            if quiet >= seconds or time.perf_counter() >= end:
                break
        for each in (base, adapted):
            each.end()
        return found

    def prefill(self, count: int) -> Timing:
        """Time a long prompt's step without an adapter and under one, in turn."""
        found = Timing()
        for number in range(count):
            (prompt,) = self.prompts(1, PREFILL)
            ways = [(self.base, None), (self.adapted, self.requests[0])]
            others = Others()
            seconds = {way[0]: prefill_seconds(*way, prompt) for way in (reversed(ways) if number % 2 else ways)}
            found.add([(seconds[self.base], seconds[self.adapted])], others.share())
        return found

    def close(self) -> None:
        """End the engines."""
        for llm in self._llms:
            llm.shutdown()


def prefill_seconds(engine: LLMEngine, adapter: LoRARequest | None, prompt: list[int]) -> float:
    """Return the time from a prompt's arrival to its first token."""
    engine.add_request("prefill", prompt, SamplingParams(max_tokens=1, ignore_eos=True), lora_request=adapter)
    start = time.perf_counter()
    while not any(each.finished for each in engine.step()):
        pass
    return time.perf_counter() - start


def measure(engines: Engines, model: str, weights: str, given: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows of one model."""
    for case in given.cases:
        machine.progress(f"{model}, {weights}: {case}")
        timing = engines.prefill(given.prefills) if case == PREFILL_CASE else engines.decode(case, given.seconds)
        if timing.windows:
            row = Row(model, weights, case, engines.share, timing)
            result = row.result()
            machine.progress(
                f"  {row.ratio:.3f} of {1e3 * result['base_seconds']:.1f} ms, others {result['others']:.0%}"
            )
            yield row


# --- Peers ---------------------------------------------------------------------------------------------------


def start_peers(
    given: argparse.Namespace, shape: Mapping[str, Any], model: Path, found: dict[str, Any]
) -> dict[str, PeerProcess]:
    """Start the peers that are installed, with the base model's adapters in files; note the others in `found`."""
    modules = lora_inputs.linears(shape)
    folders = [lora_inputs.write(modules, model / f"adapter-{seed}", seed) for seed in range(MAX_LORAS)]
    settings = {
        "model": str(model),
        "dtype": "bfloat16",
        "threads": given.threads,
        "max_model_len": 512,
        "max_num_seqs": BATCH,
        "kv_bytes": 1 << 30,
        "adapters": [str(folder) for folder in folders],
        "adapter_rank": lora_inputs.RANK,
    }
    running: dict[str, PeerProcess] = {}
    for name, python, module in (
        ("vllm", given.vllm_python, "vllm_peer"),
        ("llama.cpp", given.xllamacpp_python, "xllamacpp_peer"),
    ):
        if python is None:
            found[name] = {"left_out": "not installed"}
            continue
        machine.progress(f"starting {name}")
        try:
            more = {}
            if name == "llama.cpp":
                # Its server needs a text for each token.
                gguf = checkpoint.gguf(checkpoint.spoken(model, shape["vocab_size"]), python, "BF16")
                more = {"gguf": str(gguf), "adapters": [str(checkpoint.gguf(folders[0], python, "adapter"))]}
            running[name] = PeerProcess(python, module, {**settings, **more})
        except PeerError as error:
            found[name] = {"left_out": str(error)}
            machine.progress(f"{name}: {error}")
            continue
        running[name].pause()
        found[name] = {"facts": running[name].facts, "step_seconds": {}}
    return running


def peer_steps(peer: PeerProcess, prompts: list[list[int]], adapters: list[int | None]) -> list[float]:
    """Return the seconds of a peer's decode steps, with the index of each request's adapter.

    Raises:
        PeerError: it failed.
    """
    work = Workload("decode", "", Measure.DECODE, prompts, [PEER_STEPS + PEER_WARMUP] * len(prompts))
    peer.resume()
    times = peer.run(work, adapters=adapters)["times"][0]
    peer.pause()
    return [later - sooner for sooner, later in itertools.pairwise(times)][PEER_WARMUP - 1 :]


def beside_peers(engines: Engines, running: Mapping[str, PeerProcess], found: dict[str, Any], rounds: int) -> None:
    """Run batch 8 with no adapter, one and eight in ours and in the peers, in turn; add the results to `found`."""
    cases = [case for case, (count, _) in CASES.items() if count == BATCH]
    ours: dict[str, list[float]] = {case: [] for case in cases}
    theirs: dict[str, dict[str, list[float]]] = {name: {} for name in running}
    for number, case in itertools.product(range(rounds), cases):
        adapters = engines.of(case)
        prompts = engines.prompts(BATCH, PROMPT)
        machine.progress(f"peers, round {number + 1} of {rounds}: {case}")
        decoding = Decoding(engines.adapted, prompts, adapters=adapters)
        ours[case].append(statistics.median(decoding.step() for _ in range(PEER_STEPS)))
        decoding.end()
        indices = [None if each is None else engines.requests.index(each) for each in adapters]
        for name, peer in running.items():
            if name == "llama.cpp" and len(set(indices)) > 1:
                continue
            steps = peer_steps(peer, prompts, indices)
            theirs[name].setdefault(case, []).append(statistics.median(steps))
    found["torchpaged"] = {"step_seconds": {case: statistics.median(each) for case, each in ours.items()}}
    for name, by_case in theirs.items():
        found[name] |= {
            "step_seconds": {case: statistics.median(each) for case, each in by_case.items()},
            "times_as_fast": {case: machine.ratio(each, ours[case]) for case, each in by_case.items()},
        }


def table(rows: Sequence[Mapping[str, Any]], peers: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"{'':<10}{'':<6}{'':<30}{'base ms':>9}{'over it':>9}{'at most':>9}{'share':>8}{'pairs':>7}{'others':>8}"
    for row in rows:
        cells = f"{1e3 * row['base_seconds']:>9.1f}{row['ratio']:>9.3f}{row['target']:>9.3f}{row['share']:>8.1%}"
        cells += f"{row['pairs']:>7}{row['others']:>8.0%}" + ("" if row["met"] else "  MISSED")
        yield f"{row['model']:<10}{row['weights']:<6}{row['case']:<30}{cells}"
    for name, each in peers.items():
        if "left_out" in each:
            yield f"{name}: left out: {each['left_out']}"
            continue
        for case, seconds in each["step_seconds"].items():
            times = each.get("times_as_fast", {}).get(case)
            yield f"{name:<16}{case:<30}{1e3 * seconds:>9.1f} ms" + ("" if times is None else f", ours {times:.2f}x")


class Results:
    """Rows and peers of one output file, which is written whenever one is added.

    Args:
        keep: begin with what the file has; a row is replaced if the machine was as quiet, or quiet enough.
    """

    def __init__(self, output: Path, *, keep: bool) -> None:
        before = json.loads(output.read_text()) if keep and output.exists() else {"rows": [], "peers": {}}
        self._output = output
        self.rows: list[dict[str, Any]] = before["rows"]
        self.peers: dict[str, Any] = before["peers"]

    def add(self, row: dict[str, Any]) -> None:
        """Add a row, in the order of the cases."""
        same = [each for each in self.rows if _place(each) == _place(row)]
        if all(row["others"] <= max(MOST_OTHERS, each["others"]) for each in same):
            self.rows = sorted([*(each for each in self.rows if each not in same), row], key=_place)
        self.write()

    def write(self) -> None:
        """Write the file."""
        head = {"rank": lora_inputs.RANK, "max_loras": MAX_LORAS, "prompt_tokens": PROMPT, "most_others": MOST_OTHERS}
        found: dict[str, Any] = {**head, "rows": self.rows, "peers": self.peers}
        if (times := self.peers.get("vllm", {}).get("times_as_fast")) is not None:
            found["targets"] = {
                f"at least {TIMES_VLLM:g}x vLLM's, {case}": times[case] >= TIMES_VLLM
                for case in times
                if CASES[case][1]
            }
        write(self._output, found)


def _place(row: Mapping[str, Any]) -> tuple[int, int, int]:
    return list(SHAPES).index(row["model"]), WEIGHTS.index(row["weights"]), list(CASES).index(row["case"])


def write(output: Path, found: Mapping[str, Any]) -> None:
    """Write a result file."""
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps({**machine.describe([sys.executable, *sys.argv]), **found}, indent=1) + "\n")


def speed(given: argparse.Namespace, results: Results) -> None:
    """Measure steps."""
    for name in given.models:
        shape = checkpoint.TINY if given.tiny else SHAPES[name]
        model, modules = checkpoint.build(shape, given.folder), lora_inputs.linears(shape)
        for weights in given.weights:
            engines = Engines(model if weights == "bf16" else checkpoint.quantised(model, weights), modules)
            with contextlib.ExitStack() as until_done:
                until_done.callback(engines.close)
                for row in measure(engines, name, weights, given):
                    results.add(row.result())
                if (name, weights) == ("0.6 B", "bf16") and given.peer_rounds:
                    found: dict[str, Any] = {}
                    running = start_peers(given, shape, model, found)
                    for peer in running.values():
                        until_done.callback(peer.close)
                    beside_peers(engines, running, found, given.peer_rounds)
                    results.peers = found
                    results.write()
    print("\n".join(table(results.rows, results.peers)), flush=True)


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--weights", nargs="+", choices=WEIGHTS, default=list(WEIGHTS))
    parser.add_argument("--cases", nargs="*", choices=CASES, default=list(CASES), metavar="CASE")
    parser.add_argument("--seconds", type=float, default=8.0, help="of pairs of decode steps in each case")
    parser.add_argument("--prefills", type=int, default=3, help="pairs of long prompts; 0 leaves them out")
    parser.add_argument("--peer-rounds", type=int, default=3, help="0 leaves the peers out")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="keep what the output file has of other cases and peers")
    parser.add_argument("--tiny", action="store_true", help="a tiny model, as a smoke test")
    parser.add_argument("--zipf", action="store_true", help="measure the server with many adapters")
    parser.add_argument("--folder", type=Path, default=cache_directory() / "bench", help="for weights and adapters")
    parser.add_argument("--vllm-python", default=install.python_of("vllm"), metavar="PYTHON")
    parser.add_argument("--xllamacpp-python", default=install.python_of("xllamacpp"), metavar="PYTHON")
    adapters_zipf.add_arguments(parser)
    parser.add_argument("--output", type=Path, help="without suffix")
    given = parser.parse_args(words)
    torch.set_num_threads(given.threads)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that servers and peers are ended too
    output = given.output or Path("evals/results/adapters-zipf" if given.zipf else "evals/results/adapters")
    output = output.with_suffix(".json")
    if given.zipf:
        write(output, adapters_zipf.run(given, checkpoint.TINY if given.tiny else SMOLLM2_135M))
    else:
        speed(given, Results(output, keep=given.keep))


if __name__ == "__main__":
    main()
