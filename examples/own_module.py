"""A Llama written by hand over the operators, with block tables of its own: no engine, no transformers model.

Run it from the root: `python examples/own_module.py`.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch.nn.functional import linear, rms_norm, silu
from transformers import AutoTokenizer

import torchpaged  # noqa: F401 - importing it registers torch.ops.torchpaged

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"
BLOCK_SIZE, NUM_BLOCKS = 16, 64


class Llama:
    """Packed tokens of any number of sequences in, logits of each sequence's last token out."""

    def __init__(self, folder):
        self.weights = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
        config = json.loads((folder / "config.json").read_text())
        self.num_layers, self.eps = config["num_hidden_layers"], config["rms_norm_eps"]
        self.heads = config["num_attention_heads"], config["num_key_value_heads"]
        self.head_dim = config["hidden_size"] // self.heads[0]
        self.frequencies = 10000.0 ** -(torch.arange(0, self.head_dim, 2) / self.head_dim)
        shape = (NUM_BLOCKS, BLOCK_SIZE, self.heads[1], self.head_dim)
        self.caches = [(torch.zeros(shape), torch.zeros(shape)) for _ in range(self.num_layers)]

    def rotated(self, x, positions):
        angles = positions[:, None, None] * self.frequencies
        one, two = x.chunk(2, -1)
        return torch.cat([one * angles.cos() - two * angles.sin(), two * angles.cos() + one * angles.sin()], -1)

    def forward(self, token_ids, positions, slots, block_tables, seq_lens, query_start_loc):
        x = self.weights["model.embed_tokens.weight"][token_ids]
        for index, (key_cache, value_cache) in enumerate(self.caches):
            own = {n.split(f"layers.{index}.")[1]: w for n, w in self.weights.items() if f"layers.{index}." in n}
            h = rms_norm(x, x.shape[-1:], own["input_layernorm.weight"], self.eps)
            q, k, v = (
                linear(h, own[f"self_attn.{name}_proj.weight"]).unflatten(-1, (-1, self.head_dim)) for name in "qkv"
            )
            q, k = self.rotated(q, positions), self.rotated(k, positions)
            torch.ops.torchpaged.write_kv_cache(k, v, key_cache, value_cache, slots)
            y = torch.ops.torchpaged.paged_attention(q, key_cache, value_cache, block_tables, seq_lens, query_start_loc)
            x = x + linear(y.flatten(1), own["self_attn.o_proj.weight"])
            h = rms_norm(x, x.shape[-1:], own["post_attention_layernorm.weight"], self.eps)
            gated = silu(linear(h, own["mlp.gate_proj.weight"])) * linear(h, own["mlp.up_proj.weight"])
            x = x + linear(gated, own["mlp.down_proj.weight"])
        last = rms_norm(x[query_start_loc[1:] - 1], x.shape[-1:], self.weights["model.norm.weight"], self.eps)
        return linear(last, self.weights["model.embed_tokens.weight"])  # the head is tied to the embedding


class Tables:
    """Which blocks each sequence has; block 0 is nobody's, where padding points."""

    def __init__(self, num_seqs):
        self.free, self.blocks = list(range(1, NUM_BLOCKS)), [[] for _ in range(num_seqs)]

    def slots(self, sequence, positions):
        """Where these tokens' keys and values go; takes a block where one begins."""
        table = self.blocks[sequence]
        while len(table) * BLOCK_SIZE <= positions[-1]:
            table.append(self.free.pop(0))
        return [table[position // BLOCK_SIZE] * BLOCK_SIZE + position % BLOCK_SIZE for position in positions]

    def tensor(self):
        width = max(map(len, self.blocks))
        return torch.tensor([table + [0] * (width - len(table)) for table in self.blocks], dtype=torch.int32)


@torch.inference_mode()
def generate(model, prompts, num_tokens):
    """Greedy. The first step computes all prompts, each other one a token of each sequence: it is the same call."""
    sequences, tables, done = [list(prompt) for prompt in prompts], Tables(len(prompts)), [0] * len(prompts)
    for _ in range(num_tokens):
        new = [list(range(first, len(tokens))) for first, tokens in zip(done, sequences, strict=True)]
        slots = [slot for sequence, positions in enumerate(new) for slot in tables.slots(sequence, positions)]
        starts = torch.tensor([0, *map(len, new)]).cumsum(0)
        logits = model.forward(
            torch.tensor([tokens[p] for tokens, positions in zip(sequences, new, strict=True) for p in positions]),
            torch.tensor([p for positions in new for p in positions]),
            torch.tensor(slots),
            tables.tensor(),
            torch.tensor([len(tokens) for tokens in sequences], dtype=torch.int32),
            starts.to(torch.int32),
        )
        done = [len(tokens) for tokens in sequences]
        for tokens, token in zip(sequences, logits.argmax(-1).tolist(), strict=True):
            tokens.append(token)
    return sequences


if __name__ == "__main__":
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    prompts = sys.argv[1:] or ["def main(", "import os\nimport "]
    for sequence in generate(Llama(MODEL), tokenizer(prompts)["input_ids"], num_tokens=24):
        print(tokenizer.decode(sequence))
        print("---")
