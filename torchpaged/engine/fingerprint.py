"""The fingerprint of everything that decides an answer's bits: two exact engines with the same one give the same
bits.
"""

from __future__ import annotations

from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

from torchpaged.config import EngineConfig
from torchpaged.csrc import build
from torchpaged.engine.prepared import FINGERPRINTED, why_not_exact
from torchpaged.models.model import PagedModel
from torchpaged.ops import cpu, library
from torchpaged.sampling_params import SamplingParams
from torchpaged.utils.fingerprint import EXACT
from torchpaged.utils.version import __version__


def system_facts(
    model: PagedModel, config: EngineConfig, default_params: SamplingParams, chat_params: SamplingParams
) -> dict[str, Any]:
    """Return what decides an answer's bits, by name, as JSON's plain values.

    The facts are code, weights and the model's config, settings that kernels depend on, kernels, instruction sets,
    threads and the result of `why_not_exact`. Values that may name files are hashed.

    Args:
        model: at most FINGERPRINTED of its weights are read, and a few small steps computed.
        config: resolved.
        default_params, chat_params: defaults of requests and of chats.
    """
    device = model.spec.device
    return {
        "torchpaged": __version__,
        "code": _code()[:16],
        "torch": torch.__version__,
        **{package: _version(package) for package in ("transformers", "tokenizers", "llguidance")},
        "model": model.spec.name,
        "dtype": str(model.spec.dtype).removeprefix("torch."),
        "weights": model.fingerprint(FINGERPRINTED),
        **{name: _shown(getattr(config, name)) for name in _DECISIVE},
        "default_params": _hash(repr((default_params, chat_params))),
        "device": str(device),
        "kernels": build.library_name() if device.type == "cpu" else torch.cuda.get_device_name(device),
        "isa": cpu.isa(),
        "torch_isa": torch.backends.cpu.get_cpu_capability(),
        "backend": library.active_backend("paged_attention", device.type),
        "threads": torch.get_num_threads(),
        "exact": _why_not_exact(model, config) or EXACT,
    }


def _why_not_exact(model: PagedModel, config: EngineConfig) -> str | None:
    if config.tensor_parallel_size > 1:  # its steps would wait for the other ranks
        return "its weights are divided over ranks, which was not tested"
    return why_not_exact(model)


def _code() -> str:
    """Return the sha256 of the Python code that computes, samples and ends texts."""
    digest, root = sha256(), Path(__file__).parents[1]
    for folder in ("compiler", "execution", "integrations", "models", "ops", "requests", "structured", "weights"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _shown(value: Any) -> Any:
    """Return a setting as it is if it is plain and no path, else a hash; None if there is nothing in it."""
    if value is None or value == ():
        return None
    is_plain = isinstance(value, (bool, int)) or (isinstance(value, str) and not set(value) & set("/\\"))
    return value if is_plain else _hash(repr(value))


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


_DECISIVE = (
    "block_size",
    "compile",
    "compile_backend",
    "enable_expert_parallel",
    "kv_cache_dtype",
    "logits_processors",
    "max_model_len",
    "optimize",
    "pooler_config",
    "quantization",
    "seed",
    "speculative_config",
    "tensor_parallel_size",
)
