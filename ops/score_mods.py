"""Scores and masks of one's own: `register_score_mod` and `register_mask_mod`, and the names that they give.

A function of FlexAttention's form is traced once, by `score_tracing.py`, into a `Program` of `score_programs.py`. An
operator takes a program by its name, so that its schema stays one of plain values.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from torchpaged.errors import did_you_mean
from torchpaged.ops import cpu
from torchpaged.ops.checks import refuse
from torchpaged.ops.score_programs import Program
from torchpaged.ops.score_tracing import trace


class _Registered:
    """The programs of one registration. They outlive their name while a backward pass is to use them.

    Args:
        key: stands for this registration alone, in place of the name. No name has a tab.
        programs: by argument; a "slope_mod" is the derivative of the "score_mod" by the score.
    """

    _numbers = itertools.count()

    def __init__(self, name: str, programs: Mapping[str, Program]) -> None:
        self.key, self.programs = f"{name}\t{next(self._numbers)}", programs
        for argument, found in programs.items():
            cpu.register_program(argument, name, self.key, found.words(), found.result, found.tables)
            weakref.finalize(self, cpu.forget_program, argument, self.key).atexit = False


_programs: dict[str, dict[str, _Registered]] = {"score_mod": {}, "mask_mod": {}}
_by_key: weakref.WeakValueDictionary[str, _Registered] = weakref.WeakValueDictionary()


class _Pinned(str):
    """A registration's key, which keeps it."""

    def __new__(cls, registered: _Registered) -> _Pinned:
        made = super().__new__(cls, registered.key)
        made.registered = registered
        return made

    registered: _Registered


def register_score_mod(name: str, fn: Callable[..., Any]) -> None:
    """Give a function of scores a name for `score_mod` of `paged_attention` and `varlen_attention`.

    Args:
        name: printable characters. Registering it again replaces the function for later calls; a backward pass uses
            the function of its forward.
        fn: `fn(score, b, h, q_idx, kv_idx)` as FlexAttention takes it: from a score (float32, after scale, softcap,
            ALiBi and biases), the sequence's place in the call, the query head, and the positions of query and key in
            their sequence it computes the score that the softmax takes. Arithmetic, powers, comparisons,
            `torch.where`, min and max, exp, log, sqrt, tanh, sigmoid, and captured tensors indexed by such numbers,
            which are copied; no `if`.

    Raises:
        TypeError: the name is no str, or the function cannot be called.
        ValueError: the function cannot be traced, or does something else; the message names it.
    """
    _register("score_mod", name, fn)


def register_mask_mod(name: str, fn: Callable[..., Any]) -> None:
    """Give a mask's function a name for `mask_mod` of `paged_attention` and `varlen_attention`.

    Args:
        name: as for `register_score_mod`.
        fn: `fn(b, h, q_idx, kv_idx)` as FlexAttention takes it: True where the query sees the key. The operator's own
            causality and windows hold besides.

    Raises:
        TypeError, ValueError: as for `register_score_mod`.
    """
    _register("mask_mod", name, fn)


def program(op: str, argument: str, name: str) -> Program:
    """Return a registered program. Raises ValueError, which names the operator and its argument."""
    named = _programs["score_mod" if argument == "slope_mod" else argument]
    found = named.get(name) or _by_key.get(name)
    if found is None:
        hint = did_you_mean(name, named)
        refuse(op, argument, f"is {name!r}", f"a name that register_{argument} was given{hint}")
    assert found is not None
    return found.programs[argument]


def pin(options: Mapping[str, Any]) -> dict[str, str]:
    """Return `score_mod` and `mask_mod` as keys of what the names stand for now, for a forward and its backward.

    While a graph is traced they stay names: a graph may run in another process, whose keys are others.
    """
    found = {argument: _programs[argument].get(options.get(argument, "")) for argument in _programs}
    if not any(found.values()):
        return {}
    from torch.fx.experimental.proxy_tensor import get_proxy_mode

    if get_proxy_mode() is not None:
        return {}
    return {argument: _Pinned(each) for argument, each in found.items() if each is not None}


def check(op: str, options: Mapping[str, Any]) -> None:
    """Check the options `score_mod` and `mask_mod`."""
    for argument in ("score_mod", "mask_mod"):
        if (name := options.get(argument)) is not None:
            program(op, argument, name)


def uses_head(options: Mapping[str, Any], argument: str) -> bool:
    """Return whether an option names a program that tells heads apart."""
    name = options.get(argument)
    return name is not None and program("attention", argument, name).uses("h")


def score(op: str, options: Mapping[str, Any], scores: Tensor, sequence: int, q_pos: Tensor) -> tuple[Tensor, Any]:
    """Return scores [heads, rows, keys] after `score_mod`, and its derivative; `q_pos` has the rows' positions."""
    if (name := options.get("score_mod")) is None:
        return scores, 1.0
    arguments = _arguments(scores.shape[0], sequence, q_pos, scores.shape[2])
    found, slope = (program(op, each, name).evaluate(scores, *arguments) for each in ("score_mod", "slope_mod"))
    return found.expand(scores.shape), slope


def mask(op: str, options: Mapping[str, Any], visible: Tensor, num_heads: int, sequence: int, q_pos: Tensor) -> Tensor:
    """Return which keys are seen, [1 or heads, rows, keys], less those that `mask_mod` hides."""
    if options.get("mask_mod") is None:
        return visible
    found = program(op, "mask_mod", options["mask_mod"])
    heads = num_heads if found.uses("h") else 1
    return visible & found.evaluate(None, *_arguments(heads, sequence, q_pos, visible.shape[2]))


def _arguments(heads: int, sequence: int, q_pos: Tensor, num_keys: int) -> tuple[int, Tensor, Tensor, Tensor]:
    h, kv_idx = (torch.arange(n, device=q_pos.device) for n in (heads, num_keys))
    return sequence, h[:, None, None], q_pos[None, :, None], kv_idx[None, None]


def _register(argument: str, name: str, fn: Callable[..., Any]) -> None:
    where = f"register_{argument}"
    if not isinstance(name, str):
        raise TypeError(f"{where}: name is {name!r}, expected a str")
    if not name:
        raise ValueError(f"{where}: name is empty, expected a word to call the function by")
    if not name.isprintable():  # nor can a lone surrogate be encoded
        raise ValueError(f"{where}: name is {name!a}, expected printable characters")
    if not callable(fn):
        raise TypeError(f"{where}: fn is {fn!r}, expected a function")
    registered = _Registered(name, trace(f"{where}: fn of {name!r}", fn, argument))
    _programs[argument][name] = _by_key[registered.key] = registered
