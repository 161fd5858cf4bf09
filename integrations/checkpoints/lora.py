"""Adapters from peft's folders, adapter_config.json and adapter_model.safetensors, without peft and without pickle.

A folder is untrusted input. Everything that the config and the file's header say is checked against the model before
any tensor is read.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from torchpaged.errors import ModelError, reason_of
from torchpaged.integrations.checkpoints.checkpoint import link_roots
from torchpaged.integrations.checkpoints.lora_config import CONFIG, HEADS, LONGEST, LoraConfig
from torchpaged.weights.lora_adapter import LoraAdapter, LoraWeight, is_finite
from torchpaged.weights.safetensors_file import Entry, SafetensorsFile

WEIGHTS = "adapter_model.safetensors"
_PICKLED = ("adapter_model.bin", "adapter_model.pt")
_PREFIX = "base_model.model."
_EMBEDDINGS = ("embed_tokens", "embed_in", "wte", "wpe", "word_embeddings", "tok_embeddings")
# torchtune's names of the parts of a layer, for those models whose adapters it does not save in peft's format.
_TORCHTUNE = {
    "attn": "self_attn",
    "output_proj": "o_proj",
    "w1": "gate_proj",
    "w2": "down_proj",
    "w3": "up_proj",
    "output": "lm_head",
}
# vLLM's largest choice of max_lora_rank.
LARGEST_RANK = 512

Shapes = Mapping[str, tuple[int, int]]


def linear_shapes(model: nn.Module) -> dict[str, tuple[int, int]]:
    """Return (out_features, in_features) of each linear module by name, the head's included.

    Args:
        model: of transformers; it may be on the meta device.
    """
    found = {}
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            found[name] = (module.out_features, module.in_features)
        elif isinstance(module, Conv1D):
            found[name] = (module.nf, module.nx)
    return found


def read_adapter(
    path: str | Path, modules: Shapes, *, max_rank: int = LARGEST_RANK, head_dim: int | None = None
) -> LoraAdapter:
    """Read the adapter in a folder.

    Args:
        path: of a folder that peft wrote, or torchtune.
        modules: (out_features, in_features) of each linear module that can be adapted, by name (`linear_shapes`).
        max_rank: the largest rank that is accepted.
        head_dim: of the attention, if torchtune interleaves the halves of each head of this model (llama, mistral,
            gemma); None refuses q_proj and k_proj of adapters in torchtune's own format.

    Raises:
        ModelError: the folder cannot be read or is damaged, does not fit the model, or asks for something that is not
            supported. It names the file, the key, the value and the limit.
    """
    return _Folder(str(path), modules, max_rank, head_dim).read()


@dataclass(frozen=True, slots=True)
class _Key:
    """The parsed name of a tensor.

    Args:
        module: as the model names it.
        half: "a" or "b".
        adapter: peft's name of the adapter, if the tensor's name has it.
        is_torchtune: whether it is spelled as torchtune spells it.
    """

    module: str
    half: str
    adapter: str
    is_torchtune: bool


class _Folder:
    """Reads one folder for one model."""

    def __init__(self, path: str, modules: Shapes, max_rank: int, head_dim: int | None) -> None:
        self._path, self._modules, self._max_rank, self._head_dim = path, modules, max_rank, head_dim

    def read(self) -> LoraAdapter:
        """Return the adapter."""
        reading = CONFIG
        try:
            with self._file(CONFIG).open("rb") as text:
                config = LoraConfig.parse(self._path, text.read(LONGEST + 1))
            reading = WEIGHTS
            with SafetensorsFile(self._file(WEIGHTS)) as file:
                keys = {
                    name: self._parse(name) for name, entry in file.entries.items() if not self._is_base(name, entry)
                }
                if any(key.is_torchtune for key in keys.values()) and not isinstance(config.target_modules, str):
                    named = frozenset(_TORCHTUNE.get(each, each) for each in config.target_modules)
                    config = replace(config, target_modules=named)
                names = self._pair(keys)
                self._check(config, names, file.entries)
                weights = {
                    module: LoraWeight(
                        self._tensor(file, a), self._tensor(file, b, keys[b]), self._scale(config, module)
                    )
                    for module, (a, b) in names.items()
                }
                file.require_unchanged()
        except (OSError, ValueError, MemoryError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"adapter {self._path!r}: {reading} could not be read: {reason_of(error)}") from error
        return LoraAdapter.of(weights)

    def _refuse(self, what: str) -> NoReturn:
        raise ModelError(f"adapter {self._path!r}: {what}")

    # --- Files ---

    def _file(self, name: str) -> Path:
        """Return the path of a file in the folder."""
        folder = Path(self._path).expanduser()
        if not folder.is_dir():
            self._refuse("this is a file, expected a folder" if folder.exists() else "there is no such folder")
        if not (folder / name).is_file():
            pickled = next((each for each in _PICKLED if (folder / each).exists()), None)
            if name == WEIGHTS and pickled:
                self._refuse(
                    f"its weights are pickled ({pickled}), and reading them may run code; expected {WEIGHTS}: load the "
                    "adapter with peft where you trust it, and save it with save_pretrained(...)"
                )
            self._refuse(f"there is no file {name} in it")
        place, root = Path(os.path.realpath(folder / name)), folder.resolve()
        if not any(place.is_relative_to(each) for each in (root, *link_roots(root))):
            self._refuse(f"{name} is a link to {str(place)!r}, outside of the folder; copy it there")
        return place

    # --- Names ---

    def _is_base(self, name: str, entry: Entry) -> bool:
        """Tell if a tensor is a copy of the head's base weight, which peft saves beside the head's update.

        As in vLLM it is left alone; one of another shape comes from a model with other tokens.
        """
        module = name.removeprefix(_PREFIX).removesuffix(".base_layer.weight")
        if not name.endswith(".base_layer.weight") or module.rpartition(".")[2] not in HEADS:
            return False
        if module not in self._modules:
            self._refuse(f"{WEIGHTS} has a tensor {name!r:.200}, {self._absent(module)}")
        if entry.shape != self._modules[module]:
            self._refuse(f"{WEIGHTS} has {name!r} of shape {entry.shape}, expected the model's {self._modules[module]}")
        return True

    def _parse(self, name: str) -> _Key:
        parts = name.removeprefix(_PREFIX).split(".")
        at = next((i for i, part in enumerate(parts) if part.startswith("lora_")), None)
        kind, rest = (parts[at], parts[at + 1 :]) if at is not None else ("", [])
        if (
            at is None
            or kind not in ("lora_A", "lora_B", "lora_a", "lora_b")
            or rest[-1:] != ["weight"]
            or len(rest) > 2
        ):
            self._refuse(f"{WEIGHTS} has a tensor {name!r:.200}, {_reason(parts, kind, rest)}")
        is_torchtune = kind.islower()
        module = parts[:at]
        if is_torchtune:
            module = ["model"] * (module[:1] == ["layers"]) + [_TORCHTUNE.get(each, each) for each in module]
        return _Key(".".join(module), kind[-1].lower(), rest[0] if len(rest) == 2 else "", is_torchtune)

    def _pair(self, keys: Mapping[str, _Key]) -> dict[str, tuple[str, str]]:
        """Return the names of both tensors of each module."""
        found: dict[str, dict[str, str]] = {}
        adapters: set[str] = set()
        for name, key in keys.items():
            if key.module not in self._modules:
                self._refuse(f"{WEIGHTS} has a tensor {name!r:.200}, {self._absent(key.module)}")
            adapters.add(key.adapter)
            halves = found.setdefault(key.module, {})
            if key.half in halves:
                self._refuse(f"{WEIGHTS} has two tensors of one half, {halves[key.half]!r:.200} and {name!r:.200}")
            halves[key.half] = name
        if len(adapters) > 1:
            self._refuse(f"{WEIGHTS} has adapters {sorted(adapters)!r:.200}, expected one in a folder")
        for module, halves in found.items():
            if len(halves) == 1:
                ((half, name),) = halves.items()
                self._refuse(
                    f"{WEIGHTS} has a tensor {name!r:.200}, but no lora_{'AB'[half == 'a']} of {module!r:.200}"
                )
        if not found:
            self._refuse(f"{WEIGHTS} has no tensors")
        return {module: (halves["a"], halves["b"]) for module, halves in found.items()}

    def _absent(self, module: str) -> str:
        """Say why a module that a tensor names cannot be adapted, and which one has the nearest name."""
        last = module.rpartition(".")[2]
        if last in HEADS:
            return f"but the head ({last}) of this model is not adapted; merge the adapter into the model"
        if last in _EMBEDDINGS:
            return f"but the embedding ({last}) is not adapted; merge the adapter into the model"
        # Equal ends first: the nearest of 10,000 names by letters takes seconds.
        near = [name for name in self._modules if name.rpartition(".")[2] == last] or list(self._modules)
        close = difflib.get_close_matches(module[:200], near[:2000], n=1, cutoff=0.5)
        return f"but the model has no linear module {module!r:.200}" + (
            f"; the nearest is {close[0]!r}" if close else ""
        )

    # --- Sizes ---

    def _check(self, config: LoraConfig, names: Mapping[str, tuple[str, str]], entries: Mapping[str, Entry]) -> None:
        """Check targets, ranks and shapes against the model."""
        for module in self._modules:
            if config.is_target(module) != (module in names):
                self._refuse(
                    f"{WEIGHTS} has tensors of {module!r}, which is not among target_modules of {CONFIG}"
                    if module in names
                    else f"{WEIGHTS} has no tensors of {module!r}, which is among target_modules of {CONFIG}"
                )
        for module, (a, b) in names.items():
            rank, (outputs, inputs) = config.rank_of(module), self._modules[module]
            if rank > self._max_rank:
                self._refuse(
                    f"{CONFIG} has rank {rank} for {module!r}, expected at most {self._max_rank} (max_lora_rank)"
                )
            for name, expected in ((a, (rank, inputs)), (b, (outputs, rank))):
                if entries[name].shape != expected:
                    self._refuse(
                        f"{WEIGHTS} has {name!r} of shape {entries[name].shape}, expected {expected}: rank {rank}, and "
                        f"a module of {inputs} inputs and {outputs} outputs"
                    )

    def _scale(self, config: LoraConfig, module: str) -> float:
        scale = config.scale_of(module)
        if abs(scale) > torch.finfo(torch.float32).max:
            self._refuse(f"{CONFIG} gives {module!r} the scale {scale}, expected a number in float32's range")
        return scale

    # --- Values ---

    def _tensor(self, file: SafetensorsFile, name: str, key: _Key | None = None) -> Tensor:
        """Read a tensor; float64 becomes float32. With the key of a B in torchtune's format, put its rows in order."""
        tensor = file.read(name)
        tensor = tensor.float() if tensor.dtype == torch.float64 else tensor
        if not is_finite(tensor):
            self._refuse(f"{WEIGHTS} has {name!r} with {int((~torch.isfinite(tensor)).sum())} numbers not finite")
        last = key.module.rpartition(".")[2] if key else ""
        if key is None or not key.is_torchtune or last not in ("q_proj", "k_proj"):
            return tensor
        outputs, rank = tensor.shape
        if not self._head_dim or self._head_dim % 2 or outputs % self._head_dim:
            self._refuse(
                f"{WEIGHTS} has {name!r} in torchtune's order of rows, which fits no head of {self._head_dim}; convert "
                "the adapter with torchtune's tune_to_peft_adapter_weights"
            )
        pairs = tensor.view(outputs // self._head_dim, self._head_dim // 2, 2, rank)
        return pairs.transpose(1, 2).reshape(outputs, rank).contiguous()


def _reason(parts: list[str], kind: str, rest: list[str]) -> str:
    """Say why a tensor with this name is not read."""
    if kind.startswith("lora_embedding"):
        return "but embeddings are not adapted; merge the adapter into the model"
    if kind.startswith("lora_magnitude"):
        return "but DoRA's magnitudes are not supported; merge the adapter into the model"
    if kind in ("lora_B", "lora_b") and rest[-1:] == ["bias"]:
        return "but a bias of lora_B is not added; train without lora_bias"
    if not kind and parts[-1] in ("weight", "bias"):
        return (
            "which replaces a weight of the model (modules_to_save, save_embedding_layers or bias); only LoRA's "
            "tensors are read: save without it, or merge the adapter into the model"
        )
    return f"expected names like {_PREFIX}<module>.lora_A.weight"
