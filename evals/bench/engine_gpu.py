"""Decode on a GPU: a step's time eagerly, compiled and as a CUDA graph, as a share of the memory bound, against peers.

    python evals/bench/engine_gpu.py [--shapes llama-3-8b qwen3-0.6b] [--batches 1 8 64] [--context 1024]
                                     [--steps 64] [--rounds 5] [--engines graphs] [--peers generate generate_batch]
                                     [--output evals/results/engine-gpu.json]

Random bfloat16 weights, made on the device. The bound of a step is the bytes it must read, weights and cache, over the
bandwidth of a copy measured in the same run. Engines share the weights and take turns; medians over rounds. The peers
run last, when the engines' pools are freed. Each row is written as soon as it is measured, so an interrupted run keeps
it. Without a CUDA device nothing is measured: `--device cpu --tiny` runs everything on a tiny model, as a smoke test.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel, StaticCache

from evals.bench import machine
from evals.bench.shapes import QWEN3_06B
from torchpaged import LLM, LLMEngine, SamplingParams

# https://huggingface.co/meta-llama/Meta-Llama-3-8B/blob/main/config.json
LLAMA_3_8B = {
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 128256,
    "rope_theta": 500000.0,
    "tie_word_embeddings": False,
}
SHAPES = {"llama-3-8b": ("llama", LLAMA_3_8B), "qwen3-0.6b": ("qwen3", QWEN3_06B)}
TINY = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 512}
TARGETS = {("llama-3-8b", 1): 0.85, ("llama-3-8b", 64): 0.75}
ENGINES: dict[str, dict[str, Any]] = {
    "eager": {"enforce_eager": True},
    "compiled": {"compile": True, "cuda_graphs": False},
    "graphs": {"compile": True, "cuda_graphs": True},
    "graphs, not compiled": {"compile": False, "cuda_graphs": True},
}
ENGINES_ON_CPU = {"eager": {"enforce_eager": True}, "overlapping": {"enforce_eager": True, "async_scheduling": True}}
Row = dict[str, Any]
Options = argparse.Namespace
GENERATED = 48  # tokens per request, by the peers
WARM = 8  # the first of these, untimed: graphs are still captured then


def build(shape: str, device: torch.device, *, tiny: bool) -> PreTrainedModel:
    """Build the model with random weights on the device."""
    kind, sizes = SHAPES[shape]
    torch.manual_seed(0)
    sizes = {**sizes, **(TINY if tiny else {}), "max_position_embeddings": 8192}
    config = AutoConfig.for_model(kind, **sizes, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    with device:
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()
    model.generation_config.eos_token_id = None
    return model


def bytes_of_a_step(model: PreTrainedModel, batch: int, context: int) -> int:
    """Return the bytes that a decode step reads: weights without unused embedding rows, and the context's cache."""
    config = model.config
    weights = sum(p.numel() * p.element_size() for p in model.parameters())
    if not config.tie_word_embeddings:
        weights -= model.get_input_embeddings().weight.numel() * 2
    per_token = 2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim * 2
    return weights + batch * context * per_token


def copy_bandwidth(device: torch.device, *, tiny: bool) -> float:
    """Return the bytes per second, read plus written, of a copy within the device."""
    source = torch.randint(256, (1 << (20 if tiny else 30),), dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    target.copy_(source)
    times = []
    for _ in range(10):
        wait(device)
        start = time.perf_counter()
        for _ in range(10):
            target.copy_(source)
        wait(device)
        times.append((time.perf_counter() - start) / 10)
    return 2 * source.nbytes / statistics.median(times)


def wait(device: torch.device) -> None:
    """Synchronize with the device."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def decode_seconds(engine: LLMEngine, prompts: list[list[int]], steps: int) -> float:
    """Return the mean seconds of a decode step of all prompts over `steps`."""
    params = SamplingParams(temperature=0.0, max_tokens=10**4, ignore_eos=True)
    names = [f"decode-{i}" for i in range(len(prompts))]
    for name, prompt in zip(names, prompts, strict=True):
        engine.add_request(name, prompt, params)
    begun: set[str] = set()
    while len(begun) < len(names):
        begun.update(output.request_id for output in engine.step())
    for _ in range(3):
        engine.step()
    start = time.perf_counter()
    for _ in range(steps):
        assert len(engine.step()) == len(names)
    seconds = (time.perf_counter() - start) / steps
    for name in names:
        engine.abort(name)
    return seconds


def generate_seconds(model: PreTrainedModel, prompts: list[list[int]]) -> float:
    """Return the seconds of a decode step of transformers' `generate` with a static cache: the difference of two
    lengths.

    On CUDA `generate` compiles such steps with mode="reduce-overhead"; the cache is reused, as its graphs hold its
    address.
    """
    ids = torch.tensor(prompts, device=model.device)
    cache = StaticCache(config=model.config, max_cache_len=ids.shape[1] + GENERATED)

    def run(count: int) -> float:
        cache.reset()
        options = {"do_sample": False, "max_new_tokens": count, "min_new_tokens": count, "past_key_values": cache}
        wait(model.device)
        start = time.perf_counter()
        model.generate(ids, attention_mask=torch.ones_like(ids), **options)
        wait(model.device)
        return time.perf_counter() - start

    run(GENERATED)  # the first call compiles
    run(WARM)
    return (run(GENERATED) - run(WARM)) / (GENERATED - WARM)


def generate_batch_seconds(model: PreTrainedModel, prompts: list[list[int]]) -> float:
    """Return the seconds of a decode step of transformers' `generate_batch`, by its timestamps of the tokens.

    The total time is not used: each call captures its graphs anew.
    """
    from transformers import GenerationConfig

    config = GenerationConfig(do_sample=False, max_new_tokens=GENERATED, eos_token_id=-1)
    results = list(
        model.generate_batch(
            inputs=prompts, generation_config=config, progress_bar=False, record_timestamps=True
        ).values()
    )
    assert [len(result.generated_tokens) for result in results] == [GENERATED] * len(prompts)
    # While some prompts are computed the others decode: only steps with every request count.
    begin = max(result.timestamps[WARM] for result in results)
    end = min(result.timestamps[-1] for result in results)
    steps = statistics.median(sum(begin < each <= end for each in result.timestamps) for result in results)
    assert steps > 0, "the requests never decoded together"
    return (end - begin) / steps


PEERS: dict[str, Callable[[PreTrainedModel, list[list[int]]], float]] = {
    "generate": generate_seconds,
    "generate_batch": generate_batch_seconds,
}


def row_of(shape: str, name: str, batch: int, seconds: list[float], model: PreTrainedModel, options: Options) -> Row:
    """Return the row of an engine or a peer: its times and the bound."""
    bound = bytes_of_a_step(model, batch, options.context + options.steps // 2) / options.bandwidth
    step = statistics.median(seconds)
    target = TARGETS.get((shape, batch)) if name == "graphs" else None
    numbers = {"step_ms": 1e3 * step, "share_of_bound": bound / step, "target": target}
    return {"shape": shape, "batch": batch, "engine": name, **numbers}


def measure_engines(shape: str, options: Options) -> Iterator[Row]:
    """Yield a row for each batch size and engine."""
    model = build(shape, torch.device(options.device), tiny=options.tiny)
    engines, failed = engines_of(shape, model, options)
    yield from failed
    for batch in options.batches if engines else ():
        prompts = prompts_of(model, batch, options)
        times: dict[str, list[float]] = {}
        for _ in range(options.rounds):
            for name, engine in engines.items():
                times.setdefault(name, []).append(decode_seconds(engine, prompts, options.steps))
        for name, seconds in times.items():
            yield row_of(shape, name, batch, seconds, model, options)


def measure_peers(shape: str, options: Options) -> Iterator[Row]:
    """Yield a row for each batch size and peer."""
    device = torch.device(options.device)
    model = build(shape, device, tiny=options.tiny)
    for name in options.peers:
        for batch in options.batches:
            prompts = prompts_of(model, batch, options)
            try:
                seconds = [PEERS[name](model, prompts) for _ in range(2)]
            except Exception as error:  # the error goes into the result, and the other peers run
                yield failure(shape, f"{name}, batch {batch}", error)
                break
            yield row_of(shape, name, batch, seconds, model, options)
        release(device)


def engines_of(shape: str, model: PreTrainedModel, options: Options) -> tuple[dict[str, LLMEngine], list[Row]]:
    """Return engines over one model, and rows of those that failed to start."""
    block_size = 16
    room = max(options.batches) * -(-(options.context + 2 * options.steps + 64) // block_size) + 1
    engines: dict[str, LLMEngine] = {}
    failed = []
    for name, settings in (ENGINES if torch.device(options.device).type == "cuda" else ENGINES_ON_CPU).items():
        if options.engines and name not in options.engines:
            continue
        start = time.perf_counter()
        try:
            engines[name] = LLM(
                model,
                device=options.device,
                num_blocks=room,
                block_size=block_size,
                max_num_seqs=max(options.batches),
                max_model_len=min(4096, model.config.max_position_embeddings),
                **settings,
            ).engine
        except Exception as error:  # the other engines can still run
            failed.append(failure(shape, name, error))
            continue
        machine.progress(f"{shape}, {name}: ready in {time.perf_counter() - start:.1f} s")
    return engines, failed


def failure(shape: str, name: str, error: Exception) -> Row:
    """Return the row of a failed measurement."""
    machine.progress(traceback.format_exc())
    return {"shape": shape, "engine": name, "failed": f"{type(error).__name__}: {error}"[:300]}


def release(device: torch.device) -> None:
    """Free unused memory, including that of compiled code."""
    torch._dynamo.reset()
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()


def prompts_of(model: PreTrainedModel, batch: int, options: Options) -> list[list[int]]:
    """Return random tokens, the same for every engine and peer."""
    generator = torch.Generator().manual_seed(batch)
    size = (batch, options.context)
    return torch.randint(0, model.config.vocab_size, size, generator=generator).tolist()


def main() -> None:
    """Run all measurements, print a table and write the JSON row by row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 8, 64])
    parser.add_argument("--context", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engines", nargs="+", choices=[*ENGINES, *ENGINES_ON_CPU], help="not all of them")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="a tiny model, as a smoke test: its times mean nothing")
    parser.add_argument("--output", type=Path, default=Path("evals/results/engine-gpu.json"))
    options = parser.parse_args()
    if options.device.startswith("cuda") and not torch.cuda.is_available():
        sys.exit("engine_gpu.py: torch sees no CUDA device; --device cpu --tiny runs it without one")
    device = torch.device(options.device)
    options.bandwidth = copy_bandwidth(device, tiny=options.tiny)
    print(f"copy: {options.bandwidth / 1e9:.0f} GB/s", flush=True)
    rows: list[Row] = []
    result = {**machine.describe([sys.executable.rsplit("/", 1)[-1], *sys.argv]), "tiny": options.tiny}
    result |= {"copy_gb_per_s": options.bandwidth / 1e9, "context": options.context, "rows": rows}
    for measure in (measure_engines, measure_peers):
        for shape in options.shapes:
            for row in measure(shape, options):
                rows.append(row)
                print(line(row), flush=True)
                options.output.write_text(json.dumps(result, indent=1) + "\n")
            release(device)


def line(row: Row) -> str:
    """Return a line of the table."""
    if "failed" in row:
        return "{shape}, {engine}: {failed}".format(**row)
    target = f", target {row['target']:.0%}" if row["target"] else ""
    numbers = "{shape}, batch {batch:3}, {engine:22}: {step_ms:8.3f} ms".format(**row)
    return f"{numbers}, {row['share_of_bound']:.1%} of the bound{target}"


if __name__ == "__main__":
    main()
