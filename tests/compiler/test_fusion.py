"""Fused products: found only where allowed, with the bits of the single operators."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from torchpaged.compiler.fusion import find_fusions
from torchpaged.compiler.graph import Graph
from torchpaged.compiler.program import Program
from torchpaged.compiler.tracer import trace
from torchpaged.ops import cpu, set_backend
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_linear import pack_grouped, quantise_weight

pytestmark = pytest.mark.skipif(cpu.isa() in ("none", "portable"), reason="the C++ library has no vectors here")

ops = torch.ops.torchpaged
SIZES = ("x",)
Forward = Callable[[Tensor, Tensor], Tensor]
# Rows of one group and of several, also more than the block of a wide input holds.
ROWS = (1, 2, 3, 14, 15, 33, 64)


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def _inputs(rows: int, width: int, dtype: torch.dtype) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(rows)
    return {name: torch.randn(rows, width, generator=generator).to(dtype) for name in ("x", "residual")}


class _Layers:
    """Linear layers with packed weights of one kind.

    Args:
        kind: a dtype's name, "int8" or "int4".
        width: in_features of the layers.
    """

    def __init__(self, kind: str, width: int = 256) -> None:
        self.width, self._kind = width, kind
        self.dtype = torch.bfloat16 if kind.startswith("int") else getattr(torch, kind)
        self._generator = torch.Generator().manual_seed(1)

    def tensor(self, *shape: int, dtype: torch.dtype | None = None) -> Tensor:
        return torch.randn(*shape, generator=self._generator).to(dtype or self.dtype)

    def product(self, outputs: int, *, inputs: int | None = None, bias: bool = False) -> Callable[[Tensor], Tensor]:
        inputs = inputs or self.width
        added = self.tensor(outputs) if bias else None
        if self._kind == "int4":
            codes = torch.randint(16, (outputs, inputs), generator=self._generator, dtype=torch.uint8)
            packed, form = pack_grouped(
                GroupedWeight(codes, 4, 32, self.tensor(outputs, inputs // 32, dtype=torch.half))
            )
            return lambda x: ops.packed_linear(x, packed, outputs, bias=added, format=form.code)
        weight = self.tensor(outputs, inputs, dtype=torch.float32) / inputs**0.5
        if self._kind == "int8":
            bytes_, scale = quantise_weight(weight)
            packed = ops.pack_linear_weight(bytes_)
            return lambda x: ops.packed_linear(x, packed, outputs, bias=added, weight_scale=scale)
        packed = ops.pack_linear_weight(weight.to(self.dtype))
        return lambda x: ops.packed_linear(x, packed, outputs, bias=added)

    def trace(self, forward: Forward) -> Graph:
        steps: list[Any] = [_inputs(rows, self.width, self.dtype) for rows in (13, 17)]
        with torch.inference_mode():
            return trace(forward, steps, SIZES)

    def require_same(self, forward: Forward, count: int) -> None:
        """Assert that there are `count` fusions and that the program has the bits of the single operators."""
        traced = self.trace(forward)
        assert len(find_fusions(traced)) == count
        unfused, program = traced.module().forward, Program(traced, SIZES)
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            for rows in ROWS:
                given = _inputs(rows, self.width, self.dtype)
                with torch.inference_mode():
                    expected = unfused(*given.values())
                    assert torch.equal(program(list(given.values()), (rows,)), expected), (threads, rows)


@pytest.mark.parametrize("kind", ["bfloat16", "float16", "float32", "int8", "int4"])
@pytest.mark.parametrize("bias", [False, True])
def test_a_gated_layer(kind: str, bias: bool) -> None:
    layers = _Layers(kind)
    weight = layers.tensor(layers.width, dtype=torch.float32 if bias else None)
    both, down = layers.product(2 * 320, bias=bias), layers.product(layers.width, inputs=320)
    activation = ops.gelu_tanh_and_mul if bias else ops.silu_and_mul

    def forward(x: Tensor, residual: Tensor) -> Tensor:
        total, normed = ops.add_rms_norm(x, residual, weight, 0.5)
        gate, up = both(normed).split([320, 320], -1)
        return total + down(activation(gate, up))

    layers.require_same(forward, 1)


@pytest.mark.parametrize("kind", ["bfloat16", "float16", "float32", "int8", "int4"])
@pytest.mark.parametrize("head_dim,rotated,weighted", [(64, 64, True), (32, 16, False), (96, 64, True)])
def test_rotated_heads(kind: str, head_dim: int, rotated: int, weighted: bool) -> None:
    layers = _Layers(kind)
    heads = [3, 2, 2]
    norm, cos, sin = layers.tensor(layers.width), layers.tensor(64, 1, rotated), layers.tensor(64, 1, rotated)
    types = {"query": None, "key": torch.float32}
    weights = {f"{name}_weight": layers.tensor(head_dim, dtype=types[name]) if weighted else None for name in types}
    product = layers.product(sum(heads) * head_dim)

    def forward(x: Tensor, residual: Tensor) -> Tensor:
        rows = x.shape[0]
        states = product(ops.rms_norm(x, norm, 0.5)).view(rows, -1, head_dim)
        query, key, value = states.split(heads, 1)
        query, key = ops.rotary_embedding(query, key, cos[:rows], sin[:rows], **weights, eps=0.25)
        return torch.cat([query.reshape(rows, -1), key.reshape(rows, -1), value.reshape(rows, -1)], 1)

    layers.require_same(forward, 1)


@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_more_rows_than_a_block_holds_run_one_after_the_other(kind: str) -> None:
    layers = _Layers(kind, 8192)
    weight, both = layers.tensor(layers.width), layers.product(2 * 64)

    def forward(x: Tensor, residual: Tensor) -> Tensor:
        total, normed = ops.add_rms_norm(x, residual, weight, 1e-6)
        gate, up = both(normed).split([64, 64], -1)
        return torch.cat([ops.silu_and_mul(gate, up), total], 1)

    layers.require_same(forward, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/status")
def test_memory_does_not_grow_with_the_rows_of_a_call() -> None:
    """A thread's buffer for intermediate rows has the size of a block, not of a call."""
    layers = _Layers("bfloat16", 64)
    weight, both = layers.tensor(layers.width), layers.product(2 * 512)

    def forward(x: Tensor, residual: Tensor) -> Tensor:
        gate, up = both(ops.rms_norm(x, weight, 1e-6)).split([512, 512], -1)
        return ops.silu_and_mul(gate, up)

    program, given = Program(layers.trace(forward), SIZES), list(_inputs(40_000, 64, layers.dtype).values())
    torch.set_num_threads(2)
    before = _resident()
    with torch.inference_mode():
        program(given, (40_000,))  # 80 MB of outputs, half of which become the result
    assert _resident() - before < 32 << 20


def _resident() -> int:
    """Return the bytes of this process's own pages; those of files come and go with the system's free memory."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) * 1024


def test_values_with_other_users_are_not_fused_away() -> None:
    layers = _Layers("bfloat16")
    weight = layers.tensor(layers.width)
    both, back, plain = layers.product(2 * 256), layers.product(layers.width), layers.product(layers.width)
    odd = layers.product(2 * 48)

    def normed_twice(x: Tensor, residual: Tensor) -> Tensor:
        normed = ops.rms_norm(x, weight, 1e-6)
        return back(normed) + normed

    def early_sum(x: Tensor, residual: Tensor) -> Tensor:
        total, normed = ops.add_rms_norm(x, residual, weight, 1e-6)
        doubled = total * 2
        return plain(normed) + doubled

    def gate_seen(x: Tensor, residual: Tensor) -> Tensor:
        gate, up = both(x).split([256, 256], -1)
        return ops.silu_and_mul(gate, up) + gate

    def halves_swapped(x: Tensor, residual: Tensor) -> Tensor:
        gate, up = both(x).split([256, 256], -1)
        return ops.silu_and_mul(up, gate)

    def no_whole_panels(x: Tensor, residual: Tensor) -> Tensor:
        gate, up = odd(x).split([48, 48], -1)
        return ops.silu_and_mul(gate, up)

    def of_itself(x: Tensor, residual: Tensor) -> Tensor:
        gate, _ = both(x).split([256, 256], -1)
        return ops.silu_and_mul(gate, gate)

    for forward in (normed_twice, early_sum, gate_seen, halves_swapped, no_whole_panels, of_itself):
        layers.require_same(forward, 0)


def test_heads_in_other_layouts_are_not_fused() -> None:
    layers = _Layers("bfloat16")
    product, odd = layers.product(4 * 64), layers.product(4 * 40)

    def narrow(x: Tensor) -> Sequence[Tensor]:
        return odd(x).view(len(x), 4, 40).split([2, 2], 1)

    def keys_first(x: Tensor) -> Sequence[Tensor]:
        return product(x).view(len(x), 4, 64).split([2, 2], 1)[::-1]

    def every_second(x: Tensor) -> Sequence[Tensor]:
        heads = product(x).view(len(x), 4, 64)
        return heads[:, ::2], heads[:, 2:]

    def copied(x: Tensor) -> Sequence[Tensor]:
        return product(x).view(len(x), 2, 2, 64).transpose(1, 2).reshape(len(x), 4, 64).split([2, 2], 1)

    for heads in (narrow, keys_first, every_second, copied):
        size = 40 if heads is narrow else 64
        cos, sin = layers.tensor(64, 1, size), layers.tensor(64, 1, size)

        def forward(x: Tensor, residual: Tensor) -> Tensor:
            rotated = ops.rotary_embedding(*heads(x), cos[: len(x)], sin[: len(x)])  # noqa: B023
            return torch.cat([each.reshape(len(x), -1) for each in rotated], 1)

        layers.require_same(forward, 0)


@pytest.mark.parametrize("op", ["packed_linear", "rms_norm"])
def test_operators_of_another_backend_are_not_fused(op: str) -> None:
    layers = _Layers("float32")
    weight, product = layers.tensor(layers.width), layers.product(64)
    traced = layers.trace(lambda x, residual: product(ops.rms_norm(x, weight, 1e-6)))
    assert len(find_fusions(traced)) == 1
    set_backend("reference", op=op)
    try:
        assert not find_fusions(traced)
    finally:
        set_backend(None, op=op)


def test_a_value_that_is_used_before_the_rotation_keeps_its_place() -> None:
    layers = _Layers("bfloat16")
    cos, sin = layers.tensor(64, 1, 64), layers.tensor(64, 1, 64)
    product = layers.product(4 * 64)

    def forward(x: Tensor, residual: Tensor) -> Tensor:
        rows = x.shape[0]
        query, key, value = product(x).view(rows, -1, 64).split([2, 1, 1], 1)
        doubled = value * 2
        query, key = ops.rotary_embedding(query, key, cos[:rows], sin[:rows])
        return torch.cat([query, key, doubled], 1)

    layers.require_same(forward, 0)


def test_inputs_that_are_written_into_are_not_fused() -> None:
    layers = _Layers("bfloat16")
    weight, back = layers.tensor(layers.width), layers.product(layers.width)

    def forward(x: Tensor, residual: Tensor) -> Tensor:
        scaled = x * 1.5
        normed = ops.rms_norm(scaled, weight, 1e-6)
        scaled.add_(residual)
        return back(normed) + scaled

    cos, sin, heads = layers.tensor(64, 1, 64), layers.tensor(64, 1, 64), layers.product(3 * 64)

    def before_the_rotation(x: Tensor, residual: Tensor) -> Tensor:
        rows, scaled = x.shape[0], x * 1.5
        query, key, value = heads(scaled).view(rows, -1, 64).split([1, 1, 1], 1)
        scaled.add_(residual)
        query, key = ops.rotary_embedding(query, key, cos[:rows], sin[:rows])
        return torch.cat([each.reshape(rows, -1) for each in (query, key, value, scaled)], 1)

    for each in (forward, before_the_rotation):
        layers.require_same(each, 0)


def test_views_behind_the_rotation_keep_their_place() -> None:
    """A copy of a tensor that is written into first, and a view with a size that is computed after the product."""
    layers = _Layers("bfloat16")
    cos, sin = layers.tensor(64, 1, 64), layers.tensor(64, 1, 64)
    product = layers.product(6 * 64)

    def heads(x: Tensor) -> tuple[Tensor, ...]:
        whole = product(x).view(len(x), -1, 64)
        query, key, value = whole.split([2, 2, 2], 1)
        return whole, value, *ops.rotary_embedding(query, key, cos[: len(x)], sin[: len(x)])

    def written(x: Tensor, residual: Tensor) -> Tensor:
        whole, value, query, key = heads(x)
        whole.mul_(2)
        return torch.cat([each.transpose(1, 2).reshape(len(x), -1) for each in (query, key, value)], 1)

    def sized(x: Tensor, residual: Tensor) -> Tensor:
        _, value, query, key = heads(x)
        return torch.cat([each.reshape(2 * len(x), -1) for each in (query, key, value)], 1)

    for forward in (written, sized):
        layers.require_same(forward, 1)
