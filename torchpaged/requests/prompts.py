"""Prompts: texts, token ids in any container, and vLLM's dictionaries; accepted in the same forms everywhere."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from torchpaged.errors import RequestError, did_you_mean
from torchpaged.media.items import PromptMedia
from torchpaged.requests import media
from torchpaged.requests.media import MediaReader
from torchpaged.requests.text_length import LONG, BytesPerToken, keeps_all
from torchpaged.sampling_params import SamplingParams
from torchpaged.scheduling import EncoderInput
from torchpaged.utils.daemon_thread import interruptibly

_Sliced = TypeVar("_Sliced", bound=Any)  # a list of tokens, or a tensor

# One prompt; arrays and tensors of one dimension, of any library, count as sequences.
Prompt = str | Sequence[int] | Mapping[str, Any]

_TEXT, _TOKENS, _ENCODED, _SALT = "prompt", "prompt_token_ids", "input_ids", "cache_salt"
# Keys of vLLM's prompts that are not supported.
_NOT_SUPPORTED = {
    **dict.fromkeys(media.KEYS, "the model reads texts and tokens only"),
    "prompt_embeds": "embeddings are taken by generate, beam_search, score_continuations and embed alone",
    "prompt_is_token_ids": "embeddings stand for the whole prompt; give all of them, or the tokens",
}
# Keys of a tokenizer's output that are ignored.
_IGNORED = {"attention_mask", "token_type_ids", "special_tokens_mask", "offset_mapping", "length"}


class Encoder(Protocol):
    """The part of a model's encoder that reading prompts needs."""

    @property
    def decoder_prompt(self) -> Sequence[int]:
        """Tokens that a completion begins with by default."""
        ...

    def num_tokens(self, data: Any) -> int:
        """Return the number of states of an input. Raises ValueError for an input that it cannot read."""
        ...


class Tokenize(Protocol):
    """(label, text or tokens) -> (text, tokens); the options are the tokenizer's."""

    def __call__(self, label: str, prompt: Any, **options: Any) -> tuple[str | None, list[int]]: ...


class ReadPrompt(NamedTuple):
    """A prompt as text (None if it had none) and tokens, with the encoder's input, salt, embeddings, token types, and
    images and sounds if it has any.
    """

    text: str | None
    token_ids: list[int]
    encoder: EncoderInput | None = None
    cache_salt: str | None = None
    prompt_embeds: Any = None
    token_types: list[int] | None = None
    media: PromptMedia | None = None


def batch_of(prompts: Any) -> list[Any]:
    """Return the prompts of an argument that may be one prompt or several.

    One is a text, a dictionary, or token ids in a sequence, an array or a tensor of one dimension. Several are any
    iterable of those, an array of two dimensions, or a tokenizer's output for several texts.

    Raises:
        RequestError: it is neither.
    """
    if isinstance(prompts, (str, bytes, bytearray)):  # bytes are refused when the prompt is read
        return [prompts]
    if isinstance(prompts, Mapping):
        return _rows_of(prompts) if _is_encoding(prompts) else [prompts]
    if not isinstance(prompts, Iterable) or _dimensions(prompts) == 0:
        raise RequestError(f"the prompts are {prompts!r:.80}, expected a text, token ids, a dictionary, or several")
    several = prompts.tolist() if hasattr(prompts, "tolist") else list(prompts)
    return [several] if several and _is_number(several[0]) else several


def _is_encoding(prompt: Mapping[str, Any]) -> bool:
    """Return True for a tokenizer's output: transformers' BatchEncoding, or a dictionary with its keys."""
    return _ENCODED in prompt and _TEXT not in prompt and _TOKENS not in prompt


def _rows_of(encoding: Mapping[str, Any]) -> list[Any]:
    """Return the prompts of a tokenizer's output, without its padding."""
    ids = _plain(encoding[_ENCODED])
    mask = _plain(encoding.get("attention_mask"))
    several = bool(ids) and not _is_number(ids[0])
    rows, masks = (ids, mask) if several else ([ids], None if mask is None else [mask])
    if masks is not None:
        rows = [
            [token for token, is_there in zip(row, kept, strict=True) if is_there]
            for row, kept in zip(rows, masks, strict=True)
        ]
    salt = {_SALT: encoding[_SALT]} if _SALT in encoding else {}
    prompts: list[dict[str, Any]] = [{_TOKENS: row, **salt} for row in rows]
    types = _plain(encoding.get(_TYPES))
    if types is not None:
        for prompt, own, kept in zip(prompts, types if several else [types], masks or [None] * len(rows), strict=True):
            prompt[_TYPES] = (
                own if kept is None else [each for each, is_there in zip(own, kept, strict=True) if is_there]
            )
    return prompts


def _plain(values: Any) -> Any:
    return values.tolist() if hasattr(values, "tolist") else values


def _dimensions(value: Any) -> int | None:
    """Return the number of dimensions of an array or tensor; None for other values."""
    return getattr(value, "ndim", None)


def _is_number(value: Any) -> bool:
    """Return True for one token rather than a prompt; a tensor of one element is a prompt."""
    if _dimensions(value):
        return False
    try:
        operator.index(value)
    except (TypeError, ValueError):
        return isinstance(value, float)  # neither a token nor a prompt: the error should name the number
    return True


class PromptReader:
    """Tokenizes and checks prompts.

    Args:
        tokenizer: of transformers; None: prompts are tokens.
        vocab_size: tokens are 0 to vocab_size - 1.
        encoder: the model's encoder; None: the model is a decoder.
        media: reads images and sounds; None: prompts have none.
    """

    def __init__(
        self,
        tokenizer: Any,
        vocab_size: int,
        encoder: Encoder | None = None,
        media: MediaReader | None = None,
    ) -> None:
        self._tokenizer, self._vocab_size, self._encoder, self._media = tokenizer, vocab_size, encoder, media
        self._per_token: tuple[int, BytesPerToken | None] | None = None  # (size of the vocabulary, its bound)

    def read(
        self,
        label: str,
        prompt: Any,
        options: Mapping[str, Any] | None = None,
        *,
        longest: int | None = None,
        most_characters: int | None = None,
    ) -> ReadPrompt:
        """Return a prompt's tokens.

        Args:
            label: name of the request in messages.
            options: options of the tokenizer, for texts.
            longest: `max_model_len`, if the prompt is not truncated: a text whose length alone says that it has more
                tokens is refused before it is tokenized.
            most_characters: of a text; None: as many as there are.

        Raises:
            RequestError: neither a text nor tokens of the vocabulary, or a text that the tokenizer fails on.
        """
        prompt, salt = _without_salt(label, prompt)
        if longest is not None and self._encoder is None:
            self._require_possible_length(label, prompt, options or {}, longest)
        text = _text_to_tokenize(prompt)
        if most_characters is not None and text is not None and len(text) > most_characters:
            raise RequestError(
                f"{label}: the prompt has {len(text)} characters, expected at most {most_characters}, whether it is "
                "truncated or not: all of it would be tokenized; shorten the prompt"
            )
        tokenize: Tokenize = functools.partial(self._tokens, **(options or {}))
        if self._media is not None and isinstance(prompt, Mapping) and any(key in prompt for key in media.KEYS):
            read = self._with_media(label, prompt, salt, options or {})
        elif self._encoder is None:
            text, token_ids, types = self._typed_tokens(label, prompt, **(options or {}))
            read = ReadPrompt(text, token_ids, cache_salt=salt, token_types=types)
        else:
            text, token_ids, encoder_input = split_prompt(label, prompt, self._encoder, tokenize)
            read = ReadPrompt(text, token_ids, encoder_input, salt)
        self.require_known(label, "token id", read.token_ids)
        if self._media is not None and read.media is None:
            self._media.require_no_placeholders(label, read.token_ids)
        return read

    def _require_possible_length(self, label: str, prompt: Any, options: Mapping[str, Any], longest: int) -> None:
        """Raise RequestError for a text that has more tokens than `longest`, by its length alone."""
        prompt = _text_to_tokenize(prompt)
        if prompt is None or len(prompt) < max(LONG, longest) or not keeps_all(options):
            return
        size = len(self._tokenizer) if hasattr(self._tokenizer, "__len__") else 0  # tokens may be added
        if self._per_token is None or self._per_token[0] != size:
            self._per_token = size, BytesPerToken.of(self._tokenizer)
        if (bound := self._per_token[1]) is not None and (least := bound.least_tokens(prompt)) > longest:
            raise RequestError(
                f"{label}: the prompt has at least {least} tokens ({len(prompt)} characters; no token has more "
                f"than {bound.most} bytes), max_model_len is {longest}; shorten the prompt or raise max_model_len"
            )

    def _with_media(
        self, label: str, prompt: Mapping[str, Any], salt: str | None, options: Mapping[str, Any]
    ) -> ReadPrompt:
        """Read a prompt with images and sounds, which may be processed already."""
        assert self._media is not None
        rest = {key: value for key, value in prompt.items() if key not in media.KEYS}
        text, token_ids = _contents(label, rest)
        done = prompt.get(media.READ)
        if done is not None:
            if not isinstance(done, PromptMedia) or token_ids is None:
                raise RequestError(f"{label}: the prompt has media of {done!r:.80}, expected those of preprocess_chat")
            return ReadPrompt(text, token_ids, cache_salt=salt, media=done)
        if media.has_media(prompt):
            assert text is not None or token_ids is not None
            contents: Any = text if token_ids is None else token_ids
            if (found := self._media.read(label, prompt, contents, options)) is not None:
                return ReadPrompt(text, found[0], cache_salt=salt, media=found[1])
        text, token_ids, types = self._typed_tokens(label, rest, **options)
        return ReadPrompt(text, token_ids, cache_salt=salt, token_types=types)

    def require_known(self, label: str, what: str, token_ids: Iterable[int]) -> None:
        """Raise RequestError for a token that is not in the vocabulary."""
        for token in token_ids:
            if not 0 <= token < self._vocab_size:
                raise RequestError(f"{label}: {what} {token}, expected 0 to {self._vocab_size - 1}")

    def bad_words(self, label: str, words: Iterable[str]) -> tuple[tuple[int, ...], ...]:
        """Return runs of tokens that spell the given words.

        As in vLLM, a word is spelled as at the beginning of a text, and as after a space if that spelling has the same
        number of tokens and another first one.

        Raises:
            RequestError: a word for which the tokenizer has no tokens, or on which it fails.
        """
        found: list[tuple[int, ...]] = []
        for word in words:
            first, spaced = (
                tuple(self._tokens(label, space + word.lstrip(), add_special_tokens=False)[1]) for space in ("", " ")
            )
            if not first:
                raise RequestError(f"{label}: bad_words has {word!r}, which the tokenizer makes no tokens of")
            found.append(first)
            if len(spaced) == len(first) and spaced[0] != first[0]:
                found.append(spaced)
            for token_ids in found[-2:]:
                self.require_known(label, f"bad_words has {word!r} with token id", token_ids)
        return tuple(dict.fromkeys(found))

    def _tokens(self, label: str, prompt: Any, **options: Any) -> tuple[str | None, list[int]]:
        """Return (text, tokens); the options are the tokenizer's."""
        return self._typed_tokens(label, prompt, **options)[:2]

    def _typed_tokens(self, label: str, prompt: Any, **options: Any) -> tuple[str | None, list[int], list[int] | None]:
        """Return (text, tokens, types of the tokens, None if all are 0); the options are the tokenizer's."""
        text, token_ids = _contents(label, prompt)
        if token_ids is not None:
            return text, token_ids, _types_of(label, prompt)
        if self._tokenizer is None:
            raise RequestError(f"{label}: the prompt is a text and there is no tokenizer; pass tokens")
        try:
            tokenizer = self._tokenizer
            if text is not None and len(text) >= LONG:
                tokenizer = functools.partial(interruptibly, tokenizer)
            rows = _rows_of(tokenizer(text, **options))
        except Exception as error:  # a tokenizer may raise anything, and only this request is affected
            half = None if text is None else re.search("[\ud800-\udfff]", text)
            why = error if half is None else f"character {half.start()} is {half[0]!a}, half of a surrogate pair"
            raise RequestError(f"{label}: the tokenizer failed on the prompt: {why}") from error
        if len(rows) != 1:
            raise RequestError(
                f"{label}: the tokenizer made {len(rows)} rows of the prompt, expected one: leave out "
                "return_overflowing_tokens"
            )
        return text, _token_ids(label, rows[0][_TOKENS]), _types_of(label, rows[0])


def _types_of(label: str, prompt: Any) -> list[int] | None:
    """Return the token types of a tokenizer's output for one text, or of a prompt's dictionary; None if all are 0."""
    if isinstance(prompt, Mapping) and _is_encoding(prompt):
        (prompt,) = _rows_of(prompt)
    types = prompt.get(_TYPES) if isinstance(prompt, Mapping) else None
    found = None if types is None else _token_ids(label, types)
    return found if found and any(found) else None


def _without_salt(label: str, prompt: Any) -> tuple[Any, str | None]:
    """Return (the prompt, its `cache_salt`)."""
    if not isinstance(prompt, Mapping) or _SALT not in prompt:
        return prompt, None
    salt = prompt[_SALT]
    if salt is not None and not isinstance(salt, str):
        raise RequestError(f"{label}: the prompt's cache_salt is {salt!r:.80}, expected a text or None")
    return {key: value for key, value in prompt.items() if key != _SALT}, salt


def _text_to_tokenize(prompt: Any) -> str | None:
    """Return the text of a prompt; None if it has tokens, or is none."""
    if isinstance(prompt, Mapping):
        prompt = None if prompt.get(_TOKENS) is not None else prompt.get(_TEXT)
    return prompt if isinstance(prompt, str) else None


def _contents(label: str, prompt: Any) -> tuple[str | None, list[int] | None]:
    """Return a prompt's text and tokens, at least one of them; if a dictionary has both, the tokens count."""
    if isinstance(prompt, str):
        return prompt, None
    if isinstance(prompt, Mapping):
        if _is_encoding(prompt):
            rows = _rows_of(prompt)
            if len(rows) != 1:
                raise RequestError(f"{label}: the prompt is a tokenizer's output of {len(rows)} texts; give it alone")
            return None, _token_ids(label, rows[0][_TOKENS])
        return _of_keys(label, prompt)
    return None, _token_ids(label, prompt)


def _of_keys(label: str, prompt: Mapping[str, Any]) -> tuple[str | None, list[int] | None]:
    """Return the text and tokens of one of vLLM's dictionaries."""
    text, token_ids = prompt.get(_TEXT), prompt.get(_TOKENS)
    if text is None and token_ids is None:
        reason = next((f"; {why}" for key, why in _NOT_SUPPORTED.items() if prompt.get(key) is not None), "")
        raise RequestError(
            f"{label}: the prompt has the keys {sorted(map(str, prompt))}, expected prompt, prompt_token_ids or "
            f"multi_modal_data{reason}"
        )
    for key, value in prompt.items():
        if key in (_TEXT, _TOKENS) or key in _IGNORED or (key in _NOT_SUPPORTED and value is None):
            continue
        expected = f"expected prompt, prompt_token_ids and cache_salt{did_you_mean(str(key), _KEYS)}"
        why = _NOT_SUPPORTED.get(key) or expected
        raise RequestError(f"{label}: the prompt has the key {key!r}, but {why}")
    if text is not None and not isinstance(text, str):
        raise RequestError(f"{label}: the prompt's text is {text!r:.80}, expected a text; tokens go to {_TOKENS!r}")
    return text, None if token_ids is None else _token_ids(label, token_ids)


_TYPES = "token_type_ids"
_KEYS = (_TEXT, _TOKENS, _SALT)


def _token_ids(label: str, tokens: Any) -> list[int]:
    """Return the tokens of a sequence, an array or a tensor as plain integers."""
    try:
        if isinstance(tokens, (str, bytes, bytearray)) or (_dimensions(tokens) or 1) != 1:
            raise TypeError
        return [operator.index(token) for token in _plain(tokens)]
    except TypeError:
        raise RequestError(
            f"{label}: the prompt is {_plain(tokens)!r:.80}, expected a text or a sequence of token ids"
        ) from None


def one_side(prompt: _Sliced, count: int, side: str | None) -> _Sliced:
    """Keep at most `count` tokens, or rows of embeddings: the first ones if `side`, which is cut, is "right"."""
    kept: _Sliced = prompt[:count] if side == "right" else prompt[-count:]
    return kept


def truncated(token_ids: list[int], params: SamplingParams, max_model_len: int, side: str | None) -> list[int]:
    """Truncate a prompt as `SamplingParams.truncate_prompt_tokens` says; `side` as of `one_side`."""
    most = params.truncate_prompt_tokens
    if most is None:
        return token_ids
    if most == -1:
        most = max(1, max_model_len - (params.max_tokens or 1))
    return one_side(token_ids, most, side)


def split_prompt(
    label: str, prompt: Any, encoder: Encoder, tokenize: Tokenize
) -> tuple[str | None, list[int], EncoderInput]:
    """Read a prompt for a model with an encoder.

    Args:
        prompt: {"encoder_prompt": ..., "decoder_prompt": ...}, or the encoder's prompt alone: a text, tokens,
            {"prompt": text}, {"prompt_token_ids": tokens} or {"multi_modal_data": {"audio": features}}. The decoder's
            is a text, tokens, one of the first two dictionaries, or None for the model's default.
        tokenize: tokenizes texts, and checks tokens.

    Returns:
        (the decoder's prompt as a text, as tokens, the encoder's input).

    Raises:
        RequestError: keys or an input that the encoder does not take.
    """
    whole = prompt if isinstance(prompt, Mapping) else {"encoder_prompt": prompt}
    if "encoder_prompt" not in whole and "decoder_prompt" in whole:
        raise RequestError(f"{label}: the prompt has a decoder_prompt alone; give the encoder_prompt too")
    if "encoder_prompt" not in whole:
        whole = {"encoder_prompt": prompt, "decoder_prompt": prompt.get("prompt") if _is_audio(prompt) else None}
    if unknown := whole.keys() - {"encoder_prompt", "decoder_prompt"}:
        raise RequestError(
            f"{label}: the prompt has the key {sorted(unknown)[0]!r}, expected encoder_prompt and decoder_prompt"
        )
    data = _encoder_data(label, whole["encoder_prompt"], tokenize)
    try:
        encoder_input = EncoderInput(data, encoder.num_tokens(data))
    except (TypeError, ValueError) as error:
        raise RequestError(f"{label}: {error}") from error
    decoder = whole.get("decoder_prompt")
    if decoder is None:
        return None, list(encoder.decoder_prompt), encoder_input
    text, token_ids = tokenize(label, decoder, add_special_tokens=False)
    return text, token_ids, encoder_input


def _is_audio(prompt: Any) -> bool:
    return isinstance(prompt, Mapping) and "multi_modal_data" in prompt


def _encoder_data(label: str, prompt: Any, tokenize: Tokenize) -> Any:
    if not _is_audio(prompt):
        return tokenize(label, prompt)[1]
    data = prompt["multi_modal_data"]
    if not isinstance(data, Mapping) or set(data) != {"audio"}:
        raise RequestError(
            f"{label}: multi_modal_data is {data!r:.80}, expected {{'audio': features}}, as the model's "
            "feature extractor gives them"
        )
    return data["audio"]
