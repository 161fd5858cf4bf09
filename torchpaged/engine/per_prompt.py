"""Arguments of a call that are one value for all prompts, or one for each: parameters, priorities, adapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from torchpaged.errors import ConfigError
from torchpaged.lora_request import LoRARequest
from torchpaged.sampling_params import BeamSearchParams, RequestOutputKind, SamplingParams

# An adapter for all prompts of a call, or one each.
Adapters = LoRARequest | Sequence[LoRARequest | None] | None

_T = TypeVar("_T")


def require_count(name: str, values: Any, count: int) -> None:
    """Raise a ConfigError for anything but a sequence of one value for each prompt."""
    expected = f"one for each of {count} prompts"
    try:
        length = len(values)
    except TypeError:
        raise ConfigError(f"{name} is {values!r:.80}, expected {expected}") from None
    if length != count:
        raise ConfigError(f"{name} has {length} entries, expected {expected}")


def one_each(name: str, given: Any, kind: type[_T], count: int, expected: str) -> list[_T]:
    """Return a value for each prompt.

    Args:
        name: of method and argument, for messages.
        given: a value of this kind, or a sequence of them, whose entries are not checked.
        expected: the whole of what may be given, for messages.

    Raises:
        ConfigError: it is neither, or a sequence of another length.
    """
    if isinstance(given, kind):
        return [given] * count
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Sequence):
        raise ConfigError(f"{name} is {given!r:.80}, expected {expected}")
    require_count(name, given, count)
    return list(given)


def priorities_of(method: str, priority: int | Sequence[int] | None, count: int) -> list[int]:
    """Return a priority for each prompt; None: 0."""
    expected = f"an integer or one for each of {count} prompts"
    return one_each(f"{method}: priority", 0 if priority is None else priority, int, count, expected)


def adapters_of(method: str, lora_request: Adapters, count: int) -> Sequence[LoRARequest | None]:
    """Return the adapter of each prompt."""
    if lora_request is None:
        return [None] * count
    expected = f"a LoRARequest, one for each of {count} prompts, or None"
    return one_each(f"{method}: lora_request", lora_request, LoRARequest, count, expected)


def sampling_params_of(
    method: str,
    given: SamplingParams | Sequence[SamplingParams | None] | None,
    count: int,
    default: SamplingParams,
    with_output_kind: Callable[[SamplingParams], SamplingParams],
) -> list[SamplingParams]:
    """Return parameters for each prompt.

    Args:
        default: stands in for None.
        with_output_kind: `final_only` or `as_deltas`, as the method needs.
    """
    expected = f"SamplingParams, or one for each of {count} prompts"
    hint = "; LLM.beam_search takes it" if isinstance(given, BeamSearchParams) else ""
    every = one_each(
        f"{method}: sampling_params", default if given is None else given, SamplingParams, count, expected + hint
    )
    for each in every:
        if not (each is None or isinstance(each, SamplingParams)):
            raise ConfigError(f"{method}: sampling_params has {each!r:.80}, expected {expected}")
    return [with_output_kind(default if each is None else each) for each in every]


def final_only(params: SamplingParams) -> SamplingParams:
    """Return parameters that give one output, at the end."""
    return replace(params, output_kind=RequestOutputKind.FINAL_ONLY)


def as_deltas(params: SamplingParams) -> SamplingParams:
    """Return parameters that give deltas, unless FINAL_ONLY is set."""
    if params.output_kind is RequestOutputKind.FINAL_ONLY:
        return params
    return replace(params, output_kind=RequestOutputKind.DELTA)
