"""LazyBackend: a tokenizer of tokenizers that is read from its JSON at the first need."""

from __future__ import annotations

import contextlib
import functools
import json
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class LazyBackend:
    """A tokenizer of tokenizers, read from its JSON at the first need and not changed from then on.

    Args:
        text: the JSON, without padding and truncation.
        exact_scores: take the scores of a Unigram from the JSON by Python. The library reads 1 in 8 a step beside.

    Attributes:
        splits_special_tokens: if special tokens in a text are tokenized as other text is.
    """

    def __init__(self, text: str, *, exact_scores: bool = False, splits_special_tokens: bool = False) -> None:
        self.text, self.exact_scores, self.splits_special_tokens = text, exact_scores, splits_special_tokens
        self._lock = threading.Lock()
        self._made: Tokenizer | None = None

    def get(self) -> Tokenizer:
        """Return the tokenizer."""
        if self._made is None:
            with self._lock:
                if self._made is None:
                    self._made = self._read()
        return self._made

    def prefetch(self) -> None:
        """Read the tokenizer; an error is left to the first use."""
        with contextlib.suppress(Exception):
            self.get()

    def _read(self) -> Tokenizer:
        from tokenizers import Tokenizer, models

        made = Tokenizer.from_str(self.text)
        if self.exact_scores:
            model = json.loads(self.text)["model"]
            made.model = models.Unigram(list(map(tuple, model["vocab"])), model["unk_id"], model["byte_fallback"])
        made.encode_special_tokens = self.splits_special_tokens
        return made

    def __reduce__(self) -> Any:
        return functools.partial(
            LazyBackend, exact_scores=self.exact_scores, splits_special_tokens=self.splits_special_tokens
        ), (self.text,)

    def __deepcopy__(self, memo: Any) -> LazyBackend:
        return self
