"""The weights of a transformers model: whether they have changed, what is made of them, and how to write into them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PretrainedConfig

from torchpaged.compiler.optimize import ModelFunctions, Optimized, OptimizeReport, optimize
from torchpaged.compiler.weight_packing import missing_kernels
from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.integrations.checkpoints.calibration import calibration_tokens
from torchpaged.integrations.checkpoints.fingerprint import WeightsLook, fingerprint_of
from torchpaged.integrations.checkpoints.int4 import quantize_four_bits, sequences_of
from torchpaged.integrations.checkpoints.torchao import QuantizedWeights, quantize
from torchpaged.models.model import ModelSpec
from torchpaged.utils.huge_pages import Region


class TransformersWeights:
    """The `Weights` of a transformers model, which may be somebody else's too.

    Args:
        module: that has them.
        config: of the model, for its fingerprint.
        spec: of the model.
        parts: what runs the model, to be made faster; None where nobody knows how.
        more: what else tells this model from others.
        owned: whether nobody else has a use for the module: its weights may be given back once they are packed.
        done: what has quantised them while they were loaded, and what that did: whoever asks for it finds it done.
        region: where they are packed first; it is closed then.

    Attributes:
        optimized: what runs the model faster; None while `parts` does.
        report: what `optimize` has done, or why nothing; None before.
    """

    def __init__(
        self,
        module: nn.Module,
        config: PretrainedConfig,
        spec: ModelSpec,
        parts: ModelFunctions | None = None,
        *,
        more: str = "",
        owned: bool = False,
        done: tuple[str, QuantizedWeights] | None = None,
        region: Region | None = None,
    ) -> None:
        self.module = module
        self._done, self._region = done, region
        self.optimized: Optimized | None = None
        self.report: OptimizeReport | None = None
        self._config, self._spec, self._parts, self._more, self._owned = config, spec, parts, more, owned
        self._look: WeightsLook | None = None  # None: nobody has looked since what is known of them was made
        self._fingerprint: str | None = None  # None: not asked for yet

    def optimize(self, *, float32: bool = True) -> None:
        """Makes the forward faster where that is known how: on a CPU that the library has vectors for.

        What changes are the order and the number of roundings, which depend on no other row then. An owned model's
        weights are packed and given back.

        Args:
            float32: whether a model in that type too.
        """
        self.restore()
        region, self._region = self._region, None
        try:
            made = self._optimized(float32, region)
        finally:
            if region is not None:
                region.close()
        self.optimized, self.report = (None, made) if isinstance(made, OptimizeReport) else (made, made.report)
        self.changed()  # from now on what differs from this has changed

    def _optimized(self, float32: bool, region: Region | None) -> Optimized | OptimizeReport:
        if self._parts is None:
            return OptimizeReport("it has an encoder")
        if (reason := missing_kernels(self._spec.device)) is not None:
            return OptimizeReport(reason)
        if self._spec.dtype == torch.float32 and not float32:
            return OptimizeReport("it is in float32, which optimize=True rewrites too")
        return optimize(self._parts, self._spec, free=self._owned, region=region)

    def restore(self) -> None:
        """Takes `optimize` back: for who wants to change the weights."""
        if self.optimized is not None:
            self.optimized.unpack()
            self.optimized = None
        self._fingerprint = None

    def quantize(
        self, config: Any, tokenizer: Any = None, calibration: Sequence[str | Sequence[int]] | None = None
    ) -> QuantizedWeights:
        """Quantises them in place, after `restore`, as `torchao.quantize` does; in four bits on the CPU as `four_bits`.

        Args:
            tokenizer, calibration: as of `calibration_tokens`.

        Raises:
            ConfigError: it cannot be done; they are as they were then.
        """
        self.restore()
        done, self._done = self._done, None
        if done is not None and config == done[0] and calibration is None:
            return done[1]
        count = sequences_of(config) if self._spec.device.type == "cpu" else 0
        if count:
            spec = self._spec
            tokens = calibration_tokens(tokenizer, spec.vocab_size, spec.max_model_len, count, calibration)
            return quantize_four_bits(self.module, config, tokens)
        if calibration is not None:
            raise ConfigError(f"quantize: calibration is given, and {config!r:.60} has no use for it; leave it out")
        return quantize(self.module, config)

    def changed(self) -> bool:
        """Whether the weights, or the active adapters, are others than when last looked at.

        What was made of them is made anew by `optimize` then; keys and values computed with them are to be forgotten.
        """
        if self._owned and self.optimized is not None:
            return False  # they lie in packed weights that nobody else has
        before, self._look = self._look, WeightsLook(self.module)
        if before is None or self._look == before:
            return False
        self._fingerprint = None
        return True

    def update(self, weights: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]]) -> int:
        """Copies numbers into the model's own tensors, after `restore`. Returns how many tensors.

        Raises:
            ConfigError: a name that the model does not have, another shape, or a weight that is quantised. The tensors
                before it are copied.
        """
        self.restore()
        own = self.module.state_dict(keep_vars=True)
        count = 0
        for name, values in _pairs(weights):
            if (target := own.get(name)) is None:
                raise ConfigError(
                    f"update_weights: {self._spec.name} has no weight {name!r:.100}" + did_you_mean(str(name), own)
                )
            if hasattr(target, "__tensor_flatten__") or not target.is_floating_point():
                raise ConfigError(f"update_weights: {name} is quantised; load the model anew and quantise it then")
            if not isinstance(values, Tensor) or values.shape != target.shape:
                found = tuple(values.shape) if isinstance(values, Tensor) else f"a {type(values).__name__}"
                raise ConfigError(f"update_weights: {name} is {found}, expected a tensor {tuple(target.shape)}")
            target.data.copy_(values)
            count += 1
        return count

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """sha256 over the config, what else was said of the model, and all weights; taken when first asked for.

        Args:
            most_bytes: of larger models about so many are read; None: all.
        """
        if most_bytes is None and self._fingerprint is not None:
            return self._fingerprint
        freed = {} if self.optimized is None else {id(each.tensor): each for each in self.optimized.freed}
        found = fingerprint_of(self._config, self.module, self._more, freed, most_bytes)
        if most_bytes is None:
            self._fingerprint = found
        return found


def _pairs(weights: Any) -> Iterator[tuple[Any, Any]]:
    """(name, tensor) of a dictionary, or of what gives such pairs. Raises ConfigError for something else."""
    expected = "expected tensors by name, or (name, tensor) pairs"
    if isinstance(weights, str) or not isinstance(weights, Iterable):
        raise ConfigError(f"update_weights: weights is {weights!r:.80}, {expected}")
    for each in weights.items() if isinstance(weights, Mapping) else weights:
        if not isinstance(each, (tuple, list)) or len(each) != 2:
            raise ConfigError(f"update_weights: weights has {each!r:.80}, {expected}")
        yield each[0], each[1]
