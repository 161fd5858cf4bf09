"""`torchpaged chat`: a conversation, its answers printed as they come; what was said is found in the prefix cache."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from torchpaged.errors import RequestError, TorchpagedError
from torchpaged.llm import LLM
from torchpaged.outputs import RequestOutput

_HELP = "/reset begins anew, /exit (or Ctrl-D) leaves, Ctrl-C stops an answer"


class Chat:
    """One conversation.

    Args:
        llm: answers.
        given: fields of SamplingParams; the others are the checkpoint's, and an answer is as long as there is room.
        system: what the model is told first.
        quiet: no line of what an answer took.
    """

    def __init__(self, llm: LLM, given: Mapping[str, Any], *, system: str | None = None, quiet: bool = False) -> None:
        self._llm, self._given, self._quiet = llm, dict(given), quiet
        self._params = replace(llm.get_default_sampling_params(), **self._given)
        self._system = [] if system is None else [{"role": "system", "content": system}]
        self.messages: list[dict[str, str]] = list(self._system)
        self._interrupted = False
        self._stoppable = False

    def run(self, read: Callable[[], str | None]) -> None:
        """Answers each line that is read, up to None. A Ctrl-C stops the reading or an answer, wherever it comes."""
        with self._listening():
            while True:
                try:
                    with self._may_be_stopped():
                        line = read()
                except KeyboardInterrupt:
                    _say(_HELP)
                    continue
                self._interrupted = False
                if line is None:
                    return
                if line.split()[:1] in (["/exit"], ["/quit"]):
                    return
                elif line == "/reset":
                    self.messages = list(self._system)
                    _say("begun anew")
                elif line.startswith("/"):
                    _say(f"there is no command {line.split()[0]}: {_HELP}")
                elif line:
                    self.answer(line)

    def answer(self, text: str) -> None:
        """Prints the answer to a line as it comes. One that cannot be given leaves the conversation as it was."""
        asked = [*self.messages, {"role": "user", "content": text}]
        shown, last, start = [], None, time.perf_counter()
        num_tokens = 0
        try:
            with self._may_be_stopped():
                for last in self._llm.stream(*self._request(asked)):
                    (completion,) = last.outputs
                    if completion.error is not None:
                        raise RequestError(completion.error)
                    print(completion.text, end="", flush=True)
                    shown.append(completion.text)
                    num_tokens += len(completion.token_ids)
        except KeyboardInterrupt:
            self._interrupted = True
        except TorchpagedError as error:
            if not self._interrupted:  # else it is what has become of a Ctrl-C on its way
                if shown:
                    print(flush=True)
                _say(f"{error}; /reset begins anew")
                return
        print(flush=True)
        if self._interrupted:
            _say("stopped")
        self.messages = [*asked, {"role": "assistant", "content": "".join(shown)}]
        if last is not None and not self._quiet:
            _say(_took(last, num_tokens, time.perf_counter() - start))

    def _request(self, messages: list[dict[str, str]]) -> tuple[Any, Any]:
        """(prompt, parameters)"""
        (prompt,) = self._llm.preprocess_chat(messages)
        if "max_tokens" in self._given:
            return prompt, self._params
        room = self._llm.engine.max_model_len - len(prompt["prompt_token_ids"])
        return prompt, replace(self._params, max_tokens=max(room, 1))

    @contextmanager
    def _may_be_stopped(self) -> Iterator[None]:
        """Within it a Ctrl-C raises KeyboardInterrupt; elsewhere there is nothing to stop."""
        self._stoppable = True
        try:
            yield
        finally:
            self._stoppable = False

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Ctrl-C is ours meanwhile, unless it is ignored: it stops an answer, not the program."""

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


def read_utf8() -> None:
    """Standard input is UTF-8 from now on, unless the environment says what it is."""
    if isinstance(sys.stdin, io.TextIOWrapper) and "PYTHONIOENCODING" not in os.environ:
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")


def line_of_a_person() -> str | None:
    """What is typed, or the next line of standard input; None at its end."""
    if sys.stdin is None:
        return None
    try:
        line = input("> ") + "\n" if sys.stdin.isatty() else sys.stdin.readline()
    except EOFError:
        return None
    return line.strip() if line else None


def _took(last: RequestOutput, num_tokens: int, seconds: float) -> str:
    return (
        f"{len(last.prompt_token_ids)} prompt tokens, {last.num_cached_tokens or 0} cached; {num_tokens} tokens, "
        f"{num_tokens / seconds:.1f} tokens/s"
    )


def _say(text: str) -> None:
    """Beside the conversation."""
    print(f"[{text}]", file=sys.stderr, flush=True)
