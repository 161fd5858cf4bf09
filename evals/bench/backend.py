"""`torch.compile` of a user's own model, `examples/own_module.py`: our backend against `LLM`, inductor and eager.

    python evals/bench/backend.py [--rounds 9] [--threads 2] [--batches 1 8] [--output evals/results/backend]
    python evals/bench/backend.py --start-up [--shape narrow-28] --output evals/results/start-up

The shape is Qwen3-0.6B's as a Llama (`--shape`), with random weights in bfloat16. A step of `LLM` is a whole engine
step for one token of each sequence; a step of the others builds the call's tensors, runs the module and takes the
argmax. Start-up is the time of the first decode step minus that of a later one, with the weights in memory and torch's
caches of compiled code empty. `--start-up` measures only that, for a step of one sequence and also for flex_attention,
in processor seconds including the compilers', which other load on the machine hardly changes.
"""

from __future__ import annotations

import argparse
import functools
import json
import resource
import runpy
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from torch import Tensor
from torch._inductor.utils import fresh_cache
from torch.nn.attention.flex_attention import flex_attention
from transformers import AutoConfig, AutoModelForCausalLM

from evals.bench import machine, shapes
from torchpaged import LLM, SamplingParams

BLOCK, CONTEXT = 16, 256
EXAMPLE = runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples" / "own_module.py"))
TINY = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 512, "head_dim": 32}
SHAPES = {
    "qwen3-0.6b": shapes.QWEN3_06B,
    # As many layers to compile, but narrow enough for any machine's memory.
    "narrow-28": {**shapes.QWEN3_06B, **TINY, "num_hidden_layers": shapes.QWEN3_06B["num_hidden_layers"]},
    "tiny": {**shapes.QWEN3_06B, **TINY},
}


class FlexLayer(EXAMPLE["Layer"]):  # type: ignore[misc]
    """The example's layer with torch's compiled attention over contiguous keys and values."""

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, cache: Any, *_: Tensor) -> Tensor:
        """Decode one token of each sequence."""
        h = self.input_layernorm(x)
        q, k, v = (self.self_attn[f"{name}_proj"](h).unflatten(-1, (-1, 1, self.head_dim)) for name in "qkv")
        q, k = (EXAMPLE["rotated"](each, cos[:, None], sin[:, None]) for each in (q, k))
        keys, values = (torch.cat([old, new], 2) for old, new in zip(cache, (k, v), strict=True))
        y = flex_attention(q, keys, values, enable_gqa=True)
        x = x + self.self_attn["o_proj"](y.flatten(1))
        h = self.post_attention_layernorm(x)
        gated = torch.nn.functional.silu(self.mlp["gate_proj"](h)) * self.mlp["up_proj"](h)
        result: Tensor = x + self.mlp["down_proj"](gated)
        return result


class Decode:
    """Greedy decode steps of a module after a context; each step starts at the same position.

    Args:
        forward: takes the example's arguments.
        caches: of the layers.
    """

    def __init__(self, forward: Callable[..., Tensor], caches: Any, batch: int) -> None:
        self._forward, self._caches = forward, caches
        width = CONTEXT // BLOCK + 1
        self._tables = 1 + torch.arange(batch * width, dtype=torch.int32).view(batch, width)
        self._tokens = torch.arange(batch)

    @torch.inference_mode()
    def __call__(self) -> None:
        """Run one step."""
        batch = len(self._tokens)
        slots = [int(table[CONTEXT // BLOCK]) * BLOCK + CONTEXT % BLOCK for table in self._tables]
        logits = self._forward(
            self._tokens,
            torch.full((batch,), CONTEXT),
            self._caches,
            torch.tensor(slots),
            self._tables,
            torch.full((batch,), CONTEXT + 1, dtype=torch.int32),
            torch.arange(batch + 1, dtype=torch.int32),
        )
        self._tokens = logits.argmax(-1)


class Engine:
    """`LLM` over the same weights; a call decodes one token of each sequence."""

    def __init__(self, llm: LLM, batch: int, steps: int) -> None:
        self._engine = llm.engine
        params = SamplingParams(temperature=0.0, max_tokens=steps, ignore_eos=True)
        for i in range(batch):
            self._engine.add_request(
                f"{batch}-{i}", {"prompt_token_ids": [(7 * i + j) % 500 for j in range(CONTEXT)]}, params
            )
        for _ in range(batch + 2):  # the prompts
            self._engine.step()

    def __call__(self) -> None:
        """Run one step."""
        self._engine.step()

    def end(self) -> None:
        """Abort all sequences."""
        while self._engine.has_unfinished_requests():
            self._engine.step()


def shape(name: str) -> dict[str, Any]:
    """Return the config of one of SHAPES."""
    return {**SHAPES[name], "rms_norm_eps": 1e-6, "max_position_embeddings": 4096}


def models(config: dict[str, Any]) -> tuple[Any, Any]:
    """Return (the example's model, transformers' model) over the same weights in memory."""
    with torch.device("meta"):
        own = EXAMPLE["Llama"](config).to(torch.bfloat16)
        theirs = AutoModelForCausalLM.from_config(AutoConfig.for_model("llama", **config), dtype=torch.bfloat16)
    some = 0.02 * torch.randn(2**20 + 7, generator=torch.Generator().manual_seed(0)).to(torch.bfloat16)
    own = own.to_empty(device="cpu")
    own.frequencies = EXAMPLE["Llama"]({**config, "num_hidden_layers": 0, "vocab_size": 1}).frequencies
    with torch.no_grad():  # a gigabyte of random numbers would take a minute
        for weight in own.parameters():
            weight.copy_(some.repeat(weight.numel() // len(some) + 1)[: weight.numel()].view(weight.shape))
    state = dict(own.state_dict())
    theirs.load_state_dict({**state, "lm_head.weight": state["model.embed_tokens.weight"]}, assign=True)
    theirs.model.rotary_emb = type(theirs.model.rotary_emb)(theirs.config)  # was built on the meta device
    return own, theirs.eval()


def start_up(step: Callable[[], None], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds of a first call minus those of a later one."""
    times = []
    for _ in range(3):
        begin = clock()
        step()
        times.append(clock() - begin)
    return times[0] - times[2]


def processor_seconds() -> float:
    """Return the processor seconds of this process, its threads and the compilers that it has run."""
    uses = (resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


def measure_start_up(config: dict[str, Any]) -> dict[str, Any]:
    """Return each compiler's processor seconds until a step of one sequence runs at full speed."""
    torch._inductor.config.compile_threads = 1  # compile in this process, so that the time is counted
    own, _ = models(config)
    ways: dict[str, Callable[[], float]] = {}
    for name in ("torchpaged", "inductor"):
        decode = Decode(torch.compile(own, backend=name, dynamic=False), own.new_caches(CONTEXT // BLOCK + 3), 1)
        ways[name] = functools.partial(start_up, decode, processor_seconds)
    ways["flex_attention with inductor"] = lambda: flex_start_up(own, config, processor_seconds)
    seconds, waited = {}, {}
    for name, way in ways.items():
        torch._dynamo.reset()
        begin = time.perf_counter()
        with fresh_cache():
            seconds[name] = way()
        waited[name] = time.perf_counter() - begin
        machine.progress(f"{name}: {seconds[name]:.1f} s of the processor, {waited[name]:.1f} s in all")
    ratios = {name: each / seconds["torchpaged"] for name, each in seconds.items()}
    print(", ".join(f"{ratio:.1f}x {name}" for name, ratio in ratios.items()), flush=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"processor_seconds": seconds, "seconds": waited, "times_as_long": ratios, "peak_bytes": memory}


def measure(config: dict[str, Any], batches: list[int], rounds: int) -> dict[str, Any]:
    """Return the start-up of each way, and a row of decode steps for each batch."""
    own, theirs = models(config)
    caches = own.new_caches(1 + max(batches) * (CONTEXT // BLOCK + 2))
    begin = time.perf_counter()
    llm = LLM(theirs, tokenizer=None, num_blocks=2 + max(batches) * (CONTEXT // BLOCK + 8), max_num_seqs=max(batches))
    seconds: dict[str, Any] = {"LLM": time.perf_counter() - begin}
    compiled = {name: torch.compile(own, backend=name, dynamic=False) for name in ("torchpaged", "inductor")}
    rows = []
    for batch in batches:
        ways: dict[str, Any] = {"eager": Decode(own, caches, batch)}
        for name, forward in compiled.items():
            ways[name] = Decode(forward, caches, batch)
            with fresh_cache():
                seconds[f"{name}, batch {batch}"] = start_up(ways[name])
            machine.progress(f"{name}, batch {batch}: ready after {seconds[f'{name}, batch {batch}']:.1f} s")
        ways["LLM"] = Engine(llm, batch, steps=rounds * 30 + 40)
        times = interleaved(ways, rounds)
        ways["LLM"].end()
        against = {name: machine.ratio(times[name], times["torchpaged"]) for name in ways if name != "torchpaged"}
        rows.append({"batch": batch, "times_as_fast_as": against, "seconds_a_step": times})
        print(f"batch {batch}: " + ", ".join(f"{each:.2f}x {name}" for name, each in against.items()), flush=True)
    return {"start_up_seconds": seconds, "rows": rows}


def interleaved(ways: dict[str, Any], rounds: int, steps: int = 10) -> dict[str, list[float]]:
    """Return seconds per step; each round gives the median of some steps."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, step in ways.items():
            taken = []
            for _ in range(steps):
                begin = time.perf_counter()
                step()
                taken.append(time.perf_counter() - begin)
            times[name].append(statistics.median(taken))
    return times


def flex_start_up(own: Any, config: dict[str, Any], clock: Callable[[], float]) -> float:
    """Return the start-up time of the same model with `flex_attention`, which replaces the model's layers."""
    for layer in own.model["layers"]:
        layer.__class__ = FlexLayer
    size = (1, config["num_key_value_heads"], CONTEXT, config["head_dim"])
    caches = [tuple(torch.zeros(size, dtype=torch.bfloat16) for _ in "kv") for _ in own.model["layers"]]
    return start_up(Decode(torch.compile(own, dynamic=False), caches, 1), clock)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batches", type=int, nargs="*", default=[1, 8])
    parser.add_argument(
        "--shape", choices=SHAPES, default="qwen3-0.6b", help="tiny: two narrow layers, as a smoke test"
    )
    parser.add_argument("--start-up", action="store_true", help="measure only the time to compile")
    parser.add_argument("--output", type=Path, help="path of the result, without .json")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    config = shape(options.shape)
    found = measure_start_up(config) if options.start_up else measure(config, options.batches, options.rounds)
    if options.output is not None:
        result = {**machine.describe(sys.argv), "shape": options.shape, "context": CONTEXT, **found}
        options.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
