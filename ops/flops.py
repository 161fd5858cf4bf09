"""The operators under torch.utils.flop_counter.FlopCounterMode, which counts from shapes: `Operator.flops`."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType

import torch

from torchpaged.ops.operator import NAMESPACE, Operator

_COUNTER = "torch.utils.flop_counter"


def register(operators: Iterable[Operator]) -> None:
    """Register the operators' formulas with torch's counter: now, or when it is imported.

    Importing it here would import Triton, which takes as long as all of torchpaged.
    """
    # The counter knows packets: one formula serves all overloads of a name.
    formulas = {each.overload.split(".")[0]: each.flops for each in operators if each.flops is not None}
    if _COUNTER in sys.modules:
        _register(sys.modules[_COUNTER], formulas)
    else:
        sys.meta_path.insert(0, _ImportHook(formulas))


def _register(counter: ModuleType, formulas: Mapping[str, Callable[..., int]]) -> None:
    for name, formula in formulas.items():
        counter.register_flop_formula(getattr(getattr(torch.ops, NAMESPACE), name))(formula)


class _ImportHook(importlib.abc.MetaPathFinder):
    """Finds the counter with the other finders, and registers the formulas once it is executed."""

    def __init__(self, formulas: Mapping[str, Callable[..., int]]) -> None:
        self._formulas = formulas

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return None for all other modules."""
        if fullname != _COUNTER:
            return None
        others = (finder.find_spec(fullname, path, target) for finder in sys.meta_path if finder is not self)
        spec = next((each for each in others if each is not None), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _register(module, self._formulas)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
