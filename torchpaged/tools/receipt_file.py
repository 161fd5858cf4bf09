"""A file of receipts, one a line, written as completions end."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from torchpaged.errors import InputError
from torchpaged.outputs import RequestOutput
from torchpaged.sampling_params import SamplingParams

if TYPE_CHECKING:
    from torchpaged.llm import LLM


class ReceiptFile:
    """A file that receipts with the tokens in them are added to. It is a context manager, open within the block.

    A last line that is incomplete, because the run before was killed, is dropped.

    Args:
        path: the file.
        llm: computes the completions.
        params: their parameters.
        key: file of the key that signs.
        model: the model's name in the receipts.
        overwrite: drop what the file has.

    Raises:
        ConfigError: the key cannot be used.
        InputError: completions with these parameters, or of this model, can have no receipts.
    """

    def __init__(self, path: Path, llm: LLM, params: SamplingParams, key: Path, model: str, *, overwrite: bool) -> None:
        from torchpaged.receipts import SigningKey
        from torchpaged.receipts.writer import ReceiptWriter

        self._path, self._llm, self._params, self._model = path, llm, params, model
        self._overwrite = overwrite
        self._key = SigningKey.load(key)
        self._file: BinaryIO | None = None
        if (reason := ReceiptWriter(self._key, model, llm.engine.system_facts()).why_not(params)) is not None:
            raise InputError(f"--receipts {path}: {reason}")

    def __enter__(self) -> ReceiptFile:
        try:
            self._file = open(self._path, "a+b")
            self._file.seek(0)
            end = sum(len(line) for line in self._file if line.endswith(b"\n"))
            self._file.truncate(0 if self._overwrite else end)
        except OSError as error:
            raise InputError(f"--receipts {self._path}: {error.strerror or error}") from None
        return self

    def __exit__(self, *error: object) -> None:
        assert self._file is not None
        self._file.close()

    def write(self, output: RequestOutput) -> None:
        """Add the receipts of a request's completions that could be computed.

        Raises:
            InputError: the file cannot be written.
        """
        from torchpaged.receipts import make_receipts

        assert self._file is not None, "the file is open within the block"
        if any(completion.finish_reason in ("error", "abort") for completion in output.outputs):
            return
        made = make_receipts(self._llm, [output], self._params, self._key, model=self._model, full=True)
        try:
            self._file.write(b"".join(json.dumps(each).encode() + b"\n" for each in made))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise InputError(f"--receipts {self._path}: {error.strerror or error}") from None
