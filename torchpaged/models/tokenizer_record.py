"""Records a loaded transformers tokenizer for `FastTokenizer`, and checks that the record gives the same results.

A tokenizer is suited if its class encodes, decodes and renders as transformers' base class does, which is seen from its
methods, and if its vocabulary is the same one when it is written as JSON and read.
"""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from torchpaged.errors import reason_of
from torchpaged.models.lazy_backend import LazyBackend

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Attributes that a record holds beside the special tokens, if the tokenizer has them.
_RECORDED = (
    *("name_or_path", "model_max_length", "padding_side", "truncation_side", "model_input_names", "is_fast"),
    *("clean_up_tokenization_spaces", "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"),
    *("split_special_tokens", "chat_template", "response_template", "chat_control_tokens", "init_kwargs"),
    *("special_tokens_map", "all_special_tokens", "all_special_ids", "extra_special_tokens"),
    *("extra_special_tokens_ids", "pad_token_type_id", "SPECIAL_TOKENS_ATTRIBUTES", "vocab_size"),
)
# Methods that a class may have of its own: they load or save, or only transformers' object is asked for them.
_HARMLESS = {
    *("__init__", "__dict__", "__weakref__", "__init_subclass__", "_post_init", "update_post_processor"),
    *("save_vocabulary", "save_pretrained", "_save_pretrained", "convert_to_native_format", "from_pretrained"),
    *("get_special_tokens_mask", "num_special_tokens_to_add", "tokenize", "pad", "_pad", "add_tokens", "_add_tokens"),
    *("train_new_from_iterator", "can_save_slow_tokenizer", "build_inputs_with_special_tokens"),
}
# transformers calls these around each text, and they change the tokenizer.
_MODES = ("_switch_to_input_mode", "_switch_to_target_mode")
# Texts and a conversation that a record is checked with, and most added and other tokens.
_TEXTS = (
    "",
    " Hello,  world ! It 's 3.14 ; don't\n\n\tdef f(x):\n    return x\r\n",
    "naïve Ünïcode — 你好世界 🙂 مرحبا \u0000\x7f\u00a0\u2028 \ufb01 \uff46\u200d",
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
_MOST_ADDED, _MOST_TOKENS = 100, 1000

_Question = Callable[[Any], Any]
_Double = Callable[[Mapping[str, Any], Callable[[], Any], LazyBackend], Any]


class UnsuitedError(Exception):
    """A tokenizer that a record cannot reproduce; the text is the reason."""


def recorded(tokenizer: Any, double: _Double) -> dict[str, Any]:
    """Return the record of a tokenizer, as of `fast_tokenizer.record`.

    Args:
        double: makes a tokenizer of a record, which is compared with the other.

    Raises:
        UnsuitedError: it cannot be recorded.
    """
    from transformers import PreTrainedTokenizerFast

    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise UnsuitedError(f"{type(tokenizer).__name__} is not a fast tokenizer of transformers")
    if names := _own_ways(tokenizer, PreTrainedTokenizerFast):
        raise UnsuitedError(f"{type(tokenizer).__name__} has its own {', '.join(names)}")
    attributes = {}
    special = [f"{name}{end}" for name in tokenizer.SPECIAL_TOKENS_ATTRIBUTES for end in ("", "_id")]
    for name in (*_RECORDED, *special):
        try:
            attributes[name] = _packed(getattr(tokenizer, name))
        except Exception:  # not in this version, not JSON, or an error: transformers' tokenizer is asked for it
            continue
    backend = _written(tokenizer.backend_tokenizer, bool(tokenizer.split_special_tokens))
    made = {
        "class": type(tokenizer).__name__,
        "length": len(tokenizer),
        "attributes": attributes,
        "exact_scores": backend.exact_scores,
        "backend": backend.text,
    }
    again = {**made, "attributes": json.loads(json.dumps(attributes))}
    _check(tokenizer, double(again, lambda: tokenizer, backend), attributes)
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


def _written(backend: Tokenizer, splits: bool) -> LazyBackend:
    """Return a tokenizer as it is read from its JSON, if it is the same then. Raises UnsuitedError."""
    try:
        text = backend.to_str()
        if backend.truncation or backend.padding:  # which transformers sets at each call
            text = json.dumps({**json.loads(text), "truncation": None, "padding": None})
        for exact in (False, True) if type(backend.model).__name__ == "Unigram" else (False,):
            lazy = LazyBackend(text, exact_scores=exact, splits_special_tokens=splits)
            read = lazy.get().to_str()
            if read == text or json.loads(read) == json.loads(text):
                return lazy
    except Exception as error:  # the library's own, for parts that are Python's
        raise UnsuitedError(f"its vocabulary cannot be written: {reason_of(error)}") from error
    raise UnsuitedError("its vocabulary is another one when it is written and read")


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


def _check(tokenizer: Any, fast: Any, attributes: Iterable[str]) -> None:
    """Raise UnsuitedError if a record's tokenizer gives other results than its original."""
    for subject, ask in itertools.chain(_questions(tokenizer, attributes), _renderings(tokenizer)):
        # A template may write the time, so one more answer is taken of each.
        if all(_answer(ask, fast) != _answer(ask, tokenizer) for _ in range(2)):
            raise UnsuitedError(f"its {subject} differs in the record")
        if fast.is_loaded and subject != "chat template":
            raise UnsuitedError(f"its {subject} is not in the record")


def _answer(ask: _Question, tokenizer: Any) -> Any:
    try:
        return ask(tokenizer)
    except Exception as error:  # a template may raise anything
        return type(error), str(error)


def _questions(tokenizer: Any, attributes: Iterable[str]) -> Iterator[tuple[str, _Question]]:
    """Yield what a record is asked: (subject, question)."""
    for name in attributes:
        yield name, partial(_attribute, name)
    yield "length", len
    yield "vocabulary", lambda each: each.get_vocab()
    yield "list of added tokens", lambda each: {id: _packed(token) for id, token in each.added_tokens_decoder.items()}
    added = [token.content for token in tokenizer.added_tokens_decoder.values()][:_MOST_ADDED]
    several = list(range(0, len(tokenizer), max(1, len(tokenizer) // _MOST_TOKENS)))
    # Asked to clean the text of a BPE, transformers warns and does nothing.
    cleaning = (False,) if type(tokenizer.backend_tokenizer.model).__name__ == "BPE" else (None, True)
    for text, special in itertools.product((*_TEXTS, "".join(f"a {each}b {each} " for each in added)), (True, False)):
        yield "tokens", partial(_tokens, text, special)
        found = _answer(partial(_tokens, text, special), tokenizer)
        ids = found["input_ids"] if isinstance(found, dict) else []  # it may fail on a text
        for numbers, cleans in itertools.product((ids, several), cleaning):
            yield "text", partial(_text, numbers, special, cleans)
    yield "tokens by id", lambda each: each.convert_ids_to_tokens(several, skip_special_tokens=True)
    yield "ids by token", lambda each: each.convert_tokens_to_ids(["no such token", *added])


def _renderings(tokenizer: Any) -> Iterator[tuple[str, _Question]]:
    """Yield conversations to render: (subject, question)."""
    own = tokenizer.chat_template
    for name in own if isinstance(own, dict) else [None] * (own is not None):
        yield "chat template", partial(_prompt, name, _CONVERSATION, None)
        yield "chat template", partial(_prompt, name, _CONVERSATION[1:2], None)
        yield "chat template", partial(_prompt, name, _CONVERSATION[1:], [_TOOL])


def _attribute(name: str, tokenizer: Any) -> Any:
    return _packed(getattr(tokenizer, name))


def _tokens(text: str, special: bool, tokenizer: Any) -> dict[str, list[int]]:
    return dict(tokenizer(text, add_special_tokens=special, verbose=False))


def _text(ids: list[int], skips: bool, cleans: bool | None, tokenizer: Any) -> Any:
    return tokenizer.decode(ids, skip_special_tokens=skips, clean_up_tokenization_spaces=cleans)


def _prompt(template: str | None, chat: tuple[Any, ...], tools: Any, tokenizer: Any) -> Any:
    return tokenizer.apply_chat_template(
        list(chat), tools, chat_template=template, add_generation_prompt=True, tokenize=False
    )
