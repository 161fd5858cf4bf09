"""Defers imports that a package makes at its own import and that this process may never need.

Inside `DeferredImports.active`, an import statement of the package's modules (not of its functions, and in this thread
only) that asks for known names gets stand-ins, as long as their module is not imported. A stand-in imports its module
when it is called, subclassed or asked for an attribute. Once the module is imported, by any code, the stand-ins
among the package's globals are replaced by the real objects. All other imports are ordinary ones.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import inspect
import sys
import threading
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.machinery import PathFinder
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any, ForwardRef, Union

from torchpaged.utils.import_hook import after_import


class Replacements:
    """Attributes of modules that are replaced for a while."""

    def __init__(self) -> None:
        self._restore: list[tuple[ModuleType, str, Any, Any]] = []

    def replace(self, module: ModuleType, name: str, wrap: Callable[[Any], Any]) -> None:
        """Replace an attribute by `wrap` of it; a module that does not have it stays as it is."""
        if name in vars(module):
            original = vars(module)[name]
            value = wrap(original)
            setattr(module, name, value)
            self._restore.append((module, name, value, original))

    def restore(self) -> None:
        """Restore all attributes, except where another program has put its own over ours, which pass calls on."""
        while self._restore:
            module, name, value, original = self._restore.pop()
            if vars(module).get(name) is value:
                setattr(module, name, original)


class DeferredImports:
    """The imports of a package that are deferred.

    Args:
        package: a top-level package.
        names: by module, the names that may be deferred: functions, and classes that the package's modules only call
            from functions, or name in annotations, `isinstance` and `issubclass`.
        until: a module after whose import nothing is deferred any more.
        replace: further replacements to make while `active`, see `is_import`.
    """

    def __init__(
        self,
        package: str,
        names: Mapping[str, Collection[str]],
        *,
        until: str = "",
        replace: Callable[[Replacements], None] = lambda _: None,
    ) -> None:
        self._prefix = package + "."
        self._names = {module: frozenset(each) for module, each in names.items()}
        self._until, self._replace = until, replace
        self._stand_ins: dict[tuple[str, str], StandIn] = {}
        self._lock = threading.Lock()
        self._here = threading.local()
        self._threads = 0
        self._replaced = Replacements()

    @contextmanager
    def active(self) -> Generator[None]:
        """Defer the imports of this thread. May be nested, and active in several threads."""
        if getattr(self._here, "active", False):
            yield
            return
        with self._lock:
            self._threads += 1
            if self._threads == 1:
                self._replaced.replace(builtins, "__import__", self._importing)
                self._replace(self._replaced)
        self._here.active = True
        try:
            yield
        finally:
            self._here.active = False
            for key in list(self._stand_ins):  # another thread may have imported it before it was bound
                if key[0] in sys.modules:
                    self._put_back(key, sys.modules[key[0]])
            with self._lock:
                self._threads -= 1
                if not self._threads:
                    self._replaced.restore()

    def is_import(self, caller: FrameType | None) -> bool:
        """Return whether a frame runs a module of the package, not one of its functions, and imports are deferred."""
        if caller is None or not getattr(self._here, "active", False) or caller.f_code.co_flags & inspect.CO_OPTIMIZED:
            return False
        if self._until in sys.modules:
            return False
        return str(caller.f_globals.get("__name__")).startswith(self._prefix)

    def resolve(self) -> None:
        """Import the modules of all stand-ins. One that cannot be imported raises where it is used."""
        for each in list(self._stand_ins.values()):
            with suppress(Exception):
                each.resolve()

    def _importing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def import_(
            name: str,
            globals: Mapping[str, Any] | None = None,
            locals: Mapping[str, Any] | None = None,
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> Any:
            if fromlist and globals is not None and self.is_import(sys._getframe(1)):
                module = name
                if level:
                    with suppress(ImportError):  # the original raises it again
                        module = importlib.util.resolve_name("." * level + name, globals.get("__package__"))
                known = self._names.get(module)
                if known is not None and known.issuperset(fromlist) and module not in sys.modules and _exists(module):
                    return self._deferred(module, fromlist)
            return original(name, globals, locals, fromlist, level)

        return import_

    def _deferred(self, module: str, names: Sequence[str]) -> SimpleNamespace:
        """Return what the import statement takes for the module."""
        found = {}
        for name in names:
            key = (module, name)
            if key not in self._stand_ins:
                self._stand_ins[key] = StandIn(module, name)
                after_import(module, partial(self._put_back, key))
            found[name] = self._stand_ins[key]
        return SimpleNamespace(**found)

    def _put_back(self, key: tuple[str, str], module: ModuleType) -> None:
        stand_in = self._stand_ins[key]
        self.replace_globals(stand_in, getattr(module, key[1], stand_in))

    def replace_globals(self, old: Any, new: Any) -> None:
        """Replace an object wherever it is a global of the package's modules."""
        for each in [found for name, found in list(sys.modules.items()) if name.startswith(self._prefix)]:
            variables: dict[str, Any] = getattr(each, "__dict__", {})
            for name in [name for name, value in list(variables.items()) if value is old]:
                variables[name] = new


class StandIn:
    """A stand-in for a class or function of a module that has not been imported."""

    def __init__(self, module: str, name: str) -> None:
        self._from, self.__name__ = module, name

    def resolve(self) -> Any:
        """Import the module and return the real object."""
        return _imported(self._from, self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.resolve()(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # inspect, typing and functools ask all objects for theirs
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return getattr(self.resolve(), name)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._known())

    def __subclasscheck__(self, subclass: type) -> bool:
        return issubclass(subclass, self._known())

    def _known(self) -> Any:
        """Return the class; () before its module is imported: there can be no instances."""
        return getattr(sys.modules.get(self._from), self.__name__, ())

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self.resolve(),)

    def __or__(self, other: Any) -> Any:
        return Union[ForwardRef(self.__name__), other]  # noqa: UP007 - a ForwardRef has no |

    def __ror__(self, other: Any) -> Any:
        return Union[other, ForwardRef(self.__name__)]  # noqa: UP007

    def __reduce__(self) -> Any:
        return _imported, (self._from, self.__name__)

    def __repr__(self) -> str:
        return f"<{self._from}.{self.__name__}, not imported yet>"


def _imported(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _exists(name: str) -> bool:
    """Return whether a module can be found, without importing the packages that it is in."""
    path: Any = None
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:count]), path)
        if spec is None:
            return False
        path = spec.submodule_search_locations
    return True
