"""What an engine runs: a model says what it is in one `ModelSpec`, and what it can by the parts it has."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from torchpaged.models.attention_metadata import StepMetadata

# `PagedModel.forward` and `PagedModel.logits`, or what was compiled of them.
Forward = Callable[[Tensor, Tensor, StepMetadata, Tensor], Tensor]
Head = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class LayerShape:
    """What one layer keeps of a token, and which tokens its queries see.

    Args:
        head_dim_v: 0 where the values are the first numbers of the keys (latent attention).
        sliding_window: the last tokens that a query sees, its own included; 0 for all.
        attention_chunk_size: a query sees the tokens of its own chunk, position // size; 0 for all.
        cross: a query sees the tokens of the encoder.
        convolution: the layer is none of attention: it keeps the inputs of a causal convolution, see `of_convolution`.
    """

    num_kv_heads: int
    head_dim: int
    head_dim_v: int
    sliding_window: int = 0
    attention_chunk_size: int = 0
    cross: bool = False
    convolution: bool = False

    @classmethod
    def of_convolution(cls, channels: int, width: int) -> LayerShape:
        """A row of `channels` numbers a token, of which the last `width` are read for one."""
        return cls(1, channels, 0, sliding_window=width, convolution=True)

    @property
    def elements(self) -> int:
        """Numbers that one token takes in this layer."""
        return self.num_kv_heads * (self.head_dim + self.head_dim_v)

    @property
    def parts(self) -> int:
        """Rows that a KV head keeps of a token, each with a scale of its own in an 8-bit cache: key and value."""
        return 2 if self.head_dim_v else 1

    @property
    def kind(self) -> tuple[int, int, bool]:
        """Layers of attention of one kind need the same blocks: (window, chunk, cross-attention)."""
        return self.sliding_window, self.attention_chunk_size, self.cross

    def within(self, max_model_len: int) -> LayerShape:
        """Without the limits that no sequence of this length reaches; a convolution's stays what it is."""
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
    """What a recurrent layer keeps of a sequence.

    Args:
        state: the numbers of its state, float32.
        tail: how many numbers of a token stand in for the state until the next boundary, float32.
        channels, width: of its causal convolution, whose inputs are kept in the model's dtype; 0: it has none.
    """

    state: tuple[int, ...]
    tail: int
    channels: int = 0
    width: int = 0

    def state_bytes(self, dtype: torch.dtype) -> int:
        """Of a state slot."""
        inputs = max(0, self.width - 1) * self.channels * dtype.itemsize
        return math.prod(self.state) * torch.float32.itemsize + inputs

    def tail_bytes(self, chunk: int, dtype: torch.dtype) -> int:
        """Of a tail slot."""
        return chunk * (self.tail * torch.float32.itemsize + self.channels * dtype.itemsize)


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What a model is.

    Args:
        name: for messages.
        layers: what each layer keeps, by its index.
        vocab_size: tokens are 0 to vocab_size - 1.
        max_model_len: the longest sequence that it is made for.
        dtype, device: of its weights and activations.
        hidden_size: of a row of `PagedModel.forward`; None: rows are logits already, and `logits` gives them back.
        eager_only: why no graph can hold its forward; None: one can.
        num_labels: of a model whose `logits` are of classes instead of tokens; 0: of tokens.
        labels: what they are called, in order.
        labels_tokens: whether the classes are of each token, not of a text.
        multi_label: whether each class is true or not by itself.
        least: what a step's sizes are padded up to, for a forward that is itself a compiled program.
        states: what each recurrent layer keeps, by its index: `layers` has such a layer only if it attends too.
        state_chunk: tokens between two boundaries at which states are kept.
        embedding_size: of the embeddings that `forward` of an `EmbeddingModel` takes too; 0: it takes tokens alone.
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
    least: int = 0
    states: Mapping[int, StateShape] = field(default_factory=dict)
    state_chunk: int = 64
    embedding_size: int = 0


class PagedModel(Protocol):
    """A model that keeps its keys and values, or a convolution's inputs, in a paged cache.

    transformers' are wrapped into one.

    Attributes:
        spec: what it is.
        encoder: of an encoder and a decoder; None: a decoder alone.
        weights: what can be done to them; None: they are fixed.
    """

    @property
    def spec(self) -> ModelSpec: ...
    @property
    def encoder(self) -> Encoder | None: ...
    @property
    def weights(self) -> Weights | None: ...

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Packed tokens [num_tokens] -> what `logits` takes of the asked rows: [len(rows), hidden_size].

        Writes the cache on its way.
        """
        ...

    def logits(self, hidden: Tensor) -> Tensor:
        """[num_rows, hidden_size] -> [num_rows, vocab_size]: the head, and what lies between it and the last layer."""
        ...

    def in_use(self) -> AbstractContextManager[None]:
        """Entered around each call of what was compiled of `forward` and `logits`, and while they are compiled."""
        ...

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """The same for two processes with the same weights alone: saved prefixes are recognised by it.

        Args:
            most_bytes: of larger weights so many may stand for all; None: each of them counts.
        """
        ...


class EmbeddingModel(PagedModel, Protocol):
    """A model whose `forward` takes embeddings [num_tokens, embedding_size] in its dtype in the place of tokens."""

    def embed(self, input_ids: Tensor) -> Tensor:
        """[num_tokens] -> [num_tokens, embedding_size]: the embeddings that `forward` makes of tokens itself."""
        ...


class Encoder(Protocol):
    """The encoder of a `PagedModel`; the layers of the model have its cross-attention.

    Its `forward` takes `metadata.encoder_states`, and its layers of cross-attention write them as keys and values.
    """

    max_tokens: int  # states of one input
    decoder_prompt: Sequence[int]  # what a completion begins with unless told
    vocab_size: int | None  # of input tokens; None where the input is features

    def num_tokens(self, data: Any) -> int:
        """The states that `encode` makes of an input. Raises ValueError for one that it cannot read."""
        ...

    def encode(self, data: Any) -> Tensor:
        """[num_tokens(data), hidden]: one input's states."""
        ...


class Weights(Protocol):
    """The weights of a `PagedModel` that has them as torch modules.

    Attributes:
        module: theirs.
    """

    @property
    def module(self) -> nn.Module: ...

    def optimize(self, *, float32: bool = True) -> None:
        """Makes the forward of these weights faster where that is known how.

        Args:
            float32: whether weights of that type too, for which it changes the roundings and little else.
        """
        ...

    def restore(self) -> None:
        """Takes `optimize` back: for who wants to change them."""
        ...

    def quantize(
        self, config: Any, tokenizer: Any = None, calibration: Sequence[str | Sequence[int]] | None = None
    ) -> Any:
        """Quantises them in place: by a name of `config.QUANTIZATIONS`, or as a config of torchao says.

        Args:
            tokenizer: of transformers, for texts; None: there are none.
            calibration: texts or tokens that say what the model is used for; None: some text of ours.

        Raises:
            ConfigError: it cannot be done; they are as they were then.
        """
        ...

    def changed(self) -> bool:
        """Whether they, or the active adapters, are others than when last looked at."""
        ...

    def update(self, weights: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]]) -> int:
        """Copies numbers into them; returns how many tensors.

        Raises:
            ConfigError: a name or shape that the model does not have, or a weight that is quantised; those before it
                are copied.
        """
        ...
