"""Caches that are views into a larger tensor: plain torch.compile treats them as eager does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
import torch
from torch import Tensor

import torchpaged.ops  # noqa: F401 - importing it defines the operators

pytestmark = pytest.mark.filterwarnings("ignore:dynamo_pgo force disabled")
OPS = torch.ops.torchpaged
BLOCK, HEADS, DIM = 16, 2, 16


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Reset dynamo: torch's cache does not know which lowerings a graph was made with."""
    torch.compiler.reset()
    with torch._inductor.config.patch(force_disable_caches=True):
        yield
    torch.compiler.reset()


def pools(num_blocks: int, num_tokens: int) -> dict[str, Tensor]:
    """Return tensors that hold more than one cache, or more than one step's results."""
    return {
        "layers": torch.zeros(2, 2, num_blocks, BLOCK, HEADS, DIM),
        "interleaved": torch.zeros(num_blocks, BLOCK, HEADS, 2 * DIM),
        "int8": torch.zeros(2, num_blocks, BLOCK, HEADS, DIM, dtype=torch.int8),
        "scales": torch.ones(2, num_blocks, BLOCK, HEADS),
        "results": torch.zeros(2, num_tokens, HEADS, DIM),
    }


def step(num_tokens: int) -> list[Tensor]:
    """Return keys, values, slots in the blocks 2 and 1, table, lengths and starts of one sequence."""
    generator = torch.Generator().manual_seed(num_tokens)
    table = torch.tensor([[2, 1]], dtype=torch.int32)
    slots = table[0].long().repeat_interleave(BLOCK)[:num_tokens] * BLOCK + torch.arange(num_tokens) % BLOCK
    lengths = [torch.tensor(values, dtype=torch.int32) for values in ([num_tokens], [0, num_tokens])]
    rows = [torch.randn(num_tokens, HEADS, DIM, generator=generator) for _ in range(2)]
    return [*rows, slots, table, *lengths]


def every_kind_of_view(pools: dict[str, Tensor], key: Tensor, value: Tensor, slots: Tensor, *tables: Tensor) -> Tensor:
    """Run each writing operator on views whose offsets depend on the size of the pool, and on others."""
    layers, interleaved, int8, scales = (pools[name] for name in ("layers", "interleaved", "int8", "scales"))
    total = torch.zeros_like(key)
    views = [(layers[0, 0], layers[0, 1]), (layers[1, 0], layers[1, 1])]
    for keys, values in [*views, (interleaved[..., :DIM], interleaved[..., DIM:])]:
        OPS.write_kv_cache(key, value, keys, values, slots)
        total = total + OPS.paged_attention(key, keys, values, *tables)
    OPS.write_kv_cache(key, value, int8[0], int8[1], slots, k_scale_cache=scales[0], v_scale_cache=scales[1])
    OPS.paged_attention.out(key, layers[1, 0], layers[1, 1], *tables, out=pools["results"][1])
    OPS.copy_blocks([layers[0, 1], layers[1, 1]], torch.tensor([[2, 3]]))
    OPS.swap_blocks(layers[1, 0], layers[1, 1], torch.tensor([[1, 0]]))
    return total


@pytest.mark.parametrize("dynamic", [pytest.param(None, marks=pytest.mark.long), True, "mark_dynamic"])
def test_caches_that_are_views(dynamic: bool | str | None) -> None:
    """The pool's size changes: offsets are constants at first and symbols later, or symbols from the start."""
    options = {"dynamic": dynamic} if isinstance(dynamic, bool) else {}
    compiled = torch.compile(every_kind_of_view, fullgraph=True, **options)
    for num_blocks, num_tokens in ((4, 7), (6, 19)):
        eager, fast = pools(num_blocks, num_tokens), pools(num_blocks, num_tokens)
        if dynamic == "mark_dynamic":
            for name, axis in (("layers", 2), ("interleaved", 0), ("int8", 1), ("scales", 1)):
                torch._dynamo.mark_dynamic(fast[name], axis)
        with torch.no_grad():
            expected = every_kind_of_view(eager, *step(num_tokens))
            found = compiled(fast, *step(num_tokens))
        for name in eager:
            assert eager[name].any() and torch.equal(fast[name], eager[name]), f"{name}, {num_blocks} blocks"
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("views", [lambda layers: (layers[1, 0], layers[1, 1]), lambda layers: layers[1]])
def test_inputs_that_are_views(views: Callable[[Tensor], Sequence[Tensor]]) -> None:
    """Two inputs over one storage, or one that is split inside. torch 2.11 accessed memory outside of them."""

    def layer(caches: Sequence[Tensor], key: Tensor, value: Tensor, slots: Tensor, *tables: Tensor) -> Tensor:
        OPS.write_kv_cache(key, value, caches[0], caches[1], slots)
        return OPS.paged_attention(key, caches[0], caches[1], *tables)

    compiled = torch.compile(layer, fullgraph=True, dynamic=True)
    for num_blocks, num_tokens in ((4, 7), (6, 19)):
        eager, fast = (pools(num_blocks, num_tokens)["layers"] for _ in range(2))
        with torch.no_grad():
            expected = layer(views(eager), *step(num_tokens))
            found = compiled(views(fast), *step(num_tokens))
        assert eager.any() and torch.equal(fast, eager)
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def test_clones_of_what_is_written() -> None:
    """`op(x.clone(), x)` stays so. inductor makes `op(x, x)` of it (pytorch issue 198031), which reads new rows."""

    def reverse(caches: Tensor, slots: Tensor, pairs: Tensor) -> None:
        key = caches[0].clone()
        OPS.write_kv_cache(key.flatten(0, 1), key.flatten(0, 1) + 1, caches[0], caches[1], slots)
        OPS.swap_blocks(caches[1].clone(), caches[1], pairs)

    slots, pairs = torch.arange(3 * BLOCK - 1, -1, -1), torch.tensor([[0, 1], [1, 2], [2, 0]])
    eager, fast = (torch.arange(2 * 3 * BLOCK * HEADS * DIM).view(2, 3, BLOCK, HEADS, DIM).float() for _ in range(2))
    with torch.no_grad():
        reverse(eager, slots, pairs)
        torch.compile(reverse, fullgraph=True)(fast, slots, pairs)
    assert torch.equal(eager, fast)
