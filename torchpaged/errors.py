"""Typed errors: what was wrong, the value, the limit, what to do. They say it in one message each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class TorchpagedError(Exception):
    """Base of every error that torchpaged raises on purpose."""


class ConfigError(TorchpagedError, ValueError):
    """A setting of the engine, or a sampling parameter, is not a value that it can have."""


class RequestError(TorchpagedError, ValueError):
    """A request that can never run: refused when it is added, other requests go on."""


class ModelError(TorchpagedError, ValueError):
    """A model that cannot be loaded, or whose architecture is not supported."""


class EngineError(TorchpagedError, RuntimeError):
    """The engine is out of step: a bug, or a use that its documentation excludes."""


class EngineDeadError(EngineError):
    """The engine has ended, and whatever is asked of it will have no answer: make another one."""


class EngineRestartingError(EngineDeadError):
    """The engine's process has ended, and another one is being started: ask again a little later."""


class GradientError(TorchpagedError, NotImplementedError):
    """A derivative of an operator was asked for; the operators are for inference and have none."""


class TransformError(TorchpagedError, NotImplementedError):
    """A transform of torch, or DTensors placed in some way, were given to an operator that has no rule for them."""


class MissingPackageError(ConfigError, ImportError):
    """A package that an extra of torchpaged's brings is not installed."""


class InputError(TorchpagedError, ValueError):
    """A word of the command line, or a file that it names, which cannot be used."""


# Some libraries repeat the value that they refuse, however long it is.
_LONGEST_REASON = 1000


def reason_of(error: BaseException) -> str:
    """Another library's error in one line; transformers' question whether to run a checkpoint's code, in our words."""
    text = str(error).strip()
    if "trust_remote_code" in text:
        return (
            "it brings Python code of its own, which runs only with trust_remote_code=True (--trust-remote-code on the "
            "command line); read it first"
        )
    lines = [line.strip() for line in text.splitlines()] or [type(error).__name__]
    # What ends in a colon says nothing yet.
    reason = " ".join(lines[: 2 if lines[0].endswith(":") else 1])
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}..."


# What `pip install 'torchpaged[transformers]'` brings beside what the operators need.
_EXTRA = ("transformers", "numpy", "safetensors", "tqdm")


@contextmanager
def needing(what: str) -> Iterator[None]:
    """Around imports for `what`: MissingPackageError, with pip's command, where one of the extra's is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingPackageError(
            f"{what} needs {error.name}, which is not installed: pip install 'torchpaged[transformers]'"
        ) from error


def not_copied(owner: object) -> TypeError:
    """What a class raises when it is to be pickled, copied or deep-copied, all of which ask `__reduce_ex__`."""
    return TypeError(
        f"{type(owner).__name__} holds a model and a pool of its device's memory, and cannot be pickled or copied; "
        "make one in each process that needs it, and send prompts and outputs"
    )


# Longer ones are mistyped by nobody, and to compare megabytes takes seconds.
_LONGEST_NAME = 100


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What a mistyped name may have meant, as the end of a message; empty where none of the known ones is like it."""
    import difflib  # where it is needed: most programs mistype nothing

    if len(name) > _LONGEST_NAME:
        return ""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
