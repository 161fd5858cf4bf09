"""The fingerprint of everything that decides an answer's bits: two exact engines with the same one give the same
bits.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import torch

from torchpaged.config import EngineConfig
from torchpaged.csrc import build
from torchpaged.engine.prepared import FINGERPRINTED, why_not_exact
from torchpaged.models.model import PagedModel
from torchpaged.ops import cpu, library
from torchpaged.sampling_params import SamplingParams


def system_fingerprint(
    model: PagedModel, config: EngineConfig, default_params: SamplingParams, chat_params: SamplingParams
) -> str:
    """Return fp_ and twelve characters, the same at every start.

    It covers code, weights and the model's config, settings that kernels depend on, kernels, instruction set, threads
    and the result of `why_not_exact`.

    Args:
        model: at most FINGERPRINTED of its weights are read, and a few small steps computed.
        config: resolved.
        default_params, chat_params: defaults of requests and of chats.
    """
    device = model.spec.device
    backend = library.active_backend("paged_attention", device.type)
    kernels = build.library_name() if device.type == "cpu" else torch.cuda.get_device_name(device)
    parts = (
        (_code(), torch.__version__),
        (model.spec.name, str(model.spec.dtype), model.fingerprint(FINGERPRINTED)),
        tuple((name, repr(getattr(config, name))) for name in _DECISIVE),
        repr((default_params, chat_params)),
        (str(device), kernels, cpu.isa(), backend, torch.get_num_threads()),
        why_not_exact(model) or "exact",
    )
    return "fp_" + sha256(repr(parts).encode()).hexdigest()[:12]


def _code() -> str:
    """Return the sha256 of the Python code that computes."""
    digest, root = sha256(), Path(__file__).parents[1]
    for folder in ("compiler", "execution", "integrations", "models", "ops", "weights"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


_DECISIVE = (
    "block_size",
    "compile",
    "compile_backend",
    "kv_cache_dtype",
    "logits_processors",
    "max_model_len",
    "optimize",
    "pooler_config",
    "quantization",
    "seed",
    "speculative_config",
)
