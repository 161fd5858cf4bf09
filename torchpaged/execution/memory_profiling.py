"""What steps and graphs take of a device's memory beside weights and pool, measured on the widest there can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor

from torchpaged.execution.decode_graphs import Capture, NotCapturable, cuda_capture

_Size = TypeVar("_Size")


@dataclass(frozen=True, slots=True)
class StepShape:
    """A step by its sequences: how many tokens it computes of each, and how many stand before them in the cache."""

    query_lens: list[int]
    context_lens: list[int]

    @classmethod
    def at_the_end(cls, query_lens: Sequence[int], max_model_len: int) -> StepShape:
        """Of sequences that these tokens make as long as they may become."""
        return cls(list(query_lens), [max_model_len - length for length in query_lens])


def widest_steps(max_num_seqs: int, max_num_batched_tokens: int, max_model_len: int) -> list[StepShape]:
    """Steps with as many sequences as there can be, each as long as it can be, and of tokens the most, or fewer.

    The first has the most of everything: tokens, sequences, table columns. The others have their tokens in queries of
    one length, fewer and fewer: attention keeps partial results where queries are short, up to so many bytes.
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
    choose: Callable[[Tensor, int], None],
    graphs: Callable[[Sequence[int], Capture], object] | None,
) -> int:
    """Bytes to leave free: what the step that takes most needs while it runs, and what the graphs keep.

    Args:
        steps: of `widest_steps`.
        decodes: in ascending order; of as many sequences each as a graph has.
        forward: runs a step; hidden states of every token of it.
        choose: does all that may be asked of these at once, for so many sequences.
        graphs: captures graphs for so many sequences each; None: there will be none.
    """

    before = torch.cuda.memory_allocated(device)  # buffers that a step enlarges stay so

    def peak(step: StepShape, *, chooses: bool) -> int:
        torch.cuda.reset_peak_memory_stats(device)
        hidden = forward(step)
        if chooses:
            choose(hidden, len(step.query_lens))
        return torch.cuda.max_memory_allocated(device) - before

    peaks = [peak(step, chooses=True) for step in steps]
    # Not the largest takes the most: attention keeps partial results of a batch, or none if they would be too many.
    of_size = {len(step.query_lens): peak(step, chooses=False) for step in decodes}
    reserve = max(*peaks, *of_size.values())
    if graphs is not None:
        sizes = sorted({min(of_size), max(of_size), max(of_size, key=of_size.__getitem__)})
        reserve += graph_bytes(device, len(of_size), sizes, graphs)
    return reserve


def graph_bytes(
    device: torch.device, num_graphs: int, sizes: Sequence[_Size], graphs: Callable[[Sequence[_Size], Capture], object]
) -> int:
    """What all graphs take, of which these sizes alone are captured for it, in ascending order.

    They share one memory, so the largest ones take as much as all together, and what the smallest takes behind them
    each of the others takes for itself.
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
    with suppress(NotCapturable):  # compiled it may be
        graphs(sizes, partial(measuring, cuda_capture()))
    complete, others = len(taken) > len(sizes) > 1, num_graphs - len(sizes)
    return taken[-1] + (others * (taken[-1] - taken[-2]) if complete else 0)
