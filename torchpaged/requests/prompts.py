"""Prompts of encoder-decoders, with vLLM's keys: what the encoder reads, and what the completion begins with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from torchpaged.errors import RequestError
from torchpaged.scheduling import EncoderInput


class Tokenize(Protocol):
    """(request id, text or tokens) -> (text, tokens); the options are the tokenizer's."""

    def __call__(self, request_id: str, prompt: Any, **options: Any) -> tuple[str | None, list[int]]: ...


def split_prompt(
    request_id: str, prompt: Any, encoder: Encoder, tokenize: Tokenize
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
            f"request {request_id!r}: the prompt has the key {sorted(unknown)[0]!r}, expected encoder_prompt and "
            "decoder_prompt"
        )
    data = _encoder_data(request_id, whole["encoder_prompt"], tokenize)
    try:
        encoder_input = EncoderInput(data, encoder.num_tokens(data))
    except (TypeError, ValueError) as error:
        raise RequestError(f"request {request_id!r}: {error}") from error
    decoder = whole.get("decoder_prompt")
    if decoder is None:
        return None, list(encoder.decoder_prompt), encoder_input
    text, token_ids = tokenize(request_id, _single(request_id, decoder), add_special_tokens=False)
    return text, token_ids, encoder_input


def _is_audio(prompt: Any) -> bool:
    return isinstance(prompt, Mapping) and "multi_modal_data" in prompt


def _encoder_data(request_id: str, prompt: Any, tokenize: Tokenize) -> Any:
    if not _is_audio(prompt):
        return tokenize(request_id, _single(request_id, prompt))[1]
    data = prompt["multi_modal_data"]
    if not isinstance(data, Mapping) or set(data) != {"audio"}:
        raise RequestError(
            f"request {request_id!r}: multi_modal_data is {data!r:.80}, expected {{'audio': features}}, as the model's "
            "feature extractor gives them"
        )
    return data["audio"]


def _single(request_id: str, prompt: Any) -> Any:
    """A text or tokens, out of a dictionary if need be."""
    if not isinstance(prompt, Mapping):
        return prompt
    for key in ("prompt_token_ids", "prompt"):
        if key in prompt:
            return prompt[key]
    raise RequestError(
        f"request {request_id!r}: the prompt has the keys {sorted(prompt)}, expected prompt, prompt_token_ids or "
        "multi_modal_data"
    )
