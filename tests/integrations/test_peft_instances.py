"""peft's models as the engine's own model: each kind of adapter runs, and every switch by the caller is noticed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

from tests import models
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ModelError

GREEDY = SamplingParams(temperature=0, max_tokens=6)
PROMPT = models.prompts([21], seed=3)[0]
_MOE = {"num_local_experts": 4, "num_experts_per_tok": 2}


def _tokens(llm: LLM) -> list[int]:
    return llm.generate([PROMPT], GREEDY, use_tqdm=False)[0].outputs[0].token_ids


@torch.inference_mode()
def _own(model: Any) -> list[int]:
    ids = list(PROMPT)
    for _ in range(6):
        batch = torch.tensor([ids])
        ids.append(int(model(input_ids=batch, attention_mask=torch.ones_like(batch)).logits[0, -1].argmax()))
    return ids[len(PROMPT) :]


def _lora(**values: Any) -> Any:
    from peft import LoraConfig

    targets = ["q_proj", "v_proj", "down_proj"]
    return LoraConfig(**{"r": 4, "target_modules": targets, "init_lora_weights": False, **values})


def _two(kind: str = "llama", sizes: dict[str, Any] | None = None, **values: Any) -> Any:
    from peft import get_peft_model

    model = get_peft_model(models.build(kind, **(sizes or {})), _lora(**values), "one")
    model.add_adapter("two", _lora(**values))
    return model


def _one(config: str, **values: Any) -> Any:
    import peft

    return peft.get_peft_model(models.build("llama"), getattr(peft, config)(**values))


def _native() -> Any:
    model = models.build("llama")
    model.add_adapter(_lora(), "one")
    model.add_adapter(_lora(), "two")
    model.set_adapter("one")
    return model


@torch.no_grad()
def _train(model: Any, names: str) -> None:
    """Add noise to the parameters with these letters in their names."""
    for name, parameter in model.named_parameters():
        if names in name:
            parameter.add_(torch.randn_like(parameter), alpha=0.5)


def _layers(model: Any, method: str, *values: Any) -> None:
    for module in model.modules():
        if hasattr(module, "merged_adapters"):
            getattr(module, method)(*values)


def _hotswap(model: Any) -> None:
    from peft.utils.hotswap import hotswap_adapter_from_state_dict

    weights = {name.replace(".two.", ".one."): each for name, each in model.state_dict().items() if ".two." in name}
    hotswap_adapter_from_state_dict(model, weights, "one", model.peft_config["two"])


def _load(model: Any, folder: Path) -> None:
    model.save_pretrained(folder, selected_adapters=["two"])
    model.delete_adapter("two")
    model.load_adapter(folder / "two", "two")
    model.set_adapter("two")


Change = Callable[[Any], object]
SWITCH: Change = lambda model: model.set_adapter("two")  # noqa: E731


class Case(NamedTuple):
    """A model, and changes each of which gives it another text."""

    name: str
    make: Callable[[], Any]
    changes: Sequence[Change] = (SWITCH,)


CASES = [
    Case("trained", _two, [lambda model: _train(model, "lora_B.one"), lambda model: _train(model, "lora_A.one")]),
    Case("inner-model", lambda: _two().base_model.model, [lambda model: _layers(model, "set_adapter", "two")]),
    Case("two-at-once", _two, [lambda model: model.base_model.set_adapter(["one", "two"]), SWITCH]),
    Case(
        "scaled",
        _two,
        [
            lambda model: _layers(model, "scale_layer", 3.0),
            lambda model: _layers(model, "unscale_layer"),
            lambda model: _layers(model, "set_scale", "one", 9.0),
        ],
    ),
    Case(
        "one-layer-off",
        _two,
        [lambda model: model.base_model.model.model.layers[1].mlp.down_proj.enable_adapters(False)],
    ),
    Case(
        "disabled",
        _two,
        [
            lambda model: model.base_model.disable_adapter_layers(),
            lambda model: model.base_model.enable_adapter_layers(),
        ],
    ),
    Case("deleted", _two, [lambda model: model.delete_adapter("one")]),
    Case("hotswapped", _two, [_hotswap]),
    Case("rslora", lambda: _two(use_rslora=True)),
    Case("dora", lambda: _two(use_dora=True), [lambda model: _train(model, "lora_magnitude_vector.one"), SWITCH]),
    Case("lora-bias", lambda: _two(lora_bias=True), [lambda model: _train(model, "lora_B.one.bias"), SWITCH]),
    Case(
        "bias",
        lambda: _one("LoraConfig", target_modules=["q_proj"], bias="all"),
        [lambda model: _train(model, "lora_B")],
    ),
    Case("head-saved", lambda: _two(modules_to_save=["lm_head"])),
    Case(
        "tokens",
        lambda: _two(trainable_token_indices=PROMPT[-3:]),
        [lambda model: _train(model, "tokens_delta"), SWITCH],
    ),
    Case("embedding-and-head", lambda: _two(target_modules=["q_proj", "embed_tokens", "lm_head"])),
    Case(
        "experts", lambda: _two("mixtral", _MOE, target_modules=["q_proj"], target_parameters=["mlp.experts.down_proj"])
    ),
    Case(
        "transformers", _native, [SWITCH, lambda model: model.disable_adapters(), lambda model: model.enable_adapters()]
    ),
    Case(
        "ia3",
        lambda: _one("IA3Config", target_modules=["k_proj", "v_proj"], feedforward_modules=[], init_ia3_weights=False),
        [lambda model: _train(model, "ia3")],
    ),
    Case(
        "vera",
        lambda: _one("VeraConfig", r=4, target_modules=["q_proj"], init_weights=False),
        [lambda model: _train(model, "vera_lambda")],
    ),
]


def cases() -> list[Any]:
    """Return (case, dtype) for all of them. Changes are seen alike in both, so each second one is marked long."""
    found = []
    for number, case in enumerate(CASES):
        for place, dtype in enumerate((torch.float32, torch.bfloat16)):
            marks = pytest.mark.long if number % 2 != place else ()
            found.append(pytest.param(case, dtype, id=f"{case.name}-{dtype}", marks=marks))
    return found


@pytest.mark.parametrize(("case", "dtype"), cases())
def test_each_change_is_seen(case: Case, dtype: torch.dtype) -> None:
    torch.manual_seed(5)
    model = case.make().to(dtype).eval()
    llm = LLM(model, num_blocks=60)

    def expected() -> list[int]:
        if dtype == torch.float32:
            return _own(model)
        return _tokens(LLM(model, num_blocks=60, enable_prefix_caching=False))  # bfloat16 rounds elsewhere than torch

    found = [_tokens(llm)]
    assert found[0] == expected() and _tokens(llm) == found[0]
    for change in case.changes:
        change(model)
        found.append(_tokens(llm))
        assert found[-1] == expected() != found[-2]


def test_an_adapter_that_is_loaded_beside_is_seen(tmp_path: Path) -> None:
    torch.manual_seed(5)
    model = _two().eval()
    llm = LLM(model, num_blocks=60)
    one = _tokens(llm)
    _load(model, tmp_path)
    assert _tokens(llm) == _own(model) != one


@pytest.mark.parametrize("kind", ["PromptTuningConfig", "PrefixTuningConfig", "PromptEncoderConfig"])
def test_virtual_tokens_are_refused_by_name(kind: str) -> None:
    model = _one(kind, task_type="CAUSAL_LM", num_virtual_tokens=4)
    with pytest.raises(ModelError, match=rf"adapter 'default' is {kind.replace('Config', '')}.*get_base_model"):
        LLM(model, num_blocks=60)
    assert len(_tokens(LLM(model.get_base_model(), num_blocks=60))) == 6
