"""PagedModel: the interface between an engine and a model, which describes itself by a `ModelSpec`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from torchpaged.config import EngineConfig
from torchpaged.media.items import MediaItem, PromptMedia
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.ops.collectives import Group
from torchpaged.utils import environment
from torchpaged.weights.lora_adapter import LoraAdapter

# `PagedModel.forward` and `PagedModel.logits`, or what was compiled of them.
Forward = Callable[[Tensor, Tensor, StepMetadata, Tensor], Tensor]
Head = Callable[[Tensor], Tensor]


class IndexShape(NamedTuple):
    """Shape of one tensor of a layer's index: keys by which queries choose the tokens that they attend to.

    Args:
        heads, dim: of a row.
        tokens_per_row: tokens that a row stands for; a divisor of the block size.
    """

    heads: int
    dim: int
    tokens_per_row: int = 1


@dataclass(frozen=True, slots=True)
class LayerShape:
    """Shape of one layer's cache per token, and the range of tokens that its queries attend to.

    Args:
        num_kv_heads, head_dim: of the keys.
        head_dim_v: of the values; 0 where they are the first numbers of the keys (latent attention).
        sliding_window: how many tokens a query attends to, its own included; 0 for all.
        attention_chunk_size: a query attends to tokens of its own chunk, position // size; 0 for all.
        cross: True if queries attend to the tokens of the encoder.
        convolution: True for a layer without attention that caches the inputs of a causal convolution; see
            `of_convolution`.
        index: tensors of index keys, in the blocks of the keys and values.
        num_selected: the most tokens that a query attends to, chosen by an index, its own or another layer's; 0 for
            all.
    """

    num_kv_heads: int
    head_dim: int
    head_dim_v: int
    sliding_window: int = 0
    attention_chunk_size: int = 0
    cross: bool = False
    convolution: bool = False
    index: tuple[IndexShape, ...] = ()
    num_selected: int = 0

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> LayerShape:
        """Return the shape that `dataclasses.asdict` wrote, after JSON made lists of its tuples."""
        index = tuple(IndexShape(*each) for each in values.get("index", ()))
        return cls(**{**values, "index": index})

    @classmethod
    def of_convolution(cls, channels: int, width: int) -> LayerShape:
        """Return the shape of a convolution over `width` tokens: a row of `channels` numbers per token."""
        return cls(1, channels, 0, sliding_window=width, convolution=True)

    @property
    def elements(self) -> int:
        """Return the numbers of keys and values cached per token, without an index."""
        return self.num_kv_heads * (self.head_dim + self.head_dim_v)

    @property
    def parts(self) -> int:
        """Return the rows per token and KV head, key and value, each with a scale of its own in an 8-bit cache."""
        return 2 if self.head_dim_v else 1

    @property
    def kind(self) -> tuple[int, int, bool]:
        """Return (window, chunk size, cross-attention). Attention layers of equal kind need the same blocks."""
        return self.sliding_window, self.attention_chunk_size, self.cross

    def within(self, max_model_len: int) -> LayerShape:
        """Return the shape without limits that no sequence of this length reaches; convolutions are unchanged."""
        if self.convolution:
            return self

        def reached(limit: int) -> int:
            return limit if limit < max_model_len else 0

        return replace(
            self,
            sliding_window=reached(self.sliding_window),
            attention_chunk_size=reached(self.attention_chunk_size),
        )


@dataclass(frozen=True, slots=True)
class StateShape:
    """Shape of what a recurrent layer caches of a sequence.

    Args:
        state: shape of its state, float32.
        tail: numbers cached per token since the last boundary, float32.
        channels, width: of its causal convolution, whose inputs are cached in the model's dtype; 0: it has none.
    """

    state: tuple[int, ...]
    tail: int
    channels: int = 0
    width: int = 0

    def state_bytes(self, dtype: torch.dtype) -> int:
        """Return the bytes of a state slot."""
        inputs = max(0, self.width - 1) * self.channels * dtype.itemsize
        return math.prod(self.state) * torch.float32.itemsize + inputs

    def tail_bytes(self, chunk: int, dtype: torch.dtype) -> int:
        """Return the bytes of a tail slot."""
        return chunk * (self.tail * torch.float32.itemsize + self.channels * dtype.itemsize)


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Properties of a model.

    Args:
        name: for messages.
        layers: shape by layer index, of layers with attention or convolutions.
        vocab_size: tokens are 0 to vocab_size - 1.
        max_model_len: the longest sequence that it is made for, in tokens.
        dtype, device: of its weights and activations.
        hidden_size: of a row of `PagedModel.forward`; None: rows are logits already, and `logits` returns them.
        eager_only: why its forward cannot be captured in a graph; None: it can.
        num_labels: classes that `logits` are of, in a classifier; 0: they are of tokens.
        labels: names of the classes, in order.
        labels_tokens: True if each token is classified, not the text.
        multi_label: True if the classes do not exclude each other.
        vector_size: numbers of the vector that `logits` makes of each token, in an embedder of tokens; 0: none.
        least: minimum that a step's sizes are padded up to, for a forward that is itself a compiled program.
        states: shape by layer index, of recurrent layers; such a layer is in `layers` too only if it attends.
        state_chunk: tokens between two boundaries at which states are kept.
        embedding_size: of the embeddings that `forward` of an `EmbeddingModel` accepts; 0: it accepts tokens only.
        is_encoder: True if tokens attend to all of their text, in both directions. A text is computed whole, in one
            step, nothing follows it, and all layers write into the blocks of one.
        num_token_types: types that an encoder's tokens may have; token + type * vocab_size is its input.
        class_pooling: the hidden state that classes of a text are computed from: "LAST", "CLS" or "MEAN".
        position_axes: axes of a token's position. With more than one, `positions` are [num_tokens, position_axes].
        media_attends_both_ways: True if the tokens of an image see each other; they are computed in one step then.
        media_sees_in_windows: True if they see each other in layers with a window alone, within it.
        media_layers: shape by layer index, of layers whose queries attend to the features of images instead of to
            tokens. Features are keys and values of all these layers, and do not stand in the embeddings.
        media_width: numbers of an embedding that features replace, from its beginning; 0: all of them.
        media_sizes: fewest and most features of an image in a model with such layers.
    """

    name: str
    layers: Mapping[int, LayerShape]
    vocab_size: int
    max_model_len: int
    dtype: torch.dtype
    device: torch.device
    hidden_size: int | None = None
    eager_only: str | None = None
    num_labels: int = 0
    labels: tuple[str, ...] = ()
    labels_tokens: bool = False
    multi_label: bool = False
    vector_size: int = 0
    least: int = 0
    states: Mapping[int, StateShape] = field(default_factory=dict)
    state_chunk: int = 64
    embedding_size: int = 0
    is_encoder: bool = False
    num_token_types: int = 1
    class_pooling: str = "LAST"
    position_axes: int = 1
    media_attends_both_ways: bool = False
    media_sees_in_windows: bool = False
    media_layers: Mapping[int, LayerShape] = field(default_factory=dict)
    media_width: int = 0
    media_sizes: tuple[int, int] = (0, 0)

    @property
    def feature_size(self) -> int:
        """Numbers in a feature: of an embedding, or the keys and values of all layers that attend to images."""
        of_layers = sum(shape.elements for shape in self.media_layers.values())
        return of_layers or self.media_width or self.embedding_size

    @property
    def every_layer(self) -> Mapping[int, LayerShape]:
        """Shapes of `layers` and `media_layers`, for trials in which all of them attend to the same tokens."""
        return {**self.layers, **self.media_layers}

    def positions(self, places: Tensor) -> Tensor:
        """Return the positions of a text's tokens at these places [n]: the same, or [n, position_axes]."""
        return places if self.position_axes == 1 else places[:, None].repeat(1, self.position_axes)


class PagedModel(Protocol):
    """Model that keeps its keys and values, convolution inputs and states in paged caches.

    `integrations.transformers` adapts models of transformers to it.

    Attributes:
        spec: its properties.
        encoder: of an encoder-decoder model; None for a decoder.
        weights: operations on its weights; None: they are fixed.
    """

    @property
    def spec(self) -> ModelSpec: ...
    @property
    def encoder(self) -> Encoder | None: ...
    @property
    def weights(self) -> Weights | None: ...

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Map packed tokens [num_tokens] to hidden states of `rows` [num_rows, hidden_size], for `logits`.

        Writes the cache.
        """
        ...

    def logits(self, hidden: Tensor) -> Tensor:
        """Map hidden states [num_rows, hidden_size] to logits [num_rows, vocab_size]: the final norm and the head."""
        ...

    def in_use(self) -> AbstractContextManager[None]:
        """Return a context to enter around compiling `forward` and `logits`, and around calls of the compiled ones."""
        ...

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Return a hash of the weights, the same in all processes, by which saved prefixes are recognised.

        Args:
            most_bytes: bytes to hash; of larger weights a sample may do. None: hash all.
        """
        ...


class EmbeddingModel(PagedModel, Protocol):
    """Model whose `forward` accepts embeddings [num_tokens, embedding_size] in its dtype instead of tokens."""

    def embed(self, input_ids: Tensor) -> Tensor:
        """Map tokens [num_tokens] to embeddings [num_tokens, embedding_size], as `forward` computes them."""
        ...


class Encoder(Protocol):
    """Encoder of a `PagedModel`.

    The model's `forward` takes the states as `metadata.encoder_states`, and its cross-attention layers write them as
    keys and values.
    """

    max_tokens: int  # the most states of one input
    decoder_prompt: Sequence[int]  # default beginning of a completion
    vocab_size: int | None  # of input tokens; None if the input is features

    def num_tokens(self, data: Any) -> int:
        """Return the number of states of an input. Raise ValueError for an input that it cannot read."""
        ...

    def encode(self, data: Any) -> Tensor:
        """Return the states of one input, [num_tokens(data), hidden]."""
        ...


class MediaEncoder(Protocol):
    """The encoder of an `EmbeddingModel` that turns images or sounds into embeddings.

    Attributes:
        modalities: a subset of {"image", "audio", "video"}.
    """

    modalities: frozenset[str]

    def encode(self, item: MediaItem) -> Tensor:
        """Return the features of one item, [item.num_features, `ModelSpec.feature_size`] in the model's dtype.

        With `media_layers` a row has the key of each of these layers, in order, each followed by its value.

        They depend on the item alone: the same bits for the same content, whatever else a step computes.
        """
        ...

    def forget_weights(self) -> None:
        """Note that the model's weights may have changed, if anything is kept that was made of them."""
        ...


class MediaProcessor(Protocol):
    """Reads prompts with images or sounds: the checkpoint's own processor of transformers.

    Attributes:
        modalities: as the encoder's.
        placeholders: the text that stands for one item in a prompt, by modality.
        placeholder_ids: tokens that a prompt without media must not have.
    """

    modalities: frozenset[str]
    placeholders: Mapping[str, str]
    placeholder_ids: frozenset[int]

    def process(
        self, label: str, prompt: str | Sequence[int], media: Mapping[str, Sequence[Any]], options: Mapping[str, Any]
    ) -> tuple[list[int], PromptMedia]:
        """Return the tokens of a prompt, with as many placeholders as its items have features, and the items.

        Args:
            label: name of the request in errors.
            prompt: a text, or tokens, with one placeholder for each item.
            media: by modality, the decoded items in the order of their placeholders: images of PIL in mode RGB;
                sounds as (float32 samples [num_samples], samples a second); videos as `media.video.Video`.
            options: further arguments of the processor, `mm_processor_kwargs`.

        Raises:
            RequestError: another number of items than of placeholders, or an item that the processor cannot read.
        """
        ...


def media_encoder_of(model: PagedModel) -> MediaEncoder | None:
    """Return the encoder of images and sounds that a model has as `media_encoder`; None if it takes none."""
    found: MediaEncoder | None = getattr(model, "media_encoder", None)
    return found


def group_of(model: PagedModel) -> Group | None:
    """Return the ranks over which a model's weights are divided, its `group`; None if this process has all."""
    found: Group | None = getattr(model, "group", None)
    return found


def media_processor_of(model: PagedModel) -> MediaProcessor | None:
    """Return what reads prompts with images or sounds, the model's `media_processor`; None if it has none."""
    found: MediaProcessor | None = getattr(model, "media_processor", None)
    return found


class Weights(Protocol):
    """Weights of a `PagedModel` that is a torch module.

    Attributes:
        module: the module.
        linear_modules: (out_features, in_features) by name of the modules that adapters can change; empty before
            `accept_adapters`.
        merged_linears: names of modules whose results come from one product, side by side.
    """

    @property
    def module(self) -> nn.Module: ...
    @property
    def linear_modules(self) -> Mapping[str, tuple[int, int]]: ...
    @property
    def merged_linears(self) -> Sequence[tuple[str, ...]]: ...

    def optimize(self, *, float32: bool = True, few_launches: bool = False) -> None:
        """Make the forward faster where it can be optimised.

        Args:
            float32: if float32 weights are optimised too, which changes roundings and little else.
            few_launches: join the operators of a forward on CUDA.
        """
        ...

    def accept_adapters(self) -> None:
        """Let steps have adapters until `restore`; before `optimize`.

        Raises:
            ConfigError: it is not possible for this model.
        """
        ...

    def restore(self) -> None:
        """Undo `accept_adapters` and `optimize`, before weights are changed."""
        ...

    def quantize(
        self, config: Any, tokenizer: Any = None, calibration: Sequence[str | Sequence[int]] | None = None
    ) -> Any:
        """Quantise them in place.

        Args:
            config: a name in `config.QUANTIZATIONS`, or a config of torchao.
            tokenizer: of transformers, for calibration texts; None: calibration is tokens.
            calibration: texts or tokens typical of the model's use; None: a built-in text.

        Raises:
            ConfigError: it is not possible; the weights are unchanged.
        """
        ...

    def changed(self) -> bool:
        """Return whether they, or the active adapters, have changed since the last call."""
        ...

    def checked(
        self,
        weights: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]],
        *,
        complete: bool = False,
        allow_non_finite: bool = False,
    ) -> list[tuple[str, Tensor]]:
        """Return tensors that `update` can copy. Nothing changes.

        Args:
            complete: all weights must be among them.
            allow_non_finite: they may have NaN and infinities.

        Raises:
            ConfigError: a name or shape that the model does not have, a quantised weight, a missing one, or numbers
                that are not finite.
        """
        ...

    def update(self, weights: Sequence[tuple[str, Tensor]], then: Callable[[], object]) -> None:
        """Copy the numbers of checked tensors, then call a function; no interrupt comes in between.

        Args:
            then: a C function, or a partial of one.
        """
        ...

    def release(self, *, keep: bool) -> None:
        """Give back the memory of the weights on their device.

        Args:
            keep: `regain` brings the numbers back; otherwise only an `update` of all weights does.

        Raises:
            ConfigError: quantised weights, which cannot be updated, without `keep`. Nothing has changed then.
        """
        ...

    def regain(self) -> None:
        """Undo `release`."""
        ...


class RankWeights(Weights, Protocol):
    """Weights of which this process has a rank's part. `checked` takes names and tensors of the whole model.

    Attributes:
        whole_linear_modules: `linear_modules` of the whole model.
    """

    @property
    def whole_linear_modules(self) -> Mapping[str, tuple[int, int]]: ...

    def part(self, name: str, value: Tensor) -> tuple[str, Tensor]:
        """Return this rank's name and part of a tensor of the whole model, for `update`."""
        ...

    def adapter_part(self, adapter: LoraAdapter) -> LoraAdapter:
        """Return this rank's part of an adapter of the whole model, with the same content."""
        ...


def prepare(weights: Weights, config: EngineConfig, *, adapters: bool = True) -> None:
    """Let steps have adapters, and make the forward faster, as the settings say.

    Args:
        adapters: if the model may have some; a draft model has none.
    """
    if config.enable_lora and adapters:
        weights.accept_adapters()
    if config.optimize:
        # What is joined for few rows has other bits than for many.
        few_launches = environment.switch(environment.FUSED_STEP) and not config.batch_invariant
        weights.optimize(float32=config.optimize is True, few_launches=few_launches)
