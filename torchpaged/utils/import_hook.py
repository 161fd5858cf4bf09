"""Runs callbacks once a module is imported, by any code and at any time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_callbacks: dict[str, list[Callable[[ModuleType], None]]] = {}


class _Finder(MetaPathFinder):
    """Finds modules as the other finders do, and runs the callbacks once the module has run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _callbacks:
            return None
        others = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next((spec for finder in others if (spec := finder.find_spec(fullname, path, target))), None)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_with_callbacks(module: ModuleType) -> None:
                run(module)
                if module.__name__ == fullname:  # a loader may serve several modules
                    for callback in _callbacks.pop(fullname, ()):
                        callback(module)

            spec.loader.exec_module = run_with_callbacks  # type: ignore[method-assign]  # on this instance alone
        return spec


_FINDER = _Finder()


def is_imported(name: str) -> bool:
    """Return whether a module was imported and has run to its end."""
    module = sys.modules.get(name)
    return module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False)


def after_import(name: str, callback: Callable[[ModuleType], None]) -> None:
    """Call `callback(module)` once after the module's next import, or now if it is imported already."""
    if is_imported(name):
        callback(sys.modules[name])
        return
    _callbacks.setdefault(name, []).append(callback)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
