"""Linear modules that accept adapters: which do, under what names, and that nothing changes between steps."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from tests import models
from tests.integrations.family_models import SPECIAL
from torchpaged import EngineConfig
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.errors import ConfigError
from torchpaged.integrations.transformers import adapter
from torchpaged.weights.packed_linear import PackedLinear


def linears(kind: str, **settings: object) -> dict[str, tuple[int, int]]:
    model = adapter.wrap(models.build(kind, **{**SPECIAL.get(kind, {}), **settings}))
    model.weights.accept_adapters()  # type: ignore[union-attr]
    return dict(model.weights.linear_modules)  # type: ignore[union-attr]


def ends(names: dict[str, tuple[int, int]], layer: str) -> set[str]:
    return {name.split(layer)[1] for name in names if layer in name}


def test_each_linear_module_of_a_layer_and_no_head() -> None:
    found = linears("llama")
    assert found["model.layers.3.self_attn.k_proj"] == (32, 64) and found["model.layers.0.mlp.down_proj"] == (64, 96)
    assert len(found) == 28 and "lm_head" not in found


def test_transposed_modules_of_gpt2() -> None:
    found = linears("gpt2")
    assert ends(found, "h.0.") == {"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"}
    assert found["transformer.h.0.attn.c_attn"] == (192, 64)


def test_a_weight_that_is_multiplied_without_its_module_is_not_adapted() -> None:
    """Latent attention multiplies by the weight of kv_b_proj itself."""
    found = ends(linears("deepseek_v3"), "layers.1.")
    assert "self_attn.kv_a_proj_with_mqa" in found and "self_attn.kv_b_proj" not in found
    assert "mlp.shared_experts.up_proj" in found and not [name for name in found if ".experts." in name]


def test_the_model_is_its_user_s_between_steps() -> None:
    own = models.build("llama")
    before, names = copy.deepcopy(own), [name for name, _ in own.named_modules()]
    ids = torch.tensor(models.prompts((9,)))
    engine = LLMEngine(adapter.wrap(own), EngineConfig(enable_lora=True, num_blocks=16))
    with torch.no_grad():
        assert torch.equal(own(ids).logits, before(ids).logits)
    assert [name for name, _ in own.named_modules()] == names
    assert own.state_dict().keys() == before.state_dict().keys()
    assert isinstance(own.model.layers[0].mlp.up_proj, nn.Linear)
    assert type(own.model.layers[0].mlp.up_proj).__name__ == "Linear"
    copied = copy.deepcopy(own)
    with torch.no_grad():
        assert torch.equal(copied(ids).logits, before(ids).logits)
    engine.check()


def test_modules_that_peft_has_wrapped_keep_their_names() -> None:
    peft = pytest.importorskip("peft")
    own = models.build("llama")
    config = peft.LoraConfig(r=4, target_modules=["q_proj"])
    inner = peft.get_peft_model(own, config).base_model.model
    model = adapter.wrap(inner)
    model.weights.accept_adapters()  # type: ignore[union-attr]
    found = model.weights.linear_modules  # type: ignore[union-attr]
    assert found == linears("llama")


def test_twice_is_once_and_quantised_modules_are_adapted_anew() -> None:
    model = adapter.wrap(models.build("llama"), "bfloat16")
    weights = model.weights
    assert weights is not None
    weights.accept_adapters()
    first = dict(weights.linear_modules)
    kinds = {type(each) for each in weights.module.modules()}
    weights.accept_adapters()
    assert weights.linear_modules == first and {type(each) for each in weights.module.modules()} == kinds
    weights.quantize("int8")
    weights.accept_adapters()
    assert weights.linear_modules == first
    assert isinstance(weights.module.model.layers[0].mlp.up_proj, PackedLinear)


def test_an_encoder_is_refused() -> None:
    model = adapter.adapt(models.build("llama"))
    assert model.weights is not None
    model.weights._parts = None  # type: ignore[attr-defined]
    with pytest.raises(ConfigError, match=r"enable_lora is True, but LlamaForCausalLM has an encoder; leave it out"):
        model.weights.accept_adapters()
