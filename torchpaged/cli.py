"""The command line: `torchpaged generate`, `trace`, `bench`, `export`, `eval`, `info`. Reads arguments and prints."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchpaged.errors import TorchpagedError

if TYPE_CHECKING:
    from torchpaged.llm import LLM
    from torchpaged.sampling_params import SamplingParams


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status: 0, or 2 for input that cannot be used (said on stderr)."""
    words = sys.argv[1:] if argv is None else list(argv)
    # lm-eval's own parser reads what follows `eval`.
    arguments = argparse.Namespace(run=_eval, words=words[1:]) if words[:1] == ["eval"] else _parser().parse_args(words)
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
    _add_sampling_flags(generate, max_tokens=128, temperature=0.0)
    _add_engine_flags(generate)
    generate.add_argument(
        "--profile",
        type=Path,
        metavar="FILE.json",
        help="write a torch.profiler trace of the steps, for ui.perfetto.dev",
    )
    generate.add_argument("--quiet", action="store_true", help="no progress bar and no table")

    trace = commands.add_parser("trace", help="run a workload and write a page that shows the pool, step by step")
    trace.set_defaults(run=_trace)
    trace.add_argument("--model", required=True, help="folder or hub id of a transformers checkpoint")
    trace.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.html", help="the page")
    work = trace.add_mutually_exclusive_group()
    work.add_argument("--prompts", type=Path, metavar="FILE.jsonl", help='one JSON object a line: {"prompt": "..."}')
    work.add_argument(
        "--workload",
        choices=["demo"],
        default="demo",
        help="requests that share, fork, are preempted and found again, in a small pool (default; "
        "--max-tokens is its longest request's, -n its forking one's)",
    )
    _add_sampling_flags(trace, max_tokens=64, temperature=0.8)
    _add_engine_flags(trace)

    bench = commands.add_parser("bench", help="tokens a second on a few workloads, and what this machine could do")
    bench.set_defaults(run=_bench)
    bench.add_argument("--model", required=True, help="folder or hub id of a transformers checkpoint")
    bench.add_argument(
        "--workloads", nargs="+", metavar="NAME", help="some of decode-1, decode-8, decode-32, prefill, mixed, ..."
    )
    bench.add_argument("--scale", type=float, default=1.0, metavar="X", help="of all token counts (default 1)")
    bench.add_argument("--rounds", type=int, default=1, metavar="N", help="medians of as many runs (default 1)")
    bench.add_argument("--seed", type=int, default=0, help="of the random prompts")
    bench.add_argument("--json", type=Path, metavar="FILE.json", help="write what was measured here too")
    bench.add_argument("--quiet", action="store_true", help="do not say what is running")
    _add_engine_flags(bench)

    export = commands.add_parser("export", help="write a model as a .pt2 file that runs without its Python code")
    export.set_defaults(run=_export)
    export.add_argument("model", help="folder or hub id of a transformers checkpoint")
    export.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.pt2")
    export.add_argument("--dtype", default="auto", help="auto, float32, float16 or bfloat16")
    export.add_argument("--device", default="auto", help="auto, cpu, cuda, ...: what the file is for")
    export.add_argument("--block-size", type=int, default=16, metavar="N", help="tokens in a block (default 16)")
    export.add_argument("--kv-cache-dtype", default="auto", help="auto, fp8, fp8_e5m2 or int8")
    export.add_argument("--quantization", help="of the weights: int8, int8-dynamic or int4 (default: none)")
    export.add_argument("--max-model-len", type=int, metavar="N", help="prompt and completion together at most")

    commands.add_parser("eval", help="lm-eval's command line with this engine as its model: eval --tasks ...")

    info = commands.add_parser("info", help="versions, device, backends; whether a model is supported")
    info.set_defaults(run=_info)
    info.add_argument("model", nargs="?", help="folder or hub id of a transformers checkpoint")
    tables = info.add_mutually_exclusive_group()
    tables.add_argument("--ops", action="store_true", help="the table of operators and their backends")
    tables.add_argument("--families", action="store_true", help="the table of model families: supported, or why not")
    return parser


def _add_sampling_flags(parser: argparse.ArgumentParser, *, max_tokens: int, temperature: float) -> None:
    add = parser.add_argument_group("sampling").add_argument
    add("-n", type=int, default=1, metavar="N", help="completions a prompt (default 1)")
    add(
        "--max-tokens",
        type=int,
        default=max_tokens,
        metavar="N",
        help=f"generated tokens a prompt (default {max_tokens})",
    )
    add("--temperature", type=float, default=temperature, metavar="T", help=f"0 is greedy (default {temperature:g})")
    add("--top-p", type=float, default=1.0, metavar="P")
    add("--top-k", type=int, default=0, metavar="K")
    add("--seed", type=int, help="of each prompt's own random numbers")
    add("--stop", action="append", default=[], metavar="TEXT", help="a string that ends the text; may be repeated")


def _sampling_params(arguments: argparse.Namespace) -> SamplingParams:
    from torchpaged.sampling_params import SamplingParams

    return SamplingParams(
        n=arguments.n,
        max_tokens=arguments.max_tokens,
        temperature=arguments.temperature,
        top_p=arguments.top_p,
        top_k=arguments.top_k,
        seed=arguments.seed,
        stop=arguments.stop,
    )


def _add_engine_flags(parser: argparse.ArgumentParser) -> None:
    """Settings of EngineConfig, under its names; one that is not given is its default."""
    group = parser.add_argument_group("engine")

    def add(name: str, **options: Any) -> None:
        group.add_argument(name, default=argparse.SUPPRESS, **options)

    add("--dtype", help="auto, float32, float16 or bfloat16")
    add("--device", help="auto, cpu, cuda, ...")
    add("--max-model-len", type=int, metavar="N", help="prompt and completion together at most")
    add("--max-num-seqs", type=int, metavar="N", help="requests at once (default 64)")
    add("--max-num-batched-tokens", type=int, metavar="N", help="tokens a step (default 2048)")
    add("--block-size", type=int, metavar="N", help="tokens in a block (default 16)")
    add("--kv-cache-dtype", help="auto, fp8, fp8_e5m2 or int8")
    add("--quantization", help="of the weights, through torchao: int8, int8-dynamic or int4 (default: none)")
    add("--num-blocks", type=int, metavar="N", help="blocks in the pool (default: from memory)")
    add(
        "--no-prefix-caching",
        dest="enable_prefix_caching",
        action="store_false",
        help="compute every prompt, even one that begins like another",
    )
    add("--swap-space", type=float, metavar="GIB", help="host memory for preempted requests (default 0: none)")
    add("--preemption-mode", help="swap, recompute, or auto for what costs less (default)")
    add("--scheduling-policy", help="fcfs (default) or priority")


def _engine_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    from torchpaged.config import EngineConfig

    names = EngineConfig.__dataclass_fields__.keys() - {"seed"}  # --seed is each prompt's
    return {name: value for name, value in vars(arguments).items() if name in names}


def _load(model: str, settings: dict[str, Any]) -> LLM:
    # torch and transformers take seconds to import: only once the arguments are known to be usable.
    from transformers.utils import logging

    from torchpaged.config import EngineConfig
    from torchpaged.llm import LLM

    EngineConfig(**settings)
    logging.disable_progress_bar()  # of the weights' loading; the bar of the generation is ours
    return LLM(model, **settings)


def _require_folder(output: Path | None, flag: str = "--output") -> None:
    if output is not None and not output.parent.is_dir():
        raise _InputError(f"{flag} {output}: there is no folder {output.parent}")


def _generate(arguments: argparse.Namespace) -> int:
    from torchpaged.tools import profiling

    prompts = [{"prompt": text} for text in arguments.prompt] if arguments.prompt else _read_prompts(arguments.prompts)
    params = _sampling_params(arguments)
    _require_folder(arguments.output)
    if arguments.profile is not None:
        profiling.require_writable(arguments.profile)
    llm = _load(arguments.model, _engine_settings(arguments))
    profiled: AbstractContextManager[profiling.Profile | None] = (
        nullcontext() if arguments.profile is None else profiling.profile(arguments.profile)
    )
    with profiled as phases:
        start = time.perf_counter()
        outputs = llm.generate([record["prompt"] for record in prompts], params, use_tqdm=not arguments.quiet)
        seconds = time.perf_counter() - start
    if arguments.output is not None:
        _write_outputs(arguments.output, prompts, outputs)
    else:
        for output in outputs:
            for completion in output.outputs:
                which = f", {completion.index + 1} of {len(output.outputs)}" if len(output.outputs) > 1 else ""
                print(f"\n--- prompt {output.request_id}{which} ({completion.finish_reason}) " + "-" * 40)
                text = f"\033[1m{completion.text}\033[0m" if sys.stdout.isatty() else completion.text
                print(f"{output.prompt}{text}")
    if not arguments.quiet:
        print(
            "\n" + _table(llm, outputs, seconds) + ("" if phases is None else f"\n\n{phases.table()}"),
            file=sys.stderr if arguments.output is None and not sys.stdout.isatty() else sys.stdout,
        )
    return 0


def _read_prompts(path: Path) -> list[dict[str, Any]]:
    """At least one record with a "prompt"."""
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
    if not records:
        raise _InputError(f"{path}: no prompts in it, expected one JSON object a line")
    return records


def _write_outputs(path: Path, prompts: list[dict[str, Any]], outputs: list[Any]) -> None:
    """One line a completion."""
    with path.open("w") as file:
        for record, output in zip(prompts, outputs, strict=True):
            for completion in output.outputs:
                result = {
                    **record,
                    "completion": completion.text,
                    "token_ids": completion.token_ids,
                    "finish_reason": completion.finish_reason,
                }
                if len(output.outputs) > 1:
                    result["index"] = completion.index
                if completion.error is not None:
                    result["error"] = completion.error
                file.write(json.dumps(result) + "\n")


def _table(llm: Any, outputs: list[Any], seconds: float) -> str:
    """Speed, and what the paged cache took against what a contiguous one would have reserved."""
    stats, cache = llm.stats(), llm.engine.runner.kv_cache
    peak, generated = stats.peak, sum(len(c.token_ids) for o in outputs for c in o.outputs)
    per_token = cache.bytes_per_block // cache.block_size
    allocated = peak.num_used_blocks * cache.bytes_per_block
    used = peak.num_tokens * per_token
    at_once = min(sum(len(output.outputs) for output in outputs), llm.engine.config.max_num_seqs)
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
            f"{_size(reserved)} reserved: {at_once} sequences at once, {llm.engine.max_model_len} tokens each",
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


def _trace(arguments: argparse.Namespace) -> int:
    params, settings = _sampling_params(arguments), _engine_settings(arguments)
    prompts = None if arguments.prompts is None else _read_prompts(arguments.prompts)
    _require_folder(arguments.output)
    from torchpaged.tools import trace

    llm = _load(arguments.model, settings if prompts is not None else {**trace.DEMO_SETTINGS, **settings})
    pinned = None
    if prompts is not None:
        arrivals = [trace.Arrival(str(number), record["prompt"], params) for number, record in enumerate(prompts)]
    else:
        arrivals = trace.demo(params)
        pinned = trace.DEMO_PIN if llm.engine.config.enable_prefix_caching else None
    seen = trace.run(llm.engine, arrivals, pinned=pinned, title=Path(arguments.model).name)
    size = seen.write(arguments.output)
    print(f"{arguments.output}: {seen.num_steps} steps, {_size(size)}; open it in a browser")
    return 0


def _bench(arguments: argparse.Namespace) -> int:
    from torchpaged.tools import workloads

    unknown = [name for name in arguments.workloads or () if name not in workloads.NAMES]
    if unknown:
        raise _InputError(f"--workloads {unknown[0]}: expected some of {', '.join(workloads.NAMES)}")
    for name, value in (("scale", arguments.scale), ("rounds", arguments.rounds)):
        if not value > 0:
            raise _InputError(f"--{name} {value}: expected more than 0")
    _require_folder(arguments.json, "--json")
    llm = _load(arguments.model, _engine_settings(arguments))
    from torchpaged.tools import bench

    chosen = workloads.standard(llm.engine.vocab_size, scale=arguments.scale, seed=arguments.seed)
    chosen = [each for each in chosen if arguments.workloads is None or each.name in arguments.workloads]

    def progress(text: str) -> None:
        if not arguments.quiet:
            print(text, file=sys.stderr, flush=True)

    report = bench.bench(llm, chosen, rounds=arguments.rounds, progress=progress)
    print(report.table())
    if arguments.json is not None:
        report.write(arguments.json, llm, sys.argv)
    return 0


def _export(arguments: argparse.Namespace) -> int:
    _require_folder(arguments.output)
    from torchpaged.llm import export_checkpoint

    start = time.perf_counter()
    export_checkpoint(
        arguments.model,
        arguments.output,
        dtype=arguments.dtype,
        device=arguments.device,
        block_size=arguments.block_size,
        kv_cache_dtype=arguments.kv_cache_dtype,
        quantization=arguments.quantization,
        max_model_len=arguments.max_model_len,
    )
    size, seconds = _size(arguments.output.stat().st_size), time.perf_counter() - start
    print(f"{arguments.output}: {size}, in {seconds:.0f} s; run it with LLM({str(arguments.output)!r})")
    return 0


def _eval(arguments: argparse.Namespace) -> int:
    try:
        from torchpaged.integrations import lm_eval
    except ModuleNotFoundError as error:
        raise _InputError(f"eval needs lm-eval ({error}); pip install lm-eval") from None
    lm_eval.main(arguments.words)
    return 0


def _info(arguments: argparse.Namespace) -> int:
    if arguments.families:
        from torchpaged.integrations import families

        _print_rows([{"family": "family", "attention": "attention", "status": "status"}, *families.table()])
        return 0
    import torch

    import torchpaged
    from torchpaged.ops import active_backend, cpu, describe
    from torchpaged.ops.library import OPERATORS

    if arguments.ops:
        rows = [
            {"op": "op", "device": "device", "backend": "backend (* default)", "supports": "supports"},
            *describe(),
        ]
        _print_rows(rows)
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
    from torchpaged.integrations import families
    from torchpaged.integrations import transformers as adapter
    from torchpaged.execution.paged_kv_cache import bytes_per_block

    config = adapter.load_config(arguments.model)
    reason = families.unsupported_reason(config)
    print(f"{'model':<13}{config.model_type}, {config.num_hidden_layers} layers: {reason or 'supported'}")
    if reason is not None:
        return 2
    dtype = config.dtype or torch.float32
    # The layers of cross-attention keep the encoder's tokens: as much for each.
    layers = [shape for shape in adapter.layers_without_weights(config).values() if not shape.cross]
    print(f"{'cache':<13}{bytes_per_block(layers, 1, dtype)} bytes a token in {str(dtype).removeprefix('torch.')}")
    return 0


def _print_rows(rows: Sequence[dict[str, str]]) -> None:
    widths = {key: max(len(row[key]) for row in rows) for key in rows[0]}
    for row in rows:
        print("  ".join(f"{row[key]:<{widths[key]}}" for key in row).rstrip())


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    raise SystemExit(main())
