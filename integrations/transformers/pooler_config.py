"""Reads a sentence-transformers checkpoint's pooling from its modules.json, without that package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from torchpaged.errors import ModelError
from torchpaged.pooling_params import PoolerConfig

# `PoolerConfig.pooling_type` by sentence-transformers' names: three of its older format, then three of its newer one.
_MODES = {
    "pooling_mode_lasttoken": "LAST",
    "pooling_mode_mean_tokens": "MEAN",
    "pooling_mode_cls_token": "CLS",
    "lasttoken": "LAST",
    "mean": "MEAN",
    "cls": "CLS",
}
_SAY = "say how with LLM(..., pooler_config=PoolerConfig(pooling_type=...))"


def pooler_config(path: str) -> PoolerConfig | None:
    """Return the pooling that a checkpoint's folder declares; None if it declares none.

    Raises:
        ModelError: an unsupported pooling, or a file that cannot be read.
    """
    folder, pooling = Path(path), None
    try:
        listed = _read(folder / "modules.json") if (folder / "modules.json").is_file() else []
        modules = [(each["type"].rpartition(".")[2], each["path"]) for each in listed]
        pools = [folder / where / "config.json" for kind, where in modules if kind == "Pooling"]
        modes = _modes(_read(pools[0])) if len(pools) == 1 else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"model {path!r}: its modules.json, or what it names, cannot be read: {error}") from error
    if modes is not None:
        others = [kind for kind, _ in modules if kind not in ("Transformer", "Pooling", "Normalize")]
        if others or len(modes) != 1 or modes[0] not in _MODES:
            found = others[0] if others else "+".join(modes) or "no pooling"
            raise ModelError(
                f"model {path!r}: its embeddings are made by {found}, expected {', '.join(_MODES)}; {_SAY}"
            )
        normalised = any(kind == "Normalize" for kind, _ in modules)
        pooling = PoolerConfig(pooling_type=_MODES[modes[0]], use_activation=normalised)
    return pooling


def _modes(config: Any) -> list[str]:
    """Return the pooling modes that are enabled."""
    if "pooling_mode" in config:
        mode = config["pooling_mode"]
        return [mode] if isinstance(mode, str) else list(mode)
    return [name for name, on in config.items() if name.startswith("pooling_mode_") and on]


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
