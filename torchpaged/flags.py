"""Options of a command line that follow from a dataclass's fields: what is added there is an option here."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any


def add(group: Any, name: str, kind: str, **options: Any) -> None:
    """Adds `--name` to a parser or a group of one.

    Args:
        name: of the field.
        kind: its annotation, as it is written; what is neither a number, a text, yes or no, nor a sequence of those is
            given as JSON.
        options: of `add_argument`.
    """
    words = [word.strip() for word in kind.replace("typing.", "").split("|")]
    flag = "--" + name.replace("_", "-")
    if words[0] == "bool" and "str" not in words:
        group.add_argument(flag, action=argparse.BooleanOptionalAction, dest=name, **options)
    elif any(word.startswith("Sequence[str]") for word in words):
        group.add_argument(flag, type=text, action="append", dest=name, metavar="TEXT", **options)
    elif any(word.startswith("Sequence[int]") for word in words):
        group.add_argument(flag, type=int, action="append", dest=name, metavar="N", **options)
    else:
        reader, letter = _READERS.get(words[0], (_json, "JSON"))
        group.add_argument(
            flag, type=_choice if set(words) == {"bool", "str"} else reader, dest=name, metavar=letter, **options
        )


def text(word: str) -> str:
    """A word of text as UTF-8, whatever the locale took its bytes for."""
    try:
        return os.fsencode(word).decode()
    except UnicodeError:
        raise argparse.ArgumentTypeError("is not UTF-8") from None


def _choice(word: str) -> bool | str:
    """'auto', True or False."""
    return {"true": True, "false": False}.get(word.lower(), word)


def _json(word: str) -> Any:
    try:
        return json.loads(word)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"is not JSON: {error}") from None


_READERS: dict[str, tuple[Any, str]] = {"int": (int, "N"), "float": (float, "X"), "str": (text, "TEXT")}
