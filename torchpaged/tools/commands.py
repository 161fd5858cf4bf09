"""The commands `torchpaged generate`, `chat`, `trace`, `export`, `quantize` and `eval`."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import sys
import time
import traceback
from pathlib import Path

from torchpaged.errors import InputError, TorchpagedError
from torchpaged.tools import arguments, cli_utils, completion_file, terminal
from torchpaged.tools.adapters import Adapters
from torchpaged.utils import atomic_files, startup

_MOST_TEXT = 64 << 20  # bytes of a text for calibration or a report, of which a few thousand tokens are used


def generate(given: argparse.Namespace) -> int:
    if (given.resume or given.overwrite) and given.output is None:
        flag = "--resume" if given.resume else "--overwrite"
        raise InputError(f"{flag} needs --output, the file of completions")
    if given.stream and given.output is not None:
        raise InputError("--stream writes to the screen: leave out --output")
    if given.show_drafts and not given.stream:
        raise InputError("--show-drafts colours streamed text: add --stream")
    if (given.receipts is None) != (given.receipt_key is None):
        missing, there = ("receipts", "receipt-key") if given.receipts is None else ("receipt-key", "receipts")
        raise InputError(
            f"--{there} is given without --{missing}: receipts are written to a file, and signed with a key"
        )
    if given.stream and given.receipts is not None:
        raise InputError("--stream prints texts in pieces, and receipts are of whole ones: leave out --receipts")
    texts, path = given.prompt, given.prompts
    records = completion_file.read_prompts(path) if texts is None else [{"prompt": text} for text in texts]
    media = cli_utils.read_media(given)
    params, settings = arguments.sampling_params(given), arguments.engine_settings(given)
    adapters = Adapters(given.lora_modules or ())
    chosen = adapters.of_records(records)
    cli_utils.require_writable(given.output)
    cli_utils.require_writable(given.profile, "--profile")
    cli_utils.require_writable(given.receipts, "--receipts")
    file = None
    if given.receipts is not None:
        others = [each for each in (given.output, path, given.receipt_key) if each is not None]
        if any(cli_utils.is_same_file(given.receipts, each) for each in others):
            raise InputError(f"--receipts {given.receipts}: this is a file of something else; name another file")
        completion_file.require_new(given.receipts, "--receipts", resume=given.resume, overwrite=given.overwrite)
    if given.output is not None:
        if path is not None and cli_utils.is_same_file(given.output, path):
            raise InputError(f"--output {given.output}: this is the file of prompts; name another file")
        completion_file.require_new(given.output, "--output", resume=given.resume, overwrite=given.overwrite)
        said = {**dataclasses.asdict(params), **cli_utils.identity_of(given.model, settings)}
        del said["output_kind"], said["num_speculative_tokens"]  # neither changes a completion
        said |= {each: [hashlib.sha256(url.encode()).hexdigest() for url in urls] for each, urls in media.items()}
        keys = [
            completion_file.key_of(record, {**said, **adapters.identity(lora)})
            for record, lora in zip(records, chosen, strict=True)
        ]
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
    cli_utils.require_reads(llm, media)
    adapters.load(llm)
    receipts = None
    if given.receipts is not None:
        from torchpaged.tools.receipt_file import ReceiptFile

        name = Path(given.model).name
        receipts = ReceiptFile(given.receipts, llm, params, given.receipt_key, name, overwrite=given.overwrite)
    from torchpaged.tools import generate

    errors = generate.generate(
        llm,
        records,
        params,
        file,
        media=media,
        receipts=receipts,
        adapters=chosen,
        profile=given.profile,
        quiet=given.quiet,
        stream=given.stream,
        show_drafts=given.show_drafts,
    )
    if errors:
        raise InputError(f"{len(errors)} of {len(records)} prompts could not be completed: {errors[0].splitlines()[0]}")
    return 0


def chat(given: argparse.Namespace) -> int:
    said, settings = arguments.sampling_given(given), arguments.engine_settings(given)
    adapters, media = Adapters(given.lora_modules or ()), cli_utils.read_media(given)
    from torchpaged.sampling_params import SamplingParams

    if SamplingParams(**said).n != 1:
        raise InputError(f"chat: -n {said['n']}: expected 1")
    if given.chat_template is not None:
        settings["chat_template"] = given.chat_template
    with terminal.loading(Path(given.model).name, quiet=given.quiet):
        llm = cli_utils.load_llm(given.model, settings)
        cli_utils.require_reads(llm, media)
        adapters.load(llm)
    startup.finish()
    from torchpaged.tools import chat

    chat.read_utf8()
    history = None if given.no_history else given.history or terminal.history_file()
    reader = terminal.LineReader(history, chat.COMMANDS)
    try:
        more = {"system": given.system, "quiet": given.quiet, "media": media}
        chat.Chat(llm, said, adapters=adapters.requests, **more).run(reader.read)
    finally:
        reader.close()
    return 0


def trace(given: argparse.Namespace) -> int:
    params, settings = arguments.sampling_params(given), arguments.engine_settings(given)
    prompts = None if given.prompts is None else completion_file.read_prompts(given.prompts)
    completion_file.require_good(prompts or ())
    cli_utils.require_writable(given.output)
    from torchpaged.tools import trace
    from torchpaged.tools.generate import size_of

    llm = cli_utils.load_llm(given.model, settings if prompts is not None else {**trace.DEMO_SETTINGS, **settings})
    pinned = None
    if prompts is not None:
        arrivals = [
            trace.Arrival(str(number), completion_file.prompt_of(record), params)
            for number, record in enumerate(prompts)
        ]
    else:
        arrivals = trace.demo(params)
        pinned = trace.demo_pin(llm.engine)
    seen = trace.run(llm.engine, arrivals, pinned=pinned, title=Path(given.model).name)
    size = seen.write(given.output)
    print(f"{given.output}: {seen.num_steps} steps, {size_of(size)}; open it in a browser")
    return 0


def export(given: argparse.Namespace) -> int:
    if given.output.suffix != ".pt2":
        raise InputError(f"--output {given.output}: expected a name that ends in .pt2")
    cli_utils.require_model(given.model)
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


def quantize(given: argparse.Namespace) -> int:
    forms = ("int4", "int4-g128", "int4-hq", "int8")
    if given.to not in forms:
        raise InputError(f"--to {given.to}: expected one of {', '.join(forms)}")
    cli_utils.require_model(given.model)
    if given.output.exists() and (not given.output.is_dir() or atomic_files.entries(given.output)):
        why = (
            "it is not empty; name an empty or new folder"
            if given.output.is_dir()
            else "it is no folder; name a new one"
        )
        raise InputError(f"--output {given.output}: {why}")
    cli_utils.require_folder(given.output)
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
        with path.open("rb") as file:
            data = file.read(_MOST_TEXT + 1)
        if len(data) > _MOST_TEXT:  # also a device without an end
            raise InputError(f"{flag} {path}: it has more than {_MOST_TEXT} bytes; a few hundred thousand are enough")
        return data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{flag} {path}: {getattr(error, 'strerror', None) or error}") from None


def evaluate(given: argparse.Namespace) -> int:
    try:
        from torchpaged.integrations.lm_eval import adapter
    except ModuleNotFoundError as error:
        raise InputError(f"eval needs lm-eval ({error}); pip install 'torchpaged[lm-eval]'") from None
    try:
        adapter.main(given.words)
    except (ValueError, OSError) as error:
        if isinstance(error, TorchpagedError) or _is_of_this_package(error):
            raise
        raise InputError(f"eval: {error}") from error  # of lm-eval, whose tasks and options they name
    return 0


def _is_of_this_package(error: Exception) -> bool:
    """Return True if code of this package has raised an error, or has called what raised it, below `adapter.main`."""
    ours: list[str] = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    return sum(name.partition(".")[0] == "torchpaged" for name in ours) > 2  # more than `evaluate` and `main`
