"""GRPO on the bundled model, where the trainer's logprobs of drawn tokens are the engine's, bit for bit.

    python -m evals.train_grpo [--steps 20] [--json evals/results/grpo.json]

An importance ratio compares the trainer's logprobs with those of the weights that drew the tokens. Where engine and
trainer round differently it is not 1 for the same weights, which biases the policy (SkyRL's issue 2201 measures it).
Here `LLM(..., batch_invariant=True)` draws, and `with_engines_operators` gives the trainer's layers the operators that
the engine computes with. Each step's row has the largest difference, beside that of a trainer with torch's own layers.

The reward is the share of white space in a completion. The loss is GRPO's: advantages within a group, clipped ratios,
two updates for each generation.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM

from evals.bench import machine
from torchpaged import LLM, SamplingParams

MODEL = Path(__file__).resolve().parent / "models" / "stdlib-lm"
PROMPTS = ["def main(", "import os\n", "class Queue:\n", "    return "]
GROUP, LENGTH, UPDATES, CLIP = 8, 12, 2, 0.2

ops = torch.ops.torchpaged


class EngineLinear(torch.autograd.Function):
    """A product in the engine's order of sums, with the derivative of `torch.nn.functional.linear`."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        """Pack the weight, which the last update changed, and multiply."""
        ctx.save_for_backward(x, weight)
        rows: Tensor = ops.packed_linear(x.flatten(0, -2), ops.pack_linear_weight(weight), len(weight))
        return rows.unflatten(0, x.shape[:-1])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        """Return the derivatives with respect to the input and the weight."""
        x, weight = ctx.saved_tensors
        return grads[0] @ weight, grads[0].flatten(0, -2).t() @ x.flatten(0, -2)


def with_engines_operators(model: nn.Module) -> nn.Module:
    """Replace the forwards of a Llama's products, norms and gates in place. Return the model."""
    for module in model.modules():
        kind = type(module).__name__
        if isinstance(module, nn.Linear):
            module.forward = lambda x, own=module: EngineLinear.apply(x, own.weight)
        elif kind == "LlamaRMSNorm":
            module.forward = lambda x, own=module: ops.rms_norm(x, own.weight, own.variance_epsilon)
        elif kind == "LlamaMLP":
            module.forward = lambda x, own=module: own.down_proj(ops.silu_and_mul(own.gate_proj(x), own.up_proj(x)))
    return model


@dataclass
class Batch:
    """Completions of one generation, packed, with the engine's logprobs of what was drawn."""

    tokens: Tensor  # [1, tokens], all sequences one after the other
    positions: Tensor  # [1, tokens], from 0 in each sequence
    rows: Tensor  # [drawn], whose logits predict `drawn`
    drawn: Tensor  # [drawn], token ids
    engines: Tensor  # [drawn], logprobs
    advantages: Tensor  # [drawn]
    reward: float


def reward(text: str) -> float:
    """Return the share of white space."""
    return sum(letter.isspace() for letter in text) / max(1, len(text))


def generate(llm: LLM, seed: int) -> Batch:
    """Draw a group of completions for each prompt."""
    params = SamplingParams(n=GROUP, temperature=1.0, max_tokens=LENGTH, seed=seed, logprobs=0, ignore_eos=True)
    tokens, positions, rows, drawn, engines, advantages, rewards = [], [], [], [], [], [], []
    for output in llm.generate(PROMPTS, params, use_tqdm=False):
        scores = torch.tensor([reward(each.text) for each in output.outputs])
        rewards.append(scores)
        for completion, advantage in zip(output.outputs, (scores - scores.mean()) / (scores.std() + 1e-4), strict=True):
            sequence = [*output.prompt_token_ids, *completion.token_ids]
            first = len(tokens) + len(output.prompt_token_ids) - 1
            rows += range(first, first + LENGTH)
            tokens += sequence
            positions += range(len(sequence))
            drawn += completion.token_ids
            engines += [
                row[token].logprob for row, token in zip(completion.logprobs, completion.token_ids, strict=True)
            ]
            advantages += [advantage] * LENGTH
    return Batch(
        tokens=torch.tensor(tokens)[None],
        positions=torch.tensor(positions)[None],
        rows=torch.tensor(rows),
        drawn=torch.tensor(drawn),
        engines=torch.tensor(engines),
        advantages=torch.stack(advantages),
        reward=float(torch.cat(rewards).mean()),
    )


def logprobs(model: nn.Module, batch: Batch) -> Tensor:
    """Return the model's logprobs of the drawn tokens."""
    logits = model(batch.tokens, position_ids=batch.positions, use_cache=False).logits[0]
    chosen: Tensor = ops.token_logprobs(logits, batch.rows, batch.drawn, 0)[0]
    return chosen


@dataclass
class Step:
    """A row of the result: differences are of the trainer's logprobs from the engine's, before the update."""

    step: int
    reward: float
    tokens: int
    differ: int
    max_difference: float
    torch_differ: int
    torch_max_difference: float


def train(steps: int) -> list[Step]:
    """Train; return a row for each step."""
    torch.manual_seed(0)
    llm = LLM(MODEL, dtype="float32", batch_invariant=True, num_blocks=512, max_num_seqs=GROUP * len(PROMPTS))
    plain = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32, attn_implementation="torchpaged")
    trainer = with_engines_operators(copy.deepcopy(plain))
    optimizer = torch.optim.AdamW(trainer.parameters(), lr=3e-4)
    found = []
    for number in range(steps):
        batch = generate(llm, seed=number)
        with torch.no_grad():
            plain.load_state_dict(trainer.state_dict())
            others = (logprobs(plain, batch) - batch.engines).abs()
        for update in range(UPDATES):
            new = logprobs(trainer, batch)
            if update == 0:
                own = (new.detach() - batch.engines).abs()
            ratio = (new - batch.engines).exp()
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
            loss = -torch.minimum(ratio * batch.advantages, clipped * batch.advantages).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        llm.update_weights(trainer.state_dict(), version=f"step-{number}")
        row = Step(
            step=number,
            reward=batch.reward,
            tokens=len(batch.drawn),
            differ=int((own != 0).sum()),
            max_difference=float(own.max()),
            torch_differ=int((others != 0).sum()),
            torch_max_difference=float(others.max()),
        )
        machine.progress(str(row))
        found.append(row)
    return found


def main() -> int:
    """Train, and write the result file; fail where a logprob differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = train(given.steps)
    if given.json:
        head = machine.describe(["python", "-m", "evals.train_grpo", *sys.argv[1:]])
        given.json.write_text(json.dumps({"machine": head, "rows": [asdict(row) for row in rows]}, indent=1) + "\n")
    return int(any(row.differ for row in rows))


if __name__ == "__main__":
    sys.exit(main())
