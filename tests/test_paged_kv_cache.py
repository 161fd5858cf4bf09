"""PagedKVCache: shapes, storage, bytes, and a pool's size from the memory there is."""

from __future__ import annotations

import pytest
import torch

from torchpaged import paged_kv_cache
from torchpaged.errors import ConfigError
from torchpaged.paged_kv_cache import LayerShape, PagedKVCache, bytes_per_block, huge_page_zeros, size_pool

CPU = torch.device("cpu")
LAYERS = {0: LayerShape(2, 16, 16), 1: LayerShape(4, 24, 8)}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_tensors(dtype: torch.dtype) -> None:
    cache = PagedKVCache(LAYERS, 5, 8, dtype, CPU)
    cache.check()
    assert [tuple(layer.key.shape) for layer in cache.by_layer()] == [(5, 8, 2, 16), (5, 8, 4, 24)]
    assert [tuple(layer.value.shape) for layer in cache.by_layer()] == [(5, 8, 2, 16), (5, 8, 4, 8)]
    tensors = [tensor for layer in cache.by_layer() for tensor in (layer.key, layer.value)]
    assert len({tensor.data_ptr() for tensor in tensors}) == 4
    for tensor in tensors:
        assert tensor.dtype == dtype and tensor.stride(-1) == 1 and not tensor.any()
        assert tensor.transpose(1, 2).is_contiguous(), "a head's tokens of a block are one stream on the CPU"
        tensor.fill_(1.0)
    assert cache.bytes_per_block == 8 * (2 * 32 + 4 * 32) * dtype.itemsize
    assert cache.nbytes == 5 * cache.bytes_per_block == sum(tensor.nbytes for tensor in tensors)


def test_tensors_outlive_the_cache() -> None:
    """The memory belongs to a map that the tensors keep alive."""
    layer = PagedKVCache(LAYERS, 3, 4, torch.float32, CPU).caches[1]
    layer.key.fill_(2.0)
    assert layer.key.sum().item() == 2.0 * layer.key.numel()


def test_huge_pages_are_aligned() -> None:
    tensor = huge_page_zeros((3, 5), torch.bfloat16)
    assert tensor.data_ptr() % (2 * 1024 * 1024) == 0 and tensor.storage_offset() == 0
    assert tensor.shape == (3, 5) and tensor.is_contiguous() and not tensor.any()


@pytest.mark.parametrize(
    ("free", "options", "expected"),
    [
        pytest.param(10_000, {}, 9, id="what-is-free"),
        pytest.param(10_000, {"utilization": 0.5}, 5, id="a-share"),
        pytest.param(10_000, {"reserve": 3_500}, 5, id="a-reserve"),
        pytest.param(10**9, {}, 1 + 4 * 7, id="what-can-be-used"),
        pytest.param(2_300, {}, 2, id="the-least"),
    ],
)
def test_a_pools_size(free: int, options: dict[str, float], expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paged_kv_cache, "free_memory", lambda device: (free, 2 * free))
    sizes = {"bytes_per_block": 1000, "block_size": 16, "max_model_len": 100, "max_num_seqs": 4}
    assert size_pool(device=CPU, **{**sizes, "utilization": 0.9, **options}) == expected  # type: ignore[arg-type]


def test_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paged_kv_cache, "free_memory", lambda device: (1_500, 3_000))
    with pytest.raises(ConfigError, match=r"gpu_memory_utilization 0.9 .* at least two blocks"):
        size_pool(device=CPU, bytes_per_block=1000, block_size=16, max_model_len=100, max_num_seqs=4, utilization=0.9)


def test_bytes_of_a_block() -> None:
    assert bytes_per_block(LAYERS.values(), 16, torch.float32) == 16 * (64 + 128) * 4


def test_free_memory_is_a_part_of_all() -> None:
    free, total = paged_kv_cache.free_memory(CPU)
    assert 0 < free <= total
