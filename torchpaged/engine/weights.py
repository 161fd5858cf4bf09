"""EngineWeights: the weights that an engine computes with, and everything derived from them that must follow a
change.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError
from torchpaged.models.draft_model import TargetWithDraft, TargetWithMtp
from torchpaged.models.model import PagedModel, Weights
from torchpaged.utils import startup

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)

_R = TypeVar("_R")


def weights_of(model: PagedModel, what: str) -> Weights:
    """Return a model's weights, to be changed; `what` names the change in the error.

    Raises:
        ConfigError: they are fixed.
    """
    if model.weights is None:
        raise ConfigError(f"{what}: the weights of {model.spec.name} are fixed; load another model")
    return model.weights


class EngineWeights:
    """Changes weights while no request runs, and sees that nothing computed with the old ones is used again.

    Args:
        computed: the model, joined with its draft model if there is one; only the model's own weights are changed.
        config: resolved.

    Attributes:
        renew: makes again what the engine has derived of the weights: programs, graphs, cached blocks, pins. The engine
            sets it before any weight is changed. The argument is True if more than numbers may have changed: modules,
            types.
    """

    def __init__(self, computed: PagedModel, config: EngineConfig) -> None:
        self._models: list[PagedModel] = [computed]
        if isinstance(computed, TargetWithDraft):
            self._models = [computed.target, computed.draft]
        elif isinstance(computed, TargetWithMtp):
            self._models = [computed.target]
        self._config = config
        self._stale = False  # True while cached prefixes may belong to other weights than the model's
        self.renew: Callable[[bool], None] = lambda others: None
        self._optimize()

    def _optimize(self) -> None:
        if self._config.enable_lora:
            weights_of(self._models[0], "enable_lora").accept_adapters()
        for model in self._models if self._config.optimize else ():
            if model.weights is not None:
                with startup.stage("optimize"):
                    model.weights.optimize(float32=self._config.optimize is True)

    def look(self) -> None:
        """Before an idle engine runs again, check if the user has changed the model since its last step."""
        weights = self._models[0].weights
        if weights is None:
            return
        # `changed` reports a change only once, so an interrupt from here on must leave the flag set.
        was_stale, self._stale = self._stale, True
        if weights.changed() or was_stale:
            logger.info("the model's weights or adapters have changed: cached prefixes are computed anew")
            self._renew()
        self._stale = False

    def quantize(self, config: Any, tokenizer: Any, calibration: Sequence[str | Sequence[int]] | None) -> Any:
        """`Weights.quantize`, applied to the weights as in the checkpoint."""
        weights = weights_of(self._models[0], "quantize")
        weights.restore()
        try:
            return weights.quantize(config, tokenizer, calibration)
        finally:
            self._renew()

    def update(self, weights: Mapping[str, torch.Tensor] | Iterable[tuple[str, torch.Tensor]]) -> int:
        """`Weights.update`."""
        own, count = weights_of(self._models[0], "update_weights"), 0
        try:
            count = own.update(weights)
            return count
        finally:
            self._renew(others=not count)  # a caller that passes none has changed the module itself, in any way

    def apply(self, func: Callable[[torch.nn.Module], _R]) -> _R:
        """Return a function's result for the module, whose weights are as in the checkpoint; it may change them."""
        weights = weights_of(self._models[0], "apply_model")
        weights.restore()
        try:
            return func(weights.module)
        finally:
            self._renew()

    def _renew(self, others: bool = True) -> None:
        """Make derived values again; `others` if more than numbers may have changed."""
        self._stale = True
        self._optimize()
        self.renew(others)
        self._stale = False
