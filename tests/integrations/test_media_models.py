"""Models that read images or sounds, beside transformers' own output: in packed steps without an engine."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from tests import vision_models
from tests.vision_models import VisionModel, image, inputs_of, sound
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.integrations.transformers import adapter
from torchpaged.media.items import PromptMedia
from torchpaged.models.attention_metadata import AttentionMetadata, StepMetadata

_BLOCK = 16
_NEW = 6


class Prompt(NamedTuple):
    """A prompt as the processor reads it, and what transformers makes of it.

    Args:
        logits: of each of its tokens.
        generated: greedy tokens.
    """

    tokens: list[int]
    media: PromptMedia
    logits: Tensor
    generated: list[int]


def prompts_of(made: VisionModel) -> list[tuple[str, list[Any]]]:
    """Return texts with two images, with an image first, last and alone, and without one."""
    one = made.placeholder
    items: list[Any] = [image(1), image(2, 64, 32), image(3), image(4, 33, 71)]
    if made.modality == "audio":
        items = [sound(1), sound(2, 15000), sound(3, 4000), sound(4, 20000)]
    return [
        (f"import {one} os\nclass Queue {one}: pass\n", items[:2]),
        (f"{one} def main(", items[:1]),
        ("import sys\n" + "x = 1\n" * 6, []),
        (f"import os {one}", items[2:3]),
        (one, items[3:]),
    ]


@torch.inference_mode()
def expect(made: VisionModel, paged: Any, text: str, items: list[Any]) -> Prompt:
    """Read a prompt with torchpaged's processor, and run it with transformers' own processor and model."""
    tokens, media = made.processor.tokenizer(text)["input_ids"], PromptMedia(())
    if items:
        tokens, media = paged.media_processor.process("a", text, {made.modality: items}, {})
    own = inputs_of(made, text, items) if items else {"input_ids": torch.tensor([tokens])}
    assert own["input_ids"].tolist() == [tokens]
    base = getattr(made.model, made.model.base_model_prefix)
    if hasattr(base, "rope_deltas"):
        base.rope_deltas = None
    logits = made.model(**own).logits[0]
    generated = made.model.generate(**own, max_new_tokens=_NEW, do_sample=False, pad_token_id=0, eos_token_id=None)
    return Prompt(tokens, media, logits, generated[0, len(tokens) :].tolist())


class PackedRun:
    """Runs prompts in steps that are packed by hand.

    Args:
        paged: the adapted model.
        prompts: run together.
    """

    def __init__(self, paged: Any, prompts: Sequence[Prompt]) -> None:
        self._paged, self._prompts = paged, prompts
        self._width = 2 + max(len(each.tokens) for each in prompts) // _BLOCK
        count = len(prompts)
        self._tables = (1 + torch.arange(count * self._width)).view(count, -1).to(torch.int32)
        pool = PagedKVCache(paged.spec.layers, 1 + count * self._width, _BLOCK, paged.spec.dtype, torch.device("cpu"))
        self._caches = pool.by_layer()
        self._rows = [self._features(each) for each in prompts]
        self.tokens = [list(each.tokens) for each in prompts]
        self.error = 0.0  # the largest difference of a logit

    def _features(self, prompt: Prompt) -> Tensor:
        """Return the embeddings of a prompt, with features at placeholders."""
        rows: Tensor = self._paged.embed(torch.tensor(prompt.tokens)).clone()
        for item in prompt.media.items:
            places = item.start + torch.tensor(item.places or range(item.length))
            rows[places] = self._paged.media_encoder.encode(item)
        return rows

    def _position(self, index: int, place: int) -> Tensor:
        prompt, axes = self._prompts[index], self._paged.spec.position_axes
        if prompt.media.positions is not None and place < len(prompt.tokens):
            found: Tensor = prompt.media.positions[place]
            return found
        shifted = place + prompt.media.position_delta * (place >= len(prompt.tokens))
        return torch.tensor([shifted] * axes if axes > 1 else shifted)

    def run(self, chunk: int) -> None:
        """Compute all prompts in chunks of so many tokens, and the new tokens of each."""
        done = [0] * len(self._prompts)
        while live := [i for i, each in enumerate(self._prompts) if len(self.tokens[i]) < len(each.tokens) + _NEW]:
            counts = [min(chunk, len(self.tokens[i]) - done[i]) for i in live]
            places = [(i, done[i] + k) for i, count in zip(live, counts, strict=True) for k in range(count)]
            for i, count in zip(live, counts, strict=True):
                done[i] += count
            logits = self._step(live, counts, places, [done[i] for i in live])
            for row, (i, place) in zip(logits, places, strict=True):
                prompt = self._prompts[i]
                if place < len(prompt.tokens):
                    self.error = max(self.error, (row - prompt.logits[place]).abs().max().item())
                if place == len(self.tokens[i]) - 1:
                    self.tokens[i].append(int(row.argmax()))

    @torch.inference_mode()
    def _step(self, live: list[int], counts: list[int], places: list[tuple[int, int]], lengths: list[int]) -> Tensor:
        paged = self._paged
        rows = []
        for i, place in places:
            known = place < len(self._prompts[i].tokens)
            rows.append(self._rows[i][place] if known else paged.embed(torch.tensor([self.tokens[i][place]]))[0])
        metadata = AttentionMetadata(
            torch.tensor([int(self._tables[i, p // _BLOCK]) * _BLOCK + p % _BLOCK for i, p in places]),
            self._tables[live].contiguous(),
            torch.tensor(lengths, dtype=torch.int32),
            torch.tensor([0, *counts]).cumsum(0).to(torch.int32),
            max(counts),
        )
        step = StepMetadata([metadata], [0] * len(self._caches), self._caches)
        positions = torch.stack([self._position(i, p) for i, p in places])
        hidden = paged.forward(torch.stack(rows), positions, step, torch.arange(len(places)))
        logits: Tensor = paged.logits(hidden)
        return logits


CAUSAL = [name for name in vision_models.NAMES if name not in ("gemma3", "paligemma")]


@pytest.mark.parametrize("name", CAUSAL)
def test_every_logit_and_greedy_token_is_transformers(name: str) -> None:
    """Chunks begin inside images; texts with and without images are packed together."""
    made = vision_models.build(name)
    paged = adapter.adapt(copy.deepcopy(made.model))
    paged.take_processor(made.processor)
    prompts = [expect(made, paged, *each) for each in prompts_of(made)]
    steps: list[tuple[int, Callable[[], None] | None]] = [(100, None), (7, None), (7, paged.weights.optimize)]
    for chunk, then in steps:
        if then is not None:
            then()
            assert paged.weights.report.reason is None
        found = PackedRun(paged, prompts)
        found.run(chunk)
        assert found.error < 5e-5
        new = [tokens[len(each.tokens) :] for tokens, each in zip(found.tokens, prompts, strict=True)]
        assert new == [each.generated for each in prompts]
