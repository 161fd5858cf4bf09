"""Manages a paged cache in your own code: PagedKVCache, slots, block tables, metadata, a decode loop, CUDA graphs.

Run it from the root: `python examples/own_cache.py`.
"""

import torch
from torch import nn

from torchpaged import AttentionMetadata, LayerShape, PagedAttention, PagedKVCache

BLOCK_SIZE, NUM_BLOCKS, LONGEST = 16, 32, 64  # tokens in a block, blocks in the pool, most tokens of a sequence
VOCAB, LAYERS, HEADS, KV_HEADS, HEAD_DIM = 50, 2, 4, 2, 16
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Decoder(nn.Module):
    """A decoder whose attention is `PagedAttention`; it takes the tokens of all sequences packed into one dimension."""

    def __init__(self):
        super().__init__()
        width = HEADS * HEAD_DIM
        self.embedding = nn.Embedding(VOCAB, width)
        self.qkv = nn.ModuleList(nn.Linear(width, (HEADS + 2 * KV_HEADS) * HEAD_DIM) for _ in range(LAYERS))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(LAYERS))
        self.head = nn.Linear(width, VOCAB)
        self.attention = nn.ModuleList(PagedAttention(HEADS, HEAD_DIM, num_kv_heads=KV_HEADS) for _ in range(LAYERS))

    def forward(self, token_ids, metadata, caches):
        """Map [num_tokens] to logits after each sequence's last token, [num_seqs, VOCAB]; writes the caches."""
        x = self.embedding(token_ids)
        for qkv, attention, out, cache in zip(self.qkv, self.attention, self.out, caches, strict=True):
            q, k, v = qkv(x).unflatten(-1, (-1, HEAD_DIM)).split([HEADS, KV_HEADS, KV_HEADS], dim=1)
            x = x + out(attention(q, k, v, metadata, cache).flatten(1))
        last = metadata.query_start_loc[1:].long() - 1
        return self.head(x[last])


def pool():
    """Allocate each layer's key and value tensors. Your code assigns the blocks; block 0 is not used here."""
    layers = {index: LayerShape(KV_HEADS, HEAD_DIM, HEAD_DIM) for index in range(LAYERS)}
    return PagedKVCache(layers, NUM_BLOCKS, BLOCK_SIZE, torch.float32, DEVICE).by_layer()


def block_tables(num_seqs):
    """Give each sequence all the blocks that it can fill, in any order: [num_seqs, max_blocks_per_seq] int32."""
    width = LONGEST // BLOCK_SIZE
    ids = torch.randperm(NUM_BLOCKS - 1)[: num_seqs * width] + 1
    return ids.view(num_seqs, width).to(torch.int32).to(DEVICE)


def prefill(model, prompts, tables, caches):
    """Compute all prompts in one packed call. Returns the next token and the length of each."""
    lens = torch.tensor([len(prompt) for prompt in prompts], dtype=torch.int32)
    slots = [
        tables[row, position // BLOCK_SIZE].long() * BLOCK_SIZE + position % BLOCK_SIZE  # slots are int64
        for row, prompt in enumerate(prompts)
        for position in range(len(prompt))
    ]
    starts = torch.cat([torch.zeros(1, dtype=torch.int32), lens.cumsum(0, dtype=torch.int32)])
    metadata = AttentionMetadata(
        slot_mapping=torch.stack(slots),
        block_tables=tables,
        seq_lens=lens.to(DEVICE),
        query_start_loc=starts.to(DEVICE),
        max_query_len=int(lens.max()),
    )
    token_ids = torch.tensor([token for prompt in prompts for token in prompt], device=DEVICE)
    return model(token_ids, metadata, caches).argmax(-1), lens.to(DEVICE)


def decode(model, token_ids, lens, tables, caches):
    """Compute one token of each sequence. All inputs are on the device: the host waits for nothing."""
    block = tables.gather(1, (lens // BLOCK_SIZE)[:, None].long())[:, 0].long()
    starts = torch.arange(len(token_ids) + 1, dtype=torch.int32, device=token_ids.device)
    metadata = AttentionMetadata(block * BLOCK_SIZE + lens % BLOCK_SIZE, tables, lens + 1, starts, 1)
    return model(token_ids, metadata, caches).argmax(-1)


@torch.inference_mode()
def generate(model, prompts, num_tokens, step=decode):
    tables, caches = block_tables(len(prompts)), pool()
    for cache in caches:  # for CUDA graphs: see the end of the file
        torch._dynamo.mark_static_address(cache.key)
        torch._dynamo.mark_static_address(cache.value)
    token_ids, lens = prefill(model, prompts, tables, caches)
    sequences = [token_ids.tolist()]
    for _ in range(num_tokens - 1):
        token_ids = step(model, token_ids, lens, tables, caches).clone()
        lens = lens + 1
        sequences.append(token_ids.tolist())
    return list(map(list, zip(*sequences, strict=True)))


def captured(model, token_ids, lens, tables, caches):
    """Capture `decode` as a CUDA graph by hand: its inputs and outputs keep their addresses."""
    inputs = token_ids.clone(), lens.clone()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):  # compile kernels first: compilation is not allowed during capture
        decode(model, *inputs, tables, caches)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = decode(model, *inputs, tables, caches)

    def replay(model, token_ids, lens, tables, caches):
        inputs[0].copy_(token_ids)
        inputs[1].copy_(lens)
        graph.replay()
        return result

    return replay


class Captured:
    """`decode` as a CUDA graph, captured at the first call."""

    def __init__(self):
        self.replay = None

    def __call__(self, *arguments):
        self.replay = self.replay or captured(*arguments)
        return self.replay(*arguments)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Decoder().to(DEVICE)
    prompts = [[3, 1, 4, 1, 5], [9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6], [4]]
    expected = generate(model, prompts, num_tokens=24)
    print("eager", expected[0])
    # It compiles to one graph without breaks. On CUDA mode="reduce-overhead" captures it as a CUDA graph. torch refuses
    # to capture writes into inputs, unless `mark_static_address` promises that their addresses stay the same.
    mode = "reduce-overhead" if DEVICE.type == "cuda" else "default"
    compiled = torch.compile(decode, fullgraph=True, mode=mode)
    print("compiled, the same:", generate(model, prompts, 24, compiled) == expected)
    if DEVICE.type == "cuda":
        print("captured, the same:", generate(model, prompts, 24, Captured()) == expected)
