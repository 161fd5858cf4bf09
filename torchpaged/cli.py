"""The command line: `torchpaged generate`, `chat`, `serve`, `run-batch`, `trace`, `bench`, `export`, ..."""

from __future__ import annotations

import argparse
import dataclasses
import errno
import functools
import importlib
import io
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchpaged.async_engine.engine_process import EngineArguments, EngineProcess
from torchpaged.errors import InputError, TorchpagedError, needing
from torchpaged.serving import listening
from torchpaged.serving.options import server_settings
from torchpaged.tools import arguments, bench_command, cli_utils, completion_file, info, terminal
from torchpaged.utils import atomic_files, heap, startup

if TYPE_CHECKING:
    from torchpaged.async_engine.async_llm import AsyncLLM
    from torchpaged.async_engine.engine_process import Settings
    from torchpaged.serving.options import ServeOptions


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status.

    0 for success; 2 for invalid input, with a message on stderr; 128 plus the signal's number after Ctrl-C, SIGTERM or
    a closed pipe.
    """
    received: list[signal.Signals] = []
    if argv is None:  # the process runs nothing but this command
        _prepare_streams()
        _listen(received)
    try:
        given = arguments.parse(sys.argv[1:] if argv is None else list(argv))
        if getattr(given, "log_startup", False):
            startup.when_finished(lambda: _say(startup.line()))
        with needing(f"torchpaged {given.command}"):
            status = _COMMANDS[given.command](given)
        sys.stdout.flush()  # here a failure can still be reported; at interpreter exit it cannot
        return status
    except (Exception, KeyboardInterrupt) as error:
        if received or isinstance(error, KeyboardInterrupt):
            return _stopped(received[0] if received else signal.SIGINT, error)
        return _failed(error)


def _listen(received: list[signal.Signals]) -> None:
    """Make Ctrl-C and SIGTERM raise KeyboardInterrupt, so that written results stay. Ignored signals stay ignored."""

    def stop(number: int, _: object) -> None:
        received.append(signal.Signals(number))
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, stop)


def _stopped(number: signal.Signals, error: BaseException) -> int:
    """Report the signal, even if the error is another one: some C extensions turn Ctrl-C into an ImportError."""
    said = error.args if isinstance(error, KeyboardInterrupt) else ()
    by = "terminated" if number == signal.SIGTERM else "interrupted"
    print(": ".join(["torchpaged", by, *map(str, said)]), file=sys.stderr)
    exec("")  # CPython keeps a Ctrl-C that arrives inside exec (dataclasses use it) and would raise it again at exit
    return 128 + number


def _failed(error: Exception) -> int:
    """Print errors that the user can act on in one line, and raise the others, which are bugs."""
    if isinstance(error, TorchpagedError):
        print(f"torchpaged: {error}", file=sys.stderr)
        return 2
    if not isinstance(error, OSError) or error.errno not in (errno.EPIPE, errno.ENOSPC, errno.EDQUOT):
        raise error
    # Python would flush the buffer once more at exit and fail again, so it goes to /dev/null.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:  # `| head` closes the pipe once it has read enough
        return 128 + signal.SIGPIPE
    print(f"torchpaged: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
    return 2


def _prepare_streams() -> None:
    """Write UTF-8 whatever the locale, unless PYTHONIOENCODING is set; text for a closed stream is dropped.

    Characters that cannot be encoded are escaped, so that a computed answer is not lost for one of them.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until the process ends
        elif isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if "PYTHONIOENCODING" in os.environ else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _generate(given: argparse.Namespace) -> int:
    if (given.resume or given.overwrite) and given.output is None:
        flag = "--resume" if given.resume else "--overwrite"
        raise InputError(f"{flag} needs --output, the file of completions")
    if given.stream and given.output is not None:
        raise InputError("--stream writes to the screen: leave out --output")
    if given.show_drafts and not given.stream:
        raise InputError("--show-drafts colours streamed text: add --stream")
    texts, path = given.prompt, given.prompts
    records = completion_file.read_prompts(path) if texts is None else [{"prompt": text} for text in texts]
    params, settings = arguments.sampling_params(given), arguments.engine_settings(given)
    cli_utils.require_writable(given.output)
    cli_utils.require_writable(given.profile, "--profile")
    file = None
    if given.output is not None:
        if path is not None and cli_utils.is_same_file(given.output, path):
            raise InputError(f"--output {given.output}: this is the file of prompts; name another file")
        completion_file.require_new(given.output, "--output", resume=given.resume, overwrite=given.overwrite)
        said = {**dataclasses.asdict(params), **_said_of_the_model(given.model, settings)}
        del said["output_kind"], said["num_speculative_tokens"]  # neither changes a completion
        keys = [completion_file.key_of(record["prompt"], said) for record in records]
        file = completion_file.CompletionFile(given.output, keys, params.n)
        if given.resume:
            file.resume()
            if not given.quiet:
                print(f"{given.output}: {len(file.done)} of {len(records)} prompts are done", file=sys.stderr)
    if file is not None and len(file.done) == len(records):  # nothing to compute, so no model is loaded
        with file:
            file.sort()
        return 0
    llm = cli_utils.load_llm(given.model, settings)
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


def _said_of_the_model(model: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a completion depends on, beside its prompt and sampling parameters."""
    path = Path(model).expanduser()
    return {
        "model": str(path.resolve()) if path.exists() else model,
        **{name: settings.get(name) for name in ("dtype", "kv_cache_dtype", "quantization", "max_model_len")},
    }


def _chat(given: argparse.Namespace) -> int:
    said, settings = arguments.sampling_given(given), arguments.engine_settings(given)
    from torchpaged.sampling_params import SamplingParams

    if SamplingParams(**said).n != 1:
        raise InputError(f"chat: -n {said['n']}: expected 1")
    if given.chat_template is not None:
        settings["chat_template"] = given.chat_template
    with terminal.loading(Path(given.model).name, quiet=given.quiet):
        llm = cli_utils.load_llm(given.model, settings)
    startup.finish()
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
    options, settings = arguments.serve_options(given), _settings_of(given)
    listener = listening.listen(options)
    if options.log_format == "json":
        _import_server("serve", "logs").log_as_json()
    with terminal.loading(Path(given.model).name):
        llm = _served_llm(given, options, functools.partial(server_settings, settings))
    from torchpaged.serving.server import Server

    try:
        said = f"torchpaged: {llm.name} at {listening.address_of(listener, options)}"

        def ready() -> None:
            startup.finish()
            _say(said, _chats_of(llm))

        with startup.stage("routes"):
            server = Server(llm, options, ready)
        server.run([listener])
    finally:
        llm.shutdown()
    return 0


def _settings_of(given: argparse.Namespace) -> dict[str, Any]:
    """Return the engine's settings for a server, and for a file of requests."""
    settings = {**arguments.engine_settings(given), "use_tqdm_on_load": False}
    return settings if given.chat_template is None else {**settings, "chat_template": given.chat_template}


def _served_llm(given: argparse.Namespace, options: ServeOptions, settings: Settings) -> AsyncLLM:
    """Load a model for a server: in its own process, while this one imports the server's packages."""
    started = None
    if options.engine_process:
        with startup.stage("spawn"):
            started = EngineProcess(EngineArguments(given.model, given.tokenizer, settings))
    try:
        with startup.stage("torch"):
            importlib.import_module("torch")
        with startup.stage("torchpaged"):
            from torchpaged.async_engine.async_llm import AsyncLLM
        _import_server(given.command, "server")
        if started is None:
            # The longest that a step waits for the thread that answers clients. Python's default of 5 ms, several times
            # a step, doubles a step of 40 ms.
            sys.setswitchinterval(0.0005)
            every = settings() if callable(settings) else settings
            return AsyncLLM(given.model, given.tokenizer, step_timeout=options.step_timeout, **every)
        heap.freeze()
        with startup.stage("waiting"):
            restart = options.restart_engine and given.command == "serve"
            return AsyncLLM.from_process(started, step_timeout=options.step_timeout, restart_engine=restart)
    except BaseException:
        if started is not None:
            started.kill()
        raise


def _import_server(command: str, name: str) -> Any:
    """Import a module of `torchpaged.serving`, which needs packages of an extra."""
    try:
        with startup.stage("server"):
            return importlib.import_module(f"torchpaged.serving.{name}")
    except ModuleNotFoundError as error:
        raise InputError(f"{command} needs {error.name}; pip install 'torchpaged[serve]'") from None


def _chats_of(llm: AsyncLLM) -> str | None:
    """Describe the sampling defaults for chats, if the model can chat and its checkpoint does not set them."""
    from torchpaged.requests.chat_sampling import describe

    return describe(llm.default_params, llm.chat_params) if llm.tokenizer_pool.has_chat_template else None


def _say(*lines: str | None) -> None:
    for line in lines:
        if line is not None:
            print(line if line.startswith("torchpaged: ") else f"torchpaged: {line}", file=sys.stderr, flush=True)


def _run_batch(given: argparse.Namespace) -> int:
    options, settings = arguments.serve_options(given), _settings_of(given)
    cli_utils.require_writable(given.output_file, "--output-file")
    if cli_utils.is_same_file(given.output_file, given.input_file):
        raise InputError(f"--output-file {given.output_file}: this is the file of requests; name another file")
    completion_file.require_new(given.output_file, "--output-file", resume=given.resume, overwrite=given.overwrite)
    batch_file = _import_server("run-batch", "batch_file")
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
    if len(output.done) == len(ids):  # nothing to compute, so no model is loaded
        return 0
    llm = _served_llm(given, options, settings)
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
    cli_utils.require_writable(given.output)
    from torchpaged.tools import trace
    from torchpaged.tools.generate import size_of

    llm = cli_utils.load_llm(given.model, settings if prompts is not None else {**trace.DEMO_SETTINGS, **settings})
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


def _export(given: argparse.Namespace) -> int:
    cli_utils.require_writable(given.output)
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
        raise InputError(f"--output {given.output}: it is not empty; name an empty or new folder")
    if atomic_files.is_being_filled(given.output):
        raise InputError(f"--output {given.output}: another process is writing there; wait for it, or name another")
    if given.to == "int8" and given.calibration is not None:
        raise InputError("--calibration: int8 needs no calibration; leave it out")
    texts = [
        None if path is None else _text(path, flag)
        for path, flag in ((given.calibration, "--calibration"), (given.report, "--report"))
    ]
    from transformers.utils import logging

    from torchpaged.tools.quantize import quantize

    logging.disable_progress_bar()  # transformers' bar for loading weights
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


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "generate": _generate,
    "chat": _chat,
    "serve": _serve,
    "run-batch": _run_batch,
    "trace": _trace,
    "bench": bench_command.run_workloads,
    "bench latency": bench_command.run_offline,
    "bench throughput": bench_command.run_offline,
    "bench serve": bench_command.run_serve,
    "export": _export,
    "quantize": _quantize,
    "eval": _eval,
    "info": info.info,
}

if __name__ == "__main__":
    raise SystemExit(main())
