"""PagedKVCache: shapes, storage, bytes, and the size of a pool from free memory."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from typing import Any

import pytest
import torch
from torch import Tensor

from torchpaged.errors import ConfigError
from torchpaged.execution import paged_kv_cache
from torchpaged.execution.paged_kv_cache import (
    LayerShape,
    PagedKVCache,
    batches_of_copies,
    bytes_per_block,
    kv_cache_groups,
    size_pool,
    tensor_slots,
)
from torchpaged.kv_cache import ChunkedLocalAttentionSpec, FullAttentionSpec, KVCacheGroup, SlidingWindowSpec
from torchpaged.kv_cache.block import BlockCopy, CopyDirection
from torchpaged.models.attention_metadata import LayerCache
from torchpaged.models.model import IndexShape

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


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int8], ids=str)
def test_latents_have_no_values(dtype: torch.dtype) -> None:
    """The values are a part of the keys: nothing is allocated, scaled or copied for them."""
    shapes = {0: LayerShape(1, 24, 0), 1: LayerShape(1, 24, 0)}
    cache = PagedKVCache(shapes, 5, 8, dtype, CPU, num_swap_blocks=2)
    cache.check()
    for layer in cache.by_layer():
        assert layer.key.shape == (5, 8, 1, 24) and layer.value.shape == (5, 8, 1, 0) and layer.v_scale is None
        assert (layer.k_scale is not None) == (dtype is torch.int8)
    assert cache.bytes_per_block == 8 * 2 * (24 * dtype.itemsize + (4 if dtype is torch.int8 else 0))
    cache.caches[1].key[3] = 1
    cache.copy([BlockCopy(3, 4), BlockCopy(4, 2, OUT), BlockCopy(2, 1, IN)])
    assert cache.caches[1].key[1].float().eq(1).all() and not cache.caches[0].key.any()


def test_rows_of_four_bits_have_their_scales_in_them() -> None:
    """18 bytes for 32 numbers, of values that are a part of the keys too; blocks are copied as bytes."""
    shapes = {0: LayerShape(2, 64, 32), 1: LayerShape(1, 96, 0)}
    cache = PagedKVCache(shapes, 5, 8, torch.uint8, CPU, num_swap_blocks=2)
    cache.check()
    found = [(tuple(each.key.shape[2:]), tuple(each.value.shape[2:]), each.k_scale) for each in cache.by_layer()]
    assert found == [((2, 36), (2, 18), None), ((1, 54), (1, 0), None)]
    assert cache.bytes_per_block == 8 * (2 * 54 + 54) and cache.nbytes == sum(each.nbytes for each in cache.tensors)
    cache.caches[1].key[3] = 1
    cache.copy([BlockCopy(3, 4), BlockCopy(4, 2, OUT), BlockCopy(2, 1, IN)])
    assert cache.caches[1].key[1].eq(1).all() and not cache.caches[0].key.any()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int8], ids=str)
def test_an_index_lies_in_the_blocks(dtype: torch.dtype) -> None:
    """Index keys are copied, swapped, scaled and counted with the keys and values of their layer."""
    index = (IndexShape(1, 12), IndexShape(2, 6, tokens_per_row=4))
    shapes = {0: LayerShape(2, 16, 16), 1: LayerShape(2, 16, 16, index=index)}
    cache = PagedKVCache(shapes, 5, 8, dtype, CPU, num_swap_blocks=2)
    cache.check()
    plain, indexed = cache.by_layer()
    assert isinstance(plain, LayerCache) and isinstance(indexed, LayerCache) and not plain.index
    assert [tuple(part.key.shape) for part in indexed.index] == [(5, 8, 1, 12), (5, 2, 2, 6)]
    assert all((part.k_scale is not None) == (dtype is torch.int8) for part in indexed.index)
    assert cache.nbytes == sum(tensor.nbytes for layer in (plain, indexed) for tensor in layer.tensors)
    indexed.index[1].key[3] = 1
    cache.copy([BlockCopy(3, 4), BlockCopy(4, 2, OUT), BlockCopy(2, 1, IN)])
    assert indexed.index[1].key[1].float().eq(1).all() and not indexed.index[0].key.any() and not plain.key.any()
    other = indexed.with_tensors(iter([tensor.clone() for tensor in indexed.tensors]))
    assert [each.shape for each in other.tensors] == [each.shape for each in indexed.tensors]
    read = LayerShape.read(json.loads(json.dumps(asdict(shapes[1]))))
    assert read == shapes[1]


def test_a_row_of_an_index_lies_in_one_block() -> None:
    shapes = {3: LayerShape(1, 8, 8, index=(IndexShape(1, 8, tokens_per_row=3),))}
    with pytest.raises(ConfigError, match=r"block_size is 8, expected a multiple of 3, .* the index of layer 3"):
        PagedKVCache(shapes, 5, 8, torch.bfloat16, CPU)


def test_tensors_outlive_the_cache() -> None:
    """The tensors keep their memory mapping alive."""
    layer = PagedKVCache(LAYERS, 3, 4, torch.float32, CPU).caches[1]
    layer.key.fill_(2.0)
    assert layer.key.sum().item() == 2.0 * layer.key.numel()


@pytest.mark.parametrize(
    ("free", "options", "expected"),
    [
        pytest.param(10_000, {}, 9, id="what-is-free"),
        pytest.param(10_000, {"utilization": 0.5}, 5, id="a-share"),
        pytest.param(10_000, {"reserve": 3_500}, 5, id="a-reserve"),
        pytest.param(10**9, {}, 1 + 4 * 7, id="what-can-be-used"),
        pytest.param(10**9, {"num_groups": 3}, 1 + 3 * 4 * 7, id="what-three-groups-can-use"),
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


# --- Groups -----------------------------------------------------------------------------------------------

FULL, WINDOW, CHUNK = FullAttentionSpec(4), SlidingWindowSpec(4, 10), ChunkedLocalAttentionSpec(4, 16)


def layers(kinds: str) -> dict[int, LayerShape]:
    """Make one layer per character: full, window or chunk; upper case has twice the heads."""
    limits: dict[str, dict[str, int]] = {"f": {}, "w": {"sliding_window": 10}, "c": {"attention_chunk_size": 16}}
    return {i: LayerShape(2 if k.isupper() else 1, 8, 8, **limits[k.lower()]) for i, k in enumerate(kinds)}


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        pytest.param("fff", [(FULL, (0, 1, 2))], id="full"),
        pytest.param("ww", [(WINDOW, (0, 1))], id="window"),
        pytest.param("fF", [(FULL, (0, 1))], id="one-kind-of-different-heads"),
        pytest.param("wfwf", [(WINDOW, (0, 2)), (FULL, (1, 3))], id="alternating"),
        pytest.param("wwwfwwwf", [(WINDOW, (0, 1)), (WINDOW, (2, 4)), (WINDOW, (5, 6)), (FULL, (3, 7))], id="3-to-1"),
        pytest.param("wwwff", [(WINDOW, (0, 1)), (WINDOW, (2,)), (FULL, (3, 4))], id="a-short-group"),
        pytest.param("fffffcccccc", [(FULL, (0, 1, 2, 3, 4)), (CHUNK, (5, 6, 7, 8, 9, 10))], id="27-percent-waste"),
        pytest.param("wfc", [(WINDOW, (0,)), (FULL, (1,)), (CHUNK, (2,))], id="three-kinds"),
        pytest.param("wF", [(FULL, (0, 1))], id="kinds-of-different-heads"),
    ],
)
def test_groups_of_layers(kinds: str, expected: list[tuple[Any, tuple[int, ...]]]) -> None:
    groups = kv_cache_groups(layers(kinds), 4)
    assert groups == [KVCacheGroup(spec, indices) for spec, indices in expected]
    cache = PagedKVCache(layers(kinds), 3, 4, torch.float32, CPU, groups=groups)
    cache.check()
    assert len(cache.slots) == max(len(indices) for _, indices in expected)
    assert cache.nbytes == sum(slot.key.nbytes + slot.value.nbytes for slot in cache.slots)
    assert cache.bytes_per_block == bytes_per_block(tensor_slots(layers(kinds), groups), 4, torch.float32)
    for group in groups:
        assert [cache.by_layer()[index] for index in group.layers] == cache.slots[: len(group.layers)]


def test_one_group_on_request() -> None:
    assert kv_cache_groups(layers("wfc"), 4, separate_windows=False) == [KVCacheGroup(FULL, (0, 1, 2))]


def test_a_limit_that_no_text_reaches_is_none() -> None:
    assert kv_cache_groups(layers("wfc"), 4, max_model_len=10) == [KVCacheGroup(FULL, (0, 1, 2))]
    assert kv_cache_groups(layers("wf"), 4, max_model_len=11) == [KVCacheGroup(WINDOW, (0,)), KVCacheGroup(FULL, (1,))]
    assert kv_cache_groups(layers("c"), 5, max_model_len=16) == [KVCacheGroup(FullAttentionSpec(5), (0,))]


@pytest.mark.parametrize("separate_windows", [True, False])
def test_blocks_that_straddle_chunks_are_refused(separate_windows: bool) -> None:
    with pytest.raises(ConfigError, match=r"block_size is 5, expected a divisor of 16, .* layer 1"):
        kv_cache_groups(layers("fc"), 5, separate_windows=separate_windows)


# --- Copies -----------------------------------------------------------------------------------------------

WITHIN, OUT, IN = CopyDirection


def marked(dtype: torch.dtype) -> PagedKVCache:
    """Return a cache of two pairs of tensors with a swap pool, filled with random numbers."""
    cache = PagedKVCache(layers("fF"), 7, 4, dtype, CPU, num_swap_blocks=5)
    generator = torch.Generator().manual_seed(0)
    for tensor in everything(cache):
        tensor.copy_((100 * torch.rand(tensor.shape, generator=generator)).to(tensor.dtype))
    return cache


def everything(cache: PagedKVCache) -> list[Tensor]:
    """Return the device's tensors, then the host's."""
    parts = [part for slot in (*cache.slots, *cache.swap_slots) for part in (slot.key, slot.value)]
    scales = [part for slot in (*cache.slots, *cache.swap_slots) for part in (slot.k_scale, slot.v_scale)]
    return [part for part in (*parts, *scales) if part is not None]


def one_by_one(cache: PagedKVCache, copies: list[BlockCopy]) -> None:
    for copy in copies:
        for here, host in zip(cache.slots, cache.swap_slots, strict=True):
            source = host if copy.direction is IN else here
            target = host if copy.direction is OUT else here
            for name in ("key", "value", "k_scale", "v_scale"):
                if getattr(source, name) is not None:
                    getattr(target, name)[copy.destination] = getattr(source, name)[copy.source]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int8, torch.float8_e4m3fn], ids=str)
def test_copies_are_one_after_the_other(dtype: torch.dtype) -> None:
    choose = random.Random(1)
    sizes = {WITHIN: (7, 7), OUT: (7, 6), IN: (6, 7)}
    for _ in range(40):
        directions = choose.choices([WITHIN, OUT, IN], [4, 1, 1], k=choose.randrange(12))
        copies = []
        for direction in directions:
            sources, targets = sizes[direction]
            copies.append(BlockCopy(choose.randrange(sources), choose.randrange(targets), direction))
        cache, expected = marked(dtype), marked(dtype)
        cache.copy(copies)
        one_by_one(expected, copies)
        for got, wanted in zip(everything(cache), everything(expected), strict=True):
            assert torch.equal(got.float(), wanted.float()), copies


@pytest.mark.parametrize(
    ("copies", "sizes"),
    [
        pytest.param([], [], id="none"),
        pytest.param([(1, 2), (1, 3), (4, 5)], [3], id="independent"),
        pytest.param([(1, 2), (2, 3)], [1, 1], id="reads-what-was-written"),
        pytest.param([(1, 2), (3, 2)], [1, 1], id="written-twice"),
        pytest.param([(1, 2), (3, 1)], [2], id="overwrites-what-was-read"),
        pytest.param([(1, 2, OUT), (2, 3, OUT), (3, 4, OUT)], [3], id="other-pools"),
        pytest.param([(1, 2, OUT), (2, 1, IN), (5, 6)], [1, 1, 1], id="directions"),
        pytest.param([(1, 2, IN), (3, 2, IN)], [1, 1], id="swapped-in-twice"),
    ],
)
def test_copies_in_few_calls(copies: list[Any], sizes: list[int]) -> None:
    given = [BlockCopy(*copy) for copy in copies]
    batches = list(batches_of_copies(given))
    assert [len(batch) for batch in batches] == sizes
    assert [copy for batch in batches for copy in batch] == given


def test_a_swap_needs_a_swap_pool() -> None:
    cache = PagedKVCache(LAYERS, 3, 4, torch.float32, CPU)
    with pytest.raises(ValueError, match="num_swap_blocks is 0"):
        cache.copy([BlockCopy(1, 1, OUT)])


# --- Convolutions -----------------------------------------------------------------------------------------

ROWS = SlidingWindowSpec(4, 3)


def with_convolutions(kinds: str, channels: int) -> dict[int, LayerShape]:
    """Make layers as `layers` does; "v" is a convolution over three tokens with so many channels."""
    others = layers("".join("f" if kind == "v" else kind for kind in kinds))
    convolution = LayerShape.of_convolution(channels, 3)
    return {i: convolution if kind == "v" else others[i] for i, kind in enumerate(kinds)}


@pytest.mark.parametrize(
    ("kinds", "channels", "expected", "parts"),
    [
        pytest.param("vf", 16, [(FULL, (1,)), (ROWS, (0,))], [8, 8], id="a-pair-for-a-row"),
        pytest.param("vvvff", 16, [(FULL, (3, 4)), (ROWS, (0, 1)), (ROWS, (2,))], [8, 8], id="a-short-group"),
        pytest.param("fvvv", 8, [(FULL, (0,)), (ROWS, (1, 2)), (ROWS, (3,))], [8], id="a-tensor-for-a-row"),
        pytest.param("fvv", 5, [(FULL, (0,)), (ROWS, (1, 2))], [8], id="narrow-rows"),
        pytest.param("fffvv", 20, [(FULL, (0, 1, 2)), (ROWS, (3, 4))], [8, 8, 8], id="three-tensors"),
        pytest.param("fvv", 40, [(FULL, (0,)), (ROWS, (1,)), (ROWS, (2,))], [8, 8, 24], id="wider-than-all-others"),
        pytest.param("wfvv", 16, [(WINDOW, (0,)), (FULL, (1,)), (ROWS, (2,)), (ROWS, (3,))], [8, 8], id="and-a-window"),
        pytest.param("wFvv", 16, [(FULL, (0, 1)), (ROWS, (2, 3))], [8, 8], id="kinds-of-different-heads"),
        pytest.param("vv", 16, [(ROWS, (0, 1))], [16], id="nothing-else"),
    ],
)
@pytest.mark.parametrize("device_first", [False, True], ids=["heads-first", "tokens-first"])
def test_groups_with_convolutions(
    kinds: str,
    channels: int,
    expected: list[tuple[Any, tuple[int, ...]]],
    parts: list[int],
    device_first: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows lie in the attention layers' tensors: a block takes no more memory than without convolutions."""
    shapes = with_convolutions(kinds, channels)
    groups = kv_cache_groups(shapes, 4)
    assert groups == [KVCacheGroup(spec, indices) for spec, indices in expected]
    device = torch.device("meta") if device_first else CPU
    cache = PagedKVCache(shapes, 3, 4, torch.float32, device, groups=groups)
    cache.check()
    assert cache.bytes_per_block == bytes_per_block(tensor_slots(shapes, groups), 4, torch.float32)
    alone = {index: shape for index, shape in shapes.items() if not shape.convolution}
    if alone and channels <= 20:
        assert tensor_slots(shapes, groups) == tensor_slots(alone, kv_cache_groups(alone, 4))
    first = min(index for index, shape in shapes.items() if shape.convolution)
    assert [tensor[0, 0].numel() for tensor in cache.caches[first].tensors] == parts


def test_convolutions_among_others_in_one_group() -> None:
    shapes = with_convolutions("vfv", 40)
    groups = kv_cache_groups(shapes, 4, separate_windows=False)
    assert groups == [KVCacheGroup(FULL, (0, 1, 2))]
    cache = PagedKVCache(shapes, 3, 4, torch.float32, CPU, groups=groups)
    cache.check()
    assert [cache.caches[i].tensors[0].shape[2:] for i in range(3)] == [(1, 40), (1, 8), (1, 40)]
    assert cache.bytes_per_block == 4 * 4 * (40 + 16 + 40)


def test_the_bytes_of_a_model_of_convolutions() -> None:
    """LFM2-350M: 6 layers of 8 x 64 keys and values, 10 whose rows of 1024 fit each into one of these pairs."""
    attention = (2, 5, 8, 10, 12, 14)
    shapes = {i: LayerShape(8, 64, 64) if i in attention else LayerShape.of_convolution(1024, 3) for i in range(16)}
    groups = kv_cache_groups(shapes, 16)
    assert [len(group.layers) for group in groups] == [6, 6, 4]
    assert bytes_per_block(tensor_slots(shapes, groups), 16, torch.bfloat16) == 16 * 6 * 1024 * 2
