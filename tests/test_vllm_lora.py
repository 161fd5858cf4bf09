"""Scenarios of vLLM's tests/lora that need no GPU, in our words. docs/adapters.md lists them, and those that differ."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel

from tests.adapters import build, change_config, save
from torchpaged import LLM, LoRARequest, SamplingParams
from torchpaged.errors import ConfigError, EngineError, ModelError, RequestError
from torchpaged.execution.adapter_slots import AdapterSlots
from torchpaged.integrations.checkpoints.lora import read_adapter
from torchpaged.integrations.checkpoints.lora_names import Key, parse
from torchpaged.integrations.transformers.adapted_linear import linear_shapes
from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight

PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


@pytest.fixture(scope="module")
def llama() -> PreTrainedModel:
    return build("llama")


@pytest.fixture
def folder(llama: PreTrainedModel, tmp_path: Path) -> Path:
    save(llama, tmp_path / "a", r=8, lora_alpha=32, target_modules=PROJECTIONS)
    return tmp_path / "a"


# --- test_peft_helper.py ---


def test_rank_alpha_and_targets(folder: Path, llama: PreTrainedModel) -> None:
    adapter = read_adapter(folder, linear_shapes(llama), max_rank=16)
    assert {each.rank for each in adapter.modules.values()} == {8}
    assert {each.scale for each in adapter.modules.values()} == {32 / 8}
    assert {name.rpartition(".")[2] for name in adapter.modules} == set(PROJECTIONS)
    change_config(folder, use_rslora=True)
    adapter = read_adapter(folder, linear_shapes(llama), max_rank=16)
    assert {each.scale for each in adapter.modules.values()} == {32 / math.sqrt(8)}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"r": 1024}, r"rank 1024 .*at most 16 \(max_lora_rank\)"),
        ({"use_dora": True}, "use_dora True, which is not supported"),
        ({"modules_to_save": ["lm_head"]}, "modules_to_save"),
        ({"r": 0}, "r 0, expected an integer of 1 or more"),
        ({"r": -8}, "r -8, expected an integer of 1 or more"),
        ({"trainable_token_indices": [1, 1]}, "trainable_token_indices"),
    ],
)
def test_configs_that_are_refused(values: dict[str, Any], message: str, folder: Path, llama: PreTrainedModel) -> None:
    change_config(folder, **values)
    with pytest.raises(ModelError, match=message):
        read_adapter(folder, linear_shapes(llama), max_rank=16)


# --- test_utils.py, test_lora_checkpoints.py ---


@pytest.mark.parametrize("name", ["lm_head", "model.layers.9.mlp.down_proj", "language_model.layers.9.mlp.down_proj"])
@pytest.mark.parametrize("prefix", ["base_model.model.", ""])
@pytest.mark.parametrize("half", ["A", "B"])
def test_names_of_tensors(name: str, prefix: str, half: str) -> None:
    assert parse(f"{prefix}{name}.lora_{half}.weight") == Key(name, half.lower(), "", False)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("base_model.weight", "only LoRA's tensors are read"),
        ("base_model.model.weight", "only LoRA's tensors are read"),
        ("base_model.model.model.embed_tokens.lora_embedding_A", "embeddings are not adapted"),
        ("base_model.model.model.layers.9.mlp.down_proj.lora_magnitude_vector", "DoRA"),
    ],
)
def test_names_that_are_not_read(name: str, reason: str) -> None:
    found = parse(name)
    assert isinstance(found, str) and reason in found


@pytest.mark.parametrize(
    "targets",
    [
        ["gate_up_proj", "down_proj", "o_proj"],
        ["model.layers.0.self_attn.qkv_proj", "model.layers.1.mlp.down_proj"],
        r"model\..*(qkv_proj|o_proj)",
    ],
)
def test_targets_by_name_by_path_and_by_expression(targets: Any, tmp_path: Path, llama: PreTrainedModel) -> None:
    model = build("phi3")
    save(model, tmp_path, r=8, target_modules=targets)
    assert read_adapter(tmp_path, linear_shapes(model)).rank == 8
    with pytest.raises(ModelError, match=r"no linear module|expected \("):  # another model's
        read_adapter(tmp_path, linear_shapes(llama))


# --- test_lora_manager.py: packed modules ---


@pytest.mark.parametrize("targets", [["gate_proj", "up_proj"], ["up_proj"]])
def test_one_part_of_a_packed_module_may_be_missing(targets: list[str], tmp_path: Path, llama: PreTrainedModel) -> None:
    save(llama, tmp_path, r=8, target_modules=targets)
    slots = AdapterSlots(linear_shapes(llama), 2, 2, 8, torch.float32, torch.device("cpu"))
    adapter = read_adapter(tmp_path, linear_shapes(llama))
    assert slots.load(adapter) == 0
    slots.check()
    for name in linear_shapes(llama):
        assert bool(slots.lora_b[name].any()) == (name.rpartition(".")[2] in targets), name


# --- test_lora_manager.py: adapters in slots and in host memory ---


def _adapters(count: int) -> list[LoraAdapter]:
    """Return adapters of two modules each, by number from 1."""
    weights = [LoraWeight(torch.rand(8, 4), torch.rand(6, 8), 2.0) for _ in range(count + 1)]
    return [LoraAdapter.of({"dense1": each, "dense2": weights[0]}) for each in weights]


def _slots(max_loras: int, max_cpu_loras: int) -> AdapterSlots:
    shapes = {"dense1": (6, 4), "dense2": (6, 4), "lm_head": (6, 4)}
    return AdapterSlots(shapes, max_loras, max_cpu_loras, 8, torch.float32, torch.device("cpu"))


def _in_slots(slots: AdapterSlots, all_of_them: list[LoraAdapter]) -> list[int | None]:
    """Return the number of the adapter in each slot."""
    slots.check()
    numbers = {
        slot: number for number, each in enumerate(all_of_them) if (slot := slots.slot_of(each.content)) is not None
    }
    return [numbers.get(slot) for slot in range(slots.max_loras)]


def _in_memory(slots: AdapterSlots, all_of_them: list[LoraAdapter]) -> set[int]:
    return {number for number, each in enumerate(all_of_them) if each.content in slots.contents}


Steps = Callable[[int], Any]


def test_the_adapter_used_least_recently_gives_way() -> None:
    made, slots = _adapters(4), _slots(2, 3)
    activate: Steps = lambda number: slots.activate(made[number].content)  # noqa: E731
    assert _in_slots(slots, made) == [None, None]
    for number in (1, 2):
        assert slots.add(made[number]) and activate(number) == number - 1
        assert activate(number) == number - 1  # again: where it is
    assert slots.add(made[3]) and _in_slots(slots, made) == [1, 2]
    assert activate(3) == 0 and _in_slots(slots, made) == [3, 2]
    assert slots.unload(made[2].content) and _in_slots(slots, made) == [3, None]
    assert not slots.unload(made[2].content)
    assert slots.unload(made[1].content) and not slots.unload(made[1].content)
    assert slots.load(made[1]) == 1 and _in_slots(slots, made) == [3, 1]
    assert slots.load(made[2]) == 0 and _in_slots(slots, made) == [2, 1]


def test_host_memory_has_a_limit() -> None:
    made, slots = _adapters(4), _slots(2, 2)
    for number in (1, 2, 3, 4):
        assert slots.load(made[number]) is not None
    assert _in_memory(slots, made) == {3, 4} and _in_slots(slots, made) == [3, 4]
    assert slots.load(made[3]) == 0  # again, so that 4 gives way
    assert slots.load(made[2]) == 1
    assert _in_memory(slots, made) == {2, 3} and _in_slots(slots, made) == [3, 2]
    assert slots.unload(made[3].content) and not slots.unload(made[3].content)
    assert _in_memory(slots, made) == {2} and _in_slots(slots, made) == [None, 2]


def test_adapters_in_use_never_give_way() -> None:
    made, slots = _adapters(4), _slots(2, 3)
    for number in (1, 2):
        slots.load(made[number])
    slots.use([made[2].content])
    assert slots.load(made[3]) == 0 and slots.load(made[1]) == 0 and _in_slots(slots, made) == [1, 2]
    assert not slots.unload(made[2].content)  # differs from vLLM, where it is removed all the same
    slots.use([made[1].content, made[2].content])
    assert slots.load(made[3]) is None and slots.slot_of(made[3].content) is None  # no slot is left
    slots.use([made[2].content])
    assert slots.load(made[3]) == 0 and _in_slots(slots, made) == [3, 2]
    with pytest.raises(EngineError, match="not in host memory"):
        slots.activate(made[4].content)


# --- test_lora_functions.py, test_add_lora.py, test_load_inplace_offline.py: names of an engine ---


@pytest.fixture(scope="module")
def adapters(llama: PreTrainedModel, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Folders of two adapters that give other texts."""
    path = tmp_path_factory.mktemp("adapters")
    for number in (0, 1):
        save(llama, path / str(number), r=8, lora_alpha=64 * (1 - 2 * number), target_modules=PROJECTIONS)
    return [path / "0", path / "1"]


def _llm(llama: PreTrainedModel, max_loras: int = 4, **more: Any) -> LLM:
    return LLM(llama, enable_lora=True, max_loras=max_loras, max_lora_rank=8, num_blocks=60, **more)


def test_names_are_added_pinned_removed_and_listed(llama: PreTrainedModel, adapters: list[Path]) -> None:
    """In vLLM only max_loras names stay; here a name is forgotten by remove_lora alone, and files are read again."""
    with _llm(llama) as llm:
        engine = llm.engine
        for number in range(1, 11):
            assert engine.add_lora(LoRARequest(str(number), number, str(adapters[0])))
            assert engine.list_loras() == set(range(1, number + 1))
        assert engine.pin_lora(1)
        for number in range(1, 11):
            assert engine.remove_lora(number) and not engine.remove_lora(number)
            assert engine.list_loras() == set(range(number + 1, 11))


def test_a_number_has_one_adapter(llama: PreTrainedModel, adapters: list[Path]) -> None:
    """vLLM runs the adapter that the number had first, without an error; here its files are the number's."""
    params = SamplingParams(temperature=0, max_tokens=8)
    with _llm(llama, max_loras=2) as llm:
        first = llm.generate([[1, 2, 3]], params, lora_request=LoRARequest("one", 1, str(adapters[0])))
        with pytest.raises(ConfigError, match="lora_int_id"):
            llm.generate([[1, 2, 3]], params, lora_request=LoRARequest("two", 1, str(adapters[1])))
        swapped = LoRARequest("one", 1, str(adapters[1]), load_inplace=True)
        second = llm.generate([[1, 2, 3]], params, lora_request=swapped)
        assert first[0].outputs[0].token_ids != second[0].outputs[0].token_ids


def test_allowed_tokens_are_those_of_the_base_model(llama: PreTrainedModel, adapters: list[Path]) -> None:
    """Adapters with tokens of their own are refused, so allowed_token_ids have the base model's limit."""
    request = LoRARequest("one", 1, str(adapters[0]))
    with _llm(llama) as llm:
        params = SamplingParams(temperature=0, max_tokens=4, allowed_token_ids=[7, 100])
        (output,) = llm.generate([[1, 2, 3]], params, lora_request=request)
        assert set(output.outputs[0].token_ids) <= {7, 100}
        for adapter in (request, None):
            with pytest.raises(RequestError, match="allowed_token_ids"):
                llm.generate([[1, 2, 3]], SamplingParams(allowed_token_ids=[128]), lora_request=adapter)


def test_more_adapters_than_slots_in_one_call(llama: PreTrainedModel, adapters: list[Path]) -> None:
    """vLLM's worker refuses more active adapters than max_loras; here they take turns."""
    requests = [LoRARequest(str(number), number, str(adapters[number % 2])) for number in range(1, 6)]
    params = SamplingParams(temperature=0, max_tokens=8)
    with _llm(llama, max_loras=1) as llm:
        outputs = llm.generate([[1, 2, 3]] * 5, params, lora_request=requests)
        texts = [tuple(each.outputs[0].token_ids) for each in outputs]
        assert texts[0] == texts[2] == texts[4] != texts[1] == texts[3]
