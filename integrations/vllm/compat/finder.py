"""An import finder for `vllm` and its modules, which are made from the table in `names.py`."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from torchpaged.errors import did_you_mean
from torchpaged.integrations.vllm.compat.names import MODULES, reason

_PAGE = "docs/vllm.md lists the supported names"


class _Module(ModuleType):
    """A module under vLLM's name. Its names are imported on first access.

    Attributes:
        sources: where each name is imported from.
    """

    def __init__(self, name: str, sources: Mapping[str, str]) -> None:
        super().__init__(name, f"Names of vLLM's `{name}` for torchpaged's classes.")
        self.sources = sources
        self.__all__ = [each for each in sources if not each.startswith("_")]

    def __getattr__(self, name: str) -> Any:
        if (source := self.sources.get(name)) is not None:
            module, _, attribute = source.partition(":")
            value = getattr(importlib.import_module(module), attribute or name)
            setattr(self, name, value)
            return value
        if (why := reason(f"{self.__name__}:{name}")) is not None:
            raise ImportError(f"{self.__name__}.{name} is not in torchpaged: {why}; {_PAGE}", name=self.__name__)
        hint = did_you_mean(name, self.sources)
        raise AttributeError(f"torchpaged has no {name!r} under the name of vLLM's {self.__name__!r}{hint}; {_PAGE}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.sources})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finder of `vllm` and its modules; other imports are not affected."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != "vllm":
            return None
        if fullname not in MODULES:
            parent, _, name = fullname.rpartition(".")
            if name in MODULES.get(parent, {}):
                return None  # `import vllm.LLM`: a class is not a module
            why = reason(fullname)
            hint = f": {why}" if why is not None else did_you_mean(fullname, MODULES)
            raise ModuleNotFoundError(f"torchpaged has no module {fullname!r}{hint}; {_PAGE}", name=fullname)
        is_package = fullname == "vllm" or any(each.startswith(f"{fullname}.") for each in MODULES)
        return importlib.machinery.ModuleSpec(fullname, self, origin="torchpaged", is_package=is_package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _Module(spec.name, MODULES[spec.name])

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module's names are imported on access."""


_finder = _Finder()


def install() -> None:
    """Make `import vllm` give torchpaged's classes in this process; a second call does nothing.

    Raises:
        ImportError: vLLM itself has been imported.
    """
    found = sys.modules.get("vllm")
    if found is not None and not isinstance(found, _Module):
        raise ImportError(
            f"vLLM itself has been imported, from {getattr(found, '__file__', None)}; call "
            "torchpaged.vllm.install() before"
        )
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def uninstall() -> None:
    """Undo `install`. Objects that have been imported from these modules stay as they are."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    for name in [name for name, module in sys.modules.items() if isinstance(module, _Module)]:
        del sys.modules[name]
