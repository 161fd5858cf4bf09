"""transformers' decoders over a paged cache, with no model code of our own.

Importing this module registers `attn_implementation="torchpaged"`: an attention function that writes the new keys
and values into the pool and attends through block tables. `load` makes an engine's `PagedModel` of a
checkpoint or of a model instance, or refuses it with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    AttentionInterface,
    AutoConfig,
    AutoModelForCausalLM,
    PretrainedConfig,
    PreTrainedModel,
)

from torchpaged.attention import attend
from torchpaged.attention_metadata import AttentionMetadata, StepMetadata
from torchpaged.errors import ModelError
from torchpaged.paged_kv_cache import LayerShape

ATTENTION = "torchpaged"

# Families whose paged output equals transformers' own, each checked by tests/integrations/test_families.py.
SUPPORTED = (
    "apertus",
    "arcee",
    "biogpt",
    "cohere",
    "cohere2",
    "deepseek_v2",
    "deepseek_v3",
    "ernie4_5",
    "ernie4_5_moe",
    "exaone4",
    "flex_olmo",
    "gemma",
    "gemma2",
    "gemma3_text",
    "glm",
    "glm4",
    "glm4_moe",
    "gpt2",
    "gpt_bigcode",
    "gpt_neox",
    "gpt_oss",
    "granite",
    "granitemoe",
    "granitemoeshared",
    "helium",
    "llama",
    "llama4_text",
    "mistral",
    "mixtral",
    "olmo",
    "olmo2",
    "olmo3",
    "olmoe",
    "opt",
    "persimmon",
    "phi",
    "phi3",
    "qwen2",
    "qwen2_moe",
    "qwen3",
    "qwen3_moe",
    "seed_oss",
    "smollm3",
    "starcoder2",
    "vaultgemma",
)
# Why some well-known ones are not: said in the refusal.
REASONS = {
    "bloom": "its attention does not go through transformers' attention interface (ALiBi inside the module)",
    "falcon": "its attention does not go through transformers' attention interface",
    "mpt": "its attention does not go through transformers' attention interface (ALiBi inside the module)",
    "gptj": "its attention does not go through transformers' attention interface",
    "lfm2": "it has convolution layers, whose state is not a KV cache",
    "minimax": "it has linear-attention layers, whose state is not a KV cache",
    "nemotron": "it does not hand keyword arguments on to its attention",
    "phimoe": "its attention does not hand its sliding window on to the attention interface",
    "stablelm": "it does not hand keyword arguments on to its attention",
    "qwen3_next": "it has recurrent layers, whose state is not a KV cache",
    "mamba": "it is recurrent: there is no KV cache to page",
    "mamba2": "it is recurrent: there is no KV cache to page",
}
# These scale by the longest position of the packed batch, which mixes up requests of different lengths.
_BATCH_DEPENDENT_ROPE = ("dynamic", "longrope")


@dataclass
class _Probe:
    """Stands in for the metadata of one dry forward and records what each layer would keep."""

    layers: dict[int, LayerShape]


def attention_forward(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    paged_metadata: StepMetadata | _Probe | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """What `attn_implementation="torchpaged"` calls in every layer.

    Args:
        query: [1, num_heads, num_tokens, head_dim], all sequences of the step packed into one row.
        key, value: [1, num_kv_heads, num_tokens, head_dim (head_dim_v)], the step's own tokens.
        attention_mask: must be None: block tables and lengths say who sees what.
        paged_metadata: `StepMetadata`, handed to the model's forward as a keyword argument. Layers with chunked
            attention need a group in which each chunk's part of a query is a sequence of its own.

    Returns:
        ([1, num_tokens, num_heads, head_dim_v], None).

    Raises:
        ValueError: no metadata, a mask, dropout, or a batch dimension other than 1.
    """
    if paged_metadata is None:
        raise ValueError(
            "attn_implementation='torchpaged' needs paged_metadata: pass a StepMetadata to the model's forward, "
            "or let torchpaged.LLM run the model"
        )
    if attention_mask is not None:
        raise ValueError(
            "attn_implementation='torchpaged': attention_mask is given, expected None: pack sequences instead"
        )
    if dropout:
        raise ValueError(f"attn_implementation='torchpaged': dropout is {dropout}, expected 0: call model.eval()")
    if query.shape[0] != 1:
        raise ValueError(
            f"attn_implementation='torchpaged': batch is {query.shape[0]}, expected 1: sequences are packed"
        )
    query, key, value = (x[0].transpose(0, 1) for x in (query, key, value))
    if isinstance(paged_metadata, _Probe):
        shape = LayerShape(key.shape[1], key.shape[2], value.shape[2], sliding_window or 0)
        paged_metadata.layers[module.layer_idx] = shape  # type: ignore[index]
        return query.new_zeros(1, query.shape[0], query.shape[1], value.shape[2]), None
    metadata, cache = paged_metadata.of_layer(module.layer_idx)  # type: ignore[arg-type]
    if getattr(module, "attn_temperature_tuning", False) and not module.use_rope:
        query = _at_own_temperature(module, query, metadata)
    out = attend(
        query,
        key,
        value,
        metadata,
        cache,
        scale=scaling,
        sliding_window=sliding_window or 0,
        softcap=softcap or 0.0,
        sinks=s_aux,
    )
    return out[None], None


def _at_own_temperature(module: Any, query: Tensor, metadata: AttentionMetadata) -> Tensor:
    """Llama 4 scales queries of layers without rotary embedding by position, for which it takes the place in the batch.

    Both scales are 1 below `floor_scale` tokens, and the query stays as it is then.
    """
    place = torch.arange(query.shape[0], device=query.device)
    ends = metadata.query_start_loc[1:]
    sequence = torch.searchsorted(ends, place.to(ends.dtype), right=True).clamp_max(len(ends) - 1)
    position = place + (metadata.seq_lens - ends)[sequence]

    def temperature(positions: Tensor) -> Tensor:
        return torch.log1p(torch.floor((positions.float() + 1.0) / module.floor_scale)) * module.attn_scale + 1.0

    return (query * (temperature(position) / temperature(place))[:, None, None]).to(query.dtype)


AttentionInterface.register(ATTENTION, attention_forward)


class TransformersModel:
    """A transformers causal LM as the `PagedModel` of `torchpaged.model_runner`.

    The wrapped model's attention implementation is set to "torchpaged" and stays so.

    Raises:
        ModelError: the architecture is not supported; the message says why and what is.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        config = model.config.get_text_config(decoder=True)
        if reason := unsupported_reason(config):
            raise ModelError(reason)
        self.model = model.eval()
        self.config: PretrainedConfig = config
        model.set_attn_implementation(ATTENTION)  # only warns when it fails, hence the check
        if config._attn_implementation != ATTENTION:
            raise ModelError(
                f"{type(model).__name__} does not accept attn_implementation={ATTENTION!r}; {_supported()}"
            )
        self.dtype: torch.dtype = model.dtype
        self.device: torch.device = model.device
        self.vocab_size: int = config.vocab_size
        self.max_model_len: int = getattr(config, "max_position_embeddings", None) or 2048
        self.layers: Mapping[int, LayerShape] = self._probe()

    @torch.inference_mode()
    def _probe(self) -> Mapping[int, LayerShape]:
        """One token through the model: the layers themselves say what they keep, and that the metadata arrives."""
        probe = _Probe({})
        try:
            self.model(
                input_ids=torch.zeros(1, 1, dtype=torch.int64, device=self.device),
                position_ids=torch.zeros(1, 1, dtype=torch.int64, device=self.device),
                use_cache=False,
                paged_metadata=probe,
            )
        except ValueError as error:
            raise ModelError(f"{type(self.model).__name__} does not reach torchpaged's attention: {error}") from error
        expected = self.config.num_hidden_layers
        if len(probe.layers) != expected:
            raise ModelError(
                f"{type(self.model).__name__}: {len(probe.layers)} of {expected} layers use the attention interface; "
                + _supported()
            )
        chunks = chunk_sizes(self.config)
        layers = {i: replace(layer, attention_chunk_size=chunks.get(i, 0)) for i, layer in probe.layers.items()}
        if reason := dropped_window(self.config, {i: layer.sliding_window for i, layer in probe.layers.items()}):
            raise ModelError(f"{type(self.model).__name__}: {reason}; {_supported()}")
        return layers

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, logit_rows: Tensor) -> Tensor:
        """Packed tokens [num_tokens] -> logits [len(logit_rows), vocab_size]."""
        result = self.model(
            input_ids=input_ids[None],
            position_ids=positions[None],
            use_cache=False,
            logits_to_keep=logit_rows,
            paged_metadata=metadata,
        )
        return result.logits[0]

    def fingerprint(self) -> str:
        """sha256 over the config and a sample of every weight."""
        digest = sha256(self.config.to_json_string().encode())
        for name, weight in sorted(self.model.state_dict().items()):
            digest.update(f"{name} {tuple(weight.shape)} {weight.dtype}".encode())
            flat = weight.detach().reshape(-1)
            sample = flat[:: max(1, flat.numel() // _SAMPLED)][:_SAMPLED]
            digest.update(sample.double().cpu().numpy().tobytes())
        return digest.hexdigest()


# Elements of each weight that its model is recognised by: another training run changes all of them.
_SAMPLED = 256


def unsupported_reason(config: PretrainedConfig) -> str | None:
    """Why a model of this config cannot run, with what can; None when it can."""
    kind = config.model_type
    if kind not in SUPPORTED:
        why = REASONS.get(kind, "its output has not been verified against transformers' own")
        return f"model type {kind!r} is not supported: {why}; {_supported()}"
    if (rope := rope_type(config)) in _BATCH_DEPENDENT_ROPE:
        return (
            f"model type {kind!r} with rope type {rope!r} is not supported: its rotary frequencies depend on the "
            "longest sequence of the batch; use a checkpoint or config with another rope type"
        )
    return None


def dropped_window(config: PretrainedConfig, windows: Mapping[int, int]) -> str | None:
    """Why the windows that the layers handed on are not the config's: their tokens would be wrong without an error."""
    kinds, window = getattr(config, "layer_types", None), getattr(config, "sliding_window", None)
    if kinds is None or not window:
        return None
    lost = [i for i, kind in enumerate(kinds) if kind == "sliding_attention" and windows.get(i) != window]
    if not lost:
        return None
    return (
        f"layer {lost[0]} has a sliding window of {window} in the config and gave its attention {windows.get(lost[0])}"
    )


def chunk_sizes(config: PretrainedConfig) -> dict[int, int]:
    """By layer, the length of the chunk that its queries see, where there is one: the attention is not told of it."""
    kinds, size = getattr(config, "layer_types", None) or (), getattr(config, "attention_chunk_size", None)
    return {i: size for i, kind in enumerate(kinds) if kind == "chunked_attention" and size}


def rope_type(config: PretrainedConfig) -> str | None:
    """The kind of rotary embedding; where layers differ, one that depends on the batch if there is one."""
    parameters = getattr(config, "rope_parameters", None) or {}
    nested = [p for p in parameters.values() if isinstance(p, dict)] or [parameters]
    kinds = [p.get("rope_type") for p in nested]
    return next((kind for kind in kinds if kind in _BATCH_DEPENDENT_ROPE), kinds[0])


def _supported() -> str:
    return "supported are: " + ", ".join(SUPPORTED)


def load_config(path: str) -> PretrainedConfig:
    """The config of a checkpoint's decoder. Raises ModelError when there is none."""
    _require_path(path)
    try:
        return AutoConfig.from_pretrained(path).get_text_config(decoder=True)
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"model {path!r}: no config could be read: {_first_line(error)}") from error


def load(path: str, dtype: str = "auto", device: torch.device | str = "cpu") -> TransformersModel:
    """Loads a checkpoint (a folder, or a hub id) for the engine.

    Args:
        path: a folder with config.json and safetensors, or a hub id.
        dtype: "auto" for the checkpoint's own, or a torch dtype's name.

    Raises:
        ModelError: no such model, an unsupported architecture (found out before the weights are read), or weights
            that cannot be read.
    """
    if reason := unsupported_reason(load_config(path)):
        raise ModelError(f"model {path!r}: {reason}")
    wanted = "auto" if dtype == "auto" else getattr(torch, dtype)
    try:
        model, info = AutoModelForCausalLM.from_pretrained(
            path, dtype=wanted, use_safetensors=True, output_loading_info=True
        )
    except Exception as error:  # safetensors, json, OSError and torch each have their own: all mean the same here
        raise ModelError(
            f"model {path!r}: the weights could not be read as safetensors: {_first_line(error)}"
        ) from error
    if missing := sorted(info["missing_keys"]):  # transformers only warns, and fills them with random numbers
        raise ModelError(
            f"model {path!r}: {len(missing)} weights are missing in the checkpoint, {missing[0]} the first"
        )
    return TransformersModel(model.to(device))


def wrap(model: PreTrainedModel, dtype: str = "auto", device: torch.device | str | None = None) -> TransformersModel:
    """A model instance for the engine; `dtype` and `device` move it in place."""
    if dtype != "auto":
        model = model.to(getattr(torch, dtype))
    if device is not None:
        model = model.to(device)
    return TransformersModel(model)


def eos_token_ids(model: PreTrainedModel, tokenizer: Any) -> tuple[int, ...]:
    """The tokens that end a text: the generation config's, else the tokenizer's."""
    eos = getattr(model.generation_config, "eos_token_id", None) if model.generation_config is not None else None
    if eos is None and tokenizer is not None:
        eos = tokenizer.eos_token_id
    if eos is None:
        return ()
    return tuple(eos) if isinstance(eos, (list, tuple)) else (eos,)


def _require_path(path: str) -> None:
    looks_local = path.startswith((".", "/", "~")) or path.count("/") > 1 or path.endswith("/")
    folder = Path(path).expanduser()
    if folder.exists() and not folder.is_dir():
        raise ModelError(f"model {path!r}: this is a file, expected a folder with config.json and safetensors")
    if looks_local and not folder.exists():
        raise ModelError(f"model {path!r}: there is no such folder")


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
