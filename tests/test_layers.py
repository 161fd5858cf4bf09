"""The layers of docs/architecture.md: import-linter's contracts hold, and there are no import cycles.

The parts that need no torch run without it.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
_DRIVE_ENGINES = ("torchpaged.integrations.lm_eval", "torchpaged.integrations.vllm.compat")


def test_files_import_only_from_their_own_layer_or_below() -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout
    assert "0 broken" in result.stdout


def test_every_module_is_in_a_layer() -> None:
    """A file or package that the contract does not name could import anything."""
    contract = (ROOT / "pyproject.toml").read_text()
    names = set()
    for folder, prefix in ((ROOT / "torchpaged", ""), (ROOT / "integrations", "integrations.")):
        names |= {prefix + path.stem for path in folder.glob("*.py")}
        names |= {prefix + path.parent.name for path in folder.glob("*/__init__.py")}
    names -= {"__init__", "integrations.__init__", "integrations"}
    missing = [name for name in sorted(names) if not re.search(rf"torchpaged\.{name}\b", contract)]
    assert not missing, f"not in pyproject's layers: {missing}"
    assert "ignore_imports" not in contract, "the layers hold without exceptions"


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("torchpaged.engine", "LLMEngine"),
        ("torchpaged.integrations.flash_attn", "flash_attn_with_kvcache"),
        ("torchpaged.integrations.lm_eval", "TorchPagedLM"),
        ("torchpaged.integrations.transformers", "load"),
        ("torchpaged.integrations.vllm", "register"),
        ("torchpaged.v1.sample.logits_processor", "LogitsProcessor"),
    ],
)
def test_public_import_paths_stay(module: str, name: str) -> None:
    """Users' scripts import them; they were modules before they became packages."""
    if name == "TorchPagedLM":
        pytest.importorskip("lm_eval", reason="lm-eval is not installed")
    assert hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize(("package", "depth"), [("torchpaged", 2), ("torchpaged", None), ("evals", None)])
def test_nothing_imports_in_a_circle(package: str, depth: int | None) -> None:
    """Neither files nor folders import each other in a cycle; the package, which imports lazily, does not count.

    Two integrations drive an engine, and count as places of their own.
    """
    grimp = pytest.importorskip("grimp", reason="import-linter is not installed")
    graph = grimp.build_graph(package, cache_dir=None)

    def place(module: str) -> str:
        apart = [each for each in _DRIVE_ENGINES if module == each or module.startswith(each + ".")]
        return apart[0] if apart and depth else ".".join(module.split(".")[:depth])

    knows = {place(module): set[str]() for module in graph.modules if module != package}
    for module in graph.modules - {package}:
        knows[place(module)] |= {place(each) for each in graph.find_modules_directly_imported_by(module)}
    for name, others in knows.items():
        others -= {name, package}
    while ends := {name for name, others in knows.items() if not others}:
        knows = {name: others - ends for name, others in knows.items() if name not in ends}
    assert not knows, f"in circles, or above one: {knows}"


def test_block_management_and_scheduling_run_without_torch() -> None:
    code = """
import sys
class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NoTorch())
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "torch" else find(name, package)
from torchpaged.kv_cache import FullAttentionSpec, KVCacheGroup, KVCacheManager
from torchpaged.scheduling import StopRule, Results, RowParams, Scheduler
manager = KVCacheManager([KVCacheGroup(FullAttentionSpec(16), (0,))], 10)
scheduler = Scheduler(manager, max_num_seqs=4, max_num_batched_tokens=64, max_model_len=100)
scheduler.add([1, 2, 3], RowParams(), StopRule(max_length=5))
for _ in range(2):
    step = scheduler.schedule()
    scheduler.update(step, Results(step.number, step.ids, [5] * len(step.ids)))
assert not scheduler.has_unfinished and "torch" not in sys.modules
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
