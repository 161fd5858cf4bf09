"""Runs transformers' encoder-decoders (Bart, T5, Whisper and others) over a paged cache, cross-attention included.

The encoder is transformers' own and runs once for each request, with the attention that the model was loaded with. Its
states go through the decoder's key and value projections into blocks that the request holds until it ends.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig, PreTrainedModel

from torchpaged.errors import ModelError
from torchpaged.integrations.families import max_length, supported, unsupported_reason
from torchpaged.integrations.transformers.attention_interface import (
    CurrentStep,
    Probe,
    attending,
    evaluating,
    require_interface,
)
from torchpaged.integrations.transformers.weights import TransformersWeights
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.model import LayerShape, ModelSpec

# The most tokens for an encoder with relative positions, which has no limit of its own.
_UNLIMITED = 1 << 15


class EncoderDecoderModel:
    """A transformers encoder-decoder as a `PagedModel`.

    Its layers are the decoder's self-attention layers, followed by its cross-attention layers. The caller can keep
    using the model: the decoder uses torchpaged's attention only while a step runs.

    Raises:
        ModelError: the architecture is not supported; the message says why, and which architectures are.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        config = model.config
        if reason := unsupported_reason(config):
            raise ModelError(reason)
        self.model, self.config = model, config
        self._modules = list(model.modules())
        self._decoder: Any = model.get_decoder()
        require_interface(model, config)
        layers = getattr(self._decoder, "block", None) or self._decoder.layers
        self._cross_attention = [_cross_attention(layer) for layer in layers]
        self._step = CurrentStep.of(self._decoder)
        tied = config.model_type == "umt5" and config.tie_word_embeddings
        self._scales_hidden = getattr(config, "scale_decoder_outputs", tied)
        self._biased = [each for each in self._decoder.modules() if getattr(each, "has_relative_attention_bias", False)]
        self.encoder = TransformersEncoder(model)
        # Most decoders number positions by the place in the batch; a hook gives them the step's positions instead. It
        # is registered once, even if several engines use the model.
        self._embed_positions = getattr(self._decoder, "embed_positions", None) or nn.Identity()
        self._counts_tokens = hasattr(self._embed_positions, "create_position_ids_from_input_ids")
        if not self._counts_tokens and not hasattr(self._embed_positions, "positions_of_step"):
            self._embed_positions.register_forward_pre_hook(_at_positions_of_step, with_kwargs=True)
        layers, hidden_size = self._probe()
        self.spec = ModelSpec(
            name=type(model).__name__,
            layers=layers,
            vocab_size=config.vocab_size,
            max_model_len=getattr(self._decoder, "max_target_positions", None) or max_length(config),
            dtype=model.dtype,
            device=model.device,
            hidden_size=hidden_size,
        )
        self.weights = TransformersWeights(model, config, self.spec)

    @torch.inference_mode()
    def _probe(self) -> tuple[Mapping[int, LayerShape], int]:
        """Run one token through the decoder, to learn what each layer caches and that metadata reaches every layer."""
        probe, zero = Probe({}), torch.zeros(1, dtype=torch.int64, device=self.model.device)
        try:
            hidden = self._decode(zero, zero, None, probe)
        except ValueError as error:
            raise ModelError(f"{type(self.model).__name__} does not reach torchpaged's attention: {error}") from error
        count = len(self._cross_attention)
        if sorted(probe.layers) != list(range(2 * count)):
            raise ModelError(
                f"{type(self.model).__name__}: {len(probe.layers)} of {2 * count} layers use the attention interface; "
                + supported()
            )
        layers = {index: replace(probe.layers[index], cross=index >= count) for index in range(2 * count)}
        return layers, hidden.shape[1]

    @property
    def hf_config(self) -> PretrainedConfig:
        """The whole model's config."""
        return self.model.config

    def _decode(self, input_ids: Tensor, positions: Tensor, states: Tensor | None, metadata: Any) -> Tensor:
        """Map packed tokens to hidden states [num_tokens, hidden_size]. `states`: the encoder's, or None."""
        if states is None:  # layers must project one row at least; metadata has no slot for it, so it is not written
            states = torch.zeros(1, self.config.d_model, dtype=self.model.dtype, device=self.model.device)
        with self.in_use():
            if self._counts_tokens:
                self._embed_positions.create_position_ids_from_input_ids = partial(_numbered, positions)
            else:
                self._embed_positions.positions_of_step = positions
            self._step.metadata = metadata
            result = self._decoder(input_ids=input_ids[None], encoder_hidden_states=states[None], use_cache=False)
        hidden: Tensor = result.last_hidden_state[0]
        return hidden

    @contextmanager
    def in_use(self) -> Generator[None]:
        """Use torchpaged's attention inside the context, with cross-attention layers numbered after the others."""
        cross = self._cross_attention
        own = [module.layer_idx for module in cross]
        with attending([self._decoder.config]), evaluating(self._modules):
            try:
                for module in self._biased:
                    module.compute_bias = partial(_by_distance, module)
                for index, module in enumerate(cross):
                    module.layer_idx = len(cross) + index
                yield
            finally:
                self._step.metadata = None
                for module in self._biased:
                    module.__dict__.pop("compute_bias", None)
                if self._counts_tokens:
                    self._embed_positions.__dict__.pop("create_position_ids_from_input_ids", None)
                else:
                    self._embed_positions.positions_of_step = None
                for index, module in zip(own, cross, strict=True):
                    module.layer_idx = index

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Map packed tokens [num_tokens] to hidden states [len(rows), hidden_size]."""
        return self._decode(input_ids, positions, metadata.encoder_states, metadata)[rows]

    def logits(self, hidden: Tensor) -> Tensor:
        """Map hidden states [num_rows, hidden_size] to logits [num_rows, vocab_size]."""
        if self._scales_hidden:
            hidden = hidden * self.config.d_model**-0.5
        logits: Tensor = self.model.get_output_embeddings()(hidden)
        bias = getattr(self.model, "final_logits_bias", None)
        return logits if bias is None else logits + bias

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Return a sha256 over the config and all weights."""
        return self.weights.fingerprint(most_bytes)


def _at_positions_of_step(module: nn.Module, arguments: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    positions = getattr(module, "positions_of_step", None)  # None between steps: the model's own positions are used
    return arguments, options if positions is None else {**options, "position_ids": positions}


def _cross_attention(layer: Any) -> Any:
    if hasattr(layer, "layer"):  # T5's blocks
        return layer.layer[1].EncDecAttention
    return layer.cross_attention if hasattr(layer, "cross_attention") else layer.encoder_attn


def _by_distance(module: Any, *_: Any, **__: Any) -> Tensor:
    """Return [num_heads, num_distances]: T5's learned bias by the distance from a query back to a key."""
    weight: Tensor = module.relative_attention_bias.weight
    before = torch.arange(module.relative_attention_max_distance + 1, device=weight.device)
    if isinstance(inspect.getattr_static(type(module), "_relative_position_bucket"), staticmethod):
        sizes = (module.relative_attention_num_buckets, module.relative_attention_max_distance)
        buckets = module._relative_position_bucket(-before, False, *sizes)
    else:  # UMT5's is a method and reads the sizes from the module
        buckets = module._relative_position_bucket(-before)
    return weight[buckets].T.float().contiguous()


def _numbered(positions: Tensor, input_ids: Tensor, padding: int, past: int = 0) -> Tensor:
    """Number positions as M2M-100 and NLLB do: from padding + 1 on, and `padding` for padding tokens."""
    return torch.where(input_ids == padding, padding, positions + padding + 1)


class TransformersEncoder:
    """A model's encoder, from tokens or a spectrogram's features to states. See `torchpaged.models.model.Encoder`.

    It uses the attention implementation that the model was loaded with.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        self._model = model
        self._encoder: Any = model.get_encoder()
        config: PretrainedConfig = model.config
        self.reads_features = model.main_input_name == "input_features"
        self.vocab_size: int | None = None if self.reads_features else config.vocab_size
        self.max_tokens: int = (
            config.max_source_positions
            if self.reads_features
            else getattr(config, "max_position_embeddings", None) or _UNLIMITED
        )
        generation = model.generation_config or config
        start = getattr(generation, "decoder_start_token_id", None)
        start = getattr(config, "decoder_start_token_id", None) if start is None else start
        # `generate` forces this token as the second one.
        forced = getattr(generation, "forced_bos_token_id", None)
        self.decoder_prompt: Sequence[int] = [token for token in (start, forced) if token is not None]

    def num_tokens(self, data: Any) -> int:
        """Return how many states the encoder computes for an input.

        Raises:
            ValueError: an input of a kind, shape or length that the encoder does not read.
        """
        if self.reads_features:
            encoder = self._encoder
            frames = self.max_tokens * encoder.conv1.stride[0] * encoder.conv2.stride[0]
            shape = (encoder.num_mel_bins, frames)
            found = tuple(data.shape) if isinstance(data, Tensor) else f"a {type(data).__name__}"
            if found != shape:
                raise ValueError(f"the encoder's input is {found}, expected a tensor of features {shape}")
            return self.max_tokens
        if not isinstance(data, list):
            raise ValueError(f"the encoder reads tokens, and was given multi_modal_data ({type(data).__name__})")
        length = len(data)
        if not 1 <= length <= self.max_tokens:
            raise ValueError(f"the encoder's prompt has {length} tokens, expected 1 to {self.max_tokens}")
        for token in data:
            if not 0 <= operator.index(token) < (self.vocab_size or 0):
                raise ValueError(
                    f"the encoder's prompt has token id {token}, expected 0 to {(self.vocab_size or 0) - 1}"
                )
        return length

    def encode(self, data: Any) -> Tensor:
        """Encode one input to [num_tokens(data), hidden], in a batch of its own, so that nothing is padded."""
        with evaluating(list(self._encoder.modules())):
            return self._states(self._model, data)

    def _states(self, model: PreTrainedModel, data: Any) -> Tensor:
        if self.reads_features:
            states: Tensor = self._encoder(data[None].to(model.device, model.dtype)).last_hidden_state[0]
            return states
        tokens = torch.tensor([list(data)], dtype=torch.int64, device=model.device)
        states = self._encoder(input_ids=tokens).last_hidden_state[0]
        return states
