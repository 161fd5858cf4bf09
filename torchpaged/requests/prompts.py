"""Prompts: texts, tokens, and with vLLM's keys what an encoder reads and a completion begins with."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from torchpaged.errors import RequestError
from torchpaged.sampling_params import SamplingParams
from torchpaged.scheduling import EncoderInput

Prompt = str | Sequence[int] | Mapping[str, Any]


class Encoder(Protocol):
    """What is asked of a model's encoder."""

    @property
    def decoder_prompt(self) -> Sequence[int]:
        """What a completion begins with unless told."""
        ...

    def num_tokens(self, data: Any) -> int:
        """The states that it makes of an input. Raises ValueError for one that it cannot read."""
        ...


class Tokenize(Protocol):
    """(label, text or tokens) -> (text, tokens); the options are the tokenizer's."""

    def __call__(self, label: str, prompt: Any, **options: Any) -> tuple[str | None, list[int]]: ...


class ReadPrompt(NamedTuple):
    """What was made of a prompt: its text where it was one, tokens, and the encoder's input where there is one."""

    text: str | None
    token_ids: list[int]
    encoder: EncoderInput | None = None


class PromptReader:
    """Makes tokens of prompts and checks them.

    Args:
        tokenizer: of transformers; None: prompts are tokens.
        vocab_size: tokens are 0 to vocab_size - 1.
        encoder: of the model; None: a decoder alone.
    """

    def __init__(self, tokenizer: Any, vocab_size: int, encoder: Encoder | None = None) -> None:
        self._tokenizer, self._vocab_size, self._encoder = tokenizer, vocab_size, encoder

    def read(self, label: str, prompt: Any) -> ReadPrompt:
        """The prompt's tokens.

        Args:
            label: what messages call it.

        Raises:
            RequestError: neither a text nor tokens of the vocabulary, or a text that the tokenizer fails on.
        """
        if self._encoder is None:
            read = ReadPrompt(*self._tokens(label, prompt))
        else:
            read = ReadPrompt(*split_prompt(label, prompt, self._encoder, self._tokens))
        self.require_known(label, "token id", read.token_ids)
        return read

    def require_known(self, label: str, what: str, token_ids: Iterable[int]) -> None:
        """Raises RequestError for a token that is not in the vocabulary."""
        for token in token_ids:
            if not 0 <= token < self._vocab_size:
                raise RequestError(f"{label}: {what} {token}, expected 0 to {self._vocab_size - 1}")

    def bad_words(self, label: str, words: Iterable[str]) -> tuple[tuple[int, ...], ...]:
        """Runs of tokens that spell some words: as they begin a text, and behind a space, as far as that is one token
        run more of the same length that begins otherwise, which is vLLM's rule.

        Raises:
            RequestError: a word that the tokenizer makes no tokens of, or fails on.
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
        """(text, tokens); the options are the tokenizer's."""
        if isinstance(prompt, str):
            if self._tokenizer is None:
                raise RequestError(f"{label}: the prompt is a text and there is no tokenizer; pass tokens")
            try:
                return prompt, list(self._tokenizer(prompt, **options)["input_ids"])
            except Exception as error:  # a tokenizer may raise anything, and only this request is concerned
                raise RequestError(f"{label}: the tokenizer failed on the prompt: {error}") from error
        try:
            if isinstance(prompt, (Mapping, bytes)):
                raise TypeError
            return None, [operator.index(token) for token in prompt]
        except TypeError:
            raise RequestError(
                f"{label}: the prompt is {prompt!r:.80}, expected a text or a sequence of token ids"
            ) from None


def truncated(token_ids: list[int], params: SamplingParams, max_model_len: int) -> list[int]:
    """A prompt as `SamplingParams.truncate_prompt_tokens` has it: its last tokens."""
    most = params.truncate_prompt_tokens
    if most is None:
        return token_ids
    if most == -1:
        most = max(1, max_model_len - (params.max_tokens or 1))
    return token_ids[-most:]


def split_prompt(
    label: str, prompt: Any, encoder: Encoder, tokenize: Tokenize
) -> tuple[str | None, list[int], EncoderInput]:
    """What a prompt means for a model with an encoder.

    Args:
        prompt: {"encoder_prompt": ..., "decoder_prompt": ...}, or the encoder's prompt alone: a text, tokens,
            {"prompt": text}, {"prompt_token_ids": tokens} or {"multi_modal_data": {"audio": features}}. The decoder's
            is a text, tokens, one of the two dictionaries, or None for what the model's completions begin with.
        tokenize: for texts, and for tokens, which it checks.

    Returns:
        (the decoder's prompt as a text, as tokens, the encoder's input).

    Raises:
        RequestError: keys or an input that the encoder does not take.
    """
    whole = prompt if isinstance(prompt, Mapping) else {"encoder_prompt": prompt}
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
    text, token_ids = tokenize(label, _single(label, decoder), add_special_tokens=False)
    return text, token_ids, encoder_input


def _is_audio(prompt: Any) -> bool:
    return isinstance(prompt, Mapping) and "multi_modal_data" in prompt


def _encoder_data(label: str, prompt: Any, tokenize: Tokenize) -> Any:
    if not _is_audio(prompt):
        return tokenize(label, _single(label, prompt))[1]
    data = prompt["multi_modal_data"]
    if not isinstance(data, Mapping) or set(data) != {"audio"}:
        raise RequestError(
            f"{label}: multi_modal_data is {data!r:.80}, expected {{'audio': features}}, as the model's "
            "feature extractor gives them"
        )
    return data["audio"]


def _single(label: str, prompt: Any) -> Any:
    """A text or tokens, out of a dictionary if need be."""
    if not isinstance(prompt, Mapping):
        return prompt
    for key in ("prompt_token_ids", "prompt"):
        if key in prompt:
            return prompt[key]
    raise RequestError(
        f"{label}: the prompt has the keys {sorted(prompt)}, expected prompt, prompt_token_ids or multi_modal_data"
    )
