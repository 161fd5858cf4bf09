"""The tests of the C++ kernels again, in a process for each instruction set but this machine's best."""

from __future__ import annotations

import pytest

from tests.ops.test_build import python
from torchpaged.ops import cpu

FILES = (
    "cache_ops",
    "causal_conv1d",
    "cpu_library",
    "grouped_linear",
    "grouped_weights",
    "linear",
    "logits",
    "lora_linear_add",
    "paged_attention",
    "pointwise",
    "quantised",
    "sample_tokens",
    "sparse_attention",
    "states",
    "topk",
    "varlen_attention",
)
# What takes seconds and asks no kernel, or asks it what quicker ones have asked.
SLOW = "scenario_20 or checked_when_asked or not_there or gumbels or compiles or benchmark or large_vocabulary"
OTHERS = pytest.mark.parametrize("isa", [isa for isa in cpu.available_isas() if isa != cpu.isa()])


def run(isa: str, *options: str) -> None:
    command = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "tests.ops.cpp_only", *options)
    # As one of two workers has it: a thread of torch's own, and tests of threads ask for more.
    done = python(*command, TORCHPAGED_ISA=isa, PYTEST_ADDOPTS="", PYTEST_XDIST_WORKER_COUNT="2")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.long
@OTHERS
def test_every_isa(isa: str) -> None:
    """Every operator with every dtype."""
    run(isa, *(f"tests/ops/test_{name}.py" for name in FILES), "-k", f"not ({SLOW})")


@pytest.mark.long
@OTHERS
def test_random_calls_on_every_isa(isa: str) -> None:
    run(isa, "-m", "long", "tests/ops/test_random.py", "-k", "cpp")
