"""The command line's words: every command and flag, and what a mistyped one may mean.

Reading them takes neither torch nor transformers: `torchpaged -h` answers at once.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from torchpaged import __version__
from torchpaged.errors import InputError, did_you_mean
from torchpaged.sampling_params import WITHOUT_EFFECT, SamplingParams
from torchpaged.serving.options import MAX_STEP_MS, MAX_TOKENS_ON_CPU, ServeOptions
from torchpaged.tools import bench_arguments
from torchpaged.utils import dataclass_flags

_PROMPTS = 'one JSON object a line: {"prompt": "..."}; - reads standard input'
_QUANTIZATION = "of the weights: int8, int8-dynamic, int4, int4-g128 or int4-hq (default: none)"
_MODEL = "folder or hub id of a transformers checkpoint, or a GGUF file"
# Of ServeOptions: what is the same where nobody listens.
_OF_BATCHES = (
    "served_model_name",
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
_TRUST = "run the Python code that the checkpoint brings: it can do whatever you can"


def parse(words: Sequence[str]) -> argparse.Namespace:
    """What a command line asks for; `command` is its first word. `eval` keeps its other words, which lm-eval reads.

    Raises:
        InputError: a command or an option that there is none of, with what may have been meant.
        SystemExit: what argparse refuses, and the help and version that it prints.
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
        InputError: a word that is no folder and nearly a kind.
    """
    word = words[1]
    if word in bench_arguments.KINDS:
        return [f"bench {word}", *words[2:]]
    hint = did_you_mean(word, bench_arguments.KINDS)
    if hint and not word.startswith("-") and not Path(word).exists():
        raise InputError(f"bench: {word!r} is neither a benchmark nor a model{hint}")
    return words


def _with_flag(words: list[str]) -> list[str]:
    """Return lm-eval's words with a model that comes first given as --model; `ls`, `run` and `validate` are its own."""
    named = bool(words) and not words[0].startswith("-") and words[0] not in ("ls", "run", "validate")
    return ["--model", *words] if named else words


def _choose_model(parsed: argparse.Namespace) -> None:
    """Set `model` to the one that was named, by its place or as --model.

    Raises:
        InputError: it is named in both ways, or in neither where the command needs it.
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
            f"{parsed.command}: no model is named; say torchpaged {parsed.command} MODEL, or --model MODEL: a folder "
            "or hub id of a transformers checkpoint, or a GGUF file"
        )
    del parsed.model_flag


def _add_model(parser: argparse.ArgumentParser, says: str = "", *, needed: bool = True) -> None:
    """Add the model, positional and as `--model`; `_choose_model` takes the one that is given."""
    parser.add_argument("model", nargs="?", metavar="MODEL", help=says or _MODEL)
    parser.add_argument("--model", dest="model_flag", metavar="MODEL", help="the same, as an option")
    parser.set_defaults(needs_model=needed)


class _Parser(argparse.ArgumentParser):
    """argparse's, whose errors come without a page of usage before them."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{self.prog.partition(' ')[2] or self.prog}: {message}; {self.prog} -h lists its options")


def _require_known(words: Sequence[str], commands: Mapping[str, argparse.ArgumentParser]) -> None:
    """argparse says what it does not know behind a page of usage, and not what was meant."""
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
        # As argparse: a word with a space is a value, and the beginning of an option stands for it.
        if name.startswith("--") and " " not in word and not any(option.startswith(name) for option in options):
            hint = did_you_mean(name, options) or f"; torchpaged {words[0]} -h lists them"
            raise InputError(f"{words[0]}: unknown option {name!r}{hint}")


def _parser() -> tuple[argparse.ArgumentParser, argparse._SubParsersAction[Any]]:
    parser = _Parser(prog="torchpaged", description="Paged attention for any PyTorch decoder.")
    parser.add_argument("--version", action="version", version=f"torchpaged {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

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
    source.add_argument("--prompts", type=Path, metavar="FILE.jsonl", help=_PROMPTS)
    generate.add_argument(
        "--output", type=Path, metavar="FILE.jsonl", help="write completions here, each when it ends, not to the screen"
    )
    generate.add_argument(
        "--resume", action="store_true", help="keep what an earlier run wrote to --output, and compute the rest"
    )
    generate.add_argument("--overwrite", action="store_true", help="drop what is in --output, refused otherwise")
    _add_sampling_flags(generate, max_tokens=128, temperature=0.0)
    _add_engine_flags(generate)
    generate.add_argument(
        "--profile",
        type=Path,
        metavar="FILE.json",
        help="write a torch.profiler trace of the steps, for ui.perfetto.dev",
    )
    generate.add_argument("--stream", action="store_true", help="show texts on the screen as they come")
    generate.add_argument(
        "--show-drafts", action="store_true", help="with --stream: what was guessed ahead, and held, in colour"
    )
    generate.add_argument("--quiet", action="store_true", help="no progress bar and no table")

    chat = commands.add_parser("chat", help="a conversation, in the terminal or line by line from standard input")
    _add_model(chat)
    chat.add_argument("--system", type=dataclass_flags.text, metavar="TEXT", help="system prompt")
    chat.add_argument(
        "--chat-template", type=Path, metavar="FILE", help="a Jinja template (default: the tokenizer's own)"
    )
    chat.add_argument("--quiet", action="store_true", help="answers alone, without a line of what they took")
    chat.add_argument(
        "--history",
        type=Path,
        metavar="FILE",
        help="remembers what is typed at a terminal (default ~/.local/state/torchpaged/chat_history)",
    )
    chat.add_argument("--no-history", action="store_true", help="remember it in no file")
    _add_sampling_flags(chat)
    _add_engine_flags(chat, chats=True)

    serve = commands.add_parser("serve", help="answer OpenAI's clients over HTTP")
    _add_model(serve)
    serve.add_argument("--tokenizer", help="folder or hub id (default: the model's)")
    serve.add_argument(
        "--chat-template", type=Path, metavar="FILE", help="a Jinja template (default: the tokenizer's own)"
    )
    group = serve.add_argument_group("server")
    says = dataclass_flags.described(ServeOptions)
    for field in dataclasses.fields(ServeOptions):
        dataclass_flags.add(group, field.name, str(field.type), default=argparse.SUPPRESS, help=says.get(field.name))
    _add_engine_flags(serve, serves=True, chats=True)

    batch = commands.add_parser("run-batch", help="answer a file of OpenAI requests, one a line")
    _add_model(batch)
    batch.add_argument(
        "-i",
        "--input-file",
        type=Path,
        required=True,
        metavar="FILE.jsonl",
        help='a request a line: {"custom_id", "method": "POST", "url": "/v1/chat/completions", "body": {...}}',
    )
    batch.add_argument(
        "-o", "--output-file", type=Path, required=True, metavar="FILE.jsonl", help="an answer a line, as they come"
    )
    batch.add_argument(
        "--resume",
        action="store_true",
        help="keep the answers of an earlier run, and compute what failed or is missing",
    )
    batch.add_argument("--overwrite", action="store_true", help="drop what is in the output, refused otherwise")
    batch.add_argument("--tokenizer", help="folder or hub id (default: the model's)")
    batch.add_argument(
        "--chat-template", type=Path, metavar="FILE", help="a Jinja template (default: the tokenizer's own)"
    )
    batch.add_argument("--quiet", action="store_true", help="no progress bar")
    group = batch.add_argument_group("server", "as of torchpaged serve")
    for field in dataclasses.fields(ServeOptions):
        if field.name in _OF_BATCHES:
            dataclass_flags.add(
                group, field.name, str(field.type), default=argparse.SUPPRESS, help=says.get(field.name)
            )
    _add_engine_flags(batch, chats=True)

    trace = commands.add_parser("trace", help="run a workload and write a page that shows the pool, step by step")
    _add_model(trace)
    trace.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.html", help="the page")
    work = trace.add_mutually_exclusive_group()
    work.add_argument("--prompts", type=Path, metavar="FILE.jsonl", help=_PROMPTS)
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
    _add_model(bench)
    bench.add_argument(
        "--workloads", nargs="+", metavar="NAME", help="some of decode-1, decode-8, decode-32, prefill, mixed, ..."
    )
    bench.add_argument("--scale", type=float, default=1.0, metavar="X", help="of all token counts (default 1)")
    bench.add_argument("--rounds", type=int, default=1, metavar="N", help="medians of as many runs (default 1)")
    bench.add_argument("--seed", type=int, default=0, help="of the random prompts")
    bench.add_argument("--json", type=Path, metavar="FILE.json", help="write what was measured here too")
    bench.add_argument("--quiet", action="store_true", help="do not say what is running")
    _add_engine_flags(bench)
    for kind in bench_arguments.KINDS:
        parser_of_kind = commands.add_parser(f"bench {kind}", help=bench_arguments.KINDS[kind])
        _add_model(parser_of_kind, bench_arguments.SERVED if kind == "serve" else "", needed=kind != "serve")
        bench_arguments.add(parser_of_kind, kind)
        if kind != "serve":
            _add_engine_flags(parser_of_kind)

    export = commands.add_parser("export", help="write a model as a .pt2 file that runs without its Python code")
    _add_model(export)
    export.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.pt2")
    export.add_argument("--dtype", default="auto", help="auto, float32, float16 or bfloat16")
    export.add_argument("--device", default="auto", help="auto, cpu, cuda, ...: what the file is for")
    export.add_argument("--block-size", type=int, default=16, metavar="N", help="tokens in a block (default 16)")
    export.add_argument("--kv-cache-dtype", default="auto", help="auto, fp8, fp8_e5m2 or int8")
    export.add_argument("--quantization", help=_QUANTIZATION)
    export.add_argument("--max-model-len", type=int, metavar="N", help="prompt and completion together at most")
    export.add_argument("--trust-remote-code", action="store_true", help=_TRUST)

    quantize = commands.add_parser("quantize", help="write a checkpoint of few bits, in compressed-tensors' format")
    _add_model(quantize, "folder or hub id of a transformers checkpoint")
    quantize.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    quantize.add_argument("--to", required=True, help="int4, int4-g128, int4-hq or int8")
    quantize.add_argument(
        "--calibration",
        type=Path,
        metavar="FILE",
        help="a text like those that the model is for (default: documentation and source of Python)",
    )
    quantize.add_argument("--report", type=Path, metavar="FILE", help="a text whose perplexity is compared")
    quantize.add_argument("--trust-remote-code", action="store_true", help=_TRUST)
    quantize.add_argument("--quiet", action="store_true", help="no progress bar")

    commands.add_parser("eval", help="lm-eval's command line with this engine as its model: eval --tasks ...")

    info = commands.add_parser("info", help="versions, device, backends; whether a model is supported")
    _add_model(info, needed=False)
    info.add_argument("--trust-remote-code", action="store_true", help=_TRUST)
    info.add_argument("--exact", action="store_true", help="load MODEL and try whether its rows' bits depend on others")
    tables = info.add_mutually_exclusive_group()
    tables.add_argument("--ops", action="store_true", help="the table of operators and their backends")
    tables.add_argument("--families", action="store_true", help="the table of model families: supported, or why not")
    return parser, commands


def _add_sampling_flags(parser: argparse.ArgumentParser, **defaults: Any) -> None:
    """An option for each field of SamplingParams that a word can say.

    Args:
        defaults: the command's own, of fields that are not given.
    """
    group = parser.add_argument_group("sampling", "parameters by vLLM's names")
    says = dataclass_flags.described(SamplingParams)
    for field in dataclasses.fields(SamplingParams):
        kind = str(field.type)
        if "Callable" in kind or kind in ("Any", "RequestOutputKind"):  # functions, and what the command decides
            continue
        if field.name == "n":
            group.add_argument("-n", "--n", type=int, default=argparse.SUPPRESS, metavar="N", help=says.get("n"))
            continue
        own = f" (default {defaults[field.name]:g})" if field.name in defaults else ""
        hidden = field.name in WITHOUT_EFFECT  # taken, and refused with the reason; the help has no place for them
        said = argparse.SUPPRESS if hidden else says.get(field.name, "") + own
        dataclass_flags.add(group, field.name, kind, default=argparse.SUPPRESS, help=said)
    group.add_argument(
        "--json-schema",
        type=_json_of,
        dest="structured_outputs",
        default=argparse.SUPPRESS,
        metavar="FILE",
        help="a JSON schema that the text must be valid against: --structured-outputs '{\"json\": ...}'",
    )
    parser.set_defaults(sampling=defaults)


def _json_of(file: str) -> dict[str, Any]:
    """What the text must be by the schema of a file, which its parameters read."""
    try:
        return {"json": Path(file).read_text(encoding="utf-8")}
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"cannot be read: {error}") from None


def sampling_given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields of SamplingParams that were given."""
    names = {field.name for field in dataclasses.fields(SamplingParams)}
    return {name: value for name, value in vars(arguments).items() if name in names}


def sampling_params(arguments: argparse.Namespace) -> SamplingParams:
    """SamplingParams of the flags, and of the command's defaults; ConfigError where one is out of its range."""
    return SamplingParams(**{**arguments.sampling, **sampling_given(arguments)})


def serve_options(arguments: argparse.Namespace) -> ServeOptions:
    """Those of the server that were given; ConfigError where one is out of its range."""
    names = ServeOptions.__dataclass_fields__.keys()
    return ServeOptions(**{name: value for name, value in vars(arguments).items() if name in names})


def _add_engine_flags(parser: argparse.ArgumentParser, *, serves: bool = False, chats: bool = False) -> None:
    """Settings of EngineConfig, under its names; one that is not given is its default.

    Args:
        serves: whether the defaults are those of `torchpaged serve`.
        chats: whether the command takes what the checkpoint says of sampling.
    """
    group = parser.add_argument_group("engine")

    def add(name: str, **options: Any) -> None:
        group.add_argument(name, default=argparse.SUPPRESS, **options)

    add("--dtype", help="auto, float32, float16 or bfloat16")
    add("--device", help="auto, cpu, cuda, ...")
    add("--max-model-len", type=int, metavar="N", help="prompt and completion together at most")
    add("--max-num-seqs", type=int, metavar="N", help="requests at once (default 64)")
    own = MAX_STEP_MS if serves else 0
    tokens = f"{MAX_TOKENS_ON_CPU} on a CPU, or --max-num-seqs if that is more; else 2048" if serves else "2048"
    add("--max-num-batched-tokens", type=int, metavar="N", help=f"tokens a step (default {tokens})")
    add(
        "--max-step-ms",
        type=float,
        metavar="MS",
        help=f"of a step with prompts beside streams; 0: any (default {own:g})",
    )
    add("--block-size", type=int, metavar="N", help="tokens in a block (default 16)")
    add("--kv-cache-dtype", help="auto, fp8, fp8_e5m2 or int8")
    add("--quantization", help=_QUANTIZATION)
    add("--num-blocks", type=int, metavar="N", help="blocks in the pool (default: from memory)")
    add(
        "--no-prefix-caching",
        dest="enable_prefix_caching",
        action="store_false",
        help="compute every prompt, even one that begins like another",
    )
    if chats:
        add(
            "--generation-config",
            help="auto: sampling defaults of the checkpoint, or of ours for chats where it has none (default); "
            "vllm: those of SamplingParams, temperature 1 without filters",
        )
    add("--swap-space", type=float, metavar="GIB", help="host memory for preempted requests (default 0: none)")
    add("--preemption-mode", help="swap, recompute, or auto for what costs less (default)")
    add("--trust-remote-code", action="store_true", help=_TRUST)
    add("--scheduling-policy", help="fcfs (default) or priority")
    dataclass_flags.add(
        group,
        "speculative_config",
        "Mapping[str, Any]",
        default=argparse.SUPPRESS,
        help='guess tokens ahead, the text stays the same: {"method": "suffix"} or {"method": "ngram"}',
    )


def engine_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings of EngineConfig that were given."""
    from torchpaged.config import EngineConfig

    of_prompts = {field.name for field in dataclasses.fields(SamplingParams)}  # --seed is each prompt's
    names = EngineConfig.__dataclass_fields__.keys() - of_prompts
    return {name: value for name, value in vars(arguments).items() if name in names}
