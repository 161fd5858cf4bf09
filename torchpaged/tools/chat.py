"""`torchpaged chat`: a conversation with streamed answers; earlier turns are found in the prefix cache."""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torchpaged.errors import RequestError, TorchpagedError
from torchpaged.llm import LLM
from torchpaged.lora_request import LoRARequest
from torchpaged.outputs import RequestOutput
from torchpaged.requests import chat_sampling
from torchpaged.tools import cli_utils
from torchpaged.utils import atomic_files, dataclass_flags
from torchpaged.utils.paths import expanded

_HELP = "/reset begins anew, /help lists the commands, /exit (or Ctrl-D) leaves, Ctrl-C stops an answer"
_COMMANDS = {
    "/help": "this list",
    "/system": "/system TEXT sets the system prompt, /system alone shows it",
    "/retry": "answers the last message again",
    "/image": "/image FILE adds an image to the next message",
    "/audio": "/audio FILE adds a sound to the next message",
    "/video": "/video FILE adds a video to the next message",
    "/lora": "/lora NAME switches to an adapter, /lora none to the model itself, /lora alone lists them",
    "/reset": "begins anew; the system prompt stays",
    "/save": "/save FILE.json writes the conversation",
    "/exit": "leaves, as Ctrl-D does",
}
COMMANDS = tuple(_COMMANDS)
_KEYS = '""" begins and ends a message of several lines, \\ at a line\'s end goes on; Up finds what you said before'


@dataclass(slots=True)
class _Timing:
    """Times of an answer's tokens."""

    start: float
    first: float | None = None
    end: float = 0.0
    num_first: int = 0
    num_tokens: int = 0

    def add(self, num_tokens: int) -> None:
        now = time.perf_counter()
        if self.first is None and num_tokens:
            self.first, self.num_first = now, num_tokens
        self.end, self.num_tokens = now, self.num_tokens + num_tokens

    @property
    def rate(self) -> float:
        """Tokens per second after the first; of all tokens if they came at once."""
        if self.first is not None and self.end > self.first:
            return (self.num_tokens - self.num_first) / (self.end - self.first)
        return self.num_tokens / max(self.end - self.start, 1e-9)


class Chat:
    """One conversation.

    Args:
        llm: engine.
        given: fields of SamplingParams; others have the checkpoint's defaults, or the defaults for chats, and an answer
            is limited only by the context.
        system: the system prompt.
        quiet: do not print statistics.
        adapters: adapters by name, which are loaded; the first is used at the beginning.
        media: images, sounds and videos of the first message, as data: URLs by modality.
    """

    def __init__(
        self,
        llm: LLM,
        given: Mapping[str, Any],
        *,
        system: str | None = None,
        quiet: bool = False,
        adapters: Mapping[str, LoRARequest] = MappingProxyType({}),
        media: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self._llm, self._given, self._quiet = llm, dict(given), quiet
        self._adapters = adapters
        self._adapter = next(iter(adapters.values()), None)
        self._params = replace(llm.engine.chat_params, **self._given)
        self._system = [] if system is None else [{"role": "system", "content": system}]
        self.messages: list[dict[str, Any]] = list(self._system)
        # Images and sounds of the next message.
        self._parts = [_part(modality, url) for modality, urls in media.items() for url in urls]
        self._interrupted = False
        self._stoppable = False
        self._saved: set[Path] = set()
        if not quiet and (said := chat_sampling.describe(llm.engine.default_params, llm.engine.chat_params)):
            _say(said)

    def run(self, read: Callable[[], str | None]) -> None:
        """Answer each line that is read, up to None. Ctrl-C stops the reading or the answer."""
        with self._listening():
            while True:
                try:
                    with self._may_be_stopped():
                        line = read()
                except KeyboardInterrupt:
                    if not self._interrupted:
                        raise  # it is SIGTERM or SIGHUP, which end the program
                    _say(_HELP)
                    continue
                self._interrupted = False
                if line is None or line.split()[:1] in (["/exit"], ["/quit"]):
                    return
                if line.startswith("/"):
                    self._obey(line)
                elif line:
                    self.answer(line)

    def _obey(self, line: str) -> None:
        """Run a command."""
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "/help":
            _say("\n".join(f"{name:<8} {says}" for name, says in _COMMANDS.items()) + f"\n{_KEYS}")
        elif word == "/reset":
            self.messages, self._parts = list(self._system), []
            _say("begun anew")
        elif word == "/system":
            self._set_system(rest)
        elif word == "/lora":
            self._set_adapter(rest)
        elif word in ("/image", "/audio", "/video"):
            self._add_item(word[1:], rest)
        elif word == "/retry":
            self._retry()
        elif word == "/save":
            self._save(rest)
        else:
            _say(f"there is no command {word}: {_HELP}")

    def _set_system(self, text: str) -> None:
        if not text:
            _say(f"the system prompt is: {self._system[0]['content']}" if self._system else "there is no system prompt")
            return
        said = self.messages[len(self._system) :]
        self._system = [{"role": "system", "content": text}]
        self.messages = [*self._system, *said]
        _say("the system prompt is set" + ("; /reset drops the conversation with the old one" if said else ""))

    def _add_item(self, modality: str, name: str) -> None:
        """Add an image, sound or video to the next message."""
        if not name:
            _say(f"/{modality} FILE: name a file")
            return
        try:
            cli_utils.require_reads(self._llm, [modality])
            file = Path(expanded(dataclass_flags.path(name)))
            self._parts.append(_part(modality, cli_utils.read_item(modality, file)))
        except (TorchpagedError, argparse.ArgumentTypeError) as error:
            _say(str(error).removeprefix(f"--{modality}").lstrip(": "))
            return
        kinds = Counter(each["type"] for each in self._parts)
        counts = [(kinds["image_url"], "image"), (kinds["input_audio"], "sound"), (kinds["video_url"], "video")]
        _say("the next message has " + " and ".join(f"{n} {word}{'s' * (n > 1)}" for n, word in counts if n))

    def _set_adapter(self, name: str) -> None:
        """Switch to an adapter; the conversation stays, and is read again under it."""
        used = "none" if self._adapter is None else self._adapter.lora_name
        if not self._adapters:
            _say("there are no adapters; start with --lora NAME=PATH")
        elif not name:
            _say(f"the adapter is: {used}, of {', '.join([*self._adapters, 'none'])}")
        elif name in self._adapters or name == "none":
            self._adapter = self._adapters.get(name)
            _say(f"the adapter is: {name}")
        else:
            _say(f"there is no adapter {name}, expected one of {', '.join([*self._adapters, 'none'])}")

    def _retry(self) -> None:
        """Repeat the last question without its answer; keep the exchange if there is no new answer."""
        if len(self.messages) == len(self._system):
            _say("there is no message yet")
            return
        before = list(self.messages)
        *self.messages, asked, _ = before
        self.answer(asked["content"])
        if len(self.messages) < len(before):
            self.messages = before

    def _save(self, name: str) -> None:
        if not name:
            _say("/save FILE.json: name a file")
            return
        text = json.dumps({"messages": self.messages}, ensure_ascii=False, indent=1) + "\n"
        try:
            path = Path(expanded(name))
            if path.exists() and path.resolve() not in self._saved:
                _say(f"{path} exists already; name another file")
                return
            # Lone surrogates stand for bytes that were no UTF-8, or come from an escape in a template.
            atomic_files.write(path, text.encode("utf-8", "replace"))
        except (OSError, ValueError, RuntimeError) as error:  # also a NUL byte in the name, or an unknown ~user
            _say(f"{name}: {getattr(error, 'strerror', None) or error}")
            return
        self._saved.add(path.resolve())
        _say(f"{len(self.messages)} messages are in {path}")

    def answer(self, content: str | list[dict[str, Any]]) -> None:
        """Stream the answer to a message: a text, which gets the images and sounds, or parts.

        On an error the conversation stays as it was, and the images and sounds wait for the next message.
        """
        parts = self._parts if isinstance(content, str) else []
        if parts:
            content = [*parts, {"type": "text", "text": content}]
        asked = [*self.messages, {"role": "user", "content": content}]
        shown, last = [], None
        timing = _Timing(time.perf_counter())
        try:
            with self._may_be_stopped():
                for last in self._llm.stream(*self._request(asked), lora_request=self._adapter):
                    (completion,) = last.outputs
                    if completion.error is not None:
                        raise RequestError(completion.error)
                    print(completion.text, end="", flush=True)
                    shown.append(completion.text)
                    timing.add(len(completion.token_ids))
        except KeyboardInterrupt:
            if not self._interrupted:
                raise
        except TorchpagedError as error:
            if not self._interrupted:  # else it is a Ctrl-C that a library turned into another error
                if shown:
                    print(flush=True)
                _say(f"{error}; /reset begins anew")
                return
        print(flush=True)
        if self._interrupted:
            _say("stopped")
        if parts:
            self._parts = []
        self.messages = [*asked, {"role": "assistant", "content": "".join(shown)}]
        if last is not None:
            self._close(last, timing)

    def _close(self, last: RequestOutput, timing: _Timing) -> None:
        """Print the statistics of an answer, and whether it ended because the context is full."""
        used, most = len(last.prompt_token_ids) + timing.num_tokens, self._llm.engine.max_model_len
        if not self._quiet:
            _say(f"{_took(last, timing)}; {used} of {most} tokens of context")
        if last.outputs[0].finish_reason == "length" and used >= most:
            _say(f"the answer ends here: the context of {most} tokens is full; /reset begins anew")

    def _request(self, messages: list[dict[str, Any]]) -> tuple[Any, Any]:
        """Return prompt and parameters."""
        (prompt,) = self._llm.preprocess_chat(messages)
        if "max_tokens" in self._given:
            return prompt, self._params
        room = self._llm.engine.max_model_len - len(prompt["prompt_token_ids"])
        return prompt, replace(self._params, max_tokens=max(room, 1))

    @contextmanager
    def _may_be_stopped(self) -> Iterator[None]:
        """Let Ctrl-C raise a KeyboardInterrupt inside the context; outside there is nothing to stop."""
        self._stoppable = True
        try:
            yield
        finally:
            self._stoppable = False

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Handle Ctrl-C meanwhile, unless it is ignored: it stops an answer, not the program."""

        def stop(*_: object) -> None:
            self._interrupted = True
            if self._stoppable:
                raise KeyboardInterrupt

        before = signal.getsignal(signal.SIGINT)
        if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
            yield
            return
        signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _part(modality: str, url: str) -> dict[str, Any]:
    """Return the part of a message for an image or sound, as OpenAI has it, or for a video, as vLLM has it."""
    if modality != "audio":
        return {"type": f"{modality}_url", f"{modality}_url": {"url": url}}
    head, _, data = url.partition(",")
    form = head.removeprefix("data:audio/").removeprefix("x-").removesuffix(";base64")
    return {"type": "input_audio", "input_audio": {"data": data, "format": form}}


def read_utf8() -> None:
    """Read standard input as UTF-8, unless PYTHONIOENCODING is set."""
    if isinstance(sys.stdin, io.TextIOWrapper) and "PYTHONIOENCODING" not in os.environ:
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")


def _took(last: RequestOutput, timing: _Timing) -> str:
    first = "" if timing.first is None else f", {timing.first - timing.start:.2f} s to the first"
    return (
        f"{len(last.prompt_token_ids)} prompt tokens, {last.num_cached_tokens or 0} cached; "
        f"{timing.num_tokens} tokens, {timing.rate:.1f} tokens/s{first}"
    )


def _say(text: str) -> None:
    """Print on standard error, beside the conversation."""
    print(f"[{text}]", file=sys.stderr, flush=True)
