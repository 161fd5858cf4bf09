"""A small reinforcement learning loop: LLM samples, a trainer updates the weights, and LLM gets the new weights.

Policy gradients with the mean reward of a group as baseline (Williams, 1992; groups as in GRPO). The reward is the
share of white space in a completion. Run it from the root: `python examples/reinforcement.py`, or with `--lora` to
train an adapter instead of the whole weights; that needs peft.
"""

import sys
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
    trainer, policy = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32).train(), None
    lora = "--lora" in sys.argv
    llm = LLM(MODEL, dtype="float32", num_blocks=256, max_num_seqs=GROUP * len(PROMPTS), enable_lora=lora)
    if lora:
        from peft import LoraConfig, get_peft_model, get_peft_model_state_dict

        trainer = get_peft_model(trainer, LoraConfig(r=8, lora_alpha=16, target_modules="all-linear"))
        policy = llm.update_lora("policy", get_peft_model_state_dict(trainer), trainer.peft_config["default"])
    optimizer = torch.optim.AdamW(
        [each for each in trainer.parameters() if each.requires_grad], lr=3e-3 if lora else 3e-4
    )
    pad = AutoTokenizer.from_pretrained(MODEL).eos_token_id

    for number in range(ROUNDS):
        params = SamplingParams(n=GROUP, temperature=1.0, max_tokens=8, seed=number, ignore_eos=True)
        outputs = llm.generate(PROMPTS, params, use_tqdm=False, lora_request=policy)
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
        # Either way nothing that was cached with the old weights is found any more.
        if policy is None:
            llm.update_weights(trainer.state_dict())
        else:
            llm.update_lora(policy.lora_name, get_peft_model_state_dict(trainer))
