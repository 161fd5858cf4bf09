"""Answers to requests that fail: errors of routes as OpenAI's or Anthropic's error objects, and what is logged."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from torchpaged.errors import TorchpagedError
from torchpaged.serving.json_text import to_json
from torchpaged.serving.refusals import Refusal, invalid, refusal_of
from torchpaged.serving.streams import DONE

logger = logging.getLogger(__name__)


def handle_errors(app: FastAPI) -> None:
    """Register the handlers of all errors."""
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _no_route)
    for kind in (Refusal, TorchpagedError, Exception):
        app.add_exception_handler(kind, _failed)


def error_of_stream(error: Exception) -> bytes:
    """Return the frame for an error in a stream that has begun, in OpenAI's form."""
    _log(logging.WARNING, "a stream has failed", error)
    return b"data: " + to_json(refusal_of(error).body) + b"\n\n" + DONE


async def _invalid(request: Request, error: Exception) -> Response:
    """Answer a request whose body is invalid."""
    assert isinstance(error, RequestValidationError)
    return invalid(error.errors()[0]).response(request.url.path)


async def _no_route(request: Request, error: Exception) -> Response:
    """Answer a request for an unknown path or method."""
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, Refusal):  # of a large body, whose fields were checked while it was read
        return error.__cause__.response(request.url.path)
    if error.status_code == 400 and error.__cause__ is not None:  # FastAPI's error for a body that json cannot parse
        return Refusal(f"the body is not valid JSON: {error.__cause__!s:.200}").response(request.url.path)
    headers = dict(error.headers) if error.headers else None
    if error.status_code == 404 and request.url.path.rstrip("/") in ("/docs", "/redoc"):
        return Refusal(
            f"there is no page {request.url.path!r}, whose scripts would come from elsewhere; GET /openapi.json says "
            "which routes there are, and / is a page to try the model on",
            status=404,
        ).response()
    return Refusal(str(error.detail), status=error.status_code, headers=headers).response(request.url.path)


async def _failed(request: Request, error: Exception) -> Response:
    refusal = refusal_of(error)
    if refusal.status >= 500 and not isinstance(error, Refusal):
        _log(logging.ERROR, "a request has failed", error)
    return refusal.response(request.url.path)


def _log(level: int, what: str, error: Exception) -> None:
    """Log an error, with a traceback unless it is an expected one whose message says enough."""
    if isinstance(error, (Refusal, TorchpagedError)):
        logger.log(level, "%s: %s", what, error)
    else:
        logger.log(level, what, exc_info=error)
