"""AdapterFolder: a folder that peft wrote. It is untrusted input: nothing is unpickled, and links stay within it."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from torchpaged.errors import ModelError, reason_of
from torchpaged.utils.paths import expanded, link_roots

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
_PICKLED = ("adapter_model.bin", "adapter_model.pt")
# A list of each module of 100 layers of 300 experts is 10 MB long.
_LONGEST = 1 << 24


class AdapterFolder:
    """The files of an adapter.

    Args:
        path: as the user gave it, for errors.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def where(self, name: str) -> str:
        """Return the beginning of errors about a file."""
        return f"adapter {self._path!r}: {name}"

    @contextmanager
    def reading(self, name: str) -> Generator[None]:
        """Raise ModelError for errors of the file system, and for damage, while a file is read."""
        try:
            yield
        except (OSError, ValueError, MemoryError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"{self.where(name)} could not be read: {reason_of(error)}") from error

    def file(self, name: str) -> Path:
        """Return the path of a file. ModelError if it is not there, or lies outside of the folder."""
        folder = Path(expanded(self._path))
        if not folder.is_dir():
            self._refuse("this is a file, expected a folder" if folder.exists() else "there is no such folder")
        if not (folder / name).is_file():
            pickled = next((each for each in _PICKLED if (folder / each).exists()), None)
            if name == WEIGHTS and pickled:
                self._refuse(
                    f"its weights are pickled ({pickled}), and reading them may run code; expected {WEIGHTS}: load the "
                    "adapter with peft where you trust it, and save it with save_pretrained(...)"
                )
            self._refuse(f"there is no file {name} in it")
        place, root = Path(os.path.realpath(folder / name)), folder.resolve()
        if not any(place.is_relative_to(each) for each in (root, *link_roots(root))):
            self._refuse(f"{name} is a link to {str(place)!r}, outside of the folder; copy it there")
        return place

    def config(self) -> dict[str, Any]:
        """Return the values of the config. ModelError if it is too long, or not a dictionary in JSON."""
        where = self.where(CONFIG)
        with self.reading(CONFIG), self.file(CONFIG).open("rb") as file:
            text = file.read(_LONGEST + 1)
        if len(text) > _LONGEST:
            raise ModelError(f"{where} has more than {_LONGEST} bytes, expected a shorter list")
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{where} is not JSON: {reason_of(error)}") from error
        if not isinstance(values, dict):
            raise ModelError(f"{where} has {values!r:.80}, expected a dictionary")
        return values

    def _refuse(self, what: str) -> NoReturn:
        raise ModelError(f"adapter {self._path!r}: {what}")
