"""lm-eval's 5-shot multiple choice: torchpaged against lm-eval's hf and vllm backends, same requests, same machine.

    python evals/bench/lm_eval.py [--vllm-python /tmp/vllm-env/venv/bin/python] [--output evals/results/lm_eval]

The timed part is the backend's `loglikelihood` over all requests, from texts to answers, with empty prefix caches. Two
models: one of Qwen3-0.6B's shape with random weights in bfloat16, over 64 documents, with shots short enough that a
pass of hf takes minutes and not an hour; and stdlib-lm in float32 with the unmodified task. The same five examples
precede each document, as in MMLU; for stdlib-lm a second row has five different ones for each. hf gets the batch size
that is fastest for it on the first documents. Rounds alternate; medians; the result includes the difference between the
backends' answers.
"""

# ruff: noqa: E402  # this folder has a file named lm_eval.py, so it must not be searched for lm-eval
from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:] = [str(ROOT), *(path for path in sys.path if path != str(ROOT / "evals" / "bench"))]

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from evals.bench import machine
from evals.bench.shapes import QWEN3_06B
from torchpaged.integrations.lm_eval.adapter import TorchPagedLM

STDLIB_LM = ROOT / "evals" / "models" / "stdlib-lm"
TARGETS = {"0.6B": {"hf": 8.0, "vllm": 5.0}, "stdlib-lm": {"hf": 3.0}, "stdlib-lm, own shots": {}}
Answers = list[tuple[float, bool]]


def random_model(folder: str) -> str:
    """Write a checkpoint of Qwen3-0.6B's shape with random bfloat16 weights and stdlib-lm's tokenizer."""
    torch.manual_seed(0)
    shape = {**QWEN3_06B, "max_position_embeddings": 2048}
    config = AutoConfig.for_model("qwen3", **shape, bos_token_id=0, eos_token_id=0, pad_token_id=0)
    AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).save_pretrained(folder)
    AutoTokenizer.from_pretrained(STDLIB_LM).save_pretrained(folder)
    return folder


def requests(documents: int, *, lines: int = 6, own_shots: bool = False) -> list[Instance]:
    """Return lm-eval's requests for the first documents, each with `lines` lines before the one that is asked for."""
    os.chdir(ROOT)  # the tasks' data paths are relative to the repository
    with tempfile.TemporaryDirectory() as folder:
        changes: dict[str, Any] = {
            "include": str(ROOT / "evals" / "tasks" / "next_line.yaml"),
            "task": "bench",
            "doc_to_text": f"{{{{ before.split('\\n')[-{lines}:] | join('\\n') }}}}",
        }
        if own_shots:
            changes.update(fewshot_split="test", fewshot_config={"sampler": "default"})
        (Path(folder) / "task.yaml").write_text(json.dumps(changes))
        manager = TaskManager(include_path=folder, include_defaults=False)
        task = manager.load(["bench"])["tasks"]["bench"]
    task.set_fewshot_seed(1234)
    task.build_all_requests(limit=documents, rank=0, world_size=1)
    return list(task.instances)


class VLLM:
    """lm-eval's vllm backend in another environment, driven line by line through `vllm_lm_eval.py`."""

    def __init__(self, python: Path, model: str) -> None:
        script = Path(__file__).with_name("vllm_lm_eval.py")
        self._process = subprocess.Popen(
            [str(python), str(script), model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.versions: dict[str, str] = self._read()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ChildProcessError(f"vLLM ended with status {self._process.wait()}; see its output above")
        return json.loads(line)

    def __call__(self, work: Sequence[Instance]) -> tuple[float, Answers]:
        """Return seconds and answers; a first call with few requests warms it up."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([request.args for request in work]) + "\n")
        self._process.stdin.flush()
        found = self._read()
        return found["seconds"], [(logprob, greedy) for logprob, greedy in found["answers"]]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def timed(lm: Any, work: Sequence[Instance]) -> tuple[float, Answers]:
    """Return seconds and answers of a backend in this process, with an empty prefix cache."""
    if isinstance(lm, TorchPagedLM):
        lm.llm.reset_prefix_cache()
    start = time.perf_counter()
    answers = lm.loglikelihood(list(work), disable_tqdm=True)
    return time.perf_counter() - start, answers


def fastest_batch(lm: HFLM, work: Sequence[Instance]) -> dict[int, float]:
    """Return hf's seconds on some requests at each batch size, and keep the fastest size."""
    found = {}
    for size in (1, 4, 16):
        lm.batch_size_per_gpu = size
        found[size] = timed(lm, work)[0]
    lm.batch_size_per_gpu = min(found, key=found.__getitem__)
    return found


def apart(answers: Answers, others: Answers) -> dict[str, float]:
    """Return the differences between two backends' answers."""
    differences = [abs(a - b) for (a, _), (b, _) in zip(answers, others, strict=True)]
    return {
        "largest": max(differences),
        "median": statistics.median(differences),
        "greedy_differs": sum(a != b for (_, a), (_, b) in zip(answers, others, strict=True)),
    }


def measure(name: str, backends: dict[str, Callable[[], tuple[float, Answers]]], rounds: int) -> dict[str, Any]:
    """Run all backends in turn, `rounds` times."""
    seconds: dict[str, list[float]] = {backend: [] for backend in backends}
    answers: dict[str, Answers] = {}
    for _ in range(rounds):
        for backend, run in backends.items():
            took, answers[backend] = run()
            seconds[backend].append(took)
            machine.progress(f"{name:24s} {backend:12s} {took:8.2f} s")
    row: dict[str, Any] = {"model": name, "seconds": seconds, "times_as_fast": {}, "answers_apart": {}}
    for backend in backends.keys() - {"torchpaged"}:
        row["times_as_fast"][backend] = machine.ratio(seconds[backend], seconds["torchpaged"])
        row["answers_apart"][backend] = apart(answers["torchpaged"], answers[backend])
        target = TARGETS[name].get(backend)
        print(
            f"{name}: {row['times_as_fast'][backend]:.1f}x {backend}'s speed"
            + (f" (target {target:g}x)" if target else "")
            + f"; log-likelihoods within {row['answers_apart'][backend]['largest']:.1e}",
            flush=True,
        )
    return row


def describe(work: Sequence[Instance], lm: TorchPagedLM) -> dict[str, int]:
    """Return the size of the work."""
    lengths = [len(lm.tok_encode("".join(request.args))) for request in work]
    return {"requests": len(work), "tokens": sum(lengths), "longest": max(lengths)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vllm-python", type=Path, help="Python of an environment that has vLLM and lm-eval")
    parser.add_argument("--documents", type=int, default=64)
    parser.add_argument("--lines", type=int, default=2, help="lines before each question, for the large model")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["0.6B", "stdlib-lm"])
    parser.add_argument("--output", type=Path, help="path of the result, without .json")
    options = parser.parse_args()
    torch.set_num_threads(2)
    rows = []
    if options.only != "0.6B":
        ours = TorchPagedLM(str(STDLIB_LM), dtype="float32")
        hf = HFLM(str(STDLIB_LM), dtype="float32", device="cpu")
        for name, own_shots in (("stdlib-lm", False), ("stdlib-lm, own shots", True)):
            work = requests(options.documents, own_shots=own_shots)
            sizes = fastest_batch(hf, work[:32])
            timed(ours, work[:32])
            backends = {
                "torchpaged": lambda work=work: timed(ours, work),  # type: ignore[misc]
                "hf": lambda work=work: timed(hf, work),  # type: ignore[misc]
            }
            row = measure(name, backends, options.rounds)
            rows.append({**row, "work": describe(work, ours), "hf_seconds_by_batch_size": sizes})
    if options.only != "stdlib-lm":
        with tempfile.TemporaryDirectory() as folder:
            model = random_model(folder)
            work = requests(options.documents, lines=options.lines)
            ours = TorchPagedLM(model, max_num_seqs=128)
            hf = HFLM(model, dtype="bfloat16", device="cpu")
            sizes = fastest_batch(hf, work[:16])
            timed(ours, work[:16])
            backends = {"torchpaged": lambda: timed(ours, work), "hf": lambda: timed(hf, work)}
            vllm, refused = None, None
            if options.vllm_python is not None:
                try:
                    vllm = VLLM(options.vllm_python, model)
                    vllm(work[:4])
                    backends["vllm"] = lambda: vllm(work)
                except ChildProcessError as error:  # so that the other rows are still measured
                    refused = str(error)
                    machine.progress(refused)
            row = measure("0.6B", backends, options.rounds)
            rows.append({**row, "work": describe(work, ours), "hf_seconds_by_batch_size": sizes})
            if refused is not None:
                rows[-1]["vllm"] = refused
            elif vllm is not None:
                rows[-1]["vllm"] = vllm.versions
                vllm.close()
    if options.output is not None:
        result = {**machine.describe(sys.argv), "targets": TARGETS, "rows": rows}
        options.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
