"""transformers' continuous batching over our operators: same tokens as `generate`, in each way to run a step."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM, ContinuousBatchingConfig, GenerationConfig
from transformers.generation.continuous_batching import continuous_api, initialization

import torchpaged  # noqa: F401 - registers the attention
from tests.ports import free_port
from torchpaged.integrations.transformers import continuous_batching

SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "vocab_size": 97,
    "eos_token_id": None,
    "pad_token_id": 0,
    "bos_token_id": 1,
}
LAYERS = ["sliding_attention", "full_attention"]
MODELS: dict[str, dict[str, Any]] = {
    "llama": {},
    "qwen3": {},
    "gemma2": {"layer_types": LAYERS, "sliding_window": 7, "query_pre_attn_scalar": 8, "attn_logit_softcapping": 5.0},
    "gemma3_text": {"layer_types": LAYERS, "sliding_window": 7, "query_pre_attn_scalar": 8},
    "gpt_oss": {"layer_types": LAYERS, "sliding_window": 7, "num_local_experts": 2, "num_experts_per_tok": 1},
}
PROMPTS = [[5, 9, 23, 5, 9, 23, 17, 40, 3, 3, 8], [61, 4], list(range(10, 42)), list(range(10, 40))]


def small_model(model_type: str) -> Any:
    torch.manual_seed(0)
    config = AutoConfig.for_model(model_type, **SMALL, **MODELS[model_type])
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    for parameter in model.parameters():  # clear differences between tokens
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def batched(model: Any, **options: Any) -> list[list[int]]:
    config = ContinuousBatchingConfig(page_size=4, num_blocks=128, max_batch_tokens=16, **options)
    generation = GenerationConfig(do_sample=False, max_new_tokens=12, eos_token_id=-1)
    found = model.generate_batch(PROMPTS, generation, continuous_batching_config=config, progress_bar=False)
    assert len(found) == len(PROMPTS)
    return [each.generated_tokens for each in found.values()]


def alone(model: Any, prompt: list[int]) -> list[int]:
    ids = torch.tensor([prompt])
    found = model.generate(ids, max_new_tokens=12, do_sample=False, attention_mask=torch.ones_like(ids))
    return list(found[0, len(prompt) :].tolist())


@pytest.mark.parametrize("model_type", MODELS)
def test_same_tokens(model_type: str) -> None:
    """Chunks of 16 tokens split prompts; the last two share pages; windows, soft caps and sinks are computed."""
    model = small_model(model_type)
    expected = [alone(model, prompt) for prompt in PROMPTS]
    model.set_attn_implementation("torchpaged")
    assert batched(model) == expected
    assert model.config._attn_implementation == "torchpaged"


def test_block_tables_of_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where transformers passes block tables, as it does on CUDA, decode steps write and read through them."""
    seen = []
    find = continuous_batching._find_pages
    monkeypatch.setattr(
        continuous_batching, "_find_pages", lambda *given: (seen.append(given[1]["block_table"]), find(*given))[1]
    )
    monkeypatch.setattr(initialization, "ensure_decode_fast_path_is_available", lambda *_: None)
    model = small_model("llama")
    expected = [alone(model, prompt) for prompt in PROMPTS]
    model.set_attn_implementation("torchpaged")
    assert batched(model, max_blocks_per_request=16) == expected
    assert any(each is None for each in seen) and any(each is not None for each in seen)


def test_steps_that_are_filled_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is padded for a compiler has sequences of length 0, and tokens of no sequence."""
    model = small_model("llama")
    expected = [alone(model, prompt) for prompt in PROMPTS]
    model.set_attn_implementation("torchpaged")
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    assert batched(model, default_compile_level=1) == expected


def test_other_names_are_judged_by_transformers() -> None:
    model = small_model("llama")
    model.set_attn_implementation("flex_attention")
    with pytest.raises(ValueError, match="flex_attention is not supported for continuous batching"):
        continuous_api.ContinuousBatchingManager(model, GenerationConfig(), ContinuousBatchingConfig())


PATCH = Path(__file__).resolve().parents[2] / "docs" / "upstream" / "transformers-5.23.0-continuous-batching.patch"


def patched(module: Any, folder: Path) -> Any:
    """Return a module of transformers as the patch makes it, under another name in the same package."""
    name = f"{module.__name__}_patched"
    file = folder / "src" / f"{module.__name__.replace('.', '/')}.py"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_upstream_patch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It applies to the installed release, accepts our function, and lets a kernel of any device use block tables."""
    if transformers.__version__ not in PATCH.name:
        pytest.skip(f"transformers is {transformers.__version__}, and docs/upstream has {PATCH.name}")
    model_manager = pytest.importorskip("transformers.cli.serving.model_manager")
    for module in (initialization, continuous_api, model_manager):
        copy = tmp_path / "src" / f"{module.__name__.replace('.', '/')}.py"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(module.__file__, copy)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    subprocess.run(["git", "apply", str(PATCH)], cwd=tmp_path, check=True)
    manager = patched(continuous_api, tmp_path).ContinuousBatchingManager
    model = SimpleNamespace(config=SimpleNamespace(_attn_implementation="torchpaged"))
    manager.switch_to_cb_friendly_attn(None, model)  # raises for others
    asked = SimpleNamespace(attn_implementation="torchpaged", quantization=None)
    patched(model_manager, tmp_path).ModelManager._validate_args(asked)
    asked.attn_implementation = "none"
    with pytest.raises(ValueError, match="Unsupported attention implementation: 'none'"):
        patched(model_manager, tmp_path).ModelManager._validate_args(asked)

    module = patched(initialization, tmp_path)
    monkeypatch.setattr(module, "lazy_import_flash_attention", lambda _: ((None, None, torch.add),))
    monkeypatch.setattr(module, "group_layers_by_attn_type", lambda _: {"full_attention": [0]})
    blocks = []
    for name in ("torchpaged/flash-attn2", "kernels-community/flash-attn2", "sdpa"):
        config = ContinuousBatchingConfig(max_blocks_per_request=8)
        module.ensure_decode_fast_path_is_available(SimpleNamespace(_attn_implementation=name), config, False)
        blocks.append(config.max_blocks_per_request)
    assert blocks == [8, 0, 0]


@pytest.mark.long
def test_transformers_serve(tmp_path: Path) -> None:
    """transformers' server, unmodified, generates in batches through our function."""
    pytest.importorskip("transformers.cli.serving.server")
    port = free_port()
    model = str(PATCH.parents[2] / "evals" / "models" / "stdlib-lm")
    words = ["serve", model, "--continuous-batching", "--attn-implementation", "torchpaged", "--device", "cpu"]
    command = [sys.executable, "-m", "torchpaged.integrations.transformers", *words, "--port", str(port)]
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen([*command, "--cb-num-blocks", "64"], stdout=log, stderr=log)
    try:
        body = {"model": model, "prompt": "import os\nimport ", "max_tokens": 12, "temperature": 0}
        for _ in range(1200):
            try:
                asked = httpx.post(f"http://localhost:{port}/v1/completions", json=body, timeout=300)
                break
            except httpx.ConnectError:
                assert server.poll() is None, (tmp_path / "log").read_text()
                time.sleep(0.5)
        tokenizer = transformers.AutoTokenizer.from_pretrained(model)
        alone = AutoModelForCausalLM.from_pretrained(model)
        ids = tokenizer(body["prompt"], return_tensors="pt")
        expected = alone.generate(**ids, max_new_tokens=12, do_sample=False)[0, ids["input_ids"].shape[1] :]
        assert asked.json()["choices"][0]["text"] == tokenizer.decode(expected)
        assert "CB: True" in (tmp_path / "log").read_text()
    finally:
        server.terminate()
        server.wait(120)
