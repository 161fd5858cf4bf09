"""Adapters from state dicts: every spelling of peft's names, every kind of config, copies, and errors by name."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed.tensor
from torch import Tensor
from transformers import LlamaConfig, Mistral3Config, PreTrainedModel, Qwen2Config

from tests.adapters import as_torchtune, build, merged, wrap
from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.lora import adapter_of_state_dict, read_adapter
from torchpaged.integrations.transformers.adapted_linear import linear_shapes
from torchpaged.weights.lora_adapter import LoraAdapter

PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
Q = "base_model.model.model.layers.0.self_attn.q_proj"


@pytest.fixture(scope="module")
def base() -> PreTrainedModel:
    return build("llama")


@pytest.fixture
def trained(base: PreTrainedModel) -> Any:
    return wrap(base, r=4, lora_alpha=8, target_modules=PROJECTIONS, rank_pattern={"q_proj": 2}, use_rslora=True)


@pytest.fixture
def make(base: PreTrainedModel) -> Callable[..., LoraAdapter]:
    return lambda weights, config, **options: adapter_of_state_dict(weights, config, linear_shapes(base), **options)


Make = Callable[..., LoraAdapter]


def _saved(trained: Any) -> dict[str, Tensor]:
    from peft import get_peft_model_state_dict

    found: dict[str, Tensor] = get_peft_model_state_dict(trained)
    return found


def test_it_is_the_adapter_that_peft_saves(trained: Any, make: Make, base: PreTrainedModel, tmp_path: Path) -> None:
    trained.save_pretrained(tmp_path)
    expected = read_adapter(tmp_path, linear_shapes(base))
    config = trained.peft_config["default"]
    for weights in (_saved(trained), trained.state_dict()):
        for each in (config, config.to_dict(), trained, expected):
            made = make(weights, each)
            assert made == expected and made.rank == 4
    made = make(_saved(trained), config)
    whole = trained.merge_and_unload()
    for name, weight in merged(base, made).items():
        assert torch.allclose(weight, whole.get_submodule(name).weight, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("wrapper", ["", "module.", "_orig_mod.", "module._orig_mod.", "_fsdp_wrapped_module."])
@pytest.mark.parametrize("prefix", ["base_model.model.", ""])
@pytest.mark.parametrize("end", ["weight", "default.weight"])
def test_spellings_of_names(wrapper: str, prefix: str, end: str, trained: Any, make: Make) -> None:
    renamed = {
        wrapper + prefix + name.removeprefix("base_model.model.").removesuffix("weight") + end: each
        for name, each in _saved(trained).items()
    }
    assert make(renamed, trained) == make(_saved(trained), trained)
    inner = {
        f"{name}".replace(".self_attn.", "._checkpoint_wrapped_module.self_attn."): each
        for name, each in renamed.items()
    }
    assert make(inner, trained) == make(_saved(trained), trained)


def test_the_tensors_are_copied(trained: Any, make: Make) -> None:
    made = make(trained.state_dict(), trained)
    before = {name: (weight.a.clone(), weight.b.clone()) for name, weight in made.modules.items()}
    with torch.no_grad():
        for parameter in trained.parameters():
            parameter.zero_()
    assert all(torch.equal(weight.a, before[name][0]) for name, weight in made.modules.items())
    assert all(torch.equal(weight.b, before[name][1]) for name, weight in made.modules.items())
    assert not any(weight.a.requires_grad or weight.b.requires_grad for weight in made.modules.values())
    assert make(trained.state_dict(), trained).content != made.content


def test_views_and_other_dtypes(trained: Any, make: Make) -> None:
    expected = make(_saved(trained), trained)
    views = {name: each.T.contiguous().T for name, each in _saved(trained).items()}
    assert make(views, trained) == expected
    doubled = {name: each.double() for name, each in _saved(trained).items()}
    assert make(doubled, trained) == expected
    halves = {name: each.bfloat16() for name, each in _saved(trained).items()}
    assert make(halves, trained).modules["model.layers.0.self_attn.q_proj"].a.dtype == torch.bfloat16


def test_adapters_that_transformers_added(base: PreTrainedModel, trained: Any, make: Make) -> None:
    from peft import PeftModel

    assert isinstance(trained, PeftModel)
    model = copy.deepcopy(base)
    model.add_adapter(trained.peft_config["default"], "mine")
    inner = trained.base_model.model.state_dict()
    model.load_state_dict({name.replace(".default.", ".mine."): each for name, each in inner.items()})
    for weights in (model.state_dict(), model.get_adapter_state_dict("mine")):
        assert make(weights, model) == make(weights, model, adapter_name="mine") == make(_saved(trained), trained)


def test_sharded_tensors_are_gathered(trained: Any, make: Make) -> None:
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (1,))
        shard = [torch.distributed.tensor.Shard(0)]
        sharded = {
            name: torch.distributed.tensor.distribute_tensor(each, mesh, shard)
            for name, each in _saved(trained).items()
        }
        assert make(sharded, trained) == make(_saved(trained), trained)
    finally:
        torch.distributed.destroy_process_group()


def test_one_of_several_adapters(base: PreTrainedModel, trained: Any, make: Make) -> None:
    from peft import LoraConfig

    first = make(trained.state_dict(), trained)
    trained.add_adapter("other", LoraConfig(r=3, target_modules=["q_proj"], init_lora_weights=False))
    weights = trained.state_dict()
    assert make(weights, trained, adapter_name="default") == first
    other = make(weights, trained, adapter_name="other")
    assert set(other.modules) == {f"model.layers.{i}.self_attn.q_proj" for i in range(3)} and other.rank == 3
    with pytest.raises(ModelError, match=r"has adapters \['default', 'other'\]; name one \(adapter_name\)"):
        make(weights, trained)
    with pytest.raises(ModelError, match="not 'third'"):
        make(weights, trained, adapter_name="third")
    with pytest.raises(ModelError, match=r"has adapters \['default', 'other'\], expected one"):
        make(weights, trained.peft_config["default"])


def test_the_version_before_gives_modules_ranks_and_scales(trained: Any, make: Make) -> None:
    first = make(_saved(trained), trained)
    trained.peft_config["default"].lora_alpha = 100  # peft has no effect of it either, until it is loaded again
    with torch.no_grad():
        trained.base_model.model.model.layers[0].self_attn.q_proj.lora_A["default"].weight[0, 0] += 1
    second = make(_saved(trained), first)
    assert second.content != first.content
    assert {name: each.scale for name, each in second.modules.items()} == {
        name: each.scale for name, each in first.modules.items()
    }
    fewer = {name: each for name, each in _saved(trained).items() if "layers.0.self_attn.q_proj" not in name}
    with pytest.raises(ModelError, match=r"no tensors of 'model.layers.0.self_attn.q_proj'.*its version before"):
        make(fewer, first)
    wider = _saved(trained) | {f"{Q}.lora_A.weight": torch.zeros(5, 64)}
    with pytest.raises(ModelError, match=r"shape \(5, 64\), expected \(2, 64\)"):
        make(wider, first)


def test_torchtune(trained: Any, make: Make) -> None:
    expected = make(_saved(trained), trained)
    config = trained.peft_config["default"]
    own = config.to_dict() | {"target_modules": ["q_proj", "k_proj", "v_proj", "output_proj", "w1", "w2", "w3"]}
    tensors = as_torchtune(_saved(trained))
    assert make(tensors, own, model_config=LlamaConfig(head_dim=16)) == expected
    assert make(tensors, own, model_config=LlamaConfig(hidden_size=64, num_attention_heads=4)) == expected
    with_images = Mistral3Config(text_config={"model_type": "mistral", "head_dim": 16})
    assert make(tensors, own, model_config=with_images) == expected
    assert make(as_torchtune(_saved(trained), None), own, model_config=Qwen2Config()) == expected
    with pytest.raises(ModelError, match=r"'layers.0.attn.q_proj.magnitude'.*DoRA"):
        make(tensors | {"layers.0.attn.q_proj.magnitude": torch.ones(64)}, own, model_config=LlamaConfig(head_dim=16))


REFUSED: list[tuple[str, Callable[[dict[str, Tensor]], Any], str]] = [
    ("none", lambda tensors: {}, "the state dict has no tensors"),
    ("list", lambda tensors: list(tensors), "the state dict is list, expected tensors by name"),
    ("number", lambda tensors: tensors | {"x": 1}, "the state dict is dict, expected tensors by name"),
    (
        "number as name",
        lambda tensors: tensors | {1: torch.ones(1)},
        "the state dict is dict, expected tensors by name",
    ),
    ("sparse", lambda tensors: {name: each.to_sparse() for name, each in tensors.items()}, "layout torch.sparse_coo"),
    ("integers", lambda tensors: {name: each.int() for name, each in tensors.items()}, "dtype torch.int32"),
    ("meta", lambda tensors: {name: each.to("meta") for name, each in tensors.items()}, "meta device"),
    ("half", lambda tensors: tensors.pop(f"{Q}.lora_A.weight"), "but no lora_A"),
    ("module", lambda tensors: tensors.update({f"{Q}x.lora_A.weight": torch.ones(4, 4)}), "nearest is .*q_proj'"),
    ("bias", lambda tensors: tensors.update({f"{Q}.bias": torch.ones(64)}), "replaces a weight"),
    ("nan", lambda tensors: tensors[f"{Q}.lora_B.weight"].fill_(float("nan")), "128 numbers not finite"),
    (
        "embedding",
        lambda tensors: tensors.update({"base_model.model.model.embed_tokens.lora_embedding_A": torch.ones(4, 4)}),
        "embeddings are not adapted",
    ),
]


@pytest.mark.parametrize(("name", "change", "message"), REFUSED, ids=[name for name, _, _ in REFUSED])
def test_refused(name: str, change: Callable[[Any], Any], message: str, trained: Any, make: Make) -> None:
    tensors = {name: each.clone() for name, each in _saved(trained).items()}
    changed = change(tensors)
    weights = tensors if changed is None or isinstance(changed, Tensor) else changed
    with pytest.raises(ModelError, match=f"adapter 'mine': .*{message}"):
        make(weights, trained, name="mine")


@pytest.mark.parametrize("wraps", ["head", "bias", "dora"])
def test_whole_models_with_more_than_updates_are_refused(wraps: str, base: PreTrainedModel, make: Make) -> None:
    more: dict[str, Any] = {
        "head": {"modules_to_save": ["lm_head"]},
        "bias": {"bias": "all"},
        "dora": {"use_dora": True},
    }[wraps]
    trained = wrap(base, r=4, target_modules=["q_proj"], **more)
    with pytest.raises(ModelError, match="|".join(more)):
        make(trained.state_dict(), trained)
    plain = copy.copy(trained.peft_config["default"])
    plain.modules_to_save, plain.bias, plain.use_dora = None, "none", False
    if wraps != "bias":  # the names of a bias are those of the base
        with pytest.raises(ModelError, match=r"modules_to_save|DoRA"):
            make(trained.state_dict(), plain)


@pytest.mark.parametrize("config", [None, 3, "x", {}, {"r": 4}, {"r": 4, "lora_alpha": 8, "target_modules": ()}])
def test_configs_that_are_refused(config: object, trained: Any, make: Make) -> None:
    with pytest.raises(ModelError, match="the config"):
        make(_saved(trained), config)


def test_modules_of_a_head_alone(base: PreTrainedModel, make: Make) -> None:
    trained = wrap(base, r=4, target_modules=["lm_head"])
    assert set(make(trained.state_dict(), trained).modules) == {"lm_head"}
    assert make(_saved(trained), trained) == make(trained.state_dict(), trained)
