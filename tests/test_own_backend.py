"""examples/own_backend: a user's backend, operator and rewrite, by their names and installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
import torch

from torchpaged import ops
from torchpaged.ops import library, plugins

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "examples" / "own_backend"
OPS = torch.ops.torchpaged


def ints(*values: Any) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int32)


def step(**options: Any) -> torch.Tensor:
    """Run a prompt of 7 tokens and a decode step at 5, over shuffled blocks of 4; two rows of padding."""
    generator = torch.Generator().manual_seed(0)
    query, keys, values = (torch.randn(*shape, 16, generator=generator) for shape in ((10, 4), (6, 4, 2), (6, 4, 2)))
    tables, lens, starts = ints([4, 2], [1, 5]), ints(7, 5), ints(0, 7, 8)
    out: torch.Tensor = OPS.paged_attention(query, keys, values, tables, lens, starts, **options)
    return out


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install as pip would: the module can be imported, and its entry point is known."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    point = EntryPoint("own-sdpa", "own_backend:register", plugins.GROUP)
    broken = EntryPoint("broken", "no_such_module:register", plugins.GROUP)
    silent = EntryPoint("silent", "builtins:dict", plugins.GROUP)
    both = [EntryPoint("twice", f"{package}:register", plugins.GROUP) for package in ("theirs", "others")]
    monkeypatch.setattr(plugins, "entry_points", lambda *, group: [point, broken, silent, *both])
    yield
    ops.set_backend(None)
    if any(row.name == "own-sdpa" for row in ops.backends("paged_attention", "cpu")):
        library.unregister_backend("paged_attention", "cpu", "own-sdpa")


def test_the_backend_by_its_name(installed: None) -> None:
    expected = step()
    before = ops.active_backend("write_kv_cache", "cpu")
    ops.set_backend("own-sdpa", op="paged_attention")
    assert ops.active_backend("paged_attention", "cpu") == "own-sdpa"
    assert ops.active_backend("write_kv_cache", "cpu") == before, "of the other operators nothing was asked"
    found = step()
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    assert not torch.equal(found, expected), "another kernel"
    with pytest.raises(NotImplementedError, match="'own-sdpa' does not support softcap"):
        step(softcap=3.0)
    ops.set_backend(None, op="paged_attention")
    library._warned.clear()
    with pytest.warns(UserWarning, match="falls back to"):
        step(softcap=3.0)


def test_one_operators_backend_beside_everybodys(installed: None) -> None:
    ops.set_backend("reference")
    ops.set_backend("own-sdpa", op="paged_attention")
    assert ops.active_backend("paged_attention", "cpu") == "own-sdpa"
    assert ops.active_backend("rms_norm", "cpu") == "reference"
    ops.set_backend(None)
    assert ops.active_backend("rms_norm", "cpu") == library.backends("rms_norm", "cpu")[0].name


def test_names_that_are_none(installed: None) -> None:
    with pytest.raises(ValueError, match=r"set_backend: op is 'attention', expected one of paged_attention"):
        ops.set_backend("reference", op="attention")
    with pytest.raises(ValueError, match=r"name is 'own-spda', expected one of .*own-sdpa.*; did you mean 'own-sdpa'"):
        ops.set_backend("own-spda")
    with pytest.raises(ValueError, match="'own-sdpa' is no backend of rms_norm; it has paged_attention"):
        ops.set_backend("own-sdpa", op="rms_norm")
    with pytest.raises(ImportError, match="backend 'broken' is the entry point no_such_module:register, which failed"):
        ops.set_backend("broken")
    with pytest.raises(ValueError, match="the entry point of 'silent', builtins:dict, registered no backend"):
        ops.set_backend("silent")
    with pytest.raises(ImportError, match="'twice' is the entry point of several packages, others:register, theirs"):
        ops.set_backend("twice")
    assert ops.active_backend("paged_attention", "cpu") != "broken"


def own_norm(monkeypatch: pytest.MonkeyPatch, fn: Any, supports: Any = None) -> torch.Tensor:
    """Return a backend's rms_norm of rows of ones; the right result is 1."""
    ops.register_backend("rms_norm", "cpu", "mine", fn, supports)
    monkeypatch.setitem(library._wanted, "rms_norm", "mine")
    try:
        out: torch.Tensor = OPS.rms_norm(torch.ones(2, 8), torch.ones(8), 0.0)
        return out
    finally:
        ops.unregister_backend("rms_norm", "cpu", "mine")


def test_a_backend_that_is_not_as_it_should_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its return value would be ignored, and elements that it does not write would keep old memory."""
    with pytest.raises(TypeError, match="rms_norm: backend 'mine' returned Tensor, expected None: it writes"):
        own_norm(monkeypatch, lambda x, weight, eps, out: x * weight)
    assert (own_norm(monkeypatch, lambda x, weight, eps, out: out.fill_(3)) == 3).all(), "it has written"
    for answer in (True, False, 0):
        with pytest.raises(TypeError, match=f"supports of backend 'mine' returned {answer}, expected None where"):
            own_norm(monkeypatch, lambda x, weight, eps, out: out.fill_(3), lambda answer=answer, **_: answer)
    with pytest.raises(TypeError, match="register_backend: fn is 3, expected a function"):
        ops.register_backend("rms_norm", "cpu", "mine", 3)  # type: ignore[arg-type]


def test_the_rewrite_puts_the_operator_into_compiled_code(installed: None) -> None:
    import own_backend

    passes: list[int] = []

    class Counted(own_backend.SquaredRelu):  # type: ignore[misc, name-defined]
        def __call__(self, graph: Any) -> None:
            super().__call__(graph)
            calls = graph.find_nodes(op="call_function", target=torch.ops.own_backend.squared_relu.default)
            passes.append(len(calls))

    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(torch.relu(x) ** 2) ** 2  # nothing is left for torch to compile itself

    torch.compiler.reset()
    with torch._inductor.config.patch(force_disable_caches=True):
        compiled = torch.compile(model, fullgraph=True, options={"post_grad_custom_pre_pass": Counted()})
        x = torch.randn(5, 8)
        with torch.inference_mode():
            torch.testing.assert_close(compiled(x), model(x))
    assert passes == [2]
    quick = ("test_schema", "test_faketensor")
    torch.library.opcheck(torch.ops.own_backend.squared_relu.default, (x,), test_utils=quick)


INSTALLED = """
import torch, torchpaged, own_backend
from torchpaged.ops import active_backend
print(own_backend.__file__, active_backend("paged_attention", "cpu"), active_backend("write_kv_cache", "cpu"))
"""


@pytest.mark.long
def test_the_package_as_it_is_installed(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    shutil.copytree(PACKAGE, source)  # a build writes into its source
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", str(site)]
    subprocess.run([*command, str(source)], check=True, timeout=300)
    run = [sys.executable, "-c", INSTALLED]
    for wanted in ("paged_attention=own-sdpa", "reference,paged_attention=own-sdpa"):
        environment = {**os.environ, "PYTHONPATH": f"{site}:{ROOT}", "TORCHPAGED_BACKEND": wanted}
        done = subprocess.run(run, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        other = "reference" if "reference" in wanted else "cpp"
        assert done.stdout.split() == [str(site / "own_backend.py"), "own-sdpa", other]
