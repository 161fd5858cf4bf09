"""Runs transformers' decoders over a paged cache, without model code of our own.

Importing this module registers `attn_implementation="torchpaged"`: an attention function that writes the new keys
and values into the pool and attends through block tables. `load` turns a checkpoint, and `adapt` a model instance,
into the engine's `PagedModel`, or raises an error that says why the model is not supported.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.utils import quiet

with quiet.importing_torchao():
    from transformers import (
        PretrainedConfig,
        PreTrainedModel,
    )

from torchpaged.compiler.product_cache import FakeProducts
from torchpaged.engine_args import NO_OPTIONS, LoadOptions
from torchpaged.errors import ConfigError, ModelError, reason_of
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint, decoder_config
from torchpaged.integrations.checkpoints.model_loader import (
    auto_class,
    build_empty,
    require_embedder,
    require_head,
    stream_weights,
)
from torchpaged.integrations.checkpoints.torchao import QuantizedWeights
from torchpaged.integrations.families import (
    EAGER_ONLY,
    EMBEDDER_TYPES,
    FAMILIES,
    MEDIA,
    MEDIA_REFUSED,
    NEEDS_A_MASK,
    WINDOW_BY_MASK,
    MediaFamily,
    max_length,
    media_family,
    reads_whole,
    supported,
    unsupported_reason,
)
from torchpaged.integrations.transformers import mla
from torchpaged.integrations.transformers.adapted_forward import AdaptedForward
from torchpaged.integrations.transformers.attention_interface import NO_MASK, CurrentStep, Probe, require_interface
from torchpaged.integrations.transformers.attention_modules import replace_attention
from torchpaged.integrations.transformers.convolution_modules import replace_convolutions
from torchpaged.integrations.transformers.deepstack import DeepStack
from torchpaged.integrations.transformers.encoder_decoder import EncoderDecoderModel
from torchpaged.integrations.transformers.encoder_only import EncoderModel, classes_of, vector_size_of
from torchpaged.integrations.transformers.indexer_modules import replace_indexers
from torchpaged.integrations.transformers.longrope import pin_longrope
from torchpaged.integrations.transformers.media_attention import media_sizes, replace_media_attention
from torchpaged.integrations.transformers.media_encoder import TransformersMediaEncoder
from torchpaged.integrations.transformers.per_layer_inputs import PerLayerInputs, has_per_layer_inputs
from torchpaged.integrations.transformers.recurrent_modules import number_shared_attention, replace_recurrences
from torchpaged.integrations.transformers.split_forward import OwnForward, classifier_of
from torchpaged.integrations.transformers.weights import TransformersWeights
from torchpaged.models.model import LayerShape, ModelSpec
from torchpaged.ops.collectives import Group
from torchpaged.utils.huge_pages import Region

logger = logging.getLogger(__name__)

# Why prompts with images are refused before `take_processor`.
NO_PROCESSOR = "the model has no processor of transformers: give it as the tokenizer"


class TransformersModel(AdaptedForward):
    """A transformers causal LM, or a decoder that classifies texts or tokens, as a `PagedModel`.

    Args:
        model: the model.
        max_model_len: the engine's, if set: it selects LongRoPE's table.
        owned: the engine is the model's only user, so weights may be freed once they are packed.
        done, region: see `TransformersWeights`.
        embeds: the model must also accept embeddings in place of tokens.
        media: False for a model that runs on texts alone, though it could read images or sounds.

    Attributes:
        kinds: the kinds of attention that the layers use, from `families.KINDS`.
        depends_on_length: whether `max_model_len` selected a table.
        group: ranks over which the weights are divided; None: this process has all.

    Raises:
        ModelError: the architecture is not supported; the message says why, and which architectures are.
        ConfigError: `embeds` is set and the model does not accept embeddings.
    """

    _own: OwnForward
    group: Group | None = None

    def __init__(
        self,
        model: PreTrainedModel,
        max_model_len: int | None = None,
        *,
        owned: bool = False,
        done: tuple[str, QuantizedWeights] | None = None,
        region: Region | None = None,
        embeds: bool = False,
        media: bool = True,
    ) -> None:
        config = decoder_config(model.config)
        if reason := unsupported_reason(config):
            raise ModelError(reason)
        self.model = model
        mla.cache_latents(model)
        self.config: PretrainedConfig = config
        long_table = pin_longrope(model, config, max_model_len or max_length(config))
        self.depends_on_length = long_table is not None
        family = self._family = media_family(model.config) if media else None
        replace_convolutions(model, config.model_type)
        replace_indexers(model, config.model_type)
        number_shared_attention(model)
        self._attends_to_tiles = family is not None and family.attends_to_tiles
        if self._attends_to_tiles:
            replace_media_attention(model)
        recurrent = replace_recurrences(model)
        if not replace_attention(model, config.model_type) and len(recurrent) < config.num_hidden_layers:
            require_interface(model, config)
        by_mask = config.model_type in WINDOW_BY_MASK
        step = CurrentStep.of(model, sliding_window=(by_mask and config.sliding_window) or 0)
        more: dict[str, Any] = {}
        if config.model_type in NEEDS_A_MASK:
            more["attention_mask"] = torch.zeros(NO_MASK, device=model.device)
        # Tokens behind the logits' vocabulary, which stand in prompts alone: the placeholder of Mllama.
        self._num_unwritten = 0
        if self._attends_to_tiles:
            self._num_unwritten = model.get_input_embeddings().num_embeddings - config.vocab_size
            more["cross_attention_states"] = torch.zeros(1, device=model.device)  # without it the layers are left out
        wide: DeepStack | PerLayerInputs | None = None
        if family is not None and has_per_layer_inputs(model.config):
            wide = PerLayerInputs(getattr(model, model.base_model_prefix))
        if family is not None and family.deepstack:
            levels = len(model.config.vision_config.deepstack_visual_indexes)
            wide = DeepStack(getattr(model, model.base_model_prefix), levels)
        self._own = OwnForward(model, _configs_of_layers(model, config), step, more, wide)
        # The probe needs shapes only, so the matrix products of an owned model may return made-up numbers, which saves
        # reading all weights. A caller's model may have hooks that look at the numbers, so its products are computed.
        with FakeProducts(model) if owned else nullcontext():
            probe, layers, self.kinds = self._probe()
            hidden_size = self._own.cut(config.vocab_size)
            embedding_size = self._own.embedding_size(config.vocab_size) if embeds or family is not None else 0
            if embeds and not embedding_size:
                raise ConfigError(
                    f"LLM: enable_prompt_embeds is True, but {type(model).__name__} needs tokens: their embeddings "
                    "alone do not give its numbers; leave it out"
                )
        self.spec = ModelSpec(
            name=type(model).__name__,
            layers=layers,
            states=probe.states,
            state_chunk=probe.state_chunk,
            vocab_size=config.vocab_size + self._num_unwritten,
            max_model_len=max_length(config),
            dtype=model.dtype,
            device=model.device,
            hidden_size=hidden_size,
            eager_only=EAGER_ONLY.get(config.model_type),
            embedding_size=embedding_size,
            **({} if family is None else _media_values(family)),
            media_layers=probe.media_layers,
            media_width=config.hidden_size if isinstance(wide, PerLayerInputs) else 0,
            media_sizes=media_sizes(model.config) if probe.media_layers else (0, 0),
            vector_size=vector_size_of(model),
            **(classes_of(model) if classifier_of(model) is not None else {}),
        )
        self.weights = TransformersWeights(
            model, config, self.spec, self._own, more=f"long table: {long_table}", owned=owned, done=done, region=region
        )
        self.media_refusal = media_refusal(model.config)
        if family is not None and embedding_size:
            self.media_encoder = TransformersMediaEncoder(model, family)
            self.media_refusal = NO_PROCESSOR

    @torch.inference_mode()
    def _probe(self) -> tuple[Probe, Mapping[int, LayerShape], frozenset[str]]:
        """Run one token through the model, to learn what each layer caches and that metadata reaches every layer."""
        probe = Probe(masked=self._family is not None and self._family.attends_both_ways)
        one = torch.zeros(1, dtype=torch.int64, device=self.model.device)
        try:
            self._own.forward(one, one, probe, one)
        except ValueError as error:
            raise ModelError(f"{type(self.model).__name__} does not reach torchpaged's attention: {error}") from error
        states = probe.states
        mixing, found = mixing_layers(self.config), probe.layers.keys() | states.keys()
        if not (found or mixing):
            raise ModelError(f"{type(self.model).__name__} has no layers (num_hidden_layers is in its config)")
        if found != mixing:
            raise ModelError(
                f"{type(self.model).__name__}: {len(found)} of {len(mixing)} layers use the attention interface "
                f"or are layers that were replaced; {supported()}"
            )
        if self._attends_to_tiles and probe.media_layers.keys() != set(self.config.cross_attention_layers):
            raise ModelError(f"{type(self.model).__name__}: not all layers of cross-attention were reached")
        if reason := probe.fault or unknown_layers(self.config, probe):
            raise ModelError(f"{type(self.model).__name__}: {reason}; {supported()}")
        chunks = chunk_sizes(self.config)
        layers = {i: replace(layer, attention_chunk_size=chunks.get(i, 0)) for i, layer in probe.layers.items()}
        windows = {i: layer.sliding_window for i, layer in layers.items() if not layer.convolution}
        if reason := dropped_window(self.config, windows):
            raise ModelError(f"{type(self.model).__name__}: {reason}; {supported()}")
        limits = {"window": any(windows.values()), "chunked": bool(chunks)}
        full = (
            any(not (layer.sliding_window or layer.attention_chunk_size) for layer in layers.values())
            and "latent" not in probe.kinds
        )
        kinds = {*probe.kinds, *(kind for kind, is_there in limits.items() if is_there), *(["full"] if full else [])}
        return probe, layers, frozenset(kinds)

    def logits(self, hidden: Tensor) -> Tensor:
        """Map the rows that `forward` returned to logits [num_rows, vocab_size]."""
        logits = super().logits(hidden)
        return nn.functional.pad(logits, (0, self._num_unwritten), value=-torch.inf) if self._num_unwritten else logits


def read_processor(paged: TransformersModel | EncoderModel, checkpoint: Checkpoint, tokenizer: Any = None) -> None:
    """Let a model read prompts with images or sounds by the processor of a checkpoint; without one they are refused.

    Args:
        tokenizer: for a GGUF file, which has no processor of its own; None: the file's.
    """
    # Imported here, as below: transformers' processors take half a second to import, which text models need not.
    from torchpaged.integrations.transformers.checkpoint_processor import checkpoint_processor

    try:
        take_processor(paged, checkpoint_processor(checkpoint, tokenizer))
    except ModelError as error:  # the model still runs on texts
        paged.media_refusal = str(error)
        logger.warning("prompts with images or sounds are refused: %s", error)


def take_processor(paged: TransformersModel | EncoderModel, processor: Any) -> None:
    """Let a model read prompts with images or sounds by this processor of transformers.

    Raises:
        ModelError: it does not fit the model.
    """
    from torchpaged.integrations.transformers.media_processor import media_processor

    paged.media_processor = media_processor(processor, paged.model.config)
    paged.media_refusal = None


def media_refusal(config: PretrainedConfig) -> str | None:
    """Return why a model without a media encoder takes no images or sounds; None: it is made for texts."""
    kind = config.model_type
    if kind in MEDIA or kind in EMBEDDER_TYPES:
        return "limit_mm_per_prompt allows no images or sounds"
    if kind in MEDIA_REFUSED:
        return MEDIA_REFUSED[kind]
    if getattr(config, "vision_config", None) is None and getattr(config, "audio_config", None) is None:
        return None
    return f"what model type {kind!r} makes of images or sounds has not been verified"


def _media_values(media: MediaFamily) -> dict[str, Any]:
    """Return the values of a spec that a model with images or sounds has."""
    return {
        "position_axes": media.position_axes,
        "media_attends_both_ways": media.attends_both_ways,
        "media_sees_in_windows": media.sees_in_windows,
    }


def _configs_of_layers(model: PreTrainedModel, config: PretrainedConfig) -> list[PretrainedConfig]:
    """Return the config objects in which the decoder looks up its attention: the layers' and the text model's."""
    found = {id(config): config}
    for module in model.modules():
        own = getattr(module, "config", None)
        if isinstance(own, PretrainedConfig) and (hasattr(module, "layer_idx") or own.model_type == config.model_type):
            found[id(own)] = own
    return list(found.values())


def dropped_window(config: PretrainedConfig, windows: Mapping[int, int]) -> str | None:
    """Return how the windows that the layers passed to attention differ from the config's; None if they agree.

    A model that drops its window would produce wrong tokens without an error.
    """
    kinds, window = getattr(config, "layer_types", None), getattr(config, "sliding_window", None)
    if not window or not getattr(config, "use_sliding_window", True):
        return None
    if kinds is None:  # the config does not say which layers have the window: require that at least one does
        kinds = ["full_attention" if any(windows.values()) else "sliding_attention"] * len(windows)
    lost = [i for i, kind in enumerate(kinds) if kind == "sliding_attention" and windows.get(i) != window]
    if not lost:
        return None
    return (
        f"layer {lost[0]} has a sliding window of {window} in the config and gave its attention {windows.get(lost[0])}"
    )


def mixing_layers(config: PretrainedConfig) -> set[int]:
    """Return the indices of layers that mix tokens.

    Some model types number their MLPs as layers too, and Mllama those that attend to images alone.
    """
    kinds = getattr(config, "layer_types", None) or [None] * config.num_hidden_layers
    to_images = getattr(config, "cross_attention_layers", None) or ()
    return {i for i, kind in enumerate(kinds) if kind not in ("mlp", "moe") and i not in to_images}


def unknown_layers(config: PretrainedConfig, probe: Probe) -> str | None:
    """Return why a layer type of the config does not match what the probe found; None if all match.

    Args:
        probe: the result of a forward through the model.
    """
    kinds = getattr(config, "layer_types", None) or ()
    for i, kind in enumerate(kinds):
        if kind not in _LAYER_TYPES:
            return f"layer {i} is of type {kind!r}"
        attends, recurs = _LAYER_TYPES[kind]
        if (i in probe.layers) != attends or (i in probe.recurrences) != recurs:
            return f"layer {i} is of type {kind!r} and was found {_FOUND[i in probe.layers, i in probe.recurrences]}"
    return None


# By layer type: (attends or convolves over cached rows, is recurrent).
_LAYER_TYPES = {
    "full_attention": (True, False),
    "sliding_attention": (True, False),
    "chunked_attention": (True, False),
    "conv": (True, False),
    "indexed_attention": (True, False),
    "minimax_m3_sparse": (True, False),
    "linear_attention": (False, True),
    "hybrid": (True, True),
    "mlp": (False, False),
    "moe": (False, False),
}
_FOUND = {
    (True, True): "to attend and to recur",
    (True, False): "to attend alone",
    (False, True): "to recur alone",
    (False, False): "to do neither",
}


def chunk_sizes(config: PretrainedConfig) -> dict[int, int]:
    """Return the attention chunk size of each layer that has one: transformers does not pass it to attention."""
    kinds, size = getattr(config, "layer_types", None) or (), getattr(config, "attention_chunk_size", None)
    return {i: size for i, kind in enumerate(kinds) if kind == "chunked_attention" and size}


def spec_without_weights(config: PretrainedConfig, *, trust_remote_code: bool = False) -> ModelSpec:
    """Return a supported model's spec by probing the model on the meta device, without its weights."""
    try:
        with torch.device("meta"):
            model = auto_class(config).from_config(config, dtype=torch.bfloat16, trust_remote_code=trust_remote_code)
    except Exception as error:  # a config class accepts values that its model class then fails on, in any way
        raise ModelError(f"no model can be made of the config ({config.model_type}): {reason_of(error)}") from error
    return adapt(model).spec


AdaptedModel = TransformersModel | EncoderDecoderModel | EncoderModel


def adapt(
    model: PreTrainedModel,
    max_model_len: int | None = None,
    *,
    owned: bool = False,
    done: tuple[str, QuantizedWeights] | None = None,
    region: Region | None = None,
    embeds: bool = False,
    media: bool = True,
) -> AdaptedModel:
    """Adapt a model for the engine; the arguments are those of `TransformersModel`. ModelError if unsupported."""
    paged: AdaptedModel
    require_no_virtual_tokens(model)
    require_embedder(model.config)
    if model.config.is_encoder_decoder:
        paged = EncoderDecoderModel(model)
    elif reads_whole(model.config.model_type):
        require_head([type(model).__name__])
        if embeds:
            raise ConfigError(
                f"LLM: enable_prompt_embeds is True, but {type(model).__name__} is an encoder and reads tokens; leave "
                "it out"
            )
        family = media_family(model.config)
        paged = EncoderModel(model, owned=owned, done=done, region=region, family=family if media else None)
        if family is not None:
            paged.media_refusal = NO_PROCESSOR if media else media_refusal(model.config)
    else:
        require_head([type(model).__name__])
        kind = model.config.get_text_config(decoder=True).model_type
        if kind in FAMILIES and "cross" in FAMILIES[kind].attention:
            raise ModelError(
                f"{type(model).__name__} is the decoder of model type {kind!r} alone, expected its encoder too"
            )
        given: dict[str, Any] = {"owned": owned, "done": done, "region": region, "embeds": embeds, "media": media}
        paged = TransformersModel(model, max_model_len, **given)
    return paged


def require_no_virtual_tokens(model: PreTrainedModel) -> None:
    """Raise ModelError for peft's model whose forward puts virtual tokens before a text: they would get no blocks."""
    for name, config in getattr(model, "peft_config", {}).items():
        if getattr(config, "is_prompt_learning", False):
            kind = type(config).__name__.removesuffix("Config")
            raise ModelError(
                f"{type(model).__name__}: its adapter {name!r} is {kind}, and the virtual tokens that it puts before a "
                "text are not cached; expected LoRA or another adapter of its layers. Give model.get_base_model(), and "
                "prompt tuning's embeddings as prompt_embeds"
            )


def load(
    model: str | Path | PreTrainedModel,
    dtype: str = "auto",
    device: torch.device | str | None = None,
    max_model_len: int | None = None,
    *,
    trust_remote_code: bool = False,
    options: LoadOptions = NO_OPTIONS,
    quantization: Any = None,
    region: Region | None = None,
    embeds: bool = False,
) -> AdaptedModel:
    """Load a checkpoint (a folder, a hub id, or a GGUF file) for the engine.

    Args:
        path: a folder with config.json and weights, a hub id, or a GGUF file.
        dtype: "auto" for the checkpoint's own, or a torch dtype's name.
        max_model_len: the engine's, None for the model's own: it selects LongRoPE's table.
        trust_remote_code: whether code in the checkpoint may run.
        options: how the checkpoint is found and read.
        quantization: the quantization that the caller will apply next. "int8" is applied while the weights are read,
            if possible, so that the unquantized model never needs memory as a whole.
        region: `early_region` of this checkpoint; None: memory for packed weights is allocated when they are packed.
        embeds: see `TransformersModel`.

    Raises:
        ModelError: no such model, an unsupported architecture (found before the weights are read), unreadable weights,
            or code that is not trusted.
    """
    checkpoint = Checkpoint.resolve(model, trust_remote_code=trust_remote_code, options=options)
    return load_checkpoint(
        checkpoint, dtype, device, max_model_len, quantization=quantization, region=region, embeds=embeds
    )


def load_checkpoint(
    checkpoint: Checkpoint,
    dtype: str = "auto",
    device: torch.device | str | None = None,
    max_model_len: int | None = None,
    *,
    quantization: Any = None,
    region: Region | None = None,
    embeds: bool = False,
    group: Group | None = None,
    whole_experts: bool = False,
    media: bool = True,
) -> AdaptedModel:
    """Read the model of a checkpoint and adapt it for the engine: `build_empty`, `stream_weights`, `adapt`.

    Args:
        dtype: "auto" for the checkpoint's own, or a torch dtype's name. An instance is converted in place.
        device: of the model; None: the CPU, or where an instance is.
        max_model_len: of the engine, None for the model's own: a model with LongRoPE gets the table for it.
        quantization: what `weights.quantize` will be asked for next: "int8" is done while a checkpoint is read, if
            possible.
        region: memory for packed weights; None: it is reserved when they are packed.
        embeds, media: as in `TransformersModel`.
        group, whole_experts: as in `EmptyModel`.

    Raises:
        ModelError: as `load`.
        ConfigError: the model cannot be divided.
    """
    family = media_family(checkpoint.config)
    if group is not None and (checkpoint.config.is_encoder_decoder or reads_whole(checkpoint.config.model_type)):
        raise ConfigError(
            f"LLM: tensor_parallel_size is {group.world}, but {checkpoint.config.model_type!r} has an encoder, "
            "expected a decoder; leave it out"
        )
    if group is not None and family is not None and family.attends_to_tiles:
        raise ConfigError(
            f"LLM: tensor_parallel_size is {group.world}, but {checkpoint.config.model_type!r} has layers that attend "
            "to images, whose keys are not divided; leave it out"
        )
    empty = build_empty(checkpoint, dtype, device, quantization=quantization, group=group, whole_experts=whole_experts)
    loaded = stream_weights(empty, region)
    done = None if loaded.quantized is None else ("int8", loaded.quantized)
    given: dict[str, Any] = {"owned": loaded.owned, "done": done, "region": loaded.region}
    paged = adapt(loaded.model, max_model_len, **given, embeds=embeds, media=media)
    if isinstance(paged, TransformersModel):
        paged.group, paged.weights.division = group, loaded.division
    return paged


def wrap(
    model: PreTrainedModel,
    dtype: str = "auto",
    device: torch.device | str | None = None,
    max_model_len: int | None = None,
    *,
    embeds: bool = False,
) -> AdaptedModel:
    """Adapt a model instance; `dtype` and `device` move it in place, the others are as in `load_checkpoint`."""
    return load_checkpoint(Checkpoint.resolve(model), dtype, device, max_model_len, embeds=embeds)


def generation_values(model: PreTrainedModel) -> dict[str, Any]:
    """Return the values of a model's generation config that differ from transformers' defaults, as in vLLM."""
    config = getattr(model, "generation_config", None)  # a classifier has none
    return {} if config is None else {**config.to_diff_dict(), "eos_token_id": config.eos_token_id}
