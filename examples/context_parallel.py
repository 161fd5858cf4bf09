"""Divides the keys and values of one long sequence over two processes, which answer each query together.

Run it from the root: `python examples/context_parallel.py`. Each rank keeps every second block of the sequence. A query
is the same on both; each attends over its own blocks, and the two results are merged by their log-sum-exps. One vector
and one number travel for each query head, however long the sequence is.
"""

import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

import torchpaged  # noqa: F401  # registers torch.ops.torchpaged

BLOCK, HEADS, KV_HEADS, DIM = 16, 8, 2, 64
NUM_TOKENS, NUM_STEPS = 1000, 20


class DividedCache:
    """One sequence's blocks on one of several ranks: block b is on rank b % world, at place b // world."""

    def __init__(self, rank, world, num_tokens):
        self.rank, self.world = rank, world
        num_blocks = -(-num_tokens // BLOCK // world) + 1
        self.keys, self.values = (torch.zeros(num_blocks, BLOCK, KV_HEADS, DIM) for _ in range(2))
        self.table = torch.arange(num_blocks, dtype=torch.int32)[None]
        self.length = 0  # of the sequence, on all ranks

    def append(self, keys, values):
        """Keep those of the next tokens that belong here: [num_tokens, KV_HEADS, DIM]."""
        places = torch.arange(self.length, self.length + len(keys))
        blocks = places // BLOCK
        here = blocks // self.world * BLOCK + places % BLOCK
        slots = torch.where(blocks % self.world == self.rank, here, -1)  # -1: not written
        torch.ops.torchpaged.write_kv_cache(keys, values, self.keys, self.values, slots)
        self.length += len(keys)

    def num_here(self):
        """Return how many tokens of the sequence are on this rank."""
        whole, rest = divmod(self.length, BLOCK * self.world)
        return whole * BLOCK + min(max(rest - self.rank * BLOCK, 0), BLOCK)

    def attend(self, query):
        """Return the attention of one token [1, HEADS, DIM] over the whole sequence, the same on all ranks."""
        one = torch.tensor([0, 1], dtype=torch.int32)
        lengths = torch.tensor([self.num_here()], dtype=torch.int32)
        # Every key here is before the query, so nothing is masked.
        out, lse = torch.ops.torchpaged.paged_attention_with_lse(
            query, self.keys, self.values, self.table, lengths, one, causal=False
        )
        parts = [torch.empty(1, HEADS, DIM + 1) for _ in range(self.world)]
        dist.all_gather(parts, torch.cat([out, lse[..., None]], dim=-1))
        out, lse = parts[0][..., :DIM].contiguous(), parts[0][..., DIM].contiguous()
        for part in parts[1:]:  # in the order of ranks, so that all of them get the same bits
            other, its_lse = part[..., :DIM].contiguous(), part[..., DIM].contiguous()
            out, lse = torch.ops.torchpaged.merge_attention_states(out, lse, other, its_lse)
        return out


def run(rank, world, folder):
    """Decode some steps of random numbers, and compare them with a cache that is not divided."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=world)
    torch.manual_seed(0)  # the same numbers on all ranks
    divided, whole = (DividedCache(*place, NUM_TOKENS + NUM_STEPS) for place in ((rank, world), (0, 1)))
    prompt = torch.randn(2, NUM_TOKENS, KV_HEADS, DIM)
    largest = 0.0
    for cache in (divided, whole):
        cache.append(*prompt)
    for _ in range(NUM_STEPS):
        query, new = torch.randn(1, HEADS, DIM), torch.randn(2, 1, KV_HEADS, DIM)
        for cache in (divided, whole):
            cache.append(*new)
        found = divided.attend(query)
        everything = torch.tensor([[0, 1], [whole.length, 0]], dtype=torch.int32)
        expected = torch.ops.torchpaged.paged_attention(
            query, whole.keys, whole.values, whole.table, everything[1, :1], everything[0]
        )
        largest = max(largest, (found - expected).abs().max().item())
    line = f"rank {rank}: {divided.num_here()} of {divided.length} tokens, largest difference {largest:.1e}\n"
    print(line, end="", flush=True)  # one write a line, so that the ranks' lines do not mix
    assert largest < 2e-6
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run, args=(2, folder), nprocs=2)
