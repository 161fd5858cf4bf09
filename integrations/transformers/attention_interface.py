"""The attention function that transformers calls: writes a layer's new keys and values into the pool and attends.

Importing this module registers it as `attn_implementation="torchpaged"`, with its mask function. It has no code for
particular models. Calls outside an engine's step are handled in `standalone_attention.py`. The function that replaced
convolution layers call is here, those of recurrent layers are in `recurrent_functions.py`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, PretrainedConfig, PreTrainedModel
from transformers.masking_utils import AttentionMaskInterface

from torchpaged.compiler.fake_values import fake_choice
from torchpaged.errors import ModelError
from torchpaged.integrations.families import supported
from torchpaged.integrations.transformers import mla
from torchpaged.integrations.transformers.continuous_batching import continuous_batching_attention
from torchpaged.integrations.transformers.dense_attention import CallerMask, mask_of_columns
from torchpaged.integrations.transformers.paged_cache import ATTENTION
from torchpaged.integrations.transformers.standalone_attention import standalone_attention
from torchpaged.models.attention_metadata import AttentionMetadata, RowCache, StepMetadata
from torchpaged.models.layer_calls import attend_layer, choose_layer, convolve_layer
from torchpaged.models.model import IndexShape, LayerShape, StateShape
from torchpaged.models.recurrence import STATE_CHUNKS

# The implementation used while an engine's step runs: the same function under a name that has no mask function, since
# block tables and lengths define what each query sees.
ATTENTION_OF_STEPS = "torchpaged_step"
# Shape of the mask that steps of `families.NEEDS_A_MASK` are given: these models pass four dimensions on unchanged.
NO_MASK = (1, 1, 1, 1)


class AttentionRecorder(Protocol):
    """A stand-in for step metadata that receives each layer's calls; shapes as in `models.attention.attend`,
    `models.convolution.convolve`, `models.recurrence.recur` and in `models.layer_calls`."""

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
        """Return the attention's result [num_tokens, num_heads, head_dim_v]."""
        ...

    def attend_media(self, layer: int, query: Tensor, **options: Any) -> Tensor:
        """Return the result of attention to images [num_tokens, num_heads, head_dim_v]."""
        ...

    def mask_media(self, layer: int, x: Tensor) -> Tensor:
        """Return x [.., num_tokens, size] with zeros for tokens that see no image."""
        ...

    def choose(
        self, layer: int, index_query: Tensor, index_weights: Tensor | None, index_key: Tensor, **options: Any
    ) -> Tensor:
        """Return what an indexer chooses [num_tokens, num_selections, k]."""
        ...

    def convolve(self, layer: int, x: Tensor, weight: Tensor, bias: Tensor | None, **options: Any) -> Tensor:
        """Return the convolution's result [num_tokens, channels]."""
        ...

    def recur(self, layer: int, operator: str, inputs: Sequence[Tensor | None], **options: Any) -> Tensor:
        """Return the result of a recurrent layer's operator."""
        ...

    def adapt(self, out: Tensor, x: Tensor, module: str) -> Tensor:
        """Return the result of a linear module with the adapters of the step's tokens added."""
        ...


@dataclass
class Probe:
    """A stand-in for step metadata in one trial forward: records what each layer would cache, and which kinds of
    attention (from `families.KINDS`) the layers use beside full and windowed.
    """

    layers: dict[int, LayerShape] = field(default_factory=dict)
    # By layer: its index, from its indexer, which runs before its attention.
    indices: dict[int, tuple[IndexShape, ...]] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    # Layers that attend to images.
    media_layers: dict[int, LayerShape] = field(default_factory=dict)
    # By recurrent layer: (shape of the state, numbers in a row of the tail), and its convolution's (channels, width).
    recurrences: dict[int, tuple[tuple[int, ...], int]] = field(default_factory=dict)
    convolutions: dict[int, tuple[int, int]] = field(default_factory=dict)
    # Tokens between two positions at which states are saved.
    state_chunk: int = 64
    # By linear module that can have adapters: the tokens of each of its calls.
    linears: dict[str, list[int]] = field(default_factory=dict)
    # True if a mask tells which tokens see later ones, so that layers that call themselves not causal may run.
    masked: bool = False
    # Why a layer cannot run over a causal KV cache; the last such layer's reason.
    fault: str | None = None

    def add(self, layer: int, shape: LayerShape) -> None:
        """Record what a layer caches; each layer may call once."""
        if layer in self.layers:
            self.fault = f"layer {layer} attends more than once"
        self.layers[layer] = replace(shape, index=self.indices.get(layer, ()))

    def add_index(self, layer: int, *index: IndexShape) -> None:
        """Record the index of a layer; each layer may call once, before it attends."""
        if layer in self.indices or layer in self.layers:
            self.fault = f"layer {layer} chooses more than once, or after it attends"
        self.indices[layer] = index

    def add_recurrence(self, layer: int, operator: str, state: tuple[int, ...], tail: int) -> None:
        """Record what a layer's recurrence keeps; each layer may call once."""
        if layer in self.recurrences:
            self.fault = f"layer {layer} has more than one recurrence"
        self.recurrences[layer] = state, tail
        self.state_chunk = STATE_CHUNKS[operator]
        self.kinds.add("recurrent")

    def add_convolution(self, layer: int, channels: int, width: int) -> None:
        """Record what the convolution of a recurrent layer keeps; each layer may call once."""
        if layer in self.convolutions:
            self.fault = f"layer {layer} convolves more than once"
        self.convolutions[layer] = channels, width

    def adapt(self, out: Tensor, x: Tensor, module: str) -> Tensor:
        """Record a call of a linear module, and return its result."""
        self.linears.setdefault(module, []).append(x.numel() // x.shape[-1])
        return out

    @property
    def states(self) -> dict[int, StateShape]:
        """The state of each recurrent layer."""
        if lost := self.convolutions.keys() - self.recurrences.keys():
            self.fault = f"layer {min(lost)} convolves as a recurrent layer does, and has no recurrence that is known"
        return {i: StateShape(*kept, *self.convolutions.get(i, (0, 0))) for i, kept in self.recurrences.items()}


@dataclass
class CurrentStep:
    """The running step's metadata, shared by a model's attention modules; None between steps.

    Many models do not pass keyword arguments on to their attention, so metadata travels by this object instead.

    Args:
        sliding_window: the window of layers that do not pass theirs, because their model puts it into the mask alone.
        layer: the layer whose blocks all layers of an encoder use in turn; None: each layer has its own.
    """

    metadata: StepMetadata | Probe | AttentionRecorder | None = None
    sliding_window: int = 0
    layer: int | None = None

    @property
    def runs(self) -> bool:
        """True while a step runs; between steps the model's original code runs."""
        return self.metadata is not None

    @classmethod
    def of(cls, model: nn.Module, sliding_window: int = 0) -> CurrentStep:
        """Return the step that a model's layers share, attached now if they have none.

        Several engines over one model get the same object: they take turns.
        """
        layers = [each for each in model.modules() if hasattr(each, "layer_idx") or hasattr(each, "paged_step")]
        step = cls._attached(layers)
        step.sliding_window = sliding_window
        return step

    @classmethod
    def shared(cls, modules: Sequence[nn.Module]) -> CurrentStep:
        """Return the step of an encoder's attention modules, which use the blocks of one layer in turn."""
        step = cls._attached(modules)
        step.layer = 0
        return step

    @classmethod
    def _attached(cls, layers: Sequence[Any]) -> CurrentStep:
        attached = [module.paged_step for module in layers if isinstance(getattr(module, "paged_step", None), cls)]
        step: CurrentStep = attached[0] if attached else cls()
        for module in layers:
            module.paged_step = step
        return step


@contextmanager
def attending(configs: Sequence[PretrainedConfig], implementation: str = ATTENTION_OF_STEPS) -> Generator[None]:
    """Set the attention implementation of these configs inside the context, and restore it afterwards."""
    before = [config._attn_implementation_internal for config in configs]
    for config in configs:
        config._attn_implementation_internal = implementation
    try:
        yield
    finally:
        for config, each in zip(configs, before, strict=True):
            config._attn_implementation_internal = each


@contextmanager
def evaluating(modules: Sequence[nn.Module]) -> Generator[None]:
    """Put these modules into evaluation mode inside the context; restore training mode afterwards."""
    training = [module for module in modules if module.training]
    for module in training:
        module.training = False
    try:
        yield
    finally:
        for module in training:
            module.training = True


def require_interface(model: PreTrainedModel, config: PretrainedConfig) -> None:
    """Raise ModelError for a model that accepts no attention function; leaves the model unchanged."""
    configs = {id(each.config): each.config for each in model.modules() if hasattr(each, "config")}
    before = [(each, each._attn_implementation_internal) for each in configs.values()]
    model.set_attn_implementation(ATTENTION)  # only warns when it fails, hence the check
    accepted = config._attn_implementation == ATTENTION
    for each, implementation in before:
        each._attn_implementation_internal = implementation
    if not accepted:
        raise ModelError(f"{type(model).__name__} does not accept attn_implementation={ATTENTION!r}; {supported()}")


def attention_forward(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | CallerMask | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    alibi_slopes: Tensor | None = None,
    position_bias: Tensor | None = None,
    indices: Tensor | None = None,
    block_indices: Tensor | None = None,
    paged_metadata: StepMetadata | Probe | AttentionRecorder | None = None,
    **more: Any,
) -> tuple[Tensor, None]:
    """Compute one layer's attention, for `attn_implementation="torchpaged"`.

    With step metadata it works as described here; without, it calls `continuous_batching_attention` in transformers'
    continuous batching, else `standalone_attention`, over a `PagedCache` or without a cache.

    Args:
        query: [1, num_heads, num_tokens, head_dim], all sequences of the step packed into one row.
        key, value: [1, num_kv_heads, num_tokens, head_dim (head_dim_v)], the step's own tokens. A value of width 0
            marks latents, see `mla.cache_latents`.
        attention_mask: must be None: block tables and lengths define what each query sees.
        position_bias: while a step runs [num_heads, num_distances], as in `paged_attention`. T5's cross-attention
            passes zeros of four dimensions, which are ignored.
        indices: [1, num_tokens, k] int32, the tokens that an indexer has chosen for each; None for all.
        block_indices: [1, num_kv_heads, num_tokens, k] int32, the blocks of `module.indexer.block_size` tokens that an
            indexer has chosen; None for all.
        paged_metadata: `StepMetadata`, passed to the model's forward as a keyword argument; None for the current
            step's, if one is attached. Layers with chunked attention need metadata in which each chunk's part of a
            query is a sequence of its own.

    Returns:
        ([1, num_tokens, num_heads, head_dim_v], None).

    Raises:
        ValueError: a mask, dropout, a batch dimension other than 1, convolutions that were not replaced, or an
            indexer's choice without a step.
    """
    step: CurrentStep | None = getattr(module, "paged_step", None)
    if step is not None:
        paged_metadata = step.metadata if paged_metadata is None else paged_metadata
        sliding_window = sliding_window or step.sliding_window
    if paged_metadata is None and (indices is not None or block_indices is not None):
        raise ValueError(
            "attn_implementation='torchpaged': indices are given, expected None without an engine's step: let "
            "torchpaged.LLM run the model, or set attn_implementation='eager'"
        )
    if paged_metadata is None and more.get("cache") is not None:
        layer: int = module.layer_idx  # type: ignore[assignment]
        options: dict[str, Any] = {"scale": scaling, "sliding_window": sliding_window, "softcap": softcap}
        return continuous_batching_attention(query, key, value, layer, more, sinks=s_aux, **options), None
    if paged_metadata is None:
        more |= {"sliding_window": sliding_window, "softcap": softcap, "sinks": s_aux}
        if position_bias is not None:
            more["position_bias"] = position_bias
        return standalone_attention(module, query, key, value, attention_mask, scaling, dropout, **more), None
    choice = _selection(module, indices, block_indices)
    if attention_mask is not None and not (
        attention_mask.is_packed if isinstance(attention_mask, CallerMask) else attention_mask.shape == NO_MASK
    ):
        raise ValueError(
            "attn_implementation='torchpaged': attention_mask is given, expected None: pack sequences instead"
        )
    if dropout:
        raise ValueError(f"attn_implementation='torchpaged': dropout is {dropout}, expected 0: call model.eval()")
    if query.shape[0] != 1:
        raise ValueError(
            f"attn_implementation='torchpaged': batch is {query.shape[0]}, expected 1: sequences are packed"
        )
    if step is None and isinstance(paged_metadata, StepMetadata):
        _require_replaced(paged_metadata)
    query, key, value = (x[0].transpose(0, 1) for x in (query, key, value))
    latent = not value.shape[2]
    shared = step.layer if step is not None else None  # the layer whose blocks all layers share, if they do
    if isinstance(paged_metadata, Probe):
        num_selected = choice["selected"].shape[2] * choice["granularity"] if choice else 0
        shape = LayerShape(key.shape[1], key.shape[2], value.shape[2], sliding_window or 0, num_selected=num_selected)
        if getattr(module, "is_causal", True) is False and shared is None and not paged_metadata.masked:
            paged_metadata.fault = f"layer {module.layer_idx} is not causal"
        paged_metadata.add(module.layer_idx if shared is None else 0, shape)  # type: ignore[arg-type]
        head_dim_v: int = module.v_head_dim if latent else value.shape[2]  # type: ignore[assignment]
        asked = {"softcap": softcap, "sinks": s_aux is not None, "ALiBi": alibi_slopes is not None, "latent": latent}
        asked["sparse"] = bool(choice)
        asked["bias"] = _by_distance(module, position_bias) is not None
        paged_metadata.kinds.update(kind for kind, is_asked in asked.items() if is_asked)
        return query.new_zeros(1, query.shape[0], query.shape[1], head_dim_v), None
    if latent:
        query = mla.absorb(module, query)
    options = {
        "latent_dim": module.kv_lora_rank if latent else 0,
        "scale": scaling,
        "sliding_window": sliding_window or 0,
        "softcap": softcap or 0.0,
        "sinks": s_aux,
        "alibi_slopes": alibi_slopes,
        "distance_bias": _by_distance(module, position_bias),
        **choice,
    }
    layer = module.layer_idx if shared is None else shared  # type: ignore[assignment]
    tempered = getattr(module, "attn_temperature_tuning", False) and not module.use_rope
    if isinstance(paged_metadata, StepMetadata):
        if tempered:
            query = _at_own_temperature(module, query, paged_metadata.of_layer(layer)[0])
        out = attend_layer(query, key, value, paged_metadata, layer, **options)
    elif tempered:
        raise ValueError("its queries are scaled by their position, which only a step's metadata knows")
    else:
        out = paged_metadata.attend(layer, query, key, value, **options)
    return (mla.expand(module, out) if latent else out)[None], None


def _selection(module: nn.Module, indices: Tensor | None, block_indices: Tensor | None) -> dict[str, Any]:
    """Return the options of `attend` for what an indexer has chosen; empty if it has not."""
    if indices is not None:
        return {"selected": indices[0].unsqueeze(1), "granularity": 1}
    if block_indices is not None:
        size: int = module.indexer.block_size  # type: ignore[union-attr,assignment]
        return {"selected": block_indices[0].transpose(0, 1), "granularity": size}
    return {}


def choose_forward(
    module: nn.Module, index_query: Tensor, index_weights: Tensor | None, index_key: Tensor, **options: Any
) -> Tensor:
    """Choose for an indexer while a step runs: write the step's index keys, and find the best.

    Args:
        module: the indexer; it has `layer_idx` and `paged_step`.
        index_query, index_weights, index_key, options: as in `models.attention.choose`.

    Returns:
        [num_tokens, num_selections, k] int32.
    """
    step: CurrentStep = module.paged_step  # type: ignore[assignment]
    layer: int = module.layer_idx  # type: ignore[assignment]
    metadata = step.metadata
    assert metadata is not None
    if isinstance(metadata, Probe):
        metadata.add_index(layer, IndexShape(*index_key.shape[1:]))
        return fake_choice(index_query, options["k"], options.get("num_selections", 1))
    if isinstance(metadata, StepMetadata):
        return choose_layer(index_query, index_weights, index_key, metadata, layer, **options)
    return metadata.choose(layer, index_query, index_weights, index_key, **options)


def _by_distance(module: nn.Module, bias: Tensor | None) -> Tensor | None:
    if bias is None or bias.dim() == 2:
        return bias
    if getattr(module, "has_relative_attention_bias", True) or getattr(module, "is_causal", True):
        raise ValueError(
            f"attn_implementation='torchpaged': position_bias has shape {tuple(bias.shape)}, expected "
            "[num_heads, num_distances] while a step runs"
        )
    return None


def _require_replaced(step: StepMetadata) -> None:
    """Raise ValueError if the model has convolution or recurrent layers that were not replaced.

    They do not call the attention function, so transformers' own code would run over the packed tokens.
    """
    if any(isinstance(cache, RowCache) for cache in step.caches) or any(step.states):
        kind = "recurrent layers" if any(step.states) else "layers of convolution"
        raise ValueError(
            f"attn_implementation='torchpaged': paged_metadata is of a model with {kind}, and this "
            "model's were not replaced: they would take the packed tokens for one text; let torchpaged.LLM run it"
        )


def convolution_forward(
    module: nn.Module,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    metadata: StepMetadata | Probe | AttentionRecorder,
    *,
    silu: bool,
) -> Tensor:
    """Compute a layer's causal convolution over the cached inputs of each sequence.

    Args:
        module: the layer; it has `layer_idx`.
        x: [num_tokens, channels], all sequences of the step packed.
        weight: [channels, width].
        bias: [channels] or None.
        metadata: the step's.
        silu: apply SiLU to the result.

    Returns:
        [num_tokens, channels].
    """
    layer: int = module.layer_idx  # type: ignore[assignment]
    if isinstance(metadata, Probe):
        metadata.add(layer, LayerShape.of_convolution(*weight.shape))
        metadata.kinds.add("conv")
        return torch.zeros_like(x)
    if isinstance(metadata, StepMetadata):
        return convolve_layer(x, weight, bias, metadata, layer, silu=silu)
    return metadata.convolve(layer, x, weight, bias, silu=silu)


def _at_own_temperature(module: Any, query: Tensor, metadata: AttentionMetadata) -> Tensor:
    """Correct the scale of Llama 4's queries from the place in the packed batch to the position in the sequence.

    Llama 4 scales queries of layers without rotary embedding by position, and takes the place in the batch for it.
    Below `floor_scale` tokens both scales are 1, and the query does not change.
    """
    place = torch.arange(query.shape[0], device=query.device)
    ends = metadata.query_start_loc[1:]
    sequence = torch.searchsorted(ends, place.to(ends.dtype), right=True).clamp_max(len(ends) - 1)
    position = place + (metadata.seq_lens - ends)[sequence]

    def temperature(positions: Tensor) -> Tensor:
        places = torch.floor((positions.float() + 1.0) / module.floor_scale)
        scale: Tensor = torch.log1p(places) * module.attn_scale + 1.0
        return scale

    return (query * (temperature(position) / temperature(place))[:, None, None]).to(query.dtype)


attention_forward.supports_continuous_batching = True  # type: ignore[attr-defined]  # docs/upstream
AttentionInterface.register(ATTENTION, attention_forward)
AttentionMaskInterface.register(ATTENTION, mask_of_columns)
AttentionInterface.register(ATTENTION_OF_STEPS, attention_forward)
