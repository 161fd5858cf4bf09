"""The command line: `torchpaged generate`, `chat`, `serve`, `run-batch`, `trace`, `bench`, `export`, ..."""

from __future__ import annotations

import errno
import importlib
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from torchpaged.errors import InputError, TorchpagedError, needing
from torchpaged.utils import startup

# Module and function of each command. Modules are imported when they are needed: so a mistyped word is reported at
# once, and the process of a server's engine, in which multiprocessing imports this module, starts sooner.
_COMMANDS = {
    "generate": ("tools.commands", "generate"),
    "chat": ("tools.commands", "chat"),
    "serve": ("serve_command", "serve"),
    "run-batch": ("serve_command", "run_batch"),
    "route": ("routing.command", "route"),
    "trace": ("tools.commands", "trace"),
    "bench": ("tools.bench_command", "run_workloads"),
    "bench latency": ("tools.bench_command", "run_offline"),
    "bench throughput": ("tools.bench_command", "run_offline"),
    "bench serve": ("tools.bench_command", "run_serve"),
    "export": ("tools.commands", "export"),
    "quantize": ("tools.commands", "quantize"),
    "eval": ("tools.commands", "evaluate"),
    "receipt-key": ("tools.receipts", "make_key"),
    "verify": ("tools.receipts", "verify"),
    "info": ("tools.info", "info"),
    "kv-store": ("tools.kv_store", "kv_store"),
    "cache": ("tools.cache", "cache"),
}

# What writing fails with through no fault of the program, and what a file named in the error can fail with beside it.
_OUTPUT_ERRORS = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
_FILE_ERRORS = _OUTPUT_ERRORS | {errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENAMETOOLONG}

# Seconds until a signal that Python has dropped is sent again.
_AGAIN = 0.05


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status.

    0 for success; 2 for invalid input, with a message on stderr; 128 plus the signal's number after Ctrl-C, SIGTERM,
    SIGHUP or a closed pipe.
    """
    received: list[signal.Signals] = []
    if argv is None:  # the process runs nothing but this command
        _prepare_streams()
        _listen(received)
    try:
        with startup.stage("arguments"):
            from torchpaged.tools import arguments

            given = arguments.parse(sys.argv[1:] if argv is None else list(argv))
            _require_current_folder()
        if getattr(given, "log_startup", False):
            startup.when_finished(lambda: print(f"torchpaged: {startup.line()}", file=sys.stderr, flush=True))
        with needing(f"torchpaged {given.command}"):
            status = command_of(given.command)(given)
        sys.stdout.flush()  # here a failure can still be reported; at interpreter exit it cannot
        return status
    except (Exception, KeyboardInterrupt) as error:
        if received or isinstance(error, KeyboardInterrupt):
            return _stopped(received[0] if received else signal.SIGINT, error)
        return _failed(error)


def _require_current_folder() -> None:
    """Raise an InputError if the current folder was removed: torch's math library ends the process without one."""
    try:
        os.getcwd()
    except OSError as error:
        raise InputError(f"the current folder cannot be used ({error.strerror}): change to another one") from None


def command_of(name: str) -> Callable[[Any], int]:
    """Import a command's function, which takes the parsed arguments and returns the exit status."""
    module, function = _COMMANDS[name]
    command: Callable[[Any], int] = getattr(importlib.import_module(f"torchpaged.{module}"), function)
    return command


def _listen(received: list[signal.Signals]) -> None:
    """Make Ctrl-C, SIGTERM and SIGHUP raise KeyboardInterrupt, so that results stay and work files do not.

    Ignored signals stay ignored.
    """

    def stop(number: int, _: object) -> None:
        received.append(signal.Signals(number))
        raise KeyboardInterrupt

    def unraisable(lost: Any) -> None:
        """Send a signal again whose KeyboardInterrupt came in a finalizer or a callback, where Python drops it."""
        if received and issubclass(lost.exc_type, KeyboardInterrupt):
            main_thread = threading.main_thread().ident
            again = threading.Timer(_AGAIN, lambda: signal.pthread_kill(main_thread or 0, received[0]))
            again.daemon = True
            with suppress(RuntimeError):  # the interpreter is ending, which is what was asked for
                again.start()
        else:
            report(lost)

    report, sys.unraisablehook = sys.unraisablehook, unraisable
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, stop)


def _stopped(number: signal.Signals, error: BaseException) -> int:
    """Report the signal, even if the error is another one: some C extensions turn Ctrl-C into an ImportError."""
    if (prepared := sys.modules.get("torchpaged.engine.prepared")) is not None:
        prepared.give_up()  # for a large model the exit would wait for minutes
    said = error.args if isinstance(error, KeyboardInterrupt) else ()
    by = {signal.SIGTERM: "terminated", signal.SIGHUP: "the terminal is closed"}.get(number, "interrupted")
    print(": ".join(["torchpaged", by, *map(str, said)]), file=sys.stderr)
    exec("")  # CPython keeps a Ctrl-C that arrives inside exec (dataclasses use it) and would raise it again at exit
    return 128 + number


def _failed(error: Exception) -> int:
    """Print errors that the user can act on in one line, and raise the others, which are bugs."""
    if isinstance(error, TorchpagedError):
        print(f"torchpaged: {error}", file=sys.stderr)
        return 2
    if (lacking := _lacking(error)) is not None:
        print(f"torchpaged: {lacking}", file=sys.stderr)
        return 2
    if isinstance(error, OSError) and error.filename is not None and error.errno in _FILE_ERRORS:
        print(f"torchpaged: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    if not isinstance(error, OSError) or error.errno not in _OUTPUT_ERRORS:
        raise error
    # Python would flush the buffer once more at exit and fail again, so it goes to /dev/null.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:  # `| head` closes the pipe once it has read enough
        return 128 + signal.SIGPIPE
    print(f"torchpaged: standard output: {error.strerror}", file=sys.stderr)
    return 2


def _lacking(error: Exception) -> str | None:
    """Name what the limits of this process or machine did not give; None for another error."""
    if isinstance(error, MemoryError) or "DefaultCPUAllocator: can't allocate memory" in str(error):
        return "out of memory; see ulimit -v, and the memory that other processes leave"
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return f"{error}; see ulimit -u and ulimit -v, and the limits of the container"
    return None


def _prepare_streams() -> None:
    """Write UTF-8 whatever the locale, unless PYTHONIOENCODING is set; text for a closed stream is dropped.

    Characters that cannot be encoded are escaped, so that a computed answer is not lost for one of them.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until the process ends
        elif isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if "PYTHONIOENCODING" in os.environ else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = _Messages(sys.stderr)


class _Messages:
    """Standard error whose messages are dropped if they cannot be written (a full disk, a closed pipe or terminal).

    Otherwise a progress bar or a notice would end the work that it is about. File descriptor 2 is left as it is.
    """

    def __init__(self, stream: io.TextIOWrapper) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


if __name__ == "__main__":
    raise SystemExit(main())
