"""Reads a sentence-transformers checkpoint's modules, prompts and similarity, without that package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import load_file

from torchpaged.errors import ModelError
from torchpaged.pooling_params import SIMILARITIES, DenseLayer, PoolerConfig
from torchpaged.utils.paths import leads_out

# `PoolerConfig.pooling_type` by sentence-transformers' names: four of its older format, then four of its newer one.
_MODES = {
    "pooling_mode_lasttoken": "LAST",
    "pooling_mode_mean_tokens": "MEAN",
    "pooling_mode_cls_token": "CLS",
    "pooling_mode_max_tokens": "MAX",
    "lasttoken": "LAST",
    "mean": "MEAN",
    "cls": "CLS",
    "max": "MAX",
}
# By the class of a `Dense` layer's activation.
_ACTIVATIONS = {"Identity": "identity", "Tanh": "tanh"}
# `PoolerConfig.use_activation` by the class of a cross-encoder's activation.
_CLASS_ACTIVATIONS = {"Identity": False, "Sigmoid": True, "Softmax": True}
_SAY = "say how with LLM(..., pooler_config=PoolerConfig(pooling_type=...))"
_SETTINGS = "config_sentence_transformers.json"


def pooler_config(path: str) -> PoolerConfig | None:
    """Return the pooling that a checkpoint's folder declares; None if it declares none.

    Raises:
        ModelError: an unsupported pooling, or a file that cannot be read.
    """
    folder = Path(path)
    try:
        listed = _read(folder / "modules.json") or []
        modules = [(each["type"].rpartition(".")[2], each["path"]) for each in listed]
        pools = [_read(folder / where / "config.json") for kind, where in modules if kind == "Pooling"]
        modes = _modes(pools[0]) if len(pools) == 1 else None
        if modes is None and any(kind == "Dense" for kind, _ in modules):
            raise ModelError(f"model {path!r}: its modules have a Dense layer and no Pooling, expected both; {_SAY}")
        if modes is None:
            return _of_cross_encoder(path, _read(folder / "config.json") or {})
        dense = tuple(_dense(path, folder, where) for kind, where in modules if kind == "Dense")
        settings = _read(folder / _SETTINGS) or {}
        prompts, default = settings.get("prompts") or None, settings.get("default_prompt_name")
        similarity = settings.get("similarity_fn_name")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"model {path!r}: its modules.json, or what it names, cannot be read: {error}") from error
    order = [kind for kind, _ in modules if kind not in ("Transformer", "Pooling", "Normalize", "Dense")]
    if order or len(modes) != 1 or modes[0] not in _MODES:
        found = order[0] if order else "+".join(modes) or "no pooling"
        raise ModelError(f"model {path!r}: its embeddings are made by {found}, expected {', '.join(_MODES)}; {_SAY}")
    kinds = [kind for kind, _ in modules]
    if kinds != sorted(kinds, key=("Transformer", "Pooling", "Dense", "Normalize").index):
        raise ModelError(
            f"model {path!r}: its modules are {', '.join(kinds)}, expected Transformer, Pooling, Dense, Normalize in "
            f"this order; {_SAY}"
        )
    if not pools[0].get("include_prompt", True):
        raise ModelError(f"model {path!r}: its pooling has include_prompt false, which is not supported; {_SAY}")
    if similarity not in (None, *SIMILARITIES):
        raise ModelError(
            f"model {path!r}: its similarity_fn_name is {similarity!r:.80}, expected one of {', '.join(SIMILARITIES)}"
        )
    return PoolerConfig(
        pooling_type=_MODES[modes[0]],
        use_activation="Normalize" in kinds,
        prompts=prompts,
        default_prompt_name=default,
        similarity=similarity,
        dense=dense,
    )


def max_seq_length(path: str) -> int | None:
    """Return the length to which sentence-transformers truncates a checkpoint's texts; None if it has no such file.

    Raises:
        ModelError: the file cannot be read, or has texts changed before they are tokenized.
    """
    try:
        found = _read(Path(path) / "sentence_bert_config.json") or {}
        length = found.get("max_seq_length")
    except (OSError, ValueError, AttributeError) as error:
        raise ModelError(f"model {path!r}: its sentence_bert_config.json cannot be read: {error}") from error
    if found.get("do_lower_case"):
        raise ModelError(f"model {path!r}: its sentence_bert_config.json has do_lower_case, which is not supported")
    return length if type(length) is int and length > 0 else None


def _of_cross_encoder(path: str, config: Any) -> PoolerConfig | None:
    """Return the activation that a cross-encoder's config names."""
    given = config.get("sentence_transformers")
    name = given.get("activation_fn") if isinstance(given, dict) else None
    name = name or config.get("sbert_ce_default_activation_function")
    if name is None:
        return None
    kind = str(name).rpartition(".")[2]
    if kind not in _CLASS_ACTIVATIONS:
        raise ModelError(
            f"model {path!r}: its config has the activation {name!r:.80}, expected one of "
            f"{', '.join(_CLASS_ACTIVATIONS)}; say which with LLM(..., pooler_config=PoolerConfig(use_activation=...))"
        )
    return PoolerConfig(use_activation=_CLASS_ACTIVATIONS[kind])


def _dense(path: str, folder: Path, where: str) -> DenseLayer:
    """Read a `Dense` layer."""
    if leads_out(where):
        raise ModelError(f"model {path!r}: its modules.json names {where!r:.80}, expected a folder within")
    config = _read(folder / where / "config.json")
    kind = str(config.get("activation_function", "Tanh")).rpartition(".")[2]
    others = [
        name for name in ("module_input_name", "module_output_name") if config.get(name) not in (None, _EMBEDDING)
    ]
    if kind not in _ACTIVATIONS or config.get("use_residual") or others:
        what = others[0] if others else "use_residual" if config.get("use_residual") else f"activation {kind}"
        raise ModelError(
            f"model {path!r}: its Dense layer has {what}, expected activation {' or '.join(_ACTIVATIONS)} and nothing "
            f"else; {_SAY}"
        )
    tensors = load_file(folder / where / "model.safetensors")
    bias = tensors.get("linear.bias")
    return DenseLayer(
        np.ascontiguousarray(tensors["linear.weight"].float().numpy()),
        None if bias is None else bias.float().numpy(),
        _ACTIVATIONS[kind],
    )


_EMBEDDING = "sentence_embedding"


def _modes(config: Any) -> list[str]:
    """Return the pooling modes that are enabled."""
    if "pooling_mode" in config:
        mode = config["pooling_mode"]
        return [mode] if isinstance(mode, str) else list(mode)
    return [name for name, on in config.items() if name.startswith("pooling_mode_") and on]


def _read(path: Path) -> Any:
    """Return a JSON file's contents; None if there is no such file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
