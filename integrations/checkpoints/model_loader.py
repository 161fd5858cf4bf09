"""Makes the transformers model of a `Checkpoint`: `build_empty`, then `stream_weights`.

Four sources are streamed, one weight at a time, into a model without memory: GGUF files, quantised safetensors, float
safetensors that become int8 on the way, and a rank's parts of any of these but the last. transformers builds and reads
all other checkpoints in one step.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import torch
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMultimodalLM,
    AutoModelForPreTraining,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoModelForSpeechSeq2Seq,
    AutoModelForTokenClassification,
    PretrainedConfig,
    PreTrainedModel,
)

from torchpaged.errors import ModelError, reason_of
from torchpaged.integrations.checkpoints.checkpoint import TO_SAFETENSORS, Checkpoint
from torchpaged.integrations.checkpoints.divided_weights import DividedWeights
from torchpaged.integrations.checkpoints.gguf.loader import GgufWeights, GgufWeightsWithTowers, region_for
from torchpaged.integrations.checkpoints.int8_load import Int8Weights
from torchpaged.integrations.checkpoints.quantized_reader import SafetensorsWeights
from torchpaged.integrations.checkpoints.streaming_load import BuildsWithoutDynamo, fill, reorder, without_weights
from torchpaged.integrations.checkpoints.tensor_parallel import Division, divide
from torchpaged.integrations.checkpoints.torchao import QuantizedWeights
from torchpaged.integrations.families import (
    EMBEDDER_TYPES,
    EMBEDDERS,
    ENCODERS,
    MEDIA,
    TEXT_CLASSIFIER,
    TOKEN_CLASSIFIER,
    media_family,
)
from torchpaged.ops import active_backend
from torchpaged.ops.collectives import Group
from torchpaged.utils.huge_pages import Region

# Ends of the names of tensors that give other tensors their values: without them a quantised checkpoint reads as noise.
_SCALES = (".weight_scale", ".weight_scale_inv", ".SCB")
# Ends of the names of classes whose heads give neither tokens nor classes.
_OTHER_HEADS = ("ForQuestionAnswering", "ForMultipleChoice")


_Source = GgufWeights | GgufWeightsWithTowers | SafetensorsWeights | Int8Weights | DividedWeights


class EmptyModel(NamedTuple):
    """A checkpoint, the model that was built for it, and where its weights come from.

    Args:
        dtype: as asked for: "auto" or a torch dtype's name.
        device: the model's device; None: the CPU, or where an instance is.
        packs: if quantised weights stay quantised.
        is_safetensors: as returned by `Checkpoint.require_weights`.
        model: without memory; the instance itself; or None if transformers is to build it.
        source: of its weights; None if it has them, or if transformers is to read them.
        group: ranks over which the weights are divided; None: this process has all.
        whole_experts: give each rank some experts, instead of a part of each.
    """

    checkpoint: Checkpoint
    dtype: str
    device: torch.device | str | None
    packs: bool
    is_safetensors: bool | None
    model: PreTrainedModel | None
    source: _Source | None
    group: Group | None = None
    whole_experts: bool = False


class LoadedModel(NamedTuple):
    """A model with its weights.

    Args:
        owned: if the loader made it, so that its weights may be given back once they are packed.
        quantized: what an int8 quantisation while reading has done; None if there was none.
        region: memory that is still free for packed weights.
        division: how it was divided over ranks; None: this process has all.
    """

    model: PreTrainedModel
    owned: bool
    quantized: QuantizedWeights | None = None
    region: Region | None = None
    division: Division | None = None


def build_empty(
    checkpoint: Checkpoint,
    dtype: str = "auto",
    device: torch.device | str | None = None,
    *,
    quantization: Any = None,
    packs: bool | None = None,
    group: Group | None = None,
    whole_experts: bool = False,
) -> EmptyModel:
    """Choose what reads the weights, and build the model that they are streamed into.

    Args:
        dtype: of activations and of weights that are not quantised: "auto" for the checkpoint's own, or a torch
            dtype's name.
        device: of the model; None: the CPU, or where an instance is.
        quantization: what `weights.quantize` will be asked for next: "int8" is done while reading, if possible.
        packs: if quantised weights stay quantised; None: if there are kernels for them.
        group, whole_experts: as in `EmptyModel`.

    Raises:
        ModelError: an unsupported architecture, missing weights, or weights that do not fit the config.
    """
    checkpoint.require_supported()
    on_cpu = torch.device(device or "cpu").type == "cpu"
    has_kernels = on_cpu and active_backend("packed_linear", "cpu") == "cpp"
    packs = has_kernels if packs is None else packs
    reads_files = checkpoint.gguf is None and checkpoint.instance is None and checkpoint.options.load_format != "dummy"
    is_safetensors = checkpoint.require_weights() if reads_files else None
    model: PreTrainedModel | None = checkpoint.instance
    source: _Source | None = None
    if checkpoint.gguf is not None:
        model = _without_weights(checkpoint, dtype)
        made, mmproj = _dtype(checkpoint, dtype), checkpoint.gguf.mmproj
        if mmproj is None:
            source = GgufWeights(checkpoint.gguf, made, packs=packs)
        else:
            source = GgufWeightsWithTowers(checkpoint.gguf, mmproj, made, packs=packs)
        source = source if group is None else DividedWeights(source, model, group, whole_experts=whole_experts)
    elif reads_files and on_cpu and is_safetensors is not False and checkpoint.scheme is not None:
        model = _without_weights(checkpoint, dtype)
        source = SafetensorsWeights(checkpoint, model, checkpoint.scheme, packs=packs)
        source.untie()
        source = source if group is None else DividedWeights(source, model, group, whole_experts=whole_experts)
    elif group is not None and is_safetensors is True and _is_plain(checkpoint, dtype):
        with suppress(ModelError):
            model = _without_weights(checkpoint, dtype)
        source = None if model is None else DividedWeights.of(checkpoint, model, group, whole_experts=whole_experts)
        model = None if source is None else model
    elif (
        group is None
        and quantization == "int8"
        and has_kernels
        and is_safetensors is True
        and _is_plain(checkpoint, dtype)
    ):
        # Some models cannot be built without memory; transformers builds them, or says why it cannot.
        with suppress(ModelError):
            model = _without_weights(checkpoint, dtype)
        source = None if model is None else Int8Weights.of(checkpoint, model)
        model = None if source is None else model
    return EmptyModel(checkpoint, dtype, device, packs, is_safetensors, model, source, group, whole_experts)


def stream_weights(empty: EmptyModel, region: Region | None = None) -> LoadedModel:
    """Read the weights of a model.

    Args:
        region: memory for packed weights; None: it is reserved as weights are packed.

    Raises:
        ModelError: weights that cannot be read, are missing, or do not fit the model.
    """
    checkpoint, model, quantized = empty.checkpoint, empty.model, None
    dtype = None if empty.dtype == "auto" else getattr(torch, empty.dtype)
    if checkpoint.instance is not None:
        model = checkpoint.instance if dtype is None else checkpoint.instance.to(dtype)
    elif model is not None and empty.source is not None:
        quantized = _fill(empty, model, empty.source, region)
        region = None
    elif checkpoint.options.load_format == "dummy":
        model = _random(checkpoint, dtype)
    else:
        model = _from_pretrained(checkpoint, dtype, empty.is_safetensors)
    owned = checkpoint.instance is None
    division = None
    if empty.group is not None:
        source = empty.source
        if isinstance(source, DividedWeights):
            division = source.division
        else:
            division = divide(model, empty.group, whole_experts=empty.whole_experts)
    if owned or empty.device is not None:
        model = model.to(empty.device or "cpu")
    return LoadedModel(model, owned, quantized, region, division)


def _fill(
    empty: EmptyModel,
    model: PreTrainedModel,
    source: _Source,
    region: Region | None,
) -> QuantizedWeights | None:
    """Stream a source into a model, and finish it. Returns what was quantised meanwhile."""
    checkpoint = empty.checkpoint
    if region is None and checkpoint.gguf is not None:
        region = region_for(checkpoint.gguf.file)
    filled = fill(model, source, name=checkpoint.name, packs=empty.packs, region=region)
    reorder(model, source.orders)
    if region is not None:
        region.close()
    quantized = source.finish(model, filled)
    if checkpoint.gguf is None and model.can_generate() and checkpoint.generation_config is not None:
        model.generation_config = checkpoint.generation_config
    model.eval()
    return quantized


def auto_class(config: PretrainedConfig) -> Any:
    """Choose transformers' auto class for a supported config and its head. ModelError for a head that nothing runs."""
    names = () if config.is_encoder_decoder else config.architectures or ()
    require_head(names)
    require_embedder(config)
    if config.model_type in EMBEDDER_TYPES:
        found: Any = AutoModelForPreTraining  # where transformers lists them
    elif config.is_encoder_decoder:
        found = AutoModelForSpeechSeq2Seq if hasattr(config, "num_mel_bins") else AutoModelForSeq2SeqLM
    elif any(name.endswith(TEXT_CLASSIFIER) for name in names):
        found = AutoModelForSequenceClassification
    elif any(name.endswith(TOKEN_CLASSIFIER) for name in names):
        found = AutoModelForTokenClassification
    elif config.model_type in MEDIA or _is_multimodal_alone(config):
        is_listed = type(config) in AutoModelForMultimodalLM._model_mapping
        found = AutoModelForMultimodalLM if is_listed else AutoModelForSeq2SeqLM  # Audio Flamingo's are there alone
    else:
        found = AutoModel if config.model_type in ENCODERS else AutoModelForCausalLM
    return found


def _is_multimodal_alone(config: PretrainedConfig) -> bool:
    """Tell if transformers has no causal LM of a config, and a multimodal model, whose text part runs."""
    models = (AutoModelForCausalLM, AutoModelForMultimodalLM)
    return [type(config) in each._model_mapping for each in models] == [False, True]


def _without_adapter(config: PretrainedConfig) -> dict[str, Any]:
    """Return the options with which transformers does not add the adapter of Granite Speech to its layers.

    That is for prompts with sounds alone (`Checkpoint.sound_adapter`). transformers has no option for it, but looks for
    adapters in a folder that can be named.
    """
    return {"adapter_kwargs": {"subfolder": "no-adapter"}} if getattr(config, "has_lora_adapter", False) else {}


def _without_pooler(kind: Any, config: PretrainedConfig) -> dict[str, bool]:
    """Return the argument that leaves out an encoder's pooler: only its classifier needs it, and has it anyway."""
    made = AutoModel._model_mapping.get(type(config), None) if kind is AutoModel else None
    has_one = made is not None and "add_pooling_layer" in inspect.signature(made.__init__).parameters
    return {"add_pooling_layer": False} if has_one else {}


def require_embedder(config: PretrainedConfig) -> None:
    """Raise ModelError for an embedder around a model that is not read."""
    if config.model_type in EMBEDDER_TYPES and media_family(config) is None:
        known = sorted(inner for kind, inner in EMBEDDERS if kind == config.model_type)
        raise ModelError(
            f"model type {config.model_type!r} around {config.vlm_config.model_type!r} is not supported, expected "
            f"{' or '.join(map(repr, known))}"
        )


def require_head(names: Iterable[str]) -> None:
    """Raise ModelError for a model whose head gives neither tokens nor classes.

    Loaded as a causal LM it would write texts with a head that was never trained.

    Args:
        names: of its classes.
    """
    for name in names:
        if name.endswith(_OTHER_HEADS):
            raise ModelError(
                f"{name} has a head that is not supported, expected ...ForCausalLM, ...{TEXT_CLASSIFIER} or "
                f"...{TOKEN_CLASSIFIER}; with its architectures left out of config.json it is read as a causal LM"
            )


def _dtype(checkpoint: Checkpoint, dtype: str) -> Any:
    """Return the dtype of a streamed model's activations."""
    return getattr(checkpoint.config, "dtype", None) or torch.bfloat16 if dtype == "auto" else getattr(torch, dtype)


def _is_plain(checkpoint: Checkpoint, dtype: str) -> bool:
    """Tell if int8 may be streamed: the checkpoint is a float decoder of known dtype, without its own code."""
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
        with without_weights(), BuildsWithoutDynamo():
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
        kind = auto_class(checkpoint.config)
        load = partial(
            kind.from_pretrained,
            name,
            **_without_pooler(kind, checkpoint.config),
            **_without_adapter(checkpoint.config),
            config=checkpoint.config,
            dtype=dtype or "auto",
            use_safetensors=is_safetensors,
            weights_only=True,  # .bin files are read as tensors, never as code
            output_loading_info=True,
            trust_remote_code=checkpoint.trust_remote_code,
            **options.hub,
            **code,
        )
        try:
            with BuildsWithoutDynamo():
                model, info = load()
        except RuntimeError as error:
            if "meta" not in str(error):
                raise
            model, info = load()  # the model writes what is on one of these devices into what is on the other
    except Exception as error:  # safetensors, json, OSError and torch each have their own: all mean the same here
        what, why = "the weights could not be read", reason_of(error)
        if is_safetensors is False and "weights_only" in str(error):  # torch advises to run them as code
            why = f"the pickle holds more than tensors, or is broken; expected safetensors: {TO_SAFETENSORS}"
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
