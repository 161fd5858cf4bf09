"""penalize_logits and token_logprobs: values against lists and float64, bits that depend only on the row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from torchpaged.ops import library

OPS = getattr(torch.ops, library.NATIVE_NAMESPACE)
BACKENDS = ("reference", "cpp")
DTYPES = (torch.float32, torch.float16, torch.bfloat16)
# One token; a word of a set, a block of maxima, and one more or less; several blocks and a tail of no vector's width.
SIZES = (1, 63, 64, 65, 127, 128, 129, 1000, 4099)


def logits_of(rows: int, vocab_size: int, dtype: torch.dtype = torch.float32, spread: float = 3.0) -> Tensor:
    """Return strided logits: every row is a part of a wider one."""
    generator = torch.Generator().manual_seed(rows * 7919 + vocab_size)
    return (spread * torch.randn(rows, vocab_size + 3, generator=generator)).to(dtype)[:, :vocab_size]


@pytest.fixture
def threads() -> Iterator[None]:
    """Puts back how many threads there are."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


# --- penalize_logits ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Penalties:
    """The arguments after the logits, a value of each for every row."""

    tokens: list[list[int]]  # of the table's rows
    rows: list[int]
    lengths: list[int]
    prompt_lengths: list[int]
    repetition: list[float]
    presence: list[float]
    frequency: list[float]

    def tensors(self) -> tuple[Tensor, ...]:
        wide = torch.tensor([[*row, 1, 1] for row in self.tokens], dtype=torch.int32)
        return (
            wide[:, : wide.shape[1] - 2],
            torch.tensor(self.rows),
            *(torch.tensor(column, dtype=torch.int32) for column in (self.lengths, self.prompt_lengths)),
            *(torch.tensor(column) for column in (self.repetition, self.presence, self.frequency)),
        )

    def take(self, order: list[int]) -> Penalties:
        columns = (self.rows, self.lengths, self.prompt_lengths, self.repetition, self.presence, self.frequency)
        return Penalties(self.tokens, *([column[i] for i in order] for column in columns))  # type: ignore[arg-type]


# What a row is penalized with: each alone, all at once, none, and such as make tokens likelier.
KINDS = (
    (1.0, 0.0, 0.0),
    (1.3, 0.0, 0.0),
    (0.7, 0.0, 0.0),
    (1.0, 0.5, 0.0),
    (1.0, 0.0, 0.25),
    (1.1, -0.7, 0.3),
    (1.7, 1.5, -0.1),
    (1.0, -2.0, 2.0),
)


def penalties(vocab_size: int, max_tokens: int = 300) -> Penalties:
    """Return a row of each kind. Half of the tokens are of a few, so that counts are large; some are invalid."""
    generator = torch.Generator().manual_seed(vocab_size)
    count = len(KINDS)
    tokens = torch.randint(0, vocab_size, (count + 2, max_tokens), generator=generator)
    few = torch.randint(0, min(5, vocab_size), tokens.shape, generator=generator)
    tokens = torch.where(torch.rand(tokens.shape, generator=generator) < 0.5, tokens, few)
    for i, nothing in enumerate((-1, vocab_size, 2**31 - 1, -(2**31))):
        tokens[:, i::17] = nothing
    lengths = [0, 1, max_tokens, max_tokens, max_tokens - 1, max_tokens, max_tokens - 9, max_tokens]
    prompts = [0, 1, 100, 0, 40, 200, max_tokens - 9, 3]
    rows = [(3 * i + 1) % (count + 2) for i in range(count)]
    columns = [list(column) for column in zip(*KINDS, strict=True)]
    return Penalties(tokens.tolist(), rows, lengths, prompts, *columns)


def penalized(logits: Tensor, p: Penalties) -> tuple[Tensor, Tensor]:
    """Compute the definition with lists, in float64; and a bound of float32's roundings: one each of the scaled logit,
    of the frequencies' product, of the sum of the costs and of the difference."""
    out, bound = logits.double(), torch.zeros(logits.shape, dtype=torch.float64)
    factors = [torch.tensor(column).double().tolist() for column in (p.repetition, p.presence, p.frequency)]
    for i, (repetition, presence, frequency) in enumerate(zip(*factors, strict=True)):
        tokens = p.tokens[p.rows[i]][: p.lengths[i]]
        made = Counter(tokens[p.prompt_lengths[i] :])
        for token in set(tokens):
            if not 0 <= token < logits.shape[1]:
                continue
            x = float(out[i, token])
            x = x / repetition if x > 0 else x * repetition
            cost = presence + frequency * made[token] if made[token] else 0.0
            parts = abs(x) + abs(presence) + 2 * abs(frequency * made[token]) + abs(x) + abs(cost)
            out[i, token], bound[i, token] = x - cost, 1.01 * parts * 2.0**-24
    return out, bound


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_penalties_are_as_defined(dtype: torch.dtype, backend: str) -> None:
    for vocab_size in SIZES:
        logits, p = logits_of(len(KINDS), vocab_size, dtype), penalties(vocab_size)
        out = backends.call(backend)("penalize_logits", logits, *p.tensors())
        expected, bound = penalized(logits, p)
        assert out.dtype == torch.float32 and out.is_contiguous()
        assert ((out.double() - expected).abs() <= bound).all(), vocab_size
        assert torch.equal(out[0], logits[0].float())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_penalties_are_the_references_to_the_bit(dtype: torch.dtype) -> None:
    for vocab_size in SIZES:
        arguments = logits_of(len(KINDS), vocab_size, dtype), *penalties(vocab_size).tensors()
        expected = backends.call("reference")("penalize_logits", *arguments)
        assert torch.equal(OPS.penalize_logits(*arguments), expected), vocab_size


@pytest.mark.parametrize("backend", BACKENDS)
def test_penalties_by_hand(backend: str) -> None:
    logits = torch.tensor([[2.0, -2.0, 1.0, 4.0, 0.0]]).expand(3, 5)
    p = Penalties([[0, 1, 1, 3, 3, 4]], [0] * 3, [6, 5, 2], [2, 2, 2], [2.0] * 3, [0.5] * 3, [0.25] * 3)
    out = backends.call(backend)("penalize_logits", logits, *p.tensors())
    assert out.tolist() == [
        [1.0, -4.75, 1.0, 1.0, -0.75],
        [1.0, -4.75, 1.0, 1.0, 0.0],
        [1.0, -4.0, 1.0, 4.0, 0.0],
    ]


@pytest.mark.parametrize("backend", BACKENDS)
def test_penalties_of_rows_and_lengths_that_are_not_there(backend: str) -> None:
    logits = logits_of(6, 50)
    p = Penalties(
        [[1, 2, 3], [4, 5, 6]], [-1, 2, 0, 0, 1, 1], [3, 3, -4, 9, 3, 9], [0, 0, 0, 2, 7, -3], *[[2.0] * 6] * 3
    )
    inside = Penalties(p.tokens, [0, 0, 0, 0, 1, 1], [0, 0, 0, 3, 3, 3], [0, 0, 0, 2, 3, 0], *[[2.0] * 6] * 3)
    call = backends.call(backend)
    out = call("penalize_logits", logits, *p.tensors())
    assert torch.equal(out, call("penalize_logits", logits, *inside.tensors()))
    assert torch.equal(out[:3], logits[:3]) and (out[3:] != logits[3:]).sum(1).tolist() == [3, 3, 3]
    for tokens in (torch.zeros(0, 3, dtype=torch.int32), torch.zeros(2, 0, dtype=torch.int32)):
        assert torch.equal(call("penalize_logits", logits, tokens, *p.tensors()[1:]), logits)


@pytest.mark.parametrize("backend", BACKENDS)
def test_penalties_of_what_is_no_number_stay_with_it(backend: str) -> None:
    logits = torch.tensor([[math.inf, -math.inf, math.nan, 1.0, math.nan, -0.0]])
    p = Penalties([[0, 1, 2, 3, 5]], [0], [5], [0], [2.0], [1.0], [1.0])
    out = backends.call(backend)("penalize_logits", logits, *p.tensors())[0]
    assert out.nan_to_num(nan=7.0, posinf=8.0, neginf=9.0).tolist() == [8.0, 9.0, 7.0, -1.5, 7.0, -2.0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_token_that_is_there_thousands_of_times(backend: str) -> None:
    """More often than a byte can count, and than several bytes' sums."""
    counts = {0: 255, 1: 256, 2: 257, 3: 65_536, 70: 383, 71: 384, 99: 1}
    tokens = [token for token, count in counts.items() for _ in range(count)]
    p = Penalties([tokens], [0], [len(tokens)], [0], [1.0], [0.0], [0.5])
    out = backends.call(backend)("penalize_logits", torch.zeros(1, 100), *p.tensors())
    assert out[0].tolist() == [-0.5 * counts.get(token, 0) for token in range(100)]


def test_penalties_are_a_function_of_the_row_alone(threads: None) -> None:
    """In any batch, in any order, after any other tokens, on one thread and on several."""
    logits, p = logits_of(len(KINDS), 40_003), penalties(40_003)
    expected = OPS.penalize_logits(logits, *p.tensors())
    order = [5, 2, 7, 0, 5, 5, 1, 3]
    for number in (1, 2, 3):
        torch.set_num_threads(number)
        assert torch.equal(OPS.penalize_logits(logits, *p.tensors()), expected)
        assert torch.equal(OPS.penalize_logits(logits[order], *p.take(order).tensors()), expected[order])
        for i in range(len(KINDS)):
            alone = OPS.penalize_logits(logits[i : i + 1], *p.take([i]).tensors())
            assert torch.equal(alone, expected[i : i + 1])
    longer = Penalties([[*row, 3, 3, 9] for row in p.tokens], *list(vars(p).values())[1:])
    assert torch.equal(OPS.penalize_logits(logits, *longer.tensors()), expected)


# --- token_logprobs -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exact:
    """A row's softmax in float64, and the top tokens by sorting a list."""

    logits: list[float]

    @property
    def logprobs(self) -> list[float]:
        top = max(self.logits)
        total = math.fsum(math.exp(x - top) for x in self.logits)
        return [x - top - math.log(total) for x in self.logits]

    @property
    def bound(self) -> float:
        """Return the bound on the error of the sum's logarithm in float32.

        Each term has the rounding of its exponent, d * 2 ** -24 where d is its distance from the maximum; that of its
        exponential, two units in the last place or 4 * 2 ** -24; and those of at most 4 sums.
        """
        top = max(self.logits)
        terms = [(math.exp(x - top), top - x) for x in self.logits if x > -math.inf]
        return math.fsum(e * (d + 8) for e, d in terms) / math.fsum(e for e, _ in terms) * 2.0**-24

    def order(self) -> list[int]:
        return sorted(range(len(self.logits)), key=lambda token: (-self.logits[token], token))

    def rank(self, token: int) -> int:
        return 1 + sum(x > self.logits[token] for x in self.logits)


def check_logprobs(backend: str, logits: Tensor, rows: list[int], token_ids: list[int], num_top: int) -> None:
    """Compare with the softmax in float64."""
    results = backends.call(backend)("token_logprobs", logits, torch.tensor(rows), torch.tensor(token_ids), num_top)
    assert [r.dtype for r in results] == [torch.float32, torch.int64] * 2 and all(r.is_contiguous() for r in results)
    assert [tuple(r.shape) for r in results] == [(len(rows),)] * 2 + [(len(rows), num_top)] * 2
    exact = {row: Exact(logits[row].double().tolist()) for row in set(rows)}
    logprobs = {row: each.logprobs for row, each in exact.items()}
    bounds, orders = ({row: f(each) for row, each in exact.items()} for f in (lambda e: e.bound, Exact.order))
    for row, token, logprob, rank, top_logprobs, top_ids in zip(
        rows, token_ids, *(result.tolist() for result in results), strict=True
    ):
        assert rank == exact[row].rank(token)
        assert top_ids == orders[row][:num_top]
        for found, of in ((logprob, token), *zip(top_logprobs, top_ids, strict=True)):
            expected = logprobs[row][of]
            # The result's own rounding comes on top.
            assert found == expected or abs(found - expected) <= bounds[row] + abs(expected) * 2.0**-24


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_logprobs_are_those_of_float64(dtype: torch.dtype, backend: str) -> None:
    """In bfloat16 many logits are equal: ties are ordered by token."""
    for vocab_size in SIZES:
        logits = logits_of(3, vocab_size, dtype)
        for num_top in {0, 1, min(3, vocab_size), min(20, vocab_size), vocab_size // 2, vocab_size}:
            tokens = [0, vocab_size - 1, vocab_size // 3, vocab_size // 2]
            check_logprobs(backend, logits, [2, 0, 0, 1], tokens, num_top)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("spread", [0.0, 1e-3, 1.0, 40.0, 1e4], ids=str)
def test_logprobs_of_a_large_vocabulary(spread: float, backend: str) -> None:
    logits = logits_of(2, 151_936, spread=spread)
    check_logprobs(backend, logits, [0, 1, 1], [5, 151_935, 70_000], 9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_equal_logits_are_ordered_by_their_token(backend: str) -> None:
    logits = torch.full((4, 700), -1.0)
    logits[0, [690, 130, 131]] = 2.0
    logits[1] = 0.0
    logits[1, ::2] = -0.0  # which is 0
    logits[2, 3:] = -math.inf
    logits[3, 128:256] = -1.0 - 2**-20
    rows, tokens = torch.arange(4), torch.tensor([131, 0, 699, 127])
    logprobs, ranks, _, ids = backends.call(backend)("token_logprobs", logits, rows, tokens, 6)
    assert ids.tolist() == [[130, 131, 690, 0, 1, 2], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]]
    assert ranks.tolist() == [1, 1, 4, 1]
    assert logprobs[1].item() == pytest.approx(-math.log(700), rel=1e-7) and logprobs[2].item() == -math.inf
    check_logprobs(backend, logits, [0, 1, 2, 3], [131, 0, 699, 127], 600)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_has_no_logprob(backend: str) -> None:
    """A row without a softmax, a row index out of range, a token outside the vocabulary."""
    logits = logits_of(5, 300)
    logits[1, 299], logits[2, 7] = math.nan, math.inf
    logits[3] = -math.inf
    logits[4, 0], logits[4, 1] = math.nan, -math.inf
    rows = [0, 0, 0, 0, 1, 2, 3, 4, 5, -1, 0]
    tokens = [-1, 300, 2**40, -(2**40), 5, 7, 0, 1, 0, 0, 8]
    logprobs, ranks, top_logprobs, top_ids = backends.call(backend)(
        "token_logprobs", logits, torch.tensor(rows), torch.tensor(tokens), 2
    )
    assert logprobs.isnan().tolist() == [True] * 10 + [False]
    assert ranks[:10].tolist() == [0] * 10 and ranks[10] > 0
    known = [True] * 4 + [False] * 6 + [True]
    assert (~top_logprobs.isnan()).all(1).tolist() == known
    assert (top_ids >= 0).all(1).tolist() == known and (top_ids[4:10] == -1).all()
    nothing = backends.call(backend)("token_logprobs", logits[:0], torch.zeros(2).long(), torch.zeros(2).long(), 1)
    assert nothing[0].isnan().all() and (nothing[1] == 0).all() and (nothing[3] == -1).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_huge_logits_have_logprobs(backend: str) -> None:
    logits = torch.zeros(3, 200)
    logits[0, 150] = 3e38
    logits[1] = -3e38
    logits[1, 9] = 3e38
    logits[2] = -3e38
    results = backends.call(backend)("token_logprobs", logits, torch.arange(3), torch.tensor([150, 9, 7]), 1)
    assert results[0].tolist() == pytest.approx([0.0, 0.0, -math.log(200)]) and results[1].tolist() == [1, 1, 1]
    assert results[3].flatten().tolist() == [150, 9, 0]


def test_logprobs_do_not_depend_on_the_batch(threads: None) -> None:
    """Alone, in a batch, repeated, in another order, on one thread and on several: the same bits."""
    logits = logits_of(12, 20_001, torch.bfloat16)
    rows, tokens = torch.arange(24) // 2, torch.arange(24) * 700
    expected = OPS.token_logprobs(logits, rows, tokens, 7)
    order = torch.randperm(24, generator=torch.Generator().manual_seed(1))
    for number in (1, 2, 3):
        torch.set_num_threads(number)
        found = OPS.token_logprobs(logits, rows[order], tokens[order], 7)
        assert all(torch.equal(a, b[order]) for a, b in zip(found, expected, strict=True))
        for i in (0, 5, 23):
            one = OPS.token_logprobs(logits[rows[i]][None], torch.zeros(1).long(), tokens[i : i + 1], 7)
            assert all(torch.equal(a[0], b[i]) for a, b in zip(one, expected, strict=True))


def test_a_logprob_is_the_same_with_and_without_the_likeliest() -> None:
    logits, rows, tokens = logits_of(4, 5000), torch.arange(4), torch.tensor([1, 4999, 128, 127])
    expected = OPS.token_logprobs(logits, rows, tokens, 0)
    for num_top in (1, 39, 40, 41, 5000):
        found = OPS.token_logprobs(logits, rows, tokens, num_top)
        assert torch.equal(found[0], expected[0]) and torch.equal(found[1], expected[1])
    _, ranks, top_logprobs, top_ids = found
    assert torch.equal(top_logprobs.gather(1, ranks[:, None] - 1)[:, 0], expected[0])
    assert torch.equal(top_ids.gather(1, ranks[:, None] - 1)[:, 0], tokens)
