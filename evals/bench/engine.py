"""torchpaged against the engines that a user would choose on a CPU, in one run on one machine.

    python evals/bench/engine.py [--install-peers] [--quick] [--peers NAME ...] [--workloads NAME ...]

One model of Qwen3-0.6B's shape with random weights; each peer runs in its own process and, if it needs one, its own
environment, with the same requests and the same clock (`tools.workloads`). In each round of a workload the peers take
turns, and the others are stopped by a signal meanwhile. Prints medians, ratios to the best peer and the bounds of the
machine (`torchpaged.tools.bounds`); writes JSON and a chart, and adds its rows to `history.jsonl` beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from evals.bench import history, machine
from evals.bench.engine_report import OURS, Cell, Results, Standing, plot
from evals.bench.peers import checkpoint, install
from evals.bench.peers.process import PeerError, PeerProcess
from torchpaged.csrc.build import cache_directory
from torchpaged.models.model import LayerShape
from torchpaged.ops import cpu
from torchpaged.tools.bounds import Gauge, Limits, costs_of
from torchpaged.tools.workloads import CONTEXT, NAMES, Workload, rate, standard

QUICK_SCALE = 0.25
# Noise of the machine cannot turn a peer that is this far behind in the first round into the best.
OUT_OF_REACH = 2 / 3
# Peers that start faster than this are started in each round, for a median.
SOON = 20.0
COMPARED = "decode-8"  # the workload whose first tokens are compared with float32's
COMPARED_TOKENS = 8
WEIGHTS = ("decode-1", "decode-8", "decode-32", "prefill")  # the workloads that 8-bit weights affect


@dataclass(frozen=True, slots=True)
class Entry:
    """A peer and its settings.

    Args:
        environment: name of the environment whose Python runs it.
        kind: the class that it is compared in.
        settings: added to the settings of all peers.
        only: its workloads; all if None.
        apart: runs after the others have ended, because 24 GiB do not hold all at once.
    """

    module: str
    environment: str
    kind: str = "bf16"
    settings: Mapping[str, Any] = field(default_factory=dict)
    only: Sequence[str] = NAMES
    apart: bool = False


PEERS = {
    "torchpaged": Entry("torchpaged_peer", "own"),
    "vllm": Entry("vllm_peer", "vllm"),
    "llama.cpp": Entry("llama_cpp_peer", "llama_cpp", settings={"weights": "BF16"}),
    "generate": Entry(
        "transformers_peer", "transformers", only=[name for name in NAMES if name != "mixed"], apart=True
    ),
    "generate_batch": Entry(
        "transformers_peer",
        "transformers",
        settings={"batching": True},
        only=[name for name in NAMES if name != "context"],
        apart=True,
    ),
    "torchpaged-int8": Entry("torchpaged_peer", "own", "8 bit", {"quantization": "int8"}, WEIGHTS),
    "llama.cpp-q8_0": Entry("llama_cpp_peer", "llama_cpp", "8 bit", {"weights": "Q8_0"}, WEIGHTS),
}


class Session:
    """A run of the peers and its results.

    Args:
        pythons: Python of each environment, None if it is not installed.
        rounds: workloads of each round; every round has different requests.
    """

    def __init__(
        self, model: Path, shape: dict[str, Any], pythons: Mapping[str, str | None], rounds: list[list[Workload]]
    ) -> None:
        self.model, self.pythons, self.rounds = model, pythons, rounds
        longest = max(workload.longest for workload in rounds[0])
        # The workload with a context fills it; every other workload is smaller.
        per_token = 2 * 2 * shape["num_hidden_layers"] * shape["num_key_value_heads"] * shape["head_dim"]
        tokens = max(workload.num_tokens for workload in rounds[0])
        gib = max(1, -(-(tokens + 64 * 256) * per_token >> 30)) if longest < CONTEXT else 4
        self.settings: dict[str, Any] = {
            "model": str(model),
            "dtype": "bfloat16",
            "threads": torch.get_num_threads(),
            "max_model_len": -(-(longest + 64) // 256) * 256,
            "max_num_seqs": 64,
            "kv_bytes": gib << 30,
            "kv_tokens": min((gib << 30) // per_token, 10**6),
            "quantization": None,
            "batching": False,
        }
        layers = {i: _layer(shape) for i in range(shape["num_hidden_layers"])}
        config = _config(model)
        quantised = {"bf16": None, "8 bit": _int8_bytes(config)}
        costs = {kind: costs_of(config, layers, 2, 2, quantised=quantised[kind]) for kind in OURS}
        self.results = Results(
            rounds[0],
            {},
            {kind: each for kind, each in costs.items() if each is not None},
            {workload.name: {} for workload in rounds[0]},
            {workload.name: [] for workload in rounds[0]},
        )
        self.token_ids: dict[str, list[list[int]]] = {}  # tokens of COMPARED, by peer
        self._gauge = Gauge(torch.device("cpu"), torch.bfloat16)

    def gather(self, names: Iterable[str]) -> None:
        """Run the named peers and compare their tokens. Ctrl-C or SIGTERM ends the run; results so far are kept."""
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self.run(names)
            self.compare()
        except KeyboardInterrupt:
            machine.progress("interrupted: results so far are kept")
        finally:
            signal.signal(signal.SIGTERM, before)

    def run(self, names: Iterable[str]) -> None:
        """Run peers of a kind together, in turn; those with `apart` one after the other."""
        names = list(names)
        together = [[name for name in names if PEERS[name].kind == kind and not PEERS[name].apart] for kind in OURS]
        for group in (*together, *([name] for name in names if PEERS[name].apart)):
            processes: dict[str, PeerProcess] = {}
            try:
                for name in group:
                    if (process := self._start(name)) is not None:
                        processes[name] = process
                self._measure(processes)
            finally:
                for name, process in processes.items():
                    self.results.peers[name].peak_bytes = process.memory.peak
                    process.close()

    def compare(self) -> None:
        """Compare the tokens of COMPARED with those of transformers in float32.

        With random weights the top logits are close together: bfloat16's rounding alone makes the sequences diverge.
        """
        workload = next((each for each in self.rounds[0] if each.name == COMPARED), None)
        if workload is None or not self.token_ids or self.pythons["transformers"] is None:
            return
        machine.progress("transformers in float32, for the tokens")
        exact = PeerProcess(self.pythons["transformers"], "transformers_peer", self.settings | {"dtype": "float32"})
        short = Workload(
            workload.name,
            workload.title,
            workload.measure,
            workload.prompts,
            [min(COMPARED_TOKENS, *workload.max_tokens)] * len(workload.prompts),
        )
        expected = exact.run(short)["token_ids"]
        exact.close()
        self.results.agreement = {name: agreement(found, expected) for name, found in self.token_ids.items()}

    def _start(self, name: str) -> PeerProcess | None:
        """Return the peer, stopped until its turn; or None, with the reason recorded, if it cannot run."""
        entry = PEERS[name]
        standing = self.results.peers[name] = Standing(entry.kind)
        python = self.pythons[entry.environment]
        if python is None:
            standing.left_out = "not installed: --install-peers installs it"
        if standing.left_out is None:
            settings = self.settings | dict(entry.settings)
            try:
                if "weights" in settings:
                    settings["gguf"] = str(checkpoint.gguf(self.model, str(python), settings["weights"]))
                for number in range(len(self.rounds)):
                    machine.progress(f"starting {name}")
                    process = PeerProcess(str(python), entry.module, settings)
                    standing.startup_seconds.append(process.startup_seconds)
                    if number + 1 == len(self.rounds) or process.startup_seconds > SOON:
                        break
                    process.close()
                standing.facts, standing.loading_bytes = process.facts, process.loading_bytes
                standing.idle_cores = process.idle_load()
                process.pause()
                return process
            except (PeerError, OSError) as error:
                standing.left_out = f"it does not start: {error}"
        machine.progress(f"{name}: {standing.left_out}")
        return None

    def _measure(self, processes: Mapping[str, PeerProcess]) -> None:
        for index, workload in enumerate(self.rounds[0]):
            cells = self.results.cells[workload.name]
            for name in processes:
                cells[name] = Cell()
                if workload.name not in PEERS[name].only:
                    cells[name].note = _LEFT_OUT.get((name, workload.name), "left out: 8-bit weights do not affect it")
            for number, workloads in enumerate(self.rounds):
                running = [name for name in processes if not cells[name].note]
                if running:
                    before = self._gauge.sample()
                    self.results.limits[workload.name].append(before)
                for name in running:
                    machine.progress(f"{workload.title}, round {number + 1} of {len(self.rounds)}: {name}")
                    self._turn(name, processes[name], workloads[index], cells[name])
                    after = self._gauge.sample()
                    if len(cells[name].rates) > len(cells[name].limits):
                        mean = Limits((before.read + after.read) / 2, (before.gemm + after.gemm) / 2)
                        cells[name].limits.append(mean)
                    before = after
                self._give_up(workload.name, number)

    def _turn(self, name: str, process: PeerProcess, workload: Workload, cell: Cell) -> None:
        process.resume()
        try:
            answer = process.run(workload)
            if workload.name == COMPARED and not cell.rates:
                self.token_ids[name] = answer["token_ids"]
            cell.rates.append(rate(workload, answer["times"]))
        except (PeerError, ValueError) as error:
            cell.note = f"failed: {error}"
        finally:
            process.pause()

    def _give_up(self, workload: str, number: int) -> None:
        """Mark, after the first round, the peers that cannot reach the best peer: they run no further rounds."""
        cells = self.results.cells[workload]
        for kind, own in OURS.items():
            rest = {name: cell for name, cell in self.results.ran(workload, kind).items() if name != own}
            best = max((cell.rates[0] for cell in rest.values()), default=0.0)
            for name, cell in rest.items():
                if number == 0 and len(self.rounds) > 1 and cell.rates[0] < OUT_OF_REACH * best and not cell.note:
                    cells[name].note = f"one round: {cell.rates[0] / best:.0%} of the best peer's rate"


# Reasons why a peer skips workloads that others of its class run.
_LEFT_OUT = {
    ("generate", "mixed"): "left out: generate takes prompts of one length; generate_batch is its way",
    ("generate_batch", "context"): "left out: nothing puts keys and values into its cache",
}


def agreement(found: Sequence[Sequence[int]], expected: Sequence[Sequence[int]]) -> dict[str, float]:
    """Return the share of requests with the expected first token, and the mean number of leading tokens that agree."""
    leading = []
    for tokens, wanted in zip(found, expected, strict=True):
        pairs = enumerate(zip(tokens, wanted, strict=False))
        leading.append(next((i for i, (a, b) in pairs if a != b), len(wanted)))
    return {
        "first_token": sum(count > 0 for count in leading) / len(leading),
        "leading_tokens": statistics.mean(leading),
        "compared_tokens": min(map(len, expected)),
    }


def _layer(shape: Mapping[str, Any]) -> LayerShape:
    return LayerShape(shape["num_key_value_heads"], shape["head_dim"], shape["head_dim"])


def _config(model: Path) -> Any:
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(model)


def _int8_bytes(config: Any) -> dict[str, int]:
    """Return the bytes of the linear modules and the head in int8: a byte per weight and a float32 scale per output."""
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    linears = {name: each for name, each in model.named_modules() if isinstance(each, torch.nn.Linear)}
    return {name: each.weight.numel() + 4 * each.out_features for name, each in linears.items()}


def _write(session: Session, arguments: argparse.Namespace, facts: dict[str, float]) -> None:
    results, output = session.results, arguments.output
    written = {
        **machine.describe([sys.executable, *sys.argv]),
        **facts,
        "model": arguments.shape,
        "rounds": arguments.rounds,
        "scale": arguments.scale,
        "peers_run": [name for name, peer in results.peers.items() if peer.left_out is None],
        "workloads_run": [workload.name for workload in results.workloads],
        "requests": {
            workload.name: {
                "measure": workload.measure.value,
                "prompt_tokens": [len(prompt) for prompt in workload.prompts],
                "generated_tokens": workload.max_tokens,
                "shared": workload.shared,
                "filled": workload.filled,
            }
            for workload in results.workloads
        },
        "settings": session.settings,
        "ratios": "median over rounds of torchpaged's rate over the best peer's, the two measured in turn",
        "peers": {
            name: {
                "kind": peer.kind,
                "left_out": peer.left_out,
                "facts": peer.facts,
                "startup_seconds": peer.startup_seconds,
                "peak_bytes": peer.peak_bytes,
                "loading_bytes": peer.loading_bytes,
                "idle_cores": peer.idle_cores,
            }
            for name, peer in results.peers.items()
        },
        "rows": results.rows(),
        "agreement_with_float32": results.agreement,
        "targets": results.targets() if arguments.scale == 1.0 else "of a run with all tokens only",
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    output.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n")
    kept = output.with_name(history.FILE.name)
    history.append(history.rows_of(written), kept)
    lines = history.read(kept)
    print("\n".join(history.fallen(lines)))
    try:
        plot(results, output.with_suffix(".png"))
        if lines:
            history.draw(lines, kept.with_suffix(".png"))
    except ModuleNotFoundError as error:
        machine.progress(f"no plot: {error}; pip install matplotlib")


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--workloads", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help=f"one round with {QUICK_SCALE:g} of the tokens")
    parser.add_argument("--tiny", action="store_true", help="a tiny model and few tokens, as a smoke test")
    parser.add_argument("--install-peers", action="store_true", help=f"first make environments in {install.FOLDER}")
    parser.add_argument("--vllm-python", help="Python of an environment with vLLM; by default that of --install-peers")
    parser.add_argument("--llama-cpp-python", help="Python with llama-cpp-python and gguf; same default")
    parser.add_argument("--transformers-python", default=sys.executable, help="Python with transformers")
    parser.add_argument("--models", type=Path, default=cache_directory() / "bench", help="folder for the weights")
    parser.add_argument("--output", type=Path, default=Path("evals/results/engine"), help="without suffix")
    arguments = parser.parse_args()
    load, start = os.getloadavg()[0], time.perf_counter()
    torch.set_num_threads(arguments.threads)
    arguments.scale = 1.0
    if arguments.quick or arguments.tiny:
        arguments.rounds, arguments.scale = 1, QUICK_SCALE if arguments.quick else 0.05
    if arguments.install_peers:
        install.install()
    cpu.load()  # builds the library if it is missing, so that no peer's start-up time includes it
    arguments.shape = checkpoint.TINY if arguments.tiny else checkpoint.QWEN3_06B
    model = checkpoint.build(arguments.shape, arguments.models)
    vocabulary = arguments.shape["vocab_size"]
    rounds = [standard(vocabulary, scale=arguments.scale, seed=seed) for seed in range(arguments.rounds)]
    rounds = [[each for each in workloads if each.name in arguments.workloads] for workloads in rounds]
    pythons = {
        "own": sys.executable,
        "vllm": arguments.vllm_python or install.python_of("vllm"),
        "llama_cpp": arguments.llama_cpp_python or install.python_of("llama_cpp"),
        "transformers": arguments.transformers_python,
    }
    session = Session(model, arguments.shape, pythons, rounds)
    session.gather(arguments.peers)
    print(session.results.table())
    print()
    for target, met in session.results.targets().items() if arguments.scale == 1.0 else ():
        print(f"{target}: {'met' if met else 'MISSED'}")
    _write(session, arguments, {"load": load, "seconds": time.perf_counter() - start})


if __name__ == "__main__":
    main()
