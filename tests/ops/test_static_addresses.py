"""Caches that CUDA graphs of torch.compile(mode="reduce-overhead") accept: those with a static address.

Without a GPU: torch decides by the inputs that a graph writes to and those that it considers static; its
compiler knows both on the CPU too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from torchpaged import AttentionMetadata, LayerShape, PagedAttention, PagedKVCache
from torchpaged.models.attention_metadata import LayerCache

pytestmark = pytest.mark.filterwarnings("ignore:dynamo_pgo force disabled")


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Reset dynamo: a graph of an earlier run would not be compiled again."""
    torch.compiler.reset()
    with torch._inductor.config.patch(force_disable_caches=True):
        yield
    torch.compiler.reset()


def pool() -> LayerCache:
    return PagedKVCache({0: LayerShape(2, 16, 16)}, 4, 16, torch.float32, torch.device("cpu")).by_layer()[0]


def marked() -> LayerCache:
    cache = pool()
    torch._dynamo.mark_static_address(cache.key)
    torch._dynamo.mark_static_address(cache.value)
    return cache


def metadata() -> AttentionMetadata:
    lens, tables, starts = (torch.tensor(x, dtype=torch.int32) for x in ([3, 5], [[1], [2]], [0, 1, 2]))
    return AttentionMetadata(torch.tensor([18, 36]), tables, lens, starts, 1)


class Layer(nn.Module):
    """Attention over a cache that is an argument, a buffer, or in a list."""

    def __init__(self, own: str | None = None) -> None:
        super().__init__()
        self.attention, self.own = PagedAttention(4, 16, num_kv_heads=2), own
        cache = pool()
        self.caches = [cache.key, cache.value]
        if own == "buffers":
            self.register_buffer("key", cache.key)
            self.register_buffer("value", cache.value)

    def forward(self, query: Tensor, key: Tensor, metadata: AttentionMetadata, cache: LayerCache | None) -> Tensor:
        if self.own == "buffers":
            cache = LayerCache(self.key, self.value)
        elif self.own == "list":
            cache = LayerCache(*self.caches)
        out: Tensor = self.attention(query, key, key, metadata, cache)
        return out


@pytest.mark.parametrize(
    ("own", "cache", "num_moving"),
    [(None, pool, 2), (None, marked, 0), ("buffers", None, 0), ("list", None, 0)],
    ids=["plain inputs", "mark_static_address", "buffers", "a list of the module"],
)
def test_which_caches_are_static(own: str | None, cache: Callable[[], LayerCache] | None, num_moving: int) -> None:
    """As plain inputs they prevent a capture: "skipping cudagraphs due to mutated inputs (2 instances)"."""
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner  # it takes seconds

    moving: list[int] = []

    def noted(graph: Any, inputs: Any, **options: Any) -> Any:
        compiled = compile_fx_inner(graph, inputs, **options)
        moving.append(len(set(compiled.mutated_input_idxs) - set(options["static_input_idxs"])))
        assert len(compiled.mutated_input_idxs) == 2, "the key's cache and the value's"
        return compiled

    layer = Layer(own)
    run = torch.compile(layer, fullgraph=True, backend=functools.partial(compile_fx, inner_compile=noted))
    given = None if cache is None else cache()
    query, key = torch.randn(2, 4, 16), torch.randn(2, 2, 16)
    with torch.inference_mode():
        found = run(query, key, metadata(), given)
        assert torch.equal(found, layer(query, key, metadata(), given))
    assert moving == [num_moving]
