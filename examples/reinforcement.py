"""A small reinforcement learning loop: LLM samples, a trainer updates the weights, and LLM gets the new weights.

Policy gradients with the mean reward of a group as baseline (Williams, 1992; groups as in GRPO). The reward is the
share of white space in a completion. Run it from the root: `python examples/reinforcement.py`.
"""

from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from torchpaged import LLM, SamplingParams

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"
PROMPTS = ["def main(", "import os\n", "class Queue:\n"]
ROUNDS, GROUP = 4, 8


def reward(text: str) -> float:
    """Return the share of white space."""
    return sum(letter.isspace() for letter in text) / max(1, len(text))


if __name__ == "__main__":
    trainer = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32).train()
    optimizer = torch.optim.AdamW(trainer.parameters(), lr=3e-4)
    llm = LLM(MODEL, dtype="float32", num_blocks=256, max_num_seqs=GROUP * len(PROMPTS))
    pad = AutoTokenizer.from_pretrained(MODEL).eos_token_id

    for number in range(ROUNDS):
        params = SamplingParams(n=GROUP, temperature=1.0, max_tokens=8, seed=number, ignore_eos=True)
        outputs = llm.generate(PROMPTS, params, use_tqdm=False)
        rows, starts, advantages, rewards = [], [], [], []
        for output in outputs:
            scores = torch.tensor([reward(completion.text) for completion in output.outputs])
            rewards.append(scores)
            advantages.append((scores - scores.mean()) / (scores.std() + 1e-4))
            for completion in output.outputs:
                rows.append(torch.tensor(output.prompt_token_ids + completion.token_ids))
                starts.append(len(output.prompt_token_ids))
        print(f"round {number}: mean reward {torch.cat(rewards).mean():.3f}")

        tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)
        logprobs = trainer(tokens).logits[:, :-1].log_softmax(-1).gather(2, tokens[:, 1:, None])[..., 0]
        places = torch.arange(1, tokens.shape[1])
        ends = torch.tensor([len(row) for row in rows])
        chosen = (places >= torch.tensor(starts)[:, None]) & (places < ends[:, None])
        loss = -(torch.cat(advantages)[:, None] * logprobs)[chosen].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        llm.update_weights(trainer.state_dict())  # drops everything cached with the old weights
