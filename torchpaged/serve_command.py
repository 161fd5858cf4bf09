"""The commands `torchpaged serve` and `torchpaged run-batch`.

The engine's process is started first, and loads the model while this process imports the server's packages.

It stands beside `cli`, above `tools` and `serving`, because it needs both. The engine's process imports `cli` and needs
neither.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchpaged.async_engine.engine_process import SWITCH_INTERVAL, EngineArguments, EngineProcess, Settings
from torchpaged.errors import InputError
from torchpaged.serving import listening
from torchpaged.serving.lora_modules import parse_all
from torchpaged.serving.options import ServeOptions, server_settings
from torchpaged.tools import arguments, cli_utils, completion_file, terminal
from torchpaged.utils import heap, startup

if TYPE_CHECKING:
    from torchpaged.async_engine.async_llm import AsyncLLM


def serve(given: argparse.Namespace) -> int:
    """Run `torchpaged serve`."""
    options = arguments.serve_options(given)
    cli_utils.require_model(given.model)
    listener = listening.listen(options)
    if options.log_format == "json":
        _import_server("serve", "logs").log_as_json()
    with terminal.loading(Path(given.model).name):
        llm = _load(given, options)
    from torchpaged.serving.server import Server

    try:
        said = f"torchpaged: {llm.name} at {listening.address_of(listener, options)}"

        def ready() -> None:
            startup.finish()
            cli_utils.say(said, _chats_of(llm))
            server.service.prepare()

        with startup.stage("routes"):
            server = Server(llm, options, ready)
        server.run([listener])
    finally:
        llm.shutdown()
    return 0


def run_batch(given: argparse.Namespace) -> int:
    """Run `torchpaged run-batch`."""
    options, settings = arguments.serve_options(given), _settings_of(given)
    cli_utils.require_writable(given.output_file, "--output-file")
    if cli_utils.is_same_file(given.output_file, given.input_file):
        raise InputError(f"--output-file {given.output_file}: this is the file of requests; name another file")
    completion_file.require_new(given.output_file, "--output-file", resume=given.resume, overwrite=given.overwrite)
    batch_file = _import_server("run-batch", "batch_file")
    more = {"names": options.served_model_name}
    if "generation_config" in settings:
        more["generation_config"] = settings["generation_config"]
    said = repr(sorted({**cli_utils.identity_of(given.model, settings), **more}.items()))
    adapters = {each.name: each.identity() for each in parse_all(options.lora_modules or ())}
    ids = {request.id(said, adapters) for request in batch_file.read_requests(given.input_file)}
    output = batch_file.BatchOutput(given.output_file)
    if given.resume:
        output.resume(ids)
        if not given.quiet:
            print(f"{given.output_file}: {len(output.done)} of {len(ids)} requests are done", file=sys.stderr)
    if len(output.done) == len(ids):  # nothing to compute, so no model is loaded
        return 0
    llm = _load(given, options)
    if not given.quiet:
        cli_utils.say(_chats_of(llm))
    try:
        with output:
            about = {"adapters": adapters, "quiet": given.quiet}
            tally = batch_file.answer(llm, options, given.input_file, output, said, len(ids), **about)
    finally:
        llm.shutdown()
    if tally.num_failed:
        raise InputError(f"{tally.num_failed} of {tally.num_done} requests failed: {tally.errors[0]}")
    return 0


def _settings_of(given: argparse.Namespace) -> dict[str, Any]:
    """Return the engine's settings for a server, and for a file of requests."""
    settings = {**arguments.engine_settings(given), "use_tqdm_on_load": False}
    return settings if given.chat_template is None else {**settings, "chat_template": given.chat_template}


def _load(given: argparse.Namespace, options: ServeOptions) -> AsyncLLM:
    """Load the model, in a process of its own unless the options say otherwise."""
    started = None
    if options.engine_process:
        with startup.stage("spawn"):
            started = EngineProcess()
    try:
        with startup.stage("settings"):
            from torchpaged.engine_args import require_valid

            chosen = _settings_of(given)
            require_valid(chosen)
            serves = given.command == "serve"
            settings: Settings = functools.partial(server_settings, chosen, given.model) if serves else chosen
            if started is not None:
                started.make(EngineArguments(given.model, given.tokenizer, settings))
        with heap.importing():
            startup.import_torch()
            with startup.stage("torchpaged"):
                from torchpaged.async_engine.async_llm import AsyncLLM
            _import_server(given.command, "server")
        sys.setswitchinterval(SWITCH_INTERVAL)
        if started is None:
            every = settings() if callable(settings) else settings
            return AsyncLLM(given.model, given.tokenizer, step_timeout=options.step_timeout, **every)
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
