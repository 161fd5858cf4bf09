"""Loads a tokenizer of transformers, a GGUF file's too: no question on the terminal, one error for all that fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError, ModelError, needing, reason_of
from torchpaged.weights.gguf_file import Gguf
from torchpaged.weights.gguf_tokenizer import tokenizer_of


def load_tokenizer(path: str | Path, *, trust_remote_code: bool = False, **options: Any) -> Any:
    """A checkpoint's tokenizer.

    Args:
        path: a folder, a hub id, or a GGUF file.
        trust_remote_code: whether code that it brings may run.
        options: of the tokenizer; of a GGUF file's `add_bos_token` alone.

    Raises:
        ModelError: it cannot be loaded.
        ConfigError: transformers is not installed, or an option that a GGUF file's tokenizer has not got.
    """
    if str(path).endswith(".gguf"):
        if others := sorted(options.keys() - {"add_bos_token"}):
            raise ConfigError(f"tokenizer {str(path)!r}: {others[0]} is given, but it is a GGUF file's; leave it out")
        return tokenizer_of(Gguf(path), options.get("add_bos_token"))
    if str(path).startswith((".", "/", "~")) and not Path(path).expanduser().exists():
        raise ModelError(f"tokenizer {str(path)!r}: there is no such folder")
    with needing("a tokenizer"):
        from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(str(path), trust_remote_code=trust_remote_code, **options)
    except Exception as error:  # a broken file shows as KeyError, OSError, ValueError, the tokenizers' own, ...
        reason = reason_of(error)
        if (folder := Path(path).expanduser()).is_dir() and not any(map(_is_of_a_tokenizer, folder.iterdir())):
            reason = (
                "there is none in the folder; save one there, name another (tokenizer=...), or let prompts be tokens "
                "(LLM(..., skip_tokenizer_init=True))"
            )
        raise ModelError(f"tokenizer {str(path)!r} could not be loaded: {reason}") from error


def _is_of_a_tokenizer(file: Path) -> bool:
    name = file.name.lower()
    return name.startswith(("tokenizer", "vocab", "merges")) or name.endswith((".model", ".tiktoken", ".bpe"))
