"""Measures the memory that steps and graphs take beside weights and pool, on the widest steps possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from torchpaged.execution.cuda_graphs import Capture, GraphShape, NotCapturable, cuda_capture


@dataclass(frozen=True, slots=True)
class StepShape:
    """Query and context lengths of a step, by sequence."""

    query_lens: list[int]
    context_lens: list[int]

    @classmethod
    def at_the_end(cls, query_lens: Sequence[int], max_model_len: int) -> StepShape:
        """Return a step in which these queries end at the maximum length."""
        return cls(list(query_lens), [max_model_len - length for length in query_lens])


def widest_steps(max_num_seqs: int, max_num_batched_tokens: int, max_model_len: int) -> list[StepShape]:
    """Return steps with as many sequences as possible, each as long as possible.

    The first has the most tokens, sequences and table columns at once. The others have queries of one length, shorter
    and shorter: attention keeps partial results where queries are short, up to a limit in bytes.
    """
    seqs = min(max_num_seqs, max_num_batched_tokens)
    tokens = min(max_num_batched_tokens, seqs * max_model_len)
    query_lens, rest = [], tokens - seqs
    for _ in range(seqs):
        more = min(max_model_len - 1, rest)
        query_lens.append(1 + more)
        rest -= more
    shapes = [query_lens]
    while tokens > seqs:
        shapes.append([tokens // seqs + (i < tokens % seqs) for i in range(seqs)])
        tokens //= 2
    return [StepShape.at_the_end(each, max_model_len) for each in shapes]


def measure(
    device: torch.device,
    steps: Sequence[StepShape],
    decodes: Sequence[StepShape],
    *,
    forward: Callable[[StepShape], Tensor],
    sample: Callable[[Tensor, int], None],
    graphs: Callable[[Sequence[GraphShape], Capture], object] | None,
) -> int:
    """Return the bytes to leave free: the highest peak of a step, and what the graphs keep.

    Args:
        device: where the steps run.
        steps: from `widest_steps`.
        decodes: decode steps of the graphs' sizes, ascending.
        forward: runs a step and returns the hidden states of all its tokens.
        sample: does everything that requests may ask of these, for so many sequences.
        graphs: captures graphs of these shapes; None: there will be none.
    """

    before = torch.cuda.memory_allocated(device)  # not per step: buffers that a step enlarges stay enlarged

    def peak(step: StepShape, *, samples: bool) -> int:
        torch.cuda.reset_peak_memory_stats(device)
        hidden = forward(step)
        if samples:
            sample(hidden, len(step.query_lens))
        return torch.cuda.max_memory_allocated(device) - before

    peaks = [peak(step, samples=True) for step in steps]
    # The largest need not take the most: attention keeps no partial results where they would be too many.
    by_size = {len(step.query_lens): peak(step, samples=False) for step in decodes}
    reserve = max(*peaks, *by_size.values())
    if graphs is not None:
        sizes = sorted({min(by_size), max(by_size), max(by_size, key=by_size.__getitem__)})
        reserve += graph_bytes(device, len(by_size), [GraphShape(size, 1) for size in sizes], graphs)
    return reserve


def graph_bytes(
    device: torch.device,
    num_graphs: int,
    shapes: Sequence[GraphShape],
    graphs: Callable[[Sequence[GraphShape], Capture], object],
) -> int:
    """Estimate the bytes of all graphs from some of them, given in ascending order.

    The graphs share one memory pool. So the largest take as much as all together, except for a part of its own that
    each graph has: that is the part that the smallest takes after the others.
    """
    taken = [0]

    def measuring(capture: Capture, call: Callable[[], None]) -> Callable[[], None]:
        replay = capture(call)
        torch.cuda.synchronize(device)
        taken.append(max(taken[-1], free - torch.cuda.mem_get_info(device)[0]))
        return replay

    torch.cuda.synchronize(device)
    torch.cuda.empty_cache()
    free, _ = torch.cuda.mem_get_info(device)
    with suppress(NotCapturable):  # this is the eager forward; the compiled one may be capturable
        graphs(shapes, partial(measuring, cuda_capture()))
    complete, others = len(taken) > len(shapes) > 1, num_graphs - len(shapes)
    return taken[-1] + (others * (taken[-1] - taken[-2]) if complete else 0)
