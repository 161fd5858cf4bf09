"""The prefix cache below the pool: first tokens restored from disk, decoding while blocks are written, its cost.

    python evals/bench/prefix_tiers.py [--tokens 8192] [--layers 28] [--rounds 3] [--parts restore,decode,miss]
        [--folder FOLDER] [--beside COMMAND] [--output evals/results/prefix-tiers]

Random weights of Qwen3-0.6B's shape in bfloat16.

- restore: one prompt is computed by an engine, in pieces of 1,024 tokens; the sum of their shortest times counts, since
  other processes can only make them longer. Then it is found by a new engine over the same folder, first with its files
  out of the page cache, then with them in it. What the disk gives, read in order by one thread with and without the
  page cache, stands beside it.
- decode: eight requests decode in an engine that writes every block through, in turn with one that has no store.
- miss: prompts that nothing is known of, in an engine with a store and in one without, in turn.

`--beside` names a command that runs others, such as one that stops all other processes meanwhile. It is run around each
piece that is timed, none of which takes a minute; models and engines are made outside of it.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel
from transformers.initialization import no_init_weights

from evals.bench import machine, shapes
from torchpaged import LLM, SamplingParams

BLOCK, SEQS, PIECE = 16, 8, 1024
# Restored / computed, decode rate with / without, first token of a miss with / without.
TARGETS = {"restored": 15.0, "decode": 0.97, "miss": 1.01}


def main() -> None:
    """Run the parts and write their figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=8192)
    parser.add_argument("--layers", type=int, default=28)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--parts", default="restore,decode,miss")
    parser.add_argument("--folder", type=Path, help="where the store lies; default: a temporary folder")
    parser.add_argument("--beside", metavar="COMMAND")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    shape = {"model_type": "qwen3", **shapes.QWEN3_06B, "num_hidden_layers": given.layers}
    model = quick_model({**shape, "max_position_embeddings": 40960, "rope_theta": 1e6})
    machine.progress("model made")
    found: dict[str, Any] = {**machine.describe(sys.argv), "layers": given.layers, "targets": TARGETS}
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        for part in given.parts.split(","):
            measure = {"restore": restore, "decode": decode, "miss": miss}[part]
            found[part] = measure(model, Path(folder) / part, given.tokens, given.rounds, given.beside)
            print(part, json.dumps(found[part], indent=1), flush=True)
    if given.output is not None:
        given.output.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")


def quick_model(shape: dict[str, Any]) -> PreTrainedModel:
    """Build the model over one piece of random numbers, repeated: drawing all of them takes a minute."""
    config = AutoConfig.for_model(**shape, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    with no_init_weights():
        model: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()
    drawn = torch.empty(1_000_003, dtype=torch.bfloat16).normal_(std=0.02, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        for name, each in model.named_parameters():
            if each.dim() < 2:
                each.fill_(1.0 if "norm" in name else 0.0)
                continue
            flat = each.view(-1)
            for first in range(0, len(flat), len(drawn)):
                flat[first : first + len(drawn)] = drawn[: len(flat) - first]
    model.generation_config.eos_token_id = None
    return model


def engine(model: Any, tokens: int, **settings: Any) -> LLM:
    """Return an engine with room for so many tokens."""
    longest = max(1024, tokens + 64)
    return LLM(model, max_model_len=longest, num_blocks=2 + SEQS + longest // BLOCK, max_num_seqs=SEQS, **settings)


def prompt(count: int, seed: int) -> dict[str, list[int]]:
    """Return a prompt of random tokens."""
    pick = random.Random(seed)
    return {"prompt_token_ids": [pick.randrange(1000, 100_000) for _ in range(count)]}


def first_token(llm: LLM, text: dict[str, list[int]]) -> tuple[float, int]:
    """Return the seconds to a prompt's first token, and the number of its cached tokens."""
    begin = time.perf_counter()
    (output,) = llm.generate([text], SamplingParams(temperature=0.0, max_tokens=1), use_tqdm=False)
    return time.perf_counter() - begin, output.num_cached_tokens or 0


def next_tokens(llm: LLM, text: dict[str, list[int]]) -> list[int]:
    """Return the first four tokens after a prompt."""
    (output,) = llm.generate([text], SamplingParams(temperature=0.0, max_tokens=4, ignore_eos=True), use_tqdm=False)
    return list(output.outputs[0].token_ids)


def restore(model: Any, folder: Path, tokens: int, rounds: int, beside: str | None) -> dict[str, Any]:
    """Compute a prompt once and restore it."""
    text = prompt(tokens, 1)
    first = engine(model, tokens, prefix_cache_dir=folder, prefix_cache_disk_gb=None)
    first.generate([prompt(256, 2)], SamplingParams(max_tokens=1), use_tqdm=False)  # the first request warms up
    pieces: dict[int, list[float]] = {end: [] for end in [*range(PIECE, tokens, PIECE), tokens]}
    for _ in range(rounds):
        first.engine.reset_prefix_cache()
        for end, each in pieces.items():
            with machine.beside(beside):
                each.append(first_token(first, {"prompt_token_ids": text["prompt_token_ids"][:end]})[0])
            machine.progress(f"computed {PIECE} tokens up to {end} in {each[-1]:.1f} s")
    computed = sum(min(each) for each in pieces.values())
    expected = next_tokens(first, text)
    first.shutdown()
    seconds: dict[str, list[float]] = {"cold": [], "warm": []}
    rates: dict[str, list[float]] = {"cold": [], "warm": []}
    cached = num_bytes = 0
    for _ in range(rounds):
        for state in ("cold", "warm"):
            second = engine(model, tokens, prefix_cache_dir=folder, prefix_cache_disk_gb=None)
            second.generate([prompt(256, 3)], SamplingParams(max_tokens=1), use_tqdm=False)
            with machine.beside(beside):
                if state == "cold":
                    drop(folder)
                taken, cached = first_token(second, text)
                if state == "cold":
                    drop(folder)
                num_bytes, elapsed = read(folder)
                rates[state].append(num_bytes / elapsed)
            seconds[state].append(taken)
            rate = rates[state][-1] / 1e9
            machine.progress(f"{state}: {taken:.3f} s, disk {rate:.2f} GB/s, {cached} tokens; {second.stats().tiers}")
            assert (got := next_tokens(second, text)) == expected, f"{got} instead of {expected}"
            second.engine.reset_prefix_cache()  # or its shutdown would look at every block again
            second.shutdown()
    return {
        "tokens": tokens,
        "bytes": num_bytes,
        "computed_seconds": computed,
        "cached_tokens": cached,
        "restored_seconds": {state: statistics.median(each) for state, each in seconds.items()},
        "times_faster": {state: computed / statistics.median(each) for state, each in seconds.items()},
        "disk_gb_per_second": {state: statistics.median(each) / 1e9 for state, each in rates.items()},
    }


def decode(model: Any, folder: Path, tokens: int, rounds: int, beside: str | None) -> dict[str, Any]:
    """Decode with blocks written through, in turn with an engine that writes none."""
    engines = {
        "without": engine(model, 2048),
        "through": engine(model, 2048, prefix_cache_dir=folder, prefix_cache_write="through"),
    }
    count, seconds = 48, {name: list[float]() for name in engines}
    params = SamplingParams(temperature=0.0, max_tokens=count, ignore_eos=True)
    for number in range(rounds + 1):
        with machine.beside(beside if number else None):  # the first round warms up
            for name, llm in sorted(engines.items(), reverse=number % 2 == 0):
                texts = [prompt(BLOCK, 1000 * number + each) for each in range(SEQS)]
                begin = time.perf_counter()
                llm.generate(texts, params, use_tqdm=False)
                if number:
                    seconds[name].append(time.perf_counter() - begin)
        machine.progress(f"decode: {[each[-1:] for each in seconds.values()]}")
    io = engines["through"].engine.stats().tier_io
    for llm in engines.values():
        llm.engine.reset_prefix_cache()
        llm.shutdown()
    assert io is not None and io.num_written
    rates = {name: SEQS * count / statistics.median(each) for name, each in seconds.items()}
    ratio = machine.ratio(seconds["without"], seconds["through"])
    return {"tokens_per_second": rates, "ratio": ratio, "blocks_written": io.num_written, "dropped": io.num_dropped}


def miss(model: Any, folder: Path, tokens: int, rounds: int, beside: str | None) -> dict[str, Any]:
    """Compute short prompts that the store does not have, in turn with an engine without one."""
    engines = {"without": engine(model, 2048), "evict": engine(model, 2048, prefix_cache_dir=folder)}
    seconds = {name: list[float]() for name in engines}
    params = SamplingParams(temperature=0.0, max_tokens=1)
    for part in range(rounds + 1):
        with machine.beside(beside if part else None):  # the first part warms up
            for number in range(8 * part, 8 * part + 8):
                for name, llm in sorted(engines.items(), reverse=number % 2 == 0):
                    text = prompt(128, 5000 + number)
                    begin = time.perf_counter()
                    llm.generate([text], params, use_tqdm=False)
                    if part:
                        seconds[name].append(time.perf_counter() - begin)
        machine.progress(f"miss: {[each[-1:] for each in seconds.values()]}")
    for llm in engines.values():
        llm.engine.reset_prefix_cache()
        llm.shutdown()
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    return {"seconds": medians, "ratio": machine.ratio(seconds["evict"], seconds["without"])}


def opened(folder: Path) -> list[io.FileIO]:
    """Open the files of a store. One that is renamed meanwhile, because it is full, is found by its new name."""
    while True:
        try:
            return [open(file, "rb", buffering=0) for file in sorted(folder.rglob("*")) if file.is_file()]
        except FileNotFoundError:
            continue


def drop(folder: Path) -> None:
    """Write the files of a store out and remove them from the page cache."""
    for file in opened(folder):
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file.close()


def read(folder: Path) -> tuple[int, float]:
    """Read all files of a store in order; return their bytes, and the seconds that it takes."""
    buffer, num_bytes, files = bytearray(1 << 22), 0, opened(folder)
    begin = time.perf_counter()
    for file in files:
        while count := file.readinto(buffer):
            num_bytes += count
        file.close()
    return num_bytes, time.perf_counter() - begin


if __name__ == "__main__":
    main()
