"""A real engine and a real process beside it, in a budget of 32 MiB that both share."""

from __future__ import annotations

import mmap
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from torch import Tensor

from torchpaged import LLM, RequestOutput, SamplingParams
from torchpaged.engine import memory_keeper
from torchpaged.execution import paged_kv_cache
from torchpaged.execution.executor import local_pool
from torchpaged.utils.huge_pages import can_discard

MIB = 1 << 20
BUDGET = 32 * MIB

NEIGHBOUR = """
import mmap, sys
memory = mmap.mmap(-1, 16 << 20)  # shared with no process
for line in sys.stdin:
    begin = int(line) << 19
    memory[begin : begin + (1 << 19)] = b"x" * (1 << 19)
    print(flush=True)
"""


class Neighbour:
    """A process that takes 16 MiB in 32 pieces."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", NEIGHBOUR], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.num_taken = 0

    def take(self) -> None:
        """Take a piece, unless it has all."""
        assert self.process.stdin is not None and self.process.stdout is not None
        if self.num_taken < 32:
            self.process.stdin.write(f"{self.num_taken}\n")
            self.process.stdin.flush()
            self.process.stdout.readline()
            self.num_taken += 1

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


def resident(tensors: Sequence[Tensor]) -> int:
    """Return the bytes of the pages of tensors that this process has."""
    count = 0
    with open("/proc/self/pagemap", "rb") as pages:
        for tensor in tensors:
            begin, end = tensor.data_ptr() // mmap.PAGESIZE, -(-(tensor.data_ptr() + tensor.nbytes) // mmap.PAGESIZE)
            pages.seek(begin * 8)
            entries = np.frombuffer(pages.read((end - begin) * 8), dtype=np.uint64)
            count += int((entries >> np.uint64(63)).sum())
    return count * mmap.PAGESIZE


def shared_memory(process: int) -> int:
    """Return the bytes of shared memory that a process has."""
    (line,) = (line for line in Path(f"/proc/{process}/status").read_text().splitlines() if "RssShmem" in line)
    return int(line.split()[1]) * 1024


class Budget:
    """Memory of which only the pool and the neighbour take something, both as the kernel counts them."""

    def __init__(self) -> None:
        self.neighbour: int | None = None
        self.tensors: list[Tensor] = []
        self.lowest = BUDGET

    def free(self) -> int:
        """Return what is left."""
        free = BUDGET - resident(self.tensors) - (0 if self.neighbour is None else shared_memory(self.neighbour))
        self.lowest = min(self.lowest, free)
        return max(0, free)


def prompts(first: int, count: int) -> list[dict[str, list[int]]]:
    """Return prompts of 300 tokens that have no beginning in common."""
    return [
        {"prompt_token_ids": [3 + (number * 7919 + i * (i + number)) % 1000 for i in range(300)]}
        for number in range(first, first + count)
    ]


def tokens(outputs: list[RequestOutput]) -> list[list[int]]:
    return [list(output.outputs[0].token_ids) for output in outputs]


@pytest.mark.long
@pytest.mark.skipif(not can_discard(), reason="Linux only")
def test_a_neighbour_takes_half_of_the_memory_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process runs out of memory, all requests end, and their tokens are those of an engine with memory enough."""
    budget, params = Budget(), SamplingParams(temperature=0, max_tokens=4)
    monkeypatch.setattr(paged_kv_cache, "available_memory", budget.free)
    monkeypatch.setattr(memory_keeper, "available_memory", budget.free)
    monkeypatch.setattr(memory_keeper, "_PERIOD", 0.1)
    first, second = prompts(0, 40), prompts(40, 40)
    with LLM("evals/models/stdlib-lm", num_blocks=4096) as roomy:
        expected = [tokens(roomy.generate(each, params, use_tqdm=False)) for each in (first, second)]
    with LLM("evals/models/stdlib-lm", max_num_batched_tokens=256) as llm:
        cache = local_pool(llm.engine.executor)
        budget.tensors = [tensor for pair in cache.slots for tensor in pair.tensors if tensor.numel()]
        before = llm.stats().memory
        assert before.reserved == before.limit <= 0.9 * BUDGET < before.reserved + cache.bytes_per_block
        assert tokens(llm.generate(first, params, use_tqdm=False)) == expected[0]
        taken, counted = resident(budget.tensors), llm.stats().memory.taken
        assert 0.95 * counted <= taken <= counted + 4096 * len(budget.tensors), "what is counted is what is there"
        assert taken > 22 * MIB, "finished prompts stay in the prefix cache"
        neighbour = Neighbour()
        try:
            budget.neighbour, budget.lowest = neighbour.process.pid, BUDGET
            while neighbour.num_taken < 18:  # the engine is idle
                neighbour.take()
                end = time.monotonic() + 20
                while budget.free() < 0.05 * (BUDGET - (neighbour.num_taken << 19)):
                    assert time.monotonic() < end, "the thread gives nothing back"
                    time.sleep(0.02)
            assert llm.stats().memory.given_back > MIB
            found = {}
            for number, prompt in enumerate(second):
                llm.engine.add_request(str(number), prompt, params)
            while llm.engine.has_unfinished_requests:
                neighbour.take()
                budget.free()
                llm.engine._keeper.look()  # type: ignore[union-attr]  # as once a second, of which there are few here
                found.update({output.request_id: output for output in llm.engine.step() if output.finished})
            assert neighbour.num_taken == 32
            assert tokens([found[str(number)] for number in range(40)]) == expected[1]
            assert budget.lowest > 0, "the neighbour found no memory"
            # The null block counts as taken, and has not been written.
            assert llm.stats().memory.limit <= 0.9 * (BUDGET - 16 * MIB + cache.bytes_per_block)
            assert resident(budget.tensors) <= 0.95 * (BUDGET - 16 * MIB)
            assert tokens(llm.generate(first[:10], params, use_tqdm=False)) == expected[0][:10]
            llm.engine.check()
        finally:
            neighbour.end()
