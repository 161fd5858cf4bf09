"""Loads a tokenizer of transformers: no question on the terminal, and one error for all that fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torchpaged.errors import ModelError, needing, reason_of


def load_tokenizer(path: str | Path, *, trust_remote_code: bool = False, **options: Any) -> Any:
    """A checkpoint's tokenizer.

    Args:
        path: a folder or hub id.
        trust_remote_code: whether code that it brings may run.
        options: of the tokenizer.

    Raises:
        ModelError: it cannot be loaded.
        ConfigError: transformers is not installed.
    """
    with needing("a tokenizer"):
        from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(str(path), trust_remote_code=trust_remote_code, **options)
    except Exception as error:  # a broken file shows as KeyError, OSError, ValueError, the tokenizers' own, ...
        raise ModelError(f"tokenizer {str(path)!r} could not be loaded: {reason_of(error)}") from error
