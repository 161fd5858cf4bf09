"""Runs transformers' encoders (BERT, RoBERTa, ModernBERT and others) over packed texts, without model code of our own.

Every token attends to all of its text, so a text is computed whole, in one step, and nothing is kept of it: all layers
write their keys and values into the blocks of one layer, one after the other.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutputWithPooling

from torchpaged.compiler.product_cache import FakeProducts
from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.checkpoint import decoder_config
from torchpaged.integrations.checkpoints.torchao import QuantizedWeights
from torchpaged.integrations.families import (
    EMBEDDER_TYPES,
    ENCODERS,
    TEXT_CLASSIFIER,
    TOKEN_CLASSIFIER,
    MediaFamily,
    supported,
    unsupported_reason,
)
from torchpaged.integrations.transformers.adapted_forward import AdaptedForward
from torchpaged.integrations.transformers.attention_interface import (
    CurrentStep,
    Probe,
    attending,
    evaluating,
    require_interface,
)
from torchpaged.integrations.transformers.media_encoder import TransformersMediaEncoder
from torchpaged.integrations.transformers.split_forward import base_of, classifier_of, is_embedder
from torchpaged.integrations.transformers.weights import TransformersWeights
from torchpaged.models.model import LayerShape, ModelSpec
from torchpaged.utils.huge_pages import Region

# By a config's `classifier_pooling`, the hidden state that classes of a text are computed from.
_CLASS_POOLING = {"cls": "CLS", "mean": "MEAN"}


class EncoderModel(AdaptedForward):
    """A transformers encoder, or a classifier of texts or tokens over one, as a `PagedModel`.

    Args:
        model: the model.
        owned: the engine is the model's only user, so weights may be freed once they are packed.
        done, region: see `TransformersWeights`.
        family: how prompts with images are read; None: prompts are texts.

    Raises:
        ModelError: the architecture is not supported; the message says why, and which architectures are.
    """

    depends_on_length = False
    _own: EncoderForward

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        owned: bool = False,
        done: tuple[str, QuantizedWeights] | None = None,
        region: Region | None = None,
        family: MediaFamily | None = None,
    ) -> None:
        config = decoder_config(model.config)
        if reason := unsupported_reason(config):
            raise ModelError(reason)
        self.model, self.config = model, config
        require_interface(model, config)
        self._own = EncoderForward(model)
        with FakeProducts(model) if owned else nullcontext():
            shape = self._probe()
        longest, window = (
            config.max_position_embeddings - self._own.first_position,
            getattr(config, "sliding_window", None),
        )
        if window and config.model_type not in ENCODERS:  # a decoder's window, which its prompts must not reach
            longest, window = min(longest, window), None
        self.kinds = frozenset(["bidirectional", *(["window"] if window else [])])
        self.spec = ModelSpec(
            name=type(model).__name__,
            layers={0: shape},
            vocab_size=config.vocab_size,
            max_model_len=longest,
            dtype=model.dtype,
            device=model.device,
            hidden_size=config.hidden_size,
            is_encoder=True,
            num_token_types=self._own.num_token_types,
            embedding_size=0 if family is None else model.get_input_embeddings().embedding_dim,
            vector_size=vector_size_of(model),
            class_pooling=_CLASS_POOLING[getattr(config, "classifier_pooling", "cls")],
            **classes_of(model),
        )
        self.weights = TransformersWeights(model, config, self.spec, self._own, owned=owned, done=done, region=region)
        if family is not None:
            self.media_encoder = TransformersMediaEncoder(model, family)

    @torch.inference_mode()
    def _probe(self) -> LayerShape:
        """Run one token through the model, to learn the shape of its keys and that metadata reaches every layer."""
        probe = _EncoderProbe()
        one = torch.zeros(1, dtype=torch.int64, device=self.model.device)
        try:
            self._own.forward(one, one, probe, one)
        except ValueError as error:
            raise ModelError(f"{type(self.model).__name__} does not reach torchpaged's attention: {error}") from error
        if len(probe.shapes) != self.config.num_hidden_layers or len(set(probe.shapes)) != 1:
            raise ModelError(
                f"{type(self.model).__name__}: {len(probe.shapes)} of {self.config.num_hidden_layers} layers use the "
                f"attention interface, with {len(set(probe.shapes))} shapes of keys; {supported()}"
            )
        return probe.shapes[0]


class _EncoderProbe(Probe):
    """A stand-in for step metadata that records the shape of each layer's keys and values."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes: list[LayerShape] = []

    def add(self, layer: int, shape: LayerShape) -> None:
        """Record a layer's shape. Windows are masks, which blocks do not depend on."""
        self.shapes.append(LayerShape(shape.num_kv_heads, shape.head_dim, shape.head_dim_v))


class EncoderForward:
    """The forward of an encoder as `ModelFunctions`: tokens to hidden states, and those to classes.

    An embedder's head is a linear layer. A classifier's is the model's own forward with a stub in place of the encoder:
    it gets the hidden state of each row as a text of one token, whose first, mean and every state are the same.

    Attributes:
        first_position: the position of a text's first token: RoBERTa's follow the padding's.
        num_token_types: types that tokens may have; 1: the model has none.
    """

    def __init__(self, module: PreTrainedModel) -> None:
        self.module = module
        self._base_name = base_of(module)
        base: Any = self._base
        embeddings: Any = getattr(base, "embeddings", None)
        counts = hasattr(embeddings, "create_position_ids_from_input_ids")
        self.first_position: int = embeddings.padding_idx + 1 if counts else 0
        takes_types = "token_type_ids" in inspect.signature(base.forward).parameters
        self.num_token_types: int = getattr(module.config, "type_vocab_size", 1) if takes_types else 1
        self._modules = list(module.modules())
        layers = list(module.get_decoder().modules()) if is_embedder(module) else self._modules  # without its tower
        self._configs = _configs_in(layers)
        self._step = CurrentStep.shared([each for each in layers if hasattr(each, "is_causal")])
        self._more = {"use_cache": False} if "use_cache" in inspect.signature(base.forward).parameters else {}
        self._head: nn.Module | None = None
        if self._base_name is not None and classes_of(module):
            self._head, self._stub = copy.copy(module), _Stub(base)

    @property
    def _base(self) -> Any:
        return self.module if self._base_name is None else getattr(self.module, self._base_name)

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: Any, rows: Tensor) -> Tensor:
        """Return hidden states of these rows of the packed tokens."""
        if torch.compiler.is_compiling():
            return self._rows(input_ids, positions, metadata, rows)
        with self.in_use():
            return self._rows(input_ids, positions, metadata, rows)

    def _rows(self, input_ids: Tensor, positions: Tensor, metadata: Any, rows: Tensor) -> Tensor:
        more: dict[str, Any] = dict(self._more)
        if self.num_token_types > 1:
            vocab_size = self.module.config.vocab_size
            more["token_type_ids"] = (input_ids // vocab_size)[None]
            input_ids = input_ids % vocab_size
        if self.first_position:
            positions = positions + self.first_position
        self._step.metadata = metadata
        try:
            name = "inputs_embeds" if input_ids.is_floating_point() else "input_ids"
            result = self._base(**{name: input_ids[None]}, position_ids=positions[None], **more)
        finally:
            self._step.metadata = None
        hidden: Tensor = result.last_hidden_state[0][rows]
        return hidden

    def logits(self, hidden: Tensor) -> Tensor:
        """Map [num_rows, hidden_size] to classes or vectors; returns the input for a model with neither."""
        if is_embedder(self.module):
            head = classifier_of(self.module)
            assert head is not None
            return head(hidden)  # type: ignore[no-any-return]
        if self._head is None or self._base_name is None:
            return hidden
        modules = {**self.module._modules, self._base_name: self._stub}
        if modules != self._head._modules:  # the caller may have replaced some
            self._head._modules = modules
        logits: Tensor = self._head(inputs_embeds=hidden[:, None]).logits
        return logits.reshape(len(hidden), -1)

    def embed(self, input_ids: Tensor) -> Tensor:
        """Embed tokens: [num_tokens] -> [num_tokens, embedding size]."""
        found: Tensor = self.module.get_input_embeddings()(input_ids)
        return found

    @contextmanager
    def in_use(self) -> Generator[None]:
        """Use torchpaged's attention and evaluation mode inside the context."""
        with attending(self._configs), evaluating(self._modules):
            yield


class _Stub(nn.Module):
    """A stand-in for the encoder that returns the hidden states it is given, and what the encoder's pooler makes."""

    def __init__(self, base: nn.Module) -> None:
        super().__init__()
        self._pooler = getattr(base, "pooler", None)

    def forward(self, *_: Any, inputs_embeds: Tensor, **__: Any) -> Any:
        """Return [num_rows, 1, hidden_size] in transformers' output class."""
        pooled = None if self._pooler is None else self._pooler(inputs_embeds)
        return BaseModelOutputWithPooling(last_hidden_state=inputs_embeds, pooler_output=pooled)


def _configs_in(modules: Sequence[nn.Module]) -> list[PretrainedConfig]:
    """Return the config objects in which the layers look up their attention."""
    found = {
        id(each.config): each.config for each in modules if isinstance(getattr(each, "config", None), PretrainedConfig)
    }
    return list(found.values())


def vector_size_of(model: PreTrainedModel) -> int:
    """Return `ModelSpec.vector_size`."""
    return int(model.config.embedding_dim) if model.config.model_type in EMBEDDER_TYPES else 0


def classes_of(model: PreTrainedModel) -> dict[str, Any]:
    """Return the fields of `ModelSpec` that describe a classifier's labels; none for other models."""
    name, config = type(model).__name__, model.config
    if not name.endswith((TEXT_CLASSIFIER, TOKEN_CLASSIFIER)):
        return {}
    return {
        "num_labels": config.num_labels,
        "labels": tuple(str(config.id2label.get(index, index)) for index in range(config.num_labels)),
        "labels_tokens": name.endswith(TOKEN_CLASSIFIER),
        "multi_label": config.problem_type == "multi_label_classification",
    }
