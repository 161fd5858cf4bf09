"""Refusals: errors for clients, as OpenAI's or Anthropic's error object with the status that its clients expect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from torchpaged.errors import ConfigError, EngineDeadError, EngineRestartingError, ModelError, RequestError
from torchpaged.serving.json_text import to_json

_TYPES = {401: "authentication_error", 404: "not_found_error", 408: "timeout_error", 503: "service_unavailable"}

# Types of Anthropic's errors by status.
_MESSAGE_TYPES = {
    401: "authentication_error",
    404: "not_found_error",
    408: "timeout_error",
    413: "request_too_large",
    503: "overloaded_error",
}


class Refusal(Exception):
    """A request that is not answered.

    Args:
        message: the problem and the remedy.
        status: HTTP status.
        param: the field that caused the error.
        code: error code for programs.
        headers: headers of the answer.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        param: str | None = None,
        code: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.param, self.code, self.headers = status, param, code, headers

    @property
    def body(self) -> dict[str, Any]:
        """Return OpenAI's error object."""
        kind = _TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "internal_server_error")
        error = {"message": str(self), "type": kind, "param": self.param, "code": self.code}
        return {"error": error}

    @property
    def message_body(self) -> dict[str, Any]:
        """Return Anthropic's error object."""
        kind = _MESSAGE_TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": str(self)}, "request_id": None}

    def response(self, path: str = "") -> Response:
        """Return the HTTP response.

        Args:
            path: of the request; those of Anthropic's routes are answered in its form.
        """
        body = self.message_body if is_of_messages(path) else self.body
        return Response(to_json(body), self.status, self.headers, "application/json")


def is_of_messages(path: str) -> bool:
    """Return whether a path is one of Anthropic's routes."""
    return path.removesuffix("/count_tokens").endswith("/v1/messages")


def invalid(error: Mapping[str, Any]) -> Refusal:
    """Return the refusal for one of pydantic's errors."""
    place = [str(each) for each in error["loc"] if each not in ("body", "path", "query")]
    name, given = place[0] if place else "", error.get("input")
    if error["type"] == "json_invalid":
        return Refusal(f"the body is not JSON: {error.get('ctx', {}).get('error', '')}")
    if error["type"] == "missing":
        what = f"{name} is missing" if name else "there is no body, expected JSON as application/json"
        return Refusal(what, param=name or None)
    if not name and isinstance(given, bytes):
        return Refusal("the content type is not JSON: send the body with 'Content-Type: application/json'")
    said = error["msg"][:1].lower() + error["msg"][1:]
    return Refusal(f"{name or 'the body'} is {given!r:.80}: {said}", param=name or None)


def ended() -> Refusal:
    """Return the refusal for a request that the server ends."""
    return Refusal("the server has ended the request; try again", status=503, code="aborted")


def refusal_of(error: Exception) -> Refusal:
    """Return the refusal for an error. Details of errors that the client did not cause are left out."""
    text = str(error)
    if isinstance(error, Refusal):
        return error
    if isinstance(error, EngineRestartingError):
        said = "the engine has ended, and another one is being started; try again"
        return Refusal(said, status=503, code="engine_restarting", headers={"Retry-After": "5"})
    if isinstance(error, EngineDeadError):
        return Refusal("the engine has ended", status=503, code="engine_dead")
    if isinstance(error, (RequestError, ConfigError)):
        said = re.sub(
            r"^(request '[^']*'|SamplingParams|BeamSearchParams|PoolingParams|conversation|chat|prompt \d+): ", "", text
        )
        about = re.match(r"(?:SamplingParams: |BeamSearchParams: |PoolingParams: )(\w+) is", text)
        about = about or re.match(r"(structured_outputs) has the ", said)
        code = (
            "context_length_exceeded"
            if re.search(r"the prompt has (at least )?\d+ (tokens|characters)", text)
            else None
        )
        return Refusal(said, param=about[1] if about else None, code=code)
    if isinstance(error, ModelError):  # an adapter's files were replaced by broken ones after it had been loaded
        return Refusal(text, status=500, code="invalid_adapter")
    return Refusal(f"the server has failed: {type(error).__name__}", status=500)
