"""`torchpaged quantize`: a checkpoint whose linear layers are of few bits, in compressed-tensors' format.

Loaded here it is the model that quantising at load makes, bit for bit. The head stays as it is
in the file, since many tools want a float one, and is made int8 when it is loaded here: config.json says so under
"torchpaged".
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
# Of a checkpoint's names those of each expert; transformers looks for "experts" in a pattern, vLLM asks of "experts.0".
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
    """A checkpoint that was written."""

    num_bytes: int  # of its weights
    readers: str  # as of `read_by`


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
    """Writes a folder. The model stays as it is.

    Args:
        model: of transformers, with float weights, on the CPU.
        tokenizer: its own, or None.
        to: one of `FORMS`.
        output: a folder that is made.
        source: the folder that the model is from, whose tokenizer's files are copied; None: the tokenizer is saved.
        calibration: as of `calibration_tokens`.
        progress: is told the name of each layer that is done.

    Returns:
        What there is to say of it.

    Raises:
        ConfigError: as `round_layers`; a form that there is not, experts that are packed already, or a folder that
            cannot be written, of which nothing is left then.
    """
    if to not in FORMS:
        raise ConfigError(f"quantize: to is {to!r}, expected one of {', '.join(FORMS)}")
    for name, each in model.named_modules():
        if isinstance(each, ExpertsForward):  # their own format is none that is written
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
    """As `write_quantized`, into a folder that there is."""
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
            if name in state and places[state[name].data_ptr()] > 1:  # a head of its own in spite of the config stays
                del state[name]
    state = {name: _alone(value) for name, value in revert_weight_conversion(model, state).items()}
    tables = {name for name, each in model.named_modules() if isinstance(each, nn.Embedding)}
    stems = {name.removesuffix(".weight") for name, value in state.items() if value.dim() == 2}
    floats |= {stem for stem in stems if f"{stem}.weight" in state} - tables
    readers = read_by(to, any(map(_of_expert, (*weights, *stems))))
    for name, weight in weights.items():
        state |= {f"{name}.{part}": tensor for part, tensor in _parts(weight).items()}
    save_torch_state_dict(state, output, max_shard_size="5GB", metadata={"format": "pt"})
    said = json.loads(config.to_json_string(use_diff=False))
    said |= {"architectures": [type(model).__name__], "quantization_config": _config(weights, floats, aliases)}
    said["dtype"] = str(model.dtype).removeprefix("torch.")  # the config's may be an older one
    said[OURS] = {"head": "int8"}
    (output / "config.json").write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    for file in output.glob("*.safetensors"):  # which nobody else could read
        shutil.copymode(output / "config.json", file)
    if model.can_generate():
        model.generation_config.save_pretrained(output)
    _copy_tokenizer(tokenizer, source, output)
    if source is not None:
        _copy_pooling(source, output)
    return Written(sum(tensor.nbytes for tensor in state.values()), readers)


def read_by(to: str, experts: bool) -> str:
    """Which other tools read a checkpoint, in a line: what tests of transformers 5.23 with compressed-tensors 0.20 and
    of vLLM 0.32 found.

    Args:
        to: of `FORMS`.
        experts: whether it has layers of experts, each with a name.
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
    """Weights by the names that a checkpoint has for them, and takes what they stand for out of the model's state.

    Returns:
        the weights; what the model calls those that are modules in it; what stays float, by the model's names:
        transformers asks about these, which in some families are not the checkpoint's, as vLLM has them.
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
    """In memory of its own, as a file has it: an expert is a part of what the model keeps them in."""
    return tensor if tensor.untyped_storage().nbytes() == tensor.nbytes else tensor.clone()


def _by_layer(model: PreTrainedModel, name: str, experts: list[GroupedWeight]) -> dict[str, GroupedWeight] | None:
    """The weights of a mixture's experts by the layers that a checkpoint has of them; None where it has none."""
    if not experts:
        return None
    first = experts[0]
    parts: dict[str, dict[str, Tensor]] = {}
    for part in ("codes", "scale", "zero"):
        if getattr(first, part) is not None:  # what is torn apart by its outputs can be so part by part
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
    """What a checkpoint calls a linear module; its name in the model, where it is several there or a part of one."""
    (key, value), *others = revert_weight_conversion(model, {f"{name}.weight": weight.codes}).items()
    whole = not others and key.endswith(".weight") and value.shape == weight.codes.shape
    return key.removesuffix(".weight") if whole else name


def _eight(model: PreTrainedModel, progress: Callable[[str], None] | None) -> dict[str, GroupedWeight]:
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
    parts = {
        "weight_packed": _words(weight.codes, weight.bits),
        "weight_scale": weight.scale,
        "weight_shape": torch.tensor(weight.codes.shape),
    }
    if weight.zero is not None:
        parts["weight_zero_point"] = _words(weight.zero.T, weight.bits).T.contiguous()
    return parts


def _words(codes: Tensor, bits: int) -> Tensor:
    """int32 of as many codes as fit, the first in the lowest bits; the last word is filled with zeros."""
    filled = torch.nn.functional.pad(codes, (0, -codes.shape[1] % (32 // bits)))
    filled = filled if bits == 8 else filled[:, ::2] | filled[:, 1::2] << 4
    # A single row may have any stride, and a view of wider numbers asks for its own.
    return filled.flatten().view(torch.int32).view(len(filled), -1)


def _config(weights: Mapping[str, GroupedWeight], floats: Iterable[str], aliases: Mapping[str, str]) -> dict[str, Any]:
    """compressed-tensors' own words: the commonest group size of all linear modules, others by their names.

    Args:
        floats: weights that stay as they are. Whoever targets "Linear" has to be told of each that may be one.
        aliases: what else a weight may be called.
    """
    by_size: dict[int, list[str]] = {}
    for name, weight in weights.items():
        by_size.setdefault(weight.group_size if weight.bits == 4 else 0, []).append(name)
    sizes = sorted(by_size, key=lambda size: -len(by_size[size]))
    any_weight = next(iter(weights.values()))
    form = "pack-quantized"  # of 8 bits too: other tools take int-quantized for one that has activations quantised
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
    """The names of modules; of all experts, if none is quantised, one for all: there may be thousands."""
    some = any(map(_of_expert, weights))
    return {_EXPERTS if _of_expert(name) and not some else name for name in floats}


def _of_expert(name: str) -> bool:
    return ".experts." in name


def _copy_tokenizer(tokenizer: Any, source: Path | None, output: Path) -> None:
    if source is None:
        if tokenizer is not None:
            tokenizer.save_pretrained(output)
        return
    for pattern in _TOKENIZER_FILES:
        for each in source.glob(pattern):
            if each.is_file():
                shutil.copyfile(each, output / each.name)


def _copy_pooling(source: Path, output: Path) -> None:
    """What a folder of sentence-transformers says of pooling: without it vectors would be others, and nobody told."""
    if not (source / "modules.json").is_file():
        return
    for each in source.glob("*sentence*.json"):
        shutil.copyfile(each, output / each.name)
    shutil.copyfile(source / "modules.json", output / "modules.json")
    for each in source.glob("[0-9]*_*/*"):
        if each.is_file():
            (output / each.parent.name).mkdir(exist_ok=True)
            shutil.copyfile(each, output / each.parent.name / each.name)
