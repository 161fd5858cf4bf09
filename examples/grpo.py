"""TRL's GRPOTrainer with torchpaged as its generator: the trainer's weights go to the engine before each generation.

The reward is the share of white space in a completion, which the bundled model learns in about a minute on a CPU of two
cores. Run it from the root: `python examples/grpo.py`; it needs `pip install trl`. `examples/reinforcement.py` is the
same without TRL.
"""

import os
import sys
from pathlib import Path

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"  # `rollout_func` may change, says TRL

from trl import GRPOConfig, GRPOTrainer

from torchpaged import LLM, SamplingParams

MODEL = Path(__file__).resolve().parents[1] / "evals" / "models" / "stdlib-lm"
PROMPTS = ["def main(", "import os\n", "class Queue:\n", "    return "]
GROUP, LENGTH = 8, 12


def reward(completions: list[str], **others: object) -> list[float]:
    """Return the share of white space of each completion."""
    return [sum(letter.isspace() for letter in text) / max(1, len(text)) for text in completions]


class Generator:
    """Completes a trainer's prompts with its newest weights: a `rollout_func`."""

    def __init__(self) -> None:
        self.llm = LLM(MODEL, dtype="float32", num_blocks=512, max_num_seqs=GROUP * len(PROMPTS))
        self.versions: list[str] = []

    def __call__(self, prompts: list[str], trainer: GRPOTrainer) -> dict[str, list]:
        """Return one completion for each prompt; TRL repeats a prompt for each completion of its group."""
        step = f"step-{trainer.state.global_step}"
        if self.llm.get_weight_version() != step:  # a generation may serve several steps
            model = trainer.accelerator.unwrap_model(trainer.model)
            self.llm.update_weights(model.state_dict(), version=step)
        params = [
            SamplingParams(
                temperature=1.0, max_tokens=LENGTH, logprobs=0, seed=1000 * trainer.state.global_step + place
            )
            for place in range(len(prompts))
        ]
        outputs = self.llm.generate(prompts, params, use_tqdm=False)
        completions = [output.outputs[0] for output in outputs]
        self.versions += [span.version for each in completions for span in each.weight_versions]
        return {
            "prompt_ids": [output.prompt_token_ids for output in outputs],
            "completion_ids": [each.token_ids for each in completions],
            # Those of the weights that drew the tokens, as an importance ratio needs them.
            "logprobs": [
                [row[token].logprob for row, token in zip(each.logprobs, each.token_ids, strict=True)]
                for each in completions
            ],
        }


def train(steps: int, folder: str) -> tuple[list[float], list[str]]:
    """Train; return the mean reward of each step, and the versions of the weights that drew the completions."""
    torch.manual_seed(0)
    generator = Generator()
    arguments = GRPOConfig(
        folder,
        use_cpu=True,
        bf16=False,
        learning_rate=3e-4,
        lr_scheduler_type="constant",
        per_device_train_batch_size=GROUP * len(PROMPTS),
        num_generations=GROUP,
        max_completion_length=LENGTH,
        max_steps=steps,
        logging_steps=1,
        beta=0.0,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        seed=0,
    )
    trainer = GRPOTrainer(
        AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32),
        reward,
        arguments,
        train_dataset=Dataset.from_dict({"prompt": PROMPTS * steps}),
        processing_class=AutoTokenizer.from_pretrained(MODEL, padding_side="left"),
        rollout_func=generator,
    )
    trainer.train()
    return [each["reward"] for each in trainer.state.log_history if "reward" in each], generator.versions


if __name__ == "__main__":
    rewards, versions = train(int(sys.argv[1]) if len(sys.argv) > 1 else 20, "/tmp/torchpaged-grpo")
    for number, mean in enumerate(rewards):
        print(f"step {number}: mean reward {mean:.3f}")
    print(f"{len(set(versions))} versions of the weights wrote the completions")
