"""The process that reads large request bodies for `large_bodies`: it parses and validates them.

It must start fast and needs no torch. Its input is a socket of messages with a file each: the first file has `Limits`,
the others a body, with the model of its fields as the message. It answers with None, and the value in the file; or with
the error.
"""

from __future__ import annotations

import json
import pickle
import signal
import socket
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from torchpaged.sampling_params import SamplingParams
from torchpaged.serving.json_text import from_json
from torchpaged.serving.options import ServeOptions
from torchpaged.serving.protocol import ChatBody, Sampling
from torchpaged.serving.refusals import invalid, refusal_of

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
    """Read bodies until the server closes the socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes the socket
    messages, limits = socket.socket(fileno=0), None
    while True:
        message, files, _, _ = socket.recv_fds(messages, MESSAGE, 1)
        if not message:
            return
        error: Exception | None = None
        with open(files[0], "r+b") as file:
            file.seek(0)
            if limits is None:
                limits = pickle.load(file)
                continue
            try:
                value = read(file.read(), pickle.loads(message), limits)
                file.seek(0)
                pickle.dump(value, file, protocol=5)
            except Exception as reason:
                error = reason
        messages.send(pickle.dumps(error))


if __name__ == "__main__":
    main()
