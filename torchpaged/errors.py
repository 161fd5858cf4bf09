"""Typed errors: what was wrong, the value, the limit, what to do. They say it in one message each."""

from __future__ import annotations


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


class GradientError(TorchpagedError, NotImplementedError):
    """A derivative of an operator was asked for; the operators are for inference and have none."""
