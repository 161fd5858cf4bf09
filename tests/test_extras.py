"""Behaviour without the packages of an extra: the features that still run, and the errors of the others."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests import forks

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "pip install 'torchpaged[transformers]'"


def run_without(packages: str, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the code in a process that finds none of the packages; torch has imported numpy before if that is there."""
    hidden = f"""
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages.split()}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
"""
    if "numpy" not in packages:
        return forks.run(hidden + code, *words, cwd=ROOT)
    command = [sys.executable, "-c", hidden + code, *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)


def test_operators_and_cache_need_torch_alone() -> None:
    code = """
import torch, torchpaged
from torchpaged import AttentionMetadata, PagedAttention
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.kv_cache import KVCacheManager
from torchpaged.models.model import LayerShape
from torchpaged.scheduling import Scheduler
cache = PagedKVCache({0: LayerShape(2, 16, 16)}, 4, 8, torch.float32, torch.device("cpu"))
lengths = [torch.tensor(v, dtype=torch.int32) for v in ([[3]], [5], [0, 5])]
metadata = AttentionMetadata(torch.arange(24, 29), *lengths, 5)
q, k, v = torch.randn(3, 5, 2, 16).unbind()
found = PagedAttention(2, 16)(q, k, v, metadata, cache.caches[0])
wanted = torch.nn.functional.scaled_dot_product_attention(*(x.transpose(0, 1) for x in (q, k, v)), is_causal=True)
torch.testing.assert_close(found, wanted.transpose(0, 1))
try:
    from torchpaged import LLM
except ImportError as error:
    print(type(error).__name__, error)
"""
    result = run_without("transformers tokenizers numpy safetensors tqdm", code)
    assert result.returncode == 0, result.stderr
    said = rf"MissingPackageError torchpaged\.LLM needs (numpy|tqdm), which is not installed: {re.escape(COMMAND)}\n"
    assert re.fullmatch(said, result.stdout), result.stdout


def test_an_engine_runs_models_that_are_not_transformers() -> None:
    code = """
from tests.fakes import FakeModel, follow
from torchpaged import LLM, EngineConfig, LLMEngine, SamplingParams
from torchpaged.errors import ConfigError
engine = LLMEngine(FakeModel(), EngineConfig(num_blocks=8))
engine.add_request("a", [5, 6], SamplingParams(temperature=0, max_tokens=4))
while engine.has_unfinished_requests:
    outputs = engine.step()
assert outputs[0].outputs[0].token_ids == follow([5, 6], 4)
try:
    LLM("evals/models/stdlib-lm")
except ConfigError as error:
    print(error)
"""
    result = run_without("transformers tokenizers", code)
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"LLM of a transformers model needs transformers, which is not installed: {COMMAND}\n"


def test_the_command_line_says_what_is_missing() -> None:
    code = "from torchpaged.cli import main; sys.exit(main())"
    words = ["generate", "--model", "evals/models/stdlib-lm", "--prompt", "def"]
    result = run_without("transformers tokenizers", code, *words)
    said = f"torchpaged: LLM of a transformers model needs transformers, which is not installed: {COMMAND}\n"
    assert (result.returncode, result.stderr) == (2, said)
    result = run_without("transformers tokenizers numpy safetensors tqdm", code, "info")
    assert result.returncode == 0 and re.search(r"transformers +\d|transformers +not installed", result.stdout)


def test_a_package_that_no_extra_brings_is_not_explained() -> None:
    code = "from torchpaged.errors import needing\nwith needing('this'): import nowhere"
    result = run_without("nothing", code)
    assert result.returncode == 1 and "ModuleNotFoundError: No module named 'nowhere'" in result.stderr
    assert "pip install" not in result.stderr


def test_receipts_say_what_is_missing() -> None:
    """The package imports without it; the server, which could use it, too."""
    code = """
import torchpaged.receipts
from torchpaged.cli import main
sys.exit(main())
"""
    result = run_without("cryptography", code, "receipt-key", "nowhere.pem")
    said = "receipts need cryptography, which is not installed: pip install 'torchpaged[receipts]'"
    assert (result.returncode, result.stderr) == (2, f"torchpaged: {said}\n")
    assert not (ROOT / "nowhere.pem").exists()
