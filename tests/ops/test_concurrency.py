"""Operators from several threads at once, and in a process that was forked."""

from __future__ import annotations

import os
import threading
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

from tests.ops.test_library import samples
from torchpaged.ops import library

THREADS, ROUNDS = 8, 3


def tensors(*trees: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(trees) if isinstance(leaf, Tensor)]


def called(operator: library.Operator, sample: tuple[Any, Any], clone: bool = True) -> list[Tensor]:
    """Return the bytes that a call returns, and those of its arguments after it."""
    args, kwargs = tree_map(lambda x: x.clone() if clone and isinstance(x, Tensor) else x, sample)
    result = operator.packet(library.NAMESPACE)(*args, **kwargs)
    flat = (each.resolve_neg().contiguous() for each in tensors(result, args, kwargs))
    return [each.view(torch.uint8) if each.dim() else each for each in flat]


def differing(given: dict[str, tuple[Any, Any]], expected: dict[str, list[Tensor]]) -> list[str]:
    return [
        operator.overload
        for operator in library.OPERATORS
        for found, wanted in [(called(operator, given[operator.overload]), expected[operator.overload])]
        if not all(map(torch.equal, found, wanted))
    ]


def test_eight_threads_get_the_same_bits() -> None:
    given, wrong = samples(), []
    expected = {operator.overload: called(operator, given[operator.overload]) for operator in library.OPERATORS}
    begin = threading.Barrier(THREADS)

    def work() -> None:
        begin.wait()
        for _ in range(ROUNDS):
            wrong.extend(differing(given, expected))

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_process_gets_the_same_bits() -> None:
    """With one thread, as in torch's workers: OpenMP's threads do not survive a fork."""
    given = samples()
    expected = {operator.overload: called(operator, given[operator.overload]) for operator in library.OPERATORS}
    child = os.fork()
    if child == 0:
        status = 1
        try:
            torch.set_num_threads(1)
            status = 2 if differing(given, expected) else 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
