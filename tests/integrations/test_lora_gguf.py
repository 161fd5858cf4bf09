"""llama.cpp's adapters: read as peft's numbers for each layout of a file, and an error by name for everything else."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from torch import Tensor
from transformers import PreTrainedModel

from tests import file_mutations, models
from tests.adapters import build, wrap
from tests.integrations import gguf_cases, gguf_files
from torchpaged import LLM, LoRARequest, SamplingParams
from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.lora import (
    adapter_of_state_dict,
    read_adapter,
)
from torchpaged.integrations.transformers.adapted_linear import linear_shapes
from torchpaged.weights.gguf_file import Gguf
from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight

# By model type, with llama.cpp's name of the architecture where gguf_files writes another one.
KINDS = {kind: gguf_files.ARCH.get(kind, kind) for kind in ("llama", "granite", "smollm3", "qwen2", "qwen3", "phi3")}
KINDS |= {kind: gguf_files.ARCH.get(kind, kind) for kind in ("gpt_neox", "gpt2", "olmo2", "starcoder2", "phi")}
KINDS |= {"gemma3_text": "gemma3", "qwen3_moe": "qwen3moe", "mistral": "llama", "ministral3": "mistral3"}


class Made(NamedTuple):
    """An adapter in memory, and the same one in the layout of a file."""

    model: PreTrainedModel
    adapter: LoraAdapter
    arch: str
    halves: dict[str, Tensor]


def _make(kind: str, targets: Any = "all-linear", rank: int = 4) -> Made:
    model = build(kind)
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            parameter.add_(number)  # no two modules alike
    wrapped = wrap(model, r=rank, lora_alpha=12, target_modules=targets)
    adapter = adapter_of_state_dict(wrapped.state_dict(), wrapped, linear_shapes(model))
    arch = KINDS[kind]
    return Made(model, adapter, arch, _laid_out(model, adapter))


def _laid_out(model: PreTrainedModel, adapter: LoraAdapter) -> dict[str, Tensor]:
    """Lay out each half as a file has it: where a whole weight's rows go, those of B go, and columns as those of A."""
    before, found = _tensors(model), {}
    for module, weight in adapter.modules.items():
        numbers = torch.arange(1.0, 1 + weight.b.shape[0])[:, None] + torch.arange(1.0, 1 + weight.a.shape[1]) * 4096
        parameter = model.get_submodule(module).weight
        own = parameter.data
        parameter.data = numbers.T if type(model.get_submodule(module)).__name__ == "Conv1D" else numbers
        after = _tensors(model)
        parameter.data = own
        ((name, values),) = [(name, each) for name, each in after.items() if not torch.equal(each, before[name])]
        found[f"{name}.lora_a"] = weight.a[:, (values[0] // 4096 - 1).long()]
        found[f"{name}.lora_b"] = weight.b[(values[:, 0] % 4096 - 1).long()]
    return found


def _tensors(model: PreTrainedModel) -> dict[str, Tensor]:
    arch = gguf_files.arch_of(model.config)
    return {name: values.detach().clone() for name, values in gguf_files.tensors(model, arch)}


def _write(path: Path, made: Made, kind: Kind = Kind.F32, **fields: Any) -> Path:
    writer = gguf.GGUFWriter(path, fields.pop("arch", made.arch))
    keys = {"general.type": "adapter", "adapter.type": "lora", "adapter.lora.alpha": 12.0}
    for name, value in (keys | fields).items():
        gguf_files.add_field(writer, name, value)
    for name, values in made.halves.items():
        data, (block, _) = values.float().contiguous().numpy(), gguf.GGML_QUANT_SIZES[kind]
        if kind != Kind.F32 and data.shape[-1] % block == 0:
            writer.add_tensor(name, gguf.quants.quantize(data, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, data)
    gguf_files.finish(writer)
    return path


def _read(path: Path, made: Made, **options: Any) -> LoraAdapter:
    return read_adapter(path, linear_shapes(made.model), model_config=made.model.config, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_those_of_peft(kind: str, tmp_path: Path) -> None:
    made = _make(kind, ["q_proj", "k_proj", "v_proj", "o_proj"] if "moe" in kind else "all-linear")
    path = _write(tmp_path / "a.gguf", made)
    assert _read(path, made) == made.adapter


def test_rows_of_queries_and_keys_are_permuted() -> None:
    made = _make("llama")
    for leaf, is_same in (("attn_q", False), ("attn_k", False), ("attn_v", True)):
        module = f"model.layers.0.self_attn.{leaf[-1]}_proj"
        assert torch.equal(made.halves[f"blk.0.{leaf}.weight.lora_b"], made.adapter.modules[module].b) == is_same


@pytest.mark.parametrize("kind", [Kind.F16, Kind.BF16, Kind.Q8_0])
def test_types_of_tensors(kind: Kind, tmp_path: Path) -> None:
    made = _make("llama", rank=32)
    adapter = _read(_write(tmp_path / "a.gguf", made, kind), made)
    dtype = {Kind.F16: torch.float16, Kind.BF16: torch.bfloat16}.get(kind, torch.float32)
    for name, weight in made.adapter.modules.items():
        found = adapter.modules[name]
        for half, own in ((found.a, weight.a), (found.b, weight.b)):
            quantised = gguf.quants.quantize(own.numpy(), kind)
            expected = torch.from_numpy(gguf.quants.dequantize(quantised, kind).astype(np.float32))
            assert half.dtype == dtype and torch.equal(half.float(), expected), name


def test_scales(tmp_path: Path) -> None:
    made = _make("llama")
    for alpha, scale in ((12.0, 3.0), (0.0, 1.0), (None, 1.0), (-2.0, -0.5)):
        adapter = _read(_write(tmp_path / "a.gguf", made, **{"adapter.lora.alpha": alpha}), made)
        assert {each.scale for each in adapter.modules.values()} == {scale}


def test_ranks_by_module(tmp_path: Path) -> None:
    made = _make("llama")
    few = {}
    for number, (name, weight) in enumerate(made.adapter.modules.items()):
        rank = number % 4 + 1
        few[name] = LoraWeight(weight.a[:rank].clone(), weight.b[:, :rank].clone(), 12 / rank)
    adapter = LoraAdapter.of(few)
    halves = _laid_out(made.model, adapter)
    assert _read(_write(tmp_path / "a.gguf", made._replace(halves=halves)), made) == adapter


def test_the_joint_tensor_of_older_phi2_files(tmp_path: Path) -> None:
    made = _make("phi", ["q_proj", "k_proj", "v_proj"])
    halves = {}
    for layer in range(3):
        q, k, v = (made.adapter.modules[f"model.layers.{layer}.self_attn.{each}_proj"] for each in "qkv")
        halves[f"blk.{layer}.attn_qkv.weight.lora_a"] = q.a
        halves[f"blk.{layer}.attn_qkv.weight.lora_b"] = torch.cat([q.b, k.b, v.b])
    adapter = _read(_write(tmp_path / "a.gguf", made._replace(halves=halves)), made)
    for name, weight in made.adapter.modules.items():
        first = made.adapter.modules[name.rpartition(".")[0] + ".q_proj"]
        assert torch.equal(adapter.modules[name].b, weight.b) and torch.equal(adapter.modules[name].a, first.a)


def test_more_rows_than_the_joint_tensor_has_are_refused(tmp_path: Path) -> None:
    made, halves = _make("phi", ["q_proj", "k_proj", "v_proj"]), {}
    _add(halves, "blk.0.attn_qkv.weight", 1000, 64)
    with pytest.raises(ModelError, match=r"shape of the update of .*qkv.weight' is \(1000, 64\), expected \(\d+, 64\)"):
        _read(_write(tmp_path / "a.gguf", made._replace(halves=halves)), made)


# --- Refusals ---


@pytest.fixture(scope="module")
def llama() -> Made:
    return _make("llama")


FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"general.type": "model"}, "general.type is 'model', expected 'adapter'"),
    ({"general.type": None}, "general.type missing"),
    ({"adapter.type": "cvec"}, "adapter.type is 'cvec', expected 'lora'"),
    ({"adapter.lora.alpha": float("inf")}, "adapter.lora.alpha"),
    ({"adapter.lora.alpha": "1"}, "adapter.lora.alpha"),
    ({"adapter.alora.invocation_tokens": [1, 2]}, "aLoRA"),
    ({"arch": "qwen2"}, "general.architecture is 'qwen2', expected that of the model, whose type is 'llama'"),
    ({"arch": "x"}, "general.architecture is 'x'"),
]


@pytest.mark.parametrize(("fields", "message"), FIELDS, ids=lambda each: str(each)[:40])
def test_keys_that_are_refused(fields: dict[str, Any], message: str, llama: Made, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=message):
        _read(_write(tmp_path / "a.gguf", llama, **fields), llama)


Q = "blk.0.attn_q.weight"
TENSORS: list[tuple[str, Callable[[dict[str, Tensor]], Any], str]] = [
    ("none", lambda halves: halves.clear(), "no tensors of LoRA"),
    ("half", lambda halves: halves.pop(f"{Q}.lora_b"), f"'{Q}.lora_a' is 'there', expected its other half"),
    ("norm", lambda halves: halves.update({"blk.0.attn_norm.weight": torch.ones(64)}), "only LoRA is read"),
    ("unknown", lambda halves: _add(halves, "blk.0.attn_x.weight", 4, 4), "'llama' has no such weight"),
    ("layer", lambda halves: _add(halves, "blk.7.attn_q.weight", 64, 64), "no linear module 'model.layers.7"),
    ("embedding", lambda halves: _add(halves, "token_embd.weight", 128, 64), r"embedding \(embed_tokens\)"),
    ("bias", lambda halves: _add(halves, "blk.0.attn_q.bias", 64, 64), "no linear module"),
    ("norm-update", lambda halves: _add(halves, "blk.0.attn_norm.weight", 64, 64), "no linear module"),
    ("experts", lambda halves: halves.update({"blk.0.ffn_up_exps.weight.lora_a": torch.ones(2, 4, 4)}), "experts"),
    ("rows", lambda halves: _add(halves, Q, 62, 64), "rows of tensor 'blk.0.attn_q.weight' is 62"),
    ("many-rows", lambda halves: _add(halves, Q, 128, 64), r"shape \(128, 4\), expected \(64, 4\)"),
    ("more-rows", lambda halves: _add(halves, "blk.0.attn_v.weight", 9, 64), r"shape \(9, 4\), expected \(\d+, 4\)"),
    ("columns", lambda halves: _add(halves, Q, 64, 60), r"shape \(4, 60\), expected \(4, 64\)"),
    ("rank", lambda halves: halves.update({f"{Q}.lora_b": torch.ones(64, 5)}), r"shape \(64, 5\), expected \(64, 4\)"),
    ("nan", lambda halves: halves.update({f"{Q}.lora_b": torch.full((64, 4), float("nan"))}), "256 numbers not finite"),
    ("flat", lambda halves: halves.update({f"{Q}.lora_b": torch.ones(64)}), "both of two dimensions"),
]


def _add(halves: dict[str, Tensor], name: str, outputs: int, inputs: int) -> None:
    halves |= {f"{name}.lora_a": torch.ones(4, inputs), f"{name}.lora_b": torch.ones(outputs, 4)}


@pytest.mark.parametrize(("name", "change", "message"), TENSORS, ids=[name for name, _, _ in TENSORS])
def test_tensors_that_are_refused(
    name: str, change: Callable[[dict[str, Tensor]], Any], message: str, llama: Made, tmp_path: Path
) -> None:
    halves = dict(llama.halves)
    change(halves)
    with pytest.raises(ModelError, match=message):
        _read(_write(tmp_path / "a.gguf", llama._replace(halves=halves)), llama)


def test_ranks_and_sizes_that_are_refused(llama: Made, tmp_path: Path) -> None:
    path = _write(tmp_path / "a.gguf", llama)
    with pytest.raises(ModelError, match=r"rank 4 for .*at most 3"):
        _read(path, llama, max_rank=3)
    with pytest.raises(ModelError, match="config is needed"):
        read_adapter(path, linear_shapes(llama.model))
    with path.open("r+b") as file:
        file.truncate(1 << 30)
    with pytest.raises(ModelError, match="1073741824 bytes, expected at most"):
        _read(path, llama)
    with pytest.raises(ModelError, match="there is no such folder"):
        _read(tmp_path / "b.gguf", llama)


def test_a_file_that_is_written_meanwhile_is_refused(
    llama: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torchpaged.integrations.checkpoints import lora_gguf

    path = _write(tmp_path / "a.gguf", llama)

    def read_and_write(path: Path, *, copied: bool) -> Gguf:
        os.utime(path, (1, 1))
        return Gguf(path, copied=copied)

    monkeypatch.setattr(lora_gguf, "Gguf", read_and_write)
    with pytest.raises(ModelError, match="written while it was read"):
        _read(path, llama)


def test_a_model_is_refused(llama: Made, tmp_path: Path) -> None:
    path = gguf_files.write(llama.model, tmp_path / "model.gguf")
    with pytest.raises(ModelError, match=r"general\.type"):
        _read(path, llama)


def test_a_file_that_is_truncated_later_is_still_whole(llama: Made, tmp_path: Path) -> None:
    path = _write(tmp_path / "a.gguf", llama)
    adapter = _read(path, llama)
    with path.open("r+b") as file:
        file.truncate(0)
    assert all(torch.equal(each.b, llama.adapter.modules[name].b) for name, each in adapter.modules.items())


def test_mutations_are_read_or_refused(llama: Made, tmp_path: Path) -> None:
    path = _write(tmp_path / "a.gguf", llama)
    data, refused = path.read_bytes(), 0
    header = len(data) - sum(each.nbytes for each in llama.halves.values())
    for seed in range(300):
        path.write_bytes(data)
        file_mutations.damage(random.Random(seed), path, header)
        try:
            _read(path, llama)
        except ModelError as error:
            refused += 1
            assert len(str(error)) < 1500 and "\n" not in str(error), seed
    assert refused > 50


# --- With models ---


@pytest.mark.parametrize("kind", [Kind.F32, Kind.Q8_0])
@pytest.mark.parametrize("name", ["llama", "qwen3moe", "gpt2", "qwen35"])
def test_texts_with_a_file_s_model(name: str, kind: Kind, tmp_path: Path) -> None:
    """A model and an adapter of llama.cpp: the texts are those of merged weights."""
    model = gguf_cases.made(name)
    gguf_files.write(model, tmp_path / "model.gguf", kind)
    model = gguf_files.quantised(model, kind)
    targets = r".*self_attn\.[qkvo]_proj" if name == "qwen3moe" else "all-linear"
    wrapped = wrap(model, r=4, lora_alpha=4, target_modules=targets)
    adapter = adapter_of_state_dict(wrapped.state_dict(), wrapped, linear_shapes(model))
    arch = gguf_files.arch_of(model.config)
    path = _write(
        tmp_path / "a.gguf", Made(model, adapter, arch, _laid_out(model, adapter)), **{"adapter.lora.alpha": 4.0}
    )
    request = LoRARequest("a", 1, str(path))
    params = SamplingParams(temperature=0, max_tokens=6, ignore_eos=True)
    prompts = models.prompts([21, 9], vocab_size=model.config.vocab_size)
    with LLM(
        tmp_path / "model.gguf", enable_lora=True, dtype="float32", num_blocks=60, skip_tokenizer_init=True
    ) as llm:
        found = llm.generate(prompts * 2, params, use_tqdm=False, lora_request=[request, request, None, None])
    expected = models.greedy(wrapped.merge_and_unload(), prompts, 6) + models.greedy(model, prompts, 6)
    assert expected[:2] != expected[2:]
    count = 6 if kind == Kind.F32 else 2  # packed products round their inputs to 8 bits
    assert [each.outputs[0].token_ids[:count] for each in found] == [each[:count] for each in expected]
