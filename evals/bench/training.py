"""Speed of attention in training, forward and backward, on packed batches of mixed length, against torch's SDPA.

    python evals/bench/training.py attention model [--threads 1] [--case mixed] [--json evals/results/training.json]

- attention: `varlen_attention` over sequences of several lengths, packed, against `scaled_dot_product_attention` in the
  three ways that the same batch is given to it: as one packed row with a mask (what transformers does), padded, and one
  sequence after the other.
- model: a training step of a Llama (forward, cross-entropy, backward) over a packed row, by `attn_implementation`.

All ways of a case take turns in one run. Prints a table of medians, and writes JSON, where rows of other parts stay.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from evals.bench import machine


@dataclass(frozen=True)
class Case:
    """One batch: lengths of its sequences, heads, and the dtype."""

    name: str
    lengths: tuple[int, ...]
    heads: int
    kv_heads: int
    dim: int
    dtype: str = "float32"


_MIXED = (18, 256, 45, 130, 350, 76, 17, 132)
CASES = (
    Case("mixed", _MIXED, 8, 2, 64),
    Case("mixed, wide heads", _MIXED, 8, 8, 128),
    Case("one sequence", (768,), 8, 2, 64),
)


def tensors(case: Case) -> list[Tensor]:
    """Return packed query, key and value."""
    g, total = torch.Generator().manual_seed(0), sum(case.lengths)
    shapes = [(total, heads, case.dim) for heads in (case.heads, case.kv_heads, case.kv_heads)]
    dtype = getattr(torch, case.dtype)
    return [torch.randn(shape, generator=g).to(dtype).requires_grad_() for shape in shapes]


def by_torch(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
    """Call SDPA with [batch, tokens, heads, dim], keys repeated: with enable_gqa it is five times slower on a CPU."""
    group = query.shape[2] // key.shape[2]
    key, value = (each.repeat_interleave(group, 2) if group > 1 else each for each in (key, value))
    heads_first = (each.transpose(1, 2) for each in (query, key, value))
    return F.scaled_dot_product_attention(*heads_first, **options).transpose(1, 2)


def attention_ways(case: Case) -> dict[str, Callable[[], Any]]:
    """Return each way to compute the case, forward and backward."""
    lengths, given = list(case.lengths), tensors(case)
    starts = torch.tensor([0, *lengths], dtype=torch.int32).cumsum(0, dtype=torch.int32)
    longest = max(lengths)
    sequence = torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths))
    at = torch.arange(len(sequence))
    mask = (sequence[:, None] == sequence[None]) & (at[:, None] >= at[None])
    place = torch.cat([i * longest + torch.arange(n) for i, n in enumerate(lengths)])
    grad = torch.randn(len(sequence), case.heads, case.dim).to(given[0].dtype)

    def ours() -> Tensor:
        return torch.ops.torchpaged.varlen_attention(*given, starts, starts)

    def masked() -> Tensor:
        return by_torch(*(each[None] for each in given), attn_mask=mask)[0]

    def padded() -> Tensor:
        rows = [each.new_zeros(len(lengths) * longest, *each.shape[1:]).index_copy(0, place, each) for each in given]
        out = by_torch(*(each.unflatten(0, (len(lengths), longest)) for each in rows), is_causal=True)
        return out.flatten(0, 1)[place]

    def one_by_one() -> Tensor:
        parts = zip(*(each.split(lengths) for each in given), strict=True)
        return torch.cat([by_torch(*(each[None] for each in part), is_causal=True)[0] for part in parts])

    ways = {"torchpaged": ours, "SDPA, packed": masked, "SDPA, padded": padded, "SDPA, one by one": one_by_one}
    expected = torch.autograd.grad(one_by_one(), given, grad)
    tolerance = 1e-3 if case.dtype == "float32" else 3e-2
    for name, way in ways.items():  # the same numbers, or the times mean nothing
        for one, other in zip(torch.autograd.grad(way(), given, grad), expected, strict=True):
            difference = (one - other).float().norm() / other.float().norm()
            assert difference < tolerance, f"{case.name}: {name} differs by {difference:.1e}"

    def step(way: Callable[[], Tensor]) -> Callable[[], Any]:
        return lambda: torch.autograd.grad(way(), given, grad)

    return {name: step(way) for name, way in ways.items()}


def model_ways() -> dict[str, Callable[[], Any]]:
    """Return a training step of one Llama by each attention."""
    from transformers import LlamaConfig, LlamaForCausalLM

    import torchpaged.integrations.transformers  # noqa: F401  registers the attention

    config = LlamaConfig(
        hidden_size=256,
        intermediate_size=640,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=4096,
    )
    torch.manual_seed(0)
    model = LlamaForCausalLM(config)
    positions = torch.cat([torch.arange(length) for length in _MIXED])[None]
    tokens = torch.randint(4096, positions.shape)
    labels = tokens.masked_fill(positions == 0, -100)

    def step(implementation: str) -> Callable[[], Any]:
        def run() -> float:
            model.set_attn_implementation(implementation)
            model.zero_grad(set_to_none=True)
            loss = model(tokens, position_ids=positions, labels=labels, use_cache=False).loss
            loss.backward()
            return loss.item()

        return run

    ways = {"torchpaged": step("torchpaged"), "SDPA, packed": step("sdpa")}
    losses = [way() for way in ways.values()]
    assert abs(losses[0] - losses[1]) < 1e-3, losses
    return ways


def measure(title: str, ways: dict[str, Callable[[], Any]], seconds: float, **facts: Any) -> dict[str, Any]:
    """Return a row: each way's median in milliseconds, and SDPA's quickest against ours."""
    machine.progress(title)
    times = machine.interleaved(ways, 3, seconds)
    medians = {way: statistics.median(each) * 1e3 for way, each in times.items()}
    quickest = min((each for each in medians if each != "torchpaged"), key=medians.__getitem__)
    ratio = machine.ratio(times[quickest], times["torchpaged"])
    print(f"{title:20}", *(f"{way} {each:8.2f} ms" for way, each in medians.items()), f"  {ratio:.2f}x of {quickest}")
    return {"case": title, **facts, "milliseconds": medians, "quickest_peer": quickest, "speedup": ratio}


def main() -> None:
    """Run the parts that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="attention, model; both by default")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="time of each way")
    parser.add_argument("--case", choices=[each.name for each in CASES], help="one case of attention")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    parts = given.parts or ["attention", "model"]
    if unknown := set(parts) - {"attention", "model"}:
        parser.error(f"there is no part {unknown.pop()!r}, expected attention or model")
    rows = []
    if "attention" in parts:
        chosen = [each for each in CASES if given.case in (None, each.name)]
        rows = [measure(each.name, attention_ways(each), given.seconds, **asdict(each)) for each in chosen]
    if "model" in parts:
        rows.append(measure("Llama of 2 layers", model_ways(), 2 * given.seconds, lengths=_MIXED))
    if given.json:
        kept = json.loads(given.json.read_text())["rows"] if given.json.exists() else []
        done = {row["case"] for row in rows}
        rows = [*(row for row in kept if row["case"] not in done), *rows]
        result = {"machine": machine.describe(sys.argv), "rows": rows}
        given.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
