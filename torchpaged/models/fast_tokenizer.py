"""FastTokenizer: a transformers tokenizer from a record, made and used without importing transformers.

It answers what an engine and a server ask for (one text to tokens, tokens to text, chat templates, special tokens)
with transformers' results. For anything else it loads transformers' tokenizer, which answers everything from then on.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import json
import logging
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from torchpaged.errors import reason_of
from torchpaged.models.chat_template import UnsupportedError, render

if TYPE_CHECKING:
    from tokenizers import Tokenizer

logger = logging.getLogger(__name__)

# Attributes that a record holds beside the special tokens, if the tokenizer has them.
_RECORDED = (
    *("name_or_path", "model_max_length", "padding_side", "truncation_side", "model_input_names", "is_fast"),
    *("clean_up_tokenization_spaces", "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"),
    *("split_special_tokens", "chat_template", "response_template", "chat_control_tokens", "init_kwargs", "vocab_size"),
    *(
        "special_tokens_map",
        "all_special_tokens",
        "all_special_ids",
        "extra_special_tokens",
        "extra_special_tokens_ids",
    ),
    *("pad_token_type_id", "SPECIAL_TOKENS_ATTRIBUTES"),
)
# Methods that a class may have of its own: they load, save or are asked of transformers' object alone.
_HARMLESS = {
    *("__init__", "__dict__", "__weakref__", "__init_subclass__", "_post_init", "update_post_processor"),
    *("save_vocabulary", "save_pretrained", "_save_pretrained", "convert_to_native_format", "from_pretrained"),
    *("get_special_tokens_mask", "num_special_tokens_to_add", "tokenize", "pad", "_pad", "add_tokens", "_add_tokens"),
    *("train_new_from_iterator", "can_save_slow_tokenizer", "build_inputs_with_special_tokens"),
}
# transformers calls these before and after each text, and they change the tokenizer.
_MODES = ("_switch_to_input_mode", "_switch_to_target_mode")
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
# Texts and a conversation that a record is checked with, and how many added tokens and tokens of the vocabulary.
_PROBES = (
    "",
    " Hello,  world ! It 's 3.14 ; don't\n\n\tdef f(x):\n    return x\r\n",
    "naïve Ünïcode — 你好世界 🙂👩‍👩‍👧 مرحبا \u0000\x7f\u00a0\u2028 \ufb01 \uff46\u200d",
)
_CONVERSATION = (
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello, <é>?"},
    {"role": "assistant", "content": "Hi. ", "reasoning_content": "A greeting."},
    {"role": "user", "content": "More"},
)
_TOOL = {
    "type": "function",
    "function": {"name": "f", "description": "<é>", "parameters": {"type": "object", "properties": {}}},
}
_MOST_ADDED, _MOST_DECODED = 100, 1000


class _UnsuitedError(Exception):
    """A tokenizer that a record cannot reproduce; the reason is its text."""


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

    Attributes:
        class_name: of transformers' tokenizer.
    """

    _record: Mapping[str, Any]
    _vocabulary: _Vocabulary
    _make: Callable[[], Any]
    _full: Any
    _known: dict[str, Any]
    class_name: str

    def __init__(self, record: Mapping[str, Any], make: Callable[[], Any]) -> None:
        known = {name: _unpacked(value) for name, value in record["attributes"].items()}
        vocabulary = _Vocabulary(record["backend"], bool(known.get("split_special_tokens")))
        rest = {name: value for name, value in record.items() if name not in ("attributes", "backend")}
        # Not by assignments, which go to transformers' tokenizer.
        self.__dict__.update(_record=rest, _vocabulary=vocabulary, _make=make, _full=None, _known=known)
        self.__dict__["class_name"] = record["class"]

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
        threading.Thread(target=self._vocabulary.prefetch, name="torchpaged-vocabulary").start()

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
        return int(self._record["length"]) if self._full is None else len(self._full)

    @property
    def backend_tokenizer(self) -> Tokenizer:
        """The tokenizer of tokenizers. Copies share it: change copies of it only."""
        return self._vocabulary.get() if self._full is None else self._full.backend_tokenizer

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
        vocabulary = self._vocabulary.get()
        kept = self._kept(vocabulary, truncation, longest, special)
        if kept is None:
            return None
        (encoding,) = vocabulary.encode_batch([text], add_special_tokens=special and kept < 0)
        if kept >= 0:
            # Truncated between tokenizing and adding special tokens, as the library does, without setting it there.
            encoding.truncate(kept, direction=self._known["truncation_side"])
            encoding = vocabulary.post_process(encoding, None, special)
        wanted = {
            name: name in self._known["model_input_names"] if wanted is None else wanted
            for name, wanted in columns.items()
        }
        return {"input_ids": encoding.ids} | {
            name: getattr(encoding, _COLUMNS[name]) for name in _COLUMNS if wanted[name]
        }

    def _kept(self, vocabulary: Tokenizer, truncation: Any, longest: Any, special: bool) -> int | None:
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
        added = vocabulary.num_special_tokens_to_add(False) if special else 0
        return longest - added if type(longest) is int and longest > added else None

    def decode(self, token_ids: Any, skip_special_tokens: bool = False, **options: Any) -> Any:
        """Return the text of tokens."""
        given = token_ids.tolist() if self._full is None and hasattr(token_ids, "tolist") else token_ids
        ids = [given] if type(given) is int else given
        known = options.keys() <= {"clean_up_tokenization_spaces", "spaces_between_special_tokens"}
        if self._full is not None or not known or type(ids) is not list or any(type(each) is not int for each in ids):
            return self.full.decode(token_ids, skip_special_tokens=skip_special_tokens, **options)
        vocabulary = self._vocabulary.get()
        text = vocabulary.decode(ids, skip_special_tokens=skip_special_tokens)
        cleans = options.get("clean_up_tokenization_spaces")
        if cleans is None:
            cleans = self._known["clean_up_tokenization_spaces"]
        return _cleaned(text) if cleans and self._may_clean(vocabulary) else text

    def _may_clean(self, vocabulary: Tokenizer) -> bool:
        """Return True if spaces may be taken away: in a BPE's text they have a meaning."""
        # Versions of transformers without this attribute take them away.
        forced = self._known.get("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output", True)
        return bool(forced) or type(vocabulary.model).__name__ != "BPE"

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        """Return the token of an id, or the tokens of several."""
        if self._full is not None:
            return self._full.convert_ids_to_tokens(ids, skip_special_tokens)
        name = self._vocabulary.get().id_to_token
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
        number = self._vocabulary.get().token_to_id(token)
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
    """Record a loaded transformers tokenizer for `FastTokenizer`; None (with a line in the log) if that is impossible.

    The record has JSON's types. Its "backend" is a long text: the vocabulary. A tokenizer cannot be recorded if its
    class has its own way of encoding, decoding or rendering, if its parts cannot be written as JSON, or if what the
    record gives differs from it on a few texts and a conversation. The tokenizer is not changed, so other threads may
    use it.
    """
    try:
        return _recorded(tokenizer)
    except _UnsuitedError as error:
        logger.info("a prepared start loads the tokenizer by transformers: %s", error)
        return None


def transformers_tokenizer(tokenizer: Any) -> Any:
    """Return transformers' object of a `FastTokenizer`, for users; any other tokenizer, and None, as it is."""
    return tokenizer.full if isinstance(tokenizer, FastTokenizer) else tokenizer


class _Vocabulary:
    """A tokenizer of tokenizers, read from its JSON at the first need."""

    def __init__(self, text: str, split_special_tokens: bool) -> None:
        self._text, self._split = text, split_special_tokens
        self._lock = threading.Lock()
        self._made: Tokenizer | None = None

    def get(self) -> Tokenizer:
        """Return the tokenizer, which neither pads nor truncates."""
        if self._made is None:
            with self._lock:
                if self._made is None:
                    from tokenizers import Tokenizer

                    self.take(Tokenizer.from_str(self._text))
        assert self._made is not None
        return self._made

    def prefetch(self) -> None:
        """Read the tokenizer; an error is left to the first use."""
        with contextlib.suppress(Exception):
            self.get()

    def take(self, made: Tokenizer) -> None:
        """Use a tokenizer that was read from the text, with settings that stay."""
        made.no_padding()
        made.no_truncation()
        made.encode_special_tokens = self._split
        self._made = made

    def __reduce__(self) -> Any:
        return _Vocabulary, (self._text, self._split)

    def __deepcopy__(self, memo: Any) -> _Vocabulary:
        return self


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
    if isinstance(own, Mapping):
        if given is None:
            given = "tool_use" if tools is not None and "tool_use" in own else "default"
            if given not in own:
                return None
        given = own.get(given, given) if isinstance(given, str) else given
    elif given is None:
        given = own
    return given if type(given) is str else None


def _recorded(tokenizer: Any) -> dict[str, Any]:
    """Make a record. Raises _UnsuitedError."""
    from transformers import PreTrainedTokenizerFast

    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise _UnsuitedError(f"{type(tokenizer).__name__} is not a fast tokenizer of transformers")
    if names := _own_ways(tokenizer, PreTrainedTokenizerFast):
        raise _UnsuitedError(f"{type(tokenizer).__name__} has its own {', '.join(names)}")
    attributes = {}
    special = [f"{name}{end}" for name in tokenizer.SPECIAL_TOKENS_ATTRIBUTES for end in ("", "_id")]
    for name in (*_RECORDED, *special):
        try:
            attributes[name] = _packed(getattr(tokenizer, name))
        except Exception:  # not in this version, not JSON, or an error: transformers' tokenizer is asked for it
            continue
    text, read = _written(tokenizer.backend_tokenizer)
    made = {"class": type(tokenizer).__name__, "length": len(tokenizer), "attributes": attributes, "backend": text}
    _check(tokenizer, made, read)
    return made


def _own_ways(tokenizer: Any, base: type) -> list[str]:
    """Return the names of methods and properties that a tokenizer has instead of the base's."""
    kind = type(tokenizer)
    inherited = set(dir(base)) - _HARMLESS
    own = {
        name
        for each in kind.__mro__[: kind.__mro__.index(base)]
        for name, value in vars(each).items()
        if name in inherited and hasattr(value, "__get__")
    }
    own |= {name for name in vars(tokenizer) if hasattr(inspect.getattr_static(kind, name, None), "__get__")}
    own |= {name for name in _MODES if hasattr(kind, name)}
    # CLIP's has a method of its own in the backend.
    own |= {f"backend_tokenizer.{name}" for name in getattr(tokenizer.backend_tokenizer, "__dict__", {})}
    return sorted(own)


def _written(backend: Tokenizer) -> tuple[str, Tokenizer]:
    """Return a tokenizer as JSON, and what is read from it: exactly that tokenizer. Raises _UnsuitedError."""
    kind = type(backend)
    try:
        text = backend.to_str()
        spelled = _exact_scores(text, kind) if type(backend.model).__name__ == "Unigram" else text
        read = kind.from_str(spelled)
        is_same = read.to_str() == text
    except Exception as error:  # the library's own, for parts that are Python's
        raise _UnsuitedError(f"its vocabulary cannot be written: {reason_of(error)}") from error
    if not is_same:
        raise _UnsuitedError("its vocabulary is another one when it is written and read")
    return spelled, read


def _exact_scores(text: str, kind: type[Tokenizer]) -> str:
    """Return a Unigram's JSON with scores that are read exactly.

    The library reads 1 score in 8 as a neighbour of the number that it wrote. So neighbours are written for those,
    one after the other until the number itself is read.
    """
    parts = json.loads(text)
    written = parts["model"]["vocab"]
    wanted = [score for _, score in written]
    for towards in (-math.inf, math.inf):
        read = json.loads(kind.from_str(json.dumps(parts)).to_str())["model"]["vocab"]
        for number, (_, score) in enumerate(read):
            if score != wanted[number]:
                written[number][1] = math.nextafter(wanted[number], towards)
    return json.dumps(parts)


def _packed(value: Any) -> Any:
    """Return a value in JSON's types. Raises TypeError for others than those, tuples and added tokens."""
    from tokenizers import AddedToken

    if value is None or type(value) in (str, int, float, bool):
        return value
    if type(value) is dict:
        return {"dict": [[_packed(name), _packed(each)] for name, each in value.items()]}
    if type(value) in (list, tuple):
        return {type(value).__name__: [_packed(each) for each in value]}
    if type(value) is AddedToken:
        return {"token": value.__getstate__()}
    raise TypeError(f"{type(value).__name__} is not JSON")


def _unpacked(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    ((kind, parts),) = value.items()
    if kind == "token":
        from tokenizers import AddedToken

        return AddedToken(**parts)
    if kind == "dict":
        return {_unpacked(name): _unpacked(each) for name, each in parts}
    several = [_unpacked(each) for each in parts]
    return tuple(several) if kind == "tuple" else several


def _check(tokenizer: Any, made: Mapping[str, Any], read: Tokenizer) -> None:
    """Raise _UnsuitedError if a record gives other results than its tokenizer; `read` is its vocabulary."""
    fast = FastTokenizer({**made, "attributes": json.loads(json.dumps(made["attributes"]))}, lambda: tokenizer)
    fast._vocabulary.take(read)
    for what, ask in _questions(tokenizer, made):
        # A template may write the time, so one more answer is taken of each.
        if all(_answer(ask, fast) != _answer(ask, tokenizer) for _ in range(2)):
            raise _UnsuitedError(f"its {what} differs in the record")
        if fast._full is not None and what != "chat template":
            raise _UnsuitedError(f"its {what} is not in the record")


def _answer(ask: Callable[[Any], Any], tokenizer: Any) -> Any:
    try:
        return ask(tokenizer)
    except Exception as error:  # a template may raise anything
        return type(error), str(error)


def _questions(tokenizer: Any, made: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yield what a record is checked by: (subject, question); chat templates are last, because they may need `full`."""
    for name in made["attributes"]:
        yield name, lambda each, name=name: _packed(getattr(each, name))
    yield "length", len
    yield "vocabulary", lambda each: each.get_vocab()
    yield (
        "list of added tokens",
        lambda each: {id: token.__getstate__() for id, token in each.added_tokens_decoder.items()},
    )
    added = [token.content for token in tokenizer.added_tokens_decoder.values()]
    texts = [*_PROBES, "".join(f"a {each}b {each} " for each in added[:_MOST_ADDED])]
    several = range(0, len(tokenizer), max(1, len(tokenizer) // _MOST_DECODED))
    # Asked for a BPE's, transformers warns and does nothing.
    cleaning = (None,) if type(tokenizer.backend_tokenizer.model).__name__ == "BPE" else (None, True)
    for text, special in itertools.product(texts, (True, False)):
        options = {"add_special_tokens": special, "verbose": False}
        yield "tokens", lambda each, text=text, options=options: dict(each(text, **options))
        ids = tokenizer.encode(text, **options)
        for numbers, cleans in itertools.product((ids, list(several)), cleaning):
            options = {"skip_special_tokens": special, "clean_up_tokenization_spaces": cleans}
            yield "text", lambda each, numbers=numbers, options=options: each.decode(numbers, **options)
    yield "tokens by id", lambda each: each.convert_ids_to_tokens(several, skip_special_tokens=True)
    yield "ids by token", lambda each: each.convert_tokens_to_ids(["no such token", *added])
    templates = tokenizer.chat_template
    for template in templates if isinstance(templates, dict) else [None] * (templates is not None):
        for chat, tools in ((_CONVERSATION, None), (_CONVERSATION[1:2], None), (_CONVERSATION[1:], [_TOOL])):
            options = {"chat_template": template, "tools": tools, "add_generation_prompt": True, "tokenize": False}
            yield (
                "chat template",
                lambda each, chat=chat, options=options: each.apply_chat_template(list(chat), **options),
            )
