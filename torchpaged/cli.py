"""The command line: `torchpaged generate`, `chat`, `serve`, `run-batch`, `trace`, `bench`, `export`, ..."""

from __future__ import annotations

import argparse
import dataclasses
import errno
import io
import os
import platform
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchpaged.errors import ConfigError, InputError, TorchpagedError, needing
from torchpaged.serving.options import MAX_STEP_MS, MAX_TOKENS_ON_CPU
from torchpaged.tools import arguments, bench_arguments, completion_file, terminal
from torchpaged.utils import atomic_files

if TYPE_CHECKING:
    from torchpaged.async_engine.async_llm import AsyncLLM
    from torchpaged.llm import LLM
    from torchpaged.serving.options import ServeOptions


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status.

    0; 2 for input that cannot be used (said on stderr); 128 and the signal's number when Ctrl-C, SIGTERM or a reader
    that went away has ended it.
    """
    received: list[signal.Signals] = []
    if argv is None:  # this process is ours
        _prepare_streams()
        _listen(received)
    try:
        given = arguments.parse(sys.argv[1:] if argv is None else list(argv))
        with needing(f"torchpaged {given.command}"):
            status = _COMMANDS[given.command](given)
        sys.stdout.flush()  # here, where it can be said that it failed
        return status
    except (Exception, KeyboardInterrupt) as error:
        if received or isinstance(error, KeyboardInterrupt):
            return _stopped(received[0] if received else signal.SIGINT, error)
        return _failed(error)


def _listen(received: list[signal.Signals]) -> None:
    """Ctrl-C and SIGTERM end a command with what it has written. What was set to ignore them goes on doing so."""

    def stop(number: int, _: object) -> None:
        received.append(signal.Signals(number))
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, stop)


def _stopped(number: signal.Signals, error: BaseException) -> int:
    """Says that a signal came, whatever has become of it on its way: modules in C make an ImportError of Ctrl-C."""
    said = error.args if isinstance(error, KeyboardInterrupt) else ()
    by = "terminated" if number == signal.SIGTERM else "interrupted"
    print(": ".join(["torchpaged", by, *map(str, said)]), file=sys.stderr)
    exec("")  # a Ctrl-C inside of one (as in making a dataclass) is remembered until the next: Python would end by it
    return 128 + number


def _failed(error: Exception) -> int:
    """Says what a person can do something about, in a line. Raises what is a fault of ours."""
    if isinstance(error, TorchpagedError):
        print(f"torchpaged: {error}", file=sys.stderr)
        return 2
    if not isinstance(error, OSError) or error.errno not in (errno.EPIPE, errno.ENOSPC, errno.EDQUOT):
        raise error
    # What is left in the buffer can go nowhere, and Python would try once more at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:  # as `| head` does when it has read enough
        return 128 + signal.SIGPIPE
    print(f"torchpaged: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
    return 2


def _prepare_streams() -> None:
    """Text is UTF-8 whatever the locale is, unless Python was told otherwise; a closed stream swallows it.

    What cannot be written is escaped: an answer that has been computed is not lost for a letter.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until the process ends
        elif isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if "PYTHONIOENCODING" in os.environ else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _load(model: str, settings: dict[str, Any]) -> LLM:
    from torchpaged.config import EngineConfig
    from torchpaged.engine_args import read_settings

    EngineConfig(**read_settings(settings).engine)
    # torch and transformers take seconds to import: only once the arguments are known to be usable.
    from transformers.utils import logging

    from torchpaged.llm import LLM

    logging.disable_progress_bar()  # of the weights' loading; the bar of the generation is ours
    return LLM(model, **settings)


def _require_writable(output: Path | None, flag: str = "--output") -> None:
    """Before hours of work, not after."""
    if output is None:
        return
    if not output.parent.is_dir():
        raise InputError(f"{flag} {output}: there is no folder {output.parent}")
    try:
        atomic_files.require_writable(output)
    except OSError as error:
        raise InputError(f"{flag} {output}: {error.strerror or error}") from None


def _generate(given: argparse.Namespace) -> int:
    if (given.resume or given.overwrite) and given.output is None:
        what = "--resume goes on with" if given.resume else "--overwrite replaces"
        raise InputError(f"{what} a file of completions: name it with --output")
    if given.stream and given.output is not None:
        raise InputError("--stream shows texts on the screen: leave out --output")
    if given.show_drafts and not given.stream:
        raise InputError("--show-drafts colours texts as they come: add --stream")
    texts, path = given.prompt, given.prompts
    records = completion_file.read_prompts(path) if texts is None else [{"prompt": text} for text in texts]
    params, settings = arguments.sampling_params(given), arguments.engine_settings(given)
    _require_writable(given.output)
    _require_writable(given.profile, "--profile")
    file = None
    if given.output is not None:
        if path is not None and _is_same(given.output, path):
            raise InputError(f"--output {given.output}: the prompts are in it; name another file")
        completion_file.require_new(given.output, "--output", resume=given.resume, overwrite=given.overwrite)
        said = {**dataclasses.asdict(params), **_said_of_the_model(given.model, settings)}
        del said["output_kind"], said["num_speculative_tokens"]  # neither changes a completion
        keys = [completion_file.key_of(record["prompt"], said) for record in records]
        file = completion_file.CompletionFile(given.output, keys, params.n)
        if given.resume:
            file.resume()
            if not given.quiet:
                print(f"{given.output}: {len(file.done)} of {len(records)} prompts are done", file=sys.stderr)
    if file is not None and len(file.done) == len(records):  # there is no use for a model
        with file:
            file.sort()
        return 0
    llm = _load(given.model, settings)
    from torchpaged.tools import generate

    errors = generate.generate(
        llm,
        records,
        params,
        file,
        profile=given.profile,
        quiet=given.quiet,
        stream=given.stream,
        show_drafts=given.show_drafts,
    )
    if errors:
        raise InputError(f"{len(errors)} of {len(records)} prompts could not be completed: {errors[0].splitlines()[0]}")
    return 0


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _said_of_the_model(model: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What else than prompt and sampling parameters a completion depends on."""
    path = Path(model).expanduser()
    return {
        "model": str(path.resolve()) if path.exists() else model,
        **{name: settings.get(name) for name in ("dtype", "kv_cache_dtype", "quantization", "max_model_len")},
    }


def _chat(given: argparse.Namespace) -> int:
    said, settings = arguments.sampling_given(given), arguments.engine_settings(given)
    from torchpaged.sampling_params import SamplingParams

    if SamplingParams(**said).n != 1:
        raise InputError(f"chat: -n {said['n']}: there is one answer")
    if given.chat_template is not None:
        settings["chat_template"] = given.chat_template
    with terminal.loading(Path(given.model).name, quiet=given.quiet):
        llm = _load(given.model, settings)
    from torchpaged.tools import chat

    chat.read_utf8()
    history = None if given.no_history else given.history or terminal.history_file()
    reader = terminal.LineReader(history, chat.COMMANDS)
    try:
        chat.Chat(llm, said, system=given.system, quiet=given.quiet).run(reader.read)
    finally:
        reader.close()
    return 0


def _serve(given: argparse.Namespace) -> int:
    options, settings = arguments.serve_options(given), arguments.engine_settings(given)
    try:
        from torchpaged.serving import logs, server
    except ModuleNotFoundError as error:
        raise InputError(f"serve needs {error.name}; pip install 'torchpaged[serve]'") from None
    listener = server.listen(options)
    if options.log_format == "json":
        logs.log_as_json()
    _set_defaults(settings)
    with terminal.loading(Path(given.model).name):
        llm = _async_llm(given, options, settings)
    try:
        said = f"torchpaged: {llm.name} at {server.address_of(listener, options)}"
        server.Server(llm, options, lambda: _say(said, _chats_of(llm))).run([listener])
    finally:
        llm.shutdown()
    return 0


def _chats_of(llm: AsyncLLM) -> str | None:
    """Return how chats sample, where the checkpoint does not decide it and there can be chats."""
    from torchpaged.requests.chat_sampling import describe

    return describe(llm.default_params, llm.chat_params) if llm.tokenizer_pool.has_chat_template else None


def _say(*lines: str | None) -> None:
    for line in lines:
        if line is not None:
            print(line if line.startswith("torchpaged: ") else f"torchpaged: {line}", file=sys.stderr, flush=True)


def _set_defaults(settings: dict[str, Any]) -> None:
    """Of an engine that is served, where nothing was said."""
    import torch

    settings.setdefault("max_step_ms", MAX_STEP_MS)  # 0: none
    device = str(settings.get("device", "auto"))
    on_cpu = device == "cpu" or (device == "auto" and not torch.cuda.is_available())
    if on_cpu and settings.get("enable_chunked_prefill", True):
        most = max(MAX_TOKENS_ON_CPU, settings.get("max_num_seqs", 0))
        settings.setdefault("max_num_batched_tokens", most)


def _async_llm(given: argparse.Namespace, options: ServeOptions, settings: dict[str, Any]) -> AsyncLLM:
    from torchpaged.async_engine.async_llm import AsyncLLM

    if given.chat_template is not None:
        settings["chat_template"] = given.chat_template
    settings["use_tqdm_on_load"] = False
    if not options.engine_process:
        # A step waits this long at most for the thread that answers clients; Python's own 5 ms double a step of 40.
        sys.setswitchinterval(0.0005)
    return AsyncLLM(
        given.model,
        given.tokenizer,
        step_timeout=options.step_timeout,
        engine_process=options.engine_process,
        restart_engine=options.restart_engine and options.engine_process and given.command == "serve",
        **settings,
    )


def _run_batch(given: argparse.Namespace) -> int:
    options, settings = arguments.serve_options(given), arguments.engine_settings(given)
    _require_writable(given.output_file, "--output-file")
    if _is_same(given.output_file, given.input_file):
        raise InputError(f"--output-file {given.output_file}: the requests are in it; name another file")
    completion_file.require_new(given.output_file, "--output-file", resume=given.resume, overwrite=given.overwrite)
    try:
        from torchpaged.serving import batch_file
    except ModuleNotFoundError as error:
        raise InputError(f"run-batch needs {error.name}; pip install 'torchpaged[serve]'") from None
    more = {"names": options.served_model_name}
    if "generation_config" in settings:
        more["generation_config"] = settings["generation_config"]
    said = repr(sorted({**_said_of_the_model(given.model, settings), **more}.items()))
    ids = {request.id(said) for request in batch_file.read_requests(given.input_file)}
    output = batch_file.BatchOutput(given.output_file)
    if given.resume:
        output.resume(ids)
        if not given.quiet:
            print(f"{given.output_file}: {len(output.done)} of {len(ids)} requests are done", file=sys.stderr)
    if len(output.done) == len(ids):  # there is no use for a model
        return 0
    llm = _async_llm(given, options, settings)
    if not given.quiet:
        _say(_chats_of(llm))
    try:
        with output:
            tally = batch_file.answer(llm, options, given.input_file, output, said, len(ids), quiet=given.quiet)
    finally:
        llm.shutdown()
    if tally.num_failed:
        raise InputError(f"{tally.num_failed} of {tally.num_done} requests failed: {tally.errors[0]}")
    return 0


def _trace(given: argparse.Namespace) -> int:
    params, settings = arguments.sampling_params(given), arguments.engine_settings(given)
    prompts = None if given.prompts is None else completion_file.read_prompts(given.prompts)
    completion_file.require_good(prompts or ())
    _require_writable(given.output)
    from torchpaged.tools import trace
    from torchpaged.tools.generate import size_of

    llm = _load(given.model, settings if prompts is not None else {**trace.DEMO_SETTINGS, **settings})
    pinned = None
    if prompts is not None:
        arrivals = [trace.Arrival(str(number), record["prompt"], params) for number, record in enumerate(prompts)]
    else:
        arrivals = trace.demo(params)
        pinned = trace.demo_pin(llm.engine)
    seen = trace.run(llm.engine, arrivals, pinned=pinned, title=Path(given.model).name)
    size = seen.write(given.output)
    print(f"{given.output}: {seen.num_steps} steps, {size_of(size)}; open it in a browser")
    return 0


def _bench(given: argparse.Namespace) -> int:
    from torchpaged.tools import workloads

    unknown = [name for name in given.workloads or () if name not in workloads.NAMES]
    if unknown:
        raise InputError(f"--workloads {unknown[0]}: expected some of {', '.join(workloads.NAMES)}")
    for name, value in (("scale", given.scale), ("rounds", given.rounds)):
        if not value > 0:
            raise InputError(f"--{name} {value}: expected more than 0")
    _require_writable(given.json, "--json")
    llm = _load(given.model, arguments.engine_settings(given))
    from torchpaged.tools import bench

    chosen = workloads.standard(llm.engine.model.spec.vocab_size, scale=given.scale, seed=given.seed)
    chosen = [each for each in chosen if given.workloads is None or each.name in given.workloads]

    report = bench.bench(llm, chosen, rounds=given.rounds, progress=_progress(given.quiet))
    print(report.table())
    if given.json is not None:
        report.write(given.json, llm, sys.argv)
    return 0


def _bench_offline(given: argparse.Namespace) -> int:
    kind = given.command.removeprefix("bench ")
    bench_arguments.check(given, kind)
    _require_writable(given.output_json, "--output-json")
    _require_writable(given.plot, "--plot")
    settings = arguments.engine_settings(given)
    if (least := given.input_len + given.output_len) > settings.get("max_model_len", least):
        most = settings["max_model_len"]
        raise InputError(f"{given.command}: a request has {least} tokens, and --max-model-len is {most}")
    llm = _load(given.model, settings)
    from torchpaged.tools import bench_offline

    measured = getattr(bench_offline, kind)(llm, given, _progress(given.quiet))
    print(measured.report(given.percentiles))
    measured.write(given)
    return 0


def _bench_serve(given: argparse.Namespace) -> int:
    from torchpaged.tools import bench_serve

    bench_arguments.check(given, "serve")
    _require_writable(given.output_json, "--output-json")
    _require_writable(given.plot, "--plot")
    load = bench_serve.bench_serve(given, _progress(given.quiet))
    print(load.report(given.percentiles))
    load.write(given)
    if (failed := len(load.answers) - len(load.done)) > 0:
        errors = [answer.error for answer in load.answers if answer.error is not None]
        raise InputError(f"bench serve: {failed} of {len(load.answers)} requests failed: {errors[0]}")
    return 0


def _progress(quiet: bool) -> Callable[[str], None]:
    """A function that says on standard error what comes next."""

    def progress(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    return progress


def _export(given: argparse.Namespace) -> int:
    _require_writable(given.output)
    from torchpaged.tools.export import export_checkpoint
    from torchpaged.tools.generate import size_of

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
        trust_remote_code=given.trust_remote_code,
    )
    size, seconds = size_of(given.output.stat().st_size), time.perf_counter() - start
    print(f"{given.output}: {size}, in {seconds:.0f} s; run it with LLM({str(given.output)!r})")
    return 0


def _quantize(given: argparse.Namespace) -> int:
    forms = ("int4", "int4-g128", "int4-hq", "int8")
    if given.to not in forms:
        raise InputError(f"--to {given.to}: expected one of {', '.join(forms)}")
    if given.output.exists() and (not given.output.is_dir() or atomic_files.entries(given.output)):
        raise InputError(f"--output {given.output}: there is something already; name a folder that is empty or new")
    if atomic_files.is_being_filled(given.output):
        raise InputError(f"--output {given.output}: another process is writing there; wait for it, or name another")
    if given.to == "int8" and given.calibration is not None:
        raise InputError("--calibration: int8 has no use for it; leave it out")
    texts = [
        None if path is None else _text(path, flag)
        for path, flag in ((given.calibration, "--calibration"), (given.report, "--report"))
    ]
    from transformers.utils import logging

    from torchpaged.tools.quantize import quantize

    logging.disable_progress_bar()  # of the weights' loading
    quantize(
        given.model,
        given.to,
        given.output,
        calibration=None if texts[0] is None else [texts[0]],
        report=texts[1],
        trust_remote_code=given.trust_remote_code,
        quiet=given.quiet,
    )
    return 0


def _text(path: Path, flag: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{flag} {path}: {getattr(error, 'strerror', None) or error}") from None


def _eval(given: argparse.Namespace) -> int:
    try:
        from torchpaged.integrations.lm_eval import adapter
    except ModuleNotFoundError as error:
        raise InputError(f"eval needs lm-eval ({error}); pip install 'torchpaged[lm-eval]'") from None
    adapter.main(given.words)
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
        if given.exact:
            raise ConfigError("info: --exact is given without MODEL, expected the model that it is to try")
        return 0
    from torchpaged.execution.cache_sizing import slot_bytes
    from torchpaged.execution.exact import why_not_exact
    from torchpaged.execution.paged_kv_cache import bytes_per_block
    from torchpaged.integrations import families
    from torchpaged.integrations.transformers import adapter

    config = _print_weights(given)
    reason = families.unsupported_reason(config)
    count = getattr(config, "num_hidden_layers", None)  # not every config has one
    layers_of = "" if count is None else f", {count} layers"
    print(f"{'model':<13}{config.model_type}{layers_of}: {reason or 'supported'}")
    if reason is not None:
        return 2
    dtype = config.dtype or torch.float32
    # The layers of cross-attention keep the encoder's tokens: as much for each.
    spec = adapter.spec_without_weights(config, trust_remote_code=given.trust_remote_code)
    layers = spec.layers
    kept = [shape for shape in layers.values() if not shape.cross and not shape.convolution]
    print(f"{'cache':<13}{bytes_per_block(kept, 1, dtype)} bytes a token in {str(dtype).removeprefix('torch.')}")
    inputs = [shape for shape in layers.values() if shape.convolution]
    if inputs:
        width = max(shape.sliding_window for shape in inputs)
        print(f"{'':<13}{bytes_per_block(inputs, 1, dtype)} bytes of convolutions for each of the last {width} tokens")
    if spec.states:
        state, tail = slot_bytes(dataclasses.replace(spec, dtype=dtype))
        print(
            f"{'':<13}{state} bytes of states for each {spec.state_chunk} tokens that they are kept behind: of a "
            f"sequence that runs the last, and those that others may find; {tail} bytes of the tokens since"
        )
    if given.exact:
        model = adapter.load(given.model, trust_remote_code=given.trust_remote_code)
        model.weights.optimize(float32=False)  # as an engine does if it is not told otherwise
        difference = why_not_exact(model)
        own = model.weights.report.reason if model.weights.report is not None else None
        why = difference if own in (None, difference) else f"{difference}; it runs as it is: {own}"
        print(f"{'exact':<13}{'yes' if difference is None else f'no: {why}'}")
    return 0


def _print_weights(given: argparse.Namespace) -> Any:
    """Print how weights are stored and run, and return the decoder's config. ModelError if no kernel has them."""
    from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
    from torchpaged.integrations.checkpoints.gguf import loader
    from torchpaged.tools.generate import size_of
    from torchpaged.weights.gguf_file import Gguf

    if given.model.endswith(".gguf"):
        file = Gguf(given.model)
        kinds = ", ".join(f"{name} {size_of(count)}" for name, count in loader.bytes_by_format(file).most_common())
        print(f"{'file':<13}{loader.describe(file)}: {kinds}")
        checkpoint = Checkpoint.resolve(file)
        print(f"{'runs as':<13}{loader.repacked(file) or 'it is stored'}")
        return checkpoint.decoder_config
    checkpoint = Checkpoint.resolve(given.model, trust_remote_code=given.trust_remote_code)
    if checkpoint.scheme is not None:
        runs_as = checkpoint.scheme.runs_as or "as it is stored"
        print(f"{'quantised':<13}{checkpoint.scheme.name}; runs on the CPU {runs_as}")
    elif checkpoint.quantization_method is not None:
        method = checkpoint.quantization_method
        print(f"{'quantised':<13}{method}: left to transformers, and to the package of the method")
    return checkpoint.decoder_config


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
    "chat": _chat,
    "serve": _serve,
    "run-batch": _run_batch,
    "trace": _trace,
    "bench": _bench,
    "bench latency": _bench_offline,
    "bench throughput": _bench_offline,
    "bench serve": _bench_serve,
    "export": _export,
    "quantize": _quantize,
    "eval": _eval,
    "info": _info,
}

if __name__ == "__main__":
    raise SystemExit(main())
