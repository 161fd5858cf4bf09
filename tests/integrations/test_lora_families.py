"""Adapters of a dozen families: peft's names are those of the engine's model, and the updates are peft's."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn
from transformers import PreTrainedModel

from tests import models
from tests.adapters import merged, wrap
from tests.integrations.family_models import SPECIAL, VARIANTS
from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.lora import adapter_of_state_dict, read_adapter
from torchpaged.integrations.families import FAMILIES, SUPPORTED
from torchpaged.integrations.transformers import adapter
from torchpaged.integrations.transformers.adapted_linear import linear_shapes

ALL = "all-linear"


class Case(NamedTuple):
    """A family, and the modules that peft adapts.

    Args:
        name: of the model type, or of a variant.
        targets: as in peft's config.
        fused: modules whose output is split by the model: peft updates them as one, and so does the engine.
    """

    name: str
    targets: str | list[str] = ALL
    fused: tuple[str, ...] = ()


CASES = [
    Case("llama"),
    Case("mistral"),
    Case("qwen2"),
    Case("qwen3"),
    Case("gemma3_text"),
    Case("olmo2"),
    Case("granite"),
    Case("starcoder2"),
    Case("qwen3_moe", ["q_proj", "k_proj", "v_proj", "o_proj"]),
    Case("mixtral", r".*self_attn\.[qkvo]_proj"),
    Case("phi3", fused=("qkv_proj", "gate_up_proj")),
    Case("gpt_neox", fused=("query_key_value",)),
    Case("falcon", fused=("query_key_value",)),
    Case("falcon-multi-query", fused=("query_key_value",)),
    Case("falcon-alibi", fused=("query_key_value",)),
    Case("bloom", fused=("query_key_value",)),
    Case("mpt", fused=("Wqkv",)),
    Case("gpt2", fused=("c_attn",)),
    Case("gpt_bigcode", fused=("c_attn",)),
    Case("qwen3_5_text", fused=("in_proj_qkv",)),
    Case("deepseek_v3", ["q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "kv_b_proj", "o_proj"]),
]


def _build(name: str) -> PreTrainedModel:
    kind, settings = next(
        ((kind, more) for each, kind, more in VARIANTS if each == name), (name, SPECIAL.get(name, {}))
    )
    return models.build(kind, **settings)


def _weight(model: nn.Module, name: str) -> Any:
    return model.get_submodule(name).weight


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_updates_are_those_of_peft(case: Case, tmp_path: Path) -> None:
    model, engine = _build(case.name), adapter.adapt(_build(case.name))
    modules = linear_shapes(engine.model)
    wrapped = wrap(model, r=4, lora_alpha=6, target_modules=case.targets, fan_in_fan_out="gpt" in case.name)
    wrapped.save_pretrained(tmp_path)
    found = read_adapter(tmp_path, modules)
    assert adapter_of_state_dict(wrapped.state_dict(), wrapped, modules) == found
    leaves = {name.rpartition(".")[2] for name in found.modules}
    assert leaves.issuperset(case.fused) and not leaves & {"lm_head", "embed_out"}
    weights, whole = merged(model, found), wrapped.merge_and_unload()
    for name in modules:
        expected, base = _weight(whole, name), _weight(model, name)
        if name in weights:
            assert not torch.equal(expected, base)
            assert torch.allclose(weights[name], expected, rtol=1e-6, atol=1e-6), name
        else:
            assert torch.equal(expected, base), name
    assert set(weights) | {"lm_head", "embed_out"} >= set(modules) or case.targets != ALL


@pytest.mark.parametrize(
    "name", [name for name in SUPPORTED if not {"cross", "bidirectional"} & set(FAMILIES[name].attention)]
)
def test_the_engine_keeps_names_and_sizes_of_linear_modules(name: str) -> None:
    model = _build(name)
    before = linear_shapes(model)
    assert linear_shapes(adapter.adapt(model).model) == before


@pytest.mark.parametrize("targets", [ALL, ["q_proj", "w1", "w2", "w3"], r".*(q_proj|w[123])"])
def test_fused_experts_are_refused_by_name(targets: Any, tmp_path: Path) -> None:
    model = _build("mixtral")
    wrap(model, r=4, target_modules=targets).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=r"target_parameters .*'down_proj'.* fused experts"):
        read_adapter(tmp_path, linear_shapes(model))


@pytest.mark.parametrize("name", ["block_sparse_moe.experts.1.w1", "mlp.experts.0.gate_proj", "mlp.experts"])
def test_experts_of_older_files_are_refused_by_name(name: str) -> None:
    model = _build("mixtral")
    weights = {f"base_model.model.model.layers.0.{name}.lora_{half}.weight": torch.ones(4, 4) for half in "AB"}
    with pytest.raises(ModelError, match=rf"experts \('model.layers.0.{name}'\) are not adapted"):
        adapter_of_state_dict(weights, {"r": 4, "lora_alpha": 4, "target_modules": ["w1"]}, linear_shapes(model))
