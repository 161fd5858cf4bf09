"""Logits processors: user code between the logits and sampling, in vLLM's protocol.

A class processes all requests of a step at once. It is passed to `LLM(..., logits_processors=[...])`, as a class or by
its name, "module:Class", or registered as an entry point of the group "torchpaged.logits_processors" or
"vllm.logits_processors". A function processes one request and is passed to `SamplingParams(logits_processors=[...])`.
"""

from __future__ import annotations

import enum
import functools
import importlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, TypeVar

from torchpaged.config import VllmConfig
from torchpaged.errors import ConfigError
from torchpaged.sampling_params import SamplingParams

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_T = TypeVar("_T")

GROUPS = ("torchpaged.logits_processors", "vllm.logits_processors")
# (generated tokens, logits) or (prompt, generated tokens, logits) -> logits; [vocab_size] float32.
RequestLogitsProcessor = Callable[..., Any]


class MoveDirectionality(enum.Enum):
    """Direction of a request's move within the batch."""

    UNIDIRECTIONAL = enum.auto()  # to the second index; the first becomes free or gets another request
    SWAP = enum.auto()  # the two requests swap indices


@dataclass(frozen=True)
class BatchUpdate:
    """Changes of the batch since the last step, to be applied in the order removed, added, moved.

    Args:
        batch_size: number of requests; their indices are below it.
        removed: indices that became free.
        added: (index, parameters, prompt tokens, generated tokens); the last is a list that grows with the request. An
            earlier request at the index has left.
        moved: (from, to, direction).
    """

    batch_size: int
    removed: Sequence[int]
    added: Sequence[tuple[int, SamplingParams, list[int] | None, list[int]]]
    moved: Sequence[tuple[int, int, MoveDirectionality]]


class LogitsProcessor(ABC):
    """Transformation of the logits of all requests of a step.

    Before tokens are sampled the engine calls `update_state`, then `apply`. The batch has the requests that sample a
    token in this step; a preempted request leaves it and returns later with the tokens that it has.

    Args:
        vllm_config: settings of the engine.
        device: device of the logits.
        is_pin_memory: host memory should be pinned.
    """

    @classmethod
    def validate_params(cls, sampling_params: SamplingParams) -> None:
        """Raise a ValueError for parameters that the processor does not support; the request is then refused."""
        return None

    @abstractmethod
    def __init__(self, vllm_config: VllmConfig, device: torch.device, is_pin_memory: bool) -> None: ...

    @abstractmethod
    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """Apply changes of the batch; None: there are none since the last step."""

    @abstractmethod
    def apply(self, logits: Tensor) -> Tensor:
        """Return the new logits for [batch_size, vocab_size] float32; they may be changed in place."""

    @abstractmethod
    def is_argmax_invariant(self) -> bool:
        """Return whether the most likely token stays the same. If so, `apply` runs after penalties and temperature and
        is irrelevant to greedy requests; else it runs before them."""


class AdapterLogitsProcessor(LogitsProcessor):
    """A processor that applies a function to each request that asks for one."""

    def __init__(self, vllm_config: VllmConfig, device: torch.device, is_pin_memory: bool) -> None:
        self.req_info: dict[int, Callable[[Tensor], Tensor]] = {}

    @abstractmethod
    def new_req_logits_processor(self, params: SamplingParams) -> RequestLogitsProcessor | None:
        """Return the function for a request, or None."""

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """Make and drop functions as requests come and go."""

        def begun(params: SamplingParams, prompt: list[int] | None, made: list[int]) -> Callable[[Tensor], Any] | None:
            function = self.new_req_logits_processor(params)
            return None if function is None else with_tokens(function, prompt or [], made)

        process_dict_updates(self.req_info, batch_update, begun)

    def apply(self, logits: Tensor) -> Tensor:
        """Apply each request's function to its row."""
        for index, function in self.req_info.items():
            logits[index] = function(logits[index])
        return logits


def with_tokens(function: RequestLogitsProcessor, prompt: list[int], made: list[int]) -> Callable[[Tensor], Any]:
    """Bind a request's tokens to its function, which leaves a function of the logits."""
    count = len(inspect.signature(function).parameters)
    return functools.partial(function, prompt, made) if count >= 3 else functools.partial(function, made)


def process_dict_updates(
    entries: dict[int, _T],
    batch_update: BatchUpdate | None,
    new_state: Callable[[SamplingParams, list[int] | None, list[int]], _T | None],
) -> bool:
    """Update a processor's state by batch index; return whether it changed.

    Args:
        new_state: makes the state of an added request; None: the request has none.
    """
    if batch_update is None:
        return False
    before = dict(entries)
    for index in batch_update.removed:
        entries.pop(index, None)
    for index, params, prompt, made in batch_update.added:
        entries.pop(index, None)
        if (state := new_state(params, prompt, made)) is not None:
            entries[index] = state
    for source, target, how in batch_update.moved:
        found, other = entries.pop(source, None), entries.pop(target, None)
        if found is not None:
            entries[target] = found
        if how is MoveDirectionality.SWAP and other is not None:
            entries[source] = other
    return entries.keys() != before.keys() or any(entries[index] is not before[index] for index in entries)


_METHODS = ("update_state", "apply", "is_argmax_invariant")


@functools.cache
def installed() -> tuple[str, ...]:
    """Return the names, "module:Class", that installed packages register; the entry points are read once."""
    return tuple(point.value for group in GROUPS for point in entry_points(group=group))


def load(given: Iterable[str | type]) -> tuple[type[LogitsProcessor], ...]:
    """Import the classes that are given by name.

    Args:
        given: classes, or names of the form "module:Class".

    Raises:
        ConfigError: a name that cannot be imported, or not a class with the methods of `LogitsProcessor`.
    """
    return tuple(_class_of(each) for each in given)


def _class_of(given: str | type) -> type[LogitsProcessor]:
    found: Any = given
    if isinstance(given, str):
        module, _, name = given.partition(":")
        try:
            found = functools.reduce(getattr, name.split("."), importlib.import_module(module))
        except (ImportError, AttributeError, ValueError) as error:
            raise ConfigError(
                f"EngineConfig: logits_processors has {given!r}, expected 'module:Class': {error}"
            ) from error
    # Checked by methods, not by base class: a processor written for vLLM derives from vLLM's class.
    missing = [name for name in _METHODS if not callable(getattr(found, name, None))]
    if not isinstance(found, type) or missing:
        lacks = f"; it has no {missing[0]}" if missing else ""
        raise ConfigError(
            f"EngineConfig: logits_processors has {given!r:.100}, expected a class like "
            f"torchpaged.logits_processors.LogitsProcessor{lacks}; functions go to "
            "SamplingParams(logits_processors=...)"
        )
    return found
