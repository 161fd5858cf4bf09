"""Adapters as options name them: NAME=PATH, or vLLM's JSON. The module imports neither torch nor server code."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from torchpaged.errors import ConfigError, did_you_mean

_FIELDS = ("name", "path", "base_model_name")
_EXPECTED = 'expected NAME=PATH, or JSON as {"name": "sql", "path": "adapters/sql"}'


@dataclass(frozen=True, slots=True)
class LoRAModulePath:
    """An adapter to load, under vLLM's names.

    Args:
        name: name of the adapter; in a server the `model` of its requests.
        path: local folder or file.
        base_model_name: a name of the model, which a server reports as the adapter's parent; None: the first.
    """

    name: str
    path: str
    base_model_name: str | None = None

    @classmethod
    def parse(cls, text: str) -> LoRAModulePath:
        """Parse an option's value.

        Raises:
            ConfigError: it is neither NAME=PATH nor such an object, or a field is empty.
        """
        if not text.lstrip().startswith("{"):
            name, equals, path = text.partition("=")
            found = cls(name.strip(), path.strip())
            if not (equals and found.name and found.path):
                raise ConfigError(f"--lora: {text!r:.80}, {_EXPECTED}")
            return found
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"--lora: {text!r:.80} is not JSON ({error}), {_EXPECTED}") from None
        if unknown := sorted(given.keys() - set(_FIELDS)):
            raise ConfigError(
                f"--lora: {text!r:.80} has {unknown[0]!r}, expected {', '.join(_FIELDS)}"
                f"{did_you_mean(unknown[0], _FIELDS)}"
            )
        optional = given.get("base_model_name")
        texts = [given.get("name"), given.get("path"), *([] if optional is None else [optional])]
        if not all(isinstance(each, str) and each for each in texts):
            raise ConfigError(f"--lora: {text!r:.80}, {_EXPECTED}")
        return cls(**given)

    def identity(self) -> list[object]:
        """Return a JSON value that changes with the adapter's files; the name does not count."""
        path = Path(os.path.expanduser(self.path))
        try:
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            states = [(each.name, each.stat()) for each in files if each.is_file()]
        except OSError:  # the loader reports it
            states = []
        return [str(path.resolve()), *([name, state.st_size, state.st_mtime_ns] for name, state in states)]


def parse_all(texts: Iterable[str]) -> list[LoRAModulePath]:
    """Parse several values.

    Raises:
        ConfigError: as `LoRAModulePath.parse`, or a name is given twice.
    """
    found: dict[str, LoRAModulePath] = {}
    for text in texts:
        module = LoRAModulePath.parse(text)
        if module.name in found:
            raise ConfigError(f"--lora: the name {module.name!r} is given twice; give each adapter a name of its own")
        found[module.name] = module
    return list(found.values())
