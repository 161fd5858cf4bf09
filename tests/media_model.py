"""A tiny model that sees: two layers of attention over the real operators, an encoder and a processor of images.

`MediaModel.dense` computes the same without a cache, in one piece: what every packed step is compared with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from torchpaged import EngineConfig, LLMEngine
from torchpaged.errors import RequestError
from torchpaged.media.items import MediaItem, PromptMedia
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.layer_calls import attend_layer
from torchpaged.models.model import LayerShape, ModelSpec

VOCAB, EOS, PLACE, ROW_END = 40, 1, 3, 4
SIZE, HEADS, DIM, LAYERS = 16, 2, 8, 2


def picture(seed: int, width: int = 6, height: int = 1) -> Image.Image:
    """Return a random image. It has one feature a pixel, and a token between its rows."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels, "RGB")


def _content(pixels: np.ndarray[Any, Any]) -> str:
    return hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()


class PictureProcessor:
    """A `MediaProcessor`: `PLACE` in a prompt stands for an image, and becomes one for each of its pixels.

    Args:
        axes: of positions; with three the pixels of an image have (start, start + row, start + column).
    """

    modalities = frozenset({"image"})
    placeholders: Mapping[str, str] = {"image": "d"}  # of tests.fakes.FakeTokenizer: token 3
    placeholder_ids = frozenset({PLACE})

    def __init__(self, axes: int = 1) -> None:
        self._axes = axes

    def process(
        self, label: str, prompt: str | Sequence[int], media: Mapping[str, Sequence[Any]], options: Mapping[str, Any]
    ) -> tuple[list[int], PromptMedia]:
        """Implement `MediaProcessor.process`."""
        given = [ord(each) - ord("a") for each in prompt] if isinstance(prompt, str) else list(prompt)
        images = list(media["image"])
        if given.count(PLACE) != len(images):
            raise RequestError(f"{label}: the prompt has {given.count(PLACE)} placeholders and {len(images)} images")
        tokens: list[int] = []
        items: list[MediaItem] = []
        positions: list[tuple[int, int, int]] = []
        following = 0  # position of the next token of text
        for token in given:
            if token != PLACE:
                tokens.append(token)
                positions.append((following,) * 3)
                following += 1
                continue
            pixels = np.asarray(images[len(items)].convert("RGB"))
            height, width = pixels.shape[:2]
            places, start = [], len(tokens)
            for row in range(height):
                if row:
                    positions.append((following, following + row, following))
                    tokens.append(ROW_END)
                for column in range(width):
                    places.append(len(tokens) - start)
                    positions.append((following, following + row, following + column))
                    tokens.append(PLACE)
            following += max(width, height)
            is_one_run = height == 1
            items.append(
                MediaItem(
                    "image",
                    start,
                    len(tokens) - start,
                    _content(pixels),
                    {"pixels": torch.from_numpy(pixels.copy())},
                    None if is_one_run else tuple(places),
                )
            )
        if self._axes == 1:
            return tokens, PromptMedia(tuple(items))
        placed = torch.tensor(positions)[:, : self._axes].contiguous()
        return tokens, PromptMedia(tuple(items), placed, following - len(tokens))


class MediaModel:
    """An `EmbeddingModel` that takes images.

    Args:
        axes: of its positions.
        both_ways: if an image's tokens see each other.
        window: of the first layer, in tokens; 0: it sees all.
        fails_at: the encoder raises for images of this width.
        device: of the weights.

    Attributes:
        encoded: contents that the encoder was called with.
        num_embedded: number of forwards over embeddings.
    """

    encoder = weights = None
    modalities = frozenset({"image"})

    def __init__(
        self, axes: int = 1, *, both_ways: bool = False, window: int = 0, fails_at: int = -1, device: str = "cpu"
    ) -> None:
        self.axes, self.both_ways, self.window, self.fails_at = axes, both_ways, window, fails_at
        self.spec = ModelSpec(
            name="MediaModel",
            layers={i: LayerShape(HEADS, DIM, DIM, sliding_window=0 if i else window) for i in range(LAYERS)},
            vocab_size=VOCAB,
            max_model_len=256,
            dtype=torch.float32,
            device=torch.device(device),
            hidden_size=SIZE,
            embedding_size=SIZE,
            position_axes=axes,
            media_attends_both_ways=both_ways,
        )
        generator = torch.Generator().manual_seed(0)
        self._table = torch.randn(VOCAB, SIZE, generator=generator).to(device)
        self._unlikely = torch.zeros(VOCAB)
        self._unlikely[[EOS, PLACE]] = -100.0
        self._unlikely = self._unlikely.to(device)
        self._see = torch.randn(3, SIZE, generator=generator).to(device)
        layers = [torch.randn(4, SIZE, SIZE, generator=generator) / SIZE**0.5 for _ in range(LAYERS)]
        self._layers = [each.to(device) for each in layers]
        self._axis = torch.rand(axes, SIZE, generator=generator).to(device)
        self.media_encoder = self
        self.media_processor: PictureProcessor | None = PictureProcessor(axes)
        self.encoded: list[str] = []
        self.num_embedded = 0

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Return a fingerprint."""
        return f"media {self.axes} {self.both_ways}"

    def in_use(self) -> AbstractContextManager[None]:
        """Do nothing."""
        return nullcontext()

    def forget_weights(self) -> None:
        """Do nothing: nothing is kept."""

    def encode(self, item: MediaItem) -> Tensor:
        """Return a feature a pixel, which depends on all of them."""
        self.encoded.append(item.content)
        pixels = item.inputs["pixels"].reshape(-1, 3).to(self.spec.device)
        if item.inputs["pixels"].shape[1] == self.fails_at:
            raise RuntimeError("the picture is too abstract")
        seen = pixels.float() / 128 - 1
        return (seen + seen.mean(0)) @ self._see

    def embed(self, input_ids: Tensor) -> Tensor:
        """Return the tokens' embeddings."""
        return self._table[input_ids]

    def _times(self, x: Tensor, weight: Tensor) -> Tensor:
        """Return x @ weight, a row at a time, so that no row's bits depend on the others."""
        return torch.cat([row[None] @ weight for row in x]) if len(x) else x @ weight

    def _start(self, x: Tensor, positions: Tensor) -> Tensor:
        """Return the first layer's input: embeddings, turned by their positions."""
        placed = positions.reshape(len(x), self.axes, 1).float() * self._axis
        return x * torch.cos(placed.sum(1)) + torch.sin(placed.sum(1))

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Return hidden states."""
        self.num_embedded += input_ids.is_floating_point()
        assert positions.shape == ((len(input_ids), self.axes) if self.axes > 1 else (len(input_ids),))
        x = self._start(input_ids if input_ids.is_floating_point() else self.embed(input_ids), positions)
        for i, (q, k, v, o) in enumerate(self._layers):
            heads = [self._times(x, each).view(-1, HEADS, DIM) for each in (q, k, v)]
            out = attend_layer(*heads, metadata, i, sliding_window=0 if i else self.window)
            x = x + self._times(out.reshape(-1, SIZE), o)
        return x[rows]

    def logits(self, hidden: Tensor) -> Tensor:
        """Return logits of the tokens; no end of text and no placeholder is likely."""
        return self._times(hidden, self._table.T) + self._unlikely

    def dense(self, token_ids: Sequence[int], media: PromptMedia | None = None) -> Tensor:
        """Return the logits of a whole text [num_tokens, VOCAB]; `token_ids` may go on behind the prompt."""
        count = len(token_ids)
        x = self.embed(torch.tensor(token_ids))
        place = torch.arange(count)
        positions = place[:, None].repeat(1, self.axes)
        sees = place[:, None] >= place
        limited = sees & (place[:, None] - place < self.window) if self.window else sees
        for item in () if media is None else media.items:
            at = torch.arange(item.length) if item.places is None else torch.tensor(item.places)
            before = len(self.encoded)
            x[item.start + at] = self.encode(item)
            del self.encoded[before:]
            if self.both_ways:
                sees[item.start : item.end, item.start : item.end] = True
                limited[item.start : item.end, item.start : item.end] = True
        if media is not None and media.positions is not None:
            own = len(media.positions)
            positions[:own] = media.positions
            positions[own:] += media.position_delta
        x = self._start(x, positions)
        for i, (q, k, v, o) in enumerate(self._layers):
            heads = [(x @ each).view(-1, HEADS, DIM).transpose(0, 1) for each in (q, k, v)]
            mask = sees if i else limited
            out = torch.nn.functional.scaled_dot_product_attention(*heads, attn_mask=mask)
            x = x + out.transpose(0, 1).reshape(-1, SIZE) @ o
        return self.logits(x)

    def generate(self, prompt: Mapping[str, Any], count: int) -> list[int]:
        """Return a prompt's greedy completion, computed without a cache."""
        assert self.media_processor is not None
        media: PromptMedia | None = None
        tokens = list(prompt["prompt_token_ids"])
        if "multi_modal_data" in prompt:
            tokens, media = self.media_processor.process("x", tokens, prompt["multi_modal_data"], {})
        begin = len(tokens)
        for _ in range(count):
            tokens.append(int(self.dense(tokens, media)[-1].argmax()))
        return tokens[begin:]


def seen(tokens: Sequence[int], *images: Image.Image) -> dict[str, Any]:
    """Return a prompt of tokens and images."""
    return {"prompt_token_ids": list(tokens), "multi_modal_data": {"image": list(images)}}


def engine(model: MediaModel | None = None, **settings: Any) -> LLMEngine:
    """Return an engine over the model, with room for a hundred blocks of 4."""
    config = EngineConfig(**{"num_blocks": 101, "block_size": 4, **settings})
    return LLMEngine(model or MediaModel(), config, eos_token_ids=[EOS])
