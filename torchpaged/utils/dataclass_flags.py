"""Command-line options generated from a dataclass's fields."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
from pathlib import Path
from typing import Any


def add(group: Any, name: str, kind: str, **options: Any) -> None:
    """Add `--name` to a parser or an argument group.

    Args:
        name: the field's name.
        kind: the field's annotation as text. A type other than a number, a string, a bool, or a sequence of strings or
            integers is read as JSON; "NoneType" as JSON or else as a string.
        options: those of `add_argument`.
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
        reader, letter = _READERS.get(words[0], (_by_number if words[0].startswith("Mapping[int") else _json, "JSON"))
        group.add_argument(
            flag, type=_choice if set(words) == {"bool", "str"} else reader, dest=name, metavar=letter, **options
        )


def described(kind: type) -> dict[str, str]:
    """Return each field's description from "Args:" of a dataclass's docstring; empty if Python runs with -OO."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in inspect.cleandoc(kind.__doc__ or "").partition("Args:")[2].splitlines()[1:]:
        if (match := re.match(r" {4}([a-z][\w, ]*): (.*)", line)) is not None:
            names = [name.strip() for name in match[1].split(",")]
            found.update(dict.fromkeys(names, match[2]))
        elif line.startswith(" " * 8) and names:
            found.update({name: f"{found[name]} {line.strip()}" for name in names})
        else:
            names = []
    return {name: words.replace("%", "%%") for name, words in found.items()}


def text(word: str) -> str:
    """Decode an argument as UTF-8, whatever encoding the locale decoded it with."""
    try:
        return os.fsencode(word).decode()
    except UnicodeError:
        raise argparse.ArgumentTypeError("is not UTF-8") from None


def path(word: str) -> Path:
    """Read a path of a file or folder. Nothing is fetched: a URL is no path."""
    if not word:
        raise argparse.ArgumentTypeError("is empty, expected a path")
    if re.match(r"data:|[a-z][a-z0-9+.-]*://", word, re.IGNORECASE):
        raise argparse.ArgumentTypeError(f"is the URL {word:.80}, expected a path; download the file first")
    return Path(word)


def _choice(word: str) -> bool | str:
    """Read true, false, or a word such as auto."""
    return {"true": True, "false": False}.get(word.lower(), word)


def _json(word: str) -> Any:
    try:
        return json.loads(word)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"is not JSON: {error}") from None


def _by_number(word: str) -> Any:
    """Read a mapping by integers; JSON has string keys only."""
    found = _json(word)
    try:
        return {int(key): value for key, value in found.items()}
    except (AttributeError, ValueError):
        raise argparse.ArgumentTypeError('is not JSON as {"5": -1.5}') from None


def _json_or_text(word: str) -> Any:
    """Read JSON; return the word itself if it is not JSON."""
    try:
        return json.loads(word)
    except ValueError:
        return word


_READERS: dict[str, tuple[Any, str]] = {
    "int": (int, "N"),
    "float": (float, "X"),
    "str": (text, "TEXT"),
    "NoneType": (_json_or_text, "VALUE"),
}
