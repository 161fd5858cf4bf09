"""Runs transformers' decoders over a paged cache, without model code of our own.

Importing this module registers `attn_implementation="torchpaged"`: an attention function that writes the new keys
and values into the pool and attends through block tables. `load` turns a checkpoint, and `adapt` a model instance,
into the engine's `PagedModel`, or raises an error that says why the model is not supported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from torchpaged.utils import quiet

with quiet.importing_torchao():
    from transformers import (
        AutoModelForCausalLM,
        AutoModelForSeq2SeqLM,
        AutoModelForSequenceClassification,
        AutoModelForSpeechSeq2Seq,
        AutoModelForTokenClassification,
        PretrainedConfig,
        PreTrainedModel,
    )

from torchpaged.compiler.product_cache import FakeProducts
from torchpaged.engine_args import NO_OPTIONS, LoadOptions
from torchpaged.errors import ConfigError, ModelError, reason_of
from torchpaged.integrations.checkpoints.gguf import loader
from torchpaged.integrations.checkpoints.int8_load import read_int8
from torchpaged.integrations.checkpoints.quantized_reader import read_quantized, scheme_for
from torchpaged.integrations.checkpoints.source import (
    NOT_TENSORS,
    SCALES,
    decoder_config,
    quantized_by,
    read_config,
    require_weights,
)
from torchpaged.integrations.checkpoints.torchao import QuantizedWeights
from torchpaged.integrations.families import (
    EAGER_ONLY,
    FAMILIES,
    NEEDS_A_MASK,
    WINDOW_BY_MASK,
    max_length,
    supported,
    unsupported_reason,
)
from torchpaged.integrations.transformers import mla
from torchpaged.integrations.transformers.attention_interface import CurrentStep, Probe, require_interface
from torchpaged.integrations.transformers.attention_modules import replace_attention
from torchpaged.integrations.transformers.convolution_modules import replace_convolutions
from torchpaged.integrations.transformers.encoder_decoder import EncoderDecoderModel
from torchpaged.integrations.transformers.longrope import pin_longrope
from torchpaged.integrations.transformers.recurrent_modules import number_shared_attention, replace_recurrences
from torchpaged.integrations.transformers.split_forward import OF_TEXTS, OF_TOKENS, OwnForward, classifier_of
from torchpaged.integrations.transformers.weights import TransformersWeights
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.model import LayerShape, ModelSpec
from torchpaged.sampling_params import SamplingParams
from torchpaged.utils.huge_pages import Region
from torchpaged.weights.gguf_file import Gguf


class TransformersModel:
    """A transformers causal LM, or a decoder that classifies texts or tokens, as a `PagedModel`.

    The caller can keep using the model: torchpaged's attention and the other replaced modules are active only while a
    step runs. Between steps the model generates and trains as before.

    Args:
        model: the model.
        max_model_len: the engine's, if set: it selects LongRoPE's table.
        owned: the engine is the model's only user, so weights may be freed once they are packed.
        done, region: see `TransformersWeights`.
        embeds: the model must also accept embeddings in place of tokens.

    Attributes:
        kinds: the kinds of attention that the layers use, from `families.KINDS`.

    Raises:
        ModelError: the architecture is not supported; the message says why, and which architectures are.
        ConfigError: `embeds` is set and the model does not accept embeddings.
    """

    encoder = None

    def __init__(
        self,
        model: PreTrainedModel,
        max_model_len: int | None = None,
        *,
        owned: bool = False,
        done: tuple[str, QuantizedWeights] | None = None,
        region: Region | None = None,
        embeds: bool = False,
    ) -> None:
        config = decoder_config(model.config)
        if reason := unsupported_reason(config):
            raise ModelError(reason)
        self.model = model
        mla.cache_latents(model)
        self.config: PretrainedConfig = config
        long_table = pin_longrope(model, config, max_model_len or max_length(config))
        replace_convolutions(model, config.model_type)
        number_shared_attention(model)
        recurrent = replace_recurrences(model)
        if not replace_attention(model, config.model_type) and len(recurrent) < config.num_hidden_layers:
            require_interface(model, config)
        by_mask = config.model_type in WINDOW_BY_MASK
        step = CurrentStep.of(model, sliding_window=(by_mask and config.sliding_window) or 0)
        more: dict[str, Any] = {}
        if config.model_type in NEEDS_A_MASK:  # the model passes a mask of four dimensions on unchanged
            more["attention_mask"] = torch.zeros(1, 1, 1, 1, device=model.device)
        self._own = OwnForward(model, _configs_of_layers(model, config), step, more)
        # The probe needs shapes only, so the matrix products of an owned model may return made-up numbers, which saves
        # reading all weights. A caller's model may have hooks that look at the numbers, so its products are computed.
        with FakeProducts(model) if owned else nullcontext():
            probe, layers, self.kinds = self._probe()
            hidden_size = self._own.cut(config.vocab_size)
            embedding_size = self._own.embedding_size(config.vocab_size) if embeds else 0
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
            vocab_size=config.vocab_size,
            max_model_len=max_length(config),
            dtype=model.dtype,
            device=model.device,
            hidden_size=hidden_size,
            eager_only=EAGER_ONLY.get(config.model_type),
            embedding_size=embedding_size,
            **_classes_of(model),
        )
        self.weights = TransformersWeights(
            model, config, self.spec, self._own, more=f"long table: {long_table}", owned=owned, done=done, region=region
        )

    @torch.inference_mode()
    def _probe(self) -> tuple[Probe, Mapping[int, LayerShape], frozenset[str]]:
        """Run one token through the model, to learn what each layer caches and that metadata reaches every layer."""
        probe = Probe()
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

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Map packed tokens [num_tokens] to hidden states [len(rows), hidden_size].

        A model that could not be cut before its head (`spec.hidden_size` is None) returns [len(rows), vocab_size].
        Where `spec.embedding_size` is set, embeddings are accepted in place of tokens. The optimized forward is then
        traced with embeddings alone, so that its weights are packed once; tokens are embedded first.
        """
        parts = self.weights.optimized or self._own
        if self.spec.embedding_size and not input_ids.is_floating_point():
            input_ids = parts.embed(input_ids)
        return parts.forward(input_ids, positions, metadata, rows)

    def embed(self, input_ids: Tensor) -> Tensor:
        """Embed tokens: [num_tokens] -> [num_tokens, embedding_size]."""
        return (self.weights.optimized or self._own).embed(input_ids)

    def logits(self, hidden: Tensor) -> Tensor:
        """Map the rows that `forward` returned to logits [num_rows, vocab_size]."""
        return (self.weights.optimized or self._own).logits(hidden)

    def in_use(self) -> AbstractContextManager[None]:
        """Return a context in which the model uses torchpaged's attention, whatever its config says."""
        return self._own.in_use()

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Return a sha256 over the config, LongRoPE's table and all weights, computed at the first call."""
        return self.weights.fingerprint(most_bytes)


def _classes_of(model: PreTrainedModel) -> dict[str, Any]:
    """Return the fields of `ModelSpec` that describe a classifier's labels."""
    if classifier_of(model) is None:
        return {}
    config = model.config
    return {
        "num_labels": config.num_labels,
        "labels": tuple(str(config.id2label.get(index, index)) for index in range(config.num_labels)),
        "labels_tokens": type(model).__name__.endswith(OF_TOKENS),
        "multi_label": config.problem_type == "multi_label_classification",
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
    """Return the indices of layers that mix tokens. Some model types number their MLPs as layers too."""
    kinds = getattr(config, "layer_types", None) or [None] * config.num_hidden_layers
    return {i for i, kind in enumerate(kinds) if kind not in ("mlp", "moe")}


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
            return f"layer {i} is of type {kind!r} and was found {_WHAT[i in probe.layers, i in probe.recurrences]}"
    return None


# By layer type: (attends or convolves over cached rows, is recurrent).
_LAYER_TYPES = {
    "full_attention": (True, False),
    "sliding_attention": (True, False),
    "chunked_attention": (True, False),
    "conv": (True, False),
    "linear_attention": (False, True),
    "hybrid": (True, True),
    "mlp": (False, False),
    "moe": (False, False),
}
_WHAT = {
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
            model = _auto_class(config).from_config(config, dtype=torch.bfloat16, trust_remote_code=trust_remote_code)
    except Exception as error:  # a config class accepts values that its model class then fails on, in any way
        raise ModelError(f"no model can be made of the config ({config.model_type}): {reason_of(error)}") from error
    return adapt(model).spec


def _auto_class(config: PretrainedConfig) -> Any:
    """Return the auto class that builds a supported config's model. Raises ModelError for an unsupported head."""
    if not config.is_encoder_decoder:
        names = config.architectures or ()
        _require_head(names)
        for ending, of_kind in (
            (OF_TEXTS, AutoModelForSequenceClassification),
            (OF_TOKENS, AutoModelForTokenClassification),
        ):
            if any(name.endswith(ending) for name in names):
                return of_kind
        return AutoModelForCausalLM
    return AutoModelForSpeechSeq2Seq if hasattr(config, "num_mel_bins") else AutoModelForSeq2SeqLM


def _require_head(names: Sequence[str]) -> None:
    """Raise ModelError for a model whose head predicts neither tokens nor classes.

    Loaded as a causal LM such a checkpoint would generate with a head that was never trained.

    Args:
        names: the model's class names.
    """
    for name in names:
        if name.endswith(_OTHER_HEADS):
            raise ModelError(
                f"{name} has a head that is not supported, expected ...ForCausalLM, ...{OF_TEXTS} or ...{OF_TOKENS}; "
                "with its architectures left out of config.json it is read as a causal LM"
            )


_OTHER_HEADS = ("ForQuestionAnswering", "ForMultipleChoice")


def adapt(
    model: PreTrainedModel,
    max_model_len: int | None = None,
    *,
    owned: bool = False,
    done: tuple[str, QuantizedWeights] | None = None,
    region: Region | None = None,
    embeds: bool = False,
) -> TransformersModel | EncoderDecoderModel:
    """Wrap a model instance for the engine; arguments as in `TransformersModel`. ModelError if unsupported."""
    if model.config.is_encoder_decoder:
        return EncoderDecoderModel(model)
    _require_head([type(model).__name__])
    kind = model.config.get_text_config(decoder=True).model_type
    if kind in FAMILIES and "cross" in FAMILIES[kind].attention:
        raise ModelError(
            f"{type(model).__name__} is the decoder of model type {kind!r} alone, expected its encoder too"
        )
    return TransformersModel(model, max_model_len, owned=owned, done=done, region=region, embeds=embeds)


def load(
    path: str,
    dtype: str = "auto",
    device: torch.device | str = "cpu",
    max_model_len: int | None = None,
    *,
    trust_remote_code: bool = False,
    options: LoadOptions = NO_OPTIONS,
    quantization: Any = None,
    region: Region | None = None,
    embeds: bool = False,
) -> TransformersModel | EncoderDecoderModel:
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
    if path.endswith(".gguf"):
        return adapt(loader.read_model(Gguf(path), dtype, device), max_model_len, owned=True, embeds=embeds)
    hub = options.hub
    overrides = options.hf_overrides or None
    config = read_config(path, trust_remote_code=trust_remote_code, hub=hub, overrides=overrides)
    if reason := unsupported_reason(decoder_config(config)):
        raise ModelError(f"model {path!r}: {reason}")
    if options.load_format == "dummy":
        model = _random(config, dtype, trust_remote_code=trust_remote_code)
        return adapt(model.to(device), max_model_len, owned=True, embeds=embeds)
    named = getattr(config, "transformers_weights", None)
    use_safetensors = require_weights(path, options.load_format, hub, named)
    scheme = scheme_for(config, path) if torch.device(device).type == "cpu" and use_safetensors is not False else None
    if scheme is not None:
        auto_class = _auto_class(config)
        own = read_quantized(path, config, scheme, auto_class, dtype, hub, trust_remote_code=trust_remote_code)
        return adapt(own, max_model_len, owned=True, embeds=embeds)
    wanted = "auto" if dtype == "auto" else getattr(torch, dtype)
    streams = quantization == "int8" and torch.device(device).type == "cpu" and use_safetensors is True
    if streams and not trust_remote_code and not config.is_encoder_decoder and quantized_by(config) is None:
        dtype_read = getattr(config, "dtype", None) if wanted == "auto" else wanted
        read = None
        if isinstance(dtype_read, torch.dtype):
            read = read_int8(path, config, _auto_class(config), dtype_read, hub, region=region)
        if read is not None:
            return adapt(read[0], max_model_len, owned=True, done=("int8", read[1]), embeds=embeds)
    code = {} if options.code_revision is None else {"code_revision": options.code_revision}
    try:
        model, info = _auto_class(config).from_pretrained(
            path,
            config=config,
            dtype=wanted,
            use_safetensors=use_safetensors,
            weights_only=True,  # a .bin file is a pickle: load tensors, run no code
            output_loading_info=True,
            trust_remote_code=trust_remote_code,
            **hub,
            **code,
        )
    except Exception as error:  # safetensors, json, the system and torch each raise their own type of error
        what = "the weights could not be read"
        if use_safetensors is False and "weights_only" in str(error):  # torch's message advises to run the file's code
            raise ModelError(f"model {path!r}: {what}: {NOT_TENSORS}") from error
        if (method := quantized_by(config)) is not None:
            what = f"its weights are quantised ({method}), and transformers cannot load them here"
        raise ModelError(f"model {path!r}: {what}: {reason_of(error)}") from error
    scales = sorted(name for name in info["unexpected_keys"] if name.endswith(SCALES))
    if scales and quantized_by(config) is None:  # transformers would drop them silently
        raise ModelError(
            f"model {path!r}: {len(scales)} of its tensors are scales of quantised weights, {scales[0]} the first, but "
            "its config.json has no quantization_config"
        )
    if missing := sorted(info["missing_keys"]):  # transformers only warns, and fills them with random numbers
        raise ModelError(
            f"model {path!r}: {len(missing)} weights are missing in the checkpoint, {missing[0]} the first"
        )
    return adapt(model.to(device), max_model_len, owned=True, region=region, embeds=embeds)


def _random(config: PretrainedConfig, dtype: str, *, trust_remote_code: bool) -> PreTrainedModel:
    """Build a model with random weights (load_format="dummy"), the same in every process."""
    wanted = config.dtype or torch.float32 if dtype == "auto" else getattr(torch, dtype)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model: PreTrainedModel = _auto_class(config).from_config(
            config, dtype=wanted, trust_remote_code=trust_remote_code
        )
    return model


def wrap(
    model: PreTrainedModel,
    dtype: str = "auto",
    device: torch.device | str | None = None,
    max_model_len: int | None = None,
    *,
    embeds: bool = False,
) -> TransformersModel | EncoderDecoderModel:
    """Adapt a model instance; `dtype` and `device` convert it in place, the other arguments are as in `load`."""
    if dtype != "auto":
        model = model.to(getattr(torch, dtype))
    if device is not None:
        model = model.to(device)
    return adapt(model, max_model_len, embeds=embeds)


def eos_token_ids(model: PreTrainedModel, tokenizer: Any) -> tuple[int, ...]:
    """Return the end-of-text tokens of the generation config, else of the tokenizer. ModelError if not integers."""
    eos = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    if eos is None and tokenizer is not None:
        eos = tokenizer.eos_token_id
    if eos is None:
        return ()
    found = tuple(eos) if isinstance(eos, (list, tuple)) else (eos,)
    if wrong := [each for each in found if type(each) is not int]:
        raise ModelError(
            f"{type(model).__name__}: eos_token_id of its generation config has {wrong[0]!r:.80}, expected token ids"
        )
    return found


def default_sampling(model: PreTrainedModel, overrides: Mapping[str, Any] | None = None) -> SamplingParams:
    """Return the sampling parameters that the generation config sets to other than transformers' defaults, as in vLLM.

    Args:
        overrides: values that replace the generation config's.

    Raises:
        ModelError: a value that `SamplingParams` rejects.
    """
    generation_config = getattr(model, "generation_config", None)  # a classifier has none
    given = {} if generation_config is None else generation_config.to_diff_dict()
    given = {**given, **(overrides or {})}
    names = {name: name for name in ("temperature", "top_k", "top_p", "min_p", "repetition_penalty")}
    names["max_new_tokens"] = "max_tokens"
    found = {ours: given[theirs] for theirs, ours in names.items() if given.get(theirs) is not None}
    try:
        return SamplingParams(**found)
    except ConfigError as error:
        raise ModelError(
            f"{type(model).__name__}'s generation config: {error}; LLM(..., generation_config='ignore') leaves it out"
        ) from error
