"""Logprobs as OpenAI's two interfaces write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torchpaged.outputs import Logprob

# JSON has no infinity: what cannot come is as unlikely as OpenAI's clients have seen it elsewhere.
_LEAST = -9999.0

Positions = Sequence[Mapping[int, Logprob] | None]


def text_of(token: int, logprob: Logprob, *, as_ids: bool) -> str:
    """What a token is called."""
    if as_ids or logprob.decoded_token is None:
        return f"token_id:{token}"
    return logprob.decoded_token


def of_completion(
    tokens: Sequence[int], positions: Positions, most: int, offset: int, *, first: str, as_ids: bool
) -> dict[str, Any]:
    """The `logprobs` of a completion.

    Args:
        positions: of each token; None of a prompt's first token, of which nothing is known.
        most: alternatives that were asked for, beside the token's own.
        offset: where the first token's text begins.
        first: what such a first token is called.
    """
    names: list[str] = []
    offsets: list[int] = []
    chosen: list[float | None] = []
    tops: list[dict[str, float] | None] = []
    for token, row in zip(tokens, positions, strict=True):
        own = None if row is None else row[token]
        names.append(first if own is None else text_of(token, own, as_ids=as_ids))
        offsets.append(offset)
        offset += len(names[-1])
        chosen.append(None if own is None else max(own.logprob, _LEAST))
        if row is None:
            tops.append(None)
            continue
        # The prompt's rows may have more, which `prompt_logprobs` has asked for.
        wanted = {id: each for id, each in row.items() if id == token or (each.rank or 0) <= most}
        tops.append({text_of(id, each, as_ids=as_ids): max(each.logprob, _LEAST) for id, each in wanted.items()})
    return {"text_offset": offsets, "token_logprobs": chosen, "tokens": names, "top_logprobs": tops}


def of_chat(tokens: Sequence[int], positions: Positions, most: int, *, as_ids: bool) -> dict[str, Any]:
    """The `logprobs` of a message."""
    content = []
    for token, row in zip(tokens, positions, strict=True):
        assert row is not None, "each generated token has its logprobs"
        best = sorted(row.items(), key=lambda item: item[1].rank or 0)[:most]
        content.append(
            {
                **_named(token, row[token], as_ids=as_ids),
                "top_logprobs": [_named(id, each, as_ids=as_ids) for id, each in best],
            }
        )
    return {"content": content, "refusal": None}


def _named(token: int, logprob: Logprob, *, as_ids: bool) -> dict[str, Any]:
    name = text_of(token, logprob, as_ids=as_ids)
    return {"token": name, "logprob": max(logprob.logprob, _LEAST), "bytes": list(name.encode())}


def of_prompt(positions: Positions | None) -> list[dict[str, dict[str, Any]] | None] | None:
    """vLLM's `prompt_logprobs`: by token id."""
    if positions is None:
        return None
    return [
        None
        if row is None
        else {
            str(id): {"logprob": max(each.logprob, _LEAST), "rank": each.rank, "decoded_token": each.decoded_token}
            for id, each in row.items()
        }
        for row in positions
    ]
