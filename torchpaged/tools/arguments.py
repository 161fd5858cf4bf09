"""The command line's words: every command and flag, and what a mistyped one may mean.

Reading them takes neither torch nor transformers: `torchpaged -h` answers at once.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchpaged import __version__
from torchpaged.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from torchpaged.sampling_params import SamplingParams


_PROMPTS = 'one JSON object a line: {"prompt": "..."}; - reads standard input'
_TRUST = "run the Python code that the checkpoint brings: it can do whatever you can"


def parse(words: Sequence[str]) -> argparse.Namespace:
    """What a command line asks for; `command` is its first word. `eval` keeps its other words, which lm-eval reads.

    Raises:
        InputError: a command or an option that there is none of, with what may have been meant.
        SystemExit: what argparse refuses, and the help and version that it prints.
    """
    if words[:1] == ["eval"]:
        return argparse.Namespace(command="eval", words=words[1:])
    parser, commands = _parser()
    _require_known(words, commands.choices)
    return parser.parse_args(words)


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


def _parser() -> tuple[argparse.ArgumentParser, argparse._SubParsersAction[argparse.ArgumentParser]]:
    parser = argparse.ArgumentParser(prog="torchpaged", description="Paged attention for any PyTorch decoder.")
    parser.add_argument("--version", action="version", version=f"torchpaged {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    generate = commands.add_parser("generate", help="complete prompts together")
    generate.add_argument("--model", required=True, help="folder or hub id of a transformers checkpoint")
    source = generate.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--prompt", type=_text, action="append", metavar="TEXT", help="a prompt; may be given several times"
    )
    source.add_argument("--prompts", type=Path, metavar="FILE.jsonl", help=_PROMPTS)
    generate.add_argument(
        "--output", type=Path, metavar="FILE.jsonl", help="write completions here, each when it ends, not to the screen"
    )
    generate.add_argument(
        "--resume", action="store_true", help="keep what an earlier run wrote to --output, and compute the rest"
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
    trace.add_argument("--model", required=True, help="folder or hub id of a transformers checkpoint")
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
    export.add_argument("model", help="folder or hub id of a transformers checkpoint")
    export.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.pt2")
    export.add_argument("--dtype", default="auto", help="auto, float32, float16 or bfloat16")
    export.add_argument("--device", default="auto", help="auto, cpu, cuda, ...: what the file is for")
    export.add_argument("--block-size", type=int, default=16, metavar="N", help="tokens in a block (default 16)")
    export.add_argument("--kv-cache-dtype", default="auto", help="auto, fp8, fp8_e5m2 or int8")
    export.add_argument("--quantization", help="of the weights: int8, int8-dynamic or int4 (default: none)")
    export.add_argument("--max-model-len", type=int, metavar="N", help="prompt and completion together at most")
    export.add_argument("--trust-remote-code", action="store_true", help=_TRUST)

    commands.add_parser("eval", help="lm-eval's command line with this engine as its model: eval --tasks ...")

    info = commands.add_parser("info", help="versions, device, backends; whether a model is supported")
    info.add_argument("model", nargs="?", help="folder or hub id of a transformers checkpoint")
    info.add_argument("--trust-remote-code", action="store_true", help=_TRUST)
    info.add_argument("--exact", action="store_true", help="load MODEL and try whether its rows' bits depend on others")
    tables = info.add_mutually_exclusive_group()
    tables.add_argument("--ops", action="store_true", help="the table of operators and their backends")
    tables.add_argument("--families", action="store_true", help="the table of model families: supported, or why not")
    return parser, commands


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
    add(
        "--stop",
        type=_text,
        action="append",
        default=[],
        metavar="TEXT",
        help="a string that ends the text; may be repeated",
    )


def _text(word: str) -> str:
    """A word of text as UTF-8, whatever the locale took its bytes for."""
    try:
        return os.fsencode(word).decode()
    except UnicodeError:
        raise argparse.ArgumentTypeError("is not UTF-8") from None


def sampling_params(arguments: argparse.Namespace) -> SamplingParams:
    """SamplingParams of the flags; ConfigError where one is out of its range."""
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
    add("--trust-remote-code", action="store_true", help=_TRUST)
    add("--scheduling-policy", help="fcfs (default) or priority")


def engine_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings of EngineConfig that were given."""
    from torchpaged.config import EngineConfig

    names = EngineConfig.__dataclass_fields__.keys() - {"seed"}  # --seed is each prompt's
    return {name: value for name, value in vars(arguments).items() if name in names}
