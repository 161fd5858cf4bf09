"""Images to a first token and to a whole answer, beside transformers' `generate`; and the rate of the tower's products.

A model of SmolVLM-256M's shape (Idefics3's classes, random weights): a tower of 12 layers of 768 over 1,024 patches,
64 tokens an image, and 30 layers of 576. Each round has images of its own, so that nothing is found in a cache. Ratios
are over transformers in the dtype in which it is faster.

    python -m evals.bench.images --output evals/results/images.json
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image

from evals.bench import machine
from torchpaged import LLM, SamplingParams
from torchpaged.weights.packed_linear import PackedLinear

STDLIB_LM = Path(__file__).parents[1] / "models" / "stdlib-lm"


def build(dtype: torch.dtype) -> tuple[Any, Any]:
    """Return the model and its processor."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        str(STDLIB_LM),
        extra_special_tokens={
            "image_token": "<image>",
            "fake_image_token": "<fake_token_around_image>",
            "global_image_token": "<global-img>",
            "end_of_utterance_token": "<end_of_utterance>",
        },
    )
    text = {
        "model_type": "llama",
        "vocab_size": 49280,
        "hidden_size": 576,
        "intermediate_size": 1536,
        "num_hidden_layers": 30,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "max_position_embeddings": 8192,
        "pad_token_id": 0,
        "bos_token_id": None,
        "eos_token_id": None,
    }
    vision = {
        "hidden_size": 768,
        "intermediate_size": 3072,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "image_size": 512,
        "patch_size": 16,
    }
    config = transformers.Idefics3Config(
        text_config=text,
        vision_config=vision,
        scale_factor=4,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=None,
    )
    torch.manual_seed(0)
    model = transformers.Idefics3ForConditionalGeneration._from_config(config, dtype=torch.float32)
    model.generation_config = transformers.GenerationConfig(pad_token_id=0)
    images = transformers.Idefics3ImageProcessorPil(
        do_image_splitting=False, size={"longest_edge": 512}, max_image_size={"longest_edge": 512}
    )
    return model.to(dtype).eval(), transformers.Idefics3Processor(images, tokenizer, image_seq_len=64)


def pictures(seed: int, count: int) -> list[Image.Image]:
    """Return random images."""
    draw = np.random.default_rng(seed)
    return [Image.fromarray(draw.integers(0, 255, (512, 512, 3), dtype=np.uint8)) for _ in range(count)]


def theirs(model: Any, processor: Any, images: list[Image.Image], tokens: int) -> float:
    """Return the seconds of transformers' `generate`, the processor included."""
    begin = time.perf_counter()
    texts = ["<image>What is in it?"] * len(images)
    inputs = processor(text=texts, images=[[each] for each in images], return_tensors="pt", padding=True)
    inputs["pixel_values"] = inputs["pixel_values"].to(model.dtype)
    with torch.inference_mode():
        model.generate(**inputs, max_new_tokens=tokens, min_new_tokens=tokens, do_sample=False)
    return time.perf_counter() - begin


def ours(llm: LLM, images: list[Image.Image], tokens: int) -> float:
    """Return the seconds of `LLM.generate`."""
    begin = time.perf_counter()
    prompts = [{"prompt": "<image>What is in it?", "multi_modal_data": {"image": each}} for each in images]
    llm.generate(prompts, SamplingParams(temperature=0, max_tokens=tokens, ignore_eos=True), use_tqdm=False)
    return time.perf_counter() - begin


def product_rate(linears: list[torch.nn.Linear], rows: int) -> float:
    """Return the FLOP/s of the tower's products alone, from packed weights of the faster dtype."""
    flops = sum(2 * rows * each.in_features * each.out_features for each in linears)
    times = []
    for dtype in (torch.float32, torch.bfloat16):
        packed = [PackedLinear(each.weight.detach().to(dtype)) for each in linears]
        inputs = [torch.randn(rows, each.in_features, dtype=dtype) for each in linears]
        for _ in range(3):
            begin = time.perf_counter()
            with torch.inference_mode():
                for each, values in zip(packed, inputs, strict=True):
                    each(values)
            times.append(time.perf_counter() - begin)
    return flops / min(times)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", nargs="+", choices=("float32", "bfloat16"), default=["float32", "bfloat16"])
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(2)
    rows: dict[str, list[float]] = {}
    peers = {}
    for name in given.peers:
        model, processor = build(getattr(torch, name))
        peers[name] = model
        theirs(model, processor, pictures(0, 1), 2)
    own, processor = build(torch.bfloat16)
    with LLM(own, tokenizer=processor, max_model_len=1024, max_num_seqs=given.batch) as llm:
        ours(llm, pictures(1, 1), 2)
        for number in range(given.rounds):
            images = pictures(10 + number, given.batch)
            for tokens in sorted({1, given.tokens}):
                for name, model in peers.items():
                    rows.setdefault(f"transformers {name}, {tokens}", []).append(
                        theirs(model, processor, images, tokens)
                    )
                fresh = pictures(1000 + 10 * number + tokens, given.batch)
                rows.setdefault(f"torchpaged, {tokens}", []).append(ours(llm, fresh, tokens))
        _, media = llm.engine.model.media_processor.process("a", "<image>", {"image": pictures(5, 1)}, {})
        encoder = llm.engine.model.media_encoder
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            encoder.encode(media.items[0])
            seconds.append(time.perf_counter() - begin)
        linears = [each for each in own.model.vision_model.modules() if type(each) is torch.nn.Linear]
        flops = sum(2 * 1024 * each.in_features * each.out_features for each in linears)
        scores = 4 * 1024 * 1024 * 768 * 12
        rate, reached = product_rate(linears, 1024), (flops + scores) / min(seconds)
    found: dict[str, Any] = {name: statistics.median(values) for name, values in rows.items()}
    for tokens in sorted({1, given.tokens}):
        best = min(found[f"transformers {name}, {tokens}"] for name in peers)
        found[f"ratio, {tokens}"] = best / found[f"torchpaged, {tokens}"]
    if given.tokens > 1:
        best = min(found[f"transformers {name}, {given.tokens}"] - found[f"transformers {name}, 1"] for name in peers)
        found["ratio, decode"] = best / (found[f"torchpaged, {given.tokens}"] - found["torchpaged, 1"])
    found["tower"] = {"seconds": min(seconds), "products": rate, "reached": reached, "share": reached / rate}
    print(json.dumps(found, indent=1))
    if given.output:
        about = machine.describe(sys.argv)
        given.output.write_text(json.dumps({**about, "seconds": rows, "medians": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
