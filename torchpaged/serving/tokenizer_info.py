"""The configuration of a tokenizer in the form of tokenizer_config.json, without paths of the server's machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchpaged.models.fast_tokenizer import FastTokenizer

# Names in transformers' `init_kwargs` about paths and how the files were found.
_NOT_TOLD = {"name_or_path", "token", "use_auth_token", "cache_dir", "local_files_only", "revision", "code_revision"}


def configuration(tokenizer: Any, chat_template: str | None) -> dict[str, Any]:
    """Describe a tokenizer.

    Args:
        chat_template: the server's template; None: the tokenizer's own.
    """
    given = getattr(tokenizer, "init_kwargs", None) or {}
    told = {
        name: _plain(value)
        for name, value in given.items()
        if name not in _NOT_TOLD and not name.startswith("_") and not name.endswith(("_file", "_files_map"))
    }
    template = chat_template or getattr(tokenizer, "chat_template", None)
    name = tokenizer.class_name if isinstance(tokenizer, FastTokenizer) else type(tokenizer).__name__
    return {**told, "tokenizer_class": name, "chat_template": template}


def _plain(value: Any) -> Any:
    """Convert a value to JSON's types: an added token to its text, other objects to their description."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return str(getattr(value, "content", value))
