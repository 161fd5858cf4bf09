"""LoRARequest: vLLM's words, checked; equal by name."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import pytest

from torchpaged import LoRARequest
from torchpaged.errors import ConfigError


def test_it_has_vllm_s_words() -> None:
    one = LoRARequest("sql", 3, "adapters/sql", "base", True)
    assert (one.name, one.adapter_id, one.path) == (one.lora_name, one.lora_int_id, one.lora_path)
    assert (one.base_model_name, one.load_inplace, one.is_3d_lora_weight) == ("base", True, False)
    assert LoRARequest("sql", 3, Path("adapters") / "sql").lora_path == "adapters/sql"  # type: ignore[arg-type]
    assert LoRARequest("sql", 2**63 - 1).lora_path == ""
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.lora_path = "other"  # type: ignore[misc]


def test_requests_are_equal_by_name() -> None:
    one, two = LoRARequest("sql", 3, "a"), LoRARequest("sql", 4, "b")
    assert one == two and len({one, two, LoRARequest("c", 3, "a")}) == 2
    copied = pickle.loads(pickle.dumps(one))
    assert dataclasses.astuple(copied) == dataclasses.astuple(one)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"lora_name": ""}, "lora_name is '', expected a text, not empty"),
        ({"lora_name": 7}, "lora_name is 7, expected a text"),
        ({"lora_int_id": 0}, "lora_int_id is 0, expected an integer of 1 or more"),
        ({"lora_int_id": True}, "lora_int_id is True, expected an integer"),
        ({"lora_int_id": "1"}, "lora_int_id is '1', expected an integer"),
        ({"lora_path": None}, "lora_path is None, expected a folder, or '' for an adapter that is known"),
        ({"lora_path": b"x"}, "lora_path is b'x', expected a folder"),
        ({"base_model_name": 1}, "base_model_name is 1, expected a text or None"),
        ({"load_inplace": "yes"}, "load_inplace is 'yes', expected True or False"),
    ],
)
def test_wrong_values_are_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=f"LoRARequest: {says}"):
        LoRARequest(**{"lora_name": "a", "lora_int_id": 1, **given})
