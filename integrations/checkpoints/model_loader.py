"""Makes the transformers model of a `Checkpoint`: `build_empty`, then `stream_weights`.

Three sources are streamed, one weight at a time, into a model without memory: GGUF files, quantised safetensors, and
float safetensors that become int8 on the way. transformers builds and reads all other checkpoints in one step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from transformers import PreTrainedModel

from torchpaged.errors import ModelError, reason_of
from torchpaged.integrations.checkpoints.checkpoint import TO_SAFETENSORS, Checkpoint, auto_class
from torchpaged.integrations.checkpoints.gguf.loader import GgufWeights, region_for
from torchpaged.integrations.checkpoints.int8_load import Int8Weights
from torchpaged.integrations.checkpoints.quantized_reader import SafetensorsWeights
from torchpaged.integrations.checkpoints.streaming_load import fill, reorder, without_weights
from torchpaged.integrations.checkpoints.torchao import QuantizedWeights
from torchpaged.ops import active_backend
from torchpaged.utils.huge_pages import Region

# Ends of the names of tensors that give other tensors their values: without them a quantised checkpoint reads as noise.
_SCALES = (".weight_scale", ".weight_scale_inv", ".SCB")


class EmptyModel(NamedTuple):
    """A checkpoint, the model that was built for it, and where its weights come from.

    Args:
        dtype: as asked for: "auto" or a torch dtype's name.
        device: that the model is to be on; None: the CPU, or where an instance is.
        packs: if quantised weights stay quantised.
        is_safetensors: as returned by `Checkpoint.require_weights`.
        model: without memory; None if transformers is to build it.
        source: of its weights; None if transformers is to read them.
    """

    checkpoint: Checkpoint
    dtype: str
    device: torch.device | str | None
    packs: bool
    is_safetensors: bool | None
    model: PreTrainedModel | None = None
    source: GgufWeights | SafetensorsWeights | Int8Weights | None = None


class LoadedModel(NamedTuple):
    """A model with its weights.

    Args:
        owned: if the loader made it, so that its weights may be given back once they are packed.
        quantized: what an int8 quantisation while reading has done; None if there was none.
        region: memory that is still free for packed weights.
    """

    model: PreTrainedModel
    owned: bool
    quantized: QuantizedWeights | None = None
    region: Region | None = None


def read_model(
    checkpoint: Checkpoint,
    dtype: str = "auto",
    device: torch.device | str | None = None,
    *,
    quantization: Any = None,
    packs: bool | None = None,
    region: Region | None = None,
) -> LoadedModel:
    """Build the model of a checkpoint and read its weights; the arguments are those of the two stages."""
    return stream_weights(build_empty(checkpoint, dtype, device, quantization=quantization, packs=packs), region)


def build_empty(
    checkpoint: Checkpoint,
    dtype: str = "auto",
    device: torch.device | str | None = None,
    *,
    quantization: Any = None,
    packs: bool | None = None,
) -> EmptyModel:
    """Choose what reads the weights, and build the model that they are streamed into.

    Args:
        dtype: of activations and of weights that are not quantised: "auto" for the checkpoint's own, or a torch
            dtype's name.
        device: of the model; None: the CPU, or where an instance is.
        quantization: what `weights.quantize` will be asked for next: "int8" is done while reading, if possible.
        packs: if quantised weights stay quantised; None: if there are kernels for them.

    Raises:
        ModelError: an unsupported architecture, missing weights, or weights that do not fit the config.
    """
    checkpoint.require_supported()
    on_cpu = torch.device(device or "cpu").type == "cpu"
    has_kernels = on_cpu and active_backend("packed_linear", "cpu") == "cpp"
    packs = has_kernels if packs is None else packs
    reads_files = checkpoint.gguf is None and checkpoint.instance is None and checkpoint.options.load_format != "dummy"
    is_safetensors = checkpoint.require_weights() if reads_files else None
    empty = EmptyModel(checkpoint, dtype, device, packs, is_safetensors)
    if checkpoint.gguf is not None:
        model = _without_weights(checkpoint, dtype)
        empty = empty._replace(model=model, source=GgufWeights(checkpoint.gguf, _dtype(checkpoint, dtype), packs=packs))
    elif reads_files and on_cpu and is_safetensors is not False and checkpoint.scheme is not None:
        model = _without_weights(checkpoint, dtype)
        tensors = SafetensorsWeights(checkpoint, model, checkpoint.scheme, packs=packs)
        tensors.untie()
        empty = empty._replace(model=model, source=tensors)
    elif quantization == "int8" and has_kernels and is_safetensors is True and _is_plain(checkpoint, dtype):
        try:
            model = _without_weights(checkpoint, dtype)
        except ModelError:  # some models cannot be built without memory; transformers builds them, or says why not
            return empty
        if (source := Int8Weights.of(checkpoint, model)) is not None:
            empty = empty._replace(model=model, source=source)
    return empty


def stream_weights(empty: EmptyModel, region: Region | None = None) -> LoadedModel:
    """Read the weights of a model.

    Args:
        region: memory for packed weights; None: it is reserved as weights are packed.

    Raises:
        ModelError: weights that cannot be read, are missing, or do not fit the model.
    """
    checkpoint, model, source = empty.checkpoint, empty.model, empty.source
    if model is None or source is None:
        return LoadedModel(_read_whole(empty), checkpoint.instance is None, region=region)
    if region is None and checkpoint.gguf is not None:
        region = region_for(checkpoint.gguf.file)
    filled = fill(model, source, name=checkpoint.name, packs=empty.packs, region=region)
    reorder(model, source.orders)
    if region is not None:
        region.close()
    quantized = source.finish(model, filled)
    if checkpoint.gguf is None and model.can_generate() and checkpoint.generation_config is not None:
        model.generation_config = checkpoint.generation_config
    return LoadedModel(model.eval().to(empty.device or "cpu"), True, quantized)


def _dtype(checkpoint: Checkpoint, dtype: str) -> Any:
    """The dtype of a streamed model's activations."""
    return getattr(checkpoint.config, "dtype", None) or torch.bfloat16 if dtype == "auto" else getattr(torch, dtype)


def _is_plain(checkpoint: Checkpoint, dtype: str) -> bool:
    """Tell if a checkpoint is a float decoder of known dtype without code of its own, which int8 may be streamed of."""
    config = checkpoint.config
    known = dtype != "auto" or isinstance(getattr(config, "dtype", None), torch.dtype)
    own_code = checkpoint.trust_remote_code
    return known and not own_code and not config.is_encoder_decoder and checkpoint.quantization_method is None


def _without_weights(checkpoint: Checkpoint, dtype: str) -> PreTrainedModel:
    """Build a model whose parameters are on the meta device."""
    config, wanted = checkpoint.config, _dtype(checkpoint, dtype)
    kind = auto_class(config)
    given = config.__dict__.pop("quantization_config", None)  # or transformers would call its own quantisers
    try:
        with without_weights():
            model: PreTrainedModel = kind.from_config(
                config, dtype=wanted, trust_remote_code=checkpoint.trust_remote_code
            )
    except Exception as error:  # the config class accepts values that the model's modules do not
        made_of = "config" if checkpoint.gguf is None else "keys"
        raise ModelError(
            f"model {checkpoint.name!r}: no model can be made of its {made_of}: {reason_of(error)}"
        ) from error
    finally:
        if given is not None:
            config.quantization_config = given
    return model


def _read_whole(empty: EmptyModel) -> PreTrainedModel:
    """Return a model that nothing streams: the caller's instance, one with random weights, or transformers' own."""
    checkpoint, asked = empty.checkpoint, None if empty.dtype == "auto" else getattr(torch, empty.dtype)
    if checkpoint.instance is not None:
        model = checkpoint.instance if asked is None else checkpoint.instance.to(asked)
        device = empty.device
    else:
        is_random = checkpoint.options.load_format == "dummy"
        model = _random(checkpoint, asked) if is_random else _from_pretrained(checkpoint, asked, empty.is_safetensors)
        device = empty.device or "cpu"
    return model if device is None else model.to(device)


def _random(checkpoint: Checkpoint, dtype: torch.dtype | None) -> PreTrainedModel:
    """Build a model with random weights, the same in each process."""
    config = checkpoint.config
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model: PreTrainedModel = auto_class(config).from_config(
            config, dtype=dtype or config.dtype or torch.float32, trust_remote_code=checkpoint.trust_remote_code
        )
    return model


def _from_pretrained(checkpoint: Checkpoint, dtype: torch.dtype | None, is_safetensors: bool | None) -> PreTrainedModel:
    """Let transformers read a checkpoint, and refuse one whose weights it would leave out or make up."""
    name, options, method = checkpoint.name, checkpoint.options, checkpoint.quantization_method
    code = {} if options.code_revision is None else {"code_revision": options.code_revision}
    try:
        model, info = auto_class(checkpoint.config).from_pretrained(
            name,
            config=checkpoint.config,
            dtype=dtype or "auto",
            use_safetensors=is_safetensors,
            weights_only=True,  # .bin files are read as tensors, never as code
            output_loading_info=True,
            trust_remote_code=checkpoint.trust_remote_code,
            **options.hub,
            **code,
        )
    except Exception as error:  # safetensors, json, OSError and torch each have their own: all mean the same here
        what, why = "the weights could not be read", reason_of(error)
        if is_safetensors is False and "weights_only" in str(error):  # torch advises to run them as code
            why = f"what is pickled holds more than tensors, or is broken; expected safetensors: {TO_SAFETENSORS}"
        elif method is not None:
            what = f"its weights are quantised ({method}), and transformers cannot load them here"
        raise ModelError(f"model {name!r}: {what}: {why}") from error
    scales = sorted(name for name in info["unexpected_keys"] if name.endswith(_SCALES))
    if scales and method is None:  # transformers leaves them out
        raise ModelError(
            f"model {name!r}: {len(scales)} of its tensors are scales of quantised weights, {scales[0]} the first, but "
            "its config.json has no quantization_config"
        )
    if missing := sorted(info["missing_keys"]):  # transformers only warns, and fills them with random numbers
        raise ModelError(
            f"model {name!r}: {len(missing)} weights are missing in the checkpoint, {missing[0]} the first"
        )
    loaded: PreTrainedModel = model
    return loaded
