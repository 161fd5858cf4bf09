"""A file of prompts, and a file of their completions: written as each ends, and continued by a run with --resume.

A prompt's lines are written by one call, so that only the last line can be incomplete after a crash; a resuming run
drops it.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import stat
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from torchpaged.errors import InputError
from torchpaged.outputs import RequestOutput
from torchpaged.utils import atomic_files
from torchpaged.utils.paths import followed

DATA = "multi_modal_data"  # a line's images and sounds
# Fields of a completion's line; its other fields are copied from the prompt's line.
_OWN = ("number", "key", "index", "completion", "token_ids", "finish_reason", "error")


class BadPrompt(NamedTuple):
    """A line of a file of prompts without a valid prompt, and what it has in its place."""

    error: str
    given: Any = None


def read_prompts(path: Path) -> list[dict[str, Any]]:
    """Read records from a file with one JSON object per line, or from standard input for "-".

    Returns:
        Records with a "prompt": a text, a list, or a `BadPrompt` for an invalid line; at least one is valid.

    Raises:
        InputError: the file cannot be read, or has no valid line.
    """
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise InputError(f"--prompts {path}: {error}") from None
    records = []
    lines = data.removeprefix(codecs.BOM_UTF8).split(b"\n")  # not splitlines(): JSON may contain other line ends
    for number, line in enumerate(lines, start=1):
        if line.strip():
            records.append(_record(f"{path}, line {number}", line))
    if not records:
        raise InputError(f"{path}: no prompts in it, expected one JSON object a line")
    if all(isinstance(record["prompt"], BadPrompt) for record in records):
        raise InputError(records[0]["prompt"].error)
    return records


def _record(where: str, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        what = "no UTF-8" if isinstance(error, UnicodeDecodeError) else "no JSON"
        return {"prompt": BadPrompt(f"{where}: {what} ({error})")}
    fields = record if isinstance(record, dict) else {}
    if not isinstance(given := fields.get("prompt"), str | list):
        reason = f'{where}: expected an object with "prompt", a text or a list of token ids'
        return {**fields, "prompt": BadPrompt(reason, given)}
    return fields


def prompt_of(record: Mapping[str, Any], media: Mapping[str, Sequence[str]] = MappingProxyType({})) -> Any:
    """Return the prompt of a record for the engine, with its images and sounds.

    Args:
        media: URLs of further ones, before its own, by modality.
    """
    prompt, own = record["prompt"], record.get(DATA)
    if isinstance(prompt, BadPrompt) or not (media or own):
        return prompt
    if media and isinstance(own, Mapping):
        several = {each: value if isinstance(value, list) else [value] for each, value in own.items()}
        own = {each: [*media.get(each, ()), *several.get(each, ())] for each in {**media, **several}}
    name = "prompt" if isinstance(prompt, str) else "prompt_token_ids"
    return {name: prompt, DATA: own or {each: [*urls] for each, urls in media.items()}}


def require_good(records: Sequence[Mapping[str, Any]]) -> None:
    """Raise an InputError for the first line without a prompt."""
    for record in records:
        if isinstance(record["prompt"], BadPrompt):
            raise InputError(record["prompt"].error)


def require_new(path: Path, flag: str, *, resume: bool, overwrite: bool) -> None:
    """Check that a file to write holds no results, unless --resume or --overwrite is given.

    Raises:
        InputError: it does, or both are given.
    """
    if resume and overwrite:
        raise InputError("--resume keeps what an earlier run wrote, --overwrite drops it: give one of them")
    if resume or overwrite or not path.is_file() or not (size := path.stat().st_size):
        return
    raise InputError(
        f"{flag} {path}: the file is there, with {size} bytes; --resume keeps what an earlier run wrote and computes "
        "the rest, --overwrite drops it"
    )


def key_of(record: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    """Return a hash of everything that a prompt's completions depend on: of images and sounds, as its line has them."""
    media = [record[DATA]] if record.get(DATA) else []
    said = json.dumps([record["prompt"], parameters, *media], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


class _Line(NamedTuple):
    """Position of a line in the file, sorted by prompt and completion."""

    number: int
    completion: int
    start: int
    length: int


class CompletionFile:
    """Completions as lines of JSON, each with its prompt's number and key. The file changes only inside a `with`.

    Args:
        path: path of the file.
        keys: keys of all prompts, by number.
        num_completions: completions, and so lines, per prompt.

    Attributes:
        done: numbers of the prompts whose completions are in the file.
    """

    def __init__(self, path: Path, keys: Sequence[str], num_completions: int) -> None:
        self.path = followed(path)
        self.done: set[int] = set()
        self._keys, self._num_completions = keys, num_completions
        self._lines: list[_Line] = []
        self._size = 0
        self._descriptor = -1  # outside of the `with`

    def resume(self) -> None:
        """Keep the completions of an earlier run for the same prompts, except errors and incomplete prompts.

        Raises:
            InputError: the file has lines that are not completions.
        """
        found: dict[int, dict[int, _Line]] = {}
        try:
            if not self.path.exists():
                return
            with self.path.open("rb") as file:
                start = 0
                for place, text in enumerate(file, start=1):
                    if text.endswith(b"\n"):  # the last line may be incomplete
                        number, index = self._read(place, text)
                        if number is not None:
                            found.setdefault(number, {}).setdefault(index, _Line(number, index, start, len(text)))
                    start += len(text)
        except OSError as error:
            raise InputError(f"--output {self.path}: {error.strerror}") from None
        whole = {number: lines for number, lines in found.items() if len(lines) == self._num_completions}
        self.done = set(whole)
        self._lines = sorted((line for lines in whole.values() for line in lines.values()), key=lambda each: each.start)

    def _read(self, place: int, text: bytes) -> tuple[int | None, int]:
        """Return prompt number and index of a line; the number is None if the completion must be computed again."""
        try:
            line = json.loads(text)
            number, key, index = line["number"], line["key"], line.get("index", 0)
            if not (isinstance(number, int) and isinstance(key, str) and isinstance(index, int)):
                raise TypeError
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            raise InputError(
                f"--resume: line {place} of {self.path} was not written by --output; name another file"
            ) from None
        same = 0 <= number < len(self._keys) and self._keys[number] == key
        return (number if same and "error" not in line else None), index

    def __enter__(self) -> CompletionFile:
        """Open the file and drop the lines that are not kept."""
        try:
            kept = sum(line.length for line in self._lines)
            if self._lines and self.path.stat().st_size != kept:
                self._rewrite(self._lines)
            self._size = kept
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (0 if self._lines else os.O_TRUNC)
            self._descriptor = os.open(self.path, flags, 0o666)
        except OSError as error:
            raise InputError(f"--output {self.path}: {error.strerror}") from None
        return self

    def write(self, number: int, record: Mapping[str, Any], output: RequestOutput) -> None:
        """Write a prompt's completions, with one call.

        Raises:
            InputError: the file cannot be written, for example because the disk is full.
        """
        theirs = {
            name: value.given if isinstance(value, BadPrompt) else value
            for name, value in record.items()
            if name not in _OWN
        }
        lines = []
        for completion in output.outputs:
            line = {**theirs, "number": number, "key": self._keys[number]}
            if len(output.outputs) > 1:
                line["index"] = completion.index
            line |= {
                "completion": completion.text,
                "token_ids": completion.token_ids,
                "finish_reason": completion.finish_reason,
            }
            if completion.error is not None:
                line["error"] = completion.error
            lines.append(json.dumps(line).encode() + b"\n")
        left = memoryview(b"".join(lines))
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except BrokenPipeError:
            raise
        except OSError as error:
            raise InputError(f"--output {self.path}: {error.strerror}; its completions stay, for --resume") from None
        for completion, text in zip(output.outputs, lines, strict=True):
            self._lines.append(_Line(number, completion.index, self._size, len(text)))
            self._size += len(text)
        self.done.add(number)

    def count(self) -> int:
        """Count the prompts in the file, with errors too; after an interrupt `done` may lack the last one."""
        if not self.path.is_file():  # a pipe cannot be read back
            return len(self.done)
        lines = self.path.read_bytes().splitlines(keepends=True)
        whole = [json.loads(line) for line in lines if line.endswith(b"\n")]
        counts = Counter(line["number"] for line in whole)
        failed = {line["number"] for line in whole if "error" in line}
        return sum(count == self._num_completions or number in failed for number, count in counts.items())

    def sort(self) -> None:
        """Sort the lines by prompt, once all are written."""
        in_order = sorted(self._lines)
        if in_order == self._lines or not self._is_regular():
            return
        try:
            if self.path.stat().st_size != self._size:
                raise OSError(0, "it has lines of another program")
            self._rewrite(in_order)
        except OSError as error:
            raise InputError(
                f"--output {self.path}: {error.strerror}; it is complete, with the prompts in the order of their ends"
            ) from None

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def _is_regular(self) -> bool:
        return self.path.exists() and stat.S_ISREG(self.path.stat().st_mode)

    def _rewrite(self, lines: Sequence[_Line]) -> None:
        """Replace the file atomically by these lines of it, in this order."""
        moved = []
        size = 0
        with atomic_files.replaced(self.path) as made, made.open("wb") as new, self.path.open("rb") as old:
            for line in lines:
                old.seek(line.start)
                new.write(old.read(line.length))
                moved.append(line._replace(start=size))
                size += line.length
        self._lines, self._size = moved, size
