"""Typed errors. Each message names the problem, the value, the limit and the remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class TorchpagedError(Exception):
    """Base of every error that torchpaged raises on purpose."""


class ConfigError(TorchpagedError, ValueError):
    """An engine setting or a sampling parameter with an invalid value."""


class RequestError(TorchpagedError, ValueError):
    """A request that can never run. It is refused when it is added; other requests go on."""


class ModelError(TorchpagedError, ValueError):
    """A model that cannot be loaded, or whose architecture is not supported."""


class EngineError(TorchpagedError, RuntimeError):
    """An inconsistent engine: a bug, or a use that the documentation excludes."""


class EngineDeadError(EngineError):
    """A call to an engine that has ended. Make another engine."""


class EngineRestartingError(EngineDeadError):
    """A call to an engine whose process ended and is being restarted. Retry a little later."""


class MediaError(TorchpagedError, RuntimeError):
    """An image or sound on which the model's encoder fails. The requests that have it end; others go on.

    Args:
        content: `MediaItem.content`.
        reason: why it fails.
    """

    def __init__(self, content: str, reason: str) -> None:
        super().__init__(content, reason)
        self.content, self.reason = content, reason

    def __str__(self) -> str:
        return self.reason


class GradientError(TorchpagedError, NotImplementedError):
    """A derivative of an operator. The operators are for inference and define none."""


class TransformError(TorchpagedError, NotImplementedError):
    """A torch transform, or a placement of DTensors, for which an operator has no rule."""


class MissingPackageError(ConfigError, ImportError):
    """A missing package that one of torchpaged's extras installs."""


class InputError(TorchpagedError, ValueError):
    """An invalid command-line argument, or an unusable file that it names."""


# Some libraries repeat the refused value in their message, however long it is.
_LONGEST_REASON = 1000


def reason_of(error: BaseException) -> str:
    """Return another library's error as one line; transformers' prompt about `trust_remote_code` is rephrased."""
    text = str(error).strip()
    if "trust_remote_code" in text:
        return (
            "it brings Python code of its own, which runs only with trust_remote_code=True (--trust-remote-code on the "
            "command line); read the code first"
        )
    lines = [line.strip() for line in text.splitlines()] or [type(error).__name__]
    # A first line that ends in a colon only introduces the next.
    reason = " ".join(lines[: 2 if lines[0].endswith(":") else 1])
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}..."


# Packages of the extra "transformers".
_EXTRA = ("transformers", "numpy", "safetensors", "tqdm")


@contextmanager
def needing(what: str) -> Iterator[None]:
    """Raise a MissingPackageError with the pip command if an import for `what` lacks a package of the extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingPackageError(
            f"{what} needs {error.name}, which is not installed: pip install 'torchpaged[transformers]'"
        ) from error


def not_copied(owner: object) -> TypeError:
    """Return the error for `__reduce_ex__`, which pickling, copying and deep-copying all call."""
    return TypeError(
        f"{type(owner).__name__} holds a model and a pool of its device's memory, and cannot be pickled or copied; "
        "make one in each process that needs it, and send prompts and outputs"
    )


# Comparing longer names takes seconds at a megabyte, and they are hardly typing errors.
_LONGEST_NAME = 100


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message that suggests the nearest known name; empty if none is near."""
    import difflib  # imported here because it is rarely needed

    if len(name) > _LONGEST_NAME:
        return ""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
