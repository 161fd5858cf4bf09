"""The attention function that transformers calls: writes a layer's new keys and values into the pool and attends.

Importing this module registers it as `attn_implementation="torchpaged"`, with its mask function. It knows nothing of
models. Calls outside of an engine's step are in `standalone_attention.py`; the functions of recurrent layers are in
`recurrent_functions.py`, those of replaced convolution layers here.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, PretrainedConfig, PreTrainedModel
from transformers.masking_utils import AttentionMaskInterface

from torchpaged.errors import ModelError
from torchpaged.integrations.families import supported
from torchpaged.integrations.transformers import mla
from torchpaged.integrations.transformers.dense_attention import CallerMask, mask_of_columns
from torchpaged.integrations.transformers.paged_cache import ATTENTION
from torchpaged.integrations.transformers.standalone_attention import standalone_attention
from torchpaged.models.attention_metadata import AttentionMetadata, RowCache, StepMetadata
from torchpaged.models.layer_calls import attend_layer, convolve_layer
from torchpaged.models.model import LayerShape, StateShape
from torchpaged.models.recurrence import STATE_CHUNKS

# What an engine's steps run under: the same function, without masks, since tables and lengths say who sees what.
ATTENTION_OF_STEPS = "torchpaged_step"


class AttentionRecorder(Protocol):
    """Stands in for the metadata and is handed each layer's attention or convolution, shapes as in `attend` and
    `convolve`."""

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
        """The attention's result: [num_tokens, num_heads, head_dim_v]."""
        ...

    def convolve(self, layer: int, x: Tensor, weight: Tensor, bias: Tensor | None, **options: Any) -> Tensor:
        """The convolution's result: [num_tokens, channels]."""
        ...

    def recur(self, layer: int, operator: str, inputs: Sequence[Tensor | None], **options: Any) -> Tensor:
        """The result of a recurrent layer's operator, as of `models.recurrence.recur`."""
        ...


@dataclass
class Probe:
    """Stands in for the metadata of one dry forward and records what each layer would keep, and which kinds of
    attention (of `families.KINDS`) were asked for beside full and windowed.
    """

    layers: dict[int, LayerShape] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    # Of recurrent layers: (state, numbers of a tail's row), and a convolution's (channels, width).
    recurrences: dict[int, tuple[tuple[int, ...], int]] = field(default_factory=dict)
    convolutions: dict[int, tuple[int, int]] = field(default_factory=dict)
    # Tokens between two boundaries at which states are kept.
    state_chunk: int = 64
    # What a layer does that a causal KV cache cannot give, of the last layer that does.
    fault: str | None = None

    def add(self, layer: int, shape: LayerShape) -> None:
        """What a layer keeps; each layer once."""
        if layer in self.layers:
            self.fault = f"layer {layer} attends more than once"
        self.layers[layer] = shape

    def add_recurrence(self, layer: int, operator: str, state: tuple[int, ...], tail: int) -> None:
        """What a layer's recurrence keeps; each layer once."""
        if layer in self.recurrences:
            self.fault = f"layer {layer} has more than one recurrence"
        self.recurrences[layer] = state, tail
        self.state_chunk = STATE_CHUNKS[operator]
        self.kinds.add("recurrent")

    def add_convolution(self, layer: int, channels: int, width: int) -> None:
        """What the convolution of a recurrent layer keeps; each layer once."""
        if layer in self.convolutions:
            self.fault = f"layer {layer} convolves more than once"
        self.convolutions[layer] = channels, width

    @property
    def states(self) -> dict[int, StateShape]:
        """What each recurrent layer would keep."""
        if lost := self.convolutions.keys() - self.recurrences.keys():
            self.fault = f"layer {min(lost)} convolves as a recurrent layer does, and has no recurrence that is known"
        return {i: StateShape(*kept, *self.convolutions.get(i, (0, 0))) for i, kept in self.recurrences.items()}


@dataclass
class CurrentStep:
    """What a loaded model's attention modules share: the metadata of the step that is running, None between steps.

    Many models do not hand keyword arguments on to their attention, so that metadata comes this way instead.

    Args:
        sliding_window: of layers that do not name theirs, since their model has it in its mask alone.
    """

    metadata: StepMetadata | Probe | AttentionRecorder | None = None
    sliding_window: int = 0

    @property
    def runs(self) -> bool:
        """Whether a step is running; between steps the model is its owner's, and does what it was made for."""
        return self.metadata is not None

    @classmethod
    def of(cls, model: nn.Module, sliding_window: int = 0) -> CurrentStep:
        """What all modules share that say which layer they are, or ask for it: engines over one model take turns."""
        layers: list[Any] = [
            each for each in model.modules() if hasattr(each, "layer_idx") or hasattr(each, "paged_step")
        ]
        attached = [module.paged_step for module in layers if isinstance(getattr(module, "paged_step", None), cls)]
        step: CurrentStep = attached[0] if attached else cls()
        step.sliding_window = sliding_window
        for module in layers:
            module.paged_step = step
        return step


@contextmanager
def attending(configs: Sequence[PretrainedConfig], implementation: str = ATTENTION_OF_STEPS) -> Generator[None]:
    """While it is entered, modules that ask these configs for their attention get this one; then what they had."""
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
    """While it is entered none of these modules trains; then those train that did."""
    training = [module for module in modules if module.training]
    for module in training:
        module.training = False
    try:
        yield
    finally:
        for module in training:
            module.training = True


def require_interface(model: PreTrainedModel, config: PretrainedConfig) -> None:
    """Raises ModelError for a model that takes no attention function; leaves it as it was."""
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
    paged_metadata: StepMetadata | Probe | AttentionRecorder | None = None,
    **more: Any,
) -> tuple[Tensor, None]:
    """What `attn_implementation="torchpaged"` calls in every layer: with metadata as follows, without as
    `standalone_attention` does, over a `PagedCache` or no cache at all.

    Args:
        query: [1, num_heads, num_tokens, head_dim], all sequences of the step packed into one row.
        key, value: [1, num_kv_heads, num_tokens, head_dim (head_dim_v)], the step's own tokens. A value of width 0
            says that they are latents, see `mla.cache_latents`.
        attention_mask: must be None: block tables and lengths say who sees what.
        position_bias: while a step runs [num_heads, num_distances], as of `paged_attention`; of a cross-attention that
            has none of its own zeros of four dimensions, which change nothing.
        paged_metadata: `StepMetadata`, handed to the model's forward as a keyword argument; None for the current
            step's, where one is attached. Layers with chunked attention need a group in which each chunk's part of a
            query is a sequence of its own.

    Returns:
        ([1, num_tokens, num_heads, head_dim_v], None).

    Raises:
        ValueError: a mask, dropout, a batch dimension other than 1, or convolutions that were not replaced.
    """
    step: CurrentStep | None = getattr(module, "paged_step", None)
    if step is not None:
        paged_metadata = step.metadata if paged_metadata is None else paged_metadata
        sliding_window = sliding_window or step.sliding_window
    if paged_metadata is None:
        more |= {"sliding_window": sliding_window, "softcap": softcap, "sinks": s_aux}
        if position_bias is not None:
            more["position_bias"] = position_bias
        return standalone_attention(module, query, key, value, attention_mask, scaling, dropout, **more), None
    if attention_mask is not None and not (isinstance(attention_mask, CallerMask) and attention_mask.is_packed):
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
    if isinstance(paged_metadata, Probe):
        shape = LayerShape(key.shape[1], key.shape[2], value.shape[2], sliding_window or 0)
        if getattr(module, "is_causal", True) is False:
            paged_metadata.fault = f"layer {module.layer_idx} is not causal"
        paged_metadata.add(module.layer_idx, shape)  # type: ignore[arg-type]
        head_dim_v: int = module.v_head_dim if latent else value.shape[2]  # type: ignore[assignment]
        asked = {"softcap": softcap, "sinks": s_aux is not None, "ALiBi": alibi_slopes is not None, "latent": latent}
        asked["bias"] = _by_distance(module, position_bias) is not None
        paged_metadata.kinds.update(kind for kind, is_asked in asked.items() if is_asked)
        return query.new_zeros(1, query.shape[0], query.shape[1], head_dim_v), None
    if latent:
        query = mla.absorb(module, query)
    options: dict[str, Any] = {
        "latent_dim": module.kv_lora_rank if latent else 0,
        "scale": scaling,
        "sliding_window": sliding_window or 0,
        "softcap": softcap or 0.0,
        "sinks": s_aux,
        "alibi_slopes": alibi_slopes,
        "distance_bias": _by_distance(module, position_bias),
    }
    layer: int = module.layer_idx  # type: ignore[assignment]
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
    """Raises ValueError where layers that no attention function sees would run as transformers has them."""
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
    """A layer's causal convolution over the inputs that its sequences' pools keep.

    Args:
        module: the layer; it has `layer_idx`.
        x: [num_tokens, channels], all sequences of the step packed.
        weight: [channels, width].
        bias: [channels] or None.
        metadata: of the step.
        silu: whether the SiLU of the sum is meant.

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
    """Llama 4 scales queries of layers without rotary embedding by position, for which it takes the place in the batch.

    Both scales are 1 below `floor_scale` tokens, and the query stays as it is then.
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


AttentionInterface.register(ATTENTION, attention_forward)
AttentionMaskInterface.register(ATTENTION, mask_of_columns)
AttentionInterface.register(ATTENTION_OF_STEPS, attention_forward)
