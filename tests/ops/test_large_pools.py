"""Pools of more than 2**31 elements: their last blocks give what the same blocks of a small pool give.

Only the used blocks have memory on a CPU; the rest is address space.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import backends, test_causal_conv1d, test_topk, test_varlen_attention
from tests.ops.cases import Case, build
from tests.ops.selections import choose
from torchpaged.utils.huge_pages import reserved_zeros

pytestmark = [pytest.mark.long, pytest.mark.parametrize("backend", backends.BACKENDS)]
LENGTHS = ((1, 40), (5, 37))
HELD = (torch.bfloat16, torch.int8)


def enlarged(small: Tensor) -> tuple[Tensor, int]:
    """Return a pool of more than 2**31 elements that ends with a small one, and the number of blocks before that."""
    before = 2**31 // small[0].numel() + 3
    shape = (before + len(small), *small.shape[1:])
    if small.device.type == "cpu":
        pool = reserved_zeros(shape, small.dtype)
    else:
        pool = torch.zeros(shape, dtype=small.dtype, device=small.device)
    assert pool.is_contiguous() and before * pool[0].numel() > 2**31
    pool[before:] = small
    return pool, before


def moved(tables: Tensor, by: int) -> Tensor:
    """Return block tables of the moved blocks; entries that are not followed stay out of range."""
    return torch.where(tables < 2**20, tables + by, tables)


def held(problem: Any, dtype: torch.dtype, device: str) -> dict[str, Any]:
    """Quantise a problem's pools in place, and return the scales."""
    if dtype != torch.int8:
        return {}
    for name in ("key_cache", "value_cache"):
        pool = problem.arguments[name].float().nan_to_num() * 30
        problem.arguments[name] = pool.clamp(-127, 127).to(torch.int8)
    return {name: torch.tensor(1 / 30, device=device) for name in ("k_scale", "v_scale")}


@pytest.mark.parametrize("dtype", HELD, ids=str)
def test_attention_and_gather(dtype: torch.dtype, backend: str) -> None:
    call, device = backends.call(backend), backends.device(backend)
    problem = build(Case("large", LENGTHS), torch.bfloat16, device=device)
    scales = held(problem, dtype, device)
    selected = choose(problem, 1, 9, 1, "random")

    def results() -> list[Tensor]:
        _, keys, values, tables, lengths, _ = arguments = [*problem.arguments.values()]
        return [
            *call("paged_attention_with_lse", *arguments, **problem.options, **scales),
            *call("paged_sparse_attention_with_lse", *arguments, selected, **problem.options, **scales),
            *call("gather_kv_cache", keys, values, tables, lengths, 77, **scales),
        ]

    expected = results()
    for name in ("key_cache", "value_cache"):
        problem.arguments[name], before = enlarged(problem.arguments[name])
    problem.arguments["block_tables"] = moved(problem.arguments["block_tables"], before)
    assert all(map(torch.equal, results(), expected))


@pytest.mark.parametrize("dtype", HELD, ids=str)
def test_writes_and_copies(dtype: torch.dtype, backend: str) -> None:
    call, device = backends.call(backend), backends.device(backend)
    g = torch.Generator().manual_seed(0)
    small = torch.randint(-100, 100, (6, 16, 2, 64), generator=g).to(dtype).to(device)
    keys, values = (torch.randn(9, 2, 64, generator=g).to(device, torch.bfloat16) for _ in range(2))
    slots = (torch.randperm(6 * 16, generator=g)[:9]).to(device)
    pools = [enlarged(small)[0] for _ in range(2)]
    before = len(pools[0]) - len(small)
    expected = [small.clone() for _ in range(2)]
    scales = {name: torch.tensor(0.1, device=device) for name in ("k_scale", "v_scale")} if dtype == torch.int8 else {}
    call("write_kv_cache", keys, values, *expected, slots, **scales)
    call("write_kv_cache", keys, values, *pools, slots + before * 16, **scales)
    assert all(torch.equal(pool[before:], each) for pool, each in zip(pools, expected, strict=True))
    # From the end to the beginning, within the end, and from the beginning to the end.
    pairs = torch.tensor([[before + 5, 1], [before + 4, before + 2], [1000, before + 3]], device=device)
    call("copy_blocks", pools, pairs)
    for pool, each in zip(pools, expected, strict=True):
        assert torch.equal(pool[1], each[5]) and torch.equal(pool[before + 2], each[4])
        assert not pool[before + 3].any() and torch.equal(pool[before : before + 2], each[:2])
    call("swap_blocks", *pools, torch.tensor([[before + 5, before + 1], [1, 2]]))
    assert torch.equal(pools[1][before + 1], pools[0][before + 5]) and torch.equal(pools[1][2], pools[0][1])


@pytest.mark.parametrize("name", ["deepseek", "minimax", "quest"])
def test_choosing(name: str, backend: str) -> None:
    call = test_topk.CALLS[name]
    problem = test_topk.build(call, device=backends.device(backend))
    expected = test_topk.run(backend, problem)
    query, weights, cache, tables, *rest = problem.arguments
    pool, before = enlarged(cache)
    problem.arguments = (query, weights, pool, moved(tables, before), *rest)
    assert torch.equal(test_topk.run(backend, problem), expected)


def test_convolution(backend: str) -> None:
    case = test_causal_conv1d.Case("large", LENGTHS)
    arguments = test_causal_conv1d.Problem(case, torch.bfloat16, backends.device(backend)).arguments()
    small = [cache.clone() for cache in arguments["caches"]]
    wanted = backends.call(backend)("causal_conv1d", *{**arguments, "caches": small}.values())
    found = [enlarged(cache) for cache in arguments["caches"]]
    before = found[0][1]
    assert all(each == before for _, each in found)
    slots, tables = arguments["slot_mapping"], arguments["block_tables"]
    arguments["slot_mapping"] = torch.where(slots < 0, slots, slots + before * case.block_size)
    arguments |= {"caches": [pool for pool, _ in found], "block_tables": moved(tables, before)}
    assert torch.equal(backends.call(backend)("causal_conv1d", *arguments.values()), wanted)
    for (pool, _), each in zip(found, small, strict=True):
        assert torch.equal(pool[before:].nan_to_num(7), each.nan_to_num(7))


def far(small: Tensor) -> Tensor:
    """Return [tokens, heads, n] with the same numbers, whose heads lie 2**30 elements apart."""
    tokens, heads, n = small.shape
    size, apart = (heads * 2**30,), (n, 2**30, 1)
    memory = reserved_zeros(size, small.dtype) if small.device.type == "cpu" else small.new_zeros(size)
    return memory.as_strided((tokens, heads, n), apart).copy_(small)


def test_heads_far_apart(backend: str) -> None:
    """Attention of a query, and of a result, [heads, tokens, head_dim] in memory."""
    call = backends.call(backend)
    problem = build(Case("large", LENGTHS), torch.bfloat16, device=backends.device(backend))
    expected = call("paged_attention", *problem.arguments.values(), **problem.options)
    out = far(torch.zeros_like(expected))
    problem.arguments["query"] = far(problem.arguments["query"])
    call("paged_attention.out", *problem.arguments.values(), **problem.options, out=out)
    assert problem.arguments["query"].shape[1] > 2 and torch.equal(out, expected)


def test_heads_of_packed_keys_far_apart(backend: str) -> None:
    case = test_varlen_attention.Case("large", ((5, 5), (3, 7)), heads=(4, 4), dim=16)
    problem = test_varlen_attention.build(case, torch.bfloat16, backends.device(backend))
    query, key, value = problem.tensors
    grad_out = torch.randn_like(query)

    def results() -> tuple[Tensor, ...]:
        return test_varlen_attention.grads_of(backend, problem, grad_out, None)

    expected = results()
    problem.tensors = [far(query), far(key), far(value)]
    grad_out = far(grad_out)
    assert all(map(torch.equal, results(), expected))


def test_heads_of_states_far_apart(backend: str) -> None:
    tokens, heads, device = 5, 4, backends.device(backend)
    g = torch.Generator().manual_seed(0)

    def numbers(*shape: int) -> Tensor:
        return torch.randn(shape, generator=g).to(torch.bfloat16).to(device)

    query, key, value = (numbers(tokens, heads, 16) for _ in range(3))
    decay, counts = torch.rand(heads, generator=g).neg().to(device), torch.tensor([0, tokens], dtype=torch.int32)
    tables = torch.ones(1, 1, dtype=torch.int32, device=device)

    def result(*inputs: Tensor) -> Tensor:
        states = torch.zeros(3, heads, 16, 16, device=device)
        tails = torch.zeros(3, 16, 2 * heads * 16, device=device)
        return backends.call(backend)(
            "linear_attention", *inputs, decay, states, tails, tables, tables, counts[1:].to(device), counts.to(device)
        )

    assert torch.equal(result(far(query), far(key), far(value)), result(query, key, value))
