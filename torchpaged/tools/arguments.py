"""The command line's parser: all commands and options, with suggestions for mistyped ones.

It imports neither torch nor transformers, so that `torchpaged -h` answers at once.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from torchpaged import __version__
from torchpaged.errors import InputError, did_you_mean
from torchpaged.routing.options import RouteOptions
from torchpaged.sampling_params import WITHOUT_EFFECT, SamplingParams
from torchpaged.serving.options import MAX_STEP_MS, MAX_TOKENS_ON_CPU, ServeOptions
from torchpaged.tools import bench_arguments
from torchpaged.utils import dataclass_flags
from torchpaged.utils.dataclass_flags import path

_PROMPTS = 'one JSON object a line: {"prompt": "...", "multi_modal_data": ... if any}; - reads standard input'
_QUANTIZATION = "scheme for the weights: int8, int8-dynamic, int4, int4-g128 or int4-hq (default: none)"
_MODEL = "folder or hub id of a transformers checkpoint, or a GGUF file"
# Options of ServeOptions that also apply to batch files, which need no address and no clients.
_OF_BATCHES = (
    "served_model_name",
    "receipt_key",
    "response_template",
    "tool_call_parser",
    "reasoning_parser",
    "enable_auto_tool_choice",
    "engine_process",
    "max_body_bytes",
    "max_prompts",
    "max_completions",
    "max_logprobs",
    "max_stop",
    "max_logit_bias",
    "request_timeout",
    "step_timeout",
)
_Commands: TypeAlias = "argparse._SubParsersAction[Any]"
_SERVED_LORA = "adapter that requests can name as their model: a local folder or file; may be given several times"
_TRUST = "run the Python code that the checkpoint brings, which can do anything that you can"


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; `command` is its first word. The other words of `eval` are kept for lm-eval.

    Raises:
        InputError: an unknown command or option, with a suggestion, or an invalid value.
        SystemExit: after printing help or version.
    """
    words = list(words)
    if words[:1] == ["eval"]:
        return argparse.Namespace(command="eval", words=_with_flag(words[1:]))
    if words[:1] == ["bench"] and words[1:]:
        words = _with_kind(words)
    parser, commands = _parser()
    _require_known(words, commands.choices)
    parsed = parser.parse_args(words)
    _choose_model(parsed)
    return parsed


def _with_kind(words: list[str]) -> list[str]:
    """Return `bench KIND ...` with both as one command; any other first word is a model.

    Raises:
        InputError: the word is not a folder and close to a kind.
    """
    word = words[1]
    if word in bench_arguments.KINDS:
        return [f"bench {word}", *words[2:]]
    hint = did_you_mean(word, bench_arguments.KINDS)
    if hint and not word.startswith("-") and not Path(word).exists():
        raise InputError(f"bench: {word!r} is neither a benchmark nor a model{hint}")
    return words


def _with_flag(words: list[str]) -> list[str]:
    """Turn a model in the first place into --model for lm-eval, whose own commands are `ls`, `run` and `validate`."""
    named = bool(words) and not words[0].startswith("-") and words[0] not in ("ls", "run", "validate")
    return ["--model", *words] if named else words


def _choose_model(parsed: argparse.Namespace) -> None:
    """Set `model` to the one that was named, by its place or as --model.

    Raises:
        InputError: it is named in both ways, or in neither and the command needs one.
    """
    if not hasattr(parsed, "model_flag"):
        return
    if parsed.model is not None and parsed.model_flag is not None:
        raise InputError(
            f"{parsed.command}: the model is named twice, {parsed.model!r} and --model {parsed.model_flag!r}; "
            "leave one of them out"
        )
    parsed.model = parsed.model_flag if parsed.model is None else parsed.model
    if parsed.model is None and parsed.needs_model:
        raise InputError(
            f"{parsed.command}: no model is named; use torchpaged {parsed.command} MODEL, or --model MODEL: a folder "
            "or hub id of a transformers checkpoint, or a GGUF file"
        )
    del parsed.model_flag


def _add_model(parser: argparse.ArgumentParser, says: str = "", *, needed: bool = True) -> None:
    """Add the model, positional and as `--model`; `_choose_model` takes the one that is given."""
    parser.add_argument("model", nargs="?", metavar="MODEL", help=says or _MODEL)
    parser.add_argument("--model", dest="model_flag", metavar="MODEL", help="the same, as an option")
    parser.set_defaults(needs_model=needed)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without argparse's page of usage."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{self.prog.partition(' ')[2] or self.prog}: {message}; {self.prog} -h lists its options")


def _require_known(words: Sequence[str], commands: Mapping[str, argparse.ArgumentParser]) -> None:
    """Raise an InputError with a suggestion for an unknown command or option; argparse makes none."""
    if not words or words[0].startswith("-"):
        return
    if words[0] not in commands:
        hint = did_you_mean(words[0], commands) or f", expected one of {', '.join(commands)}"
        raise InputError(f"unknown command {words[0]!r}{hint}")
    options = list(commands[words[0]]._option_string_actions)  # argparse has no public list of them
    for word in words[1:]:
        if word == "--":
            return
        name = word.split("=")[0]
        # As in argparse, a word with a space is a value, and an option may be abbreviated.
        if name.startswith("--") and " " not in word and not any(option.startswith(name) for option in options):
            hint = did_you_mean(name, options) or f"; torchpaged {words[0]} -h lists them"
            raise InputError(f"{words[0]}: unknown option {name!r}{hint}")


def _parser() -> tuple[argparse.ArgumentParser, _Commands]:
    parser = _Parser(prog="torchpaged", description="Paged attention for any PyTorch decoder.")
    parser.add_argument("--version", action="version", version=f"torchpaged {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    _add_generate(commands)
    _add_chat(commands)
    _add_serve(commands)
    _add_run_batch(commands)
    _add_route(commands)
    _add_trace(commands)
    _add_bench(commands)
    _add_export(commands)
    _add_quantize(commands)
    commands.add_parser("eval", help="run lm-eval with this engine as its model: eval --tasks ...")
    _add_receipts(commands)
    _add_info(commands)
    _add_cache(commands)
    _add_kv_store(commands)
    return parser, commands


def _add_generate(commands: _Commands) -> None:
    generate = commands.add_parser("generate", help="complete prompts together")
    _add_model(generate)
    source = generate.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--prompt",
        type=dataclass_flags.text,
        action="append",
        metavar="TEXT",
        help="a prompt; may be given several times",
    )
    source.add_argument("--prompts", type=path, metavar="FILE.jsonl", help=_PROMPTS)
    _add_media(generate, "each prompt, which has a placeholder for it", "")
    generate.add_argument(
        "--output", type=path, metavar="FILE.jsonl", help="write completions to this file, each when it ends"
    )
    generate.add_argument(
        "--resume", action="store_true", help="keep the completions of an earlier run in --output, and compute the rest"
    )
    generate.add_argument(
        "--overwrite", action="store_true", help="replace the contents of --output, which is refused otherwise"
    )
    _add_sampling_flags(generate, max_tokens=128, temperature=0.0)
    _add_lora(
        generate, 'adapter for the prompts; if it is given several times, a line names its own: {"prompt", "lora"}'
    )
    _add_engine_flags(generate)
    generate.add_argument(
        "--profile",
        type=path,
        metavar="FILE.json",
        help="write a torch.profiler trace of the steps, for ui.perfetto.dev",
    )
    generate.add_argument(
        "--receipts",
        type=path,
        metavar="FILE.jsonl",
        help="write a signed receipt of each completion to this file, for torchpaged verify; needs --receipt-key",
    )
    generate.add_argument(
        "--receipt-key", type=path, metavar="FILE", help="key that signs --receipts, made by torchpaged receipt-key"
    )
    generate.add_argument("--stream", action="store_true", help="print texts as they are generated")
    generate.add_argument("--show-drafts", action="store_true", help="with --stream: colour accepted draft tokens")
    generate.add_argument("--quiet", action="store_true", help="no progress bar and no table")
    _add_log_startup(generate, "the first step")


def _add_media(parser: argparse.ArgumentParser, place: str, more: str) -> None:
    """Add the files of images, sounds and videos."""
    for modality in ("image", "audio", "video"):
        parser.add_argument(
            f"--{modality}",
            type=path,
            action="append",
            metavar="FILE",
            help=f"{modality} for {place}; may be given several times{more.format(modality)}",
        )


def _add_chat(commands: _Commands) -> None:
    chat = commands.add_parser("chat", help="chat in the terminal, or line by line from standard input")
    _add_model(chat)
    chat.add_argument("--system", type=dataclass_flags.text, metavar="TEXT", help="system prompt")
    _add_chat_template(chat)
    _add_media(chat, "the first message", ", /{} adds one later")
    chat.add_argument("--quiet", action="store_true", help="print only answers, without a line of statistics")
    chat.add_argument(
        "--history",
        type=path,
        metavar="FILE",
        help="file for the terminal's input history (default ~/.local/state/torchpaged/chat_history)",
    )
    chat.add_argument("--no-history", action="store_true", help="do not store the input history")
    _add_log_startup(chat, "the first message can be typed")
    _add_sampling_flags(chat)
    _add_lora(chat, "adapter to answer with; may be given several times: the first is used, /lora switches")
    _add_engine_flags(chat, chats=True)


def _add_serve(commands: _Commands) -> None:
    serve = commands.add_parser("serve", help="serve OpenAI's API over HTTP")
    _add_model(serve)
    serve.add_argument("--tokenizer", help="folder or hub id (default: the model's)")
    _add_chat_template(serve)
    _add_server_flags(serve, None, ServeOptions.__dataclass_fields__)
    _add_lora(serve, _SERVED_LORA, alias=True)
    _add_log_startup(serve, "the server takes requests")
    _add_engine_flags(serve, serves=True, chats=True)


def _add_run_batch(commands: _Commands) -> None:
    batch = commands.add_parser("run-batch", help="answer a file of OpenAI requests, one per line")
    _add_model(batch)
    batch.add_argument(
        "-i",
        "--input-file",
        type=path,
        required=True,
        metavar="FILE.jsonl",
        help='one request per line: {"custom_id", "method": "POST", "url": "/v1/chat/completions", "body": {...}}',
    )
    batch.add_argument(
        "-o",
        "--output-file",
        type=path,
        required=True,
        metavar="FILE.jsonl",
        help="one answer per line, in the order in which they finish",
    )
    batch.add_argument(
        "--resume",
        action="store_true",
        help="keep the answers of an earlier run, and compute failed and missing ones",
    )
    batch.add_argument(
        "--overwrite", action="store_true", help="replace the contents of the output, which is refused otherwise"
    )
    batch.add_argument("--tokenizer", help="folder or hub id (default: the model's)")
    _add_chat_template(batch)
    batch.add_argument("--quiet", action="store_true", help="no progress bar")
    _add_server_flags(batch, "options of torchpaged serve", _OF_BATCHES)
    _add_lora(batch, _SERVED_LORA, alias=True)
    _add_engine_flags(batch, chats=True)


def _add_trace(commands: _Commands) -> None:
    trace = commands.add_parser("trace", help="run a workload and write a page that shows the KV cache step by step")
    _add_model(trace)
    trace.add_argument("-o", "--output", type=path, required=True, metavar="FILE.html", help="the page")
    work = trace.add_mutually_exclusive_group()
    work.add_argument("--prompts", type=path, metavar="FILE.jsonl", help=_PROMPTS)
    work.add_argument(
        "--workload",
        choices=["demo"],
        default="demo",
        help="requests that share prefixes, fork, are preempted and resume, in a small pool (default; "
        "--max-tokens applies to the longest request, -n to the forking one)",
    )
    _add_sampling_flags(trace, max_tokens=64, temperature=0.8)
    _add_engine_flags(trace)


def _add_bench(commands: _Commands) -> None:
    bench = commands.add_parser(
        "bench", help="measure tokens per second on standard workloads, beside this machine's limits"
    )
    _add_model(bench)
    bench.add_argument(
        "--workloads", nargs="+", metavar="NAME", help="some of decode-1, decode-8, decode-32, prefill, mixed, ..."
    )
    bench.add_argument("--scale", type=float, default=1.0, metavar="X", help="factor for all token counts (default 1)")
    bench.add_argument(
        "--rounds", type=int, default=1, metavar="N", help="number of runs, whose median is reported (default 1)"
    )
    bench.add_argument("--seed", type=int, default=0, help="seed of the random prompts (default 0)")
    bench.add_argument("--json", type=path, metavar="FILE.json", help="write the results to this file too")
    bench.add_argument("--quiet", action="store_true", help="no progress on standard error")
    _add_engine_flags(bench)
    for kind in bench_arguments.KINDS:
        parser_of_kind = commands.add_parser(f"bench {kind}", help=bench_arguments.KINDS[kind])
        _add_model(parser_of_kind, bench_arguments.SERVED if kind == "serve" else "", needed=kind != "serve")
        bench_arguments.add(parser_of_kind, kind)
        if kind != "serve":
            _add_lora(parser_of_kind, "adapter for the requests; if it is given several times, they take turns")
            _add_engine_flags(parser_of_kind)


def _add_export(commands: _Commands) -> None:
    export = commands.add_parser("export", help="write a model as a .pt2 file that runs without its Python code")
    _add_model(export)
    export.add_argument("-o", "--output", type=path, required=True, metavar="FILE.pt2")
    export.add_argument("--dtype", default="auto", help="auto, float32, float16 or bfloat16")
    export.add_argument("--device", default="auto", help="device that the file is for: auto, cpu, cuda, ...")
    export.add_argument("--block-size", type=int, default=16, metavar="N", help="tokens per block (default 16)")
    export.add_argument("--kv-cache-dtype", default="auto", help="auto, fp8, fp8_e5m2, int8 or int4")
    export.add_argument("--quantization", help=_QUANTIZATION)
    export.add_argument(
        "--max-model-len", type=int, metavar="N", help="maximum tokens of prompt and completion together"
    )
    export.add_argument("--trust-remote-code", action="store_true", help=_TRUST)


def _add_quantize(commands: _Commands) -> None:
    quantize = commands.add_parser("quantize", help="write a quantised checkpoint, in compressed-tensors' format")
    _add_model(quantize, "folder or hub id of a transformers checkpoint")
    quantize.add_argument("-o", "--output", type=path, required=True, metavar="FOLDER")
    quantize.add_argument("--to", required=True, help="int4, int4-g128, int4-hq or int8")
    quantize.add_argument(
        "--calibration",
        type=path,
        metavar="FILE",
        help="text like those that the model is used for (default: documentation and source of Python)",
    )
    quantize.add_argument("--report", type=path, metavar="FILE", help="text for the comparison of perplexities")
    quantize.add_argument("--trust-remote-code", action="store_true", help=_TRUST)
    quantize.add_argument("--quiet", action="store_true", help="no progress bar")


def _add_receipts(commands: _Commands) -> None:
    key = commands.add_parser("receipt-key", help="make a key that signs receipts of answers, or print its public key")
    key.add_argument("file", type=path, metavar="FILE", help="the key: a new file, or one that was made before")
    verify = commands.add_parser("verify", help="compute answers again and compare them with their receipts")
    verify.add_argument(
        "receipts",
        type=path,
        nargs="+",
        metavar="RECEIPT",
        help="file of JSON, or of a JSON object per line: receipts, or answers that contain them",
    )
    verify.add_argument("--model", required=True, metavar="MODEL", help=_MODEL)
    verify.add_argument(
        "--public-key",
        type=dataclass_flags.text,
        action="append",
        metavar="KEY",
        help="64 hex digits or a file with them; may be given several times: receipts of other keys are refused "
        "(default: the key that a receipt names is not checked)",
    )
    verify.add_argument(
        "--prompts",
        type=path,
        metavar="FILE.jsonl",
        help='prompts that the answers may be of, one JSON object a line, in any order: {"prompt": ...}, a text or '
        'token ids, or {"messages": [...]}, with "tools" and "chat_template_kwargs" if the request had them',
    )
    verify.add_argument("--threads", type=int, metavar="N", help="threads of the server, if this machine has others")
    verify.add_argument("--batch-size", type=int, metavar="N", help="receipts that are computed together (default 256)")
    verify.add_argument("--quiet", action="store_true", help="print no line for receipts that are the same")
    _add_chat_template(verify)
    _add_lora(verify, "adapter of the answers; may be given several times")
    _add_engine_flags(verify, chats=True)


def _add_info(commands: _Commands) -> None:
    info = commands.add_parser("info", help="show versions, devices and backends, and whether a model is supported")
    _add_model(info, needed=False)
    info.add_argument("--trust-remote-code", action="store_true", help=_TRUST)
    info.add_argument(
        "--exact", action="store_true", help="load MODEL and test whether its outputs depend on the rest of the batch"
    )
    info.add_argument(
        "--startup", action="store_true", help="start MODEL twice in fresh processes and draw how long each part took"
    )
    info.add_argument(
        "--plot", type=path, metavar="FILE.png", help="with --startup: draw it to this file too (needs matplotlib)"
    )
    tables = info.add_mutually_exclusive_group()
    tables.add_argument("--ops", action="store_true", help="list the operators and their backends")
    tables.add_argument(
        "--families", action="store_true", help="list the model families, and the reason if one is not supported"
    )


def _add_cache(commands: _Commands) -> None:
    cache = commands.add_parser(
        "cache", help="list or remove the prepared models that make later starts fast, or cached prefixes in a folder"
    )
    cache.add_argument(
        "action",
        choices=("ls", "verify", "gc"),
        help="ls: list what is there; verify: compare all values in PATH with their checksums; gc: remove what was "
        "unused for longest",
    )
    cache.add_argument(
        "path", nargs="?", metavar="PATH", help="folder of cached prefixes (default: the cache of prepared models)"
    )
    cache.add_argument(
        "--max-bytes", type=int, metavar="N", help="bytes that gc leaves (default: TORCHPAGED_CACHE_BYTES, or 32 GiB)"
    )
    cache.add_argument(
        "--checksum-key-file",
        type=path,
        metavar="FILE",
        help="verify: secret that the prefixes were written with (default: TORCHPAGED_PREFIX_CACHE_KEY_FILE, or none)",
    )


def _add_kv_store(commands: _Commands) -> None:
    store = commands.add_parser("kv-store", help="keep blocks of several engines' prefix caches in memory, over TCP")
    store.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    store.add_argument("--port", type=int, default=8100, metavar="N", help="port to listen on (default: 8100)")
    store.add_argument(
        "--max-gb", type=float, default=4.0, metavar="X", help="gibibytes of blocks, the oldest go first (default: 4)"
    )
    store.add_argument(
        "--checksum-key-file",
        type=path,
        metavar="FILE",
        help="secret that engines must have too (default: TORCHPAGED_PREFIX_CACHE_KEY_FILE, or none)",
    )


def _add_log_startup(parser: argparse.ArgumentParser, end: str) -> None:
    parser.add_argument(
        "--log-startup",
        action="store_true",
        help=f"print the seconds of each part of the start, until {end}, on standard error",
    )


def _add_chat_template(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--chat-template", type=path, metavar="FILE", help="Jinja template (default: the tokenizer's own)"
    )


def _add_lora(parser: argparse.ArgumentParser, says: str, *, alias: bool = False) -> None:
    """Add --lora, and vLLM's --lora-modules if `alias`; with either, adapters are enabled."""
    group = parser.add_argument_group("adapters")
    group.add_argument(
        "--lora",
        type=dataclass_flags.text,
        action="append",
        dest="lora_modules",
        metavar="NAME=PATH",
        help=says,
    )
    if alias:
        group.add_argument(
            "--lora-modules",
            type=dataclass_flags.text,
            nargs="+",
            action="extend",
            dest="lora_modules",
            metavar="NAME=PATH",
            help='several of them, under vLLM\'s name; also as JSON: {"name", "path", "base_model_name"}',
        )


def _add_route(commands: _Commands) -> None:
    route = commands.add_parser("route", help="pass requests on to servers of one model, by what each has cached")
    route.add_argument("urls", nargs="+", metavar="URL", help="of a server, as http://127.0.0.1:8000")
    says = dataclass_flags.described(RouteOptions)
    for field in dataclasses.fields(RouteOptions):
        dataclass_flags.add(route, field.name, str(field.type), default=argparse.SUPPRESS, help=says.get(field.name))


def _add_server_flags(parser: argparse.ArgumentParser, description: str | None, names: Collection[str]) -> None:
    """Add options for these fields of ServeOptions."""
    group = parser.add_argument_group("server", description)
    says = dataclass_flags.described(ServeOptions)
    for field in dataclasses.fields(ServeOptions):
        if field.name in names and field.name != "lora_modules":
            dataclass_flags.add(
                group, field.name, str(field.type), default=argparse.SUPPRESS, help=says.get(field.name)
            )


def _add_sampling_flags(parser: argparse.ArgumentParser, **defaults: Any) -> None:
    """Add an option for each field of SamplingParams that can be given as text.

    Args:
        defaults: the command's own defaults.
    """
    group = parser.add_argument_group("sampling", "parameters under vLLM's names")
    says = dataclass_flags.described(SamplingParams)
    for field in dataclasses.fields(SamplingParams):
        kind = str(field.type)
        if "Callable" in kind or kind in (
            "Any",
            "RequestOutputKind",
        ):  # functions, and output_kind
            continue
        if field.name == "n":
            group.add_argument("-n", "--n", type=int, default=argparse.SUPPRESS, metavar="N", help=says.get("n"))
            continue
        own = f" (default {defaults[field.name]:g})" if field.name in defaults else ""
        hidden = field.name in WITHOUT_EFFECT  # parsed only to be refused with the reason
        said = argparse.SUPPRESS if hidden else says.get(field.name, "") + own
        dataclass_flags.add(group, field.name, kind, default=argparse.SUPPRESS, help=said)
    group.add_argument(
        "--json-schema",
        type=_json_of,
        dest="structured_outputs",
        default=argparse.SUPPRESS,
        metavar="FILE",
        help="JSON schema for the text; short for --structured-outputs '{\"json\": ...}'",
    )
    parser.set_defaults(sampling=defaults)


def _json_of(file: str) -> dict[str, Any]:
    """Return the structured outputs for the JSON schema in a file."""
    try:
        return {"json": Path(file).read_text(encoding="utf-8")}
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"cannot be read: {error}") from None


def sampling_given(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the given fields of SamplingParams."""
    names = {field.name for field in dataclasses.fields(SamplingParams)}
    return {name: value for name, value in vars(arguments).items() if name in names}


def sampling_params(arguments: argparse.Namespace) -> SamplingParams:
    """Return SamplingParams from the options and the command's defaults. Raises a ConfigError for invalid values."""
    return SamplingParams(**{**arguments.sampling, **sampling_given(arguments)})


def serve_options(arguments: argparse.Namespace) -> ServeOptions:
    """Return the server's options. Raises a ConfigError for invalid values."""
    names = ServeOptions.__dataclass_fields__.keys()
    return ServeOptions(**{name: value for name, value in vars(arguments).items() if name in names})


def _add_engine_flags(parser: argparse.ArgumentParser, *, serves: bool = False, chats: bool = False) -> None:
    """Add options for settings of EngineConfig.

    Args:
        serves: use the defaults of `torchpaged serve`.
        chats: the command has --generation-config.
    """
    group = parser.add_argument_group("engine")

    def add(name: str, **options: Any) -> None:
        group.add_argument(name, default=argparse.SUPPRESS, **options)

    add("--dtype", help="auto, float32, float16 or bfloat16")
    add("--device", help="auto, cpu, cuda, ...")
    add(
        "--tensor-parallel-size",
        type=int,
        metavar="N",
        help="processes of this machine that divide weights and cache (default 1)",
    )
    add("--max-model-len", type=int, metavar="N", help="maximum tokens of prompt and completion together")
    add("--max-num-seqs", type=int, metavar="N", help="maximum sequences at once (default 64)")
    own = MAX_STEP_MS if serves else 0
    tokens = f"{MAX_TOKENS_ON_CPU} on a CPU, or --max-num-seqs if that is more; else 2048" if serves else "2048"
    add("--max-num-batched-tokens", type=int, metavar="N", help=f"maximum tokens per step (default {tokens})")
    add(
        "--max-step-ms",
        type=float,
        metavar="MS",
        help=f"target for steps with prompts beside running sequences; 0: no limit (default {own:g})",
    )
    add("--block-size", type=int, metavar="N", help="tokens per block (default 16)")
    add("--kv-cache-dtype", help="auto, fp8, fp8_e5m2, int8 or int4")
    add("--quantization", help=_QUANTIZATION)
    add("--num-blocks", type=int, metavar="N", help="blocks in the pool (default: as many as fit into memory)")
    add(
        "--no-prefix-caching",
        dest="enable_prefix_caching",
        action="store_false",
        help="do not reuse cached prefixes of prompts",
    )
    add(
        "--prefix-cache-dir",
        metavar="PATH_OR_URL",
        help="folder or URL for prefixes that the pool has no room for, which later processes find again",
    )
    add("--prefix-cache-disk-gb", type=float, metavar="GIB", help="most GiB of such a folder (default 10)")
    add(
        "--prefix-cache-write",
        help="evict: prefixes are written when the pool has no room for them and at the end (default); "
        "through: as soon as they are computed",
    )
    add(
        "--prefix-cache-key-file",
        metavar="FILE",
        help="secret of at least 16 bytes, without which no one can forge prefixes there "
        "(default: TORCHPAGED_PREFIX_CACHE_KEY_FILE, or none)",
    )
    if chats:
        add(
            "--generation-config",
            help="auto: the checkpoint's sampling defaults, or torchpaged's own for chats if it has none (default); "
            "vllm: those of SamplingParams, temperature 1 without filters",
        )
    add("--swap-space", type=float, metavar="GIB", help="host memory for preempted requests (default 0: none)")
    add("--preemption-mode", help="swap, recompute, or auto for the faster one (default)")
    add("--trust-remote-code", action="store_true", help=_TRUST)
    _add_media_flags(group)
    add("--scheduling-policy", help="fcfs (default) or priority")
    add(
        "--no-prepared-cache",
        dest="prepared_cache",
        action="store_false",
        help="do not keep what a start finds out for later ones (torchpaged cache ls), nor use what is kept",
    )
    dataclass_flags.add(
        group,
        "enable_lora",
        "bool",
        default=argparse.SUPPRESS,
        help="let requests name adapters (default: if an adapter is given)",
    )
    add("--max-loras", type=int, metavar="N", help="maximum adapters per step; further ones take turns (default 8)")
    add("--max-lora-rank", type=int, metavar="N", help="maximum rank of an adapter (default 16)")
    add("--max-cpu-loras", type=int, metavar="N", help="adapters kept in host memory (default 4 times --max-loras)")
    add(
        "--default-mm-loras",
        type=json_object,
        metavar="JSON",
        help='adapters of prompts with images or sounds that name none, such as {"audio": "adapters/speech"}',
    )
    dataclass_flags.add(
        group,
        "speculative_config",
        "Mapping[str, Any]",
        default=argparse.SUPPRESS,
        help='speculative decoding, such as {"method": "suffix"} or {"method": "ngram"}; does not change the text',
    )


def _add_media_flags(group: Any) -> None:
    """Add the options for images and sounds in prompts."""

    def add(name: str, **options: Any) -> None:
        group.add_argument(name, default=argparse.SUPPRESS, **options)

    add(
        "--limit-mm-per-prompt",
        type=json_object,
        metavar="JSON",
        help='most images and sounds of a prompt, such as {"image": 4, "audio": 1} (default 999 each)',
    )
    add(
        "--mmproj",
        type=dataclass_flags.text,
        metavar="FILE.gguf",
        help="llama.cpp's file with the towers of a GGUF file's model, which reads images then (default: none)",
    )
    add(
        "--mm-processor-kwargs",
        type=json_object,
        metavar="JSON",
        help="arguments of the checkpoint's processor of images and sounds (default: the checkpoint's)",
    )
    add(
        "--allowed-local-media-path",
        type=dataclass_flags.text,
        metavar="FOLDER",
        help="folder whose files prompts may name as images and sounds, by path or file: URL (default: none)",
    )
    add(
        "--allowed-media-domains",
        type=dataclass_flags.text,
        nargs="+",
        action="extend",
        metavar="HOST",
        help="hosts from which images and sounds are fetched by http(s) (default: nothing is fetched)",
    )
    add(
        "--max-encoder-tokens",
        type=int,
        metavar="N",
        help="most tokens of images and sounds that a step encodes (default: --max-num-batched-tokens)",
    )


def json_object(word: str) -> dict[str, Any]:
    """Read an option that is a JSON object."""
    try:
        found = json.loads(word)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f'is {word!r:.80}, expected an object such as {{"image": 4}}')
    return found


def engine_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the given settings of EngineConfig, those of the files, and whether prepared models are used."""
    from torchpaged.config import EngineConfig

    of_prompts = {field.name for field in dataclasses.fields(SamplingParams)}  # --seed is the prompts'
    names = EngineConfig.__dataclass_fields__.keys() - of_prompts | {"prepared_cache", "mmproj"}
    found = {name: value for name, value in vars(arguments).items() if name in names}
    return {"enable_lora": True, **found} if getattr(arguments, "lora_modules", None) else found
