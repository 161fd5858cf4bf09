"""The command line: `torchpaged generate` and `torchpaged info`. Reads arguments, prints; owns no logic."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from torchpaged.errors import TorchpagedError


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status: 0, or 2 for input that cannot be used (said on stderr)."""
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
        return status
    except (TorchpagedError, _InputError) as error:
        print(f"torchpaged: {error}", file=sys.stderr)
        return 2


class _InputError(Exception):
    """A file or flag that cannot be used."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="torchpaged", description="Paged attention for any PyTorch decoder.")
    commands = parser.add_subparsers(required=True, metavar="command")

    generate = commands.add_parser("generate", help="complete prompts together")
    generate.set_defaults(run=_generate)
    generate.add_argument("--model", required=True, help="folder or hub id of a transformers checkpoint")
    source = generate.add_mutually_exclusive_group(required=True)
    source.add_argument("--prompt", action="append", metavar="TEXT", help="a prompt; may be given several times")
    source.add_argument("--prompts", type=Path, metavar="FILE.jsonl", help='one JSON object a line: {"prompt": "..."}')
    generate.add_argument(
        "--output", type=Path, metavar="FILE.jsonl", help="write completions here instead of printing them"
    )
    generate.add_argument(
        "--max-tokens", type=int, default=128, metavar="N", help="generated tokens a prompt (default 128)"
    )
    generate.add_argument("--temperature", type=float, default=0.0, metavar="T", help="0 is greedy (default)")
    generate.add_argument("--top-p", type=float, default=1.0, metavar="P")
    generate.add_argument("--top-k", type=int, default=0, metavar="K")
    generate.add_argument("--seed", type=int, help="of each prompt's own random numbers")
    generate.add_argument(
        "--stop",
        action="append",
        default=[],
        metavar="TEXT",
        help="a string that ends the text; may be repeated",
    )
    generate.add_argument("--dtype", default="auto", help="auto, float32, float16 or bfloat16")
    generate.add_argument("--device", default="auto", help="auto, cpu, cuda, ...")
    generate.add_argument("--max-model-len", type=int, metavar="N", help="prompt and completion together at most")
    generate.add_argument("--max-num-seqs", type=int, default=64, metavar="N", help="requests at once (default 64)")
    generate.add_argument(
        "--max-num-batched-tokens", type=int, default=2048, metavar="N", help="tokens a step (default 2048)"
    )
    generate.add_argument("--block-size", type=int, default=16, metavar="N", help="tokens in a block (default 16)")
    generate.add_argument("--kv-cache-dtype", default="auto", help="auto, fp8, fp8_e5m2 or int8")
    generate.add_argument("--num-blocks", type=int, metavar="N", help="blocks in the pool (default: from memory)")
    generate.add_argument("--quiet", action="store_true", help="no progress bar and no table")

    info = commands.add_parser("info", help="versions, device, backends; whether a model is supported")
    info.set_defaults(run=_info)
    info.add_argument("model", nargs="?", help="folder or hub id of a transformers checkpoint")
    info.add_argument("--ops", action="store_true", help="the table of operators and their backends")
    return parser


def _generate(arguments: argparse.Namespace) -> int:
    from torchpaged.sampling_params import SamplingParams

    prompts = [{"prompt": text} for text in arguments.prompt] if arguments.prompt else _read_prompts(arguments.prompts)
    if not prompts:
        raise _InputError(f"{arguments.prompts}: no prompts in it, expected one JSON object a line")
    params = SamplingParams(
        max_tokens=arguments.max_tokens,
        temperature=arguments.temperature,
        top_p=arguments.top_p,
        top_k=arguments.top_k,
        seed=arguments.seed,
        stop=arguments.stop,
    )
    if arguments.output is not None and not arguments.output.parent.is_dir():
        raise _InputError(f"--output {arguments.output}: there is no folder {arguments.output.parent}")

    # torch and transformers take seconds to import: only now that the arguments are known to be usable.
    from transformers.utils import logging

    from torchpaged.llm import LLM

    logging.disable_progress_bar()  # of the weights' loading; the bar of the generation is ours
    llm = LLM(
        arguments.model,
        dtype=arguments.dtype,
        device=arguments.device,
        max_model_len=arguments.max_model_len,
        max_num_seqs=arguments.max_num_seqs,
        max_num_batched_tokens=arguments.max_num_batched_tokens,
        block_size=arguments.block_size,
        kv_cache_dtype=arguments.kv_cache_dtype,
        num_blocks=arguments.num_blocks,
    )
    start = time.perf_counter()
    outputs = llm.generate([record["prompt"] for record in prompts], params, use_tqdm=not arguments.quiet)
    seconds = time.perf_counter() - start
    if arguments.output is not None:
        _write_outputs(arguments.output, prompts, outputs)
    else:
        for output in outputs:
            print(f"\n--- prompt {output.request_id} ({output.outputs[0].finish_reason}) " + "-" * 40)
            print(
                f"{output.prompt}\033[1m{output.outputs[0].text}\033[0m"
                if sys.stdout.isatty()
                else f"{output.prompt}{output.outputs[0].text}"
            )
    if not arguments.quiet:
        print(
            "\n" + _table(llm, outputs, seconds),
            file=sys.stderr if arguments.output is None and not sys.stdout.isatty() else sys.stdout,
        )
    return 0


def _read_prompts(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise _InputError(f"--prompts {path}: {error}") from None
    records = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise _InputError(f"{path}, line {number}: no JSON ({error})") from None
        if not isinstance(record, dict) or not isinstance(record.get("prompt"), str | list):
            raise _InputError(f'{path}, line {number}: expected an object with "prompt", a text or a list of token ids')
        records.append(record)
    return records


def _write_outputs(path: Path, prompts: list[dict[str, Any]], outputs: list[Any]) -> None:
    with path.open("w") as file:
        for record, output in zip(prompts, outputs, strict=True):
            completion = output.outputs[0]
            result = {
                **record,
                "completion": completion.text,
                "token_ids": completion.token_ids,
                "finish_reason": completion.finish_reason,
                "error": completion.error,
            }
            file.write(json.dumps({k: v for k, v in result.items() if k != "error" or v is not None}) + "\n")


def _table(llm: Any, outputs: list[Any], seconds: float) -> str:
    """Speed, and what the paged cache took against what a contiguous one would have reserved."""
    stats, cache = llm.stats(), llm.engine.runner.kv_cache
    peak, generated = stats.peak, sum(len(c.token_ids) for o in outputs for c in o.outputs)
    per_token = cache.bytes_per_block // cache.block_size
    allocated = peak.num_used_blocks * cache.bytes_per_block
    used = peak.num_tokens * per_token
    at_once = min(len(outputs), llm.engine.config.max_num_seqs)
    reserved = at_once * llm.engine.max_model_len * per_token
    rows = [
        ("requests", f"{len(outputs)}, {stats.num_preemptions} preemptions"),
        ("generated", f"{generated} tokens in {seconds:.2f} s, {generated / seconds:.1f} tokens/s"),
        (
            "blocks at the peak",
            f"{peak.num_used_blocks} of {peak.num_blocks}, {cache.block_size} tokens each",
        ),
        (
            "contiguous cache",
            f"{_size(reserved)} reserved: {at_once} requests at once, {llm.engine.max_model_len} tokens each",
        ),
        ("paged cache", f"{_size(allocated)} allocated, {_size(used)} used: {peak.waste:.1%} waste"),
        ("saved", f"{1 - allocated / reserved:.1%} of the contiguous cache's bytes"),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _size(count: int) -> str:
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.2f} {unit}"


def _info(arguments: argparse.Namespace) -> int:
    import torch

    import torchpaged
    from torchpaged.ops import active_backend, cpu, describe
    from torchpaged.ops.library import OPERATORS

    if arguments.ops:
        rows = [
            {"op": "op", "device": "device", "backend": "backend (* default)", "supports": "supports"},
            *describe(),
        ]
        widths = {key: max(len(row[key]) for row in rows) for key in rows[0]}
        for row in rows:
            print("  ".join(f"{row[key]:<{widths[key]}}" for key in row).rstrip())
        print()
        for operator in OPERATORS:
            print(f"{operator.overload}{operator.schema}")
        return 0
    cuda = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    for name, value in (
        ("torchpaged", torchpaged.__version__),
        ("python", platform.python_version()),
        *((package, _version(package)) for package in ("torch", "triton", "transformers")),
        ("cpu", f"{platform.machine()}, {torch.get_num_threads()} threads"),
        (
            "isa",
            f"{cpu.isa()} (this machine has {', '.join(cpu.available_isas()) or 'none: no C++ library'})",
        ),
        ("cuda", cuda),
        (
            "backend",
            ", ".join(f"{device}: {active_backend('paged_attention', device)}" for device in ("cpu", "cuda")),
        ),
    ):
        print(f"{name:<13}{value}")
    if arguments.model is None:
        return 0
    from torchpaged.integrations import transformers as adapter

    config = adapter.load_config(arguments.model)
    reason = adapter.unsupported_reason(config)
    print(f"{'model':<13}{config.model_type}, {config.num_hidden_layers} layers: {reason or 'supported'}")
    return 0 if reason is None else 2


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    raise SystemExit(main())
