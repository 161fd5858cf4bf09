"""EngineConfig: validated once, with name, value and limit in the message."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
import torch

from torchpaged import EngineConfig
from torchpaged.errors import ConfigError


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("auto", "auto"),
        ("float", "float32"),
        ("half", "float16"),
        ("bfloat16", "bfloat16"),
        (torch.bfloat16, "bfloat16"),
        (torch.float32, "float32"),
    ],
    ids=str,
)
def test_dtypes(dtype: Any, expected: str) -> None:
    assert EngineConfig(dtype=dtype).dtype == expected


def test_devices() -> None:
    assert EngineConfig(device=torch.device("cpu")).device == EngineConfig(device="cpu").device  # type: ignore[arg-type]


def test_it_is_frozen_and_by_name() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        EngineConfig().block_size = 8  # type: ignore[misc]
    with pytest.raises(TypeError):
        EngineConfig("float32")  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("block_size", 1),
        ("block_size", 256),
        ("num_blocks", 2),
        ("max_model_len", 1),
        ("max_num_seqs", 1),
        ("max_num_batched_tokens", 1),
        ("long_prefill_token_threshold", 0),
        ("max_loras", 1),
        ("max_lora_rank", 1),
        ("max_lora_rank", 512),
        ("max_cpu_loras", 8),
        ("max_step_ms", 0.5),
        ("max_step_ms", None),
        ("gpu_memory_utilization", 1.0),
        ("gpu_memory_utilization", 1),
        ("seed", -1),
    ],
)
def test_the_edges_are_taken(name: str, value: Any) -> None:
    assert getattr(EngineConfig(**{name: value}), name) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dtype", "float8"),
        ("dtype", 3),
        ("block_size", 0),
        ("block_size", 257),
        ("block_size", 16.0),
        ("num_blocks", 1),
        ("num_blocks", "many"),
        ("max_model_len", 0),
        ("max_model_len", True),
        ("max_num_seqs", 0),
        ("max_num_batched_tokens", 0),
        ("long_prefill_token_threshold", -1),
        ("max_step_ms", -1),
        ("max_step_ms", True),
        ("max_step_ms", math.inf),
        ("max_step_ms", "slow"),
        ("gpu_memory_utilization", 0.0),
        ("gpu_memory_utilization", 1.5),
        ("gpu_memory_utilization", math.nan),
        ("gpu_memory_utilization", "half"),
        ("seed", 1.5),
        ("seed", 2**63),
    ],
)
def test_refused(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"EngineConfig: {name} is .*, expected ") as error:
        EngineConfig(**{name: value})
    assert str(value) in str(error.value)


@pytest.mark.parametrize("name", ["block_size", "seed", "swap_space", "cudagraph_capture_sizes", "kv_cache_dtype"])
def test_a_long_value_is_shortened_in_the_message(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} is ") as error:
        EngineConfig(**{name: "x" * 100_000})
    assert len(str(error.value)) < 500


def test_a_step_without_a_time() -> None:
    assert EngineConfig(max_step_ms=0).max_step_ms is None
    with pytest.raises(ConfigError, match="max_step_ms is 50 and enable_chunked_prefill is off"):
        EngineConfig(max_step_ms=50, enable_chunked_prefill=False)
