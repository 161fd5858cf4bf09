"""Writes the checkpoint of `torchpaged quantize`: quantised linear layers in compressed-tensors' format.

Loaded by torchpaged it is bit for bit the model that quantising at load gives. The head stays float in the file, since
many tools need that; torchpaged makes it int8 when it loads the file, as config.json says under "torchpaged".
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import save_torch_state_dict
from safetensors import SafetensorError
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.core_model_loading import revert_weight_conversion

from torchpaged.errors import ConfigError, reason_of
from torchpaged.integrations.checkpoints.calibration import calibration_tokens
from torchpaged.integrations.checkpoints.expert_modules import ExpertsForward, experts_of_layers, projections
from torchpaged.integrations.checkpoints.int4 import SCHEMES, round_layers
from torchpaged.integrations.checkpoints.quantized_reader import OURS
from torchpaged.integrations.checkpoints.torchao import int8_of, linears_of_layers, require_plain
from torchpaged.utils.atomic_files import filled
from torchpaged.weights.grouped_weight import GroupedWeight

FORMS = (*SCHEMES, "int8")
# Matches the layers of all experts: transformers looks for "experts" in a pattern, vLLM matches "experts.0".
_EXPERTS = r"re:.*\.experts\..*"
_TOKENIZER_FILES = (
    "tokenizer*",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.*",
    "merges.txt",
    "*.model",
    "chat_template*",
)


@dataclass(frozen=True, slots=True)
class Written:
    """A written checkpoint."""

    num_bytes: int  # of its weights
    readers: str  # as `read_by`


@torch.no_grad()
def write_quantized(
    model: PreTrainedModel,
    tokenizer: Any,
    to: str,
    output: Path,
    *,
    source: Path | None = None,
    calibration: Sequence[str | Sequence[int]] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Written:
    """Write a quantised model to a folder. The model stays as it is.

    Args:
        model: of transformers, with float weights, on the CPU.
        tokenizer: of the model, or None.
        to: one of `FORMS`.
        output: the folder, created if need be.
        source: the model's folder, whose tokenizer files are copied; None: the tokenizer is saved.
        calibration: as in `calibration_tokens`.
        progress: is called with the name of each layer that is done.

    Raises:
        ConfigError: as `round_layers`; an unknown form, experts that are packed already, or a folder that cannot be
            written, of which nothing is left then.
    """
    if to not in FORMS:
        raise ConfigError(f"quantize: to is {to!r}, expected one of {', '.join(FORMS)}")
    for name, each in model.named_modules():
        if isinstance(each, ExpertsForward):  # their format cannot be written
            raise ConfigError(f"quantize: {name} is packed already; load a checkpoint whose weights are floats")
    try:
        with filled(output, "config.json") as folder:  # before anything is computed: it may take minutes
            return _write(model, tokenizer, to, folder, source, calibration, progress)
    except (OSError, SafetensorError) as error:
        raise ConfigError(f"quantize: {str(output)!r} could not be written: {reason_of(error)}") from error


def _write(
    model: PreTrainedModel,
    tokenizer: Any,
    to: str,
    output: Path,
    source: Path | None,
    calibration: Sequence[str | Sequence[int]] | None,
    progress: Callable[[str], None] | None,
) -> Written:
    """Write into an existing folder."""
    config = model.config
    if to == "int8":
        weights = _eight(model, progress)
    else:
        longest = int(getattr(config.get_text_config(decoder=True), "max_position_embeddings", 0) or 2048)
        vocabulary = config.get_text_config(decoder=True).vocab_size
        tokens = calibration_tokens(tokenizer, vocabulary, longest, SCHEMES[to].sequences, calibration)
        weights = round_layers(model, to, tokens, progress)
    state = model.state_dict()
    weights, aliases, floats = _by_checkpoint(model, weights, state)
    if config.tie_word_embeddings:
        places = Counter(value.data_ptr() for value in state.values())
        for name in model._tied_weights_keys or ():
            # A head that is untied in spite of the config stays.
            if name in state and places[state[name].data_ptr()] > 1:
                del state[name]
    state = {name: _alone(value) for name, value in revert_weight_conversion(model, state).items()}
    tables = {name for name, each in model.named_modules() if isinstance(each, nn.Embedding)}
    stems = {name.removesuffix(".weight") for name, value in state.items() if value.dim() == 2}
    floats |= {stem for stem in stems if f"{stem}.weight" in state} - tables
    readers = read_by(to, any(map(_of_expert, (*weights, *stems))))
    for name, weight in weights.items():
        state |= {f"{name}.{part}": tensor for part, tensor in _parts(weight).items()}
    save_torch_state_dict(state, output, max_shard_size="5GB", metadata={"format": "pt"})
    saved = json.loads(config.to_json_string(use_diff=False))
    saved |= {"architectures": [type(model).__name__], "quantization_config": _config(weights, floats, aliases)}
    saved["dtype"] = str(model.dtype).removeprefix("torch.")  # the config's may be an older one
    saved[OURS] = {"head": "int8"}
    (output / "config.json").write_text(json.dumps(saved, indent=2) + "\n", encoding="utf-8")
    for file in output.glob("*.safetensors"):  # save_torch_state_dict makes them readable by the owner only
        shutil.copymode(output / "config.json", file)
    if model.can_generate():
        model.generation_config.save_pretrained(output)
    _copy_tokenizer(tokenizer, source, output)
    if source is not None:
        _copy_pooling(source, output)
    return Written(sum(tensor.nbytes for tensor in state.values()), readers)


def read_by(to: str, experts: bool) -> str:
    """List the other tools that read a checkpoint, in a line.

    Tested with transformers 5.23 with compressed-tensors 0.20, and vLLM 0.32 (tests/integrations/
    test_quantized_elsewhere.py).

    Args:
        to: of `FORMS`.
        experts: whether it has a named layer for each expert.
    """
    vllm = "vLLM (on GPUs)" if experts or to == "int8" else "vLLM"
    if to == "int4-hq" and not experts:
        return f"{vllm}; transformers with CompressedTensorsConfig(dequantize=True)"
    if to in ("int4-hq", "int8") and experts:  # without zero points, and experts whenever anything else is packed
        return f"{vllm}; not transformers, which takes experts for packed ones without zero points"
    return f"{vllm}; transformers with the package compressed-tensors"


def _by_checkpoint(
    model: PreTrainedModel, weights: Mapping[str, GroupedWeight], state: dict[str, Tensor]
) -> tuple[dict[str, GroupedWeight], dict[str, str], set[str]]:
    """Rename weights as a checkpoint has them, and remove the floats that they replace from the model's state.

    Returns:
        (the weights; the model's names of those that are modules in it; names of float modules). The last are the
        model's names, which transformers asks for; in some model types the checkpoint's, which vLLM asks for, differ.
    """
    left = dict(weights)
    named: dict[str, GroupedWeight] = {}
    aliases: dict[str, str] = {}
    floats = {name for name, each in model.named_modules() if isinstance(each, nn.Linear) and name not in weights}
    for path, own in experts_of_layers(model).items():
        for name in projections(own):
            whole = f"{path}.{name}"
            each = [left.pop(f"{path}.{i}.{name}", None) for i in range(own.num_experts)]
            there = [one for one in each if one is not None and not own.is_transposed]
            if (found := _by_layer(model, whole, there)) is not None:
                named |= found
                del state[whole]
            else:
                floats.add(whole)
    for name, weight in left.items():
        key = _renamed(model, name, weight)
        named[key], aliases[key] = weight, name
        del state[f"{name}.weight"]
    return named, aliases, floats


def _alone(tensor: Tensor) -> Tensor:
    """Copy a tensor that is a view of a larger one, as experts are: a file is written from whole storages."""
    return tensor if tensor.untyped_storage().nbytes() == tensor.nbytes else tensor.clone()


def _by_layer(model: PreTrainedModel, name: str, experts: list[GroupedWeight]) -> dict[str, GroupedWeight] | None:
    """Split a mixture's experts into the layers that a checkpoint has for them; None if it has no such layers."""
    if not experts:
        return None
    first = experts[0]
    parts: dict[str, dict[str, Tensor]] = {}
    for part in ("codes", "scale", "zero"):
        if getattr(first, part) is not None:  # a split along outputs can be done part by part
            whole = torch.stack([getattr(each, part) for each in experts])
            for key, value in revert_weight_conversion(model, {name: whole}).items():
                parts.setdefault(key, {})[part] = _alone(value)
    if any(not key.endswith(".weight") or each["codes"].dim() != 2 for key, each in parts.items()):
        return None
    return {
        key.removesuffix(".weight"): replace(first, codes=each["codes"], scale=each["scale"], zero=each.get("zero"))
        for key, each in parts.items()
    }


def _renamed(model: PreTrainedModel, name: str, weight: GroupedWeight) -> str:
    """Return the checkpoint's name of a linear module; the model's if it is several modules there or a part of one."""
    (key, value), *others = revert_weight_conversion(model, {f"{name}.weight": weight.codes}).items()
    whole = not others and key.endswith(".weight") and value.shape == weight.codes.shape
    return key.removesuffix(".weight") if whole else name


def _eight(model: PreTrainedModel, progress: Callable[[str], None] | None) -> dict[str, GroupedWeight]:
    """Round the weights of the layers to int8, by name."""
    linears = linears_of_layers(model)
    require_plain(linears, model, "int8")
    found = {}
    for name, linear in linears.items():
        int8, scale = int8_of(linear)
        found[name] = GroupedWeight(int8.view(torch.uint8) ^ 128, 8, linear.in_features, scale.unsqueeze(1))
        if progress is not None:
            progress(name)
    return found


def _parts(weight: GroupedWeight) -> dict[str, Tensor]:
    """Make compressed-tensors' tensors of a weight, by their last names."""
    parts = {
        "weight_packed": _words(weight.codes, weight.bits),
        "weight_scale": weight.scale,
        "weight_shape": torch.tensor(weight.codes.shape),
    }
    if weight.zero is not None:
        parts["weight_zero_point"] = _words(weight.zero.T, weight.bits).T.contiguous()
    return parts


def _words(codes: Tensor, bits: int) -> Tensor:
    """Pack codes into int32 words, the first in the lowest bits; the last word is padded with zeros."""
    filled = torch.nn.functional.pad(codes, (0, -codes.shape[1] % (32 // bits)))
    filled = filled if bits == 8 else filled[:, ::2] | filled[:, 1::2] << 4
    # Flattened first: a view as a wider dtype checks strides, which are arbitrary for a single row.
    return filled.flatten().view(torch.int32).view(len(filled), -1)


def _config(weights: Mapping[str, GroupedWeight], floats: Iterable[str], aliases: Mapping[str, str]) -> dict[str, Any]:
    """Make compressed-tensors' config: the commonest group size for all linear modules, others by their names.

    Args:
        floats: modules that stay float: the target "Linear" covers them unless they are ignored by name.
        aliases: other names of weights.
    """
    by_size: dict[int, list[str]] = {}
    for name, weight in weights.items():
        by_size.setdefault(weight.group_size if weight.bits == 4 else 0, []).append(name)
    sizes = sorted(by_size, key=lambda size: -len(by_size[size]))
    any_weight = next(iter(weights.values()))
    form = "pack-quantized"  # for 8 bits too: other tools take int-quantized to mean quantised activations
    groups = {}
    for number, size in enumerate(sizes):
        said = {
            "num_bits": any_weight.bits,
            "type": "int",
            "symmetric": any_weight.zero is None,
            "strategy": "group" if size else "channel",
            "group_size": size or None,
            "dynamic": False,
        }
        names = {_EXPERTS if _of_expert(name) else name for name in by_size[size]}
        targets = sorted(names | {aliases[name] for name in names & aliases.keys()}) if number else ["Linear"]
        groups[f"group_{number}"] = {"targets": targets, "weights": said, "input_activations": None, "format": form}
    return {
        "quant_method": "compressed-tensors",
        "format": form,
        "quantization_status": "compressed",
        "config_groups": groups,
        "ignore": sorted({"lm_head", *_patterns(weights, floats)}),
    }


def _patterns(weights: Iterable[str], floats: Iterable[str]) -> set[str]:
    """Return the names of float modules, with one pattern for all experts if none of them is quantised."""
    some = any(map(_of_expert, weights))
    return {_EXPERTS if _of_expert(name) and not some else name for name in floats}


def _of_expert(name: str) -> bool:
    return ".experts." in name


def _copy_tokenizer(tokenizer: Any, source: Path | None, output: Path) -> None:
    """Copy the tokenizer's files, or save it if there is no folder to copy from."""
    if source is None:
        if tokenizer is not None:
            tokenizer.save_pretrained(output)
        return
    for pattern in _TOKENIZER_FILES:
        for each in source.glob(pattern):
            if each.is_file():
                shutil.copyfile(each, output / each.name)


def _copy_pooling(source: Path, output: Path) -> None:
    """Copy the pooling config of sentence-transformers: without it embeddings would silently differ."""
    if not (source / "modules.json").is_file():
        return
    for each in source.glob("*sentence*.json"):
        shutil.copyfile(each, output / each.name)
    shutil.copyfile(source / "modules.json", output / "modules.json")
    for each in source.glob("[0-9]*_*/*"):
        if each.is_file():
            (output / each.parent.name).mkdir(exist_ok=True)
            shutil.copyfile(each, output / each.parent.name / each.name)
