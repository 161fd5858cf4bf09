"""Sample prompts under the names of vLLM's benchmarks: random tokens, or texts of a JSON Lines file."""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchpaged.errors import InputError

_NAMES = ("random", "custom")


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """A prompt, its number of tokens, and the expected number of generated tokens."""

    prompt: str
    prompt_len: int
    expected_output_len: int | None
    multi_modal_data: None = None
    request_id: str | None = None


def add_dataset_parser(parser: argparse.ArgumentParser) -> None:
    """Add the options of `get_samples`. vLLM's further datasets, which need a network, are left out."""
    parser.add_argument("--trust-remote-code", action="store_true", help="run code that a checkpoint brings")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--num-prompts", type=int, default=1000, help="number of prompts")
    parser.add_argument("--dataset-name", default="random", choices=_NAMES)
    parser.add_argument("--dataset-path", default=None, help="JSON Lines file with one prompt per line")
    parser.add_argument("--no-oversample", action="store_true", help="use no prompt twice")
    parser.add_argument("--skip-chat-template", action="store_true", help="use a file's prompts as they are")
    parser.add_argument("--enable-multimodal-chat", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--disable-shuffle", action="store_true", help="keep a file's order")
    parser.add_argument(
        "--custom-output-len", type=int, default=256, help="tokens to generate for each; -1: the file's"
    )
    parser.add_argument("--random-input-len", type=int, default=1024, help="tokens of a random prompt")
    parser.add_argument("--random-output-len", type=int, default=128, help="tokens to generate for it")
    parser.add_argument("--random-prefix-len", type=int, default=0, help="tokens that all random prompts begin with")
    parser.add_argument(
        "--random-range-ratio", type=float, default=0.0, help="vary lengths by up to this share, [0, 1)"
    )


def get_samples(args: Any, tokenizer: Any) -> list[SampleRequest]:
    """Return the sample prompts.

    Raises:
        InputError: there is no file, a line is invalid, or a length is out of its range.
    """
    if args.dataset_name == "random":
        return _random(args, tokenizer)
    if args.dataset_path is None:
        raise InputError("--dataset-name custom needs --dataset-path: a JSON Lines file")
    lines = _lines(args.dataset_path)
    if not args.disable_shuffle:
        random.Random(args.seed).shuffle(lines)
    if len(lines) < args.num_prompts and not args.no_oversample:
        lines *= -(-args.num_prompts // len(lines))
    return [_of_file(args, tokenizer, *line, str(place)) for place, line in enumerate(lines[: args.num_prompts])]


def _random(args: Any, tokenizer: Any) -> list[SampleRequest]:
    if not 0 <= args.random_range_ratio < 1:
        raise InputError(f"--random-range-ratio is {args.random_range_ratio}, expected at least 0 and less than 1")
    draw, size = random.Random(args.seed), len(tokenizer)
    special = set(tokenizer.all_special_ids)
    known = [token for token in range(size) if token not in special]

    def length(mean: int) -> int:
        spread = int(mean * args.random_range_ratio)
        return max(1, draw.randint(mean - spread, mean + spread))

    prefix = draw.choices(known, k=args.random_prefix_len)
    found = []
    for place in range(args.num_prompts):
        tokens = [*prefix, *draw.choices(known, k=length(args.random_input_len))]
        text = tokenizer.decode(tokens)
        count = len(tokenizer(text, add_special_tokens=False).input_ids)
        found.append(SampleRequest(text, count, length(args.random_output_len), request_id=str(place)))
    return found


def _lines(path: str) -> list[tuple[str, int | None]]:
    """Return the prompt of each line, and the number of tokens to generate for it."""
    found: list[tuple[str, int | None]] = []
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise InputError(f"--dataset-path {path!r} cannot be read: {error}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            found.append((_text(row["prompt"]), row.get("output_tokens")))
        except (ValueError, TypeError, KeyError):
            raise InputError(f'--dataset-path {path!r}, line {number}: expected {{"prompt": TEXT}}') from None
    if not found:
        raise InputError(f"--dataset-path {path!r} has no lines")
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _of_file(args: Any, tokenizer: Any, text: str, given: int | None, request_id: str) -> SampleRequest:
    if not args.skip_chat_template and getattr(tokenizer, "chat_template", None):
        conversation = [{"role": "user", "content": text}]
        text = tokenizer.apply_chat_template(conversation, add_generation_prompt=True, tokenize=False)
    behind = given if args.custom_output_len == -1 else args.custom_output_len
    return SampleRequest(text, len(tokenizer(text).input_ids), behind, request_id=request_id)
