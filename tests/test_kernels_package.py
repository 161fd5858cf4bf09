"""The kernel for the `kernels` package: it is loaded beside torchpaged, by `kernels`, and by transformers."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import pytest

from tests import forks
from torchpaged.tools import kernels_package

# Loads a variant as `kernels` does: under the id of its metadata.
LOAD = """
import importlib.util, json, pathlib, sys
import torch

def load(variant):
    name = json.loads((variant / "metadata.json").read_text())["id"]
    spec = importlib.util.spec_from_file_location(name, variant / "__init__.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

q, kv = torch.randn(5, 4, 16), torch.randn(5, 2, 16)
starts = torch.tensor([0, 2, 5], dtype=torch.int32)

def attend(module):
    return module.flash_attn_varlen_func(q, kv, kv, starts, starts, 3, 3, causal=True)
"""
ALONE = """
variants = sorted(pathlib.Path(sys.argv[1], "build").iterdir())
cpu, universal = map(load, variants)
assert cpu.add_op_namespace_prefix("paged_attention") == f"{cpu.__name__}::paged_attention"
assert "torchpaged" not in sys.modules and not hasattr(torch.ops.torchpaged, "paged_attention")
registry = sys.modules[cpu.__name__ + ".ops.library"]
assert registry.active_backend("paged_attention", "cpu") == "cpp"
assert sys.modules[universal.__name__ + ".ops.library"].active_backend("paged_attention", "cuda") == "triton"
found = attend(cpu)
torch.testing.assert_close(found, attend(universal))
import torchpaged
from torchpaged.integrations import flash_attn
assert torch.equal(found, attend(flash_attn))  # three copies in one process
"""
BY_KERNELS = """
from kernels import get_local_kernel
kernel = get_local_kernel(pathlib.Path(sys.argv[1]), backend="cpu")
assert kernel.__file__.split("/")[-2].startswith("torch-stable-abi211-cpu-"), kernel.__file__
attend(kernel)
"""
# transformers 5.23 wants kernels 0.18.2, which the package index did not have yet; 5.21 and 5.22 want 0.17.2.
BY_TRANSFORMERS = """
import importlib.metadata
installed = importlib.metadata.version
importlib.metadata.version = lambda name: "0.18.2" if name == "kernels" else installed(name)
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained(sys.argv[2])
ids = torch.tensor([[5, 9, 23, 5, 9, 23, 17, 40, 3, 3, 8]])
def generate(name):
    model.set_attn_implementation(name)
    assert model.config._attn_implementation == name
    return model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=20, do_sample=False).tolist()
assert generate("torchpaged/flash-attn2") == generate("sdpa")
assert "torchpaged" not in sys.modules
from transformers import ContinuousBatchingConfig, GenerationConfig
model.set_attn_implementation("torchpaged/flash-attn2")
options = GenerationConfig(do_sample=False, max_new_tokens=20, eos_token_id=-1), ContinuousBatchingConfig(num_blocks=16)
found = model.generate_batch(ids.tolist(), options[0], continuous_batching_config=options[1], progress_bar=False)
assert [*ids[0].tolist(), *next(iter(found.values())).generated_tokens] == generate("sdpa")[0]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kernels_package.write(tmp_path_factory.mktemp("kernel"))


def run(code: str, *arguments: str, **environment: str) -> None:
    done = forks.run(LOAD + code, *arguments, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr


def test_variants(folder: Path) -> None:
    variants = {path.name: path for path in (folder / "build").iterdir()}
    assert len(variants) == 2 and "torch-universal" in variants
    for path in variants.values():
        metadata = json.loads((path / "metadata.json").read_text())
        assert metadata["name"] == "torchpaged" and metadata["license"] == "Apache-2.0"
        texts = [each.read_text() for each in path.rglob("*.py")]
        assert not [text for text in texts if "from torchpaged" in text or "import torchpaged" in text]
        assert sum(each.stat().st_size for each in path.rglob("*")) < 6_000_000
    before = {name: (path / "metadata.json").read_text() for name, path in variants.items()}
    kernels_package.write(folder)  # again, over what is there
    assert before == {name: (path / "metadata.json").read_text() for name, path in variants.items()}


def test_loads_beside_torchpaged(folder: Path) -> None:
    run(ALONE, str(folder))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert kernels_package.main([str(tmp_path / "made")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'made'}\n"
    (tmp_path / "file").touch()
    assert kernels_package.main([str(tmp_path / "file")]) == 1
    assert "file" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("kernels") is None, reason="the kernels package is not installed")
def test_loaded_by_kernels(folder: Path) -> None:
    run(BY_KERNELS, str(folder))


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("kernels") is None, reason="the kernels package is not installed")
def test_attn_implementation_of_transformers(folder: Path) -> None:
    model = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"
    run(BY_TRANSFORMERS, str(folder), str(model), LOCAL_KERNELS=f"torchpaged/flash-attn2={folder}")
