"""Safetensors, quantised or not, as a source of weights, without the library that quantised them.

Shapes and dtypes in the files' headers are checked before any tensor is read; then one layer is read at a time.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.conversion_mapping import get_model_conversion_mapping
from transformers.core_model_loading import (
    Concatenate,
    MergeModulelist,
    WeightConverter,
    WeightRenaming,
    dot_natural_key,
    rename_source_key,
)

from torchpaged.errors import ModelError, reason_of
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.checkpoints.streaming_load import Filled, expanded
from torchpaged.integrations.checkpoints.torchao import READ_ELSEWHERE, pack_head
from torchpaged.weights.formats import require_finite
from torchpaged.weights.grouped_weight import GroupedWeight
from torchpaged.weights.packed_experts import PARTS, GroupedExperts, alike, made_alike
from torchpaged.weights.schemes import Scheme, is_left_out

logger = logging.getLogger(__name__)

# Key of config.json for what other tools ignore: which float weights are to be quantised when they are loaded.
OURS = "torchpaged"
# By safetensors' names.
_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
    "F8_E8M0": torch.float8_e8m0fnu,
}
# Dtypes of quantised codes, which mean nothing without a scale.
_CODES = (torch.int32, torch.int8, torch.uint8, torch.float8_e4m3fn, torch.float8_e5m2)


@dataclass(frozen=True, slots=True)
class Entry:
    """The shape and dtype of a tensor in a file's header."""

    shape: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True, slots=True)
class _Target:
    """The tensors that a weight of the model is made of, and how; no converter: it is one tensor."""

    sources: tuple[tuple[str, str], ...]  # (name in the checkpoint, the pattern of the converter that it matched)
    converter: WeightConverter | None = None


class SafetensorsWeights:
    """The tensors of a folder or hub id as a `WeightSource`.

    Args:
        checkpoint: that has safetensors.
        model: without weights.
        scheme: of the quantised layers; None: all are floats.
        packs: if quantised weights stay quantised.

    Attributes:
        orders: by the name of a linear module, the order of inputs that its weight was read in.
        left_out: names of tensors that are not weights: scales of activations and of caches.
        merged: number of weights that were joined from several quantised ones, which were expanded for that.

    Raises:
        ModelError: files that cannot be read, parts that do not fit together or do not fit the model.
    """

    def __init__(self, checkpoint: Checkpoint, model: PreTrainedModel, scheme: Scheme | None, *, packs: bool) -> None:
        self._path, self._model, self._scheme, self._packs = checkpoint.name, model, scheme, packs
        self._entries, self._file_of = _headers(checkpoint.name, checkpoint.safetensors())
        self._open: dict[str, Any] = {}
        self._layers: dict[str, dict[str, Entry]] = {}  # the parts of each quantised weight, by its name
        self.orders: dict[str, Tensor] = {}
        self.left_out: set[str] = set()
        self.merged = 0
        self._targets = self._find(self._sources())
        self._check()

    def names(self) -> Collection[str]:
        """Names of the model's weights that the checkpoint has."""
        return self._targets.keys()

    def is_whole(self) -> bool:
        """Tell if the checkpoint has exactly the model's weights: none missing and none unknown."""
        own = self._model.state_dict(keep_vars=True)
        filled = {id(own[name]) for name in self._targets if name in own}
        return self._targets.keys() <= own.keys() and filled == {id(tensor) for tensor in own.values()}

    def untie(self) -> None:
        """Untie weights that the model's config ties and the checkpoint has apart, as transformers does.

        Equal weights stay tied.
        """
        by_tensor: dict[int, list[str]] = {}
        for name, tensor in self._model.state_dict(keep_vars=True).items():
            if name in self._targets:
                by_tensor.setdefault(id(tensor), []).append(name)
        for first, *others in by_tensor.values():
            for name in others:
                if torch.equal(self._floats(first), self._floats(name)):
                    continue
                path, _, leaf = name.rpartition(".")
                module = self._model.get_submodule(path)
                own = torch.empty_like(getattr(module, leaf))
                setattr(module, leaf, nn.Parameter(own, requires_grad=False))
                self._model.all_tied_weights_keys.pop(name, None)

    def place(self, name: str) -> tuple[str, str] | None:
        """Return the file of a weight and its name there; None if it is made of several tensors, or of others."""
        target = self._targets[name]
        source = target.sources[0][0]
        return None if target.converter is not None or source in self._layers else (self._file_of[source], source)

    def _floats(self, name: str) -> Tensor:
        value = self.read(name)
        return value if isinstance(value, Tensor) else expanded(value, self._model.dtype)

    def read(self, name: str) -> Tensor | GroupedWeight | GroupedExperts:
        """Read one weight."""
        target = self._targets[name]
        if target.converter is None:
            return self._source(target.sources[0][0], name)
        if (experts := self._experts(name, target)) is not None:
            return experts
        self.merged += any(source in self._layers for source, _ in target.sources)
        values = []
        for source, _ in target.sources:
            value, dtype = self._source(source, None), self._model.dtype
            values.append(value.to(dtype) if isinstance(value, Tensor) else expanded(value, dtype))
        return self._converted(name, target, values)

    def _experts(self, name: str, target: _Target) -> GroupedExperts | None:
        """Merge experts without expanding them; None unless all are quantised alike and merged along their outputs."""
        assert target.converter is not None
        merging = all(type(each) in (MergeModulelist, Concatenate) for each in target.converter.operations)
        if not (self._packs and merging and all(source in self._layers for source, _ in target.sources)):
            return None
        found = [self._weight_of(source) for source, _ in target.sources]
        weights = made_alike([each for each, order in found if order is None and isinstance(each, GroupedWeight)])
        if len(weights) < len(found) or not alike(weights):
            return None
        first = weights[0]
        parts = {
            part: self._converted(name, target, [getattr(each, part) for each in weights])
            for part in ("codes", *PARTS)
            if getattr(first, part) is not None
        }
        codes = parts["codes"]
        if codes.dim() != 3:
            return None

        def read(number: int) -> GroupedWeight:
            own: dict[str, Any] = {part: whole[number] for part, whole in parts.items()}
            return replace(first, **own)

        return GroupedExperts((codes.shape[0], codes.shape[1], codes.shape[2]), read)

    def _converted(self, name: str, target: _Target, values: Sequence[Tensor]) -> Tensor:
        """Apply transformers' conversion to the sources of a weight."""
        assert target.converter is not None
        collected: Any = {}
        for (_, pattern), value in zip(target.sources, values, strict=True):
            collected.setdefault(pattern, []).append(value)
        for operation in target.converter.operations:
            collected = operation.convert(
                collected,
                source_patterns=target.converter.source_patterns,
                target_patterns=target.converter.target_patterns,
                full_layer_name=name,
                model=self._model,
                config=self._model.config,
                missing_keys=None,
            )
        found: Any = next(value for key, value in collected.items() if key in name)
        whole: Tensor = found[0] if isinstance(found, list) else found
        return whole

    def _source(self, name: str, target: str | None) -> Tensor | GroupedWeight | GroupedExperts:
        """Read a tensor of the checkpoint, or the weight of a quantised layer."""
        if name not in self._layers:
            return self._tensor(name)
        weight, order = self._weight_of(name)
        if isinstance(weight, GroupedExperts):
            return weight
        is_module = target is not None and _stem(target).rpartition(".")[2] not in READ_ELSEWHERE
        if target is None or not is_module or not self._packs:
            floats = expanded(weight, self._model.dtype)
            return floats if order is None else floats[:, order.argsort()]
        if order is None:
            return weight
        self.orders[_stem(target)] = order
        return weight

    def _weight_of(self, name: str) -> tuple[GroupedWeight | GroupedExperts, Tensor | None]:
        """Read the weight of a quantised layer, and the order of its inputs if they are permuted."""
        assert self._scheme is not None
        try:
            weight, order = self._scheme.read(self._layers[name], partial(self._part, name))
            if isinstance(weight, GroupedWeight):
                require_finite(weight.scale, weight.offset)
            return weight, order
        except ModelError as error:
            raise self._wrong(name, error) from None

    def _part(self, name: str, part: str) -> Tensor:
        """Read one part of a quantised weight."""
        assert self._scheme is not None
        return self._tensor(name.removesuffix(self._scheme.whole) + part)

    def _tensor(self, name: str) -> Tensor:
        path = self._file_of[name]
        if self._scheme is None:  # an open file keeps its pages in memory
            opened: Any = safe_open(path, framework="pt")
            whole: Tensor = opened.get_tensor(name)
            return whole
        if path not in self._open:  # each open parses the header, and there may be thousands of tensors
            self._open[path] = safe_open(path, framework="pt")
        tensor: Tensor = self._open[path].get_tensor(name)
        return tensor

    def _sources(self) -> list[str]:
        """Names of the checkpoint's weights, a quantised one by the name that it had as floats."""
        if self._scheme is None:
            return [name for name in self._entries if not name.endswith("rotary_emb.inv_freq")]
        first, *others = self._scheme.parts
        found = set(self._entries)
        for name in self._entries:
            stem, whole = name.removesuffix(first), self._scheme.whole
            # A float weight has the same name, but no scale.
            is_whole = first != whole or any(stem + each in self._entries for each in others)
            if name.endswith(first) and (stem.endswith(".") or not whole) and is_whole:
                names = {each: stem + each for each in self._scheme.parts}
                parts = {each: self._entries[n] for each, n in names.items() if n in self._entries}
                self._layers[stem + whole] = parts
                found -= set(names.values())
                found.add(stem + whole)
        if not self._layers:
            raise ModelError(
                f"model {self._path!r}: its config says that its weights are quantised ({self._scheme.name}), and none "
                f"has a {first}"
            )
        self.left_out = {name for name in found if is_left_out(name)}
        return [name for name in found - self.left_out if not name.endswith("rotary_emb.inv_freq")]

    def _find(self, sources: Collection[str]) -> dict[str, _Target]:
        """Map tensors to the model's weights by transformers' own rules, which rename them and merge experts."""
        model = self._model
        rules = get_model_conversion_mapping(model)
        renamings = [rule for rule in rules if isinstance(rule, WeightRenaming)]
        converters = [rule for rule in rules if isinstance(rule, WeightConverter)]
        by_pattern = {pattern: rule for rule in converters for pattern in rule.source_patterns}
        own = model.state_dict()
        found: dict[str, list[tuple[str, str | None]]] = {}
        for source in sorted(sources, key=dot_natural_key):
            name, pattern = rename_source_key(source, renamings, converters, model.base_model_prefix, own)
            is_extra = name not in own and name.endswith(".bias") and f"{_stem(source)}.weight" in self._layers
            if is_extra and not bool(self._tensor(source).any()):
                continue  # some tools write zeros where the model has none
            found.setdefault(name, []).append((source, pattern))
        targets: dict[str, _Target] = {}
        for name, parts in found.items():
            pattern = parts[0][1]
            if pattern is None:
                targets[name] = _Target(((parts[0][0], ""),))
                continue
            converter = by_pattern[pattern]
            for each in converter.target_patterns:
                whole = name.replace(converter.target_patterns[0], each)
                targets[whole] = _Target(tuple((source, own_pattern or "") for source, own_pattern in parts), converter)
        return targets

    def _check(self) -> None:
        """Compare the headers with the model's shapes. Raises ModelError."""
        own = self._model.state_dict()
        sizes: dict[str, tuple[int, ...]] = {}
        for name, parts in self._layers.items():
            assert self._scheme is not None
            try:
                sizes[name] = self._scheme.sizes(parts, partial(self._part, name))
            except ModelError as error:
                raise self._wrong(name, error) from None
        for name, target in self._targets.items():
            for source, _ in target.sources if self._scheme is not None else ():
                codes = source not in sizes and self._entries[source].dtype in _CODES
                if codes and name in own and own[name].is_floating_point():
                    dtype = str(self._entries[source].dtype).removeprefix("torch.")
                    raise ModelError(f"model {self._path!r}: {source} is {dtype}, and there is no scale for it")
            source = target.sources[0][0]
            if target.converter is None and source in sizes and name in own:
                expected = tuple(own[name].shape)
                if getattr(self._model.get_submodule(_stem(name)), "is_transposed", False):
                    expected = (*expected[:-2], expected[-1], expected[-2])
                *others, inputs = sizes[source]
                # Codes are padded to whole words of 32 bits.
                if others != list(expected[:-1]) or not 0 <= inputs - expected[-1] < 8:
                    found = " x ".join(map(str, sizes[source]))
                    name = source.removesuffix(".weight")
                    raise ModelError(f"model {self._path!r}: {name} is {found}, expected {expected}")

    def finish(self, model: PreTrainedModel, filled: Filled) -> None:
        """Quantise the head if the config asks for it, and log what runs differently from how it is stored."""
        ours = getattr(model.config, OURS, None)
        if isinstance(ours, Mapping) and ours.get("head") == "int8" and self._packs:
            pack_head(model)
        if self._scheme is not None and (said := _expanded(self._scheme, len(filled.expanded) + self.merged, model)):
            logger.warning("%s runs %s", self._path, said)
        if self.left_out:
            logger.warning(
                "%s: scales of activations and caches are left out, which are made of each token here", self._path
            )

    def _wrong(self, name: str, error: ModelError) -> ModelError:
        scheme = "" if self._scheme is None else f" ({self._scheme.name})"
        return ModelError(f"model {self._path!r}: {name.removesuffix('.weight')}{scheme}: {error}")


def _expanded(scheme: Scheme, num_expanded: int, model: PreTrainedModel) -> str:
    """List in one line what runs differently from how it is stored; empty if nothing does."""
    floats = str(model.dtype).removeprefix("torch.")
    said = [] if scheme.runs_as is None else [f"{scheme.name} {scheme.runs_as}"]
    if num_expanded:
        said.append(f"{num_expanded} weights ({scheme.name}) expanded to {floats}, which no kernel reads")
    return "; ".join(said)


def _headers(path: str, files: Collection[str]) -> tuple[dict[str, Entry], dict[str, str]]:
    """Read the headers of some files.

    Returns:
        (shape and dtype of each tensor, the file of each).
    """
    entries: dict[str, Entry] = {}
    file_of: dict[str, str] = {}
    if not files:
        raise ModelError(f"model {path!r}: there are no safetensors in it")
    for each in files:
        try:
            with safe_open(each, framework="pt") as file:
                for name in file.keys():  # noqa: SIM118 - not a dictionary
                    view = file.get_slice(name)
                    dtype = _DTYPES.get(view.get_dtype())
                    if dtype is None:
                        raise ModelError(f"model {path!r}: {name} is {view.get_dtype()}, expected a dtype of torch's")
                    if name in entries:
                        names = ", ".join(Path(one).name for one in (file_of[name], each))
                        raise ModelError(f"model {path!r}: {name} is in more than one of its files ({names})")
                    entries[name], file_of[name] = Entry(tuple(view.get_shape()), dtype), each
        except ModelError:
            raise
        except Exception as error:  # safetensors' own, and OSError
            raise ModelError(f"model {path!r}: the weights could not be read: {reason_of(error)}") from error
    return entries, file_of


def _stem(name: str) -> str:
    """Return the module's part of a weight's name."""
    return name.rpartition(".")[0]
