"""Speed of the operators with a state per sequence, each alone on the CPU, as ratios to peers in the same run.

    python evals/bench/state_ops.py [--rounds 5] [--threads N] [--only NAME] [--output evals/results/state-ops.json]

A decode step of 1, 8 and 32 sequences in the middle of a chunk, against the time that the machine's memory needs for
the bytes of states and tails, against a plain step in torch that updates its states in place, and against transformers'
function for one token; a prefill of 2048 tokens against torch.mm over the same number of multiply-adds, and against
transformers' function. Inputs are bfloat16; transformers' functions compute in float32, as ours do.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine
from torchpaged.utils.huge_pages import huge_page_zeros

OPS = torch.ops.torchpaged
DTYPE = torch.bfloat16


@dataclass(frozen=True)
class Layer:
    """An operator with the sizes of a model."""

    name: str
    op: str
    heads: tuple[int, int]  # of keys, of values
    dims: tuple[int, int]  # of a key, of a value
    chunk: int = 64

    @property
    def state(self) -> tuple[int, ...]:
        (_, heads), (dim, dim_v) = self.heads, self.dims
        if self.op == "chunked_conv1d":
            return dim_v - 1, dim
        return (dim, dim_v) if self.op == "selective_scan" else (heads, dim, dim_v)

    @property
    def row(self) -> int:
        (key_heads, heads), (dim, dim_v) = self.heads, self.dims
        gates = {"gated_delta_rule": heads, "kda": heads * dim, "mamba2_scan": heads, "linear_attention": 0}
        if self.op == "chunked_conv1d":
            return dim
        return 2 * dim + dim_v if self.op == "selective_scan" else key_heads * dim + heads * dim_v + gates[self.name]

    def bytes_of_a_token(self, place: int) -> int:
        """Return the bytes read and written by a decode step of a sequence with `place` rows in its tail."""
        size = 2 if self.op == "chunked_conv1d" else 4
        if self.op == "chunked_conv1d":
            return size * self.dims[0] * (self.dims[1] + 1)
        return size * (math.prod(self.state) + (place + 1) * self.row)

    def multiply_adds(self, tokens: int) -> int:
        """Return the multiply-adds of a prefill, in whole chunks."""
        (_, heads), (dim, dim_v) = self.heads, self.dims
        if self.op == "chunked_conv1d":
            return tokens * dim * dim_v
        if self.op == "selective_scan":
            return tokens * dim * dim_v * 2
        delta = self.op == "gated_delta_rule"
        of_state = (3 if delta else 2) * dim * dim_v
        return tokens * heads * (of_state + (2 if delta else 1) * self.chunk // 2 * (dim + dim_v))


LAYERS = (
    Layer("gated_delta_rule", "gated_delta_rule", (16, 16), (128, 128)),  # Qwen3.5-0.8B
    Layer("kda", "gated_delta_rule", (16, 16), (128, 128)),
    Layer("mamba2_scan", "mamba2_scan", (1, 48), (128, 32)),  # Granite-4-H-350M
    Layer("linear_attention", "linear_attention", (16, 16), (128, 128)),
    Layer("selective_scan", "selective_scan", (1, 1), (4096, 16), chunk=16),
    Layer("chunked_conv1d", "chunked_conv1d", (1, 1), (6144, 4)),
)


def inputs(layer: Layer, tokens: int) -> dict[str, Tensor]:
    """Return the tokens' inputs and the layer's parameters, by the operator's argument names."""
    (key_heads, heads), (dim, dim_v) = layer.heads, layer.dims

    def rows(*shape: int) -> Tensor:
        return torch.randn(tokens, *shape).to(DTYPE)

    if layer.op == "chunked_conv1d":
        return {"x": rows(dim), "weight": torch.randn(dim, dim_v).to(DTYPE), "bias": torch.randn(dim).to(DTYPE)}
    if layer.op == "selective_scan":
        return {
            "x": rows(dim),
            "dt": torch.rand(tokens, dim) * 0.1,
            "a": -torch.rand(dim, dim_v),
            "b": rows(dim_v),
            "c": rows(dim_v),
        }
    if layer.op == "mamba2_scan":
        keys = {"b": rows(key_heads, dim), "c": rows(key_heads, dim)}
        return {"x": rows(heads, dim_v), "dt": torch.rand(tokens, heads) * 0.1, "a": -torch.rand(heads), **keys}
    each = {"query": rows(key_heads, dim), "key": rows(key_heads, dim) * 0.1, "value": rows(heads, dim_v)}
    if layer.op == "linear_attention":
        return {**each, "decay": -torch.rand(heads) * 0.1}
    gate = -torch.rand(tokens, heads, dim) * 0.1 if layer.name == "kda" else -torch.rand(tokens, heads) * 0.1
    return {**each, "gate": gate, "beta": torch.rand(tokens, heads).to(DTYPE)}


def ours(layer: Layer, given: dict[str, Tensor], batch: int, length: int, query_len: int) -> Callable[[], Tensor]:
    """Return a call of the operator for `batch` sequences of one length, whose last tokens are new."""
    dtype = DTYPE if layer.op == "chunked_conv1d" else torch.float32
    chunks, sets = -(-length // layer.chunk), num_sets(layer, batch)
    states = filled(sets * batch + 1, *layer.state).to(dtype)
    tails = filled(sets * batch + 1, layer.chunk, layer.row).to(dtype)
    gates = layer.heads[0] * layer.dims[0] + layer.heads[1] * layer.dims[1]
    tails[..., gates if layer.op in ("gated_delta_rule", "mamba2_scan") else layer.row :].abs_().neg_()
    lengths = torch.full((batch,), length, dtype=torch.int32)
    starts = torch.arange(0, batch * query_len + 1, query_len, dtype=torch.int32)
    calls = []
    for i in range(sets):
        state_tables, tail_tables = (torch.zeros(batch, chunks, dtype=torch.int32) for _ in range(2))
        slots = torch.arange(batch) + 1 + i * batch
        # The boundary before the first new token, and for a long prompt the last one, as an engine stores them.
        state_tables[:, max(0, (length - query_len) // layer.chunk - 1 if query_len == 1 else chunks - 1)] = slots
        tail_tables[:, chunks - 1] = slots
        calls.append((*given.values(), states, tails, state_tables, tail_tables, lengths, starts))
    function, turns = getattr(OPS, layer.op), itertools.cycle(calls)
    return lambda: function(*next(turns))


# Enough sets that no cache still holds a set's states at its next turn: a model's weights would have evicted them.
COLD = 600 << 20


def num_sets(layer: Layer, batch: int) -> int:
    """Return the number of copies of a batch's states that calls use in turn."""
    return -(-COLD // (batch * layer.bytes_of_a_token(layer.chunk // 2)))


def filled(*shape: int) -> Tensor:
    """Return random numbers of about 0.1; one megabyte of them, repeated."""
    tensor = torch.empty(shape)
    flat, piece = tensor.view(-1), torch.randn(1 << 20) * 0.1
    for start in range(0, flat.numel(), piece.numel()):
        part = flat[start : start + piece.numel()]
        part.copy_(piece[: part.numel()])
    return tensor


# --- Peers ---------------------------------------------------------------------------------------------------------


def in_place(layer: Layer, given: dict[str, Tensor], batch: int) -> Callable[[], Tensor]:
    """Return a decode step in plain torch that updates its states in place."""
    heads, (dim, dim_v) = layer.heads[1], layer.dims
    sets = num_sets(layer, batch)
    if layer.op == "chunked_conv1d":
        windows, weight = itertools.cycle(filled(sets, batch, dim, dim_v).to(DTYPE)), given["weight"]

        def convolve() -> Tensor:
            window = next(windows)
            window.copy_(torch.cat([window[..., 1:], given["x"][..., None]], -1))
            return (window * weight).sum(-1) + given["bias"]

        return convolve
    if layer.op == "selective_scan":
        x, dt, a, b, c = (given[name].float() for name in ("x", "dt", "a", "b", "c"))
        scanned_states = itertools.cycle(filled(sets, batch, dim, dim_v))

        def scan() -> Tensor:
            scanned = next(scanned_states)
            scanned.mul_((dt[..., None] * a).exp()).add_((dt * x)[..., None] * b[:, None])
            return (scanned @ c[..., None]).squeeze(-1)

        return scan

    def flat(name: str) -> Tensor:
        rows = given[name].float()
        return rows.repeat_interleave(heads // rows.shape[1], 1).view(batch * heads, -1)

    if layer.op == "mamba2_scan":
        query, key, value = flat("c"), flat("b"), (given["dt"][..., None] * given["x"]).view(batch * heads, -1)
        gate = (given["dt"] * given["a"]).view(-1, 1, 1)
    else:
        query, key, value = flat("query"), flat("key"), flat("value")
        gate = (
            given["decay"].repeat(batch).view(-1, 1, 1) if "decay" in given else given["gate"].view(len(query), -1, 1)
        )
    beta = given["beta"].float().view(-1, 1) if "beta" in given else None
    states = itertools.cycle(filled(sets, batch * heads, dim, dim_v))

    def step() -> Tensor:
        state = next(states)
        state.mul_(gate.exp())
        new = value if beta is None else beta * (value - torch.bmm(key[:, None], state)[:, 0])
        state.baddbmm_(key[:, :, None], new[:, None])
        return torch.bmm(query[:, None], state)

    return step


def transformers_function(layer: Layer, given: dict[str, Tensor], batch: int) -> Callable[[], object] | None:
    """Return the function that a transformers model calls without extra kernels; None if transformers has none."""
    rows = {name: each.view(batch, -1, *each.shape[1:]) for name, each in given.items() if name not in ("a", "weight")}
    decodes = next(iter(rows.values())).shape[1] == 1
    if layer.name == "gated_delta_rule":
        from transformers.models.qwen3_next import modeling_qwen3_next as qwen

        function = qwen.torch_recurrent_gated_delta_rule if decodes else qwen.torch_chunk_gated_delta_rule
        state = torch.zeros(batch, *layer.state)
        each = [rows[name] for name in ("query", "key", "value", "gate", "beta")]
        return lambda: function(*each, initial_state=state, output_final_state=True)
    if layer.op == "mamba2_scan" and not decodes:
        from transformers.models.mamba2 import modeling_mamba2

        scan = modeling_mamba2.mamba2_chunk_scan
        return lambda: scan(rows["x"], rows["dt"], given["a"], rows["b"], rows["c"], 256, return_final_states=True)
    if layer.op == "selective_scan" and not decodes:
        from transformers.models.mamba import modeling_mamba

        x, dt, b, c = (rows[name].transpose(1, 2) for name in ("x", "dt", "b", "c"))
        return lambda: modeling_mamba.mamba_selective_scan(x, dt, given["a"], b, c, return_last_state=True)
    if layer.op == "chunked_conv1d" and not decodes:
        x, weight, width = rows["x"].transpose(1, 2), given["weight"][:, None], layer.dims[1]
        conv1d = torch.nn.functional.conv1d
        return lambda: conv1d(x, weight, given["bias"], padding=width - 1, groups=x.shape[1])
    return None


def measure(layer: Layer, batch: int, query_len: int, rounds: int, memory: Tensor) -> dict[str, Any]:
    """Measure one call and its peers: seconds, and ratios of the rounds."""
    place = layer.chunk // 2
    length = query_len if query_len > 1 else 4 * layer.chunk + place + 1
    given = inputs(layer, batch * query_len)
    functions: dict[str, Callable[[], object]] = {"ours": ours(layer, given, batch, length, query_len)}
    peer = transformers_function(layer, given, batch)
    if peer is not None:
        functions["transformers"] = peer
    if query_len == 1:
        functions["in place"] = in_place(layer, given, batch)
        read = machine.reader()
        functions["memory"] = lambda: read(memory)
    else:
        macs = layer.multiply_adds(query_len)
        size = 1024
        a, b = torch.randn(size, size), torch.randn(size, size)
        functions["torch.mm"] = lambda: torch.mm(a, b)
    times = machine.interleaved(functions, rounds, 0.2)
    result: dict[str, Any] = {"layer": layer.name, "batch": batch, "query_len": query_len}
    result["seconds"] = {name: statistics.median(each) for name, each in times.items()}
    peers = [name for name in ("transformers", "in place") if name in times]
    result["times faster than"] = {name: machine.ratio(times[name], times["ours"]) for name in peers}
    if query_len == 1:
        result["bytes"] = batch * layer.bytes_of_a_token(place)
        bound = [result["bytes"] / memory.nbytes * seconds for seconds in times["memory"]]
        result["share of bandwidth"] = machine.ratio(bound, times["ours"])
    else:
        rate = [size**3 / each for each in times["torch.mm"]]
        result["share of torch.mm"] = statistics.median(
            macs / seconds / each for seconds, each in zip(times["ours"], rate, strict=True)
        )
    return result


def main() -> None:
    """Print a line per call; write JSON if requested."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--only", choices=[layer.name for layer in LAYERS])
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    memory = huge_page_zeros((COLD,), torch.uint8)
    results = []
    with torch.inference_mode():
        for layer in LAYERS:
            if options.only in (None, layer.name):
                for batch, query_len in ((1, 1), (8, 1), (32, 1), (1, 2048)):
                    results.append(measure(layer, batch, query_len, options.rounds, memory))
                    print(json.dumps(results[-1]), flush=True)
    if options.output:
        described = {**machine.describe(sys.argv), "results": results}
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(described, indent=1) + "\n")


if __name__ == "__main__":
    main()
