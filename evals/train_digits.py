"""Train a tiny llava to read scikit-learn's digits, and compare its answers through torchpaged with transformers' own.

The model looks at 8 x 8 pixels and says which digit it sees. 1,400 images train it, the other 397 test it. scikit-learn
must be installed; it has the images. Nothing is downloaded.

    python evals/train_digits.py --output evals/results/digits.json
    python evals/train_digits.py --folder /tmp/digits    # keeps the checkpoint
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image
from torch import Tensor

from torchpaged import LLM, SamplingParams

STDLIB_LM = Path(__file__).parent / "models" / "stdlib-lm"
NUM_TRAINING = 1400
PROMPT = "<image>digit:"
_TEXT = {"hidden_size": 96, "intermediate_size": 192, "num_hidden_layers": 3, "num_attention_heads": 4}
_VISION = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4}
_NO_ENDS = {"pad_token_id": 0, "bos_token_id": None, "eos_token_id": None}


def images() -> tuple[list[Image.Image], list[int]]:
    """Return scikit-learn's digits as RGB images, and which they are, in a fixed random order."""
    from sklearn.datasets import load_digits

    found = load_digits()
    order = np.random.default_rng(0).permutation(len(found.target))
    pixels = np.rint(found.images[order] * (255 / 16)).astype(np.uint8)
    return [Image.fromarray(each).convert("RGB") for each in pixels], [int(each) for each in found.target[order]]


def build() -> tuple[Any, Any]:
    """Return a llava of 0.9 M parameters, random, and its processor."""
    torch.manual_seed(0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        str(STDLIB_LM), extra_special_tokens={"image_token": "<image>"}
    )
    vision = {"model_type": "clip_vision_model", **_VISION, "image_size": 8, "patch_size": 2, "projection_dim": 64}
    text = {"model_type": "llama", "vocab_size": len(tokenizer), **_TEXT, "max_position_embeddings": 256, **_NO_ENDS}
    config = transformers.LlavaConfig(
        text_config=text,
        vision_config=vision,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-1,
        **_NO_ENDS,
    )
    processor = transformers.LlavaProcessor(
        image_processor=transformers.CLIPImageProcessorPil(
            size={"shortest_edge": 8}, crop_size={"height": 8, "width": 8}
        ),
        tokenizer=tokenizer,
        patch_size=2,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
    )
    return transformers.LlavaForConditionalGeneration(config), processor


def train(model: Any, inputs: dict[str, Tensor], answers: Tensor, steps: int, batch: int = 64) -> float:
    """Train the model to write one token behind the prompt; return the last loss."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.5e-3, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1.5e-3, total_steps=steps)
    random, loss = torch.Generator().manual_seed(0), torch.tensor(torch.nan)
    model.train()
    for _ in range(steps):
        rows = torch.randint(len(answers), (batch,), generator=random)
        logits = model(**{name: each[rows] for name, each in inputs.items()}, logits_to_keep=1).logits[:, -1]
        loss = torch.nn.functional.cross_entropy(logits, answers[rows])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    model.eval()
    return loss.item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--folder", type=Path, help="write the checkpoint here (default: a temporary folder)")
    parser.add_argument("--output", type=Path, help="write the result to this file")
    given = parser.parse_args()
    pictures, digits = images()
    model, processor = build()
    ids = [processor.tokenizer.encode(str(digit), add_special_tokens=False) for digit in range(10)]
    assert all(len(each) == 1 for each in ids), "each digit is a token"
    inputs = dict(processor(text=[PROMPT] * len(pictures), images=[[each] for each in pictures], return_tensors="pt"))
    answers = torch.tensor([ids[digit][0] for digit in digits])
    start = time.perf_counter()
    loss = train(model, {n: each[:NUM_TRAINING] for n, each in inputs.items()}, answers[:NUM_TRAINING], given.steps)
    seconds = time.perf_counter() - start
    tests = {name: each[NUM_TRAINING:] for name, each in inputs.items()}
    with torch.inference_mode():
        theirs = model.generate(**tests, max_new_tokens=1, do_sample=False)[:, -1].tolist()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        model.save_pretrained(folder)
        processor.save_pretrained(folder)
        with LLM(str(folder), num_blocks=2000) as llm:
            prompts = [{"prompt": PROMPT, "multi_modal_data": {"image": each}} for each in pictures[NUM_TRAINING:]]
            params = SamplingParams(temperature=0, max_tokens=1, ignore_eos=True)
            ours = [each.outputs[0].token_ids[0] for each in llm.generate(prompts, params, use_tqdm=False)]
    expected = answers[NUM_TRAINING:].tolist()

    def share(found: list[int]) -> float:
        return sum(one == other for one, other in zip(found, expected, strict=True)) / len(expected)

    result = {
        "parameters": sum(each.numel() for each in model.parameters()),
        "images": {"training": NUM_TRAINING, "test": len(expected)},
        "training": {"steps": given.steps, "seconds": round(seconds, 1), "loss": round(loss, 4)},
        "accuracy": {"torchpaged": round(share(ours), 4), "transformers": round(share(theirs), 4)},
        "same_answers": sum(one == other for one, other in zip(ours, theirs, strict=True)),
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        "machine": platform.processor() or platform.machine(),
    }
    text = json.dumps(result, indent=1)
    print(text)
    if given.output is not None:
        given.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
