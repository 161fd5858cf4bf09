"""The Triton kernels of the operators with a state, in the interpreter: a small call of each kind.

`test_states.py` has them all over the same kernels, in `make test-long`.
"""

from __future__ import annotations

import pytest
import torch

from tests.ops import backends
from tests.ops.cases import TOLERANCE, error
from tests.ops.states import NAMES, Case, Sequences
from tests.ops.test_empty import CALLS, results
from torchpaged.ops import library

SOFT = (("dt_softplus", True),)
# Chunks of 20 are two blocks of the kernel, of which the second is not full.
CASES = (
    Case("delta", "gated_delta_rule", heads=(1, 2), dims=(33, 19), chunk=20, options=(("normalize", True),)),
    Case("delta-channels", "gated_delta_rule", heads=(1, 1), dims=(20, 16), chunk=20, channel_gates=True),
    Case("mamba2", "mamba2_scan", heads=(1, 2), dims=(16, 20), chunk=20, options=SOFT, strided=True),
    Case("linear", "linear_attention", heads=(1, 1), dims=(16, 8), chunk=20),
    Case("selective", "selective_scan", dims=(37, 5), chunk=16, options=SOFT, float_beside=True),
    Case("convolution", "chunked_conv1d", dims=(40, 0), chunk=2, width=4, options=(("silu", True),)),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_steps_of_any_size(case: Case) -> None:
    """Compare with the oracle's results and states, and with the bits of one prefill."""
    dtype = torch.bfloat16
    run, whole = (
        Sequences(case, (24, 18), backends.call("triton"), dtype=dtype, device=backends.device("triton"))
        for _ in range(2)
    )
    for counts in ({0: 18}, {1: 17, 0: 1}, {0: 3, 1: 1}, {0: 2}):
        run.step(counts, padding=1)
    whole.step({0: 24, 1: 18})
    for i in range(2):
        results, after = run.expected(i)
        assert error(run.whole(i), results) < TOLERANCE[dtype]
        assert torch.equal(run.whole(i), whole.whole(i))
        for tokens, state in run.stored(i).items():
            assert error(state, after[tokens - 1]) < 1e-5
    for pool, other in ((run.states, whole.states), (run.tails, whole.tails)):
        assert torch.equal(pool.nan_to_num(nan=-1e30), other.nan_to_num(nan=-1e30))


@pytest.mark.parametrize("name", [name for name in CALLS if name.split()[0] in NAMES])
def test_what_is_empty_gives_what_is_empty(name: str) -> None:
    operator, arguments, options = CALLS[name]()
    device = backends.device("triton")
    there = [each if each is None else each.to(device) for each in arguments]
    found = results("triton", (operator, there, {name: each.to(device) for name, each in options.items()}))
    expected = results("reference", (operator, arguments, options))
    for a, b in zip(found, expected, strict=True):
        assert torch.equal(a.cpu(), b)


@pytest.mark.parametrize("op", NAMES)
def test_a_gpu_gets_them_by_default(op: str) -> None:
    operator = next(each for each in library.OPERATORS if each.overload == op)
    assert library._select(operator, "cuda", (), {}).name == "triton"
