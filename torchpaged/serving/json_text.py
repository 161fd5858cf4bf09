"""JSON for clients, which may contain any text or number that a client has sent."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import orjson
from starlette.responses import Response


def to_json(value: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """Write JSON with orjson, and what orjson refuses: integers of more than 64 bits, and lone surrogates
    (`"\\ud800"` in a client's JSON) as the characters of their escape, because many parsers reject them."""
    try:
        return orjson.dumps(value, default)
    except orjson.JSONEncodeError:
        return json.dumps(_spelled(value), ensure_ascii=False, separators=(",", ":"), default=default).encode()


def json_response(value: Any) -> Response:
    """Return a response of JSON."""
    return Response(to_json(value), media_type="application/json")


def _spelled(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_spelled(key): _spelled(each) for key, each in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return [_spelled(each) for each in value] if isinstance(value, (list, tuple)) else value
