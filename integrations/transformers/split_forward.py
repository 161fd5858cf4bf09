"""A model's own code as the two parts of a `PagedModel`: tokens to hidden states, and these to logits.

Of a model that classifies texts or tokens the second part is its linear layer, `score` or `classifier`. Of a causal LM:

The second part is the causal LM's own forward with a stub in its decoder's place, which gives back the hidden states
that it is handed. So what a family does behind its decoder (norms, scales, softcaps) stays the family's own business.
"""

from __future__ import annotations

import copy
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig, PreTrainedModel

from torchpaged.integrations.families import TEXT_CLASSIFIER, TOKEN_CLASSIFIER
from torchpaged.integrations.transformers.attention_interface import (
    AttentionRecorder,
    CurrentStep,
    Probe,
    attending,
    evaluating,
)
from torchpaged.models.attention_metadata import StepMetadata


class OwnForward:
    """Runs a causal LM with torchpaged's attention. It is whole until `cut` has cut it in two.

    Where it takes tokens [num_tokens] it takes their embeddings [num_tokens, embedding_size] too.

    Args:
        module: the causal LM.
        configs: that its layers ask for their attention.
        step: that its layers share.
        more: arguments of its forward.
    """

    def __init__(
        self, module: PreTrainedModel, configs: Sequence[PretrainedConfig], step: CurrentStep, more: Mapping[str, Any]
    ) -> None:
        self.module = module
        self._configs, self._step, self._more = configs, step, more
        self._modules = list(module.modules())
        self._decoder: str | None = None  # its name in the causal LM; None: the model is whole
        if classifier_of(module) is not None:
            self._decoder = _decoder_of(module)
        # The causal LM without its decoder: a copy that has the same tensors, modules and hooks, and the stub.
        self._head: nn.Module | None = None
        self._stub: _Stub | None = None

    def forward(
        self,
        input_ids: Tensor,
        positions: Tensor,
        metadata: StepMetadata | Probe | AttentionRecorder,
        rows: Tensor,
    ) -> Tensor:
        """What `logits` takes of these rows of the packed tokens: hidden states; logits while the model is whole."""
        if torch.compiler.is_compiling():  # whoever compiles has entered `in_use`, and does for each call
            return self._rows(input_ids, positions, metadata, rows)
        with self.in_use():
            return self._rows(input_ids, positions, metadata, rows)

    def logits(self, hidden: Tensor) -> Tensor:
        """[num_rows, hidden_size] -> [num_rows, vocab_size], or classes; while the model is whole what it is given."""
        if self._head is None:
            classifier = classifier_of(self.module)
            return hidden if classifier is None else classifier(hidden)
        if not torch.compiler.is_compiling():
            self._follow()
        logits: Tensor = self._head(inputs_embeds=hidden[None], use_cache=False).logits[0]
        return logits

    def embed(self, input_ids: Tensor) -> Tensor:
        """[num_tokens] -> [num_tokens, embedding_size]: what the decoder makes of tokens first."""
        found: Tensor = self.module.get_input_embeddings()(input_ids[None])[0]
        return found

    @torch.inference_mode()
    def embedding_size(self, vocab_size: int) -> int:
        """The size of a token's embedding; 0 where embeddings do not give the bits of the tokens that they are of."""
        tokens = torch.arange(3, device=self.module.device)
        input_ids = tokens.clamp(max=vocab_size - 1)
        try:
            embeds = self.embed(input_ids)
            embedded = self.forward(embeds, tokens, Probe(), tokens)
        except Exception:  # a family that needs the tokens says so in its own way
            return 0
        same = torch.equal(embedded, self.forward(input_ids, tokens, Probe(), tokens))
        return embeds.shape[1] if same else 0

    @contextmanager
    def in_use(self) -> Generator[None]:
        """While it is entered the model's attention is torchpaged's, and it does not train, whatever its owner says."""
        self._follow()
        if self.module.training:  # with what was added to it since
            self._modules = list(self.module.modules())
        with attending(self._configs), evaluating(self._modules):
            yield

    @torch.inference_mode()
    def cut(self, vocab_size: int) -> int | None:
        """Cuts the model in two, if both parts together give the whole model's logits bit for bit.

        Returns:
            The size of its hidden states; None where it stays whole.
        """
        if (classifier := classifier_of(self.module)) is not None:
            return classifier.in_features
        name = _decoder_of(self.module)
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
        except Exception:  # a family's own code, called in another way than it is used to; or it has no memory
            pass
        self._decoder = self._head = self._stub = None
        return None

    def _rows(
        self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata | Probe | AttentionRecorder, rows: Tensor
    ) -> Tensor:
        result: Tensor
        if self._decoder is None:
            result = self._call(self.module, input_ids, positions, metadata, logits_to_keep=rows).logits[0]
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
            return module(position_ids=positions[None], use_cache=False, **given)
        finally:
            self._step.metadata = None

    def _follow(self) -> None:
        """Gives the head the modules that the model has now: others may have replaced some."""
        if self._head is None or self._decoder is None:
            return
        modules = {**self.module._modules, self._decoder: self._stub}
        if modules != self._head._modules:  # a dictionary that stays the same is one that compiled code knows
            self._head._modules = modules


class _Stub(nn.Module):
    """Stands for a decoder whose hidden states are known.

    Args:
        kind: of the decoder's outputs.
        decoder: whose numbers a head may ask for (Falcon-H1's scales its logits by one).
    """

    def __init__(self, kind: type, decoder: nn.Module) -> None:
        super().__init__()
        numbers = {name: value for name, value in vars(decoder).items() if isinstance(value, (int, float))}
        self.__dict__.update({**numbers, **vars(self)})
        self._kind = kind

    def forward(self, *_: Any, inputs_embeds: Tensor, **__: Any) -> Any:
        """[1, num_rows, hidden_size] as what the decoder returns."""
        return self._kind(last_hidden_state=inputs_embeds)

    decoder = forward  # OPT's head asks for it, within the model that `_decoder_of` names


def classifier_of(module: nn.Module) -> nn.Linear | None:
    """Return the layer of a decoder that classifies texts by their last hidden state, or each token; None: neither."""
    names = {TEXT_CLASSIFIER: ("score",), TOKEN_CLASSIFIER: ("score", "classifier")}
    for kind, layers in names.items():
        if type(module).__name__.endswith(kind) and _decoder_of(module) is not None:
            found = (getattr(module, name, None) for name in layers)
            return next((layer for layer in found if isinstance(layer, nn.Linear)), None)
    return None


def _decoder_of(module: nn.Module) -> str | None:
    """The name under which a causal LM has its decoder; None for what is no model of transformers' own."""
    if not isinstance(module, PreTrainedModel):
        return None
    return next((name for name in (module.base_model_prefix, "model") if name in module._modules), None)
