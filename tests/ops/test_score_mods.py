"""Scores and masks of one's own: against FlexAttention, against the reference, and what rows' bits depend on."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import and_masks, create_block_mask, flex_attention, noop_mask, or_masks

from tests.ops import backends
from torchpaged import ops
from torchpaged.ops import score_mods, score_programs

OPS = torch.ops.torchpaged
HEADS, KV_HEADS, DIM, BLOCK = 4, 2, 32, 16
LENGTH = 100

DOCUMENTS = torch.repeat_interleave(torch.arange(4), torch.tensor([30, 3, 40, 27]))
BIAS = torch.randn(HEADS, LENGTH, generator=torch.Generator().manual_seed(1))
SPECIAL = torch.arange(LENGTH) % 7 == 0
THRESHOLD = torch.tensor(3)


def causal(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    return q_idx >= kv_idx


def window(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    return (q_idx - kv_idx).abs() < 20


def document(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    return DOCUMENTS[q_idx] == DOCUMENTS[kv_idx]


def prefix(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    return kv_idx < 25 + b


MASKS: dict[str, Callable[..., Any]] = {
    "all": noop_mask,
    "causal": causal,
    "document": and_masks(causal, document),
    "window-document": and_masks(causal, window, document),
    "prefix": or_masks(prefix, causal),
    "dilated": lambda b, h, q, k: (q >= k) & ((q - k) % (h + 1) == 0),
    "blocks": lambda b, h, q, k: (q // 32 == k // 32) | (k // 48 == 1),
    "captured-bools": lambda b, h, q, k: SPECIAL[k] | (q == k),
    "stripes": lambda b, h, q, k: torch.logical_not((k - q) % 3 != 0) & ~(k > q + THRESHOLD),
    "by-number": lambda b, h, q, k: torch.where(h < 2, q * 0.5 >= k, (k >> 2) % 4 == q // 5 % 4),
    "few-rows": lambda b, h, q, k: (q > 60) & (k <= q),
}


def alibi(score: Any, b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
    return score + (kv_idx - q_idx) * torch.exp2(-((h + 1) * 8.0 / HEADS))


SCORES: dict[str, Callable[..., Any]] = {
    "same": lambda score, b, h, q, k: score,
    "alibi": alibi,
    "softcap": lambda score, b, h, q, k: 2.0 * torch.tanh(score / 2.0),
    "captured-bias": lambda score, b, h, q, k: score + BIAS[h, (q - k).abs()],
    "hides": lambda score, b, h, q, k: torch.where((q >= k) & (q - k < 30), score, -float("inf")),
    "functions": lambda score, b, h, q, k: (
        torch.exp(-score.abs()) * torch.log(q + 2.0)
        - torch.sqrt(torch.clamp(score, min=0.0) + 1.0) / torch.sigmoid(score)
        + torch.minimum(score, torch.maximum(score * 0.5, score - 1.0)) ** 2
    ),
    "integers": lambda score, b, h, q, k: (
        score * ((q // 3 + k % 5 - (k // (h + 2)) % 7) & 3).float() + torch.floor(q / 8)
    ),
}


@pytest.fixture(autouse=True, scope="module")
def registered() -> None:
    for name, fn in MASKS.items():
        ops.register_mask_mod(name, fn)
    for name, fn in SCORES.items():
        ops.register_score_mod(name, fn)


def ints(*values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32)


def rows(length: int = LENGTH) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    return tuple(torch.randn(length, heads, DIM, generator=generator) for heads in (HEADS, KV_HEADS, KV_HEADS))  # type: ignore[return-value]


def paged(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the rows in blocks that lie in another order, NaN in what is no row's, and the block table."""
    count = -(-len(key) // BLOCK)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(2))
    caches = []
    for each in (key, value):
        blocks = torch.full((count, BLOCK, *each.shape[1:]), torch.nan)
        blocks.flatten(0, 1)[: len(each)] = each
        cache = torch.empty_like(blocks)
        cache[order] = blocks
        caches.append(cache)
    return *caches, order.int()[None]  # type: ignore[return-value]


def attend(backend: str, query: Tensor, key: Tensor, value: Tensor, **options: Any) -> tuple[Tensor, Tensor]:
    """Run one sequence whose last tokens are the queries."""
    keys, values, table = paged(key, value)
    lens, starts = ints(len(key)), ints(0, len(query))
    tensors = [each.to(backends.device(backend)) for each in (query, keys, values, table, lens, starts)]
    found: tuple[Tensor, Tensor] = backends.call(backend)("paged_attention_with_lse", *tensors, **options)
    return found[0].cpu(), found[1].cpu()


def flex(query: Tensor, key: Tensor, value: Tensor, score_mod: Any, mask_mod: Any) -> tuple[Tensor, Tensor]:
    block_mask = None if mask_mod is None else create_block_mask(mask_mod, 1, HEADS, len(query), len(key), device="cpu")
    each = (rows.transpose(0, 1)[None] for rows in (query, key, value))
    found = flex_attention(*each, score_mod=score_mod, block_mask=block_mask, enable_gqa=True, return_lse=True)
    return found[0][0].transpose(0, 1), found[1][0].T


# Where Triton's interpreter takes more than 5 seconds.
SLOW = ("reference", "cpp", pytest.param("triton", marks=pytest.mark.long))
CASES = [*((None, name) for name in MASKS), *((name, None) for name in SCORES), ("alibi", "window-document")]
# All instructions, with few calls: Triton's interpreter is slow.
SOME = [("functions", "by-number"), ("integers", "dilated"), ("captured-bias", "captured-bools"), ("hides", "stripes")]


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize(
    ("score_mod", "mask_mod", "backend"),
    [
        *((*case, backend) for case in CASES for backend in ("reference", "cpp")),
        *((*case, "triton") for case in SOME),
    ],
)
def test_as_flex_attention(score_mod: str | None, mask_mod: str | None, backend: str) -> None:
    tensors = rows()
    expected = flex(*tensors, score_mod and SCORES[score_mod], mask_mod and MASKS[mask_mod])
    found = attend(backend, *tensors, causal=False, score_mod=score_mod, mask_mod=mask_mod)
    sees = expected[1] > -torch.inf
    torch.testing.assert_close(found[0], torch.where(sees[..., None], expected[0], 0.0), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(found[1], expected[1], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("backend", SLOW)
@pytest.mark.parametrize(("score_mod", "mask_mod"), [("alibi", "window-document"), ("captured-bias", "dilated")])
def test_bits_do_not_depend_on_chunks_or_the_batch(score_mod: str, mask_mod: str, backend: str) -> None:
    query, key, value = rows()
    mods = {"score_mod": score_mod, "mask_mod": mask_mod}
    whole = attend(backend, query, key, value, **mods)
    for first, last in ((0, 31), (31, 32), (32, LENGTH)):
        chunk = attend(backend, query[first:last], key[:last], value[:last], **mods)
        torch.testing.assert_close(chunk, tuple(each[first:last] for each in whole), atol=1e-6, rtol=1e-5)
        if backend != "reference":
            assert torch.equal(chunk[0], whole[0][first:last]) and torch.equal(chunk[1], whole[1][first:last])
    call = backends.call(backend)
    tensors = [torch.cat([each[:70], each]).to(backends.device(backend)) for each in (query, key, value)]
    starts = ints(0, 70, 70 + LENGTH).to(tensors[0].device)
    packed = call("varlen_attention", *tensors, starts, starts, **mods).cpu()
    alone = call("varlen_attention", *(each[70:] for each in tensors), *[ints(0, LENGTH).to(starts.device)] * 2, **mods)
    torch.testing.assert_close(packed[70:], whole[0], atol=1e-5, rtol=1e-5)
    assert backend == "reference" or torch.equal(packed[70:], alone.cpu())


@pytest.mark.parametrize("backend", SLOW)
def test_selected_keys_are_modified_by_their_positions(backend: str) -> None:
    query, key, value = rows(70)
    keys, values, table = paged(key, value)
    everything = torch.arange(70, dtype=torch.int32).expand(70, 1, 70)
    given = [each.to(backends.device(backend)) for each in (query, keys, values, table, ints(70), ints(0, 70))]
    mods = {"score_mod": "captured-bias", "mask_mod": "window-document"}
    call = backends.call(backend)
    selected = everything.to(given[0].device)
    found = call("paged_sparse_attention", *given, selected, **mods)
    torch.testing.assert_close(found, call("paged_attention", *given, **mods), atol=1e-6, rtol=1e-5)
    fewer = call("paged_sparse_attention", *given, selected[..., 5:60], **mods).cpu()
    expected = backends.call("reference")(
        "paged_sparse_attention", *(each.cpu() for each in given), everything[..., 5:60], **mods
    )
    torch.testing.assert_close(fewer, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_a_row_that_sees_nothing(backend: str) -> None:
    out, lse = attend(backend, *rows(), mask_mod="few-rows")
    assert not out[:61].any() and bool((lse[:61] == -torch.inf).all()) and bool(out[61:].any(-1).all())
    sinks = torch.zeros(HEADS, device=backends.device(backend))
    out, lse = attend(backend, *rows(), mask_mod="few-rows", sinks=sinks)
    assert not out[:61].any() and not lse[:61].any()


@pytest.mark.parametrize("backend", SLOW)
def test_long_sequences_in_bfloat16(backend: str) -> None:
    """Several partitions of keys, some of which a mask hides wholly; other options hold besides."""
    generator = torch.Generator().manual_seed(3)
    query, key, value = (
        torch.randn(n, h, DIM, generator=generator).bfloat16() for n, h in ((9, 4), (1300, 2), (1300, 2))
    )
    ops.register_mask_mod("far", lambda b, h, q, k: (k < 40) | ((k > 1100) & (k < 1290)))
    options = {"score_mod": "softcap", "mask_mod": "far", "softcap": 5.0, "sliding_window": 1298}
    tensors = [each.to(backends.device(backend)) for each in (query, key, value, ints(0, 9), ints(0, 1300))]
    found = backends.call(backend)("varlen_attention", *tensors, **options).cpu()
    expected = backends.call("reference")("varlen_attention", *(each.cpu() for each in tensors), **options)
    torch.testing.assert_close(found, expected, atol=0.02, rtol=0.02)


@pytest.mark.parametrize("backend", SLOW)
@pytest.mark.parametrize(
    ("score_mod", "mask_mod"),
    [("functions", "window-document"), ("softcap", "dilated"), ("hides", None), (None, "few-rows")],
)
def test_gradients(score_mod: str | None, mask_mod: str | None, backend: str) -> None:
    tensors = [each.requires_grad_() for each in rows(90)]
    query, key, value = (each.transpose(0, 1) for each in tensors)
    key, value = (each.repeat_interleave(HEADS // KV_HEADS, 0) for each in (key, value))
    scores = query @ key.mT * DIM**-0.5
    h, q, k = torch.arange(HEADS)[:, None, None], torch.arange(90)[None, :, None], torch.arange(90)[None, None]
    scores = SCORES[score_mod](scores, torch.tensor(0), h, q, k) if score_mod else scores
    seen = (MASKS[mask_mod](torch.tensor(0), h, q, k) if mask_mod else True) & (k <= q)
    weights = torch.softmax(scores.masked_fill(~seen, -1e30), -1) * seen.any(-1, keepdim=True)
    expected_out = (weights @ value).transpose(0, 1)
    grad = torch.randn(expected_out.shape, generator=torch.Generator().manual_seed(4))
    expected = torch.autograd.grad(expected_out, tensors, grad)
    mods, starts = {"score_mod": score_mod, "mask_mod": mask_mod}, ints(0, 90)
    call, given = backends.call(backend), [each.detach() for each in tensors]
    out, lse = call("varlen_attention_with_lse", *given, starts, starts, **mods)
    found = call("varlen_attention_backward", grad, None, *given, out, lse, starts, starts, **mods)
    torch.testing.assert_close(out, expected_out, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(found[:3], expected, atol=2e-5, rtol=1e-4)


def test_autograd_and_compilation() -> None:
    tensors = [each.requires_grad_() for each in rows(40)]

    def step(query: Tensor, key: Tensor, value: Tensor, starts: Tensor) -> Tensor:
        mods = {"score_mod": "alibi", "mask_mod": "document"}
        out: Tensor = OPS.varlen_attention(query, key, value, starts, starts, **mods)
        return out.square().sum()

    expected = torch.autograd.grad(step(*tensors, ints(0, 40)), tensors)
    found = torch.autograd.grad(
        torch.compile(step, fullgraph=True, backend="aot_eager")(*tensors, ints(0, 40)), tensors
    )
    torch.testing.assert_close(found, expected)


SPECIAL_FLOATS = torch.tensor(
    [
        *(
            -math.inf,
            -3e38,
            -5e3,
            -200.0,
            -104.0,
            -95.0,
            -90.0,
            -88.5,
            -87.0,
            -3.5,
            -2.5,
            -1.0,
            -0.5,
            -1e-6,
            -1e-30,
            0.0,
        ),
        *(math.nan, 1e-30, 1e-6, 0.5, 1.0, 3.0, 50.0, 88.0, 88.5, 88.8, 90.0, 127.5, 128.0, 200.0, 5e3, 3e38, math.inf),
    ]
)
OTHER_FLOATS = torch.tensor([-math.inf, -3.0, -0.5, 0.0, 0.5, 3.0, 1e30, math.inf, math.nan])
SPECIAL_INTS = torch.tensor([-(2**31) + 1, -1000, -7, -1, 0, 1, 3, 8, 31, 32, 1000, 2**31 - 1], dtype=torch.int32)
X, Y = torch.cartesian_prod(SPECIAL_FLOATS, OTHER_FLOATS).T.contiguous()
M, N = torch.cartesian_prod(SPECIAL_INTS, SPECIAL_INTS).T.repeat(1, 3)[:, : len(X)].contiguous()

# Of each instruction, and of what is made of several.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "iadd": lambda x, y, i, j: i + j,
    "isub": lambda x, y, i, j: i - j,
    "imul": lambda x, y, i, j: i * j,
    "idiv": lambda x, y, i, j: i // torch.where(j == 0, 5, j),
    "imod": lambda x, y, i, j: i % torch.where(j == 0, 5, j),
    "imin": lambda x, y, i, j: torch.minimum(i, j),
    "imax": lambda x, y, i, j: torch.maximum(i, j),
    "ishr": lambda x, y, i, j: i >> j,
    "ishr constant": lambda x, y, i, j: (i >> 40) + (i >> 3),
    "ieq": lambda x, y, i, j: i == j,
    "ilt": lambda x, y, i, j: i < j,
    "ile": lambda x, y, i, j: i <= j,
    "and": lambda x, y, i, j: i & j,
    "or": lambda x, y, i, j: i | j,
    "xor": lambda x, y, i, j: i ^ j,
    "not": lambda x, y, i, j: ~i,
    "fadd": lambda x, y, i, j: x + y,
    "fsub": lambda x, y, i, j: x - y,
    "fmul": lambda x, y, i, j: x * y,
    "fdiv": lambda x, y, i, j: x / y,
    "ffloordiv": lambda x, y, i, j: x // y,
    # Not 3e38 % 0.5, whose quotient is inf: it is 0, or NaN in a tensor of torch that is long enough for vectors.
    "fmod": lambda x, y, i, j: x % torch.where(abs(y) == 0.5, 4.0, y),
    "fmin": lambda x, y, i, j: torch.minimum(x, y),
    "fmax": lambda x, y, i, j: torch.maximum(x, y),
    "feq": lambda x, y, i, j: x == y,
    "flt": lambda x, y, i, j: x < y,
    "fle": lambda x, y, i, j: x <= y,
    "floor": lambda x, y, i, j: torch.floor(x),
    "exp": lambda x, y, i, j: torch.exp(x),
    "exp2": lambda x, y, i, j: torch.exp2(x),
    "log": lambda x, y, i, j: torch.log(x),
    "sqrt": lambda x, y, i, j: torch.sqrt(x),
    "pow": lambda x, y, i, j: x**y,
    "tanh": lambda x, y, i, j: torch.tanh(x),
    "sigmoid": lambda x, y, i, j: torch.sigmoid(x),
    "where": lambda x, y, i, j: torch.where(x > 0, x, y),
    "i2f": lambda x, y, i, j: i * 1.0,
    "b2i": lambda x, y, i, j: (x > y).int(),
    "f2i": lambda x, y, i, j: torch.where(x == x, torch.clamp(x, -1e6, 1e6), 0.0).int(),
    "abs": lambda x, y, i, j: abs(x),
    "x**4": lambda x, y, i, j: x**4,
    "x**-1": lambda x, y, i, j: x**-1,
    "x**-3": lambda x, y, i, j: x**-3,
    "x**0": lambda x, y, i, j: x**0,
    "x**0.5": lambda x, y, i, j: x**0.5,
    "x**-0.5": lambda x, y, i, j: x**-0.5,
    "x**1.5": lambda x, y, i, j: x**1.5,
    "x**20": lambda x, y, i, j: x**20,
    "2**x": lambda x, y, i, j: 2.0**x,
    "0.5**x": lambda x, y, i, j: 0.5**x,
    "3**x": lambda x, y, i, j: 3.0**x,
    "i**3": lambda x, y, i, j: i**3,
    "2**i": lambda x, y, i, j: torch.where((i >= -7) & (i < 31), 2**i, 0),
}


BUNDLE = 6  # functions of one program, one for each head: tracing takes the time


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy's, in Triton's interpreter
@pytest.mark.parametrize("first", range(0, len(FUNCTIONS), BUNDLE))
def test_special_values(first: int) -> None:
    """Each instruction is torch's in float32 and int32. Denormals may be 0."""
    assert score_programs.INSTRUCTIONS.keys() <= FUNCTIONS.keys()
    names = [*FUNCTIONS][first : first + BUNDLE]

    def finite(found: Any) -> Any:
        return torch.where(found == math.inf, 3.3e38, found)  # the lse of inf is NaN

    def bundle(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
        given, found = [each[b + k] for each in (X, Y, M, N)], 0.0
        for i, name in enumerate(names):
            found = torch.where(h == i, FUNCTIONS[name](*given) * 1.0, found)
        return finite(found)

    ops.register_score_mod("special", bundle)
    for i, name in enumerate(names):
        expected = finite(FUNCTIONS[name](X, Y, M, N) * 1.0)
        for backend in backends.BACKENDS:
            found = RESULTS[backend](first)[i]
            same = torch.isclose(found, expected, rtol=2e-5, atol=1e-37, equal_nan=True)
            wrong = [
                (name, X[p], Y[p], M[p], N[p], found[p], expected[p]) for p in (~same).nonzero().flatten().tolist()
            ]
            assert not wrong, (backend, wrong[:9])


@functools.cache
def of_definition(first: int) -> Tensor:
    place, h, at = torch.zeros(1, 1), torch.arange(BUNDLE)[:, None], torch.arange(len(X))[None]
    return score_mods.program("test", "score_mod", "special").evaluate(place, 0, h, place, at)


@functools.cache
def of_library(first: int) -> Tensor:
    """Each place is a sequence of one key, whose lse is the score."""
    query, key = torch.zeros(len(X), BUNDLE, 4), torch.zeros(len(X), 1, 4)
    starts = torch.arange(len(X) + 1, dtype=torch.int32)
    call = backends.call("cpp")
    return call("varlen_attention_with_lse", query, key, key, starts, starts, score_mod="special")[1].T  # type: ignore[no-any-return]


@functools.cache
def of_triton(first: int) -> Tensor:
    backends.call("triton")  # the interpreter, before its decorators run
    import triton
    import triton.language as tl

    from torchpaged.ops.triton.score_mods import kernel_arguments

    @triton.jit
    def run(out, tables, heads: tl.constexpr, size: tl.constexpr, mod: tl.constexpr):
        head, at, zero = tl.arange(0, heads)[:, None], tl.arange(0, size)[None], tl.zeros([1, 1], tl.int32)
        tl.store(out + head * size + at, mod(zero.to(tl.float32), zero, head, zero, at, tables))

    device = backends.device("triton")
    mod, tables = kernel_arguments("score_mod", {"score_mod": "special"}, torch.zeros(1, device=device))
    run.fn.__globals__["tl"] = tl
    out = torch.empty(8, 512, device=device)
    run[(1,)](out, tables, 8, 512, mod)
    return out[:, : len(X)].cpu()


RESULTS: dict[str, Callable[[int], Tensor]] = {"reference": of_definition, "cpp": of_library, "triton": of_triton}


@pytest.mark.parametrize(
    "fn",
    [
        lambda s: torch.sigmoid(s) * 3,
        lambda s: torch.sqrt(torch.clamp(s, min=0.0)),
        lambda s: torch.log(torch.clamp(s, min=0.0) + 1.0) + torch.clamp(s, min=0.0) ** 1.5,
        lambda s: s**4 - s**-2 + 1.5**s,
        lambda s: s % 3 + (s * s + 1.0) ** s,
        lambda s: torch.exp(-s.abs()) + torch.tanh(s),
    ],
)
def test_derivatives(fn: Callable[..., Any]) -> None:
    """Where the function's parts are not finite, the derivative is torch's."""
    ops.register_score_mod("derived", lambda score, b, h, q, k: fn(score))
    scores, place = torch.tensor([-95.0, -20.0, -0.75, 0.5, 3.5, 12.0], requires_grad=True), torch.zeros(1)
    (expected,) = torch.autograd.grad(fn(scores).sum(), scores)
    slope = score_mods.program("test", "slope_mod", "derived")
    found = slope.evaluate(scores.detach(), 0, place, place, place)
    torch.testing.assert_close(found.expand(6), expected, rtol=1e-4, atol=1e-6)


def test_a_backward_pass_uses_the_functions_of_its_forward() -> None:
    starts = ints(0, 40)
    grads = []
    for again in (False, True):
        ops.register_score_mod("replaced", lambda s, b, h, q, k: s * 3)
        ops.register_mask_mod("replaced", lambda b, h, q, k: k % 2 == 0)
        tensors = [each.requires_grad_() for each in rows(40)]
        out = OPS.varlen_attention(*tensors, starts, starts, score_mod="replaced", mask_mod="replaced")
        if again:
            ops.register_score_mod("replaced", lambda s, b, h, q, k: s - k)
            ops.register_mask_mod("replaced", lambda b, h, q, k: k < 2)
        grads.append(torch.autograd.grad(out.square().sum(), tensors))
    torch.testing.assert_close(grads[0], grads[1], rtol=0, atol=0)
    del out
    assert len(score_mods._by_key) == sum(map(len, score_mods._programs.values()))


class Capped:
    cap = 2.0

    def mod(self, score: Any, b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        return self.cap * torch.tanh(score / self.cap)

    __call__ = mod


def capped(score: Any, b: Any, h: Any, q_idx: Any, kv_idx: Any, *, cap: float = 2.0) -> Any:
    return cap * torch.tanh(score / cap)


HALF, WIDE = BIAS.bfloat16(), BIAS.double()


@pytest.mark.parametrize(
    ("fn", "plain"),
    [
        (Capped().mod, SCORES["softcap"]),
        (Capped(), SCORES["softcap"]),
        (capped, SCORES["softcap"]),
        (lambda s, b, h, q, k, cap=2.0: cap * torch.tanh(s / cap), SCORES["softcap"]),
        (functools.partial(lambda cap, s, *rest: cap * torch.tanh(s / cap), 2.0), SCORES["softcap"]),
        (lambda s, b, h, q, k: s * BIAS[1, 2] + BIAS.T[k, h], lambda s, b, h, q, k: s * BIAS[1, 2] + BIAS[h, k]),
        (lambda s, b, h, q, k: s + HALF[h, k] + WIDE.float()[h, q], lambda s, b, h, q, k: s + HALF[h, k] + BIAS[h, q]),
        (lambda s, b, h, q, k: s * 2 ** ((k - q) % 4), lambda s, b, h, q, k: s * 2.0 ** ((k - q) % 4)),
    ],
)
def test_forms_of_functions(fn: Callable[..., Any], plain: Callable[..., Any]) -> None:
    ops.register_score_mod("form", fn)
    found = attend("cpp", *rows(), score_mod="form")
    ops.register_score_mod("form", plain)
    torch.testing.assert_close(found, attend("cpp", *rows(), score_mod="form"), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (lambda b, h, q, k: q if q > k else k, "cannot be traced, expected torch.where.*takes an argument's value"),
        (lambda b, h, q, k: (q > k, k), "returns a tuple of 2, expected one tensor or number"),
        (lambda b, h, q, k: None, "returns None, expected one tensor or number"),
        (lambda b, h, q, k: WIDE[h, k] > 0, "has values of float64, expected float32.*.float"),
        (lambda b, h, q, k: 3**k > q, "calls a power of whole numbers, expected 2"),
        (lambda b, h, q, k: q - k, "returns a number, expected a bool"),
        (lambda b, h, q, k: torch.sin(q) > 0, "calls aten.sin.default, expected one of abs, add"),
        (
            lambda b, h, q, k: BIAS[h][k] > 0,
            "indexes a captured tensor of shape .4, 100. 1 times, expected an index for each",
        ),
        (lambda b, h, q, k: q.double() > k, "has values of float64"),
        (lambda b, h, q, k: q > k + 2**40, "has the number 1099511627776, expected whole numbers of 32 bits"),
        (lambda b, h, q, k: torch.zeros(2**21)[q] > k, "indexes"),
        (lambda b, h, q: q > 3, "cannot be traced"),
    ],
)
def test_functions_that_are_refused(fn: Callable[..., Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^register_mask_mod: fn of 'wrong' {message}"):
        ops.register_mask_mod("wrong", fn)
    assert "wrong" not in score_mods._programs["mask_mod"]


def test_names_that_are_refused() -> None:
    for backend in ("reference", "cpp"):
        with pytest.raises(
            ValueError, match=r"^paged_attention_with_lse: mask_mod is 'casual', expected a name that register_mask"
        ):
            attend(backend, *rows(), mask_mod="casual")
        with pytest.raises(
            ValueError, match="score_mod is 'causal', expected a name that register_score_mod was given"
        ):
            attend(backend, *rows(), score_mod="causal")
    with pytest.raises(ValueError, match=r"; did you mean 'causal'"):
        attend("reference", *rows(), mask_mod="casual")
    with pytest.raises(ValueError, match="name is empty"):
        ops.register_score_mod("", alibi)
    with pytest.raises(TypeError, match=r"^register_score_mod: name is 3, expected a str"):
        ops.register_score_mod(3, alibi)  # type: ignore[arg-type]
    for name in ("a\0b", "\ud800"):
        with pytest.raises(ValueError, match=r"^register_score_mod: name is '.*', expected printable characters"):
            ops.register_score_mod(name, alibi)
    with pytest.raises(TypeError, match="fn is 'alibi', expected a function"):
        ops.register_score_mod("alibi", "alibi")  # type: ignore[arg-type]


def test_a_name_given_again_and_captured_numbers_as_they_were() -> None:
    table = torch.tensor([True, False] * 50)
    ops.register_mask_mod("again", lambda b, h, q, k: table[k])
    before = attend("cpp", *rows(), mask_mod="again")[0]
    table.logical_not_()
    assert torch.equal(attend("cpp", *rows(), mask_mod="again")[0], before)
    ops.register_mask_mod("again", lambda b, h, q, k: table[k])
    assert not torch.equal(attend("cpp", *rows(), mask_mod="again")[0], before)
