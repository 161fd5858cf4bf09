"""GrowingKVCache: reserved where the system allows it, else copied; refused where memory ends."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

from torchpaged.errors import EngineError
from torchpaged.execution import growing_cache
from torchpaged.execution.growing_cache import GrowingKVCache
from torchpaged.models.model import LayerShape

CPU = torch.device("cpu")
SHAPES = {0: LayerShape(2, 8, 8), 3: LayerShape(1, 24, 0)}  # of ordinary and of latent attention


def pools() -> GrowingKVCache:
    cache = GrowingKVCache(block_size=4, share=0.5)
    for index, shape in SHAPES.items():
        cache.add_layer(index, shape, torch.float32, CPU)
    return cache


def places(cache: GrowingKVCache) -> list[int]:
    return [each.key.data_ptr() for each in cache.caches.values()]


def test_a_reservation_never_moves() -> None:
    cache = pools()
    before = places(cache)
    cache.reserve(5000)
    assert places(cache) == before
    for index, shape in SHAPES.items():
        key, value = cache.caches[index].key, cache.caches[index].value
        assert key.shape[0] >= 5000 and key.shape[1:] == (4, shape.num_kv_heads, shape.head_dim)
        assert value.shape[0] == key.shape[0] and value.shape[3] == shape.head_dim_v
        assert not key.is_inference() and key.storage_offset() == 0


def test_without_reservations_contents_move_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contents are copied on a system that does not overcommit, and on a GPU."""
    zeros = growing_cache.reserved_zeros

    def careful(shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        if shape[0] > 2000:
            raise OSError(12, "Cannot allocate memory")
        return zeros(shape, dtype)

    monkeypatch.setattr(growing_cache, "reserved_zeros", careful)
    cache = pools()
    sizes = []
    for number in range(1, 300):
        cache.reserve(number)
        cache.caches[0].key[number - 1] = number
        sizes.append(cache.caches[0].key.shape[0])
    assert sorted(set(sizes)) == [64, 128, 256, 512]
    assert cache.caches[0].key[:299, 0, 0, 0].tolist() == list(range(1, 300))
    cache.copy([(7, 9), (8, 10)])
    assert cache.caches[0].key[[9, 10], 3, 1, 5].tolist() == [8, 9]


def test_memory_that_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing_cache, "free_memory", lambda device: (0, 2**20))
    cache = pools()  # half a mebibyte: 1,024 blocks of 4 tokens, 2 heads, 16 numbers, 4 bytes
    cache.reserve(1024)
    for _ in range(2):
        with pytest.raises(EngineError, match=r"1025 blocks .* room for 1024; generate less at once"):
            cache.reserve(1025)
