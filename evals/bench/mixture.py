"""A mixture of experts in four bits: decode against the bytes of the experts that its tokens choose.

    python evals/bench/mixture.py [--group-size 32] [--rounds 3] [--threads 2] [--output evals/results/mixture]

Qwen3-30B-A3B's proportions with an eighth of its layers and vocabulary: random weights of 4 bits, packed as they are
made (in floats they would take four times as much memory), and an 8-bit head. A step's bound counts all weights but the
embedding and the experts, and only those experts that at least one of its tokens is routed to; it is compared with the
memory bandwidth, which is measured between the rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from evals.bench import machine, shapes
from torchpaged import LLM
from torchpaged.integrations.checkpoints.expert_modules import ExpertsForward
from torchpaged.integrations.checkpoints.streaming_load import fill, without_weights
from torchpaged.tools.bench import run
from torchpaged.tools.bounds import Gauge
from torchpaged.tools.workloads import rate, standard
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_experts import GroupedExperts
from torchpaged.weights.packed_linear import PackedEmbedding, PackedLinear

NAMES = ("decode-1", "decode-8")
TARGET = 0.6  # relative to the bound


class RandomWeights:
    """A `WeightSource`: quantises tensors of two dimensions or more, by a scale that preserves activations' size."""

    def __init__(self, model: PreTrainedModel, group_size: int) -> None:
        self._shapes = {name: tuple(each.shape) for name, each in model.state_dict().items()}
        self._group_size = group_size
        self._made: dict[tuple[int, ...], GroupedWeight] = {}

    def names(self) -> Collection[str]:
        """Return the names of the model's tensors."""
        return self._shapes.keys()

    def read(self, name: str) -> Tensor | GroupedWeight | GroupedExperts:
        """Return the same numbers for each tensor of a shape; each gets its own memory when it is packed."""
        shape = self._shapes[name]
        if len(shape) == 1:
            return torch.ones(shape)
        if name.endswith(("embed_tokens.weight", ".gate.weight")):
            return torch.randn(shape)
        if len(shape) == 3:
            weight = self._weight(shape[1], shape[2], 4)
            return GroupedExperts((shape[0], shape[1], shape[2]), lambda _: weight)
        return self._weight(shape[0], shape[1], 8 if name == "lm_head.weight" else 4)

    def _weight(self, outputs: int, inputs: int, bits: int) -> GroupedWeight:
        if (outputs, inputs) not in self._made:
            codes = torch.randint(1 << bits, (outputs, inputs), dtype=torch.uint8)
            scale = torch.full((outputs, inputs // self._group_size), 4 * inputs**-0.5 / (1 << bits)).half()
            self._made[outputs, inputs] = GroupedWeight(codes, bits, self._group_size, scale)
        return self._made[outputs, inputs]


def load(shape: dict[str, Any], group_size: int) -> PreTrainedModel:
    """Build the model with random quantised weights."""
    config = AutoConfig.for_model(**shape, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    torch.manual_seed(0)
    with without_weights():
        model: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    fill(model, RandomWeights(model, group_size), name="random", packs=True)
    model.generation_config.eos_token_id = None
    return model.eval()


@torch.inference_mode()
def bytes_of_a_step(model: PreTrainedModel, prompts: list[list[int]]) -> tuple[float, float]:
    """Return mean (bytes of a step over one token of each prompt, experts per layer among them) over tokens."""
    chosen: list[Tensor] = []
    mixtures = [each for each in model.modules() if isinstance(each, ExpertsForward)]
    hooks = [each.register_forward_pre_hook(lambda _, args: chosen.append(args[1])) for each in mixtures]
    length = min(map(len, prompts))
    model(input_ids=torch.tensor([prompt[:length] for prompt in prompts]), use_cache=False)
    for hook in hooks:
        hook.remove()
    counts = [
        len(tokens.unique()) for layer in chosen for tokens in layer.view(len(prompts), length, -1).transpose(0, 1)
    ]
    experts = sum(counts) / len(counts)
    read = 0.0
    for module in model.modules():
        if isinstance(module, ExpertsForward):
            read += experts * sum(part.packed_weight[0].nbytes for part in (module.up, module.down))
        elif isinstance(module, PackedLinear):
            read += module.weight_bytes
        elif not isinstance(module, (nn.Embedding, PackedEmbedding)):
            read += sum(each.nbytes for each in module.parameters(recurse=False))
    return read, experts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group-size", type=int, default=32, choices=(16, 32, 64, 128))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path, default=Path("evals/results/mixture"))
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    shape = shapes.QWEN3_30B_A3B_EIGHTH
    machine.progress("weights")
    model = load(shape, given.group_size)
    workloads = {each.name: each for each in standard(shape["vocab_size"]) if each.name in NAMES}
    steps = {name: bytes_of_a_step(model, each.prompts) for name, each in workloads.items()}
    llm = LLM(model, tokenizer=None, num_blocks=400, max_num_seqs=8, max_model_len=1024)
    gauge = Gauge(torch.device("cpu"), torch.bfloat16)
    rates: dict[str, list[float]] = {name: [] for name in NAMES}
    shares: dict[str, list[float]] = {name: [] for name in NAMES}
    for turn in range(given.rounds):
        for name, workload in workloads.items():
            machine.progress(f"round {turn + 1}: {name}")
            before = gauge.sample().read
            rates[name].append(rate(workload, run(llm.engine, workload).times))
            read = (before + gauge.sample().read) / 2
            shares[name].append(rates[name][-1] / len(workload.prompts) * steps[name][0] / read)
    rows = [
        {
            "workload": name,
            "tokens_per_second": statistics.median(rates[name]),
            "of_bound": statistics.median(shares[name]),
            "mb_of_a_step": steps[name][0] / 1e6,
            "experts_of_a_layer": steps[name][1],
            "target": TARGET,
        }
        for name in NAMES
    ]
    for row in rows:
        print(
            f"{row['workload']}: {row['tokens_per_second']:.1f} tokens/s, {row['of_bound']:.0%} of the bound of "
            f"{row['mb_of_a_step']:.0f} MB a step, {row['experts_of_a_layer']:.1f} experts of a layer"
        )
    result = {**machine.describe(["python", *sys.argv]), "group_size": given.group_size, "rows": rows}
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
