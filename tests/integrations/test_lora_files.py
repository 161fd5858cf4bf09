"""Adapters from folders: peft's own numbers, every accepted spelling, and an error by name for everything else."""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import LlamaConfig, Phi3Config, PreTrainedModel

from tests import file_mutations
from tests.adapters import as_torchtune, build, change_config, change_tensors, merged, save
from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.lora import read_adapter
from torchpaged.integrations.transformers.adapted_linear import linear_shapes
from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight


class Case(NamedTuple):
    name: str
    kind: str
    config: dict[str, Any]


ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]
CASES = [
    Case("llama", "llama", {"r": 4, "lora_alpha": 16, "target_modules": [*ATTENTION, "down_proj"]}),
    Case("rslora", "llama", {"r": 5, "lora_alpha": 7, "target_modules": ATTENTION, "use_rslora": True}),
    Case("all-linear", "llama", {"r": 2, "target_modules": "all-linear"}),
    Case("regex", "qwen2", {"r": 3, "target_modules": r".*\.(1|2)\..*(q|up)_proj"}),
    Case("regex-excluding", "qwen2", {"r": 3, "target_modules": r".*_proj", "exclude_modules": r".*\.0\..*"}),
    Case("excluding", "qwen2", {"r": 3, "target_modules": ATTENTION, "exclude_modules": ["layers.1.self_attn.q_proj"]}),
    Case("layers", "qwen2", {"r": 3, "target_modules": ATTENTION, "layers_to_transform": [0, 2]}),
    Case("layer", "qwen2", {"r": 3, "target_modules": ATTENTION, "layers_to_transform": 1, "layers_pattern": "layers"}),
    Case(
        "patterns",
        "llama",
        {
            "r": 4,
            "lora_alpha": 8,
            "target_modules": [*ATTENTION, "gate_proj"],
            "rank_pattern": {r"layers\.1\..*q_proj": 2, "q_proj": 6, "model.layers.0.self_attn.v_proj": 1},
            "alpha_pattern": {"k_proj": 3, r".*layers.2.*": 32},
        },
    ),
    Case(
        "patterns-rslora",
        "llama",
        {"r": 4, "target_modules": ATTENTION, "rank_pattern": {"q_proj": 9}, "use_rslora": True},
    ),
    Case("phi3", "phi3", {"r": 4, "target_modules": ["qkv_proj", "gate_up_proj", "o_proj"]}),
    Case("gpt2", "gpt2", {"r": 4, "target_modules": ["c_attn", "c_proj", "c_fc"], "fan_in_fan_out": True}),
    Case("gpt2-all-linear", "gpt2", {"r": 4, "target_modules": "all-linear"}),
    Case("gpt_neox", "gpt_neox", {"r": 4, "target_modules": ["query_key_value", "dense_h_to_4h"]}),
    Case("gpt_neox-all-linear", "gpt_neox", {"r": 4, "target_modules": "all-linear"}),
    Case("mixtral", "mixtral", {"r": 4, "target_modules": ATTENTION}),
    Case("head", "llama", {"r": 4, "target_modules": ["q_proj", "lm_head"]}),
    Case("eva", "llama", {"r": 4, "target_modules": ["q_proj"], "init_lora_weights": "gaussian"}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_numbers_are_those_of_peft(case: Case, dtype: torch.dtype, tmp_path: Path) -> None:
    model = build(case.kind)
    from peft import PeftModel

    save(model, tmp_path, **case.config)
    change_tensors(tmp_path, _cast(dtype))
    wrapped = PeftModel.from_pretrained(copy.deepcopy(model), tmp_path)  # the file's order of patterns is another
    with torch.device("meta"):
        shapes = linear_shapes(type(model)(model.config))
    assert shapes == linear_shapes(model)
    adapter = read_adapter(tmp_path, shapes)
    whole = wrapped.merge_and_unload()
    if dtype != torch.float32:
        adapter = LoraAdapter.of(
            {name: LoraWeight(each.a.float(), each.b.float(), each.scale) for name, each in adapter.modules.items()}
        )
    weights = merged(model, adapter)
    for name in shapes:
        expected, base = whole.get_submodule(name).weight, model.get_submodule(name).weight
        if name in weights:
            assert not torch.equal(expected, base)
            assert torch.allclose(weights[name], expected, rtol=1e-6, atol=1e-6), name
        else:
            assert torch.equal(expected, base), name
    assert adapter.rank == max(each.rank for each in adapter.modules.values())


@pytest.mark.parametrize("use_rslora", [False, True])
@pytest.mark.parametrize("init", ["pissa", "olora"])
def test_converted_adapters_fit_the_plain_base(init: str, use_rslora: bool, tmp_path: Path) -> None:
    from peft import LoraConfig, get_peft_model

    model = build("llama")
    settings: dict[str, Any] = {"r": 4, "target_modules": ["q_proj"], "use_rslora": use_rslora}
    wrapped = get_peft_model(copy.deepcopy(model), LoraConfig(init_lora_weights=init, **settings))
    wrapped.peft_config["default"].init_lora_weights = True
    wrapped.save_pretrained(tmp_path / "initial")
    wrapped.peft_config["default"].init_lora_weights = init
    with torch.no_grad():
        for name, parameter in wrapped.named_parameters():
            if "lora_" in name:
                parameter.add_(torch.randn_like(parameter), alpha=0.1)
    wrapped.save_pretrained(tmp_path / "raw")
    with pytest.raises(ModelError, match="path_initial_model_for_weight_conversion"):
        read_adapter(tmp_path / "raw", linear_shapes(model))
    wrapped.save_pretrained(tmp_path / "made", path_initial_model_for_weight_conversion=str(tmp_path / "initial"))
    adapter = read_adapter(tmp_path / "made", linear_shapes(model))
    assert adapter.rank == 8
    whole = wrapped.merge_and_unload()
    for name, weight in merged(model, adapter).items():
        assert torch.allclose(weight, whole.get_submodule(name).weight, rtol=1e-4, atol=1e-4)


# --- Spellings ---


@pytest.fixture(scope="module")
def base() -> PreTrainedModel:
    return build("llama")


@pytest.fixture(scope="module")
def written(base: PreTrainedModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adapter")
    save(base, folder, r=4, lora_alpha=8, target_modules=[*ATTENTION, "gate_proj", "up_proj", "down_proj"])
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    shutil.copytree(written, tmp_path / "one")
    return tmp_path / "one"


@pytest.fixture
def read(base: PreTrainedModel) -> Callable[..., LoraAdapter]:
    return lambda path, **options: read_adapter(path, linear_shapes(base), **options)


Read = Callable[..., LoraAdapter]


@pytest.mark.parametrize("prefix", ["base_model.model.", ""])
@pytest.mark.parametrize("end", ["weight", "default.weight", "my-adapter.weight"])
def test_spellings_of_names(prefix: str, end: str, folder: Path, read: Read) -> None:
    content = read(folder).content

    def rename(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        return {
            prefix + name.removeprefix("base_model.model.").removesuffix("weight") + end: each
            for name, each in tensors.items()
        }

    change_tensors(folder, rename)
    assert read(folder).content == content


def test_the_format_of_torchtune(folder: Path, read: Read) -> None:
    content = read(folder).content
    change_tensors(folder, as_torchtune)
    assert "layers.0.attn.output_proj.lora_a.weight" in load_file(folder / "adapter_model.safetensors")
    assert read(folder, model_config=LlamaConfig(head_dim=16)).content == content
    change_config(folder, target_modules=["q_proj", "k_proj", "v_proj", "output_proj", "w1", "w2", "w3"])
    assert read(folder, model_config=LlamaConfig(head_dim=16)).content == content
    for config in (None, LlamaConfig(head_dim=24), Phi3Config()):
        with pytest.raises(ModelError, match="torchtune's order of rows"):
            read(folder, model_config=config)


def test_keys_that_vllm_does_without(folder: Path, read: Read) -> None:
    content = read(folder).content
    config = json.loads((folder / "adapter_config.json").read_text())
    few = {key: config[key] for key in ("r", "lora_alpha", "target_modules")}
    (folder / "adapter_config.json").write_text(json.dumps(few | {"unsloth_fixed": True}))
    assert read(folder).content == content


# --- Contents ---


def test_content_is_of_numbers_only(folder: Path, read: Read, tmp_path: Path) -> None:
    first = read(folder)
    shutil.copytree(folder, tmp_path / "another")
    change_config(tmp_path / "another", base_model_name_or_path="x", lora_dropout=0.5, r=4)
    assert read(tmp_path / "another") == first and hash(read(tmp_path / "another")) == hash(first)
    contents = {first.content}
    for number, values in enumerate(({"lora_alpha": 9}, {"use_rslora": True}, {"alpha_pattern": {"q_proj": 5}})):
        shutil.copytree(folder, tmp_path / str(number))
        change_config(tmp_path / str(number), **values)
        contents.add(read(tmp_path / str(number)).content)
    name = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"

    def bump(tensors: dict[str, Tensor]) -> None:
        tensors[name].view(-1)[3] += 1e-6

    change_tensors(folder, bump)
    contents.add(read(folder).content)
    assert len(contents) == 5


def test_tensors_outlive_the_file(folder: Path, read: Read) -> None:
    adapter = read(folder)
    before = {name: weight.a.clone() for name, weight in adapter.modules.items()}
    with (folder / "adapter_model.safetensors").open("r+b") as file:
        file.truncate(0)
    assert all(torch.equal(weight.a, before[name]) for name, weight in adapter.modules.items())


# --- Refusals ---

Q = "base_model.model.model.layers.0.self_attn.q_proj"
CONFIGS: list[tuple[dict[str, Any], str]] = [
    ({"peft_type": "PROMPT_TUNING"}, "peft_type 'PROMPT_TUNING', expected 'LORA'.*read_prompt_embeddings"),
    ({"peft_type": "P_TUNING"}, "peft_type 'P_TUNING', expected 'LORA'.*read_prompt_embeddings"),
    ({"peft_type": "PREFIX_TUNING"}, "peft_type 'PREFIX_TUNING', expected 'LORA'.*no token gives"),
    ({"peft_type": "IA3"}, "peft_type 'IA3', expected 'LORA', the only kind of adapter that requests can have"),
    ({"peft_type": ["LORA"]}, "peft_type .*expected 'LORA'"),
    ({"use_dora": True}, "use_dora True.*norm of each row"),
    ({"lora_bias": True}, "lora_bias"),
    ({"bias": "all"}, "bias 'all', expected 'none'"),
    ({"modules_to_save": ["lm_head"]}, r"modules_to_save \['lm_head'\]"),
    ({"trainable_token_indices": [1, 2]}, "trainable_token_indices"),
    ({"target_parameters": ["mlp.experts.down_proj"]}, "target_parameters"),
    ({"layer_replication": [[0, 2]]}, "layer_replication"),
    ({"alora_invocation_tokens": [5]}, "alora_invocation_tokens"),
    ({"use_qalora": True}, "use_qalora"),
    ({"use_new_variant": True}, "'use_new_variant' True, which is not known"),
    ({"use_dorra": True}, "did you mean 'use_dora'"),
    ({"init_lora_weights": "pissa"}, "init_lora_weights 'pissa'.*convert"),
    ({"init_lora_weights": "pissa_niter_4"}, "init_lora_weights"),
    ({"init_lora_weights": "olora"}, "init_lora_weights"),
    ({"init_lora_weights": "corda"}, "init_lora_weights"),
    ({"init_lora_weights": "loftq"}, "init_lora_weights"),
    ({"r": 0}, "r 0, expected an integer of 1 or more"),
    ({"r": True}, "r True"),
    ({"r": None}, "r None"),
    ({"r": 3}, r"shape \(4, \d+\), expected \(3, \d+\): rank 3"),
    ({"rank_pattern": {"q_proj": 0}}, "rank_pattern 'q_proj' 0"),
    ({"rank_pattern": {"q_proj": 600}}, "rank 600 .*at most 512"),
    ({"rank_pattern": ["q_proj"]}, "rank_pattern .*dictionary"),
    ({"rank_pattern": {"(q_proj": 4}}, "not a regular expression"),
    ({"lora_alpha": 10**400}, "lora_alpha .*float32's range"),
    ({"lora_alpha": "8"}, "lora_alpha '8'"),
    ({"lora_alpha": float("nan")}, "lora_alpha nan"),
    ({"target_modules": None}, "target_modules None"),
    ({"target_modules": []}, "target_modules"),
    ({"target_modules": ["q_proj"]}, "not among target_modules"),
    ({"target_modules": [*ATTENTION, "gate_proj", "up_proj", "down_proj", "lm_head"]}, "no tensors of 'lm_head'"),
    ({"target_modules": r"((\w|\w\w|\.)+)+(?<!j)"}, "take more than 10 s"),
    ({"target_modules": "(?:(?:(?:a{4000}){4000}){4000})"}, "its counts repeat it is longer than"),
    ({"exclude_modules": ["q_proj"]}, "not among target_modules"),
    ({"layers_to_transform": [0]}, "not among target_modules"),
    ({"layers_to_transform": "0"}, "layers_to_transform '0'"),
    ({"layers_pattern": "layers"}, "layers_pattern"),
    ({"target_modules": ".*", "layers_to_transform": [0]}, "expected a list"),
    ({"use_rslora": 1}, "use_rslora 1"),
]


@pytest.mark.parametrize(("values", "message"), CONFIGS, ids=lambda each: str(each)[:40])
def test_configs_that_are_refused(
    values: dict[str, Any], message: str, folder: Path, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "torchpaged.integrations.checkpoints.lora_config._SECONDS", 10.0 if "10 s" not in message else 0.5
    )
    message = message.replace("10 s", "0 s")
    change_config(folder, **values)
    with pytest.raises(ModelError, match=message) as error:
        read(folder)
    assert "\n" not in str(error.value)


def _drop(tensors: dict[str, Tensor]) -> None:
    del tensors[f"{Q}.lora_A.weight"]


def _drop_both(tensors: dict[str, Tensor]) -> None:
    del tensors[f"{Q}.lora_A.weight"], tensors[f"{Q}.lora_B.weight"]


def _add(name: str, *shape: int) -> Callable[[dict[str, Tensor]], None]:
    return lambda tensors: tensors.update({name: torch.zeros(*shape)})


def _set(value: float) -> Callable[[dict[str, Tensor]], None]:
    def change(tensors: dict[str, Tensor]) -> None:
        tensors[f"{Q}.lora_B.weight"].view(-1)[:2] = value

    return change


def _cast(dtype: torch.dtype) -> Callable[[dict[str, Tensor]], dict[str, Tensor]]:
    return lambda tensors: {name: each.to(dtype) if "lora" in name else each for name, each in tensors.items()}


FILES: list[tuple[str, Callable[[dict[str, Tensor]], Any], str]] = [
    ("half", _drop, "but no lora_A of 'model.layers.0.self_attn.q_proj'"),
    ("module", _drop_both, "no tensors of 'model.layers.0.self_attn.q_proj'"),
    ("none", lambda tensors: tensors.clear(), "has no tensors"),
    ("layer", _add("base_model.model.model.layers.9.self_attn.q_proj.lora_A.weight", 4, 64), "nearest is 'model.lay"),
    ("name", _add("base_model.model.model.layers.0.self_attn.q_prj.lora_A.weight", 4, 64), "nearest is .*0.*q_proj'"),
    ("expert", _add("base_model.model.model.layers.0.mlp.experts.1.w1.lora_A.weight", 4, 64), "experts .*not adapted"),
    ("embedding", _add("base_model.model.model.embed_tokens.lora_embedding_A", 4, 64), "embeddings are not adapted"),
    ("wte", _add("base_model.model.transformer.wte.lora_A.weight", 4, 64), r"embedding \(wte\) is not adapted"),
    ("saved", _add("base_model.model.lm_head.weight", 8, 8), "modules_to_save"),
    ("saved-embedding", _add("base_model.model.model.embed_tokens.weight", 8, 8), "save_embedding_layers"),
    ("saved-base", _add("base_model.model.model.embed_tokens.base_layer.weight", 8, 8), "save_embedding_layers"),
    ("changed-base", _add(f"{Q}.base_layer.weight", 64, 64), "replaces a weight of the model"),
    ("no-module", _add("lora_a.weight", 4, 64), "no linear module ''"),
    ("resized", _add("base_model.model.lm_head.base_layer.weight", 130, 64), r"expected the model's \(128, 64\)"),
    ("dora", _add(f"{Q}.lora_magnitude_vector", 64), "DoRA"),
    ("bias", _add(f"{Q}.lora_B.bias", 64), "bias of lora_B"),
    ("kohya", _add("lora_te_text_model_encoder_layers_0_mlp_fc1.lora_down.weight", 4, 64), "kohya's format"),
    ("alpha", _add(f"{Q}.alpha", 1), "kohya's format"),
    ("strange", _add("x", 1), "expected names like"),
    ("twice", _add(f"{Q}.lora_A.default.weight", 4, 64), "two tensors of one half"),
    ("rank", lambda t: t.update({f"{Q}.lora_A.weight": torch.zeros(5, 64)}), r"shape \(5, 64\), expected \(4, 64\)"),
    ("flat", lambda t: t.update({f"{Q}.lora_B.weight": torch.zeros(256)}), r"shape \(256,\), expected \(64, 4\)"),
    ("empty", lambda t: t.update({f"{Q}.lora_B.weight": torch.zeros(64, 0)}), r"shape \(64, 0\)"),
    ("nan", _set(float("nan")), "2 numbers not finite"),
    ("inf", _set(float("inf")), "2 numbers not finite"),
    ("int", _cast(torch.int32), "dtype 'I32', expected one of"),
    ("float8", _cast(torch.float8_e4m3fn), "dtype 'F8_E4M3'"),
]


@pytest.mark.parametrize(("name", "change", "message"), FILES, ids=[name for name, _, _ in FILES])
def test_files_that_are_refused(
    name: str, change: Callable[[dict[str, Tensor]], Any], message: str, folder: Path, read: Read
) -> None:
    change_tensors(folder, change)
    with pytest.raises(ModelError, match=message):
        read(folder)


def test_float64_becomes_float32(folder: Path, read: Read) -> None:
    content = read(folder).content
    change_tensors(folder, _cast(torch.float64))
    assert read(folder).content == content
    change_tensors(folder, lambda tensors: {name: each * 1e300 for name, each in tensors.items()})
    with pytest.raises(ModelError, match="not finite"):
        read(folder)


def test_two_adapters_in_a_file_are_refused(folder: Path, read: Read) -> None:
    def rename(tensors: dict[str, Tensor]) -> None:
        tensors[f"{Q}.lora_A.other.weight"] = tensors.pop(f"{Q}.lora_A.weight")

    change_tensors(folder, rename)
    with pytest.raises(ModelError, match="the adapter 'other' and of one without a name"):
        read(folder)


def test_the_largest_rank_is_a_setting(folder: Path, read: Read) -> None:
    assert read(folder, max_rank=4).rank == 4
    with pytest.raises(ModelError, match=r"rank 4 for .*, expected at most 3"):
        read(folder, max_rank=3)


def test_modules_that_are_not_offered_are_refused_by_name(base: PreTrainedModel, tmp_path: Path) -> None:
    save(base, tmp_path, r=4, target_modules=["q_proj", "lm_head"])
    shapes = linear_shapes(base)
    del shapes["lm_head"]
    with pytest.raises(ModelError, match=r"the head \(lm_head\) of this model is not adapted"):
        read_adapter(tmp_path, shapes)


def test_peft_s_own_embedding_adapters_are_refused(base: PreTrainedModel, tmp_path: Path) -> None:
    save(base, tmp_path, r=4, target_modules=["q_proj", "embed_tokens"])
    with pytest.raises(ModelError, match="embed"):
        read_adapter(tmp_path, linear_shapes(base))


@pytest.mark.parametrize("kind", ["nothing", "file", "no config", "no weights", "bin", "link", "fifo", "nul", "json"])
def test_folders_that_are_refused(kind: str, folder: Path, read: Read, tmp_path: Path) -> None:
    path, message = folder, ""
    weights = folder / "adapter_model.safetensors"
    if kind == "nothing":
        path, message = tmp_path / "x", "there is no such folder"
    elif kind == "nul":
        path, message = Path("a\0b"), "no such folder"
    elif kind == "file":
        path, message = weights, "this is a file, expected a folder"
    elif kind == "no config":
        (folder / "adapter_config.json").unlink()
        message = "there is no file adapter_config.json"
    elif kind == "no weights":
        weights.unlink()
        message = "there is no file adapter_model.safetensors"
    elif kind == "bin":
        weights.rename(folder / "adapter_model.bin")
        message = r"pickled \(adapter_model.bin\).*save_pretrained"
    elif kind == "link":
        weights.rename(tmp_path / "outside")
        weights.symlink_to(tmp_path / "outside")
        message = "is a link to .*outside of the folder"
    elif kind == "fifo":
        weights.unlink()
        os.mkfifo(weights)
        message = "there is no file"
    elif kind == "json":
        (folder / "adapter_config.json").write_text("[" * 100_000)
        message = "is not JSON"
    with pytest.raises(ModelError, match=message):
        read(path)


def test_links_of_the_hub_s_cache_are_followed(folder: Path, read: Read, tmp_path: Path) -> None:
    content = read(folder).content
    snapshot = tmp_path / "models--a--b" / "snapshots" / "0"
    blobs = tmp_path / "models--a--b" / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    for number, each in enumerate(folder.iterdir()):
        each.rename(blobs / str(number))
        (snapshot / each.name).symlink_to(f"../../blobs/{number}")
    assert read(snapshot).content == content


def test_a_file_that_is_written_meanwhile_is_refused(folder: Path, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchpaged.weights.safetensors_file import SafetensorsFile

    own = SafetensorsFile.read

    def read_and_write(self: SafetensorsFile, name: str) -> Tensor:
        with (folder / "adapter_model.safetensors").open("ab") as file:
            file.write(b"\0")
        return own(self, name)

    monkeypatch.setattr(SafetensorsFile, "read", read_and_write)
    with pytest.raises(ModelError, match="written while it was read"):
        read(folder)


def test_a_large_config_is_refused(folder: Path, read: Read) -> None:
    with (folder / "adapter_config.json").open("r+b") as file:
        file.truncate((1 << 24) + 1)
    with pytest.raises(ModelError, match="more than 16777216 bytes"):
        read(folder)


def test_a_thousand_patterns_are_matched_in_time(folder: Path, read: Read, base: PreTrainedModel) -> None:
    from torchpaged.integrations.checkpoints.lora_config import LoraConfig

    names = [
        f"model.layers.{layer}.{part}" for layer in range(160) for part in ("q_proj", "k_proj", "v_proj", "o_proj")
    ]
    config = LoraConfig("x", 8, 8, frozenset(names), rank_pattern={name: i + 1 for i, name in enumerate(names)})
    assert [config.rank_of(name) for name in names] == list(range(1, len(names) + 1))


def test_random_patterns_match_as_in_peft() -> None:
    from peft import LoraConfig as PeftConfig
    from peft.tuners.tuners_utils import check_target_module_exists
    from peft.utils.other import get_pattern_key

    from torchpaged.integrations.checkpoints.lora_config import LoraConfig

    parts = ("q_proj", "k_proj", "layers.1.self_attn.q_proj", "1.mlp.up_proj", "proj", "model", "self_attn")
    parts += (r".*\.1\..*", r"(q|k)_proj", r"layers\.\d+\.mlp\.\w+", "q.proj", "up_proj|q", r"[qk]_proj", "", r"\w+")
    names = [f"model.layers.{i}.{part}" for i in (0, 1, 11) for part in ("self_attn.q_proj", "self_attn.k_proj")]
    names += [
        "model.layers.1.mlp.up_proj",
        "model.layers.0.mlp.experts.1.w1",
        "lm_head",
        "h.1.q_proj",
        "q_proj",
        "1.q_proj",
    ]
    rng, found = random.Random(0), 0
    for _ in range(400):
        few = [rng.choice(parts) for _ in range(rng.randint(1, 3))]
        values: dict[str, Any] = {"target_modules": rng.choice([few, few[0] or "x"])}
        values["exclude_modules"] = rng.choice([None, None, [rng.choice(parts)], rng.choice(parts)])
        if isinstance(values["target_modules"], list):
            values["layers_to_transform"] = rng.choice([None, 1, [1, 11], [0]])
            if values["layers_to_transform"] is not None:
                values["layers_pattern"] = rng.choice([None, "layers", ["h", "layers"], "experts", r"\w+"])
        values["rank_pattern"] = {rng.choice(parts): rng.randint(1, 9) for _ in range(rng.randint(0, 3))}
        values["alpha_pattern"] = {rng.choice(parts): rng.randint(1, 9) for _ in range(rng.randint(0, 3))}
        peft = PeftConfig(r=2, lora_alpha=3, **values)
        own = LoraConfig.of("adapter 'x': adapter_config.json", values | {"r": 2, "lora_alpha": 3})
        for name in names:
            assert own.is_target(name) == bool(check_target_module_exists(peft, name)), (values, name)
            rank = peft.rank_pattern.get(get_pattern_key(peft.rank_pattern, name), 2)
            assert own.rank_of(name) == rank, (values, name)
            alpha = peft.alpha_pattern.get(get_pattern_key(peft.alpha_pattern, name), 3)
            assert own.scale_of(name) == alpha / rank, (values, name)
            found += own.is_target(name)
    assert found > 200


# --- Mutations ---


@pytest.mark.parametrize("part", ["adapter_config.json", "adapter_model.safetensors"])
@pytest.mark.parametrize("seeds", [range(250)])
def test_mutations_are_read_or_refused(part: str, seeds: range, written: Path, read: Read, tmp_path: Path) -> None:
    mutate = file_mutations.twist_json if part.endswith("json") else file_mutations.twist_safetensors
    refused = 0
    for seed in seeds:
        folder = tmp_path / str(seed)
        shutil.copytree(written, folder)
        mutate(random.Random(seed), folder / part)
        try:
            read(folder)
        except ModelError as error:
            refused += 1
            assert len(str(error)) < 1500 and "\n" not in str(error), seed
        shutil.rmtree(folder)
    assert refused > len(seeds) // 4


def test_random_names_of_tensors_are_read_or_refused(folder: Path, read: Read) -> None:
    rng, tensors = random.Random(0), load_file(folder / "adapter_model.safetensors")
    parts = [*Q.split("."), "lora_A", "lora_B", "lora_a", "lora_b", "weight", "bias", "base_layer", "lm_head", "", "x"]
    for _ in range(300):
        name = ".".join(rng.choice(parts) for _ in range(rng.randint(1, 8)))
        save_file(tensors | {name: torch.zeros(4, 64)}, folder / "adapter_model.safetensors")
        with pytest.raises(ModelError) as error:
            read(folder)
        assert "\n" not in str(error.value)
