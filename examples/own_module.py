"""Implements Llama directly over the operators and generates with its own block tables: no engine, no transformers.

Run it from the root: `python examples/own_module.py`; add `--compile` for `torch.compile(backend="torchpaged")`.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import linear, silu
from transformers import AutoTokenizer

import torchpaged  # noqa: F401 - importing it registers torch.ops.torchpaged

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"
BLOCK_SIZE = 16


class Layer(nn.Module):
    def __init__(self, width, inner, heads, kv_heads, head_dim, eps):
        super().__init__()
        sizes = {"q": (width, heads * head_dim), "k": (width, kv_heads * head_dim), "v": (width, kv_heads * head_dim)}
        sizes["o"] = (heads * head_dim, width)
        self.head_dim = head_dim
        self.self_attn = nn.ModuleDict({f"{name}_proj": nn.Linear(*size, bias=False) for name, size in sizes.items()})
        sizes = {"gate": (width, inner), "up": (width, inner), "down": (inner, width)}
        self.mlp = nn.ModuleDict({f"{name}_proj": nn.Linear(*size, bias=False) for name, size in sizes.items()})
        self.input_layernorm, self.post_attention_layernorm = nn.RMSNorm(width, eps), nn.RMSNorm(width, eps)

    def forward(self, x, cos, sin, cache, slots, block_tables, seq_lens, query_start_loc):
        h = self.input_layernorm(x)
        q, k, v = (self.self_attn[f"{name}_proj"](h).unflatten(-1, (-1, self.head_dim)) for name in "qkv")
        q, k = rotated(q, cos, sin), rotated(k, cos, sin)
        torch.ops.torchpaged.write_kv_cache(k, v, *cache, slots)
        y = torch.ops.torchpaged.paged_attention(q, *cache, block_tables, seq_lens, query_start_loc)
        x = x + self.self_attn["o_proj"](y.flatten(1))
        h = self.post_attention_layernorm(x)
        return x + self.mlp["down_proj"](silu(self.mlp["gate_proj"](h)) * self.mlp["up_proj"](h))


def rotated(x, cos, sin):
    one, two = x.chunk(2, -1)
    return torch.cat([one * cos - two * sin, two * cos + one * sin], -1)


class Llama(nn.Module):
    """A Llama that maps packed tokens of any number of sequences to logits after each sequence's last token."""

    def __init__(self, config):
        super().__init__()
        width, heads, kv_heads = (config[n] for n in ("hidden_size", "num_attention_heads", "num_key_value_heads"))
        self.shape, eps = (kv_heads, config["head_dim"]), config["rms_norm_eps"]
        layer = (width, config["intermediate_size"], heads, kv_heads, config["head_dim"], eps)
        layers = nn.ModuleList(Layer(*layer) for _ in range(config["num_hidden_layers"]))
        self.model = nn.ModuleDict({"embed_tokens": nn.Embedding(config["vocab_size"], width), "layers": layers})
        self.model["norm"] = nn.RMSNorm(width, eps)
        powers = torch.arange(0, config["head_dim"], 2) / config["head_dim"]
        self.frequencies = 10000.0**-powers  # not a buffer, so that it stays float32 when the model is converted

    def new_caches(self, num_blocks):
        """Allocate a pair of pools for each layer. Block 0 stays unused: padding points to it."""
        shape, dtype = (num_blocks, BLOCK_SIZE, *self.shape), self.model["norm"].weight.dtype
        return [tuple(torch.zeros(shape, dtype=dtype) for _ in "kv") for _ in self.model["layers"]]

    def forward(self, token_ids, positions, caches, slots, block_tables, seq_lens, query_start_loc):
        x = self.model["embed_tokens"](token_ids)
        angles = positions[:, None, None] * self.frequencies
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for layer, cache in zip(self.model["layers"], caches, strict=True):
            x = layer(x, cos, sin, cache, slots, block_tables, seq_lens, query_start_loc)
        last = self.model["norm"](x[query_start_loc[1:] - 1])
        return linear(last, self.model["embed_tokens"].weight)  # the head is tied to the embedding


def load(folder, dtype=torch.float32):
    model = Llama(json.loads((folder / "config.json").read_text()))
    model.load_state_dict(load_file(folder / "model.safetensors"))
    return model.to(dtype)


@torch.inference_mode()
def generate(forward, caches, prompts, num_tokens):
    """Generate greedily. The first step computes all prompts, later ones a token of each sequence: the same call."""
    sequences, done = [list(prompt) for prompt in prompts], [0] * len(prompts)
    width = -(-(max(map(len, prompts)) + num_tokens) // BLOCK_SIZE)  # blocks that the longest sequence will need
    tables = 1 + torch.arange(len(prompts) * width, dtype=torch.int32).view(-1, width)
    for _ in range(num_tokens):
        new = [range(first, len(tokens)) for first, tokens in zip(done, sequences, strict=True)]
        rows = [(row, position) for row, positions in enumerate(new) for position in positions]
        slots = [int(tables[row, p // BLOCK_SIZE]) * BLOCK_SIZE + p % BLOCK_SIZE for row, p in rows]
        logits = forward(
            torch.tensor([sequences[row][position] for row, position in rows]),
            torch.tensor([position for _, position in rows]),
            caches,
            torch.tensor(slots),
            tables,
            torch.tensor([len(tokens) for tokens in sequences], dtype=torch.int32),
            torch.tensor([0, *map(len, new)]).cumsum(0).to(torch.int32),
        )
        done = [len(tokens) for tokens in sequences]
        for tokens, token in zip(sequences, logits.argmax(-1).tolist(), strict=True):
            tokens.append(token)
    return sequences


if __name__ == "__main__":
    tokenizer, model = AutoTokenizer.from_pretrained(MODEL), load(MODEL)
    words = [word for word in sys.argv[1:] if word != "--compile"]
    if "--compile" in sys.argv:
        model.compile(backend="torchpaged")
    token_ids = tokenizer(words or ["def main(", "import os\nimport "])["input_ids"]
    for sequence in generate(model, model.new_caches(num_blocks=64), token_ids, num_tokens=24):
        print(tokenizer.decode(sequence))
        print("---")
