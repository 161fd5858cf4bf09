"""The weights of a transformers model: detects changes, quantises, optimises and updates them."""

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
    """The `Weights` of a transformers model, which the caller may use and change too.

    Args:
        module: the model.
        config: of the model, for its fingerprint.
        spec: of the model.
        parts: the model's forward, to be optimised; None if it cannot be.
        more: other properties that the fingerprint covers.
        owned: whether the engine alone uses the module: its weights may be freed once they are packed.
        done: the quantisation that was done while loading, and its result, which `quantize` then returns.
        region: memory for packed weights, used by the first `optimize`, which closes it.

    Attributes:
        optimized: the optimised forward; None while `parts` runs.
        report: of `optimize`, with the reason if it did nothing; None before.
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
        self._look: WeightsLook | None = None  # None: no look since the weights were last made
        self._fingerprint: str | None = None  # None: not computed

    def optimize(self, *, float32: bool = True) -> None:
        """Optimise the forward, on a CPU that the C++ library has vector code for.

        Only the order and number of roundings change, and results of a row do not depend on other rows. An owned
        model's weights are packed and freed.

        Args:
            float32: whether to optimise a float32 model too.
        """
        self.restore()
        region, self._region = self._region, None
        try:
            made = self._optimized(float32, region)
        finally:
            if region is not None:
                region.close()
        self.optimized, self.report = (None, made) if isinstance(made, OptimizeReport) else (made, made.report)
        self.changed()  # later changes are relative to this

    def _optimized(self, float32: bool, region: Region | None) -> Optimized | OptimizeReport:
        if self._parts is None:
            return OptimizeReport("it has an encoder")
        if (reason := missing_kernels(self._spec.device)) is not None:
            return OptimizeReport(reason)
        if self._spec.dtype == torch.float32 and not float32:
            return OptimizeReport("it is in float32, which optimize=True rewrites too")
        return optimize(self._parts, self._spec, free=self._owned, region=region)

    def restore(self) -> None:
        """Undo `optimize`, before weights are changed."""
        if self.optimized is not None:
            self.optimized.unpack()
            self.optimized = None
        self._fingerprint = None

    def quantize(
        self, config: Any, tokenizer: Any = None, calibration: Sequence[str | Sequence[int]] | None = None
    ) -> QuantizedWeights:
        """Quantise the weights in place, after `restore`: with `torchao.quantize`, or `int4` for four bits on the CPU.

        Args:
            tokenizer, calibration: as in `calibration_tokens`.

        Raises:
            ConfigError: it cannot be done; the weights are unchanged.
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
            raise ConfigError(f"quantize: calibration is given, and {config!r:.60} does not use it; leave it out")
        return quantize(self.module, config)

    def changed(self) -> bool:
        """Tell if the weights or the active adapters have changed since the last call.

        If so, the caller runs `optimize` again and drops cached keys and values.
        """
        if self._owned and self.optimized is not None:
            return False  # the only copy is packed, and the caller has no access to it
        before, self._look = self._look, WeightsLook(self.module)
        if before is None or self._look == before:
            return False
        self._fingerprint = None
        return True

    def update(self, weights: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]]) -> int:
        """Copy values into the model's tensors, after `restore`. Returns the number of tensors.

        Raises:
            ConfigError: an unknown name, another shape, or a quantised weight. Earlier tensors have been copied.
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
        """Return sha256 over the config, `more` and all weights; computed once.

        Args:
            most_bytes: of larger models about this many are read; None: all.
        """
        if most_bytes is None and self._fingerprint is not None:
            return self._fingerprint
        freed = {} if self.optimized is None else {id(each.tensor): each for each in self.optimized.freed}
        found = fingerprint_of(self._config, self.module, self._more, freed, most_bytes)
        if most_bytes is None:
            self._fingerprint = found
        return found


def _pairs(weights: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (name, tensor) of a dictionary or of pairs. ConfigError for anything else."""
    expected = "expected tensors by name, or (name, tensor) pairs"
    if isinstance(weights, str) or not isinstance(weights, Iterable):
        raise ConfigError(f"update_weights: weights is {weights!r:.80}, {expected}")
    for each in weights.items() if isinstance(weights, Mapping) else weights:
        if not isinstance(each, (tuple, list)) or len(each) != 2:
            raise ConfigError(f"update_weights: weights has {each!r:.80}, {expected}")
        yield each[0], each[1]
