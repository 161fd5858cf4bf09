"""transformers' continuous batching with attn_implementation="torchpaged" against its SDPA path, eight requests.

    python evals/bench/continuous_batching.py [--tokens 24] [--threads 2] [--cases NAME ...] [--output PATH]

One model switches between the two. Prompts have different lengths around the context's; decode steps are timed by
transformers' own timestamps, while all eight have a token and none has its last. Both must generate the same tokens.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from transformers import AutoConfig, AutoModelForCausalLM, ContinuousBatchingConfig, GenerationConfig, PreTrainedModel

import torchpaged  # noqa: F401 - registers the attention
from evals.bench import generate, machine, shapes

IMPLEMENTATIONS = ("sdpa", "torchpaged")
BATCH = 8
STEP = 512  # tokens of a step, at most


@dataclass(frozen=True)
class Case:
    """Eight requests over prompts of about `context` tokens."""

    name: str
    model: str
    context: int


CASES = [
    Case("stdlib-lm, 256 tokens of context", "stdlib-lm", 256),
    Case("stdlib-lm, 1024 tokens of context", "stdlib-lm", 1024),
    Case("stdlib-lm, 2000 tokens of context", "stdlib-lm", 2000),
    Case("SmolLM2 135M, 512 tokens of context", "smollm2", 512),
]
QUICK = Case("tiny", "tiny", 40)


def load(name: str) -> PreTrainedModel:
    """Load stdlib-lm, or build a shape with random weights, in float32."""
    if name == "smollm2":
        torch.manual_seed(0)
        return AutoModelForCausalLM.from_config(AutoConfig.for_model(**shapes.SMOLLM2_135M)).eval()
    return generate.load(name).float()


def run(model: PreTrainedModel, case: Case, tokens: int) -> dict[str, Any]:
    """Generate from all prompts at once; return seconds of prefill, of each decode step, and the tokens."""
    draw = torch.Generator().manual_seed(0)
    size = model.config.vocab_size
    tokens += BATCH * case.context // STEP  # the first request generates while the last one's prompt is computed
    prompts = [torch.randint(0, size, (case.context - 7 * i,), generator=draw).tolist() for i in range(BATCH)]
    options = ContinuousBatchingConfig(
        page_size=256,
        num_blocks=BATCH * (case.context + tokens) // 256 + 2 * BATCH,
        max_batch_tokens=STEP,  # more would be slower with SDPA, whose mask has a row for each
        max_requests_per_batch=BATCH,
        allow_block_sharing=False,
    )
    settings = GenerationConfig(do_sample=False, max_new_tokens=tokens, eos_token_id=-1)
    results: dict[str, Any] = {}
    start = time.perf_counter()
    with model.continuous_batching_context_manager(settings, continuous_batching_config=options) as manager:
        for index, prompt in enumerate(prompts):
            manager.add_request(prompt, request_id=str(index), max_new_tokens=tokens, record_timestamps=True)
        while len(results) < BATCH:
            result = manager.get_result(timeout=1)
            if result is None and not manager.is_running():
                raise RuntimeError("transformers' thread ended")
            if result is not None and result.is_finished():
                if result.error is not None:
                    raise RuntimeError(result.error)
                results[result.request_id] = result
    times = [results[str(i)].timestamps for i in range(BATCH)]
    begun, ended = max(each[0] for each in times), min(each[-1] for each in times)
    steps = [b - a for each in times for a, b in itertools.pairwise(each) if begun <= a and b <= ended]
    return {
        "seconds_of_prefill": begun - start,
        "seconds_a_step": statistics.median(steps),
        "tokens": [results[str(i)].generated_tokens for i in range(BATCH)],
    }


def measure(case: Case, tokens: int) -> dict[str, Any]:
    """Return what both take, and the ratios."""
    model, found = load(case.model), {}
    for name in IMPLEMENTATIONS:
        model.set_attn_implementation(name)
        found[name] = run(model, case, tokens)
    sdpa, ours = (found[name] for name in IMPLEMENTATIONS)
    if sdpa["tokens"] != ours["tokens"]:
        raise RuntimeError(f"{case.name}: the tokens differ")
    row: dict[str, Any] = {"case": case.name, "batch": BATCH}
    for what in ("seconds_a_step", "seconds_of_prefill"):
        row[what] = {name: found[name][what] for name in IMPLEMENTATIONS}
        row[what.replace("seconds", "times_as_fast")] = sdpa[what] / ours[what]
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=24, help="decode steps of all eight")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cases", nargs="*", choices=[case.name for case in [*CASES, QUICK]])
    parser.add_argument("--output", type=Path, help="path of the result, without .json; its other cases are kept")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    rows = []
    for case in [*CASES, QUICK]:
        if case.name in (options.cases or [each.name for each in CASES]):
            rows.append(measure(case, options.tokens))
            print(
                f"{case.name}: a step {rows[-1]['times_as_fast_a_step']:.2f}x as fast as SDPA's, prefill "
                f"{rows[-1]['times_as_fast_of_prefill']:.2f}x",
                flush=True,
            )
    if options.output is not None:
        file = options.output.with_suffix(".json")
        new = {row["case"] for row in rows}
        kept = json.loads(file.read_text())["rows"] if file.exists() else []
        result = {**machine.describe(sys.argv), "rows": [row for row in kept if row["case"] not in new] + rows}
        file.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
