"""Documentation of errors in /openapi.json: the statuses, and OpenAI's error object."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

_NO_KEY = (401, "the API key is missing or unknown")
_BUSY = (
    503,
    "the server's queue is full, it is shutting down, or its engine has ended; Retry-After has the seconds to wait",
)
_OF_POST = (
    (400, "the request is invalid, or can never be computed"),
    _NO_KEY,
    (404, "there is no such model"),
    (408, "the body has not arrived, or there is no answer, in time"),
    (413, "the body is too large"),
    (499, "the client has disconnected"),
    (500, "the request could not be computed"),
    (501, "the server has no tokenizer"),
    _BUSY,
)
_OF_OTHERS = (_NO_KEY, (404, "the name is unknown"), (500, "the server has failed"), _BUSY)

ERROR: dict[str, Any] = {
    "title": "Error",
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "code": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
        }
    },
}


def document_errors(app: FastAPI) -> None:
    """Add the error answers of each route, and remove FastAPI's 422, which is never sent."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = generate()
            for path, operations in schema["paths"].items():
                for method, operation in operations.items():
                    operation["responses"] = _documented(path, method, operation["responses"])
            schemas = schema.setdefault("components", {}).setdefault("schemas", {})
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            schemas["Error"] = ERROR
        return app.openapi_schema or {}

    app.openapi = openapi  # type: ignore[method-assign]


def _documented(path: str, method: str, responses: dict[str, Any]) -> dict[str, Any]:
    found = {status: each for status, each in responses.items() if status != "422"}
    if path in ("/health", "/ready", "/ping"):  # health checks answer by the status alone
        return found | {"503": {"description": "not now"}}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for status, why in _OF_POST if method == "post" else _OF_OTHERS:
        found[str(status)] = {"description": why, "content": content}
    return found
