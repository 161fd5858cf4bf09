"""AdapterReader: checks an adapter's config and tensors against a model, before any tensor is read, and reads them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NoReturn, Protocol

import torch
from torch import Tensor

from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.lora_config import HEADS
from torchpaged.integrations.checkpoints.lora_names import PREFIX, TORCHTUNE, Key, parse
from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight, is_finite

EMBEDDINGS = ("embed_tokens", "embed_in", "wte", "wpe", "word_embeddings", "tok_embeddings")
# Model types whose query and key weights torchtune keeps with the halves of each head interleaved, and as they are.
_INTERLEAVED, _PLAIN = ("llama", "mistral", "gemma", "gemma2"), ("qwen2", "qwen3")
# The beginning of the text part's names in adapters of models with images or sounds, before transformers 4.52.
_BEFORE = "language_model.model."

Shapes = Mapping[str, tuple[int, int]]


class _Entry(Protocol):
    @property
    def shape(self) -> tuple[int, ...]: ...


class TensorSource(Protocol):
    """Tensors by name, of a file or in memory."""

    @property
    def entries(self) -> Mapping[str, _Entry]:
        """Shapes by the tensor's name."""
        ...

    def read(self, name: str) -> Tensor:
        """Return a tensor of floats in memory of its own."""
        ...


class AdapterConfig(Protocol):
    """Targets, ranks and scales by module."""

    @property
    def where(self) -> str:
        """The beginning of errors."""
        ...

    @property
    def targets(self) -> str:
        """The place of the adapted modules' names, for errors."""
        ...

    def is_target(self, name: str) -> bool:
        """Tell if a linear module is adapted."""
        ...

    def rank_of(self, name: str) -> int:
        """Return a module's rank."""
        ...

    def scale_of(self, name: str) -> float:
        """Return the factor of a module's update."""
        ...

    def renamed(self, names: Mapping[str, str]) -> AdapterConfig:
        """Return the config with the target modules of other names."""
        ...


class ScaleByRank:
    """Config of a file without one: the modules that it has tensors of are adapted, with the scale alpha / rank.

    Args:
        where: the beginning of errors.
        alpha: 0: the scale is 1.
        ranks: by module.
    """

    targets = "the modules of the file"

    def __init__(self, where: str, alpha: float, ranks: Mapping[str, int]) -> None:
        self.where, self._alpha, self._ranks = where, alpha, ranks

    def is_target(self, name: str) -> bool:
        """Tell if a linear module is adapted."""
        return name in self._ranks

    def rank_of(self, name: str) -> int:
        """Return a module's rank."""
        return self._ranks[name]

    def scale_of(self, name: str) -> float:
        """Return the factor of a module's update."""
        return self._alpha / self._ranks[name] if self._alpha else 1.0

    def renamed(self, names: Mapping[str, str]) -> ScaleByRank:
        """Return itself: its modules are named as the model's."""
        return self


class ModelConfig(Protocol):
    """Config of a transformers model, which is asked for only where a format needs it: that may import transformers."""

    def get_text_config(self) -> Any: ...


class AdapterReader:
    """Reads one adapter for one model.

    Args:
        where: the place of the tensors, the beginning of errors: "adapter 'PATH': adapter_model.safetensors".
        modules: (out_features, in_features) of each linear module that can be adapted, by name.
        max_rank: the largest rank that is accepted.
        model_config: of the model; torchtune's order of rows depends on it.
    """

    def __init__(self, where: str, modules: Shapes, max_rank: int, model_config: ModelConfig | None) -> None:
        self._where, self._modules, self._max_rank = where, modules, max_rank
        self._model_config = model_config

    def read(
        self, config: AdapterConfig, source: TensorSource, parse: Callable[[str], Key | str] = parse
    ) -> LoraAdapter:
        """Return the adapter.

        Args:
            config: its targets, ranks and scales.
            source: its tensors.
            parse: function that returns a parsed name, or the reason why it is not read.

        Raises:
            ModelError: it does not fit the model. It names the tensor, the value and the limit.
        """
        keys = {}
        for name, entry in source.entries.items():
            if self._is_base(name, entry):
                continue
            key = parse(name)
            if isinstance(key, str):
                self._refuse(f"has a tensor {name!r:.200}, {key}")
            keys[name] = replace(key, module=self._current(key.module))
        if any(key.is_torchtune for key in keys.values()):
            config = config.renamed(TORCHTUNE)
        names = self._pair(keys)
        self._check(config, names, source.entries)
        return LoraAdapter.of(
            {
                module: LoraWeight(
                    self._tensor(source, a), self._ordered(self._tensor(source, b), b, keys[b]), _scale(config, module)
                )
                for module, (a, b) in names.items()
            }
        )

    def _refuse(self, what: str) -> NoReturn:
        raise ModelError(f"{self._where} {what}")

    # --- Names ---

    def _current(self, module: str) -> str:
        """Return the model's name of a module, which models with images or sounds have spelled otherwise before."""
        current = f"model.language_model.{module.removeprefix(_BEFORE)}"
        return current if module.startswith(_BEFORE) and current in self._modules else module

    def _is_base(self, name: str, entry: _Entry) -> bool:
        """Tell if a tensor is a copy of the head's base weight, which peft saves beside the head's update.

        As in vLLM it is left alone; one of another shape comes from a model with other tokens.
        """
        module = name.removeprefix(PREFIX).removesuffix(".base_layer.weight")
        if not name.endswith(".base_layer.weight") or module.rpartition(".")[2] not in HEADS:
            return False
        if module not in self._modules:
            self._refuse(f"has a tensor {name!r:.200}, {self._absent(module)}")
        if tuple(entry.shape) != self._modules[module]:
            self._refuse(f"has {name!r} of shape {tuple(entry.shape)}, expected the model's {self._modules[module]}")
        return True

    def _pair(self, keys: Mapping[str, Key]) -> dict[str, tuple[str, str]]:
        """Return the names of both tensors of each module."""
        found: dict[str, dict[str, str]] = {}
        adapters = {key.adapter for key in keys.values()}
        if len(adapters - {""}) > 1:
            self._refuse(f"has adapters {sorted(adapters)!r:.200}, expected one")
        for name, key in keys.items():
            if key.module not in self._modules:
                self._refuse(f"has a tensor {name!r:.200}, {self._absent(key.module)}")
            halves = found.setdefault(key.module, {})
            if key.half in halves:
                self._refuse(f"has two tensors of one half, {halves[key.half]!r:.200} and {name!r:.200}")
            halves[key.half] = name
        if len(adapters) > 1:
            self._refuse(f"has tensors of the adapter {max(adapters)!r:.80} and of one without a name, expected one")
        for module, halves in found.items():
            if len(halves) == 1:
                ((half, name),) = halves.items()
                self._refuse(f"has a tensor {name!r:.200}, but no lora_{'AB'[half == 'a']} of {module!r:.200}")
        if not found:
            self._refuse("has no tensors of LoRA")
        return {module: (halves["a"], halves["b"]) for module, halves in found.items()}

    def _absent(self, module: str) -> str:
        """Say why a module that a tensor names cannot be adapted, and which one has the nearest name."""
        last = module.rpartition(".")[2]
        if last in HEADS:
            return f"but the head ({last}) of this model is not adapted; merge the adapter into the model"
        if last in EMBEDDINGS:
            return f"but the embedding ({last}) is not adapted; merge the adapter into the model"
        if "experts" in module.split("."):
            return (
                f"but experts ({module[:200]!r}) are not adapted: each sees a part of a step's tokens; train on the "
                "modules of attention alone, or merge the adapter into the model"
            )
        # Equal ends first: the nearest of 10,000 names by letters takes seconds.
        near = [name for name in self._modules if name.rpartition(".")[2] == last] or list(self._modules)
        close = difflib.get_close_matches(module[:200], near[:2000], n=1, cutoff=0.5)
        return f"but the model has no linear module {module!r:.200}" + (
            f"; the nearest is {close[0]!r}" if close else ""
        )

    # --- Sizes ---

    def _check(
        self, config: AdapterConfig, names: Mapping[str, tuple[str, str]], entries: Mapping[str, _Entry]
    ) -> None:
        """Check targets, ranks and shapes against the model."""
        for module in self._modules:
            if config.is_target(module) != (module in names):
                self._refuse(
                    f"has tensors of {module!r}, which is not among {config.targets}"
                    if module in names
                    else f"has no tensors of {module!r}, which is among {config.targets}"
                )
        for module, (a, b) in names.items():
            rank, (outputs, inputs) = config.rank_of(module), self._modules[module]
            if rank > self._max_rank:
                raise ModelError(
                    f"{config.where} has rank {rank} for {module!r}, expected at most {self._max_rank} (max_lora_rank)"
                )
            for name, expected in ((a, (rank, inputs)), (b, (outputs, rank))):
                if tuple(entries[name].shape) != expected:
                    self._refuse(
                        f"has {name!r} of shape {tuple(entries[name].shape)}, expected {expected}: rank {rank}, and a "
                        f"module of {inputs} inputs and {outputs} outputs"
                    )

    # --- Values ---

    def _tensor(self, source: TensorSource, name: str) -> Tensor:
        """Read a tensor; float64 becomes float32."""
        tensor = source.read(name)
        tensor = tensor.float() if tensor.dtype == torch.float64 else tensor
        if not is_finite(tensor):
            self._refuse(f"has {name!r} with {int((~torch.isfinite(tensor)).sum())} numbers not finite")
        return tensor

    def _ordered(self, b: Tensor, name: str, key: Key) -> Tensor:
        """Put the rows of a B in torchtune's format into transformers' order."""
        if not key.is_torchtune or key.module.rpartition(".")[2] not in ("q_proj", "k_proj"):
            return b
        model_config = None if self._model_config is None else self._model_config.get_text_config()
        model_type = getattr(model_config, "model_type", None)
        if model_type in _PLAIN:
            return b
        outputs, rank = b.shape
        head_dim = _head_dim(model_config) if model_type in _INTERLEAVED else None
        if not head_dim or head_dim % 2 or outputs % head_dim:
            self._refuse(
                f"has {name!r} in torchtune's order of rows, which is not known for model type {model_type!r} with "
                f"heads of {head_dim}; convert the adapter with torchtune's tune_to_peft_adapter_weights"
            )
        pairs = b.view(outputs // head_dim, head_dim // 2, 2, rank)
        return pairs.transpose(1, 2).reshape(outputs, rank).contiguous()


def _head_dim(config: Any) -> int | None:
    """Return the dimensions of an attention head."""
    if (found := getattr(config, "head_dim", None)) is not None:
        return int(found)
    hidden, heads = getattr(config, "hidden_size", None), getattr(config, "num_attention_heads", None)
    return hidden // heads if hidden and heads else None


def _scale(config: AdapterConfig, module: str) -> float:
    scale = config.scale_of(module)
    if abs(scale) > torch.finfo(torch.float32).max:
        raise ModelError(f"{config.where} gives {module!r} the scale {scale}, expected a number in float32's range")
    return scale
