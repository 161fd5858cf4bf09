"""Runs a transformers model's own multi-token prediction head, read from its checkpoint, over a paged pool."""

from __future__ import annotations

import hashlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from torchpaged.errors import ConfigError, reason_of
from torchpaged.integrations.transformers.adapter import TransformersModel
from torchpaged.integrations.transformers.attention_interface import CurrentStep, Probe, attending, evaluating
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.model import LayerShape, PagedModel

# Model types whose heads have been compared with transformers'.
SUPPORTED = ("deepseek_v3", "glm4_moe", "mellum")


class TransformersMtpHead:
    """The one layer of a model's `MtpModel`, as a `models.draft_model.MtpHead`.

    The embedding and the output layer are the model's.

    Args:
        module: transformers' `MtpModel`.

    Raises:
        ConfigError: the layer is not one layer of plain attention.
    """

    def __init__(self, module: Any) -> None:
        self._module = module.eval()
        (self._layer,) = module.layers
        self._step = CurrentStep.of(self._layer)
        configs = [each.config for each in self._layer.modules() if hasattr(each, "config")]
        self._configs = list({id(config): config for config in configs}.values())
        self.hidden_size: int = module.config.hidden_size
        self.shape = self._probed()

    @torch.inference_mode()
    def _probed(self) -> LayerShape:
        probe, one = Probe(), torch.zeros(1, dtype=torch.int64, device=self._weight.device)
        self.forward(one, one, self._weight.new_zeros(1, self.hidden_size), probe)
        if list(probe.layers) != [0] or probe.fault or probe.kinds:
            raise ConfigError(
                f"EngineConfig: speculative_config has method='mtp', and the head keeps {probe.layers} "
                f"({probe.fault or sorted(probe.kinds)}), expected one layer of plain attention"
            )
        return probe.layers[0]

    @property
    def _weight(self) -> Tensor:
        weight: Tensor = self._layer.eh_proj.weight
        return weight

    def forward(self, input_ids: Tensor, positions: Tensor, before: Tensor, metadata: StepMetadata | Probe) -> Tensor:
        """Implement `MtpHead.forward`."""
        module = self._module
        embedded = module.embed_tokens(input_ids[None])
        of_layer = {"layer_type": module.config.layer_types[0]} if module.has_per_layer_rope else {}
        rotation = module.rotary_emb(embedded, position_ids=positions[None], **of_layer)
        with self.in_use():
            self._step.metadata = metadata
            try:
                hidden: Tensor = self._layer(
                    embedded,
                    before[None],
                    position_embeddings=rotation,
                    attention_mask=None,
                    position_ids=positions[None],
                    past_key_values=None,
                )
            finally:
                self._step.metadata = None
        return hidden[0]

    @contextmanager
    def in_use(self) -> Generator[None]:
        """Implement `MtpHead.in_use`."""
        with attending(self._configs), evaluating([self._module]):
            yield

    def fingerprint(self) -> str:
        """Implement `MtpHead.fingerprint`."""
        found = hashlib.sha256()
        for name, weight in self._layer.state_dict().items():
            found.update(name.encode())
            found.update(weight.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
        return found.hexdigest()


def head_of(target: PagedModel) -> TransformersMtpHead:
    """Load the head of a model's checkpoint.

    Raises:
        ConfigError: the checkpoint has no head or several, or its model type's heads are untested.
    """
    reason: str | None = None
    if not isinstance(target, TransformersModel):
        reason = f"{target.spec.name} is no decoder of transformers"
    elif target.config.model_type not in SUPPORTED:
        reason = f"heads of model type {target.config.model_type!r} have not been tried, only of {', '.join(SUPPORTED)}"
    elif (count := getattr(target.config, "num_mtp_layers", None)) != 1:
        reason = f"{target.spec.name}'s config has num_mtp_layers={count}, expected 1"
    if reason is not None:
        raise ConfigError(f"EngineConfig: speculative_config has method='mtp', but {reason}; take 'ngram' or 'suffix'")
    from transformers.modeling_layers import MtpModel

    assert isinstance(target, TransformersModel)
    if target.group is not None:  # the embedding and the output layer, which are the model's, are wrapped
        MtpModel._keys_to_ignore_on_load_missing = ["shared_head.*weight", "embed_tokens.*weight"]
    try:
        module = MtpModel.from_pretrained(target.model)
    except Exception as error:  # missing files, names and shapes raise different types in transformers
        raise ConfigError(
            f"EngineConfig: speculative_config has method='mtp', but the head of {target.spec.name} cannot be read "
            f"from {target.model.config.name_or_path!r}: {reason_of(error)}; take 'ngram' or 'suffix'"
        ) from error
    module.layers.to(target.spec.device, target.spec.dtype)  # not the other modules: they are the model's
    return TransformersMtpHead(module)
