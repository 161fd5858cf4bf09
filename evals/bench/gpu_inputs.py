"""Tensors of a row of `ops_gpu.py`, and our attention over them, checked."""

from __future__ import annotations

import torch
from torch import Tensor

from evals.bench.gpu_cases import Case

OPS = torch.ops.torchpaged
# Relative to the norm: bfloat16 has 8 bits, and so has the weight of a softmax.
LARGEST_ERROR = 0.02


class Inputs:
    """One set of a case's tensors. The sequences' blocks are scattered over the pool; block 0 is the null block."""

    def __init__(self, case: Case, device: torch.device, seed: int) -> None:
        self.case, self.device = case, device
        generator = torch.Generator(device).manual_seed(seed)
        num_seqs, width = len(case.lengths), case.blocks_per_seq
        dtype = getattr(torch, case.cache)
        shape = (num_seqs * width + 1, case.block_size, case.kv_heads, case.head_dim)

        def random(*sizes: int) -> Tensor:
            return torch.randn(sizes, generator=generator, device=device, dtype=torch.bfloat16)

        self.keys, self.values = (random(*shape).to(dtype) for _ in range(2))
        new = [n for n, _ in case.lengths]
        order = torch.randperm(num_seqs * width, generator=generator, device=device) + 1
        self.tables = order.view(num_seqs, width).to(torch.int32)
        self.seq_lens = torch.tensor([t for _, t in case.lengths], dtype=torch.int32, device=device)
        self.starts = torch.tensor([0, *new], device=device).cumsum(0).to(torch.int32)
        self.query = random(sum(new), case.heads, case.head_dim)
        self.new_keys, self.new_values = (random(sum(new), case.kv_heads, case.head_dim) for _ in range(2))
        self.scale = None if case.cache == "bfloat16" else torch.ones((), device=device)
        self.out = torch.full_like(self.query, torch.nan)
        self.slots = (
            torch.randperm((shape[0] - 1) * case.block_size, generator=generator, device=device)[: sum(new)]
            + case.block_size
        )
        self.max_query_len = max(new)

    def attend(self) -> None:
        """Call paged_attention.out."""
        OPS.paged_attention.out(
            *(self.query, self.keys, self.values, self.tables, self.seq_lens, self.starts),
            k_scale=self.scale,
            v_scale=self.scale,
            max_query_len=self.max_query_len,
            out=self.out,
        )

    def contiguous(self, index: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return (query, keys, values) of one sequence, [heads, tokens, head_dim] in the query's dtype."""
        first, last = int(self.starts[index]), int(self.starts[index + 1])
        total = self.case.lengths[index][1]
        rows = self.tables[index].long()
        keys, values = (
            each.view(torch.uint8)[rows].view(each.dtype).flatten(0, 1)[:total].to(self.query.dtype).transpose(0, 1)
            if each.dtype.itemsize == 1
            else each[rows].flatten(0, 1)[:total].transpose(0, 1)
            for each in (self.keys, self.values)
        )
        return self.query[first:last].transpose(0, 1), keys, values

    def check_attention(self) -> float:
        """Return the relative error to float64 of the sequence with the fewest pairs; raise on unwritten elements."""
        self.out.fill_(torch.nan)
        self.attend()
        if self.out.isnan().any():
            raise RuntimeError(f"{self.case.name}: {int(self.out.isnan().sum())} elements were not written")
        index = min(range(len(self.case.lengths)), key=lambda i: self.case.lengths[i][0] * self.case.lengths[i][1])
        first, last = int(self.starts[index]), int(self.starts[index + 1])
        query, keys, values = (each[:, -64:] if i == 0 else each for i, each in enumerate(self.contiguous(index)))
        group, rows, total = self.case.heads // self.case.kv_heads, query.shape[1], keys.shape[1]
        position = torch.arange(total - rows, total, device=self.device)[:, None]
        hidden = torch.arange(total, device=self.device) > position
        errors = []
        for head in range(self.case.heads):
            q, k, v = query[head].double(), keys[head // group].double(), values[head // group].double()
            scores = (q @ k.T * self.case.head_dim**-0.5).masked_fill(hidden, -torch.inf)
            expected = scores.softmax(-1) @ v
            found = self.out[first:last, head][-rows:].double()
            errors.append(((found - expected).norm() / expected.norm()).item())
        if not max(errors) <= LARGEST_ERROR:
            raise RuntimeError(f"{self.case.name}: relative error {max(errors):.2e}, expected at most {LARGEST_ERROR}")
        return max(errors)
