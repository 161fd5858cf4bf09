"""EngineWeights: the weights that an engine computes with, their names, and everything derived from them that must
follow a change.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from torchpaged.config import EngineConfig
from torchpaged.errors import ConfigError, EngineError
from torchpaged.execution.ranks.executor import RankedExecutor
from torchpaged.models.draft_model import TargetWithDraft, TargetWithMtp
from torchpaged.models.model import PagedModel, Weights, prepare
from torchpaged.outputs import FIRST_VERSION
from torchpaged.utils import startup

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)

# Most characters of the name of weights: outputs have it once for each run of tokens.
MOST_VERSION = 256

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
    """Changes weights between two steps, and sees that nothing computed with the old ones is taken for the new ones'.

    Invariant: while `is_current`, everything derived of the weights is that of the weights named `version`.

    Args:
        computed: the model, joined with its draft model if there is one; only the model's own weights are changed.
        config: resolved.

    Attributes:
        is_asleep: True while memory that derived values need is given back; they are made when it is False again.
        ranks: has parts of the weights on other processes too; None: all are here, or no rank has an executor yet.
        renew: makes again what the engine has derived of the weights: programs, graphs, cached blocks, pins. The engine
            sets it before any weight is changed. The first argument is True if more than numbers may have changed:
            modules, types; the second if sequences under way keep what was computed of them.
        version: name of the weights, for the outputs of requests: "default", then "1" and so on, or the caller's names.
    """

    def __init__(self, computed: PagedModel, config: EngineConfig) -> None:
        self._models: list[PagedModel] = [computed]
        if isinstance(computed, TargetWithDraft):
            self._models = [computed.target, computed.draft]
        elif isinstance(computed, TargetWithMtp):
            self._models = [computed.target]
        self._config = config
        self._stale = False  # True while cached prefixes may belong to other weights than the model's
        self._damage: str | None = None  # why some weights are new and some old
        self._num_changes = 0
        self.is_asleep = False
        self.version = FIRST_VERSION
        self.renew: Callable[[bool, bool], None] = lambda others, keeps: None
        self.ranks: RankedExecutor | None = None
        self._optimize()

    def _optimize(self) -> None:
        if self.ranks is not None:
            self.ranks.prepare_weights()
            return
        if self._config.enable_lora:
            weights_of(self._models[0], "enable_lora")
        for model in self._models:
            if model.weights is not None:
                with startup.stage("optimize"):
                    prepare(model.weights, self._config, adapters=model is self._models[0])

    def _require_whole(self, what: str) -> None:
        """Raise ConfigError if the weights are divided over ranks: a change here would reach one of them."""
        if (size := self._config.tensor_parallel_size) > 1:
            raise ConfigError(
                f"{what}: tensor_parallel_size is {size}, and ranks do not support it; make another engine"
            )

    def look(self) -> None:
        """Before an idle engine runs again, check if the user has changed the model since its last step."""
        weights = self._models[0].weights
        if weights is None or self._config.tensor_parallel_size > 1:
            return
        self.require_current()
        # `changed` reports a change only once, so an interrupt from here on must leave the flag set.
        was_stale, self._stale = self._stale, True
        if weights.changed():
            logger.info("the model's weights or adapters have changed: cached prefixes are computed anew")
            self.rename()
            self._renew()
        elif was_stale:
            self._renew()
        self._stale = False

    def require_current(self) -> None:
        """Make derived values again if an interrupt or an error has prevented that.

        Raises:
            EngineError: a change has failed in its middle.
        """
        if self._damage is not None:
            raise EngineError(f"{self._damage}; call update_weights with all weights, or make another engine")
        if self._stale and not self.is_asleep:
            self._renew()

    @property
    def is_current(self) -> bool:
        """True if everything derived is the weights'."""
        return not self._stale

    @property
    def is_damaged(self) -> bool:
        """True if only an `update` of all weights helps."""
        return self._damage is not None

    def require_new_version(self, what: str, version: object, *, may_be_absent: bool = True) -> None:
        """Raise ConfigError for a name that `rename` and `update` cannot give; `what` names the caller in the error."""
        if version is None and may_be_absent:
            return
        if not isinstance(version, str) or not 0 < len(version) <= MOST_VERSION:
            raise ConfigError(f"{what}: version is {version!r:.80}, expected a text of 1 to {MOST_VERSION} characters")
        if version == self.version:
            raise ConfigError(f"{what}: version is {version!r}, which the weights have already; give them another name")

    def rename(self, version: str | None = None) -> None:
        """Give the weights a name; None: the next number."""
        self._num_changes += 1
        self.version = str(self._num_changes) if version is None else version

    def quantize(self, config: Any, tokenizer: Any, calibration: Sequence[str | Sequence[int]] | None) -> Any:
        """`Weights.quantize`, applied to the weights as in the checkpoint."""
        self._require_whole("quantize")
        weights = weights_of(self._models[0], "quantize")
        weights.restore()
        self.rename()
        try:
            return weights.quantize(config, tokenizer, calibration)
        finally:
            self._renew()

    def checked(
        self, weights: Any, *, is_part: bool = False, allow_non_finite: bool = False
    ) -> list[tuple[str, torch.Tensor]]:
        """`Weights.checked`.

        Args:
            is_part: if the others come later, so that it need not be all that are missing.
        """
        own, complete = weights_of(self._models[0], "update_weights"), self._damage is not None and not is_part
        return own.checked(weights, complete=complete, allow_non_finite=allow_non_finite)

    def update(
        self, weights: Sequence[tuple[str, torch.Tensor]], version: str | None = None, *, keeps: bool = False
    ) -> None:
        """Copy checked tensors; they have the name from then on.

        Ctrl-C and errors leave the old weights with their name, or the new ones with theirs.

        Args:
            version: None: the next number.
            keeps: leave the keys and values of sequences under way as they are.
        """
        own = weights_of(self._models[0], "update_weights")
        name = str(self._num_changes + 1) if version is None else version
        named = partial(self.__dict__.update, version=name, _num_changes=self._num_changes + 1, _damage=None)
        self._stale = True
        try:
            own.restore()
            try:
                if self.ranks is None:
                    own.update(weights, named)
                else:
                    self.ranks.update_weights(weights, named)
            except Exception as error:
                failed = f"{type(error).__name__}: {error}"
                self._damage = f"some weights are new and some are old, because a copy failed: {failed}"
                raise
        finally:
            # A caller that passes no tensor has changed the module itself, in any way.
            self._renew(others=not weights, keeps=keeps)

    def release(self, *, keep: bool) -> None:
        """`Weights.release`; nothing is made of the weights until `regain`."""
        if not keep:
            self._require_whole("sleep: level is 2")
        models = [model for model in self._models if not keep or model.weights is not None]
        weights = [weights_of(model, "sleep: level is 2") for model in models]
        if not keep and len(weights) > 1:
            raise ConfigError(
                "sleep: level is 2, and update_weights cannot fill the draft model's weights; use level 1"
            )
        self.is_asleep = True
        if keep and all(model.spec.device.type == "cpu" for model in models):
            return  # they are where they would be kept
        for each in weights:
            each.release(keep=keep)
            self._stale = True
        if not keep:
            self._damage = "sleep(level=2) has dropped the weights"

    def regain(self) -> None:
        """`Weights.regain`."""
        for model in self._models:
            if model.weights is not None:
                model.weights.regain()

    def apply(self, func: Callable[[torch.nn.Module], _R]) -> _R:
        """Return a function's result for the module, whose weights are as in the checkpoint; it may change them."""
        self._require_whole("apply_model")
        weights = weights_of(self._models[0], "apply_model")
        weights.restore()
        self.rename()
        try:
            return func(weights.module)
        finally:
            self._renew()

    def _renew(self, others: bool = True, keeps: bool = False) -> None:
        """Make derived values again; the arguments are those of `renew`. While the engine sleeps, only note it."""
        self._stale = True
        if self.is_asleep or self._damage is not None:
            return
        self._optimize()
        self.renew(others, keeps)
        self._stale = False
