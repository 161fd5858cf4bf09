"""The commands `torchpaged bench`, `bench latency`, `bench throughput` and `bench serve`."""

from __future__ import annotations

import argparse
import sys

from torchpaged.errors import InputError
from torchpaged.tools import arguments, bench_arguments, cli_utils
from torchpaged.tools.adapters import Adapters


def run_workloads(given: argparse.Namespace) -> int:
    """Measure the standard workloads, and what the machine allows at most."""
    from torchpaged.tools import workloads

    unknown = [name for name in given.workloads or () if name not in workloads.NAMES]
    if unknown:
        raise InputError(f"--workloads {unknown[0]}: expected some of {', '.join(workloads.NAMES)}")
    for name, value in (("scale", given.scale), ("rounds", given.rounds)):
        if not value > 0:
            raise InputError(f"--{name} {value}: expected more than 0")
    cli_utils.require_writable(given.json, "--json")
    llm = cli_utils.load_llm(given.model, arguments.engine_settings(given))
    from torchpaged.tools import bench

    chosen = workloads.standard(llm.engine.model.spec.vocab_size, scale=given.scale, seed=given.seed)
    chosen = [each for each in chosen if given.workloads is None or each.name in given.workloads]

    report = bench.bench(llm, chosen, rounds=given.rounds, progress=cli_utils.progress(given.quiet))
    print(report.table())
    if given.json is not None:
        report.write(given.json, llm, sys.argv)
    return 0


def run_offline(given: argparse.Namespace) -> int:
    """Measure latency or throughput of a model loaded in this process."""
    kind = given.command.removeprefix("bench ")
    bench_arguments.check(given, kind)
    cli_utils.require_writable(given.output_json, "--output-json")
    cli_utils.require_writable(given.plot, "--plot")
    settings = arguments.engine_settings(given)
    if (least := given.input_len + given.output_len) > settings.get("max_model_len", least):
        most = settings["max_model_len"]
        raise InputError(f"{given.command}: a request has {least} tokens, and --max-model-len is {most}")
    adapters = Adapters(given.lora_modules or ())
    llm = cli_utils.load_llm(given.model, settings)
    adapters.load(llm)
    from torchpaged.tools import bench_offline

    measured = getattr(bench_offline, kind)(llm, given, cli_utils.progress(given.quiet))
    print(measured.report(given.percentiles))
    measured.write(given)
    return 0


def run_serve(given: argparse.Namespace) -> int:
    """Load a running server with requests."""
    from torchpaged.tools import bench_serve

    bench_arguments.check(given, "serve")
    cli_utils.require_writable(given.output_json, "--output-json")
    cli_utils.require_writable(given.plot, "--plot")
    load = bench_serve.bench_serve(given, cli_utils.progress(given.quiet))
    print(load.report(given.percentiles))
    load.write(given)
    if (failed := len(load.answers) - len(load.done)) > 0:
        errors = [answer.error for answer in load.answers if answer.error is not None]
        raise InputError(f"bench serve: {failed} of {len(load.answers)} requests failed: {errors[0]}")
    return 0
