"""The weights of a transformers model: detects changes, optimizes, quantizes and updates them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import SafetensorError
from torch import Tensor, nn
from transformers import PretrainedConfig

from torchpaged.compiler.optimize import ModelFunctions, Optimized, OptimizeReport, fuse_launches, optimize
from torchpaged.compiler.product_cache import FakeProducts
from torchpaged.compiler.weight_packing import missing_kernels
from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.integrations.checkpoints.calibration import calibration_tokens
from torchpaged.integrations.checkpoints.expert_modules import ExpertsForward
from torchpaged.integrations.checkpoints.fingerprint import WeightsLook, fingerprint_of
from torchpaged.integrations.checkpoints.int4 import quantize_four_bits, sequences_of
from torchpaged.integrations.checkpoints.tensor_parallel import Division, WholeExperts
from torchpaged.integrations.checkpoints.torchao import QuantizedWeights, quantize
from torchpaged.integrations.transformers.adapted_linear import adapt_linears, restore_linears
from torchpaged.integrations.transformers.split_forward import OwnForward
from torchpaged.integrations.transformers.weight_memory import WeightMemory
from torchpaged.models.model import ModelSpec
from torchpaged.utils.huge_pages import Region
from torchpaged.weights.lora_adapter import LoraAdapter, is_finite


class WeightsObserver(Protocol):
    """Something that keeps what `optimize` made of a model's weights."""

    def optimized(self, optimized: Optimized) -> None:
        """Take note of the optimized forward, at the end of each `optimize`."""
        ...

    def restored(self) -> None:
        """Stop reading the weights, since they may change when this returns."""
        ...


class TransformersWeights:
    """The `Weights` of a transformers model; the caller of the engine may use the same model.

    Args:
        module: the model.
        config: the model's, for its fingerprint.
        spec: the model's.
        parts: the model's forward as functions that `optimize` can trace; None: the model cannot be optimized.
        more: further text for the fingerprint.
        owned: the engine is the module's only user, so weights may be freed once they are packed.
        done: the name of the quantization that was applied while the weights were loaded, and its result: `quantize`
            with that name returns this result.
        region: memory for packed weights; it is used by the first `optimize`, which closes it.

    Attributes:
        optimized: the optimized forward; None while `parts` runs.
        report: what `optimize` did, or why it did nothing; None before it ran.
        observer: is told when the weights are packed, and before they change.
        linear_modules: `Weights.linear_modules`.
        division: how the whole model was divided over ranks; None: this process has all.
    """

    observer: WeightsObserver | None = None
    division: Division | None = None

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
        self.linear_modules: Mapping[str, tuple[int, int]] = {}
        self.optimized: Optimized | None = None
        self.report: OptimizeReport | None = None
        self._config, self._spec, self._parts, self._more, self._owned = config, spec, parts, more, owned
        self._look: WeightsLook | None = None  # state at the last call of `changed`; None: not called yet
        self._fingerprint: str | None = None  # None: not computed yet
        self._memory = WeightMemory(module)

    def optimize(self, *, float32: bool = True, few_launches: bool = False) -> None:
        """Optimize the forward, on a CPU whose vector instructions the C++ library supports, or for few launches.

        Only the order and the number of roundings change, and a row's result does not depend on other rows. An owned
        model's original weights are freed after packing.

        Args:
            float32: also optimize a model in float32.
            few_launches: join operators on CUDA.
        """
        self._unpack()
        region, self._region = self._region, None
        try:
            made = self._optimized(float32, few_launches, region)
        finally:
            if region is not None:
                region.close()
        self.optimized, self.report = (None, made) if isinstance(made, OptimizeReport) else (made, made.report)
        if self.optimized is not None:
            if self.observer is not None:
                self.observer.optimized(self.optimized)
            self.optimized.graphs = ()  # they keep what was traced
        self.changed()  # take this state as the one that later calls of `changed` compare with

    def _optimized(self, float32: bool, few_launches: bool, region: Region | None) -> Optimized | OptimizeReport:
        if self._parts is None:
            return OptimizeReport("it has an encoder")
        if few_launches and self._spec.device.type != "cpu":
            return fuse_launches(self._parts, self._spec)
        if (reason := missing_kernels(self._spec.device)) is not None:
            return OptimizeReport(reason)
        if self._spec.dtype == torch.float32 and not float32:
            return OptimizeReport("it is in float32, which optimize=True rewrites too")
        experts = [
            each
            for each in self.module.modules()
            if isinstance(each, WholeExperts) and not isinstance(each.inner, ExpertsForward)
        ]
        for each in experts:
            each.mask(False)
        try:
            made = optimize(self._parts, self._spec, free=self._owned, region=region)
            count = 0 if isinstance(made, OptimizeReport) else made.report.rewrites["grouped_linear"]
            if not isinstance(made, OptimizeReport) and count < 2 * len(experts):  # only packed ones do without masks
                made.unpack()
                made = OptimizeReport("products of its experts, which are on several ranks, cannot be packed")
            return made
        finally:
            for each in experts:
                each.mask(True)

    @property
    def merged_linears(self) -> Sequence[tuple[str, ...]]:
        """`Weights.merged_linears`."""
        return () if self.optimized is None else self.optimized.adapted

    def accept_adapters(self) -> None:
        """Let adapters be added to the results of linear modules, until `restore`.

        Raises:
            ConfigError: the model has an encoder, or no such module.
        """
        if isinstance(self._parts, OwnForward):
            with FakeProducts(self.module) if self._owned else nullcontext():
                self.linear_modules = adapt_linears(self.module, self._parts, self._spec.vocab_size)
        if not self.linear_modules:
            reason = "has an encoder" if self._parts is None else "has no linear module that sees each token of a step"
            raise ConfigError(f"EngineConfig: enable_lora is True, but {self._spec.name} {reason}; leave it out")

    def restore(self) -> None:
        """Undo `accept_adapters` and `optimize`, so that the weights can be changed."""
        self._unpack()
        if self.linear_modules:
            restore_linears(self.module)
            self.linear_modules = {}

    def _unpack(self) -> None:
        if self.optimized is not None:
            if self.observer is not None:
                self.observer.restored()
            self.optimized.unpack()
            self.optimized = None
        self._fingerprint = None

    def quantize(
        self, config: Any, tokenizer: Any = None, calibration: Sequence[str | Sequence[int]] | None = None
    ) -> QuantizedWeights:
        """Quantize the weights in place, after `restore`: four bits on the CPU by `checkpoints.int4`, else by torchao.

        Args:
            config: a name of `QUANTIZATIONS`, or a torchao config.
            tokenizer, calibration: as in `calibration_tokens`.

        Raises:
            ConfigError: it is not possible; the weights are unchanged.
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
        """Return True if the weights or the active adapters differ from those at the last call.

        The caller then has to call `optimize` again and drop cached keys and values.
        """
        if self._owned and self.optimized is not None:
            return False  # the weights are packed, and only the engine has a reference
        before, self._look = self._look, WeightsLook(self.module)
        if before is None or self._look == before:
            return False
        self._fingerprint = None
        return True

    def checked(
        self,
        weights: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]],
        *,
        complete: bool = False,
        allow_non_finite: bool = False,
    ) -> list[tuple[str, Tensor]]:
        """`Weights.checked`; an iterator is read to its end."""
        if isinstance(weights, (str, Path)) and Path(weights).is_dir():
            weights = self._of_folder(weights)
        own, whole = self.module.state_dict(keep_vars=True), {}
        if self.division is not None:
            own, whole = {self.division.whole_name(name): each for name, each in own.items()}, self.division.shapes
        shapes = {} if self.optimized is None else {id(each.tensor): each.shape for each in self.optimized.freed}
        found = []
        for name, values in _pairs(weights):
            if (target := own.get(name)) is None:
                raise ConfigError(
                    f"update_weights: {self._spec.name} has no weight {name!r:.100}" + did_you_mean(str(name), own)
                )
            if hasattr(target, "__tensor_flatten__") or not target.is_floating_point():
                raise ConfigError(f"update_weights: {name} is quantised; load the model again and quantise that")
            shape = whole.get(name) or shapes.get(id(target), target.shape)
            if not isinstance(values, Tensor) or values.shape != shape:
                given = tuple(values.shape) if isinstance(values, Tensor) else f"a {type(values).__name__}"
                raise ConfigError(f"update_weights: {name} is {given}, expected a tensor {tuple(shape)}")
            if values.is_meta or not (values.is_floating_point() and values.layout is torch.strided):
                found_as = f"{values.dtype} ({values.layout}) on {values.device}"
                raise ConfigError(f"update_weights: {name} is {found_as}, expected numbers of a float dtype")
            if not (allow_non_finite or is_finite(values)):
                raise ConfigError(
                    f"update_weights: {name} has NaN or infinities, expected finite numbers; allow_non_finite=True "
                    "takes it as it is"
                )
            # An iterator may yield the same memory again, with other numbers.
            found.append((name, values.detach().clone() if isinstance(weights, Iterator) else values))
        if complete:
            there = {id(own[name]) for name, _ in found}  # of tied weights one name is enough
            missing = [name for name, target in own.items() if id(target) not in there]
            if missing:
                raise ConfigError(
                    f"update_weights: {len(missing)} of the {len(own)} weights are missing, for example {missing[0]}, "
                    "and the old ones are gone; give all of them"
                )
        return found

    def _of_folder(self, folder: str | Path) -> dict[str, Tensor]:
        """Return the weights of a checkpoint of the same class."""
        try:
            other = type(self.module).from_pretrained(  # type: ignore[attr-defined]
                folder, dtype=self._spec.dtype, local_files_only=True
            )
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            raise ConfigError(f"update_weights: {str(folder)!r} cannot be loaded: {error}") from error
        found: dict[str, Tensor] = other.state_dict()
        return found

    @property
    def whole_linear_modules(self) -> Mapping[str, tuple[int, int]]:
        """`RankWeights.whole_linear_modules`."""
        assert self.division is not None
        shape, names = self.division.linear_shape, self._whole_linears()
        return {name: shape(name, self.linear_modules[own]) for name, own in names.items()}

    def adapter_part(self, adapter: LoraAdapter) -> LoraAdapter:
        """`RankWeights.adapter_part`."""
        assert self.division is not None
        return self.division.adapter_part(adapter, self._whole_linears())

    def _whole_linears(self) -> dict[str, str]:
        return {Division.whole_name(name): name for name in self.linear_modules}

    def part(self, name: str, value: Tensor) -> tuple[str, Tensor]:
        """`RankWeights.part`."""
        assert self.division is not None
        own = {self.division.whole_name(each): each for each in self.module.state_dict(keep_vars=True)}
        return own[name], self.division.part(name, value)

    def update(self, weights: Sequence[tuple[str, Tensor]], then: Callable[[], object]) -> None:
        """Copy values into the model's own tensors, after `restore`: `Weights.update`."""
        self.restore()
        if self._memory.is_empty:
            self._memory.make_room()
        own = self.module.state_dict(keep_vars=True)
        targets, values = [own[name].data for name, _ in weights], [each.detach() for _, each in weights]
        # One call in C does all: Ctrl-C, which Python raises between two lines, comes before it or after it.
        steps = [partial(torch._foreach_copy_, targets, values)] if targets else []
        call: Callable[[Any], Any] = partial.__call__
        list(map(call, [*steps, partial(then)]))
        if self._spec.device.type == "cuda":
            torch.cuda.synchronize(self._spec.device)  # the memory that was read may be another process's

    def release(self, *, keep: bool) -> None:
        """`Weights.release`."""
        if not keep:
            for name, weight in self.module.state_dict(keep_vars=True).items():
                if hasattr(weight, "__tensor_flatten__") or not weight.is_floating_point():
                    raise ConfigError(
                        f"sleep: level is 2, and {name} is quantised, which update_weights cannot fill; use level 1"
                    )
            if self.optimized is not None:
                if self.observer is not None:
                    self.observer.restored()
                for each in self.optimized.freed:  # unpacked they would need the memory once more
                    each.tensor.data = torch.empty(0, dtype=each.dtype).new_zeros(()).expand(each.shape)
                self.optimized = None
            self.restore()
        self._memory.release(keep=keep)

    def regain(self) -> None:
        """`Weights.regain`."""
        self._memory.restore()

    def fingerprint(self, most_bytes: int | None = None, num_threads: int | None = None) -> str:
        """Return a sha256 over the config, `more` and all weights, computed at the first call.

        Args:
            most_bytes: for a larger model, hash a sample of about this many bytes; None: all.
            num_threads: as in `fingerprint_of`.
        """
        if most_bytes is None and self._fingerprint is not None:
            return self._fingerprint
        freed = {} if self.optimized is None else {id(each.tensor): each for each in self.optimized.freed}
        found = fingerprint_of(self._config, self.module, self._more, freed, most_bytes, num_threads)
        if most_bytes is None:
            self._fingerprint = found
        return found


def _pairs(weights: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (name, tensor) pairs of a dictionary or an iterable. Raises ConfigError for anything else."""
    expected = "expected tensors by name, (name, tensor) pairs, or the folder of a checkpoint"
    if isinstance(weights, (str, Path)) or not isinstance(weights, Iterable):
        raise ConfigError(f"update_weights: weights is {weights!r:.80}, {expected}")
    for each in weights.items() if isinstance(weights, Mapping) else weights:
        if not isinstance(each, (tuple, list)) or len(each) != 2:
            raise ConfigError(f"update_weights: weights has {each!r:.80}, {expected}")
        yield each[0], each[1]
