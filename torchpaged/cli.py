"""The command line: `torchpaged generate`, `trace`, `bench`, `export`, `eval`, `info`. Reads arguments and prints."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchpaged import arguments
from torchpaged.errors import InputError, TorchpagedError

if TYPE_CHECKING:
    from torchpaged.llm import LLM


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status: 0, or 2 for input that cannot be used (said on stderr)."""
    try:
        given = arguments.parse(sys.argv[1:] if argv is None else list(argv))
        return _COMMANDS[given.command](given)
    except TorchpagedError as error:
        print(f"torchpaged: {error}", file=sys.stderr)
        return 2


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
        raise InputError(f"{flag} {output}: there is no folder {output.parent}")


def _generate(given: argparse.Namespace) -> int:
    from torchpaged import profiling

    prompts = [{"prompt": text} for text in given.prompt] if given.prompt else _read_prompts(given.prompts)
    params = arguments.sampling_params(given)
    _require_folder(given.output)
    if given.profile is not None:
        profiling.require_writable(given.profile)
    llm = _load(given.model, arguments.engine_settings(given))
    profiled: AbstractContextManager[profiling.Profile | None] = (
        nullcontext() if given.profile is None else profiling.profile(given.profile)
    )
    with profiled as phases:
        start = time.perf_counter()
        outputs = llm.generate([record["prompt"] for record in prompts], params, use_tqdm=not given.quiet)
        seconds = time.perf_counter() - start
    if given.output is not None:
        _write_outputs(given.output, prompts, outputs)
    else:
        for output in outputs:
            for completion in output.outputs:
                which = f", {completion.index + 1} of {len(output.outputs)}" if len(output.outputs) > 1 else ""
                print(f"\n--- prompt {output.request_id}{which} ({completion.finish_reason}) " + "-" * 40)
                text = f"\033[1m{completion.text}\033[0m" if sys.stdout.isatty() else completion.text
                print(f"{output.prompt}{text}")
    if not given.quiet:
        print(
            "\n" + _table(llm, outputs, seconds) + ("" if phases is None else f"\n\n{phases.table()}"),
            file=sys.stderr if given.output is None and not sys.stdout.isatty() else sys.stdout,
        )
    return 0


def _read_prompts(path: Path) -> list[dict[str, Any]]:
    """At least one record with a "prompt"."""
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--prompts {path}: {error}") from None
    records = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}, line {number}: no JSON ({error})") from None
        if not isinstance(record, dict) or not isinstance(record.get("prompt"), str | list):
            raise InputError(f'{path}, line {number}: expected an object with "prompt", a text or a list of token ids')
        records.append(record)
    if not records:
        raise InputError(f"{path}: no prompts in it, expected one JSON object a line")
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


def _trace(given: argparse.Namespace) -> int:
    params, settings = arguments.sampling_params(given), arguments.engine_settings(given)
    prompts = None if given.prompts is None else _read_prompts(given.prompts)
    _require_folder(given.output)
    from torchpaged import trace

    llm = _load(given.model, settings if prompts is not None else {**trace.DEMO_SETTINGS, **settings})
    pinned = None
    if prompts is not None:
        arrivals = [trace.Arrival(str(number), record["prompt"], params) for number, record in enumerate(prompts)]
    else:
        arrivals = trace.demo(params)
        pinned = trace.DEMO_PIN if llm.engine.config.enable_prefix_caching else None
    seen = trace.run(llm.engine, arrivals, pinned=pinned, title=Path(given.model).name)
    size = seen.write(given.output)
    print(f"{given.output}: {seen.num_steps} steps, {_size(size)}; open it in a browser")
    return 0


def _bench(given: argparse.Namespace) -> int:
    from torchpaged import workloads

    unknown = [name for name in given.workloads or () if name not in workloads.NAMES]
    if unknown:
        raise InputError(f"--workloads {unknown[0]}: expected some of {', '.join(workloads.NAMES)}")
    for name, value in (("scale", given.scale), ("rounds", given.rounds)):
        if not value > 0:
            raise InputError(f"--{name} {value}: expected more than 0")
    _require_folder(given.json, "--json")
    llm = _load(given.model, arguments.engine_settings(given))
    from torchpaged import bench

    chosen = workloads.standard(llm.engine.vocab_size, scale=given.scale, seed=given.seed)
    chosen = [each for each in chosen if given.workloads is None or each.name in given.workloads]

    def progress(text: str) -> None:
        if not given.quiet:
            print(text, file=sys.stderr, flush=True)

    report = bench.bench(llm, chosen, rounds=given.rounds, progress=progress)
    print(report.table())
    if given.json is not None:
        report.write(given.json, llm, sys.argv)
    return 0


def _export(given: argparse.Namespace) -> int:
    _require_folder(given.output)
    from torchpaged.llm import export_checkpoint

    start = time.perf_counter()
    export_checkpoint(
        given.model,
        given.output,
        dtype=given.dtype,
        device=given.device,
        block_size=given.block_size,
        kv_cache_dtype=given.kv_cache_dtype,
        quantization=given.quantization,
        max_model_len=given.max_model_len,
    )
    size, seconds = _size(given.output.stat().st_size), time.perf_counter() - start
    print(f"{given.output}: {size}, in {seconds:.0f} s; run it with LLM({str(given.output)!r})")
    return 0


def _eval(given: argparse.Namespace) -> int:
    try:
        from torchpaged.integrations import lm_eval
    except ModuleNotFoundError as error:
        raise InputError(f"eval needs lm-eval ({error}); pip install lm-eval") from None
    lm_eval.main(given.words)
    return 0


def _info(given: argparse.Namespace) -> int:
    if given.families:
        from torchpaged.integrations import families

        _print_rows([{"family": "family", "attention": "attention", "status": "status"}, *families.table()])
        return 0
    import torch

    import torchpaged
    from torchpaged.ops import active_backend, cpu, describe
    from torchpaged.ops.library import OPERATORS

    if given.ops:
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
    if given.model is None:
        return 0
    from torchpaged.integrations import families
    from torchpaged.integrations import transformers as adapter
    from torchpaged.paged_kv_cache import bytes_per_block

    config = adapter.load_config(given.model)
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
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "generate": _generate,
    "trace": _trace,
    "bench": _bench,
    "export": _export,
    "eval": _eval,
    "info": _info,
}

if __name__ == "__main__":
    raise SystemExit(main())
