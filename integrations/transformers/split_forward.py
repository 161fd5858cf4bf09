"""Splits a model's own forward into the two parts of a `PagedModel`: tokens to hidden states, and those to logits.

For a causal LM the second part is its own forward with a stub in place of the decoder, which returns the hidden states
that it is given. So norms, scales and softcaps after the decoder are the model's own code. For a classifier the second
part is its linear layer, `score` or `classifier`.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig, PreTrainedModel

from torchpaged.integrations.families import TEXT_CLASSIFIER, TOKEN_CLASSIFIER, VECTOR_HEAD
from torchpaged.integrations.transformers.attention_interface import (
    AttentionRecorder,
    CurrentStep,
    Probe,
    attending,
    evaluating,
)
from torchpaged.integrations.transformers.deepstack import DeepStack
from torchpaged.integrations.transformers.per_layer_inputs import PerLayerInputs
from torchpaged.models.attention_metadata import StepMetadata


class OwnForward:
    """A causal LM or classifier that runs with torchpaged's attention; whole until `cut` splits it.

    Embeddings [num_tokens, embedding_size] are accepted wherever tokens [num_tokens] are.

    Args:
        module: the model.
        configs: the configs in which its layers look up their attention.
        step: the step that its layers share.
        more: further arguments of its forward.
        wide: runs the text part by embeddings, in a model whose embeddings are wider than its hidden states.
    """

    def __init__(
        self,
        module: PreTrainedModel,
        configs: Sequence[PretrainedConfig],
        step: CurrentStep,
        more: Mapping[str, Any],
        wide: DeepStack | PerLayerInputs | None = None,
    ) -> None:
        self.module, self._wide = module, wide
        self._configs, self._step, self._more = configs, step, more
        self._modules = list(module.modules())
        # Of the class: an instance's forward may be wrapped. Qwen2-Audio's computes the logits of all tokens.
        own = inspect.signature(type(module).forward).parameters
        self._selects_rows = "logits_to_keep" in own or not isinstance(module, PreTrainedModel)
        self._decoder: str | None = None  # the decoder's name in the module; None: the model is whole
        if classifier_of(module) is not None:
            self._decoder = base_of(module)
        # A shallow copy of the causal LM with the same tensors, modules and hooks, and the stub in the decoder's place.
        self._head: nn.Module | None = None
        self._stub: _Stub | None = None

    def forward(
        self,
        input_ids: Tensor,
        positions: Tensor,
        metadata: StepMetadata | Probe | AttentionRecorder,
        rows: Tensor,
    ) -> Tensor:
        """Return hidden states of these rows of the packed tokens, for `logits`; logits while the model is whole."""
        if torch.compiler.is_compiling():  # the caller has entered `in_use`: setting configs cannot be traced
            return self._rows(input_ids, positions, metadata, rows)
        with self.in_use():
            return self._rows(input_ids, positions, metadata, rows)

    def logits(self, hidden: Tensor) -> Tensor:
        """Map [num_rows, hidden_size] to logits or classes; while the model is whole, return the input unchanged."""
        if self._head is None:
            classifier = classifier_of(self.module)
            return hidden if classifier is None else classifier(hidden)
        if not torch.compiler.is_compiling():
            self._follow()
        logits: Tensor = self._head(inputs_embeds=hidden[None], use_cache=False).logits[0]
        return logits

    def embed(self, input_ids: Tensor) -> Tensor:
        """Embed tokens: [num_tokens] -> [num_tokens, embedding_size]."""
        found: Tensor = self.module.get_input_embeddings()(input_ids[None])[0]
        return found if self._wide is None else self._wide.widen(found, input_ids)

    @torch.inference_mode()
    def embedding_size(self, vocab_size: int) -> int:
        """Return the size of an embedding; 0 if a forward of embeddings differs in any bit from one of their tokens."""
        tokens = torch.arange(3, device=self.module.device)
        input_ids = tokens.clamp(max=vocab_size - 1)
        try:
            embeds = self.embed(input_ids)
            embedded = self.forward(embeds, tokens, Probe(), tokens)
        except Exception:  # models that need tokens raise various errors
            return 0
        same = torch.equal(embedded, self.forward(input_ids, tokens, Probe(), tokens))
        return embeds.shape[1] if same else 0

    @contextmanager
    def in_use(self) -> Generator[None]:
        """Use torchpaged's attention and evaluation mode inside the context, whatever the caller has set."""
        self._follow()
        if self.module.training:  # the caller may have added modules (adapters), which must leave training mode too
            self._modules = list(self.module.modules())
        with attending(self._configs), evaluating(self._modules):
            yield

    @torch.inference_mode()
    def cut(self, vocab_size: int) -> int | None:
        """Split the model, if both parts together give the whole model's logits bit for bit.

        Returns:
            The size of its hidden states; None if it stays whole.
        """
        if (classifier := classifier_of(self.module)) is not None:
            return classifier.in_features
        name = base_of(self.module)
        if name is None:
            return None
        tokens = torch.arange(3, device=self.module.device)
        inputs = (tokens.clamp(max=vocab_size - 1), tokens, Probe(), torch.tensor([2, 0], device=tokens.device))
        expected = self.forward(*inputs)
        try:
            with self.in_use():
                output = self._call(getattr(self.module, name), *inputs[:3])
            hidden: Tensor = output.last_hidden_state[0][inputs[3]]
            stub = _Stub(type(output), getattr(self.module, name))
            self._decoder, self._stub, self._head = name, stub, copy.copy(self.module)
            if torch.equal(self.logits(hidden), expected):
                return hidden.shape[1]
        except Exception:  # the model's own code, called in a way that it may not support
            pass
        self._decoder = self._head = self._stub = None
        return None

    def _rows(
        self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata | Probe | AttentionRecorder, rows: Tensor
    ) -> Tensor:
        result: Tensor
        if self._decoder is None:
            keep = {"logits_to_keep": rows} if self._selects_rows else {}
            result = self._call(self.module, input_ids, positions, metadata, **keep).logits[0]
            result = result if self._selects_rows else result[rows]
        else:
            decoder = getattr(self.module, self._decoder)
            result = self._call(decoder, input_ids, positions, metadata).last_hidden_state[0][rows]
        return result

    def _call(
        self,
        module: nn.Module,
        input_ids: Tensor,
        positions: Tensor,
        metadata: StepMetadata | Probe | AttentionRecorder,
        **more: Any,
    ) -> Any:
        self._step.metadata = metadata
        try:
            name = "inputs_embeds" if input_ids.is_floating_point() else "input_ids"
            given = {name: input_ids[None], **self._more, **more}
            # Positions of several axes are [axes, 1, num_tokens] in transformers.
            position_ids = positions[None] if positions.dim() == 1 else positions.T[:, None]
            run = self._wide if self._wide is not None and input_ids.is_floating_point() else module
            return run(position_ids=position_ids, use_cache=False, **given)
        finally:
            self._step.metadata = None

    def _follow(self) -> None:
        """Update the head's modules from the model: the caller may have replaced some."""
        if self._head is None or self._decoder is None:
            return
        modules = {**self.module._modules, self._decoder: self._stub}
        if modules != self._head._modules:  # keep the same dict if nothing changed: compiled code is guarded on it
            self._head._modules = modules


class _Stub(nn.Module):
    """A stand-in for the decoder that returns the hidden states it is given.

    Args:
        kind: the class of the decoder's outputs.
        decoder: the decoder, whose numeric attributes a head may read (Falcon-H1 scales its logits by one).
    """

    def __init__(self, kind: type, decoder: nn.Module) -> None:
        super().__init__()
        numbers = {name: value for name, value in vars(decoder).items() if isinstance(value, (int, float))}
        self.__dict__.update({**numbers, **vars(self)})
        self._kind = kind

    def forward(self, *_: Any, inputs_embeds: Tensor, **__: Any) -> Any:
        """Return [1, num_rows, hidden_size] in the decoder's output class."""
        return self._kind(last_hidden_state=inputs_embeds)

    decoder = forward  # OPT's causal LM calls `self.model.decoder`


def classifier_of(module: nn.Module) -> nn.Linear | None:
    """Return the layer of a decoder that classifies texts by their last hidden state, or each token, or makes a vector
    of each token; None: it has another head, or none.
    """
    if is_embedder(module):
        return getattr(module, VECTOR_HEAD)  # type: ignore[no-any-return]
    names = {TEXT_CLASSIFIER: ("score",), TOKEN_CLASSIFIER: ("score", "classifier")}
    for kind, layers in names.items():
        if type(module).__name__.endswith(kind) and base_of(module) is not None:
            found = (getattr(module, name, None) for name in layers)
            return next((layer for layer in found if isinstance(layer, nn.Linear)), None)
    return None


def is_embedder(module: nn.Module) -> bool:
    """Return True for an embedder with a vector for each token (`families.EMBEDDERS`)."""
    return isinstance(getattr(module, VECTOR_HEAD, None), nn.Linear)


def base_of(module: nn.Module) -> str | None:
    """Return the attribute that holds a model's decoder or encoder; None for one without a head."""
    if not isinstance(module, PreTrainedModel):
        return None
    return next((name for name in (module.base_model_prefix, "model") if name in module._modules), None)
