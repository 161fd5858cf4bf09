"""Operators under `ulimit -v`: a call that finds no memory raises, and the next one gives the usual bits.

Some megabytes are always left: without any, torch's own report of the failed allocation ends the process. So does
libgomp if it can start no thread; the threads are started before.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import resource, sys
import torch
from tests.ops.cases import Case, build
from tests.ops.selections import choose

MIB = 1 << 20
HARD = resource.getrlimit(resource.RLIMIT_AS)[1]
ops = torch.ops.torchpaged


def limit(most):
    resource.setrlimit(resource.RLIMIT_AS, (most, HARD))


def size():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()


def hog():
    # Free memory of the heap would do for some calls.
    held = []
    for each in (MIB, 64 << 10):
        try:
            while True:
                held.append(torch.empty(each, dtype=torch.uint8))
        except RuntimeError:
            pass
    return held


torch.set_num_threads(int(sys.argv[1]))
case = Case("wide", ((1500, 1500), (1, 4000), (1, 500)), heads=(32, 8), head_dim=128)
problem = build(case, torch.bfloat16)
query, keys, values, tables, lengths, starts = attended = [*problem.arguments.values()]
selected = choose(problem, 1, 3, 1, "latest")
weight, x = torch.randn(4096, 1024).bfloat16(), torch.randn(600, 1024).bfloat16()
packed = ops.pack_linear_weight(weight)
logits = torch.randn(600, 4096)
rows, tokens = torch.arange(600), torch.arange(600)
calls = {
    "attention": lambda: ops.paged_attention_with_lse(*attended, **problem.options),
    "sparse": lambda: ops.paged_sparse_attention_with_lse(*attended, selected, **problem.options),
    "gather": lambda: ops.gather_kv_cache(keys, values, tables, lengths, 6000),
    "pack": lambda: (ops.pack_linear_weight(weight),),
    "linear": lambda: (ops.packed_linear(x, packed, 4096),),
    "silu": lambda: (ops.silu_and_mul(logits, logits),),
    "norm": lambda: (ops.rms_norm(logits, torch.ones(4096), 1e-6),),
    "logprobs": lambda: ops.token_logprobs(logits, rows, tokens, 2000),
    "conv": lambda: (
        ops.causal_conv1d(
            logits, torch.ones(4096, 4), None, [torch.zeros(60, 16, 1, 4096)], rows, torch.arange(1, 41).int()[None],
            torch.tensor([600]).int(), torch.tensor([0, 600]).int(),
        ),
    ),
}
expected = {name: call() for name, call in calls.items()}
raised = dict.fromkeys(calls, 0)
for more in (3, 4, 5, 7, 9, 12, 16, 24, 40):
    for name, call in calls.items():
        now = size()
        limit(now)
        held = hog()
        limit(now + more * MIB)
        try:
            call()
        except (MemoryError, RuntimeError) as error:
            limit(-1)
            assert "memory" in str(error) or "alloc" in str(error) or not str(error), (name, more, error)
            raised[name] += 1
        finally:
            limit(-1)
            del held
    for name, call in calls.items():
        assert all(map(torch.equal, call(), expected[name])), (name, more)
print(raised)
assert sum(map(bool, raised.values())) > 5
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_calls_without_memory(threads: int) -> None:
    command = [sys.executable, "-c", SCRIPT, str(threads)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
