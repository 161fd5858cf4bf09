"""FastTokenizer: a transformers tokenizer from a record, made and used without importing transformers.

It answers what an engine and a server ask for (one text to tokens, tokens to text, chat templates, special tokens)
with transformers' results. For anything else it loads transformers' tokenizer, which answers everything from then on.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from torchpaged.errors import reason_of
from torchpaged.models.chat_template import UnsupportedError, render
from torchpaged.models.lazy_backend import LazyBackend
from torchpaged.models.tokenizer_record import UnsuitedError, recorded

if TYPE_CHECKING:
    from tokenizers import Tokenizer

logger = logging.getLogger(__name__)

# Options of `__call__` and `encode` with their only values that are handled here; others are left to transformers.
_DEFAULTS = {
    "padding": False,
    "stride": 0,
    "is_split_into_words": False,
    "pad_to_multiple_of": None,
    "padding_side": None,
    "return_tensors": None,
    "return_overflowing_tokens": False,
    "return_special_tokens_mask": False,
    "return_offsets_mapping": False,
    "return_length": False,
}
# Columns of `__call__`'s result beside the tokens, by their names in transformers and in tokenizers.
_COLUMNS = {"token_type_ids": "type_ids", "attention_mask": "attention_mask"}
# Lengths from here on mean that there is no limit.
_NO_LIMIT = 10**20
# Arguments of `apply_chat_template` that are about tokens, or for transformers only.
_ABOUT_TOKENS = {
    *("padding", "truncation", "max_length", "return_tensors", "return_dict", "return_assistant_tokens_mask"),
    *("tokenizer_kwargs", "sanitize_control_tokens"),
}
# Spaces that a clean-up takes away, in this order.
_CLEANED = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")


class FastTokenizer:
    """A transformers tokenizer from a record.

    Its attributes and methods are transformers', with the same results; `__call__` returns a plain dictionary. Other
    attributes, options and kinds of arguments are left to transformers' tokenizer, which is loaded then. So are
    changes: setting an attribute sets it there. Once it is loaded it answers everything, so what a user changes in it
    has the effect that it has without this class; requests that have begun keep the vocabulary that they began with.

    Copies share the vocabulary, which is never changed, and several threads may use it at once.

    Args:
        record: of `record`.
        make: loads transformers' tokenizer; it must be picklable if this is pickled.
        lazy_backend: of the record, if there is one already.

    Attributes:
        class_name: of transformers' tokenizer.
        lazy_backend: the tokenizer of tokenizers in the record.
    """

    class_name: str
    lazy_backend: LazyBackend
    _length: int
    _make: Callable[[], Any]
    _full: Any
    _known: dict[str, Any]

    def __init__(
        self, record: Mapping[str, Any], make: Callable[[], Any], lazy_backend: LazyBackend | None = None
    ) -> None:
        known = {name: _unpacked(value) for name, value in record["attributes"].items()}
        if lazy_backend is None:
            splits = bool(known.get("split_special_tokens"))
            lazy_backend = LazyBackend(
                record["backend"], exact_scores=record["exact_scores"], splits_special_tokens=splits
            )
        # Not by assignments, which go to transformers' tokenizer.
        self.__dict__.update(class_name=record["class"], lazy_backend=lazy_backend, _length=record["length"])
        self.__dict__.update(_make=make, _full=None, _known=known)

    @property
    def is_loaded(self) -> bool:
        """True if transformers' tokenizer answers."""
        return self._full is not None

    @property
    def full(self) -> Any:
        """transformers' tokenizer, which is loaded at the first access and used from then on."""
        if self._full is None:
            with _loading:
                if self._full is None:
                    self.__dict__["_full"] = self._make()
        return self._full

    def prefetch(self) -> None:
        """Read the vocabulary in a thread: it takes 65 ms for 49k tokens and 290 ms for 150k, without the GIL."""
        # Not a daemon: one that ends with the interpreter would end inside the library.
        threading.Thread(target=self.lazy_backend.prefetch, name="torchpaged-vocabulary").start()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_known" not in self.__dict__:  # protocols that are asked for, and unpickling
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        if self._full is None and name in self._known:
            return self._known[name]
        return getattr(self.full, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.full, name, value)

    def __repr__(self) -> str:
        return f"FastTokenizer({self.class_name}, {self.name_or_path!r}, {len(self)} tokens)"

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return self._length if self._full is None else len(self._full)

    @property
    def backend_tokenizer(self) -> Tokenizer:
        """The tokenizer of tokenizers. Copies share it: change copies of it only."""
        return self.lazy_backend.get() if self._full is None else self._full.backend_tokenizer

    @property
    def added_tokens_decoder(self) -> dict[int, Any]:
        """Tokens that are matched in a text before it is split, by id."""
        return dict(self.backend_tokenizer.get_added_tokens_decoder())

    def get_vocab(self) -> dict[str, int]:
        """Return the ids of all tokens."""
        return dict(self.backend_tokenizer.get_vocab(with_added_tokens=True))

    def __call__(self, text: Any = None, *args: Any, **options: Any) -> Any:
        """Tokenize a text; returns a dictionary with "input_ids" and the columns that the model reads."""
        found = self._encoded(text, options) if not args else None
        return self.full(text, *args, **options) if found is None else found

    def encode(self, text: Any, *args: Any, **options: Any) -> Any:
        """Return a text's tokens."""
        found = self._encoded(text, options) if not args else None
        return self.full.encode(text, *args, **options) if found is None else found["input_ids"]

    def _encoded(self, text: Any, options: Mapping[str, Any]) -> dict[str, list[int]] | None:
        """Tokenize a text; None: transformers has to."""
        if self._full is not None or type(text) is not str:
            return None
        left = {**options}
        special, verbose = left.pop("add_special_tokens", True), left.pop("verbose", True)
        truncation, longest = left.pop("truncation", None), left.pop("max_length", None)
        split = self.split_special_tokens
        columns = {name: left.pop(f"return_{name}", None) for name in _COLUMNS}
        flags = (special, verbose, left.pop("split_special_tokens", split), *columns.values())
        if any(type(each) is not bool and each is not None for each in flags) or special is None or flags[2] != split:
            return None
        if any(name not in _DEFAULTS or not _same(value, _DEFAULTS[name]) for name, value in left.items()):
            return None
        backend = self.lazy_backend.get()
        kept = self._kept(backend, truncation, longest, special)
        if kept is None:
            return None
        (encoding,) = backend.encode_batch([text], add_special_tokens=special and kept < 0)
        if kept >= 0:
            # Truncated between tokenizing and adding special tokens, as the library does, without setting it there.
            encoding.truncate(kept, direction=self._known["truncation_side"])
            encoding = backend.post_process(encoding, None, special)
        wanted = {
            name: name in self._known["model_input_names"] if wanted is None else wanted
            for name, wanted in columns.items()
        }
        return {"input_ids": encoding.ids} | {
            name: getattr(encoding, _COLUMNS[name]) for name in _COLUMNS if wanted[name]
        }

    def _kept(self, backend: Tokenizer, truncation: Any, longest: Any, special: bool) -> int | None:
        """Return how many tokens of a text are kept, special tokens not counted; -1 for all, None: ask transformers."""
        if truncation is None and longest is not None:
            truncation = True
        if truncation is None or truncation is False or _same(truncation, "do_not_truncate"):
            return -1
        if not _same(truncation, True) and not _same(truncation, "longest_first"):
            return None
        if longest is None:
            longest = self._known["model_max_length"]
            if longest > _NO_LIMIT:
                return -1
        added = backend.num_special_tokens_to_add(False) if special else 0
        return longest - added if type(longest) is int and longest > added else None

    def decode(self, token_ids: Any, skip_special_tokens: bool = False, **options: Any) -> Any:
        """Return the text of tokens."""
        given = token_ids.tolist() if self._full is None and hasattr(token_ids, "tolist") else token_ids
        ids = [given] if type(given) is int else list(given) if type(given) is tuple else given
        known = options.keys() <= {"clean_up_tokenization_spaces", "spaces_between_special_tokens"}
        if self._full is not None or not known or type(ids) is not list or any(type(each) is not int for each in ids):
            return self.full.decode(token_ids, skip_special_tokens=skip_special_tokens, **options)
        backend = self.lazy_backend.get()
        text = backend.decode(ids, skip_special_tokens=skip_special_tokens)
        cleans = options.get("clean_up_tokenization_spaces")
        if cleans is None:
            cleans = self._known["clean_up_tokenization_spaces"]
        return _cleaned(text) if cleans and self._may_clean(backend) else text

    def _may_clean(self, backend: Tokenizer) -> bool:
        """Return True if spaces may be taken away: in a BPE's text they have a meaning."""
        # Versions of transformers without this attribute take them away.
        forced = self._known.get("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output", True)
        return bool(forced) or type(backend.model).__name__ != "BPE"

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """Return the token of an id, or the tokens of several."""
        if self._full is not None:
            return self._full.convert_ids_to_tokens(ids, skip_special_tokens)
        name = self.lazy_backend.get().id_to_token
        if isinstance(ids, int):
            return name(ids)
        skipped = set(self._known["all_special_ids"]) if skip_special_tokens else ()
        return [name(number) for number in map(int, ids) if number not in skipped]

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        """Return the id of a token, or the ids of several; that of the unknown token for others."""
        if self._full is not None:
            return self._full.convert_tokens_to_ids(tokens)
        return self._id(tokens) if isinstance(tokens, str) else [self._id(token) for token in tokens]

    def _id(self, token: str) -> int | None:
        number = self.lazy_backend.get().token_to_id(token)
        return self.unk_token_id if number is None else number

    def apply_chat_template(
        self,
        conversation: Any,
        tools: Any = None,
        documents: Any = None,
        chat_template: str | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        tokenize: bool = True,
        **options: Any,
    ) -> Any:
        """Return the prompt of a conversation; as a text with tokenize=False, which is done here."""
        template = _chosen(self._known.get("chat_template"), chat_template, tools)
        if self._full is None and tokenize is False and not _ABOUT_TOKENS & options.keys() and template is not None:
            try:
                return render(
                    template,
                    conversation,
                    tools=tools,
                    documents=documents,
                    add_generation_prompt=add_generation_prompt,
                    continue_final_message=continue_final_message,
                    variables={**self._known["special_tokens_map"], **options},
                )
            except UnsupportedError:
                pass
        return self.full.apply_chat_template(
            conversation,
            tools=tools,
            documents=documents,
            chat_template=chat_template,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
            tokenize=tokenize,
            **options,
        )


def record(tokenizer: Any) -> dict[str, Any] | None:
    """Record a loaded transformers tokenizer for `FastTokenizer`; None, with the reason in the log, if it cannot be.

    The record has JSON's types; its "backend" is a long text, the vocabulary. Other threads may use the tokenizer.
    """
    try:
        return recorded(tokenizer, FastTokenizer)
    except UnsuitedError as error:
        reason = str(error)
    except Exception as error:  # a checkpoint's own class may raise anything
        reason = f"it fails: {reason_of(error)}"
    logger.info("a prepared start loads the tokenizer by transformers: %s", reason)
    return None


def transformers_tokenizer(tokenizer: Any) -> Any:
    """Return transformers' object of a `FastTokenizer`, for users; any other tokenizer, and None, as it is."""
    return tokenizer.full if isinstance(tokenizer, FastTokenizer) else tokenizer


# Held while transformers' tokenizer is loaded. One for all, so that tokenizers can be copied and pickled.
_loading = threading.RLock()


def _same(value: Any, other: Any) -> bool:
    """Return True for equal values of one type: False is not 0 here."""
    return type(value) is type(other) and bool(value == other)


def _cleaned(text: str) -> str:
    for spaced in _CLEANED:
        text = text.replace(spaced, spaced.strip())
    return text


def _chosen(own: Any, given: Any, tools: Any) -> str | None:
    """Return the template to render: the tokenizer's own may be several by name. None: transformers has to say."""
    if type(own) is dict:
        if given is None:
            given = "tool_use" if tools is not None and "tool_use" in own else "default"
            if given not in own:
                return None
        given = own.get(given, given) if isinstance(given, str) else given
    elif given is None:
        given = own
    return given if type(given) is str else None


def _unpacked(value: Any) -> Any:
    if type(value) is not dict:
        return value
    ((kind, parts),) = value.items()
    if kind == "token":
        from tokenizers import AddedToken

        return AddedToken(**parts)
    if kind == "dict":
        return {_unpacked(name): _unpacked(each) for name, each in parts}
    several = [_unpacked(each) for each in parts]
    return tuple(several) if kind == "tuple" else several
