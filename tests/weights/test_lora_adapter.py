"""LoraAdapter: its content, and the test for numbers that are not finite."""

from __future__ import annotations

import pickle

import pytest
import torch

from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight, is_finite


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("size", [1, 7, 64, 1001])
def test_one_number_that_is_not_finite_is_found(dtype: torch.dtype, value: float, size: int) -> None:
    tensor = torch.randn(size).to(dtype)
    assert is_finite(tensor)
    for place in {0, size // 3, size // 2, size - 1}:
        changed = tensor.clone()
        changed[place] = value
        assert not is_finite(changed)


def _adapter(**change: object) -> LoraAdapter:
    values = {"a": torch.ones(2, 3), "b": torch.ones(4, 2), "scale": 0.5, **change}
    return LoraAdapter.of({"x": LoraWeight(**values)})  # type: ignore[arg-type]


def test_content_changes_with_every_number() -> None:
    first, weight = _adapter(), LoraWeight(torch.ones(2, 3), torch.ones(4, 2), 0.5)
    others = [
        _adapter(scale=0.5000001),
        _adapter(a=torch.ones(2, 3).bfloat16()),
        _adapter(a=torch.ones(2, 2)),
        _adapter(b=torch.cat([torch.ones(3, 2), torch.tensor([[1.0, 2.0]])])),
        LoraAdapter.of({"y": weight}),
        LoraAdapter.of({"x": weight, "y": weight}),
    ]
    assert len({each.content for each in (first, *others)}) == 7
    assert first == _adapter(a=torch.ones(3, 2).T, scale=1 / 2) and first not in others


def test_adapters_can_be_sent_to_another_process() -> None:
    sent = pickle.loads(pickle.dumps(_adapter()))
    assert sent == _adapter() and torch.equal(sent.modules["x"].b, torch.ones(4, 2)) and sent.nbytes == 56
