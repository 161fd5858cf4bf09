"""Image-text models through LLM: every logit and greedy token beside transformers', however steps are cut."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
import torch

from tests import vision_models
from tests.vision_models import VisionModel, image, inputs_of, sound
from torchpaged import LLM, SamplingParams

EACH = [pytest.param(each, marks=[pytest.mark.long] * (each in vision_models.ALIKE)) for each in vision_models.NAMES]
# Model types whose processor takes a prompt with one item alone.
ONE_ITEM = frozenset(["audioflamingo3", "fun_asr_nano", "glmasr", "musicflamingo", "paligemma", "qwen3_asr"])
NEW = 6
GREEDY = SamplingParams(temperature=0, max_tokens=NEW, ignore_eos=True)


def prompts_of(made: VisionModel) -> list[tuple[str, list[Any]]]:
    """Return texts with two items, with an item first, last and alone, and without one."""
    one = made.placeholder
    items: list[Any] = [image(1), image(2, 64, 32), image(3), image(4, 33, 71)]
    if made.modality == "audio":
        # transformers pads a prompt's sounds to one length; Granite Speech attends to the padding, here there is none.
        second = 9000 if made.model.config.model_type.startswith("granite_speech") else 15000
        items = [sound(1), sound(2, second), sound(3, 4000), sound(4, 12000)]
    prompts = [
        (f"import {one} os\nclass Queue {one}: pass\n", items[:2]),
        (f"{one} def main(", items[:1]),
        ("import sys\n" + "x = 1\n" * 6, []),
        (f"import os {one}", items[2:3]),
        (one, items[3:]),
    ]
    return prompts[1:2] + prompts[3:] if made.model.config.model_type in ONE_ITEM else prompts


def given(made: VisionModel, text: str, items: list[Any]) -> dict[str, Any]:
    return {"prompt": text, "multi_modal_data": {made.modality: items}} if items else {"prompt": text}


@torch.inference_mode()
def expect(made: VisionModel, text: str, images: list[Any]) -> tuple[torch.Tensor, list[int]]:
    """Return transformers' logits of the prompt and its greedy tokens."""
    tokens = made.processor.tokenizer(text)["input_ids"]
    own = inputs_of(made, text, images) if images else {"input_ids": torch.tensor([tokens])}
    base = getattr(made.model, made.model.base_model_prefix, None)
    if hasattr(base, "rope_deltas"):
        base.rope_deltas = None
    with vision_models.corrected(made.model):
        logits = made.model(**own).logits[0]
        if made.model.config.model_type == "minicpmv4_7":
            return logits, _by_forwards(made, own)
        out = made.model.generate(**own, max_new_tokens=NEW, do_sample=False, pad_token_id=0, eos_token_id=None)
    return logits, out[0, own["input_ids"].shape[1] :].tolist()


def _by_forwards(made: VisionModel, own: dict[str, torch.Tensor]) -> list[int]:
    """Return greedy tokens by forwards over all tokens.

    `generate` counts on from the position of the last token in each axis, MiniCPM-V 4.7's model from the largest one:
    they differ behind a prompt that ends with an image.
    """
    found: list[int] = []
    for _ in range(NEW):
        found.append(int(made.model(**own).logits[0, -1].argmax()))
        for name in ("input_ids", "attention_mask", "mm_token_type_ids"):
            if name in own:
                value = {"input_ids": found[-1], "attention_mask": 1}.get(name, 0)
                own[name] = torch.cat([own[name], torch.tensor([[value]])], dim=1)
    return found


def loaded(made: VisionModel, **settings: Any) -> LLM:
    return LLM(copy.deepcopy(made.model), tokenizer=made.processor, **{"num_blocks": 200, **settings})


def tokens_of(outputs: list[Any]) -> list[list[int]]:
    return [list(each.outputs[0].token_ids) for each in outputs]


@pytest.mark.parametrize("settings", [{}, {"max_num_batched_tokens": 40}, {"optimize": True}], ids=str)
@pytest.mark.parametrize("name", EACH)
def test_tokens_and_logprobs_are_transformers(name: str, settings: dict[str, Any]) -> None:
    made = vision_models.build(name)
    prompts = prompts_of(made)
    expected = [expect(made, *each) for each in prompts]
    if name in ("gemma3", "gemma4_large") and settings.get("max_num_batched_tokens"):
        settings = {"max_num_batched_tokens": 100}
    with loaded(made, **settings) as llm:
        params = SamplingParams(temperature=0, max_tokens=NEW, ignore_eos=True, prompt_logprobs=0)
        inputs = [given(made, *each) for each in prompts]
        for batch in (inputs, inputs[:1]):
            outputs = llm.generate(batch, params, use_tqdm=False)
            for output, (logits, tokens) in zip(outputs, expected, strict=False):
                assert output.outputs[0].token_ids == tokens
                logprobs = logits.log_softmax(-1)
                for place, token in enumerate(output.prompt_token_ids[1:], start=1):
                    found = output.prompt_logprobs[place][token].logprob
                    row = logprobs[place - 1]  # without Mllama's placeholder, which it cannot write
                    wanted = float(row[token]) if token < len(row) else -math.inf
                    assert found == pytest.approx(wanted, abs=5e-5)
        assert tokens_of(llm.generate(inputs, GREEDY, use_tqdm=False)) == [tokens for _, tokens in expected]
        llm.engine.check()
