"""transformers' `generate` with attn_implementation="torchpaged" against "sdpa": the same model, in turn, medians.

    python evals/bench/generate.py [--rounds 5] [--threads 2] [--cases NAME ...] [--output evals/results/generate]

One model switches between the two. Its cache is filled with random keys and values, as if a prompt had been computed,
and `generate` continues from it: only decode steps are timed, from one token to the next.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from transformers import AutoConfig, AutoModelForCausalLM, DynamicCache, PreTrainedModel, StoppingCriteria

from evals.bench import machine, shapes
from torchpaged import PagedCache
from torchpaged.integrations.transformers.paged_cache import new_keys

STDLIB_LM = Path(__file__).resolve().parents[1] / "models" / "stdlib-lm"
IMPLEMENTATIONS = ("sdpa", "torchpaged")
TINY = {**shapes.QWEN3_06B, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 512}


@dataclass(frozen=True)
class Case:
    """A batch that continues from a context.

    Args:
        target: required speed relative to "sdpa".
    """

    name: str
    model: str
    batch: int
    context: int
    tokens: int
    target: float


CASES = [
    Case("stdlib-lm, batch 1", "stdlib-lm", 1, 256, 64, 1.0),
    Case("0.6 B, batch 1", "0.6 B", 1, 256, 8, 1.0),
    Case("0.6 B, batch 8, 2048 tokens of context", "0.6 B", 8, 2048, 4, 1.5),
]
QUICK = Case("tiny", "tiny", 2, 40, 4, 1.0)


def load(name: str) -> PreTrainedModel:
    """Load stdlib-lm, or build the shape with random weights."""
    if name == "stdlib-lm":
        model = AutoModelForCausalLM.from_pretrained(STDLIB_LM, dtype=torch.float32)
    else:
        config = AutoConfig.for_model("qwen3", **(TINY if name == "tiny" else shapes.QWEN3_06B))
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
        model = model.to_empty(device="cpu")
        some = 0.02 * torch.randn(2**20 + 7, generator=torch.Generator().manual_seed(0))
        with torch.no_grad():  # a gigabyte of them would take a minute
            for weight in model.parameters():
                weight.copy_(some.repeat(weight.numel() // len(some) + 1)[: weight.numel()].view(weight.shape))
        model.tie_weights()
        model.model.rotary_emb = type(model.model.rotary_emb)(config)  # was built on the meta device
    model.generation_config.eos_token_id = model.generation_config.pad_token_id = None
    return model.eval()


class Clock(StoppingCriteria):
    """A criterion that never stops: it records the time of each token."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        self.times.append(time.perf_counter())
        return torch.zeros(input_ids.shape[0], dtype=torch.bool)


@torch.inference_mode()
def filled(model: PreTrainedModel, case: Case) -> Any:
    """Return the cache that the model's attention creates, filled with random keys and values."""
    config = model.config
    cache: Any = DynamicCache(config=config)
    assert isinstance(cache, PagedCache) == (config._attn_implementation == "torchpaged")
    dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    generator = torch.Generator().manual_seed(0)
    size = (case.batch, config.num_key_value_heads, case.context, dim)
    some = [torch.randn(size, generator=generator).to(model.dtype) for _ in range(2)]
    for layer in range(config.num_hidden_layers):
        key, value = (each.clone() for each in some)
        cache.update(key, value, layer)
        if isinstance(cache, PagedCache):
            keys = new_keys(layer, key)
            assert keys is not None
            cache.attend(keys, key, key, value, None)
    return cache


@torch.inference_mode()
def seconds_a_token(model: PreTrainedModel, case: Case, cache: Any) -> float:
    """Return the median step of one `generate` without the first; the cache is restored afterwards."""
    clock = Clock()
    ids = torch.randint(0, model.config.vocab_size, (case.batch, case.context + 1))
    model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        past_key_values=cache,
        max_new_tokens=case.tokens,
        do_sample=False,
        stopping_criteria=[clock],
    )
    cache.crop(case.context - cache.get_seq_length())
    return statistics.median(b - a for a, b in zip(clock.times, clock.times[1:], strict=False))


def measure(case: Case, rounds: int) -> dict[str, Any]:
    """Return the seconds per token of both, and the ratio."""
    model, caches = load(case.model), {}
    for name in IMPLEMENTATIONS:
        model.set_attn_implementation(name)
        caches[name] = filled(model, case)
        seconds_a_token(model, case, caches[name])
    seconds: dict[str, list[float]] = {name: [] for name in IMPLEMENTATIONS}
    for _ in range(rounds):
        for name in IMPLEMENTATIONS:
            model.set_attn_implementation(name)
            seconds[name].append(seconds_a_token(model, case, caches[name]))
    return {
        "case": case.name,
        "times_as_fast_as_sdpa": machine.ratio(seconds["sdpa"], seconds["torchpaged"]),
        "target": case.target,
        "seconds_a_token": seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cases", nargs="*", choices=[case.name for case in [*CASES, QUICK]])
    parser.add_argument("--output", type=Path, help="path of the result, without .json")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    rows = []
    for case in [*CASES, QUICK]:
        if case.name in (options.cases or [each.name for each in CASES]):
            rows.append(measure(case, options.rounds))
            print(f"{case.name}: {rows[-1]['times_as_fast_as_sdpa']:.2f}x sdpa (target {case.target})", flush=True)
    if options.output is not None:
        result = {**machine.describe(sys.argv), "rows": rows}
        options.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
