"""Logprobs in the formats of OpenAI's completions and chats."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from torchpaged.outputs import FlatLogprobs, Logprob
from torchpaged.serving.json_text import WrittenJSON

# Positions of a prompt whose logprobs are written at a time: half a millisecond with 20 each.
_PIECE = 16

# JSON has no infinity; clients know this value for impossible tokens from other servers.
_LEAST = -9999.0

Positions = Sequence[Mapping[int, Logprob] | None]


def text_of(token: int, logprob: Logprob, *, as_ids: bool) -> str:
    """Return a token's text for logprobs."""
    if as_ids or logprob.decoded_token is None:
        return f"token_id:{token}"
    return logprob.decoded_token


async def of_completion(
    tokens: Sequence[int],
    positions: Iterable[Mapping[int, Logprob] | None],
    most: int,
    offset: int,
    *,
    first: str,
    as_ids: bool,
) -> dict[str, Any]:
    """Return the `logprobs` of a completion; other requests have their turn between pieces of a long one.

    Args:
        positions: logprobs of each token; None, or none of them, for a prompt's first token.
        most: number of requested alternatives, beside the token's own.
        offset: offset of the first token's text.
        first: text of a prompt's first token.
    """
    names: list[str] = []
    offsets: list[int] = []
    chosen: list[float | None] = []
    tops: list[dict[str, float] | None] = []
    for place, (token, row) in enumerate(zip(tokens, positions, strict=True), start=1):
        if place % _PIECE == 0:
            await asyncio.sleep(0)
        own = row[token] if row else None
        names.append(first if own is None else text_of(token, own, as_ids=as_ids))
        offsets.append(offset)
        offset += len(names[-1])
        chosen.append(None if own is None else max(own.logprob, _LEAST))
        if not row:
            tops.append(None)
            continue
        # The prompt's positions may have more, requested by `prompt_logprobs`.
        wanted = {id: each for id, each in row.items() if id == token or (each.rank or 0) <= most}
        tops.append({text_of(id, each, as_ids=as_ids): max(each.logprob, _LEAST) for id, each in wanted.items()})
    return {"text_offset": offsets, "token_logprobs": chosen, "tokens": names, "top_logprobs": tops}


def of_chat(tokens: Sequence[int], positions: Positions, most: int, *, as_ids: bool) -> dict[str, Any]:
    """Return the `logprobs` of a message."""
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


async def of_prompt(positions: FlatLogprobs) -> WrittenJSON:
    """Write vLLM's `prompt_logprobs`, by token id, in pieces between which other requests have their turn."""
    pieces = []
    for first in range(0, len(positions), _PIECE):
        pieces.append(orjson.dumps(_by_id(positions[first : first + _PIECE]))[1:-1])
        await asyncio.sleep(0)
    return WrittenJSON(b"[" + b",".join(pieces) + b"]")


def _by_id(positions: FlatLogprobs) -> list[dict[str, Any] | None]:
    """Return an object for each position; None: it has no logprobs."""
    every = [
        {
            "logprob": logprob if logprob > _LEAST else _LEAST,  # `max` takes twice as long
            "rank": rank,
            "decoded_token": text,
        }
        for logprob, rank, text in zip(positions.logprobs, positions.ranks, positions.decoded_tokens, strict=True)
    ]
    names = list(map(str, positions.token_ids))
    ranges = zip(positions.start_indices, positions.end_indices, strict=True)
    return [dict(zip(names[begin:end], every[begin:end], strict=True)) or None for begin, end in ranges]
