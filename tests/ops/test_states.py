"""The operators with a state per sequence: values, stored states, and bits that do not depend on the steps."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.examples import examples
from tests.ops import backends
from tests.ops.cases import DTYPES, TOLERANCE, error
from tests.ops.states import NAMES, Case, Sequences

# In the interpreter the Triton kernels take long: `test_triton_states.py` has a call of each kind.
LONG = {} if torch.cuda.is_available() else {"triton": pytest.mark.long}


def of(backend: str, *values: Any) -> Any:
    """Return the parameters of a test on a backend."""
    return pytest.param(backend, *values, marks=LONG.get(backend, ()), id="-".join(map(str, (backend, *values))))


ALL = pytest.mark.parametrize("backend", [of(backend) for backend in backends.BACKENDS])
SOFT = (("dt_softplus", True),)

CASES = (
    Case("delta", "gated_delta_rule"),
    Case("delta-normalised", "gated_delta_rule", options=(("normalize", True), ("scale", 0.3))),
    Case("delta-one-head", "gated_delta_rule", heads=(1, 1), dims=(64, 64), chunk=16),
    Case("delta-shared-keys", "gated_delta_rule", heads=(1, 5), dims=(16, 16), strided=True, float_beside=True),
    Case("delta-odd", "gated_delta_rule", heads=(1, 2), dims=(5, 19), chunk=5, strided=True),
    Case("delta-long-chunk", "gated_delta_rule", heads=(2, 2), dims=(32, 32), chunk=64),
    Case("delta-channels", "gated_delta_rule", heads=(2, 2), channel_gates=True),
    Case("delta-channels-odd", "gated_delta_rule", heads=(1, 2), dims=(7, 9), chunk=20, channel_gates=True),
    Case("mamba2", "mamba2_scan", options=SOFT),
    Case("mamba2-limits", "mamba2_scan", heads=(1, 3), options=(*SOFT, ("dt_min", 0.1), ("dt_max", 0.9))),
    Case("mamba2-plain", "mamba2_scan", heads=(2, 2), skip=False, gate=0.05, strided=True),
    Case("mamba2-odd", "mamba2_scan", heads=(1, 6), dims=(13, 21), chunk=7, options=SOFT, float_beside=True),
    Case("linear", "linear_attention", heads=(2, 2), gate=0.5),
    Case("linear-scaled", "linear_attention", heads=(1, 3), dims=(17, 8), options=(("scale", 0.2),), strided=True),
    Case("selective", "selective_scan", dims=(48, 16), options=SOFT, chunk=16),
    Case("selective-odd", "selective_scan", dims=(37, 5), options=SOFT, chunk=4, float_beside=True, strided=True),
    Case("selective-plain", "selective_scan", dims=(16, 8), skip=False, gate=0.1),
    Case("convolution", "chunked_conv1d", dims=(40, 0), options=(("silu", True),)),
    Case("convolution-plain", "chunked_conv1d", dims=(33, 0), bias=False, width=3, strided=True, float_beside=True),
    Case("convolution-wider-than-a-chunk", "chunked_conv1d", dims=(16, 0), width=7, chunk=3),
    Case("convolution-of-one", "chunked_conv1d", dims=(16, 0), width=1),
)
ONE_OF_EACH = [next(case for case in CASES if case.op == op) for op in NAMES]
EACH = pytest.mark.parametrize("case", ONE_OF_EACH, ids=lambda case: case.op)


def sequences(case: Case, backend: str, *lengths: int, **options: Any) -> Sequences:
    return Sequences(case, lengths, backends.call(backend), device=backends.device(backend), **options)


def same(a: Tensor, b: Tensor, backend: str) -> bool:
    """Return whether the bits are equal; close for the reference, since torch orders its sums by size."""
    if backend != "reference" or not a.numel():
        return torch.equal(a.nan_to_num(nan=-1e30), b.nan_to_num(nan=-1e30))
    return error(a.nan_to_num(nan=-1), b.nan_to_num(nan=-1).double()) < 1e-6


def cut(length: int, chunk: int, seed: int) -> list[int]:
    """Return steps of random sizes: single tokens, parts of chunks, several chunks."""
    choose, sizes = random.Random(seed), []
    while sum(sizes) < length:
        largest = choose.choice((1, chunk - 1, chunk, 3 * chunk))
        sizes.append(min(choose.randint(1, max(1, largest)), length - sum(sizes)))
    return sizes


# The reference takes a millisecond a row: one of each operator in every type, the rest in one.
GRID = [
    of(backend, case, dtype)
    for backend in backends.BACKENDS
    for case in CASES
    for dtype in DTYPES
    if backend == "cpp" or case in ONE_OF_EACH or dtype == torch.float32
]


@pytest.mark.parametrize(("backend", "case", "dtype"), GRID)
def test_against_the_oracle(backend: str, case: Case, dtype: torch.dtype) -> None:
    """Steps that mix sequences which begin, continue, end a chunk and decode; every stored state is right."""
    run = sequences(case, backend, 2 * case.chunk + 3, case.chunk, case.chunk - 1, 1, dtype=dtype)
    steps = [cut(length, case.chunk, i) for i, length in enumerate(run.lengths)]
    while any(steps):
        run.step({i: sizes.pop(0) for i, sizes in enumerate(steps) if sizes}, padding=len(steps[0]) % 3)
    for i in range(len(run.lengths)):
        results, after = run.expected(i)
        found = run.whole(i)
        assert found.dtype == dtype and found.shape == results.shape
        assert error(found, results) < TOLERANCE[dtype], f"sequence {i}"
        stored = run.stored(i)
        assert len(stored) == run.lengths[i] // case.chunk
        for tokens, state in stored.items():
            assert state.numel() == 0 or error(state, after[tokens - 1]) < 1e-5, f"sequence {i}, {tokens} tokens"


@pytest.mark.parametrize(
    ("backend", "case"),
    [of(b, c) for b in backends.BACKENDS for c in CASES if b == "cpp" or c in ONE_OF_EACH],
)
def test_no_cut_into_steps_changes_a_bit(backend: str, case: Case) -> None:
    """In one step, in single tokens, and at random: results, tails and states are the same."""
    length = 2 * case.chunk + 3
    runs = []
    for sizes in ([length], [1] * length, *(cut(length, case.chunk, seed) for seed in range(2))):
        run = sequences(case, backend, length)
        for size in sizes:
            run.step({0: size})
        runs.append(run)
    for run in runs[1:]:
        assert same(run.whole(), runs[0].whole(), backend)
        assert same(run.states, runs[0].states, backend) and same(run.tails, runs[0].tails, backend)


@EACH
@ALL
def test_what_is_beside_a_sequence_changes_nothing(case: Case, backend: str) -> None:
    alone, among = sequences(case, backend, 21), sequences(case, backend, 21, 40, 7)
    among.inputs[0], among.layer = alone.inputs[0], alone.layer
    for size in (9, 1, 11):
        alone.step({0: size})
        among.step({2: 2, 0: size, 1: 13}, padding=2)
    assert same(alone.whole(), among.whole(), backend)


@EACH
@ALL
def test_nothing_is_kept_in_the_null_slot_nor_behind_a_table(case: Case, backend: str) -> None:
    """A prefill whose tables name one slot each writes nothing else; its results are unchanged."""
    length = 3 * case.chunk + 1
    whole, run = sequences(case, backend, length), sequences(case, backend, length)
    whole.step({0: length})
    run.state_tables[0, [0, 2]] = 0
    run.tail_tables[0, [0, 1]] = 0
    run.state_tables, run.tail_tables = run.state_tables[:, :2], run.tail_tables[:, :3].contiguous()
    run.step({0: length})
    assert same(run.whole(), whole.whole(), backend)
    kept = {"states": [int(run.state_tables[0, 1])], "tails": [int(run.tail_tables[0, 2])]}
    for name, slots in kept.items():
        pool, full = getattr(run, name), getattr(whole, name)
        assert same(pool[slots], full[slots], backend) and not pool[slots].isnan().any()
        others = [slot for slot in range(len(pool)) if slot not in slots]
        assert pool[others].isnan().all(), f"{name} were written that no table names"


@EACH
@ALL
def test_a_state_in_the_middle_is_all_that_is_needed(case: Case, backend: str) -> None:
    """From a boundary on: no tail, no earlier state."""
    length, boundary = 3 * case.chunk + 2, 2 * case.chunk
    whole, run = sequences(case, backend, length), sequences(case, backend, length)
    whole.step({0: length})
    run.step({0: boundary})
    run.tails.fill_(torch.nan)
    run.states[run.state_tables[0, 0]] = torch.nan
    run.step({0: length - boundary})
    assert same(run.whole(), whole.whole(), backend)


@EACH
@ALL
def test_a_step_that_runs_again_writes_the_same(case: Case, backend: str) -> None:
    """Across a boundary; and after a step with other tokens, such as unverified drafts."""
    run = sequences(case, backend, 2 * case.chunk + 3)
    run.step({0: case.chunk - 2})
    again = run.arguments({0: case.chunk + 4})
    wrong = {name: each.flip(0) if name in run.inputs[0] else each for name, each in again.items()}
    run.run(wrong)
    first, pools = run.run(again), [run.states.clone(), run.tails.clone()]
    assert same(run.run(again), first, backend)
    for pool, before in zip((run.states, run.tails), pools, strict=True):
        assert same(pool, before, backend)
    whole = sequences(case, backend, 2 * case.chunk + 3)
    whole.step({0: 2 * case.chunk + 2})
    assert same(first, whole.whole()[case.chunk - 2 :], backend)


@EACH
@ALL
def test_a_fork_shares_the_state_and_copies_the_tail(case: Case, backend: str) -> None:
    """In the middle of a chunk: two continue with different tokens, each as if alone."""
    shared, rest = case.chunk + 3, case.chunk
    run = sequences(case, backend, shared + rest, shared + rest)
    for name, rows in run.inputs[0].items():
        run.inputs[1][name] = torch.cat([rows[:shared], run.inputs[1][name][shared:]])
    run.step({0: shared})
    run.state_tables[1, 0] = run.state_tables[0, 0]
    tails = [int(run.tail_tables[i, 1]) for i in range(2)]
    torch.ops.torchpaged.copy_blocks([run.tails], torch.tensor([tails]))
    run.done[1] = shared
    for _ in range(rest):
        run.step({0: 1, 1: 1})
    for i in range(2):
        assert error(torch.cat(run.results[i]), run.expected(i)[0][-len(torch.cat(run.results[i])) :]) < 1e-5


@EACH
@ALL
def test_padding_and_what_is_longer_than_its_sequence(case: Case, backend: str) -> None:
    """Sequences of length 0, without tokens, and with rows before position 0."""
    run = sequences(case, backend, 6, 6)
    plain = sequences(case, backend, 6, 6)
    expected = plain.step({0: 6})
    arguments = run.arguments({0: 6}, padding=3)
    rows = {
        name: torch.cat([each[6:8], each[:6], each[8:]]) for name, each in arguments.items() if name in run.inputs[0]
    }
    tables = {
        "state_tables": run.state_tables[[1, 0, 1]],
        "tail_tables": run.tail_tables[[1, 0, 1]],
        "seq_lens": torch.tensor([0, 6, 12], dtype=torch.int32),
        "query_start_loc": torch.tensor([0, 1, 8, 8], dtype=torch.int32),
    }
    arguments |= {**rows, **{name: each.to(run.device) for name, each in tables.items()}}
    out = run.run(arguments)
    assert not out[:2].any() and not out[8:].any()
    assert same(out[2:8], expected, backend)
    assert same(run.tails, plain.tails, backend) and same(run.states, plain.states, backend)


@pytest.mark.parametrize("name", ["delta", "delta-channels", "mamba2"])
@ALL
def test_small_gates_behind_large_ones_are_not_lost(name: str, backend: str) -> None:
    """exp(G_p - G_j) of sums since the boundary is off by 1e-4 if a later token has decayed by e^-2000."""
    case = replace(next(case for case in CASES if case.name == name), chunk=32, gate=0.01, skip=False, options=())
    run = sequences(case, backend, 40)
    large = slice(0, 20, 2)
    if case.op == "mamba2_scan":
        run.layer["a"].fill_(-1.0)
        run.inputs[0]["dt"].abs_().mul_(0.01)[large] = 200.0
        run.inputs[0]["x"][large] *= 0.005
    else:
        run.inputs[0]["gate"][large] -= 200.0
    run.step({0: 25})
    for _ in range(15):
        run.step({0: 1})
    results, after = run.expected()
    assert error(run.whole(), results) < 1e-5
    assert error(run.stored()[32], after[31]) < 1e-5


@st.composite
def random_cases(draw: Any) -> Case:
    keys = draw(st.integers(1, 3))
    return Case(
        "random",
        draw(st.sampled_from(sorted(NAMES))),
        heads=(keys, keys * draw(st.integers(1, 3))),
        dims=(draw(st.integers(1, 40)), draw(st.integers(1, 40))),
        chunk=draw(st.sampled_from([1, 2, 3, 16, 20])),
        channel_gates=draw(st.booleans()),
        gate=draw(st.sampled_from([0.01, 1.0, 30.0])),
        width=draw(st.integers(1, 6)),
        bias=draw(st.booleans()),
        skip=draw(st.booleans()),
        strided=draw(st.booleans()),
        float_beside=draw(st.booleans()),
    )


def check_random_call(backend: str, case: Case, dtype: torch.dtype, seed: int, lengths: list[int]) -> None:
    run = sequences(case, backend, *lengths, dtype=dtype, seed=seed)
    steps = [cut(length, case.chunk, seed + i) for i, length in enumerate(lengths)]
    while any(steps):
        run.step({i: sizes.pop(0) for i, sizes in enumerate(steps) if sizes}, padding=seed % 2)
    for i in range(len(lengths)):
        assert error(run.whole(i), run.expected(i)[0]) < TOLERANCE[dtype]


RANDOM = {"case": random_cases(), "dtype": st.sampled_from(DTYPES), "seed": st.integers(0, 2**16)}


@examples(25)
@given(**RANDOM, lengths=st.lists(st.integers(1, 45), min_size=1, max_size=3))
def test_random_calls(case: Case, dtype: torch.dtype, seed: int, lengths: list[int]) -> None:
    check_random_call("cpp", case, dtype, seed, lengths)


@examples(4)
@given(**RANDOM, lengths=st.lists(st.integers(1, 20), min_size=1, max_size=2))
def test_random_calls_of_the_reference(case: Case, dtype: torch.dtype, seed: int, lengths: list[int]) -> None:
    check_random_call("reference", case, dtype, seed, lengths)


# --- Arguments ----------------------------------------------------------------------------------------------------

BAD: dict[str, dict[str, Any]] = {
    "chunked_conv1d": {
        "x": lambda t: t[0],
        "weight": lambda t: t[1:],
        "bias": lambda t: t[1:],
        "state_cache": lambda t: t[:, 1:],
        "tail_cache": lambda t: t[..., 1:],
    },
    "gated_delta_rule": {
        "query": lambda t: t.double(),
        "key": lambda t: t[:, :1],
        "value": lambda t: t[:, :3],
        "gate": lambda t: t.half(),
        "beta": lambda t: t[1:],
        "state_cache": lambda t: t.transpose(2, 3),
        "tail_cache": lambda t: t[:, :0],
        "state_tables": lambda t: t.long(),
        "tail_tables": lambda t: t[1:],
        "seq_lens": lambda t: t.long(),
        "query_start_loc": lambda t: t[1:],
    },
    "mamba2_scan": {
        "x": lambda t: t[..., ::2],
        "dt": lambda t: t.half(),
        "a": lambda t: t[1:],
        "b": lambda t: t[0],
        "c": lambda t: t[..., 1:],
        "d": lambda t: t[1:],
        "dt_bias": lambda t: t.double(),
        "dt_max": lambda _: -1.0,
        "state_cache": lambda t: t[:0],
        "tail_cache": lambda t: t.half(),
    },
    "linear_attention": {
        "value": lambda t: t.half(),
        "decay": lambda t: t[1:],
        "state_cache": lambda t: t[:, 1:],
        "tail_cache": lambda t: t[..., :-1],
    },
    "selective_scan": {
        "dt": lambda t: t[:, 1:],
        "a": lambda t: t.half(),
        "b": lambda t: t[..., 1:],
        "c": lambda t: t[1:],
        "d": lambda t: t[1:],
        "state_cache": lambda t: t[..., 1:],
        "tail_cache": lambda t: t[..., 1:],
        "tail_tables": lambda t: t[..., None],
    },
}


@pytest.mark.parametrize(("op", "name"), [(op, name) for op, names in BAD.items() for name in names])
@ALL
def test_wrong_arguments_are_named(op: str, name: str, backend: str) -> None:
    run = sequences(next(case for case in ONE_OF_EACH if case.op == op), backend, 9)
    arguments = run.arguments({0: 9})
    arguments[name] = BAD[op][name](arguments.get(name))
    with pytest.raises((ValueError, RuntimeError), match=f"{op}: {name} .*expected"):
        run.run(arguments)
    assert run.states.isnan().all() and run.tails.isnan().all()


@pytest.mark.long  # opcheck traces each of them in every run
def test_it_compiles_as_one_node_and_copies_no_cache() -> None:
    """A decode step of all cases: writes go to the tensors that were passed, and no others are allocated."""
    from torch._inductor.utils import run_and_get_code  # it takes seconds

    runs, again = ([sequences(case, "cpp", case.chunk + 2) for case in ONE_OF_EACH] for _ in range(2))
    functions = [getattr(torch.ops.torchpaged, case.op) for case in ONE_OF_EACH]

    def calls(*each: tuple[list[Any], dict[str, Any]]) -> list[Tensor]:
        return [function(*args, **options) for function, (args, options) in zip(functions, each, strict=True)]

    def decode(of: list[Sequences]) -> list[tuple[list[Any], dict[str, Any]]]:
        for run in of:
            run.step({0: run.case.chunk + 1})
        return [run.positional(run.arguments({0: 1})) for run in of]

    torch._dynamo.reset()
    with torch.inference_mode():
        expected = calls(*decode(runs))
        found, (code,) = run_and_get_code(torch.compile(calls, fullgraph=True), *decode(again))
    for one, other in zip(expected, found, strict=True):
        assert torch.equal(one, other)
    for run, other in zip(runs, again, strict=True):
        assert same(run.tails, other.tails, "cpp")
    assert "empty_strided" not in code.split("def call")[1]
