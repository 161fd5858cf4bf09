"""transformers' decoders over a paged cache, with no model code of our own.

Importing this module registers `attn_implementation="torchpaged"`: an attention function that writes the new keys
and values into the pool and attends through block tables. `load` makes an engine's `PagedModel` of a
checkpoint or of a model instance, or refuses it with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import AutoConfig, AutoModelForCausalLM, PretrainedConfig, PreTrainedModel

from torchpaged.attention_metadata import StepMetadata
from torchpaged.errors import ModelError
from torchpaged.integrations import mla
from torchpaged.integrations.attention_function import ATTENTION, Probe
from torchpaged.integrations.families import supported, unsupported_reason
from torchpaged.integrations.torchao import plain_tensors
from torchpaged.paged_kv_cache import LayerShape


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
        mla.cache_latents(model)
        self.config: PretrainedConfig = config
        model.set_attn_implementation(ATTENTION)  # only warns when it fails, hence the check
        if config._attn_implementation != ATTENTION:
            raise ModelError(f"{type(model).__name__} does not accept attn_implementation={ATTENTION!r}; {supported()}")
        self.dtype: torch.dtype = model.dtype
        self.device: torch.device = model.device
        self.vocab_size: int = config.vocab_size
        self.max_model_len: int = getattr(config, "max_position_embeddings", None) or 2048
        self.layers: Mapping[int, LayerShape] = self._probe()

    @torch.inference_mode()
    def _probe(self) -> Mapping[int, LayerShape]:
        """One token through the model: the layers themselves say what they keep, and that the metadata arrives."""
        probe = Probe({})
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
                + supported()
            )
        chunks = chunk_sizes(self.config)
        layers = {i: replace(layer, attention_chunk_size=chunks.get(i, 0)) for i, layer in probe.layers.items()}
        if reason := dropped_window(self.config, {i: layer.sliding_window for i, layer in probe.layers.items()}):
            raise ModelError(f"{type(self.model).__name__}: {reason}; {supported()}")
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
        """sha256 over the config and a sample of every weight, quantised ones by their parts and their scheme."""
        digest = sha256(self.config.to_json_string().encode())
        for name, weight in sorted(self.model.state_dict().items()):
            for part, tensor in plain_tensors(name, weight):
                digest.update(f"{part} {tuple(tensor.shape)} {tensor.dtype}".encode())
                flat = tensor.detach().reshape(-1)
                sample = flat[:: max(1, flat.numel() // _SAMPLED)][:_SAMPLED]
                digest.update(sample.double().cpu().numpy().tobytes())
        return digest.hexdigest()


# Elements of each weight that its model is recognised by: another training run changes all of them.
_SAMPLED = 256


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


def load_config(path: str) -> PretrainedConfig:
    """The config of a checkpoint's decoder. Raises ModelError when there is none."""
    _require_path(path)
    try:
        return AutoConfig.from_pretrained(path).get_text_config(decoder=True)
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"model {path!r}: no config could be read: {_first_line(error)}") from error


def layers_without_weights(config: PretrainedConfig) -> Mapping[int, LayerShape]:
    """What the layers of a supported model keep of a token, asked of a model without memory."""
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    return TransformersModel(model).layers


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
