"""FlexibleArgumentParser: vLLM's parser, whose options may be written with hyphens or underscores."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any


class FlexibleArgumentParser(argparse.ArgumentParser):
    """A parser where `--max_model_len` is `--max-model-len`, and `--hf-overrides.rope_theta 5` sets a key of an option.

    Args:
        add_json_tip: accepted and ignored; it is about vLLM's help text.
    """

    def __init__(self, *args: Any, add_json_tip: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse options in either spelling."""
        given = sys.argv[1:] if args is None else list(args)
        return super().parse_known_args(_with_dictionaries(_with_hyphens(given)), namespace)

    @staticmethod
    def check_port(value: str) -> int:
        """Parse a port number, for `type=`."""
        try:
            port = int(value)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{value!r} is not a port, expected a number") from None
        if not 1024 <= port <= 65535:
            raise argparse.ArgumentTypeError(f"port is {port}, expected 1024 to 65535")
        return port


def _with_hyphens(words: Sequence[str]) -> list[str]:
    """Write options' names with hyphens, up to `=` or the key of a dictionary; words after `--` stay as they are."""
    found: list[str] = []
    for place, word in enumerate(words):
        if word == "--":
            return [*found, *words[place:]]
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            option, dot, key = name.partition(".")
            word = option.replace("_", "-") + dot + key + equals + value
        found.append(word)
    return found


def _with_dictionaries(words: Sequence[str]) -> list[str]:
    """Merge options with keys into one JSON option per name, together with a JSON value given for the whole option."""
    left: list[str] = []
    made: dict[str, dict[str, Any]] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        option, dot, key = name.partition(".")
        if not (word.startswith("--") and dot and key):
            left.append(word)
            continue
        _set(made.setdefault(option, {}), key.split("."), _value(value if equals else next(rest, "true")))
    for option, values in made.items():
        if option in left and (place := left.index(option) + 1) < len(left):
            whole = _value(left[place])
            values = {**whole, **values} if isinstance(whole, dict) else values
            del left[place - 1 : place + 1]
        left += [option, json.dumps(values)]
    return left


def _set(values: dict[str, Any], keys: Sequence[str], value: Any) -> None:
    *path, last = keys
    for key in path:
        values = values.setdefault(key, {})
    values[last] = value


def _value(word: str) -> Any:
    try:
        return json.loads(word)
    except ValueError:
        return word
