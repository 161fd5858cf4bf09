"""What a model is recognised by in another process: its config and a sample of every weight."""

from __future__ import annotations

from hashlib import sha256

from torch import nn
from transformers import PretrainedConfig

from torchpaged.integrations.torchao import plain_tensors

# Elements of each weight: another training run changes all of them.
_SAMPLED = 256


def fingerprint_of(config: PretrainedConfig, model: nn.Module, more: str = "") -> str:
    """sha256 over the config and a sample of every weight, quantised ones by their parts; and `more`."""
    digest = sha256(config.to_json_string().encode())
    digest.update(more.encode())
    for name, weight in sorted(model.state_dict().items()):
        for part, tensor in plain_tensors(name, weight):
            digest.update(f"{part} {tuple(tensor.shape)} {tensor.dtype}".encode())
            flat = tensor.detach().reshape(-1)
            sample = flat[:: max(1, flat.numel() // _SAMPLED)][:_SAMPLED]
            digest.update(sample.double().cpu().numpy().tobytes())
    return digest.hexdigest()
