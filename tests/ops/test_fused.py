"""A decode step's fused operators and the norms and gates in Triton: values of the operators that they replace."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from torchpaged.ops import fused

DEVICE = backends.DEVICE
BFLOAT16, FLOAT16 = torch.bfloat16, torch.float16


@pytest.fixture(autouse=True)
def kernels() -> None:
    if DEVICE == "cpu":  # in the interpreter
        backends.call("triton")


def numbers(*shape: int, seed: int = 0, dtype: torch.dtype = BFLOAT16) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype).to(DEVICE)


def require_near(found: Tensor, expected: Tensor) -> None:
    """Require the values within two roundings of the largest of a row."""
    assert found.dtype == expected.dtype and found.shape == expected.shape
    a, b = found.double(), expected.double()
    limit = 2 * torch.finfo(expected.dtype).eps * (b.abs().amax(-1, keepdim=True) + b.abs()) + 1e-5
    assert bool(((a - b).abs() <= limit).all()), float((a - b).abs().max())


# --- Norms and gates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float32, FLOAT16, BFLOAT16], ids=str)
def test_norms_and_gates(dtype: torch.dtype) -> None:
    """Strided rows, one of several blocks, weights in float32."""
    triton, reference = backends.call("triton"), backends.call("reference")
    for shape in ((3, 70), (2, 3, 64), (1, 4100)):
        x, y = (numbers(*shape[:-1], shape[-1] + 5, seed=i, dtype=dtype)[..., : shape[-1]] for i in (0, 1))
        weight = 1 + numbers(shape[-1], seed=2, dtype=torch.float32)
        for name, args in (
            ("rms_norm", (x, weight, 1e-5)),
            ("rms_norm", (x, weight.to(dtype), 1e-5)),
            ("add_rms_norm", (x, y, weight, 1e-3)),
            ("silu_and_mul", (8 * x, y)),
            ("gelu_tanh_and_mul", (8 * x, y)),
        ):
            found, expected = triton(name, *args), reference(name, *args)
            for a, b in zip(*(each if isinstance(each, tuple) else (each,) for each in (found, expected)), strict=True):
                require_near(a, b)


# --- Products -------------------------------------------------------------------------------------------------------


def multiply(x: Tensor, weights: list[Tensor], **options: Any) -> Tensor:
    """Launch the kernel as the operator does on CUDA."""
    from torchpaged.ops.triton import fused_linear

    biases = options.pop("biases", [None] * len(weights))
    columns = [each.t() for each in weights]
    assert fused_linear.fits(x, columns, biases, options.get("norm_weight"))
    return fused._linear_on_cuda(x, weights, biases, **options)


CASES: dict[str, dict[str, Any]] = {
    "plain": {"sizes": (40,)},
    "norm and three weights with biases": {"sizes": (40, 24, 16), "norm": True, "bias": True},
    "norm and a gate": {"sizes": (72, 72), "norm": True, "activation": "silu"},
    "gate with biases": {"sizes": (24, 24), "bias": True, "activation": "gelu_tanh"},
    "residual": {"sizes": (40,), "residual": True},
    "norm, two weights, residual": {"sizes": (40, 8), "norm": True, "residual": True},
}


@pytest.mark.parametrize("dtype", [torch.float32, BFLOAT16], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_products(name: str, dtype: torch.dtype) -> None:
    """A K that fills no tile, and one of several; one row, and rows that fill no tile."""
    case = CASES[name]
    for rows, inner in ((1, 80), (5, 256)):
        x = numbers(rows, inner, seed=rows, dtype=dtype)
        weights = [numbers(size, inner, seed=7 + i, dtype=dtype) / inner**0.5 for i, size in enumerate(case["sizes"])]
        options: dict[str, Any] = {"activation": case.get("activation", "")}
        if "bias" in case:
            options["biases"] = [numbers(size, seed=3, dtype=dtype) for size in case["sizes"]]
        if "norm" in case:
            options |= {"norm_weight": 1 + numbers(inner, seed=4, dtype=dtype) / 4, "eps": 1e-5}
        if "residual" in case:
            options["residual"] = numbers(rows, sum(case["sizes"]), seed=5, dtype=dtype)
        found = multiply(x, weights, **options)
        biases = options.pop("biases", [None] * len(weights))
        wide: dict[str, Any] = {k: v.double() if isinstance(v, Tensor) else v for k, v in options.items()}
        require_near(found, expected_product(x.double(), weights, biases, **wide).to(dtype))


def expected_product(
    x: Tensor,
    weights: list[Tensor],
    biases: list[Tensor | None],
    norm_weight: Tensor | None = None,
    eps: float = 0.0,
    activation: str = "",
    residual: Tensor | None = None,
) -> Tensor:
    """Compute the operator in float64."""
    if norm_weight is not None:
        x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * norm_weight
    parts = [x @ w.double().t() + (0 if b is None else b.double()) for w, b in zip(weights, biases, strict=True)]
    out = torch.cat(parts, -1)
    if activation:
        first = parts[0]
        acted = torch.nn.functional.gelu(first, approximate="tanh")
        out = (torch.nn.functional.silu(first) if activation == "silu" else acted) * parts[1]
    return out if residual is None else out + residual


def test_bits_of_a_plain_product() -> None:
    """Without a norm a row has the bits of the batch-invariant product."""
    from torchpaged.ops.triton import batch_invariant

    x, weight = numbers(5, 208), numbers(24, 208, seed=1)
    out = torch.empty(5, 24, dtype=BFLOAT16, device=DEVICE)
    batch_invariant.matmul(x, weight.t(), None, out)
    assert torch.equal(multiply(x, [weight]), out)


def test_arguments_that_do_not_fit() -> None:
    """They are computed by the operators apart: many rows, one bias of two, odd sizes, what float16 might not hold."""
    from torchpaged.ops.triton import fused_linear

    x, weight, bias = numbers(2, 64), numbers(8, 64).t(), numbers(8)
    assert fused_linear.fits(x, [weight, weight], [bias, bias], bias)
    assert not fused_linear.fits(x[:1].expand(65, 64), [weight], [None], None)
    assert not fused_linear.fits(x, [weight, weight], [bias, None], None)
    assert not fused_linear.fits(x, [weight] * 4, [None] * 4, None)
    assert not fused_linear.fits(x, [weight, weight.contiguous()], [None] * 2, None)
    assert not fused_linear.fits(x[:, :60], [weight[:60]], [None], None)
    assert not fused_linear.fits(x.half(), [weight.half()], [None], bias.half())


# --- Heads ----------------------------------------------------------------------------------------------------------


HEADS: dict[str, dict[str, Any]] = {
    "plain": {},
    "norms, part of a head": {"rotary": 16, "norm": True},
    "padded head, five KV heads": {"dim": 24, "heads": (10, 5), "dim_v": 40},
    "e4m3 with a scale a token": {"cache": torch.float8_e4m3fn, "norm": True},
    "int8 with a scale a token": {"cache": torch.int8},
}


@pytest.mark.parametrize("name", HEADS)
def test_heads(name: str) -> None:
    """Query and written cache as by the operators apart; padding is not written."""
    from torchpaged.ops.triton import rotate_and_write

    case = HEADS[name]
    (heads, kv_heads), dim = case.get("heads", (4, 2)), case.get("dim", 32)
    dim_v, rotary, dtype = case.get("dim_v", dim), case.get("rotary", dim), case.get("cache", BFLOAT16)
    joined = numbers(6, heads * dim + kv_heads * (dim + dim_v))
    query, key = joined[:, : (heads + kv_heads) * dim].view(6, -1, dim).split([heads, kv_heads], 1)
    value = joined[:, (heads + kv_heads) * dim :].unflatten(1, (kv_heads, dim_v))
    angle = numbers(6, 1, rotary, seed=1, dtype=torch.float32)
    cos, sin = angle.cos().bfloat16(), angle.sin().bfloat16()
    slots = torch.tensor([3, 17, -1, 40, 9, 10**6], device=DEVICE)
    quantised = dtype != BFLOAT16
    options: dict[str, Any] = {"query_weight": None, "key_weight": None, "eps": 1e-6}
    if "norm" in case:
        options |= {"query_weight": 1 + numbers(dim, seed=2) / 4, "key_weight": 1 + numbers(dim, seed=3) / 4}
    expected_query, keys = backends.call("reference")("rotary_embedding", query, key, cos, sin, **options)
    pools = []
    for _ in range(2):
        caches = [torch.zeros(3, 16, kv_heads, d, device=DEVICE).to(dtype) for d in (dim, dim_v)]
        scales = [torch.zeros(3, 16, kv_heads, device=DEVICE) if quantised else None for _ in range(2)]
        pools.append((caches, scales))
    (caches, scales), (own, own_scales) = pools
    written = (slots >= 0) & (slots < 48)
    names = ("k_scale_cache", "v_scale_cache")
    backends.call("reference")(
        "write_kv_cache", keys[written], value[written], *caches, slots[written], k_scale=None, v_scale=None,
        **dict(zip(names, scales, strict=True)),
    )  # fmt: skip
    assert fused.can_rotate_and_write(query, value, cos, own[0])
    out = torch.empty(query.shape, dtype=query.dtype, device=DEVICE)
    rotate_and_write.rotate_and_write_kv_cache(
        query, key, value, cos, sin, own[0], own[1], slots, out=out,
        k_scale_cache=own_scales[0], v_scale_cache=own_scales[1], **options,
    )  # fmt: skip
    require_near(out, expected_query)
    for found, expected, scale, own_scale in zip(own, caches, scales, own_scales, strict=True):
        if scale is None or own_scale is None:
            require_near(found, expected)
        else:
            torch.testing.assert_close(own_scale, scale, rtol=2**-7, atol=1e-6)
            a, b = (x.float() * s.unsqueeze(-1) for x, s in ((found, own_scale), (expected, scale)))
            assert bool(((a - b).abs() <= 0.13 * b.abs() + 0.02 * b.abs().amax()).all())


def test_heads_that_do_not_fit() -> None:
    query, value, cos = numbers(2, 4, 32), numbers(2, 2, 32), numbers(2, 1, 32)
    cache = torch.zeros(2, 16, 2, 32, dtype=BFLOAT16)
    assert fused.can_rotate_and_write(query, value, cos, cache)
    assert not fused.can_rotate_and_write(query, value, cos.expand(2, 4, 32), cache)
    assert not fused.can_rotate_and_write(query, value, cos, torch.zeros(2, 16, 2, 18, dtype=torch.uint8))
    assert not fused.can_rotate_and_write(query, value, cos[:, 0], cache)
