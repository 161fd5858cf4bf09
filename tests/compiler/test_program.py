"""Programs give the bits of the traced forward, and run only the steps that they may."""

from __future__ import annotations

import gc
import os
import random
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from tests import models
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM, SamplingParams
from torchpaged.compiler.codegen import MAX_TOKENS
from torchpaged.compiler.graph import Graph, NotTraceable
from torchpaged.compiler.program import Program, ReplayedForward
from torchpaged.compiler.tracer import trace
from torchpaged.ops import cpu
from torchpaged.ops.grouped_weights import E2M1, IQ4
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_linear import PackedEmbedding, PackedLinear

pytestmark = pytest.mark.skipif(cpu.isa() in ("none", "portable"), reason="the C++ library has no vectors here")

aten, ops = torch.ops.aten, torch.ops.torchpaged
WIDTH = 24
SIZES = ("input_ids", "rows", "longest")


def _inputs(tokens: int, rows: int, longest: int, dtype: torch.dtype = torch.float32) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(tokens)
    return {
        "input_ids": torch.randint(50, (tokens,), generator=generator),
        "x": torch.randn(tokens, WIDTH, generator=generator).to(dtype),
        "rows": torch.arange(rows) % tokens,
        "longest": longest,
    }


def _traced(forward: Callable[..., Tensor], dtype: torch.dtype = torch.float32) -> Graph:
    steps: list[Any] = [_inputs(13, 3, 5, dtype), _inputs(17, 11, 7, dtype)]
    with torch.inference_mode():
        return trace(forward, steps, SIZES)


def _program(forward: Callable[..., Tensor]) -> Program:
    return Program(_traced(forward), SIZES)


def _require_same(forward: Callable[..., Tensor], dtype: torch.dtype = torch.float32) -> None:
    traced = _traced(forward, dtype)
    program, forward = Program(traced, SIZES), traced.module().forward
    with torch.inference_mode():
        for sizes in ((2, 5, 2), (13, 3, 5), (40, 7, 9)):
            inputs = _inputs(*sizes, dtype)
            try:
                expected = forward(*inputs.values())
            except RuntimeError:
                continue  # a shape that is an error at this size
            tensors = [value for name, value in inputs.items() if name != "longest"]
            found = program(tensors, sizes)
            torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True, msg=str(sizes))
            assert _strides(found) == _strides(expected), sizes


def _strides(tensor: Tensor) -> list[int]:
    """Return the strides of dimensions with several elements: rounding in torch may depend on them."""
    return [stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if size > 1 and tensor.numel()]


def test_packed_products_of_inputs_are_traced_without_being_computed() -> None:
    """Products of constants are computed: the program may need their values."""
    packed, called = ops.pack_linear_weight(torch.randn(32, WIDTH)), list[int]()

    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        table = ops.packed_linear(x.new_ones(3, WIDTH), packed, 32)
        return ops.packed_linear(x, packed, 32) * table.sum()

    class Counting(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is ops.packed_linear.default:
                called.append(len(args[0]))
            return func(*args, **(kwargs or {}))

    steps: list[Any] = [_inputs(13, 3, 5), _inputs(17, 11, 7)]
    with torch.inference_mode(), Counting():
        traced = trace(forward, steps, SIZES, compute_products=False)
    assert called == [3, 3]
    inputs = _inputs(5, 2, 3)
    with torch.inference_mode():
        expected, program = forward(**inputs), Program(traced, SIZES)
        assert torch.equal(program([inputs[name] for name in ("input_ids", "x", "rows")], (5, 2, 3)), expected)


VIEWS: list[Callable[[Tensor], Tensor]] = [
    lambda x: x.reshape(x.shape[0], 4, -1),
    lambda x: x.reshape(-1, 6),
    lambda x: x.t() if x.dim() == 2 else x.transpose(0, 1),
    lambda x: x.transpose(-1, -2),
    lambda x: x.permute(*range(x.dim())[::-1]),
    lambda x: x.unsqueeze(0),
    lambda x: x.unsqueeze(-1),
    lambda x: x.squeeze(0) if x.shape[0] == 1 else x,
    lambda x: x[..., 1:],
    lambda x: x[..., ::2],
    lambda x: x[..., -3:],
    lambda x: x.split([1, x.shape[-1] - 1], -1)[1] if x.shape[-1] > 1 else x,
    lambda x: x.flatten(),
    lambda x: torch.cat([x, x], -1),
    lambda x: x.clone(),
    lambda x: x.contiguous(),
]
NUMBERS: list[Callable[[Tensor], Tensor]] = [
    lambda x: x + 1,
    lambda x: 2.5 - x,
    lambda x: x * 0.3,
    lambda x: x / 3,
    lambda x: -x,
    lambda x: (x * x + 1).reciprocal(),
    lambda x: (x * x).sqrt(),
    lambda x: torch.where(x > 0, x, x * 0.5),
    lambda x: torch.where(x <= 0.5, 1.0, x),
    lambda x: x.exp().log1p(),
    lambda x: x.pow(2),
    lambda x: x.pow(3),
    lambda x: x.clamp(-0.5, 0.7),
    lambda x: x.clamp_min(0),
    lambda x: x * x.new_ones(x.shape[-1]),
    lambda x: x * torch.arange(WIDTH).sum(),
    lambda x: x.float(),
    lambda x: x.to(torch.bfloat16),
    lambda x: x + x.sum(-1, keepdim=True),
    lambda x: x * x[..., :1],
    lambda x: x.softmax(-1),
]


def _random_forward(seed: int) -> Callable[..., Tensor]:
    chosen = random.Random(seed).choices([*VIEWS, *NUMBERS], k=12)

    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        y = x
        for each in chosen:
            y = each(y) if y.dim() < 6 and y.numel() < 50_000 else y
        return y

    return forward


@pytest.mark.parametrize("seed", range(60))
def test_random_views_and_numbers_keep_their_bits(seed: int) -> None:
    forward, dtype = _random_forward(seed), (torch.float32, torch.bfloat16, torch.float16)[seed % 3]
    try:
        _traced(forward, dtype)
    except (NotTraceable, RuntimeError, IndexError):
        return  # an invalid forward, or a view whose sizes are no multiples of the number of tokens
    try:
        _require_same(forward, dtype)
    except NotTraceable as error:
        assert "depend on the number of tokens" in str(error)


# Where torch rounds: the dtype it computes in, its treatment of scalars, the function it calls.
ROUNDED: dict[str, Callable[[Tensor], Tensor]] = {
    "a number added": lambda x: x + 0.1,
    "taken away": lambda x: x - 0.7,
    "from which is taken away": lambda x: 0.7 - x,
    "added in place": lambda x: x.clone().add_(0.3),
    "multiplied": lambda x: x * 0.1,
    "divided by": lambda x: x / 0.3,
    "divided by in place": lambda x: x.clone().div_(0.3),
    "compared with": lambda x: x.new_full((5,), 0.1) + 0 * x[0, :5] > 0.1,
    "compared with a tensor": lambda x: (x[:, :1] * 0 + 0.1) == torch.tensor(0.1),
    "a tensor without dimensions added": lambda x: x + (x.float().sum() * 0.1),
    "that is added to": lambda x: (x.float().sum() * 0.1) + x,
    "multiplied by a tensor without dimensions": lambda x: x * (x.float().sum() * 0.1),
    "which is multiplied": lambda x: (x.float().sum() * 0.1) * x,
    "divided by one": lambda x: x / (x.float().sum() * 0.1),
    "which is divided": lambda x: (x.float().sum() * 0.1) / (x.abs() + 1),
    "integers added": lambda x: x + torch.arange(250, 250 + WIDTH),
    "an integer without dimensions": lambda x: x * torch.tensor(257),
    "integers that are multiplied": lambda x: torch.arange(250, 250 + WIDTH) * x,
    "integers times a number": lambda x: (x * 100).long() * 0.3,
    "integers by a number": lambda x: (x * 100).int() / 0.3,
    "integers compared": lambda x: (x * 3).long() > 0.5,
    "a root": lambda x: (x.abs() + 0.3).sqrt(),
    "a power that is one": lambda x: (x.abs() + 0.3).pow(0.5),
    "cubed": lambda x: x.pow(3),
    "its inverse": lambda x: (x.abs() + 0.3).pow(-1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ROUNDED)
def test_values_are_rounded_as_torch_rounds_them(name: str, dtype: torch.dtype) -> None:
    _require_same(lambda input_ids, x, rows, longest: ROUNDED[name](x), dtype)


def test_integer_factors_of_narrow_floats() -> None:
    """torch rounds several to the narrow dtype, but not a single one."""
    for column in (lambda x: x, lambda x: x[0, :1]):
        _require_same(
            lambda input_ids, x, rows, longest: column(x) * (input_ids[:1] + 257),  # noqa: B023
            torch.bfloat16,
        )


# Operators with a scalar where a program can pass tensors only, of dtypes that it has no instructions for.
NUMBERS_FOR_TENSORS: dict[str, Callable[[Tensor], Tensor]] = {
    "and": lambda x: x & 5,
    "or": lambda x: x | 5,
    "xor": lambda x: x ^ 5,
    "left": lambda x: x << 3,
    "right": lambda x: x >> 2,
    "bitwise_and": lambda x: torch.bitwise_and(x, 3),
    "bitwise_xor": lambda x: torch.bitwise_xor(x, 3),
    "bitwise_left_shift": lambda x: torch.bitwise_left_shift(x, 3),
    "bitwise_right_shift": lambda x: torch.bitwise_right_shift(x, 3),
    "remainder": lambda x: x % 3,
    "remainder of a fraction": lambda x: x % 0.3,
    "floor": lambda x: x // 3,
    "times": lambda x: x * 3,
    "times a fraction": lambda x: x * 0.3,
    "by": lambda x: x / 3,
    "filled": lambda x: x.clone().fill_(3),
    "masked": lambda x: x.clone().masked_fill_(x > 3 * x.sign(), 7),
    "scattered": lambda x: x.scatter(-1, (x.long() & 1)[..., :1], 9),
    "scattered in place": lambda x: x.clone().scatter_(-1, (x.long() & 1).expand(x.shape)[..., ::2], 9),
    "scattered over rows": lambda x: x.t().scatter(0, (x.long() & 1).t(), 9),
}


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32, torch.int64])
@pytest.mark.parametrize("name", NUMBERS_FOR_TENSORS)
def test_scalars_become_tensors(name: str, dtype: torch.dtype) -> None:
    _require_same(lambda input_ids, x, rows, longest: NUMBERS_FOR_TENSORS[name]((x * 9).to(torch.int8).to(dtype)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("place", [False, True])
def test_scattered_scalars(dtype: torch.dtype, place: bool) -> None:
    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        index = x.topk(3, -1).indices
        y = x.to(dtype)
        y = y.clone().scatter_(-1, index, float("-inf")) if place else y.scatter(-1, index, float("-inf"))
        return torch.cat([y, y.scatter(1, index[:, 1:], 0.1)], -1)

    _require_same(forward)


def test_all_powers_of_float16() -> None:
    """torch rounds each once."""
    numbers = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int16).view(torch.float16)
    numbers = numbers[numbers.isfinite() & (numbers > 0)]
    for exponent in (2, 3, 3.0, -1, 0.5, -0.5, 1.5):

        def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
            return ((x[:1, :1] * 0 + 1) * numbers).pow(exponent)  # noqa: B023

        _require_same(forward, torch.float16)


def _grouped(bits: int, **parts: Any) -> GroupedWeight:
    generator = torch.Generator().manual_seed(bits)
    codes = torch.randint(1 << bits, (50, 64), generator=generator, dtype=torch.uint8)
    return GroupedWeight(codes, bits, 32, parts.pop("scale", torch.rand(50, 2, generator=generator).half()), **parts)


@pytest.mark.parametrize(
    "weight",
    [
        _grouped(4),
        _grouped(8),
        _grouped(4, zero=torch.arange(100, dtype=torch.uint8).view(50, 2) % 16),
        _grouped(4, offset=torch.linspace(-1, 1, 100).view(50, 2).half()),
        _grouped(4, table=IQ4),
        _grouped(4, table=E2M1, scale=torch.arange(100, dtype=torch.uint8).view(50, 2) + 80),
        _grouped(
            4, scale=torch.rand(50, 1).half(), scale_steps=torch.arange(100, dtype=torch.uint8).view(50, 2), table=IQ4
        ),
    ],
    ids=["4", "8", "zeros", "offsets", "table", "exponents", "steps"],
)
def test_a_grouped_embedding(weight: GroupedWeight) -> None:
    """Most GGUF files have one: such a forward must be a program too."""
    table = PackedEmbedding(PackedLinear.from_grouped(weight), torch.bfloat16)
    _require_same(lambda input_ids, x, rows, longest: table(input_ids), torch.bfloat16)


def test_complex_numbers() -> None:
    """DeepSeek-V2 rotates with them."""
    frequencies = torch.rand(WIDTH // 2)

    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        angles = input_ids.float().unsqueeze(1) * frequencies
        turns = torch.polar(torch.ones_like(angles), angles) * 1.5
        pairs = torch.view_as_complex(x.reshape(len(x), -1, 2))
        turned = (pairs * turns).t().unsqueeze(0).reshape(-1, 2)
        return torch.view_as_real(torch.cat([turned, turned[::1, :1]], -1)[1:])

    _require_same(forward)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.float64, torch.complex64, torch.bool])
def test_all_dtypes_can_be_copied(dtype: torch.dtype) -> None:
    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        y = (x * 9).long().to(dtype)
        z = y[:, ::2].t().reshape(-1, 3).clone()
        z[:, 1:].copy_(z[:, :1])
        return torch.cat([z, z.t().reshape(-1, 3)])

    _require_same(forward)


def test_an_explicit_copy_is_a_copy() -> None:
    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        y = x * 2
        z = y.to(y.dtype, copy=True)
        z.add_(1)
        return y + z

    _require_same(forward)


def test_calls_of_torch_and_torchpaged_operators() -> None:
    table = torch.randn(50, WIDTH)
    weight = ops.pack_linear_weight(torch.randn(40, WIDTH))
    scale = torch.rand(WIDTH)

    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        hidden = torch.nn.functional.embedding(input_ids, table) + x
        hidden = ops.rms_norm(hidden, scale, 1e-6)
        first, second = ops.packed_linear(hidden, weight, 40).split([16, 24], -1)
        values, places = second.topk(4, -1)
        joined = torch.cat([ops.silu_and_mul(first, first), values, places.float()], -1)
        joined[:, :2].copy_(values[:, 1:3])
        return joined[rows]

    _require_same(forward)


def test_writes_are_seen_through_views() -> None:
    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        y = x * 2
        part = y[:, ::3]
        part.copy_(part + 1)
        return torch.cat([y.clone(), part], -1)

    _require_same(forward)


def test_sizes_of_a_step() -> None:
    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        return (
            x.reshape(1, len(x), -1, 8).expand(2, len(x), WIDTH // 8, 8)[:, :, :, : len(x) * 8].reshape(2 * len(x), -1)
        )

    _require_same(forward)


def test_arange_reaches_the_longest_step() -> None:
    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        return x[rows] * torch.arange(len(rows)).unsqueeze(1)

    program = _program(forward)
    with torch.inference_mode():
        inputs = _inputs(40, MAX_TOKENS, 9)
        tensors = [value for name, value in inputs.items() if name != "longest"]
        assert torch.equal(program(tensors, (40, MAX_TOKENS, 9)), forward(*inputs.values()))


@pytest.mark.parametrize(
    ("forward", "message"),
    [
        (lambda input_ids, x, rows, longest: x.hardshrink(0.5), "argument of type"),
        (lambda input_ids, x, rows, longest: x * len(x), "with the number of tokens"),
        (lambda input_ids, x, rows, longest: x.sort(-1)[0].histc(4), "argument of type"),
        (lambda input_ids, x, rows, longest: torch.add(x, x, alpha=0), "argument of type"),
        (lambda input_ids, x, rows, longest: torch.rsub(x, 2, alpha=0.5), "argument of type"),
        (lambda input_ids, x, rows, longest: x.to(torch.complex64) * 1.5j, "passed 1.5j for a tensor"),
    ],
)
def test_refusals_say_why(forward: Callable[..., Tensor], message: str) -> None:
    with pytest.raises(NotTraceable, match=message):
        _program(forward)


def test_a_program_runs_again_after_an_error() -> None:
    table = torch.randn(50, WIDTH)

    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        return (x * 2 + torch.nn.functional.embedding(input_ids, table))[rows]

    program = _program(forward)
    good, bad = _inputs(4, 2, 4), _inputs(4, 2, 4)
    bad["input_ids"][1] = 99
    with torch.inference_mode():
        for _ in range(3):
            with pytest.raises(RuntimeError, match="aten::embedding"):
                program([bad[name] for name in ("input_ids", "x", "rows")], (4, 2, 4))
            tensors = [good[name] for name in ("input_ids", "x", "rows")]
            assert torch.equal(program(tensors, (4, 2, 4)), forward(*good.values()))
    with pytest.raises(ValueError, match="takes 3 tensors, not 1"):
        program([good["x"]], (4, 2, 4))


def test_a_program_that_is_freed_meanwhile_is_not_traced() -> None:
    kept = [_program(lambda input_ids, x, rows, longest: x * 2)]
    number = kept[0]._number

    def forward(input_ids: Tensor, x: Tensor, rows: Tensor, longest: int) -> Tensor:
        kept.clear()
        gc.collect()
        return x + 1

    traced = _traced(forward)
    assert [str(node.target) for node in traced.graph.nodes if node.op == "call_function"][-1:] == ["aten.add.Tensor"]
    assert not any("drop" in str(node.target) for node in traced.graph.nodes)
    with pytest.raises(ValueError, match="there is no program"):
        torch.ops.torchpaged_replay.run(number, [torch.empty(0)], [0, 0, 0])


def test_a_program_is_freed_under_another_default_device() -> None:
    program = _program(lambda input_ids, x, rows, longest: x * 2)
    number = program._number
    with torch.device("meta"):
        del program
        gc.collect()
    with pytest.raises(ValueError, match="there is no program"):
        torch.ops.torchpaged_replay.run(number, [torch.empty(0)], [0, 0, 0])


def test_threads_share_a_program() -> None:
    forward = _random_forward(5)
    program = _program(forward)
    results: list[bool] = []

    def work(size: int) -> None:
        with torch.inference_mode():
            inputs = _inputs(size, 2, 3)
            expected = forward(*inputs.values())
            tensors = [value for name, value in inputs.items() if name != "longest"]
            results.extend(torch.equal(program(tensors, (size, 2, 3)), expected) for _ in range(50))

    threads = [threading.Thread(target=work, args=(size,)) for size in (3, 20, 31)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 150 and all(results)


# --- In an engine -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ["cosine", "look-up", "rows"])
def test_small_work_of_torchs_starts_no_threads(function: str) -> None:
    """MKL's cosine starts OpenMP's threads for 128 numbers, a look-up for 32,768; they spin beside those of the next
    product."""
    table = torch.randn(1000, 1024)
    forwards: dict[str, Callable[..., Tensor]] = {
        "cosine": lambda input_ids, x, rows, longest: x.cos(),
        "look-up": lambda input_ids, x, rows, longest: table[input_ids],
        "rows": lambda input_ids, x, rows, longest: table.index_select(0, input_ids),
    }
    forward = _program(forwards[function])
    sizes, started = (40, 7, 9), list[set[str]]()
    tensors = [value for name, value in _inputs(*sizes).items() if name != "longest"]

    def run() -> None:
        before = set(os.listdir("/proc/self/task"))
        with torch.inference_mode():
            forward(tensors, sizes)
        started.append(set(os.listdir("/proc/self/task")) - before)

    thread = threading.Thread(target=run)  # OpenMP starts threads for each thread of the program
    thread.start()
    thread.join()
    assert started == [set()]


class _Both:
    """Patch that runs each step both ways and compares the results."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.replayed = self.other = 0
        self.reasons: set[str | None] = set()
        call = ReplayedForward.__call__

        def both(forward: ReplayedForward, input_ids: Tensor, positions: Tensor, metadata: Any, rows: Tensor) -> Tensor:
            if forward.find_program(input_ids, metadata) is None:
                self.other += 1
                self.reasons.add(forward.reason)
                return call(forward, input_ids, positions, metadata, rows)
            self.replayed += 1
            found = call(forward, input_ids, positions, metadata, rows).clone()
            expected = forward._forward(input_ids, positions, metadata, rows)
            assert torch.equal(found, expected)
            return found

        monkeypatch.setattr(ReplayedForward, "__call__", both)


def _engine(family: str, **options: Any) -> LLM:
    model = models.build(family, **{**SPECIAL.get(family, {}), "tie_word_embeddings": True})
    return LLM(model, tokenizer=None, num_blocks=200, max_num_seqs=4, max_model_len=128, optimize=True, **options)


def _generate(llm: LLM, lengths: Sequence[int] = (3, 17, 40, 70)) -> list[list[int]]:
    prompts = [[(7 * i + j) % 90 + 3 for j in range(length)] for i, length in enumerate(lengths)]
    results = llm.generate(prompts, SamplingParams(temperature=0, max_tokens=20, ignore_eos=True), use_tqdm=False)
    return [list(each.outputs[0].token_ids) for each in results]


@pytest.mark.parametrize(
    ("family", "options"),
    [
        ("qwen3", {}),
        ("qwen3", {"kv_cache_dtype": "int8"}),
        ("qwen3", {"quantization": "int8"}),
        ("gemma3_text", {}),
        ("qwen3_moe", {}),
        ("qwen3_moe", {"quantization": "int4"}),
        ("deepseek_v3", {}),
        ("deepseek_v2", {}),
        ("deepseek_v2", {"dtype": "bfloat16"}),
        ("gpt2", {}),
        ("gptj", {"dtype": "float16"}),
        ("phimoe", {}),
        ("lfm2", {}),
        ("qwen3_5_text", {}),
        ("granitemoehybrid", {}),
        ("falcon_mamba", {}),
    ],
)
def test_steps_of_an_engine_keep_their_bits(
    monkeypatch: pytest.MonkeyPatch, family: str, options: dict[str, Any]
) -> None:
    both = _Both(monkeypatch)
    llm = _engine(family, **options)
    _generate(llm)
    assert both.replayed > 15 and both.reasons <= {None}


def test_long_steps_profilers_and_modes_run_the_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    both = _Both(monkeypatch)
    llm = _engine("qwen3")
    _generate(llm, (MAX_TOKENS + 1,))
    assert both.other == 1
    before = both.replayed
    seen: set[str] = set()

    class Noted(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.add(str(func))
            return func(*args, **(kwargs or {}))

    with Noted():
        _generate(llm, (5,))
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        _generate(llm, (6,))
    assert both.replayed == before and "torchpaged.packed_linear.default" in seen


def test_a_replayed_forward_keeps_no_pool() -> None:
    """It keeps what it has read of metadata as long as an engine has that: the next engine's pool may need the room."""
    llm = _engine("qwen3")
    _generate(llm, (5,))
    model, pool = llm.engine.model, llm.engine.executor.runner.kv_cache
    tensors = [weakref.ref(tensor) for cache in pool.by_layer() if cache is not None for tensor in cache.tensors]
    llm.shutdown()
    del llm, pool
    gc.collect()
    assert tensors and not any(tensor() is not None for tensor in tensors)
    assert model is not None


def test_programs_are_freed_with_the_engine() -> None:
    llm = _engine("qwen3")
    _generate(llm, (5,))
    replayed = [each for each in gc.get_objects() if isinstance(each, ReplayedForward)][-1]
    numbers = [each._number for each in replayed._programs.values() if each]
    assert numbers
    llm.shutdown()
    del llm, replayed
    gc.collect()
    with pytest.raises(ValueError, match="there is no program"):
        torch.ops.torchpaged_replay.run(numbers[0], [torch.empty(0)], [0, 0, 0])
