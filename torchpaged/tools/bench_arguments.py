"""Options of `torchpaged bench latency`, `throughput` and `serve`, under vLLM's names. Needs no torch."""

from __future__ import annotations

import argparse

from torchpaged.errors import InputError
from torchpaged.utils.dataclass_flags import path

KINDS = {
    "latency": "measure the time of one batch of requests, with percentiles",
    "throughput": "measure requests and tokens per second of many requests at once",
    "serve": "load a running server with requests: time to the first token and between tokens, with percentiles",
}
SERVED = "name of the server's model (default: the first that it lists)"
# vLLM's percentiles for `latency`.
PERCENTILES = "10,25,50,75,90,99"


def add(parser: argparse.ArgumentParser, kind: str) -> None:
    """Add the options of one benchmark."""
    group = parser.add_argument_group("benchmark")
    if kind == "latency":
        _add_sizes(group, input_len=32, output_len=128)
        group.add_argument("--batch-size", type=int, default=8, metavar="N", help="requests in the batch (default 8)")
        group.add_argument(
            "--num-iters-warmup", type=int, default=2, metavar="N", help="batches before the timed ones (default 2)"
        )
        group.add_argument("--num-iters", type=int, default=10, metavar="N", help="timed batches (default 10)")
        _add_percentiles(group, PERCENTILES)
    elif kind == "throughput":
        _add_sizes(group, input_len=128, output_len=128)
        group.add_argument("--num-prompts", type=int, default=100, metavar="N", help="requests (default 100)")
        group.add_argument(
            "--prefix-len", type=int, default=0, metavar="N", help="tokens that all prompts begin with (default 0)"
        )
        _add_percentiles(group, "50,90,99")
    else:
        _add_load(group)
    group.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random prompts (default 0)")
    group.add_argument("--output-json", type=path, metavar="FILE.json", help="write the results to this file too")
    group.add_argument(
        "--plot", type=path, metavar="FILE.svg", help="draw the distribution of each time, as one SVG file"
    )
    group.add_argument("--quiet", action="store_true", help="no progress on standard error")


def check(given: argparse.Namespace, kind: str) -> None:
    """Check the options of `add`, before a model is loaded or a request is sent.

    Raises:
        InputError: a value is out of its range.
    """
    _require_at_least(given, 1, "input_len", "output_len")
    if kind == "latency":
        _require_at_least(given, 1, "batch_size", "num_iters")
        _require_at_least(given, 0, "num_iters_warmup")
        return
    _require_at_least(given, 1, "num_prompts")
    if kind == "throughput":
        _require_at_least(given, 0, "prefix_len")
        if given.prefix_len > given.input_len:
            raise InputError(
                f"bench: --prefix-len {given.prefix_len}: expected at most --input-len, {given.input_len} tokens"
            )
        return
    _require_at_least(given, 1, "vocab_size", "max_concurrency")
    _require_at_least(given, 0, "num_warmups")
    if not given.request_rate > 0:
        raise InputError(f"bench: --request-rate {given.request_rate}: expected requests a second, above 0, or inf")
    if not 0 < given.request_timeout < float("inf"):
        raise InputError(f"bench: --request-timeout {given.request_timeout}: expected seconds, above 0")
    if not 0 <= given.lora_zipf <= 100:
        raise InputError(f"bench: --lora-zipf {given.lora_zipf}: expected a number from 0 to 100")
    if not 0 <= given.random_range_ratio < 1:
        raise InputError(f"bench: --random-range-ratio {given.random_range_ratio}: expected a share in [0, 1)")


def _require_at_least(given: argparse.Namespace, least: int, *names: str) -> None:
    for name in names:
        value = getattr(given, name)
        if value is not None and value < least:
            raise InputError(f"bench: --{name.replace('_', '-')} {value}: expected {least} or more")


def _add_load(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--base-url",
        default="http://127.0.0.1:8000",
        metavar="URL",
        help="address of a server with OpenAI's completions, without /v1 (default http://127.0.0.1:8000)",
    )
    group.add_argument(
        "--api-key", metavar="KEY", help="the server's API key (default: the variable OPENAI_API_KEY, if set)"
    )
    _add_sizes(group, input_len=128, output_len=128)
    group.add_argument(
        "--random-range-ratio",
        type=float,
        default=0.0,
        metavar="X",
        help="vary both lengths by up to this share, [0, 1) (default 0: all equal)",
    )
    group.add_argument(
        "--vocab-size",
        type=int,
        default=1000,
        metavar="N",
        help="prompts are random tokens below this number (default 1000)",
    )
    group.add_argument("--num-prompts", type=int, default=100, metavar="N", help="requests (default 100)")
    group.add_argument(
        "--lora-modules",
        nargs="+",
        metavar="NAME",
        help="the server's adapters, of which each request gets a random one",
    )
    group.add_argument(
        "--lora-zipf",
        type=float,
        default=0.0,
        metavar="X",
        help="choose the k-th of them with a probability proportional to k to the power of -X (default 0: all equal)",
    )
    group.add_argument(
        "--request-rate",
        type=float,
        default=float("inf"),
        metavar="X",
        help="requests per second, at random times (default inf: all at once)",
    )
    group.add_argument(
        "--max-concurrency", type=int, metavar="N", help="maximum number of concurrent requests (default: no limit)"
    )
    group.add_argument(
        "--num-warmups", type=int, default=1, metavar="N", help="requests before the timed ones (default 1)"
    )
    group.add_argument(
        "--request-timeout", type=float, default=600.0, metavar="S", help="seconds for a whole answer (default 600)"
    )
    _add_percentiles(group, "50,90,99", flag="--metric-percentiles")


def _add_sizes(group: argparse._ArgumentGroup, *, input_len: int, output_len: int) -> None:
    for name, length, says in (("input", input_len, "of each prompt"), ("output", output_len, "to generate for each")):
        group.add_argument(
            f"--{name}-len", type=int, default=length, metavar="N", help=f"tokens {says} (default {length})"
        )


def _add_percentiles(group: argparse._ArgumentGroup, default: str, flag: str = "--percentiles") -> None:
    group.add_argument(
        flag,
        dest="percentiles",
        type=_percentiles,
        default=_percentiles(default),
        metavar="P,P,...",
        help=f"percentiles to report (default {default})",
    )


def _percentiles(word: str) -> list[float]:
    try:
        found = [float(each) for each in word.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 <= each <= 100 for each in found):
        raise argparse.ArgumentTypeError(f"{word!r} is not a list of percentiles, such as 50,90,99")
    return found
