"""The operators under torch.autocast, torch.vmap and FlopCounterMode."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from tests.ops.test_library import samples
from torchpaged import ops
from torchpaged.errors import GradientError, TransformError
from torchpaged.ops import library

OPS = torch.ops.torchpaged
FLOATS = (torch.float32, torch.float16, torch.bfloat16)


def ints(*values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.int32)


def step(dtype: torch.dtype, cache_dtype: torch.dtype, seed: int = 0) -> tuple[Tensor, ...]:
    """Return query, key, value of 5 tokens; empty caches; slots in the blocks 2 and 1, the table, lengths, starts."""
    generator = torch.Generator().manual_seed(seed)
    rows = [torch.randn(5, heads, 16, generator=generator).to(dtype) for heads in (4, 2, 2)]
    caches = [torch.zeros(4, 4, 2, 16).to(cache_dtype) for _ in range(2)]
    return *rows, *caches, torch.tensor([8, 9, 10, 11, 4]), ints([2, 1]), ints(5), ints(0, 5)


def attend(query: Tensor, key: Tensor, value: Tensor, *rest: Tensor, **options: Any) -> Tensor:
    key_cache, value_cache, slots, *tables = rest
    OPS.write_kv_cache(key, value, key_cache, value_cache, slots)
    out: Tensor = OPS.paged_attention(query, key_cache, value_cache, *tables, **options)
    return out


@pytest.fixture(params=["reference", "cpp"])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    ops.set_backend("reference" if request.param == "reference" else None)
    yield request.param
    ops.set_backend(None)


# --- Autocast ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cache", FLOATS)
@pytest.mark.parametrize("given", FLOATS)
def test_under_autocast_inputs_follow_the_cache(given: torch.dtype, cache: torch.dtype, backend: str) -> None:
    """As if inputs had been cast by hand; the result has the cache's dtype, whatever autocast's is."""
    by_hand = step(given, cache)
    expected = attend(*(tensor.to(cache) for tensor in by_hand[:3]), *by_hand[3:])
    for lower in (torch.bfloat16, torch.float16):
        arguments = step(given, cache)
        with torch.autocast("cpu", dtype=lower):
            found = attend(*arguments)
        assert found.dtype == cache and torch.equal(found, expected)
        assert torch.equal(arguments[3], by_hand[3]) and torch.equal(arguments[4], by_hand[4])


def test_without_autocast_nothing_is_cast() -> None:
    with pytest.raises(ValueError, match="key has dtype bfloat16, expected float32"):
        attend(*step(torch.bfloat16, torch.float32))


def test_what_autocast_does_not_cast_is_refused_in_one_message(backend: str) -> None:
    query, _, _, *rest = step(torch.float32, torch.bfloat16)
    with torch.autocast("cpu"):
        for wrong in (query.double(), query.int()):
            with pytest.raises(
                ValueError, match=r"^paged_attention: query has dtype (float64|int32), expected float32"
            ):
                OPS.paged_attention(wrong, *rest[:2], *rest[3:])


def test_a_quantised_cache_takes_any_float(backend: str) -> None:
    """Key and value are one dtype, the wider of the two."""
    scales = {name: torch.zeros(4, 4, 2) for name in ("k_scale_cache", "v_scale_cache")}
    query, key, value, *rest = step(torch.float32, torch.int8)
    with torch.autocast("cpu"):
        OPS.write_kv_cache(key.bfloat16(), value, *rest[:3], **scales)
        out = OPS.paged_attention(
            query, *rest[:2], *rest[3:], k_scale=scales["k_scale_cache"], v_scale=scales["v_scale_cache"]
        )
    assert out.dtype == torch.float32 and out.any()


def test_the_others_under_autocast(backend: str) -> None:
    """Under autocast a matrix product has the lower dtype, the residual stream has not: the wider one is used."""
    x, low, weight = torch.randn(3, 64), torch.randn(3, 64).bfloat16(), torch.randn(64)
    with torch.autocast("cpu"):
        total, normed = OPS.add_rms_norm(low, x, weight, 1e-6)
        assert total.dtype == normed.dtype == torch.float32
        assert OPS.silu_and_mul(low, low).dtype == torch.bfloat16
        assert torch.equal(OPS.silu_and_mul(x, low), OPS.silu_and_mul(x, low.float()))
        assert OPS.gelu_tanh_and_mul(low, x).dtype == torch.float32
        assert OPS.rms_norm(x, weight.bfloat16(), 1e-6).dtype == torch.float32
        query, key = OPS.rotary_embedding(low.view(3, 4, 16), x.view(3, 4, 16), x[:, None, :8], low[:, None, :8])
        assert query.dtype == key.dtype == torch.float32
        out, lse = torch.randn(3, 4, 16), torch.randn(3, 4)
        assert OPS.merge_attention_states(out.half(), lse, out, lse)[0].dtype == torch.float32
        packed = OPS.pack_linear_weight(torch.randn(32, 64).bfloat16())
        assert OPS.packed_linear(x, packed, 32).dtype == torch.bfloat16
        assert OPS.packed_linear(x, packed, 32, bias=torch.randn(32)).dtype == torch.bfloat16
        grouped = OPS.packed_grouped_linear(x, packed[None], 32, torch.zeros(3, dtype=torch.int64))
        assert grouped.dtype == torch.bfloat16


@pytest.mark.parametrize("operator", library.OPERATORS, ids=lambda op: op.overload)
def test_autocast_does_not_reach_below_an_operator(operator: library.Operator, backend: str) -> None:
    """A backend in plain PyTorch has its own matrix products: they keep their accuracy."""

    def run(lower: bool) -> list[Tensor]:
        torch.manual_seed(0)
        args, kwargs = samples()[operator.overload]
        with torch.autocast("cpu", enabled=lower):
            results = operator.packet(library.NAMESPACE)(*args, **kwargs)
        named = operator.named_arguments(args, kwargs)
        written = [named[each.name] for each in operator.arguments if each.is_write] if results is None else results
        written = [written] if isinstance(written, Tensor) else written
        return [each for each in written if isinstance(each, Tensor)]

    for found, expected in zip(run(True), run(False), strict=True):
        assert found.dtype == expected.dtype and torch.equal(found.nan_to_num(), expected.nan_to_num())


def test_a_convolution_s_inputs_follow_its_caches_under_autocast(backend: str) -> None:
    """An earlier layer gives bfloat16 for a float32 pool, and vice versa."""
    args, kwargs = samples()["causal_conv1d"]
    x, weight, bias, caches, *rest = args
    for lower, kept in ((torch.bfloat16, torch.float32), (torch.float32, torch.bfloat16)):
        pools = [cache.to(kept) for cache in caches]
        expected = OPS.causal_conv1d(x.to(lower).to(kept), weight, bias, pools, *rest, **kwargs)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found = OPS.causal_conv1d(x.to(lower), weight, bias, pools, *rest, **kwargs)
        assert found.dtype == kept and torch.equal(found, expected)


def test_autocast_compiled() -> None:
    arguments, again = step(torch.float32, torch.bfloat16), step(torch.float32, torch.bfloat16)

    @torch.inference_mode()
    def run(function: Any, given: tuple[Tensor, ...]) -> Tensor:
        with torch.autocast("cpu"):
            result: Tensor = function(*given)
        return result

    expected = run(attend, arguments)
    found = run(torch.compile(attend, fullgraph=True, backend="aot_eager"), again)
    assert expected.any() and torch.equal(found, expected)


# --- vmap -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operator", [op for op in library.OPERATORS if op.fold is None], ids=lambda op: op.overload)
def test_vmap_is_refused_with_what_to_do(operator: library.Operator, backend: str) -> None:
    """torch would loop over the batch with a call each, or fail with a message about fallbacks."""
    args, kwargs = samples()[operator.overload]
    first = next(i for i, each in enumerate(args) if isinstance(each, Tensor))
    before = [each.clone() if isinstance(each, Tensor) else each for each in args]

    def call(tensor: Tensor) -> Any:
        return operator.packet(library.NAMESPACE)(*args[:first], tensor, *args[first + 1 :], **kwargs)

    says = rf"{operator.overload} has no batching rule .* (one call|one block_mapping)"
    with pytest.raises(TransformError, match=says) as caught:
        torch.vmap(call)(torch.stack([args[first], args[first]]))
    assert isinstance(caught.value, NotImplementedError)
    for old, new in zip(before, args, strict=True):
        assert not isinstance(old, Tensor) or torch.equal(old.nan_to_num(), new.nan_to_num()), "something was written"


def batched_calls() -> dict[str, tuple[Any, list[tuple[Tensor, int | None]]]]:
    """Return functions with arguments and the dimension that the batch of 3 has in each, None: there is none."""
    generator = torch.Generator().manual_seed(0)

    def some(*sizes: int) -> Tensor:
        return torch.randn(*sizes, generator=generator)

    def attend(query: Tensor, *rest: Tensor) -> Any:
        return OPS.paged_attention_with_lse(query, *rest, sliding_window=5)

    def varlen(query: Tensor, key: Tensor, value: Tensor, starts: Tensor, key_starts: Tensor) -> Any:
        return OPS.varlen_attention(query, key, value, starts, key_starts, softcap=2.0)

    query, caches = some(3, 7, 4, 16), [some(3, 6, 4, 2, 16) for _ in "kv"]
    tables = torch.stack([torch.randperm(6, generator=generator) for _ in range(6)]).view(3, 2, 6).int()
    lens = torch.stack([ints(9, 14), ints(4, 0), ints(24, 2)])
    starts = torch.stack([ints(0, 3, 7), ints(1, 4, 4), ints(0, 5, 6)])
    rows, weight = some(2, 3, 8), torch.rand(8)
    return {
        "rms_norm": (lambda x, weight: OPS.rms_norm(x, weight, 1e-6), [(rows, 1), (weight, None)]),
        "rms_norm-row": (lambda x, weight: OPS.rms_norm(x, weight, 1e-6), [(rows[0], 0), (weight, None)]),
        "add_rms_norm": (
            lambda x, y, weight: OPS.add_rms_norm(x, y, weight, 1e-6),
            [(rows, 1), (some(2, 8), None), (weight, None)],
        ),
        "silu_and_mul": (OPS.silu_and_mul, [(some(2, 8, 3), 2), (rows, 1)]),
        "gelu_tanh_and_mul": (OPS.gelu_tanh_and_mul, [(some(3, 2, 2, 2, 8), 0), (some(2, 2, 2, 8), None)]),
        "rotary": (
            OPS.rotary_embedding,
            [(some(3, 5, 4, 8), 0), (some(5, 2, 8), None), (some(3, 5, 1, 6), 0), (some(5, 1, 6), None)],
        ),
        "rotary-one-position": (
            OPS.rotary_embedding,
            [(some(3, 4, 8), 0), (some(3, 2, 8), 0), (some(3, 6), 0), (some(6), None)],
        ),
        "rotary-same": (
            OPS.rotary_embedding,
            [(some(3, 5, 4, 8), 0), (some(3, 5, 2, 8), 0), (some(5, 1, 6), None), (some(5, 1, 6), None)],
        ),
        "merge": (
            OPS.merge_attention_states,
            [(some(3, 5, 2, 8), 0), (some(5, 3, 2), 1), (some(5, 2, 8), None), (some(3, 5, 2), 0)],
        ),
        "paged": (attend, [(query, 0), *((each, 0) for each in caches), (tables, 0), (lens, 0), (starts, 0)]),
        "paged-one-cache": (
            attend,
            [(query, 0), *((each[0], None) for each in caches), (tables[0], None), (lens, 0), (starts, 0)],
        ),
        "paged-one-query": (
            attend,
            [(query[0], None), *((each, 0) for each in caches), (tables[0], None), (lens[0], None), (starts[0], None)],
        ),
        "sparse": (
            lambda *args: OPS.paged_sparse_attention(*args, granularity=4),
            [
                *((query, 0), *((each, 0) for each in caches), (tables, 0), (lens, 0), (starts, 0)),
                (torch.randint(-1, 1, (7, 1, 2, 3), generator=generator).int(), 3),
            ],
        ),
        "varlen": (
            varlen,
            [(query, 0), *((some(3, 9, 2, 16), 0) for _ in "kv"), (starts, 0), (ints(1, 4, 8), None)],
        ),
    }


@pytest.mark.parametrize("name", batched_calls())
def test_vmap_folds_the_batch(name: str, backend: str) -> None:
    """One call for all examples has each one's bits (in C++), also where rows are in no sequence."""
    call, arguments = batched_calls()[name]
    dims = tuple(dim for _, dim in arguments)
    found = torch.vmap(call, in_dims=dims)(*(each for each, _ in arguments))
    found = found if isinstance(found, tuple) else (found,)
    for i in range(3):
        expected = call(*(each if dim is None else each.select(dim, i).contiguous() for each, dim in arguments))
        for one, of_all in zip(expected if isinstance(expected, tuple) else (expected,), found, strict=True):
            assert torch.equal(of_all[i], one) or (backend == "reference" and torch.allclose(of_all[i], one, atol=1e-6))


@pytest.mark.parametrize("name", ["rms_norm", "rms_norm-row", "paged", "sparse", "varlen"])
def test_vmap_of_no_examples(name: str, backend: str) -> None:
    call, arguments = batched_calls()[name]
    dims = tuple(dim for _, dim in arguments)
    found, several = (
        torch.vmap(call, in_dims=dims)(*(each if dim is None else each.narrow(dim, 0, n) for each, dim in arguments))
        for n in (0, 3)
    )
    for none, all_of in zip(*(each if isinstance(each, tuple) else (each,) for each in (found, several)), strict=True):
        assert none.shape == (0, *all_of.shape[1:]) and none.dtype == all_of.dtype


def test_vmap_twice_and_under_autograd() -> None:
    x = torch.randn(2, 3, 4, 8, requires_grad=True)

    def norm(rows: Tensor) -> Any:
        return OPS.rms_norm(rows, torch.ones(8), 1e-6)

    found, expected = torch.vmap(torch.vmap(norm))(x), norm(x)
    assert torch.equal(found, expected)
    grads = [torch.autograd.grad(each.square().sum(), x)[0] for each in (found, expected)]
    assert torch.equal(*grads)


def test_vmap_refuses_what_it_cannot_fold() -> None:
    x, weights = torch.randn(3, 2, 8), torch.rand(3, 8)
    with pytest.raises(
        TransformError, match=r"^rms_norm under torch.vmap: weight differs .* \(x may differ\): give it"
    ):
        torch.vmap(lambda x, weight: OPS.rms_norm(x, weight, 1e-6))(x, weights)
    ops.register_mask_mod("of-one-sequence", lambda b, h, q, k: b == 1)
    query, starts = torch.randn(3, 4, 2, 16), ints(0, 4)
    with pytest.raises(TransformError, match="mask_mod 'of-one-sequence' uses b"):
        torch.vmap(lambda q: OPS.varlen_attention(q, q, q, starts, starts, mask_mod="of-one-sequence"))(query)


def test_vmap_within_grad_is_refused() -> None:
    x = torch.randn(3, 8)
    with pytest.raises(GradientError, match=r"rms_norm has no derivative .* torch.func differentiates it"):
        torch.func.grad(lambda x: torch.vmap(lambda row: OPS.rms_norm(row, torch.ones(8), 1e-6))(x).sum())(x)


def test_vmap_over_what_an_operator_does_not_see() -> None:
    x, weight = torch.randn(3, 8), torch.ones(8)
    found = torch.vmap(lambda factor: factor * OPS.rms_norm(x, weight, 1e-6))(torch.arange(4.0))
    assert torch.equal(found[2], 2 * OPS.rms_norm(x, weight, 1e-6))


# --- Counting ---------------------------------------------------------------------------------------------


def counted(call: Any) -> dict[str, int]:
    with FlopCounterMode(display=False) as mode:
        call()
    return {str(name).removeprefix("torchpaged."): count for name, count in mode.get_flop_counts()["Global"].items()}


def test_attention_is_counted_from_shapes(backend: str) -> None:
    """Every token counts with its table's full capacity: lengths are on the device, so this is an upper bound."""
    query, _, _, key_cache, value_cache, _, *tables = step(torch.float32, torch.float32)
    value_cache = value_cache[..., :8].contiguous()
    keys = 2 * 4  # two blocks of four
    each = 2 * 4 * (16 + 8)  # heads, head_dim and head_dim_v
    call = (query, key_cache, value_cache, *tables)
    assert counted(lambda: OPS.paged_attention(*call)) == {"paged_attention": 5 * keys * each}
    assert counted(lambda: OPS.paged_attention(*call, sliding_window=3)) == {"paged_attention": 5 * 3 * each}
    assert counted(lambda: OPS.paged_attention(*call, sliding_window=3, causal=False)) == {
        "paged_attention": 5 * keys * each
    }
    out = torch.empty(5, 4, 8)
    assert counted(lambda: OPS.paged_attention.out(*call, out=out)) == {"paged_attention": 5 * keys * each}
    assert counted(lambda: OPS.paged_attention_with_lse(*call)) == {"paged_attention_with_lse": 5 * keys * each}


def test_sparse_attention_is_counted_by_what_is_selected(backend: str) -> None:
    query, _, _, key_cache, value_cache, _, *tables = step(torch.float32, torch.float32)
    each = 5 * 2 * 4 * (16 + 16)  # tokens, heads, head_dim and head_dim_v
    for granularity, count, keys in ((1, 3, 3), (2, 3, 6), (4, 3, 8)):
        selected = torch.zeros(5, 1, count, dtype=torch.int32)
        call = (query, key_cache, value_cache, *tables, selected)
        found = counted(lambda: OPS.paged_sparse_attention(*call, granularity=granularity))  # noqa: B023
        assert found == {"paged_sparse_attention": keys * each}


def test_choices_are_counted_from_shapes(backend: str) -> None:
    """As attention's scores: every row that the table has room for."""
    query, _, _, index, _, _, *tables = step(torch.float32, torch.float32)
    found = counted(lambda: OPS.paged_topk(query, None, index, *tables, 3))
    assert found == {"paged_topk": 2 * 5 * 4 * (2 * 4) * 16}


def test_choices_follow_the_index_under_autocast(backend: str) -> None:
    query, _, _, index, _, _, *tables = step(torch.float32, torch.bfloat16)
    weights = torch.randn(5, 4)
    expected = OPS.paged_topk(query.bfloat16(), weights, index.bfloat16(), *tables, 3)
    with torch.autocast("cpu"):
        assert torch.equal(OPS.paged_topk(query.float(), weights, index.bfloat16(), *tables, 3), expected)


def test_convolutions_are_counted(backend: str) -> None:
    args, kwargs = samples()["causal_conv1d"]
    assert counted(lambda: OPS.causal_conv1d(*args, **kwargs)) == {"causal_conv1d": 2 * 5 * 200 * 3}


@pytest.mark.parametrize(("name", "products"), [("gated_delta_rule", 3), ("mamba2_scan", 2), ("linear_attention", 2)])
def test_recurrences_are_counted_by_their_products_with_a_state(name: str, products: int, backend: str) -> None:
    args, kwargs = samples()[name]
    assert counted(lambda: getattr(OPS, name)(*args, **kwargs)) == {name: 2 * 9 * products * 4 * 8 * 6}


def test_rows_of_a_recurrence_take_one_type_under_autocast(backend: str) -> None:
    args, kwargs = samples()["gated_delta_rule"]
    query, key, value, *rest = args
    with torch.autocast("cpu"):
        found = OPS.gated_delta_rule(query.bfloat16(), key, value.bfloat16(), *rest, **kwargs)
    assert found.dtype == torch.float32
    expected = OPS.gated_delta_rule(query.bfloat16().float(), key, value.bfloat16().float(), *rest, **kwargs)
    assert torch.equal(found, expected)


def test_linears_are_counted(backend: str) -> None:
    x, weight = torch.randn(2, 3, 64), torch.randn(40, 64)
    packed = OPS.pack_linear_weight(weight)
    experts = torch.zeros(2, 3, dtype=torch.int64)
    expected = counted(lambda: torch.nn.functional.linear(x, weight))
    assert list(expected.values()) == [2 * 6 * 64 * 40]
    assert counted(lambda: OPS.packed_linear(x, packed, 40)) == {"packed_linear": 2 * 6 * 64 * 40}
    assert counted(lambda: OPS.packed_grouped_linear(x, packed[None], 40, experts)) == {
        "packed_grouped_linear": 2 * 6 * 64 * 40
    }


def test_adapters_are_counted_as_if_each_row_had_one(backend: str) -> None:
    args, _ = samples()["lora_linear_add"]
    assert counted(lambda: OPS.lora_linear_add(*args)) == {"lora_linear_add": 2 * 4 * (22 * 6 + 3 * 40)}


def test_adapters_follow_what_they_are_added_to_under_autocast(backend: str) -> None:
    (out, x, lora_a, lora_b, *rest), _ = samples()["lora_linear_add"]
    lora_a, expected, found = lora_a.half(), out.bfloat16(), out.bfloat16()
    OPS.lora_linear_add(expected, x.bfloat16(), lora_a.bfloat16(), lora_b.bfloat16(), *rest)
    with torch.autocast("cpu"):
        OPS.lora_linear_add(found, x, lora_a, lora_b, *rest)
    assert torch.equal(found, expected)


def test_the_counter_is_told_when_it_is_imported() -> None:
    """torchpaged does not import it itself, since that takes as long as importing Triton."""
    code = """
import sys, torchpaged, torch
assert "torch.utils.flop_counter" not in sys.modules
from torch.utils.flop_counter import FlopCounterMode
packed = torch.ops.torchpaged.pack_linear_weight(torch.ones(2, 3))
with FlopCounterMode(display=False) as mode:
    torch.ops.torchpaged.packed_linear(torch.ones(1, 3), packed, 2)
assert mode.get_total_flops() == 12
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
