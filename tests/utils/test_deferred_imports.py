"""Imports of one package are deferred, in one thread and while asked for; all else is imported as ever."""

from __future__ import annotations

import builtins
import importlib
import pickle
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from torchpaged.utils.deferred_imports import DeferredImports, Replacements, StandIn
from torchpaged.utils.import_hook import after_import, is_imported

FILES = {
    "heavy_a/__init__.py": "",
    "heavy_a/shapes.py": "class Shape:\n    def __init__(self, n=0): self.n = n\n    @classmethod\n    def of(cls, n):"
    " return cls(n)\ndef area(shape): return shape.n\n",
    "heavy_b.py": "value = 7\ndef call(): return value\n",
    "stop_here.py": "",
    "light/__init__.py": "",
    "light/uses.py": "from heavy_a.shapes import Shape, area\nfrom heavy_b import call as renamed\n"
    "def is_shape(x: Shape | None) -> bool: return isinstance(x, Shape)\n"
    "def make(n): return Shape.of(n)\nkept = {'shape': Shape}\n",
    "light/inner.py": "from .uses import make\ndef late():\n    from heavy_b import call\n    return call()\n",
    "light/relative.py": "from .part import thing\n",
    "light/part.py": "thing = 5\n",
    "light/others.py": "from heavy_b import value, call\nimport heavy_b\n",
    "light/missing.py": "from heavy_c import call\n",
    "light/attempts.py": "try:\n    from heavy_a.gone import Gone\nexcept ImportError:\n    Gone = None\n",
    "light/stars.py": "from heavy_b import *\n",
    "elsewhere.py": "from heavy_b import call\n",
}
NAMES = {
    "heavy_a.shapes": ["Shape", "area"],
    "heavy_b": ["call"],
    "heavy_c": ["call"],
    "heavy_a.gone": ["Gone"],
    "light.part": ["thing"],
}


@pytest.fixture
def imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DeferredImports]:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield DeferredImports("light", NAMES, until="stop_here")
    for name in set(sys.modules) - before:
        del sys.modules[name]


def load(name: str) -> Any:
    return importlib.import_module(name)


def test_names_are_stand_ins_until_their_module_is_imported(imports: DeferredImports) -> None:
    with imports.active():
        uses = load("light.uses")
    assert "heavy_a" not in sys.modules and "heavy_b" not in sys.modules
    assert type(uses.Shape) is type(uses.renamed) is StandIn and "heavy_a.shapes.Shape" in repr(uses.Shape)
    assert not uses.is_shape(3) and not issubclass(int, uses.Shape)
    assert "heavy_a.shapes" not in sys.modules, "a question does not import"
    made = uses.make(4)
    shapes = load("heavy_a.shapes")
    assert uses.Shape is shapes.Shape and uses.area is shapes.area and uses.is_shape(made)
    assert uses.kept["shape"](2).n == 2 and isinstance(made, uses.kept["shape"])
    assert type(uses.renamed) is StandIn and uses.renamed() == 7
    assert uses.renamed is load("heavy_b").call


@pytest.mark.parametrize("name", ["light.others", "light.stars", "elsewhere"])
def test_other_statements_are_imports(imports: DeferredImports, name: str) -> None:
    with imports.active():
        found = load(name)
    assert found.call is load("heavy_b").call


def test_functions_import_what_they_ask_for(imports: DeferredImports) -> None:
    with imports.active():
        inner = load("light.inner")
        assert "heavy_b" not in sys.modules
        assert inner.late() == 7 and "heavy_b" in sys.modules


def test_relative_imports_are_deferred(imports: DeferredImports) -> None:
    with imports.active():
        relative = load("light.relative")
    assert type(relative.thing) is StandIn and "light.part" not in sys.modules
    assert load("light.part").thing is relative.thing


def test_modules_that_do_not_exist_raise_where_they_are_imported(imports: DeferredImports) -> None:
    with imports.active():
        with pytest.raises(ModuleNotFoundError, match="heavy_c"):
            load("light.missing")
        assert load("light.attempts").Gone is None


@pytest.mark.parametrize("name", ["heavy_b", "stop_here"])
def test_nothing_is_deferred_after_an_import(imports: DeferredImports, name: str) -> None:
    load(name)
    with imports.active():
        assert type(load("light.uses").renamed) is not StandIn


def test_a_name_that_is_gone_stays_a_stand_in(imports: DeferredImports, tmp_path: Path) -> None:
    (tmp_path / "heavy_b.py").write_text("")
    with imports.active():
        uses = load("light.uses")
    load("heavy_b")
    imports.resolve()
    with pytest.raises(AttributeError, match="call"):
        uses.renamed()


def test_other_threads_import(imports: DeferredImports) -> None:
    found = []
    with imports.active():
        thread = threading.Thread(target=lambda: found.append(load("light.uses").renamed))
        thread.start()
        thread.join()
    assert found == [load("heavy_b").call]


def test_it_may_be_nested(imports: DeferredImports) -> None:
    own: Any = builtins.__import__
    with imports.active():
        with imports.active():
            pass
        assert type(load("light.uses").renamed) is StandIn
    assert builtins.__import__ is own
    with pytest.raises(KeyError), imports.active():
        raise KeyError
    assert builtins.__import__ is own


def test_resolve_puts_all_back(imports: DeferredImports) -> None:
    with imports.active():
        uses = load("light.uses")
    imports.resolve()
    assert not [each for each in vars(uses).values() if type(each) is StandIn]


def test_stand_ins_pickle_and_subclass_as_what_they_stand_for(imports: DeferredImports) -> None:
    with imports.active():
        uses = load("light.uses")
    data, shape = pickle.dumps(uses.Shape), uses.Shape
    exec("class Own(shape): pass", {"shape": shape}, scope := {})
    own: Any = scope["Own"]
    assert pickle.loads(data) is load("heavy_a.shapes").Shape is own.__mro__[1]


def test_a_replacement_of_a_replacement_stays() -> None:
    module: Any = ModuleType("replaced")
    module.call = lambda: 1
    own, replaced = module.call, Replacements()
    replaced.replace(module, "call", lambda original: lambda: original() + 1)
    replaced.replace(module, "absent", lambda original: original)
    first = module.call
    module.call = lambda: first() * 10
    replaced.restore()
    assert module.call() == 20 and not hasattr(module, "absent")
    module.call = own
    replaced.replace(module, "call", lambda original: lambda: original() + 1)
    replaced.restore()
    assert module.call is own


def test_after_import(imports: DeferredImports) -> None:
    seen: list[str] = []
    for number in (1, 2):
        after_import("heavy_b", lambda module, number=number: seen.append(f"{module.__name__} {module.value} {number}"))
    assert not seen and not is_imported("heavy_b")
    load("heavy_b")
    assert seen == ["heavy_b 7 1", "heavy_b 7 2"] and is_imported("heavy_b")
    after_import("heavy_b", lambda module: seen.append("now"))
    assert seen[2:] == ["now"]
    importlib.reload(load("heavy_b"))
    assert len(seen) == 3
