"""transformers' encoder-decoders (Bart and its kin, Whisper) over a paged cache, cross-attention included.

The encoder is transformers' own and runs once for a request, with the attention that the model was loaded with. What
it gives goes through the decoder's own key and value projections into blocks of the pool that the request keeps.
"""

from __future__ import annotations

import operator
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig, PreTrainedModel

from torchpaged.errors import ModelError
from torchpaged.integrations.attention_function import Probe, attending, evaluating, require_interface
from torchpaged.integrations.families import supported, unsupported_reason
from torchpaged.integrations.transformers_weights import TransformersWeights
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.model import LayerShape, ModelSpec


class EncoderDecoderModel:
    """A transformers encoder-decoder as a `PagedModel`.

    Its layers are the decoder's self-attention, and behind them its cross-attention. The model stays its owner's: the
    decoder's attention is torchpaged's only while a step runs.

    Raises:
        ModelError: the architecture is not supported; the message says why and what is.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        config = model.config
        if reason := unsupported_reason(config):
            raise ModelError(reason)
        self.model, self.config = model, config
        self._modules = list(model.modules())
        self._decoder: Any = model.get_decoder()
        require_interface(model, config)
        self.encoder = TransformersEncoder(model)
        # Most decoders number positions by the place in the batch; these are the step's. Once, however often a model is
        # wrapped.
        self._embed_positions = self._decoder.embed_positions
        if not hasattr(self._embed_positions, "positions_of_step"):
            self._embed_positions.register_forward_pre_hook(_at_positions_of_step, with_kwargs=True)
        layers, hidden_size = self._probe()
        self.spec = ModelSpec(
            name=type(model).__name__,
            layers=layers,
            vocab_size=config.vocab_size,
            max_model_len=self._decoder.max_target_positions,
            dtype=model.dtype,
            device=model.device,
            hidden_size=hidden_size,
        )
        self.weights = TransformersWeights(model, config, self.spec)

    @torch.inference_mode()
    def _probe(self) -> tuple[Mapping[int, LayerShape], int]:
        """One token through the decoder: the layers themselves say what they keep, and that the metadata arrives."""
        probe, zero = Probe({}), torch.zeros(1, dtype=torch.int64, device=self.model.device)
        try:
            hidden = self._decode(zero, zero, None, probe)
        except ValueError as error:
            raise ModelError(f"{type(self.model).__name__} does not reach torchpaged's attention: {error}") from error
        count = len(self._decoder.layers)
        if sorted(probe.layers) != list(range(2 * count)):
            raise ModelError(
                f"{type(self.model).__name__}: {len(probe.layers)} of {2 * count} layers use the attention interface; "
                + supported()
            )
        layers = {index: replace(probe.layers[index], cross=index >= count) for index in range(2 * count)}
        return layers, hidden.shape[1]

    def _decode(self, input_ids: Tensor, positions: Tensor, states: Tensor | None, metadata: Any) -> Tensor:
        """Packed tokens [num_tokens] -> hidden states [num_tokens, hidden]."""
        if states is None:  # a layer makes keys and values of one row at least; it has no slot
            states = torch.zeros(1, self.config.d_model, dtype=self.model.dtype, device=self.model.device)
        with self.in_use():
            self._embed_positions.positions_of_step = positions
            result = self._decoder(
                input_ids=input_ids[None],
                encoder_hidden_states=states[None],
                use_cache=False,
                paged_metadata=metadata,
            )
        hidden: Tensor = result.last_hidden_state[0]
        return hidden

    @contextmanager
    def in_use(self) -> Generator[None]:
        """While it is entered the decoder's attention is torchpaged's, its cross-attention numbered behind the rest."""
        cross = [layer.encoder_attn for layer in self._decoder.layers]
        own = [module.layer_idx for module in cross]
        with attending([self.config]), evaluating(self._modules):
            try:
                for index, module in enumerate(cross):
                    module.layer_idx = len(cross) + index
                yield
            finally:
                self._embed_positions.positions_of_step = None
                for index, module in zip(own, cross, strict=True):
                    module.layer_idx = index

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Packed tokens [num_tokens] -> hidden states [len(rows), hidden_size]."""
        return self._decode(input_ids, positions, metadata.encoder_states, metadata)[rows]

    def logits(self, hidden: Tensor) -> Tensor:
        """[num_rows, hidden_size] -> [num_rows, vocab_size]."""
        logits: Tensor = self.model.get_output_embeddings()(hidden)
        bias = getattr(self.model, "final_logits_bias", None)
        return logits if bias is None else logits + bias

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """sha256 over the config and all weights."""
        return self.weights.fingerprint(most_bytes)


def _at_positions_of_step(module: nn.Module, arguments: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    positions = getattr(module, "positions_of_step", None)  # None between steps, when the model is its owner's
    return arguments, options if positions is None else {**options, "position_ids": positions}


class TransformersEncoder:
    """The encoder of a model: tokens, or a spectrogram's features, to states. See `torchpaged.models.model.Encoder`.

    Its attention is what the model's owner has set.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        self._model = model
        self._encoder: Any = model.get_encoder()
        config: PretrainedConfig = model.config
        self.reads_features = model.main_input_name == "input_features"
        self.vocab_size: int | None = None if self.reads_features else config.vocab_size
        self.max_tokens: int = config.max_source_positions if self.reads_features else config.max_position_embeddings
        generation = model.generation_config or config
        start = getattr(generation, "decoder_start_token_id", None)
        start = config.decoder_start_token_id if start is None else start
        # `generate` forces this token behind the first one.
        forced = getattr(generation, "forced_bos_token_id", None)
        self.decoder_prompt: Sequence[int] = [token for token in (start, forced) if token is not None]

    def num_tokens(self, data: Any) -> int:
        """The states of an input.

        Raises:
            ValueError: an input of another kind, shape or length than the encoder's.
        """
        if self.reads_features:
            encoder = self._encoder
            frames = self.max_tokens * encoder.conv1.stride[0] * encoder.conv2.stride[0]
            shape = (encoder.num_mel_bins, frames)
            found = tuple(data.shape) if isinstance(data, Tensor) else f"a {type(data).__name__}"
            if found != shape:
                raise ValueError(f"the encoder's input is {found}, expected a tensor of features {shape}")
            return self.max_tokens
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
        """[num_tokens(data), hidden] of one input, alone in its batch: nothing is padded."""
        with evaluating(list(self._encoder.modules())):
            return self._states(self._model, data)

    def _states(self, model: PreTrainedModel, data: Any) -> Tensor:
        if self.reads_features:
            states: Tensor = self._encoder(data[None].to(model.device, model.dtype)).last_hidden_state[0]
            return states
        tokens = torch.tensor([list(data)], dtype=torch.int64, device=model.device)
        states = self._encoder(input_ids=tokens).last_hidden_state[0]
        return states
