"""Random calls against the reference: unusual shapes, features, dtypes, strides and caches.

`make test-long` runs 2,000 on the C++ kernels and 200 in Triton's interpreter. TORCHPAGED_SEED gives other cases.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.ops import backends
from tests.ops.cases import DTYPES, TOLERANCE, Case, Problem, build, error

SEED = int(os.environ.get("TORCHPAGED_SEED") or 0)  # the same cases in every run
QUANTISED = (torch.int8, torch.float8_e4m3fn, torch.float8_e5m2)
SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}


@st.composite
def cases(draw: st.DrawFn, longest: int) -> Case:
    lengths = []
    for _ in range(draw(st.integers(1, 5))):
        seq_len = draw(st.integers(0, longest))
        # Mostly one token, as in decoding. Of a query longer than its sequence, the first tokens see nothing if causal.
        query_len = draw(st.one_of(st.just(min(1, seq_len)), st.integers(0, min(seq_len + 1, 24))))
        lengths.append((query_len, seq_len))
    kv_heads = draw(st.integers(1, 3))
    dims = (32, 40, 64, 72, 96, 128, 200)
    return Case(
        "random",
        lengths=tuple(lengths),
        heads=(kv_heads * draw(st.integers(1, 9)), kv_heads),
        head_dim=draw(st.sampled_from(dims)),
        head_dim_v=draw(st.sampled_from((0, *dims))),
        block_size=draw(st.one_of(st.sampled_from((8, 16, 32, 64, 128)), st.integers(1, 256))),
        causal=draw(st.booleans()),
        sliding_window=draw(st.one_of(st.just(0), st.integers(1, longest))),
        softcap=draw(st.sampled_from((0.0, 3.0, 30.0))),
        scale=draw(st.sampled_from((None, 0.07, 1.0))),
        alibi=draw(st.booleans()),
        distances=draw(st.sampled_from([0, 0, 0, 1, 6, 40])),
        sinks=draw(st.booleans()),
        tree=draw(st.sampled_from((False, False, True))),
        heads_first=draw(st.booleans()),
        padding_rows=draw(st.integers(0, 3)),
        max_query_len=draw(st.sampled_from((0, 1, 16, 64))),
        num_splits=draw(st.sampled_from((0, 1, 3))),
    )


def quantise(problem: Problem, dtype: torch.dtype, per_token: bool) -> dict[str, Any]:
    """Replaces the problem's caches by 8-bit ones with about the same rows, and the rows by what those stand for.

    Unused slots are poisoned. Returns the scales.
    """
    scales = {}
    for cache_name, scale_name, rows_of in (
        ("key_cache", "k_scale", problem.keys),
        ("value_cache", "v_scale", problem.values),
    ):
        cache = problem.arguments[cache_name].float()
        largest = 127.0 if dtype == torch.int8 else torch.finfo(dtype).max
        rows = cache.abs().amax(-1) / largest
        scale = rows if per_token else rows.nan_to_num(0.0).amax()
        scale = (
            torch.where(scale > 0, scale, torch.ones_like(scale))
            if not per_token
            else scale.masked_fill(scale == 0, 1.0)
        )
        codes = (cache / (scale[..., None] if per_token else scale)).clamp(-largest, largest)
        codes = codes.nan_to_num(127.0).round() if dtype == torch.int8 else codes
        problem.arguments[cache_name] = codes.to(dtype)
        scales[scale_name] = scale
        # In float64 a code times its scale is exact.
        exact = problem.arguments[cache_name].float().double() * (scale.double()[..., None] if per_token else scale)
        for i, (_, length) in enumerate(problem.case.lengths):
            blocks = problem.arguments["block_tables"][i, : -(-length // problem.case.block_size)].long()
            rows_of[i] = exact[blocks].flatten(0, 1)[:length].cpu()
    return scales


def compare(
    backend: str, case: Case, dtype: torch.dtype, cache: torch.dtype | None, per_token: bool, salt: int
) -> None:
    problem = build(case, dtype, seed=salt, device=backends.device(backend))
    options = dict(problem.options)
    if cache is not None:
        options |= quantise(problem, cache, per_token)
    arguments = problem.arguments.values()
    # The oracle's float64: two float32 results that each keep a bound may differ by twice the bound.
    if any(map(len, problem.queries)):
        expected = problem.expected()
    else:
        expected = backends.call("reference")("paged_attention_with_lse", *arguments, **options)
    actual = backends.call(backend)("paged_attention_with_lse", *arguments, **options)
    # One key's score may be all of a logsumexp, and near 0 as the sum of a product and a bias that are not.
    scores = max(1.0, (case.head_dim**-0.5 if case.scale is None else case.scale) * case.head_dim**0.5)
    for got, want, least in zip(actual, expected, (1e-6, scores), strict=True):
        if got.numel():
            assert error(got, want.double().cpu(), least) < TOLERANCE[dtype]


def test_a_score_near_zero_is_compared_with_what_it_is_the_difference_of() -> None:
    case = Case("random", ((1, 1),), (1, 1), 32, 64, 8, False, scale=1.0, alibi=True, distances=6, sinks=True)
    case = replace(case, padding_rows=3)
    compare("cpp" if "cpp" in backends.BACKENDS else "reference", case, torch.float32, torch.int8, False, 116620629)


def run(backend: str, examples: int, longest: int) -> None:
    print(f"TORCHPAGED_SEED={SEED}")

    @seed(SEED)
    @settings(max_examples=examples, **SETTINGS)
    @given(
        case=cases(longest),
        dtype=st.sampled_from(DTYPES),
        cache=st.one_of(st.none(), st.sampled_from(QUANTISED)),
        per_token=st.booleans(),
        salt=st.integers(0, 2**31 - 1),
    )
    def each(case: Case, dtype: torch.dtype, cache: torch.dtype | None, per_token: bool, salt: int) -> None:
        compare(backend, case, dtype, cache, per_token, salt)

    each()


def test_cpp() -> None:
    run("cpp", examples=40, longest=200)


def test_triton() -> None:
    run("triton", examples=3, longest=40)


@pytest.mark.long
def test_cpp_long() -> None:
    run("cpp", examples=2000, longest=700)


@pytest.mark.long
def test_triton_long() -> None:
    run("triton", examples=200, longest=60)
