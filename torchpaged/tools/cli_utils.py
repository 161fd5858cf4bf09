"""Checks, loading and progress lines that several commands of `torchpaged` share."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchpaged.errors import InputError
from torchpaged.utils import atomic_files, startup

if TYPE_CHECKING:
    from torchpaged.llm import LLM


def load_llm(model: str, settings: dict[str, Any]) -> LLM:
    """Load a model; settings are validated before torch is imported."""
    from torchpaged.config import EngineConfig
    from torchpaged.engine_args import read_settings

    EngineConfig(**read_settings(settings).engine)
    # torch and transformers take seconds to import, so they are imported only once the arguments are known to be valid.
    with startup.stage("torch"):
        importlib.import_module("torch")
    with startup.stage("transformers"):
        from transformers.utils import logging
    with startup.stage("torchpaged"):
        from torchpaged.llm import LLM

    logging.disable_progress_bar()  # transformers' bar for loading weights
    return LLM(model, **settings)


def require_writable(output: Path | None, flag: str = "--output") -> None:
    """Check that a result can be written, before hours of work for it.

    Raises:
        InputError: it cannot; `flag` is named in the message.
    """
    if output is None:
        return
    if not output.parent.is_dir():
        raise InputError(f"{flag} {output}: there is no folder {output.parent}")
    try:
        atomic_files.require_writable(output)
    except OSError as error:
        raise InputError(f"{flag} {output}: {error.strerror or error}") from None


def is_same_file(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def progress(quiet: bool) -> Callable[[str], None]:
    """Return a function that prints what runs next on standard error."""

    def show(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    return show
