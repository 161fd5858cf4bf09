"""Logits processors: code of one's own between the logits and the choice of tokens, in vLLM's protocol.

A class sees all requests of a step at once and is given to `LLM(..., logits_processors=[...])`, itself or by its name,
"module:Class", or by an entry point of the group "torchpaged.logits_processors" or "vllm.logits_processors". A function
sees one request and is given to `SamplingParams(logits_processors=[...])`.
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
    """How a request has moved within the batch."""

    UNIDIRECTIONAL = enum.auto()  # to the second index; the first is nobody's then, or somebody else's
    SWAP = enum.auto()  # the two have changed places


@dataclass(frozen=True)
class BatchUpdate:
    """Who stands where in the batch since the last step. What has left is told first, then who came, then who moved.

    Args:
        batch_size: requests, which have the indices below it.
        removed: indices that nobody has any more.
        added: (index, parameters, prompt's tokens, generated tokens): the last is a list that grows as tokens come.
            Whoever had the index is gone.
        moved: (from, to, how).
    """

    batch_size: int
    removed: Sequence[int]
    added: Sequence[tuple[int, SamplingParams, list[int] | None, list[int]]]
    moved: Sequence[tuple[int, int, MoveDirectionality]]


class LogitsProcessor(ABC):
    """Changes the logits of a step's requests, all at once.

    It is asked before each choice of tokens: `update_state`, then `apply`. A request is in the batch in those steps
    that choose a token of it: one that is preempted leaves it, and comes back with the tokens that it has.

    Args:
        vllm_config: what it may want to know of the engine.
        device: of the logits.
        is_pin_memory: whether memory on the host should be pinned.
    """

    @classmethod
    def validate_params(cls, sampling_params: SamplingParams) -> None:
        """Raises ValueError for parameters that it cannot use; their request is refused."""
        return None

    @abstractmethod
    def __init__(self, vllm_config: VllmConfig, device: torch.device, is_pin_memory: bool) -> None: ...

    @abstractmethod
    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """Who stands where; None: as in the last step."""

    @abstractmethod
    def apply(self, logits: Tensor) -> Tensor:
        """Logits [batch_size, vocab_size] float32, which may be changed in place, to logits of the same shape."""

    @abstractmethod
    def is_argmax_invariant(self) -> bool:
        """Whether the likeliest token stays the likeliest. It sees the logits behind penalties and temperature then,
        else before them, and what it does to greedy requests means nothing."""


class AdapterLogitsProcessor(LogitsProcessor):
    """Makes a processor of functions, one for each request that wants any."""

    def __init__(self, vllm_config: VllmConfig, device: torch.device, is_pin_memory: bool) -> None:
        self.req_info: dict[int, Callable[[Tensor], Tensor]] = {}

    @abstractmethod
    def new_req_logits_processor(self, params: SamplingParams) -> RequestLogitsProcessor | None:
        """The function for a request; None: it goes without."""

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """`LogitsProcessor.update_state`."""

        def begun(params: SamplingParams, prompt: list[int] | None, made: list[int]) -> Callable[[Tensor], Any] | None:
            function = self.new_req_logits_processor(params)
            return None if function is None else with_tokens(function, prompt or [], made)

        process_dict_updates(self.req_info, batch_update, begun)

    def apply(self, logits: Tensor) -> Tensor:
        """`LogitsProcessor.apply`."""
        for index, function in self.req_info.items():
            logits[index] = function(logits[index])
        return logits


def with_tokens(function: RequestLogitsProcessor, prompt: list[int], made: list[int]) -> Callable[[Tensor], Any]:
    """A request's function as one of its logits alone."""
    count = len(inspect.signature(function).parameters)
    return functools.partial(function, prompt, made) if count >= 3 else functools.partial(function, made)


def process_dict_updates(
    entries: dict[int, _T],
    batch_update: BatchUpdate | None,
    new_state: Callable[[SamplingParams, list[int] | None, list[int]], _T | None],
) -> bool:
    """Brings what a processor keeps by index up to date; returns whether anything has changed.

    Args:
        new_state: of one that came; None: nothing is kept of it.
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
    """The names of all that installed packages offer, "module:Class"; looked for once."""
    return tuple(point.value for group in GROUPS for point in entry_points(group=group))


def load(given: Iterable[str | type]) -> tuple[type[LogitsProcessor], ...]:
    """The classes that are meant.

    Args:
        given: classes, or their names.

    Raises:
        ConfigError: a name of nothing, or something else than a class with the methods of `LogitsProcessor`.
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
    # Not the class itself: one that was written for vLLM is another's.
    missing = [name for name in _METHODS if not callable(getattr(found, name, None))]
    if not isinstance(found, type) or missing:
        lacks = f"; it has no {missing[0]}" if missing else ""
        raise ConfigError(
            f"EngineConfig: logits_processors has {given!r:.100}, expected a class like "
            f"torchpaged.logits_processors.LogitsProcessor{lacks}; functions go to "
            "SamplingParams(logits_processors=...)"
        )
    return found
