"""The process that reads large request bodies for `large_bodies`: it parses and validates them.

It must start fast and needs no torch. Its input is a socket of messages: the first has a file with `Limits`; the others
have the model of a body's fields, a file with the body, and a socket for the answers. A fork of it reads the body, and
answers with its process id, and then with None, and the value in the file, or with the error.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import socket
from dataclasses import dataclass
from typing import Any, NoReturn

from pydantic import BaseModel, ValidationError

from torchpaged.sampling_params import SamplingParams
from torchpaged.serving.json_text import from_json
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.protocol import ChatBody, Sampling
from torchpaged.serving.refusals import invalid, refusal_of
from torchpaged.utils import child_processes

# Most bytes of a message.
MESSAGE = 1 << 16


@dataclass(frozen=True, slots=True)
class Limits:
    """The server's limits and model facts that the sampling fields of a body are checked against.

    Args:
        options: of the server; only its limits are used.
        completion_params, chat_params: defaults of requests.
        vocab_size: number of the model's tokens.
    """

    options: ServeOptions
    completion_params: SamplingParams
    chat_params: SamplingParams
    vocab_size: int

    def require_met(self, body: Any) -> None:
        """Raise the error of a body's fields that its route would raise, if they concern sampling."""
        if not isinstance(body, Sampling):
            return
        body.resolve_logprobs(self.vocab_size)
        if body.use_beam_search:
            body.searching(self.options, 1)
        else:
            defaults = self.chat_params if isinstance(body, ChatBody) else self.completion_params
            body.sampling(defaults, self.options, None)


def read(data: bytes, model: type[BaseModel] | None, limits: Limits) -> Any:
    """Return the value of a body.

    Raises:
        ValueError: it is no JSON.
        Refusal: its fields are refused.
    """
    try:
        value = from_json(data)
    except json.JSONDecodeError as error:
        raise json.JSONDecodeError(error.msg, "", error.pos) from None  # without the text
    except Exception as error:  # another encoding, or too many levels
        raise ValueError(str(error)[:200]) from None
    if model is None:
        return value
    try:
        value = model.model_validate(value, from_attributes=True)  # as FastAPI does
        limits.require_met(value)
    except ValidationError as error:
        raise invalid(error.errors(include_url=False)[0]) from None
    except Exception as error:
        raise refusal_of(error) from None
    return value


def main() -> None:
    """Read bodies, each in a process of its own, until the server closes the socket."""
    child_processes.ignore_signals()  # the server reads the bodies that have come, and then closes the socket
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # forks that have ended leave no zombies
    messages, limits = socket.socket(fileno=0), None
    while True:
        message, files, _, _ = socket.recv_fds(messages, MESSAGE, 2)
        if not message:
            return
        if limits is None:
            with open(files[0], "rb") as file:
                file.seek(0)  # the server has written it
                limits = pickle.load(file)
            continue
        with contextlib.suppress(OSError):  # without a process the server finds the answer's socket closed
            if not os.fork():
                _answer(message, files[0], files[1], limits)
        for each in files:
            os.close(each)


def _answer(message: bytes, body: int, answers: int, limits: Limits) -> NoReturn:
    """Send the process's id, read a body, and send the error or None; then end the process."""
    try:
        answer, error = socket.socket(fileno=answers), None
        answer.send(pickle.dumps(os.getpid()))
        with open(body, "r+b") as file:
            file.seek(0)
            try:
                value = read(file.read(), pickle.loads(message), limits)
                file.seek(0)
                pickle.dump(value, file, protocol=5)
            except Exception as reason:
                error = reason
        answer.send(pickle.dumps(error))
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
