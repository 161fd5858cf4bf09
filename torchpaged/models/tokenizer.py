"""load_tokenizer: loads a tokenizer of transformers or of a GGUF file, without prompting on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torchpaged.errors import ConfigError, ModelError, needing, reason_of
from torchpaged.utils.paths import expanded
from torchpaged.weights.gguf_file import Gguf
from torchpaged.weights.gguf_tokenizer import tokenizer_of


def load_tokenizer(path: str | Path, *, trust_remote_code: bool = False, **options: Any) -> Any:
    """Load a checkpoint's tokenizer.

    Args:
        path: a folder, a hub id, or a GGUF file.
        trust_remote_code: if code from the checkpoint may run.
        options: of the tokenizer; for a GGUF file only `add_bos_token`.

    Raises:
        ModelError: it cannot be loaded.
        ConfigError: transformers is not installed, or an option does not exist for a GGUF file.
    """
    if str(path).endswith(".gguf"):
        if others := sorted(options.keys() - {"add_bos_token"}):
            raise ConfigError(f"tokenizer {str(path)!r}: {others[0]} is given, but it is a GGUF file's; leave it out")
        return tokenizer_of(Gguf(path), options.get("add_bos_token"))
    if str(path).startswith((".", "/", "~")) and not Path(expanded(path)).exists():
        raise ModelError(f"tokenizer {str(path)!r}: there is no such folder")
    with needing("a tokenizer"):
        from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(str(path), trust_remote_code=trust_remote_code, **options)
    except Exception as error:  # broken files raise KeyError, OSError, ValueError, the tokenizers library's own, ...
        reason = _NONE_THERE if _has_no_vocabulary(path) else reason_of(error)
        raise ModelError(f"tokenizer {str(path)!r} could not be loaded: {reason}") from error
    if not hasattr(tokenizer, "eos_token_id"):  # transformers makes whatever class of its own the config names
        raise ModelError(
            f"tokenizer {str(path)!r}: its tokenizer_class is {type(tokenizer).__name__}, which is not a tokenizer"
        )
    # Without files some classes, such as Gemma's and Qwen's, are made with a vocabulary of a few special tokens.
    if getattr(tokenizer, "vocab_files_names", None) and _has_no_vocabulary(path):
        raise ModelError(f"tokenizer {str(path)!r} could not be loaded: {_NONE_THERE}")
    return tokenizer


_NONE_THERE = (
    "there is none in the folder; save one there, name another (tokenizer=...), or let prompts be tokens "
    "(LLM(..., skip_tokenizer_init=True))"
)


def _has_no_vocabulary(path: str | Path) -> bool:
    """Return True for a folder without a file that may be a tokenizer's vocabulary."""
    folder = Path(expanded(path))
    return folder.is_dir() and not any(map(_is_vocabulary, folder.iterdir()))


def _is_vocabulary(file: Path) -> bool:
    name = file.name.lower()
    begins = name.startswith(("tokenizer", "tekken", "vocab", "merges")) and name != "tokenizer_config.json"
    return begins or name.endswith((".model", ".tiktoken", ".bpe"))
