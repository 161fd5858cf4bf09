"""`Int8Weights`: quantising while reading gives the same model as quantising afterwards."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from tests import models
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM
from torchpaged.errors import ConfigError
from torchpaged.integrations.checkpoints import int8_load
from torchpaged.integrations.checkpoints.torchao import int8_of
from torchpaged.integrations.transformers import adapter
from torchpaged.ops import active_backend
from torchpaged.utils.huge_pages import joined

pytest.importorskip("torchao")
pytestmark = pytest.mark.skipif(active_backend("packed_linear", "cpu") != "cpp", reason="torchao's kernels run here")

CASES: dict[str, dict[str, Any]] = {
    "llama": {},
    "qwen2": {"tie_word_embeddings": True},  # biases
    "gemma3_text": {"tie_word_embeddings": True},  # whose embedding stays as it is
    "qwen3_moe": {},
    "falcon": {},  # linear layers of a class of its own
}


def _saved(folder: Path, kind: str, **settings: Any) -> str:
    models.build(kind, **{**SPECIAL.get(kind, {}), **settings}).to(torch.bfloat16).save_pretrained(folder)
    return str(folder)


def _tensors(model: adapter.TransformersModel) -> dict[str, torch.Tensor]:
    return dict(model.model.state_dict())


@pytest.mark.parametrize("kind", CASES)
def test_it_is_what_torchao_makes_of_the_whole(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _saved(tmp_path, kind, **CASES[kind])
    whole = adapter.load(path)
    expected = whole.weights.quantize("int8")
    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", None)
    found = adapter.load(path, quantization="int8")
    assert found.weights.quantize("int8") == expected
    ours, theirs = _tensors(found), _tensors(whole)
    assert ours.keys() == theirs.keys()
    for name, tensor in ours.items():
        assert tensor.dtype == theirs[name].dtype and torch.equal(tensor, theirs[name]), name
    assert found.fingerprint() == whole.fingerprint()
    with pytest.raises(ConfigError, match="is quantised already"):
        found.weights.quantize("int8")


@pytest.mark.parametrize("stored", [torch.float32, torch.float16])
@pytest.mark.parametrize("wanted", ["float32", "bfloat16"])
def test_in_another_dtype_it_is_what_torchao_makes_of_the_whole(
    stored: torch.dtype, wanted: str, tmp_path: Path
) -> None:
    models.build("llama").to(stored).save_pretrained(tmp_path)
    whole = adapter.load(str(tmp_path), wanted)
    whole.weights.quantize("int8")
    found = adapter.load(str(tmp_path), wanted, quantization="int8")
    theirs = _tensors(whole)
    for name, tensor in _tensors(found).items():
        assert tensor.dtype == theirs[name].dtype and torch.equal(tensor, theirs[name]), name


@pytest.mark.parametrize("same", [False, True])
def test_a_head_of_its_own_in_spite_of_the_config(same: bool, tmp_path: Path) -> None:
    """As in transformers: it stays tied only if both are equal."""
    path = _saved(tmp_path, "llama", tie_word_embeddings=True)
    weights = load_file(tmp_path / "model.safetensors")
    embedding = weights["model.embed_tokens.weight"]
    weights["lm_head.weight"] = embedding.clone() if same else embedding.flip(0)
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    whole = adapter.load(path)
    whole.weights.quantize("int8")
    found = adapter.load(path, quantization="int8")
    assert any(name.endswith("packed_weight") for name in _tensors(found)), "while it was read"
    assert _tensors(found).keys() == _tensors(whole).keys()
    ids = torch.tensor([models.prompts((12,))[0]])
    with torch.inference_mode():
        assert torch.equal(found.model(ids).logits, whole.model(ids).logits)


def test_it_reads_the_files_that_transformers_reads(tmp_path: Path) -> None:
    path = _saved(tmp_path, "llama")
    own = load_file(tmp_path / "model.safetensors")
    other = {name: tensor + 1 for name, tensor in own.items()}
    save_file(other, tmp_path / "model_before.safetensors", metadata={"format": "pt"})
    index = {"metadata": {}, "weight_map": dict.fromkeys(own, "model_before.safetensors")}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    found = adapter.load(path, quantization="int8")
    assert torch.equal(_tensors(found)["model.norm.weight"], own["model.norm.weight"])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
def test_rows_of_any_numbers_are_torchao_s(dtype: torch.dtype) -> None:
    weight = torch.randn(64, 96, generator=torch.Generator().manual_seed(0)).mul(torch.logspace(-30, 4, 64)[:, None])
    weight[3], weight[4], weight[5] = 0.0, weight[4].abs(), -weight[5].abs()
    linear = torch.nn.Linear(96, 64, bias=False, dtype=dtype)
    linear.weight.data = weight.to(dtype)
    expected = int8_of(linear)
    assert all(map(torch.equal, int8_load.as_torchao(linear.weight.data), expected))


def test_weights_lie_behind_each_other(tmp_path: Path) -> None:
    layer = adapter.load(_saved(tmp_path, "llama"), quantization="int8").model.get_submodule("model.layers.0.self_attn")
    packed = [getattr(layer, f"{name}_proj").packed_weight for name in "qkv"]
    assert joined(packed) is not None, "they would be copied where they are joined"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/maps")
def test_what_stays_a_float_keeps_no_file_mapped(tmp_path: Path) -> None:
    model = adapter.load(_saved(tmp_path, "llama"), quantization="int8").model
    assert any("norm" in name for name, _ in model.named_parameters())
    with open("/proc/self/maps") as maps:
        assert not [line for line in maps if str(tmp_path) in line]


def test_a_checkpoint_with_more_in_it_is_read_as_before(tmp_path: Path) -> None:
    path = _saved(tmp_path, "llama")
    weights = load_file(tmp_path / "model.safetensors")
    save_file({**weights, "model.more": torch.zeros(3)}, tmp_path / "model.safetensors", metadata={"format": "pt"})
    model = adapter.load(path, quantization="int8")
    assert not any(name.endswith("packed_weight") for name in _tensors(model)), "quantised when it is asked for"


def test_an_engine_finds_it_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, prompt = _saved(tmp_path, "llama"), models.prompts((12,))[0]
    own = AutoModelForCausalLM.from_pretrained(path, dtype="auto")
    with LLM(own, num_blocks=32, block_size=4, quantization="int8") as llm:
        expected = llm.generate([prompt], use_tqdm=False)[0].outputs[0].token_ids
    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", None)
    with LLM(path, num_blocks=32, block_size=4, quantization="int8", skip_tokenizer_init=True) as llm:
        assert llm.engine.config.quantization == "int8"
        assert llm.generate([prompt], use_tqdm=False)[0].outputs[0].token_ids == expected
        with pytest.raises(ConfigError, match="is quantised already"):
            llm.quantize("int8")
