"""AdaptedForward: what an adapted decoder and an adapted encoder have in common."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

from torch import Tensor
from transformers import PretrainedConfig, PreTrainedModel

from torchpaged.compiler.optimize import ModelFunctions
from torchpaged.integrations.transformers.media_encoder import TransformersMediaEncoder
from torchpaged.integrations.transformers.weights import TransformersWeights
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.model import ModelSpec


class _OwnFunctions(ModelFunctions, Protocol):
    def in_use(self) -> AbstractContextManager[None]: ...


class AdaptedForward:
    """Runs the optimized forward if there is one, and transformers' own otherwise.

    The caller can keep using the model: torchpaged's attention and the other replaced modules are active only while a
    step runs. Between steps the model generates and trains as before. A subclass sets `spec`, `weights` and `_own`.

    Attributes:
        media_encoder: of a model whose prompts may have images or sounds; None for others. Its `spec.embedding_size`
            is set.
        media_processor: reads such prompts; None until the function `take_processor`.
        media_refusal: why prompts cannot have images or sounds; None if they can.
    """

    encoder = None  # that of an encoder-decoder
    model: PreTrainedModel
    spec: ModelSpec
    weights: TransformersWeights
    _own: _OwnFunctions
    media_encoder: TransformersMediaEncoder | None = None
    media_processor: Any = None
    media_refusal: str | None = None

    @property
    def hf_config(self) -> PretrainedConfig:
        """The whole model's config."""
        return self.model.config

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Map packed tokens [num_tokens] to hidden states [len(rows), hidden_size].

        A model that could not be cut before its head (`spec.hidden_size` is None) returns [len(rows), vocab_size]. An
        encoder's token of type t is given as `token + t * vocab_size`. Where `spec.embedding_size` is set, embeddings
        are accepted in place of tokens. The optimized forward is then traced with embeddings alone, so that its weights
        are packed once; tokens are embedded first.
        """
        parts = self.weights.optimized or self._own
        if self.spec.embedding_size and not input_ids.is_floating_point():
            input_ids = parts.embed(input_ids)
        return parts.forward(input_ids, positions, metadata, rows)

    def embed(self, input_ids: Tensor) -> Tensor:
        """Embed tokens: [num_tokens] -> [num_tokens, embedding_size]."""
        return (self.weights.optimized or self._own).embed(input_ids)

    def logits(self, hidden: Tensor) -> Tensor:
        """Map the rows that `forward` returned to logits [num_rows, vocab_size], classes [num_rows, num_labels] or
        vectors [num_rows, vector_size]; an encoder without any of them returns its input.
        """
        return (self.weights.optimized or self._own).logits(hidden)

    def in_use(self) -> AbstractContextManager[None]:
        """Return a context in which the model uses torchpaged's attention, whatever its config says."""
        return self._own.in_use()

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Return a sha256 over the config, LongRoPE's table and all weights, computed at the first call."""
        return self.weights.fingerprint(most_bytes)
