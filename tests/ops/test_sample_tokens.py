"""sample_tokens: every backend's tokens are the reference's; the reference's draws have the exact distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from torchpaged.ops import reference

ROWS = 12
KINDS = {
    "temperature": torch.float32,
    "top_k": torch.int32,
    "top_p": torch.float32,
    "min_p": torch.float32,
    "seeds": torch.int64,
    "positions": torch.int64,
}


@dataclass(frozen=True)
class Case:
    """A named case with each row's sampling parameters: a value, or one for each row in turn."""

    name: str
    vocab_size: int = 1000
    dtype: torch.dtype = torch.float32
    spread: float = 2.0
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def case(name: str, vocab_size: int = 1000, **options: Any) -> Case:
    return Case(name, vocab_size, options=options)


CASES = [
    case("greedy", temperature=0.0),
    case("plain"),
    case("cold", temperature=0.3),
    case("hot", temperature=5.0),
    case("coldest", temperature=1e-30),
    case("hottest", temperature=math.inf),
    case("top-k-1", top_k=1),
    case("top-k-few", top_k=5),
    case("top-k-many", top_k=700),
    case("top-k-all", top_k=1000),
    case("top-k-beyond", top_k=2**31 - 1),
    case("top-k-negative", top_k=-1),
    case("top-p", top_p=0.8),
    case("top-p-most", top_p=0.9999),
    case("top-p-one", top_p=1e-6),
    case("top-p-0", top_p=0.0),
    case("top-p-cold", top_p=0.8, temperature=0.1),
    case("min-p", min_p=0.1),
    case("min-p-1", min_p=1.0),
    case("min-p-tiny", min_p=1e-42),
    case("together", top_k=50, top_p=0.9, min_p=0.02, temperature=1.3),
    case("many-and-top-p", top_k=600, top_p=0.95, temperature=3.0),
    case("vocab-1", 1, top_k=3, top_p=0.5),
    case("vocab-2", 2, top_p=0.5),
    case("vocab-127", 127, top_k=9),
    case("vocab-129", 129, top_p=0.7),
    case("vocab-4097", 4097, top_k=40, top_p=0.9),
    case("vocab-9001", 9001),
    replace(case("bfloat16", top_k=20, top_p=0.8), dtype=torch.bfloat16),
    replace(case("bfloat16-plain", 4096), dtype=torch.bfloat16),
    replace(case("float16", top_p=0.8, min_p=0.01), dtype=torch.float16),
    replace(case("flat", top_k=300, top_p=0.5), spread=1e-3),
    replace(case("equal", top_p=0.5), spread=0.0),
    replace(case("peaked", top_p=0.99), spread=30.0),
    case(
        "mixed",
        temperature=[0.0, 1.0, 0.7],
        top_k=[0, 3, -1, 40],
        top_p=[1.0, 0.6, 0.9, 0.95, 0.1],
        min_p=[0.0, 0.2],
    ),
]


def parameters(rows: int, device: str = "cpu", **options: Any) -> list[Tensor]:
    """Return the arguments after the logits; a list is repeated over the rows."""
    values = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "seeds": 17, "positions": range(rows)}
    values.update(options)
    tensors = []
    for name, value in values.items():
        each = list(value) if isinstance(value, (list, range)) else [value]
        column = [each[i % len(each)] for i in range(rows)]
        tensors.append(torch.tensor(column, dtype=KINDS[name], device=device))
    return tensors


def random_logits(vocab_size: int, rows: int = ROWS, spread: float = 2.0) -> Tensor:
    return spread * torch.randn(rows, vocab_size, generator=torch.Generator().manual_seed(vocab_size))


def sample(backend: str, logits: Tensor, **options: Any) -> list[int]:
    device = backends.device(backend)
    arguments = parameters(logits.shape[0], device, **options)
    if device != "cpu":
        span = 1 + sum((size - 1) * stride for size, stride in zip(logits.shape, logits.stride(), strict=True))
        logits = logits.as_strided((span,), (1,)).to(device).as_strided(logits.shape, logits.stride())
    tokens = backends.call(backend)("sample_tokens", logits, *arguments)
    assert tokens.dtype == torch.int64 and tokens.shape == (logits.shape[0],)
    return tokens.tolist()


KERNELS = ("cpp", "triton")


@pytest.mark.parametrize("backend", KERNELS)
@pytest.mark.parametrize("each", CASES, ids=str)
def test_tokens_are_the_references(each: Case, backend: str) -> None:
    logits = random_logits(each.vocab_size, spread=each.spread).to(each.dtype)
    assert sample(backend, logits, **each.options) == sample("reference", logits, **each.options)


@pytest.mark.parametrize("options", [{}, {"top_k": 50, "top_p": 0.9}, {"top_p": 0.9}, {"top_k": 5000}], ids=str)
def test_a_large_vocabulary(options: dict[str, Any]) -> None:
    logits = random_logits(151_936, rows=4)
    assert sample("cpp", logits, **options) == sample("reference", logits, **options)


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_rows_with_a_stride(backend: str) -> None:
    wide = random_logits(1500, rows=2 * ROWS).to(torch.bfloat16)
    strided = wide[::2, 3:1003]
    expected = sample("reference", strided.contiguous(), top_k=30)
    assert sample(backend, strided, top_k=30) == expected
    one = strided[:1].expand(ROWS, 1000)
    assert sample(backend, one) == sample("reference", one.contiguous())


# --- Values that are no ordinary logits ------------------------------------------------------------------------

OPTIONS: list[dict[str, Any]] = [
    {"temperature": 0.0},
    {},
    {"top_k": 3, "top_p": 0.5, "min_p": 0.1},
    {"top_k": 400},
    {"top_p": 0.999},
]


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_nan_and_infinity(options: dict[str, Any], backend: str) -> None:
    inf, nan = math.inf, math.nan
    logits = random_logits(500, rows=8)
    logits[0, 499] = nan
    logits[1, 0], logits[1, 1] = nan, inf
    logits[2] = -inf
    logits[3, 77] = logits[3, 300] = inf
    logits[4, 200], logits[4, 7] = inf, -inf
    logits[5, 1:] = -inf
    logits[6, :499] = -inf
    logits[7, ::2] = -inf
    tokens = sample(backend, logits, **options)
    assert tokens[:7] == [-1, -1, -1, 77, 200, 0, 499]
    assert tokens[7] % 2 == 1


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_huge_logits(options: dict[str, Any], backend: str) -> None:
    logits = torch.zeros(3, 300)
    logits[0, 250] = 3e38
    logits[1] = -3e38
    logits[1, 9] = 3e38
    logits[2] = -3e38
    tokens = sample(backend, logits, **options)
    assert tokens[:2] == [250, 9] and 0 <= tokens[2] < 300


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_the_lowest_of_equal_tokens_is_greedy(backend: str) -> None:
    logits = torch.full((4, 700), -1.0)
    logits[0, [690, 130, 131]] = 2.0
    logits[1, [0, 699]] = 2.0
    logits[2] = 0.0
    logits[2, 5] = -0.0
    logits[3, 3:] = -0.0
    logits[3, 400] = 0.0
    assert sample(backend, logits, temperature=0.0) == [130, 0, 0, 3]


@pytest.mark.parametrize("backend", backends.BACKENDS)
@pytest.mark.parametrize(
    ("options", "kept"),
    [
        pytest.param({"top_k": 1}, {3}, id="top-k-1"),
        pytest.param({"top_k": 2}, {3, 5, 140, 199}, id="top-k-2"),
        pytest.param({"top_k": 4}, {3, 5, 140, 199}, id="top-k-4"),
        pytest.param({"top_k": 5}, {3, 5, 140, 199, 7, 8}, id="top-k-5"),
        pytest.param({"top_p": 0.3}, {3}, id="top-p-of-the-first"),
        pytest.param({"top_p": 0.5}, {3, 5, 140, 199}, id="top-p-of-the-second"),
        pytest.param({"top_k": 4, "top_p": 0.41}, {3, 5, 140, 199}, id="top-p-after-top-k"),
        pytest.param({"top_k": 4, "top_p": 0.4}, {3}, id="top-p-is-of-what-top-k-keeps"),
        pytest.param({"min_p": 0.4}, {3, 5, 140, 199}, id="min-p"),
        pytest.param({"min_p": 0.6}, {3}, id="min-p-high"),
    ],
)
def test_ties_stay_together(options: dict[str, Any], kept: set[int], backend: str) -> None:
    """Weights 2; 1 three times (two of them needed at most); 0.5 twice; no others."""
    logits = torch.full((200,), -40.0)
    logits[3] = math.log(2.0)
    logits[[5, 140, 199]] = 0.0
    logits[[7, 8]] = math.log(0.5)
    rows = 120
    if options == {"top_k": 4, "top_p": 0.4}:
        logits[3] = math.log(2.0) + 1e-3  # a little more than 2 of 5
    if backend == "triton":  # few rows, for its interpreter is slow
        few = logits.expand(6, 200)
        assert sample("triton", few, **options) == sample("reference", few, **options)
    else:
        assert set(sample(backend, logits.expand(rows, 200), **options)) == kept


# --- Draws -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", backends.BACKENDS)
def test_a_draw_does_not_depend_on_the_batch(backend: str) -> None:
    options = {"temperature": [0.0, 0.8, 1.2], "top_k": [0, 30], "top_p": [1.0, 0.9, 1.0, 0.5], "seeds": range(ROWS)}
    logits = random_logits(3000)
    together = sample(backend, logits, **options)
    assert sample(backend, logits, **options) == together
    order = torch.randperm(ROWS, generator=torch.Generator().manual_seed(1)).tolist()
    columns = [t.tolist() for t in parameters(ROWS, **options)]
    shuffled = {name: [column[i] for i in order] for name, column in zip(KINDS, columns, strict=True)}
    assert sample(backend, logits[order], **shuffled) == [together[i] for i in order]
    for i in (0, 1, 5):
        alone = {name: column[i] for name, column in zip(KINDS, columns, strict=True)}
        assert sample(backend, logits[i : i + 1], **alone) == [together[i]]


def test_a_draw_does_not_depend_on_the_threads() -> None:
    logits, threads = random_logits(20_000), torch.get_num_threads()
    tokens = []
    try:
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            tokens.append(sample("cpp", logits, top_p=0.9))
    finally:
        torch.set_num_threads(threads)
    assert tokens[0] == tokens[1] == tokens[2]


def test_seeds_and_positions_of_any_size() -> None:
    logits = random_logits(2000)
    extreme = [0, 1, -1, 2**63 - 1, -(2**63), 2**31, -(2**31), 2**32, 2**62]
    options = {"seeds": extreme, "positions": list(reversed(extreme))}
    expected = sample("reference", logits, **options)
    for backend in KERNELS:
        assert sample(backend, logits, **options) == expected


def chi_square(counts: Tensor, expected: Tensor) -> float:
    """Return the statistic's distance from its mean in standard deviations; cells with few draws are merged."""
    rare = expected < 8
    counts, expected = (torch.cat([t[~rare], t[rare].sum()[None]]) for t in (counts.double(), expected.double()))
    counts, expected = counts[expected > 0], expected[expected > 0]
    freedom = len(expected) - 1
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return (statistic - freedom) / math.sqrt(2 * freedom) if freedom else 0.0


def exact(logits: Tensor, temperature: float, top_k: int, top_p: float, min_p: float) -> Tensor:
    """Return probabilities in float64, with lists."""
    weights = torch.softmax(logits.double() / temperature, 0).tolist()
    order = sorted(range(len(weights)), key=lambda i: -weights[i])[: top_k or None]
    total, before, kept = sum(weights[i] for i in order), 0.0, []
    for i in order:
        if before >= top_p * total:
            break
        kept.append(i)
        before += weights[i]
    kept = [i for i in kept if weights[i] >= min_p * weights[kept[0]]]
    probs = torch.zeros(len(weights), dtype=torch.float64)
    probs[kept] = torch.tensor([weights[i] for i in kept], dtype=torch.float64)
    return probs / probs.sum()


@pytest.mark.parametrize("by", ["positions", "seeds"])
@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p", "min_p"),
    [(1.0, 0, 1.0, 0.0), (0.5, 0, 1.0, 0.0), (2.0, 20, 1.0, 0.0), (1.0, 0, 0.7, 0.0), (1.0, 30, 0.9, 0.05)],
)
def test_the_distribution(by: str, temperature: float, top_k: int, top_p: float, min_p: float) -> None:
    draws = 40_000
    logits = random_logits(200, rows=1)[0]
    options: dict[str, Any] = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p}
    counters = {"seeds": 5, "positions": range(draws)} if by == "positions" else {"seeds": range(draws), "positions": 9}
    tokens = torch.tensor(sample("cpp", logits.expand(draws, -1), **options, **counters))
    probs = exact(logits, temperature, top_k, top_p, min_p)
    counts = torch.bincount(tokens, minlength=len(probs))
    assert counts[probs == 0].sum() == 0
    assert abs(chi_square(counts, probs * draws)) < 4


@pytest.mark.parametrize("step", [1, 2, 7, 64, 1 << 32])
@pytest.mark.parametrize("by", ["positions", "seeds"])
def test_draws_that_follow_each_other_are_independent(by: str, step: int) -> None:
    """Pairs of tokens sampled from 32 equal ones, at counters `step` apart: 1,024 cells."""
    draws = 60_000
    counters: dict[str, Any] = {"seeds": 3, "positions": 3, by: range(0, draws * step, step)}
    tokens = torch.tensor(sample("cpp", torch.zeros(1, 32).expand(draws, 32), **counters))
    pairs = tokens[0::2] * 32 + tokens[1::2]
    counts = torch.bincount(pairs, minlength=1024)
    assert abs(chi_square(counts, torch.full((1024,), draws / 2 / 1024))) < 4


def test_the_noise_is_gumbels_and_independent_between_tokens() -> None:
    noise = torch.cat([reference.token_noise(seed, 12, 1 << 17, torch.device("cpu")) for seed in range(8)])
    uniform = torch.exp(-torch.exp(-noise.double()))
    assert torch.isfinite(noise).all()
    cells = (uniform * 256).long().clamp_max(255)
    n = len(cells)
    assert abs(chi_square(torch.bincount(cells, minlength=256), torch.full((256,), n / 256))) < 4
    # Where winners come from: the upper 2^-10 of the distribution, in 32 parts.
    tail = 1024 * (1 - uniform)
    high = (tail[tail < 1] * 32).long()
    assert abs(chi_square(torch.bincount(high, minlength=32), torch.full((32,), n / 1024 / 32))) < 4
    for step in (1, 2, 3, 16, 128, 4096, 1 << 17):  # the last: the same token under the next seed
        pairs = cells[:-step] // 16 * 16 + cells[step:] // 16
        counts = torch.bincount(pairs, minlength=256)
        assert abs(chi_square(counts, torch.full((256,), (n - step) / 256))) < 4, step


def test_noise_by_hand() -> None:
    """The hash is fixed: a seed gives the same tokens in the next version."""
    noise = reference.token_noise(1, 2, 4, torch.device("cpu"))
    assert noise.tolist() == pytest.approx([1.2552957, 0.8761296, 0.9168022, 0.8322053], abs=1e-6)
